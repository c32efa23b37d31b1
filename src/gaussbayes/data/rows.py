"""Rows as every family takes them: numbers, category codes, and what each row belongs to."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import Categories, Unseen, recode, unite
from gaussbayes.kernels.arrays import Columns, as_matrix

Which: TypeAlias = slice | NDArray[np.intp] | NDArray[np.bool_]
"""Some rows: a slice, row numbers, or a mask."""

UNLABELLED = -1
"""The class code of a row without label."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The number features (n, g) and the category features (n, q) of some rows.

    Either may have no columns. Missing numbers are NaN. A category code is an index into
    `categories`, `UNSEEN` (−1) or `MISSING` (−2); see `gaussbayes.data.categories`.

    Examples
    --------
    >>> rows = number_rows(np.array([[1.5, 2.0], [0.5, np.nan]]))
    >>> rows.n_rows, rows[:1].matrix.tolist()
    (2, [[1.5, 2.0]])
    """

    numbers: RealArray | Columns  # (n, g) float32 or float64
    codes: CodeArray  # (n, q)
    categories: tuple[Categories, ...] = ()  # q times m_j
    unseen: tuple[Unseen, ...] = ()  # of the category features that have any

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.numbers.shape[0])

    @property
    def matrix(self) -> RealArray:
        """The numbers in one array (n, g)."""
        return as_matrix(self.numbers)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The float type that scores of these rows have: that of the numbers."""
        if isinstance(self.numbers, Columns):
            return self.numbers.columns[0].dtype if self.numbers.columns else np.dtype(np.float64)
        return self.numbers.dtype

    def __getitem__(self, which: Which) -> "Rows":
        if isinstance(which, slice):
            return replace(self, numbers=self.numbers[which], codes=self.codes[which])
        return replace(self, numbers=self.matrix[which], codes=self.codes[which])

    def with_categories(self, categories: tuple[Categories, ...]) -> "Rows":
        """The same rows coded by other categories; those that are not among them are unseen."""
        if categories == self.categories:
            return replace(self, categories=categories)
        codes, _, unseen = recode(zip(self.codes.T, self.categories, strict=True), categories)
        return replace(self, codes=codes, categories=categories, unseen=unseen)

    def joined(self, other: "Rows", names: Schema) -> "Rows":
        """These rows, then others with the same features; `names` are of the category features."""
        pairs = zip(self.categories, other.categories, strict=True)
        both = tuple(unite(a, b, names.feature_name(j)) for j, (a, b) in enumerate(pairs))
        first, second = self.with_categories(both), other.with_categories(both)
        return Rows(
            np.concatenate([first.matrix, second.matrix]),
            np.concatenate([first.codes, second.codes]),
            both,
        )


def number_rows(numbers: RealArray | Columns) -> Rows:
    """Rows that have no categories."""
    return Rows(numbers, np.empty((numbers.shape[0], 0), np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """What each row belongs to, and how much it counts.

    Examples
    --------
    >>> targets = Targets(np.array([0, -1, 1], np.int32), 2, None, 1)
    >>> targets.labelled.tolist(), targets[targets.labelled].labels.tolist()
    ([True, False, True], [0, 1])
    >>> targets.weight_of_classes().tolist()
    [1.0, 1.0]
    """

    labels: CodeArray | FloatArray
    """(n,) class codes, −1 for a row without label; or (n, k) soft labels, NaN for such a row."""
    n_classes: int
    weights: FloatArray | None = None  # (n,), None for ones
    n_unlabelled: int = 0  # rows without label

    @property
    def is_soft(self) -> bool:
        """Whether rows belong to classes in part."""
        return self.labels.ndim == 2

    @property
    def codes(self) -> CodeArray:
        """The class codes (n,); of soft labels those of the largest."""
        if self.is_soft:
            largest = np.nan_to_num(self.labels).argmax(axis=1)
            return np.where(self.labelled, largest, UNLABELLED).astype(np.int32)
        return self.labels.astype(np.int32, copy=False)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label (n,)."""
        if self.is_soft:
            return np.asarray(~np.isnan(self.labels[:, 0]))
        return np.asarray(self.labels != UNLABELLED)

    def __getitem__(self, which: Which) -> "Targets":
        weights = None if self.weights is None else self.weights[which]
        some = Targets(self.labels[which], self.n_classes, weights)
        if not self.n_unlabelled:
            return some
        return replace(some, n_unlabelled=int(np.count_nonzero(~some.labelled)))

    def weight_of_classes(self) -> FloatArray:
        """How much the labelled rows of each class weigh (k,)."""
        own = self[self.labelled]
        if own.is_soft:
            share = own.labels if own.weights is None else own.labels * own.weights[:, None]
            return np.asarray(share.sum(axis=0, dtype=np.float64))
        return np.bincount(own.codes, own.weights, own.n_classes).astype(np.float64)

    def memberships(self) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Which rows belong to which classes, and how much: numbers, codes and weights above 0."""
        weights = self.total_weights()
        if self.is_soft:
            soft = np.where(self.labelled[:, None], self.labels, 0.0) * weights[:, None]
            rows, codes = np.nonzero(soft)
            return rows, codes, soft[rows, codes]
        rows = np.flatnonzero(self.labelled & (weights > 0))
        return rows, self.labels[rows].astype(np.intp), weights[rows].astype(np.float64)

    def total_weights(self) -> FloatArray:
        """How much each row counts (n,), in numbers."""
        return np.ones(self.labels.shape[0]) if self.weights is None else self.weights


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """A table that was read: rows, targets and the classes that the class codes stand for."""

    rows: Rows
    targets: Targets
    classes: LabelArray  # (k,), sorted
