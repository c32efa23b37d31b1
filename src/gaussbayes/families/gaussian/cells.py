"""What rows with missing values say, summed: the moments of each class and pattern of values.

The likelihood of labelled rows of one class that have the same features depends on their weight,
mean and scatter alone. Such a *cell* merges and is removed exactly, as the moments of complete rows
are, so that rows with missing values can be summed in one pass, in parts, and be forgotten.

Weight, mean and sum of squares of each feature, over the rows that have a value of it, are all that
maximum likelihood needs for covariances without correlations: the likelihood of a row is a product
over the features it has. For full covariances they are where EM starts from, and the units that it
calculates in.
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
from gaussbayes.families.gaussian.structure import LEAVE_OUT_CORRELATIONS, Structure
from gaussbayes.kernels.arrays import Columns, as_matrix
from gaussbayes.kernels.reference import scatter_shape

MOST_CELL_BYTES = 512 << 20
"""Memory that cells may take."""

_WORD = 64
"""So many features are there or missing in one number, by which rows are sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The different patterns of rows, and the rows of each.

    ``order[starts[i]:starts[i + 1]]`` are the rows of pattern i, in the order they came. Patterns
    are sorted as text is, "missing" before "there": if there are complete rows their pattern is the
    last, if there are rows without any value it is the first.
    """

    observed: NDArray[np.bool_]  # (p, d) which features are there
    number: NDArray[np.intp]  # (n,) the pattern of each row
    order: NDArray[np.intp]  # (n,) rows, pattern after pattern
    starts: NDArray[np.intp]  # (p + 1,)

    @property
    def n_patterns(self) -> int:
        """How many different patterns there are."""
        return int(self.observed.shape[0])

    @property
    def size(self) -> NDArray[np.intp]:
        """How many rows have each pattern (p,)."""
        return np.diff(self.starts)

    def rows(self, pattern: int) -> NDArray[np.intp]:
        """The rows of one pattern."""
        return self.order[self.starts[pattern] : self.starts[pattern + 1]]


def patterns_of(X: RealArray) -> Patterns:
    """Group rows (n, d) by which of their features are not NaN."""
    return group(~np.isnan(X))


def group(observed: NDArray[np.bool_]) -> Patterns:
    """Group rows by which of their features are there (n, d)."""
    n, d = observed.shape
    words = _words(observed)
    order = _sorted(words, d)
    first = np.zeros(n, dtype=bool)
    first[:1] = True
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(n, dtype=np.intp)
    number[order] = np.cumsum(first) - 1
    starts = np.append(np.flatnonzero(first), n)
    return Patterns(observed[order[starts[:-1]]].reshape(-1, d), number, order, starts)


def _sorted(words: NDArray[Any], n_features: int) -> NDArray[np.intp]:
    """The order (n,) that sorts rows by their words; those alike stay in the order they came."""
    n = words.shape[1]
    room = n.bit_length()
    if n_features + room > 64:
        order: NDArray[np.intp] = np.lexsort(words[::-1])
        return order
    # Pattern and row in one number: sorting numbers is many times quicker than sorting places.
    both = (words[0] >> np.uint64(64 - n_features)) << np.uint64(room)
    both |= np.arange(n, dtype=np.uint64)
    both.sort()
    both &= np.uint64((1 << room) - 1)
    rows: NDArray[np.intp] = both.astype(np.intp)
    return rows


def _words(observed: NDArray[np.bool_]) -> NDArray[Any]:
    """The patterns as integers (words, n), 64 features in each."""
    n, d = observed.shape
    words = max(1, -(-d // _WORD))
    padded = np.zeros((n, words * _WORD), dtype=bool)
    padded[:, :d] = observed
    return np.packbits(padded).view(">u8").reshape(n, words).T.astype(np.uint64)


# The parts that have an entry for every cell.
_BY_CELL = ("codes", "observed", "weight", "anchor", "offset")


class _Cell(str):
    """The name of a cell, which messages write without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True, slots=True, eq=False)
class PatternMoments:
    """Moments of cells: rows of one class that have the same features, and not all of them.

    Cells are sorted by class, then by pattern; each comes once and weighs something. Where a
    feature is missing, mean and scatter are 0. Rows without any value are a cell too: they count
    for the weight of their class. Only cells whose rows differ have a scatter, so that a row with a
    pattern of its own takes no more room than the row. The layout is "full", or "diagonal" if no
    more is ever needed.
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
        """Cells from the moments of each, which are of the classes (q,) and patterns (q, d)."""
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
        """What messages call cells, as if they were classes: the class, and what is missing."""
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
        """Some of the cells, each once, in this order."""
        places = np.full(self.n_cells, -1)
        places[cells] = np.arange(cells.size)
        chosen = np.flatnonzero(places[self.varied] >= 0)
        chosen = chosen[np.argsort(places[self.varied[chosen]])]
        parts = {name: getattr(self, name)[cells] for name in _BY_CELL}
        varied = places[self.varied[chosen]]
        return replace(self, **parts, varied=varied, scatter=self.scatter[chosen])

    def __add__(self, other: "PatternMoments") -> "PatternMoments":
        """The moments of the rows of both; cells that both have are merged."""
        total = _merged(_joined([self, other]))
        check_size(total.n_cells, total.varied.size, total.observed, self.layout)
        return total

    def without(self, other: "PatternMoments", names: Schema) -> "PatternMoments":
        """The moments of the rows of `self` without those of `other`, which must be among them.

        Cells of which nothing is left are left out.
        """
        number = _numbers(self, other)
        mine, theirs = number[: self.n_cells], number[self.n_cells :]
        strange = np.flatnonzero(~np.isin(theirs, mine))
        if strange.size:
            cell = other.named(names).class_name(int(strange[0]))
            msg = f"there are no rows of class {cell} to be removed: {ONLY_ADDED}"
            raise DataError(msg)
        at = np.searchsorted(mine, theirs)  # the cells of `self` are numbered as they stand
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
        """Only these features; cells that have become alike are merged, some may be complete."""
        where = np.asarray(columns, dtype=np.intp)
        parts = {name: getattr(self, name)[:, where] for name in ("observed", "anchor", "offset")}
        scatter = LAYOUTS[self.layout].of_columns(self.scatter, where)
        return _merged(replace(self, **parts, scatter=scatter))

    def together(self) -> "PatternMoments":
        """The same cells as those of one class, number 0."""
        return _merged(replace(self, codes=np.zeros_like(self.codes)))

    def with_layout(self, layout: ScatterLayout) -> "PatternMoments":
        """Keep less of the scatter, if a model of this layout needs less; see `cell_layout`."""
        layout = cell_layout(layout)
        scatter = LAYOUTS[self.layout].reduced(self.scatter, layout)
        return replace(self, scatter=scatter, layout=layout)


def cell_layout(layout: ScatterLayout) -> ScatterLayout:
    """How much of a cell's scatter a model needs that keeps this much of complete rows."""
    return "diagonal" if layout == "diagonal" else "full"


def differs(scatter: FloatArray) -> NDArray[np.bool_]:
    """Which cells (v,) have rows that differ, by their scatters."""
    return np.asarray(scatter.any(axis=tuple(range(1, scatter.ndim))))


def check_size(
    n_cells: int, n_varied: int, observed: NDArray[np.bool_], layout: ScatterLayout
) -> None:
    """Raise if so many cells, of which `n_varied` have several rows, take too much memory."""
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
    simpler = [LEAVE_OUT_CORRELATIONS] if cell_layout(layout) == "full" else []
    raise DataError(msg).with_remedies(simpler)


def unite_cells(
    codes: CodeArray, observed: NDArray[np.bool_]
) -> tuple[CodeArray, NDArray[np.bool_], NDArray[np.intp]]:
    """The different pairs of class (n,) and pattern (n, d), sorted, and the number of each (n,)."""
    patterns = group(observed)
    key = codes.astype(np.int64) * patterns.n_patterns + patterns.number
    cells, number = np.unique(key, return_inverse=True)
    owner, pattern = np.divmod(cells, max(1, patterns.n_patterns))
    return owner.astype(np.int32), patterns.observed[pattern], number.reshape(-1)


def _numbers(*parts: PatternMoments) -> NDArray[np.intp]:
    """The number of each cell among the different ones of several."""
    codes = np.concatenate([part.codes for part in parts])
    return unite_cells(codes, np.concatenate([part.observed for part in parts]))[2]


def _combined(
    a: PatternMoments,
    b: PatternMoments,
    combine: Callable[[ClassMoments, ClassMoments, int], ClassMoments],
) -> PatternMoments:
    """Cells of two that are alike one by one, combined; some at a time, from a first one on."""
    step = rows_at_once(prod(scatter_shape(a.layout, 1, a.n_features)))
    parts = []
    for some in ranges(a.n_cells, step):
        where = np.arange(some.start, some.stop)
        total = combine(a.taken(where).dense(), b.taken(where).dense(), some.start)
        parts.append(PatternMoments.of(a.codes[where], a.observed[where], total))
    return _joined(parts) if parts else a


def _merged(cells: PatternMoments) -> PatternMoments:
    """Cells of which several may be alike, each once, sorted by class and pattern.

    Neighbours are merged two by two, so that sums are as balanced as their cells are many.
    """
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
    """Cells of several, one after the other."""
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
    """The statistics of labelled rows, of which some may have missing values (NaN).

    Rows are (n, d), float32 or float64, of any strides, or columns that lie apart; targets are
    class codes (n,), or soft labels (n, k): how much of a row belongs to each class. The result is
    the same, to the bit, for any number of threads. Infinity among the rows is an error, and so are
    patterns of missing values that take too much memory.
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
    """The cells of rows with missing values, given by their numbers; None if none of them weighs.

    A row that belongs to several classes in part is in a cell of each.
    """
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
    # Most cells may have one row only, of which nothing has to be summed.
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
    """Some rows, once for each class that they belong to: numbers, class codes and weights.

    Rows of weight 0 are dropped.
    """
    weight = np.ones(rows.size) if weights is None else weights[rows]
    codes: NDArray[Any] = targets[rows]
    if codes.ndim == 2:
        position, column = np.nonzero(codes)
        weight, rows, codes = weight[position] * codes[position, column], rows[position], column
    positive = weight > 0
    return rows[positive], codes[positive].astype(np.int32), weight[positive]


class FeatureMoments(NamedTuple):
    """Moments of each class and feature over the rows that have a value of the feature.

    The mean is ``anchor + offset``, as in `ClassMoments`; both are 0 where no row has a value. Of a
    scatter that is summed over the classes, all is with the first that has complete rows.
    """

    weight: FloatArray  # (k, d)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # (k, d) sums of squares about the mean

    def together(self) -> "FeatureMoments":
        """The moments of all rows, as those of one class."""
        return _merged_features(*(part[:, None] for part in self))

    def variance(self, structure: Structure) -> FloatArray:
        """The most likely variances (m, d) of uncorrelated features; 0 where no row has a value.

        Full covariances are treated as diagonal ones, those between as own ones.
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
        """The same, but for 0 the variance within all classes, or else that of all rows."""
        variance = self.variance(structure)
        if (variance > 0).all():
            return variance
        within = self.variance(Structure("diagonal", 1.0))
        overall = (self if together is None else together).together().variance(Structure())
        return np.where(variance > 0, variance, np.where(within > 0, within, overall))

    def supposed(self) -> "FeatureMoments":
        """The same, where nobody knows anything, by what is known of other rows.

        A class without a value of a feature has the mean of all rows there; a feature that does not
        vary among any rows has the variance 1.
        """
        weight, anchor, offset, scatter = self
        whole, absent = self.together(), weight == 0
        anchor = np.where(absent, whole.anchor, anchor)
        offset = np.where(absent, whole.offset, offset)
        flat = whole.scatter <= 0
        weight = np.where(flat, np.maximum(weight, 1.0), weight)
        return FeatureMoments(weight, anchor, offset, np.where(flat, weight, scatter))

    def check(self, names: Schema) -> None:
        """Raise if a class has no row with a value of a certain feature."""
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
    """The same over rows with missing values alone."""
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
    # Any float near the rows serves as anchor: differences to it are exact.
    middle = (weight * (anchor + offset)).sum(axis=0) / safe
    apart = np.where(weight > 0, (anchor - middle) + offset, 0.0)
    shift = (weight * apart).sum(axis=0) / safe
    squares = (scatter + weight * np.square(apart - shift)).sum(axis=0)
    return FeatureMoments(total, middle, shift, squares)
