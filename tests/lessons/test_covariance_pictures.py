"""Course, document 004: covariance, correlation, distance, and the density's factor ½."""

import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis

from gaussbayes.lessons import covariance_pictures as pictures

CLOUDS = [np.array(cloud) for cloud in (pictures.FALLING, pictures.LEVEL, pictures.RISING)]


def test_covariances_and_correlations_are_numpys() -> None:
    model = pictures.fit()
    for code, cloud in enumerate(CLOUDS):
        np.testing.assert_allclose(model.covariances_[code], np.cov(cloud.T, ddof=0), atol=1e-15)
        np.testing.assert_allclose(model.correlations_[code], np.corrcoef(cloud.T), atol=1e-15)


def test_a_covariance_is_at_most_the_product_of_the_deviations() -> None:
    covariances = pictures.fit().covariances_
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    assert (abs(covariances[:, 0, 1]) <= deviations.prod(axis=1)).all()


def test_distances_are_scipys() -> None:
    distances = pictures.fit().mahalanobis(pictures.POINTS)
    for code, cloud in enumerate(CLOUDS):
        inverse = np.linalg.inv(np.cov(cloud.T, ddof=0))
        expected = [mahalanobis(point, (0, 0), inverse) for point in pictures.POINTS]
        np.testing.assert_allclose(distances[:, code], expected, rtol=1e-13)


def test_free_parameters_counted_by_hand() -> None:
    # 2 priors, 6 coordinates of means, and 3, 2 or 1 numbers for each covariance.
    assert pictures.n_parameters() == [8 + 9, 8 + 6, 8 + 3, 8 + 3, 8 + 2, 8 + 1]


def test_erratum_without_one_half_the_density_integrates_to_one_half() -> None:
    step = 0.05
    axis = np.arange(-15, 15, step) + step / 2
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    model = pictures.fit()
    right = np.exp(model.log_likelihood(points)[:, 2])
    assert right.sum() * step**2 == pytest.approx(1, abs=1e-9)
    height = 1 / (2 * np.pi * np.sqrt(np.linalg.det(model.covariances_[2])))
    slipped = height * np.exp(-(model.mahalanobis(points)[:, 2] ** 2))
    assert slipped.sum() * step**2 == pytest.approx(0.5, abs=1e-9)


def test_erratum_the_inner_product_is_a_number() -> None:
    cloud = CLOUDS[2]
    inner = np.mean([row @ row for row in cloud])
    outer = np.mean([np.outer(row, row) for row in cloud], axis=0)
    assert inner == np.trace(outer) == 5.0
    np.testing.assert_array_equal(outer, [[2.5, 2.0], [2.0, 2.5]])


def test_erratum_the_root_is_the_distance() -> None:
    model = pictures.fit()
    once, twice = model.mahalanobis([[1.0, 0.5], [2.0, 1.0]])[:, 2]
    assert twice == pytest.approx(2 * once, rel=1e-14)  # the square would be four times as large
