"""Bayes' rule in three panels
===========================

Densities, densities times priors, and posteriors.
"""

import matplotlib.pyplot as plt

from gaussbayes import GaussianClassifier, plots

X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
y = list("AAAAABBB")
model = GaussianClassifier().fit(X, y)
print("p(A), p(B):", model.priors_)
print("p(A | 4.8), p(B | 4.8):", model.predict_proba([[4.8]])[0].round(3))

figure, axes = plt.subplots(3, 1, figsize=(7, 8), sharex=True, layout="constrained")
plots.densities(model, X, y, ax=axes[0])
plots.joint(model, X, y, ax=axes[1], legend=False)
plots.posterior(model, X, y, ax=axes[2], legend=False)
axes[2].set_xlabel("petal length (cm)")
