"""Fit random tables of all kinds by the automatic choice: nothing but a model may come of them.

Tables differ in size, classes (some with a single row), features (numbers that are skewed,
constant, two-valued, duplicate, entirely missing, one of 1e300; strings, booleans, counts), what is
missing of values and labels, soft labels and weights. An error or a warning is a failure, unless it
says that a column tells the class alone or that there is none to learn from; so are posteriors that
do not sum to 1, a loss of rows left out that is not finite though every class has two rows, and
labels that change with the units of the features.
"""

import traceback
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gaussbayes import AutoClassifier, DataError

SURE = 1e-4
"""A difference of posteriors by which rounding may change a label."""


@dataclass(slots=True)
class Table:
    """Rows, labels and weights, and families of features."""

    X: pd.DataFrame
    y: Any
    weights: Any = None
    families: dict[str, str] | None = None
    scaled: tuple[str, ...] = ()  # numbers whose unit may change
    is_fair: bool = True  # whether every class has two labelled rows
    is_slow: bool = False  # whether each row that is left out takes a fit


@dataclass(slots=True)
class Outcome:
    """What was found."""

    fits: int = 0
    failures: list[str] = field(default_factory=list)


def _numbers(generator: np.random.Generator, y: Any) -> Any:
    """A column of numbers, of one of many kinds."""
    n = y.size
    x = generator.normal(size=n) + generator.uniform(0, 2) * (y % 3)
    kinds = [
        x,
        np.exp(2 * x),
        generator.standard_cauchy(n) + x,
        np.full(n, 5.0),
        (x > 0).astype(float),
        y.astype(float),
        np.rint(x),
        np.where(generator.random(n) < 0.9, 0.0, x),
        np.where(np.arange(n) == generator.integers(n), 1e300, x),
        np.full(n, np.nan),
        1e9 + 1e-3 * x,
    ]
    return kinds[generator.integers(len(kinds))]


def table(generator: np.random.Generator) -> Table:
    """A random table."""
    n, k = int(generator.integers(6, 30)), int(generator.integers(2, 6))
    y = np.sort(generator.permutation(np.arange(n) % k))
    if generator.random() < 0.2:
        y[0] = k  # a class with one row
    generator.shuffle(y)
    columns: dict[str, Any] = {}
    scaled = []
    for j in range(int(generator.integers(0, 6))):
        columns[f"x{j}"] = _numbers(generator, y)
        scaled.append(f"x{j}")
    if scaled and generator.random() < 0.2:
        columns["again"] = columns[scaled[0]]
        scaled.append("again")
    for j in range(int(generator.integers(0 if columns else 1, 4))):
        code = generator.integers(0, generator.integers(1, 6), n) + (y % 2) * generator.integers(2)
        names = np.array(list("abcdefgh"), dtype=object)
        columns[f"z{j}"] = code > 1 if generator.random() < 0.3 else names[code]
    families: dict[str, str] = {}
    if generator.random() < 0.2:
        columns["counts"], families["counts"] = generator.poisson(1.0 + y).astype(float), "poisson"
    X = pd.DataFrame(columns)
    if generator.random() < 0.4:
        for name in X.columns:
            some = generator.random(n) < generator.choice([0.05, 0.3, 0.8])
            kept = X[name].astype(object) if X[name].dtype.kind != "f" else X[name]
            X[name] = kept.where(~some, None if kept.dtype == object else np.nan)
    weights = generator.uniform(0.5, 3.0, n) if generator.random() < 0.2 else None
    labels: Any = y
    least = int(np.bincount(y)[np.unique(y)].min())
    chance = generator.random()
    if chance < 0.2:
        labels = y.astype(object)
        labels[generator.random(n) < 0.3] = None
        known = np.array([label for label in labels if label is not None])
        if np.unique(known).size < 2:
            labels = y
        else:
            least = int(np.unique(known, return_counts=True)[1].min())
    elif chance < 0.3:
        labels = np.eye(k + 1)[y] * 0.9 + 0.1 / (k + 1)
    is_slow = labels is not y or bool(X.isna().to_numpy().any())
    return Table(X, labels, weights, families or None, tuple(scaled), least > 1, is_slow)


def check(some: Table, generator: np.random.Generator) -> str | None:
    """What is wrong with the model of a table, if anything is."""
    model = AutoClassifier(families=some.families, n_jobs=1)
    model.fit(some.X, some.y, some.weights)
    posterior = model.predict_proba(some.X)
    if not np.abs(posterior.sum(axis=1) - 1.0).max() < 1e-9:
        return "posteriors do not sum to 1"
    if some.is_fair and not some.is_slow:
        loss = model.leave_one_out(some.X, some.y, some.weights).evaluation.log_loss
        if not np.isfinite(loss):
            return f"the loss of rows left out is {loss}"
    if not some.scaled:
        return None
    other = some.X.copy()
    for name in some.scaled:
        if not np.nanmax(np.abs(other[name].to_numpy(float)), initial=0.0) > 1e100:
            other[name] = other[name].astype(float) * 2.0 ** int(generator.integers(-20, 20))
    again = AutoClassifier(families=some.families, n_jobs=1).fit(other, some.y, some.weights)
    changed = model.predict(some.X) != again.predict(other)
    best = np.sort(posterior, axis=1)
    if (changed & (best[:, -1] - best[:, -2] > SURE)).any():
        return "labels change with units"
    return None


def run(tables: int, seed: int) -> Outcome:
    """Fit some tables; each has a seed of its own, which is told if it fails."""
    outcome = Outcome()
    for number in range(seed, seed + tables):
        generator = np.random.default_rng(number)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # About columns, and categories that unlabelled rows alone have.
            warnings.simplefilter("ignore", UserWarning)
            try:
                problem = check(table(generator), generator)
            except Exception as error:  # noqa: BLE001 (whatever it is, it is told)
                empty = isinstance(error, DataError) and "no column" in str(error)
                problem = None if empty else traceback.format_exc(limit=-3)
        outcome.fits += 1
        if problem is not None:
            outcome.failures.append(f"table {number}: {problem}")
    return outcome
