"""The oracle itself: its densities are scipy's, and no parameters are more likely than its own."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, poisson

from tests.composition import oracle
from tests.composition.cases import CASES, KINDS, SMOOTHING, Case, truth_of


@pytest.mark.parametrize("kind", KINDS)
def test_densities_are_those_of_scipy(kind):
    case = Case(kind, "missing", "full")
    truth, query = truth_of(case), case.query
    density, squares = truth.log_density(query), truth.squared_distance(query)
    for i in range(query.y.size):
        there = ~np.isnan(query.X[i])
        for c in range(3):
            expected = 0.0
            if there.any():
                x, mean = query.X[i, there], truth.mean[c, there]
                matrix = truth.covariance[c][np.ix_(there, there)]
                expected += multivariate_normal(mean, matrix).logpdf(x)
                expected -= x.sum() if query.logged else 0.0  # the slope of log x is 1 / x
                distance = (x - mean) @ np.linalg.inv(matrix) @ (x - mean)
                assert squares[i, c] == pytest.approx(distance, rel=1e-10)
            for count, rate in zip(query.N[i], truth.rate[c], strict=True):
                expected += 0.0 if np.isnan(count) else poisson(rate).logpmf(count)
            for code, table in zip(query.Z[i], truth.probability, strict=True):
                expected += 0.0 if code < 0 else np.log(table[c, code])
            assert density[i, c] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.is_em and case.structure in {"full", "spherical shared"}],
    ids=str,
)
def test_the_likelihood_is_flat_where_em_ends(case):
    """Whatever is changed a little: means, variances, rates, probabilities, priors."""
    truth, data = truth_of(case), case.data
    labelled = data.y >= 0
    k, g = truth.mean.shape

    def objective(change):
        shift, log_scale, log_rate, *rest = np.split(
            change, np.cumsum([k * g, 1, truth.rate.size, k])
        )
        prior = truth.prior * np.exp(rest[0])
        tables, start = [], 0
        for table in truth.probability:
            moved = table * np.exp(rest[1][start : start + table.size].reshape(table.shape))
            tables.append(moved / moved.sum(axis=1, keepdims=True))
            start += table.size
        rate = truth.rate * np.exp(log_rate.reshape(truth.rate.shape))
        there = oracle.Truth(
            prior / prior.sum(),
            truth.mean + shift.reshape(k, g),
            truth.covariance * np.exp(log_scale[0] if g else 0.0),
            rate,
            tuple(tables),
        )
        joint = there.log_joint(data)
        total = joint[labelled, data.y[labelled]].sum()
        total += np.logaddexp.reduce(joint[~labelled], axis=1).sum()
        overall = np.nanmean(data.N, axis=0)
        penalty = sum(np.log(table).sum() for table in tables)
        return total + SMOOTHING * (penalty + (overall * np.log(rate) - rate).sum())

    size = k * g + 1 + truth.rate.size + k + sum(table.size for table in truth.probability)
    slope = approx_fprime(np.zeros(size), objective, 1e-6)
    assert np.abs(slope).max() < 2e-3
    assert objective(np.zeros(size)) == pytest.approx(truth.log_likelihood + truth.smoothed)
