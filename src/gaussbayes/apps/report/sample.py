"""Some rows of many, in which every class keeps its share and at least one row."""

import numpy as np
from numpy.typing import NDArray


def stratified(codes: NDArray[np.intp], most: int, seed: int, least: int = 1) -> NDArray[np.intp]:
    """The numbers of at most so many rows, in order; all of them if there are no more.

    A class has its share of the sample, rounded, but keeps `least` rows if it has as many; only
    where that alone is more than `most` is the sample larger.

    Examples
    --------
    >>> codes = np.array([0] * 90 + [1] * 9 + [2])
    >>> rows = stratified(codes, 20, seed=0)
    >>> np.bincount(codes[rows]).tolist()
    [18, 1, 1]
    """
    n = codes.size
    if n <= most:
        return np.arange(n)
    there, counts = np.unique(codes, return_counts=True)
    exact = counts * (most / n)
    fewest = np.minimum(counts, least)
    quota = np.maximum(fewest, exact.astype(np.intp))
    left = max(0, most - int(quota.sum()))
    for place in np.argsort(quota - exact, kind="stable")[:left]:
        quota[place] += 1
    # The classes that were given more than their share take it from those with most to spare.
    for _ in range(max(0, int(quota.sum()) - most)):
        spare = quota - fewest
        quota[spare.argmax()] -= spare.max() > 0
    generator = np.random.default_rng(seed)
    chosen = [
        generator.choice(np.flatnonzero(codes == code), size=size, replace=False)
        for code, size in zip(there, quota, strict=True)
    ]
    return np.sort(np.concatenate(chosen))
