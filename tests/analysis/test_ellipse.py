"""Ellipses of equal Mahalanobis distance, and how much of a Gaussian lies within them."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from gaussbayes.analysis.ellipse import N_POINTS, ellipse, mass_of_radius, radius_of_mass
from gaussbayes.base.errors import OptionError
from tests import strategies


@given(strategies.covariances(1, 2), st.floats(0.01, 10.0), st.data())
def test_the_distance_is_the_radius(
    covariances: np.ndarray, radius: float, data: st.DataObject
) -> None:
    scale = data.draw(strategies.scales(2))
    covariance = covariances[0] * np.multiply.outer(scale, scale)
    mean = np.array([3.0, -7.0]) * scale
    for x, y in ellipse(mean, covariance, radius, 13):
        with mpmath.workdps(50):
            across, up = mpmath.mpf(float(x)) - mean[0], mpmath.mpf(float(y)) - mean[1]
            (a, b), (_, d) = ([mpmath.mpf(value) for value in row] for row in covariance.tolist())
            # The inverse of a 2 × 2 matrix, written out.
            squared = (d * across**2 - 2 * b * across * up + a * up**2) / (a * d - b**2)
            assert abs(mpmath.sqrt(squared) - radius) <= 1e-9 * max(radius, 1.0)


def test_points_go_once_around() -> None:
    points = ellipse(np.array([1.0, 2.0]), np.array([[4.0, 1.0], [1.0, 2.0]]), 2.0)
    assert points.shape == (N_POINTS, 2)
    np.testing.assert_allclose(points[0], points[-1], atol=1e-14)
    away = points - [1.0, 2.0]
    turned = np.unwrap(np.arctan2(away[:, 1], away[:, 0]))
    assert (np.diff(turned) > 0).all()
    assert turned[-1] - turned[0] == pytest.approx(2 * np.pi)


def test_the_extent_is_the_standard_deviations() -> None:
    # The largest x of (x − m)ᵀ Σ⁻¹ (x − m) = r² is m + r √Σ₁₁, whatever the correlation.
    covariance = np.array([[9.0, 2.9], [2.9, 1.0]])
    points = ellipse(np.zeros(2), covariance, 2.0, 100_001)
    np.testing.assert_allclose(points.max(axis=0), [6.0, 2.0], rtol=1e-8)


def test_mass_and_radius() -> None:
    # Two dimensions: P(M ≤ r) = 1 − exp(−r²/2).
    radii = np.array([0.5, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(mass_of_radius(radii), -np.expm1(-(radii**2) / 2), rtol=1e-13)
    np.testing.assert_allclose(radius_of_mass(mass_of_radius(radii)), radii, rtol=1e-12)
    # One dimension: the familiar 68.27 % and 95.45 %.
    np.testing.assert_allclose(mass_of_radius([1, 2], 1), [0.682689492, 0.954499736], rtol=1e-9)
    assert radius_of_mass(0.9, 5) == pytest.approx(np.sqrt(chi2(5).ppf(0.9)))


@pytest.mark.parametrize("mass", [0.0, 1.0, -0.1, 95, np.nan, [0.5, 2.0]])
def test_a_mass_is_between_0_and_1(mass: object) -> None:
    with pytest.raises(OptionError, match="between 0 and 1, got"):
        radius_of_mass(mass)  # type: ignore[arg-type]
