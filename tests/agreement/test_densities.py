"""Densities and distances against scipy, and against mpmath where scipy rounds too."""

import numpy as np
import pytest

from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.oracles import EPS, condition, errors, exact_scores
from tests.scored import Scored, given
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


def model(structure: Structure, k: int, d: int) -> tuple[Scored, FloatArray]:
    rng = np.random.default_rng([k, d])
    base = rng.normal(size=(k, d, d))
    matrices = base @ base.transpose(0, 2, 1) + np.eye(d)
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    values = {
        "full": matrices,
        "diagonal": np.einsum("kii->ki", matrices),
        "spherical": matrices[:, 0, 0],
    }[structure.covariance]
    priors = np.full(k, 1 / k)
    means = 2 * rng.normal(size=(k, d))
    parameters = given(
        Schema(np.arange(k), d), structure, priors, means, values[0] if structure.shared else values
    )
    return parameters, 3 * rng.normal(size=(25, d))


def bound(parameters: Scored, scale: float) -> float:
    """Whitening d features with condition κ is right to d κ ε of the squared distance."""
    return 10 * parameters.density.n_columns * condition(parameters.density) * EPS * scale


@each_structure
@pytest.mark.parametrize(("k", "d"), [(2, 1), (3, 2), (2, 6)])
def test_every_score_to_fifty_digits(structure: Structure, k: int, d: int) -> None:
    parameters, X = model(structure, k, d)
    truth = exact_scores(parameters.density, parameters.prior, X)
    largest = float(max(max(row) for row in truth.squared_distance)) + d
    atol = bound(parameters, largest)
    for found, expected in [
        (scores.log_likelihood(parameters, X), truth.log_likelihood),
        (scores.log_joint(parameters, X), truth.log_joint),
        (scores.log_posterior(parameters, X), truth.log_posterior),
        (scores.log_evidence(parameters, X), truth.log_evidence),
        (scores.mahalanobis(parameters, X) ** 2, truth.squared_distance),
    ]:
        assert errors(found, expected).max() <= atol


@each_structure
def test_narrow_rows(structure: Structure) -> None:
    parameters, X = model(structure, 3, 4)
    narrow = X.astype(np.float32)
    truth = exact_scores(parameters.density, parameters.prior, narrow).log_joint
    largest = float(np.abs(np.array(truth, dtype=float)).max())
    found = scores.log_joint(parameters, narrow)
    # The same bound with the ε of single precision, 2²⁹ times as large.
    assert errors(found, truth).max() <= 2.0**29 * bound(parameters, largest)
