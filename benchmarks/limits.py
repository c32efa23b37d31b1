"""Ours against what the machine could do at best: one read of X, one XᵀX, dgemm's rate; memory."""

import statistics
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cells import CELLS, Cell, draw
from timing import interleaved

from gaussbayes import GaussianClassifier


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure, what it should be, and whether it is."""

    what: str
    measured: str
    goal: str
    holds: bool


def against_the_machine(rounds: int) -> list[Limit]:
    """Fit and posterior of cells A-D beside the machine's own limits."""
    found = []
    gigaflops = _dgemm_rate(rounds)
    for cell in CELLS[:4]:
        X, y = draw(cell)
        full, diagonal = GaussianClassifier(), GaussianClassifier(covariance="diagonal")
        shared = GaussianClassifier(shared=True).fit(X, y)
        calls: dict[str, Callable[[], object]] = {
            "read": lambda X=X: _read(X),
            "diagonal": lambda X=X, y=y, model=diagonal: model.fit(X, y),
            "labels": lambda X=X, model=shared: model.predict(X),
            "product": lambda X=X: X.T @ X,
            "full": lambda X=X, y=y, model=full: model.fit(X, y),
        }
        full.fit(X, y)
        calls["posterior"] = lambda X=X, model=full: model.predict_proba(X)
        times = {name: timing.best for name, timing in interleaved(calls, rounds).items()}
        for work, name in (("diagonal", "diagonal fit"), ("labels", "shared labels")):
            what = f"{cell.name}: {name} / one read of X"
            found.append(_multiple(what, times[work] / times["read"], 1.6))
        if cell.n_features >= 50:
            found.append(
                _multiple(f"{cell.name}: full fit / one XᵀX", times["full"] / times["product"], 1.6)
            )
            found.append(_share(cell, times["posterior"], gigaflops, ""))
            alike, labels = draw(cell, alike=True)
            full.fit(alike, labels)
            only = {"posterior": lambda X=alike, model=full: model.predict_proba(X)}
            worst = interleaved(only, rounds)["posterior"].best
            found.append(_share(cell, worst, gigaflops, ", nothing to prune"))
    return found


def small_tables(rounds: int) -> list[Limit]:
    """Milliseconds of fit and labels of a thousand rows."""
    X, y = draw(CELLS[-1])
    model = GaussianClassifier().fit(X, y)
    calls: dict[str, Callable[[], object]] = {
        "fit": lambda: model.fit(X, y),
        "predict": lambda: model.predict(X),
    }
    times = interleaved(calls, rounds, at_least=0.05)
    return [
        Limit(
            f"E: {work} of {CELLS[-1]}",
            f"{1e3 * times[work].best:.3f} ms",
            f"≤ {most} ms",
            1e3 * times[work].best <= most,
        )
        for work, most in (("fit", 0.15), ("predict", 0.03))
    ]


def many_classes(rounds: int) -> Limit:
    """200 classes cost at most twice what 3 classes cost."""
    few, many = Cell("few", 200_000, 20, 3), Cell("many", 200_000, 20, 200)
    model = GaussianClassifier()
    tables = {cell.name: draw(cell) for cell in (few, many)}
    calls = {name: lambda own=own: model.fit(*own) for name, own in tables.items()}
    times = interleaved(calls, rounds)
    return _multiple(
        "fit of 200 classes / fit of 3 classes, 200,000 × 20",
        times["many"].best / times["few"].best,
        2.0,
    )


def memory() -> list[Limit]:
    """Memory beyond input, output and parameters, in a process of its own for each case."""
    found = []
    for work in ("fit", "predict_proba"):
        for n, d, k in ((4_000_000, 10, 3), (100_000, 500, 5)):
            command = [sys.executable, __file__, work, str(n), str(d), str(k)]
            extra = float(
                subprocess.run(command, capture_output=True, text=True, check=True).stdout
            )
            what = f"memory of {work}, {n:,} × {d}, {k} classes"
            found.append(Limit(what, f"{extra:.0f} MB", "≤ 64 MB", extra <= 64))
    return found


def start(rounds: int = 9) -> Limit:
    """``import gaussbayes`` against ``import numpy``, each in fresh processes."""
    times: dict[str, list[float]] = {"numpy": [], "gaussbayes": []}
    for _ in range(rounds):
        for name, own in times.items():
            code = f"from time import perf_counter as t; a = t(); import {name}; print(t() - a)"
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            )
            own.append(float(run.stdout))
    ratio = statistics.median(times["gaussbayes"]) / statistics.median(times["numpy"])
    return _multiple("import gaussbayes / import numpy", ratio, 1.3)


def _read(X: np.ndarray) -> float:
    """One pass over X on two threads, doing next to nothing."""
    halves = np.array_split(X.reshape(-1), 2)
    with ThreadPoolExecutor(2) as pool:
        return float(sum(pool.map(np.add.reduce, halves)))


def _dgemm_rate(rounds: int) -> float:
    a = np.random.default_rng(0).standard_normal((2000, 2000))
    best = interleaved({"dgemm": lambda: a @ a.copy()}, rounds)["dgemm"].best
    return 2 * 2000**3 / best / 1e9


def _multiple(what: str, ratio: float, most: float) -> Limit:
    return Limit(what, f"{ratio:.2f}×", f"≤ {most}×", ratio <= most)


def _share(cell: Cell, seconds: float, gigaflops: float, note: str) -> Limit:
    d = cell.n_features
    rate = cell.n_rows * cell.n_classes * d * (d + 1) / seconds / 1e9
    what = (
        f"{cell.name}: full posterior in triangular flops / dgemm's {gigaflops:.0f} GFlop/s{note}"
    )
    return Limit(what, f"{rate / gigaflops:.0%}", "≥ 60%", rate >= 0.6 * gigaflops)


def _extra_memory(work: str, n: int, d: int, k: int) -> float:
    """Megabytes by which memory rises at its peak, less the output and the parameters."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n, d))
    y = np.arange(n) % k
    model = GaussianClassifier().fit(X[: 50 * d], y[: 50 * d])  # everything is imported and warm
    model.predict_proba(X[:1000])
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _resident("VmRSS")
    # Of a fit, moments, covariances and whiteners are the result.
    known = 3 * k * d * d * 8 if work == "fit" else n * k * 8
    result = GaussianClassifier().fit(X, y) if work == "fit" else model.predict_proba(X)
    rise = _resident("VmHWM") - before
    del result
    return (rise - known) / 1e6


def _resident(entry: str) -> int:
    """Bytes resident now (VmRSS), or at most since the peak was last forgotten (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{entry}:")[1].split()[0]) * 1024


if __name__ == "__main__":
    print(_extra_memory(sys.argv[1], *map(int, sys.argv[2:])))
