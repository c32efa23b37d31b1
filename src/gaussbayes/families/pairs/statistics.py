"""The weight of each pair of levels in each class: exact sums."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.threads import BLOCK_ROWS, ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.independent import (
    ClassSums,
    ColumnRatio,
    check_alike,
    column_tests,
    proportions_compared,
)
from gaussbayes.families.likelihood_ratio import FamilyTests
from gaussbayes.families.pairs.levels import Levels
from gaussbayes.families.removal import difference, raise_removal


@dataclass(frozen=True, eq=False)
class PairStatistics(ClassSums):
    """The weight of each pair of levels of two columns, and of missing values, by class.

    ``count[c, u, v]`` is that of the rows of class c with the levels u and v; it is symmetric, and
    ``count[c, u, u]`` is the weight of the rows with level u. A row without a value in one of two
    columns counts in none of their pairs.
    """

    levels: Levels
    weight: FloatArray  # (k,)
    missing: FloatArray  # (k, d)
    count: FloatArray  # (k, V, V)

    class_axes: ClassVar[dict[str, int]] = {"weight": 0, "missing": 0, "count": 0}

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.levels.of)

    @property
    def is_complete(self) -> bool:
        """Whether all rows are complete."""
        return not self.missing.any()

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return self.levels.categories

    @cached_property
    def single(self) -> FloatArray:
        """The weight of each level (k, V)."""
        return np.asarray(np.einsum("kvv->kv", self.count))

    @cached_property
    def beside(self) -> FloatArray:
        """The weight of the rows with a level that have a value of each column (k, V, d)."""
        beside = np.add.reduceat(self.count, self.levels.starts[:-1], axis=2)
        return np.ascontiguousarray(beside)  # kernels take no other layout

    @property
    def observed(self) -> FloatArray:
        """The weight of the rows with a value of each column (k, d)."""
        return np.asarray(np.add.reduceat(self.single, self.levels.starts[:-1], axis=1))

    def __add__(self, other: "PairStatistics") -> "PairStatistics":
        self.check_alike(other)
        return self.mapped(lambda a, b, _: a + b, other)

    def plus(self, other: "PairStatistics", names: Schema) -> "PairStatistics":
        """The statistics of the rows of both, which must have the same levels."""
        return self + other

    def without(self, other: "PairStatistics", names: Schema) -> "PairStatistics":
        """The statistics without those of some of the rows."""
        self.check_alike(other)
        rest = self.mapped(lambda a, b, _: difference(a, b), other)
        for c, u, v in np.argwhere(rest.count < 0).tolist():
            i, j = (int(self.levels.column[level]) for level in (u, v))
            both = names.feature_name(j) if i == j else f"{names.feature_list([i, j])} together"
            lost = other.count[c, u, v]
            raise_removal(f"{both} of weight", lost, self.count[c, u, v], names.class_name(c))
        for c, j in np.argwhere(rest.missing < 0).tolist():
            what = f"missing values of {names.feature_name(j)} of weight"
            lost = other.missing[c, j]
            raise_removal(what, lost, self.missing[c, j], names.class_name(c))
        return replace(rest, weight=np.maximum(rest.weight, 0.0))

    def of_columns(self, columns: Sequence[int]) -> "PairStatistics":
        """Only these columns, in this order."""
        places = self.levels.places(columns)
        count = self.count[:, places[:, None], places]
        missing = self.missing[:, list(columns)]
        return PairStatistics(self.levels.of_columns(columns), self.weight, missing, count)

    def at(self, levels: Levels) -> "PairStatistics":
        """The same rows at coarser levels, which are unions of these.

        Missing values that have a level here and none there are counted as missing.
        """
        if levels is self.levels or levels == self.levels:
            return self
        places = self.levels.within(levels)
        if places is None:
            raise DataError(_DIFFERENT)
        kept, dropped = np.flatnonzero(places >= 0), np.flatnonzero(places < 0)
        missing = self.missing.copy()
        missing[:, self.levels.column[dropped]] += self.single[:, dropped]
        first = np.flatnonzero(np.diff(places[kept], prepend=-1))
        count = self.count[:, kept[:, None], kept]
        count = np.add.reduceat(np.add.reduceat(count, first, axis=1), first, axis=2)
        return PairStatistics(levels, self.weight, missing, count)

    def check_alike(self, other: "PairStatistics") -> None:
        """Raise unless both have the same number of classes and the same levels."""
        check_alike(self, other)
        if self.levels is not other.levels and self.levels != other.levels:
            raise DataError(_DIFFERENT)

    def tested(self, other: "PairStatistics", names: Schema) -> FamilyTests:
        """Whether each class has the same proportions of levels as in other rows."""
        self.check_alike(other)

        def ratio(code: int, column: int) -> ColumnRatio:
            some = slice(*self.levels.starts[column : column + 2])
            counts = np.stack([each.single[code, some] for each in (self, other)])
            return proportions_compared(counts, self.levels.of[column].titles)

        codes = np.flatnonzero((self.weight > 0) & (other.weight > 0)).tolist()
        return column_tests(ratio, codes, self.n_columns, "proportions of levels", names)


_DIFFERENT = (
    "statistics of different levels cannot be combined: each fit fixes the bins of its numbers. "
    "Fit one model to all rows, update it with more rows, or fit the second model like the first"
)


def count(levels: Levels, rows: Rows, targets: Targets, threads: int = 1) -> PairStatistics:
    """The weight of each pair of levels in each class."""
    n, k, d = rows.n_rows, targets.n_classes, len(levels.of)
    # A block must be larger than its table of counts.
    size = max(BLOCK_ROWS, k * levels.size**2 // d)

    def count_block(block: slice) -> PairStatistics:
        return _count_block(levels, levels.codes(rows[block]), targets[block])

    return merge_blocks(count_block, ranges(n, size) or [slice(0, 0)], threads)


def _count_block(levels: Levels, codes: NDArray[np.int32], targets: Targets) -> PairStatistics:
    k, d, starts = targets.n_classes, codes.shape[1], levels.starts
    of_class: list[tuple[FloatArray | None, Any]]
    if targets.is_soft:
        weights = targets.proportions() * targets.total_weights()[:, None]
        of_class = [(weights[:, c], c) for c in range(k)]
        weight = weights.sum(axis=0)
    else:
        of_class = [(targets.weights, targets.codes)]
        weight = np.bincount(targets.codes, targets.weights, k).astype(np.float64)
    table, missing = np.zeros((k, levels.size, levels.size)), np.zeros((k, d))
    # The first level of each column is that of missing values.
    sizes = np.diff(starts) + 1
    places = [np.where(codes[:, j] < 0, 0, codes[:, j] - starts[j] + 1) for j in range(d)]
    for weights_of_rows, code in of_class:
        for i in range(d):
            pair = (code * sizes[i] + places[i]).astype(np.intp)
            single = np.bincount(pair, weights_of_rows, k * sizes[i]).reshape(k, sizes[i])
            missing[:, i] += single[:, 0]
            of_i = np.arange(starts[i], starts[i + 1])
            table[:, of_i, of_i] += single[:, 1:]
            for j in range(i):
                both = pair * sizes[j] + places[j]
                sums = np.bincount(both, weights_of_rows, k * sizes[i] * sizes[j])
                inner = sums.reshape(k, sizes[i], sizes[j])[:, 1:, 1:]
                table[:, starts[i] : starts[i + 1], starts[j] : starts[j + 1]] += inner
    for i in range(d):
        for j in range(i):
            block = table[:, starts[i] : starts[i + 1], starts[j] : starts[j + 1]]
            table[:, starts[j] : starts[j + 1], starts[i] : starts[i + 1]] = block.mT
    return PairStatistics(levels, weight, missing, table)
