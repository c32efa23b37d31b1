"""Random samples of rows in which no class is lost."""

import numpy as np
from numpy.typing import NDArray


def stratified(codes: NDArray[np.intp], most: int, seed: int, least: int = 1) -> NDArray[np.intp]:
    """The indices of at most `most` rows, in order; all of them if there are no more.

    A class keeps its proportion, rounded, but has at least `least` rows if there are as many; only
    where that alone exceeds `most` is the sample larger.

    >>> codes = np.array([0] * 90 + [1] * 9 + [2])
    >>> np.bincount(codes[stratified(codes, 20, seed=0)]).tolist()
    [18, 1, 1]
    """
    n = codes.size
    if n <= most:
        return np.arange(n)
    present, counts = np.unique(codes, return_counts=True)
    exact = counts * (most / n)
    fewest = np.minimum(counts, least)
    quota = np.maximum(fewest, exact.astype(np.intp))
    remaining = max(0, most - int(quota.sum()))
    quota[np.argsort(quota - exact, kind="stable")[:remaining]] += 1
    # Classes that got more than their proportion take it from those with most to spare.
    for _ in range(max(0, int(quota.sum()) - most)):
        spare = quota - fewest
        quota[spare.argmax()] -= spare.max() > 0
    generator = np.random.default_rng(seed)
    chosen = [
        generator.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in zip(present, quota, strict=True)
    ]
    return np.sort(np.concatenate(chosen))
