"""`GaussianClassifier`: its attributes, scores, settings and ways to make one."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gaussbayes import AutoClassifier, GaussianClassifier, make_gaussian_dataset
from gaussbayes.base.errors import DataError, SingularCovarianceError
from tests.models import (
    NAMES,
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
def test_every_score_is_what_it_is_called(model: GaussianClassifier) -> None:
    model.fit(X, y)
    covariances = np.broadcast_to(model.covariances_, (3, 4, 4))
    log_likelihood = np.column_stack(
        [
            multivariate_normal(m, s).logpdf(X)
            for m, s in zip(model.means_, covariances, strict=True)
        ]
    )
    log_joint = log_likelihood + np.log(model.priors_)
    log_evidence = logsumexp(log_joint, axis=1)
    log_posterior = log_joint - log_evidence[:, None]
    near = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(model.scores(X).log_likelihood, log_likelihood, **near)
    np.testing.assert_allclose(model.scores(X).log_joint, log_joint, **near)
    np.testing.assert_allclose(np.exp(model.scores(X).log_joint), np.exp(log_joint), **near)
    np.testing.assert_allclose(model.score_samples(X), log_evidence, **near)
    np.testing.assert_allclose(np.exp(model.score_samples(X)), np.exp(log_evidence), **near)
    np.testing.assert_allclose(model.predict_log_proba(X), log_posterior, **near)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(log_posterior), **near)
    np.testing.assert_allclose(model.decision_function(X), log_posterior, **near)
    odds = log_posterior[:, 2] - log_posterior[:, 0]
    np.testing.assert_allclose(model.log_odds(X, "virginica", "setosa"), odds, **near)
    np.testing.assert_allclose(model.log_odds(X, "setosa", "virginica"), -odds, **near)
    assert model.predict(X).tolist() == NAMES[log_joint.argmax(axis=1)].tolist()
    squares = np.stack(
        [
            np.einsum("ij,jk,ik->i", X - m, np.linalg.inv(s), X - m)
            for m, s in zip(model.means_, covariances, strict=True)
        ],
        axis=1,
    )
    np.testing.assert_allclose(np.sqrt(model.scores(X).squared_distance), np.sqrt(squares), **near)


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


def test_fitted_attributes(model: GaussianClassifier) -> None:
    model.fit(X, y)
    np.testing.assert_allclose(model.means_, [X[y == name].mean(axis=0) for name in NAMES])
    np.testing.assert_allclose(model.priors_, [(y == name).mean() for name in NAMES])
    shape = (4, 4) if model.shared else (3, 4, 4)
    assert model.covariances_.shape == model.correlations_.shape == shape
    own = np.stack([np.cov(X[y == name].T, bias=True) for name in NAMES])
    expected = own.mean(axis=0) if model.shared else own  # equal numbers in each class
    if model.covariance != "full":
        expected = expected * np.eye(4)
    if model.covariance == "spherical":
        expected = np.trace(expected, axis1=-2, axis2=-1)[..., None, None] / 4 * np.eye(4)
    np.testing.assert_allclose(model.covariances_, expected, rtol=1e-12, atol=1e-14)
    scale = np.sqrt(np.einsum("...ii->...i", expected))
    correlations = expected / scale[..., :, None] / scale[..., None, :]
    np.testing.assert_allclose(model.correlations_, correlations, rtol=1e-12, atol=1e-14)
    each = {"full": 10, "diagonal": 4, "spherical": 1}[model.covariance]
    assert model.n_parameters_ == 2 + 12 + each * (1 if model.shared else 3)


def test_divisor() -> None:
    own = np.stack([np.cov(X[y == name].T) for name in NAMES])
    model = GaussianClassifier(divisor="unbiased").fit(X, y)
    np.testing.assert_allclose(model.covariances_, own, rtol=1e-12)
    shared = GaussianClassifier(shared=True, divisor="unbiased").fit(X, y)
    # 49 degrees of freedom in each class, 150 − 3 together.
    np.testing.assert_allclose(shared.covariances_, 49 * own.sum(axis=0) / 147, rtol=1e-12)


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        ("uniform", [1 / 3, 1 / 3, 1 / 3]),
        ([0.5, 0.3, 0.2], [0.5, 0.3, 0.2]),
        ({"virginica": 0.2, "setosa": 0.5, "versicolor": 0.3}, [0.5, 0.3, 0.2]),
        ([0.5, 0.5, 0.0], [0.5, 0.5, 0.0]),
    ],
)
def test_given_priors(priors: Any, expected: list[float]) -> None:
    model = GaussianClassifier(priors=priors).fit(X[:120], y[:120])
    free = GaussianClassifier().fit(X[:120], y[:120])
    np.testing.assert_allclose(model.priors_, expected, rtol=1e-15)
    np.testing.assert_array_equal(model.covariances_, free.covariances_)
    with np.errstate(divide="ignore"):
        log_joint = free.scores(X).log_likelihood + np.log(expected)
    posterior = np.exp(log_joint - logsumexp(log_joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-9, atol=1e-12)
    changed = free.with_priors(priors)
    np.testing.assert_array_equal(changed.predict_proba(X), model.predict_proba(X))
    assert changed is not free
    assert free.priors is None


def test_with_priors_goes_on_learning() -> None:
    model = GaussianClassifier().fit(X[:100], y[:100])
    changed = model.with_priors("uniform")
    changed.partial_fit(X[100:], y[100:])
    assert_same_model(changed, GaussianClassifier(priors="uniform").fit(X, y), X)
    assert_same_model(model, GaussianClassifier().fit(X[:100], y[:100]), X)
    back = changed.with_priors(None)
    assert_same_model(back, GaussianClassifier().fit(X, y), X)


def test_shrinkage() -> None:
    free = GaussianClassifier().fit(X, y)
    shrunk = GaussianClassifier(shrinkage=0.25, shrinkage_target="spherical").fit(X, y)
    trace = np.trace(free.covariances_, axis1=1, axis2=2)
    expected = 0.75 * free.covariances_ + 0.25 * (trace / 4)[:, None, None] * np.eye(4)
    np.testing.assert_allclose(shrunk.covariances_, expected, rtol=1e-14)
    spherical = GaussianClassifier("spherical").fit(X, y)
    round_ones = GaussianClassifier(shrinkage=1, shrinkage_target="spherical").fit(X, y)
    np.testing.assert_allclose(round_ones.covariances_, spherical.covariances_, rtol=1e-12)
    twice = np.tile(X, 2)  # each feature once more: singular unless shrunk
    for shared in (False, True):
        with pytest.raises(SingularCovarianceError):
            GaussianClassifier(shared=shared).fit(twice, y)
        shrunk = GaussianClassifier(shared=shared, shrinkage="oas").fit(twice, y)
        assert shrunk.score(twice, y) > 0.9


def test_from_parameters(model: GaussianClassifier) -> None:
    model.fit(X, y)
    covariances = model.covariances_
    if model.covariance != "full":
        covariances = np.einsum("...ii->...i", covariances)
    if model.covariance == "spherical":
        covariances = covariances[..., 0]
    given = GaussianClassifier.from_parameters(
        model.priors_, model.means_, covariances, NAMES, covariance=model.covariance
    )
    assert (given.covariance, given.shared) == (model.covariance, model.shared)
    assert_same_model(given, model, X)
    np.testing.assert_allclose(given.predict_proba(X), model.predict_proba(X), atol=1e-12)
    assert given.n_features_in_ == 4
    with pytest.raises(ValueError, match="X has 2 features, but GaussianClassifier is expecting 4"):
        given.predict(X[:, :2])
    again = clone(given).fit(X, y)
    assert_same_model(again, model, X)


def test_from_parameters_with_names_and_other_priors() -> None:
    model = GaussianClassifier.from_parameters(
        {"low": 0.9, "high": 0.1},
        [[0.0], [2.0]],
        1.0,
        ["low", "high"],
        covariance="spherical",
        feature_names=["x"],
    )
    assert model.classes_.tolist() == ["high", "low"]
    assert model.feature_names_in_.tolist() == ["x"]
    frame = pd.DataFrame({"x": [1.0]})
    np.testing.assert_allclose(model.predict_proba(frame), [[0.1, 0.9]], rtol=1e-14)
    even = model.with_priors(None)
    np.testing.assert_allclose(even.predict_proba(frame), [[0.5, 0.5]], rtol=1e-14)
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- z"):
        model.predict(frame.rename(columns={"x": "z"}))


def test_sample_draws_from_the_model(model: GaussianClassifier) -> None:
    model.set_params(priors=[0.2, 0.3, 0.5]).fit(X, y)
    rows, labels = model.sample(40_000, random_state=0)
    assert rows.shape == (40_000, 4)
    assert set(labels) == set(NAMES)
    again, _ = model.sample(40_000, random_state=0)
    np.testing.assert_array_equal(rows, again)
    learnt = clone(model).set_params(priors=None).fit(rows, labels)
    # Standard errors: √(p(1−p)/n) < 0.003 and, for at least 7,600 rows, √(variance/n) < 0.01.
    np.testing.assert_allclose(learnt.priors_, [0.2, 0.3, 0.5], atol=0.012)
    np.testing.assert_allclose(learnt.means_, model.means_, atol=0.04)
    np.testing.assert_allclose(learnt.covariances_, model.covariances_, atol=0.04)
    assert model.sample()[0].shape == (1, 4)


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


def test_a_row_is_explained_however_it_comes() -> None:
    X, y = iris()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = GaussianClassifier().fit(frame, y)
    told = model.explain(X[3])
    assert told == model.explain(frame[3:4]) == model.explain(frame.iloc[3])
    posterior = [terms.posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(posterior, model.predict_proba(frame[3:4])[0], rtol=1e-12)
    odds = model.explain(X[3], ("setosa", "virginica"), "rival").log_odds
    assert odds is not None
    assert (odds.of, odds.against) == ("setosa", "virginica")
    expected = model.log_odds(frame[3:4], "setosa", "virginica")[0]
    np.testing.assert_allclose(odds.value, expected, rtol=1e-12)
    with pytest.raises(DataError, match="one row is needed, got 150"):
        model.explain(frame)
    with pytest.raises(DataError, match=r"unknown labels: \['rose'\]"):
        model.explain(X[3], ("setosa", "rose"))


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
    with pytest.raises(AttributeError, match="an AutoClassifier has it"):
        _ = named.selection_


# Questions of analysis.


def test_changed_priors_are_found_again() -> None:
    centroids = [[0.0, 0.0], [3.0, 3.0]]
    X, y = make_gaussian_dataset([500, 500], centroids, np.eye(2), random_state=1)
    model = GaussianClassifier().fit(X, y)
    np.testing.assert_allclose(model.priors_, 0.5)
    rows, _ = make_gaussian_dataset([9000, 1000], centroids, np.eye(2), random_state=2)
    found = model.estimate_priors(rows)
    assert found.converged
    np.testing.assert_allclose(found.prior, [0.9, 0.1], atol=0.02)
