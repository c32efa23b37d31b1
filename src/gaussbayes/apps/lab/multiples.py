"""Answers with small multiples: the six structures and nearest neighbours side by side."""

from typing import Any

import numpy as np
from msgspec.structs import replace

from gaussbayes.apps.lab.messages import FitSettings, ModelChoice, MultiplesRequest, Neighbours
from gaussbayes.apps.lab.model_views import (
    Problem,
    all_features,
    shown_features,
    structures,
    view_of,
)
from gaussbayes.apps.lab.performance import left_out_record, row_errors
from gaussbayes.apps.lab.plane_layers import grid_rows
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset
from gaussbayes.apps.lab.wire_format import NO_CODE, Answer
from gaussbayes.base.errors import DataError


def answer_multiples(request: MultiplesRequest, store: Store) -> Answer:
    """The regions of each model, and its errors by all features.

    The head has models and bounds; the array label holds an image for each model, 255 where there
    is none.
    """
    dataset = store.dataset(request.data)
    shown = shown_features(dataset, request.pair, request.hide)
    places = grid_rows(dataset, request.pair, shown, request.window, store)
    records, regions = [], []
    for name, choice in _choices(request, dataset).items():
        records.append(_described(name, choice) | _errors(dataset, choice, request.pair, store))
        view = view_of(dataset, choice, shown, store)
        if isinstance(view, Problem):
            regions.append(np.full(places.rows.n_rows, NO_CODE, dtype=np.uint8))
        else:
            regions.append(view.labels(places.rows).astype(np.uint8))
    arrays = {"label": places.image(np.stack(regions))}
    return Answer({"models": records, "bounds": places.bounds}, arrays)


def _choices(request: MultiplesRequest, dataset: Dataset) -> dict[str, ModelChoice]:
    """The models by name; priors, divisor and the like are those of the request's model."""
    settings = request.model if isinstance(request.model, FitSettings) else FitSettings()
    if not dataset.table.features:
        return {"discrete naive Bayes": settings}  # structures are those of numbers
    choices: dict[str, ModelChoice] = {
        name: replace(settings, covariance=covariance, shared=shared)
        for name, (covariance, shared) in structures().items()
    }
    k = request.neighbours
    return choices | {f"{k} nearest neighbour{'s' if k > 1 else ''}": Neighbours(k)}


def _described(name: str, choice: ModelChoice) -> dict[str, Any]:
    if isinstance(choice, Neighbours):
        return {"name": name, "structure": None, "neighbours": choice.k}
    assert isinstance(choice, FitSettings)
    structure = {"covariance": choice.covariance, "shared": choice.shared}
    return {"name": name, "structure": structure, "neighbours": None}


def _errors(
    dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], store: Store
) -> dict[str, Any]:
    none = {"train": None, "test": None, "leave_one_out": None, "problem": None}
    shown = all_features(dataset, choice, pair)
    view = view_of(dataset, choice, shown, store)
    if isinstance(view, Problem):
        return none | {"problem": view.text}
    try:
        errors = row_errors(dataset, choice, shown, view, store)
    except DataError as error:  # its categories rule a row out of every class
        return none | {"problem": str(error)}
    left_out = left_out_record(dataset, choice, view, store)
    return none | {
        "train": errors.train,
        "test": errors.test,
        "leave_one_out": left_out and left_out["error"],
    }
