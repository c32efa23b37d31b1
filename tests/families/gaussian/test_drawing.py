"""Rows drawn from Gaussian densities: the right distribution, from the generator's numbers."""

import numpy as np
import pytest
from scipy import stats

from gaussbayes.families.gaussian.drawing import draw, draw_widely
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


# Rows far out, and their weights: together they are the Gaussians again, down to 1e-290


def squares_of(density: object, rows: np.ndarray, code: int) -> np.ndarray:
    gap = rows - density.mean[code]  # type: ignore[attr-defined]
    return np.einsum("ij,ij->i", gap @ np.linalg.inv(covariances(density)[code]), gap)  # type: ignore[arg-type]


@each_kind
@pytest.mark.parametrize("d", [1, 4])
def test_weights_make_tails_of_every_size_right(kind: Kind, d: int) -> None:
    density = some_density(kind, k=2, d=d)
    counts = (20_000, 10_001)
    codes = np.repeat(np.arange(2, dtype=np.int32), counts)
    rows, weight = draw_widely(density, codes, np.random.default_rng(1))
    assert (weight > 0).all()
    assert weight.max() <= 2.0001
    for code, count in enumerate(counts):
        mine = codes == code
        assert weight[mine].mean() == pytest.approx(1.0, abs=0.01)
        squares = squares_of(density, rows.matrix[mine], code)
        for tail in (0.9, 0.5, 0.05, 1e-3, 1e-20, 1e-100, 1e-250):
            beyond = weight[mine][squares > stats.chi2(d).isf(tail)]
            error = np.sqrt(np.square(beyond / tail).sum()) / count
            # Draws are evenly spread: the error is less than that of as many independent ones.
            assert abs(beyond.sum() / count / tail - 1.0) <= 4 * error
            assert error < 0.35  # about √(2 · 690 / count) in the far tails


def test_directions_are_those_of_the_gaussian() -> None:
    density = some_density(Kind("full", False), k=1, d=2)
    codes = np.zeros(20_000, np.int32)
    rows, _ = draw_widely(density, codes, np.random.default_rng(3))
    lower = np.linalg.cholesky(covariances(density)[0])
    white = np.linalg.solve(lower, (rows.matrix - density.mean[0]).T)
    angle = (np.arctan2(white[1], white[0]) + np.pi) / (2 * np.pi)
    assert stats.kstest(angle, "uniform").pvalue > 1e-4


def test_two_draws_for_the_same_rows_are_independent() -> None:
    """So that the weights of two families may be multiplied."""
    density, codes = some_density(Kind("diagonal", False), k=1), np.zeros(5000, np.int32)
    generator = np.random.default_rng(5)
    (first, one), (second, other) = (draw_widely(density, codes, generator) for _ in range(2))
    squares = [squares_of(density, rows.matrix, 0) for rows in (first, second)]
    assert stats.spearmanr(*squares).pvalue > 1e-4
    # P(both beyond their medians) = ¼, by the product of the weights.
    median = stats.chi2(4).median()
    both = (squares[0] > median) & (squares[1] > median)
    product = one * other
    error = np.sqrt(np.square(product[both]).sum()) / codes.size
    assert abs(product[both].sum() / codes.size - 0.25) <= 4 * error


@pytest.mark.parametrize("order", ["sorted", "mixed", "single rows"])
def test_any_order_and_number_of_rows(order: str) -> None:
    density = some_density(Kind("full", True), k=3)
    codes = np.repeat(np.arange(3, dtype=np.int32), [1, 400, 2])
    if order == "mixed":
        codes = np.random.default_rng(0).permutation(codes)
    if order == "single rows":
        codes = np.arange(3, dtype=np.int32)
    rows, weight = draw_widely(density, codes, np.random.default_rng(0))
    assert np.isfinite(rows.matrix).all()
    assert ((weight > 0) & (weight <= 2.01)).all()
    if order == "single rows":
        assert (weight == 1.0).all()
    again, _ = draw_widely(density, codes, np.random.default_rng(0))
    np.testing.assert_array_equal(rows.matrix, again.matrix)
