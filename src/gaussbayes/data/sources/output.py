"""`open_output`: tables → a file of any format, which appears whole at the end or not at all."""

import io
import os
import sys
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from stat import S_IMODE
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gaussbayes.base.atomic import settle, take_place, temporary_beside
from gaussbayes.data.sources.listing import STANDARD_STREAM, SourceFile, descriptor, output_file
from gaussbayes.data.sources.opening import need_pyarrow
from gaussbayes.data.sources.row_writers import RowWriter, row_writer

if TYPE_CHECKING:
    import pyarrow as pa


def open_output(
    output: str | PathLike[str],
    schema: "pa.Schema",
    *,
    format: str | None = None,  # noqa: A002
    escape: bool = False,
) -> "Writer":
    """Open a file, or standard output, to write rows.

    Parameters
    ----------
    output : a path, or ``"-"`` for standard output
    schema : the columns
    format : "csv", "tsv", "jsonl", "parquet" or "arrow"; by the name if None, CSV for ``"-"`` and
        for devices and pipes, which are written into and never replaced.
        A name that ends in ``.gz`` or ``.zst`` is compressed.
    escape : whether text that a spreadsheet would take for a formula gets a ``'`` before it

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1, 2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_output(Path(folder) / "a.csv", table.schema) as writer:
    ...         writer.write(table)
    ...     (Path(folder) / "a.csv").read_text()
    'a\\n1\\n2\\n'
    """
    need_pyarrow()
    return Writer(output_file(fspath(output), format), schema, escape=escape)


class Writer:
    """Writes tables one after the other; it is used in a ``with`` statement.

    A file is written under another name in the same folder and takes its place at the end of the
    statement. If its body raises, Ctrl-C included, what was there before stays as it was.
    """

    def __init__(self, file: SourceFile, schema: "pa.Schema", *, escape: bool) -> None:
        import pyarrow as pa

        self.schema = schema
        self._file = file
        self._target = Path(file.name).resolve()
        self._temporary: Path | None = None
        self._streams: list[Any] = []
        self._standard: _Open | None = None
        self._rows: RowWriter | None = None
        try:
            self._streams.append(self._opened())
            if file.compression is not None:
                inner = self._streams[-1]
                self._streams.append(pa.CompressedOutputStream(inner, file.compression))
            chosen: Any = file.format
            self._rows = row_writer(chosen, self._streams[-1], schema, escape=escape)
        except BaseException:
            self._abandon()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()

    def write(self, table: "pa.Table") -> None:
        """Append the rows of a table that has the columns of `schema`."""
        if self._rows is None:
            msg = f"{self._file.name} is written and closed: no rows can be added"
            raise ValueError(msg)
        self._rows.write(table)

    def close(self) -> None:
        """Finish the file and put it in its place."""
        try:
            if self._rows is not None:
                self._rows.close()
            self._rows = None
            while self._streams:
                self._streams.pop().close()
            if self._temporary is not None:
                settle(self._temporary)
                take_place(self._temporary, self._target)
                self._temporary = None
        except BaseException:
            self._abandon()
            raise

    def _opened(self) -> Any:
        """The stream that the bytes go to."""
        import pyarrow as pa

        cannot = f"cannot write {self._file.name!r}"
        number = descriptor(self._file.name)
        if self._file.name == STANDARD_STREAM or number is not None:
            self._standard = _Open(_open_already(number, cannot))
            return pa.PythonFile(self._standard, "w")
        target = self._target
        if target.is_dir():
            msg = f"{cannot}: it is a folder; name a file in it"
            raise IsADirectoryError(msg)
        if target.exists() and not target.is_file():
            return pa.OSFile(str(target), "wb")  # a device or a pipe has nothing to put in place
        if not target.parent.is_dir():
            msg = f"{cannot}: there is no folder {str(target.parent)!r}"
            raise FileNotFoundError(msg)
        if target.exists() and not os.access(target, os.W_OK):
            msg = f"{cannot}: no permission to change it"
            raise PermissionError(msg)
        temporary = temporary_beside(target)
        try:
            temporary.touch(exist_ok=False)
        except OSError as error:
            msg = f"{cannot}: {error.strerror}"
            raise type(error)(error.errno, msg) from error
        self._temporary = temporary
        if target.exists():
            temporary.chmod(S_IMODE(target.stat().st_mode))
        return pa.OSFile(str(temporary), "wb")

    def _abandon(self) -> None:
        """Leave everything as it was."""
        import pyarrow as pa

        if self._standard is not None:
            self._standard.ended = True  # what comes at the end of a format would be a lie
        with suppress(OSError, ValueError, pa.ArrowException):
            if self._rows is not None:
                self._rows.close()
        while self._streams:
            with suppress(OSError, ValueError, pa.ArrowException):
                self._streams.pop().close()
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink(missing_ok=True)
            self._temporary = None


def _open_already(number: int | None, cannot: str) -> Any:
    """Standard output, or the file that has this number; what it holds already stays."""
    if number in {None, 1}:
        return getattr(sys.stdout, "buffer", sys.stdout)
    try:
        return io.FileIO(number, "w", closefd=False)
    except OSError as error:
        msg = f"{cannot}: {error.strerror}"
        raise type(error)(error.errno, msg) from error


class _Open:
    """A stream that stays open when pyarrow is done with it: standard output is not ours."""

    closed = False

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.ended = False  # whether nothing more may be written

    def write(self, data: Any) -> int:
        return len(data) if self.ended else int(self._stream.write(bytes(data)))

    def flush(self) -> None:
        if not self.ended:
            self._stream.flush()

    def close(self) -> None:
        self.flush()
