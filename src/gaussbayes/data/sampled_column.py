"""Some rows of a column: its different values, how often they occur, and what they are.

Numbers are numbers, integers too. Strings, booleans and columns of a categorical type are
categories. Dates are dates, also as strings in ISO 8601. Strings nearly all of which are numbers
are numbers with stray values, and strings all of which are, in a file of text, are numbers.
"""

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.missing_marks import ORDINARY, ColumnMarks
from gaussbayes.base.schema import ColumnKind
from gaussbayes.base.types import CodeArray
from gaussbayes.data.categories import column_codes
from gaussbayes.data.tables import days_of, is_missing, without_marks

FEW = 20
"""Different values that may be codes; and rows below which little can be concluded."""

STRAYS = 0.01
"""The largest proportion of strings that are errors in a column of numbers."""

MARKED = 0.25
"""The largest proportion of strings that mark missing values among measurements."""

MOST_MARKS = 5
"""The largest number of different strings that are such marks."""

_DATE = re.compile(r"\s*\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?\s*")
_NUMBER = re.compile(r"(?i)\s*[+-]?(inf|(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?)\s*")
_ZERO = re.compile(r"\s*[+-]?0\d")
_CODE = re.compile(r"(?=.*\d)[^\W_]+([-/][^\W_]+)*")
_NO_CODES: NDArray[np.intp] = np.empty(0, np.intp)


@dataclass(frozen=True)
class SampledColumn:
    """Some rows of a column: the codes of its values, −1 for missing ones, and these."""

    name: str
    kind: ColumnKind
    codes: CodeArray  # (n,)
    values: NDArray[Any]  # (m,)
    dtype: str  # as its container calls it
    is_text: bool = False  # strings, not of a categorical type, whatever they spell
    is_supported: bool = True  # whether its type can be numbers or categories
    strays: NDArray[np.intp] = field(
        default_factory=lambda: _NO_CODES
    )  # codes of strings that are not numbers in one of these

    @classmethod
    def of(
        cls, series: Any, marks: ColumnMarks = ORDINARY, *, typed: bool = False
    ) -> "SampledColumn":
        """The values of a series of narwhals, without `marks`, which stand for missing ones.

        If it is `typed`, it is of a categorical type, whatever the series says.
        """
        name, dtype = series.name, str(series.dtype)
        try:
            codes, values = column_codes(series, repr(name))
        except (DataError, TypeError):
            nothing = np.zeros(len(series), np.int32), np.zeros(1)
            return cls(name, "number", *nothing, dtype, is_supported=False)
        present = np.bincount(codes[codes >= 0], minlength=values.size)[: values.size] > 0
        kept = np.flatnonzero(present & ~_missing(values, marks))
        translation = np.full(values.size + 1, -1, np.int32)
        translation[kept] = np.arange(kept.size)
        codes, values = translation[codes], values[kept]
        if typed:
            return cls(name, "category", codes, values, dtype)
        if _is_text(series.dtype, values):
            # Numbers may be among objects.
            values = np.fromiter(map(str, values.tolist()), object, values.size)
            if values.size and all(map(_DATE.fullmatch, values.tolist())):
                days = days_of(np.arange(values.size), values)
                if np.isfinite(days).all():
                    return cls(name, "date", codes, days, dtype, is_text=True)
            return cls(name, "category", codes, values, dtype, is_text=True)
        kind = _kind(series.dtype, values)
        if kind == "date":
            values = days_of(np.arange(values.size), values)
        return cls(name, kind or "number", codes, values, dtype, is_supported=kind is not None)

    def held_as(self, requested: ColumnKind | None, *, parsed: bool) -> "SampledColumn":
        """The column as what it is used as: what is requested, or else what its values are.

        Strings that spell numbers are numbers where these can be `parsed`.
        """
        if requested == "date":
            return self._as_dates()
        if requested == "category":
            self._check_categories()
            return replace(self, kind="category")
        if not self.is_text or self.kind == "date":
            return (
                self if requested is None or self.kind == "date" else replace(self, kind="number")
            )
        strays = _stray_codes(self, requested=requested is not None)
        spells = parsed and all(
            _NUMBER.fullmatch(text) and not _ZERO.match(text) for text in self.values.tolist()
        )
        number = requested is not None or strays.size or spells
        return replace(self, kind="number" if number else "category", strays=strays)

    def without_spelled_dates(self) -> "SampledColumn":
        """The same, where strings cannot be read as dates."""
        if self.kind != "date" or not self.is_text:
            return self
        dtype = f"date ({self.dtype})"
        return replace(self, kind="number", dtype=dtype, is_text=False, is_supported=False)

    def _as_dates(self) -> "SampledColumn":
        """The same as dates, those that are none being infinite, if half of the values are."""
        if self.kind == "date":
            return self
        days = days_of(np.arange(self.n_values), self.values)
        if not self.is_text or 2 * np.isfinite(days).sum() < self.n_values:
            example = f", for example {self.values[0]!s:.40}" if self.n_values else ""
            held = f"{self.dtype} values{example}"
            msg = f"column {self.name!r} holds {held}, and no dates such as 2024-01-31"
            raise DataError(msg)
        return replace(self, kind="date", values=days)

    def _check_categories(self) -> None:
        """Raise if most of a column are numbers with fractions, which are not categories."""
        if self.kind != "number" or self.values.dtype.kind != "f":
            return
        fractions = np.rint(self.values) != self.values
        if 2 * self.counts[fractions].sum() > self.n_known:
            msg = (
                f"column {self.name!r} holds numbers such as {self.values[fractions][0]}, but "
                "categories are strings, integers or booleans: learn from it as a number, or cut "
                "the numbers into a few intervals"
            )
            raise DataError(msg)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many rows have each value (m,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.values.size)

    @property
    def n_rows(self) -> int:
        return int(self.codes.size)

    @property
    def n_known(self) -> int:
        """How many values are not missing."""
        return int(self.counts.sum())

    @property
    def n_values(self) -> int:
        """How many different values there are."""
        return int(self.values.size)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all values are integers."""
        if self.kind != "number" or self.values.dtype.kind not in "iuf":
            return False
        return bool(np.all(np.rint(self.values) == self.values))

    @property
    def is_infinite(self) -> bool:
        """Whether some numbers are infinite."""
        return self.values.dtype.kind == "f" and bool(np.isinf(self.values).any())

    @property
    def is_ordered(self) -> bool:
        """Whether larger and smaller mean something."""
        return self.kind in {"number", "date"} and self.values.dtype.kind in "biuf"

    @cached_property
    def first_rows(self) -> NDArray[np.intp]:
        """The first row that has each value (m,)."""
        known = np.flatnonzero(self.codes >= 0)[::-1]
        first = np.full(self.n_values, self.n_rows)
        first[self.codes[known]] = known  # of several rows the last one stays: the first of all
        return first

    @property
    def in_order(self) -> NDArray[Any]:
        """The values (m,) in the order in which they come first."""
        return np.asarray(self.values[np.argsort(self.first_rows)])

    @cached_property
    def partition(self) -> NDArray[np.int32]:
        """Codes (n,) in the order in which values come first."""
        rank = np.append(np.argsort(np.argsort(self.first_rows)), -1).astype(np.int32)
        return np.asarray(rank[self.codes])

    def head(self, n_rows: int) -> "SampledColumn":
        """The first rows, as many as that."""
        codes = self.codes[:n_rows]
        kept = np.unique(codes[codes >= 0])
        translation = np.full(self.n_values + 1, -1, np.int32)
        translation[kept] = np.arange(kept.size)
        return replace(self, codes=translation[codes], values=self.values[kept])


def is_number(text: str) -> bool:
    """Whether a string spells a number."""
    return _NUMBER.fullmatch(text) is not None


def _stray_codes(column: SampledColumn, *, requested: bool) -> NDArray[np.intp]:
    """The codes of strings that are not numbers where nearly all others are, or are requested.

    Few numbers that occur again and again are rather codes: 0, 1, 2, 3+. So are 001, 002, 003A, and
    integers among which others are like 136A or 98115-4820 more than once.
    """
    texts = [str(value) for value in column.values]
    numbers = np.fromiter(map(is_number, texts), bool, len(texts))
    n_numbers, n_rows = np.count_nonzero(numbers), column.counts[numbers].sum()
    n_strays = column.n_known - n_rows
    codes = n_numbers <= min(FEW, n_rows / 2) or any(map(_ZERO.match, texts))
    codes |= n_strays > 1 and all(
        text.strip().isdecimal() if number else _CODE.fullmatch(text.strip())
        for text, number in zip(texts, numbers, strict=True)
    )
    few = n_strays <= max(1, STRAYS * column.n_known)
    # Measurements, with a few marks for those that are missing.
    marks = numbers.size - n_numbers <= MOST_MARKS and n_strays <= MARKED * column.n_known
    few |= n_numbers > n_rows / 2 and marks
    few &= n_numbers > 1 and not codes
    return np.flatnonzero(~numbers) if few or requested else _NO_CODES


def _missing(values: NDArray[Any], marks: ColumnMarks) -> NDArray[np.bool_]:
    """Which values stand for missing ones (m,)."""
    if values.dtype.kind == "M":
        return np.asarray(np.isnat(values))
    if values.dtype.kind in "biuf":
        return np.asarray(np.isnan(without_marks(values, marks)))
    return np.fromiter((is_missing(value, marks) for value in values.tolist()), bool, values.size)


def _is_text(dtype: Any, values: NDArray[Any]) -> bool:
    """Whether a type of narwhals, or an object among values, is a string."""
    import narwhals.stable.v2 as nw

    if dtype in (nw.Object, nw.Unknown):
        return any(isinstance(value, str) for value in values.tolist())
    return bool(dtype == nw.String)


def _kind(dtype: Any, values: NDArray[Any]) -> ColumnKind | None:
    """What a type of narwhals that is not text holds; None if a model has no use for it."""
    import narwhals.stable.v2 as nw

    if dtype in (nw.Object, nw.Unknown):
        types = {type(value) for value in values.tolist()}
        if types and types <= {bool}:
            return "category"
        return "number" if all(issubclass(each, int | float) for each in types) else None
    if dtype in (nw.Categorical, nw.Enum, nw.Boolean):
        return "category"
    if dtype == nw.Date or isinstance(dtype, nw.Datetime):
        return "date"
    return "number" if dtype.is_numeric() else None
