"""Prediction sets
===============

A prediction set contains the true class with a given probability, whether or not the densities are
right.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset

means = [[0, 0], [2, 0], [1, 2]]
X, y = make_gaussian_dataset(60, means, random_state=0)
X_new, y_new = make_gaussian_dataset(2000, means, random_state=1)
model = GaussianClassifier(calibrate=True).fit(X, y)

requested = np.linspace(0.8, 0.99, 12)
sets = [model.predict_set(X_new, coverage) for coverage in requested]
covered = [each.members[np.arange(len(y_new)), y_new].mean() for each in sets]
sizes = [each.sizes.mean() for each in sets]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot(requested, requested, color="0.6")
left.plot(requested, covered, marker="o")
left.set(xlabel="requested coverage", ylabel="coverage on new rows")
right.plot(requested, sizes, marker="o")
right.set(xlabel="requested coverage", ylabel="classes in a set")
