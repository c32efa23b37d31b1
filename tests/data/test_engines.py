"""Tables of an engine are summed inside it, and give what the same rows give in memory."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data import engines
from gaussbayes.data.reduction import open_rows
from gaussbayes.data.roles import Request
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.model.options import internal_options
from tests.data.tables import LAYOUTS, learn, read
from tests.oracles import exact_scatter

Columns = dict[str, Any]
Engine = Callable[[Columns], Any]


def in_duckdb(columns: Columns) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns))


ENGINES: dict[str, Engine] = {
    "duckdb": in_duckdb,
    "polars": pl.LazyFrame,
    "pandas": lambda columns: nw.from_native(pd.DataFrame(columns)).lazy(),
    "pyarrow": lambda columns: nw.from_native(pa.table(columns)).lazy(),
}
each_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)

LABELS = {
    "strings": np.array(["oak", "ash", "elm"], dtype=object),
    "integers": np.array([7, -2, 30]),
    "booleans": np.array([True, False]),
}


def some_rows(names: LabelArray, n: int = 600, d: int = 4) -> tuple[FloatArray, LabelArray]:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, len(names), n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * codes[:, None]
    return X, names[codes]


def as_columns(X: FloatArray, y: LabelArray, **others: Any) -> Columns:
    return {f"f{j}": X[:, j] for j in range(X.shape[1])} | {"kind": y} | others


# Agreement with the estimator in memory


@each_engine
@pytest.mark.parametrize("layout", LAYOUTS)
def test_counts_are_exact_and_the_scatter_has_its_layout(engine: Engine, layout: str) -> None:
    X, y = some_rows(LABELS["strings"])
    found = learn(engine(as_columns(X, y)), "kind", layout=layout)
    moments = found.moments
    assert found.n_rows == 600
    assert found.features == ("f0", "f1", "f2", "f3")
    assert moments.weight.tolist() == [np.sum(y == name) for name in ("ash", "elm", "oak")]
    # The scatter of each class is kept for a shared covariance, too.
    kept = "full" if layout == "pooled" else layout
    assert moments.layout == kept
    in_memory = summarise(X, np.unique(y, return_inverse=True)[1].astype(np.int32), None, 3, kept)
    np.testing.assert_allclose(moments.scatter, in_memory.scatter, rtol=1e-12, atol=1e-11)
    if kept == "full":
        assert (moments.scatter == moments.scatter.transpose(0, 2, 1)).all()


@each_engine
@pytest.mark.parametrize("as_label", [int, str])
def test_many_classes(engine: Engine, as_label: type) -> None:
    X, y = some_rows(np.array([as_label(i) for i in range(40)], dtype=object), n=2000, d=2)
    found = learn(engine(as_columns(X, y.astype(as_label))), "kind")
    classes, codes = np.unique(y.astype(as_label), return_inverse=True)
    expected = summarise(X, codes.astype(np.int32), None, 40)
    assert found.classes.tolist() == classes.tolist()
    np.testing.assert_allclose(found.moments.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(found.moments.scatter, expected.scatter, rtol=1e-11, atol=1e-11)


def _halves(n: int) -> tuple[slice, slice]:
    return slice(0, n // 2), slice(n // 2, n)


def test_numbers_of_every_kind() -> None:
    table = duckdb.connect().sql(
        "SELECT i::TINYINT AS a, (i * 0.25)::DECIMAL(9, 2) AS b, i::HUGEINT AS c, i > 3 AS d, "
        "i::FLOAT AS e, (i % 2)::DECIMAL(4, 0) AS kind FROM range(8) t(i)"
    )
    found = learn(table, "kind", layout="diagonal")
    i = np.arange(8.0)
    X = np.stack([i, 0.25 * i, i, i > 3, i], axis=1)
    assert found.classes.tolist() == [0, 1]
    np.testing.assert_array_equal(found.moments.mean, [X[::2].mean(0), X[1::2].mean(0)])
    np.testing.assert_array_equal(found.moments.scatter, [4 * X[::2].var(0), 4 * X[1::2].var(0)])


def test_categories_are_labels() -> None:
    columns = {"x": [1.0, 2.0, 4.0], "kind": pl.Series(["b", "a", "b"], dtype=pl.Categorical)}
    for lazy in (
        pl.LazyFrame(columns),
        pl.LazyFrame(columns, schema_overrides={"kind": pl.Enum(["z", "b", "a"])}),
        nw.from_native(pd.DataFrame(columns | {"kind": pd.Categorical(["b", "a", "b"])})).lazy(),
    ):
        found = learn(lazy, "kind")
        assert found.classes.tolist() == ["a", "b"]
        assert found.moments.mean.tolist() == [[2.0], [2.5]]


def test_names_that_the_queries_use_themselves() -> None:
    X, y = some_rows(LABELS["strings"], d=3)
    columns = {"label": X[:, 0], "n": X[:, 1], "x0": X[:, 2], "s0": y, "weight": np.ones(len(X))}
    found = learn(pl.LazyFrame(columns), "s0", weights="weight")
    assert found.features == ("label", "n", "x0")
    expected = np.stack([X[y == name].mean(0) for name in ("ash", "elm", "oak")])
    np.testing.assert_allclose(found.moments.mean, expected, rtol=1e-12, atol=1e-13)


@each_engine
def test_a_class_that_weighs_nothing_is_left_out(engine: Engine) -> None:
    table = engine({"x": [1.0, 2.0, 9.0], "kind": ["a", "b", "c"], "w": [1.0, 2.0, 0.0]})
    found = learn(table, "kind", weights="w")
    assert found.classes.tolist() == ["a", "b"]
    assert found.n_rows == 3


# Accuracy


@pytest.mark.parametrize("engine", [in_duckdb, pl.LazyFrame], ids=["duckdb", "polars"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("apart", [0.0, 1e8], ids=["together", "apart"])
@pytest.mark.parametrize(
    ("offset", "deviation"), [(0.0, 1.0), (1e8, 1.0), (1e8, 1e-3), (1e12, 1.0)]
)
def test_rows_far_from_zero_lose_no_digit(
    engine: Engine, weighted: bool, apart: float, offset: float, deviation: float
) -> None:
    """Offsets of 1e8 to 1e12 standard deviations, and classes as far from each other."""
    rng = np.random.default_rng(11)
    codes = rng.integers(0, 3, 6000)
    X = offset + apart * codes[:, None] + deviation * rng.normal(size=(6000, 2))
    w = rng.integers(0, 4, 6000)  # whole numbers: the same as repeating rows
    table = engine(as_columns(X, codes, w=w))
    found = learn(table, "kind", features=["f0", "f1"], weights="w" if weighted else None)
    moments = found.moments
    for c in range(3):
        own = codes == c
        mean, scatter = exact_scatter(np.repeat(X[own], w[own] if weighted else 1, axis=0))
        for i in range(2):
            held = Fraction(moments.anchor[c, i]) + Fraction(moments.offset[c, i])
            assert abs(float(held - mean[i])) <= 1e-13 * deviation
            for j in range(2):
                scale = float(scatter[i][i] * scatter[j][j]) ** 0.5
                error = float(Fraction(moments.scatter[c, i, j]) - scatter[i][j])
                assert abs(error) <= 1e-13 * scale


# The work is done where the rows are


def test_one_row_for_each_class_leaves_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    heights = []

    def watched(query: Any) -> Any:
        assert isinstance(query, nw.LazyFrame)
        result = collect(query)
        heights.append(result.shape[0])
        return result

    collect = engines.collected
    monkeypatch.setattr(engines, "collected", watched)
    X, y = some_rows(LABELS["strings"])
    for engine in ENGINES.values():
        learn(engine(as_columns(X, y)), "kind")
    assert heights == [3, 3] * len(ENGINES)


def test_polars_reads_only_the_columns_that_it_needs(tmp_path: Path) -> None:
    X, y = some_rows(LABELS["strings"])
    path = tmp_path / "rows.parquet"
    pl.DataFrame(as_columns(X, y, note=["long"] * len(X))).write_parquet(path)
    rows = open_rows(pl.scan_parquet(path), Request("kind", features=["f3", "f1"]))
    assert rows.features == ("f3", "f1")
    assert "PROJECT 3/6 COLUMNS" in rows.table.frame.to_native().explain()


# Rows that are read


@each_engine
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_rows_that_are_read_say_what_the_engine_sums(engine: Engine, weighted: bool) -> None:
    X, y = some_rows(LABELS["strings"])
    X[::7, 1] = np.nan
    columns = as_columns(X, y, w=np.random.default_rng(6).uniform(0.0, 3.0, len(X)))
    columns["wind"] = np.array(["low", "high"])[(X[:, 0] > 1).astype(int)]
    columns["f1"] = [None if np.isnan(value) else value for value in X[:, 1]]
    request = {"weights": "w" if weighted else None, "categorical_features": ["wind"]}
    request["features"] = [f"f{j}" for j in range(4)] + ["wind"]
    summed = learn(engine(columns), "kind", **request)
    rows = open_rows(engine(columns), Request("kind", **request))
    found = read(rows, internal_options(), push_down=False)
    assert (found.n_rows, found.n_incomplete) == (summed.n_rows, summed.n_incomplete)
    np.testing.assert_allclose(found.moments.scatter, summed.moments.scatter, rtol=1e-11, atol=1e-9)
    assert found.cells is not None
    assert summed.cells is not None
    np.testing.assert_allclose(found.cells.dense().mean, summed.cells.dense().mean, rtol=1e-11)
    assert found.counts.categories == summed.counts.categories
    np.testing.assert_allclose(found.counts.count, summed.counts.count, rtol=1e-13)


@each_engine
@pytest.mark.parametrize("mark", [None, "?"])
def test_rows_without_label_are_read_apart(engine: Engine, mark: str | None) -> None:
    X, y = some_rows(LABELS["strings"])
    labels = [mark if number % 3 == 0 else label for number, label in enumerate(y)]
    source = engine({"a": X[:, 0], "b": X[:, 1], "kind": labels})
    rows = open_rows(source, Request("kind", mark=mark))
    assert rows.table.n_unlabelled == 200
    assert rows.table.n_rows.sum() == 400
    apart = rows.without_label.reduce(lambda block, _: block.rows.matrix.tolist())
    np.testing.assert_array_equal(apart.total, X[::3, :2])
    assert apart.n_unlabelled == apart.n_rows
    found = read(rows, internal_options(), push_down=False)
    summed = learn(source, "kind", mark=mark)
    assert (summed.n_rows, summed.n_unlabelled) == (600, 200) == (found.n_rows, found.n_unlabelled)
    assert summed.learnt.unlabelled.rows.rows.matrix.shape == (200, 2)
    np.testing.assert_allclose(found.moments.scatter, summed.moments.scatter, rtol=1e-11)
    assert summed.classes.tolist() == ["ash", "elm", "oak"]


def test_bad_rows_of_an_engine() -> None:
    table = pl.LazyFrame({"a": [1.0, np.inf, 3.0], "kind": ["x", "y", "y"]})
    found = learn(table, "kind", bad_rows="skip")
    assert (found.n_rows, found.bad_rows.count, found.bad_rows.first[0].row) == (2, 1, 2)
    with pytest.raises(DataError, match="the table, row 2, column 'a': 'inf' is not finite"):
        read(open_rows(table, Request("kind")), internal_options(), push_down=False)


# Bad input


@each_engine
@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinity_is_counted(engine: Engine, value: float) -> None:
    table = engine(
        {
            "a": [1.0, 2.0, 3.0, 4.0],
            "b": [1.0, value, 3.0, value],
            "c": [value, 2.0, 3.0, 4.0],
            "kind": ["x", "x", "y", "y"],
        }
    )
    named = r"column 'b' \(2 rows\), 'c' \(1 row\); leave out"
    with pytest.raises(DataError, match=f"infinity in {named}"):
        learn(table, "kind")


@each_engine
def test_infinity_is_counted_among_values_that_are_missing(engine: Engine) -> None:
    table = engine({"a": [1.0, np.nan, 3.0, np.inf], "b": [1.0, None, 3.0, 4.0], "kind": [0] * 4})
    with pytest.raises(DataError, match=r"infinity in column 'a' \(1 row\); leave out"):
        learn(table, "kind")


@each_engine
@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -1.0])
def test_weights_that_cannot_be(engine: Engine, value: float | None) -> None:
    table = engine({"a": [1.0, 2.0, 3.0], "kind": ["x", "x", "y"], "w": [1.0, value, 1.0]})
    with pytest.raises(DataError, match="in column 'w' they are not in 1 row"):
        learn(table, "kind", weights="w")


@each_engine
def test_weights_that_are_all_zero(engine: Engine) -> None:
    table = engine({"a": [1.0, 2.0], "kind": ["x", "y"], "w": [0.0, 0.0]})
    with pytest.raises(DataError, match="in column 'w' they sum to 0"):
        learn(table, "kind", weights="w")


def test_labels_that_are_not_classes() -> None:
    numbers = {"a": [1.0, 2.0, 3.0], "kind": [0.5, 1.5, 0.5]}
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        learn(pl.LazyFrame(numbers), "kind")
    missing = pl.LazyFrame(numbers | {"kind": [1.0, float("nan"), 2.0]})
    found = learn(missing, "kind")
    assert (found.n_unlabelled, found.classes.tolist()) == (1, [1.0, 2.0])
    keys = duckdb.connect().sql("SELECT i * 0.5 AS a, i AS kind FROM range(5000) t(i)")
    with pytest.raises(DataError, match="more than 2000 different values, such as .* is it the"):
        learn(keys, "kind")
    with pytest.raises(DataError, match="column 'kind' holds Date values.*cast it"):
        learn(duckdb.connect().sql("SELECT 1.0 AS a, DATE '2024-01-01' AS kind"), "kind")


@each_engine
def test_text_is_not_a_feature(engine: Engine) -> None:
    table = engine({"a": [1.0], "town": ["Bari"], "b": ["2"], "kind": ["x"]})
    with pytest.raises(DataError, match=r"not numbers: column 'town' \(String\), 'b' \(String\)"):
        learn(table, "kind")
    assert learn(table, "kind", features=["a"]).features == ("a",)


@each_engine
def test_no_rows(engine: Engine) -> None:
    table = engine({"a": np.empty(0), "kind": np.empty(0)})
    with pytest.raises(DataError, match="the table has no rows"):
        learn(table, "kind")


@pytest.mark.parametrize("engine", [in_duckdb, pl.LazyFrame], ids=["duckdb", "polars"])
@pytest.mark.parametrize("value", [1e200, 1.6e308])
def test_sums_that_overflow(engine: Engine, value: float) -> None:
    table = engine({"a": [value, value / 2, -value], "kind": ["x", "x", "y"]})
    with pytest.raises(DataError, match="are too large: their sums of squares overflow"):
        learn(table, "kind")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "sort"}, r"no column 'sort'; the columns are 'a', 'b', 'kind'"),
        ({"features": ["a", "c", "d"]}, "no column 'c', 'd'"),
        ({"features": ["a", "a"]}, "features has more than one column called 'a'"),
        ({"features": ["a", "kind"]}, "'kind' is the target and cannot be a feature too"),
        ({"features": ["a"], "weights": "a"}, "'a' is the weights and cannot be a feature"),
        ({"features": "a"}, "features must be a list of columns"),
        ({"features": []}, "no column to learn from"),
        ({"weights": "kind"}, "both the target and the weights"),
        ({"weights": "w"}, "no column 'w'"),
    ],
)
def test_columns_that_are_not_there(arguments: dict[str, Any], message: str) -> None:
    lazy = pl.LazyFrame({"a": [1.0], "b": [2.0], "kind": ["x"]})
    with pytest.raises(DataError, match=message):
        learn(lazy, **{"target": "kind"} | arguments)


@each_engine
def test_columns_are_decided_on_by_the_rows_of_files(engine: Engine, tmp_path: Path) -> None:
    """From the whole table: what is constant in the first half need not be so in the second."""
    n = 120_000
    late = np.arange(n) >= n // 2
    columns: Columns = {
        "home": np.where(late, "Oslo", "Rome"),
        "dose": np.where(late, np.arange(n) % 5.0, 1.0),
        "x": np.arange(n) % 7,
        "kind": np.where(late ^ (np.arange(n) % 2 > 0), "a", "b"),
    }
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    request = Request("kind", "auto", None, "auto")
    of_file, of_engine = (
        open_rows(source, request).roles.decided
        for source in (tmp_path / "rows.parquet", engine(columns))
    )
    assert of_engine == of_file
    assert of_engine.sentence == "used 3 columns: 2 numbers, 1 category"


def test_what_takes_too_many_sums_is_read() -> None:
    X, y = some_rows(LABELS["strings"], n=200, d=51)
    table = in_duckdb(as_columns(X, y))
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    for d, layout in ((51, "full"), (51, "diagonal"), (50, "full")):
        names = [f"f{j}" for j in range(d)]
        found = learn(table, "kind", features=names, layout=layout).moments
        expected = summarise(X[:, :d], codes, None, 3, layout)
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-11, atol=1e-10)


def test_a_table_that_changes_meanwhile() -> None:
    # A random share of the rows is another one in each query.
    table = duckdb.connect().sql(
        "SELECT i % 3 AS kind, i AS a FROM range(100000) t(i) WHERE random() < 0.5"
    )
    with pytest.raises(DataError, match="the table changed between two queries"):
        learn(table, "kind")


def test_decimals_keep_their_value() -> None:
    lazy = pl.LazyFrame({"a": [Decimal("0.1"), Decimal("0.3")], "kind": ["x", "x"]})
    assert learn(lazy, "kind").moments.mean.tolist() == [[0.2]]
