"""One row of numbers and categories explained: Bayes' rule, Shapley values, what is not known."""

import json
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.contributions import LogOdds, added
from gaussbayes.analysis.explanation import Explanation
from gaussbayes.base.errors import (
    DataError,
    NonFiniteError,
    ParameterError,
    PriorError,
    SchemaError,
)

pytestmark = pytest.mark.usefixtures("kernels")

NUMBERS, CATEGORIES = ["pressure", "warmth"], ["wind", "month", "alarm"]


def weather(n: int = 240) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers between three categories: texts, whole numbers and truth values."""
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


def fitted(**settings: Any) -> GaussianClassifier:
    return GaussianClassifier(**{"smoothing": 1.0} | settings).fit(FRAME, Y)


def odds_of(told: Explanation) -> LogOdds:
    assert told.log_odds is not None
    return told.log_odds


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
    model = fitted()
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
    model = fitted()
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
    model = fitted(covariance=covariance, shared=shared)
    for i in range(0, 240, 24):
        row = FRAME.iloc[i].tolist()
        for gone in ([], [1], [0, 1], [0, 1, 2, 3, 4]):
            some: list[Any] = [None if j in gone else value for j, value in enumerate(row)]
            odds = odds_of(model.explain(some))
            scale = max(1.0, *(abs(one.amount) for one in odds.contributions))
            rest = odds.value - odds.at_reference
            assert abs(added(odds.contributions) - rest) <= 1e-12 * scale


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
    odds = odds_of(fitted().explain(["mid", 1000.0, 2, 14.0, True]))
    assert [(type(one.value), one.value) for one in odds.contributions] == [
        (str, "mid"),
        (float, 1000.0),
        (int, 2),
        (float, 14.0),
        (bool, True),
    ]


def test_what_is_not_known_adds_nothing_and_is_marked() -> None:
    model = fitted()
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
    model = fitted()
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
    with pytest.raises(PriorError, match="both have prior 0"):
        model.with_priors([1.0, 0.0, 0.0]).explain(["a", None], (1, 2))


def test_references_are_of_the_numbers() -> None:
    model = fitted()
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
    with pytest.raises(ParameterError, match="each of the 2 features that hold numbers"):
        model.explain(row, None, [1, 2, 3, 4, 5])


def test_what_is_refused() -> None:
    model = fitted()
    with pytest.raises(DataError, match="one row is explained at a time, got 2"):
        model.explain(FRAME[:2])
    with pytest.raises(SchemaError, match="one row of 5 features is explained at a time, got 3"):
        model.explain(["low", 1000.0, 2])
    with pytest.raises(NonFiniteError, match="infinite in 'warmth'"):
        model.explain(["low", 1000.0, 2, np.inf, True])
    with pytest.raises(ParameterError, match="two different classes"):
        model.explain(FRAME[:1], ("dry", "dry"))
