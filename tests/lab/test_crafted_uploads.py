"""Files made to break a reader, as uploads: a sentence or a table, and little memory."""

import gzip
import io
import random
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gaussbayes.apps.lab import lab_tables
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.tables import read_bytes

TABLE = pa.table(
    {
        "x": np.arange(60) * 1.5,
        "name": [f"v{row % 7}" for row in range(60)],
        "town": pa.array([f"c{row % 3}" for row in range(60)]).dictionary_encode(),
        "kind": ["a", "b"] * 30,
    }
)
LARGEST = 512
"""Megabytes that may be resident."""


def arrow(table: pa.Table, compression: str | None = None, *, stream: bool = False) -> bytes:
    out = io.BytesIO()
    open_writer = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with open_writer(out, table.schema, options=options) as writer:
        writer.write_table(table)
    return out.getvalue()


def parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


FILES = {
    "a.arrow": arrow(TABLE),
    "z.arrow": arrow(TABLE, "zstd"),
    "a.arrows": arrow(TABLE, stream=True),
    "a.parquet": parquet(TABLE),
    "a.csv.gz": gzip.compress(b"x,name,kind\n" + b"1.5,u,a\n2,v,b\n2,u,a\n" * 30, mtime=0),
}


def is_read(name: str, body: bytes) -> bool:
    """Whether a file makes a table; if not, a sentence says why, and any other error fails."""
    problem = ""
    try:
        lab_tables.labelled_rows(read_bytes(name, body))
    except MessageError as error:
        problem = str(error)
    assert "gaussbayes-lab-" not in problem
    return not problem


@pytest.mark.parametrize("name", FILES)
def test_files_that_were_cut_off(name: str) -> None:
    body = FILES[name]
    assert is_read(name, body)
    for length in range(1, len(body), max(1, len(body) // 40)):
        assert not is_read(name, body[:length]), length


@pytest.mark.parametrize("name", FILES)
def test_files_of_which_bytes_were_changed(name: str) -> None:
    rng = random.Random(name)
    for _ in range(60):
        body = bytearray(FILES[name])
        for _ in range(rng.choice((1, 1, 2, 8))):
            body[rng.randrange(len(body))] = rng.randrange(256)
        is_read(name, bytes(body))
        place = rng.randrange(len(body) - 4)
        body[place : place + 4] = struct.pack("<i", rng.choice((-1, 2**31 - 1, 10**6)))
        is_read(name, bytes(body))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ((0, 5, 7, 10), (0, 5, 2**30, 2**30 + 5)),
        ((0, 5, 7, 10), (0, -5, 7, 10)),
        ((0, 5, 7, 10), (9, 5, 7, 1)),
        ((0, 1, 0), (0, 99_999, 0)),
        ((0, 1, 0), (0, -7, 0)),
    ],
)
def test_wrong_offsets_and_indices(good: tuple[int, ...], bad: tuple[int, ...]) -> None:
    town = pa.array(["u", "v", "u"]).dictionary_encode()
    columns = {"x": [1.0, 2.0, 3.0], "name": ["abcde", "fg", "hij"], "town": town}
    body = arrow(pa.table({**columns, "kind": ["a", "b", "a"]}))
    written = struct.pack(f"<{len(good)}i", *good)
    assert body.count(written) == 1
    with pytest.raises(MessageError, match="cannot read a.arrow: In column"):
        read_bytes("a.arrow", body.replace(written, struct.pack(f"<{len(bad)}i", *bad)))


def test_the_name_of_a_column_that_is_no_text() -> None:
    body = arrow(TABLE.rename_columns(["xxxx", "name", "town", "kind"]))
    with pytest.raises(MessageError, match=r"the name of a column of a.arrow is not UTF-8 text"):
        read_bytes("a.arrow", body.replace(b"xxxx", b"\xffxx\xff"))


def test_very_many_columns() -> None:
    names = ",".join(f"c{j}" for j in range(2001))
    body = f"{names}\n{','.join(['1'] * 2001)}\n".encode()
    with pytest.raises(MessageError, match="a.csv has 2,001 columns, and 2,000 are the most"):
        read_bytes("a.csv", body)


_EXPANDING = """
import gzip, re, sys
from pathlib import Path
import numpy as np, pyarrow as pa
from tests.lab.test_crafted_uploads import arrow, is_read, parquet

long = pa.DictionaryArray.from_arrays(np.zeros(199_000, np.int32), ["y" * 100_000])
coded = pa.table({"x": np.arange(199_000.0) % 7, "s": long, "kind": ["a", "b"] * 99_500})
zeros = pa.table({"x": np.zeros(12_000_000)})  # 96 MB
files = [
    ("a.csv.gz", gzip.compress(b'x,kind\\n1,"' + b"a" * 80_000_000)),
    ("a.csv.gz", gzip.compress(b"x,kind\\n" + b"1,a\\n" * 15_000_000)),
    ("a.parquet", parquet(zeros)),
    ("a.arrow", arrow(coded, "zstd")),
    ("a.parquet", parquet(coded)),
]
three = arrow(pa.table({f"x{j}": np.zeros(2_000_000) for j in range(3)}), "zstd")
print(*(is_read(*file) for file in files), is_read("a.arrow", three))
# Not ru_maxrss: a child takes over the peak of the process that started it.
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


def test_small_files_that_expand_take_little_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _EXPANDING], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False", "False", "True", "True", "False"]
    assert int(done.stderr) >> 10 < LARGEST
