"""A stream with decay, and a window of parts fitted alike, equal fits to weighted rows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError
from gaussbayes.model.statistics import FORGOTTEN

SETTINGS: dict[str, dict[str, Any]] = {
    "full": {},
    "shared, shrunk": {"shared": True, "shrinkage": 0.2},
    "regularised": {"shared": 0.4},
    "diagonal": {"covariance": "diagonal"},
    "spherical": {"covariance": "spherical"},
    "transformed": {"transforms": "yeo-johnson"},
    "counts": {"families": {"count": "poisson"}, "smoothing": 1.0},
}
N, BATCH, DECAY = 600, 100, 0.8


def rows(missing: float, unlabelled: float) -> tuple[pd.DataFrame, Any, Any]:
    """Rows far from 0 of three classes, with weights."""
    generator = np.random.default_rng(11)
    y = np.arange(N) % 3
    frame = pd.DataFrame(generator.normal(size=(N, 3)) + y[:, None], columns=list("abc"))
    frame["b"] += 0.5 * frame["a"] + 1e6
    frame["count"] = generator.poisson(2.0 + y).astype(float)
    frame["flag"] = generator.binomial(1, 0.2 + 0.2 * y).astype(float)
    frame["kind"] = pd.Categorical(generator.choice(list("uvw"), N))
    for name in frame.columns[frame.columns != "kind"]:
        frame.loc[generator.random(N) < missing, name] = np.nan
    frame.loc[generator.random(N) < missing, "kind"] = None
    labels = y.astype(object)
    labels[generator.random(N) < unlabelled] = None
    return frame, labels, generator.uniform(0.5, 2.0, N)


def agree(a: GaussianClassifier, b: GaussianClassifier, X: Any, tolerance: float) -> None:
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.priors_, b.priors_, rtol=tolerance)
    difference = a.scores(X).log_joint - b.scores(X).log_joint
    assert np.abs(difference).max() <= tolerance * 50


@pytest.mark.parametrize(
    ("name", "missing", "unlabelled"),
    [(name, 0.0, 0.0) for name in SETTINGS]
    + [
        ("full", 0.1, 0.0),
        ("diagonal", 0.2, 0.0),
        ("counts", 0.2, 0.0),
        ("shared, shrunk", 0.0, 0.2),
    ],
)
def test_a_stream_that_forgets_is_one_of_weighted_rows(
    name: str, missing: float, unlabelled: float
) -> None:
    """Weights ``decay ** age``, the age being counted in batches; to 1e-12 of a log density.

    EM stops at an estimated error of 1e-10, and starts elsewhere.
    """
    X, y, weights = rows(missing, unlabelled)
    unfitted = GaussianClassifier(**SETTINGS[name], columns=Columns(features=[*X.columns]))
    stream, parts = clone(unfitted), []
    for batch in (slice(first, first + BATCH) for first in range(0, N, BATCH)):
        stream.partial_fit(X[batch], y[batch], sample_weight=weights[batch], decay=DECAY)
        # Transforms are those of the first batch.
        like = parts[0] if parts else None
        parts.append(clone(unfitted).fit(X[batch], y[batch], weights[batch], like=like))
    age = (N - 1) // BATCH - np.arange(N) // BATCH
    tolerance = 1e-7 if unlabelled else 1e-9 if missing and name == "full" else 1e-12
    agree(stream, clone(unfitted).fit(X, y, weights * DECAY**age, like=parts[0]), X, tolerance)
    window = clone(unfitted)
    for part in parts[-3:]:
        window.merge(part)
    last = slice(N - 3 * BATCH, N)
    expected = clone(unfitted).fit(X[last], y[last], weights[last], like=parts[0])
    agree(window, expected, X, tolerance)


def test_merging_and_taking_apart() -> None:
    X, y, weights = rows(0.1, 0.0)
    model = GaussianClassifier().fit(X[:300], y[:300], weights[:300])
    model.merge(other := GaussianClassifier().fit(X[300:], y[300:], weights[300:])).forget(other)
    agree(model, GaussianClassifier().fit(X[:300], y[:300], weights[:300]), X, 1e-8)


def test_a_class_that_is_not_seen_any_more() -> None:
    """It weighs less and less, keeps its density, and in the end is no class any more."""
    X, y, _ = rows(0.0, 0.0)
    X = X[["a", "b"]]
    stream = GaussianClassifier().fit(X, y)
    mean = stream.means_[2].copy()
    some = y != 2
    for _ in range(8):
        stream.partial_fit(X[some][:50], y[some][:50], decay=1e-10)
    np.testing.assert_allclose(stream.means_[2], mean, rtol=1e-14)
    assert 0 < stream.priors_[2] < 1e-70
    for _ in range(4):
        stream.partial_fit(X[some][:50], y[some][:50], decay=1e-10)
    assert FORGOTTEN > 1e-10**12
    assert stream.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("decay", [0.0, -1.0, 1.5, float("nan"), "much"])
def test_a_decay_that_is_none(decay: Any) -> None:
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    with pytest.raises((OptionError, TypeError), match="decay must be"):
        model.partial_fit([[1.0]], [0], decay=decay)
    assert model.means_.tolist() == [[1.5], [6.0]]
    given = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["a", "b"])
    with pytest.raises(DataError, match="needs the statistics"):
        given.partial_fit([[1.0]], ["a"], decay=0.5)
