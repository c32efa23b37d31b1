"""The statistics of a model: the product of its families' statistics, and the unlabelled rows.

Labelled rows are represented by their statistics, which merge and are removed exactly. Rows without
labels have no finite sufficient statistics, so the rows are kept. Beyond a limit only a sample is
kept, which is sufficient for parameters but not for updates.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import Mergeable, merge_blocks
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.protocol import Selective
from gaussbayes.model.settings import Settings

MOST_KEPT_BYTES = 64 << 20
"""Largest memory of unlabelled rows."""

FORGOTTEN = 1e-100
"""Proportion of the heaviest class's weight below which a class that decays is dropped.

Scatters would underflow next.
"""

_BLOCK = 1 << 14
"""Unlabelled rows in a block, for any number of threads."""

Sum = TypeVar("Sum", bound=Mergeable)


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Rows without labels and their weights, or a sample if they do not fit into memory."""

    n_rows: int
    rows: Rows | None  # None if the model file was written without them
    weights: FloatArray  # (m,) of the rows that are kept

    def kept(self, wanted_by: str) -> Rows:
        """All rows, for a step of this name that needs them."""
        if self.rows is None or self.rows.n_rows < self.n_rows:
            msg = (
                f"{wanted_by} needs the {self.n_rows:,} unlabelled rows that this model was fitted "
                f"to, but they are not kept: there were more than {MOST_KEPT_BYTES >> 20} MB of "
                "them, or the model file was written without them. Without them the model can "
                "predict, but cannot be updated or merged, nor forget rows; fit it again"
            )
            raise DataError(msg)
        return self.rows

    def reduce(self, function: Callable[[Rows, FloatArray], Sum], threads: int) -> Sum:
        """The sum of a function of blocks of rows and weights, the same for any threads."""
        rows = self.kept("estimating the parameters") if self.rows is None else self.rows

        def of_block(block: slice) -> Sum:
            return function(rows[block], self.weights[block])

        return merge_blocks(of_block, ranges(rows.n_rows, _BLOCK), threads)

    @property
    def n_bytes(self) -> int:
        """The memory of the rows, in bytes."""
        rows = self.rows
        size = 0 if rows is None else rows.matrix.nbytes + rows.codes.nbytes
        return int(size + self.weights.nbytes)

    def trimmed(self, beside: int = 0) -> "Unlabelled":
        """The rows, or a sample of one of 2, 4, 8 … with larger weights if they are many.

        `beside` is the memory of rows that will be added.
        """
        step = 1
        while self.n_bytes + beside > step * MOST_KEPT_BYTES:
            step *= 2
        if self.rows is None or step == 1:
            return self
        every = np.arange(0, self.rows.n_rows, step)
        return Unlabelled(self.n_rows, self.rows[every], step * self.weights[every])

    def scaled(self, factor: float) -> "Unlabelled":
        """The same rows with weights multiplied by `factor`."""
        return Unlabelled(self.n_rows, self.kept("decay"), factor * self.weights)

    def plus(self, other: "Unlabelled", schema: Schema) -> "Unlabelled":
        """The rows of both."""
        n_rows = self.n_rows + other.n_rows
        if self.rows is None or other.rows is None:
            return Unlabelled(n_rows, None, np.empty(0))
        mine, theirs = self.trimmed(other.n_bytes), other.trimmed(self.n_bytes)
        assert mine.rows is not None
        assert theirs.rows is not None
        # Parts of one table may be added without names.
        rows = mine.rows.joined(theirs.rows, schema.of_categories if schema.categorical else schema)
        return Unlabelled(n_rows, rows, np.concatenate([mine.weights, theirs.weights]))

    def without(self, other: "Unlabelled") -> "Unlabelled | None":
        """The rows without some of them; None if none remains."""
        rows, removed = self.kept("forget"), other.kept("forget")
        left = _row_difference(rows, self.weights, removed, other.weights)
        return Unlabelled(left.size, rows[left], self.weights[left]) if left.size else None


@dataclass(frozen=True, slots=True, eq=False)
class SufficientStatistics:
    """The statistics of each family; ``classes[i]`` is the label of class `i`.

    The labels are sorted. ``+`` unites the classes and adds the statistics of every family.
    """

    classes: LabelArray  # (k,)
    parts: tuple[Any, ...]  # Statistics, one for each component of the settings
    unlabelled: Unlabelled | None = None

    @property
    def weight(self) -> FloatArray:
        """The weights of the labelled rows of each class (k,)."""
        return np.asarray(self.parts[0].weight)

    @property
    def is_complete(self) -> bool:
        """Whether no value and no label is missing, so that closed forms hold."""
        return self.unlabelled is None and all(part.is_complete for part in self.parts)

    @property
    def n_bytes(self) -> int:
        """The memory of the statistics of labelled rows, in bytes."""
        return sum(part.n_bytes for part in self.parts)

    def __add__(self, other: "SufficientStatistics") -> "SufficientStatistics":
        return self.plus(other, None, None)

    def plus(
        self, other: "SufficientStatistics", settings: Settings | None, schema: Schema | None
    ) -> "SufficientStatistics":
        """The statistics of the rows of both, of all their classes; errors name the features."""
        mine, theirs = self, other
        same = self.classes.dtype == other.classes.dtype
        if not (same and np.array_equal(self.classes, other.classes)):
            united, of_self, of_other = unite(self.classes, other.classes)
            mine = self.aligned(of_self.tolist(), united)
            theirs = other.aligned(of_other.tolist(), united)
        # Sums of parts of one table have no errors about features.
        named = schema or Schema(self.classes, 1 << 20)
        names = [named] * len(self.parts) if settings is None else settings.names(named)
        parts = _map("plus", mine.parts, theirs.parts, names)
        rest = self.unlabelled or other.unlabelled
        if self.unlabelled is not None and other.unlabelled is not None:
            rest = self.unlabelled.plus(other.unlabelled, named)
        return SufficientStatistics(mine.classes, parts, rest)

    def without(
        self, other: "SufficientStatistics", settings: Settings, schema: Schema
    ) -> "SufficientStatistics":
        """The statistics without those of some of the rows; DataError if they are inconsistent.

        Classes without remaining rows are dropped.
        """
        classes, _, of_other = unite(self.classes, other.classes)
        if classes.size > self.classes.size:
            strange = np.setdiff1d(other.classes, self.classes).tolist()
            known = f"the classes are {self.classes.tolist()!r:.200}"
            msg = f"there are no rows of class {strange[0]!r} to be removed: {known}"
            raise DataError(msg)
        theirs = other.aligned(of_other.tolist(), self.classes)
        names = settings.names(schema)
        parts = _map("without", self.parts, theirs.parts, names)
        rest = self.unlabelled
        if other.unlabelled is not None:
            if rest is None:
                msg = "there are no unlabelled rows to be removed: remove only rows that were added"
                raise DataError(msg)
            rest = rest.without(other.unlabelled)
        return SufficientStatistics(self.classes, parts, rest).with_rows()

    def scaled(self, factor: float) -> "SufficientStatistics":
        """The statistics of the same rows with weights multiplied by `factor`.

        Classes of negligible weight (`FORGOTTEN`) are dropped.
        """
        rest = None if self.unlabelled is None else self.unlabelled.scaled(factor)
        scaled = SufficientStatistics(
            self.classes, tuple(part.scaled(factor) for part in self.parts), rest
        )
        weight = scaled.weight
        kept = np.flatnonzero(weight > FORGOTTEN * weight.max(initial=0.0))
        return scaled if kept.size == weight.size else scaled.selected(kept.tolist())

    def trimmed(self) -> "SufficientStatistics":
        """The statistics, with a sample of the unlabelled rows if they are too many."""
        rest = self.unlabelled
        return self if rest is None else replace(self, unlabelled=rest.trimmed())

    def with_rows(self) -> "SufficientStatistics":
        """The statistics without classes of weight 0."""
        heavy = self.weight > 0
        return self if heavy.all() else self.selected(np.flatnonzero(heavy).tolist())

    @property
    def is_pooled(self) -> bool:
        """Whether scatters are pooled, so that no class can be removed from them."""
        return any(getattr(part, "is_pooled", False) for part in self.parts)

    def selected(self, codes: Sequence[int]) -> "SufficientStatistics":
        """Only the classes with these codes, in this order."""
        which = np.asarray(codes, dtype=np.intp)
        parts = tuple(part.selected(codes) for part in self.parts)
        return SufficientStatistics(self.classes[which], parts, self.unlabelled)

    def aligned(self, positions: Sequence[int], classes: LabelArray) -> "SufficientStatistics":
        """The same where class `i` has become number ``positions[i]`` of more classes."""
        parts = tuple(part.aligned(positions, classes.shape[0]) for part in self.parts)
        return SufficientStatistics(classes, parts, self.unlabelled)

    def members(self, settings: Settings) -> "tuple[SufficientStatistics, ...]":
        """The statistics of each member of a pool, or these; unlabelled rows are of the first."""
        if not settings.is_pooled:
            return (self,)
        return (
            replace(self, parts=self.parts[:-1]),
            SufficientStatistics(self.classes, self.parts[-1:]),
        )

    def adapted(self, settings: Settings) -> "SufficientStatistics":
        """The statistics for families of other settings, if they are sufficient."""
        pairs = zip(settings.families, self.parts, strict=True)
        return replace(self, parts=tuple(family.adapted(part) for family, part in pairs))

    def of_columns(
        self, cuts: Sequence[tuple[int, Sequence[int]]], cut: Callable[[Rows], Rows]
    ) -> "SufficientStatistics":
        """Select columns of components, given by number; `cut` does the same for `Rows`."""
        parts = tuple(self.parts[number].of_columns(columns) for number, columns in cuts)
        rest = self.unlabelled
        if rest is not None and rest.rows is not None:
            rest = replace(rest, rows=cut(rest.rows))
        return SufficientStatistics(self.classes, parts, rest)


def observe(
    table: LabelledRows,
    settings: Settings,
    schema: Schema,
    threads: int = 1,
    *,
    keep_all: bool = False,
) -> SufficientStatistics:
    """The statistics of the labelled rows of a table, and its unlabelled rows.

    The classes of `schema` are those of the table. With `keep_all` all unlabelled rows are kept;
    see `SufficientStatistics.trimmed`.
    """
    targets = table.targets
    if not targets.n_unlabelled:
        parts = observe_parts(table.rows, targets, settings, schema, threads)
        return SufficientStatistics(table.classes, parts)
    check_values(table.rows, settings, schema)
    labelled = targets.labelled
    some, of_some = table.rows[labelled], targets[labelled]
    parts = observe_parts(some, of_some, settings, schema, threads)
    rest = _unlabelled_rows(table.rows[~labelled], targets[~labelled])
    statistics = SufficientStatistics(table.classes, parts, rest)
    return statistics if keep_all else statistics.trimmed()


def check_values(rows: Rows, settings: Settings, schema: Schema) -> None:
    """Raise for the first value that is infinite, or that its family does not allow."""
    of_numbers = schema.of_numbers
    check_finite(rows.matrix, names=of_numbers.features or of_numbers.places, allow_nan=True)
    parts, names_of_parts = settings.parts(rows, schema), settings.names(schema)
    for family, part, names in zip(settings.families, parts, names_of_parts, strict=True):
        if isinstance(family, Selective):
            family.check(part, names)


def observe_parts(
    rows: Rows, targets: Targets, settings: Settings, schema: Schema, threads: int = 1
) -> tuple[Any, ...]:
    """The statistics of every family, of labelled rows."""
    if len(settings.components) == 1:  # it has all features
        return (settings.components[0].family.observe(rows, targets, schema, threads),)
    parts, names_of_parts = settings.parts(rows, schema), settings.names(schema)
    columns = zip(settings.families, parts, names_of_parts, strict=True)
    return tuple(family.observe(part, targets, names, threads) for family, part, names in columns)


def _unlabelled_rows(rows: Rows, targets: Targets) -> Unlabelled | None:
    """Unlabelled rows; None if all weights are 0."""
    weights = targets.total_weights()
    if not weights.all():
        heavy = weights > 0
        rows, weights = rows[heavy], weights[heavy]
    return Unlabelled(rows.n_rows, rows, weights) if rows.n_rows else None


def _map(
    method: str, first: Sequence[Any], second: Sequence[Any], names: Sequence[Schema]
) -> tuple[Any, ...]:
    """Apply a method to each of the first, with the corresponding second as argument."""
    if len(first) != len(second):
        msg = f"rows of {len(first)} families and of {len(second)} are not of the same table"
        raise DataError(msg)
    triples = zip(first, second, names, strict=True)
    return tuple(getattr(a, method)(b, name) for a, b, name in triples)


def _row_difference(
    rows: Rows, weights: FloatArray, removed: Rows, their_weights: FloatArray
) -> NDArray[np.intp]:
    """The numbers of the rows that remain when others, with their weights, are removed."""
    places = defaultdict[bytes, list[int]](list)
    for number, key in enumerate(_keys(rows, weights)):
        places[key].append(number)
    left = np.ones(rows.n_rows, dtype=bool)
    removed = removed.with_categories(rows.categories)
    for number, key in enumerate(_keys(removed, their_weights)):
        if not places[key]:
            msg = f"unlabelled row {number} is not among those that the model was fitted to: "
            raise DataError(msg + "remove only rows that were added")
        left[places[key].pop()] = False
    return np.flatnonzero(left)


def _keys(rows: Rows, weights: FloatArray) -> list[bytes]:
    """Rows and their weights as bytes that are equal if and only if the rows are."""
    values = rows.matrix.astype(np.float64) + 0.0  # −0 is 0
    values[np.isnan(values)] = np.nan  # one NaN for all
    codes = np.ascontiguousarray(rows.codes)
    triples = zip(values, codes, weights.tolist(), strict=True)
    return [x.tobytes() + c.tobytes() + np.float64(w).tobytes() for x, c, w in triples]
