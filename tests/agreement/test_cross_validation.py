"""Evaluation on held-out rows: the numbers of scikit-learn, refitting, splitters and groups."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import (
    log_loss,
)
from sklearn.model_selection import (
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
)

from gaussbayes import (
    AutoClassifier,
    Columns,
    DataError,
    GaussianClassifier,
    OptionError,
    SingularCovarianceError,
)

LDA: dict[str, Any] = {"shared": True}
QDA: dict[str, Any] = {"divisor": "unbiased"}
NAIVE_BAYES: dict[str, Any] = {"covariance": "diagonal", "divisor": "unbiased"}
IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)


# Errors counted by refitting scikit-learn's models without each row.


@pytest.mark.parametrize(
    "settings", [LDA, QDA, NAIVE_BAYES, {"covariance": "spherical", "priors": [0.2, 0.3, 0.5]}]
)
def test_leave_one_out_is_refitting(settings: dict[str, Any]) -> None:
    """Also if a row lies far away: left out, it leaves no trace."""
    X, y = WINE
    far = X.copy()
    far[7] = 1e16
    model = GaussianClassifier(**settings)
    for rows in (X, far) if settings is NAIVE_BAYES else (X,):
        refitted = cross_val_predict(model, rows, y, cv=LeaveOneOut(), method="predict_log_proba")
        found = model.evaluate(rows, y, cv="loo")
        assert found.log_loss == pytest.approx(-refitted[np.arange(y.size), y].mean(), rel=1e-10)
        assert found.n_errors == np.count_nonzero(refitted.argmax(axis=1) != y)
    left = model.leave_one_out(X, y)
    assert left.evaluation.n_errors == model.evaluate(X, y, cv="loo").n_errors
    assert left.rows.tolist() == list(range(178))
    assert left.to_dict()["n_folds"] == 178


GROUPS = np.random.default_rng(0).integers(0, 12, 178)


SEED: dict[str, Any] = {"random_state": 3}
SHUFFLED: dict[str, Any] = {"shuffle": True, **SEED}


@pytest.mark.parametrize(
    ("cv", "groups", "splitter", "how"),
    [
        (5, None, StratifiedKFold(5, **SHUFFLED), "5-fold cross-validation of 178 rows, strat"),
        (0.3, None, StratifiedShuffleSplit(1, test_size=0.3, **SEED), "30% of 178 rows held out"),
        (KFold(4), None, KFold(4), "held-out rows of 178, split by KFold"),
        (TimeSeriesSplit(3), None, TimeSeriesSplit(3), "split by TimeSeriesSplit"),
        (4, GROUPS, StratifiedGroupKFold(4, **SHUFFLED), "in 12 groups, stratified"),
        ("loo", GROUPS, LeaveOneGroupOut(), "leave-one-group-out of 178 rows in 12 groups"),
    ],
)
def test_splits_are_those_of_scikit_learn(cv: Any, groups: Any, splitter: Any, how: str) -> None:
    order = np.random.default_rng(1).permutation(178)
    X, y = WINE[0][order], WINE[1][order]
    model = GaussianClassifier(shared=True)
    losses, errors = [], 0
    for train, test in splitter.split(X, y, groups):
        log_posterior = clone(model).fit(X[train], y[train]).predict_log_proba(X[test])
        losses += (-log_posterior[np.arange(len(test)), y[test]]).tolist()
        errors += int(np.count_nonzero(log_posterior.argmax(axis=1) != y[test]))
    found = model.evaluate(X, y, cv=cv, groups=groups, random_state=3)
    assert how in found.how
    assert found.log_loss == pytest.approx(np.mean(losses), rel=1e-10)
    assert (found.n_errors, found.n_rows) == (errors, len(losses))
    if groups is not None:  # a column of groups is not a feature
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(13)]).assign(place=groups, kind=y)
        named = model.evaluate(frame, "kind", cv=cv, groups="place", random_state=3)
        assert named.log_loss == pytest.approx(found.log_loss, rel=1e-10)


def test_the_fitted_model_judges_these_rows() -> None:
    X, y = WINE
    model = GaussianClassifier().fit(X[::2], y[::2])
    found = model.evaluate(X[1::2], y[1::2])
    assert found.log_loss == pytest.approx(
        log_loss(y[1::2], model.predict_proba(X[1::2])), rel=1e-9
    )
    assert found.how == "fitted model on 89 rows"
    assert found.bayes_error is not None
    p = np.bincount(y[::2]) / 89  # of the training rows
    assert found.baseline is not None
    assert found.baseline.log_loss == pytest.approx(-np.log(p)[y[1::2]].mean())
    assert found.metrics()[5].words == "log loss"
    assert "class\nfrequencies" in str(found).replace(
        "       class\n", "class\n"
    ) or "class" in str(found)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["baseline"]["log_loss"] == pytest.approx(found.baseline.log_loss)
    assert record["bayes_error"]["error"] == found.bayes_error.error
    assert max(map(len, str(found).splitlines())) <= 80
    assert AutoClassifier().evaluate(X, y, cv=2).bayes_error is None  # there is no single model


def test_a_class_of_one_row_is_never_held_out() -> None:
    rows, labels = [[1.0], [2.0], [3.0], [8.0], [9.0], [11.0], [50.0]], list("aaabbbc")
    model = GaussianClassifier(shrinkage=0.5, covariance="spherical", shared=True)
    told = "class 'c' has one row, which is never held out"
    for cv in ("loo", 2, 0.4):
        found = model.evaluate(rows, labels, cv=cv)
        assert found.confusion.sum(axis=1)[2] == 0
        assert np.isfinite(found.log_loss)
        assert told in found.notes
        assert told in str(found)
    loss = 0.0
    for row in range(6):
        others = np.arange(7) != row
        fitted = clone(model).fit(np.array(rows)[others], np.array(labels)[others])
        loss -= fitted.predict_log_proba([rows[row]])[0, "abc".index(labels[row])]
    assert model.evaluate(rows, labels, cv="loo").log_loss == pytest.approx(loss / 6, rel=1e-10)
    with pytest.raises(DataError, match="every class has one row"):
        model.evaluate(rows[:2], ["a", "b"], cv=2)


def test_folds_shrink_to_the_smallest_class() -> None:
    X, y = IRIS
    few = np.r_[0:3, 50:150]
    found = GaussianClassifier(shared=True).evaluate(X[few], y[few])
    assert found.how == "3-fold cross-validation of 103 rows, stratified, seed 0"
    assert found.notes == ("3 folds instead of 10: class 0 has 3 rows",)
    assert found.baseline is not None
    p = np.array([3, 50, 50]) / 103
    assert found.baseline.log_loss == pytest.approx(-(p * np.log(p)).sum(), rel=1e-12)
    assert found.baseline.error == pytest.approx(53 / 103, rel=1e-12)


def test_missing_values_labels_and_categories() -> None:
    X, y = IRIS
    X = np.where(np.random.default_rng(3).random((150, 4)) < 0.1, np.nan, X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = GaussianClassifier(shared=True)
    expected = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    assert model.evaluate(X, y, cv=5).log_loss == pytest.approx(log_loss(y, expected), rel=1e-9)
    left = model.evaluate(X[::9], y[::9], cv="loo")
    expected = cross_val_predict(model, X[::9], y[::9], cv=LeaveOneOut(), method="predict_proba")
    assert left.log_loss == pytest.approx(log_loss(y[::9], expected), rel=1e-7)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["a"] = frame["a"].map(lambda x: None if np.isnan(x) else f"{x:.0f} cm").astype("category")
    model = GaussianClassifier(smoothing=1)
    losses = []
    for train, test in folds.split(frame, y):
        fitted = clone(model).fit(frame.iloc[train], y[train])
        losses += (-fitted.predict_log_proba(frame.iloc[test])[np.arange(30), y[test]]).tolist()
    assert model.evaluate(frame, y, cv=5).log_loss == pytest.approx(np.mean(losses), rel=1e-9)
    # Unlabelled rows are in every training part, and are never predicted.
    rows, labels = IRIS[0][::3], np.where(np.arange(50) % 4 == 1, -1, y[::3])
    model = GaussianClassifier(shared=True, columns=Columns(unlabelled=-1))
    found, total = model.evaluate(rows, labels, cv="loo"), 0.0
    for row in np.flatnonzero(labels >= 0):
        others = np.arange(50) != row
        fitted = clone(model).fit(rows[others], labels[others])
        total -= fitted.predict_log_proba(rows[[row]])[0, labels[row]]
    assert found.n_rows == 37
    assert found.log_loss == pytest.approx(total / 37, rel=1e-7)
    folds_of_labelled = model.evaluate(rows, labels, cv=3)
    assert folds_of_labelled.n_rows == 37
    assert "13 unlabelled rows in every training part" in folds_of_labelled.how


def test_what_cannot_be_evaluated() -> None:
    rows, labels = [[1.0], [2.0], [3.0], [8.0]], list("aaab")
    for cv in ("loo", 2):
        with pytest.raises(DataError, match="got 1 class: 'a'"):
            GaussianClassifier().evaluate(rows, ["a"] * 4, cv=cv)
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary in feature 0"):
        GaussianClassifier().evaluate(rows, labels, cv="loo")
    flat = [[1.0], [1.0], [1.0], [8.0], [9.0], [7.0]]
    with pytest.raises(SingularCovarianceError, match="'a' does not vary"):
        GaussianClassifier().evaluate(flat, list("aaabbb"), cv=3)
    X, y = IRIS
    for cv in (1, 0.0, 1.5, "twice", True, -3, object()):
        with pytest.raises(OptionError, match="cv must be an integer of at least 2 folds"):
            GaussianClassifier().evaluate(X, y, cv=cv)
    with pytest.raises(OptionError, match="one entry for each of 150 rows"):
        GaussianClassifier().evaluate(X, y, cv=3, groups=[1, 2])
    with pytest.raises(DataError, match="at least two groups"):
        GaussianClassifier().evaluate(X, y, cv=3, groups=np.zeros(150))
    with pytest.raises(DataError, match="X has 150 rows, but y has 149"):
        GaussianClassifier().evaluate(X, y[1:], cv=3)
