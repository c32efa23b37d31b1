"""Rows left out one at a time, and the choice of structure and shrinkage by them."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import (
    Columns,
    DataError,
    GaussianClassifier,
    OptionError,
    SingularCovarianceError,
)
from gaussbayes.data.categories import UnseenCategoryWarning
from tests.models import STRUCTURES, iris

# Numbers and categories.

N = 45


def few_days(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and two categories, one of them with missing values and a category met once."""
    random = np.random.default_rng(4)
    y = np.array(["dry", "mild", "wet"])[random.integers(0, 3, n)]
    wet = (y == "wet").astype(int)
    wind = np.array(["low", "mid", "strong", None], dtype=object)[
        (random.integers(0, 3, n) + wet) % 4
    ]
    wind[3] = "gale"
    frame = pd.DataFrame(
        {
            "pressure": random.normal(1000, 10, n) - 8 * wet,
            "wind": pd.Categorical(wind),
            "warmth": random.normal(15, 5, n),
            "month": pd.Categorical(random.integers(1, 4, n)),
        }
    )
    return frame, y


FRAME, Y = few_days(N)
WEIGHTS = np.random.default_rng(5).choice([0.5, 1.0, 2.5], N)


def refitted(model: GaussianClassifier, X: pd.DataFrame, y: Any, weights: Any) -> np.ndarray:
    """What as many models say as there are rows."""
    classes = np.unique(y)
    told = np.full((len(y), classes.size), -np.inf)
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        own = None if weights is None else weights[others]
        without = clone(model).fit(X[others], y[others], own)
        there = np.isin(classes, without.classes_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            told[row, there] = without.predict_log_proba(X[row : row + 1])[0]
    return told


@pytest.mark.parametrize("columns", [["wind"], ["pressure", "wind"]])
def test_the_only_row_of_a_class_takes_it_along(columns: list[str]) -> None:
    X = pd.DataFrame(
        {"pressure": [1.0, 2.0, 4.0, 5.0, 6.0, 7.0], "wind": pd.Categorical(list("abaabc"))}
    )[columns]
    y = np.array([0, 0, 0, 1, 1, 2])
    model = GaussianClassifier(shared=True, smoothing=1.0, columns=Columns(features=columns))
    found = model.leave_one_out(X, y).log_posterior
    np.testing.assert_allclose(found, refitted(model, X, y, None), rtol=1e-10, atol=1e-10)
    assert np.isneginf(found[5]).tolist() == [False, False, True]


def test_rows_without_weight_are_predicted_by_all_others() -> None:
    weights = np.where(np.arange(N) % 7 == 3, 0.0, 1.0)  # that of the only gale among them
    model = GaussianClassifier(smoothing=1.0)
    found = model.leave_one_out(FRAME, Y, weights).log_posterior
    np.testing.assert_allclose(found, refitted(model, FRAME, Y, weights), atol=1e-10)
    few = np.where(Y == "wet", 0.0, 1.0)
    assert model.leave_one_out(FRAME, Y, few).log_posterior.shape == (int(few.sum()), 2)


def test_a_row_that_is_impossible_everywhere() -> None:
    """Left out, it is alone in its class with "a", and no row of the other class has "y"."""
    X = [["a", "y"], ["b", "y"], ["b", "y"], ["b", "x"], ["a", "x"], ["a", "x"]]
    y = [0, 0, 0, 1, 1, 1]
    model = GaussianClassifier(columns=Columns(categorical=[0, 1]))
    with pytest.raises(DataError, match="without row 1 of 6 .* probability 0 in every class"):
        model.leave_one_out(X, y)
    assert np.isfinite(model.set_params(smoothing=0.1).leave_one_out(X, y).log_posterior).all()


def test_what_leaving_out_refuses() -> None:
    lonely = FRAME.assign(
        wind=pd.Categorical(np.where(np.arange(N) == int(np.argmax(Y == "wet")), "a", None))
    )
    columns = Columns(features=list(lonely.columns))
    with pytest.raises(DataError, match="'wind' is missing in every row"):
        GaussianClassifier(columns=columns).leave_one_out(lonely, Y)


def soft_labels(labels: np.ndarray) -> np.ndarray:
    """Of three classes, each row most of all of its own."""
    codes = np.unique(labels, return_inverse=True)[1]
    unsure = np.random.default_rng(8).dirichlet(np.ones(3), codes.size)
    return 0.7 * np.eye(3)[codes] + 0.3 * unsure


def test_soft_labels_are_held_out_and_count_in_part() -> None:
    X, y = (part[::5] for part in iris())
    soft = soft_labels(y)
    for model in (GaussianClassifier(), GaussianClassifier("diagonal", shared=True)):
        found = model.leave_one_out(X, soft)
        n = len(X)
        assert (found.n_folds, found.rows.tolist()) == (n, list(range(n)))
        for row in range(0, n, 4):
            others = np.arange(n) != row
            without = clone(model).fit(X[others], soft[others])
            expected = without.predict_log_proba(X[[row]])[0]
            np.testing.assert_allclose(found.log_posterior[row], expected, rtol=1e-9, atol=1e-12)
        # What is expected if the class of each row is drawn from its labels.
        seen, posterior = found.evaluation, np.exp(found.log_posterior)
        predicted = posterior.argmax(axis=1)
        drawn = [(row, code) for row in range(n) for code in range(3)]
        weight = soft.ravel()
        losses = [-found.log_posterior[place] for place in drawn]
        assert seen.log_loss == pytest.approx(weight @ losses / n, rel=1e-12)
        squares = [np.square(posterior[row] - np.eye(3)[code]).sum() for row, code in drawn]
        assert seen.brier == pytest.approx(weight @ squares / n, rel=1e-12)
        wrong = [predicted[row] != code for row, code in drawn]
        assert seen.error == pytest.approx(weight @ wrong / n, rel=1e-12)
        assert seen.n_rows == n
        np.testing.assert_allclose(seen.confusion.sum(axis=1), soft.sum(axis=0), rtol=1e-12)


# Where something cannot be fitted, or cannot be told, without a row.


def some_rows(codes: Any, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows of overlapping classes with correlated features."""
    rng, codes = np.random.default_rng(0), np.asarray(codes)
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d))
    return X + rng.normal(size=(codes.max() + 1, d))[codes], codes


@pytest.mark.parametrize(("covariance", "shared"), [*STRUCTURES, ("full", 0.4), ("diagonal", 0.4)])
def test_a_row_that_outweighs_all_others(covariance: Any, shared: Any) -> None:
    X, y = some_rows(np.arange(60) % 3)
    weights = np.where(np.arange(60) == 4, 1e12, 1.0)
    model = GaussianClassifier(covariance, shared=shared, shrinkage=0.1)
    found = model.leave_one_out(X, y, weights).log_posterior[4]
    others = np.arange(60) != 4
    expected = model.fit(X[others], y[others]).predict_log_proba(X[[4]])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("priors", [None, "uniform", [0.5, 0.1, 0.4], {0: 0.5, 1: 0.1, 2: 0.4}])
def test_a_class_without_its_only_row_is_impossible(priors: Any) -> None:
    """The others share the prior that is left: of given ones 0.5 and 0.1 remain."""
    X, y = some_rows(np.where(np.arange(40) == 11, 2, np.arange(40) % 2))
    posterior = GaussianClassifier(shared=True, priors=priors).leave_one_out(X, y).log_posterior
    assert np.flatnonzero(np.isneginf(posterior).any(axis=1)).tolist() == [11]
    left = priors if priors in (None, "uniform") else [5 / 6, 1 / 6]
    two = GaussianClassifier(shared=True, priors=left)
    expected = two.fit(X[y < 2], y[y < 2]).predict_log_proba(X[[11]])[0]
    np.testing.assert_allclose(posterior[11], [*expected, -np.inf], rtol=1e-11)


@pytest.mark.parametrize(
    ("codes", "d", "options", "problem"),
    [
        (
            [*np.arange(20) % 2, 2],
            3,
            {"shared": True, "priors": [0.0, 0.0, 1.0]},
            "without row 21 of 21 .* only class 2 has a prior above 0",
        ),
        (
            np.repeat([0, 1], [4, 20]),  # class 0 has d + 1 rows
            3,
            {},
            r"without row 1 of 24 the model cannot .* class 0 has 3 rows.*\(shrinkage=0.1\)",
        ),
        (
            [0, 0, *np.ones(20, int)],
            1,
            {"covariance": "spherical", "divisor": "unbiased"},
            "without row 1 of 22 .* divides by 0",
        ),
    ],
)
def test_what_cannot_be_told_without_a_row(
    codes: Any, d: int, options: dict[str, Any], problem: str
) -> None:
    X, y = some_rows(codes, d)
    with pytest.raises((DataError, OptionError, SingularCovarianceError)) as caught:
        GaussianClassifier(**options).leave_one_out(X, y)
    assert re.search(problem, str(caught.value), re.DOTALL)
    if not options:
        for helps in ({"shrinkage": 0.1}, {"shared": True}):
            told = GaussianClassifier(**helps).leave_one_out(X, y).log_posterior
            assert told.shape == (24, 2)


def test_a_feature_that_is_constant_without_a_row() -> None:
    X, y = some_rows(np.arange(60) % 2)
    X[:, 1] = 0.0
    X[[0, 1, 3], 1] = [1.0, 1.0, 2.0]  # class 0 varies by row 0 alone
    for covariance in ("full", "diagonal"):
        with pytest.raises(SingularCovarianceError, match="without row 1 of 60 .* class 0 does"):
            GaussianClassifier(covariance).leave_one_out(X, y)


def test_the_only_row_of_one_of_two_classes_is_called_impossible() -> None:
    X, y = some_rows([*np.zeros(20, int), 1])
    told = GaussianClassifier(shared=True).leave_one_out(X, y).log_posterior
    assert told[20].tolist() == [0.0, -np.inf]
    assert np.isfinite(told[:20]).all()


def test_log_posteriors_near_0_keep_their_digits() -> None:
    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 1)) + 12.0 * y[:, None]
    model = GaussianClassifier(shared=True)
    found = model.leave_one_out(X, y).log_posterior
    for row in range(0, 60, 7):
        others = np.arange(60) != row
        expected = clone(model).fit(X[others], y[others]).predict_log_proba(X[[row]])[0]
        assert 0 < -expected.max() < 1e-16
        np.testing.assert_allclose(found[row].max(), expected.max(), rtol=1e-9, atol=0.0)
