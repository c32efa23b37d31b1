"""Statistics of columns that are mapped to numbers, which follow another family.

The maps are transforms of the columns, and the span of the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.likelihood_ratio import FamilyTests
from gaussbayes.families.protocol import (
    AnyFamily,
    Scattered,
)


@dataclass(frozen=True, slots=True, eq=False)
class MappedStatistics:
    """The statistics of mapped rows by another family, and the sums of their log slopes.

    With these sums the likelihood is that of the original rows: ``Σ w log p(x | c) = Σ w log p(z |
    c) + Σ_cj log_slope``. Missing values add nothing.
    """

    map: Any  # `Transforms` or `Span`: how columns become numbers, the same for all classes
    inner: Any  # Statistics, of z
    log_slope: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # (k, d) or (k, 0)

    def __post_init__(self) -> None:
        if not self.log_slope.shape[1]:
            object.__setattr__(self, "log_slope", np.zeros((self.weight.size, 0)))

    @property
    def weight(self) -> FloatArray:
        """The weights of the classes (k,)."""
        return np.asarray(self.inner.weight)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.map.n_columns)

    @property
    def n_bytes(self) -> int:
        """Their memory in bytes."""
        return int(self.inner.n_bytes) + self.log_slope.nbytes

    @property
    def is_complete(self) -> bool:
        """Whether all rows are complete."""
        return bool(self.inner.is_complete)

    @property
    def is_pooled(self) -> bool:
        """Whether scatters are summed over the classes."""
        return getattr(self.inner, "is_pooled", False)

    def __add__(self, other: Self) -> Self:
        self.check_map(other.map)
        return self._with(self.inner + other.inner, self.log_slope + other.log_slope)

    def plus(self, other: Self, names: Schema) -> Self:
        """The statistics of the rows of both, which must have the same map."""
        self.check_map(other.map)
        inner = self.inner.plus(other.inner, self.map.names(names))
        return self._with(inner, self.log_slope + other.log_slope)

    def without(self, other: Self, names: Schema) -> Self:
        """The statistics without those of some of the rows."""
        self.check_map(other.map)
        inner = self.inner.without(other.inner, self.map.names(names))
        left = self.log_slope - other.log_slope
        return self._with(inner, np.where(inner.weight[:, None] > 0, left, 0.0))

    def scaled(self, factor: float) -> Self:
        """The statistics of the same rows with weights multiplied by `factor`."""
        return self._with(self.inner.scaled(factor), factor * self.log_slope)

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the classes with these codes, in this order."""
        return self._with(self.inner.selected(codes), self.log_slope[list(codes)])

    def aligned(self, positions: Sequence[int], n_classes: int) -> Self:
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        log_slope = np.zeros((n_classes, self.log_slope.shape[1]))
        log_slope[list(positions)] = self.log_slope
        return self._with(self.inner.aligned(positions, n_classes), log_slope)

    def together(self) -> Self:
        """The statistics of the rows of all classes, as those of one class."""
        return self._with(self.inner.together(), self.log_slope.sum(axis=0, keepdims=True))

    def of_columns(self, columns: Sequence[int]) -> Any:
        """Only these columns, in this order."""
        log_slope = self.log_slope
        if log_slope.size:
            log_slope = log_slope[:, list(columns)]
        inner = self.inner.of_columns(columns)
        return replace(self, map=self.map.of_columns(columns), inner=inner, log_slope=log_slope)

    def tested(self, other: Self, names: Schema) -> FamilyTests:
        """Whether the rows are like others, which must have the same map."""
        self.check_map(other.map)
        tests: FamilyTests = self.map.tests(
            self.inner.tested(other.inner, self.map.names(names)), names
        )
        return tests

    def scatters(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """The scatters of z."""
        return self.inner.scatters() if isinstance(self.inner, Scattered) else None

    def check_map(self, other: Any) -> None:
        """Raise unless the rows were mapped by this map."""
        if self.map is not other and self.map != other:
            raise DataError(self.map.differs)

    def _with(self, inner: Any, log_slope: FloatArray) -> Self:
        return replace(self, inner=inner, log_slope=log_slope)


def innermost(family: AnyFamily) -> AnyFamily:
    """The family without its maps."""
    inner: AnyFamily | None = getattr(family, "family", None)
    return family if inner is None else innermost(inner)


def row_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """The rows in blocks for mapping; at least one block."""
    return ranges(n_rows, rows_at_once(8 * n_columns, 16)) or [slice(0, 0)]
