"""Factoring covariances, and the errors for those that cannot be inverted."""

from itertools import permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.structure import check_variances, factor
from tests.oracles import EPS
from tests.strategies import covariances

pytestmark = pytest.mark.usefixtures("kernels")


def schema(k: int, d: int, *, named: bool = False) -> Schema:
    names = tuple(f"x{j}" for j in range(d)) if named else None
    return Schema(np.array([f"class{c}" for c in range(k)]), d, names)


def covariance_of(X: FloatArray) -> FloatArray:
    return np.atleast_2d(np.cov(X, rowvar=False, ddof=0))


# What a factor is


@given(data=st.data(), count=st.integers(1, 3), d=st.integers(1, 6))
def test_whitener_and_determinant(data: st.DataObject, count: int, d: int) -> None:
    sigma = data.draw(covariances(count, d))
    whitener, log_det = factor(sigma, schema(count, d))
    assert whitener.shape == (count, d, d)
    assert log_det.shape == (count,)
    np.testing.assert_array_equal(whitener, np.tril(whitener))
    assert np.all(np.einsum("mii->mi", whitener) > 0)
    for own, white, log in zip(sigma, whitener, log_det, strict=True):
        condition = float(np.linalg.cond(own))
        # W Σ Wᵀ = I to d κ ε; log |Σ| from d pivots, each right to d κ ε.
        bound = 10 * d * condition * EPS
        np.testing.assert_allclose(white @ own @ white.T, np.eye(d), rtol=0, atol=bound)
        with mpmath.workdps(40):
            truth = float(mpmath.log(mpmath.det(mpmath.matrix(own.tolist()))))
        assert abs(log - truth) <= d * bound


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
def test_units_do_not_matter(exponent: int) -> None:
    sigma = np.array([[[4.0, 1.0], [1.0, 2.0]]])
    here, log_here = factor(sigma, schema(1, 2))
    unit = 2.0**exponent
    there, log_there = factor(sigma * unit, schema(1, 2))
    np.testing.assert_allclose(there, here * 2.0 ** (-exponent // 2), rtol=4 * EPS)
    np.testing.assert_allclose(log_there, log_here + 2 * exponent * np.log(2), rtol=4 * EPS)


def test_units_of_single_features_do_not_matter() -> None:
    unit = np.array([1e-150, 1.0, 1e150])
    base = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.0]])
    whitener, _ = factor((base * unit[:, None] * unit)[None], schema(1, 3))
    expected, _ = factor(base[None], schema(1, 3))
    np.testing.assert_allclose(whitener * unit, expected, rtol=1e-14, atol=1e-14)


# What is an error


def test_constant_features_are_named() -> None:
    sigma = np.stack([np.eye(3), np.diag([1.0, 0.0, 0.0])])
    with pytest.raises(SingularCovarianceError) as caught:
        factor(sigma, schema(2, 3, named=True), np.array([9.0, 5.0]))
    message = str(caught.value)
    assert message.startswith("class 'class1' does not vary in 'x1', 'x2' in 5 rows: ")


@pytest.mark.parametrize(("weight", "rows"), [(1.0, "in 1 row:"), (2.5, "in 2.5 rows:")])
def test_rows_are_counted_in_words(weight: float, rows: str) -> None:
    with pytest.raises(SingularCovarianceError, match=rows):
        check_variances(np.array([[0.0]]), schema(1, 1), np.array([weight]))


def test_a_shared_covariance_is_no_class() -> None:
    with pytest.raises(SingularCovarianceError) as caught:
        factor(np.diag([1.0, 0.0])[None], schema(3, 2))
    message = str(caught.value)
    assert message.startswith("the covariance shared by all classes does not vary in feature 1")


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_variances_that_are_none(value: float) -> None:
    with pytest.raises(
        SingularCovarianceError, match=f"'class0' has variance {value} in feature 1"
    ):
        check_variances(np.array([[1.0, value]]), schema(1, 2))


@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e300])
def test_any_positive_variance_will_do(tiny: float) -> None:
    check_variances(np.array([[tiny]]), schema(1, 1))
    whitener, log_det = factor(np.array([[[tiny]]]), schema(1, 1))
    np.testing.assert_allclose(whitener.ravel(), 1 / np.sqrt(tiny), rtol=4 * EPS)
    np.testing.assert_allclose(log_det, np.log(tiny), rtol=4 * EPS)


def test_collinear_features_are_named() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) * [1, 1e-6, 1e6, 1, 1]
    X[:, 3] = 2 * X[:, 0] - 3e-6 * X[:, 2]
    sigma = np.stack([np.eye(5), covariance_of(X)])
    with pytest.raises(SingularCovarianceError) as caught:
        factor(sigma, schema(2, 5, named=True), np.array([40.0, 40.0]))
    message = str(caught.value)
    assert message.startswith("class 'class1' has collinear features: ")
    named = {name for name in ("x0", "x1", "x2", "x3", "x4") if f"'{name}'" in message}
    assert named == {"x0", "x2", "x3"}


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_collinear_in_any_order(order: tuple[int, ...]) -> None:
    # The last feature is the sum of the others, of which the second counts for a millionth: the
    # share of it that is left unexplained is rounding times a million squared, were it asked last.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    X[:, 3] = X[:, 0] + 1e-3 * X[:, 1] + 0.5 * X[:, 2]
    with pytest.raises(SingularCovarianceError, match="collinear"):
        factor(covariance_of(X[:, order])[None], schema(1, 4))


@pytest.mark.parametrize("d", [2, 3, 5, 10, 20, 50])
@pytest.mark.parametrize("kind", ["sum", "repeated", "moved"])
def test_collinear_features_of_all_sizes(d: int, kind: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng([d, seed])
        X = rng.normal(size=(5 * d + 20, d)) * 10.0 ** rng.uniform(-5, 5, d)
        if kind == "moved":
            X += 100 * X.std(axis=0)
        X[:, -1] = 3.7 * X[:, 0] if kind == "repeated" else X[:, :-1] @ rng.normal(size=d - 1)
        X = X[:, rng.permutation(d)]
        centred = X - X.mean(axis=0)
        with pytest.raises(SingularCovarianceError, match="collinear features: feature"):
            factor((centred.T @ centred)[None], schema(1, d))


@pytest.mark.parametrize("d", [2, 3, 5, 10, 20, 50])
def test_too_few_rows_are_counted(d: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng([d, seed])
        X = rng.normal(size=(d, d))
        sigma = np.stack([np.eye(d), covariance_of(X)])
        with pytest.raises(SingularCovarianceError) as caught:
            factor(sigma, schema(2, d), np.array([99.0, d]))
        message = str(caught.value)
        assert message.startswith(f"class 'class1' has {d} rows for {d} features: ")
        assert f"at least {d + 1}" in message


def test_more_than_one_dependent_feature() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 4))
    X[:, 2], X[:, 3] = 2 * X[:, 0], -X[:, 1]
    with pytest.raises(SingularCovarianceError, match=r"is a linear combination of .*likewise\)"):
        factor(covariance_of(X)[None], schema(1, 4))


def test_of_features_alike_the_first_is_independent() -> None:
    twice = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones((3, 3)))
    with pytest.raises(SingularCovarianceError) as caught:
        factor(twice[None], schema(1, 6, named=True))
    expected = "'x1' is a linear combination of 'x0' (and 'x2', 'x4', 'x5' likewise)"
    assert str(caught.value) == f"class 'class0' has collinear features: {expected}"


@pytest.mark.parametrize(("d", "missing"), [(65, 1), (130, 1), (130, 60), (200, 100)])
def test_many_features_of_which_some_depend_on_others(d: int, missing: int) -> None:
    rng = np.random.default_rng([d, missing])
    X = rng.normal(size=(3 * d, d - missing)) @ rng.normal(size=(d - missing, d))
    with pytest.raises(SingularCovarianceError) as caught:
        factor(covariance_of(X)[None], schema(1, d))
    message = str(caught.value)
    assert "is a linear combination of feature" in message
    assert ("likewise" in message) == (missing > 1)
    assert missing <= 7 or f"and {missing - 7} more likewise" in message


@pytest.mark.parametrize(
    "sigma",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]],
    ],
)
def test_not_positive_definite(sigma: list[list[float]]) -> None:
    d = len(sigma)
    with pytest.raises(
        SingularCovarianceError,
        match=r"class 'class1' .*not positive definite.*feature \d would have a negative variance",
    ):
        factor(np.stack([np.eye(d), np.array(sigma)]), schema(2, d))


def test_the_first_bad_class_is_named() -> None:
    bad = np.ones((2, 2))
    with pytest.raises(SingularCovarianceError, match="class 'class1'"):
        factor(np.stack([np.eye(2), bad, bad]), schema(3, 2))


@pytest.mark.parametrize("share", [1e-4, 1e-8, 1e-11])
def test_nearly_collinear_is_not_collinear(share: float) -> None:
    # Of the second feature the first leaves this share of the variance unexplained.
    r = np.sqrt(1 - share)
    whitener, log_det = factor(np.array([[[1.0, r], [r, 1.0]]]), schema(1, 2))
    assert np.isfinite(whitener).all()
    # |R| = 1 − r², of which the rounding of r leaves ε / share.
    assert log_det[0] == pytest.approx(np.log(share), abs=4 * EPS / share)
