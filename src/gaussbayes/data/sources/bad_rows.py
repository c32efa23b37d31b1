"""Rows that cannot be used: which, why, and how a message says it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources.kinds import is_text, plain
from gaussbayes.data.sources.summary import MOST_NAMED, BadRow, BadRows

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.sources.request import Request

_LONGEST = 60

NO_CATEGORY = "is not a category: these are text, whole numbers or truth values"


@dataclass(frozen=True, slots=True)
class Unfit:
    """A row of a block that cannot be used, and why."""

    row: int  # from 0, within its block
    column: str | None
    value: str | None
    problem: str

    def placed(self, file: str, first_row: int) -> BadRow:
        """The same with its place in the file."""
        return BadRow(file, first_row + self.row, self.column, self.value, self.problem)


class UnfitError(Exception):
    """A row that stops the reading; raised within a block, where its place is not known yet."""

    def __init__(self, unfit: Unfit, *, skippable: bool = True) -> None:
        super().__init__(unfit)
        self.unfit = unfit
        self.skippable = skippable  # whether it would be left out where bad rows are

    def later(self, n_rows: int) -> "UnfitError":
        """The same, after so many other rows."""
        own = replace(self.unfit, row=self.unfit.row + n_rows)
        return UnfitError(own, skippable=self.skippable)

    def placed(self, file: str, first_row: int) -> DataError:
        """The error to raise where the place is known."""
        return refusal(self.unfit.placed(file, first_row), skippable=self.skippable)


def described(bad: BadRow) -> str:
    """A bad row as a message writes it.

    Examples
    --------
    >>> described(BadRow("a.csv", 3, "age", "old", "is not a number"))
    "a.csv, row 3, column 'age': 'old' is not a number"
    """
    place = f"{bad.file}, row {bad.row}"
    if bad.column is not None:
        place += f", column {bad.column!r}"
    value = "" if bad.value is None else f"{bad.value!r} "
    return f"{place}: {value}{bad.problem}"


HOW_TO_SKIP = ', or leave such rows out with bad_rows="skip" (--bad-rows skip on the command line)'
"""What the refusal of a row ends with where rows can be left out."""


def refusal(bad: BadRow, *, skippable: bool = True) -> DataError:
    """The error that stops the reading at a bad row."""
    if not skippable:
        return DataError(described(bad))
    return DataError(f"{described(bad)}. Correct the row{HOW_TO_SKIP}")


def counted(unfit: Sequence[Unfit], file: str, first_row: int) -> BadRows:
    """How many rows of a block are bad, and the first of them with their places."""
    first = tuple(each.placed(file, first_row) for each in unfit[:MOST_NAMED])
    return BadRows(len(unfit), first)


def shown(value: Any) -> str:
    """A value as a message shows it, shortened.

    Examples
    --------
    >>> shown(b"old"), shown(1.5)
    ('old', '1.5')
    """
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def sift(
    table: "pa.Table", request: "Request", *, finite: bool
) -> tuple["pa.Table", tuple[Unfit, ...]]:
    """Take out rows in which a value that is needed is missing, or is wrong, and say which.

    With `finite`, also those in which a number is infinite, or is needed and NaN. Without it only
    what costs nothing is looked for, and NaN and infinity are left to the sums, in which they show.
    """
    found: dict[int, Unfit] = {}

    def note(name: str, wrong: NDArray[np.bool_] | None, problem: str) -> None:
        for row in [] if wrong is None else np.flatnonzero(wrong).tolist():
            value = table.column(name)[row].as_py()
            # NaN is how many programs write a value that is missing.
            missing = value is None or value == "" or value != value  # noqa: PLR0124
            told = (None, "the value is missing") if missing else (shown(value), problem)
            found.setdefault(row, Unfit(row, name, *told))

    needed, numbers = set(request.present), set(request.numbers)
    for name in request.present:
        note(name, _blank(table.column(name)), "is missing")
        if finite and name in numbers:
            note(name, _not_finite(table.column(name)), "is not finite")
    for name in request.numbers if finite else ():
        if name not in needed:
            note(name, _infinite(table.column(name)), "is not finite")
    for name in request.not_negative:
        note(name, _not_finite(table.column(name)), "is not finite")
        note(name, _negative(table.column(name)), "is negative, which a weight cannot be")
    for name in request.categorical:
        note(name, _not_whole(table.column(name)), NO_CATEGORY)
    if not found:
        return table, ()
    import pyarrow as pa

    keep = np.ones(table.num_rows, dtype=bool)
    keep[list(found)] = False
    return table.filter(pa.array(keep)), tuple(found[row] for row in sorted(found))


def _blank(column: Any) -> NDArray[np.bool_] | None:
    """Where a column has no value: null, or text without a letter."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        values = {value for chunk in column.chunks for value in chunk.dictionary.to_pylist()}
        blank = "" in values or None in values
        if not blank and not column.null_count:
            return None
        column = column.cast(kind.value_type)
    elif not is_text(kind):
        return np.asarray(column.is_null()) if column.null_count else None
    return np.asarray(pc.equal(pc.fill_null(column, ""), ""))


def _negative(column: Any) -> NDArray[np.bool_] | None:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.less(column, 0), False))


def _infinite(column: Any) -> NDArray[np.bool_] | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return None
    return np.asarray(pc.fill_null(pc.is_inf(column), False))


def _not_finite(column: Any) -> NDArray[np.bool_] | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return None
    return np.asarray(pc.invert(pc.fill_null(pc.is_finite(column), True)))


def _not_whole(column: Any) -> NDArray[np.bool_] | None:
    """Where a column of floats holds what is no whole number of 64 bits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = plain(column.type)
    if not pa.types.is_floating(kind):
        return None
    values = pc.fill_null(column.cast(kind).cast(pa.float64()), np.nan).to_numpy()
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    wrong: NDArray[np.bool_] = ~(whole | np.isnan(values))
    return wrong
