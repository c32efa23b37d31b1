"""The rows themselves, by their true classes; and test rows, by the classes predicted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gaussbayes.analysis.grid import axis_limits, limits
from gaussbayes.analysis.held_out import read_table
from gaussbayes.analysis.view import Axis, pair_view, positions_of, read_labelled, row_axes
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CategoricalFeatures, FloatArray
from gaussbayes.data import labels
from gaussbayes.data.rows import Encoder, LabelledRows
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.style import Features, Panel, styled


@styled
def dataset(
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    features: Features = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    ax: Panel = None,
) -> Axes:
    """Draw labelled rows as points; no model is needed.

    Two features span the plane; one feature gives a strip for each class, in which the height of a
    point within its strip means nothing. Along categories, too, points are moved a little aside.
    Rows without label are grey; how many cannot be drawn, for a value is missing, is said.

    Parameters
    ----------
    X, y : rows (n, d), an array or a frame, and their labels (n,), None or NaN where there is none
    test : rows and labels held out, drawn hollow
    features : the one or two to show, by name or number; needed if there are more than two
    categorical_features : which features hold categories, as in `GaussianClassifier`
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> dataset([[1, 5], [2, 4], [7, 8]], ["a", "a", "b"]).get_xlabel()
    'feature 0'
    """
    encoder = Encoder.learn(X, categorical_features)
    tables = [read_table(X, y, encoder)]
    if test is not None:
        tables.append(_read_test(test, encoder, categorical_features))
    rows, classes = tables[0].rows, tables[0].classes
    schema = encoder.schema(classes)
    columns = _columns(schema, features)
    for table in tables[1:]:
        rows = rows.joined(table.rows, schema.of_categories)
        classes = labels.unite(classes, table.classes)[0]
    codes = [labels.codes_among(classes, each.targets, each.classes).codes for each in tables]
    axes = row_axes(rows, schema, columns)
    places = positions_of(cut_rows(rows, schema, columns), axes)
    points = row_markers.points_at(places, np.concatenate(codes).astype(np.intp))
    is_test = np.arange(rows.n_rows)[~np.isnan(places).any(axis=1)] >= codes[0].size
    low, high = _limits(axes, places)
    styles = style.class_styles(classes)
    ax = style.axes_for(ax)
    drawn = row_markers.spread_out(points.places, axes)
    if len(axes) == 1:
        drawn, _ = row_markers.in_strips(points, axes, len(styles))
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    handles = [*row_markers.class_handles(styles), *row_markers.row_handles(points)]
    row_markers.draw_points(ax, drawn[~is_test], points.codes[~is_test], styles)
    if test is not None:
        row_markers.draw_points(ax, drawn[is_test], points.codes[is_test], styles, hollow=True)
        handles += [_dot_handle("training", style.INK), _dot_handle("test", "none")]
    ax.set(**dict(zip(("xlim", "ylim"), zip(low, high, strict=True), strict=False)))
    plane.separate_categories(ax, axes)
    return style.finish(ax, axes, handles)


@styled
def predictions(
    model: Any, X: Any, y: Any, *, label: Any = None, features: Features = None, ax: Panel = None
) -> Axes:
    """Draw test rows by the class the model predicts for them, and ring the errors.

    The predictions are those of the whole model, whichever two features are shown.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
    X, y : rows with every feature of the model, and their true classes; rows without label are
        drawn hollow, in the colour of the class predicted
    label : show only the rows of this true class; None shows all
    features : the two to show, by name or number; needed if the model has more than two
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> predictions(model, [[0, 0], [3, 3]], [0, 0], label=0).get_title()
    'true class 0: 1 of 2 rows predicted wrongly'
    """
    seen = pair_view(model, features)
    whole, rows, codes = read_labelled(model, X, y)
    predicted = whole.labels(rows)
    places = seen.rows(rows)
    low, high = _limits(seen.axes, places)  # of all rows: figures of several classes compare
    chosen = np.ones(codes.size, np.bool_)
    title = ""
    styles = style.class_styles(seen.classes)
    if label is not None:
        code = int(seen.codes([label])[0])
        chosen = codes == code
        short = styles[code].label
        title = f"true class {short}" + ("\n" if "\n" in short else ": ")
    labelled = chosen & (codes >= 0)
    wrong = labelled & (predicted != codes)
    known = ~np.isnan(places).any(axis=1)
    places[known] = row_markers.spread_out(places[known], seen.axes)
    ax = style.axes_for(ax)
    plane.separate_categories(ax, seen.axes)
    for which, hollow in ((labelled, False), (chosen & (codes < 0), True)):
        drawn = which & known
        row_markers.draw_points(ax, places[drawn], predicted[drawn], styles, hollow=hollow)
    row_markers.draw_rings(ax, places[wrong & known])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_title(f"{title}{wrong.sum()} of {labelled.sum()} rows predicted wrongly")
    handles = [*row_markers.class_handles(styles), row_markers.ring_handle()]
    if (chosen & (codes < 0)).any():
        handles.append(_dot_handle("unlabelled", "none"))
    handles += row_markers.missing_handles(int(np.count_nonzero(chosen & ~known)))
    return style.finish(ax, seen.axes, handles, "predicted class")


def _read_test(test: Any, encoder: Encoder, categorical: CategoricalFeatures) -> LabelledRows:
    if not isinstance(test, tuple | list) or len(test) != 2:
        msg = f"test must be a pair (X_test, y_test), got {type(test).__name__}"
        raise DataError(msg)
    theirs = Encoder.learn(test[0], categorical)
    known = theirs.names is not None and encoder.names is not None
    if theirs.n_features != encoder.n_features or (known and theirs.names != encoder.names):
        ours, others = encoder.names or encoder.n_features, theirs.names or theirs.n_features
        msg = f"the test rows have other features: {others} there, {ours} in X; give the same"
        raise SchemaError(msg)
    return read_table(test[0], test[1], encoder)


def _columns(schema: Schema, features: Features) -> tuple[int, ...]:
    columns = schema.find_columns(range(schema.n_features) if features is None else features)
    if len(columns) > 2:
        came = f"X has {len(columns)}" if features is None else f"got {list(features)!r:.200}"
        msg = f"this figure shows one or two features, but {came}: choose by name or number"
        raise SchemaError(msg)
    return columns


def _limits(axes: Sequence[Axis], places: FloatArray) -> tuple[FloatArray, FloatArray]:
    low, high = np.zeros((2, len(axes)))
    numbers = [place for place, axis in enumerate(axes) if axis.is_ordered]
    if numbers:
        low[numbers], high[numbers] = limits(None, places[:, numbers])
    return axis_limits(axes, low, high)


def _dot_handle(label: str, color: str) -> Any:
    edge = {"marker": "o", "markeredgecolor": style.INK, "markeredgewidth": 1.2}
    return row_markers.marker_handle(label, markerfacecolor=color, **edge)
