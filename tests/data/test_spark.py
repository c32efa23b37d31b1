"""Spark gives the same bits as one machine, whoever dies; predictions stay lazy."""

import ast
import re
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from functools import reduce
from pathlib import Path
from runpy import run_path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.cli import gaussbayes
from gaussbayes.data import spark as module
from gaussbayes.data.reduction import open_rows
from gaussbayes.data.roles import Request
from gaussbayes.data.spark import predictions, spark_session
from gaussbayes.model import statistics
from gaussbayes.model.options import internal_options
from tests.data import java
from tests.data.mortal import MortalFold
from tests.data.tables import CATEGORICAL, TARGET, WEATHER, bits_of, observation, weather
from tests.export import cases
from tests.export.engines import assert_equal_scores, numbers
from tests.export.engines import mixed as scored_elsewhere

ROOT = Path(__file__).parents[2]
SIZES = (0, 150, 1, 0, 120, 130)
"""Rows of partitions: some have none, one has a single class."""


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


def in_dask(paths: list[Path]) -> Any:
    return dd.from_map(_read, [str(path) for path in paths])


def _read(path: str) -> pd.DataFrame:
    return pd.read_parquet(path, dtype_backend="pyarrow")


def mixed() -> pa.Table:
    """Numbers, categories, missing values, weights, and rows without label."""
    table = weather(sum(SIZES))
    kinds = table[TARGET].to_pylist()
    kinds[:20] = [None] * 20
    return table.set_column(table.column_names.index(TARGET), TARGET, pa.array(kinds))


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return in_files(mixed(), tmp_path_factory.mktemp("mixed"))


def written(model: GaussianClassifier, folder: Path) -> bytes:
    return model.save(folder / "model.json", unlabelled_rows=True).read_bytes()


# The same bits


def test_model_files_are_those_of_one_machine(
    spark: Any, paths: list[Path], tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"categorical_features": CATEGORICAL, "smoothing": 1}

    def fitted(source: Any, client: Any = None) -> bytes:
        model = GaussianClassifier(**settings)
        model.fit_source(source, TARGET, features=WEATHER, weights="w", client=client)
        return written(model, tmp_path)

    expected = fitted(paths)
    assert fitted(in_partitions(spark, paths)) == expected
    assert fitted(paths, client=spark) == expected
    assert fitted(in_dask(paths)) == expected
    frame = mixed().to_pandas()
    whole = GaussianClassifier(**settings).fit(frame[WEATHER], frame[TARGET], frame["w"])
    found = GaussianClassifier.load(tmp_path / "model.json")
    assert found.classes_.tolist() == ["ash", "beech", "oak"]
    np.testing.assert_allclose(found.means_, whole.means_, rtol=1e-6)


def test_partitions_of_more_rows_than_a_batch(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n, d = 10_000, 127  # 8,192 rows of 128 columns are a batch
    columns = {f"x{j}": 1e6 + rng.normal(size=n) for j in range(d)}
    table = pa.table(columns | {"kind": rng.integers(0, 3, n)})
    paths = in_files(table, tmp_path, (9000, 1000))
    models = [
        GaussianClassifier("diagonal").fit_source(source, "kind")
        for source in (paths, in_partitions(spark, paths), in_dask(paths))
    ]
    assert len({written(model, tmp_path) for model in models}) == 1


def test_everything_chosen_automatically(spark: Any, tmp_path: Path) -> None:
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
    paths = in_files(table, tmp_path, (0, 70, 50, 40))
    frame = in_partitions(spark, paths)
    automatic: dict[str, Any] = {"covariance": "auto", "shrinkage": "auto"}
    models = [
        GaussianClassifier(**automatic).fit_source(source, "kind", features="auto")
        for source in (paths, frame)
    ]
    assert models[1].selection_.choice == models[0].selection_.choice
    assert [each.name for each in models[1].columns_.used] == ["size", "colour", "day"]
    assert len({written(model, tmp_path) for model in models}) == 1


def test_a_worker_that_dies(spark: Any, paths: list[Path], tmp_path: Path) -> None:
    request = Request(TARGET, WEATHER, categorical_features=CATEGORICAL)
    alone = open_rows(paths, request)
    fold = observation(alone, internal_options(smoothing=1))
    expected = alone.reduce(fold).total
    there = open_rows(in_partitions(spark, paths), request)
    found = there.reduce(MortalFold(fold, tmp_path, dies_at=3)).total
    assert len(list(tmp_path.iterdir())) > sum(size > 0 for size in SIZES)  # one was read again
    assert found.classes.tolist() == expected.classes.tolist()
    assert list(map(bits_of, found.parts)) == list(map(bits_of, expected.parts))


def test_rows_without_label_are_read_once_an_iteration(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    kind = rng.integers(0, 2, 300)
    table = pa.table(
        {
            "x": rng.normal(size=300) + 9 * kind,
            "kind": [None if number % 5 else "ab"[each] for number, each in enumerate(kind)],
        }
    )
    files = in_files(table, tmp_path, (0, 100, 120, 80))
    kept = GaussianClassifier().fit_source(files, "kind")
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 100)
    monkeypatch.setattr(module, "NEIGHBOURS", 1)  # several records come to the driver, which trims
    frame = in_partitions(spark, files)
    models = [GaussianClassifier().fit_source(source, "kind") for source in (files, frame)]
    assert models[1].means_.tobytes() == models[0].means_.tobytes()
    assert models[1].covariances_.tobytes() == models[0].covariances_.tobytes()
    np.testing.assert_allclose(models[1].means_, kept.means_, rtol=1e-6)
    with pytest.raises(DataError, match="they are not kept"):
        models[1].partial_fit_source(frame)


# Bad input


def test_values_that_cannot_be(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions

    x = [1.0, 2.0, 4.0, 3.0, 5.0, 7.0]
    table = pa.table({"x": x, "n": [1, 5, 3, 4, 2, 8], "y": list("aabbab")})
    frame = in_partitions(spark, in_files(table, tmp_path, (2, 4)))
    infinite = frame.withColumn("x", functions.expr("if(n = 4, double('inf'), x)"))
    message = r"partition 1, row 2, column 'x': 'inf' is not finite.*bad_rows=\"skip\""
    with pytest.raises(DataError, match=message):
        GaussianClassifier().fit_source(infinite, "y")
    skipped = GaussianClassifier("diagonal").fit_source(infinite, "y", bad_rows="skip")
    assert skipped.bad_rows_.count == 1
    assert skipped.bad_rows_.first[0].file == "partition 1"
    assert skipped.moments_.weight.tolist() == [3.0, 2.0]
    with pytest.raises(DataError, match="partition 0, row 1, column 'n': '-1' is negative"):
        GaussianClassifier().fit_source(frame.withColumn("n", -frame.n), "y", weights="n")
    with pytest.raises(DataError, match="the Spark DataFrame: there are no rows to learn from"):
        GaussianClassifier().fit_source(frame.where("n > 9"), "y")


def test_columns_that_cannot_be(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions

    table = pa.table({"x": [1.0, 2.0, 4.0], "town": list("uvw"), "y": list("aab")})
    frame = in_partitions(spark, in_files(table, tmp_path, (3,)))
    with pytest.raises(DataError, match=r"not numbers: column 'town' \(string\).*categorical"):
        GaussianClassifier().fit_source(frame, "y")
    with pytest.raises(DataError, match="no column 'kind'; the columns are 'x', 'town', 'y'"):
        GaussianClassifier().fit_source(frame, "kind")
    lists = frame.withColumn("y", functions.array("y"))
    with pytest.raises(DataError, match="the target 'y' holds list"):
        GaussianClassifier().fit_source(lists, "y", features=["x"])
    odd = frame.withColumn("span", functions.expr("make_interval(1)"))
    with pytest.raises(DataError, match=r"'span' .* holds interval values.*drop\('span'\)"):
        GaussianClassifier().fit_source(odd, "y", features=["x"])


def test_names_that_mean_something_to_spark(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = ["a.b", "`q`", "x", "X", "größe; drop"]
    table = pa.table({name: rng.normal(size=40) for name in names} | {"select": ["u", "v"] * 20})
    (path,) = in_files(table, tmp_path, (40,))
    frame = spark.createDataFrame(table.rename_columns([f"c{place}" for place in range(6)]))
    frame = frame.coalesce(1).toDF(*table.column_names)
    model = GaussianClassifier().fit_source(frame, "select")
    assert written(model, tmp_path) == written(
        GaussianClassifier().fit_source(path, "select"), tmp_path
    )
    found = predictions(model, frame, keep=["X", "a.b"]).toArrow()
    assert found.column_names == ["X", "a.b", "prediction"]
    assert found["X"].to_pylist() == table["X"].to_pylist()
    assert found["prediction"].to_pylist() == model.predict(table.select(names)).tolist()
    with pytest.raises(DataError, match="more than one column called 'x'"):
        GaussianClassifier().fit_source(frame.toDF("x", "x", "b", "c", "d", "select"), "select")


def test_without_what_spark_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="openjdk-17-jre-headless"):
        spark_session()
    java_8 = tmp_path / "bin" / "java"
    java_8.parent.mkdir()
    java_8.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java_8.chmod(0o755)
    with pytest.raises(FileNotFoundError, match="java, which is 8: install Java 17 or newer"):
        spark_session()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    result = CliRunner().invoke(
        gaussbayes, ["fit", str(tmp_path / "t.csv"), "-y", "y", "--engine", "spark"]
    )
    assert result.exit_code == 1
    assert "pip install 'gaussbayes[spark]'" in result.stderr


# The command line


def test_fit_with_spark(spark: Any, paths: list[Path], tmp_path: Path) -> None:
    folder, options = str(paths[0].parent), ["-y", TARGET, "--weights", "w"]
    for engine in ("local", "spark"):
        output = ["-o", str(tmp_path / f"{engine}.json"), "--engine", engine]
        result = CliRunner().invoke(gaussbayes, ["fit", folder, *options, *output])
        assert result.exit_code == 0, result.output
    models = [(tmp_path / f"{engine}.json").read_bytes() for engine in ("local", "spark")]
    assert models[0] == models[1]
    assert spark.getActiveSession() is not None  # one that was there is not stopped


# Predictions


def test_predictions_are_those_in_memory(spark: Any, paths: list[Path]) -> None:
    model = GaussianClassifier(categorical_features=CATEGORICAL, smoothing=1)
    model.fit_source(paths, TARGET, features=WEATHER)
    frame = in_partitions(spark, paths)
    whole = mixed()
    lazy = predictions(model, frame, proba=True)
    names = [f"proba_{label}" for label in model.classes_]
    assert lazy.columns == ["kind", "w", "prediction", *names]
    assert lazy.dtypes[2:4] == [("prediction", "string"), ("proba_ash", "double")]
    found = lazy.toArrow()
    assert found["w"].to_pylist() == whole["w"].to_pylist()
    rows = whole.select(WEATHER)
    assert found["prediction"].to_pylist() == model.predict(rows).tolist()
    posterior = np.stack([found[name].to_numpy() for name in names], axis=1)
    np.testing.assert_array_equal(posterior, model.predict_proba(rows))
    right = predictions(model, frame).where("prediction = kind").count()
    assert right == sum(map(lambda a, b: a == b, model.predict(rows), whole[TARGET].to_pylist()))
    assert predictions(model, frame, keep="none").columns == ["prediction"]
    assert predictions(model, frame, keep="all").columns[: len(frame.columns)] == frame.columns
    with pytest.raises(DataError, match="a column 'prediction' already"):
        predictions(model, frame.withColumn("prediction", frame.w))
    with pytest.raises(DataError, match="there is no column 'wind'"):
        predictions(model, frame.drop("wind"))


def test_what_the_guide_shows(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs/guide/sources.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(from pyspark.*?)^```", page, re.DOTALL | re.MULTILINE)
    for part, kind in enumerate(["ash", "oak"]):
        lines = [f"{10 * part + n % 3},{n % 4},{kind}" for n in range(12)]
        text = "\n".join(["height,girth,tree", *lines])
        (tmp_path / f"part-{part}.csv").write_text(text)
    code = code.replace('"trees"', repr(str(tmp_path)))  # Java stays in its own folder
    exec(code, {"GaussianClassifier": GaussianClassifier})  # noqa: S102
    printed = capsys.readouterr().out
    assert re.search(r"ash\| *ash\| *12\|", printed)
    assert re.search(r"oak\| *oak\| *12\|", printed)
    assert spark.getActiveSession() is not None


def test_what_the_gallery_shows(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    example = ROOT / "examples/data/spark_cluster.py"
    run_path(str(example))
    printed = capsys.readouterr().out.splitlines()
    shown = (ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or "").splitlines()
    assert printed == [line.strip() for line in shown[-3:]]
    assert spark.getActiveSession() is not None


def test_narrow_rows_and_labels_that_are_numbers(spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2)).astype(np.float32)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "kind": rng.integers(0, 2, 60) * 7})
    paths = in_files(table, tmp_path, (30, 30))
    frame = in_partitions(spark, paths)
    model = GaussianClassifier().fit_source(frame, "kind")
    lazy = predictions(model, frame, proba=True, keep="none")
    assert [kind for _, kind in lazy.dtypes] == ["bigint", "float", "float"]
    found = lazy.toArrow()
    assert found["prediction"].to_pylist() == model.predict(table.select(["a", "b"])).tolist()
    np.testing.assert_array_equal(
        found["proba_7"].to_numpy(), model.predict_proba(table.select(["a", "b"]))[:, 1]
    )


def test_sql_of_a_model(spark: Any, tmp_path: Path) -> None:
    tables = {"numbers": numbers(2000, missing=0.1), "mixed": scored_elsewhere(2000)}
    families = {"visits": "poisson", "member": "poisson"}
    settings: dict[str, dict[str, Any]] = {
        "numbers": {},
        "mixed": {
            "families": families,
            "categorical_features": ["colour", "floor"],
            "smoothing": 1,
        },
    }
    for name, (table, y) in tables.items():
        model = GaussianClassifier(**settings[name]).fit(table, y)
        path = tmp_path / f"{name}.parquet"
        keyed = pa.Table.from_pandas(table.assign(id=np.arange(len(table))), preserve_index=False)
        parquet.write_table(keyed, path)
        spark.read.parquet(str(path)).createOrReplaceTempView("rows")
        scored = spark.sql(model.to_sql("rows", "spark", keep=["id"])).toArrow()
        assert_equal_scores(model, table, scored.to_pandas())


@pytest.mark.parametrize(
    ("model", "labels", "names"),
    [
        ("rank-reduced", "strings", "quotes"),
        ("announced", "integers beyond those of floats", "unicode"),
        ("a prior of 0", "floats", "keywords"),
        ("calibrated", "booleans", "own"),
    ],
)
def test_sql_of_other_models(
    spark: Any, model: str, labels: str, names: str, tmp_path: Path
) -> None:
    classifier, table = cases.fitted(model, labels, names)
    keyed = pa.Table.from_pandas(table.assign(id=np.arange(len(table))), preserve_index=False)
    plain = [f"c{place}" for place in range(keyed.num_columns)]
    parquet.write_table(keyed.rename_columns(plain), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path / "rows.parquet")).toDF(*keyed.column_names)
    frame.createOrReplaceTempView("rows")
    scored = spark.sql(classifier.to_sql("rows", "spark", keep=["id"])).toArrow()
    assert_equal_scores(classifier, table, scored.to_pandas())
