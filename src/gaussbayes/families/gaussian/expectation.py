"""The E-step of EM: what rows with missing values are expected to be, given Gaussians.

With mean μ, covariance Σ and precision Λ = Σ⁻¹, the features h that a row lacks are, given those o
that it has, Gaussian with

    covariance  C = (Λ_hh)⁻¹      mean  μ_h − C Λ_ho (x_o − μ_o)

and the density of what it has follows from the same matrix: ``log |Σ_oo| = log |Σ| + log |Λ_hh|``,
and its squared distance is that of the row completed by its mean. The matrices are as wide as the
number of features that are missing, and those of one width are handled as one stack. Without
correlations a missing value is expected to be the mean, with the variance.

Labelled rows of a class that have the same features enter the likelihood by their weight, mean and
scatter alone. They are replaced by few points with the same three: one at the mean, with all the
weight, and the rows of R with ``RᵀR`` the scatter. The latter are deviations as they stand, from no
mean; they are not *located*. What an iteration of EM costs then depends on the patterns of missing
values, not on the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.patterns import patterns_of
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

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_MOST_PRODUCTS = 1 << 18  # multiplications in a product up to which BLAS leaves it to one thread
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


def row_blocks(
    X: FloatArray, most: int | None = None
) -> Iterator[tuple[NDArray[np.intp], PointBlock]]:
    """Rows (n, d) in blocks, as they came but 0 where a value is missing, and their numbers.

    There are at most so many rows in a block; None is as many as BLAS leaves to one thread.
    """
    patterns = patterns_of(X)
    values = np.where(np.isnan(X), 0.0, X)[patterns.order]
    ones = np.ones(values.shape[0])
    for at, block in _cut(values, ones, ones, patterns.starts, patterns.observed, most):
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
    most: int | None = None,
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
        step = min(most or _MOST_PRODUCTS // d**2, _MOST_ENTRIES // max(1, hidden**2))
        for some in ranges(order.size, max(16, step)):
            cells, cell = np.unique(pattern[some], return_inverse=True)
            columns = np.nonzero(~observed[cells])[1].reshape(cells.size, hidden)
            at = order[some]
            block = PointBlock(
                np.ascontiguousarray(points[at]), weight[at], located[at], columns, cell
            )
            yield at, block


def expect_statistics(
    density: "GaussianDensity", statistics: GaussianStatistics, threads: int = 1
) -> tuple[GaussianStatistics, float]:
    """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of what they have."""
    if not density.covariance.correlated:
        return _expect_uncorrelated(density, statistics)
    points = points_of(statistics, shared=density.shared)
    complete = statistics.moments
    sums = _Sums(density, points.frame, complete.layout if complete.layout == "pooled" else "full")
    log_likelihood = sums.add_blocks(points.blocks, threads)
    if statistics.cells is None:
        return statistics, log_likelihood
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
    whitener: FloatArray  # (d, d) with Σ⁻¹ = WᵀW
    log_det: float  # of the covariance in the units of the rows
    log_unit: FloatArray  # (d,)
    careful: bool  # whether it is so close to singular that digits must be saved


def _gaussians(density: "GaussianDensity", frame: Frame) -> list[_Gaussian]:
    shape, k = density.covariance, density.n_classes
    mean = ((density.center - frame.anchor) + density.offset) / frame.unit
    careful, which = shape.amplification > _WELL, [shape.index(c) for c in range(k)]
    whitener, log_unit = shape.whitener * frame.unit[:, None, :], np.log(frame.unit)
    return [
        _Gaussian(mean[c], whitener[m], float(shape.log_det[m]), log_unit[m], careful)
        for c, m in enumerate(which)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Hidden:
    """Of what each cell lacks: ``W_h = Q R`` by the columns h of the whitener, and what follows."""

    basis: FloatArray  # (cells, d, h) Q
    inverse: FloatArray  # (cells, h, h) R⁻¹
    log_det: FloatArray  # (cells,) log |Λ_hh|

    @classmethod
    def of(cls, block: PointBlock, gaussian: _Gaussian) -> "_Hidden":
        """Factors of the columns of the whitener, exact to rounding.

        The quick way, by the Cholesky factor of ``Λ_hh = W_hᵀ W_h``, loses twice as many digits.
        """
        columns = np.ascontiguousarray(gaussian.whitener.T)[block.hidden].mT
        if not columns.shape[-1]:
            none = np.empty((columns.shape[0], 0, 0))
            return cls(columns, none, np.zeros(columns.shape[0]))
        if gaussian.careful:
            basis, triangle = np.linalg.qr(columns)
            inverse = np.linalg.inv(triangle)
        else:
            triangle = np.linalg.cholesky(columns.mT @ columns)
            inverse = np.linalg.inv(triangle).mT
            basis = columns @ inverse
        log_det = 2.0 * np.log(np.abs(np.einsum("bii->bi", triangle))).sum(axis=1)
        return cls(basis, np.asarray(inverse, dtype=np.float64), log_det)

    def complete(
        self, block: PointBlock, deviation: FloatArray, whitener: FloatArray
    ) -> FloatArray:
        """Fill in what is missing of deviations, in place; the squared distances (q,)."""
        if not block.hidden.shape[1]:
            return np.asarray(np.square(deviation @ whitener.T).sum(axis=1))
        columns = block.hidden[block.cell]
        np.put_along_axis(deviation, columns, 0.0, axis=1)
        white = deviation @ whitener.T
        single = block.hidden.shape[0] == deviation.shape[0]
        basis = self.basis if single else self.basis[block.cell]
        inverse = self.inverse if single else self.inverse[block.cell]
        # What the missing features can take off the distance lies in the span of their columns.
        along = basis.mT @ white[:, :, None]
        np.put_along_axis(deviation, columns, -(inverse @ along)[:, :, 0], axis=1)
        white -= (basis @ along)[:, :, 0]
        return np.asarray(np.square(white).sum(axis=1))

    def volume(self, block: PointBlock, gaussian: _Gaussian) -> FloatArray:
        """``log |2π Σ_oo|`` (q,) in the rows' units."""
        n_there = gaussian.log_unit.size - block.hidden.shape[1]
        units = 2.0 * gaussian.log_unit[block.hidden].sum(axis=1)
        volume = gaussian.log_det + self.log_det - units + n_there * _LOG_TWO_PI
        return np.asarray(volume[block.cell] * (n_there > 0))  # without any value exactly 0


class _Sums:
    """Expected sums over rows, class by class, in the units of a frame."""

    def __init__(self, density: "GaussianDensity", frame: Frame, layout: ScatterLayout) -> None:
        k, d = density.offset.shape
        self.gaussians = _gaussians(density, frame)
        self._frame, self._layout = frame, LAYOUTS[layout]
        self._weight, self._shift = np.zeros(k), np.zeros((k, d))
        self._scatter = np.zeros((k if self._layout.by_class else 1, d, d))

    def add_blocks(self, by_class: Sequence[Sequence[PointBlock]], threads: int) -> float:
        """Add points of all classes that lack something; the log-likelihood of all points."""
        blocks = [(c, block) for c, blocks in enumerate(by_class) for block in blocks]
        log_likelihood = np.zeros(len(blocks))
        parts: dict[int, tuple[float, FloatArray, FloatArray]] = {}

        def expect_block(number: int) -> None:
            c, block = blocks[number]
            gaussian = self.gaussians[c]
            hidden = _Hidden.of(block, gaussian)
            deviation = block.points - block.located[:, None] * gaussian.mean
            squares = hidden.complete(block, deviation, gaussian.whitener)
            located = block.weight * block.located
            twice = block.weight @ squares + located @ hidden.volume(block, gaussian)
            log_likelihood[number] = -0.5 * twice
            if block.hidden.shape[1]:
                parts[number] = _summed(block, deviation, block.weight, located, hidden)

        for some in ranges(len(blocks), _AT_ONCE):
            for_each(expect_block, range(some.start, some.stop), threads)
            for number in sorted(parts):  # whichever thread was first
                self.add(blocks[number][0], *parts.pop(number))
        ends = np.cumsum([len(blocks) for blocks in by_class])[:-1]
        return sum(float(part.sum()) for part in np.split(log_likelihood, ends))

    def add(self, c: int, weight: float, shift: FloatArray, scatter: FloatArray) -> None:
        """Add ``Σ w``, ``Σ w E[x − μ]`` and ``Σ w E[(x − μ)(x − μ)ᵀ]`` of rows of a class."""
        self._weight[c] += weight
        self._shift[c] += shift
        self._scatter[c if self._layout.by_class else 0] += scatter

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
        offset = (np.stack([gaussian.mean for gaussian in self.gaussians]) + shift) * unit
        if not self._layout.by_class:
            scatter = scatter[0]
        return ClassMoments(weight, self._frame.anchor, offset, scatter, self._layout.name)


def _summed(
    block: PointBlock,
    deviation: FloatArray,
    weight: FloatArray,
    located: FloatArray,
    hidden: _Hidden,
) -> tuple[float, FloatArray, FloatArray]:
    """The sums that `_Sums` adds, of completed deviations (q, d) and what is missing."""
    scatter = deviation.T @ (weight[:, None] * deviation)
    d, cells = deviation.shape[1], np.bincount(block.cell, located, minlength=len(block.hidden))
    place = block.hidden[:, :, None] * d + block.hidden[:, None, :]
    covariance = cells[:, None, None] * (hidden.inverse @ hidden.inverse.mT)  # R⁻¹ R⁻ᵀ
    expected = np.bincount(place.ravel(), covariance.ravel(), minlength=d * d)
    return float(located.sum()), located @ deviation, scatter + expected.reshape(d, d)


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
                hidden = _Hidden.of(block, gaussian)
            deviation = ((block.points - density.center) - density.offset[c]) / frame.units_of(c)
            hidden.complete(block, deviation, gaussian.whitener)
            sums.add(c, *_summed(block, deviation, weight, weight, hidden))
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
