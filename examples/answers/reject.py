"""Reject option
=============

Rows whose largest posterior is too small are left undecided: fewer decisions, fewer errors.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
X, y = iris.rows[:, :2], iris.labels
model = GaussianClassifier(columns=Columns(names=iris.feature_names[:2])).fit(X, y)
plots.regions(model, X, y, reject_below=0.8)

# %%
# The trade-off between the two, by leave-one-out:
left_out = model.leave_one_out(X, y)
posterior = np.exp(left_out.log_posterior)
right = model.classes_[posterior.argmax(axis=1)] == y
order = np.argsort(-posterior.max(axis=1))
decided = np.arange(1, len(y) + 1)

figure, ax = plt.subplots(layout="constrained")
ax.plot(decided / len(y), 1 - np.cumsum(right[order]) / decided)
ax.set(xlabel="proportion decided, the most confident first", ylabel="error among them")
