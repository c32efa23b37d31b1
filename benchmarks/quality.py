"""How good are the probabilities: ours against others, on public and on generated tables.

Five-fold cross-validation, stratified, the same folds for all; log loss and errors of held-out
rows. Results are kept in ``build/quality.csv``. Peers are measured again only when the rows or
scikit-learn changed, ours every time; ``--resume`` takes ours from there as well, to go on where a
run was stopped or to write the page again. ``--kind numbers`` (or mixed, other, generated) takes
tables of one kind, ``--only wine`` those with "wine" in the name, ``--models auto`` those of our
models with "auto" in theirs; ``--write`` writes docs/benchmarks-quality.md.

Public tables are fetched by ``make tables``; generated ones need nothing.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from generated import generated
from quality_models import PEERS, Make, ours
from quality_page import page
from sklearn.model_selection import StratifiedKFold
from tables import Table, real
from threadpoolctl import threadpool_limits

import gaussbayes

ROOT = Path(__file__).parent.parent
CACHE, PAGE = ROOT / "build" / "quality.csv", ROOT / "docs" / "benchmarks-quality.md"
LEAST = 1e-15  # a probability below this is taken as this
KINDS = ("numbers", "mixed", "other", "generated")


@dataclass(frozen=True, slots=True)
class Result:
    """What a model reached on a table."""

    table: str
    kind: str
    rows: int
    fingerprint: int
    model: str
    version: str
    log_loss: float
    error: float
    seconds: float  # of processor time, for five fits and predictions
    refused: str = ""  # what the model said; its losses are then those of the class shares


def cross_validated(table: Table, model: str, make: Make, version: str) -> Result:
    """Mean log loss and share of errors of rows held out."""
    labels, rows = table.labels, np.arange(table.labels.size)
    shares = np.bincount(labels) / labels.size
    probabilities, refused = np.zeros((labels.size, shares.size)), ""
    started = time.process_time()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(rows, labels):
        try:
            fitted = make().fit(table.frame.iloc[train], labels[train])
            told = fitted.predict_proba(table.frame.iloc[test])
            probabilities[np.ix_(test, fitted.classes_)] = told
        except (ValueError, np.linalg.LinAlgError) as error:
            refused = refused or str(error).split("\n", maxsplit=1)[0]
            probabilities[test] = shares
    seconds = time.process_time() - started
    unknown = ~np.isfinite(probabilities).all(axis=1)
    probabilities[unknown] = 0.0
    probabilities[unknown, 0] = 1.0  # no number is no answer: taken as a confident one
    loss = -np.log(np.maximum(probabilities[rows, labels], LEAST))
    wrong = probabilities.argmax(axis=1) != labels
    return Result(
        table.name, table.kind, labels.size, table.fingerprint, model, version,
        float(loss.mean()), float(wrong.mean()), seconds, refused,
    )  # fmt: skip


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--only", default="", help="part of the names of tables")
    parser.add_argument("--models", default="", help="part of the names of our models")
    parser.add_argument("--cache", type=Path, default=CACHE, help="what was reached")
    parser.add_argument("--resume", action="store_true", help="measure what is not known only")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    if arguments.write and (arguments.kind or arguments.only or arguments.models):
        parser.error("--write needs all tables and models: leave --kind, --only and --models out")
    threadpool_limits(1)  # threads that wait for one another are not what is measured
    warnings.simplefilter("ignore")  # about convergence, collinear features, unknown categories
    known = _read(arguments.cache)
    own = {name: make for name, make in ours().items() if arguments.models in name}
    results: list[Result] = []
    truths: dict[str, float] = {}
    for table in _tables(arguments.kind, arguments.only):
        if table.bayes_loss is not None:
            truths[table.name] = table.bayes_loss
        reached = []
        for model, make in (PEERS | own).items():
            library = gaussbayes if model in own else sklearn
            version = f"{library.__name__} {library.__version__}"
            key = (table.name, table.fingerprint, model, version)
            if key not in known or (model in own and not arguments.resume):
                known[key] = cross_validated(table, model, make, version)
                _write(arguments.cache, known)
            reached.append(known[key])
        results += reached
        losses = "  ".join(f"{one.log_loss:.4f}{'!' if one.refused else ''}" for one in reached)
        print(f"{table.name:28} {losses}", flush=True)
    text = page([asdict(one) for one in results], list(own), truths)
    print(text)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")


def _tables(kind: str | None, only: str) -> Iterator[Table]:
    chosen = KINDS if kind is None else (kind,)
    return chain.from_iterable(
        generated(only) if one == "generated" else real(one, only) for one in chosen
    )


def _read(path: Path) -> dict[Any, Result]:
    if not path.exists():
        return {}
    frame = pd.read_csv(path, keep_default_na=False)
    found = (Result(**row) for row in frame.to_dict("records"))
    return {(one.table, one.fingerprint, one.model, one.version): one for one in found}


def _write(path: Path, known: dict[Any, Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = [field.name for field in fields(Result)]
    pd.DataFrame([asdict(one) for one in known.values()], columns=columns).to_csv(path, index=False)


if __name__ == "__main__":
    main()
