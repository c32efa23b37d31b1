"""One feature: how the classes are distributed over it, posteriors, and boundaries between them.

Numbers have curves; categories and counts have bars, with marks where the rows are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import curve_points, view_limits
from gaussbayes.analysis.row_distribution import histogram, proportions
from gaussbayes.analysis.view import Axis, View, line_view
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.plots import row_markers, style
from gaussbayes.plots.boundary_lines import boundary_handle, mark_boundaries
from gaussbayes.plots.row_markers import UNLABELLED, RowPoints
from gaussbayes.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MOST_MARKERS = 60
"""More rows than these are shown as histograms."""
_MOST_BARS = 120
"""More bars than these are shown as lines."""
_RESOLUTION = 501
_NEAR = 0.15
"""Of the stretch shown: a boundary this little outside is worth the room."""
_TICK = 0.35
"""Height for each tick of a density, in inches."""
_STRIP_LINE = 0.17
"""Height of one class's line of markers, in inches."""
_LABELLED: dict[str, Any] = {"linewidth": 2.0}
_WITHOUT_LABEL: dict[str, Any] = {"linewidth": 1.5, "linestyle": (0, (2.5, 1.2))}
"""What marks look like that show the proportions of rows."""
_GROUP = 0.8
"""Of the room between neighbouring values, what their bars take."""


@dataclass(frozen=True, slots=True, eq=False)
class LineScene:
    """What a figure of one feature shows: a stretch of the line, boundaries, and maybe rows."""

    view: View
    low: float
    high: float
    x: FloatArray  # (m,) where the densities are computed
    inside: tuple[float, ...]  # boundaries within the stretch
    outside: tuple[float, ...]  # and beyond it
    rows: RowPoints | None
    styles: tuple[style.ClassStyle, ...]  # k of them

    @property
    def points(self) -> FloatArray:
        """The same x as positions (m, 1)."""
        return self.x[:, None]

    @property
    def axis(self) -> Axis:
        """The feature."""
        return self.view.axes[0]

    @property
    def few(self) -> bool:
        """Whether there are rows, few enough for a marker each."""
        if self.rows is None or self.axis.is_discrete:
            return False
        return self.rows.codes.size <= _MOST_MARKERS

    @property
    def many(self) -> bool:
        """Whether there are rows that are shown by their distribution."""
        return self.rows is not None and not self.few

    @property
    def step(self) -> float:
        """From one value of a discrete feature to the next."""
        return float(self.x[1] - self.x[0]) if self.x.size > 1 else 1.0

    @property
    def has_bars(self) -> bool:
        """Whether each value and class has a bar."""
        return self.axis.is_discrete and self.x.size * len(self.styles) <= _MOST_BARS

    def groups(self) -> Iterator[tuple[FloatArray, style.ClassStyle | None, int]]:
        """The values of the rows of each class that has some, its look and its code.

        At last those of rows without label, which have no look and the code −1.
        """
        if self.rows is None:
            return
        for code in [*range(len(self.styles)), -1]:
            values = self.rows.places[self.rows.codes == code, 0]
            if values.size:
                yield values, self.styles[code] if code >= 0 else None, code


def scene(view: View, rows: RowPoints | None = None) -> LineScene:
    """Choose the stretch of the line that shows every row, every class and every near boundary.

    Examples
    --------
    >>> from gaussbayes.classifier import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> shown = scene(line_view(model))
    >>> shown.low, shown.high, shown.inside
    (-3.0, 7.0, (2.0,))
    """
    (low,), (high,) = view_limits(view)
    if rows is not None:
        (lowest,), (highest,) = view_limits(view, rows.places)
        low, high = min(low, lowest), max(high, highest)
    positions = [boundary.position for boundary in decision_boundaries(view.model)]
    span = high - low
    near = [at for at in positions if low - _NEAR * span <= at <= high + _NEAR * span]
    if near:
        low = min(low, near[0] - 0.02 * span)
        high = max(high, near[-1] + 0.02 * span)
    low, high = view.axes[0].limits(float(low), float(high))
    return LineScene(
        view=view,
        low=low,
        high=high,
        x=curve_points(view, low, high, _RESOLUTION, near),
        inside=tuple(near),
        outside=tuple(at for at in positions if at not in near),
        rows=rows,
        styles=style.class_styles(view.classes),
    )


def _scene(model: Any, feature: int | str | None, X: Any = None, y: Any = None) -> LineScene:
    if (X is None) != (y is None):
        msg = "rows are shown in the colours of their classes: give both X and y, or neither"
        raise DataError(msg)
    view = line_view(model, feature)
    return scene(view, row_markers.points_of(view, X, y))


@styled
def densities(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    weighted: bool = False,
    ax: "Axes | None" = None,
) -> "Axes":
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
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]], list("AAAAABBB")
    >>> ax = densities(GaussianClassifier().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.texts]
    ['4.944']
    >>> plt.close("all")
    """
    shown = _scene(model, feature, X, y)
    ax = style.axes_for(ax)
    draw_densities(ax, shown, weighted=weighted)
    style.label_axes(ax, shown.view.axes)
    style.legend_beside(ax, legend_handles(shown))
    return ax


@styled
def posterior_curve(
    model: Any, *, feature: int | str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """How probable each class is along one feature: ``p(c | x)``, with the decision boundaries.

    Other features are integrated out, so the curves are those of someone who knows this one only.
    Categories and counts have bars, in which the classes stand on each other and reach 1.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    feature : the name or number of the feature, if the model has more than one
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> ax = posterior_curve(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [text.get_text() for text in ax.texts]
    ['2.00']
    >>> plt.close("all")
    """
    shown = _scene(model, feature)
    ax = style.axes_for(ax)
    draw_posterior(ax, shown)
    style.label_axes(ax, shown.view.axes)
    style.legend_beside(ax, legend_handles(shown))
    return ax


@styled
def univariate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Bayes' rule along one feature, in three panels: likelihood, joint, posterior.

    From top to bottom ``p(x | c)``; ``p(c) p(x | c)``, whose sum is the evidence ``p(x)``; and
    ``p(c | x)``, the second divided by that sum. The decision boundaries run through all three.

    Parameters
    ----------
    model, X, y, feature : as in `densities`
    figure : where to draw; None makes a new figure

    Returns
    -------
    (3,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> axes = univariate(GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]))
    >>> [ax.get_ylabel() for ax in axes]
    ['p(x | c)', 'p(c) p(x | c)', 'p(c | x)']
    >>> plt.close("all")
    """
    shown = _scene(model, feature, X, y)
    figure = style.figure_for(figure, (6.4, 7.2))
    axes: NDArray[Any] = figure.subplots(3, 1, sharex=True, height_ratios=(1.15, 1.0, 0.9))
    draw_densities(axes[0], shown)
    draw_densities(axes[1], shown, weighted=True, evidence=True, strip=False, write=False)
    draw_posterior(axes[2], shown, write=False)
    for ax, title in zip(
        axes,
        ("likelihood: how each class looks", "times the priors", "posterior: which class"),
        strict=True,
    ):
        ax.set_title(title, loc="left", fontsize="small")
    style.label_axes(axes[-1], shown.view.axes)
    style.legend_below(figure, legend_handles(shown, evidence=True))
    return axes


@styled
def generative_and_discriminative(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    feature: int | str | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Class-conditional densities beside posteriors, along one feature.

    A generative model knows ``p(x | c)``, the left panel, and draws the right one from it by Bayes'
    rule. A discriminative model would know the right panel, ``p(c | x)``, only: it could tell the
    classes apart, but neither what they look like nor which rows are unlike all of them.

    Parameters
    ----------
    model, X, y, feature : as in `densities`
    figure : where to draw; None makes a new figure

    Returns
    -------
    (2,) array of axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
    >>> generative_and_discriminative(model).shape
    (2,)
    >>> plt.close("all")
    """
    shown = _scene(model, feature, X, y)
    figure = style.figure_for(figure, (9.6, 4.2))
    axes: NDArray[Any] = figure.subplots(1, 2, sharex=True)
    draw_densities(axes[0], shown)
    draw_posterior(axes[1], shown)
    axes[0].set_title("generative: how each class looks, p(x | c)")
    axes[1].set_title("discriminative: which class, p(c | x)")
    for ax in axes:
        style.label_axes(ax, shown.view.axes)
    style.legend_below(figure, legend_handles(shown))
    return axes


# The pieces: densities, rows, posteriors, legend.


def draw_densities(
    ax: "Axes",
    shown: LineScene,
    *,
    weighted: bool = False,
    evidence: bool = False,
    strip: bool = True,
    write: bool = True,
) -> None:
    """Densities of the classes, the rows, the boundaries and, if wanted, their values."""
    values = (shown.view.joint if weighted else shown.view.likelihood)(shown.points)
    draw = _draw_bars if shown.has_bars else _draw_curves
    draw(ax, shown, values)
    top = float(values.max())
    below = 0.0
    if evidence:
        outline = shown.view.evidence(shown.points)
        _draw_evidence(ax, shown, outline)
        top = max(top, float(outline.max()))
    if shown.many:
        draw_rows = _draw_proportions if shown.axis.is_discrete else _draw_histograms
        top = max(top, draw_rows(ax, shown, weighted))
    elif shown.few and strip:
        n_lines = len(shown.styles) + int(shown.rows is not None and shown.rows.unlabelled.any())
        below = min(0.3, _STRIP_LINE * n_lines / style.size_of(ax)[1])
        _draw_strip(ax, shown, below, n_lines)
    above = _mark_boundaries(ax, shown, write)
    _frame(ax, shown, top, below, above)
    ax.set_ylabel("p(c) p(x | c)" if weighted else "p(x | c)")


def draw_posterior(ax: "Axes", shown: LineScene, *, write: bool = True) -> None:
    """Posteriors of the classes, the boundaries and, if wanted, their values."""
    posterior = shown.view.posterior(shown.points)
    (_draw_stacks if shown.has_bars else _draw_curves)(ax, shown, posterior)
    above = _mark_boundaries(ax, shown, write)
    _frame(ax, shown, 1.0, 0.0 if shown.has_bars else 0.03, above)
    ax.set_ylabel("p(c | x)")


def _mark_boundaries(ax: "Axes", shown: LineScene, write: bool) -> float:
    options = {"write": write, "between_integers": shown.axis.is_discrete}
    return mark_boundaries(ax, shown.inside, (shown.low, shown.high), **options)


def _draw_curves(ax: "Axes", shown: LineScene, values: NDArray[Any]) -> None:
    """One curve for each class through values (m, k) at the scene's points; dots at integers."""
    dots: dict[str, Any] = {"marker": ".", "markersize": 4} if shown.axis.is_discrete else {}
    for code, look in enumerate(shown.styles):
        ax.plot(shown.x, values[:, code], color=look.color, linestyle=look.line, zorder=3, **dots)


def _draw_bars(ax: "Axes", shown: LineScene, values: NDArray[Any]) -> None:
    """A bar for each value and class, those of a value side by side."""
    for code, look in enumerate(shown.styles):
        left, width = _bar(shown, code)
        ax.bar(left, values[:, code], width, align="edge", color=look.color, zorder=2)


def _bar(shown: LineScene, code: int) -> tuple[FloatArray, float]:
    """Where the bars of a class begin (m,), and how wide they are; those of −1 take all room."""
    if code < 0 or not shown.has_bars:
        return shown.x - _GROUP * shown.step / 2, _GROUP * shown.step
    width = _GROUP * shown.step / len(shown.styles)
    return shown.x - _GROUP * shown.step / 2 + code * width, width


def _draw_stacks(ax: "Axes", shown: LineScene, values: NDArray[Any]) -> None:
    """A bar for each value, in which the classes stand on each other."""
    known = np.nan_to_num(values)
    ends = np.cumsum(known, axis=1)
    for code, look in enumerate(shown.styles):
        bottom = ends[:, code] - known[:, code]
        bars: dict[str, Any] = {"color": look.color, "edgecolor": "white", "linewidth": 0.5}
        ax.bar(shown.x, known[:, code], _GROUP * shown.step, bottom, zorder=2, **bars)


def _draw_evidence(ax: "Axes", shown: LineScene, values: NDArray[Any]) -> None:
    if shown.has_bars:
        left, width = _bar(shown, -1)
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": style.FAINT, "linewidth": 1.5}
        ax.bar(left, values, width, align="edge", zorder=1, gid="evidence", **look)
    else:
        ax.plot(shown.x, values, color=style.FAINT, linewidth=3.0, zorder=2)


def _draw_proportions(ax: "Axes", shown: LineScene, weighted: bool) -> float:
    """Marks at the proportion of each value among the rows of each class; returns the highest."""
    highest = 0.0
    for values, look, code in shown.groups():
        height = proportions(values, shown.x, _area(shown, code, weighted))
        left, width = _bar(shown, code)
        color = UNLABELLED if look is None else style.INK if shown.has_bars else look.color
        line: dict[str, Any] = {"colors": color, **(_LABELLED if look else _WITHOUT_LABEL)}
        ax.hlines(height, left, left + width, gid=f"rows {code}", zorder=4, **line)
        highest = max(highest, float(height.max()))
    return highest


def _draw_histograms(ax: "Axes", shown: LineScene, weighted: bool) -> float:
    """The rows of each class as a histogram of area 1, or of its prior; returns the highest."""
    highest = 0.0
    for values, look, code in shown.groups():
        steps = histogram(values, _area(shown, code, weighted))
        if steps is None:
            continue  # a single value has no density
        color = UNLABELLED if look is None else look.color
        ax.stairs(*steps, fill=True, color=color, alpha=0.25, zorder=1)
        ax.stairs(*steps, color=color, alpha=0.6, linewidth=0.8, zorder=2)
        highest = max(highest, float(steps[0].max()))
    return highest


def _area(shown: LineScene, code: int, weighted: bool) -> float:
    """1, or the prior of a class; rows without label are those of all classes together."""
    return float(shown.view.model.prior[code]) if weighted and code >= 0 else 1.0


def _draw_strip(ax: "Axes", shown: LineScene, height: float, n_lines: int) -> None:
    """The rows as markers, one line for each class, in this lowest part of the axes."""
    for values, look, code in shown.groups():
        line = code if look is not None else n_lines - 1
        ax.plot(
            values,
            np.full(values.size, height * (n_lines - line - 0.5) / n_lines),
            linestyle="none",
            marker="o" if look is None else look.marker,
            markersize=4.0 if look is None else 5.5,
            markerfacecolor=UNLABELLED if look is None else look.color,
            markeredgecolor="white",
            markeredgewidth=0.5,
            transform=ax.get_xaxis_transform(),
            clip_on=False,
            zorder=5,
        )


def _frame(ax: "Axes", shown: LineScene, top: float, below: float, above: float) -> None:
    """Show 0 … top, with this much of the height free below and above; ticks where curves are."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(shown.low, shown.high)
    full = 1.04 * top / (1.0 - below - above)
    ax.set_ylim(-below * full, (1.0 - below) * full)
    room = style.size_of(ax)[1] * (1.0 - below - above)
    ticks = MaxNLocator(max(2, int(room / _TICK)), steps=[1, 2, 5, 10]).tick_values(0.0, top)
    ax.set_yticks([tick for tick in ticks if -1e-9 * top <= tick <= (1.0 + 1e-9) * top])
    if below:
        ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=0)


def legend_handles(shown: LineScene, *, evidence: bool = False) -> list[Any]:
    """Legend entries: the classes, then whatever else is shown."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Patch(color=look.color, label=look.label)
        if shown.has_bars
        else Line2D(
            [],
            [],
            color=look.color,
            linestyle=look.line,
            marker=look.marker if shown.few else "none",
            markeredgecolor="white",
            label=look.label,
        )
        for look in shown.styles
    ]
    if evidence and shown.has_bars:
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": style.FAINT, "linewidth": 1.5}
        entries.append(Patch(label="evidence p(x)", **look))
    elif evidence:
        entries.append(Line2D([], [], color=style.FAINT, linewidth=3.0, label="evidence p(x)"))
    entries += _row_handles(shown)
    boundary = boundary_handle(
        shown.outside,
        shown.inside,
        shown.high - shown.low,
        between_integers=shown.axis.is_discrete,
    )
    return entries if boundary is None else [*entries, boundary]


def _row_handles(shown: LineScene) -> list[Any]:
    """Legend entries of the rows, as they are shown."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if shown.rows is None or not shown.many:
        return list(row_markers.row_handles(shown.rows))
    entries: list[Any] = []
    unlabelled = shown.rows.unlabelled
    if shown.axis.is_discrete:
        color = style.INK if shown.has_bars else style.FAINT
        entries.append(Line2D([], [], color=color, label="rows (proportion)", **_LABELLED))
        grey: Any = Line2D([], [], color=UNLABELLED, label="unlabelled", **_WITHOUT_LABEL)
    else:
        entries.append(Patch(facecolor=style.FAINT, alpha=0.4, label="rows (histogram)"))
        grey = Patch(facecolor=UNLABELLED, alpha=0.4, label="unlabelled")
    entries += [grey] if unlabelled.any() else []
    return [*entries, *row_markers.missing_handles(shown.rows.n_missing)]
