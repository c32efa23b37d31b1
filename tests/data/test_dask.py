"""Dask gives the same bits as one machine: frames and files, whoever dies."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from distributed import Client, LocalCluster

from gaussbayes import DataError, read
from tests.data.tables import STRUCTURES, assert_same_model, bits, fitted, n_rows, small
from tests.fuzz import kill_worker

KINDS = {
    "text": ["oak", "elm", "ash"],
    "objects": np.array(["oak", "elm", "ash"], dtype=object),
    "categories": pd.Categorical(["oak", "elm", "ash"], categories=["fir", "oak", "elm", "ash"]),
    "integers": [7, -2, 30],
    "numbers that may be missing": pd.array([7, -2, 30], dtype="Int64"),
    "booleans": [True, False, True],
}
ABC = ["a", "b", "c"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two processes."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def rows(n: int = 700, kinds: Any = KINDS["text"]) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + 2.0 * codes[:, None]
    frame = pd.DataFrame(X, columns=ABC)
    return frame.assign(kind=pd.Series(kinds).take(codes).array, w=rng.uniform(0, 2, n))


def in_parts(*parts: pd.DataFrame) -> Any:
    """A Dask DataFrame of exactly these partitions."""
    return dd.from_delayed([delayed(part) for part in parts], meta=parts[0].iloc[:0])


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
def test_partitions_are_merged_as_on_one_machine(kinds: Any, covariance: Any, shared: Any) -> None:
    whole = rows(kinds=kinds)
    frame, how = dd.from_pandas(whole, npartitions=11), {"features": ABC}
    options: dict[str, Any] = {"covariance": covariance, "shared": shared, **how}
    models = []
    for scheduler in ("synchronous", "threads"):  # no cluster
        with dask.config.set(scheduler=scheduler):
            models.append(fitted(frame, "kind", "w", **options))
    assert bits(models[0]) == bits(models[1])
    assert_same_model(models[0], fitted(whole, "kind", "w", **options), whole[ABC])


def test_any_number_of_workers_gives_the_same_bits(client: Client) -> None:
    truth = kill_worker.on_one_machine()
    for n_workers in (2, 3):
        client.cluster.scale(n_workers)
        client.wait_for_workers(n_workers, timeout=600)
        how = kill_worker.HOW | {"reading": {"client": client}}
        model = fitted(kill_worker.lazy_blocks(), **how)
        assert bits(model) == truth


def test_a_worker_killed_in_the_middle() -> None:
    found, read_before, read_in_all = kill_worker.with_a_kill(after=6)
    assert found == kill_worker.on_one_machine()
    assert 6 <= read_before < kill_worker.N_BLOCKS <= read_in_all


def test_partitions_that_are_empty_weigh_nothing_or_lack_values(client: Client) -> None:
    whole = rows(300)
    parts = [whole[whole["kind"] == kind] for kind in ("oak", "elm", "ash")]
    nothing, light = whole.iloc[:0], whole.assign(w=0.0)
    frame = in_parts(nothing, parts[0], light, nothing, parts[1], parts[2], nothing)
    model = fitted(frame, "kind", "w", features=ABC)
    assert_same_model(model, fitted(whole, "kind", "w", features=ABC), whole[ABC])
    with pytest.raises(DataError, match="DataFrame .* weights in column 'w' are all zero"):
        fitted(in_parts(light, light), "kind", "w", features=ABC)
    gaps = np.random.default_rng(2).random((300, 3)) < 0.1
    whole[ABC] = whole[ABC].mask(gaps)
    whole.loc[::3, "kind"] = None
    frame = dd.from_pandas(whole, npartitions=4)
    there = fitted(frame, features=ABC, reading={"client": client})
    assert bits(there) == bits(fitted(frame, features=ABC))
    assert n_rows(there) == 200


def test_values_that_cannot_be(client: Client) -> None:
    bad = rows(20)
    bad.loc[bad.index[4], "b"] = np.inf
    for reading in ({}, {"client": client}):
        with pytest.raises(DataError, match="partition 1, row 5, column 'b': 'inf' is not finite"):
            fitted(in_parts(rows(10), bad), features=ABC, reading=reading)
    wrong = rows(5).assign(b=["1", "2", "x", "4", "5"])
    parts = [rows(5), wrong]
    frame = dd.from_map(lambda part: part, parts, meta=rows(1), enforce_metadata=False)
    with pytest.raises(DataError, match="'b' .'x', first in row 7"):
        fitted(frame, features=ABC)
    negative = in_parts(rows(10), rows(10).assign(w=[*([1.0] * 9), -2.0]))
    with pytest.raises(DataError, match="partition 1, row 10, column 'w': '-2.0' is negative"):
        fitted(negative, "kind", "w", features=ABC)
    with pytest.raises(DataError, match="2 partitions: there are no rows|no column is left"):
        fitted(in_parts(rows(3).iloc[:0], rows(3).iloc[:0]), features=ABC)
    with pytest.raises(DataError, match="names that are strings, but one is 0"):
        fitted(dd.from_pandas(pd.DataFrame([[1.0, 2.0]]), npartitions=1), "kind")
    skipped = fitted(in_parts(rows(10), bad), features=ABC, reading={"bad_rows": "skip"})
    assert n_rows(skipped) == 29
    assert "1 row skipped: partition 1, row 5" in skipped.notices_[0].message
    fractions = pd.DataFrame({"m": [1.0, 2.0, 2.0, 2.5], "y": list("uvuv")})
    with pytest.raises(DataError, match=r"partition 1, row 2, column 'm': '2.5' is not a category"):
        fitted(dd.from_pandas(fractions, npartitions=2), "y", categorical=["m"])


def test_labels_of_different_types() -> None:
    parts = [
        pd.DataFrame({"a": [1.0, 2.0], "kind": pd.Series([kind] * 2, dtype=object)})
        for kind in (1, "1")
    ]
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(DataError, match="different types"),
    ):
        small(in_parts(*parts), "kind", features=["a"])


def test_without_dask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows(9).to_csv(tmp_path / "a.csv")
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"pip install 'gaussbayes\[dask\]'"):
        fitted(tmp_path / "a.csv", reading={"client": object()})


# Files.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five files of four formats, one without rows."""
    folder = tmp_path_factory.mktemp("rows")
    parts = [rows(300)[start::4] for start in range(4)]
    parts[0].to_csv(folder / "a.csv", index=False)
    parts[1].to_parquet(folder / "b.parquet", index=False, row_group_size=20)
    parts[1].iloc[:0].to_parquet(folder / "c.parquet", index=False)
    parts[2].to_csv(folder / "d.csv.gz", index=False)
    parts[3].to_json(folder / "e.jsonl", orient="records", lines=True)
    return folder


def test_files_on_a_cluster(folder: Path, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for files in (folder, [folder / "d.csv.gz", folder / "a.csv"]):
        alone = fitted(files, "kind", "w", features=ABC)
        there = fitted(files, "kind", "w", features=ABC, reading={"client": client})
        assert bits(there) == bits(alone)
    monkeypatch.chdir(folder)  # workers are in another one
    assert n_rows(fitted("*.parquet", features=ABC, reading={"client": client})) == 75
    with pytest.raises(DataError, match="a cluster cannot read standard input"):
        fitted("-", reading={"client": client})


def test_bad_rows_of_files_on_a_cluster(tmp_path: Path, client: Client) -> None:
    (tmp_path / "a.csv").write_text("x,kind\n1,a\n2,b\n3,a\n")
    (tmp_path / "b.csv").write_text("x,kind\n1,a\n5,b,c\n,a\n4,b\n")
    with pytest.raises(DataError, match="b.csv, row 2: has 3 values"):
        small(read(tmp_path, client=client), "kind")
    model = small(read(tmp_path, client=client, bad_rows="skip"), "kind")
    assert "1 row skipped" in model.notices_[0].message
    assert "b.csv, row 2:" in model.notices_[0].message
    np.testing.assert_allclose(model.means_, [[5 / 3], [3.0]], rtol=1e-14)
