"""Batches, merging, and a new class
=================================

Rows arrive in batches, from several places, with a class that appears late.

The model is the same as if all rows had been available at once.
"""

import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset, plots

X, y = make_gaussian_dataset(
    [4000, 4000, 2000], [[-5, -5], [5, -5], [0, 5]], random_state=0, shuffle=True
)

# One batch after another; only a small summary of each class is kept.
stream = GaussianClassifier()
for start in range(0, len(X), 250):
    batch = slice(start, start + 250)
    stream.partial_fit(X[batch], y[batch])

# Two places that each saw a half send their models, not their rows.
here = GaussianClassifier().fit(X[::2], y[::2])
there = GaussianClassifier().fit(X[1::2], y[1::2])
here.merge(there)

at_once = GaussianClassifier().fit(X, y)
for name, model in [("batches", stream), ("merged", here)]:
    apart = np.abs(model.covariances_ - at_once.covariances_).max()
    print(f"{name:>8}: covariances differ from one fit by {apart:.1e} at most")

# A class that was never announced joins with its first rows; the others stay as they are.
late = np.random.default_rng(1).normal([12.0, 12.0], 1.0, size=(500, 2))
stream.partial_fit(late, np.full(500, 3))
print("classes now:", stream.classes_.tolist())
print("the point (12, 12) is of class", stream.predict([[12.0, 12.0]])[0])

# %%
plots.regions(stream, X[::20], y[::20]).set(xlabel="x₁", ylabel="x₂")
