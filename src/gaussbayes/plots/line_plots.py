"""One feature: densities, joint densities, evidence and posteriors of the classes, and boundaries.

Numbers have curves; categories and counts have bars, with marks at the proportions of the rows.
Boundaries are vertical lines; the legend gives their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.view import Quantity, View, view
from gaussbayes.base.numerals import five_digits
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.row_plots import UNLABELLED, RowPoints
from gaussbayes.plots.style import Classifier, Features, Look, Styles, styled

BOUNDARY = "decision boundary"

_WORDS: dict[str, str] = {
    "likelihood": "p(x | c)",
    "joint": "p(c) p(x | c)",
    "posterior": "p(c | x)",
    "evidence": "p(x)",
}
_RESOLUTION = 501
_MOST_MARKERS = 60  # of rows as markers; more have histograms
_TICK, _STRIP_LINE = 0.35, 0.17  # heights in inches: for a tick, and a class's line of markers
_GROUP = 0.8  # proportion of the distance between neighbouring values for their bars
_MOST_NAMED = 6  # boundaries whose values the legend gives
_FAR = 2.0  # of the shown range: boundaries further away are not computed

# Style of marks for the proportions of rows, and of the evidence as bars and as a line.
_LABELLED: Look = {"linewidth": 2.0}
_WITHOUT_LABEL: Look = {"linewidth": 1.5, "linestyle": (0, (2.5, 1.2))}
_OUTLINE: Look = {"facecolor": "none", "edgecolor": style.FAINT, "linewidth": 1.5}
_BROAD: Look = {"color": style.FAINT, "linewidth": 3.0}


@dataclass(frozen=True, slots=True, eq=False)
class LineScene:
    """The contents of a figure of one feature: its range, boundaries, and possibly rows."""

    view: View
    x: FloatArray  # (m,) where the densities are computed
    limits: tuple[float, float]
    boundaries: tuple[float, ...]  # also those beyond the limits, for the legend
    rows: RowPoints
    styles: Styles  # k of them

    @property
    def is_discrete(self) -> bool:
        """Whether the feature holds categories or integers."""
        return self.view.axes[0].is_discrete

    @property
    def few(self) -> bool:
        """Whether there are rows of numbers, few enough for markers."""
        return not self.is_discrete and 0 < self.rows.codes.size <= _MOST_MARKERS

    def bars(self, code: int) -> tuple[FloatArray, float]:
        """The left ends of the bars of a class (m,), and their width; −1 has the full width."""
        width = _GROUP * float(self.x[1] - self.x[0] if self.x.size > 1 else 1.0)
        if code < 0:
            return self.x - width / 2, width
        return self.x - width / 2 + code * (width / len(self.styles)), width / len(self.styles)

    def groups(self) -> Iterator[tuple[FloatArray, int, str]]:
        """Values, code and colour of the rows of each class, then those of unlabelled rows (−1)."""
        for code in [*range(len(self.styles)), -1]:
            values = self.rows.places[self.rows.codes == code, 0]
            if values.size:
                yield values, code, self.styles[code].color if code >= 0 else UNLABELLED


def scene(seen: View, rows: RowPoints) -> LineScene:
    """Choose a range that shows every row and every class."""
    (low,), (high,) = seen.limits(*([] if seen.is_model else [rows.places]))
    if rows.codes.size:
        (lowest,), (highest,) = seen.limits(rows.places)
        low, high = min(low, lowest), max(high, highest)
    (axis,), span = seen.axes, high - low
    boundaries = seen.boundaries(*axis.limits(low - _FAR * span, high + _FAR * span))
    limits = axis.limits(float(low), float(high))
    x = seen.curve_points(*limits, _RESOLUTION)
    return LineScene(seen, x, limits, boundaries, rows, style.class_styles(seen.classes))


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
    line marks each value at which the most probable class changes; the legend gives these values.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier`
    X, y : rows (n, d) with all features of the model, and their labels (n,) or the name of their
        column. Up to 60 rows are drawn as markers below the curves, more as histograms of area 1;
        for categories and counts, marks show their proportions in each class. Unlabelled rows are
        grey.
    features : the feature, by name or number; None shows the most informative
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
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['A', 'B', 'decision boundary\\nat 4.9444, 15.316']
    """
    seen = view(model, features, (1,), densities=True)
    return draw_curves("likelihood", seen, X, y, None, legend, ax)


def draw_curves(
    quantity: Quantity,
    view: View,
    X: TableLike | None,
    y: LabelsLike | None,
    label: object,
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


def draw_scene(ax: Axes, shown: LineScene, quantity: Quantity, codes: Sequence[int]) -> None:
    """A quantity of some classes, the rows and the boundaries."""
    points, below = shown.x[:, None], 0.0
    values = shown.view.score(quantity, points)
    heights = [1.0 if quantity == "posterior" else float(np.nanmax(values))]
    if quantity == "evidence":
        _draw_evidence(ax, shown, values)
    else:
        _draw_values(ax, shown, values, codes, stacked=quantity == "posterior")
    if quantity == "joint" and len(codes) == len(shown.styles):
        evidence = shown.view.score("evidence", points)
        _draw_evidence(ax, shown, evidence)
        heights.append(float(evidence.max()))
    if shown.few:
        n_lines = len(shown.styles) + int(shown.rows.unlabelled.any())
        below = min(0.3, _STRIP_LINE * n_lines / style.inches(ax)[1])
        _draw_strip(ax, shown, below, n_lines)
    elif quantity == "posterior":  # histograms have another scale
        below = 0.0 if shown.is_discrete else 0.03
    elif not shown.few:
        heights += _draw_rows(ax, shown, weighted=quantity == "joint")
    if quantity != "evidence":
        look: Look = {"color": style.INK, "linewidth": 1.0, "zorder": 4, "gid": "boundary"}
        low, high = shown.limits
        for at in (at for at in shown.boundaries if low <= at <= high):
            ax.axvline(at, **look)
    _frame(ax, shown, max(heights), below)
    ax.set_ylabel(_WORDS[quantity])


def _draw_values(
    ax: Axes, shown: LineScene, values: NDArray[Any], codes: Sequence[int], *, stacked: bool
) -> None:
    """A curve for each class through values (m, k), or bars: side by side, or superimposed."""
    known = np.zeros(values.shape)
    known[:, codes] = np.nan_to_num(values[:, codes])
    bottoms = np.cumsum(known, axis=1) - known
    edge: Look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 2}
    for code in codes:
        look = shown.styles[code]
        if not shown.is_discrete:
            line: Look = {"color": look.color, "linestyle": look.line, "zorder": 3}
            ax.plot(shown.x, values[:, code], **line)
        elif stacked:
            heights, bottom = known[:, code], bottoms[:, code]
            ax.bar(shown.x, heights, shown.bars(-1)[1], bottom, color=look.color, **edge)
        else:
            left, width = shown.bars(code)
            ax.bar(left, values[:, code], width, align="edge", color=look.color, zorder=2)


def _draw_evidence(ax: Axes, shown: LineScene, values: NDArray[Any]) -> None:
    if shown.is_discrete:
        left, width = shown.bars(-1)
        ax.bar(left, values, width, align="edge", zorder=1, gid="evidence", **_OUTLINE)
    else:
        ax.plot(shown.x, values, zorder=2, gid="evidence", **_BROAD)


def _draw_rows(ax: Axes, shown: LineScene, *, weighted: bool) -> Iterator[float]:
    """Draw the rows of each class as a histogram or as marks at proportions; yield the heights.

    A histogram has area 1, or the prior of the class.
    """
    for values, code, color in shown.groups():
        area = float(shown.view.model.prior[code]) if weighted and code >= 0 else 1.0
        if shown.is_discrete:
            edges = np.append(shown.x, 2 * shown.x[-1] - shown.x[-2:][0] + (shown.x.size == 1))
            counts = np.histogram(values, edges - 1e-9)[0]
            height = area * counts / values.size
            left, width = shown.bars(code)
            look: Look = {"colors": style.INK if code >= 0 else color}
            look |= _LABELLED if code >= 0 else _WITHOUT_LABEL
            ax.hlines(height, left, left + width, gid=f"rows {code}", zorder=4, **look)
            yield float(height.max())
        elif values.min() < values.max():  # a single value has no density
            n_bars = int(np.ceil(2 * np.cbrt(values.size)))  # Rice's rule
            height, edges = np.histogram(values, n_bars, density=True)
            look = {"color": color, "gid": f"rows {code}"}
            ax.stairs(area * height, edges, fill=True, alpha=0.25, zorder=1, **look)
            ax.stairs(area * height, edges, alpha=0.6, linewidth=0.8, zorder=2, **look)
            yield float(area * height.max())


def _draw_strip(ax: Axes, shown: LineScene, height: float, n_lines: int) -> None:
    """The rows as markers, one line for each class, in this lowest part of the axes."""
    edge: Look = {"linestyle": "none", "markeredgecolor": "white", "markeredgewidth": 0.5}
    edge |= {"transform": ax.get_xaxis_transform(), "clip_on": False, "zorder": 5}
    for values, code, color in shown.groups():
        marker, size = (shown.styles[code].marker, 5.5) if code >= 0 else ("o", 4.0)
        at = height * (n_lines - (code if code >= 0 else n_lines - 1) - 0.5) / n_lines
        look: Look = {"marker": marker, "markersize": size, "markerfacecolor": color}
        ax.plot(values, np.full(values.size, at), **look, **edge)


def _frame(ax: Axes, shown: LineScene, top: float, below: float) -> None:
    """Show 0 … top, with this much of the height free below; ticks where curves are."""
    ax.set_xlim(*shown.limits)
    full = 1.04 * top / (1.0 - below)
    ax.set_ylim(-below * full, (1.0 - below) * full)
    room = style.inches(ax)[1] * (1.0 - below)
    ticks = MaxNLocator(max(2, int(room / _TICK)), steps=[1, 2, 5, 10]).tick_values(0.0, top)
    ax.set_yticks([tick for tick in ticks if -1e-9 * top <= tick <= (1.0 + 1e-9) * top])
    if below:
        ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=0)


def _handles(shown: LineScene, quantity: Quantity, codes: Sequence[int]) -> list[Any]:
    """Legend entries: the classes, then everything else."""
    kind = style.patch if shown.is_discrete else style.line
    entries: list[Any] = []
    for look in (shown.styles[code] for code in codes if quantity != "evidence"):
        marker = look.marker if shown.few else "none"
        curve: Look = {"linestyle": look.line, "marker": marker, "markeredgecolor": "white"}
        entries.append(kind(look.label, color=look.color, **{} if shown.is_discrete else curve))
    if quantity == "evidence" or (quantity == "joint" and len(codes) == len(shown.styles)):
        entries.append(kind("evidence p(x)", **_OUTLINE if shown.is_discrete else _BROAD))
    has_histograms = not shown.few and quantity != "posterior" and shown.rows.codes.size
    if has_histograms and shown.is_discrete:
        entries.append(style.line("rows (proportion)", color=style.INK, **_LABELLED))
    elif has_histograms:
        entries.append(style.patch("rows (histogram)", facecolor=style.FAINT, alpha=0.4))
    if shown.few or has_histograms:
        rows = replace(shown.rows, codes=abs(shown.rows.codes)) if quantity == "evidence" else None
        entries += row_plots.row_handles(rows or shown.rows)
    return entries if quantity == "evidence" else [*entries, *_boundary_handles(shown)]


def _boundary_handles(shown: LineScene) -> list[Any]:
    """The legend entry of the boundaries, with their values; none without any."""
    (axis,), near = shown.view.axes, shown.boundaries
    if not near:
        return []
    values = [five_digits(at) if axis.origin is None else style.date_of(axis, at) for at in near]
    values = values[:_MOST_NAMED]
    more = len(near) - len(values)
    listed = f"at {', '.join(values)}{f' and {more} more' if more else ''}"
    look: Look = {"color": style.INK, "linewidth": 1.0}
    return [style.line(f"{BOUNDARY}\n{style.text(listed)}", **look)]
