"""Rows as points: by their true class, by the predicted class, and the marks of all figures.

A row has the colour and marker of its class, and a ring if it is misclassified. Unlabelled rows are
grey dots. Rows in which a shown feature is missing are not drawn; the legend counts them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from gaussbayes.analysis.view import (
    Axis,
    View,
    check_rows,
    limits,
    positions_of,
    row_axes,
    view,
)
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.data import labels
from gaussbayes.data.columns import Columns, DroppedColumnsWarning
from gaussbayes.data.labels import separate_columns
from gaussbayes.data.tables import is_frame
from gaussbayes.model.options import model_options
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import style
from gaussbayes.plots.style import INK, Classifier, Features, Look, Styles, styled

UNLABELLED = "#7d7d7d"
_AREA, _RING_AREA = 30.0, 70.0
_SPREAD = 0.6  # proportion of the distance between integers or categories for the points at one
_MOST_SPREAD = 60  # with more integers on an axis, points are not moved apart
_MANY = 3000  # more points are drawn as an image, which keeps vector files small

# Multiples of these, modulo 1, fill a square evenly.
_PLASTIC = (0.7548776662466927, 0.5698402909980532)

_MEAN: Look = {"marker": "+", "markersize": 9, "markeredgewidth": 2}


@dataclass(frozen=True, slots=True, eq=False)
class RowPoints:
    """Rows with all shown features, and the number of other rows."""

    places: FloatArray  # (n, m)
    codes: NDArray[np.intp]  # (n,) −1 for rows without label
    n_missing: int

    @property
    def unlabelled(self) -> NDArray[np.bool_]:
        """Which rows are unlabelled (n,)."""
        return np.asarray(self.codes < 0)


def points_at(places: FloatArray, codes: NDArray[np.intp]) -> RowPoints:
    """Rows at positions (n, m); rows at NaN cannot be drawn."""
    known = ~np.isnan(places).any(axis=1)
    return RowPoints(places[known], codes[known], int(np.count_nonzero(~known)))


def points_of(seen: View, X: Any, y: Any) -> RowPoints:
    """The given rows, if any, checked against the model."""
    if X is None and y is not None:
        msg = "y was given without X: give the rows to draw as well"
        raise DataError(msg)
    if y is not None:
        rows, codes = seen.labelled(X, y)
        return points_at(seen.positions(rows), codes)
    places = np.empty((0, len(seen.axes))) if X is None else seen.positions(X)
    return points_at(places, np.full(places.shape[0], -1))


def spread_out(places: FloatArray, axes: Sequence[Axis]) -> FloatArray:
    """Positions (n, m) moved slightly along discrete axes, where many rows coincide.

    >>> axis = Axis("wind", ("low", "high"))
    >>> spread_out(np.array([[1.0, 7.0], [1.0, 8.0]]), [axis, Axis("age")]).round(2).tolist()
    [[0.7, 7.0], [1.15, 8.0]]
    """
    moved = places.copy()
    narrow = np.ptp(places, axis=0) < _MOST_SPREAD if places.size else [False] * len(axes)
    discrete = [j for j, axis in enumerate(axes) if axis.is_discrete and narrow[j]]
    for j, multiple in zip(discrete, _PLASTIC, strict=False):
        moved[:, j] += _SPREAD * (np.arange(places.shape[0]) * multiple % 1.0 - 0.5)
    return moved


def draw_points(ax: Axes, places: FloatArray, codes: NDArray[np.intp], styles: Styles) -> None:
    """Draw rows (n, 2), each with the colour and marker of its class; without label (−1) grey."""
    grey: Look = {"s": _AREA / 2, "linewidths": 0.3, "zorder": 3.9, "gid": "unlabelled"}
    groups: list[tuple[int, str, Look]] = [(-1, UNLABELLED, grey)]
    for code, of_class in enumerate(styles):
        mark: Look = {"s": _AREA, "linewidths": 0.5, "zorder": 4, "gid": f"class {code}"}
        groups.append((code, of_class.color, mark | {"marker": of_class.marker}))
    for code, color, look in groups:
        chosen = places[codes == code]
        if chosen.shape[0]:
            look |= {"edgecolors": "white", "rasterized": codes.size > _MANY}
            ax.scatter(*chosen.T, color=color, **look)


def draw_rows(
    ax: Axes, seen: View, points: RowPoints, wrong: NDArray[np.bool_] | None = None
) -> list[Any]:
    """Draw rows over a map, misclassified ones ringed; returns the legend entries."""
    styles, rings = style.class_styles(seen.classes), []
    places = spread_out(points.places, seen.axes)
    draw_points(ax, places, points.codes, styles)
    if wrong is not None and wrong.any():
        draw_rings(ax, places[wrong])
        rings = [ring_handle()]
    return given_handles(points, styles, rings)


def draw_rings(ax: Axes, places: FloatArray) -> None:
    """Draw a ring around each of the rows (n, 2)."""
    look: Look = {"s": _RING_AREA, "linewidths": 0.9, "alpha": 0.8, "zorder": 5, "gid": "errors"}
    look |= {"facecolors": "none", "edgecolors": INK}
    ax.scatter(*places.T, rasterized=places.shape[0] > _MANY, **look)


def draw_means(ax: Axes, places: FloatArray) -> list[Any]:
    """Mark the means of the classes (k, 2) above everything else; return the legend entry."""
    if np.isnan(places).any():
        return []
    over: Look = {"zorder": 6, "path_effects": [withStroke(linewidth=4, foreground="white")]}
    ax.plot(*places.T, linestyle="none", color=INK, gid="means", **over, **_MEAN)
    return [marker_handle("mean", markeredgecolor=INK, **_MEAN)]


def class_handles(styles: Styles) -> list[Any]:
    """Legend entries: the marker of each class."""
    return [
        marker_handle(look.label, marker=look.marker, markerfacecolor=look.color) for look in styles
    ]


def given_handles(points: RowPoints, styles: Styles, more: Sequence[Any] = ()) -> list[Any]:
    """Legend entries: the classes if there are labels, then further ones, then grey ones."""
    entries = [] if points.unlabelled.all() else class_handles(styles)
    return [*entries, *more, *row_handles(points)]


def row_handles(points: RowPoints) -> list[Any]:
    """Legend entries: the unlabelled rows, and the number of rows without a position."""
    dot = {"marker": "o", "markersize": 4.5, "markerfacecolor": UNLABELLED}
    entries = [marker_handle("unlabelled", **dot)] if points.unlabelled.any() else []
    return [*entries, *missing_handles(points.n_missing)]


def missing_handles(n_missing: int) -> list[Any]:
    """A legend entry with the number of rows that are not drawn, if there are any."""
    if not n_missing:
        return []
    rows = "1 row" if n_missing == 1 else f"{n_missing:,} rows"
    return [marker_handle(f"{rows} not drawn:\nvalue missing or\nnot shown", marker="none")]


def ring_handle() -> Any:
    """The legend entry of the rings."""
    ring: Look = {"marker": "o", "markersize": 9, "markerfacecolor": "none"}
    return marker_handle("error", markeredgecolor=INK, markeredgewidth=1.1, **ring)


def marker_handle(label: str, **look: Any) -> Any:
    """A legend entry that is a marker without a line."""
    usual = {"markersize": 6.5, "markeredgecolor": "white", "markeredgewidth": 0.5}
    return style.line(label, linestyle="none", **usual | look)


@styled
def dataset(
    X: TableLike,
    y: LabelsLike,
    *,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot labelled rows as points, without a model.

    Two features span the plane; one feature is drawn against the class. Along categories, counts
    and classes, points are moved apart slightly. Unlabelled rows are grey; the legend counts rows
    with missing values.

    Parameters
    ----------
    X, y : rows (n, d) and their labels (n,), or the name of the column of X that holds the labels
    features : one or two, by name or number; needed if there are more than two
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> dataset([[1, 5], [2, 4], [7, 8]], ["a", "a", "b"]).get_xlabel()
    'feature 0'
    """
    X, y, _ = separate_columns(X, y)
    given = [features] if isinstance(features, int | str) else features
    named = given is not None and is_frame(X) and all(isinstance(name, str) for name in given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        options = model_options({"columns": Columns(features=given) if named else None})
        table, schema = options.table(X, y, None)
    check_rows(table.rows, schema)
    columns = schema.find_columns(range(schema.n_features) if given is None else given)
    if len(columns) > 2:
        came = f"X has {len(columns)}" if given is None else f"got {list(given)!r:.200}"
        msg = f"this figure shows one or two features, but {came}: choose by name or number"
        raise DataError(msg)
    codes = labels.codes_among(table.classes, table.targets, table.classes).codes.astype(np.intp)
    axes = row_axes(schema, table.rows.categories, columns)
    places = positions_of(cut_rows(table.rows, schema, columns), axes)
    if len(axes) == 1:  # the class is the other axis
        names = tuple(map(str, table.classes.tolist()))
        axes = (*axes, Axis("class", names + ("unlabelled",) * bool((codes < 0).any())))
        places = np.column_stack([places, np.where(codes < 0, len(names), codes)])
    points = points_at(places, codes)
    styles = style.class_styles(table.classes)
    ax = style.axes_for(ax)
    shown = style.widened(ax, limits(axes, points.places))
    draw_points(ax, spread_out(points.places, axes), points.codes, styles)
    style.separate_categories(ax, axes)
    style.set_limits(ax, shown)
    return style.finish(ax, axes, given_handles(points, styles), legend=legend)


@styled
def predictions(
    model: Classifier,
    X: TableLike,
    y: LabelsLike,
    *,
    label: object = None,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot rows over two features in the colour of their predicted class, with errors ringed.

    The predictions use all features of the model, whichever two are shown. Unlabelled rows are
    grey.

    Parameters
    ----------
    model : any fitted classifier
    X, y : rows with all features of the model, and their true classes or the name of their column
    label : show the rows of this true class only; None shows all rows
    features : two, by name or number; None shows the most informative
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> predictions(model, [[0, 0], [3, 3]], [0, 0], label=0).get_title()
    'true class 0: 1 of 2 rows misclassified'
    """
    seen = view(model, features, (2,))
    rows, codes = seen.labelled(X, y)
    predicted, places = seen.whole.labels(rows), seen.positions(rows)
    low, high = limits(seen.axes, places)  # of all rows, so that figures of classes are comparable
    styles = style.class_styles(seen.classes)
    shown, title = np.ones(codes.size, np.bool_), ""
    if label is not None:
        code = int(seen.codes([label])[0])
        shown = codes == code
        title = f"true class {styles[code].label}" + ("\n" if "\n" in styles[code].label else ": ")
    labelled, known = shown & (codes >= 0), ~np.isnan(places).any(axis=1)
    wrong = labelled & (predicted != codes)
    places[known] = spread_out(places[known], seen.axes)
    points = points_at(places[shown], np.where(codes < 0, -1, predicted)[shown])
    ax = style.axes_for(ax)
    limits_shown = style.widened(ax, (low, high))
    style.separate_categories(ax, seen.axes)
    draw_points(ax, points.places, points.codes, styles)
    draw_rings(ax, places[wrong & known])
    style.set_limits(ax, limits_shown)
    ax.set_title(f"{title}{wrong.sum()} of {labelled.sum()} rows misclassified")
    handles = [*class_handles(styles), ring_handle(), *row_handles(points)]
    return style.finish(ax, seen.axes, handles, "predicted class", legend=legend)
