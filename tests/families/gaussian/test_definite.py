"""Inverses of positive definite matrices."""

import numpy as np
import pytest

from gaussbayes.families.gaussian.definite import invert_definite


@pytest.mark.parametrize("d", [3, 40])
def test_inverses(d):
    X = np.random.default_rng(0).normal(size=(2, 90, d))
    matrices = X.mT @ X
    inverse, log_det = invert_definite(matrices.copy())
    np.testing.assert_allclose(inverse @ matrices, np.eye(d) + np.zeros((2, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(matrices)[1], rtol=1e-13)
