"""The columns to read from files: which there are, what they must hold, and what was read."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.bad_rows import BadRow, sift
from gaussbayes.data.tables import is_string, value_type

if TYPE_CHECKING:
    import pyarrow as pa

ColumnKind: TypeAlias = Literal["number", "count", "bit", "weight", "category"]
"""What a column must hold: numbers, none of them infinite; integers from 0 on; 0 or 1; numbers that
are there and not negative; or strings, integers and booleans. Others may be missing."""

_MOST_LISTED = 10


@dataclass(frozen=True, slots=True)
class InferredTypes:
    """What the first block of a source has shown and the rest of it is held to."""

    schema: "pa.Schema"
    numbers: frozenset[str] = frozenset()
    """Columns of strings half of whose values are numbers; read as features, they are numbers."""
    decimal: str = "."
    examples: tuple[tuple[str, str], ...] = ()
    """Columns of strings, and a value of each, to be shown where numbers are needed."""
    categorical: frozenset[str] = frozenset()
    """Columns that are of a categorical type, though their values are read as numbers."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The columns to read, in order, and what they must hold."""

    schema: "pa.Schema"
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    """What columns must hold, of those of which that is known."""
    present: tuple[str, ...] = ()
    """Columns in which every value must be there."""
    bad_rows: BadRowHandling = "error"
    encoded: tuple[str, ...] = ()
    """Columns of strings to read as dictionaries, where the format can: the same few values."""
    as_stored: bool = False
    """Whether numbers may come as the type that a Parquet or Arrow file holds them in."""
    decimal: str = "."

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTable:
    """A table of the rows that could be read, and what is wrong with the others."""

    table: "pa.Table"
    n_records: int  # good and bad
    problems: tuple[BadRow, ...] = ()  # the bad ones, in order; rows are numbered from 0 here

    def sifted(self, selection: Selection, *, finite: bool) -> "ParsedTable":
        """Without the rows that lack what they must have; see `gaussbayes.data.bad_rows.sift`."""
        table, more = sift(self.table, selection, finite=finite)
        if not more:
            return self
        bad = {problem.row for problem in self.problems}
        good = [row for row in range(self.n_records) if row not in bad] if bad else None
        placed = more if good is None else [replace(each, row=good[each.row]) for each in more]
        both = sorted([*self.problems, *placed], key=lambda problem: problem.row)
        return ParsedTable(table, self.n_records, tuple(both))


Piece: TypeAlias = Callable[[], Iterator[ParsedTable]]
"""Reads one piece of a file, in one or several tables; it may be called in any thread."""


def select_columns(
    inferred: InferredTypes,
    columns: Sequence[str] | None,
    kinds: Mapping[str, ColumnKind],
    bad_rows: BadRowHandling = "error",
    *,
    as_held: Collection[str] = (),
    strings: Collection[str] = (),
) -> Selection:
    """What to ask of files whose first block has shown `inferred`.

    Parameters
    ----------
    columns : which to read, in this order; None is all
    kinds : what they must hold; strings are read as numbers where these are needed
    as_held : those whose integers stay integers though they are numbers, and whose dictionaries
        stay though they are categories
    strings : those that are read as strings, whatever their values look like
    """
    import pyarrow as pa

    names = inferred.schema.names if columns is None else list(columns)
    check_present(inferred.schema.names, names)
    stay = set(as_held)
    fields, encoded = [], []
    for name in names:
        held = inferred.schema.field(name).type
        kind = kinds.get(name)
        number = kind not in {None, "category"}
        # A column of Parquet or Arrow without any value may have no type at all.
        untyped = name in inferred.numbers or pa.types.is_null(held)
        if number and (untyped or (pa.types.is_integer(held) and name not in stay)):
            held = pa.float64()
        elif name in strings and not number and not is_string(value_type(held)):
            held = pa.string()
        elif kind is not None and name not in stay:
            # Codes in dictionaries differ from file to file: the values are what is held.
            held = value_type(held)
        fields.append(pa.field(name, held))
        if kind == "category" and name not in stay and is_string(held):
            encoded.append(name)
    return Selection(
        pa.schema(fields),
        kinds,
        bad_rows=bad_rows,
        encoded=tuple(encoded),
        decimal=inferred.decimal,
    )


def check_present(columns: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise if a column that is wanted is not there, and say which there are."""
    missing = _lacking(columns, wanted)
    if missing:
        close = meant(missing[0], columns)
        msg = f"there is no column {listed(missing)}{close}; the columns are {listed(columns)}"
        raise SchemaError(msg)


def check_same_columns(file: str, columns: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise for a file that lacks columns, and say which it has instead."""
    missing = _lacking(columns, wanted)
    if missing:
        others = _lacking(wanted, columns)
        instead = f"; it has {listed(others)} besides" if others else ""
        msg = f"{file} has no column {listed(missing)}, unlike the files before it{instead}"
        raise SchemaError(msg)


def _lacking(columns: Sequence[str], wanted: Sequence[str]) -> list[str]:
    known = set(columns)
    return [name for name in wanted if name not in known]


def check_distinct(what: str, names: Sequence[str]) -> None:
    """Raise if a column has the name of another.

    Examples
    --------
    >>> check_distinct("a.csv", ["x", "y", "x"])
    Traceback (most recent call last):
    gaussbayes.base.errors.SchemaError: a.csv has more than one column called 'x': give the \
columns different names
    """
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        msg = (
            f"{what} has more than one column called {listed(twice)}: give the columns different "
            "names"
        )
        raise SchemaError(msg)


def listed(names: Sequence[str]) -> str:
    """Some names in a message, shortened when there are many."""
    some = ", ".join(map(repr, names[:_MOST_LISTED]))
    more = len(names) - _MOST_LISTED
    return some if more <= 0 else f"{some} and {more} more"
