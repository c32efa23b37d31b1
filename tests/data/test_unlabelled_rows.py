"""Rows without label: read again in every iteration of EM if they are too many to keep."""

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.data import dask as cluster
from gaussbayes.data.file_rows import FileRows
from gaussbayes.data.reduction import OnUnlabelled, open_rows
from gaussbayes.data.roles import Request
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.model import statistics
from gaussbayes.model.options import check_options
from gaussbayes.model.sources import fit_source
from tests.data.tables import FORMATS, bits, learn, learn_on_cluster

FEATURES = ["a", "b", "wind"]


def some_rows(n_rows: int = 400) -> pa.Table:
    generator = np.random.default_rng(6)
    kinds = generator.integers(0, 2, n_rows)
    unlabelled = generator.random(n_rows) < 0.6
    labels = [None if u else "xy"[kind] for u, kind in zip(unlabelled, kinds, strict=True)]
    a = generator.normal(size=n_rows) + 2 * kinds
    return pa.table(
        {
            "a": pa.array(a, mask=generator.random(n_rows) < 0.1),
            "b": generator.normal(size=n_rows) - kinds,
            "wind": np.array(["low", "mid", "high"])[(generator.integers(0, 2, n_rows) + kinds)],
            "w": generator.uniform(0.5, 2.0, n_rows),
            "kind": labels,
        }
    )


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    ending: lambda table, folder, ending=ending: (  # type: ignore[misc]
        FORMATS[ending](table, folder / f"rows{ending}"),
        folder / f"rows{ending}",
    )[1]
    for ending in (".csv", ".parquet", ".arrows")
} | {
    "dask": lambda table, _: dd.from_pandas(table.to_pandas(), npartitions=5),
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
    "polars": lambda table, _: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
}


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("source", "weights"), [*zip(SOURCES.values(), cycle([None, "w"]), strict=False)], ids=SOURCES
)
def test_rows_that_are_read_again_give_the_model_of_those_that_are_kept(
    source: Any, weights: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = some_rows()
    settings: dict[str, Any] = {"categorical_features": ["wind"], "smoothing": 1}
    request: dict[str, Any] = {"features": FEATURES, "weights": weights}
    given = source(table, tmp_path)
    kept = GaussianClassifier(**settings).fit_source(given, "kind", **request)
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 100)
    models = [
        GaussianClassifier(n_jobs=n_jobs, **settings).fit_source(given, "kind", **request)
        for n_jobs in (1, 4)
    ]
    frame = table.select(FEATURES).to_pandas()
    found = [model.predict_log_proba(frame) for model in models]
    np.testing.assert_allclose(found[0], kept.predict_log_proba(frame), rtol=1e-7, atol=1e-8)
    if isinstance(given, Path | dd.DataFrame):  # an engine gives its rows in an order of its own
        assert found[0].tobytes() == found[1].tobytes()


def both(rows: Rows, weights: np.ndarray) -> np.ndarray:
    return np.array([rows.n_rows, float(weights.sum()), float(np.nansum(rows.matrix))])


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.arrow"])
def test_the_bits_do_not_depend_on_threads_or_workers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = some_rows()
    FORMATS[Path(name).suffix](table, tmp_path / name)
    request: dict[str, Any] = {"features": FEATURES, "weights": "w"}
    request["categorical_features"] = ["wind"]
    found = [learn(tmp_path / name, n_jobs=n_jobs, **request) for n_jobs in (1, 2, 4)]
    monkeypatch.setattr(cluster, "_SMALL", 0)
    with dask.config.set(scheduler="threads"):
        found.append(learn_on_cluster(tmp_path / name, **request))
    assert {bits(each) for each in found} == {bits(found[0])}
    n_unlabelled = table["kind"].null_count
    assert {each.n_unlabelled for each in found} == {n_unlabelled}
    rows = open_rows(tmp_path / name, Request("kind", **request))
    sums = [rows.unlabelled(rows.encoder).reduce(both, threads) for threads in (1, 2, 4)]
    frame = table.to_pandas()
    frame = frame[frame["kind"].isna()]
    expected = [len(frame), frame["w"].sum(), frame[["a", "b"]].sum().sum()]
    np.testing.assert_allclose(sums[0], expected, rtol=1e-12)
    assert sums[0].tobytes() == sums[1].tobytes() == sums[2].tobytes()


def test_labels_are_read_as_they_are_written(tmp_path: Path) -> None:
    """Blank, null, NaN and the mark are no labels; a mark may stand among integers."""

    def labels(block: LabelledRows, _: int) -> list[Any]:
        known = [*block.classes.tolist(), None]
        return [known[code] for code in block.targets.codes]

    cases: list[tuple[str, Any, list[Any]]] = [
        ("x,y\n1,u\n2,\n3,v\n", None, ["u", None, "v"]),
        ("x,y\n1,u\n2,?\n3,\n", "?", ["u", None, None]),
        ("x,y\n1,0\n2,-1\n3,1\n", -1, [0, None, 1]),
        ("x,y\n1,0\n2,-1\n3,1\n", "-1", [0, None, 1]),
        ("x,y\n1,0\n2,?\n3,1\n", "?", [0, None, 1]),
        ("x,y\n1,true\n2,\n3,false\n", None, [True, None, False]),
        ("x,y\n1,\n2,\n", None, [None, None]),
    ]
    for text, mark, expected in cases:
        (tmp_path / "a.csv").write_text(text)
        assert (
            open_rows(tmp_path / "a.csv", Request("y", mark=mark)).reduce(labels).total == expected
        )
    table = pa.table({"x": [1.0, 2.0, 3.0], "y": [1.0, float("nan"), 2.0]})
    FORMATS[".parquet"](table, tmp_path / "a.parquet")
    found = open_rows(tmp_path / "a.parquet", Request("y")).reduce(labels)
    assert (found.total, found.n_unlabelled) == ([1.0, None, 2.0], 1)
    found = open_rows(tmp_path / "a.parquet", Request(None, ["x"])).reduce(labels)
    assert (found.total, found.n_unlabelled) == ([None] * 3, 3)


def test_infinity_is_named_in_rows_without_label(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,u\ninf,\n3,v\n")
    fold = OnUnlabelled(both)
    with pytest.raises(DataError, match="row 2, column 'x': 'inf' is not finite"):
        open_rows(tmp_path / "a.csv", Request("y")).reduce(fold)
    found = open_rows(tmp_path / "a.csv", Request("y", bad_rows="skip")).reduce(fold)
    assert (found.total, found.n_rows, found.bad_rows.count) == (None, 2, 1)


def test_counts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("visits,y\n1,u\n2.5,u\n,v\n-1,v\n3.0,v\n")
    request = Request("y", kinds={"visits": "count"}, bad_rows="skip")
    rows = FileRows.open(tmp_path / "a.csv", request)
    found = rows.reduce(lambda block, _: block.rows.matrix[:, 0].tolist())
    np.testing.assert_array_equal(found.total, [1.0, np.nan, 3.0])
    assert [(bad.row, bad.value) for bad in found.bad_rows.first] == [(2, "2.5"), (4, "-1.0")]
    assert "is not a count" in found.bad_rows.first[0].problem


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_counts_far_down_a_file(ending: str, tmp_path: Path) -> None:
    visits = np.arange(1500) % 7.0
    visits[1234] = 2.5
    table = pa.table({"visits": visits, "y": ["u", "v"] * 750})
    FORMATS[ending](table, tmp_path / f"a{ending}")
    options = check_options(families={"visits": "poisson"})
    named = f"a{ending}, row 1235, column 'visits': '2.5' is not a count"
    with pytest.raises(DataError, match=named):
        fit_source(tmp_path / f"a{ending}", Request("y"), options)
    fit = fit_source(tmp_path / f"a{ending}", Request("y", bad_rows="skip"), options)
    assert fit.reduced.n_rows == 1499
    assert [bad.row for bad in fit.reduced.bad_rows.first] == [1235]


def test_a_frame_that_holds_categories_where_numbers_are_demanded() -> None:
    frame = dd.from_pandas(
        pd.DataFrame({"visits": pd.Categorical([1, 2, 3]), "y": list("uvu")}), npartitions=1
    )
    rows = open_rows(frame, Request("y", kinds={"visits": "number"}))
    assert rows.encoder.categorical == ()
    assert rows.reduce(lambda block, _: block.rows.matrix[:, 0].sum()).total == 6.0
