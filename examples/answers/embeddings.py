"""Embeddings
==========

On vectors of a pretrained network a shared covariance (SLDA) needs few rows per class: all classes
together determine the variation within classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_sentences

requests = load_sentences()
X, y = requests.rows, requests.labels
number = np.arange(len(y)) % 20  # of the sentence in its class
test = number >= 10
models = {
    "SLDA": GaussianClassifier(shared=True, shrinkage="oas"),
    "nearest mean": GaussianClassifier("spherical", shared=True),
    "logistic regression, C=100": LogisticRegression(C=100, max_iter=1000),
    "1 nearest neighbour": KNeighborsClassifier(1, metric="cosine"),
}
rows_per_class = [2, 4, 6, 8, 10]
figure, ax = plt.subplots(layout="constrained")
for name, model in models.items():
    accuracy = [
        model.fit(X[number < few], y[number < few]).score(X[test], y[test])
        for few in rows_per_class
    ]
    ax.plot(rows_per_class, accuracy, marker="o", label=name)
    print(f"{name:28}", *(f"{each:6.1%}" for each in accuracy))
ax.set(xlabel="rows per class", ylabel="accuracy on 240 sentences", ylim=(0, 1))
ax.legend()
