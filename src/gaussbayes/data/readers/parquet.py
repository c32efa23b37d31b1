"""Parquet: row groups → Arrow tables, each group in any thread and never whole in memory."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import FREE_MEMORY, check_memory, check_total, parquet_pages
from gaussbayes.data.listing import SourceFile
from gaussbayes.data.readers.batches import batch_rows, stored_types, tables_of
from gaussbayes.data.selection import (
    InferredTypes,
    ParsedTable,
    Piece,
    Selection,
    check_same_columns,
)
from gaussbayes.data.streams import naming

_PIECE_ROWS = 1 << 17
"""Row groups are taken together until they have this many rows."""

_READ_BYTES = 1 << 28
"""Memory for rows that have been read and not summed yet, in all threads together."""

_BUFFER = 1 << 18


def look(file: SourceFile, handle: Any) -> tuple[InferredTypes, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    notes = opened.metadata.metadata or {}
    schema = opened.schema_arrow
    schema = schema.with_metadata({**notes, **(schema.metadata or {})})
    return stored_types(schema, file.shown), opened.metadata.num_rows > 0


def row_count(file: SourceFile, handle: Any) -> int:
    """How many rows a file has, as it says itself."""
    return int(_opened(file, handle).metadata.num_rows)


def piece_count(
    file: SourceFile,
    handle: Any,
    selection: Selection | None = None,  # noqa: ARG001 (row groups are what they are)
) -> int:
    """How many pieces a file has."""
    return len(_groups(_opened(file, handle).metadata))


def rows_before(
    file: SourceFile,
    handle: Any,
    selection: Selection,  # noqa: ARG001 (row groups are what they are)
    first: int,
) -> int:
    """How many rows are in the pieces before number `first`."""
    metadata = _opened(file, handle).metadata
    before = (group for groups in _groups(metadata)[:first] for group in groups)
    return sum(metadata.row_group(group).num_rows for group in before)


def pieces(
    file: SourceFile, selection: Selection, handle: Any, at_once: int, first: int = 0
) -> Iterator[Piece]:
    """One piece for each large row group, or some small ones; those from number `first` on."""
    opened = _opened(file, handle)
    check_same_columns(file.shown, opened.schema_arrow.names, selection.columns)
    # Run-length encoding gives any number of rows for a few bytes.
    expanded = 8 * opened.metadata.num_rows * len(selection.columns)
    check_total(file.shown, expanded, handle.size())
    for groups in _groups(opened.metadata)[first:]:
        yield partial(_read, file, handle, opened.metadata, groups, selection, at_once)


def _groups(metadata: Any) -> list[list[int]]:
    """The row groups of each piece."""
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    return grouped(sizes, _PIECE_ROWS)


def grouped(sizes: Sequence[int], enough: int) -> list[list[int]]:
    """Neighbours taken together until they are large enough.

    Examples
    --------
    >>> grouped([3, 1, 1, 5, 1], enough=3)
    [[0], [1, 2, 3], [4]]
    """
    groups: list[list[int]] = []
    total = enough
    for number, size in enumerate(sizes):
        if total >= enough:
            groups.append([])
            total = 0
        groups[-1].append(number)
        total += size
    return groups


def _read(
    file: SourceFile,
    handle: Any,
    metadata: Any,
    groups: list[int],
    selection: Selection,
    at_once: int,
) -> Iterator[ParsedTable]:
    """The batches of a piece.

    As many as memory allows are decoded together, which is faster, and then cut where they would
    have been anyway.
    """
    step = batch_rows(len(selection.columns))
    share = _READ_BYTES // (max(at_once, 2) * 8 * len(selection.columns) * step)
    n_rows = sum(metadata.row_group(group).num_rows for group in groups)
    whole = max(1, -(-n_rows // step))
    # Unless it is all at once, pyarrow holds on to a batch while it decodes the next.
    together = whole if whole <= share else max(1, share // 2)
    with naming(file):
        shared = _check_pages(file, handle, metadata, groups, selection, together * step)
        encoded = sorted({*selection.encoded, *shared})
        batches = _opened(file, handle, metadata, encoded).iter_batches(
            batch_size=together * step,
            row_groups=groups,
            columns=selection.columns,
            use_threads=at_once == 1,
        )
        for table in tables_of(batches, selection, file.shown, step):
            yield ParsedTable(table, table.num_rows)
            del table  # not to hold on to these rows, either


def _check_pages(
    file: SourceFile,
    handle: Any,
    metadata: Any,
    groups: Sequence[int],
    selection: Selection,
    n_rows: int,
) -> set[str]:
    """Raise if a page of the columns that are wanted takes too much memory.

    Returns the columns of strings that are to be read as dictionaries, because `n_rows` times their
    longest string might take too much.
    """
    shared = set()
    for number, column in _leaves(metadata, selection.columns):
        name = column.path.partition(".")[0] if column.max_repetition_level else column.path
        for group in groups:
            if not metadata.row_group(group).num_rows:
                continue
            chunk = metadata.row_group(group).column(number)
            size = chunk.total_compressed_size
            start = chunk.data_page_offset
            if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
                start = chunk.dictionary_page_offset
            pages = parquet_pages(file.shown, handle, start, size)
            taken = pages.largest
            if column.max_repetition_level:  # a row may hold any number of values
                taken = pages.expanded + 8 * pages.n_values
            elif column.physical_type == "BYTE_ARRAY":
                taken = pages.expanded
                if n_rows * pages.dictionary > FREE_MEMORY:
                    shared.add(name)
            elif column.physical_type == "FIXED_LEN_BYTE_ARRAY":
                taken = max(pages.largest, n_rows * column.length)
            what = f"column {name!r} in row group {group} of {file.shown}"
            check_memory(what, taken, size, "write it in smaller row groups")
    return shared


def _leaves(metadata: Any, columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """The numbers and types of the columns of a file that hold the values of those wanted."""
    wanted = set(columns)
    for number in range(metadata.num_columns):
        column = metadata.schema.column(number)
        if column.path in wanted or column.path.partition(".")[0] in wanted:
            yield number, column


def _opened(
    file: SourceFile, handle: Any, metadata: Any = None, dictionary: list[str] | None = None
) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    with naming(file):
        try:
            return parquet.ParquetFile(
                handle,
                metadata=metadata,
                read_dictionary=dictionary,
                # Read as it is needed: a row group may be larger than memory.
                pre_buffer=False,
                buffer_size=_BUFFER,
            )
        except pa.ArrowInvalid as error:
            msg = f"{file.shown} is not a Parquet file, or it breaks off in the middle: {error}"
            raise DataError(msg) from None
