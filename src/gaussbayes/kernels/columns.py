"""A table whose columns lie apart in memory, as Arrow and most frames hold them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import RealArray


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows that can be summed where they are, without being brought together first."""

    columns: tuple[NDArray[Any], ...]  # d arrays (n,), contiguous, all float32 or all float64

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        return self.columns[0].shape[0], len(self.columns)

    def __getitem__(self, rows: slice) -> "Columns":
        return Columns(tuple(column[rows] for column in self.columns))

    def matrix(self) -> RealArray:
        """The same numbers in one array (n, d)."""
        return np.array(self.columns).T


def as_matrix(table: RealArray | Columns) -> RealArray:
    """The rows (n, d) in one array."""
    return table.matrix() if isinstance(table, Columns) else table
