"""Files and standard input as streams of bytes, decompressed on the way."""

import errno
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import check_total
from gaussbayes.data.listing import Compression, FormatName, SourceFile, known_endings

_MAGIC: tuple[tuple[bytes, FormatName], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),  # how an Arrow stream begins
)
_COMPRESSED: tuple[tuple[bytes, Compression], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BUFFER = 1 << 18


@contextmanager
def naming(file: SourceFile) -> Iterator[None]:
    """Turn what goes wrong with reading a file into an error that names it."""
    import pyarrow as pa

    try:
        yield
    except DataError:
        raise
    except (OSError, EOFError, UnicodeDecodeError, pa.ArrowException) as error:
        msg = f"cannot read {file.shown}: {_reason(error)}"
        raise DataError(msg) from error


def open_bytes(file: SourceFile) -> io.BufferedReader:
    """The bytes of a file, decompressed; the stream can `peek`, and need not be able to seek."""
    stream = _unbuffered_input() if file.is_standard_input else _open(file.name)
    start = stream.peek(8)[:8]
    compression = next((name for magic, name in _COMPRESSED if start.startswith(magic)), None)
    if file.compression is not None and compression is None and start:
        stream.close()
        msg = (
            f"{file.shown} is not a {file.compression} file, as its name says: it begins {start!r}"
        )
        raise DataError(msg)
    if compression is None:
        return stream
    import pyarrow as pa

    below = _Counted(stream)
    inflated = pa.CompressedInputStream(pa.PythonFile(below, "r"), compression)
    return io.BufferedReader(_Inflated(inflated, below, file.shown), _BUFFER)


def _open(name: str) -> io.BufferedReader:
    return Path(name).open("rb")


def bytes_taken(stream: Any) -> int:
    """How many bytes of a file that `open_bytes` has opened were read, as they are on the disk."""
    raw = stream.raw
    return raw.below.n_bytes if isinstance(raw, _Inflated) else int(raw.tell())


def find_format(file: SourceFile, stream: io.BufferedReader) -> FormatName:
    """The format of a file, by its name or else by its first bytes, and not against them."""
    start: bytes = stream.peek(8)[:8]
    by_content = next((name for magic, name in _MAGIC if start.startswith(magic)), None)
    if file.format in {"parquet", "arrow"}:
        return file.format  # its reader says what is wrong with it
    if by_content is not None:
        if file.format is not None:
            msg = (
                f"{file.shown} is not text but a {by_content} file: rename it, or give "
                f"format={by_content!r} (--format {by_content} on the command line)"
            )
            raise DataError(msg)
        return by_content
    if start.startswith(_UTF16) or b"\0" in start:
        msg = f"{file.shown} is no text (it begins {start!r}); known formats are {known_endings()}"
        if start.startswith(_UTF16):
            msg = f"{file.shown} is UTF-16 text: write it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)"
        raise DataError(msg)
    if file.format is not None:
        return file.format
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    return "csv"  # what separates its values is looked for in the first line


def seekable(file: SourceFile, stream: io.BufferedReader) -> Any:
    """A file for formats read from the end; of what is compressed or piped, a copy on disk.

    Closes the stream. Returns a `pyarrow.NativeFile`, which several threads may read at once.
    """
    import pyarrow as pa

    with stream:
        if not file.is_read_once and isinstance(stream.raw, io.FileIO):
            return pa.memory_map(file.name) if file.format == "arrow" else pa.OSFile(file.name)
        with tempfile.NamedTemporaryFile() as copy:
            copyfileobj(stream, copy, _BUFFER)
            copy.flush()
            # It stays when its name goes.
            return pa.memory_map(copy.name) if file.format == "arrow" else pa.OSFile(copy.name)


class _Counted:
    """A stream of which it is known how much of it was read."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self.n_bytes = 0

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.n_bytes += len(data)
        return data

    def close(self) -> None:
        self._stream.close()


class _Inflated(io.RawIOBase):
    """What pyarrow inflates, as Python's own kind of stream."""

    def __init__(self, inflated: Any, below: "_Counted", file: str) -> None:
        self._inflated, self.below, self._file = inflated, below, file
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes = int(self._inflated.readinto(buffer))
        self._n_bytes += n_bytes
        check_total(self._file, self._n_bytes, self.below.n_bytes)
        return n_bytes

    def close(self) -> None:
        if not self.closed:
            self._inflated.close()
            self.below.close()
        super().close()


def _unbuffered_input() -> Any:
    """Standard input without Python's buffer, whose lock a waiting thread would hold at exit."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):  # replaced by something in memory
        buffer = getattr(sys.stdin, "buffer", None)
        return io.BufferedReader(io.BytesIO(b"" if buffer is None else buffer.read()))
    return io.BufferedReader(io.FileIO(descriptor, closefd=False), _BUFFER)


def _reason(error: BaseException) -> str:
    number = getattr(error, "errno", None)
    if isinstance(error, FileNotFoundError) or number == errno.ENOENT:
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "no permission"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    text = str(error)
    if "Truncated compressed" in text:
        return "its compressed data breaks off in the middle; fetch or write it again"
    if "inflate failed" in text or "ZSTD decompress" in text:
        return f"its compressed data is damaged ({text}); fetch or write it again"
    return text
