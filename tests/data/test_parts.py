"""One large file shared among workers gives the same bits as one machine."""

from collections.abc import Callable
from pathlib import Path

import dask
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data import file_rows
from gaussbayes.data.file_rows import FileRows, Plan, cut_places, parts_of
from gaussbayes.data.readers import batches
from gaussbayes.data.readers import parquet as parquet_reader
from gaussbayes.data.roles import Request
from tests.data.tables import bits, learn, learn_on_cluster

N_ROWS = 2000


def rows(n_rows: int = N_ROWS) -> pa.Table:
    generator = np.random.default_rng(8)
    kinds = generator.integers(0, 3, n_rows)
    numbers = {name: 1e6 + generator.normal(size=n_rows) + kinds for name in ("a", "b")}
    return pa.table(numbers | {"kind": np.array(["ash", "elm", "oak"])[kinds].tolist()})


def stream(table: pa.Table, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=64)


FILES: dict[str, Callable[[pa.Table, Path], object]] = {
    "rows.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=64),
    "odd.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=37),
    "rows.arrow": lambda table, path: feather.write_feather(
        table, path, "uncompressed", chunksize=77
    ),
    "rows.feather": lambda table, path: feather.write_feather(table, path, chunksize=1500),
    "rows.arrows": stream,
}


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and parts of few rows, in this process."""
    monkeypatch.setattr(parquet_reader, "_PIECE_ROWS", 64)
    monkeypatch.setattr(batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(batches, "FEWEST_ROWS", 64)
    monkeypatch.setattr(file_rows, "PART_BYTES", 2000)


def plan_of(path: Path) -> Plan:
    rows = FileRows.open(path, Request("kind"))
    return rows.plan(lambda block, _: block.rows.n_rows, rows.encoder)


@given(n_places=st.integers(1, 70), n_bytes=st.integers(1, 100 * file_rows.PART_BYTES))
def test_parts_are_subtrees(n_places: int, n_bytes: int) -> None:
    whole: MergeTree[Bracketed] = MergeTree()
    of_parts: MergeTree[Bracketed] = MergeTree()
    for place in range(n_places):
        whole.add(place, Bracketed(str(place)))
    parts = cut_places(n_places, n_bytes)
    for number, places in enumerate(parts):
        own: MergeTree[Bracketed] = MergeTree()
        for place in places:
            own.add(place - places.start, Bracketed(str(place)))
        of_parts.add(number, own.result())
    assert of_parts.result() == whole.result()
    # No more parts than are worth a task each.
    assert len(parts) <= 1 + n_bytes // file_rows.PART_BYTES


class Bracketed(str):
    """Adds up to a text that shows in which order."""

    __slots__ = ()

    def __add__(self, other: str) -> "Bracketed":
        return Bracketed(f"({self}{other})")


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", FILES)
def test_parts_of_one_file_are_merged_as_on_one_machine(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](rows(), path)
    plan = plan_of(path)
    n_parts = len(parts_of(plan, 0))
    assert n_parts > 4 if name != "rows.arrows" else n_parts == 1  # a stream is read to know
    alone = learn(path, "kind")
    with dask.config.set(scheduler="threads"):
        shared = learn_on_cluster(path, "kind")
    assert bits(shared) == bits(alone)
    assert shared.n_rows == N_ROWS


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_bad_rows_keep_their_numbers(name: str, tmp_path: Path) -> None:
    table = rows()
    values = table["a"].to_pylist()
    values[1234] = float("inf")
    path = tmp_path / name
    FILES[name](table.set_column(0, "a", pa.array(values)), path)
    with pytest.raises(DataError, match=f"{name}, row 1235, column 'a': 'inf' is not finite"):
        learn_on_cluster(path, "kind")
    found = learn_on_cluster(path, "kind", bad_rows="skip")
    assert (found.n_rows, [bad.row for bad in found.bad_rows.first]) == (N_ROWS - 1, [1235])


@pytest.mark.usefixtures("small_pieces")
def test_what_cannot_be_split_is_read_by_one_worker(tmp_path: Path) -> None:
    table = rows()
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    table.to_pandas().to_csv(tmp_path / "b.csv.gz", index=False)
    plan = plan_of(tmp_path)
    assert [len(parts_of(plan, number)) for number in range(2)] == [1, 1]
