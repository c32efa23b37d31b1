"""Bar 3: units do not matter; a class is refused for its rank, never for its scale."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from gaussbayes import GaussianClassifier, SingularCovarianceError
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.designs import all_pairs
from tests.scored import Scored, estimate
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")

LOADERS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}


def load(name: str) -> tuple[FloatArray, CodeArray]:
    X, y = LOADERS[name](return_X_y=True)
    return X, y.astype(np.int32)


def fitted(X: FloatArray, codes: CodeArray, structure: Structure) -> Scored:
    k = int(codes.max()) + 1
    moments = summarise(X, codes, None, k, structure.shape.layout)
    return estimate(moments, Schema(np.arange(k), X.shape[1]), structure)


def labels(X: FloatArray, codes: CodeArray, structure: Structure) -> NDArray[np.intp]:
    return scores.labels(fitted(X, codes, structure), X)


@pytest.mark.parametrize(
    ("name", "structure", "scale"), all_pairs(LOADERS, STRUCTURES, [1e-10, 1e10])
)
def test_common_scale(name: str, structure: Structure, scale: float) -> None:
    X, codes = load(name)
    np.testing.assert_array_equal(labels(X * scale, codes, structure), labels(X, codes, structure))


@pytest.mark.parametrize(
    ("name", "structure", "seed"),
    all_pairs(LOADERS, [own for own in STRUCTURES if own.covariance != "spherical"], range(3)),
)
def test_a_scale_for_each_feature(name: str, structure: Structure, seed: int) -> None:
    X, codes = load(name)
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.choice([-10, 0, 10], X.shape[1])
    scale[:2] = 1e-10, 1e10
    np.testing.assert_array_equal(labels(X * scale, codes, structure), labels(X, codes, structure))


# Errors on the training rows, own full covariances, with divisor N − 1 as published for these
# tables: 3 of 150 and 15 of 569. scikit-learn's QDA refuses both.
@pytest.mark.parametrize(
    ("name", "scale", "mistakes"), [("iris", 0.01, 3), ("breast cancer", 1.0, 15)]
)
def test_tables_that_an_absolute_rank_test_refuses(name: str, scale: float, mistakes: int) -> None:
    X, codes = load(name)
    moments = summarise(X * scale, codes, None, int(codes.max()) + 1)
    schema = Schema(np.arange(moments.n_classes), X.shape[1])
    model = estimate(moments, schema, Structure(), divisor="unbiased")
    assert int(np.sum(scores.labels(model, X * scale) != codes)) == mistakes


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@pytest.mark.parametrize("exponent", [-500, -400, 400, 480])
def test_scales_near_the_ends_of_the_floats(structure: Structure, exponent: int) -> None:
    # Powers of two are exact: squares reach 2^±1000, where floats end at 2^1024 and 2^−1074.
    X, codes = load("iris")
    far = np.ldexp(X, exponent)
    np.testing.assert_array_equal(labels(far, codes, structure), labels(X, codes, structure))


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_narrow_rows_in_other_units(structure: Structure) -> None:
    # A power of two is exact in float32 too, so that nothing at all may change.
    X, codes = load("iris")
    narrow, small = X.astype(np.float32), np.ldexp(X, -30).astype(np.float32)
    one = scores.labels(fitted(narrow, codes, structure), narrow)
    two = scores.labels(fitted(small, codes, structure), small)
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("settings", [{}, {"shared": True}, {"shrinkage": 0.1}])
def test_values_whose_squares_underflow_are_said_to_be_too_small(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)) + np.eye(2)[np.arange(40) % 2], np.arange(40) % 2
    unit = np.array([1.0, 2.0**-480])  # 3e-145
    posterior = GaussianClassifier(**settings).fit(X, y).predict_proba(X)
    small = GaussianClassifier(**settings).fit(X * unit, y).predict_proba(X * unit)
    np.testing.assert_allclose(small, posterior, rtol=1e-9)
    for size in (1e-155, 1e-165, 1e-200, 1e-300):
        with pytest.raises(SingularCovarianceError, match=r"feature 1, .* so small .* underflow"):
            GaussianClassifier(**settings).fit(X * [1.0, size], y)
