"""The sufficient statistics of Gaussians: the moments of complete rows, and of the others by cells.

A shared covariance needs only the scatter summed over the classes. The scatter of each is kept
nevertheless, so that classes can be taken out and settings be changed, unless it is too large.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import RemovalError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.families.gaussian.cells import CellNames, PatternMoments
from gaussbayes.families.gaussian.moments import ClassMoments

MOST_BY_CLASS = 1 << 14
"""Entries of the scatters of all classes up to which a shared covariance keeps them apart."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianStatistics:
    """What rows of numbers say of k classes.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.observation import observe
    >>> rows = np.array([[1.0, 4.0], [3.0, np.nan], [5.0, 2.0]])
    >>> statistics = observe(rows, np.array([0, 0, 1], np.int32), None, 2, "full")
    >>> statistics.weight.tolist(), statistics.is_complete
    ([2.0, 1.0], False)
    >>> part = statistics.of_columns([0])
    >>> part.is_complete, part.moments.mean.tolist()
    (True, [[2.0], [5.0]])
    """

    moments: ClassMoments  # of complete rows
    cells: PatternMoments | None = None  # of the others; None if there are none

    weight: FloatArray = field(init=False, repr=False)
    """How much the rows of each class weigh (k,), complete or not."""
    is_complete: bool = field(init=False, repr=False)
    """Whether no value was missing in any row."""

    def __post_init__(self) -> None:
        weight = self.moments.weight
        if self.cells is not None:
            weight = weight + self.cells.weight_of(weight.shape[0])
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "is_complete", self.cells is None)

    @property
    def n_classes(self) -> int:
        """How many classes there are, with or without rows."""
        return self.moments.n_classes

    @property
    def n_columns(self) -> int:
        """How many features there are."""
        return self.moments.n_features

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""
        return self.moments.n_bytes + (0 if self.cells is None else self.cells.n_bytes)

    def __add__(self, other: "GaussianStatistics") -> "GaussianStatistics":
        """The statistics of the rows of both, with as much of the scatter as both have."""
        mine, theirs = self, other
        if self.moments.layout != other.moments.layout:
            less = other if self.moments.layout == "full" else self
            layout = less.moments.layout
            mine, theirs = self.with_layout(layout), other.with_layout(layout)
        cells = mine.cells or theirs.cells
        if mine.cells is not None and theirs.cells is not None:
            cells = mine.cells + theirs.cells
        return GaussianStatistics(mine.moments + theirs.moments, cells)

    def plus(self, other: "GaussianStatistics", names: Schema) -> "GaussianStatistics":
        """The same; a sum of numbers has no error that would name a feature."""
        del names
        return self + other

    def without(self, other: "GaussianStatistics", names: Schema) -> "GaussianStatistics":
        """The statistics of these rows without others that are among them.

        Raises
        ------
        RemovalError
            If they cannot have been among them; names class and feature.
        """
        theirs = other.with_layout(self.moments.layout)
        moments = self.moments.without(theirs.moments, names)
        if theirs.cells is None:
            return GaussianStatistics(moments, self.cells)
        if self.cells is None:
            cell = CellNames.of(theirs.cells, names).class_name(0)
            msg = f"there are no rows of class {cell} to be removed: all rows seen were complete"
            raise RemovalError(msg)
        left = self.cells.without(theirs.cells, names)
        return GaussianStatistics(moments, left if left.n_cells else None)

    def scaled(self, factor: float) -> "GaussianStatistics":
        """The statistics of the same rows, each counting `factor` times as much."""
        factor = not_negative("factor", factor)
        cells = self.cells.scaled(factor) if self.cells is not None and factor else None
        return GaussianStatistics(self.moments.scaled(factor), cells)

    def selected(self, codes: Sequence[int]) -> "GaussianStatistics":
        """Only the classes with these codes, in this order.

        Raises
        ------
        DataError
            If the scatter was summed over the classes.
        """
        cells = None if self.cells is None else self.cells.selected(codes)
        return _some(self.moments.selected(codes), cells)

    def aligned(self, positions: Sequence[int], n_classes: int) -> "GaussianStatistics":
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        cells = None if self.cells is None else self.cells.aligned(positions)
        return GaussianStatistics(self.moments.aligned(positions, n_classes), cells)

    def together(self) -> "GaussianStatistics":
        """The statistics of the rows of all classes, as those of one class."""
        cells = None if self.cells is None else self.cells.together()
        return GaussianStatistics(self.moments.together(), cells)

    def of_columns(self, columns: Sequence[int]) -> "GaussianStatistics":
        """Only these features, in this order: rows that are complete in them join the moments."""
        moments = self.moments.of_columns(columns)
        if self.cells is None:
            return GaussianStatistics(moments)
        cells = self.cells.of_columns(columns)
        complete = cells.observed.all(axis=1)
        if complete.any():
            whole = cells.taken(np.flatnonzero(complete))
            dense, k = whole.dense(), self.n_classes
            if moments.layout == "pooled":
                dense = dense.with_layout("pooled")
            moments = moments + dense.aligned(whole.codes.tolist(), k)
        return _some(moments, cells.taken(np.flatnonzero(~complete)))

    def with_layout(self, layout: ScatterLayout) -> "GaussianStatistics":
        """Keep less of the scatter; see `ClassMoments.with_layout`."""
        if self.moments.layout == layout:
            return self
        cells = None if self.cells is None else self.cells.with_layout(layout)
        return GaussianStatistics(self.moments.with_layout(layout), cells)


def layout_for(
    layout: ScatterLayout, *, shared: bool, n_classes: int, n_columns: int
) -> ScatterLayout:
    """How much of the scatter is kept for covariances that need this layout, shared or not.

    Examples
    --------
    >>> layout_for("full", shared=True, n_classes=3, n_columns=4)
    'full'
    >>> layout_for("full", shared=True, n_classes=100, n_columns=100)
    'pooled'
    """
    if shared and layout == "full" and n_classes * n_columns**2 > MOST_BY_CLASS:
        return "pooled"
    return layout


def _some(moments: ClassMoments, cells: PatternMoments | None) -> GaussianStatistics:
    return GaussianStatistics(moments, cells if cells is not None and cells.n_cells else None)
