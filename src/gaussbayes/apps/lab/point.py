"""Answers about one place: Bayes' rule with every number."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.messages import FitSettings, Neighbours, PointRequest
from gaussbayes.apps.lab.model_views import AskedModel
from gaussbayes.apps.lab.training_data import LabTable
from gaussbayes.apps.lab.wire_format import Answer, MessageError, problem_noted
from gaussbayes.base.errors import DataError
from gaussbayes.data.categories import MISSING
from gaussbayes.data.rows import Rows


def answer_point(request: PointRequest, asked: AskedModel) -> Answer:
    """What the model says of a place in the plane of the pair, or of a row.

    Categories that are known there count, too, if the model was fitted to them. The head has at,
    categories (the code of each, or null), explanation, prediction, classes, posterior, p_values,
    hidden, neighbours (the numbers of the rows that vote) and problem.
    """
    table, shown = asked.dataset.table, asked.shown()
    place, codes = np.full(2, np.nan), np.full(len(table.categories), MISSING, np.int32)
    if not isinstance(request.at, int):
        place[:] = request.at
    elif request.at >= table.codes.size:
        msg = f"there is no row {request.at}: there are {table.codes.size}, numbered from 0"
        raise MessageError(msg)
    else:
        place[list(shown.axes)] = table.X[request.at, list(shown.numbers)]
        codes = np.array(table.rows.codes[request.at])
    if request.known_categories is not None:
        codes = _codes(table, request.known_categories)
    if request.hide is not None and len(shown.axes) == 2:
        place[request.hide] = np.nan
    names = ("explanation", "prediction", "posterior", "p_values", "neighbours")
    head: dict[str, Any] = dict.fromkeys(names) | {
        "at": [None if np.isnan(value) else value for value in place.tolist()],
        "categories": [None if code < 0 else code for code in codes.tolist()],
        "classes": asked.dataset.classes,
        "hidden": request.hide,
    }
    row = place[list(shown.axes)]
    with problem_noted(head):
        if isinstance(request.model, FitSettings):
            # Without numbers the model is seen through all categories, be they known or not.
            known = np.flatnonzero((codes >= 0) | (not shown.numbers))
            shown = replace(shown, categories=tuple(known.tolist()))
        elif isinstance(request.model, Neighbours):
            # They are looked for among the coordinates that are known.
            known = np.flatnonzero(~np.isnan(row))
            if row.size and not known.size:
                msg = "nothing is known of this point"
                raise DataError(msg)
            shown = replace(shown, numbers=tuple(shown.numbers[axis] for axis in known.tolist()))
            row = row[known]
        view, chosen = asked.view(shown), list(shown.categories)
        categories = tuple(table.categories[j] for j in chosen)
        rows = Rows(row[None], codes[None, chosen], categories)
        head |= {"classes": view.names} | view.at(rows)
    return Answer(head)


def _codes(table: LabTable, known: tuple[int | None, ...]) -> NDArray[np.int32]:
    """The code of each feature that holds categories (q,), below 0 where it is not known."""
    if len(known) != table.rows.codes.shape[1]:
        msg = (
            f"known_categories must be an array of {len(table.categories)} entries, one for each "
            f"feature that holds categories, got {len(known)}"
        )
        raise MessageError(msg)
    for code, values in zip(known, table.categories, strict=True):
        if code is not None and code >= len(values):
            msg = f"there is no category {code}: they are numbered from 0 to {len(values) - 1}"
            raise MessageError(msg)
    return np.array([MISSING if code is None else code for code in known], np.int32)
