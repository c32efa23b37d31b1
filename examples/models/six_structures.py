"""Six structures
==============

Two choices, the shape of the covariances and whether the classes share them, give six models. Each
is fitted to the same flowers; the title shows the leave-one-out log loss.
"""

import matplotlib.pyplot as plt

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
X, y = iris.rows[:, :2], iris.labels

figure, axes = plt.subplots(2, 3, figsize=(12, 7), sharex=True, sharey=True, layout="constrained")
for row, shared in zip(axes, (False, True), strict=True):
    for ax, covariance in zip(row, ("full", "diagonal", "spherical"), strict=True):
        model = GaussianClassifier(covariance, shared=shared).fit(X, y)
        plots.regions(model, X, y, resolution=150, ax=ax)
        plots.ellipses(model, levels=[1, 2], ax=ax)
        ax.get_legend().remove()
        ax.set(xlabel=iris.feature_names[0], ylabel=iris.feature_names[1])
        ax.label_outer()
        loss = model.leave_one_out(X, y).evaluation.log_loss
        ax.set_title(f"{model.structure_.name}: {loss:.3f}")
        print(f"{model.structure_.name:>22}: {model.n_parameters_} parameters, log loss {loss:.3f}")
