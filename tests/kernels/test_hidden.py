"""What missing features are expected by, given the others."""

import numpy as np
import pytest
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.kernels import Kernels


def drawn(d: int, cells: int) -> tuple[FloatArray, NDArray[np.int64]]:
    """A covariance, and cells that lack from none to all of the features, in any order."""
    rng = np.random.default_rng(d)
    root = rng.standard_normal((d + 3, d))
    missing = rng.random((cells, d)) < rng.random((cells, 1))
    missing[0], missing[-1] = True, False
    hidden = np.full((cells, d), -1)
    for row, lacks in zip(hidden, missing, strict=True):
        row[: lacks.sum()] = np.flatnonzero(lacks)
    return root.T @ root, hidden


def whitener(sigma: FloatArray) -> FloatArray:
    """The lower triangle W with ``Σ⁻¹ = WᵀW``."""
    return np.asarray(np.linalg.inv(np.linalg.cholesky(sigma)))


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 8, 9, 17, 40])
@pytest.mark.parametrize("cells", [1, 5, 16, 19])
def test_the_conditional_gaussian(kernels: Kernels, d: int, cells: int) -> None:
    """By covariances instead of precisions: ``Σ_hh − Σ_ho Σ_oo⁻¹ Σ_oh``, ``Σ_ho Σ_oo⁻¹ x_o``."""
    sigma, hidden = drawn(d, cells)
    cell = np.sort(np.random.default_rng(0).integers(cells, size=3 * cells))
    points = np.random.default_rng(1).standard_normal((cell.size, d))
    completed = points.copy()
    covariance, log_det, squares = kernels.complete(whitener(sigma), hidden, cell, completed)
    for c in range(cells):
        h = hidden[c][hidden[c] >= 0]
        o = np.setdiff1d(np.arange(d), h)
        explained = np.linalg.solve(sigma[np.ix_(o, o)], sigma[np.ix_(o, h)]).T
        expected = np.zeros((d, d))
        expected[: h.size, : h.size] = sigma[np.ix_(h, h)] - explained @ sigma[np.ix_(o, h)]
        scale = np.abs(sigma).max()
        np.testing.assert_allclose(covariance[c], expected, rtol=1e-9, atol=1e-12 * scale)
        np.testing.assert_array_equal(covariance[c], covariance[c].T)
        volume = np.linalg.slogdet(sigma)[1] - np.linalg.slogdet(sigma[np.ix_(o, o)])[1]
        assert log_det[c] == pytest.approx(-volume, rel=1e-9, abs=1e-9)
        mine = cell == c
        np.testing.assert_array_equal(completed[mine][:, o], points[mine][:, o])
        np.testing.assert_allclose(
            completed[mine][:, h], points[mine][:, o] @ explained.T, rtol=1e-8, atol=1e-9
        )
        white = np.linalg.solve(np.linalg.cholesky(sigma[np.ix_(o, o)]), points[mine][:, o].T)
        np.testing.assert_allclose(squares[mine], np.square(white).sum(axis=0), rtol=1e-8)


def test_cells_that_lack_nothing(kernels: Kernels) -> None:
    points, nothing = np.ones((1, 3)), np.empty((2, 0), dtype=np.int64)
    covariance, log_det, squares = kernels.complete(np.eye(3), nothing, np.array([1]), points)
    assert covariance.shape == (2, 0, 0)
    assert log_det.tolist() == [0.0, 0.0]
    assert points.tolist() == [[1.0, 1.0, 1.0]]
    assert squares.tolist() == [3.0]


def test_covariances_in_the_places_of_features(kernels: Kernels) -> None:
    sigma, hidden = drawn(7, 12)
    covariance, _, _ = kernels.complete(
        whitener(sigma), hidden, np.empty(0, dtype=np.int64), np.empty((0, 7))
    )
    weight = np.random.default_rng(3).integers(3, size=12).astype(np.float64)
    to = np.ones((7, 7))
    kernels.spread(covariance, hidden, weight, to)
    expected = np.ones((7, 7))
    for c in range(12):
        h = hidden[c][hidden[c] >= 0]
        expected[np.ix_(h, h)] += weight[c] * covariance[c, : h.size, : h.size]
    np.testing.assert_allclose(to, expected, rtol=1e-13)
