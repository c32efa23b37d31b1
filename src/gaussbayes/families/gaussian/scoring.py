"""Gaussian densities and rows → scores: the density is written down once, and kernels evaluate it.

    log p(x | c) = −½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

is quadratic in x. With one covariance for all classes the square of x is the same for each of them
and cancels in the posterior: what is left is linear, and d times cheaper.

NaN is a value that is missing, and is integrated out: every score is that of the features that are
there. The kernels meet NaN on their way, so that complete rows pay nothing for it. The marginal of
a Gaussian has the same entries of mean and covariance. Of rows that lack the same features there
may be many: then the marginal is worked out once, and scored as complete rows are. Where nearly
every row lacks others, a kernel factors a matrix for each. A row of which nothing is there has
density 1 for every class, so that its posterior is the prior.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.patterns import patterns_of
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.data.rows import Rows
from gaussbayes.kernels.columns import as_matrix
from gaussbayes.kernels.forms import IMPOSSIBLE, NOT_FINITE, Form, Linear, Masked, Quadratic
from gaussbayes.kernels.normaliser import check_possible

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

Bias: TypeAlias = Callable[[slice], RealArray]
"""Rows ↦ (n, k): what is added to the log joints of these rows."""

Purpose: TypeAlias = Literal["log_joint", "distance", "posterior", "logarithm"]
"""What a form is for; the last two are the posterior, and differences of logarithms."""

_PURPOSE: dict[str, Purpose] = {
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

_BLOCK_BYTES = 1 << 22  # how much of the rows is scored at a time, by each thread
_BIAS_BYTES = 1 << 20  # how much of a bias there is at a time, for each thread
# Entries of the rows below which starting a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 18
# Rows alike that are worth a marginal of their own, however long it takes to score one.
_FEWEST = 32
# How long working out a marginal takes, in the units of `_rows_worth_a_marginal`.
_MARGINAL = 1 << 24
_SAMPLE = 1024  # rows that tell whether to look for common patterns at all
_MOST_FORMS = 16  # forms of one density that are kept: of several purposes, widths and priors
_DOUBLE = np.dtype(np.float64)
_LOG_2_PI = float(np.log(2 * np.pi))


def log_density(density: "GaussianDensity", rows: Rows, threads: int = 1) -> RealArray:
    """``log p(x | c)`` (n, k), what is missing integrated out."""
    return score(density, rows, np.zeros(density.n_classes), None, "log_joint", threads)


def score(
    density: "GaussianDensity",
    rows: Rows,
    log_prior: FloatArray,
    bias: Bias | None,
    task: Task,
    threads: int = 1,
) -> NDArray[Any]:
    """What `task` asks for of ``log_prior_c + log p(x | c) + bias_c``: labels (n,) or (n, k).

    Scores are of the rows' float type. The bias, what is known of the rows besides their numbers,
    is worked out block by block, on the threads. −∞ in it, or in the prior, rules a class out. Rows
    that are infinite are an error; for posteriors, so are those that have probability 0 in every
    class, or are so far from every class that squares overflow.
    """
    n, k = rows.numbers.shape[0], log_prior.shape[0]
    out: NDArray[Any] = (
        np.empty(n, dtype=np.intp) if task == "label" else np.empty((n, k), dtype=rows.dtype)
    )
    _run(_Wanted(density, log_prior, _PURPOSE[task], task), rows, bias, threads, out)
    return out


def squared_distance(
    density: "GaussianDensity", rows: Rows, threads: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Squared Mahalanobis distances (n, k), and how many features are there (n,)."""
    n, k, d = rows.n_rows, density.n_classes, density.n_columns
    squares: RealArray = np.empty((n, k), dtype=rows.dtype)
    degrees = np.full(n, float(d))
    wanted = _Wanted(density, np.zeros(k), "distance", "log_joint")
    _run(wanted, rows, None, threads, squares, degrees)
    squares *= -2
    squares += 0.0  # at the mean itself 0, not −0
    return squares.astype(np.float64, copy=False), degrees


class _Wanted(NamedTuple):  # made in a third of the time that a frozen dataclass takes
    """What is asked of rows: which score, of which density, under which prior."""

    density: "GaussianDensity"
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
            asked = self.density, self.log_prior, self.purpose
            plain: Form = masked_form(*asked) if masked else form_for(*asked, dtype)
            form = active.prepare(plain, dtype)
            if len(known) >= _MOST_FORMS:
                known.clear()
            known[key] = form
        return form

    def of_features(self, seen: NDArray[np.bool_]) -> "_Wanted":
        """The same of the features that are there (d,), the others integrated out."""
        if seen.all():
            return self
        columns = np.flatnonzero(seen)
        names = Schema(np.arange(self.density.n_classes), columns.size)
        part = self.density.marginal(columns.tolist(), names)
        return _Wanted(part, self.log_prior, self.purpose, self.task)


_prepared: "WeakKeyDictionary[GaussianDensity, dict[tuple[Any, ...], Any]]" = WeakKeyDictionary()


def form_for(
    density: "GaussianDensity", log_prior: FloatArray, purpose: Purpose, dtype: "np.dtype[Any]"
) -> Form:
    """The cheapest form that is exact enough for its purpose and rows of `dtype`.

    Of two neighbours among far-off classes the linear form keeps but few digits: its terms grow
    with the squared distances of the means from the centre, and cancel. The quadratic form's terms
    are small near a mean, wherever that lies.
    """
    shape, (k, d) = density.covariance, density.offset.shape
    if purpose == "distance":
        return Quadratic(density.center, density.offset, shape.whitener, np.zeros(k))
    if purpose != "log_joint" and density.shared:
        white = shape.whiten(density.offset)
        squares = np.einsum("cj,cj->c", white, white)
        if squares.max() * np.finfo(dtype).eps <= _ROUNDING[purpose][dtype.char]:
            coefficient = shape.times_precision(density.offset)
            return Linear(density.center, coefficient, log_prior - 0.5 * squares)
    log_constant = np.broadcast_to(log_prior - 0.5 * (d * _LOG_2_PI + shape.log_det), (k,))
    log_constant = np.ascontiguousarray(log_constant)
    return Quadratic(density.center, density.offset, shape.whitener, log_constant)


def masked_form(density: "GaussianDensity", log_prior: FloatArray, purpose: Purpose) -> Masked:
    """The form for rows with missing features, whichever these are."""
    shape = density.covariance
    scale = 1.0 / shape.deviation
    is_density = purpose != "distance"
    log_feature = np.log(scale) - 0.5 * _LOG_2_PI if is_density else np.zeros_like(scale)
    where = density.center, density.offset, scale, shape.correlation
    return Masked(*where, log_feature, log_prior, is_density)


def _run(
    wanted: _Wanted,
    rows: Rows,
    bias: Bias | None,
    threads: int,
    out: NDArray[Any],
    degrees: FloatArray | None = None,
) -> None:
    """Run the kernels over blocks of rows, on several threads when that pays.

    `degrees` (n,) are how many features of each row there are, as if all were there.
    """
    numbers, task = rows.numbers, wanted.task
    n, d = numbers.shape
    form, kernel = wanted.form(rows.dtype), kernels.active().score

    def score_block(block: slice) -> None:
        X = as_matrix(numbers[block])
        added = None if bias is None else bias(block).astype(X.dtype, copy=False)
        problem = kernel(form, X, task, out[block], bias=added)
        if problem & NOT_FINITE:
            problem = score_incomplete(wanted, X, added, out[block])
            if degrees is not None:
                degrees[block] = np.count_nonzero(~np.isnan(X), axis=1)
        if problem:
            _raise(X, added, wanted.log_prior, block.start, problem)

    step = min(max(2048, _BLOCK_BYTES // (8 * d or 1)), 1 << 16)
    entries = n * d
    if bias is not None:
        k = wanted.log_prior.shape[0]
        step = min(step, max(64, _BIAS_BYTES // (8 * k)))
        entries += n * k
    for_each(score_block, ranges(n, step), threads if entries > _WORTH_A_THREAD else 1)


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


def score_incomplete(
    wanted: _Wanted, X: RealArray, bias: RealArray | None, out: NDArray[Any]
) -> int:
    """As `gaussbayes.kernels.reference.score`, for rows of which some have missing values."""
    kernel, task = kernels.active().score, wanted.task

    def score_some(form: Any, part: RealArray, rows: NDArray[np.intp]) -> int:
        """Score rows that stand at these places among the others."""
        width = out.dtype if task == "label" else part.dtype
        added = None if bias is None else bias[rows].astype(part.dtype, copy=False)
        if rows.size == out.shape[0] and width == out.dtype:
            return kernel(form, part, task, out, bias=added)
        scores = np.empty((rows.size, *out.shape[1:]), dtype=width)
        problems = kernel(form, part, task, scores, bias=added)
        out[rows] = scores
        return problems

    common, rare = _rows_alike(X, wanted.density)
    problems = 0
    if rare.size:
        if 2 * rare.size > X.shape[0]:  # rather score a few in vain than copy the many
            rare = np.arange(X.shape[0])
        double = (X if rare.size == X.shape[0] else X[rare]).astype(_DOUBLE, copy=False)
        problems |= score_some(wanted.form(_DOUBLE, masked=True), double, rare)
    for rows, seen in common:
        form = wanted.of_features(seen).form(X.dtype)
        problems |= score_some(form, X[np.ix_(rows, seen)], rows)
    return NOT_FINITE if problems & NOT_FINITE else problems


def _rows_alike(
    X: RealArray, density: "GaussianDensity"
) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.bool_]]], NDArray[np.intp]]:
    """Rows for the ordinary kernels, with the features (d,) that they have, and the other rows.

    Those are the complete rows and, where a matrix is to be factored, all of a common pattern.
    """
    least = _rows_worth_a_marginal(density)
    if not density.covariance.correlated or _all_rare(X, least):
        with np.errstate(over="ignore", invalid="ignore"):
            complete = np.isfinite(X.sum(axis=1))
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


def _rows_worth_a_marginal(density: "GaussianDensity") -> int:
    """How many rows of one pattern take longer one by one than once a marginal is worked out."""
    if kernels.active().NAME == "reference":
        return _FEWEST
    one_by_one = density.covariance.n_covariances * (density.n_columns + 8) ** 3
    return max(_FEWEST, _MARGINAL // one_by_one)
