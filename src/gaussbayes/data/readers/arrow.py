"""Arrow IPC files, Feather files and Arrow streams → batches of rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from gaussbayes.base.errors import DataError
from gaussbayes.data.files import OpenBytes, SourceFile, naming, seekable
from gaussbayes.data.readers.batches import BinaryReader

_MAGIC = b"ARROW1"


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
        """Raise unless a stream comes to its end mark and to nothing else.

        pyarrow takes the end of the file for that of the stream, wherever it is; a mark is read
        after the last batch.
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
        """The first bytes, as far as there are any."""
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
