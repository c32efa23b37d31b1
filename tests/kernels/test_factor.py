"""Whiteners of covariances: what they are, whichever kernels find them."""

import numpy as np
import pytest

from gaussbayes.base.types import FloatArray
from gaussbayes.kernels import Kernels
from tests.oracles import EPS


def covariances(m: int, d: int) -> FloatArray:
    rows = np.random.default_rng([m, d]).normal(size=(m, 2 * d + 1, d))
    unit = np.logspace(-3, 3, d)
    product = rows.mT @ rows
    return (product + product.mT) / 2 * unit * unit[:, None]


def factor(kernels: Kernels, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    m, d, _ = covariance.shape
    whitener, log_det, unexplained = np.full((m, d, d), np.nan), np.empty(m), np.empty(m)
    kernels.factor(covariance, whitener, log_det, unexplained)
    return whitener, log_det, unexplained


@pytest.mark.parametrize("d", [1, 2, 3, 7, 8, 9, 16, 23, 24, 25, 32, 33, 64, 65, 100, 130, 512])
def test_whiteners_make_covariances_the_identity(kernels: Kernels, d: int) -> None:
    sigma = covariances(1 if d > 200 else 2, d)
    whitener, log_det, unexplained = factor(kernels, sigma)
    np.testing.assert_array_equal(whitener, np.tril(whitener))
    assert not np.signbit(np.triu(whitener, 1)).any()
    for own, white, log, least in zip(sigma, whitener, log_det, unexplained, strict=True):
        scale = np.sqrt(own.diagonal())
        correlation = own / scale / scale[:, None]
        inverse = np.linalg.inv(correlation)
        # As in test_triangular: |L⁻¹| |L| |Lᵀ| |L⁻ᵀ| d ε, here bounded by the condition.
        bound = 10 * d * EPS * np.linalg.cond(correlation)
        np.testing.assert_allclose(white @ own @ white.T, np.eye(d), rtol=0, atol=bound)
        assert log == pytest.approx(np.linalg.slogdet(own)[1], abs=d * bound)
        assert least == pytest.approx(1 / inverse.diagonal().max(), rel=bound)


@pytest.mark.parametrize("d", [2, 9, 40])
def test_what_has_no_factor_says_so(kernels: Kernels, d: int) -> None:
    """A pivot below 0, a variance that is none, entries that are no numbers."""
    for place, value in (((d - 1, d - 1), -1.0), ((0, 0), 0.0), ((0, 0), np.inf), ((1, 0), np.nan)):
        sigma = covariances(3, d)
        sigma[1][place] = sigma[1][place[::-1]] = value
        _, _, unexplained = factor(kernels, sigma)
        assert unexplained[0] > 0
        assert unexplained[1] == 0
    turned = np.array([[[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]])
    assert factor(kernels, turned)[2] == 0


def test_classes_do_not_depend_on_each_other(kernels: Kernels) -> None:
    sigma = covariances(3, 37)
    whitener, log_det, unexplained = factor(kernels, sigma)
    for c in range(3):
        alone = factor(kernels, sigma[c : c + 1])
        np.testing.assert_array_equal(alone[0][0], whitener[c])
        assert (alone[1][0], alone[2][0]) == (log_det[c], unexplained[c])
