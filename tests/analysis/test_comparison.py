"""Comparing models: the numbers of scikit-learn, problems told instead of raised, tables."""

import io
import json
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.analysis import comparison
from gaussbayes.analysis.comparison import STRUCTURES, ComparedModel, Comparison
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.text_tables import Styled, TextTable
from gaussbayes.cli.console import print_blocks
from gaussbayes.model.evaluation import Evaluation
from tests.models import automatic_classifier, iris, tree_frame, trees

# The automatic choice and logistic regression take longer than all others: where they are meant.
compare = partial(comparison.compare, automatic=False, logistic=False)
NAMES = [*STRUCTURES, "1 nearest neighbour", "3 nearest neighbours"]


def named(compared: Comparison, name: str) -> ComparedModel:
    (found,) = [candidate for candidate in compared.candidates if candidate.name == name]
    return found


def judged(compared: Comparison, name: str) -> Evaluation:
    evaluation = named(compared, name).evaluation
    assert evaluation is not None
    return evaluation


def same_answers(compared: Comparison, other: Comparison) -> bool:
    """Whether all that does not depend on the clock is the same."""
    clock = ("fit_seconds", "predict_seconds")
    one, two = (
        [{k: v for k, v in record.items() if k not in clock} for record in c.records()]
        for c in (compared, other)
    )
    return one == two


@cache
def judged_by_folds(data: str) -> tuple[Any, Any, Comparison]:
    """Rows, labels, and all models judged by the same five folds."""
    X, y = iris() if data == "iris" else load_breast_cancer(return_X_y=True)
    return X, y, compare(X, y, held_out=5, neighbors=(1, 9), random_state=3)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("QDA", QuadraticDiscriminantAnalysis(tol=0)),  # its rank test depends on the units
        ("LDA", LinearDiscriminantAnalysis()),
        ("Gaussian naive Bayes", GaussianNB(var_smoothing=0)),
        ("1 nearest neighbour", make_pipeline(StandardScaler(), KNeighborsClassifier(1))),
        ("9 nearest neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(9))),
    ],
)
@pytest.mark.parametrize("data", ["iris", "breast cancer"])
def test_the_numbers_are_those_of_scikit_learn(name: str, theirs: Any, data: str) -> None:
    X, y, compared = judged_by_folds(data)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    posterior = cross_val_predict(theirs, X, y, cv=folds, method="predict_proba")
    classes = np.unique(y)
    guesses = classes[posterior.argmax(axis=1)]
    seen = judged(compared, name)
    assert seen.confusion.tolist() == confusion_matrix(y, guesses).tolist()
    assert seen.error == pytest.approx(np.mean(guesses != y), rel=1e-14)
    truth = np.searchsorted(classes, y)
    brier = brier_score_loss(truth, posterior, labels=[*range(len(classes))], scale_by_half=False)
    assert seen.brier == pytest.approx(brier, rel=1e-8)
    if "neighbour" not in name:
        # scikit-learn's log_loss cuts probabilities off at 2e-16; its log posteriors are whole.
        told = cross_val_predict(theirs, X, y, cv=folds, method="predict_log_proba")
        expected = -told[np.arange(len(y)), truth].mean()
    else:
        called_impossible = (posterior[np.arange(len(y)), truth] == 0).any()
        expected = np.inf if called_impossible else log_loss(y, posterior)
    assert seen.log_loss == pytest.approx(expected, rel=1e-8)


def test_all_seven_kinds_are_there_in_order() -> None:
    compared = compare(*iris(), held_out=3, neighbors=(1, 3, 1))
    assert [candidate.name for candidate in compared.candidates] == NAMES
    assert [candidate.neighbors for candidate in compared.candidates] == [None] * 6 + [1, 3]
    assert compared.n_rows == 150
    assert all(c.evaluation and c.evaluation.n_rows == 150 for c in compared.candidates)
    assert all(c.fit_seconds > 0 and c.predict_seconds > 0 for c in compared.candidates)


def test_parameters_are_those_of_a_model_of_all_rows() -> None:
    X, y = iris()
    compared = compare(X, y, held_out=2, neighbors=())
    for candidate in compared.candidates:
        assert candidate.structure is not None
        shape = candidate.structure
        model = GaussianClassifier(shape.covariance, shared=shape.shared).fit(X, y)
        assert candidate.n_parameters == model.n_parameters_


def test_the_automatic_choice_is_made_without_the_rows_held_out() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200, :6], y[:200]
    model = GaussianClassifier(priors="uniform", selection="bic", shrinkage=0.2)
    compared = compare(X, y, held_out=4, neighbors=(3,), model=model, automatic=True)
    assert [one.name for one in compared.candidates[5:8]] == [
        "nearest mean",
        "automatic choice",
        "3 nearest neighbours",
    ]
    chooser = automatic_classifier(priors="uniform", selection="bic")
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    told = cross_val_predict(chooser, X, y, cv=folds, method="predict_log_proba")
    seen = judged(compared, "automatic choice")
    assert seen.log_loss == pytest.approx(-told[np.arange(200), y].mean(), rel=1e-12)
    best = chooser.fit(X, y).selection_.best
    assert compared.selection is not None
    assert compared.selection.best == best
    assert compared.selection.criterion == "bic"
    own = named(compared, "automatic choice")
    assert (own.structure, own.n_parameters) == (best.structure, best.n_parameters)
    assert compare(X, y, held_out=4, neighbors=()).selection is None


def test_the_automatic_choice_of_one_split_is_that_of_its_rows() -> None:
    X, y = iris()
    X = X[:, :2]
    both = {"automatic": True, "average": True}
    compared = compare(X[::2], y[::2], held_out=(X[1::2], y[1::2]), neighbors=(), **both)
    model = AutoClassifier().fit(X[::2], y[::2])
    assert compared.selection is not None
    assert compared.selection.best == model.selection_.best
    average = automatic_classifier(average=True).fit(X[::2], y[::2])
    for name, expected in (("automatic choice", model), ("automatic average", average)):
        posterior = expected.predict_proba(X[1::2])
        loss = log_loss(y[1::2], posterior)
        assert judged(compared, name).log_loss == pytest.approx(loss, rel=1e-9)
    own = named(compared, "automatic average")
    assert (own.structure, own.n_parameters, own.problem) == (None, None, None)


def test_nothing_to_choose_from_is_a_problem_not_an_error() -> None:
    """A part to fit to in which no class has two rows, of which one could be left out."""
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 0, 1])
    splits = PredefinedSplit([-1, -1, 0, 0, 0, 0])
    compared = compare(X, y, held_out=splits, neighbors=(), automatic=True, average=True)
    assert compared.selection is None
    for name in ("automatic choice", "automatic average"):
        own = named(compared, name)
        assert own.problem is not None
        assert "class 0 does not vary in feature 0 in 1 row" in own.problem
        assert (own.structure, own.evaluation) == (None, None)
        assert name in str(compared)


def test_integrated_covariances_are_full() -> None:
    X, y = iris()
    model = GaussianClassifier(estimate="predictive", shared=0.5, transforms="yeo-johnson")
    compared = compare(X, y, held_out=3, neighbors=(), model=model)
    assert [one.name for one in compared.candidates] == ["QDA", "LDA", "full, 50 % shared"]
    told = cross_val_predict(
        model, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=0), method="predict_proba"
    )
    loss = log_loss(y, told)
    assert judged(compared, "full, 50 % shared").log_loss == pytest.approx(loss, rel=1e-9)


def test_the_settings_of_a_model_are_taken_over() -> None:
    X, y = iris()
    priors = {"setosa": 0.1, "versicolor": 0.8, "virginica": 0.1}
    model = GaussianClassifier("spherical", priors=priors, shrinkage=0.3, divisor="unbiased")
    compared = compare(X, y, held_out=4, neighbors=(), model=model)
    # cross_val_predict numbers the classes, so that priors by label would not do there.
    alone = GaussianClassifier(priors=[0.1, 0.8, 0.1], shrinkage=0.3, divisor="unbiased")
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    posterior = cross_val_predict(alone, X, y, cv=folds, method="predict_proba")
    assert judged(compared, "QDA").log_loss == pytest.approx(log_loss(y, posterior), rel=1e-12)
    assert model.priors is priors
    assert not hasattr(model, "classes_")


def test_a_model_shrunk_towards_the_pooled_covariance_is_compared_too() -> None:
    X, y = iris()
    model = GaussianClassifier(shared=0.25)
    for one in (model, clone(model).fit(X, y)):
        compared = compare(X, y, held_out=3, neighbors=(), model=one)
        assert [own.name for own in compared.candidates] == [*NAMES[:6], "full, 25 % shared"]
        own = compared.candidates[-1]
        assert (own.n_parameters, own.record()["shared"]) == (44, 0.25)
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        told = cross_val_predict(model, X, y, cv=folds)
        assert own.evaluation is not None
        assert own.evaluation.n_errors == (told != y).sum()


def test_one_split() -> None:
    X, y = iris()
    compared = compare(X, y, held_out=0.3, neighbors=(3,), random_state=7)
    # The same flowers as those that scikit-learn's function holds out.
    rows, test_rows, labels, test_labels = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=7
    )
    guesses = LinearDiscriminantAnalysis().fit(rows, labels).predict(test_rows)
    expected = confusion_matrix(test_labels, guesses).tolist()
    assert judged(compared, "LDA").confusion.tolist() == expected
    assert compared.how == "105 rows to learn from, 45 held out, stratified, seed 7"
    given = compare(rows, labels, held_out=(test_rows, test_labels), neighbors=(3,))
    assert judged(given, "LDA").confusion.tolist() == expected
    assert given.how == "105 rows to learn from, 45 test rows given"


def test_folds_and_splitters_say_how() -> None:
    X, y = iris()
    assert compare(X, y, neighbors=()).how == (
        "10-fold cross-validation of 150 rows, stratified, seed 0"
    )
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    compared = compare(X, y, held_out=repeated, neighbors=())
    assert compared.n_rows == judged(compared, "QDA").n_rows == 300
    assert compared.how.startswith("300 predictions in 6 splits of 150 rows by RepeatedStrat")


def test_the_seed_decides_on_the_folds() -> None:
    X, y = iris()
    first, again, other = (compare(X, y, held_out=4, random_state=seed) for seed in (1, 1, 2))
    assert same_answers(first, again)
    assert not same_answers(first, other)
    assert compare(X, y, held_out=2, neighbors=(), random_state=None).how.endswith("stratified")


def test_frames_and_lists_are_as_good_as_arrays() -> None:
    X, y = trees(n=60)
    expected = compare(X, y, held_out=3)
    frame = tree_frame(X)
    for rows, labels in (
        (X.tolist(), y.tolist()),
        (frame, pd.Series(y)),
        (pl.from_pandas(frame), pl.Series(y)),
        (pa.Table.from_pandas(frame), pa.chunked_array([y.tolist()])),
    ):
        assert same_answers(compare(rows, labels, held_out=3), expected)
        half = (rows[40:], labels[40:]) if not isinstance(rows, pa.Table) else None
        if half is not None:
            again = compare(rows[:40], labels[:40], held_out=half)
            assert same_answers(again, compare(X[:40], y[:40], held_out=(X[40:], y[40:])))


@pytest.mark.parametrize("kind", [int, bool, object])
def test_labels_of_any_kind(kind: Any) -> None:
    X, y = trees(n=60)
    compared = compare(X, (y == "oak").astype(kind), held_out=3)
    expected = compare(X, y, held_out=3)
    assert compared.classes.tolist() == [0, 1]
    for one, other in zip(compared.records(), expected.records(), strict=True):
        assert one["confusion"] == other["confusion"]


def test_a_class_absent_from_the_rows_fitted_to_is_called_impossible() -> None:
    X, y = iris()
    order = np.argsort(y, kind="stable")
    # Three folds without shuffling: each holds out one whole species.
    compared = compare(X[order], y[order], held_out=KFold(3), neighbors=(1,))
    for candidate in compared.candidates:
        assert candidate.evaluation is not None
        assert candidate.evaluation.error == 1.0
        assert candidate.evaluation.log_loss == np.inf
        assert np.trace(candidate.evaluation.confusion) == 0
        assert candidate.evaluation.confusion.sum(axis=1).tolist() == [50, 50, 50]


def test_priors_for_classes_that_a_fold_lacks_are_a_problem_of_the_fold() -> None:
    X, y = iris()
    order = np.argsort(y, kind="stable")
    model = GaussianClassifier(priors=[0.2, 0.3, 0.5])
    compared = compare(X[order], y[order], held_out=KFold(3), neighbors=(1,), model=model)
    assert "so 2 priors are needed; got 3" in (named(compared, "QDA").problem or "")
    assert named(compared, "1 nearest neighbour").problem is None


def test_a_class_absent_from_the_test_rows_is_fine() -> None:
    X, y = iris()
    held_out = y != "setosa"
    compared = compare(X, y, held_out=(X[held_out], y[held_out]), neighbors=(1,))
    assert judged(compared, "QDA").confusion.sum(axis=1).tolist() == [0, 50, 50]
    assert np.isnan(judged(compared, "QDA").proportions[0]).all()


def test_a_tiny_class() -> None:
    X, y = iris()
    few = np.r_[np.flatnonzero(y != "setosa"), np.flatnonzero(y == "setosa")[:3]]
    compared = compare(X[few], y[few], neighbors=(1,))
    assert compared.how.startswith("3-fold cross-validation of 103 rows")
    assert compared.notes == ("3 folds instead of 10: class 'setosa' has 3 rows",)
    assert compared.notes[0] in str(compared)
    # Two rows of four features have no full covariance; shared and spherical ones can be had.
    assert "class 'setosa' has 2 rows for 4 features" in (named(compared, "QDA").problem or "")
    assert judged(compared, "LDA").n_rows == 103


def test_a_class_of_one_row() -> None:
    X, y = iris()
    one = np.r_[np.flatnonzero(y != "setosa"), np.flatnonzero(y == "setosa")[:1]]
    for held_out in (2, 0.3):
        compared = comparison.compare(X[one], y[one], held_out=held_out, neighbors=(1,))
        assert judged(compared, "LDA").confusion[0].tolist() == [0, 0, 0]
        assert "class 'setosa' has one row: models without it" in str(compared)
        chosen = judged(compared, "automatic choice")
        assert compared.baseline is not None
        assert chosen.log_loss < compared.baseline.log_loss
    compared = compare(X[one], y[one], held_out=LeaveOneOut(), neighbors=(1,))
    assert judged(compared, "LDA").confusion[0, 0] == 0  # predicted by models that never saw one
    assert judged(compared, "LDA").log_loss == np.inf


def test_problems_name_features_and_do_not_stop_the_others() -> None:
    X, y = trees(n=60)
    frame = tree_frame(X).assign(height=1.0)
    compared = compare(frame, y, held_out=3, neighbors=(3, 40, 41))
    qda = named(compared, "QDA")
    assert qda.evaluation is None
    assert np.isnan([qda.fit_seconds, qda.predict_seconds, qda.standard_error]).all()
    assert "class 'ash' does not vary in 'height'" in (qda.problem or "")
    assert qda.n_parameters == 1 + 2 * 3 + 2 * 6
    assert named(compared, "nearest mean").problem is None
    assert named(compared, "40 nearest neighbours").problem is None
    assert named(compared, "41 nearest neighbours").problem == (
        "there are only 40 rows to find neighbours among"
    )
    without_names = compare(frame.to_numpy(), y, held_out=3, neighbors=())
    assert "does not vary in feature 2" in (named(without_names, "QDA").problem or "")


@pytest.mark.parametrize(
    "held_out", [0, 1, -3, True, 1.0, 0.0, 1.5, "ten", None, (1, 2, 3), [1, 2], float("nan")]
)
def test_what_held_out_may_be(held_out: Any) -> None:
    with pytest.raises(
        OptionError, match=r"integer of at least 2 folds.*\(X_test, y_test\).*; got"
    ):
        compare(*trees(), held_out=held_out)


@pytest.mark.parametrize("neighbors", [(0,), (1.5,), (True,), 0, "3", (3, -1)])
def test_what_neighbors_may_be(neighbors: Any) -> None:
    with pytest.raises(OptionError, match="neighbors must be integers, at least 1, got"):
        compare(*trees(), held_out=2, neighbors=neighbors)


def test_one_number_of_neighbors_may_be_given_alone() -> None:
    number: Any = 3
    compared = compare(*trees(), held_out=2, neighbors=number)
    assert compared.candidates[-1].name == "3 nearest neighbours"


def test_settings_that_are_wrong_whatever_the_rows_are_errors() -> None:
    X, y = trees()
    with pytest.raises(OptionError, match="sum to 1"):
        compare(X, y, held_out=2, model=GaussianClassifier(priors=[0.5, 0.6]))
    with pytest.raises(OptionError, match="divisor must be one of"):
        compare(X, y, held_out=2, model=GaussianClassifier(divisor="n"))  # type: ignore[arg-type]
    model: Any = KNeighborsClassifier()
    with pytest.raises(TypeError, match="GaussianClassifier or None, got KNeighborsClassifier"):
        compare(X, y, model=model)


def test_bad_rows_and_labels() -> None:
    X, y = trees()
    with pytest.raises(DataError, match="infinity in row 2, column 1"):
        compare(np.where(np.arange(120).reshape(40, 3) == 7, np.inf, X), y)
    with pytest.raises(DataError, match="got 1 class: 'ash'; add labelled rows"):
        compare(X, ["ash"] * 40)
    with pytest.raises(DataError, match="40 rows, but y has 39"):
        compare(X, y[1:])


def test_bad_test_sets() -> None:
    X, y = trees()
    with pytest.raises(DataError, match="unknown labels: \\['elm'\\]"):
        compare(X, y, held_out=(X[:2], ["ash", "elm"]))
    for empty in (X[:0], [], tree_frame(X)[:0]):
        with pytest.raises(DataError, match="the test set is empty"):
            compare(X, y, held_out=(empty, []))
    with pytest.raises(DataError, match="X has 2 features, but 3 are expected"):
        compare(X, y, held_out=(X[:, :2], y))
    with pytest.raises(ValueError, match="must be in the order of the features"):
        compare(tree_frame(X), y, held_out=(tree_frame(X)[["age", "height", "girth"]], y))


def test_a_splitter_that_holds_nothing_out() -> None:
    class Nothing:
        def split(self, *labelled: Any) -> list[tuple[Any, Any]]:
            return [(np.arange(len(labelled[1])), np.arange(0))]

    with pytest.raises(DataError, match="no row is held out by"):
        compare(*trees(), held_out=Nothing())


def test_single_precision() -> None:
    X, y = iris()
    compared = compare(X.astype(np.float32), y, held_out=5)
    expected = compare(X, y, held_out=5)
    for name in NAMES:
        assert judged(compared, name).n_errors == judged(expected, name).n_errors


def test_standard_error() -> None:
    compared = compare(*iris(), held_out=5, neighbors=())
    error = judged(compared, "nearest mean").error
    expected = np.std(np.arange(150) < 150 * error) / np.sqrt(150)  # of zeros and ones
    assert named(compared, "nearest mean").standard_error == pytest.approx(expected, rel=1e-12)


def test_records_are_plain() -> None:
    X, y = trees(n=60)
    compared = compare(tree_frame(X).assign(height=1.0), y, held_out=3, neighbors=(1,))
    records = json.loads(json.dumps(compared.records(), allow_nan=False))
    assert records == compared.records()
    qda, vote = records[0], records[-1]
    assert (qda["model"], qda["covariance"], qda["shared"]) == ("QDA", "full", False)
    assert qda["error"] is qda["log_loss"] is qda["fit_seconds"] is qda["confusion"] is None
    assert "height" in qda["problem"]
    assert (vote["neighbors"], vote["parameters"], vote["problem"]) == (1, None, None)
    assert vote["errors"] == vote["rows"] * vote["error"] > 0
    assert vote["log_loss"] is None  # infinite: an error of one neighbour is always certain


def printed(compared: Comparison, color: bool = False) -> str:
    console = Console(
        file=io.StringIO(),
        width=80,
        force_terminal=color,
        color_system="standard" if color else None,
    )
    print_blocks(console, *compared.tables())
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_the_table_fits_a_terminal_and_says_everything() -> None:
    X, y = trees(n=60)
    long_name = "a very long name of a feature " * 3
    frame = tree_frame(X).assign(height=1.0).rename(columns={"height": long_name})
    text = printed(compare(frame, y, held_out=3))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "∞" in text
    for name in NAMES:
        assert name in text
    assert "QDA: class 'ash' does not vary in" in text
    assert "Remedies" not in text  # one sentence; the rest is in the candidate


def test_wide_numbers_fit_too() -> None:
    confusion = np.array([[500_000, 400_000], [300_000, 654_321]])
    seen = Evaluation(np.arange(2), confusion, 1234.5, 1.5)
    many = ComparedModel("101 nearest neighbours", None, 101, 123_456, seen, 12.3456, 1234.5)
    text = printed(Comparison((many,), np.arange(2), "how", 1_854_321))
    assert max(map(len, text.splitlines())) <= 80
    for cell in ("37.7 %", "1234.500", "123456", "1246846"):
        assert cell in text


def test_the_best_of_each_column_is_bold() -> None:
    def candidate(name: str, wrong: int, loss: float, seconds: float) -> ComparedModel:
        confusion = np.array([[50, 0], [wrong, 50 - wrong]])
        seen = Evaluation(np.arange(2), confusion, loss, 0.25)
        return ComparedModel(name, None, 1, None, seen, seconds, 0.002)

    good, fast = candidate("good", 1, 0.5, 0.009), candidate("fast", 2, np.inf, 0.001)
    table = Comparison((good, fast), np.arange(2), "how", 100).tables()[1]
    assert isinstance(table, TextTable)
    bold = [
        [str(cell) for cell in column if isinstance(cell, Styled)]
        for column in zip(*table.rows, strict=True)
    ]
    brier = ["0.250", "0.250"]
    assert bold == [[], [], ["1.0\xa0%"], [], ["0.500"], brier, [], ["0.990"], ["3.00"]]


def test_labels_in_brackets_are_not_markup() -> None:
    X, y = trees(n=60)
    labels = np.where(y == "ash", "[bold]ash[/]", "[/]")
    text = printed(compare(np.c_[X, np.ones(60)], labels, held_out=3, neighbors=()))
    assert "QDA: class '[/]' does not vary in feature 3" in text


def test_as_text() -> None:
    compared = compare(*iris(), held_out=5)
    text = str(compared)
    assert text.startswith("5-fold cross-validation of 150 rows")
    assert all(len(line) <= 80 for line in text.splitlines())
    for name in NAMES:
        assert name in text
    assert (
        len(text.splitlines()) == 2 + 3 + 11 + 1 + 3
    )  # with the baseline, a note, and a warning of two lines
    assert '"><b>2.7\xa0%</b></td>' in compared._repr_html_()


def test_no_candidate_can_be_fitted() -> None:
    X, y = trees()
    compared = compare(np.ones_like(X), y, held_out=2, neighbors=(30,))
    assert all(candidate.problem for candidate in compared.candidates)
    assert "only 20 rows" in printed(compared)
    assert "only 20 rows" in str(compared)


def sizes(n: int = 240) -> tuple[pd.DataFrame, Any]:
    """Two numbers and two categories, and the classes of the rows."""
    generator = np.random.default_rng(8)
    y = generator.integers(0, 3, n)
    town = np.array(["Aa", "Bo", "Ce", "Du"])[(generator.integers(0, 2, n) + y) % 4]
    numbers = generator.normal(size=(n, 2)) + y[:, None] / 2
    frame = {"town": town, "a": numbers[:, 0], "month": generator.integers(1, 5, n) + y}
    return pd.DataFrame(frame | {"b": numbers[:, 1]}), np.array(["x", "y", "z"])[y]


MIXED_NAMES = ["town", "month"]
MIXED = GaussianClassifier(categorical_features=MIXED_NAMES, smoothing=0.5)


def by_two_of_scikit_learn(train: pd.DataFrame, labels: Any, asked: pd.DataFrame) -> Any:
    """Posteriors (m, k): given the class, numbers and categories are independent."""
    gaussian = GaussianNB(var_smoothing=0).fit(train[["a", "b"]], labels)
    coded, new = (
        np.stack([np.searchsorted(np.unique(train[name]), rows[name]) for name in MIXED_NAMES], 1)
        for rows in (train, asked)
    )
    discrete = CategoricalNB(alpha=0.5).fit(coded, labels)
    joint = gaussian.predict_joint_log_proba(asked[["a", "b"]])
    joint += discrete.predict_joint_log_proba(new) - np.log(gaussian.class_prior_)
    return np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))


def test_categories_beside_numbers() -> None:
    X, y = sizes()
    compared = compare(X, y, held_out=4, model=MIXED, automatic=True)
    voters = [one for one in compared.candidates if one.neighbors]
    names = [one.name for one in compared.candidates if one not in voters]
    assert names == [*STRUCTURES, "automatic choice"]
    assert {one.problem for one in voters} == {None}
    told = np.empty((len(y), 3))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        told[test] = by_two_of_scikit_learn(X.iloc[train], y[train], X.iloc[test])
    found = judged(compared, "Gaussian naive Bayes")
    assert found.log_loss == pytest.approx(log_loss(y, told), rel=1e-9)
    assert found.n_errors == (np.unique(y)[told.argmax(axis=1)] != y).sum()
    for name, structure in STRUCTURES.items():
        whole = clone(MIXED).set_params(covariance=structure.covariance, shared=structure.shared)
        assert named(compared, name).n_parameters == whole.fit(X, y).n_parameters_
    kept = {"categorical_features": MIXED.categorical_features, "smoothing": MIXED.smoothing}
    auto = automatic_classifier(**kept)
    best = auto.fit(X, y).selection_.best
    assert compared.selection is not None
    assert compared.selection.best == best


def test_categories_in_tables_of_every_kind() -> None:
    X, y = sizes()
    typed = X.astype({"town": "category", "month": "category"})
    expected = compare(X, y, held_out=3, model=MIXED)
    by_number = clone(MIXED).set_params(categorical_features=[0, 2])
    by_type = clone(MIXED).set_params(categorical_features="from_dtype")
    for table, model in (
        (pl.from_pandas(X), MIXED),
        (pa.Table.from_pandas(X), MIXED),
        (X.to_numpy(dtype=object), by_number),
        (X.to_numpy(dtype=object).tolist(), by_number),
        (typed, by_type),
    ):
        assert same_answers(compare(table, y, held_out=3, model=model), expected)


def test_categories_of_test_rows() -> None:
    X, y = sizes()
    asked, truth = X[180:].copy(), y[180:]
    compared = compare(X[:180], y[:180], held_out=(asked, truth), model=MIXED)
    told = by_two_of_scikit_learn(X[:180], y[:180], asked)
    found = judged(compared, "Gaussian naive Bayes")
    assert found.log_loss == pytest.approx(log_loss(truth, told), rel=1e-9)
    gone = asked.assign(town=asked["town"].where(asked["town"] != "Aa"))
    without = compare(X[:180], y[:180], held_out=(gone, truth), model=MIXED)
    new = asked.replace({"town": {"Aa": "Zz"}})
    with pytest.warns(UserWarning, match="values of 'town' \\('Zz'\\)") as told_of:
        unseen = compare(X[:180], y[:180], held_out=(new, truth), model=MIXED)
    assert len(told_of) == 1
    assert same_answers(unseen, without)
    with pytest.raises(ValueError, match="must be in the order of the features"):
        compare(X, y, held_out=(asked[["a", "b", "town", "month"]], truth), model=MIXED)
    rows = asked.to_numpy(dtype=object)[:, :3]
    with pytest.raises(DataError, match="X has 3 features, but 4 are expected"):
        compare(X, y, held_out=(rows, truth), model=MIXED)


def test_missing_values_of_both_kinds() -> None:
    X, y = sizes()
    X.loc[::9, "town"] = None
    X.loc[5, "b"] = np.nan
    compared = compare(X, y, held_out=3, model=MIXED)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    told = cross_val_predict(MIXED, X, y, cv=folds, method="predict_proba")
    assert judged(compared, "QDA").log_loss == pytest.approx(log_loss(y, told), rel=1e-9)


@pytest.mark.parametrize("mark", [None, "?"])
def test_rows_without_label_are_fitted_to_and_never_predicted(mark: Any) -> None:
    X, y = iris()
    labels = np.array(y, dtype=object)
    gone = np.arange(150) % 3 == 0
    labels[gone] = mark
    model = GaussianClassifier(shared=True, unlabelled=mark)
    compared = compare(X, labels, held_out=4, neighbors=(3,), model=model, logistic=True)
    assert compared.n_rows == 100
    assert compared.how.endswith(
        "100 rows, stratified, seed 0, 50 rows without label in every training part"
    )
    told = np.empty((100, 3))
    rest, known = X[~gone], y[~gone]
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(rest, known):
        rows = np.concatenate([rest[train], X[gone]])
        of_fold = np.concatenate([known[train].astype(object), np.full(50, None)])
        fitted = GaussianClassifier(shared=True).fit(rows, of_fold)
        told[test] = fitted.predict_proba(rest[test])
    assert judged(compared, "LDA").log_loss == pytest.approx(log_loss(known, told), rel=1e-9)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    voter = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    votes = cross_val_predict(voter, rest, known, cv=folds)
    assert judged(compared, "3 nearest neighbours").n_errors == (votes != known).sum()


def pipeline(estimator: Any) -> Any:
    """Written by hand: numbers standardised, categories a column each, missing ones filled in."""
    numbers = make_pipeline(SimpleImputer(strategy="mean"), StandardScaler())
    categories = make_pipeline(
        SimpleImputer(strategy="most_frequent", missing_values=None),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = [("numbers", numbers, ["a", "b"]), ("categories", categories, ["town"])]
    return make_pipeline(ColumnTransformer(columns), estimator)


def test_peers_are_those_of_scikit_learn() -> None:
    """Logistic regression, neighbours and others, with categories and missing values of both."""
    X, y = sizes()
    X = X[["town", "a", "b"]].astype({"town": object})
    X.loc[::9, "town"] = None
    X.loc[5:50:7, "b"] = np.nan
    model = GaussianClassifier(categorical_features=["town"], smoothing=1)
    regression = LogisticRegression(max_iter=1000)
    others = {
        "pipeline": pipeline(regression),  # is given the frame
        "regression": regression,  # cannot take it, and is given numbers
        "vectors": LinearSVC(),
        "failing": pipeline(regression).set_params(
            columntransformer__transformers=[("a", "drop", "z")]
        ),
    }
    options: dict[str, Any] = {"held_out": 3, "model": model, "neighbors": (5,), "logistic": True}
    compared = compare(X, y, others=others, **options)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for name, estimator in (
        ("logistic regression", regression),
        ("pipeline", regression),
        ("regression", regression),
        ("5 nearest neighbours", KNeighborsClassifier(5)),
    ):
        told = cross_val_predict(pipeline(estimator), X, y, cv=folds, method="predict_proba")
        found = judged(compared, name)
        codes = np.searchsorted(found.classes, y)
        with np.errstate(divide="ignore"):
            loss = -np.log(told[np.arange(len(y)), codes]).mean()
        assert found.log_loss == pytest.approx(loss, rel=1e-6)
        assert found.n_errors == (told.argmax(axis=1) != codes).sum()
    assert "it has no predict_proba" in str(named(compared, "vectors").problem)
    assert "ValueError" in str(named(compared, "failing").problem)
    polars = compare(pl.from_pandas(X), y, others={"pipeline": others["regression"]}, **options)
    assert judged(polars, "pipeline").log_loss == judged(compared, "regression").log_loss
    for wrong, error in (({"QDA": regression}, OptionError), ({"x": 3}, TypeError), ([], None)):
        with pytest.raises(error or OptionError, match="other|must be"):
            compare(X, y, others=wrong or [1], **options)


def test_by_default_the_automatic_choice_and_peers_stand_beside() -> None:
    X, y = iris()
    compared = comparison.compare(X, y, held_out=2)
    names = [candidate.name for candidate in compared.candidates]
    voters = [f"{k} nearest neighbour{'s' * (k > 1)}" for k in (1, 3, 5, 9, 15)]
    assert names == [*STRUCTURES, "automatic choice", "logistic regression", *voters]
    assert compared.selection is not None


def test_costs() -> None:
    X, y = iris()
    costs = np.array([[0.0, 1, 1], [1, 0, 9], [1, 1, 0]])
    compared = compare(X, y, held_out=4, neighbors=(), costs=costs)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    posterior = cross_val_predict(GaussianClassifier(), X, y, cv=folds, method="predict_proba")
    codes = np.searchsorted(np.unique(y), y)
    paid = costs[codes, (posterior @ costs).argmin(axis=1)]
    assert judged(compared, "QDA").cost == pytest.approx(paid.mean(), rel=1e-12)
    error = paid.std() / np.sqrt(150)
    assert judged(compared, "QDA").standard_errors["cost"] == pytest.approx(error, rel=1e-10)
    assert compared.baseline is not None
    assert compared.baseline.cost == pytest.approx(2 / 3, rel=1e-12)  # the last class always
    assert "cost" in str(compared).splitlines()[3]


def test_models_worse_than_the_class_frequencies_are_named() -> None:
    generator = np.random.default_rng(3)
    y = (generator.random(80) < 0.2).astype(int)
    compared = compare(generator.normal(size=(80, 6)), y, held_out=4, neighbors=(1,))
    frequency = y.mean()
    entropy = -(frequency * np.log(frequency) + (1 - frequency) * np.log(1 - frequency))
    assert compared.baseline is not None
    assert compared.baseline.log_loss == pytest.approx(entropy, rel=1e-12)
    assert compared.baseline.error == pytest.approx(frequency, rel=1e-12)
    (loss, error) = compared.warnings
    assert loss.startswith("log loss above that of the class frequencies: QDA; ")
    assert error.endswith("1 nearest neighbour")
    assert any(line.startswith("class frequencies  ") for line in str(compared).splitlines())


def test_categories_alone() -> None:
    X, y = sizes()
    compared = compare(X[MIXED_NAMES], y, held_out=3, model=MIXED, neighbors=())
    (candidate,) = compared.candidates  # structures of covariances would all be the same
    assert (candidate.name, candidate.structure, candidate.problem) == ("categorical", None, None)
    whole = clone(MIXED).fit(X[MIXED_NAMES], y)
    assert candidate.n_parameters == whole.n_parameters_


def test_problems_with_categories_name_the_feature() -> None:
    X, y = sizes()
    X.loc[y == "y", "town"] = None
    strict = clone(MIXED).set_params(smoothing=0.0)
    problems = {
        one.problem for one in compare(X, y, held_out=3, model=strict, neighbors=()).candidates
    }
    (problem,) = problems
    assert problem is not None
    assert "'town' is missing in every row of class 'y'" in problem


def test_soft_labels_count_in_part() -> None:
    X, y = trees()
    codes = np.unique(y, return_inverse=True)[1]
    soft = 0.8 * np.eye(codes.max() + 1)[codes] + 0.2 / (codes.max() + 1)
    first = np.arange(40) % 4 < 2
    train, test = np.flatnonzero(first), np.flatnonzero(~first)
    compared = compare(
        X[train], soft[train], held_out=(X[test], soft[test]), neighbors=[1], logistic=True
    )
    posterior = GaussianClassifier().fit(X[train], soft[train]).predict_log_proba(X[test])
    seen = judged(compared, "QDA")
    assert seen.log_loss == pytest.approx(-(soft[test] * posterior).sum(axis=1).mean(), rel=1e-12)
    right = soft[test][np.arange(test.size), posterior.argmax(axis=1)]
    assert seen.error == pytest.approx(1 - right.mean(), rel=1e-12)
    for name in ("1 nearest neighbour", "logistic regression"):
        assert "one class for each row" in str(named(compared, name).problem)
    hard = compare(X[train], y[train], held_out=(X[test], y[test]), neighbors=[])
    mixed = compare(X[train], soft[train], held_out=(X[test], codes[test]), neighbors=[])
    assert hard.n_rows == mixed.n_rows == 20
    assert isinstance(judged(hard, "QDA").n_errors, int)
    folds = compare(X, soft, held_out=4, neighbors=[], automatic=True)
    assert folds.candidates[-1].evaluation is not None
    assert "QDA" in str(folds)
