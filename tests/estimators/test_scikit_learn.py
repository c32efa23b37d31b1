"""scikit-learn's tools with both estimators: parameters, copies, pipelines, searches, routing."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import AutoClassifier, Columns, GaussianClassifier, OptionError
from gaussbayes.datasets import load_iris

IRIS = load_iris()
FRAME = pd.DataFrame(IRIS.rows, columns=list("abcd"))
Y = IRIS.labels
COLUMNS = Columns(exclude=["a"], na_values=[-9])
BOTH = [GaussianClassifier(shared=True, columns=COLUMNS), AutoClassifier(columns=COLUMNS, n_jobs=1)]

both = pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)


@both
def test_columns_are_stored_as_given_and_set_by_name(model: Any) -> None:
    assert model.get_params()["columns"] is COLUMNS
    assert model.get_params()["columns__exclude"] == ["a"]
    copied = clone(model)
    assert copied.columns == COLUMNS
    assert copied.get_params(deep=False) == model.get_params(deep=False)
    changed = clone(model).set_params(columns__exclude=["b"], n_jobs=2)
    assert (changed.columns.exclude, changed.columns.na_values, changed.n_jobs) == (["b"], [-9], 2)
    assert COLUMNS.exclude == ["a"]
    fresh = type(model)().set_params(columns__exclude=["b"])
    assert fresh.columns == Columns(exclude=["b"])
    assert repr(fresh) == f"{type(model).__name__}(columns=Columns(exclude=['b']))"
    with pytest.raises(OptionError, match="exclud.*did you mean 'exclude'"):
        fresh.set_params(columns__exclud=["b"])
    with pytest.raises(ValueError, match="Invalid parameter 'shard' for estimator"):
        fresh.set_params(shard=True)
    with pytest.raises(OptionError, match="columns must be .*got"):
        type(model)(columns={"exclude": ["a"]}).fit(FRAME, Y)


@both
def test_copies_are_the_same_model_and_independent(model: Any) -> None:
    fitted = clone(model).fit(FRAME, Y)
    expected = fitted.predict_proba(FRAME)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        np.testing.assert_array_equal(other.predict_proba(FRAME), expected)
        assert other.columns_ == fitted.columns_
        other.partial_fit(FRAME[:9], Y[:9])
        np.testing.assert_array_equal(fitted.predict_proba(FRAME), expected)


@both
def test_pipelines_searches_and_ensembles(model: Any) -> None:
    search = GridSearchCV(model, {"columns__exclude": [["a"], ["c", "d"]]}, cv=3).fit(FRAME, Y)
    assert search.best_params_ == {"columns__exclude": ["a"]}
    assert [column.name for column in search.best_estimator_.columns_.excluded] == ["a"]
    plain = clone(model).set_params(columns=None)
    pipeline = make_pipeline(StandardScaler(), plain).fit(FRAME, Y)
    assert pipeline.score(FRAME, Y) > 0.95
    nested = Pipeline([("model", clone(model))]).set_params(model__columns__exclude=["b"])
    assert nested.fit(FRAME, Y)["model"].columns_["b"].kind == "excluded"
    assert not hasattr(plain, "transform")
    assert cross_validate(plain, FRAME, Y, cv=3, scoring="neg_log_loss")["test_score"].min() > -0.5
    vote = VotingClassifier([("one", plain), ("two", GaussianClassifier())], voting="soft")
    assert vote.fit(FRAME, Y).score(FRAME, Y) > 0.95
    assert CalibratedClassifierCV(plain, cv=2).fit(FRAME, Y).score(FRAME, Y) > 0.95


@both
def test_weights_are_routed(model: Any) -> None:
    weights = 1.0 + np.arange(150) % 2
    expected = clone(model).fit(FRAME, Y, weights)
    with config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True)
        routed.set_score_request(sample_weight=True)
        pipeline = make_pipeline(routed).fit(FRAME, Y, sample_weight=weights)
        found = cross_validate(
            clone(routed),
            FRAME,
            Y,
            params={"sample_weight": weights},
            error_score="raise",
            return_estimator=True,
            return_indices=True,
        )
    np.testing.assert_array_equal(pipeline.predict_proba(FRAME), expected.predict_proba(FRAME))
    assert found["test_score"].min() > 0.8
    for fitted, rows in zip(found["estimator"], found["indices"]["train"], strict=True):
        again = clone(model).fit(FRAME.iloc[rows], Y[rows], weights[rows])
        np.testing.assert_array_equal(fitted.predict_proba(FRAME), again.predict_proba(FRAME))
