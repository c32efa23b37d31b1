"""Rows far out, and their weights: together they are the Gaussians again, down to 1e-290."""

import numpy as np
import pytest
from scipy import stats

from gaussbayes.families.gaussian.tails import draw_widely
from tests.families.gaussian.densities import Kind, covariances, each_kind, some_density


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
