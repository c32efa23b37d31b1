"""Inverses of positive definite matrices."""

import numpy as np
import pytest

from gaussbayes.families.gaussian.definite import (
    LowRankPrecisions,
    Precisions,
    invert_definite,
    root_of,
)


@pytest.mark.parametrize("d", [3, 40])
def test_inverses(d):
    X = np.random.default_rng(0).normal(size=(2, 90, d))
    matrices = X.mT @ X
    inverse, log_det = invert_definite(matrices.copy())
    np.testing.assert_allclose(inverse @ matrices, np.eye(d) + np.zeros((2, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(matrices)[1], rtol=1e-13)


@pytest.mark.parametrize("rank", [0, 1, 7, 20])
def test_low_ranks(rank):
    """``D + L Lᵀ`` inverted by its root, and as a matrix."""
    rng = np.random.default_rng(rank)
    scatter = (rows := rng.normal(size=(rank, 20)) * np.geomspace(1, 1e3, 20)).T @ rows
    root = root_of(scatter)
    assert root.shape == (20, rank)
    np.testing.assert_allclose(root @ root.T, scatter, rtol=1e-12, atol=1e-9)
    diagonal = np.geomspace([1.0, 1e4], 1e6, 20).T
    low, dense = (
        LowRankPrecisions.of(diagonal, root),
        Precisions.of(diagonal[:, :, None] * np.eye(20) + scatter),
    )
    x = rng.normal(size=(20, 3)) * np.geomspace(1, 1e3, 20)[:, None]
    np.testing.assert_allclose(low.log_det, dense.log_det, rtol=1e-12)
    np.testing.assert_allclose(low.times(x), dense.times(x), rtol=1e-8, atol=1e-14)


def test_what_has_no_inverse_is_not_a_number():
    with np.errstate(all="ignore"):
        nothing = LowRankPrecisions.of(np.zeros((1, 3)), np.ones((3, 1)))
        assert np.isnan(nothing.times(np.ones((3, 2)))).all()
