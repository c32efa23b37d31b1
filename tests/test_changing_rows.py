"""Rows taken away, classes added and taken away: the model of the rows that are left."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import DataError, GaussianClassifier, PriorError, RemovalError, SchemaError
from tests.models import STRUCTURES, assert_same_model, iris

each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def badly_conditioned(seed: int, n: int = 400, d: int = 6) -> tuple[Any, Any]:
    """Rows of two classes whose covariances have a condition number of 1e6."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(d, d)))
    X = rng.normal(size=(n, d)) * np.logspace(0, 3, d) @ axes.T + 1000
    return X, np.arange(n) % 2


@each_structure
@pytest.mark.parametrize("seed", range(5))
def test_forgetting_is_never_having_seen(covariance: str, shared: bool, seed: int) -> None:
    X, y = badly_conditioned(seed)
    gone = np.random.default_rng(seed).random(len(y)) < 0.3
    model = GaussianClassifier(covariance, shared=shared)
    left = GaussianClassifier(covariance, shared=shared).fit(X[~gone], y[~gone])
    forgetful = model.fit(X, y).forget(X[gone], y[gone])
    for name in ("priors_", "means_", "covariances_"):
        one, other = getattr(forgetful, name), getattr(left, name)
        assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max(), name
    assert forgetful.predict(X).tolist() == left.predict(X).tolist()


def test_forgetting_weighted_rows_and_memberships() -> None:
    X, y = iris()
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    model = GaussianClassifier().fit(X, y, weights).forget(X[:40], y[:40], weights[:40])
    assert_same_model(model, GaussianClassifier().fit(X[40:], y[40:], weights[40:]), X)
    memberships = np.random.default_rng(2).dirichlet([1, 1, 1], size=len(y))
    model = GaussianClassifier().fit(X, memberships).forget(X[:40], memberships[:40])
    assert_same_model(model, GaussianClassifier().fit(X[40:], memberships[40:]), X)


def test_a_class_of_which_nothing_is_left_is_gone() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y).forget(X[y == "setosa"], y[y == "setosa"])
    others = y != "setosa"
    assert_same_model(model, GaussianClassifier().fit(X[others], y[others]), X)


@each_structure
def test_rows_never_seen_are_refused_and_the_model_stays(covariance: str, shared: bool) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    before = model.predict_log_proba(X)
    with pytest.raises(RemovalError, match="remove only rows that were added"):
        model.forget(X[:2] * 100, y[:2])
    with pytest.raises(RemovalError, match=r"cannot remove weight 300 from class 'setosa'"):
        model.forget(np.repeat(X[:1], 300, axis=0), ["setosa"] * 300)
    with pytest.raises(RemovalError, match=r"no rows of class 'rose' to be removed"):
        model.forget(X[:1], ["rose"])
    np.testing.assert_array_equal(model.predict_log_proba(X), before)


def test_the_message_names_the_feature() -> None:
    X, y = iris()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = GaussianClassifier("diagonal").fit(frame, y)
    far = frame[:2].assign(c=[-50.0, 50.0])
    with pytest.raises(RemovalError, match=r"sum of squares of 'c' in class 'setosa' -"):
        model.forget(far, ["setosa", "setosa"])


@each_structure
def test_a_class_added_later_is_as_if_it_had_been_there(covariance: str, shared: bool) -> None:
    X, y = iris()
    late = y == "versicolor"
    model = GaussianClassifier(covariance, shared=shared).fit(X[~late], y[~late])
    before = model.means_
    whole = model.add_class("versicolor", X[late])
    assert_same_model(whole, GaussianClassifier(covariance, shared=shared).fit(X, y), X)
    np.testing.assert_array_equal(whole.means_[[0, 2]], before)


def test_no_other_class_is_touched() -> None:
    X, y = iris()
    early = y != "virginica"
    model = GaussianClassifier().fit(X[early], y[early])
    before = model.covariances_
    model.add_class("virginica", X[~early])
    np.testing.assert_array_equal(model.covariances_[:2], before)
    model.remove_class("virginica")
    assert model.classes_.tolist() == ["setosa", "versicolor"]
    np.testing.assert_array_equal(model.covariances_, before)


def test_refusals_leave_the_model_as_it_was() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(SchemaError, match="there is a class 'setosa' already"):
        model.add_class("setosa", X[:10])
    with pytest.raises(SchemaError, match=r"no class 'rose': the classes are \['setosa'"):
        model.remove_class("rose")
    given = GaussianClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(PriorError, match="there are 4 classes"):
        given.add_class("rose", X[:10])
    with pytest.raises(PriorError, match="there are 2 classes"):
        given.remove_class("setosa")
    assert model.classes_.tolist() == given.classes_.tolist() == sorted(set(y))
    shared = GaussianClassifier(shared=True).fit(X, y)
    with pytest.raises(DataError, match=r"one shared covariance: take away its rows with forget"):
        shared.remove_class("setosa")
    assert_same_model(
        shared.forget(X[y == "setosa"], y[y == "setosa"]),
        GaussianClassifier(shared=True).fit(X[y != "setosa"], y[y != "setosa"]),
        X,
    )
    made = GaussianClassifier.from_parameters(None, [[0.0], [1.0]], [[[1.0]], [[1.0]]])
    for change in (
        lambda: made.forget([[0.0]], [0]),
        lambda: made.add_class(2, [[0.0]]),
        lambda: made.remove_class(1),
    ):
        with pytest.raises(DataError, match="made from parameters"):
            change()
