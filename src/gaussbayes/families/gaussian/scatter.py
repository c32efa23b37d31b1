"""How much of the scatter of k classes is kept: all of it, its sum over the classes, or variances.

A layout knows what its array looks like and what can be done with it, so that nothing outside has
to ask which one it is. The kernels know layouts by name.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, ScatterLayout

_CACHED = 1 << 15
"""Entries of products that stay in the cache."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to hold the scatters ``Σ w (x − mean)(x − mean)ᵀ`` of k classes."""

    name: ScatterLayout
    by_class: bool  # whether every class has its own; else their sum is all that there is
    correlated: bool  # whether there are matrices (d, d); else sums of squares (d,)

    def stacked(self, scatter: FloatArray) -> FloatArray:
        """The scatters (m, d, d) or (m, d), as a view; m is 1 if summed over the classes."""
        return scatter if self.by_class else scatter[None]

    def squares(self, scatter: FloatArray) -> FloatArray:
        """The sums of squares (m, d), as a view."""
        stacked = self.stacked(scatter)
        return np.einsum("mii->mi", stacked) if self.correlated else stacked

    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        """Add ``factor_c δ_c δ_cᵀ`` of each class, in place."""
        if not self.correlated:
            scatter += factor[:, None] * delta**2
        elif not self.by_class:
            scaled = delta * np.sqrt(np.abs(factor))[:, None]
            # Not scaled.T @ scaled: after any product BLAS keeps its threads spinning for a while,
            # on the cores that are about to read the next rows.
            scatter += np.sign(factor.sum()) * np.einsum("ci,cj->ij", scaled, scaled)
        else:
            # A few classes at a time, so that the products stay in the cache.
            step = max(1, _CACHED // max(1, delta.shape[1] ** 2))
            for first in range(0, delta.shape[0], step):
                some = slice(first, first + step)
                # The products first: δᵢδⱼ is symmetric to the bit, (factor δᵢ)δⱼ would not be.
                squares = delta[some, :, None] * delta[some, None, :]
                squares *= factor[some, None, None]
                scatter[some] += squares

    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        """That of some features."""
        return scatter[..., columns[:, None], columns] if self.correlated else scatter[..., columns]

    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray:
        """The array of another layout: a full one gives them all, the others only their own."""
        if layout == self.name:
            return scatter
        if self.name != "full":
            raise self._no_other(layout)
        return np.asarray(
            scatter.sum(axis=0) if layout == "pooled" else self.squares(scatter).copy()
        )

    def pooled(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray:
        """Summed over the classes: (1, d, d) for "full", (1, d) for "diagonal"."""
        if layout == "full" and not self.correlated:
            raise self._no_other(layout)
        parts = self.squares(scatter) if layout == "diagonal" else self.stacked(scatter)
        return np.asarray(parts.sum(axis=0, keepdims=True)) if self.by_class else parts

    def owner(self, c: int, names: Schema) -> str:
        """Whose scatter number `c` is, as a message writes it."""
        return f" in class {names.class_name(c)}" if self.by_class else ""

    def _no_other(self, layout: ScatterLayout) -> DataError:
        return DataError(
            f"a {layout} scatter cannot be had from a {self.name} one; fit again with these "
            "settings"
        )


LAYOUTS: dict[ScatterLayout, Layout] = {
    "full": Layout("full", by_class=True, correlated=True),
    "pooled": Layout("pooled", by_class=False, correlated=True),
    "diagonal": Layout("diagonal", by_class=True, correlated=False),
}
"""The layouts by their names; `gaussbayes.kernels.reference.scatter_shape` has their shapes."""
