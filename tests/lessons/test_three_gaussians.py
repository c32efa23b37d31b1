"""Course, document 000, exercise 1: the truth, the handout's draw, and its erratum."""

import numpy as np
import pytest
from scipy.stats import binom

from gaussbayes import GaussianClassifier
from gaussbayes.lessons import get, three_gaussians
from gaussbayes.lessons.handouts import THREE_GAUSSIANS
from tests.lessons.truth import confusion, joint_mass

N_TEST = 3 * three_gaussians.N_PER_CLASS


def test_error_of_the_optimal_rule_by_integration() -> None:
    mass = joint_mass(
        [1 / 3] * 3, THREE_GAUSSIANS.means, THREE_GAUSSIANS.covariances, width=18, step=0.06
    )
    assert mass.sum() == pytest.approx(1, abs=1e-9)
    error = 100 * (1 - np.trace(confusion(mass)))
    assert error == pytest.approx(three_gaussians.ERROR, abs=5e-5)


def test_error_of_the_optimal_rule_over_600_000_draws() -> None:
    # The course: 0.169 % of 600,000 draws, itself uncertain by as much as ours.
    (result,) = [r for r in get("three_gaussians").results if "600,000" in r.name]
    proportion = 0.169 / 100
    error = 100 * np.sqrt(proportion * (1 - proportion) / 600_000)
    assert abs(result.value() - 0.169) <= 4 * error


def test_the_handouts_4_of_1500_lies_within_the_spread() -> None:
    (spread,) = get("three_gaussians").spreads
    values = spread.values()
    assert spread.handout == 0.267
    assert spread.holds(values)
    counts = np.rint(values / 100 * N_TEST)
    low, high = np.quantile(counts, [0.025, 0.975])
    assert low <= 4 <= high
    # Test rows are independent: the count is binomial, with a rate next to the optimal one.
    expected = N_TEST * three_gaussians.ERROR / 100
    error = np.sqrt(expected / counts.size)
    assert expected - 4 * error <= counts.mean() <= 1.1 * expected + 4 * error
    assert 0.01 < binom.cdf(4, N_TEST, three_gaussians.ERROR / 100) < 0.99


def test_erratum_maximum_likelihood_divides_by_n() -> None:
    training, _ = three_gaussians.tables(0)
    X, y = training.rows, training.labels
    loss = {
        divisor: GaussianClassifier(divisor=divisor).fit(X, y).negative_log_likelihood(X, y)
        for divisor in ("mle", "unbiased")
    }
    assert loss["mle"].features < loss["unbiased"].features
    # From Σ to s Σ, s = n / (n − 1), the loss of n rows grows by ½ n d (log s − 1 + 1/s).
    n, s = 500, 500 / 499
    grown = 3 * 0.5 * n * 2 * (np.log(s) - 1 + 1 / s)
    difference = loss["unbiased"].features - loss["mle"].features
    assert difference == pytest.approx(grown, rel=1e-5)


def test_the_handouts_covariances_are_numpys_which_divide_by_n_minus_1() -> None:
    training, _ = three_gaussians.tables(0)
    model = three_gaussians.fit(training)
    for code in range(3):
        own = training.rows[training.labels == code]
        np.testing.assert_allclose(model.covariances_[code], np.cov(own.T), rtol=1e-13)


def test_a_class_may_be_learnt_after_the_others() -> None:
    training, test = three_gaussians.tables(0)
    at_once = three_gaussians.fit(training)
    late = three_gaussians.learnt_late(training, 2)
    np.testing.assert_allclose(late.means_, at_once.means_, rtol=1e-13)
    np.testing.assert_allclose(late.priors_, at_once.priors_, rtol=1e-15)
    np.testing.assert_array_equal(late.predict(test.rows), at_once.predict(test.rows))
