"""Course, document 000, exercise 2: regions from parameters that are set, not fitted."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gaussbayes.lessons import optimal_regions
from gaussbayes.lessons.handouts import OPTIMAL_REGIONS

LOWER = -2 + np.log(2) / 2  # x1 + x2 between classes 2 and 0
UPPER = 2.0  # between classes 0 and 1


def test_error_from_the_normal_distribution_of_the_sum() -> None:
    # x1 + x2 has standard deviation √2 and means 0, 4, −4.
    wrong = [
        norm.sf(UPPER, 0, np.sqrt(2)) + norm.cdf(LOWER, 0, np.sqrt(2)),
        norm.cdf(UPPER, 4, np.sqrt(2)),
        norm.sf(LOWER, -4, np.sqrt(2)),
    ]
    error = 100 * np.dot(OPTIMAL_REGIONS.priors, wrong)
    assert error == pytest.approx(optimal_regions.ERROR, abs=5e-6)


def test_regions_are_strips() -> None:
    points = np.random.default_rng(0).uniform(-8, 8, size=(2000, 2))
    total = points.sum(axis=1)
    expected = np.where(total > UPPER, 1, np.where(total > LOWER, 0, 2))
    np.testing.assert_array_equal(OPTIMAL_REGIONS.best_rule().predict(points), expected)


def test_log_odds_vanish_all_along_the_lines() -> None:
    along = np.linspace(-20, 20, 9)
    model = OPTIMAL_REGIONS.best_rule()
    for total, other in [(UPPER, 1), (LOWER, 2)]:
        points = np.stack([total / 2 + along, total / 2 - along], axis=1)
        np.testing.assert_allclose(model.log_odds(points, 0, other), 0, atol=1e-10)


def test_evidence_is_the_weighted_sum_of_scipys_densities() -> None:
    points = np.random.default_rng(1).normal(scale=3, size=(50, 2))
    parts = zip(OPTIMAL_REGIONS.priors, OPTIMAL_REGIONS.means, strict=True)
    evidence = sum(
        prior * multivariate_normal(mean, OPTIMAL_REGIONS.covariances).pdf(points)
        for prior, mean in parts
    )
    ours = np.exp(OPTIMAL_REGIONS.best_rule().score_samples(points))
    np.testing.assert_allclose(ours, evidence, rtol=1e-12)


def test_the_class_with_the_largest_prior_has_the_highest_peak() -> None:
    peaks = OPTIMAL_REGIONS.best_rule().score_samples(OPTIMAL_REGIONS.means)
    assert np.argmax(peaks) == 2
