"""Contributions of features: by hand, by Shapley's definition, with missing values, far from 0."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.class_pairs import contributions
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.protocol import Reference
from tests.families.gaussian.densities import Kind, covariances, density_of, each_kind, some_density

pytestmark = pytest.mark.usefixtures("kernels")


def log_ratio(density: GaussianDensity, pair: tuple[int, int], x: FloatArray) -> float:
    """By scipy, of the features that are there."""
    seen = np.flatnonzero(~np.isnan(x))
    parts = [
        multivariate_normal(
            density.mean[c, seen], covariances(density)[c][np.ix_(seen, seen)]
        ).logpdf(x[seen])
        for c in pair
    ]
    return float(parts[0] - parts[1])


def shapley(
    density: GaussianDensity, pair: tuple[int, int], x: FloatArray, origin: FloatArray
) -> FloatArray:
    """The mean change that a feature brings, over all orders of the features that are there."""
    seen = np.flatnonzero(~np.isnan(x))
    amounts = np.zeros(x.size)
    orders = list(permutations(seen.tolist()))
    for order in orders:
        point = np.where(np.isnan(x), np.nan, origin)
        value = log_ratio(density, pair, point)
        for j in order:
            point[j] = x[j]
            value, before = log_ratio(density, pair, point), value
            amounts[j] += (value - before) / len(orders)
    return amounts


def test_two_features_by_hand() -> None:
    # Σ_a⁻¹ = [[2, 1], [1, 3]], Σ_b⁻¹ = I, halfway (−0.25, 1.625):
    # gradient Σ_b⁻¹ (−2.25, 2.625) − Σ_a⁻¹ (−0.25, 0.625) = (−2.25 − 0.125, 2.625 − 1.625)
    values = np.array([[[0.6, -0.2], [-0.2, 0.4]], np.eye(2)])
    density = density_of(Kind("full", False), [[0.0, 1.0], [2.0, -1.0]], values)
    row, origin = np.array([[0.5, 3.0]]), np.array([-1.0, 0.25])
    ratio, amounts = contributions(density, number_rows(row), (0, 1), Reference(point=origin))
    np.testing.assert_allclose(amounts, [1.5 * -2.375, 2.75 * 1.0], rtol=1e-13)
    assert ratio == pytest.approx(log_ratio(density, (0, 1), origin), rel=1e-12)


@each_kind
@pytest.mark.parametrize("missing", [(), (1,), (0, 3), (0, 1, 2)])
def test_they_are_shapley_values(kind: Kind, missing: tuple[int, ...]) -> None:
    density, rng = some_density(kind), np.random.default_rng(len(missing))
    for pair in ((2, 0), (0, 1)):
        x, origin = density.mean[0] + 2 * rng.normal(size=(2, 4))
        x[list(missing)] = np.nan
        ratio, amounts = contributions(density, number_rows(x[None]), pair, Reference(point=origin))
        np.testing.assert_allclose(amounts, shapley(density, pair, x, origin), atol=1e-10)
        at_origin = np.where(np.isnan(x), np.nan, origin)
        assert ratio == pytest.approx(log_ratio(density, pair, at_origin), abs=1e-11)
        assert ratio + amounts.sum() == pytest.approx(log_ratio(density, pair, x), abs=1e-10)


@each_kind
def test_references(kind: Kind) -> None:
    density, x = some_density(kind), np.array([[1.0, -2.0, 0.5, 3.0]])
    weights = np.array([0.2, 0.5, 0.3])
    given = contributions(density, number_rows(x), (1, 2), Reference(point=weights @ density.mean))
    by_weights = contributions(density, number_rows(x), (1, 2), Reference(weights=weights))
    assert by_weights[0] == pytest.approx(given[0], abs=1e-12)
    np.testing.assert_allclose(by_weights[1], given[1], atol=1e-12)
    ratio, amounts = contributions(density, number_rows(x), (1, 2), Reference(point=x[0]))
    assert amounts.tolist() == [0.0] * 4
    assert ratio == pytest.approx(log_ratio(density, (1, 2), x[0]), abs=1e-12)
    nothing = number_rows(np.full((1, 4), np.nan))
    ratio, amounts = contributions(density, nothing, (1, 2), Reference(weights=weights))
    assert (ratio, amounts.tolist()) == (0.0, [0.0] * 4)


@each_kind
def test_a_huge_common_offset_costs_no_digit(kind: Kind) -> None:
    near = some_density(kind)
    center = np.round(16 * near.center) / 16  # exact when 2⁴⁰ is added
    x = np.round(16 * near.mean[0] + 7) / 16
    found = [
        contributions(
            GaussianDensity(center + far, near.offset, near.covariance),
            number_rows(x[None] + far),
            (0, 2),
            Reference(weights=np.array([0.5, 0.25, 0.25])),
        )
        for far in (0.0, 2.0**40)
    ]
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_a_reference_beyond_the_floats_is_named() -> None:
    density = some_density(Kind("full", False), d=2)
    with pytest.raises(DataError, match=r"reference point \[1e\+200, 0.0\] is so far from both"):
        contributions(
            density, number_rows(np.zeros((1, 2))), (0, 1), Reference(point=np.array([1e200, 0.0]))
        )


def test_classes_are_named_by_their_own_codes() -> None:
    """The codes of the pair are those of all classes, whichever two they are."""
    density, x = some_density(Kind("full", False), k=5), np.array([[0.5, 1.0, -1.0, 2.0]])
    origin = Reference(point=np.zeros(4))
    ratio, amounts = contributions(density, number_rows(x), (4, 1), origin)
    back, opposite = contributions(density, number_rows(x), (1, 4), origin)
    assert ratio == pytest.approx(-back, rel=1e-13)
    np.testing.assert_allclose(amounts, -opposite, rtol=1e-12)
