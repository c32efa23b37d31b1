"""The drop-in classes against those that they replace: seconds of processor time, interleaved.

``python benchmarks/drop_ins.py`` prints the table of docs/coming-from/scikit-learn.md; ``--rounds
N`` repeats (default 7). Processor time, since a busy machine lengthens everything else.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from cells import CELLS, draw
from sklearn import discriminant_analysis, naive_bayes
from sklearn.base import clone

import gaussbayes.sklearn as ours

PAIRS = [
    (discriminant_analysis.LinearDiscriminantAnalysis(), ours.LinearDiscriminantAnalysis()),
    (discriminant_analysis.QuadraticDiscriminantAnalysis(), ours.QuadraticDiscriminantAnalysis()),
    (naive_bayes.GaussianNB(), ours.GaussianNB()),
]
WORK = ("fit", "predict", "predict_proba", "transform")


def seconds(function: Callable[[], object], at_least: float = 0.02) -> float:
    """Processor time of one call."""
    count, start = 0, time.process_time()
    while time.process_time() - start < at_least or not count:
        function()
        count += 1
    return (time.process_time() - start) / count


def ratio(
    theirs: Callable[[], object], mine: Callable[[], object], rounds: int
) -> tuple[float, ...]:
    """The least of both, each called in turn."""
    pairs = [(seconds(theirs), seconds(mine)) for _ in range(rounds)]
    best = np.min(pairs, axis=0)
    return float(best[0]), float(best[1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for cell in CELLS:
        if cell.name not in "ABE":
            continue
        X, y = draw(cell)
        for theirs, mine in PAIRS:
            fitted = [clone(theirs).fit(X, y), clone(mine).fit(X, y)]
            shown = []
            for work in WORK:
                if not hasattr(theirs, work):
                    continue
                arguments: tuple[Any, ...] = (X, y) if work == "fit" else (X,)
                calls = [lambda m=m, w=work, a=arguments: getattr(m, w)(*a) for m in fitted]
                before, after = ratio(*calls, rounds)
                shown.append(
                    f"{work} {before * 1e3:.3g} → {after * 1e3:.3g} ms ({before / after:.2g}×)"
                )
            print(f"{cell.name} {X.shape} {type(mine).__name__}: {'; '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
