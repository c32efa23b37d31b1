"""Priors from rows without labels: known shares, a numerical maximum, and bad input."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from gaussbayes import GaussianClassifier, make_gaussian_dataset
from gaussbayes.analysis.prior_shift import prior_shift
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray

HALF = np.array([0.5, 0.5])


def log_posterior_of(x: FloatArray, apart: float, prior: FloatArray) -> FloatArray:
    """Of two unit Gaussians at 0 and `apart`, by scipy."""
    joint = norm.logpdf(x[:, None], [0.0, apart]) + np.log(prior)
    return np.asarray(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))


def rows(seed: int, share: float, apart: float, n: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=n) + apart * (rng.random(n) >= share))


def test_ninety_and_ten_from_a_model_of_halves() -> None:
    means = [[0, 0], [4, 0]]
    X, y = make_gaussian_dataset(1000, means, random_state=0)
    model = GaussianClassifier().fit(X, y)
    new, _ = make_gaussian_dataset([9000, 1000], means, random_state=1)
    found = prior_shift(model.predict_log_proba(new), model.priors_)
    assert found.converged
    np.testing.assert_allclose(found.prior, [0.9, 0.1], rtol=0, atol=0.005)
    assert found.prior.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("apart", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("trained", [0.5, 0.2])
def test_the_maximum_found_numerically(apart: float, trained: float) -> None:
    x = rows(2, 0.7, apart, 4000)
    prior = np.array([trained, 1 - trained])
    found = prior_shift(log_posterior_of(x, apart, prior), prior)
    densities = norm.pdf(x[:, None], [0.0, apart])

    def log_likelihood(share: float) -> float:
        return float(np.log(densities @ [share, 1 - share]).sum())

    best = minimize_scalar(
        lambda share: -log_likelihood(share),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert found.converged
    assert found.prior[0] == pytest.approx(best.x, abs=2e-6)
    gain = -best.fun - log_likelihood(trained)
    assert found.log_likelihood[-1] == pytest.approx(gain, abs=1e-6)
    assert found.log_likelihood[0] == pytest.approx(0, abs=1e-9)


def test_the_first_step_is_the_mean_posterior() -> None:
    log_posterior = log_posterior_of(rows(3, 0.3, 1.0, 500), 1.0, HALF)
    found = prior_shift(log_posterior, HALF, max_iterations=1)
    np.testing.assert_allclose(found.prior, np.exp(log_posterior).mean(axis=0), rtol=1e-13)
    assert found.n_iterations == 1
    assert not found.converged
    assert found.gap > 1e-8


def test_the_gap_is_honest() -> None:
    log_posterior = log_posterior_of(rows(4, 0.9, 1.0, 1000), 1.0, HALF)
    best = prior_shift(log_posterior, HALF, tolerance=1e-13).log_likelihood[-1]
    for steps in (1, 3, 10, 30):
        early = prior_shift(log_posterior, HALF, max_iterations=steps)
        assert best - early.log_likelihood[-1] <= 1000 * early.gap


def test_weights_are_repetitions() -> None:
    log_posterior = log_posterior_of(rows(5, 0.6, 2.0, 200), 2.0, HALF)
    times = np.random.default_rng(6).integers(0, 4, size=200)
    weighted = prior_shift(log_posterior, HALF, times)
    repeated = prior_shift(np.repeat(log_posterior, times, axis=0), HALF)
    assert weighted.n_iterations == repeated.n_iterations
    np.testing.assert_allclose(weighted.prior, repeated.prior, rtol=1e-12)
    # Sums of a few hundred numbers up to 1, cancelling to 0 at the start.
    np.testing.assert_allclose(weighted.log_likelihood, repeated.log_likelihood, atol=1e-11)


def test_a_class_of_prior_0_keeps_it() -> None:
    log_posterior = np.log([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    without = prior_shift(log_posterior, HALF)
    with_none = np.insert(log_posterior, 1, -np.inf, axis=1)
    found = prior_shift(with_none, np.array([0.5, 0.0, 0.5]))
    assert found.prior[1] == 0.0
    np.testing.assert_array_equal(found.prior[[0, 2]], without.prior)
    alone = prior_shift(np.array([[0.0, -np.inf]]), np.array([1.0, 0.0]))
    assert alone.prior.tolist() == [1.0, 0.0]
    assert (alone.n_iterations, alone.converged) == (0, True)


def test_a_class_of_which_there_are_no_rows_vanishes() -> None:
    found = prior_shift(log_posterior_of(np.zeros(50), 6.0, HALF), HALF)
    assert found.prior[1] < 1e-8
    assert found.converged


def test_rows_far_from_every_class() -> None:
    # Ratios beyond the range of floats, both ways.
    log_posterior = np.array([[0.0, -1e5], [-1e5, 0.0], [-1e5, 0.0], [0.0, -1e308]])
    found = prior_shift(log_posterior, np.array([1e-300, 1 - 1e-300]))
    np.testing.assert_allclose(found.prior, [0.5, 0.5], rtol=1e-14)
    assert np.isfinite(found.log_likelihood).all()


def test_narrow_posteriors_and_the_arguments() -> None:
    log_posterior = log_posterior_of(rows(7, 0.4, 2.0, 300), 2.0, HALF)
    narrow, before = log_posterior.astype(np.float32), log_posterior.copy()
    prior = HALF.copy()
    found = prior_shift(log_posterior, prior)
    np.testing.assert_array_equal(log_posterior, before)
    np.testing.assert_array_equal(prior, HALF)
    np.testing.assert_allclose(prior_shift(narrow, HALF).prior, found.prior, atol=1e-6)


@pytest.mark.parametrize(
    ("log_posterior", "prior", "weight", "message"),
    [
        (np.empty((0, 2)), HALF, None, "at least one row, got none"),
        (np.log([[0.5, 0.5]]), np.ones(3) / 3, None, r"shape \(1, 2\) need 2 priors, got .*\(3,\)"),
        (np.log([[0.5, 0.5]]), HALF, [1, 2], r"sample_weight must have shape \(1,\)"),
        (np.log([[0.5, 0.5]]), HALF, [-1], "row 0 has -1"),
        (np.log([[0.5, 0.5]]), HALF, [0], "non-zero"),
        (np.array([[0, -np.inf], [np.nan, 0]]), HALF, None, r"row 1 has .*\[nan, 0.0\]"),
        (np.array([[0.0, -np.inf]]), np.array([0.0, 1.0]), None, r"row 0 .* no distribution"),
    ],
)
def test_bad_rows(log_posterior: Any, prior: Any, weight: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        prior_shift(log_posterior, prior, weight)


@pytest.mark.parametrize("value", [0.0, -1e-3, np.nan, np.inf, "small"])
def test_bad_tolerances(value: Any) -> None:
    with pytest.raises(OptionError, match="tolerance must be a finite number above 0"):
        prior_shift(np.log([[0.5, 0.5]]), HALF, tolerance=value)


@pytest.mark.parametrize("value", [0, 2.5, True])
def test_bad_numbers_of_iterations(value: Any) -> None:
    with pytest.raises(OptionError, match="max_iterations must be an integer, at least 1"):
        prior_shift(np.log([[0.5, 0.5]]), HALF, max_iterations=value)
