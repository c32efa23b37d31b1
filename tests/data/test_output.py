"""Files that are written: read back as they were, there as a whole or not at all."""

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.files import open_source
from gaussbayes.data.output import open_output

TABLE = pa.table(
    {
        "x": [0.1 + 0.2, -1.5e-300, 1e300, 2.0],
        "n": [1, -2, 3, 2**53 + 1],
        "b": [True, False, True, False],
        "t": ["plain", 'say "so", please', "two\nlines", "=1+1"],
    }
)
ENDINGS = [
    f"{ending}{compression}"
    for ending in (".csv", ".tsv", ".jsonl", ".parquet", ".arrow")
    for compression in ("", ".gz", ".zst")
]


def write(path: Path | str, table: pa.Table = TABLE, **options: object) -> None:
    with open_output(path, table.schema, **options) as writer:  # type: ignore[arg-type]
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{ending}"
    write(path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    read = pa.concat_tables(block.table for block in open_source(path).blocks())
    assert read.equals(TABLE)


def test_other_readers_see_the_same(tmp_path: Path) -> None:
    for ending in (".csv", ".jsonl", ".parquet", ".arrow"):
        write(tmp_path / f"rows{ending}")
    options = csv.ParseOptions(newlines_in_values=True)
    assert csv.read_csv(tmp_path / "rows.csv", parse_options=options).equals(TABLE)
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == TABLE.to_pylist()
    assert parquet.read_table(tmp_path / "rows.parquet").equals(TABLE)
    assert feather.read_table(tmp_path / "rows.arrow").equals(TABLE)


def test_quotes_only_where_they_are_needed(tmp_path: Path) -> None:
    table = pa.table({"a b": ["x", "y"], "c,d": [1.5, None], "e": ["u", None]})
    write(tmp_path / "a.csv", table)
    assert (tmp_path / "a.csv").read_text() == 'a b,"c,d",e\nx,1.5,u\ny,,\n'


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_rows_leave_the_names_of_the_columns(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{ending}"
    write(path, TABLE.slice(0, 0))
    if ".jsonl" in ending:
        return  # there is nowhere to put them
    source = open_source(path)
    assert source.schema.names == TABLE.column_names
    assert list(source.blocks()) == []


def test_json_has_no_nan(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", pa.table({"a": [float("nan"), float("inf"), None, 1.5]}))
    values = [json.loads(line)["a"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert values == [None, None, None, 1.5]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas_are_escaped_when_asked(start: str, tmp_path: Path) -> None:
    texts = [f"{start}1+1", f"1{start}1", "", None, f"x\n{start}1"]
    table = pa.table({"=name": texts, "n": [-1.5, 2.0, -3.0, 4.0, 5.0]})
    table = table.append_column("d", pa.array(texts).dictionary_encode())
    write(tmp_path / "a.csv", table, escape=True)
    options = csv.ParseOptions(newlines_in_values=True)
    read = csv.read_csv(tmp_path / "a.csv", parse_options=options)
    expected = [f"'{start}1+1", f"1{start}1", "", "", f"x\n{start}1"]
    assert read.column_names == ["'=name", "n", "d"]
    assert read["'=name"].to_pylist() == expected
    assert read["d"].to_pylist() == expected
    assert read["n"].to_pylist() == [-1.5, 2.0, -3.0, 4.0, 5.0]


def test_escaping_is_for_spreadsheets(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="for CSV and TSV"):
        write(tmp_path / "a.parquet", escape=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_exception_leaves_what_was_there(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{ending}"
    path.write_text("before")

    def fail() -> None:
        with open_output(path, TABLE.schema) as writer:
            writer.write(TABLE)
            assert path.read_text() == "before"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failure_at_the_end_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(path)
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_stopped_leaves_what_was_there(how: int, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_text("before")
    program = f"""
import pyarrow as pa, time
from gaussbayes.data.output import open_output
table = pa.table({{"a": list(range(1000))}})
try:
    with open_output({str(path)!r}, table.schema) as writer:
        for _ in range(100):
            writer.write(table)
        print("written", flush=True)
        time.sleep(600)
except KeyboardInterrupt:
    pass
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        process.send_signal(how)
    assert path.read_text() == "before"
    left = [each.name for each in tmp_path.iterdir() if each != path]
    assert left == [] or (how == signal.SIGKILL and left[0].startswith(".gaussbayes-"))


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real = tmp_path / "real.csv"
    real.write_text("before")
    real.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(real)
    write(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert real.read_text().startswith("x,n,b,t\n")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match=r"tells no format: give format .*--output-format.* \.csv"
    ):
        write(tmp_path / "rows.doc")
    with pytest.raises(OptionError, match="format must be one of"):
        write(tmp_path / "rows.csv", format="excel")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        write(tmp_path / "none" / "rows.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="it is a directory; name a file in it"):
        write(tmp_path / "folder.csv")
    with pytest.raises(DataError, match="column 'a' holds list"):
        write(tmp_path / "a.csv", pa.table({"a": [[1]]}))
    assert [each.name for each in tmp_path.iterdir()] == ["folder.csv"]


def test_devices_are_written_to() -> None:
    write("/dev/null", format="csv")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet", "arrow", None])
def test_standard_output(name: str | None, tmp_path: Path) -> None:
    program = f"""
import pyarrow as pa
from gaussbayes.data.output import open_output
table = pa.table({{"a": [1, 2], "b": ["x", "y"]}})
with open_output("-", table.schema, format={name!r}) as writer:
    writer.write(table)
    writer.write(table)
print("still open", end="")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.endswith(b"still open")
    path = tmp_path / f"rows.{name or 'csv'}"
    path.write_bytes(done.stdout.removesuffix(b"still open"))
    read = pa.concat_tables(block.table for block in open_source(path).blocks())
    assert read.to_pydict() == {"a": [1, 2, 1, 2], "b": ["x", "y", "x", "y"]}


def test_a_closed_pipe_is_an_error_like_any_other() -> None:
    program = """
import pyarrow as pa, sys, os
from gaussbayes.data.output import open_output
table = pa.table({"a": list(range(100000))})
try:
    with open_output("-", table.schema) as writer:
        for _ in range(100):
            writer.write(table)
except BrokenPipeError:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(7)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        assert process.wait() == 7


def test_compressed_text_is_what_other_tools_expect(tmp_path: Path) -> None:
    write(tmp_path / "a.csv.gz", TABLE.select(["n"]))
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b"n\n1\n-2\n")
