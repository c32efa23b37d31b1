"""Shrinkage: a number, or the oracle approximating shrinkage of Chen et al. (2010)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import oas

from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.shrinkage import (
    check_shrinkage,
    oas_intensity,
    penalty_of,
    shrink,
)
from gaussbayes.families.gaussian.structure import SHAPES
from tests.oracles import EPS
from tests.strategies import covariances


def equation_23(sigma: FloatArray, n: int) -> Fraction:
    """Chen, Wiesel, Eldar and Hero (2010), equation 23, in exact rationals."""
    d = sigma.shape[0]
    entries = [[Fraction(float(value)) for value in row] for row in sigma]
    trace = sum((entries[i][i] for i in range(d)), Fraction())
    squares = sum((value * value for row in entries for value in row), Fraction())  # tr Σ²
    below = (n + 1 - Fraction(2, d)) * (squares - trace**2 / d)
    if below == 0:
        return Fraction(1)
    return min(Fraction(1), ((1 - Fraction(2, d)) * squares + trace**2) / below)


# A number


@pytest.mark.parametrize(
    "good", [None, "oas", "ledoit-wolf", 0, 1, 0.5, np.float32(0.25), np.int64(1)]
)
def test_settings(good: object) -> None:
    assert check_shrinkage(good) == good
    assert good is None or isinstance(good, str) or type(check_shrinkage(good)) is float


@pytest.mark.parametrize(
    "bad", [-0.1, 1.1, 2, np.nan, np.inf, "OAS", "auto", True, False, [0.5], (), {}, 1j]
)
def test_other_settings(bad: object) -> None:
    with pytest.raises(
        OptionError, match=r"None, a number in \[0, 1\], 'oas' or 'ledoit-wolf', got "
    ):
        check_shrinkage(bad)


def test_none_is_the_covariance_itself() -> None:
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]]])
    assert shrink(sigma, None, np.array([5.0])) is sigma


@pytest.mark.parametrize("intensity", [0.0, 0.25, 1.0])
def test_towards_the_sphere_of_equal_trace(intensity: float) -> None:
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]])
    shrunk = shrink(sigma, intensity, np.array([5.0, 6.0]))
    for own, result in zip(sigma, shrunk, strict=True):
        target = np.trace(own) / 2 * np.eye(2)
        expected = (1 - intensity) * own + intensity * target
        np.testing.assert_allclose(result, expected, rtol=4e-16)
        assert np.trace(result) == pytest.approx(np.trace(own), rel=4e-16)


@pytest.mark.parametrize("intensity", [0.0, 0.25, 1.0, "oas"])
@pytest.mark.parametrize("full", [True, False])
def test_the_diagonal_target_is_the_sphere_in_other_units(
    intensity: float | str, full: bool
) -> None:
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]])
    unit, weight = np.array([3.0, 0.1]), np.array([50.0, 60.0])
    units = np.multiply.outer(unit, unit)
    if not full:
        sigma, units = np.einsum("mii->mi", sigma), np.square(unit)
    expected = shrink(sigma, intensity, weight) * units
    np.testing.assert_allclose(shrink(sigma * units, intensity, weight, unit**2), expected)


@pytest.mark.parametrize("intensity", [0.0, 0.25, 1.0, "oas"])
def test_variances_shrink_like_the_matrix_they_stand_for(intensity: float | str) -> None:
    variance = np.array([[4.0, 2.0, 1.0], [1.0, 1.0, 8.0]])
    weight = np.array([50.0, 60.0])
    full = shrink(variance[:, :, None] * np.eye(3), intensity, weight)
    np.testing.assert_allclose(
        shrink(variance, intensity, weight), np.einsum("mii->mi", full), rtol=4e-16
    )


def test_shrinking_leaves_the_covariance_as_it_was() -> None:
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]]])
    sigma.flags.writeable = False
    shrink(sigma, 0.5, np.array([5.0]))
    shrink(sigma, "oas", np.array([5.0]))


@given(data=st.data(), d=st.integers(1, 4), intensity=st.floats(0, 1))
def test_eigenvalues_move_towards_their_mean(data: st.DataObject, d: int, intensity: float) -> None:
    # (1 − s) Σ + s m I has the eigenvalues (1 − s) λ + s m.
    sigma = data.draw(covariances(1, d))
    before = np.linalg.eigvalsh(sigma)[0]
    after = np.linalg.eigvalsh(shrink(sigma, intensity, np.array([9.0])))[0]
    expected = (1 - intensity) * before + intensity * before.mean()
    # Eigenvalues of a symmetric matrix are right to d ε times the largest.
    np.testing.assert_allclose(after, expected, rtol=0, atol=20 * d * EPS * before.max())


# OAS


@given(data=st.data(), d=st.integers(1, 6), n=st.integers(2, 500))
def test_oas_is_equation_23(data: st.DataObject, d: int, n: int) -> None:
    sigma = data.draw(covariances(1, d))
    truth = equation_23(sigma[0], n)
    found = oas_intensity(sigma, np.array([float(n)]))
    assert found.shape == (1,)
    # tr Σ² − tr² Σ / d cancels: what is lost grows as its terms over the difference.
    squares = float((sigma**2).sum())
    difference = squares - float(np.trace(sigma[0])) ** 2 / d
    lost = 10 * d * EPS * squares / difference if difference > 0 else 0.0
    assert abs(found[0] - float(truth)) <= max(lost, 4 * EPS)


@given(data=st.data(), d=st.integers(1, 6), n=st.integers(2, 500))
def test_shrunk_by_equation_23(data: st.DataObject, d: int, n: int) -> None:
    sigma = data.draw(covariances(1, d))
    intensity = float(equation_23(sigma[0], n))
    expected = shrink(sigma, intensity, np.array([float(n)]))
    found = shrink(sigma, "oas", np.array([float(n)]))
    # Where the intensity is uncertain, the covariance is nearly its target: the products cancel.
    np.testing.assert_allclose(found, expected, rtol=0, atol=100 * d * EPS * sigma.max())


def test_spherical_covariances_stay() -> None:
    for sigma in (3.0 * np.eye(4)[None], np.array([[[7.0]]]), np.full((1, 3), 0.1)):
        assert oas_intensity(sigma, np.array([10.0])).tolist() == [1.0]
        np.testing.assert_allclose(shrink(sigma, "oas", np.array([10.0])), sigma, rtol=4e-16)


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
def test_oas_does_not_depend_on_the_unit(exponent: int) -> None:
    # The squares of these variances are not floats any more.
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]]])
    weight = np.array([100.0])
    assert oas_intensity(sigma, weight)[0] < 1
    np.testing.assert_array_equal(
        oas_intensity(sigma * 2.0**exponent, weight), oas_intensity(sigma, weight)
    )


def test_no_variance_at_all_is_no_error_yet() -> None:
    # It is refused when it is factored, where class and features can be named.
    assert shrink(np.zeros((1, 2, 2)), "oas", np.array([3.0])).tolist() == [[[0, 0], [0, 0]]]


@pytest.mark.parametrize("d", [2, 5, 20, 100])
@pytest.mark.parametrize("n", [30, 300])
def test_relation_to_scikit_learns_oas(d: int, n: int) -> None:
    X = np.random.default_rng([d, n]).normal(size=(n, d)) * np.linspace(1, 4, d)
    sigma = np.cov(X, rowvar=False, ddof=0)
    theirs = float(oas(X)[1])
    ours = float(oas_intensity(sigma[None], np.array([float(n)]))[0])
    assert max(theirs, ours) < 1
    # Theirs is (tr Σ² + tr² Σ) / ((n + 1) D), ours ((1 − 2/d) tr Σ² + tr² Σ) / ((n + 1 − 2/d) D)
    # with the same D: putting the two terms 2/d back gives theirs.
    squares, trace = float((sigma**2).sum()), float(np.trace(sigma))
    difference = squares - trace**2 / d
    back = (ours * (n + 1 - 2 / d) + 2 / d * squares / difference) / (n + 1)
    assert back == pytest.approx(theirs, rel=1e-12)
    # tr Σ² ≤ tr² Σ, so the numerators differ by at most 1/d, the denominators by 2 / (d (n + 1)).
    assert 1 - 1 / d <= ours / theirs <= 1 / (1 - 2 / (d * (n + 1)))
    if d == 100:
        assert ours == pytest.approx(theirs, rel=0.01)


def test_more_rows_need_less_shrinkage() -> None:
    sigma = np.repeat(np.diag([1.0, 4.0, 9.0])[None], 4, axis=0)
    intensity = oas_intensity(sigma, np.array([10.0, 100.0, 1000.0, 1e6]))
    assert np.all(np.diff(intensity) < 0)
    assert intensity[-1] < 1e-5


# Penalties


@pytest.mark.parametrize("name", ["full", "diagonal"])
@pytest.mark.parametrize("shrinkage", [0.3, "oas", 1.0])
@pytest.mark.parametrize("units", [None, [1.0, 9.0, 0.25]])
def test_a_penalty_is_what_more_rows_would_take(
    name: str, shrinkage: float | str, units: list[float] | None
) -> None:
    rng = np.random.default_rng(7)
    root, weight = rng.normal(size=(2, 3, 3)), np.array([8.0, 20.0])
    scatter = root @ root.mT
    variance = np.einsum("mii->mi", scatter) / weight[:, None]
    unit = np.ones(3) if units is None else np.array(units)
    penalty = penalty_of(shrinkage, variance, weight, None if units is None else unit)
    assert penalty is not None
    target = (variance / unit).mean(axis=1)[:, None] * unit
    np.testing.assert_allclose(penalty.target, target)
    intensity = penalty.weight / (weight + penalty.weight)
    expected = oas_intensity(variance / unit, weight) if shrinkage == "oas" else shrinkage
    np.testing.assert_allclose(intensity, np.minimum(expected, 0.999))
    # ν rows of a Gaussian whose scatter is ν T, but for what they are at the target itself.
    shape = SHAPES[name].of_variances(np.array([[1.0, 2.0, 3.0]] * 2), Schema(np.arange(2), 3))

    def taken(variances: FloatArray) -> float:
        rows = np.log(variances) + target / variances
        return -0.5 * float(penalty.weight @ rows.sum(axis=1))

    assert penalty.log_penalty(shape) == pytest.approx(taken(shape.variance) - taken(target))
    at_target = SHAPES[name].of_variances(target, Schema(np.arange(2), 3))
    assert penalty.log_penalty(at_target) == pytest.approx(0, abs=1e-15 * penalty.weight.sum())
    added = penalty.added(scatter) - scatter
    extra = (penalty.weight[:, None] * target)[:, :, None] * np.eye(3)
    np.testing.assert_allclose(added, extra, rtol=1e-12, atol=1e-14)
    squares = np.einsum("mii->mi", scatter)
    np.testing.assert_allclose(
        penalty.added(squares), np.einsum("mii->mi", penalty.added(scatter)), rtol=1e-15
    )


def test_no_shrinkage_and_no_variance_have_no_penalty() -> None:
    assert penalty_of(None, np.ones((1, 2)), np.ones(1)) is None
    assert penalty_of(0.0, np.ones((1, 2)), np.ones(1)) is None
    assert penalty_of(0.5, np.zeros((1, 2)), np.ones(1)) is None
    constant = np.array([1.0, 0.0])  # a feature that does not vary in any class
    assert penalty_of(0.5, constant[None], np.ones(1), constant) is None
