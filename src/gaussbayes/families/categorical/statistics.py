"""How much each category of each feature weighs in each class: all that training needs of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.categories import MISSING, UNSEEN, Categories, check_categories, unite
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.independent import ClassSums
from gaussbayes.families.removal import difference, raise_removal

_BLOCK = 1 << 16
"""Rows that are counted at a time, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalStatistics(ClassSums):
    """The weight of each category of each feature, and of missing values, by class.

    The features lie beside each other: ``of(j)`` are the columns of feature j. A category is one
    that weighs something in some class; of two parts each may have categories that the other lacks.
    Integer weights are summed exactly, so that the order does not matter to the bit.
    """

    categories: tuple[Categories, ...]  # q times m_j
    weight: FloatArray  # (k,)
    count: FloatArray  # (k, m), m = Σ m_j
    missing: FloatArray  # (k, q)

    class_axes: ClassVar[dict[str, int]] = {"weight": 0, "count": 0, "missing": 0}

    def __post_init__(self) -> None:
        (k,), m, q = self.weight.shape, self.starts[-1], len(self.categories)
        if self.count.shape != (k, m) or self.missing.shape != (k, q):
            msg = (
                f"counts of {k} classes, {q} features and {m} categories must have count ({k}, {m})"
                f" and missing ({k}, {q}), got {self.count.shape} and {self.missing.shape}"
            )
            raise DataError(msg)

    @property
    def is_complete(self) -> bool:
        """Whether no value was missing."""
        return not self.missing.any()

    @property
    def starts(self) -> list[int]:
        """The column at which each feature begins, and the number of all columns (q + 1)."""
        return starts(self.categories)

    def of(self, feature: int) -> FloatArray:
        """The weights (k, m_j) of the categories of one feature, as a view."""
        first, last = self.starts[feature : feature + 2]
        return self.count[:, first:last]

    def __add__(self, other: "CategoricalStatistics") -> "CategoricalStatistics":
        return self.plus(other, Schema(np.arange(self.weight.size), len(self.categories)))

    def plus(self, other: "CategoricalStatistics", names: Schema) -> "CategoricalStatistics":
        """The counts of the rows of both, for the categories of either."""
        mine, theirs = _united(self, other, names)
        check_categories(mine.categories, names)
        return mine.mapped(lambda a, b, _: a + b, theirs)

    def without(self, other: "CategoricalStatistics", names: Schema) -> "CategoricalStatistics":
        """The counts without rows that are among these; RemovalError if they cannot be.

        Categories of which nothing is left are left out.
        """
        mine, theirs = _united(self, other, names)
        rest = mine.mapped(lambda a, b, _: difference(a, b), theirs)
        for c, column in np.argwhere(rest.count < 0).tolist():
            j = int(np.searchsorted(mine.starts, column, side="right")) - 1
            category = mine.categories[j][column - mine.starts[j]]
            what = f"{names.feature_name(j)} = {category!r:.60} of weight"
            raise_removal(what, theirs.count[c, column], mine.count[c, column], names.class_name(c))
        for c, j in np.argwhere(rest.missing < 0).tolist():
            what = f"missing values of {names.feature_name(j)} of weight"
            raise_removal(what, theirs.missing[c, j], mine.missing[c, j], names.class_name(c))
        return replace(rest, weight=np.maximum(rest.weight, 0.0)).trimmed()

    def of_columns(self, columns: Sequence[int]) -> "CategoricalStatistics":
        """Only the features with these numbers, at least one, in this order."""
        count = np.concatenate([self.of(j) for j in columns], axis=1)
        categories = tuple(self.categories[j] for j in columns)
        return CategoricalStatistics(categories, self.weight, count, self.missing[:, list(columns)])

    def trimmed(self) -> "CategoricalStatistics":
        """Without the categories that weigh nothing in any class."""
        occurs = np.asarray((self.count > 0).any(axis=0))
        if occurs.all():
            return self
        first = self.starts
        categories = tuple(
            tuple(category for at, category in enumerate(column, first[j]) if occurs[at])
            for j, column in enumerate(self.categories)
        )
        return replace(self, categories=categories, count=self.count[:, occurs])

    def with_categories(self, categories: tuple[Categories, ...]) -> "CategoricalStatistics":
        """The same counts among other categories; those not among them become missing values."""
        if categories == self.categories:
            return replace(self, categories=categories)  # True may have become 1
        wider = empty(categories, self.weight.size)
        first, missing = wider.starts, self.missing.copy()
        for j, column in enumerate(self.categories):
            code = translation(column, categories[j])[2:]
            known, count = code >= 0, self.of(j)
            wider.count[:, first[j] + code[known]] = count[:, known]
            if not known.all():
                missing[:, j] += count[:, ~known].sum(axis=1)
        return replace(wider, weight=self.weight, missing=missing)


def empty(categories: tuple[Categories, ...], n_classes: int) -> CategoricalStatistics:
    """The counts of no rows, for categories that may be known before."""
    sizes = ((), (starts(categories)[-1],), (len(categories),))
    return CategoricalStatistics(categories, *(np.zeros((n_classes, *size)) for size in sizes))


def starts(categories: tuple[Categories, ...]) -> list[int]:
    """Where the columns of each feature begin when all lie beside each other, and where all end."""
    return [0, *np.cumsum([len(column) for column in categories], dtype=np.int64).tolist()]


def translation(categories: Categories, known: Categories) -> CodeArray:
    """The codes among known categories of codes −2, −1, 0 … m − 1 among others (2 + m,)."""
    if categories is known or categories == known:
        return np.arange(MISSING, len(known), dtype=np.int32)
    number: dict[Any, int] = {category: code for code, category in enumerate(known)}
    codes = [MISSING, UNSEEN, *(number.get(category, UNSEEN) for category in categories)]
    return np.array(codes, dtype=np.int32)


def count(rows: Rows, targets: Targets, threads: int = 1) -> CategoricalStatistics:
    """How much each category weighs in each class.

    Unseen values count as missing ones. All categories of the rows are kept: see `trimmed`.
    """
    n, k = rows.codes.shape[0], targets.n_classes
    # A block must outweigh the table it is counted into.
    size = max(_BLOCK, k * starts(rows.categories)[-1])
    if n <= size:
        return _count_block(rows, targets)

    def count_block(block: slice) -> CategoricalStatistics:
        return _count_block(rows[block], targets[block])

    return merge_blocks(count_block, ranges(n, size), threads)


def _count_block(rows: Rows, targets: Targets) -> CategoricalStatistics:
    counts = empty(rows.categories, targets.n_classes)
    first, weights = counts.starts, targets.weights
    soft_weights = None
    if targets.labels.ndim == 2:
        soft_weights = targets.labels if weights is None else targets.labels * weights[:, None]
        counts.weight[:] = soft_weights.sum(axis=0)
    else:
        counts.weight[:] = np.bincount(targets.labels, weights, targets.n_classes)
    for j, column in enumerate(rows.categories):
        # Shifted, so that missing and unseen values have columns too: 0 and 1.
        sums = _sums(rows.codes[:, j].astype(np.intp) + 2, len(column) + 2, targets, soft_weights)
        counts.missing[:, j] = sums[:, 0] + sums[:, 1]
        counts.count[:, first[j] : first[j + 1]] = sums[:, 2:]
    return counts


def _sums(
    code: NDArray[np.intp], size: int, targets: Targets, soft_weights: Any
) -> NDArray[np.floating[Any] | np.intp]:
    """How much each code (n,) weighs in each class (k, size)."""
    k = targets.n_classes
    if soft_weights is None:
        place = targets.labels * np.intp(size) + code
        return np.bincount(place, targets.weights, k * size).reshape(k, size)
    return np.stack([np.bincount(code, soft_weights[:, c], size) for c in range(k)])


def _united(
    a: CategoricalStatistics, b: CategoricalStatistics, names: Schema
) -> tuple[CategoricalStatistics, CategoricalStatistics]:
    """Both with the categories of either."""
    if a.categories is b.categories and a.weight.size == b.weight.size:
        return a, b
    if (a.weight.size, len(a.categories)) != (b.weight.size, len(b.categories)):
        msg = (
            f"counts of {a.weight.size} classes and {len(a.categories)} features cannot be "
            f"combined with those of {b.weight.size} classes and {len(b.categories)} features"
        )
        raise DataError(msg)
    pairs = zip(a.categories, b.categories, strict=True)
    both = tuple(unite(mine, other, names.feature_name(j)) for j, (mine, other) in enumerate(pairs))
    return a.with_categories(both), b.with_categories(both)
