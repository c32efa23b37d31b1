"""Few labels
==========

Six labelled rows identify the classes; the unlabelled rows show their distributions.
"""

import matplotlib.pyplot as plt

from gaussbayes import GaussianClassifier, make_gaussian_dataset, plots

means, covariance = [[0, 0], [3, 1]], [[1.5, 0.9], [0.9, 1.2]]
X, y = make_gaussian_dataset(150, means, covariance, random_state=1, shuffle=True)
labels = y.astype(object)
labels[8:] = None

alone = GaussianClassifier(shared=True).fit(X[:8], y[:8])
both = GaussianClassifier(shared=True).fit(X, labels)
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
for ax, model, name in zip(axes, (alone, both), ("labelled rows alone", "all rows"), strict=True):
    plots.regions(model, X, labels, ax=ax)
    ax.set(title=f"{name}: {model.score(X, y):.1%} right", xlabel="x₁", ylabel="x₂")
    ax.label_outer()
    ax.get_legend().remove()
