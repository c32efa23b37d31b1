"""The rows themselves, by their true classes; and test rows, by the classes predicted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.grid import axis_limits, limits
from gaussbayes.analysis.held_out import read_table
from gaussbayes.analysis.view import Axis, pair_view, positions_of, read_labelled, row_axes
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CategoricalFeatures, FloatArray
from gaussbayes.data import labels
from gaussbayes.data.encoder import Encoder
from gaussbayes.data.rows import LabelledRows
from gaussbayes.model.settings import cut_rows
from gaussbayes.plots import plane, row_markers, style
from gaussbayes.plots.row_markers import RowPoints
from gaussbayes.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def dataset(
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    features: Sequence[int | str] | None = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    ax: "Axes | None" = None,
) -> "Axes":
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

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> dataset([[1, 5], [2, 4], [7, 8]], ["a", "a", "b"]).get_xlabel()
    'feature 0'
    >>> plt.close("all")
    """
    encoder = Encoder.learn(X, categorical_features)
    tables = [read_table(X, y, encoder)]
    if test is not None:
        tables.append(_read_test(*_pair(test), encoder, categorical_features))
    schema = encoder.schema(tables[0].classes)
    columns = _columns(schema, features)
    rows, codes, classes = tables[0].rows, [tables[0].targets.codes], tables[0].classes
    for table in tables[1:]:
        rows = rows.joined(table.rows, schema.of_categories)
        codes.append(table.targets.codes)
        classes = labels.unite(classes, table.classes)[0]
    axes = row_axes(rows, schema, columns)
    places = positions_of(cut_rows(rows, schema, columns), axes)
    among = [_among(classes, table) for table in tables]
    points = row_markers.points_at(places, np.concatenate(among))
    is_test = np.repeat([False, True][: len(tables)], [part.size for part in among])
    is_test = is_test[~np.isnan(places).any(axis=1)]
    low, high = _limits(axes, places)
    styles = style.class_styles(classes)
    ax = style.axes_for(ax)
    drawn = _drawn_at(points, axes, len(styles))
    for hollow in [False, True][: len(tables)]:
        which = is_test == hollow
        row_markers.draw_points(ax, drawn[which], points.codes[which], styles, hollow=hollow)
    ax.set_xlim(low[0], high[0])
    if len(axes) == 1:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    else:
        ax.set_ylim(low[1], high[1])
    plane.separate_categories(ax, axes)
    style.label_axes(ax, axes)
    style.legend_beside(ax, _handles(styles, points, with_test=len(tables) > 1))
    return ax


@styled
def predictions(
    model: Any,
    X: Any,
    y: Any,
    *,
    label: object = None,
    features: Sequence[int | str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw test rows by the class the model predicts for them, and ring the errors.

    The predictions are those of the whole model, whichever two features are shown.

    Parameters
    ----------
    X, y : rows with every feature of the model, and their true classes; rows without label are
        drawn hollow, in the colour of the class predicted
    label : show only the rows of this true class; None shows all
    features : the two to show, by name or number; needed if the model has more than two

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0, 0], [4, 4], [0, 9]], [[4, 1], [1, 4]])
    >>> predictions(model, [[0, 0], [3, 3]], [0, 0], label=0).get_title()
    'true class 0: 1 of 2 rows predicted wrongly'
    >>> plt.close("all")
    """
    seen = pair_view(model, features)
    whole, rows, codes = read_labelled(model, X, y)
    predicted = whole.labels(rows)
    places = seen.rows(rows)
    low, high = _limits(
        seen.axes, places
    )  # of all rows, so that figures of several classes compare
    chosen = np.ones(codes.size, np.bool_)
    title = ""
    styles = style.class_styles(seen.classes)
    if label is not None:
        code = int(seen.codes([label])[0])
        chosen = codes == code
        short = styles[code].label
        title = f"true class {short}" + ("\n" if "\n" in short else ": ")
    wrong = chosen & (codes >= 0) & (predicted != codes)
    judged = chosen & (codes >= 0)
    known = ~np.isnan(places).any(axis=1)
    at = np.full(places.shape, np.nan)
    at[known] = row_markers.spread_out(places[known], seen.axes)
    ax = style.axes_for(ax)
    plane.separate_categories(ax, seen.axes)
    for hollow in (False, True):
        which = chosen & known & ((codes < 0) == hollow)
        row_markers.draw_points(ax, at[which], predicted[which], styles, hollow=hollow)
    row_markers.draw_rings(ax, at[wrong & known])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_title(f"{title}{wrong.sum()} of {judged.sum()} rows predicted wrongly")
    style.label_axes(ax, seen.axes)
    handles = [*row_markers.class_handles(styles), row_markers.ring_handle("error")]
    if (chosen & (codes < 0)).any():
        handles.append(_hollow_handle("unlabelled"))
    handles += row_markers.missing_handles(int(np.count_nonzero(chosen & ~known)))
    style.legend_beside(ax, handles, "predicted class")
    return ax


def _pair(test: Any) -> tuple[Any, Any]:
    if not isinstance(test, tuple | list) or len(test) != 2:
        msg = f"test must be a pair (X_test, y_test), got {type(test).__name__}"
        raise DataError(msg)
    return test[0], test[1]


def _read_test(
    X: Any, y: Any, encoder: Encoder, categorical_features: CategoricalFeatures
) -> LabelledRows:
    theirs = Encoder.learn(X, categorical_features)
    known = theirs.names is not None and encoder.names is not None
    if theirs.n_features != encoder.n_features or (known and theirs.names != encoder.names):
        ours, others = encoder.names or encoder.n_features, theirs.names or theirs.n_features
        msg = f"the test rows have other features: {others} there, {ours} in X; give the same"
        raise SchemaError(msg)
    return read_table(X, y, encoder)


def _columns(schema: Schema, features: Sequence[int | str] | None) -> tuple[int, ...]:
    chosen = range(schema.n_features) if features is None else features
    columns = schema.find_columns(chosen)
    if len(columns) > 2:
        came = f"X has {schema.n_features}" if features is None else f"got {list(chosen)!r:.200}"
        msg = f"this figure shows one or two features, but {came}: choose by name or number"
        raise SchemaError(msg)
    return columns


def _among(classes: Any, table: LabelledRows) -> Any:
    """The codes of rows (n,) among these classes."""
    return labels.codes_among(classes, table.targets, table.classes).codes.astype(np.intp)


def _drawn_at(points: RowPoints, axes: Sequence[Axis], k: int) -> FloatArray:
    """Where points are drawn (n, 2); those of one feature in strips, unlabelled ones last."""
    places = row_markers.spread_out(points.places, axes)
    if len(axes) > 1:
        return places
    ranks = np.where(points.unlabelled, k, points.codes)
    return row_markers.strip(places[:, 0], ranks, k + int(points.unlabelled.any()))


def _limits(axes: Sequence[Axis], places: FloatArray) -> tuple[FloatArray, FloatArray]:
    low, high = np.zeros((2, len(axes)))
    numbers = [place for place, axis in enumerate(axes) if axis.is_ordered]
    if numbers:
        low[numbers], high[numbers] = limits(None, places[:, numbers])
    return axis_limits(axes, low, high)


def _handles(styles: Sequence[style.ClassStyle], points: RowPoints, with_test: bool) -> list[Any]:
    handles = [*row_markers.class_handles(styles), *row_markers.row_handles(points)]
    if with_test:
        look = {"marker": "o", "markeredgecolor": style.INK, "markeredgewidth": 1.2}
        full = row_markers.marker_handle("training", markerfacecolor=style.INK, **look)
        handles += [full, _hollow_handle("test")]
    return handles


def _hollow_handle(label: str) -> Any:
    look = {"marker": "o", "markeredgecolor": style.INK, "markeredgewidth": 1.2}
    return row_markers.marker_handle(label, markerfacecolor="none", **look)
