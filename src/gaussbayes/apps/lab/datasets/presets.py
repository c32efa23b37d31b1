"""Which examples there are; listing them imports and draws nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gaussbayes.apps.lab.datasets import course, drawn
from gaussbayes.apps.lab.datasets.dataset import Table
from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.base.spelling import meant


@dataclass(frozen=True, slots=True)
class Preset:
    """An example: what it is called, what it shows, and how its rows are made."""

    name: str
    title: str
    about: str  # one line
    classes: int
    n: int  # rows, if the page does not say how many
    make: Callable[[int, int], Table]  # of seed and number of rows
    drawn: bool = True  # whether seed and number matter


def _random(
    name: str, title: str, about: str, classes: int, n: int, truth: Callable[[], Any]
) -> Preset:
    def make(seed: int, n: int) -> Table:
        return drawn.drawn(title, truth(), seed, n)

    return Preset(name, title, about, classes, n, make)


def _fixed(
    name: str, title: str, about: str, classes: int, n: int, make: Callable[[], Table]
) -> Preset:
    return Preset(name, title, about, classes, n, lambda *_: make(), drawn=False)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        _random(
            "unequal",
            "Unequal covariances",
            "A narrow class beside a wide one: the boundary is a curve, and may close.",
            2,
            200,
            drawn.unequal,
        ),
        _random(
            "shared",
            "Shared covariance",
            "Two classes of one shape: the best boundary is a straight line.",
            2,
            200,
            drawn.shared,
        ),
        _random(
            "imbalanced",
            "Imbalanced classes",
            "Nine common rows for a rare one: priors move the boundary.",
            2,
            300,
            drawn.imbalanced,
        ),
        _random("three", "Three classes", "Three classes that overlap.", 3, 300, drawn.three),
        _random("five", "Five classes", "Five classes around a circle.", 5, 400, drawn.five),
        Preset(
            "xor",
            "Exclusive or",
            "Each class lies in two opposite corners: one Gaussian a class is not enough.",
            2,
            200,
            drawn.xor,
        ),
        Preset(
            "outlier",
            "An outlier",
            "One row far away turns and widens its class.",
            2,
            100,
            drawn.outlier,
        ),
        _random(
            "few_rows",
            "Fewer rows than features",
            "Twelve features and about eight rows a class: full covariances are singular.",
            2,
            16,
            drawn.few_rows,
        ),
        _random(
            "one",
            "One feature",
            "Two bell curves of different widths cross twice.",
            2,
            120,
            drawn.one,
        ),
        _fixed(
            "petals",
            "Petals",
            "The course's eight petals of two species, by their length.",
            2,
            8,
            course.petals,
        ),
        Preset(
            "two_gaussians",
            "Two Gaussians",
            "The course's two classes in the plane; no rule errs less than 7.2 %.",
            2,
            200,
            course.two_gaussians,
        ),
        Preset(
            "three_gaussians",
            "Three Gaussians",
            "The course's three classes, which hardly overlap.",
            3,
            600,
            course.three_gaussians,
        ),
        _fixed(
            "naive_bayes",
            "Naive Bayes by hand",
            "The course's six rows, small enough for pencil and paper.",
            2,
            6,
            course.naive_bayes,
        ),
        Preset(
            "optimal_regions",
            "Optimal regions",
            "The course's three classes of one covariance: parallel lines.",
            3,
            300,
            course.optimal_regions,
        ),
        _fixed(
            "clouds",
            "Three clouds",
            "Four points each: falling, level, rising; all else is equal.",
            3,
            12,
            course.clouds,
        ),
        Preset(
            "diabetes",
            "Diabetes",
            "Patients by blood count and glucose, with a doctor's prior.",
            2,
            250,
            course.diabetes,
        ),
        Preset(
            "gaps",
            "Diabetes with gaps",
            "The same patients; glucose is missing where the count is high.",
            2,
            250,
            course.gaps,
        ),
        _fixed(
            "irises",
            "Fisher's irises",
            "150 flowers of three species, four lengths: any two can be shown.",
            3,
            150,
            course.irises,
        ),
    )
}
"""By name, in the order in which the page lists them."""


def listed() -> list[dict[str, Any]]:
    """What the page is told of them.

    Examples
    --------
    >>> listed()[0]["name"]
    'unequal'
    """
    return [
        {
            "name": one.name,
            "title": one.title,
            "about": one.about,
            "classes": one.classes,
            "n": one.n,
            "drawn": one.drawn,
        }
        for one in PRESETS.values()
    ]


def made(name: str, seed: int, n: int | None) -> Table:
    """The rows of an example.

    Examples
    --------
    >>> made("unequal", seed=0, n=50).X.shape
    (50, 2)
    """
    if name not in PRESETS:
        close = meant(name, PRESETS)
        msg = f"there is no example {name!r:.80}{close}; there are {', '.join(PRESETS)}"
        raise MessageError(msg)
    preset = PRESETS[name]
    return preset.make(seed, preset.n if n is None else n)
