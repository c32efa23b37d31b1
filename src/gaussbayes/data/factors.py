"""Columns of any container → category codes: arrays, series of frames, columns of Arrow tables.

Of strings and dictionaries only the different values are looked at. Null, NaN and the empty string
are missing values.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray
from gaussbayes.data.arrow_columns import dictionary_parts, is_string
from gaussbayes.data.categories import MISSING, UNSEEN, Categories, Category, as_category, in_order
from gaussbayes.data.labels import encode
from gaussbayes.data.tables import is_missing, series_values

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CATEGORIES = 500_000
"""Of all features together: as many as a model file may have."""

NULLS = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "n/a",
    "nan",
    "null",
)
"""How a missing number or boolean may be written in text; those that pyarrow knows."""

_INTEGER = re.compile(r"[+-]?\d+(\.0*)?")
_BOOLEAN = {"true": True, "false": False}


def factorise(column: Any, name: str, *, occurring: bool = True) -> tuple[CodeArray, Categories]:
    """The codes (n,) of the values of one column among its categories, and these.

    Parameters
    ----------
    column : an array (n,), a series of narwhals, or a column of an Arrow table
    name : what messages call it
    occurring : whether the categories must be sorted and each must occur; otherwise those that a
        type declares may be among them, in any order, which takes less time

    Examples
    --------
    >>> codes, categories = factorise(np.array([3.0, float("nan"), 1.0]), "'humidity'")
    >>> codes.tolist(), categories
    ([1, -2, 0], (1, 3))
    >>> codes, categories = factorise(np.array(["S", "", "M"]), "'wind'")
    >>> codes.tolist(), categories
    ([1, -2, 0], ('M', 'S'))
    """
    if isinstance(column, np.ndarray):
        return without_blank(*_of_array(column, name))
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _of_arrow(column, name, occurring)
    native = column.to_native()
    if column.implementation.is_pandas_like() and hasattr(native, "cat"):
        declared = native.cat.categories.to_numpy()
        return _of_codes(native.cat.codes.to_numpy(), declared, name, occurring)
    if column.implementation.is_pyarrow():
        return _of_arrow(native, name, occurring)
    if column.dtype.is_integer() and column.null_count():
        # As floats, which is how NumPy has missing values, large integers would be rounded.
        values = np.fromiter(column.to_list(), object, len(column))
        return _of_array(values, name)
    return without_blank(*_of_array(series_values(column), name))


def without_blank(codes: CodeArray, categories: Categories) -> tuple[CodeArray, Categories]:
    """The same where the empty string is a missing value.

    Examples
    --------
    >>> codes, categories = without_blank(np.array([1, 0, -2], np.int32), ("", "S"))
    >>> codes.tolist(), categories
    ([0, -2, -2], ('S',))
    """
    if categories[:1] != ("",):  # the first of sorted strings
        return codes, categories
    return np.where(codes > 0, codes - 1, np.int32(MISSING)), categories[1:]


def spelled_numbers(
    codes: CodeArray, categories: Categories, known: Categories
) -> tuple[CodeArray, Categories]:
    """The categories as numbers where text spells them and the known categories are numbers.

    A column that is all numbers in one file may be text in another, because of one value.

    Examples
    --------
    >>> codes = np.array([0, 1, 2], np.int32)
    >>> codes, categories = spelled_numbers(codes, ("1.0", "NA", "x"), (1, 2))
    >>> codes.tolist(), categories
    ([0, -2, 1], (1, 'x'))
    """
    if not (categories and known and isinstance(categories[0], str)) or isinstance(known[0], str):
        return codes, categories
    texts = [text for text in map(str, categories) if text.strip() not in NULLS]
    code_of = {text: code for code, text in enumerate(texts)}
    # The last two entries are those of −2 and −1, counted from the end.
    translation = [*(code_of.get(str(text), MISSING) for text in categories), MISSING, UNSEEN]
    return np.array(translation, dtype=np.int32)[codes], tuple(map(_spelled, texts))


def _spelled(text: str) -> Category:
    """The integer or the boolean that a text writes, or the text."""
    plain = text.strip()
    if _INTEGER.fullmatch(plain):
        return int(plain.partition(".")[0])
    return _BOOLEAN.get(plain.lower(), text)


def check_categories(categories: Sequence[Categories], names: Schema) -> None:
    """Raise if features have more categories than a model may have; `names` are theirs."""
    if sum(map(len, categories)) > MOST_CATEGORIES:
        j = int(np.argmax([len(each) for each in categories]))
        raise too_many_categories(names.feature_name(j), categories[j][0])


def too_many_categories(what: str, example: object) -> DataError:
    """The error that a feature has too many categories; `what` says which has."""
    return DataError(
        f"{what} has too many categories, such as {example!r:.60}: there may be "
        f"{MOST_CATEGORIES:,} in all. Is it a measurement, a name or a row number? Leave it out of "
        "the categorical features, or of the features"
    )


def _of_array(values: NDArray[Any], name: str) -> tuple[CodeArray, Categories]:
    kind = values.dtype.kind
    if kind == "f":
        return _of_floats(values, name)
    if kind in "biu":
        codes, found = encode(values)
        return codes, tuple(found.tolist())
    if kind not in "OUST":
        msg = (
            f"{name} holds values of type {values.dtype}, which are no categories: make them "
            "strings, integers or booleans"
        )
        raise DataError(msg)
    return _of_objects(values.tolist(), name)


def _of_floats(values: NDArray[Any], name: str) -> tuple[CodeArray, Categories]:
    present = ~np.isnan(values)
    some = values[present]
    wrong = np.flatnonzero((np.rint(some) != some) | ~(np.abs(some) < 2.0**63))
    if wrong.size:
        as_category(some[wrong[0]].item(), name)  # says what is wrong with it, or is beyond int64
        return _of_objects(values.tolist(), name)
    codes = np.full(values.shape, MISSING, dtype=np.int32)
    codes[present], found = encode(some.astype(np.int64))
    return codes, tuple(found.tolist())


def _of_objects(values: list[Any], name: str) -> tuple[CodeArray, Categories]:
    try:
        distinct = dict.fromkeys(values)
    except TypeError as error:
        msg = f"{name} holds what cannot be a category: {error}"
        raise DataError(msg) from None
    category_of: dict[Any, Category] = {
        value: as_category(value, name) for value in distinct if not is_missing(value)
    }
    categories = in_order(category_of.values(), name)
    code_of: dict[Any, int] = {category: code for code, category in enumerate(categories)}
    code_of_value = dict.fromkeys(distinct, MISSING) | {
        value: code_of[category] for value, category in category_of.items()
    }
    return np.fromiter(map(code_of_value.__getitem__, values), np.int32, len(values)), categories


def _of_codes(
    codes: NDArray[Any], declared: NDArray[Any], name: str, occurring: bool
) -> tuple[CodeArray, Categories]:
    """A column that is coded already, by values in any order; negative codes are missing values.

    Those that do not occur are left out: of the types of several tables no two may be the same.
    """
    which = np.arange(declared.shape[0])
    if occurring or declared.shape[0] > codes.shape[0]:
        which = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=declared.shape[0]))
    ranks, categories = without_blank(*_of_array(declared[which], name))
    translation = np.full(declared.shape[0] + 1, MISSING, dtype=np.int32)  # −1 is the last entry
    translation[which] = ranks
    return translation[codes], categories


def _of_arrow(
    column: "pa.ChunkedArray", name: str, occurring: bool
) -> tuple[CodeArray, Categories]:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column])
    if is_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return _of_codes(*dictionary_parts(column), name, occurring)
    codes = np.full(len(column), MISSING, dtype=np.int32)
    if column.null_count == len(column):
        return codes, ()
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    valid = column.drop_null()
    values = np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in valid.chunks])
    codes[np.asarray(column.is_valid())], categories = _of_array(values, name)
    return codes, categories
