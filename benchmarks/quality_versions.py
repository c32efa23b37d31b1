"""Two versions of the package on the same folds of the public tables: where are losses larger now?

``python benchmarks/quality_versions.py BEFORE AFTER`` takes the Python interpreters of two
environments, each with one version of gaussbayes. Each runs in a process of its own. The automatic
model of a version is `AutoClassifier()`, and before there was one the choice among
structures and shrinkages. Printed are the geometric mean of the ratios of log losses, after over
before, and the tables on which it is above ``--most``, with standard errors; losses below .01 count
as .01. ``--seeds 10`` makes the folds ten times over; the standard errors are then those of the
difference, over the seeds. ``make tables`` fetches the tables.
"""

import argparse
import json
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

LEAST = 0.01


def losses(path: Path) -> dict[str, Any]:
    """In one of the two processes: mean log losses of rows held out, and their standard errors."""
    warnings.simplefilter("ignore")
    arrays = np.load(path)
    X, y = arrays["X"], arrays["y"]
    means, errors = [], []
    for fold in arrays["folds"]:
        try:
            loss = held_out(X, y, fold)
        except ValueError as error:
            return {"refused": str(error)}
        means.append(float(loss.mean()))
        errors.append(float(loss.std() / np.sqrt(y.size)))
    return {"losses": means, "errors": errors}


def held_out(X: Any, y: Any, fold: Any) -> Any:
    """Log losses (n,) of the rows of each fold, by the model of the others."""
    import gaussbayes
    from gaussbayes import GaussianClassifier

    probability = np.zeros((y.size, y.max() + 1))
    for number in range(fold.max() + 1):
        train, test = fold != number, fold == number
        make = getattr(gaussbayes, "AutoClassifier", getattr(GaussianClassifier, "auto", None))
        model = GaussianClassifier("auto", shrinkage="auto") if make is None else make()
        model.fit(X[train], y[train])
        probability[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
    return -np.log(np.maximum(probability[np.arange(y.size), y], 1e-15))


def write_tables(folder: Path, only: str, seeds: int) -> list[str]:
    """The rows, classes and folds of every table of numbers, where both processes find them."""
    from sklearn.model_selection import StratifiedKFold
    from tables import real

    names = []
    for number, table in enumerate(real("numbers", only)):
        y = table.labels
        folds = np.empty((seeds, y.size), dtype=np.intp)
        for seed, fold in enumerate(folds):
            split = StratifiedKFold(5, shuffle=True, random_state=seed).split(fold, y)
            for place, (_, test) in enumerate(split):
                fold[test] = place
        np.savez(folder / f"{number}.npz", X=table.frame.to_numpy(float), y=y, folds=folds)
        names.append(table.name)
    return names


def main() -> None:
    """Measure both versions, and print where the second loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs=2, metavar="PYTHON", help="before, and after")
    parser.add_argument("--only", default="", help="part of the names of tables")
    parser.add_argument("--seeds", type=int, default=1, help="how often folds are made")
    parser.add_argument("--most", type=float, default=1.06, help="ratio of losses that is allowed")
    arguments = parser.parse_args()
    ratios = []
    with TemporaryDirectory() as folder:
        for number, name in enumerate(write_tables(Path(folder), arguments.only, arguments.seeds)):
            commands = [
                [python, __file__, "--table", f"{folder}/{number}.npz"]
                for python in arguments.interpreters
            ]
            before, after = (json.loads(subprocess.check_output(each)) for each in commands)
            refused = before.get("refused"), after.get("refused")
            if any(refused):
                print(f"{name}: refused {refused}", flush=True)
                continue
            first, second = (np.array(each["losses"]) for each in (before, after))
            ratios.append(max(second.mean(), LEAST) / max(first.mean(), LEAST))
            if ratios[-1] > arguments.most or arguments.seeds > 1:
                means = f"{first.mean():.4f} → {second.mean():.4f}"
                errors = f"± {before['errors'][0]:.4f}, ± {after['errors'][0]:.4f}"
                if arguments.seeds > 1:
                    error = (second - first).std(ddof=1) / np.sqrt(arguments.seeds)
                    errors = f"difference {(second - first).mean():+.4f} ± {error:.4f}"
                print(f"{name}: {means}, {errors}, {ratios[-1]:.3f}", flush=True)
    print(f"{len(ratios)} tables, geometric mean {np.exp(np.mean(np.log(ratios))):.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        print(json.dumps(losses(Path(sys.argv[2]))))
    else:
        main()
