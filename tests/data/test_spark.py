"""Spark gives the same bits as one machine, whoever dies."""

import sys
from collections.abc import Iterator
from datetime import date, timedelta
from functools import reduce
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes import AutoClassifier, Columns, DataError, GaussianClassifier, read
from gaussbayes.data import spark as module
from gaussbayes.data.columns import Request
from gaussbayes.data.sources import open_rows
from gaussbayes.model import statistics
from gaussbayes.model.fit import Observation
from gaussbayes.model.options import internal_options
from tests.data import java
from tests.data.mortal import MortalFold
from tests.data.tables import (
    CATEGORICAL,
    TARGET,
    WEATHER,
    as_pandas,
    assert_same_model,
    bits,
    bits_of,
    fitted,
    n_rows,
    small,
    weather,
)
from tests.export.engines import assert_equal_scores, numbers, sql_of
from tests.export.engines import mixed as scored_elsewhere

ROOT = Path(__file__).parents[2]
SIZES = (0, 150, 1, 0, 120, 130)
"""Rows of partitions: some have none, one has a single class."""
HOW: dict[str, Any] = {"features": WEATHER, "categorical": CATEGORICAL}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark with two tasks at a time, each of which may fail three times."""
    if not java.is_there() and not java.is_required():
        pytest.skip(f"no Java: {java.HOW}")
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": 2,
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.log.level": "OFF",
        # Programs that run for seconds are not worth being compiled well.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_PYTHON", sys.executable)
        patched.setenv("PYTHONPATH", str(ROOT))  # workers load what is defined here
        patched.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        with module._whatever_pandas():
            session = builder.master("local[2,4]").getOrCreate()
        yield session
        session.stop()
        gateway = SparkContext._gateway
        assert gateway is not None
        gateway.shutdown()
        gateway.proc.stdin.close()  # ends Java
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


def in_files(table: pa.Table, folder: Path, sizes: tuple[int, ...] = SIZES) -> list[Path]:
    """The rows of a table in files of so many rows."""
    starts = np.cumsum([0, *sizes])
    paths = [folder / f"part-{number}.parquet" for number in range(len(sizes))]
    for path, start, size in zip(paths, starts, sizes, strict=False):
        parquet.write_table(table.slice(start, size), path)
    return paths


def in_partitions(spark: Any, paths: list[Path]) -> Any:
    """A Spark DataFrame each partition of which is a file."""
    return reduce(lambda a, b: a.union(b), [spark.read.parquet(str(path)) for path in paths])


def _read(path: str) -> pd.DataFrame:
    return pd.read_parquet(path, dtype_backend="pyarrow")


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Numbers, categories, missing values, weights, and rows without label."""
    table = weather(sum(SIZES))
    kinds = table[TARGET].to_pylist()
    kinds[:20] = [None] * 20
    table = table.set_column(table.column_names.index(TARGET), TARGET, pa.array(kinds))
    return in_files(table, tmp_path_factory.mktemp("files"))


def test_models_are_those_of_one_machine(spark: Any, paths: list[Path]) -> None:
    frame = in_partitions(spark, paths)
    alone = fitted(paths, TARGET, "w", **HOW)
    in_dask = dd.from_map(_read, [str(path) for path in paths])
    for source in (frame, read(paths, client=spark), in_dask):
        assert bits(fitted(source, TARGET, "w", **HOW)) == bits(alone)
    table = as_pandas(parquet.read_table(paths[0].parent))
    whole = fitted(table, TARGET, "w", **HOW)
    assert_same_model(alone, whole, table[WEATHER])
    rows = frame.drop("w")
    assert alone.predict(rows).tolist() == alone.predict(table[WEATHER]).tolist()
    assert alone.score(rows, TARGET) == alone.score(table[WEATHER], table[TARGET])


def test_partitions_of_more_rows_than_a_batch(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n, d = 10_000, 127  # 8,192 rows of 128 columns are a batch
    columns = {f"x{j}": 1e6 + rng.normal(size=n) for j in range(d)}
    table = pa.table(columns | {"kind": rng.integers(0, 3, n)})
    files = in_files(table, tmp_path, (9000, 1000))
    models = [fitted(x, covariance="diagonal") for x in (files, in_partitions(spark, files))]
    assert bits(models[0]) == bits(models[1])


@pytest.mark.filterwarnings("ignore::gaussbayes.DroppedColumnsWarning")
def test_the_automatic_model(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 160
    kind = rng.integers(0, 2, n)
    days = [date(2024, 1, 1) + timedelta(days=int(each)) for each in rng.integers(0, 99, n)]
    table = pa.table(
        {
            "row": np.arange(n),
            "size": np.exp(rng.normal(size=n) + kind),
            "colour": np.array(["red", "blue"])[rng.integers(0, 2, n)],
            "day": pa.array(days),
            "when": pa.array(days).cast(pa.timestamp("us", tz="UTC")),
            "kind": np.array(["ash", "oak"])[kind],
        }
    )
    files = in_files(table, tmp_path, (0, 70, 50, 40))
    models = [AutoClassifier().fit(x, "kind") for x in (files, in_partitions(spark, files))]
    assert [each.name for each in models[1].columns_.used] == ["size", "colour", "day"]
    assert bits(models[0]) == bits(models[1])


def test_a_worker_that_dies(spark: Any, paths: list[Path], tmp_path: Path) -> None:
    request = Request(Columns(WEATHER, categorical=CATEGORICAL), TARGET)
    alone = open_rows(paths, request)
    schema = alone.reader.schema
    fold = Observation(internal_options(smoothing=1).settings(schema), schema)
    expected = alone.reduce(fold).total
    there = open_rows(in_partitions(spark, paths), request)
    found = there.reduce(MortalFold(fold, tmp_path, dies_at=3)).total
    assert len(list(tmp_path.iterdir())) > sum(size > 0 for size in SIZES)  # one was read again
    assert found.classes.tolist() == expected.classes.tolist()
    assert list(map(bits_of, found.parts)) == list(map(bits_of, expected.parts))


def test_unlabelled_rows_of_files_and_of_partitions(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    kind = rng.integers(0, 2, 300)
    labels = [None if number % 5 else "ab"[each] for number, each in enumerate(kind)]
    files = in_files(
        pa.table({"x": rng.normal(size=300) + 9 * kind, "kind": labels}), tmp_path, (0, 180, 120)
    )
    frame = in_partitions(spark, files)
    models = [fitted(source, features=["x"]) for source in (files, frame)]
    assert models[1].means_.tobytes() == models[0].means_.tobytes()
    assert models[1].covariances_.tobytes() == models[0].covariances_.tobytes()
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 800)
    monkeypatch.setattr(module, "NEIGHBOURS", 1)  # several records come to the driver
    sampled = fitted(frame, features=["x"])
    np.testing.assert_allclose(sampled.means_, models[0].means_, atol=0.5)
    with pytest.raises(DataError, match="they are not kept"):
        sampled.partial_fit(frame, "kind")


def test_values_and_columns_that_cannot_be(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions

    x = [1.0, 2.0, 4.0, 3.0, 5.0, 7.0]
    table = pa.table({"x": x, "n": [1, 5, 3, 4, 2, 8], "y": list("aabbab")})
    frame = in_partitions(spark, in_files(table, tmp_path, (2, 4)))
    infinite = frame.withColumn("x", functions.expr("if(n = 4, double('inf'), x)"))
    message = "partition 1, row 2, column 'x': 'inf' is not finite.*bad_rows='skip'"
    with pytest.raises(DataError, match=message):
        small(infinite, features=["x"])
    skipped = small(infinite, features=["x"], reading={"bad_rows": "skip"})
    assert "1 row skipped: partition 1, row 2" in skipped.notices_[0].message
    assert n_rows(skipped) == 5
    with pytest.raises(DataError, match="partition 0, row 1, column 'n': '-1' is negative"):
        small(frame.withColumn("n", -frame.n), "y", "n")
    with pytest.raises(DataError, match="no rows to fit to|no column is left"):
        small(frame.where("n > 9"), features=["x"])
    with pytest.raises(DataError, match="no column 'kind'"):
        small(frame, "kind")
    with pytest.raises(DataError, match="the target 'y' holds list|different"):
        small(frame.withColumn("y", functions.array("y")), features=["x"])
    odd = frame.withColumn("span", functions.expr("make_interval(1)"))
    with pytest.raises(DataError, match=r"'span' .* holds interval values.*drop\('span'\)"):
        small(odd, features=["x"])
    with pytest.raises(DataError, match="more than one column called 'x'"):
        small(frame.toDF("x", "x", "y"))


def test_names_that_mean_something_to_spark(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = ["a.b", "`q`", "x", "X", "größe; drop"]
    table = pa.table({name: rng.normal(size=40) for name in names} | {"select": ["u", "v"] * 20})
    (path,) = in_files(table, tmp_path, (40,))
    frame = spark.createDataFrame(table.rename_columns([f"c{place}" for place in range(6)]))
    frame = frame.coalesce(1).toDF(*table.column_names)
    model = fitted(frame, "select")
    assert bits(model) == bits(fitted(path, "select"))
    assert model.predict(frame).tolist() == model.predict(table.select(names)).tolist()


def test_without_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Session:
        __module__ = "pyspark.sql"

    monkeypatch.setitem(sys.modules, "pyspark", None)
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(ImportError, match=r"pip install 'gaussbayes\[spark\]'"):
        small(tmp_path / "t.csv", reading={"client": Session()})


def test_sql_of_models(spark: Any, tmp_path: Path) -> None:
    columns = Columns(categorical=["colour", "floor"])
    options: dict[str, Any] = {"families": {"visits": "poisson"}, "columns": columns}
    cases: list[Any] = [(numbers(2000, missing=0.1), {}), (scored_elsewhere(2000), options)]
    for number, ((table, y), how) in enumerate(cases):
        model = GaussianClassifier(smoothing=1, **how).fit(table, y)
        path = tmp_path / f"{number}.parquet"
        keyed = pa.Table.from_pandas(table.assign(id=np.arange(len(table))), preserve_index=False)
        parquet.write_table(keyed, path)
        spark.read.parquet(str(path)).createOrReplaceTempView("rows")
        scored = spark.sql(sql_of(model, tmp_path, dialect="spark", keep=["id"])).toArrow()
        assert_equal_scores(model, table, scored.to_pandas())
