"""Labelled rows with missing values: closed forms, EM, its record, and errors.

Exact answers and direct maximisation are in `tests/agreement/test_missing_values.py`.
"""

from typing import Any

import numpy as np
import pytest

from gaussbayes.base.anderson import Goal
from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian import Gaussian, GaussianStatistics, Structure
from gaussbayes.families.gaussian.cells import feature_moments, observe
from gaussbayes.families.gaussian.density import maximum
from gaussbayes.families.gaussian.missing_values import ROUGH, complete, suppose
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.families.protocol import Fit
from tests.strategies import LAYOUTS, STRUCTURES, name_of

UNCORRELATED = [one for one in STRUCTURES if one.covariance != "full"]
FULL = [one for one in STRUCTURES if one.covariance == "full"]
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


def names_of(k: int, d: int) -> Schema:
    return Schema(np.array(list("abcdef")[:k]), d, tuple(f"x{j}" for j in range(d)))


def fit(
    X: FloatArray,
    codes: CodeArray,
    structure: Structure,
    weights: FloatArray | None = None,
    shrinkage: Any = None,
    layout: Any = None,
    target: Any = "diagonal",
) -> Fit:
    k, d = int(codes.max()) + 1, X.shape[1]
    family = Gaussian(structure, "mle", shrinkage, target=target)
    statistics = observe(X, codes, weights, k, layout or family.layout(k, d))
    return family.estimate(statistics, names_of(k, d))


def drawn(
    seed: int = 0, n: int = 60, d: int = 3, k: int = 2, missing: float = 0.3
) -> tuple[FloatArray, CodeArray]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n, dtype=np.int32) % k
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * codes[:, None]
    X[rng.random((n, d)) < missing] = np.nan
    return X, codes


# Closed forms


def test_diagonal_and_spherical_have_closed_forms() -> None:
    X, codes = drawn()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, X.shape[0])
    share = np.where(np.isnan(X), 0.0, weights[:, None])
    means = np.array(
        [np.nansum(share[codes == c] * X[codes == c], 0) / share[codes == c].sum(0) for c in (0, 1)]
    )
    squares = share * np.nan_to_num(X - means[codes]) ** 2
    own = [codes == 0, codes == 1]
    expected = {
        "own-diagonal": np.array([squares[o].sum(0) / share[o].sum(0) for o in own]),
        "shared-diagonal": (squares.sum(0) / share.sum(0))[None],
        "own-spherical": np.array([squares[o].sum() / share[o].sum() for o in own]),
        "shared-spherical": np.array([squares.sum() / share.sum()]),
    }
    for structure in UNCORRELATED:
        found = fit(X, codes, structure, weights)
        assert found.convergence is not None
        assert found.convergence.n_iterations == 0
        assert found.convergence.converged
        np.testing.assert_allclose(found.density.mean, means, rtol=1e-12)
        values = found.density.covariance.values
        np.testing.assert_allclose(values, expected[name_of(structure)], rtol=1e-12)


def test_without_correlations_full_and_diagonal_agree() -> None:
    # Two features that no row has together: nothing says that they are correlated.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    X[np.arange(40), np.arange(40) // 2 % 2] = np.nan
    codes = np.arange(40, dtype=np.int32) % 2
    for sharing in (0.0, 1.0):
        full = fit(X, codes, Structure("full", sharing))
        diagonal = fit(X, codes, Structure("diagonal", sharing))
        np.testing.assert_allclose(full.density.mean, diagonal.density.mean, rtol=1e-10)
        variances = full.density.covariance.variance
        np.testing.assert_allclose(variances, diagonal.density.covariance.variance, rtol=1e-9)
        record = diagonal.convergence.log_likelihood[-1]
        assert full.convergence.log_likelihood[-1] == pytest.approx(record, rel=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_moments_of_the_rows_that_have_a_feature(layout: Any) -> None:
    X, codes = drawn(7, 200)
    weights = np.random.default_rng(8).uniform(0.5, 2.0, 200)
    found = feature_moments(observe(X, codes, weights, 2, layout))
    share = np.where(np.isnan(X), 0.0, weights[:, None])
    squares = np.zeros((2, 3))
    for c in range(2):
        own = codes == c
        mean = np.nansum(share[own] * X[own], axis=0) / share[own].sum(axis=0)
        squares[c] = np.nansum(share[own] * (X[own] - mean) ** 2, axis=0)
        np.testing.assert_allclose(found.weight[c], share[own].sum(axis=0), rtol=1e-13)
        np.testing.assert_allclose(found.anchor[c] + found.offset[c], mean, rtol=1e-12)
    # A scatter that is summed over the classes is that of none in particular.
    np.testing.assert_allclose(found.scatter.sum(axis=0), squares.sum(axis=0), rtol=1e-12)
    if layout != "pooled":
        np.testing.assert_allclose(found.scatter, squares, rtol=1e-12)
    mean = np.nansum(share * X, axis=0) / share.sum(axis=0)
    together = found.together().scatter[0]
    np.testing.assert_allclose(together, np.nansum(share * (X - mean) ** 2, axis=0), rtol=1e-12)


# Statistics say all that rows do


@pytest.mark.parametrize("weighted", [False, True])
@each_structure
def test_layouts_and_grouping_do_not_matter(structure: Structure, weighted: bool) -> None:
    rng = np.random.default_rng(9)
    X, codes = drawn(9, 240, missing=0.25)
    X = X * 10.0 ** (np.arange(3) * 2 - 2) + 100.0
    X[:3] = np.nan
    weights = rng.random(240) + 0.1 if weighted else None
    family = Gaussian(structure)
    whole = fit(X, codes, structure, weights)
    assert whole.convergence is not None
    assert whole.convergence.converged
    parts = [slice(0, 50), slice(50, None)]
    sums = [
        observe(X[p], codes[p], None if weights is None else weights[p], 2, "full") for p in parts
    ]
    names = names_of(2, 3)
    others = [family.estimate(sums[0] + sums[1], names)]
    if structure.shared and structure.covariance == "full":
        others.append(fit(X, codes, structure, weights, layout="pooled"))
    unit = whole.density.deviation
    scale = unit[:, :, None] * unit[:, None, :]
    for other in others:
        mean = (other.density.mean - whole.density.mean) / unit
        np.testing.assert_allclose(mean, 0.0, rtol=0, atol=1e-9)
        apart = other.density.covariance.dense() - whole.density.covariance.dense()
        np.testing.assert_allclose(apart / scale, 0.0, rtol=0, atol=1e-9)
        record = whole.convergence.log_likelihood[-1]
        assert other.convergence.log_likelihood[-1] == pytest.approx(record, rel=1e-10)


@each_structure
def test_rows_without_any_value_count_for_the_weight_alone(structure: Structure) -> None:
    X, codes = drawn(4)
    X[np.isnan(X).all(axis=1)] = 0.0
    more = np.vstack([X, np.full((5, 3), np.nan)])
    more_codes = np.concatenate([codes, [0, 0, 0, 1, 1]]).astype(np.int32)
    names = names_of(2, 3)
    before, after = (
        complete(observe(rows, labels, None, 2, "full"), structure, names)[0].moments
        for rows, labels in ((X, codes), (more, more_codes))
    )
    np.testing.assert_allclose(after.weight - before.weight, [3, 2], rtol=1e-12)
    np.testing.assert_allclose(after.mean, before.mean, rtol=1e-9)
    shapes = [maximum(moments, names, structure).covariance for moments in (before, after)]
    np.testing.assert_allclose(shapes[1].values, shapes[0].values, rtol=1e-9, atol=1e-12)


def test_complete_rows_give_the_ordinary_moments() -> None:
    X, codes = drawn(23, missing=0.0)
    for structure in STRUCTURES:
        layout = structure.shape.layout
        statistics = GaussianStatistics(summarise(X, codes, None, 2, layout))
        found, record = complete(statistics, structure, names_of(2, 3))
        assert record.converged
        np.testing.assert_allclose(found.moments.mean, statistics.moments.mean, rtol=1e-14)
        np.testing.assert_allclose(found.moments.scatter, statistics.moments.scatter, rtol=1e-12)


def test_between_own_and_shared_own_ones_are_maximised_then_mixed() -> None:
    X, codes = drawn(25)
    own = fit(X, codes, Structure("full"))
    expected = complete(observe(X, codes, None, 2, "full"), Structure("full"), names_of(2, 3))[0]
    pooled = maximum(expected.moments, names_of(2, 3), Structure("full", 1.0))
    between = fit(X, codes, Structure("full", 0.25)).density.covariance.values
    mixture = 0.75 * own.density.covariance.values + 0.25 * pooled.covariance.values
    np.testing.assert_allclose(between, mixture, rtol=1e-12)


def test_a_start_near_the_result_is_soon_there() -> None:
    X, codes = drawn(26, 400, missing=0.4)
    names = names_of(2, 3)
    for structure in (*FULL, Structure("full", 0.5)):
        family = Gaussian(structure)
        statistics = observe(X, codes, None, 2, "full")
        cold = family.estimate(statistics, names)
        warm = family.estimate(statistics, names, start=cold.density)
        assert warm.convergence.n_iterations <= cold.convergence.n_iterations
        np.testing.assert_allclose(warm.density.mean, cold.density.mean, rtol=1e-9)
        record = cold.convergence.log_likelihood[-1]
        assert warm.convergence.log_likelihood[-1] == pytest.approx(record, rel=1e-12)


# The record


@pytest.mark.parametrize("structure", FULL, ids=name_of)
def test_the_record_ends_where_it_says(structure: Structure) -> None:
    X, codes = drawn(10)
    statistics = observe(X, codes, None, 2, "full")
    _, short = complete(statistics, structure, names_of(2, 3), goal=Goal(1e-11, most=3))
    _, long = complete(statistics, structure, names_of(2, 3))
    assert not short.converged
    assert short.n_iterations == 2
    assert short.remaining > long.remaining
    assert long.converged
    assert long.log_likelihood[-1] > short.log_likelihood[-1]
    assert not long.penalised


def test_threads_change_no_bit() -> None:
    X, codes = drawn(11, n=3000, d=12)
    statistics = observe(X, codes, None, 2, "full")
    goal = Goal(1e-11, most=5)
    single, double = (
        complete(statistics, Structure(), names_of(2, 12), goal=goal, threads=threads)[0]
        for threads in (1, 2)
    )
    assert single.moments.scatter.tobytes() == double.moments.scatter.tobytes()
    assert single.moments.offset.tobytes() == double.moments.offset.tobytes()


# Singular limits


def test_a_likelihood_without_maximum_is_named() -> None:
    X, codes = drawn(13, n=8, d=5, missing=0.1)
    with pytest.raises(SingularCovarianceError, match="no maximum: class 'a' has 4 rows for 5"):
        fit(X, codes, Structure())


def test_collinear_features_are_named() -> None:
    X, codes = drawn(14, n=100, missing=0.0)
    X[:, 2] = X[:, 0] - 2 * X[:, 1]
    X[::3, 2] = np.nan
    message = "no maximum: .*collinear"
    with pytest.raises(SingularCovarianceError, match=message):
        fit(X, codes, Structure("full", 1.0))


def test_a_feature_that_does_not_vary_is_named() -> None:
    X, codes = drawn(15)
    X[codes == 1, 2] = np.where(np.isnan(X[codes == 1, 2]), np.nan, 7.0)
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in 'x2'"):
        fit(X, codes, Structure())


@pytest.mark.parametrize("shrinkage", [0.3, 1.0, "oas"])
@pytest.mark.parametrize("structure", FULL, ids=name_of)
def test_shrinkage_is_a_remedy(structure: Structure, shrinkage: Any) -> None:
    X, codes = drawn(16, n=10, d=6, missing=0.2)
    found = fit(X, codes, structure, shrinkage=shrinkage)
    assert found.convergence is not None
    assert found.convergence.penalised
    assert found.convergence.converged
    record = found.convergence.log_likelihood
    assert np.diff(record).min() >= -1e-10 * abs(record[-1])
    assert np.isfinite(found.density.covariance.log_det).all()


def test_shrinkage_leaves_the_expected_statistics_where_they_can_be_had() -> None:
    X, codes = drawn(17)
    plain, shrunk = (
        fit(X, codes, Structure(), shrinkage=s, target="spherical") for s in (None, 0.5)
    )
    assert not shrunk.convergence.penalised
    values = plain.density.covariance.values
    spherical = np.einsum("mii->m", values)[:, None, None] / 3 * np.eye(3)
    expected = 0.5 * values + 0.5 * spherical
    np.testing.assert_allclose(shrunk.density.covariance.values, expected, rtol=1e-14)


# Errors


@each_structure
def test_a_feature_that_no_row_of_a_class_has(structure: Structure) -> None:
    X, codes = drawn(20)
    X[codes == 1, 1] = np.nan
    with pytest.raises(
        DataError, match="class 'b' has no labelled row with 'x1'.*give at least one"
    ):
        fit(X, codes, structure)


def test_a_class_without_rows() -> None:
    X, codes = drawn(19)
    with pytest.raises(DataError, match="class 'a' has no labelled rows of positive weight"):
        fit(X[codes == 1], codes[codes == 1], Structure())


def test_a_start_that_one_far_row_has_made() -> None:
    """EM is soon where it comes from nowhere, though most values are missing."""
    X, codes = drawn(12, n=300, d=6)
    X[np.random.default_rng(0).random(X.shape) < 0.8] = np.nan
    X[0] = 1e9
    names = names_of(2, 6)
    near = suppose(observe(X, codes, None, 2, "full"), names)[0]
    others = observe(X[1:], codes[1:], None, 2, "full")
    best, soon = suppose(others, names)[1], suppose(others, names, ROUGH, near=near)[1]
    assert soon.log_likelihood[-1] == pytest.approx(best.log_likelihood[-1], abs=0.1)
    assert soon.n_iterations < ROUGH.most - 1
