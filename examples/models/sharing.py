"""Quadratic or linear boundaries
==============================

With class-specific covariances the boundaries are conics (QDA). With a shared one the quadratic
terms of the log-odds cancel, and the boundaries are linear (LDA).
"""

import matplotlib.pyplot as plt

from gaussbayes import Columns, GaussianClassifier, make_gaussian_dataset, plots

X, y = make_gaussian_dataset(
    [120, 120],
    [[0, 0], [2.5, 1]],
    [[[1, 0.7], [0.7, 1]], [[2.5, -0.8], [-0.8, 0.6]]],
    random_state=2,
)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
names = Columns(names=["x₁", "x₂"])
for ax, shared in zip(axes, (False, True), strict=True):
    model = GaussianClassifier(shared=shared, columns=names).fit(X, y)
    plots.regions(model, X, y, legend=False, ax=ax)
    plots.ellipses(model, levels=(1, 2), legend=False, ax=ax)
    ax.set_title(f"shared={shared}")
