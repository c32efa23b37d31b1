"""Fit many random tables with missing values and labels: the log-likelihood must never fall.

Every table has its own size, share of gaps, structure and pattern of missing labels; labelled ones
are fitted twice, from the rows and from their sums by class and pattern, which must agree. A table
that no model fits is refused, and counted.

Run it with: python -m tests.fuzz.em_climbs [TABLES] [--seed SEED]
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.missing.em import Incomplete, fit_incomplete, fit_patterns
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.settings import Settings
from tests.strategies import STRUCTURES

MOST_STEPS = 300
LARGEST_FALL = 1e-10
"""Of a log-likelihood, relative to its size."""
LARGEST_DIFFERENCE = 1e-7
"""Of converged means, in standard deviations; EM stops at an estimated error of 1e-11."""


@dataclass(slots=True)
class Outcome:
    """What was found."""

    fits: int = 0
    refused: int = 0
    not_converged: int = 0
    fall: float = 0.0  # the largest
    difference: float = 0.0  # the largest, between rows and sums


def run(tables: int, seed: int) -> Outcome:
    """Fit so many tables."""
    outcome = Outcome()
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        structure = STRUCTURES[int(rng.integers(len(STRUCTURES)))]
        X, codes, k = table(rng)
        try:
            found = fit(X, codes, k, structure)
        except (DataError, SingularCovarianceError):
            outcome.refused += 1
            continue
        judge(outcome, found)
        if (codes >= 0).all() and np.isnan(X).any():
            again = fit_sums(X, codes, k, structure)
            judge(outcome, again)
            if found.convergence.converged and again.convergence.converged:
                outcome.difference = max(outcome.difference, difference(found, again))
    return outcome


def table(rng: np.random.Generator) -> tuple[FloatArray, CodeArray, int]:
    """Rows with gaps, class numbers of which some may be missing, and the number of classes."""
    n, d, k = int(rng.integers(12, 60)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    codes = rng.integers(0, k, n).astype(np.int32)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    X += codes[:, None] * rng.normal(size=d)
    X *= 10.0 ** rng.integers(-6, 7)
    X[rng.random((n, d)) < rng.uniform(0, 0.6)] = np.nan
    if rng.random() < 0.5:
        codes[rng.random(n) < rng.uniform(0, 0.7)] = -1
    return X, codes, k


def fit(X: FloatArray, codes: CodeArray, k: int, structure: Structure) -> Incomplete:
    """From the rows."""
    schema, settings = Schema(np.arange(k), X.shape[1]), Settings(structure, None, "mle", None)
    return fit_incomplete(X, codes, None, k, schema, settings, max_iterations=MOST_STEPS, n_jobs=1)


def fit_sums(X: FloatArray, codes: CodeArray, k: int, structure: Structure) -> Incomplete:
    """From the moments of each class and pattern."""
    schema, settings = Schema(np.arange(k), X.shape[1]), Settings(structure, None, "mle", None)
    learnt = learn(X, codes, None, schema.classes, structure.layout, 1)
    return fit_patterns(learnt, schema, settings, max_iterations=MOST_STEPS, n_jobs=1)


def judge(outcome: Outcome, found: Incomplete) -> None:
    """Note how far the log-likelihood fell."""
    record = found.convergence.log_likelihood
    outcome.fits += 1
    outcome.not_converged += not found.convergence.converged
    fall = -float(np.diff(record).min(initial=0.0)) / (1.0 + abs(float(record[-1])))
    outcome.fall = max(outcome.fall, fall)


def difference(one: Incomplete, two: Incomplete) -> float:
    """Between the means of two fits, in standard deviations of the rows around them."""
    a, b = one.moments, two.moments
    squares = a.scatter if a.layout == "diagonal" else np.einsum("...ii->...i", a.scatter)
    spread = np.sqrt(squares / (a.weight.sum() if a.layout == "pooled" else a.weight[:, None]))
    return float((np.abs(a.mean - b.mean) / np.where(spread > 0, spread, 1.0)).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    found = run(chosen.tables, chosen.seed)
    sys.stdout.write(
        f"{chosen.tables} tables, {found.fits} fits: largest fall {found.fall:.1e}, rows against "
        f"sums {found.difference:.1e}; {found.not_converged} stopped after {MOST_STEPS} steps, "
        f"{found.refused} refused\n"
    )
    return int(found.fall > LARGEST_FALL or found.difference > LARGEST_DIFFERENCE)


if __name__ == "__main__":
    sys.exit(main())
