"""One answer, however the rows arrive: at once, in batches, in merged parts, weighted, threaded."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, SingularCovarianceError
from tests.models import NAMES, assert_same_model, iris, six_models


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()


def test_a_stream_may_begin_with_one_row(model: GaussianClassifier) -> None:
    model.partial_fit([[1.0, 2.0]], ["a"])
    assert model.classes_.tolist() == ["a"]
    with pytest.raises(DataError, match="needs at least two classes with rows, got 1 class: 'a'"):
        model.predict([[1.0, 2.0]])
    model.partial_fit([[3.0, 5.0]], ["b"])
    with pytest.raises(SingularCovarianceError):
        model.predict_proba([[1.0, 2.0]])
    assert not hasattr(model, "covariances_")
    with pytest.raises(NotFittedError, match="Remedies"):
        _ = model.covariances_
    assert "GaussianClassifier" in model._repr_html_()
    model.partial_fit([[1.5, 3.5], [2.5, 4.0], [7.0, 5.5], [6.0, 8.0]], list("aabb"))
    assert model.predict([[1.0, 2.0], [6.0, 6.0]]).tolist() == ["a", "b"]


def test_announced_classes_are_checked_and_need_not_be_there() -> None:
    model = GaussianClassifier()
    model.partial_fit(X, y, classes=[*NAMES, "never seen"])
    assert model.classes_.tolist() == NAMES.tolist()
    state = pickle.dumps(model)
    with pytest.raises(DataError, match=r"unknown labels: \['virginica'\]"):
        model.partial_fit(X, y, classes=NAMES[:2])
    assert pickle.dumps(model) == state


@pytest.mark.usefixtures("kernels")
def test_soft_labels(model: GaussianClassifier) -> None:
    one_hot = (y[:, None] == NAMES).astype(float)
    hard = clone(model).fit(X, y)
    assert_same_model(clone(model).fit(X, pd.DataFrame(one_hot, columns=NAMES)), hard, X)
    # Half of each row in its class and half spread over all: as rows given several times.
    soft = 0.5 * one_hot + 0.5 / 3
    blended = clone(model).fit(X, pd.DataFrame(soft, columns=NAMES))
    rows, labels = np.tile(X, (3, 1)), np.repeat(NAMES, 150)
    weighted = clone(model).fit(rows, labels, sample_weight=soft.T.ravel())
    assert_same_model(blended, weighted, X)
    stream = clone(model)
    for part in np.array_split(np.arange(150), 4):
        stream.partial_fit(X[part], pd.DataFrame(soft[part], columns=NAMES))
    assert_same_model(stream, blended, X)
