"""The rows themselves: true classes by colour and marker, training filled and test hollow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.grid import limits
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.data import labels, table
from gaussbayes.families.gaussian.marginal import find_columns
from gaussbayes.plots import points, style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    matrix: RealArray  # (n, d)
    codes: NDArray[np.intp]  # (n,)
    schema: Schema


@picture
def dataset(
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    features: Sequence[int | str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw labelled rows as points; no model is needed.

    Two features span the plane; one feature gives a strip for each class, in which the height of a
    point within its strip means nothing.

    Parameters
    ----------
    X, y : rows (n, d), an array or a frame, and their labels (n,)
    test : rows and labels held out, drawn hollow
    features : the one or two to show, by name or number; needed if there are more than two

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> dataset([[1, 5], [2, 4], [7, 8]], ["a", "a", "b"]).get_xlabel()
    'feature 0'
    >>> plt.close("all")
    """
    train = _read(X, y)
    parts = [train] if test is None else [train, _read(*_pair(test))]
    if len(parts) > 1:
        _refuse_other_features(parts[1].schema, train.schema)
    columns = _columns(train.schema, features)
    classes = parts[0].schema.classes
    for part in parts[1:]:
        classes = labels.unite(classes, part.schema.classes)[0]
    styles = style.class_styles(classes)
    ax = style.axes_for(ax)
    for part in parts:
        codes = _among(classes, part)
        rows = part.matrix[:, columns]
        if len(columns) == 1:
            rows = points.strip(rows[:, 0], codes, len(styles))
        points.draw_points(ax, rows, codes, styles, hollow=part is not train)
    names = train.schema.titles
    _frame(ax, [names[column] for column in columns], [part.matrix[:, columns] for part in parts])
    style.legend_beside(ax, _handles(styles, with_test=len(parts) > 1))
    return ax


def _read(X: Any, y: Any) -> _Rows:
    batch, schema = table.read(X, y)
    if batch.targets.ndim != 1:
        msg = f"y must be one label for each row here, got memberships {batch.targets.shape}"
        raise DataError(msg)
    check_finite(batch.X, names=schema.features)
    return _Rows(batch.X, batch.targets.astype(np.intp), schema)


def _pair(test: Any) -> tuple[Any, Any]:
    if not isinstance(test, tuple | list) or len(test) != 2:
        msg = f"test must be a pair (X_test, y_test), got {type(test).__name__}"
        raise DataError(msg)
    return test[0], test[1]


def _refuse_other_features(test: Schema, train: Schema) -> None:
    known = test.features is not None and train.features is not None
    if test.n_features != train.n_features or (known and test.features != train.features):
        ours, theirs = train.features or train.n_features, test.features or test.n_features
        msg = f"the test rows have other features: {theirs} there, {ours} in X; give the same"
        raise SchemaError(msg)


def _columns(schema: Schema, features: Sequence[int | str] | None) -> tuple[int, ...]:
    chosen = range(schema.n_features) if features is None else features
    columns = find_columns(schema, chosen)
    if len(columns) > 2:
        came = f"X has {schema.n_features}" if features is None else f"got {list(chosen)!r:.200}"
        msg = f"this picture shows one or two features, but {came}: choose by name or number"
        raise SchemaError(msg)
    return columns


def _among(classes: LabelArray, part: _Rows) -> NDArray[np.intp]:
    places = labels.unite(classes, part.schema.classes)[2]
    return places[part.codes].astype(np.intp)


def _frame(ax: "Axes", names: Sequence[str], shown: Sequence[RealArray]) -> None:
    low, high = limits(None, *shown)
    ax.set_xlim(low[0], high[0])
    style.name_axes(ax, names)
    if len(names) == 1:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    else:
        ax.set_ylim(low[1], high[1])


def _handles(styles: Sequence[style.ClassStyle], with_test: bool) -> list[Any]:
    handles = points.class_handles(styles)
    if with_test:
        look = {"marker": "o", "markeredgecolor": style.INK, "markeredgewidth": 1.2}
        handles += [
            points.marker_handle("training", markerfacecolor=style.INK, **look),
            points.marker_handle("test", markerfacecolor="none", **look),
        ]
    return handles
