"""The six structures and their peers on the same held-out rows: who errs how often?

With the Gaussian models, if that is wanted, the automatic choice among them; beside them nearest
neighbours and logistic regression, where these can take the rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isinf, nan, sqrt
from numbers import Integral
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.held_out import (
    Method,
    Predictor,
    Splits,
    method_of,
    model_options,
    split,
)
from gaussbayes.base.errors import GaussBayesError, ParameterError
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.families.gaussian.structure import STRUCTURES, Structure, structure_of
from gaussbayes.model.evaluation import Evaluation
from gaussbayes.model.fit import fit_model
from gaussbayes.model.options import Options
from gaussbayes.model.select import Selection, structure_name

if TYPE_CHECKING:
    from rich.table import Table

AUTOMATIC = "automatic choice"
LOGISTIC = "logistic regression"


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
        if self.evaluation is None:
            return nan
        error = self.evaluation.error
        return sqrt(error * (1.0 - error) / self.evaluation.n_rows)

    def record(self) -> dict[str, Any]:
        """Plain values under plain names.

        What was not measured is None, and so is an infinite log loss: JSON has no infinity. The
        two are told apart by `problem`, which is None where everything was measured.
        """
        seen, structure = self.evaluation, self.structure
        return {
            "model": self.name,
            "covariance": structure.covariance if structure else None,
            "shared": structure.shared_setting if structure else None,
            "neighbors": self.neighbors,
            "parameters": self.n_parameters,
            "rows": seen.n_rows if seen else None,
            "errors": seen.n_errors if seen else None,
            "error": seen.error if seen else None,
            "log_loss": seen.log_loss if seen and isfinite(seen.log_loss) else None,
            "brier": seen.brier if seen else None,
            "confusion": seen.confusion.tolist() if seen else None,
            "fit_seconds": self.fit_seconds if seen else None,
            "predict_seconds": self.predict_seconds if seen else None,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several models evaluated by the same held-out rows."""

    candidates: tuple[ComparedModel, ...]
    classes: LabelArray  # (k,)
    how: str  # one sentence: how rows were held out
    n_rows: int  # predictions that each candidate was evaluated by
    selection: Selection | None = None  # what is chosen automatically from all rows fitted to

    def records(self) -> list[dict[str, Any]]:
        """Plain values of each candidate, as JSON can hold; see `ComparedModel.record`."""
        return [candidate.record() for candidate in self.candidates]

    def table(self) -> "Table":
        """A table of rich, at most 80 columns: the best of each in bold, problems under it."""
        try:
            from rich.box import SIMPLE_HEAD
            from rich.table import Table
            from rich.text import Text
        except ImportError as error:
            msg = "tables need rich, which is not installed: pip install 'gaussbayes[cli]'"
            raise ImportError(msg) from error
        table = Table(
            title=Text(self.how),
            title_justify="left",
            title_style="",
            caption=Text("\n".join(problems(self.candidates))),
            caption_justify="left",
            caption_style="",
            box=SIMPLE_HEAD,
            show_edge=False,
            collapse_padding=True,
            pad_edge=False,
        )
        for i, name in enumerate(_COLUMNS):
            table.add_column(name, justify="right" if i else "left")
        best = _best(self.candidates)
        for row in map(_cells, self.candidates):
            styles = ["bold" if cell == top else "" for cell, top in zip(row, best, strict=True)]
            table.add_row(*map(Text, row, styles))
        return table

    __rich__ = table

    def __str__(self) -> str:
        heads = zip(*(name.rpartition("\n")[::2] for name in _COLUMNS), strict=True)
        rows = [*heads, *map(_cells, self.candidates)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]
        return "\n".join([self.how, *lines, *problems(self.candidates)])


def compare(
    X: Any,
    y: Any,
    *,
    held_out: Any = 10,
    neighbors: Iterable[int] = (1, 3, 5, 9, 15),
    model: Any = None,
    automatic: bool = False,
    logistic: bool = False,
    random_state: int | None = 0,
) -> Comparison:
    """Evaluate the six structures and their peers by rows that they have not seen.

    Parameters
    ----------
    X : (n, d) array, list or frame (pandas, polars, Arrow), as in `GaussianClassifier.fit`: values
        may be missing, and features may be categories
    y : (n,) labels; None, NaN or the mark of `model` for rows without, which are in every training
        part and never predicted; or (n, k) soft labels, which count in part
    held_out : which rows are predicted by models fitted to the others: an integer for that many
        folds of stratified cross-validation, a proportion between 0 and 1 for one stratified split,
        ``(X_test, y_test)`` for these rows, or a splitter of scikit-learn
    neighbors : how many neighbours vote; one candidate for each (scikit-learn's
        `KNeighborsClassifier`)
    model : a `GaussianClassifier` whose parameters the six structures take over but for covariance
        and shared; None for the defaults. If its covariances are shrunk towards the pooled one, it
        is a candidate too.
    automatic : whether ``covariance="auto", shrinkage="auto"`` is a candidate too. It chooses anew
        in each fold, so that it is evaluated by rows that had no part in the choice; what it
        chooses from all rows is `Comparison.selection`, and its structure is that of the candidate.
    logistic : whether logistic regression is a candidate too, on standardised numbers and a 0 or 1
        for each category (scikit-learn's `LogisticRegression`)
    random_state : seed of the folds or of the split

    Notes
    -----
    The predictions for all held-out rows are evaluated together: error, log loss and Brier score
    are means over rows, not over folds. A class that is absent from the rows fitted to has
    posterior 0. A candidate that cannot be fitted in one of the folds, or cannot take the rows, has
    a `problem` instead of an evaluation. Nearest neighbours state proportions of votes, so that
    their log loss is infinite as soon as the true class of a row gets no vote.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[3])
    >>> [(c.name, c.n_parameters, c.evaluation.n_errors) for c in compared.candidates][:2]
    [('QDA', 44, 5), ('LDA', 24, 3)]
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[], automatic=True)
    >>> compared.candidates[-1].name, compared.selection.best.structure.sharing
    ('automatic choice', 0.5)
    """
    options = model_options(model)
    splits = split(X, y, options, held_out, random_state)
    candidates = list(_gaussians(options, model, splits))
    open_options = options.with_families(covariance="auto", shrinkage="auto")
    choice = method_of(open_options)
    if automatic:
        candidates.append((ComparedModel(AUTOMATIC), choice))
    if logistic:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        candidates.append((ComparedModel(LOGISTIC), _peer(regression, _one_hot, splits)))
    candidates += _nearest_neighbors(neighbors, splits)
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
        result: dict[str, Any] = {"evaluation": method.evaluation(splits)}
        if method.problem is None:
            medians = np.median(method.seconds, axis=0).tolist()
            result |= zip(("fit_seconds", "predict_seconds"), medians, strict=True)
        if method is choice and selection is not None and method.problem is None:
            best = selection.best
            result |= {"structure": best.structure, "n_parameters": best.n_parameters}
        measured.append(replace(candidate, problem=method.problem, **result))
    classes, n_rows = splits.schema.classes, len(splits.truth)
    chosen = selection if choice.problem is None else None
    return Comparison(tuple(measured), classes, splits.how, n_rows, chosen)


def _gaussians(
    options: Options, model: Any, splits: Splits
) -> Iterator[tuple[ComparedModel, Method]]:
    """The six structures with the other options of a model, and its own if that is another."""
    fitted = getattr(model, "structure_", None)
    given = options.of_families
    if fitted is None and given["covariance"] != "auto":
        fitted = structure_of(given["covariance"], given["shared"])
    between = {fitted.name: fitted} if fitted is not None and fitted.between else {}
    compared: set[str] = set()
    for structure in (STRUCTURES | between).values():
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
        raise ParameterError(msg)
    labelled = splits.table.targets.labelled
    fewest = min(int(np.count_nonzero(labelled[train])) for train, _ in splits.pairs)
    for count in map(int, dict.fromkeys(counts)):
        method = _peer(KNeighborsClassifier(count), attrgetter("matrix"), splits)
        if splits.table.rows.codes.shape[1]:
            method.problem = "categories have no distances between them"
        elif count > fewest and method.problem is None:
            method.problem = f"there are only {fewest} rows to find neighbours among"
        name = f"{count} nearest neighbour{'s' if count > 1 else ''}"
        yield ComparedModel(name, neighbors=count), method


def _one_hot(rows: Rows) -> FloatArray:
    """Numbers, and a 0 or 1 for each category; a missing one is 0 in all."""
    columns = [rows.matrix.astype(np.float64)]
    for codes, categories in zip(rows.codes.T, rows.categories, strict=True):
        columns.append((codes[:, None] == np.arange(len(categories))).astype(np.float64))
    return np.concatenate(columns, axis=1)


def _peer(unfitted: Any, features: Callable[[Rows], RealArray], splits: Splits) -> Method:
    """An estimator of scikit-learn, which is fitted to the rows that have a label."""
    from sklearn.base import clone

    def fit(table: LabelledRows, schema: Schema) -> Predictor:
        labelled = table.targets.labelled
        estimator = clone(unfitted)
        estimator.fit(features(table.rows[labelled]), table.targets.codes[labelled])

        def predict(rows: Rows) -> RealArray:
            with np.errstate(divide="ignore"):  # a class without a vote is called impossible
                log_posterior: RealArray = np.log(estimator.predict_proba(features(rows)))
            return log_posterior

        return predict, schema.classes[estimator.classes_], None

    tables = [splits.table] if splits.tested is splits.table else [splits.table, splits.tested]
    lacking = np.concatenate([np.isnan(table.rows.matrix).any(axis=1) for table in tables])
    problem = None
    if lacking.any():
        missing = np.count_nonzero(lacking)
        problem = f"it needs every value, and {missing} of {lacking.size} rows lack some"
    elif any(table.targets.is_soft for table in tables):
        problem = "it needs one class for each row, and labels are soft"
    return Method(fit, problem)


# Candidates side by side, for the terminal and as plain text.

_COLUMNS = (
    "model",
    "para-\nmeters",
    "error",
    "log\nloss",
    "Brier\nscore",
    "fit\nms",
    "predict\nms",
)


def problems(candidates: Sequence[ComparedModel]) -> list[str]:
    """Which candidates could not be evaluated, and why, in a sentence each."""
    return [
        f"{candidate.name}: {candidate.problem.partition('. ')[0]}"
        for candidate in candidates
        if candidate.problem is not None
    ]


def _measures(candidate: ComparedModel) -> list[tuple[float, str]]:
    """What is measured, less being better, and how it is written; nothing if nothing could be."""
    seen = candidate.evaluation
    if seen is None:
        return []
    return [
        (seen.n_errors, f"{100 * seen.error:.1f} % ({seen.n_errors:.10g})"),
        (seen.log_loss, "∞" if isinf(seen.log_loss) else f"{seen.log_loss:.3f}"),
        (seen.brier, f"{seen.brier:.3f}"),
        *(
            (seconds, _milliseconds(1000 * seconds))
            for seconds in (candidate.fit_seconds, candidate.predict_seconds)
        ),
    ]


def _cells(candidate: ComparedModel) -> list[str]:
    count = "–" if candidate.n_parameters is None else str(candidate.n_parameters)
    measured = [text for _, text in _measures(candidate)]
    return [candidate.name, count, *(measured or ["–"] * (len(_COLUMNS) - 2))]


def _best(candidates: Sequence[ComparedModel]) -> list[str | None]:
    """The best cell of each column that is measured; others that read the same are as good."""
    columns = zip(*filter(None, map(_measures, candidates)), strict=True)
    best = [min(column, key=lambda measure: measure[0])[1] for column in columns]
    return [None, None, *(best or [None] * (len(_COLUMNS) - 2))]


def _milliseconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"
