"""One import line
===============

Code for scikit-learn's `LinearDiscriminantAnalysis` runs with the drop-in class and gives the same
posteriors. In addition, the class fits in batches, merges models, and accepts missing values.
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
# Two halves of the rows are fitted separately and merged: the model of all rows.
halves = [LinearDiscriminantAnalysis().fit(X[part::2], y[part::2]) for part in (0, 1)]
merged = halves[0].merge(halves[1])
print(f"merged: coefficients differ by {np.abs(merged.coef_ - ours.coef_).max():.0e} at most")

# %%
# With a tenth of the values missing, the others are used, in fitting and in prediction.
lacking = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
incomplete = LinearDiscriminantAnalysis().fit(lacking, y)
print(f"with missing values: accuracy {incomplete.score(lacking, y):.1%}")

# %%
# Classes that share a covariance differ along k − 1 axes at most, Fisher's linear discriminants.

figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
for code, name in enumerate(load_wine().target_names):
    axes.scatter(*ours.transform(X[y == code]).T, s=12, label=name)
axes.set(xlabel="first discriminant axis", ylabel="second")
axes.legend()
