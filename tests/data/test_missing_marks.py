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

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError, load
from gaussbayes.data.schema import DEFAULT_NA
from tests.data.tables import fitted

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


def same(model: GaussianClassifier) -> None:
    X = EXPECTED.drop(columns="y")
    expected = fitted(EXPECTED, "y")
    assert [column.kind for column in model.columns_] == ["number", "number", "category"]
    assert model.classes_.tolist() == ["u", "v"]
    assert model.model_.statistics.unlabelled.n_rows == EXPECTED["y"].isna().sum()
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-6)


def sources(table: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """The same table in memory, in files and in engines."""
    table.to_csv(folder / "a.csv", index=False)
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, table.to_dict("records"))))
    typed = table.assign(**{name: EXPECTED[name] for name in ("a", "b")})
    if table["b"].dtype == float:
        typed = table
    typed.to_parquet(folder / "a.parquet")  # numbers have a type there, and are null
    return {
        "frame": table,
        "csv": folder / "a.csv",
        "jsonl": folder / "a.jsonl",
        "parquet": folder / "a.parquet",
        "dask": dd.from_pandas(typed, npartitions=3),
        "polars": pl.from_pandas(typed).lazy(),
        "duckdb": duckdb.from_df(typed),
    }


def test_the_usual_marks(tmp_path: Path) -> None:
    written = holes(mark="written")
    for source in sources(written, tmp_path).values():
        same(fitted(source, "y"))
    model = fitted(written, "y")
    found, expected = (model.predict_proba(x.drop(columns="y")) for x in (written, EXPECTED))
    np.testing.assert_array_equal(found, expected)


def test_other_values_only_when_they_are_given(tmp_path: Path) -> None:
    table = EXPECTED.copy()
    table["b"] = table["b"].fillna(-999)
    table["wind"] = table["wind"].fillna("calm")
    table["y"] = table["y"].fillna("-")
    marks = [-999, {"wind": "calm", "y": "-"}]
    for name, source in sources(table, tmp_path).items():
        if name == "jsonl":
            continue  # NaN is not JSON
        model = fitted(source, "y", na_values=marks)
        same(model)
        loaded = load(model.save(tmp_path / "m.json"))
        X = table.drop(columns="y")
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert fitted(table, "y").classes_.tolist() == ["-", "u", "v"]


def test_categories_and_classes_called_none(tmp_path: Path) -> None:
    X = pd.DataFrame({"alley": ["NA", "NA", "paved", "gravel", "paved", "NA"]})
    y = ["None", "None", "some", "some", "some", "None"]
    model = fitted(X, y, keep_default_na=False, features=["alley"])
    assert list(model.category_probabilities_["alley"]) == ["NA", "gravel", "paved"]
    assert model.classes_.tolist() == ["None", "some"]
    again = load(model.save(tmp_path / "m.json"))
    assert again.columns.keep_default_na is False
    assert again.predict(X).tolist() == y


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"na_values": [None]}, OptionError, "na_values must be strings or numbers"),
        ({"na_values": [True]}, OptionError, "na_values must be strings or numbers"),
        ({"na_values": 1j}, OptionError, "na_values must be None, a number or a string, a list"),
        ({"keep_default_na": "no"}, OptionError, "keep_default_na must be True or False, got 'no'"),
        ({"na_values": {"q": 1}}, DataError, "na_values names 'q', which is not a column"),
    ],
)
def test_wrong_marks(how: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        GaussianClassifier(columns=Columns(**how)).fit([[1.0], [2.0]], [0, 1])


def test_every_mark_is_one_of_pandas_or_was_requested() -> None:
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(STR_NA_VALUES) - {""} <= DEFAULT_NA | {"?", "."}
    assert DEFAULT_NA - set(STR_NA_VALUES) == {"?", "."}
