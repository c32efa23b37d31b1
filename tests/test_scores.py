"""Scores: shapes, widths, consistency, edges; their values are in agreement/ and reliability/."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gaussbayes.base.errors import DataError, NonFiniteError, PriorError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters, Structure, estimate, given
from gaussbayes.families.gaussian.summarise import summarise
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
each_width = pytest.mark.parametrize("dtype", [np.float32, np.float64])

PER_CLASS = [
    scores.posterior,
    scores.log_posterior,
    scores.joint,
    scores.log_joint,
    scores.log_likelihood,
    scores.mahalanobis,
]


def fitted(structure: Structure, k: int = 3, d: int = 4, priors: object = None) -> Parameters:
    rng = np.random.default_rng([k, d])
    codes = np.arange(20 * k * d, dtype=np.int32) % k
    X = rng.normal(size=(codes.size, d)) * np.linspace(1, 2, d) + 2 * rng.normal(size=(k, d))[codes]
    moments = summarise(X, codes, None, k, structure.layout)
    return estimate(moments, Schema(np.arange(k), d), structure, priors)


def queries(n: int, d: int = 4, dtype: type = np.float64) -> FloatArray:
    return (2 * np.random.default_rng(n).normal(size=(n, d))).astype(dtype)


# Shapes


@each_structure
@each_width
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_shapes_and_widths(structure: Structure, dtype: type, n: int) -> None:
    model, X = fitted(structure), queries(n, dtype=dtype)
    for function in PER_CLASS:
        found = function(model, X)
        assert found.shape == (n, 3)
        assert found.dtype == dtype
    labels = scores.labels(model, X)
    assert labels.shape == (n,)
    assert labels.dtype == np.intp
    for function in (scores.evidence, scores.log_evidence):
        assert function(model, X).shape == (n,)
        assert function(model, X).dtype == dtype
    for found in (scores.log_odds(model, X, 0, 2), scores.log_odds(model, X, 1, 1)):
        assert found.shape == (n,)
        assert found.dtype == dtype


@each_structure
@pytest.mark.parametrize(("k", "d"), [(1, 1), (1, 3), (2, 1), (5, 2), (3, 40)])
def test_consistency(structure: Structure, k: int, d: int) -> None:
    model, X = fitted(structure, k, d), queries(30, d)
    log_joint = scores.log_joint(model, X)
    log_evidence = logsumexp(log_joint, axis=1)
    # A log joint of size J is right to ε J for each of its d terms; J is some hundreds here.
    bound = 1e-14 * d * max(1.0, float(np.abs(log_joint).max()))
    np.testing.assert_allclose(scores.log_evidence(model, X), log_evidence, rtol=0, atol=bound)
    np.testing.assert_array_equal(scores.joint(model, X), np.exp(log_joint))
    np.testing.assert_allclose(scores.evidence(model, X), np.exp(log_evidence), rtol=bound)
    log_posterior = log_joint - log_evidence[:, None]
    np.testing.assert_allclose(scores.log_posterior(model, X), log_posterior, rtol=0, atol=bound)
    np.testing.assert_allclose(
        scores.posterior(model, X), np.exp(log_posterior), rtol=0, atol=bound
    )
    np.testing.assert_array_equal(scores.labels(model, X), log_posterior.argmax(axis=1))
    np.testing.assert_allclose(
        scores.log_likelihood(model, X) + model.log_prior, log_joint, rtol=0, atol=bound
    )
    log_det = np.broadcast_to(model.covariance.log_det, (k,))
    squares = -2 * scores.log_likelihood(model, X) - d * np.log(2 * np.pi) - log_det
    np.testing.assert_allclose(scores.mahalanobis(model, X) ** 2, squares, rtol=0, atol=4 * bound)
    for a in range(k):
        for b in range(k):
            odds = scores.log_odds(model, X, a, b)
            expected = log_posterior[:, a] - log_posterior[:, b]
            np.testing.assert_allclose(odds, expected, rtol=0, atol=2 * bound)


@each_structure
def test_distance_zero_at_the_mean(structure: Structure) -> None:
    means = np.array([[0.0, 1.0], [4.0, -3.0]])
    values = {"full": np.eye(2), "diagonal": np.ones(2), "spherical": np.array(1.0)}
    value = values[structure.covariance]
    model = given(
        Schema(np.arange(2), 2),
        structure,
        "uniform",
        means,
        value if structure.shared else np.stack([value, value]),
    )
    distances = scores.mahalanobis(model, means)
    assert distances[0, 0] == distances[1, 1] == 0
    assert not np.signbit(distances).any()
    np.testing.assert_allclose(distances[[0, 1], [1, 0]], np.sqrt(32.0), rtol=1e-15)


# Memory and threads


@each_structure
@each_width
def test_strides_do_not_matter(structure: Structure, dtype: type) -> None:
    model, X = fitted(structure), queries(50, dtype=dtype)
    wide = np.zeros((100, 8), dtype=dtype)
    wide[::2, ::2] = X
    eps = float(np.finfo(dtype).eps)
    for function in PER_CLASS:
        plain = function(model, X)
        for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1].copy()[::-1]):
            # Sums of d products in another order: a few ε of the largest score.
            bound = 16 * eps * float(np.abs(plain).max())
            np.testing.assert_allclose(function(model, same), plain, rtol=0, atol=bound)


@each_structure
def test_input_is_not_written_to(structure: Structure) -> None:
    model, X = fitted(structure), queries(20)
    X.flags.writeable = False
    for function in (*PER_CLASS, scores.labels, scores.log_evidence):
        function(model, X)


@each_structure
def test_number_of_threads_does_not_matter(structure: Structure) -> None:
    # More entries than are worth a thread, and more rows than one block has.
    model, X = fitted(structure), queries(90_000)
    for function in (scores.posterior, scores.log_posterior, scores.labels, scores.log_evidence):
        np.testing.assert_array_equal(function(model, X, n_jobs=3), function(model, X, n_jobs=1))


@each_structure
def test_a_row_is_scored_alike_in_any_company(structure: Structure) -> None:
    model, X = fitted(structure), queries(40)
    together = scores.log_joint(model, X)
    alone = np.vstack([scores.log_joint(model, X[i : i + 1]) for i in range(40)])
    # BLAS may add the d products in another order for one row than for many.
    bound = 16 * np.finfo(np.float64).eps * float(np.abs(together).max())
    np.testing.assert_allclose(alone, together, rtol=0, atol=bound)


# Edges


@each_structure
@each_width
def test_a_prior_of_zero(structure: Structure, dtype: type) -> None:
    model = fitted(structure, priors=[0.5, 0.0, 0.5])
    X = np.vstack([queries(30), model.mean]).astype(dtype)
    posterior = scores.posterior(model, X)
    assert not np.isnan(posterior).any()
    assert not posterior[:, 1].any()
    assert np.all(scores.log_posterior(model, X)[:, 1] == -np.inf)
    assert np.all(scores.log_joint(model, X)[:, 1] == -np.inf)
    assert np.isfinite(scores.log_likelihood(model, X)).all()
    assert np.isfinite(scores.mahalanobis(model, X)).all()
    assert np.isfinite(scores.log_evidence(model, X)).all()
    assert 1 not in scores.labels(model, X)
    assert np.all(scores.log_odds(model, X, 0, 1) == np.inf)
    assert np.all(scores.log_odds(model, X, 1, 2) == -np.inf)


@each_structure
def test_all_of_the_prior_on_one_class(structure: Structure) -> None:
    model = fitted(structure, priors=[0.0, 1.0, 0.0])
    X = np.vstack([1e6 * queries(5), queries(5)])
    np.testing.assert_array_equal(scores.posterior(model, X), np.tile([0.0, 1.0, 0.0], (10, 1)))
    assert set(scores.labels(model, X).tolist()) == {1}
    with pytest.raises(PriorError, match="classes 0 and 2 both have prior 0: their odds are not"):
        scores.log_odds(model, X, 0, 2)


@each_structure
def test_one_class_is_certain(structure: Structure) -> None:
    model, X = fitted(structure, k=1), queries(10)
    assert np.all(scores.posterior(model, X) == 1)
    assert np.all(scores.log_posterior(model, X) == 0)
    assert not scores.labels(model, X).any()
    np.testing.assert_allclose(
        scores.log_evidence(model, X), scores.log_likelihood(model, X)[:, 0], rtol=1e-14
    )


@each_structure
def test_the_first_of_equal_classes_wins(structure: Structure) -> None:
    means = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    value = {"full": np.eye(2), "diagonal": np.ones(2), "spherical": np.array(1.0)}[
        structure.covariance
    ]
    values = value if structure.shared else np.stack([value] * 3)
    model = given(Schema(np.arange(3), 2), structure, [0.5, 0.25, 0.25], means, values)
    assert scores.labels(model, np.array([[-3.0, 0.0], [-2.0, 5.0]])).tolist() == [1, 1]


@each_structure
@each_width
def test_a_thousand_classes(structure: Structure, dtype: type) -> None:
    # Means on a line, five standard deviations apart: a row at a mean belongs to that class.
    k = 1000
    means = np.column_stack([5.0 * np.arange(k), np.zeros(k)])
    value = {"full": np.eye(2), "diagonal": np.ones(2), "spherical": np.array(1.0)}[
        structure.covariance
    ]
    values = value if structure.shared else np.stack([value] * k)
    model = given(Schema(np.arange(k), 2), structure, "uniform", means, values)
    X = means.astype(dtype)
    np.testing.assert_array_equal(scores.labels(model, X), np.arange(k))
    posterior = scores.posterior(model, X)
    assert np.all(np.isfinite(posterior))
    eps = float(np.finfo(dtype).eps)
    total = posterior.sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=2 * k * eps)
    # Log odds of neighbours at a mean: 5² / 2.
    log_posterior = scores.log_posterior(model, X)
    apart = log_posterior[np.arange(k - 1), np.arange(k - 1)] - np.diagonal(log_posterior, 1)
    # A row up to 2500 from the centre rounds by that times ε, which the distance 5 multiplies.
    np.testing.assert_allclose(apart, 12.5, rtol=0, atol=4 * eps * 2500 * 5)


@each_structure
def test_scores_far_outside(structure: Structure) -> None:
    model = fitted(structure)
    X = np.array([[1e3] * 4, [-1e8] * 4])
    assert np.isfinite(scores.log_joint(model, X)).all()
    assert scores.evidence(model, X).tolist() == [0.0, 0.0]
    assert not scores.joint(model, X).any()
    np.testing.assert_allclose(scores.posterior(model, X).sum(axis=1), 1.0, rtol=1e-15)


@each_structure
def test_so_far_that_squares_overflow(structure: Structure) -> None:
    model = fitted(structure)
    X = np.full((3, 4), 1e200)
    assert np.all(scores.log_joint(model, X) == -np.inf)
    assert np.all(scores.log_evidence(model, X) == -np.inf)
    assert np.all(scores.mahalanobis(model, X) == np.inf)
    if structure.shared:  # the linear form has no squares of the row
        np.testing.assert_allclose(scores.posterior(model, X).sum(axis=1), 1.0, rtol=1e-15)
    else:
        for function in (scores.posterior, scores.log_posterior, scores.labels):
            with pytest.raises(DataError, match=r"rows 0 … 2 are so far from every class.*units"):
                function(model, X)
        with pytest.raises(DataError, match=r"rows 0 … 2 are so far from every class.*units"):
            scores.log_odds(model, X, 0, 1)


@each_structure
@each_width
@pytest.mark.parametrize("missing", [False, True])
def test_infinity_is_named(structure: Structure, dtype: type, missing: bool) -> None:
    model, X = fitted(structure), queries(9, dtype=dtype)
    X[6, 2] = -np.inf
    if missing:  # NaN is a value that is missing, and no error
        X[3, 1] = X[6, 0] = np.nan
    for function in (*PER_CLASS, scores.labels, scores.log_evidence):
        with pytest.raises(NonFiniteError, match="infinity in row 6, column 2"):
            function(model, X)


@each_structure
def test_not_finite_in_the_last_of_many_blocks(structure: Structure) -> None:
    model, X = fitted(structure, d=1), np.zeros((150_000, 1))
    X[149_999] = np.inf
    with pytest.raises(NonFiniteError, match=r"infinity in row 149999, column 0"):
        scores.labels(model, X, n_jobs=2)
    X[149_999] = np.nan
    assert scores.labels(model, X, n_jobs=2)[-1] == np.argmax(model.prior)


def test_densities_beyond_the_floats_are_infinite() -> None:
    # A density of 1 / √(2π σ²) with σ = 1e-170, of two features: above 1e308.
    schema = Schema(np.arange(2), 2)
    model = given(
        schema, Structure("diagonal"), "uniform", np.zeros((2, 2)), np.full((2, 2), 5e-324)
    )
    assert np.all(scores.joint(model, np.zeros((1, 2))) == np.inf)
    assert np.all(scores.evidence(model, np.zeros((1, 2))) == np.inf)
    assert scores.posterior(model, np.zeros((1, 2))).tolist() == [[0.5, 0.5]]


# Narrow rows


@each_structure
def test_narrow_rows_far_from_zero(structure: Structure) -> None:
    # Multiples of ¼ near 2²¹ are exact in float32: moving the rows there changes only rounding.
    rng = np.random.default_rng(4)
    codes = np.arange(300, dtype=np.int32) % 3
    X = np.round(4 * (rng.normal(size=(300, 2)) + 2 * rng.normal(size=(3, 2))[codes])) / 4
    schema = Schema(np.arange(3), 2)
    here, there = (
        estimate(summarise(rows, codes, None, 3, structure.layout), schema, structure)
        for rows in (X, (X + 2.0**21).astype(np.float32))
    )
    wide = scores.posterior(here, X)
    narrow = scores.posterior(there, (X + 2.0**21).astype(np.float32))
    # Log joints of up to about 40 in single precision: 40 ε times a few.
    largest = float(np.abs(scores.log_joint(here, X)).max())
    np.testing.assert_allclose(narrow, wide, rtol=0, atol=8 * 2.0**-23 * largest)


# The negative log-likelihood


def test_the_two_species() -> None:
    # The course's example: petal lengths, printed parts 5.2925059 and 7.7606258.
    X = np.array([[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]])
    codes = np.array([0] * 5 + [1] * 3, dtype=np.int32)
    model = estimate(summarise(X, codes, None, 2), Schema(np.array(["A", "B"]), 1), Structure())
    parts = scores.negative_log_likelihood(model, X, codes)
    assert parts.labels == pytest.approx(5.2925059, abs=5e-8)
    assert parts.features == pytest.approx(7.7606258, abs=5e-8)
    assert parts.total == pytest.approx(13.0531317, abs=5e-8)


@each_structure
@each_width
def test_negative_log_likelihood_is_the_sum_of_log_joints(
    structure: Structure, dtype: type
) -> None:
    model, X = fitted(structure), queries(60, dtype=dtype)
    codes = np.arange(60, dtype=np.int32) % 3
    weights = np.linspace(0, 2, 60)
    own = scores.log_joint(model, X)[np.arange(60), codes].astype(np.float64)
    eps = float(np.finfo(dtype).eps)
    bound = 60 * 16 * eps * float(np.abs(own).max())
    plain = scores.negative_log_likelihood(model, X, codes)
    assert plain.total == pytest.approx(-own.sum(), abs=bound)
    assert plain.labels == pytest.approx(-model.log_prior[codes].sum(), rel=1e-14)
    weighted = scores.negative_log_likelihood(model, X, codes, weights)
    assert weighted.total == pytest.approx(-(weights * own).sum(), abs=2 * bound)


def test_no_rows_have_no_likelihood() -> None:
    parts = scores.negative_log_likelihood(
        fitted(Structure()), np.zeros((0, 4)), np.zeros(0, dtype=np.int32)
    )
    assert (parts.labels, parts.features, parts.total) == (0.0, 0.0, 0.0)
