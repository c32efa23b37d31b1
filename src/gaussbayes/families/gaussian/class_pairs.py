"""Two classes: the log ratio of their Gaussians, what each feature adds to it, and their overlap.

The log ratio is a quadratic of the row, ``g(x) = ½ xᵀA x + bᵀx + c``. What feature i adds to it on
the way from a reference point r to x is its Shapley value: the mean, over all orders in which the
features may change from r's values to x's one after the other, of the change that i brings. For a
quadratic that mean has a closed form, by the gradient of g halfway between the two points:

    φᵢ = (xᵢ − rᵢ)(bᵢ + ½ Σⱼ Aᵢⱼ (xⱼ + rⱼ)) = (xᵢ − rᵢ) ∂g/∂xᵢ((x + r) / 2),   Σ φᵢ = g(x) − g(r)

Of Student-t densities the mean gradient on the straight way from r to x takes the place of the one
halfway: these are Aumann-Shapley values, which sum to g(x) − g(r) as well.

The overlap follows from the Bhattacharyya distance B of two Gaussians

    ∫ √(p(x | a) p(x | b)) dx = exp(−B_ab)
    B_ab = ⅛ δᵀ S⁻¹ δ + ½ log (|S| / √(|Σ_a| |Σ_b|)),   δ = mean_b − mean_a,   S = (Σ_a + Σ_b) / 2

and ``√(p(x | a) p(x | b))`` is a Gaussian itself but for that factor, which lies where the two
classes meet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.tails import check_gaussian, line_integrals

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity
    from gaussbayes.families.gaussian.spanned_density import SpannedDensity


def contributions(
    density: "GaussianDensity | SpannedDensity",
    row: Rows,
    pair: tuple[int, int],
    reference: FloatArray | None,
) -> tuple[float, FloatArray]:
    """The log ratio ``log p(x | a) − log p(x | b)`` at the reference, and each feature's (d,).

    Together they are the log ratio at the row but for rounding, a few ε of the values themselves
    and of the squared distances of both points; where features are nearly collinear these are far
    larger than their sum. Features that are missing are integrated out, and add 0. All is worked
    out about the density's centre, so that a huge common offset costs no digit. Without a
    reference, it is the mean of the classes' means.
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
    density: "GaussianDensity | SpannedDensity", code: int, origin: FloatArray, step: FloatArray
) -> FloatArray:
    """The mean gradient (d,) of a class's log density on the way ``origin + α step``.

    With ``q(α) = ν + u(origin + α step) = A α² + 2 B α + C`` it is known for Student-t densities.
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


def log_overlap(density: "GaussianDensity") -> FloatArray:
    """``log ∫ √(p(x | a) p(x | b)) dx`` (k, k): 0 for a class with itself, never above."""
    check_gaussian(density.degrees, "the overlap of two classes")
    k = density.n_classes
    distance = np.zeros((k, k))
    for a, others in _in_blocks(density, np.flatnonzero(np.triu(np.ones((k, k)), 1))):
        distance[a, others] = distance[others, a] = _between(density, a, others).distance
    return 0.0 - distance


def draw_between(
    density: "GaussianDensity", pairs: NDArray[np.intp], generator: np.random.Generator
) -> Rows:
    """One row for each pair (n,), number ``a k + b``, in increasing order.

    Drawn in proportion to ``√(p(x | a) p(x | b))``.
    """
    rows = generator.standard_normal((pairs.shape[0], density.n_columns))
    different, first = np.unique(pairs, return_index=True)
    parts = iter(np.split(np.arange(pairs.shape[0]), first[1:]))
    for a, others in _in_blocks(density, different):
        between = _between(density, a, others)
        for number in range(others.shape[0]):
            part, root = next(parts), between.root[number]
            standard = rows[part]
            spread = standard / root if root.ndim == 1 else np.linalg.solve(root, standard.T).T
            rows[part] = density.offset[a] + (between.mean[number] + spread)
    rows += density.center
    return number_rows(rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """The Gaussians ``√(p(x | a) p(x | b)) / exp(−B_ab)`` of one class and several others."""

    distance: FloatArray  # (p,) B_ab
    mean: FloatArray  # (p, d) minus the mean of class a
    root: FloatArray  # (p, d, d) upper triangular R with Σ⁻¹ = RᵀR; (p, d) if that is diagonal


def _between(density: "GaussianDensity", a: int, others: NDArray[np.intp]) -> _Between:
    """Where a class and each of several others meet, without inverting a matrix.

    ``½ (|W_a u|² + |W_b (u − δ)|²)`` is a problem of least squares in u = x − mean_a. Its matrix,
    the two whiteners one above the other, has the triangle R; its solution is the mean, and half
    its residual the distance but for the determinants.
    """
    shape = density.covariance
    at, theirs = shape.index(a), others if shape.n_covariances > 1 else np.zeros_like(others)
    first, second = shape.whitener[at] / np.sqrt(2.0), shape.whitener[theirs] / np.sqrt(2.0)
    apart = density.offset[others] - density.offset[a]
    if not shape.correlated:
        root = np.hypot(first, second)
        mean = np.square(second / root) * apart
        residual = np.hypot(first * mean, second * (mean - apart))
        pivots = root
    else:
        p, d = apart.shape
        problem = np.zeros((p, 2 * d, d + 1))
        problem[:, :d, :d], problem[:, d:, :d] = first, second
        problem[:, d:, d:] = second @ apart[:, :, None]
        # With the right-hand side as a last column, R ends in Qᵀ times it and in the residual.
        triangle = np.asarray(np.linalg.qr(problem, mode="r"), dtype=np.float64)
        root = triangle[:, :d, :d]
        mean = np.linalg.solve(root, triangle[:, :d, d:])[:, :, 0]
        residual = triangle[:, d:, d]
        pivots = np.abs(np.einsum("pii->pi", root))
    volume = 0.25 * (shape.log_det[at] + shape.log_det[theirs]) + np.log(pivots).sum(axis=1)
    distance = 0.5 * np.einsum("pi,pi->p", residual, residual) + volume
    return _Between(np.maximum(distance, 0.0), mean, root)


def _in_blocks(
    density: "GaussianDensity", pairs: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Increasing numbers of pairs as a class and several others, as many as memory is meant for."""
    k, d = density.offset.shape
    at_once = rows_at_once(2 * d * (d + 1))
    for same in np.split(pairs, np.flatnonzero(np.diff(pairs // k)) + 1):
        for block in ranges(same.shape[0], at_once):
            yield int(same[0] // k), same[block] % k
