"""One model on rows held out: the same as fitting again, and the counts that are known."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.comparison.one_model import judge
from gaussbayes.base.errors import DataError, NonFiniteError, SingularCovarianceError

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
    assert judge(GaussianClassifier(**settings), X, y, "loo").evaluation.n_errors == errors


@pytest.mark.parametrize(
    "settings", [LDA, QDA, NAIVE_BAYES, {"covariance": "spherical", "priors": [0.2, 0.3, 0.5]}]
)
def test_leave_one_out_is_refitting(settings: dict[str, Any]) -> None:
    X, y = load_wine(return_X_y=True)
    model = GaussianClassifier(**settings)
    refitted = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba")
    found = judge(model, X, y, "loo").evaluation
    assert found.log_loss == pytest.approx(-refitted[np.arange(y.size), y].mean(), rel=1e-10)
    assert found.n_errors == np.count_nonzero(refitted.argmax(axis=1) != y)


def test_a_row_far_away_does_not_blur_the_others() -> None:
    # Left out, the far row must leave no trace; subtracting its 1e32 from the scatter would.
    X, y = load_iris(return_X_y=True)
    X[7] = 1e16
    model = GaussianClassifier("diagonal")
    refitted = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_log_proba")
    found = judge(model, X, y, "loo").evaluation
    assert found.n_errors == np.count_nonzero(refitted.argmax(axis=1) != y)
    assert found.log_loss == pytest.approx(-refitted[np.arange(y.size), y].mean(), rel=1e-10)


def test_folds_are_those_of_scikit_learn() -> None:
    X, y = load_wine(return_X_y=True)
    model = GaussianClassifier(shared=True)
    splits = StratifiedKFold(5, shuffle=True, random_state=3)
    told = cross_val_predict(model, X, y, cv=splits, method="predict_proba")
    found = judge(model, X, y, 5, random_state=3)
    assert found.evaluation.log_loss == pytest.approx(log_loss(y, told), rel=1e-12)
    assert found.how == "5-fold cross-validation of 178 rows, stratified, seed 3"


def test_a_class_of_one_row_is_unknown_without_it() -> None:
    rows, labels = [[1.0], [2.0], [3.0], [8.0], [9.0], [11.0], [50.0]], list("aaabbbc")
    model = GaussianClassifier(shrinkage=0.5, covariance="spherical", shared=True)
    found = judge(model, rows, labels, "loo").evaluation
    assert found.confusion[2].tolist() == [0, 1, 0]
    assert found.log_loss == np.inf
    # The others share what was given to the class that is gone.
    given = GaussianClassifier(shared=True, priors=[0.4, 0.4, 0.2])
    left = judge(given, [[1.0], [2.0], [3.0], [8.0], [9.0]], list("aabbc"), "loo").evaluation
    assert left.confusion[2, 2] == 0
    assert left.log_loss == np.inf


def test_what_cannot_be_judged() -> None:
    rows, labels = [[1.0], [2.0], [3.0], [8.0]], list("aaab")
    with pytest.raises(DataError, match="at least two classes, got \\['a'\\]"):
        judge(GaussianClassifier(), rows, ["a"] * 4, "loo")
    with pytest.raises(DataError, match="at least two classes, got \\['a'\\]"):
        judge(GaussianClassifier(), rows, ["a"] * 4, 2)
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in feature 0"):
        judge(GaussianClassifier(), rows, labels, "loo")
    with pytest.raises(SingularCovarianceError, match="without row 4 of 5 the model cannot"):
        judge(GaussianClassifier(), [*rows, [9.0]], list("aaabb"), "loo")
    with pytest.raises(DataError, match="not held out: .*'a'"):
        judge(GaussianClassifier(), [[1.0], [1.0], [1.0], [8.0], [9.0], [7.0]], list("aaabbb"), 3)


def test_rows_that_lack_features() -> None:
    """Folds of incomplete rows, judged as scikit-learn's tools judge the same model."""
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(3).random((150, 4)) < 0.1, np.nan, X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = GaussianClassifier(shared=True)
    expected = cross_val_predict(model, X, y, cv=folds)
    found = judge(model, X, y, 5, random_state=0)
    assert found.evaluation.n_errors == (expected != y).sum()
    with pytest.raises(NonFiniteError, match="NaN in row"):
        judge(GaussianClassifier("auto"), X, y, 5)
    with pytest.raises(NonFiniteError, match="NaN in row"):
        judge(model, X, y, "loo")


def test_categories() -> None:
    """Gaps of both kinds, and the first feature in categories: as scikit-learn's tools judge it."""
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(3).random((150, 4)) < 0.1, np.nan, X)
    rows = X.astype(object)
    known = ~np.isnan(X[:, 0])
    rows[known, 0] = [f"{value:.0f} cm" for value in X[known, 0]]
    rows[~known, 0] = None
    model = GaussianClassifier(categorical_features=[0], smoothing=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    told = cross_val_predict(model, rows, y, cv=folds, method="predict_proba")
    found = judge(model, rows, y, 5).evaluation
    assert found.log_loss == pytest.approx(log_loss(y, told), rel=1e-9)
    whole = ~np.isnan(X[:, 1:]).any(axis=1)
    left = rows[whole], y[whole]
    told = cross_val_predict(model, *left, cv=LeaveOneOut(), method="predict_proba")
    found = judge(model, *left, "loo").evaluation
    assert found.log_loss == pytest.approx(log_loss(left[1], told), rel=1e-9)


def test_a_row_that_categories_rule_out() -> None:
    rows = [["p", "p"], ["q", "q"]] * 6 + [["p", "q"]]
    model = GaussianClassifier(categorical_features=[0, 1])
    with pytest.raises(DataError, match="cannot predict rows that are held out: .* smoothing"):
        judge(model, rows, [0, 1] * 6 + [0], 3)
