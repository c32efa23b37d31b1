"""The E-step of EM: what rows with missing values are expected to be, given Gaussians.

With mean μ, covariance Σ and precision Λ = Σ⁻¹, the features h that a row lacks are, given those o
that it has, Gaussian with

    covariance  C = (Λ_hh)⁻¹      mean  μ_h − C Λ_ho (x_o − μ_o)

and the density of what it has follows from the same matrix: ``log |Σ_oo| = log |Σ| + log |Λ_hh|``,
and its squared distance is that of the row completed by its mean. The matrices are as wide as the
number of features that are missing, and those of one width are handled as one stack. Without
correlations a missing value is expected to be the mean, with the variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.data.rows import Rows
from gaussbayes.families.gaussian.feature_moments import moments_of_cells
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.points import Block, Frame, frame_of, points_of, row_blocks
from gaussbayes.families.gaussian.scatter import LAYOUTS
from gaussbayes.families.gaussian.statistics import GaussianStatistics, layout_for, summarise

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_LOG_TWO_PI = float(np.log(2 * np.pi))

_WELL = 1e3
"""Amplification of rounding up to which the quick way is as good as the careful one."""

_AT_ONCE = 64
"""Blocks whose sums are held at a time."""

_MOST_ENTRIES = 1 << 17
"""Entries of rows without correlations that are worked on at a time."""


def expect_statistics(
    density: "GaussianDensity", statistics: GaussianStatistics, threads: int = 1
) -> tuple[GaussianStatistics, float]:
    """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of what they have."""
    if not density.covariance.correlated:
        return _expect_uncorrelated(density, statistics)
    points = points_of(statistics, shared=density.shared)
    gaussians = _Gaussians.of(density, points.frame)
    complete = statistics.moments
    layout = complete.layout if complete.layout == "pooled" else "full"
    sums = _Sums(gaussians, layout)
    log_likelihood = 0.0
    for c in range(density.n_classes):
        for block in points.complete[c]:
            log_likelihood += _log_likelihood(block, c, gaussians)
        for some in ranges(len(points.incomplete[c]), _AT_ONCE):
            log_likelihood += sums.add_blocks(points.incomplete[c][some], c, threads)
    if statistics.cells is None:
        return statistics, log_likelihood
    sums.add_blank(points.blank)
    return GaussianStatistics(complete + sums.moments(points.frame)), log_likelihood


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
class _Gaussians:
    """The classes' Gaussians, in the units of a frame."""

    mean: FloatArray  # (k, d)
    whitener: FloatArray  # (m, d, d) with Σ⁻¹ = WᵀW; m is 1 when shared
    log_det: FloatArray  # (m,) of the covariances in the units of the rows
    log_unit: FloatArray  # (m, d)
    careful: bool  # whether they are so close to singular that digits must be saved

    @classmethod
    def of(cls, density: "GaussianDensity", frame: Frame) -> "_Gaussians":
        shape = density.covariance
        mean = ((density.center - frame.anchor) + density.offset) / frame.unit
        whitener = shape.whitener * frame.unit[:, None, :]
        careful = shape.amplification > _WELL
        return cls(mean, whitener, shape.log_det, np.log(frame.unit), careful)

    def index(self, code: int) -> int:
        """The number of the covariance of a class."""
        return code if self.log_det.shape[0] > 1 else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Hidden:
    """Of what each cell lacks: ``W_h = Q R`` by the columns h of the whitener, and what follows."""

    basis: FloatArray  # (cells, d, h) Q
    inverse: FloatArray  # (cells, h, h) R⁻¹
    log_det: FloatArray  # (cells,) log |Λ_hh|

    @classmethod
    def of(cls, block: Block, whitener: FloatArray, *, careful: bool) -> "_Hidden":
        """Factors of the columns of the whitener, exact to rounding.

        The quick way, by the Cholesky factor of ``Λ_hh = W_hᵀ W_h``, loses twice as many digits.
        """
        columns = np.ascontiguousarray(whitener.T)[block.hidden].mT
        if not columns.shape[-1]:
            none = np.empty((columns.shape[0], 0, 0))
            return cls(columns, none, np.zeros(columns.shape[0]))
        if careful:
            basis, triangle = np.linalg.qr(columns)
            inverse = np.linalg.inv(triangle)
        else:
            triangle = np.linalg.cholesky(columns.mT @ columns)
            inverse = np.linalg.inv(triangle).mT
            basis = columns @ inverse
        log_det = 2.0 * np.log(np.abs(np.einsum("bii->bi", triangle))).sum(axis=1)
        return cls(basis, np.asarray(inverse, dtype=np.float64), log_det)

    @property
    def covariance(self) -> FloatArray:
        """``C = R⁻¹ R⁻ᵀ`` (cells, h, h)."""
        product: FloatArray = self.inverse @ self.inverse.mT
        return product

    def complete(self, block: Block, deviation: FloatArray, whitener: FloatArray) -> FloatArray:
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

    def volume(self, block: Block, log_det: float, log_unit: FloatArray) -> FloatArray:
        """``log |2π Σ_oo|`` (q,) in the rows' units."""
        n_there = log_unit.size - block.hidden.shape[1]
        units = 2.0 * log_unit[block.hidden].sum(axis=1)
        volume: FloatArray = (log_det + self.log_det - units + n_there * _LOG_TWO_PI)[block.cell]
        return volume


@dataclass(frozen=True, slots=True, eq=False)
class _BlockSums:
    """Expected sums over a block for one class, about the mean of its Gaussian."""

    weight: float
    shift: FloatArray  # (d,) Σ w E[x − μ]
    scatter: FloatArray  # (d, d) Σ w E[(x − μ)(x − μ)ᵀ]
    log_likelihood: float


class _Sums:
    """Expected sums over rows, class by class, in the units of a frame."""

    def __init__(self, gaussians: _Gaussians, layout: ScatterLayout) -> None:
        k, d = gaussians.mean.shape
        self._gaussians, self._layout = gaussians, layout
        self._weight, self._shift = np.zeros(k), np.zeros((k, d))
        self._scatter = np.zeros((k if LAYOUTS[layout].by_class else 1, d, d))

    def add_blocks(self, blocks: Sequence[Block], c: int, threads: int) -> float:
        """Add points of a class, in the units of the frame; their log-likelihood."""
        parts: list[_BlockSums | None] = [None] * len(blocks)

        def expect_block(number: int) -> None:
            parts[number] = _labelled(blocks[number], c, self._gaussians)

        for_each(expect_block, range(len(blocks)), threads)
        log_likelihood = 0.0
        # In the order of the blocks, whichever thread was first.
        for part in parts:
            assert part is not None
            self.add(c, part)
            log_likelihood += part.log_likelihood
        return log_likelihood

    def add(self, c: int, part: _BlockSums) -> None:
        """Add the sums of one block."""
        self._weight[c] += part.weight
        self._shift[c] += part.shift
        self._scatter[c if self._scatter.shape[0] > 1 else 0] += part.scatter

    def add_blank(self, weight: FloatArray) -> None:
        """Add rows without any value (k,), which are expected to be as their Gaussian says."""
        for c in np.flatnonzero(weight > 0).tolist():
            whitener = self._gaussians.whitener[self._gaussians.index(c)]
            inverse = np.linalg.inv(whitener)
            d = whitener.shape[0]
            scatter = weight[c] * (inverse @ inverse.T)
            self.add(c, _BlockSums(float(weight[c]), np.zeros(d), scatter, 0.0))

    def moments(self, frame: Frame) -> ClassMoments:
        """The same as moments, in the units of the rows."""
        weight = self._weight
        shift = self._shift / np.where(weight > 0, weight, 1.0)[:, None]
        between = weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
        if self._scatter.shape[0] < weight.size:
            between = between.sum(axis=0, keepdims=True)
        scatter = self._scatter - between
        scatter = (scatter + scatter.mT) / 2
        squares = np.einsum("mii->mi", scatter)
        np.maximum(squares, 0.0, out=squares)
        scatter *= frame.unit[:, :, None] * frame.unit[:, None, :]
        if not LAYOUTS[self._layout].by_class:
            scatter = scatter[0]
        offset = (self._gaussians.mean + shift) * frame.unit
        return ClassMoments(weight, frame.anchor, offset, scatter, self._layout)


def _labelled(block: Block, c: int, gaussians: _Gaussians) -> _BlockSums:
    """The sums of points of a class."""
    whitener, m = gaussians.whitener[gaussians.index(c)], gaussians.index(c)
    hidden = _Hidden.of(block, whitener, careful=gaussians.careful)
    deviation = block.points - block.located[:, None] * gaussians.mean[c]
    squares = hidden.complete(block, deviation, whitener)
    located = block.weight * block.located
    volume = hidden.volume(block, float(gaussians.log_det[m]), gaussians.log_unit[m])
    log_likelihood = -0.5 * float(block.weight @ squares + located @ volume)
    sums = _summed(block, deviation, block.weight, located, hidden)
    return replace(sums, log_likelihood=log_likelihood)


def _log_likelihood(block: Block, c: int, gaussians: _Gaussians) -> float:
    """``Σ w log p(x | c)`` of points that lack nothing."""
    m = gaussians.index(c)
    deviation = block.points - block.located[:, None] * gaussians.mean[c]
    squares = np.square(deviation @ gaussians.whitener[m].T).sum(axis=1)
    volume = float(gaussians.log_det[m]) + deviation.shape[1] * _LOG_TWO_PI
    total = float(block.weight @ squares) + float(block.weight @ block.located) * volume
    return -0.5 * float(total)


def _summed(
    block: Block,
    deviation: FloatArray,
    weight: FloatArray,
    located: FloatArray,
    hidden: _Hidden,
) -> _BlockSums:
    """Sums of completed deviations (q, d) and the covariances (cells, h, h) of what is missing."""
    scatter = deviation.T @ (weight[:, None] * deviation)
    d, h = deviation.shape[1], block.hidden.shape[1]
    if h:
        cells = np.bincount(block.cell, located, minlength=block.hidden.shape[0])
        place = block.hidden[:, :, None] * d + block.hidden[:, None, :]
        expected = np.bincount(
            place.ravel(), (cells[:, None, None] * hidden.covariance).ravel(), minlength=d * d
        )
        scatter += expected.reshape(d, d)
    return _BlockSums(float(located.sum()), located @ deviation, scatter, 0.0)


def _expect_rows(
    density: "GaussianDensity", X: FloatArray, responsibility: FloatArray, layout: ScatterLayout
) -> ClassMoments:
    """The expected moments of rows with missing values, in units near the standard deviations."""
    frame = frame_of(density.mean, density.covariance.variance)
    gaussians = _Gaussians.of(density, frame)
    sums = _Sums(gaussians, layout)
    for rows, block in row_blocks(X):
        hidden: dict[int, _Hidden] = {}
        for c in range(density.n_classes):
            weight = responsibility[rows, c]
            if not weight.any():
                continue
            m = gaussians.index(c)
            whitener = gaussians.whitener[m]
            if m not in hidden:
                hidden[m] = _Hidden.of(block, whitener, careful=gaussians.careful)
            deviation = ((block.points - density.center) - density.offset[c]) / frame.units_of(c)
            hidden[m].complete(block, deviation, whitener)
            sums.add(c, _summed(block, deviation, weight, weight, hidden[m]))
    blank = np.isnan(X).all(axis=1)
    sums.add_blank(responsibility[blank].sum(axis=0))
    return sums.moments(frame)


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
    """Expected moments of rows without correlations.

    Parameters
    ----------
    observed : (k, d) the weight of the rows that have a value of the feature
    apart : (k, d) how far their mean is from that of the density
    scatter : (k, d) their sum of squares about their mean
    weight : (k,) of all rows
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
