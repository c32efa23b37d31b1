"""The sufficient statistics of Gaussians: weight, mean and scatter of the rows of each class.

The three merge (``+``) and are removed (``−``) exactly, in any grouping, which gives batch fits,
streaming, files larger than memory, clusters and forgetting. Kernels sum blocks of rows on all
cores, and a fixed tree merges the sums. Rows with missing values are summed separately, for each
class and pattern of observed features (`gaussbayes.families.gaussian.cells`).

The layout of the scatter is full, pooled (summed over the classes) or diagonal (variances), and has
the operations that depend on it. The kernels know layouts by name. A shared covariance needs only
the scatter summed over the classes. The scatter of each class is kept nevertheless, unless it is
too large, so that classes can be removed and settings changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.checks import check_finite, finite_number, overflow_error
from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, Divisor, FloatArray, RealArray, ScatterLayout
from gaussbayes.data.schema import Schema
from gaussbayes.families.removal import ROUNDING
from gaussbayes.kernels.arrays import Columns, as_matrix
from gaussbayes.kernels.reference import add_squares, scatter_shape, zero_moments
from gaussbayes.kernels.triangular import cholesky

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.cells import PatternMoments
    from gaussbayes.families.likelihood_ratio import FamilyTests

MOST_BY_CLASS = 1 << 14
"""Entries of the scatters of all classes up to which a shared covariance keeps them apart."""


_NOISE = 16 * float(np.finfo(np.float64).eps)
"""Proportion of a sum of squares below which the remainder of a removal has no correct digit."""

_ACCUMULATED = 1e-12
"""The same after rows were removed one by one."""

_LEAST_LEFT = 1e-6
"""Proportion of a sum of squares below which the remainder of a removal has lost nine digits."""

_FEW_SOFT = 1 << 10
"""Rows times classes of soft labels that are summed at once."""

ONLY_ADDED = "remove only rows that were added"
"""The end of every error about rows that cannot be removed."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to hold the scatters ``Σ w (x − mean)(x − mean)ᵀ`` of k classes."""

    name: ScatterLayout
    by_class: bool  # whether there is one for every class; otherwise only their sum
    correlated: bool  # whether there are matrices (d, d); otherwise sums of squares (d,)

    def stacked(self, scatter: FloatArray) -> FloatArray:
        """The scatters (m, d, d) or (m, d), as a view; m is 1 if summed over the classes."""
        return scatter if self.by_class else scatter[None]

    def squares(self, scatter: FloatArray) -> FloatArray:
        """The sums of squares (m, d), as a view."""
        stacked = self.stacked(scatter)
        return np.einsum("mii->mi", stacked) if self.correlated else stacked

    def add_squares(self, scatter: FloatArray, factor: FloatArray, delta: FloatArray) -> None:
        """Add ``factor_c δ_c δ_cᵀ`` of each class, in place."""
        add_squares(scatter, factor, delta, self.name)

    def of_columns(self, scatter: FloatArray, columns: NDArray[np.intp]) -> FloatArray:
        """The scatter of these features."""
        return scatter[..., columns[:, None], columns] if self.correlated else scatter[..., columns]

    def reduced(self, scatter: FloatArray, layout: ScatterLayout) -> FloatArray:
        """The array of another layout; only a full one can be reduced."""
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
        """The owner of scatter number `c` in a message."""
        return f" in class {names.class_name(c)}" if self.by_class else ""

    def _no_other(self, layout: ScatterLayout) -> DataError:
        return DataError(
            f"a {layout} scatter cannot be computed from a {self.name} one; fit again with these "
            "settings"
        )


LAYOUTS: dict[ScatterLayout, Layout] = {
    "full": Layout("full", by_class=True, correlated=True),
    "pooled": Layout("pooled", by_class=False, correlated=True),
    "diagonal": Layout("diagonal", by_class=True, correlated=False),
}
"""The layouts by their names; `gaussbayes.kernels.reference.scatter_shape` has their shapes."""


@dataclass(frozen=True, slots=True)
class ClassMoments:
    """Weight, mean and scatter of each class.

    The mean is ``anchor + offset``. The anchor is a float vector near the class's rows:
    ``x − anchor`` is exact for nearby floats, so the mean is the sum of two floats and rows far
    from zero lose no digits. The scatter ``Σ w (x − mean)(x − mean)ᵀ`` is centred, never divided
    and never regularised.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.statistics import summarise
    >>> left = summarise(np.array([[1.0], [2.0]]), np.zeros(2, np.int32), None, 1)
    >>> right = summarise(np.array([[6.0]]), np.zeros(1, np.int32), None, 1)
    >>> both = left + right
    >>> both.weight.tolist(), both.mean.tolist(), both.scatter.tolist()
    ([3.0], [[3.0]], [[[14.0]]])
    >>> both.without(right, Schema(np.arange(1), 1)).mean.tolist()
    [[1.5]]
    """

    weight: FloatArray  # (k,)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # full (k, d, d), pooled (d, d) or diagonal (k, d)
    layout: ScatterLayout
    peak: FloatArray | None = None
    """(m, d) the largest sums of squares before rows were removed, to which their rounding is
    proportional. None if
        no row was removed; model files do not keep it."""

    @property
    def n_classes(self) -> int:
        """The number of classes, with or without rows."""
        return int(self.weight.shape[0])

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.anchor.shape[1])

    @property
    def n_bytes(self) -> int:
        """Their memory in bytes."""
        arrays = (self.weight, self.anchor, self.offset, self.scatter)
        return sum(part.nbytes for part in arrays)

    @property
    def squares(self) -> FloatArray:
        """The sums of squares (m, d), as a view; m is 1 if summed over the classes."""
        return LAYOUTS[self.layout].squares(self.scatter)

    @property
    def most(self) -> FloatArray:
        """The largest previous sums of squares (m, d)."""
        return self.squares if self.peak is None else self.peak

    @property
    def mean(self) -> FloatArray:
        """The means (k, d), rounded to one float each."""
        return np.asarray(self.anchor + self.offset)

    def deviation(self, X: FloatArray, code: int | NDArray[np.intp]) -> FloatArray:
        """The deviations of rows (n, d) from the mean of a class, or of the class of each row.

        It is exact for rows near the anchor.
        """
        anchor, offset = (np.take(part.T, code, axis=1).T for part in (self.anchor, self.offset))
        deviation: FloatArray = X - anchor
        deviation -= offset
        return deviation

    def __add__(self, other: ClassMoments) -> ClassMoments:
        """The moments of the rows of both; see `gaussbayes.kernels.reference.merge`."""
        _check_alike(self, other)
        mine = self.weight, self.anchor, self.offset, self.scatter
        theirs = other.weight, other.anchor, other.offset, other.scatter
        weight, anchor, offset, scatter = kernels.active().merge(mine, theirs, self.layout)
        total = ClassMoments(weight, anchor, offset, scatter, self.layout)
        if self.peak is None and other.peak is None:
            return total
        return replace(total, peak=np.maximum(total.squares, np.maximum(self.most, other.most)))

    def without(self, other: ClassMoments, names: Schema) -> ClassMoments:
        """The moments of the rows of `self` without those of `other`.

        With a for `self`, b for `other`, ``δ = mean_b − mean_a`` and ``w = w_a − w_b``:
        ``mean = mean_a − δ w_b / w`` and ``scatter = S_a − S_b − (w_a w_b / w) δδᵀ``. Messages use
        `names`.

        Raises
        ------
        DataError
            If a weight or a sum of squares (of a feature or a combination of features) would become
            negative, if all rows are removed but the means differ, or if so little of a scatter
            would remain that its digits are lost.
        """
        _check_alike(self, other)
        layout = LAYOUTS[self.layout]
        weight = self.weight - other.weight
        tolerance = ROUNDING * self.weight
        if np.any(weight < -tolerance):
            code = int(np.argmin(weight))
            msg = (
                f"cannot remove weight {other.weight[code]:g} from class "
                f"{names.class_name(code)}, which has weight {self.weight[code]:g}: {ONLY_ADDED}"
            )
            raise DataError(msg)
        left = weight > tolerance
        weight = np.where(left, weight, 0.0)
        delta = _delta(self, other)
        _check_gone(self, delta, ~left, names)
        delta = np.where(left[:, None], delta, 0.0)
        proportion = divide(other.weight, weight)
        scatter = self.scatter - other.scatter
        layout.add_squares(scatter, -self.weight * proportion, delta)
        offset = self.offset - delta * proportion[:, None]
        if layout.by_class:
            scatter[~left] = 0.0
        _settle(scatter, weight, self, names)
        anchor, offset = np.where(left[:, None], (self.anchor, offset), 0.0)
        peak = np.where(left[:, None], self.most, 0.0) if layout.by_class else self.most.copy()
        return ClassMoments(weight, anchor, offset, scatter, self.layout, peak)

    def scaled(self, factor: float) -> ClassMoments:
        """The moments of the same rows with weights multiplied by `factor`."""
        peak = None if self.peak is None else self.peak * factor
        return replace(self, weight=self.weight * factor, scatter=self.scatter * factor, peak=peak)

    def aligned(self, positions: Sequence[int], n_classes: int) -> ClassMoments:
        """The same moments where class `i` has become number ``positions[i]`` of `n_classes`."""
        wider, where = (
            empty(n_classes, self.n_features, self.layout),
            np.asarray(positions, np.intp),
        )
        place(wider, where, self)
        peak = self.peak
        if peak is not None and LAYOUTS[self.layout].by_class:
            peak = np.zeros((n_classes, self.n_features))
            peak[where] = self.peak
        return replace(wider, peak=peak)

    def selected(self, codes: Sequence[int] | NDArray[np.intp]) -> ClassMoments:
        """Only the classes with these codes, in this order.

        A scatter summed over the classes is scaled, so that the shared covariance does not change.
        """
        where, scatter, peak = np.asarray(codes, dtype=np.intp), self.scatter, self.peak
        if LAYOUTS[self.layout].by_class:
            scatter, peak = scatter[where], None if peak is None else peak[where]
        elif not np.isin(np.flatnonzero(self.weight > 0), where).all():
            scatter = scatter * (self.weight[where].sum() / self.weight.sum())
        mean = self.anchor[where], self.offset[where]
        return ClassMoments(self.weight[where], *mean, scatter, self.layout, peak)

    def together(self) -> ClassMoments:
        """The moments of the rows of all classes, as those of one class."""
        layout: ScatterLayout = "diagonal" if self.layout == "diagonal" else "full"
        weight = self.weight.sum(keepdims=True)
        anchor = self.anchor[int(np.argmax(self.weight))]
        apart = np.where(self.weight[:, None] > 0, (self.anchor - anchor) + self.offset, 0.0)
        offset = divide(self.weight, np.broadcast_to(weight, self.weight.shape)) @ apart
        scatter = self.scatters(layout, shared=True).copy()
        for w, delta in zip(self.weight, apart - offset, strict=True):
            LAYOUTS[layout].add_squares(scatter, np.array([w]), delta[None])
        return ClassMoments(weight, anchor[None], offset[None], scatter, layout)

    def of_columns(self, columns: Sequence[int]) -> ClassMoments:
        """Only these features, in this order."""
        where = np.asarray(columns, dtype=np.intp)
        scatter = LAYOUTS[self.layout].of_columns(self.scatter, where)
        mean = self.anchor[:, where], self.offset[:, where]
        peak = None if self.peak is None else self.peak[:, where]
        return ClassMoments(self.weight, *mean, scatter, self.layout, peak)

    def with_layout(self, layout: ScatterLayout) -> ClassMoments:
        """Reduce the layout of the scatter; only a full one can be reduced."""
        if layout == self.layout:
            return self
        scatter, peak = LAYOUTS[self.layout].reduced(self.scatter, layout), self.peak
        if layout == "pooled" and peak is not None:
            peak = peak.sum(axis=0, keepdims=True)
        return replace(self, scatter=scatter, layout=layout, peak=peak)

    def scatters(self, layout: ScatterLayout, *, shared: bool) -> FloatArray:
        """The scatters (m, d, d) for "full", (m, d) for "diagonal"; m is 1 if shared, else k."""
        if shared:
            return LAYOUTS[self.layout].pooled(self.scatter, layout)
        return self.with_layout(layout).scatter


def empty(n_classes: int, n_features: int, layout: ScatterLayout) -> ClassMoments:
    """The moments of no rows: the identity of ``+``."""
    return ClassMoments(*zero_moments(n_classes, n_features, layout), layout)


def place(total: ClassMoments, where: NDArray[np.intp], part: ClassMoments) -> None:
    """Write the moments of some classes into an array of all."""
    total.weight[where] = part.weight
    total.anchor[where] = part.anchor
    total.offset[where] = part.offset
    total.scatter[where if LAYOUTS[part.layout].by_class else ...] = part.scatter


def _check_alike(a: ClassMoments, b: ClassMoments) -> None:
    if (a.layout, a.anchor.shape) != (b.layout, b.anchor.shape):
        msg = (
            f"moments of {a.n_classes} classes, {a.n_features} features and {a.layout} scatter do "
            f"not go with {b.n_classes} classes, {b.n_features} features and {b.layout} scatter"
        )
        raise DataError(msg)


def _delta(a: ClassMoments, b: ClassMoments) -> FloatArray:
    """``mean_b − mean_a`` (k, d), and 0 for classes without rows in either."""
    both = (a.weight > 0) & (b.weight > 0)
    delta: FloatArray = (b.anchor - a.anchor) + (b.offset - a.offset)
    return np.where(both[:, None], delta, 0.0)


def divide(part: FloatArray, whole: FloatArray) -> FloatArray:
    """A quotient; 0 if the denominator is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _check_gone(
    before: ClassMoments, delta: FloatArray, gone: NDArray[np.bool_], names: Schema
) -> None:
    """Raise if all rows of a class are to be removed, but the means differ by `delta`."""
    spread = ROUNDING * before.squares
    allowed = spread + before.weight[:, None] * np.square(_NOISE * before.mean)
    wrong = gone[:, None] & (before.weight[:, None] * np.square(delta) > allowed)
    if wrong.any():
        c, j = np.argwhere(wrong)[0].tolist()
        msg = (
            f"cannot remove all rows of class {names.class_name(c)} by rows whose mean of "
            f"{names.feature_name(j)} is another: {ONLY_ADDED}"
        )
        raise DataError(msg)


def _settle(scatter: FloatArray, weight: FloatArray, before: ClassMoments, names: Schema) -> None:
    """Raise if a removal left a feature, or a combination of them, a sum of squares below zero.

    Sums are measured in units of those before the removal, to which rounding is proportional;
    rounding errors become 0. `weight` (k,) is that of the remaining rows.
    """
    layout = LAYOUTS[before.layout]
    squares, original = layout.squares(scatter), layout.squares(before.scatter)
    # The rounding of removed means is proportional to them.
    reach = np.maximum(np.abs(before.anchor), np.abs(before.offset))
    slack = before.weight[:, None] * np.square(_NOISE * reach)
    below = squares + ROUNDING * original
    below += slack if layout.by_class else slack.sum(axis=0)
    if np.any(below < 0):
        c, j = (int(at) for at in np.unravel_index(int(np.argmin(below)), below.shape))
        msg = (
            f"removing these rows would make the sum of squares of {names.feature_name(j)}"
            f"{layout.owner(c, names)} {squares[c, j]:g}: {ONLY_ADDED}"
        )
        raise DataError(msg)
    _check_digits(squares, weight, before.most, layout, names)
    if not layout.correlated:
        return
    unit = np.sqrt(original)
    scale = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0)
    scaled = layout.stacked(scatter) * scale[:, :, None]
    scaled *= scale[:, None, :]
    np.einsum("mii->mi", scaled)[...] += ROUNDING
    good = cholesky(scaled)
    if good < scaled.shape[0]:
        msg = (
            "removing these rows would give a combination of the features a negative sum of "
            f"squares{layout.owner(good, names)}: {ONLY_ADDED}"
        )
        raise DataError(msg)
    # |sᵢⱼ| ≤ √(sᵢᵢ sⱼⱼ) up to the last digits: the scatter of a single row is exactly 0.
    root, products = np.sqrt(squares), layout.stacked(scatter)
    bound = root[:, :, None] * root[:, None, :]
    np.clip(products, -bound, bound, out=products, where=np.abs(products) > bound * (1 + ROUNDING))


def _check_digits(
    squares: FloatArray, weight: FloatArray, original: FloatArray, layout: Layout, names: Schema
) -> None:
    """Raise if a removal left so little of sums of squares (m, d) that it is mostly rounding.

    Without the removed rows a class may also be a single row, or constant in a feature: then the
    remainder becomes 0. This is assumed if the remainder may be rounding and is small beside the
    squares of all classes, or if nothing remains of these.
    """
    rounding = (squares <= _NOISE * original) | (original == 0)
    lost = rounding | (squares < _LEAST_LEFT * original)
    total = squares.sum(axis=0, where=~rounding)
    constant = np.maximum(squares, _NOISE * original) <= ROUNDING * total
    constant &= squares <= _ACCUMULATED * original
    constant |= rounding & (total == 0)
    if layout.by_class:
        constant |= (np.abs(weight - 1.0) <= ROUNDING)[:, None]  # a single row
    if (lost & ~constant).any():
        c, j = np.argwhere(lost & ~constant)[0].tolist()
        msg = (
            f"without these rows the sum of squares of {names.feature_name(j)}"
            f"{layout.owner(c, names)} would be less than {_LEAST_LEFT:g} of what it was, "
            f"{original[c, j]:g}, and its digits are lost: fit again without these rows"
        )
        raise DataError(msg)
    squares[lost] = 0.0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class GaussianStatistics:
    """The statistics of numeric rows of k classes.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.cells import observe
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

    def __add__(self, other: GaussianStatistics) -> GaussianStatistics:
        """The statistics of the rows of both, in the smaller of their layouts."""
        mine, theirs = self, other
        if self.moments.layout != other.moments.layout:
            layout = (other if self.moments.layout == "full" else self).moments.layout
            mine, theirs = self.with_layout(layout), other.with_layout(layout)
        cells = mine.cells or theirs.cells
        if mine.cells is not None and theirs.cells is not None:
            cells = mine.cells + theirs.cells
        return GaussianStatistics(mine.moments + theirs.moments, cells)

    def plus(self, other: GaussianStatistics, names: Schema) -> GaussianStatistics:
        return self + other  # errors of sums of numbers name no feature

    def without(self, other: GaussianStatistics, names: Schema) -> GaussianStatistics:
        """The statistics without those of some of the rows."""
        theirs, cells = other.with_layout(self.moments.layout), self.cells
        if theirs.cells is not None:
            cells = (cells or theirs.cells.taken(np.empty(0, np.intp))).without(theirs.cells, names)
        return GaussianStatistics(self.moments.without(theirs.moments, names), cells)

    def scaled(self, factor: float) -> GaussianStatistics:
        factor = finite_number("factor", factor, 0.0)
        cells = self.cells.scaled(factor) if self.cells is not None and factor else None
        return GaussianStatistics(self.moments.scaled(factor), cells)

    def selected(self, codes: Sequence[int]) -> GaussianStatistics:
        """Only the classes with these codes, in this order; see `ClassMoments.selected`."""
        cells = None if self.cells is None else self.cells.selected(codes)
        return GaussianStatistics(self.moments.selected(codes), cells)

    def aligned(self, positions: Sequence[int], n_classes: int) -> GaussianStatistics:
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        cells = None if self.cells is None else self.cells.aligned(positions)
        return GaussianStatistics(self.moments.aligned(positions, n_classes), cells)

    @property
    def is_pooled(self) -> bool:
        """Whether the scatter is pooled, so that no class can be removed from it."""
        return self.moments.layout == "pooled"

    def together(self) -> GaussianStatistics:
        cells = None if self.cells is None else self.cells.together()
        return GaussianStatistics(self.moments.together(), cells)

    def of_columns(self, columns: Sequence[int]) -> GaussianStatistics:
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

    def tested(self, other: GaussianStatistics, names: Schema) -> FamilyTests:
        """Whether means and covariances are those of other rows of the same classes."""
        from gaussbayes.families.gaussian.moment_tests import moment_tests

        return moment_tests(self, other, names)

    def scatters(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """The scatters of complete rows; see `gaussbayes.families.protocol.Scattered`."""
        if self.cells is not None or self.moments.layout == "diagonal":
            return None
        d = self.n_columns
        total = self.moments.together().scatter.reshape(d, d)
        return self.weight, self.moments.scatter, total

    def with_layout(self, layout: ScatterLayout) -> GaussianStatistics:
        """Reduce the layout of the scatter; see `ClassMoments.with_layout`."""
        if self.moments.layout == layout:
            return self
        cells = None if self.cells is None else self.cells.with_layout(layout)
        return GaussianStatistics(self.moments.with_layout(layout), cells)


def degrees(weight: FloatArray, divisor: Divisor, n_means: int) -> FloatArray:
    """The divisor of a scatter: its weight, minus the number of its means if unbiased."""
    return weight if divisor == "mle" else weight - n_means


def layout_for(
    layout: ScatterLayout, *, shared: bool, n_classes: int, n_columns: int
) -> ScatterLayout:
    """The layout of the statistics for covariances that need this layout, shared or not."""
    if shared and layout == "full" and n_classes * n_columns**2 > MOST_BY_CLASS:
        return "pooled"
    return layout


def summarise(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout = "full",
    threads: int = 1,
) -> ClassMoments:
    """The moments of complete rows; see `gaussbayes.families.gaussian.cells.observe`.

    The rows are read once for class codes, k times for soft labels. NaN is an error.
    """
    if targets.ndim == 2:
        labels = np.asarray(targets, np.float64)
        return _summarise_soft(X, labels, weights, layout, threads)
    if weights is not None:  # the inverse of a smaller number would overflow
        weights = np.where(weights < np.finfo(np.float64).tiny, 0.0, weights)
    accumulate = kernels.active().accumulate
    codes: CodeArray = np.ascontiguousarray(targets, dtype=np.int32)

    def summarise_block(rows: slice) -> ClassMoments:
        counted = None if weights is None else np.ascontiguousarray(weights[rows])
        parts = accumulate(X[rows], codes[rows], counted, n_classes, layout)
        weight, anchor, offset, scatter = parts
        return ClassMoments(weight, anchor, offset, scatter, layout)

    n, d = X.shape
    if n == 0:
        return empty(n_classes, d, layout)
    blocks = _row_blocks(n, d, n_classes, layout)
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
    if n * k <= _FEW_SOFT:  # each row as a row of every class: one call of the kernel
        every, codes = np.tile(as_matrix(X), (k, 1)), np.repeat(np.arange(k, dtype=np.int32), n)
        counted = labels if weights is None else labels * weights[:, None]
        return summarise(every, codes, counted.T.ravel(), k, layout, threads)
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
    """Divide rows into blocks by their shape alone, never by the number of threads.

    A block must be large enough for a thread (four megabytes of rows; eight if there are more than
    eight blocks, sixteen and four if nothing is multiplied, because then few threads use the full
    bandwidth of memory) and larger than the cost of merging its moments (a dozen times their size,
    up to 32 megabytes). Large moments give few blocks, because each block keeps its moments until
    they are merged. The number of blocks is a power of two, so that threads get equal numbers.
    """
    if n * d < 1 << 20:
        return [slice(0, n)]  # as below, sooner
    state = 8 * prod(scatter_shape(layout, k, d))
    most = 64 if state <= 1 << 17 else 16 if state <= 1 << 20 else 8 if state <= 1 << 22 else 2
    size = 8 * n * d
    large = min(size // 8, 1 << 23) if LAYOUTS[layout].correlated else min(size // 4, 1 << 24)
    worthwhile = max(1 << 22, large, min(12 * state, 1 << 25))
    blocks = max(1, min(most, size // worthwhile))
    return ranges(n, -(-n // (1 << (blocks.bit_length() - 1))))
