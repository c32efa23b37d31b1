"""Missing values and labels: exact answers, scipy's maximisation, plain EM, scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import Gaussian, GaussianDensity, Structure
from gaussbayes.families.gaussian.cells import observe
from gaussbayes.families.protocol import Fit
from gaussbayes.model.model import solve
from gaussbayes.model.options import internal_options
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import observe as learn


def fit(X: FloatArray, codes: CodeArray, k: int, structure: Structure) -> Fit:
    statistics = observe(X, codes, None, k, "full")
    return Gaussian(structure).estimate(statistics, Schema(np.arange(k), X.shape[1]))


def covariances(density: GaussianDensity) -> FloatArray:
    k, d = density.offset.shape
    return np.broadcast_to(density.covariance.dense(), (k, d, d))


# The set `apple`: what is missing is missing from some row on, so that the answer is rational.

SIZE = [8, 6, 11, 22, 14, 17, 18, 24, 19, 23, 26, 40, 4, 4, 5, 6, 8, 10]
WORMS = [59, 58, 56, 53, 50, 45, 43, 42, 39, 38, 30, 27]
MEAN = Fraction(265, 18), Fraction(148, 3)
COVARIANCE = Fraction(29009, 324), Fraction(-377117, 4158), Fraction(12240475, 106722)
LOG_LIKELIHOOD = -101.7856321278233


def apple() -> FloatArray:
    X = np.full((18, 2), np.nan)
    X[:, 0], X[:12, 1] = SIZE, WORMS
    return X


def test_the_rational_answer_is_that_of_the_regression() -> None:
    """The reference itself: worms regressed on size by the 12 rows that have both."""
    size, worms = [Fraction(s) for s in SIZE], [Fraction(w) for w in WORMS]
    mean = sum(size) / 18
    variance = sum((s - mean) ** 2 for s in size) / 18
    own, other = sum(size[:12]) / 12, sum(worms) / 12
    square = sum((s - own) ** 2 for s in size[:12]) / 12
    product = sum((s - own) * (w - other) for s, w in zip(size, worms, strict=False)) / 12
    left = sum((w - other) ** 2 for w in worms) / 12 - product**2 / square
    slope = product / square
    assert (mean, other + slope * (mean - own)) == MEAN
    assert (variance, slope * variance, left + slope**2 * variance) == COVARIANCE


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("scale", [1.0, 2.0**-27, 2.0**27])
def test_apple_to_thirteen_digits(offset: float, scale: float) -> None:
    found = fit(scale * (apple() + offset), np.zeros(18, np.int32), 1, Structure())
    density = found.density
    mean = (density.center / scale - offset) + density.offset[0] / scale
    np.testing.assert_allclose(mean, [float(m) for m in MEAN], rtol=1e-13)
    covariance = covariances(density)[0][np.tril_indices(2)] / scale**2
    np.testing.assert_allclose(covariance, [float(c) for c in COVARIANCE], rtol=1e-13)
    in_units = found.convergence.log_likelihood[-1] + 30 * np.log(scale)
    assert in_units == pytest.approx(LOG_LIKELIHOOD, rel=1e-12)
    assert found.convergence.converged


# Direct maximisation


def drawn(seed: int, n: int, d: int, k: int, missing: float) -> tuple[FloatArray, CodeArray]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n, dtype=np.int32) % k
    turn = np.eye(d) + 0.6 * rng.normal(size=(d, d))
    X = rng.normal(size=(n, d)) @ turn + 2.0 * codes[:, None]
    lacking = rng.random((n, d)) < missing
    lacking[lacking.all(axis=1), 0] = False
    X[lacking] = np.nan
    return X, codes


def densities(X: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """``log p(x_o | c)`` (n, k) by scipy; covariances (k, d, d)."""
    logs = np.empty((X.shape[0], mean.shape[0]))
    there = ~np.isnan(X)
    for o in np.unique(there, axis=0):
        rows = (there == o).all(axis=1)
        for c in range(mean.shape[0]):
            own = multivariate_normal(mean[c, o], covariance[c][np.ix_(o, o)])
            logs[rows, c] = own.logpdf(X[np.ix_(rows, o)])
    return logs


def maximum(X: FloatArray, codes: CodeArray, k: int, *, shared: bool) -> float:
    """The largest log-likelihood that a quasi-Newton method finds; it does not know EM."""
    n, d = X.shape
    m, rows, columns = (1 if shared else k), *np.tril_indices(d)

    def negative(x: FloatArray) -> float:
        lower = np.zeros((m, d, d))
        lower[:, rows, columns] = x[k * d :].reshape(m, -1)
        diagonal = np.einsum("mii->mi", lower)
        diagonal[...] = np.exp(diagonal)
        covariance = np.broadcast_to(lower @ lower.transpose(0, 2, 1), (k, d, d))
        logs = densities(X, x[: k * d].reshape(k, d), covariance)
        return -float(logs[np.arange(n), codes].sum())

    means = np.array([np.nanmean(X[codes == c], axis=0) for c in range(k)])
    start = np.concatenate([means.ravel(), np.zeros(m * rows.size)])
    return -float(minimize(negative, start, method="BFGS", options={"gtol": 1e-5}).fun)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("seed", "d", "k"), [(0, 2, 2), (1, 2, 1), (2, 3, 1), (3, 2, 3)])
def test_nothing_is_more_likely(seed: int, d: int, k: int, shared: bool) -> None:
    X, codes = drawn(seed, 20 * k, d, k, 0.3)
    found = fit(X, codes, k, Structure("full", float(shared)))
    reached = found.convergence.log_likelihood[-1]
    assert reached == pytest.approx(maximum(X, codes, k, shared=shared), rel=0, abs=1e-6)
    # The record is the likelihood of the model, by scipy's densities.
    logs = densities(X, found.density.mean, covariances(found.density))
    assert reached == pytest.approx(float(logs[np.arange(codes.size), codes].sum()), rel=1e-12)


# Unlabelled rows


def solved(X: FloatArray, codes: CodeArray, structure: Structure, weight: float = 1.0) -> Solution:
    """The model of rows of two classes, −1 for those without label."""
    schema = Schema(np.arange(2), X.shape[1])
    weights = np.where(codes < 0, weight, 1.0)
    targets = Targets(codes, 2, weights, int((codes < 0).sum()))
    rows = LabelledRows(number_rows(X), targets, schema.classes)
    options = internal_options(covariance=structure.covariance, shared=structure.sharing)
    settings = options.settings(schema)
    return solve(learn(rows, settings, schema), settings, schema)


def test_few_labels_end_where_a_mixture_does() -> None:
    """Labels of next to no weight: a Gaussian mixture started from the same place."""
    X, codes = drawn(6, 400, 2, 2, 0.0)
    X += 2.0 * codes[:, None]
    hidden = codes.copy()
    hidden[20:] = -1
    found = solved(X, hidden, Structure(), 1e7)
    means = np.array([X[hidden == c].mean(axis=0) for c in range(2)])
    mixture = GaussianMixture(
        2, tol=1e-12, reg_covar=0.0, max_iter=10_000, means_init=means, random_state=0
    ).fit(X[20:])
    density = found.densities[0]
    np.testing.assert_allclose(found.prior, mixture.weights_, rtol=1e-4)
    np.testing.assert_allclose(density.mean, mixture.means_, rtol=1e-3)
    np.testing.assert_allclose(covariances(density), mixture.covariances_, rtol=2e-3)
