"""Answers about how well a model does: which rows it gets wrong, evaluations, parameters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.apps.lab.messages import NumbersRequest
from gaussbayes.apps.lab.model_views import (
    AskedModel,
    ClassifierView,
    ModelView,
    least_error,
    recalled,
    true_view,
)
from gaussbayes.apps.lab.store import LabDataset
from gaussbayes.apps.lab.training_data import ShownFeatures
from gaussbayes.apps.lab.wire_format import Answer, problem_noted
from gaussbayes.base.types import RealArray


@dataclass(frozen=True, slots=True, eq=False)
class RowErrors:
    """What a model does with the rows of a dataset, by the features shown."""

    wrong: NDArray[np.bool_]  # (n,)
    train: float | None  # proportion of the rows learnt from, None without any
    test: float | None  # of those held out


@recalled
def row_errors(asked: AskedModel, shown: ShownFeatures) -> RowErrors:
    table = asked.dataset.table
    wrong = np.zeros(table.codes.size, dtype=np.bool_)
    numbers = asked.usable(np.arange(wrong.size), shown)
    if numbers.size:
        labels = asked.view(shown).labels(table.part(shown)[numbers])
        wrong[numbers] = labels != table.codes[numbers]
    parts = [asked.usable(each, shown) for each in _parts(asked)]
    train, test = (float(wrong[part].mean()) if part.size else None for part in parts)
    return RowErrors(wrong, train, test)


def _parts(asked: AskedModel) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the rows learnt from, and of those held out."""
    return asked.training, np.flatnonzero(asked.dataset.test)


def errors_record(
    dataset: LabDataset, shown: ShownFeatures, errors: RowErrors | None = None
) -> dict[str, Any]:
    """The errors of a figure, as the page is told them; without a model those of the truth."""
    truth = true_view(dataset, shown)
    least = truth and least_error(truth)
    return {
        "train": errors and errors.train,
        "test": errors and errors.test,
        "bayes": least and {"error": least.error, "standard_error": least.standard_error},
    }


def answer_numbers(_: NumbersRequest, asked: AskedModel) -> Answer:
    """Everything that can be said of a model of all features in numbers.

    The head has classes, features, parameters (of the numbers), categories (probabilities), count
    (of free parameters), iterations (of EM), train, test, leave_one_out (an evaluation each, or
    null) and problem.
    """
    dataset, shown = asked.dataset, asked.all_features
    names = ("parameters", "count", "iterations", "train", "test", "leave_one_out")
    head: dict[str, Any] = dict.fromkeys(names) | {
        "classes": dataset.classes,
        "features": [dataset.table.features[column] for column in shown.numbers],
        "categories": [],
    }
    with problem_noted(head):
        view = asked.view(shown)
        head["classes"] = view.names
        if isinstance(view, ModelView):
            head |= view.full_record()
        for name, part in zip(("train", "test"), _parts(asked), strict=True):
            numbers = asked.usable(part, shown)
            if numbers.size:
                log_posterior = view.log_posterior(dataset.table.part(shown)[numbers])
                head[name] = _record(view, log_posterior, dataset.table.codes[numbers])
        head["leave_one_out"] = left_out_record(asked)
    return Answer(head)


@recalled
def left_out_record(asked: AskedModel) -> dict[str, Any] | None:
    """The evaluation of every training row by the model of all others; None without such models.

    Where they are left out in folds, ``folds`` says in how many.
    """
    left_out = asked.left_out()
    if left_out is None:
        return None
    log_posterior, numbers, n_folds = left_out
    codes = asked.dataset.table.codes[numbers]
    record = _record(asked.view(asked.all_features), log_posterior, codes)
    return record | {"folds": None if n_folds == codes.size else n_folds}


def _record(view: ClassifierView, log_posterior: RealArray, codes: NDArray[Any]) -> dict[str, Any]:
    """The evaluation of log posteriors (n, k), as the page is told it."""
    evaluation = evaluate(log_posterior, codes, np.array(view.names))
    groups = evaluation.calibration
    columns = () if groups is None else (groups.stated, groups.observed, groups.count)
    return {
        "n": evaluation.n_rows,
        "error": evaluation.error,
        "log_loss": evaluation.log_loss if np.isfinite(evaluation.log_loss) else None,
        "brier": evaluation.brier,
        "confusion": evaluation.confusion.tolist(),
        "calibration": [
            {"mean": stated, "proportion": observed, "n": count}
            for stated, observed, count in zip(*(each.tolist() for each in columns), strict=True)
        ],
    }
