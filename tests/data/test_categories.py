"""Categorical features: every source counts the same categories, whatever its pieces and format."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data import categories
from gaussbayes.families.categorical import pushdown
from tests.data.tables import (
    CATEGORICAL,
    FORMATS,
    TARGET,
    WEATHER,
    Found,
    bits,
    learn,
    learn_on_cluster,
    weather,
)


def by_hand(table: pa.Table, weights: str | None) -> dict[tuple[str, str, Any], float]:
    """The weight of each category, None for a missing one, of each feature in each class."""
    found: dict[tuple[str, str, Any], float] = {}
    for row in table.to_pylist():
        weight = 1.0 if weights is None else row[weights]
        for name in CATEGORICAL:
            key = row[TARGET], name, row[name]
            found[key] = found.get(key, 0.0) + weight
    return {key: weight for key, weight in found.items() if weight}


def told(found: Found) -> dict[tuple[str, str, Any], float]:
    """The same of what was learnt."""
    counts = found.counts
    assert counts is not None
    names = [found.features[j] for j in found.categorical]
    assert names == list(CATEGORICAL)
    every = {}
    for c, label in enumerate(found.classes.tolist()):
        for j, name in enumerate(names):
            every[label, name, None] = float(counts.missing[c, j])
            for category, weight in zip(counts.categories[j], counts.of(j)[c], strict=True):
                every[label, name, category] = float(weight)
    assert {type(own[0]) for own in counts.categories} == {str, int, bool}
    return {key: weight for key, weight in every.items() if weight}


def assert_counts(found: Found, table: pa.Table, weights: str | None = None) -> None:
    """Categories and numbers are those of the rows."""
    assert told(found) == by_hand(table, weights)  # halves are summed exactly
    assert found.n_rows == table.num_rows
    assert found.bad_rows.count == 0
    missing = table.select(WEATHER).to_pandas().isna()
    assert found.n_incomplete == missing.any(axis=1).sum()


def bits_equal(a: Found, b: Found) -> bool:
    """Whether two sources gave the same bits."""
    return bits(a) == bits(b)


def summed(source: Any, weights: str | None = None, **options: Any) -> Found:
    given = {"features": WEATHER, "weights": weights, "categorical_features": CATEGORICAL}
    return learn(source, TARGET, **(given | options))


# Files


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_has_the_same_categories(
    ending: str, weights: str | None, tmp_path: Path
) -> None:
    table = weather()
    FORMATS[ending](table, tmp_path / f"rows{ending}")
    assert_counts(summed(tmp_path / f"rows{ending}", weights), table, weights)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_the_bits_do_not_depend_on_threads_or_workers(ending: str, tmp_path: Path) -> None:
    table, path = weather(), tmp_path / f"rows{ending}"
    table = table.set_column(6, "w", pa.array(np.random.default_rng(1).random(table.num_rows)))
    FORMATS[ending](table, path)
    found = [summed(path, "w", n_jobs=n_jobs) for n_jobs in (1, 2, 4)]
    with dask.config.set(scheduler="threads"):
        on_workers = learn_on_cluster(
            path, TARGET, features=WEATHER, weights="w", categorical_features=CATEGORICAL
        )
    assert all(bits_equal(found[0], other) for other in (*found[1:], on_workers))


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather", ".arrows"])
def test_dictionaries_are_categories_by_their_type(ending: str, tmp_path: Path) -> None:
    table = weather()
    coded = table.set_column(0, "wind", table["wind"].dictionary_encode())
    FORMATS[ending](coded, tmp_path / f"rows{ending}")
    some = {"features": ["wind", "pressure", "warmth"]}
    found = learn(tmp_path / f"rows{ending}", TARGET, **some)
    named = learn(tmp_path / f"rows{ending}", TARGET, **some, categorical_features=["wind"])
    assert found.categorical == (0,)
    assert bits_equal(found, named)
    with pytest.raises(DataError, match="not numbers: column 'wind'"):
        learn(tmp_path / f"rows{ending}", TARGET, **some, categorical_features=None)


def test_a_string_is_no_category_unless_it_is_said(tmp_path: Path) -> None:
    for ending in (".csv", ".parquet"):
        FORMATS[ending](weather(), tmp_path / f"rows{ending}")
        with pytest.raises(DataError, match="not numbers: column 'wind'.*categorical_features"):
            learn(tmp_path / f"rows{ending}", TARGET)
        found = learn(tmp_path / f"rows{ending}", TARGET, categorical_features=["wind"])
        assert found.categorical == (0,)
        assert found.moments.n_features == 5  # rain, month and w are numbers


@pytest.mark.parametrize("chosen", [[0, 2, 4], [True, False, True, False, True]])
def test_numbers_and_booleans_are_of_the_features(chosen: list[Any], tmp_path: Path) -> None:
    FORMATS[".csv"](weather(), tmp_path / "a.csv")
    assert_counts(summed(tmp_path / "a.csv", categorical_features=chosen), weather())


@pytest.mark.parametrize(
    ("chosen", "error", "message"),
    [
        (["gusts"], DataError, "names 'gusts', but the columns are"),
        ([TARGET], DataError, "names 'kind', but the columns are"),
        ([9], DataError, "column 9, but the columns of X are 0 to 4"),
        ("wind", OptionError, r"one name is written \['wind'\]"),
    ],
)
def test_a_choice_that_cannot_be(
    chosen: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    FORMATS[".csv"](weather(), tmp_path / "a.csv")
    with pytest.raises(error, match=message):
        summed(tmp_path / "a.csv", categorical_features=chosen)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_fractions_are_no_categories(ending: str, tmp_path: Path) -> None:
    table = pa.table({"m": [1.0, 2.5, None, 2.0, np.inf], "y": list("uvuvu")})
    if ending == ".jsonl":
        table = table.slice(0, 4)
    path = tmp_path / f"a{ending}"
    FORMATS[ending](table, path)
    with pytest.raises(DataError, match=r"row 2, column 'm': '2.5' is not a category"):
        learn(path, "y", categorical_features=["m"])
    found = learn(path, "y", categorical_features=["m"], bad_rows="skip")
    assert found.counts is not None
    assert found.counts.categories == ((1, 2),)
    assert found.counts.missing.tolist() == [[1.0], [0.0]]
    assert found.bad_rows.count == (1 if ending == ".jsonl" else 2)


def test_dates_are_no_categories(tmp_path: Path) -> None:
    table = pa.table({"d": pa.array([1, 2], pa.date32()), "y": ["u", "v"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="column 'd' holds date32.* but categories are strings"):
        learn(tmp_path / "a.parquet", "y", categorical_features=["d"])
    with pytest.raises(DataError, match="column 'd' holds Date values, but categories are strings"):
        learn(pl.LazyFrame(table), "y", categorical_features=["d"])


def test_integers_may_be_written_as_floats_in_later_files(tmp_path: Path) -> None:
    """As pandas writes a column that has gaps."""
    (tmp_path / "a.csv").write_text("m,y\n1,u\n9007199254740993,v\n")
    (tmp_path / "b.csv").write_text("m,y\n1.0,u\n,v\n3.0,v\n")
    parquet.write_table(pa.table({"m": [1, 3], "y": ["u", "v"]}), tmp_path / "c.parquet")
    gaps = pa.table({"m": [3.0, None], "y": ["u", "v"]})
    parquet.write_table(gaps, tmp_path / "d.parquet")
    text = learn(str(tmp_path / "*.csv"), "y", categorical_features=["m"]).counts
    assert text is not None
    assert text.categories == ((1, 3, 9007199254740993),)
    assert text.count.tolist() == [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    held = learn(str(tmp_path / "*.parquet"), "y", categorical_features=["m"]).counts
    assert held is not None
    assert held.categories == ((1, 3),)
    assert held.missing.tolist() == [[0.0], [1.0]]


def test_dictionaries_differ_from_file_to_file(tmp_path: Path) -> None:
    rows = [f"v{n}" for n in range(300)]
    small, large = pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.string())
    parquet.write_table(
        pa.table({"c": pa.array(["v1", "v7", ""], small), "y": list("uvu")}), tmp_path / "a.parquet"
    )
    parquet.write_table(
        pa.table({"c": pa.array(rows, large), "y": ["u"] * 300}), tmp_path / "b.parquet"
    )
    counts = learn(tmp_path, "y").counts
    assert counts is not None
    assert counts.categories == (tuple(sorted(rows)),)
    assert counts.missing.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("text", ["na", "none", "-", "007", " x"])
def test_other_strings_are_categories(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"c,y\na,u\n{text},v\n,v\n")
    counts = learn(tmp_path / "a.csv", "y", categorical_features=["c"]).counts
    assert counts is not None
    assert set(counts.categories[0]) == {"a", text}
    assert counts.missing.tolist() == [[0.0], [1.0]]


# Too many categories


def many(n_rows: int = 3000) -> pa.Table:
    return pa.table({"id": np.arange(n_rows), "y": np.arange(n_rows) % 2})


def test_too_many_categories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "MOST_CATEGORIES", 2000)
    monkeypatch.setattr(pushdown, "MOST_CATEGORIES", 1000)
    for ending in (".parquet", ".csv"):
        FORMATS[ending](many(), tmp_path / f"a{ending}")
    frame = dd.from_pandas(many().to_pandas(), npartitions=3)
    for source in (
        tmp_path / "a.parquet",
        tmp_path / "a.csv",
        frame,
        pl.LazyFrame(many()),
    ):
        with pytest.raises(DataError, match="has too many categories, such as"):
            learn(source, "y", categorical_features=["id"])


# Dask frames


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("typed", [False, True])
def test_frames_on_a_cluster(weights: str | None, typed: bool) -> None:
    table = weather()
    frame = table.to_pandas().astype({"month": "Int64", "rain": "boolean"})
    if typed:
        frame = frame.astype(dict.fromkeys(CATEGORICAL, "category"))
    given = dd.from_pandas(frame, npartitions=5)
    options: dict[str, Any] = {"categorical_features": "from_dtype"} if typed else {}
    with dask.config.set(scheduler="threads"):
        found = summed(given, weights, **options)
    assert_counts(found, table, weights)
    with dask.config.set(scheduler="synchronous"):
        assert bits_equal(found, summed(given, weights, **options))


def test_a_partition_is_named() -> None:
    frame = pd.DataFrame({"m": [1.0, 2.0, 2.5, 3.0], "y": list("uvuv")})
    with pytest.raises(DataError, match=r"partition 1: 'm' holds 2.5 .float.: categories must"):
        learn(dd.from_pandas(frame, npartitions=2), "y", categorical_features=["m"])


# Engines

ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
    "polars": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pandas": lambda table: nw.from_native(
        table.to_pandas().astype({"month": "Int64", "rain": "boolean"})
    ).lazy(),
    "pyarrow": lambda table: nw.from_native(table).lazy(),
}
each_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


@each_engine
@pytest.mark.parametrize("weights", [None, "w"])
def test_tables_of_engines(engine: Callable[[pa.Table], Any], weights: str | None) -> None:
    table = weather()
    assert_counts(summed(engine(table), weights), table, weights)


def test_categorical_types_of_engines() -> None:
    table = weather()
    lazy = pl.from_arrow(table).lazy()  # type: ignore[union-attr]
    enum = pl.Enum(["ümlaut", "low", "mid", "strong, and more", "never"])
    for kind in (pl.Categorical(), enum):
        found = learn(
            lazy.with_columns(pl.col("wind").cast(kind)),
            TARGET,
            features=["wind", "pressure", "warmth"],
        )
        assert found.categorical == (0,)
        assert found.counts is not None
        assert found.counts.categories == (("low", "mid", "strong, and more", "ümlaut"),)


@pytest.mark.parametrize("ending", [".csv", ".parquet", "lazy", "dask"])
def test_categories_alone(ending: str, tmp_path: Path) -> None:
    """Without numbers it is discrete naive Bayes."""
    table = weather().select([*CATEGORICAL, TARGET])
    source: Any = tmp_path / f"a{ending}"
    if ending == "lazy":
        source = pl.LazyFrame(table)
    elif ending == "dask":
        frame = table.to_pandas().astype({"month": "Int64", "rain": "boolean"})
        source = dd.from_pandas(frame, npartitions=3)
    else:
        FORMATS[ending](table, source)
    found = learn(source, TARGET, categorical_features=CATEGORICAL)
    _, sizes = np.unique(table[TARGET].to_pylist(), return_counts=True)
    assert found.learnt.weight.tolist() == sizes.tolist()
    assert told(found) == by_hand(table, None)


def test_no_warning_for_what_is_known(tmp_path: Path) -> None:
    FORMATS[".csv"](weather(), tmp_path / "a.csv")
    with warnings.catch_warnings(action="error"):
        summed(tmp_path / "a.csv")
