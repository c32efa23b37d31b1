"""Models with categorical features in batches, merged, forgotten, with classes that come and go."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import RemovalError
from tests.models import weather

pytestmark = pytest.mark.usefixtures("kernels")


def assert_same(a: GaussianClassifier, b: GaussianClassifier, X: Any) -> None:
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.categories_ == b.categories_
    np.testing.assert_array_equal(a.counts_.weight, b.counts_.weight)
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-12)
    np.testing.assert_allclose(
        a.predict_joint_log_proba(X), b.predict_joint_log_proba(X), rtol=1e-11
    )


def test_batches_parts_and_all_at_once() -> None:
    frame, y = weather()
    whole = GaussianClassifier(smoothing=1).fit(frame, y)
    batches, parts = GaussianClassifier(smoothing=1), []
    for first in range(0, len(y), 50):
        some = slice(first, first + 50)
        batches.partial_fit(frame[some], y[some])
        parts.append(clone(whole).fit(frame[some], y[some]))
    merged = parts[3].merge(parts[1]).merge(parts[2]).merge(parts[0])
    assert_same(batches, whole, frame)
    assert_same(merged, whole, frame)


def test_forgetting() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    model.forget(frame[:50], y[:50])
    assert_same(model, clone(model).fit(frame[50:], y[50:]), frame[50:])


def test_forgetting_what_was_never_there_changes_nothing() -> None:
    X, y = np.array([[1.0, "a"], [2.0, "b"], [3.0, "a"], [5.0, "b"]], dtype=object), [0, 0, 1, 1]
    model = GaussianClassifier("spherical", categorical_features=[1], smoothing=1).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(RemovalError, match="weight 1 of 'c' of feature 1 from class 0"):
        model.forget([[1.0, "c"]], [0])
    with pytest.raises(RemovalError, match="rows without a value of feature 1 from class 0"):
        model.forget([[1.0, None]], [0])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_classes_come_and_go() -> None:
    frame, y = weather()
    whole = GaussianClassifier(smoothing=1).fit(frame, y)
    some, gone = y != "wet", y == "wet"
    model = clone(whole).fit(frame[some], y[some])
    model.add_class("wet", frame[gone])
    assert_same(model, whole, frame)
    model.remove_class("wet")
    assert_same(model, clone(whole).fit(frame[some], y[some]), frame[some])


def test_weights_are_repetitions() -> None:
    frame, y = weather(60)
    times = np.random.default_rng(1).integers(0, 4, 60)
    weighted = GaussianClassifier(smoothing=1).fit(frame, y, sample_weight=times)
    repeated = clone(weighted).fit(frame.loc[frame.index.repeat(times)], np.repeat(y, times))
    assert_same(weighted, repeated, frame[:5])
