"""Columns of categories in Arrow tables → numbers of categories, and how often each occurs.

Null and, in text, nothing at all is a category that is missing. Of text and of dictionaries only
the different values are looked at.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.sources.kinds import is_text

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.categories import Categories
    from gaussbayes.families.categorical import ClassCounts

MOST_CATEGORIES = 500_000
"""Of all features together: as many as a model file may have."""

_MOST_BYTES = 1 << 28
"""Of the weights of all categories in all classes."""


def category_counts(
    table: "pa.Table",
    names: Sequence[str],
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
) -> "ClassCounts":
    """How much each category of some columns weighs in each class.

    Parameters
    ----------
    codes : (n,) class numbers
    weights : (n,) or None

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"wind": ["S", None, "S"]})
    >>> counts = category_counts(table, ["wind"], np.array([0, 1, 1], np.int32), None, 2)
    >>> counts.weight.tolist(), counts.missing.tolist()
    ([[1.0], [1.0]], [[0.0], [1.0]])
    """
    from gaussbayes.data.coding import coded
    from gaussbayes.families.categorical.counting import count

    columns = coded([factors(table.column(name), repr(name)) for name in names])
    m = sum(map(len, columns.categories))
    _refuse_size(columns.categories, 8 * m * n_classes)
    return count(columns, codes, weights, n_classes)


def factors(column: Any, name: str) -> "tuple[CodeArray, Categories]":
    """The numbers (n,) of the values of one column among its categories, and these.

    Parameters
    ----------
    name : what messages call the column

    Examples
    --------
    >>> import pyarrow as pa
    >>> codes, categories = factors(pa.chunked_array([[3, None, 1]]), "'humidity'")
    >>> codes.tolist(), categories
    ([1, -2, 0], (1, 3))
    """
    import pyarrow as pa

    from gaussbayes.data.coding import MISSING, factorise

    if is_text(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return _of_dictionary(column, name)
    codes = np.full(len(column), MISSING, dtype=np.int32)
    if column.null_count == len(column):
        return codes, ()
    own, categories = factorise(_numbers(column.drop_null()), name)
    codes[np.asarray(column.is_valid())] = own
    return codes, categories


def without_blank(codes: CodeArray, categories: "Categories") -> "tuple[CodeArray, Categories]":
    """The same where text without a letter is a missing value.

    Examples
    --------
    >>> codes, categories = without_blank(np.array([1, 0, -2], np.int32), ("", "S"))
    >>> codes.tolist(), categories
    ([0, -2, -2], ('S',))
    """
    from gaussbayes.data.coding import MISSING

    if categories[:1] != ("",):  # the first of sorted texts
        return codes, categories
    return np.where(codes > 0, codes - 1, np.int32(MISSING)), categories[1:]


def refuse_too_many(counts: "ClassCounts") -> None:
    """Raise if counts take more memory than categories should."""
    _refuse_size(counts.categories, counts.weight.nbytes)


def too_many(what: str, example: object) -> DataError:
    """The error that a feature has too many categories; `what` says which has."""
    return DataError(
        f"{what} has too many categories, such as {example!r:.60}: there may be "
        f"{MOST_CATEGORIES:,} in all, and {_MOST_BYTES >> 20} MB of their weights in the classes. "
        "Is it a measurement, a name or a number of rows? Leave it out of the categorical "
        "features, or of the features"
    )


def _refuse_size(categories: "tuple[Categories, ...]", n_bytes: int) -> None:
    if sum(map(len, categories)) > MOST_CATEGORIES or n_bytes > _MOST_BYTES:
        largest = max(categories, key=len)
        what = "a feature"
        raise too_many(what, largest[0])


def _of_dictionary(column: Any, name: str) -> "tuple[CodeArray, Categories]":
    """A column that is coded already, by values in any order, some of which may not occur."""
    import pyarrow as pa

    from gaussbayes.data.coding import MISSING, factorise

    one = column.unify_dictionaries().combine_chunks()
    if isinstance(one, pa.ChunkedArray):
        one = one.chunk(0) if one.num_chunks else pa.array([], column.type)
    indices = one.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    there = np.unique(indices[indices >= 0])
    values = one.dictionary.take(pa.array(there))
    array = values.to_numpy(zero_copy_only=False) if values.null_count == 0 else None
    if array is None or array.dtype.kind == "O":
        array = np.fromiter(values.to_pylist(), object, len(values))
    own, categories = without_blank(*factorise(array, name))
    number = np.full(len(one.dictionary) + 1, MISSING, dtype=np.int32)  # −1 is a missing value
    number[there] = own
    return number[indices], categories


def _numbers(column: Any) -> Any:
    """The values of a column of numbers or truth values without nulls."""
    import pyarrow as pa

    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    return np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks])
