"""What the page is told from the start: colours and shapes, examples, lessons, limits."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaussbayes import __version__

LIGHT = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#832db6",
    "#92dadd",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#94a4a2",
    "#234f78",
    "#8c5d08",
)
"""The colours that `gaussbayes.plots.style` gives to twelve classes.

They are written down here because the pictures take longer to import than the page to load.
"""

DARK = (
    "#3f90da",
    "#ffa90e",
    "#cf5e48",
    "#a668ca",
    "#92dadd",
    "#ae7463",
    "#e76300",
    "#b9ac70",
    "#7c808b",
    "#94a4a2",
    "#6584a0",
    "#a17a34",
)
"""The same on dark ground: those too dark to be seen there are mixed with white, no more than that
their contrast with ``#15181d`` becomes 4.5 to 1."""

UNTOLD = (".txt", ".dat", ".data", ".json")
"""Endings of names that tell no format: the first bytes of such a file do."""

SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus", "star")


def about(
    presets: Sequence[Mapping[str, Any]],
    lessons: Sequence[Mapping[str, Any]],
    given: Mapping[str, Any] | None,
    limits: Mapping[str, float],
    endings: Sequence[str],
) -> dict[str, Any]:
    """All of it, as values that JSON can hold.

    Parameters
    ----------
    presets : name, title, about, classes and n of each example
    lessons : name and title of each lesson
    given : name, columns and target of the command line's rows, if there are any
    limits : the most there may be, by name
    endings : of the names of files that can be read, those that tell their format
    """
    return {
        "version": __version__,
        "colours": {"light": LIGHT, "dark": DARK},
        "shapes": SHAPES,
        "presets": presets,
        "lessons": lessons,
        "given": given,
        "limits": limits,
        "endings": (*endings, *UNTOLD),
    }
