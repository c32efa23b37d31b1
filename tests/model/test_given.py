"""Families of features, parameters that are given, and options that nobody can mean."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import block_diag
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from gaussbayes import DataError, GaussianClassifier, OptionError

NAMES = ["age", "girth", "visits", "height"]


def numbers(n: int = 60) -> tuple[pd.DataFrame, Any]:
    """Correlated numbers of two classes, the third of them counts."""
    random = np.random.default_rng(3)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 4)) @ random.normal(size=(4, 4)) + y[:, None]
    X[:, 2] = random.poisson(3.0 + y)
    return pd.DataFrame(X, columns=NAMES), y


@pytest.mark.parametrize("shared", [False, True])
def test_blocks_of_gaussians_are_a_block_diagonal_covariance(shared: bool) -> None:
    table, y = numbers()
    X = table.to_numpy()
    model = GaussianClassifier(shared=shared, families={("visits", "age"): "gaussian"}).fit(
        table, y
    )
    covariances = [np.cov(X[y == c].T, bias=True) for c in range(2)]
    if shared:
        covariances = [np.mean(covariances, axis=0)] * 2  # classes of the same size
    joint = []
    for c in range(2):
        rest, block = (covariances[c][np.ix_(part, part)] for part in ([1, 3], [0, 2]))
        place = np.argsort([1, 3, 0, 2])
        whole = block_diag(rest, block)[np.ix_(place, place)]
        joint.append(np.log(0.5) + multivariate_normal(X[y == c].mean(axis=0), whole).logpdf(X))
    expected = np.stack(joint, axis=1)
    expected -= logsumexp(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(table), expected, rtol=1e-10, atol=1e-13)
    assert model.n_parameters_ == 1 + 8 + (1 if shared else 2) * (3 + 3)
    naive = GaussianClassifier("diagonal", shared=shared).fit(table, y)
    each = GaussianClassifier(shared=shared, families=dict.fromkeys(NAMES, "gaussian"))
    np.testing.assert_allclose(
        each.fit(table, y).predict_log_proba(table), naive.predict_log_proba(table), rtol=1e-11
    )


@pytest.mark.parametrize(
    ("families", "problem"),
    [
        ({"visits": "poison"}, r"one of .*got 'poison' \(did you mean 'poisson'\?\)"),
        (
            {"visits": "poisson", ("age", "visits"): "gaussian"},
            "'visits' must have one family, but families gives it two: 'poisson' and 'gaussian'",
        ),
        ({2: "poisson", "visits": "categorical"}, "'visits' must have one family"),
        ({"visit": "poisson"}, r"'visit' \(did you mean 'visits'\?\)"),
        ({7: "poisson"}, "no column 7, named by families, .*; the columns are 0 to 3"),
        ({"height": "poisson"}, "row 0 has .* in 'height', which must be an integer"),
        ({("age", "age"): "gaussian"}, "age|different"),
        ({(): "gaussian"}, "at least one"),
        (["poisson"], r"families must be .*\['poisson'\]"),
    ],
    ids=str,
)
def test_families_that_nobody_can_mean(families: Any, problem: str) -> None:
    with pytest.raises((OptionError, DataError), match=problem):
        GaussianClassifier(families=families).fit(*numbers())


def test_every_family_takes_the_options_that_it_knows() -> None:
    table, y = numbers()
    table["kind"] = pd.Categorical(np.where(np.arange(60) % 3, "a", "b"))
    model = GaussianClassifier(
        "diagonal", shared=0.5, shrinkage=0.2, smoothing=2, families={"visits": "poisson"}
    ).fit(table, y)
    alone = GaussianClassifier("diagonal", shared=0.5, shrinkage=0.2).fit(
        table[["age", "girth", "height"]], y
    )
    np.testing.assert_array_equal(model.means_[:, [0, 1, 3]], alone.means_)
    counts = table["visits"].to_numpy()
    rate = (counts[y == 0].sum() + 2 * counts.mean()) / (30 + 2)
    assert model.means_[0, 2] == pytest.approx(rate)
    assert model.category_probabilities_["kind"]["a"][0] == pytest.approx((20 + 2) / (30 + 4))


# Parameters that are given

GOOD: dict[str, Any] = {
    "priors": [0.5, 0.5],
    "means": [[1, 2], [3, 4]],
    "covariances": [[[1, 0], [0, 1]]] * 2,
    "classes": ["a", "b"],
}


def test_everything_is_sorted_with_the_classes() -> None:
    means, covariances = (
        np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]),
        [np.eye(2) * s for s in (1, 2, 3)],
    )
    model = GaussianClassifier.from_parameters(
        [0.2, 0.5, 0.3], means, covariances, ["c", "a", "b"], feature_names=["x", "y"]
    )
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.feature_names_in_.tolist() == ["x", "y"]
    assert model.priors_.tolist() == [0.5, 0.3, 0.2]
    X = np.random.default_rng(0).normal(size=(5, 2))
    found = model.scores(pd.DataFrame(X, columns=["x", "y"])).log_likelihood
    for code, given in enumerate([1, 2, 0]):
        expected = multivariate_normal(means[given], covariances[given]).logpdf(X)
        np.testing.assert_allclose(found[:, code], expected, rtol=1e-13)
    for priors, expected in ((None, [0.5, 0.5]), ({"b": 0.9, "a": 0.1}, [0.1, 0.9])):
        given = GaussianClassifier.from_parameters(priors, [[1], [2]], [[1]], ["b", "a"])
        assert given.priors_.tolist() == expected
    shown = str(
        GaussianClassifier.from_parameters([0.2, 0.8], [[0.0], [8.0]], [[1.0]], ["well", "ill"])
    )
    assert shown.index("well") < shown.index("ill")  # as they were given


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"priors": [0.5, 0.6]}, "sum to 1"),
        ({"priors": [1.5, -0.5]}, r"prior of class 'b' is -0\.5"),
        ({"priors": [0.2, 0.3, 0.5]}, "2 priors are needed"),
        ({"priors": {"a": 0.5, "z": 0.5}}, "unknown to the model: 'z'"),
        ({"means": [1, 2]}, r"means must have shape \(classes, features\).*\(2,\)"),
        ({"means": [[1, 2]]}, r"at least two classes, got \(1, 2\)"),
        ({"classes": ["a"]}, "2 different labels"),
        ({"classes": ["a", "a"]}, "2 different labels"),
        ({"feature_names": ["x"]}, "2 features need as many names"),
        ({"covariances": None}, "give means and covariances"),
        ({"means": None, "covariances": None}, "give means and covariances"),
    ],
    ids=str,
)
def test_parameters_that_are_none(change: dict[str, Any], problem: str) -> None:
    GaussianClassifier.from_parameters(**GOOD)
    with pytest.raises((OptionError, DataError), match=problem):
        GaussianClassifier.from_parameters(**GOOD | change)


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
    likelihood = norm.logpdf(3.0, [5.0, 1.0], 2.0) + np.log([0.9 * 0.7, 0.2 * 0.4])
    np.testing.assert_allclose(model.scores(row).log_likelihood[0], likelihood[::-1], rtol=1e-12)
    joint = np.exp(likelihood) * [0.1, 0.9]
    np.testing.assert_allclose(model.predict_proba(row)[0], (joint / joint.sum())[::-1], rtol=1e-12)
    # The attribute has the form of the argument, with the classes sorted.
    found = model.category_probabilities_
    assert {name: list(table) for name, table in found.items()} == {
        name: list(table) for name, table in tables.items()
    } | {"test": ["negative", "positive"]}
    for name, table in tables.items():
        for category, p in table.items():
            np.testing.assert_allclose(found[name][category], p[::-1], rtol=1e-14)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"a": {"x": [0.5, 0.5], "y": [0.5, 0.4]}}, "'a' must .*sum to 1"),
        ({"a": {"x": [1.0, 1.0, 1.0]}}, "2 different labels|3 classes"),
        ({"a": {"x": 1.0}}, "at least two classes"),
        ({"a": {"x": [1, 1]}, "b": {"y": [1]}}, "each category of 'b'"),
    ],
    ids=str,
)
def test_category_probabilities_that_are_none(given: dict, problem: str) -> None:
    with pytest.raises((OptionError, DataError), match=problem):
        GaussianClassifier.from_parameters(None, classes=["p", "q"], category_probabilities=given)
