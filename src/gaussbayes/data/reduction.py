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

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import Mergeable, MergeTree
from gaussbayes.base.notices import Notice
from gaussbayes.base.types import LabelArray
from gaussbayes.data.categories import check_categories
from gaussbayes.data.column_roles import Sampled, decide_source
from gaussbayes.data.labels import read_label_column
from gaussbayes.data.read import as_source
from gaussbayes.data.roles import (
    NO_BAD_ROWS,
    BadRowError,
    BadRows,
    ColumnSelection,
    InferredTypes,
    ParsedTable,
    Request,
    check_distinct,
    check_types,
    choose_columns,
    count_problems,
    describe,
    select_columns,
)
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Targets
from gaussbayes.data.tables import is_string, weight_column

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
    stop: BadRowError | None = None  # the row at which reading must stop; the sums are incomplete

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


class RowSource(ABC):
    """Rows whose features, target and weights are known, and which can be read again and again."""

    is_read_once = False
    """Whether the rows come through a pipe, so that they cannot be read again."""
    n_rows: int | None = None
    """How many rows there are, bad ones too, where that is known before they are read."""

    def __init__(self, reader: "BlockReader") -> None:
        self.reader = reader
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
        reduced = self.partial(fold, n_jobs)
        if not reduced.n_rows:
            bad, what = reduced.bad_rows, ""
            if bad.count:
                what = f"; all {bad.count} are bad, the first: {describe(bad.first[0])}"
            msg = f"{self.shown}: there are no rows to learn from{what}"
            raise DataError(msg)
        if not reduced.weighs:
            msg = (
                f"{self.shown}: the weights in column {self.reader.request.weights!r} are all zero"
            )
            raise DataError(msg)
        return reduced

    @abstractmethod
    def partial(self, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        """What all blocks sum to, whether or not there are any."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What users should know about how the rows were read."""
        return ()

    @property
    @abstractmethod
    def shown(self) -> str:
        """What messages call the source."""


def open_rows(source: object, request: Request) -> RowSource:
    """Find the columns of a source that are asked for, and check that they can be what they are.

    Examples
    --------
    >>> from importlib.resources import files
    >>> rows = open_rows(files("gaussbayes.datasets").joinpath("iris.csv"), Request("species"))
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
        opened = given.opened(request.marks, request.names)
    if client is not None or packages & {"dask", "dask_expr", "pyspark"}:
        from gaussbayes.data.clusters import open_on_cluster

        package = "pyspark" if "pyspark" in packages else "dask"
        return open_on_cluster(opened, request, client, package)
    if not given.is_files:
        from gaussbayes.data.engines import EngineRows

        return EngineRows(opened, request)
    from gaussbayes.data.file_rows import FileRows

    return FileRows(opened, request)


@dataclass(frozen=True, slots=True)
class BlockReader:
    """How Arrow tables of a source become blocks of labelled rows."""

    request: Request
    encoder: Encoder
    selection: ColumnSelection
    spelled: bool = False  # whether categories may be strings that spell numbers

    @classmethod
    def open(
        cls, inferred: InferredTypes, request: Request, sampled: Sampled, shown: str
    ) -> "BlockReader":
        """Choose the columns of a source of such types, and check that they can be what they are.

        `sampled` gives rows by which kinds are detected, if they are to be; `shown` is what
        messages call the source.
        """
        names, decided, given = inferred.schema.names, None, request.kinds
        check_distinct(shown, names)
        if request.detect:
            request, decided = decide_source(sampled, request, inferred, shown)
        encoder, kinds = choose_columns(names, request, decided)
        target = request.target
        columns = [*kinds, *([] if target is None else [target])]
        selection = select_columns(
            inferred, columns, kinds, request.bad_rows, strings=request.string_features
        )
        check_types(selection.schema, kinds, shown, target)
        encoded = selection.encoded
        if target is not None and is_string(selection.schema.field(target).type):
            encoded += (target,)
        selection = replace(
            selection,
            as_stored=True,
            encoded=encoded,
            missing=request.missing,
            optional=()
            if decided is None
            else tuple(name for name in encoder.names or () if name not in given),
        )
        return cls(request, encoder, selection, inferred.is_text)

    def read(self, table: "pa.Table") -> LabelledRows:
        """The rows of a table that has been sifted."""
        weights, target = weight_column(table, self.request.weights), self.request.target
        classes: LabelArray = np.empty(0)
        if target is None:
            codes = np.full(table.num_rows, UNLABELLED, np.int32)
            targets = Targets(codes, 0, weights, table.num_rows)
        else:
            codes, classes, n_unlabelled = read_label_column(
                table.column(target), target, self.request.label_marks
            )
            targets = Targets(codes, classes.shape[0], weights, n_unlabelled)
        rows = self.encoder.encode_block(table, spelled=self.spelled)
        if self.encoder.categories is None:
            check_categories(rows.categories, self.encoder.schema(classes).of_categories)
        return LabelledRows(rows, targets, classes)

    def reduced(self, batch: Callable[[], ParsedTable], fold: Fold[Any], file: str) -> Reduced[Any]:
        """What a batch adds, or the bad row that stops the reading."""
        try:
            return self._fold(batch(), fold, file)
        except BadRowError as error:
            return Reduced(stop=error)

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
                raise part.stop.placed(file, 1 + n_records, self.selection.optional)
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

    def _fold(self, parsed: ParsedTable, fold: Fold[Any], file: str) -> Reduced[Any]:
        """What a table adds; a row that cannot be used is an error, or is skipped and counted."""
        usable = parsed.sifted(self.selection)
        if usable.problems and self.selection.bad_rows == "error":
            raise BadRowError(usable.problems[0], skippable=self._loses_no_class(parsed, usable))
        bad_rows = count_problems(usable.problems, file, 1)
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
