"""Files: how fast against pyarrow alone, in how much memory, and how soon a command starts.

::

    python benchmarks/sources.py [--rows 50_000_000] [--csv-rows 5_000_000] [--rounds 3]

Makes a Parquet file of ten float64 features and a class (4 GB for 50 million rows) and a CSV file
of fewer rows, in a folder that is removed at the end unless one is named with ``--folder``. Prints
the page ``docs/benchmarks-files.md``.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import csv, parquet
from timing import Timing, interleaved

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


def copy(path: Path, to: Path) -> None:
    """Pyarrow alone, reading and writing row group by row group."""
    file = parquet.ParquetFile(path)
    with parquet.ParquetWriter(to, file.schema_arrow) as writer:
        for group in range(file.num_row_groups):
            writer.write_table(file.read_row_group(group))


def fit(path: Path) -> None:
    """Gaussbayes, from the file to the model."""
    from gaussbayes import GaussianClassifier

    GaussianClassifier().fit(path, "label")


def command(*arguments: object) -> None:
    """Gaussbayes as a command."""
    words = [sys.executable, "-m", "gaussbayes", *map(str, arguments)]
    subprocess.run(words, check=True, capture_output=True)


def peak_memory(*arguments: object) -> float:
    """Resident memory at the most, in MB, of a process that runs one command."""
    program = f"""
from gaussbayes.cli import main
try:
    main({[str(argument) for argument in arguments]!r})
finally:  # of this process alone; what the resource module says is inherited
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(int(line.split()[1]) / 1024)
"""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def row(what: str, ours: Timing, theirs: dict[str, Timing], memory: float, goal: int) -> str:
    """One line of the table: the fastest of pyarrow's ways counts."""
    name = min(theirs, key=lambda way: theirs[way].median)
    other = theirs[name]
    return (
        f"| {what} | {ours.best:.2f} ({ours.median:.2f}) | {other.best:.2f} ({other.median:.2f}), "
        f"{name} | {100 * other.median / ours.median:.0f} % | {goal} % | {memory:.0f} MB |"
    )


def fitting(path: Path, readers: dict[str, Callable[[Path], object]], rounds: int) -> str:
    """Fitting against reading."""
    ways = {name: lambda reader=reader: reader(path) for name, reader in readers.items()}
    times = interleaved({**ways, "ours": lambda: fit(path)}, rounds)
    memory = peak_memory("fit", path, "-y", "label", "-o", path.parent / "model.json")
    what = f"fit, {path.suffix[1:]}, {int(path.stem):,} rows, {path.stat().st_size / 1e9:.1f} GB"
    return row(what, times.pop("ours"), times, memory, 70)


def predicting(path: Path, rounds: int) -> str:
    """Writing all columns, labels and posteriors against writing all columns."""
    model, out, other = (
        path.parent / name for name in ("model.json", "out.parquet", "copy.parquet")
    )
    words = ("predict", model, path, "--keep", "all", "-o", out)
    ways = {"ours": lambda: command(*words), "row groups": lambda: copy(path, other)}
    times = interleaved(ways, rounds)
    memory = peak_memory(*words)
    what = f"predict, parquet to parquet, {int(path.stem):,} rows"
    for written in (out, other):
        written.unlink()
    return row(what, times.pop("ours"), times, memory, 50)


def starting(folder: Path, rounds: int = 11) -> list[str]:
    """Seconds of a command from nothing, with files that the machine has read before."""
    few, model = folder / "hundred.csv", folder / "few.json"
    csv.write_csv(make_table(100, 1), few)
    command("fit", few, "-y", "label", "-o", model)
    words = {"--help": (["--help"], 0.4), "predict of 100 rows": (["predict", model, few], 1.0)}
    lines = []
    for name, (arguments, goal) in words.items():
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            command(*arguments)
            seconds.append(time.perf_counter() - start)
        median = statistics.median(seconds)
        lines.append(f"| `{name}` | {min(seconds):.2f} | {median:.2f} | {goal} |")
    return lines


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
        parquet_ways = {"batches": read_batches, "row groups": read_groups, "data set": scan}
        csv_ways = {"read_csv": csv.read_csv, "open_csv": stream_csv, "data set": scan_csv}
        print(HEAD)
        print(fitting(table, parquet_ways, chosen.rounds), flush=True)
        print(fitting(text, csv_ways, chosen.rounds), flush=True)
        print(predicting(table, chosen.rounds), flush=True)
        print("\n| command | best | median | goal |\n|---|---|---|---|")
        print("\n".join(starting(folder)))


HEAD = """# Benchmarks of files

Ten float64 features and a class; ours and pyarrow's in turn, on all cores, with files that are in
the machine's cache. Seconds are the best (median in brackets), speed is by medians against the
fastest of pyarrow's ways, memory is the most that a process of the command is resident in.

| work | ours | pyarrow alone | speed | goal | memory |
|---|---|---|---|---|---|"""


if __name__ == "__main__":
    main()
