"""Record batches of Parquet and Arrow files and of any other source → batches of fixed length.

Batches are cut to a number of rows that depends on the number of columns alone, and cast to the
expected types. A row group of Parquet is never whole in memory.
"""

from abc import abstractmethod
from base64 import b64decode
from binascii import Error as EncodingError
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc, parquet

from gaussbayes.base.errors import DataError
from gaussbayes.data.files import (
    BUFFER,
    FREE_MEMORY,
    FileReader,
    OpenBytes,
    SourceFile,
    check_memory,
    check_total,
    naming,
    seekable,
)
from gaussbayes.data.schema import MissingMarks
from gaussbayes.data.sources import (
    Batch,
    BlockReader,
    ColumnSelection,
    Fold,
    InferredTypes,
    ParsedTable,
    Reduced,
    Sum,
)
from gaussbayes.data.tables import check_present, is_dictionary, is_number, is_string, value_type

_MAGIC = b"ARROW1"

_READ_BYTES = 1 << 25
"""Nominal size of the rows that are decoded together: larger is faster, but takes more memory."""

BATCH_BYTES = 1 << 23
"""Nominal size of a batch of rows in memory."""

FEWEST_ROWS = 1 << 10


def batch_rows(n_columns: int) -> int:
    """The number of rows of a batch, a power of two that depends on the number of columns alone."""
    rows = max(FEWEST_ROWS, BATCH_BYTES // (8 * max(1, n_columns)))
    return 1 << (rows.bit_length() - 1)


def with_names(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """The same columns under other names."""
    fields = [field.with_name(name) for field, name in zip(schema, names, strict=True)]
    return pa.schema(fields, metadata=schema.metadata)


def stored_types(schema: pa.Schema) -> InferredTypes:
    """The types of columns as they are stored.

    Parquet returns categories of integers as integers; its metadata show that they are categories.
    """
    notes = schema.metadata or {}
    categorical = {field.name for field in schema if is_dictionary(field.type)}
    try:
        written = pa.ipc.read_schema(pa.py_buffer(b64decode(notes.get(b"ARROW:schema", b""))))
        categorical |= {field.name for field in written if is_dictionary(field.type)}
    except (pa.ArrowException, OSError, EncodingError, UnicodeDecodeError):
        pass  # metadata that cannot be read are ignored
    known = frozenset(categorical & {*schema.names})
    return InferredTypes(schema.remove_metadata(), categorical=known)


def partition_sum(
    number: int, stored: Iterable[pa.RecordBatch], reader: BlockReader, fold: Fold[Sum]
) -> Reduced[Sum]:
    """The statistics of a partition, which is cut like a file of the same rows."""
    shown = f"partition {number}"
    return reader.sum(batches_of(stored, reader.selection, shown), fold, shown)


def batches_of(
    stored: Iterable[pa.RecordBatch], selection: ColumnSelection, file: str
) -> Iterator[Batch]:
    """The rows of record batches in batches of this length, to be cast to the expected types.

    Casting comes after cutting, so that a large batch is never copied as a whole.
    """
    columns = selection.columns
    tables = (pa.Table.from_batches([batch.select(columns)]) for batch in stored)
    for table in recut(tables, batch_rows(len(columns))):
        yield partial(_parsed, table, selection, file)


def _parsed(table: pa.Table, selection: ColumnSelection, file: str) -> ParsedTable:
    """A validated batch, cast to the expected types: a wrong offset would crash the process."""
    table.validate(full=True)
    return ParsedTable(cast_table(table, selection, file), table.num_rows)


class BinaryReader(FileReader):
    """A file whose columns have types: a batch is a number of rows."""

    schema: pa.Schema
    size: int
    """How many bytes the file has."""

    @abstractmethod
    def has_rows(self) -> bool:
        """Whether there are rows in the file."""

    @abstractmethod
    def record_batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """The columns at these places, in the order of the file."""

    @cached_property
    def _names(self) -> list[str]:
        try:
            return list(self.distinct(self.schema.names))
        except UnicodeDecodeError as error:
            name = f"{error.object!r:.60}"
            msg = f"the name of a column of {self.file.shown} is not UTF-8 text: {name}; rename it"
            raise DataError(msg) from None

    def look(self, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        with naming(self.file):
            types = stored_types(with_names(self.schema, self._names))
            return types, self.has_rows()

    def batches(self, selection: ColumnSelection) -> Iterator[Batch]:
        names, wanted = self._names, set(selection.columns)
        check_present(names, selection.columns, self.file.shown)
        # Columns may share a name in the file; then all of them are read.
        shared = {self.schema.names[place] for place, name in enumerate(names) if name in wanted}
        places = [place for place, name in enumerate(self.schema.names) if name in shared]
        chosen = [names[place] for place in places]
        with naming(self.file):
            stored = self._bounded(self.record_batches(places), selection)
            renamed = (batch.rename_columns(chosen) for batch in stored)
            for batch in batches_of(renamed, selection, self.file.shown):
                yield partial(_in_file, self.file, batch)

    def _bounded(
        self, batches: Iterator[pa.RecordBatch], selection: ColumnSelection
    ) -> Iterator[pa.RecordBatch]:
        """The same batches; raise if rows in memory at the same time take too much."""
        step, total, n_rows, n_bytes = batch_rows(len(selection.columns)), 0, 0, 0
        for batch in batches:
            batch.validate()
            if n_rows + batch.num_rows > step:
                n_rows = n_bytes = 0
            # Columns without values, and long runs of one value, take no space in the file.
            room = 8 * batch.num_rows * batch.num_columns
            n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + max(batch.nbytes, room)
            rows = f"rows {total + 1:,} to {total + batch.num_rows:,} of {self.file.shown}"
            total += batch.num_rows
            try:
                check_memory(rows, n_bytes, self.size, "choose columns, or write smaller batches")
                check_total(self.file.shown, 8 * total * batch.num_columns, self.size)
            except DataError:
                del batch, batches  # an error keeps references to local objects
                raise
            yield batch


def _in_file(file: SourceFile, batch: Batch) -> ParsedTable:
    with naming(file):
        return batch()


def cast_table(table: pa.Table, selection: ColumnSelection, file: str) -> pa.Table:
    """The columns of a table cast to the expected types."""
    if table.schema.types == selection.schema.types:
        return table
    columns = []
    for field in selection.schema:
        column = table.column(field.name)
        kind = selection.kinds.get(field.name)
        number = kind not in {None, "category", "class"} and is_number(column.type)
        # A column of integers with missing values is one of floats in many files.
        alike = kind == "category" and (
            is_number(value_type(column.type)) and is_number(field.type)
        )
        if alike or (number and selection.as_stored):
            columns.append(column)
            continue
        try:
            # Integers beyond 2⁵³ are rounded, as they are in every table of floats.
            rounded = number and pa.types.is_floating(field.type)
            encoded = field.name in selection.encoded
            columns.append(_cast(column, field.type, file, safe=not rounded, encoded=encoded))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            msg = (
                f"column {field.name!r} of {file} holds {column.type}, which is not {field.type} "
                f"as in the files before it: {error}"
            )
            raise DataError(msg) from None
    return pa.Table.from_arrays(columns, names=selection.columns)


def _cast(column: Any, kind: Any, file: str, *, safe: bool, encoded: bool) -> Any:
    if column.type == kind:
        return column
    if is_dictionary(column.type):
        if encoded and column.type.value_type == kind:
            return column  # the same values; a requested dictionary is kept
        _check_strings(column, file)
        column = column.cast(column.type.value_type)
    elif pa.types.is_string_view(column.type):
        _check_strings(column, file)
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind, safe=safe)


def _check_strings(column: Any, file: str) -> None:
    """Raise if strings that many rows share are too long to be copied for each row."""
    total = 0
    for chunk in column.chunks:
        if is_dictionary(chunk.type):
            if not is_string(chunk.type.value_type):
                continue
            lengths = pc.binary_length(chunk.dictionary).take(chunk.indices)
        else:
            lengths = pc.binary_length(chunk)
        total += pc.sum(lengths).as_py() or 0
    check_memory(f"a column of strings in {file}", total, column.nbytes, "leave the column out")


def recut(tables: Iterator[pa.Table], step: int) -> Iterator[pa.Table]:
    """The same rows in tables of `step` rows, the last one shorter; nothing is copied."""
    waiting: list[pa.Table] = []
    missing = step
    for table in tables:
        start = 0
        while table.num_rows - start >= missing:
            waiting.append(table.slice(start, missing))
            start += missing
            whole = pa.concat_tables(waiting) if len(waiting) > 1 else waiting[0]
            waiting, missing = [], step
            yield whole
            del whole  # release these rows while the next are read
        if start < table.num_rows:
            waiting.append(table.slice(start))
            missing -= table.num_rows - start
        del table
    if waiting:
        yield pa.concat_tables(waiting)


class ParquetReader(BinaryReader):
    """A Parquet file."""

    def __init__(self, file: SourceFile, stream: OpenBytes) -> None:
        super().__init__(file)
        self._handle = seekable(file, stream)
        self.size = int(self._handle.size())
        opened = self._open()
        self._metadata = opened.metadata
        self.n_rows: int = self._metadata.num_rows
        with naming(file):
            self.schema = opened.schema_arrow.with_metadata(self._metadata.metadata)

    def has_rows(self) -> bool:
        return self.n_rows > 0

    def record_batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        # Run-length encoding gives any number of rows for a few bytes.
        check_total(self.file.shown, 8 * self.n_rows * len(places), self.size)
        if not self.n_rows:
            return
        names = self.schema.names
        strings = {names[place] for place in places if is_string(self.schema.field(place).type)}
        # A string that many rows share is held once.
        yield from self._open(sorted(strings)).iter_batches(
            batch_size=self._rows_at_once(_READ_BYTES // (8 * len(places))),
            columns=[names[place] for place in places],
        )

    def _rows_at_once(self, most: int) -> int:
        """The number of rows decoded together: fewer if they may be long."""
        found = map(self._metadata.row_group, range(self._metadata.num_row_groups))
        longest: int = max(group.total_byte_size // max(1, group.num_rows) for group in found)
        return max(1, min(most, FREE_MEMORY // max(1, longest)))

    def _open(self, encoded: Sequence[str] = ()) -> Any:
        """Open the file, with some columns to be read as dictionaries."""
        with naming(self.file):
            try:
                return parquet.ParquetFile(
                    self._handle,
                    read_dictionary=encoded,
                    # A large file is read as it is needed: a row group may be larger than memory.
                    # Otherwise no page is longer than the file, whatever its header says.
                    pre_buffer=False,
                    buffer_size=BUFFER if self.size > FREE_MEMORY else 0,
                )
            except (pa.ArrowInvalid, KeyError) as error:
                msg = (
                    f"{self.file.shown} is not a Parquet file, or it breaks off in the middle: "
                    f"{error}"
                )
                raise DataError(msg) from None


class ArrowReader(BinaryReader):
    """An Arrow file or stream."""

    def __init__(self, file: SourceFile, stream: OpenBytes) -> None:
        super().__init__(file)
        self._buffer = seekable(file, stream).read_buffer()  # a memory map: nothing is read
        self.size = self._buffer.size
        # A file has a table of contents, a stream has not.
        self._is_file = self.size > 12 and self._start(6) == _MAGIC
        with naming(file):
            self.schema = self._open().schema

    def has_rows(self) -> bool:
        places = [0] if self.schema.names else []
        return any(batch.num_rows for batch in self.record_batches(places))

    def record_batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        source = pa.BufferReader(self._buffer)
        opened = self._open(source, places)
        if self._is_file:
            yield from map(opened.get_batch, range(opened.num_record_batches))
            return
        n_rows, end = 0, source.tell()
        for batch in opened:
            yield batch
            n_rows, end = n_rows + batch.num_rows, source.tell()
        self._check_end(n_rows, end, source.tell())

    def _check_end(self, n_rows: int, last: int, end: int) -> None:
        """Raise unless a stream ends with its end mark.

        pyarrow treats the end of the file as that of the stream, also after any batch; the mark
        follows the last batch.
        """
        if end < self.size:
            msg = (
                f"{self.file.shown} goes on after the end of its Arrow stream, at row {n_rows}, as "
                "streams put together in one file do: give each in a file of its own"
            )
            raise DataError(msg)
        if end == last:
            msg = (
                f"{self.file.shown} breaks off after {n_rows} rows: the end mark of an Arrow "
                "stream is missing. Fetch it again, or write it again with a writer that is closed "
                "at the end"
            )
            raise DataError(msg)

    def _start(self, n_bytes: int) -> bytes:
        """The first bytes of the file."""
        start: bytes = self._buffer.slice(0, min(n_bytes, self.size)).to_pybytes()
        return start

    def _open(self, source: Any = None, places: Sequence[int] = ()) -> Any:
        """Open the file, with the columns at these places, or all."""
        options = ipc.IpcReadOptions(included_fields=sorted(places))
        with naming(self.file):
            try:
                opened = ipc.open_file if self._is_file else ipc.open_stream
                return opened(source or self._buffer, options=options)
            except (pa.ArrowInvalid, OSError) as error:
                old = self._start(4) == b"FEA1"
                what = "is an old Feather file" if old else "is not an Arrow file"
                msg = f"{self.file.shown} {what}, or it breaks off in the middle: {error}"
                raise DataError(msg) from None
