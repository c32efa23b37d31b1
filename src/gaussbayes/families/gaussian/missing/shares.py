"""Priors as part of a vector of parameters: any numbers stand for some."""

import numpy as np

from gaussbayes.base.types import FloatArray


def packed_shares(prior: FloatArray) -> FloatArray:
    """Logarithms of priors (k,), all positive.

    Examples
    --------
    >>> packed_shares(np.array([1.0])).tolist()
    [0.0]
    """
    logs: FloatArray = np.log(prior)
    return logs


def unpacked_shares(
    x: FloatArray, held: FloatArray | None, k: int
) -> tuple[FloatArray, FloatArray]:
    """The priors (k,) at the head of a vector, or those that are held, and the rest of it.

    Examples
    --------
    >>> prior, rest = unpacked_shares(np.array([0.0, 0.0, 7.0]), None, 2)
    >>> prior.tolist(), rest.tolist()
    ([0.5, 0.5], [7.0])
    """
    if held is not None:
        return held, x
    shares = np.exp(x[:k] - x[:k].max())
    return shares / shares.sum(), x[k:]
