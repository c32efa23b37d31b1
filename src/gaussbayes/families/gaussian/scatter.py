"""How much of the scatter of k classes is kept: all of it, its sum over the classes, or variances.

A layout knows what its array looks like and what can be done with it, so that nothing outside has
to ask which one it is. The kernels know layouts by name.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, ScatterLayout

_CACHED = 1 << 15
"""Entries of products that stay in the cache."""


class Layout(ABC):
    """One way to hold scatters ``Σ w (x − mean)(x − mean)ᵀ``; see `LAYOUTS`."""

    name: ClassVar[ScatterLayout]
    by_class: ClassVar[bool] = True  # whether every class has its own

    @abstractmethod
    def shape(self, n_classes: int, n_features: int) -> tuple[int, ...]:
        """The shape of the array."""

    @abstractmethod
    def squares(self, scatter: FloatArray) -> FloatArray:
        """The sums of squares (m, d), as a view; m is 1 if it is summed over the classes."""

    @abstractmethod
    def matrices(self, scatter: FloatArray) -> FloatArray | None:
        """The matrices (m, d, d), as a view; None if there are only sums of squares."""

    @abstractmethod
    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        """Add ``factor_c δ_c δ_cᵀ`` of each class, in place."""

    @abstractmethod
    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        """That of some features."""

    @abstractmethod
    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        """The array of another layout; None if it cannot be had from this one."""

    @abstractmethod
    def pooled(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        """Summed over the classes: (1, d, d) for "full", (1, d) for "diagonal"; None likewise."""

    def owner(self, c: int, names: Schema) -> str:
        """Whose matrix number `c` is, as a message writes it."""
        return f" in class {names.class_name(c)}"


class _Full(Layout):
    """(k, d, d): gives every other layout."""

    name = "full"

    def shape(self, n_classes: int, n_features: int) -> tuple[int, ...]:
        return n_classes, n_features, n_features

    def squares(self, scatter: FloatArray) -> FloatArray:
        squares: FloatArray = np.einsum("mii->mi", scatter)
        return squares

    def matrices(self, scatter: FloatArray) -> FloatArray | None:
        return scatter

    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        # A few classes at a time, so that the products stay in the cache.
        step = max(1, _CACHED // max(1, delta.shape[1] ** 2))
        for first in range(0, delta.shape[0], step):
            some = slice(first, first + step)
            # The products first: δᵢδⱼ is symmetric to the bit, (factor δᵢ)δⱼ would not be.
            squares = delta[some, :, None] * delta[some, None, :]
            squares *= factor[some, None, None]
            scatter[some] += squares

    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        return scatter[:, columns[:, None], columns]

    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        if layout == "pooled":
            total: FloatArray = scatter.sum(axis=0)
            return total
        return scatter if layout == "full" else self.squares(scatter).copy()

    def pooled(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        matrices = scatter if layout == "full" else self.squares(scatter)
        total: FloatArray = matrices.sum(axis=0, keepdims=True)
        return total


class _Pooled(Layout):
    """(d, d), summed over the classes: enough for a covariance that they share."""

    name = "pooled"
    by_class = False

    def shape(self, n_classes: int, n_features: int) -> tuple[int, ...]:
        del n_classes
        return n_features, n_features

    def squares(self, scatter: FloatArray) -> FloatArray:
        squares: FloatArray = np.einsum("mii->mi", scatter[None])
        return squares

    def matrices(self, scatter: FloatArray) -> FloatArray | None:
        return scatter[None]

    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        scaled = delta * np.sqrt(np.abs(factor))[:, None]
        # Not scaled.T @ scaled: after any product BLAS keeps its threads spinning for a while, on
        # the cores that are about to read the next rows.
        scatter += np.sign(factor.sum()) * np.einsum("ci,cj->ij", scaled, scaled)

    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        return scatter[columns[:, None], columns]

    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        return scatter if layout == "pooled" else None

    def pooled(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        return scatter[None] if layout == "full" else self.squares(scatter)

    def owner(self, c: int, names: Schema) -> str:
        del c, names
        return ""


class _Diagonal(Layout):
    """(k, d), sums of squares: enough for covariances without correlations."""

    name = "diagonal"

    def shape(self, n_classes: int, n_features: int) -> tuple[int, ...]:
        return n_classes, n_features

    def squares(self, scatter: FloatArray) -> FloatArray:
        return scatter

    def matrices(self, scatter: FloatArray) -> FloatArray | None:
        del scatter
        return None

    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        scatter += factor[:, None] * delta**2

    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        return scatter[:, columns]

    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        return scatter if layout == "diagonal" else None

    def pooled(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray | None:
        total: FloatArray = scatter.sum(axis=0, keepdims=True)
        return total if layout == "diagonal" else None


LAYOUTS: dict[ScatterLayout, Layout] = {
    layout.name: layout for layout in (_Full(), _Pooled(), _Diagonal())
}
"""The layouts by their names.

Examples
--------
>>> [LAYOUTS[name].shape(3, 2) for name in ("full", "pooled", "diagonal")]
[(3, 2, 2), (2, 2), (3, 2)]
"""
