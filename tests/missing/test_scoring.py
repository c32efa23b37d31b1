"""Rows with missing features: scored by the model of those that are there, exactly."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.novelty import class_p_values
from gaussbayes.base.errors import DataError, NonFiniteError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.missing import scoring
from gaussbayes.families.gaussian.parameters import Parameters, Structure, estimate
from gaussbayes.families.gaussian.summarise import summarise
from tests.models import SCORES, STRUCTURES, six_models, trees
from tests.strategies import STRUCTURES as EVERY
from tests.strategies import name_of

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", EVERY, ids=name_of)

D, K = 4, 3
PATTERNS = np.array(list(product([False, True], repeat=D)))
FUNCTIONS: list[Callable[..., Any]] = [
    scores.posterior,
    scores.log_posterior,
    scores.joint,
    scores.log_joint,
    scores.likelihood,
    scores.log_likelihood,
    scores.evidence,
    scores.log_evidence,
    scores.mahalanobis,
    lambda model, X: scores.log_odds(model, X, 2, 0),
]


@pytest.fixture(params=["one by one", "by patterns"])
def _path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row factored by itself, or a marginal for every pattern."""
    least = 1 if request.param == "by patterns" else 1 << 40
    monkeypatch.setattr(scoring, "_rows_worth_a_marginal", lambda _: least)


def fitted(structure: Structure, d: int = D) -> Parameters:
    rng = np.random.default_rng(d)
    codes = np.arange(60 * K, dtype=np.int32) % K
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[codes]
    moments = summarise(X, codes, None, K, structure.layout)
    return estimate(moments, Schema(np.arange(K), d), structure, [0.5, 0.2, 0.3])


def every_pattern(dtype: Any = np.float64) -> FloatArray:
    """Three rows of each of the patterns, mixed."""
    seen = np.tile(PATTERNS, (3, 1))
    X = 2 * np.random.default_rng(5).normal(size=seen.shape)
    return np.where(seen, X, np.nan).astype(dtype)


@pytest.mark.usefixtures("_path")
@each_structure
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_are_those_of_the_marginal(structure: Structure, dtype: Any) -> None:
    model, X = fitted(structure), every_pattern(dtype)
    tolerance = 1e-12 if dtype == np.float64 else 2e-5
    for function in FUNCTIONS:
        found = function(model, X)
        assert found.dtype == dtype
        for seen in PATTERNS[1:]:
            rows = np.flatnonzero((~np.isnan(X) == seen).all(axis=1))
            columns = np.flatnonzero(seen)
            part = marginal(model, columns.tolist(), Schema(np.arange(K), columns.size))
            expected = function(part, X[np.ix_(rows, columns)])
            np.testing.assert_allclose(found[rows], expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(
        scores.labels(model, X), scores.log_posterior(model, X).argmax(axis=1)
    )


@pytest.mark.usefixtures("_path")
@each_structure
def test_densities_of_scipy(structure: Structure) -> None:
    model, X = fitted(structure), every_pattern()
    covariance = np.broadcast_to(model.covariance.dense(), (K, D, D))
    found, distance = scores.log_likelihood(model, X), scores.mahalanobis(model, X)
    p_values = class_p_values(model, X)
    for i, c in np.ndindex(X.shape[0], K):
        seen = np.flatnonzero(~np.isnan(X[i]))
        if not seen.size:
            assert (found[i, c], distance[i, c], p_values[i, c]) == (0.0, 0.0, 1.0)
            continue
        part = covariance[c][np.ix_(seen, seen)]
        truth = stats.multivariate_normal(model.mean[c, seen], part)
        np.testing.assert_allclose(found[i, c], truth.logpdf(X[i, seen]), rtol=1e-11)
        gap = (X[i] - model.mean[c])[seen]
        square = gap @ np.linalg.solve(part, gap)
        np.testing.assert_allclose(distance[i, c] ** 2, square, rtol=1e-11)
        np.testing.assert_allclose(p_values[i, c], stats.chi2(seen.size).sf(square), rtol=1e-9)


@each_structure
def test_rows_without_any_value_have_the_prior(structure: Structure) -> None:
    model, X = fitted(structure), np.full((5, D), np.nan)
    np.testing.assert_allclose(scores.posterior(model, X), np.tile(model.prior, (5, 1)), rtol=1e-15)
    np.testing.assert_array_equal(scores.log_joint(model, X), np.tile(model.log_prior, (5, 1)))
    np.testing.assert_allclose(scores.log_evidence(model, X), 0, atol=1e-15)
    assert scores.labels(model, X).tolist() == [0] * 5


@each_structure
def test_complete_rows_are_scored_as_if_alone(structure: Structure) -> None:
    model, X = fitted(structure), every_pattern()
    rows = np.flatnonzero(~np.isnan(X).any(axis=1))
    for function in FUNCTIONS:
        np.testing.assert_allclose(
            function(model, X)[rows], function(model, X[rows]), rtol=1e-14, atol=1e-14
        )


@each_structure
def test_blocks_and_threads_do_not_matter(structure: Structure) -> None:
    model = fitted(structure)
    some = every_pattern()
    X = np.tile(some, (1500, 1))  # 72,000 rows: several blocks, and patterns that are common
    for function in (scores.log_joint, scores.posterior, scores.labels):
        found = function(model, X, 2)
        np.testing.assert_array_equal(found, function(model, X, 1))
        expected = np.tile(function(model, some).T, 1500).T
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    alone = X.copy()
    alone[:-1] = 0.5
    found = scores.log_joint(model, alone, 2)
    np.testing.assert_array_equal(found[:-1], scores.log_joint(model, alone[:-1], 2))
    np.testing.assert_allclose(found[-1:], scores.log_joint(model, alone[-1:]), rtol=1e-13)


@each_structure
def test_strides_do_not_matter(structure: Structure) -> None:
    model, X = fitted(structure), every_pattern()
    wide = np.zeros((2 * X.shape[0], 2 * D))
    wide[::2, ::2] = X
    for function in FUNCTIONS:
        expected = function(model, X)
        for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1].copy()[::-1]):
            np.testing.assert_allclose(function(model, same), expected, rtol=1e-12, atol=1e-12)


@each_structure
def test_a_prior_of_zero(structure: Structure) -> None:
    model, X = fitted(structure).with_prior(np.array([0.0, 0.4, 0.6])), every_pattern()
    posterior = scores.posterior(model, X)
    np.testing.assert_array_equal(posterior[:, 0], 0)
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-14)
    assert (scores.labels(model, X) > 0).all()


@each_structure
def test_infinity_is_refused(structure: Structure) -> None:
    model, X = fitted(structure), every_pattern()
    X[30, 2], X[40, 0] = -np.inf, np.inf
    for function in FUNCTIONS:
        with pytest.raises(NonFiniteError, match=r"infinity in row 30, column 2 \(2 such values\)"):
            function(model, X)


@each_structure
def test_rows_too_far_away_are_refused(structure: Structure) -> None:
    model, X = fitted(structure), every_pattern()
    X[30] = [np.nan, 1e200, np.nan, -1e200]
    with pytest.raises(DataError, match="so far from every class"):
        scores.posterior(model, X)


@pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)
def test_the_estimator_is_its_marginal(covariance: Any, shared: bool) -> None:
    X, y = trees(n=60)
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    X[:, 1] = np.nan
    part = model.marginal([0, 2])
    for name in ("predict", *SCORES, "p_values"):
        found, expected = getattr(model, name)(X), getattr(part, name)(X[:, [0, 2]])
        if name == "predict":
            assert found.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        model.log_odds(X, "oak", "ash"), part.log_odds(X[:, [0, 2]], "oak", "ash"), atol=1e-12
    )
    ours, theirs = (
        one.negative_log_likelihood(rows, y).total
        for one, rows in ((model, X), (part, X[:, [0, 2]]))
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_the_p_value_of_the_evidence_is_that_of_complete_rows() -> None:
    X, y = trees()
    model = GaussianClassifier().fit(X, y)
    X[7, 1] = np.nan
    with pytest.raises(NonFiniteError, match="NaN in row 7, column 1"):
        model.evidence_p_values(X)


@pytest.mark.parametrize(
    "table",
    [
        [[1.0, None], [None, 0.5], [2.0, 1.0]],
        pd.DataFrame({"a": [1.0, None, 2.0], "b": [np.nan, 0.5, 1.0]}),
        pd.DataFrame({"a": [1, None, 2], "b": [None, 0.5, 1.0]}, dtype=object),
        pd.DataFrame({"a": pd.array([1, None, 2], dtype="Int64"), "b": [np.nan, 0.5, 1.0]}),
        pl.DataFrame({"a": [1, None, 2], "b": [None, 0.5, 1.0]}),
        pa.table({"a": [1, None, 2], "b": [None, 0.5, 1.0]}),
    ],
    ids=["list", "pandas", "objects", "nullable", "polars", "arrow"],
)
def test_missing_values_of_tables(table: Any) -> None:
    X, y = trees(n=30, d=2)
    X = X[:, :2]
    for model in six_models():
        model.fit(X if isinstance(table, list) else pd.DataFrame(X, columns=["a", "b"]), y)
        found = model.predict_proba(table)
        plain = GaussianClassifier(model.covariance, shared=model.shared).fit(X, y)
        expected = plain.predict_proba(np.array([[1, np.nan], [np.nan, 0.5], [2, 1]]))
        np.testing.assert_array_equal(found, expected)
