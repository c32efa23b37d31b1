"""Kinds of models, labels and names of columns that meet in pairs, for every engine."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from gaussbayes import AutoClassifier
from gaussbayes.sklearn import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from tests.models import automatic_classifier

LABELS: dict[str, list[Any]] = {
    "booleans": [False, True],
    "floats": [-1.0, 0.0, 2.0],
    "strings": ["' OR 1=1; --", 'x"y\\', "ü\n%s {} 🐟"],
    "integers beyond those of floats": [-(2**62) - 1, 2**53 + 1, 2**63 - 1],
    "objects": [7, 8, 9],
}
NAMES: dict[str, list[str]] = {
    "plain": ["a", "b", "c", "d"],
    "quotes": ['a"; DROP TABLE rows; --', "it's", "back`tick\\", "(x) % {}"],
    "keywords": ["select", "Order", "group by", "NULL"],
    "unicode": ["größe in µm", "новый столбец", "🐟", "two words"],
    "own": ["x1", "x0", "stage0", "_x"],  # as names that are made up are called
}


def _announced(X: pd.DataFrame, y: Any) -> Any:
    """A class that was announced and has no rows, in the middle of the others or beside them."""
    known = np.unique(y)
    return GaussianNB().partial_fit(X[y != known[1]], y[y != known[1]], classes=known)


def _without_prior(X: pd.DataFrame, y: Any) -> Any:
    k = len(np.unique(y))
    return QuadraticDiscriminantAnalysis(priors=[0.0, *[1 / (k - 1)] * (k - 1)]).fit(X, y)


def _averaged(X: pd.DataFrame, y: Any) -> Any:
    return automatic_classifier(average=True).fit(X, y)


MODELS: dict[str, tuple[bool, Callable[[pd.DataFrame, Any], Any]]] = {
    "rank-reduced": (True, lambda X, y: LinearDiscriminantAnalysis(n_components=1).fit(X, y)),
    "least squares": (True, lambda X, y: LinearDiscriminantAnalysis("lsqr").fit(X, y)),
    "shrunk": (True, lambda X, y: LinearDiscriminantAnalysis("eigen", shrinkage=0.2).fit(X, y)),
    "announced": (False, _announced),
    "a prior of 0": (False, _without_prior),
    "calibrated": (False, lambda X, y: AutoClassifier().fit(X, y)),
    "averaged": (False, _averaged),
    "averaged, other priors": (False, lambda X, y: _averaged(X, y).with_priors("uniform")),
}
"""Whether features may be collinear, and how the model is fitted."""


def fitted(model: str, labels: str, names: str) -> tuple[Any, pd.DataFrame]:
    """A model of 60 rows of four features, and these; the last may follow from the others."""
    collinear, fit = MODELS[model]
    values, n = LABELS[labels], 60
    codes = np.arange(n) % len(values)
    X = np.random.default_rng(5).normal(size=(n, 4)) + codes[:, None] * [1.0, 0.5, 0.0, -1.0]
    if collinear:
        X[:, 3] = X[:, 0] - 2.0 * X[:, 1] + 3.0
    y = np.array(values, dtype=object if labels == "objects" else None)[codes]
    table = pd.DataFrame(X + 100.0, columns=NAMES[names])
    return fit(table, y), table
