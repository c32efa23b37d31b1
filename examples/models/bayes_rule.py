"""Bayes' rule in three panels
===========================

Densities, densities times priors, and posteriors.
"""

from gaussbayes import GaussianClassifier, plots

X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
y = list("AAAAABBB")
model = GaussianClassifier().fit(X, y)
print("p(A), p(B):", model.priors_)
print("p(A | 4.8), p(B | 4.8):", model.predict_proba([[4.8]])[0].round(3))
plots.univariate(model, X, y)[-1].set_xlabel("petal length (cm)")
