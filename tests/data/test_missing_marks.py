"""Missing values as people write them: the same in files of all formats, engines and Python."""

import json
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import OptionError
from gaussbayes.base.missing_marks import DEFAULT_NA, MissingMarks

GENERATOR = np.random.default_rng(3)
N = 60
WHOLE = pd.DataFrame(
    {
        "a": GENERATOR.normal(size=N) + np.repeat([0.0, 2.0], N // 2),
        "b": GENERATOR.integers(0, 9, N).astype(float),
        "wind": GENERATOR.choice(["S", "M"], N),
        "y": np.repeat(["u", "v"], N // 2),
    }
)
MARKS = ["NA", "?", ".", "null", "N/A", "None", "nan", ""]


def holes(*, mark: Any = None) -> pd.DataFrame:
    """The rows with missing values, or with what people write in their place."""
    table = WHOLE.astype(object)
    for place, column in enumerate(table.columns):
        for row in range(place, N, 11):
            table.loc[row, column] = MARKS[row % len(MARKS)] if mark == "written" else mark
    return table


EXPECTED = holes().astype({"a": float, "b": float})


def model_of(X: pd.DataFrame, y: Any, **how: Any) -> GaussianClassifier:
    return GaussianClassifier(categorical_features=["wind"], smoothing=1, **how).fit(X, y)


def same(model: GaussianClassifier, **how: Any) -> None:
    X = EXPECTED.drop(columns="y")
    expected = model_of(X, EXPECTED["y"], **how)
    assert model.categories_ == {"wind": ("M", "S")}
    assert model.classes_.tolist() == ["u", "v"]
    assert model.model_.learnt.unlabelled.n_rows == EXPECTED["y"].isna().sum()
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-6)


def test_frames_of_objects() -> None:
    written = holes(mark="written")
    model = model_of(written.drop(columns="y"), written["y"])
    same(model)
    np.testing.assert_array_equal(
        model.predict_proba(written.drop(columns="y")),
        model.predict_proba(EXPECTED.drop(columns="y")),
    )
    automatic = GaussianClassifier(categorical_features="auto", smoothing=1)
    same(automatic.fit(written.drop(columns="y"), written["y"]))  # a and b are numbers
    values = written.drop(columns="y").to_numpy()
    array = GaussianClassifier(categorical_features="auto", smoothing=1)
    assert array.fit(values, written["y"]).categories_ == {2: ("M", "S")}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "dask", "polars", "duckdb"])
def test_sources(kind: str, tmp_path: Path) -> None:
    table = holes(mark="written")
    path = tmp_path / f"a.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "jsonl":
        lines = table.to_dict("records")
        path.write_text("\n".join(map(json.dumps, lines)))
    else:  # numbers have a type there, and are null
        table[["a", "b"]] = EXPECTED[["a", "b"]]
    if kind == "parquet":
        table.to_parquet(path)
    source: Any = {
        "dask": lambda: dd.from_pandas(table, npartitions=3),
        "polars": lambda: pl.from_pandas(table).lazy(),
        "duckdb": lambda: duckdb.from_df(table),
    }.get(kind, lambda: path)()
    model = GaussianClassifier(categorical_features=["wind"], smoothing=1)
    same(model.fit_source(source, "y"))


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet", "dask", "polars", "duckdb"])
def test_other_values_only_when_told(kind: str, tmp_path: Path) -> None:
    table = EXPECTED.copy()
    table["b"] = table["b"].fillna(-999)
    table["wind"] = table["wind"].fillna("calm")
    table["y"] = table["y"].fillna("-")
    marks = {"na_values": [-999, {"wind": "calm", "y": "-"}]}
    model = GaussianClassifier(categorical_features=["wind"], smoothing=1, **marks)
    if kind == "frame":
        y = table["y"].replace("-", None)
        model.fit(table.drop(columns="y"), y)
    else:
        path = tmp_path / f"a.{kind}"
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
        source: Any = {
            "dask": lambda: dd.from_pandas(table, npartitions=3),
            "polars": lambda: pl.from_pandas(table).lazy(),
            "duckdb": lambda: duckdb.from_df(table),
        }.get(kind, lambda: path)()
        model.fit_source(source, "y")
    same(model)
    loaded = GaussianClassifier.load(model.save(tmp_path / "m.json"))
    assert loaded.model_.schema.missing == MissingMarks.given(marks["na_values"])
    X = table.drop(columns="y")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_categories_and_classes_called_none() -> None:
    X = pd.DataFrame({"alley": ["NA", "NA", "paved", "gravel", "paved", "NA"]})
    y = ["None", "None", "some", "some", "some", "None"]
    how: dict[str, Any] = {"categorical_features": ["alley"], "smoothing": 1}
    model = GaussianClassifier(keep_default_na=False, **how).fit(X, y)
    assert model.categories_ == {"alley": ("NA", "gravel", "paved")}
    assert model.classes_.tolist() == ["None", "some"]
    assert model.predict(X).tolist() == y
    again = GaussianClassifier.from_model(model.model_)
    assert (again.keep_default_na, again.na_values, again.score(X, y)) == (False, [], 1.0)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"na_values": [None]}, "na_values must be strings or numbers"),
        ({"na_values": [True]}, "na_values must be strings or numbers"),
        ({"keep_default_na": "no"}, "keep_default_na must be True or False"),
    ],
)
def test_wrong_marks(how: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        GaussianClassifier(**how).fit([[1.0], [2.0]], [0, 1])


def test_every_mark_is_a_word_of_pandas_or_was_asked_for() -> None:
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(STR_NA_VALUES) - {""} <= DEFAULT_NA | {"?", "."}
    assert DEFAULT_NA - set(STR_NA_VALUES) == {"?", "."}
