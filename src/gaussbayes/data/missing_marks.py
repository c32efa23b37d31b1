"""How missing values are written: one rule for files of all formats and for Python.

None, NaN, null and the empty string are always missing. So are the strings of a list that people
and programs use, unless it is turned off, and what is named beside it, for all columns or for some.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isnan
from numbers import Real
from typing import Any

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.spelling import meant

DEFAULT_NA = frozenset(
    (
        *("NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "?", "."),
        *("<NA>", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
    )
)
"""Strings that mean a missing value, whatever the column."""


@dataclass(frozen=True, slots=True)
class ColumnMarks:
    """The strings, and the numbers, that stand for missing values of one column.

    Examples
    --------
    >>> marks = ColumnMarks(DEFAULT_NA).plus(-999)
    >>> [marks.include(value) for value in (" ? ", "-999", -999.0, "S", 0, None)]
    [True, True, True, False, False, False]
    """

    strings: frozenset[str]
    numbers: frozenset[float] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strings", self.strings | {""})
        object.__setattr__(self, "numbers", frozenset(_numbers(self.strings)))

    def include(self, value: Any) -> bool:
        """Whether a string or a number stands for a missing value."""
        if isinstance(value, str):
            return value.strip() in self.strings
        number = isinstance(value, Real) and not isinstance(value, bool)
        return number and value in self.numbers

    def plus(self, value: Any) -> "ColumnMarks":
        """The same and one value more; None is none."""
        return self if value is None else ColumnMarks(self.strings | {_spelled(value)})


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """The strings that stand for missing values: in all columns, and in some.

    Examples
    --------
    >>> marks = MissingMarks.given(["unknown", {"age": -1}])
    >>> sorted(marks.of("age").strings - DEFAULT_NA), sorted(marks.of("wind").strings - DEFAULT_NA)
    (['', '-1', 'unknown'], ['', 'unknown'])
    """

    everywhere: frozenset[str] = DEFAULT_NA
    of_columns: tuple[tuple[str, frozenset[str]], ...] = ()  # sorted by their names
    unnamed: ColumnMarks = field(init=False, repr=False, compare=False)  # of columns without names
    may_be_numbers: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        unnamed = ColumnMarks(self.everywhere)
        object.__setattr__(self, "unnamed", unnamed)
        object.__setattr__(self, "may_be_numbers", bool(self.of_columns or unnamed.numbers))

    @classmethod
    def given(cls, na_values: Any = None, *, keep_default_na: bool = True) -> "MissingMarks":
        """The marks that users name: a value, several, or a mapping from columns to these."""
        everywhere = set(DEFAULT_NA) if keep_default_na else set()
        columns: dict[str, set[str]] = {}
        for part in _several(na_values):
            if isinstance(part, Mapping):
                for column, values in part.items():
                    columns.setdefault(column, set()).update(map(_spelled, _several(values)))
            else:
                everywhere.add(_spelled(part))
        named = sorted(columns.items())
        return cls(frozenset(everywhere), tuple((name, frozenset(some)) for name, some in named))

    def of(self, column: str | None) -> ColumnMarks:
        """The marks of a column; None is one without name."""
        more = dict(self.of_columns).get(column or "")
        return self.unnamed if more is None else _column_marks(self.everywhere | more)

    def check_columns(self, columns: Collection[Any], labels: Any = None) -> None:
        """Raise if marks are given for columns that are none of a table's, nor that of `labels`."""
        names = [each for each in columns if isinstance(each, str)]
        unknown = [
            f"{name!r}{meant(name, names)}"
            for name, _ in self.of_columns
            if name not in columns and name != labels
        ]
        if unknown:
            msg = f"na_values names {', '.join(unknown)}, which is not a column"
            if not names:
                msg += ": the columns of an array have no names; give marks for all of them"
            raise DataError(msg)

    def plus(self, other: "MissingMarks") -> "MissingMarks":
        """The marks of both."""
        of_columns = dict(self.of_columns)
        for name, marks in other.of_columns:
            of_columns[name] = of_columns.get(name, frozenset()) | marks
        return MissingMarks(self.everywhere | other.everywhere, tuple(sorted(of_columns.items())))

    @property
    def options(self) -> dict[str, Any]:
        """What users give as `na_values` and `keep_default_na` to have these marks."""
        kept = self.everywhere >= DEFAULT_NA
        values: list[Any] = sorted(self.everywhere - (DEFAULT_NA if kept else frozenset()))
        if self.of_columns:
            values.append({name: sorted(some) for name, some in self.of_columns})
        return {"na_values": values, "keep_default_na": kept}


def infinite_sentence(names: Iterable[str]) -> str:
    """What users are told about columns whose infinite values are missing values."""
    return f"infinite values are treated as missing in {', '.join(names)}"


@cache
def _column_marks(strings: frozenset[str]) -> ColumnMarks:
    return ColumnMarks(strings)


def _several(values: Any) -> Iterable[Any]:
    if values is None:
        return ()
    single = isinstance(values, str | Mapping | Real) or not isinstance(values, Iterable)
    return (values,) if single else values


def _spelled(value: Any) -> str:
    """A mark as a string; numbers as they are commonly written."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Real) and not isinstance(value, bool):  # type: ignore[unreachable]
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)  # inf and -inf, too
    msg = f"na_values must be strings or numbers, or a mapping from columns to these, got {value!r}"
    raise OptionError(msg)


def _numbers(strings: Iterable[str]) -> Iterable[float]:
    for text in strings:
        try:
            number = float(text)
        except ValueError:
            continue
        if not isnan(number):
            yield number


INFINITY = frozenset(("inf", "-inf"))
"""Marks of a column whose infinite numbers are missing."""

STANDARD_MARKS = MissingMarks()
ORDINARY = STANDARD_MARKS.unnamed
"""The marks of a column of which nothing is said."""
