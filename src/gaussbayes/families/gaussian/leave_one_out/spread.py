"""A shrunk scatter without a row, in coordinates in which it was diagonal.

In the coordinates of a `Frame` the scatter is diagonal, with entries λ, and a row's deviation from
its mean is y. Without the row, and shrunk by the intensity s, a full scatter is

    (1 − s) (diag λ − factor y yᵀ) + s (t / d) I = diag D − pull y yᵀ

with ``t = Σ λ − factor Σ y²``, ``D = (1 − s) λ + s t / d`` and ``pull = (1 − s) factor``: diagonal
but for one outer product. A diagonal scatter loses ``factor y²`` and stays diagonal.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.shrinkage import Shrinkage, oas_intensity, shrink


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """What is left without each of some rows: ``diag spread − pull y yᵀ``."""

    spread: FloatArray  # (n, d)
    pull: FloatArray  # (n,)
    kept: FloatArray  # (n,) the least share that is left of any sum; ≤ 0 if nothing is


def left(
    spread: FloatArray,
    y: FloatArray,
    factor: FloatArray,
    weight: FloatArray,
    shrinkage: Shrinkage,
    full: bool,
) -> Left:
    """Take rows out of a scatter, one at a time, and shrink what is left.

    Parameters
    ----------
    spread : (d,) the scatter's diagonal, the rest of it being 0
    y : (n, d) deviations of the rows from the mean of their class
    factor : (n,) what an outer product counts; see `Removal`
    weight : (n,) of the rows that the scatter is then the scatter of
    full : whether the outer product is taken out, or its diagonal alone

    Examples
    --------
    >>> one = np.ones(1)
    >>> found = left(np.array([4.0, 2.0]), np.array([[1.0, 1.0]]), one, 9 * one, 0.5, False)
    >>> found.spread.tolist(), found.pull.tolist()
    ([[2.5, 1.5]], [0.0])
    """
    if not full:
        return _left_of_diagonal(spread, y, factor, weight, shrinkage)
    everything = np.ones(y.shape[0])
    if shrinkage is None:
        return Left(np.broadcast_to(spread, y.shape), factor, everything)
    d = spread.size
    length = np.square(y).sum(axis=1)
    trace = spread.sum() - factor * length
    kept = trace / spread.sum()
    intensity = everything * (0.0 if shrinkage == "oas" else shrinkage)
    if shrinkage == "oas":
        before = np.square(spread).sum()
        squares = before - 2.0 * factor * (np.square(y) @ spread) + np.square(factor * length)
        kept = np.minimum(kept, squares / before)
        intensity = _oas(trace, squares, d, weight)
    shrunk = (1.0 - intensity)[:, None] * spread + (intensity * trace / d)[:, None]
    return Left(shrunk, (1.0 - intensity) * factor, kept)


def _left_of_diagonal(
    spread: FloatArray,
    y: FloatArray,
    factor: FloatArray,
    weight: FloatArray,
    shrinkage: Shrinkage,
) -> Left:
    lost = np.square(y)
    lost *= factor[:, None]
    rest = np.subtract(spread, lost, out=lost)
    before = shrink(spread[None], shrinkage, weight[:1])
    shrunk = shrink(rest, shrinkage, weight)
    kept: FloatArray = (shrunk / before).min(axis=1)
    if shrinkage is not None:
        kept = np.minimum(kept, rest.sum(axis=1) / spread.sum())
    return Left(shrunk, np.zeros_like(factor), kept)


def _oas(trace: FloatArray, squares: FloatArray, d: int, weight: FloatArray) -> FloatArray:
    """The intensity (n,) of scatters known by ``tr S`` and ``tr S²`` alone.

    It depends on nothing else: one entry ``1 + (d − 1) b`` and d − 1 entries ``1 − b`` have the
    trace d and the sum of squares ``d + d (d − 1) b²``, which is theirs for the right b.
    """
    apart = squares / np.square(trace / d) - d
    b = np.sqrt(np.maximum(apart, 0.0) / (d * max(d - 1, 1)))
    alike = np.repeat((1.0 - b)[:, None], d, axis=1)
    alike[:, 0] = 1.0 + (d - 1) * b
    return oas_intensity(alike, weight)
