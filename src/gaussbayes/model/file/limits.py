"""How large a model file and what is in it may be: whoever sends one must not fill the memory."""

import codecs

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.records import LONGEST_STRING, MOST_STRINGS, STRING

LARGEST_FILE = 1 << 30
"""Bytes of a file: a gigabyte, some 4,500 features with a full covariance in 5 classes."""

MOST_PLAIN_BYTES = 64 << 20
"""Bytes of all strings that are ASCII, which take no more memory than in the file."""

MOST_OTHER_BYTES = 8 << 20
"""Bytes of all other strings, which take up to four times as much."""

LARGEST_LABELS = 1 << 22
"""Characters in an array of string labels, which gives each of them as much room as the longest."""

_PIECE = 1 << 16


def check_size(size: int, largest: int) -> None:
    """Raise if a file of this size is larger than allowed."""
    if size > largest:
        msg = f"a model file has at most {largest:,} bytes, this one has {size:,}"
        raise ModelFileError(msg)


def check_strings(data: bytes) -> None:
    """Raise if a file is no UTF-8, or its strings are too many or too long; none is decoded."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        msg = f"it must be UTF-8: {error.reason}, got {error.object[error.start :][:20]!r}"
        raise ModelFileError(msg) from None
    # Some of the quotes that follow a backslash end a string all the same.
    count, plain, other = (data.count(b'"') - data.count(b'\\"')) // 2, 0, 0
    for found in STRING.finditer(data) if count <= MOST_STRINGS else ():
        size = found.end() - found.start()
        if size > LONGEST_STRING + 2:
            shown = found[0][:40].decode("utf-8", "replace")
            msg = f"a string has at most {LONGEST_STRING:,} bytes, but {shown}… has {size:,}"
            raise ModelFileError(msg)
        if found[0].isascii() and b"\\" not in found[0]:
            plain += size
        else:
            other += size
        if other > MOST_OTHER_BYTES:
            break
    if count > MOST_STRINGS or plain > MOST_PLAIN_BYTES or other > MOST_OTHER_BYTES:
        msg = (
            f"a model file has at most {MOST_STRINGS:,} strings, {MOST_PLAIN_BYTES:,} bytes of "
            f"those that are ASCII and {MOST_OTHER_BYTES:,} of others; this one has more"
        )
        raise ModelFileError(msg)
