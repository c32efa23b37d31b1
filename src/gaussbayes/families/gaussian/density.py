"""k Gaussian class-conditional densities: estimated from moments or given, and scored by kernels.

    log p(x | c) = −½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

or Student-t densities with the same means, scale matrices and ν degrees of freedom, whose tails are
heavier because a covariance that is estimated from few rows is not quite known; see `tails`.

is quadratic in x. With one covariance for all classes the square of x is the same for each of them
and cancels in the posterior: what is left is linear, and d times cheaper.

NaN is a value that is missing, and is integrated out: every score is that of the features that are
there. The kernels meet NaN on their way, so that complete rows pay nothing for it. The marginal of
a Gaussian has the same entries of mean and covariance. Rows with the same features missing
may be many: then the marginal is worked out once, and scored as complete rows are. Where nearly
every row lacks others, a kernel factors a matrix for each. A row of which nothing is there has
density 1 for every class, so that its posterior is the prior.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes import kernels
from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import CACHED, for_each, ranges, rows_at_once
from gaussbayes.base.types import Divisor, FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian import class_pairs, description, drawing, expectation, tails
from gaussbayes.families.gaussian.patterns import patterns_of
from gaussbayes.families.gaussian.reduced_rank import Reduced
from gaussbayes.families.gaussian.regularisation import PLAIN, Regularisation
from gaussbayes.families.gaussian.shrinkage import (
    Penalty,
    Shrinkage,
    Target,
    shrink,
    target_of,
)
from gaussbayes.families.gaussian.statistics import LAYOUTS, ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import Shape, Structure, structure_of_values
from gaussbayes.families.protocol import Coordinates, ParameterTable, Reference
from gaussbayes.families.removal import degrees
from gaussbayes.kernels import check_possible
from gaussbayes.kernels.arrays import (
    IMPOSSIBLE,
    NOT_FINITE,
    Form,
    Linear,
    Masked,
    Quadratic,
    as_matrix,
    no_remainder,
)

Purpose: TypeAlias = Literal["log_joint", "distance", "posterior", "logarithm"]
"""What a form is for; the last two are the posterior, and differences of logarithms."""

_PURPOSE: dict[Task, Purpose] = {
    "log_joint": "log_joint",
    "label": "posterior",
    "posterior": "posterior",
    "log_posterior": "logarithm",
    "log_ratio": "logarithm",
}

_ROUNDING = {"posterior": {"d": 2e-12, "f": 1e-5}, "logarithm": {"d": 2e-14, "f": 1e-6}}
"""What the linear form may lose, for float64 (d) and float32 (f) rows.

A posterior is judged by its absolute error, a log posterior, which may be near 0, by its relative
one.
"""

# Rows alike that are worth a marginal of their own, however long it takes to score one.
_FEWEST = 32
# How long working out a marginal takes, in the units of `_rows_worth_a_marginal`.
_MARGINAL = 1 << 24
_SAMPLE = 1024  # rows that tell whether to look for common patterns at all
_SMALLEST = 1e-305  # sums of squares below this lose digits: numbers below 1e-308 have fewer
_FARTHEST = 1024.0  # standard deviations between a mean and the centre: an error of 1e-13
_MOST_FORMS = 16  # forms of one density that are kept: of several purposes, widths and priors
_BLOCK = 1 << 16  # rows that are scored at a time, at most
_DOUBLE = np.dtype(np.float64)
_LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianDensity:
    """The Gaussians of k classes; with degrees of freedom, Student-t densities.

    The means are ``center + offset + remainder``; scoring works on ``x − center``, which is exact
    for floats near the centre, so that a huge common offset costs no digit. If the classes are too
    far apart for one centre, it is 0, the offsets are the means rounded to floats, and the
    remainders are what rounding took from them: ``x − offset_c`` is exact near each class. What is
    not written out here are functions of other modules.
    """

    center: FloatArray  # (d,)
    offset: FloatArray  # (k, d)
    covariance: Shape
    remainder: FloatArray = field(default_factory=no_remainder)  # (k, d), or (0, 0) when it is 0
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
        return np.asarray(self.center + self.offset)  # a remainder is less than its rounding

    def mean_from(self, anchor: FloatArray) -> FloatArray:
        """The means less points near them (k, d), without the rounding of either."""
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
        """A point (d,) amid the means, and the means' offsets from it (k, d)."""
        return self.center, self.offset

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

    def log_likelihood(self, statistics: GaussianStatistics) -> float:
        """``Σ w log p(x | c)`` of what was observed, each row in its own class.

        For complete rows of weight W_c, mean μ̂_c and scatter S_c it is
        ``−½ Σ_c (W_c (d log 2π + log |Σ_c| + |W (μ̂_c − μ_c)|²) + tr Σ_c⁻¹ S_c)``. Student-t
        densities have no sufficient statistics: an error.
        """
        tails.check_gaussian(self.degrees, "the log-likelihood of statistics")
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

    expression = description.describe
    expect = expectation.expect
    expect_statistics = expectation.expect_statistics
    draw = drawing.draw
    draw_widely = drawing.draw_widely
    contributions = class_pairs.contributions
    log_overlap = class_pairs.log_overlap
    draw_between = class_pairs.draw_between

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k), what is missing integrated out."""
        if self.degrees is None:
            return self.score(rows, np.zeros(self.n_classes), None, "log_joint", threads)
        squares, n_features = self._squares(rows, threads)
        half_log_det = self._half_log_det(rows, n_features, threads)
        result = tails.log_density(squares, half_log_det, self.degrees, n_features[:, None])
        return result.astype(rows.dtype, copy=False)

    def _half_log_det(self, rows: Rows, n_features: FloatArray, threads: int) -> FloatArray:
        """``½ log |Λ_c|`` of the features that are there: (1, k), or (n, k) if some are missing."""
        if (n_features == self.n_columns).all():
            log_det = np.broadcast_to(self.covariance.log_det, self.n_classes)
            return np.asarray(0.5 * log_det[None])
        log_det = np.empty((rows.n_rows, self.n_classes))
        for code in range(self.n_classes):
            # Gaussians have it at their own mean, where the squares to be taken off are small.
            gaussian = replace(self.selected([code]), degrees=None)
            at_mean = number_rows(np.where(np.isnan(rows.matrix), np.nan, gaussian.mean[0]))
            squares, _ = gaussian.squared_distance(at_mean, threads)
            log_det[:, code] = -(gaussian.log_density(at_mean, threads) + 0.5 * squares)[:, 0]
        return np.asarray(log_det - 0.5 * _LOG_2_PI * n_features[:, None])

    def score(
        self,
        rows: Rows,
        log_prior: FloatArray,
        bias: Callable[[slice], RealArray] | None,
        task: Task,
        threads: int = 1,
    ) -> NDArray[Any]:
        """What `task` asks for of ``log_prior_c + log p(x | c) + bias_c``: labels (n,) or (n, k).

        Scores are of the rows' float type. The bias, what is known of the rows besides their
        numbers, is worked out block by block, on the threads. −∞ in it, or in the prior, rules a
        class out. Rows that are infinite are an error; for posteriors, so are those that have
        probability 0 in every class, or are so far from every class that squares overflow.
        """
        n, k = rows.numbers.shape[0], log_prior.shape[0]
        out: NDArray[Any] = (
            np.empty(n, dtype=np.intp) if task == "label" else np.empty((n, k), dtype=rows.dtype)
        )
        if self.degrees is None:
            _run(_Wanted(self, log_prior, _PURPOSE[task], task), rows, bias, threads, out)
        else:
            _score_students(self, rows, log_prior, bias, task, threads, out)
        return out

    def squared_distance(self, rows: Rows, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Squared distances (n, k) that follow χ², and their degrees of freedom (n,).

        These are the features that are there. For Gaussians they are Mahalanobis distances. For
        Student-t densities ``u / d`` follows the F distribution with d and ν degrees of freedom,
        and the distance is that of a Gaussian at which the tail is as probable.
        """
        squares, n_features = self._squares(rows, threads)
        return tails.chi_square_distance(squares, n_features, self.degrees), n_features

    def _squares(self, rows: Rows, threads: int) -> tuple[FloatArray, FloatArray]:
        """Squared Mahalanobis distances (n, k), and how many features are there (n,)."""
        k = self.n_classes
        squares: RealArray = np.empty((rows.n_rows, k), dtype=rows.dtype)
        n_observed = np.full(rows.n_rows, float(self.n_columns))
        wanted = _Wanted(self, np.zeros(k), "distance", "log_joint")
        _run(wanted, rows, None, threads, squares, n_observed)
        squares *= -2
        squares += 0.0  # at the mean itself 0, not −0
        return squares.astype(np.float64, copy=False), n_observed

    def reference_point(self, reference: Reference) -> FloatArray:
        return reference.offset(self.mean)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means, standard deviations, degrees of freedom, and correlations of a few features."""
        deviation = self.deviation[: self.covariance.n_covariances]
        return (
            ParameterTable("mean", names.titles, self.mean),
            ParameterTable("standard deviation", names.titles, deviation),
            *tails.table_of(self.degrees),
            *self.covariance.tables(names),
        )


# From complete statistics, or as the user wrote it down.


def estimate(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor = "mle",
    shrinkage: Shrinkage = None,
    target: Target = "diagonal",
    regularisation: Regularisation = PLAIN,
    threads: int = 1,
) -> GaussianDensity:
    """The density that fits complete rows best.

    Means are the classes' means; a covariance is the scatter divided by N (``"mle"``) or by N − 1
    (``"unbiased"``; N − k when shared), then shrunk and regularised. Between own and shared, both
    are estimated in this way, then mixed: own scatters may be singular, the mixture may not.
    """
    _check_underflow(moments, names)
    towards = None
    if shrinkage is not None and target == "diagonal" and not structure.shape.isotropic:
        towards = target_of(moments)
    values = _values(moments, names, structure, divisor, shrinkage, towards)
    values = regularisation.regularised(values, moments)
    weight = moments.weight.sum(keepdims=True) if structure.shared else moments.weight
    try:
        covariance = regularisation.shape_of(structure.shape, values, names, weight, threads)
    except SingularCovarianceError:
        if structure.between:  # singular only if the pooled one is, of which more can be said
            pooled = structure.parts[1]
            estimate(moments, names, pooled, divisor, shrinkage, target, regularisation)
        raise
    return located_density(moments.anchor, moments.offset, moments.weight, covariance)


def _check_underflow(moments: ClassMoments, names: Schema) -> None:
    """Raise if the values of a feature are so small that their squares underflow."""
    squares = LAYOUTS[moments.layout].squares(moments.scatter).sum(axis=0)
    if (squares >= _SMALLEST).all():
        return
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
    """The most likely density of complete rows, own covariances where the structure is between.

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
    """A density that the user wrote down, with means (k, d).

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


def _values(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor,
    shrinkage: Shrinkage,
    target: FloatArray | None,
) -> FloatArray:
    """The covariances: full (m, d, d), diagonal (m, d) or spherical (m,); m is 1 when shared."""
    if structure.between:
        apart, pooled = (
            _values(moments, names, part, divisor, shrinkage, target) for part in structure.parts
        )
        return np.asarray((1.0 - structure.sharing) * apart + structure.sharing * pooled)
    shared, shape = structure.shared, structure.shape
    weight, divide = divisors(moments, names, structure, divisor)
    values = shape.from_scatter(moments.scatters(shape.layout, shared=shared), divide)
    if shrinkage is None or shape.isotropic:
        return values
    return shrink(values, shrinkage, weight, target)


def divisors(
    moments: ClassMoments, names: Schema, structure: Structure, divisor: Divisor
) -> tuple[FloatArray, FloatArray]:
    """The weights of scatters (m,), and what they are divided by (m,); DataError unless above 0."""
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
    """The Gaussians with means ``anchor + offset`` (k, d), about a float vector amid them.

    Rounding ``x − center`` moves a row by up to ``ε |mean − center|``. If that is not little in
    units of each feature's standard deviation given the other features, the centre is 0.
    """
    first = int(weight.argmax())
    # Differences of nearby anchors are exact; only then is anything rounded.
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


# Scores of rows.


class _Wanted(NamedTuple):  # made in a third of the time that a frozen dataclass takes
    """What is asked of rows: which score, of which density, under which prior."""

    density: GaussianDensity
    log_prior: FloatArray  # (k,)
    purpose: Purpose
    task: Task

    def form(self, dtype: "np.dtype[Any]", *, masked: bool = False) -> Any:
        """The form for rows of `dtype`, laid out for the active kernels.

        It is kept for as long as the density lives: a stream of single rows would otherwise spend
        its time laying out the same matrices.
        """
        active, width = kernels.active(), "masked" if masked else dtype.char
        key = self.purpose, width, active.NAME, active.instruction_set(), self.log_prior.tobytes()
        known = _prepared.setdefault(self.density, {})
        form = known.get(key)
        if form is None:
            form = active.prepare(self._masked() if masked else self._cheapest(dtype), dtype)
            if len(known) >= _MOST_FORMS:
                known.clear()
            known[key] = form
        return form

    def _cheapest(self, dtype: "np.dtype[Any]") -> Form:
        """The cheapest form that is exact enough for its purpose and rows of `dtype`.

        Of two neighbours among far-off classes the linear form keeps but few digits: its terms grow
        with the squared distances of the means from the centre, and cancel. The quadratic form's
        terms are small near a mean, wherever that lies.
        """
        density, purpose, log_prior = self.density, self.purpose, self.log_prior
        shape, (k, d) = density.covariance, density.offset.shape
        if purpose == "distance":
            where = density.center, density.offset, shape.whitener
            return Quadratic(*where, np.zeros(k), density.remainder)
        if purpose != "log_joint" and density.shared:
            white = shape.whiten(density.offset)
            squares = np.einsum("cj,cj->c", white, white)
            if squares.max() * np.finfo(dtype).eps <= _ROUNDING[purpose][dtype.char]:
                coefficient = shape.times_precision(density.offset)
                return Linear(density.center, coefficient, log_prior - 0.5 * squares)
        log_constant = np.broadcast_to(log_prior - 0.5 * (d * _LOG_2_PI + shape.log_det), (k,))
        log_constant = np.ascontiguousarray(log_constant)
        where = density.center, density.offset, shape.whitener
        return Quadratic(*where, log_constant, density.remainder)

    def _masked(self) -> Masked:
        """The form for rows with missing features, whichever these are."""
        density, shape = self.density, self.density.covariance
        scale = 1.0 / shape.deviation
        is_density = self.purpose != "distance"
        log_feature = np.log(scale) - 0.5 * _LOG_2_PI if is_density else np.zeros_like(scale)
        where = density.center, density.offset, scale, shape.correlation
        return Masked(*where, log_feature, self.log_prior, is_density, density.remainder)

    def of_features(self, seen: NDArray[np.bool_]) -> "_Wanted":
        """The same of the features that are there (d,), the others integrated out."""
        if seen.all():
            return self
        columns = np.flatnonzero(seen)
        names = Schema(np.arange(self.density.n_classes), columns.size)
        return self._replace(density=self.density.marginal(columns.tolist(), names))


_prepared: WeakKeyDictionary[GaussianDensity, dict[tuple[Any, ...], Any]] = WeakKeyDictionary()


def _run(
    wanted: _Wanted,
    rows: Rows,
    bias: Callable[[slice], RealArray] | None,
    threads: int,
    out: NDArray[Any],
    n_observed: FloatArray | None = None,
) -> None:
    """Run the kernels over blocks of rows, on several threads when that pays.

    `n_observed` (n,) are how many features of each row there are, as if all were there.
    """
    numbers, task = rows.numbers, wanted.task
    n, d = numbers.shape
    form, kernel = wanted.form(rows.dtype), kernels.active().score

    def score_block(block: slice) -> None:
        X = as_matrix(numbers[block])
        added = None if bias is None else bias(block).astype(X.dtype, copy=False)
        problem = kernel(form, X, task, out[block], bias=added)
        if problem & NOT_FINITE:
            problem = _score_incomplete(wanted, X, added, out[block])
            if n_observed is not None:
                n_observed[block] = np.count_nonzero(~np.isnan(X), axis=1)
        if problem:
            _raise(X, added, wanted.log_prior, block.start, problem)

    step = min(rows_at_once(d, 2048), _BLOCK)
    entries = n * d
    if bias is not None:
        k = wanted.log_prior.shape[0]
        step = min(step, rows_at_once(k, 64))
        entries += n * k
    for_each(score_block, ranges(n, step), threads if entries > CACHED else 1)


def _score_students(
    density: GaussianDensity,
    rows: Rows,
    log_prior: FloatArray,
    bias: Callable[[slice], RealArray] | None,
    task: Task,
    threads: int,
    out: NDArray[Any],
) -> None:
    """Write what `GaussianDensity.score` asks for of Student-t densities, block by block."""

    def score_block(block: slice) -> None:
        log_joint = density.log_density(rows[block]) + log_prior.astype(rows.dtype)
        if bias is not None:
            log_joint += bias(block).astype(rows.dtype, copy=False)
        if kernels.normalise(log_joint, task, out[block]):
            check_possible(log_joint, block.start)

    many = rows.n_rows * density.n_columns > CACHED
    for_each(score_block, ranges(rows.n_rows, _BLOCK), threads if many else 1)


def _raise(
    X: RealArray, bias: RealArray | None, log_prior: FloatArray, start: int, problem: int
) -> None:
    if problem & NOT_FINITE:
        check_finite(X, start, allow_nan=True)
    if problem & IMPOSSIBLE and bias is not None:
        check_possible(bias + log_prior, start)
    msg = (
        f"some of the rows {start} … {start + X.shape[0] - 1} are so far from every class that "
        "the square of the distance overflows; are the units those of the training rows?"
    )
    raise DataError(msg)


def _score_incomplete(
    wanted: _Wanted, X: RealArray, bias: RealArray | None, out: NDArray[Any]
) -> int:
    """As `gaussbayes.kernels.reference.score`, for rows of which some have missing values."""
    kernel, task = kernels.active().score, wanted.task

    def score_some(form: Any, part: RealArray, rows: NDArray[np.intp]) -> int:
        """Score rows that stand at these places among the others."""
        width = out.dtype if task == "label" else part.dtype
        added = None if bias is None else bias[rows].astype(part.dtype, copy=False)
        if rows.size == out.shape[0] and width == out.dtype:
            return int(kernel(form, part, task, out, bias=added))
        scores = np.empty((rows.size, *out.shape[1:]), dtype=width)
        problems: int = kernel(form, part, task, scores, bias=added)
        out[rows] = scores
        return problems

    common, rare = _rows_alike(X, wanted.density)
    problems = 0
    if rare.size:
        if 2 * rare.size > X.shape[0]:  # rather score a few in vain than copy the many
            rare = np.arange(X.shape[0])
        some = X if rare.size == X.shape[0] else X.take(rare, axis=0)
        double = some.astype(_DOUBLE, copy=False)
        problems |= score_some(wanted.form(_DOUBLE, masked=True), double, rare)
    for rows, seen in common:
        form = wanted.of_features(seen).form(X.dtype)
        some = X.take(rows, axis=0)
        problems |= score_some(form, some if seen.all() else some[:, seen], rows)
    return NOT_FINITE if problems & NOT_FINITE else problems


def _rows_alike(
    X: RealArray, density: GaussianDensity
) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.bool_]]], NDArray[np.intp]]:
    """Rows for the ordinary kernels, with the features (d,) that they have, and the other rows.

    Those are the complete rows and, where a matrix is to be factored, all of a common pattern.
    """
    least = _rows_worth_a_marginal(density)
    if not density.covariance.correlated or _all_rare(X, least):
        with np.errstate(over="ignore", invalid="ignore"):
            complete = np.isfinite(np.einsum("ij->i", X))
        rows = np.flatnonzero(complete)
        whole = [(rows, np.ones(X.shape[1], dtype=bool))] if rows.size else []
        return whole, np.flatnonzero(~complete)
    patterns = patterns_of(X)
    common = patterns.size >= least
    common[0] &= patterns.observed[0].any()
    common[-1] |= patterns.observed[-1].all()
    alike = [(patterns.rows(at), patterns.observed[at]) for at in np.flatnonzero(common).tolist()]
    return alike, np.flatnonzero(~common[patterns.number])


def _all_rare(X: RealArray, least: int) -> bool:
    """Whether no incomplete pattern seems to have so many rows, by a few of them.

    Only time depends on it: grouping many rows in vain takes a sixth of scoring them one by one.
    """
    step = X.shape[0] // _SAMPLE
    expected = least // max(step, 1)  # rows in the sample of a pattern that is just common
    if step < 2 or expected < 8:
        return False
    sample = patterns_of(X[::step])
    size = sample.size[~sample.observed.all(axis=1)]
    return bool(size.max(initial=0) < expected)


def _rows_worth_a_marginal(density: GaussianDensity) -> int:
    """How many rows of one pattern take longer one by one than once a marginal is worked out."""
    if isinstance(density.covariance, Reduced):
        return 1  # which directions do not count depends on the features that are there
    if kernels.active().NAME == "reference":
        return _FEWEST
    one_by_one = density.covariance.n_covariances * (density.n_columns + 8) ** 3
    return max(_FEWEST, _MARGINAL // one_by_one)
