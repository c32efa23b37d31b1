"""Labels of any kind → class codes or soft labels, and weights.

A row without label has the class code −1: its label is None, NaN, pandas' NA, or a mark of a
missing value. In soft labels it is a row of NaN.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import TOLERANCE
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Targets
from gaussbayes.data.schema import ORDINARY, ColumnMarks, Schema
from gaussbayes.data.tables import (
    array_parts,
    as_frame,
    as_numpy,
    check_present,
    column_codes,
    is_frame,
    is_missing,
    is_source,
    occurring_values,
)


def named_columns(y: object, weights: object) -> tuple[str, str | None]:
    """The columns of the labels and of the weights of a source, which must be given by name."""
    for what, given in (("y", y), ("sample_weight", weights)):
        if not isinstance(given, str) and (what == "y" or given is not None):
            msg = (
                f"X is read from elsewhere, so {what} must be the name of one of its columns, got "
                f"{type(given).__name__}"
            )
            raise DataError(msg)
    return y, weights  # type: ignore[return-value]


def separate_columns(X: Any, y: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    """Rows, labels and weights, where labels and weights may be named columns of the rows.

    A source is read into memory.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y, _ = separate_columns(pd.DataFrame({"a": [1.0], "tree": ["oak"]}), "tree")
    >>> list(X), list(y)
    (['a'], ['oak'])
    """
    named = [name for name in (y, weights) if isinstance(name, str)]
    if is_source(X):
        from gaussbayes.data.read import table_of

        X = table_of(X, None, y)
    if not named:
        return as_numpy(X, "X"), as_numpy(y, "y"), weights
    if not is_frame(X):
        msg = (
            f"{named[0]!r} names a column, but X ({type(X).__name__}) has no column names: "
            "give an array of values, or X as a data frame"
        )
        raise DataError(msg)
    frame = as_frame(X)
    check_present(frame.columns, named)
    y, weights = (
        frame[some].to_native() if isinstance(some, str) else some for some in (y, weights)
    )
    return frame.drop(*named).to_native(), y, weights


def read_targets(
    y: Any, n_rows: int | None = None, weights: Any = None, mark: Any = None, n_jobs: int | None = 1
) -> tuple[Targets, LabelArray]:
    """The labels and weights of rows, and the classes in order (k,).

    A matrix with one column counts as that column. With k ≥ 2 columns it holds soft labels, a
    distribution over the classes for each row: finite, not negative, summing to 1 within 1e-8 (or
    the rounding of its float type). The classes are then the frame's column names, or 0 … k − 1.
    Soft labels that are all 0 or 1 become class codes. A class without any weight is kept here.

    Parameters
    ----------
    n_rows : required number of labels, if it is known
    weights : (n,) sample weights; None is 1 for every row
    mark : a further mark of a missing label, such as −1; or the `ColumnMarks`

    Examples
    --------
    >>> targets, classes = read_targets(["b", None, "a", "?", "-"], mark="-")
    >>> targets.labels.tolist(), targets.n_unlabelled, classes.tolist()
    ([1, -1, 0, -1, -1], 3, ['a', 'b'])
    """
    values, names = _as_column(y)
    n_columns = values.shape[1] if len(values.shape) == 2 else 1
    if len(values.shape) == 2 and n_columns == 1:
        values = values[:, 0]
    labels: CodeArray | FloatArray
    if n_columns > 1:
        labels, classes, n_unlabelled = _soft_labels(values, names)
    else:
        labels, classes, n_unlabelled = _coded(values, label_marks(mark), n_jobs)
    n = labels.shape[0]
    if n_rows is not None:
        check_number(n_rows, n)
    return Targets(labels, classes.shape[0], read_weights(weights, n), n_unlabelled), classes


def labelled_rows(
    schema: Schema, X: Any, y: Any, weights: Any = None, mark: Any = None, n_jobs: int | None = 1
) -> LabelledRows:
    """Rows with their labels and weights; `mark` is as in `read_targets`."""
    rows = Encoder(schema).encode(X)
    targets, classes = read_targets(y, rows.numbers.shape[0], weights, mark, n_jobs)
    return LabelledRows(rows, targets, classes)


def check_number(n_rows: int, n_labels: int) -> None:
    """Raise unless there is one label for each row."""
    if n_labels != n_rows:
        msg = f"X has {n_rows} rows, but y has {n_labels}; give one label for each row"
        raise DataError(msg)


def encode(y: Any) -> tuple[CodeArray, LabelArray]:
    """Class codes (n,) of labels without missing ones, and the sorted distinct labels (k,)."""
    codes, classes, n_missing = _coded(_as_column(y)[0], None)
    if n_missing:
        row = int(np.argmax(codes == UNLABELLED))
        msg = f"Input y contains NaN: the label in row {row} is missing; remove such rows"
        raise DataError(msg)
    return codes, classes


def codes_among(known: LabelArray, targets: Targets, classes: LabelArray) -> Targets:
    """The same targets with codes among the known classes; unknown labels raise an error."""
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
        raise DataError(msg)


def unite(a: LabelArray, b: LabelArray) -> tuple[LabelArray, CodeArray, CodeArray]:
    """The classes of both, and the codes of the classes of `a` and of `b` among them."""
    numbers = {a.dtype.kind, b.dtype.kind} <= set("biuf")
    if not a.size or not b.size:  # no labels have no type
        both = a if a.size else b
    elif numbers or a.dtype.kind == b.dtype.kind:
        both = np.concatenate([a, b])
    else:  # NumPy would turn 1 into '1' to combine a number and a string
        both = np.concatenate([a.astype(object), b.astype(object)])
    codes, classes = encode(both)
    return classes, codes[: a.size], codes[a.size :]


def read_weights(weights: Any, n_rows: int) -> FloatArray | None:
    """Sample weights (n,): finite, not negative, not all zero."""
    if weights is None:
        return None
    try:
        values = np.ascontiguousarray(as_numpy(weights, "sample_weight"), dtype=np.float64)
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


def _as_column(y: Any) -> tuple[Any, Sequence[object] | None]:
    """`y` as an array or a series of narwhals, and the names of its columns if it is a frame."""
    if type(y) is np.ndarray:
        return y, None
    if y is None:
        msg = "fitting requires y to be passed, but the target y is None"
        raise DataError(msg)
    if not isinstance(y, list | tuple | np.ndarray):
        import narwhals.stable.v2 as nw

        if isinstance(y, nw.Series) or nw.dependencies.is_into_series(y):
            return nw.from_native(y, series_only=True), None
        if nw.dependencies.is_into_dataframe(y):
            frame = nw.from_native(y, eager_only=True)
            return frame.to_numpy(), frame.columns
    if np.ma.is_masked(y):
        labels: NDArray[Any] = np.ma.getdata(y).astype(object)
        labels[np.ma.getmaskarray(y)] = None
        return labels, None
    y = as_numpy(y, "y")
    try:
        values = np.asarray(y)
    except ValueError:  # rows of different lengths
        values = np.empty(0)
    if values.ndim == 0 or (values.size == 0 and len(y) > 0):
        msg = f"y should be a 1d array of labels, one for each row, got {y!r:.200}"
        raise DataError(msg)
    if values.dtype.kind in "US" and values.ndim == 1 and isinstance(y, list | tuple):
        # NumPy converts lists of mixed types to strings, also missing labels in them.
        kinds = {type(value) for value in y}
        if not (kinds <= {str, np.str_} or kinds <= {bytes, np.bytes_}):
            values = np.fromiter(y, dtype=object, count=len(y))
    return values, None


def label_marks(mark: Any) -> ColumnMarks:
    """The marks of a missing label: the usual marks and a value, or given marks."""
    return mark if isinstance(mark, ColumnMarks) else ORDINARY.plus(mark)


def _coded(
    column: Any, marks: ColumnMarks | None, n_jobs: int | None = 1
) -> tuple[CodeArray, LabelArray, int]:
    """Class codes, −1 for missing labels, the classes, and how many labels are missing.

    Only the distinct values of strings and dictionaries are examined."""
    declared = False
    try:
        if isinstance(column, np.ndarray):
            _check_vector(column)
            codes, values = array_parts(column, n_jobs)
        else:
            codes, values = column_codes(column, "y")
            declared = str(column.dtype).startswith(("Categorical", "Enum"))
    except TypeError as error:
        msg = f"Unknown label type: a label must be a string, a number or a boolean; {error}"
        raise DataError(msg) from None
    row = _row_of_measurement(codes, values)
    if row is not None:
        value = values[codes[row]]
        msg = (
            f"Unknown label type: continuous. The label in row {row} is {value}, but a classifier "
            "expects classes: strings, integers or booleans. Predicting a number is regression, "
            "which this does not do; cut the numbers into a few intervals if these are classes"
        )
        if np.isinf(value):
            msg = f"Input y contains infinity: the label in row {row}; remove the row"
        raise DataError(msg)
    return _classes_of(codes, values, marks, declared=declared)


def _check_vector(values: NDArray[Any]) -> None:
    if values.ndim != 1:
        msg = f"y should be a 1d array of labels, or soft labels (n, k); got shape {values.shape}"
        raise DataError(msg)
    if values.dtype.kind == "c" and values.size:
        msg = f"Complex data not supported: y holds complex numbers ({values[0]} in row 0)"
        raise DataError(msg)


def _row_of_measurement(codes: NDArray[Any], values: NDArray[Any]) -> int | None:
    """The first row whose label is a number that is not an integer."""
    if values.dtype.kind != "f":
        return None
    wrong = ~(np.isfinite(values) & (np.rint(values) == values))
    return int(np.flatnonzero(np.append(wrong, False)[codes])[0]) if wrong.any() else None


def _classes_of(
    codes: NDArray[Any], values: NDArray[Any], marks: ColumnMarks | None, *, declared: bool = False
) -> tuple[CodeArray, LabelArray, int]:
    """Class codes from codes of values, −1 for missing labels; the classes; the number missing.

    Values that are `declared` by a type need not occur.
    """
    numbers = values.dtype.kind in "biuf" and not declared
    if numbers and not (marks and marks.numbers) and codes.min(initial=0) >= 0:
        return codes.astype(np.int32, copy=False), values, 0
    is_label = np.fromiter((not is_missing(each, marks) for each in values.tolist()), bool)
    if declared:
        is_label &= occurring_values(codes, values.size)
    kept = np.flatnonzero(is_label)
    labels = values[kept]
    if labels.dtype.kind == "O" and set(map(type, labels)) in ({int}, {bool}):
        labels = np.array(labels.tolist())  # objects only because a label was missing
    return _class_codes(codes, values.size, kept, labels)


def _class_codes(
    codes: NDArray[np.signedinteger[Any]], n_values: int, kept: NDArray[np.intp], labels: LabelArray
) -> tuple[CodeArray, LabelArray, int]:
    """Class codes from codes of values; those that are not `kept` are missing labels.

    With the classes, sorted, and how many labels are missing.
    """
    plain = list(labels) if labels.dtype.kind in "Mm" else labels.tolist()
    try:
        ordered = sorted(range(len(plain)), key=plain.__getitem__)
    except TypeError:
        of_each = {type(label).__name__: label for label in plain}
        some = ", ".join(f"{label!r} ({name})" for name, label in of_each.items())
        msg = (
            f"labels of different types have no order: {some}; make them all strings or all numbers"
        )
        raise DataError(msg) from None
    translation = np.full(n_values + 1, UNLABELLED, np.int32)  # −1 is the last entry
    translation[kept[ordered]] = np.arange(kept.size)
    of_rows: CodeArray = translation[codes]
    return of_rows, labels[ordered], int(np.count_nonzero(of_rows == UNLABELLED))


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
    good &= np.abs(total - 1.0) <= max(TOLERANCE, rounding)
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
