"""How far classes overlap, in 50 digits and by integration; and rows from where they meet."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import class_pairs
from gaussbayes.families.gaussian.class_pairs import draw_between, log_overlap
from tests.families.gaussian.densities import Kind, covariances, density_of, each_kind, some_density


def exact_distance(means: FloatArray, matrices: FloatArray) -> float:
    """The Bhattacharyya distance of two Gaussians, in 50 digits."""
    with mpmath.workdps(50):
        first, second = (mpmath.matrix(matrix.tolist()) for matrix in matrices)
        middle = (first + second) / 2
        apart = mpmath.matrix(means[1].tolist()) - mpmath.matrix(means[0].tolist())
        square = (apart.T * middle**-1 * apart)[0] / 8
        volume = mpmath.log(mpmath.det(middle))
        volume -= (mpmath.log(mpmath.det(first)) + mpmath.log(mpmath.det(second))) / 2
        return float(square + volume / 2)


@each_kind
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_distances_in_50_digits(kind: Kind, d: int) -> None:
    density = some_density(kind, k=4, d=d)
    found = log_overlap(density)
    for a, b in zip(*np.triu_indices(4, 1), strict=True):
        exact = exact_distance(density.mean[[a, b]], covariances(density)[[a, b]])
        assert -found[a, b] == pytest.approx(exact, rel=1e-11)
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()
    assert (found <= 0).all()


def test_the_overlap_is_an_integral() -> None:
    density = density_of(Kind("full", False), [[0.0], [2.0]], [[[1.0]], [[9.0]]])
    integral, _ = quad(
        lambda x: np.sqrt(norm.pdf(x, 0, 1) * norm.pdf(x, 2, 3)), -40, 40, points=[0, 2], limit=200
    )
    assert np.exp(log_overlap(density)[0, 1]) == pytest.approx(integral, rel=1e-9)


def test_far_off_classes_keep_the_digits_of_their_distance() -> None:
    means = np.array([[1e6, 0.0], [-1e6, 3.0]])
    matrices = np.array([[[1e-6, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.5, 2.0]]])
    found = log_overlap(density_of(Kind("full", False), means, matrices))[0, 1]
    assert -found == pytest.approx(exact_distance(means, matrices), rel=1e-12)


@each_kind
def test_rows_lie_where_two_classes_meet(kind: Kind) -> None:
    """√(p_a p_b) has the precision (Σ_a⁻¹ + Σ_b⁻¹) / 2, and the mean that goes with it."""
    density, each = some_density(kind, k=3, d=3), 40_000
    pairs = np.repeat([1, 2, 5], each)  # of (0, 1), (0, 2) and (1, 2)
    rows = draw_between(density, pairs, np.random.default_rng(2)).matrix
    precision = np.linalg.inv(covariances(density))
    for number, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        matrix = np.linalg.inv((precision[a] + precision[b]) / 2)
        weighted = precision[a] @ density.mean[a] + precision[b] @ density.mean[b]
        mean = matrix @ weighted / 2
        mine = rows[number * each : (number + 1) * each]
        variance = np.diag(matrix)
        assert (abs(mine.mean(axis=0) - mean) <= 4 * np.sqrt(variance / each)).all()
        error = np.sqrt((np.outer(variance, variance) + matrix**2) / each)
        assert (abs(np.cov(mine.T) - matrix) <= 4 * error).all()


@each_kind
def test_blocks_of_classes_do_not_matter(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    density, pairs = some_density(kind, k=6), np.sort(np.arange(2000) % 36)
    pairs = pairs[pairs // 6 < pairs % 6]
    whole = log_overlap(density), draw_between(density, pairs, np.random.default_rng(0)).matrix
    monkeypatch.setattr(class_pairs, "_BLOCK_BYTES", 1)
    parts = log_overlap(density), draw_between(density, pairs, np.random.default_rng(0)).matrix
    for found, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
