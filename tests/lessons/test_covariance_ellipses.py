"""Course, document 004: covariance, correlation, distance, and the density's factor ½."""

import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis

from gaussbayes.lessons import covariance_ellipses as lesson
from gaussbayes.lessons.handouts import CLOUDS as TABLE
from gaussbayes.lessons.handouts import FALLING, LEVEL, RISING

CLOUDS = [np.array(cloud) for cloud in (FALLING, LEVEL, RISING)]


def test_covariances_and_correlations_are_numpys() -> None:
    model = TABLE.fit()
    for code, cloud in enumerate(CLOUDS):
        np.testing.assert_allclose(model.covariances_[code], np.cov(cloud.T, ddof=0), atol=1e-15)
        np.testing.assert_allclose(model.correlations_[code], np.corrcoef(cloud.T), atol=1e-15)


def test_a_covariance_is_at_most_the_product_of_the_deviations() -> None:
    covariances = TABLE.fit().covariances_
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    assert (abs(covariances[:, 0, 1]) <= deviations.prod(axis=1)).all()


def test_distances_are_scipys() -> None:
    distances = TABLE.fit().mahalanobis(lesson.POINTS)
    for code, cloud in enumerate(CLOUDS):
        inverse = np.linalg.inv(np.cov(cloud.T, ddof=0))
        expected = [mahalanobis(point, (0, 0), inverse) for point in lesson.POINTS]
        np.testing.assert_allclose(distances[:, code], expected, rtol=1e-13)


@pytest.mark.parametrize("d", [1, 2, 50])
def test_free_parameters_counted_by_hand(d: int) -> None:
    # 2 priors, 3 d coordinates of means; d (d + 1) / 2, d or 1 numbers for each covariance.
    rest = 2 + 3 * d
    each = [d * (d + 1) // 2, d, 1]
    expected = [rest + 3 * one for one in each] + [rest + one for one in each]
    assert list(lesson.n_parameters(d).values()) == expected


def test_clouds_of_200_rows_have_the_moments_of_the_four() -> None:
    for code, four in enumerate(CLOUDS):
        many = lesson.cloud(code)
        assert many.shape == (200, 2)
        np.testing.assert_allclose(many.mean(axis=0), four.mean(axis=0), atol=1e-14)
        np.testing.assert_allclose(
            np.cov(many.T, ddof=0), np.cov(four.T, ddof=0), rtol=1e-12, atol=1e-14
        )


def test_shrinking_keeps_the_total_variance() -> None:
    for amount in (0.25, 0.5, 1.0):
        shrunk = TABLE.fit(shrinkage=amount).covariances_[2]
        expected = [[2.5, 2 * (1 - amount)], [2 * (1 - amount), 2.5]]
        np.testing.assert_allclose(shrunk, expected, rtol=1e-14, atol=1e-14)


def test_a_covariance_is_symmetric_and_has_no_negative_eigenvalue() -> None:
    for covariance in TABLE.fit().covariances_:
        np.testing.assert_array_equal(covariance, covariance.T)
        assert (np.linalg.eigvalsh(covariance) >= 0).all()


def test_erratum_without_one_half_the_density_integrates_to_one_half() -> None:
    step = 0.05
    axis = np.arange(-15, 15, step) + step / 2
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    model = TABLE.fit()
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
    model = TABLE.fit()
    once, twice = model.mahalanobis([[1.0, 0.5], [2.0, 1.0]])[:, 2]
    assert twice == pytest.approx(2 * once, rel=1e-14)  # the square would be four times as large
