"""One model on rows held out: the same as fitting again, and the counts that are known."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.held_out import evaluate_held_out
from gaussbayes.base.errors import DataError, SingularCovarianceError

LDA: dict[str, Any] = {"shared": True}
QDA: dict[str, Any] = {"divisor": "unbiased"}
NAIVE_BAYES: dict[str, Any] = {"covariance": "diagonal", "divisor": "unbiased"}


# Errors counted by refitting scikit-learn's models without each row.
@pytest.mark.parametrize(
    ("load", "settings", "errors"),
    [
        (load_iris, LDA, 3),
        (load_iris, QDA, 4),
        (load_iris, NAIVE_BAYES, 7),
        (load_wine, LDA, 2),
        (load_wine, QDA, 1),
        (load_wine, NAIVE_BAYES, 5),
        (load_breast_cancer, LDA, 24),
        (load_breast_cancer, QDA, 25),
        (load_breast_cancer, NAIVE_BAYES, 38),
    ],
)
def test_leave_one_out_counts(load: Any, settings: dict[str, Any], errors: int) -> None:
    X, y = load(return_X_y=True)
    assert evaluate_held_out(GaussianClassifier(**settings), X, y, "loo").n_errors == errors


@pytest.mark.parametrize(
    "settings", [LDA, QDA, NAIVE_BAYES, {"covariance": "spherical", "priors": [0.2, 0.3, 0.5]}]
)
def test_leave_one_out_is_refitting(settings: dict[str, Any]) -> None:
    X, y = load_wine(return_X_y=True)
    model = GaussianClassifier(**settings)
    refitted = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba")
    found = evaluate_held_out(model, X, y, "loo")
    assert found.log_loss == pytest.approx(-refitted[np.arange(y.size), y].mean(), rel=1e-10)
    assert found.n_errors == np.count_nonzero(refitted.argmax(axis=1) != y)


def test_a_row_far_away_does_not_blur_the_others() -> None:
    # Left out, the far row must leave no trace; subtracting its 1e32 from the scatter would.
    X, y = load_iris(return_X_y=True)
    X[7] = 1e16
    model = GaussianClassifier("diagonal")
    refitted = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba")
    found = evaluate_held_out(model, X, y, "loo")
    assert found.n_errors == np.count_nonzero(refitted.argmax(axis=1) != y)
    assert found.log_loss == pytest.approx(-refitted[np.arange(y.size), y].mean(), rel=1e-10)


def test_folds_are_those_of_scikit_learn() -> None:
    X, y = load_wine(return_X_y=True)
    model = GaussianClassifier(shared=True)
    splits = StratifiedKFold(5, shuffle=True, random_state=3)
    told = cross_val_predict(model, X, y, cv=splits, method="predict_proba")
    found = evaluate_held_out(model, X, y, 5, random_state=3)
    assert found.log_loss == pytest.approx(log_loss(y, told), rel=1e-12)
    assert found.how == "5-fold cross-validation of 178 rows, stratified, seed 3"


def test_a_class_of_one_row_is_not_held_out() -> None:
    """Models without the row do not know the class: it stays in training, and a note says so."""
    rows, labels = [[1.0], [2.0], [3.0], [8.0], [9.0], [11.0], [50.0]], list("aaabbbc")
    model = GaussianClassifier(shrinkage=0.5, covariance="spherical", shared=True)
    told = "class 'c' has one row: models without it do not know the class"
    for held_out in ("loo", 2, 0.4):
        found = evaluate_held_out(model, rows, labels, held_out)
        assert found.confusion.sum(axis=1)[2] == 0
        assert np.isfinite(found.log_loss)
        assert found.notes[-1].startswith(told)
        assert told in str(found)
    # Each of the others by a model of all rows but itself, the lonely one among them.
    found = evaluate_held_out(model, rows, labels, "loo")
    loss = 0.0
    for row in range(6):
        others = np.arange(7) != row
        fitted = clone(model).fit(np.array(rows)[others], np.array(labels)[others])
        loss -= fitted.predict_log_proba([rows[row]])[0, "abc".index(labels[row])]
    assert found.log_loss == pytest.approx(loss / 6, rel=1e-10)
    chosen = GaussianClassifier("auto", shrinkage=0.5)
    assert evaluate_held_out(chosen, rows, labels, "loo").how == found.how
    with pytest.raises(DataError, match="every class has one row: none can be held out"):
        evaluate_held_out(model, rows[:2], ["a", "b"], 2)


def test_folds_shrink_to_the_smallest_class() -> None:
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:3, 50:150]
    found = evaluate_held_out(GaussianClassifier(shared=True), X[few], y[few], 10)
    assert found.how == "3-fold cross-validation of 103 rows, stratified, seed 0"
    assert found.notes == ("3 folds instead of 10: class 0 has 3 rows",)
    # The baseline knows the frequencies of all rows that models are fitted to.
    assert found.baseline is not None
    p = np.array([3, 50, 50]) / 103
    assert found.baseline.log_loss == pytest.approx(-(p * np.log(p)).sum(), rel=1e-12)
    assert found.baseline.error == pytest.approx(53 / 103, rel=1e-12)


def test_what_cannot_be_evaluated() -> None:
    rows, labels = [[1.0], [2.0], [3.0], [8.0]], list("aaab")
    with pytest.raises(DataError, match="got 1 class: 'a'; add labelled rows"):
        evaluate_held_out(GaussianClassifier(), rows, ["a"] * 4, "loo")
    with pytest.raises(DataError, match="got 1 class: 'a'; add labelled rows"):
        evaluate_held_out(GaussianClassifier(), rows, ["a"] * 4, 2)
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in feature 0"):
        evaluate_held_out(GaussianClassifier(), rows, labels, "loo")
    with pytest.raises(SingularCovarianceError, match="without row 4 of 5 the model cannot"):
        evaluate_held_out(GaussianClassifier(), [*rows, [9.0]], list("aaabb"), "loo")
    with pytest.raises(DataError, match="not held out: .*'a'"):
        evaluate_held_out(
            GaussianClassifier(), [[1.0], [1.0], [1.0], [8.0], [9.0], [7.0]], list("aaabbb"), 3
        )


def test_missing_values() -> None:
    """Folds of rows with missing values, as scikit-learn's tools evaluate the same model."""
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(3).random((150, 4)) < 0.1, np.nan, X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = GaussianClassifier(shared=True)
    expected = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    found = evaluate_held_out(model, X, y, 5, random_state=0)
    assert found.n_errors == (expected.argmax(axis=1) != y).sum()
    assert found.log_loss == pytest.approx(log_loss(y, expected), rel=1e-9)
    chosen = evaluate_held_out(GaussianClassifier("auto"), X[::3], y[::3], 2)
    assert chosen.n_rows == 50
    few, labels = X[::9], y[::9]
    left = evaluate_held_out(model, few, labels, "loo")
    expected = cross_val_predict(model, few, labels, cv=LeaveOneOut(), method="predict_proba")
    assert left.log_loss == pytest.approx(log_loss(labels, expected), rel=1e-7)


def test_rows_without_label_are_left_out_of_scores() -> None:
    X, y = load_iris(return_X_y=True)
    X, labels = X[::3], np.where(np.arange(50) % 4 == 1, -1, y[::3])
    model = GaussianClassifier(shared=True, unlabelled=-1)
    found = evaluate_held_out(model, X, labels, "loo")
    assert found.how == "each of 37 rows predicted by a model of the others"
    total = 0.0
    for row in np.flatnonzero(labels >= 0):
        others = np.arange(50) != row
        fitted = GaussianClassifier(shared=True, unlabelled=-1).fit(X[others], labels[others])
        total -= fitted.predict_log_proba(X[[row]])[0, labels[row]]
    assert found.log_loss == pytest.approx(total / 37, rel=1e-7)


def test_categories() -> None:
    """Missing values of both kinds, and the first feature in categories."""
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(3).random((150, 4)) < 0.1, np.nan, X)
    rows = X.astype(object)
    known = ~np.isnan(X[:, 0])
    rows[known, 0] = [f"{value:.0f} cm" for value in X[known, 0]]
    rows[~known, 0] = None
    model = GaussianClassifier(categorical_features=[0], smoothing=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    told = cross_val_predict(model, rows, y, cv=folds, method="predict_proba")
    found = evaluate_held_out(model, rows, y, 5)
    assert found.log_loss == pytest.approx(log_loss(y, told), rel=1e-9)
    whole = ~np.isnan(X[:, 1:]).any(axis=1)
    left = rows[whole], y[whole]
    told = cross_val_predict(model, *left, cv=LeaveOneOut(), method="predict_proba")
    found = evaluate_held_out(model, *left, "loo")
    assert found.log_loss == pytest.approx(log_loss(left[1], told), rel=1e-9)


def test_a_row_that_categories_rule_out() -> None:
    rows = [["p", "p"], ["q", "q"]] * 6 + [["p", "q"]]
    model = GaussianClassifier(categorical_features=[0, 1])
    with pytest.raises(DataError, match="cannot predict rows that are held out: .* smoothing"):
        evaluate_held_out(model, rows, [0, 1] * 6 + [0], 3)
