"""Rows of files that cannot be used: which, why, and how a message says it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.tables import is_missing, value_type

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.roles import ColumnSelection

MOST_NAMED = 5
"""Bad rows that are kept to be named."""

HOW_TO_SKIP = ', or leave such rows out with bad_rows="skip" (--bad-rows skip on the command line)'
"""What the error about a row ends with where rows can be left out."""

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used, and why."""

    file: str  # empty as long as it is not known
    row: int  # from 1, the header not counted; from 0 within a block whose place is not known
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str

    def later(self, n_rows: int) -> "BadRow":
        """The same row, after so many others."""
        return replace(self, row=self.row + n_rows)

    def placed(self, file: str, first_row: int) -> "BadRow":
        """The same with its place in the file."""
        return replace(self, file=file, row=first_row + self.row)


@dataclass(frozen=True, slots=True)
class BadRows:
    """How many rows were left out, and the first of them."""

    count: int = 0
    first: tuple[BadRow, ...] = ()  # a few

    def __add__(self, other: "BadRows") -> "BadRows":
        return BadRows(self.count + other.count, (*self.first, *other.first)[:MOST_NAMED])

    def later(self, n_rows: int) -> "BadRows":
        """The same rows, after so many others in their file."""
        return BadRows(self.count, tuple(bad.later(n_rows) for bad in self.first))


NO_BAD_ROWS = BadRows()


class BadRowError(Exception):
    """A row that stops the reading; raised within a block, where its place is not known yet."""

    def __init__(self, problem: BadRow, skippable: bool = True) -> None:
        super().__init__(problem, skippable)
        self.problem = problem
        self.skippable = skippable  # whether it would be left out where bad rows are

    def later(self, n_rows: int) -> "BadRowError":
        """The same, after so many other rows."""
        return BadRowError(self.problem.later(n_rows), self.skippable)

    def placed(self, file: str, first_row: int) -> DataError:
        """The error to raise where the place is known."""
        return bad_row_error(self.problem.placed(file, first_row), skippable=self.skippable)


def describe(bad: BadRow) -> str:
    """A bad row as a message writes it."""
    column = "" if bad.column is None else f", column {bad.column!r}"
    value = "" if bad.value is None else f"{bad.value!r} "
    return f"{bad.file}, row {bad.row}{column}: {value}{bad.problem}"


def bad_row_error(bad: BadRow, *, skippable: bool = True) -> DataError:
    """The error that stops the reading at a bad row."""
    remedy = f". Correct the row{HOW_TO_SKIP}" if skippable else ""
    return DataError(f"{describe(bad)}{remedy}")


def count_problems(problems: Sequence[BadRow], file: str, first_row: int) -> BadRows:
    """How many rows of a block are bad, and the first of them with their places."""
    first = tuple(each.placed(file, first_row) for each in problems[:MOST_NAMED])
    return BadRows(len(problems), first)


def shorten(value: Any) -> str:
    """A value as a message shows it."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


# Conditions on values as floats, NaN where one is missing, which is not wrong by itself.


def _not_count(values: NDArray[Any]) -> NDArray[np.bool_]:
    count = (values >= 0) & (values < np.inf) & (np.rint(values) == values)
    return np.asarray(~(count | np.isnan(values)))


def _not_bit(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(~((values == 0) | (values == 1) | np.isnan(values)))


def _not_integer(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where floats are no integers of 64 bits."""
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    return np.asarray(~(whole | np.isnan(values)))


Condition = Callable[[NDArray[Any]], NDArray[np.bool_]]

_WRONG: dict[str, tuple[tuple[Condition, str], ...]] = {
    "number": (),
    "weight": (
        (lambda values: ~np.isfinite(values), "is not finite"),
        (lambda values: values < 0, "is negative, which a weight cannot be"),
    ),
    "count": ((_not_count, "is not a count: these are integers from 0 on"),),
    "bit": ((_not_bit, "is neither 0 nor 1"),),
    "category": ((_not_integer, "is not a category: these are strings, integers or booleans"),),
}
"""What is wrong with values, by what a column must hold."""


def sift(
    table: "pa.Table", selection: "ColumnSelection", *, finite: bool
) -> tuple["pa.Table", tuple[BadRow, ...]]:
    """Take out rows in which a value that is needed is missing, or is wrong, and say which.

    With `finite`, also those in which a number is infinite; without it, infinity is left to the
    sums, in which it shows.
    """
    problems: dict[int, BadRow] = {}

    def note(name: str, wrong: NDArray[np.bool_], problem: str) -> None:
        for row in np.flatnonzero(wrong).tolist():
            value = table.column(name)[row].as_py()
            missing = is_missing(value)  # NaN is how many programs write it
            what = (None, "the value is missing") if missing else (shorten(value), problem)
            problems.setdefault(row, BadRow("", row, name, *what))

    for name, kind in selection.kinds.items():
        rules = _WRONG[kind]
        if finite and kind != "category":
            rules = ((np.isinf, "is not finite"), *rules)
        values = _floats(table.column(name), kind) if rules else None
        if values is not None:
            for wrong, problem in rules:
                note(name, wrong(values), problem)
    if not problems:
        return table, ()
    import pyarrow as pa

    keep = np.ones(table.num_rows, dtype=bool)
    keep[list(problems)] = False
    return table.filter(pa.array(keep)), tuple(problems[row] for row in sorted(problems))


def _floats(column: Any, kind: str) -> NDArray[Any] | None:
    """The values of a column as floats, NaN for null; None if nothing can be wrong with them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held = value_type(column.type)
    integer = pa.types.is_integer(held) or pa.types.is_decimal(held)
    if not (pa.types.is_floating(held) or (integer and kind in {"weight", "count", "bit"})):
        return None
    values: NDArray[Any] = pc.fill_null(
        column.cast(held).cast(pa.float64(), safe=False), np.nan
    ).to_numpy()
    return values
