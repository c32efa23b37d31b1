"""Fit many random tables with missing values and labels: the log-likelihood must never fall.

Every table has its own size, features (numbers, categories, counts), proportion of missing values
and labels, and structure. A table that no model fits is refused, and counted. That EM finds the
maximum is in tests/model/test_em.py.

Run it with: python -m tests.fuzz.em_likelihood [TABLES] [--seed SEED]
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.model.model import solve
from gaussbayes.model.options import internal_options
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import observe

LARGEST_FALL = 1e-10
"""Of a log-likelihood, relative to its size."""

COVARIANCES = ("full", "diagonal", "spherical")
SHARINGS = (0.0, 0.5, 1.0)


@dataclass(slots=True)
class Outcome:
    """What was found."""

    fits: int = 0
    refused: int = 0
    not_converged: int = 0
    fall: float = 0.0  # the largest


@dataclass(frozen=True)
class Table:
    """Rows, their targets, and how they are to be fitted."""

    rows: LabelledRows
    schema: Schema
    options: dict[str, Any]

    def fit(self) -> Solution:
        """The parameters."""
        settings = internal_options(**self.options).settings(self.schema)
        learnt = observe(self.rows, settings, self.schema)
        return solve(learnt, settings, self.schema)


def run(tables: int, seed: int) -> Outcome:
    """Fit so many tables."""
    outcome = Outcome()
    for number in range(tables):
        table = random_table(np.random.default_rng([seed, number]))
        try:
            convergence = table.fit().convergence
        except GaussBayesError:
            outcome.refused += 1
            continue
        outcome.fits += 1
        if convergence is not None:
            record = convergence.log_likelihood
            outcome.not_converged += not convergence.converged
            fall = -float(np.diff(record).min(initial=0.0)) / (1.0 + abs(float(record[-1])))
            outcome.fall = max(outcome.fall, fall)
    return outcome


def random_table(rng: np.random.Generator) -> Table:
    """Rows of numbers, counts and categories, in any of which values may be missing."""
    n, k = int(rng.integers(14, 60)), int(rng.integers(2, 4))
    d, m, q = (int(rng.integers(0, most)) for most in (4, 2, 3))
    d = max(d, 1 - m - q)
    codes = rng.integers(0, k, n).astype(np.int32)
    codes[:k] = np.arange(k)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    X += codes[:, None] * rng.normal(size=d)
    X *= 10.0 ** rng.integers(-6, 7)
    counts = rng.poisson(1.0 + codes[:, None] * rng.random(m) * 3, (n, m)).astype(float)
    numbers = np.concatenate([X, counts], axis=1)
    numbers[rng.random(numbers.shape) < rng.uniform(0, 0.5)] = np.nan
    chances = rng.dirichlet(np.ones(3), size=(q, k))
    labels = [[int(rng.choice(3, p=chances[j, c])) for j in range(q)] for c in codes]
    categories = np.array(labels, np.int32).reshape(n, q)
    categories[rng.random((n, q)) < rng.uniform(0, 0.4)] = -2
    if rng.random() < 0.7:
        codes[k:][rng.random(n - k) < rng.uniform(0, 0.7)] = -1
    rows = Rows(numbers, categories, (("a", "b", "c"),) * q)
    targets = Targets(codes, k, None, int((codes < 0).sum()))
    schema = Schema(np.arange(k), d + m + q, None, tuple(range(d + m, d + m + q)))
    options = {
        "covariance": COVARIANCES[int(rng.integers(3))],
        "shared": SHARINGS[int(rng.integers(3))],
        "smoothing": float(rng.choice([0.0, 0.5])),
        "families": dict.fromkeys(range(d, d + m), "poisson"),
    }
    return Table(LabelledRows(rows, targets, schema.classes), schema, options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    outcome = run(chosen.tables, chosen.seed)
    sys.stdout.write(
        f"{chosen.tables} tables, {outcome.fits} fits: largest fall {outcome.fall:.1e}; "
        f"{outcome.not_converged} not converged, {outcome.refused} refused\n"
    )
    return int(outcome.fall > LARGEST_FALL)


if __name__ == "__main__":
    sys.exit(main())
