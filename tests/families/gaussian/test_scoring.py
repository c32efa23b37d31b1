"""Scores of Gaussian densities: scipy's densities of what is there, and one normaliser."""

import gc
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_softmax, logsumexp, softmax

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, RealArray, Task
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian import density as module
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.structure import Diagonal
from gaussbayes.kernels.arrays import Columns
from tests.designs import all_pairs
from tests.families.gaussian.densities import (
    KINDS,
    Kind,
    covariances,
    density_of,
    each_kind,
    some_density,
    unit_density,
)

pytestmark = pytest.mark.usefixtures("kernels")
each_width = pytest.mark.parametrize("dtype", [np.float64, np.float32])

PRIOR = np.array([0.5, 0.2, 0.3])
LOG_PRIOR = np.log(PRIOR)
VALUES: tuple[Task, ...] = ("log_joint", "log_ratio", "log_posterior", "posterior")
TASKS: tuple[Task, ...] = (*VALUES, "label")
PATTERNS = np.array(list(product([False, True], repeat=4)))


@pytest.fixture(params=["one by one", "by patterns"])
def _path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row with missing values factored by itself, or a marginal for every pattern."""
    least = 1 if request.param == "by patterns" else 1 << 40
    monkeypatch.setattr(module, "_rows_worth_a_marginal", lambda _: least)


def score(
    density: GaussianDensity,
    X: Any,
    task: Task,
    log_prior: Any = LOG_PRIOR,
    bias: Any = None,
    threads: int = 1,
) -> Any:
    added = None if bias is None else bias.__getitem__
    return density.score(number_rows(X), log_prior, added, task, threads)


def queries(n: int, d: int = 4, dtype: Any = np.float64) -> RealArray:
    return (2 * np.random.default_rng(n).normal(size=(n, d))).astype(dtype)


def every_pattern(dtype: Any = np.float64) -> RealArray:
    """Three rows of each pattern of missing values, mixed."""
    seen = np.tile(PATTERNS, (3, 1))
    return np.where(seen, queries(seen.shape[0]), np.nan).astype(dtype)


def some_bias(n: int, k: int, dtype: Any = np.float64) -> RealArray:
    """Any numbers; about a third of the classes are ruled out, never all of a row."""
    rng = np.random.default_rng([n, k])
    bias = 3 * rng.normal(size=(n, k))
    impossible = rng.random((n, k)) < 0.3
    impossible[np.arange(n), rng.integers(k, size=n)] = False
    bias[impossible] = -np.inf
    return bias.astype(dtype)


def scipy_log_density(density: GaussianDensity, X: RealArray) -> FloatArray:
    """``log p(x | c)`` of the features that are there."""
    truth = np.zeros((X.shape[0], density.n_classes))
    for i, c in np.ndindex(*truth.shape):
        seen = np.flatnonzero(~np.isnan(X[i]))
        if seen.size:
            matrix = covariances(density)[c][np.ix_(seen, seen)]
            marginal = stats.multivariate_normal(density.mean[c, seen], matrix)
            truth[i, c] = marginal.logpdf(X[i, seen].astype(np.float64))
    return truth


# What the scores are


@pytest.mark.usefixtures("_path")
@each_kind
@each_width
def test_densities_and_distances_of_scipy(kind: Kind, dtype: Any) -> None:
    density, X = some_density(kind), np.vstack([every_pattern(dtype), queries(20, dtype=dtype)])
    tolerance = 1e-11 if dtype == np.float64 else 2e-5
    found = density.log_density(number_rows(X))
    truth = scipy_log_density(density, X)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, truth, rtol=tolerance, atol=tolerance)
    squares, degrees = density.squared_distance(number_rows(X))
    assert squares.dtype == degrees.dtype == np.float64
    np.testing.assert_array_equal(degrees, np.count_nonzero(~np.isnan(X), axis=1))
    for i, c in np.ndindex(*truth.shape):
        seen = np.flatnonzero(~np.isnan(X[i]))
        gap = (X[i] - density.mean[c])[seen].astype(np.float64)
        square = gap @ np.linalg.solve(covariances(density)[c][np.ix_(seen, seen)], gap)
        assert squares[i, c] == pytest.approx(square, rel=tolerance, abs=tolerance)


@pytest.mark.usefixtures("_path")
@pytest.mark.parametrize(
    ("kind", "dtype", "biased"), all_pairs(KINDS, [np.float64, np.float32], [False, True])
)
def test_all_scores_follow_from_the_log_joint(kind: Kind, dtype: Any, biased: bool) -> None:
    density, X = some_density(kind), np.vstack([every_pattern(dtype), queries(30, dtype=dtype)])
    bias = some_bias(X.shape[0], 3, dtype) if biased else None
    truth = LOG_PRIOR + scipy_log_density(density, X) + (bias if biased else 0.0)
    tolerance = 1e-11 if dtype == np.float64 else 1e-4
    for task, expected in (
        ("log_joint", truth),
        ("posterior", softmax(truth, axis=1)),
        ("log_posterior", log_softmax(truth, axis=1)),
    ):
        found = score(density, X, task, bias=bias)
        assert (found.dtype, found.shape) == (dtype, truth.shape)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    labels = score(density, X, "label", bias=bias)
    assert labels.dtype == np.intp
    np.testing.assert_array_equal(
        labels, score(density, X, "log_posterior", bias=bias).argmax(axis=1)
    )
    ratio = score(density, X, "log_ratio", bias=bias)
    for a, b in product(range(3), repeat=2):
        with np.errstate(invalid="ignore"):
            found, expected = ratio[:, a] - ratio[:, b], truth[:, a] - truth[:, b]
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("_path")
@each_kind
def test_rows_with_missing_values_have_the_marginal(kind: Kind) -> None:
    density, X = some_density(kind), every_pattern()
    for task, biased in product(TASKS, (False, True)):
        bias = some_bias(X.shape[0], 3) if biased else None
        found = score(density, X, task, bias=bias)
        for seen in PATTERNS[1:]:
            rows = np.flatnonzero((~np.isnan(X) == seen).all(axis=1))
            columns = np.flatnonzero(seen)
            part = density.marginal(columns.tolist(), Schema(np.arange(3), columns.size))
            added = None if bias is None else bias[rows]
            expected = score(part, X[np.ix_(rows, columns)], task, bias=added)
            if task == "log_ratio":  # up to a term of the row
                expected = expected - expected.max(axis=1, keepdims=True)
                found[rows] -= found[rows].max(axis=1, keepdims=True)
            np.testing.assert_allclose(found[rows], expected, rtol=1e-12, atol=1e-12)


@each_kind
def test_rows_without_any_value_have_the_prior(kind: Kind) -> None:
    density, X = some_density(kind), np.full((5, 4), np.nan)
    found = score(density, X, "posterior")
    np.testing.assert_allclose(found, np.tile(PRIOR, (5, 1)), rtol=1e-15)
    np.testing.assert_array_equal(score(density, X, "log_joint"), np.tile(LOG_PRIOR, (5, 1)))
    assert score(density, X, "label").tolist() == [0] * 5


def test_no_features_at_all() -> None:
    nothing = Diagonal(np.empty((1, 0)), np.empty((1, 0)), np.zeros(1))
    density = GaussianDensity(np.empty(0), np.empty((3, 0)), nothing)
    bias = some_bias(7, 3)
    found = score(density, np.empty((7, 0)), "posterior", bias=bias)
    np.testing.assert_allclose(found, softmax(LOG_PRIOR + bias, axis=1), rtol=1e-14)
    np.testing.assert_array_equal(
        score(density, np.empty((7, 0)), "log_joint"), np.tile(LOG_PRIOR, (7, 1))
    )


@each_kind
def test_distance_zero_at_the_mean(kind: Kind) -> None:
    means = np.array([[0.0, 1.0], [4.0, -3.0]])
    squares, _ = unit_density(kind, means).squared_distance(number_rows(means))
    assert squares[0, 0] == squares[1, 1] == 0
    assert not np.signbit(squares).any()
    np.testing.assert_allclose(squares[[0, 1], [1, 0]], 32.0, rtol=1e-15)


@each_kind
@each_width
def test_a_thousand_classes(kind: Kind, dtype: Any) -> None:
    # Means on a line, five standard deviations apart: a row at a mean belongs to that class.
    k = 1000
    means = np.column_stack([5.0 * np.arange(k), np.zeros(k)])
    density, log_prior = unit_density(kind, means), np.full(k, -np.log(k))
    X = means.astype(dtype)
    np.testing.assert_array_equal(score(density, X, "label", log_prior), np.arange(k))
    eps = float(np.finfo(dtype).eps)
    total = score(density, X, "posterior", log_prior).sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=2 * k * eps)
    # Log odds of neighbours at a mean: 5² / 2. A row up to 2500 from the centre rounds by that
    # times ε, which the distance 5 multiplies.
    for task in ("log_posterior", "log_ratio"):
        logs = score(density, X, task, log_prior)
        apart = logs[np.arange(k - 1), np.arange(k - 1)] - np.diagonal(logs, 1)
        np.testing.assert_allclose(apart, 12.5, rtol=0, atol=4 * eps * 2500 * 5)


@each_kind
def test_narrow_rows_far_from_zero(kind: Kind) -> None:
    # Multiples of ¼ near 2²¹ are exact in float32: moving the rows there changes only rounding.
    here, X = some_density(kind, d=2), np.round(4 * queries(300, 2)) / 4
    moved = density_of(kind, here.mean, here.covariance.values, np.round(here.center) + 2.0**21)
    there = GaussianDensity(moved.center, here.mean - np.round(here.center), here.covariance)
    wide = score(here, X, "posterior")
    narrow = score(there, (X + 2.0**21).astype(np.float32), "posterior")
    largest = float(np.abs(score(here, X, "log_joint")).max())
    np.testing.assert_allclose(narrow, wide, rtol=0, atol=8 * 2.0**-23 * largest)


# Memory, blocks and threads


@each_kind
@each_width
def test_memory_layouts_do_not_matter(kind: Kind, dtype: Any) -> None:
    density, eps = some_density(kind), float(np.finfo(dtype).eps)
    for X in (queries(50, dtype=dtype), every_pattern(dtype)):
        n = X.shape[0]
        wide = np.zeros((2 * n, 8), dtype=dtype)
        wide[::2, ::2] = X
        frozen = X.copy()
        frozen.flags.writeable = False
        for task in TASKS:
            plain = score(density, X, task)
            apart = Columns(tuple(np.ascontiguousarray(column) for column in X.T))
            for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1].copy()[::-1], frozen, apart):
                # Sums of d products in another order: a few ε of the largest score.
                bound = 0.0 if task == "label" else 32 * eps * max(1.0, float(np.abs(plain).max()))
                np.testing.assert_allclose(score(density, same, task), plain, rtol=0, atol=bound)


@pytest.mark.parametrize(
    ("kind", "missing", "biased"), all_pairs(KINDS, [False, True], [False, True])
)
def test_blocks_and_threads_do_not_matter(kind: Kind, missing: bool, biased: bool) -> None:
    # More entries than are worth a thread, and more rows than one block has.
    density, some = some_density(kind), every_pattern() if missing else queries(48)
    X = np.tile(some, (2000, 1))
    few = some_bias(48, 3) if biased else None
    bias = None if few is None else np.tile(few, (2000, 1))
    for task in TASKS:
        found = score(density, X, task, bias=bias, threads=3)
        np.testing.assert_array_equal(found, score(density, X, task, bias=bias))
        if task != "log_ratio":
            expected = np.tile(score(density, some, task, bias=few).T, 2000).T
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@each_kind
def test_complete_rows_are_scored_alike_in_any_company(kind: Kind) -> None:
    density, X = some_density(kind), np.vstack([every_pattern(), queries(40)])
    complete = ~np.isnan(X).any(axis=1)
    together = score(density, X, "log_joint")[complete]
    alone = [score(density, row[None], "log_joint")[0] for row in X[complete]]
    # BLAS may add the d products in another order for one row than for many.
    bound = 16 * np.finfo(np.float64).eps * float(np.abs(together).max())
    np.testing.assert_allclose(np.stack(alone), together, rtol=0, atol=bound)


def test_a_bias_is_worked_out_in_blocks_that_cover_the_rows_once() -> None:
    density, X = some_density(Kind("full", False), k=3), queries(70_000)
    asked: list[tuple[int, int]] = []

    def bias(rows: slice) -> RealArray:
        asked.append((rows.start, rows.stop))
        return np.zeros((rows.stop - rows.start, 3))

    found = density.score(number_rows(X), LOG_PRIOR, bias, "posterior", 2)
    np.testing.assert_array_equal(found, score(density, X, "posterior"))
    asked.sort()
    assert len(asked) > 1
    assert asked[0][0] == 0
    assert asked[-1][1] == 70_000
    assert all(a[1] == b[0] for a, b in pairwise(asked))
    assert max(stop - start for start, stop in asked) * 3 * 8 <= 1 << 20


# What is prepared is kept, and dropped with the density


def test_priors_of_one_density_do_not_mix() -> None:
    for kind in (Kind("full", False), Kind("full", True)):
        density, X = some_density(kind), np.vstack([queries(20), every_pattern()])
        for prior in ([0.5, 0.2, 0.3], [0.1, 0.1, 0.8], [0.5, 0.2, 0.3], *np.eye(3) * 0.7 + 0.1):
            found = score(density, X, "posterior", np.log(prior))
            expected = softmax(np.log(prior) + scipy_log_density(density, X), axis=1)
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
        for step in range(100):
            score(density, X[:1], "label", np.log(np.array([1.0 + step, 1.0, 1.0]) / (3 + step)))
        assert len(module._prepared[density]) <= module._MOST_FORMS
    before = len(module._prepared)
    del density
    gc.collect()
    assert len(module._prepared) < before


# Edges


@each_kind
@each_width
def test_a_prior_of_zero(kind: Kind, dtype: Any) -> None:
    density = some_density(kind)
    X = np.vstack([queries(30), density.mean, every_pattern()]).astype(dtype)
    with np.errstate(divide="ignore"):
        log_prior = np.log([0.5, 0.0, 0.5])
    posterior = score(density, X, "posterior", log_prior)
    assert not np.isnan(posterior).any()
    assert not posterior[:, 1].any()
    assert (score(density, X, "log_posterior", log_prior)[:, 1] == -np.inf).all()
    assert (score(density, X, "log_joint", log_prior)[:, 1] == -np.inf).all()
    assert 1 not in score(density, X, "label", log_prior)
    ratio = score(density, X, "log_ratio", log_prior)
    assert (ratio[:, 0] - ratio[:, 1] == np.inf).all()


@each_kind
def test_one_class_has_it_all(kind: Kind) -> None:
    with np.errstate(divide="ignore"):
        log_prior = np.log([0.0, 1.0, 0.0])
    X = np.vstack([1e6 * queries(5), queries(5)])
    density = some_density(kind)
    np.testing.assert_array_equal(
        score(density, X, "posterior", log_prior), np.tile([0.0, 1.0, 0.0], (10, 1))
    )
    assert set(score(density, X, "label", log_prior).tolist()) == {1}
    alone = some_density(kind, k=1)
    assert (score(alone, X, "posterior", np.zeros(1)) == 1).all()
    assert (score(alone, X, "log_posterior", np.zeros(1)) == 0).all()


@each_kind
def test_the_first_of_equal_classes_wins(kind: Kind) -> None:
    density = unit_density(kind, [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    X = np.array([[-3.0, 0.0], [-2.0, 5.0]])
    assert score(density, X, "label", np.log([0.5, 0.25, 0.25])).tolist() == [1, 1]


@each_kind
def test_so_far_that_squares_overflow(kind: Kind) -> None:
    density = some_density(kind)
    near = score(density, np.array([[1e3] * 4, [-1e8] * 4]), "log_joint")
    assert np.isfinite(near).all()
    X = np.full((3, 4), 1e200)
    assert (score(density, X, "log_joint") == -np.inf).all()
    assert (density.squared_distance(number_rows(X))[0] == np.inf).all()
    for task in ("posterior", "log_posterior", "label"):
        if kind.shared:  # the linear form has no squares of the row
            assert not np.isnan(score(density, X, task)).any()
            continue
        with pytest.raises(DataError, match=r"rows 0 … 2 are so far from every class.*units"):
            score(density, X, task)
    X = every_pattern()
    X[30] = [np.nan, 1e200, np.nan, -1e200]
    with pytest.raises(DataError, match="so far from every class"):
        score(density, X, "posterior")


@each_kind
@each_width
@pytest.mark.parametrize("missing", [False, True])
def test_infinity_is_named(kind: Kind, dtype: Any, missing: bool) -> None:
    density, X = some_density(kind), queries(9, dtype=dtype)
    X[6, 2] = -np.inf
    if missing:  # NaN is a value that is missing, and no error
        X[3, 1] = X[6, 0] = np.nan
    for task, bias in product(TASKS, (None, np.zeros((9, 3), dtype))):
        with pytest.raises(DataError, match="infinity in row 6, column 2"):
            score(density, X, task, bias=bias)
    with pytest.raises(DataError, match="infinity in row 6, column 2"):
        density.squared_distance(number_rows(X))


def test_not_finite_in_the_last_of_many_blocks() -> None:
    density, X = some_density(Kind("diagonal", False), d=1), np.zeros((150_000, 1))
    X[149_999] = np.inf
    with pytest.raises(DataError, match=r"infinity in row 149999, column 0"):
        score(density, X, "label", threads=2)
    X[149_999] = np.nan
    assert score(density, X, "label", threads=2)[-1] == np.argmax(PRIOR)
    _, degrees = density.squared_distance(number_rows(X), 2)
    assert degrees[-2:].tolist() == [1, 0]


@each_kind
@pytest.mark.parametrize("missing", [False, True])
def test_a_row_that_no_class_can_have_is_named(kind: Kind, missing: bool) -> None:
    density, X = some_density(kind), queries(30_000)
    if missing:
        X[29_000:, 1] = np.nan
    bias = np.zeros((30_000, 3))
    bias[29_987] = -np.inf
    for task in ("label", "posterior", "log_posterior"):
        with pytest.raises(DataError, match="row 29987 has probability 0 in every class"):
            score(density, X, task, bias=bias, threads=2)
    assert (score(density, X, "log_joint", bias=bias)[29_987] == -np.inf).all()
    # With a prior of 0 for the only class that is left it is impossible, too.
    bias[29_987] = [-np.inf, 0.0, -np.inf]
    with (
        pytest.raises(DataError, match="row 29987 has probability 0"),
        np.errstate(divide="ignore"),
    ):
        score(density, X, "posterior", np.log([0.5, 0.0, 0.5]), bias)


def test_digits_of_log_ratios_near_a_boundary() -> None:
    """Two near classes far from a third one: their log-odds keep the digits of what is near."""
    means = np.array([[0.0, 0.0], [1.0, 0.0], [1e5, 1e5]])
    for kind in (Kind("full", True), Kind("full", False)):
        density = unit_density(kind, means)
        X = np.column_stack([np.linspace(0.4, 0.6, 21), np.zeros(21)])
        ratio = score(density, X, "log_ratio", np.zeros(3))
        np.testing.assert_allclose(ratio[:, 1] - ratio[:, 0], X[:, 0] - 0.5, rtol=0, atol=1e-10)
        joint = score(density, X, "log_joint", np.zeros(3))
        np.testing.assert_allclose(logsumexp(joint[:, :2], axis=1), _mixture(X), rtol=1e-10)


def _mixture(X: FloatArray) -> FloatArray:
    two = [stats.multivariate_normal([at, 0.0]).logpdf(X) for at in (0.0, 1.0)]
    return np.asarray(logsumexp(two, axis=0))
