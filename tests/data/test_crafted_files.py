"""Files made to do harm: an error that names the file, soon, in bounded memory; never a crash."""

import gzip
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from gaussbayes import DataError, read
from gaussbayes.data import files

PROGRAM = """
import json, sys
from gaussbayes import DataError, read
from gaussbayes.data.columns import Columns, Request
from gaussbayes.data.sources import open_rows
for path in sys.argv[1:]:
    for look in (
        lambda: open_rows(path, Request(Columns(["x"]), "y")).reduce(lambda b: b.rows.n_rows),
        lambda: [batch.num_rows for batch in read(path).batches()],
    ):
        try:
            look()
        except DataError as error:
            print(json.dumps([path, str(error)]))
from tests.fuzz.data_file import peak_memory
print(peak_memory())
"""


def read_apart(*paths: Path) -> list[list[str]]:
    """The errors of each file: another process reads them, within 512 MB."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,  # a value without end must not be waited for; a busy machine may take long
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    *lines, peak = done.stdout.splitlines()
    assert int(peak) < 512
    errors = list(map(json.loads, lines))
    assert all(Path(path).name in error for path, error in errors)
    return [[error for path, error in errors if path == str(own)] for own in paths]


def write_arrow(path: Path, table: pa.Table, compression: str | None = None) -> bytes:
    options = ipc.IpcWriteOptions(compression=compression)
    new = ipc.new_stream if path.suffix == ".arrows" else ipc.new_file
    with new(path, table.schema, options=options) as writer:
        writer.write_table(table)
    return path.read_bytes()


ROWS = pa.table(
    {
        "x": [1.0, 2.0, 3.0],
        "s": ["first string", "second string", "third string"],
        "y": pa.array(["u", "v", "u"]).dictionary_encode(),
    }
)


def test_wrong_offsets(tmp_path: Path) -> None:
    names = [
        f"{value}{ending}" for value in (2**31 - 1, -5, 1 << 20) for ending in (".arrow", ".arrows")
    ]
    for name in names:
        path, value = tmp_path / name, int(name.partition(".")[0])
        whole = write_arrow(path, ROWS)
        offsets = np.array([0, 12, 25, 37], np.int32).tobytes()
        assert whole.count(offsets) == 1
        wrong = np.array([0, 12, value, value], np.int32).tobytes()
        path.write_bytes(whole.replace(offsets, wrong))
    for errors in read_apart(*(tmp_path / name for name in names)):
        assert errors
        assert "offset" in errors[-1].lower()  # of the columns that are needed first, then of all


def test_wrong_codes_of_a_dictionary(tmp_path: Path) -> None:
    paths = [tmp_path / "rows.arrow", tmp_path / "rows.arrows"]
    for path in paths:
        whole = write_arrow(path, ROWS)
        codes = np.array([0, 1, 0], np.int32).tobytes()
        assert whole.count(codes) == 1
        path.write_bytes(whole.replace(codes, np.array([0, 1 << 28, 0], np.int32).tobytes()))
    assert [len(errors) for errors in read_apart(*paths)] == [2, 2]


def test_a_small_file_that_takes_much_memory(tmp_path: Path) -> None:
    column = pa.array(np.zeros(14_000_000))
    paths = [tmp_path / f"zeros.{ending}" for ending in ("arrow", "arrows", "parquet")]
    for path in paths[:2]:
        write_arrow(path, pa.table({"x": column, "y": column}), "zstd")
    long = pa.chunked_array([column] * 5)
    table = pa.table({"x": long, "y": long})
    parquet.write_table(table, paths[2], row_group_size=len(long), compression="zstd")
    assert max(path.stat().st_size for path in paths) < 1 << 21
    for errors in read_apart(*paths):
        assert len(errors) == 2
        assert "MB" in errors[0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit does not hold")
def test_a_file_that_takes_more_memory_than_there_is(tmp_path: Path) -> None:
    path = tmp_path / "zeros.arrow"
    write_arrow(path, pa.table({"x": np.zeros(120_000_000), "y": np.zeros(120_000_000)}), "zstd")
    show = 'ulimit -S -d 800000; exec "$0" -m gaussbayes show "$1"'  # KB
    command = ["sh", "-c", show, sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"Error: cannot read {path}: it takes more memory than there is")


def test_a_dictionary_that_takes_much_memory(tmp_path: Path) -> None:
    values = pa.array(["x" * 1_000_000 + str(number) for number in range(210)])
    kinds = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int16()), values)
    paths = [tmp_path / "long.arrow", tmp_path / "long.arrows"]
    for path in paths:
        write_arrow(path, pa.table({"x": [1.0, 2.0], "y": kinds}), "zstd")
    for errors in read_apart(*paths):
        assert len(errors) == 2
        assert "rows 1 to 2 of" in errors[0]


def test_rows_without_values(tmp_path: Path) -> None:
    path = tmp_path / "nothing.arrow"
    nothing = pa.nulls((1 << 31) - 1)
    write_arrow(path, pa.table({"x": nothing, "y": nothing}))
    assert path.stat().st_size < 1000
    assert len(*read_apart(path)) == 2


def test_one_string_in_every_row(tmp_path: Path) -> None:
    text = pa.array(["x" * 1_000_000] * 210)
    columns = {"x": np.arange(210.0), "s": text, "y": [0, 1] * 105}
    paths = [tmp_path / "encoded.parquet", tmp_path / "plain.parquet"]
    for path in paths:
        encoded = path.stem == "encoded"
        parquet.write_table(pa.table(columns), path, compression="zstd", use_dictionary=encoded)
    for (error,) in read_apart(*paths):  # its numbers can be read
        assert "MB of memory" in error


def test_strings_that_many_rows_share_are_read(tmp_path: Path) -> None:
    names = [f"{number % 9} " + "long " * 2000 for number in range(30_000)]
    table = pa.table({"x": np.arange(30_000.0), "s": names, "y": [0, 1] * 15_000})
    parquet.write_table(table.select(["x", "s", "y"]).slice(0, 9000), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").table()["s"].to_pylist() == names[:9000]


def test_a_length_that_is_not_true(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    x = np.zeros(50_000)
    whole = write_arrow(path, pa.table({"x": x, "y": x}), "zstd")
    length = np.array([x.nbytes], "<i8").tobytes()
    assert whole.count(length) >= 2
    paths = []
    for wrong in (1 << 40, (1 << 63) - 1):
        paths.append(tmp_path / f"{wrong}.arrow")
        paths[-1].write_bytes(whole.replace(length, np.array([wrong], "<i8").tobytes()))
    assert [len(errors) for errors in read_apart(*paths)] == [2, 2]


def test_a_page_that_is_not_as_long_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"x": np.zeros(5000), "y": np.zeros(5000)}), path)
    whole = path.read_bytes()
    place = whole.index(b"PAR1") + 4
    assert whole[place] == 0x15  # the first field of a page's header
    # Its second and third field are the lengths in memory and in the file: here 2 GB.
    paths = []
    for field in (2, 3):
        header = bytearray(b"\x15\x04" + b"\x15\x10" * 2 + whole[place + 6 :])
        at = 2 * field - 1
        header[at : at + 1] = b"\xfe\xff\xff\xff\x0f"
        paths.append(tmp_path / f"{field}.parquet")
        paths[-1].write_bytes(whole[:place] + header)
    assert [len(errors) for errors in read_apart(*paths)] == [2, 2]


def test_a_value_without_end(tmp_path: Path) -> None:
    paths = []
    for ending, start, rest in (
        ("csv.gz", b'x,y\n1,u\n2,"', b"\n"),
        ("csv.gz", b'x,y\n1,u\n2,"', b"a"),
        ("csv.gz", b'x,y\n1,u\n2,"', b'""'),
        ("csv.gz", b'"', b"\n"),
        ("jsonl.gz", b'{"x": "', b"a"),
        ("jsonl.gz", b'{"x": ', b"["),
    ):
        packed = zlib.compressobj(1, zlib.DEFLATED, 31)
        parts = [packed.compress(start), *(packed.compress(rest * (1 << 20)) for _ in range(60))]
        paths.append(tmp_path / f"{len(paths)}.{ending}")
        paths[-1].write_bytes(b"".join(parts) + packed.flush())
    for errors in read_apart(*paths):
        assert len(errors) == 2
        assert "longer than 32 MB" in errors[0]


def test_lines_that_say_nothing_of_many_columns(tmp_path: Path) -> None:
    names = ", ".join(f'"c{number}": 1' for number in range(2000))
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{{names}, "x": 1, "y": 0}}\n' + "{}\n" * 10_000)
    assert len(*read_apart(path)) == 1  # two columns of so many rows can be read


@pytest.mark.parametrize("name", ["rows.csv.zst", "rows.csv.gz"])
def test_text_that_expands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FREE_TOTAL", 1 << 20)
    monkeypatch.setattr(files, "MOST_TIMES_TOTAL", 10)
    text = b"x,y\n" + b"1,0\n2,1\n" * 200_000
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(text)
    packed = gzip.compress(text) if name.endswith("gz") else sink.getvalue().to_pybytes()
    (tmp_path / name).write_bytes(packed)
    with pytest.raises(DataError, match=f"{name} expands from .* KB to .* MB or more"):
        read(tmp_path / name).table()


def test_mutated_files() -> None:
    command = [sys.executable, "-m", "tests.fuzz.data_file", "every", "150", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
