"""Densities and distances against scipy, and against mpmath where scipy rounds too."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal, norm

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
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
@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 1), (3, 2), (2, 10), (4, 37)])
def test_log_likelihood_is_scipys(structure: Structure, k: int, d: int) -> None:
    parameters, X = model(structure, k, d)
    found = scores.log_likelihood(parameters, X)
    matrices = parameters.matrices
    for c in range(k):
        expected = multivariate_normal(parameters.mean[c], matrices[c]).logpdf(X)
        largest = float(np.abs(expected).max())
        np.testing.assert_allclose(found[:, c], expected, rtol=0, atol=bound(parameters, largest))


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_one_feature_is_the_normal_density(structure: Structure) -> None:
    parameters, X = model(structure, 3, 1)
    deviation = np.sqrt(parameters.matrices)[:, 0, 0]
    expected = norm.logpdf(X, parameters.mean[:, 0], deviation)
    # One subtraction, one product and one square: a few ε of the largest score.
    atol = 8 * EPS * float(np.abs(expected).max())
    np.testing.assert_allclose(scores.log_likelihood(parameters, X), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("shared", [False, True])
def test_diagonal_densities_are_products_of_normal_ones(shared: bool) -> None:
    parameters, X = model(Structure("diagonal", float(shared)), 3, 6)
    deviation = np.sqrt(np.einsum("mii->mi", parameters.matrices))
    expected = norm.logpdf(X[:, None], parameters.mean, deviation).sum(axis=2)
    atol = 8 * 6 * EPS * float(np.abs(expected).max())
    np.testing.assert_allclose(scores.log_likelihood(parameters, X), expected, rtol=0, atol=atol)


@each_structure
def test_mahalanobis_is_scipys(structure: Structure) -> None:
    parameters, X = model(structure, 3, 4)
    inverses = np.linalg.inv(parameters.matrices)
    expected = np.hstack(
        [cdist(X, parameters.mean[c : c + 1], "mahalanobis", VI=inverses[c]) for c in range(3)]
    )
    rtol = bound(parameters, 1.0) * condition_of_covariance(parameters)
    np.testing.assert_allclose(scores.mahalanobis(parameters, X), expected, rtol=rtol)


def condition_of_covariance(parameters: Scored) -> float:
    """numpy's inverse works on the covariance itself, whose condition is the larger one."""
    return float(np.linalg.cond(parameters.matrices).max()) / condition(parameters.density)


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


@each_structure
def test_densities_integrate_to_one(structure: Structure) -> None:
    # The midpoint rule converges faster than any power for Gaussians: 1e-12 with these steps.
    matrix = np.array([[1.0, 0.4], [0.4, 0.5]])
    values = {"full": matrix, "diagonal": np.diagonal(matrix), "spherical": matrix[0, 0]}
    value = np.asarray(values[structure.covariance])
    parameters = given(
        Schema(np.arange(2), 2),
        structure,
        None,
        [[0.0, 0.0], [1.0, -1.0]],
        value if structure.shared else np.stack([value, 2 * value]),
    )
    step = 0.1
    axis = np.arange(-14, 14, step)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    total = np.exp(scores.log_likelihood(parameters, grid)).sum(axis=0) * step**2
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)
