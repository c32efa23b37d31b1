"""One row explained: Bayes' rule by scipy, Shapley values by definition, what is missing."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import factorial
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.explanation import (
    Contribution,
    Explanation,
    LogOdds,
    bayes_rule,
    explain,
    total_amount,
)
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.datasets import load_iris
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.average import averaged
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.model import Model
from tests.gaussians import model_of
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)

NAN = float("nan")
IRIS = load_iris()


def fitted(structure: Structure, X: Any = IRIS.rows, y: Any = IRIS.labels) -> Model:
    classifier = GaussianClassifier(structure.covariance, shared=structure.shared)
    names = IRIS.feature_names if X.shape[1] == 4 else None
    return classifier.fit(X, y).with_feature_names(names).model_


def row_of(values: Any) -> Rows:
    return number_rows(np.array([values], dtype=float))


def odds_of(explanation: Explanation) -> LogOdds:
    assert explanation.log_odds is not None
    return explanation.log_odds


def amounts(explanation: Explanation) -> list[float]:
    return [part.amount for part in odds_of(explanation).contributions]


# Bayes' rule.


MEANS = np.array([[0.0, 1.0], [2.0, -1.0]])
COVARIANCES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])
PRIORS = np.array([0.3, 0.7])


def test_every_number_is_what_scipy_says() -> None:
    row = np.array([0.7, 0.2])
    rule = bayes_rule(model_of(PRIORS, MEANS, COVARIANCES), row_of(row))
    density = [multivariate_normal(*own).pdf(row) for own in zip(MEANS, COVARIANCES, strict=True)]
    evidence = float(PRIORS @ density)
    assert rule.evidence == pytest.approx(evidence, rel=1e-14)
    assert rule.log_evidence == pytest.approx(np.log(evidence), rel=1e-14)
    for code, terms in enumerate(rule.classes):
        joint = PRIORS[code] * density[code]
        apart = row - MEANS[code]
        assert (terms.label, terms.prior) == (code, PRIORS[code])
        assert terms.log_prior == np.log(PRIORS[code])
        assert terms.likelihood == pytest.approx(density[code], rel=1e-14)
        assert terms.log_likelihood == pytest.approx(np.log(density[code]), rel=1e-14)
        assert terms.joint == pytest.approx(joint, rel=1e-14)
        assert terms.log_joint == pytest.approx(np.log(joint), rel=1e-14)
        assert terms.posterior == pytest.approx(joint / evidence, rel=1e-14)
        assert terms.log_posterior == pytest.approx(np.log(joint / evidence), rel=1e-13)
        square = apart @ np.linalg.solve(COVARIANCES[code], apart)
        assert terms.squared_distance == pytest.approx(square, rel=1e-14)


def test_logarithms_go_on_where_plain_numbers_end() -> None:
    model = model_of("uniform", [[0.0], [60.0]], [[1.0]], shared=True)
    rule = bayes_rule(model, row_of([100.0]))
    for terms, mean in zip(rule.classes, (0.0, 60.0), strict=True):
        assert (terms.likelihood, terms.joint) == (0.0, 0.0)
        assert terms.log_likelihood == pytest.approx(norm.logpdf(100.0, mean), rel=1e-14)
    assert rule.evidence == 0.0
    # log p(b | x) = −log(1 + e^−4200) and log p(a | x) = −4200 − that
    assert rule.classes[0].log_posterior == pytest.approx(-4200, rel=1e-14)
    assert (rule.classes[1].posterior, rule.classes[1].log_posterior) == (1.0, 0.0)


def test_a_posterior_next_to_one_has_a_logarithm_of_full_precision() -> None:
    model = model_of("uniform", [[0.0], [10.0]], [[1.0]], shared=True)
    rule = bayes_rule(model, row_of([0.0]))
    with mpmath.workdps(50):
        exact = float(-mpmath.log1p(mpmath.exp(-50)))
    assert rule.classes[0].log_posterior == pytest.approx(exact, rel=1e-12)


def test_a_density_beyond_the_largest_float() -> None:
    means = [[0.0] * 10, [1e-70] * 10]
    model = model_of("uniform", means, [1e-140, 1e-140], "spherical")
    rule = bayes_rule(model, row_of(np.zeros(10)))
    assert rule.classes[0].likelihood == np.inf
    expected = 10 * norm.logpdf(0.0, 0.0, 1e-70)
    assert rule.classes[0].log_likelihood == pytest.approx(expected, rel=1e-14)


def test_a_prior_of_zero() -> None:
    model = model_of([0.0, 1.0], [[0.0], [2.0]], [[1.0]], shared=True)
    never, always = bayes_rule(model, row_of([0.0])).classes
    assert (never.prior, never.joint, never.posterior) == (0.0, 0.0, 0.0)
    assert never.log_prior == never.log_joint == never.log_posterior == -np.inf
    assert never.likelihood == pytest.approx(norm.pdf(0.0), rel=1e-14)
    assert always.posterior == 1.0


def test_a_row_without_features_has_the_priors() -> None:
    rule = bayes_rule(model_of(PRIORS, MEANS, COVARIANCES), row_of([NAN, NAN]))
    assert [terms.posterior for terms in rule.classes] == pytest.approx(PRIORS.tolist(), rel=1e-15)
    assert [terms.likelihood for terms in rule.classes] == [1.0, 1.0]
    assert [terms.squared_distance for terms in rule.classes] == [0.0, 0.0]
    assert rule.evidence == pytest.approx(1.0, rel=1e-15)


# What each feature adds.


def test_the_query_of_the_course() -> None:
    X = np.array([[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]])
    codes = np.array([1, 1, 1, 0, 0, 0], dtype=np.int32)
    model = fitted(Structure("diagonal"), X, codes + 1)
    told = explain(model, row_of([3.0, 4.0]))
    likelihoods = [terms.log_likelihood for terms in told.bayes.classes]
    assert likelihoods == pytest.approx([-97.25548, -38.96977], abs=5e-6)
    odds = odds_of(told)
    assert (odds.of, odds.against) == (2, 1)
    assert odds.value == pytest.approx(58.285714, abs=5e-7)
    assert told.bayes.classes[0].log_posterior == pytest.approx(-58.285714, abs=5e-7)
    # Each feature has its own odds; the priors are equal, so that r is the middle of the means.
    middle = np.array([8.5 + 5.5 / 3, 5.5 / 3 + 7.5]) / 2
    assert [one.reference for one in odds.contributions] == pytest.approx(middle, rel=1e-14)
    for j, one in enumerate(odds.contributions):
        first, second = (norm(X[codes == c, j].mean(), X[codes == c, j].std()) for c in (0, 1))
        at_row, at_middle = (second.logpdf(x) - first.logpdf(x) for x in ([3.0, 4.0][j], middle[j]))
        assert one.amount == pytest.approx(at_row - at_middle, rel=1e-12)
        assert (one.feature, one.value) == (f"feature {j}", [3.0, 4.0][j])


@each_structure
def test_missing_features_are_integrated_out(structure: Structure) -> None:
    model = fitted(structure)
    row = IRIS.rows[106].copy()
    row[[0, 3]] = NAN
    told = explain(model, row_of(row))
    seen = [1, 2]
    means, dense = model.densities[0].mean, model.densities[0].dense_covariance()
    dense = np.broadcast_to(dense, (3, 4, 4))[:, 1:3, 1:3]
    density = [multivariate_normal(means[c, seen], dense[c]).pdf(row[seen]) for c in range(3)]
    posterior = np.array(density) / np.sum(density)
    found = [terms.posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(found, posterior, rtol=1e-12)
    odds = odds_of(told)
    assert [one.missing for one in odds.contributions] == [True, False, False, True]
    assert [odds.contributions[j].amount for j in (0, 3)] == [0.0, 0.0]
    assert np.isnan(odds.contributions[0].value)
    # The others are those of the model of two features.
    expected = amounts(explain(model.marginal(seen), row_of(row[seen])))
    found = [odds.contributions[j].amount for j in seen]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each_structure
def test_a_row_that_is_missing_altogether_has_the_priors(structure: Structure) -> None:
    model = fitted(structure).with_priors([0.2, 0.5, 0.3])
    told = explain(model, row_of([NAN] * 4))
    assert [terms.posterior for terms in told.bayes.classes] == pytest.approx([0.2, 0.5, 0.3])
    odds = odds_of(told)
    assert (odds.of, odds.against) == ("versicolor", "virginica")
    assert odds.value == odds.at_reference == pytest.approx(np.log(5 / 3), rel=1e-14)
    assert amounts(told) == [0.0] * 4


def test_without_a_choice_the_most_probable_class_meets_the_next() -> None:
    model = fitted(Structure())
    for row in IRIS.rows[::10]:
        told = explain(model, row_of(row))
        ranked = sorted(told.bayes.classes, key=lambda terms: -terms.posterior)
        odds = odds_of(told)
        assert (odds.of, odds.against) == (ranked[0].label, ranked[1].label)
        assert odds.value == pytest.approx(ranked[0].log_posterior - ranked[1].log_posterior)
        assert odds.value >= 0


def test_references() -> None:
    model = fitted(Structure()).with_priors([0.5, 0.25, 0.25])
    row = IRIS.rows[60]

    def reference(**options: object) -> list[float]:
        told = odds_of(explain(model, row_of(row), (1, 2), **options))  # type: ignore[arg-type]
        assert total_amount(told.contributions) == pytest.approx(
            told.value - told.at_reference, rel=1e-13
        )
        return [one.reference for one in told.contributions]

    mean = np.array([0.5, 0.25, 0.25]) @ model.densities[0].mean
    np.testing.assert_allclose(reference(), mean, rtol=1e-14)
    np.testing.assert_allclose(reference(reference="rival"), model.densities[0].mean[2], rtol=1e-14)
    np.testing.assert_allclose(reference(reference=[5, 3, 4, 1]), [5, 3, 4, 1], rtol=1e-15)


@each_structure
def test_a_huge_common_offset_costs_no_digit(structure: Structure) -> None:
    # Multiples of 2⁻⁸ near 2⁴⁰ are exact, so that the model moved is the same model.
    offset = 2.0**40
    rows = np.round(IRIS.rows * 256) / 256
    here, there = fitted(structure, rows), fitted(structure, rows + offset)
    for row in rows[::15]:
        near = odds_of(explain(here, row_of(row)))
        far = odds_of(explain(there, row_of(row + offset)))
        scale = sum(abs(one.amount) for one in near.contributions)
        assert far.value == pytest.approx(near.value, rel=1e-12)
        assert far.at_reference == pytest.approx(near.at_reference, rel=1e-12)
        for one, other in zip(near.contributions, far.contributions, strict=True):
            assert abs(one.amount - other.amount) <= 1e-12 * scale


@each_structure
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_contributions_sum_to_the_log_odds_of_real_rows(
    structure: Structure, load: Callable[..., Any]
) -> None:
    X, codes = load(return_X_y=True)
    model = fitted(structure, X, codes)
    for row in X[::20]:
        odds = odds_of(explain(model, row_of(row)))
        error = abs(total_amount(odds.contributions) - (odds.value - odds.at_reference))
        assert error <= 1e-12 * max(abs(odds.value), abs(odds.at_reference))


def test_a_prior_of_zero_makes_the_odds_infinite_and_no_contribution() -> None:
    model = fitted(Structure())
    row = IRIS.rows[60]
    usual = explain(model, row_of(row), (0, 1), [5, 3, 4, 1])
    never = model.with_priors([1.0, 0.0, 0.0])
    told = explain(never, row_of(row), (0, 1), [5, 3, 4, 1])
    odds = odds_of(told)
    assert odds.value == odds.at_reference == np.inf
    assert amounts(told) == amounts(usual)
    with pytest.raises(OptionError, match="both have prior 0"):
        explain(never, row_of(row), (1, 2))
    with pytest.raises(OptionError, match="both have prior 0"):
        explain(never, row_of([NAN] * 4), (1, 2))


def test_one_class_has_no_odds() -> None:
    told = explain(model_of([1.0], [[0.0]], [[[1.0]]]), row_of([0.5]))
    assert told.log_odds is None
    assert told.bayes.classes[0].posterior == 1.0
    assert told.as_record()["log_odds"] is None


def test_the_largest_come_first_and_one_alone_is_not_left_out() -> None:
    sizes = {"a": 1.0, "b": -3.0, "c": 0.5, "d": 2.0}
    every = [Contribution(name, 0.0, 0.0, size) for name, size in sizes.items()]
    odds = LogOdds(0, 1, 0.0, 0.0, (*every, Contribution("e", NAN, 0.0, 0.0)))

    def names(most: int) -> tuple[str, str]:
        first, rest = odds.largest(most)
        return "".join(one.feature for one in first), "".join(one.feature for one in rest)

    assert names(2) == ("bd", "ac")
    assert names(3) == ("bdac", "")
    assert names(9) == ("bdac", "")


def test_the_record_is_plain() -> None:
    model = fitted(Structure()).with_priors([0.0, 0.5, 0.5])
    told = explain(model, row_of([5.9, NAN, 4.8, 1.8]), (1, 0))
    record = json.loads(json.dumps(told.as_record(), allow_nan=False))
    assert record["evidence"] == told.bayes.evidence
    assert record["log_evidence"] == told.bayes.log_evidence
    first, second, _ = record["classes"]
    assert (first["class"], first["prior"], first["log_prior"]) == ("setosa", 0.0, None)
    assert second["log_likelihood"] == told.bayes.classes[1].log_likelihood
    odds = record["log_odds"]
    assert (odds["of"], odds["against"]) == ("versicolor", "setosa")
    assert odds["value"] is odds["at_reference"] is None  # infinite
    assert odds["contributions"][1] == {
        "feature": "sepal width (cm)",
        "value": None,
        "reference": pytest.approx(model.densities[0].mean[1:, 1].mean()),
        "amount": 0.0,
        "missing": True,
        "unseen": False,
        "rules_out": None,
    }


def test_what_is_refused() -> None:
    model, row = fitted(Structure()), row_of(IRIS.rows[0])
    with pytest.raises(DataError, match="one row is explained at a time, got 2"):
        explain(model, number_rows(IRIS.rows[:2]))
    with pytest.raises(DataError, match="infinity in row 0, column 'sepal width \\(cm\\)'"):
        explain(model, row_of([NAN, np.inf, 1.0, 1.0]))
    with pytest.raises(DataError, match="distance overflows"):
        explain(model, row_of([1e200, 1.0, 1.0, 1.0]))
    for pair in ((1, 1), (0, 3), (-1, 0)):
        with pytest.raises(OptionError, match="two different classes, with codes from 0 to 2"):
            explain(model, row, pair)
    for reference in ([1.0, 2.0], [1.0, 2.0, NAN, 3.0], 1.0):
        with pytest.raises(OptionError, match="a finite number for each of the 4 features"):
            explain(model, row, None, reference)
    with pytest.raises(OptionError, match="'mean', 'rival' or a number for each .* 'median'"):
        explain(model, row, None, "median")


# Numbers and categories.


NUMBERS, CATEGORIES = ["pressure", "warmth"], ["wind", "month", "alarm"]


def weather(n: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers between three categories: strings, integers and booleans."""
    random = np.random.default_rng(3)
    y = np.array(["dry", "mild", "wet"])[random.integers(0, 3, n)]
    shift = (y == "wet").astype(int)
    wind = np.array(["low", "mid", "strong", None], dtype=object)
    pressure = random.normal(1000, 10, n) - 8 * shift
    frame = pd.DataFrame(
        {
            "wind": pd.Categorical(wind[(random.integers(0, 3, n) + shift) % 4]),
            "pressure": pressure,
            "month": pd.Categorical(random.integers(1, 4, n)),
            "warmth": random.normal(15, 5, n) + 0.2 * (pressure - 1000) * (1 + shift),
            "alarm": pd.Categorical(random.random(n) < 0.2 + 0.5 * shift),
        }
    )
    return frame, y


FRAME, Y = weather()


def days(**settings: Any) -> GaussianClassifier:
    return GaussianClassifier(**{"smoothing": 1.0} | settings).fit(FRAME, Y)


def by_hand(model: GaussianClassifier, row: dict[str, Any]) -> np.ndarray:
    """``log p(x, c)`` (k,) by SciPy's density and by counting; None and NaN are integrated out."""
    seen = [j for j, name in enumerate(NUMBERS) if not np.isnan(row[name])]
    total = np.log(model.priors_)
    for c, label in enumerate(model.classes_):
        if seen:
            spread = model.covariances_[c][np.ix_(seen, seen)]
            density = multivariate_normal(model.means_[c, seen], spread)
            total[c] += density.logpdf([row[NUMBERS[j]] for j in seen])
        own = FRAME[label == Y]
        for name in CATEGORIES:
            if row[name] in FRAME[name].cat.categories:
                n_there, m = own[name].notna().sum(), FRAME[name].cat.categories.size
                total[c] += np.log((np.sum(own[name] == row[name]) + 1) / (n_there + m))
    return total


def test_bayes_rule_is_that_of_both_kinds_of_features() -> None:
    model = days()
    for i in range(0, 40, 4):
        told = model.explain(FRAME[i : i + 1]).bayes
        joint = by_hand(model, FRAME.iloc[i].to_dict())
        posterior = joint - logsumexp(joint)
        assert told.log_evidence == pytest.approx(logsumexp(joint), rel=1e-12)
        assert told.evidence == pytest.approx(np.exp(logsumexp(joint)), rel=1e-11)
        for c, terms in enumerate(told.classes):
            assert terms.log_joint == pytest.approx(joint[c], rel=1e-12)
            assert terms.joint == pytest.approx(np.exp(joint[c]), rel=1e-11)
            assert terms.log_posterior == pytest.approx(posterior[c], rel=1e-11, abs=1e-12)
            assert terms.posterior == pytest.approx(np.exp(posterior[c]), rel=1e-11)
            likelihood = joint[c] - np.log(model.priors_[c])
            assert terms.log_likelihood == pytest.approx(likelihood, rel=1e-12)
            assert terms.likelihood == pytest.approx(np.exp(likelihood), rel=1e-11)
        distance = [terms.squared_distance for terms in told.classes]
        np.testing.assert_allclose(distance, model.mahalanobis(FRAME[i : i + 1])[0] ** 2, rtol=1e-9)


@pytest.mark.parametrize("i", [0, 7, 33])
def test_contributions_are_shapley_values_by_definition(i: int) -> None:
    model = days()
    odds = odds_of(model.explain(FRAME[i : i + 1], ("wet", "dry")))
    reference = dict(zip(NUMBERS, model.priors_ @ model.means_, strict=True))
    row = FRAME.iloc[i].to_dict()
    names = list(FRAME.columns)

    def value(known: tuple[str, ...]) -> float:
        """The log-odds where only some features are the row's."""
        mixed = {name: row[name] if name in known else reference.get(name) for name in names}
        joint = by_hand(model, mixed)
        return float(joint[2] - joint[0])

    assert [one.feature for one in odds.contributions] == names
    assert odds.at_reference == pytest.approx(value(()), abs=1e-11)
    assert odds.value == pytest.approx(value(tuple(names)), abs=1e-11)
    assert odds.value == pytest.approx(model.log_odds(FRAME[i : i + 1], "wet", "dry")[0], abs=1e-11)
    for one in odds.contributions:
        others = [name for name in names if name != one.feature]
        total = 0.0
        for size in range(len(names)):
            weight = factorial(size) * factorial(len(others) - size) / factorial(len(names))
            for some in combinations(others, size):
                total += weight * (value((*some, one.feature)) - value(some))
        assert one.amount == pytest.approx(total, abs=1e-11)


@pytest.mark.parametrize("shared", [False, True, 0.4])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_contributions_sum_to_the_log_odds(covariance: str, shared: Any) -> None:
    model = days(covariance=covariance, shared=shared)
    for i in range(0, 240, 24):
        row = FRAME.iloc[i].tolist()
        for gone in ([], [1], [0, 1], [0, 1, 2, 3, 4]):
            some: list[Any] = [None if j in gone else value for j, value in enumerate(row)]
            odds = odds_of(model.explain(some))
            scale = max(1.0, *(abs(one.amount) for one in odds.contributions))
            rest = odds.value - odds.at_reference
            assert abs(total_amount(odds.contributions) - rest) <= 1e-12 * scale


def test_categories_alone_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 300)
    X = (random.integers(0, 3, (300, 2)) + y[:, None]) % [3, 4]
    theirs = CategoricalNB(alpha=0.5).fit(X, y)
    model = GaussianClassifier(categorical_features=[0, 1], smoothing=0.5).fit(X, y)
    for row in X[:20]:
        told = model.explain(row, (2, 0))
        joint = theirs.predict_joint_log_proba([row])[0]
        found = [terms.log_joint for terms in told.bayes.classes]
        np.testing.assert_allclose(found, joint, rtol=1e-12)
        assert all(np.isnan(terms.squared_distance) for terms in told.bayes.classes)
        odds = odds_of(told)
        for j, one in enumerate(odds.contributions):
            log_probability = theirs.feature_log_prob_[j][:, row[j]]
            assert one.amount == pytest.approx(log_probability[2] - log_probability[0], abs=1e-13)
            assert (one.value, one.reference) == (row[j], None)
        assert odds.at_reference == pytest.approx(
            theirs.class_log_prior_[2] - theirs.class_log_prior_[0], abs=1e-14
        )


def test_values_keep_their_kinds() -> None:
    odds = odds_of(days().explain(["mid", 1000.0, 2, 14.0, True]))
    assert [(type(one.value), one.value) for one in odds.contributions] == [
        (str, "mid"),
        (float, 1000.0),
        (int, 2),
        (float, 14.0),
        (bool, True),
    ]


def test_what_is_not_known_adds_nothing_and_is_marked() -> None:
    model = days()
    odds = odds_of(model.explain(["gale", 1000.0, None, None, True], ("wet", "dry")))
    marks = [(one.missing, one.unseen, one.silent) for one in odds.contributions]
    no, gap, new = (False, False, False), (True, False, True), (False, True, True)
    assert marks == [new, no, gap, gap, no]
    assert [one.amount for one in odds.contributions if one.silent] == [0.0, 0.0, 0.0]
    assert [one.value for one in odds.contributions[:3]] == ["gale", 1000.0, None]
    alone = model.marginal(["pressure", "alarm"]).explain([1000.0, True], ("wet", "dry"))
    assert odds.value == pytest.approx(odds_of(alone).value, rel=1e-13)
    assert {one.feature for one in odds.largest(9)[0]} == {"pressure", "alarm"}


def test_a_row_comes_in_many_ways() -> None:
    model = days()
    row = FRAME.iloc[5]
    expected = model.explain(FRAME[5:6])
    for same in (row, row.tolist(), tuple(row), row.to_numpy()):
        assert model.explain(same) == expected
    unnamed = model.with_feature_names(None)
    amounts = [one.amount for one in odds_of(unnamed.explain([row.tolist()])).contributions]
    assert amounts == [one.amount for one in odds_of(expected).contributions]


def test_a_category_that_rules_a_class_out() -> None:
    X = [["a", 1.0], ["a", 2.0], ["b", 1.5], ["b", 4.0], ["b", 5.0], ["c", 7.0], ["c", 8.0]]
    y = ["low", "low", "low", "high", "high", "top", "top"]
    model = GaussianClassifier(shared=True, categorical_features=[0]).fit(X, y)
    told = model.explain(["a", 2.0], ("high", "low"))
    high, low, top = told.bayes.classes
    assert (high.posterior, low.posterior, top.posterior) == (0.0, 1.0, 0.0)
    assert (high.log_likelihood, high.log_posterior) == (-np.inf, -np.inf)
    odds = odds_of(told)
    letter, number = odds.contributions
    assert (odds.value, letter.amount) == (-np.inf, -np.inf)
    assert np.isfinite([odds.at_reference, number.amount]).all()
    assert (odds.ruled_out(letter), odds.ruled_out(number)) == ("high", None)
    assert odds_of(model.explain(["a", 2.0], ("low", "high"))).value == np.inf
    record = json.loads(json.dumps(told.as_record(), allow_nan=False))
    assert record["log_odds"]["contributions"][0] == {
        "feature": "feature 0",
        "value": "a",
        "reference": None,
        "amount": None,
        "missing": False,
        "unseen": False,
        "rules_out": "high",
    }
    with pytest.raises(DataError, match="classes 'high' and 'top' both have probability 0"):
        model.explain(["a", 2.0], ("high", "top"))
    with pytest.raises(DataError, match="classes 0 and 2 both have probability 0 in row 1"):
        model.log_odds([["b", 2.0], ["a", 2.0]], "high", "top")


def test_priors_of_zero() -> None:
    X, y = [["a", "x"], ["a", "y"], ["b", "y"], ["c", "y"]], [0, 0, 1, 2]
    model = GaussianClassifier(categorical_features=[0, 1]).fit(X, y)
    never = model.with_priors([0.5, 0.0, 0.5])
    odds = odds_of(never.explain(["a", "y"], (0, 1)))
    assert (odds.value, odds.at_reference) == (np.inf, np.inf)
    assert [one.amount for one in odds.contributions] == [np.inf, np.log(0.5)]
    # Possible by the prior but not by the letter, and the other way round.
    with pytest.raises(DataError, match="probability 0 in every class"):
        never.explain(["b", "y"])
    with pytest.raises(DataError, match="classes 0 and 1 both have probability 0"):
        never.explain(["c", "y"], (0, 1))
    with pytest.raises(OptionError, match="both have prior 0"):
        model.with_priors([1.0, 0.0, 0.0]).explain(["a", None], (1, 2))


def test_references_are_of_the_numbers() -> None:
    model = days()
    row = FRAME[8:9]
    odds = odds_of(model.explain(row, ("wet", "dry"), "rival"))
    assert [one.reference for one in odds.contributions] == [
        None,
        pytest.approx(model.means_[0, 0]),
        None,
        pytest.approx(model.means_[0, 1]),
        None,
    ]
    odds = odds_of(model.explain(row, ("wet", "dry"), [990, 12]))
    assert [one.reference for one in odds.contributions] == [None, 990, None, 12, None]
    with pytest.raises(OptionError, match="each of the 2 features that are compared with a point"):
        model.explain(row, None, [1, 2, 3, 4, 5])


def test_what_is_refused_with_categories() -> None:
    model = days()
    with pytest.raises(DataError, match="one row is needed, got 2"):
        model.explain(FRAME[:2])
    with pytest.raises(DataError, match="a row of 5 features is needed, got 3 values"):
        model.explain(["low", 1000.0, 2])
    with pytest.raises(DataError, match="infinity in row 0, column 'warmth'"):
        model.explain(["low", 1000.0, 2, np.inf, True])
    with pytest.raises(OptionError, match="two different classes"):
        model.explain(FRAME[:1], ("dry", "dry"))


def test_counts_are_compared_with_one_that_is_not_known() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=60) + y, rng.poisson(2 + 3 * y)])
    model = GaussianClassifier(families={1: "poisson"}).fit(X, y)
    odds = odds_of(model.explain(X[3], (1, 0)))
    rates = [X[y == c, 1].mean() for c in (0, 1)]
    expected = X[3, 1] * np.log(rates[1] / rates[0]) - (rates[1] - rates[0])
    assert odds.contributions[1].amount == pytest.approx(expected, rel=1e-12)
    assert odds.contributions[1].reference is None
    assert odds.value == pytest.approx(odds.at_reference + total_amount(odds.contributions))


def adjusted(odds: LogOdds) -> float:
    assert odds.adjustment is not None
    return odds.at_reference + total_amount(odds.contributions) + odds.adjustment.amount


CALIBRATION = Calibration(0.6, np.array([0.3, -0.1, -0.2]))


@pytest.mark.parametrize("prior_proportion", [0.0, 0.01])
@pytest.mark.parametrize("between", [(0, 1), (2, 1)])
def test_calibration_has_a_line_of_its_own(
    between: tuple[int, int], prior_proportion: float
) -> None:
    """The densities' lines are those of the model without it; all add up to the posteriors."""
    plain = fitted(Structure("full", 0.0))
    calibration = replace(CALIBRATION, prior_proportion=prior_proportion)
    settings = replace(plain.settings, calibration=calibration)
    model = replace(plain, settings=settings, solution=None).solved()
    a, b = between
    for values in IRIS.rows[[0, 70, 133]]:
        row = row_of(values)
        before, after = (odds_of(explain(m, row, between)) for m in (plain, model))
        assert before.adjustment is None
        assert after.contributions == before.contributions
        assert after.at_reference == before.at_reference
        posterior = model.log_posterior(row)[0]
        np.testing.assert_allclose(adjusted(after), posterior[a] - posterior[b], atol=1e-9)
        if not prior_proportion:  # (t − 1) · log-likelihood ratio + b_a − b_b
            ratio = plain.log_likelihood(row)[0]
            offsets = CALIBRATION.offsets
            expected = -0.4 * (ratio[a] - ratio[b]) + offsets[a] - offsets[b]
            assert after.adjustment is not None
            assert after.adjustment.by == "calibration"
            np.testing.assert_allclose(after.adjustment.amount, expected, rtol=1e-9)
    record = explain(model, row, between).as_record()
    assert record["calibrated"]
    assert json.loads(json.dumps(record))["log_odds"]["adjustment"]["by"] == "calibration"


@pytest.mark.parametrize("calibration", [None, CALIBRATION])
@pytest.mark.parametrize("priors", ["own", [0.2, 0.5, 0.3]])
def test_averaged_models_are_explained_by_their_members(
    calibration: Calibration | None, priors: Any
) -> None:
    """Contributions are means of those of the members, compared with the same point."""
    members = [fitted(Structure("full", 0.0)), fitted(Structure("diagonal", 1.0))]
    weights = np.array([0.75, 0.25])
    model: Model = averaged([member.solved() for member in members], weights, calibration)
    if priors != "own":
        model = model.with_priors(priors)
        members = [member.with_priors(priors) for member in members]
    pair, point = (1, 2), IRIS.rows.mean(axis=0)
    for values in IRIS.rows[[0, 70, 133]]:
        row = row_of(values)
        odds = odds_of(explain(model, row, pair, point))
        parts = [odds_of(explain(member, row, pair, point)) for member in members]
        amounts = [[c.amount for c in part.contributions] for part in parts]
        np.testing.assert_allclose(
            [c.amount for c in odds.contributions], weights @ amounts, rtol=1e-9, atol=1e-12
        )
        starts = weights @ [part.at_reference for part in parts]
        np.testing.assert_allclose(odds.at_reference, starts, rtol=1e-9)
        posterior = model.log_posterior(row)[0]
        np.testing.assert_allclose(adjusted(odds), posterior[1] - posterior[2], atol=1e-9)
        assert odds.adjustment is not None
        assert odds.adjustment.by == "averaging" + (" and calibration" if calibration else "")
        # With the mean as the reference, all members are compared with that of the first.
        again = odds_of(explain(model, row, pair))
        alone = odds_of(explain(members[0], row, pair))
        assert [c.reference for c in again.contributions] == [
            c.reference for c in alone.contributions
        ]
        np.testing.assert_allclose(adjusted(again), posterior[1] - posterior[2], atol=1e-9)


def test_calibration_leaves_possible_what_a_category_rules_out() -> None:
    X = pd.DataFrame({"wind": pd.Categorical(list("aabbab"))})
    plain = GaussianClassifier().fit(X, [0, 0, 1, 1, 0, 1])
    calibration = Calibration(1.0, np.zeros(2), 0.1)
    settings = replace(plain.model_.settings, calibration=calibration)
    model = replace(plain.model_, settings=settings, solution=None).solved()
    odds = odds_of(explain(model, model.rows(X[:1])))
    assert odds.adjustment is not None
    assert odds.adjustment.amount == -np.inf
    np.testing.assert_allclose(odds.value, np.log(0.95 / 0.05))
    record = json.dumps(explain(model, model.rows(X[:1])).as_record(), allow_nan=False)
    assert json.loads(record)["log_odds"]["adjustment"] == {"by": "calibration", "amount": None}
