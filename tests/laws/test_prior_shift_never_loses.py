"""Each step of prior shift makes rows more probable; labels that are certain are counted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.analysis.prior_shift import estimate_priors
from tests.oracles import EPS


@given(st.integers(2, 5), st.integers(1, 30), st.data())
def test_the_log_likelihood_never_falls(k: int, n: int, data: st.DataObject) -> None:
    logs = data.draw(hnp.arrays(np.float64, (n, k), elements=st.floats(-30, 0)))
    log_posterior = logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)
    weights = data.draw(hnp.arrays(np.float64, n, elements=st.integers(1, 5)))
    shares = data.draw(hnp.arrays(np.float64, k, elements=st.integers(1, 9)))
    prior = shares / shares.sum()
    found = estimate_priors(log_posterior, prior, weights, max_iterations=200)
    # Each of n terms, no larger than 30 + log 9 k, is rounded a few times and summed.
    bound = 8 * (n + k) * EPS * 40 * float(weights.sum())
    assert np.diff(found.log_likelihood).min(initial=0.0) >= -bound
    assert abs(found.log_likelihood[0]) <= bound
    assert np.all(found.prior >= 0)
    assert abs(found.prior.sum() - 1) <= k * EPS
    assert found.converged == (found.gap <= 1e-8)


@given(st.integers(2, 5), st.data())
def test_certain_labels_are_counted(k: int, data: st.DataObject) -> None:
    codes = data.draw(hnp.arrays(np.int64, st.integers(1, 30), elements=st.integers(0, k - 1)))
    shares = data.draw(hnp.arrays(np.float64, k, elements=st.integers(1, 9)))
    log_posterior = np.full((codes.size, k), -np.inf)
    log_posterior[np.arange(codes.size), codes] = 0.0
    found = estimate_priors(log_posterior, shares / shares.sum())
    expected = np.bincount(codes, minlength=k) / codes.size
    np.testing.assert_allclose(found.prior, expected, rtol=0, atol=4 * k * EPS)
    assert found.n_iterations <= 2
