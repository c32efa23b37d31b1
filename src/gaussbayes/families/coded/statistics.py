"""What coded rows say: the statistics of their codes by another family."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories
from gaussbayes.families.coded.coding import Coding
from gaussbayes.families.likelihood_ratio import FamilyTests


@dataclass(frozen=True, slots=True, eq=False)
class CodedStatistics:
    """The statistics of rows as a coding has them."""

    coding: Coding
    inner: Any  # Statistics, of the codes

    @property
    def weight(self) -> FloatArray:
        """How much the rows of each class weigh (k,)."""
        return np.asarray(self.inner.weight)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.coding.of)

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""
        return int(self.inner.n_bytes)

    @property
    def is_complete(self) -> bool:
        """Whether no code was missing."""
        return bool(self.inner.is_complete)

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return self.coding.categories

    def __add__(self, other: "CodedStatistics") -> "CodedStatistics":
        self.check_alike(other.coding)
        return self._with(self.inner + other.inner)

    def plus(self, other: "CodedStatistics", names: Schema) -> "CodedStatistics":
        """The statistics of the rows of both; they must be coded alike."""
        self.check_alike(other.coding)
        return self._with(self.inner.plus(other.inner, self._names(names)))

    def without(self, other: "CodedStatistics", names: Schema) -> "CodedStatistics":
        """The statistics of these rows without others, which must be among them."""
        self.check_alike(other.coding)
        return self._with(self.inner.without(other.inner, self._names(names)))

    def scaled(self, factor: float) -> "CodedStatistics":
        """The statistics of the same rows, each counting `factor` times as much."""
        return self._with(self.inner.scaled(factor))

    def selected(self, codes: Sequence[int]) -> "CodedStatistics":
        """Only the classes with these codes, in this order."""
        return self._with(self.inner.selected(codes))

    def aligned(self, positions: Sequence[int], n_classes: int) -> "CodedStatistics":
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        return self._with(self.inner.aligned(positions, n_classes))

    def together(self) -> "CodedStatistics":
        """The statistics of the rows of all classes, as those of one class."""
        return self._with(self.inner.together())

    def of_columns(self, columns: Sequence[int]) -> "CodedStatistics":
        """Only these columns, in this order."""
        inner = self.inner.of_columns(self.coding.places(columns))
        return CodedStatistics(self.coding.of_columns(columns), inner)

    def tested(self, other: "CodedStatistics", names: Schema) -> FamilyTests:
        """Whether the codes are like those of other rows; they must be coded alike."""
        self.check_alike(other.coding)
        tests: FamilyTests = self.inner.tested(other.inner, self._names(names))
        note = "categories are compared by their codes, whose means are Gaussian in large samples"
        return replace(tests, notes=(*tests.notes, note))

    def check_alike(self, coding: Coding) -> None:
        """Raise unless the rows were coded by this."""
        if self.coding is not coding and self.coding != coding:
            msg = (
                "statistics computed under different codes cannot be combined: each fit fixes the "
                "categories and the features with missing values. Fit one model to all rows, "
                "update it with more rows, or fit the second model like the first"
            )
            raise DataError(msg)

    def _names(self, names: Schema) -> Schema:
        # Sums of parts of one table come without names.
        return self.coding.names(names) if names.n_features == self.n_columns else names

    def _with(self, inner: Any) -> "CodedStatistics":
        return replace(self, inner=inner)
