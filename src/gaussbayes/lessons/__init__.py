"""The course's worked examples, replayed: data, results, figures, and where a handout errs.

Each lesson is a module: what the handout gives, how it is calculated, a function ``lesson(seed)``,
and its figures. The seed matters where rows are drawn. A module imports the classifier and the
plots where they are used, so that whoever needs a handout's numbers alone does not wait for them.
"""

from importlib import import_module

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.spelling import meant
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Spread, Table

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
    lesson: Lesson = import_module(f"{__name__}.{name}").lesson(seed)
    return lesson


def all_lessons(seed: int = 0) -> tuple[Lesson, ...]:
    """Every lesson, in the order of the course.

    Examples
    --------
    >>> len(all_lessons())
    10
    """
    return tuple(get(name, seed) for name in _LESSONS)
