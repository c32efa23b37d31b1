"""The estimator's decisions, p-values, re-estimated priors and Bayes error."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from gaussbayes import GaussianClassifier, ParameterError, make_gaussian_dataset
from gaussbayes.base.errors import DataError, NonFiniteError
from tests.models import STRUCTURES, iris


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


def test_dear_mistakes_are_avoided() -> None:
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
    # The evidence falls outwards of both means, so that it is as low as at 50 beyond it, and as far
    # to the left: no row drawn is there.
    assert model.evidence_p_values([[50.0]]).p_value[0] < 1e-100


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan"), "high"])
def test_thresholds_are_probabilities(threshold: object) -> None:
    model = GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]])
    for name in ("reject_below", "novelty_level"):
        with pytest.raises(ParameterError, match="a probability from 0 to 1"):
            model.decide([[0.0]], **{name: threshold})


def test_costs_that_are_none_are_refused() -> None:
    model = GaussianClassifier.from_parameters(None, [[0.0], [4.0]], [[1.0]], ["ill", "well"])
    with pytest.raises(ParameterError, match=r"shape \(2, 2\), true class by row"):
        model.decide([[0.0]], costs=np.ones((3, 3)))
    with pytest.raises(ParameterError, match="costs must be finite"):
        model.decide([[0.0]], costs=[[0.0, np.nan], [1.0, 0.0]])
    with pytest.raises(ParameterError, match="costs of unknown classes: 'sick'"):
        model.decide([[0.0]], costs={("sick", "well"): 1.0, ("well", "ill"): 1.0})


def test_changed_priors_are_found_again() -> None:
    centroids = [[0.0, 0.0], [3.0, 3.0]]
    X, y = make_gaussian_dataset([500, 500], centroids, np.eye(2), random_state=1)
    model = GaussianClassifier().fit(X, y)
    np.testing.assert_allclose(model.priors_, 0.5)
    rows, _ = make_gaussian_dataset([9000, 1000], centroids, np.eye(2), random_state=2)
    found = model.estimate_priors(rows)
    assert found.converged
    np.testing.assert_allclose(found.prior, [0.9, 0.1], atol=0.02)


def test_the_least_error_that_a_rule_can_have() -> None:
    model = GaussianClassifier.from_parameters(None, [[0.0], [3.0]], [[1.0]])
    found = model.bayes_error()
    assert abs(found.error - norm.cdf(-1.5)) < 4 * found.standard_error
    assert found.error <= found.bound == pytest.approx(0.5 * np.exp(-9 / 8))


def test_evidence_with_categories_is_that_of_complete_rows() -> None:
    X = [[0.0, "a"], [1.0, "a"], [2.0, "b"], [5.0, "b"], [6.0, "c"], [8.0, "b"]]
    model = GaussianClassifier(categorical_features=[1], smoothing=1).fit(X, [0, 0, 0, 1, 1, 1])
    answer = model.evidence_p_values([[1.0, "a"], [1.0, "c"], [40.0, "a"]], 20_000)
    assert answer.p_value[0] > answer.p_value[1] > 0.01
    assert 0 < answer.p_value[2] < 1e-20
    with pytest.raises(DataError, match="feature 1 is missing in row 1: rows of all features"):
        model.evidence_p_values([[1.0, "a"], [1.0, None]])
    with pytest.raises(DataError, match="feature 1 is a category that training has not seen in r"):
        model.evidence_p_values([[1.0, "z"]])
    with pytest.raises(NonFiniteError, match="NaN in row 0, column 0"):
        model.evidence_p_values([[None, "a"]])
