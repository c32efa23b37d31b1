"""Drawing rows from a model: right distribution, repeatable, and clear about bad input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gaussbayes import GaussianClassifier, make_gaussian_dataset
from gaussbayes.analysis.synthesis import as_generator, draw, draw_rows
from gaussbayes.base.errors import OptionError, SingularCovarianceError
from gaussbayes.model.model import Model
from gaussbayes.model.solution import Solution
from tests.gaussians import model_of

PRIORS = np.array([0.2, 0.5, 0.3])
MEANS = np.array([[1.0, -2.0, 0.0], [100.0, 0.0, 5.0], [0.0, 0.0, 0.0]])
MATRICES = np.array(
    [
        [[4.0, 1.0, -0.5], [1.0, 2.0, 0.3], [-0.5, 0.3, 1.0]],
        [[1e-6, 0.0, 5e-4], [0.0, 9.0, 0.0], [5e-4, 0.0, 1.0]],
        [[1.0, 0.9, 0.8], [0.9, 1.0, 0.9], [0.8, 0.9, 1.0]],
    ]
)
VARIANCES = np.array([[1.0, 4.0, 1e-4], [9.0, 1e6, 1.0], [0.25, 2.0, 3.0]])
RADII = np.array([4.0, 0.01, 1.0])
CASES = {
    "full": (("full", False), MATRICES, MATRICES),
    "full shared": (("full", True), MATRICES[0], MATRICES[[0, 0, 0]]),
    "diagonal": (("diagonal", False), VARIANCES, [np.diag(v) for v in VARIANCES]),
    "diagonal shared": (("diagonal", True), VARIANCES[0], [np.diag(VARIANCES[0])] * 3),
    "spherical": (("spherical", False), RADII, [v * np.eye(3) for v in RADII]),
    "spherical shared": (("spherical", True), 4.0, [4.0 * np.eye(3)] * 3),
}


def make(case: str) -> tuple[Model, list[np.ndarray]]:
    structure, values, dense = CASES[case]
    return model_of(PRIORS, MEANS, values, *structure), list(dense)


@pytest.mark.parametrize("case", CASES)
def test_draws_have_the_priors_means_and_covariances_of_the_model(case: str) -> None:
    parameters, dense = make(case)
    n = 60_000
    rows, codes = draw(parameters, n, np.random.default_rng(1))
    X = rows.matrix
    assert X.shape == (n, 3)
    assert X.dtype == np.float64
    assert codes.dtype == np.int32
    share = np.bincount(codes, minlength=3) / n
    assert (abs(share - PRIORS) <= 4 * np.sqrt(PRIORS * (1 - PRIORS) / n)).all()
    for code, covariance in enumerate(dense):
        own = X[codes == code]
        variance = np.diag(covariance)
        error = np.sqrt(variance / own.shape[0])
        assert (abs(own.mean(axis=0) - MEANS[code]) <= 4 * error).all()
        # Var(S_ij) = (Σ_ii Σ_jj + Σ_ij²) / (n − 1) for Gaussian rows.
        error = np.sqrt((np.outer(variance, variance) + covariance**2) / (own.shape[0] - 1))
        assert (abs(np.cov(own.T) - covariance) <= 4 * error).all()


@pytest.mark.parametrize("case", CASES)
def test_whitened_draws_are_standard_normal(case: str) -> None:
    parameters, dense = make(case)
    rows, codes = draw(parameters, 6000, np.random.default_rng(2))
    X = rows.matrix
    for code, covariance in enumerate(dense):
        own = X[codes == code] - MEANS[code]
        squares = (own @ np.linalg.inv(covariance) * own).sum(axis=1)
        assert stats.kstest(squares, stats.chi2(3).cdf).pvalue > 1e-4


def test_rows_are_affine_in_the_same_normal_numbers() -> None:
    # Every class's rows are mean + F z with the z of the generator, row by row.
    parameters, dense = make("full")
    codes = np.array([2, 0, 1, 1, 0, 2, 2], dtype=np.int32)
    rows = draw_rows(parameters, codes, np.random.default_rng(5)).matrix
    z = np.random.default_rng(5).standard_normal((7, 3))
    expected = [MEANS[c] + np.linalg.cholesky(dense[c]) @ z[i] for i, c in enumerate(codes)]
    np.testing.assert_allclose(rows, expected, rtol=1e-13, atol=1e-13)


def test_a_class_without_prior_is_never_drawn() -> None:
    parameters = model_of([1.0, 0.0], [[0], [1]], [[[1]], [[1]]])
    _, codes = draw(parameters, 1000, np.random.default_rng(0))
    assert (codes == 0).all()


def test_a_covariance_that_can_be_inverted_can_be_drawn_from() -> None:
    # Units that differ by 1e150, and a correlation next to 1.
    scale = np.array([1e-150, 1.0, 1e150])
    correlation = np.full((3, 3), 1 - 1e-12) + 1e-12 * np.eye(3)
    covariance = scale[:, None] * correlation * scale
    X, _ = make_gaussian_dataset(500, [[0, 0, 0]], covariance, random_state=0)
    np.testing.assert_allclose(np.corrcoef((X / scale).T), correlation, atol=1e-10)


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "3", None])
def test_draw_refuses_a_number_of_rows_that_is_none(n: Any) -> None:
    parameters, _ = make("full")
    with pytest.raises(OptionError, match="n_samples must be an integer, at least 1, got"):
        draw(parameters, n, np.random.default_rng(0))


def test_make_gaussian_dataset_as_the_course_calls_it() -> None:
    cov = [[[3, -1], [-1, 3]], [[3, -0.5], [-0.5, 3]], [[1, -1], [-1, 3]]]
    X, y = make_gaussian_dataset([500, 400, 300], [[-5, -5], [5, -5], [0, 5]], cov=cov)
    assert X.shape == (1200, 2)
    assert np.bincount(y).tolist() == [500, 400, 300]
    assert (np.diff(y) >= 0).all()


def test_one_number_means_that_many_rows_of_each_class() -> None:
    X, y = make_gaussian_dataset(4, [[0.0], [10.0], [20.0]], random_state=0)
    assert y.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert X.shape == (12, 1)


def test_without_cov_the_covariance_is_the_identity() -> None:
    same = np.eye(2)
    without = make_gaussian_dataset(5, [[0, 0], [1, 1]], random_state=3)[0]
    np.testing.assert_array_equal(
        without, make_gaussian_dataset(5, [[0, 0], [1, 1]], same, random_state=3)[0]
    )
    np.testing.assert_array_equal(
        without, make_gaussian_dataset(5, [[0, 0], [1, 1]], [same, same], random_state=3)[0]
    )


def test_one_cov_is_shared_by_all_classes() -> None:
    cov = [[2.0, 1.0], [1.0, 2.0]]
    shared, _ = make_gaussian_dataset(5, [[0, 0], [9, 9]], cov, random_state=3)
    own, _ = make_gaussian_dataset(5, [[0, 0], [9, 9]], [cov, cov], random_state=3)
    np.testing.assert_array_equal(shared, own)


def test_shuffle_mixes_the_same_rows() -> None:
    X, y = make_gaussian_dataset([30, 20], [[0, 0], [100, 100]], random_state=8)
    mixed, labels = make_gaussian_dataset(
        [30, 20], [[0, 0], [100, 100]], random_state=8, shuffle=True
    )
    assert not (np.diff(labels) >= 0).all()
    assert ((mixed[:, 0] > 50) == (labels == 1)).all()
    np.testing.assert_array_equal(np.sort(mixed, axis=0), np.sort(X, axis=0))
    assert np.bincount(labels).tolist() == np.bincount(y).tolist()


@pytest.mark.parametrize(
    "fresh",
    [
        lambda: 42,
        lambda: np.int64(42),
        lambda: np.random.default_rng(42),
        lambda: np.random.RandomState(42),
    ],
)
def test_the_same_seed_gives_the_same_rows(fresh: Callable[[], Any]) -> None:
    first, _ = make_gaussian_dataset(10, [[0, 0], [1, 1]], random_state=fresh())
    again, _ = make_gaussian_dataset(10, [[0, 0], [1, 1]], random_state=fresh())
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    "state",
    [np.random.default_rng(1), np.random.RandomState(1), None],
)
def test_a_generator_moves_on(state: Any) -> None:
    first, _ = make_gaussian_dataset(10, [[0, 0]], random_state=state)
    second, _ = make_gaussian_dataset(10, [[0, 0]], random_state=state)
    assert (first != second).all()


def test_an_int_is_the_seed_of_numpy_default_generator() -> None:
    assert as_generator(5).random() == np.random.default_rng(5).random()


@pytest.mark.parametrize("state", [-1, 1.5, "seed", True])
def test_bad_random_state(state: Any) -> None:
    with pytest.raises(OptionError, match="random_state must be None, .* an integer, at least 0"):
        make_gaussian_dataset(10, [[0, 0]], random_state=state)


TWO = [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([5, 5, 5], TWO),
            "there are 2 centroids; n_samples must be one number or 2, got 3",
        ),
        (([5, -1], TWO), "n_samples of class 1 must be an integer, at least 0, got -1"),
        (([5, 2.5], TWO), "n_samples of class 1 must be an integer, .* got 2.5"),
        ((True, TWO), "n_samples of class 0 must be an integer, .* got True"),
        (([0, 0], TWO), "no class has a row"),
        ((5, [0.0, 1.0]), r"centroids must have shape \(classes, features\).*got shape \(2,\)"),
        ((5, []), r"centroids must have shape .* got shape \(0,\)"),
        ((5, [[0, 0], [1]]), "centroids must be an array of numbers with rows of equal length"),
        ((5, [["a", "b"]]), "centroids must be an array of numbers"),
        ((5, [[0, 0], [np.nan, 1]]), r"the centroid of class 1 is \[nan, 1.0\]"),
        ((5, TWO, 2.0), r"cov must be None, one covariance of shape \(2, 2\) .* got shape \(\)"),
        ((5, TWO, [1.0, 2.0]), r"got shape \(2,\)"),
        ((5, TWO, np.eye(3)), r"got shape \(3, 3\)"),
        (
            (5, TWO, [np.eye(2)] * 3),
            r"one for each class of\s+shape \(2, 2, 2\).*got shape \(3, 2, 2",
        ),
        ((5, TWO, [[1, "x"], [0, 1]]), "cov must be an array of numbers"),
        (
            (5, TWO, [np.eye(2), [[1, 0.5], [0, 1]]]),
            r"covariance of class 1 must be symmetric: entry \(0, 1\) is 0.5, entry \(1, 0\) is 0",
        ),
        ((5, TWO, [[1, 0.5], [0, 1]]), "the covariance must be symmetric"),
    ],
)
def test_bad_input_names_what_is_wrong(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_gaussian_dataset(*arguments, random_state=0)


@pytest.mark.parametrize(
    ("cov", "message"),
    [
        ([np.eye(2), [[1, 2], [2, 1]]], "class 1 has a covariance that is not positive definite"),
        ([[[1, 1], [1, 1]], np.eye(2)], "class 0 has collinear features"),
        ([np.eye(2), [[1, 0], [0, 0]]], "class 1 does not vary in feature 1"),
        ([np.eye(2), [[1, 0], [0, -1]]], "class 1 has variance -1.0 in feature 1"),
        ([[1, 2], [2, 1]], "the covariance shared by all classes has a covariance that is not"),
    ],
)
def test_a_covariance_that_is_none_names_the_class(cov: Any, message: str) -> None:
    with pytest.raises(SingularCovarianceError, match=message):
        make_gaussian_dataset(5, TWO, cov, random_state=0)


def test_a_family_that_cannot_be_drawn_from_is_named() -> None:
    whole, _ = make("full")
    model = Model(whole.settings, whole.schema, None, Solution(PRIORS, (object(),)))
    with pytest.raises(OptionError, match="sample needs .*'Samplable'.* 'gaussian'"):
        draw(model, 3, np.random.default_rng(0))


def days() -> GaussianClassifier:
    """A number between two features that hold categories, of which one never meets a class."""
    random = np.random.default_rng(0)
    y = np.array(["dry", "wet"])[random.integers(0, 2, 300)]
    wet = y == "wet"
    rows = np.empty((300, 3), dtype=object)
    rows[:, 0] = np.array(["low", "mid", "gale"], dtype=object)[random.integers(0, 2 + wet, 300)]
    rows[:, 1] = random.normal(20, 3, 300) - 9 * wet
    rows[:, 2] = random.integers(1, 5, 300)
    return GaussianClassifier(categorical_features=[0, 2]).fit(rows, y)


def test_categories_are_drawn_by_their_probabilities() -> None:
    model = days()
    rows, labels = model.sample(20_000, random_state=1)
    assert (rows.shape, rows.dtype) == ((20_000, 3), np.dtype(object))
    assert {type(value) for value in rows[:, 1]} == {float}
    expected = model.priors_ * len(labels)
    assert stats.chisquare([(labels == c).sum() for c in model.classes_], expected).pvalue > 1e-3
    for code, label in enumerate(model.classes_):
        own = rows[labels == label]
        for column in (0, 2):
            probability = model.category_probabilities_[column][code]
            counts = np.array([(own[:, column] == one).sum() for one in model.categories_[column]])
            there = probability > 0
            assert counts[~there].sum() == 0
            assert counts.sum() == len(own)
            assert stats.chisquare(counts[there], probability[there] * len(own)).pvalue > 1e-3
        standard = (own[:, 1].astype(float) - model.means_[code]) / model.covariances_[
            code, 0
        ] ** 0.5
        assert stats.kstest(standard, stats.norm.cdf).pvalue > 1e-3


def test_what_is_drawn_with_categories_can_be_learnt_from_and_drawn_again() -> None:
    model = days()
    rows, labels = model.sample(50, random_state=7)
    again = model.sample(50, random_state=7)
    assert rows.tolist() == again[0].tolist()
    assert labels.tolist() == again[1].tolist()
    assert rows.tolist() != model.sample(50, random_state=8)[0].tolist()
    model.partial_fit(rows, labels)
    assert model.predict(rows).shape == (50,)


def test_categories_alone_are_drawn() -> None:
    X, y = [["S", True], ["M", False], ["S", True], ["L", True]], [0, 0, 1, 1]
    rows, labels = GaussianClassifier(categorical_features=[0, 1]).fit(X, y).sample(500, 0)
    assert set(map(tuple, rows[labels == 0].tolist())) == {
        *(("S", True), ("M", False), ("S", False), ("M", True))
    }
    assert set(map(tuple, rows[labels == 1].tolist())) == {("S", True), ("L", True)}
