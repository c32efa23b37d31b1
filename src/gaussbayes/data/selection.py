"""The columns to read from files: which there are, what they must hold, and what was read."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.arrow_columns import is_string, value_type
from gaussbayes.data.bad_rows import RowProblem, sift

if TYPE_CHECKING:
    import pyarrow as pa

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
    bad_rows: BadRowHandling = "error"
    numbers: tuple[str, ...] = ()
    """Columns of numbers, none of which may be infinite; null and NaN are missing ones."""
    present: tuple[str, ...] = ()
    """Columns in which every value must be there."""
    weights: tuple[str, ...] = ()
    """Columns, among `numbers`, in which no value may be below zero, or NaN."""
    counts: tuple[str, ...] = ()
    """Columns, among `numbers`, of integers from 0 on."""
    bits: tuple[str, ...] = ()
    """Columns, among `numbers`, of 0 and 1."""
    encoded: tuple[str, ...] = ()
    """Columns of strings to read as dictionaries, where the format can: the same few values."""
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
class ParsedTable:
    """A table of the rows that could be read, and what is wrong with the others."""

    table: "pa.Table"
    n_records: int  # good and bad
    problems: tuple[RowProblem, ...] = ()  # the bad ones, in order; rows are numbered from 0 here

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
    numbers: Sequence[str],
    bad_rows: BadRowHandling = "error",
    *,
    as_held: Collection[str] = (),
    categorical: Sequence[str] = (),
    strings: Collection[str] = (),
) -> Selection:
    """What to ask of files whose first block has shown `inferred`.

    Parameters
    ----------
    columns : which to read, in this order; None is all
    numbers : those that hold numbers; strings are read as numbers
    as_held : those whose integers stay integers, though they are among `numbers`, and whose
        dictionaries stay, though they are `categorical`
    categorical : those that hold categories
    strings : those that are read as strings, whatever their values look like
    """
    import pyarrow as pa

    names = inferred.schema.names if columns is None else list(columns)
    check_present(inferred.schema.names, names)
    must, stay = set(numbers), set(as_held)
    fields = []
    for name in names:
        field = inferred.schema.field(name)
        integer = pa.types.is_integer(field.type) and name not in stay
        # A column of Parquet or Arrow without any value may have no type at all.
        untyped = name in inferred.numbers or pa.types.is_null(field.type)
        if name in must and (integer or untyped):
            field = pa.field(name, pa.float64())
        elif name in must and name not in stay:
            field = pa.field(name, value_type(field.type))
        elif name in strings and not is_string(value_type(field.type)):
            field = pa.field(name, pa.string())
        elif name in categorical and name not in stay:
            # Codes in dictionaries differ from file to file: the values are what is held.
            field = pa.field(name, value_type(field.type))
        fields.append(field.with_nullable(True))
    return Selection(
        pa.schema(fields),
        bad_rows,
        tuple(numbers),
        encoded=tuple(
            field.name
            for field in fields
            if field.name in categorical and field.name not in stay and is_string(field.type)
        ),
        decimal=inferred.decimal,
        categorical=tuple(categorical),
    )


def check_present(columns: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise if a column that is wanted is not there, and say which there are."""
    known = set(columns)
    missing = [name for name in wanted if name not in known]
    if missing:
        close = meant(missing[0], columns)
        msg = f"there is no column {listed(missing)}{close}; the columns are {listed(columns)}"
        raise SchemaError(msg)


def check_same_columns(file: str, columns: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise for a file that lacks columns, and say which it has instead.

    Examples
    --------
    >>> check_same_columns("a.csv", ["a", "b"], ["b"])
    """
    known = set(columns)
    missing = [name for name in wanted if name not in known]
    if missing:
        others = [name for name in columns if name not in set(wanted)]
        instead = f"; it has {listed(others)} besides" if others else ""
        msg = f"{file} has no column {listed(missing)}, unlike the files before it{instead}"
        raise SchemaError(msg)


def check_distinct(file: str, names: Sequence[str]) -> None:
    """Raise for a file in which a column has the name of another.

    Examples
    --------
    >>> check_distinct("a.csv", ["x", "y", "x"])
    Traceback (most recent call last):
    gaussbayes.base.errors.SchemaError: a.csv has more than one column called 'x': give the \
columns different names
    """
    twice = repeated(names)
    if twice:
        msg = (
            f"{file} has more than one column called {listed(twice)}: "
            "give the columns different names"
        )
        raise SchemaError(msg)


def repeated(names: Sequence[str]) -> list[str]:
    """The names that are there more than once, sorted.

    Examples
    --------
    >>> repeated(["b", "a", "b", "a", "c"])
    ['a', 'b']
    """
    return sorted(name for name, times in Counter(names).items() if times > 1)


def listed(names: Sequence[str]) -> str:
    """Some names in a message, shortened when there are many.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    some = ", ".join(map(repr, names[:_MOST_LISTED]))
    more = len(names) - _MOST_LISTED
    return some if more <= 0 else f"{some} and {more} more"
