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

from gaussbayes import GaussianClassifier
from tests.models import NAMES, assert_same_model, iris, six_models


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()


def test_clone_and_pickle(model: GaussianClassifier) -> None:
    model.set_params(priors={"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}, n_jobs=1)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model.fit(X, y)), "classes_")
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))
    restored.partial_fit(X, y)
    assert restored.moments_.weight.sum() == 300
    assert model.moments_.weight.sum() == 150
    assert model.get_params(deep=True)["covariance"] == model.covariance
    assert repr(GaussianClassifier("full", shared=True)) == "GaussianClassifier(shared=True)"


def test_pipelines_and_grid_search() -> None:
    pipeline = make_pipeline(StandardScaler(), GaussianClassifier())
    assert cross_val_score(pipeline, X, y).mean() > 0.95
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
            model, X, y, params={"sample_weight": weight}, return_estimator=True
        )
    weights = [estimator.moments_.weight.sum() for estimator in result["estimator"]]
    assert sum(weights) == pytest.approx(4 * weight.sum())
    expected = GaussianClassifier().fit(StandardScaler().fit_transform(X), y, weight)
    assert_same_model(pipeline[-1], expected, StandardScaler().fit_transform(X))


def test_html_shows_settings_and_attributes() -> None:
    model = GaussianClassifier("diagonal", shared=True)
    assert "diagonal" in model._repr_html_()
    page = model.fit(pd.DataFrame(X, columns=list("abcd")), y)._repr_html_()
    assert "classes_" in page
    assert "feature_names_in_" in page
