"""The E-step against the textbook's formulas, row by row, with scipy's densities."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian import expectation
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.expectation import expect_statistics
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics, summarise
from gaussbayes.families.gaussian.structure import Full
from tests.families.gaussian.densities import Kind, covariances, density_of, each_kind, some_density

K, D = 3, 4
OWN, SHARED = Kind("full", shared=False), Kind("full", shared=True)


def incomplete(
    seed: int, n: int, d: int = D, missing: float = 0.4
) -> tuple[FloatArray, CodeArray, FloatArray]:
    """Rows, some of which have all values or none, class codes and weights."""
    rng = np.random.default_rng(seed)
    X = 2 * rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[rng.random((n, d)) < missing] = np.nan
    X[: n // 10] = np.nan
    X[n // 10 : n // 5] = rng.normal(size=(n // 5 - n // 10, d))
    return X, rng.integers(0, K, n).astype(np.int32), rng.uniform(0.5, 2.0, n)


def textbook(X: FloatArray, weights: FloatArray, density: GaussianDensity) -> ClassMoments:
    """The moments of rows, each by its regression on what it has; weights (n, k)."""
    k, d = density.offset.shape
    weight, first, second = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    for row, of_classes in zip(X, weights, strict=True):
        o = ~np.isnan(row)
        for c, covariance in enumerate(covariances(density)):
            slope = covariance[:, o] @ np.linalg.inv(covariance[np.ix_(o, o)])
            expected = slope @ (row[o] - density.mean[c, o])
            left = covariance - slope @ covariance[o]
            weight[c] += of_classes[c]
            first[c] += of_classes[c] * expected
            second[c] += of_classes[c] * (np.outer(expected, expected) + left)
    shift = first / weight[:, None]
    scatter = second - weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    return ClassMoments(weight, density.mean, shift, scatter, "full")


def assert_alike(found: ClassMoments, expected: ClassMoments) -> None:
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-12)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-11, atol=1e-12)
    expected = expected.with_layout(found.layout)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-9, atol=1e-9)


def log_densities(X: FloatArray, density: GaussianDensity) -> FloatArray:
    logs, there = np.zeros((X.shape[0], density.n_classes)), ~np.isnan(X)
    for o in np.unique(there[there.any(axis=1)], axis=0):
        rows = np.flatnonzero((there == o).all(axis=1))
        for c, covariance in enumerate(covariances(density)):
            marginal = multivariate_normal(density.mean[c, o], covariance[np.ix_(o, o)])
            logs[rows, c] = marginal.logpdf(X[np.ix_(rows, o)])
    return logs


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("layout", ["full", "least"])
@each_kind
def test_labelled_rows(
    kind: Kind, layout: str, careful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectation, "_WELL", 0.0 if careful else 1e9)
    density = some_density(kind, K, D)
    least: ScatterLayout = density.covariance.layout
    if least == "full" and kind.shared:
        least = "pooled"
    for n in (30, 200):
        X, codes, weights = incomplete(1, n)
        statistics = observe(X, codes, weights, K, "full" if layout == "full" else least)
        found, log_likelihood = expect_statistics(density, statistics)
        assert found.is_complete
        in_classes = np.eye(K)[codes] * weights[:, None]
        assert_alike(found.moments, textbook(X, in_classes, density))
        total = float((in_classes * log_densities(X, density)).sum())
        assert log_likelihood == pytest.approx(total, rel=1e-12)
        assert density.log_likelihood(statistics) == log_likelihood


@each_kind
def test_complete_statistics_are_expected_as_they_are(kind: Kind) -> None:
    X, codes, weights = incomplete(2, 50, missing=0.0)
    X = np.nan_to_num(X)
    density = some_density(kind, K, D)
    statistics = observe(X, codes, weights, K, density.covariance.layout)
    found, log_likelihood = expect_statistics(density, statistics)
    assert found is statistics
    logs = log_densities(X, density)[np.arange(50), codes]
    assert log_likelihood == pytest.approx(float(weights @ logs), rel=1e-12)
    assert density.log_likelihood(statistics) == pytest.approx(log_likelihood, rel=1e-12)


@each_kind
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_that_belong_to_classes_in_part(kind: Kind, dtype: type) -> None:
    X, _, weights = incomplete(3, 90)
    X = X.astype(dtype)
    responsibility = np.random.default_rng(4).dirichlet(np.ones(K), 90) * weights[:, None]
    responsibility[::7] = np.eye(K)[1]
    density = some_density(kind, K, D)
    found = density.expect(number_rows(X), responsibility)
    assert found.is_complete
    assert_alike(found.moments, textbook(X.astype(np.float64), responsibility, density))


@each_kind
def test_complete_rows_are_summed_as_they_are(kind: Kind) -> None:
    X = np.random.default_rng(5).normal(size=(50, D))
    responsibility = np.random.default_rng(6).dirichlet(np.ones(K), 50)
    density = some_density(kind, K, D)
    found = density.expect(number_rows(X), responsibility).moments
    expected = summarise(X, responsibility, None, K, density.covariance.layout)
    assert found.scatter.tobytes() == expected.scatter.tobytes()


def test_a_scatter_too_large_to_be_kept_by_class(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, weights = incomplete(7, 60)
    density = some_density(SHARED, K, D)
    responsibility = np.random.default_rng(8).dirichlet(np.ones(K), 60) * weights[:, None]
    by_class = density.expect(number_rows(X), responsibility).moments
    monkeypatch.setattr("gaussbayes.families.gaussian.statistics.MOST_BY_CLASS", 0)
    pooled = density.expect(number_rows(X), responsibility).moments
    assert (by_class.layout, pooled.layout) == ("full", "pooled")
    np.testing.assert_allclose(pooled.scatter, by_class.scatter.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(pooled.mean, by_class.mean, rtol=1e-13)


@pytest.mark.parametrize("kind", [OWN, SHARED], ids=str)
def test_units_and_offsets_do_not_matter(kind: Kind) -> None:
    X, codes, weights = incomplete(9, 80)
    X = np.round(X * 2**20) / 2**20  # so that adding the offset rounds nothing
    density = some_density(kind, K, D)
    values = density.covariance.values
    density = density_of(kind, np.round(density.mean * 2**20) / 2**20, values, np.ones(D))
    unit = np.array([2.0**-40, 2.0**30, 1.0, 2.0**90])
    values = density.covariance.values * unit[:, None] * unit
    # The centre is moved, the offsets from it are not, so that no digit is lost.
    moved = GaussianDensity(
        (density.center + 2.0**25) * unit,
        density.offset * unit,
        Full.of(values, Schema(np.arange(K), D)),
    )
    responsibility = np.random.default_rng(10).dirichlet(np.ones(K), 80)
    Y = (X + 2.0**25) * unit
    pairs = [
        (
            density.expect(number_rows(X), responsibility),
            moved.expect(number_rows(Y), responsibility),
        ),
        tuple(
            expect_statistics(model, observe(rows, codes, weights, K, "full"))[0]
            for model, rows in ((density, X), (moved, Y))
        ),
    ]
    for here, there in pairs:
        a, b = here.moments, there.moments
        mean = (b.anchor / unit - 2.0**25) + b.offset / unit
        np.testing.assert_allclose(mean, a.anchor + a.offset, rtol=0, atol=1e-11)
        scatter = b.scatter / unit[:, None] / unit
        np.testing.assert_allclose(scatter, a.scatter, rtol=1e-11, atol=1e-9)


def test_threads_change_no_bit() -> None:
    X, codes, weights = incomplete(11, 3000, 12, 0.2)
    density = some_density(OWN, K, 12)
    statistics = observe(X, codes, weights, K, "full")
    single, double = (expect_statistics(density, statistics, threads) for threads in (1, 2))
    assert single[0].moments.scatter.tobytes() == double[0].moments.scatter.tobytes()
    assert single[1] == double[1]
    responsibility = np.random.default_rng(12).dirichlet(np.ones(K), 3000)
    single, double = (density.expect(number_rows(X), responsibility, threads) for threads in (1, 2))
    assert single.moments.scatter.tobytes() == double.moments.scatter.tobytes()


def test_nearly_singular_covariances_keep_their_digits() -> None:
    """Of feature 1 the other leaves a proportion of 1e-9 unexplained: 50 digits tell the truth."""
    import mpmath

    slope, left = 1.0, 1e-9
    values = np.array([[[1.0, slope], [slope, slope**2 + left]]])
    names = Schema(np.arange(1), 2)
    density = GaussianDensity(np.zeros(2), np.zeros((1, 2)), Full.of(values, names))
    X = np.array([[1.0, np.nan], [np.nan, 2.0], [1.5, 1.5 + 2e-5]])
    statistics = observe(X, np.zeros(3, np.int32), None, 1, "full")
    _, log_likelihood = expect_statistics(density, statistics)
    with mpmath.workdps(50):
        (a, b), (_, c) = [[mpmath.mpf(float(value)) for value in row] for row in values[0]]
        det = a * c - b * b
        x, y = mpmath.mpf(1.5), mpmath.mpf(float(X[2, 1]))
        square = (c * x * x - 2 * b * x * y + a * y * y) / det
        total = 4 * mpmath.log(2 * mpmath.pi) + mpmath.log(a) + mpmath.log(c) + mpmath.log(det)
        total += 1 / a + 4 / c + square
        truth = float(-total / 2)
    # The entries of the matrix are floats: ε / 1e-9 of the determinant is lost at the most.
    assert log_likelihood == pytest.approx(truth, rel=1e-6)


def test_statistics_of_no_rows_but_blank_ones() -> None:
    density = some_density(OWN, K, D)
    X = np.full((K, D), np.nan)
    statistics = observe(X, np.arange(K, dtype=np.int32), None, K, "full")
    found, log_likelihood = expect_statistics(density, statistics)
    assert log_likelihood == 0
    np.testing.assert_allclose(found.moments.mean, density.mean, rtol=1e-13)
    np.testing.assert_allclose(found.moments.scatter, density.covariance.values, rtol=1e-11)
    assert isinstance(found, GaussianStatistics)
