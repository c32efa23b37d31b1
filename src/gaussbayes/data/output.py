"""`open_output`: tables → a file of any format, which appears whole at the end or not at all."""

import csv
import io
import json
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from stat import S_IMODE
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from gaussbayes.base.atomic import settle, take_place, temporary_beside
from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.data.files import require_pyarrow
from gaussbayes.data.source_files import (
    STANDARD_STREAM,
    FormatName,
    SourceFile,
    descriptor,
    output_file,
)
from gaussbayes.data.tables import is_string

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = r"^[=+\-@\t\r]"
"""How text begins that a spreadsheet would take for a formula."""


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
    escape : whether strings that a spreadsheet would take for formulas get a ``'`` before them

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
    require_pyarrow()
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


class RowWriter(Protocol):
    """What appends tables to a stream; `close` writes what a format has at its end."""

    def write(self, table: "pa.Table") -> None:
        """Append rows."""

    def close(self) -> None:
        """Finish; the stream stays open."""


def row_writer(name: FormatName, stream: Any, schema: "pa.Schema", *, escape: bool) -> RowWriter:
    """The writer of a format.

    Parameters
    ----------
    stream : a `pyarrow.NativeFile`
    escape : whether text that a spreadsheet would take for a formula gets a ``'`` before it
    """
    if escape and name not in {"csv", "tsv"}:
        msg = f"escaping formulas is for CSV and TSV, which spreadsheets open, not for {name}"
        raise ParameterError(msg)
    if name == "parquet":
        return _Parquet(stream, schema)
    if name == "arrow":
        return _Arrow(stream, schema)
    if name == "jsonl":
        return _JsonLines(stream)
    return _Delimited(stream, schema, "\t" if name == "tsv" else ",", escape=escape)


def escaped(table: "pa.Table") -> "pa.Table":
    """Text that begins with ``= + - @``, a tab or a return, with ``'`` before it; numbers as is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> escaped(pa.table({"a": ["=1+1", "b"], "c": [-1, 2]})).to_pydict()
    {'a': ["'=1+1", 'b'], 'c': [-1, 2]}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for number, field in enumerate(table.schema):
        column = table.column(number)
        if pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        if is_string(column.type):
            marked = pc.replace_substring_regex(column, f"({_FORMULA})", r"'\1")
            table = table.set_column(number, field.name, marked)
    return table


class _Delimited:
    def __init__(self, stream: Any, schema: "pa.Schema", separator: str, *, escape: bool) -> None:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        self._stream, self._escape = stream, escape
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            msg = f"column {nested[0]!r} holds {schema.field(nested[0]).type}, which is no text"
            raise DataError(msg)
        names = (
            escaped(pa.table({"": schema.names})).column(0).to_pylist() if escape else schema.names
        )
        line = io.StringIO()
        csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
        stream.write(line.getvalue().encode())
        self._styles: list[Any] = [
            arrow_csv.WriteOptions(include_header=False, delimiter=separator, quoting_style=style)
            for style in ("none", "needed")
        ]

    def write(self, table: "pa.Table") -> None:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        if self._escape:
            table = escaped(table)
        plain, quoted = self._styles
        sink = pa.BufferOutputStream()  # with quotes only if a value needs them
        try:
            arrow_csv.write_csv(table, sink, plain)
        except pa.ArrowInvalid:
            sink = pa.BufferOutputStream()
            arrow_csv.write_csv(table, sink, quoted)
        self._stream.write(sink.getvalue())

    def close(self) -> None:
        pass


class _JsonLines:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, table: "pa.Table") -> None:
        names = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
        for batch in table.to_batches(max_chunksize=10_000):
            columns = [
                list(map(_json_text(column), column.to_pylist())) for column in batch.columns
            ]
            lines = [
                ", ".join(f"{name}: {value}" for name, value in zip(names, row, strict=True))
                for row in zip(*columns, strict=True)
            ]
            self._stream.write("".join(f"{{{line}}}\n" for line in lines).encode())

    def close(self) -> None:
        pass


def _json_text(column: Any) -> Callable[[Any], str]:
    """What writes the values of a column; JSON has no NaN and no infinity, which become null."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return lambda value: "null" if value is None or not math.isfinite(value) else repr(value)
    return lambda value: json.dumps(value, ensure_ascii=False, default=str)


class _Parquet:
    def __init__(self, stream: Any, schema: "pa.Schema") -> None:
        import pyarrow as pa
        from pyarrow import parquet

        # Fractions seldom repeat: a dictionary of them takes five times as long, and more room.
        repeating = [field.name for field in schema if not pa.types.is_floating(field.type)]
        self._writer = parquet.ParquetWriter(stream, schema, use_dictionary=repeating or False)

    def write(self, table: "pa.Table") -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()


class _Arrow:
    def __init__(self, stream: Any, schema: "pa.Schema") -> None:
        from pyarrow import ipc

        self._writer = ipc.new_file(stream, schema)

    def write(self, table: "pa.Table") -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()
