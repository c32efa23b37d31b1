"""The style of all figures: a colour and a marker for each class, text that fits, legends aside.

The colours are Petroff's ten, which colour-blind readers can distinguish, with the greys last; the
markers identify the classes without colour. Matplotlib is imported when it is used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np

from gaussbayes.analysis.view import Axis
from gaussbayes.base.types import LabelArray, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

Features: TypeAlias = int | str | Sequence[int | str] | None
"""One feature or several, by name or number."""
Look: TypeAlias = dict[str, Any]
"""Options of matplotlib."""


class Classifier(Protocol):
    """A fitted classifier with scikit-learn's methods; some figures need `predict_proba`, too."""

    def predict(self, X: TableLike, /) -> LabelArray:
        """Return the class of each row (n,)."""


Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")

INK = "#333333"  # boundaries, rings and everything else without a class
FAINT = "#9a9a9a"  # guide lines
_PETROFF = "3f90da ffa90e bd1f01 832db6 92dadd a96b59 e76300 b9ac70 717581 94a4a2"
COLORS = tuple(f"#{color}" for color in _PETROFF.split())
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))

# Font families with characters that matplotlib's font lacks; the installed ones follow it.
_WIDE_FONTS = (
    "Noto Sans CJK SC, Noto Sans CJK JP, Noto Sans SC, Noto Sans JP, Noto Sans KR, "
    "WenQuanYi Zen Hei, WenQuanYi Micro Hei, Droid Sans Fallback, Arial Unicode MS, PingFang SC, "
    "Hiragino Sans, Microsoft YaHei, Yu Gothic, Malgun Gothic, Noto Sans Devanagari, Nirmala UI"
)
_LOOK = {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": "medium"}
_LEGEND: Look = {"frameon": False, "fontsize": "small", "title_fontsize": "small"}

_LINE_LENGTH, _MOST_LINES = 24, 5
_MOST_LEGEND_LINES = 18
# In inches: the space of a legend before the figure grows; a line and a letter of the names of
# categories.
_LEGEND_WIDTH, _LEGEND_HEIGHT = 2.0, 4.2
_TICK_LINE, _TICK_LETTER = 0.165, 0.082
_LEFT_BY_LEGENDS = 0.75  # least proportion of the size of axes before the layout


def pyplot() -> Any:
    """`matplotlib.pyplot`, or an error with the command to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = "figures need matplotlib, which is not installed: pip install 'gaussbayes[plot]'"
        raise ImportError(msg) from error
    return plt


def styled(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Let a function draw in the style of all figures, and restore the user's settings."""

    @wraps(function)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        plt = pyplot()
        fonts = [*plt.rcParams["font.family"], *_wide_fonts()]
        look = _LOOK | {"font.family": fonts}
        before = {name: plt.rcParams[name] for name in look}
        plt.rcParams.update(look)
        try:
            return function(*args, **kwargs)
        finally:
            # Not rc_context, which would undo the settings of a backend that the first figure
            # loads: notebooks would show only that figure.
            plt.rcParams.update(before)

    return drawn


@cache
def _wide_fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return tuple(family for family in _WIDE_FONTS.split(", ") if family in installed)


@dataclass(frozen=True, slots=True)
class ClassStyle:
    """The style of one class in every figure."""

    label: str  # wrapped, safe to draw
    color: str
    marker: str
    line: Any


Styles: TypeAlias = Sequence[ClassStyle]


def class_styles(classes: LabelArray) -> tuple[ClassStyle, ...]:
    """A style for each class, in order: ten colours, then darker ones, then lighter ones."""
    from matplotlib.colors import to_hex

    styles = []
    for i, label in enumerate(classes.tolist()):
        shade = ((0.0, 0.0), (0.45, 0.0), (0.5, 1.0))[i // len(COLORS) % 3]
        color = to_hex(lighter(COLORS[i % len(COLORS)], *shade))
        marker, curve = MARKERS[i % len(MARKERS)], LINES[i % len(LINES)]
        styles.append(ClassStyle(text(label), color, marker, curve))
    return tuple(styles)


def lighter(color: str, proportion: float, towards: float = 1.0) -> tuple[float, float, float]:
    """A colour, mixed with this proportion of white or another grey.

    >>> lighter("black", 0.75)
    (0.75, 0.75, 0.75)
    """
    from matplotlib.colors import to_rgb

    red, green, blue = (float(part + (towards - part) * proportion) for part in to_rgb(color))
    return red, green, blue


def text(value: object, line_length: int = _LINE_LENGTH, most_lines: int = _MOST_LINES) -> str:
    """A label or name for a figure: in a few lines, never interpreted as a formula.

    >>> text("a very long name that costs $")
    'a very long name that\\ncosts \\\\$'
    """
    lines = wrap(str(value), line_length) or [" "]
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], lines[most_lines - 1][: line_length - 2] + " …"]
    # A leading underscore would hide an entry from the legend, a pair of $ starts a formula.
    written = "\n".join(lines).replace("$", r"\$")
    return f"\u2009{written}" if written.startswith("_") else written


def axes_for(ax: "Axes | None", figsize: tuple[float, float] = (6.4, 4.8)) -> "Axes":
    """The given axes, or those of a new figure."""
    return new_figure(figsize).add_subplot() if ax is None else ax


def new_figure(figsize: tuple[float, float]) -> "Figure":
    """A figure whose layout fits its text."""
    figure: Figure = pyplot().figure(figsize=figsize, layout="constrained")
    return figure


def legend_beside(
    ax: "Axes", handles: Sequence[Any] | None = None, title: str | None = None
) -> "Legend | None":
    """A legend to the right of the axes, where it cannot cover the data; a long one in columns.

    A second figure on the same axes adds its entries to those of the first. If another panel is to
    the right and there is no layout, it is inside the axes.
    """
    entries = list(ax.get_legend_handles_labels()[0] if handles is None else handles)
    if not entries:
        return None
    usual = [_LEGEND_WIDTH, _LEGEND_HEIGHT]
    before = ax.get_legend()
    if before is not None:
        known = {handle.get_label(): handle for handle in before.legend_handles if handle}
        entries = [*known.values(), *(new for new in entries if new.get_label() not in known)]
        title = title or before.get_title().get_text()
        usual = list(map(max, usual, inches(before)))
    n_lines = sum(str(handle.get_label()).count("\n") + 1 for handle in entries)
    columns: Look = {"ncols": 1 + (n_lines - 1) // _MOST_LEGEND_LINES, "alignment": "left"}
    place: Look = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    spec = ax.get_subplotspec()
    if ax.figure.get_figure(root=True).get_layout_engine() is None and not (
        spec is None or spec.is_last_col()
    ):
        inside: Look = {"loc": "best", "fontsize": "x-small", "framealpha": 0.8}
        return ax.legend(handles=entries, title=title, **inside)
    legend = ax.legend(handles=entries, title=title, **place, **columns, **_LEGEND)
    if all(other is ax or other.get_label() == "<colorbar>" for other in ax.figure.axes):
        _grow(ax.figure, *np.subtract(inches(legend), usual))
    return legend


def legend_outside(
    figure: "Figure | SubFigure", handles: Sequence[Any], title: str | None = None
) -> None:
    """One legend for all panels of a figure, at the right of them."""
    n_lines = sum(str(handle.get_label()).count("\n") + 1 for handle in handles)
    look: Look = {"loc": "outside right upper", "ncols": 1 + n_lines // (2 * _MOST_LEGEND_LINES)}
    legend = figure.legend(handles=list(handles), title=title, **look, **_LEGEND)
    _grow(figure, inches(legend)[0], 0.0)


def _grow(figure: "Figure | SubFigure", width: float, height: float) -> None:
    """Enlarge a figure by the additional space of a legend, so that axes keep their size."""
    root = figure.get_figure(root=True)
    if root is figure and root.get_layout_engine() is not None:  # keep layouts of other code
        wide, high = root.get_size_inches()
        root.set_size_inches(wide + max(0.0, width), high + max(0.0, height))


def inches(artist: "Axes | Legend") -> tuple[float, float]:
    """Width and height in inches, estimated before the figure is drawn."""
    box, dpi = artist.get_window_extent(), artist.figure.get_figure(root=True).dpi
    return box.width / dpi, box.height / dpi


def finish(
    ax: "Axes",
    axes: Sequence[Axis],
    handles: Sequence[Any],
    title: str | None = None,
    *,
    legend: bool = True,
) -> "Axes":
    """Label axes and ticks, draw the legend if requested, and return the axes."""
    label_axes(ax, axes)
    if legend:
        legend_beside(ax, handles, title)
    return ax


Limits: TypeAlias = tuple[Any, Any]
"""The lowest and the highest value shown along each axis."""


def widened(ax: "Axes", limits: Limits) -> Limits:
    """Limits that also include the current contents of the axes."""
    if not ax.has_data():
        return limits
    ends = np.array([ax.get_xlim(), ax.get_ylim()])
    return np.minimum(limits[0], ends.min(axis=1)), np.maximum(limits[1], ends.max(axis=1))


def set_limits(ax: "Axes", limits: Limits) -> None:
    """Set the limits of the axes."""
    (left, right), (bottom, top) = zip(*limits, strict=True)
    ax.set(xlim=(left, right), ylim=(bottom, top))


def line(label: str, **look: Any) -> Any:
    """A legend entry that is a line."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def patch(label: str, **look: Any) -> Any:
    """A legend entry that is a patch of colour."""
    from matplotlib.patches import Patch

    return Patch(label=label, **look)


def label_axes(ax: "Axes", axes: Sequence[Axis]) -> None:
    """Write the names of one or two features along the axes, and their categories or integers."""
    ax.set_xlabel(text(axes[0].name, 32))
    draw_ticks(ax, axes[0], "x")
    if len(axes) > 1:
        ax.set_ylabel(text(axes[1].name, 40))
        draw_ticks(ax, axes[1], "y")


def draw_ticks(
    ax: "Axes", axis: Axis, which: Literal["x", "y"], line_length: int = _LINE_LENGTH
) -> None:
    """Ticks at the values of a feature: its categories with names, or integers.

    Names are horizontal if there is space, otherwise vertical; if even this is too narrow, only
    every second, third, … name is shown.
    """
    from matplotlib.ticker import MaxNLocator

    ticks = ax.xaxis if which == "x" else ax.yaxis
    if axis.origin is not None:
        room = _LEFT_BY_LEGENDS * inches(ax)[which == "y"]
        ticks.set_major_locator(MaxNLocator(max(1, int(room / (1.2 if which == "x" else 0.4)))))
        ticks.set_major_formatter(lambda days, _: date_of(axis, days))
    if axis.integers is not None:
        ticks.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    if axis.is_ordered:
        return
    names = axis.categories
    room = _LEFT_BY_LEGENDS * inches(ax)[which == "y"] / len(names)
    letters = int(room / _TICK_LETTER)
    longest = max(len(word) for name in names for word in name.split() or " ")
    upright = which == "x" and longest > letters
    size = (line_length, min(3, max(1, int(room / _TICK_LINE))))
    if which == "x" and not upright:
        size = (letters, 3)
    places = range(0, len(names), ceil(_TICK_LINE / room))
    ticks.set_ticks(list(places), [text(names[place], *size) for place in places])
    ax.tick_params(axis=which, labelsize="small", length=0)
    if upright:
        ax.tick_params(axis=which, labelrotation=90)


def date_of(axis: Axis, days: float) -> str:
    """The day on an axis of dates."""
    return str(np.datetime64(str(axis.origin)[:10]) + np.timedelta64(round(days), "D"))


def separate_categories(ax: "Axes", axes: Sequence[Axis]) -> None:
    """White lines between categories, which are not continuous."""
    for axis, draw in zip(axes, (ax.axvline, ax.axhline), strict=False):
        for place in range(1, len(axis.categories)):
            draw(place - 0.5, color="white", linewidth=2.5, zorder=2.5)
