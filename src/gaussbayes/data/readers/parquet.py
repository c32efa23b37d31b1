"""Parquet: row groups → Arrow tables, each group in any thread and never whole in memory."""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from io import BufferedReader
from typing import Any

import pyarrow as pa

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import (
    FREE_MEMORY,
    RowGroup,
    check_memory,
    check_total,
    parquet_pages,
    parquet_row_groups,
)
from gaussbayes.data.files import FileReader, SourceFile, naming, seekable
from gaussbayes.data.readers.batches import batch_rows, stored_types, tables_of
from gaussbayes.data.roles import ColumnSelection, InferredTypes, ParsedTable, Piece, check_present

_PIECE_ROWS = 1 << 17
"""Row groups are taken together until they have this many rows."""

_READ_BYTES = 1 << 26
"""Memory for rows that have been read and not summed yet, in all threads together."""

_BUFFER = 1 << 18


class ParquetReader(FileReader):
    """A Parquet file; a piece is a large row group, or some small ones."""

    def __init__(self, file: SourceFile, stream: BufferedReader) -> None:
        super().__init__(file)
        self._handle = seekable(file, stream)
        self._opened = self._open()
        self._metadata = self._opened.metadata
        self.n_rows: int = self._metadata.num_rows

    @cached_property
    def _row_groups(self) -> list[RowGroup]:
        with naming(self.file):
            return parquet_row_groups(self.file.shown, self._handle)

    @property
    def _groups(self) -> list[list[int]]:
        """The row groups of each piece."""
        return grouped([group.n_rows for group in self._row_groups], _PIECE_ROWS)

    def look(self) -> tuple[InferredTypes, bool]:
        with naming(self.file):  # names of columns may be no text
            schema = self._opened.schema_arrow
            notes = {**(self._metadata.metadata or {}), **(schema.metadata or {})}
            types = stored_types(schema.with_metadata(notes), self.file.shown)
        self.check_names(types.schema.names)
        return types, self.n_rows > 0

    def piece_rows(self, selection: ColumnSelection) -> list[int]:
        return [sum(self._row_groups[group].n_rows for group in groups) for groups in self._groups]

    def pieces(
        self, selection: ColumnSelection, at_once: int = 1, first: int = 0
    ) -> Iterator[Piece]:
        with naming(self.file):
            names = self._opened.schema_arrow.names
            check_present(names, selection.columns, self.file.shown)
            # Run-length encoding gives any number of rows for a few bytes.
            expanded = 8 * self.n_rows * len(selection.columns)
            check_total(self.file.shown, expanded, self._handle.size())
            for groups in self._groups[first:]:
                yield partial(self._read, groups, selection, at_once)

    def _read(
        self, groups: list[int], selection: ColumnSelection, at_once: int
    ) -> Iterator[ParsedTable]:
        """The batches of a piece.

        As many as memory allows are decoded together, which is faster, and then cut where they
        would have been anyway.
        """
        step = batch_rows(len(selection.columns))
        allowed = _READ_BYTES // (max(at_once, 2) * 8 * len(selection.columns) * step)
        n_rows = sum(self._row_groups[group].n_rows for group in groups)
        whole = max(1, -(-n_rows // step))
        # Unless it is all at once, pyarrow holds on to a batch while it decodes the next.
        together = whole if whole <= allowed else max(1, allowed // 2)
        with naming(self.file):
            shared = self._check_pages(groups, selection, together * step)
            batches = self._open(sorted({*selection.encoded, *shared})).iter_batches(
                batch_size=together * step,
                row_groups=groups,
                columns=selection.columns,
                use_threads=at_once == 1,
            )
            for table in tables_of(batches, selection, self.file.shown, step):
                yield ParsedTable(table, table.num_rows)
                del table  # not to hold on to these rows, either

    def _check_pages(self, groups: list[int], selection: ColumnSelection, n_rows: int) -> set[str]:
        """Raise if a page of the columns that are wanted takes too much memory.

        Returns the columns of strings that are to be read as dictionaries, because `n_rows` times
        their longest string might take too much.
        """
        file, shared, wanted = self.file.shown, set(), set(selection.columns)
        leaves = map(self._metadata.schema.column, range(self._metadata.num_columns))
        chosen = [
            (number, column)
            for number, column in enumerate(leaves)
            if column.path in wanted or column.path.partition(".")[0] in wanted
        ]
        for group in groups:
            row_group = self._row_groups[group]
            taken = in_file = 0
            for number, column in chosen if row_group.n_rows else ():
                if number >= len(row_group.chunks):
                    msg = f"cannot read {file}: row group {group} lacks columns; write it again"
                    raise DataError(msg)
                start, n_bytes = row_group.chunks[number]
                pages = parquet_pages(file, self._handle, start, n_bytes)
                in_file += n_bytes
                # A page of each column is held at a time; of strings, what a batch takes of all.
                at_once = pages.largest
                if column.max_repetition_level:  # a row may hold any number of values
                    at_once = pages.expanded + 8 * pages.n_values
                elif column.physical_type == "BYTE_ARRAY":
                    at_once = pages.expanded
                    if n_rows * pages.dictionary > FREE_MEMORY:
                        shared.add(column.path)
                elif column.physical_type == "FIXED_LEN_BYTE_ARRAY":
                    at_once += n_rows * column.length
                taken += at_once
                what = f"row group {group} of {file}, at column {column.path!r},"
                check_memory(what, taken, in_file, "write it in smaller row groups")
        return shared

    def _open(self, encoded: list[str] | None = None) -> Any:
        """Open the file, with some columns to be read as dictionaries."""
        from pyarrow import parquet

        with naming(self.file):
            try:
                return parquet.ParquetFile(
                    self._handle,
                    metadata=None if encoded is None else self._metadata,
                    read_dictionary=encoded,
                    # Read as it is needed: a row group may be larger than memory.
                    pre_buffer=False,
                    buffer_size=_BUFFER,
                )
            except pa.ArrowInvalid as error:
                msg = (
                    f"{self.file.shown} is not a Parquet file, or it breaks off in the middle: "
                    f"{error}"
                )
                raise DataError(msg) from None


def grouped(sizes: Sequence[int], enough: int) -> list[list[int]]:
    """Neighbours taken together until they are large enough."""
    groups: list[list[int]] = []
    total = enough
    for number, size in enumerate(sizes):
        if total >= enough:
            groups.append([])
            total = 0
        groups[-1].append(number)
        total += size
    return groups
