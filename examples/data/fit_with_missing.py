"""Training with missing values
============================

The more values are missing, the fewer rows are complete. Maximum likelihood from all observed
values stays close to the model of the complete table; using complete rows only does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset

means = [[0, 0, 0, 0], [1, 0.5, 1, 0]]
covariance = 0.6 * np.ones((4, 4)) + 0.4 * np.eye(4)
X, y = make_gaussian_dataset(300, means, covariance, random_state=0)
X_test, y_test = make_gaussian_dataset(3000, means, covariance, random_state=1)
generator = np.random.default_rng(2)
chance = generator.random(X.shape)

proportions = np.arange(0, 0.61, 0.1)
everything, complete = [], []
for proportion in proportions:
    holes = np.where(chance < proportion, np.nan, X)
    whole = ~np.isnan(holes).any(axis=1)
    model = GaussianClassifier(shared=True)
    everything.append(model.fit(holes, y).score(X_test, y_test))
    complete.append(model.fit(holes[whole], y[whole]).score(X_test, y_test))

figure, ax = plt.subplots(layout="constrained")
ax.plot(proportions, everything, marker="o", label="all rows, by EM")
ax.plot(proportions, complete, marker="s", label="complete rows only")
ax.set(xlabel="proportion of values missing", ylabel="accuracy on new rows")
ax.legend()
