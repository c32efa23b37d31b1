"""Costs, margins, rejection and decisions against their definitions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import chi2

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.decision import (
    check_costs,
    decide_by_posteriors,
    expected_costs,
    margins,
    rejected,
)
from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from tests.models import STRUCTURES, iris

TWO = Schema(np.array(["ill", "well"]), 1)
THREE = Schema(np.array([10, 20, 30]), 1)


def test_a_matrix_is_copied() -> None:
    mine = np.array([[0.0, 50.0], [1.0, 0.0]])
    found = check_costs(mine, TWO)
    mine[0, 1] = -1.0
    assert found.tolist() == [[0.0, 50.0], [1.0, 0.0]]


def test_lists_and_integers_do() -> None:
    found = check_costs([[0, 50], [1, 0]], TWO)
    assert found.dtype == np.float64
    assert found.tolist() == [[0.0, 50.0], [1.0, 0.0]]


def test_a_mapping_names_true_and_decided_class() -> None:
    pairs = {(t, c): 100 * t + c for t in (10, 20, 30) for c in (10, 20, 30) if t != c}
    expected = [[0, 1020, 1030], [2010, 0, 2030], [3010, 3020, 0]]
    assert check_costs(pairs, THREE).tolist() == expected
    assert check_costs(dict(reversed(pairs.items())), THREE).tolist() == expected


def test_being_right_may_cost_or_gain() -> None:
    costs = {("ill", "well"): 50, ("well", "ill"): 1, ("ill", "ill"): -3.5}
    assert check_costs(costs, TWO).tolist() == [[-3.5, 50.0], [1.0, 0.0]]


def test_labels_of_numpy_are_the_same_labels() -> None:
    left, right = TWO.classes
    assert check_costs({(left, right): 2, (right, left): 1}, TWO).tolist() == [[0, 2], [1, 0]]
    ten, twenty = np.int64(10), np.int64(20)
    two = Schema(np.array([10, 20]), 1)
    assert check_costs({(ten, twenty): 2, (twenty, ten): 1}, two)[0, 1] == 2


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1, 1], [1, 0, 1]], r"3 classes must have shape \(3, 3\).*got \(2, 3\)"),
        ([0, 1, 1], r"got \(3,\)"),
        (5, r"got \(\)"),
        ([[0, 1], [1]], "rows of equal length"),
        ([["a", "b", "c"]] * 3, "array of numbers"),
        ([[0, 1, 1], [1, 0, np.nan], [1, 1, 0]], "deciding 30 where 20 is true costs nan"),
        ([[0, 1, 1], [1, 0, 1], [np.inf, 1, 0]], "deciding 10 where 30 is true costs inf"),
        ({(10, 20): 1, (10, 40): 1, ("x", 30): 1}, "unknown classes: 40, 'x'; the classes are 10"),
        ({(10, 20): 1, (20, 10): 1}, r"missing: \(10, 30\), \(20, 30\), \(30, 10\), \(30, 20\)$"),
        ({10: 1}, r"pairs \(true label, decided label\), got 10"),
        ({(10, 20, 30): 1}, r"pairs .* got \(10, 20, 30\)"),
        ({"ab": 1}, "pairs .* got 'ab'"),
        ({}, "missing"),
    ],
)
def test_bad_costs(costs: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_costs(costs, THREE)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "costs nan"), ("dear", "numbers")])
def test_bad_values_in_a_mapping(value: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_costs({("ill", "well"): value, ("well", "ill"): 1}, TWO)


def test_many_missing_pairs_are_not_all_listed() -> None:
    with pytest.raises(OptionError, match=r"\(0, 8\), …$"):
        check_costs({}, Schema(np.arange(30), 1))


def test_expected_costs_by_the_definition() -> None:
    rng = np.random.default_rng(0)
    posterior, costs = rng.dirichlet(np.ones(4), size=20), rng.normal(size=(4, 4))
    expected = [[sum(p[t] * costs[t, c] for t in range(4)) for c in range(4)] for p in posterior]
    np.testing.assert_allclose(expected_costs(posterior, costs), expected, rtol=0, atol=1e-15)


def test_expected_costs_of_narrow_posteriors() -> None:
    posterior = np.array([[0.25, 0.75]], dtype=np.float32)
    found = expected_costs(posterior, np.array([[0.0, 50.0], [1.0, 0.0]]))
    assert found.dtype == np.float64
    assert found.tolist() == [[0.75, 12.5]]


# Decisions by posteriors.


@given(st.integers(2, 5), st.data())
def test_margins_by_the_definition(k: int, data: st.DataObject) -> None:
    # Few values, so that ties are frequent.
    values = hnp.arrays(np.float64, (6, k), elements=st.sampled_from([-3.0, -1.0, -0.5, -np.inf]))
    scores = data.draw(values)
    scores[:, 0] = np.where(np.isinf(scores).all(axis=1), 0.0, scores[:, 0])
    found = margins(scores)
    for row, own in zip(found, scores, strict=True):
        for c in range(k):
            assert row[c] == own[c] - max(own[b] for b in range(k) if b != c) or (
                np.isinf(own[c]) and row[c] == -np.inf
            )


def test_exactly_one_class_is_ahead_off_the_boundaries() -> None:
    scores = np.log(np.random.default_rng(0).dirichlet(np.ones(4), size=200))
    found = margins(scores)
    assert ((found > 0).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(found.argmax(axis=1), scores.argmax(axis=1))
    assert margins(scores.astype(np.float32)).dtype == np.float32


def test_margins_are_zero_for_the_best_of_equals() -> None:
    assert margins(np.array([[-1.0, -1.0, -2.0]])).tolist() == [[0.0, 0.0, -1.0]]


def test_two_classes_have_opposite_margins() -> None:
    scores = np.log(np.random.default_rng(1).dirichlet(np.ones(2), size=50))
    found = margins(scores)
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])
    np.testing.assert_array_equal(found[:, 0], scores[:, 0] - scores[:, 1])


def test_the_arguments_are_left_alone() -> None:
    scores = np.log([[0.5, 0.3, 0.2]])
    before = scores.copy()
    margins(scores)
    np.testing.assert_array_equal(scores, before)


def test_rejected() -> None:
    posterior = np.array([[0.5, 0.5], [0.8, 0.2], [1.0, 0.0]])
    assert rejected(posterior, 0.8).tolist() == [True, False, False]  # 0.8 is not below 0.8
    assert rejected(posterior, 0.0).tolist() == [False] * 3
    assert rejected(posterior, 1.0).tolist() == [True, True, False]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, np.nan, 80])
def test_a_threshold_is_a_probability(threshold: float) -> None:
    with pytest.raises(OptionError, match=f"from 0 to 1, got {threshold}"):
        rejected(np.array([[0.5, 0.5]]), threshold)


DISEASE = np.array([[0.0, 50.0], [1.0, 0.0]])
"""Costs of classes ill and well: to overlook the disease is 50 times as bad as a false alarm."""


def test_without_costs_it_is_the_prediction_of_the_model() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    found = decide_by_posteriors(model.predict_log_proba(X))
    assert model.classes_[found.codes].tolist() == model.predict(X).tolist()
    assert not found.refused.any()
    posterior = model.predict_proba(X).max(axis=1)
    np.testing.assert_allclose(found.posterior, posterior, rtol=1e-14)
    np.testing.assert_allclose(found.expected_cost, 1 - posterior, rtol=0, atol=1e-15)


def test_a_small_expected_cost_keeps_its_digits() -> None:
    found = decide_by_posteriors(np.array([[-1e-30, np.log(1e-30)]]))
    assert found.posterior.tolist() == [1.0]
    assert found.expected_cost.tolist() == [1e-30]


def test_of_equal_classes_the_first_is_decided() -> None:
    log_posterior = np.log([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert decide_by_posteriors(log_posterior).codes.tolist() == [0, 1]
    assert decide_by_posteriors(log_posterior, 1 - np.eye(3)).codes.tolist() == [0, 1]
    assert decide_by_posteriors(log_posterior, np.ones((3, 3))).codes.tolist() == [0, 0]


def test_the_disease_is_treated_from_1_in_51_on() -> None:
    below, above = 1 / 51 - 1e-6, 1 / 51 + 1e-6
    found = decide_by_posteriors(np.log([[below, 1 - below], [above, 1 - above]]), DISEASE)
    assert found.codes.tolist() == [1, 0]
    np.testing.assert_allclose(found.posterior, [1 - below, above], rtol=1e-14)
    np.testing.assert_allclose(found.expected_cost, [50 * below, 1 - above], rtol=1e-14)


def test_the_cheapest_class_by_brute_force() -> None:
    rng = np.random.default_rng(4)
    posterior, costs = rng.dirichlet(np.ones(4), size=300), rng.normal(size=(4, 4))
    found = decide_by_posteriors(np.log(posterior), costs)
    for code, price, p in zip(found.codes, found.expected_cost, posterior, strict=True):
        prices = [float(p @ costs[:, decided]) for decided in range(4)]
        assert code == int(np.argmin(prices))
        assert price == pytest.approx(min(prices), abs=1e-14)


def test_a_cost_that_cannot_be_avoided_hides_no_difference() -> None:
    costs = np.array([[1e9, 1e9 - 2.0**-23], [1e9, 1e9]])
    row = np.array([[0.1, 0.9]])
    assert expected_costs(row, costs).tolist() == [[1e9, 1e9]]  # the same float
    assert decide_by_posteriors(np.log(row), costs).codes.tolist() == [1]


def test_impossible_classes() -> None:
    log_posterior = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    assert decide_by_posteriors(log_posterior, DISEASE).codes.tolist() == [0, 1]
    assert decide_by_posteriors(log_posterior, DISEASE).expected_cost.tolist() == [0.0, 0.0]
    assert decide_by_posteriors(log_posterior).expected_cost.tolist() == [0.0, 0.0]


def test_ambiguous_by_posterior() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.8, 0.2], [0.1, 0.9]])
    found = decide_by_posteriors(log_posterior, reject_below=0.7)
    assert found.codes.tolist() == [-1, 0, 1]
    assert found.best.tolist() == [0, 0, 1]
    assert found.reason.tolist() == ["ambiguous", "", ""]
    assert found.refused.tolist() == found.ambiguous.tolist() == [True, False, False]
    # With costs it is still the most probable class that must be probable, not the one decided.
    assert decide_by_posteriors(log_posterior, DISEASE, reject_below=0.7).codes.tolist() == [
        -1,
        0,
        0,
    ]


def test_ambiguous_by_expected_cost() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.75, 0.25], [0.01, 0.99]])
    found = decide_by_posteriors(log_posterior, DISEASE, reject_cost=0.4)
    assert found.codes.tolist() == [-1, 0, -1]  # 0.5, 0.25, 0.01 × 50
    assert decide_by_posteriors(log_posterior, DISEASE, reject_cost=0.0).codes.tolist() == [
        -1,
        -1,
        -1,
    ]
    assert decide_by_posteriors(log_posterior, DISEASE, reject_cost=0.5).codes.tolist() == [
        0,
        0,
        -1,
    ]
    # Without costs, above a cost of 0.4 is below a posterior of 0.6.
    assert decide_by_posteriors(log_posterior, reject_cost=0.4).codes.tolist() == [-1, 0, 1]
    either = decide_by_posteriors(log_posterior, DISEASE, reject_cost=0.4, reject_below=0.8)
    assert either.ambiguous.tolist() == [True, True, True]


def test_novel_rows_are_refused_and_called_that() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.9, 0.1], [0.9, 0.1]])
    novel = np.array([True, True, False])
    found = decide_by_posteriors(log_posterior, reject_below=0.6, novel=novel)
    assert found.codes.tolist() == [-1, -1, 0]
    assert found.reason.tolist() == ["novel", "novel", ""]
    assert found.ambiguous.tolist() == [True, False, False]
    assert found.novel.tolist() == novel.tolist()


def test_no_rows() -> None:
    found = decide_by_posteriors(np.empty((0, 3)), 1 - np.eye(3), reject_below=0.5, reject_cost=0.5)
    assert found.codes.shape == found.reason.shape == found.expected_cost.shape == (0,)


def test_narrow_posteriors_stay_narrow() -> None:
    found = decide_by_posteriors(np.log(np.array([[0.25, 0.75]], dtype=np.float32)), DISEASE)
    assert found.posterior.dtype == np.float32
    assert found.codes.tolist() == [0]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, np.nan, "half"])
def test_a_posterior_to_reject_below_is_a_probability(threshold: float) -> None:
    with pytest.raises(OptionError, match="from 0 to 1, got"):
        decide_by_posteriors(np.log([[0.5, 0.5]]), reject_below=threshold)


def test_a_cost_to_reject_above_makes_sense() -> None:
    row = np.log([[0.5, 0.5]])
    with pytest.raises(OptionError, match="-0.1, but no decision costs less than 0: every row"):
        decide_by_posteriors(row, reject_cost=-0.1)
    with pytest.raises(OptionError, match="no decision costs less than 2"):
        decide_by_posteriors(row, 2 + DISEASE, reject_cost=1.9)
    for value in (np.nan, np.inf, "dear"):
        with pytest.raises(OptionError, match="reject_cost must be a finite number, got"):
            decide_by_posteriors(row, reject_cost=value)
    # Gains are negative costs, and so may the threshold be.
    assert decide_by_posteriors(row, DISEASE - 10, reject_cost=-9.5).codes.tolist() == [0]


def test_novel_rows_are_marked_one_by_one() -> None:
    with pytest.raises(OptionError, match=r"boolean array of shape \(1,\), got shape \(2,\)"):
        decide_by_posteriors(np.log([[0.5, 0.5]]), novel=np.array([True, False]))


# Decisions of a model.


@pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
def test_without_costs_the_decision_is_the_prediction(covariance: str, shared: bool) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    found = model.decide(X)
    assert found.labels.tolist() == model.predict(X).tolist()
    assert not found.refused.any()
    np.testing.assert_allclose(found.posterior, model.predict_proba(X).max(axis=1), rtol=1e-14)
    costs = np.ones((3, 3)) - np.eye(3)
    assert model.decide(X, costs=costs).labels.tolist() == found.labels.tolist()


def test_dear_errors_are_avoided() -> None:
    X, y = iris()
    model = GaussianClassifier(shared=True).fit(X, y)
    costs = np.ones((3, 3)) - np.eye(3)
    costs[2, 1] = 1000.0  # a virginica that is taken for a versicolor
    taken = model.decide(X, costs=costs).labels == "versicolor"
    posterior = model.predict_proba(X)
    expected = (posterior @ costs).argmin(axis=1)
    assert model.decide(X, costs=costs).codes.tolist() == expected.tolist()
    assert taken.sum() < (model.predict(X) == "versicolor").sum()


def test_priors_may_be_given_at_the_time_of_the_decision() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    priors = [0.9, 0.05, 0.05]
    expected = model.with_priors(priors).predict(X).tolist()
    assert model.decide(X, priors=priors).labels.tolist() == expected
    assert model.priors_.tolist() == GaussianClassifier().fit(X, y).priors_.tolist()


def test_rows_like_no_class_and_rows_between_classes_are_refused() -> None:
    model = GaussianClassifier.from_parameters([0.5, 0.5], [[0.0], [4.0]], [[1.0]])
    found = model.decide([[0.0], [2.0], [50.0]], reject_below=0.9, novelty_level=1e-6)
    assert found.reason.tolist() == ["", "ambiguous", "novel"]
    assert found.labels.tolist() == [0, None, None]
    np.testing.assert_allclose(model.p_values([[2.0]]), chi2.sf([[4.0, 4.0]], 1), rtol=1e-13)


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan"), "high"])
def test_thresholds_are_probabilities(threshold: object) -> None:
    model = GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]])
    for name in ("reject_below", "novelty_level"):
        with pytest.raises(OptionError, match="must be a probability from 0 to 1"):
            model.decide([[0.0]], **{name: threshold})


def test_costs_that_are_none_are_refused() -> None:
    model = GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]], ["ill", "well"])
    with pytest.raises(OptionError, match=r"shape \(2, 2\), true class by row"):
        model.decide([[0.0]], costs=np.ones((3, 3)))
    with pytest.raises(OptionError, match="costs must be finite"):
        model.decide([[0.0]], costs=[[0.0, np.nan], [1.0, 0.0]])
    with pytest.raises(OptionError, match="costs of unknown classes: 'sick'"):
        model.decide([[0.0]], costs={("sick", "well"): 1.0, ("well", "ill"): 1.0})
