"""The E-step of EM: what rows with missing values are expected to be, given Gaussians.

With mean μ, covariance Σ and precision Λ = Σ⁻¹, the features h that a row lacks are, given those o
that it has, Gaussian with

    covariance  C = (Λ_hh)⁻¹      mean  μ_h − C Λ_ho (x_o − μ_o)

and the density of what it has follows from the same matrix: ``log |Σ_oo| = log |Σ| + log |Λ_hh|``,
and its squared distance is that of the row completed by its mean. The matrices are as wide as the
number of features that are missing. Without correlations a missing value is expected to be the
mean, with the variance.

Labelled rows of a class that have the same features enter the likelihood by their weight, mean and
scatter alone. They are replaced by few points with the same three: one at the mean, with all the
weight, and the rows of R with ``RᵀR`` the scatter. The latter are deviations as they stand, from no
mean; they are not *located*. What an iteration of EM costs then depends on the patterns of missing
values, not on the rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.patterns import group, patterns_of
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.data.rows import Rows
from gaussbayes.families.gaussian.cells import PatternMoments, feature_moments, moments_of_cells
from gaussbayes.families.gaussian.statistics import (
    LAYOUTS,
    ClassMoments,
    GaussianStatistics,
    layout_for,
    summarise,
)
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.kernels import active
from gaussbayes.kernels.reference import widths_of

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_MOST_ENTRIES = 1 << 17  # entries of matrices, or of rows, that are worked on at a time: a megabyte
_MOST_ROOTS = 1 << 20  # entries of the scatters whose roots are worked out at a time
_WORTH_A_BLOCK = 64  # cells of a single point that are worth blocks of their own
_MOST_KEPT = 64 << 20  # memory of points that are kept for the next iteration
_WELL = 1e3  # amplification of rounding up to which the quick way is as good as the careful one
_AT_ONCE = 64  # blocks whose sums are held at a time
_EPS = float(np.finfo(np.float64).eps)
_LOG_TWO_PI = float(np.log(2 * np.pi))


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
    """Complete points, or points that lack features; those that lack the same are a cell.

    Cells are in the order of how many features they lack.
    """

    codes: NDArray[np.intp]  # (q,) their classes, which are of one Gaussian but for the mean
    points: FloatArray  # (q, d)
    weight: FloatArray  # (q,)
    located: FloatArray  # (q,) 1, or 0 for a row of the root of a scatter
    hidden: NDArray[np.int64]  # (cells, h) which features the points of a cell lack, then −1
    cell: NDArray[np.int64]  # (q,)

    @property
    def n_bytes(self) -> int:
        return self.points.nbytes + 4 * self.weight.nbytes + self.hidden.nbytes

    @property
    def n_hidden(self) -> NDArray[np.intp]:
        """How many features each cell lacks (cells,)."""
        return np.asarray((self.hidden >= 0).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Labelled rows as points of their classes, in the units of a frame, 0 where one is missing."""

    frame: Frame
    blocks: tuple[PointBlock, ...]  # of complete rows and of others


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
    if not shared:  # each class has matrices of its own
        numbers = range(statistics.n_classes)
        parts = [part.taken(np.flatnonzero(part.codes == c)) for c in numbers for part in parts]
    blocks = tuple(block for cells in parts for block in _blocks_of_cells(cells, frame))
    points = Points(frame, blocks)
    if sum(block.n_bytes for block in blocks) <= _MOST_KEPT:
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
    """Rows (n, d) in blocks, as they came but 0 where a value is missing, and their numbers.

    A block fits into the cache. All rows are said to be of class 0.
    """
    patterns = patterns_of(X)
    values = np.where(np.isnan(X), 0.0, X)[patterns.order]
    ones, codes = np.ones(values.shape[0]), np.zeros(values.shape[0], dtype=np.intp)
    cut = _cut(codes, values, ones, ones, patterns.number[patterns.order], patterns.observed)
    for at, block in cut:
        yield patterns.order[at], block


def _blocks_of_cells(cells: PatternMoments, frame: Frame) -> Iterator[PointBlock]:
    """The points of cells, so many at a time that their roots take little room.

    Where there are many cells of a single point, they are kept apart: a block of nothing else is
    handled quicker. What classes have in common, a pattern, is a cell of the block.
    """
    d, numbers = cells.n_features, np.arange(cells.n_cells)
    alone = np.setdiff1d(numbers, cells.varied)
    apart = min(alone.size, cells.varied.size) >= _WORTH_A_BLOCK
    kinds = [alone, cells.varied] if apart else [numbers]
    for chosen in (some for kind in kinds for some in _with_roots(kind, cells.varied, d)):
        part = cells.taken(chosen)
        unit = frame.unit[np.minimum(part.codes, frame.unit.shape[0] - 1)]
        mean = ((part.anchor - frame.anchor[part.codes]) + part.offset) / unit * part.observed
        unit = unit[part.varied]
        square, vector = np.linalg.eigh(part.scatter / unit[:, None, :] / unit[:, :, None])
        # What is left of the others is rounding, as is what is there of a missing feature.
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


def _with_roots(
    cells: NDArray[np.intp], varied: NDArray[np.intp], d: int
) -> list[NDArray[np.intp]]:
    """Cells in parts, of each of which the roots of scatters (d, d) take little room."""
    most = max(1, _MOST_ROOTS // d**2)
    before = np.cumsum(np.isin(cells, varied)) - 1
    return np.split(cells, np.flatnonzero(np.diff(np.maximum(before, 0) // most)) + 1)


def _cut(
    codes: NDArray[Any],
    points: FloatArray,
    weight: FloatArray,
    located: FloatArray,
    pattern: NDArray[np.intp],
    observed: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.intp], PointBlock]]:
    """Points in blocks that fit into the cache, and which they are.

    Points (q,) have these of the patterns (p, d). Those of a pattern come after one another.
    """
    lacking = (points.shape[1] - observed.sum(axis=1))[pattern]
    ordered = np.lexsort((pattern, lacking))
    for some in _widths_together(lacking[ordered], points.shape[1]):
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


def _widths_together(lacking: NDArray[np.intp], d: int) -> Iterator[slice]:
    """Which of the points (q,), ordered by how many features they lack, are a block.

    Complete ones have blocks of their own.
    """
    begin = end = 0
    widths, counts = np.unique(lacking, return_counts=True)
    for width, count in zip(widths.tolist(), counts.tolist(), strict=True):
        most = max(16, _MOST_ENTRIES // max(d, width**2))
        if end > begin and end - begin + count > most:
            yield slice(begin, end)
            begin = end
        end += count
        while end - begin > most or (width == 0 and end > begin):
            yield slice(begin, min(begin + most, end))
            begin = min(begin + most, end)
    if end > begin:
        yield slice(begin, end)


def expect_statistics(
    density: "GaussianDensity",
    statistics: GaussianStatistics,
    threads: int = 1,
    *,
    pooled: bool = False,
) -> tuple[GaussianStatistics, float]:
    """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of what they have.

    If they are to be `pooled`, the scatter is summed over the classes.
    """
    if not density.covariance.correlated:
        return _expect_uncorrelated(density, statistics)
    points = points_of(statistics, shared=density.shared)
    complete = statistics.moments.with_layout("pooled") if pooled else statistics.moments
    sums = _Sums(density, points.frame, complete.layout if complete.layout == "pooled" else "full")
    log_likelihood = sums.add_blocks(points.blocks, threads)
    if statistics.cells is None:
        kept = statistics if complete is statistics.moments else GaussianStatistics(complete)
        return kept, log_likelihood
    return GaussianStatistics(complete + sums.moments()), log_likelihood


def expect(
    density: "GaussianDensity", rows: Rows, responsibility: FloatArray, threads: int = 1
) -> GaussianStatistics:
    """Expected complete statistics of rows that belong to each class in part (n, k)."""
    X, (k, d) = rows.matrix, density.offset.shape
    layout = layout_for(density.covariance.layout, shared=density.shared, n_classes=k, n_columns=d)
    missing = np.isnan(X).any(axis=1)
    if not missing.any():
        return GaussianStatistics(summarise(X, responsibility, None, k, layout, threads))
    some, their = X[missing].astype(np.float64, copy=False), responsibility[missing]
    if density.covariance.correlated:
        expected = _expect_rows(density, some, their, layout)
    else:
        expected = _expect_uncorrelated_rows(density, some, their)
    whole = ~missing
    complete = summarise(X[whole], responsibility[whole], None, k, layout, threads)
    return GaussianStatistics(complete + expected)


@dataclass(frozen=True, slots=True, eq=False)
class _Gaussian:
    """The Gaussian of a class, in the units of a frame."""

    mean: FloatArray  # (d,)
    whitener: FloatArray  # (d, d) W with Σ⁻¹ = WᵀW
    precision: FloatArray | None  # (d, d) Σ⁻¹; None if it is so close to singular that this loses
    log_det: float  # of the covariance in the units of the rows
    log_unit: FloatArray  # (d,)

    def hidden(self, block: PointBlock) -> "_Hidden":
        """What follows for the features that each cell of a block lacks."""
        if self.precision is None:
            return _hidden_by_whitener(block, self.whitener)
        return _hidden_by_precision(block, self.precision, self.whitener)


def _gaussians(density: "GaussianDensity", frame: Frame) -> list[_Gaussian]:
    shape, k = density.covariance, density.n_classes
    mean = ((density.center - frame.anchor) + density.offset) / frame.unit
    whitener, log_unit = shape.whitener * frame.unit[:, None, :], np.log(frame.unit)
    precision = None if shape.amplification > _WELL else whitener.mT @ whitener
    result = []
    for c in range(k):
        m = shape.index(c)
        of_class = None if precision is None else precision[m]
        log_det = float(shape.log_det[m])
        result.append(_Gaussian(mean[c], whitener[m], of_class, log_det, log_unit[m]))
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Hidden:
    """Of the features h that each cell lacks: what they are expected by, given the others."""

    covariance: FloatArray  # (cells, h, h) C = (Λ_hh)⁻¹, 0 beyond what a cell lacks
    log_det: FloatArray  # (cells,) log |Λ_hh|
    complete: Callable[[FloatArray], FloatArray]
    """Puts what is expected into the deviations of the points (q, d), and gives their squared
    distances (q,)."""

    def completed(
        self,
        block: PointBlock,
        codes: NDArray[np.intp],
        deviation: FloatArray,
        weight: FloatArray,
        located: FloatArray,
    ) -> "_Completed":
        """Points of the block, of these classes and weights, as they are to be summed."""
        cells = block.hidden, block.cell, self.covariance
        return _Completed(codes, deviation, weight, located, *cells)

    def volume(self, block: PointBlock, gaussian: _Gaussian) -> FloatArray:
        """``log |2π Σ_oo|`` (q,) in the rows' units."""
        n_there = gaussian.log_unit.size - block.n_hidden
        units = 2.0 * np.append(gaussian.log_unit, 0.0)[block.hidden].sum(axis=1)
        volume = gaussian.log_det + self.log_det - units + n_there * _LOG_TWO_PI
        return np.asarray((volume * (n_there > 0))[block.cell])  # without any value exactly 0


def _hidden_by_precision(block: PointBlock, precision: FloatArray, whitener: FloatArray) -> _Hidden:
    """By the inverse of ``Λ_hh``: the quick way, which loses twice as many digits."""
    kernels = active()
    covariance, log_det = kernels.condition(precision, block.hidden)

    def complete(deviation: FloatArray) -> FloatArray:
        kernels.complete(precision, block.hidden, covariance, block.cell, deviation)
        return np.asarray(np.square(deviation @ whitener.T).sum(axis=1))

    return _Hidden(covariance, log_det, complete)


def _hidden_by_whitener(block: PointBlock, whitener: FloatArray) -> _Hidden:
    """By factors ``W_h = Q R`` of the columns h of the whitener, exact to rounding."""
    cells, most = block.hidden.shape
    covariance, log_det = np.zeros((cells, most, most)), np.zeros(cells)
    factors = []
    for count, some in widths_of(block.hidden):
        columns = np.ascontiguousarray(whitener.T)[block.hidden[some, :count]].mT
        basis, triangle = np.linalg.qr(columns)
        inverse = np.asarray(np.linalg.inv(triangle), dtype=np.float64)
        covariance[some, :count, :count] = inverse @ inverse.mT
        log_det[some] = 2.0 * np.log(np.abs(np.einsum("bii->bi", triangle))).sum(axis=1)
        # Cells are in the order of their widths.
        which = np.flatnonzero((block.cell >= some[0]) & (block.cell <= some[-1]))
        factors.append((which, count, block.cell[which] - some[0], basis, inverse))

    def complete(deviation: FloatArray) -> FloatArray:
        for which, count, *_ in factors:
            deviation[which[:, None], block.hidden[block.cell[which], :count]] = 0.0
        white = deviation @ whitener.T
        for which, count, cell, basis, inverse in factors:
            # What the missing features can take off the distance lies in the span of their columns.
            axes = basis[cell]
            along = axes.mT @ white[which, :, None]
            expected = -(inverse[cell] @ along)[:, :, 0]
            deviation[which[:, None], block.hidden[block.cell[which], :count]] = expected
            white[which] -= (axes @ along)[:, :, 0]
        return np.asarray(np.square(white).sum(axis=1))

    return _Hidden(covariance, log_det, complete)


@dataclass(frozen=True, slots=True, eq=False)
class _Completed:
    """Points that are completed by what is expected, and what is not known of each cell."""

    codes: NDArray[np.intp]  # (q,)
    deviation: FloatArray  # (q, d) from the means of their classes
    weight: FloatArray  # (q,)
    located: FloatArray  # (q,) the weight of points that count as rows
    hidden: NDArray[np.int64]  # (cells, h), then −1
    cell: NDArray[np.int64]  # (q,)
    covariance: FloatArray  # (cells, h, h), 0 beyond what a cell lacks

    def spread(self, which: NDArray[np.bool_] | None, to: FloatArray) -> None:
        """Add the covariances of what some of the points lack to a matrix (d, d)."""
        cell, located = (self.cell, self.located)
        if which is not None:
            cell, located = cell[which], located[which]
        weight = np.bincount(cell, located, len(self.hidden))
        weight = weight.astype(np.float64)  # of no points it has integers
        active().spread(self.covariance, self.hidden, weight, to)


class _Sums:
    """Expected sums over rows, class by class, in the units of a frame."""

    def __init__(self, density: "GaussianDensity", frame: Frame, layout: ScatterLayout) -> None:
        k, d = density.offset.shape
        self.gaussians = _gaussians(density, frame)
        self._mean = np.stack([gaussian.mean for gaussian in self.gaussians])
        self._frame, self._layout = frame, LAYOUTS[layout]
        self._weight, self._shift = np.zeros(k), np.zeros((k, d))
        self._scatter = np.zeros((k if self._layout.by_class else 1, d, d))

    def add_blocks(self, blocks: Sequence[PointBlock], threads: int) -> float:
        """Add points that lack something; the log-likelihood of all points."""
        log_likelihood = np.zeros(len(blocks))
        parts: dict[int, _Completed] = {}

        def expect_block(number: int) -> None:
            block = blocks[number]
            gaussian = self.gaussians[block.codes[0]]
            hidden = gaussian.hidden(block)
            deviation = block.points - block.located[:, None] * self._mean[block.codes]
            squares = hidden.complete(deviation)
            located = block.weight * block.located
            twice = block.weight @ squares + located @ hidden.volume(block, gaussian)
            log_likelihood[number] = -0.5 * twice
            if block.hidden.shape[1]:
                parts[number] = hidden.completed(
                    block, block.codes, deviation, block.weight, located
                )

        for some in ranges(len(blocks), _AT_ONCE):
            for_each(expect_block, range(some.start, some.stop), threads)
            self.add([parts.pop(number) for number in sorted(parts)])  # whichever was first
        return float(log_likelihood.sum())

    def add(self, parts: Sequence[_Completed]) -> None:
        """Add ``Σ w``, ``Σ w E[x − μ]`` and ``Σ w E[(x − μ)(x − μ)ᵀ]`` of points.

        All of them at once: what they are added to may be larger than they are.
        """
        if not parts:
            return
        codes = np.concatenate([part.codes for part in parts])
        classes = np.flatnonzero(np.bincount(codes)).tolist()
        for c in classes:
            chosen = [part.codes == c for part in parts] if len(classes) > 1 else None
            located, deviation = (
                np.concatenate(_taken([getattr(part, name) for part in parts], chosen))
                for name in ("located", "deviation")
            )
            self._weight[c] += located.sum()
            self._shift[c] += located @ deviation
            if self._layout.by_class:
                self._scatter[c] += _scatter(parts, chosen)
        if not self._layout.by_class:
            self._scatter[0] += _scatter(parts, None)

    def moments(self) -> ClassMoments:
        """The same as moments, in the units of the rows."""
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


def _taken(
    arrays: Sequence[FloatArray], chosen: Sequence[NDArray[np.bool_]] | None
) -> list[FloatArray]:
    """The chosen rows of arrays; None is all."""
    if chosen is None:
        return list(arrays)
    return [array[which] for array, which in zip(arrays, chosen, strict=True)]


def _scatter(parts: Sequence[_Completed], chosen: Sequence[NDArray[np.bool_]] | None) -> FloatArray:
    """``Σ w E[(x − μ)(x − μ)ᵀ]`` (d, d) of the chosen points."""
    deviation = np.concatenate(_taken([part.deviation for part in parts], chosen))
    weight = np.concatenate(_taken([part.weight for part in parts], chosen))
    expected = deviation.T @ (weight[:, None] * deviation)
    for number, part in enumerate(parts):
        part.spread(None if chosen is None else chosen[number], expected)
    return expected


def _expect_rows(
    density: "GaussianDensity", X: FloatArray, responsibility: FloatArray, layout: ScatterLayout
) -> ClassMoments:
    """The expected moments of rows with missing values, in units near the standard deviations."""
    frame = frame_of(density.mean, density.covariance.variance)
    sums = _Sums(density, frame, layout)
    for rows, block in row_blocks(X):
        hidden: _Hidden | None = None
        for c, gaussian in enumerate(sums.gaussians):
            weight = responsibility[rows, c]
            if not weight.any():
                continue
            if hidden is None or not density.shared:
                hidden = gaussian.hidden(block)
            deviation = ((block.points - density.center) - density.offset[c]) / frame.units_of(c)
            hidden.complete(deviation)
            codes = np.full_like(block.codes, c)
            sums.add([hidden.completed(block, codes, deviation, weight, weight)])
    return sums.moments()


def _expect_uncorrelated(
    density: "GaussianDensity", statistics: GaussianStatistics
) -> tuple[GaussianStatistics, float]:
    """`expect_statistics` without correlations: feature by feature."""
    complete = statistics.moments
    log_likelihood = density.log_likelihood(GaussianStatistics(complete))
    if statistics.cells is None:
        return statistics, log_likelihood
    k = statistics.n_classes
    features = moments_of_cells(statistics.cells, k)
    apart = (features.anchor - density.center) + (features.offset - density.offset)
    apart = np.where(features.weight > 0, apart, 0.0)
    variance = density.covariance.variance
    squares = (features.scatter + features.weight * np.square(apart)) / variance
    volume = features.weight * (np.log(variance) + _LOG_TWO_PI)
    log_likelihood -= 0.5 * float((volume + squares).sum())
    weight = statistics.cells.weight_of(k)
    expected = _completed(density, features.weight, apart, features.scatter, weight)
    return GaussianStatistics(complete.with_layout("diagonal") + expected), log_likelihood


def _completed(
    density: "GaussianDensity",
    observed: FloatArray,
    apart: FloatArray,
    scatter: FloatArray,
    weight: FloatArray,
) -> ClassMoments:
    """Expected moments of rows without correlations that weigh so much (k,).

    Rows with a value of a feature weigh `observed` (k, d), their mean is so far `apart` from that
    of the density, and `scatter` is their sum of squares about it.
    """
    # The mean moves by the values that are observed, from where those missing are expected.
    shift = observed / np.where(weight > 0, weight, 1.0)[:, None] * apart
    rest = np.maximum(weight[:, None] - observed, 0.0)
    total = scatter + observed * np.square(apart - shift)
    total += rest * (np.square(shift) + density.covariance.variance)
    anchor = np.broadcast_to(density.center, density.offset.shape)
    return ClassMoments(weight, anchor, density.offset + shift, total, "diagonal")


def _expect_uncorrelated_rows(
    density: "GaussianDensity", X: FloatArray, responsibility: FloatArray
) -> ClassMoments:
    """The expected moments of rows with missing values, without correlations."""
    k, d = density.offset.shape
    weight, first, second = np.zeros((3, k, d))
    for rows in ranges(X.shape[0], max(1, _MOST_ENTRIES // d)):
        observed = ~np.isnan(X[rows])
        centred = np.where(observed, X[rows] - density.center, 0.0)
        weight += responsibility[rows].T @ observed
        for c in range(k):
            deviation = np.where(observed, centred - density.offset[c], 0.0)
            first[c] += responsibility[rows, c] @ deviation
            second[c] += responsibility[rows, c] @ np.square(deviation)
    apart = first / np.where(weight > 0, weight, 1.0)
    scatter = np.maximum(second - weight * np.square(apart), 0.0)
    return _completed(density, weight, apart, scatter, responsibility.sum(axis=0))
