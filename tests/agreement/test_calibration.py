"""Temperature and offsets against a general optimiser, and what they must never do."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from gaussbayes.model.calibration import Calibration, calibrate, calibrated_left_out


def rows_left_out(seed, n=400, k=3, sharpness=3.0):
    """Log-likelihoods whose ratios are `sharpness` times the true ones, and classes."""
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, k, n)
    scores = generator.normal(size=(n, k))
    scores[np.arange(n), codes] += 1.0  # log ratios of unit Gaussians one apart: scores themselves
    return sharpness * scores, np.eye(k)[codes], generator.uniform(0.5, 2.0, n)


def penalised_loss(point, scores, log_prior, proportions, weights):
    log_posterior = log_softmax(np.exp(point[0]) * scores + log_prior + point[1:], axis=1)
    return -weights @ (proportions * log_posterior).sum(axis=1) + 2.0 * np.square(point).sum()


@pytest.mark.parametrize("sharpness", [3.0, 1.2])
def test_minimum(sharpness):
    scores, proportions, weights = rows_left_out(1, sharpness=sharpness)
    log_prior = np.log([0.2, 0.3, 0.5])
    fit = calibrate(scores, log_prior, proportions, weights)
    reference = minimize(  # without derivatives, by another method
        penalised_loss,
        np.zeros(4),
        args=(scores, log_prior, proportions, weights),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxfev": 20_000},
    ).x
    assert fit.weight == pytest.approx(np.exp(reference[0]), rel=1e-7)
    np.testing.assert_allclose(fit.offsets, reference[1:], atol=1e-7)
    # At the minimum the loss is flat, by differences.
    point, near = np.append(np.log(fit.weight), fit.offsets), 1e-5 * np.eye(4)
    sides = [[penalised_loss(point + sign * shift, scores, log_prior, proportions, weights)
              for sign in (-1, 1)] for shift in near]  # fmt: skip
    np.testing.assert_allclose(np.diff(sides), 0.0, atol=1e-9)


@pytest.mark.parametrize("wrong", [0, 7, 200])
def test_proportion_of_the_prior(wrong):
    """It makes the classes of rows left out, of which some say nothing, most probable."""
    scores, proportions, weights = rows_left_out(1, sharpness=1.0)
    scores[:wrong] = np.roll(20.0 * proportions[:wrong], 1, axis=1)  # sure of another class
    log_prior = np.log([0.2, 0.3, 0.5])
    fit = calibrate(scores, log_prior, proportions, weights)
    log_posterior = log_softmax(fit.applied(scores, log_prior), axis=1)
    posterior, prior = np.exp(log_posterior[proportions > 0]), proportions @ np.exp(log_prior)

    def negative(e):
        return -weights @ np.log((1 - e) * posterior + e * prior) - 0.1 * np.log(e)

    bounds = 0.1 / (weights.sum() + 0.1), 0.5
    reference = minimize_scalar(negative, bounds=bounds, options={"xatol": 1e-12}).x
    # What is gained over the prior, in standard errors of its sum; nothing changes from 2.5 on.
    gain = np.log((1 - reference) * posterior / prior + reference)
    centred = gain - np.average(gain, weights=weights)
    spread = np.sqrt(gain.size) * np.std(weights * centred, mean=0.0, ddof=1)
    doubt = np.clip(1 - weights @ gain / spread / 2.5, 0, 1)
    assert (doubt > 0) == (wrong == 200)
    reference += doubt * (1 - reference)
    assert fit.prior_proportion == pytest.approx(reference, abs=1e-6)
    mixed = np.log((1 - fit.prior_proportion) * posterior + fit.prior_proportion * prior)
    np.testing.assert_allclose(fit.log_posterior(scores, log_prior)[proportions > 0], mixed)


def test_features_that_tell_nothing():
    """Where rows left out are no more probable than by the prior, posteriors are the prior."""
    generator = np.random.default_rng(3)
    proportions = np.eye(3)[generator.integers(0, 3, 300)]
    away = -0.3 * proportions + generator.normal(0, 0.01, (300, 3))  # a little worse than chance
    log_prior = np.full(3, -np.log(3.0))
    fit = calibrate(away, log_prior, proportions, np.ones(300))
    assert fit.prior_proportion == 1
    assert "no information about the class beyond its frequency" in fit.notice
    log_posterior = fit.log_posterior(np.array([[50.0, 0.0, -np.inf]]), log_prior)
    np.testing.assert_allclose(log_posterior, log_prior[None], rtol=1e-15)
    assert "little information about the class" in Calibration(1.0, np.zeros(2), 0.7).notice
    assert "70" in Calibration(1.0, np.zeros(2), 0.7).notice


def test_true_sharpness():
    scores, proportions, _ = rows_left_out(2, n=20_000, sharpness=4.0)
    fit = calibrate(scores + np.array([0.0, 2.0, 0.0]), np.zeros(3), proportions, np.ones(20_000))
    # The temperature undoes the factor 4, the offsets the 2 of the second class (t · 2 = 0.5).
    assert fit.weight == pytest.approx(0.25, rel=0.04)
    np.testing.assert_allclose(fit.offsets - fit.offsets[0], [0.0, -0.5, 0.0], atol=0.05)


@pytest.mark.parametrize("sharpness", [0.2, 1e6, 1e300])
def test_nothing_is_sharpened(sharpness):
    """Posteriors that are too unsure stay so; rows that are all right leave them as they are."""
    codes = np.arange(60) % 3
    right = sharpness * (np.eye(3)[codes] - 1.0)
    fit = calibrate(right, np.zeros(3), np.eye(3)[codes], np.ones(60))
    assert fit.weight <= 1.0
    assert fit.weight == pytest.approx(1.0, abs=0.01)
    np.testing.assert_allclose(fit.offsets, 0.0, atol=1e-6)


def test_impossible_classes():
    scores, proportions, weights = rows_left_out(3)
    scores[:5, 0] = -np.inf
    fit = calibrate(scores, np.log([0.5, 0.5, 0.0], where=[1, 1, 0], out=np.full(3, -np.inf)),
                    proportions, weights)  # fmt: skip
    assert np.isfinite(fit.offsets).all()
    assert 0 < fit.weight <= 1
    joint = fit.applied(scores, np.log([0.5, 0.5, 1e-300]))
    assert np.isneginf(joint[:5, 0]).all()


def test_folds_have_not_seen_their_rows():
    """What a row left out is given depends on its fold, not on its own class within it."""
    scores, proportions, weights = rows_left_out(4, n=120)
    even = np.full(3, -np.log(3.0))
    fold = np.arange(120) % 10
    joint = calibrated_left_out(scores, even, proportions, weights, None, fold)
    soft = proportions.copy()
    soft[0] = 0.4 * soft[0] + 0.2
    again = calibrated_left_out(scores, even, soft, weights, None, fold)
    np.testing.assert_array_equal(joint[0], again[0])
    assert (joint[1:] != again[1:]).any()
    sharp = log_softmax(scores, axis=1)[proportions > 0].mean()
    assert log_softmax(joint, axis=1)[proportions > 0].mean() > sharp


def test_classes_chosen():
    fit = Calibration(0.5, np.array([-1.0, 0.0, 1.0])).selected([2, 0, -1])
    assert fit.offsets.tolist() == [1.0, -1.0, 0.0]
