"""The sufficient statistics of Gaussians: the moments of complete rows, and of the others by cells.

Rows are cut into blocks, summed by the kernels on all cores, and merged in a fixed tree. Complete
rows pay nothing for those with missing values: they are summed as if nothing could be missing, and
only a sum that is not finite makes anybody look. Then the complete rows are summed class by class,
and the others apart for each class and pattern of values that are there.

A shared covariance needs only the scatter summed over the classes. The scatter of each is kept
nevertheless, so that classes can be taken out and settings be changed, unless it is too large.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import NonFiniteError, RemovalError
from gaussbayes.base.finite import check_finite, overflow_error
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian.cells import (
    PatternMoments,
    cell_layout,
    cell_names,
    check_size,
    differs,
    unite_cells,
)
from gaussbayes.families.gaussian.moments import LAYOUTS, ClassMoments, empty, place
from gaussbayes.kernels.columns import Columns, as_matrix
from gaussbayes.kernels.reference import scatter_shape

MOST_BY_CLASS = 1 << 14
"""Entries of the scatters of all classes up to which a shared covariance keeps them apart."""

_BLOCK = 1 << 19  # entries of the scatters that are summed at a time: four megabytes


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianStatistics:
    """What rows of numbers say of k classes.

    Examples
    --------
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

    weight: FloatArray = field(init=False, repr=False)  # (k,) of the rows of each class
    is_complete: bool = field(init=False, repr=False)  # whether no value was missing in any row

    def __post_init__(self) -> None:
        weight, cells = self.moments.weight, self.cells
        if cells is not None:
            k = weight.shape[0]
            weight = weight + cells.weight_of(k)[:k]  # codes are checked where they are read
            object.__setattr__(self, "cells", cells if cells.n_cells else None)
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "is_complete", self.cells is None)

    @property
    def n_classes(self) -> int:
        return self.moments.n_classes

    @property
    def n_columns(self) -> int:
        return self.moments.n_features

    @property
    def n_bytes(self) -> int:
        return self.moments.n_bytes + (0 if self.cells is None else self.cells.n_bytes)

    def __add__(self, other: "GaussianStatistics") -> "GaussianStatistics":
        """The statistics of the rows of both, with as much of the scatter as both have."""
        mine, theirs = self, other
        if self.moments.layout != other.moments.layout:
            layout = (other if self.moments.layout == "full" else self).moments.layout
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
        """The statistics of these rows without others, which must be among them."""
        theirs = other.with_layout(self.moments.layout)
        moments = self.moments.without(theirs.moments, names)
        if theirs.cells is None:
            return GaussianStatistics(moments, self.cells)
        if self.cells is None:
            cell = cell_names(theirs.cells, names).class_name(0)
            msg = f"there are no rows of class {cell} to be removed: all rows seen were complete"
            raise RemovalError(msg)
        return GaussianStatistics(moments, self.cells.without(theirs.cells, names))

    def scaled(self, factor: float) -> "GaussianStatistics":
        factor = not_negative("factor", factor)
        cells = self.cells.scaled(factor) if self.cells is not None and factor else None
        return GaussianStatistics(self.moments.scaled(factor), cells)

    def selected(self, codes: Sequence[int]) -> "GaussianStatistics":
        """Only the classes with these codes, in this order; see `ClassMoments.selected`."""
        cells = None if self.cells is None else self.cells.selected(codes)
        return GaussianStatistics(self.moments.selected(codes), cells)

    def aligned(self, positions: Sequence[int], n_classes: int) -> "GaussianStatistics":
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        cells = None if self.cells is None else self.cells.aligned(positions)
        return GaussianStatistics(self.moments.aligned(positions, n_classes), cells)

    def together(self) -> "GaussianStatistics":
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
            dense = whole.dense().with_layout(moments.layout)
            moments = moments + dense.aligned(whole.codes.tolist(), self.n_classes)
        return GaussianStatistics(moments, cells.taken(np.flatnonzero(~complete)))

    def without_blank(self) -> "tuple[GaussianStatistics, FloatArray]":
        """Those of rows that have some value, and how much rows without any weigh (k,)."""
        if self.cells is None:
            return self, np.zeros(self.n_classes)
        some = self.cells.observed.any(axis=1)
        blank = self.cells.taken(np.flatnonzero(~some)).weight_of(self.n_classes)
        return GaussianStatistics(self.moments, self.cells.taken(np.flatnonzero(some))), blank

    def with_layout(self, layout: ScatterLayout) -> "GaussianStatistics":
        """Keep less of the scatter; see `ClassMoments.with_layout`."""
        if self.moments.layout == layout:
            return self
        cells = None if self.cells is None else self.cells.with_layout(layout)
        return GaussianStatistics(self.moments.with_layout(layout), cells)


def layout_for(
    layout: ScatterLayout, *, shared: bool, n_classes: int, n_columns: int
) -> ScatterLayout:
    """How much of the scatter is kept for covariances that need this layout, shared or not."""
    if shared and layout == "full" and n_classes * n_columns**2 > MOST_BY_CLASS:
        return "pooled"
    return layout


def observe(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout,
    names: Schema | None = None,
    threads: int = 1,
) -> GaussianStatistics:
    """The statistics of labelled rows, of which some may have missing values (NaN).

    Rows are (n, d), float32 or float64, of any strides, or columns that lie apart; targets are
    class codes (n,), or soft labels (n, k): how much of a row belongs to each class. The result is
    the same, to the bit, for any number of threads. Infinity among the rows is an error, and so are
    patterns of missing values that take too much memory.
    """
    try:
        return GaussianStatistics(summarise(X, targets, weights, n_classes, layout, threads))
    except NonFiniteError:
        rows = as_matrix(X)
    called = None if names is None else names.features or names.places
    check_finite(rows, 0, called, allow_nan=True)
    whole = ~np.isnan(rows).any(axis=1)
    cells = _cells_of(rows, np.flatnonzero(~whole), targets, weights, layout, threads)
    weights = None if weights is None else weights[whole]
    moments = summarise(rows[whole], targets[whole], weights, n_classes, layout, threads)
    return GaussianStatistics(moments, cells)


def summarise(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout = "full",
    threads: int = 1,
) -> ClassMoments:
    """The moments of complete rows; the parameters are those of `observe`.

    The rows are read once for class codes, k times for soft labels. NaN is an error.
    """
    if targets.ndim == 2:
        return _summarise_soft(X, np.asarray(targets, np.float64), weights, layout, threads)
    accumulate = kernels.active().accumulate
    codes: CodeArray = np.ascontiguousarray(targets, dtype=np.int32)

    def summarise_block(rows: slice) -> ClassMoments:
        counted = None if weights is None else np.ascontiguousarray(weights[rows])
        parts = accumulate(X[rows], codes[rows], counted, n_classes, layout)
        return ClassMoments(*parts, layout)

    n, d = X.shape
    if n == 0:
        return empty(n_classes, d, layout)
    blocks = _row_blocks(n, d, n_classes, layout)
    with np.errstate(over="ignore", invalid="ignore"):  # found below, and named
        if len(blocks) == 1:
            moments = summarise_block(blocks[0])
        else:
            moments = merge_blocks(summarise_block, blocks, threads)
    if not (np.isfinite(moments.offset).all() and np.isfinite(moments.scatter).all()):
        check_finite(as_matrix(X))
        raise overflow_error(as_matrix(X))
    return moments


def _summarise_soft(
    X: RealArray | Columns,
    labels: FloatArray,
    weights: FloatArray | None,
    layout: ScatterLayout,
    threads: int,
) -> ClassMoments:
    n, k = labels.shape
    codes = np.zeros(n, dtype=np.int32)
    total = empty(k, X.shape[1], layout)
    for c in range(k):
        counted = labels[:, c] if weights is None else labels[:, c] * weights
        part = summarise(X, codes, counted, 1, layout, threads)
        if LAYOUTS[layout].by_class:
            place(total, np.array([c]), part)
        else:
            total += part.aligned([c], k)
    return total


def _row_blocks(n: int, d: int, k: int, layout: ScatterLayout) -> list[slice]:
    """How rows are cut for the threads: by shapes alone, never by the number of threads.

    A block must be worth a thread's while (four megabytes of rows) and outweigh the merging of its
    moments (a dozen times their size, up to 32 megabytes). Large moments make few blocks, because
    each block holds its own until they are merged.
    """
    if n * d < 1 << 20:
        return [slice(0, n)]  # as below, sooner
    state = 8 * prod(scatter_shape(layout, k, d))
    most = 64 if state <= 1 << 17 else 16 if state <= 1 << 20 else 8 if state <= 1 << 22 else 2
    worthwhile = max(1 << 22, min(12 * state, 1 << 25))
    blocks = max(1, min(most, 8 * n * d // worthwhile))
    return ranges(n, -(-n // blocks))


def _cells_of(
    X: RealArray,
    rows: NDArray[np.intp],
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    layout: ScatterLayout,
    threads: int,
) -> PatternMoments | None:
    """The cells of rows with missing values, given by their numbers; None if none of them weighs.

    A row that belongs to several classes in part is in a cell of each.
    """
    counted = None if weights is None else weights[rows]
    if targets.ndim == 2:
        position, codes = np.nonzero(targets[rows])
        part = targets[rows][position, codes].astype(np.float64)
        rows, counted = rows[position], part if counted is None else part * counted[position]
    else:
        codes = targets[rows].astype(np.intp)
    if counted is not None:
        positive = counted > 0
        rows, codes, counted = rows[positive], codes[positive], counted[positive]
    if not rows.size:
        return None
    owner, observed, number = unite_cells(codes.astype(np.int32), ~np.isnan(X[rows]))
    order = np.argsort(number, kind="stable")
    rows, counted = rows[order], None if counted is None else counted[order]
    starts = np.searchsorted(number[order], np.arange(owner.size + 1))
    size = np.diff(starts)
    many = np.flatnonzero(size > 1)
    check_size(owner.size, many.size, observed, layout)
    # Most cells may have one row only, of which nothing has to be summed.
    anchor = np.where(observed, X[rows[starts[:-1]]], 0.0)
    weight = np.ones(owner.size) if counted is None else counted[starts[:-1]]
    layout, d = cell_layout(layout), X.shape[1]
    offset, scatter = np.zeros(anchor.shape), np.zeros(scatter_shape(layout, many.size, d))
    blocks = ranges(many.size, max(1, _BLOCK // prod(scatter_shape(layout, 1, d))))

    def sum_block(some: slice) -> None:
        cells = many[some]
        where = np.concatenate([np.arange(starts[cell], starts[cell + 1]) for cell in cells])
        values = X[rows[where]]
        values[np.isnan(values)] = 0.0
        codes = np.repeat(np.arange(cells.size, dtype=np.int32), size[cells])
        alone = threads if len(blocks) == 1 else 1
        their = None if counted is None else counted[where]
        part = summarise(values, codes, their, cells.size, layout, alone)
        weight[cells], anchor[cells] = part.weight, part.anchor
        offset[cells], scatter[some] = part.offset, part.scatter

    for_each(sum_block, blocks, threads)
    varied = differs(scatter)
    if not varied.all():
        scatter = scatter[varied]
    return PatternMoments(owner, observed, weight, anchor, offset, many[varied], scatter, layout)
