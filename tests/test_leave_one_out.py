"""Rows left out in closed form: one by one the things that may go wrong with a row taken away."""

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
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_it_is_refitting(structure: Structure, shrinkage: Any) -> None:
    data = rows()
    settings = chosen(structure.covariance, structure.sharing, shrinkage=shrinkage)
    assert_close(told_by(data, settings), refitted(data, settings))


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


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
def test_a_row_of_weight_0_is_predicted_by_the_model_of_all(structure: Structure) -> None:
    weights = np.ones(60)
    weights[[5, 30]] = 0.0
    data = rows(weights=weights)
    settings = chosen(structure.covariance, structure.sharing)
    model = settings.estimate(data.summarise(), data.schema)
    assert_close(told_by(data, settings)[[5, 30]], log_posterior(model, data.X[[5, 30]]))


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


@pytest.mark.parametrize("structure", MIXTURES, ids=name_of)
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
@pytest.mark.parametrize("weighted", [False, True])
def test_mixtures_are_not_refitted(
    structure: Structure, divisor: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(3).integers(0, 4, 60) / 2 if weighted else None
    data = rows(weights=weights)
    for shrinkage in (None, 0.3):
        settings = chosen(
            structure.covariance, structure.sharing, [0.5, 0.1, 0.4], divisor, shrinkage
        )
        expected = refitted(data, settings)
        with monkeypatch.context() as patched:
            patched.setattr(left_out, "log_posterior_without", None)  # calling it would fail
            assert_close(told_by(data, settings), expected)


def test_a_mixture_of_a_class_of_fewer_rows_than_features() -> None:
    data = rows(d=4, k=3, codes=np.repeat([0, 1, 2], [3, 20, 20]))
    for shrinkage in (None, 0.2):
        settings = chosen(shared=0.4, shrinkage=shrinkage)
        assert_close(told_by(data, settings), refitted(data, settings), 1e-10)


def test_where_a_mixture_has_to_be_refitted(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, many = (
        Structure(toward_shared=0.5),
        np.linspace(1.0, 2.0, toward_shared.MOST_WEIGHTS + 1),
    )
    assert toward_shared.has_closed_form(drawn, 0.1, many[1:])
    assert not toward_shared.has_closed_form(drawn, 0.1, many)
    assert not toward_shared.has_closed_form(drawn, "oas", None)
    assert toward_shared.has_closed_form(Structure("diagonal", toward_shared=0.5), "oas", many)
    data = rows(weights=np.random.default_rng(1).integers(1, 4, 60).astype(float))
    settings = chosen(shared=0.5, shrinkage=0.1)
    closed = told_by(data, settings)
    monkeypatch.setattr(toward_shared, "MOST_WEIGHTS", 2)
    assert_close(told_by(data, settings), closed)


@pytest.mark.parametrize("structure", [Structure(), Structure(shared=True)], ids=name_of)
def test_a_path_is_one_value_after_the_other(structure: Structure) -> None:
    data = rows()
    settings = chosen(structure.covariance, structure.sharing)
    moments = data.summarise()
    path = shrinkage_path(
        data.X, data.codes, None, moments, data.schema, settings, ["oas", None, 0.3, 1.0]
    )
    for shrinkage, told in zip(["oas", None, 0.3, 1.0], path, strict=True):
        own = chosen(structure.covariance, structure.sharing, shrinkage=shrinkage)
        assert isinstance(told, np.ndarray)
        assert_close(told, told_by(data, own), 1e-13)


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


def test_float32_rows_are_computed_with_in_float64() -> None:
    data = rows()
    rounded = Rows(data.X.astype(np.float32), data.codes, None, 3)  # type: ignore[arg-type]
    exact = Rows(rounded.X.astype(np.float64), data.codes, None, 3)
    found = told_by(rounded, chosen())
    assert found.dtype == np.float64
    assert_close(found, told_by(exact, chosen()), 1e-13)


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_an_offset_of_all_rows_costs_nothing(structure: Structure, shrinkage: Any) -> None:
    data = rows()
    grid = np.round(data.X * 2**10) / 2**10  # so that adding 2³⁰ is exact
    settings = chosen(structure.covariance, structure.sharing, shrinkage=shrinkage)
    near = told_by(Rows(grid, data.codes, None, 3), settings)
    far = told_by(Rows(grid + 2.0**30, data.codes, None, 3), settings)
    assert_close(far, near, 1e-12)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("factor", [2.0**-300, 2.0**300])
@pytest.mark.parametrize("shrinkage", [None, 0.3, "oas"])
def test_the_unit_of_all_features_does_not_matter(
    shared: bool, factor: float, shrinkage: Any
) -> None:
    data = rows()
    scaled = Rows(data.X * factor, data.codes, None, 3)
    settings = chosen(shared=shared, shrinkage=shrinkage)
    assert_close(told_by(scaled, settings), told_by(data, settings), 1e-12)


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


@pytest.mark.parametrize("shrinkage", [None, 0.4, "oas"])
def test_the_scatter_without_a_row_is_diagonal_but_for_one_product(shrinkage: Any) -> None:
    data = rows(k=1)
    moments = data.summarise()
    removal = remove(np.zeros(60, np.intp), np.ones(60), moments.weight)
    frame = principal(moments, Structure(), data.schema)
    assert frame.basis is not None
    turned = frame.turn(data.X - moments.mean[0], 0)
    rest = left(frame.spread[0], turned, removal.factor, removal.weight, shrinkage, full=True)
    back = np.linalg.inv(frame.basis[0])
    for row in (0, 17):
        others = moments_without(data.X, data.codes, None, row, 1, "full")
        expected = shrink(others.scatter, shrinkage, others.weight)[0]
        outer = rest.pull[row] * np.multiply.outer(turned[row], turned[row])
        found = back.T @ (np.diag(rest.spread[row]) - outer) @ back
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_the_axes_of_a_scatter_without_full_rank() -> None:
    data = rows(n=4, d=6, k=1)
    moments = data.summarise()
    frame = principal(moments, Structure(), data.schema)
    assert np.sort(frame.spread[0])[:3].max() < 1e-12
    assert (frame.spread >= 0).all()
