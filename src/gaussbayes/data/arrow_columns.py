"""Columns of Arrow tables: what their types are good for, and their values as arrays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.kernels.columns import Columns

if TYPE_CHECKING:
    import pyarrow as pa


def is_string(kind: Any) -> bool:
    """Whether this is a type of strings."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_number(kind: Any) -> bool:
    """Whether values of a type can be numbers: those, and booleans."""
    from pyarrow import types

    number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return bool(number or types.is_boolean(kind))


def is_label(kind: Any) -> bool:
    """Whether values of a type can be classes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_label(pa.string()), is_label(pa.dictionary(pa.int8(), pa.int64())), is_label(pa.date32())
    (True, True, False)
    """
    from pyarrow import types

    kind = value_type(kind)
    return is_string(kind) or (is_number(kind) and not types.is_decimal(kind))


def is_category(kind: Any) -> bool:
    """Whether values of a type can be categories; a column without any value has none."""
    from pyarrow import types

    return is_label(kind) or bool(types.is_null(kind))


def is_dictionary(kind: Any) -> bool:
    """Whether this is a type of categories."""
    from pyarrow import types

    return bool(types.is_dictionary(kind))


def value_type(kind: Any) -> Any:
    """The type of the values, where a column may hold them by their codes in a dictionary."""
    return kind.value_type if is_dictionary(kind) else kind


def number_columns(table: "pa.Table", names: Sequence[str]) -> Columns | RealArray:
    """Columns of numbers, all as float32 if all of them are, else as float64.

    Without any column it is a matrix (n, 0): columns that are not there have no length. Nulls
    become NaN. Floats stay where Arrow holds them, unless there are nulls among them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> number_columns(pa.table({"a": [1, 2], "b": [0.5, 1.5]}), ["a", "b"]).matrix().tolist()
    [[1.0, 0.5], [2.0, 1.5]]
    >>> number_columns(pa.table({"a": [True, None]}), ["a"]).matrix().tolist()
    [[1.0], [nan]]
    """
    import pyarrow as pa

    if not names:
        return np.empty((table.num_rows, 0))
    columns = [table.column(name) for name in names]
    single = all(column.type == pa.float32() for column in columns)
    width = np.float32 if single else np.float64
    return Columns(tuple(numbers(column).astype(width, copy=False) for column in columns))


def weight_column(table: "pa.Table", name: str | None) -> FloatArray | None:
    """How much each row counts (n,), or None for one each."""
    return None if name is None else numbers(table.column(name)).astype(np.float64)


def numbers(column: "pa.ChunkedArray") -> NDArray[Any]:
    """The values of a column of numbers or booleans (n,), NaN for null."""
    import pyarrow as pa

    kind = value_type(column.type)
    if kind != column.type or pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(kind).cast(pa.float32() if kind == pa.float16() else pa.float64())
    elif pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.float64())
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks] or [np.empty(0)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def dictionary_parts(column: "pa.ChunkedArray") -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The codes (n,) of a column of dictionaries, −1 for null, and the values they stand for (m,).

    Examples
    --------
    >>> import pyarrow as pa
    >>> codes, values = dictionary_parts(pa.chunked_array([["b", None, "a"]]).dictionary_encode())
    >>> codes.tolist(), values.tolist()
    ([0, -1, 1], ['b', 'a'])
    """
    import pyarrow as pa

    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], column.type)
    indices = whole.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False).astype(np.intp, copy=False)
    dictionary = whole.dictionary
    if len(dictionary) > len(codes):  # of a long one only what occurs
        occurring, codes = np.unique(codes, return_inverse=True)
        n_null = int(occurring.size > 0 and occurring[0] < 0)
        dictionary, codes = dictionary.take(pa.array(occurring[n_null:])), codes - n_null
    if dictionary.null_count or is_string(dictionary.type):
        return codes, np.fromiter(dictionary.to_pylist(), object, len(dictionary))
    return codes, dictionary.to_numpy(zero_copy_only=False)
