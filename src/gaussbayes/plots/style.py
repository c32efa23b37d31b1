"""How every picture looks: a colour and a marker for each class, text that fits, legends aside.

The colours are Petroff's ten, chosen to stay apart for colour-blind eyes, with the greys last; a
marker for each class says the same without colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.plots.requirement import pyplot
from gaussbayes.types import LabelArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

INK = "#333333"
"""Boundaries, rings and whatever belongs to no class."""
FAINT = "#9a9a9a"
"""Guide lines."""
COLORS = (
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
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))

_LINE_LENGTH = 24
_MOST_LINES = 5


@dataclass(frozen=True, slots=True)
class ClassStyle:
    """What one class looks like in every picture."""

    label: str  # wrapped, safe to draw
    color: str
    marker: str
    line: Any


def class_styles(classes: LabelArray) -> tuple[ClassStyle, ...]:
    """A style for each class, in order: ten colours, then the same darker, then lighter.

    Seven markers and ten colours come together again only after 70 classes.

    Examples
    --------
    >>> class_styles(np.array(["no", "yes"]))[1].color
    '#ffa90e'
    """
    return tuple(
        ClassStyle(text(label), _color(i), MARKERS[i % len(MARKERS)], LINES[i % len(LINES)])
        for i, label in enumerate(classes.tolist())
    )


def _color(i: int) -> str:
    from matplotlib.colors import to_hex, to_rgb

    towards, share = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.5))[i // len(COLORS) % 3]
    rgb = np.asarray(to_rgb(COLORS[i % len(COLORS)]))
    return to_hex(tuple(rgb + (towards - rgb) * share))


def text(value: object, line_length: int = _LINE_LENGTH) -> str:
    """A label or name as a picture writes it: in lines, at most five, nothing read as a formula.

    Examples
    --------
    >>> text("a very long name that needs two lines")
    'a very long name that\\nneeds two lines'
    >>> text("price in $")
    'price in \\\\$'
    """
    lines = wrap(str(value), line_length) or [" "]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: line_length - 2] + " …"]
    # A leading underscore would hide an entry from the legend, a pair of $ starts a formula.
    written = "\n".join(lines).replace("$", r"\$")
    return f"\u2009{written}" if written.startswith("_") else written


def axes_for(ax: "Axes | None", figsize: tuple[float, float] = (6.4, 4.8)) -> "Axes":
    """The axes given, or new ones in a figure of their own."""
    if ax is not None:
        return ax
    new: Axes = pyplot().figure(figsize=figsize, layout="constrained").add_subplot()
    return new


def figure_for(
    figure: "Figure | SubFigure | None", figsize: tuple[float, float]
) -> "Figure | SubFigure":
    """The figure given, to be filled with panels, or a new one."""
    if figure is not None:
        return figure
    new: Figure = pyplot().figure(figsize=figsize, layout="constrained")
    return new


def legend_beside(
    ax: "Axes", handles: Sequence[Any] | None = None, title: str | None = None
) -> "Legend | None":
    """A legend to the right of the axes, where it cannot cover the data; a long one in columns."""
    found = ax.get_legend_handles_labels()[0] if handles is None else handles
    if not found:
        return None
    return ax.legend(
        handles=found,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        alignment="left",
        ncols=1 + (len(found) - 1) // 14,
    )


def legend_below(
    figure: "Figure | SubFigure", handles: Sequence[Any], title: str | None = None
) -> "Legend":
    """One legend for all panels of a figure, under them."""
    longest = max(len(line) for handle in handles for line in str(handle.get_label()).split("\n"))
    width = figure.bbox.width / figure.get_figure(root=True).dpi  # in inches
    return figure.legend(
        handles=list(handles),
        title=title,
        loc="outside lower center",
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        ncols=max(1, min(len(handles), int(width / (0.085 * longest + 0.55)))),
    )


def name_axes(ax: "Axes", names: Sequence[str]) -> None:
    """Write the names of one or two features along the axes."""
    ax.set_xlabel(text(names[0], 48))
    if len(names) > 1:
        ax.set_ylabel(text(names[1], 40))
