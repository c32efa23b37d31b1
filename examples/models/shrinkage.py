"""Shrinkage
=========

With forty features and twenty rows per class the sample covariances are singular. Shrunk towards a
diagonal they are not. `AutoClassifier` selects the intensity by leave-one-out log loss.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import AutoClassifier, GaussianClassifier, make_gaussian_dataset

d = 40
means = np.vstack([np.zeros(d), 0.35 * (-1.0) ** np.arange(d)])
covariance = 0.6 ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
X, y = make_gaussian_dataset(20, means, covariance, random_state=0)
X_test, y_test = make_gaussian_dataset(2000, means, covariance, random_state=1)

path = np.linspace(0.02, 1, 25)
curves = {"class-specific covariances": False, "a shared covariance": True}
figure, ax = plt.subplots(layout="constrained")
for name, shared in curves.items():
    scores = [
        GaussianClassifier(shared=shared, shrinkage=s).fit(X, y).score(X_test, y_test) for s in path
    ]
    ax.plot(path, scores, label=name)
selected = AutoClassifier().fit(X, y)
print(selected.selection_.best)
accuracy = selected.score(X_test, y_test)
ax.axhline(accuracy, color="0.6", linewidth=1, label="AutoClassifier")
print(f"AutoClassifier: accuracy {accuracy:.1%}")
ax.set(xlabel="shrinkage", ylabel="accuracy on new rows")
ax.legend()
