"""How models of some rows predict others: rows left out one at a time, in folds, or given apart.

Rows without labels are never predicted: they stay on the training side of every split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.decision import Costs, check_costs
from gaussbayes.analysis.view import check_rows, read_hard_labels
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import Block, Displayed
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import warn_of_many, warn_of_unseen
from gaussbayes.data.labels import codes_among, read_targets
from gaussbayes.data.roles import separate_columns
from gaussbayes.data.rows import Encoder, LabelledRows, Rows, Targets
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.fit import fit_model
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import Model, check_n_classes
from gaussbayes.model.options import Options, check_options, options_of
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import observe

Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Displayed):
    """Every labelled row predicted by the model of all others."""

    log_posterior: FloatArray  #: (m, k), of the rows that have a label
    evaluation: Evaluation  #: not of the only row of a class, which models without it do not know
    rows: Indices  #: (m,) which rows these are
    n_folds: int  #: m if each was left out by itself

    def tables(self) -> Sequence[Block]:
        """Those of the evaluation."""
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
    """Predict every labelled row by the model of the others.

    In closed form where there is one. Where labels are soft each row takes a fit; where values or
    labels are missing, up to 300 rows are left out one at a time and of more rows 50 folds. What
    transforms learn is learnt from all rows, once. Posteriors that are to be `calibrated` are so by
    nine tenths of the rows, not by the row itself.
    """
    calibration = Calibration(1.0, np.zeros(schema.classes.shape[0])) if calibrated else None
    settings = replace(settings, calibration=calibration)
    settings = settings.prepared(table.rows, table.targets, schema)
    learnt = observe(table, settings, schema, n_threads(n_jobs), keep_all=True).with_rows()
    data = held_out_rows(table, learnt, schema)
    (outcome,), n_folds = hold_out(data, [settings], n_jobs)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    single = _single(data.codes)
    judged, posterior = data.targets, outcome
    if single.any():
        judged, posterior = judged[~single], outcome[~single]
    frequencies = learnt.weight / learnt.weight.sum()
    options: dict[str, Any] = {"frequencies": frequencies, "costs": costs, "ranked": True}
    evaluation = evaluate(posterior, judged.labels, data.classes, **options)
    n = evaluation.n_rows
    folds = f"{n} rows in {n_folds} folds, each predicted by a model of the other folds"
    how = _WITHOUT_ITSELF.format(n) if n_folds == len(outcome) else folds
    evaluation = replace(evaluation, how=how, notes=_single_notes(data.codes[single], data.classes))
    return LeaveOneOut(outcome, evaluation, data.numbers, n_folds)


def _single(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows (n,) are the only ones of their class."""
    return np.asarray(np.bincount(codes, minlength=1)[codes] == 1)


def _single_notes(codes: NDArray[Any], classes: LabelArray) -> tuple[str, ...]:
    """What is said of classes that have one row."""
    if not codes.size:
        return ()
    names = [repr(label) for label in classes[np.sort(codes)[:8]].tolist()]
    more = f" and {codes.size - len(names)} more" if codes.size > len(names) else ""
    which = f"class {names[0]} has" if codes.size == 1 else f"classes {', '.join(names)}{more} have"
    why = "models without it do not know the class, so that it is never held out and does not count"
    return (f"{which} one row: {why}",)


def model_options(model: Any) -> Options:
    """The options of a classifier, by its parameters, or of a model; None has the defaults."""
    if isinstance(model, Options):
        return model
    if isinstance(model, Model):
        categorical = list(model.schema.categorical) or "from_dtype"
        options = options_of(model.settings, model.schema)
        return check_options(**options, categorical_features=categorical)
    if model is None:
        return check_options()
    checked: Any = getattr(model, "_options", None)
    if checked is None:
        msg = f"model must be a GaussianClassifier or None, got {type(model).__name__}"
        raise TypeError(msg)
    of_classifier: Options = checked()
    return of_classifier


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Labelled rows, and pairs of the numbers of rows to fit to and rows to predict."""

    table: LabelledRows  # to fit to, unlabelled rows among them
    schema: Schema
    pairs: tuple[tuple[Indices, Indices], ...]
    how: str  # one sentence
    tested: LabelledRows  # to predict: the same, unless they were given apart
    notes: tuple[str, ...] = ()  # classes with few rows

    @property
    def truth(self) -> NDArray[Any]:
        """The true classes (m,), or soft labels (m, k), of all rows predicted, split by split."""
        labels = self.tested.targets.labels
        return np.concatenate([labels[test] for _, test in self.pairs])

    @property
    def training(self) -> LabelledRows:
        """All rows that models are fitted to."""
        return self._part(np.unique(np.concatenate([train for train, _ in self.pairs])))

    @property
    def frequencies(self) -> FloatArray:
        """The proportions of the classes (k,) among the labelled rows that models are fitted to.

        One baseline for all splits: without one row of classes of equal size, the most frequent
        class is always another than that of the row.
        """
        _, codes, weights = self.training.targets.weighted_codes()
        total = np.bincount(codes, weights, minlength=self.schema.classes.size)
        frequencies: FloatArray = total / total.sum()
        return frequencies

    def folds(self) -> Iterator[tuple[LabelledRows, Rows]]:
        """Rows to fit to and rows to predict, each copied out only when it is needed."""
        for train, test in self.pairs:
            yield self._part(train), self.tested.rows[test]

    def _part(self, which: Indices) -> LabelledRows:
        return replace(self.table, rows=self.table.rows[which], targets=self.table.targets[which])


def split(X: Any, y: Any, options: Options, held_out: Any, random_state: int | None = 0) -> Splits:
    """Read labelled rows, and split them as `gaussbayes.compare` says of `held_out`.

    Examples
    --------
    >>> splits = split([[1], [2], [3], [4]], ["a", "a", "b", "b"], model_options(None), 2)
    >>> [(train.tolist(), test.tolist()) for train, test in splits.pairs]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    encoder = options.encoder(X, y)
    table = read_table(X, y, encoder, options.label_marks, soft=True)
    schema = encoder.schema(table.classes)
    warn_of_many(table.rows.categories, schema.of_categories)
    check_n_classes(table.classes)
    if isinstance(held_out, tuple) and len(held_out) == 2:
        return _given(table, encoder, held_out, options.label_marks)
    known = np.flatnonzero(table.targets.labelled)
    codes = table.targets.codes[known]
    single = _single(codes)
    notes: tuple[str, ...] = ()
    if not hasattr(held_out, "split") or isinstance(held_out, str):
        notes, known, codes = (
            _single_notes(codes[single], schema.classes),
            known[~single],
            codes[~single],
        )
        if not known.size:
            msg = "every class has one row: none can be held out; give test rows"
            raise DataError(msg)
    pairs, how, shrunk = _pairs(table.rows.matrix[known], codes, schema, held_out, random_state)
    always = np.setdiff1d(np.arange(table.rows.n_rows), known)
    n_unlabelled = int(np.count_nonzero(~table.targets.labelled))
    if n_unlabelled:
        how += f", {counted(n_unlabelled, 'row')} without label in every training part"
    numbers = [
        (np.sort(np.concatenate([known[train], always])), known[test]) for train, test in pairs
    ]
    return Splits(table, schema, tuple(numbers), how, table, (*shrunk, *notes))


def _pairs(
    matrix: RealArray, codes: NDArray[Any], schema: Schema, held_out: Any, random_state: int | None
) -> tuple[list[tuple[Indices, Indices]], str, tuple[str, ...]]:
    """Pairs of places among the labelled rows, a sentence about them, and what there is to note."""
    n = codes.size
    seed = "" if random_state is None else f", seed {random_state}"
    if isinstance(held_out, str) and held_out == SINGLY:
        places = np.arange(n)
        return (
            [(np.delete(places, row), places[[row]]) for row in range(n)],
            _WITHOUT_ITSELF.format(n),
            (),
        )
    is_number = isinstance(held_out, Real) and not isinstance(held_out, bool | np.bool_)
    if is_number and isinstance(held_out, Integral) and int(held_out) >= 2:
        from sklearn.model_selection import StratifiedKFold

        count = np.bincount(codes)
        count[count == 0] = n
        wanted, smallest = int(held_out), int(count.argmin())
        n_folds = min(wanted, int(count.min()))
        notes: tuple[str, ...] = ()
        if n_folds < wanted:
            has = f"class {schema.class_name(smallest)} has {counted(n_folds, 'row')}"
            notes = (f"{n_folds} folds instead of {wanted}: {has}",)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
        how = f"{n_folds}-fold cross-validation of {n} rows, stratified{seed}"
        return list(splitter.split(codes, codes)), how, notes
    if is_number and 0 < held_out < 1:
        from sklearn.model_selection import train_test_split

        try:
            train, test = train_test_split(
                np.arange(n), test_size=float(held_out), random_state=random_state, stratify=codes
            )
        except ValueError as error:
            what = f"a proportion of {held_out} of {n} rows cannot be held out class by class"
            msg = f"{what}: {error}"
            raise DataError(msg) from None
        how = f"{train.size} rows to learn from, {test.size} held out, stratified{seed}"
        return [(np.sort(train), np.sort(test))], how, ()
    if not hasattr(held_out, "split") or isinstance(held_out, str):
        msg = (
            "held_out must be an integer of at least 2 folds, a proportion between 0 and 1, "
            f"(X_test, y_test), 'loo', or a splitter of scikit-learn; got {held_out!r:.200}"
        )
        raise OptionError(msg)
    pairs = [(train, test) for train, test in held_out.split(matrix, codes) if len(test)]
    if not pairs:
        msg = f"no row is held out by {held_out}: nothing can be evaluated"
        raise DataError(msg)
    m = sum(len(test) for _, test in pairs)
    return pairs, f"{m} predictions in {len(pairs)} splits of {n} rows by {held_out}", ()


def _given(table: LabelledRows, encoder: Encoder, held_out: tuple[Any, Any], mark: Any) -> Splits:
    """Test rows, whose features and classes must be those of the rows to learn from."""
    schema = encoder.schema(table.classes)
    X_test, y_test, _ = separate_columns(*held_out)
    if (X_test.n_rows if isinstance(X_test, Rows) else len(X_test)) == 0:
        msg = "the test set is empty: held_out=(X_test, y_test) needs at least one row"
        raise DataError(msg)
    encoder = encoder.with_categories(table.rows.categories)
    test = read_table(X_test, y_test, encoder, mark, soft=True)
    warn_of_unseen(test.rows.unseen, schema.of_categories)
    targets = codes_among(table.classes, test.targets, test.classes)
    which = np.flatnonzero(targets.labelled)
    n = table.rows.n_rows
    how = f"{n} rows to learn from, {which.size} test rows given"
    tested = LabelledRows(test.rows, targets, table.classes)
    return Splits(table, schema, ((np.arange(n), which),), how, tested)


def read_table(
    X: Any, y: Any, encoder: Encoder, mark: Any = None, *, soft: bool = False
) -> LabelledRows:
    """Rows with one label each, or none, or with soft labels where they are allowed."""
    rows = encoder.encode(X)
    targets, classes = (read_targets if soft else read_hard_labels)(y, rows.n_rows, mark=mark)
    check_rows(rows, encoder.schema(classes))
    return LabelledRows(rows, targets, classes)


Predictor: TypeAlias = tuple[Callable[[Rows], RealArray], LabelArray, Selection | None]
"""What gives log posteriors of rows, the classes that they are of, and how it was chosen."""


@dataclass(slots=True, eq=False)
class Method:
    """A way to make models, and what those of each fold have predicted so far."""

    fit: Callable[[LabelledRows, Schema], Predictor]
    problem: str | None = None  # why it cannot be fitted, or cannot predict
    fitted: bool = False  # whether the problem is with the rows held out, not with those fitted to
    log_posterior: list[RealArray] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)  # to fit and to predict
    selection: Selection | None = None  # of the last fold

    def evaluate_fold(self, table: LabelledRows, test: Rows, schema: Schema) -> None:
        """Fit and predict, unless an earlier fold has shown that it cannot be done."""
        if self.problem is not None:
            return
        classes = schema.classes
        began = perf_counter()
        try:
            predict, present, self.selection = self.fit(table, schema)
        except GaussBayesError as error:
            of_rows = isinstance(error, SingularCovarianceError | DataError)
            if not of_rows and np.unique(table.targets.codes).size >= classes.size:
                raise  # a setting is wrong, whatever the rows
            self.problem = str(error)
            return
        fitted = perf_counter()
        try:
            log_posterior = predict(test)
        except DataError as error:
            # Its categories rule a row out of every class.
            self.problem, self.fitted = f"of the rows held out together, {error}", True
            return
        self.seconds.append((fitted - began, perf_counter() - fitted))
        of_all = np.full((test.n_rows, classes.size), -np.inf, log_posterior.dtype)
        of_all[:, [schema.position(label) for label in present.tolist()]] = log_posterior
        self.log_posterior.append(of_all)

    def evaluation(self, splits: Splits, costs: FloatArray | None = None) -> Evaluation | None:
        """Of the predictions of all folds together; None if there was a problem."""
        if self.problem is not None:
            return None
        seen = evaluate(
            np.concatenate(self.log_posterior),
            splits.truth,
            splits.schema.classes,
            frequencies=splits.frequencies,
            costs=costs,
            ranked=True,
        )
        return replace(seen, how=splits.how, notes=splits.notes)


def method_of(options: Options) -> Method:
    """The models of some options; what is left open is chosen anew in each fold."""

    def fit(table: LabelledRows, schema: Schema) -> Predictor:
        model, selection = fit_model(table, schema, options)

        def predict(rows: Rows) -> RealArray:
            return model.log_posterior(rows.with_categories(model.categories), options.n_jobs)

        return predict, model.classes, selection

    return Method(fit)


def evaluate_held_out(
    model: Any,
    X: Any,
    y: Any,
    held_out: Any = 10,
    random_state: int | None = 0,
    costs: Costs | None = None,
) -> Evaluation:
    """Evaluate models with the parameters of a classifier, which stays as it is, on rows held out.

    `held_out` is as in `split`; with ``"loo"`` one row is left out at a time, in closed form where
    there is one. Where ``"auto"`` has to choose, it does without the row.
    """
    options = model_options(model)
    if isinstance(held_out, str) and held_out == SINGLY:
        encoder = options.encoder(X, y)
        table = read_table(X, y, encoder, options.label_marks, soft=True)
        check_n_classes(table.classes)
        schema = encoder.schema(table.classes)
        (settings, *_), automatic = options.alternatives(schema)
        if not automatic:
            matrix = None if costs is None else check_costs(costs, schema)
            calibrated = options.calibration is not None
            return leave_one_out(
                table, schema, settings, options.n_jobs, calibrated=calibrated, costs=matrix
            ).evaluation
    splits = split(X, y, options, held_out, random_state)
    matrix = None if costs is None else check_costs(costs, splits.schema)
    method = method_of(options)
    for fold in track(splits.folds(), "cross-validation", len(splits.pairs)):
        method.evaluate_fold(*fold, splits.schema)
    seen = method.evaluation(splits, matrix)
    if seen is None:
        what = "predict rows that are" if method.fitted else "be fitted to the rows that are not"
        msg = f"the model cannot {what} held out: {method.problem}"
        raise DataError(msg)
    return seen


def evaluate_fitted(
    model: Model, X: Any, y: Any, costs: Costs | None = None, mark: Any = None
) -> Evaluation:
    """Evaluate the predictions of a fitted model for labelled rows, of classes that it knows."""
    table = read_table(X, y, model.encoder, mark, soft=True)
    warn_of_unseen(table.rows.unseen, model.schema.of_categories)
    targets = codes_among(model.classes, table.targets, table.classes)
    matrix = None if costs is None else check_costs(costs, model.schema)
    seen = evaluate_rows(model, table.rows, targets, matrix)
    return replace(seen, how=f"the model on {counted(seen.n_rows, 'row')}")


def evaluate_rows(
    model: Model, rows: Rows, targets: Targets, costs: FloatArray | None = None
) -> Evaluation:
    """The same of rows as the model takes them; those of other rows can be added to it."""
    return evaluate(
        model.log_posterior(rows),
        targets.labels,
        model.classes,
        frequencies=training_frequencies(model),
        costs=costs,
        ranked=True,
    )


def training_frequencies(model: Model) -> FloatArray:
    """The proportions of the classes (k,) among the rows learnt from; else the priors."""
    learnt = model.weighted_members[0][1].learnt
    weight = model.prior if learnt is None else learnt.weight
    frequencies: FloatArray = weight / weight.sum()
    return frequencies


SINGLY = "loo"  # one row is held out at a time
_WITHOUT_ITSELF = "each of {} rows predicted by a model of the others"
