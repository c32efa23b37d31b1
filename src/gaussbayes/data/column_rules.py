"""The kind of each column of a table, with a reason: the first rule that applies decides.

A `SampledColumn` has some rows of a column: its distinct values, their frequencies and their type.
Integers and floats are numbers. Strings, booleans and columns of a categorical type are categories.
Dates may be strings in ISO 8601. A column of strings that are nearly all numbers is a column of
numbers with stray values, and in a text file a column of strings that are all numbers is a column
of numbers.

A rule returns a kind with its reason for such a sample, or None if it does not apply.
Columns that users describe are never excluded; the others are, if they

- have no value, one value, or values of a type that is neither a number nor a category,
- identify rows: their name suggests it and nearly all values differ, they number the rows, or they
are
  strings most of which are unique,
- have too many categories,
- repeat another column or the target.

A column that alone determines the class without being the target is used, with a warning.
`check_target` checks whether a column can be the target.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import lgamma, log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CodeArray, LabelArray
from gaussbayes.data.schema import IDENTIFIES, ORDINARY, POSSIBLE_MARK, ColumnKind, ColumnMarks
from gaussbayes.data.tables import (
    column_codes,
    days_of,
    is_amount,
    is_missing,
    without_marks,
)

FEW = 20
"""Largest number of distinct values of codes; also the least number of rows for such rules."""

STRAYS = 0.01
"""The largest proportion of strings that are errors in a column of numbers."""

MARKED = 0.25
"""The largest proportion of strings that mark missing values among measurements."""

MOST_MARKS = 5
"""The largest number of distinct strings that are such marks."""

_DATE = re.compile(r"\s*\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?\s*")
_NUMBER = re.compile(r"(?i)\s*[+-]?(inf|(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?)\s*")
_ZERO = re.compile(r"\s*[+-]?0\d")
_CODE = re.compile(r"(?=.*\d)[^\W_]+([-/][^\W_]+)*")
_NO_CODES: NDArray[np.intp] = np.empty(0, np.intp)


@dataclass(frozen=True)
class SampledColumn:
    """Some rows of a column: codes of its distinct values, −1 for missing ones, and the values."""

    name: str
    kind: ColumnKind
    codes: CodeArray  # (n,)
    values: NDArray[Any]  # (m,)
    dtype: str  # in the container's terms
    is_text: bool = False  # strings, not of a categorical type, even if they are numerals
    is_supported: bool = True  # whether its type can be numbers or categories
    strays: NDArray[np.intp] = field(
        default_factory=lambda: _NO_CODES
    )  # codes of strings that are not numbers in one of these

    @classmethod
    def of(
        cls, series: Any, marks: ColumnMarks = ORDINARY, *, typed: bool = False
    ) -> "SampledColumn":
        """The values of a narwhals series without `marks` of missing values.

        If it is `typed`, it is of a categorical type, for any type of the series.
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

    def held_as(
        self, requested: ColumnKind | None, *, parsed: bool, amounts: bool
    ) -> "SampledColumn":
        """The column with its requested kind, or else the kind of its values.

        Numerals become numbers if they can be `parsed`; strings with amounts of money or
        percentages do so if `amounts` can be parsed.
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
        texts = self.values.tolist()
        spells = parsed or (amounts and self.has_amounts)
        spells = spells and all(is_number(text) and not _ZERO.match(text) for text in texts)
        number = requested is not None or strays.size or spells
        return replace(self, kind="number" if number else "category", strays=strays)

    def _as_dates(self) -> "SampledColumn":
        """The column as dates, if half of its values are; other values become infinite."""
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
                "categories are strings, integers or booleans: treat it as a number, or cut "
                "the numbers into a few intervals"
            )
            raise DataError(msg)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """The number of rows with each value (m,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.values.size)

    @property
    def n_rows(self) -> int:
        return int(self.codes.size)

    @property
    def n_known(self) -> int:
        """The number of values that are not missing."""
        return int(self.counts.sum())

    @property
    def n_values(self) -> int:
        """The number of distinct values."""
        return int(self.values.size)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all values are integers."""
        if self.kind != "number" or self.values.dtype.kind not in "iuf":
            return False
        return bool(np.all(np.rint(self.values) == self.values))

    @cached_property
    def has_amounts(self) -> bool:
        """Whether strings are amounts of money, percentages, or numbers with thousands."""
        return any(map(is_amount, self.values.tolist()))

    @property
    def is_infinite(self) -> bool:
        """Whether some numbers are infinite."""
        return self.values.dtype.kind == "f" and bool(np.isinf(self.values).any())

    @property
    def is_ordered(self) -> bool:
        """Whether the values are ordered."""
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
        """The values (m,) in the order of their first rows."""
        return np.asarray(self.values[np.argsort(self.first_rows)])

    @cached_property
    def partition(self) -> NDArray[np.int32]:
        """Codes (n,) in the order of the first rows of values."""
        rank = np.append(np.argsort(np.argsort(self.first_rows)), -1).astype(np.int32)
        return np.asarray(rank[self.codes])

    def head(self, n_rows: int) -> "SampledColumn":
        """The first rows."""
        codes = self.codes[:n_rows]
        kept = np.unique(codes[codes >= 0])
        translation = np.full(self.n_values + 1, -1, np.int32)
        translation[kept] = np.arange(kept.size)
        return replace(self, codes=translation[codes], values=self.values[kept])

    def without(self, pattern: re.Pattern[str]) -> "SampledColumn":
        """Strings without the matches of a pattern."""
        texts = [pattern.sub("", str(text)) for text in self.values.tolist()]
        values, places = np.unique(np.array(texts, object), return_inverse=True)
        codes = np.append(places, -1).astype(np.int32)  # −1 is the last entry
        return replace(self, codes=codes[self.codes], values=values)


def is_number(text: str) -> bool:
    """Whether a string is a numeral or an amount."""
    return _NUMBER.fullmatch(text) is not None or is_amount(text)


def _stray_codes(column: SampledColumn, *, requested: bool) -> NDArray[np.intp]:
    """Codes of strings that are not numbers in a column that is numeric or requested as numeric.

    Few numbers that recur often are treated as codes: 0, 1, 2, 3+; also 001, 002, 003A, and
    integers beside several codes such as 136A or 98115-4820.
    """
    texts = [str(value) for value in column.values]
    spelled = is_number if column.has_amounts else _NUMBER.fullmatch  # which is faster
    numbers = np.fromiter((bool(spelled(text)) for text in texts), bool, len(texts))
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
    """Which values mark missing ones (m,)."""
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
    """The kind of a narwhals type other than text; None if models cannot use it."""
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


# Rules.

NO_VALUES, CONSTANT = "no values", "constant"

MOST_CATEGORIES = 1000
"""A column of strings with more distinct values is free text or a key."""

ROWS_OF_A_CATEGORY = 5
"""Least mean number of rows per category; below it, the column identifies rows."""

NEARLY_UNIQUE = 0.9
"""The least proportion of distinct values of a column that may identify rows."""

FEWEST_ROWS = 3
"""The least number of rows for rules about the values of a column."""

START = 200
"""Number of rows used to find columns that may be copies."""

BY_CHANCE = log(1e-6)
"""Probability that thresholds of an uninformative number separate all classes."""

_POSSIBLE_MARKS = frozenset(
    sign * (10.0**digits - 1) for digits in range(1, 10) for sign in (-1, 1 if digits > 1 else -1)
)
"""−9, ±99, ±999 and so on."""

IDENTIFIERS = frozenset(
    (
        *("id", "ids", "uuid", "guid", "identifier", "key", "code", "number", "num", "no", "nr"),
        *("index", "idx", "rownames", "rowname", "rowid", "unnamed"),
    )
)
"""The last word of names of identifiers, such as hospital_number."""

_CUT = {"digits": re.compile(r"\d+"), "all but digits": re.compile(r"\D+")}
"""Characters that may surround the class in a string."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The context of the rules: other columns, labels and requests."""

    given: Mapping[str, ColumnKind]
    """The kinds of columns that users describe."""
    labels: CodeArray | None = None
    """(n,) class codes, −1 for rows without a label."""
    target: str = "the target"
    is_whole: bool = True
    """Whether these are all rows of the table."""
    keeps_all: bool = False
    """Whether exactly the present columns were requested."""
    keeps_identifiers: bool = False
    copies: Mapping[str, str] = field(default_factory=dict)
    """The reason for excluding columns that repeat another."""


Answer: TypeAlias = tuple[ColumnKind, str | None]
"""The kind of a column and its reason."""

Rule: TypeAlias = Callable[[SampledColumn, Sample], Answer | None]


def decide(columns: Mapping[str, SampledColumn], sample: Sample) -> dict[str, Answer]:
    """The kind of each column with its reason."""
    alone = {name: _first_answer(RULES, column, sample) for name, column in columns.items()}
    undecided = [name for name, answer in alone.items() if answer is None]
    kept = {name: columns[name] for name in columns if name in sample.given or name in undecided}
    sample = replace(sample, copies=_copies(kept, sample.given) if undecided else {})
    return {
        name: answer
        or _first_answer(COMPARING_RULES, columns[name], sample)
        or _used(columns[name])
        for name, answer in alone.items()
    }


def _first_answer(rules: Sequence[Rule], column: SampledColumn, sample: Sample) -> Answer | None:
    answers = (rule(column, sample) for rule in rules)
    return next((answer for answer in answers if answer is not None), None)


def _used(column: SampledColumn) -> Answer:
    return column.kind, None


# Rules about a column alone.


def requested(column: SampledColumn, sample: Sample) -> Answer | None:
    """The user requested it, or there are no rows."""
    wanted = sample.keeps_all or column.name in sample.given or not column.n_rows
    return _used(column) if wanted else None


def no_values(column: SampledColumn, _: Sample) -> Answer | None:
    """All values are missing."""
    return None if column.n_known else ("excluded", NO_VALUES)


def unsupported_type(column: SampledColumn, _: Sample) -> Answer | None:
    """The type is one that models cannot use, such as lists or times of day."""
    reason = f"holds {column.dtype} values, neither numbers nor categories"
    return None if column.is_supported else ("excluded", reason)


def too_few_rows(column: SampledColumn, _: Sample) -> Answer | None:
    """Columns with few rows are not excluded."""
    return _used(column) if column.n_rows < FEWEST_ROWS else None


def identifier(column: SampledColumn, sample: Sample) -> Answer | None:
    """It identifies rows."""
    if sample.keeps_identifiers or not (is_name(column) or _is_row_number(column)):
        return None
    return "excluded", IDENTIFIES


def constant(column: SampledColumn, _: Sample) -> Answer | None:
    """It has one value."""
    return ("excluded", CONSTANT) if column.n_values == 1 else None


def too_many_categories(column: SampledColumn, sample: Sample) -> Answer | None:
    """Its categories have too few rows each."""
    m, n = column.n_values, column.n_known
    enough = max(2, n / (2 if m <= FEW else ROWS_OF_A_CATEGORY))
    if column.kind != "category" or m <= min(MOST_CATEGORIES, enough):
        return None
    texts = [text for text in column.values if not is_number(str(text))]
    if column.is_text and 0 < len(texts) < m / 2:
        return "excluded", f"numbers and text, such as {texts[0]!r:.40}"
    if m <= MOST_CATEGORIES:
        return "excluded", f"{m:,} categories in {n:,} rows"
    return "excluded", f"{'' if sample.is_whole else 'at least '}{m:,} categories"


RULES: tuple[Rule, ...] = (
    requested,
    no_values,
    unsupported_type,
    too_few_rows,
    identifier,
    constant,
    too_many_categories,
)


def is_name(column: SampledColumn) -> bool:
    """Whether nearly all values differ, and are strings or integers in a column called an ID."""
    if column.n_values < FEWEST_ROWS or column.n_values < NEARLY_UNIQUE * column.n_known:
        return False
    if column.is_text:
        return column.kind == "category"
    words = [word.lower() for word in _WORD.findall(column.name)] or [column.name.strip()]
    called = words[-1] in {"", *IDENTIFIERS} or words[0] == "id"
    return called and column.is_integral


def _is_row_number(column: SampledColumn) -> bool:
    """Whether integers rise with the row, or fall."""
    n = column.n_rows
    if column.n_values < n or n < FEW // 2 or not column.is_integral:
        return False
    steps = np.diff(column.values.astype(np.float64)[column.codes])
    return bool((steps > 0).all() or (steps < 0).all())


# Rules that compare a column with others.


def copy_of_column(column: SampledColumn, sample: Sample) -> Answer | None:
    """It repeats another column."""
    reason = sample.copies.get(column.name)
    return None if reason is None else ("excluded", reason)


def copy_of_target(column: SampledColumn, sample: Sample) -> Answer | None:
    """It alone determines the class, possibly within a longer string such as 2013FAIL."""
    if sample.labels is None:
        return None
    answer = _says_target(column, sample)
    if answer is None and column.is_text and column.kind == "category":
        for what, pattern in _CUT.items():
            cut = _says_target(column.without(pattern), sample)
            if cut is not None and cut[0] == "excluded":
                return cut[0], f"{cut[1]} when {what} are cut off"
    return answer


def _says_target(column: SampledColumn, sample: Sample) -> Answer | None:
    """The kind of a column that alone determines the class.

    With one value for each class it is a copy of the target. It is suspicious if it has a few more
    values, or if thresholds of a number separate all classes. With few rows, or with rare values,
    this may be chance.
    """
    assert sample.labels is not None
    known = (column.codes >= 0) & (sample.labels >= 0)
    values, classes = column.codes[known], sample.labels[known]
    class_of = np.full(column.n_values, -1, classes.dtype)
    class_of[values] = classes
    if values.size < FEW or (class_of[values] != classes).any():
        return None
    m, n = int(np.count_nonzero(class_of >= 0)), values.size
    counts = np.bincount(classes)
    k = int(np.count_nonzero(counts))
    repeated = m <= max(FEW // 2, 3 * k) and n >= ROWS_OF_A_CATEGORY * m
    if k >= 2 and repeated and m == k:
        return "excluded", f"one to one with {sample.target}"
    if k < 2 or not (repeated or _separates(column, class_of, counts)):
        return None
    return column.kind, f"alone determines {sample.target}"


def possible_mark(column: SampledColumn, _: Sample) -> Answer | None:
    """A repeated value such as −999, far from all others, may mark missing values."""
    if column.kind != "number" or column.values.dtype.kind not in "iuf":
        return None
    values = np.where(np.isfinite(column.values), column.values, 0.0)
    for extreme in {int(values.argmin()), int(values.argmax())} if values.size > FEW // 2 else ():
        value, others = values[extreme], np.delete(values, extreme)
        is_mark = value in _POSSIBLE_MARKS and column.counts[extreme] > 1
        if is_mark and np.abs(others - value).min() > np.ptp(others):
            return column.kind, f"{value:.0f} in {column.counts[extreme]:,} rows {POSSIBLE_MARK}"
    return None


COMPARING_RULES: tuple[Rule, ...] = (copy_of_column, copy_of_target, possible_mark)


def _separates(column: SampledColumn, class_of: CodeArray, counts: Any) -> bool:
    """Whether thresholds separate the classes of values (m,), more than by chance."""
    if not column.is_ordered:
        return False
    k, n = int(np.count_nonzero(counts)), int(counts.sum())
    by_value = class_of[np.argsort(column.values, kind="stable")]
    n_changes = np.count_nonzero(np.diff(by_value[by_value >= 0]))
    # k! of the n! / Π n_c! orders of the classes have each class in one run.
    chance = lgamma(k + 1) + sum(lgamma(count + 1) for count in counts.tolist()) - lgamma(n + 1)
    return bool(n_changes == k - 1 and chance < BY_CHANCE)


def _copies(
    columns: Mapping[str, SampledColumn], given: Mapping[str, ColumnKind]
) -> dict[str, str]:
    """The columns that repeat another: equal, or one to one."""
    reasons: dict[str, str] = {}
    originals: dict[Any, SampledColumn] = {}
    # Requested columns are kept, and names are preferred to their codes.
    order = sorted(columns, key=lambda name: (name not in given, columns[name].kind != "category"))
    starts = {name: list(_keys(columns[name].head(START))) for name in order}
    often = Counter(key for keys in starts.values() for key in keys)
    for name in order:
        column = columns[name]
        if column.n_rows < FEW // 2:
            break  # it may be by chance
        if all(often[key] == 1 for key in starts[name]):
            continue  # no other column begins like this one
        keys = list(_keys(column))
        same = next((originals[key] for key in keys if key in originals), None)
        if same is not None and name not in given and _is_redundant(column, same):
            equal = column.in_order.tolist() == same.in_order.tolist()
            reasons[name] = f"{'a copy of' if equal else 'one to one with'} {same.name}"
        else:
            originals = dict.fromkeys(keys, column) | originals
    return reasons


def _keys(column: SampledColumn) -> Iterator[Any]:
    """A common key of two columns if one may be redundant.

    Names must divide the rows in the same way. Numbers must be monotone functions of one another:
    otherwise they may be different properties of the same groups. Few numbers may be codes of
    names.
    """
    if not column.is_ordered or column.n_values <= FEW:
        yield "names", column.partition.tobytes()
    if column.is_ordered:
        ranks = np.argsort(np.argsort(column.in_order))
        falls = ranks.size > 1 and ranks[0] > ranks[1]
        ranks = ranks.size - 1 - ranks if falls else ranks
        yield "numbers", column.partition.tobytes(), ranks.tobytes()


def _is_redundant(a: SampledColumn, b: SampledColumn) -> bool:
    """Whether two columns have a key in common by more than chance."""
    repeated = a.n_values <= a.n_known / 2
    if a.is_ordered and b.is_ordered:
        values = [column.in_order.astype(float) for column in (a, b)]
        scaled = [
            column / (np.abs(column).max() or 1.0) for column in values
        ]  # 1e300 has no square
        return bool(repeated or abs(np.corrcoef(np.stack(scaled))[0, 1]) > 1 - 1e-9)
    return repeated and a.n_rows >= FEW


# Targets.

CONTINUOUS = 50
"""Number of distinct integers from which on a target is a measurement."""


def check_target(target: SampledColumn, *, whole: bool = True) -> None:
    """Raise if a column cannot hold classes."""
    name, n, m = target.name, target.n_known, target.n_values
    values = target.values

    def shown(value: Any) -> str:
        return f"{str(value)!r:.40}" if target.is_text else f"{value!s:.40}"

    if target.kind == "number" and values.dtype.kind == "f":
        fractions = values[np.isfinite(values) & (np.rint(values) != values)]
        if fractions.size > 1:
            raise _continuous(name, fractions[0], m, n)
    if n < FEW // 2:
        return
    if target.kind in {"number", "date"} and n > m > max(CONTINUOUS, n / 4):
        raise _continuous(name, values[0], m, n)
    if m == n or m > max(CONTINUOUS, n / 2):
        differs = f"is different in each of {n:,} rows"
        if m < n:
            differs = f"has {m:,} different values in {n:,} rows"
        msg = (
            f"the target {name!r} {differs}, such as {shown(values[0])} and "
            f"{shown(values[-1])}: it names rows, not classes. Choose a column of classes"
        )
        raise DataError(msg)
    if m == 1 and whole:
        msg = (
            f"the target {name!r} is {shown(values[0])} in all {n:,} rows: a classifier needs at "
            "least two classes. Choose a column of classes, or add rows of another class"
        )
        raise DataError(msg)


def check_labels(labels: CodeArray, classes: LabelArray) -> None:
    """Raise if class codes (n,) of a table in memory cannot be classes."""
    number = classes.dtype.kind in "biuf"
    kind: ColumnKind = "number" if number else "category"
    dtype = str(classes.dtype)
    check_target(SampledColumn("y", kind, labels, classes, dtype, is_text=not number))


def _continuous(name: str, example: object, n_values: int, n_rows: int) -> DataError:
    return DataError(
        f"the target {name!r} is continuous: it holds {n_values:,} different numbers in {n_rows:,} "
        f"rows, such as {example}. Predicting a number is regression, which this does not do; "
        "choose a column of classes, or cut the numbers into a few intervals"
    )
