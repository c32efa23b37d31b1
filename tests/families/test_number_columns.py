"""Counts and columns of 0 and 1: against scipy, scikit-learn and 50 digits, and bad values."""

import re
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import bernoulli, gamma, poisson
from sklearn.naive_bayes import BernoulliNB

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Rows, Targets, number_rows
from gaussbayes.families import independent
from gaussbayes.families.bernoulli import Bernoulli, BernoulliDensity
from gaussbayes.families.poisson import Poisson, PoissonDensity, log_factorial, log_probability
from gaussbayes.families.removal import remove
from gaussbayes.kernels.arrays import Columns

NAMES = Schema(np.array(["a", "b"]), 2, ("visits", "calls"))
FAMILIES = [Poisson, Bernoulli]


def observed(family: Any, values: Any, codes: list[int], weights: Any = None) -> Any:
    share = None if weights is None else np.array(weights, dtype=float)
    targets = Targets(np.array(codes, np.int32), 2, share)
    return family.observe(number_rows(np.array(values, dtype=float)), targets, NAMES)


# Bad values


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("family", "value", "shown"),
    [
        (Poisson(), -1.0, "-1"),
        (Poisson(), 2.5, "2.5"),
        (Poisson(), np.inf, "inf"),
        (Poisson(), 2.0**60, "1.15292e+18"),
        (Bernoulli(), 2.0, "2"),
        (Bernoulli(), 0.5, "0.5"),
        (Bernoulli(), -np.inf, "-inf"),
    ],
)
def test_values_that_are_not_possible(
    monkeypatch: pytest.MonkeyPatch, family: Any, value: float, shown: str, threads: int
) -> None:
    monkeypatch.setattr(independent, "_BLOCK", 1024)  # several blocks
    X = np.ones((2000, 2))
    X[1999, 1] = value
    rows, targets = number_rows(X), Targets(np.zeros(2000, np.int32), 1)
    words = f"row 1999 has {re.escape(shown)} in "
    with pytest.raises(DataError, match=f"{words}'calls', which must be"):
        family.observe(rows, targets, NAMES, threads)
    with pytest.raises(DataError, match=f"{words}'calls', which must be"):
        family.check(rows, NAMES)
    density = family.estimate(observed(family, [[1, 1], [1, 0]], [0, 1]), NAMES).density
    with pytest.raises(DataError, match=f"{words}column 1 of its family"):
        density.log_density(rows, threads)
    with pytest.raises(DataError, match="row 1999"):
        density.expect(rows, np.ones((2000, 2)), threads)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("alpha", [-1, np.nan, np.inf, "1", None, True])
def test_bad_smoothing(family: Any, alpha: object) -> None:
    with pytest.raises(OptionError, match="smoothing must be 0 or a finite number above it"):
        family(smoothing=alpha)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_column_without_values(family: Any) -> None:
    statistics = observed(family(), [[1, np.nan], [0, 1], [1, np.nan]], [0, 0, 1])
    assert not statistics.is_complete
    assert statistics.missing.tolist() == [[0, 1], [0, 1]]
    with pytest.raises(DataError, match="'calls' is missing in every row of class 'b'"):
        family().estimate(statistics, NAMES)
    density = family(1.0).estimate(statistics, NAMES).density  # nothing but the prior is known
    found = density.rate if family is Poisson else density.probability
    assert found[1, 1] == pytest.approx(1.0 if family is Poisson else 0.5)
    nowhere = observed(family(), [[1, np.nan], [0, np.nan]], [0, 1])
    with pytest.raises(DataError, match="'calls' is missing in every row, "):
        family().start(nowhere, nowhere.selected([0]), NAMES)


@pytest.mark.parametrize(
    ("family", "before", "gone", "words"),
    [
        (Poisson(), [2, 3], [5], "'visits' with log_factorial"),
        (Poisson(), [2, 3], [6], "'visits' with total 6 from class 'a', which has 5"),
        (Poisson(), [5], [3], "'visits' with total 3 from class 'a', which has 5"),
        (Poisson(), [5], [np.nan], "'visits' with missing 1 from class 'a', which has 0"),
        (Poisson(), [5], [5, 0], "weight 2 from class 'a', which has 1"),
        (Bernoulli(), [1, 1], [0], "'visits' with zeros 1 from class 'a', which has 0"),
    ],
)
def test_removing_what_was_never_there(family: Any, before: list, gone: list, words: str) -> None:
    some, part = (
        observed(family, [[value, 0] for value in values], [0] * len(values))
        for values in (before, gone)
    )
    with pytest.raises(DataError, match=words):
        some.without(part, NAMES)


# Counts


def test_rates_are_means_and_sums_of_integers_are_exact() -> None:
    random = np.random.default_rng(0)
    X = random.poisson(3e5, (5000, 2)).astype(float)
    X[random.random(X.shape) < 0.1] = np.nan
    codes = random.integers(0, 2, 5000)
    statistics = observed(Poisson(), X, codes.tolist())
    density = Poisson().estimate(statistics, NAMES).density
    for c in range(2):
        assert statistics.total[c].tolist() == np.nansum(X[codes == c], axis=0).tolist()
        np.testing.assert_allclose(density.rate[c], np.nanmean(X[codes == c], axis=0), rtol=1e-15)
    half = observed(Poisson(), X[:2500], codes[:2500].tolist())
    left = statistics.without(half, NAMES)
    other = observed(Poisson(), X[2500:], codes[2500:].tolist())
    np.testing.assert_array_equal(left.sums[:3], other.sums[:3])


def test_smoothing_of_rates_is_the_mode_of_a_gamma_posterior() -> None:
    """The prior has shape 1 + α m and rate α; with s events in n rows the mode is at λ."""
    statistics = observed(Poisson(), [[3, 0], [0, 4], [2, 1]], [0, 0, 1], [1.0, 2.0, 0.5])
    density = Poisson(smoothing=0.25).estimate(statistics, NAMES).density
    for j, mean in enumerate([4 / 3.5, 8.5 / 3.5]):
        for c, (events, rows) in enumerate([([3, 8][j], 3.0), ([1, 0.5][j], 0.5)]):
            shape, scale = 1 + 0.25 * mean + events, 1 / (0.25 + rows)
            assert density.rate[c, j] == pytest.approx((shape - 1) * scale, rel=1e-14)
            around = density.rate[c, j] * np.array([0.999, 1.0, 1.001])
            assert gamma.logpdf(around, shape, scale=scale).argmax() == 1


def test_a_rate_of_zero_makes_every_event_impossible() -> None:
    density = PoissonDensity(np.array([[0.0, 2.0], [1.0, 2.0]]))
    rows = number_rows(np.array([[0.0, 1.0], [3.0, 1.0], [np.nan, 1.0]]))
    scores = density.log_density(rows)
    first = np.array([[0, -1], [-np.inf, poisson.logpmf(3, 1)], [0, 0]])
    np.testing.assert_allclose(scores, first + poisson.logpmf(1, 2.0))
    nothing = PoissonDensity(np.zeros((2, 1)))
    assert np.isneginf(nothing.log_density(number_rows(np.ones((1, 1))))).all()
    assert not nothing.log_density(number_rows(np.zeros((1, 1)))).any()
    _, parts = density.contributions(rows[1:2], (0, 1), None)
    assert parts.tolist() == [-np.inf, 0.0]
    statistics = observed(Poisson(), [[0, 1], [0, 2]], [0, 0])
    assert density.log_likelihood(statistics) == pytest.approx(poisson.logpmf([1, 2], 2).sum())


def test_against_scipy() -> None:
    random = np.random.default_rng(0)
    rate = random.gamma(2.0, 3.0, (3, 2))
    X = random.poisson(5, (200, 2)).astype(float)
    X[random.random(X.shape) < 0.2] = np.nan
    expected = np.nansum(poisson.logpmf(X[:, None, :], rate), axis=2)
    np.testing.assert_allclose(PoissonDensity(rate).log_density(number_rows(X)), expected)
    probability = random.random((3, 2))
    bits = np.where(np.isnan(X), X, X > 4)
    density = BernoulliDensity(np.log([1 - probability, probability]))
    expected = np.nansum(bernoulli.logpmf(bits[:, None, :], probability), axis=2)
    np.testing.assert_allclose(density.log_density(number_rows(bits)), expected)


@pytest.mark.parametrize("size", [25.0, 1e3, 1e6, 1e9, 1e12, 1e15])
def test_huge_counts_cost_no_digits(size: float) -> None:
    """Within a few standard deviations; against 50 digits."""
    rate = np.round(size + np.sqrt(size) * np.array([[0.0], [1.5], [-2.0]])) + 0.25
    X = np.round(np.maximum(size + np.sqrt(size) * np.linspace(-3, 3, 7), 0.0))[:, None]
    scores = PoissonDensity(rate).log_density(number_rows(X))
    with mpmath.workdps(50):
        for i, x in enumerate(X[:, 0].tolist()):
            truth = [
                x * mpmath.log(mpmath.mpf(r)) - mpmath.mpf(r) - mpmath.loggamma(mpmath.mpf(x) + 1)
                for r in rate[:, 0].tolist()
            ]
            # What is added is of the size of x − λ, a few √size, and each may round by ε of that.
            for c in range(3):
                assert abs(scores[i, c] - float(truth[c])) < 1e-15 * (50 + 10 * np.sqrt(size))


@pytest.mark.parametrize("x", [0, 1, 2, 15, 16, 17, 170, 10**6, 10**15])
def test_logarithms_of_factorials(x: int) -> None:
    with mpmath.workdps(50):
        truth = float(mpmath.loggamma(x + 1))
    np.testing.assert_allclose(
        log_factorial(np.array([float(x)]))[0], truth, rtol=2e-15, atol=1e-15
    )
    far = log_probability(np.array([float(x)]), np.array([1e-20]))[0]
    assert far == pytest.approx(x * np.log(1e-20) - 1e-20 - truth, rel=1e-13, abs=1e-13)


# 0 and 1


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_bernoulli_naive_bayes(alpha: float, weighted: bool) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, 300)
    X = (random.random((300, 2)) < 0.2 + 0.5 * codes[:, None]).astype(float)
    weights = random.random(300) if weighted else None
    theirs = BernoulliNB(alpha=alpha).fit(X, codes, sample_weight=weights)
    family, rows = Bernoulli(alpha), number_rows(X)
    statistics = family.observe(rows, Targets(codes.astype(np.int32), 2, weights), NAMES)
    density = family.estimate(statistics, NAMES).density
    np.testing.assert_allclose(statistics.sums[2], theirs.feature_count_, rtol=1e-12)
    np.testing.assert_allclose(density.log_probability[1], theirs.feature_log_prob_, rtol=1e-12)
    log_prior = np.log(statistics.weight / statistics.weight.sum())
    np.testing.assert_allclose(
        log_prior + density.log_density(rows), theirs.predict_joint_log_proba(X), rtol=1e-11
    )


def test_what_never_was_is_impossible_and_what_always_was_is_certain() -> None:
    statistics = observed(Bernoulli(), [[1, 0], [1, 1], [0, 1]], [0, 0, 1])
    density = Bernoulli().estimate(statistics, NAMES).density
    assert density.probability.tolist() == [[1.0, 0.5], [0.0, 1.0]]
    rows = number_rows(np.array([[1.0, 1.0], [0.0, np.nan]]))
    np.testing.assert_allclose(density.log_density(rows), [[np.log(0.5), -np.inf], [-np.inf, 0.0]])
    assert density.log_overlap()[0, 1] == -np.inf
    angles = Bernoulli().coordinates(density, NAMES)
    np.testing.assert_allclose(
        angles.density(angles.vector(density)).probability, density.probability
    )


def test_a_probability_next_to_one_keeps_its_complement() -> None:
    statistics = observed(Bernoulli(), [[1, 1], [0, 1], [1, 1]], [0, 0, 1], [1e20, 1.0, 1.0])
    density = Bernoulli().estimate(statistics, NAMES).density
    assert density.log_probability[0, 0, 0] == pytest.approx(np.log(1e-20), rel=1e-14)


# Both


@pytest.mark.parametrize("family", FAMILIES)
def test_columns_that_lie_apart_and_single_precision(family: Any) -> None:
    random = np.random.default_rng(2)
    X = random.integers(0, 2, (50, 2)).astype(np.float32)
    targets = Targets(random.integers(0, 2, 50, np.int32), 2)
    apart = Rows(Columns(tuple(np.ascontiguousarray(X.T))), np.empty((50, 0), np.int32))
    statistics = [family().observe(rows, targets, NAMES) for rows in (number_rows(X), apart)]
    np.testing.assert_array_equal(statistics[0].sums, statistics[1].sums)
    assert statistics[0].sums.dtype == np.float64
    density = family().estimate(statistics[0], NAMES).density
    np.testing.assert_array_equal(density.log_density(apart), density.log_density(number_rows(X)))
    assert density.log_density(apart).dtype == np.float32


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_that_would_leave_rounding_are_not_reliable(family: Any) -> None:
    values, codes = [[1, 0], [0, 1], [1, 1], [1, 0], [0, 0]], [0, 0, 0, 1, 1]
    for weights, sure in (([1e15, 0.1, 0.3, 1.0, 1.0], False), ([1.5, 0.1, 0.3, 1.0, 1.0], True)):
        statistics = observed(family(1.0), values, codes, weights)
        share = np.array(weights)
        targets = Targets(np.array(codes, np.int32), 2, share)
        removal = remove(np.array(codes), share, statistics.weight)
        closed = family(1.0).left_out(statistics, [family(1.0)], targets, NAMES)
        reliable = closed(number_rows(np.array(values, float)), removal)[1]
        assert reliable[0, 0] == sure
        assert reliable[0, 1:].all() or not sure


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_with_soft_labels_have_no_closed_form(family: Any) -> None:
    statistics = observed(family(), [[1, 0], [0, 1]], [0, 1])
    assert family().left_out(statistics, [family()], Targets(np.eye(2), 2), NAMES) is None
