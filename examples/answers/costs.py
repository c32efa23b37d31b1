"""Errors with different costs
===========================

A missed illness costs as much as 20 false alarms, and the decision threshold moves.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier

model = GaussianClassifier.from_parameters(
    [0.9, 0.1], [[100], [130]], [[[100]], [[400]]], ["healthy", "ill"]
)
reading = np.linspace(70, 180, 400)[:, None]
costs = {("ill", "healthy"): 20, ("healthy", "ill"): 1}
posterior = model.predict_proba(reading)

figure, ax = plt.subplots(layout="constrained")
ax.plot(reading, 20 * posterior[:, 1], label="expected cost of saying healthy")
ax.plot(reading, posterior[:, 0], label="expected cost of saying ill")
for name, decided, style in [
    ("most probable", model.decide(reading).labels, ":"),
    ("least cost", model.decide(reading, costs=costs).labels, "-"),
]:
    changes = reading[1:, 0][decided[1:] != decided[:-1]]
    print(f"{name}: the decision changes at {changes.round(1)}")
    for at in changes:
        ax.axvline(at, color="0.5", linestyle=style)
ax.set(xlabel="reading", ylabel="cost", ylim=(0, 3))
ax.legend()
