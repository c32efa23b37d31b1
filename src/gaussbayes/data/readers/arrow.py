"""Arrow IPC files, Feather files and Arrow streams: record batches → tables."""

from collections.abc import Iterator
from functools import cached_property, partial
from io import BufferedReader
from itertools import islice
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import ArrowMessages
from gaussbayes.data.files import FileReader, SourceFile, naming, seekable
from gaussbayes.data.readers.batches import batch_rows, stored_types, tables_of
from gaussbayes.data.roles import ColumnSelection, InferredTypes, ParsedTable, Piece, check_present

_MAGIC = b"ARROW1"
_END_MARKS = (b"\xff\xff\xff\xff\0\0\0\0", b"\0\0\0\0")


class ArrowReader(FileReader):
    """An Arrow file or stream; a piece is so many rows of large record batches or of small ones."""

    def __init__(self, file: SourceFile, stream: BufferedReader) -> None:
        super().__init__(file)
        self._buffer = seekable(file, stream).read_buffer()  # a memory map: nothing is read
        # A file has a table of contents, a stream has not.
        self._is_file = self._buffer.size > 12 and self._start(6) == _MAGIC

    def look(self) -> tuple[InferredTypes, bool]:
        with naming(self.file):  # names of columns may be no text
            types = stored_types(self._open().schema, self.file.shown)
            self.check_names(types.schema.names)
            if self._lengths is not None:
                return types, any(self._lengths)
            messages = ArrowMessages(self.file.shown, self._buffer).of_stream()
            return types, any(each.n_rows for each in messages if each.kind == "record batch")

    @cached_property
    def _lengths(self) -> list[int] | None:
        """The rows of each record batch, by their headers; None for a stream."""
        if not self._is_file:
            return None
        messages = ArrowMessages(self.file.shown, self._buffer)
        _, places = messages.of_file()
        return [self._batch_at(messages, place, number) for number, place in enumerate(places)]

    def _batch_at(self, messages: ArrowMessages, place: int, number: int) -> int:
        """Look at a message before memory is taken for it: how many rows it has."""
        message = messages.at(place, number)
        if message is None:
            msg = f"cannot read {self.file.shown}: it is damaged; fetch or write it again"
            raise DataError(msg)
        return message.n_rows

    def piece_rows(self, selection: ColumnSelection) -> list[int] | None:
        if self._lengths is None:
            return None
        n_rows, step = sum(self._lengths), batch_rows(len(selection.columns))
        return [min(step, n_rows - start) for start in range(0, n_rows, step)]

    def pieces(
        self, selection: ColumnSelection, at_once: int = 1, first: int = 0
    ) -> Iterator[Piece]:
        with naming(self.file):
            opened = self._open()
            check_present(opened.schema.names, selection.columns, self.file.shown)
            step = batch_rows(len(selection.columns))
            batches = (
                self._batches(opened, first * step) if self._is_file else self._streamed(opened)
            )
            for table in tables_of(batches, selection, self.file.shown, step):
                yield partial(_only, table)

    def _batches(self, opened: Any, skipped: int) -> Iterator[Any]:
        """The record batches of a file, without so many rows."""
        messages = ArrowMessages(self.file.shown, self._buffer)
        dictionaries, records = messages.of_file()
        for number, place in enumerate(dictionaries):
            self._batch_at(messages, place, number)
        for number in range(opened.num_record_batches):
            n_rows = (self._lengths or [])[number]
            if n_rows > skipped or not skipped:
                self._batch_at(messages, records[number], number)
                yield opened.get_batch(number).slice(skipped)
            skipped = max(0, skipped - n_rows)

    def _streamed(self, opened: Any) -> Iterator[Any]:
        """The batches of a stream, which must come to its end mark and to nothing else.

        pyarrow takes the end of the file for that of the stream, wherever it is.
        """
        n_rows = place = 0
        for message in ArrowMessages(self.file.shown, self._buffer).of_stream():
            place = message.end
            if message.kind == "record batch":  # dictionaries are read with the one that follows
                yield from islice(opened, 1)
                n_rows += message.n_rows
        rest = self._start(9, place)
        if rest in _END_MARKS:
            return
        if rest.startswith(_END_MARKS):
            msg = (
                f"{self.file.shown} goes on after the end of its Arrow stream, at row {n_rows}, as "
                "streams put together in one file do: give each in a file of its own"
            )
            raise DataError(msg)
        msg = (
            f"{self.file.shown} breaks off after {n_rows} rows: the end mark of an Arrow stream is "
            "missing. Fetch it again, or write it again with a writer that is closed at the end"
        )
        raise DataError(msg)

    def _start(self, n_bytes: int, place: int = 0) -> bytes:
        """So many bytes from a place on, as far as there are any."""
        part: bytes = self._buffer.slice(
            place, min(n_bytes, self._buffer.size - place)
        ).to_pybytes()
        return part

    def _open(self) -> Any:
        with naming(self.file):
            try:
                return (ipc.open_file if self._is_file else ipc.open_stream)(self._buffer)
            except (pa.ArrowInvalid, OSError) as error:
                old = self._start(4) == b"FEA1"
                what = "is an old Feather file" if old else "is not an Arrow file"
                msg = f"{self.file.shown} {what}, or it breaks off in the middle: {error}"
                raise DataError(msg) from None


def _only(table: Any) -> Iterator[ParsedTable]:
    yield ParsedTable(table, table.num_rows)
