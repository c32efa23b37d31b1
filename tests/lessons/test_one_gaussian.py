"""Course, documents 000, 002 and 004: one Gaussian, against scipy and the formulas."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gaussbayes.analysis.gaussian_distribution import Gaussian
from gaussbayes.lessons import one_gaussian as lesson
from gaussbayes.lessons.handouts import RISING, SPECIES_A


def test_candidates_are_ranked_as_scipy_does() -> None:
    for mean, variance in lesson.CANDIDATES.values():
        expected = norm(mean, np.sqrt(variance)).logpdf(SPECIES_A).sum()
        found = lesson.log_likelihood(Gaussian(mean, variance), SPECIES_A)
        assert found == pytest.approx(expected, rel=1e-13)


def test_no_gaussian_fits_better_than_the_moments_of_the_rows() -> None:
    best = lesson.log_likelihood(Gaussian.fit(SPECIES_A), SPECIES_A)
    for mean in np.linspace(1.5, 4.0, 26):
        for variance in np.geomspace(0.1, 3.0, 25):
            assert lesson.log_likelihood(Gaussian(mean, variance), SPECIES_A) <= best
    rows = np.array(RISING)
    fitted = Gaussian.fit(rows)
    np.testing.assert_allclose(fitted.covariance, np.cov(rows.T, ddof=0), rtol=1e-14)
    by_correlation = [
        lesson.log_likelihood(lesson.correlated(rho, 2.5), rows) for rho in np.linspace(-0.95, 0.95)
    ]
    assert max(by_correlation) <= lesson.log_likelihood(fitted, rows)


@pytest.mark.parametrize("rho", lesson.CORRELATIONS)
def test_the_bell_is_scipys_and_has_volume_1(rho: float) -> None:
    gaussian = lesson.correlated(rho)
    points = np.random.default_rng(0).normal(size=(20, 2))
    bell = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    np.testing.assert_allclose(gaussian.pdf(points), bell.pdf(points), rtol=1e-12)
    assert lesson.volume(gaussian, 8.0) == pytest.approx(1.0, abs=1e-9)
    height = 1 / (2 * np.pi * np.sqrt(1 - rho**2))
    assert gaussian.pdf([0.0, 0.0]) == pytest.approx(height, rel=1e-14)


def test_a_wider_bell_is_lower() -> None:
    for factor in (0.5, 2.0, 4.0):
        heights = [float(Gaussian(0.0, 1.0 * each**2).pdf(0.0)) for each in (1.0, factor)]
        assert heights[1] == pytest.approx(heights[0] / factor, rel=1e-14)
