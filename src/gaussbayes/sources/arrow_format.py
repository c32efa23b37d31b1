"""Arrow IPC files, Feather files and Arrow streams: record batches → tables."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from gaussbayes.errors import DataError
from gaussbayes.sources.casting import cast_table, plain_schema
from gaussbayes.sources.cutting import batch_rows, recut
from gaussbayes.sources.listing import SourceFile
from gaussbayes.sources.matching import match_columns
from gaussbayes.sources.request import Held, Parsed, Piece, Request
from gaussbayes.sources.streams import naming

_MAGIC = b"ARROW1"


def look(file: SourceFile, handle: Any) -> tuple[Held, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    held = Held(plain_schema(opened.schema, file.shown))
    with naming(file):
        return held, any(batch.num_rows for batch in _batches(opened))


def pieces(
    file: SourceFile,
    request: Request,
    handle: Any,
    at_once: int,  # noqa: ARG001 (a record batch is decoded by one thread)
) -> Iterator[Piece]:
    """One piece for so many rows; a large record batch is cut, small ones are taken together."""
    opened = _opened(file, handle)
    match_columns(file.shown, opened.schema.names, request.columns)
    with naming(file):
        tables = (cast_table(batch, request, file.shown) for batch in _batches(opened))
        for table in recut(tables, batch_rows(len(request.columns))):
            yield partial(_read, table)


def _read(table: Any) -> Iterator[Parsed]:
    yield Parsed(table, table.num_rows)


def _batches(opened: Any) -> Iterator[Any]:
    if not hasattr(opened, "num_record_batches"):
        yield from opened
        return
    for number in range(opened.num_record_batches):
        yield opened.get_batch(number)


def _opened(file: SourceFile, handle: Any) -> Any:
    import pyarrow as pa
    from pyarrow import ipc

    with naming(file):
        handle.seek(0)
        start = handle.read(len(_MAGIC))
        handle.seek(0)
        try:
            return ipc.open_file(handle) if start == _MAGIC else ipc.open_stream(handle)
        except (pa.ArrowInvalid, OSError) as error:
            what = "is an old Feather file" if start.startswith(b"FEA1") else "is not an Arrow file"
            msg = f"{file.shown} {what}, or it breaks off in the middle: {error}"
            raise DataError(msg) from None
