"""The columns of a source: which are the target, the features and the weights, what they hold.

A `Request` says what is asked for, a `ColumnSelection` what is read of a source, which has shown
`InferredTypes`; a `ParsedTable` is what was read. A row that does not hold what its columns must is
a `BadRow`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.missing_marks import STANDARD_MARKS, ColumnMarks, MissingMarks
from gaussbayes.base.notices import Remedy
from gaussbayes.base.schema import ColumnTable
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import BadRowHandling
from gaussbayes.data.columns import Columns, as_list
from gaussbayes.data.rows import Encoder, feature_position
from gaussbayes.data.tables import (
    as_frame,
    column_days,
    column_values,
    is_category,
    is_date,
    is_frame,
    is_label,
    is_missing,
    is_number,
    is_string,
    listed,
    value_type,
    without_marks,
)

if TYPE_CHECKING:
    import pyarrow as pa

ContentKind: TypeAlias = Literal["number", "positive", "count", "date", "weight", "category"]
"""What a column must hold: numbers, none of them infinite; integers from 0 on; dates;
numbers that are there and not negative; or strings, integers and booleans. Others may be missing.
"""

_ARGUMENTS = {
    "category": "categorical",
    "number": "numeric",
    "date": "dates",
    "positive": "transforms",
}
"""The arguments that say what columns hold; others are said by families."""

MOST_NAMED = 5
"""Bad rows that are kept to be named."""

SKIP_ROWS = Remedy("skip such rows", read=(("bad_rows", "skip"),))

ANY_TRANSFORM = Remedy("use a transform of any number", (("transforms", "yeo-johnson"),))

NOT_A_NUMBER = "is not a number"
NOT_FINITE, NO_LOGARITHM = "is not finite", "is not above 0, and has no logarithm"

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a source: its labelled rows, in the terms of whoever asks.

    What stands for a missing value says `missing`. A label that is missing, or is the
    `mark`, makes an unlabelled row. Infinity, a string that is no number, a fraction that should be
    a category, and a weight that is missing or negative make a row of a file a bad one.
    """

    target: str | None
    """The column that holds the labels; None if no row has one."""
    features: Sequence[str] | None = None
    """The columns to use, by names or patterns such as ``temp_*``; None is every other one, or,
    if kinds are to be detected, every other one that is informative."""
    weights: str | None = None
    """The column that says how much each row counts, if there is one."""
    kinds: Mapping[str | int, ContentKind] | Mapping[str, ContentKind] = field(default_factory=dict)
    """What features must hold, by name or number among the features, whatever their types are."""
    detect: bool = False
    """Whether the kinds of the other columns are detected: see `gaussbayes.data.column_roles`.
    Otherwise they are numbers."""
    exclude: Sequence[str] = ()
    """Columns not to use, by names or patterns."""
    keep_identifiers: bool = False
    """Whether columns that seem to identify rows are kept."""
    numbers: ContentKind = "number"
    """What features that hold numbers must hold, if nothing else is said of them."""
    string_features: Collection[str] = ()
    """Of files: categorical features that are strings, even if all their values look like numbers,
    as they may in one file of many."""
    mark: Any = None
    """A label that stands for a missing one, beside those that always do."""
    missing: MissingMarks = STANDARD_MARKS
    """What stands for missing values, in features and in labels."""
    bad_rows: BadRowHandling = "error"
    """Of files: whether a row that cannot be used is an error, or left out and counted."""
    names: tuple[str, ...] | None = None
    """Of arrays, and of files of text without header: the names of the columns."""

    @property
    def label_marks(self) -> ColumnMarks:
        """What stands for a missing label."""
        return self.missing.of(self.target).plus(self.mark)

    @property
    def marks(self) -> MissingMarks:
        """What stands for missing values, and for a missing label in the target."""
        if self.target is None or self.mark is None:
            return self.missing
        named = MissingMarks(frozenset(), ((self.target, self.label_marks.strings),))
        return self.missing.plus(named)

    @property
    def is_automatic(self) -> bool:
        """Whether the columns to use are selected by what they hold."""
        return self.detect and self.features is None


def request_of(columns: Columns | None, target: str | None = None, **more: Any) -> Request:
    """The request for the columns of a source that users describe; `more` is as in `Request`."""
    given = columns or Columns()
    given.check()
    missing = MissingMarks.given(given.na_values, keep_default_na=given.keep_default_na)
    kinds: dict[str | int, Any] = dict.fromkeys(as_list(given.categorical), "category")
    kinds |= dict.fromkeys(as_list(given.numeric), "number")
    kinds |= dict.fromkeys(as_list(given.dates), "date")
    return Request(
        target,
        None if given.features is None else as_list(given.features),
        kinds=kinds | dict(more.pop("kinds", {})),
        exclude=as_list(given.exclude),
        keep_identifiers=given.keep_identifiers,
        mark=given.unlabelled,
        missing=missing,
        names=None if given.names is None else tuple(given.names),
        detect=True,
        **more,
    )


def choose_columns(
    columns: Sequence[Any], request: Request, decided: ColumnTable | None = None
) -> tuple[Encoder, dict[str, ContentKind]]:
    """The encoder of the columns wanted, and what all columns but the target must hold.

    The encoder knows no categories. `decided` says what all columns are, if that was decided by
    what they hold. Columns of numbers come first, then weights.
    """
    names = list(columns)
    check_distinct("the table", names)
    target, weights = request.target, request.weights
    others = [name for name in (target, weights) if name]
    wanted = list(request.features or ())
    if request.features is None:
        wanted = [name for name in names if name not in others]
        request.missing.check_columns(names)
    check_distinct("the list of features", wanted)
    check_not_feature(wanted, target, weights)
    if weights is not None and target == weights:
        msg = f"{target!r} cannot be both the target and the weights: name two columns"
        raise DataError(msg)
    check_present(names, (*others, *wanted))
    if not wanted:
        msg = f"there is no column to learn from besides {listed(others)}"
        raise DataError(msg)
    held = dict.fromkeys(wanted, request.numbers) | requested_kinds(wanted, request)
    kinds = {name: kind for name, kind in held.items() if kind != "category"}
    if weights is not None:
        kinds[weights] = "weight"
    places = tuple(place for place, name in enumerate(wanted) if held[name] == "category")
    encoder = Encoder(len(wanted), tuple(wanted), places, missing=request.missing, roles=decided)
    return encoder, kinds | held


def requested_kinds(names: Sequence[str], request: Request) -> dict[str, ContentKind]:
    """What features must hold, by name, of those of which that was said."""
    kinds: dict[str, ContentKind] = {}
    for feature, kind in request.kinds.items():
        argument = _ARGUMENTS.get(kind, "families")
        kinds[names[feature_position(feature, names, len(names), argument)]] = kind
    return kinds


def check_not_feature(
    features: Sequence[str], target: str | None, weights: str | None = None
) -> None:
    """Raise if the target or the weights are also requested as a feature."""
    for role, name in (("target", target), ("weights", weights)):
        if name is not None and name in features:
            msg = f"{name!r} is the {role} and cannot be a feature too: leave it out of features"
            raise DataError(msg)


def check_types(
    schema: "pa.Schema",
    kinds: Mapping[str, ContentKind],
    file: str,
    target: str | None = None,
) -> None:
    """Raise for columns whose types cannot hold what they must, and show what they hold.

    `target` must hold classes.
    """
    held = None if target is None else schema.field(target).type
    if held is not None and not is_label(held) and str(held) != "null":
        msg = (
            f"{file}: the target {target!r} holds {held} values, but classes are strings, integers "
            "or booleans: is it the right column?"
        )
        raise DataError(msg)
    for name, kind in kinds.items():
        held = schema.field(name).type
        expected = "categories are strings, integers or booleans"
        holds = is_category(held)
        if kind != "category":
            expected = "numbers are expected"
            holds = is_number(held) or (kind == "date" and is_date(held))
        if not holds:
            msg = (
                f"{file}: column {name!r} holds {held} values, but {expected}: cast it, or leave "
                "it out"
            )
            raise DataError(msg)


# Rows that cannot be used.


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be used, and why."""

    file: str  # empty as long as it is not known
    row: int  # from 1, the header not counted; from 0 within a block whose place is not known
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str

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
        return BadRows(self.count, tuple(bad.placed(bad.file, n_rows) for bad in self.first))


NO_BAD_ROWS = BadRows()


class BadRowError(Exception):
    """A row that stops the reading; raised within a block, where its place is not known yet."""

    def __init__(self, problem: BadRow, skippable: bool = True) -> None:
        super().__init__(problem, skippable)
        self.problem = problem
        self.skippable = skippable  # whether it would be left out where bad rows are

    def placed(self, file: str, first_row: int, optional: Sequence[str] = ()) -> DataError:
        """The error to raise where the place is known."""
        problem = self.problem.placed(file, first_row)
        return bad_row_error(problem, skippable=self.skippable, optional=optional)


def describe(bad: BadRow) -> str:
    """A bad row as a message writes it."""
    column = "" if bad.column is None else f", column {bad.column!r}"
    value = "" if bad.value is None else f"{bad.value!r} "
    return f"{bad.file}, row {bad.row}{column}: {value}{bad.problem}"


def bad_row_error(
    bad: BadRow, *, skippable: bool = True, optional: Sequence[str] = ()
) -> DataError:
    """The error that stops the reading at a bad row; `optional` columns may be used otherwise."""
    column, remedies = bad.column, [SKIP_ROWS] if skippable else []
    if bad.problem == NOT_FINITE and optional:
        infinite: Any = ["inf", "-inf"]
        remedies.append(Remedy("treat infinity as missing", columns=(("na_values", infinite),)))
    elif bad.problem == NO_LOGARITHM:
        remedies.append(ANY_TRANSFORM)
    elif column is not None and column in optional:
        if bad.problem == NOT_A_NUMBER and bad.value is not None:
            marks: Any = (("na_values", {column: [bad.value]}),)
            remedies.append(Remedy(f"treat {bad.value!r} as missing", columns=marks))
            remedies.append(Remedy("treat it as categories", columns=(("categorical", [column]),)))
        if len(optional) > 1:
            remedies.append(Remedy("exclude the column", columns=(("exclude", [column]),)))
    return DataError(describe(bad)).with_remedies(remedies)


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


def _not_integer(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where floats are no integers of 64 bits."""
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    return np.asarray(~(whole | np.isnan(values)))


Condition = Callable[[NDArray[Any]], NDArray[np.bool_]]

_INFINITE: tuple[Condition, str] = (np.isinf, NOT_FINITE)

_WRONG: dict[str, tuple[tuple[Condition, str], ...]] = {
    "number": (_INFINITE,),
    "positive": (_INFINITE, (lambda values: values <= 0, NO_LOGARITHM)),
    "weight": (
        (lambda values: ~np.isfinite(values), NOT_FINITE),
        (lambda values: values < 0, "is negative, which a weight cannot be"),
    ),
    "count": (_INFINITE, (_not_count, "is not a count: these are integers from 0 on")),
    "date": ((np.isinf, "is not a date such as 2024-01-31"),),
    "category": ((_not_integer, "is not a category: these are strings, integers or booleans"),),
}
"""What is wrong with values, by what a column must hold."""


# What is read of files.


@dataclass(frozen=True, slots=True)
class InferredTypes:
    """What the first block of a source has shown and the rest of it is held to."""

    schema: "pa.Schema"
    decimal: str = "."
    categorical: frozenset[str] = frozenset()
    """Columns that are of a categorical type, though their values are read as numbers."""
    is_text: bool = False
    """Whether strings that write numbers can be read as numbers, as in files of text."""
    spells_dates: bool = True
    """Whether strings that write dates can be read as dates."""


@dataclass(frozen=True, slots=True)
class ColumnSelection:
    """The columns to read, in order, and what they must hold."""

    schema: "pa.Schema"
    kinds: Mapping[str, ContentKind] = field(default_factory=dict)
    """What columns must hold, of those of which that is known."""
    bad_rows: BadRowHandling = "error"
    encoded: tuple[str, ...] = ()
    """Columns of strings to read as dictionaries, where the format can: the same few values."""
    as_stored: bool = False
    """Whether numbers may come as the type that a Parquet or Arrow file holds them in."""
    missing: MissingMarks = STANDARD_MARKS
    """What stands for missing values."""
    decimal: str = "."
    optional: tuple[str, ...] = ()
    """Columns that were chosen by what they hold: others may be chosen instead."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTable:
    """A table of the rows that could be read, and what is wrong with the others."""

    table: "pa.Table"
    n_records: int  # good and bad
    problems: tuple[BadRow, ...] = ()  # the bad ones, in order; rows are numbered from 0 here

    def sifted(self, selection: ColumnSelection) -> "ParsedTable":
        """Without rows in which a value that is needed is missing, or is wrong."""
        bad: dict[int, BadRow] = {}
        for name, kind in selection.kinds.items():
            column = self.table.column(name)
            values = _floats(column, kind, selection.missing.of(name))
            if values is None:
                continue
            for wrong, problem in _WRONG[kind]:
                for row in np.flatnonzero(wrong(values)).tolist():
                    value = column[row].as_py()
                    missing = is_missing(value)  # NaN is how many programs write it
                    what = (None, "the value is missing") if missing else (shorten(value), problem)
                    bad.setdefault(row, BadRow("", row, name, *what))
        return self.without(bad)

    def without(self, bad: Mapping[int, BadRow]) -> "ParsedTable":
        """Without some rows of the table, by their numbers in it."""
        if not bad:
            return self
        import pyarrow as pa

        keep = np.ones(self.table.num_rows, dtype=bool)
        keep[list(bad)] = False
        among_all = np.setdiff1d(np.arange(self.n_records), [each.row for each in self.problems])
        placed = [replace(each, row=int(among_all[row])) for row, each in bad.items()]
        both = sorted([*self.problems, *placed], key=lambda each: each.row)
        return ParsedTable(self.table.filter(pa.array(keep)), self.n_records, tuple(both))


def select_columns(
    inferred: InferredTypes,
    columns: Sequence[str] | None,
    kinds: Mapping[str, ContentKind],
    bad_rows: BadRowHandling = "error",
    *,
    strings: Collection[str] = (),
) -> ColumnSelection:
    """What to ask of files whose first block has shown `inferred`; None is all columns.

    Strings are read as numbers where `kinds` needs these; `strings` are strings whatever they look
    like.
    """
    import pyarrow as pa

    names = inferred.schema.names if columns is None else list(columns)
    check_present(inferred.schema.names, names)
    fields, encoded = [], []
    for name in names:
        held = inferred.schema.field(name).type
        kind = kinds.get(name)
        number = kind not in {None, "category", "date"}
        # A column of Parquet or Arrow without any value may have no type at all.
        untyped = (inferred.is_text and is_string(held)) or pa.types.is_null(held)
        if number and (untyped or pa.types.is_integer(held)):
            held = pa.float64()
        elif name in strings and not number and not is_string(value_type(held)):
            held = pa.string()
        elif kind is not None:
            # Codes in dictionaries differ from file to file: the values are what is held.
            held = value_type(held)
        fields.append(pa.field(name, held))
        if kind in {"category", "date"} and is_string(held):
            encoded.append(name)
    return ColumnSelection(
        pa.schema(fields), kinds, bad_rows, tuple(encoded), decimal=inferred.decimal
    )


def unknown_columns(columns: Sequence[str], known: ColumnTable) -> None:
    """Raise if features of a model are not among some columns, or if it does not know others."""
    check_present(columns, [column.name for column in known.used])
    others = [name for name in columns if name not in known.names and name != known.target]
    if others:
        msg = f"the model has no column {listed(others)}: leave them out, or fit with them"
        raise DataError(msg)


def check_present(columns: Sequence[str], wanted: Sequence[str], file: str | None = None) -> None:
    """Raise if a column that is wanted is not there, and say which there are.

    `file` is a further one of several, which must have the columns of those before it.
    """
    known = set(columns)
    missing = [name for name in wanted if name not in known]
    if not missing:
        return
    if file is None:
        each = ", ".join(f"{name!r}{meant(name, columns)}" for name in missing)
        msg = f"there is no column {each}; the columns are {listed(columns)}"
        raise DataError(msg)
    known = set(wanted)
    others = [name for name in columns if name not in known]
    instead = f"; it has {listed(others)} besides" if others else ""
    msg = f"{file} has no column {listed(missing)}, unlike the files before it{instead}"
    raise DataError(msg)


def is_paths(X: object) -> bool:
    """Whether this is a path or a list of paths."""
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(path, str | PathLike) for path in X)
    return isinstance(X, str | PathLike)


def is_source(X: Any) -> bool:
    """Whether rows are read from elsewhere: not an array, a list of rows or a frame in memory."""
    if isinstance(X, list | tuple | np.ndarray) or is_frame(X):
        return is_paths(X)
    package = type(X).__module__.partition(".")[0]
    if package == "scipy":  # a sparse matrix, which is refused as an array
        return False
    return package in {"dask", "dask_expr", "pyspark"} or not hasattr(X, "__array__")


def named_columns(y: object, weights: object) -> tuple[str, str | None]:
    """The columns of the labels and of the weights of a source, which must be given by name."""
    for what, given in (("y", y), ("sample_weight", weights)):
        if not isinstance(given, str) and (what == "y" or given is not None):
            msg = (
                f"X is read from elsewhere, so {what} must be the name of one of its columns, got "
                f"{type(given).__name__}"
            )
            raise DataError(msg)
    return y, weights  # type: ignore[return-value]


def separate_columns(
    X: Any, y: Any, weights: Any = None, columns: ColumnTable | None = None
) -> tuple[Any, Any, Any]:
    """Rows, labels and weights, where labels and weights may be named columns of the rows.

    A source is read into memory, its features as what they are to a model, if `columns` says so.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y, _ = separate_columns(pd.DataFrame({"a": [1.0], "tree": ["oak"]}), "tree")
    >>> list(X), list(y)
    (['a'], ['oak'])
    """
    named = [name for name in (y, weights) if isinstance(name, str)]
    if is_source(X):
        from gaussbayes.data.read import table_of

        X = table_of(X, columns, y)
    if not named:
        return X, y, weights
    if not is_frame(X):
        msg = (
            f"{named[0]!r} names a column, but X is a {type(X).__name__} without column names: "
            "give an array of values, or X as a data frame"
        )
        raise DataError(msg)
    frame = as_frame(X)
    check_present(frame.columns, named)
    y, weights = (
        frame[some].to_native() if isinstance(some, str) else some for some in (y, weights)
    )
    return frame.drop(*named).to_native(), y, weights


def check_distinct(what: str, names: Sequence[Any]) -> None:
    """Raise if a column has the name of another, or one that is not a string."""
    other = next((name for name in names if not isinstance(name, str)), None)
    if other is not None:
        msg = f"columns are found by names that are strings, but one is {other!r}: rename it"
        raise DataError(msg)
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        msg = (
            f"{what} has more than one column called {listed(twice)}: give the columns different "
            "names"
        )
        raise DataError(msg)


def _floats(column: Any, kind: str, marks: ColumnMarks) -> NDArray[Any] | None:
    """The values of a column as numbers, NaN for null; None if nothing can be wrong with them."""
    import pyarrow as pa

    held = value_type(column.type)
    if kind == "date":
        return column_days(column, marks) if is_string(held) else None
    integer = pa.types.is_integer(held) or pa.types.is_decimal(held)
    if not (pa.types.is_floating(held) or (integer and kind in {"weight", "positive", "count"})):
        return None
    return without_marks(column_values(column), marks)
