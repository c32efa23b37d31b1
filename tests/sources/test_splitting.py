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
from gaussbayes.data.sources import cluster, cutting, moments_of, parquet_format, splitting
from gaussbayes.data.sources.files import make_plan
from gaussbayes.data.sources.opening import open_source
from tests.fuzz.kill_worker import model_file

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
    monkeypatch.setattr(parquet_format, "_PIECE_ROWS", 64)
    monkeypatch.setattr(cutting, "BATCH_BYTES", 0)
    monkeypatch.setattr(cutting, "FEWEST_ROWS", 64)
    monkeypatch.setattr(splitting, "PART_BYTES", 2000)


@given(n_places=st.integers(1, 70), n_bytes=st.integers(1, 100 * splitting.PART_BYTES))
def test_parts_are_subtrees(n_places: int, n_bytes: int) -> None:
    whole: MergeTree[Bracketed] = MergeTree()
    of_parts: MergeTree[Bracketed] = MergeTree()
    for place in range(n_places):
        whole.add(place, Bracketed(str(place)))
    parts = splitting.cut(n_places, n_bytes)
    for number, places in enumerate(parts):
        own: MergeTree[Bracketed] = MergeTree()
        for place in places:
            own.add(place - places.start, Bracketed(str(place)))
        of_parts.add(number, own.result())
    assert of_parts.result() == whole.result()
    # No more parts than are worth a task each.
    assert len(parts) <= 1 + n_bytes // splitting.PART_BYTES


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
    plan = make_plan(open_source(path), "kind", None, None, "full")
    n_parts = len(splitting.parts_of(plan, 0))
    assert n_parts > 4 if name != "rows.arrows" else n_parts == 1  # a stream is read to know
    alone = moments_of(path, "kind")
    with dask.config.set(scheduler="threads"):
        shared = cluster.moments_of(path, "kind")
    assert model_file(shared) == model_file(alone)
    assert shared.n_rows == N_ROWS


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_bad_rows_keep_their_numbers(name: str, tmp_path: Path) -> None:
    table = rows()
    values = table["a"].to_pylist()
    values[1234] = None
    path = tmp_path / name
    FILES[name](table.set_column(0, "a", pa.array(values)), path)
    with pytest.raises(DataError, match=f"{name}, row 1235, column 'a': the value is missing"):
        cluster.moments_of(path, "kind", complete=True)
    found = cluster.moments_of(path, "kind", bad_rows="skip", complete=True)
    assert (found.n_rows, [bad.row for bad in found.bad_rows.first]) == (N_ROWS - 1, [1235])


@pytest.mark.usefixtures("small_pieces")
def test_what_cannot_be_split_is_read_by_one_worker(tmp_path: Path) -> None:
    table = rows()
    table.to_pandas().to_csv(tmp_path / "a.csv", index=False)
    table.to_pandas().to_csv(tmp_path / "b.csv.gz", index=False)
    plan = make_plan(open_source(tmp_path), "kind", None, None, "full")
    assert [len(splitting.parts_of(plan, number)) for number in range(2)] == [1, 1]
