"""Calibration
===========

Naive Bayes is overconfident if features repeat one another. Calibration on leave-one-out
predictions corrects its probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset, plots


def repeated(n: int, seed: int):
    """Two features, and four copies of each with a little noise."""
    X, y = make_gaussian_dataset(n, [[0, 0], [1, 1]], random_state=seed)
    noise = np.random.default_rng(seed).normal(0, 0.3, size=(len(X), 8))
    return np.hstack([X] * 4) + noise, y


X, y = repeated(200, 0)
X_new, y_new = repeated(3000, 1)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
for ax, calibrate in zip(axes, (False, True), strict=True):
    model = GaussianClassifier("diagonal", calibrate=calibrate).fit(X, y)
    loss = -model.predict_log_proba(X_new)[np.arange(len(y_new)), y_new].mean()
    plots.calibration(model, X_new, y_new, ax=ax)
    ax.set_title(f"calibrate={calibrate}: log loss {loss:.3f}")
