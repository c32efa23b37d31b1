"""Automatic selection
===================

Structure, shrinkage and transforms are selected by leave-one-out log loss, and the posteriors are
calibrated.
"""

import matplotlib.pyplot as plt

from gaussbayes import AutoClassifier
from gaussbayes.datasets import load_iris

iris = load_iris()
model = AutoClassifier().fit(iris.rows, iris.labels)
print(model.selection_)

# %%
# The log losses of all candidates before calibration, in increasing order:
losses = [candidate.log_loss for candidate in model.selection_.candidates]
figure, ax = plt.subplots(layout="constrained")
ax.plot(sorted(loss for loss in losses if loss is not None), marker=".", linestyle="none")
ax.set(xlabel="rank", ylabel="leave-one-out log loss", yscale="log")
