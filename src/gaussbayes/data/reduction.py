"""Any source of rows, read once in blocks: a function of every block, summed in one fixed tree.

`open_rows` takes whatever holds the rows:

- files (CSV, TSV, JSON lines, Parquet, Arrow; gzip, zstd or bzip2): a path, a list of paths, a
  folder, a pattern such as ``"data/*.csv"``, or ``"-"`` for standard input;
- a Dask or Spark DataFrame, or files that a Dask or Spark cluster reads;
- a lazy frame or table of an engine (DuckDB, Polars, SQL).

What comes is a `RowSource`: its features are known, and `RowSource.reduce` reads it in bounded
memory, again and again if need be. Of files and partitions of Dask and Spark the result is the same
to the bit however the work was shared; an engine gives its rows in an order of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import Mergeable, MergeTree
from gaussbayes.base.types import LabelArray
from gaussbayes.data.categories import check_categories
from gaussbayes.data.columns import Request, decide_source, decided_encoder
from gaussbayes.data.labels import read_targets
from gaussbayes.data.read import as_source
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Targets
from gaussbayes.data.schema import ColumnTable
from gaussbayes.data.source_tables import (
    NO_BAD_ROWS,
    BadRow,
    BadRows,
    ColumnSelection,
    HeldKind,
    OpenSource,
    ParsedTable,
    bad_row_error,
    check_types,
    select_columns,
)
from gaussbayes.data.tables import check_present, column_values

if TYPE_CHECKING:
    import pyarrow as pa

Sum = TypeVar("Sum", bound=Mergeable)
Sum_co = TypeVar("Sum_co", bound=Mergeable, covariant=True)

_MOST_BYTES = 1 << 30
"""What is learnt from rows and takes more comes rather from a target that is not one."""


class Fold(Protocol[Sum_co]):
    """What is summed over the blocks of a source: a function that can be sent to a worker.

    Numbers are finite or missing. Its result may say by ``n_bytes`` how large it is. None is
    nothing to add. The fold itself may say by a method ``n_bytes(n_classes)`` how large its result
    will be.
    """

    def __call__(self, block: LabelledRows, threads: int, /) -> Sum_co | None:
        """What a block adds; `threads` are those that it may use."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced(Generic[Sum]):
    """What blocks of rows sum to, and what was read for it.

    Bad rows are numbered from the first row of the first block.
    """

    total: Sum = None  # type: ignore[assignment]  # None for nothing
    n_rows: int = 0  # those used
    n_records: int = 0  # those read of a file, bad ones too
    bad_rows: BadRows = NO_BAD_ROWS
    weighs: bool = False  # whether a row has a weight above 0
    stop: BadRow | None = None  # the row at which reading must stop; the sums are incomplete

    def __add__(self, other: "Reduced[Sum]") -> "Reduced[Sum]":
        a: Any = self.total
        b: Any = other.total
        total = (b if a is None else a) if a is None or b is None else a + b
        _check_size(total)
        return Reduced(
            total,
            self.n_rows + other.n_rows,
            self.n_records + other.n_records,
            self.bad_rows + other.bad_rows.later(self.n_records),
            self.weighs or other.weighs,
        )


class RowSource:
    """Rows whose features, target and weights are known, and which can be read again and again."""

    def __init__(self, source: OpenSource, reader: "BlockReader") -> None:
        self.source, self.reader = source, reader
        self.target = reader.request.target
        # It knows no categories: it takes those that occur in a block.
        self.encoder = reader.encoder
        self.features = self.encoder.names or ()

    def reduce(self, fold: Fold[Sum], *, n_jobs: int | None = None) -> Reduced[Sum]:
        """Read the rows once, and sum a function of each block in one fixed tree.

        The classes and the categories of a block are those that occur in it. The result is the same
        for any number of threads, `n_jobs`.
        """
        if hasattr(fold, "n_bytes"):  # before anything is read
            _check_bytes(fold.n_bytes(1), 1, len(self.features))
        reader, shown = self.reader, self.source.shown
        reduced = self.source.reduce(reader, fold, n_jobs)
        if not reduced.n_rows:
            bad, what = reduced.bad_rows, ""
            if bad.count:
                what = f"; all {bad.count} are bad, the first: {bad.first[0]}"
            msg = f"{shown}: there are no rows to learn from{what}"
            raise DataError(msg)
        if not reduced.weighs:
            msg = f"{shown}: the weights in column {reader.request.weights!r} are all zero"
            raise DataError(msg)
        return reduced


def open_rows(source: object, request: Request, columns: ColumnTable | None = None) -> RowSource:
    """Find the columns of a source that are asked for, and check that they can be what they are.

    `columns` says what they are to a fitted model; otherwise it is decided by what they hold.

    Examples
    --------
    >>> from importlib.resources import files
    >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
    >>> rows = open_rows(iris, Request(target="species"))
    >>> rows.target, len(rows.features)
    ('species', 4)
    >>> reduced = rows.reduce(lambda block, threads: block.rows.n_rows)
    >>> reduced.total, reduced.n_rows
    (150, 150)
    """
    given = as_source(source)
    request, client = replace(request, bad_rows=given.bad_rows), given.client
    packages = {type(each).__module__.partition(".")[0] for each in (given.source, client)}
    opened: Any = given.source
    if given.is_files:
        opened = given.opened(request.marks, request.columns.names)
    if client is not None or packages & {"dask", "dask_expr", "pyspark"}:
        from gaussbayes.data.clusters import open_on_cluster

        opened = open_on_cluster(opened, client, "pyspark" if "pyspark" in packages else "dask")
    elif not given.is_files:
        from gaussbayes.data.engines import EngineTable

        opened = EngineTable(opened, request.target)
    return RowSource(opened, BlockReader.open(opened, request, columns))


@dataclass(frozen=True, slots=True)
class BlockReader:
    """How Arrow tables of a source become blocks of labelled rows."""

    request: Request
    encoder: Encoder
    selection: ColumnSelection

    @classmethod
    def open(
        cls, source: OpenSource, request: Request, columns: ColumnTable | None = None
    ) -> "BlockReader":
        """Choose the columns of a source, and check that they can be what they are."""
        target, weights = request.target, request.weights
        optional: tuple[str, ...] = ()
        features = request.features_of(source.inferred.schema.names, source.shown)
        if columns is None:
            columns = decide_source(source, request)
            optional = tuple(x.name for x in columns.used if x.name not in request.kinds)
        encoder = decided_encoder(columns, request)
        names = encoder.names or ()
        check_present(features, names)
        kind_of: dict[str, HeldKind] = {column.name: column.kind for column in columns.used}
        # Numbers come first, then weights.
        kinds = {name: kind_of[name] for name in names if kind_of[name] != "category"}
        kinds |= {} if weights is None else {weights: "weight"}
        kinds |= {name: kind_of[name] for name in names}
        selection = select_columns(
            source.inferred,
            [*kinds, *([] if target is None else [target])],
            kinds,
            request.bad_rows,
            strings=columns.strings,
            target=target,
        )
        check_types(selection, source.shown)
        missing = columns.missing.plus(request.marks)
        selection = replace(selection, as_stored=True, missing=missing, optional=optional)
        return cls(request, encoder, selection)

    def read(self, table: "pa.Table") -> LabelledRows:
        """The rows of a table that has been sifted."""
        import narwhals.stable.v2 as nw

        request = self.request
        classes: LabelArray = np.empty(0)
        targets = Targets(np.full(table.num_rows, UNLABELLED, np.int32), 0, None, table.num_rows)
        if request.target is not None:
            labels = nw.from_native(table.column(request.target), series_only=True)
            targets, classes = read_targets(labels, mark=request.label_marks)
            if classes.dtype.kind == "O":
                classes = np.array(classes.tolist())
        if request.weights is not None:
            weights = column_values(table.column(request.weights)).astype(np.float64)
            targets = replace(targets, weights=weights)
        rows = self.encoder.encode(table.select(self.encoder.names))
        if self.encoder.categories is None:
            check_categories(rows.categories, self.encoder.schema(classes).of_categories)
        return LabelledRows(rows, targets, classes)

    def sum(
        self, batches: Iterable[Callable[[], ParsedTable]], fold: Fold[Any], file: str
    ) -> Reduced[Any]:
        """What all batches of a file add, one after the other."""
        return self.merged((self.reduced(batch, fold, file) for batch in batches), file)

    def merged(self, parts: Iterable[Reduced[Any]], file: str) -> Reduced[Any]:
        """The sum of batches of a file, in their tree."""
        tree: MergeTree[Reduced[Any]] = MergeTree()
        n_parts = n_records = 0
        for part in parts:
            if part.stop is not None:
                raise bad_row_error(part.stop.placed(file, 1 + n_records), self.selection.optional)
            n_records += part.n_records
            tree.add(n_parts, part)
            n_parts += 1
        return replace(tree.result(), n_records=0) if n_parts else Reduced()

    def _loses_no_class(self, parsed: ParsedTable, usable: ParsedTable) -> bool:
        """Whether every class of a table has rows that can be used."""
        if self.request.target is None:
            return bool(usable.table.num_rows)
        counts = {
            len(table.column(self.request.target).unique().drop_null())
            for table in (parsed.table, usable.table)
        }
        return len(counts) == 1

    def reduced(self, batch: Callable[[], ParsedTable], fold: Fold[Any], file: str) -> Reduced[Any]:
        """What a batch adds; a row that cannot be used stops the reading, or is skipped."""
        parsed = batch()
        usable = parsed.sifted(self.selection)
        if usable.problems and self.selection.bad_rows == "error":
            skippable = self._loses_no_class(parsed, usable)
            return Reduced(stop=replace(usable.problems[0], skippable=skippable))
        bad_rows = BadRows.of(usable.problems, file, 1)
        if not usable.table.num_rows:
            return Reduced(n_records=usable.n_records, bad_rows=bad_rows)
        try:
            block = self.read(usable.table)
            result = fold_block(fold, block)
        except DataError as error:
            msg = f"{file}: {error}"
            raise type(error)(msg) from None
        weights = block.targets.weights
        weighs = weights is None or bool(weights.any())
        return Reduced(result, block.rows.n_rows, usable.n_records, bad_rows, weighs)


def fold_block(fold: Fold[Sum], block: LabelledRows) -> Sum | None:
    """What a block adds, unless that would take too much memory."""
    n_bytes = getattr(fold, "n_bytes", None)
    n_features = block.rows.numbers.shape[1] + block.rows.codes.shape[1]
    if n_bytes is not None:
        n_classes = block.classes.shape[0]
        _check_bytes(n_bytes(n_classes), n_classes, n_features)
    result = fold(block, 1)
    _check_size(result, n_features)
    return result


def _check_size(total: Any, n_features: int = 0) -> None:
    _check_bytes(getattr(total, "n_bytes", 0), len(getattr(total, "classes", ())), n_features)


def _check_bytes(n_bytes: int, n_classes: int, n_features: int) -> None:
    """Raise if what was learnt takes more memory than statistics should."""
    if n_bytes <= _MOST_BYTES:
        return
    what, choose = f"{n_features} features", "choose fewer"
    if n_classes > n_features:
        what = f"a target with {n_classes} different values or more"
        choose = "is it the right column? Choose one of classes, fewer categories"
    msg = (
        f"what is learnt of {what} takes {n_bytes >> 20:,} MB: {choose}, or a shared or diagonal "
        "covariance"
    )
    raise DataError(msg)
