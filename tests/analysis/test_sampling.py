"""Rows drawn from a model: the right distribution, repeatable, and clear about bad input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gaussbayes import (
    GaussianClassifier,
    OptionError,
    SingularCovarianceError,
    make_gaussian_dataset,
)

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


@pytest.mark.parametrize("case", CASES)
def test_draws_have_the_distribution_of_the_model(case: str) -> None:
    (covariance, shared), values, dense = CASES[case]
    model = GaussianClassifier.from_parameters(
        PRIORS, MEANS, values, covariance=covariance, shared=shared
    )
    n = 40_000
    X, codes = model.sample(n, random_state=1)
    share = np.bincount(codes, minlength=3) / n
    assert (abs(share - PRIORS) <= 4 * np.sqrt(PRIORS * (1 - PRIORS) / n)).all()
    for code, matrix in enumerate(dense):
        own = X[codes == code]
        variance = np.diag(matrix)
        assert (abs(own.mean(axis=0) - MEANS[code]) <= 4 * np.sqrt(variance / len(own))).all()
        # Var(S_ij) = (Σ_ii Σ_jj + Σ_ij²) / (n − 1) for Gaussian rows.
        error = np.sqrt((np.outer(variance, variance) + matrix**2) / (len(own) - 1))
        assert (abs(np.cov(own.T) - matrix) <= 4 * error).all()
        away = own[:3000] - MEANS[code]
        squares = (away @ np.linalg.inv(matrix) * away).sum(axis=1)
        assert stats.kstest(squares, stats.chi2(3).cdf).pvalue > 1e-4


def test_a_class_of_prior_0_is_never_drawn_and_numbers_of_rows_are_checked() -> None:
    model = GaussianClassifier.from_parameters([1.0, 0.0], [[0], [1]], [[1]])
    assert not model.sample(1000, random_state=0)[1].any()
    for n in (0, -1, 2.0, True, "3", None):
        with pytest.raises(OptionError, match="n_samples must be an integer, at least 1, got"):
            model.sample(n)


def test_categories_are_drawn_by_their_probabilities() -> None:
    random = np.random.default_rng(0)
    y = np.array(["dry", "wet"])[random.integers(0, 2, 300)]
    wet = y == "wet"
    frame = pd.DataFrame({"wind": np.array(["low", "mid", "gale"])[random.integers(0, 2 + wet)]})
    frame["warmth"] = random.normal(20, 3, 300) - 9 * wet
    frame["month"] = random.integers(1, 5, 300)
    frame = frame.astype({"wind": "category", "month": "category"})
    model = GaussianClassifier().fit(frame, y)
    rows, labels = model.sample(20_000, random_state=1)
    assert (rows.shape, rows.dtype) == ((20_000, 3), np.dtype(object))
    assert {type(value) for value in rows[:, 1]} == {float}
    expected = model.priors_ * len(labels)
    assert stats.chisquare([(labels == c).sum() for c in model.classes_], expected).pvalue > 1e-3
    for code, label in enumerate(model.classes_):
        own = rows[labels == label]
        for column, name in ((0, "wind"), (2, "month")):
            probabilities = model.category_probabilities_[name].values()
            probability = np.array([p[code] for p in probabilities])
            known = frame[name].cat.categories
            counts = np.array([(own[:, column] == one).sum() for one in known])
            there = probability > 0
            assert counts[~there].sum() == 0
            assert counts.sum() == len(own)
            assert stats.chisquare(counts[there], probability[there] * len(own)).pvalue > 1e-3
        standard = (own[:, 1].astype(float) - model.means_[code]) / model.covariances_[
            code, 0
        ] ** 0.5
        assert stats.kstest(standard, stats.norm.cdf).pvalue > 1e-3
    again = model.sample(20_000, random_state=1)
    assert rows.tolist() == again[0].tolist()
    # The rows can be fitted to.
    drawn = pd.DataFrame(rows[:50], columns=frame.columns)
    drawn["warmth"] = drawn["warmth"].astype(float)
    assert model.partial_fit(drawn, labels[:50]).predict(drawn).shape == (50,)


# Datasets.


def test_datasets_as_the_course_makes_them() -> None:
    covariances = [[[3, -1], [-1, 3]], [[3, -0.5], [-0.5, 3]], [[1, -1], [-1, 3]]]
    X, y = make_gaussian_dataset([500, 400, 300], [[-5, -5], [5, -5], [0, 5]], covariances)
    assert X.shape == (1200, 2)
    assert np.bincount(y).tolist() == [500, 400, 300]
    assert (np.diff(y) >= 0).all()
    assert make_gaussian_dataset(4, [[0.0], [10.0]])[1].tolist() == [0] * 4 + [1] * 4
    same, seed = np.eye(2), {"random_state": 3}
    means = [[0, 0], [9, 9]]
    forms = [(), (same,), ([same, same],)]
    made = [make_gaussian_dataset(5, means, *form, **seed)[0] for form in forms]
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])
    mixed, labels = make_gaussian_dataset([30, 20], [[0, 0], [100, 100]], shuffle=True, **seed)
    plain, _ = make_gaussian_dataset([30, 20], [[0, 0], [100, 100]], **seed)
    assert not (np.diff(labels) >= 0).all()
    assert ((mixed[:, 0] > 50) == (labels == 1)).all()
    np.testing.assert_array_equal(np.sort(mixed, axis=0), np.sort(plain, axis=0))
    # Units that differ by 1e150, and a correlation next to 1.
    scale = np.array([1e-150, 1.0, 1e150])
    correlation = np.full((3, 3), 1 - 1e-12) + 1e-12 * np.eye(3)
    X, _ = make_gaussian_dataset(500, [[0, 0, 0]], scale[:, None] * correlation * scale, **seed)
    np.testing.assert_allclose(np.corrcoef((X / scale).T), correlation, atol=1e-10)


@pytest.mark.parametrize(
    "fresh",
    [lambda: 42, lambda: np.random.default_rng(42), lambda: np.random.RandomState(42)],
)
def test_seeds_and_generators(fresh: Callable[[], Any]) -> None:
    first, again = (make_gaussian_dataset(10, [[0, 0]], random_state=fresh())[0] for _ in "ab")
    np.testing.assert_array_equal(first, again)
    state = fresh()
    if not isinstance(state, int):  # a generator moves on
        one, two = (make_gaussian_dataset(10, [[0, 0]], random_state=state)[0] for _ in "ab")
        assert (one != two).all()
    for bad in (-1, 1.5, "seed", True):
        with pytest.raises(OptionError, match="random_state must be None, .* at least 0"):
            make_gaussian_dataset(10, [[0, 0]], random_state=bad)  # type: ignore[arg-type]


TWO = [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([5, 5, 5], TWO), "means has 2 classes; n_samples must be one number or 2, got 3"),
        (([5, -1], TWO), "n_samples of class 1 must be an integer, at least 0, got -1"),
        ((True, TWO), "n_samples of class 0 must be an integer, .* got True"),
        (([0, 0], TWO), "no class has a row"),
        ((5, [0.0, 1.0]), r"means must have shape \(classes, features\), got \(2,\)"),
        ((5, [[0, 0], [1]]), "means must be an array of numbers with rows of equal length"),
        ((5, [[0, 0], [np.nan, 1]]), r"means must be finite, got nan at \(1, 0\)"),
        ((5, TWO, 2.0), r"covariances of 2 classes and 2 features must have shape .* got \(\)"),
        ((5, TWO, [np.eye(2)] * 3), r"must have shape .* got \(3, 2, 2"),
        ((5, TWO, [[1, "x"], [0, 1]]), "covariances must be an array of numbers"),
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
        ([[1, 2], [2, 1]], "the covariance shared by all classes has a covariance that is not"),
    ],
)
def test_an_invalid_covariance_names_the_class(cov: Any, message: str) -> None:
    with pytest.raises(SingularCovarianceError, match=message):
        make_gaussian_dataset(5, TWO, cov, random_state=0)
