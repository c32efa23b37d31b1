"""Errors on three classic tables, in training and leaving one row out: counts known beforehand.

The counts were taken with other programs: LDA, QDA and Gaussian naive Bayes with unbiased
covariances and estimated priors, refitted without each row in turn.
"""

from typing import Any

import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from gaussbayes import GaussianClassifier

pytestmark = pytest.mark.usefixtures("kernels")

LDA = {"shared": True, "divisor": "unbiased"}
QDA = {"divisor": "unbiased"}
NAIVE = {"covariance": "diagonal", "divisor": "unbiased"}

COUNTS = [
    (load_iris, LDA, 3, 3),
    (load_iris, QDA, 3, 4),
    (load_iris, NAIVE, 6, 7),
    (load_wine, LDA, 0, 2),
    (load_wine, QDA, 1, 1),
    (load_wine, NAIVE, 2, 5),
    (load_wine, NAIVE | {"divisor": "mle"}, 2, 4),
    (load_breast_cancer, LDA, 20, 24),
    (load_breast_cancer, QDA, 15, 25),
    (load_breast_cancer, QDA | {"divisor": "mle"}, 14, None),
    (load_breast_cancer, NAIVE, 34, 38),
]


@pytest.mark.parametrize(("load", "settings", "training", "left_out"), COUNTS)
def test_errors(load: Any, settings: dict[str, Any], training: int, left_out: int | None) -> None:
    X, y = load(return_X_y=True)
    model = GaussianClassifier(**settings).fit(X, y)
    assert int((model.predict(X) != y).sum()) == training
    found = model.evaluate(X, y, cv="loo")
    assert left_out is None or found.n_errors == left_out
    assert found.how == f"leave-one-out predictions of {len(y)} rows"
