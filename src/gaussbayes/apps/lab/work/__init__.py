"""What the lab calculates: a request and the store → an answer; nothing here draws.

Every probability comes from the core; here it is found out which model, which rows and which grid
are meant, and what was worked out before is not worked out again.
"""

from collections.abc import Callable
from typing import Any

from gaussbayes.apps.lab.datasets import Store
from gaussbayes.apps.lab.messages import Request
from gaussbayes.apps.lab.work.answer import Answer
from gaussbayes.apps.lab.work.data import answer_data
from gaussbayes.apps.lab.work.lesson_steps import answer_lesson
from gaussbayes.apps.lab.work.line import answer_line
from gaussbayes.apps.lab.work.multiples import answer_multiples
from gaussbayes.apps.lab.work.numbers import answer_numbers
from gaussbayes.apps.lab.work.point import answer_point
from gaussbayes.apps.lab.work.scene import answer_scene
from gaussbayes.apps.lab.work.surface import answer_surface
from gaussbayes.apps.lab.work.take_away import answer_take_away

__all__ = ["Answer", "Store", "answer"]

_ANSWERS: dict[str, Callable[[Any, Store], Answer]] = {
    "data": answer_data,
    "scene": answer_scene,
    "line": answer_line,
    "point": answer_point,
    "numbers": answer_numbers,
    "multiples": answer_multiples,
    "surface": answer_surface,
    "take_away": answer_take_away,
    "lesson": answer_lesson,
}


def answer(request: Request, store: Store) -> Answer:
    """Answer a request that was read by `gaussbayes.apps.lab.messages.read`.

    Raises
    ------
    MessageError
        If it asks for what there is not: data that were let go, a feature, a row, an example.

    Examples
    --------
    >>> from gaussbayes.apps.lab.messages import read
    >>> store = Store()
    >>> source = '{"preset": "petals"}'
    >>> found = answer(read(f'{{"number": 1, "kind": "data", "source": {source}}}'), store)
    >>> found.head["n"], found.arrays["points"].shape
    (8, (8, 1))
    """
    return _ANSWERS[request.kind](request, store)
