"""A stream of text → blocks of whole records, of nearly equal size.

A record ends at a line's end that is not inside quotes. Whether one is inside is told by the number
of quotation marks before it, which is even outside; doubled marks inside a quoted value keep it so.
"""

from collections.abc import Iterator
from io import BufferedReader

import numpy as np

from gaussbayes.base.errors import DataError

BLOCK_BYTES = 1 << 23
"""Nominal size of a block: enough to be worth a thread's while, small enough to hold several."""

LOOK_BYTES = 1 << 21
"""How much of the first block is looked at to infer types."""

LONGEST_RECORD = 1 << 27
"""A record that is longer is rather a quotation mark that was never closed."""

QUOTE = b'"'

_PART = 1 << 16


def text_blocks(
    stream: BufferedReader, file: str, *, quoted: bool, size: int | None = None
) -> Iterator[bytes]:
    r"""Cut a stream into blocks of at least `size` bytes that end with the record they end in.

    Examples
    --------
    >>> from io import BytesIO
    >>> stream = BufferedReader(BytesIO(b'a,b\n1,"x\ny"\n2,z'))
    >>> list(text_blocks(stream, "file", quoted=True, size=6))
    [b'a,b\n1,"x\ny"\n', b'2,z']
    """
    size = BLOCK_BYTES if size is None else size
    while block := stream.read(size):
        line_end = b"\r" if b"\n" not in block and b"\r" in block else b"\n"
        inside = quoted and _marks(block) % 2 == 1
        if inside or not block.endswith(line_end):
            block += _rest_of_record(stream, file, line_end, quoted=quoted, inside=inside)
        yield block


def _rest_of_record(
    stream: BufferedReader, file: str, line_end: bytes, *, quoted: bool, inside: bool
) -> bytes:
    """What a stream holds up to the end of the record it is in, which may be inside quotes."""
    rest = bytearray()
    while part := _rest_of_line(stream, line_end):
        rest += part
        if quoted and part.count(QUOTE) % 2:
            inside = not inside
        if not inside and part.endswith(line_end):
            break
        if len(rest) > LONGEST_RECORD:
            what = "a quotation mark that is never closed?" if quoted else "is it text?"
            msg = f"a line of {file} is longer than {LONGEST_RECORD >> 20} MB: {what}"
            raise DataError(msg)
    else:
        if inside:
            msg = f"{file} ends inside quotation marks: is it whole? A mark is never closed"
            raise DataError(msg)
    return bytes(rest)


def _rest_of_line(stream: BufferedReader, line_end: bytes) -> bytes:
    """What a stream has at hand, up to the end of the line; nothing at the end of the stream."""
    ahead = stream.peek(1)
    return stream.read(ahead.find(line_end) + 1 or len(ahead))


def first_records(block: bytes, *, quoted: bool) -> bytes:
    """As many whole records of a block as are looked at to infer types."""
    if len(block) <= LOOK_BYTES:
        return block
    line_end = b"\n" if b"\n" in block else b"\r"
    return block[: last_record_end(block[:LOOK_BYTES], line_end, quoted=quoted)] or block


def last_record_end(block: bytes, line_end: bytes = b"\n", *, quoted: bool = True) -> int:
    r"""How many bytes of a block, which begins where a record does, are whole records.

    Examples
    --------
    >>> last_record_end(b'1,2\n3,"x\ny'), last_record_end(b'3,"x\ny')
    (4, 0)
    """
    end = block.rfind(line_end)
    marks = _marks(block) if quoted else 0
    if not marks:
        return end + 1
    after = len(block)
    while end >= 0:
        marks -= block.count(QUOTE, end, after)
        if marks % 2 == 0:
            return end + 1
        after = end
        end = block.rfind(line_end, 0, end)
    return 0


def _marks(block: bytes) -> int:
    """How many quotation marks there are; faster than `bytes.count` where there are many."""
    if QUOTE not in block:
        return 0
    values = np.frombuffer(block, np.uint8)
    # In parts that stay in the cache.
    parts = (values[at : at + _PART] for at in range(0, values.size, _PART))
    return sum(int(np.count_nonzero(part == QUOTE[0])) for part in parts)


def first_record_end(block: bytes) -> int:
    r"""How many bytes the first record has, its line's end included.

    Examples
    --------
    >>> first_record_end(b'a,"b\nc"\n1,2\n')
    8
    """
    start = marks = 0
    while True:
        ends = [at for at in (block.find(b"\n", start), block.find(b"\r", start)) if at >= 0]
        if not ends:
            return len(block)
        end = min(ends)
        marks += block.count(QUOTE, start, end)
        if block[end : end + 2] == b"\r\n":
            end += 1
        if marks % 2 == 0:
            return end + 1
        start = end + 1
