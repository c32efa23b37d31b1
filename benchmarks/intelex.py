"""Ours beside oneDAL (scikit-learn-intelex), which has moments without labels: time and exactness.

In a process of its own: its threads and its memory are not those of the other benchmarks. It is
timed in turn with ours, which sums up the rows of every class. The error is that of variances of
rows that come in blocks, at an offset of 1e8 standard deviations.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
from cells import CELLS, draw
from timing import interleaved

from gaussbayes import GaussianClassifier

_OFFSET, _BLOCKS = 1e8, 10


def section(rounds: int) -> list[str]:
    """The lines of the page; none where scikit-learn-intelex is not installed."""
    command = [sys.executable, __file__, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return ["", "## Beside oneDAL", "", f"Not measured: {reason}"]
    measured = json.loads(done.stdout.splitlines()[-1])
    what = (
        f"scikit-learn-intelex {measured['version']}: moments of all rows together, where ours are "
        "those of each class and a fitted model. Milliseconds, timed in turn in their own process."
    )
    lines = ["", "## Beside oneDAL", "", what, ""]
    lines += [
        "| cell | diagonal fit | mean and variance | full fit | covariance |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | " + " | ".join(f"{1e3 * seconds:.3g}" for seconds in times) + " |"
        for name, times in measured["times"].items()
    ]
    ours, theirs = measured["errors"]
    exactness = (
        f"Relative error of variances of rows that come in {_BLOCKS} blocks, at an offset of 1e8 "
        f"standard deviations: ours {ours:.1e}, oneDAL's {theirs:.1e}."
    )
    lines += ["", exactness]
    return lines


def measure(rounds: int) -> dict[str, Any]:
    """Seconds of every cell, ours and theirs, and both errors."""
    from sklearnex.basic_statistics import BasicStatistics
    from sklearnex.preview.covariance import EmpiricalCovariance

    times = {}
    for cell in CELLS[:4]:
        X, y = draw(cell)
        calls: dict[str, Callable[[], object]] = {
            "diagonal": lambda X=X, y=y: GaussianClassifier(covariance="diagonal").fit(X, y),
            "statistics": lambda X=X: BasicStatistics(["mean", "variance"]).fit(X),
            "full": lambda X=X, y=y: GaussianClassifier().fit(X, y),
            "covariance": lambda X=X: EmpiricalCovariance().fit(X),
        }
        times[cell.name] = [timing.best for timing in interleaved(calls, rounds).values()]
    return {"version": version("scikit-learn-intelex"), "times": times, "errors": _errors()}


def _errors() -> tuple[float, float]:
    """Largest relative error of a variance, ours and theirs, by exact fractions."""
    from sklearnex.basic_statistics import IncrementalBasicStatistics

    X = np.random.default_rng(0).standard_normal((2_000, 4)) + _OFFSET
    ours, theirs = GaussianClassifier(covariance="diagonal"), IncrementalBasicStatistics()
    # One class is all rows; another, far away, makes it a classifier.
    for block in np.array_split(X, _BLOCKS):
        labels = np.repeat([0, 1], len(block))
        ours.partial_fit(np.concatenate([block, block + 1e3]), labels)
        theirs.partial_fit(block)
    exact = np.array([_variance(column) for column in X.T])
    n = len(X)
    own = np.diagonal(ours.covariances_[0])
    other = np.asarray(theirs.variance_) * (n - 1) / n
    return float(np.abs(own / exact - 1).max()), float(np.abs(other / exact - 1).max())


def _variance(column: np.ndarray) -> float:
    values = [Fraction(float(value)) for value in column]
    mean = sum(values) / len(values)
    return float(sum((value - mean) ** 2 for value in values) / len(values))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
