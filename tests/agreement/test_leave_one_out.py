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
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.statistics import Learnt
from tests.designs import all_pairs
from tests.scored import estimate, log_likelihood, log_posterior
from tests.strategies import MIXTURES, STRUCTURES, name_of

SHRINKAGES = [None, 0.3, "oas"]
GAUSSIANS = [
    *product(["mle", "unbiased"], SHRINKAGES, ["diagonal"]),
    *product(["mle", "unbiased"], SHRINKAGES[1:], ["spherical"]),
]


def left_out(
    X: FloatArray,
    codes: CodeArray,
    structure: Structure,
    shrinkages: list[Any],
    weights: FloatArray | None = None,
    priors: Any = None,
    divisor: Any = "mle",
    target: Any = "diagonal",
) -> list[Any]:
    """Log posteriors of each row by the model of the others, for each shrinkage."""
    k, d = int(codes.max()) + 1, X.shape[1]
    schema, targets = Schema(np.arange(k), d), Targets(codes, k, weights)
    families = [Gaussian(structure, divisor, shrinkage, target=target) for shrinkage in shrinkages]
    statistics = families[0].observe(number_rows(X), targets, schema)
    learnt = Learnt(np.arange(k), (statistics,), None)
    path = [Settings((Component(family, tuple(range(d))),), priors) for family in families]
    data = held_out_rows(
        LabelledRows(number_rows(X), targets, np.arange(k)), learnt, schema, path[0]
    )
    return hold_out(data, path, exact=True)[0]


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


def same_in_other_units(name: str, structure: Structure, gaussian: tuple[Any, ...]) -> bool:
    """In other units the sphere is something else, and rightly gives another model."""
    return name != "iris, other units" or "spherical" not in (structure.covariance, gaussian[2])


@pytest.mark.parametrize(
    ("name", "structure", "gaussian"),
    all_pairs(
        ["iris", "wine", "random, weighted", "iris, other units"],
        [*STRUCTURES, *MIXTURES],
        GAUSSIANS,
        where=same_in_other_units,
    ),
    ids=lambda value: name_of(value) if isinstance(value, Structure) else str(value),
)
def test_equal_to_fitting_without_each_row(
    name: str, structure: Structure, gaussian: tuple[Any, Any, Any]
) -> None:
    """To 1e-10 in every log posterior, whatever the divisor, the shrinkage and the priors."""
    X, codes, weights = table(name)
    k = int(codes.max()) + 1
    schema = Schema(np.arange(k), X.shape[1])
    uneven = np.arange(1, k + 1) / (k * (k + 1) / 2)
    others = without(name, structure.shape.layout)
    shares = np.array([moments.weight / moments.weight.sum() for moments in others])
    divisor, shrinkage, target = gaussian
    # The Gaussians without a row are the same whatever the priors, which are added here.
    density = np.array(
        [
            log_likelihood(
                estimate(moments, schema, structure, None, divisor, shrinkage, target),
                X[row : row + 1],
            )[0]
            for row, moments in enumerate(others)
        ]
    )
    for given, prior in ((None, shares), ("uniform", np.full(k, 1 / k)), (uneven, uneven)):
        (found,) = left_out(X, codes, structure, [shrinkage], weights, given, divisor, target)
        joint = np.log(prior) + density
        expected = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
        assert np.abs(found - expected).max() <= 1e-10


@pytest.mark.parametrize("shared", [False, True])
def test_equal_to_scipy_without_each_row(shared: bool) -> None:
    """Nothing of ours on the other side: scikit-learn's shrinkage, scipy's density."""
    X, y = load_iris(return_X_y=True)
    structure = Structure("full", float(shared))
    codes = y.astype(np.int32)
    (found,) = left_out(X, codes, structure, [0.2], divisor="unbiased", target="spherical")
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
LDA, QDA, NAIVE = Structure("full", 1.0), Structure(), Structure("diagonal")
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
    (found,) = left_out(X, y.astype(np.int32), structure, [None], divisor=divisor)
    assert int((found.argmax(axis=1) != y).sum()) == errors


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@pytest.mark.parametrize("target", ["diagonal", "spherical"])
def test_a_condition_number_of_2e12(structure: Structure, target: str) -> None:
    """No NaN, and every 20th row as fitted without it, to 1e-10 of its log posterior."""
    X, y = load_breast_cancer(return_X_y=True)
    codes, schema = y.astype(np.int32), Schema(np.arange(2), 30)
    shrinkages = [None, 1e-9, 1e-6, 0.3, "oas"]
    if structure.between and structure.covariance == "full":
        shrinkages.pop()  # which has no closed form
    path = left_out(X, codes, structure, shrinkages, target=target)
    for shrinkage, found in zip(shrinkages, path, strict=True):
        assert isinstance(found, np.ndarray)
        assert np.isfinite(found).all()
        assert np.abs(np.exp(found).sum(axis=1) - 1.0).max() <= 1e-15 * 2
        for row in range(0, 569, 20):
            others = np.arange(569) != row
            moments = summarise(X[others], codes[others], None, 2)
            model = estimate(moments, schema, structure, None, "mle", shrinkage, target)
            expected = log_posterior(model, X[row : row + 1])[0]
            assert np.allclose(found[row], expected, rtol=1e-10, atol=1e-10)


@cache
def large_table() -> tuple[FloatArray, CodeArray, dict[int, ClassMoments]]:
    """Rows sorted by class, the last of which is rare, and the moments without some of them."""
    rng = np.random.default_rng(11)
    codes = np.repeat(np.arange(3), [40_000, 26_000, 50]).astype(np.int32)
    X = rng.normal(size=(codes.size, 3)) + rng.normal(size=(3, 3))[codes]
    rows = (0, 39_999, 40_000, 66_049)
    without = {row: summarise(np.delete(X, row, 0), np.delete(codes, row), None, 3) for row in rows}
    return X, codes, without


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@pytest.mark.parametrize("target", ["diagonal", "spherical"])
def test_large_tables_sorted_by_class_or_with_a_rare_class(
    structure: Structure, target: str
) -> None:
    """Rows go through in blocks, once n·d·k is above 524,000: of some classes a block has none."""
    X, codes, without = large_table()
    shrinkages = (
        [None, 0.3] if structure.between and structure.covariance == "full" else [0.3, "oas"]
    )
    path = left_out(X, codes, structure, shrinkages, target=target)
    for shrinkage, found in zip(shrinkages, path, strict=True):
        assert np.isfinite(found).all()
        for row, moments in without.items():
            names = Schema(np.arange(3), 3)
            model = estimate(moments, names, structure, None, "mle", shrinkage, target)
            expected = log_posterior(model, X[row : row + 1])[0]
            assert np.abs(found[row] - expected).max() <= 1e-10
