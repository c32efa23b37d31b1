"""Rows taken away, classes added and taken away, calls that fail: what is left is exact."""

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaussbayes import DataError, GaussianClassifier, OptionError, SingularCovarianceError
from tests.models import iris, tree_frame, trees


def test_the_message_names_the_feature() -> None:
    X, y = iris()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = GaussianClassifier("diagonal").fit(frame, y)
    far = frame[:2].assign(c=[-50.0, 50.0])
    with pytest.raises(DataError, match=r"sum of squares of 'c' in class 'setosa' -"):
        model.forget(far, ["setosa", "setosa"])


# Categories.


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
