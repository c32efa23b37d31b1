"""Drift over time
===============

Each week is compared with the first four, from their statistics alone. From week 20 on, the sensor
of feature 1 drifts.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, drift

generator = np.random.default_rng(2)


def week(number):
    """Rows of a week, and whether the machine was faulty."""
    faulty = generator.integers(0, 2, 120)
    rows = generator.normal(size=(120, 3)) + 1.5 * faulty[:, None]
    rows[:, 1] += 0.12 * max(number - 20, 0)
    return rows, faulty


reference = GaussianClassifier()
for number in range(4):
    reference.partial_fit(*week(number))

weeks = np.arange(4, 36)
results = [drift(reference, *week(number)) for number in weeks]
for number, result in zip(weeks, results, strict=True):
    if result.changed():
        print(f"week {number}: {', '.join(result.changed())}")

figure, ax = plt.subplots(layout="constrained")
ax.semilogy(weeks, [result.p_value for result in results], "o-", label="everything")
for name in ("feature 0", "feature 1", "feature 2"):
    of_feature = [min(f.adjusted for f in r.features if f.feature == name) for r in results]
    ax.semilogy(weeks, of_feature, lw=1, label=f"{name}, adjusted")
ax.axhline(0.01, color="0.5", ls=":")
ax.set(xlabel="week", ylabel="p-value")
ax.legend()
