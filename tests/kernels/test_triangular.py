"""Triangular factors: what they are, which matrices have none, and in which order pivots come."""

import numpy as np
import pytest
import scipy.linalg

from gaussbayes.base.types import FloatArray
from gaussbayes.kernels.triangular import cholesky, invert_lower
from tests.oracles import EPS

SIZES = [1, 2, 31, 32, 33, 63, 64, 65, 100, 128, 129, 200, 300]


def definite(m: int, d: int) -> FloatArray:
    rows = np.random.default_rng([m, d]).normal(size=(m, 2 * d, d))
    return rows.mT @ rows / (2 * d)


# Cholesky


@pytest.mark.parametrize("d", SIZES)
@pytest.mark.parametrize("m", [1, 3])
def test_a_factor_times_itself_is_the_matrix(m: int, d: int) -> None:
    matrices = definite(m, d)
    lower = matrices.copy()
    assert cholesky(lower) == m
    np.testing.assert_array_equal(lower, np.tril(lower))
    assert np.all(np.einsum("mii->mi", lower) > 0)
    for own, matrix in zip(lower, matrices, strict=True):
        # |L Lᵀ − A| ≤ (d + 1) ε |L| |Lᵀ|, entry by entry; the product here rounds once more.
        bound = 2 * (d + 1) * EPS * (np.abs(own) @ np.abs(own.T))
        assert np.all(np.abs(own @ own.T - matrix) <= bound)


@pytest.mark.parametrize("power", [4, 8, 11])
@pytest.mark.parametrize("d", [65, 150])
def test_a_factor_of_a_matrix_that_is_nearly_singular(power: int, d: int) -> None:
    """Substitution is as exact where blocks are hard to invert: no inverse of them is used."""
    turn = scipy.linalg.qr(np.random.default_rng([power, d]).normal(size=(d, d)))[0]
    matrix = (turn * np.logspace(0, -power, d)) @ turn.T
    matrix = (matrix + matrix.T) / 2
    lower = matrix[None].copy()
    assert cholesky(lower) == 1
    bound = 2 * (d + 1) * EPS * (np.abs(lower[0]) @ np.abs(lower[0].T))
    assert np.all(np.abs(lower[0] @ lower[0].T - matrix) <= bound)


@pytest.mark.parametrize("d", [2, 64, 65, 130])
@pytest.mark.parametrize("bad", [[0], [4], [2, 3], [1, 4], []])
def test_the_first_matrix_without_a_factor(d: int, bad: list[int]) -> None:
    matrices = definite(5, d)
    for number, c in enumerate(bad):  # fails at the last row, then at the first
        matrices[c, -1 if number == 0 else 0, -1 if number == 0 else 0] = -1.0
    lower = matrices.copy()
    good = cholesky(lower)
    assert good == min(bad, default=5)
    for c in range(good):
        np.testing.assert_allclose(lower[c], np.linalg.cholesky(matrices[c]), rtol=1e-9, atol=1e-12)


def test_no_matrices_at_all() -> None:
    assert cholesky(np.empty((0, 3, 3))) == 0
    assert cholesky(np.empty((0, 70, 70))) == 0


# Inverses


@pytest.mark.parametrize("d", SIZES)
def test_inverse_triangles(d: int) -> None:
    rng = np.random.default_rng(d)
    lower = np.tril(rng.normal(size=(3, d, d)) / np.sqrt(d), -1) + np.eye(d)
    inverse = lower.copy()
    invert_lower(inverse)
    np.testing.assert_array_equal(inverse, np.tril(inverse))
    # Forward error of a triangular inverse: |L⁻¹| |L| |L⁻¹| d ε, entry by entry.
    size = np.abs(inverse) @ np.abs(lower) @ np.abs(inverse)
    assert np.all(np.abs(inverse - np.linalg.inv(lower)) <= 4 * d * EPS * size)
