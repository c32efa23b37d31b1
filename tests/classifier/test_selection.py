"""The estimator leaves rows out one at a time, and chooses structure and shrinkage by them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gaussbayes.families.gaussian.parameters import Structure
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from gaussbayes import DataError, GaussianClassifier, ParameterError
from tests.models import STRUCTURES, iris


@pytest.mark.parametrize(("covariance", "shared"), [*STRUCTURES, ("full", 0.4), ("diagonal", 0.4)])
def test_rows_are_left_out_as_if_models_were_fitted_without_them(
    covariance: str, shared: bool | float
) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared, shrinkage=0.1)
    found = model.leave_one_out(X, y)
    told = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba", n_jobs=1)
    np.testing.assert_allclose(found.log_posterior, told, atol=1e-10)
    assert found.evaluation.log_loss == pytest.approx(log_loss(y, np.exp(told)), rel=1e-9)


def test_the_best_structure_and_shrinkage_are_chosen() -> None:
    X, y = iris()
    model = GaussianClassifier("auto", shrinkage="auto").fit(X, y)
    best = model.selection_.best
    assert best.log_loss == min(one.log_loss for one in model.selection_.candidates)
    assert model.structure_ == best.structure
    by_hand = GaussianClassifier(
        best.structure.covariance, shared=best.structure.sharing, shrinkage=best.shrinkage
    )
    np.testing.assert_array_equal(
        model.predict_log_proba(X), by_hand.fit(X, y).predict_log_proba(X)
    )
    assert by_hand.leave_one_out(X, y).evaluation.log_loss == pytest.approx(best.log_loss)
    assert not hasattr(by_hand, "selection_")
    assert not hasattr(model.set_params(covariance="full", shrinkage=None).fit(X, y), "selection_")


def test_only_what_is_left_open_is_chosen() -> None:
    X, y = iris()
    shrunk = GaussianClassifier(shared=True, shrinkage="auto").fit(X, y)
    assert shrunk.structure_ == Structure("full", shared=True)
    assert {one.structure for one in shrunk.selection_.candidates} == {shrunk.structure_}
    shaped = GaussianClassifier("auto", shrinkage=0.2).fit(X, y)
    assert {one.shrinkage for one in shaped.selection_.candidates} == {0.2, None}


def test_more_rows_do_not_change_the_choice() -> None:
    X, y = iris()
    model = GaussianClassifier("auto", shrinkage="auto").fit(X[:100], y[:100])
    chosen, shrinkage = model.structure_, model.selection_.best.shrinkage
    again = GaussianClassifier(chosen.covariance, shared=chosen.sharing, shrinkage=shrinkage)
    model.partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(model.covariances_, again.fit(X, y).covariances_, rtol=1e-12)
    for step in (lambda own: own.partial_fit(X, y), lambda own: own.merge(again)):
        with pytest.raises(ParameterError, match="cannot choose covariance and shrinkage"):
            step(clone(model))


def test_bic_needs_no_rows_so_that_files_and_memberships_do(tmp_path: Path) -> None:
    X, y = iris()
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(species=y)
    table.to_csv(tmp_path / "iris.csv", index=False)
    model = GaussianClassifier("auto", shrinkage="auto", selection="bic")
    assert model.fit(X, y).selection_.criterion == "bic"
    chosen = model.structure_
    assert model.fit_source(tmp_path / "iris.csv", "species").structure_ == chosen
    assert model.fit(X, np.eye(3)[np.unique(y, return_inverse=True)[1]]).structure_ == chosen
    left_out = GaussianClassifier("auto")
    with pytest.raises(DataError, match="'leave_one_out' needs the rows"):
        left_out.fit_source(tmp_path / "iris.csv", "species")
    with pytest.raises(DataError, match="one label each, got memberships"):
        left_out.fit(X, np.full((150, 2), 0.5))


def test_classes_without_weight_are_left_out() -> None:
    X, y = iris()
    weights = (y != "setosa").astype(float)
    model = GaussianClassifier("auto").fit(X, y, weights)
    assert model.classes_.tolist() == ["versicolor", "virginica"]
    there = weights > 0
    alone = GaussianClassifier("auto").fit(X[there], y[there])
    assert model.selection_.best.log_loss == pytest.approx(alone.selection_.best.log_loss)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"covariance": "best"}, "'spherical', 'auto', got 'best'"),
        ({"selection": "aic"}, "selection is one of 'leave_one_out', 'bic', got 'aic'"),
        ({"shrinkage": "best"}, "shrinkage is None, a number"),
    ],
)
def test_settings_that_are_none(settings: dict[str, Any], message: str) -> None:
    X, y = iris()
    with pytest.raises(ParameterError, match=message):
        GaussianClassifier(**settings).fit(X, y)
