"""Parameters and errors of a model of all features."""

from typing import Any

import numpy as np

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import ByHand, FromData, ModelChoice, NumbersRequest
from gaussbayes.apps.lab.work.answer import Answer, answered
from gaussbayes.apps.lab.work.errors import evaluated, evaluation_record, judged, parts
from gaussbayes.apps.lab.work.fits import Fit, Learnt, Problem, codes_among, fitted, learnt_from
from gaussbayes.apps.lab.work.scene import parameters_record
from gaussbayes.apps.lab.work.sight import (
    Gaussians,
    Shown,
    Sight,
    Votes,
    shown,
    sight,
    spread_classes,
)
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.families.gaussian.leave_one_out import leave_one_out
from gaussbayes.families.gaussian.shapes import correlation


def answer_numbers(request: NumbersRequest, store: Store) -> Answer:
    """Everything that can be said of a model in numbers."""
    dataset = store.dataset(request.data)
    seen = all_features(dataset, request.model, request.pair)
    found = sight(dataset, request.model, seen, store)
    features = [dataset.table.features[column] for column in seen.columns]
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "features": features,
        "parameters": None,
        "count": None,
        "train": None,
        "test": None,
        "leave_one_out": None,
        "problem": None,
    }
    if isinstance(found, Problem):
        return answered(request, head | {"problem": found.text})
    head["classes"] = found.names
    if isinstance(found, Gaussians):
        record = parameters_record(found)
        head["count"] = record.pop("count")
        head["parameters"] = record | {
            "correlations": [
                None if one is None else correlation(np.array(one)).tolist()
                for one in record["covariances"]
            ]
        }
    train, test = parts(dataset, request.model)
    head["train"] = judged(found, dataset, seen.columns, train)
    head["test"] = judged(found, dataset, seen.columns, test)
    head["leave_one_out"] = left_out(dataset, request.model, found, store)
    return answered(request, head)


def all_features(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> Shown:
    """All features of a model; one that is set by hand has those of the pair."""
    if isinstance(choice, ByHand):
        return shown(dataset, pair)
    dataset.refuse_strange(*pair)
    every = tuple(range(len(dataset.table.features)))
    return Shown(every, every)


def left_out(
    dataset: Dataset, choice: ModelChoice, found: Sight, store: Store
) -> dict[str, Any] | None:
    """Every training row predicted by the model of all others; None where there is none."""
    if isinstance(choice, ByHand):
        return None
    key = "left out", dataset.key, choice
    return store.recall(key, lambda: _left_out(dataset, choice, found, store))


def _left_out(
    dataset: Dataset, choice: ModelChoice, found: Sight, store: Store
) -> dict[str, Any] | None:
    codes = dataset.table.codes
    if isinstance(found, Votes):
        if found.rows.size <= found.voters.n_neighbors:
            return None
        told = spread_classes(found, found.log_posterior(None), -np.inf)
        return evaluation_record(evaluated(found, told, codes[found.rows]))
    assert isinstance(choice, FromData)
    learnt, fit = learnt_from(dataset, choice.first, store), fitted(dataset, choice, store)
    if not isinstance(learnt, Learnt) or not isinstance(fit, Fit):
        return None
    if fit.model.incomplete is not None or fit.model.moments is None:
        return None  # the closed form is one of complete rows
    model, own = fit.model, codes_among(fit.present, codes[learnt.rows])
    rows = dataset.table.X[learnt.rows]
    moments = model.learnt("leave one out").moments.with_layout(model.settings.structure.layout)
    try:
        some = leave_one_out(rows, own, None, moments, model.schema, model.settings, 1)
    except GaussBayesError:
        return None  # without one of its rows there is no model
    told = spread_classes(found, some, -np.inf)
    return evaluation_record(evaluated(found, told, codes[learnt.rows]))
