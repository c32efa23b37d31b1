"""One import line
===============

Code that was written for scikit-learn's `LinearDiscriminantAnalysis` runs with ours in its place,
and gives the same posteriors. It can then do what it could not before: learn in parts, merge
models, and take rows in which values are missing.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn import discriminant_analysis
from sklearn.datasets import load_wine

from gaussbayes.sklearn import LinearDiscriminantAnalysis

X, y = load_wine(return_X_y=True)
theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
ours = LinearDiscriminantAnalysis().fit(X, y)
apart = np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max()
print(f"posteriors differ by {apart:.0e} at most")

# %%
# Two halves of the rows, learnt apart, then merged: the model of all of them.
halves = [LinearDiscriminantAnalysis().fit(X[part::2], y[part::2]) for part in (0, 1)]
merged = halves[0].merge(halves[1])
print(f"merged: coefficients differ by {np.abs(merged.coef_ - ours.coef_).max():.0e} at most")

# %%
# A tenth of the values is taken away: those that are left are used, in fitting and in scoring.
lacking = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
incomplete = LinearDiscriminantAnalysis().fit(lacking, y)
print(f"with missing values: {incomplete.score(lacking, y):.1%} right")

figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
for code, name in enumerate(load_wine().target_names):
    axes.scatter(*ours.transform(X[y == code]).T, s=12, label=name)
axes.set(xlabel="first discriminant axis", ylabel="second")
axes.legend()
