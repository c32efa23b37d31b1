"""How far the Gaussians of two classes overlap, and rows drawn from where they do.

With the Bhattacharyya distance B of two Gaussians

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

from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_BLOCK_BYTES = 1 << 23  # matrices are made in pieces of about this size


def log_overlap(density: "GaussianDensity") -> FloatArray:
    """``log ∫ √(p(x | a) p(x | b)) dx`` (k, k): 0 for a class with itself, never above."""
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
    at_once = max(1, _BLOCK_BYTES // (16 * d * (d + 1)))
    for same in np.split(pairs, np.flatnonzero(np.diff(pairs // k)) + 1):
        for block in ranges(same.shape[0], at_once):
            yield int(same[0] // k), same[block] % k
