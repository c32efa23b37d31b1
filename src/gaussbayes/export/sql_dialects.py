"""Differences between databases: types, dates, missing values, and limits.

Expressions are given as text, in which {x} is a column. sqlglot quotes names and strings.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.spelling import meant
from gaussbayes.export.ops import InputColumn

try:
    from sqlglot import expressions as sql
except ModuleNotFoundError as error:
    msg = "SQL is written with sqlglot: pip install 'gaussbayes[export]'"
    raise ModuleNotFoundError(msg, name="sqlglot") from error


@dataclass(frozen=True, slots=True)
class Dialect:
    """The types, dates and limits of a database."""

    name: str
    days: str  # from 1970 to a date or a time
    number: str
    """A column as floats; {marked} is whether its text is a mark of a missing value."""
    most_columns: int  # of a subquery
    text: str = "TEXT"
    without_nan: str = "NULLIF({x}, CAST('NaN' AS DOUBLE))"
    materialised: Literal["all", "joins", "none"] = "none"
    """Subqueries that must be marked to be computed once: otherwise a database may copy them into
    whatever uses them, stage by stage, and plan all of their joins together."""
    largest: str = "GREATEST"
    float: str = "{x}"  # a literal such as 1e0 as a float
    has_wide_integers: bool = True  # whether there are integers beyond 2⁶³
    double: str = "DOUBLE"
    has_keys: bool = False  # whether a table needs a key to be searched quickly
    most_bytes: int | None = None  # of a statement

    def name_of(self, *names: str) -> str:
        """A column or a table, with quoted names."""
        if any("\0" in name for name in names):
            msg = f"a name in SQL must be without null characters, got {names!r:.60}"
            raise DataError(msg)
        parts = (sql.to_identifier(name, quoted=True) for name in names)
        return ".".join(part.sql(dialect=self.name) for part in parts)

    def is_mark(self, column: str, marks: frozenset[str]) -> str:
        """Whether the text of a column is a mark of a missing value."""
        strings = ", ".join(map(self.value, sorted(marks)))
        return f"TRIM(CAST({column} AS {self.text})) IN ({strings})"

    def column(self, column: InputColumn) -> str:
        """A column of the table for formulas: NULL if it is missing."""
        x = self.name_of(column.name)
        if column.kind == "category":
            # Comparing an enumeration with a string that is not one of its values may raise an
            # error.
            return f"CAST({x} AS {self.text})" if column.is_text else x
        if column.kind == "date":
            return f"{self.days.format(x=x)} - {self.value(column.origin)}"
        number = self.number.format(x=x, marked=self.is_mark(x, column.marks.strings))
        number = self.without_nan.format(x=number)
        for mark in sorted(column.marks.numbers):
            number = f"NULLIF({number}, {self.value(float(mark))})"
        return number

    def check_size(self, statement: str) -> None:
        """Raise if a statement is too long."""
        size = len(statement.encode())
        if self.most_bytes is not None and size > self.most_bytes:
            msg = (
                f"{self.name} allows {self.most_bytes:,} bytes in a statement, and this model "
                f"takes {size:,}; export a model of fewer features, or choose another dialect"
            )
            raise OptionError(msg)

    def value(self, constant: Any) -> str:
        """A constant; floats are read back to the bit, and NaN is NULL."""
        expected = None
        if isinstance(constant, float):
            return "NULL" if np.isnan(constant) else self.float.format(x=float_text(constant))
        if isinstance(constant, str) and "\0" in constant:
            expected = "without null characters"
        elif isinstance(constant, int) and constant >= 2**63 and not self.has_wide_integers:
            expected = f"integers below 2⁶³, as {self.name} has no others"
        elif not isinstance(constant, str | int):
            expected = "strings, numbers or booleans"
        if expected is not None:
            msg = (
                f"labels and categories must be {expected} to be written as SQL, got "
                f"{constant!r:.80}: make them strings before fitting, or others"
            )
            raise OptionError(msg)
        if isinstance(constant, str):
            return str(sql.Literal.string(constant).sql(dialect=self.name))
        return str(constant).upper()


def float_text(number: float) -> str:
    """A literal that is a float, and is read back to the bit."""
    text = repr(number)
    return text if "e" in text else f"{text}e0"


def _plain(bare: str) -> str:
    """An amount without thousands; a decimal comma stays, so that it is not read as one."""
    decimal = " OR ".join(f"{bare} LIKE '{form}'" for form in ("%,_", "%,__", "%.%,%"))
    return f"CASE WHEN {decimal} THEN {bare} ELSE REPLACE({bare}, ',', '') END"


def _number(is_text: str, text: str, double: str) -> str:
    """A column as numbers. A string may be a missing value, an amount of money or a percentage.

    Planners drop these cases for columns of numbers.
    """
    x = f"CAST({{x}} AS {text})"
    plain = _plain(f"TRANSLATE({x}, '$€£¥% ', '')")
    return (
        f"CASE WHEN {is_text} AND {{marked}} THEN NULL"
        f" WHEN {is_text} AND (TRANSLATE({x}, '$€£¥%', '') <> {x} OR {x} LIKE '%,%.%')"
        f" THEN CAST({plain} AS {double})"
        f" ELSE CAST({{x}} AS {double}) END"
    )


def _number_in_sqlite() -> str:
    """The same. A cast reads the digits at the beginning of any text; only a number equals it."""
    bare = reduce(lambda text, sign: f"REPLACE({text}, '{sign}', '')", "$€£¥% ", "{x}")
    plain = _plain(bare)
    return (
        "CASE WHEN TYPEOF({x}) IN ('integer', 'real') THEN CAST({x} AS REAL)"
        " WHEN {x} IS NULL OR {marked} THEN NULL"
        " WHEN CAST({x} AS REAL) = {x} THEN CAST({x} AS REAL)"
        f" WHEN CAST({plain} AS REAL) = ({plain}) AND ({{x}} LIKE '%,%.%' OR {bare} <> {{x}})"
        f" THEN CAST({plain} AS REAL) ELSE 9e999 END"
    )


_DAYS_OF_TEXT = "(CAST(STRFTIME('%s', {x}) AS REAL) + (CAST(STRFTIME('%f', {x}) AS REAL)"
_DAYS_OF_TEXT += " - CAST(STRFTIME('%S', {x}) AS REAL))) / 86400e0"
"""Not as a Julian day, whose floats cannot represent milliseconds."""

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "duckdb",
            "EPOCH(CAST({x} AS TIMESTAMP)) / 86400e0",
            _number(is_text="TYPEOF({x}) = 'VARCHAR'", text="TEXT", double="DOUBLE"),
            100_000,
            materialised="joins",
        ),
        Dialect(
            "postgres",
            "CAST(EXTRACT(EPOCH FROM CAST({x} AS TIMESTAMP)) AS DOUBLE PRECISION) / 86400e0",
            _number(
                is_text="CAST(PG_TYPEOF({x}) AS TEXT) IN ('text', 'character varying')",
                text="TEXT",
                double="DOUBLE PRECISION",
            ),
            1600,
            without_nan="NULLIF({x}, CAST('NaN' AS DOUBLE PRECISION))",
            materialised="all",
            float="CAST({x} AS DOUBLE PRECISION)",  # otherwise it is a decimal number
            double="DOUBLE PRECISION",
            has_keys=True,
        ),
        Dialect(
            "sqlite",
            _DAYS_OF_TEXT,
            _number_in_sqlite(),
            2000,
            without_nan="{x}",
            materialised="all",
            largest="MAX",
            has_wide_integers=False,
            double="REAL",
            has_keys=True,
        ),
        Dialect(
            "spark",
            "CAST(TIMESTAMPDIFF(MICROSECOND, CAST('1970-01-01' AS TIMESTAMP_NTZ),"
            " CAST({x} AS TIMESTAMP_NTZ)) AS DOUBLE) / 86400e6",
            _number(is_text="TYPEOF({x}) = 'string'", text="STRING", double="DOUBLE"),
            100_000,
            text="STRING",
        ),
        Dialect(
            "bigquery",
            "CAST(UNIX_MICROS(CAST({x} AS TIMESTAMP)) AS FLOAT64) / 86400e6",
            "CAST({x} AS FLOAT64)",
            10_000,
            text="STRING",
            without_nan="CASE WHEN IS_NAN({x}) THEN NULL ELSE {x} END",
            has_wide_integers=False,
            double="FLOAT64",
            most_bytes=1_000_000,
        ),
    )
}
"""The databases that statements are written for."""


def find_dialect(name: object) -> Dialect:
    """The dialect of this name."""
    if not isinstance(name, str) or name not in DIALECTS:
        close = meant(name, DIALECTS) if isinstance(name, str) else ""
        msg = f"dialect must be one of {', '.join(map(repr, DIALECTS))}, got {name!r}{close}"
        raise OptionError(msg)
    return DIALECTS[name]
