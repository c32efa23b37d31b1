"""Decisions, novelty, prediction sets and priors of unlabelled rows against their definitions."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest, norm

from gaussbayes import (
    AutoClassifier,
    DataError,
    GaussianClassifier,
    OptionError,
    make_gaussian_dataset,
)
from tests.models import iris

TWO = GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]], ["ill", "well"])
DISEASE = {("ill", "well"): 50, ("well", "ill"): 1}
"""To overlook the disease is 50 times as bad as a false alarm."""


def at(posterior: float) -> float:
    """Where the posterior of "ill" is this: the log-odds are 8 − 4 x."""
    return float((8 - np.log(posterior / (1 - posterior))) / 4)


def test_the_cheapest_class_by_brute_force() -> None:
    X, y = iris()
    model = GaussianClassifier(shared=True).fit(X, y)
    costs = np.random.default_rng(4).normal(size=(3, 3))
    found = model.decide(X, costs=costs)
    for code, price, p in zip(found.best, found.expected_cost, model.predict_proba(X), strict=True):
        prices = [sum(p[t] * costs[t, decided] for t in range(3)) for decided in range(3)]
        assert code == int(np.argmin(prices))
        assert price == pytest.approx(min(prices), abs=1e-13)
    pairs = {
        (true, decided): costs[t, d] + 0.0
        for t, true in enumerate(model.classes_)
        for d, decided in enumerate(model.classes_)
    }
    assert model.decide(X, costs=pairs).labels.tolist() == found.labels.tolist()
    # A cost that cannot be avoided takes no part in the choice, however large.
    dear = np.array([[1e9, 1e9 - 2.0**-23], [1e9, 1e9]])
    assert TWO.decide([[at(0.1)]], costs=dear).labels.tolist() == ["well"]
    assert TWO.decide([[2.0]], costs=np.ones((2, 2))).labels.tolist() == [
        "ill"
    ]  # the first of equals


def test_the_disease_is_treated_from_1_in_51_on() -> None:
    below, above = 1 / 51 - 1e-6, 1 / 51 + 1e-6
    found = TWO.decide([[at(below)], [at(above)]], costs=DISEASE)
    assert found.labels.tolist() == ["well", "ill"]
    np.testing.assert_allclose(found.posterior, [1 - below, above], rtol=1e-9)
    np.testing.assert_allclose(found.expected_cost, [50 * below, 1 - above], rtol=1e-9)
    # A small expected cost keeps its digits: the odds at −15 are exp(−68).
    assert TWO.decide([[-15.0]]).expected_cost[0] == pytest.approx(np.exp(-68), rel=1e-12)


def test_rows_are_refused() -> None:
    rows = [[at(0.5)], [at(0.8)], [at(0.1)]]
    found = TWO.decide(rows, reject_below=0.7)
    assert found.labels.tolist() == [None, "ill", "well"]
    assert found.best.tolist() == [0, 0, 1]
    assert found.reason.tolist() == ["ambiguous", "", ""]
    # With costs it is still the most probable class that must be probable, not the one decided.
    assert TWO.decide(rows, costs=DISEASE, reject_below=0.7).labels.tolist() == [None, "ill", "ill"]
    rows = [[at(0.5)], [at(0.75)], [at(0.01)]]
    for most, labels in (
        (0.4, [None, "ill", None]),
        (0.501, ["ill", "ill", "well"]),
        (0.0, [None] * 3),
    ):
        assert TWO.decide(rows, costs=DISEASE, reject_cost=most).labels.tolist() == labels
    assert TWO.decide(rows, reject_cost=0.4).labels.tolist() == [None, "ill", "well"]
    found = TWO.decide([[0.0], [2.0], [50.0]], reject_below=0.9, novelty=1e-6)
    assert found.reason.tolist() == ["", "ambiguous", "novel"]
    assert found.labels.tolist() == ["ill", None, None]
    # A novel row is far from every class that can occur.
    likely = TWO.with_priors([1.0, 0.0])
    assert likely.decide([[4.0]], novelty=1e-3).reason.tolist() == ["novel"]
    priors = [0.9, 0.1]
    predicted = TWO.with_priors(priors).predict(rows)
    assert TWO.decide(rows, priors=priors).labels.tolist() == predicted.tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"costs": [[0, 1, 1], [1, 0, 1]]}, r"2 classes must have shape \(2, 2\).*got \(2, 3\)"),
        ({"costs": [[0, 1], [1]]}, "rows of equal length"),
        ({"costs": [[0, np.nan], [1, 0]]}, "deciding 'well' where 'ill' is true costs nan"),
        ({"costs": {("ill", "x"): 1}}, r"unknown: \('ill', 'x'\); the classes are 'ill', 'well'$"),
        ({"costs": {("ill", "well"): 1}}, r"missing: \('well', 'ill'\); the classes"),
        ({"costs": {"ill": 1}}, r"\(true label, decided label\); unknown: 'ill'; the"),
        ({"reject_below": 1.5}, "from 0 to 1, got 1.5"),
        ({"novelty": -0.1}, "from 0 to 1, got -0.1"),
        ({"reject_cost": -0.1}, "at least 0, the least cost of any decision, got -0.1"),
        ({"reject_cost": np.nan}, "reject_cost must be a finite number"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        TWO.decide([[1.0]], **settings)


# Novelty.


@pytest.mark.parametrize(
    ("n", "d", "estimator"),
    [
        (15, 5, GaussianClassifier()),
        (40, 5, GaussianClassifier(divisor="unbiased")),
        (60, 13, GaussianClassifier()),
        (40, 5, GaussianClassifier(shared=True)),
        (40, 5, GaussianClassifier(shared=True, divisor="unbiased", transforms="log")),
        (100, 30, GaussianClassifier(shrinkage="oas", calibrate=True)),
        (40, 5, GaussianClassifier(shared=0.5, calibrate=True)),
        (40, 5, GaussianClassifier("diagonal", calibrate=True)),
        (40, 5, GaussianClassifier(transforms="yeo-johnson", calibrate=True)),
        (15, 5, AutoClassifier()),
        (60, 4, AutoClassifier()),
    ],
)
def test_levels_hold_for_new_rows_of_estimated_classes(n: int, d: int, estimator: Any) -> None:
    """P-values of new rows are uniform: by F distributions, or ranks among held-out rows."""
    rng, shared = np.random.default_rng([n, d]), estimator.get_params().get("shared")
    p_values, novel, of_evidence = list[float](), list[bool](), list[float]()
    exact = not (estimator.get_params().get("calibrate", True))
    for _ in range(60 if exact else 25):
        mean = rng.normal(size=(2, d))
        root = np.eye(d) + rng.normal(size=(d, d)) / np.sqrt(d)
        scale = np.array([[1.0], [1.0 if shared else 3.0]])
        normal = mean + scale * rng.normal(size=(n + 50, 2, d)) @ root
        skewed = estimator.get_params().get("transforms", "auto")
        X = (np.exp(0.5 * normal) if skewed else normal).reshape(-1, d)
        fitted, new = X[: 2 * n], X[2 * n :]
        model = estimator.fit(fitted, [0, 1] * n)
        scores = model.scores(new).p_value.reshape(50, 2, 2)
        p_values += [*scores[:, 0, 0], *scores[:, 1, 1]]
        novel += model.decide(new, novelty=0.05).novel.tolist()
        if len(of_evidence) < (3000 if exact else 500):
            of_evidence += model.scores(new).novelty_p_value.tolist()
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.075
    assert 0.75 * 0.3 < np.mean(np.array(p_values) < 0.3) < 1.3 * 0.3
    assert 0.02 < np.mean(novel) < 0.075
    assert 0.02 < np.mean(np.array(of_evidence) < 0.05) < 0.085


@pytest.mark.parametrize(
    ("priors", "means", "deviations"),
    [
        ([0.5, 0.5], [0.0, 3.0], [1.0, 1.0]),
        ([0.999, 0.001], [0.0, 0.0], [1.0, 5.0]),
        ([0.2, 0.3, 0.5], [-5.0, 0.0, 7.0], [1.0, 0.5, 3.0]),
        ([1.0, 0.0], [0.0, 3.0], [1.0, 1.0]),
    ],
)
def test_the_evidence_in_one_dimension_by_intervals(
    priors: list[float], means: list[float], deviations: list[float]
) -> None:
    """``P(p(X) ≤ p(x))`` is that of the intervals below the level, down to 1e-5."""
    variances = np.square(deviations)[:, None, None]
    model = GaussianClassifier.from_parameters(
        priors, np.array(means)[:, None], variances, covariance="full"
    )
    possible = [c for c, prior in enumerate(priors) if prior]

    def log_evidence(x: Any) -> Any:
        terms = [np.log(priors[c]) + norm.logpdf(x, means[c], deviations[c]) for c in possible]
        return np.logaddexp.reduce(terms, axis=0)

    def exact(level: float) -> float:
        points = np.linspace(-200, 200, 5_000) + 1e-3 * np.sqrt(2)
        turns = np.flatnonzero(np.diff(np.sign(log_evidence(points) - level)))
        inside = [
            brentq(lambda x: log_evidence(x) - level, points[i], points[i + 1]) for i in turns
        ]
        ends, total = [-np.inf, *inside, np.inf], 0.0
        for left, right in zip(ends[::2], ends[1::2], strict=True):
            for c in possible:
                below, over = (
                    tail([left, right], means[c], deviations[c]) for tail in (norm.cdf, norm.sf)
                )
                part = over[0] - over[1] if left > means[c] else below[1] - below[0]
                total += priors[c] * float(part)
        return total

    far = max(deviations)
    X = np.array([-20 * far, -8 * far, -3.0, 0.1, 1.5, 4.0, 6 * far, 15 * far])[:, None]
    expected = np.array([exact(float(log_evidence(x))) for x in X[:, 0]])
    assert expected.min() < 1e-80
    found, large = model.scores(X).novelty_p_value, expected > 0.01
    np.testing.assert_allclose(found[large], expected[large], rtol=0.03)
    # Of 100,000 draws and this row one has no more evidence: the row.
    np.testing.assert_allclose(found[expected < 1e-9], 1e-5, rtol=1e-3)


def test_the_evidence_of_drawn_rows_and_of_categories() -> None:
    model = GaussianClassifier.from_parameters(
        [0.7, 0.3],
        [[0.0, 0.0], [3.0, 1.0]],
        [[[2.0, -1.0], [-1.0, 2.0]], [[1.0, 0.3], [0.3, 0.5]]],
        category_probabilities={"kind": {"a": [0.9, 0.5], "b": [0.1, 0.5]}},
        feature_names=["x", "y"],
    )
    rows, _ = model.sample(20_000, random_state=3)
    p_values = model.scores(rows).novelty_p_value
    for level in (0.001, 0.01, 0.1, 0.5):
        assert abs((p_values < level).mean() - level) < 4 * np.sqrt(level / 20_000) + 0.02 * level
    # A row that has nothing is like all others; one that has a category alone is enumerated.
    alone = model.scores([[None, None, None], [None, None, "b"]]).novelty_p_value
    np.testing.assert_allclose(alone, [1.0, 0.7 * 0.1 + 0.3 * 0.5], rtol=0.02)


# Prediction sets.

CENTERS = np.array([[0.0, 0.0], [1.8, 0.0], [0.0, 1.8]])


def heavy(generator: np.random.Generator, n: int) -> tuple[Any, Any]:
    codes = generator.choice(3, n, p=[0.5, 0.3, 0.2])
    return CENTERS[codes] + generator.standard_t(5, size=(n, 2)), codes


def test_coverage_holds_though_rows_are_not_gaussian() -> None:
    """Of 40 tables with 150 rows, within a class up to the half of 1 / (m + 1) of its m rows."""
    generator, proportions, n = np.random.default_rng(5), np.array([0.5, 0.3, 0.2]), 40
    overall, within, single = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3), dtype=bool)
    for number in range(n):
        model = GaussianClassifier(calibrate=True).fit(*heavy(generator, 150))
        X, y = heavy(generator, 600)
        overall[number] = model.predict_set(X, 0.9).members[np.arange(600), y].mean()
        inside = model.predict_set(X, 0.9, by_class=True).members[np.arange(600), y]
        within[number] = [inside[y == code].mean() for code in range(3)]
        single[number] = [inside[y == code][0] for code in range(3)]
    assert abs(overall.mean() - 0.9) < 3 * overall.std(ddof=1) / np.sqrt(n)
    assert all(binomtest(int(count), n, 0.9).pvalue > 0.01 for count in single.sum(axis=0))
    excess, error = within.mean(axis=0) - 0.9, within.std(axis=0, ddof=1) / np.sqrt(n)
    assert (excess > -3 * error).all()
    assert (excess < 0.5 / (1 + 150 * proportions) + 3 * error).all()
    small, large = model.predict_set(X, 0.5), model.predict_set(X, 0.99)
    assert (small.members <= large.members).all()
    assert small.sizes.sum() < large.sizes.sum()
    assert large.labels[0] == tuple(model.classes_[large.members[0]].tolist())
    assert large.to_dict()["sets"][0] == list(large.labels[0])  # type: ignore[index]
    assert "99.0 %" in str(large)
    assert len(large) == 600


def test_bad_sets() -> None:
    X, y = heavy(np.random.default_rng(7), 60)
    model = GaussianClassifier(calibrate=True).fit(X, y)
    for coverage in (0.0, 1.0, 90, float("nan"), "0.9", True):
        with pytest.raises(OptionError, match="coverage must be"):
            model.predict_set(X, coverage)
    with pytest.raises(DataError, match="leave-one-out scores"):
        GaussianClassifier().fit(X, y).predict_set(X)


# Priors of unlabelled rows.


@pytest.mark.parametrize("apart", [0.5, 3.0])
@pytest.mark.parametrize("trained", [0.5, 0.2])
def test_priors_maximise_the_likelihood(apart: float, trained: float) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=2000) + apart * (rng.random(2000) >= 0.7)
    model = GaussianClassifier.from_parameters([trained, 1 - trained], [[0.0], [apart]], [[1.0]])
    found = model.estimate_priors(x[:, None])
    densities = norm.pdf(x[:, None], [0.0, apart])

    def log_likelihood(share: float) -> float:
        return float(np.log(densities @ [share, 1 - share]).sum())

    best = minimize_scalar(
        lambda share: -log_likelihood(share),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert found.converged
    assert found.prior[0] == pytest.approx(best.x, abs=1e-4)
    lacking = -best.fun - log_likelihood(found.prior[0])
    assert -1e-9 <= lacking <= 2000 * found.gap + 1e-9


def test_known_shares_weights_and_impossible_classes() -> None:
    means = [[0, 0], [4, 0]]
    model = GaussianClassifier().fit(*make_gaussian_dataset(1000, means, random_state=0))
    new, _ = make_gaussian_dataset([9000, 1000], means, random_state=1)
    found = model.estimate_priors(new)
    np.testing.assert_allclose(found.prior, [0.9, 0.1], rtol=0, atol=0.005)
    assert found.classes.tolist() == [0, 1]
    assert "estimated" in str(found)
    times = np.random.default_rng(6).integers(0, 4, size=300)
    weighted = model.estimate_priors(new[:300], times)
    repeated = model.estimate_priors(np.repeat(new[:300], times, axis=0))
    np.testing.assert_allclose(weighted.prior, repeated.prior, rtol=1e-9)
    never = model.with_priors([1.0, 0.0]).estimate_priors(new)
    assert never.prior.tolist() == [1.0, 0.0]
    assert never.n_iterations == 0
    far = TWO.estimate_priors([[-1e5], [1e5], [1e5], [-1e5]])
    np.testing.assert_allclose(far.prior, [0.5, 0.5], rtol=1e-9)
    for weight, message in (([1, 2], "must have shape"), ([-1] * 10, "row 0"), ([0] * 10, "zero")):
        with pytest.raises(DataError, match=message):
            model.estimate_priors(new[:10], weight)
