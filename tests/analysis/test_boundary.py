"""The boundary between classes: its equation, and linear discriminants."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gaussbayes import GaussianClassifier, OptionError, sklearn
from gaussbayes.datasets import load_iris

IRIS = load_iris()


@pytest.mark.parametrize(
    "settings",
    [
        {"shared": True},
        {"priors": [0.2, 0.3, 0.5]},
        {"shared": True, "covariance": "diagonal", "priors": "uniform"},
        {"shared": 0.5},
        {"covariance": "spherical"},
    ],
    ids=str,
)
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_the_equation_is_the_log_odds(settings: dict[str, Any], far: float) -> None:
    X = IRIS.rows + far
    model = GaussianClassifier(**settings).fit(X, IRIS.labels)
    for a, b in (("setosa", "virginica"), ("versicolor", "setosa")):
        equation = model.boundary(a, b)
        expected = model.log_odds(X, a, b)
        np.testing.assert_allclose(equation(X), expected, rtol=1e-9, atol=1e-9 + 1e-12 * far**2)
        assert equation.is_linear == (settings.get("shared") is True)


def test_equations_are_written() -> None:
    # The handout's petals (COURSE 002): class-specific variances, so that squares stay.
    X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    own = GaussianClassifier(priors="uniform").fit(X, y).boundary("B", "A")
    # Q = ½ (1 / 0.5336 − 1 / 0.26), w = 6.5 / 0.26 − 2.68 / 0.5336
    assert str(own).startswith("log-odds of 'B' to 'A' = -0.986·x0² + 19.98·x0 - ")
    roots = np.roots([own.quadratic[0, 0], own.linear[0], own.constant])
    np.testing.assert_allclose(sorted(roots), [4.894721, 15.365512], atol=1e-6)
    shared = GaussianClassifier(shared=True).fit(X, y).boundary("B", "A")
    assert str(shared).endswith("boundary: x0 = 4.648")
    means = [[0, 0], [1, 1]]
    equal = GaussianClassifier.from_parameters(None, means, np.eye(2), covariance="full")
    written = str(equal.boundary(1, 0))
    assert written == "log-odds of 1 to 0 = x0 + x1 - 1\nboundary: x1 = -x0 + 1"
    assert equal.boundary(1, 0).to_dict()["linear"] == [1.0, 1.0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_discriminants_are_those_of_scikit_learn(n_classes: int) -> None:
    kept = np.isin(IRIS.labels, ["versicolor", "virginica", "setosa"][:n_classes])
    X, y = IRIS.rows[kept], IRIS.labels[kept]
    ours = GaussianClassifier(shared=True).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


def test_models_without_linear_discriminants() -> None:
    own = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    assert not hasattr(own, "coef_")
    with pytest.raises(AttributeError, match=r"boundary\(a, b\)"):
        own.intercept_  # noqa: B018
    frame = pd.DataFrame(IRIS.rows[:, :1], columns=["length"])
    frame["site"] = pd.Categorical(np.where(np.arange(150) % 2, "north", "south"))
    mixed = GaussianClassifier(shared=True, smoothing=1).fit(frame, IRIS.labels)
    assert not hasattr(mixed, "coef_")
    with pytest.raises(
        OptionError, match=r"'site' are categorical: .marginal. gives the model without"
    ):
        mixed.boundary("setosa", "virginica")
    assert mixed.marginal(["length"]).boundary("setosa", "virginica").is_linear
    warped = GaussianClassifier(transforms="yeo-johnson").fit(IRIS.rows, IRIS.labels)
    with pytest.raises(OptionError, match="transformed"):
        warped.boundary("setosa", "virginica")


def test_axes_are_generalised_eigenvectors() -> None:
    model = sklearn.LinearDiscriminantAnalysis(solver="eigen").fit(IRIS.rows, IRIS.labels)
    plain = GaussianClassifier(shared=True).fit(IRIS.rows, IRIS.labels)
    offset = plain.means_ - plain.priors_ @ plain.means_
    between = np.einsum("k,ki,kj->ij", plain.priors_, offset, offset)
    spread, axes = eigh(between, plain.covariances_)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, spread[::-1][:2] / spread.sum(), rtol=1e-9
    )
    found = model.transform(IRIS.rows)
    expected = IRIS.rows @ axes[:, ::-1][:, :2]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-7)
    # Powers of two, so that shifting is exact: far from zero no digit is lost.
    X = np.ldexp(np.round(np.ldexp(IRIS.rows, 10)), -10)
    near, far = (
        sklearn.LinearDiscriminantAnalysis().fit(X + by, IRIS.labels) for by in (0, 2.0**36)
    )
    np.testing.assert_allclose(far.transform(X + 2.0**36), near.transform(X), atol=1e-9)
    near.tol = 0.5  # the second axis has a tenth of the deviation between classes
    assert near.transform(X).shape == (150, 1)
