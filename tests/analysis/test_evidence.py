"""P-values of the evidence: intervals found by root-finding, draws, enumerated categories."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, multivariate_normal, norm

from gaussbayes.analysis.novelty import (
    ExactEvidence,
    SimulatedEvidence,
    class_p_values,
    evidence_distribution,
    evidence_p_values,
)
from gaussbayes.analysis.synthesis import draw
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.categorical.family import CategoricalDensity
from gaussbayes.model.model import Model
from tests.gaussians import COVARIANCES, MEANS, PRIORS, beside, categorical_model, model_of

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture(scope="module")
def three() -> Model:
    return model_of(PRIORS, MEANS, COVARIANCES)


@pytest.mark.parametrize("priors", [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
def test_the_evidence_of_one_class_is_exact(priors: list[float]) -> None:
    model = model_of(priors, MEANS, COVARIANCES)
    X = np.random.default_rng(2).normal(size=(30, 2)) * 9
    found = evidence_distribution(model)
    assert isinstance(found, ExactEvidence)
    answer = found.p_values(model.log_evidence(number_rows(X)))
    own = class_p_values(model, number_rows(X))[:, int(np.argmax(priors))]
    np.testing.assert_allclose(answer.p_value, own, rtol=1e-11)
    assert not answer.standard_error.any()
    at_the_mean = found.p_values(model.log_evidence(number_rows(MEANS[[int(np.argmax(priors))]])))
    assert at_the_mean.p_value.tolist() == [1.0]


def interval_p_value(level: float, priors: Any, means: Any, deviations: Any) -> float:
    """``P(log p(X) ≤ level)`` in one dimension: the intervals below the level, by their ends."""

    def above(x: float) -> float:
        parts = np.log(priors) + norm.logpdf(x, means, deviations)
        return float(np.logaddexp.reduce(parts)) - level

    points = np.linspace(-200, 200, 5_000) + 1e-3 * np.sqrt(2)  # none of them an end itself
    parts = np.log(priors) + norm.logpdf(points[:, None], means, deviations)
    signs = np.sign(np.logaddexp.reduce(parts, axis=1) - level)
    turns = np.flatnonzero(np.diff(signs))
    ends = [-np.inf, *(brentq(above, points[i], points[i + 1]) for i in turns), np.inf]
    total = 0.0
    for number, (left, right) in enumerate(pairwise(ends)):
        if number % 2 == 0:
            for prior, mean, deviation in zip(priors, means, deviations, strict=True):
                below = norm.cdf([left, right], mean, deviation)
                over = norm.sf([left, right], mean, deviation)
                # The difference in that tail in which it keeps its digits.
                total += prior * (over[0] - over[1] if left > mean else below[1] - below[0])
    return float(total)


@pytest.mark.parametrize(
    ("priors", "means", "deviations"),
    [
        ([0.5, 0.5], [0.0, 3.0], [1.0, 1.0]),
        ([0.9, 0.1], [0.0, 8.0], [1.0, 2.0]),
        ([0.999, 0.001], [0.0, 0.0], [1.0, 5.0]),
        ([0.2, 0.3, 0.5], [-5.0, 0.0, 7.0], [1.0, 0.5, 3.0]),
    ],
)
def test_evidence_in_one_dimension_by_intervals(
    priors: list[float], means: list[float], deviations: list[float]
) -> None:
    variances = np.square(deviations)[:, None, None]
    model = model_of(priors, np.array(means)[:, None], variances)
    found = evidence_distribution(model)
    assert isinstance(found, SimulatedEvidence)
    far = max(deviations)
    X = np.array([-20 * far, -8 * far, -3.0, 0.1, 1.5, 4.0, 6 * far, 15 * far, 30 * far])[:, None]
    log_evidence = model.log_evidence(number_rows(X))
    answer = found.p_values(log_evidence)
    exact = np.array([interval_p_value(t, priors, means, deviations) for t in log_evidence])
    assert exact.min() < 1e-140
    assert np.all(np.abs(answer.p_value - exact) <= 4 * answer.standard_error)
    assert np.all(answer.standard_error <= 0.3 * exact)  # small even where exact is


def test_evidence_in_two_dimensions_by_draws(three: Model) -> None:
    rng = np.random.default_rng(3)
    n = 100_000
    codes = rng.choice(3, size=n, p=PRIORS)
    X = np.empty((n, 2))
    for c in range(3):
        own = codes == c
        X[own] = rng.multivariate_normal(MEANS[c], COVARIANCES[c], size=int(own.sum()))
    parts = zip(PRIORS, MEANS, COVARIANCES, strict=True)
    evidence = sum(p * multivariate_normal(mean, matrix).pdf(X) for p, mean, matrix in parts)
    share = np.array([0.001, 0.01, 0.05, 0.3, 0.8])
    level = np.log(np.quantile(evidence, share))
    answer = evidence_distribution(three).p_values(level)
    spread = np.hypot(answer.standard_error, np.sqrt(share * (1 - share) / n))
    assert np.all(np.abs(answer.p_value - share) <= 4 * spread)


def upper_bound(model: Model, log_evidence: FloatArray) -> FloatArray:
    """``p(X) ≤ t`` implies ``prior_c p(X | c) ≤ t`` for the class that X is of: a χ² tail."""
    peak = np.diagonal(model.log_joint(number_rows(model.densities[0].mean)))
    squares = 2 * np.maximum(peak - log_evidence[:, None], 0)
    return np.asarray(chi2.sf(squares, model.schema.n_features) @ model.prior)


@pytest.mark.parametrize("d", [2, 10, 50])
def test_the_evidence_keeps_below_its_upper_bound(d: int) -> None:
    rng = np.random.default_rng(d)
    factors = rng.normal(size=(4, d, d))
    covariances = factors @ factors.transpose(0, 2, 1) + np.eye(d)
    model = model_of([0.4, 0.3, 0.2, 0.1], 3 * rng.normal(size=(4, d)), covariances)
    X = draw(model, 50, rng)[0].matrix * np.linspace(0.1, 5, 50)[:, None]
    log_evidence = model.log_evidence(number_rows(X))
    answer = evidence_distribution(model, 20_000).p_values(log_evidence)
    bound = upper_bound(model, log_evidence)
    assert np.all(answer.p_value <= bound + 4 * answer.standard_error)
    # And of classes that lie apart it is not far below, as far as tails are simulated.
    near = bound > 1e-290
    assert np.all((answer.p_value >= bound / 100 - 4 * answer.standard_error)[near])


def test_standard_errors_are_those_of_many_simulations(three: Model) -> None:
    level = np.quantile(three.log_evidence(draw(three, 5000, np.random.default_rng(4))[0]), 0.05)
    levels = level - np.array([0.0, 5.0, 50.0])
    answers = [evidence_distribution(three, 4000, seed).p_values(levels) for seed in range(60)]
    spread = np.std([answer.p_value for answer in answers], axis=0)
    stated = np.mean([answer.standard_error for answer in answers], axis=0)
    # Never less than what is seen, but for the 10 % by which a deviation of 60 numbers is known.
    assert np.all(spread <= 1.3 * stated)
    assert np.all(spread >= 0.1 * stated)


def test_the_same_answer_each_time(three: Model) -> None:
    level = np.array([-5.0, -9.0])
    one, again = evidence_distribution(three, 5000), evidence_distribution(three, 5000)
    np.testing.assert_array_equal(one.p_values(level).p_value, again.p_values(level).p_value)
    other = evidence_distribution(three, 5000, random_state=1).p_values(level)
    assert (other.p_value != one.p_values(level).p_value).all()


def test_p_values_grow_with_the_evidence_from_0_to_1(three: Model) -> None:
    level = np.linspace(-2000, 0, 500)
    answer = evidence_distribution(three, 2000).p_values(level)
    assert (np.diff(answer.p_value) >= 0).all()
    assert (answer.p_value[0], answer.p_value[-1]) == (0.0, 1.0)
    inside = (answer.p_value > 0) & (answer.p_value < 1)
    assert (answer.standard_error[inside] > 0).all()


def test_a_huge_common_offset_costs_nothing(three: Model) -> None:
    moved = model_of(PRIORS, MEANS + 2.0**30, COVARIANCES)
    level = np.array([-4.0, -8.0, -40.0])
    here = evidence_distribution(three).p_values(level).p_value
    there = evidence_distribution(moved).p_values(level).p_value
    np.testing.assert_allclose(there, here, rtol=1e-3)  # a few rows change places


@pytest.mark.parametrize("n_draws", [1, 2.5, "many"])
def test_bad_numbers_of_draws(three: Model, n_draws: Any) -> None:
    with pytest.raises(OptionError, match="n_draws must be an integer, at least 2, got"):
        evidence_distribution(three, n_draws)


def rare_categories(q: int) -> tuple[CategoricalDensity, np.ndarray]:
    """q features of three categories, some of them rare, and every row there can be."""
    random = np.random.default_rng(q)
    shares = random.dirichlet([1.0, 0.3, 0.02], size=(3, q)).clip(1e-9)
    shares /= shares.sum(axis=2, keepdims=True)
    letters = CategoricalDensity((("a", "b", "c"),) * q, np.log(shares.reshape(3, -1)))
    every = np.array(list(product(range(3), repeat=q)), dtype=np.int32)
    return letters, every


def test_categories_alone_by_enumeration() -> None:
    """Down to rows that are met once in 1e30."""
    letters, every = rare_categories(6)
    model = categorical_model(PRIORS, letters)
    shares = np.exp(letters.log_probability).reshape(3, 6, 3)
    joint = np.log(PRIORS) + np.log(shares[:, np.arange(6), every]).sum(axis=2).T
    evidence = np.logaddexp.reduce(joint, axis=1)
    exact = np.array([np.exp(evidence[evidence <= one + 1e-9]).sum() for one in evidence])
    answer = evidence_p_values(model, Rows(np.empty((729, 0)), every, letters.categories))
    assert exact.min() < 1e-30
    known = answer.standard_error < 0.2 * exact
    assert known.mean() > 0.95
    assert np.all(np.abs(answer.p_value - exact)[known] <= 5 * answer.standard_error[known] + 1e-15)


def test_numbers_and_categories_by_draws(three: Model) -> None:
    letters, _ = rare_categories(2)
    model = beside(three, letters)
    rows, _ = draw(model, 100_000, np.random.default_rng(1))
    share = np.array([0.001, 0.01, 0.05, 0.3, 0.8])
    level = np.quantile(model.log_evidence(rows), share)
    answer = evidence_distribution(model).p_values(level)
    spread = np.hypot(answer.standard_error, np.sqrt(share * (1 - share) / 100_000))
    assert np.all(np.abs(answer.p_value - share) <= 4 * spread)


def test_one_class_with_categories(three: Model) -> None:
    """No closed form: the χ² tails of each category, by its probability."""
    letters = CategoricalDensity((("a", "b"),), np.log([[0.9, 0.1]] * 3))
    model = beside(three.with_priors([1.0, 0.0, 0.0]), letters)
    level = np.array([-3.0, -10.0, -60.0])
    peak = multivariate_normal(MEANS[0], COVARIANCES[0]).logpdf(MEANS[0])
    exact = sum(p * chi2.sf(2 * np.maximum(peak + np.log(p) - level, 0.0), 2) for p in (0.9, 0.1))
    answer = evidence_distribution(model).p_values(level)
    assert np.all(np.abs(answer.p_value - exact) <= 4 * answer.standard_error)


def test_rows_with_missing_values_are_among_rows_of_what_they_have(three: Model) -> None:
    letters, _ = rare_categories(1)
    model = beside(three, letters)
    numbers = np.array([[0.5, np.nan], [np.nan, np.nan], [3.0, 2.0], [np.nan, np.nan]])
    codes = np.array([[-2], [2], [-1], [-2]], np.int32)
    rows = Rows(numbers, codes, letters.categories)
    answer = evidence_p_values(model, rows)
    first = evidence_p_values(model.marginal([0]), number_rows(numbers[:1, :1]))
    second = evidence_p_values(
        model.marginal([2]), Rows(np.empty((1, 0)), codes[1:2], letters.categories)
    )
    third = evidence_p_values(three, number_rows(numbers[2:3]))
    assert answer.p_value.tolist() == [
        *first.p_value.tolist(),
        *second.p_value.tolist(),
        *third.p_value.tolist(),
        1.0,
    ]
    priors, means, deviations = PRIORS, MEANS[:, 0], np.sqrt(COVARIANCES[:, 0, 0])
    level = float(model.marginal([0]).log_evidence(number_rows(numbers[:1, :1]))[0])
    exact = interval_p_value(level, priors, means, deviations)
    assert abs(answer.p_value[0] - exact) <= 4 * answer.standard_error[0]
    probability = np.exp(letters.of(0)).T @ PRIORS
    exact = probability[probability <= probability[2] + 1e-12].sum()
    assert abs(answer.p_value[1] - exact) <= 5 * answer.standard_error[1] + 1e-15
