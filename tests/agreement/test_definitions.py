"""Where definitions coincide, scikit-learn and SciPy give the same numbers."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from gaussbayes import GaussianClassifier

pytestmark = pytest.mark.usefixtures("kernels")

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
}
PRIORS = [0.5, 0.3, 0.2]


@pytest.fixture(params=list(DATA))
def data(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    X, y = DATA[request.param]
    return X, y


@pytest.mark.parametrize("priors", [None, PRIORS])
def test_own_full_is_qda(data: tuple[Any, Any], priors: Any) -> None:
    X, y = data
    ours = GaussianClassifier(priors=priors).fit(X, y)
    # tol=0: its rank test is absolute and refuses wine, whose hues are small numbers.
    theirs = QuadraticDiscriminantAnalysis(priors=priors, tol=0, store_covariance=True).fit(X, y)
    np.testing.assert_allclose(ours.covariances_, theirs.covariance_, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(ours.means_, theirs.means_, rtol=1e-13)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_own_full_shrunk_is_qda_shrunk(data: tuple[Any, Any]) -> None:
    X, y = data
    ours = GaussianClassifier(shrinkage=0.3, shrinkage_target="spherical").fit(X, y)
    theirs = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3, tol=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("priors", [None, PRIORS])
def test_shared_full_is_lda(data: tuple[Any, Any], priors: Any) -> None:
    X, y = data
    ours = GaussianClassifier(shared=True, priors=priors).fit(X, y)
    theirs = LinearDiscriminantAnalysis(priors=priors).fit(X, y)  # svd: pooled by numbers of rows
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    gap = theirs.decision_function(X)
    np.testing.assert_allclose(ours.log_odds(X, 1, 0), gap[:, 1] - gap[:, 0], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("priors", [None, PRIORS])
@pytest.mark.parametrize("weighted", [False, True])
def test_own_diagonal_is_naive_bayes(data: tuple[Any, Any], priors: Any, weighted: bool) -> None:
    X, y = data
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    ours = GaussianClassifier("diagonal", priors=priors).fit(X, y, weight)
    theirs = GaussianNB(priors=priors, var_smoothing=0).fit(X, y, weight)
    variances = np.einsum("kii->ki", ours.covariances_)
    np.testing.assert_allclose(variances, theirs.var_, rtol=1e-11)
    np.testing.assert_allclose(ours.means_, theirs.theta_, rtol=1e-13)
    np.testing.assert_allclose(
        ours.scores(X).log_joint, theirs.predict_joint_log_proba(X), rtol=1e-9
    )
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_shared_spherical_is_nearest_centroid(data: tuple[Any, Any]) -> None:
    X, y = data
    ours = GaussianClassifier("spherical", shared=True, priors="uniform").fit(X, y)
    theirs = NearestCentroid().fit(X, y)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_a_condition_number_of_2e12() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = GaussianClassifier().fit(X, y)
    # The oracle in longer arithmetic: Gaussian elimination in numpy's long double, from scratch.
    for code, mean in enumerate(model.means_):
        rows = X[y == code].astype(np.longdouble)
        centred = rows - rows.mean(axis=0)
        sigma = centred.T @ centred / len(rows)
        scale = np.sqrt(np.diagonal(sigma))
        lower = cholesky(sigma / scale / scale[:, None])
        white = forward(lower, ((X - rows.mean(axis=0)) / scale).T)
        expected = np.sqrt((white**2).sum(axis=0))
        assert mean == pytest.approx(rows.mean(axis=0).astype(float), rel=1e-14)
        distances = np.sqrt(model.scores(X).squared_distance[:, code])
        np.testing.assert_allclose(distances, expected.astype(float), rtol=1e-9)


def cholesky(matrix: Any) -> Any:
    lower = np.zeros_like(matrix)
    for j in range(len(matrix)):
        lower[j, j] = np.sqrt(matrix[j, j] - lower[j, :j] @ lower[j, :j])
        lower[j + 1 :, j] = (matrix[j + 1 :, j] - lower[j + 1 :, :j] @ lower[j, :j]) / lower[j, j]
    return lower


def forward(lower: Any, right: Any) -> Any:
    solution = np.zeros_like(right)
    for i in range(len(lower)):
        solution[i] = (right[i] - lower[i, :i] @ solution[:i]) / lower[i, i]
    return solution
