"""Bar 4: log posteriors right to 1e-12 for gaps up to a million nats.

The reference has 50 digits and starts from the same floats. The error is relative to the log
posterior, also where that is near 0: the digits of log(1 − p) with a small p are kept. Only what is
smaller than the normal floats may be lost. In single precision, where log posteriors near 0 keep
to the rounding of the posterior, the error is absolute below one nat: there it is the relative
error of the posterior itself (d log p = dp / p).
"""

import numpy as np
import pytest

from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.oracles import errors, exact_scores
from tests.scored import Scored, given
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")

PRIORS = [0.5, 0.25, 0.125, 0.125]
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
each_gap = pytest.mark.parametrize("gap", [1.0, 1e2, 1e3, 1e4, 1e6])


def covariances(structure: Structure, rng: np.random.Generator, k: int, d: int) -> FloatArray:
    base = rng.normal(size=(k, d, d)) / np.sqrt(d)
    matrices = base @ base.transpose(0, 2, 1) + 0.5 * np.eye(d)
    values = {
        "full": (matrices + matrices.transpose(0, 2, 1)) / 2,
        "diagonal": np.einsum("kii->ki", matrices),
        "spherical": np.einsum("kii->k", matrices) / d,
    }[structure.covariance]
    return values[0] if structure.shared else values


def model(structure: Structure, gap: float) -> tuple[Scored, FloatArray]:
    """Two neighbours and two far classes, and rows near each mean."""
    rng = np.random.default_rng(7)
    k, d = 4, 3
    directions = rng.normal(size=(k, d))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    # A gap of g nats is a distance of √(2 g) standard deviations.
    distances = np.array([0.0, 1.0, np.sqrt(gap), np.sqrt(2 * gap)])
    means = directions * distances[:, None]
    schema = Schema(np.arange(k), d)
    parameters = given(schema, structure, PRIORS, means, covariances(structure, rng, k, d))
    rows = np.repeat(means, 6, axis=0) + rng.normal(size=(6 * k, d))
    return parameters, np.vstack([means, rows])


@each_gap
@each_structure
def test_log_posteriors(structure: Structure, gap: float) -> None:
    parameters, X = model(structure, gap)
    found = scores.log_posterior(parameters, X)
    truth = exact_scores(parameters.density, parameters.prior, X).log_posterior
    size = np.abs(np.array(truth, dtype=np.float64))
    if gap >= 1e6:
        assert size.max() > 5e5  # the gaps are there
    assert np.isfinite(found).all()
    assert np.all(errors(found, truth) <= 1e-12 * size + np.finfo(np.float64).tiny)


@each_gap
@each_structure
def test_log_odds_of_any_two_classes(structure: Structure, gap: float) -> None:
    parameters, X = model(structure, gap)
    truth = np.array(
        exact_scores(parameters.density, parameters.prior, X).log_posterior, dtype=object
    )
    for a in range(4):
        for b in range(4):
            found = scores.log_odds(parameters, X, a, b)
            exact = truth[:, a] - truth[:, b]
            # Both are relative to the winner: the larger of the two says what may be lost.
            size = np.maximum(np.abs(truth[:, [a, b]].astype(np.float64)).max(axis=1), 1.0)
            assert np.max(errors(found, exact.tolist()) / size) <= 1e-12


@each_gap
@each_structure
def test_posteriors(structure: Structure, gap: float) -> None:
    parameters, X = model(structure, gap)
    posterior = scores.posterior(parameters, X)
    assert not np.isnan(posterior).any()
    assert np.all(np.abs(posterior.sum(axis=1) - 1.0) <= 1e-15 * 4)
    log_posterior = scores.log_posterior(parameters, X)
    np.testing.assert_array_equal(scores.labels(parameters, X), log_posterior.argmax(axis=1))
    truth = np.array(
        exact_scores(parameters.density, parameters.prior, X).log_posterior, dtype=np.float64
    )
    # The linear form, from which shared posteriors come while the means are less than 100 standard
    # deviations from the centre, has terms as large as the gap and a few roundings of each; a
    # posterior changes by no more than its log joints.
    bound = 16 * np.finfo(np.float64).eps * (10 + min(gap, 1e4))
    np.testing.assert_allclose(posterior, np.exp(truth), rtol=0, atol=bound)


@pytest.mark.parametrize("distance", [1e10, 1e100, 1e150])
@each_structure
def test_rows_far_from_every_class(structure: Structure, distance: float) -> None:
    parameters, _ = model(structure, 1.0)
    X = distance * np.array([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.5]])
    posterior = scores.posterior(parameters, X)
    assert not np.isnan(posterior).any()
    assert np.all(np.abs(posterior.sum(axis=1) - 1.0) <= 1e-15 * 4)
    assert not np.isnan(scores.log_posterior(parameters, X)).any()


@each_structure
def test_narrow_rows(structure: Structure) -> None:
    # In single precision the same bar is 1e-12 times the ratio of the two ε, 2²⁹, about 5e-4.
    parameters, X = model(structure, 1e4)
    narrow = X.astype(np.float32)
    found = scores.log_posterior(parameters, narrow)
    assert found.dtype == np.float32
    truth = exact_scores(parameters.density, parameters.prior, narrow).log_posterior
    size = np.maximum(np.abs(np.array(truth, dtype=np.float64)), 1.0)
    assert np.max(errors(found, truth) / size) <= 1e-12 * 2.0**29
