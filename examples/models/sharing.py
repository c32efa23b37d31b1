"""Quadratic or linear boundaries
==============================

With own covariances the boundaries are conics (QDA). With a shared one the quadratic terms of the
log-odds cancel, and the boundaries are linear (LDA).
"""

import pandas as pd

from gaussbayes import make_gaussian_dataset, plots

X, y = make_gaussian_dataset(
    [120, 120],
    [[0, 0], [2.5, 1]],
    [[[1, 0.7], [0.7, 1]], [[2.5, -0.8], [-0.8, 0.6]]],
    random_state=2,
)
plots.sharing(pd.DataFrame(X, columns=["x₁", "x₂"]), y)
