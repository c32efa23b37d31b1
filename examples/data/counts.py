"""Counts
======

Counts are not Gaussian: a Poisson distribution puts no probability on negative values.
"""

import numpy as np

from gaussbayes import Columns, GaussianClassifier, plots

generator = np.random.default_rng(0)
y = np.repeat(["quiet", "busy"], 300)
X = generator.poisson(np.where(y == "quiet", 1.2, 4.0))[:, None].astype(float)

calls = Columns(names=["calls"])
counts = GaussianClassifier(families={"calls": "poisson"}, columns=calls).fit(X, y)
gaussian = GaussianClassifier(columns=calls).fit(X, y)
for name, model in [("Poisson", counts), ("Gaussian", gaussian)]:
    print(f"{name:>8}: log loss {model.leave_one_out(X, y).evaluation.log_loss:.4f}")
plots.densities(counts, X, y)
