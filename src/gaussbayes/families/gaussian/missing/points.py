"""Incomplete rows as points: in units of their own, and no more of them than needed.

The rows of a class that have the same features enter the likelihood by their weight, mean and
scatter alone. Many such rows are therefore replaced by few points with the same three: one at the
mean, with all the weight, and the rows of a triangular R with ``RᵀR`` the scatter. The latter are
deviations as they stand, from no mean; they are not *located*. What an iteration of EM costs then
depends on the patterns, not on the rows. Where only the three are known and not the rows, the
eigenvectors of the scatter serve as R.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.patterns import Patterns, group
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.moments import ClassMoments

_MOST_PRODUCTS = 1 << 18
"""Multiplications in a product up to which BLAS leaves it to one thread."""

_MOST_ENTRIES = 1 << 17
"""Entries of the matrices that are inverted at a time: a megabyte."""

_MOST_ROOTS = 1 << 20
"""Entries of the scatters whose roots are worked out at a time."""

_EPS = float(np.finfo(np.float64).eps)

UNLABELLED = -1
"""The number of the class that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What points are measured from and in: ``z = (x − anchor) / unit``.

    Units are powers of two, near the standard deviations: to divide by them rounds nothing.
    """

    anchor: FloatArray  # (k, d)
    unit: FloatArray  # (m, d), m is 1 when the classes share a covariance

    def units_of(self, code: int) -> FloatArray:
        """The units (d,) of one class."""
        own: FloatArray = self.unit[min(code, self.unit.shape[0] - 1)]
        return own


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Points of one class, or of none, that all lack the same number of features.

    Points with the same features there are a cell. Points of a class are in the units of a frame,
    0 where a feature is missing; unlabelled ones are rows as they came.
    """

    code: int
    points: FloatArray  # (q, d)
    weight: FloatArray  # (q,)
    located: FloatArray  # (q,) 1, or 0 for the root of a scatter
    hidden: NDArray[np.intp]  # (cells, h) which features the points of a cell lack
    cell: NDArray[np.intp]  # (q,)


def frame_of(anchor: FloatArray, variance: FloatArray) -> Frame:
    """A frame with units near the square roots of variances (m, d); 1 where a variance is 0.

    Examples
    --------
    >>> frame_of(np.zeros((1, 2)), np.array([[9.0, 0.0]])).unit.tolist()
    [[4.0, 1.0]]
    """
    exponent = np.round(np.log2(np.where(variance > 0, variance, 1.0)) / 2)
    return Frame(anchor, np.exp2(exponent))


def blocks_of(
    X: FloatArray, codes: CodeArray, weights: FloatArray, frame: Frame
) -> tuple[Block, ...]:
    """The points of rows (n, d) that have at least one feature each, class by class.

    Parameters
    ----------
    X : NaN where a feature is missing
    codes : (n,) class numbers, −1 for a row that belongs to no class as yet

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, np.nan], [4.0, np.nan], [5.0, np.nan], [7.0, np.nan]])
    >>> frame = Frame(np.zeros((1, 2)), np.ones((1, 2)))
    >>> one, two = blocks_of(X, np.zeros(5, np.int32), np.ones(5), frame)
    >>> one.points.tolist(), one.hidden.tolist()
    ([[1.0, 2.0]], [[]])
    >>> np.abs(two.points).round(3).tolist(), two.weight.tolist(), two.located.tolist()
    ([[4.75, 0.0], [2.958, 0.0]], [4.0, 1.0], [1.0, 0.0])
    """
    blocks: list[Block] = []
    for code in np.unique(codes).tolist():
        rows = np.flatnonzero(codes == code)
        values, there = X[rows], ~np.isnan(X[rows])
        if code != UNLABELLED:
            values = (values - frame.anchor[code]) / frame.units_of(code)
        values[~there] = 0.0
        found = group(there)
        points = _unchanged(values, weights[rows], found)
        if code != UNLABELLED:
            points = _compressed(points, found)
        blocks.extend(_cut(code, points, found.observed))
    return tuple(blocks)


def blocks_of_cells(
    code: int, observed: NDArray[np.bool_], cells: ClassMoments, frame: Frame
) -> Iterator[Block]:
    """The points of cells of one class, of which weight, mean and full scatter are known.

    Parameters
    ----------
    observed : (q, d) which features the rows of each cell have, some of them
    cells : of q cells, 0 where a feature is missing

    Examples
    --------
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> rows = np.array([[3.0, 0.0], [4.0, 0.0], [5.0, 0.0], [7.0, 0.0]])
    >>> cells = summarise(rows, np.zeros(4, np.int32), None, 1)
    >>> frame = Frame(np.zeros((1, 2)), np.ones((1, 2)))
    >>> (block,) = blocks_of_cells(0, np.array([[True, False]]), cells, frame)
    >>> np.abs(block.points).round(3).tolist(), block.weight.tolist(), block.located.tolist()
    ([[4.75, 0.0], [2.958, 0.0]], [4.0, 1.0], [1.0, 0.0])
    """
    unit, d = frame.units_of(code), observed.shape[1]
    for some in ranges(observed.shape[0], max(1, _MOST_ROOTS // d**2)):
        there = observed[some]
        mean = ((cells.anchor[some] - frame.anchor[code]) + cells.offset[some]) / unit
        square, vector = np.linalg.eigh(cells.scatter[some] / unit / unit[:, None])
        # What is left of the others is rounding, as is what is there of a missing feature.
        real = square > d * _EPS * square[:, -1:]
        root = np.sqrt(np.where(real, square, 0.0))[:, :, None] * vector.mT * there[:, None, :]
        starts = np.concatenate([[0], np.cumsum(1 + real.sum(axis=1))]).astype(np.intp)
        located = np.zeros(starts[-1])
        located[starts[:-1]] = 1.0
        weight, points = np.ones(located.size), np.empty((located.size, d))
        weight[starts[:-1]], points[starts[:-1]] = cells.weight[some], mean * there
        points[located == 0] = root[real]
        yield from _cut(code, _Points(points, weight, located, starts), there)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Points in the order of their patterns; `starts` (p + 1,) says where each begins."""

    points: FloatArray
    weight: FloatArray
    located: FloatArray
    starts: NDArray[np.intp]


def _unchanged(values: FloatArray, weights: FloatArray, found: Patterns) -> _Points:
    order = found.order
    return _Points(values[order], weights[order], np.ones(order.size), found.starts)


def _compressed(rows: _Points, found: Patterns) -> _Points:
    """Replace the rows of patterns that more rows have than there are features in them."""
    width = found.observed.sum(axis=1)
    large = np.flatnonzero(found.size > width + 1)
    if not large.size:
        return rows
    size = found.size.copy()
    size[large] = width[large] + 1
    starts = np.concatenate([[0], np.cumsum(size)]).astype(np.intp)
    total, d = int(starts[-1]), rows.points.shape[1]
    points, weight, located = np.zeros((total, d)), np.ones(total), np.ones(total)
    kept = np.repeat(found.size <= width + 1, found.size)
    target = np.repeat(found.size <= width + 1, size)
    points[target], weight[target] = rows.points[kept], rows.weight[kept]
    for pattern in large.tolist():
        own = slice(rows.starts[pattern], rows.starts[pattern + 1])
        at, columns = starts[pattern], found.observed[pattern]
        values, share = rows.points[own][:, columns], rows.weight[own]
        weight[at] = share.sum()
        mean = (share / weight[at]) @ values
        mean += (share / weight[at]) @ (values - mean)
        points[at, columns] = mean
        root = np.linalg.qr(np.sqrt(share)[:, None] * (values - mean), mode="r")
        points[at + 1 : starts[pattern + 1], columns] = root
        located[at + 1 : starts[pattern + 1]] = 0.0
    return _Points(points, weight, located, starts)


def _cut(code: int, rows: _Points, observed: NDArray[np.bool_]) -> Iterator[Block]:
    """Blocks of patterns (p, d) that lack the same number of features; they fit into the cache."""
    d = rows.points.shape[1]
    lacking = d - observed.sum(axis=1)
    size = np.diff(rows.starts)
    for hidden in np.unique(lacking[lacking < d]).tolist():
        patterns = np.flatnonzero(lacking == hidden)
        order = np.concatenate(
            [np.arange(rows.starts[p], rows.starts[p + 1]) for p in patterns.tolist()]
        )
        pattern = np.repeat(patterns, size[patterns])
        step = min(_MOST_PRODUCTS // d**2, _MOST_ENTRIES // max(1, hidden**2))
        for some in ranges(order.size, max(16, step)):
            cells, cell = np.unique(pattern[some], return_inverse=True)
            columns = np.nonzero(~observed[cells])[1].reshape(cells.size, hidden)
            at = order[some]
            yield Block(
                code,
                np.ascontiguousarray(rows.points[at]),
                rows.weight[at],
                rows.located[at],
                columns,
                cell,
            )
