"""Fitting incomplete rows: completed moments, unlabelled rows, the record, and what is refused."""

import numpy as np
import pytest

from gaussbayes.base.errors import (
    DataError,
    NonFiniteError,
    ParameterError,
    SingularCovarianceError,
)
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.missing.em import Incomplete, fit_incomplete
from gaussbayes.families.gaussian.parameters import Structure, estimate_covariance
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.prior import Priors
from gaussbayes.model.settings import Settings
from tests.fuzz import em_climbs
from tests.strategies import STRUCTURES, name_of

UNCORRELATED = [one for one in STRUCTURES if one.covariance != "full"]
FULL = [one for one in STRUCTURES if one.covariance == "full"]


def schema_of(k: int, d: int) -> Schema:
    return Schema(np.array(list("abcdef")[:k]), d, tuple(f"x{j}" for j in range(d)))


def settings_of(
    structure: Structure, priors: Priors = None, shrinkage: Shrinkage = None
) -> Settings:
    return Settings(structure, priors, "mle", shrinkage)


def fit(
    X: FloatArray,
    codes: CodeArray,
    structure: Structure,
    weights: FloatArray | None = None,
    priors: Priors = None,
    shrinkage: Shrinkage = None,
    **options: float,
) -> Incomplete:
    k = max(int(codes.max()) + 1, 1)
    settings = settings_of(structure, priors, shrinkage)
    schema = schema_of(k, X.shape[1])
    return fit_incomplete(X, codes, weights, k, schema, settings, n_jobs=1, **options)


def drawn(
    seed: int = 0, n: int = 60, d: int = 3, k: int = 2, missing: float = 0.3
) -> tuple[FloatArray, CodeArray]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n, dtype=np.int32) % k
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3.0 * codes[:, None]
    X[rng.random((n, d)) < missing] = np.nan
    return X, codes


def variances_of(found: Incomplete, structure: Structure) -> FloatArray:
    k, d = found.moments.anchor.shape
    return estimate_covariance(found.moments, schema_of(k, d), structure)


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
        assert found.convergence.n_iterations == 0
        assert found.convergence.converged
        np.testing.assert_allclose(found.moments.mean, means, rtol=1e-12)
        expected_weight = np.bincount(codes, weights)
        np.testing.assert_allclose(found.moments.weight, expected_weight, rtol=1e-13)
        np.testing.assert_allclose(
            variances_of(found, structure), expected[name_of(structure)], rtol=1e-12
        )


def test_without_correlations_full_and_diagonal_agree() -> None:
    # Two features that no row has together: nothing says that they are correlated.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    X[np.arange(40), np.arange(40) // 2 % 2] = np.nan
    codes = np.arange(40, dtype=np.int32) % 2
    for shared in (False, True):
        full = fit(X, codes, Structure("full", shared))
        diagonal = fit(X, codes, Structure("diagonal", shared))
        np.testing.assert_allclose(full.moments.mean, diagonal.moments.mean, rtol=1e-10)
        np.testing.assert_allclose(
            variances_of(full, Structure("full", shared))[:, [0, 1], [0, 1]],
            variances_of(diagonal, Structure("diagonal", shared)),
            rtol=1e-9,
        )
        record = diagonal.convergence.log_likelihood[-1]
        assert full.convergence.log_likelihood[-1] == pytest.approx(record, rel=1e-12)


# Rows without any feature


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_rows_without_any_feature_count_for_the_weight_alone(structure: Structure) -> None:
    X, codes = drawn(4)
    X[np.isnan(X).all(axis=1)] = 0.0
    more = np.vstack([X, np.full((5, 3), np.nan)])
    more_codes = np.concatenate([codes, [0, 0, 0, 1, 1]]).astype(np.int32)
    before, after = fit(X, codes, structure), fit(more, more_codes, structure)
    added = after.moments.weight - before.moments.weight
    np.testing.assert_allclose(added, [3, 2], rtol=1e-12)
    np.testing.assert_allclose(after.moments.mean, before.moments.mean, rtol=1e-9)
    np.testing.assert_allclose(
        variances_of(after, structure), variances_of(before, structure), rtol=1e-9
    )


def test_unlabelled_rows_without_any_feature_change_no_parameter() -> None:
    X, codes = drawn(5, n=200)
    codes[100:] = -1
    X[np.isnan(X).all(axis=1)] = 0.0
    more = np.vstack([X, np.full((10, 3), np.nan)])
    before = fit(X, codes, Structure("diagonal"))
    after = fit(more, np.append(codes, np.full(10, -1, np.int32)), Structure("diagonal"))
    assert after.moments.weight.sum() == pytest.approx(210)
    np.testing.assert_allclose(after.moments.weight / 210, before.moments.weight / 200, rtol=1e-9)
    np.testing.assert_allclose(after.moments.mean, before.moments.mean, rtol=1e-9)


# Unlabelled rows


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_far_classes_make_labels_superfluous(structure: Structure) -> None:
    X, codes = drawn(6, n=120, missing=0.2)
    X[np.isnan(X).all(axis=1)] = 0.0
    X += 1000.0 * codes[:, None]
    hidden = codes.copy()
    hidden[40:] = -1
    with_labels, without = fit(X, codes, structure), fit(X, hidden, structure)
    np.testing.assert_allclose(without.moments.weight, with_labels.moments.weight, rtol=1e-12)
    np.testing.assert_allclose(without.moments.mean, with_labels.moments.mean, rtol=1e-9)
    np.testing.assert_allclose(
        variances_of(without, structure), variances_of(with_labels, structure), rtol=1e-7
    )
    one, two = (found.convergence.log_likelihood[-1] for found in (with_labels, without))
    assert two == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_a_small_weight_of_the_unlabelled_rows_leaves_the_labelled_ones(
    structure: Structure,
) -> None:
    X, codes = drawn(7, n=100, missing=0.1)
    hidden = codes.copy()
    hidden[60:] = -1
    known = fit(X[:60], codes[:60], structure)
    little = fit(X, hidden, structure, unlabelled_weight=1e-9)
    np.testing.assert_allclose(little.moments.mean, known.moments.mean, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        variances_of(little, structure), variances_of(known, structure), rtol=1e-6, atol=1e-6
    )


def test_a_weight_of_two_is_every_unlabelled_row_twice() -> None:
    X, codes = drawn(8, n=80)
    codes[50:] = -1
    twice = np.vstack([X, X[50:]]), np.append(codes, codes[50:])
    for structure in STRUCTURES:
        one = fit(X, codes, structure, unlabelled_weight=2.0)
        two = fit(*twice, structure)
        np.testing.assert_allclose(one.moments.mean, two.moments.mean, rtol=1e-8)
        np.testing.assert_allclose(one.moments.weight, two.moments.weight, rtol=1e-8)


@pytest.mark.parametrize("structure", [FULL[0], UNCORRELATED[0]], ids=name_of)
def test_given_priors_are_held(structure: Structure) -> None:
    X, codes = drawn(9, n=200, missing=0.1)
    X -= 2.5 * codes[:, None]  # classes that overlap
    codes[50:] = -1
    found = [fit(X, codes, structure, priors=priors) for priors in (None, [0.9, 0.1])]
    shares = [one.moments.weight[0] / one.moments.weight.sum() for one in found]
    assert shares[1] > shares[0] + 0.1


# The record


@pytest.mark.parametrize("structure", FULL, ids=name_of)
def test_the_record_ends_where_it_says(structure: Structure) -> None:
    X, codes = drawn(10)
    short, long = fit(X, codes, structure, max_iterations=3), fit(X, codes, structure)
    assert not short.convergence.converged
    assert short.convergence.n_iterations == 2
    assert short.convergence.remaining > long.convergence.remaining
    assert long.convergence.converged
    assert long.convergence.log_likelihood[-1] > short.convergence.log_likelihood[-1]
    assert not long.convergence.penalised


def test_threads_change_no_bit() -> None:
    X, codes = drawn(11, n=3000, d=12)
    one, two = (
        fit_incomplete(
            X,
            codes,
            None,
            2,
            schema_of(2, 12),
            settings_of(Structure()),
            max_iterations=5,
            n_jobs=n_jobs,
        ).moments
        for n_jobs in (1, 2)
    )
    assert one.scatter.tobytes() == two.scatter.tobytes()
    assert one.offset.tobytes() == two.offset.tobytes()


def test_float32_rows_are_summed_in_double_precision() -> None:
    X, codes = drawn(12)
    rounded = X.astype(np.float32)
    one = fit(rounded, codes, Structure())
    two = fit(rounded.astype(np.float64), codes, Structure())
    assert one.moments.scatter.tobytes() == two.moments.scatter.tobytes()


# Singular limits


def test_a_likelihood_without_maximum_is_named() -> None:
    X, codes = drawn(13, n=8, d=5, missing=0.1)
    with pytest.raises(SingularCovarianceError, match="no maximum: class 'a' has 4 rows for 5"):
        fit(X, codes, Structure())


def test_collinear_features_are_named() -> None:
    X, codes = drawn(14, n=100, missing=0.0)
    X[:, 2] = X[:, 0] - 2 * X[:, 1]
    X[::3, 2] = np.nan
    with pytest.raises(SingularCovarianceError, match="no maximum.*collinear.*shrinkage"):
        fit(X, codes, Structure("full", shared=True))


def test_a_feature_that_does_not_vary_is_named() -> None:
    X, codes = drawn(15)
    X[codes == 1, 2] = np.where(np.isnan(X[codes == 1, 2]), np.nan, 7.0)
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in 'x2'"):
        fit(X, codes, Structure())


@pytest.mark.parametrize("shrinkage", [0.3, 1.0, "oas"])
@pytest.mark.parametrize("structure", FULL, ids=name_of)
def test_shrinkage_is_a_way_out(structure: Structure, shrinkage: Shrinkage) -> None:
    X, codes = drawn(16, n=10, d=6, missing=0.2)
    found = fit(X, codes, structure, shrinkage=shrinkage)
    assert found.convergence.penalised
    assert found.convergence.converged
    record = found.convergence.log_likelihood
    assert np.diff(record).min() >= -1e-10 * abs(record[-1])
    settings = settings_of(structure, shrinkage=shrinkage)
    parameters = settings.estimate(found.moments, schema_of(2, 6))
    assert np.isfinite(parameters.covariance.log_det).all()


def test_shrinkage_leaves_the_completed_moments_where_they_can_be_had() -> None:
    X, codes = drawn(17)
    plain, shrunk = fit(X, codes, Structure()), fit(X, codes, Structure(), shrinkage=0.5)
    assert not shrunk.convergence.penalised
    assert plain.moments.scatter.tobytes() == shrunk.moments.scatter.tobytes()


# What is refused


def test_all_rows_unlabelled() -> None:
    X, codes = drawn(18)
    with pytest.raises(DataError, match="no row has a label.*at least two classes"):
        fit(X, np.full_like(codes, -1), Structure())


def test_a_class_without_labelled_rows() -> None:
    X, codes = drawn(19)
    codes[codes == 0] = -1
    with pytest.raises(DataError, match="class 'a' has no labelled rows"):
        fit(X, codes, Structure())


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_a_feature_that_no_row_of_a_class_has(structure: Structure) -> None:
    X, codes = drawn(20)
    X[codes == 1, 1] = np.nan
    with pytest.raises(DataError, match="class 'b' has no labelled row with 'x1'.*leave"):
        fit(X, codes, structure)


def test_infinity_is_no_missing_value() -> None:
    X, codes = drawn(21)
    X[3, 1] = np.inf
    with pytest.raises(NonFiniteError, match="infinity in row 3, column 'x1'"):
        fit(X, codes, Structure())


def test_rows_too_far_apart_for_their_squares() -> None:
    X, codes = drawn(24)
    X[5, 0] = 1e200
    with pytest.raises(DataError, match="values up to 1e\\+200 are too large"):
        fit(X, codes, Structure())


@pytest.mark.parametrize(
    ("option", "value"), [("tolerance", 0.0), ("max_iterations", 0), ("unlabelled_weight", -1.0)]
)
def test_limits_are_checked(option: str, value: float) -> None:
    X, codes = drawn(22)
    with pytest.raises(ParameterError, match=option):
        fit(X, codes, Structure(), **{option: value})


def test_complete_rows_give_the_ordinary_moments() -> None:
    X, codes = drawn(23, missing=0.0)
    for structure in STRUCTURES:
        found = fit(X, codes, structure).moments
        expected = summarise(X, codes, None, 2, structure.layout)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-14)
        np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


def test_random_tables_never_descend() -> None:
    """A short run of the script; see tests/fuzz/em_climbs.py for a long one."""
    found = em_climbs.run(60, seed=11)
    assert found.fits > 40
    assert found.fall <= em_climbs.LARGEST_FALL
    assert found.difference <= em_climbs.LARGEST_DIFFERENCE
