"""Any source gives the model of the same rows in memory, and can be predicted and scored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from gaussbayes import DataError, GaussianClassifier, load, read
from gaussbayes.model import statistics
from tests.data.tables import (
    CATEGORICAL,
    STRUCTURES,
    TARGET,
    WEATHER,
    as_pandas,
    assert_same_model,
    fitted,
    in_file,
    make_table,
    n_rows,
    small,
    weather,
)
from tests.designs import all_pairs

NUMBERS = ["pressure", "warmth"]
SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "csv": lambda table, folder: in_file(".csv", table, folder),
    "json lines": lambda table, folder: in_file(".jsonl", table, folder),
    "parquet": lambda table, folder: in_file(".parquet", table, folder),
    "arrow": lambda table, folder: in_file(".arrow", table, folder),
    "dask": lambda table, _: dd.from_pandas(as_pandas(table), npartitions=3),
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
    "polars": lambda table, _: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pandas": lambda table, _: nw.from_native(as_pandas(table)).lazy(),
}
each_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
COMPLETENESS = ["complete", "missing", "unlabelled", "missing unlabelled"]
HOW: dict[str, Any] = {"features": WEATHER, "categorical": CATEGORICAL}


def rows_of(completeness: str) -> pa.Table:
    table = weather(160)
    if "missing" not in completeness:
        table = table.drop_null().slice(0, 70)
    if "unlabelled" in completeness:
        kinds = [None if n % 4 == 0 else kind for n, kind in enumerate(table[TARGET].to_pylist())]
        table = table.set_column(table.column_names.index(TARGET), TARGET, pa.array(kinds))
    return table


@pytest.mark.parametrize(
    ("source", "completeness", "weights", "features", "structure"),
    [
        pytest.param(SOURCES[name], *others, id="-".join([name, *map(str, others)]))
        for name, *others in all_pairs(
            SOURCES, COMPLETENESS, [None, "w"], [NUMBERS, WEATHER], STRUCTURES
        )
    ],
)
def test_the_model_is_that_of_the_rows_in_memory(
    source: Any,
    completeness: str,
    weights: str | None,
    features: list[str],
    structure: Any,
    tmp_path: Path,
) -> None:
    table = rows_of(completeness)
    how: dict[str, Any] = {"covariance": structure[0], "shared": structure[1]}
    how |= {"features": features, "categorical": [n for n in CATEGORICAL if n in features]}
    model = fitted(source(table, tmp_path), TARGET, weights, **how)
    frame = as_pandas(table)
    here = fitted(frame, TARGET, weights, **how)
    X = frame[features]
    assert_same_model(model, here, X)
    assert model.columns_ == here.columns_
    assert model.columns_.target == TARGET


@each_source
def test_predictions_and_scores_of_sources(source: Any, tmp_path: Path) -> None:
    table = rows_of("missing")
    model = fitted(as_pandas(table), **HOW)
    given = source(table.select([*WEATHER, TARGET]), tmp_path)
    X, y = as_pandas(table)[WEATHER], table[TARGET].to_pylist()
    for method in ("predict", "predict_proba", "predict_log_proba", "score_samples"):
        np.testing.assert_array_equal(getattr(model, method)(given), getattr(model, method)(X))
    np.testing.assert_array_equal(model.scores(given).p_value, model.scores(X).p_value)
    assert model.score(given, TARGET) == model.score(X, y)
    assert model.evaluate(given, TARGET).log_loss == model.evaluate(X, y).log_loss
    more = source(table.append_column("other", table["w"]).drop_columns(["w"]), tmp_path)
    with pytest.raises(DataError, match="no column 'other'"):
        model.predict(more)
    with pytest.raises(DataError, match="no column 'rain'"):
        model.predict(source(table.drop_columns(["rain"]), tmp_path))


@each_source
def test_rows_are_added_and_forgotten_by_name(source: Any, tmp_path: Path) -> None:
    table = rows_of("missing")
    parts = [table.slice(0, 80), table.slice(80).select(table.column_names[::-1])]
    model = fitted(source(parts[0], tmp_path), **HOW)
    again = load(model.save(tmp_path / "model.json"))
    whole = fitted(as_pandas(table), **HOW)
    for partly in (model, again):
        partly.partial_fit(source(parts[1], tmp_path), TARGET)
        assert_same_model(partly, whole, as_pandas(table)[WEATHER])
    model.forget(source(parts[1], tmp_path), TARGET)
    assert n_rows(model) == 80
    like = GaussianClassifier().fit(source(parts[1], tmp_path), TARGET, like=again)
    assert n_rows(like) == 80


@pytest.mark.usefixtures("small_batches")
@each_source
def test_a_sample_of_many_unlabelled_rows_is_kept(
    source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly the same model, by fewer rows that weigh as much together."""
    table = rows_of("missing unlabelled")
    given = source(table, tmp_path)
    whole = fitted(given, TARGET, "w", **HOW)
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 1000)
    models = [fitted(given, TARGET, "w", n_jobs=n_jobs, **HOW) for n_jobs in (1, 4)]
    X = as_pandas(table)[WEATHER]
    rows = [model.model_.statistics.unlabelled for model in (models[0], whole)]
    assert rows[0].rows.matrix.nbytes <= 1000
    assert rows[0].n_rows == rows[1].n_rows
    assert 0.5 < rows[0].weights.sum() / rows[1].weights.sum() < 2
    assert np.abs(models[0].predict_proba(X) - whole.predict_proba(X)).mean() < 0.1
    with pytest.raises(DataError, match="unlabelled rows .*not kept"):
        models[0].partial_fit(given, TARGET)
    if isinstance(given, Path | dd.DataFrame):  # an engine gives its rows in an order of its own
        both = [model.predict_proba(X).tobytes() for model in models]
        assert both[0] == both[1]


@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet", "duckdb"])
@pytest.mark.parametrize(
    ("mark", "labels"), [("?", ["a", "?", "b"]), (-1, [0, -1, 1]), ("-1", [0, -1, 1])]
)
def test_a_mark_of_unlabelled_rows(kind: str, mark: Any, labels: list[Any], tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, 90)
    table = pa.table({"x": generator.normal(size=90) + codes, "y": [labels[c] for c in codes]})
    model = fitted(SOURCES[kind](table, tmp_path), "y", unlabelled=mark)
    here = fitted(table.to_pandas(), "y", unlabelled=mark)
    assert model.classes_.tolist() == [labels[0], labels[2]]
    assert_same_model(model, here, table.to_pandas()[["x"]])
    assert "unlabelled rows" in {notice.kind for notice in model.notices_}


def test_a_table_in_a_file_of_a_database(tmp_path: Path) -> None:
    table = make_table(200)
    with duckdb.connect(tmp_path / "trees.duckdb") as connection:
        connection.from_arrow(table).create("trees")
    with duckdb.connect(tmp_path / "trees.duckdb", read_only=True) as connection:
        young = connection.sql("SELECT height, width, kind FROM trees WHERE age < 50")
        model = fitted(young)
    frame = table.to_pandas().query("age < 50")[["height", "width", TARGET]]
    assert_same_model(model, fitted(frame), frame[["height", "width"]])


def test_strings_stay_strings_though_they_look_like_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("c,y\n1,u\nB,v\n2,v\n")
    (tmp_path / "b.csv").write_text("c,y\n1,u\n02,v\n3,v\n")
    (tmp_path / "c.jsonl").write_text('{"c": 1, "y": "u"}\n')
    model = fitted(tmp_path / "a.csv", "y", categorical=["c"])
    model.partial_fit(tmp_path / "b.csv", "y").partial_fit(tmp_path / "c.jsonl", "y")
    assert [len(p) for p in model.category_probabilities_.values()] == [5]
    assert model.predict(tmp_path / "c.jsonl").tolist() == ["u"]
    assert model.predict(pd.DataFrame({"c": ["02"]})).tolist() == ["v"]
    numbers = fitted(pd.DataFrame({"c": [1, 2], "y": ["u", "v"]}), "y", categorical=["c"])
    assert numbers.predict(tmp_path / "c.jsonl").tolist() == ["u"]
    with pytest.raises(DataError, match="categories of different types"):
        numbers.partial_fit(tmp_path / "a.csv", "y")


def test_categories_by_type_in_files(tmp_path: Path) -> None:
    grades = pd.Categorical([3, 1, 3, 2, 1, 2] * 4)
    frame = pd.DataFrame({"grade": grades, "y": list("ababbbbaabab") * 2})
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_feather(tmp_path / "rows.feather")
    table = pa.Table.from_pandas(frame).replace_schema_metadata(None)
    parquet.write_table(table, tmp_path / "arrow.parquet")
    for path in sorted(tmp_path.iterdir()):
        model = fitted(path, "y")
        assert model.columns_["grade"].kind == "category", path
        assert len(model.category_probabilities_["grade"]) == 3


def test_integers_may_be_written_as_floats_in_later_files(tmp_path: Path) -> None:
    """As pandas writes a column that has gaps."""
    (tmp_path / "a.csv").write_text("m,y\n1,u\n9007199254740993,v\n")
    (tmp_path / "b.csv").write_text("m,y\n1.0,u\n,v\n3.0,v\n")
    parquet.write_table(pa.table({"m": [1, 3], "y": ["u", "v"]}), tmp_path / "c.parquet")
    gaps = pa.table({"m": [3.0, None], "y": ["u", "v"]})
    parquet.write_table(gaps, tmp_path / "d.parquet")
    text = fitted(str(tmp_path / "*.csv"), "y", categorical=["m"])
    assert len(text.category_probabilities_["m"]) == 3
    rows = pd.DataFrame({"m": [1, 3, 9007199254740993]})
    assert text.predict(rows).tolist() == ["u", "v", "v"]
    held = fitted(str(tmp_path / "*.parquet"), "y", categorical=["m"])
    assert [p.tolist() for p in held.category_probabilities_["m"].values()] == [
        [0.5, 1 / 3],
        [0.5, 2 / 3],
    ]


def test_dictionaries_differ_from_file_to_file(tmp_path: Path) -> None:
    rows = [f"v{n}" for n in range(300)]
    for name, values in (("a", ["v1", "v7", ""]), ("b", rows)):
        column = pa.array(values).dictionary_encode()
        labels = ["u", "v", "u"] if name == "a" else ["u"] * 300
        parquet.write_table(pa.table({"c": column, "y": labels}), tmp_path / f"{name}.parquet")
    model = fitted(tmp_path, "y", categorical=["c"])
    assert len(model.category_probabilities_["c"]) == 300
    assert model.predict(pd.DataFrame({"c": ["v7"]})).tolist() == ["u"]


@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet"])
def test_fractions_are_not_categories(kind: str, tmp_path: Path) -> None:
    table = pa.table({"m": [1.0, 2.5, None, 2.0, 1.0], "y": list("uvuvu")})
    path = SOURCES[kind](table, tmp_path)
    with pytest.raises(DataError, match=r"row 2, column 'm': '2.5' is not a category"):
        fitted(path, "y", categorical=["m"])
    model = fitted(read(path, bad_rows="skip"), "y", categorical=["m"])
    assert len(model.category_probabilities_["m"]) == 2
    assert "1 row skipped" in model.notices_[0].message


def test_more_rows_of_a_model_with_dates(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", periods=60)[np.random.default_rng(0).permutation(60)]
    frame = pd.DataFrame({"day": days, "x": np.arange(60.0) % 7, TARGET: list("uvw") * 20})
    more = frame[30:].assign(day=frame["day"].astype(str))
    for ending, table in ((".csv", more), (".parquet", frame[30:])):
        path = in_file(ending, pa.Table.from_pandas(table, preserve_index=False), tmp_path)
        model = fitted(frame[:30]).partial_fit(path, TARGET)
        origin = model.columns_["day"].origin
        mean = (frame["day"] - pd.Timestamp(origin)).dt.days[frame[TARGET] == "u"].mean()
        np.testing.assert_allclose(model.means_[0, 0], mean, rtol=1e-12)


@each_source
def test_labels_and_weights_of_a_source_are_columns(source: Any, tmp_path: Path) -> None:
    table = weather(60)
    given = source(table, tmp_path)
    with pytest.raises(DataError, match="y must be the name of one of its columns, got list"):
        fitted(given, table[TARGET].to_pylist())
    with pytest.raises(DataError, match=r"no column 'knid' \(did you mean 'kind'\?\)"):
        fitted(given, "knid")
    with pytest.raises(DataError, match="'kind' cannot be both the target and the weights"):
        fitted(given, TARGET, TARGET)
    with pytest.raises(DataError, match="'w' is the weights and cannot be a feature too"):
        fitted(given, TARGET, "w", features=["w", "warmth"])
    ash = table.filter(pc.equal(table[TARGET], "ash"))
    with pytest.raises(DataError, match="at least two classes"):
        small(source(ash, tmp_path), TARGET, features=["warmth"])
