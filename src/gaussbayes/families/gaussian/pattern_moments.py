"""What incomplete rows say, summed: the moments of each class and pattern of what is there.

The likelihood of labelled rows of one class that have the same features depends on their weight,
mean and scatter alone. Such a *cell* merges and is removed exactly, as the moments of complete rows
are, so that rows with missing features can be learnt from in one pass, in parts, and be forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, RemovalError
from gaussbayes.base.patterns import group
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments, empty

MOST_CELL_BYTES = 512 << 20
"""Memory that cells may take. Beyond it nearly every row lacks something else."""

MOST_KEPT_BYTES = 64 << 20
"""Memory that cells may take which nobody asked for: a fit in memory can do without them."""


@dataclass(frozen=True, slots=True, eq=False)
class PatternMoments:
    """Moments of cells: rows of one class that have the same features, and not all of them.

    Cells are sorted by class, then by pattern; each comes once and weighs something. Where a
    feature is missing, mean and scatter are 0. Rows without any feature are a cell too: they count
    for the weight of their class. The layout is "full", or "diagonal" if no more is ever needed.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> rows, codes = np.array([[1.0, 0.0], [3.0, 0.0]]), np.zeros(2, np.int32)
    >>> lacking = np.array([[True, False]])
    >>> two = PatternMoments(codes[:1], lacking, summarise(rows, codes, None, 1))
    >>> (two + two).weight_of(2).tolist(), (two + two).moments.mean.tolist()
    ([4.0, 0.0], [[2.0, 0.0]])
    """

    codes: CodeArray  # (q,) class numbers
    observed: NDArray[np.bool_]  # (q, d) which features are there
    moments: ClassMoments  # of q cells

    def __post_init__(self) -> None:
        shape = self.moments.anchor.shape
        if self.codes.shape != shape[:1] or self.observed.shape != shape:
            msg = (
                f"moments of {shape[0]} cells and {shape[1]} features need codes {shape[:1]} and "
                f"observed {shape}, got {self.codes.shape} and {self.observed.shape}"
            )
            raise DataError(msg)

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return int(self.codes.size)

    @property
    def n_patterns(self) -> int:
        """How many different patterns there are, in any class."""
        return group(self.observed).n_patterns

    @property
    def bytes(self) -> int:
        """How much memory the cells take."""
        sums = self.moments
        parts = (self.codes, self.observed, sums.weight, sums.anchor, sums.offset, sums.scatter)
        return sum(part.nbytes for part in parts)

    def weight_of(self, n_classes: int) -> FloatArray:
        """How much the incomplete rows of each class weigh (k,)."""
        return np.bincount(self.codes, self.moments.weight, minlength=n_classes).astype(np.float64)

    def __add__(self, other: "PatternMoments") -> "PatternMoments":
        """The moments of the rows of both; cells that both have are merged."""
        codes, observed, number = unite_cells(
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.observed, other.observed]),
        )
        layout = self.moments.layout
        refuse_too_many(codes.size, observed, layout)
        mine, theirs = number[: self.n_cells], number[self.n_cells :]
        of_both, in_mine, in_theirs = np.intersect1d(
            mine, theirs, assume_unique=True, return_indices=True
        )
        shared = _some(self.moments, in_mine) + _some(other.moments, in_theirs)
        total = empty(codes.size, observed.shape[1], layout)
        for where, part in ((mine, self.moments), (theirs, other.moments), (of_both, shared)):
            _place(total, where, part)
        return PatternMoments(codes, observed, total)

    def without(self, other: "PatternMoments", schema: Schema) -> "PatternMoments":
        """The moments of the rows of `self` without those of `other`, which must be among them.

        Cells of which nothing is left are left out.

        Parameters
        ----------
        schema : what messages call the classes and features

        Raises
        ------
        RemovalError
            As `ClassMoments.without`, or if there is a cell that was never seen.
        """
        codes, _, number = unite_cells(
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.observed, other.observed]),
        )
        if codes.size > self.n_cells:
            strange = np.setdiff1d(number[self.n_cells :], number[: self.n_cells])
            cell = int(np.flatnonzero(number[self.n_cells :] == strange[0])[0])
            named = CellNames.of(other, schema)
            msg = (
                f"there are no rows of class {named.class_name(cell)} to be removed: "
                "remove only rows that were added"
            )
            raise RemovalError(msg)
        at = number[self.n_cells :]  # the cells of `self` are numbered as they stand
        touched = PatternMoments(self.codes[at], self.observed[at], _some(self.moments, at))
        left = touched.moments.without(other.moments, CellNames.of(touched, schema))
        rest = _some(self.moments, np.arange(self.n_cells))
        _place(rest, at, left)
        return self._chosen(np.flatnonzero(rest.weight > 0), rest)

    def aligned(self, places: Sequence[int]) -> "PatternMoments":
        """The same cells where class `i` has become number ``places[i]``."""
        codes = np.asarray(places, dtype=np.int32)[self.codes]
        order = np.argsort(codes, kind="stable")
        return replace(self._chosen(order), codes=codes[order])

    def of_classes(self, codes: Sequence[int]) -> "PatternMoments | None":
        """The cells of the classes with these numbers, which become 0, 1, …; None without any."""
        places = np.full(1 + max(self.codes.max(initial=0), *codes, 0), -1, dtype=np.int32)
        places[np.asarray(codes, dtype=np.intp)] = np.arange(len(codes))
        there = np.flatnonzero(places[self.codes] >= 0)
        return self._chosen(there).aligned(places.tolist()) if there.size else None

    def with_layout(self, layout: ScatterLayout) -> "PatternMoments":
        """Keep less of the scatter, if a model of this layout needs less; see `cell_layout`."""
        return replace(self, moments=self.moments.with_layout(cell_layout(layout)))

    def _chosen(
        self, cells: NDArray[np.intp], moments: ClassMoments | None = None
    ) -> "PatternMoments":
        chosen = _some(self.moments if moments is None else moments, cells)
        return PatternMoments(self.codes[cells], self.observed[cells], chosen)


@dataclass(frozen=True, slots=True)
class CellNames(Schema):
    """What messages call cells: the class, and the features that its rows lack."""

    cells: tuple[str, ...] = ()

    @classmethod
    def of(cls, cells: PatternMoments, schema: Schema) -> "CellNames":
        """The names of these cells."""
        names = tuple(
            f"{schema.class_name(code)} without {schema.feature_list(np.flatnonzero(~there))}"
            for code, there in zip(cells.codes.tolist(), cells.observed, strict=True)
        )
        return cls(schema.classes, schema.n_features, schema.features, cells=names)

    def class_name(self, code: int) -> str:
        """The cell as a message writes it."""
        return self.cells[code]


def cell_layout(layout: ScatterLayout) -> ScatterLayout:
    """How much of a cell's scatter a model needs that keeps this much of complete rows.

    Examples
    --------
    >>> cell_layout("pooled")
    'full'
    """
    return "diagonal" if layout == "diagonal" else "full"


def cell_bytes(n_cells: int, n_features: int, layout: ScatterLayout) -> int:
    """How much memory cells take.

    Examples
    --------
    >>> cell_bytes(1000, 20, "full")
    3552000
    """
    scatter = n_features if cell_layout(layout) == "diagonal" else n_features**2
    return n_cells * (8 * (scatter + 2 * n_features + 1) + n_features + 4)


def refuse_too_many(n_cells: int, observed: NDArray[np.bool_], layout: ScatterLayout) -> None:
    """Raise if so many cells, with these patterns (q, d) among them, would take too much memory."""
    d = observed.shape[1]
    size = cell_bytes(n_cells, d, layout)
    if size <= MOST_CELL_BYTES:
        return
    ways = "use fewer features, or leave out rows that lack what few others lack"
    if cell_layout(layout) == "full":
        ways += ", or choose a diagonal covariance, which needs less of each"
    msg = (
        f"the rows lack their features in {group(observed).n_patterns} different ways, "
        f"{n_cells} counted by class: to sum them apart takes {size >> 20} MB, more than "
        f"{MOST_CELL_BYTES >> 20}; {ways}"
    )
    raise DataError(msg)


def unite_cells(
    codes: CodeArray, observed: NDArray[np.bool_]
) -> tuple[CodeArray, NDArray[np.bool_], NDArray[np.intp]]:
    """The different pairs of class (n,) and pattern (n, d), sorted, and the number of each one's.

    Examples
    --------
    >>> there = np.array([[True, False], [False, True], [True, False]])
    >>> codes, observed, number = unite_cells(np.array([1, 0, 1], np.int32), there)
    >>> codes.tolist(), observed.tolist(), number.tolist()
    ([0, 1], [[False, True], [True, False]], [1, 0, 1])
    """
    found = group(observed)
    key = codes.astype(np.int64) * found.n_patterns + found.number
    cells, number = np.unique(key, return_inverse=True)
    owner, pattern = np.divmod(cells, max(1, found.n_patterns))
    return owner.astype(np.int32), found.observed[pattern], number.reshape(-1)


def _some(moments: ClassMoments, cells: NDArray[np.intp]) -> ClassMoments:
    """Copies of the moments of these cells."""
    weight, scatter = moments.weight[cells], moments.scatter[cells]
    return ClassMoments(
        weight, moments.anchor[cells], moments.offset[cells], scatter, moments.layout
    )


def _place(total: ClassMoments, cells: NDArray[np.intp], part: ClassMoments) -> None:
    """Write the moments of some cells into their places."""
    total.weight[cells] = part.weight
    total.anchor[cells] = part.anchor
    total.offset[cells] = part.offset
    total.scatter[cells] = part.scatter
