"""Arrow IPC files, Feather files and Arrow streams: record batches → tables."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import ArrowMessages
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

_MAGIC = b"ARROW1"


def look(file: SourceFile, handle: Any) -> tuple[InferredTypes, bool]:
    """The columns of a file and their types, and whether it has rows."""
    opened = _opened(file, handle)
    inferred = stored_types(opened.schema, file.shown)
    lengths = _lengths(file, handle)
    if lengths is not None:
        return inferred, any(lengths)
    messages = ArrowMessages(file.shown, handle).of_stream()
    return inferred, any(message.n_rows for message in messages if not message.is_dictionary)


def piece_count(file: SourceFile, handle: Any, selection: Selection) -> int | None:
    """How many pieces a file has; None for a stream, which is read to know."""
    lengths = _lengths(file, handle)
    if lengths is None:
        return None
    return ceil(sum(lengths) / batch_rows(len(selection.columns)))


def rows_before(
    file: SourceFile,  # noqa: ARG001 (all pieces but the last have as many)
    handle: Any,  # noqa: ARG001
    selection: Selection,
    first: int,
) -> int:
    """How many rows are in the pieces before number `first`."""
    return first * batch_rows(len(selection.columns))


def pieces(
    file: SourceFile,
    selection: Selection,
    handle: Any,
    at_once: int,  # noqa: ARG001 (a record batch is decoded by one thread)
    first: int = 0,
) -> Iterator[Piece]:
    """One piece for so many rows; a large record batch is cut, small ones are taken together.

    Those from number `first` on; of a file, not of a stream, what is before them is not read.
    """
    opened = _opened(file, handle)
    check_same_columns(file.shown, opened.schema.names, selection.columns)
    step = batch_rows(len(selection.columns))
    with naming(file):
        lengths = (_lengths(file, handle) or []) if first else []
        whole, rest = _skipped(lengths, first * step)
        batches = _without_start(_batches(file, handle, opened, whole), rest)
        for table in tables_of(batches, selection, file.shown, step):
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


def _without_start(batches: Iterator[Any], n_rows: int) -> Iterator[Any]:
    """The batches without the first rows of the first one."""
    for batch in batches:
        yield batch.slice(n_rows) if n_rows else batch
        n_rows = 0


def _lengths(file: SourceFile, handle: Any) -> list[int] | None:
    """The rows of each record batch, by their headers; None for a stream."""
    if not _is_file(handle):
        return None
    messages = ArrowMessages(file.shown, handle)
    _, records = messages.of_file()
    return [messages.at(place, number).n_rows for number, (place, _) in enumerate(records)]


def _read(table: Any) -> Iterator[ParsedTable]:
    yield ParsedTable(table, table.num_rows)


def _batches(file: SourceFile, handle: Any, opened: Any, first: int = 0) -> Iterator[Any]:
    """The record batches, each of which is looked at before memory is taken for it."""
    messages = ArrowMessages(file.shown, handle)
    if not hasattr(opened, "num_record_batches"):
        yield from _streamed(file, handle, opened, messages)
        return
    dictionaries, records = messages.of_file()
    for number, (place, _) in enumerate(dictionaries):
        messages.at(place, number)
    for number in range(first, opened.num_record_batches):
        messages.at(records[number][0], number)
        yield opened.get_batch(number)


def _streamed(file: SourceFile, handle: Any, opened: Any, messages: ArrowMessages) -> Iterator[Any]:
    """The batches of a stream, which must come to its end mark and to nothing else.

    pyarrow takes the end of the file for that of the stream, wherever it is.
    """
    n_rows, place = 0, handle.tell()
    ahead = messages.of_stream()
    while True:
        # Dictionaries are read with the batch that follows them.
        while (message := next(ahead, None)) is not None and message.is_dictionary:
            pass
        try:
            batch = opened.read_next_batch()
        except StopIteration:
            break
        n_rows, place = n_rows + batch.num_rows, handle.tell()
        yield batch
        del batch
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


def _is_file(handle: Any) -> bool:
    """Whether this is a file with a table of contents, and not a stream."""
    return bool(handle.size() > 2 * len(_MAGIC) and handle.read_at(len(_MAGIC), 0) == _MAGIC)


def _opened(file: SourceFile, handle: Any) -> Any:
    import pyarrow as pa
    from pyarrow import ipc

    with naming(file):
        handle.seek(0)
        try:
            return ipc.open_file(handle) if _is_file(handle) else ipc.open_stream(handle)
        except (pa.ArrowInvalid, OSError) as error:
            old = handle.read_at(min(4, handle.size()), 0) == b"FEA1"
            what = "is an old Feather file" if old else "is not an Arrow file"
            msg = f"{file.shown} {what}, or it breaks off in the middle: {error}"
            raise DataError(msg) from None
