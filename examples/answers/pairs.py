"""All pairs of features
=====================

Regions for every pair, the others integrated out, densities on the diagonal, and errors.
"""

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
model = GaussianClassifier().fit(iris.rows, iris.labels).with_feature_names(iris.feature_names)
plots.pairs(model, iris.rows, iris.labels)
