"""Predicting with missing values
==============================

Missing features are integrated out; with none left, the posterior is the prior.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris

iris = load_iris()
model = GaussianClassifier().fit(iris.rows, iris.labels)
flower = iris.rows[70]
known = {"all four": [0, 1, 2, 3], "no petal length": [0, 1, 3], "no petal": [0, 1], "nothing": []}
rows = np.full((len(known), 4), np.nan)
for row, columns in zip(rows, known.values(), strict=True):
    row[columns] = flower[columns]
posterior = model.predict_proba(rows)

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
start = np.zeros(len(known))
for label, proportion in zip(model.classes_, posterior.T, strict=True):
    ax.barh(list(known), proportion, left=start, label=label)
    start += proportion
ax.invert_yaxis()
ax.set(xlabel="posterior", xlim=(0, 1))
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
print(posterior.round(3))
