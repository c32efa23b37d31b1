"""Two versions of the package on the same folds of the public tables: where are losses larger now?

``python benchmarks/quality_versions.py BEFORE AFTER`` takes the Python interpreters of two
environments, each with one version of gaussbayes. Each runs in a process of its own. The automatic
model of a version is `GaussianClassifier.auto()`, and before there was one the choice among
structures and shrinkages. Printed are the geometric mean of the ratios of log losses, after over
before, and the tables on which it is above ``--most``, with standard errors; losses below .01 count
as .01. ``make tables`` fetches the tables.
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
    """In one of the two processes: the mean log loss of rows held out, and its standard error."""
    from gaussbayes import GaussianClassifier

    warnings.simplefilter("ignore")
    arrays = np.load(path)
    X, y, fold = arrays["X"], arrays["y"], arrays["fold"]
    probability = np.zeros((y.size, y.max() + 1))
    for number in range(fold.max() + 1):
        train, test = fold != number, fold == number
        make = getattr(GaussianClassifier, "auto", None)
        model = GaussianClassifier("auto", shrinkage="auto") if make is None else make()
        try:
            model.fit(X[train], y[train])
        except ValueError as error:
            return {"refused": str(error)}
        probability[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
    loss = -np.log(np.maximum(probability[np.arange(y.size), y], 1e-15))
    return {"loss": float(loss.mean()), "error": float(loss.std() / np.sqrt(y.size))}


def write_tables(folder: Path, only: str) -> list[str]:
    """The rows, classes and folds of every table of numbers, where both processes find them."""
    from sklearn.model_selection import StratifiedKFold
    from tables import real

    names = []
    for number, table in enumerate(real("numbers", only)):
        fold = np.empty(table.labels.size, dtype=np.intp)
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(fold, table.labels)
        for place, (_, test) in enumerate(folds):
            fold[test] = place
        np.savez(folder / f"{number}.npz", X=table.frame.to_numpy(float), y=table.labels, fold=fold)
        names.append(table.name)
    return names


def main() -> None:
    """Measure both versions, and print where the second loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs=2, metavar="PYTHON", help="before, and after")
    parser.add_argument("--only", default="", help="part of the names of tables")
    parser.add_argument("--most", type=float, default=1.06, help="ratio of losses that is allowed")
    arguments = parser.parse_args()
    ratios = []
    with TemporaryDirectory() as folder:
        for number, name in enumerate(write_tables(Path(folder), arguments.only)):
            commands = [
                [python, __file__, "--table", f"{folder}/{number}.npz"]
                for python in arguments.interpreters
            ]
            before, after = (json.loads(subprocess.check_output(each)) for each in commands)
            refused = before.get("refused"), after.get("refused")
            if any(refused):
                print(f"{name}: refused {refused}", flush=True)
                continue
            ratios.append(max(after["loss"], LEAST) / max(before["loss"], LEAST))
            if ratios[-1] > arguments.most:
                told = " → ".join(f"{r['loss']:.4f} ± {r['error']:.4f}" for r in (before, after))
                print(f"{name}: {told}, {ratios[-1]:.3f}", flush=True)
    print(f"{len(ratios)} tables, geometric mean {np.exp(np.mean(np.log(ratios))):.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        print(json.dumps(losses(Path(sys.argv[2]))))
    else:
        main()
