"""Comparing models
================

`AutoClassifier`, textbook models, logistic regression, boosted trees and nearest neighbours on the
same folds.
"""

from gaussbayes import compare, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
compared = compare(iris.rows, iris.labels)
plots.comparison(compared)
