"""A table → its numbers and its categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, RealArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.coding import MISSING, CodedColumns, coded, factorise
from gaussbayes.data.labels import series_values
from gaussbayes.data.table import as_array, as_frame, as_matrix, is_frame, refuse_empty


def split(X: Any, categorical: NDArray[np.bool_]) -> tuple[RealArray, list[Any]]:
    """The numeric columns of a table as a matrix, and the others each for itself.

    Parameters
    ----------
    categorical : (d,) which columns are; at least one

    Returns
    -------
    matrix : (n, g), as `gaussbayes.data.table.as_matrix` gives it; g may be 0
    columns : d − g of them: series of a frame, or arrays (n,)

    Examples
    --------
    >>> matrix, columns = split([[1.5, "S"], [2.5, "M"]], np.array([False, True]))
    >>> matrix.tolist(), [column.tolist() for column in columns]
    ([[1.5], [2.5]], [['S', 'M']])
    """
    numeric, other = np.flatnonzero(~categorical), np.flatnonzero(categorical)
    if is_frame(X):
        frame = as_frame(X)
        n, columns = len(frame), [frame[:, int(column)] for column in other]
        numbers: Any = frame[:, numeric.tolist()].to_native() if numeric.size else None
    else:
        array = as_array(X)
        n, columns = array.shape[0], [array[:, column] for column in other]
        numbers = array[:, numeric] if numeric.size else None
    refuse_empty((n, categorical.size))
    return np.empty((n, 0)) if numbers is None else as_matrix(numbers), columns


def read_columns(
    columns: Sequence[Any], schema: Schema, known: Sequence[Categories] | None = None
) -> CodedColumns:
    """Columns of any kind as numbers of categories; see `code_columns`.

    Parameters
    ----------
    columns : q series of a frame, or arrays (n,)
    schema : what messages call the categorical features
    known : the categories of each in training; None takes those that occur

    Examples
    --------
    >>> columns = read_columns([np.array(["S", "M"])], Schema(np.arange(2), 1, ("wind",)))
    >>> columns.codes.tolist(), columns.categories
    ([[1], [0]], (('M', 'S'),))
    """
    every = (factors(column, schema.feature_name(j)) for j, column in enumerate(columns))
    return coded(every, known)


def factors(column: Any, name: str) -> tuple[CodeArray, Categories]:
    """The numbers (n,) of the values of a series or an array among its categories, and these.

    Examples
    --------
    >>> codes, categories = factors(np.array(["S", "M"]), "'wind'")
    >>> codes.tolist(), categories
    ([1, 0], ('M', 'S'))
    """
    if isinstance(column, np.ndarray):
        return factorise(column, name)
    native = column.to_native()
    if column.implementation.is_pandas_like() and hasattr(native, "cat"):
        return _of_pandas(native, name)
    if column.dtype.is_integer() and column.null_count():
        # As floats, which is how NumPy has gaps, large whole numbers would be rounded.
        return factorise(np.fromiter(column.to_list(), object, len(column)), name)
    return factorise(series_values(column), name)


def _of_pandas(native: Any, name: str) -> tuple[CodeArray, Categories]:
    """A column of pandas' type category: coded already, by categories in any order.

    Those that do not occur are left out: of the types of several tables no two may be the same.
    """
    codes, declared = native.cat.codes.to_numpy(), native.cat.categories.to_numpy()
    there = np.unique(codes[codes >= 0])
    own, categories = factorise(declared[there], name)
    number = np.full(declared.shape[0] + 1, MISSING, dtype=np.int32)  # −1 is a missing value
    number[there] = own
    return number[codes], categories
