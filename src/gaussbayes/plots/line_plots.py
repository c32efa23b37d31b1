"""One feature: how the classes are distributed over it, posteriors, and boundaries between them.

Numbers have curves; categories and counts have bars, with marks where the rows are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.data_summary import histogram, proportions
from gaussbayes.analysis.grid import curve_points, view_limits
from gaussbayes.analysis.view import View, line_view
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import row_markers, style
from gaussbayes.plots.boundary_lines import BoundaryLines
from gaussbayes.plots.row_markers import UNLABELLED, RowPoints
from gaussbayes.plots.style import Canvas, Feature, Look, Panel, Styles, styled

_MOST_MARKERS = 60  # more rows are shown as histograms
_MOST_BARS = 120  # more bars are shown as lines
_RESOLUTION = 501
_NEAR = 0.15  # of the stretch shown: a boundary this little outside is worth the room
_TICK, _STRIP_LINE = 0.35, 0.17  # heights in inches: for a tick, and a class's line of markers
_GROUP = 0.8  # of the room between neighbouring values, what their bars take

# What marks look like that show the proportions of rows, and the evidence as bars and as a line.
_LABELLED: Look = {"linewidth": 2.0}
_WITHOUT_LABEL: Look = {"linewidth": 1.5, "linestyle": (0, (2.5, 1.2))}
_OUTLINE: Look = {"facecolor": "none", "edgecolor": style.FAINT, "linewidth": 1.5}
_BROAD: Look = {"color": style.FAINT, "linewidth": 3.0}


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
        """Whether there are rows, few enough for a marker each."""
        return not self.is_discrete and 0 < self.rows.codes.size <= _MOST_MARKERS

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
    (low,), (high,) = view_limits(view)
    if rows.codes.size:
        (lowest,), (highest,) = view_limits(view, rows.places)
        low, high = min(low, lowest), max(high, highest)
    span = high - low
    boundaries = BoundaryLines.of(view, low - _NEAR * span, high + _NEAR * span)
    near = boundaries.inside
    if near:
        low, high = min(low, near[0] - 0.02 * span), max(high, near[-1] + 0.02 * span)
    low, high = view.axes[0].limits(float(low), float(high))
    x = curve_points(view, low, high, _RESOLUTION, near)
    shown = replace(boundaries, low=low, high=high)
    return LineScene(view, x, shown, rows, style.class_styles(view.classes))


def _scene(model: Any, feature: Feature, X: Any = None, y: Any = None) -> LineScene:
    view = line_view(model, feature)
    return scene(view, row_markers.points_of(view, X, y))


@styled
def densities(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: Feature = None,
    weighted: bool = False,
    ax: Panel = None,
) -> Axes:
    """How the classes are distributed over one feature, with the decision boundaries.

    One curve ``p(x | c)`` for each class, or ``p(c) p(x | c)`` if `weighted`; other features are
    integrated out. Categories and counts have bars instead. A vertical line stands wherever the
    most probable class changes; boundaries too far away to be shown are named in the legend.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows (n, d) with all features of the model, and their labels (n,). Up to 60 are drawn as
        markers below the curves, more as histograms of area 1 (if `weighted`, of area ``p(c)``); of
        categories and counts, marks show their proportions in each class. Rows without label are
        grey.
    feature : the name or number of the feature, if the model has more than one
    weighted : whether to multiply by the priors
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    >>> ax = densities(GaussianClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['4.944']
    """
    shown = _scene(model, feature, X, y)
    ax = style.axes_for(ax)
    draw_densities(ax, shown, weighted=weighted)
    return style.finish(ax, shown.view.axes, _handles(shown))


@styled
def posterior_curve(model: Any, *, feature: Feature = None, ax: Panel = None) -> Axes:
    """How probable each class is along one feature: ``p(c | x)``, with the decision boundaries.

    Other features are integrated out, so the curves are those of someone who knows this one only.
    Categories and counts have bars, in which the classes stand on each other and reach 1.

    Parameters
    ----------
    model, feature, ax : as in `densities`

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> ax = posterior_curve(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [text.get_text() for text in ax.texts]
    ['2.00']
    """
    shown = _scene(model, feature)
    ax = style.axes_for(ax)
    _draw_posterior(ax, shown)
    return style.finish(ax, shown.view.axes, _handles(shown))


@styled
def univariate(
    model: Any, X: Any = None, y: Any = None, *, feature: Feature = None, figure: Canvas = None
) -> NDArray[Any]:
    """Bayes' rule along one feature, in three panels: likelihood, joint, posterior.

    From top to bottom ``p(x | c)``; ``p(c) p(x | c)``, whose sum is the evidence ``p(x)``; and
    ``p(c | x)``, the second divided by that sum. The decision boundaries run through all three.
    Returns the axes (3,).

    Parameters
    ----------
    model, X, y, feature : as in `densities`
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> axes = univariate(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [ax.get_ylabel() for ax in axes]
    ['p(x | c)', 'p(c) p(x | c)', 'p(c | x)']
    """
    shown = _scene(model, feature, X, y)
    figure = style.figure_for(figure, (6.4, 7.2))
    axes: NDArray[Any] = figure.subplots(3, 1, sharex=True, height_ratios=(1.15, 1.0, 0.9))
    draw_densities(axes[0], shown)
    draw_densities(axes[1], shown, weighted=True, evidence=True, strip=False, write=False)
    _draw_posterior(axes[2], shown, write=False)
    titles = ("likelihood: how each class looks", "times the priors", "posterior: which class")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left", fontsize="small")
    style.label_axes(axes[-1], shown.view.axes)
    style.legend_below(figure, _handles(shown, evidence=True))
    return axes


@styled
def generative_and_discriminative(
    model: Any, X: Any = None, y: Any = None, *, feature: Feature = None, figure: Canvas = None
) -> NDArray[Any]:
    """Class-conditional densities beside posteriors, along one feature.

    A generative model knows ``p(x | c)``, the left panel, and draws the right one from it by Bayes'
    rule. A discriminative model would know the right panel, ``p(c | x)``, only: it could tell the
    classes apart, but neither what they look like nor which rows are unlike all of them. Returns
    the axes (2,).

    Parameters
    ----------
    model, X, y, feature : as in `densities`
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    >>> generative_and_discriminative(model).shape
    (2,)
    """
    shown = _scene(model, feature, X, y)
    figure = style.figure_for(figure, (9.6, 4.2))
    axes: NDArray[Any] = figure.subplots(1, 2, sharex=True)
    draw_densities(axes[0], shown)
    _draw_posterior(axes[1], shown)
    axes[0].set_title("generative: how each class looks, p(x | c)")
    axes[1].set_title("discriminative: which class, p(c | x)")
    for ax in axes:
        style.label_axes(ax, shown.view.axes)
    style.legend_below(figure, _handles(shown))
    return axes


# The pieces: densities, rows, posteriors, legend.


def draw_densities(
    ax: Axes,
    shown: LineScene,
    *,
    weighted: bool = False,
    evidence: bool = False,
    strip: bool = True,
    write: bool = True,
) -> None:
    """Densities of the classes, the rows, the boundaries and, if wanted, their values."""
    points, below = shown.x[:, None], 0.0
    values = (shown.view.joint if weighted else shown.view.likelihood)(points)
    (_draw_bars if shown.has_bars else _draw_curves)(ax, shown, values)
    heights = [float(values.max())]
    if evidence:
        outline = shown.view.evidence(points)
        heights.append(float(outline.max()))
        if shown.has_bars:
            left, width = shown.bars(-1)
            ax.bar(left, outline, width, align="edge", zorder=1, gid="evidence", **_OUTLINE)
        else:
            ax.plot(shown.x, outline, zorder=2, **_BROAD)
    if not shown.few:
        draw_rows = _draw_proportions if shown.is_discrete else _draw_histograms
        heights += draw_rows(ax, shown, weighted)
    elif strip:
        n_lines = len(shown.styles) + int(shown.rows.unlabelled.any())
        below = min(0.3, _STRIP_LINE * n_lines / style.inches(ax)[1])
        _draw_strip(ax, shown, below, n_lines)
    _frame(ax, shown, max(heights), below, shown.boundaries.draw(ax, write=write))
    ax.set_ylabel("p(c) p(x | c)" if weighted else "p(x | c)")


def _draw_posterior(ax: Axes, shown: LineScene, *, write: bool = True) -> None:
    """Posteriors of the classes, the boundaries and, if wanted, their values."""
    posterior = shown.view.posterior(shown.x[:, None])
    (_draw_stacks if shown.has_bars else _draw_curves)(ax, shown, posterior)
    above = shown.boundaries.draw(ax, write=write)
    _frame(ax, shown, 1.0, 0.0 if shown.has_bars else 0.03, above)
    ax.set_ylabel("p(c | x)")


def _draw_curves(ax: Axes, shown: LineScene, values: NDArray[Any]) -> None:
    """One curve for each class through values (m, k) at the scene's points; dots at integers."""
    dots: Look = {"marker": ".", "markersize": 4} if shown.is_discrete else {}
    for height, look in zip(values.T, shown.styles, strict=True):
        ax.plot(shown.x, height, color=look.color, linestyle=look.line, zorder=3, **dots)


def _draw_bars(ax: Axes, shown: LineScene, values: NDArray[Any]) -> None:
    """A bar for each value and class, those of a value side by side."""
    for code, look in enumerate(shown.styles):
        left, width = shown.bars(code)
        ax.bar(left, values[:, code], width, align="edge", color=look.color, zorder=2)


def _draw_stacks(ax: Axes, shown: LineScene, values: NDArray[Any]) -> None:
    """A bar for each value, in which the classes stand on each other."""
    known = np.nan_to_num(values)
    bottoms = np.cumsum(known, axis=1) - known
    edge: Look = {"edgecolor": "white", "linewidth": 0.5, "zorder": 2}
    for height, bottom, look in zip(known.T, bottoms.T, shown.styles, strict=True):
        ax.bar(shown.x, height, shown.bars(-1)[1], bottom, color=look.color, **edge)


def _draw_proportions(ax: Axes, shown: LineScene, weighted: bool) -> Iterator[float]:
    """Marks at the proportion of each value among the rows of each class; yields the highest."""
    for values, code, color, area in shown.groups(weighted):
        height = proportions(values, shown.x, area)
        left, width = shown.bars(code)
        look: Look = {"colors": style.INK if code >= 0 and shown.has_bars else color, "zorder": 4}
        line = _LABELLED if code >= 0 else _WITHOUT_LABEL
        ax.hlines(height, left, left + width, gid=f"rows {code}", **look, **line)
        yield float(height.max())


def _draw_histograms(ax: Axes, shown: LineScene, weighted: bool) -> Iterator[float]:
    """The rows of each class as a histogram of area 1, or of its prior; yields the highest."""
    for values, _, color, area in shown.groups(weighted):
        steps = histogram(values, area)
        if steps is not None:  # a single value has no density
            ax.stairs(*steps, fill=True, color=color, alpha=0.25, zorder=1)
            ax.stairs(*steps, color=color, alpha=0.6, linewidth=0.8, zorder=2)
            yield float(steps[0].max())


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


def _handles(shown: LineScene, *, evidence: bool = False) -> list[Any]:
    """Legend entries: the classes, then whatever else is shown."""
    entries: list[Any] = []
    for look in shown.styles:
        marker = look.marker if shown.few else "none"
        curve: Look = {"linestyle": look.line, "marker": marker, "markeredgecolor": "white"}
        kind, options = (style.patch, {}) if shown.has_bars else (style.line, curve)
        entries.append(kind(look.label, color=look.color, **options))
    if evidence:
        kind, options = (style.patch, _OUTLINE) if shown.has_bars else (style.line, _BROAD)
        entries.append(kind("evidence p(x)", **options))
    return [*entries, *_row_handles(shown), *shown.boundaries.handles()]


def _row_handles(shown: LineScene) -> list[Any]:
    """Legend entries of the rows, as they are shown."""
    if shown.few or not shown.rows.codes.size:
        return row_markers.row_handles(shown.rows)
    if shown.is_discrete:
        color = style.INK if shown.has_bars else style.FAINT
        labelled = style.line("rows (proportion)", color=color, **_LABELLED)
        unlabelled = style.line("unlabelled", color=UNLABELLED, **_WITHOUT_LABEL)
    else:
        labelled = style.patch("rows (histogram)", facecolor=style.FAINT, alpha=0.4)
        unlabelled = style.patch("unlabelled", facecolor=UNLABELLED, alpha=0.4)
    entries = [labelled, unlabelled] if shown.rows.unlabelled.any() else [labelled]
    return [*entries, *row_markers.missing_handles(shown.rows.n_missing)]
