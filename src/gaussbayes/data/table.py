"""Arrays, lists and frames (pandas, polars, Arrow) → a matrix of floats, targets and weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data.labels import as_targets, is_missing, series_values

_WIDTHS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows, what each belongs to, and how much each counts."""

    X: RealArray  # (n, d)
    targets: CodeArray | FloatArray  # (n,) class numbers or (n, k) memberships
    weights: FloatArray | None  # (n,), None for ones

    @property
    def codes(self) -> CodeArray:
        """The class numbers (n,), where rows have one class each."""
        return self.targets.astype(np.int32, copy=False)


def read(X: Any, y: Any, sample_weight: Any = None) -> tuple[Batch, Schema]:
    """Labelled rows as numbers, and what the columns and classes are called.

    Examples
    --------
    >>> batch, schema = read([[1, 2], [3, 4]], ["no", "yes"])
    >>> batch.X.tolist(), batch.targets.tolist(), schema.classes.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [0, 1], ['no', 'yes'])
    """
    matrix = as_matrix(X)
    batch, classes = batch_of(matrix, y, sample_weight)
    return batch, Schema(classes, matrix.shape[1], feature_names(X))


def batch_of(matrix: RealArray, y: Any, sample_weight: Any = None) -> tuple[Batch, LabelArray]:
    """Rows that are numbers already with their targets and weights, and the classes.

    Examples
    --------
    >>> batch_of(np.ones((2, 1)), ["no", "yes"])[1].tolist()
    ['no', 'yes']
    """
    targets, classes = as_targets(y)
    n = matrix.shape[0]
    if targets.shape[0] != n:
        msg = f"X has {n} rows, but y has {targets.shape[0]}; give one label for each row"
        raise DataError(msg)
    return Batch(matrix, targets, as_weights(sample_weight, n)), classes


def is_frame(X: Any) -> bool:
    """Whether `X` is a table with named columns: pandas, polars or Arrow."""
    if isinstance(X, np.ndarray | list | tuple):
        return False
    import narwhals.stable.v2 as nw

    return bool(nw.dependencies.is_into_dataframe(X))


def feature_names(X: Any) -> tuple[str, ...] | None:
    """The names of a frame's columns if all are text, else None.

    Examples
    --------
    >>> import pandas as pd
    >>> feature_names(pd.DataFrame({"age": [1], "height": [2]}))
    ('age', 'height')
    """
    names = tuple(as_frame(X).columns) if is_frame(X) else ()
    return names if names and all(isinstance(name, str) for name in names) else None


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    """Names given for the features, if there is one for each.

    Examples
    --------
    >>> check_names(["age", "height"], 2)
    ('age', 'height')
    """
    if names is not None and len(names) != n_features:
        msg = f"{n_features} features need as many names, got {list(names)}"
        raise SchemaError(msg)
    return None if names is None else tuple(names)


def as_matrix(X: Any) -> RealArray:
    """The rows (n, d) as float32 or float64.

    Arrays of these two types are returned as they are, whatever their strides; so are frames that
    hold such an array. Whole numbers, truth values, other floats and numbers held as objects become
    float64, missing values NaN. Looking for NaN is left to those who read the rows anyway.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    plain = type(X) is np.ndarray and X.ndim == 2
    matrix = X if plain else _from_frame(X) if is_frame(X) else as_array(X)
    if matrix.dtype not in _WIDTHS:
        matrix = _as_floats(matrix)
    if matrix.size == 0:
        refuse_empty(matrix.shape)
    return matrix


def as_array(X: Any) -> NDArray[Any]:
    """A table that is no frame as an array (n, d) of any type; text in a list stays what it was.

    Examples
    --------
    >>> as_array([[1.5, "low"], [2.5, None]]).tolist()
    [[1.5, 'low'], [2.5, None]]
    """
    array: NDArray[Any] = X if type(X) is np.ndarray else _from_sequence(X)
    if array.ndim != 2:
        _refuse_dimensions(array)
    return array


def refuse_empty(shape: tuple[int, ...]) -> None:
    """Raise for a table without rows or without columns."""
    for axis, things in enumerate(("sample", "feature")):
        if shape[axis] == 0:
            found = f"0 {things}(s) (shape={shape}) while a minimum of 1 is required"
            msg = f"Found array with {found}."
            raise DataError(msg)


def as_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """How much each row counts (n,): finite, not negative, not all zero.

    Examples
    --------
    >>> as_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    try:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"sample_weight must be numbers, one for each row, got {sample_weight!r:.200}"
        raise DataError(msg) from None
    if weights.shape != (n_rows,):
        msg = f"sample_weight must have shape ({n_rows},), one for each row, got {weights.shape}"
        raise DataError(msg)
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not (weights.min() >= 0 and total < np.inf):
        bad = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
        which = f"row {bad[0]} has {weights[bad[0]]}" if bad.size else f"together {total}"
        msg = f"sample_weight must be finite and not negative: {which}"
        raise DataError(msg)
    if total == 0:
        msg = f"Sample weights must contain at least one non-zero number: all {n_rows} are zero"
        raise DataError(msg)
    return weights


def _from_sequence(X: Any) -> NDArray[Any]:
    """An array of what is neither an array nor a frame; text in it stays what it was."""
    if hasattr(X, "tocsr") or hasattr(X, "todense"):
        msg = (
            f"Sparse data was passed ({type(X).__name__}), but a Gaussian needs every value: "
            "convert with X.toarray(), or reduce the features first, for example with TruncatedSVD"
        )
        raise DataError(msg)
    if np.ma.is_masked(X):
        data = np.ma.getdata(X)
        if data.dtype.kind in "US":  # NumPy would write 'nan'
            data = data.astype(object)
        return np.where(np.ma.getmaskarray(X), np.nan, data)
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        msg = f"X is lazy ({type(X).__module__}.{type(X).__name__}): pass X.collect()"
        raise DataError(msg)
    try:
        matrix = np.asarray(X)
        return np.asarray(X, dtype=object) if matrix.dtype.kind in "US" else matrix
    except ValueError:
        lengths = [np.size(row) for row in X]
        row = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
        msg = (
            f"the rows of X differ in length: row 0 has {lengths[0]} values, "
            f"row {row} has {lengths[row]}; each row needs one number for each feature"
        )
        raise DataError(msg) from None


def as_frame(X: Any) -> Any:
    """A frame of any kind as one of narwhals."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(X, eager_only=True)
    except DuplicateError as error:
        msg = f"two columns of X have the same name: {error}"
        raise SchemaError(msg) from None


def _from_frame(X: Any) -> NDArray[Any]:
    import narwhals.stable.v2 as nw

    frame = as_frame(X)
    types = set(frame.schema.values())
    width = np.dtype(np.float32 if types == {nw.Float32} else np.float64)
    if types in ({nw.Float32}, {nw.Float64}) and not frame.implementation.is_pyarrow():
        matrix: NDArray[Any] = frame.to_native().to_numpy()  # a view where the storage allows it
        if matrix.dtype == width:
            return matrix
    matrix = np.empty(frame.shape, dtype=width, order="F")
    for column, series in enumerate(frame.iter_columns()):
        values = series_values(series)
        if values.dtype.kind not in "biuf":
            values = _as_floats(values[:, None], name=repr(series.name))[:, 0]
        matrix[:, column] = values
    return matrix


def _as_floats(matrix: NDArray[Any], name: str | None = None) -> RealArray:
    """A matrix of another type as floats; `name` is that of its only column."""
    kind = matrix.dtype.kind
    if kind in "biuf":
        native = matrix.dtype.newbyteorder("=")
        return matrix.astype(native if native in _WIDTHS else np.float64)
    if kind == "c":
        msg = "Complex data not supported: X holds complex numbers; give two features for each"
        raise DataError(msg)
    if kind == "O" and not {str, bytes, np.str_, np.bytes_} & set(map(type, matrix.flat)):
        try:
            return matrix.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass  # one of them is not a number: find it
    if kind not in "OUST":
        msg = f"{_column(0, name)} of X holds {matrix.dtype} values; give numbers"
        raise DataError(msg)
    floats = np.empty(matrix.shape)
    for (row, column), value in np.ndenumerate(matrix):
        floats[row, column] = _as_float(value, row, _column(column, name))
    return floats


def _as_float(value: object, row: int, column: str) -> float:
    if is_missing(value):
        return np.nan
    if isinstance(value, str | bytes):
        msg = (
            f"{column} of X holds text: {value!r:.60} in row {row}; could not convert string to "
            "float. Leave the column out or encode it as numbers first"
        )
        raise DataError(msg)
    if isinstance(value, complex | np.complexfloating):
        msg = f"Complex data not supported: {column} of X holds {value} in row {row}"
        raise DataError(msg)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        # scikit-learn's tools expect a TypeError for what cannot be a number at all.
        msg = f"{column} of X holds {value!r:.60} in row {row}: {error}"
        raise TypeError(msg) from None


def _column(column: int, name: str | None) -> str:
    return f"column {column if name is None else name}"


def _refuse_dimensions(array: NDArray[Any]) -> None:
    if array.ndim > 2:
        msg = f"Found array with dim {array.ndim} (shape={array.shape}), while dim <= 2 is required"
        raise DataError(msg)
    msg = (
        f"Expected a 2D array (rows, features), got one of shape {array.shape}. Reshape your data: "
        "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row"
    )
    raise DataError(msg)
