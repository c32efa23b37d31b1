"""Parquet: row groups → Arrow tables, each group in any thread and never whole in memory."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import (
    FREE_MEMORY,
    RowGroup,
    check_memory,
    check_total,
    parquet_pages,
    parquet_row_groups,
)
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

_READ_BYTES = 1 << 26
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
    return len(_groups(_row_groups(file, handle)))


def rows_before(
    file: SourceFile,
    handle: Any,
    selection: Selection,  # noqa: ARG001 (row groups are what they are)
    first: int,
) -> int:
    """How many rows are in the pieces before number `first`."""
    row_groups = _row_groups(file, handle)
    before = (group for groups in _groups(row_groups)[:first] for group in groups)
    return sum(row_groups[group].n_rows for group in before)


def pieces(
    file: SourceFile, selection: Selection, handle: Any, at_once: int, first: int = 0
) -> Iterator[Piece]:
    """One piece for each large row group, or some small ones; those from number `first` on."""
    opened = _opened(file, handle)
    check_same_columns(file.shown, opened.schema_arrow.names, selection.columns)
    # Run-length encoding gives any number of rows for a few bytes.
    expanded = 8 * opened.metadata.num_rows * len(selection.columns)
    check_total(file.shown, expanded, handle.size())
    row_groups = _row_groups(file, handle)
    for groups in _groups(row_groups)[first:]:
        yield partial(_read, file, handle, opened.metadata, row_groups, groups, selection, at_once)


def _row_groups(file: SourceFile, handle: Any) -> list[RowGroup]:
    with naming(file):
        return parquet_row_groups(file.shown, handle)


def _groups(row_groups: Sequence[RowGroup]) -> list[list[int]]:
    """The row groups of each piece."""
    return grouped([group.n_rows for group in row_groups], _PIECE_ROWS)


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
    row_groups: Sequence[RowGroup],
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
    n_rows = sum(row_groups[group].n_rows for group in groups)
    whole = max(1, -(-n_rows // step))
    # Unless it is all at once, pyarrow holds on to a batch while it decodes the next.
    together = whole if whole <= share else max(1, share // 2)
    with naming(file):
        some = {group: row_groups[group] for group in groups}
        shared = _check_pages(file, handle, metadata, some, selection, together * step)
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
    groups: Mapping[int, RowGroup],
    selection: Selection,
    n_rows: int,
) -> set[str]:
    """Raise if a page of the columns that are wanted takes too much memory.

    Returns the columns of strings that are to be read as dictionaries, because `n_rows` times their
    longest string might take too much.
    """
    shared = set()
    taken, in_file = dict.fromkeys(groups, 0), dict.fromkeys(groups, 0)
    for number, column in _leaves(metadata, selection.columns):
        for group, row_group in groups.items():
            if not row_group.n_rows:
                continue
            if number >= len(row_group.chunks):
                msg = f"cannot read {file.shown}: row group {group} lacks columns; write it again"
                raise DataError(msg)
            start, n_bytes = row_group.chunks[number]
            pages = parquet_pages(file.shown, handle, start, n_bytes)
            in_file[group] += n_bytes
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
            taken[group] += at_once
            what = f"row group {group} of {file.shown}, at column {column.path!r},"
            check_memory(what, taken[group], in_file[group], "write it in smaller row groups")
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
