"""One answer, whatever rows and labels come in: arrays, frames, any layout in memory."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from gaussbayes import GaussianClassifier
from tests.models import NAMES, SCORES, assert_same_model, iris, six_models


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()
IRIS = X


LABELS = [
    np.array([0, 1, 2]),
    np.array([-5, 100, 70000]),
    np.array([1.0, 2.0, 4.0]),
    np.array(["a", "b", "c"]),
    np.array(["a", "b", "c"], dtype=object),
    np.array([2**62, 2**62 + 1, 2**62 + 2]),
]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(labels.dtype))
def test_labels_of_any_kind(labels: Any) -> None:
    codes = np.searchsorted(NAMES, y)
    model = GaussianClassifier().fit(X, labels[codes])
    assert model.classes_.dtype == labels.dtype
    assert model.classes_.tolist() == labels.tolist()
    predicted = model.predict(X)
    assert predicted.dtype == labels.dtype
    expected = GaussianClassifier().fit(X, y).predict(X)
    assert predicted.tolist() == labels[np.searchsorted(NAMES, expected)].tolist()
    assert model.score(X, labels[codes]) == 0.98  # 3 errors in 150


def test_truth_values_as_labels() -> None:
    model = GaussianClassifier().fit(X, y == "setosa")
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == np.bool_
    assert (model.predict(X) == (y == "setosa")).all()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series,
        lambda y: pd.Series(y, dtype="category"),
        lambda y: pd.Series(y, dtype="string[pyarrow]"),
        lambda y: pl.Series(y.tolist()),
        lambda y: pl.Series(y.tolist(), dtype=pl.Categorical),
        lambda y: pa.chunked_array([y.tolist()]),
        list,
    ],
)
def test_labels_in_any_container(series: Any) -> None:
    model = GaussianClassifier().fit(X, series(y))
    assert model.classes_.tolist() == NAMES.tolist()
    assert model.predict(X).tolist() == GaussianClassifier().fit(X, y).predict(X).tolist()


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frames_give_the_same_model_and_keep_names(frame: Any, dtype: Any) -> None:
    X = IRIS.astype(dtype)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    model = GaussianClassifier().fit(table, y)
    assert model.feature_names_in_.tolist() == names
    assert model.n_features_in_ == 4
    plain = GaussianClassifier().fit(X, y)
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(model.means_, plain.means_)
    np.testing.assert_array_equal(model.predict_proba(table), plain.predict_proba(X))
    assert model.predict_proba(table).dtype == dtype
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(table))
    with pytest.warns(UserWarning, match="X has feature names, but GaussianClassifier was fitted"):
        plain.predict(table)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "view",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: np.repeat(X, 3, axis=1)[:, ::3],
        lambda X: X[::-1].copy()[::-1],
        lambda X: X[:, ::-1].copy()[:, ::-1],
        lambda X: X.astype(X.dtype.newbyteorder(">")),
    ],
    ids=["Fortran", "rows", "columns", "backwards", "columns backwards", "byte order"],
)
def test_any_layout_in_memory(model: GaussianClassifier, dtype: Any, view: Any) -> None:
    X = np.ascontiguousarray(IRIS, dtype=dtype)
    one, other = clone(model).fit(X, y), clone(model).fit(view(X), y)
    assert_same_model(other, one, X)
    np.testing.assert_allclose(other.predict_proba(view(X)), one.predict_proba(X), atol=1e-6)
    assert other.predict(view(X)).tolist() == one.predict(X).tolist()


@pytest.mark.usefixtures("kernels")
def test_strided_rows_are_not_copied(model: GaussianClassifier) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400_000, 32))[:, ::2]
    y = rng.integers(0, 2, len(X))
    model.set_params(n_jobs=1)
    tracemalloc.start()
    try:
        model.fit(X, y)
        _, at_fit = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        model.predict(X)
        _, at_predict = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert at_fit < X.nbytes / 2
    assert at_predict < X.nbytes / 2


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_have_the_width_of_the_rows(model: GaussianClassifier, dtype: Any) -> None:
    model.fit(X, y)
    rows = X.astype(dtype)
    for method in SCORES:
        scores = getattr(model, method)(rows)
        assert scores.dtype == dtype, method
        wide = getattr(model, method)(rows.astype(np.float64))
        np.testing.assert_allclose(scores, wide, rtol=2e-3, atol=1e-5, err_msg=method)
    assert model.covariances_.dtype == np.float64


def test_a_column_of_labels_is_taken_with_a_warning() -> None:
    for column in (y[:, None], pd.DataFrame({"y": y}), y[:, None].tolist()):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            model = GaussianClassifier().fit(X, column)
        assert_same_model(model, GaussianClassifier().fit(X, y), X)
