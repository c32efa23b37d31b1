"""How every figure looks: a colour and a marker for each class, text that fits, legends aside.

The colours are Petroff's ten, chosen to stay apart for colour-blind eyes, with the greys last; a
marker for each class says the same without colour. Matplotlib is imported when the first figure is
drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import numpy as np

from gaussbayes.analysis.view import Axis
from gaussbayes.base.types import LabelArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")

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

_WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Nirmala UI",
)
"""Families that have what matplotlib's own font lacks; those installed are asked after it."""

_LOOK = {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": "medium"}

_TICK_LINE, _TICK_LETTER = 0.165, 0.082
"""Height of a line and width of a letter of the names of categories, in inches."""
_LEFT_BY_LEGENDS = 0.75
"""What legends and labels leave at least of the size that axes have before they are laid out."""
_LINE_LENGTH = 24
_MOST_LINES = 5
_MOST_LEGEND_LINES = 18
_LEGEND_WIDTH, _LEGEND_HEIGHT, _LEGEND_BELOW = 2.0, 4.2, 0.7
"""In inches: what a legend may take of a figure before the figure grows."""


def pyplot() -> Any:
    """`matplotlib.pyplot`, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = (
            "figures are drawn with matplotlib, which is not installed: "
            "pip install 'gaussbayes[plot]'"
        )
        raise ImportError(msg) from error
    return plt


def styled(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Let a function draw in the style of all figures, leaving the user's settings as they were.

    Examples
    --------
    >>> import matplotlib
    >>> styled(lambda: matplotlib.rcParams["axes.spines.top"])()
    False
    """

    @wraps(function)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        with pyplot().rc_context(_LOOK | {"font.family": _families()}):
            return function(*args, **kwargs)

    return drawn


def _families() -> list[str]:
    from matplotlib import rcParams

    return [*rcParams["font.family"], *_wide_fonts()]


@cache
def _wide_fonts() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return tuple(family for family in _WIDE_FONTS if family in installed)


@dataclass(frozen=True, slots=True)
class ClassStyle:
    """What one class looks like in every figure."""

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

    towards, proportion = ((0.0, 0.0), (0.0, 0.45), (1.0, 0.5))[i // len(COLORS) % 3]
    rgb = np.asarray(to_rgb(COLORS[i % len(COLORS)]))
    return to_hex(tuple(rgb + (towards - rgb) * proportion))


def lighter(color: str, proportion: float) -> tuple[float, float, float]:
    """A colour, moved by this proportion of the way to white.

    Examples
    --------
    >>> lighter("black", 0.75)
    (0.75, 0.75, 0.75)
    """
    from matplotlib.colors import to_rgb

    red, green, blue = (float(part + (1.0 - part) * proportion) for part in to_rgb(color))
    return red, green, blue


def text(value: object, line_length: int = _LINE_LENGTH, most_lines: int = _MOST_LINES) -> str:
    """A label or name as a figure writes it: in a few lines, nothing read as a formula.

    Examples
    --------
    >>> text("a very long name that needs two lines")
    'a very long name that\\nneeds two lines'
    >>> text("price in $")
    'price in \\\\$'
    """
    lines = wrap(str(value), line_length) or [" "]
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], lines[most_lines - 1][: line_length - 2] + " …"]
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
    """A legend to the right of the axes, where it cannot cover the data; a long one in columns.

    A second figure on the same axes adds its entries to those of the first.
    """
    entries = list(ax.get_legend_handles_labels()[0] if handles is None else handles)
    if not entries:
        return None
    before = ax.get_legend()
    usual = (_LEGEND_WIDTH, _LEGEND_HEIGHT)
    if before is not None:
        known = {handle.get_label(): handle for handle in before.legend_handles if handle}
        entries = [*known.values(), *(new for new in entries if new.get_label() not in known)]
        title = title or before.get_title().get_text()
        width, height = _inches(ax.figure, before)
        usual = (max(usual[0], width), max(usual[1], height))
    n_lines = sum(str(handle.get_label()).count("\n") + 1 for handle in entries)
    legend = ax.legend(
        handles=entries,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        alignment="left",
        ncols=1 + (n_lines - 1) // _MOST_LEGEND_LINES,
    )
    if len(ax.figure.axes) == 1:
        width, height = _inches(ax.figure, legend)
        _grow(ax.figure, width - usual[0], height - usual[1])
    return legend


def legend_below(
    figure: "Figure | SubFigure", handles: Sequence[Any], title: str | None = None
) -> "Legend":
    """One legend for all panels of a figure, under them."""
    longest = max(len(line) for handle in handles for line in str(handle.get_label()).split("\n"))
    width = figure.bbox.width / figure.get_figure(root=True).dpi  # in inches
    legend = figure.legend(
        handles=list(handles),
        title=title,
        loc="outside lower center",
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        ncols=max(1, min(len(handles), int(width / (0.085 * longest + 0.55)))),
    )
    _grow(figure, 0.0, _inches(figure, legend)[1] - _LEGEND_BELOW)
    return legend


def _grow(figure: "Figure | SubFigure", width: float, height: float) -> None:
    """Make a figure larger by what a legend needs beyond the usual, or the axes would be crushed.

    Only where the layout is ours or like ours; figures that others have laid out stay as they are.
    """
    root = figure.get_figure(root=True)
    if root is figure and root.get_layout_engine() is not None:
        wide, high = root.get_size_inches()
        root.set_size_inches(wide + max(0.0, width), high + max(0.0, height))


def _inches(figure: "Figure | SubFigure", legend: "Legend") -> tuple[float, float]:
    box = legend.get_window_extent()
    dpi = figure.get_figure(root=True).dpi
    return box.width / dpi, box.height / dpi


def size_of(ax: "Axes") -> tuple[float, float]:
    """Width and height of axes in inches, as far as they are known before the figure is drawn."""
    box = ax.get_window_extent()
    dpi = ax.figure.get_figure(root=True).dpi
    return box.width / dpi, box.height / dpi


def name_axes(ax: "Axes", names: Sequence[str]) -> None:
    """Write the names of one or two features along the axes."""
    ax.set_xlabel(text(names[0], 48))
    if len(names) > 1:
        ax.set_ylabel(text(names[1], 40))


def label_axes(ax: "Axes", axes: Sequence[Axis]) -> None:
    """Write the names of one or two features along the axes, and their categories or integers."""
    name_axes(ax, [axis.name for axis in axes])
    draw_ticks(ax, axes[0], "x")
    if len(axes) > 1:
        draw_ticks(ax, axes[1], "y")


def draw_ticks(
    ax: "Axes", axis: Axis, which: Literal["x", "y"], line_length: int = _LINE_LENGTH
) -> None:
    """Ticks where a feature has values: at its categories, whose names are written, or integers.

    Names stand beside each other if there is room, else upright; where even that is too narrow,
    only every second, third, … is written.
    """
    from matplotlib.ticker import MaxNLocator

    ticks = ax.xaxis if which == "x" else ax.yaxis
    if axis.is_ordered:
        if axis.integers is not None:
            ticks.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
        return
    n = len(axis.categories)
    width, height = size_of(ax)
    room = _LEFT_BY_LEGENDS * (width if which == "x" else height) / n
    step = -(-_TICK_LINE // room) if room < _TICK_LINE else 1
    n_lines = max(1, int(room / _TICK_LINE))
    written = [text(name, line_length, min(3, n_lines)) for name in axis.categories]
    upright = False
    if which == "x":
        length = int(room / _TICK_LETTER)
        upright = (
            max(len(word) for name in axis.categories for word in name.split() or " ") > length
        )
        if not upright:
            written = [text(name, length, 3) for name in axis.categories]
    places = range(0, n, int(step))
    ticks.set_ticks(list(places), [written[place] for place in places])
    ax.tick_params(axis=which, labelsize="small", length=0)
    if upright:
        ax.tick_params(axis=which, labelrotation=90)
