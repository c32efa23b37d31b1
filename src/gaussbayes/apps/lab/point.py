"""Answers about one place: Bayes' rule with every number."""

from typing import Any

import numpy as np

from gaussbayes.apps.lab.messages import PointRequest
from gaussbayes.apps.lab.model_views import (
    GaussianView,
    NeighbourView,
    Problem,
    ShownFeatures,
    all_classes,
    shown_features,
    view_of,
)
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset
from gaussbayes.apps.lab.wire_format import Answer
from gaussbayes.base.types import FloatArray


def answer_point(request: PointRequest, store: Store) -> Answer:
    """What the model of the pair says of a place, or of a row.

    The head has at, explanation, prediction, classes, posterior, p_values, hidden, neighbours (the
    numbers of the rows that vote) and problem.
    """
    dataset = store.dataset(request.data)
    pair = shown_features(dataset, request.pair)
    place = np.full(2, np.nan)
    if isinstance(request.at, int):
        place[list(pair.axes)] = dataset.row(request.at)[list(pair.columns)]
    else:
        place[:] = request.at
    if request.hide is not None and len(pair.axes) == 2:
        place[request.hide] = np.nan
    head: dict[str, Any] = {
        "at": [None if np.isnan(value) else value for value in place.tolist()],
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
    view = view_of(dataset, request.model, pair, store)
    if isinstance(view, GaussianView):
        return Answer(head | {"classes": view.names} | _explained(dataset, view, pair, row))
    # Neighbours are looked for among the coordinates that are there.
    known = [axis for axis, value in enumerate(row.tolist()) if not np.isnan(value)]
    if not known:
        return Answer(head | {"problem": "nothing is known of this point"})
    seen = ShownFeatures(
        tuple(pair.columns[axis] for axis in known), tuple(pair.axes[axis] for axis in known)
    )
    view = view_of(dataset, request.model, seen, store)
    if isinstance(view, NeighbourView):
        return Answer(head | {"classes": view.names} | _voted(view, row[known]))
    assert isinstance(view, Problem)
    return Answer(head | {"problem": view.text})


def _explained(
    dataset: Dataset, view: GaussianView, shown: ShownFeatures, row: FloatArray
) -> dict[str, Any]:
    features = tuple(dataset.table.features[column] for column in shown.columns)
    explanation = view.explanation(row, features)
    posterior = np.array([[terms["posterior"] for terms in explanation["classes"]]])
    return {
        "explanation": explanation,
        "prediction": view.names[int(view.labels(row[None])[0])],
        "posterior": all_classes(view, posterior, 0.0)[0].tolist(),
        "p_values": view.p_values(row[None])[0].tolist(),
    }


def _voted(view: NeighbourView, row: FloatArray) -> dict[str, Any]:
    votes = all_classes(view, np.exp(view.log_posterior(row[None])), 0.0)[0]
    return {
        "prediction": view.names[int(votes.argmax())],
        "posterior": votes.tolist(),
        "neighbours": view.nearest(row),
    }
