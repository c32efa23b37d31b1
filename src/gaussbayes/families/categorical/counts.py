"""How much each category of each feature weighs in each class: all that training needs of them.

Counts merge (``+``) and are removed (``−``) as moments do. Whole weights are summed exactly, so
that the order does not matter to the bit; others are rounded like any sum of floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, RemovalError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories, positions, unite
from gaussbayes.families.gaussian.moments import ONLY_ADDED, ROUNDING


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """The weight of each category of each categorical feature, and of missing values, by class.

    The features lie beside each other: ``of(j)`` are the columns of feature j. A category is one
    that weighs something in some class; of two parts each may have categories that the other lacks.

    Examples
    --------
    >>> from gaussbayes.families.categorical import code_columns, count
    >>> def counted(values):
    ...     columns = code_columns([np.array(values)], ["'wind'"])
    ...     return count(columns, np.zeros(len(values), np.int32), None, 1)
    >>> both = counted(["S", "M", "S"]) + counted(["L"])
    >>> both.categories, both.weight.tolist()
    ((('L', 'M', 'S'),), [[1.0, 1.0, 2.0]])
    >>> (both - counted(["L", "S"])).categories
    (('M', 'S'),)
    """

    categories: tuple[Categories, ...]  # q times m_j
    weight: FloatArray  # (k, m), m = Σ m_j
    missing: FloatArray  # (k, q)

    def __post_init__(self) -> None:
        k, m, q = self.missing.shape[0], self.starts[-1], len(self.categories)
        if self.weight.shape != (k, m) or self.missing.shape != (k, q):
            msg = (
                f"counts of {k} classes, {q} features and {m} categories need weight ({k}, {m}) "
                f"and missing ({k}, {q}), got {self.weight.shape} and {self.missing.shape}"
            )
            raise DataError(msg)

    @property
    def n_classes(self) -> int:
        """How many classes there are, with or without rows."""
        return int(self.missing.shape[0])

    @property
    def n_features(self) -> int:
        """How many categorical features there are."""
        return len(self.categories)

    @property
    def starts(self) -> list[int]:
        """The column at which each feature begins, and the number of all columns (q + 1)."""
        return starts(self.categories)

    @property
    def class_weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,), whether a value is missing or not."""
        total: FloatArray = self.of(0).sum(axis=1) + self.missing[:, 0]
        return total

    def of(self, feature: int) -> FloatArray:
        """The weights (k, m_j) of the categories of one feature, as a view."""
        first, last = self.starts[feature : feature + 2]
        return self.weight[:, first:last]

    def __add__(self, other: "ClassCounts") -> "ClassCounts":
        """The counts of the rows of both; see `merged`."""
        return self.merged(other, _unnamed(self))

    def __sub__(self, other: "ClassCounts") -> "ClassCounts":
        """The counts of the rows of `self` without those of `other`; see `without`."""
        return self.without(other, _unnamed(self))

    def merged(self, other: "ClassCounts", schema: Schema) -> "ClassCounts":
        """The counts of the rows of both, for the categories of either.

        Parameters
        ----------
        schema : what messages call the classes and the categorical features
        """
        mine, theirs = _alike(self, other, schema)
        return ClassCounts(
            mine.categories, mine.weight + theirs.weight, mine.missing + theirs.missing
        )

    def without(self, other: "ClassCounts", schema: Schema) -> "ClassCounts":
        """The counts of the rows of `self` without those of `other`, which must be among them.

        Categories of which nothing is left are left out.

        Raises
        ------
        RemovalError
            If a category, or the missing values of a feature, would weigh less than nothing.
        """
        mine, theirs = _alike(self, other, schema)
        missing = _difference(mine.missing, theirs.missing)
        weight = _difference(mine.weight, theirs.weight)
        if (weight < 0).any():
            c, column = _first(weight < 0)
            j, category = _place(mine.categories, column)
            what = f"{category!r:.60} of {schema.feature_name(j)}"
            _refuse(what, theirs.weight[c, column], mine.weight[c, column], schema.class_name(c))
        if (missing < 0).any():
            c, j = _first(missing < 0)
            what = f"rows without a value of {schema.feature_name(j)}"
            _refuse(what, theirs.missing[c, j], mine.missing[c, j], schema.class_name(c))
        return ClassCounts(mine.categories, weight, missing).that_occur()

    def aligned(self, positions: Sequence[int], n_classes: int) -> "ClassCounts":
        """The same counts where class `i` has become number ``positions[i]`` of `n_classes`."""
        where = np.asarray(positions, dtype=np.intp)
        wider = empty(self.categories, n_classes)
        wider.weight[where] = self.weight
        wider.missing[where] = self.missing
        return wider

    def selected(self, classes: Sequence[int]) -> "ClassCounts":
        """Only the classes with these numbers, and the categories that occur in them."""
        where = np.asarray(classes, dtype=np.intp)
        some = ClassCounts(self.categories, self.weight[where], self.missing[where])
        return some.that_occur()

    def of_features(self, features: Sequence[int]) -> "ClassCounts":
        """Only the features with these numbers, at least one, in this order."""
        where = np.asarray(features, dtype=np.intp)
        weight = np.concatenate([self.of(j) for j in features], axis=1)
        categories = tuple(self.categories[j] for j in features)
        return ClassCounts(categories, weight, self.missing[:, where])

    def that_occur(self) -> "ClassCounts":
        """Without the categories that weigh nothing in any class."""
        there = np.asarray((self.weight > 0).any(axis=0))
        if there.all():
            return self
        first = self.starts
        categories = tuple(
            tuple(one for at, one in enumerate(own, first[j]) if there[at])
            for j, own in enumerate(self.categories)
        )
        return replace(self, categories=categories, weight=self.weight[:, there])

    def with_categories(self, categories: tuple[Categories, ...]) -> "ClassCounts":
        """The same counts among more categories, which have those of `self` among them."""
        if categories == self.categories:
            return replace(self, categories=categories)  # True may have become 1
        wider = empty(categories, self.n_classes)
        first = starts(categories)
        columns = [
            first[j] + positions(own, every)
            for j, (own, every) in enumerate(zip(self.categories, categories, strict=True))
        ]
        wider.weight[:, np.concatenate(columns)] = self.weight
        return replace(wider, missing=self.missing)


def empty(categories: tuple[Categories, ...], n_classes: int) -> ClassCounts:
    """The counts of no rows, for categories that may be known before.

    Examples
    --------
    >>> empty((("a", "b"), (1, 2, 3)), 4).weight.shape
    (4, 5)
    """
    shape = (n_classes, starts(categories)[-1])
    return ClassCounts(categories, np.zeros(shape), np.zeros((n_classes, len(categories))))


def starts(categories: tuple[Categories, ...]) -> list[int]:
    """Where the columns of each feature begin when all lie beside each other, and where all end.

    Examples
    --------
    >>> starts((("a", "b"), (1, 2, 3)))
    [0, 2, 5]
    """
    return [0, *np.cumsum([len(own) for own in categories], dtype=np.int64).tolist()]


def _alike(a: ClassCounts, b: ClassCounts, schema: Schema) -> tuple[ClassCounts, ClassCounts]:
    """Both with the categories of either."""
    if (a.n_classes, a.n_features) != (b.n_classes, b.n_features):
        msg = (
            f"counts of {a.n_classes} classes and {a.n_features} categorical features do not go "
            f"with {b.n_classes} classes and {b.n_features} features"
        )
        raise DataError(msg)
    both = tuple(
        unite(own, others, schema.feature_name(j))
        for j, (own, others) in enumerate(zip(a.categories, b.categories, strict=True))
    )
    return a.with_categories(both), b.with_categories(both)


def _difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """What is left of weights when others are removed; 0 where the rest is rounding."""
    left = a - b
    left[np.abs(left) <= ROUNDING * a] = 0.0
    return left


def _first(wrong: NDArray[np.bool_]) -> tuple[int, int]:
    c, column = np.argwhere(wrong)[0].tolist()
    return c, column


def _place(categories: tuple[Categories, ...], column: int) -> tuple[int, Any]:
    """The feature and the category of a column."""
    first = starts(categories)
    j = int(np.searchsorted(first, column, side="right")) - 1
    return j, categories[j][column - first[j]]


def _refuse(what: str, gone: float, had: float, owner: str) -> None:
    msg = f"cannot remove weight {gone:g} of {what} from class {owner}, which has {had:g}: "
    raise RemovalError(msg + ONLY_ADDED)


def _unnamed(counts: ClassCounts) -> Schema:
    return Schema(np.arange(counts.n_classes), counts.n_features)
