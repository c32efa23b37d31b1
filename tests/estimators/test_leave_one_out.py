"""Rows left out one at a time, and the choice of structure and shrinkage by them."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import CategoricalNB

from gaussbayes import Columns, DataError, GaussianClassifier
from gaussbayes.data.categories import UnseenCategoryWarning
from tests.designs import all_pairs
from tests.models import STRUCTURES, iris


@pytest.mark.parametrize(("covariance", "shared"), [*STRUCTURES, ("full", 0.4), ("diagonal", 0.4)])
def test_rows_are_left_out_as_if_models_were_fitted_without_them(
    covariance: str, shared: bool | float
) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared, shrinkage=0.1)
    found = model.leave_one_out(X, y)
    told = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba", n_jobs=1)
    np.testing.assert_allclose(found.log_posterior, told, atol=1e-10)
    assert found.evaluation.log_loss == pytest.approx(log_loss(y, np.exp(told)), rel=1e-9)


# Numbers and categories.

N = 45
NUMBERS, CATEGORIES = ["pressure", "warmth"], ["wind", "month"]


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


@pytest.mark.parametrize(
    ("covariance", "shared", "others"),
    all_pairs(
        ["full", "diagonal", "spherical"],
        [False, True, 0.5],
        [(0.5, None, None), (1.0, WEIGHTS, 0.2), (0.0, WEIGHTS, None)],
    ),
)
def test_equal_to_fitting_without_each_row(
    covariance: Any, shared: Any, others: tuple[float, Any, Any]
) -> None:
    smoothing, weights, shrinkage = others
    model = GaussianClassifier(covariance, shared=shared, smoothing=smoothing, shrinkage=shrinkage)
    found = model.leave_one_out(FRAME, Y, weights).log_posterior
    expected = refitted(model, FRAME, Y, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("smoothing", [0.5, 1.0])
def test_categories_alone_by_scikit_learn(smoothing: float) -> None:
    """Nothing of ours on the other side: `CategoricalNB` without each row."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 50)
    X = random.integers(0, 3, (50, 2))
    found = GaussianClassifier(
        columns=Columns(categorical=[0, 1]), smoothing=smoothing
    ).leave_one_out(X, y)
    for row in range(50):
        others = np.arange(50) != row
        theirs = CategoricalNB(alpha=smoothing, min_categories=3).fit(X[others], y[others])
        expected = theirs.predict_log_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found.log_posterior[row], expected, atol=1e-12)
    assert found.evaluation.n_errors == int((found.log_posterior.argmax(axis=1) != y).sum())


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


def test_missing_numbers_beside_categories() -> None:
    """There is no closed form: each row takes a fit, with EM."""
    hole = FRAME.assign(warmth=FRAME["warmth"].where(np.arange(N) % 4 != 1))
    model = GaussianClassifier("diagonal", smoothing=1.0)
    found = model.leave_one_out(hole, Y)
    np.testing.assert_allclose(found.log_posterior, refitted(model, hole, Y, None), atol=1e-8)
    assert found.n_folds == N


def test_rows_without_label_stay_on_the_training_side() -> None:
    labels = np.where(np.arange(N) % 5 == 3, None, Y)
    model = GaussianClassifier("diagonal", shared=True, smoothing=1.0)
    found = model.leave_one_out(FRAME, labels)
    known = np.flatnonzero([label is not None for label in labels])
    assert found.rows.tolist() == known.tolist()
    for place, row in enumerate(known[:12]):
        others = np.arange(N) != row
        without = clone(model).fit(FRAME[others], labels[others])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            expected = without.predict_log_proba(FRAME[row : row + 1])[0]
        np.testing.assert_allclose(found.log_posterior[place], expected, atol=1e-7)


def test_what_leaving_out_refuses() -> None:
    lonely = FRAME.assign(
        wind=pd.Categorical(np.where(np.arange(N) == int(np.argmax(Y == "wet")), "a", None))
    )
    columns = Columns(features=list(lonely.columns))
    with pytest.raises(DataError, match="'wind' is missing in every row"):
        GaussianClassifier(columns=columns).leave_one_out(lonely, Y)


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_threads_change_nothing(n_jobs: int) -> None:
    model = GaussianClassifier(smoothing=1.0, n_jobs=n_jobs)
    one = GaussianClassifier(smoothing=1.0, n_jobs=2).leave_one_out(FRAME, Y).log_posterior
    np.testing.assert_array_equal(model.leave_one_out(FRAME, Y).log_posterior, one)


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
