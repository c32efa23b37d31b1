"""A model that forgets by decay, and one of a sliding window, equal those of weighted rows."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import DataError, GaussianClassifier, OptionError, SlidingWindow
from gaussbayes.model.statistics import FORGOTTEN

SETTINGS: dict[str, dict[str, Any]] = {
    "full": {},
    "shared, shrunk": {"shared": True, "shrinkage": 0.2},
    "regularised, predictive": {"shared": 0.4, "estimate": "predictive"},
    "diagonal": {"covariance": "diagonal"},
    "spherical": {"covariance": "spherical"},
    "transformed": {"transforms": "yeo-johnson"},
    "coded": {"coded": True, "shrinkage": 0.1},
    "counts": {"families": {"count": "poisson", "flag": "bernoulli"}, "smoothing": 1.0},
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
    difference = a.predict_joint_log_proba(X) - b.predict_joint_log_proba(X)
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
    stream = GaussianClassifier(**SETTINGS[name])
    window = SlidingWindow(stream, 3)
    batches = [slice(first, first + BATCH) for first in range(0, N, BATCH)]
    for batch in batches:
        stream.partial_fit(X[batch], y[batch], sample_weight=weights[batch], decay=DECAY)
        window.update(X[batch], y[batch], sample_weight=weights[batch])
    age = (N - 1) // BATCH - np.arange(N) // BATCH
    # Transforms are learnt from the first batch.
    first = GaussianClassifier(**SETTINGS[name])
    first.partial_fit(X[:BATCH], y[:BATCH], sample_weight=weights[:BATCH])
    tolerance = 1e-7 if unlabelled else 1e-9 if missing and name == "full" else 1e-12
    agree(stream, first.batch(X, y, weights * DECAY**age), X, tolerance)
    last = slice(N - 3 * BATCH, N)
    assert window.n_batches == 3
    agree(window.classifier, first.batch(X[last], y[last], weights[last]), X, tolerance)


def test_outliers_that_leave_the_window_leave_nothing_behind() -> None:
    """Subtracting them would leave rounding of 1e-16 of their scatter, here 1e8 times the rest."""
    generator = np.random.default_rng(12)
    window = SlidingWindow(GaussianClassifier(), 2)
    for day in range(5):
        X, y = generator.normal(size=(40, 2)) * (1e12 if day == 1 else 1.0), np.arange(40) % 2
        window.update(X, y)
        if day == 3:
            before = X, y
    both = np.concatenate([before[0], X]), np.concatenate([before[1], y])
    expected = GaussianClassifier().fit(*both)
    np.testing.assert_allclose(window.classifier.covariances_, expected.covariances_, rtol=1e-13)


def test_merging_and_taking_apart() -> None:
    X, y, weights = rows(0.1, 0.0)
    model = GaussianClassifier().fit(X[:300], y[:300], weights[:300])
    model.merge(other := GaussianClassifier().fit(X[300:], y[300:], weights[300:])).unmerge(other)
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
    with pytest.raises((OptionError, TypeError), match="size must be"):
        SlidingWindow(model, 0)
    given = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["a", "b"])
    with pytest.raises(DataError, match="needs what was learnt"):
        given.partial_fit([[1.0]], ["a"], decay=0.5)
