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

from gaussbayes.base.errors import DataError

FREE_MEMORY = 192 << 20
"""Bytes that any part may take."""

MOST_TIMES = 16
"""How many times its size in the file a larger part may take."""

FREE_TOTAL = 1 << 30
"""Bytes that all parts of a file may take, one after the other, however small it is."""

MOST_TIMES_TOTAL = 1100
"""How many times its size a larger file may take; of what gzip makes nothing takes more."""

_CONTINUATION = b"\xff\xff\xff\xff"
_DICTIONARY, _RECORDS = 2, 3  # kinds of messages of Arrow
_DICTIONARY_PAGE = 2
_HEADER_BYTES = 1 << 12
_LONGEST_HEADER = 1 << 24
_MOST_PAGES = 1 << 17
_DEEPEST = 16


def check_memory(what: str, expanded: int, in_file: int, remedy: str) -> None:
    """Raise if a part of a file takes too much memory.

    Examples
    --------
    >>> check_memory("record batch 0 of a.arrow", 1 << 20, 1 << 10, "write smaller batches")
    """
    if expanded > max(FREE_MEMORY, MOST_TIMES * in_file):
        msg = (
            f"{what} would take {expanded >> 20:,} MB of memory, {max(1, in_file >> 10):,} KB of "
            f"the file; {FREE_MEMORY >> 20} MB are the most: {remedy}"
        )
        raise DataError(msg)


def check_total(file: str, expanded: int, in_file: int) -> None:
    """Raise if all of a file is too much, compared with its size.

    Examples
    --------
    >>> check_total("a.parquet", 1 << 30, 1 << 20)
    """
    if expanded > max(FREE_TOTAL, MOST_TIMES_TOTAL * in_file):
        msg = (
            f"{file} expands from {max(1, in_file >> 10):,} KB to {expanded >> 20:,} MB or more: "
            "it is damaged or made to fill memory. If it is not, write it in smaller files or "
            "without compression"
        )
        raise DataError(msg)


@dataclass(frozen=True, slots=True)
class ArrowMessage:
    """A message of an Arrow file or stream that has rows, or the values of a dictionary."""

    is_dictionary: bool
    n_rows: int
    n_bytes: int  # of its body in the file
    expanded: int  # of its buffers in memory
    end: int  # where the next message begins


class ArrowMessages:
    """The messages of an Arrow file or stream, by their headers alone.

    Parameters
    ----------
    file : its name, for messages
    handle : a `pyarrow.NativeFile` that can be read anywhere; its position is not changed
    """

    def __init__(self, file: str, handle: Any) -> None:
        self._file, self._handle, self._size = file, handle, int(handle.size())
        self._total = 0

    def of_stream(self) -> Iterator[ArrowMessage]:
        """Those of a stream, in order; nothing after its end is looked at."""
        place, number = 0, 0
        while place + 4 <= self._size:
            message, place = self._message(place, number)
            if place < 0:
                return
            if message is not None:
                number += not message.is_dictionary
                yield message

    def of_file(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Where the dictionaries and the record batches of a file are: its table of contents."""
        with _damage(self._file):
            (length,) = struct.unpack("<i", self._read(self._size - 10, 4))
            footer = _Flat(self._read(self._size - 10 - length, length))
            root = footer.root()
            return footer.blocks(root, 2), footer.blocks(root, 3)

    def at(self, place: int, number: int) -> ArrowMessage:
        """The message at a place that the table of contents gives."""
        message, _ = self._message(place, number)
        if message is None:
            msg = f"cannot read {self._file}: it is damaged; fetch or write it again"
            raise DataError(msg)
        return message

    def _message(self, place: int, number: int) -> tuple[ArrowMessage | None, int]:
        """The message at a place, None if it has no rows, and the place of the next; −1 at the end.

        Raises if it would take too much memory; what is not as it should be is left to pyarrow.
        """
        with _damage(self._file):
            start = self._read(place, min(8, self._size - place))
            skipped = 8 if start[:4] == _CONTINUATION else 4
            (length,) = struct.unpack_from("<i", start, skipped - 4)
            if length == 0:
                return None, -1
            flat = _Flat(self._read(place + skipped, length))
            root = flat.root()
            kind, header = flat.number(root, 1, "<B"), flat.table(root, 2)
            n_bytes = flat.number(root, 3, "<q")
            body = place + skipped + length
            if n_bytes < 0 or body + n_bytes > self._size:
                msg = (
                    f"{self._file} breaks off in the middle, or is damaged; fetch or write it again"
                )
                raise DataError(msg)
            if kind not in {_DICTIONARY, _RECORDS}:
                return None, body + n_bytes
            batch = flat.table(header, 1) if kind == _DICTIONARY else header
            n_rows = flat.number(batch, 0, "<q")
            expanded = self._expanded(flat, batch, body, n_bytes)
        message = ArrowMessage(kind == _DICTIONARY, n_rows, n_bytes, expanded, body + n_bytes)
        self._check(message, number)
        return message, message.end

    def _expanded(self, flat: "_Flat", batch: int, body: int, n_bytes: int) -> int:
        """The bytes of all buffers in memory."""
        buffers = flat.pairs(batch, 2)
        if flat.table(batch, 3) < 0:  # not compressed
            return int(buffers[:, 1].sum())
        held = buffers[buffers[:, 1] > 0]
        if ((held < 0).any(axis=1) | (held.sum(axis=1) > n_bytes) | (held[:, 1] < 8)).any():
            raise struct.error
        # Each compressed buffer begins with the length it will have; −1 if it is as it is.
        values = np.frombuffer(self._read(body, n_bytes), np.uint8)
        starts = values[held[:, :1] + np.arange(8)].view("<i8")[:, 0]
        return int(np.where(starts < 0, held[:, 1], starts).astype(np.float64).sum())

    def _check(self, message: ArrowMessage, number: int) -> None:
        kind = "dictionary" if message.is_dictionary else "record batch"
        what = f"{kind} {number} of {self._file}"
        # Rows of which not even a bit each is there are those of no values, or of long runs.
        rows = max(0, message.n_rows - 8 * message.expanded)
        expanded = message.expanded + 8 * rows
        check_memory(what, expanded, message.n_bytes, "write it in smaller batches")
        self._total += expanded
        check_total(self._file, self._total, self._size)

    def _read(self, place: int, n_bytes: int) -> Any:
        if place < 0 or n_bytes < 0 or place + n_bytes > self._size:
            raise struct.error
        return self._handle.read_at(n_bytes, place)


@contextmanager
def _damage(file: str) -> Iterator[None]:
    """Turn what cannot be understood into an error that names the file."""
    try:
        yield
    except (struct.error, IndexError, OverflowError, AttributeError, TypeError):
        msg = f"cannot read {file}: it is damaged or breaks off; fetch or write it again"
        raise DataError(msg) from None


class _Flat:
    """A flatbuffer, in which Arrow writes its headers; a table is the place where it begins.

    Reading outside of it raises `struct.error`.
    """

    def __init__(self, data: Any) -> None:
        self._data = bytes(data)

    def root(self) -> int:
        return self._at("<I", 0)

    def number(self, table: int, field: int, kind: str) -> int:
        place = self._place(table, field)
        return 0 if place < 0 else self._at(kind, place)

    def table(self, table: int, field: int) -> int:
        """The table that a field refers to; −1 if it does not."""
        place = self._place(table, field)
        return -1 if place < 0 else place + self._at("<I", place)

    def pairs(self, table: int, field: int) -> Any:
        """A vector of pairs of 64-bit integers (n, 2)."""
        start, count = self._vector(table, field)
        if start + 16 * count > len(self._data):
            raise struct.error
        return np.frombuffer(self._data, "<i8", 2 * count, start).reshape(-1, 2)

    def blocks(self, table: int, field: int) -> list[tuple[int, int]]:
        """The places and header lengths in a table of contents."""
        start, count = self._vector(table, field)
        if start + 24 * count > len(self._data):
            raise struct.error
        places = range(start, start + 24 * count, 24)
        return [(self._at("<q", place), self._at("<i", place + 8)) for place in places]

    def _vector(self, table: int, field: int) -> tuple[int, int]:
        place = self.table(table, field)
        return (0, 0) if place < 0 else (place + 4, self._at("<I", place))

    def _place(self, table: int, field: int) -> int:
        if table < 0:
            raise struct.error
        index = table - self._at("<i", table)
        entry = 4 + 2 * field
        if entry >= self._at("<H", index):
            return -1
        offset = self._at("<H", index + entry)
        return table + offset if offset else -1

    def _at(self, kind: str, place: int) -> int:
        if place < 0:
            raise struct.error
        value: int = struct.unpack_from(kind, self._data, place)[0]
        return value


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
        footer, _ = _read_struct(handle.read_at(length, size - 8 - length), 0)
        return [
            RowGroup(_number(group, 3), [_chunk(column.get(3)) for column in group.get(1, [])])
            for group in footer.get(4, [])
        ]


def _chunk(column: Any) -> tuple[int, int]:
    """Where the pages of a column are, by its record."""
    if not isinstance(column, dict):
        raise struct.error
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
    """Walk along the pages of a column in a row group, by their headers.

    Parameters
    ----------
    handle : a `pyarrow.NativeFile` that can be read anywhere; its position is not changed
    start, n_bytes : where the pages are
    """
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
            return _read_struct(data, 0)
        except IndexError:
            n_bytes *= 16
            if len(data) == size - place or n_bytes > _LONGEST_HEADER:
                raise


def _read_struct(data: bytes, place: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """A struct in Thrift's compact protocol, in which Parquet writes, and where it ends.

    Its integers, structs and lists of structs by field; everything else is passed over.
    """
    values: dict[int, Any] = {}
    field = 0
    if depth > _DEEPEST:
        raise struct.error
    while True:
        head = data[place]
        place += 1
        if head == 0:
            return values, place
        kind = head & 15
        if head >> 4:
            field += head >> 4
        else:
            field, place = _integer(data, place)
        if kind in {4, 5, 6}:
            values[field], place = _integer(data, place)
        elif kind == 12:
            values[field], place = _read_struct(data, place, depth + 1)
        elif kind in {9, 10}:
            values[field], place = _read_list(data, place, depth + 1)
        else:
            place = _skip(data, place, kind)


def _read_list(data: bytes, place: int, depth: int) -> tuple[list[Any], int]:
    """The structs of a list, and where it ends."""
    head = data[place]
    count, kind = head >> 4, head & 15
    place += 1
    if count == 15:
        count, place = _varint(data, place)
    if count > len(data):  # each takes a byte at least
        raise struct.error
    values = []
    for _ in range(count):
        if kind == 12:
            value, place = _read_struct(data, place, depth)
            values.append(value)
        elif kind in {9, 10}:
            _, place = _read_list(data, place, depth + 1)
        elif kind in {4, 5, 6}:
            _, place = _varint(data, place)
        else:
            place = place + 1 if kind in {1, 2} else _skip(data, place, kind)
    return values, place


def _skip(data: bytes, place: int, kind: int) -> int:
    """Where a boolean, a byte, a float or a string ends."""
    if kind in {1, 2}:  # booleans are in their type
        return place
    if kind == 3:
        return place + 1
    if kind == 7:
        return place + 8
    if kind == 8:
        length, place = _varint(data, place)
        if place + length > len(data):
            raise IndexError
        return place + length
    raise struct.error


def _integer(data: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(data, place)
    return (value >> 1) ^ -(value & 1), place


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
