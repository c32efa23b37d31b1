"""Categories: the values that a feature can take, codes of columns, and what is worth a warning.

Categories are strings, integers or booleans, sorted. Integers held as floats are integers, so that
a column with missing values, which many tables store as floats, has the categories of one without.
Where booleans and integers meet, True is 1. A missing value and one that was not seen in training
say nothing about the class: both are integrated out. A missing one is expected and a new one is
not, so that new ones are counted.

Columns come as arrays, series of frames or columns of Arrow tables. Of strings and dictionaries
only the different values are looked at. Null, NaN and the empty string are missing values.
"""

import inspect
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray
from gaussbayes.data.tables import dictionary_parts, is_missing, is_string, series_values

if TYPE_CHECKING:
    import pyarrow as pa

Category: TypeAlias = str | int | bool
Categories: TypeAlias = tuple[Category, ...]
"""The categories of one feature: of one type, all different, sorted."""

UNSEEN = -1
"""The code of a category that was not there in training."""

MISSING = -2
"""The code of a missing value."""

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_EXPECTED = "categories must be strings, integers of 64 bits or booleans"
_EXAMPLES = 3

MANY = 1000
"""More numbers than that may be no categories."""

MOST_CATEGORIES = 500_000
"""Of all features together: as many as a model file may have."""

NULLS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
"""How a missing number or boolean may be written in text; those that pyarrow knows."""

_INTEGER = re.compile(r"[+-]?\d+(\.0*)?")
_BOOLEAN = {"true": True, "false": False}


def as_category(value: object, name: str) -> Category:
    """A value as a category; `name` is what messages call its feature."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and _LEAST <= value <= _MOST:
        return value
    remedy = "round it or cut it into intervals" if isinstance(value, float) else "make it a string"
    msg = f"{name} holds {value!r:.60} ({type(value).__name__}): {_EXPECTED}; {remedy}"
    raise DataError(msg)


def in_order(values: Iterable[Category], name: str) -> Categories:
    """Values as categories: each once, sorted."""
    given = list(values)
    kinds = {type(value): value for value in reversed(given)}  # before True and 1 become one
    if len(kinds) > 1 and str in kinds:
        a, b = kinds[str], next(value for kind, value in kinds.items() if kind is not str)
        msg = (
            f"{name} has categories of different types, {a!r:.60} (str) and {b!r} "
            f"({type(b).__name__}): make them all strings or all numbers"
        )
        raise SchemaError(msg)
    return tuple(sorted({int(value) for value in given} if len(kinds) > 1 else set(given)))


def unite(a: Categories, b: Categories, name: str) -> Categories:
    """The categories of both."""
    return a if _same(a, b) else in_order((*a, *b), name)


def kind(categories: Categories) -> type[Any]:
    """The type of the categories; that of None if there are none."""
    return type(categories[0]) if categories else type(None)


def _same(a: Categories, b: Categories) -> bool:
    return a == b and kind(a) is kind(b)  # True is 1


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of one feature whose categories were not there in training."""

    column: int  # among the categorical features
    n_values: int
    examples: Categories  # a few of them


def unite_unseen(a: Unseen, b: Unseen) -> Unseen:
    """What was new in two parts of the rows, of the same feature."""
    examples = tuple(dict.fromkeys((*a.examples, *b.examples)))[:_EXAMPLES]
    return Unseen(a.column, a.n_values + b.n_values, examples)


def recode(
    columns: Iterable[tuple[NDArray[np.signedinteger[Any]], Categories]],
    known: Sequence[Categories] | None,
) -> tuple[CodeArray, tuple[Categories, ...], tuple[Unseen, ...]]:
    """Columns of codes among their own categories, as codes among the known ones (n, q).

    `columns` are q times the codes (n,) of a column and the categories they stand for; `known` are
    q times the categories to code by, None keeps those of each column.

    Examples
    --------
    >>> codes, _, unseen = recode([(np.array([0, 1, 1, -2]), ("L", "S"))], [("M", "S")])
    >>> codes[:, 0].tolist(), unseen
    ([-1, 1, 1, -2], (Unseen(column=0, n_values=1, examples=('L',)),))
    """
    given = list(columns)
    n = given[0][0].shape[0] if given else 0
    # Each column is contiguous.
    matrix: CodeArray = np.empty((n, len(given)), dtype=np.int32, order="F")
    unseen = []
    for column, (codes, categories) in enumerate(given):
        if known is None or _same(categories, known[column]):
            matrix[:, column] = codes
            continue
        code_of = {category: code for code, category in enumerate(known[column])}
        matrix[:, column] = _translated(codes, [code_of.get(each, UNSEEN) for each in categories])
        new = [code for code, category in enumerate(categories) if category not in code_of]
        n_unseen = np.bincount(codes[codes >= 0], minlength=len(categories))[new] if new else 0
        if np.any(n_unseen):
            examples = [categories[new[i]] for i in np.flatnonzero(n_unseen)[:_EXAMPLES]]
            unseen.append(Unseen(column, int(np.sum(n_unseen)), tuple(examples)))
    kept = tuple(categories for _, categories in given) if known is None else tuple(known)
    return matrix, kept, tuple(unseen)


def _translated(codes: NDArray[Any], new: Sequence[int]) -> CodeArray:
    """Codes in place of others; those of missing and unseen values stay what they are."""
    # The last two entries are those of −2 and −1, counted from the end.
    translation = np.array([*new, MISSING, UNSEEN], dtype=np.int32)
    return np.asarray(translation[codes])


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted hold categories that the training rows did not."""


class ManyCategoriesWarning(UserWarning):
    """A feature has so many different numbers that they may be no categories."""


def warn_of_unseen(unseen: Sequence[Unseen], names: Schema) -> None:
    """One warning for all features; `names` are those of the categorical ones."""
    if unseen:
        message = unseen_message(unseen, names)
        warnings.warn(message, UnseenCategoryWarning, stacklevel=_level_outside())


def unseen_message(unseen: Sequence[Unseen], names: Schema) -> str:
    """What is said of categories that training never saw."""
    parts = [
        f"{new.n_values:,} value{'' if new.n_values == 1 else 's'} of "
        f"{names.feature_name(new.column)} ({', '.join(f'{each!r:.40}' for each in new.examples)})"
        for new in unseen
    ]
    return (
        f"not among the categories seen in training: {', '.join(parts)}. They say nothing about "
        "the class; the other features decide"
    )


def warn_of_many(categories: Sequence[Categories], names: Schema) -> None:
    """Warn of features whose categories are more than 1,000 different numbers: measurements?"""
    for j, values in enumerate(categories):
        if len(values) > MANY and kind(values) is int:
            msg = (
                f"{names.feature_name(j)} is categorical and has {len(values):,} different numbers "
                f"from {values[0]} to {values[-1]}: if they are measurements, leave it out of "
                "categorical_features"
            )
            warnings.warn(msg, ManyCategoriesWarning, stacklevel=_level_outside())


def _level_outside() -> int:
    """How far up the first caller lies that is not of this package: the line to be warned of."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gaussbayes."):
        frame, level = frame.f_back, level + 1
    return level


# Columns → codes.


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
    """
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _of_arrow(column, name, occurring)
    if not isinstance(column, np.ndarray):  # a series of narwhals
        native = column.to_native()
        if column.implementation.is_pandas_like() and hasattr(native, "cat"):
            declared = native.cat.categories.to_numpy()
            return _of_codes(native.cat.codes.to_numpy(), declared, name, occurring)
        if column.implementation.is_pyarrow():
            return _of_arrow(native, name, occurring)
        column = series_values(column)
    return _without_blank(*_of_array(column, name))


def _without_blank(codes: CodeArray, categories: Categories) -> tuple[CodeArray, Categories]:
    """The same where the empty string is a missing value."""
    if categories[:1] != ("",):  # the first of sorted strings
        return codes, categories
    return np.where(codes > 0, codes - 1, np.int32(MISSING)), categories[1:]


def spelled_numbers(
    codes: CodeArray, categories: Categories, known: Categories
) -> tuple[CodeArray, Categories]:
    """The categories as numbers where text spells them and the known categories are numbers.

    A column that is all numbers in one file may be text in another, because of one value.
    """
    if kind(categories) is not str or kind(known) in {str, type(None)}:
        return codes, categories
    texts = [text for text in map(str, categories) if text.strip() not in NULLS]
    code_of = {text: code for code, text in enumerate(texts)}
    numbers = tuple(map(_spelled, texts))
    return _translated(codes, [code_of.get(str(text), MISSING) for text in categories]), numbers


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
    if values.dtype.kind == "f":
        return _of_floats(values, name)
    if values.dtype.kind in "biu":
        codes, distinct = _encode(values)
        return codes, tuple(distinct.tolist())
    if values.dtype.kind not in "OUST":
        msg = f"{name} holds values of type {values.dtype}: {_EXPECTED}"
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
    codes[present], distinct = _encode(some.astype(np.int64))
    return codes, tuple(distinct.tolist())


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
    ranks, categories = _without_blank(*_of_array(declared[which], name))
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


def _encode(values: NDArray[Any]) -> tuple[CodeArray, NDArray[Any]]:
    """The codes of integers or booleans (n,), and those that occur, sorted."""
    from gaussbayes.data.labels import encode  # labels are of rows, which have categories

    return encode(values)
