"""Rows left out in closed form against as many fits as there are rows, on tables that are known."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import shrunk_covariance
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.leave_one_out import leave_one_out, shrinkage_path
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.scores import log_likelihood, log_posterior
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.settings import Settings
from tests.strategies import MIXTURES, STRUCTURES, name_of

SHRINKAGES = [None, 0.3, "oas"]
GAUSSIANS = list(product(["mle", "unbiased"], SHRINKAGES))


@cache
def table(name: str) -> tuple[FloatArray, CodeArray, FloatArray | None]:
    """Rows, class numbers and weights."""
    rng = np.random.default_rng(5)
    if name == "iris, other units":
        X, y = load_iris(return_X_y=True)
        return X * np.array([1e8, 1e-8, 1.0, 1e4]), y.astype(np.int32), None
    if name == "random, weighted":
        codes = np.repeat(np.arange(4), [12, 20, 30, 9]).astype(np.int32)
        X = rng.normal(size=(71, 5)) @ rng.normal(size=(5, 5)) + rng.normal(size=(4, 5))[codes]
        return X, codes, rng.uniform(0.2, 3.0, 71)
    X, y = {"iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    return X, y.astype(np.int32), None


@cache
def without(name: str, layout: ScatterLayout) -> list[ClassMoments]:
    """The moments of all rows but one, for each row."""
    X, codes, weights = table(name)
    found = []
    for row in range(codes.size):
        others = np.arange(codes.size) != row
        own = None if weights is None else weights[others]
        found.append(summarise(X[others], codes[others], own, int(codes.max()) + 1, layout))
    return found


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@pytest.mark.parametrize("name", ["iris", "wine", "random, weighted", "iris, other units"])
def test_equal_to_fitting_without_each_row(name: str, structure: Structure) -> None:
    """To 1e-10 in every log posterior, whatever the divisor, the shrinkage and the priors."""
    X, codes, weights = table(name)
    k = int(codes.max()) + 1
    schema, moments = Schema(np.arange(k), X.shape[1]), summarise(X, codes, weights, k)
    uneven = np.arange(1, k + 1) / (k * (k + 1) / 2)
    others = without(name, structure.layout)
    shares = np.array([one.weight / one.weight.sum() for one in others])
    priors = {None: shares, "uniform": np.full(k, 1 / k), "given": uneven}
    for divisor, shrinkage in GAUSSIANS:
        # In other units shrinkage is towards something else, and rightly gives another model.
        if name == "iris, other units" and (shrinkage or structure.covariance == "spherical"):
            continue
        # The Gaussians without a row are the same whatever the priors, which are added here.
        settings = Settings(structure, "uniform", divisor, shrinkage)
        density = np.array(
            [
                log_likelihood(settings.estimate(one, schema), X[row : row + 1])[0]
                for row, one in enumerate(others)
            ]
        )
        for kind, prior in priors.items():
            settings = Settings(structure, uneven if kind == "given" else kind, divisor, shrinkage)
            found = leave_one_out(X, codes, weights, moments, schema, settings)
            joint = np.log(prior) + density
            expected = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
            assert np.abs(found - expected).max() <= 1e-10


@pytest.mark.parametrize("shared", [False, True])
def test_equal_to_scipy_without_each_row(shared: bool) -> None:
    """Nothing of ours on the other side: scikit-learn's shrinkage, scipy's density."""
    X, y = load_iris(return_X_y=True)
    codes, schema = y.astype(np.int32), Schema(np.arange(3), 4)
    settings = Settings(Structure("full", shared), None, "unbiased", 0.2)
    found = leave_one_out(X, codes, None, summarise(X, codes, None, 3), schema, settings)
    for row in range(0, 150, 7):
        others = np.arange(150) != row
        parts = [X[others & (y == c)] for c in range(3)]
        covariances = [np.cov(part.T) for part in parts]
        if shared:
            sizes = np.array([len(part) - 1 for part in parts])
            covariances = [np.average(covariances, axis=0, weights=sizes)] * 3
        joint = np.array(
            [
                np.log(len(part) / 149)
                + multivariate_normal.logpdf(X[row], part.mean(axis=0), shrunk_covariance(own, 0.2))
                for part, own in zip(parts, covariances, strict=True)
            ]
        )
        expected = joint - np.logaddexp.reduce(joint)
        assert np.abs(found[row] - expected).max() <= 1e-10


# Errors counted with other programs, fitting without each row in turn; priors included.
LDA, QDA, NAIVE = Structure(shared=True), Structure(), Structure("diagonal")
COUNTS: list[tuple[Any, Structure, Any, int]] = [
    (load_iris, LDA, "unbiased", 3),
    (load_iris, QDA, "unbiased", 4),
    (load_iris, NAIVE, "unbiased", 7),
    (load_wine, LDA, "unbiased", 2),
    (load_wine, QDA, "unbiased", 1),
    (load_wine, NAIVE, "unbiased", 5),
    (load_wine, NAIVE, "mle", 4),
    (load_breast_cancer, LDA, "unbiased", 24),
    (load_breast_cancer, QDA, "unbiased", 25),
    (load_breast_cancer, NAIVE, "unbiased", 38),
]


@pytest.mark.parametrize(("load", "structure", "divisor", "errors"), COUNTS)
def test_error_counts(load: Any, structure: Structure, divisor: Any, errors: int) -> None:
    X, y = load(return_X_y=True)
    codes, k = y.astype(np.int32), int(y.max()) + 1
    settings = Settings(structure, None, divisor, None)
    moments, schema = summarise(X, codes, None, k), Schema(np.arange(k), X.shape[1])
    told = leave_one_out(X, codes, None, moments, schema, settings)
    assert int((told.argmax(axis=1) != y).sum()) == errors


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
def test_a_condition_number_of_2e12(structure: Structure) -> None:
    """No NaN, and every 20th row as fitted without it, to 1e-10 of its log posterior."""
    X, y = load_breast_cancer(return_X_y=True)
    codes, schema = y.astype(np.int32), Schema(np.arange(2), 30)
    shrinkages = [None, 1e-9, 1e-6, 0.3, "oas"]
    settings = Settings(structure, None, "mle", None)
    moments = summarise(X, codes, None, 2)
    path = shrinkage_path(X, codes, None, moments, schema, settings, shrinkages)
    for shrinkage, told in zip(shrinkages, path, strict=True):
        assert isinstance(told, np.ndarray)
        assert np.isfinite(told).all()
        assert np.abs(np.exp(told).sum(axis=1) - 1.0).max() <= 1e-15 * 2
        for row in range(0, 569, 20):
            others = np.arange(569) != row
            without_row = summarise(X[others], codes[others], None, 2)
            model = Settings(structure, None, "mle", shrinkage).estimate(without_row, schema)
            expected = log_posterior(model, X[row : row + 1])[0]
            assert np.allclose(told[row], expected, rtol=1e-10, atol=1e-10)
