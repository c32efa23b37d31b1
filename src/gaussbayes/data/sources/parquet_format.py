"""Parquet: row groups → Arrow tables, each group in any thread and never whole in memory."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources.casting import cast_table, plain_schema
from gaussbayes.data.sources.cutting import batch_rows, recut
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.matching import match_columns
from gaussbayes.data.sources.request import Held, Parsed, Piece, Request
from gaussbayes.data.sources.streams import naming

_PIECE_ROWS = 1 << 17
"""Row groups are taken together until they have this many rows."""
_READ_BYTES = 1 << 28
"""Memory for rows that have been read and not summed yet, in all threads together."""
_BUFFER = 1 << 18


def look(file: SourceFile, handle: Any) -> tuple[Held, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    return Held(plain_schema(opened.schema_arrow, file.shown)), opened.metadata.num_rows > 0


def row_count(file: SourceFile, handle: Any) -> int:
    """How many rows a file has, as it says itself."""
    return int(_opened(file, handle).metadata.num_rows)


def piece_count(
    file: SourceFile,
    handle: Any,
    request: Request | None = None,  # noqa: ARG001 (row groups are what they are)
) -> int:
    """How many pieces a file has."""
    return len(_groups(_opened(file, handle).metadata))


def rows_before(
    file: SourceFile,
    handle: Any,
    request: Request,  # noqa: ARG001 (row groups are what they are)
    first: int,
) -> int:
    """How many rows are in the pieces before number `first`."""
    metadata = _opened(file, handle).metadata
    before = (group for groups in _groups(metadata)[:first] for group in groups)
    return sum(metadata.row_group(group).num_rows for group in before)


def pieces(
    file: SourceFile, request: Request, handle: Any, at_once: int, first: int = 0
) -> Iterator[Piece]:
    """One piece for each large row group, or some small ones; those from number `first` on."""
    opened = _opened(file, handle)
    match_columns(file.shown, opened.schema_arrow.names, request.columns)
    for groups in _groups(opened.metadata)[first:]:
        yield partial(_read, file, handle, opened.metadata, groups, request, at_once)


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
    file: SourceFile, handle: Any, metadata: Any, groups: list[int], request: Request, at_once: int
) -> Iterator[Parsed]:
    """The batches of a piece.

    As many as memory allows are decoded together, which is faster, and then cut where they would
    have been anyway.
    """
    step = batch_rows(len(request.columns))
    share = _READ_BYTES // (max(at_once, 2) * 8 * len(request.columns) * step)
    n_rows = sum(metadata.row_group(group).num_rows for group in groups)
    whole = max(1, -(-n_rows // step))
    # Unless it is all at once, pyarrow holds on to a batch while it decodes the next.
    together = whole if whole <= share else max(1, share // 2)
    with naming(file):
        batches = _opened(file, handle, metadata, list(request.encoded)).iter_batches(
            batch_size=together * step,
            row_groups=groups,
            columns=request.columns,
            use_threads=at_once == 1,
        )
        tables = (cast_table(batch, request, file.shown) for batch in batches)
        for table in recut(tables, step):
            yield Parsed(table, table.num_rows)
            del table  # not to hold on to these rows, either


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
