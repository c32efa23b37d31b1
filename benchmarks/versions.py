"""Two versions of the package against each other, in turn: what has become slower?

``python benchmarks/versions.py BEFORE AFTER`` takes the Python interpreters of two environments,
each with one version of gaussbayes. Each runs in a process of its own; for every kind of work they
are timed alternately, so that a slow moment of the machine hits both. Printed is how many times as
long the second takes, by the best and by the median times; ✗ marks more than 5 %.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from cells import CELLS, Cell, draw

SETTINGS: dict[str, dict[str, Any]] = {
    "full, own": {"covariance": "full"},
    "full, shared": {"covariance": "full", "shared": True},
    "diagonal": {"covariance": "diagonal"},
}
WORK = ("fit", "predict_proba", "predict")
MISSING = Cell("missing", 20_000, 10, 3)
LEFT_OUT = Cell("left_out", 20_000, 10, 3)
TABLES = {cell.name: cell for cell in (*CELLS, MISSING, LEFT_OUT)}
AT_LEAST = 0.002


def calls(cell: Cell) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every kind of work on one cell, by name."""
    from gaussbayes import GaussianClassifier

    X, y = draw(cell)
    if cell is MISSING:
        X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    for name, settings in SETTINGS.items():
        model = GaussianClassifier(**settings).fit(X, y)
        if cell is LEFT_OUT:
            yield f"leave_one_out, {name}", partial(model.leave_one_out, X, y)
        else:
            for work in WORK:
                given = (X, y) if work == "fit" else (X,)
                yield f"{work}, {name}", partial(getattr(model, work), *given)


def answer() -> None:
    """In one of the two processes: time what is asked for, until nothing more is."""
    for line in sys.stdin:
        functions = dict(calls(TABLES[json.loads(line)]))
        print(json.dumps(list(functions)), flush=True)
        for name in iter(sys.stdin.readline, "\n"):
            print(json.dumps(_seconds(functions[json.loads(name)])), flush=True)


def _seconds(function: Callable[[], object]) -> float:
    """The mean time of a call, over as many as `AT_LEAST` seconds take."""
    start, n_calls = time.perf_counter(), 0
    while n_calls == 0 or time.perf_counter() - start < AT_LEAST:
        function()
        n_calls += 1
    return (time.perf_counter() - start) / n_calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs=2, metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cells", nargs="+", choices=TABLES, default=list(TABLES))
    arguments = parser.parse_args()
    processes = [
        subprocess.Popen(
            [python, __file__, "--answer"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for python in arguments.interpreters
    ]
    print(f"{'cell':10}{'work':32}{'before':>12}{'after':>12}{'best':>8}{'median':>8}")
    for cell in arguments.cells:
        names, _ = [_ask(process, cell) for process in processes]
        for name in names:
            for process in processes:
                _ask(process, name)
            times: tuple[list[float], list[float]] = ([], [])
            for _, which in product(range(arguments.rounds), range(2)):
                times[which].append(_ask(processes[which], name))
            before, after = (min(seconds) for seconds in times)
            middle = statistics.median(times[1]) / statistics.median(times[0])
            mark = " ✗" if min(after / before, middle) > 1.05 else ""
            shown = f"{1e3 * before:9.3f} ms{1e3 * after:9.3f} ms{after / before:8.2f}{middle:8.2f}"
            print(f"{cell:10}{name:32}{shown}{mark}", flush=True)
        for process in processes:
            print(file=process.stdin, flush=True)
    for process in processes:
        process.communicate()


def _ask(process: "subprocess.Popen[str]", question: str) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(question), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())


if __name__ == "__main__":
    answer() if sys.argv[1:] == ["--answer"] else main()
