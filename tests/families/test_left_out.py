"""Rows left out one at a time, in closed form, against the model of all others."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp

from gaussbayes.families.removal import remove
from tests.families.cases import CASES, Case, Table, estimated, random_table

WEIGHTS = {
    "alike": np.ones,
    "integers": lambda n: np.random.default_rng(0).integers(1, 5, n).astype(float),
    "any": lambda n: np.random.default_rng(0).uniform(0.2, 3.0, n),
    "some 0": lambda n: np.random.default_rng(0).integers(0, 3, n).astype(float),
}


def refitted(table: Table) -> np.ndarray:
    """``log p(x | c)`` (n, k) of each row, by the model of all others."""
    n = len(table.codes)
    models = (estimated(table.taken([j for j in range(n) if j != i])) for i in range(n))
    return np.stack([m.log_density(table.taken([i]).rows)[0] for i, m in enumerate(models)])


def assert_posteriors(scores: np.ndarray, expected: np.ndarray) -> None:
    """Log densities are the same but for a constant of the row."""
    possible = np.isfinite(expected).any(axis=1)
    assert (scores[~possible] == expected[~possible]).all()
    found, truth = (
        part - logsumexp(part, axis=1, keepdims=True)
        for part in (scores[possible], expected[possible])
    )
    np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weights", list(WEIGHTS))
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_leaving_out_is_refitting(case: Case, missing: float, weights: str) -> None:
    table = random_table(case, k=2, d=2, n=26, missing=missing, seed=5)
    table = replace(table, weights=tuple(WEIGHTS[weights](26).tolist()))
    targets, family = table.targets, case.family
    closed = family.left_out(table.statistics, [family, family], targets, table.names)
    if closed is None:  # no closed form: rows are held out in folds
        assert case.family.name in {"gaussian", "transformed"}
        return
    removal = remove(targets.codes.astype(np.intp), targets.weights, table.statistics.weight)
    with np.errstate(all="ignore"):
        scores, reliable = closed(table.rows, removal)
    assert scores.shape == (2, 26, 2)
    np.testing.assert_array_equal(scores[0], scores[1])
    assert reliable.all()
    assert_posteriors(scores[0], refitted(table))
    some = slice(3, 9)
    part = remove(
        targets.codes[some].astype(np.intp), targets.weights[some], table.statistics.weight
    )
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(closed(table.rows[some], part)[0], scores[:, some], rtol=1e-12)
