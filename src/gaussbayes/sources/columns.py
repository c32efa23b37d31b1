"""Arrow columns → a matrix of floats, class numbers, and weights."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import labels
from gaussbayes.sources.bad_rows import Unfit, UnfitError, shown
from gaussbayes.sources.kinds import is_text
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
    return None if weights is None else as_rows(table, [weights])[:, 0].astype(np.float64)


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
        raise UnfitError(Unfit(row, target, shown(numbers[row]), problem), skippable=False)
