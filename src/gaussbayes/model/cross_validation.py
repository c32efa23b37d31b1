"""Evaluate estimators on held-out rows: leave-one-out, cross-validation, or a fitted model.

Unlabelled rows are never predicted: they stay in the training part of every split. The only row of
a class is never held out, because a model of the other rows does not have the class.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import MOST_NAMED, Block
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import (
    CodeArray,
    FloatArray,
    LabelArray,
    LabelsLike,
    RealArray,
    TableLike,
    WeightsLike,
)
from gaussbayes.data.labels import read_targets, separate_columns
from gaussbayes.data.rows import LabelledRows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.data.tables import as_array, as_frame, is_frame
from gaussbayes.model.calibration import mean_posterior
from gaussbayes.model.evaluation import Costs, Evaluation, check_costs, evaluate
from gaussbayes.model.held_out import calibrated as calibrated_by_others
from gaussbayes.model.held_out import held_out_rows, hold_out
from gaussbayes.model.model import Model, check_n_classes
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import observe

Indices: TypeAlias = NDArray[np.intp]
LOO = "loo"
_LEFT_OUT = "leave-one-out predictions of {} rows"
_ONLY_LABELLED = (
    "predictions of models of the labelled rows alone: without some of them, the models with "
    "unlabelled rows have no estimate"
)


class Splitter(Protocol):
    """A splitter of scikit-learn."""

    def split(
        self, X: TableLike, y: CodeArray, groups: NDArray[Any] | None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the numbers of training rows and of test rows."""


class Classifier(Protocol):
    """A classifier of this package or of another library."""

    classes_: LabelArray

    def fit(self, X: TableLike, y: LabelsLike) -> Classifier:
        """Fit to labelled rows."""

    def predict_proba(self, X: TableLike) -> RealArray:
        """Compute the posteriors (n, k)."""

    def predict_log_proba(self, X: TableLike) -> RealArray:
        """Compute their logarithms."""


CrossValidation: TypeAlias = int | float | str | Splitter
"""Folds, a proportion of test rows, ``"loo"``, or a splitter of scikit-learn."""


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Result):
    """Every labelled row predicted by the model of all other rows."""

    log_posterior: FloatArray  #: (m, k), of the labelled rows
    evaluation: Evaluation  #: without rows that are alone in their class
    rows: Indices  #: (m,) their numbers
    n_folds: int  #: m for leave-one-out

    def tables(self) -> Sequence[Block]:
        """Return the tables of the evaluation."""
        return self.evaluation.tables()


def leave_one_out(
    table: LabelledRows,
    schema: Schema,
    settings: Settings,
    n_jobs: int | None = None,
    *,
    calibrated: bool = False,
    costs: FloatArray | None = None,
) -> LeaveOneOut:
    """Predict every labelled row by the model of the other rows.

    The predictions have a closed form if every family has one. Without one, as with soft labels,
    missing values or missing labels, the rows are held out in 50 folds, or one at a time if there
    are at most 50. Transforms are estimated from all rows. `calibrated` posteriors are calibrated
    on the rows of four of five folds.
    """
    settings = replace(settings, calibration=None)
    (settings,) = settings.fix(table.rows, table.targets, schema)
    statistics = observe(table, settings, schema, n_threads(n_jobs), keep_all=True).with_rows()
    check_n_classes(statistics.classes)
    data = held_out_rows(table, statistics, schema, settings)
    first, *second = data.members
    outcomes: list[FloatArray] = []
    folds = []
    notes: tuple[str, ...] = ()
    averaged = first.averaged
    for view in (*averaged, *second):
        (found,), n_folds = hold_out(view, [view.settings], n_jobs, exact=True)
        if isinstance(found, GaussBayesError):
            if len(averaged) == 1 or view is not averaged[0]:
                raise found
            notes = (_ONLY_LABELLED,)  # as where selection cannot fit the model with them
            continue
        outcomes.append(found)
        folds.append(n_folds)
    of_second = outcomes.pop() if second else None
    outcome = mean_posterior(outcomes)
    if calibrated:
        _, outcome = calibrated_by_others(data, settings, outcomes, of_second)
    kept = ~_single(data.codes)
    evaluation = evaluate(
        outcome[kept],
        data.targets[kept].labels,
        data.classes,
        frequencies=statistics.weight / statistics.weight.sum(),
        costs=costs,
    )
    n, n_folds = evaluation.n_rows, min(folds)
    how = (
        _LEFT_OUT.format(n) if n_folds == len(outcome) else f"{n} rows held out in {n_folds} folds"
    )
    notes += _single_notes(data.codes[~kept], data.classes)
    return LeaveOneOut(outcome, replace(evaluation, how=how, notes=notes), data.numbers, n_folds)


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """A labelled table, and pairs of the numbers of rows to fit to and of rows to predict."""

    X: TableLike
    y: LabelsLike
    targets: Targets
    classes: LabelArray
    pairs: tuple[tuple[Indices, Indices], ...]
    how: str  # one sentence
    notes: tuple[str, ...] = ()  # such as classes with few rows

    @property
    def truth(self) -> CodeArray | FloatArray:
        """The true classes (m,), or soft labels (m, k), of all rows predicted, split by split."""
        return np.asarray(self.targets.labels[np.concatenate([test for _, test in self.pairs])])

    @property
    def frequencies(self) -> FloatArray:
        """The class frequencies (k,) among the labelled rows that models are fitted to.

        All splits have the same baseline: without one row of classes of equal size, the most
        frequent class would never be that of the row.
        """
        train = np.unique(np.concatenate([train for train, _ in self.pairs]))
        _, codes, weights = self.targets[train].weighted_codes()
        total = np.bincount(codes, weights, minlength=self.classes.size)
        frequencies: FloatArray = total / total.sum()
        return frequencies

    def fit(self, estimator: Classifier, fold: int, table: TableLike = None) -> Classifier:
        """Fit a clone of an estimator to the training rows of a fold.

        Estimators of other libraries get the labelled rows, of `table` if it is given, and class
        codes as labels.
        """
        from sklearn.base import clone

        train = self.pairs[fold][0]
        fitted: Classifier = clone(estimator)
        with without_warnings():
            if is_ours(estimator):
                return fitted.fit(taken(self.X, train), taken(self.y, train))
            if self.targets.is_soft:
                msg = "it needs one class for each row, but the labels are soft"
                raise DataError(msg)
            train = train[self.targets.labelled[train]]
            return fitted.fit(taken(self._of(table), train), self.targets.codes[train])

    def predict(self, fitted: Classifier, fold: int, table: TableLike = None) -> FloatArray:
        """Return the log posteriors (m, k) of the test rows of a fold.

        Classes that the training rows lack have probability 0.
        """
        rows = taken(self._of(table), self.pairs[fold][1])
        codes: Sequence[int] = fitted.classes_.tolist()
        with without_warnings(), np.errstate(divide="ignore"):
            if is_ours(fitted):  # other libraries round before they take the logarithm
                known = np.asarray(fitted.predict_log_proba(rows))
                places = {label: code for code, label in enumerate(self.classes.tolist())}
                codes = [places[label] for label in fitted.classes_.tolist()]
            else:
                known = np.log(np.asarray(fitted.predict_proba(rows), dtype=np.float64))
        log_posterior = np.full((known.shape[0], self.classes.size), -np.inf)
        log_posterior[:, codes] = known
        return log_posterior

    def _of(self, table: TableLike) -> TableLike:
        return self.X if table is None else table

    def evaluation(self, log_posterior: FloatArray, costs: FloatArray | None) -> Evaluation:
        """Evaluate the log posteriors of all rows predicted, split by split."""
        evaluation = evaluate(
            log_posterior,
            self.truth,
            self.classes,
            frequencies=self.frequencies,
            costs=costs,
        )
        return replace(evaluation, how=self.how, notes=self.notes)


def is_ours(estimator: object) -> bool:
    """Return whether an estimator is one of this package, which accepts any table."""
    return hasattr(estimator, "leave_one_out")


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore warnings about columns and categories, which every fold would repeat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def taken(table: Any, rows: Indices) -> Any:
    """Return some rows of a table, or entries of labels, in the type of the whole."""
    import narwhals.stable.v2 as nw

    if is_frame(table):
        return as_frame(table)[rows].to_native()
    if nw.dependencies.is_into_series(table):
        return nw.from_native(table, series_only=True)[rows].to_native()
    if isinstance(table, list | tuple) and np.ndim(table[0]) == 0:
        return [table[row] for row in rows.tolist()]
    return as_array(table)[rows] if np.ndim(table) > 1 else np.asarray(table)[rows]


def split(
    X: TableLike,
    y: LabelsLike,
    cv: CrossValidation = 10,
    groups: object = None,
    random_state: int | None = 0,
    marks: object = None,
    max_rows: int | None = None,
) -> Splits:
    """Split labelled rows for cross-validation.

    Examples
    --------
    >>> splits = split([[1], [2], [3], [4]], ["a", "a", "b", "b"], 2)
    >>> [(train.tolist(), test.tolist()) for train, test in splits.pairs]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    X, y, groups = separate_columns(X, y, groups)
    n = len(as_frame(X) if is_frame(X) else as_array(X))
    targets, classes = read_targets(y, n, None, marks)
    check_n_classes(classes)
    groups = None if groups is None else np.asarray(groups)
    if groups is not None and groups.shape != (n,):
        msg = f"groups must have one entry for each of {n} rows, got shape {groups.shape}"
        raise OptionError(msg)
    rows = np.flatnonzero(targets.labelled)
    single = _single(targets.codes[rows])
    notes = () if _is_splitter(cv) else _single_notes(targets.codes[rows][single], classes)
    if notes:
        rows = rows[~single]
    if not rows.size:
        msg = "every class has one row, so that none can be held out"
        raise DataError(msg)
    if max_rows is not None and rows.size > max_rows:
        from sklearn.model_selection import train_test_split

        codes, size = targets.codes[rows], rows.size
        rows, _ = train_test_split(
            rows, train_size=max_rows, random_state=random_state, stratify=codes
        )
        rows = np.sort(rows)
        notes = (*notes, f"a stratified sample of {max_rows:,} of {size:,} rows")
        always = np.empty(0, dtype=np.intp)
    else:
        always = np.setdiff1d(np.arange(n), rows)
    codes = targets.codes[rows]
    chosen = None if groups is None else groups[rows]
    pairs, how, fewer = _pairs(taken(X, rows), codes, classes, cv, chosen, random_state)
    if n_unlabelled := int(np.count_nonzero(~targets.labelled[always])):
        how += f"; {counted(n_unlabelled, 'unlabelled row')} in every training part"
    numbers = [
        (np.sort(np.concatenate([rows[train], always])), rows[test]) for train, test in pairs
    ]
    return Splits(X, y, targets, classes, tuple(numbers), how, (*fewer, *notes))


def _is_splitter(cv: object) -> bool:
    return hasattr(cv, "split") and not isinstance(cv, str)


def _pairs(
    X: TableLike,
    codes: CodeArray,
    classes: LabelArray,
    cv: CrossValidation,
    groups: NDArray[Any] | None,
    random_state: int | None,
) -> tuple[list[tuple[Indices, Indices]], str, tuple[str, ...]]:
    """Return pairs of places among the rows, a sentence about them, and notes."""
    from sklearn import model_selection as skl

    n, grouped = codes.size, ""
    notes: tuple[str, ...] = ()
    if groups is not None:
        grouped = f" in {counted(np.unique(groups).size, 'group')}"
    seed = "" if random_state is None else f", seed {random_state}"
    is_number = isinstance(cv, Real) and not isinstance(cv, bool | np.bool_)
    if isinstance(cv, str) and cv == LOO:
        splitter = skl.LeaveOneOut() if groups is None else skl.LeaveOneGroupOut()
        how = _LEFT_OUT.format(n) if groups is None else f"leave-one-group-out of {n} rows{grouped}"
    elif is_number and isinstance(cv, Integral) and int(cv) >= 2:
        n_folds, notes = _n_folds(int(cv), codes, classes, groups)
        kind = skl.StratifiedKFold if groups is None else skl.StratifiedGroupKFold
        splitter = kind(n_folds, shuffle=True, random_state=random_state)
        how = f"{n_folds}-fold cross-validation of {n} rows{grouped}, stratified{seed}"
    elif isinstance(cv, Real) and is_number and 0 < float(cv) < 1:
        kind = skl.StratifiedShuffleSplit if groups is None else skl.GroupShuffleSplit
        splitter = kind(1, test_size=float(cv), random_state=random_state)
        how = f"{cv:.0%} of {n} rows{grouped} held out{seed}"
    elif _is_splitter(cv):
        splitter, how = cv, f"held-out rows of {n}{grouped}, split by {cv}"
    else:
        msg = (
            "cv must be an integer of at least 2 folds, a proportion between 0 and 1, 'loo' or a "
            f"splitter of scikit-learn, got {cv!r:.200}"
        )
        raise OptionError(msg)
    try:
        with without_warnings():
            pairs = [pair for pair in splitter.split(X, codes, groups) if len(pair[1])]
    except ValueError as error:
        msg = f"cv={cv!r:.80} does not split {n} rows: {error}"
        raise DataError(msg) from None
    if not pairs:
        msg = f"cv={cv!r:.80} holds out no row"
        raise DataError(msg)
    return pairs, how, notes


def _n_folds(
    cv: int, codes: CodeArray, classes: LabelArray, groups: NDArray[Any] | None
) -> tuple[int, tuple[str, ...]]:
    """Return the number of folds: no more than rows of the smallest class, or groups."""
    if groups is not None:
        most = np.unique(groups).size
        why = f"there are {counted(most, 'group')}"
    else:
        counts = np.bincount(codes)
        counts[counts == 0] = codes.size
        most, fewest = int(counts.min()), int(counts.argmin())
        why = f"class {classes.tolist()[fewest]!r} has {counted(most, 'row')}"
    if most < 2:
        msg = f"cross-validation needs at least two groups, got {most}"
        raise DataError(msg)
    return (cv, ()) if cv <= most else (most, (f"{most} folds instead of {cv}: {why}",))


def _single(codes: CodeArray) -> NDArray[np.bool_]:
    """Return which rows (n,) are the only ones of their class."""
    return np.asarray(np.bincount(codes, minlength=1)[codes] == 1)


def _single_notes(codes: CodeArray, classes: LabelArray) -> tuple[str, ...]:
    if not codes.size:
        return ()
    names = [repr(label) for label in classes[np.sort(codes)[:MOST_NAMED]].tolist()]
    more = f" and {codes.size - len(names)} more" if codes.size > len(names) else ""
    which = f"class {names[0]} has" if codes.size == 1 else f"classes {', '.join(names)}{more} have"
    return (f"{which} one row, which is never held out",)


def evaluate_held_out(
    estimator: Classifier,
    X: TableLike,
    y: LabelsLike,
    cv: CrossValidation = 10,
    *,
    groups: WeightsLike = None,
    costs: Costs | None = None,
    random_state: int | None = 0,
    marks: object = None,
) -> Evaluation:
    """Evaluate clones of an estimator on rows that they were not fitted to."""
    splits = split(X, y, cv, groups, random_state, marks)
    matrix = None if costs is None else check_costs(costs, splits.classes)
    folds = track(range(len(splits.pairs)), "cross-validation", len(splits.pairs))
    predicted = [splits.predict(splits.fit(estimator, fold), fold) for fold in folds]
    return splits.evaluation(np.concatenate(predicted), matrix)


def evaluate_fitted(
    model: Model, table: LabelledRows, costs: Costs | None, n_jobs: int | None
) -> Evaluation:
    """Evaluate the predictions of a fitted model for labelled rows of its classes."""
    statistics = model.statistics
    weight = model.prior if statistics is None else statistics.weight
    evaluation = evaluate(
        model.log_posterior(table.rows, n_jobs),
        table.targets.labels,
        model.classes,
        frequencies=weight / weight.sum(),
        costs=None if costs is None else check_costs(costs, model.classes),
    )
    return replace(evaluation, how=f"fitted model on {counted(evaluation.n_rows, 'row')}")
