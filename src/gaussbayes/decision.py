"""From posteriors to decisions: by how much a class wins, and which rows are better left open."""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.errors import ParameterError
from gaussbayes.types import RealArray


def margins(log_posterior: RealArray) -> RealArray:
    """By how much each class beats the best other one (n, k).

    ``log p(c | x) − max_{b ≠ c} log p(b | x)``: positive where c is the most probable class, 0 on
    the boundary of its region.

    Examples
    --------
    >>> margins(np.log([[0.5, 0.3, 0.2]])).round(3).tolist()
    [[0.511, -0.511, -0.916]]
    """
    best = np.full(log_posterior.shape[0], -np.inf, dtype=log_posterior.dtype)
    second = best.copy()
    for own in log_posterior.T:  # far quicker than sorting each row
        np.maximum(second, np.minimum(best, own), out=second)
        np.maximum(best, own, out=best)
    # Of several equally good classes each has a rival as good as itself: best = second.
    rival = np.where(log_posterior == best[:, None], second[:, None], best[:, None])
    result: RealArray = log_posterior - rival
    return result


def rejected(posterior: RealArray, threshold: float) -> NDArray[np.bool_]:
    """The rows (n,) whose most probable class is less probable than the threshold.

    Examples
    --------
    >>> rejected(np.array([[0.5, 0.5], [0.9, 0.1]]), 0.8).tolist()
    [True, False]
    """
    if not 0.0 <= threshold <= 1.0:
        msg = f"a row is rejected below a probability from 0 to 1, got {threshold!r}"
        raise ParameterError(msg)
    return np.asarray(posterior.max(axis=1) < threshold)
