"""Run all benchmarks, print them, and write docs/benchmarks.md.

``--rounds N`` repeats of each (default 7); ``--quick`` leaves the large cells out and writes
nothing.
"""

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np
import scipy
import sklearn
from cells import CELLS
from choice_page import section_of
from embeddings import section as embeddings
from intelex import section as beside_onedal
from limits import Limit, against_the_machine, many_classes, memory, small_tables, start
from ratios import GOALS, STRUCTURES, Ratio, ratios_of
from sql import section as in_duckdb

import gaussbayes
from gaussbayes import kernels

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    cells = CELLS[-1:] if arguments.quick else CELLS
    started = time.perf_counter()
    ratios, alike = [], []
    for cell in cells:
        ratios += ratios_of(cell, arguments.rounds)
        print(f"{cell.name} done", flush=True)
        if cell.name in "BCD":
            alike += ratios_of(cell, arguments.rounds, alike=True)
    limits = (
        [start()]
        if arguments.quick
        else [
            *against_the_machine(arguments.rounds),
            *small_tables(arguments.rounds),
            many_classes(arguments.rounds),
            *memory(),
            start(),
        ]
    )
    peers = []
    if not arguments.quick:
        peers = ["", *embeddings(arguments.rounds), *beside_onedal(arguments.rounds), *in_duckdb()]
    page = "\n".join(_page(ratios, alike, limits, arguments.rounds, peers))
    print(page)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if not arguments.quick:
        choice = section_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else ""
        PAGE.write_text(f"{page}\n\n{choice}".rstrip() + "\n", encoding="utf-8")


def _page(
    ratios: list[Ratio], alike: list[Ratio], limits: list[Limit], rounds: int, peers: list[str]
) -> list[str]:
    lines = ["# Benchmarks", "", *_machine(), ""]
    lines += [
        (
            "Ours and scikit-learn's are timed in turn in one process, both on all cores, "
            f"{rounds} rounds; scikit-learn's fastest solver counts. How many times faster ours "
            "is, by the best times, with the median in brackets; ✗ marks a figure below its goal."
        ),
        "",
        *_table(ratios),
        "",
        "Cells: " + "; ".join(f"{cell.name} {cell}" for cell in CELLS) + ". float64, C order. "
        "Each class has a mean, N(0, 1) per feature, and a covariance with variances "
        "between 0.1 and 10 along random axes.",
        "",
        "## When all classes are the same Gaussian",
        "",
        "The worst case for predictions: no class can be pruned.",
        "",
        *_table(alike),
        "",
        "## Against the machine's limits",
        "",
        "| what | measured | goal | |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {limit.what} | {limit.measured} | {limit.goal} | {_mark(limit.holds)} |"
        for limit in limits
    ]
    lines += [
        *peers,
        "",
        "## Milliseconds",
        "",
        "| work | structure | cell | ours | scikit-learn | solver |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {own.work} | {own.structure} | {own.cell} | {own.ours.best * 1e3:.3g} | "
        f"{own.theirs.best * 1e3:.3g} | {own.solver} |"
        for own in ratios
    ]
    lines += ["", "Made by `make bench`."]
    return lines


def _table(ratios: list[Ratio]) -> list[str]:
    names = list(dict.fromkeys(own.cell for own in ratios))
    lines = ["| work | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for work in ("fit", "predict_proba", "predict"):
        for structure in STRUCTURES:
            row = {
                own.cell: own for own in ratios if (own.work, own.structure) == (work, structure)
            }
            if row:
                cells = " | ".join(_figure(row[name], work, structure) for name in names)
                lines.append(f"| {work}, {structure} | {cells} |")
    return lines


def _figure(own: Ratio, work: str, structure: str) -> str:
    goals = GOALS.get((work if work == "fit" else "predict_proba", structure))
    goal = dict(zip("ABCDE", goals, strict=True))[own.cell] if goals else 0.0
    return f"{own.best:.1f}× ({own.median:.1f}) / {goal}×" + ("" if own.best >= goal else " ✗")


def _machine() -> list[str]:
    model = "unknown processor"
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line for line in information.read_text().splitlines() if "model name" in line]
        model = names[0].split(":", 1)[1].strip() if names else model
    own = kernels.active()
    system = f"{platform.system()}, Python {platform.python_version()}"
    libraries = (
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    ours = f"gaussbayes {gaussbayes.__version__}, {own.NAME} kernels ({own.instruction_set()})"
    return [f"{model}, {os.cpu_count()} cores; {system}; {libraries}; {ours}."]


def _mark(holds: bool) -> str:
    return "✓" if holds else "✗"


if __name__ == "__main__":
    main()
