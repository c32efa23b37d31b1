"""What the lab calculates: a request and the store → an answer; nothing here draws.

The functions that answer say what the heads and arrays of their answers hold; row 0 of a grid is
the lowest y. What cannot be calculated for these data, such as a covariance that is singular, is no
error: the head's ``problem`` says why and what to do, and arrays are left out.
"""

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gaussbayes.apps.lab import exports, figures, performance, point
from gaussbayes.apps.lab.messages import DataRequest, LessonRequest, Request
from gaussbayes.apps.lab.model_views import AskedModel, asked_model, true_view
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import ShownFeatures
from gaussbayes.apps.lab.wire_format import NO_CODE, Answer, MessageError, single
from gaussbayes.base.spelling import meant


def answer(request: Request, store: Store) -> Answer:
    """Answer a request that was read by `gaussbayes.apps.lab.message_reader.read`.

    Raises
    ------
    MessageError
        If it asks for what there is not: data that were let go, a feature, a row, an example.
    """
    if isinstance(request, DataRequest):
        return answer_data(request, store)
    if isinstance(request, LessonRequest):
        return answer_lesson(request)
    asked = asked_model(store.dataset(request.data), request.pair, request.model)
    return _OF_MODELS[request.kind](request, asked)


def answer_data(request: DataRequest, store: Store) -> Answer:
    """The rows of a dataset: arrays points (n, g), codes (n,), test (n,) and categories (n, q).

    A class code of 255 is a row without label, a category code of 255 a missing one. The head has
    id, name, classes, features (those that hold numbers), categories (the others: name, values), n,
    unlabelled (rows without label), pair, truth (the true parameters of the first two features),
    target, columns (of the file) and problem (what is left out, why no rows are held out although
    that was asked for).
    """
    dataset = store.dataset_of(request)
    table = dataset.table
    truth = true_view(dataset, ShownFeatures(tuple(dict.fromkeys(dataset.pair)), (0, 1)))
    named = zip(table.categorical, table.categories, strict=True)
    head = {
        "id": dataset.key,
        "name": table.name,
        "classes": dataset.classes,
        "features": table.features,
        "categories": [{"name": name, "values": list(map(str, each))} for name, each in named],
        "n": table.codes.size,
        "unlabelled": int(np.count_nonzero(~table.has_label)),
        "pair": dataset.pair,
        "truth": None if truth is None else truth.record(),
        "target": table.target,
        "columns": table.columns or (*table.names, table.target),
        "problem": dataset.note,
    }
    codes = {"codes": table.codes, "categories": table.rows.codes}
    arrays: dict[str, Any] = {"points": single(table.X), "test": dataset.test.astype(np.uint8)}
    for name, values in codes.items():
        arrays[name] = np.where(values < 0, NO_CODE, values).astype(np.uint8)
    return Answer(head, arrays)


@cache
def lessons() -> list[dict[str, Any]]:
    """Name, title and steps of each guided lesson, in the order of the course.

    A step has a text and a state of the page; what the state does not name is as the page begins,
    so that it does not depend on the steps before it. ``guided_lessons.toml`` has them.
    """
    text = Path(__file__).with_name("guided_lessons.toml").read_text("utf-8")
    return [_lesson(**lesson) for lesson in tomllib.loads(text)["lesson"]]


def _lesson(
    name: str, title: str, steps: list[Any], models: dict[str, Any] | None = None, **common: Any
) -> dict[str, Any]:
    read = []
    for step in steps:
        state = {"pair": [0, 1], "model": {}} | common | step
        if isinstance(state["model"], str):
            state["model"] = (models or {})[state["model"]]
        read.append({"text": " ".join(state.pop("text").split()), "state": state})
    return {"name": name, "title": title, "steps": read}


def answer_lesson(request: LessonRequest) -> Answer:
    """The lesson: name, title and steps."""
    known = {lesson["name"]: lesson for lesson in lessons()}
    if request.name not in known:
        close = meant(request.name, known)
        msg = f"there is no lesson {request.name!r:.80}{close}; there are {', '.join(known)}"
        raise MessageError(msg)
    return Answer(known[request.name])


_OF_MODELS: dict[str, Callable[[Any, AskedModel], Answer]] = {
    "scene": figures.answer_scene,
    "line": figures.answer_line,
    "point": point.answer_point,
    "numbers": performance.answer_numbers,
    "multiples": figures.answer_multiples,
    "surface": figures.answer_surface,
    "take_away": exports.answer_export,
}
