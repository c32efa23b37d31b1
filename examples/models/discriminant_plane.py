"""Discriminant axes
=================

Classes that share a covariance differ along k − 1 axes at most, Fisher's linear discriminants. On
them the 13 measurements of 178 wines become two numbers, in units of the deviation within classes.
The moments of the classes are enough: rows may be streamed, merged, weighted or incomplete.
"""

from sklearn.datasets import load_wine

from gaussbayes import plots
from gaussbayes.sklearn import LinearDiscriminantAnalysis

X, y = load_wine(return_X_y=True)
model = LinearDiscriminantAnalysis()
for start in range(0, len(X), 50):
    model.partial_fit(X[start : start + 50], y[start : start + 50])
plots.discriminant_plane(model, X, y)
