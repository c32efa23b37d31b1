"""Student-t densities against scipy, quadrature and draws."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad, quad

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.gaussian.student import StudentDensity
from gaussbayes.families.protocol import Reference

DEGREES = np.array([3.0, 7.5, 40.0])


def student(d=4, far=100.0, seed=0):
    """Three densities, far from 0, and rows about them."""
    generator = np.random.default_rng(seed)
    factor = generator.normal(size=(3, d, d))
    scale = factor @ factor.transpose(0, 2, 1) + np.eye(d)
    location = generator.normal(size=(3, d)) + far
    shape = Full.of(scale, Schema(np.arange(3), d))
    center = location.mean(axis=0)
    density = StudentDensity(GaussianDensity(center, location - center, shape), DEGREES)
    return density, location, scale, 3.0 * generator.normal(size=(50, d)) + far


def reference(location, scale, X, columns=slice(None)):
    return np.stack(
        [
            stats.multivariate_t(m[columns], s[columns][:, columns], nu).logpdf(X[:, columns])
            for m, s, nu in zip(location, scale, DEGREES, strict=True)
        ],
        axis=1,
    )


def test_log_density():
    density, location, scale, X = student()
    expected = reference(location, scale, X)
    np.testing.assert_allclose(density.log_density(number_rows(X)), expected, rtol=1e-12)


def test_missing_values_are_integrated_out():
    density, location, scale, X = student()
    X[:, 1], X[7] = np.nan, np.nan
    got = density.log_density(number_rows(X))
    expected = reference(location, scale, X, [0, 2, 3])
    np.testing.assert_allclose(np.delete(got, 7, 0), np.delete(expected, 7, 0), rtol=1e-11)
    assert got[7].tolist() == [0.0, 0.0, 0.0]
    marginal = density.marginal([0, 2, 3], Schema(np.arange(3), 3))
    again = marginal.log_density(number_rows(np.delete(X, 1, 1)))
    np.testing.assert_allclose(got, again, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2])
def test_it_integrates_to_1(d):
    density, *_ = student(d, far=0.0)

    def at(*x):
        return np.exp(density.log_density(number_rows(np.array([x]))))[0, 1]

    if d == 1:
        total = quad(at, -np.inf, np.inf)[0]
    else:
        total = dblquad(at, -np.inf, np.inf, -np.inf, np.inf, epsabs=1e-7)[0]
    assert total == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("hidden", [None, 2])
def test_contributions_add_up(hidden):
    density, _, _, X = student()
    if hidden is not None:
        X[:, hidden] = np.nan
    for row in X[:5]:
        base, amounts = density.contributions(number_rows(row[None]), (0, 2), None)
        first, _, last = density.log_density(number_rows(row[None]))[0]
        assert base + amounts.sum() == pytest.approx(first - last, abs=1e-11)
        if hidden is not None:
            assert amounts[hidden] == 0


def test_contributions_are_integrated_gradients():
    density, location, _, X = student(d=2, far=0.0)
    origin, row = location.mean(axis=0), X[0]

    def slope(alpha, j, step=1e-5):
        point = np.repeat((origin + alpha * (row - origin))[None], 2, axis=0)
        point[0, j] += step
        point[1, j] -= step
        ratio = density.log_density(number_rows(point)) @ [1.0, -1.0, 0.0]
        return (ratio[0] - ratio[1]) / (2 * step) * (row[j] - origin[j])

    _, amounts = density.contributions(number_rows(row[None]), (0, 1), Reference(point=origin))
    expected = [quad(slope, 0, 1, args=(j,))[0] for j in range(2)]
    np.testing.assert_allclose(amounts, expected, atol=1e-7)


def test_draws_and_distances():
    """Rows have the covariances that it says, and distances that follow χ²."""
    density, *_ = student()
    codes = np.repeat([1, 2], 20_000)
    rows = density.draw(codes, np.random.default_rng(1))
    squares, degrees = density.squared_distance(rows)
    for code in (1, 2):
        mine = squares[codes == code, code]
        assert stats.kstest(mine, "chi2", args=(4,)).pvalue > 1e-3
    assert (degrees == 4).all()
    spread = np.cov(rows.matrix[codes == 2].T) / density.dense_covariance()[2]
    np.testing.assert_allclose(np.diagonal(spread), 1.0, atol=0.06)


def test_rare_rows():
    """Far out, weighted draws say what the F distribution of u / d says."""
    density, *_ = student()
    rows, weights = density.draw_widely(np.zeros(200_000, np.intp), np.random.default_rng(2))
    squares = density.gaussian.squared_distance(rows)[0][:, 0]
    for far in (1e2, 1e6, 1e30):
        tail = weights[squares > 4 * far].sum() / weights.size
        assert tail == pytest.approx(stats.f(4, 3).sf(far), rel=0.02)


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (2, 0)])
def test_crossings(pair):
    density = student()[0].marginal([0], Schema(np.arange(3), 1))
    points = density.crossings(pair, 0.3)
    ratio = density.log_density(number_rows(points[:, None]))[:, pair] @ [1.0, -1.0]
    np.testing.assert_allclose(ratio, -0.3, atol=1e-9)
    grid = np.linspace(-2000, 2200, 400_001)
    signs = np.sign(density.log_density(number_rows(grid[:, None]))[:, pair] @ [1.0, -1.0] + 0.3)
    inside = points[(points > grid[0]) & (points < grid[-1])]
    assert np.count_nonzero(np.diff(signs)) == inside.size


def test_what_it_cannot_do():
    density, *_ = student()
    with pytest.raises(OptionError, match="1 feature; this model has 4"):
        density.crossings((0, 1), 0.0)
    with pytest.raises(OptionError, match="needs the rows"):
        density.log_likelihood(None)


def test_p_values_of_the_evidence():
    """A row of a single class: u / d follows the F distribution; twelve decades of it."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(30, 2))
    model = GaussianClassifier(estimate="predictive", shared=0.5, shrinkage=0.1)
    model = model.fit(X, np.arange(30) % 2).with_priors([1.0, 0.0])
    rows = np.array([[0.0, 0.0], [3.0, 1.0], [20.0, 5.0]])
    density = model.model_.densities[0]
    squares = density.gaussian.squared_distance(number_rows(rows))[0][:, 0]
    expected = stats.f(2, density.degrees[0]).sf(squares / 2)
    p_values = model.evidence_p_values(rows)
    assert (np.abs(p_values.p_value - expected) < 5 * p_values.standard_error).all()
