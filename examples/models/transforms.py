"""Skewed features
===============

Incomes and durations are not Gaussian; their logarithms nearly are. The density of the original
values follows from that of the transformed ones.
"""

import numpy as np

from gaussbayes import Columns, GaussianClassifier, plots

generator = np.random.default_rng(0)
y = np.repeat(["rents", "owns"], 400)
X = np.exp(generator.normal([[0.3, 0.0]] * 400 + [[1.2, 0.5]] * 400, [0.6, 0.9]))
names = Columns(names=["income", "years"])
plain = GaussianClassifier(shared=True, columns=names).fit(X, y)
logarithm = GaussianClassifier(shared=True, transforms="log", columns=names).fit(X, y)
for name, model in [("as they are", plain), ("logarithms", logarithm)]:
    loss = model.leave_one_out(X, y).evaluation.log_loss
    print(f"{name:>12}: log loss {loss:.3f}")
plots.densities(plain, X, y, features="income")

# %%
plots.densities(logarithm, X, y, features="income")
