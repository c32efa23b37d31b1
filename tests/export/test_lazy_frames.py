"""Lazy frames are scored where their rows are, and what comes back is a lazy frame."""

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import DataError, GaussianClassifier
from gaussbayes.export import lazy_frames
from tests.designs import all_pairs
from tests.export.engines import assert_equal_scores, mixed, numbers
from tests.models import STRUCTURES, automatic_classifier


def in_duckdb(table: pd.DataFrame) -> Any:
    return duckdb.connect().from_arrow(pa.Table.from_pandas(table))


ENGINES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": lambda table: pl.from_pandas(table).lazy(),
    "duckdb": in_duckdb,
    "narwhals": lambda table: nw.from_native(pa.Table.from_pandas(table)).lazy(),
}
EMPTY = {"polars": pl.LazyFrame, "duckdb": duckdb.DuckDBPyRelation, "narwhals": nw.LazyFrame}


def scored(model: GaussianClassifier, table: pd.DataFrame, engine: str) -> pd.DataFrame:
    """All scores of rows with a key, asked for in an engine."""
    rows = ENGINES[engine](table.assign(id=np.arange(len(table))))
    for method in (model.predict, model.predict_proba, model.score_samples):
        rows = method(rows)
        assert isinstance(rows, EMPTY[engine])
    return nw.from_native(rows).lazy().collect().to_pandas()


@pytest.mark.parametrize(
    ("engine", "structure", "missing"),
    all_pairs(ENGINES, [*STRUCTURES, "predictive"], [0.0, 0.3]),
)
def test_every_structure_and_every_pattern_of_missing_values(
    engine: str, structure: Any, missing: float
) -> None:
    options = {"estimate": "predictive"}
    if structure != "predictive":
        options = dict(zip(("covariance", "shared"), structure, strict=True))
    table, y = numbers(2000)
    model = GaussianClassifier(**options).fit(table[:500], y[:500])
    table = table.mask(np.random.default_rng(2).random(table.shape) < missing)
    assert_equal_scores(model, table, scored(model, table, engine))


@pytest.mark.parametrize("engine", ENGINES)
def test_families_transforms_codes_and_averages(engine: str) -> None:
    table, y = mixed(250)
    columns = {"categorical_features": ["colour", "floor"]}
    families = {"visits": "poisson", "member": "bernoulli"}
    plain = GaussianClassifier(
        transforms={"width": "yeo-johnson", "length": "rank-normal"},
        families=families,
        smoothing=0.5,
        **columns,
    )
    for model in (plain, automatic_classifier(**columns)):
        model.fit(table[:150], y[:150])
        rows = ENGINES[engine](table[150:])
        answer = nw.from_native(model.predict_proba(rows)).lazy().collect().to_pandas()
        expected = model.predict_proba(table[150:])
        assert np.abs(answer.iloc[:, -2:].to_numpy() - expected).max() < 1e-12


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_where_patterns_are_too_many_rows_come_in_batches(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, y = numbers(500, missing=0.3)
    model = GaussianClassifier().fit(table, y)
    monkeypatch.setattr(lazy_frames, "MOST_PATTERNS", 3)
    assert_equal_scores(model, table, scored(model, table, engine))


def test_dates_and_missing_marks() -> None:
    days = pd.date_range("2024-01-01 06:00:00.25", periods=60, freq="37h")
    table = pd.DataFrame({"when": days, "x": np.where(np.arange(60) % 7, np.arange(60) % 5, -9.0)})
    y = np.where(np.arange(60) % 3 == 0, "early", "late")
    model = automatic_classifier(na_values=-9).fit(table, y)
    for engine in ("polars", "duckdb"):
        assert_equal_scores(model, table, scored(model, table, engine))


def test_nothing_is_read_before_it_is_asked_for() -> None:
    table, y = numbers(100)
    model = GaussianClassifier("diagonal").fit(table, y)
    read: list[int] = []

    def note(part: pl.DataFrame) -> pl.DataFrame:
        read.append(len(part))
        return part

    rows = pl.from_pandas(table).lazy().map_batches(note, schema=pl.from_pandas(table).schema)
    answer = model.predict_proba(rows)
    assert read == []
    assert np.allclose(answer.collect()[:, 4:].to_numpy(), model.predict_proba(table), atol=1e-12)


def test_rows_without_a_score_are_null() -> None:
    table, y = numbers(100)
    model = GaussianClassifier().fit(table, y)
    table.iloc[1, 2] = np.inf
    answer = model.predict(pl.from_pandas(table).lazy()).collect()
    assert answer["prediction"].is_null().arg_true().to_list() == [1]


def test_columns_that_are_not_there_and_columns_that_are() -> None:
    table, y = numbers(100)
    model = GaussianClassifier().fit(table, y)
    rows = pl.from_pandas(table).lazy()
    with pytest.raises(DataError, match="no column 'b', which is a feature"):
        model.predict(rows.drop("b"))
    with pytest.raises(DataError, match="has a column 'prediction' already"):
        model.predict(model.predict(rows))
