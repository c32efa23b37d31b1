"""`GaussianClassifier`: its attributes, scores, settings and ways to make one."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gaussbayes import AutoClassifier, GaussianClassifier
from tests.models import (
    SCORES,
    assert_same_model,
    iris,
    six_models,
    tree_frame,
    trees,
)


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()


@pytest.mark.usefixtures("kernels")
def test_two_classes_have_one_log_odds(model: GaussianClassifier) -> None:
    model.fit(X, np.where(y == "virginica", "yes", "no"))
    decision = model.decision_function(X)
    assert decision.shape == (150,)
    np.testing.assert_array_equal(decision, model.log_odds(X, "yes", "no"))
    np.testing.assert_array_equal(decision > 0, model.predict(X) == "yes")


def test_negative_log_likelihood_and_its_parts() -> None:
    # Two species of petals; the figures are the course's.
    X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
    y = ["A"] * 5 + ["B"] * 3
    model = GaussianClassifier().fit(X, y)
    loss = model.negative_log_likelihood(X, y)
    assert loss.labels == pytest.approx(5.2925059, abs=5e-8)
    assert loss.features == pytest.approx(7.7606258, abs=5e-8)
    assert loss.total == pytest.approx(13.0531317, abs=5e-8)
    twice = model.negative_log_likelihood(X, y, sample_weight=np.full(8, 2.0))
    assert twice.total == pytest.approx(2 * loss.total, rel=1e-14)
    only_b = model.negative_log_likelihood(X[5:], y[5:])
    assert only_b.labels == pytest.approx(-3 * np.log(3 / 8), rel=1e-14)


def test_with_priors_goes_on_learning() -> None:
    model = GaussianClassifier().fit(X[:100], y[:100])
    changed = model.with_priors("uniform")
    changed.partial_fit(X[100:], y[100:])
    assert_same_model(changed, GaussianClassifier(priors="uniform").fit(X, y), X)
    assert_same_model(model, GaussianClassifier().fit(X[:100], y[:100]), X)
    back = changed.with_priors(None)
    assert_same_model(back, GaussianClassifier().fit(X, y), X)


def test_unfitted_models_say_so() -> None:
    model = GaussianClassifier()
    for method in ("predict", *SCORES):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(model, method)([[1.0]])
    for call in (
        lambda: model.log_odds([[1.0]], "a", "b"),
        lambda: model.negative_log_likelihood([[1.0]], ["a"]),
        model.sample,
        lambda: model.with_priors("uniform"),
        lambda: GaussianClassifier().fit([[1.0], [2.0], [3.0], [5.0]], list("aabb")).merge(model),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call()
    assert not hasattr(model, "means_")


# What is there when.

ATTRIBUTES = {
    *("classes_", "priors_", "means_", "covariances_", "correlations_", "category_probabilities_"),
    *("columns_", "n_features_in_", "feature_names_in_", "n_parameters_", "coef_", "intercept_"),
    *("selection_", "notices_", "model_"),
}
IN_ADVANCE = {"classes_", "n_features_in_", "columns_", "notices_"}  # before there are parameters
ALWAYS = ATTRIBUTES - {
    *("category_probabilities_", "feature_names_in_", "coef_", "intercept_", "selection_"),
}


def present(model: Any) -> set[str]:
    return {name for name in ATTRIBUTES if hasattr(model, name)}


def test_what_is_there_when() -> None:
    X, y = trees()
    frame = tree_frame(X).assign(kind=np.where(np.arange(40) % 3 > 0, "u", "v"))
    assert not present(GaussianClassifier())
    named = GaussianClassifier().fit(frame, y)
    assert present(named) == {*ALWAYS, "feature_names_in_", "category_probabilities_"}
    assert not present(clone(named))
    assert present(pickle.loads(pickle.dumps(named.fit(X, y)))) == ALWAYS
    linear = GaussianClassifier(shared=True).fit(X, y)
    assert present(linear) == {*ALWAYS, "coef_", "intercept_"}
    assert present(AutoClassifier().fit(X, y)) >= {*ALWAYS, "selection_"}
    assert present(GaussianClassifier.from_parameters(None, [[0], [1]], [[1]])) >= ALWAYS
    early = GaussianClassifier().partial_fit(X[:1], y[:1])  # one row: no parameters yet
    assert present(early) == IN_ADVANCE
    for model in (named, GaussianClassifier()):
        for name in ATTRIBUTES:
            with pytest.raises(AttributeError):
                setattr(model, name, np.zeros(2))
    with pytest.raises(AttributeError, match="'GaussianClassifier' object has no attribute 'clas"):
        _ = GaussianClassifier().classes_
    with pytest.raises(AttributeError, match="has linear discriminants"):
        _ = named.coef_
    with pytest.raises(AttributeError, match="a fitted AutoClassifier has it"):
        _ = named.selection_


# Questions of analysis.
