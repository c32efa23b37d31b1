"""Files to keep: the rows, the model, and how to do the same in Python or on the command line."""

import csv
import io
import math
from dataclasses import replace

import numpy as np

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import (
    ByHand,
    FromData,
    MessageError,
    ModelChoice,
    TakeAwayRequest,
)
from gaussbayes.apps.lab.work.answer import Answer, answered
from gaussbayes.apps.lab.work.fits import Problem, fitted, rows_learnt
from gaussbayes.apps.lab.work.numbers import all_features, left_out
from gaussbayes.apps.lab.work.recipes import command_text, hand_labels, python_text, target_name
from gaussbayes.apps.lab.work.sight import shown, sight
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.model import file as storage
from gaussbayes.model.direct import direct_parameters
from gaussbayes.model.model import Model, given_model, learnt_model

_TYPES = {
    "csv": ("lab.csv", "text/csv"),
    "model": ("lab.json", "application/json"),
    "python": ("lab.py", "text/x-python"),
    "command": ("lab.sh", "text/x-shellscript"),
}


def answer_take_away(request: TakeAwayRequest, store: Store) -> Answer:
    """The text of the file that is wanted."""
    dataset = store.dataset(request.data)
    dataset.refuse_strange(*request.pair)
    choice, pair = request.model, request.pair
    if request.what == "csv":
        text = csv_text(dataset)
    elif request.what == "model":
        text = storage.dumps(model_of(dataset, choice, pair, store)).decode("utf-8")
    elif request.what == "python":
        text = python_text(dataset, choice, pair)
    else:
        found = sight(dataset, choice, all_features(dataset, choice, pair), store)
        judged = not isinstance(found, Problem) and left_out(dataset, choice, found, store)
        text = command_text(dataset, choice, pair, leave_one_out=bool(judged))
    file, kind = _TYPES[request.what]
    return answered(request, {"text": text, "file": file, "type": kind})


def csv_text(dataset: Dataset) -> str:
    """All rows with their classes in the last column; what is missing is empty.

    Numbers are written so that they are read as the same ones again.
    """
    table = dataset.table
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.features, target_name(dataset)])
    labels = table.labels.tolist()
    for row, code in zip(table.X.tolist(), table.codes.tolist(), strict=True):
        writer.writerow(["" if math.isnan(value) else value for value in row] + [labels[code]])
    return out.getvalue()


def model_of(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], store: Store) -> Model:
    """The model as a file holds it: with the labels as they came, sorted."""
    table = dataset.table
    if isinstance(choice, ByHand):
        seen = shown(dataset, pair)
        axes, features = list(seen.axes), [table.features[column] for column in seen.columns]
        priors, means = choice.priors.tolist(), choice.means[:, axes]
        covariances = choice.covariances[:, axes][:, :, axes]
        labels = hand_labels(dataset, choice)
        made = direct_parameters(priors, means, covariances, labels, ("full", False), features)
        return given_model(*made)
    if not isinstance(choice, FromData):
        msg = "nearest neighbours have no model file: take the rows instead"
        raise MessageError(msg)
    fit = fitted(dataset, choice, store)
    if isinstance(fit, Problem):
        msg = f"there is no model to take away: {fit.text}"
        raise MessageError(msg)
    order = np.argsort(table.labels, kind="stable")
    if (order == np.arange(order.size)).all():
        return replace(fit.model, target=target_name(dataset))
    return _in_order(dataset, choice, order)


def _in_order(dataset: Dataset, choice: FromData, order: "np.typing.NDArray[np.intp]") -> Model:
    """The same fit with its classes sorted, which painted ones need not be."""
    table, rows = dataset.table, rows_learnt(dataset, choice.first)
    codes = np.argsort(order).astype(np.int32)[table.codes[rows]]
    settings = choice.settings
    present = np.bincount(codes, minlength=order.size) > 0
    if isinstance(settings.priors, tuple):
        some = np.array(settings.priors)[order][present]
        settings = replace(settings, priors=some / some.sum())
    learnt = learn(table.X[rows], codes, None, table.labels[order], "full", 1)
    try:
        model, _ = learnt_model(settings, learnt, table.features, target_name(dataset)).solved(1)
    except GaussBayesError as error:
        msg = f"there is no model to take away: {error}"
        raise MessageError(msg) from None
    return model
