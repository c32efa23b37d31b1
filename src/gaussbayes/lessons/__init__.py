"""The course's worked examples, replayed: data, figures, and where a sheet errs.

Each lesson is a module with a function ``lesson(seed)``; the seed matters where rows are drawn.
"""

from collections.abc import Callable

from gaussbayes.errors import ParameterError
from gaussbayes.lessons import (
    covariance_pictures,
    diabetes,
    genetic_test,
    missing_data,
    naive_bayes,
    optimal_regions,
    petals,
    rain,
    three_gaussians,
    two_gaussians,
)
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Picture, Spread, Table
from gaussbayes.spelling import meant

__all__ = [
    "Erratum",
    "Figure",
    "Lesson",
    "Picture",
    "Spread",
    "Table",
    "all_lessons",
    "get",
    "names",
]

_LESSONS: dict[str, Callable[[int], Lesson]] = {
    "three_gaussians": three_gaussians.lesson,
    "optimal_regions": optimal_regions.lesson,
    "two_gaussians": two_gaussians.lesson,
    "petals": petals.lesson,
    "naive_bayes": naive_bayes.lesson,
    "genetic_test": genetic_test.lesson,
    "diabetes": diabetes.lesson,
    "covariance_pictures": covariance_pictures.lesson,
    "rain": rain.lesson,
    "missing_data": missing_data.lesson,
}


def names() -> tuple[str, ...]:
    """The names of the lessons, in the order of the course.

    Examples
    --------
    >>> names()[:2]
    ('three_gaussians', 'optimal_regions')
    """
    return tuple(_LESSONS)


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
    return _LESSONS[name](seed)


def all_lessons(seed: int = 0) -> tuple[Lesson, ...]:
    """Every lesson, in the order of the course.

    Examples
    --------
    >>> len(all_lessons())
    10
    """
    return tuple(make(seed) for make in _LESSONS.values())
