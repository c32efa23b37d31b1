"""Errors on three classic tables, in training and leaving one row out: counts known beforehand.

The counts were taken with other programs: LDA, QDA and Gaussian naive Bayes with unbiased
covariances and estimated priors, refitted without each row in turn.
"""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from gaussbayes import GaussianClassifier

pytestmark = pytest.mark.usefixtures("kernels")

LDA = {"covariance": "full", "shared": True, "divisor": "unbiased"}
QDA = {"covariance": "full", "shared": False, "divisor": "unbiased"}
NAIVE = {"covariance": "diagonal", "shared": False, "divisor": "unbiased"}

COUNTS = [
    (load_iris, LDA, 3, 3),
    (load_iris, QDA, 3, 4),
    (load_iris, NAIVE, 6, 7),
    (load_wine, LDA, 0, 2),
    (load_wine, QDA, 1, 1),
    (load_wine, NAIVE, 2, 5),
    (load_breast_cancer, LDA, 20, 24),
    (load_breast_cancer, QDA, 15, 25),
    (load_breast_cancer, NAIVE, 34, 38),
]


@pytest.mark.parametrize(("load", "settings", "training", "left_out"), COUNTS)
def test_errors(load: Any, settings: dict[str, Any], training: int, left_out: int) -> None:
    X, y = load(return_X_y=True)
    model = GaussianClassifier(**settings, n_jobs=1).fit(X, y)
    assert int((model.predict(X) != y).sum()) == training
    errors = 0
    others = np.ones(len(y), dtype=bool)
    for row in range(len(y)):
        others[row] = False
        errors += int(model.fit(X[others], y[others]).predict(X[row : row + 1])[0] != y[row])
        others[row] = True
    assert errors == left_out


def test_maximum_likelihood_differs_in_one_row() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = GaussianClassifier(divisor="mle").fit(X, y)
    assert int((model.predict(X) != y).sum()) == 14
