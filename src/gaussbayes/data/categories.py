"""Categories: the values of a feature, codes of columns, and warnings about new values.

Categories are strings, integers or booleans, sorted. Integers held as floats are integers, so that
a column with missing values, which many tables store as floats, has the categories of one without.
If booleans and integers are mixed, True is 1. Missing values and values that did not occur in
training carry no information about the class: both are integrated out. New values are unexpected,
so they are counted.

Columns come as arrays, series of frames or columns of Arrow tables. Only the distinct values of
strings and dictionaries are examined. `gaussbayes.data.schema` defines missing values.
"""

import inspect
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.records import MOST_STRINGS
from gaussbayes.base.types import CodeArray
from gaussbayes.data.schema import ORDINARY, ColumnMarks, Schema
from gaussbayes.data.tables import column_codes, is_missing, occurring_values

Category: TypeAlias = str | int | bool
Categories: TypeAlias = tuple[Category, ...]
"""The categories of one feature: of one type, distinct, sorted."""

UNSEEN = -1
"""The code of a category that did not occur in training."""

MISSING = -2
"""The code of a missing value."""

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_EXPECTED = "categories must be strings, integers of 64 bits or booleans"
_EXAMPLES = 3


_INTEGER = re.compile(r"[+-]?\d+(\.0*)?")
_BOOLEAN = {"true": True, "false": False}


def as_category(value: object, name: str) -> Category:
    """A value as a category; `name` is the feature's name in messages."""
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
    """Distinct values as sorted categories."""
    given = list(values)
    kinds = {type(value): value for value in reversed(given)}  # before True and 1 become one
    if len(kinds) > 1 and str in kinds:
        a, b = kinds[str], next(value for kind, value in kinds.items() if kind is not str)
        msg = (
            f"{name} has categories of different types, {a!r:.60} (str) and {b!r} "
            f"({type(b).__name__}): make them all strings or all numbers"
        )
        raise DataError(msg)
    return tuple(sorted({int(value) for value in given} if len(kinds) > 1 else set(given)))


def unite(a: Categories, b: Categories, name: str) -> Categories:
    """The categories of both."""
    return a if _same(a, b) else in_order((*a, *b), name)


def kind(categories: Categories) -> type[Any]:
    """The type of the categories, or of None without categories."""
    return type(categories[0]) if categories else type(None)


def _same(a: Categories, b: Categories) -> bool:
    return a == b and kind(a) is kind(b)  # True is 1


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of one feature whose categories did not occur in training."""

    column: int  # among the categorical features
    n_values: int
    examples: Categories  # a few of them


def recode(
    columns: Iterable[tuple[NDArray[np.signedinteger[Any]], Categories]],
    known: Sequence[Categories] | None,
) -> tuple[CodeArray, tuple[Categories, ...], tuple[Unseen, ...]]:
    """Convert codes of columns to codes among the known categories (n, q).

    `columns` has q pairs of codes (n,) and their categories; `known` has the q tuples of categories
    to use, and None keeps those of the column.
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
    """Replace codes; those of missing and unseen values do not change."""
    # The last two entries are those of −2 and −1, counted from the end.
    translation = np.array([*new, MISSING, UNSEEN], dtype=np.int32)
    return np.asarray(translation[codes])


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted have categories that did not occur in training."""


def warn_of_unseen(unseen: Sequence[Unseen], names: Schema) -> None:
    """One warning for all features; `names` are those of the categorical ones."""
    if unseen:
        message = unseen_message(unseen, names)
        warnings.warn(message, UnseenCategoryWarning, stacklevel=level_outside())


def unseen_message(unseen: Sequence[Unseen], names: Schema) -> str:
    """The notice about categories that did not occur in the training rows."""
    parts = [
        f"{new.n_values:,} value{'' if new.n_values == 1 else 's'} of "
        f"{names.feature_name(new.column)} ({', '.join(f'{each!r:.40}' for each in new.examples)})"
        for new in unseen
    ]
    return (
        f"not among the categories of the training rows: {', '.join(parts)}. They are treated as "
        "missing"
    )


def level_outside() -> int:
    """The stack level of the first caller outside this package, for warnings."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gaussbayes."):
        frame, level = frame.f_back, level + 1
    return level


# Columns → codes.


def factorise(
    column: Any, name: str, marks: ColumnMarks = ORDINARY, *, occurring: bool = True
) -> tuple[CodeArray, Categories]:
    """The codes (n,) of one column of any container, and its sorted categories.

    With `occurring`, declared categories that do not occur, and the `marks` of missing values, are
    omitted.

    Examples
    --------
    >>> codes, categories = factorise(np.array([3.0, float("nan"), 1.0]), "'humidity'")
    >>> codes.tolist(), categories
    ([1, -2, 0], (1, 3))
    """
    codes, values = column_codes(column, name)
    if values.dtype.kind not in "biufOUST":
        msg = f"{name} holds values of type {values.dtype}: {_EXPECTED}"
        raise DataError(msg)
    which = np.arange(values.size)
    if occurring or values.size > codes.size:
        # Tables may declare different categories: those that do not occur are omitted.
        which = np.flatnonzero(occurring_values(codes, values.size))
    translation = np.full(values.size + 1, MISSING, dtype=np.int32)  # −1 is the last entry
    if values.dtype.kind in "biu" and not marks.numbers:
        distinct, translation[which] = np.unique(values[which], return_inverse=True)
        return translation[codes], tuple(distinct.tolist())
    plain = [
        None if is_missing(value, marks) else as_category(value, name)
        for value in values[which].tolist()
    ]
    categories = in_order((each for each in plain if each is not None), name)
    code_of: dict[Any, int] = {category: code for code, category in enumerate(categories)}
    translation[which] = [code_of.get(each, MISSING) for each in plain]
    return translation[codes], categories


def spelled_numbers(
    codes: CodeArray, categories: Categories, known: Categories
) -> tuple[CodeArray, Categories]:
    """Convert text to numbers if the known categories are numbers.

    One value can turn a column of numbers in one file into strings in another.
    """
    if kind(categories) is not str or kind(known) in {str, type(None)}:
        return codes, categories
    return codes, tuple(_spelled(str(text)) for text in categories)


def _spelled(text: str) -> Category:
    """Parse a text as an integer or a boolean; otherwise return the text."""
    plain = text.strip()
    if _INTEGER.fullmatch(plain):
        return int(plain.partition(".")[0])
    return _BOOLEAN.get(plain.lower(), text)


def check_categories(categories: Sequence[Categories], names: Schema) -> None:
    """Raise if features have more categories than a model may have; `names` are theirs."""
    if sum(map(len, categories)) > MOST_STRINGS:
        j = int(np.argmax([len(each) for each in categories]))
        msg = (
            f"{names.feature_name(j)} has too many categories, such as {categories[j][0]!r:.60}: "
            f"there may be {MOST_STRINGS:,} in all. Is it a measurement, a name or a row number? "
            "Leave it out of the categorical features, or of the features"
        )
        raise DataError(msg)
