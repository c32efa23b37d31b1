"""Counts
======

Counts are not Gaussian: a Poisson distribution puts no probability on negative values.
"""

import numpy as np

from gaussbayes import GaussianClassifier, plots

generator = np.random.default_rng(0)
y = np.repeat(["quiet", "busy"], 300)
X = generator.poisson(np.where(y == "quiet", 1.2, 4.0))[:, None].astype(float)

counts = GaussianClassifier(families={0: "poisson"}).fit(X, y).with_feature_names(["calls"])
gaussian = GaussianClassifier().fit(X, y)
for name, model in [("Poisson", counts.with_feature_names(None)), ("Gaussian", gaussian)]:
    print(f"{name:>8}: log loss {model.leave_one_out(X, y).evaluation.log_loss:.4f}")
plots.densities(counts, X, y)
