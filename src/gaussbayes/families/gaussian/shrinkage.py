"""Scatter → regularised covariance: nothing, a number, or the oracle approximating shrinkage.

``Σ_s = (1 − s) Σ + s (tr Σ / d) I``: towards the spherical covariance of equal trace. Shrinkage
acts on the estimate and never touches the statistics, so it can be changed without the rows.

Where EM has no maximum because a covariance becomes singular, a penalty stands for shrinkage.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.structure import Shape

Shrinkage: TypeAlias = float | Literal["oas"] | None

SHRINKAGES: tuple[Shrinkage, ...] = (None, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, "oas")
"""What the automatic choice tries."""

_MOST = 0.999  # the largest intensity of a penalty; with 1 the rows would not count at all


def check_shrinkage(shrinkage: object) -> Shrinkage:
    """The setting, if it is None, ``"oas"`` or a number in [0, 1]."""
    if shrinkage is None or (isinstance(shrinkage, str) and shrinkage == "oas"):
        return "oas" if shrinkage else None
    numbers = int | float | np.integer | np.floating
    if isinstance(shrinkage, numbers) and not isinstance(shrinkage, bool) and 0 <= shrinkage <= 1:
        return float(shrinkage)
    msg = f"shrinkage must be None, a number in [0, 1] or 'oas', got {shrinkage!r}"
    raise ParameterError(msg)


def shrink(covariance: FloatArray, shrinkage: Shrinkage, weight: FloatArray) -> FloatArray:
    """Shrink full covariances (m, d, d), or variances (m, d), estimated from so many rows (m,)."""
    if shrinkage is None:
        return covariance
    m, d = covariance.shape[:2]
    intensity, trace = _intensity(shrinkage, covariance, weight), _trace(covariance)
    shrunk: FloatArray = covariance * (1.0 - intensity).reshape((m,) + (1,) * (covariance.ndim - 1))
    diagonal = np.einsum("mii->mi", shrunk) if shrunk.ndim == 3 else shrunk
    diagonal += (intensity * trace / d)[:, None]
    return shrunk


def _trace(covariance: FloatArray) -> FloatArray:
    """``tr Σ`` (m,)."""
    full = covariance.ndim == 3
    return np.asarray(np.einsum("mii->m", covariance) if full else covariance.sum(axis=1))


def oas_intensity(covariance: FloatArray, weight: FloatArray) -> FloatArray:
    """The oracle approximating shrinkage intensity (m,) of Chen, Wiesel, Eldar and Hero (2010).

    ``min(1, ((1 − 2/d) tr(Σ²) + tr²(Σ)) / ((n + 1 − 2/d) (tr(Σ²) − tr²(Σ)/d)))``, their equation
    23, for n rows. scikit-learn's `oas` leaves the two terms 2/d out, which matters for few
    features.
    """
    (m, d), trace = covariance.shape[:2], _trace(covariance)
    # In units in which the mean variance is 1, so that no square overflows or vanishes: tr Σ = d.
    unit = np.where(trace > 0, trace / d, 1.0)
    scaled = covariance.reshape(m, -1) / unit[:, None]
    squares = np.square(scaled).sum(axis=1)
    above = (1.0 - 2.0 / d) * squares + d**2
    below = (weight + 1.0 - 2.0 / d) * (squares - d)
    # Already spherical: nothing to shrink towards, any intensity gives the same.
    intensity = np.divide(above, below, out=np.ones_like(above), where=below > 0)
    return np.asarray(np.minimum(1.0, intensity))


def _intensity(shrinkage: Shrinkage, covariance: FloatArray, weight: FloatArray) -> FloatArray:
    if shrinkage == "oas":
        return oas_intensity(covariance, weight)
    return np.full(covariance.shape[0], 0.0 if shrinkage is None else float(shrinkage))


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """What keeps covariances from becoming singular where they are to be shrunk anyway.

    ``ν/2 (log |Σ / t| + tr(Σ⁻¹ t) − d)`` is, but for a constant, what ν more rows would take from
    the log-likelihood whose scatter about the mean is ν t I. The most likely covariance is then
    ``(scatter + ν t I) / (weight + ν)``: shrinkage towards t I with intensity ``ν / (weight + ν)``.
    """

    weight: FloatArray  # (m,) ν
    target: FloatArray  # (m,) t, a variance

    def log_penalty(self, shape: Shape) -> float:
        """What it adds to a log-likelihood: 0 at its target, less elsewhere."""
        target, d = self.target, shape.n_features
        traces = target * shape.precision.sum(axis=1)
        excess = shape.log_det - d * np.log(target) + traces - d
        return -0.5 * float(self.weight @ excess)

    def selected(self, code: int) -> "Penalty":
        return Penalty(self.weight[code : code + 1], self.target[code : code + 1])

    def added(self, scatter: FloatArray) -> FloatArray:
        """Scatters (m, d, d), or sums of squares (m, d), with those of the rows it stands for."""
        total = scatter.copy()
        diagonal = np.einsum("mii->mi", total) if total.ndim == 3 else total
        diagonal += (self.weight * self.target)[:, None]
        return total


def penalty_of(shrinkage: Shrinkage, variance: FloatArray, weight: FloatArray) -> Penalty | None:
    """The penalty that stands for shrinkage of rows of these variances (m, d) and weights (m,).

    Its target is spherical, with the mean variance. None without shrinkage, or if that is 0.
    """
    target = variance.mean(axis=1)
    if not shrinkage or not (target > 0).all():
        return None
    proportion = np.minimum(_intensity(shrinkage, variance, weight), _MOST)
    return Penalty(weight * proportion / (1.0 - proportion), target)
