"""The statistics of a model: the product of its families' statistics, and the unlabelled rows.

Labelled rows are known by their statistics, which merge and are removed exactly. Rows without
labels have no finite sufficient statistic: they are kept as they are, up to a limit; beyond it only
what they say together, as rows of one class, and the parameters they helped to estimate.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import Mergeable, merge_blocks
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.families.protocol import Selective
from gaussbayes.model.settings import Settings

MOST_KEPT_BYTES = 64 << 20
"""Memory that unlabelled rows may take."""

FORGOTTEN = 1e-100
"""Proportion of the heaviest class's weight below which a class that decays is no class any more.

Scatters would underflow next.
"""

_BLOCK = 1 << 14
"""Unlabelled rows that are worked on at a time, whatever the number of threads."""

Sum = TypeVar("Sum", bound=Mergeable)


class RowReduction(Protocol):
    """Rows that can be read again and again: each time a function of every block is summed."""

    def reduce(self, function: Callable[[Rows, FloatArray], Sum], threads: int) -> Sum:
        """The sum of a function of rows and their weights, in one fixed order."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptRows:
    """Unlabelled rows in memory, with their weights."""

    rows: Rows
    weights: FloatArray  # (n,)

    @property
    def n_bytes(self) -> int:
        """How much memory they take."""
        return int(self.rows.matrix.nbytes + self.rows.codes.nbytes + self.weights.nbytes)

    def reduce(self, function: Callable[[Rows, FloatArray], Sum], threads: int) -> Sum:
        """The sum of a function of blocks of rows, the same for any number of threads."""

        def of_block(block: slice) -> Sum:
            return function(self.rows[block], self.weights[block])

        return merge_blocks(of_block, ranges(self.rows.n_rows, _BLOCK), threads)


@dataclass(frozen=True, slots=True, eq=False)
class Unlabelled:
    """Rows without labels: what they say together, and the rows themselves if they are kept."""

    n_rows: int
    together: tuple[Any, ...]  # each family's statistics, the rows being those of one class
    rows: KeptRows | None  # None if there are too many, or a file was written without them

    def kept(self, wanted_by: str) -> KeptRows:
        """The rows, for a step of this name that needs them."""
        if self.rows is None:
            msg = (
                f"{wanted_by} needs the {self.n_rows:,} unlabelled rows that this model was fitted "
                f"to, but they are not kept: there were more than {MOST_KEPT_BYTES >> 20} MB of "
                "them, or the model file was written without them. Without them the model can "
                "predict, but cannot be updated or merged, nor forget rows; fit it again"
            )
            raise DataError(msg)
        return self.rows

    def scaled(self, factor: float) -> "Unlabelled":
        """The same rows, each counting `factor` times as much."""
        together = tuple(part.scaled(factor) for part in self.together)
        kept = self.kept("decay")
        return Unlabelled(self.n_rows, together, replace(kept, weights=factor * kept.weights))

    def trimmed(self) -> "Unlabelled":
        """The same without the rows if they are too many to be kept."""
        small = self.rows is not None and self.rows.n_bytes <= MOST_KEPT_BYTES
        return self if small else replace(self, rows=None)

    def plus(self, other: "Unlabelled", names: Sequence[Schema], schema: Schema) -> "Unlabelled":
        """The rows of both; they are kept if both are and they are not too many."""
        together = _map("plus", self.together, other.together, names)
        kept = None
        if self.rows is not None and other.rows is not None:
            # Parts of one table may be added without names.
            of_categories = schema.of_categories if schema.categorical else schema
            rows = self.rows.rows.joined(other.rows.rows, of_categories)
            kept = KeptRows(rows, np.concatenate([self.rows.weights, other.rows.weights]))
        return Unlabelled(self.n_rows + other.n_rows, together, kept).trimmed()

    def without(self, other: "Unlabelled", names: Sequence[Schema]) -> "Unlabelled | None":
        """The rows without others, each of which must be among them; None if none is left."""
        mine, gone = self.kept("forget"), other.kept("forget")
        left = _row_difference(mine, gone)
        if not left.size:
            return None
        together = _map("without", self.together, other.together, names)
        return Unlabelled(left.size, together, KeptRows(mine.rows[left], mine.weights[left]))


@dataclass(frozen=True, slots=True, eq=False)
class SufficientStatistics:
    """The statistics of each family, class `i` of which is called ``classes[i]``.

    The labels are sorted. With ``+`` classes are united and every family's statistics added.
    """

    classes: LabelArray  # (k,)
    parts: tuple[Any, ...]  # Statistics, one for each component of the settings
    unlabelled: Unlabelled | None = None

    @property
    def weight(self) -> FloatArray:
        """How much the labelled rows of each class weigh (k,)."""
        return np.asarray(self.parts[0].weight)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing, neither a value nor a label: closed forms hold."""
        return self.unlabelled is None and all(part.is_complete for part in self.parts)

    @property
    def n_bytes(self) -> int:
        """How much memory the statistics of labelled rows take."""
        return sum(part.n_bytes for part in self.parts)

    def __add__(self, other: "SufficientStatistics") -> "SufficientStatistics":
        return self.plus(other, None, None)

    def plus(
        self, other: "SufficientStatistics", settings: Settings | None, schema: Schema | None
    ) -> "SufficientStatistics":
        """What the rows of both say, for the classes of either; errors name the features."""
        mine, theirs = self, other
        same = self.classes.dtype == other.classes.dtype
        if not (same and np.array_equal(self.classes, other.classes)):
            united, of_self, of_other = unite(self.classes, other.classes)
            mine = self.aligned(of_self.tolist(), united)
            theirs = other.aligned(of_other.tolist(), united)
        # Nothing can be wrong with a feature in sums of parts of one table.
        named = schema or Schema(self.classes, 1 << 20)
        names = [named] * len(self.parts) if settings is None else settings.names(named)
        parts = _map("plus", mine.parts, theirs.parts, names)
        rest = self.unlabelled or other.unlabelled
        if self.unlabelled is not None and other.unlabelled is not None:
            rest = self.unlabelled.plus(other.unlabelled, names, named)
        return SufficientStatistics(mine.classes, parts, rest)

    def without(
        self, other: "SufficientStatistics", settings: Settings, schema: Schema
    ) -> "SufficientStatistics":
        """What the rows say without others among them; DataError if they cannot be.

        Classes of which no row is left are left out.
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
            rest = rest.without(other.unlabelled, names)
        return SufficientStatistics(self.classes, parts, rest).with_rows()

    def scaled(self, factor: float) -> "SufficientStatistics":
        """What the rows say if each counts `factor` times as much.

        Classes that have come to weigh next to nothing (`FORGOTTEN`) are left out.
        """
        rest = None if self.unlabelled is None else self.unlabelled.scaled(factor)
        scaled = SufficientStatistics(
            self.classes, tuple(part.scaled(factor) for part in self.parts), rest
        )
        weight = scaled.weight
        kept = np.flatnonzero(weight > FORGOTTEN * weight.max(initial=0.0))
        return scaled if kept.size == weight.size else scaled.selected(kept.tolist())

    def trimmed(self) -> "SufficientStatistics":
        """The same without unlabelled rows that are too many to be kept."""
        rest = self.unlabelled
        return self if rest is None else replace(self, unlabelled=rest.trimmed())

    def with_rows(self) -> "SufficientStatistics":
        """Without the classes that weigh nothing."""
        heavy = self.weight > 0
        return self if heavy.all() else self.selected(np.flatnonzero(heavy).tolist())

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
        rest = self.unlabelled
        rest = None if rest is None else replace(rest, together=rest.together[:-1])
        return (
            SufficientStatistics(self.classes, self.parts[:-1], rest),
            SufficientStatistics(self.classes, self.parts[-1:]),
        )

    def adapted(self, settings: Settings) -> "SufficientStatistics":
        """The same for families of other settings, if these have what they need."""
        pairs = zip(settings.families, self.parts, strict=True)
        return replace(self, parts=tuple(family.adapted(part) for family, part in pairs))

    def of_columns(
        self, cuts: Sequence[tuple[int, Sequence[int]]], cut: Any
    ) -> "SufficientStatistics":
        """Of some components, given by number, some of their columns; `cut` does so of `Rows`."""
        parts = tuple(self.parts[number].of_columns(columns) for number, columns in cuts)
        rest = self.unlabelled
        if rest is not None:
            together = tuple(rest.together[number].of_columns(columns) for number, columns in cuts)
            kept = None if rest.rows is None else replace(rest.rows, rows=cut(rest.rows.rows))
            rest = Unlabelled(rest.n_rows, together, kept)
        return SufficientStatistics(self.classes, parts, rest)


def observe(
    table: LabelledRows,
    settings: Settings,
    schema: Schema,
    threads: int = 1,
    *,
    keep_all: bool = False,
) -> SufficientStatistics:
    """What a table says: statistics of its labelled rows, and its unlabelled rows.

    The classes of `schema` are those of the table. With `keep_all` unlabelled rows are kept however
    many they are; see `SufficientStatistics.trimmed`.
    """
    targets = table.targets
    if not targets.n_unlabelled:
        parts = observe_parts(table.rows, targets, settings, schema, threads)
        return SufficientStatistics(table.classes, parts)
    some, others = targets.labelled, ~targets.labelled
    more = (settings, schema, threads)
    try:
        parts = observe_parts(table.rows[some], targets[some], *more)
        rest = _unlabelled_rows(table.rows[others], targets[others], *more)
    except DataError:
        check_values(table.rows, settings, schema)  # names the row among all
        raise
    statistics = SufficientStatistics(table.classes, parts, rest)
    return statistics if keep_all else statistics.trimmed()


def check_values(rows: Rows, settings: Settings, schema: Schema) -> None:
    """Raise for the first value that its family does not take; names row and column."""
    parts, names_of_parts = settings.parts(rows, schema), settings.names(schema)
    for family, part, names in zip(settings.families, parts, names_of_parts, strict=True):
        if isinstance(family, Selective):
            family.check(part, names)


def observe_parts(
    rows: Rows, targets: Targets, settings: Settings, schema: Schema, threads: int = 1
) -> tuple[Any, ...]:
    """The statistics of every family, of labelled rows."""
    if len(settings.components) == 1:  # all features are its own
        return (settings.components[0].family.observe(rows, targets, schema, threads),)
    parts, names_of_parts = settings.parts(rows, schema), settings.names(schema)
    columns = zip(settings.families, parts, names_of_parts, strict=True)
    return tuple(family.observe(part, targets, names, threads) for family, part, names in columns)


def _unlabelled_rows(
    rows: Rows, targets: Targets, settings: Settings, schema: Schema, threads: int
) -> Unlabelled | None:
    """Unlabelled rows; None if none of them weighs anything."""
    weights = targets.total_weights()
    if not weights.all():
        heavy = weights > 0
        rows, weights = rows[heavy], weights[heavy]
    if not rows.n_rows:
        return None
    one_class = Targets(np.zeros(rows.n_rows, np.int32), 1, weights)
    unnamed = replace(schema, classes=np.array(["unlabelled"]))
    together = observe_parts(rows, one_class, settings, unnamed, threads)
    return Unlabelled(rows.n_rows, together, KeptRows(rows, weights))


def _map(
    method: str, first: Sequence[Any], second: Sequence[Any], names: Sequence[Schema]
) -> tuple[Any, ...]:
    """A method of each of the first with that of the second."""
    if len(first) != len(second):
        msg = f"rows of {len(first)} families and of {len(second)} are not of the same table"
        raise DataError(msg)
    triples = zip(first, second, names, strict=True)
    return tuple(getattr(a, method)(b, name) for a, b, name in triples)


def _row_difference(mine: KeptRows, gone: KeptRows) -> NDArray[np.intp]:
    """The numbers of the rows of the first that are left when the second are taken out."""
    places = defaultdict[bytes, list[int]](list)
    for number, key in enumerate(_keys(mine.rows, mine.weights)):
        places[key].append(number)
    left = np.ones(mine.rows.n_rows, dtype=bool)
    removed = gone.rows.with_categories(mine.rows.categories)
    for number, key in enumerate(_keys(removed, gone.weights)):
        if not places[key]:
            msg = f"unlabelled row {number} is not among those that the model was fitted to: "
            raise DataError(msg + "remove only rows that were added")
        left[places[key].pop()] = False
    return np.flatnonzero(left)


def _keys(rows: Rows, weights: FloatArray) -> list[bytes]:
    """Rows and their weights as bytes that are equal just if they are."""
    values = rows.matrix.astype(np.float64) + 0.0  # −0 is 0
    values[np.isnan(values)] = np.nan  # of all the NaNs, one
    codes = np.ascontiguousarray(rows.codes)
    triples = zip(values, codes, weights.tolist(), strict=True)
    return [x.tobytes() + c.tobytes() + np.float64(w).tobytes() for x, c, w in triples]
