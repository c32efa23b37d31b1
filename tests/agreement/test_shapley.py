"""Contributions against their definition: Shapley's sum over all subsets of the features.

What a set S of features is worth is the log-odds at the point that has the row's values in S and
the reference's elsewhere, in 50 digits.
"""

from math import factorial

import mpmath
import numpy as np
import pytest

from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.class_pairs import contributions
from gaussbayes.families.gaussian.density import GaussianDensity, given
from gaussbayes.families.gaussian.structure import Structure
from tests.oracles import DIGITS, EPS, condition, exact_scores
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")


def model(structure: Structure, d: int) -> GaussianDensity:
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
    means = np.round(2**20 * (2 * rng.normal(size=(3, d)) + 100)) / 2**20
    own = values[0] if structure.shared else values
    return given(Schema(np.arange(3), d), structure, means, own)


def shapley_by_definition(
    density: GaussianDensity, pair: tuple[int, int], row: FloatArray, reference: FloatArray
) -> tuple[list[mpmath.mpf], float]:
    """``φᵢ = Σ_S |S|! (d − |S| − 1)! / d! (v(S ∪ {i}) − v(S))``, and the largest square used."""
    d = row.size
    sets = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    truth = exact_scores(density, np.ones(3), np.where(sets == 1, row, reference))
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
    density = model(structure, d)
    rng = np.random.default_rng(d)
    row, weights = 100 + 2 * rng.normal(size=d), rng.permutation([0.125, 0.25, 0.625])
    reference = weights @ density.mean  # exact, like the means
    expected, largest = shapley_by_definition(density, (2, 0), row, reference)
    at_reference, amounts = contributions(density, number_rows(row[None]), (2, 0), weights)
    # As for densities: whitening d features with condition κ is right to d κ ε of the squares.
    bound = 10 * d * condition(density) * EPS * (largest + d)
    assert bound <= 1e-9
    for amount, value in zip(amounts, expected, strict=True):
        assert abs(amount - float(value)) <= bound
    joint = exact_scores(density, np.ones(3), np.stack([row, reference])).log_joint
    with mpmath.workdps(DIGITS):
        at_row, exact = (float(scores[2] - scores[0]) for scores in joint)
    assert abs(at_reference - exact) <= bound
    assert abs(at_reference + amounts.sum() - at_row) <= 2 * bound
