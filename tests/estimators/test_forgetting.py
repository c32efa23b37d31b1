"""Rows taken away, classes added and taken away, calls that fail: what is left is exact."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError, SingularCovarianceError
from tests.models import STRUCTURES, assert_same_model, iris, tree_frame, trees, weather

each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def badly_conditioned(seed: int, n: int = 400, d: int = 6) -> tuple[Any, Any]:
    """Rows of two classes whose covariances have a condition number of 1e6."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(d, d)))
    X = rng.normal(size=(n, d)) * np.logspace(0, 3, d) @ axes.T + 1000
    return X, np.arange(n) % 2


@each_structure
@pytest.mark.parametrize("seed", range(5))
def test_forgetting_is_never_having_seen(covariance: str, shared: bool, seed: int) -> None:
    X, y = badly_conditioned(seed)
    gone = np.random.default_rng(seed).random(len(y)) < 0.3
    model = GaussianClassifier(covariance, shared=shared)
    left = GaussianClassifier(covariance, shared=shared).fit(X[~gone], y[~gone])
    forgetful = model.fit(X, y).forget(X[gone], y[gone])
    for name in ("priors_", "means_", "covariances_"):
        one, other = getattr(forgetful, name), getattr(left, name)
        assert np.abs(one - other).max() <= 1e-12 * np.abs(other).max(), name
    assert forgetful.predict(X).tolist() == left.predict(X).tolist()


def test_forgetting_weighted_rows_and_soft_labels() -> None:
    X, y = iris()
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    model = GaussianClassifier().fit(X, y, weights).forget(X[:40], y[:40], weights[:40])
    assert_same_model(model, GaussianClassifier().fit(X[40:], y[40:], weights[40:]), X)
    soft = np.random.default_rng(2).dirichlet([1, 1, 1], size=len(y))
    model = GaussianClassifier().fit(X, soft).forget(X[:40], soft[:40])
    assert_same_model(model, GaussianClassifier().fit(X[40:], soft[40:]), X)


def test_a_class_of_which_nothing_is_left_is_gone() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y).forget(X[y == "setosa"], y[y == "setosa"])
    others = y != "setosa"
    assert_same_model(model, GaussianClassifier().fit(X[others], y[others]), X)


@each_structure
def test_rows_never_seen_are_refused_and_the_model_stays(covariance: str, shared: bool) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    before = model.predict_log_proba(X)
    with pytest.raises(DataError, match="remove only rows that were added"):
        model.forget(X[:2] * 100, y[:2])
    with pytest.raises(DataError, match=r"cannot remove weight 300 from class 'setosa'"):
        model.forget(np.repeat(X[:1], 300, axis=0), ["setosa"] * 300)
    with pytest.raises(DataError, match=r"no rows of class 'rose' to be removed"):
        model.forget(X[:1], ["rose"])
    np.testing.assert_array_equal(model.predict_log_proba(X), before)


def test_the_message_names_the_feature() -> None:
    X, y = iris()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = GaussianClassifier("diagonal").fit(frame, y)
    far = frame[:2].assign(c=[-50.0, 50.0])
    with pytest.raises(DataError, match=r"sum of squares of 'c' in class 'setosa' -"):
        model.forget(far, ["setosa", "setosa"])


@each_structure
def test_a_class_added_later_is_as_if_it_had_been_there(covariance: str, shared: bool) -> None:
    X, y = iris()
    late = y == "versicolor"
    model = GaussianClassifier(covariance, shared=shared).fit(X[~late], y[~late])
    before = model.means_
    whole = model.partial_fit(X[late], y[late])
    assert_same_model(whole, GaussianClassifier(covariance, shared=shared).fit(X, y), X)
    np.testing.assert_array_equal(whole.means_[[0, 2]], before)


@pytest.mark.parametrize("shared", [True, 0.5])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_a_class_can_be_removed_from_a_shared_covariance(covariance: str, shared: Any) -> None:
    X, y = iris()
    others = y != "setosa"
    model = GaussianClassifier(covariance, shared=shared).fit(X, y).remove_class("setosa")
    expected = GaussianClassifier(covariance, shared=shared).fit(X[others], y[others])
    assert_same_model(model, expected, X)


def test_refusals_leave_the_model_as_it_was() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match=r"no class 'rose': the classes are \['setosa'"):
        model.remove_class("rose")
    given = GaussianClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(OptionError, match="needs the labels of the rows"):
        given.forget(X[:10])
    with pytest.raises(OptionError, match="there are 2 classes"):
        given.remove_class("setosa")
    assert model.classes_.tolist() == given.classes_.tolist() == sorted(set(y))
    made = GaussianClassifier.from_parameters(None, [[0.0], [1.0]], [[[1.0]], [[1.0]]])
    for change in (
        lambda: made.forget([[0.0]], [0]),
        lambda: made.remove_class(1),
    ):
        with pytest.raises(
            DataError, match="needs what was learnt from rows, .* its parameters were given"
        ):
            change()


# Categories.


def assert_same(a: GaussianClassifier, b: GaussianClassifier, X: Any) -> None:
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.model_.categories == b.model_.categories
    for name, table in a.category_probabilities_.items():
        for category, p in table.items():
            np.testing.assert_allclose(p, b.category_probabilities_[name][category], rtol=1e-14)
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-12)
    np.testing.assert_allclose(a.scores(X).log_joint, b.scores(X).log_joint, rtol=1e-11)


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


def test_forgetting_rows_with_categories() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    model.forget(frame[:50], y[:50])
    assert_same(model, clone(model).fit(frame[50:], y[50:]), frame[50:])


def test_forgetting_categories_that_were_never_there_changes_nothing() -> None:
    X, y = np.array([[1.0, "a"], [2.0, "b"], [3.0, "a"], [5.0, "b"]], dtype=object), [0, 0, 1, 1]
    model = GaussianClassifier("spherical", columns=Columns(categorical=[1]), smoothing=1).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(DataError, match="cannot remove feature 1 = 'c' of weight 1 from class 0"):
        model.forget([[1.0, "c"]], [0])
    with pytest.raises(DataError, match="feature 1"):
        model.forget([[1.0, None]], [0])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_classes_with_categories_come_and_go() -> None:
    frame, y = weather()
    whole = GaussianClassifier(smoothing=1).fit(frame, y)
    some, gone = y != "wet", y == "wet"
    model = clone(whole).fit(frame[some], y[some])
    model.partial_fit(frame[gone], y[gone])
    assert_same(model, whole, frame)
    model.remove_class("wet")
    assert_same(model, clone(whole).fit(frame[some], y[some]), frame[some])


def test_weights_are_repetitions_of_categories() -> None:
    frame, y = weather(60)
    times = np.random.default_rng(1).integers(0, 4, 60)
    weighted = GaussianClassifier(smoothing=1).fit(frame, y, sample_weight=times)
    repeated = clone(weighted).fit(frame.loc[frame.index.repeat(times)], np.repeat(y, times))
    assert_same(weighted, repeated, frame[:5])


# A call that fails leaves the model as it was, to the byte.


def with_infinity(X: np.ndarray) -> np.ndarray:
    bad = X.copy()
    bad[0, 0], bad[-1, -1] = np.nan, np.inf
    return bad


FAILURES: list[tuple[Callable[[GaussianClassifier], object], type[Exception]]] = [
    (
        lambda m: m.partial_fit(tree_frame(with_infinity(trees(1)[0])), trees(1)[1]),
        DataError,
    ),
    (lambda m: m.partial_fit(trees(1, d=2)[0], trees(1)[1]), ValueError),
    (
        lambda m: m.partial_fit(tree_frame(trees(1)[0]).rename(columns={"age": "x"}), trees(1)[1]),
        ValueError,
    ),
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]), np.arange(40.0) / 7), DataError),
    (
        lambda m: m.partial_fit(tree_frame(trees(1)[0]), np.arange(40)),
        DataError,
    ),  # numbers after text
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]), trees(1)[1][:-1]), DataError),
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]), trees(1)[1], classes=["ash"]), DataError),
    (
        lambda m: m.partial_fit(tree_frame(trees(1)[0]), trees(1)[1], sample_weight=-np.ones(40)),
        DataError,
    ),
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]).iloc[:0], []), DataError),
    (lambda m: m.merge(GaussianClassifier().fit(*trees(1, d=2))), DataError),
    (
        lambda m: m.merge(
            GaussianClassifier().fit(
                tree_frame(trees(1)[0]).rename(columns={"age": "x"}), trees(1)[1]
            )
        ),
        DataError,
    ),
    (lambda m: m.merge(GaussianClassifier().fit(trees(1)[0], np.arange(40) % 2)), DataError),
    (lambda m: m.merge(GaussianClassifier("diagonal").fit(*trees(1))), DataError),
    (lambda m: m.merge("another model"), TypeError),
    (lambda m: m.merge(GaussianClassifier()), ValueError),
    (lambda m: m.fit(trees(1)[0] * np.inf, trees(1)[1]), DataError),
    (lambda m: m.forget("another model"), OptionError),
    (lambda m: m.fit(trees(1, d=2)[0] * 0, trees(1)[1]), SingularCovarianceError),
    (lambda m: m.with_priors([2, 3]), OptionError),
]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(("act", "error"), FAILURES)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_failed_call_leaves_the_model_as_it_was(
    learn: str, act: Callable[[GaussianClassifier], object], error: type[Exception]
) -> None:
    X, y = trees()
    model = getattr(GaussianClassifier(), learn)(tree_frame(X), y)
    before = pickle.dumps(model.__dict__)
    expected = pickle.loads(pickle.dumps(model)).predict_proba(tree_frame(X))
    with pytest.raises(error):
        act(model)
    # Deriving parameters is the only change that a question may make.
    if act is not FAILURES[-1][0]:
        assert pickle.dumps(model.__dict__) == before
    np.testing.assert_array_equal(model.predict_proba(tree_frame(X)), expected)


@pytest.mark.parametrize("missing", [False, True])
def test_one_row_left_of_each_class_can_be_saved_and_learn_more(
    missing: bool, tmp_path: Path
) -> None:
    """A single row has no scatter: no rounding is left of that of the others."""
    generator = np.random.default_rng(1)
    X, y = generator.normal(size=(30, 3)), np.arange(30) % 2
    X[:10:3, 1] = np.nan if missing else X[:10:3, 1]
    model = GaussianClassifier().partial_fit(X[:10], y[:10]).forget(X[2:10], y[2:10])
    model.save(tmp_path / "model.json")
    model = GaussianClassifier.load(tmp_path / "model.json").partial_fit(X[10:], y[10:])
    kept = np.r_[0:2, 10:30]
    again = GaussianClassifier().fit(X[kept], y[kept])
    np.testing.assert_allclose(model.predict_log_proba(X), again.predict_log_proba(X), rtol=1e-9)
