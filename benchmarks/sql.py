"""Rows scored by the SQL of a model in DuckDB, beside the model's own kernels, in turn.

    python benchmarks/sql.py [ROWS]

Processor time of two threads, as other programs may run. DuckDB takes about a nanosecond for a row
and an operation, of which there are two for each entry of each whitener: that bounds it. The likely
cause is that each operation writes a vector of results, where the kernels keep them in registers.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import duckdb
import numpy as np
import pyarrow as pa

from gaussbayes import GaussianClassifier

REPEATS, D, K = 5, 10, 3
MODELS = {
    "full": {},
    "full, shared": {"shared": True},
    "diagonal": {"covariance": "diagonal"},
}


def section() -> list[str]:
    """The lines of the page, measured in a process of its own."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    title = ["", "## SQL in DuckDB", ""]
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return [*title, f"Not measured: {reason}"]
    what = (
        "Labels, posteriors and log evidence of 1,000,000 rows, 10 features, 3 classes, by the SQL "
        "of a model and by its own kernels: milliseconds of processor time on two threads, medians "
        f"of {REPEATS} rounds. In brackets how many times as long the SQL takes."
    )
    table = [
        "| structure | SQL | labels, posteriors and evidence | posteriors alone |",
        "|---|---|---|---|",
    ]
    return [*title, what, "", *table, *done.stdout.splitlines()]


def measure(n: int, folder: str) -> Iterator[tuple[str, float, float, float]]:
    """Of each structure milliseconds of the SQL, of all that it gives, and of posteriors alone."""
    random = np.random.default_rng(0)
    y = random.integers(0, K, n)
    turn, mean = random.normal(size=(K, D, D)), random.normal(size=(K, D))
    X = random.normal(size=(n, D))
    for c in range(K):
        X[y == c] = X[y == c] @ turn[c] + mean[c]
    connection = duckdb.connect(config={"threads": 2})
    connection.register("numbers", pa.table({f"x{j}": X[:, j] for j in range(D)}))
    connection.execute("CREATE TABLE rows AS SELECT * FROM numbers")
    for name, options in MODELS.items():
        model = GaussianClassifier(n_jobs=2, **options).fit(X[:20_000], y[:20_000])
        path = model.export(Path(folder, "score.sql"), table="rows")
        statement = f"CREATE OR REPLACE TABLE scored AS {path.read_text(encoding='utf-8')}"
        times = []
        for _ in range(REPEATS):
            start = process_time()
            for score in (model.predict, model.predict_proba, model.score_samples):
                score(X)
            middle = process_time()
            connection.execute(statement)
            end = process_time()
            model.predict_proba(X)
            times.append((middle - start, end - middle, process_time() - end))
        own, sql, posterior = np.median(times, axis=0) * 1e3
        yield name, sql, own, posterior


def main(n: int) -> None:
    """Print the rows of the table."""
    with TemporaryDirectory() as folder:
        for name, sql, own, posterior in measure(n, folder):
            others = (f"{time:.0f} ({sql / time:.1f}×)" for time in (own, posterior))
            print(f"| {name} | {sql:.0f} | " + " | ".join(others) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
