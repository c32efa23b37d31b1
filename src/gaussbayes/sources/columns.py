"""Arrow columns → a matrix of floats, class numbers, and weights."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import labels
from gaussbayes.errors import DataError
from gaussbayes.sources.bad_rows import Unfit, UnfitError, is_text, shown
from gaussbayes.sources.choice import Choice
from gaussbayes.types import CodeArray, FloatArray, LabelArray, RealArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


class Scratch:
    """Memory to be used again and again: new memory costs more time than what is done with it."""

    def __init__(self) -> None:
        self._bytes = np.empty(0, np.uint8)

    def matrix(self, shape: tuple[int, int], width: type[np.floating[Any]]) -> NDArray[Any]:
        """An array with whatever was in it before; the one handed out last is overwritten."""
        size = math.prod(shape) * np.dtype(width).itemsize
        if self._bytes.size < size:
            self._bytes = np.empty(size, np.uint8)
        return self._bytes[:size].view(width).reshape(shape)


def as_rows(
    table: "pa.Table", features: "Sequence[str]", scratch: Scratch | None = None
) -> RealArray:
    """The features of a table (n, d), float32 if all of them are, else float64.

    There must be no nulls in them. Columns stay together in memory, as Arrow holds them: copying
    them one after the other and letting the kernels stride is faster than turning them into rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_rows(pa.table({"a": [1, 2], "b": [0.5, 1.5]}), ["a", "b"]).tolist()
    [[1.0, 0.5], [2.0, 1.5]]
    """
    import pyarrow as pa

    columns = [table.column(name) for name in features]
    single = all(column.type == pa.float32() for column in columns)
    shape, width = (len(columns), table.num_rows), np.float32 if single else np.float64
    matrix = np.empty(shape, width) if scratch is None else scratch.matrix(shape, width)
    for own, column in zip(matrix, columns, strict=True):
        start = 0
        for chunk in column.chunks:
            own[start : start + len(chunk)] = _numbers(chunk)
            start += len(chunk)
    return matrix.T


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
        chunk = column.unify_dictionaries().combine_chunks()
        chunk = chunk.chunk(0) if isinstance(chunk, pa.ChunkedArray) else chunk
        values = chunk.dictionary.to_pylist()
        ranks, classes = labels.encode(np.array(values) if values else np.array([], dtype=str))
        return ranks[chunk.indices.to_numpy(zero_copy_only=False)], classes
    numbers = np.concatenate([_labels(chunk) for chunk in column.chunks])
    if numbers.dtype.kind == "f":
        _refuse_fractions(numbers, target)
    return labels.encode(numbers)


def as_weights(table: "pa.Table", weights: str | None) -> FloatArray | None:
    """How much each row counts (n,), or None for one each."""
    return None if weights is None else as_rows(table, [weights])[:, 0].astype(np.float64)


def refuse_types(schema: "pa.Schema", chosen: Choice, file: str) -> None:
    """Raise for columns that cannot be features, weights or labels by their types."""
    wrong = [name for name in chosen.numbers if not is_number(schema.field(name).type)]
    if wrong:
        held = ", ".join(f"{name!r} ({schema.field(name).type})" for name in wrong[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        msg = (
            f"{file}: not numbers: column {held}{more}. Name the columns to learn from with "
            "features (--features on the command line), or turn these into numbers first"
        )
        raise DataError(msg)
    kind = schema.field(chosen.target).type
    if not is_label(kind):
        msg = (
            f"{file}: the target {chosen.target!r} holds {kind} values, but classes are text, "
            "whole numbers or truth values: is it the right column?"
        )
        raise DataError(msg)


def is_number(kind: Any) -> bool:
    """Whether values of an Arrow type can be features: numbers and truth values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_number(pa.int8()), is_number(pa.date32())
    (True, False)
    """
    from pyarrow import types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def is_label(kind: Any) -> bool:
    """Whether values of an Arrow type can be classes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_label(pa.string()), is_label(pa.date32())
    (True, False)
    """
    from pyarrow import types

    if types.is_dictionary(kind):
        return is_label(kind.value_type)
    return is_text(kind) or (is_number(kind) and not types.is_decimal(kind))


def _numbers(chunk: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_decimal(chunk.type):
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
        raise UnfitError(Unfit(row, target, shown(numbers[row]), problem))
