"""One answer, whatever rows and labels come in: arrays, frames, any layout in memory."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from gaussbayes import GaussianClassifier
from tests.models import NAMES, SCORES, assert_same_model, iris, six_models


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()


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
