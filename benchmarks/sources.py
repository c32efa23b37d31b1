"""Fitting from files: how fast against pyarrow alone reading them, and in how much memory.

::

    python benchmarks/sources.py [--rows 50_000_000] [--csv-rows 5_000_000] [--rounds 3]

Makes a Parquet file of ten float64 features and a class (4 GB for 50 million rows) and a CSV file
of fewer rows, in a folder that is removed at the end unless one is named with ``--folder``.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import csv, parquet
from timing import interleaved

N_FEATURES = 10
FEATURES = [f"x{j}" for j in range(N_FEATURES)]
COLUMNS = [*FEATURES, "label"]
ROW_GROUP = 1 << 20


def make_table(n_rows: int, seed: int) -> pa.Table:
    """Rows of three classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n_rows)
    columns = {name: rng.normal(size=n_rows) + codes * j for j, name in enumerate(FEATURES)}
    labels = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), ["a", "b", "c"])
    return pa.table({**columns, "label": labels.cast(pa.string())})


def make_parquet(path: Path, n_rows: int) -> None:
    """A Parquet file with pyarrow's own settings."""
    with parquet.ParquetWriter(path, make_table(1, 0).schema) as writer:
        for seed, start in enumerate(range(0, n_rows, ROW_GROUP)):
            writer.write_table(make_table(min(ROW_GROUP, n_rows - start), seed))


def make_csv(path: Path, n_rows: int) -> None:
    """A CSV file with all digits of the numbers."""
    with csv.CSVWriter(path, make_table(1, 0).schema) as writer:
        for seed, start in enumerate(range(0, n_rows, ROW_GROUP)):
            writer.write_table(make_table(min(ROW_GROUP, n_rows - start), seed))


def read_batches(path: Path) -> None:
    """Pyarrow alone, batch by batch."""
    for _ in parquet.ParquetFile(path).iter_batches(batch_size=1 << 17, columns=COLUMNS):
        pass


def read_groups(path: Path) -> None:
    """Pyarrow alone, row group by row group."""
    file = parquet.ParquetFile(path)
    for group in range(file.num_row_groups):
        file.read_row_group(group, columns=COLUMNS)


def scan(path: Path) -> None:
    """Pyarrow alone, as a data set."""
    for _ in ds.dataset(path).to_batches(columns=COLUMNS):
        pass


def stream_csv(path: Path) -> None:
    """Pyarrow alone, as a stream."""
    for _ in csv.open_csv(path):
        pass


def scan_csv(path: Path) -> None:
    """Pyarrow alone, a CSV file as a data set."""
    for _ in ds.dataset(path, format="csv").to_batches():
        pass


def fit(path: Path) -> None:
    """Gaussbayes, from the file to the model."""
    from gaussbayes import GaussianClassifier

    GaussianClassifier().fit_source(path, "label")


def peak_memory(path: Path) -> tuple[float, float]:
    """Resident memory in MB, of a process that only fits: before, and at the most."""
    program = f"""
from pathlib import Path
import pyarrow.parquet
from gaussbayes import GaussianClassifier
def most():  # of this process alone; what the resource module says is inherited
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
before = most()
GaussianClassifier().fit_source({str(path)!r}, "label")
print(before, most())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    before, most = map(float, done.stdout.split())
    return before, most


def compare(path: Path, readers: dict[str, Callable[[Path], object]], rounds: int) -> None:
    """Print the times of pyarrow's ways to read a file, and of fitting from it."""
    size = path.stat().st_size / 1e6
    print(f"{path.name}: {size:.0f} MB")
    functions = {name: lambda reader=reader: reader(path) for name, reader in readers.items()}
    times = interleaved({**functions, "fit": lambda: fit(path)}, rounds)
    for name, timing in times.items():
        print(f"  {name:12} best {timing.best:6.2f} s, median {timing.median:6.2f} s")
    fastest = min(times[name].median for name in readers)
    best = min(times[name].best for name in readers)
    print(
        f"  fit at {100 * fastest / times['fit'].median:.0f} % (medians), "
        f"{100 * best / times['fit'].best:.0f} % (best) of the fastest reader's speed"
    )
    before, most = peak_memory(path)
    print(f"  resident memory {before:.0f} MB after the imports, {most:.0f} MB at the most")


def main() -> None:
    """Make the files, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--csv-rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        table, text = folder / f"{chosen.rows}.parquet", folder / f"{chosen.csv_rows}.csv"
        if not table.exists():
            make_parquet(table, chosen.rows)
        if not text.exists():
            make_csv(text, chosen.csv_rows)
        readers = {"batches": read_batches, "row groups": read_groups, "data set": scan}
        compare(table, readers, chosen.rounds)
        readers = {"read_csv": csv.read_csv, "open_csv": stream_csv, "data set": scan_csv}
        compare(text, readers, chosen.rounds)


if __name__ == "__main__":
    main()
