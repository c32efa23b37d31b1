"""Fit many random tables with missing values and labels: the log-likelihood must never fall.

Every table has its own size, features (numbers, categories, counts), proportion of missing values
and labels, and structure. A table that no model fits is refused, and counted. That EM finds the
maximum is in tests/composition.

Run it with: python -m tests.fuzz.em_likelihood [TABLES] [--seed SEED]
"""

import argparse
import sys
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gaussbayes import GaussBayesError, GaussianClassifier

LARGEST_FALL = 1e-10
"""Of a log-likelihood, relative to its size."""


@dataclass(slots=True)
class Outcome:
    """What was found."""

    fits: int = 0
    refused: int = 0
    not_converged: int = 0
    fall: float = 0.0  # the largest


def run(tables: int, seed: int) -> Outcome:
    """Fit so many tables."""
    outcome = Outcome()
    for number in range(tables):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about columns
                model = _fit(np.random.default_rng([seed, number]))
        except GaussBayesError:
            outcome.refused += 1
            continue
        outcome.fits += 1
        record = model.model_.convergence
        if record is None:
            continue
        outcome.not_converged += not record.converged
        steps = np.diff(record.log_likelihood, prepend=record.log_likelihood[0])
        size = max(1.0, float(np.abs(record.log_likelihood).max()))
        outcome.fall = max(outcome.fall, float(-steps.min(initial=0.0)) / size)
    return outcome


def _fit(random: np.random.Generator) -> GaussianClassifier:
    """The model of a random table."""
    n, k = int(random.integers(8, 80)), int(random.integers(2, 4))
    y = np.arange(n) % k
    columns: dict[str, object] = {}
    mix = random.normal(size=(4, 4))
    numbers = random.normal(size=(n, 4)) @ mix + random.uniform(0, 3) * y[:, None]
    for j in range(int(random.integers(1, 5))):
        columns[f"x{j}"] = numbers[:, j]
    if random.random() < 0.5:
        letters = np.array(list("abc"), dtype=object)
        columns["letter"] = letters[(random.integers(0, 3, n) + y) % 3]
    if random.random() < 0.5:
        columns["count"] = random.poisson(1.0 + y).astype(float)
    table = pd.DataFrame(columns)
    table = table.mask(random.random(table.shape) < random.choice([0.0, 0.1, 0.5]))
    if "letter" in table:
        table["letter"] = table["letter"].astype("category")
    labels = y.astype(object)
    labels[random.random(n) < random.choice([0.0, 0.2, 0.7])] = None
    return GaussianClassifier(
        str(random.choice(["full", "diagonal", "spherical"])),
        shared=float(random.choice([0.0, 0.5, 1.0])),
        smoothing=float(random.choice([0.0, 0.5])),
        families={"count": "poisson"} if "count" in table else None,
    ).fit(table, labels)


def main() -> int:
    """Say what was found; 1 if a log-likelihood fell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    outcome = run(given.tables, given.seed)
    sys.stdout.write(
        f"{outcome.fits:,} fits, {outcome.refused:,} refused, {outcome.not_converged:,} not "
        f"converged; the largest fall is {outcome.fall:.1e} of the log-likelihood\n"
    )
    return int(outcome.fall > LARGEST_FALL)


if __name__ == "__main__":
    sys.exit(main())
