"""Fitting and predicting with features and labels that are missing, through the estimator."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import Columns, DataError, GaussianClassifier
from tests.models import iris


def holes(X: Any, share: float = 0.2, seed: int = 0) -> Any:
    """The rows with a share of their values missing."""
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def test_nan_among_labels_of_floats_is_warned_of() -> None:
    X, y = np.arange(12.0)[:, None] % 7, np.repeat([0.0, 1.0], 6)
    y[2] = np.nan
    with pytest.warns(
        UserWarning, match=r"^1 of 12 labels are NaN; .*Columns\(unlabelled=float\('nan'\)\)"
    ):
        warned = GaussianClassifier(shared=True).fit(X, y)
    meant = GaussianClassifier(shared=True, columns=Columns(unlabelled=float("nan"))).fit(X, y)
    written = GaussianClassifier(shared=True).fit(
        X, [None if np.isnan(each) else each for each in y]
    )
    for model in (meant, written):
        np.testing.assert_array_equal(model.means_, warned.means_)


def assert_alike(a: GaussianClassifier, b: GaussianClassifier) -> None:
    """The same classes, and parameters that agree to what EM is stopped at."""
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.priors_, b.priors_, rtol=1e-12)
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-10)
    size = np.sqrt(np.einsum("...ii->...i", b.covariances_))
    unit = size[..., :, None] * size[..., None, :]
    np.testing.assert_allclose(a.covariances_ / unit, b.covariances_ / unit, rtol=0, atol=1e-10)


def test_forgetting_all_that_was_missing_leaves_a_model_of_complete_rows() -> None:
    X, y = iris()
    X[:50] = holes(X[:50])
    lacks = np.isnan(X).any(axis=1)
    model = GaussianClassifier().fit(X, y).forget(X[lacks], y[lacks])
    whole = GaussianClassifier().fit(X[~lacks], y[~lacks])
    assert model.model_.convergence is None
    np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-13)
    np.testing.assert_allclose(model.covariances_, whole.covariances_, rtol=1e-12)


def test_rows_that_were_never_there_cannot_be_forgotten() -> None:
    X, y = iris()
    X[:50, 1] = np.nan
    model = GaussianClassifier().fit(X, y)
    gone = X[60:61].copy()
    gone[0, 2] = np.nan
    with pytest.raises(DataError, match=f"rows of class '{y[60]}' without feature 2 to be"):
        model.forget(gone, y[60:61])
    with pytest.raises(DataError, match="from class '.*' without feature 1, which has weight"):
        model.forget(X[:50], y[:50], np.full(50, 2.0))
    with pytest.raises(DataError, match="there are no rows of class .* to be removed"):
        GaussianClassifier().fit(X[50:], y[50:]).forget(X[:1], y[:1])
    assert_alike(model, GaussianClassifier().fit(X, y))


def test_soft_labels_of_rows_with_missing_values() -> None:
    X, y = iris()
    X = holes(X)
    names = np.unique(y)
    sure = (y[:, None] == names).astype(float)
    soft = 0.9 * sure + 0.1 / 3
    assert_alike(
        GaussianClassifier().fit(X, pd.DataFrame(sure, columns=names)),
        GaussianClassifier().fit(X, y),
    )
    each = np.repeat(np.arange(150), 3)
    labels, weights = np.tile(names, 150), soft.ravel()
    assert_alike(
        GaussianClassifier(shared=True).fit(X, pd.DataFrame(soft, columns=names)),
        GaussianClassifier(shared=True).fit(X[each], labels, weights),
    )


def test_a_stream_may_begin_with_what_says_little() -> None:
    X, y = iris()
    X = holes(X)
    model = GaussianClassifier().partial_fit(np.full((1, 4), np.nan), y[:1])
    with pytest.raises(DataError, match="at least two classes"):
        model.predict(X)
    model.partial_fit(np.where(np.arange(4) == 0, X, np.nan), y)
    with pytest.raises(DataError, match="feature 1, feature 2, feature 3"):
        model.predict(X)
    model.partial_fit(X, y)
    assert model.model_.convergence.converged
    assert model.score(X, y) > 0.8
