"""The six structures and nearest neighbours side by side."""

from dataclasses import replace
from typing import Any

import numpy as np

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import FromData, ModelChoice, MultiplesRequest, Neighbours
from gaussbayes.apps.lab.work.answer import Answer, answered
from gaussbayes.apps.lab.work.errors import mistakes
from gaussbayes.apps.lab.work.fits import Problem
from gaussbayes.apps.lab.work.numbers import all_features, left_out
from gaussbayes.apps.lab.work.sight import predicted, shown, sight
from gaussbayes.apps.lab.work.window import as_record, places
from gaussbayes.families.gaussian.structures import STRUCTURES

NO_LABEL = 255
"""Where a model could not be fitted."""


def answer_multiples(request: MultiplesRequest, store: Store) -> Answer:
    """The regions of each, and its errors by all features."""
    dataset = store.dataset(request.data)
    seen = shown(dataset, request.pair, request.hide)
    points = places(dataset, request.pair, seen, request.view, store)
    models, regions = [], []
    for name, choice in choices(request).items():
        found = sight(dataset, choice, seen, store)
        record = _described(name, choice) | _errors(dataset, choice, request.pair, store)
        if isinstance(found, Problem):
            codes = np.full(points.rows.shape[0], NO_LABEL, dtype=np.uint8)
            record["problem"] = found.text
        else:
            codes = predicted(found, points.rows).astype(np.uint8)
        models.append(record)
        regions.append(codes)
    arrays = {"label": points.image(np.stack(regions))}
    return answered(request, {"models": models, "bounds": as_record(points.grid)}, arrays)


def choices(request: MultiplesRequest) -> dict[str, ModelChoice]:
    """The models by name; priors, divisor and shrinkage are those of the request's model."""
    own = request.model if isinstance(request.model, FromData) else FromData()
    made: dict[str, ModelChoice] = {
        name: replace(own, covariance=structure.covariance, shared=structure.shared)
        for name, structure in STRUCTURES.items()
    }
    k = request.neighbours
    return made | {f"{k} nearest neighbour{'s' if k > 1 else ''}": Neighbours(k)}


def _described(name: str, choice: ModelChoice) -> dict[str, Any]:
    if isinstance(choice, FromData):
        shape = {"covariance": choice.covariance, "shared": choice.shared}
        return {"name": name, "structure": shape, "neighbours": None}
    assert isinstance(choice, Neighbours)
    return {"name": name, "structure": None, "neighbours": choice.k}


def _errors(
    dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], store: Store
) -> dict[str, Any]:
    none = {"train": None, "test": None, "leave_one_out": None, "problem": None}
    seen = all_features(dataset, choice, pair)
    found = sight(dataset, choice, seen, store)
    if isinstance(found, Problem):
        return none | {"problem": found.text}
    counted = mistakes(dataset, choice, seen, found, store)
    out = left_out(dataset, choice, found, store)
    errors = {"train": counted.train, "test": counted.test}
    return none | errors | {"leave_one_out": out and out["error"]}
