"""Weights of averaged models by the conditions of a maximum."""

import numpy as np
import pytest

from gaussbayes.model.averaging import LEAST_WEIGHT, averaging_weights


@pytest.mark.parametrize("seed", range(4))
def test_near_the_maximum(seed):
    generator = np.random.default_rng(seed)
    log_posterior = np.log(generator.beta(2.0, 1.0, size=(200, 4)))
    rows = generator.uniform(0.1, 2.0, 200)
    weights = averaging_weights(log_posterior, rows)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    members = np.flatnonzero(weights)
    assert (weights[members] >= LEAST_WEIGHT).all()
    # The score is concave: it is below its maximum by at most the logarithm of the largest slope.
    probability = np.exp(log_posterior[:, members])
    slope = (rows / (probability @ weights[members])) @ probability / rows.sum()
    assert 1.0 <= slope.max() < 1.001


def test_dominated_and_impossible_members_go():
    good = np.log(np.full(50, 0.9))
    bad = np.log(np.full(50, 0.4))
    wrong = np.full(50, -np.inf)
    weights = averaging_weights(np.stack([wrong, good, bad], axis=1), np.ones(50))
    np.testing.assert_allclose(weights, [0.0, 1.0, 0.0], atol=1e-12)


def test_equal_members_share():
    same = np.log(np.full((30, 100), 0.5))
    np.testing.assert_allclose(averaging_weights(same, np.ones(30)), 0.01, rtol=1e-9)
