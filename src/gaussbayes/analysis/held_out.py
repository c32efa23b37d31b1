"""How models of some rows predict others: rows left out one at a time, in folds, or given apart.

Rows without labels are never predicted: they stay on the training side of every split.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
from gaussbayes.data.rows import Encoder, LabelledRows, Rows
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.fit import fit_model
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, check_options, options_of
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
    labels are missing, up to 300 rows are left out one at a time and of more rows 50 folds. What
    transforms learn is learnt from all rows, once.
    """
    settings = settings.prepared(table.rows, table.targets, schema)
    learnt = observe(table, settings, schema, n_threads(n_jobs), keep_all=True).with_rows()
    data = held_out_rows(table, learnt, schema)
    (outcome,), n_folds = hold_out(data, [settings], n_jobs)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    evaluation = evaluate(outcome, data.targets.labels, data.classes)
    return LeaveOneOut(outcome, evaluation, data.numbers, n_folds)


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
    parameters = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    if "covariance" not in parameters:
        msg = f"model must be a GaussianClassifier or None, got {type(model).__name__}"
        raise TypeError(msg)
    return check_options(**parameters)


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Labelled rows, and pairs of the numbers of rows to fit to and rows to predict."""

    table: LabelledRows  # to fit to, unlabelled rows among them
    schema: Schema
    pairs: tuple[tuple[Indices, Indices], ...]
    how: str  # one sentence
    tested: LabelledRows  # to predict: the same, unless they were given apart

    @property
    def truth(self) -> NDArray[Any]:
        """The true classes (m,), or soft labels (m, k), of all rows predicted, split by split."""
        labels = self.tested.targets.labels
        return np.concatenate([labels[test] for _, test in self.pairs])

    @property
    def training(self) -> LabelledRows:
        """All rows that models are fitted to."""
        return self._part(np.unique(np.concatenate([train for train, _ in self.pairs])))

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
    encoder = options.encoder(X)
    table = read_table(X, y, encoder, options.unlabelled, soft=True)
    schema = encoder.schema(table.classes)
    warn_of_many(table.rows.categories, schema.of_categories)
    if isinstance(held_out, tuple) and len(held_out) == 2:
        splits = _given(table, encoder, held_out, options.unlabelled)
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
        splits = Splits(table, schema, tuple(numbers), how, table)
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

    def evaluation(self, splits: Splits) -> Evaluation | None:
        """Of the predictions of all folds together; None if there was a problem."""
        if self.problem is not None:
            return None
        return evaluate(np.concatenate(self.log_posterior), splits.truth, splits.schema.classes)


def method_of(options: Options) -> Method:
    """The models of some options; what is left open is chosen anew in each fold."""

    def fit(table: LabelledRows, schema: Schema) -> Predictor:
        model, selection = fit_model(table, schema, options)

        def predict(rows: Rows) -> RealArray:
            return model.log_posterior(rows.with_categories(model.categories), options.n_jobs)

        return predict, model.classes, selection

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
    options = model_options(model)
    single = isinstance(held_out, str) and held_out == "loo"
    if single:
        encoder = options.encoder(X)
        table = read_table(X, y, encoder, options.unlabelled, soft=True)
        check_classes(table.classes)
        schema = encoder.schema(table.classes)
        settings = options.settings(schema)
        if not is_open(settings):
            evaluation = leave_one_out(table, schema, settings, options.n_jobs).evaluation
            return HeldOutEvaluation(evaluation, _WITHOUT_ITSELF.format(evaluation.n_rows))
        from sklearn.model_selection import LeaveOneOut as SingleRows

        held_out = SingleRows()
    splits = split(X, y, options, held_out, random_state)
    method = method_of(options)
    for fold in track(splits.folds(), "cross-validation", len(splits.pairs)):
        method.evaluate_fold(*fold, splits.schema)
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
