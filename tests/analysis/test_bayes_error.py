"""The Bayes error: closed forms, integration, draws from the model; and the bound's closed form."""

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.bayes_error import bayes_error, bhattacharyya_distance
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.synthesis import draw
from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.categorical.family import CategoricalDensity
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.model import Model
from tests.gaussians import beside, model_of, structured_model
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")


# The course's two Gaussians, and its three.
TWO = (
    np.array([[0.0, 0.0], [2.0, 2.0]]),
    np.array([[[2.0, -1.0], [-1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]]),
)
THREE = (
    np.array([[-5.0, -5.0], [5.0, -5.0], [0.0, 5.0]]),
    np.array([[[3.0, -1.0], [-1.0, 3.0]], [[3.0, -0.5], [-0.5, 3.0]], [[1.0, -1.0], [-1.0, 3.0]]]),
)


def shared_error(prior: float, apart: float) -> float:
    """Of two classes with one covariance, `apart` standard deviations from each other."""
    shift = np.log(prior / (1 - prior)) / apart
    return float(prior * norm.cdf(-apart / 2 - shift) + (1 - prior) * norm.cdf(-apart / 2 + shift))


@pytest.mark.parametrize("prior", [0.5, 0.3, 0.01])
@pytest.mark.parametrize("apart", [0.2, 1.0, 4.0, 14.0, 60.0])
def test_two_classes_of_one_covariance(prior: float, apart: float) -> None:
    covariance = np.array([[4.0, -3.0], [-3.0, 4.0]])
    step = np.linalg.cholesky(covariance) @ [0.6, 0.8]
    model = model_of(
        [prior, 1 - prior], [[7.0, 1.0], [7.0, 1.0] + apart * step], covariance, "full", True
    )
    found = bayes_error(model, 50_000)
    exact = shared_error(prior, apart)
    assert abs(found.error - exact) <= 4 * found.standard_error
    assert found.standard_error <= 0.1 * exact
    assert found.error <= found.bound
    assert found.bound == pytest.approx(
        np.sqrt(prior * (1 - prior)) * np.exp(-(apart**2) / 8), rel=1e-12
    )


def test_the_course_two_gaussians() -> None:
    model = model_of("uniform", *TWO)
    found = bayes_error(model)
    assert found.standard_error < 2e-4
    # 92.8106 % by integration, which is right to half its last digit.
    assert abs(found.error - (1 - 0.928106)) <= 4 * found.standard_error + 5e-7


def test_the_course_three_gaussians() -> None:
    model = model_of("uniform", *THREE)
    found = bayes_error(model)
    assert found.standard_error < 1e-5
    assert abs(found.error - 0.0016600) <= 4 * found.standard_error + 5e-8


def exact_error(model: Model) -> float:
    """In one dimension: what each class has outside its region, from the exact boundaries."""
    mean, deviation = model.densities[0].mean, model.densities[0].deviation[:, 0]
    ends = decision_boundaries(model)
    edges = [-np.inf, *(end.position for end in ends), np.inf]
    owners = [ends[0].left, *(end.right for end in ends)]
    right = sum(
        model.prior[c] * np.diff(norm.cdf(edges[i : i + 2], mean[c, 0], deviation[c]))[0]
        for i, c in enumerate(owners)
    )
    return float(1 - right)


def test_several_classes_in_one_dimension() -> None:
    model = model_of(
        [0.1, 0.4, 0.2, 0.3], [[0.0], [1.0], [5.0], [3.0]], [[[4.0]], [[0.25]], [[1.0]], [[1.0]]]
    )
    found = bayes_error(model)
    assert abs(found.error - exact_error(model)) <= 4 * found.standard_error
    assert found.standard_error < 1e-3


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_draws_from_the_model(structure: Structure) -> None:
    rng = np.random.default_rng(8)
    k, d = 5, 4
    factors = rng.normal(size=(k, d, d))
    covariances = factors @ factors.transpose(0, 2, 1) + np.eye(d)
    priors = [0.1, 0.3, 0.25, 0.15, 0.2]
    model = structured_model(priors, 2 * rng.normal(size=(k, d)), covariances, structure)
    rows, _ = draw(model, 100_000, rng)
    unsure = 1 - model.posterior(rows).max(axis=1)
    found = bayes_error(model, 50_000)
    spread = np.hypot(found.standard_error, unsure.std() / np.sqrt(100_000))
    assert abs(found.error - unsure.mean()) <= 4 * spread


def test_standard_errors_are_those_of_many_simulations() -> None:
    model = model_of("uniform", *THREE)
    found = [bayes_error(model, 2000, seed) for seed in range(100)]
    spread = np.std([each.error for each in found])
    stated = np.mean([each.standard_error for each in found])
    assert 0.75 < spread / stated < 1.25  # a deviation of 100 numbers is known to 7 %
    assert abs(np.mean([each.error for each in found]) - 0.00166) <= 4 * stated / 10


def test_classes_that_are_the_same() -> None:
    model = model_of([0.5, 0.5], np.zeros((2, 3)), np.array([np.eye(3), np.eye(3)]))
    found = bayes_error(model, 100)
    assert found.error == pytest.approx(0.5, rel=1e-14)
    assert found.standard_error < 1e-14
    many = model_of("uniform", np.zeros((10, 2)), 1.0, "spherical", True)
    assert bayes_error(many, 100).error == pytest.approx(0.9, rel=1e-13)
    assert bayes_error(many, 2).bound == pytest.approx(4.5, rel=1e-13)  # which says nothing


def test_without_any_other_class_there_is_no_error() -> None:
    found = bayes_error(model_of([1.0], [[0.0]], [[[1.0]]]))
    assert (found.error, found.standard_error, found.bound) == (0.0, 0.0, 0.0)
    sure = bayes_error(model_of([0.0, 1.0, 0.0], [[0.0]] * 3, 1.0, "spherical", True))
    assert (sure.error, sure.bound) == (0.0, 0.0)
    far = bayes_error(model_of("uniform", [[0.0], [1000.0]], 1.0, "spherical", True))
    assert (far.error, far.bound) == (0.0, 0.0)  # exp(−125,000)


def test_a_class_of_prior_0_changes_nothing() -> None:
    means, covariances = TWO
    two = bayes_error(model_of("uniform", means, covariances), 20_000)
    more = model_of(
        [0.5, 0.0, 0.5],
        np.insert(means, 1, [9.0, 9.0], axis=0),
        np.insert(covariances, 1, np.eye(2), axis=0),
    )
    three = bayes_error(more, 20_000)
    assert three.bound == pytest.approx(two.bound, rel=1e-13)
    assert three.error == pytest.approx(two.error, rel=1e-9)


def test_units_and_offsets_change_nothing() -> None:
    means, covariances = THREE
    here = bayes_error(model_of("uniform", means, covariances), 20_000)
    units = np.array([2.0**60, 2.0**-60])
    scaled = model_of("uniform", means * units, covariances * np.multiply.outer(units, units))
    assert bayes_error(scaled, 20_000).error == pytest.approx(here.error, rel=1e-9)
    moved = model_of("uniform", means + 2.0**30, covariances)
    assert bayes_error(moved, 20_000).error == pytest.approx(here.error, rel=1e-5)


def test_the_same_answer_each_time() -> None:
    model = model_of("uniform", *TWO)
    assert bayes_error(model, 1000) == bayes_error(model, 1000)
    assert bayes_error(model, 1000) != bayes_error(model, 1000, 1)
    generator = np.random.default_rng(0)
    assert bayes_error(model, 1000, generator) == bayes_error(model, 1000)


def test_many_features_are_simulated_block_by_block() -> None:
    d = 1500  # 699 rows fit into a block, which has at least 1024
    apart = np.zeros((2, d))
    apart[1] = 4 / np.sqrt(d)
    found = bayes_error(model_of("uniform", apart, 1.0, "spherical", True), 3000)
    assert abs(found.error - shared_error(0.5, 4.0)) <= 4 * found.standard_error


@pytest.mark.parametrize("n_draws", [1, 0, 10.0, None])
def test_bad_numbers_of_draws(n_draws: Any) -> None:
    with pytest.raises(OptionError, match="n_draws must be an integer, at least 2, got"):
        bayes_error(model_of([1.0], [[0.0]], [[[1.0]]]), n_draws)


# The bound


def exact_distance(mean: FloatArray, covariance: FloatArray) -> float:
    """⅛ δᵀ S⁻¹ δ + ½ log (|S| / √(|Σ_a| |Σ_b|)) of two Gaussians, in 50 digits."""
    with mpmath.workdps(50):
        a, b = (mpmath.matrix(own.tolist()) for own in covariance)
        between = (a + b) / 2
        apart = mpmath.matrix((mean[1] - mean[0]).tolist())
        quadratic = (apart.T * between**-1 * apart)[0] / 8
        ratio = mpmath.det(between) / mpmath.sqrt(mpmath.det(a) * mpmath.det(b))
        return float(quadratic + mpmath.log(ratio) / 2)


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@pytest.mark.parametrize("d", [1, 2, 6])
def test_distances_in_fifty_digits(structure: Structure, d: int) -> None:
    rng = np.random.default_rng(d)
    factors = rng.normal(size=(3, d, d))
    covariances = factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(d)
    means = 10 * rng.normal(size=(3, d))
    model = structured_model([0.2, 0.3, 0.5], means, covariances, structure)
    found = bhattacharyya_distance(model)
    dense = np.broadcast_to(model.densities[0].dense_covariance(), (3, d, d))
    total = 0.0
    for a, b in ((0, 1), (0, 2), (1, 2)):
        exact = exact_distance(means[[a, b]], dense[[a, b]])
        assert found[a, b] == pytest.approx(exact, rel=1e-12)
        total += np.sqrt(model.prior[a] * model.prior[b]) * np.exp(-exact)
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()
    assert bayes_error(model, 2).bound == pytest.approx(total, rel=1e-11)


def test_the_distance_is_an_integral() -> None:
    model = model_of("uniform", [[0.0], [2.0]], [[[1.0]], [[9.0]]])
    overlap, _ = quad(
        lambda x: np.sqrt(norm.pdf(x, 0, 1) * norm.pdf(x, 2, 3)), -40, 40, points=[0, 2], limit=200
    )
    assert bhattacharyya_distance(model)[0, 1] == pytest.approx(-np.log(overlap), rel=1e-9)


def test_far_off_classes_keep_the_digits_of_their_distance() -> None:
    means = np.array([[1e6, 0.0], [-1e6, 3.0]])
    covariances = np.array([[[1e-6, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.5, 2.0]]])
    found = bhattacharyya_distance(model_of("uniform", means, covariances))[0, 1]
    assert found == pytest.approx(exact_distance(means, covariances), rel=1e-12)


def categories(k: int, sizes: tuple[int, ...], seed: int) -> CategoricalDensity:
    """Any probabilities; one category is impossible in the first class."""
    random = np.random.default_rng(seed)
    parts = [random.dirichlet(np.full(m, 0.7), size=k) for m in sizes]
    parts[0][0] = np.eye(sizes[0])[0]
    with np.errstate(divide="ignore"):
        values = np.log(np.concatenate(parts, axis=1))
    return CategoricalDensity(tuple(tuple(range(m)) for m in sizes), values)


def every_row(letters: CategoricalDensity) -> FloatArray:
    """``p(x | c)`` (rows, k) of every row there can be."""
    shares = [np.exp(letters.of(j)) for j in range(len(letters.categories))]
    rows = product(*(range(part.shape[1]) for part in shares))
    return np.array(
        [np.prod([part[:, m] for part, m in zip(shares, row, strict=True)], axis=0) for row in rows]
    )


@pytest.mark.parametrize("k", [2, 4])
def test_categories_alone_by_enumeration(k: int) -> None:
    random = np.random.default_rng(k)
    y = np.arange(400) % k
    X = (random.integers(0, 3, (400, 3)) + (y[:, None] > random.integers(0, 5, (400, 3)))) % [
        3,
        4,
        3,
    ]
    model = GaussianClassifier(categorical_features=[0, 1, 2], smoothing=0.1).fit(X, y)
    joint = model.priors_ * every_row(model.parameters_.densities[0])
    exact = float((joint.sum(axis=1) - joint.max(axis=1)).sum())
    root = np.sqrt(joint)
    bound = sum(float(root[:, a] @ root[:, b]) for b in range(k) for a in range(b))
    found = model.bayes_error()
    assert found.bound == pytest.approx(bound, rel=1e-12)
    assert abs(found.error - exact) <= 4 * found.standard_error
    assert found.standard_error < 0.01 * exact


@pytest.mark.parametrize("apart", [1.0, 4.0, 14.0])
def test_numbers_and_categories_by_cases(apart: float) -> None:
    """Given the categories the numbers are two Gaussians under other priors: a closed form each."""
    numbers = model_of([0.3, 0.7], [[0.0, 5.0], [apart, 5.0]], np.eye(2), "full", True)
    letters = categories(2, (3, 2), 1)
    share = every_row(letters) * [0.3, 0.7]
    exact = 0.0
    for a, b in share:
        if a * b > 0:
            exact += (a + b) * shared_error(a / (a + b), apart)
    model = beside(numbers, letters)
    found = bayes_error(model, 50_000)
    assert abs(found.error - exact) <= 4 * found.standard_error
    assert found.standard_error <= 0.05 * exact
    coefficient = np.sqrt(share).prod(axis=1).sum() * np.exp(-(apart**2) / 8)
    assert bayes_error(model, 2).bound == found.bound == pytest.approx(coefficient, rel=1e-12)


def test_classes_without_a_common_category_are_told_apart() -> None:
    numbers = model_of([0.5, 0.5], [[0.0], [1.0]], [[1.0]], "full", True)
    with np.errstate(divide="ignore"):
        letters = CategoricalDensity((("a", "b"),), np.log(np.eye(2)))
    found = bayes_error(beside(numbers, letters))
    assert (found.error, found.bound) == (0.0, 0.0)
