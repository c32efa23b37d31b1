"""What the lab calculates: a request and the store → an answer; nothing here draws.

Every probability comes from the core, through `gaussbayes.apps.lab.model_views`. The functions that
answer say what the heads and arrays of their answers hold; row 0 of a grid is the lowest y. What
cannot be calculated for these data, such as a covariance that is singular, is no error: the head's
``problem`` says why and what to do, and arrays are left out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gaussbayes.apps.lab.exports import answer_export
from gaussbayes.apps.lab.figures import (
    answer_line,
    answer_multiples,
    answer_scene,
    answer_surface,
)
from gaussbayes.apps.lab.guided_lessons import answer_lesson
from gaussbayes.apps.lab.messages import DataRequest, Request
from gaussbayes.apps.lab.model_views import true_view
from gaussbayes.apps.lab.performance import answer_numbers
from gaussbayes.apps.lab.point import answer_point
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import ShownFeatures
from gaussbayes.apps.lab.wire_format import NO_CODE, Answer, single


def answer(request: Request, store: Store) -> Answer:
    """Answer a request that was read by `gaussbayes.apps.lab.message_reader.read`.

    Raises
    ------
    MessageError
        If it asks for what there is not: data that were let go, a feature, a row, an example.

    Examples
    --------
    >>> from gaussbayes.apps.lab.messages import PresetSource
    >>> answered = answer(DataRequest(1, PresetSource("petals")), Store())
    >>> answered.head["n"], answered.arrays["points"].shape
    (8, (8, 1))
    """
    return _ANSWERS[request.kind](request, store)


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
    categories = table.rows.codes
    arrays: dict[str, Any] = {
        "points": single(table.X),
        "codes": np.where(table.has_label, table.codes, NO_CODE).astype(np.uint8),
        "test": dataset.test.astype(np.uint8),
        "categories": np.where(categories < 0, NO_CODE, categories).astype(np.uint8),
    }
    return Answer(head, arrays)


_ANSWERS: dict[str, Callable[[Any, Store], Answer]] = {
    "data": answer_data,
    "scene": answer_scene,
    "line": answer_line,
    "point": answer_point,
    "numbers": answer_numbers,
    "multiples": answer_multiples,
    "surface": answer_surface,
    "take_away": answer_export,
    "lesson": answer_lesson,
}
