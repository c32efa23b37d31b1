"""Arrow tables of a source: what its columns are read as, and rows that cannot be used.

`InferredTypes` are what a source has shown, a `ColumnSelection` says what is read of it, and a
`ParsedTable` is what was read. A row that does not hold what its columns must is a `BadRow`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Notice, Remedy
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.missing_marks import STANDARD_MARKS, ColumnMarks, MissingMarks
from gaussbayes.data.schema import ColumnKind
from gaussbayes.data.tables import (
    check_present,
    column_parts,
    column_values,
    days_of,
    is_category,
    is_date,
    is_label,
    is_missing,
    is_number,
    is_string,
    value_type,
    without_marks,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.reduction import BlockReader, Fold, Reduced

HeldKind: TypeAlias = ColumnKind | Literal["weight", "class"]
"""What a column must hold: dates; numbers, none of them infinite; integers from 0 on; strings,
integers and booleans; or numbers that are there and not negative. Others may be missing."""

MOST_NAMED = 5
"""Bad rows that are kept to be named."""

SKIP_ROWS = Remedy("skip such rows", read=(("bad_rows", "skip"),))

NOT_A_NUMBER = "is not a number"
NOT_FINITE = "is not finite"

_LONGEST = 60


# Rows that cannot be used.


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used, and why."""

    file: str  # empty as long as it is not known
    row: int  # from 1, the header not counted; from 0 within a block whose place is not known
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str
    skippable: bool = True  # whether no class is lost with such rows

    def placed(self, file: str, first_row: int) -> "BadRow":
        """The same with its place in the file."""
        return replace(self, file=file, row=first_row + self.row)

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {self.column!r}"
        value = "" if self.value is None else f"{self.value!r} "
        return f"{self.file}, row {self.row}{column}: {value}{self.problem}"


@dataclass(frozen=True, slots=True)
class BadRows:
    """How many rows were left out, and the first of them."""

    count: int = 0
    first: tuple[BadRow, ...] = ()  # a few

    @classmethod
    def of(cls, problems: Sequence[BadRow], file: str, first_row: int) -> "BadRows":
        """The bad rows of a block, which has its place in a file."""
        first = tuple(each.placed(file, first_row) for each in problems[:MOST_NAMED])
        return cls(len(problems), first)

    def __add__(self, other: "BadRows") -> "BadRows":
        return BadRows(self.count + other.count, (*self.first, *other.first)[:MOST_NAMED])

    def later(self, n_rows: int) -> "BadRows":
        """The same rows, after so many others in their file."""
        return BadRows(self.count, tuple(bad.placed(bad.file, n_rows) for bad in self.first))


NO_BAD_ROWS = BadRows()


def bad_row_error(bad: BadRow, optional: Sequence[str] = ()) -> DataError:
    """The error that stops the reading at a bad row; `optional` columns may be used otherwise."""
    column, remedies = bad.column, [SKIP_ROWS] if bad.skippable else []
    if bad.problem == NOT_FINITE and optional:
        infinite: Any = ["inf", "-inf"]
        remedies.append(Remedy("treat infinity as missing", columns=(("na_values", infinite),)))
    elif column is not None and column in optional:
        if bad.problem == NOT_A_NUMBER and bad.value is not None:
            marks: Any = (("na_values", {column: [bad.value]}),)
            remedies.append(Remedy(f"treat {bad.value!r} as missing", columns=marks))
            remedies.append(Remedy("treat it as categories", columns=(("categorical", [column]),)))
        if len(optional) > 1:
            remedies.append(Remedy("exclude the column", columns=(("exclude", [column]),)))
    return DataError(str(bad)).with_remedies(remedies)


def shorten(value: Any) -> str:
    """A value as a message shows it."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


# Conditions on values as floats, NaN where one is missing, which is not wrong by itself.


def _not_count(values: NDArray[Any]) -> NDArray[np.bool_]:
    count = (values >= 0) & (values < np.inf) & (np.rint(values) == values)
    return np.asarray(~(count | np.isnan(values)))


def _not_integer(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where floats are no integers of 64 bits."""
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    return np.asarray(~(whole | np.isnan(values)))


Condition = Callable[[NDArray[Any]], NDArray[np.bool_]]

_INFINITE: tuple[Condition, str] = (np.isinf, NOT_FINITE)

_WRONG: dict[str, tuple[tuple[Condition, str], ...]] = {
    "number": (_INFINITE,),
    "weight": (
        (lambda values: ~np.isfinite(values), NOT_FINITE),
        (lambda values: values < 0, "is negative, which a weight cannot be"),
    ),
    "count": (_INFINITE, (_not_count, "is not a count: these are integers from 0 on")),
    "class": ((_not_integer, "is not a class: these are strings, integers or booleans"),),
    "date": ((np.isinf, "is not a date such as 2024-01-31"),),
    "category": ((_not_integer, "is not a category: these are strings, integers or booleans"),),
}
"""What is wrong with values, by what a column must hold: a kind, weights or classes."""


# What is read of a source.


class OpenSource(ABC):
    """Rows whose columns have been looked at, and which can be read again and again."""

    shown: str
    """What messages call the source."""
    inferred: "InferredTypes"
    """The columns and their types."""
    is_read_once = False
    """Whether the rows come through a pipe, so that they cannot be read again."""
    notices: tuple[Notice, ...] = ()
    """What users should know about how the rows were read."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, bad ones too, where that is known before they are read."""
        return None

    @abstractmethod
    def sampled_rows(self, columns: Sequence[str], most: int) -> tuple[Any, bool]:
        """Rows of some columns, so many at most, and whether these are all."""

    @abstractmethod
    def reduce(
        self, reader: "BlockReader", fold: "Fold[Any]", n_jobs: int | None
    ) -> "Reduced[Any]":
        """What all blocks sum to in one fixed tree, whether or not there are any."""


@dataclass(frozen=True, slots=True)
class InferredTypes:
    """What the first block of a source has shown and the rest of it is held to."""

    schema: "pa.Schema"
    decimal: str = "."
    categorical: frozenset[str] = frozenset()
    """Columns that are of a categorical type, though their values are read as numbers."""
    is_text: bool = False
    """Whether strings that write numbers can be read as numbers, as in files of text."""
    spells_dates: bool = True
    """Whether strings that write dates can be read as dates."""


@dataclass(frozen=True, slots=True)
class ColumnSelection:
    """The columns to read, in order, and what they must hold."""

    schema: "pa.Schema"
    kinds: Mapping[str, HeldKind] = field(default_factory=dict)
    """What columns must hold, of those of which that is known."""
    target: str | None = None
    """The column that must hold classes."""
    bad_rows: BadRowHandling = "error"
    encoded: tuple[str, ...] = ()
    """Columns of strings to read as dictionaries, where the format can: the same few values."""
    as_stored: bool = False
    """Whether numbers may come as the type that a Parquet or Arrow file holds them in."""
    missing: MissingMarks = STANDARD_MARKS
    """What stands for missing values."""
    decimal: str = "."
    optional: tuple[str, ...] = ()
    """Columns that were chosen by what they hold: others may be chosen instead."""

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

    def sifted(self, selection: ColumnSelection) -> "ParsedTable":
        """Without rows in which a value that is needed is missing, or is wrong."""
        bad: dict[int, BadRow] = {}
        kinds = dict(selection.kinds)
        if selection.target is not None:
            kinds[selection.target] = "class"
        for name, kind in kinds.items():
            column = self.table.column(name)
            values = _floats(column, kind, selection.missing.of(name))
            if values is None:
                continue
            for wrong, problem in _WRONG[kind]:
                for row in np.flatnonzero(wrong(values)).tolist():
                    value = column[row].as_py()
                    missing = is_missing(value)  # NaN is how many programs write it
                    what = (None, "the value is missing") if missing else (shorten(value), problem)
                    bad.setdefault(row, BadRow("", row, name, *what))
        return self.without(bad)

    def without(self, bad: Mapping[int, BadRow]) -> "ParsedTable":
        """Without some rows of the table, by their numbers in it."""
        if not bad:
            return self
        import pyarrow as pa

        keep = np.ones(self.table.num_rows, dtype=bool)
        keep[list(bad)] = False
        among_all = np.setdiff1d(np.arange(self.n_records), [each.row for each in self.problems])
        placed = [replace(each, row=int(among_all[row])) for row, each in bad.items()]
        both = sorted([*self.problems, *placed], key=lambda each: each.row)
        return ParsedTable(self.table.filter(pa.array(keep)), self.n_records, tuple(both))


def select_columns(
    inferred: InferredTypes,
    columns: Sequence[str] | None,
    kinds: Mapping[str, HeldKind],
    bad_rows: BadRowHandling = "error",
    *,
    strings: Collection[str] = (),
    target: str | None = None,
) -> ColumnSelection:
    """What to ask of files whose first block has shown `inferred`; None is all columns.

    Strings are read as numbers where `kinds` needs these; `strings` are strings whatever they look
    like. The `target` holds classes.
    """
    import pyarrow as pa

    names = inferred.schema.names if columns is None else list(columns)
    check_present(inferred.schema.names, names)
    fields, encoded = [], []
    for name in names:
        held = inferred.schema.field(name).type
        kind = kinds.get(name)
        number = kind not in {None, "category", "date"}
        # A column of Parquet or Arrow without any value may have no type at all.
        untyped = (inferred.is_text and is_string(held)) or pa.types.is_null(held)
        if number and (untyped or pa.types.is_integer(held)):
            held = pa.float64()
        elif name in strings and not number and not is_string(value_type(held)):
            held = pa.string()
        elif kind is not None:
            # Codes in dictionaries differ from file to file: the values are what is held.
            held = value_type(held)
        fields.append(pa.field(name, held))
        if (kind in {"category", "date"} or name == target) and is_string(held):
            encoded.append(name)
    schema = pa.schema(fields)
    return ColumnSelection(
        schema, kinds, target, bad_rows, tuple(encoded), decimal=inferred.decimal
    )


def check_types(selection: ColumnSelection, file: str) -> None:
    """Raise for columns whose types cannot hold what they must, and show what they hold."""
    schema, target = selection.schema, selection.target
    held = None if target is None else schema.field(target).type
    if held is not None and not is_label(held) and str(held) != "null":
        msg = (
            f"{file}: the target {target!r} holds {held} values, but classes are strings, integers "
            "or booleans: is it the right column?"
        )
        raise DataError(msg)
    for name, kind in selection.kinds.items():
        held = schema.field(name).type
        expected = "categories are strings, integers or booleans"
        holds = is_category(held)
        if kind != "category":
            expected = "numbers are expected"
            holds = is_number(held) or (kind == "date" and is_date(held))
        if not holds:
            msg = (
                f"{file}: column {name!r} holds {held} values, but {expected}: cast it, or leave "
                "it out"
            )
            raise DataError(msg)


def _floats(column: Any, kind: HeldKind, marks: ColumnMarks) -> NDArray[Any] | None:
    """The values of a column as numbers, NaN for null; None if nothing can be wrong with them."""
    import pyarrow as pa

    held = value_type(column.type)
    if kind == "date":
        return days_of(*column_parts(column), marks) if is_string(held) else None
    integer = pa.types.is_integer(held) or pa.types.is_decimal(held)
    if not (pa.types.is_floating(held) or (integer and kind in {"weight", "count"})):
        return None
    return without_marks(column_values(column), marks)
