"""Bar 5: Hilbert matrices as covariances, the classic of bad condition.

Up to ten features the Mahalanobis distance has a relative error of at most 10 cond ε. A refusal
would be too early there: of no feature do the others leave less than 1 / (H⁻¹ⱼⱼ Hⱼⱼ) = 3.7e-12 of
the variance unexplained. Where the matrix in floats is singular to rounding it is refused, with the
class and the features named.
"""

import mpmath
import numpy as np
import pytest

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.designs import all_pairs
from tests.oracles import EPS, errors, exact_scores
from tests.scored import given

pytestmark = pytest.mark.usefixtures("kernels")


def hilbert(d: int) -> FloatArray:
    return 1.0 / (np.arange(d)[:, None] + np.arange(d) + 1.0)


def condition(matrix: FloatArray) -> float:
    """κ₂ of a symmetric matrix of floats, from 50-digit eigenvalues."""
    with mpmath.workdps(50):
        values = mpmath.eigsy(mpmath.matrix(matrix.tolist()), eigvals_only=True)
        return float(max(values) / min(values))


@pytest.mark.parametrize(
    ("d", "shared", "scaled"), all_pairs(range(1, 11), [False, True], [False, True])
)
def test_distances(d: int, shared: bool, scaled: bool) -> None:
    matrix = hilbert(d)
    bound = 10 * condition(matrix) * EPS
    units = 10.0 ** np.linspace(-8, 8, d) if scaled else np.ones(d)  # of no help, and no harm
    matrix = matrix * units[:, None] * units
    rng = np.random.default_rng(d)
    means = rng.normal(size=(2, d)) * units
    values = matrix if shared else np.stack([matrix, matrix])
    schema = Schema(np.array(["flat", "steep"]), d)
    model = given(schema, Structure("full", float(shared)), None, means, values)
    X = rng.normal(size=(20, d)) * units
    truth = exact_scores(model.density, model.prior, X).squared_distance
    with mpmath.workdps(50):
        distance = [[mpmath.sqrt(square) for square in row] for row in truth]
    relative = errors(scores.mahalanobis(model, X), distance) / np.array(distance, dtype=float)
    assert relative.max() <= bound


def test_fourteen_features_are_refused_by_name() -> None:
    # From 13 features on the condition is above 1 / ε.
    d = 14
    schema = Schema(np.array(["good", "bad"]), d, tuple(f"x{j}" for j in range(d)))
    values = np.stack([np.eye(d), hilbert(d)])
    with pytest.raises(SingularCovarianceError, match="class 'bad'.*'x"):
        given(schema, Structure(), None, np.zeros((2, d)), values)
