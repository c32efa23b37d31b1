"""The values that a categorical feature can take, and what is worth a warning about them.

Categories are strings, integers or booleans, sorted. Integers held as floats are integers, so that
a column with missing values, which many tables store as floats, has the categories of one without.
Where booleans and integers meet, True is 1. A missing value and one that was not seen in training
say nothing about the class: both are integrated out. A missing one is expected and a new one is
not, so that new ones are counted.
"""

import inspect
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray

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
_MANY = 1000


def as_category(value: object, name: str) -> Category:
    """A value as a category; `name` is what messages call its feature.

    Examples
    --------
    >>> as_category(2.0, "'humidity'"), as_category("low", "'wind'"), as_category(np.True_, "'wet'")
    (2, 'low', True)
    """
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
    """Values as categories: each once, sorted.

    Examples
    --------
    >>> in_order(["strong", "low", "strong"], "'wind'"), in_order([True, 3, 2], "feature 0")
    (('low', 'strong'), (1, 2, 3))
    """
    given = list(values)
    kinds = set(map(type, given))  # before True and 1 become one
    if len(kinds) > 1:
        if str in kinds:
            a = next(value for value in given if isinstance(value, str))
            b = next(value for value in given if not isinstance(value, str))
            msg = (
                f"{name} has categories of different types, {a!r:.60} (str) and {b!r} "
                f"({type(b).__name__}): make them all strings or all numbers"
            )
            raise SchemaError(msg)
        return tuple(sorted({int(value) for value in given}))
    return tuple(sorted(set(given)))


def unite(a: Categories, b: Categories, name: str) -> Categories:
    """The categories of both.

    Examples
    --------
    >>> unite(("low", "strong"), ("medium",), "'wind'")
    ('low', 'medium', 'strong')
    """
    if a == b and kind(a) is kind(b):
        return a
    return in_order((*a, *b), name)


def positions(part: Categories, whole: Categories) -> NDArray[np.intp]:
    """The codes that the categories of a part have among those of the whole.

    Examples
    --------
    >>> positions(("b", "c"), ("a", "b", "c")).tolist()
    [1, 2]
    """
    code_of = {category: code for code, category in enumerate(whole)}
    return np.fromiter((code_of[category] for category in part), np.intp, len(part))


def kind(categories: Categories) -> type[Any]:
    """The type of the categories; that of None if there are none.

    Examples
    --------
    >>> kind((1, 2)).__name__, kind(()).__name__
    ('int', 'NoneType')
    """
    return type(categories[0]) if categories else type(None)


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of one feature whose categories were not there in training."""

    column: int  # among the categorical features
    n_values: int
    examples: Categories  # a few of them


def unite_unseen(a: Unseen, b: Unseen) -> Unseen:
    """What was new in two parts of the rows, of the same feature.

    Examples
    --------
    >>> unite_unseen(Unseen(0, 2, ("X", "Y")), Unseen(0, 3, ("X", "Z")))
    Unseen(column=0, n_values=5, examples=('X', 'Y', 'Z'))
    """
    examples = tuple(dict.fromkeys((*a.examples, *b.examples)))[:_EXAMPLES]
    return Unseen(a.column, a.n_values + b.n_values, examples)


def recode(
    columns: Iterable[tuple[NDArray[np.signedinteger[Any]], Categories]],
    known: Sequence[Categories] | None,
) -> tuple[CodeArray, tuple[Categories, ...], tuple[Unseen, ...]]:
    """Columns of codes among their own categories, as codes among the known ones (n, q).

    Parameters
    ----------
    columns : q times the codes (n,) of a column and the categories they stand for
    known : q times the categories to code by; None keeps those of each column

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
        if known is None or (
            categories == known[column] and kind(categories) is kind(known[column])
        ):
            matrix[:, column] = codes
            continue
        code_of = {category: code for code, category in enumerate(known[column])}
        # The last two entries are those of −2 and −1, counted from the end.
        translation = [*(code_of.get(each, UNSEEN) for each in categories), MISSING, UNSEEN]
        matrix[:, column] = np.array(translation, dtype=np.int32)[codes]
        new = [code for code, category in enumerate(categories) if category not in code_of]
        n_unseen = np.bincount(codes[codes >= 0], minlength=len(categories))[new] if new else 0
        if np.any(n_unseen):
            examples = [categories[new[i]] for i in np.flatnonzero(n_unseen)[:_EXAMPLES]]
            unseen.append(Unseen(column, int(np.sum(n_unseen)), tuple(examples)))
    own = tuple(categories for _, categories in given)
    return matrix, own if known is None else tuple(known), tuple(unseen)


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted hold categories that the training rows did not."""


class ManyCategoriesWarning(UserWarning):
    """A feature has so many different numbers that they may be no categories."""


def warn_of_unseen(unseen: Sequence[Unseen], names: Schema) -> None:
    """One warning for all features; `names` are those of the categorical ones.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn_of_unseen([Unseen(0, 2, ("X", "Y"))], Schema(np.arange(2), 1, ("wind",)))
    >>> print(seen[0].message)
    not among the categories seen in training: 2 values of 'wind' ('X', 'Y'). They say nothing about
    the class; the other features decide
    """
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
    """Warn of features whose categories are more than 1,000 different numbers: measurements?

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn_of_many([tuple(range(5000))], Schema(np.arange(2), 1, ("income",)))
    >>> len(seen)
    1
    """
    for j, values in enumerate(categories):
        if len(values) > _MANY and kind(values) is int:
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
