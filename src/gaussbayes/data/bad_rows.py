"""Rows of files that cannot be used: which, why, and how a message says it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.arrow_columns import dictionary_parts, is_dictionary, is_string, value_type

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.selection import Selection

MOST_NAMED = 5
"""Bad rows that are kept to be named."""

NOT_A_CATEGORY = "is not a category: these are strings, integers or booleans"
NOT_A_COUNT = "is not a count: these are integers from 0 on"
NOT_A_BIT = "is neither 0 nor 1"

HOW_TO_SKIP = ', or leave such rows out with bad_rows="skip" (--bad-rows skip on the command line)'
"""What the error about a row ends with where rows can be left out."""

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used, and why."""

    file: str
    row: int  # from 1, the header not counted
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class BadRows:
    """How many rows were left out, and the first of them."""

    count: int = 0
    first: tuple[BadRow, ...] = ()  # a few

    def __add__(self, other: "BadRows") -> "BadRows":
        return BadRows(self.count + other.count, (*self.first, *other.first)[:MOST_NAMED])

    def later(self, n_rows: int) -> "BadRows":
        """The same rows, after so many others in their file."""
        return BadRows(self.count, tuple(replace(bad, row=bad.row + n_rows) for bad in self.first))


NO_BAD_ROWS = BadRows()


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row of a block that cannot be used, and why."""

    row: int  # from 0, within its block
    column: str | None
    value: str | None
    problem: str

    def placed(self, file: str, first_row: int) -> BadRow:
        """The same with its place in the file."""
        return BadRow(file, first_row + self.row, self.column, self.value, self.problem)


class BadRowError(Exception):
    """A row that stops the reading; raised within a block, where its place is not known yet."""

    def __init__(self, problem: RowProblem, *, skippable: bool = True) -> None:
        super().__init__(problem, skippable)
        self.problem = problem
        self.skippable = skippable  # whether it would be left out where bad rows are

    def __reduce__(self) -> Any:  # workers send it
        return _remade, (self.problem, self.skippable)

    def later(self, n_rows: int) -> "BadRowError":
        """The same, after so many other rows."""
        problem = replace(self.problem, row=self.problem.row + n_rows)
        return BadRowError(problem, skippable=self.skippable)

    def placed(self, file: str, first_row: int) -> DataError:
        """The error to raise where the place is known."""
        return bad_row_error(self.problem.placed(file, first_row), skippable=self.skippable)


def _remade(problem: RowProblem, skippable: bool) -> BadRowError:
    return BadRowError(problem, skippable=skippable)


def describe(bad: BadRow) -> str:
    """A bad row as a message writes it.

    Examples
    --------
    >>> describe(BadRow("a.csv", 3, "age", "old", "is not a number"))
    "a.csv, row 3, column 'age': 'old' is not a number"
    """
    place = f"{bad.file}, row {bad.row}"
    if bad.column is not None:
        place += f", column {bad.column!r}"
    value = "" if bad.value is None else f"{bad.value!r} "
    return f"{place}: {value}{bad.problem}"


def bad_row_error(bad: BadRow, *, skippable: bool = True) -> DataError:
    """The error that stops the reading at a bad row."""
    if not skippable:
        return DataError(describe(bad))
    return DataError(f"{describe(bad)}. Correct the row{HOW_TO_SKIP}")


def count_problems(problems: Sequence[RowProblem], file: str, first_row: int) -> BadRows:
    """How many rows of a block are bad, and the first of them with their places."""
    first = tuple(each.placed(file, first_row) for each in problems[:MOST_NAMED])
    return BadRows(len(problems), first)


def shorten(value: Any) -> str:
    """A value as a message shows it.

    Examples
    --------
    >>> shorten(b"old"), shorten(1.5)
    ('old', '1.5')
    """
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def sift(
    table: "pa.Table", selection: "Selection", *, finite: bool
) -> tuple["pa.Table", tuple[RowProblem, ...]]:
    """Take out rows in which a value that is needed is missing, or is wrong, and say which.

    With `finite`, also those in which a number is infinite, or is needed and NaN. Without it only
    what costs nothing is looked for, and NaN and infinity are left to the sums, in which they show.
    """
    problems: dict[int, RowProblem] = {}

    def note(name: str, wrong: NDArray[np.bool_] | None, problem: str) -> None:
        for row in [] if wrong is None else np.flatnonzero(wrong).tolist():
            value = table.column(name)[row].as_py()
            # NaN is how many programs write a missing value.
            missing = value is None or value == "" or value != value  # noqa: PLR0124
            what = (None, "the value is missing") if missing else (shorten(value), problem)
            problems.setdefault(row, RowProblem(row, name, *what))

    needed = set(selection.present)
    for name in selection.present:
        note(name, blank(table.column(name)), "is missing")
        if finite and name in selection.numbers:
            note(name, _where(table.column(name), _not_finite), "is not finite")
    for name in selection.numbers if finite else ():
        if name not in needed:
            note(name, _where(table.column(name), _infinite), "is not finite")
    for name in selection.weights:
        note(name, _where(table.column(name), _not_finite), "is not finite")
        note(name, _where(table.column(name), _negative), "is negative, which a weight cannot be")
    for name in selection.counts:
        note(name, _where(table.column(name), _not_count), NOT_A_COUNT)
    for name in selection.bits:
        note(name, _where(table.column(name), _not_bit), NOT_A_BIT)
    for name in selection.categorical:
        note(name, _where(table.column(name), _not_integer), NOT_A_CATEGORY)
    if not problems:
        return table, ()
    import pyarrow as pa

    keep = np.ones(table.num_rows, dtype=bool)
    keep[list(problems)] = False
    return table.filter(pa.array(keep)), tuple(problems[row] for row in sorted(problems))


def blank(column: Any) -> NDArray[np.bool_] | None:
    """Where a column has no value: null, or the empty string; None if it always has one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> blank(pa.chunked_array([["a", "", None]])).tolist(), blank(pa.chunked_array([["a"]]))
    ([False, True, True], None)
    """
    import pyarrow.compute as pc

    if is_dictionary(column.type):
        codes, values = dictionary_parts(column)
        empty = np.fromiter((value is None or value == "" for value in values.tolist()), bool)
        if not empty.any() and not column.null_count:
            return None
        return np.append(empty, True)[codes]  # −1 is null
    if not is_string(column.type):
        return np.asarray(column.is_null()) if column.null_count else None
    wrong = np.asarray(pc.equal(pc.fill_null(column, ""), ""))
    return wrong if wrong.any() else None


def _where(
    column: Any, wrong: Callable[[NDArray[Any]], NDArray[np.bool_]]
) -> NDArray[np.bool_] | None:
    """Where a column of numbers is wrong; a missing value is not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = value_type(column.type)
    if not (pa.types.is_floating(kind) or (wrong in {_negative, _not_count, _not_bit} and _is_real(kind))):
        return None
    if kind != column.type:
        column = column.cast(kind)
    values = pc.fill_null(column.cast(pa.float64(), safe=False), np.nan).to_numpy()
    return wrong(values)


def _is_real(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def _infinite(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(np.isinf(values))


def _not_finite(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(~np.isfinite(values))


def _negative(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(values < 0)


def _not_count(values: NDArray[Any]) -> NDArray[np.bool_]:
    count = (values >= 0) & (values < np.inf) & (np.rint(values) == values)
    return np.asarray(~(count | np.isnan(values)))


def _not_bit(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(~((values == 0) | (values == 1) | np.isnan(values)))


def _not_integer(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where floats are no integers of 64 bits."""
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    return np.asarray(~(whole | np.isnan(values)))
