"""Bayes' rule of one row: every number is scipy's, and a logarithm outlives its plain number."""

import mpmath
import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gaussbayes.analysis.bayes_rule import bayes_rule
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.parameters import Structure, given

pytestmark = pytest.mark.usefixtures("kernels")

SCHEMA = Schema(np.array(["a", "b"]), 2)
MEANS = np.array([[0.0, 1.0], [2.0, -1.0]])
COVARIANCES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])
PRIORS = np.array([0.3, 0.7])
LINE = Schema(np.array(["a", "b"]), 1)


def test_every_number_is_what_scipy_says() -> None:
    row = np.array([0.7, 0.2])
    told = bayes_rule(given(SCHEMA, Structure(), PRIORS, MEANS, COVARIANCES), SCHEMA, row)
    density = [multivariate_normal(*own).pdf(row) for own in zip(MEANS, COVARIANCES, strict=True)]
    evidence = float(PRIORS @ density)
    assert told.evidence == pytest.approx(evidence, rel=1e-14)
    assert told.log_evidence == pytest.approx(np.log(evidence), rel=1e-14)
    for code, terms in enumerate(told.classes):
        joint = PRIORS[code] * density[code]
        apart = row - MEANS[code]
        assert (terms.label, terms.prior) == (SCHEMA.classes[code], PRIORS[code])
        assert terms.log_prior == np.log(PRIORS[code])
        assert terms.likelihood == pytest.approx(density[code], rel=1e-14)
        assert terms.log_likelihood == pytest.approx(np.log(density[code]), rel=1e-14)
        assert terms.joint == pytest.approx(joint, rel=1e-14)
        assert terms.log_joint == pytest.approx(np.log(joint), rel=1e-14)
        assert terms.posterior == pytest.approx(joint / evidence, rel=1e-14)
        assert terms.log_posterior == pytest.approx(np.log(joint / evidence), rel=1e-13)
        square = apart @ np.linalg.solve(COVARIANCES[code], apart)
        assert terms.squared_distance == pytest.approx(square, rel=1e-14)


def test_logarithms_go_on_where_plain_numbers_end() -> None:
    model = given(LINE, Structure(shared=True), None, [[0.0], [60.0]], [[1.0]])
    told = bayes_rule(model, LINE, np.array([100.0]))
    for terms, mean in zip(told.classes, (0.0, 60.0), strict=True):
        assert (terms.likelihood, terms.joint) == (0.0, 0.0)
        assert terms.log_likelihood == pytest.approx(norm.logpdf(100.0, mean), rel=1e-14)
    assert told.evidence == 0.0
    # log p(b | x) = −log(1 + e^−4200) and log p(a | x) = −4200 − that
    assert told.classes[0].log_posterior == pytest.approx(-4200, rel=1e-14)
    assert (told.classes[1].posterior, told.classes[1].log_posterior) == (1.0, 0.0)


def test_a_posterior_next_to_one_has_a_logarithm_of_full_precision() -> None:
    model = given(LINE, Structure(shared=True), None, [[0.0], [10.0]], [[1.0]])
    told = bayes_rule(model, LINE, np.array([0.0]))
    with mpmath.workdps(50):
        exact = float(-mpmath.log1p(mpmath.exp(-50)))
    assert told.classes[0].log_posterior == pytest.approx(exact, rel=1e-12)


def test_a_density_beyond_the_largest_float() -> None:
    schema = Schema(np.array(["a", "b"]), 10)
    model = given(
        schema, Structure("spherical"), None, [[0.0] * 10, [1e-70] * 10], [1e-140, 1e-140]
    )
    told = bayes_rule(model, schema, np.zeros(10))
    assert told.classes[0].likelihood == np.inf
    expected = 10 * norm.logpdf(0.0, 0.0, 1e-70)
    assert told.classes[0].log_likelihood == pytest.approx(expected, rel=1e-14)


def test_a_prior_of_zero() -> None:
    model = given(LINE, Structure(shared=True), [0.0, 1.0], [[0.0], [2.0]], [[1.0]])
    never, always = bayes_rule(model, LINE, np.array([0.0])).classes
    assert (never.prior, never.joint, never.posterior) == (0.0, 0.0, 0.0)
    assert never.log_prior == never.log_joint == never.log_posterior == -np.inf
    assert never.likelihood == pytest.approx(norm.pdf(0.0), rel=1e-14)
    assert always.posterior == 1.0


def test_a_row_without_features_has_the_priors() -> None:
    told = bayes_rule(given(SCHEMA, Structure(), PRIORS, MEANS, COVARIANCES), SCHEMA, np.empty(0))
    assert [terms.posterior for terms in told.classes] == pytest.approx(PRIORS.tolist(), rel=1e-15)
    assert [terms.likelihood for terms in told.classes] == [1.0, 1.0]
    assert [terms.squared_distance for terms in told.classes] == [0.0, 0.0]
    assert told.evidence == pytest.approx(1.0, rel=1e-15)
