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
IRIS = X


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("parts", [1, 7, 150])
def test_batches_give_the_same_model(model: GaussianClassifier, parts: int) -> None:
    stream = clone(model)
    for rows in np.array_split(np.arange(len(y)), parts):
        assert stream.partial_fit(X[rows], y[rows]) is stream
    assert_same_model(stream, clone(model).fit(X, y), X)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("parts", [2, 7, 50])
def test_merged_parts_give_the_same_model(model: GaussianClassifier, parts: int) -> None:
    pieces = [
        clone(model).partial_fit(X[rows], y[rows])
        for rows in np.array_split(np.arange(len(y)), parts)
    ]
    merged = clone(model)
    for piece in pieces:
        assert merged.merge(piece) is merged
    assert_same_model(merged, clone(model).fit(X, y), X)


@pytest.mark.usefixtures("kernels")
def test_far_from_zero_batches_give_the_same_model(model: GaussianClassifier) -> None:
    # Multiples of 1/8 plus 2**33: exact in floats, with an offset of 1e10 standard deviations.
    X = np.round(IRIS * 8) / 8 + 2.0**33
    stream = clone(model)
    for rows in np.array_split(np.arange(len(y)), 7):
        stream.partial_fit(X[rows], y[rows])
    assert_same_model(stream, clone(model).fit(X, y), X)
    near = clone(model).fit(X - 2.0**33, y)
    assert stream.predict(X).tolist() == near.predict(X - 2.0**33).tolist()
    np.testing.assert_allclose(stream.covariances_, near.covariances_, rtol=1e-12, atol=1e-14)


@pytest.mark.usefixtures("kernels")
def test_weight_two_is_the_row_twice(model: GaussianClassifier) -> None:
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same_model(weighted, repeated, X)
    stream = clone(model)
    for rows in np.array_split(np.arange(len(y)), 7):
        stream.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
    assert_same_model(stream, repeated, X)


@pytest.mark.usefixtures("kernels")
def test_classes_join_with_their_first_row(model: GaussianClassifier) -> None:
    order = np.argsort(y)[::-1]  # virginica first
    stream = clone(model)
    stream.partial_fit(X[order[:50]], y[order[:50]])
    assert stream.classes_.tolist() == ["virginica"]
    stream.partial_fit(X[order[50:100]], y[order[50:100]])
    assert stream.classes_.tolist() == ["versicolor", "virginica"]
    two = np.isin(y, stream.classes_)
    assert_same_model(stream, clone(model).fit(X[two], y[two]), X)
    stream.partial_fit(X[order[100:]], y[order[100:]])
    assert_same_model(stream, clone(model).fit(X, y), X)


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


def test_fit_forgets_and_partial_fit_does_not() -> None:
    model = GaussianClassifier().fit(X[:75], y[:75])
    model.partial_fit(X[75:], y[75:])
    assert_same_model(model, GaussianClassifier().fit(X, y), X)
    model.fit(X[:75], y[:75])
    assert_same_model(model, GaussianClassifier().fit(X[:75], y[:75]), X)


def test_announced_classes_are_checked_and_need_not_be_there() -> None:
    model = GaussianClassifier()
    model.partial_fit(X, y, classes=[*NAMES, "never seen"])
    assert model.classes_.tolist() == NAMES.tolist()
    state = pickle.dumps(model)
    with pytest.raises(DataError, match=r"unknown labels: \['virginica'\]"):
        model.partial_fit(X, y, classes=NAMES[:2])
    assert pickle.dumps(model) == state


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(model: GaussianClassifier, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    # Twelve megabytes: enough for several blocks of rows.
    y = rng.integers(0, 3, 300_000)
    X = rng.normal(size=(300_000, 5)) + y[:, None]
    weight = rng.random(300_000) if weighted else None
    one = clone(model).set_params(n_jobs=1).fit(X, y, weight)
    two = clone(model).set_params(n_jobs=2).fit(X, y, weight)
    for name in ("priors_", "means_", "covariances_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


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


def test_classes_that_weigh_nothing_are_left_out() -> None:
    two = GaussianClassifier().fit(X[y != "setosa"], y[y != "setosa"])
    weightless = GaussianClassifier().fit(X, y, sample_weight=(y != "setosa").astype(float))
    assert_same_model(weightless, two, X)
    columns = pd.DataFrame({name: (y == name).astype(float) for name in [*NAMES, "none"]})
    assert GaussianClassifier().fit(X, columns).classes_.tolist() == NAMES.tolist()


def test_merging_unites_classes() -> None:
    first, second = y != "setosa", y == "setosa"
    merged = GaussianClassifier().fit(X[first], y[first])
    merged.merge(GaussianClassifier().partial_fit(X[second], y[second]))
    assert_same_model(merged, GaussianClassifier().fit(X, y), X)
