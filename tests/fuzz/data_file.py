"""Mutated Arrow and Parquet files are read or refused: no crash, no other error, bounded memory.

Run it with: python -m tests.fuzz.data_file [KIND|every [MUTATIONS [SEED]]]
"""

import random
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from gaussbayes import read as read_rows
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.data.columns import Columns, Request
from gaussbayes.data.rows import LabelledRows
from gaussbayes.data.sources import open_rows

N_ROWS = 60
KINDS = {
    "arrow": ("rows.arrow", None),
    "compressed arrow": ("rows.arrow", "zstd"),
    "stream": ("rows.arrows", None),
    "compressed stream": ("rows.arrows", "lz4"),
    "parquet": ("rows.parquet", "none"),
    "compressed parquet": ("rows.parquet", "zstd"),
}
INTEGERS = [2**31 - 1, -1, 2**31, 2**63 - 1, 2**40, 0, 1 << 20, -(2**31)]
REQUEST = Request(Columns(["x", "i", "b", "s", "d"], categorical=["s", "d"]), "y")


def write(kind: str, folder: Path) -> Path:
    """A file with columns of many types."""
    name, compression = KINDS[kind]
    numbers = range(N_ROWS)
    table = pa.table(
        {
            "x": np.arange(N_ROWS) * 0.5,
            "i": pa.array([None if n % 5 == 0 else n for n in numbers]),
            "b": pa.array([n % 2 == 0 for n in numbers]),
            "s": pa.array([f"row {n % 7}" for n in numbers]),
            "d": pa.array([f"c{n % 3}" for n in numbers]).dictionary_encode(),
            "y": pa.array([f"k{n % 2}" for n in numbers]),
        }
    )
    path = folder / name
    if name.endswith(".parquet"):
        parquet.write_table(table, path, row_group_size=25, compression=compression)
        return path
    views = pa.array([f"view {n}" for n in numbers], pa.string_view())
    table = table.append_column("v", views)
    new = ipc.new_stream if name.endswith("s") else ipc.new_file
    with new(path, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=25)
    return path


def mutations(whole: bytes, seed: int) -> Iterator[bytes]:
    """The bytes with a few changed."""
    generator = random.Random(seed)
    while True:
        data = bytearray(whole)
        for _ in range(generator.choice([1, 1, 1, 2, 3, 8])):
            place, choice = generator.randrange(len(data)), generator.random()
            if choice < 0.5:
                data[place] = generator.choice([0, 1, 127, 128, 255, generator.randrange(256)])
            elif choice < 0.7:
                width, value = generator.choice([4, 8]), generator.choice(INTEGERS)
                data[place : place + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
            else:
                data[place] ^= 1 << generator.randrange(8)
        yield bytes(data[: len(whole)])


def sums(block: LabelledRows) -> float:
    """What every value goes into."""
    return float(np.nansum(block.rows.matrix)) + float(block.rows.codes.sum())


def read(path: Path) -> bool:
    """Whether a file can be read, in both ways; any error but ours is raised."""
    try:
        open_rows(path, REQUEST).reduce(sums, n_jobs=1)
        for block in read_rows(path).batches():
            block.to_pylist()
    except GaussBayesError:
        return False
    return True


def peak_memory() -> int:
    """How many MB of memory this process has taken at most; 0 where nobody says."""
    # Not that of `resource`, which is that of the process that started this one, if that is more.
    status = Path("/proc/self/status")
    text = status.read_text() if status.exists() else ""
    match = re.search(r"VmHWM:\s*(\d+) kB", text)
    return 0 if match is None else int(match[1]) >> 10


def main(kind: str, n_mutations: int, seed: int) -> None:
    """Read so many mutated files of a kind, or of every kind, and say how it went."""
    for each in KINDS if kind == "every" else [kind]:
        with tempfile.TemporaryDirectory() as folder:
            path = write(each, Path(folder))
            whole = path.read_bytes()
            assert read(path)
            n_read = 0
            for _, data in zip(range(n_mutations), mutations(whole, seed), strict=False):
                path.write_bytes(data)
                n_read += read(path)
        peak = peak_memory()
        sys.stdout.write(f"{each}: {n_read} of {n_mutations} mutated files were read, {peak} MB\n")
        if peak >= 512:
            sys.exit(1)


if __name__ == "__main__":
    main(*(sys.argv[1:2] or ["parquet"]), *map(int, [*sys.argv[2:], 1000, 0][:2]))  # type: ignore[arg-type]
