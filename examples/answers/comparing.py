"""Comparing models
================

The six structures and their peers on the same folds: error, log loss, Brier score.
"""

from gaussbayes import compare, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
compared = compare(iris.rows, iris.labels)
plots.comparison(compared)
