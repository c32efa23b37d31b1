"""Tables with missing values: a classifier scores them by its marginal."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import GaussianClassifier
from tests.models import SCORES, STRUCTURES, six_models, trees

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
def test_the_estimator_is_its_marginal(covariance: Any, shared: bool) -> None:
    X, y = trees(n=60)
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    X[:, 1] = np.nan
    part = model.marginal([0, 2])
    for name in ("predict", *SCORES, "p_values"):
        scores, expected = getattr(model, name)(X), getattr(part, name)(X[:, [0, 2]])
        if name == "predict":
            assert scores.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        model.log_odds(X, "oak", "ash"), part.log_odds(X[:, [0, 2]], "oak", "ash"), atol=1e-12
    )
    ours, theirs = (
        one.negative_log_likelihood(rows, y).total
        for one, rows in ((model, X), (part, X[:, [0, 2]]))
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize(
    "table",
    [
        [[1.0, None], [None, 0.5], [2.0, 1.0]],
        pd.DataFrame({"a": [1.0, None, 2.0], "b": [np.nan, 0.5, 1.0]}),
        pd.DataFrame({"a": [1, None, 2], "b": [None, 0.5, 1.0]}, dtype=object),
        pd.DataFrame({"a": pd.array([1, None, 2], dtype="Int64"), "b": [np.nan, 0.5, 1.0]}),
        pl.DataFrame({"a": [1, None, 2], "b": [None, 0.5, 1.0]}),
        pa.table({"a": [1, None, 2], "b": [None, 0.5, 1.0]}),
    ],
    ids=["list", "pandas", "objects", "nullable", "polars", "arrow"],
)
def test_missing_values_of_tables(table: Any) -> None:
    X, y = trees(n=30, d=2)
    X = X[:, :2]
    for model in six_models():
        model.fit(X if isinstance(table, list) else pd.DataFrame(X, columns=["a", "b"]), y)
        posterior = model.predict_proba(table)
        plain = GaussianClassifier(model.covariance, shared=model.shared).fit(X, y)
        expected = plain.predict_proba(np.array([[1, np.nan], [np.nan, 0.5], [2, 1]]))
        np.testing.assert_array_equal(posterior, expected)
