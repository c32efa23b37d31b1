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
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.data.rows import Rows
from gaussbayes.families.gaussian.feature_moments import moments_of_cells
from gaussbayes.families.gaussian.moments import LAYOUTS, ClassMoments
from gaussbayes.families.gaussian.points import Frame, PointBlock, frame_of, points_of, row_blocks
from gaussbayes.families.gaussian.statistics import GaussianStatistics, layout_for, summarise

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

_LOG_TWO_PI = float(np.log(2 * np.pi))

_WELL = 1e3  # amplification of rounding up to which the quick way is as good as the careful one
_AT_ONCE = 64  # blocks whose sums are held at a time
_MOST_ENTRIES = 1 << 17  # entries of rows without correlations that are worked on at a time


def expect_statistics(
    density: "GaussianDensity", statistics: GaussianStatistics, threads: int = 1
) -> tuple[GaussianStatistics, float]:
    """Expected complete statistics of labelled rows, and ``Σ w log p(x | c)`` of what they have."""
    if not density.covariance.correlated:
        return _expect_uncorrelated(density, statistics)
    points = points_of(statistics, shared=density.shared)
    complete = statistics.moments
    sums = _Sums(density, points.frame, complete.layout if complete.layout == "pooled" else "full")
    log_likelihood = 0.0
    for c, blocks in enumerate(points.blocks):
        for some in ranges(len(blocks), _AT_ONCE):
            log_likelihood += sums.add_blocks(blocks[some], c, threads)
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

    def add_blocks(self, blocks: Sequence[PointBlock], c: int, threads: int) -> float:
        """Add points of a class that lack something; the log-likelihood of all points."""
        gaussian = self.gaussians[c]
        log_likelihood = np.zeros(len(blocks))
        parts: dict[int, tuple[float, FloatArray, FloatArray]] = {}

        def expect_block(number: int) -> None:
            block = blocks[number]
            hidden = _Hidden.of(block, gaussian)
            deviation = block.points - block.located[:, None] * gaussian.mean
            squares = hidden.complete(block, deviation, gaussian.whitener)
            located = block.weight * block.located
            twice = block.weight @ squares + located @ hidden.volume(block, gaussian)
            log_likelihood[number] = -0.5 * twice
            if block.hidden.shape[1]:
                parts[number] = _summed(block, deviation, block.weight, located, hidden)

        for_each(expect_block, range(len(blocks)), threads)
        for number in sorted(parts):  # whichever thread was first
            self.add(c, *parts[number])
        return float(log_likelihood.sum())

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
