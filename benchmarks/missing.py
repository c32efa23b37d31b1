"""Predicting 100,000 × 20 with a fifth of the values missing at random, against complete rows.

The goal is 10 times. A pattern of missing features has about three rows, so that nearly each needs
a matrix of its own. Both are timed in turn, by the clock and, as the machine may be busy, by the
processor time of one thread.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from cells import Cell, draw
from timing import interleaved

from gaussbayes import GaussianClassifier

CELL = Cell("missing", 100_000, 20, 3)
SHARE = 0.2
GOAL = 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    X, y = draw(CELL)
    holed = np.where(np.random.default_rng(0).random(X.shape) < SHARE, np.nan, X)
    different = np.unique(np.packbits(np.isnan(holed), axis=1), axis=0).shape[0]
    print(f"{CELL}, {SHARE:.0%} missing, {different:,} patterns; the goal is {GOAL}×.\n")
    print("| model | answer | complete, ms | holed, ms | ratio (median) | one thread, processor |")
    print("|---|---|---|---|---|---|")
    for shared in (False, True):
        for covariance in ("full", "diagonal", "spherical"):
            model = GaussianClassifier(covariance, shared=shared).fit(X, y)
            alone = GaussianClassifier(covariance, shared=shared, n_jobs=1).fit(X, y)
            for name in ("predict", "predict_proba"):
                answer, by_one = getattr(model, name), getattr(alone, name)
                times = interleaved(
                    {
                        "complete": lambda answer=answer: answer(X),
                        "holed": lambda answer=answer: answer(holed),
                    },
                    arguments.rounds,
                )
                whole, part = times["complete"], times["holed"]
                used = _processor_ratio(
                    lambda by_one=by_one: by_one(X),
                    lambda by_one=by_one: by_one(holed),
                    arguments.rounds,
                )
                ratio = part.best / whole.best
                mark = "" if ratio <= GOAL else " ✗"
                print(
                    f"| {'shared' if shared else 'own'} {covariance} | {name} "
                    f"| {whole.best * 1e3:.1f} | {part.best * 1e3:.1f} "
                    f"| {ratio:.1f} ({part.median / whole.median:.1f}){mark} | {used:.1f} |"
                )


def _processor_ratio(one: Callable[[], object], other: Callable[[], object], rounds: int) -> float:
    """Processor time of the second over that of the first, the best of some rounds each."""
    best = [np.inf, np.inf]
    for _ in range(rounds):
        for which, call in enumerate((one, other)):
            start = time.process_time()
            call()
            best[which] = min(best[which], time.process_time() - start)
    return best[1] / best[0]


if __name__ == "__main__":
    main()
