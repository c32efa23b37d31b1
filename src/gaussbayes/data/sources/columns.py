"""Arrow columns → a matrix of floats, class numbers, and weights."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data import labels
from gaussbayes.data.sources.bad_rows import Unfit, UnfitError, shown
from gaussbayes.data.sources.kinds import is_text
from gaussbayes.kernels.columns import Columns, as_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


def as_columns(table: "pa.Table", features: "Sequence[str]") -> "Columns | RealArray":
    """The features of a table, all as float32 if all of them are, else as float64.

    Without any feature it is a matrix (n, 0): columns that are not there have no length.

    Nulls become NaN. Floats stay where Arrow holds them, unless there are nulls among them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_columns(pa.table({"a": [1, 2], "b": [0.5, 1.5]}), ["a", "b"]).matrix().tolist()
    [[1.0, 0.5], [2.0, 1.5]]
    >>> as_columns(pa.table({"a": [True, None]}), ["a"]).matrix().tolist()
    [[1.0], [nan]]
    """
    import pyarrow as pa

    if not features:
        return np.empty((table.num_rows, 0))
    columns = [table.column(name) for name in features]
    single = all(column.type == pa.float32() for column in columns)
    width = np.float32 if single else np.float64
    return Columns(tuple(_joined(column).astype(width, copy=False) for column in columns))


def as_rows(table: "pa.Table", features: "Sequence[str]") -> RealArray:
    """The same as one array (n, d)."""
    return as_matrix(as_columns(table, features))


def n_lacking(rows: "Columns | RealArray") -> int:
    """How many rows lack a feature, which is NaN.

    Examples
    --------
    >>> n_lacking(Columns((np.array([1.0, np.nan, 2.0]), np.array([3.0, np.nan, np.nan]))))
    2
    """
    lacking = np.zeros(rows.shape[0], dtype=bool)
    for column in rows.columns if isinstance(rows, Columns) else rows.T:
        lacking |= np.isnan(column)
    return int(lacking.sum())


def as_codes(table: "pa.Table", target: str) -> tuple[CodeArray, LabelArray]:
    """The class numbers (n,) of a column of labels, and its classes, sorted (k,).

    Of text only the different values are looked at, which a dictionary holds.

    Examples
    --------
    >>> import pyarrow as pa
    >>> codes, classes = as_codes(pa.table({"kind": ["b", "a", "b"]}), "kind")
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    import pyarrow as pa

    column = table.column(target)
    if is_text(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        one = column.unify_dictionaries().combine_chunks()
        one = one.chunk(0) if isinstance(one, pa.ChunkedArray) else one
        values = one.dictionary.to_pylist()
        indices = one.indices.to_numpy(zero_copy_only=False)
        if None in values or "" in values:  # of rows that were left out
            there = np.unique(indices)
            indices = np.searchsorted(there, indices)
            values = [values[index] for index in there]
        ranks, classes = labels.encode(np.array(values))
        return ranks[indices], classes
    numbers = np.concatenate([_labels(chunk) for chunk in column.chunks])
    if numbers.dtype.kind == "f":
        _refuse_fractions(numbers, target)
    return labels.encode(numbers)


def as_weights(table: "pa.Table", weights: str | None) -> FloatArray | None:
    """How much each row counts (n,), or None for one each."""
    return None if weights is None else _joined(table.column(weights)).astype(np.float64)


def _joined(column: Any) -> NDArray[Any]:
    parts = [_numbers(chunk) for chunk in column.chunks] or [np.empty(0)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _numbers(chunk: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = chunk.type
    if pa.types.is_decimal(kind) or (pa.types.is_boolean(kind) and chunk.null_count):
        chunk = chunk.cast(pa.float64())
    values: NDArray[Any] = chunk.to_numpy(zero_copy_only=False)
    return values


def _labels(chunk: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_float16(chunk.type):
        chunk = chunk.cast(pa.float32())
    return _numbers(chunk)


def _refuse_fractions(numbers: NDArray[Any], target: str) -> None:
    strange = ~(np.isfinite(numbers) & (np.rint(numbers) == numbers))
    if strange.any():
        row = int(np.argmax(strange))
        problem = "is not a class: these are text, whole numbers or truth values"
        raise UnfitError(Unfit(row, target, shown(numbers[row]), problem), skippable=False)
