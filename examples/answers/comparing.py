"""Models side by side
===================

The same folds for the six structures and nearest neighbours: errors, log loss, Brier score.
"""

from gaussbayes import compare, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
compared = compare(iris.rows, iris.labels)
plots.comparison(compared)
