"""Contributions against their definition: Shapley's sum over all subsets of the features.

What a set S of features is worth is the log-odds at the point that has the row's values in S and
the reference's elsewhere, in 50 digits.
"""

from math import factorial

import mpmath
import numpy as np
import pytest

from gaussbayes.analysis.contributions import added
from gaussbayes.analysis.explanation import explain
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given
from tests.oracles import DIGITS, EPS, condition, exact_scores
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")


def model(structure: Structure, d: int) -> Parameters:
    """Three classes of any means and covariances."""
    rng = np.random.default_rng([d, 5])
    base = rng.normal(size=(3, d, d))
    matrices = base @ base.transpose(0, 2, 1) + 0.3 * np.eye(d)
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    values = {
        "full": matrices,
        "diagonal": np.einsum("kii->ki", matrices),
        "spherical": matrices[:, 0, 0],
    }[structure.covariance]
    means = 2 * rng.normal(size=(3, d)) + 100
    own = values[0] if structure.shared else values
    return given(Schema(np.arange(3), d), structure, [0.2, 0.3, 0.5], means, own)


def shapley_by_definition(
    parameters: Parameters, pair: tuple[int, int], row: FloatArray, reference: FloatArray
) -> tuple[list[mpmath.mpf], float]:
    """``φᵢ = Σ_S |S|! (d − |S| − 1)! / d! (v(S ∪ {i}) − v(S))``, and the largest square used."""
    d = row.size
    sets = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    truth = exact_scores(parameters, np.where(sets == 1, row, reference))
    with mpmath.workdps(DIGITS):
        worth = [joint[pair[0]] - joint[pair[1]] for joint in truth.log_joint]
        values = []
        for i in range(d):
            value = mpmath.mpf(0)
            for number in range(2**d):
                if not sets[number, i]:
                    size = int(sets[number].sum())
                    share = mpmath.mpf(factorial(size) * factorial(d - size - 1)) / factorial(d)
                    value += share * (worth[number | 1 << i] - worth[number])
            values.append(value)
    return values, float(max(max(row) for row in truth.squared_distance))


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_contributions_are_shapley_values(structure: Structure, d: int) -> None:
    parameters = model(structure, d)
    rng = np.random.default_rng(d)
    row, reference = 100 + 2 * rng.normal(size=(2, d))
    expected, largest = shapley_by_definition(parameters, (2, 0), row, reference)
    told = explain(parameters, Schema(np.arange(3), d), row, (2, 0), reference).log_odds
    assert told is not None
    # As for densities: whitening d features with condition κ is right to d κ ε of the squares.
    bound = 10 * d * condition(parameters) * EPS * (largest + d)
    assert bound <= 1e-9
    for one, value in zip(told.contributions, expected, strict=True):
        assert abs(one.amount - float(value)) <= bound
    with mpmath.workdps(DIGITS):
        total = float(mpmath.fsum(expected))
    assert abs(added(told.contributions) - total) <= bound
    assert abs(told.value - told.at_reference - total) <= 2 * bound
