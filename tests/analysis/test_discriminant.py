"""The boundary as an equation, and linear discriminants."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gaussbayes import GaussianClassifier, sklearn
from gaussbayes.base.errors import OptionError
from gaussbayes.datasets import load_iris

IRIS = load_iris()
SETTINGS = [
    {"shared": shared, "covariance": covariance, "priors": priors}
    for shared, covariance, priors in [
        (True, "full", None),
        (False, "full", [0.2, 0.3, 0.5]),
        (True, "diagonal", "uniform"),
        (False, "diagonal", None),
        (0.5, "full", None),
        (False, "spherical", None),
    ]
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_the_equation_is_the_log_odds(settings: dict, far: float) -> None:
    X = IRIS.rows + far
    model = GaussianClassifier(**settings).fit(X, IRIS.labels)
    for a, b in (("setosa", "virginica"), ("versicolor", "setosa")):
        equation = model.boundary(a, b)
        expected = model.log_odds(X, a, b)
        np.testing.assert_allclose(equation(X), expected, rtol=1e-9, atol=1e-9 + 1e-12 * far**2)
        assert equation.is_linear == (settings["shared"] is True)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_discriminants_are_those_of_scikit_learn(n_classes: int) -> None:
    kept = np.isin(IRIS.labels, ["versicolor", "virginica", "setosa"][:n_classes])
    X, y = IRIS.rows[kept], IRIS.labels[kept]
    ours = GaussianClassifier(shared=True).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


def test_what_has_no_linear_discriminant() -> None:
    own = GaussianClassifier().fit(IRIS.rows, IRIS.labels)
    assert not hasattr(own, "coef_")
    with pytest.raises(AttributeError, match=r"shared=True.*boundary\(a, b\)"):
        own.intercept_  # noqa: B018
    frame = pd.DataFrame(IRIS.rows[:, :1], columns=["length"])
    frame["site"] = pd.Categorical(np.where(np.arange(150) % 2, "north", "south"))
    mixed = GaussianClassifier(shared=True, smoothing=1).fit(frame, IRIS.labels)
    assert not hasattr(mixed, "coef_")
    with pytest.raises(OptionError, match=r"'site' \(categorical\) are not"):
        mixed.boundary("setosa", "virginica")
    assert mixed.marginal(["length"]).boundary("setosa", "virginica").is_linear
    warped = GaussianClassifier(transforms="yeo-johnson").fit(IRIS.rows, IRIS.labels)
    with pytest.raises(OptionError, match="transformed"):
        warped.boundary("setosa", "virginica")


def test_equations_are_written() -> None:
    # The handout's petals (COURSE 002): own variances, so that squares stay.
    X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    own = GaussianClassifier(priors="uniform").fit(X, y).boundary("B", "A")
    # Q = ½ (1 / 0.5336 − 1 / 0.26), w = 6.5 / 0.26 − 2.68 / 0.5336
    assert str(own).startswith("log-odds of 'B' to 'A' = -0.986·x0² + 19.98·x0 - ")
    roots = np.roots([own.quadratic[0, 0], own.linear[0], own.constant])
    np.testing.assert_allclose(sorted(roots), [4.894721, 15.365512], atol=1e-6)
    shared = GaussianClassifier(shared=True).fit(X, y).boundary("B", "A")
    assert str(shared).endswith("boundary: x0 = 4.648")
    equal = GaussianClassifier.from_parameters(
        None, [[0, 0], [1, 1]], [[1, 0], [0, 1]], covariance="full"
    )
    written = str(equal.boundary(1, 0))
    assert written == "log-odds of 1 to 0 = x0 + x1 - 1\nboundary: x1 = -x0 + 1"


def test_axes_come_from_merged_moments_of_several_blocks() -> None:
    # Two independent blocks of features: the covariance is block-diagonal, and so is its whitener.
    blocks = {(0, 1): "gaussian", (2, 3): "gaussian"}
    parts = [
        GaussianClassifier(shared=True, families=blocks).partial_fit(
            IRIS.rows[rows], IRIS.labels[rows]
        )
        for rows in (slice(0, None, 2), slice(1, None, 2))
    ]
    model = parts[0].merge(parts[1])
    within = model.covariances_
    assert not within[:2, 2:].any()
    offset = model.means_ - model.priors_ @ model.means_
    between = np.einsum("k,ki,kj->ij", model.priors_, offset, offset)
    spread, axes = eigh(between, within)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, spread[::-1][:2] / spread.sum(), rtol=1e-9
    )
    np.testing.assert_allclose(np.abs(model.scalings_), np.abs(axes[:, ::-1][:, :2]), rtol=1e-8)
    inside = model.scalings_.T @ within @ model.scalings_
    np.testing.assert_allclose(inside, np.eye(2), atol=1e-12)


def test_axes_keep_their_digits_far_from_zero() -> None:
    # Powers of two, so that shifting is exact.
    X = np.ldexp(np.round(np.ldexp(IRIS.rows, 10)), -10)
    near = GaussianClassifier(shared=True).fit(X, IRIS.labels)
    far = GaussianClassifier(shared=True).fit(X + 2.0**36, IRIS.labels)
    np.testing.assert_allclose(far.transform(X + 2.0**36), near.transform(X), atol=1e-9)


def test_axes_are_those_of_the_model_at_hand_and_keep_none_alive() -> None:
    """They are kept from call to call, by the model and the tolerance."""
    scale = np.array([1.0, 10.0, 0.1, 1.0])
    model = GaussianClassifier(shared=True).fit(IRIS.rows, IRIS.labels)
    before = model.transform(IRIS.rows)
    np.testing.assert_array_equal(model.transform(IRIS.rows), before)
    former = weakref.ref(model.model_)
    model.fit(IRIS.rows * scale, IRIS.labels)
    gc.collect()
    assert former() is None
    np.testing.assert_allclose(model.transform(IRIS.rows * scale), before, atol=1e-10)
    drop_in = sklearn.LinearDiscriminantAnalysis().fit(IRIS.rows, IRIS.labels)
    assert drop_in.transform(IRIS.rows).shape == (150, 2)
    drop_in.tol = 0.5  # the second axis has a tenth of the deviation between classes
    assert drop_in.transform(IRIS.rows).shape == (150, 1)


def test_more_features_than_rows_have_axes() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(20, 50)), np.arange(20) % 3
    spanned = GaussianClassifier(shared=True, shrinkage=0.3).fit(X, y)
    whole = GaussianClassifier(shared=True, shrinkage=0.3).partial_fit(X, y)
    np.testing.assert_allclose(spanned.transform(X), whole.transform(X), atol=1e-10)
    np.testing.assert_allclose(spanned.coef_, whole.coef_, atol=1e-10)
