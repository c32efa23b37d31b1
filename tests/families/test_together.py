"""Families of every kind in one model: EM for missing labels, against direct maximisation."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp
from scipy.stats import norm, poisson

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.families.bernoulli import Bernoulli
from gaussbayes.families.categorical import Categorical
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.poisson import Poisson
from gaussbayes.model.fit import solve
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution, score
from gaussbayes.model.statistics import observe

SCHEMA = Schema(np.array(["a", "b"]), 4, ("age", "visits", "smokes", "wind"), (3,))
LETTERS = ("calm", "gale", "wind")


def settings_of(smoothing: float) -> Settings:
    families = [
        Gaussian.of("diagonal"),
        Poisson(smoothing),
        Bernoulli(smoothing),
        Categorical(smoothing),
    ]
    return Settings(tuple(Component(family, (j,)) for j, family in enumerate(families)))


def table_of(seed: int, missing: float = 0.15, n: int = 90) -> LabelledRows:
    """Rows of two classes, of which two thirds have no label and each lacks some values."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    numbers = np.stack(
        [random.normal(2.5 * y), random.poisson(1.0 + 3 * y), random.random(n) < 0.2 + 0.5 * y],
        axis=1,
    ).astype(float)
    codes = (3 * random.beta(1.5, 2.5 - y)[:, None]).astype(np.int32)
    numbers[random.random(numbers.shape) < missing] = np.nan
    codes[random.random(codes.shape) < missing] = -2
    labels = np.where(np.arange(n) % 6 < 2, y, -1).astype(np.int32)
    rows = Rows(numbers, codes, (LETTERS,))
    return LabelledRows(
        rows, Targets(labels, 2, None, int((labels < 0).sum())), np.array(["a", "b"])
    )


def solved(table: LabelledRows, settings: Settings, start: Solution | None = None) -> Solution:
    return solve(observe(table, settings, SCHEMA), settings, SCHEMA, 1, start)


def objective(theta: np.ndarray, table: LabelledRows, smoothing: float) -> float:
    """The log-likelihood and the log of the prior, written down from the definitions."""
    prior, mean, spread = log_softmax([0.0, theta[0]]), theta[1:3], np.exp(theta[3:5])
    rate, odds, letters = np.exp(theta[5:7]), theta[7:9], theta[9:13].reshape(2, 2)
    log_q, log_p = log_softmax(np.stack([np.zeros(2), odds]), axis=0)
    log_letter = log_softmax(np.column_stack([np.zeros(2), letters]), axis=1)
    x, visits, smokes = table.rows.matrix.T[:, :, None]
    terms = np.stack(
        [
            norm.logpdf(x, mean, spread),
            poisson.logpmf(visits, rate),
            np.where(np.isnan(smokes), np.nan, np.where(smokes == 1, log_p, log_q)),
            np.where(table.rows.codes < 0, np.nan, log_letter.T[table.rows.codes[:, 0]]),
        ]
    )
    joint = prior + np.nansum(terms, axis=0)
    labels = table.targets.codes
    known = labels >= 0
    total = joint[known, labels[known]].sum() + logsumexp(joint[~known], axis=1).sum()
    average = np.nanmean(visits)
    penalty = (average * np.log(rate) - rate).sum() + (log_q + log_p).sum() + log_letter.sum()
    return float(total + smoothing * penalty)


def coordinates_of(solution: Solution) -> np.ndarray:
    gaussian, counts, bits, letters = solution.densities
    deviation = np.sqrt(gaussian.dense_covariance()[:, 0, 0])
    odds = bits.log_probability[1] - bits.log_probability[0]
    relative = letters.log_probability[:, 1:] - letters.log_probability[:, :1]
    return np.concatenate(
        [
            [np.log(solution.prior[1] / solution.prior[0])],
            gaussian.mean[:, 0],
            np.log(deviation),
            np.log(counts.rate[:, 0]),
            odds[:, 0],
            relative.ravel(),
        ]
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("seed", [0, 1])
def test_em_finds_the_maximum(seed: int, smoothing: float) -> None:
    table = table_of(seed)
    solution = solved(table, settings_of(smoothing))
    record = solution.convergence
    assert record is not None
    assert record.converged
    steps = np.diff(record.log_likelihood)
    assert (steps >= -1e-10 * np.abs(record.log_likelihood[:-1])).all()
    found = coordinates_of(solution)
    value = objective(found, table, smoothing)
    assert value == pytest.approx(record.log_likelihood[-1], rel=1e-9)
    around = found + 0.05 * np.random.default_rng(0).normal(size=found.size)
    direct = minimize(lambda theta: -objective(theta, table, smoothing), around, tol=1e-9)
    assert -direct.fun <= value + 1e-7
    np.testing.assert_allclose(direct.x, found, atol=2e-4)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_a_start_nearby_leads_to_the_same_model(smoothing: float) -> None:
    """Also if it lacks a category, or rules out what occurs now."""
    table, settings = table_of(2), settings_of(smoothing)
    cold = solved(table, settings)
    calm = np.flatnonzero(table.rows.codes[:, 0] != 1)
    numbers = table.rows.matrix[calm] * [1.0, 0.0, 1.0]
    few = Rows(numbers, table.rows.codes[calm], (LETTERS,))
    start = solved(LabelledRows(few, table.targets[calm], table.classes), settings)
    assert start.densities[3].categories == (("calm", "wind"),)
    if smoothing == 0:
        assert not start.densities[1].rate.any()
    warm = solved(table, settings, start)
    np.testing.assert_allclose(coordinates_of(warm), coordinates_of(cold), atol=1e-6)


def test_bad_values_are_named_among_all_rows() -> None:
    table = table_of(0)
    table.rows.matrix[17, 1] = 2.5
    with pytest.raises(DataError, match=r"row 17 has 2\.5 in 'visits', which must be an integer"):
        observe(table, settings_of(0.0), SCHEMA)


def test_scores_are_sums_over_families() -> None:
    table, settings = table_of(4), settings_of(0.5)
    solution = solved(table, settings)
    parts = settings.parts(table.rows, SCHEMA)
    pairs = zip(solution.densities, parts, strict=True)
    joint = solution.log_prior + sum(density.log_density(part) for density, part in pairs)
    np.testing.assert_allclose(score(solution, parts, "log_joint"), joint, rtol=1e-12)
