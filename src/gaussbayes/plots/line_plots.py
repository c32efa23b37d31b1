"""One feature: densities, joint densities, evidence and posteriors of the classes, and boundaries.

Numbers have curves; categories and counts have bars, with marks at the proportions of the rows.
Boundaries are vertical lines with their values written above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.grid import curve_points, view_limits
from gaussbayes.analysis.view import View, model_of, view_of
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.row_plots import UNLABELLED, RowPoints
from gaussbayes.plots.style import Classifier, Features, Look, Styles, styled

BOUNDARY = "decision boundary"

Quantity: TypeAlias = Literal["likelihood", "joint", "posterior", "evidence"]
"""What is drawn along a feature, by the name of a method of `View`."""

_WORDS: dict[str, str] = {
    "likelihood": "p(x | c)",
    "joint": "p(c) p(x | c)",
    "posterior": "p(c | x)",
    "evidence": "p(x)",
}

_MOST_BARS = 120  # more bars are shown as lines
_RESOLUTION = 501
_NEAR = 0.15  # of the stretch shown: a boundary this little outside is worth the room
_TICK, _STRIP_LINE = 0.35, 0.17  # heights in inches: for a tick, and a class's line of markers
_GROUP = 0.8  # of the room between neighbouring values, what their bars take
# In inches: width of a digit and height of a line of small print; from a line's end to its value.
_DIGIT, _LINE, _LEADER = 0.078, 0.16, 0.13
_SMALLEST = 0.75  # of the width axes have before they are laid out, what legends leave at least
_MOST_NAMED = 3  # of the boundaries beyond the figure

# What marks look like that show the proportions of rows, and the evidence as bars and as a line.
_LABELLED: Look = {"linewidth": 2.0}
_WITHOUT_LABEL: Look = {"linewidth": 1.5, "linestyle": (0, (2.5, 1.2))}
_OUTLINE: Look = {"facecolor": "none", "edgecolor": style.FAINT, "linewidth": 1.5}
_BROAD: Look = {"color": style.FAINT, "linewidth": 3.0}


@dataclass(frozen=True, slots=True)
class BoundaryLines:
    """The decision boundaries along a feature, within the stretch that is shown and beyond it."""

    positions: tuple[float, ...]
    between_integers: bool
    low: float
    high: float

    @property
    def inside(self) -> list[float]:
        """Those within the stretch."""
        return [at for at in self.positions if self.low <= at <= self.high]

    def draw(self, ax: Axes, *, write: bool = True) -> float:
        """Draw a line at each boundary; returns how much of the height the values take above.

        They are moved aside where they would overlap, upright where many must find room; if there
        is no room at all, the lines stand alone.
        """
        if not self.inside:
            return 0.0
        low, span = self.low, self.high - self.low
        width, height = style.inches(ax)
        written = numbers(self.inside, span, self.between_integers)
        longest = max(len(value) for value in written) * _DIGIT
        room = (longest + _DIGIT) / (_SMALLEST * width)
        upright = len(written) * room > 1.0
        if upright:
            room = _LINE / (_SMALLEST * width)
        write = write and len(written) * room <= 1.0
        above = ((longest if upright else _LINE) + _LEADER) / height if write else 0.0
        look: Look = {"colors": style.INK, "linewidth": 1.0, "zorder": 4}
        look["transform"] = across_data = ax.get_xaxis_transform()
        ax.vlines(self.inside, 0.0, 1.0 - above, label=BOUNDARY, **look)
        if not write:
            return 0.0
        places = low + span * spread((np.array(self.inside) - low) / span, room)
        foot, head = 1.0 - above, 1.0 - above + 0.8 * _LEADER / height
        leaders = []
        small: Look = {"ha": "center", "va": "top", "fontsize": "small", "color": style.INK}
        small |= {"rotation": 90.0 if upright else 0.0, "transform": across_data}
        for at, place, value in zip(self.inside, places, written, strict=True):
            leaders.append([(at, foot), (place, head)])
            ax.text(place, 0.995, value, **small)
        ax.add_collection(LineCollection(leaders, **look), autolim=False)
        return above

    def handles(self) -> list[Any]:
        """The legend entry, which also names boundaries beyond the figure; none without any."""
        if not self.positions:
            return []
        outside = [at for at in self.positions if at not in self.inside]
        beyond = numbers(outside, self.high - self.low, self.between_integers)
        named = ", ".join(beyond[:_MOST_NAMED])
        more = f" and {len(beyond) - _MOST_NAMED} more" if len(beyond) > _MOST_NAMED else ""
        where = "also at" if self.inside else "not shown: at"
        label = f"{BOUNDARY},\n{style.text(f'{where} {named}{more}')}" if beyond else BOUNDARY
        return [style.line(label, color=style.INK, linewidth=float(bool(self.inside)))]


def boundary_lines(seen: View, low: float, high: float) -> BoundaryLines:
    """Those of the one feature of a view."""
    return BoundaryLines(seen.boundaries(low, high), seen.axes[0].is_discrete, low, high)


@dataclass(frozen=True, slots=True, eq=False)
class LineScene:
    """What a figure of one feature shows: a stretch of the line, boundaries, and maybe rows."""

    view: View
    x: FloatArray  # (m,) where the densities are computed
    boundaries: BoundaryLines
    rows: RowPoints
    styles: Styles  # k of them

    @property
    def is_discrete(self) -> bool:
        """Whether the feature holds categories or integers."""
        return self.view.axes[0].is_discrete

    @property
    def few(self) -> bool:
        """Whether there are rows of numbers, few enough for a marker each."""
        return not self.is_discrete and 0 < self.rows.codes.size <= row_plots.MOST_ON_A_LINE

    @property
    def has_bars(self) -> bool:
        """Whether each value and class has a bar."""
        return self.is_discrete and self.x.size * len(self.styles) <= _MOST_BARS

    def bars(self, code: int) -> tuple[FloatArray, float]:
        """Where the bars of a class begin (m,), and their width; those of −1 take all room."""
        width = _GROUP * float(self.x[1] - self.x[0] if self.x.size > 1 else 1.0)
        if code < 0 or not self.has_bars:
            return self.x - width / 2, width
        return self.x - width / 2 + code * (width / len(self.styles)), width / len(self.styles)

    def groups(self, weighted: bool) -> Iterator[tuple[FloatArray, int, str, float]]:
        """The rows of each class that has some: values, code, colour and the area they stand for.

        At last those without label, of code −1, which are of all classes together.
        """
        for code in [*range(len(self.styles)), -1]:
            values = self.rows.places[self.rows.codes == code, 0]
            if values.size:
                area = float(self.view.model.prior[code]) if weighted and code >= 0 else 1.0
                yield values, code, self.styles[code].color if code >= 0 else UNLABELLED, area


def scene(view: View, rows: RowPoints) -> LineScene:
    """Choose the stretch of the line that shows every row, every class and every near boundary."""
    (low,), (high,) = view_limits(view, *([] if view.has_means else [rows.places]))
    if rows.codes.size:
        (lowest,), (highest,) = view_limits(view, rows.places)
        low, high = min(low, lowest), max(high, highest)
    span = high - low
    boundaries = boundary_lines(view, low - _NEAR * span, high + _NEAR * span)
    near = boundaries.inside
    if near:
        low, high = min(low, near[0] - 0.02 * span), max(high, near[-1] + 0.02 * span)
    low, high = view.axes[0].limits(float(low), float(high))
    x = curve_points(view, low, high, _RESOLUTION, near)
    shown = replace(boundaries, low=low, high=high)
    return LineScene(view, x, shown, rows, style.class_styles(view.classes))


@styled
def densities(
    model: Classifier,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the density ``p(x | c)`` of each class along one feature, with the decision boundaries.

    Other features are integrated out. Categories and counts have bars instead of curves. A vertical
    line marks each value at which the most probable class changes; the legend lists boundaries that
    are too far away to be shown.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier`
    X, y : rows (n, d) with all features of the model, and their labels (n,) or the name of their
        column. Up to 60 rows are drawn as markers below the curves, more as histograms of area 1;
        for categories and counts, marks show their proportions in each class. Unlabelled rows are
        grey.
    features : the feature, by name or number; needed if the model has more than one
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    >>> ax = densities(GaussianClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['4.944']
    """
    model_of(model)  # an error if it has no densities
    view = view_of((1,), model, style.chosen(features))
    return draw_curves("likelihood", view, X, y, legend=legend, ax=ax)


def draw_curves(
    quantity: Quantity,
    view: View,
    X: TableLike | None,
    y: LabelsLike | None,
    *,
    label: object = None,
    legend: bool,
    ax: Axes | None,
) -> Axes:
    """A quantity of one class, or of all, along the one feature of a view."""
    points = row_plots.points_of(view, X, y)
    if quantity == "evidence":  # rows of all classes together
        points = replace(points, codes=np.full(points.codes.size, -1))
    shown = scene(view, points)
    codes = range(len(shown.styles)) if label is None else view.codes([label]).tolist()
    ax = style.axes_for(ax)
    draw_scene(ax, shown, quantity, codes)
    return style.finish(ax, view.axes, _handles(shown, quantity, codes), legend=legend)


def draw_scene(
    ax: Axes,
    shown: LineScene,
    quantity: Quantity,
    codes: Sequence[int],
    *,
    write: bool = True,
    strip: bool = True,
) -> None:
    """A quantity of some classes, the rows and the boundaries, whose values are written."""
    points, below = shown.x[:, None], 0.0
    values = getattr(shown.view, quantity)(points)
    heights = [1.0 if quantity == "posterior" else float(np.nanmax(values))]
    if quantity == "evidence":
        _draw_evidence(ax, shown, values)
    else:
        _draw_values(ax, shown, values, codes, stacked=quantity == "posterior")
    if quantity == "joint" and len(codes) == len(shown.styles):
        evidence = shown.view.evidence(points)
        _draw_evidence(ax, shown, evidence)
        heights.append(float(evidence.max()))
    if shown.few and strip:
        n_lines = len(shown.styles) + int(shown.rows.unlabelled.any())
        below = min(0.3, _STRIP_LINE * n_lines / style.inches(ax)[1])
        _draw_strip(ax, shown, below, n_lines)
    elif quantity == "posterior":  # no histogram has its scale
        below = 0.0 if shown.has_bars else 0.03
    elif not shown.few:
        heights += _draw_rows(ax, shown, quantity == "joint")
    above = shown.boundaries.draw(ax, write=write) if quantity != "evidence" else 0.0
    _frame(ax, shown, max(heights), below, above)
    ax.set_ylabel(_WORDS[quantity])


def _draw_evidence(ax: Axes, shown: LineScene, values: NDArray[Any]) -> None:
    if shown.has_bars:
        left, width = shown.bars(-1)
        ax.bar(left, values, width, align="edge", zorder=1, gid="evidence", **_OUTLINE)
    else:
        ax.plot(shown.x, values, zorder=2, gid="evidence", **_BROAD)


def _draw_values(
    ax: Axes,
    shown: LineScene,
    values: NDArray[Any],
    codes: Sequence[int],
    *,
    stacked: bool,
) -> None:
    """A curve for each class through values (m, k), or bars: side by side, or on each other."""
    known = np.zeros(values.shape)
    known[:, codes] = np.nan_to_num(values[:, codes])
    bottoms = np.cumsum(known, axis=1) - known
    edge: Look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 2}
    dots: Look = {"marker": ".", "markersize": 4} if shown.is_discrete else {}
    for code in codes:
        look = shown.styles[code]
        left, width = shown.bars(code)
        if not shown.has_bars:
            line: Look = {"color": look.color, "linestyle": look.line, "zorder": 3}
            ax.plot(shown.x, values[:, code], **line, **dots)
        elif stacked:
            heights, bottom = known[:, code], bottoms[:, code]
            ax.bar(shown.x, heights, shown.bars(-1)[1], bottom, color=look.color, **edge)
        else:
            ax.bar(left, values[:, code], width, align="edge", color=look.color, zorder=2)


def _draw_rows(ax: Axes, shown: LineScene, weighted: bool) -> Iterator[float]:
    """The rows of each class, as a histogram or as marks at their proportions; yields the highest.

    A histogram has area 1, or that of the class's prior.
    """
    for values, code, color, area in shown.groups(weighted):
        if shown.is_discrete:
            height = proportions(values, shown.x, area)
            left, width = shown.bars(code)
            look: Look = {"colors": style.INK if code >= 0 and shown.has_bars else color}
            look |= _LABELLED if code >= 0 else _WITHOUT_LABEL
            ax.hlines(height, left, left + width, gid=f"rows {code}", zorder=4, **look)
            yield float(height.max())
        elif (steps := histogram(values, area)) is not None:  # a single value has no density
            ax.stairs(*steps, fill=True, color=color, alpha=0.25, zorder=1)
            ax.stairs(*steps, color=color, alpha=0.6, linewidth=0.8, zorder=2)
            yield float(steps[0].max())


def histogram(values: FloatArray, area: float = 1.0) -> tuple[FloatArray, FloatArray] | None:
    """Heights (m,) and edges (m + 1,) of a histogram with this area; None of a single value.

    The number of intervals is twice the cube root of that of the values (Rice's rule).
    """
    if values.size == 0 or values.min() == values.max():
        return None
    n_intervals = int(np.ceil(2 * np.cbrt(values.size)))
    heights, edges = np.histogram(values, bins=n_intervals, density=True)
    return area * heights, edges


def proportions(values: FloatArray, points: FloatArray, area: float = 1.0) -> FloatArray:
    """The proportion of values (n,) at each of equally spaced points (m,), times a factor.

    Values between two points count for the lower one. All are 0 if there are no values.
    """
    step = points[1] - points[0] if points.size > 1 else 1.0
    count = np.histogram(values, bins=np.append(points, points[-1] + step) - 1e-9 * step)[0]
    return area * count / max(1, values.size)


def _draw_strip(ax: Axes, shown: LineScene, height: float, n_lines: int) -> None:
    """The rows as markers, one line for each class, in this lowest part of the axes."""
    edge: Look = {"linestyle": "none", "markeredgecolor": "white", "markeredgewidth": 0.5}
    edge |= {"transform": ax.get_xaxis_transform(), "clip_on": False, "zorder": 5}
    for values, code, color, _ in shown.groups(False):
        marker, size = (shown.styles[code].marker, 5.5) if code >= 0 else ("o", 4.0)
        at = height * (n_lines - (code if code >= 0 else n_lines - 1) - 0.5) / n_lines
        look: Look = {"marker": marker, "markersize": size, "markerfacecolor": color}
        ax.plot(values, np.full(values.size, at), **look, **edge)


def _frame(ax: Axes, shown: LineScene, top: float, below: float, above: float) -> None:
    """Show 0 … top, with this much of the height free below and above; ticks where curves are."""
    ax.set_xlim(shown.boundaries.low, shown.boundaries.high)
    full = 1.04 * top / (1.0 - below - above)
    ax.set_ylim(-below * full, (1.0 - below) * full)
    room = style.inches(ax)[1] * (1.0 - below - above)
    ticks = MaxNLocator(max(2, int(room / _TICK)), steps=[1, 2, 5, 10]).tick_values(0.0, top)
    ax.set_yticks([tick for tick in ticks if -1e-9 * top <= tick <= (1.0 + 1e-9) * top])
    if below:
        ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=0)


def _handles(shown: LineScene, quantity: Quantity, codes: Sequence[int]) -> list[Any]:
    """Legend entries: the classes, then whatever else is shown."""
    kind = style.patch if shown.has_bars else style.line
    entries: list[Any] = []
    for look in (shown.styles[code] for code in codes if quantity != "evidence"):
        marker = look.marker if shown.few else "none"
        curve: Look = {"linestyle": look.line, "marker": marker, "markeredgecolor": "white"}
        entries.append(kind(look.label, color=look.color, **{} if shown.has_bars else curve))
    if quantity == "evidence" or (quantity == "joint" and len(codes) == len(shown.styles)):
        entries.append(kind("evidence p(x)", **_OUTLINE if shown.has_bars else _BROAD))
    boundaries = [] if quantity == "evidence" else shown.boundaries.handles()
    if shown.few or quantity == "posterior" or not shown.rows.codes.size:
        rows = row_plots.row_handles(shown.rows) if shown.few else []
        return [*entries, *rows, *boundaries]
    if shown.is_discrete:
        color = style.INK if shown.has_bars else style.FAINT
        rows = [style.line("rows (proportion)", color=color, **_LABELLED)]
        unlabelled = style.line("unlabelled", color=UNLABELLED, **_WITHOUT_LABEL)
    else:
        rows = [style.patch("rows (histogram)", facecolor=style.FAINT, alpha=0.4)]
        unlabelled = style.patch("unlabelled", facecolor=UNLABELLED, alpha=0.4)
    if shown.rows.unlabelled.any() and quantity != "evidence":
        rows.append(unlabelled)
    return [*entries, *rows, *row_plots.missing_handles(shown.rows.n_missing), *boundaries]


def numbers(positions: Sequence[float], span: float, between_integers: bool = False) -> list[str]:
    """Positions as they are written in a figure of this span.

    To a thousandth of it, finer where two would read nearly the same; to a half between integers.

    >>> numbers([4.894721, 15.365512], span=8.0)
    ['4.895', '15.366']
    >>> numbers([-0.0045, 0.0045], span=60.0), numbers([2.5e-7], span=1e-6)
    (['−0.0045', '0.0045'], ['2.50e-07'])
    """
    if between_integers:
        return [f"{value:.1f}".replace("-", "−") for value in positions]
    apart = np.diff(np.unique(np.asarray(positions, dtype=np.float64)))
    place = floor(log10(max(min([1e-3 * span, *(0.1 * apart)]), 1e-5 * span)))
    written = []
    for value in positions:
        first, form = (0, "f")
        if value and not 1e-4 <= abs(value) < 1e7:
            first, form = floor(log10(abs(value))), "e"
        decimals = min(16, max(0, first - place))
        written.append(f"{value:.{decimals}{form}}".replace("-", "−", int(value < 0)))
    return written


def spread(wanted: FloatArray, width: float) -> FloatArray:
    """Move positions (n,), in ascending order, as little as it takes to be this far apart.

    All stay within 0 and 1 by half the width: by least squares, a monotone regression.

    >>> spread(np.array([0.5, 0.52, 0.9]), 0.1).round(4).tolist()
    [0.46, 0.56, 0.9]
    """
    from scipy.optimize import isotonic_regression

    steps = width * np.arange(wanted.size)
    moved = isotonic_regression(wanted - steps).x
    places: FloatArray = np.clip(moved, width / 2, 1.0 - width / 2 - steps[-1]) + steps
    return places
