"""Novelty
=======

Far from all classes one of them still has a large posterior; its p-value reveals that the row does
not belong to it.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris

iris = load_iris()
X, y = iris.rows[:, 2:], iris.labels
model = GaussianClassifier().fit(X, y)
stranger = [[9.0, 0.5]]
print("posterior:", model.predict_proba(stranger).round(3)[0])
print("p-values: ", model.scores(stranger).p_value[0])
print("decision: ", model.decide(stranger, novelty=1e-3).reason)

# %%
# The largest p-value over the plane; a flower outside the light area resembles no species.
across, up = np.meshgrid(np.linspace(0, 10, 200), np.linspace(-0.5, 3.5, 150))
grid = np.column_stack([across.ravel(), up.ravel()])
p_value = model.scores(grid).p_value.max(axis=1)
figure, ax = plt.subplots(layout="constrained")
shown = ax.contourf(
    across,
    up,
    np.log10(p_value.clip(1e-9)).reshape(across.shape),
    levels=range(-9, 1),
    cmap="cividis",
)
for label in model.classes_:
    ax.scatter(*X[y == label].T, s=9, label=label, edgecolor="white", linewidth=0.4)
ax.plot(*stranger[0], "rX", markersize=9, label="stranger")
ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
figure.legend(loc="outside lower center", ncols=4)
figure.colorbar(shown, label="log10 of the largest p-value")
