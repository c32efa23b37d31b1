"""Models made without rows: what shapes of parameters mean, and that nothing is guessed."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.construction import given_model, moments_model
from gaussbayes.model.options import check_options


def structure_of(values: Any, k: int, covariance: Any, shared: Any) -> Structure:
    """The structure of a model of k classes and two features with these covariances."""
    means = np.arange(2.0 * k).reshape(k, 2)
    model = given_model(None, means, values, covariance=covariance, shared=shared)
    structure = model.components[0].family.structure
    assert isinstance(structure, Structure)
    return structure


def ones(shape: tuple[int, ...]) -> Any:
    """Values of this shape, of which the last two axes, if they are square, are unit matrices."""
    return np.broadcast_to(np.eye(2), shape) if shape[-2:] == (2, 2) else np.ones(shape)


@pytest.mark.parametrize(
    ("shape", "covariance", "shared", "expected"),
    [
        ((3, 2, 2), None, None, Structure("full")),
        ((2, 2), None, None, Structure("full", 1.0)),
        ((2, 2), "full", None, Structure("full", 1.0)),
        ((2, 2), None, True, Structure("full", 1.0)),
        ((3, 2), "diagonal", None, Structure("diagonal")),
        ((2,), "diagonal", None, Structure("diagonal", 1.0)),
        ((3,), "spherical", None, Structure("spherical")),
        ((), "spherical", None, Structure("spherical", 1.0)),
    ],
)
def test_structure_of_three_classes_and_two_features(
    shape: tuple[int, ...], covariance: Any, shared: Any, expected: Structure
) -> None:
    assert structure_of(ones(shape), 3, covariance, shared) == expected


@pytest.mark.parametrize(
    ("covariance", "shared", "expected"),
    [
        ("full", None, Structure("full", 1.0)),
        (None, True, Structure("full", 1.0)),
    ],
)
def test_as_many_classes_as_features(covariance: Any, shared: Any, expected: Structure) -> None:
    assert structure_of(np.eye(2), 2, covariance, shared) == expected
    assert structure_of(np.ones((2, 2)), 2, "diagonal", None) == Structure("diagonal")
    assert structure_of(ones((2, 2, 2)), 2, None, None) == Structure("full")


def test_as_many_classes_as_features_is_not_guessed() -> None:
    with pytest.raises(OptionError, match="say covariance='full' or 'diagonal'"):
        structure_of(np.eye(2), 2, None, None)


@pytest.mark.parametrize(
    ("shape", "covariance", "shared", "what"),
    [
        ((3, 2), None, None, r"full .*\(2, 2\) or \(3, 2, 2\), got \(3, 2\); variances need"),
        ((3,), None, None, "variances need covariance='diagonal'"),
        ((), None, None, "or 'spherical'"),
        ((3, 2, 2), "diagonal", None, r"\(2,\) or \(3, 2\), got \(3, 2, 2\)"),
        ((2, 2), None, False, r"own full .* must have shape \(3, 2, 2\), got \(2, 2\)"),
        ((3, 2, 2), None, True, r"shared full .* must have shape \(2, 2\), got \(3, 2, 2\)"),
        (
            (2, 2),
            "round",
            None,
            "covariance must be one of 'full', 'diagonal', 'spherical', got 'round'",
        ),
    ],
)
def test_shapes_that_fit_nothing(
    shape: tuple[int, ...], covariance: Any, shared: Any, what: str
) -> None:
    with pytest.raises(OptionError, match=what):
        structure_of(ones(shape), 3, covariance, shared)


def test_everything_is_sorted_with_the_classes() -> None:
    means, scales = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), [1.0, 2.0, 3.0]
    covariances = [scale * np.eye(2) for scale in scales]
    model = given_model(
        [0.2, 0.5, 0.3], means, covariances, ["c", "a", "b"], feature_names=["x", "y"]
    )
    assert model.classes.tolist() == ["a", "b", "c"]
    assert model.schema.features == ("x", "y")
    assert model.prior.tolist() == [0.5, 0.3, 0.2]
    X = np.random.default_rng(0).normal(size=(5, 2))
    for code, given in enumerate([1, 2, 0]):
        expected = multivariate_normal(means[given], covariances[given]).logpdf(X)
        likelihood = model.log_likelihood(number_rows(X))[:, code]
        np.testing.assert_allclose(likelihood, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("priors", "expected"),
    [(None, [0.5, 0.5]), ("uniform", [0.5, 0.5]), ({"b": 0.9, "a": 0.1}, [0.1, 0.9])],
)
def test_priors_of_every_kind(priors: Any, expected: list[float]) -> None:
    assert given_model(priors, [[1], [2]], [[1]], ["b", "a"]).prior.tolist() == expected


@pytest.mark.parametrize(
    ("change", "error", "what"),
    [
        ({"priors": [0.5, 0.6]}, OptionError, "sum to 1"),
        ({"priors": [1.5, -0.5]}, OptionError, r"prior of class 'b' is -0\.5"),
        ({"priors": [0.2, 0.3, 0.5]}, OptionError, "2 priors are needed"),
        ({"priors": {"a": 0.5, "z": 0.5}}, OptionError, "unknown to the model: 'z'"),
        ({"priors": ["x", "y"]}, OptionError, "priors must be numbers"),
        ({"means": [1, 2]}, OptionError, r"means must have shape \(classes, features\).*\(2,\)"),
        ({"means": [[1, 2]]}, OptionError, r"at least two classes, got \(1, 2\)"),
        (
            {"means": [[1, 2], [3]]},
            OptionError,
            "means must be an array of numbers with rows of equal length",
        ),
        ({"means": [[1, 2], [3, np.nan]]}, OptionError, "means must be finite"),
        ({"covariances": [["x"]]}, OptionError, "covariances must be an array of numbers"),
        (
            {"covariances": [[[1, 0.5], [0.4, 1]]] * 2},
            OptionError,
            "class 'a' must be symmetric",
        ),
        ({"covariances": [[[1, 2], [2, 1]]] * 2}, SingularCovarianceError, "class 'a'"),
        ({"covariances": [[[1, 0], [0, -1]]] * 2}, SingularCovarianceError, "class 'a'"),
        ({"covariances": [[[1, 0], [0, np.nan]]] * 2}, OptionError, "must be finite, got nan"),
        ({"classes": ["a"]}, DataError, "2 different labels"),
        ({"classes": ["a", "a"]}, DataError, "2 different labels"),
        ({"feature_names": ["x"]}, DataError, "2 features need as many names"),
    ],
)
def test_bad_parameters(change: dict[str, Any], error: Any, what: str) -> None:
    good: dict[str, Any] = {
        "priors": [0.5, 0.5],
        "means": [[1, 2], [3, 4]],
        "covariances": [[[1, 0], [0, 1]]] * 2,
        "classes": ["a", "b"],
    }
    given_model(**good)
    with pytest.raises(error, match=what):
        given_model(**{**good, **change})


def test_moments_from_elsewhere() -> None:
    """Sorted by class, without those that weigh nothing, in blocks if families say so."""
    X, y = load_iris(return_X_y=True)
    codes = np.array([3, 0, 1], np.int32)[y]  # number 2 has no rows
    moments = summarise(X, codes, None, 4)
    model = moments_model(moments, check_options(), ["b", "c", "?", "a"], ["w", "x", "y", "z"])
    assert model.classes.tolist() == ["a", "b", "c"]
    assert model.schema.features == ("w", "x", "y", "z")
    density = model.densities[0]
    for code in range(3):
        np.testing.assert_allclose(density.mean[code], X[y == code].mean(axis=0), rtol=1e-13)
        expected = np.cov(X[y == code].T, bias=True)
        np.testing.assert_allclose(density.dense_covariance()[code], expected, rtol=1e-12)
    blocks = moments_model(moments, check_options(families={(0, 2): "gaussian"}))
    assert [part.columns for part in blocks.components] == [(1, 3), (0, 2)]
    for part, block in zip(blocks.components, blocks.densities, strict=True):
        cut = np.ix_(part.columns, part.columns)
        expected = np.cov(X[y == 0].T, bias=True)[cut]
        np.testing.assert_allclose(block.dense_covariance()[2], expected, rtol=1e-12)
    diagonal = summarise(X, codes, None, 4, "diagonal")
    with pytest.raises(DataError, match="summed without correlations, not enough"):
        moments_model(diagonal, check_options())
    with pytest.raises(DataError, match="4 classes, so `classes` needs 4 different labels"):
        moments_model(moments, check_options(), ["a", "b", "c"])


def test_category_probabilities() -> None:
    tables = {
        "test": {"positive": [0.9, 0.2], "negative": [0.1, 0.8]},
        "age": {False: [0.3, 0.6], True: [0.7, 0.4]},
    }
    model = GaussianClassifier.from_parameters(
        [0.1, 0.9], [[5.0], [1.0]], [[4.0]], ["sick", "ill"], category_probabilities=tables
    )
    assert model.feature_names_in_.tolist() == ["x0", "test", "age"]
    row = pd.DataFrame({"x0": [3.0], "test": ["positive"], "age": [True]})
    likelihood = norm.pdf(3.0, [5.0, 1.0], 2.0) * [0.9 * 0.7, 0.2 * 0.4]
    joint = likelihood * [0.1, 0.9]
    expected = (joint / joint.sum())[::-1]  # the classes are sorted: ill, sick
    np.testing.assert_allclose(model.predict_proba(row)[0], expected, rtol=1e-12)
    np.testing.assert_allclose(model.likelihood(row)[0], likelihood[::-1], rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give means and covariances"),
        ({"means": [[1.0], [2.0]]}, "give means and covariances"),
        (
            {"category_probabilities": {"a": {"x": [0.5, 0.5], "y": [0.5, 0.4]}}},
            "'a' must .*sum to 1",
        ),
        ({"category_probabilities": {"a": {"x": [1.0, 1.0, 1.0]}}}, "2 different labels|3 classes"),
        ({"category_probabilities": {"a": {"x": 1.0}}}, "at least two classes"),
        ({"category_probabilities": {"a": {"x": [1, 1]}, "b": {"y": [1]}}}, "each category of 'b'"),
    ],
)
def test_category_probabilities_that_are_none(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GaussianClassifier.from_parameters(None, classes=["p", "q"], **given)


def test_classes_are_printed_in_the_order_given() -> None:
    given: Any = ([0.2, 0.7, 0.1], [[0.0, 1.0], [8.0, 2.0], [4.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]])
    model = GaussianClassifier.from_parameters(*given, ["well", "ill", "dead"])
    assert model.classes_.tolist() == ["dead", "ill", "well"]
    for shown in (model, model.with_priors(None), model.marginal([0])):
        lines = [line.split() for line in str(shown).splitlines() if line]
        assert [line[0] for line in lines[4:7]] == ["well", "ill", "dead"]
        assert next(line for line in lines if "dead" in line[1:]) == ["well", "ill", "dead"]
        assert ["feature", "0", "0", "8", "4"] in lines
    assert [line[1] for line in lines[4:7]] == ["0.2", "0.7", "0.1"]
