"""A call that fails leaves the model as it was, to the byte."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gaussbayes import (
    DataError,
    GaussianClassifier,
    NonFiniteError,
    ParameterError,
    PriorError,
    SchemaError,
    SingularCovarianceError,
)
from tests.models import tree_frame, trees


def with_infinity(X: np.ndarray) -> np.ndarray:
    bad = X.copy()
    bad[0, 0], bad[-1, -1] = np.nan, np.inf
    return bad


FAILURES: list[tuple[Callable[[GaussianClassifier], object], type[Exception]]] = [
    (
        lambda m: m.partial_fit(tree_frame(with_infinity(trees(1)[0])), trees(1)[1]),
        NonFiniteError,
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
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]), trees(1)[1], classes=["ash"]), SchemaError),
    (
        lambda m: m.partial_fit(tree_frame(trees(1)[0]), trees(1)[1], sample_weight=-np.ones(40)),
        DataError,
    ),
    (lambda m: m.partial_fit(tree_frame(trees(1)[0]).iloc[:0], []), DataError),
    (lambda m: m.merge(GaussianClassifier().fit(*trees(1, d=2))), SchemaError),
    (
        lambda m: m.merge(
            GaussianClassifier().fit(
                tree_frame(trees(1)[0]).rename(columns={"age": "x"}), trees(1)[1]
            )
        ),
        SchemaError,
    ),
    (lambda m: m.merge(GaussianClassifier().fit(trees(1)[0], np.arange(40) % 2)), DataError),
    (lambda m: m.merge(GaussianClassifier("diagonal").fit(*trees(1))), DataError),
    (lambda m: m.merge("another model"), TypeError),
    (lambda m: m.merge(GaussianClassifier()), ValueError),
    (lambda m: m.fit(tree_frame(trees(1)[0] * np.inf), trees(1)[1]), NonFiniteError),
    (lambda m: m.fit(trees(1, d=2)[0] * 0, trees(1)[1]), SingularCovarianceError),
    (lambda m: m.with_priors([2, 3]), PriorError),
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


@pytest.mark.parametrize("settings", [{"divisor": "n"}, {"shared": 1.5}])
def test_failed_settings_leave_the_model_as_it_was(settings: dict[str, Any]) -> None:
    X, y = trees()
    model = GaussianClassifier().fit(X, y)
    other = GaussianClassifier().fit(X, y)
    model.set_params(**settings)
    before = pickle.dumps(model.__dict__)
    for call in (lambda: model.partial_fit(X, y), lambda: model.merge(other)):
        with pytest.raises(ParameterError):
            call()
    assert pickle.dumps(model.__dict__) == before


def test_a_stream_that_keeps_too_little_for_new_settings() -> None:
    X, y = trees()
    model = GaussianClassifier("diagonal").fit(X, y).set_params(covariance="full")
    before = pickle.dumps(model.__dict__)
    with pytest.raises(
        DataError, match="a full scatter cannot be had from a diagonal one; fit again"
    ):
        model.partial_fit(X, y)
    assert pickle.dumps(model.__dict__) == before
    model.fit(X, y)
