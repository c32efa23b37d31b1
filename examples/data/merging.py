"""Merging models
==============

Three hospitals fit models to their own patients. Merging the models, a few kilobytes each, gives
the model of all patients.
"""

import numpy as np
from sklearn.base import clone

from gaussbayes import Columns, GaussianClassifier, make_gaussian_dataset, plots

X, y = make_gaussian_dataset(
    [500, 300], [[36.8, 5], [38.4, 9]], [[0.3, 0.2], [0.2, 4]], random_state=0
)
labels = np.array(["well", "ill"])[y]
place = np.random.default_rng(1).integers(0, 3, len(X))

model = GaussianClassifier(columns=Columns(names=["temperature", "white cells"]))
hospitals = [clone(model).fit(X[place == p], labels[place == p]) for p in range(3)]
merged = hospitals[0].merge(hospitals[1]).merge(hospitals[2])
together = model.fit(X, labels)
apart = np.abs(merged.covariances_ - together.covariances_).max()
print(f"largest difference of a covariance: {apart:.0e}")
plots.ellipses(merged)
