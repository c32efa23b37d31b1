"""The order of rows, the names of labels and the units of features do not change the model.

Folds follow one rule: the rows of a class are sorted by their log density under the plain fit, with
ties broken by their values, and go to the folds in turn. `AutoClassifier` selects, calibrates and
completes missing values by such folds.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.model import fit, select

LABELS = np.array(["v", "a", "m"])


def frame(what: str) -> tuple[pd.DataFrame, Any, Any]:
    """Rows of three classes, two of them of one size, their labels and their weights."""
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1, 2], [24, 24, 15])
    X = rng.normal(size=(63, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(3, 4))[codes]
    weights = None
    if what == "missing values":
        X[rng.random(X.shape) < 0.2] = np.nan
    elif what == "equal rows":
        X = np.round(X)
        X[1::2] = X[:-1:2]
    elif what == "weights":
        weights = rng.integers(1, 4, 63).astype(float)
        X[1:20:2] = X[:19:2]  # equal rows of different weights
    table = pd.DataFrame(X, columns=list("abcd"))
    if what == "categories":
        table["wind"] = np.array(["N", "S", "W"])[rng.integers(0, 3, 63) * (codes != 1)]
    y = LABELS[codes].astype(object)
    if what == "missing labels":
        y[::4] = None
    return table, y, weights


@pytest.mark.parametrize("few", [False, True], ids=["all rows", "a sample"])
@pytest.mark.parametrize(
    "what",
    ["numbers", "missing values", "missing labels", "equal rows", "weights", "categories"],
)
def test_automatic_models(what: str, few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same posteriors to 1e-9, also where only some rows are held out."""
    if few:
        monkeypatch.setattr(select, "MOST_HELD_OUT", 30)
        monkeypatch.setattr(fit, "MOST_HELD_OUT", 40)
    table, y, weights = frame(what)
    model = AutoClassifier().fit(table, y, sample_weight=weights)
    expected, names = model.predict_proba(table), model.classes_.tolist()
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = None if weights is None else weights[order]
    renamed = {"v": "Z", "a": "M", "m": "B", None: None}
    scaled = table.assign(b=table["b"] * 2.0**30)
    for X, rows, labels, w in (
        (table.iloc[order], table, y[order], shuffled),
        (table, table, np.array([renamed[label] for label in y], dtype=object), weights),
        (scaled, scaled, y, weights),
    ):
        other = AutoClassifier().fit(X, labels, sample_weight=w)
        classes = names if labels is not None and "Z" not in labels else map(renamed.get, names)
        places = [other.classes_.tolist().index(label) for label in classes]
        posterior = other.predict_proba(rows)[:, places]
        np.testing.assert_allclose(posterior, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("what", ["missing values", "missing labels"])
def test_calibrated_models(what: str) -> None:
    """Where rows are held out in folds, the folds are the same, whatever the order and names."""
    table, y, _ = frame(what)
    order = np.random.default_rng(0).permutation(len(y))
    names = {"a": "a", "m": "z", "v": "m", None: None}  # the classes in another order
    renamed = np.array([names[label] for label in y], dtype=object)
    plain, shuffled, other = (
        GaussianClassifier("diagonal", shrinkage=0.2, calibrate=True).fit(X, labels)
        for X, labels in ((table, y), (table.iloc[order], y[order]), (table, renamed))
    )
    expected = plain.predict_proba(table)
    np.testing.assert_allclose(shuffled.predict_proba(table), expected, rtol=0, atol=1e-9)
    places = [other.classes_.tolist().index(names[label]) for label in plain.classes_]
    posterior = other.predict_proba(table)[:, places]
    np.testing.assert_allclose(posterior, expected, rtol=0, atol=1e-9)
