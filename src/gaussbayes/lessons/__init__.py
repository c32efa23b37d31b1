"""The course's worked examples, replayed: data, results, figures, and where a handout errs.

Each lesson is a module: its docstring is the title and the text, ``lesson(seed)`` has the results,
and a function for each figure has the caption as its docstring. The seed matters where rows are
drawn. What the handouts give is in `handouts`, which is light to import.
"""

from __future__ import annotations

from importlib import import_module

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.spelling import meant
from gaussbayes.lessons.handouts import Table
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Spread

__all__ = [
    "Erratum",
    "Figure",
    "Lesson",
    "Result",
    "Spread",
    "Table",
    "all_lessons",
    "get",
    "names",
]

_LESSONS = (
    "one_gaussian",
    "three_gaussians",
    "optimal_regions",
    "two_gaussians",
    "petals",
    "naive_bayes",
    "genetic_test",
    "diabetes",
    "covariance_ellipses",
    "rain",
    "missing_data",
    "probability",
    "independence",
    "generative",
)


def names() -> tuple[str, ...]:
    """The names of the lessons, in the order of the course.

    Examples
    --------
    >>> names()[:2]
    ('one_gaussian', 'three_gaussians')
    """
    return _LESSONS


def get(name: str, seed: int = 0) -> Lesson:
    """One lesson, its random rows drawn with this seed; hyphens are as good as underscores.

    Examples
    --------
    >>> get("petals").title
    'Two species by the length of a petal'
    >>> get("naive-bayes").name
    'naive_bayes'
    """
    name = name.replace("-", "_")
    if name not in _LESSONS:
        close = meant(name, _LESSONS)
        msg = f"there is no lesson {name!r}{close}; the lessons are {', '.join(_LESSONS)}"
        raise ParameterError(msg)
    lesson: Lesson = import_module(f"{__name__}.{name}").lesson(seed)
    return lesson


def all_lessons(seed: int = 0) -> tuple[Lesson, ...]:
    """Every lesson, in the order of the course.

    Examples
    --------
    >>> all_lessons()[4].title
    'Two species by the length of a petal'
    """
    return tuple(get(name, seed) for name in _LESSONS)
