"""Scores of rows by Gaussian and Student-t densities, by kernels.

    log p(x | c) = −½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

is quadratic in x. With one covariance for all classes the square of x is the same for each of them
and cancels in the posterior: the remaining terms are linear, and d times cheaper. If the square is
needed, a row is whitened once for all classes. Both are computed in float64, also for float32 rows,
because the terms of many features cancel; squares are computed in float32 if the covariance is so
well-conditioned that they lose little.

NaN is a missing value, which is integrated out: every score is that of the observed features. The
kernels detect NaN while scoring, so complete rows cost no extra time. If many rows have the same
pattern of missing features, the marginal is computed once and scores them like complete rows. If
nearly every row has a different pattern, a kernel factors a matrix for each. A row without values
has density 1 for every class, so that its posterior is the prior.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import BLOCK_ROWS, CACHED, for_each, ranges, rows_at_once
from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import LOG_2_PI
from gaussbayes.families.gaussian import tails
from gaussbayes.families.gaussian.cells import patterns_of
from gaussbayes.families.gaussian.low_rank import LowRank, distances
from gaussbayes.families.gaussian.regularisation import Reduced
from gaussbayes.kernels import check_possible
from gaussbayes.kernels.arrays import (
    IMPOSSIBLE,
    NOT_FINITE,
    Form,
    Linear,
    Masked,
    Quadratic,
    Whitened,
    as_matrix,
)

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

Purpose: TypeAlias = Literal["log_joint", "distance", "posterior", "logarithm"]
"""The purpose of a form; the last two are the posterior, and differences of logarithms."""

_PURPOSE: dict[Task, Purpose] = {
    "log_joint": "log_joint",
    "label": "posterior",
    "posterior": "posterior",
    "log_posterior": "logarithm",
    "log_ratio": "logarithm",
}

_ROUNDING = {"posterior": 2e-12, "logarithm": 2e-14}
"""The largest rounding error of the linear form.

A posterior is evaluated by its absolute error; a log posterior, which may be near 0, by its
relative error.
"""

_FARTHEST_WHITENED = 2048.0
"""Standard deviations between a mean and the centre up to which rows are whitened only once.

The difference of a whitened row and a whitened mean then loses up to 2048 ε, 5e-13.
"""

_NARROW = 8192.0
"""The factor of allowed rounding for rows in float32, whose scores are rounded to 6e-8: posteriors
of linear forms may have errors of 2e-8."""

_LARGEST_SINGLE = 256.0
"""The largest A (1 + F²/d) at which rows in float32 are whitened in float32, which takes half the
time. A is the largest variance inflation of a feature, F the largest distance of a mean from the
centre. Squared distances then have a relative error of about 6e-8 √(A (1 + F²/d)), up to 1e-6;
near a mean, where they vanish, it is that much of a rounding of the row."""

# Rows with the same pattern that always justify a separate marginal.
_FEWEST = 32
# The time of computing a marginal, in the units of `_rows_worth_a_marginal`.
_MARGINAL = 1 << 24
_MOST_FORMS = 16  # forms of one density that are kept: of several purposes, widths and priors
_DOUBLE = np.dtype(np.float64)
_EPSILON = float(np.finfo(np.float64).eps)


def log_density(density: "GaussianDensity", rows: Rows, threads: int = 1) -> RealArray:
    """``log p(x | c)`` (n, k), with missing values integrated out."""
    if isinstance(density.covariance, LowRank):
        squares, log_det, n_features = distances(density, density.covariance, rows, threads)
        half_log_det = 0.5 * log_det
    elif density.degrees is None:
        return density.score(rows, np.zeros(density.n_classes), None, "log_joint", threads)
    else:
        squares, n_features = _squares(density, rows, threads)
        half_log_det = _half_log_det(density, rows, n_features, threads)
    result = tails.log_density(squares, half_log_det, density.degrees, n_features[:, None])
    return result.astype(rows.dtype, copy=False)


def _half_log_det(
    density: "GaussianDensity", rows: Rows, n_features: FloatArray, threads: int
) -> FloatArray:
    """``½ log |Λ_c|`` of the observed features: (1, k), or (n, k) if some are missing."""
    if (n_features == density.n_columns).all():
        log_det = np.broadcast_to(density.covariance.log_det, density.n_classes)
        return np.asarray(0.5 * log_det[None])
    log_det = np.empty((rows.n_rows, density.n_classes))
    for code in range(density.n_classes):
        # Computed by Gaussians at their means, where the squares to subtract are small.
        gaussian = replace(density.selected([code]), degrees=None)
        at_mean = number_rows(np.where(np.isnan(rows.matrix), np.nan, gaussian.mean[0]))
        squares, _ = gaussian.squared_distance(at_mean, threads)
        log_det[:, code] = -(gaussian.log_density(at_mean, threads) + 0.5 * squares)[:, 0]
    return np.asarray(log_det - 0.5 * LOG_2_PI * n_features[:, None])


def score(
    density: "GaussianDensity",
    rows: Rows,
    log_prior: FloatArray,
    bias: Callable[[slice], RealArray] | None,
    task: Task,
    threads: int = 1,
) -> NDArray[Any]:
    """The output of `task` for ``log_prior_c + log p(x | c) + bias_c``: labels (n,) or (n, k).

    Scores have the rows' float type. The bias, from the other columns of the rows, is computed
    block by block, on the threads. −∞ in it, or in the prior, rules a class out. Infinite rows
    raise an error; for posteriors, also rows that have probability 0 in every class, or are so far
    from every class that squares overflow.
    """
    if density.degrees is not None or isinstance(density.covariance, LowRank):
        return _score_by_log_density(density, rows, log_prior, bias, task, threads)
    out = _scores(rows, log_prior, task)
    _run(_Wanted(density, log_prior, _PURPOSE[task], task), rows, bias, threads, out)
    return out


def _scores(rows: Rows, log_prior: FloatArray, task: Task) -> NDArray[Any]:
    """An array for the output of a task."""
    n, k = rows.n_rows, log_prior.shape[0]
    if task == "label":
        return np.empty(n, dtype=np.intp)
    return np.empty((n, k), dtype=rows.dtype)


def squared_distance(
    density: "GaussianDensity", rows: Rows, threads: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Squared distances (n, k) that follow χ², and their degrees of freedom (n,).

    The degrees are the numbers of observed features. For Gaussians the distances are Mahalanobis
    distances. For Student-t densities ``u / d`` follows the F distribution with d and ν degrees of
    freedom, and the distance is that of a Gaussian with the same tail probability.
    """
    squares, n_features = _squares(density, rows, threads)
    return tails.chi_square_distance(squares, n_features, density.degrees), n_features


def _squares(density: "GaussianDensity", rows: Rows, threads: int) -> tuple[FloatArray, FloatArray]:
    """Squared Mahalanobis distances (n, k), and the numbers of observed features (n,)."""
    if isinstance(density.covariance, LowRank):
        exact, _, n_observed = distances(density, density.covariance, rows, threads)
        return exact, n_observed
    k = density.n_classes
    squares: RealArray = np.empty((rows.n_rows, k), dtype=rows.dtype)
    n_observed = np.full(rows.n_rows, float(density.n_columns))
    wanted = _Wanted(density, np.zeros(k), "distance", "log_joint")
    _run(wanted, rows, None, threads, squares, n_observed)
    squares *= -2
    squares += 0.0  # at the mean itdensity 0, not −0
    return squares.astype(np.float64, copy=False), n_observed


class _Wanted(NamedTuple):  # created in a third of the time of a frozen dataclass
    """A request: the score, the density and the prior."""

    density: "GaussianDensity"
    log_prior: FloatArray  # (k,)
    purpose: Purpose
    task: Task

    def form(self, dtype: "np.dtype[Any]", *, masked: bool = False) -> "_Ready":
        """The form for rows of `dtype`, laid out for the active kernels.

        It is kept for as long as the density lives, so that a stream of single rows does not lay
        out the same matrices again.
        """
        active, width = kernels.active(), "masked" if masked else dtype.char
        key = self.purpose, width, active.NAME, active.instruction_set(), self.log_prior.tobytes()
        known = _prepared.setdefault(self.density, {})
        ready = known.get(key)
        if ready is None:
            form = self._masked() if masked else self._cheapest(dtype)
            if not (isinstance(form, Quadratic) or self._accurate_in_single(form)):
                dtype = _DOUBLE
            if len(known) >= _MOST_FORMS:
                known.clear()
            # Forms of several purposes and priors share their matrices.
            matrices = type(form), dtype.char, active.NAME, active.instruction_set()
            if isinstance(form, Quadratic | Whitened) and matrices in known:
                prepared = active.with_constant(known[matrices].form, form.log_constant)
            else:
                prepared = active.prepare(form, dtype)
            known[key] = known[matrices] = ready = _Ready(prepared, dtype)
        return ready

    def _cheapest(self, dtype: "np.dtype[Any]") -> Form:
        """The cheapest form that is exact enough for its purpose and rows of a float type.

        For two neighbouring classes far from the centre the linear form loses digits: its terms
        grow with the squared distances of the means from the centre, and cancel. The terms of the
        whitened form grow with the distances. The quadratic form's terms are small near every mean.
        """
        density, purpose, log_prior = self.density, self.purpose, self.log_prior
        shape, (k, d) = density.covariance, density.offset.shape
        if purpose == "distance":
            log_constant = np.zeros(k)
        else:
            log_constant = log_prior - 0.5 * (d * LOG_2_PI + shape.log_det)
            log_constant = np.ascontiguousarray(np.broadcast_to(log_constant, (k,)))
        center, offset, narrow = density.center, density.offset, dtype != _DOUBLE
        if density.remainder.size and narrow:  # rounding errors of the means are not resolved
            center = offset.mean(axis=0)
            offset = offset - center
        if density.shared and (narrow or not density.remainder.size):
            white, allowed = shape.whiten(offset), _NARROW if narrow else 1.0
            squares = np.einsum("cj,cj->c", white, white)
            farthest = squares.max() / allowed
            if purpose in _ROUNDING and farthest * _EPSILON <= _ROUNDING[purpose]:
                coefficient = shape.times_precision(offset)
                return Linear(center, coefficient, log_prior - 0.5 * squares)
            if shape.whitener.ndim == 3 and farthest <= _FARTHEST_WHITENED**2 * allowed:
                return Whitened(center, white, shape.whitener[0], log_constant)
        where = density.center, density.offset, shape.whitener
        return Quadratic(*where, log_constant, density.remainder)

    def _accurate_in_single(self, form: Form) -> bool:
        """Whether rows in float32 are whitened in float32 with little error of the squares."""
        if not isinstance(form, Whitened) or self.purpose in _ROUNDING:
            return False
        squares = np.einsum("cj,cj->c", form.mean, form.mean)
        spread = 1.0 + squares.max() / form.center.size
        return bool(self.density.covariance.amplification * spread <= _LARGEST_SINGLE)

    def _masked(self) -> Masked:
        """The form for rows with any missing features."""
        density, shape = self.density, self.density.covariance
        scale = 1.0 / shape.deviation
        is_density = self.purpose != "distance"
        log_feature = np.log(scale) - 0.5 * LOG_2_PI if is_density else np.zeros_like(scale)
        where = density.center, density.offset, scale, shape.correlation
        return Masked(*where, log_feature, self.log_prior, is_density, density.remainder)

    def of_features(self, seen: NDArray[np.bool_]) -> "_Wanted":
        """The same for the observed features (d,), with the others integrated out."""
        if seen.all():
            return self
        columns = np.flatnonzero(seen)
        names = Schema(np.arange(self.density.n_classes), columns.size)
        return self._replace(density=self.density.marginal(columns.tolist(), names))


class _Ready(NamedTuple):
    """A form laid out for the active kernels, and the float type that it takes."""

    form: Any
    dtype: "np.dtype[Any]"

    def score(
        self, X: RealArray, task: Task, out: NDArray[Any], bias: RealArray | None = None
    ) -> int:
        """As `gaussbayes.kernels.reference.score`, for rows of either float type."""
        kernel = kernels.active().score
        if X.dtype == self.dtype:
            return int(kernel(self.form, X, task, out, bias=bias))
        wide = X.astype(self.dtype)
        bias = None if bias is None else bias.astype(self.dtype)
        scores = out if task == "label" else np.zeros(out.shape, self.dtype)
        problem = int(kernel(self.form, wide, task, scores, bias=bias))
        if task == "log_posterior":  # a posterior that is rounded to 1 has the logarithm 0
            scores[scores > -0.25 * np.finfo(out.dtype).eps] = 0.0
        if scores is not out:
            with np.errstate(over="ignore"):  # a distance may overflow in this type
                out[...] = scores
        return problem


_prepared: "WeakKeyDictionary[GaussianDensity, dict[tuple[Any, ...], _Ready]]" = WeakKeyDictionary()


def _run(
    wanted: _Wanted,
    rows: Rows,
    bias: Callable[[slice], RealArray] | None,
    threads: int,
    out: NDArray[Any],
    n_observed: FloatArray | None = None,
) -> None:
    """Run the kernels over blocks of rows, on several threads if this is faster.

    `n_observed` (n,), initially the number of all features, is set for rows with missing values.
    """
    numbers, task = rows.numbers, wanted.task
    n, d = numbers.shape
    ready = wanted.form(rows.dtype)

    def score_block(block: slice) -> None:
        X = as_matrix(numbers[block])
        added = None if bias is None else bias(block).astype(X.dtype, copy=False)
        problem = ready.score(X, task, out[block], added)
        if problem & NOT_FINITE:
            problem = _score_incomplete(wanted, X, added, out[block])
            if n_observed is not None:
                n_observed[block] = np.count_nonzero(~np.isnan(X), axis=1)
        if problem:
            _raise(X, added, wanted.log_prior, block.start, problem)

    step = min(rows_at_once(d, 2048), BLOCK_ROWS)
    entries = n * d
    if bias is not None:
        k = wanted.log_prior.shape[0]
        step = min(step, rows_at_once(k, 64))
        entries += n * k
    for_each(score_block, ranges(n, step), threads if entries > CACHED else 1)


def _score_by_log_density(
    density: "GaussianDensity",
    rows: Rows,
    log_prior: FloatArray,
    bias: Callable[[slice], RealArray] | None,
    task: Task,
    threads: int = 1,
) -> NDArray[Any]:
    """The result of `score` for densities without a kernel, block by block."""
    out = _scores(rows, log_prior, task)

    def score_block(block: slice) -> None:
        log_joint = density.log_density(rows[block]) + log_prior.astype(rows.dtype)
        if bias is not None:
            log_joint += bias(block).astype(rows.dtype, copy=False)
        if kernels.normalise(log_joint, task, out[block]):
            check_possible(log_joint, block.start)

    many = rows.n_rows * density.n_columns > CACHED
    for_each(score_block, ranges(rows.n_rows, BLOCK_ROWS), threads if many else 1)
    return out


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
    """As `gaussbayes.kernels.reference.score`, for rows some of which have missing values."""
    task = wanted.task

    def score_some(ready: _Ready, some: RealArray, rows: NDArray[np.intp]) -> int:
        """Score the rows at these positions."""
        added = None if bias is None else bias[rows]
        if rows.size == out.shape[0]:
            return ready.score(some, task, out, added)
        scores = np.empty((rows.size, *out.shape[1:]), dtype=out.dtype)
        problems = ready.score(some, task, scores, added)
        out[rows] = scores
        return problems

    common, rare = _rows_alike(X, wanted.density)
    problems = 0
    if rare.size:
        if (
            2 * rare.size > X.shape[0]
        ):  # scoring a few unnecessarily is cheaper than copying the many
            rare = np.arange(X.shape[0])
        some = X if rare.size == X.shape[0] else X.take(rare, axis=0)
        problems |= score_some(wanted.form(_DOUBLE, masked=True), some, rare)
    for rows, seen in common:
        form = wanted.of_features(seen).form(X.dtype)
        some = X.take(rows, axis=0)
        problems |= score_some(form, some if seen.all() else some[:, seen], rows)
    return NOT_FINITE if problems & NOT_FINITE else problems


def _rows_alike(
    X: RealArray, density: "GaussianDensity"
) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.bool_]]], NDArray[np.intp]]:
    """Rows for the ordinary kernels, with their observed features (d,), and the other rows.

    These are the complete rows and, if a matrix has to be factored, all rows of a common pattern.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        complete = np.isfinite(np.einsum("ij->i", X))
    rows, rest = np.flatnonzero(complete), np.flatnonzero(~complete)
    alike = [(rows, np.ones(X.shape[1], dtype=bool))] if rows.size else []
    if not (density.covariance.correlated and rest.size):
        return alike, rest
    patterns = patterns_of(X.take(rest, axis=0))
    common = patterns.size >= _rows_worth_a_marginal(density)
    common[0] &= patterns.observed[0].any()
    common[-1] |= patterns.observed[-1].all()  # infinite values, or sums that overflow
    numbers = np.flatnonzero(common).tolist()
    alike += [(rest[patterns.rows(at)], patterns.observed[at]) for at in numbers]
    return alike, rest[~common[patterns.number]]


def _rows_worth_a_marginal(density: "GaussianDensity") -> int:
    """The number of rows of one pattern from which on computing the marginal is faster."""
    if isinstance(density.covariance, Reduced):
        return 1  # the ignored directions depend on the observed features
    if kernels.active().NAME == "reference":
        return _FEWEST
    one_by_one = density.covariance.n_covariances * (density.n_columns + 8) ** 3
    return max(_FEWEST, _MARGINAL // one_by_one)
