"""Scores by Bayes' rule: sums over families, the negative log-likelihood, odds, distances."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets, number_rows
from gaussbayes.families.categorical.family import CategoricalDensity
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import check_options
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import observe
from tests.gaussians import COVARIANCES, MEANS, PRIORS, beside, categorical_model, structured_model
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")

RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(60, 2)) * 3 + [1.0, 2.0]
CODES = np.arange(60, dtype=np.int32) % 3
LETTERS = CategoricalDensity(
    (("high", "low"),), np.log([[0.5, 0.5], [0.25, 0.75], [1 - 1e-9, 1e-9]])
)


def log_joints(model: Model, values: Any = X) -> Any:
    """By scipy (n, k), of a model of Gaussians alone."""
    density = model.densities[0]
    matrices = np.broadcast_to(density.dense_covariance(), (3, 2, 2))
    pairs = zip(density.mean, matrices, strict=True)
    log_densities = [multivariate_normal(*pair).logpdf(values) for pair in pairs]
    return np.log(model.prior) + np.stack(log_densities, axis=1)


def test_the_two_species() -> None:
    # The course's example: petal lengths, printed parts 5.2925059 and 7.7606258.
    petals = np.array([[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]])
    targets = Targets(np.array([0] * 5 + [1] * 3, dtype=np.int32), 2)
    schema = Schema(np.array(["A", "B"]), 1)
    settings = check_options().settings(schema)
    rows = number_rows(petals)
    learnt = observe(LabelledRows(rows, targets, schema.classes), settings, schema)
    parts = learnt_model(settings, schema, learnt).negative_log_likelihood(rows, targets)
    assert parts.labels == pytest.approx(5.2925059, abs=5e-8)
    assert parts.features == pytest.approx(7.7606258, abs=5e-8)
    assert parts.total == pytest.approx(13.0531317, abs=5e-8)


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_negative_log_likelihood_is_the_sum_of_log_joints(
    structure: Structure, dtype: type
) -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, structure)
    values = X.astype(dtype)
    of_class = log_joints(model, values.astype(np.float64))[np.arange(60), CODES]
    bound = 60 * 16 * float(np.finfo(dtype).eps) * float(np.abs(of_class).max())
    rows, targets = number_rows(values), Targets(CODES, 3)
    plain = model.negative_log_likelihood(rows, targets)
    assert plain.total == pytest.approx(-of_class.sum(), abs=bound)
    assert plain.labels == pytest.approx(-np.log(PRIORS)[CODES].sum(), rel=1e-14)
    weights = np.linspace(0, 2, 60)
    weighted = model.negative_log_likelihood(rows, Targets(CODES, 3, weights))
    assert weighted.total == pytest.approx(-(weights * of_class).sum(), abs=2 * bound)


def test_soft_labels_count_in_part_and_rows_without_label_do_not() -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, Structure())
    joint, rows = log_joints(model), number_rows(X)
    soft = RANDOM.dirichlet(np.ones(3), size=60)
    parts = model.negative_log_likelihood(rows, Targets(soft, 3))
    assert parts.total == pytest.approx(-(soft * joint).sum(), rel=1e-12)
    some = np.where(np.arange(60) < 20, CODES, -1).astype(np.int32)
    parts = model.negative_log_likelihood(rows, Targets(some, 3, None, 40))
    assert parts.total == pytest.approx(-joint[np.arange(20), CODES[:20]].sum(), rel=1e-12)
    assert model.negative_log_likelihood(rows[:0], Targets(CODES[:0], 3)).total == 0.0


def blocks() -> tuple[Model, Any, Any]:
    """Gaussians of features (0, 2) and (1, 3), and the means and covariances of all four."""
    order = [0, 2, 1, 3]
    first = structured_model(PRIORS, MEANS, COVARIANCES, Structure())
    second = structured_model(PRIORS, MEANS[::-1], COVARIANCES[::-1], Structure("full", 1.0))
    (one,), (two,) = first.components, second.components
    settings = Settings((Component(one.family, (0, 2)), Component(two.family, (1, 3))))
    solution = Solution(first.prior, (*first.densities, *second.densities))
    model = Model(settings, Schema(np.arange(3), 4), None, solution)
    means = np.column_stack([MEANS, MEANS[::-1]])[:, order]
    matrices = [block_diag(own, COVARIANCES[2])[np.ix_(order, order)] for own in COVARIANCES]
    return model, means, matrices


def test_blocks_are_a_covariance_of_blocks() -> None:
    model, means, matrices = blocks()
    values = np.column_stack([X, X[::-1] + 1.0])
    rows = number_rows(values)
    pairs = list(zip(means, matrices, strict=True))
    likelihood = np.stack([multivariate_normal(*pair).logpdf(values) for pair in pairs], axis=1)
    joint = likelihood + np.log(PRIORS)
    np.testing.assert_allclose(model.log_likelihood(rows), likelihood, rtol=1e-12)
    np.testing.assert_allclose(model.log_joint(rows), joint, rtol=1e-12)
    np.testing.assert_allclose(model.log_evidence(rows), logsumexp(joint, axis=1), rtol=1e-12)
    np.testing.assert_array_equal(model.labels(rows), joint.argmax(axis=1))
    squares, degrees = model.squared_distance(rows)
    z = [(values - mean, np.linalg.inv(matrix)) for mean, matrix in pairs]
    expected = np.stack([np.sum(a @ precision * a, axis=1) for a, precision in z], axis=1)
    np.testing.assert_allclose(squares, expected, rtol=1e-11)
    assert degrees.tolist() == [4.0] * 60
    values[:, 1] = np.nan
    assert model.squared_distance(number_rows(values))[1].tolist() == [3.0] * 60


@pytest.mark.parametrize("threads", [1, 3])
def test_categories_are_added_before_anything_is_normalised(threads: int) -> None:
    gaussian = structured_model(PRIORS, MEANS, COVARIANCES, Structure())
    codes = (np.arange(60, dtype=np.int32) % 3 - 1)[:, None]  # −1 is a category never seen
    table = np.column_stack([np.zeros(3), LETTERS.log_probability])
    joint = log_joints(gaussian) + table.T[codes[:, 0] + 1]
    mixed = beside(gaussian, LETTERS)
    rows = Rows(X, codes, LETTERS.categories)
    np.testing.assert_allclose(mixed.log_joint(rows, threads), joint, rtol=1e-12)
    posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(mixed.posterior(rows, threads), posterior, rtol=1e-10, atol=1e-300)
    alone = categorical_model(PRIORS, LETTERS)
    rows = Rows(np.empty((60, 0)), codes, LETTERS.categories)
    joint = np.log(PRIORS) + table.T[codes[:, 0] + 1]
    np.testing.assert_allclose(alone.log_joint(rows, threads), joint, rtol=1e-14)
    np.testing.assert_array_equal(alone.labels(rows, threads), joint.argmax(axis=1))
    with pytest.raises(OptionError, match="distances are those of Gaussian features, and this"):
        alone.squared_distance(rows)


def test_odds_keep_their_digits_where_posteriors_have_none() -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, Structure())
    near = number_rows(np.array([[0.0, 0.0], [100.0, -80.0]]))
    joint = log_joints(model, near.matrix)
    np.testing.assert_allclose(model.log_odds(near, 0, 2), joint[:, 0] - joint[:, 2], rtol=1e-12)
    assert model.log_odds(near, 1, 1).tolist() == [0.0, 0.0]
    with pytest.raises(OptionError, match="classes 1 and 2 both have prior 0: their odds"):
        model.with_priors([1.0, 0.0, 0.0]).log_odds(near, 1, 2)


def test_what_no_class_can_have() -> None:
    log_probability = np.array([[np.log(0.5), np.log(0.5)], [-np.inf, 0.0], [-np.inf, 0.0]])
    model = categorical_model(PRIORS, CategoricalDensity((("x", "y"),), log_probability))
    rows = Rows(np.empty((2, 0)), np.array([[1], [0]], np.int32), (("x", "y"),))
    with pytest.raises(DataError, match="classes 1 and 2 both have probability 0 in row 1: .*"):
        model.log_odds(rows, 1, 2)
    impossible = model.with_priors([0.0, 0.5, 0.5])
    with pytest.raises(DataError, match="row 1 .*probability 0 in every class"):
        impossible.posterior(rows)
    with pytest.raises(DataError, match="row 1 .*probability 0 in every class"):
        impossible.labels(rows)
    assert np.isneginf(impossible.log_evidence(rows)).tolist() == [False, True]


def test_parameters_are_counted_and_classes_selected() -> None:
    mixed = beside(structured_model(PRIORS, MEANS, COVARIANCES, Structure()), LETTERS)
    # Priors, means, covariances, letters.
    assert mixed.n_parameters == 2 + 3 * 2 + 3 * 3 + 3 * 1
    two = mixed.parameters.selected([2, 0])
    assert two.prior.tolist() == [0.1, 0.7]
    assert two.n_parameters == 1 + 2 * 2 + 2 * 3 + 2 * 1
    np.testing.assert_array_equal(two.densities[0].mean, MEANS[[2, 0]])
