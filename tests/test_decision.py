"""Margins, rejection and decisions against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.costs import expected_costs
from gaussbayes.analysis.decision import decide, margins, rejected
from gaussbayes.base.errors import ParameterError
from tests.models import iris


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
    with pytest.raises(ParameterError, match=f"from 0 to 1, got {threshold}"):
        rejected(np.array([[0.5, 0.5]]), threshold)


DISEASE = np.array([[0.0, 50.0], [1.0, 0.0]])
"""Costs of classes ill and well: to overlook the disease is 50 times as bad as a false alarm."""


def test_without_costs_it_is_the_prediction_of_the_model() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    found = decide(model.predict_log_proba(X))
    assert model.classes_[found.codes].tolist() == model.predict(X).tolist()
    assert not found.refused.any()
    posterior = model.predict_proba(X).max(axis=1)
    np.testing.assert_allclose(found.posterior, posterior, rtol=1e-14)
    np.testing.assert_allclose(found.expected_cost, 1 - posterior, rtol=0, atol=1e-15)


def test_a_small_expected_cost_keeps_its_digits() -> None:
    found = decide(np.array([[-1e-30, np.log(1e-30)]]))
    assert found.posterior.tolist() == [1.0]
    assert found.expected_cost.tolist() == [1e-30]


def test_of_equal_classes_the_first_is_decided() -> None:
    log_posterior = np.log([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert decide(log_posterior).codes.tolist() == [0, 1]
    assert decide(log_posterior, 1 - np.eye(3)).codes.tolist() == [0, 1]
    assert decide(log_posterior, np.ones((3, 3))).codes.tolist() == [0, 0]


def test_the_disease_is_treated_from_1_in_51_on() -> None:
    below, above = 1 / 51 - 1e-6, 1 / 51 + 1e-6
    found = decide(np.log([[below, 1 - below], [above, 1 - above]]), DISEASE)
    assert found.codes.tolist() == [1, 0]
    np.testing.assert_allclose(found.posterior, [1 - below, above], rtol=1e-14)
    np.testing.assert_allclose(found.expected_cost, [50 * below, 1 - above], rtol=1e-14)


def test_the_cheapest_class_by_brute_force() -> None:
    rng = np.random.default_rng(4)
    posterior, costs = rng.dirichlet(np.ones(4), size=300), rng.normal(size=(4, 4))
    found = decide(np.log(posterior), costs)
    for code, price, p in zip(found.codes, found.expected_cost, posterior, strict=True):
        prices = [float(p @ costs[:, decided]) for decided in range(4)]
        assert code == int(np.argmin(prices))
        assert price == pytest.approx(min(prices), abs=1e-14)


def test_a_cost_that_cannot_be_avoided_hides_no_difference() -> None:
    costs = np.array([[1e9, 1e9 - 2.0**-23], [1e9, 1e9]])
    row = np.array([[0.1, 0.9]])
    assert expected_costs(row, costs).tolist() == [[1e9, 1e9]]  # the same float
    assert decide(np.log(row), costs).codes.tolist() == [1]


def test_impossible_classes() -> None:
    log_posterior = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    assert decide(log_posterior, DISEASE).codes.tolist() == [0, 1]
    assert decide(log_posterior, DISEASE).expected_cost.tolist() == [0.0, 0.0]
    assert decide(log_posterior).expected_cost.tolist() == [0.0, 0.0]


def test_ambiguous_by_posterior() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.8, 0.2], [0.1, 0.9]])
    found = decide(log_posterior, reject_below=0.7)
    assert found.codes.tolist() == [-1, 0, 1]
    assert found.best.tolist() == [0, 0, 1]
    assert found.reason.tolist() == ["ambiguous", "", ""]
    assert found.refused.tolist() == found.ambiguous.tolist() == [True, False, False]
    # With costs it is still the most probable class that must be probable, not the one decided.
    assert decide(log_posterior, DISEASE, reject_below=0.7).codes.tolist() == [-1, 0, 0]


def test_ambiguous_by_expected_cost() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.75, 0.25], [0.01, 0.99]])
    found = decide(log_posterior, DISEASE, reject_cost=0.4)
    assert found.codes.tolist() == [-1, 0, -1]  # 0.5, 0.25, 0.01 × 50
    assert decide(log_posterior, DISEASE, reject_cost=0.0).codes.tolist() == [-1, -1, -1]
    assert decide(log_posterior, DISEASE, reject_cost=0.5).codes.tolist() == [0, 0, -1]
    # Without costs, above a cost of 0.4 is below a posterior of 0.6.
    assert decide(log_posterior, reject_cost=0.4).codes.tolist() == [-1, 0, 1]
    either = decide(log_posterior, DISEASE, reject_cost=0.4, reject_below=0.8)
    assert either.ambiguous.tolist() == [True, True, True]


def test_novel_rows_are_refused_and_called_that() -> None:
    log_posterior = np.log([[0.5, 0.5], [0.9, 0.1], [0.9, 0.1]])
    novel = np.array([True, True, False])
    found = decide(log_posterior, reject_below=0.6, novel=novel)
    assert found.codes.tolist() == [-1, -1, 0]
    assert found.reason.tolist() == ["novel", "novel", ""]
    assert found.ambiguous.tolist() == [True, False, False]
    assert found.novel.tolist() == novel.tolist()


def test_no_rows() -> None:
    found = decide(np.empty((0, 3)), 1 - np.eye(3), reject_below=0.5, reject_cost=0.5)
    assert found.codes.shape == found.reason.shape == found.expected_cost.shape == (0,)


def test_narrow_posteriors_stay_narrow() -> None:
    found = decide(np.log(np.array([[0.25, 0.75]], dtype=np.float32)), DISEASE)
    assert found.posterior.dtype == np.float32
    assert found.codes.tolist() == [0]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, np.nan, "half"])
def test_a_posterior_to_reject_below_is_a_probability(threshold: float) -> None:
    with pytest.raises(ParameterError, match="from 0 to 1, got"):
        decide(np.log([[0.5, 0.5]]), reject_below=threshold)


def test_a_cost_to_reject_above_makes_sense() -> None:
    row = np.log([[0.5, 0.5]])
    with pytest.raises(ParameterError, match="-0.1, but no decision costs less than 0: every row"):
        decide(row, reject_cost=-0.1)
    with pytest.raises(ParameterError, match="no decision costs less than 2"):
        decide(row, 2 + DISEASE, reject_cost=1.9)
    for value in (np.nan, np.inf, "dear"):
        with pytest.raises(ParameterError, match="reject_cost is a finite number, got"):
            decide(row, reject_cost=value)
    # Gains are negative costs, and so may the threshold be.
    assert decide(row, DISEASE - 10, reject_cost=-9.5).codes.tolist() == [0]


def test_novel_rows_are_marked_one_by_one() -> None:
    with pytest.raises(ParameterError, match=r"each of 1 rows whether it is, got shape \(2,\)"):
        decide(np.log([[0.5, 0.5]]), novel=np.array([True, False]))
