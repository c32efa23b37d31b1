"""One Gaussian against scipy, and against the textbook's formulas."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm

from gaussbayes import DataError, Gaussian, GaussianClassifier, OptionError, plots
from gaussbayes import SingularCovarianceError as Singular
from gaussbayes.base.types import FloatArray

D = 4


@pytest.fixture(scope="module")
def parameters() -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(5)
    root = generator.normal(size=(D, D))
    return generator.normal(size=D), root @ root.T + 0.1 * np.eye(D)


@pytest.mark.parametrize("shape", [(D,), (7, D), (2, 3, D)])
def test_density_and_distance_are_those_of_scipy(
    parameters: tuple[FloatArray, FloatArray], shape: tuple[int, ...]
) -> None:
    mean, covariance = parameters
    points = np.random.default_rng(1).normal(size=shape)
    gaussian, reference = Gaussian(mean, covariance), multivariate_normal(mean, covariance)
    np.testing.assert_allclose(gaussian.pdf(points), reference.pdf(points), rtol=1e-12)
    np.testing.assert_allclose(gaussian.log_pdf(points), reference.logpdf(points), rtol=1e-12)
    apart = points - mean
    square = np.einsum("...i,ij,...j", apart, np.linalg.inv(covariance), apart)
    np.testing.assert_allclose(gaussian.mahalanobis(points), np.sqrt(square), rtol=1e-12)
    assert np.shape(gaussian.pdf(points)) == shape[:-1]


@pytest.mark.parametrize("shape", [(), (5,), (5, 1), (1,), (2, 3)])
def test_one_feature_takes_numbers_of_any_shape(shape: tuple[int, ...]) -> None:
    points = np.random.default_rng(1).normal(size=shape)
    expected = norm(3, 2).pdf(points)
    expected = expected[..., 0] if shape[-1:] == (1,) else expected
    np.testing.assert_allclose(Gaussian(3, 4).pdf(points), expected, rtol=1e-13)


def test_missing_values_are_integrated_out(parameters: tuple[FloatArray, FloatArray]) -> None:
    mean, covariance = parameters
    expected = multivariate_normal(mean[[0, 2]], covariance[np.ix_([0, 2], [0, 2])])
    density = Gaussian(mean, covariance).pdf([0.3, np.nan, -1.0, np.nan])
    assert density == pytest.approx(expected.pdf([0.3, -1.0]), rel=1e-12)


@pytest.mark.parametrize("known", [[1], [3, 0], [2, 1, 0]])
def test_conditional_is_the_formula_of_the_textbook(
    parameters: tuple[FloatArray, FloatArray], known: list[int]
) -> None:
    mean, covariance = parameters
    values = np.array([0.7, -1.3, 2.0])[: len(known)]
    others = [j for j in range(D) if j not in known]
    aa, ab, bb = (
        covariance[np.ix_(a, b)] for a, b in ((others, others), (others, known), (known, known))
    )
    found = Gaussian(mean, covariance).conditional(dict(zip(known, values, strict=True)))
    expected = mean[others] + ab @ np.linalg.solve(bb, values - mean[known])
    np.testing.assert_allclose(found.mean, expected, rtol=1e-11)
    np.testing.assert_allclose(found.covariance, aa - ab @ np.linalg.solve(bb, ab.T), rtol=1e-10)


def test_fit_is_that_of_a_class() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50, 3)) @ generator.normal(size=(3, 3)) + 5
    gaussian = Gaussian.fit(X, divisor="unbiased")
    np.testing.assert_allclose(gaussian.mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(gaussian.covariance, np.cov(X.T), rtol=1e-12)
    X[::7, 1] = np.nan  # EM: as a class of a classifier
    both = GaussianClassifier().fit(np.vstack([X, X + 9]), np.repeat([0, 1], 50))
    np.testing.assert_allclose(Gaussian.fit(X).covariance, both.covariances_[0], rtol=1e-6)


def test_settings_and_weights_of_a_fit() -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    twice = Gaussian.fit(np.vstack([X, X[:3]]))
    weight = [2] * 3 + [1] * 6
    np.testing.assert_allclose(Gaussian.fit(X, weight).covariance, twice.covariance, rtol=1e-12)
    diagonal = Gaussian.fit(X, covariance="diagonal")
    assert diagonal.covariance == pytest.approx(np.diag(X.var(axis=0)))
    assert diagonal.conditional({0: 1.0}).mean == pytest.approx(X[:, 1].mean())
    assert Gaussian.fit(X[:, 0]).covariance[0, 0] == pytest.approx(X[:, 0].var())
    # Two rows span a line: shrunk, the covariance can be inverted.
    assert np.linalg.det(Gaussian.fit(X[:2], shrinkage=0.5).covariance) > 0


def test_features_have_the_names_of_a_frame() -> None:
    frame = pd.DataFrame({"height": [160.0, 170, 183], "weight": [60.0, 55, 80]})
    gaussian = Gaussian.fit(frame)
    assert gaussian.marginal(["weight"]).mean == pytest.approx(65)
    assert gaussian.conditional({"height": 171}).mean == pytest.approx(65)
    assert gaussian.pdf(frame).shape == (3,)


def test_samples_have_the_moments(parameters: tuple[FloatArray, FloatArray]) -> None:
    mean, covariance = parameters
    rows = Gaussian(mean, covariance).sample(40_000, random_state=0)
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs((rows.mean(axis=0) - mean) / deviation).max() < 4 / np.sqrt(40_000)
    expected = covariance / deviation / deviation[:, None]
    assert np.abs(np.corrcoef(rows.T) - expected).max() < 4 / np.sqrt(40_000)


def test_points_of_an_ellipse_have_its_distance(parameters: tuple[FloatArray, FloatArray]) -> None:
    two = Gaussian(*parameters).marginal([3, 1])
    np.testing.assert_allclose(two.mahalanobis(two.ellipse(1.7)), 1.7, rtol=1e-9)


@pytest.mark.parametrize(("d", "features"), [(1, None), (2, None), (4, [1]), (4, [0, 3])])
def test_plots(d: int, features: list[int] | None) -> None:
    names = list("abcd"[:d])
    gaussian = Gaussian(np.zeros(d), np.eye(d), feature_names=names)
    rows = gaussian.sample(20, random_state=0)
    if len(features or names) == 1:
        ax = plots.densities(gaussian, rows, features=features)
    else:
        ax = plots.evidence(gaussian, rows, features=features)
        ax = plots.ellipses(gaussian, levels=(1, 2), features=features, ax=ax)
    assert ax.get_xlabel() == names[0 if features is None else features[0]]
    plt.close("all")


SQUARE = [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("mean", "covariance", "error", "message"),
    [
        ([[0, 0]], SQUARE, OptionError, "mean must have shape (features,), got (1, 2)"),
        ([], [], OptionError, "mean must have shape (features,), got (0,)"),
        ([0, 0], [1, 1], OptionError, "covariance must have shape (2, 2), as the mean has 2"),
        ([0], SQUARE, OptionError, "as the mean has 1 feature, got (2, 2)"),
        ([0, np.nan], SQUARE, OptionError, "means must be finite"),
        (["a", 0], SQUARE, OptionError, "mean must be an array of numbers"),
        ([0, 0], [[1, 0.5], [0.4, 1]], OptionError, "must be symmetric"),
        ([0, 0], [[1, 1], [1, 1]], Singular, "class 'Gaussian' has collinear features"),
        (
            [0, 0],
            [[1, 2], [2, 1]],
            Singular,
            "class 'Gaussian' has a covariance that is not positive",
        ),
        (0, 0, Singular, "class 'Gaussian' does not vary in feature 0"),
    ],
)
def test_parameters_that_are_none(
    mean: object, covariance: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        Gaussian(mean, covariance)


def test_what_is_asked_for_wrongly() -> None:
    gaussian = Gaussian([0, 0, 0], np.eye(3))
    with pytest.raises(DataError, match=re.escape("shape (…, 3), a number for each feature")):
        gaussian.pdf([1.0, 2.0])
    with pytest.raises(DataError, match="an ellipse is that of two features, and this .* has 3"):
        gaussian.ellipse()
    with pytest.raises(OptionError, match="radius must be a finite number above 0, got -1"):
        gaussian.marginal([0, 1]).ellipse(-1)
    for given in ({}, {0: 1, 1: 1, 2: 1}):
        with pytest.raises(OptionError, match="some of the 3 features, and not all of them"):
            gaussian.conditional(given)
    with pytest.raises(OptionError, match="the given value of 1 must be a finite number"):
        gaussian.conditional({1: np.nan})
    with pytest.raises(DataError, match="no feature"):
        gaussian.conditional({"height": 1})
    with pytest.raises(Singular, match="class 'Gaussian'"):
        Gaussian.fit([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
