"""Sums over rows with missing values: the moments of each class and pattern of observed features.

The likelihood of labelled rows of one class with the same observed features depends on their
weight, mean and scatter alone. Such a *cell* merges and is removed exactly, like the moments of
complete rows. Rows with missing values can therefore be summed in one pass or in parts, and be
forgotten.

Weight, mean and sum of squares of each feature, over the rows with a value, are sufficient for
covariances without correlations: the likelihood of a row is a product over its observed features.
For full covariances they give the start and the units of EM.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError
from gaussbayes.base.threads import for_each, ranges, rows_at_once
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.statistics import (
    LAYOUTS,
    ONLY_ADDED,
    ClassMoments,
    GaussianStatistics,
    summarise,
)
from gaussbayes.families.gaussian.structure import NO_CORRELATIONS, Structure
from gaussbayes.kernels.arrays import Columns, as_matrix
from gaussbayes.kernels.reference import scatter_shape

MOST_CELL_BYTES = 512 << 20
"""Largest memory of cells."""

_WORD = 64
"""Number of features whose pattern is coded in one integer, for sorting rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct patterns of rows, and the rows of each.

    ``order[starts[i]:starts[i + 1]]`` are the rows of pattern i, in their original order. Patterns
    are sorted lexicographically, "missing" before "observed": the pattern of complete rows is the
    last, and that of rows without values the first.
    """

    observed: NDArray[np.bool_]  # (p, d) which features are observed
    number: NDArray[np.intp]  # (n,) the pattern of each row
    order: NDArray[np.intp]  # (n,) rows, pattern after pattern
    starts: NDArray[np.intp]  # (p + 1,)

    @property
    def n_patterns(self) -> int:
        """The number of distinct patterns."""
        return int(self.observed.shape[0])

    @property
    def size(self) -> NDArray[np.intp]:
        """The number of rows of each pattern (p,)."""
        return np.diff(self.starts)

    def rows(self, pattern: int) -> NDArray[np.intp]:
        """The rows of one pattern."""
        return self.order[self.starts[pattern] : self.starts[pattern + 1]]


def patterns_of(X: RealArray) -> Patterns:
    """Group rows (n, d) by which of their features are not NaN."""
    return group(~np.isnan(X))


def group(observed: NDArray[np.bool_]) -> Patterns:
    """Group rows by their observed features (n, d)."""
    n, d = observed.shape
    words = _words(observed)
    order: NDArray[np.intp] = np.lexsort(words[::-1])
    first = np.zeros(n, dtype=bool)
    first[:1] = True
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(n, dtype=np.intp)
    number[order] = np.cumsum(first) - 1
    starts = np.append(np.flatnonzero(first), n)
    return Patterns(observed[order[starts[:-1]]].reshape(-1, d), number, order, starts)


def _words(observed: NDArray[np.bool_]) -> NDArray[Any]:
    """The patterns as integers (words, n), 64 features in each."""
    n, d = observed.shape
    words = max(1, -(-d // _WORD))
    padded = np.zeros((n, words * _WORD), dtype=bool)
    padded[:, :d] = observed
    return np.packbits(padded).view(">u8").reshape(n, words).T.astype(np.uint64)


# The arrays with an entry for every cell.
_BY_CELL = ("codes", "observed", "weight", "anchor", "offset")


class _Cell(str):
    """The name of a cell, without quotes in messages."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True, slots=True, eq=False)
class PatternMoments:
    """Moments of cells: incomplete rows of one class with the same observed features.

    Cells are sorted by class, then by pattern; each occurs once, with a weight above 0. Mean and
    scatter of missing features are 0. Rows without values form a cell too, because they contribute
    to the weight of their class. Only cells whose rows differ have a scatter, so that a row with a
    unique pattern takes no more memory than the row. The layout is "full", or "diagonal" if that is
    sufficient.
    """

    codes: CodeArray  # (q,) class codes
    observed: NDArray[np.bool_]  # (q, d) which features have a value
    weight: FloatArray  # (q,)
    anchor: FloatArray  # (q, d)
    offset: FloatArray  # (q, d)
    varied: NDArray[np.intp]  # (v,) the cells that have a scatter, in increasing order
    scatter: FloatArray  # (v, d, d), or (v, d) if diagonal
    layout: ScatterLayout

    @classmethod
    def of(
        cls, codes: CodeArray, observed: NDArray[np.bool_], moments: ClassMoments
    ) -> "PatternMoments":
        """Cells from their moments, classes (q,) and patterns (q, d)."""
        varied = np.flatnonzero(differs(moments.scatter))
        mean = (moments.weight, moments.anchor, moments.offset)
        return cls(codes, observed, *mean, varied, moments.scatter[varied], moments.layout)

    @property
    def n_cells(self) -> int:
        return int(self.codes.size)

    @property
    def n_features(self) -> int:
        return int(self.observed.shape[1])

    @property
    def n_bytes(self) -> int:
        return self.scatter.nbytes + sum(int(getattr(self, name).nbytes) for name in _BY_CELL)

    def weight_of(self, n_classes: int) -> FloatArray:
        """The weights of the classes (k,)."""
        return np.bincount(self.codes, self.weight, minlength=n_classes).astype(np.float64)

    def named(self, names: Schema) -> Schema:
        """The names of cells in messages: the class and the missing features."""
        written = [
            _Cell(f"{names.class_name(code)} without {names.feature_list(np.flatnonzero(~known))}")
            for code, known in zip(self.codes.tolist(), self.observed, strict=True)
        ]
        return replace(names, classes=np.array(written, dtype=object))

    def dense(self) -> ClassMoments:
        """The moments with a scatter for every cell."""
        scatter = np.zeros(scatter_shape(self.layout, self.n_cells, self.n_features))
        scatter[self.varied] = self.scatter
        return ClassMoments(self.weight, self.anchor, self.offset, scatter, self.layout)

    def taken(self, cells: NDArray[np.intp]) -> "PatternMoments":
        """The cells with these numbers, in this order."""
        places = np.full(self.n_cells, -1)
        places[cells] = np.arange(cells.size)
        chosen = np.flatnonzero(places[self.varied] >= 0)
        chosen = chosen[np.argsort(places[self.varied[chosen]])]
        parts = {name: getattr(self, name)[cells] for name in _BY_CELL}
        varied = places[self.varied[chosen]]
        return replace(self, **parts, varied=varied, scatter=self.scatter[chosen])

    def __add__(self, other: "PatternMoments") -> "PatternMoments":
        """The moments of the rows of both; common cells are merged."""
        total = _merged(_joined([self, other]))
        check_size(total.n_cells, total.varied.size, total.observed, self.layout)
        return total

    def without(self, other: "PatternMoments", names: Schema) -> "PatternMoments":
        """The moments of the rows of `self` without those of `other`; empty cells are dropped."""
        number = _numbers(self, other)
        mine, theirs = number[: self.n_cells], number[self.n_cells :]
        strange = np.flatnonzero(~np.isin(theirs, mine))
        if strange.size:
            cell = other.named(names).class_name(int(strange[0]))
            msg = f"there are no rows of class {cell} to be removed: {ONLY_ADDED}"
            raise DataError(msg)
        at = np.searchsorted(mine, theirs)  # the numbers of the cells of `self` do not change
        touched = self.taken(at)
        called = touched.named(names)

        def removed(a: ClassMoments, b: ClassMoments, first: int) -> ClassMoments:
            return a.without(b, replace(called, classes=called.classes[first:]))

        left = _combined(touched, other, removed)
        rest = self.taken(np.setdiff1d(np.arange(self.n_cells), at))
        return _merged(_joined([rest, left.taken(np.flatnonzero(left.weight > 0))]))

    def scaled(self, factor: float) -> "PatternMoments":
        scaled = replace(self, weight=self.weight * factor, scatter=self.scatter * factor)
        heavy = scaled.weight > 0  # the smallest numbers may become 0
        return scaled if heavy.all() else scaled.taken(np.flatnonzero(heavy))

    def aligned(self, positions: Sequence[int]) -> "PatternMoments":
        codes = np.asarray(positions, dtype=np.int32)[self.codes]
        order = np.argsort(codes, kind="stable")
        return replace(self.taken(order), codes=codes[order])

    def selected(self, codes: Sequence[int]) -> "PatternMoments":
        positions = np.full(1 + max(self.codes.max(initial=0), *codes, 0), -1, dtype=np.int32)
        positions[np.asarray(codes, dtype=np.intp)] = np.arange(len(codes))
        chosen = np.flatnonzero(positions[self.codes] >= 0)
        return self.taken(chosen).aligned(positions.tolist())

    def of_columns(self, columns: Sequence[int]) -> "PatternMoments":
        """Only these features; equal cells are merged, and some may become complete."""
        where = np.asarray(columns, dtype=np.intp)
        parts = {name: getattr(self, name)[:, where] for name in ("observed", "anchor", "offset")}
        scatter = LAYOUTS[self.layout].of_columns(self.scatter, where)
        return _merged(replace(self, **parts, scatter=scatter))

    def together(self) -> "PatternMoments":
        """The same cells as those of one class, number 0."""
        return _merged(replace(self, codes=np.zeros_like(self.codes)))

    def with_layout(self, layout: ScatterLayout) -> "PatternMoments":
        """Reduce the scatter to the needs of a model of this layout; see `cell_layout`."""
        layout = cell_layout(layout)
        scatter = LAYOUTS[self.layout].reduced(self.scatter, layout)
        return replace(self, scatter=scatter, layout=layout)


def cell_layout(layout: ScatterLayout) -> ScatterLayout:
    """The layout of cells for a layout of complete rows."""
    return "diagonal" if layout == "diagonal" else "full"


def differs(scatter: FloatArray) -> NDArray[np.bool_]:
    """Which cells (v,) have distinct rows, by their scatters."""
    return np.asarray(scatter.any(axis=tuple(range(1, scatter.ndim))))


def check_size(
    n_cells: int, n_varied: int, observed: NDArray[np.bool_], layout: ScatterLayout
) -> None:
    """Raise if this number of cells, `n_varied` of them with scatters, takes too much memory."""
    d = observed.shape[1]
    entries = prod(scatter_shape(cell_layout(layout), n_varied, d))
    size = 8 * entries + n_cells * (8 * (2 * d + 1) + d + 4)
    if size <= MOST_CELL_BYTES:
        return
    msg = (
        f"the rows have {group(observed).n_patterns} different patterns of missing values, "
        f"{n_cells} counted by class; their statistics take {size >> 20} MB, more than "
        f"{MOST_CELL_BYTES >> 20}. Use fewer features, or drop rows in which a rare combination is "
        "missing"
    )
    simpler = [NO_CORRELATIONS] if cell_layout(layout) == "full" else []
    raise DataError(msg).with_remedies(simpler)


def unite_cells(
    codes: CodeArray, observed: NDArray[np.bool_]
) -> tuple[CodeArray, NDArray[np.bool_], NDArray[np.intp]]:
    """Sort the distinct pairs of class (n,) and pattern (n, d); the pair of each row (n,)."""
    patterns = group(observed)
    key = codes.astype(np.int64) * patterns.n_patterns + patterns.number
    cells, number = np.unique(key, return_inverse=True)
    owner, pattern = np.divmod(cells, max(1, patterns.n_patterns))
    return owner.astype(np.int32), patterns.observed[pattern], number.reshape(-1)


def _numbers(*parts: PatternMoments) -> NDArray[np.intp]:
    """The number of each cell among the distinct cells of several."""
    codes = np.concatenate([part.codes for part in parts])
    return unite_cells(codes, np.concatenate([part.observed for part in parts]))[2]


def _combined(
    a: PatternMoments,
    b: PatternMoments,
    combine: Callable[[ClassMoments, ClassMoments, int], ClassMoments],
) -> PatternMoments:
    """Combine corresponding cells of two, in blocks."""
    step = rows_at_once(prod(scatter_shape(a.layout, 1, a.n_features)))
    parts = []
    for some in ranges(a.n_cells, step):
        where = np.arange(some.start, some.stop)
        total = combine(a.taken(where).dense(), b.taken(where).dense(), some.start)
        parts.append(PatternMoments.of(a.codes[where], a.observed[where], total))
    return _joined(parts) if parts else a


def _merged(cells: PatternMoments) -> PatternMoments:
    """Sort cells by class and pattern, and merge equal ones in pairs, as a balanced tree."""
    while True:
        number = _numbers(cells)
        order = np.argsort(number, kind="stable")
        ordered = number[order]
        rank = np.arange(ordered.size) - np.searchsorted(ordered, ordered)
        second = np.flatnonzero(rank % 2)
        if not second.size:
            return cells.taken(order)
        pairs = cells.taken(order[second - 1]), cells.taken(order[second])
        alone = np.setdiff1d(order, order[np.concatenate([second - 1, second])])
        cells = _joined([_combined(*pairs, lambda a, b, _: a + b), cells.taken(alone)])


def _joined(parts: Sequence[PatternMoments]) -> PatternMoments:
    """Concatenate cells."""
    starts = np.cumsum([0] + [part.n_cells for part in parts])
    varied = [first + part.varied for first, part in zip(starts[:-1], parts, strict=True)]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*_BY_CELL, "scatter")
    }
    return replace(parts[0], **joined, varied=np.concatenate(varied))


def observe(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout,
    names: Schema | None = None,
    threads: int = 1,
) -> GaussianStatistics:
    """The statistics of labelled rows, some of which may have missing values (NaN).

    Rows are (n, d), float32 or float64, of any strides, or separate columns; targets are class
    codes (n,) or soft labels (n, k). The result is the same, to the bit, for any number of threads.
    Infinite values and patterns of missing values that take too much memory raise an error.
    """
    rows = as_matrix(X)
    called = None if names is None else names.features or names.places
    check_finite(rows, 0, called, allow_nan=True)
    whole = ~np.isnan(rows).any(axis=1)
    cells = _cells_of(rows, np.flatnonzero(~whole), targets, weights, layout, threads)
    weights = None if weights is None else weights[whole]
    moments = summarise(rows[whole], targets[whole], weights, n_classes, layout, threads)
    return GaussianStatistics(moments, cells)


def _cells_of(
    X: RealArray,
    rows: NDArray[np.intp],
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    layout: ScatterLayout,
    threads: int,
) -> PatternMoments | None:
    """The cells of rows with missing values, given by their numbers; None if all weights are 0."""
    rows, codes, counted = _by_class(rows, targets, weights)
    if not rows.size:
        return None
    owner, observed, number = unite_cells(codes, ~np.isnan(X[rows]))
    order = np.argsort(number, kind="stable")
    rows, counted = rows[order], counted[order]
    starts = np.searchsorted(number[order], np.arange(owner.size + 1))
    size = np.diff(starts)
    many = np.flatnonzero(size > 1)
    check_size(owner.size, many.size, observed, layout)
    # Most cells may have only one row, which needs no sums.
    anchor = np.where(observed, X[rows[starts[:-1]]], 0.0)
    weight, layout, d = counted[starts[:-1]], cell_layout(layout), X.shape[1]
    offset, scatter = np.zeros(anchor.shape), np.zeros(scatter_shape(layout, many.size, d))
    blocks = ranges(many.size, rows_at_once(prod(scatter_shape(layout, 1, d))))

    def sum_block(some: slice) -> None:
        cells = many[some]
        where = np.concatenate([np.arange(starts[cell], starts[cell + 1]) for cell in cells])
        values = X[rows[where]]
        values[np.isnan(values)] = 0.0
        codes = np.repeat(np.arange(cells.size, dtype=np.int32), size[cells])
        alone = threads if len(blocks) == 1 else 1
        part = summarise(values, codes, counted[where], cells.size, layout, alone)
        weight[cells], anchor[cells] = part.weight, part.anchor
        offset[cells], scatter[some] = part.offset, part.scatter

    for_each(sum_block, blocks, threads)
    varied = differs(scatter)
    scatter = scatter if varied.all() else scatter[varied]
    return PatternMoments(owner, observed, weight, anchor, offset, many[varied], scatter, layout)


def _by_class(
    rows: NDArray[np.intp], targets: CodeArray | FloatArray, weights: FloatArray | None
) -> tuple[NDArray[np.intp], CodeArray, FloatArray]:
    """Row numbers, class codes and weights of all labels of some rows with a weight above 0."""
    weight = np.ones(rows.size) if weights is None else weights[rows]
    codes: NDArray[Any] = targets[rows]
    if codes.ndim == 2:
        position, column = np.nonzero(codes)
        weight, rows, codes = weight[position] * codes[position, column], rows[position], column
    positive = weight > 0
    return rows[positive], codes[positive].astype(np.int32), weight[positive]


class FeatureMoments(NamedTuple):
    """Moments of each class and feature over the rows that have a value of the feature.

    Moments of each class and feature over the rows with a value of the feature. is ``anchor +
    offset``, as in `ClassMoments`; both are 0 if no row has a value. A scatter that is summed over
    the classes is assigned to the first class with complete rows.
    """

    weight: FloatArray  # (k, d)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # (k, d) sums of squares about the mean

    def together(self) -> "FeatureMoments":
        """The moments of all rows, as those of one class."""
        return _merged_features(*(part[:, None] for part in self))

    def variance(self, structure: Structure) -> FloatArray:
        """The most likely variances (m, d) of uncorrelated features; 0 if no row has a value.

        Full covariances are treated as diagonal ones, partially pooled ones as class-specific.
        """
        scatter, weight = self.scatter, self.weight
        if structure.shared:
            scatter, weight = scatter.sum(axis=0, keepdims=True), weight.sum(axis=0, keepdims=True)
        shape = scatter.shape
        if structure.shape.isotropic:
            scatter, weight = scatter.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
        variance = np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0)
        return np.broadcast_to(variance, shape).copy()

    def positive_variance(
        self, structure: Structure, together: "FeatureMoments | None" = None
    ) -> FloatArray:
        """Replace variances of 0 by the variance within all classes, or else of all rows."""
        variance = self.variance(structure)
        if (variance > 0).all():
            return variance
        within = self.variance(Structure("diagonal", 1.0))
        overall = (self if together is None else together).together().variance(Structure())
        return np.where(variance > 0, variance, np.where(within > 0, within, overall))

    def supposed(self) -> "FeatureMoments":
        """The moments with assumptions for undefined ones.

        A class without a value of a feature gets the mean of all rows; a feature that varies among
        no rows gets the variance 1.
        """
        weight, anchor, offset, scatter = self
        whole, absent = self.together(), weight == 0
        anchor = np.where(absent, whole.anchor, anchor)
        offset = np.where(absent, whole.offset, offset)
        flat = whole.scatter <= 0
        weight = np.where(flat, np.maximum(weight, 1.0), weight)
        return FeatureMoments(weight, anchor, offset, np.where(flat, weight, scatter))

    def check(self, names: Schema) -> None:
        """Raise if a class has no row with a value of a feature."""
        absent = self.weight == 0
        if absent.any():
            c = int(np.argmax(absent.any(axis=1)))
            columns = np.flatnonzero(absent[c]).tolist()
            msg = (
                f"class {names.class_name(c)} has no labelled row with "
                f"{names.feature_list(columns)}, so that its mean is not defined there; add such "
                "a row, or exclude the class or these features"
            )
            raise DataError(msg)


def feature_moments(statistics: GaussianStatistics) -> FeatureMoments:
    """The moments of each class and feature over the rows that have a value of the feature."""
    whole = statistics.moments
    k, d = whole.anchor.shape
    squares = whole.squares
    if squares.shape[0] < k:
        pooled, squares = squares, np.zeros((k, d))
        squares[int(np.argmax(whole.weight > 0))] = pooled[0]
    weight = np.repeat(whole.weight[:, None], d, axis=1)
    complete = FeatureMoments(weight, whole.anchor, whole.offset, squares)
    if statistics.cells is None:
        return complete
    others = moments_of_cells(statistics.cells, k)
    return _merged_features(*(np.stack(pair) for pair in zip(complete, others, strict=True)))


def moments_of_cells(cells: PatternMoments, n_classes: int) -> FeatureMoments:
    """The same moments over the incomplete rows alone."""
    squares = np.zeros(cells.anchor.shape)
    squares[cells.varied] = LAYOUTS[cells.layout].squares(cells.scatter)
    weight = cells.observed * cells.weight[:, None]
    total = FeatureMoments(*np.zeros((4, n_classes, cells.n_features)))
    edges = np.searchsorted(cells.codes, np.arange(n_classes + 1)).tolist()
    for c, (first, end) in enumerate(pairwise(edges)):
        some = (part[first:end] for part in (weight, cells.anchor, cells.offset, squares))
        for whole, part in zip(total, _merged_features(*some), strict=True):
            whole[c] = part
    return total


def _merged_features(
    weight: FloatArray, anchor: FloatArray, offset: FloatArray, scatter: FloatArray
) -> FeatureMoments:
    """Moments of several parts (r, …, d), merged feature by feature."""
    total = weight.sum(axis=0)
    safe = np.where(total > 0, total, 1.0)
    # Any float near the rows can be the anchor: differences to it are exact.
    middle = (weight * (anchor + offset)).sum(axis=0) / safe
    apart = np.where(weight > 0, (anchor - middle) + offset, 0.0)
    shift = (weight * apart).sum(axis=0) / safe
    squares = (scatter + weight * np.square(apart - shift)).sum(axis=0)
    return FeatureMoments(total, middle, shift, squares)
