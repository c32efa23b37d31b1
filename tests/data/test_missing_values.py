"""Missing values: every source sums each class and pattern apart, in one pass."""

from collections.abc import Callable
from decimal import Decimal
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

from gaussbayes.base.errors import DataError
from gaussbayes.base.missing_marks import ORDINARY
from gaussbayes.data.readers import text
from gaussbayes.families.gaussian import cells, pushdown
from tests.data.tables import (
    FEATURES,
    FORMATS,
    TARGET,
    Found,
    bits,
    learn,
    learn_on_cluster,
    make_table,
)


def holes(n_rows: int = 500, share: float = 0.2) -> pa.Table:
    """Rows with nulls among their features, a few without any feature, and weights."""
    table, generator = make_table(n_rows), np.random.default_rng(8)
    gone = generator.random((n_rows, 3)) < share
    for column, name in enumerate(FEATURES):
        values = table[name].to_pylist()
        own = [None if lacks else v for v, lacks in zip(values, gone[:, column], strict=True)]
        table = table.set_column(column, name, pa.array(own, table[name].type))
    return table.append_column("w", pa.array(generator.integers(0, 4, n_rows) / 2))


def as_matrix(table: pa.Table) -> np.ndarray:
    """The features (n, 3), NaN where one is missing."""
    return np.column_stack([table[name].to_pandas().to_numpy(float) for name in FEATURES])


def brute_force(table: pa.Table, weights: str | None = None) -> dict[tuple[str, str], Any]:
    """Weight, mean and scatter of each class and pattern, row by row."""
    X, y = as_matrix(table), table[TARGET].to_pylist()
    w = np.ones(len(y)) if weights is None else table[weights].to_numpy()
    keys = [
        (kind, "".join("0" if np.isnan(v) else "1" for v in row))
        for kind, row in zip(y, X, strict=True)
    ]
    found = {}
    for key in sorted(set(keys)):
        own = [i for i, other in enumerate(keys) if other == key and w[i] > 0]
        there = [j for j, letter in enumerate(key[1]) if letter == "1"]
        if not own:
            continue
        rows, weight = X[np.ix_(own, there)], w[own]
        mean = weight @ rows / weight.sum()
        scatter = (rows - mean).T @ ((rows - mean) * weight[:, None])
        found[key] = weight.sum(), there, mean, scatter
    return found


def assert_cells(found: Found, table: pa.Table, weights: str | None = None) -> None:
    """What was learnt is what the rows say, cell by cell."""
    expected = brute_force(table, weights)
    X = as_matrix(table)
    assert found.n_rows == table.num_rows
    assert found.n_incomplete == np.isnan(X).any(axis=1).sum()
    cells = found.cells
    assert cells is not None
    assert np.unique(cells.observed, axis=0).shape[0] == len(
        {pattern for _, pattern in expected} - {"111"}
    )
    names = [
        (found.classes[code], "".join("1" if there else "0" for there in observed))
        for code, observed in zip(cells.codes, cells.observed, strict=True)
    ]
    assert names == [key for key in expected if key[1] != "111"]
    parts = [(name, cells.dense(), number) for number, name in enumerate(names)]
    parts += [((kind, "111"), found.moments, c) for c, kind in enumerate(found.classes)]
    for name, moments, number in parts:
        weight, there, mean, scatter = expected[name]
        own = np.zeros(3)
        own[there] = mean
        full = np.zeros((3, 3))
        full[np.ix_(there, there)] = scatter
        np.testing.assert_allclose(moments.weight[number], weight, rtol=1e-13)
        np.testing.assert_allclose(moments.mean[number], own, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(moments.scatter[number], full, rtol=1e-9, atol=1e-6)


def same(a: Found, b: Found) -> bool:
    """Whether two sources gave the same bits."""
    return bits(a) == bits(b) and (a.n_rows, a.n_incomplete) == (b.n_rows, b.n_incomplete)


# Files


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_gives_the_cells_of_the_rows(
    ending: str, weights: str | None, tmp_path: Path
) -> None:
    table = holes()
    FORMATS[ending](table, tmp_path / f"rows{ending}")
    found = learn(tmp_path / f"rows{ending}", TARGET, features=FEATURES, weights=weights)
    assert found.bad_rows.count == 0
    assert_cells(found, table, weights)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_the_bits_do_not_depend_on_threads_or_workers(ending: str, tmp_path: Path) -> None:
    table, path = holes(), tmp_path / f"rows{ending}"
    FORMATS[ending](table, path)
    found = [learn(path, TARGET, features=FEATURES, n_jobs=n_jobs) for n_jobs in (1, 2, 4)]
    assert_cells(found[0], table)
    with dask.config.set(scheduler="threads"):
        found.append(learn_on_cluster(path, TARGET, features=FEATURES))
    assert all(same(found[0], other) for other in found[1:])


@pytest.mark.parametrize("null", [text for text in sorted(ORDINARY.strings) if "#" not in text])
def test_ways_to_write_that_a_number_is_missing(null: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"a,b,y\n1,2,u\n{null},5,v\n4,4,u\n")
    found = learn(path, "y")
    assert (found.n_rows, found.n_incomplete) == (3, 1)
    cells = found.cells
    assert cells is not None
    assert cells.observed.tolist() == [[False, True]]
    assert cells.dense().mean.tolist() == [[0.0, 5.0]]
    assert found.learnt.weight.tolist() == [2.0, 1.0]


def test_numbers_of_every_kind_may_be_missing(tmp_path: Path) -> None:
    columns = {
        "half": pa.array([np.float16(1.5), None, np.float16(2)], pa.float16()),
        "float": pa.array([1.5, None, 2], pa.float32()),
        "whole": pa.array([1, None, 2], pa.int8()),
        "flag": pa.array([True, None, False]),
        "decimal": pa.array([Decimal("0.25"), None, Decimal("0.50")]),
        "nan": pa.array([1.0, float("nan"), 2.0]),
    }
    parquet.write_table(pa.table(columns | {"y": ["u", "u", "u"]}), tmp_path / "a.parquet")
    for some in (list(columns), ["float"], ["nan"], ["flag"]):
        found = learn(tmp_path / "a.parquet", "y", features=some)
        cells = found.cells
        assert cells is not None
        assert found.n_incomplete == 1
        assert cells.observed.tolist() == [[False] * len(some)]
        assert found.moments.weight.tolist() == [2.0]
    assert learn(tmp_path / "a.parquet", "y").moments.mean.tolist() == [
        [1.75, 1.75, 1.5, 0.5, 0.375, 1.5]
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_a_column_without_any_value(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": [1.0, 2.0, 3.0], "b": pa.nulls(3), "y": ["u", "v", "u"]})
    FORMATS["." + name.partition(".")[2]](table, tmp_path / name)
    found = learn(tmp_path / name, "y")
    assert (found.n_incomplete, found.learnt.weight.tolist()) == (3, [2.0, 1.0])
    assert found.moments.weight.tolist() == [0.0, 0.0]


def test_numbers_may_begin_after_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    lines = [f"{n},,{'uv'[n % 2]}" for n in range(100)] + ["1,2.5,u", "2,3,v"]
    (tmp_path / "a.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    found = learn(tmp_path / "a.csv", "y")
    assert (found.n_rows, found.n_incomplete) == (102, 100)
    assert found.moments.mean.tolist() == [[1.0, 2.5], [2.0, 3.0]]


def test_text_after_many_missing_values_is_text(tmp_path: Path) -> None:
    lines = [f"{n},,{'uv'[n % 2]}" for n in range(2000)] + ["1,joe,u", "2,jim,v"]
    (tmp_path / "a.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataError, match="not numbers: column 'b' .string, for example 'joe'"):
        learn(tmp_path / "a.csv", "y")


def test_too_many_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CELL_BYTES", 1000)
    monkeypatch.setattr(pushdown, "MOST_CELL_BYTES", 1000)
    table = holes()
    parquet.write_table(table, tmp_path / "rows.parquet")
    for source in (tmp_path / "rows.parquet", pl.LazyFrame(table)):
        with pytest.raises(DataError, match="rows have . different patterns of missing values"):
            learn(source, TARGET, features=FEATURES)


# Dask frames


@pytest.mark.parametrize("weights", [None, "w"])
def test_frames_on_a_cluster(weights: str | None) -> None:
    table = holes()
    frame = dd.from_pandas(table.to_pandas(), npartitions=5)
    with dask.config.set(scheduler="threads"):
        found = learn(frame, TARGET, features=FEATURES, weights=weights)
    assert_cells(found, table, weights)
    with dask.config.set(scheduler="synchronous"):
        assert same(found, learn(frame, TARGET, features=FEATURES, weights=weights))


# Engines

ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
    "polars": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pandas": lambda table: nw.from_native(table.to_pandas()).lazy(),
    "pyarrow": lambda table: nw.from_native(table).lazy(),
}
each_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


@each_engine
@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("as_nan", [False, True])
def test_tables_of_engines(
    engine: Callable[[pa.Table], Any], weights: str | None, as_nan: bool
) -> None:
    table = holes()
    given = table
    if as_nan:
        given = given.set_column(0, "height", pa.array(as_matrix(table)[:, 0], from_pandas=False))
        assert given["height"].null_count == 0
    found = learn(engine(given), TARGET, features=FEATURES, weights=weights)
    assert_cells(found, table, weights)


@pytest.mark.parametrize("engine", [ENGINES["duckdb"], ENGINES["polars"]], ids=["duckdb", "polars"])
def test_many_features_take_more_than_one_number(engine: Callable[[pa.Table], Any]) -> None:
    generator = np.random.default_rng(2)
    X = np.where(generator.random((300, 130)) < 0.004, np.nan, generator.normal(size=(300, 130)))
    y = np.array(["u", "v"])[generator.integers(0, 2, 300)]
    columns = {f"f{j}": pa.array(column, from_pandas=True) for j, column in enumerate(X.T)}
    found = learn(engine(pa.table(columns | {"y": y})), "y", layout="diagonal")
    frame = pd.DataFrame({f"f{j}": column for j, column in enumerate(X.T)} | {"y": y})
    there = learn(dd.from_pandas(frame, npartitions=1), "y", layout="diagonal")
    mine, theirs = found.cells, there.cells
    assert mine is not None
    assert theirs is not None
    assert (mine.codes.tolist(), mine.observed.tolist()) == (
        theirs.codes.tolist(),
        theirs.observed.tolist(),
    )
    np.testing.assert_allclose(mine.dense().mean, theirs.dense().mean, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("engine", [ENGINES["duckdb"], ENGINES["polars"]], ids=["duckdb", "polars"])
def test_rows_far_from_zero_lose_no_digit(engine: Callable[[pa.Table], Any]) -> None:
    generator = np.random.default_rng(4)
    X = 1e9 + generator.integers(-8, 8, (400, 2)).astype(float)  # sums of such are exact
    X[generator.random((400, 2)) < 0.2] = np.nan
    table = pa.table(
        {"a": X[:, 0], "b": X[:, 1], "w": generator.integers(1, 3, 400), "y": [0] * 400}
    )
    found = learn(engine(table), "y", features=["a", "b"], weights="w")
    cells = found.cells
    assert cells is not None
    for number, there in enumerate(cells.observed):
        own = (np.isnan(X) != there).all(axis=1)
        rows, weight = X[own][:, there] - 1e9, table["w"].to_numpy()[own]
        assert cells.weight[number] == weight.sum()
        if not there.any():
            continue
        mean = weight @ rows / weight.sum()
        assert abs(cells.anchor[number] - 1e9 + cells.offset[number])[there] == (
            pytest.approx(np.abs(mean), abs=1e-12)
        )
        scatter = weight @ np.square(rows - mean)
        assert cells.dense().scatter[number][there][:, there].item() == pytest.approx(scatter[0])
