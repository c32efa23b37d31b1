"""The span of a few rows of many features: an orthonormal basis, and coordinates in it.

The means and scatters of n rows with d > n features lie in the span of their deviations from a
centre, which has n directions. With an orthonormal basis Q (d, n), in units u of the features, a
row has the coordinates

    z = Qᵀ x̃,    x̃ = (x − center) / u

and the part ``|x̃|² − |z|²`` of its squared length lies outside, where the rows carry no
information.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.data.schema import Schema

_OUTSIDE = 1e-9
"""Proportion of the length of a row outside the span that counts as rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """Coordinates of rows in the span of the rows of a fit."""

    center: FloatArray  # (d,)
    unit: FloatArray  # (d,)
    basis: FloatArray  # (d, r) orthonormal columns

    differs: ClassVar[str] = (
        "statistics in the spans of different rows cannot be put together: with more features than "
        "rows, fit to all rows at once, or begin with partial_fit"
    )
    log_unit: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_unit", float(np.log(self.unit).sum()))

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return int(self.basis.shape[0])

    @property
    def n_directions(self) -> int:
        """The number of coordinates."""
        return int(self.basis.shape[1])

    @property
    def n_outside(self) -> int:
        """The number of directions outside."""
        return self.n_columns - self.n_directions

    def __eq__(self, other: object) -> bool:
        """Whether rows have the same coordinates in another span."""
        return isinstance(other, Span) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("center", "unit", "basis")
        )

    def __hash__(self) -> int:
        return hash(self.basis.shape)

    def blocks(self, n_rows: int) -> list[slice]:
        """The rows in blocks for the change of coordinates."""
        return ranges(n_rows, rows_at_once(self.n_columns, 64))

    def coordinates(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """``z`` (n, r) of complete rows, and the parts of their squared lengths outside (n,)."""
        z, outside = np.empty((rows.n_rows, self.n_directions)), np.empty(rows.n_rows)
        for block in self.blocks(rows.n_rows):
            x = (rows[block].matrix.astype(np.float64) - self.center) / self.unit
            np.matmul(x, self.basis, out=z[block])
            length = np.einsum("nj,nj->n", x, x)
            outside[block] = np.maximum(length - np.einsum("nj,nj->n", z[block], z[block]), 0.0)
        return z, outside

    def names(self, names: Schema) -> Schema:
        """The names of the coordinates in messages."""
        called = tuple(f"direction {number}" for number in range(self.n_directions))
        return Schema(names.classes, self.n_directions, called)

    def mapped(
        self, rows: Rows, names: Schema | None = None, first_row: int = 0
    ) -> tuple[Rows, FloatArray]:
        """The coordinates of rows that lie in the span; DataError for one that does not."""
        del names
        z, outside = self.coordinates(rows)
        length = outside + np.einsum("nj,nj->n", z, z)
        strange = np.flatnonzero(~(outside <= np.square(_OUTSIDE) * length + 1e-13 * length))
        if strange.size:
            msg = (
                f"row {strange[0] + first_row} is not one of the {self.n_directions} rows that the "
                f"model was fitted to, nor between them: with {self.n_columns} features, more than "
                "rows, only what these rows span is kept. Fit to all rows at once, or begin with "
                "partial_fit, which keeps all pairs of features"
            )
            raise DataError(msg)
        return number_rows(z), np.empty((rows.n_rows, 0))


def span_of(rows: Rows, unit: FloatArray) -> Span:
    """The span of complete rows, fewer than features, about their mean."""
    x = rows.matrix.astype(np.float64)
    center = np.asarray(x.mean(axis=0))
    x -= center
    x /= unit
    return Span(center, unit, np.linalg.qr(x.T)[0])
