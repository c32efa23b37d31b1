"""One answer, whatever rows and labels come in: arrays, frames, any layout in memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from gaussbayes import GaussianClassifier
from tests.models import SCORES, iris, six_models


@pytest.fixture(params=six_models(), ids=repr)
def model(request: pytest.FixtureRequest) -> GaussianClassifier:
    return clone(request.param)


X, y = iris()


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
