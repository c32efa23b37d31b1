"""Rows scored by the SQL of a model in DuckDB, beside the model's own kernels, in turn.

    python benchmarks/sql.py [ROWS]

Processor time of two threads, as other programs may run. What bounds DuckDB is the number of passes
over vectors of 2,048 rows: a multiplication and an addition for each entry of each whitener, with
intermediate results in the cache; the kernels keep them in registers.
"""

import sys
from time import process_time

import duckdb
import numpy as np
import pyarrow as pa

from gaussbayes import GaussianClassifier

REPEATS, D, K = 5, 10, 3
MODELS = {
    "full, own": {},
    "full, shared": {"shared": True},
    "diagonal": {"covariance": "diagonal"},
    "predictive": {"estimate": "predictive"},
}


def main(n: int) -> None:
    """Print the median of the times, and of their ratio, for each structure."""
    random = np.random.default_rng(0)
    y = random.integers(0, K, n)
    turn, mean = random.normal(size=(K, D, D)), random.normal(size=(K, D))
    X = random.normal(size=(n, D))
    for c in range(K):
        X[y == c] = X[y == c] @ turn[c] + mean[c]
    connection = duckdb.connect(config={"threads": 2})
    connection.register("numbers", pa.table({f"x{j}": X[:, j] for j in range(D)}))
    connection.execute("CREATE TABLE rows AS SELECT * FROM numbers")
    print(f"{n:,} rows, {D} features, {K} classes: milliseconds of processor time")
    for name, options in MODELS.items():
        model = GaussianClassifier(n_jobs=2, **options).fit(X[:20_000], y[:20_000])
        statement = f"CREATE OR REPLACE TABLE scored AS {model.to_sql('rows')}"
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
        print(
            f"{name:14} labels, posteriors and evidence {own:6.0f}, SQL {sql:6.0f} "
            f"({sql / own:.1f}×); posteriors alone {posterior:6.0f} ({sql / posterior:.1f}×)"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
