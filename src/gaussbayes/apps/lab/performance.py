"""Answers about how well a model does: which rows it gets wrong, evaluations, parameters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.apps.lab import model_views
from gaussbayes.apps.lab.messages import (
    FitSettings,
    GaussiansByHand,
    ModelChoice,
    NumbersRequest,
)
from gaussbayes.apps.lab.model_views import (
    ModelView,
    NeighbourView,
    Problem,
    View,
    all_classes,
    all_features,
    least_error,
    view_of,
)
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset, ShownFeatures
from gaussbayes.apps.lab.wire_format import Answer
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray
from gaussbayes.data.rows import UNLABELLED


@dataclass(frozen=True, slots=True, eq=False)
class RowErrors:
    """What a model does with the rows of a dataset, by the features shown."""

    wrong: NDArray[np.bool_]  # (n,)
    train: float | None  # proportion of the rows learnt from, None without any
    test: float | None  # of those held out


def row_errors(
    dataset: Dataset, choice: ModelChoice, shown: ShownFeatures, view: View, store: Store
) -> RowErrors:
    """The rows that the model gets wrong."""
    if isinstance(choice, GaussiansByHand):
        return _row_errors(dataset, choice, shown, view)
    key = "row errors", dataset.key, choice, shown
    return store.recall(key, lambda: _row_errors(dataset, choice, shown, view))


def _row_errors(
    dataset: Dataset, choice: ModelChoice, shown: ShownFeatures, view: View
) -> RowErrors:
    table = dataset.table
    wrong = np.zeros(table.codes.size, dtype=np.bool_)
    evaluated = np.zeros_like(wrong)
    numbers = _evaluated(dataset, shown, view, np.arange(wrong.size))
    if numbers.size:
        evaluated[numbers] = True
        wrong[numbers] = view.labels(table.part(shown)[numbers]) != table.codes[numbers]
    parts = (numbers[evaluated[numbers]] for numbers in _parts(dataset, choice))
    train, test = (float(wrong[part].mean()) if part.size else None for part in parts)
    return RowErrors(wrong, train, test)


def _evaluated(
    dataset: Dataset, shown: ShownFeatures, view: View, numbers: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Those of some rows that a model can be right or wrong about: they have a label.

    Neighbours cannot be found of what is missing.
    """
    table = dataset.table
    usable = table.codes[numbers] != UNLABELLED
    if isinstance(view, NeighbourView):
        usable &= ~np.isnan(table.X[numbers][:, shown.numbers]).any(axis=1)
    some: NDArray[np.intp] = numbers[usable]
    return some


def _parts(dataset: Dataset, choice: ModelChoice) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the rows learnt from, and of those held out."""
    first = choice.first if isinstance(choice, FitSettings) else None
    return dataset.training(first), np.flatnonzero(dataset.test)


def errors_record(
    dataset: Dataset, shown: ShownFeatures, errors: RowErrors | None, store: Store
) -> dict[str, Any]:
    """The errors of a figure, as the page is told them; without a model those of the truth."""
    least = least_error(dataset, shown, store)
    return {
        "train": errors and errors.train,
        "test": errors and errors.test,
        "bayes": least and {"error": least.error, "standard_error": least.standard_error},
    }


def answer_numbers(request: NumbersRequest, store: Store) -> Answer:
    """Everything that can be said of a model of all features in numbers.

    The head has classes, features, parameters (of the numbers), categories (probabilities), count
    (of free parameters), iterations (of EM), train, test, leave_one_out (an evaluation each, or
    null) and problem.
    """
    dataset = store.dataset(request.data)
    shown = all_features(dataset, request.model, request.pair)
    view = view_of(dataset, request.model, shown, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "features": [dataset.table.features[column] for column in shown.numbers],
        "parameters": None,
        "categories": [],
        "count": None,
        "iterations": None,
        "train": None,
        "test": None,
        "leave_one_out": None,
        "problem": None,
    }
    if isinstance(view, Problem):
        return Answer(head | {"problem": view.text})
    head["classes"] = view.names
    if isinstance(view, ModelView):
        record = view.record()
        head["count"] = record.pop("count")
        head["parameters"] = record | {"correlations": view.correlations()}
        head["categories"] = view.category_probabilities()
        head["iterations"] = view.n_iterations
    train, test = _parts(dataset, request.model)
    try:
        head["train"] = _evaluation(view, dataset, shown, train)
        head["test"] = _evaluation(view, dataset, shown, test)
    except DataError as error:  # its categories rule a row out of every class
        return Answer(head | {"problem": str(error)})
    head["leave_one_out"] = left_out_record(dataset, request.model, view, store)
    return Answer(head)


def left_out_record(
    dataset: Dataset, choice: ModelChoice, view: View, store: Store
) -> dict[str, Any] | None:
    """The evaluation of every training row by the model of all others; None without such models.

    Where they are left out in folds, ``folds`` says in how many.
    """

    def make() -> dict[str, Any] | None:
        left_out = model_views.left_out(dataset, choice, view, store)
        if left_out is None:
            return None
        record = _record(view, left_out.log_posterior, dataset.table.codes[left_out.numbers])
        single = left_out.n_folds == left_out.numbers.size
        return record | {"folds": None if single else left_out.n_folds}

    if isinstance(choice, GaussiansByHand):
        return None
    return store.recall(("left out", dataset.key, choice), make)


def _evaluation(
    view: View, dataset: Dataset, shown: ShownFeatures, numbers: NDArray[np.intp]
) -> dict[str, Any] | None:
    """The evaluation of a model on some rows; None without any that have a label."""
    numbers = _evaluated(dataset, shown, view, numbers)
    if not numbers.size:
        return None
    log_posterior = view.log_posterior(dataset.table.part(shown)[numbers])
    codes = dataset.table.codes[numbers]
    return _record(view, all_classes(view, log_posterior, -np.inf), codes)


def _record(view: View, log_posterior: RealArray, codes: NDArray[Any]) -> dict[str, Any]:
    """The evaluation of log posteriors (n, k), as the page is told it."""
    more = int(codes.max()) + 1 - log_posterior.shape[1]
    if more > 0:  # set by hand, with fewer classes than there are: the others are never predicted
        never = np.full((codes.size, more), -np.inf)
        log_posterior = np.concatenate([log_posterior, never], axis=1)
    names = np.array(view.names)[: log_posterior.shape[1]]
    evaluation = evaluate(log_posterior, codes, names)
    groups = evaluation.calibration
    columns = () if groups is None else (groups.stated, groups.observed, groups.count)
    return {
        "n": evaluation.n_rows,
        "error": evaluation.error,
        "log_loss": evaluation.log_loss if np.isfinite(evaluation.log_loss) else None,
        "brier": evaluation.brier,
        "confusion": evaluation.confusion.tolist(),
        "calibration": [
            {"mean": stated, "share": observed, "n": count}
            for stated, observed, count in zip(*(each.tolist() for each in columns), strict=True)
        ],
    }
