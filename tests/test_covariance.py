"""The three shapes: whitener, determinant, number of parameters, as matrices."""

import numpy as np
import pytest

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian import shapes as covariance
from gaussbayes.families.gaussian.shapes import Diagonal, Full, Spherical, correlation

MATRICES = np.array([[[4.0, 1.0], [1.0, 9.0]], [[1.0, -0.5], [-0.5, 2.0]]])
SCHEMA = Schema(np.array(["a", "b"]), 2, ("height", "width"))


def test_full() -> None:
    shape = covariance.full(MATRICES, SCHEMA)
    assert isinstance(shape, Full)
    assert shape.n_parameters == 6
    assert shape.dense() is MATRICES
    product = np.swapaxes(shape.whitener, 1, 2) @ shape.whitener
    np.testing.assert_allclose(product, np.linalg.inv(MATRICES), rtol=1e-15, atol=1e-16)
    np.testing.assert_allclose(shape.log_det, np.log([35.0, 1.75]), rtol=1e-15)


def test_diagonal() -> None:
    shape = covariance.diagonal(np.array([[4.0, 9.0], [0.25, 1.0]]), SCHEMA)
    assert isinstance(shape, Diagonal)
    assert shape.n_parameters == 4
    assert shape.whitener.tolist() == [[0.5, 1 / 3], [2.0, 1.0]]
    np.testing.assert_allclose(shape.log_det, np.log([36.0, 0.25]), rtol=1e-15)
    assert shape.dense().tolist() == [[[4, 0], [0, 9]], [[0.25, 0], [0, 1]]]


def test_spherical() -> None:
    shape = covariance.spherical(np.array([4.0, 0.25]), SCHEMA)
    assert isinstance(shape, Spherical)
    assert shape.n_parameters == 2
    assert shape.whitener.tolist() == [[0.5, 0.5], [2.0, 2.0]]
    np.testing.assert_allclose(shape.log_det, 2 * np.log([4.0, 0.25]), rtol=1e-15)
    assert shape.dense().tolist() == [[[4, 0], [0, 4]], [[0.25, 0], [0, 0.25]]]


@pytest.mark.parametrize(("d", "parameters"), [(1, 1), (2, 3), (10, 55)])
def test_free_parameters_of_a_shared_matrix(d: int, parameters: int) -> None:
    # D (D + 1) / 2: a symmetric matrix is given by its lower triangle.
    shape = covariance.full(np.eye(d)[None], Schema(np.array([0, 1, 2]), d))
    assert shape.n_parameters == parameters


def test_in_one_dimension_all_shapes_are_the_same() -> None:
    schema = Schema(np.array(["a"]), 1)
    full = covariance.full(np.array([[[9.0]]]), schema)
    diagonal = covariance.diagonal(np.array([[9.0]]), schema)
    spherical = covariance.spherical(np.array([9.0]), schema)
    assert full.dense().tolist() == diagonal.dense().tolist() == spherical.dense().tolist()
    assert full.n_parameters == diagonal.n_parameters == spherical.n_parameters == 1
    for shape in (full, diagonal, spherical):
        np.testing.assert_allclose(shape.whitener.ravel(), [1 / 3], rtol=4e-16)
        np.testing.assert_allclose(shape.log_det, [np.log(9)], rtol=4e-16)


def test_errors_name_class_and_feature() -> None:
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in 'width'"):
        covariance.diagonal(np.array([[4.0, 9.0], [1.0, 0.0]]), SCHEMA)
    with pytest.raises(
        SingularCovarianceError, match="class 'a' does not vary in 'height', 'width'"
    ):
        covariance.spherical(np.array([0.0, 1.0]), SCHEMA)
    with pytest.raises(SingularCovarianceError, match="class 'b' has variance -1.0 in 'width'"):
        covariance.diagonal(np.array([[4.0, 9.0], [1.0, -1.0]]), SCHEMA)
    with pytest.raises(SingularCovarianceError, match="class 'b' has collinear features: 'width'"):
        covariance.full(np.stack([np.eye(2), np.ones((2, 2))]), SCHEMA)


@pytest.mark.parametrize("exponent", [-1000, 0, 1000])
def test_correlations(exponent: int) -> None:
    expected = [[1.0, 1 / 6], [1 / 6, 1.0]]
    found = correlation(MATRICES[0] * 2.0**exponent)
    np.testing.assert_allclose(found, expected, rtol=4e-16)
    np.testing.assert_allclose(correlation(MATRICES)[0], expected, rtol=4e-16)
    assert correlation(MATRICES).shape == (2, 2, 2)


def test_correlations_are_numpys() -> None:
    X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 100, 1e-5, 3]
    np.testing.assert_allclose(
        correlation(np.cov(X, rowvar=False)), np.corrcoef(X, rowvar=False), rtol=1e-14, atol=1e-15
    )
