"""Between LDA and QDA
===================

A number for ``shared`` shrinks each covariance towards the pooled one: regularised discriminant
analysis. With 12 rows per class and five features, a value between 0 and 1 is best.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset

generator = np.random.default_rng(4)
means = generator.normal(size=(3, 5))
roots = generator.normal(size=(3, 5, 5)) * 0.5 + np.eye(5)
covariances = roots @ roots.mT + 0.2 * np.eye(5)
X, y = make_gaussian_dataset(12, means, covariances, random_state=0)
X_test, y_test = make_gaussian_dataset(3000, means, covariances, random_state=1)

path = np.linspace(0.02, 1, 30)
left_out, new = [], []
for shared in path:
    model = GaussianClassifier(shared=shared)
    left_out.append(model.leave_one_out(X, y).evaluation.log_loss)
    log_posterior = model.fit(X, y).predict_log_proba(X_test)
    new.append(-log_posterior[np.arange(len(y_test)), y_test].mean())
best = path[np.argmin(left_out)]
print(f"smallest leave-one-out log loss at shared={best:.2f}")

figure, ax = plt.subplots(layout="constrained")
ax.plot(path, left_out, label="36 rows, leave-one-out")
ax.plot(path, new, label="9,000 new rows")
ax.axvline(best, color="0.6", linewidth=1)
ax.set(xlabel="shared: 0 is QDA, 1 is LDA", ylabel="log loss", yscale="log")
ax.legend()
