"""Rows drawn from Gaussian densities: the right distribution, from the generator's numbers."""

import numpy as np
import pytest
from scipy import stats

from gaussbayes.families.gaussian.drawing import draw
from tests.families.gaussian.densities import Kind, covariances, density_of, each_kind, some_density


@each_kind
def test_draws_have_the_means_and_covariances_of_their_classes(kind: Kind) -> None:
    density, n = some_density(kind, d=3), 60_000
    codes = np.random.default_rng(0).integers(3, size=n).astype(np.int32)
    rows = draw(density, codes, np.random.default_rng(1))
    assert rows.matrix.shape == (n, 3)
    assert rows.codes.shape == (n, 0)
    for code, covariance in enumerate(covariances(density)):
        mine = rows.matrix[codes == code]
        variance = np.diag(covariance)
        error = np.sqrt(variance / mine.shape[0])
        assert (abs(mine.mean(axis=0) - density.mean[code]) <= 4 * error).all()
        # Var(S_ij) = (Σ_ii Σ_jj + Σ_ij²) / (n − 1) for Gaussian rows.
        error = np.sqrt((np.outer(variance, variance) + covariance**2) / (mine.shape[0] - 1))
        assert (abs(np.cov(mine.T) - covariance) <= 4 * error).all()
        gap = mine - density.mean[code]
        squares = (gap @ np.linalg.inv(covariance) * gap).sum(axis=1)
        assert stats.kstest(squares, stats.chi2(3).cdf).pvalue > 1e-4


@each_kind
def test_rows_are_affine_in_the_same_normal_numbers(kind: Kind) -> None:
    # Every class's rows are mean + F z with the z of the generator, row by row.
    density = some_density(kind, d=3)
    codes = np.array([2, 0, 1, 1, 0, 2, 2], dtype=np.int32)
    rows = draw(density, codes, np.random.default_rng(5)).matrix
    z = np.random.default_rng(5).standard_normal((7, 3))
    factors = np.linalg.cholesky(covariances(density))
    expected = [density.mean[c] + factors[c] @ z[i] for i, c in enumerate(codes)]
    np.testing.assert_allclose(rows, expected, rtol=1e-13, atol=1e-13)


def test_a_covariance_that_can_be_inverted_can_be_drawn_from() -> None:
    # Units that differ by 1e150, and a correlation next to 1.
    scale = np.array([1e-150, 1.0, 1e150])
    correlation = np.full((3, 3), 1 - 1e-12) + 1e-12 * np.eye(3)
    density = density_of(
        Kind("full", True), np.zeros((2, 3)), (scale[:, None] * correlation * scale)[None]
    )
    rows = draw(density, np.zeros(500, np.int32), np.random.default_rng(0)).matrix
    np.testing.assert_allclose(np.corrcoef((rows / scale).T), correlation, atol=1e-10)


@pytest.mark.parametrize("n", [0, 1])
def test_few_rows(n: int) -> None:
    for kind in (Kind("full", False), Kind("full", True), Kind("diagonal", False)):
        rows = draw(some_density(kind), np.zeros(n, np.int32), np.random.default_rng(0))
        assert rows.matrix.shape == (n, 4)
