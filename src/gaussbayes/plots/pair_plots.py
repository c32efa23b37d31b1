"""Every pair of features in one figure: decision regions, and the error rate of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.grid import region_map, view_grid, view_limits
from gaussbayes.analysis.view import Axis, View, model_of, read_labelled, view
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.data.rows import Rows
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import region_plots, row_plots, style
from gaussbayes.plots.line_plots import BOUNDARY, draw_scene, scene
from gaussbayes.plots.style import Classifier, Features, Look, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_MOST_FEATURES = 8
_MOST_ROWS = 600  # more would hide the regions of so small panels
_RESOLUTION = 120
_NAME_LENGTH = 18  # characters of a name that fit along a panel; more are in several lines
_SIDE, _NAME_LINE, _LETTER = 1.85, 0.16, 0.09
"""In inches: a panel, a line of a feature's name, a letter of the names of categories."""


class Part(NamedTuple):
    """A model of one or two of the features, and what it makes of the rows."""

    view: View
    places: FloatArray  # (n, 1 or 2), NaN where a value is missing
    wrong: NDArray[np.bool_]  # (n,)
    evaluation: Evaluation  # of the rows that have a label


@styled
def scatter_matrix(
    model: Classifier,
    X: TableLike,
    y: LabelsLike,
    *,
    features: Features = None,
    ax: Axes | None = None,
) -> NDArray[np.object_]:
    """Plot every pair of features: decision regions, rows, densities and error rates.

    Below the diagonal are the decision regions of two features with the rows, misclassified ones
    ringed; on it, the densities of one feature. The model of each panel is the exact marginal of
    `model`: nothing is fitted again. Titles give the error rate and the number of errors, counted
    on all labelled rows with missing values integrated out. A heavy frame marks the pair with the
    fewest errors. Points are rows that have both features.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier` with at least two features
    X, y : rows (n, d), and their labels (n,) or the name of their column. At most 600 rows are
        drawn; all are counted.
    features : those to show, by name or number; needed if there are more than eight
    ax : axes of a subplot, which the panels replace; None makes a new figure

    Returns
    -------
    The axes (m, m) of m features

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
    >>> scatter_matrix(model, X, [2, 2, 2, 1, 1, 1]).shape
    (2, 2)
    """
    model_of(model)  # an error if it has no densities
    seen = view(model, style.chosen(features))
    m = len(seen.names)
    if m < 2:
        msg = "a scatter matrix needs at least two features, got 1: plots.densities shows one"
        raise DataError(msg)
    if m > _MOST_FEATURES and features is None:
        msg = (
            f"the model has {m} features, which make {m * (m - 1) // 2} pairs: choose at most "
            f"{_MOST_FEATURES} with features=[...], by name or number"
        )
        raise DataError(msg)
    whole, given, codes = read_labelled(model, X, y)
    rows = cut_rows(given, whole.schema, seen.columns)
    couples = {couple: _part(seen, couple, rows, codes) for couple in combinations(range(m), 2)}
    n_errors = [couple.evaluation.n_errors for couple in couples.values()]
    fewest = min(n_errors) if m > 2 else None
    names = [style.text(name, _NAME_LENGTH) for name in seen.names]
    room = _SIDE * m + _NAME_LINE * max(name.count("\n") for name in names)
    categories = [name for axis in seen.axes for name in axis.categories]
    room += _LETTER * min(_NAME_LENGTH, max(map(len, categories), default=0))
    figure = _figure(ax, (room + 0.5, room + 0.9))
    axes: NDArray[np.object_] = figure.subplots(m, m, squeeze=False)
    # All rows, or as many as can be told apart, evenly spread.
    shown = np.unique(np.linspace(0, codes.size - 1, min(codes.size, _MOST_ROWS)).astype(np.intp))
    for (left, below), couple in track(couples.items(), "drawing"):
        pair: Any = axes[below, left]
        _draw_pair(pair, couple, codes, shown)
        axes[left, below].set_axis_off()
        if couple.evaluation.n_errors == fewest:
            pair.spines[:].set(visible=True, linewidth=2.2, edgecolor=style.INK)
    places = seen.positions(rows)
    for column, *limits in zip(range(m), *view_limits(seen, places), strict=True):
        _draw_single(axes[column, column], _part(seen, (column,), rows, codes), codes)
        axes[column, column].set_xlim(*limits)
    _name_outer_axes(axes, seen, names)
    figure.align_labels()
    evaluation = evaluate(seen.model.log_posterior(rows), codes, seen.classes)
    together = f"by {'both' if m == 2 else f'all {m}'} features together {_counted(evaluation)}"
    figure.suptitle(f"error rates on {evaluation.n_rows:,} rows; {together}", fontsize="medium")
    drawn = f"{shown.size} rows drawn, all counted" if shown.size < codes.size else None
    points = row_plots.points_at(places, codes)
    style.legend_below(figure, _handles(seen, points, best=m > 2), drawn)
    return axes


def _figure(ax: Axes | None, size: tuple[float, float]) -> Figure | SubFigure:
    """A new figure, or one in place of axes."""
    if ax is None:
        return style.new_figure(size)
    place, figure = ax.get_subplotspec(), ax.figure
    if place is None:
        msg = (
            "the axes must be those of a subplot, which the panels replace, got axes placed freely"
        )
        raise OptionError(msg)
    ax.remove()
    return figure.add_subfigure(place)


def _part(seen: View, columns: tuple[int, ...], rows: Rows, codes: NDArray[np.intp]) -> Part:
    part = view(seen.model, columns)
    shown = part.part(rows)
    log_posterior = part.model.log_posterior(shown)
    wrong = (log_posterior.argmax(axis=1) != codes) & (codes >= 0)
    return Part(part, part.positions(shown), wrong, evaluate(log_posterior, codes, seen.classes))


def _draw_pair(ax: Axes, couple: Part, codes: NDArray[np.intp], shown: NDArray[np.intp]) -> None:
    axes, styles = couple.view.axes, style.class_styles(couple.view.classes)
    regions = region_map(couple.view, view_grid(couple.view, _RESOLUTION, couple.places))
    region_plots.draw_regions(ax, regions, axes, styles, linewidths=0.9)
    shown = shown[~np.isnan(couple.places[shown]).any(axis=1)]
    places = row_plots.spread_out(couple.places[shown], axes)
    row_plots.draw_points(ax, places, codes[shown], styles, small=True)
    row_plots.draw_rings(ax, places[couple.wrong[shown]], small=True)
    ax.set_title(_counted(couple.evaluation), fontsize="small", pad=3.0)


def _draw_single(ax: Axes, single: Part, codes: NDArray[np.intp]) -> None:
    points = row_plots.points_at(single.places, codes)
    shown = scene(single.view, points)
    draw_scene(ax, shown, "likelihood", range(len(shown.styles)), strip=False)
    ax.set(ylabel="", yticks=[])
    ax.spines["left"].set_visible(False)
    ax.set_title(_counted(single.evaluation), fontsize="small", pad=3.0)


def _counted(evaluation: Evaluation) -> str:
    return f"{100.0 * evaluation.error:.1f} % ({evaluation.n_errors})"


def _name_outer_axes(axes: NDArray[np.object_], seen: View, names: Sequence[str]) -> None:
    last = len(names) - 1
    for row, column in np.ndindex(axes.shape):
        ax: Any = axes[row, column]
        if row > column:
            _set_ticks(ax, seen.axes[row], "y", named=column == 0)
        if row >= column:
            _set_ticks(ax, seen.axes[column], "x", named=row == last)
        ax.tick_params(labelsize="small", labelbottom=row == last, labelleft=column == 0)
        if row == last:
            ax.set_xlabel(names[column], fontsize="small")
        if column == 0:
            ax.set_ylabel(names[row], fontsize="small")


def _set_ticks(ax: Axes, axis: Axis, which: Literal["x", "y"], *, named: bool) -> None:
    ticks = ax.xaxis if which == "x" else ax.yaxis
    if axis.is_ordered:
        style.draw_ticks(ax, axis, which)
        ticks.set_major_locator(MaxNLocator(4 - 2 * bool(axis.origin), integer=axis.is_discrete))
    elif named:
        style.draw_ticks(ax, axis, which, _NAME_LENGTH)
    else:
        ticks.set_ticks([])


def _handles(seen: View, points: row_plots.RowPoints, *, best: bool) -> list[Any]:
    styles = style.class_styles(seen.classes)
    entries: list[Any] = [*row_plots.class_handles(styles), row_plots.ring_handle()]
    if any(axis.is_ordered for axis in seen.axes):
        entries.append(style.line(BOUNDARY, color=style.INK, linewidth=0.9))
    entries += row_plots.row_handles(replace(points, n_missing=0))
    if points.n_missing:
        rows, have = (
            counted(points.n_missing, "row"),
            "it has" if points.n_missing == 1 else "they have",
        )
        note = f"{rows} with missing values: drawn where {have} both"
        entries.append(row_plots.marker_handle(style.text(note), marker="none"))
    if best:
        frame: Look = {"fill": False, "edgecolor": style.INK, "linewidth": 2.2}
        entries.append(style.patch("fewest errors", **frame))
    return entries
