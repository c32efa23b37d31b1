"""A moving window
===============

Add each new row and remove the one that is a hundred rows old.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier

generator = np.random.default_rng(3)
n, size = 800, 100
drift = 2 * np.sin(np.linspace(0, 2 * np.pi, n))
y = generator.integers(0, 2, n)
X = (generator.normal(size=n) + drift + 3 * y)[:, None]

window, everything = GaussianClassifier(shared=True), GaussianClassifier(shared=True)
right = np.full((2, n), np.nan)
for i in range(n):
    if i > size:
        right[:, i] = [model.predict(X[i : i + 1])[0] == y[i] for model in (window, everything)]
        window.forget(X[i - size : i - size + 1], y[i - size : i - size + 1])
    for model in (window, everything):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
print("right:", np.nanmean(right, axis=1).round(3))

figure, ax = plt.subplots(layout="constrained")
for name, line in zip((f"last {size} rows", "all rows"), right[:, size + 1 :], strict=True):
    smooth = np.convolve(line, np.full(60, 1 / 60), mode="valid")
    ax.plot(size + 60 + np.arange(smooth.size), smooth, label=name)
ax.set(xlabel="row", ylabel="accuracy, mean of 60 rows")
ax.legend()
