"""Tables of an engine give what the same rows give in memory."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes import DataError, read
from tests.data.tables import assert_same_model, fitted, small

Table = dict[str, Any]
Engine = Callable[[Table], Any]


def in_duckdb(columns: Table) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns))


ENGINES: dict[str, Engine] = {
    "duckdb": in_duckdb,
    "polars": pl.LazyFrame,
    "pandas": lambda columns: nw.from_native(pd.DataFrame(columns)).lazy(),
    "pyarrow": lambda columns: nw.from_native(pa.table(columns)).lazy(),
}
each_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
KINDS = np.array(["oak", "ash", "elm"], dtype=object)


def some_rows(names: Any = KINDS, n: int = 600, d: int = 4) -> Table:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, len(names), n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * codes[:, None]
    return {f"f{j}": X[:, j] for j in range(d)} | {"kind": names[codes]}


# Agreement with the estimator in memory.


def test_numbers_of_every_kind() -> None:
    table = duckdb.connect().sql(
        "SELECT i::TINYINT AS a, (i * i * 0.25)::DECIMAL(9, 2) AS b, (i * 7 % 5)::HUGEINT AS c, "
        "(i * 3 % 7)::FLOAT AS e, (i % 2)::DECIMAL(4, 0) AS kind FROM range(8) t(i)"
    )
    model = small(table, "kind", numeric=["a", "b", "c", "e"])
    i = np.arange(8.0)
    X = np.stack([i, 0.25 * i * i, i * 7 % 5, i * 3 % 7], axis=1)
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.means_, [X[::2].mean(0), X[1::2].mean(0)])
    lazy = pl.LazyFrame({"a": [Decimal("0.1"), Decimal("0.3"), Decimal(1)], "kind": list("xxy")})
    assert small(lazy, "kind").means_.tolist() == [[0.2], [1.0]]


def test_names_and_labels_that_the_queries_use_themselves() -> None:
    columns = some_rows(d=3)
    own = dict(zip(["label", "n", "x0", "s0"], columns.values(), strict=True))
    weighted = pl.LazyFrame(own | {"weight": np.ones(600)})
    model = fitted(weighted, "s0", "weight")
    assert model.feature_names_in_.tolist() == ["label", "n", "x0"]
    assert_same_model(model, fitted(pd.DataFrame(own), "s0"), pd.DataFrame(own).drop(columns="s0"))
    kinds = pl.Series(["b", "a", "b"])
    for kind in (kinds.cast(pl.Categorical), kinds.cast(pl.Enum(["z", "b", "a"]))):
        found = small(pl.LazyFrame({"x": [1.0, 2.0, 4.0], "kind": kind}), "kind")
        assert found.classes_.tolist() == ["a", "b"]
        assert found.means_.tolist() == [[2.0], [2.5]]


@each_engine
def test_columns_are_decided_on_by_the_rows_of_files(engine: Engine, tmp_path: Path) -> None:
    """From the whole table: what is constant in the first half need not be so in the second."""
    n = 120_000
    late = np.arange(n) >= n // 2
    columns: Table = {
        "home": np.where(late, "Oslo", "Rome"),
        "dose": np.where(late, np.arange(n) % 5.0, 1.0),
        "x": np.arange(n) % 7,
        "kind": np.where(late ^ (np.arange(n) % 2 > 0), "a", "b"),
    }
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    of_file, of_engine = (
        read(source).columns("kind") for source in (tmp_path / "rows.parquet", engine(columns))
    )
    assert of_engine == of_file
    assert of_engine.sentence == "used 3 columns: 2 numbers, 1 category"


# Bad input.


@each_engine
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"b": [1.0, np.nan, 3.0, np.inf]}, "row 4, column 'b': 'inf' is not finite"),
        ({"w": [1.0, None, 1.0, 1.0]}, "row 2, column 'w': the value is missing"),
        ({"w": [1.0, -1.0, 1.0, 1.0]}, "row 2, column 'w': '-1.0' is negative"),
        ({"w": [0.0, 0.0, 0.0, 0.0]}, "the weights in column 'w' are all zero"),
        ({"kind": [0.5, 1.5, 0.5, 1.0]}, "continuous"),
    ],
)
def test_values_that_cannot_be(engine: Engine, columns: Table, message: str) -> None:
    table: Table = {"a": [1.0, 2.0, 3.0, 5.0], "kind": ["x", "x", "y", "y"]} | columns
    features = [name for name in table if name not in {"kind", "w"}]
    with pytest.raises(DataError, match=message):
        small(engine(table), "kind", "w" if "w" in columns else None, features=features)


def test_tables_that_cannot_be() -> None:
    connection = duckdb.connect()
    keys = connection.sql("SELECT i * 0.5 AS a, 'k' || i AS kind FROM range(5000) t(i)")
    with pytest.raises(DataError, match="names rows, not classes"):
        fitted(keys)
    rows = "SELECT i % 7 AS a, '2024-01-' || (10 + i % 9) AS day, i % 2 AS kind FROM range(80) t(i)"
    for relation in (connection.sql(rows), connection.sql(rows).pl().lazy()):
        assert fitted(relation).columns_["day"].origin == "2024-01-10"
    dates = connection.sql("SELECT 1.0 AS a, DATE '2024-01-01' AS kind")
    with pytest.raises(DataError, match="the target 'kind' holds date32.* values"):
        fitted(dates)
    nothing = connection.sql("SELECT 1.0 AS a, 'x' AS kind WHERE false")
    with pytest.raises(DataError, match="there are no rows to fit to|no column is left"):
        fitted(nothing, features=["a"])
    for value in (1e200, 1.6e308):
        table = pl.LazyFrame({"a": [value, value / 2, -value], "kind": ["x", "x", "y"]})
        with pytest.raises(DataError, match="are too large: their sums of squares overflow"):
            small(table, "kind")


def test_bad_rows_of_an_engine_are_skipped() -> None:
    table = pl.LazyFrame({"a": [1.0, np.inf, 3.0, 2.0], "kind": ["x", "y", "y", "x"]})
    model = small(read(table, bad_rows="skip"), "kind", features=["a"])
    assert "1 row skipped: the table, row 2, column 'a'" in model.notices_[0].message
    assert model.means_.tolist() == [[1.5], [3.0]]
