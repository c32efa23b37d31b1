"""k Gaussian class-conditional densities: estimated from moments or given, and scored by kernels.

    log p(x | c) = −½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

or Student-t densities with the same means, scale matrices and ν degrees of freedom, whose heavier
tails account for covariances that are estimated from few rows; see `tails`. The marginal of either
has the same entries of mean and covariance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.types import Divisor, FloatArray, ShrinkageTarget
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import (
    class_pairs,
    description,
    drawing,
    expectation,
    scoring,
    tails,
)
from gaussbayes.families.gaussian.low_rank import LowRank, in_coordinates
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.shrinkage import (
    Penalty,
    Shrinkage,
    shrink,
    target_variances,
)
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics, degrees
from gaussbayes.families.gaussian.structure import Shape, Structure, structure_of_values
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.protocol import Coordinates, ParameterTable

_SMALLEST = 1e-305  # sums of squares below this lose digits: numbers below 1e-308 have fewer
_FARTHEST = 1024.0  # standard deviations between a mean and the centre: an error of 1e-13


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianDensity:
    """The Gaussians of k classes; with degrees of freedom, Student-t densities.

    The means are ``center + offset + remainder``; scoring uses ``x − center``, which is exact for
    floats near the centre, so that a huge common offset loses no digits. If the classes are too far
    apart for one centre, it is 0, the offsets are the means rounded to floats, and the remainders
    are their rounding errors: ``x − offset_c`` is exact near each class. Other modules have the
    functions of the longer methods.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    covariance: Shape
    remainder: FloatArray = field(
        default_factory=lambda: np.empty((0, 0))
    )  # (k, d), or (0, 0) when it is 0
    degrees: FloatArray | None = None
    """(k,) of freedom, above 2, of Student-t densities: the covariances are their scale matrices.
    They are given, not estimated. None for Gaussians, which have infinitely many."""

    @property
    def n_classes(self) -> int:
        return int(self.offset.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.offset.shape[1])

    @property
    def mean(self) -> FloatArray:
        """The means (k, d)."""
        return np.asarray(
            self.center + self.offset
        )  # a remainder is smaller than the rounding error

    def mean_from(self, anchor: FloatArray) -> FloatArray:
        """The means minus points near them (k, d), without rounding errors."""
        apart = (self.center - anchor) + self.offset
        return np.asarray(apart + self.remainder if self.remainder.size else apart)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations (k, d), the same in every row if the covariance is shared."""
        deviation = self.covariance.deviation * np.sqrt(tails.spread(self.degrees))[:, None]
        return np.broadcast_to(deviation, self.offset.shape)

    def dense_covariance(self) -> FloatArray:
        """The covariances (m, d, d): larger than scale matrices by ``ν / (ν − 2)``."""
        dense = self.covariance.dense()
        return dense if self.degrees is None else dense * tails.spread(self.degrees)[:, None, None]

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""
        return self.covariance.n_covariances < self.n_classes and self.degrees is None

    @property
    def located(self) -> tuple[FloatArray, FloatArray]:
        """A point (d,) among the means, and the offsets of the means from it (k, d)."""
        return self.center, self.offset

    @property
    def centred(self) -> "GaussianDensity":
        """The density of rows minus the centre."""
        return replace(self, center=np.zeros_like(self.center))

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``W v`` of vectors (…, d), by the covariance of a class."""
        return self.covariance.whiten(vectors, code)

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""
        return self.covariance.times_precision(vectors, code)

    @property
    def n_parameters(self) -> int:
        """Free parameters: k·d means, and those of the covariances."""
        return self.offset.size + self.covariance.n_parameters

    def marginal(self, columns: Sequence[int], names: Schema) -> "GaussianDensity":
        """The Gaussians of some features, which have the same entries of mean and covariance."""
        where = np.asarray(columns, dtype=np.intp)
        shape = self.covariance.sub(where, names)
        left = self.remainder[:, where] if self.remainder.size else self.remainder
        return GaussianDensity(self.center[where], self.offset[:, where], shape, left, self.degrees)

    def selected(self, codes: Sequence[int]) -> "GaussianDensity":
        shape = self.covariance if self.shared else self.covariance.selected(codes)
        left = self.remainder[list(codes)] if self.remainder.size else self.remainder
        degrees = None if self.degrees is None else self.degrees[list(codes)]
        return GaussianDensity(self.center, self.offset[list(codes)], shape, left, degrees)

    def log_likelihood(self, statistics: GaussianStatistics | MappedStatistics) -> float:
        """``Σ w log p(x | c)`` of the observed values, each row in its class.

        For complete rows of weight W_c, mean μ̂_c and scatter S_c it is
        ``−½ Σ_c (W_c (d log 2π + log |Σ_c| + |W (μ̂_c − μ_c)|²) + tr Σ_c⁻¹ S_c)``. Student-t
        densities have no sufficient statistics and raise an error.
        """
        tails.check_gaussian(self.degrees, "the log-likelihood of statistics")
        if isinstance(self.covariance, LowRank):
            assert isinstance(statistics, MappedStatistics)  # by coordinates in the same span
            return in_coordinates(self, self.covariance).log_likelihood(statistics.inner)
        assert isinstance(statistics, GaussianStatistics)
        if statistics.cells is not None:
            return self.expect_statistics(statistics)[1]
        moments, shape = statistics.moments, self.covariance
        scatter = moments.scatters(shape.layout, shared=self.shared)
        squares = float(shape.squares(scatter).sum())
        apart = moments.offset - self.mean_from(moments.anchor)
        for c in np.flatnonzero(moments.weight > 0).tolist():
            squares += float(moments.weight[c] * np.square(shape.whiten(apart[c], c)).sum())
        volume = self.n_columns * np.log(2 * np.pi) + shape.log_det
        volumes = float(np.broadcast_to(volume, moments.weight.shape) @ moments.weight)
        return -0.5 * (volumes + squares)

    def coordinates(self, names: Schema) -> "Coordinates[GaussianDensity]":
        from gaussbayes.families.gaussian.missing_values import GaussianCoordinates

        return GaussianCoordinates(self, names)

    score = scoring.score
    log_density = scoring.log_density
    squared_distance = scoring.squared_distance
    expression = description.describe
    expect = expectation.expect
    expect_statistics = expectation.expect_statistics
    draw = drawing.draw
    draw_members = drawing.draw_members
    contributions = class_pairs.contributions

    def reference_point(self, weights: FloatArray) -> FloatArray:
        return weights @ self.mean

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means, standard deviations, degrees of freedom, and correlations of a few features."""
        deviation = self.deviation[: self.covariance.n_covariances]
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, deviation),
            *tails.table_of(self.degrees),
            *self.covariance.tables(names),
        )


# From complete statistics, or given by the user.


def estimate(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor = "mle",
    shrinkage: Shrinkage = None,
    target: ShrinkageTarget = "diagonal",
    regularisation: Regularisation | None = None,
) -> GaussianDensity:
    """The estimated density of complete rows.

    Means are the classes' means; a covariance is the scatter divided by N (``"mle"``) or by N − 1
    (``"unbiased"``; N − k when shared), then shrunk and regularised. For partial pooling,
    class-specific and pooled covariances are estimated in this way and then mixed: class-specific
    scatters may be singular, the mixture may not.
    """
    _check_underflow(moments, names)
    towards = None
    if shrinkage is not None and not structure.shape.isotropic:
        towards = target_variances(target, moments)
    values = covariance_values(moments, names, structure, divisor, shrinkage, towards)
    weight = moments.weight.sum(keepdims=True) if structure.shared else moments.weight
    try:
        if regularisation is None:
            covariance = structure.shape.of(values, names, weight)
        else:
            values = regularisation.regularised(values, moments)
            covariance = regularisation.shape_of(structure.shape, values, names, weight)
    except SingularCovarianceError:
        if structure.between:  # singular only if the pooled one is, whose error has more details
            pooled = structure.parts[1]
            estimate(moments, names, pooled, divisor, shrinkage, target, regularisation)
        raise
    return located_density(moments.anchor, moments.offset, moments.weight, covariance)


def _check_underflow(moments: ClassMoments, names: Schema) -> None:
    """Raise if the values of a feature are so small that their squares underflow."""
    if moments.squares.min(initial=np.inf) >= _SMALLEST:
        return
    squares = moments.squares.sum(axis=0)
    largest = np.abs(moments.mean).max(axis=0)
    varies = (squares > 0) | ((largest > 0) & (largest < np.sqrt(_SMALLEST)))
    small = np.flatnonzero((squares < _SMALLEST) & varies)
    if small.size:
        msg = (
            f"the values of {names.feature_list(small.tolist())}, about {largest[small[0]]:.0e}, "
            "are so small that their squares underflow; give the features in smaller units"
        )
        raise SingularCovarianceError(msg)


def maximum(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    penalty: Penalty | None = None,
) -> GaussianDensity:
    """The most likely density of complete rows, class-specific covariances if partially pooled.

    A penalty is added to the log-likelihood.
    """
    shape = structure.shape
    scatter = moments.scatters(shape.layout, shared=structure.shared)
    divide = weight = structure.weights(moments.weight)
    if penalty is not None:
        scatter, divide = penalty.added(scatter), weight + penalty.weight
    covariance = shape.of(shape.from_scatter(scatter, divide), names, weight)
    return located_density(moments.anchor, moments.offset, moments.weight, covariance)


def given(
    names: Schema, structure: Structure, means: ArrayLike, covariances: ArrayLike
) -> GaussianDensity:
    """A density with given means (k, d).

    Covariances are full (k, d, d) or shared (d, d); diagonal (k, d) or (d,); spherical (k,) or ().
    """
    k, d = names.classes.shape[0], names.n_features
    mean = _finite_numbers("means", means)
    if mean.shape != (k, d):
        msg = f"means must have shape {(k, d)} (classes, features), got {mean.shape}"
        raise OptionError(msg)
    values = _finite_numbers("covariances", covariances)
    structure_of_values(values, k, d, structure.covariance, structure.shared)  # raises unless so
    if structure.shared:
        values = values[None]
    covariance = structure.shape.given(values, names)
    return located_density(mean, np.zeros((k, d)), np.ones(k), covariance)


def _finite_numbers(what: str, values: ArrayLike) -> FloatArray:
    numbers = as_numbers(what, values)
    if not np.isfinite(numbers).all():
        place = tuple(np.argwhere(~np.isfinite(numbers))[0].tolist())
        msg = f"{what} must be finite, got {numbers[place]} at {place}"
        raise OptionError(msg)
    return numbers


def covariance_values(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor,
    shrinkage: Shrinkage,
    target: FloatArray | None,
    n_features: int | None = None,
) -> FloatArray:
    """The covariances: full (m, d, d), diagonal (m, d) or spherical (m,); m is 1 when shared.

    For `n_features` see `shrink`.
    """
    if structure.between:
        apart, pooled = (
            covariance_values(moments, names, part, divisor, shrinkage, target, n_features)
            for part in structure.parts
        )
        apart *= 1.0 - structure.sharing  # in place: these are the largest arrays of a model
        apart += structure.sharing * pooled
        return apart
    shared, shape = structure.shared, structure.shape
    weight, divide = divisors(moments, names, structure, divisor)
    values = shape.from_scatter(moments.scatters(shape.layout, shared=shared), divide)
    if shrinkage is None or shape.isotropic:
        return values
    return shrink(values, shrinkage, weight, target, n_features)


def divisors(
    moments: ClassMoments, names: Schema, structure: Structure, divisor: Divisor
) -> tuple[FloatArray, FloatArray]:
    """The weights of scatters (m,), and their divisors (m,); DataError unless above 0."""
    weight, shared = structure.weights(moments.weight), structure.shared
    divide = degrees(weight, divisor, moments.n_classes if shared else 1)
    if (divide <= 0).any():
        code = int(np.argmin(divide))
        who = "the classes together weigh" if shared else f"class {names.class_name(code)} weighs"
        msg = (
            f"{who} {weight[code]:g}, so that the unbiased estimate divides by {divide[code]:g}; "
            "it needs more rows"
        )
        raise DataError(msg)
    return weight, divide


def located_density(
    anchor: FloatArray, offset: FloatArray, weight: FloatArray, covariance: Shape
) -> GaussianDensity:
    """The Gaussians with means ``anchor + offset`` (k, d), around a float vector among them.

    Rounding ``x − center`` moves a row by up to ``ε |mean − center|``. If that is not small
    compared with each feature's standard deviation given the other features, the centre is 0.
    """
    first = int(weight.argmax())
    # Differences of nearby anchors are exact; rounding comes after them.
    apart = (anchor - anchor[first]) + offset
    center: FloatArray = anchor[first] + (weight / weight.sum()) @ apart
    away = (anchor - center) + offset
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.abs(away) * np.sqrt(covariance.precision)
    if (distance <= _FARTHEST).all():
        return GaussianDensity(center, away, covariance)
    mean = anchor + offset
    remainder = (anchor - mean) + offset
    return GaussianDensity(np.zeros_like(center), mean, covariance, remainder)
