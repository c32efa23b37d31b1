"""Columns of any kind as numbers: categories as corners of a simplex, missing values as they are.

A category of m is a corner of a regular simplex in m − 1 dimensions, so that any two are 1 apart,
as far as the least and the largest value of a number in units of its range, and none comes first.
Means of corners are the proportions of categories, and their covariances what pairs of categories,
or a category and a number, have to do with each other.

That a value is missing may tell the class. If that occurred among the rows that a code was learnt
from, it is a category like others; of a number, whose place the median takes, it is a column of its
own: 1 if it is missing, else 0. Missing values where none was then, and categories that were not
there, are missing among the codes, and are integrated out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise
from typing import ClassVar, TypeAlias

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.categories import MISSING, Categories
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import CodedColumns, Expression
from gaussbayes.families.likelihood_ratio import FamilyTests

MOST_COLUMNS = 300
"""Columns of codes up to which the automatic choice tries them: their covariances are of pairs."""


@dataclass(frozen=True, slots=True)
class NumberCode:
    """A number as it is, and whether it is missing, if `filler` (not None) takes its place then."""

    filler: float | None = None

    content = "number"

    @property
    def n_columns(self) -> int:
        """How many numbers stand for it."""
        return 1 if self.filler is None else 2

    def forward(self, x: FloatArray) -> FloatArray:
        """Numbers (n,) as codes (n, n_columns)."""
        if self.filler is None:
            return x[:, None]
        missing = np.isnan(x)
        return np.stack([np.where(missing, self.filler, x), missing], axis=1)

    def called(self, title: str) -> list[str]:
        """What the columns of codes are called."""
        return [title, f"{title} is missing"][: self.n_columns]


@dataclass(frozen=True, slots=True)
class CategoryCode:
    """One of some categories, the last of which are the missing values if `missing`."""

    categories: Categories
    missing: bool = False

    content = "category"

    @property
    def n_levels(self) -> int:
        """How many corners there are."""
        return len(self.categories) + self.missing

    @property
    def n_columns(self) -> int:
        """How many numbers stand for it: one even if it cannot vary."""
        return max(1, self.n_levels - 1)

    def forward(self, codes: CodeArray) -> FloatArray:
        """Category codes (n,) among the categories as codes (n, n_columns)."""
        corners = np.vstack([simplex(self.n_levels), np.full(self.n_columns, np.nan)])
        place = np.where(codes >= 0, codes, self.n_levels)
        if self.missing:
            place[codes == MISSING] = self.n_levels - 1
        return np.asarray(corners[place])

    def proportions(self, mean: FloatArray) -> FloatArray:
        """How often each level occurs (k, n_levels) where the mean of the codes is this (k, …)."""
        occurs = 1.0 / max(1, self.n_levels) + 2.0 * mean @ simplex(self.n_levels).T
        return np.clip(occurs, 0.0, 1.0)  # rounding may leave −1e-17

    def called(self, title: str) -> list[str]:
        """What the columns of codes are called."""
        return [f"{title} [{number}]" for number in range(self.n_columns)]


Code: TypeAlias = NumberCode | CategoryCode


@cache
def simplex(n_corners: int) -> FloatArray:
    """The corners (m, m − 1) of a regular simplex about 0 whose edges are 1; (m, 1) if m < 2.

    Examples
    --------
    >>> simplex(2).ravel().tolist()
    [0.5, -0.5]
    >>> corners = simplex(3)
    >>> np.linalg.norm(corners[0] - corners[2]).round(12), np.abs(corners.sum(axis=0)).max() < 1e-15
    (np.float64(1.0), np.True_)
    """
    corners = np.zeros((n_corners, max(1, n_corners - 1)))
    for j in range(1, n_corners):
        corners[:j, j - 1], corners[j, j - 1] = 1.0, -j
        corners[:, j - 1] /= np.sqrt(2.0 * j * (j + 1))
    corners.setflags(write=False)
    return corners


@dataclass(frozen=True, slots=True)
class Coding:
    """The code of each column.

    Examples
    --------
    >>> coding = Coding((NumberCode(filler=2.0), CategoryCode(("no", "yes"))))
    >>> codes = np.array([[1], [0]], np.int32)
    >>> rows = Rows(np.array([[3.0], [np.nan]]), codes, (("no", "yes"),))
    >>> coding.mapped(rows)[0].matrix.tolist()
    [[3.0, 0.0, -0.5], [2.0, 1.0, 0.5]]
    """

    of: tuple[Code, ...]

    differs: ClassVar[str] = (
        "statistics computed under different codes cannot be combined: each fit fixes the "
        "categories and the features with missing values. Fit one model to all rows, update it "
        "with more rows, or fit the second model like the first"
    )

    @property
    def n_columns(self) -> int:
        """How many columns are coded."""
        return len(self.of)

    @property
    def starts(self) -> list[int]:
        """The first of the codes of each column, and how many there are."""
        return list(accumulate((code.n_columns for code in self.of), initial=0))

    @property
    def width(self) -> int:
        """How many columns of codes there are."""
        return self.starts[-1]

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return tuple(code.categories for code in self.of if isinstance(code, CategoryCode))

    def of_columns(self, columns: Sequence[int]) -> "Coding":
        """The codes of some columns, in this order."""
        return Coding(tuple(self.of[j] for j in columns))

    def places(self, columns: Sequence[int]) -> list[int]:
        """Where the codes of some columns are."""
        starts = self.starts
        return [place for j in columns for place in range(starts[j], starts[j + 1])]

    def names(self, names: Schema) -> Schema:
        """What messages call the codes of columns; sums of parts of a table come without names."""
        if names.n_features != len(self.of):
            return names
        pairs = zip(self.of, names.titles, strict=True)
        called = tuple(name for code, title in pairs for name in code.called(title))
        return Schema(names.classes, self.width, called)

    def tests(self, tests: FamilyTests, names: Schema) -> FamilyTests:
        """Tests of the codes, with a note on categories."""
        del names
        note = "categories are compared by their codes, whose means are Gaussian in large samples"
        return replace(tests, notes=(*tests.notes, note))

    def expression(self, inner: Expression) -> Expression:
        """The record of the density of columns whose codes have this one."""
        return CodedColumns(self.of, inner)

    def mapped(
        self, rows: Rows, names: Schema | None = None, first_row: int = 0
    ) -> tuple[Rows, FloatArray]:
        """Rows as codes (n, width), in float64."""
        del names, first_row  # nothing can be wrong with them
        numbers = iter(rows.matrix.T.astype(np.float64, copy=False))
        codes = iter(rows.with_categories(self.categories).codes.T)
        coded = np.empty((rows.n_rows, self.width))
        for code, (start, stop) in zip(self.of, pairwise(self.starts), strict=True):
            values = next(codes if isinstance(code, CategoryCode) else numbers)
            coded[:, start:stop] = code.forward(values)
        return number_rows(coded), np.empty((rows.n_rows, 0))


def learn(rows: Rows, weights: FloatArray, categorical: Sequence[int]) -> Coding:
    """The codes of rows with weights (n,), of which these columns hold categories.

    Values of rows without weight do not count.
    """
    some = weights > 0
    n_columns = rows.numbers.shape[1] + rows.codes.shape[1]
    numbers, codes = iter(rows.matrix.T), iter(zip(rows.codes.T, rows.categories, strict=True))
    learnt: list[Code] = []
    for j in range(n_columns):
        if j in categorical:
            column, categories = next(codes)
            present = np.bincount(column[some & (column >= 0)], minlength=len(categories)) > 0
            kept = tuple(each for each, occurs in zip(categories, present, strict=True) if occurs)
            learnt.append(CategoryCode(kept, bool((column[some] == MISSING).any())))
        else:
            x = next(numbers)
            missing = np.isnan(x)
            filler = _median(x[some & ~missing], weights[some & ~missing])
            learnt.append(NumberCode(filler if missing[some].any() else None))
    return Coding(tuple(learnt))


def _median(values: FloatArray, weights: FloatArray) -> float:
    """The least value that half of the weight does not exceed; 0 if there is none."""
    if not values.size:
        return 0.0
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, 0.5 * reached[-1])]])


def worth_coding(rows: Rows) -> bool:
    """Whether rows have categories or missing values, but not too many of the former to try."""
    width = rows.numbers.shape[1] + sum(map(len, rows.categories))
    coded = rows.codes.shape[1] > 0 or bool(np.isnan(rows.matrix).any())
    return coded and width <= MOST_COLUMNS
