"""What rows belong to: labels of any kind → class codes or soft labels, and weights.

A row without label has the class code −1: its label is None, NaN, pandas' NA, or the value that the
caller says marks such rows. Among soft labels it is a row of NaN.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError, MissingLabelError, SchemaError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.roles import BadRow, BadRowError, shorten
from gaussbayes.data.rows import UNLABELLED, Targets
from gaussbayes.data.tables import (
    column_values,
    dictionary_parts,
    is_dictionary,
    is_missing,
    is_string,
    series_values,
)

if TYPE_CHECKING:
    import pyarrow as pa

_WIDEST_SPAN = 1 << 16
"""Integers that lie closer together are counted in a table; others are sorted."""

_SUM_TOLERANCE = 1e-8


def read_targets(
    y: Any, n_rows: int | None = None, weights: Any = None, mark: Any = None
) -> tuple[Targets, LabelArray]:
    """The labels and weights of rows, and the classes in order (k,).

    A matrix with one column counts as that column. With k ≥ 2 columns it holds soft labels: how
    much of each row belongs to each class, finite, not negative, each row summing to 1 within 1e-8
    (or the rounding of the float type it comes in). The classes are then the frame's column names,
    or 0 … k − 1. Soft labels that are all 0 or 1 become class codes. A class without any weight is
    kept here.

    Parameters
    ----------
    n_rows : how many labels there must be, if that is known
    weights : (n,) how much each row counts; None is 1 each
    mark : a label that stands for a missing one, such as −1 or "?"

    Examples
    --------
    >>> targets, classes = read_targets(["b", None, "a", "?"], mark="?")
    >>> targets.labels.tolist(), targets.n_unlabelled, classes.tolist()
    ([1, -1, 0, -1], 2, ['a', 'b'])
    """
    values, names = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    labels: CodeArray | FloatArray
    if values.ndim == 2 and values.shape[1] > 1:
        labels, classes, n_unlabelled = _soft_labels(values, names)
    else:
        labels, classes, n_unlabelled = _coded(values, mark)
    n = labels.shape[0]
    if n_rows is not None and n != n_rows:
        msg = f"X has {n_rows} rows, but y has {n}; give one label for each row"
        raise DataError(msg)
    return Targets(labels, classes.shape[0], read_weights(weights, n), n_unlabelled), classes


def encode(y: Any) -> tuple[CodeArray, LabelArray]:
    """Class codes (n,) of labels, none of which is missing, and those that occur, sorted (k,)."""
    codes, classes, n_missing = _coded(_as_array(y)[0], None)
    if n_missing:
        row = int(np.argmax(codes == UNLABELLED))
        msg = f"Input y contains NaN: the label in row {row} is missing; leave out such rows"
        raise MissingLabelError(msg)
    return codes, classes


def codes_among(known: LabelArray, targets: Targets, classes: LabelArray) -> Targets:
    """The same targets, with codes among the known classes; raises for a label that is none."""
    check_known(classes, known)
    k = known.shape[0]
    if classes.dtype == known.dtype and np.array_equal(classes, known):
        return targets
    places = unite(known, classes)[2]
    if targets.is_soft:
        soft = np.zeros((targets.labels.shape[0], k))
        soft[:, places] = targets.labels
        soft[~targets.labelled] = np.nan
        return replace(targets, labels=soft, n_classes=k)
    translation = np.append(places, np.int32(UNLABELLED))  # −1 is the last entry
    return replace(targets, labels=translation[targets.codes], n_classes=k)


def check_known(labels: LabelArray, known: LabelArray) -> None:
    """Raise if one of the labels is not among the known ones."""
    names = known.tolist()
    unknown = [label for label in labels.tolist() if label not in names]
    if unknown:
        msg = f"unknown labels: {unknown!r:.200}; the classes are {names!r:.200}"
        raise SchemaError(msg)


def unite(a: LabelArray, b: LabelArray) -> tuple[LabelArray, CodeArray, CodeArray]:
    """The classes of both, and the codes that those of `a` and of `b` have among them."""
    numbers = {a.dtype.kind, b.dtype.kind} <= set("biuf")
    if not a.size or not b.size:  # no labels have no type
        both = a if a.size else b
    elif numbers or a.dtype.kind == b.dtype.kind:
        both = np.concatenate([a, b])
    else:  # NumPy would turn 1 into '1' to make a number and a string alike
        both = np.concatenate([a.astype(object), b.astype(object)])
    codes, classes = encode(both)
    return classes, codes[: a.size], codes[a.size :]


def read_weights(weights: Any, n_rows: int) -> FloatArray | None:
    """How much each row counts (n,): finite, not negative, not all zero."""
    if weights is None:
        return None
    try:
        values = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"sample_weight must be numbers, one for each row, got {weights!r:.200}"
        raise DataError(msg) from None
    if values.shape != (n_rows,):
        msg = f"sample_weight must have shape ({n_rows},), one for each row, got {values.shape}"
        raise DataError(msg)
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if not (values.min(initial=0.0) >= 0 and total < np.inf):
        bad = np.flatnonzero(~((values >= 0) & (values < np.inf)))
        which = f"row {bad[0]} has {values[bad[0]]}" if bad.size else f"together {total}"
        msg = f"sample_weight must be finite and not negative: {which}"
        raise DataError(msg)
    if total == 0:
        msg = f"Sample weights must contain at least one non-zero number: all {n_rows} are zero"
        raise DataError(msg)
    return values


# Labels in memory.


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
        labels: NDArray[Any] = np.ma.getdata(y).astype(object)
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
        # A list of unlike things becomes strings as a whole; so does a missing label in it.
        kinds = {type(value) for value in y}
        if not (kinds <= {str, np.str_} or kinds <= {bytes, np.bytes_}):
            values = np.fromiter(y, dtype=object, count=len(y))
    return values, None


def _coded(values: NDArray[Any], mark: Any) -> tuple[CodeArray, LabelArray, int]:
    """Class codes, −1 for missing labels, the classes, and how many labels are missing."""
    if values.ndim != 1:
        msg = f"y should be a 1d array of labels, or soft labels (n, k); got shape {values.shape}"
        raise DataError(msg)
    missing = _missing(values, mark)
    if missing is None or not missing.any():
        return *_ranked(values, np.arange(0)), 0
    present = np.flatnonzero(~missing)
    some = values[present]
    kinds = set(map(type, some.tolist())) if some.dtype.kind == "O" else set()
    if kinds in ({int}, {bool}):  # objects only because a label was missing
        some = np.array(some.tolist())
    codes = np.full(values.size, UNLABELLED, np.int32)
    codes[present], classes = _ranked(some, present)
    return codes, classes, values.size - present.size


def _missing(values: NDArray[Any], mark: Any) -> NDArray[np.bool_] | None:
    """Which labels are missing, or are the mark of a missing one (n,); None if none can be."""
    kind = values.dtype.kind
    missing: NDArray[np.bool_] | None = None
    if kind in "fMm":
        missing = np.asarray(np.isnan(values) if kind == "f" else np.isnat(values))
    elif kind not in "biuUSc":
        listed = values.tolist()
        try:
            distinct: Any = dict.fromkeys(listed)
        except TypeError:  # some cannot be compared
            distinct = listed
        if any(map(is_missing, distinct)):
            missing = np.fromiter(map(is_missing, listed), bool, values.size)
    numeric = isinstance(mark, int | float | np.number | np.bool_)
    if mark is None or (kind in "biuf" and not numeric) or (kind == "U" and numeric):
        return missing
    marked = np.fromiter((bool(each == mark) for each in values.tolist()), bool, values.size)
    return marked if missing is None else missing | marked


def _ranked(labels: NDArray[Any], rows: NDArray[np.intp]) -> tuple[CodeArray, LabelArray]:
    """Codes of labels that are there, and the classes; `rows` are their numbers, if others miss."""
    kind = labels.dtype.kind
    if labels.size == 0:
        return np.empty(0, np.int32), labels
    if kind == "c":
        msg = f"Complex data not supported: y holds complex numbers ({labels[0]} in row 0)"
        raise DataError(msg)
    if kind not in "biuf":
        return _ranked_objects(labels)
    if kind == "f" and not (np.isfinite(labels) & (np.rint(labels) == labels)).all():
        _raise_for_floats(labels, rows if rows.size else np.arange(labels.size))
    lowest, highest = int(labels.min()), int(labels.max())
    if highest - lowest < _WIDEST_SPAN and lowest >= -(1 << 63) and highest < 1 << 63:
        whole = labels.astype(np.int64, copy=False)
        codes, present = kernels.active().encode(whole, lowest, highest - lowest + 1)
        return codes, (np.flatnonzero(present) + lowest).astype(labels.dtype.newbyteorder("="))
    classes, inverse = np.unique(labels, return_inverse=True)
    return inverse.astype(np.int32), classes


def _raise_for_floats(labels: NDArray[Any], rows: NDArray[np.intp]) -> None:
    """Raise for labels that are measurements."""
    infinite = np.flatnonzero(~np.isfinite(labels))
    if infinite.size:
        msg = f"Input y contains infinity: the label in row {rows[infinite[0]]}; leave it out"
        raise DataError(msg)
    place = np.flatnonzero(np.rint(labels) != labels)[0]
    msg = (
        f"Unknown label type: continuous. The label in row {rows[place]} is {labels[place]}, but a "
        "classifier expects classes: strings, integers or booleans"
    )
    raise DataError(msg)


def _ranked_objects(labels: NDArray[Any]) -> tuple[CodeArray, LabelArray]:
    values = list(labels) if labels.dtype.kind in "Mm" else labels.tolist()
    try:
        distinct = dict.fromkeys(values)
    except TypeError as error:
        msg = f"Unknown label type: a label must be a string, a number or a boolean; {error}"
        raise DataError(msg) from None
    try:
        ordered = sorted(distinct)
    except TypeError:
        of_each = {type(label).__name__: label for label in distinct}
        some = ", ".join(f"{label!r} ({name})" for name, label in of_each.items())
        msg = (
            f"labels of different types have no order: {some}; make them all strings or all numbers"
        )
        raise DataError(msg) from None
    code_of = {label: code for code, label in enumerate(ordered)}
    codes = np.fromiter(map(code_of.__getitem__, values), np.int32, len(values))
    if labels.dtype.kind != "O":
        return codes, np.array(ordered, dtype=labels.dtype)
    return codes, np.fromiter(ordered, object, len(ordered))


def _soft_labels(
    values: NDArray[Any], names: Sequence[object] | None
) -> tuple[CodeArray | FloatArray, LabelArray, int]:
    k = values.shape[1]
    meaning = f"y of shape {values.shape} holds soft labels, the proportion of each of {k} classes"
    try:
        soft = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{meaning}, so it must hold numbers; labels are given as one column"
        raise DataError(msg) from None
    total = soft.sum(axis=1)
    rounding = float(np.finfo(values.dtype).eps) if values.dtype.kind == "f" else 0.0
    unlabelled = np.asarray(np.isnan(soft).all(axis=1))
    good = (soft >= 0).all(axis=1)  # NaN is not
    good &= np.abs(total - 1.0) <= max(_SUM_TOLERANCE, rounding)
    good |= unlabelled
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        msg = (
            f"{meaning}: finite, not negative, together 1. Row {row} is "
            f"{soft[row].tolist()!s:.200}, which sums to {total[row]:g}"
        )
        raise DataError(msg)
    ranks, classes = encode(np.arange(k) if names is None else list(names))
    if names is not None:
        soft = soft[:, np.argsort(ranks)]
    n_unlabelled = int(np.count_nonzero(unlabelled))
    if ((soft == 0) | (soft == 1) | unlabelled[:, None]).all():
        codes = np.argmax(soft, axis=1).astype(np.int32)
        codes[unlabelled] = UNLABELLED
        return codes, classes, n_unlabelled
    return soft, classes, n_unlabelled


# Labels in columns of Arrow tables.


def read_label_column(
    column: "pa.ChunkedArray", name: str, mark: Any = None, *, integers: bool = False
) -> tuple[CodeArray, LabelArray, int]:
    """The class codes of a column of an Arrow table, its classes, and how many labels are missing.

    Null, NaN, the empty string and the `mark`, which may be a string that writes a number, are
    missing labels. Of strings and dictionaries only the different values are looked at. With
    `integers`, strings must spell integers, which the classes then are. A label that cannot be a
    class raises a `BadRowError`.
    """
    if is_string(column.type):
        column = column.dictionary_encode()
    codes: NDArray[np.signedinteger[Any]]
    if is_dictionary(column.type):
        codes, values = dictionary_parts(column)
    else:
        codes, values = _number_labels(column, name)
        if mark is None and codes.min(initial=0) >= 0:
            return codes.astype(np.int32, copy=False), values, 0
    present = codes[codes >= 0] if codes.min(initial=0) < 0 else codes
    occurring = np.bincount(present, minlength=values.size) > 0
    missing = np.fromiter((_is_missing_label(each, mark) for each in values.tolist()), bool)
    kept = np.flatnonzero(occurring & ~missing)
    some: list[Any] = values[kept].tolist()
    if integers and values.dtype.kind == "O":
        some = [_integer(values, place, codes, name) for place in kept.tolist()]
    ranks, classes = encode(np.array(some) if values.dtype.kind == "O" else values[kept])
    translation = np.full(values.size + 1, UNLABELLED, np.int32)  # −1 is the last entry
    translation[kept] = ranks
    labels: CodeArray = translation[codes]
    complete = present is codes and not (occurring & missing).any()
    return labels, classes, 0 if complete else int(np.count_nonzero(labels == UNLABELLED))


def _number_labels(column: Any, name: str) -> tuple[CodeArray, LabelArray]:
    """The codes of a column of numbers or booleans, −1 for null and NaN, and the labels."""
    numbers = column_values(column.drop_null() if column.null_count else column)
    if numbers.dtype.kind != "f" and not column.null_count:
        return encode(numbers)
    valid = np.asarray(column.is_valid())
    if numbers.dtype.kind == "f":
        absent = np.isnan(numbers)
        wrong = ~(np.isfinite(numbers) & (np.rint(numbers) == numbers)) & ~absent
        if wrong.any():  # measurements
            row, value = int(np.flatnonzero(valid)[np.argmax(wrong)]), numbers[np.argmax(wrong)]
            problem = "is not a class: these are strings, integers or booleans"
            raise BadRowError(BadRow("", row, name, shorten(value), problem), skippable=False)
        valid[np.flatnonzero(valid)[absent]] = False
        numbers = numbers[~absent]
    codes = np.full(len(column), UNLABELLED, np.int32)
    codes[valid], values = encode(numbers)
    return codes, values


def _is_missing_label(value: object, mark: Any) -> bool:
    """Whether a label in a file is missing."""
    if is_missing(value) or value == "":
        return True
    if mark is None or isinstance(value, str) or not isinstance(mark, str):
        return bool(value == mark)
    whole = isinstance(value, float) and value.is_integer()
    return mark in {str(value), str(int(value)) if whole else ""}  # type: ignore[call-overload]


def _integer(values: NDArray[Any], place: int, codes: NDArray[Any], name: str) -> int:
    """The integer that a label spells, whose code is `place`."""
    try:
        return int(values[place])
    except ValueError:
        problem = "is not an integer, as the labels at the start of the column are"
        row = int(np.argmax(codes == place))
        raise BadRowError(BadRow("", row, name, shorten(values[place]), problem)) from None
