"""Two classes: the log ratio of their Gaussians, and the contribution of each feature.

The log ratio is a quadratic of the row, ``g(x) = ½ xᵀA x + bᵀx + c``. The contribution of feature
i, from a reference point r to x, is its Shapley value: the mean change of g when feature i changes
from r's value to x's, over all orders in which the features may change. For a quadratic the mean
has a closed form, the gradient of g halfway between the two points:

    φᵢ = (xᵢ − rᵢ)(bᵢ + ½ Σⱼ Aᵢⱼ (xⱼ + rⱼ)) = (xᵢ − rᵢ) ∂g/∂xᵢ((x + r) / 2),   Σ φᵢ = g(x) − g(r)

For Student-t densities the mean gradient on the line from r to x replaces the one halfway: these
are Aumann-Shapley values, which sum to g(x) − g(r) as well.
"""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.tails import line_integrals

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


def contributions(
    density: "GaussianDensity",
    row: Rows,
    pair: tuple[int, int],
    reference: FloatArray | None,
) -> tuple[float, FloatArray]:
    """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each feature's (d,).

    They sum to the log ratio at the row up to rounding, a few ε of the values themselves and of the
    squared distances of both points; with nearly collinear features these are far larger than their
    sum. Missing features are integrated out, and add 0. Computations are relative to the density's
    centre, so that a huge common offset loses no digits. The default reference is the mean of the
    classes' means.
    """
    if reference is None:
        reference = np.full(density.n_classes, 1.0 / density.n_classes)
    x = np.asarray(row.matrix[0], dtype=np.float64)
    seen = np.flatnonzero(~np.isnan(x))
    amounts = np.zeros(x.size)
    if not seen.size:
        return 0.0, amounts
    center, offset = density.located
    place, origin = x[seen] - center[seen], (reference @ offset)[seen]
    two = density.selected(pair)
    if seen.size < x.size:
        two = two.marginal(seen.tolist(), Schema(np.arange(2), seen.size))
    two = two.centred
    first, second = two.score(number_rows(origin[None]), np.zeros(2), None, "log_ratio")[0]
    if np.isneginf(first) and np.isneginf(second):
        msg = (
            f"the reference point {(origin + center[seen]).tolist()!r:.200} is so far from "
            "both classes that the square of the distance overflows; are its units those of the "
            "training rows?"
        )
        raise DataError(msg)
    step = place - origin
    gradient = _gradient_along(two, 0, origin, step) - _gradient_along(two, 1, origin, step)
    if two.shared:  # the square of x cancels: the log ratio is linear
        _, (one, other) = two.located
        gradient = two.times_precision(one - other)
    amounts[seen] = step * gradient
    return float(first - second), amounts


def _gradient_along(
    density: "GaussianDensity", code: int, origin: FloatArray, step: FloatArray
) -> FloatArray:
    """The mean gradient (d,) of a class's log density along ``origin + α step``.

    For Student-t densities it is an integral over ``q(α) = ν + u(origin + α step) = A α² + 2 B α +
    C``.
    """
    apart = origin - density.located[1][code]
    if density.degrees is None:
        return -density.times_precision(apart + 0.5 * step, code)
    nu = float(density.degrees[code])
    start, move = density.whiten(apart, code), density.whiten(step, code)
    products = float(move @ move), float(start @ move), nu + float(start @ start)
    plain, rising = line_integrals(*products)
    gradient = density.times_precision(plain * apart + rising * step, code)
    return np.asarray(-(nu + apart.size) * gradient)
