"""Standard errors of a Gaussian's estimates: how far a random result may be from the truth.

For n rows from N(mean, Σ) these are the square roots of ``Σ_ii / n`` for a mean, of
``(Σ_ii Σ_jj + Σ_ij²) / n`` for a covariance, and of ``p (1 − p) / n`` for a proportion.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.lessons.lesson import Numbers, Result


def of_means(covariances: ArrayLike, n: int) -> Numbers:
    """Standard errors of means (k, d), from the true covariances (k, d, d).

    Examples
    --------
    >>> of_means([[[4.0]]], 100)
    [[0.2]]
    """
    variance = np.einsum("kii->ki", np.asarray(covariances, dtype=np.float64))
    errors: Numbers = np.sqrt(variance / n).tolist()
    return errors


def of_covariances(covariances: ArrayLike, n: int) -> Numbers:
    """Standard errors of covariances (k, d, d), to first order in 1/n."""
    covariance = np.asarray(covariances, dtype=np.float64)
    variance = np.einsum("kii->ki", covariance)
    products = variance[:, :, None] * variance[:, None, :]
    errors: Numbers = np.sqrt((products + covariance**2) / n).tolist()
    return errors


def of_proportion(proportion: float, n: int) -> float:
    """Standard error of a proportion of n independent cases.

    Examples
    --------
    >>> of_proportion(0.5, 100)
    0.05
    """
    return float(np.sqrt(proportion * (1.0 - proportion) / n))


def percentage(
    name: str,
    compute: Callable[[], float],
    right: float,
    n: int,
    *,
    decimals: int = 3,
    handout: float | None = None,
) -> Result:
    """A proportion of n random cases, in per cent.

    Examples
    --------
    >>> result = percentage("heads", lambda: 53.0, right=50.0, n=100)
    >>> result.standard_error, result.agrees(result.value())
    (5.0, True)
    """
    error = 100.0 * of_proportion(right / 100.0, n)
    return Result(name, compute, right, decimals, handout, standard_error=error, unit="%")
