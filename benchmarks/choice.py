"""How long the automatic choice takes, and a shrunk fit of more features than rows.

CPU seconds, which other processes do not count in, on one thread and on two; the median of some
rounds, and the memory at its peak in sizes of the table. The goals are 10 s for 10,000 × 50 of 10
classes, 2 s for 20,000 × 9, 10 s for 63 × 2,308, and .5 s for its fit, in 10 sizes of the table.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from gaussbayes import GaussianClassifier

MODELS: dict[str, Callable[[int], Any]] = {
    "auto()": lambda n_jobs: GaussianClassifier.auto(n_jobs=n_jobs),
    "auto(average=True)": lambda n_jobs: GaussianClassifier.auto(average=True, n_jobs=n_jobs),
    'covariance="auto", shrinkage="auto"': lambda n_jobs: GaussianClassifier(
        "auto", shrinkage="auto", n_jobs=n_jobs
    ),
    "shared=True, shrinkage=0.5": lambda n_jobs: GaussianClassifier(
        shared=True, shrinkage=0.5, n_jobs=n_jobs
    ),
}


def correlated(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Rows of Gaussians, each class with a covariance of its own."""
    generator = np.random.default_rng(0)
    y = np.arange(n) % k
    means, mix = generator.normal(size=(k, d)), generator.normal(size=(k, d, d)) / np.sqrt(d)
    X = 0.5 * generator.normal(size=(n, d))
    for c in range(k):
        X[c::k] += means[c] + generator.normal(size=X[c::k].shape) @ mix[c].T
    return X, y


def wide() -> tuple[Any, Any]:
    """As many rows, features and classes as the small round blue cell tumours."""
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [23, 8, 12, 20])
    X = generator.normal(size=(63, 2308))
    X[:, :100] += 2.0 * generator.normal(size=(4, 100))[y]
    return X, y


TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris, 150 × 4, 3 classes": lambda: load_iris(return_X_y=True),
    "20,000 × 9, 2 classes": lambda: correlated(20_000, 9, 2),
    "10,000 × 50, 10 classes": lambda: correlated(10_000, 50, 10),
    "1,000,000 × 10, 3 classes": lambda: correlated(1_000_000, 10, 3),
    "63 × 2,308, 4 classes": wide,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="tables that have this in their names")
    arguments = parser.parse_args()
    print("| table | model | CPU, 1 thread | CPU, 2 threads | memory, tables |")
    print("|---|---|---|---|---|")
    for name, make in TABLES.items():
        if arguments.only not in name:
            continue
        X, y = make()
        for model, build in MODELS.items():
            times = []
            for threads in (1, 2):
                with threadpool_limits(threads):
                    times.append(cpu(partial(build(threads).fit, X, y), arguments.rounds))
            tracemalloc.start()
            build(1).fit(X, y)
            peak = tracemalloc.get_traced_memory()[1] / X.nbytes
            tracemalloc.stop()
            shown = " | ".join(f"{seconds:.3f} s" for seconds in times)
            print(f"| {name} | `{model}` | {shown} | {peak:.1f} |", flush=True)


def cpu(work: Callable[[], Any], rounds: int) -> float:
    """The median of the CPU seconds that something takes."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds))


if __name__ == "__main__":
    main()
