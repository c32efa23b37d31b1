"""Every engine computes the scores of the model, row by row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import AutoClassifier, Columns, GaussianClassifier, OptionError
from gaussbayes.sklearn import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from tests.designs import all_pairs
from tests.export.engines import ENGINES, assert_same_scores, mixed, numbers

CATEGORICAL = Columns(categorical=["colour", "floor"])


STRUCTURES: dict[str, Any] = {
    f"{covariance}, shared={shared}": GaussianClassifier(covariance, shared=shared)
    for covariance in ("full", "diagonal", "spherical")
    for shared in (False, True, 0.3)
}
STRUCTURES["Student-t, transformed and calibrated"] = AutoClassifier()


@pytest.mark.parametrize(
    ("engine", "structure", "missing"), all_pairs(ENGINES, STRUCTURES, [0.0, 0.2])
)
def test_structures(engine: str, structure: str, missing: float, tmp_path: Path) -> None:
    """Missing values occur in all patterns."""
    table, y = numbers(missing=missing)
    model = clone(STRUCTURES[structure]).fit(table[:1000], y[:1000])
    assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize(
    ("engine", "transforms"),
    all_pairs(ENGINES, ["standardised", "range", "yeo-johnson", "log"]),
)
def test_transforms(engine: str, transforms: Any, tmp_path: Path) -> None:
    """Also beyond the range of the training rows."""
    table, y = numbers(2000, missing=0.1)
    table = np.exp((table - 1000.0) / 3.0)
    model = GaussianClassifier(transforms=transforms).fit(table[:1000], y[:1000])
    table.iloc[-30:] *= 7.0
    table.iloc[-60:-30] /= 100.0
    assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_families(engine: str, tmp_path: Path) -> None:
    """With missing values and categories that no training row had."""
    table, y = mixed()
    model = GaussianClassifier(
        transforms={"width": "log"},
        families={"visits": "poisson", "member": "poisson"},
        smoothing=0.5,
        columns=CATEGORICAL,
    ).fit(table[:500], y[:500])
    table.loc[::50, "colour"] = "not in training"
    with pytest.warns(UserWarning, match="not in training"):
        assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_of_levels(engine: str, tmp_path: Path) -> None:
    """Beside a Gaussian; with rows that have some, all or none of the columns."""
    table, y = mixed()
    families: Any = {("visits", "member", "colour", "floor"): "pairs"}
    model = GaussianClassifier(families=families, columns=CATEGORICAL).fit(table[:500], y[:500])
    table.loc[::50, "colour"] = "not in training"
    table.loc[::70, ["visits", "member", "floor"]] = np.nan
    table.loc[::140, "colour"] = None
    with pytest.warns(UserWarning, match="not in training"):
        assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_more_pairs_than_one_stage_joins(engine: str, tmp_path: Path) -> None:
    """Twelve columns of numbers, whose 78 tables of pairs have 22,464 probabilities."""
    random, names = np.random.default_rng(0), [f"n{j}" for j in range(12)]
    table = pd.DataFrame(random.normal(size=(1000, 12)), columns=names)
    table = table.mask(random.random(table.shape) < 0.1)
    y = np.arange(1000) % 2
    table["n0"] += 2.0 * y
    model = GaussianClassifier(families={tuple(names): "pairs"}).fit(table, y)
    assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_values_that_have_a_level(engine: str, tmp_path: Path) -> None:
    table, y = mixed()
    for name in ("visits", "colour"):
        table[name] = table[name].where((y == 0) | (np.arange(len(y)) % 3 > 0), None)
    model = AutoClassifier(families={tuple(table): "pairs"}, columns=CATEGORICAL)
    model.fit(table[:500], y[:500])
    (family,) = model.model_.settings.families
    assert {type(column).__name__ for column in family.levels.of if column.missing} == {
        "Bins",
        "Groups",
    }
    table.loc[::50, "colour"] = "not in training"
    with pytest.warns(UserWarning, match="not in training"):
        assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_probabilities_of_zero(engine: str, tmp_path: Path) -> None:
    """A rate of 0, a category that a class never has, and counts of all sizes."""
    counts = np.array([0.0, 0, 0, 0, 3, 5, 0, 40, 2, 15, 16, 17, 300, 7])
    y = np.array(list("aaaabbbbbbbbbb"))
    table = pd.DataFrame({"rare": counts, "none": 0.0, "kind": list("ststtuuttsuuts")})
    families: Any = {"rare": "poisson", "none": "poisson"}
    columns = Columns(features=["rare", "none", "kind"])
    model = GaussianClassifier(families=families, columns=columns).fit(table, y)
    assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_selected_models(engine: str, tmp_path: Path) -> None:
    """Pooled with pairs, missing values among them; calibrated, other priors."""
    random = np.random.default_rng(0)
    a, b, flipped = random.integers(0, 3, 400), random.integers(0, 2, 400), random.random(400) < 0.1
    y = np.where(((a == 0) ^ (b == 0)) ^ flipped, "yes", "no")
    values = {"a": np.array(["p", "q", "r"], object)[a], "b": np.array(["u", "v"], object)[b]}
    table = pd.DataFrame({**values, "x": random.normal(size=400)})
    table.loc[random.random(400) < 0.1, "a"] = None
    table.loc[random.random(400) < 0.1, "x"] = np.nan
    model = AutoClassifier().fit(table, y)
    assert model.selection_.title.endswith(" + pairs")
    assert_same_scores(engine, model.with_priors([0.9, 0.1]), table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_more_features_than_rows(engine: str, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(24, 40)), columns=[f"g{j}" for j in range(40)])
    y = np.arange(24) % 2
    model = GaussianClassifier(shrinkage=0.3).fit(table + y[:, None], y)
    assert_same_scores(engine, model, table, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_missing_marks(engine: str, tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01 06:00:00.25", periods=60, freq="37h")
    x = np.where(np.arange(60) % 7, np.arange(60) % 5, -9.0)
    table = pd.DataFrame({"when": days, "x": x, "c": ["s", "t", "s", "?", "t"] * 12})
    y = np.where(np.arange(60) % 3 == 0, "early", "late")
    model = AutoClassifier(columns=Columns(na_values=-9)).fit(table, y)
    if engine == "sqlite":
        table["when"] = table["when"].astype(str)
    assert_same_scores(engine, model, table, tmp_path)


def test_more_columns_than_a_float_has_bits_and_a_function_arguments(tmp_path: Path) -> None:
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 129)))
    table = table.rename(columns="f{}".format)
    table.iloc[::7, 0] = table.iloc[::9, 128] = np.nan
    model = GaussianClassifier(shared=True, shrinkage=0.1).fit(table, np.arange(400) % 2)
    for engine in ENGINES:
        assert_same_scores(engine, model, table, tmp_path)


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
    "unicode": ["größe in µm", "новый.столбец", "🐟", "two words"],
    "used in formulas": ["x1", "x0", "stage0", "v3"],
}


def announced(X: pd.DataFrame, y: Any) -> Any:
    """A class without rows, in the middle of the others or beside them."""
    known = np.unique(y)
    return GaussianNB().partial_fit(X[y != known[1]], y[y != known[1]], classes=known)


def without_prior(X: pd.DataFrame, y: Any) -> Any:
    k = len(np.unique(y))
    return QuadraticDiscriminantAnalysis(priors=[0.0, *[1 / (k - 1)] * (k - 1)]).fit(X, y)


MODELS: dict[str, tuple[bool, Callable[[pd.DataFrame, Any], Any]]] = {
    "rank-reduced": (True, lambda X, y: LinearDiscriminantAnalysis(n_components=1).fit(X, y)),
    "least squares": (True, lambda X, y: LinearDiscriminantAnalysis("lsqr").fit(X, y)),
    "shrunk": (True, lambda X, y: LinearDiscriminantAnalysis("eigen", shrinkage=0.2).fit(X, y)),
    "announced": (False, announced),
    "a prior of 0": (False, without_prior),
    "calibrated": (False, lambda X, y: AutoClassifier().fit(X, y)),
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


@pytest.mark.parametrize(
    ("engine", "model", "labels", "names"), all_pairs(ENGINES, MODELS, LABELS, NAMES)
)
def test_labels_and_names(engine: str, model: str, labels: str, names: str, tmp_path: Path) -> None:
    """They are only labels and names, whatever characters they have."""
    if (model, labels) == ("announced", "booleans"):
        labels = "strings"  # one of two classes would be left, with nothing to decide
    assert_same_scores(engine, *fitted(model, labels, names), tmp_path)


def test_labels_that_cannot_be_written(tmp_path: Path) -> None:
    """They are refused by name, and a file that is there stays as it is."""
    X = [[1.0], [2.0], [5.0], [7.0]]
    paths = {suffix: tmp_path / f"model.{suffix}" for suffix in ("sql", "onnx")}
    days = np.array(["2020-01-01", "2021-01-01"], "M8[D]").repeat(2)
    wide = np.array([1, 2**63 + 5], np.uint64).repeat(2)
    for path in paths.values():
        path.write_text("before")
    for y, suffix, dialect, message in (
        (days, "sql", "duckdb", "strings, numbers or booleans .* datetime.date"),
        (days, "onnx", "", "must be strings, integers, floats or booleans .* type is date"),
        (wide, "sql", "sqlite", "integers below 2⁶³, as sqlite has no others"),
        (wide, "onnx", "", "is beyond 2⁶³"),
        (["a\0b", "a\0b", "c", "c"], "sql", "duckdb", "without null characters"),
    ):
        with pytest.raises(OptionError, match=message):
            GaussianClassifier().fit(X, y).export(paths[suffix], dialect=dialect)
    assert {path.read_text() for path in paths.values()} == {"before"}
