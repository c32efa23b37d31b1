"""The order of rows, names of labels, units of features and formats of files change no model.

Folds follow one rule: the rows of a class are sorted by their log density under the plain fit, with
ties broken by their values, and go to the folds in turn. `AutoClassifier` selects, calibrates and
completes missing values by such folds.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
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
    """The same posteriors to 1e-9 with another order, other names and other units, all at once.

    The same holds where only some rows are held out.
    """
    if few:
        monkeypatch.setattr(select, "MOST_HELD_OUT", 30)
        monkeypatch.setattr(fit, "MOST_HELD_OUT", 40)
    table, y, weights = frame(what)
    model = AutoClassifier().fit(table, y, sample_weight=weights)
    expected, names = model.predict_proba(table), model.classes_.tolist()
    order = np.random.default_rng(0).permutation(len(y))
    renamed = {"v": "Z", "a": "M", "m": "B", None: None}
    labels = np.array([renamed[label] for label in y], dtype=object)
    scaled = table.assign(b=table["b"] * 2.0**30)
    other = AutoClassifier().fit(
        scaled.iloc[order], labels[order], sample_weight=None if weights is None else weights[order]
    )
    places = [other.classes_.tolist().index(renamed[name]) for name in names]
    posterior = other.predict_proba(scaled)[:, places]
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


def written(table: pd.DataFrame, folder: Path) -> Iterator[tuple[str, Any]]:
    """The same rows in memory and in files of every dialect."""
    infinite = table.assign(size=table["size"].fillna(np.inf))
    yield "infinite values", infinite  # which are missing
    yield "objects", table.astype(object)
    texts = {
        "commas": (table.to_csv(index=False), "utf-8"),
        "decimal commas": (table.to_csv(index=False, sep=";", decimal=","), "utf-8"),
        "tabs": (table.to_csv(index=False, sep="\t", na_rep="?"), "utf-8-sig"),
        "two bytes": (table.to_csv(index=False, na_rep="NA"), "utf-16"),
        "an old encoding": (table.to_csv(index=False), "cp1252"),
        "lines": (table.to_json(orient="records", lines=True, force_ascii=False), "utf-8"),
    }
    for name, (text, encoding) in texts.items():
        path = folder / f"{name}.{'jsonl' if name == 'lines' else 'csv'}"
        path.write_bytes(text.encode(encoding))
        yield name, path
    table.to_parquet(folder / "rows.parquet")
    yield "types", folder / "rows.parquet"


def test_files_of_every_dialect(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    codes = rng.permutation(90) % 3
    table = pd.DataFrame(
        {
            "size": (rng.normal(size=90) + codes).round(2),
            "größe": rng.integers(0, 9, 90) + codes,
            "town": np.array(["Köln", "Århus", "Rome"])[(codes + rng.integers(0, 2, 90)) % 3],
            "y": LABELS[codes],
        }
    )
    table.loc[::9, "size"] = np.nan
    expected = GaussianClassifier(smoothing=1.0).fit(table, "y").predict_proba(table)
    for name, source in written(table, tmp_path):
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            model = GaussianClassifier(smoothing=1.0).fit(source, "y")
        for rows in (table, source if isinstance(source, Path) else table):
            found = model.predict_proba(rows)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=name)
        noticed = {"an old encoding": ["encoding"], "infinite values": ["infinite values"]}
        assert [notice.kind for notice in model.notices_] == noticed.get(name, []), name
