"""What each feature adds to the log ratio of two classes, compared with a reference point.

The log ratio is a quadratic of the row, ``g(x) = ½ xᵀA x + bᵀx + c``. What feature i adds to it on
the way from a reference point r to x is its Shapley value: the mean, over all orders in which the
features may change from r's values to x's one after the other, of the change that i brings. For a
quadratic that mean has a closed form, by the gradient of g halfway between the two points:

    φᵢ = (xᵢ − rᵢ)(bᵢ + ½ Σⱼ Aᵢⱼ (xⱼ + rⱼ)) = (xᵢ − rᵢ) ∂g/∂xᵢ((x + r) / 2),   Σ φᵢ = g(x) − g(r)
"""

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.scoring import score
from gaussbayes.families.protocol import Reference


def contributions(
    density: GaussianDensity, row: Rows, pair: tuple[int, int], reference: Reference | None
) -> tuple[float, FloatArray]:
    """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each feature's (d,).

    Together they are the log ratio at the row but for rounding, a few ε of the values themselves
    and of the squared distances of both points; where features are nearly collinear these are far
    larger than their sum. Features that are missing are integrated out, and add 0. All is worked
    out about the density's centre, so that a huge common offset costs no digit.

    Parameters
    ----------
    row : one row
    reference : the point at which every contribution is 0; None is the mean of the classes' means

    Examples
    --------
    >>> from gaussbayes.families.gaussian.shapes import Diagonal
    >>> ones = Diagonal.of(np.ones((2, 2)), Schema(np.arange(2), 2))
    >>> density = GaussianDensity(np.zeros(2), np.array([[0.0, 0.0], [2.0, 4.0]]), ones)
    >>> reference = Reference(point=np.array([1.0, 2.0]))
    >>> row = number_rows(np.array([[2.0, 3.0]]))
    >>> ratio, amounts = contributions(density, row, (1, 0), reference)
    >>> ratio, amounts.tolist()
    (0.0, [2.0, 4.0])
    >>> row = number_rows(np.array([[2.0, np.nan]]))
    >>> ratio, amounts = contributions(density, row, (1, 0), reference)
    >>> ratio, amounts.tolist()
    (0.0, [2.0, 0.0])
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
    two = GaussianDensity(np.zeros(seen.size), two.offset, two.covariance)
    first, second = score(two, number_rows(origin[None]), np.zeros(2), None, "log_ratio")[0]
    if np.isneginf(first) and np.isneginf(second):
        msg = (
            f"the reference point {(origin + density.center[seen]).tolist()!r:.200} is so far from "
            "both classes that the square of the distance overflows; are its units those of the "
            "training rows?"
        )
        raise DataError(msg)
    amounts[seen] = (place - origin) * _gradient(two, place + (origin - place) / 2)
    return float(first - second), amounts


def _gradient(two: GaussianDensity, point: FloatArray) -> FloatArray:
    """``∂g/∂x = Σ_b⁻¹ (x − mean_b) − Σ_a⁻¹ (x − mean_a)`` (d,) of two classes at a point."""
    shape, offset = two.covariance, two.offset
    if two.shared:  # x cancels: the log ratio is linear
        return shape.times_precision(offset[0] - offset[1])
    return shape.times_precision(offset[0] - point, 0) - shape.times_precision(offset[1] - point, 1)
