"""Answers about one place: Bayes' rule with every number."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.messages import FitSettings, PointRequest
from gaussbayes.apps.lab.model_views import (
    ModelView,
    NeighbourView,
    Problem,
    all_classes,
    shown_features,
    view_of,
)
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset
from gaussbayes.apps.lab.wire_format import Answer, MessageError
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import MISSING
from gaussbayes.data.rows import Rows, number_rows


def answer_point(request: PointRequest, store: Store) -> Answer:
    """What the model says of a place in the plane of the pair, or of a row.

    Categories that are known there count, too, if the model was fitted to them. The head has at,
    categories (the code of each, or null), explanation, prediction, classes, posterior, p_values,
    hidden, neighbours (the numbers of the rows that vote) and problem.
    """
    dataset = store.dataset(request.data)
    pair = shown_features(dataset, request.pair)
    place, codes = np.full(2, np.nan), _categories(dataset, request)
    if isinstance(request.at, int):
        dataset.check_row(request.at)
        place[list(pair.axes)] = dataset.table.X[request.at, list(pair.numbers)]
    else:
        place[:] = request.at
    if request.hide is not None and len(pair.axes) == 2:
        place[request.hide] = np.nan
    head: dict[str, Any] = {
        "at": [None if np.isnan(value) else value for value in place.tolist()],
        "categories": [None if code < 0 else code for code in codes.tolist()],
        "classes": dataset.classes,
        "explanation": None,
        "prediction": None,
        "posterior": None,
        "p_values": None,
        "hidden": request.hide,
        "neighbours": None,
        "problem": None,
    }
    row = place[list(pair.axes)]
    # Without numbers the model is seen through all categories, be they known or not.
    known = tuple(np.flatnonzero((codes >= 0) | (not pair.numbers)).tolist())
    seen = replace(pair, categories=known) if isinstance(request.model, FitSettings) else pair
    view = view_of(dataset, request.model, seen, store)
    if isinstance(view, ModelView):
        categories = tuple(dataset.table.categories[j] for j in seen.categories)
        rows = Rows(row[None], codes[None, list(seen.categories)], categories)
        try:
            return Answer(head | {"classes": view.names} | _explained(view, rows))
        except DataError as error:  # its categories rule it out of every class
            return Answer(head | {"problem": str(error)})
    # Neighbours are looked for among the coordinates that are there.
    there = [axis for axis, value in enumerate(row.tolist()) if not np.isnan(value)]
    if pair.numbers and not there:
        return Answer(head | {"problem": "nothing is known of this point"})
    seen = replace(pair, numbers=tuple(pair.numbers[axis] for axis in there))
    view = view_of(dataset, request.model, seen, store)
    if isinstance(view, NeighbourView):
        return Answer(head | {"classes": view.names} | _voted(view, row[there]))
    assert isinstance(view, Problem)
    return Answer(head | {"problem": view.text})


def _categories(dataset: Dataset, request: PointRequest) -> NDArray[np.int32]:
    """The code of each feature that holds categories (q,), below 0 where it is not known."""
    categories = dataset.table.categories
    if request.known_categories is None:
        if isinstance(request.at, int):
            dataset.check_row(request.at)
            return np.array(dataset.table.rows.codes[request.at])
        return np.full(len(categories), MISSING, np.int32)
    known = request.known_categories
    if len(known) != len(categories):
        msg = (
            f"known_categories must be an array of {len(categories)} entries, one for each feature "
            f"that holds categories, got {len(known)}"
        )
        raise MessageError(msg)
    for code, values in zip(known, categories, strict=True):
        if code is not None and code >= len(values):
            msg = f"there is no category {code}: they are numbered from 0 to {len(values) - 1}"
            raise MessageError(msg)
    return np.array([MISSING if code is None else code for code in known], np.int32)


def _explained(view: ModelView, row: Rows) -> dict[str, Any]:
    explanation = view.explanation(row)
    posterior = np.array([[terms["posterior"] for terms in explanation["classes"]]])
    distances = [terms["squared_distance"] for terms in explanation["classes"]]
    return {
        "explanation": explanation,
        "prediction": view.names[int(view.labels(row)[0])],
        "posterior": all_classes(view, posterior, 0.0)[0].tolist(),
        # Categories have no distances.
        "p_values": None if None in distances else view.p_values(row)[0].tolist(),
    }


def _voted(view: NeighbourView, place: FloatArray) -> dict[str, Any]:
    row = number_rows(place[None])
    votes = all_classes(view, np.exp(view.log_posterior(row)), 0.0)[0]
    return {
        "prediction": view.names[int(votes.argmax())],
        "posterior": votes.tolist(),
        "neighbours": view.nearest(row),
    }
