"""Scatter → shrunk covariance: without shrinkage, by a number, or by an estimated intensity.

    Σ_s = (1 − s) Σ + s (tr(D^-½ Σ D^-½) / d) D

D has the variances of the pooled covariance: in units of the features' deviations within classes,
covariances are shrunk towards the spherical one of equal trace, so that the result does not depend
on units. In a shared covariance only the correlations are shrunk. With the spherical target D is
the identity, for features in the same unit. Shrinkage acts on the estimate and never changes the
statistics, so it can be changed without the rows.

If EM has no maximum because a covariance becomes singular, a penalty represents shrinkage.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, ShrinkageTarget
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Shape
from gaussbayes.families.removal import LEAST_LEFT, Removal

Shrinkage: TypeAlias = float | Literal["oas"] | None

LEAST_WITHIN = 1e-6
"""The target variance within classes is at least this proportion of the variance over all rows."""

_MOST = 0.999  # the largest intensity of a penalty; with 1 the rows would be ignored


def target_squares(
    within: FloatArray, overall: FloatArray, mean: FloatArray, weight: FloatArray
) -> FloatArray:
    """The diagonal target as sums of squares (…, d), above 0, of rows of some weight (…).

    They are those within classes. For a feature that varies only between classes, it is a millionth
    of the overall sum. A feature that does not vary at all gets a variance so large, in units of
    its only value (d,), that it adds nothing.

    Examples
    --------
    >>> within, overall = np.array([6.0, 0.0, 0.0]), np.array([9.0, 4.0, 0.0])
    >>> target_squares(within, overall, np.array([1.0, 1.0, 5.0]), np.array(3.0)).tolist()
    [6.0, 4e-06, 75000000.0]
    """
    with np.errstate(over="ignore"):
        constant = np.minimum(np.square(np.where(mean != 0, mean, 1.0)) / LEAST_WITHIN, 1e300)
    squares = np.maximum(within, LEAST_WITHIN * overall)
    return np.where(overall > 0, squares, weight[..., None] * constant)


def target_of(moments: ClassMoments) -> FloatArray:
    """The diagonal target (d,) of complete rows as sums of squares; see `target_squares`."""
    within = moments.squares.sum(axis=0)
    together = moments.together()
    overall = together.squares[0]
    return target_squares(within, overall, together.mean[0], together.weight[0])


def target_variances(target: ShrinkageTarget, moments: ClassMoments) -> FloatArray | None:
    """The target variances (d,) of complete rows, up to a factor; None if they are all equal."""
    return target_of(moments) if target == "diagonal" else None


def targets_without(
    moments: ClassMoments, unit: FloatArray, X: FloatArray, removal: Removal
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Sums of squares within classes without each row (n, d), and diagonal targets of these (n, d).

    They are in units (d,) of the features; see `target_squares`. Also whether enough remains (n,).
    """
    together = moments.together()
    overall = together.squares[0] / np.square(unit)
    within = moments.scatters("diagonal", shared=True)[0] / np.square(unit)
    y, apart = moments.deviation(X, removal.codes) / unit, together.deviation(X, 0) / unit
    factor = removal.lost * (removal.total + removal.lost) / removal.total
    left = within - removal.factor[:, None] * np.square(y)
    left_overall = overall - factor[:, None] * np.square(apart)
    target = target_squares(left, left_overall, together.mean[0] / unit, removal.total)
    enough = (left >= LEAST_LEFT * within) & (left_overall >= LEAST_LEFT * overall)
    return left, target, enough.all(axis=1)


def shrink(
    covariance: FloatArray,
    shrinkage: Shrinkage | FloatArray,
    weight: FloatArray,
    target: FloatArray | None = None,
    n_features: int | None = None,
) -> FloatArray:
    """Shrink full covariances (m, d, d), or variances (m, d), of numbers of rows (m,).

    The target is a multiple of the variances `target` (d,), or spherical if None. There is one
    intensity, or one for each (m,). With `n_features` these are d directions of that many features.
    """
    if shrinkage is None:
        return covariance
    m, size = covariance.shape[:2]
    d, unit = (
        n_features or size,
        np.ones(size) if target is None else np.sqrt(np.where(target > 0, target, 1.0)),
    )
    full = covariance.ndim == 3
    if isinstance(shrinkage, str):
        square = unit[:, None] * unit if full else np.square(unit)
        each = [  # one at a time: full covariances may be large
            oas_intensity(covariance[c : c + 1] / square, weight[c : c + 1], d) for c in range(m)
        ]
        intensity = np.concatenate(each)
    else:
        intensity = np.broadcast_to(shrinkage, m)
    variance = np.einsum("mii->mi", covariance) if full else covariance
    trace = np.asarray((variance / np.square(unit)).sum(axis=1))
    shrunk: FloatArray = covariance * (1.0 - intensity).reshape((m,) + (1,) * (covariance.ndim - 1))
    diagonal = np.einsum("mii->mi", shrunk) if full else shrunk
    diagonal += (intensity * trace / d)[:, None] * np.square(unit)
    return shrunk


def oas_intensity(
    covariance: FloatArray, weight: FloatArray, n_features: int | None = None
) -> FloatArray:
    """The oracle approximating shrinkage intensity (m,) of Chen, Wiesel, Eldar and Hero (2010).

    ``min(1, ((1 − 2/d) tr(Σ²) + tr²(Σ)) / ((n + 1 − 2/d) (tr(Σ²) − tr²(Σ)/d)))``, their equation
    23, for n rows. scikit-learn's `oas` leaves the two terms 2/d out, which matters for few
    features.
    """
    m, d = len(covariance), n_features or covariance.shape[1]
    variance = np.einsum("mii->mi", covariance) if covariance.ndim == 3 else covariance
    trace = np.asarray(variance.sum(axis=1))
    # In units in which the mean variance is 1, so that squares neither overflow nor vanish.
    unit = np.where(trace > 0, trace / d, 1.0)
    squares = np.square(covariance.reshape(m, -1) / unit[:, None]).sum(axis=1)
    return oas_by_traces(trace / unit, squares, d, weight)


def oas_by_traces(
    trace: FloatArray, squares: FloatArray, n_features: int, weight: FloatArray
) -> FloatArray:
    """The intensity of `oas_intensity` (m,) by ``tr Σ`` and ``tr Σ²`` of d features."""
    d, unit = n_features, np.where(trace > 0, trace / n_features, 1.0)
    scaled = squares / np.square(unit)
    above = (1.0 - 2.0 / d) * scaled + d**2
    below = (weight + 1.0 - 2.0 / d) * (scaled - d)
    # Already spherical: nothing to shrink towards, any intensity gives the same.
    intensity = np.divide(above, below, out=np.ones_like(above), where=below > 0)
    return np.asarray(np.minimum(1.0, intensity))


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """A penalty that keeps shrunk covariances from becoming singular.

    ``ν/2 (log |Σ T⁻¹| + tr(Σ⁻¹ T) − d)`` is, up to a constant, the negative log-likelihood of ν
    pseudo-rows with scatter ν T about the mean. The most likely covariance is then ``(scatter + ν
    T) / (weight + ν)``: shrinkage towards T with intensity ``ν / (weight + ν)``.
    """

    weight: FloatArray  # (m,) ν
    target: FloatArray  # (m, d) T, variances

    def log_penalty(self, shape: Shape) -> float:
        """The term that it adds to a log-likelihood: 0 at its target, negative elsewhere."""
        traces = (self.target * shape.precision).sum(axis=1)
        excess = shape.log_det - np.log(self.target).sum(axis=1) + traces - shape.n_features
        return -0.5 * float(self.weight @ excess)

    def selected(self, code: int) -> "Penalty":
        return Penalty(self.weight[code : code + 1], self.target[code : code + 1])

    def added(self, scatter: FloatArray) -> FloatArray:
        """Scatters (m, d, d), or sums of squares (m, d), with those of its pseudo-rows."""
        total = scatter.copy()
        diagonal = np.einsum("mii->mi", total) if total.ndim == 3 else total
        diagonal += self.weight[:, None] * self.target
        return total


def penalty_of(
    shrinkage: Shrinkage,
    variance: FloatArray,
    weight: FloatArray,
    target: FloatArray | None = None,
) -> Penalty | None:
    """The penalty for the shrinkage of rows with these variances (m, d) and weights (m,).

    Its target is a multiple of given variances (d,), or spherical if None, as in `shrink`. None
    without shrinkage, for an intensity of 0, or if the target is singular.
    """
    unit = np.ones(variance.shape[1]) if target is None else target
    if not shrinkage or not (unit > 0).all():
        return None
    scaled = variance / unit
    mean = scaled.mean(axis=1)
    if not (mean > 0).all():
        return None
    intensity = oas_intensity(scaled, weight) if isinstance(shrinkage, str) else float(shrinkage)
    proportion = np.minimum(intensity, _MOST)
    return Penalty(weight * proportion / (1.0 - proportion), mean[:, None] * unit)
