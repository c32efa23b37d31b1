"""The values a categorical feature can take: texts, whole numbers or truth values, sorted.

Whole numbers held as floats are whole numbers, so that a column with gaps, which many tables store
as floats, has the categories of one without. Where truth values and whole numbers meet, True is 1.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, SchemaError

Category: TypeAlias = str | int | bool
Categories: TypeAlias = tuple[Category, ...]
"""The categories of one feature: of one type, all different, sorted."""

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_EXPECTED = "categories are texts, whole numbers of 64 bits or truth values"


def plain(value: object, name: str) -> Category:
    """A value as a category; `name` is what messages call its feature.

    Examples
    --------
    >>> plain(2.0, "'humidity'"), plain("strong", "'wind'"), plain(np.bool_(True), "'rain'")
    (2, 'strong', True)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and _LEAST <= value <= _MOST:
        return value
    remedy = "round it or cut it into intervals" if isinstance(value, float) else "make it text"
    msg = f"{name} holds {value!r:.60} ({type(value).__name__}): {_EXPECTED}; {remedy}"
    raise DataError(msg)


def in_order(values: Iterable[Category], name: str) -> Categories:
    """Values as categories: each once, sorted.

    Examples
    --------
    >>> in_order(["strong", "low", "strong"], "'wind'"), in_order([True, 3, 2], "feature 0")
    (('low', 'strong'), (1, 2, 3))
    """
    found = list(values)
    kinds = set(map(type, found))  # before True and 1 become one
    if len(kinds) > 1:
        if str in kinds:
            a = next(value for value in found if isinstance(value, str))
            b = next(value for value in found if not isinstance(value, str))
            msg = (
                f"{name} has categories of different types, {a!r:.60} (str) and {b!r} "
                f"({type(b).__name__}): make them all texts or all numbers"
            )
            raise SchemaError(msg)
        return tuple(sorted({int(value) for value in found}))
    return tuple(sorted(set(found)))


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
    """The numbers that the categories of a part have among those of the whole.

    Examples
    --------
    >>> positions(("b", "c"), ("a", "b", "c")).tolist()
    [1, 2]
    """
    number = {category: code for code, category in enumerate(whole)}
    return np.fromiter((number[category] for category in part), np.intp, len(part))


def kind(categories: Categories) -> type[Any]:
    """The type of the categories; that of None if there are none.

    Examples
    --------
    >>> kind((1, 2)).__name__, kind(()).__name__
    ('int', 'NoneType')
    """
    return type(categories[0]) if categories else type(None)
