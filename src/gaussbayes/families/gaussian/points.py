"""Rows with missing values as points: in units of their own, and no more of them than needed.

Labelled rows of a class that have the same features enter the likelihood by their weight, mean and
scatter alone. They are replaced by few points with the same three: one at the mean, with all the
weight, and the rows of R with ``RᵀR`` the scatter. The latter are deviations as they stand, from no
mean; they are not *located*. What an iteration of EM costs then depends on the patterns of missing
values, not on the rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.patterns import patterns_of
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.cells import PatternMoments
from gaussbayes.families.gaussian.feature_moments import feature_moments
from gaussbayes.families.gaussian.moments import LAYOUTS, ClassMoments
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure

_MOST_PRODUCTS = 1 << 18  # multiplications in a product up to which BLAS leaves it to one thread
_MOST_ENTRIES = 1 << 17  # entries of the matrices that are inverted at a time: a megabyte
_MOST_ROOTS = 1 << 20  # entries of the scatters whose roots are worked out at a time
_WORTH_A_BLOCK = 64  # cells of a single point that are worth blocks of their own
_MOST_KEPT = 64 << 20  # memory of points that are kept for the next iteration
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What points are measured from and in: ``z = (x − anchor) / unit``.

    Units are powers of two, near the standard deviations: to divide by them rounds nothing.
    """

    anchor: FloatArray  # (k, d)
    unit: FloatArray  # (m, d), m is 1 when the classes share a covariance

    def units_of(self, code: int) -> FloatArray:
        """The units (d,) of one class."""
        return np.asarray(self.unit[min(code, self.unit.shape[0] - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class PointBlock:
    """Points that all have the same number of missing features; those with the same are a cell."""

    points: FloatArray  # (q, d)
    weight: FloatArray  # (q,)
    located: FloatArray  # (q,) 1, or 0 for a row of the root of a scatter
    hidden: NDArray[np.intp]  # (cells, h) which features the points of a cell lack
    cell: NDArray[np.intp]  # (q,)

    @property
    def n_bytes(self) -> int:
        return self.points.nbytes + 3 * self.weight.nbytes + self.hidden.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Labelled rows as points of their classes, in the units of a frame, 0 where one is missing."""

    frame: Frame
    blocks: tuple[tuple[PointBlock, ...], ...]  # k times those of complete rows and of others


def frame_of(anchor: FloatArray, variance: FloatArray) -> Frame:
    """A frame with units near the square roots of variances (m, d); 1 where a variance is 0."""
    exponent = np.round(np.log2(np.where(variance > 0, variance, 1.0)) / 2)
    return Frame(anchor, np.exp2(exponent))


_points: "WeakKeyDictionary[GaussianStatistics, dict[bool, Points]]" = WeakKeyDictionary()


def points_of(statistics: GaussianStatistics, *, shared: bool) -> Points:
    """The points of labelled rows, for covariances of their own or a shared one.

    They are kept for as long as the statistics live, unless they are large: EM asks for them in
    every iteration.
    """
    known = _points.get(statistics, {})
    if shared in known:
        return known[shared]
    features = feature_moments(statistics)
    variance = features.positive_variance(Structure("full", float(shared)))
    frame = frame_of(features.anchor, variance)
    parts = [_complete_cells(statistics.moments)]
    parts += [] if statistics.cells is None else [statistics.cells]
    blocks = [
        tuple(
            block
            for cells in parts
            for block in _blocks_of_cells(
                cells.taken(np.flatnonzero(cells.codes == c)), frame.anchor[c], frame.units_of(c)
            )
        )
        for c in range(statistics.n_classes)
    ]
    points = Points(frame, tuple(blocks))
    if sum(block.n_bytes for part in blocks for block in part) <= _MOST_KEPT:
        _points.setdefault(statistics, {})[shared] = points
    return points


def _complete_cells(moments: ClassMoments) -> PatternMoments:
    """Complete rows as cells; a scatter summed over the classes enters with the first of them."""
    which, layout = np.flatnonzero(moments.weight > 0), LAYOUTS[moments.layout]
    scatter = layout.stacked(moments.scatter)
    scatter = scatter[which] if layout.by_class else scatter[: which.size]
    observed = np.ones((which.size, moments.n_features), dtype=bool)
    mean = moments.weight[which], moments.anchor[which], moments.offset[which]
    varied = np.arange(len(scatter))
    return PatternMoments(which.astype(np.int32), observed, *mean, varied, scatter, "full")


def row_blocks(X: FloatArray) -> Iterator[tuple[NDArray[np.intp], PointBlock]]:
    """Rows (n, d) in blocks, as they came but 0 where a value is missing, and their numbers."""
    patterns = patterns_of(X)
    values = np.where(np.isnan(X), 0.0, X)[patterns.order]
    ones = np.ones(values.shape[0])
    for at, block in _cut(values, ones, ones, patterns.starts, patterns.observed):
        yield patterns.order[at], block


def _blocks_of_cells(
    cells: PatternMoments, anchor: FloatArray, unit: FloatArray
) -> Iterator[PointBlock]:
    """The points of cells of one class, so many at a time that their roots take little room.

    Where there are many cells of a single point, they are kept apart: a block of nothing else is
    handled quicker.
    """
    d, numbers = cells.n_features, np.arange(cells.n_cells)
    alone = np.setdiff1d(numbers, cells.varied)
    apart = min(alone.size, cells.varied.size) >= _WORTH_A_BLOCK
    groups = [alone, cells.varied] if apart else [numbers]
    step = max(1, _MOST_ROOTS // d**2)
    for chosen in (group[some] for group in groups for some in ranges(group.size, step)):
        part = cells.taken(chosen)
        mean = ((part.anchor - anchor) + part.offset) / unit * part.observed
        square, vector = np.linalg.eigh(part.scatter / unit / unit[:, None])
        # What is left of the others is rounding, as is what is there of a missing feature.
        real = square > d * _EPS * square[:, -1:]
        root = np.sqrt(np.where(real, square, 0.0))[:, :, None] * vector.mT
        root *= part.observed[part.varied, None, :]
        size = np.ones(part.n_cells, dtype=np.intp)
        size[part.varied] += real.sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(size)])
        located = np.zeros(starts[-1])
        located[starts[:-1]] = 1.0
        weight, points = np.ones(located.size), np.empty((located.size, d))
        weight[starts[:-1]], points[starts[:-1]] = part.weight, mean
        points[located == 0] = root[real]
        yield from (block for _, block in _cut(points, weight, located, starts, part.observed))


def _cut(
    points: FloatArray,
    weight: FloatArray,
    located: FloatArray,
    starts: NDArray[np.intp],
    observed: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.intp], PointBlock]]:
    """Blocks of patterns (p, d) that lack the same number of features; they fit into the cache.

    Points are in the order of their patterns; `starts` (p + 1,) says where each begins.
    """
    d = points.shape[1]
    lacking = d - observed.sum(axis=1)
    size = np.diff(starts)
    for hidden in np.unique(lacking).tolist():
        patterns = np.flatnonzero(lacking == hidden)
        pattern = np.repeat(patterns, size[patterns])
        # The points of these patterns, one pattern after the other.
        before = np.cumsum(size[patterns]) - size[patterns]
        order = np.repeat(starts[patterns] - before, size[patterns])
        order += np.arange(order.size)
        step = min(_MOST_PRODUCTS // d**2, _MOST_ENTRIES // max(1, hidden**2))
        for some in ranges(order.size, max(16, step)):
            cells, cell = np.unique(pattern[some], return_inverse=True)
            columns = np.nonzero(~observed[cells])[1].reshape(cells.size, hidden)
            at = order[some]
            block = PointBlock(
                np.ascontiguousarray(points[at]), weight[at], located[at], columns, cell
            )
            yield at, block
