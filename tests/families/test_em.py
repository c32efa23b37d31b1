"""EM with any family: expected statistics, steps that never lower the likelihood, coordinates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from gaussbayes.families.protocol import Restartable
from tests.families.cases import (
    CASES,
    Case,
    Table,
    assert_same,
    estimated,
    probes,
    random_table,
    tables,
)

pytestmark = pytest.mark.parametrize("case", CASES, ids=str)
few = settings(max_examples=12)


def together(table: Table) -> Any:
    """The statistics of all rows as those of one class."""
    codes = (0,) * len(table.codes)
    return Table(table.case, 1, table.n_columns, table.values, codes, table.weights).statistics


class Problem:
    """Rows of which every other one has no label."""

    def __init__(self, case: Case, seed: int, missing: float, d: int = 2) -> None:
        table = random_table(case, k=2, d=d, n=60, missing=missing, seed=seed)
        self.family = table.family
        half = [i for i in range(60) if i % 4 in {0, 1}]
        self.labelled = table.taken(half)
        self.unlabelled = table.taken([i for i in range(60) if i not in half])
        self.names, self.statistics = table.names, self.labelled.statistics
        self.together = together(table)

    def log_joint(self, density: Any, prior: np.ndarray) -> np.ndarray:
        return np.log(prior) + density.log_density(self.unlabelled.rows)

    def objective(self, density: Any, prior: np.ndarray) -> float:
        evidence = logsumexp(self.log_joint(density, prior), axis=1).sum()
        known = density.log_likelihood(self.statistics) + self.statistics.weight @ np.log(prior)
        return float(evidence + known + self.family.log_penalty(density))

    def step(self, density: Any, prior: np.ndarray) -> tuple[Any, np.ndarray]:
        joint = self.log_joint(density, prior)
        responsibility = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        expected = density.expect_statistics(self.statistics)[0] + density.expect(
            self.unlabelled.rows, responsibility
        )
        return self.family.maximise(expected, self.names), expected.weight / expected.weight.sum()


@few
@given(data=st.data())
def test_expected_statistics_of_known_classes_are_observed(case: Case, data: st.DataObject) -> None:
    (table,) = data.draw(tables(case, least=1, missing=False))
    one_hot = np.eye(table.n_classes)[table.targets.codes] * table.targets.weights[:, None]
    density = probes(case, table.n_classes, table.n_columns)[0]
    expected = density.expect(table.rows, one_hot)
    assert_same(case, expected, density.expect_statistics(table.statistics)[0])
    assert expected.weight.tolist() == table.statistics.weight.tolist()


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_step_lowers_the_likelihood(case: Case, seed: int, missing: float) -> None:
    problem = Problem(case, seed, missing)
    density = problem.family.start(problem.statistics, problem.together, problem.names)
    prior, before = np.array([0.5, 0.5]), -np.inf
    for _ in range(12):
        value = problem.objective(density, prior)
        assert value >= before - 1e-10 * abs(value)
        density, prior = problem.step(density, prior)
        before = value
    assert np.isfinite(before)


def test_where_em_stays_the_likelihood_is_flat(case: Case) -> None:
    problem = Problem(case, seed=3, missing=0.1, d=1)
    density = problem.family.start(problem.statistics, problem.together, problem.names)
    prior, value = np.array([0.5, 0.5]), -np.inf
    for _ in range(300):
        density, prior = problem.step(density, prior)
    chart = density.coordinates(problem.names)
    vector = chart.vector(density)
    value = problem.objective(density, prior)
    for direction in np.eye(vector.size):
        changed = [
            problem.objective(chart.density(vector + h * direction), prior) for h in (-1e-4, 1e-4)
        ]
        assert max(changed) <= value + 1e-8  # a maximum along every coordinate
        assert abs(changed[1] - changed[0]) / 2e-4 < 1e-2  # and not on a slope


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_coordinates_give_the_density_back(case: Case, missing: float) -> None:
    table = random_table(case, k=3, n=60, missing=missing)
    density = probes(case, 3, 2)[0]
    chart = density.coordinates(table.names)
    vector = chart.vector(density)
    assert vector.ndim == 1
    assert np.isfinite(vector).all()
    again = chart.density(vector)
    np.testing.assert_allclose(
        again.log_density(table.rows), density.log_density(table.rows), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(chart.vector(again), vector, rtol=1e-10, atol=1e-10)
    assert 0 <= chart.rounding(density) < 1e-9
    # Every vector is a density: a large step leads to one too.
    far = chart.density(vector + np.random.default_rng(0).normal(size=vector.size))
    assert not np.isnan(far.log_density(table.rows)).any()


def test_the_start_rules_nothing_out(case: Case) -> None:
    """Not even values that no labelled row has, or none of a class."""
    table = random_table(case, k=2, d=1, n=60)
    sample = case.column.sample
    low = [i for i, row in enumerate(table.values) if row[0] in sample[: len(sample) // 2 + 1]]
    density = table.family.start(table.taken(low[:20]).statistics, together(table), table.names)
    assert np.isfinite(density.log_density(table.rows)).all()


def test_a_start_nearby_rules_nothing_out(case: Case) -> None:
    if not isinstance(probes(case, 2, 1)[0], Restartable):
        return
    sample = case.column.sample
    table = random_table(case, k=2, d=1, n=60)
    part = table.taken([i for i, row in enumerate(table.values) if row[0] != sample[-1]])
    density = estimated(part)
    again = density.restarted(together(table))
    assert np.isfinite(again.log_density(table.rows)).all()
    np.testing.assert_allclose(
        again.log_density(part.rows), density.log_density(part.rows), atol=0.2
    )
    chart = again.coordinates(table.names)
    labels = chart.vector(
        table.family.maximise(again.expect_statistics(table.statistics)[0], table.names)
    )
    assert labels.shape == chart.vector(again).shape
