"""Classes that come and go, where the scatter that they share is stored once for all of them."""

from pathlib import Path

import numpy as np
import pytest

from gaussbayes import GaussianClassifier, load

K, D = 6, 60  # k d² is above 16,384
GENERATOR = np.random.default_rng(0)
Y = np.arange(480) % K
X = GENERATOR.normal(size=(K, D))[Y] + GENERATOR.normal(size=(480, D)) @ GENERATOR.normal(
    size=(D, D)
)


def model() -> GaussianClassifier:
    return GaussianClassifier(shared=True, shrinkage="oas")


def same(a: GaussianClassifier, b: GaussianClassifier) -> None:
    assert a.classes_.tolist() == b.classes_.tolist()
    for name in ("priors_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_class_by_class_and_worker_by_worker(dtype: type) -> None:
    rows = X.astype(dtype)
    at_once, stream = model().fit(rows, Y), model()
    for label in (4, 0, 5, 2, 1, 3):
        stream.partial_fit(rows[label == Y], Y[label == Y])
    same(stream, at_once)
    workers = [model().fit(rows[some], Y[some]) for some in (Y < 2, (Y > 0) & (Y < 4), Y > 3)]
    twice = Y == 1  # two workers have seen these rows
    merged = workers[0].merge(workers[1]).merge(workers[2])
    same(merged, model().fit(np.concatenate([rows, rows[twice]]), np.append(Y, Y[twice])))
    same(merged.forget(rows[twice], Y[twice]), at_once)


def test_rows_of_a_class_that_are_forgotten_leave_nothing() -> None:
    gone = Y == 2
    left = model().fit(X, Y).forget(X[gone], Y[gone])
    same(left, model().fit(X[~gone], Y[~gone]))
    assert not left.notices_


def test_a_removed_class_leaves_the_covariance_as_it_is(tmp_path: Path) -> None:
    whole = GaussianClassifier(shared=True).fit(X, Y)
    posterior = np.delete(whole.predict_proba(X), 2, axis=1)
    removed = GaussianClassifier(shared=True).fit(X, Y).remove_class(2)
    assert removed.classes_.tolist() == [0, 1, 3, 4, 5]
    np.testing.assert_allclose(removed.means_, np.delete(whole.means_, 2, axis=0), atol=1e-14)
    np.testing.assert_allclose(removed.covariances_, whole.covariances_, rtol=1e-13)
    posterior /= posterior.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(removed.predict_proba(X), posterior, rtol=1e-9)
    (notice,) = removed.notices_
    assert notice.kind == "removed class"
    assert "rows of class 2" in notice.message
    removed.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").notices_ == removed.notices_
    # More rows of the other classes count as much as those that they have.
    more = removed.partial_fit(X[Y == 3], Y[Y == 3])
    assert more.priors_.tolist() == [1 / 6, 1 / 6, 2 / 6, 1 / 6, 1 / 6]


def test_a_class_that_is_stored_apart_leaves_the_covariance() -> None:
    few = X[:, :20]
    gone = Y == 2
    removed = model().fit(few, Y).remove_class(2)
    same(removed, model().fit(few[~gone], Y[~gone]))
    assert not removed.notices_
