"""A path, a list, a folder, a pattern or ``-`` → files, their formats, and their bytes."""

import errno
import glob
import io
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISDIR, S_ISREG
from typing import Any, Literal, TypeAlias, get_args

from gaussbayes.base.errors import DataError, ParameterError

try:
    import pyarrow as pa
except ImportError as error:
    message = "reading and writing files needs pyarrow: pip install 'gaussbayes[files]'"
    raise ImportError(message) from error

from gaussbayes.data.expansion import check_total

FormatName: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
"""How rows may be written."""

Compression: TypeAlias = Literal["gzip", "zstd"]

STANDARD_STREAM = "-"

_FORMATS: dict[str, FormatName] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_DESCRIPTOR = re.compile(r"(?:/dev/fd/|/proc/self/fd/)(\d{1,6})|/dev/(stdout|stderr)")
_STANDARD = {"stdout": 1, "stderr": 2}
# How files begin; that of the last one of Arrow is how a stream does.
_MAGIC: dict[bytes, FormatName] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
_COMPRESSED: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BUFFER = 1 << 18


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of rows: its name, and its format and compression where the name tells."""

    name: str
    format: FormatName | None  # None: its first bytes tell
    compression: Compression | None

    @property
    def is_standard_input(self) -> bool:
        """Whether the rows come from standard input."""
        return self.name == STANDARD_STREAM

    @property
    def is_read_once(self) -> bool:
        """Whether the rows come through a pipe, as from ``<(zcat rows.csv.gz)`` in a shell."""
        return self.is_standard_input or is_stream(self.name)

    @property
    def shown(self) -> str:
        """The name as a message writes it."""
        return "standard input" if self.is_standard_input else self.name


# Names.


def files_of(source: Any, format: str | None = None) -> tuple[SourceFile, ...]:  # noqa: A002
    """The files that a source stands for, in the order in which they are read.

    A folder stands for the files in it and below whose names end in a known way, sorted; names that
    begin with ``.`` or ``_`` are left out. A pattern (``*``, ``?``, ``[…]``, ``**``) stands for the
    files that match, sorted. A list is read in its own order.

    Examples
    --------
    >>> files_of("rows.csv.gz")
    (SourceFile(name='rows.csv.gz', format='csv', compression='gzip'),)
    """
    _check_format(format)
    if isinstance(source, str | PathLike):
        source = [source]
    elif not isinstance(source, Iterable) or isinstance(source, bytes | dict):
        msg = f"rows are read from a path, a list of paths, a folder or '-', got {source!r:.200}"
        raise DataError(msg)
    parts = list(source)
    if not all(isinstance(part, str | PathLike) for part in parts):
        msg = f"a list of files holds paths, got {parts!r:.200}"
        raise DataError(msg)
    names = [name for part in parts for name in _expanded(fspath(part))]
    if not names:
        msg = "the list of files is empty: give at least one"
        raise DataError(msg)
    return tuple(_described(name, format) for name in names)


def format_by_name(name: str) -> tuple[FormatName | None, Compression | None]:
    """What the end of a file's name says."""
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    if compression is not None:
        path = path.with_suffix("")
    return _FORMATS.get(path.suffix), compression


def name_endings() -> tuple[str, ...]:
    """The endings of names that tell a format or a compression."""
    return (*_FORMATS, *_COMPRESSIONS)


def _known_endings() -> str:
    return ", ".join([*_FORMATS, *(f"…{ending}" for ending in _COMPRESSIONS)])


def is_stream(name: str) -> bool:
    """Whether a name is that of a device or a pipe: read once, and never replaced by a file."""
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (S_ISREG(mode) or S_ISDIR(mode))


def output_file(name: str, format: str | None = None) -> SourceFile:  # noqa: A002
    """A file to be written, whose format must be given or told by its name.

    Standard output, devices and pipes get CSV.
    """
    _check_format(format)
    file = _described(name, format)
    if file.format is None and not file.is_read_once and descriptor(name) is None:
        msg = (
            f"the name {name!r} tells no format: give format (--output-format on the command "
            f"line), or a name that ends in one of {_known_endings()}"
        )
        raise ParameterError(msg)
    return replace(file, format=file.format or "csv")


def descriptor(name: str) -> int | None:
    """The number of the open file that a name such as ``/dev/stdout`` stands for."""
    match = _DESCRIPTOR.fullmatch(name)
    return None if match is None else int(match[1] or _STANDARD[match[2]])


def _check_format(format: str | None) -> None:  # noqa: A002
    if format is not None and format not in get_args(FormatName):
        msg = f"format must be one of {', '.join(get_args(FormatName))}, got {format!r}"
        raise ParameterError(msg)


def _described(name: str, format: Any) -> SourceFile:  # noqa: A002
    by_name, compression = format_by_name(name)
    return SourceFile(name, by_name if format is None else format, compression)


def _expanded(name: str) -> list[str]:
    """The names of files that a name, a folder or a pattern stands for."""
    path = Path(name)
    if name == STANDARD_STREAM:
        return [name]
    if path.is_dir():
        return _in_folder(path)
    if path.exists() or not glob.has_magic(name):
        return [name]
    matching = glob.glob(name, recursive=True)  # noqa: PTH207 (it keeps the name as given)
    matching = sorted(match for match in matching if not Path(match).is_dir())
    if not matching:
        msg = f"no file matches {name!r}: check the folder and the pattern"
        raise DataError(msg)
    return matching


def _in_folder(folder: Path) -> list[str]:
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    known = [str(path) for path in paths if format_by_name(path.name)[0] is not None]
    if not known:
        others = ", ".join(repr(path.name) for path in paths[:5])
        what = f"only {others}" if others else "it is empty"
        msg = f"no data files in the folder {str(folder)!r}, {what}; known are {_known_endings()}"
        raise DataError(msg)
    return known


# Bytes, decompressed on the way.


@contextmanager
def naming(file: SourceFile) -> Iterator[None]:
    """Turn what goes wrong with reading a file into an error that names it."""
    try:
        yield
    except DataError:
        raise
    except (OSError, EOFError, UnicodeDecodeError, pa.ArrowException) as error:
        msg = f"cannot read {file.shown}: {_reason(error)}"
        raise DataError(msg) from error


def _reason(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError) or getattr(error, "errno", None) == errno.ENOENT:
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


def open_bytes(file: SourceFile) -> io.BufferedReader:
    """The bytes of a file, decompressed; the stream can `peek`, and need not be able to seek."""
    stream = _unbuffered_input() if file.is_standard_input else _open(file.name)
    start = stream.peek(8)[:8]
    compression = next((_COMPRESSED[each] for each in _COMPRESSED if start.startswith(each)), None)
    if compression is None and (file.compression is None or not start):
        return stream
    if compression is None:
        stream.close()
        msg = (
            f"{file.shown} is not a {file.compression} file, as its name says: it begins {start!r}"
        )
        raise DataError(msg)
    return io.BufferedReader(_Inflated(stream, compression, file.shown), _BUFFER)


def _open(name: str) -> io.BufferedReader:
    return Path(name).open("rb")


def bytes_taken(stream: Any) -> int:
    """How many bytes of a file that `open_bytes` has opened were read, as they are on the disk."""
    raw = stream.raw
    return raw.below.n_bytes if isinstance(raw, _Inflated) else int(raw.tell())


def find_format(file: SourceFile, stream: io.BufferedReader) -> FormatName:
    """The format of a file, by its name or else by its first bytes, and not against them."""
    start = stream.peek(8)[:8]
    by_content = next((_MAGIC[magic] for magic in _MAGIC if start.startswith(magic)), None)
    if file.format in {"parquet", "arrow"}:
        return file.format  # its reader says what is wrong with it
    if by_content is not None and file.format is not None:
        msg = (
            f"{file.shown} is not text but a {by_content} file: rename it, or give "
            f"format={by_content!r} (--format {by_content} on the command line)"
        )
        raise DataError(msg)
    if by_content is not None:
        return by_content
    if start.startswith(_UTF16):
        msg = f"{file.shown} is UTF-16 text: write it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)"
        raise DataError(msg)
    if b"\0" in start:
        msg = f"{file.shown} is no text (it begins {start!r}); known formats are {_known_endings()}"
        raise DataError(msg)
    # What separates the values of CSV is looked for in the first line.
    is_object = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return file.format or ("jsonl" if is_object else "csv")


def seekable(file: SourceFile, stream: io.BufferedReader) -> Any:
    """A file for formats read from the end; of what is compressed or piped, a copy on disk.

    Closes the stream. Returns a `pyarrow.NativeFile`, which several threads may read at once.
    """
    opened = pa.memory_map if file.format == "arrow" else pa.OSFile
    with stream:
        if not file.is_read_once and isinstance(stream.raw, io.FileIO):
            return opened(file.name)
        with tempfile.NamedTemporaryFile() as copy:
            copyfileobj(stream, copy, _BUFFER)
            copy.flush()
            return opened(copy.name)  # it stays when its name goes


class _Counted:
    """A stream of which it is known how much of it was read."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self.closed, self.n_bytes = stream, False, 0
        self.close = stream.close

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.n_bytes += len(data)
        return data


class _Inflated(io.RawIOBase):
    """What pyarrow inflates, as Python's own kind of stream."""

    def __init__(self, stream: io.BufferedReader, compression: str, file: str) -> None:
        self.below, self._file, self._n_bytes = _Counted(stream), file, 0
        self._inflated = pa.CompressedInputStream(pa.PythonFile(self.below, "r"), compression)

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
        number = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):  # replaced by something in memory
        buffer = getattr(sys.stdin, "buffer", None)
        return io.BufferedReader(io.BytesIO(b"" if buffer is None else buffer.read()))
    return io.BufferedReader(io.FileIO(number, closefd=False), _BUFFER)
