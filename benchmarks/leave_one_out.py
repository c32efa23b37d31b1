"""Every row of 2,000 × 20 left out: ours in closed form against refitting scikit-learn's QDA.

The goal is 200 times. Ours starts from the rows, as a fit does, and predicts all of them.
scikit-learn is refitted without each of some rows, spread over the table, and its time is scaled up
to all rows: refitting 2,000 times would only take longer. The two are timed in turn.
"""

import argparse
from collections.abc import Callable

import numpy as np
from cells import Cell, draw
from gaussbayes.families.gaussian.leave_one_out import leave_one_out, shrinkage_path
from gaussbayes.families.gaussian.leave_one_out.toward_shared import has_closed_form
from gaussbayes.families.gaussian.structures import sharing_of
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.selection import SHRINKAGES, STRUCTURES, Choice, select
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from timing import interleaved

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.settings import Settings

CELL = Cell("leave one out", 2_000, 20, 3)
GOAL = 200


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sample", type=int, default=40, help="rows that QDA is refitted without")
    arguments = parser.parse_args()
    X, y = draw(CELL)
    codes, k = y.astype(np.int32), CELL.n_classes
    schema = Schema(np.arange(k), CELL.n_features)
    sample = np.linspace(0, CELL.n_rows - 1, arguments.sample).astype(int)
    peer = QuadraticDiscriminantAnalysis()

    def refit() -> None:
        others = np.ones(CELL.n_rows, dtype=bool)
        for row in sample:
            others[row] = False
            peer.fit(X[others], y[others]).predict_log_proba(X[row : row + 1])
            others[row] = True

    def ours(settings: Settings) -> None:
        moments = summarise(X, codes, None, k, settings.structure.layout, None)
        leave_one_out(X, codes, None, moments, schema, settings)

    def path(settings: Settings) -> None:
        moments = summarise(X, codes, None, k, settings.structure.layout, None)
        shrinkage_path(X, codes, None, moments, schema, settings, in_closed_form(settings))

    def in_closed_form(settings: Settings) -> list[Shrinkage]:
        return [one for one in SHRINKAGES if has_closed_form(settings.structure, one, None)]

    def choose(settings: Settings) -> None:
        moments = summarise(X, codes, None, k, "full", None)
        select(X, codes, None, moments, schema, Choice(settings))

    calls: dict[str, Callable[[], object]] = {"refitting": refit}
    for structure in STRUCTURES:
        for shrinkage in (None, 0.3, "oas") if structure.covariance != "spherical" else (None,):
            sharing = sharing_of(structure)
            settings = Settings(structure, None, "mle", shrinkage)
            if not has_closed_form(structure, shrinkage, None):
                continue
            name = f"{sharing} {structure.covariance}, shrinkage {shrinkage}"
            calls[name] = lambda settings=settings: ours(settings)
        if structure.covariance == "full":
            name = f"{sharing} full, a path of {len(in_closed_form(settings))} shrinkages"
            calls[name] = lambda settings=settings: path(settings)
    calls["all candidates of a selection"] = lambda: choose(settings)
    times = interleaved(calls, arguments.rounds)
    whole = CELL.n_rows / arguments.sample
    peers = times.pop("refitting")
    print(
        f"{CELL}, {arguments.rounds} rounds. Refitting QDA takes {whole * peers.best:.2f} s by the "
        f"best time, {whole * peers.median:.2f} s by the median, scaled up from {arguments.sample} "
        f"rows. The goal is {GOAL}×.\n"
    )
    print("| left out by | ms | times faster than refitting QDA (median) |\n|---|---|---|")
    for name, own in times.items():
        best, median = whole * peers.best / own.best, whole * peers.median / own.median
        mark = "" if best >= GOAL or "shrinkages" in name or "all" in name else " ✗"
        print(f"| {name} | {own.best * 1e3:.2f} | {best:.0f}× ({median:.0f}){mark} |")


if __name__ == "__main__":
    main()
