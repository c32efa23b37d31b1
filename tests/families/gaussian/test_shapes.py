"""The three shapes: whitener, determinant, parameters, matrices, coordinates."""

import numpy as np
import pytest

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.structure import SHAPES, Diagonal, Full, Shape, Spherical
from tests.families.gaussian.densities import Kind, each_kind, some_density

MATRICES = np.array([[[4.0, 1.0], [1.0, 9.0]], [[1.0, -0.5], [-0.5, 2.0]]])
SCHEMA = Schema(np.array(["a", "b"]), 2, ("height", "width"))


def test_full() -> None:
    shape = Full.of(MATRICES, SCHEMA)
    assert shape.n_parameters == 6
    assert shape.dense() is MATRICES
    product = np.swapaxes(shape.whitener, 1, 2) @ shape.whitener
    np.testing.assert_allclose(product, np.linalg.inv(MATRICES), rtol=1e-15, atol=1e-16)
    np.testing.assert_allclose(shape.log_det, np.log([35.0, 1.75]), rtol=1e-15)


def test_diagonal() -> None:
    shape = Diagonal.of(np.array([[4.0, 9.0], [0.25, 1.0]]), SCHEMA)
    assert shape.n_parameters == 4
    assert shape.whitener.tolist() == [[0.5, 1 / 3], [2.0, 1.0]]
    np.testing.assert_allclose(shape.log_det, np.log([36.0, 0.25]), rtol=1e-15)
    assert shape.dense().tolist() == [[[4, 0], [0, 9]], [[0.25, 0], [0, 1]]]


def test_spherical() -> None:
    shape = Spherical.of(np.array([4.0, 0.25]), SCHEMA)
    assert shape.n_parameters == 2
    assert shape.whitener.tolist() == [[0.5, 0.5], [2.0, 2.0]]
    np.testing.assert_allclose(shape.log_det, 2 * np.log([4.0, 0.25]), rtol=1e-15)
    assert shape.dense().tolist() == [[[4, 0], [0, 4]], [[0.25, 0], [0, 0.25]]]


@pytest.mark.parametrize(("d", "parameters"), [(1, 1), (2, 3), (10, 55)])
def test_free_parameters_of_a_shared_matrix(d: int, parameters: int) -> None:
    # D (D + 1) / 2: a symmetric matrix is given by its lower triangle.
    shape = Full.of(np.eye(d)[None], Schema(np.array([0, 1, 2]), d))
    assert shape.n_parameters == parameters


def test_in_one_dimension_all_shapes_are_the_same() -> None:
    schema = Schema(np.array(["a"]), 1)
    full = Full.of(np.array([[[9.0]]]), schema)
    diagonal = Diagonal.of(np.array([[9.0]]), schema)
    spherical = Spherical.of(np.array([9.0]), schema)
    assert full.dense().tolist() == diagonal.dense().tolist() == spherical.dense().tolist()
    assert full.n_parameters == diagonal.n_parameters == spherical.n_parameters == 1
    for shape in (full, diagonal, spherical):
        np.testing.assert_allclose(shape.whitener.ravel(), [1 / 3], rtol=4e-16)
        np.testing.assert_allclose(shape.log_det, [np.log(9)], rtol=4e-16)


def test_errors_name_class_and_feature() -> None:
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in 'width'"):
        Diagonal.of(np.array([[4.0, 9.0], [1.0, 0.0]]), SCHEMA)
    with pytest.raises(
        SingularCovarianceError, match="class 'a' does not vary in 'height', 'width'"
    ):
        Spherical.of(np.array([0.0, 1.0]), SCHEMA)
    with pytest.raises(SingularCovarianceError, match="class 'b' has variance -1.0 in 'width'"):
        Diagonal.of(np.array([[4.0, 9.0], [1.0, -1.0]]), SCHEMA)
    with pytest.raises(SingularCovarianceError, match="class 'b' has collinear features: 'width'"):
        Full.of(np.stack([np.eye(2), np.ones((2, 2))]), SCHEMA)


@pytest.mark.parametrize("exponent", [-1000, 0, 1000])
def test_correlations(exponent: int) -> None:
    expected = [[1.0, 1 / 6], [1 / 6, 1.0]]
    found = Full.of(MATRICES * 2.0**exponent, SCHEMA).correlation
    np.testing.assert_allclose(found[0], expected, rtol=4e-16)
    assert found.shape == (2, 2, 2)


def test_correlations_are_numpys() -> None:
    X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 100, 1e-5, 3]
    shape = Full.of(np.cov(X, rowvar=False)[None], Schema(np.arange(1), 4))
    np.testing.assert_allclose(
        shape.correlation[0], np.corrcoef(X, rowvar=False), rtol=1e-14, atol=1e-15
    )


@each_kind
def test_what_a_shape_does_is_what_its_matrices_do(kind: Kind) -> None:
    shape = some_density(kind).covariance
    m, d = shape.n_covariances, shape.n_features
    dense = shape.dense()
    factor = shape.factor()
    if factor.ndim == 2:
        factor = factor[:, :, None] * np.eye(d)
    np.testing.assert_allclose(factor @ factor.mT, dense, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(shape.log_det, np.linalg.slogdet(dense)[1], rtol=1e-13)
    inverse = np.linalg.inv(dense)
    np.testing.assert_allclose(shape.precision, np.einsum("mii->mi", inverse), rtol=1e-12)
    np.testing.assert_allclose(shape.variance, np.einsum("mii->mi", dense), rtol=1e-15)
    np.testing.assert_allclose(shape.deviation**2, shape.variance, rtol=1e-15)
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(5, d))
    for code in range(3):
        own = inverse[min(code, m - 1)]
        np.testing.assert_allclose(shape.times_precision(vectors, code), vectors @ own, rtol=1e-11)
        squares = np.square(shape.whiten(vectors, code)).sum(axis=1)
        np.testing.assert_allclose(squares, np.einsum("ni,ij,nj->n", vectors, own, vectors))
    root = rng.normal(size=(m, d, d))
    scatter = root @ root.mT
    expected = np.einsum("mij,mji->m", inverse, scatter)
    given = scatter if shape.correlated else np.einsum("mii->mi", scatter)
    np.testing.assert_allclose(shape.squares(given), expected, rtol=1e-11)
    columns = np.array([2, 0])
    part = shape.sub(columns, Schema(np.arange(3), 2))
    np.testing.assert_allclose(part.dense(), dense[:, columns[:, None], columns], rtol=1e-15)
    assert type(part) is type(shape)
    np.testing.assert_array_equal(shape.selected([m - 1]).dense()[0], dense[-1])
    amplified = (np.einsum("mii->mi", inverse) * np.einsum("mii->mi", dense)).max()
    assert shape.amplification == pytest.approx(amplified, rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 2.0**-200, 2.0**200])
@each_kind
def test_coordinates_come_back(kind: Kind, scale: float) -> None:
    shape = some_density(kind).covariance
    values = shape.values * scale**2
    shape = type(shape).of(values, Schema(np.arange(3), 4))
    unit = np.exp2(np.round(np.log2(shape.deviation)))
    vector = shape.coordinates(unit)
    assert vector.shape == (shape.n_parameters,)
    assert np.abs(vector).max() < 3  # in units of the standard deviations
    back = type(shape).from_coordinates(vector, unit)
    np.testing.assert_allclose(back.values, shape.values, rtol=1e-13, atol=1e-13 * scale**2)
    np.testing.assert_allclose(back.whitener * scale, shape.whitener * scale, rtol=0, atol=1e-12)
    np.testing.assert_allclose(back.log_det, shape.log_det, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", SHAPES)
def test_every_vector_is_a_covariance(name: str) -> None:
    kind: type[Shape] = SHAPES[name]
    unit: FloatArray = np.full((2, 3), 4.0)
    vector = np.random.default_rng(2).normal(size=kind.n_parameters_of(2, 3))
    shape = kind.from_coordinates(vector, unit)
    assert (np.linalg.eigvalsh(shape.dense()) > 0).all()
    np.testing.assert_allclose(shape.coordinates(unit), vector, rtol=1e-12, atol=1e-13)
