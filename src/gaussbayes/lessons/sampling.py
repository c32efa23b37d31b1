"""How far a random figure may be from the truth: standard errors of a Gaussian's estimates.

For n rows from N(mean, Σ) these are the square roots of ``Σ_ii / n`` for a mean, of
``(Σ_ii Σ_jj + Σ_ij²) / n`` for a covariance, and of ``p (1 − p) / n`` for a share.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.lessons.lesson import Figure, Numbers


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


def of_share(share: float, n: int) -> float:
    """Standard error of a share of n independent cases.

    Examples
    --------
    >>> of_share(0.5, 100)
    0.05
    """
    return float(np.sqrt(share * (1.0 - share) / n))


def percentage(
    name: str,
    compute: Callable[[], float],
    right: float,
    n: int,
    *,
    decimals: int = 3,
    sheet: float | None = None,
) -> Figure:
    """The figure of a share of n random cases, in per cent.

    Examples
    --------
    >>> figure = percentage("heads", lambda: 53.0, right=50.0, n=100)
    >>> figure.standard_error, figure.agrees(figure.value())
    (5.0, True)
    """
    error = 100.0 * of_share(right / 100.0, n)
    return Figure(name, compute, right, decimals, sheet, standard_error=error, unit="%")
