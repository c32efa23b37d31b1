"""Any source of rows, read in blocks: a function of every block, summed in one fixed tree.

`open_rows` takes any container of rows: files, a Dask or Spark DataFrame, files that a cluster
reads, a lazy frame or table of an engine. An `OpenSource` returns them as batches of Arrow.
`InferredTypes` are the types of its first block, a `ColumnSelection` selects columns, and a
`ParsedTable` is the result. A row with a value that its column does not allow is a `BadRow`.

The result is a `RowSource` with known features. `RowSource.reduce` reads it in bounded memory, as
often as needed. For files and partitions of Dask and Spark the result is the same to the bit for
any distribution of the work; the order of rows of an engine may vary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import Mergeable, MergeTree, merge_numbered
from gaussbayes.base.notices import Notice, Remedy
from gaussbayes.base.numerals import counted
from gaussbayes.base.progress import track
from gaussbayes.base.threads import in_order, n_threads
from gaussbayes.base.types import BadRowHandling, LabelArray
from gaussbayes.data.categories import check_categories
from gaussbayes.data.columns import SKIP_ROWS, Request, decide_source, decided_schema
from gaussbayes.data.labels import read_targets
from gaussbayes.data.read import as_source
from gaussbayes.data.rows import NO_CLASSES, UNLABELLED, Encoder, LabelledRows, Targets
from gaussbayes.data.schema import STANDARD_MARKS, ColumnKind, ColumnMarks, MissingMarks, Schema
from gaussbayes.data.tables import (
    check_present,
    column_parts,
    column_values,
    days_of,
    is_category,
    is_date,
    is_missing,
    is_number,
    is_string,
    sampled_rows,
    value_type,
    without_marks,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.data.schema import ColumnTable

HeldKind: TypeAlias = ColumnKind | Literal["weight", "class"]
"""The values that a column must have: dates; finite numbers; counts from 0; strings, integers and
booleans; or weights, which cannot be missing or negative. Values of the other kinds may be
missing."""

NUMBERS = ("number", "count", "weight")
"""The kinds of columns that hold nothing but numbers."""

MOST_NAMED = 5
"""Number of bad rows that a notice names."""

NOT_A_NUMBER = "is not a number"
NOT_FINITE = "is not finite"

_LONGEST = 60

Sum = TypeVar("Sum", bound=Mergeable)
Sum_co = TypeVar("Sum_co", bound=Mergeable, covariant=True)


# Rows that cannot be used.


@dataclass(frozen=True, slots=True)
class BadRow:
    """A bad row, with the reason."""

    file: str  # empty until it is known
    row: int  # from 1 without the header; from 0 within a block of unknown position
    column: str | None  # None if the row as a whole is wrong
    value: str | None
    problem: str
    skippable: bool = True  # whether no class is lost with such rows

    def placed(self, file: str, first_row: int) -> BadRow:
        """The same with its place in the file."""
        return replace(self, file=file, row=first_row + self.row)

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {self.column!r}"
        value = "" if self.value is None else f"{self.value!r} "
        return f"{self.file}, row {self.row}{column}: {value}{self.problem}"


@dataclass(frozen=True, slots=True)
class BadRows:
    """The number of skipped rows, and the first of them."""

    count: int = 0
    first: tuple[BadRow, ...] = ()  # a few

    def __add__(self, other: BadRows) -> BadRows:
        return BadRows(self.count + other.count, (*self.first, *other.first)[:MOST_NAMED])

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notice about these rows, if there are any; the first few are named."""
        if not self.count:
            return ()
        more = self.count - len(self.first)
        named = "; ".join(map(str, self.first)) + (f"; and {more:,} more" if more else "")
        return (Notice("skipped rows", f"{counted(self.count, 'row')} skipped: {named}"),)

    def placed(self, file: str, first_row: int) -> BadRows:
        """The same rows, numbered within a file in which their block begins at this row."""
        return BadRows(self.count, tuple(bad.placed(file, first_row) for bad in self.first))


def bad_row_error(bad: BadRow, optional: Sequence[str] = ()) -> DataError:
    """The error of a bad row; `optional` columns have further remedies."""
    column, remedies = bad.column, [SKIP_ROWS] if bad.skippable else []
    if bad.problem == NOT_FINITE and optional:
        infinite: Any = ["inf", "-inf"]
        remedies.append(Remedy("treat infinity as missing", columns=(("na_values", infinite),)))
    elif column is not None and column in optional:
        if bad.problem == NOT_A_NUMBER and bad.value is not None:
            marks: Any = (("na_values", {column: [bad.value]}),)
            remedies.append(Remedy(f"treat {bad.value!r} as missing", columns=marks))
            remedies.append(Remedy("treat it as categories", columns=(("categorical", [column]),)))
        if len(optional) > 1:
            remedies.append(Remedy("exclude the column", columns=(("exclude", [column]),)))
    return DataError(str(bad)).with_remedies(remedies)


def shorten(value: Any) -> str:
    """A value in a message."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


# Conditions on values as floats; NaN is a missing value, which is allowed here.


def _not_count(values: NDArray[Any]) -> NDArray[np.bool_]:
    count = (values >= 0) & (values < np.inf) & (np.rint(values) == values)
    return np.asarray(~(count | np.isnan(values)))


def _not_integer(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats are not integers of 64 bits."""
    whole = (np.rint(values) == values) & (values >= -(2.0**63)) & (values < 2.0**64)
    return np.asarray(~(whole | np.isnan(values)))


Condition = Callable[[NDArray[Any]], NDArray[np.bool_]]

_INFINITE: tuple[Condition, str] = (np.isinf, NOT_FINITE)

_WRONG: dict[str, tuple[tuple[Condition, str], ...]] = {
    "number": (_INFINITE,),
    "weight": (
        (lambda values: ~np.isfinite(values), NOT_FINITE),
        (lambda values: values < 0, "is negative, which a weight cannot be"),
    ),
    "count": (_INFINITE, (_not_count, "is not a count: these are integers from 0 on")),
    "class": ((_not_integer, "is not a class: these are strings, integers or booleans"),),
    "date": ((np.isinf, "is not a date such as 2024-01-31"),),
    "category": ((_not_integer, "is not a category: these are strings, integers or booleans"),),
}
"""The problem of bad values, by the contents of a column: a kind, weights or classes."""


# Selection of columns.


@dataclass(frozen=True, slots=True)
class InferredTypes:
    """The types of the first block of a source, which all blocks must have."""

    schema: pa.Schema
    decimal: str = "."
    categorical: frozenset[str] = frozenset()
    """Columns of a categorical type whose values are read as numbers."""
    is_text: bool = False
    """Whether numerals can be read as numbers, as in files of text."""
    missing: MissingMarks = STANDARD_MARKS
    """Marks of missing values."""


@dataclass(frozen=True, slots=True)
class ColumnSelection:
    """The columns to read, in order, and their required contents."""

    schema: pa.Schema
    kinds: Mapping[str, HeldKind]
    """The required contents of columns, as far as they are known."""
    bad_rows: BadRowHandling
    encoded: tuple[str, ...]
    """Columns of a few distinct strings to read as dictionaries, if the format supports it."""
    decimal: str
    missing: MissingMarks
    """Marks of missing values."""
    as_stored: bool = False
    """Whether numbers may keep the type of a Parquet or Arrow file."""
    optional: tuple[str, ...] = ()
    """Columns that were selected by their contents: others may be selected instead."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedTable:
    """A table of the rows that could be read, and the bad rows."""

    table: pa.Table
    n_records: int  # good and bad
    problems: tuple[BadRow, ...] = ()  # the bad rows, in order, numbered from 0

    def sifted(self, selection: ColumnSelection) -> ParsedTable:
        """The table without rows in which a required value is missing or wrong."""
        bad: dict[int, BadRow] = {}
        for name, kind in selection.kinds.items():
            column = self.table.column(name)
            values = _floats(column, kind, selection.missing.of(name))
            if values is None:
                continue
            for wrong, problem in _WRONG[kind]:
                for row in np.flatnonzero(wrong(values)).tolist():
                    value = column[row].as_py()
                    missing = is_missing(value)  # many programs write NaN
                    what = (None, "the value is missing") if missing else (shorten(value), problem)
                    bad.setdefault(row, BadRow("", row, name, *what))
        return self.without(bad)

    def without(self, bad: Mapping[int, BadRow]) -> ParsedTable:
        """The table without the rows of these numbers."""
        if not bad:
            return self
        import pyarrow as pa

        keep = np.ones(self.table.num_rows, dtype=bool)
        keep[list(bad)] = False
        among_all = np.setdiff1d(np.arange(self.n_records), [each.row for each in self.problems])
        placed = [replace(each, row=int(among_all[row])) for row, each in bad.items()]
        both = sorted([*self.problems, *placed], key=lambda each: each.row)
        return ParsedTable(self.table.filter(pa.array(keep)), self.n_records, tuple(both))

    def reduced(
        self, selection: ColumnSelection, fold: Callable[[pa.Table], Reduced[Sum]]
    ) -> Reduced[Sum]:
        """The statistics of the usable rows; a bad row stops the reading, or is skipped."""
        usable = self.sifted(selection)
        problems = usable.problems
        if problems and selection.bad_rows == "error":
            skippable = self._loses_no_class(usable, selection)
            return Reduced(stop=replace(problems[0], skippable=skippable))
        result: Reduced[Sum] = fold(usable.table) if usable.table.num_rows else Reduced()
        bad_rows = BadRows(len(problems), problems[:MOST_NAMED])
        return replace(result, n_records=self.n_records, bad_rows=bad_rows)

    def _loses_no_class(self, usable: ParsedTable, selection: ColumnSelection) -> bool:
        """Whether every class has rows that can be used."""
        targets = [name for name, kind in selection.kinds.items() if kind == "class"]
        return bool(usable.table.num_rows) and all(
            len(self.table[name].unique().drop_null())
            == len(usable.table[name].unique().drop_null())
            for name in targets
        )


def select_columns(
    inferred: InferredTypes,
    columns: Sequence[str] | None,
    kinds: Mapping[str, HeldKind],
    bad_rows: BadRowHandling = "error",
    *,
    strings: Collection[str] = (),
) -> ColumnSelection:
    """The selection for files whose first block has the types `inferred`; None is all columns.

    Strings are read as numbers where `kinds` needs these; `strings` are strings whatever they look
    like.
    """
    import pyarrow as pa

    names = inferred.schema.names if columns is None else list(columns)
    check_present(inferred.schema.names, names)
    fields, encoded = [], []
    for name in names:
        held, kind = inferred.schema.field(name).type, kinds.get(name)
        # A column of Parquet or Arrow without values may have no type.
        untyped = (inferred.is_text and is_string(held)) or pa.types.is_null(held)
        if kind in NUMBERS and (untyped or pa.types.is_integer(held)):
            held = pa.float64()
        elif name in strings and kind not in NUMBERS and not is_string(value_type(held)):
            held = pa.string()
        elif pa.types.is_decimal(held) and kind in {"category", "class"}:
            held = pa.int64()
        elif kind not in {None, "class"}:
            # Codes in dictionaries differ from file to file, so the values are used.
            held = value_type(held)
        fields.append(pa.field(name, held))
        if kind in {"category", "date", "class"} and is_string(held):
            encoded.append(name)
    decimal, missing = inferred.decimal, inferred.missing
    return ColumnSelection(pa.schema(fields), kinds, bad_rows, tuple(encoded), decimal, missing)


def check_types(selection: ColumnSelection, file: str) -> None:
    """Raise for columns whose types do not allow the required contents, and show their values."""
    for name, kind in selection.kinds.items():
        held = selection.schema.field(name).type
        what, expected, holds = "column", "numbers are expected", is_number(held)
        if kind in {"category", "class"}:
            what, things = (
                ("column", "categories") if kind == "category" else ("the target", "classes")
            )
            expected, holds = f"{things} are strings, integers or booleans", is_category(held)
        if not (holds or (kind == "date" and is_date(held))):
            msg = (
                f"{file}: {what} {name!r} holds {held} values, but {expected}: cast it, or "
                f"{'choose another column' if kind == 'class' else 'exclude it'}"
            )
            raise DataError(msg)


def _floats(column: Any, kind: HeldKind, marks: ColumnMarks) -> NDArray[Any] | None:
    """The values of a column as numbers, NaN for null; None if all values are valid."""
    import pyarrow as pa

    held = value_type(column.type)
    if kind == "date":
        return days_of(*column_parts(column), marks) if is_string(held) else None
    integer = pa.types.is_integer(held) or pa.types.is_decimal(held)
    if not (pa.types.is_floating(held) or (integer and kind in {"weight", "count"})):
        return None
    return without_marks(column_values(column), marks)


# Sums over blocks.


_MOST_BYTES = 1 << 30
"""Larger statistics usually come from a column that is not a target."""


class Fold(Protocol[Sum_co]):
    """The function that is summed over the blocks of a source; it can be sent to a worker.

    Numbers are finite or missing. The result may have its size, ``n_bytes``; None adds nothing. The
    fold may have a method ``n_bytes(n_classes)``, the expected size of the result.
    """

    def __call__(self, block: LabelledRows, /) -> Sum_co | None:
        """The statistics of a block."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced(Generic[Sum]):
    """The sum over blocks of rows, with counts of the rows read."""

    total: Sum = None  # type: ignore[assignment] # None for nothing
    n_rows: int = 0  # those used
    n_records: int = 0  # rows of a single batch, including bad ones
    bad_rows: BadRows = BadRows()
    weighs: bool = False  # whether a row has a weight above 0
    stop: BadRow | None = None  # the row at which reading must stop; the sums are incomplete

    def __add__(self, other: Reduced[Sum]) -> Reduced[Sum]:
        a: Any = self.total
        b: Any = other.total
        total = (b if a is None else a) if a is None or b is None else a + b
        _check_bytes(getattr(total, "n_bytes", 0), len(getattr(total, "classes", ())))
        bad_rows, weighs = self.bad_rows + other.bad_rows, self.weighs or other.weighs
        return Reduced(total, self.n_rows + other.n_rows, bad_rows=bad_rows, weighs=weighs)


Batch: TypeAlias = Callable[[], ParsedTable]
"""A block: creating it reads bytes, and calling it, in any thread, parses them."""

Part: TypeAlias = tuple[int, str, Reduced[Sum]]
"""The number of a file, its name in messages, and the statistics of a batch of it."""


class OpenSource(ABC):
    """Rows whose columns are known, and which can be read repeatedly."""

    shown: str
    """The name of the source in messages."""
    inferred: InferredTypes
    """The columns and their types."""
    handling: BadRowHandling = "error"
    """Whether a row that cannot be used is an error, or is skipped and counted."""
    bad_rows = BadRows()
    """The bad rows that `tables` has skipped so far."""
    notices: tuple[Notice, ...] = ()
    """Notices about reading the rows."""

    @property
    def n_rows(self) -> int | None:
        """The number of rows, including bad ones, if it is known before they are read."""
        return None

    @abstractmethod
    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        """Each file or partition: its name in messages, and its rows in order."""

    def proportion_read(self) -> float | None:
        """The proportion that has been read; None if unknown."""
        return None

    def reduce(self, reader: BlockReader, fold: Fold[Sum], n_jobs: int | None) -> Reduced[Sum]:
        """The sum over all batches in one fixed tree; batches are read and folded in parallel."""
        tree: MergeTree[Reduced[Sum]] = MergeTree()

        def work(batch: Batch, shown: str) -> Reduced[Sum]:
            return reader.reduced(batch, fold, shown)

        with closing(self._parts(reader.selection, work, n_jobs)) as found:
            proportion = self.proportion_read
            parts = track(found, "reading", self.n_rows, lambda x: x[2].n_records, proportion)
            for (number, shown), of_file in groupby(parts, key=lambda part: part[:2]):
                sums = (part[2] for part in islice(of_file, 1, None))
                tree.add(number, reader.merged(sums, shown))
        return tree.result()

    def _parts(
        self,
        selection: ColumnSelection,
        work: Callable[[Batch, str], Reduced[Sum]],
        n_jobs: int | None,
    ) -> Generator[Part[Sum], None, None]:
        """The statistics of batches, file after file; the next are read while these are used."""

        def numbered(number: int, shown: str, batch: Batch | None = None) -> Part[Sum]:
            return number, shown, Reduced() if batch is None else work(batch, shown)

        def jobs() -> Iterator[Callable[[], Part[Sum]]]:
            for number, (shown, batches) in enumerate(self.files(selection)):
                yield partial(numbered, number, shown)  # so that a file without rows is among them
                for batch in batches:
                    yield partial(numbered, number, shown, batch)

        return in_order(jobs(), n_threads(n_jobs))

    def tables(
        self, known: ColumnTable | None = None, names: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """The rows in order, in blocks; the next block is read while one is used.

        Parameters
        ----------
        known : kinds of the columns in a fitted model
        names : names of the columns to read, in this order; None reads all
        """
        columns = self.inferred.schema.names if names is None else names
        kinds: dict[str, HeldKind] = {}
        strings, missing = frozenset[str](), STANDARD_MARKS
        if known is not None:
            kinds = {each.name: each.kind for each in known.used if each.name in columns}
            strings, missing = known.strings & set(columns), known.missing
        selection = select_columns(self.inferred, columns, kinds, self.handling, strings=strings)
        # A model that is fitted to the tables would treat codes of strings as categories.
        selection = replace(selection, missing=missing, encoded=())
        self.bad_rows = BadRows()

        def work(batch: Batch, _: str) -> Reduced[Any]:
            return batch().reduced(selection, Reduced)

        with closing(self._parts(selection, work, None)) as parts:
            for (_, shown), of_file in groupby(parts, key=lambda part: part[:2]):
                for part in in_file((part[2] for part in of_file), shown):
                    self.bad_rows += part.bad_rows
                    if part.total is not None:
                        yield part.total

    def sampled_rows(self, columns: Sequence[str], most: int) -> tuple[Any, bool]:
        """At most about this many rows of some columns, and whether these are all.

        Rows that cannot be read are skipped. A file in which a column has another type, such as
        floats instead of integers, is skipped as well: it is read when the kinds of its columns are
        known.
        """
        selection = select_columns(self.inferred, columns, {}, "skip")

        def tables() -> Generator[pa.Table, None, None]:
            yield selection.schema.empty_table()
            for _, batches in self.files(selection):
                with suppress(DataError), closing(in_order(batches, n_threads(None))) as parsed:
                    yield from (each.table for each in parsed)

        with closing(tables()) as found:
            return sampled_rows(found, most)


def in_file(
    parts: Iterable[Reduced[Sum]], file: str, optional: Sequence[str] = ()
) -> Iterator[Reduced[Sum]]:
    """The statistics of the batches of a file, with the places of bad rows, which may stop it."""
    first_row = 1
    for part in parts:
        if part.stop is not None:
            raise bad_row_error(part.stop.placed(file, first_row), optional)
        yield replace(part, bad_rows=part.bad_rows.placed(file, first_row))
        first_row += part.n_records


@dataclass(frozen=True, slots=True)
class RowSource:
    """Rows whose features, target and weights are known, and which can be read repeatedly."""

    source: OpenSource
    reader: BlockReader

    def reduce(self, fold: Fold[Sum], *, n_jobs: int | None = None) -> Reduced[Sum]:
        """Read the rows once, and sum a function of each block in one fixed tree.

        The classes and the categories of a block are those that occur in it. The result is the same
        for any number of threads, `n_jobs`.
        """
        shown = self.source.shown
        reduced = self.source.reduce(self.reader, fold, n_jobs)
        if not reduced.n_rows:
            bad, what = reduced.bad_rows, ""
            if bad.count:
                what = f"; all {bad.count} are bad, the first: {bad.first[0]}"
            msg = f"{shown}: there are no rows to fit to{what}"
            raise DataError(msg)
        if not reduced.weighs:
            msg = f"{shown}: the weights in column {self.reader.request.weights!r} are all zero"
            raise DataError(msg)
        return reduced


def open_rows(source: object, request: Request, columns: ColumnTable | None = None) -> RowSource:
    """Find the requested columns of a source, and check their contents.

    `columns` gives the kinds of the columns in a fitted model; if it is None, the contents of the
    columns determine their kinds.

    Examples
    --------
    >>> from importlib.resources import files
    >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
    >>> rows = open_rows(iris, Request(target="species"))
    >>> len(rows.reader.schema.features)
    4
    >>> reduced = rows.reduce(lambda block: block.rows.n_rows)
    >>> reduced.total, reduced.n_rows
    (150, 150)
    """
    opened = as_source(source, request.columns).opened(request.marks)
    return RowSource(opened, BlockReader.open(opened, request, columns))


@dataclass(frozen=True, slots=True)
class BlockReader:
    """The conversion of Arrow tables to blocks of labelled rows; it can be sent to a worker."""

    request: Request
    schema: Schema
    selection: ColumnSelection

    @classmethod
    def open(
        cls, source: OpenSource, request: Request, columns: ColumnTable | None = None
    ) -> BlockReader:
        """Select the columns of a source, and check their contents."""
        target, weights = request.target, request.weights
        optional: tuple[str, ...] = ()
        features = request.features_of(source.inferred.schema.names, source.shown)
        if columns is None:
            columns = decide_source(source, request)
            optional = tuple(x.name for x in columns.used if x.name not in request.kinds)
        schema = decided_schema(columns, request)
        names = schema.features or ()
        check_present(features, names)
        kind_of: dict[str, HeldKind] = {column.name: column.kind for column in columns.used}
        # Numbers come first, then weights, categories and the target.
        kinds = {name: kind_of[name] for name in names if kind_of[name] != "category"}
        kinds |= {} if weights is None else {weights: "weight"}
        kinds |= {name: kind_of[name] for name in names}
        kinds |= {} if target is None else {target: "class"}
        handling, strings = source.handling, columns.strings
        selection = select_columns(source.inferred, [*kinds], kinds, handling, strings=strings)
        check_types(selection, source.shown)
        missing = columns.missing.plus(request.marks)
        selection = replace(selection, as_stored=True, missing=missing, optional=optional)
        return cls(request, schema, selection)

    def read(self, table: pa.Table) -> LabelledRows:
        """The rows of a table without bad rows."""
        import narwhals.stable.v2 as nw

        request = self.request
        classes: LabelArray = NO_CLASSES
        targets = Targets(np.full(table.num_rows, UNLABELLED, np.int32), 0, None, table.num_rows)
        if request.target is not None:
            labels = nw.from_native(table.column(request.target), series_only=True)
            targets, classes = read_targets(labels, mark=request.label_marks)
            if classes.dtype.kind == "O":
                classes = np.array(classes.tolist())
        if request.weights is not None:
            weights = column_values(table.column(request.weights)).astype(np.float64)
            targets = replace(targets, weights=weights)
        # The categories are those that occur in a block.
        rows = Encoder(self.schema).encode(table.select(self.schema.features))
        check_categories(rows.categories, self.schema.of_categories)
        return LabelledRows(rows, targets, classes)

    def sum(self, batches: Iterable[Batch], fold: Fold[Sum], file: str) -> Reduced[Sum]:
        """The statistics of all batches of a file, one after the other."""
        return self.merged((self.reduced(batch, fold, file) for batch in batches), file)

    def merged(self, parts: Iterable[Reduced[Sum]], file: str) -> Reduced[Sum]:
        """The sum of batches of a file, in their tree."""
        placed = in_file(parts, file, self.selection.optional)
        first = next(placed, None)
        return Reduced() if first is None else merge_numbered(enumerate(chain([first], placed)))

    def reduced(self, batch: Batch, fold: Fold[Sum], file: str) -> Reduced[Sum]:
        """The statistics of a batch; a bad row stops the reading, or is skipped."""

        def folded(table: pa.Table) -> Reduced[Sum]:
            block = self.read(table)
            if hasattr(fold, "n_bytes"):
                n_classes = block.classes.shape[0]
                _check_bytes(fold.n_bytes(n_classes), n_classes, block.rows.n_columns)
            weights = block.targets.weights
            weighs = weights is None or bool(weights.any())
            return Reduced(fold(block), block.rows.n_rows, weighs=weighs)  # type: ignore[arg-type]

        parsed = batch()
        try:
            return parsed.reduced(self.selection, folded)
        except DataError as error:
            msg = f"{file}: {error}"
            raise type(error)(msg) from None


def _check_bytes(n_bytes: int, n_classes: int, n_features: int = 0) -> None:
    """Raise if the statistics take too much memory."""
    if n_bytes <= _MOST_BYTES:
        return
    what, choose = f"{n_features} features", "choose fewer"
    if n_classes > n_features:
        what = f"a target with {n_classes} different values or more"
        choose = "is it the right column? Choose one of classes, fewer categories"
    msg = (
        f"the statistics of {what} take {n_bytes >> 20:,} MB: {choose}, or a shared or diagonal "
        "covariance"
    )
    raise DataError(msg)
