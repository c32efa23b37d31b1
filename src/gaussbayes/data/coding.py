"""Columns of values → numbers of categories; those missing or never seen have numbers of their own.

A missing value and one that was never seen in training say nothing about the class: both are
integrated out. A missing one is expected and a new one is not, so that new ones are counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray
from gaussbayes.data.categories import (  # noqa: F401
    MISSING,
    UNSEEN,
    Categories,
    Category,
    Unseen,
    in_order,
    unite_unseen,
)
from gaussbayes.data.categories import as_category as plain
from gaussbayes.data.labels import encode, is_missing

_EXAMPLES = 3


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumns:
    """The categorical features of some rows as numbers of categories."""

    codes: CodeArray  # (n, q): 0 … m − 1, UNSEEN or MISSING
    categories: tuple[Categories, ...]  # q times m
    unseen: tuple[Unseen, ...] = ()  # of the features that have any

    @property
    def n_features(self) -> int:
        """How many categorical features there are."""
        return len(self.categories)

    @property
    def n_unseen(self) -> int:
        """How many values have categories that were not there in training."""
        return sum(one.n_values for one in self.unseen)


def code_columns(
    columns: Sequence[NDArray[Any]],
    names: Sequence[str],
    known: Sequence[Categories] | None = None,
) -> CodedColumns:
    """Number the categories of columns: as they are known, or those that occur, sorted.

    Parameters
    ----------
    columns : q arrays (n,); None, NaN and pandas' NA are missing values
    names : what messages call them
    known : the categories of each in training; None takes those that occur

    Examples
    --------
    >>> wind = np.array(["S", "M", None, "S"], dtype=object)
    >>> coded = code_columns([wind], ["'wind'"])
    >>> coded.codes[:, 0].tolist(), coded.categories
    ([1, 0, -2, 1], (('M', 'S'),))
    >>> new = code_columns([np.array(["S", "L", "L"])], ["'wind'"], coded.categories)
    >>> new.codes[:, 0].tolist(), new.unseen
    ([1, -1, -1], (Unseen(column=0, n_values=2, examples=('L',)),))
    """
    return coded(
        [factorise(values, name) for values, name in zip(columns, names, strict=True)], known
    )


def coded(
    factors: Iterable[tuple[CodeArray, Categories]],
    known: Sequence[Categories] | None = None,
) -> CodedColumns:
    """Columns that have been factorised, with the numbers of the known categories."""
    parts = list(factors)
    if known is None:
        return CodedColumns(_beside([codes for codes, _ in parts]), tuple(own for _, own in parts))
    unseen, columns = [], []
    for column, ((codes, found), categories) in enumerate(zip(parts, known, strict=True)):
        number = {category: code for code, category in enumerate(categories)}
        # The last two entries are those of −2 and −1, counted from the end.
        translation = [*(number.get(category, UNSEEN) for category in found), MISSING, UNSEEN]
        columns.append(np.array(translation, dtype=np.int32)[codes])
        new = tuple(category for category in found if category not in number)
        n_values = int(np.count_nonzero(columns[-1] == UNSEEN)) if new else 0
        if n_values:
            unseen.append(Unseen(column, n_values, new[:_EXAMPLES]))
    return CodedColumns(_beside(columns), tuple(known), tuple(unseen))


def factorise(values: NDArray[Any], name: str) -> tuple[CodeArray, Categories]:
    """The numbers (n,) of the values of one column among its categories, and these.

    Examples
    --------
    >>> codes, categories = factorise(np.array([3.0, float("nan"), 1.0]), "'humidity'")
    >>> codes.tolist(), categories
    ([1, -2, 0], (1, 3))
    """
    kind = values.dtype.kind
    if kind == "f":
        return _floats(values, name)
    if kind in "biu":
        codes, found = encode(values)
        return codes, tuple(found.tolist())
    if kind not in "OUST":
        msg = (
            f"{name} holds values of type {values.dtype}, which are no categories: make them "
            "texts, whole numbers or truth values"
        )
        raise DataError(msg)
    return _objects(values.tolist(), name)


def _floats(values: NDArray[Any], name: str) -> tuple[CodeArray, Categories]:
    there = ~np.isnan(values)
    some = values[there]
    wrong = np.flatnonzero((np.rint(some) != some) | ~(np.abs(some) < 2.0**63))
    if wrong.size:
        plain(some[wrong[0]].item(), name)  # says what is wrong with it, or is beyond int64
        return _objects(values.tolist(), name)
    own, found = encode(some.astype(np.int64))
    codes = np.full(values.shape, MISSING, dtype=np.int32)
    codes[there] = own
    return codes, tuple(found.tolist())


def _objects(values: list[Any], name: str) -> tuple[CodeArray, Categories]:
    try:
        found = dict.fromkeys(values)
    except TypeError as error:
        msg = f"{name} holds what cannot be a category: {error}"
        raise DataError(msg) from None
    plainly: dict[Any, Category] = {
        value: plain(value, name) for value in found if not is_missing(value)
    }
    categories = in_order(plainly.values(), name)
    number: dict[Any, int] = {category: code for code, category in enumerate(categories)}
    of_value = dict.fromkeys(found, MISSING) | {
        value: number[category] for value, category in plainly.items()
    }
    return np.fromiter(map(of_value.__getitem__, values), np.int32, len(values)), categories


def _beside(columns: list[CodeArray]) -> CodeArray:
    """Columns (n,) as a matrix (n, q) in which each is contiguous."""
    n = columns[0].shape[0] if columns else 0
    matrix = np.empty((n, len(columns)), dtype=np.int32, order="F")
    for column, codes in enumerate(columns):
        matrix[:, column] = codes
    return matrix
