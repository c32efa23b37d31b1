"""Shapley values of log-odds where they can be had otherwise: by hand, and feature by feature."""

import numpy as np
import pytest
from scipy.stats import norm

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.parameters import Structure, given
from gaussbayes.families.gaussian.shapley import shapley_values

SCHEMA = Schema(np.array(["a", "b"]), 2)
MEANS = np.array([[0.0, 1.0], [2.0, -1.0]])
ROW, REFERENCE = np.array([0.5, 3.0]), np.array([-1.0, 0.25])


def test_two_features_by_hand() -> None:
    # Σ_a⁻¹ = [[2, 1], [1, 3]], Σ_b⁻¹ = I, halfway (−0.25, 1.625):
    # gradient Σ_b⁻¹ (−2.25, 2.625) − Σ_a⁻¹ (−0.25, 0.625) = (−2.25 − 0.125, 2.625 − 1.625)
    covariances = np.array([[[0.6, -0.2], [-0.2, 0.4]], [[1.0, 0.0], [0.0, 1.0]]])
    model = given(SCHEMA, Structure(), None, MEANS, covariances)
    found = shapley_values(model, 0, 1, ROW - model.center, REFERENCE - model.center)
    np.testing.assert_allclose(found, [1.5 * -2.375, 2.75 * 1.0], rtol=1e-14)


@pytest.mark.parametrize("shared", [False, True])
def test_without_correlations_each_feature_has_its_own_odds(shared: bool) -> None:
    variances = np.array([[0.5, 2.0], [1.5, 0.7]])
    if shared:
        variances[1] = variances[0]
    values = variances[0] if shared else variances
    model = given(SCHEMA, Structure("diagonal", shared), None, MEANS, values)
    densities = norm(MEANS, np.sqrt(variances))
    at_row, at_reference = densities.logpdf(ROW), densities.logpdf(REFERENCE)
    expected = (at_row[0] - at_row[1]) - (at_reference[0] - at_reference[1])
    found = shapley_values(model, 0, 1, ROW - model.center, REFERENCE - model.center)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_spherical_models_are_diagonal_ones_of_equal_variances() -> None:
    places = ROW, REFERENCE
    spherical = given(SCHEMA, Structure("spherical"), None, MEANS, [0.5, 2.0])
    diagonal = given(SCHEMA, Structure("diagonal"), None, MEANS, [[0.5, 0.5], [2.0, 2.0]])
    found, expected = (
        shapley_values(model, 1, 0, *(place - model.center for place in places))
        for model in (spherical, diagonal)
    )
    np.testing.assert_array_equal(found, expected)


def test_the_reference_itself_owes_nothing_to_any_feature() -> None:
    model = given(SCHEMA, Structure("diagonal"), None, MEANS, np.ones((2, 2)))
    assert shapley_values(model, 0, 1, ROW, ROW).tolist() == [0.0, 0.0]
