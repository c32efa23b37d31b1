"""Parquet: row groups → Arrow tables, each group in any thread and never whole in memory."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from gaussbayes.errors import DataError
from gaussbayes.sources.casting import cast_table, plain_schema
from gaussbayes.sources.listing import SourceFile
from gaussbayes.sources.matching import match_columns
from gaussbayes.sources.request import Held, Parsed, Piece, Request
from gaussbayes.sources.streams import naming

BATCH_BYTES = 1 << 23
"""Nominal size of a batch of rows in memory."""

_FEWEST_ROWS = 1 << 10
_PIECE_ROWS = 1 << 17
"""Row groups are taken together until they have this many rows."""
_READ_BYTES = 1 << 26
"""Memory for rows that have been read and not summed yet, in all threads together."""
_BUFFER = 1 << 18


def look(file: SourceFile, handle: Any) -> tuple[Held, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    return Held(plain_schema(opened.schema_arrow, file.shown)), opened.metadata.num_rows > 0


def row_count(file: SourceFile, handle: Any) -> int:
    """How many rows a file has, as it says itself."""
    return int(_opened(file, handle).metadata.num_rows)


def piece_count(file: SourceFile, handle: Any) -> int:
    """How many pieces a file has."""
    return len(grouped(_group_sizes(_opened(file, handle).metadata)))


def pieces(file: SourceFile, request: Request, handle: Any, at_once: int) -> Iterator[Piece]:
    """One piece for each large row group, or some small ones that follow each other."""
    opened = _opened(file, handle)
    match_columns(file.shown, opened.schema_arrow.names, request.columns)
    for groups in grouped(_group_sizes(opened.metadata)):
        yield partial(_read, file, handle, opened.metadata, groups, request, at_once)


def _group_sizes(metadata: Any) -> list[int]:
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def grouped(sizes: Sequence[int], enough: int = _PIECE_ROWS) -> list[list[int]]:
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


def batch_rows(n_columns: int) -> int:
    """How many rows make a batch, a power of two; it depends on the number of columns alone.

    Examples
    --------
    >>> batch_rows(10)
    65536
    """
    rows = BATCH_BYTES // (8 * max(1, n_columns))
    return max(_FEWEST_ROWS, 1 << (rows.bit_length() - 1))


def _read(
    file: SourceFile, handle: Any, metadata: Any, groups: list[int], request: Request, at_once: int
) -> Iterator[Parsed]:
    """The batches of a piece.

    Several are decoded together, which is faster, and then cut where they would have been anyway.
    """
    import pyarrow as pa

    step = batch_rows(len(request.columns))
    # Half of a thread's share: pyarrow holds on to a batch while it decodes the next.
    share = _READ_BYTES // (2 * max(at_once, 2))
    together = max(1, share // (8 * len(request.columns) * step))
    with naming(file):
        batches = _opened(file, handle, metadata, list(request.encoded)).iter_batches(
            batch_size=together * step,
            row_groups=groups,
            columns=request.columns,
            use_threads=at_once == 1,
        )
        for batch in batches:
            table = cast_table(pa.Table.from_batches([batch]), request, file.shown)
            for start in range(0, table.num_rows, step):
                yield Parsed(table.slice(start, step), min(step, table.num_rows - start))
            del batch, table  # not to hold these rows, either, while the next are decoded


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
