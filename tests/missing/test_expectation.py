"""The E-step against the textbook's formulas, row by row, with scipy's densities."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.missing.expectation import Gaussians, Sums, expect
from gaussbayes.families.gaussian.missing.points import Block, Frame, blocks_of


def incomplete(
    seed: int, n: int, d: int, k: int, missing: float = 0.4
) -> tuple[FloatArray, CodeArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    lacking = rng.random((n, d)) < missing
    lacking[lacking.all(axis=1), 0] = False
    X[lacking] = np.nan
    return X, rng.integers(0, k, n).astype(np.int32), rng.uniform(0.5, 2.0, n)


def model_of(seed: int, d: int, k: int, m: int) -> tuple[Gaussians, FloatArray]:
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(m, d, d))
    covariance = base @ base.transpose(0, 2, 1) + np.eye(d)
    whitener = np.linalg.inv(np.linalg.cholesky(covariance))
    prior = rng.dirichlet(np.ones(k))
    log_det = np.linalg.slogdet(covariance)[1]
    return Gaussians(np.log(prior), rng.normal(size=(k, d)), whitener, log_det), covariance


def textbook(
    X: FloatArray, memberships: FloatArray, mean: FloatArray, covariance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, sums and scatters about the means; every row by its regression on what it has."""
    n, d = X.shape
    k = mean.shape[0]
    weight, shift, scatter = np.zeros(k), np.zeros((k, d)), np.zeros_like(covariance)
    for i in range(n):
        o = ~np.isnan(X[i])
        for c in range(k):
            m = min(c, covariance.shape[0] - 1)
            own = covariance[m]
            slope = own[:, o] @ np.linalg.inv(own[np.ix_(o, o)])
            expected = slope @ (X[i, o] - mean[c, o])
            w = memberships[i, c]
            weight[c] += w
            shift[c] += w * expected
            scatter[m] += w * (np.outer(expected, expected) + own - slope @ own[o])
    return weight, shift, scatter


def log_densities(X: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    logs = np.empty((X.shape[0], mean.shape[0]))
    for i, row in enumerate(X):
        o = ~np.isnan(row)
        for c in range(mean.shape[0]):
            own = covariance[min(c, covariance.shape[0] - 1)][np.ix_(o, o)]
            logs[i, c] = multivariate_normal(mean[c, o], own).logpdf(row[o])
    return logs


def assert_sums(sums: Sums, expected: tuple[FloatArray, ...], log_likelihood: float) -> None:
    np.testing.assert_allclose(sums.weight, expected[0], rtol=1e-12)
    np.testing.assert_allclose(sums.shift, expected[1], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(sums.scatter, expected[2], rtol=1e-10, atol=1e-10)
    assert sums.log_likelihood == pytest.approx(log_likelihood, rel=1e-12)


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize(("n", "d"), [(30, 4), (400, 2), (60, 1)])
def test_labelled_rows(n: int, d: int, m: int, careful: bool) -> None:
    X, codes, weights = incomplete(1, n, d, 2)
    model, covariance = model_of(2, d, 2, m)
    model = Gaussians(model.log_prior, model.mean, model.whitener, model.log_det, careful)
    frame = Frame(np.zeros((2, d)), np.ones((m, d)))
    memberships = np.eye(2)[codes] * weights[:, None]
    logs = log_densities(X, model.mean, covariance) + model.log_prior
    sums = expect(blocks_of(X, codes, weights, frame), model, frame)
    expected = textbook(X, memberships, model.mean, covariance)
    assert_sums(sums, expected, float((memberships * logs).sum()))


@pytest.mark.parametrize("m", [1, 3])
def test_unlabelled_rows(m: int) -> None:
    X, _, weights = incomplete(3, 50, 3, 3)
    model, covariance = model_of(4, 3, 3, m)
    frame = Frame(np.zeros((3, 3)), np.ones((m, 3)))
    logs = log_densities(X, model.mean, covariance) + model.log_prior
    evidence = logsumexp(logs, axis=1)
    memberships = np.exp(logs - evidence[:, None]) * weights[:, None]
    blocks = blocks_of(X, np.full(50, -1, np.int32), weights, frame)
    expected = textbook(X, memberships, model.mean, covariance)
    assert_sums(expect(blocks, model, frame), expected, float(weights @ evidence))


def test_units_change_no_density() -> None:
    X, codes, weights = incomplete(5, 40, 3, 2)
    codes[:10] = -1
    model, _ = model_of(6, 3, 2, 2)
    plain = Frame(np.zeros((2, 3)), np.ones((2, 3)))
    unit = np.array([[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]])
    frame = Frame(np.ones((2, 3)), unit)
    scaled = Gaussians(
        model.log_prior,
        (model.mean - 1.0) / unit,
        model.whitener * unit[:, None, :],
        model.log_det - 2 * np.log(unit).sum(axis=1),
    )
    one = expect(blocks_of(X, codes, weights, plain), model, plain)
    two = expect(blocks_of(X, codes, weights, frame), scaled, frame)
    assert two.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-13)
    np.testing.assert_allclose(two.shift * unit, one.shift, rtol=1e-9, atol=1e-10)


def test_threads_change_no_bit() -> None:
    X, codes, weights = incomplete(7, 3000, 20, 2, 0.2)
    model, _ = model_of(8, 20, 2, 2)
    frame = Frame(np.zeros((2, 20)), np.ones((2, 20)))
    blocks = blocks_of(X, codes, weights, frame)
    assert len(blocks) > 4
    one, two = (expect(blocks, model, frame, threads) for threads in (1, 2))
    assert one.scatter.tobytes() == two.scatter.tobytes()
    assert one.log_likelihood == two.log_likelihood


def sums_of(block: Block) -> tuple[float, FloatArray, FloatArray]:
    located = block.weight * block.located
    product = block.points.T @ (block.weight[:, None] * block.points)
    return float(located.sum()), located @ block.points, product


def test_many_rows_alike_become_few_points() -> None:
    rng = np.random.default_rng(9)
    X, weights = rng.normal(size=(500, 3)), rng.uniform(0.5, 2.0, 500)
    frame = Frame(np.zeros((1, 3)), np.ones((1, 3)))
    (block,) = blocks_of(X, np.zeros(500, np.int32), weights, frame)
    assert block.points.shape == (4, 3)
    weight, total, product = sums_of(block)
    assert weight == pytest.approx(weights.sum(), rel=1e-14)
    np.testing.assert_allclose(total, weights @ X, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(product, X.T @ (weights[:, None] * X), rtol=1e-12, atol=1e-11)
