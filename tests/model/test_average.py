"""Averaged and calibrated models: what they answer, and what they refuse."""

import numpy as np
import pytest
from scipy.special import log_softmax

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.datasets import load_iris
from tests.models import automatic_classifier


@pytest.fixture(scope="module")
def rows():
    iris = load_iris()
    generator = np.random.default_rng(0)
    return iris.rows + generator.normal(scale=0.3, size=iris.rows.shape), iris.labels


def with_prior(joint, log_prior, calibration):
    """Log posteriors of which a small proportion is the prior."""
    proportion = calibration.prior_proportion
    posterior = (1.0 - proportion) * np.exp(log_softmax(joint, axis=1))
    return np.log(posterior + proportion * np.exp(log_prior))


@pytest.fixture(scope="module")
def average(rows):
    return automatic_classifier(average=True).fit(*rows)


def test_posterior_is_the_calibrated_average(average, rows):
    X, model = rows[0], average.model_
    assert model.weights.sum() == pytest.approx(1.0)
    assert (np.diff(model.weights) <= 0).all()
    posteriors = [member.posterior(member.rows(X)) for member in model.members]
    mixture = np.einsum("m,mnk->nk", model.weights, posteriors)
    log_prior, calibration = np.log(model.prior), model.calibration
    joint = calibration.temperature * (np.log(mixture) - log_prior) + log_prior
    expected = with_prior(joint + calibration.offsets, log_prior, calibration)
    np.testing.assert_allclose(average.predict_log_proba(X), expected, atol=1e-9)
    np.testing.assert_allclose(average.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    best = average.classes_[expected.argmax(axis=1)]
    np.testing.assert_array_equal(average.predict(X), best)


def test_changed_priors(average, rows):
    """Posteriors change by the ratio of the priors, but for the proportion that is the prior."""
    X, calibration = rows[0], average.model_.calibration
    given, proportion = np.array([0.7, 0.2, 0.1]), calibration.prior_proportion
    posterior = average.predict_proba(X) - proportion * average.priors_
    joint = np.log(np.maximum(posterior, 1e-300)) - np.log(average.priors_) + np.log(given)
    expected = with_prior(joint, np.log(given), calibration)
    np.testing.assert_allclose(average.with_priors(given).predict_log_proba(X), expected, atol=1e-9)


def test_marginal_and_statistics(average, rows):
    X = rows[0]
    part = average.marginal([0, 2])
    assert part.predict_proba(X[:, [0, 2]]).shape == (150, 3)
    for step in (
        lambda: average.partial_fit(*rows),
        lambda: average.forget(X[:1], rows[1][:1]),
        lambda: average.merge(average),
    ):
        with pytest.raises(DataError, match="averages several models"):
            step()


@pytest.mark.parametrize("settings", [{}, {"estimate": "predictive", "shared": 0.5}])
def test_single_calibrated_model(rows, settings):
    """t log p(x | c) + b_c + log prior_c, normalised; densities stay as they are."""
    X, y = rows
    plain = GaussianClassifier(**settings).fit(X, y)
    model = GaussianClassifier(**settings, calibration="leave_one_out").fit(X, y)
    calibration = model.model_.calibration
    densities = plain.model_.log_likelihood(plain.model_.rows(X))
    joint = calibration.temperature * densities + calibration.offsets + np.log(plain.priors_)
    expected = with_prior(joint, np.log(plain.priors_), calibration)
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.score_samples(X), plain.score_samples(X), rtol=1e-12)
    assert model.leave_one_out(X, y).evaluation.log_loss < (
        plain.leave_one_out(X, y).evaluation.log_loss + 0.02
    )
    odds = model.decision_function(X)
    np.testing.assert_allclose(odds, expected, rtol=1e-9, atol=1e-12)


def test_classes_come_and_go(rows):
    X, y = rows
    model = GaussianClassifier(calibration="leave_one_out").fit(X, y)
    before = dict(zip(model.classes_.tolist(), model.model_.calibration.offsets, strict=True))
    fewer = model.remove_class("versicolor")
    after = fewer.model_.calibration.offsets
    assert after.tolist() == [before["setosa"], before["virginica"]]
    more = model.add_class("other", X[:20] + 9.0)
    offsets = dict(zip(more.classes_.tolist(), more.model_.calibration.offsets, strict=True))
    assert offsets["other"] == 0.0
    assert offsets["virginica"] == before["virginica"]
