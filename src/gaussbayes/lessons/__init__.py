"""The course's worked examples, replayed: data, figures, and where a sheet errs.

Each lesson is a module with a function ``lesson(seed)``; the seed matters where rows are drawn. It
is imported when it is asked for: what it draws, fits and compares takes a while to import.
"""

from importlib import import_module

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.spelling import meant
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Picture, Spread, Table

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

_LESSONS = (
    "three_gaussians",
    "optimal_regions",
    "two_gaussians",
    "petals",
    "naive_bayes",
    "genetic_test",
    "diabetes",
    "covariance_pictures",
    "rain",
    "missing_data",
)


def names() -> tuple[str, ...]:
    """The names of the lessons, in the order of the course.

    Examples
    --------
    >>> names()[:2]
    ('three_gaussians', 'optimal_regions')
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
    found: Lesson = import_module(f"{__name__}.{name}").lesson(seed)
    return found


def all_lessons(seed: int = 0) -> tuple[Lesson, ...]:
    """Every lesson, in the order of the course.

    Examples
    --------
    >>> len(all_lessons())
    10
    """
    return tuple(get(name, seed) for name in _LESSONS)
