"""Where a Gaussian of two features has a given density: ellipses of equal Mahalanobis distance.

A radius of 1 is "one standard deviation": in two dimensions it holds only 39 % of the probability,
not the 68 % of one dimension.
"""

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray

N_POINTS = 181
"""Two degrees between neighbouring points, the last being the first."""


def ellipse(
    mean: FloatArray, covariance: FloatArray, radius: float, n_points: int = N_POINTS
) -> FloatArray:
    """Points (n_points, 2) at this Mahalanobis distance from the mean, once around.

    With the Cholesky factor ``Σ = L Lᵀ`` they are ``mean + radius · L (cos t, sin t)``, for which
    ``(x − mean)ᵀ Σ⁻¹ (x − mean) = radius²``.

    Examples
    --------
    >>> points = ellipse(np.zeros(2), np.diag([4.0, 1.0]), radius=2.0, n_points=5)
    >>> points.round(12).tolist()
    [[4.0, 0.0], [0.0, 2.0], [-4.0, 0.0], [-0.0, -2.0], [4.0, -0.0]]
    """
    angle = np.linspace(0.0, 2.0 * np.pi, n_points)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points: FloatArray = mean + radius * circle @ np.linalg.cholesky(covariance).T
    return points


def radius_of_mass(mass: ArrayLike, n_features: int = 2) -> FloatArray:
    """The Mahalanobis radius within which a Gaussian has this much of its probability.

    The squared distance follows the χ² distribution with as many degrees of freedom as features;
    for two, ``radius = √(−2 log (1 − mass))``.
    """
    from scipy.stats import chi2

    proportion = np.asarray(mass, dtype=np.float64)
    if not ((proportion > 0.0) & (proportion < 1.0)).all():
        msg = f"a probability mass is between 0 and 1, got {mass!r}"
        raise OptionError(msg)
    radius: FloatArray = np.sqrt(chi2.ppf(proportion, n_features))
    return radius


def mass_of_radius(radius: ArrayLike, n_features: int = 2) -> FloatArray:
    """How much of a Gaussian's probability lies within a Mahalanobis radius."""
    from scipy.stats import chi2

    mass: FloatArray = chi2.cdf(np.square(np.asarray(radius, dtype=np.float64)), n_features)
    return mass
