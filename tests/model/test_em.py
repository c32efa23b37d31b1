"""EM for missing labels, with families of every kind and values missing in each.

What EM finds is compared with the maximum that scipy finds of the likelihood, written down here
from its definition.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln, log_softmax, logsumexp

from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.model import statistics
from gaussbayes.model.model import solve
from gaussbayes.model.options import check_options
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import Solution, score
from gaussbayes.model.statistics import observe
from tests.fuzz import em_likelihood

Array = NDArray[np.float64]

FEATURES = ("age", "height", "visits", "smokes", "wind")
LETTERS = ("calm", "gale", "wind")
FAMILIES = {"visits": "poisson", "smokes": "bernoulli"}
SCHEMA = Schema(np.array(["a", "b"]), 5, FEATURES, (4,))


def table_of(seed: int, missing: float = 0.15, n: int = 60) -> LabelledRows:
    """Rows of two classes, two thirds of them without label; values are missing everywhere."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 2)) @ [[1.0, 0.6], [0.0, 0.8]] + 2.5 * y[:, None] * [1.0, -0.5]
    counts = [random.poisson(1.0 + 3 * y), random.random(n) < 0.2 + 0.5 * y]
    numbers = np.column_stack([X, *counts]).astype(float)
    codes = (3 * random.beta(1.5, 2.5 - y)[:, None]).astype(np.int32)
    numbers[random.random(numbers.shape) < missing] = np.nan
    codes[random.random(codes.shape) < missing] = -2
    labels = np.where(np.arange(n) % 6 < 2, y, -1).astype(np.int32)
    targets = Targets(labels, 2, random.choice([0.5, 1.0, 2.0], n), int((labels < 0).sum()))
    return LabelledRows(Rows(numbers, codes, (LETTERS,)), targets, np.array(["a", "b"]))


def unweighted(table: LabelledRows) -> LabelledRows:
    return replace(table, targets=replace(table.targets, weights=None))


def settings_of(**options: Any) -> Settings:
    return check_options(**{"families": FAMILIES, **options}).settings(SCHEMA)


def solved(table: LabelledRows, settings: Settings, start: Solution | None = None) -> Solution:
    return solve(observe(table, settings, SCHEMA), settings, SCHEMA, 1, start)


@dataclass(frozen=True)
class Likelihood:
    """What is to be maximised, as a function of a vector of free parameters.

    They are, for two classes: the log odds of the priors unless these are given, the means, the
    logarithms of the diagonals of the covariances' Cholesky factors and what is below, logarithms
    of the rates, log odds of the bits, log odds of the letters.
    """

    table: LabelledRows
    covariance: str = "full"
    shared: bool = False
    smoothing: float = 0.0
    priors: tuple[float, ...] | None = None
    unlabelled_weight: float = 1.0

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of a model."""
        return {
            "covariance": self.covariance,
            "shared": self.shared,
            "smoothing": self.smoothing,
            "priors": self.priors,
            "unlabelled_weight": self.unlabelled_weight,
        }

    @property
    def sizes(self) -> list[int]:
        """How many parameters of each kind there are."""
        m = 1 if self.shared else 2
        shape = {"full": (2, 1), "diagonal": (2, 0), "spherical": (1, 0)}[self.covariance]
        return [int(self.priors is None), 4, m * shape[0], m * shape[1], 2, 2, 4]

    def split(self, theta: Array) -> list[Array]:
        """The parameters of each kind."""
        return np.split(theta, np.cumsum(self.sizes)[:-1])

    def covariances(self, theta: Array) -> Array:
        """The covariances (2, 2, 2)."""
        _, _, log_diagonal, below, *_ = self.split(theta)
        m = 1 if self.shared else 2
        factor = np.zeros((m, 2, 2))
        factor[:, [0, 1], [0, 1]] = np.exp(log_diagonal.reshape(m, -1))
        if self.covariance == "full":
            factor[:, 1, 0] = below
        return np.broadcast_to(factor @ factor.transpose(0, 2, 1), (2, 2, 2))

    @cached_property
    def patterns(self) -> list[tuple[list[int], NDArray[np.intp]]]:
        """Which of the two numbers rows have, and which rows these are."""
        there = ~np.isnan(self.table.rows.matrix[:, :2])
        return [
            (columns, np.flatnonzero((there == [0 in columns, 1 in columns]).all(axis=1)))
            for columns in ([0], [1], [0, 1])
        ]

    @cached_property
    def weights(self) -> Array:
        """How much each row counts."""
        targets = self.table.targets
        return targets.total_weights() * np.where(targets.labelled, 1.0, self.unlabelled_weight)

    def log_gaussian(self, mean: Array, covariances: Array) -> Array:
        """The log density of the numbers that are there (n, 2)."""
        total = np.zeros((self.table.rows.n_rows, 2))
        for columns, rows in self.patterns:
            X = self.table.rows.matrix[np.ix_(rows, columns)]
            for c in range(2):
                block = covariances[c][np.ix_(columns, columns)]
                z = X - mean[c, columns]
                square = np.sum(z @ np.linalg.inv(block) * z, axis=1)
                volume = np.log(np.linalg.det(2 * np.pi * block))
                total[rows, c] = -0.5 * (volume + square)
        return total

    def __call__(self, theta: Array) -> float:
        """The log-likelihood of what was observed, and the log of the prior of smoothing."""
        odds_of_classes, mean, _, _, log_rate, odds, letters = self.split(theta)
        log_prior = (
            np.log(self.priors)
            if self.priors is not None
            else log_softmax([0.0, odds_of_classes[0]])
        )
        log_q, log_p = log_softmax(np.stack([np.zeros(2), odds]), axis=0)
        log_letter = log_softmax(np.column_stack([np.zeros(2), letters.reshape(2, 2)]), axis=1)
        _, _, visits, smokes = self.table.rows.matrix.T[:, :, None]
        codes = self.table.rows.codes
        terms = [
            visits * log_rate - np.exp(log_rate) - gammaln(visits + 1),
            np.where(np.isnan(smokes), np.nan, np.where(smokes == 1, log_p, log_q)),
            np.where(codes < 0, np.nan, log_letter.T[codes[:, 0]]),
        ]
        joint = log_prior + self.log_gaussian(mean.reshape(2, 2), self.covariances(theta))
        joint = joint + np.nansum(terms, axis=0)
        labels = self.table.targets.codes
        of_rows = np.where(
            labels < 0, logsumexp(joint, axis=1), joint[np.arange(labels.size), labels]
        )
        penalty = 0.0
        if self.smoothing:
            known = ~np.isnan(visits[:, 0])
            average = np.average(visits[known, 0], weights=self.weights[known])
            penalty = (average * log_rate - np.exp(log_rate)).sum()
            penalty += (log_q + log_p).sum() + log_letter.sum()
        return float(self.weights @ of_rows + self.smoothing * penalty)

    def rough_start(self) -> Array:
        """Means and rates of the labelled rows; unit variances, everything else uniform."""
        numbers, labels = self.table.rows.matrix, self.table.targets.codes
        means = np.stack([np.nanmean(numbers[labels == c], axis=0) for c in range(2)])
        pieces = [np.zeros(size) for size in self.sizes]
        pieces[1], pieces[4] = means[:, :2].ravel(), np.log(means[:, 2] + 0.1)
        return np.concatenate(pieces)

    def vector(self, solution: Solution) -> Array:
        """The parameters of a model."""
        gaussian, letters, counts, bits = solution.densities
        factor = np.linalg.cholesky(gaussian.dense_covariance())
        diagonal = np.diagonal(factor, axis1=1, axis2=2)
        isotropic = self.covariance == "spherical"
        prior = np.log(solution.prior[1:] / solution.prior[0])
        relative = letters.log_probability[:, 1:] - letters.log_probability[:, :1]
        pieces = [
            prior if self.priors is None else np.empty(0),
            gaussian.mean.ravel(),
            np.log(diagonal[:, :1] if isotropic else diagonal).ravel(),
            factor[:, 1, 0] if self.covariance == "full" else np.empty(0),
            np.log(counts.rate[:, 0]),
            (bits.log_probability[1] - bits.log_probability[0])[:, 0],
            relative.ravel(),
        ]
        return np.concatenate(pieces)


TABLE = table_of(1)
LIKELIHOODS = {
    "own full": Likelihood(unweighted(TABLE)),
    "shared full": Likelihood(unweighted(TABLE), shared=True),
    "own diagonal": Likelihood(unweighted(TABLE), "diagonal"),
    "own spherical": Likelihood(unweighted(TABLE), "spherical"),
    "shared diagonal, smoothed": Likelihood(
        unweighted(TABLE), "diagonal", shared=True, smoothing=0.5
    ),
    "weights": Likelihood(TABLE),
    "weights, smoothed, less of the unlabelled rows": Likelihood(
        TABLE, smoothing=0.5, unlabelled_weight=0.3
    ),
    "given priors": Likelihood(TABLE, shared=True, priors=(0.3, 0.7)),
    "nothing missing but labels": Likelihood(table_of(3, missing=0.0)),
}


@pytest.mark.parametrize("likelihood", LIKELIHOODS.values(), ids=LIKELIHOODS)
def test_em_finds_the_maximum(likelihood: Likelihood) -> None:
    """To 1e-8 of the log-likelihood that scipy finds, from a start of its own."""
    solution = solved(likelihood.table, settings_of(**likelihood.options))
    record = solution.convergence
    assert record is not None
    assert record.converged
    assert np.diff(record.log_likelihood).min() >= -1e-10 * abs(record.log_likelihood[-1])
    theta = likelihood.vector(solution)
    value = likelihood(theta)
    assert value == pytest.approx(record.log_likelihood[-1], rel=1e-11)
    direct = minimize(lambda at: -likelihood(at), likelihood.rough_start(), tol=1e-5)
    assert -direct.fun == pytest.approx(value, rel=1e-8)
    np.testing.assert_allclose(direct.x, theta, atol=1e-3)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_a_start_nearby_leads_to_the_same_model(smoothing: float) -> None:
    """Also if it lacks a category, or rules out what occurs now."""
    table, settings = unweighted(table_of(2)), settings_of(smoothing=smoothing)
    likelihood = Likelihood(table, smoothing=smoothing)
    cold = solved(table, settings)
    calm = np.flatnonzero(table.rows.codes[:, 0] != 1)
    numbers = table.rows.matrix[calm] * [1.0, 1.0, 0.0, 1.0]
    some = Rows(numbers, table.rows.codes[calm], (LETTERS,))
    start = solved(LabelledRows(some, table.targets[calm], table.classes), settings)
    assert start.densities[1].categories == (("calm", "wind"),)
    if smoothing == 0:
        assert not start.densities[2].rate.any()
    warm = solved(table, settings, start)
    np.testing.assert_allclose(likelihood.vector(warm), likelihood.vector(cold), atol=1e-6)


def test_what_regularises_acts_once_in_the_end() -> None:
    """Divisor and shrinkage change the covariances of the maximum by their formulas alone."""
    plain = solved(TABLE, settings_of())
    weight = plain.weight
    assert weight is not None
    np.testing.assert_allclose(weight.sum(), TABLE.targets.total_weights().sum(), rtol=1e-12)
    np.testing.assert_allclose(weight / weight.sum(), plain.prior, rtol=1e-12)
    covariance = plain.densities[0].dense_covariance()
    unbiased = solved(TABLE, settings_of(divisor="unbiased")).densities[0]
    expected = covariance * (weight / (weight - 1))[:, None, None]
    np.testing.assert_allclose(unbiased.dense_covariance(), expected, rtol=1e-8)
    shrunk = solved(TABLE, settings_of(shrinkage=0.3, target="spherical")).densities[0]
    sphere = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
    np.testing.assert_allclose(
        shrunk.dense_covariance(), 0.7 * covariance + 0.3 * sphere, rtol=1e-8
    )
    for density in (unbiased, shrunk):
        np.testing.assert_allclose(density.mean, plain.densities[0].mean, rtol=1e-9)


def test_rows_of_weight_0_are_those_of_labelled_rows_alone() -> None:
    labelled = TABLE.targets.labelled
    alone = LabelledRows(TABLE.rows[labelled], TABLE.targets[labelled], TABLE.classes)
    settings = settings_of(unlabelled_weight=0.0)
    likelihood = Likelihood(TABLE, unlabelled_weight=0.0)
    np.testing.assert_array_equal(
        likelihood.vector(solved(TABLE, settings)), likelihood.vector(solved(alone, settings))
    )


def test_threads_do_not_change_a_bit_and_blocks_next_to_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, likelihood = settings_of(), Likelihood(TABLE)
    learnt = observe(TABLE, settings, SCHEMA)
    whole = likelihood.vector(solve(learnt, settings, SCHEMA, 1))
    monkeypatch.setattr(statistics, "_BLOCK", 7)
    in_blocks = [likelihood.vector(solve(learnt, settings, SCHEMA, jobs)) for jobs in (1, 3)]
    np.testing.assert_array_equal(in_blocks[0], in_blocks[1])
    np.testing.assert_allclose(in_blocks[0], whole, rtol=0, atol=1e-9)


def test_the_log_likelihood_never_falls() -> None:
    """A short run; 10,000 tables are fitted by ``python -m tests.fuzz.em_likelihood``."""
    outcome = em_likelihood.run(50, seed=2)
    assert outcome.fits >= 40
    assert outcome.fall <= em_likelihood.LARGEST_FALL


def test_a_likelihood_without_maximum_is_said_to_be_one() -> None:
    """Class a has two labelled rows at one point, about which its covariance may vanish."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [5.0, 1.0], [6.0, 3.0], [4.0, 2.5], [5.5, 2.0]])
    schema = Schema(np.array(["a", "b"]), 2)
    targets = Targets(np.array([0, 0, 1, 1, 1, -1], np.int32), 2, None, 1)
    table = LabelledRows(Rows(X, np.empty((6, 0), np.int32)), targets, schema.classes)
    settings = check_options().settings(schema)
    with pytest.raises(
        SingularCovarianceError, match="likelihood of the rows has no max"
    ) as raised:
        solve(observe(table, settings, schema), settings, schema)
    # Each remedy works; what does not, such as a diagonal covariance, is not advised.
    assert str(raised.value).partition("Remedies: ")[2].split("; ") == [
        "select the model automatically (AutoClassifier())",
        "shrink covariances (shrinkage=0.1)",
        "share one covariance among the classes (shared=True)",
    ]
    shared = check_options(shared=True).settings(schema)
    assert solve(observe(table, shared, schema), shared, schema).convergence is not None
    shrunk = check_options(shrinkage=0.2).settings(schema)
    solution = solve(observe(table, shrunk, schema), shrunk, schema)
    assert solution.convergence is not None
    assert solution.convergence.penalised


def test_bad_values_are_named_among_all_rows() -> None:
    table = table_of(0)
    table.rows.matrix[17, 2] = 2.5
    with pytest.raises(DataError, match=r"row 17 has 2\.5 in 'visits', which must be an integer"):
        observe(table, settings_of(), SCHEMA)


def test_scores_are_sums_over_families() -> None:
    table, settings = table_of(4), settings_of(smoothing=0.5)
    solution = solved(table, settings)
    parts = settings.parts(table.rows, SCHEMA)
    pairs = zip(solution.densities, parts, strict=True)
    joint = solution.log_prior + sum(density.log_density(part) for density, part in pairs)
    np.testing.assert_allclose(score(solution, parts, "log_joint"), joint, rtol=1e-12)
