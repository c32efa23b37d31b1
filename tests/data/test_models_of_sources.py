"""Models of sources: those of the same rows in memory, whatever is missing and whoever holds it."""

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
import pytest
from pyarrow import parquet

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.data.dask import predictions
from tests.data.tables import CATEGORICAL, FORMATS, TARGET, WEATHER, make_table, weather
from tests.designs import all_pairs

NUMBERS = ["pressure", "warmth"]


def in_file(ending: str) -> Callable[[pa.Table, Path], Any]:
    def write(table: pa.Table, folder: Path) -> Path:
        FORMATS[ending](table, folder / f"rows{ending}")
        return folder / f"rows{ending}"

    return write


def as_pandas(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas().astype({"month": "Int64", "rain": "boolean"})


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "csv": in_file(".csv"),
    "json lines": in_file(".jsonl"),
    "parquet": in_file(".parquet"),
    "arrow": in_file(".arrow"),
    "dask": lambda table, _: dd.from_pandas(as_pandas(table), npartitions=3),
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
    "polars": lambda table, _: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pandas": lambda table, _: nw.from_native(as_pandas(table)).lazy(),
}
each_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
COMPLETENESS = ["complete", "missing", "unlabelled", "missing unlabelled"]
STRUCTURES = [("full", False), ("full", True), ("full", 0.5), ("diagonal", False)]


def rows_of(completeness: str) -> pa.Table:
    table = weather(300)
    if "missing" not in completeness:
        table = table.drop_null().slice(0, 120)
    if "unlabelled" in completeness:
        kinds = [None if n % 4 == 0 else kind for n, kind in enumerate(table[TARGET].to_pylist())]
        table = table.set_column(table.column_names.index(TARGET), TARGET, pa.array(kinds))
    return table


@pytest.mark.parametrize(
    ("source", "completeness", "weights", "features"),
    [
        pytest.param(SOURCES[name], *others, id="-".join([name, *map(str, others)]))
        for name, *others in all_pairs(SOURCES, COMPLETENESS, [None, "w"], [NUMBERS, WEATHER])
    ],
)
def test_the_model_is_that_of_the_rows_in_memory(
    source: Callable[[pa.Table, Path], Any],
    completeness: str,
    weights: str | None,
    features: list[str],
    tmp_path: Path,
) -> None:
    table = rows_of(completeness)
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    chosen = [name for name in CATEGORICAL if name in features]
    settings: dict[str, Any] = {"categorical_features": chosen, "smoothing": 1}
    model = GaussianClassifier("diagonal", **settings)
    model.fit_source(source(table, tmp_path), TARGET, features=features, weights=weights)
    here = GaussianClassifier("diagonal", **settings)
    here.fit(frame[features], frame[TARGET], None if weights is None else frame[weights])
    assert model.classes_.tolist() == here.classes_.tolist() == ["ash", "beech", "oak"]
    assert model.feature_names_in_.tolist() == features
    np.testing.assert_allclose(model.priors_, here.priors_, rtol=1e-7)
    found, expected = (
        model.predict_log_proba(frame[features]),
        here.predict_log_proba(frame[features]),
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@each_source
@pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
def test_structures(
    source: Callable[[pa.Table, Path], Any], covariance: str, shared: Any, tmp_path: Path
) -> None:
    table = rows_of("missing")
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    model = GaussianClassifier(covariance, shared=shared)
    model.fit_source(source(table, tmp_path), TARGET, features=NUMBERS)
    here = GaussianClassifier(covariance, shared=shared).fit(frame[NUMBERS], frame[TARGET])
    np.testing.assert_allclose(model.means_, here.means_, rtol=1e-9)
    np.testing.assert_allclose(model.covariances_, here.covariances_, rtol=1e-7, atol=1e-7)


@each_source
def test_more_rows_are_learnt_by_name(
    source: Callable[[pa.Table, Path], Any], tmp_path: Path
) -> None:
    table = rows_of("missing")
    parts = [table.slice(0, 150), table.slice(150).select(table.column_names[::-1])]
    settings: dict[str, Any] = {"categorical_features": CATEGORICAL, "smoothing": 1}
    model = GaussianClassifier(**settings)
    model.fit_source(source(parts[0], tmp_path), TARGET, features=WEATHER)
    again = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    whole = GaussianClassifier(**settings)
    whole.fit(pl.from_arrow(table.select(WEATHER)), table[TARGET].to_pylist())
    for partly in (model, again):
        partly.partial_fit_source(source(parts[1], tmp_path))
        assert partly.categories_ == whole.categories_
        np.testing.assert_allclose(partly.means_, whole.means_, rtol=1e-8)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize(("mark", "labels"), [("?", ["a", "?", "b"]), (-1, [0, -1, 1])])
def test_a_mark_of_rows_without_label(
    ending: str, mark: Any, labels: list[Any], tmp_path: Path
) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, 90)
    values = generator.normal(size=90) + codes
    table = pa.table({"x": values, "y": [labels[code] for code in codes]})
    FORMATS[ending](table, tmp_path / f"rows{ending}")
    model = GaussianClassifier(unlabelled=mark).fit_source(tmp_path / f"rows{ending}", "y")
    here = GaussianClassifier(unlabelled=mark).fit(values[:, None], table["y"].to_pylist())
    assert model.classes_.tolist() == here.classes_.tolist()
    np.testing.assert_allclose(model.means_, here.means_, rtol=1e-6)


def test_a_table_in_a_file_of_a_database(tmp_path: Path) -> None:
    table = make_table(200)
    with duckdb.connect(tmp_path / "trees.duckdb") as connection:
        connection.from_arrow(table).create("trees")
    with duckdb.connect(tmp_path / "trees.duckdb", read_only=True) as connection:
        young = connection.sql("SELECT height, width, kind FROM trees WHERE age < 50")
        part = GaussianClassifier().fit_source(young, TARGET)
    frame = table.to_pandas().query("age < 50")
    expected = GaussianClassifier().fit(frame[["height", "width"]], frame[TARGET])
    np.testing.assert_allclose(part.covariances_, expected.covariances_, rtol=1e-11, atol=1e-13)


def test_strings_stay_strings_though_they_look_like_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("c,y\n1,u\nB,v\n2,v\n")
    (tmp_path / "b.csv").write_text("c,y\n1,u\n02,v\n3,v\n")
    (tmp_path / "c.jsonl").write_text('{"c": 1, "y": "u"}\n')
    model = GaussianClassifier(categorical_features=["c"], smoothing=1)
    model.fit_source(tmp_path / "a.csv", "y")
    model.partial_fit_source(tmp_path / "b.csv").partial_fit_source(tmp_path / "c.jsonl")
    assert model.categories_ == {"c": ("02", "1", "2", "3", "B")}
    numbers = GaussianClassifier(categorical_features=["c"], smoothing=1)
    numbers.fit(pd.DataFrame({"c": [1, 2]}), ["u", "v"])
    with pytest.raises(DataError, match="categories of different types"):
        numbers.partial_fit_source(tmp_path / "a.csv", "y")


def test_a_pandas_category_of_integers_stays_one_in_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"grade": pd.Categorical([3, 1, 3, 2, 1, 2]), "kind": list("ababab")})
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_feather(tmp_path / "rows.feather")
    table = pa.Table.from_pandas(frame).replace_schema_metadata(None)
    parquet.write_table(table, tmp_path / "arrow.parquet")
    for path in sorted(tmp_path.iterdir()):
        model = GaussianClassifier(smoothing=1).fit_source(path, "kind", features=["grade"])
        assert model.categories_ == {"grade": (1, 2, 3)}, path


def test_the_structure_is_chosen_by_bic(tmp_path: Path) -> None:
    table = rows_of("complete")
    FORMATS[".csv"](table, tmp_path / "a.csv")
    settings: dict[str, Any] = {"selection": "bic", "categorical_features": CATEGORICAL}
    model = GaussianClassifier("auto", smoothing=1, **settings)
    model.fit_source(tmp_path / "a.csv", TARGET, features=WEATHER)
    here = GaussianClassifier("auto", smoothing=1, **settings)
    here.fit(pl.from_arrow(table.select(WEATHER)), table[TARGET].to_pylist())
    bic = [candidate.bic for candidate in here.selection_.candidates]
    found = [candidate.bic for candidate in model.selection_.candidates]
    np.testing.assert_allclose(found, bic, rtol=1e-9)


def test_many_numbers_are_one_warning(tmp_path: Path) -> None:
    table = pa.table({"id": np.arange(3000), "y": np.arange(3000) % 2})
    FORMATS[".parquet"](table, tmp_path / "a.parquet")
    frame = dd.from_pandas(table.to_pandas(), npartitions=3)
    for source in (tmp_path / "a.parquet", frame, pl.LazyFrame(table)):
        with pytest.warns(UserWarning, match="'id' is categorical and has 3,000 diff") as seen:
            GaussianClassifier(categorical_features=["id"], smoothing=1).fit_source(source, "y")
        assert len(seen) == 1
        assert seen[0].filename == __file__


def test_predictions_on_a_cluster() -> None:
    table = rows_of("missing")
    frame = as_pandas(table)
    model = GaussianClassifier(categorical_features=CATEGORICAL, smoothing=1)
    model.fit_source(dd.from_pandas(frame, npartitions=3), TARGET, features=WEATHER)
    posterior = predictions(model, dd.from_pandas(frame, npartitions=4), proba=True).compute()
    expected = model.predict_proba(pl.from_arrow(table.select(WEATHER)))
    np.testing.assert_allclose(posterior.to_numpy(), expected, rtol=1e-12)


def test_one_class_is_none_to_choose_from(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,u\n2,u\n")
    with pytest.raises(DataError, match="at least two classes"):
        GaussianClassifier().fit_source(tmp_path / "a.csv", "y")
