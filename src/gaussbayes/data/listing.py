"""A path, a list, a folder, a pattern or ``-`` → the files that are meant, and their formats."""

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Literal, TypeAlias, get_args

from gaussbayes.base.errors import DataError, ParameterError

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
_DESCRIPTOR = re.compile(r"(?:/dev/fd/|/proc/self/fd/)(\d{1,6})|/dev/(stdout|stderr)")
_STANDARD = {"stdout": 1, "stderr": 2}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


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
        names = _expanded(fspath(source))
    elif isinstance(source, Iterable) and not isinstance(source, bytes | dict):
        parts = list(source)
        if not all(isinstance(part, str | PathLike) for part in parts):
            msg = f"a list of files holds paths, got {parts!r:.200}"
            raise DataError(msg)
        names = [name for part in parts for name in _expanded(fspath(part))]
    else:
        msg = f"rows are read from a path, a list of paths, a folder or '-', got {source!r:.200}"
        raise DataError(msg)
    if not names:
        msg = "the list of files is empty: give at least one"
        raise DataError(msg)
    return tuple(_described(name, format) for name in names)


def format_by_name(name: str) -> tuple[FormatName | None, Compression | None]:
    """What the end of a file's name says.

    Examples
    --------
    >>> format_by_name("a.tsv.zst"), format_by_name("a.txt")
    (('tsv', 'zstd'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    if compression is not None:
        path = path.with_suffix("")
    return _FORMATS.get(path.suffix), compression


def name_endings() -> tuple[str, ...]:
    """The endings of names that tell a format or a compression.

    Examples
    --------
    >>> name_endings()[0], name_endings()[-1]
    ('.csv', '.zstd')
    """
    return (*_FORMATS, *_COMPRESSIONS)


def known_endings() -> str:
    """The endings of names that tell a format, for messages."""
    return ", ".join([*_FORMATS, *(f"…{ending}" for ending in _COMPRESSIONS)])


def is_stream(name: str) -> bool:
    """Whether a name is that of a device or a pipe: read once, and never replaced by a file.

    Examples
    --------
    >>> is_stream("/dev/null"), is_stream("rows.csv")
    (True, False)
    """
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (S_ISREG(mode) or S_ISDIR(mode))


def output_file(name: str, format: str | None = None) -> SourceFile:  # noqa: A002
    """A file to be written, whose format must be given or told by its name.

    Standard output, devices and pipes get CSV.

    Examples
    --------
    >>> output_file("a.parquet").format, output_file("-").format
    ('parquet', 'csv')
    """
    _check_format(format)
    file = _described(name, format)
    if file.format is None and not file.is_read_once and descriptor(name) is None:
        msg = (
            f"the name {name!r} tells no format: give format (--output-format on the command "
            "line), or a name that ends in one of "
        )
        raise ParameterError(msg + known_endings())
    return replace(file, format=file.format or "csv")


def descriptor(name: str) -> int | None:
    """The number of the open file that a name such as ``/dev/stdout`` stands for.

    Examples
    --------
    >>> descriptor("/dev/stdout"), descriptor("/dev/fd/5"), descriptor("rows.csv")
    (1, 5, None)
    """
    match = _DESCRIPTOR.fullmatch(name)
    return None if match is None else int(match[1] or _STANDARD[match[2]])


def _check_format(format: str | None) -> None:  # noqa: A002
    if format is not None and format not in get_args(FormatName):
        msg = f"format must be one of {', '.join(get_args(FormatName))}, got {format!r}"
        raise ParameterError(msg)


def _described(name: str, format: str | None) -> SourceFile:  # noqa: A002
    by_name, compression = format_by_name(name)
    chosen: Any = format if format is not None else by_name
    return SourceFile(name, chosen, compression)


def _expanded(name: str) -> list[str]:
    if name == STANDARD_STREAM:
        return [name]
    path = Path(name)
    if path.is_dir():
        return _in_folder(path)
    if path.exists() or not glob.has_magic(name):
        return [name]
    matching = sorted(
        match
        for match in glob.glob(name, recursive=True)  # noqa: PTH207 (it keeps the name as given)
        if not Path(match).is_dir()
    )
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
