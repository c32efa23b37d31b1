"""`OpenFiles`: files of any format as one table of any length, read block by block.

A path, a list, a folder, a pattern or ``-`` → files, their formats and their bytes; a `FileReader`
for each format, which looks into a file and reads it piece by piece; and `OpenFiles` of them all.
"""

import codecs
import errno
import glob
import io
import os
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import chain, count, groupby, islice
from os import PathLike, fspath
from pathlib import Path
from shutil import copyfileobj
from stat import S_ISDIR, S_ISREG
from typing import Any, Literal, TypeAlias

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.notices import Notice, NoticeKind, Remedy
from gaussbayes.base.progress import track
from gaussbayes.base.threads import in_order, n_threads
from gaussbayes.base.types import BadRowHandling, FormatName
from gaussbayes.data.missing_marks import STANDARD_MARKS, MissingMarks
from gaussbayes.data.reduction import BlockReader, Fold, Reduced
from gaussbayes.data.schema import ColumnTable
from gaussbayes.data.source_tables import (
    BadRows,
    ColumnSelection,
    InferredTypes,
    OpenSource,
    ParsedTable,
    bad_row_error,
    select_columns,
)
from gaussbayes.data.tables import check_distinct, check_present, sampled_rows

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    message = "reading and writing files needs pyarrow: pip install 'gaussbayes[files]'"
    raise ImportError(message) from error

Compression: TypeAlias = Literal["gzip", "zstd", "bz2"]

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
_COMPRESSIONS: dict[str, Compression] = {
    ".gz": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
    ".bz2": "bz2",
}

_READERS = {
    "csv": "text.CsvReader",
    "tsv": "text.CsvReader",
    "jsonl": "text.JsonLinesReader",
    "parquet": "binary.ParquetReader",
    "arrow": "binary.ArrowReader",
}
"""Readers in `gaussbayes.data.readers`, loaded when a file of their format is opened."""

# How files begin; that of the last one of Arrow is how a stream does.
_MAGIC: dict[bytes, FormatName] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
_COMPRESSED: dict[bytes, Compression] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how text in UTF-16 begins
BUFFER = 1 << 18


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of rows: its name, and its format and compression where the name tells."""

    name: str
    format: FormatName | None  # None: its first bytes tell
    compression: Compression | None
    header: bool = True  # of CSV and TSV: whether the first line names the columns
    names: tuple[str, ...] | None = None  # of the columns, in place of the file's own
    encoding: str | None = None  # of text; None is UTF-8, otherwise cp1252
    missing: MissingMarks = STANDARD_MARKS  # what stands for missing values in text

    @property
    def is_standard_input(self) -> bool:
        """Whether the rows come from standard input."""
        return self.name == STANDARD_STREAM

    @property
    def is_read_once(self) -> bool:
        """Whether this is a device or a pipe, as from ``<(zcat rows.csv.gz)``: never replaced."""
        if self.is_standard_input:
            return True
        try:
            mode = Path(self.name).stat().st_mode
        except (OSError, ValueError):
            return False
        return not (S_ISREG(mode) or S_ISDIR(mode))

    @property
    def shown(self) -> str:
        """The name as a message writes it."""
        return "standard input" if self.is_standard_input else self.name


# Names.


def format_by_name(name: str) -> tuple[FormatName | None, Compression | None]:
    """What the end of a file's name says.

    Examples
    --------
    >>> format_by_name("rows.CSV.gz"), format_by_name("rows")
    (('csv', 'gzip'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    if compression is not None:
        path = path.with_suffix("")
    return _FORMATS.get(path.suffix), compression


def known_endings() -> str:
    """The endings of names that tell a format or a compression, in words."""
    return ", ".join([*_FORMATS, *(f"…{ending}" for ending in _COMPRESSIONS)])


def files_of(
    source: Any,
    format: Any = None,  # noqa: A002
) -> tuple[SourceFile, ...]:
    """The files that a source stands for, in the order in which they are read.

    A folder stands for the files in it and below whose names end in a known way, sorted; names that
    begin with ``.`` or ``_`` are left out. A pattern (``*``, ``?``, ``[…]``, ``**``) stands for the
    files that match, sorted. A list is read in its own order.
    """
    parts = [source] if isinstance(source, str | PathLike) else source
    names = [name for part in parts for name in _expanded(fspath(part))]
    found = ((name, *format_by_name(name)) for name in names)
    return tuple(
        SourceFile(name, by_name if format is None else format, compression)
        for name, by_name, compression in found
    )


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
        msg = f"no data files in the folder {str(folder)!r}, {what}; known are {known_endings()}"
        raise DataError(msg)
    return known


# Memory.


FREE_MEMORY = 192 << 20
"""Bytes that rows may take together, however small the file is."""

MOST_TIMES = 16
"""How many times the size of a larger file they may take."""

FREE_TOTAL = 1 << 30
"""Bytes that all rows of a file may take, one after the other, however small it is."""

MOST_TIMES_TOTAL = 1100
"""How many times its size a larger file may take; of what gzip makes nothing takes more."""


def check_memory(what: str, expanded: int, in_file: int, remedy: str) -> None:
    """Raise if rows that are held together take too much memory."""
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
    """Turn what goes wrong with reading a file into an error that names it."""
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
    """The bytes of a file, decompressed and in UTF-8 on the way; it can `peek`."""

    def __init__(self, raw: Any, stored: "_Stored", file: SourceFile) -> None:
        super().__init__(raw, BUFFER)
        self._stored, self._file, self._n_bytes = stored, file, 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._n_bytes += len(data)
        check_total(self._file.shown, self._n_bytes, self.n_taken())
        return data

    def n_taken(self) -> int:
        """How many bytes were taken of the file as it is on the disk."""
        return self._stored.n_bytes


class _Stored(io.FileIO):
    """A file of which it is known how much of it was read."""

    n_bytes = 0

    def readinto(self, buffer: Any) -> int | None:
        n_bytes = super().readinto(buffer)
        self.n_bytes += n_bytes or 0
        return n_bytes


def open_bytes(file: SourceFile) -> OpenBytes:
    """Open a file; the stream need not be able to seek."""
    stored = _stored(file)
    stream = OpenBytes(stored, stored, file)
    start = stream.peek(8)[:8]
    compression = next((_COMPRESSED[each] for each in _COMPRESSED if start.startswith(each)), None)
    if compression is None and file.compression is not None and start:
        stream.close()
        msg = (
            f"{file.shown} is not a {file.compression} file, as its name says: it begins {start!r}"
        )
        raise DataError(msg)
    if compression is not None:
        inflated = pa.CompressedInputStream(pa.PythonFile(stream, "r"), compression)
        stream = OpenBytes(inflated, stored, file)
    encoding = file.encoding or ("utf-16" if stream.peek(2)[:2] in _UTF16 else "utf-8")
    if file.format in {"parquet", "arrow"} or codecs.lookup(encoding).name == "utf-8":
        return stream
    recoded = pa.transcoding_input_stream(pa.PythonFile(stream, "r"), encoding, "utf-8")
    return OpenBytes(recoded, stored, file)


def find_format(file: SourceFile, stream: OpenBytes) -> FormatName:
    """The format of a file, by its name or else by its first bytes, and not against them."""
    start = stream.peek(8)[:8]
    by_content = next((_MAGIC[magic] for magic in _MAGIC if start.startswith(magic)), None)
    if file.format in {"parquet", "arrow"}:
        return file.format  # its reader says what is wrong with it
    if by_content is not None and file.format is not None:
        msg = (
            f"{file.shown} is not text but a {by_content} file: its name must not end like that of "
            "a text file"
        )
        other = Remedy("read it as what it is", read=(("format", by_content),))
        raise DataError(msg).with_remedies([other])
    if by_content is not None:
        return by_content
    if b"\0" in start and not file.encoding:
        msg = f"{file.shown} is no text (it begins {start!r}); known formats are {known_endings()}"
        raise DataError(msg)
    # What separates the values of CSV is looked for in the first line.
    is_object = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return file.format or ("jsonl" if is_object else "csv")


def seekable(file: SourceFile, stream: OpenBytes) -> Any:
    """A file for formats read from the end; of what is compressed or piped, a copy on disk.

    Closes the stream. Returns a `pyarrow.NativeFile`, which several threads may read at once.
    """
    opened = pa.memory_map if file.format == "arrow" else pa.OSFile
    with stream:
        if not file.is_read_once and isinstance(stream.raw, _Stored):
            return opened(file.name)
        with tempfile.NamedTemporaryFile() as copy:
            copyfileobj(stream, copy, BUFFER)
            copy.flush()
            return opened(copy.name)  # it stays when its name goes


def _stored(file: SourceFile) -> _Stored:
    """The file; standard input's own buffer has a lock that is held at exit."""
    if not file.is_standard_input:
        return _Stored(file.name)
    try:
        return _Stored(sys.stdin.fileno(), closefd=False)
    except (OSError, ValueError, AttributeError):  # replaced by something in memory
        buffer = getattr(sys.stdin, "buffer", io.BytesIO())
        with tempfile.TemporaryFile() as copy:
            copyfileobj(buffer, copy)
            copy.seek(0)
            return _Stored(os.dup(copy.fileno()))


# Readers.


Batch: TypeAlias = Callable[[], ParsedTable]
"""Some rows of a file: making it reads bytes, and calling it, in any thread, parses them."""


class FileReader(ABC):
    """A file whose format is known, to look into and to read; how it is cut depends on it alone.

    What comes through a pipe can be read once: what was read of it to look is kept for the reading.
    """

    bytes_read = 0
    """Of text, as it is on the disk."""
    n_rows: int | None = None
    """How many rows there are, if the file says so itself."""
    notices: tuple[Notice, ...] = ()
    """What users should know about the file, after it was read as far as it was."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    @abstractmethod
    def look(self) -> tuple[InferredTypes, bool]:
        """The columns and types by the first block, and whether there are rows in it."""

    @abstractmethod
    def batches(self, selection: ColumnSelection) -> Iterator[Batch]:
        """Its rows in order."""

    def first_batches(self, selection: ColumnSelection) -> Iterator[Batch]:
        """Its first rows, at least a batch of them, which can all be read again."""
        return self.batches(selection)

    def distinct(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the columns: those given, or with a notice of those without their own."""
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
        message = (
            f"columns of {self.file.shown} without a name of their own were named "
            f"{', '.join(changed)}"
        )
        self.notice("renamed columns", message, given=bool(changed))
        return found

    def notice(self, kind: NoticeKind, message: str, *, given: bool) -> None:
        """Have a notice of this kind, or none."""
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
    """The reader of a file, whose format is told by its name or its first bytes."""
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


# All files together.


class OpenFiles(OpenSource):
    """Rows in one or more files, `listed`, with the same columns in each.

    The types of the columns are `inferred` from the first block of the first file that has rows,
    and then held: `gaussbayes.data.readers.text` says how for text. Bad rows are an error or
    skipped, as `handling` says; those that `tables` has skipped so far are in `bad_rows`.
    """

    def __init__(self, files: Sequence[SourceFile], bad_rows: BadRowHandling = "error") -> None:
        self.listed = tuple(files)
        self.shown = files[0].shown + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        self.is_read_once = any(file.is_read_once for file in files)
        self.handling: BadRowHandling = bad_rows
        self.bad_rows = BadRows()
        first = open_file(self.listed[0])
        self._kept = {self.listed[0]: first}  # and files that can be read once only
        self._place = 0, first  # how many bytes are in the files before this one
        self.inferred = self._look()

    @property
    def n_rows(self) -> int | None:
        """How many rows all files say that they have; None if one of them does not say."""
        total = 0
        for reader in self.opened():
            if reader.n_rows is None:
                return None
            total += reader.n_rows
        return total

    def proportion_read(self) -> float | None:
        """Which proportion of the bytes of all files has been read; None if that is not known."""
        before, now = self._place
        read = before + now.bytes_read
        return read / self._total if read and self._total and not self.is_read_once else None

    @cached_property
    def _total(self) -> int | None:
        """The bytes of all files, if they are known; a missing file is told of in its turn."""
        with suppress(OSError):
            return sum(Path(file.name).stat().st_size for file in self.listed)
        return None

    def opened(self) -> Iterator[FileReader]:
        """The files one after the other, each opened when its turn comes."""
        before = 0
        for file in self.listed:
            now = self._kept.get(file) or open_file(file)
            if file.is_read_once:
                self._kept[file] = now
            self._place = before, now
            yield now
            self.notices = tuple(dict.fromkeys((*self.notices, *now.notices)))
            with suppress(OSError):
                before += Path(file.name).stat().st_size

    def tables(
        self, known: ColumnTable | None = None, names: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """The rows in order, some at a time; the next are read while these are used.

        Parameters
        ----------
        known : what columns are to a model, and are read as
        names : of the columns to read, in this order; None is all
        """
        columns = self.inferred.schema.names if names is None else names
        kinds: dict[str, Any] = {}
        strings, missing = frozenset[str](), STANDARD_MARKS
        if known is not None:
            kinds = {each.name: each.kind for each in known.used if each.name in columns}
            strings, missing = known.strings & set(columns), known.missing
        selection = select_columns(self.inferred, columns, kinds, self.handling, strings=strings)
        # Codes of strings would be categories to whoever fits a model to the tables.
        selection = replace(selection, missing=missing, encoded=())
        self.bad_rows = BadRows()
        for reader in self.opened():
            first_row = 1
            file = reader.file.shown
            with closing(_parsed(reader.batches(selection), selection)) as tables:
                for parsed in tables:
                    bad = BadRows.of(parsed.problems, file, first_row)
                    if bad.count and self.handling == "error":
                        raise bad_row_error(bad.first[0])
                    self.bad_rows += bad
                    if parsed.table.num_rows:
                        yield parsed.table
                    first_row += parsed.n_records

    def reduce(self, reader: BlockReader, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        """Batches of all files are read and folded side by side."""
        tree: MergeTree[Reduced[Any]] = MergeTree()
        with closing(in_order(self._jobs(reader, fold), n_threads(n_jobs))) as parts:
            n_rows, proportion = self.n_rows, self.proportion_read
            counted = track(parts, "reading", n_rows, lambda part: part[1].n_records, proportion)
            for number, of_file in groupby(counted, key=lambda part: part[0]):
                sums = (part for _, part in islice(of_file, 1, None))
                tree.add(number, reader.merged(sums, self.listed[number].shown))
        return tree.result()

    def _jobs(
        self, reader: BlockReader, fold: Fold[Any]
    ) -> Iterator[Callable[[], tuple[int, Reduced[Any]]]]:
        """What folds each batch, file after file."""
        for number, file in enumerate(self.opened()):
            yield partial(_numbered, number)  # so that a file without rows is among them, too
            for batch in file.batches(reader.selection):
                job = partial(reader.reduced, batch, fold, file.file.shown)
                yield partial(_numbered, number, job)

    def sampled_rows(self, columns: Sequence[str], most: int) -> tuple[pa.Table, bool]:
        """Rows of all files, so many at most, and whether these are all; see `tables.sampled_rows`.

        Rows that cannot be read are left out. Of a pipe there is the first block, which can be read
        again.
        """
        selection = select_columns(self.inferred, columns, {}, "skip")
        with closing(self._tables_again(selection)) as parsed_tables:
            tables = (parsed.table for parsed in parsed_tables)
            rows, are_all = sampled_rows(chain([selection.schema.empty_table()], tables), most)
        return rows, are_all and not self.is_read_once

    def _tables_again(self, selection: ColumnSelection) -> Generator[ParsedTable, None, None]:
        """All rows of files, and those of pipes that can be read again.

        A file in which a column has another type, such as floats where the first has integers, is
        not looked at: it is read once it is known what its columns must hold.
        """
        for reader in self.opened():
            batches = reader.first_batches(selection)
            with suppress(DataError), closing(_parsed(batches, selection)) as tables:
                yield from tables

    def _look(self) -> InferredTypes:
        """The types by the first file that has rows."""
        without_rows: InferredTypes | None = None
        for reader in self.opened():
            inferred, has_rows = reader.look()
            self.notices += reader.notices
            if has_rows:
                if without_rows is not None:
                    names = without_rows.schema.names
                    check_present(inferred.schema.names, names, reader.file.shown)
                return inferred
            without_rows = without_rows or inferred
        assert without_rows is not None
        return without_rows


def _parsed(
    batches: Iterator[Batch], selection: ColumnSelection
) -> Generator[ParsedTable, None, None]:
    """Tables without rows that cannot be used; the next are read while one is used."""

    def sifted(batch: Batch) -> ParsedTable:
        return batch().sifted(selection)

    return in_order((partial(sifted, batch) for batch in batches), n_threads(None))


def _numbered(number: int, work: Callable[[], Reduced[Any]] = Reduced) -> tuple[int, Reduced[Any]]:
    return number, work()
