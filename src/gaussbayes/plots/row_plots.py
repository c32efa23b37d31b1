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
from gaussbayes.data.tables import is_frame, separate_columns
from gaussbayes.model.options import model_options
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import style
from gaussbayes.plots.style import INK, Classifier, Features, Look, Styles, styled

UNLABELLED = "#7d7d7d"
_AREA, _RING_AREA = 30.0, 70.0
MOST_ON_A_LINE = 60  # points that can be told apart on a line
_SPREAD = 0.6  # of the room between neighbouring integers or categories, for the points at one
_MOST_SPREAD = 60  # on an axis of more integers points need not be kept apart
_MANY = 3000  # so many points are drawn as an image, which keeps vector files small

# Multiples of the first, modulo 1, fill an interval evenly, and of the others a square.
_GOLDEN = 0.6180339887498949
_PLASTIC = (0.7548776662466927, 0.5698402909980532)

_MEAN: Look = {"marker": "+", "markersize": 9, "markeredgewidth": 2}


@dataclass(frozen=True, slots=True, eq=False)
class RowPoints:
    """Rows that have every shown feature, and how many have not."""

    places: FloatArray  # (n, m)
    codes: NDArray[np.intp]  # (n,) −1 for rows without label
    n_missing: int

    @property
    def unlabelled(self) -> NDArray[np.bool_]:
        """Which of them have no label (n,)."""
        return np.asarray(self.codes < 0)


def points_at(places: FloatArray, codes: NDArray[np.intp]) -> RowPoints:
    """Rows at places (n, m), of which those at NaN cannot be drawn."""
    known = ~np.isnan(places).any(axis=1)
    return RowPoints(places[known], codes[known], int(np.count_nonzero(~known)))


def points_of(seen: View, X: Any, y: Any) -> RowPoints:
    """The rows that a user gave, if any, checked against the model."""
    if X is None and y is not None:
        msg = "y was given without X: give the rows to draw as well"
        raise DataError(msg)
    if y is not None:
        rows, codes = seen.labelled(X, y)
        return points_at(seen.rows(rows), codes)
    places = np.empty((0, len(seen.axes))) if X is None else seen.rows(X)
    return points_at(places, np.full(places.shape[0], -1))


def spread_out(places: FloatArray, axes: Sequence[Axis]) -> FloatArray:
    """Places (n, m) moved a little along discrete axes, where many rows stand at the same one.

    >>> axis = Axis("wind", ("low", "high"), (0, 1))
    >>> spread_out(np.array([[1.0, 7.0], [1.0, 8.0]]), [axis, Axis("age")]).round(2).tolist()
    [[0.7, 7.0], [1.15, 8.0]]
    """
    moved = places.copy()
    narrow = np.ptp(places, axis=0) < _MOST_SPREAD if places.size else [False] * len(axes)
    discrete = [j for j, axis in enumerate(axes) if axis.is_discrete and narrow[j]]
    for j, multiple in zip(discrete, _PLASTIC, strict=False):
        moved[:, j] += _SPREAD * _even(places.shape[0], multiple)
    return moved


def _even(n: int, multiple: float) -> FloatArray:
    """Numbers (n,) from −½ to ½ that fill the interval evenly."""
    numbers: FloatArray = np.arange(n, dtype=np.float64) * multiple % 1.0 - 0.5
    return numbers


def in_strips(points: RowPoints, axes: Sequence[Axis], k: int) -> tuple[FloatArray, int]:
    """Rows along one feature as points (n, 2), a strip for each of k classes; how many strips.

    The first class is on top, unlabelled rows are below all others, or in the middle if there are
    no others. Few points are on one line; the height of many within their strip keeps them apart.
    """
    n = points.codes.size
    extra = int(0 < np.count_nonzero(points.unlabelled) < n)
    ranks = np.where(points.unlabelled, k if extra else (k - 1) / 2, points.codes)
    room = _SPREAD if n > MOST_ON_A_LINE else 0.0
    height = k + extra - 1 - ranks + room * _even(n, _GOLDEN)
    return np.stack([spread_out(points.places, axes)[:, 0], height], axis=1), k + extra


def draw_points(
    ax: Axes,
    places: FloatArray,
    codes: NDArray[np.intp],
    styles: Styles,
    *,
    hollow: bool = False,
) -> None:
    """Draw rows (n, 2), each with the colour and marker of its class; without label (−1) grey."""
    edge, grey_edge = (1.2, 0.8) if hollow else (0.5, 0.3)
    grey: Look = {"s": _AREA / 2, "linewidths": grey_edge, "zorder": 3.9, "gid": "unlabelled"}
    groups: list[tuple[int, str, Look]] = [(-1, UNLABELLED, grey)]
    for code, of_class in enumerate(styles):
        mark: Look = {"s": _AREA, "linewidths": edge, "zorder": 4, "gid": f"class {code}"}
        groups.append((code, of_class.color, mark | {"marker": of_class.marker}))
    for code, color, look in groups:
        chosen = places[codes == code]
        if chosen.shape[0]:
            look |= {"facecolors": "none" if hollow else color}
            look |= {"edgecolors": color if hollow else "white", "rasterized": codes.size > _MANY}
            ax.scatter(*chosen.T, **look)


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
    """Mark the classes' means (k, 2) over everything, if they have places; its legend entry."""
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
    """Legend entries: the classes, unless no row has one, then more, then whatever is in grey."""
    entries = [] if points.unlabelled.all() else class_handles(styles)
    return [*entries, *more, *row_handles(points)]


def row_handles(points: RowPoints) -> list[Any]:
    """Legend entries: the rows without label, and how many have no place, if there are any."""
    dot = {"marker": "o", "markersize": 4.5, "markerfacecolor": UNLABELLED}
    entries = [marker_handle("unlabelled", **dot)] if points.unlabelled.any() else []
    return [*entries, *missing_handles(points.n_missing)]


def missing_handles(n_missing: int) -> list[Any]:
    """A legend entry that says how many rows are not drawn, if there are any."""
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

    Two features span the plane. One feature gives a line for each class, or a strip if there are
    many rows; the height of a point in a strip has no meaning. Along categories, points are moved
    a little aside. Unlabelled rows are grey; the legend counts rows with missing values.

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
    given = style.chosen(features)
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
    axes = row_axes(table.rows, schema, columns)
    points = points_at(positions_of(cut_rows(table.rows, schema, columns), axes), codes)
    low, high = limits(axes, points.places)
    styles = style.class_styles(table.classes)
    ax = style.axes_for(ax)
    before = style.limits_before(ax)
    drawn = spread_out(points.places, axes)
    if len(axes) == 1:
        drawn, n_strips = in_strips(points, axes, len(styles))
        ax.set(xlim=(low[0], high[0]), ylim=(-0.5, n_strips - 0.5), yticks=[])
        ax.spines["left"].set_visible(False)
    else:
        style.set_limits(ax, style.widest(before, (low, high)))
    draw_points(ax, drawn, points.codes, styles)
    style.separate_categories(ax, axes)
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
    hollow.

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
    seen = view(model, style.chosen(features), (2,))
    rows, codes = seen.labelled(X, y)
    predicted = seen.whole.labels(rows)
    places = seen.rows(rows)
    low, high = limits(seen.axes, places)  # of all rows, so that figures of classes compare
    shown, title = np.ones(codes.size, np.bool_), ""
    styles = style.class_styles(seen.classes)
    if label is not None:
        code = int(seen.codes([label])[0])
        shown = codes == code
        title = f"true class {styles[code].label}" + ("\n" if "\n" in styles[code].label else ": ")
    labelled, unlabelled = shown & (codes >= 0), shown & (codes < 0)
    wrong = labelled & (predicted != codes)
    known = ~np.isnan(places).any(axis=1)
    places[known] = spread_out(places[known], seen.axes)
    ax = style.axes_for(ax)
    before = style.limits_before(ax)
    style.separate_categories(ax, seen.axes)
    for drawn, hollow in ((labelled & known, False), (unlabelled & known, True)):
        draw_points(ax, places[drawn], predicted[drawn], styles, hollow=hollow)
    draw_rings(ax, places[wrong & known])
    style.set_limits(ax, style.widest(before, (low, high)))
    ax.set_title(f"{title}{wrong.sum()} of {labelled.sum()} rows misclassified")
    handles = [*class_handles(styles), ring_handle()]
    if unlabelled.any():
        edge = {"marker": "o", "markeredgecolor": INK, "markeredgewidth": 1.2}
        handles.append(marker_handle("unlabelled", markerfacecolor="none", **edge))
    handles += missing_handles(int(np.count_nonzero(shown & ~known)))
    return style.finish(ax, seen.axes, handles, "predicted class", legend=legend)
