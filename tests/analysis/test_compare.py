"""Comparing classifiers: the numbers of scikit-learn, any table, problems instead of errors."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from gaussbayes import Columns, DataError, GaussianClassifier, OptionError, compare
from tests.models import weather

X, Y = load_wine(return_X_y=True)
LDA = {"LDA": GaussianClassifier(shared=True)}
PEERS = [
    ("LDA", LinearDiscriminantAnalysis(), 1e-6),
    ("naive Bayes", GaussianNB(var_smoothing=0), 1e-6),
    (
        "logistic regression",
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        1e-6,
    ),
    ("gradient boosting", HistGradientBoostingClassifier(random_state=0), 1e-6),
    ("9 nearest neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(9)), 1e-6),
]


@pytest.fixture(scope="module", autouse=True)
def _one_thread_of_trees() -> Iterator[None]:
    """Threads of gradient boosting that wait for each other on busy processors take seconds."""
    with threadpool_limits(1, "openmp"):
        yield


@pytest.fixture(scope="module")
def compared() -> Any:
    return compare(X[:, :4], Y, cv=2, neighbors=[1, 9, 1], random_state=3)


@pytest.mark.parametrize(("name", "theirs", "tolerance"), PEERS)
def test_the_numbers_are_those_of_scikit_learn(
    compared: Any, name: str, theirs: Any, tolerance: float
) -> None:
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    posterior = cross_val_predict(theirs, X[:, :4], Y, cv=folds, method="predict_proba")
    found = next(each for each in compared.candidates if each.name == name).evaluation
    assert found.n_errors == np.count_nonzero(posterior.argmax(axis=1) != Y)
    of_truth = posterior[np.arange(Y.size), Y]
    loss = np.inf if (of_truth == 0).any() else log_loss(Y, posterior)
    assert found.log_loss == pytest.approx(loss, rel=tolerance)


def test_all_classifiers_are_there(compared: Any) -> None:
    names = [each.name for each in compared.candidates]
    assert names == [
        *("AutoClassifier", "QDA", "LDA", "naive Bayes", "logistic regression"),
        *("gradient boosting", "1 nearest neighbour", "9 nearest neighbours"),
    ]
    assert [each.neighbors for each in compared.candidates][-2:] == [1, 9]
    assert compared.how == "2-fold cross-validation of 178 rows, stratified, seed 3"
    assert compared.n_rows == 178
    p = np.bincount(Y) / 178
    assert compared.baseline.log_loss == pytest.approx(-(p * np.log(p)).sum())
    text = str(compared)
    assert max(map(len, text.splitlines())) <= 80
    assert "class frequencies" in text
    assert "<table>" in compared._repr_html_()
    record = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert record["candidates"][6]["evaluation"]["log_loss"] is None  # a vote of nobody: ∞


def test_any_table_can_be_compared(tmp_path: Path) -> None:
    """Strings, dates, missing values, identifiers and unlabelled rows; frames of every library."""
    frame, y = weather(160)
    frame["wind"], frame["month"] = frame["wind"].astype(object), frame["month"].astype(object)
    frame["day"] = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(160) % 31, unit="D")
    frame.loc[::9, "warmth"] = np.nan
    labels = pd.Series(y, dtype=object).mask(np.arange(160) % 20 == 3)
    found = compare(frame.assign(kind=labels), "kind", cv=2, neighbors=[5])
    assert [each.problem for each in found.candidates] == [None] * 7
    assert all(each.evaluation.n_rows == 152 for each in found.candidates)
    assert "8 unlabelled rows in every training part" in found.how
    ours = GaussianClassifier(smoothing=1.0)
    one = compare(frame[["pressure", "warmth"]], y, models={"ours": ours}, neighbors=[3], cv=2)
    two = compare(
        pl.from_pandas(frame[["pressure", "warmth"]]), y, models={"ours": ours}, neighbors=[3], cv=2
    )
    for a, b in zip(one.candidates, two.candidates, strict=True):
        assert a.evaluation.log_loss == pytest.approx(b.evaluation.log_loss)
    # A file is read as a fit to it would read it: marks are missing values of numbers.
    path = tmp_path / "days.csv"
    some = frame[["pressure", "warmth"]].assign(kind=y)
    some.to_csv(path, index=False, na_rep="?")
    three = compare(path, "kind", models={"ours": ours}, neighbors=[3], cv=2)
    for a, b in zip(one.candidates, three.candidates, strict=True):
        assert a.evaluation.log_loss == pytest.approx(b.evaluation.log_loss)


def test_given_models_groups_and_costs() -> None:
    models = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), **LDA}
    groups = np.arange(178) % 6
    found = compare(
        X,
        Y,
        models=models,
        neighbors=(),
        cv=GroupKFold(3),
        groups=groups,
        costs=5 * (1 - np.eye(3)),
    )
    tree = models["tree"]
    posterior = cross_val_predict(
        tree, X, Y, cv=GroupKFold(3), groups=groups, method="predict_proba"
    )
    errors = np.count_nonzero(posterior.argmax(axis=1) != Y)
    assert found.candidates[0].evaluation.n_errors == errors
    assert [each.name for each in found.candidates] == ["tree", "LDA"]
    for each in found.candidates:
        assert each.evaluation.cost == pytest.approx(5 * each.evaluation.error)
    assert "cost" in str(found)
    # An estimator that cannot take the table gets its features in numbers.
    frame, y = weather(100)
    given = {"logistic": LogisticRegression(), "ours": GaussianClassifier(smoothing=1.0)}
    found = compare(frame, y, models=given, neighbors=(), cv=2)
    assert [each.problem for each in found.candidates] == [None, None]


def test_a_tree_that_is_clearly_better_is_named() -> None:
    rng = np.random.default_rng(0)
    rows = rng.uniform(-2, 2, size=(600, 2))
    y = (np.floor(rows[:, 0]) + np.floor(rows[:, 1])) % 2  # a chessboard
    found = compare(rows, y, neighbors=(), cv=2)
    (note,) = found.notes
    assert note.startswith("A tree model (gradient boosting) predicts these rows clearly better")
    assert note in str(found).replace("\n", " ")
    few = compare(rows, y, models=LDA, neighbors=[1], cv=2, max_rows=100)
    assert few.notes == ("a stratified sample of 100 of 600 rows",)
    assert few.n_rows == 100


def test_ebm_is_there_if_interpret_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class ExplainableBoostingClassifier(DecisionTreeClassifier):  # type: ignore[misc]
        def __init__(self, feature_types: Any = None, random_state: Any = None) -> None:
            super().__init__(max_depth=3, random_state=random_state)
            self.feature_types = feature_types

    package, module = ModuleType("interpret"), ModuleType("interpret.glassbox")
    package.__spec__ = module.__spec__ = sys.__spec__
    module.ExplainableBoostingClassifier = ExplainableBoostingClassifier  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "interpret", package)
    monkeypatch.setitem(sys.modules, "interpret.glassbox", module)
    found = compare(X[::2, :2], Y[::2], cv=2, neighbors=())
    assert found.candidates[-1].name == "explainable boosting"
    assert found.candidates[-1].evaluation is not None


def test_problems_do_not_stop_the_others() -> None:
    flat = np.column_stack([X[:, 0], np.ones(178)])
    models = {"QDA": GaussianClassifier(), "shrunk": GaussianClassifier(shrinkage=0.1)}
    found = compare(flat, Y, models=models, neighbors=[200, 3], cv=2)
    qda, shrunk, many, few = found.candidates
    assert "does not vary in feature 1" in qda.problem
    assert "Remedies" not in qda.problem
    assert many.problem is not None
    assert shrunk.evaluation.n_rows == few.evaluation.n_rows == 178
    assert "QDA: class 0 does not vary in feature 1" in str(found).replace("\n", " ")
    soft = np.eye(3)[Y] * 0.8 + 0.2 / 3
    found = compare(X[:, :3], soft, models=LDA, neighbors=[3], cv=2)
    assert found.candidates[0].problem is None
    assert "labels are soft" in found.candidates[1].problem


def test_bad_settings() -> None:
    for neighbors in ([0], [1.5], "ab", [True], None):
        with pytest.raises(OptionError, match="neighbors must be an integer, at least 1"):
            compare(X, Y, neighbors=neighbors)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="models must be estimators by name"):
        compare(X, Y, models=[GaussianClassifier()])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'this' must have fit and predict_proba"):
        compare(X, Y, models={"this": 3})
    with pytest.raises(OptionError, match="cv must be"):
        compare(X, Y, cv=1)
    with pytest.raises(DataError, match="there is no column 'kinds'"):
        compare(pd.DataFrame({"a": [1.0, 2.0], "kind": [0, 1]}), "kinds")
    marked = GaussianClassifier(columns=Columns(unlabelled=-1))
    found = compare(X, np.where(Y == 2, -1, Y), models={"marked": marked}, neighbors=(), cv=2)
    assert found.classes.tolist() == [-1, 0, 1]
