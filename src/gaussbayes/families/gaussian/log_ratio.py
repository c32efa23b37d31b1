"""The log ratio of two classes: what each feature adds to it, and where it is 0.

It is a quadratic of the row, ``g(x) = ½ xᵀA x + bᵀx + c``. What feature i adds to it on the way
from a reference point r to x is its Shapley value: the mean, over all orders in which the features
may change from r's values to x's one after the other, of the change that i brings. For a quadratic
that mean has a closed form, by the gradient of g halfway between the two points:

    φᵢ = (xᵢ − rᵢ)(bᵢ + ½ Σⱼ Aᵢⱼ (xⱼ + rⱼ)) = (xᵢ − rᵢ) ∂g/∂xᵢ((x + r) / 2),   Σ φᵢ = g(x) − g(r)
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.protocol import Reference

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


def contributions(
    density: "GaussianDensity", row: Rows, pair: tuple[int, int], reference: Reference | None
) -> tuple[float, FloatArray]:
    """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each feature's (d,).

    Together they are the log ratio at the row but for rounding, a few ε of the values themselves
    and of the squared distances of both points; where features are nearly collinear these are far
    larger than their sum. Features that are missing are integrated out, and add 0. All is worked
    out about the density's centre, so that a huge common offset costs no digit. Without a
    reference, it is the mean of the classes' means.
    """
    if reference is None:
        reference = Reference(weights=np.full(density.n_classes, 1.0 / density.n_classes))
    x = np.asarray(row.matrix[0], dtype=np.float64)
    seen = np.flatnonzero(~np.isnan(x))
    amounts = np.zeros(x.size)
    if not seen.size:
        return 0.0, amounts
    place = x[seen] - density.center[seen]
    origin = reference.offset(density.offset, density.center)[seen]
    two = density.selected(pair)
    if seen.size < x.size:
        two = two.marginal(seen.tolist(), Schema(np.arange(2), seen.size))
    two = replace(two, center=np.zeros(seen.size))
    first, second = two.score(number_rows(origin[None]), np.zeros(2), None, "log_ratio")[0]
    if np.isneginf(first) and np.isneginf(second):
        msg = (
            f"the reference point {(origin + density.center[seen]).tolist()!r:.200} is so far from "
            "both classes that the square of the distance overflows; are its units those of the "
            "training rows?"
        )
        raise DataError(msg)
    amounts[seen] = (place - origin) * _gradient(two, place + (origin - place) / 2)
    return float(first - second), amounts


def _gradient(two: "GaussianDensity", point: FloatArray) -> FloatArray:
    """``∂g/∂x = Σ_b⁻¹ (x − mean_b) − Σ_a⁻¹ (x − mean_a)`` (d,) of two classes at a point."""
    shape, offset = two.covariance, two.offset
    if two.shared:  # x cancels: the log ratio is linear
        return shape.times_precision(offset[0] - offset[1])
    return shape.times_precision(offset[0] - point, 0) - shape.times_precision(offset[1] - point, 1)


def crossings(density: "GaussianDensity", pair: tuple[int, int], constant: float) -> FloatArray:
    """The points x, sorted, at which ``log p(x | a) − log p(x | b) + constant`` is 0; one feature.

    Unequal variances give two (the wider class wins again far out), or none when one class always
    wins; equal variances give one. In units of b's standard deviation and measured from a's mean,
    with ``r = σ_b / σ_a`` and the means Δ apart, they are roots of
    ``½ (1 − r²) v² − Δ v + (c + ½ Δ²)``, where ``c = constant + log r``. The discriminant is taken
    as ``r² Δ² − 2 (1 − r²) c``, from which the two large squares have been cancelled by hand.
    """
    k, d = density.offset.shape
    if d != 1:
        msg = f"two classes are equally probable at single points of 1 feature; this model has {d}"
        raise ParameterError(msg)
    a, b = pair
    whitener = np.broadcast_to(density.covariance.whitener.reshape(-1), (k,))
    ratio = float(whitener[a] / whitener[b])
    apart = float((density.offset[b, 0] - density.offset[a, 0]) * whitener[b])
    roots = _roots(ratio, apart, constant + math.log(ratio))
    points: FloatArray = density.center[0] + (density.offset[a, 0] + roots / whitener[b])
    return np.sort(points)


def _roots(ratio: float, apart: float, constant: float) -> FloatArray:
    """The real roots of ``½ (1 − r²) v² − Δ v + (c + ½ Δ²)``."""
    half_square = 0.5 * (1.0 - ratio) * (1.0 + ratio)
    level = constant + 0.5 * apart * apart
    if half_square == 0.0:
        roots = [level / apart] if apart != 0.0 else []
    else:
        discriminant = (ratio * apart) * (ratio * apart) - 4.0 * half_square * constant
        if discriminant < 0.0:
            return np.empty(0)
        # Of −b ± √… only the sum without cancellation is formed; the other root is c over it.
        larger = 0.5 * (apart + math.copysign(math.sqrt(discriminant), apart))
        if larger == 0.0:
            return np.zeros(1)
        roots = [level / larger, larger / half_square]
        if discriminant == 0.0:
            roots.pop()
    # Nearly equal variances put one root beyond every number: only the near one is a boundary.
    return np.array([root for root in roots if math.isfinite(root)])
