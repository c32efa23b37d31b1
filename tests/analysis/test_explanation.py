"""One row explained: Bayes' rule by scipy, Shapley values by definition, missing values."""

import json
from math import fsum
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import AutoClassifier, Columns, DataError, GaussianClassifier, OptionError
from gaussbayes.datasets import load_iris
from tests.models import STRUCTURES

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
NAN = float("nan")
IRIS = load_iris()


def given(priors: Any, means: Any, covariances: Any) -> GaussianClassifier:
    return GaussianClassifier.from_parameters(priors, means, covariances, covariance="full")


def odds_of(explanation: Any) -> Any:
    assert explanation.log_odds is not None
    return explanation.log_odds


def amounts(explanation: Any) -> list[float]:
    return [part.amount for part in odds_of(explanation).contributions]


def total(odds: Any) -> float:
    calibration = odds.calibration or 0.0
    parts = (part.amount for part in odds.contributions)
    return fsum([odds.at_reference, *parts, calibration])


# Bayes' rule.

MEANS = np.array([[0.0, 1.0], [2.0, -1.0]])
COVARIANCES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])
PRIORS = np.array([0.3, 0.7])


def test_every_number_is_that_of_scipy() -> None:
    row = np.array([0.7, 0.2])
    rule = given(PRIORS, MEANS, COVARIANCES).explain(row).bayes
    density = [multivariate_normal(*own).pdf(row) for own in zip(MEANS, COVARIANCES, strict=True)]
    evidence = float(PRIORS @ density)
    assert rule.evidence == pytest.approx(evidence, rel=1e-14)
    assert rule.log_evidence == pytest.approx(np.log(evidence), rel=1e-14)
    for code, terms in enumerate(rule.classes):
        joint, apart = PRIORS[code] * density[code], row - MEANS[code]
        assert (terms.label, terms.prior) == (code, PRIORS[code])
        expected = {
            "prior": PRIORS[code],
            "likelihood": density[code],
            "joint": joint,
            "posterior": joint / evidence,
        }
        for name, value in expected.items():
            assert getattr(terms, name) == pytest.approx(value, rel=1e-14)
            assert getattr(terms, f"log_{name}") == pytest.approx(np.log(value), rel=1e-13)
        square = apart @ np.linalg.solve(COVARIANCES[code], apart)
        assert terms.squared_distance == pytest.approx(square, rel=1e-14)


def test_logarithms_go_on_where_plain_numbers_end() -> None:
    rule = given(None, [[0.0], [60.0]], [[1.0]]).explain([100.0]).bayes
    for terms, mean in zip(rule.classes, (0.0, 60.0), strict=True):
        assert (terms.likelihood, terms.joint) == (0.0, 0.0)
        assert terms.log_likelihood == pytest.approx(norm.logpdf(100.0, mean), rel=1e-14)
    # log p(b | x) = −log(1 + e^−4200) and log p(a | x) = −4200 − that
    assert rule.classes[0].log_posterior == pytest.approx(-4200, rel=1e-14)
    assert (rule.classes[1].posterior, rule.classes[1].log_posterior) == (1.0, 0.0)
    near = given(None, [[0.0], [10.0]], [[1.0]]).explain([0.0]).bayes
    with mpmath.workdps(50):
        exact = float(-mpmath.log1p(mpmath.exp(-50)))
    assert near.classes[0].log_posterior == pytest.approx(exact, rel=1e-12)
    narrow = given(None, [[0.0] * 10, [1e-70] * 10], np.eye(10) * 1e-140).explain(np.zeros(10))
    assert narrow.bayes.classes[0].likelihood == np.inf
    expected = 10 * norm.logpdf(0.0, 0.0, 1e-70)
    assert narrow.bayes.classes[0].log_likelihood == pytest.approx(expected, rel=1e-14)


def test_a_prior_of_zero_and_a_row_without_values() -> None:
    model = given(PRIORS, MEANS, COVARIANCES)
    never, always = model.with_priors([0.0, 1.0]).explain([0.0, 0.0]).bayes.classes
    assert (never.prior, never.joint, never.posterior) == (0.0, 0.0, 0.0)
    assert never.log_prior == never.log_joint == never.log_posterior == -np.inf
    assert never.likelihood == pytest.approx(
        multivariate_normal(MEANS[0], COVARIANCES[0]).pdf([0, 0])
    )
    assert always.posterior == 1.0
    told = model.explain([NAN, NAN])
    assert [terms.posterior for terms in told.bayes.classes] == pytest.approx(PRIORS, rel=1e-15)
    assert [terms.likelihood for terms in told.bayes.classes] == [1.0, 1.0]
    assert told.bayes.evidence == pytest.approx(1.0, rel=1e-15)
    assert odds_of(told).value == odds_of(told).at_reference == pytest.approx(np.log(7 / 3))
    assert amounts(told) == [0.0, 0.0]
    certain = odds_of(model.with_priors([1.0, 0.0]).explain([1.0, 2.0], (0, 1)))
    assert certain.value == certain.at_reference == np.inf
    likely = odds_of(model.with_priors([1.0 - 1e-9, 1e-9]).explain([1.0, 2.0], (0, 1)))
    pairs = zip(certain.contributions, likely.contributions, strict=True)
    assert all(one.amount == pytest.approx(other.amount, rel=1e-8) for one, other in pairs)


# Contributions.


def test_the_query_of_the_course() -> None:
    X = np.array([[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]])
    codes = np.array([1, 1, 1, 0, 0, 0])
    told = GaussianClassifier("diagonal").fit(X, codes + 1).explain([3.0, 4.0])
    likelihoods = [terms.log_likelihood for terms in told.bayes.classes]
    assert likelihoods == pytest.approx([-97.25548, -38.96977], abs=5e-6)
    odds = odds_of(told)
    assert (odds.of, odds.against) == (2, 1)
    assert odds.value == pytest.approx(58.285714, abs=5e-7)
    # Each feature has its own odds; the priors are equal, so that r is the middle of the means.
    middle = np.array([8.5 + 5.5 / 3, 5.5 / 3 + 7.5]) / 2
    assert [one.reference for one in odds.contributions] == pytest.approx(middle, rel=1e-14)
    for j, one in enumerate(odds.contributions):
        first, second = (norm(X[codes == c, j].mean(), X[codes == c, j].std()) for c in (0, 1))
        at_row, at_middle = (second.logpdf(x) - first.logpdf(x) for x in ([3.0, 4.0][j], middle[j]))
        assert one.amount == pytest.approx(at_row - at_middle, rel=1e-12)
        assert (one.feature, one.value) == (f"feature {j}", [3.0, 4.0][j])
    text = str(told)
    assert "log-odds of 2 against 1" in text
    assert "contribution" in text
    assert "<table>" in told._repr_html_()


@each_structure
def test_real_rows(covariance: str, shared: bool) -> None:
    """Contributions add up; missing features are integrated out; far from 0 no digit is lost."""
    for X, y in (load_wine(return_X_y=True), load_breast_cancer(return_X_y=True)):
        model = GaussianClassifier(covariance, shared=shared).fit(X, y)
        for row in X[::40]:
            odds = odds_of(model.explain(row))
            largest = max(abs(odds.value), abs(odds.at_reference))
            assert abs(total(odds) - odds.value) <= 1e-12 * largest
    # Multiples of 2⁻⁸ near 2⁴⁰ are exact, so that the model moved is the same model.
    rows, offset = np.round(IRIS.rows * 256) / 256, 2.0**40
    here, there = (
        GaussianClassifier(covariance, shared=shared).fit(rows + by, IRIS.labels)
        for by in (0.0, offset)
    )
    for row in rows[::40]:
        near, far = odds_of(here.explain(row)), odds_of(there.explain(row + offset))
        scale = sum(abs(one.amount) for one in near.contributions)
        assert far.value == pytest.approx(near.value, rel=1e-12)
        for one, other in zip(near.contributions, far.contributions, strict=True):
            assert abs(one.amount - other.amount) <= 1e-12 * scale
    row = rows[106].copy()
    row[[0, 3]] = NAN
    told, alone = here.explain(row), here.marginal([1, 2]).explain(row[[1, 2]])
    assert [one.missing for one in odds_of(told).contributions] == [True, False, False, True]
    np.testing.assert_allclose(amounts(told), [0.0, *amounts(alone), 0.0], rtol=1e-11)
    found = [terms.log_posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(found, [t.log_posterior for t in alone.bayes.classes], rtol=1e-11)


def test_the_classes_can_be_chosen() -> None:
    model = GaussianClassifier(priors=[0.5, 0.25, 0.25]).fit(IRIS.rows, IRIS.labels)
    for row in IRIS.rows[::30]:
        told = model.explain(row)
        ranked = sorted(told.bayes.classes, key=lambda terms: -terms.posterior)
        odds = odds_of(told)
        assert (odds.of, odds.against) == (ranked[0].label, ranked[1].label)
        assert odds.value == pytest.approx(ranked[0].log_posterior - ranked[1].log_posterior)
    odds = odds_of(model.explain(IRIS.rows[60], ("versicolor", "virginica")))
    point = np.array([0.5, 0.25, 0.25]) @ model.means_
    assert [one.reference for one in odds.contributions] == pytest.approx(point, rel=1e-14)
    assert total(odds) == pytest.approx(odds.value, rel=1e-13)


def test_many_features_share_a_line() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    told = GaussianClassifier("diagonal").fit(X, y).explain(X[3])
    first, rest = odds_of(told).largest(12)
    assert (len(first), len(rest)) == (12, 18)
    sizes = [abs(part.amount) for part in (*first, *rest)]
    assert sizes == sorted(sizes, reverse=True)
    assert "18 other features" in str(told)
    assert len(odds_of(told).largest(29)[0]) == 30  # one alone is not worth a line


def test_the_dictionary_is_plain() -> None:
    model = GaussianClassifier(
        priors=[0.0, 0.5, 0.5], columns=Columns(names=IRIS.feature_names)
    ).fit(IRIS.rows, IRIS.labels)
    told = model.explain([5.9, NAN, 4.8, 1.8], ("versicolor", "setosa"))
    record = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert record["bayes"]["evidence"] == told.bayes.evidence
    first, second, _ = record["bayes"]["classes"]
    assert (first["label"], first["prior"], first["log_prior"]) == ("setosa", 0.0, None)
    assert second["log_likelihood"] == told.bayes.classes[1].log_likelihood
    odds = record["log_odds"]
    assert (odds["of"], odds["value"], odds["at_reference"]) == ("versicolor", None, None)
    assert odds["contributions"][1] == {
        "feature": "sepal width (cm)",
        "value": None,
        "reference": pytest.approx(model.means_[1:, 1].mean()),
        "amount": 0.0,
        "unseen": False,
        "rules_out": None,
    }


# Numbers and categories.


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


@pytest.mark.parametrize("shared", [False, True, 0.4])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_contributions_of_both_kinds_add_up(covariance: str, shared: Any) -> None:
    model = days(covariance=covariance, shared=shared)
    for i in range(0, 240, 48):
        row = FRAME.iloc[i].tolist()
        for gone in ([], [1], [0, 1], [0, 1, 2, 3, 4]):
            some: list[Any] = [None if j in gone else value for j, value in enumerate(row)]
            odds = odds_of(model.explain(some))
            scale = max(1.0, *(abs(one.amount) for one in odds.contributions))
            assert abs(total(odds) - odds.value) <= 1e-12 * scale


def test_categories_alone_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 300)
    X = (random.integers(0, 3, (300, 2)) + y[:, None]) % [3, 4]
    theirs = CategoricalNB(alpha=0.5).fit(X, y)
    model = GaussianClassifier(smoothing=0.5, columns=Columns(categorical=[0, 1])).fit(X, y)
    for row in X[:20]:
        told = model.explain(row, (2, 0))
        joint = theirs.predict_joint_log_proba([row])[0]
        found = [terms.log_joint for terms in told.bayes.classes]
        np.testing.assert_allclose(found, joint, rtol=1e-12)
        assert all(np.isnan(terms.squared_distance) for terms in told.bayes.classes)
        for j, one in enumerate(odds_of(told).contributions):
            log_probability = theirs.feature_log_prob_[j][:, row[j]]
            assert one.amount == pytest.approx(log_probability[2] - log_probability[0], abs=1e-13)
            assert (one.value, one.reference) == (row[j], None)


def test_values_that_are_not_known_contribute_nothing() -> None:
    model = days()
    told = model.explain(["gale", 1000.0, None, None, True], ("wet", "dry"))
    odds = odds_of(told)
    marks = [(one.missing, one.unseen, one.silent) for one in odds.contributions]
    no, gap, new = (False, False, False), (True, False, True), (False, True, True)
    assert marks == [new, no, gap, gap, no]
    assert [one.value for one in odds.contributions[:3]] == ["gale", 1000.0, None]
    alone = model.marginal(["pressure", "alarm"]).explain([1000.0, True], ("wet", "dry"))
    assert odds.value == pytest.approx(odds_of(alone).value, rel=1e-13)
    text = str(told).replace("\n", " ")
    assert "Missing, without contribution: month, warmth." in text
    assert "Not in the training rows, without contribution: wind = gale." in text
    kinds = [type(one.value) for one in odds_of(model.explain(FRAME[3:4])).contributions]
    assert kinds == [str, float, int, float, bool]
    for same in (FRAME.iloc[5], FRAME.iloc[5].tolist(), FRAME.iloc[5].to_dict()):
        assert amounts(model.explain(same)) == amounts(model.explain(FRAME[5:6]))


def test_dates_are_dates() -> None:
    days_off = np.arange(40)
    frame = pd.DataFrame({"when": pd.Timestamp("2024-01-01") + pd.to_timedelta(days_off, unit="D")})
    frame["size"] = np.random.default_rng(0).normal(size=40)
    model = GaussianClassifier().fit(frame, np.where(days_off // 2 % 2 < 1, "old", "new"))
    part = odds_of(model.explain(frame[3:4])).contributions[0]
    assert part.value == "2024-01-04"
    assert str(part.reference).startswith("2024-01-20")
    assert "2024-01-" in str(model)  # the means of the classes


def test_a_category_that_rules_a_class_out() -> None:
    frame = pd.DataFrame({"letter": list("aabbbcc"), "number": [1.0, 2.0, 1.5, 4.0, 5.0, 7.0, 8.0]})
    frame["letter"] = frame["letter"].astype("category")
    y = ["low", "low", "low", "high", "high", "top", "top"]
    model = GaussianClassifier(shared=True).fit(frame, y)
    told = model.explain(["a", 2.0], ("high", "low"))
    assert [terms.posterior for terms in told.bayes.classes] == [0.0, 1.0, 0.0]
    odds = odds_of(told)
    letter, number = odds.contributions
    assert (odds.value, letter.amount) == (-np.inf, -np.inf)
    assert np.isfinite([odds.at_reference, number.amount]).all()
    assert (letter.rules_out, number.rules_out) == ("high", None)
    assert "rules out high" in str(told)
    record = told.to_dict()["log_odds"]["contributions"][0]  # type: ignore[index]
    assert (record["amount"], record["rules_out"]) == (None, "high")
    with pytest.raises(DataError, match="classes 'high' and 'top' both have probability 0"):
        model.explain(["a", 2.0], ("high", "top"))
    with pytest.raises(OptionError, match="both have prior 0"):
        model.with_priors([0.0, 1.0, 0.0]).explain(["a", None], ("high", "top"))


def test_counts_are_compared_with_an_unknown_value() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=60) + y, rng.poisson(2 + 3 * y)])
    odds = odds_of(GaussianClassifier(families={1: "poisson"}).fit(X, y).explain(X[3], (1, 0)))
    rates = [X[y == c, 1].mean() for c in (0, 1)]
    expected = X[3, 1] * np.log(rates[1] / rates[0]) - (rates[1] - rates[0])
    assert odds.contributions[1].amount == pytest.approx(expected, rel=1e-12)
    assert odds.contributions[1].reference is None
    assert total(odds) == pytest.approx(odds.value)


@pytest.mark.parametrize("automatic", [False, True])
def test_calibration_has_a_line_of_its_own(automatic: bool) -> None:
    """The contributions are those of the densities; all add up to the calibrated posteriors."""
    X, y = IRIS.rows, IRIS.labels
    model: Any = AutoClassifier() if automatic else GaussianClassifier(calibrate=True)
    model.fit(X, y)
    for row in X[[0, 70, 133]]:
        told = model.explain(row, ("versicolor", "virginica"))
        odds, log_posterior = odds_of(told), model.predict_log_proba([row])[0]
        assert total(odds) == pytest.approx(log_posterior[1] - log_posterior[2], abs=1e-9)
        if not automatic:
            plain = GaussianClassifier().fit(X, y).explain(row, ("versicolor", "virginica"))
            assert odds.contributions == odds_of(plain).contributions
            assert odds_of(plain).calibration is None
    assert told.to_dict()["log_odds"]["calibration"] == odds_of(told).calibration
    assert "calibrated" in str(told)


def test_what_is_refused() -> None:
    model, row = GaussianClassifier().fit(IRIS.rows, IRIS.labels), IRIS.rows[0]
    mixed = days()
    with pytest.raises(DataError, match="one row"):
        model.explain(IRIS.rows[:2])
    with pytest.raises(DataError, match="infinity in row 0"):
        model.explain([NAN, np.inf, 1.0, 1.0])
    with pytest.raises(OptionError, match="two different classes"):
        model.explain(row, ("setosa", "setosa"))
    with pytest.raises(DataError, match="a row of 5 features is needed, got 3 values"):
        mixed.explain(["low", 1000.0, 2])
