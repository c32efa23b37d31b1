"""Rows left out: priors, refits and errors (to be asked of `model.left_out`)."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, GaussBayesError, PriorError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.leave_one_out import (
    leave_one_out,
    left_out,
    shrinkage_path,
    toward_shared,
)
from gaussbayes.families.gaussian.leave_one_out.frame import principal
from gaussbayes.families.gaussian.leave_one_out.refit import moments_without
from gaussbayes.families.removal import remove
from gaussbayes.families.gaussian.leave_one_out.spread import left
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.scores import log_posterior
from gaussbayes.families.gaussian.shrinkage import shrink
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.settings import Settings, check_settings
from tests.strategies import MIXTURES, STRUCTURES, Rows, name_of

SHRINKAGES = [None, 0.0, 1e-6, 0.3, 1.0, "oas"]


def rows(
    n: int = 60, d: int = 3, k: int = 3, weights: Any = None, seed: int = 0, codes: Any = None
) -> Rows:
    """Rows of overlapping classes with correlated features."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n, dtype=np.int32) % k if codes is None else np.asarray(codes, np.int32)
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[codes]
    return Rows(X, codes, weights, k)


def chosen(
    covariance: str = "full",
    shared: bool | float = False,
    priors: Any = None,
    divisor: str = "mle",
    shrinkage: Any = None,
) -> Settings:
    return check_settings(covariance, shared, priors, divisor, shrinkage)


def told_by(data: Rows, settings: Settings, n_jobs: int | None = None) -> Any:
    moments = data.summarise()
    return leave_one_out(
        data.X, data.codes, data.weights, moments, data.schema, settings, n_jobs=n_jobs
    )


def refitted(data: Rows, settings: Settings) -> Any:
    """Log posteriors by as many fits as there are rows; no class may lose its last row."""
    told = []
    for row in range(data.codes.size):
        others = data.taken(np.arange(data.codes.size) != row)
        model = settings.estimate(others.summarise(), data.schema)
        told.append(log_posterior(model, data.X[row : row + 1])[0])
    return np.stack(told)


def assert_close(found: Any, expected: Any, tolerance: float = 1e-11) -> None:
    assert np.array_equal(np.isneginf(found), np.isneginf(expected))
    there = ~np.isneginf(expected)
    gap = np.abs(found[there] - expected[there]) / np.maximum(1.0, np.abs(expected[there]))
    assert gap.max() <= tolerance


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_a_row_far_from_all_others_leaves_no_trace(structure: Structure, shrinkage: Any) -> None:
    data = rows()
    data.X[7, 0] = 1e5  # its square is all but 1e-10 of its class's sum of squares
    settings = chosen(structure.covariance, structure.sharing, shrinkage=shrinkage)
    assert_close(told_by(data, settings), refitted(data, settings), 1e-10)


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
def test_a_row_that_outweighs_all_others(structure: Structure) -> None:
    weights = np.ones(60)
    weights[4] = 1e12
    data = rows(weights=weights)
    settings = chosen(structure.covariance, structure.sharing, shrinkage=0.1)
    assert_close(told_by(data, settings)[4], refitted(data, settings)[4])


@pytest.mark.parametrize("priors", [None, "uniform", [0.5, 0.1, 0.4], {0: 0.5, 1: 0.1, 2: 0.4}])
def test_a_class_without_its_only_row_is_impossible(priors: Any) -> None:
    codes = np.arange(40) % 2
    codes[11] = 2
    data = rows(k=3, codes=codes)
    told = told_by(data, chosen(shared=True, priors=priors))
    assert np.flatnonzero(np.isneginf(told).any(axis=1)).tolist() == [11]
    # The model of the two classes that are left: of given priors 0.5 and 0.1 remain.
    others = data.taken(codes != 2)
    two = summarise(others.X, others.codes, None, 2)
    left_priors = [5 / 6, 1 / 6] if priors not in (None, "uniform") else priors
    model = chosen(shared=True, priors=left_priors).estimate(two, Schema(np.arange(2), 3))
    assert told[11, 2] == -np.inf
    assert_close(told[11, :2], log_posterior(model, data.X[11:12])[0])


def test_a_class_with_all_of_the_prior_and_one_row() -> None:
    data = rows(codes=[*np.arange(20) % 2, 2])
    with pytest.raises(
        PriorError, match="without row 21 of 21 .* only class 2 has a prior above 0"
    ):
        told_by(data, chosen(shared=True, priors=[0.0, 0.0, 1.0]))


def test_one_class_left_is_no_classifier() -> None:
    data = rows(k=2, codes=[*np.zeros(20, int), 1])
    with pytest.raises(DataError, match="without row 21 of 21 .* at least two classes"):
        told_by(data, chosen(shared=True))


def test_a_covariance_that_is_singular_without_a_row() -> None:
    codes = np.repeat([0, 1], [4, 20])  # class 0 has d + 1 rows
    data = rows(k=2, codes=codes)
    with pytest.raises(SingularCovarianceError) as caught:
        told_by(data, chosen())
    message = str(caught.value)
    assert message.startswith("without row 1 of 24 the model cannot be fitted: class 0 has 3 rows")
    assert "Ways out: give shrinkage" in message
    assert told_by(data, chosen(shrinkage=0.1)).shape == (24, 2)
    assert told_by(data, chosen(shared=True)).shape == (24, 2)


def test_a_feature_that_is_constant_without_a_row() -> None:
    data = rows(k=2)
    data.X[:, 1] = 0.0
    data.X[[0, 1, 3], 1] = [1.0, 1.0, 2.0]  # class 0 varies by row 0 alone
    for covariance in ("full", "diagonal"):
        with pytest.raises(
            SingularCovarianceError, match="without row 1 of 60 .* class 0 does not"
        ):
            told_by(data, chosen(covariance))


def test_no_degree_of_freedom_is_left() -> None:
    data = rows(d=1, k=2, codes=[0, 0, *np.ones(20, int)])
    with pytest.raises(DataError, match="without row 1 of 22 .* divides by 0"):
        told_by(data, chosen("spherical", divisor="unbiased"))


def test_what_cannot_be_fitted_to_all_rows_is_refused_as_a_fit_refuses_it() -> None:
    data = rows()
    data.X[:, 2] = data.X[:, 1]
    with pytest.raises(SingularCovarianceError, match="^class 0 has collinear features"):
        told_by(data, chosen())
    with pytest.raises(PriorError, match="3 classes"):
        told_by(data, chosen("diagonal", priors=[0.5, 0.5]))


def test_a_path_says_which_values_cannot_be_fitted() -> None:
    data = rows(k=2, codes=np.repeat([0, 1], [4, 20]))
    moments = data.summarise()
    path = shrinkage_path(
        data.X, data.codes, None, moments, data.schema, chosen(), [None, 0.2, 0.0]
    )
    assert [isinstance(told, GaussBayesError) for told in path] == [True, False, True]


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
def test_threads_and_blocks_do_not_matter(
    structure: Structure, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rows(n=500)
    settings = chosen(structure.covariance, structure.sharing, shrinkage="oas")
    whole = told_by(data, settings, n_jobs=1)
    monkeypatch.setattr(left_out, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(left_out, "_WORTH_A_THREAD", 1)
    in_blocks = told_by(data, settings, n_jobs=1)
    assert_close(in_blocks, whole, 1e-13)  # products of other sizes may round in another way
    assert np.array_equal(told_by(data, settings, n_jobs=3), in_blocks)


def test_log_posteriors_near_0_keep_their_digits() -> None:
    data = rows(k=2)
    data.X[data.codes == 1] += 30.0
    settings = chosen(shared=True)
    found, expected = told_by(data, settings), refitted(data, settings)
    assert np.abs(expected.max(axis=1)).max() < 1e-15
    assert np.allclose(found.max(axis=1), expected.max(axis=1), rtol=1e-9, atol=0.0)


def test_other_rows_than_those_of_the_moments_are_refused() -> None:
    data = rows()
    moments = data.summarise()
    with pytest.raises(DataError, match="weight 20 of class 0, the rows given have 19"):
        leave_one_out(data.X[1:], data.codes[1:], None, moments, data.schema, chosen())
    with pytest.raises(DataError, match=r"go with rows \(60, 3\), got \(60, 2\)"):
        leave_one_out(data.X[:, :2], data.codes, None, moments, data.schema, chosen())
