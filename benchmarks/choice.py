"""How long the automatic choice takes, and a shrunk fit of more features than rows.

CPU seconds, which other processes do not count in, on one thread and on two; the median of some
rounds, and the memory at its peak in sizes of the table. The goals are 2 s for 10,000 × 50 of 10
classes, 1 s for 20,000 × 9 and for 63 × 2,308, 10 s for 5,000 × 500, 5 s for 200 classes and for
20,000 × 9 with categories and missing values, and .5 s for small tables, in 10 sizes of the table.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from gaussbayes import AutoClassifier, GaussianClassifier

MODELS: dict[str, Callable[[int], Any]] = {
    "AutoClassifier()": lambda n_jobs: AutoClassifier(n_jobs=n_jobs),
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


def irises(missing: float = 0.0, unlabelled: float = 0.0) -> tuple[Any, Any]:
    """Fisher's irises without some of the values, and without some of the labels."""
    generator = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    X[generator.random(X.shape) < missing] = np.nan
    labels = y.astype(object)
    labels[generator.random(y.size) < unlabelled] = None
    return X, labels if unlabelled else y


def mixed(n: int, numbers: int, categories: int, k: int) -> tuple[Any, Any]:
    """Numbers and categories of four kinds, of which a twentieth is missing."""
    generator = np.random.default_rng(0)
    y = generator.integers(0, k, n)
    X = generator.normal(size=(n, numbers)) @ generator.normal(size=(numbers, numbers))
    frame = pd.DataFrame(X / np.sqrt(numbers) + 0.5 * generator.normal(size=(k, numbers))[y])
    frame.columns = [f"x{column}" for column in range(numbers)]
    for column in range(categories):
        ends = generator.dirichlet(np.ones(4), size=k).cumsum(axis=1)[y]
        kinds = (generator.random(n)[:, None] > ends[:, :3]).sum(axis=1)
        frame[f"c{column}"] = np.array(list("abcd"), dtype=object)[kinds]
    return frame.mask(generator.random(frame.shape) < 0.05), y


TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris, 150 × 4, 3 classes": irises,
    "iris, 10 % of the values missing": partial(irises, 0.1),
    "iris, half of the labels missing": partial(irises, 0.0, 0.5),
    "iris, both": partial(irises, 0.1, 0.5),
    "1,000 × 10 mixed, 5 % missing": partial(mixed, 1_000, 7, 3, 3),
    "20,000 × 9 mixed, 5 % missing": partial(mixed, 20_000, 5, 4, 2),
    "20,000 × 9, 2 classes": lambda: correlated(20_000, 9, 2),
    "10,000 × 50, 10 classes": lambda: correlated(10_000, 50, 10),
    "5,000 × 500, 2 classes": lambda: correlated(5_000, 500, 2),
    "20,000 × 20, 200 classes": lambda: correlated(20_000, 20, 200),
    "1,000,000 × 10, 3 classes": lambda: correlated(1_000_000, 10, 3),
    "63 × 2,308, 4 classes": wide,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="tables that have this in their names")
    parser.add_argument("--model", default="auto()", help='one of the models, or "" for all')
    arguments = parser.parse_args()
    print("| table | model | CPU, 1 thread | CPU, 2 threads | memory, tables |")
    print("|---|---|---|---|---|")
    for name, make in TABLES.items():
        if arguments.only not in name:
            continue
        X, y = make()
        size = int(X.memory_usage().sum()) if isinstance(X, pd.DataFrame) else X.nbytes
        for model, build in MODELS.items():
            if arguments.model not in ("", model):
                continue
            times = []
            for threads in (1, 2):
                with threadpool_limits(threads):
                    times.append(cpu(partial(build(threads).fit, X, y), arguments.rounds))
            tracemalloc.start()
            build(1).fit(X, y)
            peak = tracemalloc.get_traced_memory()[1] / size
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
