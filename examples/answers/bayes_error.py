"""Bayes error
===========

The Bayes error is the error of Bayes' rule with the true densities; no rule has a smaller one. A
model estimates it by simulation. For two Gaussians with one covariance, it is Φ(−distance / 2).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from gaussbayes import GaussianClassifier

distances = np.linspace(0.5, 5, 10)
estimates = []
for distance in distances:
    model = GaussianClassifier.from_parameters(
        None, [[0, 0], [distance, 0]], np.eye(2), covariance="full"
    )
    estimates.append(model.evaluate(*model.sample(500, random_state=0)).bayes_error)

figure, ax = plt.subplots(layout="constrained")
errors = np.array([[estimate.error, estimate.standard_error] for estimate in estimates])
ax.errorbar(distances, errors[:, 0], 2 * errors[:, 1], marker="o", label="estimate, ± 2 errors")
ax.plot(distances, norm.cdf(-distances / 2), linestyle="--", label="Φ(−distance / 2)")
ax.set(xlabel="distance of the means in standard deviations", ylabel="error", ylim=0)
ax.legend()
