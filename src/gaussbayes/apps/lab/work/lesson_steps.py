"""The course's lessons as guided steps: a few sentences, and how the page is set up for them."""

from typing import Any

from gaussbayes.apps.lab.datasets import Store
from gaussbayes.apps.lab.messages import LessonRequest, MessageError
from gaussbayes.apps.lab.work.answer import Answer, answered
from gaussbayes.apps.lab.work.steps import (
    covariance_pictures,
    diabetes,
    missing_data,
    naive_bayes,
    optimal_regions,
    petals,
    three_gaussians,
    two_gaussians,
)
from gaussbayes.apps.lab.work.steps.step import GuidedLesson
from gaussbayes.base.spelling import meant

LESSONS: dict[str, GuidedLesson] = {
    one.name: one
    for one in (
        three_gaussians.LESSON,
        optimal_regions.LESSON,
        two_gaussians.LESSON,
        petals.LESSON,
        naive_bayes.LESSON,
        diabetes.LESSON,
        covariance_pictures.LESSON,
        missing_data.LESSON,
    )
}
"""By name, in the order of the course."""


def listed() -> list[dict[str, str]]:
    """What the page is told of them.

    Examples
    --------
    >>> listed()[3]
    {'name': 'petals', 'title': 'Two species by the length of a petal'}
    """
    return [{"name": one.name, "title": one.title} for one in LESSONS.values()]


def answer_lesson(request: LessonRequest, _: Store) -> Answer:
    """The steps of a lesson."""
    if request.name not in LESSONS:
        close = meant(request.name, LESSONS)
        msg = f"there is no lesson {request.name!r:.80}{close}; there are {', '.join(LESSONS)}"
        raise MessageError(msg)
    lesson = LESSONS[request.name]
    steps: list[dict[str, Any]] = [
        {"text": step.text, "state": step.state} for step in lesson.steps
    ]
    return answered(request, {"name": lesson.name, "title": lesson.title, "steps": steps})
