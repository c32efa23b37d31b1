"""The density that EM works with, as a vector of roots of probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray

if TYPE_CHECKING:
    from gaussbayes.families.pairs.density import PairsDensity

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class RootPairs:
    """``2 √θ`` of the density of EM: a change by 1 is a standard deviation of one row.

    Any numbers are coordinates of the probabilities in proportion to their squares.
    """

    start: PairsDensity

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which entries of a table are probabilities (V, V)."""
        column = self.start.levels.column
        return np.asarray((column[:, None] != column) | np.eye(column.size, dtype=bool))

    def vector(self, density: PairsDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        return np.asarray(2.0 * np.exp(0.5 * density.table[self.used])).ravel()

    def density(self, vector: FloatArray) -> PairsDensity:
        """The density with these coordinates."""
        levels, used = self.start.levels, self.used
        size, first = levels.size, levels.starts[:-1]
        square = np.zeros((size, size, self.start.n_classes))
        square[used] = np.square(vector).reshape(-1, self.start.n_classes)
        single = np.einsum("vvk->vk", square)
        total = np.add.reduceat(square, first, axis=1)
        of_column = np.add.reduceat(single, first, axis=0)
        total[np.arange(size), levels.column] = of_column[levels.column]
        square[~used] = 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.log(square) - np.log(total[:, levels.column])
        table[~used] = 0.0
        return replace(self.start, table=table)

    def rounding(self, density: PairsDensity) -> float:
        """Roots are right to a few units in the last place of 2, the largest of them."""
        return 16 * _EPS
