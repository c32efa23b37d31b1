"""Bayes error
===========

The Bayes error is the error of Bayes' rule with the true densities; no rule has a smaller one. A
model estimates it by simulation, beside an upper bound.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier

distances = np.linspace(0.5, 5, 10)
estimates = []
for distance in distances:
    model = GaussianClassifier.from_parameters(
        None, [[0, 0], [distance, 0]], np.eye(2), covariance="full"
    )
    estimates.append(model.evaluate(*model.sample(500, random_state=0)).bayes_error)

figure, ax = plt.subplots(layout="constrained")
errors = np.array([[each.error, each.standard_error, each.bound] for each in estimates])
ax.errorbar(distances, errors[:, 0], 2 * errors[:, 1], marker="o", label="Bayes error")
ax.plot(distances, errors[:, 2], linestyle="--", label="Bhattacharyya's bound")
ax.set(xlabel="distance of the means in standard deviations", ylabel="error", ylim=0)
ax.legend()
