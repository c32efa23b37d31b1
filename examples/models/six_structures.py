"""Six structures
==============

Two choices, the shape of the covariances and whether the classes share them, give six models. Each
is fitted to the same flowers; the title shows the leave-one-out log loss.
"""

import matplotlib.pyplot as plt

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
X, y = iris.rows[:, :2], iris.labels
names = Columns(names=iris.feature_names[:2])

figure, axes = plt.subplots(2, 3, figsize=(12, 7), sharex=True, sharey=True, layout="constrained")
for row, shared in zip(axes, (False, True), strict=True):
    for ax, covariance in zip(row, ("full", "diagonal", "spherical"), strict=True):
        model = GaussianClassifier(covariance, shared=shared, columns=names).fit(X, y)
        plots.regions(model, X, y, legend=False, ax=ax)
        plots.ellipses(model, levels=(1, 2), legend=False, ax=ax)
        ax.label_outer()
        loss = model.leave_one_out(X, y).evaluation.log_loss
        title = f"{covariance}{', shared' if shared else ''}"
        ax.set_title(f"{title}: {loss:.3f}")
        print(f"{title:>18}: {model.n_parameters_} parameters, log loss {loss:.3f}")
