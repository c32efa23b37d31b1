"""The E-step of EM: conditional expectations of missing values, given Gaussians.

With mean μ, covariance Σ and precision Λ = Σ⁻¹, the missing features h of a row, given the observed
ones o, are Gaussian with

    covariance  C = (Λ_hh)⁻¹      mean  μ_h − C Λ_ho (x_o − μ_o)

and the density of the observed features follows from the same matrix: ``log |Σ_oo| = log |Σ| + log
|Λ_hh|``, and its squared distance is that of the row completed by this mean. The size of the
matrices is the number of missing features. Without correlations a missing value has the mean and
the variance of its class.

Labelled rows of a class with the same observed features enter the likelihood by their weight, mean
and scatter alone. A few points with the same three replace them: one at the mean, with all the
weight, and the rows of R with ``RᵀR`` the scatter. The latter are deviations rather than positions;
they are not *located*. The cost of an iteration of EM then depends on the patterns of missing
values, not on the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import for_each, ranges, rows_at_once
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.data.rows import Rows
from gaussbayes.families.expression import LOG_2_PI
from gaussbayes.families.gaussian.cells import (
    FeatureMoments,
    PatternMoments,
    feature_moments,
    group,
    patterns_of,
)
from gaussbayes.families.gaussian.low_rank import LowRank, no_em
from gaussbayes.families.gaussian.statistics import (
    LAYOUTS,
    ClassMoments,
    GaussianStatistics,
    layout_for,
    summarise,
)
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.kernels import active

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_MOST_KEPT = 64 << 20  # memory of points that are kept for the next iteration
_AT_ONCE = 64  # blocks whose sums are held at a time
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Origin and units of points: ``z = (x − anchor) / unit``.

    Units are powers of two near the standard deviations, so that divisions are exact.
    """

    anchor: FloatArray  # (k, d)
    unit: FloatArray  # (m, d), m is 1 when the classes share a covariance

    def units_of(self, code: int) -> FloatArray:
        """The units (d,) of one class."""
        return np.asarray(self.unit[min(code, self.unit.shape[0] - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class PointBlock:
    """Points that lack features; those that lack the same are a cell.

    Cells are ordered by their number of missing features.
    """

    codes: NDArray[np.intp]  # (q,) their classes, whose Gaussians differ in the mean only
    points: FloatArray  # (q, d)
    weight: FloatArray  # (q,)
    located: FloatArray  # (q,) 1, or 0 for a row of the root of a scatter
    hidden: NDArray[np.int64]  # (cells, h) the missing features of each cell, then −1
    cell: NDArray[np.int64]  # (q,)

    @property
    def n_bytes(self) -> int:
        return self.points.nbytes + 4 * self.weight.nbytes + self.hidden.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Labelled rows as points of their classes, in the units of a frame, 0 for missing values."""

    frame: Frame
    blocks: tuple[PointBlock, ...]


def frame_of(anchor: FloatArray, variance: FloatArray) -> Frame:
    """A frame with units near the square roots of variances (m, d); 1 for a variance of 0."""
    exponent = np.round(np.log2(np.where(variance > 0, variance, 1.0)) / 2)
    return Frame(anchor, np.exp2(exponent))


_points: "WeakKeyDictionary[GaussianStatistics, dict[bool, Points]]" = WeakKeyDictionary()


def points_of(statistics: GaussianStatistics, *, shared: bool) -> Points:
    """The points of labelled rows with missing values, for class-specific covariances or one.

    They are kept for as long as the statistics live, unless they are large: every iteration of EM
    uses them.
    """
    known = _points.get(statistics, {})
    if shared in known:
        return known[shared]
    features = feature_moments(statistics)
    variance = features.positive_variance(Structure("full", float(shared)))
    frame = frame_of(features.anchor, variance)
    cells = statistics.cells
    assert cells is not None
    groups = [cells]
    if not shared:  # each class has matrices of its own
        by_class = (np.flatnonzero(cells.codes == c) for c in range(statistics.n_classes))
        groups = [cells.taken(mine) for mine in by_class]
    blocks = tuple(block for group in groups for block in _blocks_of_cells(group, frame))
    points = Points(frame, blocks)
    if sum(block.n_bytes for block in blocks) <= _MOST_KEPT:
        _points.setdefault(statistics, {})[shared] = points
    return points


def _blocks_of_cells(cells: PatternMoments, frame: Frame) -> Iterator[PointBlock]:
    """The points of cells, in blocks that limit the memory of the roots of scatters.

    A pattern that several classes share is one cell of the block.
    """
    d = cells.n_features
    has_root = np.isin(np.arange(cells.n_cells), cells.varied)
    number = np.maximum(np.cumsum(has_root) - 1, 0) // rows_at_once(d**2)
    for n in range(int(number.max(initial=-1)) + 1):
        part = cells.taken(np.flatnonzero(number == n))
        unit = frame.unit[np.minimum(part.codes, frame.unit.shape[0] - 1)]
        mean = ((part.anchor - frame.anchor[part.codes]) + part.offset) / unit * part.observed
        unit = unit[part.varied]
        square, vector = np.linalg.eigh(part.scatter / unit[:, None, :] / unit[:, :, None])
        # The other rows of the root, and its entries of missing features, are rounding.
        real = square > d * _EPS * square[:, -1:]
        root = np.sqrt(np.where(real, square, 0.0))[:, :, None] * vector.mT
        root *= part.observed[part.varied, None, :]
        size = np.ones(part.n_cells, dtype=np.intp)
        size[part.varied] += real.sum(axis=1)
        starts = np.cumsum(size) - size
        located = np.zeros(size.sum())
        located[starts] = 1.0
        weight, points = np.ones(located.size), np.empty((located.size, d))
        weight[starts], points[starts] = part.weight, mean
        points[located == 0] = root[real]
        patterns = group(part.observed)
        codes = np.repeat(part.codes, size)
        number = np.repeat(patterns.number, size)
        cut = _cut(codes, points, weight, located, number, patterns.observed)
        yield from (block for _, block in cut)


def _cut(
    codes: NDArray[Any],
    points: FloatArray,
    weight: FloatArray,
    located: FloatArray,
    pattern: NDArray[np.intp],
    observed: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.intp], PointBlock]]:
    """Points in blocks that fit into the cache, and their numbers.

    `observed` (p, d) are the patterns, and `pattern` (q,) has the pattern of each point.
    """
    lacking = (points.shape[1] - observed.sum(axis=1))[pattern]
    ordered = np.lexsort((pattern, lacking))
    widest = int(lacking.max(initial=0))
    for some in ranges(ordered.size, rows_at_once(max(points.shape[1], widest**2), 16)):
        at = ordered[some]
        new = np.append(True, np.diff(pattern[at]) != 0)
        missing = ~observed[pattern[at[new]]]
        count = missing.sum(axis=1)
        hidden = np.full((count.size, count.max(initial=0)), -1)
        hidden[np.arange(hidden.shape[1]) < count[:, None]] = np.nonzero(missing)[1]
        block = PointBlock(
            codes[at].astype(np.intp),
            np.ascontiguousarray(points[at]),
            weight[at],
            located[at],
            hidden,
            np.cumsum(new) - 1,
        )
        yield at, block


def expect_statistics(
    density: "GaussianDensity",
    statistics: GaussianStatistics,
    threads: int = 1,
    *,
    pooled: bool = False,
) -> tuple[GaussianStatistics, float]:
    """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of their values.

    If they are `pooled`, the scatter is summed over the classes.
    """
    if isinstance(density.covariance, LowRank) or statistics.cells is None:
        return statistics, density.log_likelihood(statistics)
    if not density.covariance.correlated:
        features = feature_moments(statistics)
        moments, log_likelihood = _expect_features(density, features, statistics.weight)
        return GaussianStatistics(moments), log_likelihood
    points = points_of(statistics, shared=density.shared)
    complete = statistics.moments.with_layout("pooled") if pooled else statistics.moments
    sums = _Sums(density, points.frame, complete.layout if complete.layout == "pooled" else "full")
    log_likelihood = density.log_likelihood(GaussianStatistics(statistics.moments))
    log_likelihood += sums.add_blocks(points.blocks, threads)
    return GaussianStatistics(complete + sums.moments()), log_likelihood


def expect(
    density: "GaussianDensity", rows: Rows, responsibility: FloatArray, threads: int = 1
) -> GaussianStatistics:
    """Expected complete statistics of rows with soft labels (n, k)."""
    if isinstance(density.covariance, LowRank):
        raise no_em()
    X, (k, d) = rows.matrix, density.offset.shape
    layout = layout_for(density.covariance.layout, shared=density.shared, n_classes=k, n_columns=d)
    missing = np.isnan(X).any(axis=1)
    if not missing.any():
        return GaussianStatistics(summarise(X, responsibility, None, k, layout, threads))
    some, their = X[missing].astype(np.float64, copy=False), responsibility[missing]
    if density.covariance.correlated:
        expected = _expect_rows(density, some, their, layout)
    else:
        features = _features_of_rows(density, some, their)
        expected, _ = _expect_features(density, features, their.sum(axis=0))
    whole = ~missing
    complete = summarise(X[whole], responsibility[whole], None, k, layout, threads)
    return GaussianStatistics(complete + expected)


class _Sums:
    """Expected sums over rows, class by class, in the units of a frame."""

    def __init__(self, density: "GaussianDensity", frame: Frame, layout: ScatterLayout) -> None:
        k, d = density.offset.shape
        self._shape, self._frame, self._layout = density.covariance, frame, LAYOUTS[layout]
        self._mean = density.mean_from(frame.anchor) / frame.unit
        self._whitener = density.covariance.whitener * frame.unit[:, None, :]
        self._weight, self._shift = np.zeros(k), np.zeros((k, d))
        self._scatter = np.zeros((k if self._layout.by_class else 1, d, d))

    def add_blocks(self, blocks: Sequence[PointBlock], threads: int = 1) -> float:
        """Add points; their log-likelihood."""
        log_likelihood = 0.0
        completed: dict[int, _Completed] = {}

        def complete(number: int) -> None:
            completed[number] = self._completed(blocks[number])

        for some in ranges(len(blocks), _AT_ONCE):
            numbers = range(some.start, some.stop)
            for_each(complete, numbers, threads)
            for number in numbers:
                points = completed.pop(number)
                log_likelihood += points.log_likelihood
                self._add(blocks[number], points)
        return log_likelihood

    def _completed(self, block: PointBlock) -> "_Completed":
        """The points of a block, completed by conditional expectations of missing features."""
        m = self._shape.index(int(block.codes[0]))
        deviation = block.points - block.located[:, None] * self._mean[block.codes]
        covariance, log_det, squares = active().complete(
            self._whitener[m], block.hidden, block.cell, deviation
        )
        # log |2π Σ_oo| in the units of the rows; without values it is exactly 0.
        n_there = self._frame.unit.shape[1] - (block.hidden >= 0).sum(axis=1)
        units = np.append(np.log(self._frame.unit[m]), 0.0)[block.hidden].sum(axis=1)
        volume = self._shape.log_det[m] + log_det - 2.0 * units + n_there * LOG_2_PI
        volume *= n_there > 0
        twice = block.weight @ squares + (block.weight * block.located) @ volume[block.cell]
        return _Completed(deviation, covariance, -0.5 * float(twice))

    def _add(self, block: PointBlock, points: "_Completed") -> None:
        """Add ``Σ w``, ``Σ w E[x − μ]`` and ``Σ w E[(x − μ)(x − μ)ᵀ]`` of points."""
        located, scatters = block.weight * block.located, np.zeros_like(block.codes)
        for c in np.unique(block.codes).tolist():
            mine = located * (block.codes == c)
            self._weight[c] += mine.sum()
            self._shift[c] += mine @ points.deviation
        if self._layout.by_class:
            scatters = block.codes
        for number in np.unique(scatters).tolist():
            chosen = scatters == number
            deviation = points.deviation[chosen]
            scatter = self._scatter[number]
            scatter += deviation.T @ (block.weight[chosen, None] * deviation)
            of_cells = np.bincount(block.cell[chosen], located[chosen], len(block.hidden))
            active().spread(points.covariance, block.hidden, of_cells, scatter)

    def moments(self) -> ClassMoments:
        """The sums as moments, in the units of the rows."""
        weight, unit = self._weight, self._frame.unit
        shift = self._shift / np.where(weight > 0, weight, 1.0)[:, None]
        between = weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
        if not self._layout.by_class:
            between = between.sum(axis=0, keepdims=True)
        scatter = self._scatter - between
        scatter = (scatter + scatter.mT) / 2
        squares = np.einsum("mii->mi", scatter)
        np.maximum(squares, 0.0, out=squares)
        scatter *= unit[:, :, None] * unit[:, None, :]
        offset = (self._mean + shift) * unit
        if not self._layout.by_class:
            scatter = scatter[0]
        return ClassMoments(weight, self._frame.anchor, offset, scatter, self._layout.name)


class _Completed(NamedTuple):
    """Points of a block with the conditional expectations of missing features."""

    deviation: FloatArray  # (q, d) from the means of their classes
    covariance: FloatArray  # (cells, h, h) of the missing features of each cell, 0 beyond these
    log_likelihood: float


def _expect_rows(
    density: "GaussianDensity", X: FloatArray, responsibility: FloatArray, layout: ScatterLayout
) -> ClassMoments:
    """The expected moments of rows with missing values, in units near the standard deviations."""
    frame = frame_of(density.mean, density.covariance.variance)
    sums, patterns = _Sums(density, frame, layout), patterns_of(X)
    codes, ones = np.zeros(len(X), dtype=np.intp), np.ones(len(X))
    values = np.where(np.isnan(X), 0.0, X)
    for rows, block in _cut(codes, values, ones, ones, patterns.number, patterns.observed):
        for c in range(density.n_classes):
            points = (block.points - frame.anchor[c]) / frame.units_of(c)
            codes, weight = np.full_like(block.codes, c), responsibility[rows, c]
            if weight.any():
                sums.add_blocks([replace(block, codes=codes, points=points, weight=weight)])
    return sums.moments()


def _expect_features(
    density: "GaussianDensity", features: FeatureMoments, weight: FloatArray
) -> tuple[ClassMoments, float]:
    """Expected moments of rows of uncorrelated features, by the moments of these and weights (k,).

    Also the log-likelihood of the values that are there.
    """
    observed, variance = features.weight, density.covariance.variance
    apart = features.offset - density.mean_from(features.anchor)
    apart = np.where(observed > 0, apart, 0.0)
    squares = (features.scatter + observed * np.square(apart)) / variance
    log_likelihood = -0.5 * float((observed * (np.log(variance) + LOG_2_PI) + squares).sum())
    # The mean moves by the values that are observed, from where those missing are expected.
    shift = observed / np.where(weight > 0, weight, 1.0)[:, None] * apart
    missing = np.maximum(weight[:, None] - observed, 0.0)
    total = features.scatter + observed * np.square(apart - shift)
    total += missing * (np.square(shift) + variance)
    anchor, offset = density.mean, density.mean_from(density.mean) + shift
    return ClassMoments(weight, anchor, offset, total, "diagonal"), log_likelihood


def _features_of_rows(
    density: "GaussianDensity", X: FloatArray, responsibility: FloatArray
) -> FeatureMoments:
    """The moments of each class and feature over the rows that have a value of it."""
    anchor = density.mean
    offset = density.mean_from(anchor)
    weight, first, second = np.zeros((3, *anchor.shape))
    for rows in ranges(X.shape[0], rows_at_once(X.shape[1])):
        observed = ~np.isnan(X[rows])
        weight += responsibility[rows].T @ observed
        for c in range(density.n_classes):
            deviation = np.where(observed, (X[rows] - anchor[c]) - offset[c], 0.0)
            first[c] += responsibility[rows, c] @ deviation
            second[c] += responsibility[rows, c] @ np.square(deviation)
    apart = first / np.where(weight > 0, weight, 1.0)
    scatter = np.maximum(second - weight * np.square(apart), 0.0)
    return FeatureMoments(weight, anchor, offset + apart, scatter)
