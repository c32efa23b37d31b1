"""Bayes error
===========

No rule errs less often than Bayes' rule with the true densities. Its error, simulated, beside an
upper bound.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier

apart = np.linspace(0, 5, 16)
errors = [
    GaussianClassifier.from_parameters(
        None, [[0, 0], [d, 0]], np.eye(2), covariance="full"
    ).bayes_error(20_000)
    for d in apart
]
figure, ax = plt.subplots(layout="constrained")
simulated = np.array([[each.error, each.standard_error, each.bound] for each in errors])
ax.errorbar(apart, simulated[:, 0], 2 * simulated[:, 1], marker="o", label="Bayes error")
ax.plot(apart, simulated[:, 2], linestyle="--", label="Bhattacharyya's bound")
ax.set(xlabel="distance of the means in standard deviations", ylabel="error", ylim=0)
ax.legend()
