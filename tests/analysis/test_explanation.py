"""One row explained: the course's query, missing features, references, and what is refused."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gaussbayes.analysis.contributions import Contribution, LogOdds, added
from gaussbayes.families.gaussian.parameters import Parameters, Structure, estimate, given
from gaussbayes.families.gaussian.summarise import summarise
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_breast_cancer, load_wine

from gaussbayes.analysis.explanation import Explanation, explain
from gaussbayes.base.errors import (
    DataError,
    NonFiniteError,
    ParameterError,
    PriorError,
    SchemaError,
)
from gaussbayes.base.schema import Schema
from gaussbayes.datasets import load_iris
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)

NAN = float("nan")
IRIS = load_iris()
IRIS_SCHEMA = Schema(np.unique(IRIS.labels), 4, tuple(IRIS.feature_names))


def iris(structure: Structure, offset: float = 0.0) -> Parameters:
    codes = np.searchsorted(IRIS_SCHEMA.classes, IRIS.labels).astype(np.int32)
    moments = summarise(IRIS.rows + offset, codes, None, 3, structure.layout)
    return estimate(moments, IRIS_SCHEMA, structure)


def odds_of(told: Explanation) -> LogOdds:
    assert told.log_odds is not None
    return told.log_odds


def amounts(told: Explanation) -> list[float]:
    return [one.amount for one in odds_of(told).contributions]


def test_the_query_of_the_course() -> None:
    X = np.array([[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]])
    codes = np.array([1, 1, 1, 0, 0, 0], dtype=np.int32)
    schema = Schema(np.array([1, 2]), 2)
    model = estimate(summarise(X, codes, None, 2, "diagonal"), schema, Structure("diagonal"))
    told = explain(model, schema, [3.0, 4.0])
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
    model = iris(structure)
    row = IRIS.rows[106].copy()
    row[[0, 3]] = NAN
    told = explain(model, IRIS_SCHEMA, row)
    seen = [1, 2]
    dense = np.broadcast_to(model.covariance.dense(), (3, 4, 4))[:, 1:3, 1:3]
    density = [multivariate_normal(model.mean[c, seen], dense[c]).pdf(row[seen]) for c in range(3)]
    posterior = np.array(density) / np.sum(density)
    found = [terms.posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(found, posterior, rtol=1e-12)
    odds = odds_of(told)
    assert [one.missing for one in odds.contributions] == [True, False, False, True]
    assert [odds.contributions[j].amount for j in (0, 3)] == [0.0, 0.0]
    assert np.isnan(odds.contributions[0].value)
    # The others are those of the model of two features.
    part = Schema(IRIS_SCHEMA.classes, 2)
    values = {"full": dense, "diagonal": np.einsum("kii->ki", dense), "spherical": dense[:, 0, 0]}
    own = values[structure.covariance]
    alone = given(part, structure, None, model.mean[:, seen], own[0] if structure.shared else own)
    expected = amounts(explain(alone, part, row[seen]))
    found = [odds.contributions[j].amount for j in seen]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each_structure
def test_a_row_that_is_missing_altogether_has_the_priors(structure: Structure) -> None:
    model = iris(structure).with_prior(np.array([0.2, 0.5, 0.3]))
    told = explain(model, IRIS_SCHEMA, [NAN] * 4)
    assert [terms.posterior for terms in told.bayes.classes] == pytest.approx([0.2, 0.5, 0.3])
    odds = odds_of(told)
    assert (odds.of, odds.against) == ("versicolor", "virginica")
    assert odds.value == odds.at_reference == pytest.approx(np.log(5 / 3), rel=1e-14)
    assert amounts(told) == [0.0] * 4


def test_without_a_choice_the_most_probable_class_meets_the_next() -> None:
    model = iris(Structure())
    for row in IRIS.rows[::10]:
        told = explain(model, IRIS_SCHEMA, row)
        ranked = sorted(told.bayes.classes, key=lambda terms: -terms.posterior)
        odds = odds_of(told)
        assert (odds.of, odds.against) == (ranked[0].label, ranked[1].label)
        assert odds.value == pytest.approx(ranked[0].log_posterior - ranked[1].log_posterior)
        assert odds.value >= 0


def test_references() -> None:
    model = iris(Structure()).with_prior(np.array([0.5, 0.25, 0.25]))
    row = IRIS.rows[60]

    def reference(**options: object) -> list[float]:
        told = odds_of(explain(model, IRIS_SCHEMA, row, (1, 2), **options))  # type: ignore[arg-type]
        assert added(told.contributions) == pytest.approx(told.value - told.at_reference, rel=1e-13)
        return [one.reference for one in told.contributions]

    mean = np.array([0.5, 0.25, 0.25]) @ model.mean
    np.testing.assert_allclose(reference(), mean, rtol=1e-14)
    np.testing.assert_allclose(reference(reference="rival"), model.mean[2], rtol=1e-14)
    np.testing.assert_allclose(reference(reference=[5, 3, 4, 1]), [5, 3, 4, 1], rtol=1e-15)


@each_structure
def test_a_huge_common_offset_costs_no_digit(structure: Structure) -> None:
    # Multiples of 2⁻⁸ near 2⁴⁰ are exact, so that the model moved is the same model.
    offset = 2.0**40
    codes = np.searchsorted(IRIS_SCHEMA.classes, IRIS.labels).astype(np.int32)
    rows = np.round(IRIS.rows * 256) / 256

    def model(X: np.ndarray) -> Parameters:
        return estimate(summarise(X, codes, None, 3, structure.layout), IRIS_SCHEMA, structure)

    here, there = model(rows), model(rows + offset)
    for row in rows[::15]:
        near = odds_of(explain(here, IRIS_SCHEMA, row))
        far = odds_of(explain(there, IRIS_SCHEMA, row + offset))
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
    schema = Schema(np.unique(codes), X.shape[1])
    moments = summarise(X, codes.astype(np.int32), None, schema.classes.size, structure.layout)
    model = estimate(moments, schema, structure)
    for row in X[::20]:
        odds = odds_of(explain(model, schema, row))
        error = abs(added(odds.contributions) - (odds.value - odds.at_reference))
        assert error <= 1e-12 * max(abs(odds.value), abs(odds.at_reference))


def test_a_prior_of_zero_makes_the_odds_infinite_and_no_contribution() -> None:
    model = iris(Structure())
    row = IRIS.rows[60]
    usual = explain(model, IRIS_SCHEMA, row, (0, 1), [5, 3, 4, 1])
    told = explain(
        model.with_prior(np.array([1.0, 0.0, 0.0])), IRIS_SCHEMA, row, (0, 1), [5, 3, 4, 1]
    )
    odds = odds_of(told)
    assert odds.value == odds.at_reference == np.inf
    assert amounts(told) == amounts(usual)
    with pytest.raises(PriorError, match="both have prior 0"):
        explain(model.with_prior(np.array([1.0, 0.0, 0.0])), IRIS_SCHEMA, row, (1, 2))
    with pytest.raises(PriorError, match="both have prior 0"):
        explain(model.with_prior(np.array([1.0, 0.0, 0.0])), IRIS_SCHEMA, [NAN] * 4, (1, 2))


def test_one_class_has_no_odds() -> None:
    schema = Schema(np.array(["a"]), 1)
    told = explain(given(schema, Structure(), None, [[0.0]], [[[1.0]]]), schema, [0.5])
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
    model = iris(Structure()).with_prior(np.array([0.0, 0.5, 0.5]))
    told = explain(model, IRIS_SCHEMA, [5.9, NAN, 4.8, 1.8], (1, 0))
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
        "reference": pytest.approx((model.mean[1, 1] + model.mean[2, 1]) / 2),
        "amount": 0.0,
        "missing": True,
        "unseen": False,
        "rules_out": None,
    }


def test_what_is_refused() -> None:
    model, row = iris(Structure()), IRIS.rows[0]
    with pytest.raises(SchemaError, match="one row of 4 features .* got numbers of shape \\(3,\\)"):
        explain(model, IRIS_SCHEMA, row[:3])
    with pytest.raises(SchemaError, match="shape \\(2, 4\\)"):
        explain(model, IRIS_SCHEMA, IRIS.rows[:2])
    with pytest.raises(ParameterError, match="must be an array of numbers"):
        explain(model, IRIS_SCHEMA, ["a", "b", "c", "d"])
    with pytest.raises(NonFiniteError, match="infinite in 'sepal width \\(cm\\)'"):
        explain(model, IRIS_SCHEMA, [NAN, np.inf, 1.0, 1.0])
    with pytest.raises(DataError, match="distance overflows"):
        explain(model, IRIS_SCHEMA, [1e200, 1.0, 1.0, 1.0])
    for pair in ((1, 1), (0, 3), (-1, 0)):
        with pytest.raises(ParameterError, match="two different classes, numbered from 0 to 2"):
            explain(model, IRIS_SCHEMA, row, pair)
    for reference in ([1.0, 2.0], [1.0, 2.0, NAN, 3.0], 1.0):
        with pytest.raises(ParameterError, match="a finite number for each of the 4 features"):
            explain(model, IRIS_SCHEMA, row, None, reference)
    with pytest.raises(ParameterError, match="'mean', 'rival' or a number for each .* 'median'"):
        explain(model, IRIS_SCHEMA, row, None, "median")
