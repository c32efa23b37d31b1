"""Arrow IPC files, Feather files and Arrow streams: record batches → tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.sources.casting import cast_table, plain_schema
from gaussbayes.data.sources.cutting import batch_rows, recut
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.matching import match_columns
from gaussbayes.data.sources.request import Held, Parsed, Piece, Request
from gaussbayes.data.sources.streams import naming

_MAGIC = b"ARROW1"


def look(file: SourceFile, handle: Any) -> tuple[Held, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    held = Held(plain_schema(opened.schema, file.shown))
    with naming(file):
        return held, any(batch.num_rows for batch in _batches(file, handle, opened))


def piece_count(file: SourceFile, handle: Any, request: Request) -> int | None:
    """How many pieces a file has; None for a stream, which is read to know."""
    lengths = _lengths(file, handle)
    if lengths is None:
        return None
    return ceil(sum(lengths) / batch_rows(len(request.columns)))


def rows_before(
    file: SourceFile,  # noqa: ARG001 (all pieces but the last have as many)
    handle: Any,  # noqa: ARG001
    request: Request,
    first: int,
) -> int:
    """How many rows are in the pieces before number `first`."""
    return first * batch_rows(len(request.columns))


def pieces(
    file: SourceFile,
    request: Request,
    handle: Any,
    at_once: int,  # noqa: ARG001 (a record batch is decoded by one thread)
    first: int = 0,
) -> Iterator[Piece]:
    """One piece for so many rows; a large record batch is cut, small ones are taken together.

    Those from number `first` on; of a file, not of a stream, what is before them is not read.
    """
    opened = _opened(file, handle)
    match_columns(file.shown, opened.schema.names, request.columns)
    step = batch_rows(len(request.columns))
    with naming(file):
        lengths = (_lengths(file, handle) or []) if first else []
        whole, rest = _skipped(lengths, first * step)
        batches = _batches(file, handle, opened, whole)
        tables = (cast_table(batch, request, file.shown) for batch in batches)
        for table in recut(_without_start(tables, rest), step):
            yield partial(_read, table)


def _skipped(lengths: Sequence[int], n_rows: int) -> tuple[int, int]:
    """How many whole batches, and rows of the next one, the first rows take.

    Examples
    --------
    >>> _skipped([3, 0, 4, 5], 5)
    (2, 2)
    """
    whole = 0
    for length in lengths:
        if length > n_rows:
            break
        whole, n_rows = whole + 1, n_rows - length
    return whole, n_rows


def _without_start(tables: Iterator[Any], n_rows: int) -> Iterator[Any]:
    """The tables without the first rows of the first one."""
    for table in tables:
        yield table.slice(n_rows) if n_rows else table
        n_rows = 0


def _lengths(file: SourceFile, handle: Any) -> list[int] | None:
    """The rows of each record batch, for which one column is read; None for a stream."""
    from pyarrow import ipc

    one = _opened(file, handle, ipc.IpcReadOptions(included_fields=[0]))
    if not hasattr(one, "num_record_batches"):
        return None
    with naming(file):
        return [batch.num_rows for batch in _batches(file, handle, one)]


def _read(table: Any) -> Iterator[Parsed]:
    yield Parsed(table, table.num_rows)


def _batches(file: SourceFile, handle: Any, opened: Any, first: int = 0) -> Iterator[Any]:
    if not hasattr(opened, "num_record_batches"):
        yield from _streamed(file, handle, opened)
        return
    for number in range(first, opened.num_record_batches):
        yield opened.get_batch(number)


def _streamed(file: SourceFile, handle: Any, opened: Any) -> Iterator[Any]:
    """The batches of a stream, which must come to its end mark and to nothing else.

    pyarrow takes the end of the file for that of the stream, wherever it is.
    """
    n_rows, place = 0, handle.tell()
    for batch in opened:
        n_rows, place = n_rows + batch.num_rows, handle.tell()
        yield batch
    if handle.tell() == place:
        msg = (
            f"{file.shown} breaks off after {n_rows} rows: the end mark of an Arrow stream is "
            "missing. Fetch it again, or write it again with a writer that is closed at the end"
        )
        raise DataError(msg)
    if handle.tell() < handle.size():
        msg = (
            f"{file.shown} goes on after the end of its Arrow stream, at row {n_rows}, as streams "
            "put together in one file do: give each in a file of its own"
        )
        raise DataError(msg)


def _opened(file: SourceFile, handle: Any, options: Any = None) -> Any:
    import pyarrow as pa
    from pyarrow import ipc

    with naming(file):
        handle.seek(0)
        start = handle.read(len(_MAGIC))
        handle.seek(0)
        try:
            opening = ipc.open_file if start == _MAGIC else ipc.open_stream
            return opening(handle, options=options)
        except (pa.ArrowInvalid, OSError) as error:
            what = "is an old Feather file" if start.startswith(b"FEA1") else "is not an Arrow file"
            msg = f"{file.shown} {what}, or it breaks off in the middle: {error}"
            raise DataError(msg) from None
