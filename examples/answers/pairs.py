"""All pairs of features
=====================

Decision regions for every pair of features, the others integrated out, with densities on the
diagonal.
"""

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
model = GaussianClassifier().fit(iris.rows, iris.labels).with_feature_names(iris.feature_names)
plots.pairs(model, iris.rows, iris.labels)
