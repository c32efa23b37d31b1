"""What a row belongs to: labels of any kind → class numbers, or memberships in several classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError, MissingLabelError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray

_WIDEST_SPAN = 1 << 16
"""Whole numbers that lie closer together are counted in a table; others are sorted."""

_SUM_TOLERANCE = 1e-8


def as_targets(y: Any) -> tuple[CodeArray | FloatArray, LabelArray]:
    """Class numbers (n,) or memberships (n, k), and the classes in order (k,).

    A matrix with one column counts as that column. With k ≥ 2 columns it says how much of each row
    belongs to each class: finite, not negative, each row summing to 1 within 1e-8 (or the rounding
    of the float type it comes in). The classes are then the frame's column names, or 0 … k − 1.
    Memberships that are all 0 or 1 become class numbers. A class without any weight is kept here;
    the estimator drops it, as it does a label whose rows all have weight 0.

    Examples
    --------
    >>> codes, classes = as_targets([[0, 1], [1, 0]])
    >>> codes.tolist(), classes.tolist()
    ([1, 0], [0, 1])
    """
    values, names = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 1:
        return encode(values)
    if values.ndim == 2 and values.shape[1] > 1:
        return _memberships(values, names)
    msg = f"y should be a 1d array of labels, or memberships (rows, classes); got {values.shape}"
    raise DataError(msg)


def encode(y: Any) -> tuple[CodeArray, LabelArray]:
    """Class numbers (n,) of labels, and the labels that occur, sorted (k,).

    Examples
    --------
    >>> codes, classes = encode(["b", "a", "b"])
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    labels, _ = _as_array(y)
    if labels.ndim != 1:
        msg = f"y should be a 1d array of labels, got an array of shape {labels.shape}"
        raise DataError(msg)
    kind = labels.dtype.kind
    if labels.size == 0:
        return np.empty(0, np.int32), labels
    if kind == "f":
        _refuse_continuous(labels)
    if kind in "biuf":
        return _encode_numbers(labels)
    if kind == "c":
        msg = f"Complex data not supported: y holds complex numbers ({labels[0]} in row 0)"
        raise DataError(msg)
    return _encode_objects(labels)


def encode_some(y: Any, mark: Any = None) -> tuple[CodeArray, LabelArray]:
    """As `encode`, with −1 for rows without a label: None, NaN, or a label that marks them.

    Examples
    --------
    >>> codes, classes = encode_some(["b", None, "a", "?"], mark="?")
    >>> codes.tolist(), classes.tolist()
    ([1, -1, 0, -1], ['a', 'b'])
    """
    values, _ = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = f"rows without labels go with labels (n,) for the others, got y of {values.shape}"
        raise DataError(msg)
    if values.dtype.kind == "f":
        there = ~np.isnan(values)
    else:
        there = np.fromiter((not is_missing(each) for each in values.tolist()), bool, values.size)
    if mark is not None:
        marked = np.fromiter((each == mark for each in values.tolist()), bool, values.size)
        there &= ~marked
    codes = np.full(values.size, -1, np.int32)
    codes[there], classes = encode(values[there])
    return codes, classes


def unite(a: LabelArray, b: LabelArray) -> tuple[LabelArray, CodeArray, CodeArray]:
    """The classes of both, and the numbers that those of `a` and of `b` have among them.

    Examples
    --------
    >>> classes, of_a, of_b = unite(np.array(["a", "c"]), np.array(["b", "c"]))
    >>> classes.tolist(), of_a.tolist(), of_b.tolist()
    (['a', 'b', 'c'], [0, 2], [1, 2])
    """
    numbers = {a.dtype.kind, b.dtype.kind} <= set("biuf")
    if numbers or a.dtype.kind == b.dtype.kind:
        both = np.concatenate([a, b])
    else:  # NumPy would turn 1 into '1' to make a number and a text alike
        both = np.concatenate([a.astype(object), b.astype(object)])
    codes, classes = encode(both)
    return classes, codes[: a.size], codes[a.size :]


def is_missing(value: object) -> bool:
    """Whether a value stands for a missing one: None, NaN, or pandas' NA and NaT.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)  # noqa: PLR0124 (NaN and NaT differ from themselves)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def series_values(series: Any) -> NDArray[Any]:
    """The values (n,) of a column, a series of narwhals; missing ones as None or NaN.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import pandas as pd
    >>> series_values(nw.from_native(pd.Series([1, 2]), series_only=True)).tolist()
    [1, 2]
    """
    import narwhals.stable.v2 as nw

    if series.implementation.is_pyarrow() and series.dtype == nw.Categorical:
        # A missing value in a dictionary of Arrow would become one of those that are there.
        coded = series.to_native()
        series = nw.from_native(coded.cast(coded.type.value_type), series_only=True)
    values: NDArray[Any] = series.to_numpy()
    return values


def _as_array(y: Any) -> tuple[NDArray[Any], Sequence[object] | None]:
    """The values of `y`, and the names of its columns if it is a frame."""
    if type(y) is np.ndarray:
        return y, None
    if y is None:
        msg = "fitting requires y to be passed, but the target y is None"
        raise DataError(msg)
    if not isinstance(y, list | tuple | np.ndarray):
        import narwhals.stable.v2 as nw

        if nw.dependencies.is_into_series(y):
            return series_values(nw.from_native(y, series_only=True)), None
        if nw.dependencies.is_into_dataframe(y):
            frame = nw.from_native(y, eager_only=True)
            return frame.to_numpy(), frame.columns
    if np.ma.is_masked(y):
        labels = np.ma.getdata(y).astype(object)
        labels[np.ma.getmaskarray(y)] = None
        return labels, None
    try:
        values = np.asarray(y)
    except ValueError:  # rows of different lengths
        values = np.empty(0)
    if values.ndim == 0 or (values.size == 0 and len(y) > 0):
        msg = f"y should be a 1d array of labels, one for each row, got {y!r:.200}"
        raise DataError(msg)
    if values.dtype.kind in "US" and values.ndim == 1 and isinstance(y, list | tuple):
        # A list of unlike things becomes text as a whole; so does a missing label in it.
        kinds = {type(value) for value in y}
        if not (kinds <= {str, np.str_} or kinds <= {bytes, np.bytes_}):
            return np.fromiter(y, dtype=object, count=len(y)), None
    return values, None


def _encode_numbers(labels: NDArray[Any]) -> tuple[CodeArray, LabelArray]:
    lowest, highest = int(labels.min()), int(labels.max())
    if highest - lowest < _WIDEST_SPAN and lowest >= -(1 << 63) and highest < 1 << 63:
        whole = labels.astype(np.int64, copy=False)
        codes, present = kernels.active().encode(whole, lowest, highest - lowest + 1)
        return codes, (np.flatnonzero(present) + lowest).astype(labels.dtype.newbyteorder("="))
    classes, inverse = np.unique(labels, return_inverse=True)
    return inverse.astype(np.int32), classes


def _encode_objects(labels: NDArray[Any]) -> tuple[CodeArray, LabelArray]:
    values = list(labels) if labels.dtype.kind in "Mm" else labels.tolist()
    try:
        found = dict.fromkeys(values)
    except TypeError as error:
        msg = f"Unknown label type: a label must be text, a number or a truth value; {error}"
        raise DataError(msg) from None
    if any(is_missing(label) for label in found):
        row = next(row for row, label in enumerate(values) if is_missing(label))
        msg = f"the label in row {row} is missing ({values[row]}): leave out rows without a label"
        raise MissingLabelError(msg)
    try:
        ordered = sorted(found)
    except TypeError:
        of_each = {type(label).__name__: label for label in found}
        some = ", ".join(f"{label!r} ({name})" for name, label in of_each.items())
        msg = f"labels of different types have no order: {some}; make them all text or all numbers"
        raise DataError(msg) from None
    number = {label: code for code, label in enumerate(ordered)}
    codes = np.fromiter(map(number.__getitem__, values), np.int32, len(values))
    if labels.dtype.kind != "O":
        return codes, np.array(ordered, dtype=labels.dtype)
    return codes, np.fromiter(ordered, object, len(ordered))


def _refuse_continuous(labels: NDArray[Any]) -> None:
    whole = np.rint(labels) == labels
    if whole.all() and np.isfinite(labels).all():
        return
    if not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        value = "NaN" if np.isnan(labels[row]) else "infinity"
        msg = f"Input y contains {value}: the label in row {row}; leave out rows without a label"
        raise (MissingLabelError if value == "NaN" else DataError)(msg)
    row = int(np.flatnonzero(~whole)[0])
    msg = (
        f"Unknown label type: continuous. The label in row {row} is {labels[row]}, but a "
        "classifier expects classes: text, whole numbers or truth values"
    )
    raise DataError(msg)


def _memberships(
    values: NDArray[Any], names: Sequence[object] | None
) -> tuple[CodeArray | FloatArray, LabelArray]:
    k = values.shape[1]
    meaning = f"y of shape {values.shape} says how much of each row belongs to each of {k} classes"
    try:
        memberships = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{meaning}, so it must hold numbers; labels are given as one column"
        raise DataError(msg) from None
    total = memberships.sum(axis=1)
    rounding = float(np.finfo(values.dtype).eps) if values.dtype.kind == "f" else 0.0
    good = (memberships >= 0).all(axis=1)  # NaN is not
    good &= np.abs(total - 1.0) <= max(_SUM_TOLERANCE, rounding)
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        msg = (
            f"{meaning}: finite, not negative, together 1. Row {row} is "
            f"{memberships[row].tolist()!s:.200}, which sums to {total[row]:g}"
        )
        raise DataError(msg)
    ranks, classes = encode(np.arange(k) if names is None else list(names))
    order = np.argsort(ranks)
    if names is not None:
        memberships = memberships[:, order]
    if ((memberships == 0) | (memberships == 1)).all():
        return np.argmax(memberships, axis=1).astype(np.int32), classes
    return memberships, classes
