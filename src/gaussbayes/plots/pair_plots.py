"""Every pair of features at a glance: where the classes meet, and how many rows go wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.analysis.grid import view_grid, view_limits
from gaussbayes.analysis.region_map import region_map
from gaussbayes.analysis.view import Axis, View, read_labelled, view
from gaussbayes.base.errors import SchemaError
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.boundary_lines import NAME
from gaussbayes.plots.line_plots import draw_densities, scene
from gaussbayes.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MOST_FEATURES = 8
_MOST_ROWS = 600
"""More rows than these would hide the regions of so small panels."""
_RESOLUTION = 120
_SIDE = 1.85
"""Of a panel, in inches."""
_NAME_LENGTH = 18
"""Characters of a feature's name that fit along a panel; more are written in several lines."""
_NAME_LINE = 0.16
"""Height of such a line, in inches."""
_LETTER = 0.09
"""Width of a letter of the names of categories, in inches."""
_DARKEST = 0.55
"""Proportion of grey in the cell with the largest error."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model of one or two of the features, and what it makes of the rows."""

    view: View
    places: FloatArray  # (n, 1 or 2), NaN where a value is missing
    wrong: NDArray[np.bool_]  # (n,)
    evaluation: Evaluation  # of the rows that have a label


@styled
def pairs(
    model: Any,
    X: Any,
    y: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """All pairs of features in one figure, with the error of each.

    Below the diagonal, the decision regions of two features with the rows, wrongly predicted ones
    ringed; on it, the densities of one feature; above it, the errors of the pairs as a table,
    darker cells for larger ones. Each panel's model is the exact marginal of `model`: nothing is
    fitted again. The pair (or pairs) with the fewest errors has a heavy frame. Errors are those of
    all labelled rows, what is missing integrated out; points are rows that have both features.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` of at least two features
    X, y : rows (n, d) and labels (n,), on which errors are counted. Of very many rows only some
        are drawn, but all are counted.
    features : those to show, by name or number; needed if there are more than eight
    figure : where to draw; None makes a new figure

    Returns
    -------
    (m, m) array of axes, for m features

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
    >>> pairs(model, X, [2, 2, 2, 1, 1, 1]).shape
    (2, 2)
    >>> plt.close("all")
    """
    seen = view(model, features)
    m = len(seen.names)
    _check_number(m, features is not None)
    whole, given, codes = read_labelled(model, X, y)
    rows = cut_rows(given, whole.schema, seen.columns)
    couples = {couple: _part(seen, couple, rows, codes) for couple in combinations(range(m), 2)}
    most = max(couple.evaluation.n_errors for couple in couples.values())
    # A single pair is not the best of any.
    fewest = min(couple.evaluation.n_errors for couple in couples.values()) if m > 2 else None
    names = [style.text(name, _NAME_LENGTH) for name in seen.names]
    room = _SIDE * m + _NAME_LINE * max(name.count("\n") for name in names)
    categories = [name for axis in seen.axes for name in axis.categories]
    room += _LETTER * min(_NAME_LENGTH, max(map(len, categories), default=0))
    figure = style.figure_for(figure, (room + 0.5, room + 0.9))
    axes: NDArray[Any] = figure.subplots(m, m, squeeze=False)
    shown = _some(codes.size)
    for (left, below), couple in track(couples.items(), "drawing pairs of features"):
        best = couple.evaluation.n_errors == fewest
        _draw_pair(axes[below, left], couple, codes, shown, best=best)
        _draw_cell(axes[left, below], couple.evaluation, most, best=best)
    places = seen.positions(rows)
    low, high = view_limits(seen, places)
    for column in range(m):
        single = _part(seen, (column,), rows, codes)
        _draw_single(axes[column, column], single, codes)
        axes[column, column].set_xlim(low[column], high[column])
    _name_outer_axes(axes, seen, names)
    figure.align_labels()
    evaluation = evaluate(seen.model.log_posterior(rows), codes, seen.classes)
    together = "both" if m == 2 else f"all {m}"
    figure.suptitle(
        f"errors on {evaluation.n_rows} rows; by {together} features together "
        f"{_counted(evaluation)}",
        fontsize="medium",
    )
    drawn = f"{shown.size} of the rows drawn, all counted" if shown.size < codes.size else None
    points = row_markers.points_at(places, codes)
    style.legend_below(figure, _handles(seen, points, best=m > 2), drawn)
    return axes


def _check_number(m: int, chosen: bool) -> None:
    if m < 2:
        msg = "pairs of features need at least two of them, got 1: see plots.univariate"
        raise SchemaError(msg)
    if m > _MOST_FEATURES and not chosen:
        msg = (
            f"the model has {m} features, which make {m * (m - 1) // 2} pairs: choose those to "
            f"show, at most {_MOST_FEATURES} for a readable figure, with features=[...], by name "
            "or number"
        )
        raise SchemaError(msg)


def _part(seen: View, columns: tuple[int, ...], rows: Rows, codes: NDArray[np.intp]) -> Part:
    part = view(seen.model, columns)
    shown = part.part(rows)
    log_posterior = part.model.log_posterior(shown)
    wrong = (log_posterior.argmax(axis=1) != codes) & (codes >= 0)
    return Part(part, part.positions(shown), wrong, evaluate(log_posterior, codes, seen.classes))


def _some(n: int) -> NDArray[np.intp]:
    """Numbers of the rows to draw: all, or as many as can be told apart, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).astype(np.intp))


def _draw_pair(
    ax: "Axes", couple: Part, codes: NDArray[np.intp], shown: NDArray[np.intp], *, best: bool
) -> None:
    axes, styles = couple.view.axes, style.class_styles(couple.view.classes)
    regions = region_map(couple.view, view_grid(couple.view, _RESOLUTION, couple.places))
    plane.draw_codes(ax, regions, [style.lighter(look.color, plane.LIGHT) for look in styles])
    plane.draw_boundaries(ax, regions, axes, linewidths=0.9)
    plane.separate_categories(ax, axes)
    shown = shown[~np.isnan(couple.places[shown]).any(axis=1)]
    x, y = row_markers.spread_out(couple.places[shown], axes).T
    of_class, wrong = codes[shown], couple.wrong[shown]
    markers: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.25, "zorder": 4}
    if (of_class < 0).any():
        grey: dict[str, Any] = {"facecolors": row_markers.UNLABELLED, "gid": "unlabelled"}
        ax.scatter(x[of_class < 0], y[of_class < 0], s=5.0, **grey, **markers)
    for code, look in enumerate(styles):
        mine = of_class == code
        ax.scatter(x[mine], y[mine], s=9.0, marker=look.marker, facecolors=look.color, **markers)
    rings: dict[str, Any] = {"edgecolors": style.INK, "linewidths": 0.8, "zorder": 5}
    ax.scatter(x[wrong], y[wrong], s=30.0, facecolors="none", gid="errors", **rings)
    _write_error(ax, couple.evaluation)
    if best:
        _frame(ax)


def _draw_single(ax: "Axes", single: Part, codes: NDArray[np.intp]) -> None:
    points = row_markers.points_at(single.places, codes)
    draw_densities(ax, scene(single.view, points), strip=False, write=False)
    ax.set_ylabel("")
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    _write_error(ax, single.evaluation)


def _draw_cell(ax: "Axes", evaluation: Evaluation, most: int, *, best: bool) -> None:
    darkness = _DARKEST * evaluation.n_errors / most if most else 0.0
    ax.set_facecolor(style.lighter(style.FAINT, 1.0 - darkness))
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.text(
        0.5,
        0.5,
        f"{_percent(evaluation)}\n({evaluation.n_errors})",
        transform=ax.transAxes,
        horizontalalignment="center",
        verticalalignment="center",
        fontsize="large",
        fontweight="bold" if best else "normal",
    )
    if best:
        _frame(ax)


def _frame(ax: "Axes") -> None:
    ax.spines[:].set(visible=True, linewidth=2.2, edgecolor=style.INK)


def _write_error(ax: "Axes", evaluation: Evaluation) -> None:
    ax.set_title(_counted(evaluation), fontsize="small", pad=3.0)


def _percent(evaluation: Evaluation) -> str:
    return f"{100.0 * evaluation.error:.1f} %"


def _counted(evaluation: Evaluation) -> str:
    return f"{_percent(evaluation)} ({evaluation.n_errors})"


def _name_outer_axes(axes: NDArray[Any], seen: View, names: Sequence[str]) -> None:
    last = len(names) - 1
    for row, column in np.ndindex(axes.shape):
        ax: Any = axes[row, column]
        across, up = seen.axes[column], seen.axes[row]
        if row > column:
            _set_ticks(ax, up, "y", named=column == 0)
        if row >= column:
            _set_ticks(ax, across, "x", named=row == last)
        ax.tick_params(labelsize="small", labelbottom=row == last, labelleft=column == 0)
        if row == last:
            ax.set_xlabel(names[column], fontsize="small")
        if column == 0:
            ax.set_ylabel(names[row], fontsize="small")


def _set_ticks(ax: "Axes", axis: Axis, which: Literal["x", "y"], *, named: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    ticks = ax.xaxis if which == "x" else ax.yaxis
    if axis.is_ordered:
        ticks.set_major_locator(MaxNLocator(4, integer=axis.is_discrete))
    elif named:
        style.draw_ticks(ax, axis, which, _NAME_LENGTH)
    else:
        ticks.set_ticks([])


def _handles(seen: View, points: row_markers.RowPoints, *, best: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        *row_markers.class_handles(style.class_styles(seen.classes)),
        row_markers.ring_handle("error"),
    ]
    if any(axis.is_ordered for axis in seen.axes):
        entries.append(Line2D([], [], color=style.INK, linewidth=0.9, label=NAME))
    entries += row_markers.row_handles(replace(points, n_missing=0))
    if points.n_missing:
        note = f"{points.n_missing:,} rows with missing values: drawn where they have both"
        entries.append(row_markers.marker_handle(style.text(note), marker="none"))
    if best:
        frame = Patch(fill=False, edgecolor=style.INK, linewidth=2.2, label="fewest errors")
        entries.append(frame)
    return entries
