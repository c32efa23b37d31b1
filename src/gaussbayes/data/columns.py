"""`Columns`: the user's request about the columns of a table, and the kind of each column.

A `Request` adds the target, the weights and the needs of families. Named columns are found by name
or pattern. The rules in `gaussbayes.data.column_rules` determine the kinds of the others from a
sample of the rows. The result is a `ColumnTable`, which determines how rows are read.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.option import Option, check_values
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import CodeArray, LabelArray
from gaussbayes.data.categories import level_outside
from gaussbayes.data.column_rules import (
    CONSTANT,
    NO_VALUES,
    Answer,
    Sample,
    SampledColumn,
    check_labels,
    check_target,
    decide,
    is_name,
)
from gaussbayes.data.rows import KIND_ARGUMENTS, NO_CLASSES, Targets, placed_kinds, schema_of
from gaussbayes.data.schema import (
    EXCLUDED,
    INFINITY,
    NOT_REQUESTED,
    REQUESTED,
    Column,
    ColumnKind,
    ColumnMarks,
    ColumnTable,
    MissingMarks,
    Schema,
)
from gaussbayes.data.tables import (
    as_frame,
    check_distinct,
    check_present,
    is_frame,
    listed,
    sampled_places,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gaussbayes.data.sources import OpenSource

ColumnNames: TypeAlias = Sequence[str] | Sequence[int] | Sequence[str | int] | str
"""Columns by name, by pattern such as ``temp_*``, or by number."""

_LISTS = (str, list, tuple, np.ndarray)


def _names(name: str, help_text: str, form: str = "a list of columns") -> Option:
    return Option(
        name, None, help_text, (None,), types=_LISTS, form=form, metavar="COLUMN", is_list=True
    )


COLUMN_OPTIONS: tuple[Option, ...] = (
    _names(
        "features",
        "Use exactly these columns, given by name or pattern (temp_*); "
        "the default is all informative columns.",
    ),
    _names("exclude", "Do not use these columns, given by name or pattern (temp_*)."),
    _names(
        "names",
        "Names of all columns of an array or a file, in place of those in its header.",
        "a list of names",
    ),
    _names("categorical", "Treat these columns as categories, integers included."),
    _names("numeric", "Treat these columns as numbers and never drop them."),
    _names("dates", "Treat these columns as dates, in days since the first."),
    Option(
        "na_values",
        None,
        "Further values that mark a missing value: for all columns, or per column.",
        (None,),
        (-np.inf, np.inf),
        (*_LISTS, Mapping),
        "a string, a list of these, or a mapping from columns to these",
        "[COLUMN=]VALUE",
        is_list=True,
    ),
    Option(
        "keep_default_na",
        True,
        "Treat NA, N/A, NaN, null, None, ? and their variants as missing values.",
        (True, False),
    ),
    Option(
        "keep_identifiers",
        False,
        "Keep columns that seem to identify rows.",
        (True, False),
    ),
    Option(
        "unlabelled",
        None,
        "Label that marks a row as unlabelled, for example -1.",
        types=(str, object),
        form="a label or None",
        metavar="LABEL",
    ),
)
"""The arguments of `Columns`."""


class DroppedColumnsWarning(UserWarning):
    """Columns were dropped because they carry no information about the class, or reveal it.

    `fit` warns once and lists every dropped column with the reason; `columns_` has the same list.
    ``Columns(features=[…])`` names exactly the columns to use, ``Columns(exclude=[…])`` drops
    columns without a warning.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", DroppedColumnsWarning)
    """


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Specify which columns of a table to use, and their kinds.

    Arguments are stored as given and checked by `fit`. Without any of them, the kind of each column
    is detected: strings, booleans and categorical types are categories, dates are days, and columns
    that identify rows, are constant, copy another column or the target, or are strings with too
    many levels are dropped with a `DroppedColumnsWarning`. The columns of an array are numbers.

    Parameters
    ----------
    features : list of names, patterns such as ``temp_*``, or None
        Use exactly these columns. None uses all informative columns.
    exclude : list of names or patterns, or None
        Do not use these columns.
    names : list of names, or None
        Names of all columns of an array or a file, in place of those in its header.
    categorical : list of names or numbers, or None
        Columns that hold categories, integers included.
    numeric : list of names or numbers, or None
        Columns that hold numbers; they are never dropped.
    dates : list of names, or None
        Columns that hold dates.
    na_values : a string, a number, several of these, {column: these}, or None
        Marks of missing values beside None, NaN, the empty string and the usual marks.
    keep_default_na : bool
        Whether the usual marks (NA, N/A, NaN, null, None, ?, …) are missing values.
    keep_identifiers : bool
        Whether columns that seem to identify rows are kept.
    unlabelled : a label, or None
        Label that marks a row as unlabelled, for example −1, beside missing labels.

    Examples
    --------
    >>> columns = Columns(exclude=["id"], categorical=["ward"])
    >>> columns.set_params(exclude=None)
    Columns(categorical=['ward'])
    >>> columns == Columns(exclude=("id",), categorical=("ward",))
    True
    """

    features: ColumnNames | None = None
    exclude: ColumnNames | None = None
    names: Sequence[str] | None = None
    categorical: ColumnNames | None = None
    numeric: ColumnNames | None = None
    dates: ColumnNames | None = None
    na_values: object = None
    keep_default_na: bool = True
    keep_identifiers: bool = False
    unlabelled: object = None

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the arguments by name, as given.

        Parameters
        ----------
        deep : bool
            Ignored; arguments have no nested parameters.

        Returns
        -------
        dict
        """
        del deep
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Return a copy with other arguments; this object does not change.

        Parameters
        ----------
        **params
            Arguments of the constructor by name.

        Returns
        -------
        Columns
        """
        check_values(COLUMN_OPTIONS, params)
        return replace(self, **params)

    def check(self) -> None:
        """Raise `OptionError` for an argument that has a wrong type or contradicts another."""
        check_values(COLUMN_OPTIONS, self.get_params())
        for argument in ("features", "names"):
            value = getattr(self, argument)
            if isinstance(value, str):
                msg = f"{argument} must be a list of columns, got {value!r}; write [{value!r}]"
                raise OptionError(msg)
        given: dict[Any, str] = {}
        for kind in ("categorical", "numeric", "dates"):
            for column in as_list(getattr(self, kind)):
                if given.setdefault(column, kind) != kind:
                    msg = f"column {column!r} cannot be both {given[column]} and {kind}: choose one"
                    raise OptionError(msg)

    def __repr__(self) -> str:
        defaults = {option.name: option.default for option in COLUMN_OPTIONS}
        given = self.get_params().items()
        parts = [f"{n}={v!r}" for n, v in given if v is not defaults[n]]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Columns):
            return NotImplemented
        return bool(_frozen(asdict(self)) == _frozen(asdict(other)))

    def __hash__(self) -> int:
        return hash(repr(_frozen(asdict(self))))


def as_list(columns: ColumnNames | None) -> list[Any]:
    """Columns as a list, also a single name."""
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def _frozen(value: Any) -> Any:
    """A value with tuples in place of lists and arrays, so that equal ones compare equal."""
    if isinstance(value, Mapping):
        return {name: _frozen(value[name]) for name in sorted(value, key=repr)}
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_frozen(each) for each in value)
    return value


# The request.


@dataclass(frozen=True)
class Request:
    """A request for a table: columns, labels, weights, and the needs of families.

    A label that is missing, or is ``columns.unlabelled``, makes an unlabelled row.
    """

    columns: Columns = field(default_factory=Columns)
    target: str | None = None
    """The column that holds the labels; None if no row has one, or they are given apart."""
    weights: str | None = None
    """The column of the sample weights, if there is one."""
    families: Mapping[str | int, ColumnKind] = field(default_factory=dict)
    """The kinds that families need for their features, by name or number."""

    @cached_property
    def missing(self) -> MissingMarks:
        """What stands for missing values."""
        given = self.columns
        return MissingMarks.given(given.na_values, keep_default_na=given.keep_default_na)

    @property
    def label_marks(self) -> ColumnMarks:
        """What stands for a missing label."""
        return self.missing.of(self.target).plus(self.columns.unlabelled)

    @property
    def marks(self) -> MissingMarks:
        """The marks of missing values, and of missing labels in the target."""
        if self.target is None or self.columns.unlabelled is None:
            return self.missing
        named = MissingMarks(frozenset(), ((self.target, self.label_marks.strings),))
        return self.missing.plus(named)

    @property
    def is_automatic(self) -> bool:
        """Whether the columns to use are selected by their contents."""
        return self.columns.features is None

    @property
    def kinds(self) -> dict[str | int, ColumnKind]:
        """The requested kinds of columns, by name or number."""
        given: dict[str | int, ColumnKind] = {}
        for kind, argument in KIND_ARGUMENTS.items():
            given |= dict.fromkeys(as_list(getattr(self.columns, argument)), kind)
        return given | dict(self.families)

    def features_of(self, names: Sequence[str], shown: str) -> list[str]:
        """The columns of a table without target and weights, which must exist and differ."""
        check_distinct(shown, names)
        if self.target is not None and self.target == self.weights:
            msg = f"{self.target!r} cannot be both the target and the weights: name two columns"
            raise DataError(msg)
        others = [name for name in (self.target, self.weights) if name is not None]
        check_present(names, others)
        return [name for name in names if name not in others]


# The kinds of the columns.

SKIP_ROWS = Remedy("skip such rows", read=(("bad_rows", "skip"),))

SAMPLE_ROWS = 50_000
"""Number of rows used to determine the kinds of columns."""


def decide_columns(
    table: Any,
    request: Request,
    *,
    labels: CodeArray | None = None,
    called: str = "the target",
    source: OpenSource | None = None,
    whole: bool = True,
) -> ColumnTable:
    """The kinds of the columns of a table, by a sample of its rows.

    Parameters
    ----------
    table : a frame (pandas, polars, Arrow, narwhals); the target and the weights may be among its
        columns
    labels : (n,) class codes, −1 for rows without; None are those of the target column
    called : name of given labels in messages
    source : the source of the sample, if the table is a sample of the requested columns
    whole : whether these are all rows of the table

    Examples
    --------
    >>> import pandas as pd
    >>> n = range(40)
    >>> frame = pd.DataFrame({"row": n, "kind": ["a", "b"] * 20, "size": [i % 7 for i in n]})
    >>> decide_columns(frame, Request(target="kind")).sentence
    'used 1 column: 1 number; excluded row (identifies rows)'
    """
    frame = as_frame(table)
    inferred = None if source is None else source.inferred
    names = list(frame.columns if inferred is None else inferred.schema.names)
    parsed = inferred is not None and inferred.is_text
    amounts = inferred is None or parsed
    features = request.features_of(names, "the table")
    request.missing.check_columns(names, called)
    given = _given_kinds(features, request)
    answers: dict[str, Answer] = {
        name: ("excluded", reason) for name, reason in _not_wanted(features, request, given).items()
    }
    rows = sampled_places(len(frame), SAMPLE_ROWS)
    if rows.size < len(frame):
        frame, whole = frame[rows], False
        labels = None if labels is None else labels[rows]
    if request.target is not None:
        target = SampledColumn.of(frame[request.target], request.label_marks)
        check_target(target, whole=whole)
        labels, called = target.codes, request.target
    columns = {}
    for name in features:
        if name not in answers:
            marks = request.missing.of(name)
            column = SampledColumn.of(
                frame[name], marks, typed=inferred is not None and name in inferred.categorical
            )
            columns[name] = column.held_as(given.get(name), parsed=parsed, amounts=amounts)
    automatic = request.is_automatic
    keeps_identifiers = request.columns.keep_identifiers
    sample = Sample(given, labels, called, whole, not automatic, keeps_identifiers)
    answers |= decide(columns, sample)
    if source is None or source.handling == "error":
        numbered = None if parsed and not whole else rows + int(parsed)
        used = {name for name, (kind, _) in answers.items() if kind != "excluded"}
        shown = "" if source is None else f"{source.shown}: "
        _check_strays(columns, used, request, numbered, is_file=parsed, shown=shown)
    infinite = sorted(
        name
        for name, column in columns.items()
        if automatic and answers[name][0] == "number" and column.is_infinite
    )
    marked = MissingMarks(frozenset(), tuple((name, INFINITY) for name in infinite))
    answers |= {
        name: (kind, None) for name, kind in given.items() if kind == "count" and name in columns
    }
    decided = tuple(_column(name, answers[name], columns.get(name)) for name in features)
    result = ColumnTable(decided, request.target, request.missing.plus(marked))
    if not result.used:
        _raise_for_none(result, set(names) - set(features), columns)
    return result


def decide_source(source: OpenSource, request: Request) -> ColumnTable:
    """The kinds of the columns of a source, by rows of the requested ones."""
    names = source.inferred.schema.names
    features = request.features_of(names, source.shown)
    excluded = _not_wanted(features, request, _given_kinds(features, request))
    wanted = [name for name in names if name not in excluded]
    sample, whole = source.sampled_rows(wanted, SAMPLE_ROWS)
    return decide_columns(sample, request, source=source, whole=whole)


def decided_schema(columns: ColumnTable, request: Request) -> Schema:
    """The features: the used columns, in the requested order."""
    kinds = {column.name: column.kind for column in columns.used}
    if not request.is_automatic:
        wanted = _matching(as_list(request.columns.features), columns.names, "features")
        kinds = {name: kinds[name] for name in wanted if name in kinds}
    places = tuple(place for place, kind in enumerate(kinds.values()) if kind == "category")
    missing = columns.missing
    return Schema(NO_CLASSES, len(kinds), tuple(kinds), places, missing=missing, roles=columns)


def table_schema(
    X: Any,
    request: Request,
    labels: tuple[Targets, LabelArray] | None = None,
    target: str | None = None,
) -> Schema:
    """The features among the columns of a table in memory, by their contents and the request.

    The columns of an array have no types: they are numbers, unless they were declared categories.
    `labels` are targets and classes, `target` is their name, if they have one.
    """
    frame = as_frame(X) if is_frame(X) else None
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return _array_schema(X, request)
    check_not_feature(as_list(request.columns.features), target)
    codes = None
    if labels is not None:
        codes = labels[0].codes
        if request.is_automatic:
            check_labels(codes, labels[1])
    columns = decide_columns(frame, request, labels=codes, called=target or "the target")
    warn_of_columns(columns)
    return decided_schema(columns, request)


def _array_schema(X: Any, request: Request) -> Schema:
    """The features among the columns of an array, which may have names."""
    names = request.columns.names
    if request.missing.of_columns:
        request.missing.check_columns(names or ())
    if names is not None:
        check_distinct("names", names)
    schema = schema_of(X, request.kinds, request.missing, names)
    if names is None:
        if request.columns.exclude or not request.is_automatic:
            msg = (
                "features and exclude need columns with names: give X as a data frame, or name the "
                "columns of an array"
            )
            raise OptionError(msg)
        return schema
    reasons = _not_wanted(names, request, {})
    kinds: dict[str, ColumnKind] = dict.fromkeys(names, "number")
    kinds |= {names[place]: "category" for place in schema.categorical}
    kinds |= dict.fromkeys(reasons, "excluded")
    columns = tuple(Column(name, kind, reasons.get(name)) for name, kind in kinds.items())
    decided = ColumnTable(columns, missing=request.missing)
    if not decided.used:
        _raise_for_none(decided, (), {})
    return decided_schema(decided, request)


def warn_of_columns(columns: ColumnTable) -> None:
    """Warn of columns that were dropped, alone determine the class, or have infinite numbers."""
    for notice in columns.notices(columns.missing):
        kind = DroppedColumnsWarning if notice.kind == "dropped columns" else UserWarning
        warnings.warn(str(notice), kind, stacklevel=level_outside())


# Requested columns.


def _given_kinds(names: Sequence[str], request: Request) -> dict[str, ColumnKind]:
    """The requested kinds of columns, by name."""
    kinds = placed_kinds(request.kinds, names, len(names))
    return {names[place]: kind for place, kind in kinds.items()}


def check_not_feature(
    features: Sequence[str], target: str | None, weights: str | None = None
) -> None:
    """Raise if the target or the weights are also requested as a feature."""
    for role, name in (("target", target), ("weights", weights)):
        if name is not None and name in features:
            msg = f"{name!r} is the {role} and cannot be a feature too: remove it from features"
            raise DataError(msg)


def _not_wanted(
    names: Sequence[str], request: Request, given: Mapping[str, ColumnKind]
) -> dict[str, str]:
    """The columns that are not requested, with reasons."""
    reasons: dict[str, str] = {}
    if not request.is_automatic:
        features = as_list(request.columns.features)
        check_not_feature(features, request.target, request.weights)
        wanted = _matching(features, names, "features")
        reasons = dict.fromkeys((name for name in names if name not in wanted), NOT_REQUESTED)
    every = [*names, *([] if request.target is None else [request.target])]
    excluded = _matching(as_list(request.columns.exclude), every, "exclude")
    if request.target in excluded:
        msg = (
            f"the target {request.target!r} cannot be left out: it is named by exclude. Give names "
            "or patterns that do not match it"
        )
        raise DataError(msg)
    reasons |= dict.fromkeys(excluded, EXCLUDED)
    both = next((name for name in given if name in reasons), None)
    if both is not None:
        msg = f"{both!r} is given a type, but it is {reasons[both]}: remove one of the two"
        raise DataError(msg)
    return reasons


def _matching(patterns: Sequence[str], names: Sequence[str], argument: str) -> list[str]:
    """The columns matched by names and patterns such as ``temp_*``, each once."""
    if argument == "features":
        twice = sorted({pattern for pattern in patterns if patterns.count(pattern) > 1})
        if twice:
            msg = f"features must name each column once, but names {listed(twice)} more than once"
            raise DataError(msg)
    matches = {
        pattern: [pattern]
        if pattern in names
        else [name for name in names if fnmatchcase(name, pattern)]
        for pattern in patterns
    }
    unknown = [
        f"{pattern!r}{meant(pattern, names)}" for pattern, found in matches.items() if not found
    ]
    if unknown:
        msg = (
            f"there is no column {', '.join(unknown)}, named by {argument}; the columns are "
            f"{listed(names)}"
        )
        raise DataError(msg)
    return list(dict.fromkeys(name for found in matches.values() for name in found))


def _raise_for_none(
    decided: ColumnTable, others: Collection[str], columns: Mapping[str, SampledColumn]
) -> None:
    """Raise because all columns are excluded."""
    if not decided.columns:
        msg = f"there is no column to use besides {listed(sorted(others)) or 'none'}"
        raise DataError(msg)
    reasons = ", ".join(f"{each.name!r} ({each.reason})" for each in decided.columns[:10])
    more = f" and {len(decided) - 10} more" if len(decided) > 10 else ""
    useless = (NO_VALUES, CONSTANT, *REQUESTED)
    varied = [each.name for each in decided.columns if each.reason not in useless]
    usable = [name for name in varied if not is_name(columns[name])]
    which = "it" if len(usable) == 1 else "them"
    remedy = Remedy(f"use {which} all the same", columns=(("features", usable),))
    msg = f"no column is left to use: all are excluded, {reasons}{more}"
    if any(each.reason == EXCLUDED for each in decided.columns):
        msg += ". Exclude fewer columns"
    elif varied and not usable:
        msg += (
            ". Names of rows carry no information about other rows: add columns that do, such as "
            "a length, a count or a group made from the text"
        )
    raise DataError(msg).with_remedies([remedy] if usable else [])


# Contents of columns.


def _check_strays(
    columns: Mapping[str, SampledColumn],
    used: set[str],
    request: Request,
    rows: NDArray[np.intp] | None,
    *,
    is_file: bool,
    shown: str,
) -> None:
    """Raise one error for all columns of numbers in which a few strings are not numbers.

    `rows` are the numbers of the rows, if they are known.
    """
    found = {name: column for name, column in columns.items() if column.strays.size}
    if not found:
        return
    problems, marks = [], {}
    for name, column in found.items():
        marks[name] = [str(value) for value in column.values[column.strays]]
        few = ", ".join(f"{mark!r:.60}" for mark in marks[name][:3])
        first = int(np.argmax(np.isin(column.codes, column.strays)))
        where = "" if rows is None else f", first in row {rows[first]}"
        problems.append(f"{name!r} ({few}{', …' * (column.strays.size > 3)}{where})")
    names = list(found)
    numeric = () if is_file else (("numeric", names),)
    remedies = []
    if all(each.counts[each.strays].sum() < each.n_known for each in found.values()):
        missing = (("na_values", marks), *numeric)
        remedies.append(Remedy("treat these values as missing", columns=missing))
        remedies += [SKIP_ROWS] if is_file else []
    free = not any(request.kinds.get(name) not in {None, "number"} for name in names)
    if free and all(column.dtype == "String" for column in found.values()):  # no numbers among them
        remedies.append(Remedy("treat strings as categories", columns=(("categorical", names),)))
    if free and request.is_automatic and used - set(names):
        what = "the column" if len(names) == 1 else "these columns"
        remedies.append(Remedy(f"exclude {what}", columns=(("exclude", names),)))
    msg = f"{shown}not all values of a column of numbers are numbers: {'; '.join(problems)}"
    raise DataError(msg).with_remedies(remedies)


def _column(name: str, answer: Answer, column: SampledColumn | None) -> Column:
    """The record of a column; dates count from the first of them."""
    kind, reason = answer
    if kind != "date" or column is None:
        return Column(name, kind, reason)
    first = float(np.floor(column.values.min(initial=np.inf))) if column.n_values else 0.0
    return Column(name, kind, reason, (date(1970, 1, 1) + timedelta(days=first)).isoformat())
