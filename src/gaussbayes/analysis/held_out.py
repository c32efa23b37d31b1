"""How models of some rows predict others: rows left out one at a time, in folds, or given apart.

Rows without labels are never predicted: they stay on the training side of every split.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.analysis.view import check_rows, read_hard_labels
from gaussbayes.base.errors import (
    DataError,
    GaussBayesError,
    ParameterError,
    SingularCovarianceError,
)
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import warn_of_many, warn_of_unseen
from gaussbayes.data.labels import codes_among, read_targets
from gaussbayes.data.rows import Encoder, LabelledRows, Rows, Targets
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, check_options, fit_model, options_of
from gaussbayes.model.select import Selection, is_open
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import observe

Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """Every labelled row predicted by the model of all others."""

    log_posterior: FloatArray  # (m, k), of the rows that have a label
    evaluation: Evaluation
    rows: Indices  # (m,) which rows these are
    n_folds: int  # m if each was left out by itself


def leave_one_out(
    table: LabelledRows, schema: Schema, settings: Settings, n_jobs: int | None = None
) -> LeaveOneOut:
    """Predict every labelled row by the model of the others.

    In closed form where there is one. Where labels are soft each row takes a fit; where values or
    labels are missing, up to 300 rows are left out one at a time and of more rows 50 folds.
    """
    learnt = observe(table, settings, schema, n_threads(n_jobs), keep_all=True).with_rows()
    data = held_out_rows(table, learnt, schema)
    (outcome,), n_folds = hold_out(data, [settings], n_jobs)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    known = set(data.classes.tolist())
    kept = [label in known for label in table.classes.tolist()]
    which = np.flatnonzero(np.array([*kept, False])[table.targets.codes])  # −1 is the last entry
    evaluation = evaluate(outcome, data.targets.labels, data.classes)
    return LeaveOneOut(outcome, evaluation, which, n_folds)


@dataclass(frozen=True, slots=True, eq=False)
class ModelOptions:
    """Everything that makes a model of a table: options, and how the table is read."""

    options: Options
    categorical_features: Any = "from_dtype"
    mark: Any = None  # the label that stands for a missing one
    n_jobs: int | None = None
    encoder: Encoder | None = None  # the features, if they are known: tables may then be `Rows`

    def with_options(self, **of_families: Any) -> "ModelOptions":
        """The same with other options of families, such as `covariance` and `shared`."""
        changed = {**self.options.of_families, **of_families}
        return replace(self, options=replace(self.options, of_families=changed, made={}))

    def encoder_of(self, X: Any) -> Encoder:
        """The features of a table."""
        if self.encoder is not None:
            return self.encoder
        return Encoder.learn(X, self.categorical_features, self.options.kinds)


def model_options(model: Any) -> ModelOptions:
    """The options of a classifier, by its parameters, or of a model; None has the defaults."""
    if isinstance(model, ModelOptions):
        return model
    if isinstance(model, Model):
        checked = check_options(**options_of(model.settings, model.schema))
        return ModelOptions(checked, list(model.schema.categorical) or "from_dtype")
    parameters: Mapping[str, Any] = {}
    if model is not None:
        parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
        if "covariance" not in parameters:
            msg = f"model must be a GaussianClassifier or None, got {type(model).__name__}"
            raise TypeError(msg)
    options = dict(parameters)
    how = (options.pop("categorical_features", "from_dtype"), options.pop("unlabelled", None))
    n_jobs = options.pop("n_jobs", None)
    return ModelOptions(check_options(**options), *how, n_jobs)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSplit:
    """Rows to fit to and rows to predict."""

    table: LabelledRows  # to fit to, unlabelled rows among them
    test: Rows  # to predict
    schema: Schema


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Labelled rows, and pairs of the numbers of rows to fit to and rows to predict."""

    table: LabelledRows
    schema: Schema
    pairs: tuple[tuple[Indices, Indices], ...]
    how: str  # one sentence

    @property
    def truth(self) -> NDArray[Any]:
        """The true classes (m,), or soft labels (m, k), of all rows predicted, split by split."""
        labels = self.table.targets.labels
        return np.concatenate([labels[test] for _, test in self.pairs])

    @property
    def training(self) -> LabelledRows:
        """All rows that models are fitted to."""
        return self.part(np.unique(np.concatenate([train for train, _ in self.pairs])))

    def part(self, which: Indices) -> LabelledRows:
        """Some of the rows."""
        return replace(self.table, rows=self.table.rows[which], targets=self.table.targets[which])

    def folds(self) -> Iterator[TrainingSplit]:
        """The splits one after the other, each copied out only when it is needed."""
        for train, test in self.pairs:
            yield TrainingSplit(self.part(train), self.table.rows[test], self.schema)


def split(
    X: Any, y: Any, plan: ModelOptions, held_out: Any, random_state: int | None = 0
) -> Splits:
    """Read labelled rows, and split them as `gaussbayes.compare` says of `held_out`.

    Examples
    --------
    >>> splits = split([[1], [2], [3], [4]], ["a", "a", "b", "b"], model_options(None), 2)
    >>> [(train.tolist(), test.tolist()) for train, test in splits.pairs]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    """
    encoder = plan.encoder_of(X)
    table = read_table(X, y, encoder, plan.mark, soft=True)
    schema = encoder.schema(table.classes)
    warn_of_many(table.rows.categories, schema.of_categories)
    if isinstance(held_out, tuple) and len(held_out) == 2:
        splits = _given(table, encoder, held_out, plan.mark)
    else:
        labelled = np.flatnonzero(table.targets.labelled)
        pairs, how = _pairs(table, labelled, schema, held_out, random_state)
        unlabelled = np.flatnonzero(~table.targets.labelled)
        if unlabelled.size:
            how += f", {unlabelled.size} rows without label in every training part"
        numbers = [
            (np.sort(np.concatenate([labelled[train], unlabelled])), labelled[test])
            for train, test in pairs
        ]
        splits = Splits(table, schema, tuple(numbers), how)
    check_classes(table.classes)
    return splits


def _pairs(
    table: LabelledRows, labelled: Indices, schema: Schema, held_out: Any, random_state: int | None
) -> tuple[list[tuple[Indices, Indices]], str]:
    """Pairs of places among the labelled rows, and one sentence about them."""
    codes = table.targets.codes[labelled]
    n = codes.size
    seed = "" if random_state is None else f", seed {random_state}"
    is_number = isinstance(held_out, Real) and not isinstance(held_out, bool | np.bool_)
    if is_number and isinstance(held_out, Integral) and int(held_out) >= 2:
        from sklearn.model_selection import StratifiedKFold

        _check_sizes(codes, schema, int(held_out))
        splitter = StratifiedKFold(int(held_out), shuffle=True, random_state=random_state)
        how = f"{held_out}-fold cross-validation of {n} rows, stratified{seed}"
        return list(splitter.split(codes, codes)), how
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
        return [(np.sort(train), np.sort(test))], how
    if not hasattr(held_out, "split") or isinstance(held_out, str):
        msg = (
            "held_out must be an integer of at least 2 folds, a proportion between 0 and 1, "
            f"(X_test, y_test), or a splitter of scikit-learn; got {held_out!r:.200}"
        )
        raise ParameterError(msg)
    matrix = table.rows.matrix[labelled]
    pairs = [(train, test) for train, test in held_out.split(matrix, codes) if len(test)]
    if not pairs:
        msg = f"no row is held out by {held_out}: nothing can be evaluated"
        raise DataError(msg)
    m = sum(len(test) for _, test in pairs)
    return pairs, f"{m} predictions in {len(pairs)} splits of {n} rows by {held_out}"


def _check_sizes(codes: NDArray[Any], schema: Schema, n_folds: int) -> None:
    """Raise if a class has fewer rows than there are folds."""
    count = np.bincount(codes, minlength=1)
    smallest, least = int(count.argmin()), int(count.min())
    if least < n_folds:
        fewer = f"hold out {least} folds or fewer, or " if least >= 2 else ""
        msg = (
            f"class {schema.class_name(smallest)} has {least} row{'s' if least > 1 else ''}, too "
            f"few for {n_folds} folds: {fewer}leave the class out, or give test rows"
        )
        raise DataError(msg)


def _given(table: LabelledRows, encoder: Encoder, held_out: tuple[Any, Any], mark: Any) -> Splits:
    """Test rows, whose features and classes must be those of the rows to learn from."""
    schema = encoder.schema(table.classes)
    X_test, y_test = held_out
    if (X_test.n_rows if isinstance(X_test, Rows) else len(X_test)) == 0:
        msg = "the test set is empty: held_out=(X_test, y_test) needs at least one row"
        raise DataError(msg)
    encoder = encoder.with_categories(table.rows.categories)
    test = read_table(X_test, y_test, encoder, mark, soft=True)
    warn_of_unseen(test.rows.unseen, schema.of_categories)
    targets = codes_among(table.classes, test.targets, test.classes)
    rows = table.rows.joined(test.rows, schema.of_categories)
    n, m = table.rows.n_rows, int(np.count_nonzero(targets.labelled))
    parts = (table.targets, targets)
    is_soft = any(part.is_soft for part in parts)
    labels = np.concatenate([_soft(part) if is_soft else part.codes for part in parts])
    n_unlabelled = sum(part.n_unlabelled for part in parts)
    both = Targets(labels, table.classes.shape[0], None, n_unlabelled)
    pair = (np.arange(n), n + np.flatnonzero(targets.labelled))
    how = f"{n} rows to learn from, {m} test rows given"
    return Splits(LabelledRows(rows, both, table.classes), schema, (pair,), how)


def _soft(targets: Targets) -> FloatArray:
    """Labels as soft ones (n, k), NaN for a row without."""
    if targets.is_soft:
        return targets.labels.astype(np.float64, copy=False)
    soft = np.eye(targets.n_classes)[targets.codes]
    soft[~targets.labelled] = np.nan
    return soft


def read_table(
    X: Any, y: Any, encoder: Encoder, mark: Any = None, *, soft: bool = False
) -> LabelledRows:
    """Rows with one label each, or none, or with soft labels where they are allowed."""
    rows = encoder.encode(X)
    read = read_targets(y, rows.n_rows, None, mark) if soft else None
    targets, classes = read or read_hard_labels(y, rows.n_rows, mark)
    check_rows(rows, encoder.schema(classes))
    return LabelledRows(rows, targets, classes)


@dataclass(slots=True, eq=False)
class Method:
    """A way to make models, and what those of each fold have predicted so far."""

    fit: Callable[[TrainingSplit], tuple[Callable[[], RealArray], LabelArray, Any]]
    """A fold ↦ log posteriors of its rows when asked for, their classes, and what was chosen."""
    problem: str | None = None  # why it cannot be fitted, or cannot predict
    fitted: bool = False  # whether the problem is with the rows held out, not with those fitted to
    log_posterior: list[RealArray] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)  # to fit and to predict
    selection: Selection | None = None  # of the last fold

    def evaluate_fold(self, fold: TrainingSplit) -> None:
        """Fit and predict, unless an earlier fold has shown that it cannot be done."""
        if self.problem is not None:
            return
        classes = fold.schema.classes
        began = perf_counter()
        try:
            predict, present, self.selection = self.fit(fold)
        except GaussBayesError as error:
            of_rows = isinstance(error, SingularCovarianceError | DataError)
            if not of_rows and np.unique(fold.table.targets.codes).size >= classes.size:
                raise  # a setting is wrong, whatever the rows
            self.problem = str(error)
            return
        fitted = perf_counter()
        try:
            log_posterior = predict()
        except DataError as error:
            # Its categories rule a row out of every class.
            self.problem, self.fitted = f"of the rows held out together, {error}", True
            return
        self.seconds.append((fitted - began, perf_counter() - fitted))
        code = {label: number for number, label in enumerate(classes.tolist())}
        of_all = np.full((fold.test.n_rows, classes.size), -np.inf, log_posterior.dtype)
        of_all[:, [code[label] for label in present.tolist()]] = log_posterior
        self.log_posterior.append(of_all)

    def evaluation(self, splits: Splits) -> Evaluation | None:
        """Of the predictions of all folds together; None if there was a problem."""
        if self.problem is not None:
            return None
        return evaluate(np.concatenate(self.log_posterior), splits.truth, splits.schema.classes)


def method_of(plan: ModelOptions) -> Method:
    """The models of some options; what is left open is chosen anew in each fold."""

    def fit(fold: TrainingSplit) -> tuple[Callable[[], RealArray], LabelArray, Any]:
        model, selection = fit_model(fold.table, fold.schema, plan.options, plan.n_jobs)

        def predict() -> RealArray:
            return model.log_posterior(fold.test.with_categories(model.categories), plan.n_jobs)

        return predict, model.schema.classes, selection

    return Method(fit)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutEvaluation:
    """An evaluation, and how the rows for it were held out."""

    evaluation: Evaluation
    how: str  # one sentence


def evaluate_held_out(
    model: Any, X: Any, y: Any, held_out: Any = 10, random_state: int | None = 0
) -> HeldOutEvaluation:
    """Evaluate models with the parameters of a classifier, which stays as it is, on rows held out.

    `held_out` is as in `split`, or ``"loo"`` to leave out one row at a time; where ``"auto"`` has
    to choose, it does without the row.
    """
    plan = model_options(model)
    single = isinstance(held_out, str) and held_out == "loo"
    if single:
        encoder = plan.encoder_of(X)
        table = read_table(X, y, encoder, plan.mark, soft=True)
        check_classes(table.classes)
        schema = encoder.schema(table.classes)
        settings = plan.options.settings(schema)
        if not is_open(settings):
            evaluation = leave_one_out(table, schema, settings, plan.n_jobs).evaluation
            return HeldOutEvaluation(evaluation, _WITHOUT_ITSELF.format(evaluation.n_rows))
        from sklearn.model_selection import LeaveOneOut as SingleRows

        held_out = SingleRows()
    splits = split(X, y, plan, held_out, random_state)
    method = method_of(plan)
    for fold in track(splits.folds(), "cross-validation", len(splits.pairs)):
        method.evaluate_fold(fold)
    seen = method.evaluation(splits)
    if seen is None:
        what = "predict rows that are" if method.fitted else "be fitted to the rows that are not"
        msg = f"the model cannot {what} held out: {method.problem}"
        raise DataError(msg)
    return HeldOutEvaluation(seen, _WITHOUT_ITSELF.format(seen.n_rows) if single else splits.how)


_WITHOUT_ITSELF = "each of {} rows predicted by a model of the others"


def check_classes(classes: LabelArray) -> None:
    """Raise for fewer than two classes."""
    if classes.size < 2:
        msg = f"a classifier needs at least two classes, got {classes.tolist()!r}"
        raise DataError(msg)
