"""How much memory a file takes when it is read, told before any memory is taken.

What is compressed or run-length encoded may take a thousand times its size, and a crafted file any
amount. So the headers inside Arrow and Parquet files are looked at first: how large each part will
be. A part may take `FREE_MEMORY`, or `MOST_TIMES` its size in the file if that is more; all parts
of a file together `FREE_TOTAL`, or `MOST_TIMES_TOTAL` its size.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from gaussbayes.base.errors import DataError

FREE_MEMORY = 192 << 20
"""Bytes that any part may take."""

MOST_TIMES = 16
"""How many times its size in the file a larger part may take."""

FREE_TOTAL = 1 << 30
"""Bytes that all parts of a file may take, one after the other, however small it is."""

MOST_TIMES_TOTAL = 1100
"""How many times its size a larger file may take; of what gzip makes nothing takes more."""

_DICTIONARY_PAGE = 2
_HEADER_BYTES = 1 << 12
_LONGEST_HEADER = 1 << 24
_MOST_PAGES = 1 << 17
_DEEPEST = 16


def check_memory(what: str, expanded: int, in_file: int, remedy: str) -> None:
    """Raise if a part of a file takes too much memory."""
    if expanded > max(FREE_MEMORY, MOST_TIMES * in_file):
        msg = (
            f"{what} would take {expanded >> 20:,} MB of memory, {max(1, in_file >> 10):,} KB of "
            f"the file; {FREE_MEMORY >> 20} MB are the most: {remedy}"
        )
        raise DataError(msg)


def check_total(file: str, expanded: int, in_file: int) -> None:
    """Raise if all of a file is too much, compared with its size."""
    if expanded > max(FREE_TOTAL, MOST_TIMES_TOTAL * in_file):
        msg = (
            f"{file} expands from {max(1, in_file >> 10):,} KB to {expanded >> 20:,} MB or more: "
            "it is damaged or made to fill memory. If it is not, write it in smaller files or "
            "without compression"
        )
        raise DataError(msg)


@contextmanager
def _damage(file: str) -> Iterator[None]:
    """Turn what cannot be understood into an error that names the file."""
    try:
        yield
    except (
        *(struct.error, LookupError, ValueError, OverflowError, AttributeError, TypeError),
        *(OSError, pa.ArrowException),
    ):
        msg = f"cannot read {file}: it is damaged or breaks off; fetch or write it again"
        raise DataError(msg) from None


# Arrow: messages whose headers are flatbuffers.


@dataclass(frozen=True, slots=True)
class ArrowMessage:
    """A message of an Arrow file or stream."""

    kind: str  # "schema", "dictionary" or "record batch"
    n_rows: int
    end: int  # where the next message begins


class ArrowMessages:
    """The messages of an Arrow file or stream, a `pyarrow.Buffer`, by their headers alone."""

    def __init__(self, file: str, buffer: Any) -> None:
        self._file, self._buffer, self._total = file, buffer, 0

    def of_stream(self) -> Iterator[ArrowMessage]:
        """Those of a stream, in order; nothing after its end mark is looked at."""
        place = n_batches = 0
        while (message := self.at(place, n_batches)) is not None:
            place = message.end
            n_batches += message.kind == "record batch"
            yield message

    def of_file(self) -> tuple[list[int], list[int]]:
        """Where the dictionaries and the record batches of a file are: its table of contents."""
        with _damage(self._file):
            end = self._buffer.size - 10
            (length,) = struct.unpack_from("<i", self._buffer, end)
            footer = _Flat(self._buffer.slice(end - length, length))
            return footer.vector(0, 2, 3)[:, 0].tolist(), footer.vector(0, 3, 3)[:, 0].tolist()

    def at(self, place: int, number: int) -> ArrowMessage | None:
        """The message at a place, None at the end; raises if it would take too much memory."""
        reader = pa.BufferReader(self._buffer)
        with _damage(self._file):
            if place < 0:
                raise struct.error
            reader.seek(place)
            try:
                message = pa.ipc.read_message(reader)
            except EOFError:
                return None
            if message.type not in {"dictionary", "record batch"}:
                return ArrowMessage(message.type, 0, reader.tell())
            flat = _Flat(message.metadata)
            batch = flat.table(0, 2)
            if message.type == "dictionary":
                batch = flat.table(batch, 1)
            n_rows = flat.number(batch, 0)
            # Rows of which not even a bit each is there are those of no values, or of long runs.
            expanded = _expanded(flat, batch, message.body)
            expanded += 8 * max(0, n_rows - 8 * expanded)
        what = f"{message.type} {number} of {self._file}"
        check_memory(what, expanded, message.body.size, "write it in smaller batches")
        self._total += expanded
        check_total(self._file, self._total, self._buffer.size)
        return ArrowMessage(message.type, n_rows, reader.tell())


def _expanded(flat: "_Flat", batch: int, body: Any) -> int:
    """The bytes of all buffers of a message in memory."""
    buffers = flat.vector(batch, 2, 2)
    if flat.table(batch, 3) < 0:  # not compressed
        return int(buffers[:, 1].sum())
    held = buffers[buffers[:, 1] > 0]
    if ((held < 0).any(axis=1) | (held.sum(axis=1) > body.size) | (held[:, 1] < 8)).any():
        raise struct.error
    # Each compressed buffer begins with the length it will have; −1 if it is as it is.
    values = np.frombuffer(body, np.uint8)
    starts = values[held[:, :1] + np.arange(8)].view("<i8")[:, 0]
    return int(np.where(starts < 0, held[:, 1], starts).astype(np.float64).sum())


class _Flat:
    """A flatbuffer; a table is the place where it begins, 0 is the root.

    Reading outside of it raises `struct.error`.
    """

    def __init__(self, data: Any) -> None:
        self._data = bytes(data)

    def number(self, table: int, field: int) -> int:
        """A 64-bit integer, 0 if there is none."""
        place = self._place(table, field)
        return 0 if place < 0 else self._at("<q", place)

    def table(self, table: int, field: int) -> int:
        """The table, or the vector, that a field refers to; −1 if it does not."""
        place = self._place(table, field)
        return -1 if place < 0 else place + self._at("<I", place)

    def vector(self, table: int, field: int, width: int) -> Any:
        """A vector of records of 64-bit integers (n, width)."""
        place = self.table(table, field)
        count = 0 if place < 0 else self._at("<I", place)
        if place + 4 + 8 * width * count > len(self._data):
            raise struct.error
        return np.frombuffer(self._data, "<i8", width * count, place + 4).reshape(-1, width)

    def _place(self, table: int, field: int) -> int:
        if table < 0:
            raise struct.error
        table = table or self._at("<I", 0)
        index = table - self._at("<i", table)
        entry = 4 + 2 * field
        offset = self._at("<H", index + entry) if entry < self._at("<H", index) else 0
        return table + offset if offset else -1

    def _at(self, kind: str, place: int) -> int:
        if place < 0:
            raise struct.error
        value: int = struct.unpack_from(kind, self._data, place)[0]
        return value


# Parquet: a footer and headers of pages in Thrift's compact protocol.


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a Parquet file: its rows, and where the pages of each column are."""

    n_rows: int
    chunks: list[tuple[int, int]]  # the place of the first page, and how many bytes all have


def parquet_row_groups(file: str, handle: Any) -> list[RowGroup]:
    """The row groups of a Parquet file, as its footer has them.

    pyarrow, asked for the same by columns, ends the process if there is something wrong with them.
    """
    size = int(handle.size())
    with _damage(file):
        (length,) = struct.unpack("<I", handle.read_at(4, size - 8))
        if length + 8 > size:
            raise struct.error
        footer, _ = _thrift(handle.read_at(length, size - 8 - length), 0)
        return [
            RowGroup(_number(group, 3), [_chunk(column[3]) for column in group.get(1, [])])
            for group in footer.get(4, [])
        ]


def _chunk(column: dict[int, Any]) -> tuple[int, int]:
    """Where the pages of a column are, by its record."""
    start, dictionary = _number(column, 9), _number(column, 11)
    return dictionary if 0 < dictionary < start else start, _number(column, 7)


def _number(record: dict[int, Any], field: int) -> int:
    """An integer of a record, 0 if it has none."""
    value = record.get(field, 0)
    if not isinstance(value, int):
        raise struct.error
    return value


@dataclass(frozen=True, slots=True)
class ParquetPages:
    """What the pages of a column in a row group take."""

    expanded: int  # all of them
    largest: int  # one of them
    dictionary: int  # that of the dictionary; 0 without one
    n_values: int


def parquet_pages(file: str, handle: Any, start: int, n_bytes: int) -> ParquetPages:
    """Walk along the pages of a column in a row group, by their headers."""
    end, size = start + n_bytes, int(handle.size())
    expanded = largest = dictionary = n_values = n_pages = 0
    with _damage(file):
        if start < 0 or end > size:
            raise struct.error
        while start < end:
            header, length = _page_header(handle, start, size)
            kind, page, in_file = (_number(header, field) for field in (1, 2, 3))
            start += length + in_file
            n_pages += 1
            sound = 0 <= page < 1 << 31 and in_file >= 0 and start <= end
            if not sound or n_pages > _MOST_PAGES:
                raise struct.error
            if kind == _DICTIONARY_PAGE:
                dictionary = max(dictionary, page)
            else:
                n_values += sum(_number(header.get(field, {}), 1) for field in (5, 8))
            expanded, largest = expanded + page, max(largest, page)
    return ParquetPages(expanded, largest, dictionary, n_values)


def _page_header(handle: Any, place: int, size: int) -> tuple[dict[int, Any], int]:
    """What is in a page's header, and its length."""
    n_bytes = _HEADER_BYTES
    while True:
        data = handle.read_at(min(n_bytes, size - place), place)
        try:
            return _thrift(data, 0)
        except IndexError:
            n_bytes *= 16
            if len(data) == size - place or n_bytes > _LONGEST_HEADER:
                raise


def _thrift(data: bytes, place: int, kind: int = 12, depth: int = 0) -> tuple[Any, int]:
    """The value of a kind at a place, and where it ends: integers, lists, structs by field.

    What is none of them is passed over and given as None.
    """
    if kind in {4, 5, 6}:
        value, place = _varint(data, place)
        return (value >> 1) ^ -(value & 1), place
    if kind in {1, 2, 3, 7}:  # booleans are in their type
        return None, place + {3: 1, 7: 8}.get(kind, 0)
    if kind == 8:
        length, place = _varint(data, place)
        if place + length > len(data):
            raise IndexError
        return None, place + length
    if kind not in {9, 10, 12} or depth > _DEEPEST:
        raise struct.error
    head = data[place]
    place += 1
    if kind != 12:
        count, inner = head >> 4, head & 15
        if count == 15:
            count, place = _varint(data, place)
        if count > len(data):  # each takes a byte at least
            raise struct.error
        values = []
        for _ in range(count):
            value, place = _thrift(data, place, 3 if inner in {1, 2} else inner, depth + 1)
            values.append(value)
        return values, place
    record: dict[int, Any] = {}
    field = 0
    while head:
        if head >> 4:
            field += head >> 4
        else:
            field, place = _thrift(data, place, 5)
        record[field], place = _thrift(data, place, head & 15, depth + 1)
        head = data[place]
        place += 1
    return record, place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
        if shift > 63:
            raise struct.error
