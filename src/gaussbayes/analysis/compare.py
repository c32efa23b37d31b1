"""Compare classifiers on the same held-out rows, beside the class frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from gaussbayes.base.checks import integer
from gaussbayes.base.errors import GaussBayesError, OptionError
from gaussbayes.base.numerals import fixed, percent, shortened
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, LabelsLike, TableLike
from gaussbayes.data.columns import Columns
from gaussbayes.data.read import table_of
from gaussbayes.data.rows import Encoder
from gaussbayes.data.tables import is_source
from gaussbayes.model.cross_validation import (
    CrossValidation,
    Splits,
    is_ours,
    split,
    without_warnings,
)
from gaussbayes.model.evaluation import BASELINE, Costs, Evaluation, check_costs
from gaussbayes.model.options import Options, model_options, name_of

AUTOMATIC = "AutoClassifier"
BOOSTING = "gradient boosting"
EBM = "explainable boosting"
_TREES = (BOOSTING, EBM)
_CLEARLY = 0.05  # least relative improvement of the log loss for a note about a tree model
_FEW_ROWS = 10_000  # with fewer rows, other libraries fit on one thread
_MOST_CATEGORIES = 255  # of a categorical feature of HistGradientBoostingClassifier


@dataclass(frozen=True, slots=True, eq=False)
class ComparedModel:
    """A classifier and its evaluation on held-out rows."""

    name: str  #: as in the table
    evaluation: Evaluation | None = None  #: None if there was a problem
    neighbors: int | None = None  #: of nearest neighbours
    problem: str | None = None  #: the error if it could not be evaluated


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Result):
    """Several classifiers evaluated on the same held-out rows."""

    candidates: tuple[ComparedModel, ...]  #: every classifier with its evaluation
    classes: LabelArray  #: (k,) the labels
    how: str  #: one sentence: how rows were held out
    baseline: Evaluation  #: of the class frequencies
    notes: tuple[str, ...] = ()  #: such as a tree model that is clearly better

    @property
    def n_rows(self) -> int:
        """Number of predictions that each classifier was evaluated on."""
        return self.baseline.n_rows

    def tables(self) -> Sequence[Block]:
        """Return the classifiers side by side."""
        costly = self.baseline.costs is not None
        metrics = ("log_loss", "brier", "auc", "cost" if costly else "f1")
        rows = [
            [shortened(each.name, 24), *_measures(each.evaluation, metrics)]
            for each in self.candidates
        ]
        rows.append([BASELINE, *_measures(self.baseline, metrics)])
        columns = ("model", "error", "±", "log loss", "Brier", "AUC", "cost" if costly else "F1")
        problems = [
            f"{each.name}: {each.problem.partition('. ')[0]}"
            for each in self.candidates
            if each.problem is not None
        ]
        notes = ["±: standard error of the error rate; log loss in nats per row", *problems]
        return [self.how, TextTable(columns, rows, notes=notes), *self.notes]


def _measures(evaluation: Evaluation | None, metrics: Sequence[str]) -> list[str]:
    """Return the error rate, its standard error and metrics; dashes without an evaluation."""
    if evaluation is None:
        return ["–"] * (2 + len(metrics))
    errors = percent(evaluation.error), percent(evaluation.standard_errors["error"])
    return [*errors, *(fixed(getattr(evaluation, metric), 3) for metric in metrics)]


def compare(
    X: TableLike,
    y: LabelsLike,
    *,
    models: Mapping[str, object] | None = None,
    neighbors: Iterable[int] = (1, 3, 5, 9, 15),
    columns: Columns | None = None,
    cv: CrossValidation = 10,
    groups: object = None,
    costs: Costs | None = None,
    random_state: int | None = 0,
    max_rows: int | None = 20_000,
) -> Comparison:
    """Evaluate classifiers on the same held-out rows.

    Parameters
    ----------
    X : array, data frame or path
        Rows, as in `GaussianClassifier.fit`: values may be missing, features may be categories.
    y : array or str
        Labels (n,), or the name of the column of X that holds them. Unlabelled rows are in every
        training part and are never predicted.
    models : {name: estimator}, optional
        Classifiers with `fit` and `predict_proba`, which replace the default list:
        `AutoClassifier`, QDA, LDA, Gaussian naive Bayes, logistic regression, histogram gradient
        boosting and, if `interpret` is installed, an explainable boosting machine. An estimator of
        scikit-learn that cannot be fitted to the table itself gets standardised numbers and one-hot
        categories.
    neighbors : iterable of int
        Numbers of nearest neighbours, one classifier for each.
    columns : Columns, optional
        The request about the columns, as in `AutoClassifier`; not for `models`.
    cv : int, float, "loo" or splitter
        Number of stratified folds, proportion of test rows, leave-one-out, or a splitter of
        scikit-learn.
    groups : array or str, optional
        Groups of rows that are held out together, or the column of X that holds them, which is then
        not a feature.
    costs : matrix or mapping, optional
        Costs of decisions, as in `GaussianClassifier.decide`.
    random_state : int, optional
        Seed of the folds.
    max_rows : int, optional
        Larger tables are sampled, stratified by class.

    Returns
    -------
    Comparison
        The classifiers with their evaluations; it prints as a table.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier, compare
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> models = {"LDA": GaussianClassifier(shared=True), "QDA": GaussianClassifier()}
    >>> compared = compare(iris.rows, iris.labels, models=models, neighbors=[5], cv=5)
    >>> [(each.name, each.evaluation.n_errors) for each in compared.candidates]
    [('LDA', 3), ('QDA', 5), ('5 nearest neighbours', 7)]
    """
    options = model_options({"columns": columns}, automatic=True)
    X = table_of(X, None, y, columns) if is_source(X) else X
    splits = split(X, y, cv, groups, random_state, options.marks_of(), max_rows)
    matrix = None if costs is None else check_costs(costs, splits.classes)
    features = _Features(splits, options)
    methods = _methods(splits, models, _neighbors(neighbors), features, columns)
    tasks = [(method, fold) for fold in range(len(splits.pairs)) for method in methods]
    # OpenMP threads that wait for one another take seconds to fit trees to a hundred rows.
    with threadpool_limits(1 if len(splits.truth) < _FEW_ROWS else None):
        for method, fold in track(tasks, "comparing models", len(tasks)):
            method.evaluate(splits, fold)
    candidates = tuple(method.result(splits, matrix) for method in methods)
    frequencies = np.broadcast_to(splits.frequencies, (len(splits.truth), splits.classes.size))
    with np.errstate(divide="ignore"):
        baseline = splits.evaluation(np.log(frequencies), matrix)
    notes = (*splits.notes, *_tree_notes(splits, methods))
    return Comparison(candidates, splits.classes, splits.how, baseline, notes)


class _Method:
    """A classifier, and its predictions for the folds so far."""

    def __init__(
        self, name: str, estimator: Any, table: Any = None, neighbors: int | None = None
    ) -> None:
        self.name, self.estimator, self.neighbors = name, estimator, neighbors
        self.table = table  # the features in numbers; None if the estimator gets the table itself
        self.log_posterior: list[FloatArray] = []
        self.problem: str | None = None

    def evaluate(self, splits: Splits, fold: int) -> None:
        """Fit and predict, unless an earlier fold has failed."""
        if self.problem is not None:
            return
        try:
            fitted = splits.fit(self.estimator, fold, self.table)
            self.log_posterior.append(splits.predict(fitted, fold, self.table))
        except Exception as error:  # noqa: BLE001 (an estimator may raise anything)
            self.problem = f"{type(error).__name__}: {error}"
            if isinstance(error, GaussBayesError):
                self.problem = error.problem

    def result(self, splits: Splits, costs: FloatArray | None) -> ComparedModel:
        """Return the evaluation of all folds."""
        if self.problem is not None:
            return ComparedModel(self.name, neighbors=self.neighbors, problem=self.problem)
        evaluation = splits.evaluation(np.concatenate(self.log_posterior), costs)
        return ComparedModel(self.name, evaluation, self.neighbors)


def _methods(
    splits: Splits,
    models: Any,
    neighbors: list[int],
    features: _Features,
    columns: Columns | None,
) -> list[_Method]:
    """Return the given classifiers, or the default ones, and nearest neighbours."""
    if not isinstance(models, Mapping | None):
        msg = f"models must be estimators by name, as in {{'forest': …}}, got {models!r:.200}"
        raise OptionError(msg)
    for name, estimator in (models or {}).items():
        if not hasattr(estimator, "fit") or not hasattr(estimator, "predict_proba"):
            msg = f"model {name!r} must have fit and predict_proba, got {estimator!r:.200}"
            raise OptionError(msg)
    given = _ours(columns) if models is None else models
    methods = [_Method(str(name), model) for name, model in given.items()]
    if models is None:
        methods += [
            _Method(name, model, features.table) for name, model in features.peers().items()
        ]
    for method in methods:
        if models is not None and not is_ours(method.estimator):
            _try_table(method, splits, features)
    from sklearn.neighbors import KNeighborsClassifier

    for count in neighbors:
        name = f"{count} nearest neighbour{'s' if count > 1 else ''}"
        model = features.scaled(KNeighborsClassifier(count))
        methods.append(_Method(name, model, features.table, count))
    return methods


def _ours(columns: Columns | None) -> dict[str, Any]:
    estimators = import_module("gaussbayes.estimators")  # which lie above this module
    gaussian = estimators.GaussianClassifier
    return {
        AUTOMATIC: estimators.AutoClassifier(columns=columns),
        "QDA": gaussian(smoothing=1.0, columns=columns),
        "LDA": gaussian(shared=True, smoothing=1.0, columns=columns),
        "naive Bayes": gaussian("diagonal", smoothing=1.0, columns=columns),
    }


def _try_table(method: _Method, splits: Splits, features: _Features) -> None:
    """Give a classifier the features as numbers if it cannot be fitted to the table itself."""
    try:
        splits.predict(splits.fit(method.estimator, 0), 0)
    except Exception:  # noqa: BLE001 (an estimator may raise anything)
        method.estimator, method.table = features.scaled(method.estimator), features.table


class _Features:
    """The features of a table as numbers, for estimators that need them."""

    def __init__(self, splits: Splits, options: Options) -> None:
        with without_warnings():
            labels = splits.targets, splits.classes
            schema = options.schema(splits.X, labels, name_of(splits.y))
            rows = Encoder(schema).encode(splits.X)
        codes = np.where(rows.codes < 0, np.nan, rows.codes)
        self.table = np.concatenate([rows.matrix.astype(np.float64), codes], axis=1)
        self.n_numbers, self.sizes = rows.matrix.shape[1], [len(each) for each in rows.categories]
        self.coded = list(range(self.n_numbers, self.table.shape[1]))  # codes of categories

    def scaled(self, model: Any) -> Any:
        """Return a model of standardised numbers and one-hot categories, missing values imputed."""
        from sklearn.compose import make_column_transformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        kept = {"keep_empty_features": True}
        numbers = make_pipeline(SimpleImputer(**kept), StandardScaler())
        codes = make_pipeline(
            SimpleImputer(strategy="most_frequent", **kept), OneHotEncoder(handle_unknown="ignore")
        )
        columns = make_column_transformer(
            (numbers, list(range(self.n_numbers))), (codes, self.coded), sparse_threshold=0
        )
        return make_pipeline(columns, model)

    def peers(self) -> dict[str, Any]:
        """Return logistic regression and tree models."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression

        few = zip(self.coded, self.sizes, strict=True)
        categorical = [column for column, size in few if size <= _MOST_CATEGORIES]
        peers: dict[str, Any] = {
            "logistic regression": self.scaled(LogisticRegression(max_iter=1000)),
            BOOSTING: HistGradientBoostingClassifier(
                categorical_features=categorical, random_state=0
            ),
        }
        if find_spec("interpret") is not None:
            glassbox = import_module("interpret.glassbox")
            kinds = ["continuous"] * self.n_numbers + ["nominal"] * len(self.sizes)
            peers[EBM] = glassbox.ExplainableBoostingClassifier(feature_types=kinds, random_state=0)
        return peers


def _neighbors(neighbors: Any) -> list[int]:
    counts = neighbors if isinstance(neighbors, Iterable) else [neighbors]
    return list(dict.fromkeys(integer("neighbors", count, 1) for count in counts))


def _tree_notes(splits: Splits, methods: Sequence[_Method]) -> list[str]:
    """Return a sentence if a tree model predicts clearly better than `AutoClassifier`."""
    if splits.targets.is_soft:
        return []
    truth = splits.truth
    losses = {
        method.name: -np.concatenate(method.log_posterior)[np.arange(truth.size), truth]
        for method in methods
        if method.name in {AUTOMATIC, *_TREES} and method.problem is None
    }
    ours = losses.pop(AUTOMATIC, None)
    if ours is None or not losses:
        return []
    name, theirs = min(losses.items(), key=lambda entry: float(entry[1].mean()))
    with np.errstate(invalid="ignore"):
        gain = ours - theirs
        mean, error = float(gain.mean()), float(gain.std() / np.sqrt(gain.size))
    if not (mean > 2.0 * error and mean > _CLEARLY * float(ours.mean())):
        return []
    pair = f"log loss {fixed(float(theirs.mean()), 3)} against {fixed(float(ours.mean()), 3)}"
    difference = f"difference {fixed(mean, 3)} ± {fixed(error, 3)}"
    better = f"A tree model ({name}) predicts these rows clearly better than {AUTOMATIC}"
    return [f"{better}: {pair}, {difference}."]
