"""Names and kinds of columns, names of classes, and marks of missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from math import isnan
from numbers import Real
from operator import index
from typing import Any, Literal, TypeAlias

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.notices import Notice, Remedy
from gaussbayes.base.result import Result, plain
from gaussbayes.base.spelling import meant
from gaussbayes.base.text_tables import MOST_NAMED, Block, TextTable
from gaussbayes.base.types import LabelArray

# Marks of missing values: one rule for files of all formats and for Python. None, NaN, null and the
# empty string are always missing. A list of usual marks, which can be turned off, and marks named
# by the user for all columns or for some are missing as well.

DEFAULT_NA = frozenset(
    (
        *("NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "?", "."),
        *("<NA>", "#N/A", "#N/A N/A", "#NA", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
    )
)
"""Strings that mark a missing value in every column."""


@dataclass(frozen=True, slots=True)
class ColumnMarks:
    """The strings and numbers that mark missing values of one column.

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
        """Whether a string or a number marks a missing value."""
        if isinstance(value, str):
            return value.strip() in self.strings
        number = isinstance(value, Real) and not isinstance(value, bool)
        return number and value in self.numbers

    def plus(self, value: Any) -> ColumnMarks:
        """The marks with one more value, unless it is None."""
        return self if value is None else ColumnMarks(self.strings | {_spelled(value)})


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """The strings that mark missing values, in all columns and in some.

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
    def given(cls, na_values: Any = None, *, keep_default_na: bool = True) -> MissingMarks:
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
        """The marks of a column; None is an unnamed column."""
        more = dict(self.of_columns).get(column or "")
        return self.unnamed if more is None else _column_marks(self.everywhere | more)

    def check_columns(self, columns: Collection[Any], labels: Any = None) -> None:
        """Raise if marks are given for columns that do not exist and are not that of `labels`."""
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

    def plus(self, other: MissingMarks) -> MissingMarks:
        """The marks of both."""
        of_columns = dict(self.of_columns)
        for name, marks in other.of_columns:
            of_columns[name] = of_columns.get(name, frozenset()) | marks
        return MissingMarks(self.everywhere | other.everywhere, tuple(sorted(of_columns.items())))

    @property
    def options(self) -> dict[str, Any]:
        """The arguments `na_values` and `keep_default_na` that give these marks."""
        kept = self.everywhere >= DEFAULT_NA
        values: list[Any] = sorted(self.everywhere - (DEFAULT_NA if kept else frozenset()))
        if self.of_columns:
            values.append({name: sorted(some) for name, some in self.of_columns})
        return {"na_values": values, "keep_default_na": kept}


@cache
def _column_marks(strings: frozenset[str]) -> ColumnMarks:
    return ColumnMarks(strings)


def _several(values: Any) -> Iterable[Any]:
    if values is None:
        return ()
    single = isinstance(values, str | Mapping | Real) or not isinstance(values, Iterable)
    return (values,) if single else values


def _spelled(value: Any) -> str:
    """A mark as a string; numbers in their usual notation."""
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
"""The marks of a column without a request."""


# Columns.

ColumnKind: TypeAlias = Literal["number", "category", "count", "date", "excluded"]
"""The kind of a column of a table; dates are numbers of days since an origin."""

NOT_REQUESTED = "not among the features"
"""The reason for excluding a column if others were named."""

EXCLUDED = "excluded"
"""The reason for excluding a column that was named."""

IDENTIFIES = "identifies rows"
"""The reason for excluding a column that identifies rows."""

REQUESTED = (NOT_REQUESTED, EXCLUDED)
"""The reasons for excluding columns on request."""

POSSIBLE_MARK = "may mark missing values"
"""End of the reason of a column with a value such as −999; the value comes first."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table with its kind and the reason.

    Parameters
    ----------
    name : str
    kind : "number", "category", "count", "date" or "excluded"
    reason : str or None
        Why the column is excluded, or what is suspicious about a column that is used.
    origin : str or None
        The day that counts as 0 in a column of dates, such as 2024-01-31.
    """

    name: str  #: as in the table
    kind: ColumnKind  #: "number", "category", "count", "date" or "excluded"
    reason: str | None = None  #: why it is excluded, or what is suspicious about it
    origin: str | None = None  #: the day that counts as 0 in a column of dates


@dataclass(frozen=True, slots=True)
class ColumnTable(Result):
    """The kinds of the columns of a table, in the order of the table, without the target.

    Parameters
    ----------
    columns : tuple of Column
    target : str or None
        The column that holds the labels, if it has a name.

    Examples
    --------
    >>> table = ColumnTable((Column("id", "excluded", "identifies rows"),
    ...     Column("age", "number"), Column("born", "date", origin="1990-01-01")), "ill")
    >>> table.sentence
    'used 2 columns: 1 number, 1 date; excluded id (identifies rows)'
    >>> table.dated("born", 31.0), table.dated("age", 31.0)
    ('1990-02-01', 31.0)
    >>> print(table)
    target: ill
    <BLANKLINE>
    column  kind      reason
    ──────────────────────────────────
    id      excluded  identifies rows
    age     number
    born    date      since 1990-01-01
    >>> [column.name for column in table if column.kind == "number"], table["born"].kind
    (['age'], 'date')
    """

    columns: tuple[Column, ...]  #: in the order of the table, without the target
    target: str | None = None  #: the column that holds the labels
    missing: MissingMarks = field(default=STANDARD_MARKS, repr=False, compare=False)
    """What stands for missing values."""
    strings: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """Columns of categories that are strings, even if all of them are numerals."""

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str | int) -> Column:
        if isinstance(name, int):
            return self.columns[name]
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            msg = f"there is no column {name!r}{meant(name, self.names)}"
            raise KeyError(msg)
        return found

    def tables(self) -> Sequence[Block]:
        """Return the target and a table of the columns."""
        since = {each.name: f"since {each.origin}" for each in self.columns if each.origin}
        rows = [
            (each.name, each.kind, "; ".join(filter(None, (since.get(each.name), each.reason))))
            for each in self.columns
        ]
        target = [] if self.target is None else [f"target: {self.target}"]
        return [*target, TextTable(("column", "kind", "reason"), rows, sides="l")]

    def to_dict(self) -> dict[str, object]:
        """Return the target and the columns as values that JSON can hold."""
        return {"target": self.target, "columns": [plain(column) for column in self.columns]}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.columns)

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are used."""
        return tuple(column for column in self.columns if column.kind != "excluded")

    @property
    def excluded(self) -> tuple[Column, ...]:
        """The columns that are not."""
        return tuple(column for column in self.columns if column.kind == "excluded")

    @property
    def dropped(self) -> tuple[Column, ...]:
        """The excluded columns that the user did not exclude."""
        return tuple(each for each in self.excluded if each.reason not in REQUESTED)

    @property
    def origins(self) -> dict[str, str]:
        """The origin of each column of dates, by name."""
        return {each.name: each.origin for each in self.columns if each.origin is not None}

    def dated(self, name: str, value: Any) -> Any:
        """The date of a number of days in a column of dates; other values unchanged."""
        origin = self.origins.get(name)
        if origin is None or value is None or isnan(value):
            return value
        try:
            date = datetime.fromisoformat(origin) + timedelta(days=value)
        except OverflowError:  # beyond all calendars
            return value
        date = (date + timedelta(milliseconds=500)).replace(microsecond=0)
        return str(date).removesuffix(" 00:00:00")

    @property
    def doubts(self) -> tuple[Column, ...]:
        """The used columns that alone determine the class."""
        marks = self.possible_marks
        return tuple(each for each in self.used if each.reason and each.name not in marks)

    @property
    def possible_marks(self) -> dict[str, str]:
        """The values that may mark missing ones, by the names of columns that are used."""
        return {
            column.name: column.reason.partition(" ")[0]
            for column in self.used
            if column.reason is not None and column.reason.endswith(POSSIBLE_MARK)
        }

    @property
    def sentence(self) -> str:
        """One line with the used columns, and the excluded ones with the reasons."""
        forms = {"number": "numbers", "category": "categories", "count": "counts", "date": "dates"}
        kinds = [column.kind for column in self.used]
        counts = Counter(kinds)
        held = ", ".join(
            f"{counts[kind]} {kind if counts[kind] == 1 else form}"  # type: ignore[index]
            for kind, form in forms.items()
            if kind in counts
        )
        line = f"used {len(kinds)} column{'s'[: len(kinds) != 1]}: {held}"
        return f"{line}; excluded {self.reasons}" if self.reasons else line

    @property
    def reasons(self) -> str:
        """The dropped columns with reasons, in one line."""
        return reasons_of(self.dropped)

    def notices(self, missing: MissingMarks) -> Iterator[Notice]:
        """Notices about the columns with these marks of missing values."""
        if self.dropped:
            identifies = any(column.reason == IDENTIFIES for column in self.dropped)
            keep = Remedy("keep identifiers", columns=(("keep_identifiers", True),))
            message = f"dropped {self.reasons}"
            yield Notice("dropped columns", message, (keep,) if identifies else ())
        if self.doubts:
            names = [column.name for column in self.doubts]
            message = f"suspicious {reasons_of(self.doubts)}"
            it = "it" if len(names) == 1 else "them"
            exclude = Remedy(f"exclude {it}", columns=(("exclude", names),))
            message += ": is it known for new rows before their class?"
            yield Notice("suspicious columns", message, (exclude,))
        marks = {name: [mark] for name, mark in self.possible_marks.items()}
        if marks:
            message = ", ".join(f"{name} ({self[name].reason})" for name in marks)
            as_missing = Remedy("treat them as missing", columns=(("na_values", marks),))
            yield Notice("possible missing value", message, (as_missing,))
        infinite = ", ".join(name for name, marks in missing.of_columns if marks >= INFINITY)
        if infinite:
            message = f"infinite values are treated as missing in {infinite}"
            yield Notice("infinite values", message)

    def of_names(self, names: Sequence[str]) -> ColumnTable:
        """Some of the columns alone, in this order."""
        return replace(self, columns=tuple(self[name] for name in names))


def reasons_of(columns: Sequence[Column]) -> str:
    """Columns with their reasons, shortened when there are many."""
    named = [f"{column.name or 'unnamed'} ({column.reason})" for column in columns]
    if len(named) > MOST_NAMED:
        named[MOST_NAMED - 1 :] = [f"{len(named) - MOST_NAMED + 1} more"]
    return ", ".join(named)


@dataclass(frozen=True, slots=True)
class Schema:
    """The classes in order, the number of features, their names if they have any, and their kinds.

    Examples
    --------
    >>> import numpy as np
    >>> schema = Schema(np.array(["no", "yes"]), 2, ("age", "weight"))
    >>> schema.class_name(1), schema.feature_name(0)
    ("'yes'", "'age'")
    >>> Schema(np.array([0, 1]), 2).feature_name(0)
    'feature 0'
    """

    classes: LabelArray  # (k,)
    n_features: int
    features: tuple[str, ...] | None = None
    categorical: tuple[int, ...] = ()  # the columns that hold categories; all others hold numbers
    places: tuple[int, ...] | None = None  # positions of the features of a part among all
    missing: MissingMarks = STANDARD_MARKS  # marks of missing values in a table
    roles: ColumnTable | None = None  # of all columns of the table, if it has names
    listed: tuple[int, ...] | None = (
        None  # class codes in the user's order; None is the sorted order
    )
    announced: LabelArray | None = None  # labels that may occur, also those that have no rows yet

    @property
    def numeric(self) -> tuple[int, ...]:
        """The features that hold numbers."""
        return tuple(j for j in range(self.n_features) if j not in self.categorical)

    @property
    def origins(self) -> dict[str, str]:
        """The origins of the features of dates, by name."""
        return {} if self.roles is None else self.roles.origins

    @property
    def of_numbers(self) -> Schema:
        """The schema of the numeric features."""
        return self.part(self.numeric) if self.categorical else self

    @property
    def of_categories(self) -> Schema:
        """The schema of the features that hold categories, which are numbered among themselves."""
        return self.part(self.categorical)

    def part(self, columns: Sequence[int]) -> Schema:
        """The schema of some of the features, which are numbered among themselves."""
        coded = set(self.categorical)
        hold = tuple(place for place, j in enumerate(columns) if j in coded)
        return Schema(self.classes, len(columns), self._names(columns), hold, tuple(columns))

    def marginal(self, columns: Sequence[int]) -> Schema:
        """The schema of a model of some of the features, in this order."""
        hold = tuple(place for place, j in enumerate(columns) if j in self.categorical)
        names = self._names(columns)
        roles = None if self.roles is None or names is None else self.roles.of_names(names)
        return replace(
            self,
            n_features=len(columns),
            features=names,
            categorical=hold,
            places=None,
            roles=roles,
        )

    def _names(self, columns: Sequence[int]) -> tuple[str, ...] | None:
        return None if self.features is None else tuple(self.features[j] for j in columns)

    def find_columns(self, features: Sequence[int | str]) -> tuple[int, ...]:
        """The columns of features given by name or number, each at most once."""
        if isinstance(features, str):
            features = [features]
        columns = tuple(self.find_column(feature) for feature in features)
        if not columns or len(set(columns)) < len(columns):
            msg = f"features must be different ones, and at least one, got {list(features)!r:.200}"
            raise DataError(msg)
        return columns

    def find_column(self, feature: int | str) -> int:
        """The column of a feature given by name or number."""
        names = self.features or ()
        if isinstance(feature, str):
            if feature in names:
                return names.index(feature)
            known = f"the features are {list(names)!r:.400}" if names else "features have no names"
            close = meant(feature, names)
            msg = f"there is no feature {feature!r}{close}; {known}, and are numbered from 0"
            raise DataError(msg)
        try:
            column = index(feature)
        except TypeError:
            msg = f"a feature must be given by its name or its number, got {feature!r}"
            raise DataError(msg) from None
        if not 0 <= column < self.n_features:
            msg = f"there is no feature {column}; they are numbered from 0 to {self.n_features - 1}"
            raise DataError(msg)
        return column

    def class_name(self, code: int) -> str:
        """The class in a message."""
        label = self.classes[code]
        return repr(label.item() if hasattr(label, "item") else label)

    def feature_name(self, column: int) -> str:
        """The feature in a message."""
        if self.features is not None:
            return repr(self.features[column])
        return f"feature {column if self.places is None else self.places[column]}"

    @property
    def titles(self) -> tuple[str, ...]:
        """The labels of the features (d) in tables and figures: their names, or their numbers."""
        return self.features or tuple(
            f"feature {column}" for column in self.places or range(self.n_features)
        )

    def same_features(self, other: Schema) -> bool:
        """Whether features are the same in number, kind, origin and, if they have any, names."""
        named = self.features is not None and other.features is not None
        alike = (self.n_features, self.categorical) == (other.n_features, other.categorical)
        alike &= self.origins == other.origins
        return alike and not (named and self.features != other.features)

    def feature_list(self, columns: Iterable[int], most: int = 6) -> str:
        """Several features in a message, shortened when there are many."""
        names = [self.feature_name(column) for column in columns]
        more = f" and {len(names) - most} more" if len(names) > most else ""
        return ", ".join(names[:most]) + more

    def position(self, label: object) -> int:
        """The number of the class with this label, or −1."""
        same = (code for code, known in enumerate(self.classes.tolist()) if known == label)
        return next(same, -1)


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    """The given names of the features, one for each."""
    if names is not None and len(names) != n_features:
        msg = f"{n_features} features need as many names, got {list(names)}"
        raise DataError(msg)
    return None if names is None else tuple(names)
