"""What densities can do beyond scoring: draws, contributions, overlaps, tables."""

import numpy as np
import pytest
from scipy.stats import chi2

from gaussbayes.data.rows import Targets
from gaussbayes.families.protocol import (
    Describable,
    Explainable,
    Located,
    Referred,
    Samplable,
)
from tests.families.cases import (
    CASES,
    DISTRIBUTIONS,
    Case,
    estimated,
    probes,
    random_table,
    rows_of,
)

every_family = pytest.mark.parametrize("case", CASES, ids=str)
every_distribution = pytest.mark.parametrize("case", DISTRIBUTIONS, ids=str)


def support(case: Case) -> tuple[object, float]:
    return rows_of(case, [[value] for value in case.column.support], 1), case.column.step


@every_distribution
def test_every_family_has_them(case: Case) -> None:
    density = probes(case, 2, 1)[0]
    for capability in (Samplable, Explainable, Describable):
        assert isinstance(density, capability)


@every_distribution
def test_draws_have_the_distribution(case: Case) -> None:
    """By the likelihood-ratio test of the model that drew them within its family."""
    n, family = 20_000, case.family
    table, density = random_table(case, k=2, d=2), probes(case, 2, 2)[1]
    codes = np.random.default_rng(0).integers(0, 2, n).astype(np.int32)
    rows = density.draw(codes, np.random.default_rng(1))
    statistics = family.observe(rows, Targets(codes, 2), table.names)
    best = family.maximise(statistics, table.names)
    ratio = 2 * (best.log_likelihood(statistics) - density.log_likelihood(statistics))
    assert 1e-3 < chi2.sf(ratio, best.n_parameters) < 1 - 1e-3
    again, other = (density.draw(codes, np.random.default_rng(seed)) for seed in (1, 2))
    assert (again.matrix == rows.matrix).all()
    assert (again.codes == rows.codes).all()
    assert (other.matrix != rows.matrix).any() or (other.codes != rows.codes).any()


@every_distribution
def test_impossible_values_are_never_drawn(case: Case) -> None:
    """Rows drawn from a density are possible in it."""
    density = estimated(random_table(case, k=3, d=2, n=30, seed=5))
    codes = np.repeat([0, 1, 2], 2000).astype(np.int32)
    generator = np.random.default_rng(0)
    own = density.log_density(density.draw(codes, generator))[np.arange(codes.size), codes]
    assert np.isfinite(own).all()


@every_family
def test_contributions_sum_to_the_log_ratio(case: Case) -> None:
    table = random_table(case, k=3, d=2, n=30, missing=0.3)
    density = probes(case, 3, 2)[0]
    scores = density.log_density(table.rows)
    reference = np.array([0.2, 0.3, 0.5])
    given = reference if isinstance(density, Referred) else None
    for i, row in enumerate(table.values):
        before, parts = density.contributions(table.rows[i : i + 1], (2, 0), given)
        np.testing.assert_allclose(
            before + parts.sum(), scores[i, 2] - scores[i, 0], rtol=1e-10, atol=1e-10
        )
        absent = [part for part, value in zip(parts, row, strict=True) if value is None]
        assert case.observes_missing or not any(absent)


@every_distribution
def test_means_and_deviations_are_sums_over_all_values(case: Case) -> None:
    if "yeo-johnson" in str(case):  # whose moments are those within the range of the rows
        return
    rows, step = support(case)
    for density in probes(case, 3, 1):
        if isinstance(density, Located):
            x, probability = rows.matrix, step * np.exp(density.log_density(rows))
            mean = (x * probability).sum(axis=0)
            variance = (np.square(x - mean) * probability).sum(axis=0)
            np.testing.assert_allclose(density.mean[:, 0], mean, rtol=1e-9)
            np.testing.assert_allclose(density.deviation[:, 0], np.sqrt(variance), rtol=1e-9)
            covariance = np.broadcast_to(density.dense_covariance()[:, 0, 0], 3)
            np.testing.assert_allclose(covariance, variance, rtol=1e-9)


@every_family
def test_tables_show_the_parameters(case: Case) -> None:
    table = random_table(case, k=3, d=2)
    for shown in estimated(table).tables(table.names):
        assert shown.title
        assert shown.values.shape in {(3, len(shown.columns)), (1, len(shown.columns))}
        assert all(isinstance(column, str) for column in shown.columns)
