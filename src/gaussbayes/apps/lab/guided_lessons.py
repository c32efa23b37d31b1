"""The course's lessons as guided steps: a few sentences, and how the page is set up for them.

They are written down in ``guided_lessons.toml``.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from gaussbayes.apps.lab.messages import LessonRequest
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import Answer, MessageError
from gaussbayes.base.spelling import meant


@cache
def lessons() -> dict[str, dict[str, Any]]:
    """Name, title and steps of each lesson by its name, in the order of the course.

    A step has a text and a state of the page; what the state does not name is as the page begins,
    so that it does not depend on the steps before it.

    Examples
    --------
    >>> lessons()["petals"]["title"]
    'Two species by the length of a petal'
    >>> lessons()["petals"]["steps"][4]["state"]["model"]
    {'shared': True}
    """
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return {lesson["name"]: _read(**lesson) for lesson in tomllib.loads(text)["lesson"]}


def _read(
    name: str,
    title: str,
    steps: list[dict[str, Any]],
    models: dict[str, Any] | None = None,
    **common: Any,
) -> dict[str, Any]:
    read = []
    for step in steps:
        state = {"pair": [0, 1], "model": {}} | common | step
        if isinstance(state["model"], str):
            state["model"] = (models or {})[state["model"]]
        read.append({"text": " ".join(state.pop("text").split()), "state": state})
    return {"name": name, "title": title, "steps": read}


def answer_lesson(request: LessonRequest, _: Store) -> Answer:
    """The lesson: name, title and steps."""
    known = lessons()
    if request.name not in known:
        close = meant(request.name, known)
        msg = f"there is no lesson {request.name!r:.80}{close}; there are {', '.join(known)}"
        raise MessageError(msg)
    return Answer(known[request.name])
