"""What is asked of a file's reader, and what it gives: the columns, their types, and pieces."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.sources.bad_rows import Unfit

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Held:
    """What the first block of a source has shown and the rest of it is held to."""

    schema: "pa.Schema"
    numbers: frozenset[str] = frozenset()
    """Columns of text half of whose values are numbers; read as features, they are numbers."""
    decimal: str = "."
    examples: tuple[tuple[str, str], ...] = ()
    """Columns of text, and a value of each, to be shown where numbers are needed."""


@dataclass(frozen=True, slots=True)
class Request:
    """The columns to read, in order, and what they must hold."""

    schema: "pa.Schema"
    bad_rows: BadRowHandling = "error"
    numbers: tuple[str, ...] = ()
    """Columns of numbers, none of which may be infinite; null and NaN are missing ones."""
    present: tuple[str, ...] = ()
    """Columns in which every value must be there."""
    not_negative: tuple[str, ...] = ()
    """Columns, among `numbers`, in which no value may be below zero, or NaN."""
    encoded: tuple[str, ...] = ()
    """Columns of text to read as dictionaries, where the format can: the same few values."""
    as_stored: bool = False
    """Whether numbers may come as the type that a Parquet or Arrow file holds them in."""
    decimal: str = "."
    categorical: tuple[str, ...] = ()
    """Columns of categories, in which null is a missing one, and fractions are none."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A table of the rows that could be read, and what is wrong with the others."""

    table: "pa.Table"
    n_records: int  # good and bad
    unfit: tuple[Unfit, ...] = ()  # the bad ones, in order; rows are numbered from 0 here

    def without(self, table: "pa.Table", more: tuple[Unfit, ...]) -> "Parsed":
        """What is left in `table` after more rows, numbered among the good ones, were taken out."""
        bad = {unfit.row for unfit in self.unfit}
        good = [row for row in range(self.n_records) if row not in bad] if bad else None
        placed = more if good is None else [replace(each, row=good[each.row]) for each in more]
        every = sorted([*self.unfit, *placed], key=lambda unfit: unfit.row)
        return Parsed(table, self.n_records, tuple(every))


Piece: TypeAlias = Callable[[], Iterator[Parsed]]
"""Reads one piece of a file, in one or several tables; it may be called in any thread."""
