"""Bayes' rule at one place, with every number."""

from typing import Any

import numpy as np

from gaussbayes.analysis.explanation import explain
from gaussbayes.analysis.novelty import class_p_values
from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import PointRequest
from gaussbayes.apps.lab.work.answer import Answer, answered
from gaussbayes.apps.lab.work.fits import Problem
from gaussbayes.apps.lab.work.sight import Gaussians, Shown, Votes, shown, sight, spread_classes
from gaussbayes.base.types import FloatArray


def answer_point(request: PointRequest, store: Store) -> Answer:
    """What the model of the pair says of a place, or of a row."""
    dataset = store.dataset(request.data)
    pair = shown(dataset, request.pair)
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
    # Neighbours are looked for among the coordinates that are there; Gaussians do without others.
    seen = pair
    if not isinstance(found := sight(dataset, request.model, pair, store), Gaussians):
        there = ~np.isnan(row)
        seen = Shown(*(tuple(np.array(each)[there].tolist()) for each in _fields(pair)))
        row = row[there]
        if not row.size:
            return answered(request, head | {"problem": "nothing is known of this point"})
        found = sight(dataset, request.model, seen, store)
    if isinstance(found, Problem):
        return answered(request, head | {"problem": found.text})
    head["classes"] = found.names
    if isinstance(found, Gaussians):
        return answered(request, head | _explained(dataset, found, seen, row))
    return answered(request, head | _voted(found, row))


def _fields(seen: Shown) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return seen.columns, seen.axes


def _explained(dataset: Dataset, found: Gaussians, seen: Shown, row: FloatArray) -> dict[str, Any]:
    features = tuple(dataset.table.features[column] for column in seen.columns)
    told = explain(found.parameters, found.schema(features), row)
    best = max(told.bayes.classes, key=lambda terms: terms.log_posterior)
    p_values = class_p_values(found.parameters, row[None])
    posterior = np.array([[terms.posterior for terms in told.bayes.classes]])
    return {
        "explanation": told.as_record(),
        "prediction": best.label,
        "posterior": spread_classes(found, posterior, 0.0)[0].tolist(),
        "p_values": spread_classes(found, p_values, 0.0)[0].tolist(),
    }


def _voted(found: Votes, row: FloatArray) -> dict[str, Any]:
    shares = spread_classes(found, np.exp(found.log_posterior(row[None])), 0.0)[0]
    nearest = found.voters.kneighbors(row[None], return_distance=False)[0]
    return {
        "prediction": found.names[int(shares.argmax())],
        "posterior": shares.tolist(),
        "neighbours": found.rows[nearest].tolist(),
    }
