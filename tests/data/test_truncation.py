"""A file that was cut off anywhere: a clean error, or just the rows that are whole."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, ipc, parquet

from gaussbayes import DataError, GaussBayesError, read
from gaussbayes.data.schema import Column, ColumnTable

N_ROWS = 12
COLUMNS = ColumnTable((Column("x", "number"), Column("y", "number")), "kind")
_OLD = ipc.IpcWriteOptions(use_legacy_format=True)


def table() -> pa.Table:
    generator = np.random.default_rng(5)
    return pa.table(
        {
            "x": generator.normal(size=N_ROWS).round(3),
            "y": generator.normal(size=N_ROWS).round(3),
            "kind": ["a", "b"] * (N_ROWS // 2),
        }
    )


def write_stream(rows: pa.Table, path: Path) -> None:
    with ipc.new_stream(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=3)


def write_json_lines(rows: pa.Table, path: Path) -> None:
    lines = rows.to_pandas().to_json(orient="records", lines=True)
    path.write_text(lines, encoding="utf-8")


def write_parquet(rows: pa.Table, path: Path) -> None:
    parquet.write_table(rows, path, row_group_size=4)


def rows_or_error(path: Path) -> int | None:
    """How many rows have a label, or None for an error of ours; any other error fails the test."""
    try:
        labels = read(path).table(COLUMNS)["kind"].to_pylist()
    except (GaussBayesError, KeyError):
        return None
    return sum(label in {"a", "b"} for label in labels)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("rows.parquet", write_parquet),
        ("rows.arrow", feather.write_feather),
        ("rows.feather", lambda rows, path: feather.write_feather(rows, path, "uncompressed")),
        ("rows.arrows", write_stream),
    ],
)
def test_every_truncation_of_a_binary_file(name: str, write: object, tmp_path: Path) -> None:
    path = tmp_path / name
    write(table(), path)  # type: ignore[operator]
    whole = path.read_bytes()
    assert rows_or_error(path) == N_ROWS
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert rows_or_error(path) is None, length


def test_a_stream_ends_with_its_mark_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrows"
    write_stream(table(), path)
    whole = path.read_bytes()
    path.write_bytes(whole.removesuffix(b"\xff\xff\xff\xff\0\0\0\0"))
    with pytest.raises(DataError, match="breaks off after 12 rows: .* writer that is closed"):
        read(path).table()
    path.write_bytes(whole + whole)
    with pytest.raises(DataError, match="goes on after the end of its Arrow stream, at row 12"):
        read(path).table()
    with ipc.new_stream(path, table().schema, options=_OLD) as writer:  # its mark is shorter
        writer.write_table(table())
    assert rows_or_error(path) == N_ROWS


def test_every_truncation_of_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    csv.write_csv(table(), path)
    whole = path.read_bytes()
    assert rows_or_error(path) == N_ROWS
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = rows_or_error(path)
        lines = whole[:length].count(b"\n")
        left = whole[:length].rpartition(b"\n")[2]
        # Text has no mark for its end: a last line with all its fields and a label is a row.
        complete = lines - 1 + (left.count(b",") == 2 and left.endswith((b'a"', b'b"')))
        assert found in {None, max(complete, 0)}, whole[:length]


def test_every_truncation_of_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_json_lines(table(), path)
    whole = path.read_bytes()
    assert rows_or_error(path) == N_ROWS
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = rows_or_error(path)
        assert found in {None, whole[:length].count(b"}")}


def test_every_truncation_of_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    with pa.CompressedOutputStream(str(path), "gzip") as out:
        csv.write_csv(table(), out)
    whole = path.read_bytes()
    assert rows_or_error(path) == N_ROWS
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert rows_or_error(path) is None, length
