"""The levels of columns: numbers in quantile bins, categories with the rare ones in one level.

Every number belongs to exactly one bin. A value that many rows share has a separate bin, and a
column with few values has a bin for each. A category that did not occur when the levels were fixed
is left out. Missing values are left out too, unless the column has a level for them: the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import MISSING, Categories
from gaussbayes.data.rows import Rows
from gaussbayes.families.expression import LevelColumn

RARE = 3.0
"""Weight below which a category shares a level with other rare ones."""


@dataclass(frozen=True)
class Bins:
    """The bins of a column of numbers: the least and the greatest value of the rows in each.

    Bins meet midway between the values on either side.

    Examples
    --------
    >>> bins = bins_of(np.array([1.0, 2.0, 2.0, 2.0, 2.0, 5.0, 7.0]), np.ones(7), 3)
    >>> bins.titles, bins.codes(np.array([-9.0, 2.0, 3.4, 3.6, np.nan])).tolist()
    (('1', '2', '5 to 7'), [0, 1, 1, 2, -1])
    """

    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    missing: bool = False  # whether missing values have a level, which is the last

    content = "number"

    @property
    def n_levels(self) -> int:
        """The number of bins."""
        return len(self.lowest) + self.missing

    @property
    def titles(self) -> tuple[str, ...]:
        """The names of the bins in tables."""
        ranges = zip(self.lowest, self.highest, strict=True)
        bins = (f"{a:.4g}" if a == b else f"{a:.4g} to {b:.4g}" for a, b in ranges)
        return (*bins, *["missing"] * self.missing)

    @cached_property
    def edges(self) -> FloatArray:
        """The least number of every bin but the first."""
        below, above = np.array(self.highest[:-1]), np.array(self.lowest[1:])
        middle = below / 2 + above / 2
        return np.where(middle > below, middle, above)

    @property
    def expression(self) -> LevelColumn:
        """The bins as a record for exports."""
        return LevelColumn(self.n_levels, self.edges, missing=self.missing)

    def codes(self, values: FloatArray) -> NDArray[np.int32]:
        """The bin of each number (n,), −1 where it is missing."""
        codes = np.searchsorted(self.edges, values, side="right")
        missing = len(self.lowest) if self.missing else -1
        return np.where(np.isnan(values), missing, codes).astype(np.int32)

    def merged(self, groups: NDArray[np.intp]) -> "Bins":
        """The bins after merging neighbours with the same group (m,)."""
        first = np.flatnonzero(np.diff(groups, prepend=-1))
        last = np.append(first[1:], groups.size) - 1
        lowest, highest = np.array(self.lowest), np.array(self.highest)
        ends = tuple(lowest[first].tolist()), tuple(highest[last].tolist())
        return Bins(*ends, self.missing)

    def values(self, codes: NDArray[np.intp], generator: np.random.Generator) -> FloatArray:
        """A number from each of these bins (n,), uniform between its least and greatest value."""
        lowest, highest = np.array([(*self.lowest, np.nan), (*self.highest, np.nan)])[:, codes]
        return np.asarray(lowest + (highest - lowest) * generator.random(codes.size))


@dataclass(frozen=True)
class Groups:
    """The level of each category of a column; several rare ones may share the last level."""

    categories: Categories
    level: tuple[int, ...]
    missing: bool = False  # whether missing values have a level, which is the last

    content = "category"

    @property
    def n_levels(self) -> int:
        """The number of levels: 1 if there are no categories."""
        return self._n_groups + self.missing

    @property
    def _n_groups(self) -> int:
        return max(self.level, default=0) + 1

    @property
    def titles(self) -> tuple[str, ...]:
        """The names of the levels in tables."""
        groups = (
            str(self.categories[self.level.index(number)])
            if self.level.count(number) == 1
            else f"{self.level.count(number)} others"
            for number in range(self._n_groups)
        )
        return (*groups, *["missing"] * self.missing)

    @property
    def expression(self) -> LevelColumn:
        """The levels as a record for exports."""
        return LevelColumn(self.n_levels, None, self.categories, self.level, self.missing)

    def codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The level of each category, given by its code (n,); −1 where it is missing or new."""
        missing = self._n_groups if self.missing else -1
        table = np.array([*self.level, missing, -1], dtype=np.int32)  # by MISSING and UNSEEN
        return np.asarray(table[np.maximum(codes, MISSING)])

    def values(self, levels: NDArray[np.intp], generator: np.random.Generator) -> NDArray[np.int32]:
        """A category code for each level (n,), any of those that share it."""
        if not self.level:
            return np.full(levels.size, MISSING, np.int32)
        order = np.argsort(self.level, kind="stable")
        count = np.bincount(self.level)
        first = np.cumsum(count) - count
        is_missing = levels == self._n_groups
        group = np.where(is_missing, 0, levels)
        chosen = (generator.random(levels.size) * count[group]).astype(np.intp)
        return np.where(is_missing, MISSING, order[first[group] + chosen]).astype(np.int32)


ColumnLevels: TypeAlias = Bins | Groups


@dataclass(frozen=True)
class Levels:
    """The levels of every column, numbered one column after the other.

    Examples
    --------
    >>> levels = Levels((Bins((1.0, 3.0), (2.0, 4.0)), Groups(("no", "yes"), (0, 1))))
    >>> rows = Rows(np.array([[1.5], [3.5]]), np.array([[1], [-2]], np.int32), (("no", "yes"),))
    >>> levels.starts, levels.codes(rows).tolist()
    ([0, 2, 4], [[0, 3], [1, -1]])
    """

    of: tuple[ColumnLevels, ...]

    @cached_property
    def starts(self) -> list[int]:
        """The first level of each column, and the number of levels."""
        return list(accumulate((column.n_levels for column in self.of), initial=0))

    @property
    def size(self) -> int:
        """The total number of levels."""
        return self.starts[-1]

    @cached_property
    def column(self) -> NDArray[np.intp]:
        """The column of each level."""
        return np.repeat(np.arange(len(self.of)), np.diff(self.starts))

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return tuple(column.categories for column in self.of if isinstance(column, Groups))

    def of_columns(self, columns: Sequence[int]) -> "Levels":
        """The levels of some columns, in this order."""
        return Levels(tuple(self.of[j] for j in columns))

    def places(self, columns: Sequence[int]) -> NDArray[np.intp]:
        """The levels of some columns, by their numbers."""
        ranges = [np.arange(self.starts[j], self.starts[j + 1]) for j in columns]
        return np.concatenate(ranges)

    def codes(self, rows: Rows) -> NDArray[np.int32]:
        """The level of each row in each column (n, d); −1 for missing values."""
        columns = self._columns(rows.with_categories(self.categories))
        codes = np.empty((rows.n_rows, len(self.of)), np.int32)
        for j, (column, values) in enumerate(zip(self.of, columns, strict=True)):
            level = column.codes(values)
            codes[:, j] = np.where(level < 0, -1, level + self.starts[j])
        return codes

    def _columns(self, rows: Rows) -> list[Any]:
        """The numbers or the codes of each column, in the order of the columns."""
        numbers, codes = iter(rows.matrix.T.astype(np.float64, copy=False)), iter(rows.codes.T)
        return [next(numbers if isinstance(each, Bins) else codes) for each in self.of]

    def rows(self, codes: NDArray[np.intp], generator: np.random.Generator) -> Rows:
        """Rows whose levels are these (n, d), each counted from the first of its column."""
        drawn = [each.values(codes[:, j], generator) for j, each in enumerate(self.of)]
        n, pairs = codes.shape[0], list(zip(self.of, drawn, strict=True))
        numbers = [values for each, values in pairs if isinstance(each, Bins)]
        places = [values for each, values in pairs if isinstance(each, Groups)]
        return Rows(
            np.stack(numbers, axis=1) if numbers else np.empty((n, 0)),
            np.stack(places, axis=1).astype(np.int32) if places else np.empty((n, 0), np.int32),
            self.categories,
        )

    def merged(self, weight: FloatArray, most: int) -> "Levels":
        """Coarser levels, at most about this many bins per column, by weights of levels (V,)."""
        merged = (
            column.merged(grouped(weight[start : start + len(column.lowest)], most))
            if isinstance(column, Bins)
            else column
            for column, start in zip(self.of, self.starts, strict=False)
        )
        return Levels(tuple(merged))

    @property
    def without_missing(self) -> "Levels":
        """The same where missing values have no level."""
        return Levels(tuple(replace(column, missing=False) for column in self.of))

    def within(self, other: "Levels") -> NDArray[np.intp] | None:
        """The level of `other` that contains each level (V,); None if there is not always one.

        Missing values that have no level there have −1.
        """
        places = []
        for mine, theirs, start in zip(self.of, other.of, other.starts, strict=False):
            if isinstance(mine, Bins) and isinstance(theirs, Bins):
                first, last = (theirs.codes(np.array(of)) for of in (mine.lowest, mine.highest))
                if (first != last).any():
                    return None
                places.append(start + first.astype(np.intp))
            elif isinstance(theirs, Groups) and mine == replace(theirs, missing=mine.missing):
                places.append(start + np.arange(mine.n_levels - mine.missing))
            else:
                return None
            if theirs.missing and not mine.missing:
                return None
            if mine.missing:
                places.append(np.array([start + theirs.n_levels - 1 if theirs.missing else -1]))
        same = len(self.of) == len(other.of)
        return np.concatenate(places) if same and places else None


def levels_of(
    rows: Rows, weights: FloatArray, categorical: Sequence[int], most: int, *, missing: bool = False
) -> Levels:
    """The levels of rows with weights (n,), at most about this many in each column.

    If `missing` is set, missing values of a column have a level unless they are rare.
    """
    heavy = weights > 0
    numbers, codes = iter(rows.matrix.T), iter(zip(rows.codes.T, rows.categories, strict=True))
    columns: list[ColumnLevels] = []
    for j in range(rows.numbers.shape[1] + rows.codes.shape[1]):
        if j in categorical:
            column, categories = next(codes)
            present = heavy & (column >= 0)
            count = np.bincount(column[present], weights[present], len(categories))
            weight = count.astype(np.float64)
            levels: ColumnLevels = groups_of(categories, weight, most)
        else:
            values = next(numbers).astype(np.float64)
            present = heavy & ~np.isnan(values)
            levels = bins_of(values[present], weights[present], most)
        lacking = weights[heavy & ~present].sum() >= RARE
        columns.append(replace(levels, missing=missing and bool(lacking)))
    return Levels(tuple(columns))


def bins_of(values: FloatArray, weights: FloatArray, most: int) -> Bins:
    """The bins of numbers (n,), none missing, with weights (n,)."""
    if not values.size:
        return Bins((0.0,), (0.0,))
    if (weights == weights[0]).all():  # sorting numbers is faster than sorting positions
        distinct, counts = np.unique(values, return_counts=True)
        weight: FloatArray = counts.astype(np.float64) * weights[0]
    else:
        distinct, position = np.unique(values, return_inverse=True)
        weight = np.bincount(position, weights).astype(np.float64)
    first = np.flatnonzero(np.diff(grouped(weight, most), prepend=-1))
    last = np.append(first[1:], distinct.size) - 1
    return Bins(tuple(distinct[first].tolist()), tuple(distinct[last].tolist()))


def grouped(weight: FloatArray, most: int) -> NDArray[np.intp]:
    """The group of each neighbour (m,), in at most about this many groups of similar weight.

    A neighbour as heavy as a group forms a separate group.
    """
    if weight.size <= most:
        return np.arange(weight.size)
    total = max(weight.sum(), np.finfo(np.float64).tiny)
    middle = (np.cumsum(weight) - weight / 2) / total
    heavy = weight * most >= total
    quantile = np.minimum((middle * most).astype(np.intp), most - 1)
    changes = (np.diff(quantile) > 0) | heavy[1:] | heavy[:-1]
    return np.concatenate([[0], np.cumsum(changes)])


def groups_of(categories: Categories, weight: FloatArray, most: int) -> Groups:
    """The levels of categories with these weights (m,): the rarest share the last one."""
    present = np.flatnonzero(weight > 0)
    order = present[np.argsort(-weight[present], kind="stable")]
    frequent = order[: max(1, most - 1)]
    frequent = frequent[weight[frequent] >= RARE]
    if present.size - frequent.size <= 1:
        frequent = present
    level = np.full(len(categories), frequent.size)
    level[np.sort(frequent)] = np.arange(frequent.size)
    kept = tuple(categories[code] for code in present.tolist())
    return Groups(kept, tuple(level[present].tolist()))
