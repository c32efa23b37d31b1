"""Two versions of the package on the same folds of the public tables: losses and processor time.

``python benchmarks/quality_versions.py BEFORE AFTER`` takes the Python interpreters of two
environments, each with one version of gaussbayes. Each runs in a process of its own. The automatic
model of a version is `AutoClassifier()`, and before there was one `GaussianClassifier.auto()`.
For each table are printed the log losses of held-out rows, their standard errors and ratio (after
over before; losses below .01 count as .01), and the processor time of all fits. The end has the
geometric means of the ratios, and the tables on which losses are larger than ``--most`` allows.
``--seeds 10`` makes the folds ten times over; the standard errors are then those of the
difference, over the seeds. ``make tables`` fetches the tables.
"""

import argparse
import json
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

KINDS = ("numbers", "mixed", "other")
LEAST = 0.01


def losses(path: Path) -> dict[str, Any]:
    """In one of the two processes: mean log losses of held-out rows, their errors, and time."""
    warnings.simplefilter("ignore")
    X, y, folds = pickle.loads(path.read_bytes())
    rows = np.random.default_rng(0).normal(size=(30, 2))
    automatic().fit(rows, np.arange(30) % 2).predict_proba(rows)  # imports take no time below
    means, errors, seconds = [], [], 0.0
    for fold in folds:
        try:
            loss, time_of_fits = held_out(X, y, fold)
        except ValueError as error:
            return {"refused": str(error)}
        means.append(float(loss.mean()))
        errors.append(float(loss.std() / np.sqrt(y.size)))
        seconds += time_of_fits
    return {"losses": means, "errors": errors, "seconds": seconds}


def automatic() -> Any:
    """The automatic model of this version."""
    import gaussbayes

    make = getattr(gaussbayes, "AutoClassifier", None)
    return gaussbayes.GaussianClassifier.auto() if make is None else make()


def held_out(X: Any, y: Any, fold: Any) -> tuple[Any, float]:
    """Log losses (n,) of the rows of each fold by the model of the others, and time of the fits."""
    probability, seconds = np.zeros((y.size, y.max() + 1)), 0.0
    for number in range(fold.max() + 1):
        train, test = fold != number, fold == number
        started = time.process_time()
        model = automatic().fit(X.loc[train], y[train])
        seconds += time.process_time() - started
        probability[np.ix_(test, model.classes_)] = model.predict_proba(X.loc[test])
    return -np.log(np.maximum(probability[np.arange(y.size), y], 1e-15)), seconds


def write_tables(folder: Path, kinds: tuple[str, ...], only: str, seeds: int) -> Iterator[Any]:
    """Names of tables, and the files with rows, classes and folds that both processes read."""
    from sklearn.model_selection import StratifiedKFold
    from tables import real

    for table in (table for kind in kinds for table in real(kind, only)):
        y = table.labels
        folds = np.empty((seeds, y.size), dtype=np.intp)
        for seed, fold in enumerate(folds):
            split = StratifiedKFold(5, shuffle=True, random_state=seed).split(fold, y)
            for number, (_, test) in enumerate(split):
                fold[test] = number
        path = folder / "table.pickle"
        path.write_bytes(pickle.dumps((table.frame, y, folds)))
        yield f"{table.name} {table.frame.shape}", path


def main() -> None:
    """Measure both versions, and print where the second loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs=2, metavar="PYTHON", help="before, and after")
    parser.add_argument("--kind", choices=KINDS, help="tables of one kind")
    parser.add_argument("--only", default="", help="part of the names of tables")
    parser.add_argument("--seeds", type=int, default=1, help="how often folds are made")
    parser.add_argument("--most", type=float, default=1.03, help="ratio of losses that is allowed")
    arguments = parser.parse_args()
    kinds = KINDS if arguments.kind is None else (arguments.kind,)
    ratios, times, larger = [], [], []
    with TemporaryDirectory() as folder:
        for name, path in write_tables(Path(folder), kinds, arguments.only, arguments.seeds):
            commands = [[python, __file__, "--table", path] for python in arguments.interpreters]
            before, after = (json.loads(subprocess.check_output(each)) for each in commands)
            refused = before.get("refused"), after.get("refused")
            if any(refused):
                print(f"{name}: refused {refused}", flush=True)
                continue
            first, second = (np.array(each["losses"]) for each in (before, after))
            ratios.append(max(second.mean(), LEAST) / max(first.mean(), LEAST))
            times.append(after["seconds"] / before["seconds"])
            means = f"{first.mean():.4f} → {second.mean():.4f}"
            errors = f"± {before['errors'][0]:.4f}, ± {after['errors'][0]:.4f}"
            if arguments.seeds > 1:
                error = (second - first).std(ddof=1) / np.sqrt(arguments.seeds)
                errors = f"difference {(second - first).mean():+.4f} ± {error:.4f}"
            seconds = f"{before['seconds']:.2f} → {after['seconds']:.2f} s, {times[-1]:.2f}"
            line = f"{name}: {means}, {errors}, {ratios[-1]:.3f}; {seconds}"
            larger += [line] if ratios[-1] > arguments.most else []
            print(line, flush=True)
    loss, seconds = (np.exp(np.mean(np.log(each))) for each in (ratios, times))
    print(f"{len(ratios)} tables; geometric means: log loss {loss:.3f}, time {seconds:.2f}")
    print(f"log loss larger by more than {arguments.most}:", *larger, sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        print(json.dumps(losses(Path(sys.argv[2]))))
    else:
        main()
