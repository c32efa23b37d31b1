"""Densities with covariances integrated out: closed forms that users meet through AutoClassifier.

Rows left out against refitting, Student-t densities against scipy, and the span of few rows against
matrices of all features.
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.spanned import Spanned
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.removal import remove

DEGREES = np.array([3.0, 7.5, 40.0])


# Student-t densities


def student(d=4, far=100.0, seed=0):
    """Three densities, far from 0, and rows about them."""
    generator = np.random.default_rng(seed)
    factor = generator.normal(size=(3, d, d))
    scale = factor @ factor.transpose(0, 2, 1) + np.eye(d)
    location = generator.normal(size=(3, d)) + far
    shape = Full.of(scale, Schema(np.arange(3), d))
    center = location.mean(axis=0)
    density = GaussianDensity(center, location - center, shape, degrees=DEGREES)
    return density, location, scale, 3.0 * generator.normal(size=(50, d)) + far


def reference(location, scale, X, columns=slice(None)):
    return np.stack(
        [
            stats.multivariate_t(m[columns], s[columns][:, columns], nu).logpdf(X[:, columns])
            for m, s, nu in zip(location, scale, DEGREES, strict=True)
        ],
        axis=1,
    )


@pytest.mark.parametrize("columns", [[0, 1, 2, 3], [2, 0]])
def test_densities_and_distances_are_those_of_scipy(columns):
    """Also of some features; a Gaussian's distance has the tail that the Student distance has."""
    density, location, scale, X = student()
    rows, d = np.full(X.shape, np.nan), len(columns)
    rows[:, columns] = X[:, columns]
    assert_close(density.log_density(number_rows(rows)), reference(location, scale, X, columns))
    gap = X[:, None, columns] - location[:, columns]
    inverse = np.linalg.inv(scale[:, columns][:, :, columns])
    exact = stats.f.sf(np.einsum("nki,kij,nkj->nk", gap, inverse, gap) / d, d, DEGREES)
    squares, features = density.squared_distance(number_rows(rows))
    assert (features == d).all()
    np.testing.assert_allclose(stats.chi2.sf(squares, d), exact, rtol=1e-9)


def test_contributions_are_integrated_gradients():
    density, location, _, X = student(d=2, far=0.0)
    origin, row = location.mean(axis=0), X[0]

    def slope(alpha, j, step=1e-5):
        point = np.repeat((origin + alpha * (row - origin))[None], 2, axis=0)
        point[0, j] += step
        point[1, j] -= step
        ratio = density.log_density(number_rows(point)) @ [1.0, -1.0, 0.0]
        return (ratio[0] - ratio[1]) / (2 * step) * (row[j] - origin[j])

    _, amounts = density.contributions(number_rows(row[None]), (0, 1), np.full(3, 1 / 3))
    expected = [quad(slope, 0, 1, args=(j,))[0] for j in range(2)]
    np.testing.assert_allclose(amounts, expected, atol=1e-7)


# More features than rows

N, D, K = 14, 17, 3
GENERATOR = np.random.default_rng(14)
CODES = np.arange(N) % K
SCALE = np.exp(GENERATOR.normal(size=D))
X = 5.0 + SCALE * (GENERATOR.normal(size=(N, D)) + 2.0 * GENERATOR.normal(size=(K, D))[CODES])
FRESH = 5.0 + SCALE * GENERATOR.normal(size=(6, D))
HOLES = np.where(GENERATOR.random(FRESH.shape) < 0.4, np.nan, FRESH)
HOLES[1], HOLES[2] = FRESH[1], np.nan
ROWS, TARGETS = number_rows(X), Targets(CODES.astype(np.int32), K)
NAMES = Schema(np.arange(K), D)

PLUG_IN = [
    (sharing, shrinkage, divisor, "plug_in")
    for sharing in (False, 0.3, True)
    for shrinkage in (0.02, 0.4, 1.0, "oas")
    for divisor in ("mle", "unbiased")
]
PREDICTIVE = [(s, g, "mle", "predictive") for s in (0.05, 0.5, True) for g in (0.02, 0.4, 1.0)]
SETTINGS = PLUG_IN + PREDICTIVE


def families(settings: tuple[Any, ...], target: str = "spherical") -> tuple[Any, Any]:
    """The family of all features, and the same in the span of the rows."""
    sharing, shrinkage, divisor, estimate = settings
    plain = Gaussian.of("full", sharing, divisor, shrinkage, target, estimate)
    (spanned,) = plain.fix(ROWS, TARGETS, NAMES, wide=True)
    assert isinstance(spanned, Spanned)
    return plain, spanned


def density_of(family: Any, which: Any = slice(None)) -> Any:
    statistics = family.observe(ROWS[which], TARGETS[which], NAMES)
    return family.estimate(statistics, NAMES).density


def assert_close(a: Any, b: Any, scale: Any = None) -> None:
    """Equal to 1e-9 of the largest of what is compared."""
    largest = max(1.0, np.abs(b if scale is None else scale).max())
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * largest)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_density_is_that_of_all_features(settings: tuple[Any, ...]) -> None:
    primal, dual = map(density_of, families(settings))
    for rows in map(number_rows, (X, FRESH, HOLES)):
        assert_close(dual.log_density(rows), primal.log_density(rows))
        for ours, theirs in zip(
            dual.squared_distance(rows), primal.squared_distance(rows), strict=True
        ):
            assert_close(ours, theirs)
    for part in ("mean", "deviation", "n_parameters"):
        assert_close(getattr(dual, part), getattr(primal, part))
    assert_close(dual.dense_covariance(), primal.dense_covariance())
    assert dual.shared is primal.shared
    some, few = number_rows(FRESH[:, [4, 0, 9]]), Schema(np.arange(K), 3)
    assert_close(
        dual.marginal([4, 0, 9], few).log_density(some),
        primal.marginal([4, 0, 9], few).log_density(some),
    )
    assert_close(
        dual.selected([2, 0]).log_density(some := number_rows(FRESH)),
        primal.selected([2, 0]).log_density(some),
    )
    if primal.degrees is None:
        statistics = [family.observe(ROWS, TARGETS, NAMES) for family in families(settings)]
        likelihoods = primal.log_likelihood(statistics[0]), dual.log_likelihood(statistics[1])
        assert_close(*likelihoods)


@pytest.mark.parametrize("settings", [(True, 0.1, "mle", "plug_in"), *PREDICTIVE[:2]], ids=str)
def test_explanations_are_those_of_all_features(settings: tuple[Any, ...]) -> None:
    primal, dual = map(density_of, families(settings))
    for row in (number_rows(FRESH[:1]), number_rows(HOLES[:1])):
        for reference in (None, np.array([0.2, 0.3, 0.5])):
            ours, theirs = (some.contributions(row, (2, 0), reference) for some in (dual, primal))
            assert_close(ours[0], theirs[0])
            assert_close(ours[1], theirs[1])
            np.testing.assert_allclose(
                ours[0] + ours[1].sum(),
                np.subtract(*dual.log_density(row)[0, [2, 0]]),
                rtol=1e-9,
            )


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_is_refitting_all_features(settings: tuple[Any, ...], weighted: bool) -> None:
    weights = np.where(CODES == 0, 2.0, 1.0) if weighted else None
    targets = Targets(CODES.astype(np.int32), K, weights)
    plain, spanned = families(settings)
    statistics = spanned.observe(ROWS, targets, NAMES)
    closed = spanned.left_out(statistics, [spanned], targets, NAMES)
    if closed is None:
        assert settings[:2] == (0.3, "oas")
        return
    removal = remove(CODES.astype(np.intp), targets.total_weights(), statistics.weight)
    log_density, reliable = closed(ROWS, removal)
    assert reliable.all()
    for row in range(N):
        others = np.delete(np.arange(N), row)
        observed = plain.observe(ROWS[others], targets[others], NAMES)
        truth = plain.estimate(observed, NAMES).density.log_density(ROWS[row : row + 1])[0]
        assert_close(np.diff(log_density[0, row]), np.diff(truth), truth)
