"""Scatter → regularised covariance: nothing, a number, or the oracle approximating shrinkage.

``Σ_s = (1 − s) Σ + s (tr Σ / d) I``: towards the spherical covariance of equal trace. Shrinkage
acts on the estimate and never touches the moments, so it can be changed without the rows.
"""

from typing import Literal, TypeAlias

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray

Shrinkage: TypeAlias = float | Literal["oas"] | None


def check_shrinkage(shrinkage: object) -> Shrinkage:
    """The setting, if it is None, ``"oas"`` or a number in [0, 1].

    Examples
    --------
    >>> check_shrinkage(0.5)
    0.5
    """
    if shrinkage is None:
        return None
    if isinstance(shrinkage, str) and shrinkage == "oas":
        return "oas"
    numbers = int | float | np.integer | np.floating
    if not isinstance(shrinkage, bool) and isinstance(shrinkage, numbers):
        intensity = float(shrinkage)
        if 0 <= intensity <= 1:
            return intensity
    msg = f"shrinkage is None, a number in [0, 1] or 'oas', got {shrinkage!r}"
    raise ParameterError(msg)


def shrink(covariance: FloatArray, shrinkage: Shrinkage, weight: FloatArray) -> FloatArray:
    """Shrink full covariances (m, d, d), or variances (m, d) of diagonal ones.

    Parameters
    ----------
    weight : (m,) how many rows each covariance was estimated from

    Examples
    --------
    >>> shrink(np.array([[4.0, 2.0]]), 0.5, np.array([10.0])).tolist()
    [[3.5, 2.5]]
    """
    if shrinkage is None:
        return covariance
    m, d = covariance.shape[:2]
    oas = shrinkage == "oas"
    intensity = oas_intensity(covariance, weight) if oas else np.full(m, shrinkage)
    full = covariance.ndim == 3
    trace = np.einsum("mii->m", covariance) if full else covariance.sum(axis=1)
    shrunk: FloatArray = covariance * (1.0 - intensity).reshape((m,) + (1,) * (covariance.ndim - 1))
    diagonal = np.einsum("mii->mi", shrunk) if full else shrunk
    diagonal += (intensity * trace / d)[:, None]
    return shrunk


def oas_intensity(covariance: FloatArray, weight: FloatArray) -> FloatArray:
    """The oracle approximating shrinkage intensity (m,) of Chen, Wiesel, Eldar and Hero (2010).

    ``min(1, ((1 − 2/d) tr(Σ²) + tr²(Σ)) / ((n + 1 − 2/d) (tr(Σ²) − tr²(Σ)/d)))``, their equation
    23, for n rows. scikit-learn's `oas` leaves the two terms 2/d out, which matters for few
    features.

    Examples
    --------
    >>> oas_intensity(np.array([[3.0, 1.0]]), np.array([4.0])).tolist()
    [1.0]
    """
    m, d = covariance.shape[:2]
    full = covariance.ndim == 3
    trace = np.einsum("mii->m", covariance) if full else covariance.sum(axis=1)
    # In units in which the mean variance is 1, so that no square overflows or vanishes: tr Σ = d.
    unit = np.where(trace > 0, trace / d, 1.0)
    scaled = covariance.reshape(m, -1) / unit[:, None]
    squares = np.square(scaled).sum(axis=1)
    above = (1.0 - 2.0 / d) * squares + d**2
    below = (weight + 1.0 - 2.0 / d) * (squares - d)
    # Already spherical: nothing to shrink towards, any intensity gives the same.
    intensity = np.divide(above, below, out=np.ones_like(above), where=below > 0)
    return np.asarray(np.minimum(1.0, intensity))
