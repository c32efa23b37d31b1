"""The six structures and their peers on the same held-out rows: who errs how often?

With the Gaussian models the automatic model, chosen or averaged; beside them nearest neighbours,
logistic regression, and whatever else is given, all of them beside the class frequencies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from numbers import Integral
from typing import Any

import numpy as np

from gaussbayes.analysis.decision import Costs, check_costs
from gaussbayes.analysis.held_out import (
    Method,
    Predictor,
    Splits,
    method_of,
    model_options,
    split,
)
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.numerals import fixed, percent, shortened
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import Block, Displayed, Styled, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.roles import separate_columns
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.data.tables import as_array, is_frame
from gaussbayes.families.gaussian.structure import STRUCTURES, Structure, structure_of
from gaussbayes.model.evaluation import FIGURES, Evaluation, evaluate
from gaussbayes.model.fit import fit_model
from gaussbayes.model.options import Options
from gaussbayes.model.select import Selection, structure_name

AUTOMATIC = "automatic choice"
AVERAGED = "automatic average"
LOGISTIC = "logistic regression"
BASELINE = "class frequencies"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedModel:
    """A model that was evaluated by held-out rows."""

    name: str
    structure: Structure | None = None  # of a Gaussian model; the automatic choice from all rows
    neighbors: int | None = None  # of nearest neighbours
    n_parameters: int | None = None  # free ones; nearest neighbours keep the rows instead
    evaluation: Evaluation | None = None  # of all held-out rows; None if there was a problem
    fit_seconds: float = nan  # median over the folds, as the next; NaN if there was a problem
    predict_seconds: float = nan
    problem: str | None = None  # why it could not be evaluated

    @property
    def standard_error(self) -> float:
        """How far the error may be off by chance: ``√(e (1 − e) / n)``; NaN without evaluation."""
        return nan if self.evaluation is None else self.evaluation.standard_errors["error"]

    def record(self) -> dict[str, Any]:
        """Plain values under plain names.

        What was not measured is None, and so is an infinite log loss: JSON has no infinity. The
        two are told apart by `problem`, which is None where everything was measured.
        """
        seen, structure = self.evaluation, self.structure
        measured = dict.fromkeys(("rows", "errors", *FIGURES, "confusion")) | (
            seen.record() if seen else {}
        )
        measured.pop("baseline", None)  # it is that of the comparison
        return {
            "model": self.name,
            "covariance": structure.covariance if structure else None,
            "shared": structure.shared_setting if structure else None,
            "neighbors": self.neighbors,
            "parameters": self.n_parameters,
            **measured,
            "fit_seconds": self.fit_seconds if seen else None,
            "predict_seconds": self.predict_seconds if seen else None,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Displayed):
    """Several models evaluated by the same held-out rows."""

    candidates: tuple[ComparedModel, ...]  #: every model with its evaluation
    classes: LabelArray  #: (k,)
    how: str  #: one sentence: how rows were held out
    n_rows: int  #: predictions that each candidate was evaluated by
    selection: Selection | None = None  #: what is chosen automatically from all rows fitted to
    baseline: Evaluation | None = None  #: stating the class frequencies of the rows fitted to
    notes: tuple[str, ...] = ()  #: classes with few rows

    def records(self) -> list[dict[str, Any]]:
        """Plain values of each candidate, as JSON can hold; see `ComparedModel.record`."""
        return [candidate.record() for candidate in self.candidates]

    @property
    def warnings(self) -> list[str]:
        """Which candidates are worse than the class frequencies, in a sentence each."""
        if self.baseline is None:
            return []
        sentences = []
        for name, words in (("log_loss", "log loss"), ("error", "error")):
            least = getattr(self.baseline, name) + 1e-12
            worse = [
                each.name
                for each in self.candidates
                if each.evaluation and getattr(each.evaluation, name) > least
            ]
            if worse:
                sentences.append(f"{words} above that of the {BASELINE}: {'; '.join(worse)}")
        return sentences

    def tables(self) -> Sequence[Block]:
        """The candidates side by side, the best of each in bold; problems and warnings under it."""
        compared = self.candidates
        costly = any(each.evaluation and each.evaluation.costs is not None for each in compared)
        columns = [column for column in _COLUMNS if column != ("F1" if costly else "cost")]
        rows = [_cells(each, columns) for each in compared]
        best = _best(compared, columns)
        rows = [
            [Styled(cell) if cell == top else cell for cell, top in zip(row, best, strict=True)]
            for row in rows
        ]
        if self.baseline is not None:
            rows.append(_cells(ComparedModel(BASELINE, evaluation=self.baseline), columns))
        warnings = (f"Warning: {each}" for each in self.warnings)
        notes = ["±: standard error of the error, in %", *warnings, *problems(self.candidates)]
        return [self.how, *self.notes, TextTable(columns, rows, notes=notes)]


def compare(
    X: Any,
    y: Any,
    *,
    held_out: Any = 10,
    neighbors: Iterable[int] = (1, 3, 5, 9, 15),
    model: Any = None,
    automatic: bool = True,
    average: bool = False,
    logistic: bool = True,
    others: Mapping[str, Any] | None = None,
    costs: Costs | None = None,
    random_state: int | None = 0,
) -> Comparison:
    """Evaluate the six structures and their peers by rows that they have not seen.

    Parameters
    ----------
    X : (n, d) array, list or frame (pandas, polars, Arrow), as in `GaussianClassifier.fit`: values
        may be missing, and features may be categories
    y : (n,) labels; None, NaN or the mark of `model` for rows without, which are in every training
        part and never predicted; or (n, k) soft labels, which count in part; or the name of the
        column of X that holds the labels
    held_out : which rows are predicted by models fitted to the others: an integer for that many
        folds of stratified cross-validation, or as many as the smallest class has rows; a
        proportion between 0 and 1 for one stratified split; ``(X_test, y_test)`` for these rows;
        ``"loo"`` for one row at a time; or a splitter of scikit-learn. The only row of a class is
        never held out, but by a splitter.
    neighbors : how many neighbours vote; one candidate for each (scikit-learn's
        `KNeighborsClassifier`), on features in numbers, as logistic regression
    model : a `GaussianClassifier` whose parameters the six structures take over but for covariance
        and shared; None for the defaults. If its covariances are shrunk towards the pooled one, it
        is a candidate too.
    automatic : whether `AutoClassifier` is a candidate too, with the priors, families and
        smoothing of `model`. It chooses and calibrates anew in each fold, so that it is evaluated
        by rows that had no part in the choice; what it chooses from all rows is
        `Comparison.selection`, and its structure is that of the candidate.
    average : whether the average of its candidates is one too, likewise
    logistic : whether logistic regression is a candidate too (scikit-learn's `LogisticRegression`).
        Features in numbers are standardised numbers, a missing one being the mean, and a 0 or 1 for
        each category, a missing one being the most frequent, all by the rows fitted to.
    others : other candidates by name: classifiers of scikit-learn, or with its methods. Each is
        fitted to the rows as they are given, a frame being a frame, or, if it cannot be fitted to
        them, to the features in numbers, as logistic regression; which, the first fold decides.
    costs : of decisions, as in `GaussianClassifier.decide`, for the mean cost of each candidate's
    random_state : seed of the folds or of the split

    Notes
    -----
    The predictions for all held-out rows are evaluated together: error, log loss and Brier score
    are means over rows, not over folds. A class that is absent from the rows fitted to has
    posterior 0. A candidate that cannot be fitted in one of the folds, or cannot take the rows, has
    a `problem` instead of an evaluation. The baseline states the class frequencies of the rows
    fitted to for every row; candidates that are worse are named. Nearest neighbours state
    proportions of votes, so that their log loss is infinite as soon as the true class of a row gets
    no vote.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[3], automatic=False)
    >>> [(c.name, c.n_parameters, c.evaluation.n_errors) for c in compared.candidates][:2]
    [('QDA', 44, 5), ('LDA', 24, 3)]
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[], logistic=False)
    >>> compared.candidates[-1].name, compared.selection.best.structure.sharing
    ('automatic choice', 0.5)
    """
    X, y, _ = separate_columns(X, y)
    options = model_options(model)
    splits = split(X, y, options, held_out, random_state)
    matrix = None if costs is None else check_costs(costs, splits.schema)
    candidates = list(_gaussians(options, model, splits))
    open_options = options.automatically()
    choice = method_of(open_options)
    if automatic:
        candidates.append((ComparedModel(AUTOMATIC), choice))
    if average:
        averaged = method_of(options.automatically(average=True))
        candidates.append((ComparedModel(AVERAGED), averaged))
    if logistic:
        from sklearn.linear_model import LogisticRegression

        regression = LogisticRegression(max_iter=1000)
        candidates.append((ComparedModel(LOGISTIC), _peer(regression, splits)))
    candidates += _nearest_neighbors(neighbors, splits)
    taken = {candidate.name for candidate, _ in candidates}
    candidates += _others(others or {}, taken, splits, X, held_out)
    tasks = ((method, fold) for fold in splits.folds() for _, method in candidates)
    for method, fold in track(tasks, "comparing models", len(candidates) * len(splits.pairs)):
        method.evaluate_fold(*fold, splits.schema)
    selection = choice.selection
    if automatic and choice.problem is None and len(splits.pairs) > 1:
        try:
            selection = fit_model(splits.training, splits.schema, open_options)[1]
        except GaussBayesError as error:
            choice.problem = str(error)
    measured = []
    for candidate, method in candidates:
        result: dict[str, Any] = {"evaluation": method.evaluation(splits, matrix)}
        if method.problem is None:
            medians = np.median(method.seconds, axis=0).tolist()
            result |= zip(("fit_seconds", "predict_seconds"), medians, strict=True)
        if method is choice and selection is not None and method.problem is None:
            best = selection.best
            result |= {"structure": best.structure, "n_parameters": best.n_parameters}
        measured.append(replace(candidate, problem=method.problem, **result))
    classes, n_rows = splits.schema.classes, len(splits.truth)
    chosen = selection if choice.problem is None else None
    truth = splits.truth
    with np.errstate(divide="ignore"):
        stated = np.log(np.broadcast_to(splits.frequencies, (n_rows, classes.size)))
    baseline = evaluate(stated, truth, classes, costs=matrix, ranked=True)
    shown = (splits.how, n_rows, chosen, baseline, splits.notes)
    return Comparison(tuple(measured), classes, *shown)


def _gaussians(
    options: Options, model: Any, splits: Splits
) -> Iterator[tuple[ComparedModel, Method]]:
    """The six structures with the other options of a model, and its own if that is another."""
    fitted = getattr(model, "structure_", None)
    given = options.of_families
    if fitted is None and "auto" not in (given["covariance"], given["shared"]):
        fitted = structure_of(given["covariance"], given["shared"])
    between = {fitted.name: fitted} if fitted is not None and fitted.between else {}
    compared: set[str] = set()
    for structure in (STRUCTURES | between).values():
        if given["estimate"] == "predictive" and structure.covariance != "full":
            continue  # covariances that are integrated out have correlations
        shared = structure.shared_setting
        changed = options.with_families(covariance=structure.covariance, shared=shared)
        name = structure_name(changed.settings(splits.schema))
        if name not in compared:  # without covariances all are the same
            compared.add(name)
            used = structure if name == structure.name else None
            n_parameters = _n_parameters(changed, splits)
            yield ComparedModel(name, used, n_parameters=n_parameters), method_of(changed)


def _n_parameters(options: Options, splits: Splits) -> int | None:
    """How many free parameters a model of all rows has; it is known even if no fit succeeds."""
    schema, table = splits.schema, splits.table
    settings = options.settings(schema)
    labelled = table.targets.labelled
    targets, parts = table.targets[labelled], settings.parts(table.rows[labelled], schema)
    k: int = schema.classes.shape[0]
    total = k - 1
    for component, part, names in zip(
        settings.components, parts, settings.names(schema), strict=True
    ):
        size = component.family.n_parameters(k, len(component.columns))
        if size is None:
            try:
                statistics = component.family.observe(part, targets, names)
                size = component.family.estimate(statistics, names).density.n_parameters
            except GaussBayesError:
                return None
        total += int(size)
    return total


# Peers: estimators of scikit-learn, which take numbers.


def _nearest_neighbors(neighbors: Any, splits: Splits) -> Iterator[tuple[ComparedModel, Method]]:
    """Nearest neighbours, once for each number of them."""
    from sklearn.neighbors import KNeighborsClassifier

    counts = list(neighbors) if isinstance(neighbors, Iterable) else [neighbors]
    integers = (isinstance(count, Integral) and not isinstance(count, bool) for count in counts)
    if not all(integers) or any(count < 1 for count in counts):
        msg = f"neighbors must be integers, at least 1, got {neighbors!r:.200}"
        raise OptionError(msg)
    labelled = splits.table.targets.labelled
    fewest = min(int(np.count_nonzero(labelled[train])) for train, _ in splits.pairs)
    for count in map(int, dict.fromkeys(counts)):
        method = _peer(KNeighborsClassifier(count), splits)
        if count > fewest and method.problem is None:
            method.problem = f"there are only {fewest} rows to find neighbours among"
        name = f"{count} nearest neighbour{'s' if count > 1 else ''}"
        yield ComparedModel(name, neighbors=count), method


def _others(
    given: Any, taken: set[str], splits: Splits, X: Any, held_out: Any
) -> Iterator[tuple[ComparedModel, Method]]:
    """Estimators of others, each by its name."""
    if not isinstance(given, Mapping):
        msg = f"others must be estimators by name, as in {{'forest': …}}, got {given!r:.200}"
        raise OptionError(msg)
    for name, estimator in given.items():
        if not isinstance(name, str) or not name or name in taken:
            msg = f"other models need names of their own, got {name!r}"
            raise OptionError(msg)
        if not hasattr(estimator, "fit"):
            msg = f"{name} must be a classifier with fit and predict_proba, got {estimator!r:.200}"
            raise TypeError(msg)
        apart = isinstance(held_out, tuple)
        tables = (X, held_out[0] if apart else X)
        method = _peer(estimator, splits, None if isinstance(X, Rows) else tables)
        if not hasattr(estimator, "predict_proba"):
            method.problem = "it has no predict_proba: wrap it into CalibratedClassifierCV"
        yield ComparedModel(name), method


def in_numbers(rows: Rows) -> FloatArray:
    """Numbers, then the codes of categories; NaN is missing."""
    codes = np.where(rows.codes < 0, np.nan, rows.codes)
    return np.concatenate([rows.matrix.astype(np.float64), codes], axis=1)


def numeric_coding(n_numbers: int, n_features: int) -> Any:
    """What standardises numbers and gives each category a column, filling in what is missing."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    kept = {"keep_empty_features": True}
    scaled = make_pipeline(SimpleImputer(**kept), StandardScaler())
    coded = make_pipeline(
        SimpleImputer(strategy="most_frequent", **kept), OneHotEncoder(handle_unknown="ignore")
    )
    numbers, codes = list(range(n_numbers)), list(range(n_numbers, n_features))
    return make_column_transformer((scaled, numbers), (coded, codes))


def _peer(unfitted: Any, splits: Splits, given: tuple[Any, Any] | None = None) -> Method:
    """An estimator of scikit-learn, which is fitted to the rows that have a label.

    It has the rows of the `given` tables, to fit to and to predict, if it can be fitted to them in
    the first fold, and else features in numbers.
    """
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline

    numbers = splits.table.rows.matrix.shape[1]
    coding = numeric_coding(numbers, numbers + splits.table.rows.codes.shape[1])
    pairs = enumerate(splits.pairs)
    coded = given is None

    def fit(table: LabelledRows, schema: Schema) -> Predictor:
        nonlocal coded
        fold, (train, test) = next(pairs)
        labelled = table.targets.labelled
        codes = table.targets.codes[labelled]

        def fitted() -> Any:
            if coded:
                pipeline = make_pipeline(clone(coding), clone(unfitted))
                return pipeline.fit(in_numbers(table.rows[labelled]), codes)
            assert given is not None
            return clone(unfitted).fit(_rows_of(given[0], train[labelled]), codes)

        try:
            estimator = _attempted(fitted)
        except DataError as error:
            if coded or fold:
                raise
            coded = True
            try:
                estimator = _attempted(fitted)
            except DataError:
                raise error from None

        def predict(rows: Rows) -> RealArray:
            asked = in_numbers(rows) if coded or given is None else _rows_of(given[1], test)
            posterior = _attempted(lambda: estimator.predict_proba(asked))
            with np.errstate(divide="ignore"):  # a class without a vote is called impossible
                log_posterior: RealArray = np.log(posterior)
            return log_posterior

        return predict, schema.classes[estimator.classes_], None

    tables = (splits.table, splits.tested)
    soft = any(table.targets.is_soft for table in tables)
    return Method(fit, "it needs one class for each row, and labels are soft" if soft else None)


def _attempted(step: Callable[[], Any]) -> Any:
    """What a step of an estimator of others gives, or its error as one of the rows."""
    try:
        return step()
    except Exception as error:  # whatever theirs may be
        msg = f"{type(error).__name__}: {error}"
        raise DataError(msg) from error


def _rows_of(table: Any, which: Any) -> Any:
    """Some rows of a table of any kind, which stays of its kind."""
    if is_frame(table):
        import narwhals as nw

        return nw.from_native(table, eager_only=True)[which].to_native()
    return as_array(table)[which]


# Candidates side by side, for the terminal and as plain text.

_COLUMNS = (
    "model",
    "para-\nmeters",
    "error",
    "±",
    "log\nloss",
    "Brier\nscore",
    "AUC",
    "F1",
    "cost",
    "time\nms",
)


def problems(candidates: Sequence[ComparedModel]) -> list[str]:
    """Which candidates could not be evaluated, and why, in a sentence each."""
    return [
        f"{candidate.name}: {candidate.problem.partition('. ')[0]}"
        for candidate in candidates
        if candidate.problem is not None
    ]


def _measures(candidate: ComparedModel) -> dict[str, tuple[float, str]]:
    """What is measured, less being better, and how it is written, by column."""
    seen = candidate.evaluation
    if seen is None:
        return {}
    time = 1000 * (candidate.fit_seconds + candidate.predict_seconds)
    return {
        "error": (seen.error, percent(seen.error)),
        "±": (nan, percent(seen.standard_errors["error"]).removesuffix("\xa0%")),
        "log\nloss": (seen.log_loss, fixed(seen.log_loss, 3)),
        "Brier\nscore": (seen.brier, fixed(seen.brier, 3)),
        "AUC": (-seen.auc, fixed(seen.auc, 3)),
        "F1": (-seen.f1, fixed(seen.f1, 3)),
        "cost": (seen.cost, fixed(seen.cost, 3)),
        "time\nms": (time, _milliseconds(time)),
    }


def _cells(candidate: ComparedModel, columns: Sequence[str]) -> list[str]:
    count = "–" if candidate.n_parameters is None else str(candidate.n_parameters)
    measured = _measures(candidate)
    written = [measured[name][1] if measured else "–" for name in columns[2:]]
    return [shortened(candidate.name, 24), count, *written]


def _best(candidates: Sequence[ComparedModel], columns: Sequence[str]) -> list[str | None]:
    """The best cell of each column that is measured; others that read the same are as good."""
    measured = [each for each in map(_measures, candidates) if each]
    best: list[str | None] = [None, None]
    for name in columns[2:]:
        known = [each[name] for each in measured if not isnan(each[name][0])]
        best.append(min(known)[1] if known else None)
    return best


def _milliseconds(value: float) -> str:
    return (
        "–"
        if isnan(value)
        else f"{value:.2f}"
        if value < 10
        else f"{value:.1f}"
        if value < 1000
        else f"{value:.0f}"
    )
