"""Which columns of a table a model learns from, as what, and why others are left out.

What is decided follows from a sample of the rows, and from what was asked for:

- Numbers are numbers, integers too. Strings, booleans and columns of a categorical type are
  categories. Dates, also as ISO 8601 writes them in strings, are numbers: days since the first.
- Left out are columns that identify rows, by their values (unique integers that rise with the row,
  strings most of which are unique) or by their names (id, rownames, index, Unnamed: 0); columns
  without values, or with one value only; copies of another column; strings of too many kinds; and
  columns with one value for each class, which give the target away. Others that determine the
  class alone, as a score does that was cut into grades, are used, with a warning.
- What was said of a column holds: it is never left out, and holds what it is said to hold.
"""

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from math import lgamma, log
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.missing_marks import (
    INFINITY,
    ORDINARY,
    ColumnMarks,
    MissingMarks,
    infinite_sentence,
)
from gaussbayes.base.notices import Remedy
from gaussbayes.base.schema import NOT_REQUESTED, Column, ColumnKind, ColumnTable
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import CodeArray, LabelArray
from gaussbayes.data.categories import column_codes, level_outside
from gaussbayes.data.columns import DroppedColumnsWarning
from gaussbayes.data.roles import SKIP_ROWS, Request, check_distinct, check_present, choose_roles
from gaussbayes.data.rows import Encoder, Targets, feature_position
from gaussbayes.data.tables import (
    as_frame,
    days_of,
    is_frame,
    is_missing,
    listed,
    sampled_places,
    without_marks,
)

SAMPLE_ROWS = 50_000
"""Rows of a table, by which its columns are decided on."""

MOST_KINDS = 1000
"""A column of strings with more different values is free text or a key."""

FEW = 20
"""Different values that may be codes; and rows below which little can be said."""

Content: TypeAlias = Literal["number", "string", "boolean", "category", "date", "other"]
"""What the type of a column says; strings that write dates are dates."""

_ROW_NAMES = {
    *("", "id", "ids", "rowname", "rownames", "rowid", "rownumber", "rownum", "rowindex", "index"),
    *("idx", "unnamed", "indexlevel", "uuid", "guid"),
}
"""Columns called so identify rows; digits and signs in their names do not count."""

_NUMBERED = {
    *("account", "animal", "applicant", "case", "cell", "client", "customer", "device", "district"),
    *("document", "employee", "family", "firm", "household", "individual", "interview", "invoice"),
    *("member", "observation", "order", "parcel", "participant", "patient", "person", "player"),
    *("product", "record", "respondent", "sample", "school", "student", "subject", "ticket"),
    *("transaction", "trip", "unit", "user", "voter", "woman", "worker"),
}
"""What is numbered: integers in a column called so, all different, tell rows apart, and so they do
in one called a number, a code or a key. Nearly all different are enough if that ends the name."""

_REPEATED = {
    *("applicant", "client", "customer", "district", "employee", "firm", "household", "individual"),
    *("participant", "patient", "person", "player", "respondent", "school", "student", "subject"),
    *("user", "voter", "woman", "worker"),
}
"""Of what a table has several rows each: many different integers in a column called just so."""

_NUMBERS = ("code", "cod", "num", "number", "key", "no", "nr", "serial")

_SHORT = {"case", "fam", "hh", "ind", "obs", "p", "pat", "rec", "resp", "subj", "u", "uu", "g"}
"""What stands before id in one word, as in pid, beside what is numbered."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")
_DATE = re.compile(r"\s*\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?\s*")
_NUMBER = re.compile(r"(?i)\s*[+-]?(inf|(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?)\s*")
_ZERO = re.compile(r"\s*[+-]?0\d")
_CODE = re.compile(r"(?=.*\d)[^\W_]+([-/][^\W_]+)*")
_MOSTLY = 0.9
"""The proportion of different values that makes a column of strings one of names of rows."""

_STRAYS = 0.01
"""The proportion of strings that are rather errors in a column of numbers."""

_MARKED = 0.25
"""The proportion of values that may be marks of missing ones among numbers."""

_MOST_MARKS = 5
"""Different strings that may be such marks."""

_ROWS_OF_A_KIND = 5
"""Rows that each of many categories has in the mean; below it, the column tells rows apart."""

_FEWEST = 3
"""Rows below which nothing is said of columns by their values."""

_BY_CHANCE = log(1e-6)  # that thresholds of a number which says nothing part all classes

_NO_VALUES, _CONSTANT, _EXCLUDED = "no values", "constant", "excluded"
_OF_NO_USE = (_NO_VALUES, _CONSTANT, _EXCLUDED, NOT_REQUESTED)
"""Reasons for which nobody would learn from a column all the same."""

_START = 200  # rows by which columns that may be copies are found

_CONTINUOUS = 50  # different integers of a target that are rather a measurement


class LeakageWarning(UserWarning):
    """A column alone says what the class of each row is."""


def decide_roles(
    table: Any,
    request: Request,
    *,
    names: Sequence[str] | None = None,
    labels: CodeArray | None = None,
    typed: Collection[str] = (),
    parsed: bool = False,
    spelled: bool = True,
    whole: bool = True,
    shown: str = "",
    called: str = "the target",
) -> ColumnTable:
    """What the columns of a table are to a model, by a sample of its rows.

    Parameters
    ----------
    table : a frame (pandas, polars, Arrow, narwhals) with names, the target and the weights may be
        among its columns
    names : of all columns, where the table has only those that are asked for
    labels : (n,) class codes, −1 for rows without; None are those of the target column
    typed : columns that are of a categorical type, whatever the frame says
    parsed : whether strings that write numbers can be read as numbers, as in files of text
    spelled : whether strings that write dates can be read as dates
    whole : whether these are all rows of the table
    shown : what messages call the table
    called : what messages call the labels, where they are given

    Examples
    --------
    >>> import pandas as pd
    >>> n = range(40)
    >>> frame = pd.DataFrame({"row": n, "kind": ["a", "b"] * 20, "size": [i % 7 for i in n]})
    >>> decide_roles(frame, Request("kind", detect=True)).sentence
    'used 1 column: 1 number; excluded row (identifies rows)'
    """
    frame = as_frame(table)
    every = list(frame.columns if names is None else names)
    check_distinct("the table", every)
    others = [name for name in (request.target, request.weights) if name is not None]
    check_present(every, others)
    names = [name for name in every if name not in others]
    given = _given_kinds(names, request)
    reasons = _not_wanted(names, request, given)
    places = sampled_places(len(frame), SAMPLE_ROWS)
    is_sample = not whole or places.size < len(frame)
    if places.size < len(frame):
        frame = frame[places]
        labels = None if labels is None else labels[places]
    columns = {
        name: SampledColumn.of(
            frame[name], "category" if name in typed else None, request.missing.of(name)
        )
        for name in names
        if name not in reasons
    }
    if not spelled:
        columns = {
            name: replace(column, content="other", dtype="date (String)")
            if column.content == "date" and column.dtype == "String"
            else column
            for name, column in columns.items()
        }
    columns |= {
        name: columns[name].as_dates()
        for name, kind in given.items()
        if kind == "date" and name in columns
    }
    if request.target is not None:
        target = SampledColumn.of(frame[request.target], None, request.label_marks)
        check_target(target, whole=not is_sample)
        labels = target.codes
    roles = {
        name: _role(column, given.get(name), parsed=parsed) for name, column in columns.items()
    }
    if request.bad_rows == "error":
        rows = None if parsed and is_sample else places + int(parsed)
        texts = {
            name: _strays(column, told=name in given)
            for name, column in columns.items()
            if column.content == "string" and given.get(name, "number") == "number"
        }
        how: dict[str, Any] = {"is_file": parsed, "n_columns": len(columns), "shown": shown}
        found = {name: (columns[name], strays) for name, strays in texts.items() if strays.size}
        _check_strays(found, request, rows, **how)
    doubts: dict[str, str] = {}
    if request.is_automatic and len(frame):
        free = {name: column for name, column in columns.items() if name not in given}
        for name, column in free.items():
            why = _untyped(column)
            if why is None and column.n_rows >= _FEWEST:
                why = _useless(column, roles[name], request, whole=not is_sample)
            if why is not None:
                reasons[name] = why
        kept = {name: column for name, column in columns.items() if name not in reasons}
        reasons |= _copies(kept, given, roles)
        if labels is not None:
            of = called if request.target is None else request.target
            for name, column in free.items():
                if name not in reasons and (known := _determines(column, labels)):
                    sort, text = known
                    (reasons if sort == "copy" else doubts)[name] = f"{text} {of}"
    decided = ColumnTable(
        tuple(
            Column(name, "excluded", reasons[name])
            if name in reasons
            else Column(name, roles[name], doubts.get(name), _origin(columns[name], roles))
            for name in names
        ),
        request.target,
        tuple(
            name
            for name, column in columns.items()
            if column.is_infinite and name not in reasons and roles[name] == "number"
        )
        if request.is_automatic
        else (),
    )
    if not decided.used:
        _raise_for_none(decided, others, columns)
    return decided


def columns_asked_for(names: Sequence[str], request: Request) -> list[str]:
    """The columns that must be looked at, the target among them, of all there are."""
    others = (request.target, request.weights)
    features = [name for name in names if name not in others]
    reasons = _not_wanted(features, request, _given_kinds(features, request))
    return [name for name in names if name not in reasons]


def decide_source(table: Any, request: Request, **how: Any) -> tuple[Request, ColumnTable]:
    """The request for the columns of a source that were decided on, and what these are.

    `how` is as in `decide_roles`.
    """
    roles = decide_roles(table, request, **how)
    request.missing.check_columns(how.get("names") or as_frame(table).columns)
    return settled(request, roles), roles


def settled(request: Request, roles: ColumnTable) -> Request:
    """The request for exactly those columns that were decided on."""
    names = roles.names
    kinds: dict[str | int, Any] = {
        names[feature_position(feature, names, len(names))]: kind
        for feature, kind in (request.kinds or {}).items()
    }
    used = [column.name for column in roles.used]
    if request.features is not None and not request.is_automatic:
        listed_first = _expanded(request.features, names, "features")
        used = [name for name in listed_first if name in used]
    categorical = [each.name for each in roles.used if each.kind == "category"]
    infinite = MissingMarks(frozenset(), tuple((name, INFINITY) for name in sorted(roles.infinite)))
    return replace(
        request,
        missing=request.missing.plus(infinite),
        features=used,
        exclude=(),
        categorical=categorical,
        detect=False,
        kinds=kinds | dict.fromkeys(roles.origins, "date"),
    )


def table_encoder(
    X: Any,
    request: Request,
    labels: tuple[Targets, LabelArray] | None = None,
    target: str | None = None,
) -> Encoder:
    """The features among the columns of a table in memory, by what they hold and what was said.

    The columns of an array have no types: they are numbers, unless they were said to be categories.
    `labels` are targets and classes, `target` is their name, if they have one.
    """
    frame = as_frame(X) if is_frame(X) else None
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return _array_encoder(X, request)
    request.missing.check_columns(frame.columns, target)
    if target is not None and target in (request.features or ()):
        msg = f"{target!r} is the target and cannot be a feature too: leave it out of features"
        raise DataError(msg)
    codes = None
    if labels is not None:
        codes = labels[0].codes
        if request.is_automatic:
            check_labels(codes, labels[1])
    roles = decide_roles(frame, request, labels=codes, called=target or "the target")
    warn_of_columns(roles)
    return choose_roles(frame.columns, settled(request, roles), roles).encoder


def _array_encoder(X: Any, request: Request) -> Encoder:
    """The features among the columns of an array, which may have been given names."""
    names = request.names
    request.missing.check_columns(names or ())
    check_distinct("names", names or ())
    encoder = Encoder.learn(X, request.categorical, request.kinds, request.missing, names)
    if names is None:
        if request.exclude or request.features is not None:
            msg = (
                "features and exclude need columns with names: give X as a data frame, or name the "
                "columns of an array"
            )
            raise OptionError(msg)
        return encoder
    kinds = ["category" if j in encoder.categorical else "number" for j in range(len(names))]
    kind_of: dict[str, Any] = dict(zip(names, kinds, strict=True))
    reasons = _not_wanted(names, request, {})
    columns = ColumnTable(
        tuple(
            Column(name, "excluded", reasons[name]) if name in reasons else Column(name, kind)
            for name, kind in kind_of.items()
        )
    )
    if not columns.used:
        _raise_for_none(columns, [], {})
    used = tuple(column.name for column in columns.used)
    places = tuple(place for place, name in enumerate(used) if kind_of[name] == "category")
    return Encoder(len(used), used, places, missing=request.missing, roles=columns)


def warn_of_columns(roles: ColumnTable) -> None:
    """Warn of columns that were dropped, alone determine the class, or have infinite numbers."""
    level = level_outside()
    if roles.dropped:
        n = len(roles.dropped)
        what = "1 column was" if n == 1 else f"{n} columns were"
        msg = (
            f"{what} dropped: {roles.reasons}. Columns(features=[…]) uses exactly the columns that "
            "it names, and Columns(exclude=[…]) drops columns without this warning"
        )
        warnings.warn(msg, DroppedColumnsWarning, stacklevel=level)
    if roles.infinite:
        warnings.warn(infinite_sentence(roles.infinite), UserWarning, stacklevel=level)
    for column in roles.doubts:
        msg = f"{column.name!r} {column.reason}: if it is known only with the class, exclude it"
        warnings.warn(msg, LeakageWarning, stacklevel=level)


# What was asked for.


def _given_kinds(names: Sequence[str], request: Request) -> dict[str, str]:
    """What columns were said to hold: numbers, or categories."""
    given = {
        names[feature_position(feature, names, len(names), "categorical")]: "category"
        for feature in request.categorical
    }
    words = {"positive": "transforms", "number": "numeric", "date": "dates"}
    for feature, kind in (request.kinds or {}).items():
        argument = words.get(kind, "families")
        name = names[feature_position(feature, names, len(names), argument)]
        given[name] = kind if kind in {"category", "date"} else "number"
    return given


def _not_wanted(names: Sequence[str], request: Request, given: dict[str, str]) -> dict[str, str]:
    """The columns that are not asked for, and why."""
    reasons: dict[str, str] = {}
    if request.features is not None and not request.is_automatic:
        for name in (request.target, request.weights):
            if name is not None and name in request.features:
                role = "target" if name == request.target else "weights"
                msg = (
                    f"{name!r} is the {role} and cannot be a feature too: leave it out of features"
                )
                raise DataError(msg)
        wanted = _expanded(request.features, names, "features")
        reasons = dict.fromkeys((name for name in names if name not in wanted), NOT_REQUESTED)
    every = [*names, *([] if request.target is None else [request.target])]
    excluded = _expanded(request.exclude, every, "exclude")
    if request.target in excluded:
        msg = (
            f"the target {request.target!r} cannot be left out: it is named by exclude. Give names "
            "or patterns that do not match it"
        )
        raise DataError(msg)
    reasons |= dict.fromkeys(excluded, _EXCLUDED)
    both = [name for name in given if name in reasons]
    if both:
        msg = (
            f"it is said what {both[0]!r} holds, but it is {reasons[both[0]]}: leave out one of "
            "the two"
        )
        raise DataError(msg)
    return reasons


def _expanded(patterns: Sequence[str] | str, names: Sequence[str], argument: str) -> list[str]:
    """The columns that names and patterns such as ``temp_*`` stand for, each once."""
    if isinstance(patterns, str):
        msg = f"{argument} must be a list of columns, got a string: give [{patterns!r}]"
        raise DataError(msg)
    if argument == "features":
        check_distinct("the list of features", patterns)
    wanted: dict[str, None] = {}
    unknown = []
    for pattern in patterns:
        if pattern in names:
            wanted[pattern] = None
            continue
        matching = [name for name in names if fnmatchcase(name, pattern)]
        wanted |= dict.fromkeys(matching)
        if not matching:
            unknown.append(f"{pattern!r}{meant(pattern, names)}")
    if unknown:
        msg = (
            f"there is no column {', '.join(unknown)}, named by {argument}; the columns are "
            f"{listed(names)}"
        )
        raise DataError(msg)
    return list(wanted)


def _raise_for_none(
    roles: ColumnTable, others: Sequence[str], columns: "dict[str, SampledColumn]"
) -> None:
    if not roles.columns:
        msg = f"there is no column to use besides {listed(others) or 'none'}"
        raise DataError(msg)
    reasons = ", ".join(f"{each.name!r} ({each.reason})" for each in roles.excluded[:10])
    more = f" and {len(roles.columns) - 10} more" if len(roles.columns) > 10 else ""
    varied = [each.name for each in roles.excluded if each.reason not in _OF_NO_USE]
    usable = [name for name in varied if not _is_name(columns[name])]
    which = "it" if len(usable) == 1 else "them"
    remedy = Remedy(f"use {which} all the same", columns=(("features", usable),))
    msg = f"no column is left to use: all are excluded, {reasons}{more}"
    if any(each.reason == _EXCLUDED for each in roles.excluded):
        msg += ". Exclude fewer columns"
    elif varied and not usable:
        msg += (
            ". Names of rows carry no information about other rows: add columns that do, such as "
            "a length, a count or a group made from the text"
        )
    raise DataError(msg).with_remedies([remedy] if usable else [])


# What a column holds.


@dataclass(frozen=True)
class SampledColumn:
    """Some rows of a column: the codes of its values, −1 for missing ones, and these."""

    name: str
    content: Content
    codes: CodeArray  # (n,)
    values: NDArray[Any]  # (m,)
    dtype: str  # as its container calls it

    @classmethod
    def of(
        cls, series: Any, content: Content | None = None, marks: ColumnMarks = ORDINARY
    ) -> "SampledColumn":
        """The values of a series of narwhals; `marks` stand for missing ones."""
        dtype = str(series.dtype)
        try:
            codes, values = column_codes(series, repr(series.name))
        except (DataError, TypeError):
            return cls(series.name, "other", np.zeros(len(series), np.int32), np.zeros(1), dtype)
        missing = _missing(values, marks)
        present = np.bincount(codes[codes >= 0], minlength=values.size)[: values.size] > 0
        kept = np.flatnonzero(present & ~missing)
        places = np.full(values.size + 1, -1, np.int32)
        places[kept] = np.arange(kept.size)
        values = values[kept]
        content = content or _content(series.dtype, values)
        if content == "string":  # numbers may be among objects
            values = np.fromiter(map(str, values.tolist()), object, values.size)
        written = content == "string" and values.size > 0
        if content == "date" or (written and all(map(_DATE.fullmatch, values.tolist()))):
            days = days_of(np.arange(values.size), values)
            if np.isfinite(days).all():
                content, values = "date", days
        return cls(series.name, content, places[codes], values, dtype)

    def as_dates(self) -> "SampledColumn":
        """The same as dates, those that are none being infinite, if half of the values are."""
        if self.content == "date":
            return self
        days = days_of(np.arange(self.n_kinds), self.values)
        if self.content != "string" or 2 * np.isfinite(days).sum() < self.n_kinds:
            example = f", for example {self.values[0]!s:.40}" if self.n_kinds else ""
            msg = f"column {self.name!r} holds {self.content} values{example}, and no dates such as"
            msg += " 2024-01-31"
            raise DataError(msg)
        return replace(self, content="date", values=days)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many rows have each value (m,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.values.size)

    @property
    def words(self) -> list[str]:
        """The words of its name, in small letters."""
        return [word.lower() for word in _WORD.findall(self.name)]

    @property
    def n_rows(self) -> int:
        return int(self.codes.size)

    @property
    def n_known(self) -> int:
        """How many values are not missing."""
        return int(self.counts.sum())

    @property
    def n_kinds(self) -> int:
        """How many different values there are."""
        return int(self.values.size)

    @cached_property
    def is_integral(self) -> bool:
        """Whether all values are integers."""
        if self.content != "number" or self.values.dtype.kind not in "iuf":
            return False
        return bool(np.all(np.rint(self.values) == self.values))

    @property
    def is_infinite(self) -> bool:
        """Whether some numbers are infinite."""
        return self.values.dtype.kind == "f" and bool(np.isinf(self.values).any())

    @property
    def is_ordered(self) -> bool:
        """Whether larger and smaller mean something."""
        return self.content in {"number", "date"} and self.values.dtype.kind in "biuf"

    @cached_property
    def first_rows(self) -> NDArray[np.intp]:
        """The first row that has each value (m,)."""
        known = np.flatnonzero(self.codes >= 0)[::-1]
        first = np.full(self.n_kinds, self.n_rows)
        first[self.codes[known]] = known  # of several rows the last one stays: the first of all
        return first

    @property
    def in_order(self) -> NDArray[Any]:
        """The values (m,) in the order in which they come first."""
        return np.asarray(self.values[np.argsort(self.first_rows)])

    def head(self, n_rows: int) -> "SampledColumn":
        """The first rows, as many as that."""
        codes = self.codes[:n_rows]
        kept = np.unique(codes[codes >= 0])
        places = np.full(self.n_kinds + 1, -1, np.int32)
        places[kept] = np.arange(kept.size)
        return replace(self, codes=places[codes], values=self.values[kept])

    @cached_property
    def partition(self) -> NDArray[np.int32]:
        """Codes (n,) in the order in which values come first."""
        rank = np.append(np.argsort(np.argsort(self.first_rows)), -1).astype(np.int32)
        return np.asarray(rank[self.codes])


def _missing(values: NDArray[Any], marks: ColumnMarks) -> NDArray[np.bool_]:
    """Which values stand for missing ones (m,)."""
    if values.dtype.kind == "M":
        return np.asarray(np.isnat(values))
    if values.dtype.kind in "biuf":
        return np.asarray(np.isnan(without_marks(values, marks)))
    return np.fromiter((is_missing(each, marks) for each in values.tolist()), bool, values.size)


def _content(dtype: Any, values: NDArray[Any]) -> Content:
    """What a type of narwhals says, and of objects what their values do."""
    import narwhals.stable.v2 as nw

    if dtype in (nw.Object, nw.Unknown):
        kinds = {type(value) for value in values.tolist()}
        if kinds and kinds <= {bool}:
            return "boolean"
        if kinds & {str}:
            return "string"
        return "number" if all(issubclass(kind, int | float) for kind in kinds) else "other"
    if dtype in (nw.Categorical, nw.Enum):
        return "category"
    plain: dict[Any, Content] = {nw.String: "string", nw.Boolean: "boolean", nw.Date: "date"}
    if dtype in plain or isinstance(dtype, nw.Datetime):
        return plain.get(dtype, "date")
    return "number" if dtype.is_numeric() else "other"


def _role(column: SampledColumn, given: str | None, *, parsed: bool) -> ColumnKind:
    """What a column is if it is used; strings that spell numbers may be `parsed`."""
    if column.content == "date" and given != "category":
        return "date"
    if given is not None:
        if given == "category":
            _check_whole(column)
        return "category" if given == "category" else "number"
    if column.content not in {"string", "boolean", "category"}:
        return "number"
    if column.content == "string" and (
        _strays(column).size or (parsed and _spells_numbers(column))
    ):
        return "number"
    return "category"


def _check_strays(
    found: dict[str, tuple[SampledColumn, NDArray[np.intp]]],
    request: Request,
    rows: NDArray[np.intp] | None,
    *,
    is_file: bool,
    n_columns: int,
    shown: str,
) -> None:
    """Raise for all columns of numbers in which a few strings are none, at once.

    They are given with the codes of these strings; `rows` are the numbers of the rows, if known.
    """
    if not found:
        return
    places, marks = [], {}
    for name, (column, strays) in found.items():
        marks[name] = [str(value) for value in column.values[strays]]
        few = ", ".join(f"{mark!r:.60}" for mark in marks[name][:3])
        first = int(np.argmax(np.isin(column.codes, strays)))
        where = "" if rows is None else f", first in row {rows[first]}"
        places.append(f"{name!r} ({few}{', …' * (strays.size > 3)}{where})")
    names = list(found)
    numeric = () if is_file else (("numeric", names),)
    remedies = []
    if all(column.counts[strays].sum() < column.n_known for column, strays in found.values()):
        missing = (("na_values", marks), *numeric)
        remedies.append(Remedy("treat these values as missing", columns=missing))
        remedies += [SKIP_ROWS] if is_file else []
    if all(column.dtype == "String" for column, _ in found.values()):  # no numbers among them
        remedies.append(Remedy("treat strings as categories", columns=(("categorical", names),)))
    if request.is_automatic and len(names) < n_columns:
        what = "the column" if len(names) == 1 else "these columns"
        remedies.append(Remedy(f"exclude {what}", columns=(("exclude", names),)))
    where = f"{shown}: " if shown else ""
    msg = f"{where}not all values of a column of numbers are numbers: {'; '.join(places)}"
    raise DataError(msg).with_remedies(remedies)


def _check_whole(column: SampledColumn) -> None:
    """Raise if most of a column are numbers with fractions, which are no categories."""
    if column.content != "number" or column.values.dtype.kind != "f":
        return
    fractions = np.rint(column.values) != column.values
    if 2 * column.counts[fractions].sum() > column.n_known:
        msg = (
            f"column {column.name!r} holds numbers such as {column.values[fractions][0]}, but "
            "categories are strings, integers or booleans: learn from it as a number, or cut the "
            "numbers into a few intervals"
        )
        raise DataError(msg)


def _spells_numbers(column: SampledColumn) -> bool:
    """Whether strings are all numbers, none with leading zeros: beside what stands for missing."""
    texts = column.values.tolist()
    return all(_NUMBER.fullmatch(text) and not _ZERO.match(text) for text in texts)


def _strays(column: SampledColumn, *, told: bool = False) -> NDArray[np.intp]:
    """The codes of strings that are not numbers where nearly all others are, or are `told` to be.

    Few numbers that occur again and again are rather codes: 0, 1, 2, 3+. So are 001, 002, 003A, and
    integers among which others are like 136A or 98115-4820 more than once.
    """
    texts = [str(value) for value in column.values]
    numbers = np.fromiter((_NUMBER.fullmatch(text) is not None for text in texts), bool, len(texts))
    n_kinds, n_numbers = np.count_nonzero(numbers), column.counts[numbers].sum()
    n_strays = column.n_known - n_numbers
    codes = n_kinds <= min(FEW, n_numbers / 2) or any(map(_ZERO.match, texts))
    codes |= n_strays > 1 and all(
        text.strip().isdecimal() if is_number else _CODE.fullmatch(text.strip())
        for text, is_number in zip(texts, numbers, strict=True)
    )
    few = n_strays <= max(1, _STRAYS * column.n_known)
    # Measurements, with a few marks for those that are missing.
    marks = numbers.size - n_kinds <= _MOST_MARKS and n_strays <= _MARKED * column.n_known
    few |= n_kinds > n_numbers / 2 and marks
    few &= n_kinds > 1 and not codes
    return np.flatnonzero(~numbers) if few or told else np.empty(0, np.intp)


def _origin(column: SampledColumn, roles: dict[str, ColumnKind]) -> str | None:
    """The day of the first date of a column of dates."""
    if roles[column.name] != "date":
        return None
    first = float(np.floor(column.values.min(initial=np.inf))) if column.n_kinds else 0.0
    return (date(1970, 1, 1) + timedelta(days=first)).isoformat()


# Why a column is left out.


def _untyped(column: SampledColumn) -> str | None:
    """Why a column is of no use, whatever its values are."""
    if column.n_known == 0:
        return _NO_VALUES
    if column.content == "other":
        return f"holds {column.dtype} values, neither numbers nor categories"
    return None


def _useless(
    column: SampledColumn, role: ColumnKind, request: Request, *, whole: bool
) -> str | None:
    """Why nothing can be learnt from a column; None if that may well be."""
    what = None if request.keep_identifiers or role == "date" else _identified(column, role)
    if what is not None:
        return f"identifies {what}"
    if column.n_kinds == 1:
        return _CONSTANT
    return _too_many(column, whole=whole) if role == "category" else None


def _is_name(column: SampledColumn, role: ColumnKind = "category") -> bool:
    """Whether a column is called so that it names rows, or has a string of its own for most."""
    if (column.words or not column.name.strip()) and "".join(column.words) in _ROW_NAMES:
        return True
    m = column.n_kinds
    names = column.content == "string" and role == "category"
    return names and m > 2 and m >= _MOSTLY * column.n_known


def _identified(column: SampledColumn, role: ColumnKind) -> Literal["rows", "groups"] | None:
    """What a column identifies, by its name or its values."""
    if _is_name(column, role):
        return "rows"
    if not column.is_integral:
        return None
    return _identified_by_name(column) or ("rows" if _is_row_number(column) else None)


def _identified_by_name(column: SampledColumn) -> Literal["rows", "groups"] | None:
    """What a column of integers numbers, by its name."""
    words, m, many = column.words, column.n_kinds, column.n_kinds >= FEW // 2
    unique, nearly = (many and m >= part * column.n_known for part in (1.0, _MOSTLY))
    if words and ("id" in (words[0], words[-1]) or any(map(_is_id, words))):
        return "rows" if unique else "groups"
    if (unique and _is_numbered(words)) or (nearly and _is_numbered(words[-1:])):
        return "rows"
    return "groups" if len(words) == 1 and words[0] in _REPEATED and m > FEW else None


def _is_row_number(column: SampledColumn) -> bool:
    """Whether integers rise with the row, or fall."""
    n = column.n_rows
    if column.n_kinds < n or n < FEW // 2:
        return False
    steps = np.diff(column.values.astype(np.float64)[column.codes])
    return bool((steps > 0).all() or (steps < 0).all())


def _is_numbered(words: Sequence[str]) -> bool:
    """Whether words in small letters are like student, bib num or distcode."""
    last = words[-1] if words else ""
    return last in _NUMBERS or last.endswith(_NUMBERS[:4]) or not _NUMBERED.isdisjoint(words)


def _is_id(word: str) -> bool:
    """Whether a word in small letters is like userid, pid or idno."""
    if word.startswith("id") and word[2:] in _NUMBERS:
        return True
    return word.endswith("id") and word[:-2] in _NUMBERED | _SHORT


def _too_many(column: SampledColumn, *, whole: bool) -> str | None:
    """Why a column of categories has too many of them."""
    m, n, most = column.n_kinds, column.n_known, MOST_KINDS
    if m <= most and m <= max(2, n / (2 if m <= FEW else _ROWS_OF_A_KIND)):
        return None
    texts = [text for text in column.values if not _NUMBER.fullmatch(str(text))]
    if column.content == "string" and 0 < len(texts) < m / 2:
        return f"numbers and text, such as {texts[0]!r:.40}"
    if column.content == "string" and np.mean([str(v).count(" ") for v in column.values]) >= 4:
        return f"free text, {m:,} different ones"
    if m <= most:
        return f"{m:,} categories in {n:,} rows"
    return f"{m:,} categories" if whole else f"at least {m:,} categories"


def _copies(
    columns: dict[str, SampledColumn], given: Collection[str], roles: dict[str, ColumnKind]
) -> dict[str, str]:
    """The columns that say what another says: the same values, or one value for each of its."""
    reasons: dict[str, str] = {}
    seen: dict[Any, SampledColumn] = {}
    # What was asked for stays, and names rather than the numbers that code them.
    order = sorted(columns, key=lambda name: (name not in given, roles[name] != "category"))
    starts = {name: list(_keys(columns[name].head(_START))) for name in order}
    often = Counter(key for keys in starts.values() for key in keys)
    for name in order:
        column = columns[name]
        if column.n_rows < FEW // 2:
            break  # it may be by chance
        if all(often[key] == 1 for key in starts[name]):
            continue  # no other column begins like this one
        keys = list(_keys(column))
        same = next((seen[key] for key in keys if key in seen), None)
        if same is not None and name not in given and _is_redundant(column, same):
            equal = column.in_order.tolist() == same.in_order.tolist()
            reasons[name] = f"{'a copy of' if equal else 'one to one with'} {same.name}"
        else:
            seen = dict.fromkeys(keys, column) | seen
    return reasons


def _keys(column: SampledColumn) -> Iterator[Any]:
    """What two columns have in common of which one may say nothing of its own.

    Names must part the rows alike. Numbers must rise and fall with one another: otherwise they may
    be several things that are known of the same groups. Few numbers may be codes of names.
    """
    if not column.is_ordered or column.n_kinds <= FEW:
        yield "names", column.partition.tobytes()
    if column.is_ordered:
        ranks = np.argsort(np.argsort(column.in_order))
        falls = ranks.size > 1 and ranks[0] > ranks[1]
        ranks = ranks.size - 1 - ranks if falls else ranks
        yield "numbers", column.partition.tobytes(), ranks.tobytes()


def _is_redundant(a: SampledColumn, b: SampledColumn) -> bool:
    """Whether it is no accident that two columns have a key in common."""
    if a.is_ordered and b.is_ordered:
        values = [column.in_order.astype(float) for column in (a, b)]
        scaled = [some / (np.abs(some).max() or 1.0) for some in values]  # 1e300 has no square
        correlation = np.corrcoef(np.stack(scaled))[0, 1]
        return bool(a.n_kinds <= a.n_known / 2 or abs(correlation) > 1 - 1e-9)
    return a.n_kinds <= a.n_known / 2 and a.n_rows >= FEW


def _determines(
    column: SampledColumn, labels: CodeArray
) -> tuple[Literal["copy", "doubt"], str] | None:
    """Whether a column alone says what the class is.

    With one value for each class it is the target again. With some more values it is doubtful, and
    so it is if thresholds of a number part all classes. In few rows, or with values that occur a
    few times only, it may be by chance.
    """
    known = (column.codes >= 0) & (labels >= 0)
    values, classes = column.codes[known], labels[known]
    class_of = np.full(column.n_kinds, -1, classes.dtype)
    class_of[values] = classes
    if values.size < FEW or (class_of[values] != classes).any():
        return None
    m, n = int(np.count_nonzero(class_of >= 0)), values.size
    count = np.bincount(classes)
    k = int(np.count_nonzero(count))
    if k >= 2 and m <= max(FEW // 2, 3 * k) and n >= _ROWS_OF_A_KIND * m:
        return ("copy", "one to one with") if m == k else ("doubt", "alone determines")
    if k < 2 or not column.is_ordered:
        return None
    by_value = class_of[np.argsort(column.values, kind="stable")]
    n_changes = np.count_nonzero(np.diff(by_value[by_value >= 0]))
    # Of n! / Π n_c! orders of the classes of all rows, k! have each class in one piece.
    chance = lgamma(k + 1) + sum(lgamma(each + 1) for each in count.tolist()) - lgamma(n + 1)
    by_threshold = n_changes == k - 1 and chance < _BY_CHANCE
    return ("doubt", "alone determines") if by_threshold else None


# The target.


def check_target(target: SampledColumn, *, whole: bool = True) -> None:
    """Raise if a column cannot hold classes that can be learnt."""
    name, n, m = target.name, target.n_known, target.n_kinds
    values = target.values

    def shown(value: Any) -> str:
        return f"{str(value)!r:.40}" if target.content == "string" else f"{value!s:.40}"

    if target.content == "number" and values.dtype.kind == "f":
        fractions = values[np.isfinite(values) & (np.rint(values) != values)]
        if fractions.size > 1:
            raise _continuous(name, fractions[0], m, n)
    if n < FEW // 2:
        return
    if target.content in {"number", "date"} and n > m > max(_CONTINUOUS, n / 4):
        raise _continuous(name, values[0], m, n)
    if m == n or m > max(_CONTINUOUS, n / 2):
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
    """Raise if class codes (n,) of a table in memory are no classes that can be learnt."""
    content: Content = "number" if classes.dtype.kind in "biuf" else "string"
    check_target(SampledColumn("y", content, labels, classes, str(classes.dtype)))


def _continuous(name: str, example: object, n_kinds: int, n_rows: int) -> DataError:
    return DataError(
        f"the target {name!r} is continuous: it holds {n_kinds:,} different numbers in {n_rows:,} "
        f"rows, such as {example}. Predicting a number is regression, which this does not do; "
        "choose a column of classes, or cut the numbers into a few intervals"
    )
