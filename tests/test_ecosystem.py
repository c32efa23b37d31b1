"""At home in scikit-learn: clone, pickle, pipelines, search, routing of weights, HTML."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import AutoClassifier, Columns, GaussianClassifier
from tests.models import NAMES, assert_same_model, iris

X, y = iris()
PRIORS = {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}


@pytest.mark.parametrize(
    "model",
    [
        GaussianClassifier(priors=PRIORS, n_jobs=1),
        AutoClassifier(columns=Columns(names=list("abcd"))),
    ],
    ids=["specified", "automatic"],
)
def test_clone_and_pickle(model: GaussianClassifier) -> None:
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model.fit(X, y)), "classes_")
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))
    before = model.means_.copy()
    restored.partial_fit(X[:20], y[:20])
    assert (restored.means_ != before).any()
    assert (model.means_ == before).all()
    assert repr(GaussianClassifier("full", shared=True)) == "GaussianClassifier(shared=True)"


def test_pipelines_and_grid_search() -> None:
    pipeline = make_pipeline(StandardScaler(), GaussianClassifier())
    assert cross_val_score(pipeline, X, y).mean() > 0.95
    assert cross_val_score(AutoClassifier(), X, y, cv=3).mean() > 0.95
    search = GridSearchCV(
        pipeline,
        {
            "gaussianclassifier__covariance": ["full", "diagonal", "spherical"],
            "gaussianclassifier__shared": [False, True],
            "gaussianclassifier__shrinkage": [None, 0.1],
        },
        scoring=["accuracy", "neg_log_loss", "roc_auc_ovr"],
        refit="accuracy",
    ).fit(X, y)
    assert search.best_score_ > 0.95
    assert search.best_estimator_[-1].classes_.tolist() == NAMES.tolist()
    assert np.isfinite(search.cv_results_["mean_test_neg_log_loss"]).all()
    frame = pd.DataFrame(X, columns=list("abcd"))
    grid = {"columns__exclude": [None, ["c", "d"]]}
    assert GridSearchCV(GaussianClassifier(), grid).fit(frame, y).best_params_ == {
        "columns__exclude": None
    }


def test_weights_are_routed() -> None:
    weight = (np.arange(150) % 3).astype(float)
    with config_context(enable_metadata_routing=True):
        model = GaussianClassifier().set_fit_request(sample_weight=True)
        model.set_partial_fit_request(classes=True, sample_weight=True)
        model.set_score_request(sample_weight=False)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model)
        pipeline.fit(X, y, sample_weight=weight)
        result = cross_validate(
            model,
            X,
            y,
            params={"sample_weight": weight},
            return_estimator=True,
            return_indices=True,
        )
    expected = GaussianClassifier().fit(StandardScaler().fit_transform(X), y, weight)
    assert_same_model(pipeline[-1], expected, StandardScaler().fit_transform(X))
    for fitted, rows in zip(result["estimator"], result["indices"]["train"], strict=True):
        assert_same_model(fitted, GaussianClassifier().fit(X[rows], y[rows], weight[rows]), X)


def test_html_shows_settings_and_attributes() -> None:
    model = GaussianClassifier("diagonal", shared=True)
    assert "diagonal" in model._repr_html_()
    page = model.fit(pd.DataFrame(X, columns=list("abcd")), y)._repr_html_()
    assert "classes_" in page
    assert "feature_names_in_" in page
