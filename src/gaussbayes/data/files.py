"""`OpenFiles`: files of any format as one table of any length, read block by block.

A path, a list, a folder, a pattern or ``-`` → files, their formats and their bytes; a `FileReader`
for each format, which inspects a file and reads it block by block; and `OpenFiles`, all files as
one table.
"""

import codecs
import errno
import glob
import io
import os
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import chain, count
from os import PathLike, fspath
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISFIFO, S_ISSOCK
from typing import Any, Protocol
from weakref import finalize

from gaussbayes.base.errors import DataError
from gaussbayes.base.notices import Notice, NoticeKind
from gaussbayes.base.types import FormatName
from gaussbayes.data.schema import STANDARD_MARKS, MissingMarks
from gaussbayes.data.sources import (
    Batch,
    BlockReader,
    ColumnSelection,
    Fold,
    InferredTypes,
    OpenSource,
    Reduced,
    Sum,
)
from gaussbayes.data.tables import check_distinct, check_present

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    message = "reading and writing files needs pyarrow: pip install 'gaussbayes[files]'"
    raise ImportError(message) from error

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
_COMPRESSIONS = (".gz", ".zst", ".zstd", ".bz2")

_READERS = {
    "csv": "text.CsvReader",
    "tsv": "text.CsvReader",
    "jsonl": "text.JsonLinesReader",
    "parquet": "binary.ParquetReader",
    "arrow": "binary.ArrowReader",
}
"""Readers in `gaussbayes.data.readers`, loaded when a file of their format is opened."""

# The first bytes of files; the last entry of Arrow is that of a stream.
_MAGIC: dict[bytes, FormatName] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16
BUFFER = 1 << 18


class Copy:
    """A temporary file that is removed with this object."""

    def __init__(self) -> None:
        handle, self.name = tempfile.mkstemp()
        os.close(handle)
        finalize(self, Path(self.name).unlink)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of rows: its name, and its format if the name shows it."""

    name: str
    format: FormatName | None  # None: by the first bytes
    header: bool = True  # of CSV and TSV: whether the first line names the columns
    names: tuple[str, ...] | None = None  # of the columns, in place of the file's own
    encoding: str | None = None  # of text; None is UTF-8, otherwise cp1252
    copy: Copy | None = None  # of a pipe, which can be read only once

    @property
    def shown(self) -> str:
        """The name as a message writes it."""
        return "standard input" if self.name == STANDARD_STREAM else self.name

    @property
    def path(self) -> str:
        """The path of the bytes."""
        return self.name if self.copy is None else self.copy.name


# Names.


def format_by_name(name: str) -> FormatName | None:
    """The format and the compression in the ending of a file's name.

    Examples
    --------
    >>> format_by_name("rows.CSV.gz"), format_by_name("rows")
    ('csv', None)
    """
    path = Path(name.lower())
    return _FORMATS.get((path.with_suffix("") if path.suffix in _COMPRESSIONS else path).suffix)


def known_endings() -> str:
    """The endings of names that show a format or a compression, in words."""
    return ", ".join([*_FORMATS, *(f"…{ending}" for ending in _COMPRESSIONS)])


def files_of(
    source: Any,
    format: Any = None,  # noqa: A002
) -> tuple[SourceFile, ...]:
    """The files that a source stands for, in the order in which they are read.

    A folder stands for the sorted files in it and its subfolders with known endings; names that
    begin with ``.`` or ``_`` are skipped. A pattern (``*``, ``?``, ``[…]``, ``**``) stands for the
    sorted files that match. A list is read in its order.
    """
    parts = [source] if isinstance(source, str | PathLike) else source
    names = [name for part in parts for name in _expanded(fspath(part))]
    return tuple(SourceFile(name, format or format_by_name(name)) for name in names)


def kept(file: SourceFile, *, on_cluster: bool) -> SourceFile:
    """A file that can be read again: for standard input or a pipe, a copy on disk."""
    is_standard_input = file.name == STANDARD_STREAM
    with naming(file):
        if not is_standard_input:
            mode = Path(file.name).stat().st_mode
            if not (S_ISFIFO(mode) or S_ISSOCK(mode)):  # a device may never end
                return file
        if on_cluster:
            msg = f"a cluster cannot read {file.shown}: write it to a file workers can open"
            raise DataError(msg)
        copy = Copy()
        with Path(copy.name).open("wb") as sink:
            if is_standard_input:
                copyfileobj(getattr(sys.stdin, "buffer", io.BytesIO()), sink, BUFFER)
            else:
                with Path(file.name).open("rb") as stream:
                    copyfileobj(stream, sink, BUFFER)
    return replace(file, copy=copy)


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
    known = [str(path) for path in paths if format_by_name(path.name) is not None]
    if not known:
        others = ", ".join(repr(path.name) for path in paths[:5])
        what = f"only {others}" if others else "it is empty"
        msg = f"no data files in the folder {str(folder)!r}, {what}; known are {known_endings()}"
        raise DataError(msg)
    return known


# Memory.


FREE_MEMORY = 192 << 20
"""Bytes that rows may take together, even from a small file."""

MOST_TIMES = 16
"""For larger files, the limit as a multiple of the size."""

FREE_TOTAL = 1 << 30
"""Total bytes that all rows of a file may take, even of a small one."""

MOST_TIMES_TOTAL = 1100
"""For larger files, the limit as a multiple of the size; gzip cannot exceed it."""


def check_memory(what: str, expanded: int, in_file: int, remedy: str) -> None:
    """Raise if rows in memory at the same time take too much."""
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


# Bytes, decompressed on the way.


@contextmanager
def naming(file: SourceFile) -> Iterator[None]:
    """Turn an error of reading a file into one that names the file."""
    try:
        yield
    except DataError:
        raise
    except (OSError, EOFError, UnicodeDecodeError, pa.ArrowException) as error:
        msg = f"cannot read {file.shown}: {_reason(error)}"
        raise DataError(msg) from error


_REASONS = {
    FileNotFoundError: "there is no such file",
    PermissionError: "no permission",
    IsADirectoryError: "it is a folder",
    MemoryError: "it takes more memory than there is; write it in smaller groups of rows",
}


def _reason(error: BaseException) -> str:
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    if getattr(error, "errno", None) == errno.ENOENT:
        return _REASONS[FileNotFoundError]
    text = str(error)
    if "Truncated compressed" in text:
        return "its compressed data breaks off in the middle; fetch or write it again"
    if "inflate failed" in text or "ZSTD decompress" in text:
        return f"its compressed data is damaged ({text}); fetch or write it again"
    return text


class OpenBytes(io.BufferedReader):
    """The bytes of a file, decompressed and converted to UTF-8; it can `peek`."""

    def __init__(self, raw: Any, stored: io.FileIO, file: SourceFile) -> None:
        super().__init__(raw, BUFFER)
        self._stored, self._file, self._n_bytes = stored, file, 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._n_bytes += len(data)
        check_total(self._file.shown, self._n_bytes, self.n_taken())
        return data

    def n_taken(self) -> int:
        """How many bytes of the file on disk were read."""
        return self._stored.tell()


def open_bytes(file: SourceFile) -> OpenBytes:
    """Open a file; the stream need not be able to seek."""
    stored = io.FileIO(file.path)
    stream = OpenBytes(stored, stored, file)
    start = stream.peek(8)[:8]
    compression = next((_COMPRESSED[each] for each in _COMPRESSED if start.startswith(each)), None)
    if compression is not None:
        inflated = pa.CompressedInputStream(pa.PythonFile(stream, "r"), compression)
        stream = OpenBytes(inflated, stored, file)
    start = stream.peek()
    if file.format in {"parquet", "arrow"} or start.startswith(tuple(_MAGIC)):
        return stream
    encoding = file.encoding or ("utf-16" if start[:2] in _UTF16 else "utf-8")
    if codecs.lookup(encoding).name != "utf-8":
        recoded = pa.transcoding_input_stream(pa.PythonFile(stream, "r"), encoding, "utf-8")
        stream = OpenBytes(recoded, stored, file)
        start = stream.peek()
    if b"\r" in start and b"\n" not in start:  # the line end of early Macintoshes
        ended = pa.TransformInputStream(pa.PythonFile(stream, "r"), _line_feeds)
        stream = OpenBytes(ended, stored, file)
    return stream


def _line_feeds(data: Any) -> bytes:
    return bytes(data).replace(b"\r", b"\n")


def find_format(file: SourceFile, stream: OpenBytes) -> FormatName:
    """The format of a file: its first bytes tell binary ones, the name tells the others."""
    start = stream.peek(8)[:8]
    by_content = next((_MAGIC[magic] for magic in _MAGIC if start.startswith(magic)), None)
    if file.format in {"parquet", "arrow"}:
        return file.format  # its reader reports the problem
    if by_content is not None:
        return by_content
    if b"\0" in start and not file.encoding:
        msg = f"{file.shown} is not text (it begins {start!r}); known formats are {known_endings()}"
        raise DataError(msg)
    # The separator of CSV is detected in the first line.
    is_object = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return file.format or ("jsonl" if is_object else "csv")


def seekable(file: SourceFile, stream: OpenBytes) -> Any:
    """A file for formats that are read from the end; compressed files are copied to disk.

    Closes the stream. Returns a `pyarrow.NativeFile`, which several threads may read at once.
    """
    opened = pa.memory_map if file.format == "arrow" else pa.OSFile
    with stream:
        if isinstance(stream.raw, io.FileIO):
            return opened(file.path)
        with tempfile.NamedTemporaryFile() as copy:
            copyfileobj(stream, copy, BUFFER)
            copy.flush()
            return opened(copy.name)  # it remains readable when its name is removed


# Readers.


class FileReader(ABC):
    """A file of a known format; its division into blocks depends on the file alone."""

    bytes_read = 0
    """Encoding of text on the disk."""
    n_rows: int | None = None
    """The number of rows, if the file records it."""
    notices: tuple[Notice, ...] = ()
    """Notices about the file, from the parts read so far."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    @abstractmethod
    def look(self, missing: MissingMarks) -> tuple[InferredTypes, bool]:
        """The columns and types by the first block, and whether there are rows in it."""

    @abstractmethod
    def batches(self, selection: ColumnSelection) -> Iterator[Batch]:
        """Its rows in order."""

    def distinct(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the columns; unnamed columns get names, with a notice."""
        given = self.file.names
        if given is not None and len(given) != len(names):
            what = f"{len(names)} columns, but {len(given)} names are given"
            msg = f"{self.file.shown} has {what}"
            raise DataError(msg)
        if given is not None:
            check_distinct("names", given)
            return given
        found = distinct_names(names)
        changed = [new for new, old in zip(found, names, strict=True) if new != old]
        message = f"columns of {self.file.shown} without a name were named {', '.join(changed)}"
        self.notice("renamed columns", message, given=bool(changed))
        return found

    def notice(self, kind: NoticeKind, message: str, *, given: bool) -> None:
        """Set or remove the notice of this kind."""
        others = tuple(notice for notice in self.notices if notice.kind != kind)
        self.notices = (*others, Notice(kind, message)) if given else others


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, numbered where one is empty or taken, as in pandas.

    >>> distinct_names(["", "a", "a"])
    ('Unnamed: 0', 'a', 'a.1')
    """
    found: dict[str, None] = {}
    for place, name in enumerate(names):
        plain = name or f"Unnamed: {place}"
        numbered = chain([plain], (f"{plain}.{number}" for number in count(1)))
        found[next(new for new in numbered if new not in found)] = None
    return tuple(found)


def open_file(file: SourceFile) -> FileReader:
    """The reader of a file, by the format in its name or its first bytes."""
    with naming(file):
        stream = open_bytes(file)
        try:
            file = replace(file, format=find_format(file, stream))
        except DataError:
            stream.close()
            raise
        module, name = _READERS[str(file.format)].split(".")
        kind = getattr(import_module(f"gaussbayes.data.readers.{module}"), name)
        reader: FileReader = kind(file, stream)
        return reader


def file_sum(file: SourceFile, reader: BlockReader, fold: Fold[Sum]) -> Reduced[Sum]:
    """The statistics of a file, computed in one thread."""
    return reader.sum(open_file(file).batches(reader.selection), fold, file.shown)


# All files together.


class Cluster(Protocol):
    """Dask or Spark, whose workers read files."""

    def map_reduce(
        self, work: Callable[[Any], Reduced[Sum]], blocks: Sequence[Any]
    ) -> Reduced[Sum]:
        """The sum of the statistics of blocks, in the tree of their numbers."""


class OpenFiles(OpenSource):
    """Rows in one or more files, `listed`, with the same columns in each.

    The types of the columns are `inferred` from the first block of the first file that has rows,
    and then kept; `gaussbayes.data.readers.text` describes this for text.
    """

    cluster: Cluster | None = None
    """The cluster whose workers read the files; all of them must find the files by name."""

    def __init__(self, files: Sequence[SourceFile], missing: MissingMarks = STANDARD_MARKS) -> None:
        self.listed, self._missing = tuple(files), missing
        self.shown = files[0].shown + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        self._bytes_before = 0  # in the files before the one that is read
        self.inferred = self._look()

    @property
    def n_rows(self) -> int | None:
        """The number of rows that all files record; None if one of them does not."""
        total = 0
        for reader in self.opened():
            if reader.n_rows is None:
                return None
            total += reader.n_rows
        return total

    def proportion_read(self) -> float | None:
        """The proportion of the bytes of all files that has been read; None if unknown."""
        read = self._bytes_before + self._reader.bytes_read
        return min(1.0, read / self._total) if read and self._total else None

    @cached_property
    def _total(self) -> int | None:
        """The bytes of all files; None if one is missing, which opening it will report."""
        with suppress(OSError):
            return sum(Path(file.path).stat().st_size for file in self.listed)
        return None

    def opened(self) -> Iterator[FileReader]:
        """The files one after the other, each opened when its turn comes."""
        self._bytes_before = 0
        for file in self.listed:
            self._reader = reader = open_file(file)
            yield reader
            self.notices = tuple(dict.fromkeys((*self.notices, *reader.notices)))
            with suppress(OSError):
                self._bytes_before += Path(file.path).stat().st_size

    def reduce(self, reader: BlockReader, fold: Fold[Sum], n_jobs: int | None) -> Reduced[Sum]:
        if self.cluster is None:
            return super().reduce(reader, fold, n_jobs)
        # Workers need not be in this process's folder.
        files = [replace(file, name=str(Path(file.name).absolute())) for file in self.listed]
        return self.cluster.map_reduce(partial(file_sum, reader=reader, fold=fold), files)

    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        for reader in self.opened():
            yield reader.file.shown, reader.batches(selection)

    def _look(self) -> InferredTypes:
        """The types by the first file that has rows."""
        without_rows: InferredTypes | None = None
        for reader in self.opened():
            inferred, has_rows = reader.look(self._missing)
            inferred = replace(inferred, missing=self._missing)
            self.notices += reader.notices
            if has_rows:
                if without_rows is not None:
                    names = without_rows.schema.names
                    check_present(inferred.schema.names, names, reader.file.shown)
                return inferred
            without_rows = without_rows or inferred
        assert without_rows is not None
        return without_rows
