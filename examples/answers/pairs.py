"""All pairs of features
=====================

Decision regions for every pair of features, the others integrated out, with densities on the
diagonal.
"""

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
names = Columns(names=iris.feature_names)
model = GaussianClassifier(columns=names).fit(iris.rows, iris.labels)
plots.scatter_matrix(model, iris.rows, iris.labels)
