"""`open_output`: tables → a file of any format, which appears whole at the end or not at all."""

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from stat import S_IMODE
from typing import Any, Protocol

import msgspec

from gaussbayes.base.atomic import check_writable, settle, take_place, temporary_beside
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.files import STANDARD_STREAM, SourceFile, descriptor, output_file
from gaussbayes.data.tables import is_string

# After what says that it is missing.
import pyarrow as pa  # isort: skip
from pyarrow import csv as arrow_csv  # isort: skip

_FORMULA = r"(^[=+\-@\t\r])"
"""How text begins that a spreadsheet would take for a formula."""


class Writer(Protocol):
    """What appends tables to a file, as pyarrow's own writers do."""

    def write(self, table: pa.Table, /) -> None:
        """Append the rows of a table."""

    def close(self) -> None:
        """Write what a format has at its end."""


def open_output(
    output: str | PathLike[str],
    schema: pa.Schema,
    *,
    format: str | None = None,  # noqa: A002
    escape: bool = False,
) -> AbstractContextManager[Writer]:
    """Open a file, or standard output, to write rows; to be used in a ``with`` statement.

    A file is written under another name in the same folder and takes its place at the end of the
    statement. If its body raises, Ctrl-C included, what was there before stays as it was.

    Parameters
    ----------
    output : a path, or ``"-"`` for standard output
    schema : the columns
    format : "csv", "tsv", "jsonl", "parquet" or "arrow"; by the name if None, CSV for ``"-"`` and
        for devices and pipes, which are written into and never replaced.
        A name that ends in ``.gz`` or ``.zst`` is compressed.
    escape : whether strings that a spreadsheet would take for formulas get a ``'`` before them
    """
    file = output_file(fspath(output), format)
    if escape and file.format not in {"csv", "tsv"}:
        msg = (
            f"escaping formulas is for CSV and TSV, which spreadsheets open, not for {file.format}"
        )
        raise OptionError(msg)
    return _writing(file, schema, escape=escape)


@contextmanager
def _writing(file: SourceFile, schema: pa.Schema, *, escape: bool) -> Iterator[Writer]:
    target = Path(file.name).resolve()
    number, temporary, standard = descriptor(file.name), None, None
    opened: list[Any] = []  # to be closed, the last first
    try:
        if file.name == STANDARD_STREAM or number is not None:
            standard = _Open(_open_already(number, file.name))
            opened.append(pa.PythonFile(standard, "w"))
        elif target.exists() and not target.is_file() and not target.is_dir():
            opened.append(pa.OSFile(str(target), "wb"))  # a device has nothing to put in place
        else:
            check_writable(target)
            temporary = temporary_beside(target)
            opened.append(pa.OSFile(str(temporary), "wb"))
            if target.exists():
                temporary.chmod(S_IMODE(target.stat().st_mode))
        if file.compression is not None:
            opened.append(pa.CompressedOutputStream(opened[-1], file.compression))
        opened.append(_writer(str(file.format), opened[-1], schema, escape=escape))
        yield opened[-1]
        while opened:
            opened.pop().close()
        if temporary is not None:
            settle(temporary)
            take_place(temporary, target)
    except BaseException:
        if standard is not None:
            standard.ended = True  # what comes at the end of a format would be a lie
        while opened:
            with suppress(OSError, ValueError, pa.ArrowException):
                opened.pop().close()
        raise
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _open_already(number: int | None, name: str) -> Any:
    """Standard output, or the file that has this number; what it holds already stays."""
    if number in {None, 1}:
        return getattr(sys.stdout, "buffer", sys.stdout)
    try:
        return io.FileIO(number, "w", closefd=False)
    except OSError as error:
        msg = f"cannot write {name!r}: {error.strerror}"
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

    close = flush


def _writer(name: str, stream: Any, schema: pa.Schema, *, escape: bool) -> Writer:
    """The writer of a format to a `pyarrow.NativeFile`, which stays open."""
    from pyarrow import parquet

    writer: Writer
    if name == "parquet":
        # Fractions seldom repeat: a dictionary of them takes five times as long, and more room.
        repeating = [field.name for field in schema if not pa.types.is_floating(field.type)]
        writer = parquet.ParquetWriter(stream, schema, use_dictionary=repeating or False)
    elif name == "arrow":
        writer = pa.ipc.new_file(stream, schema)
    elif name == "jsonl":
        writer = _JsonLines(stream)
    else:
        writer = _Delimited(stream, schema, "\t" if name == "tsv" else ",", escape=escape)
    return writer


def escaped(table: pa.Table) -> pa.Table:
    """Text that begins with ``= + - @``, a tab or a return, with ``'`` before it; numbers as is."""
    import pyarrow.compute as pc

    for number, field in enumerate(table.schema):
        column = table.column(number)
        if pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        if is_string(column.type):
            marked = pc.replace_substring_regex(column, _FORMULA, r"'\1")
            table = table.set_column(number, field.name, marked)
    return table


class _Delimited:
    """CSV or TSV, with quotes only where a value needs them."""

    def __init__(self, stream: Any, schema: pa.Schema, separator: str, *, escape: bool) -> None:
        self._stream, self._separator, self._escape = stream, separator, escape
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            msg = f"column {nested[0]!r} holds {schema.field(nested[0]).type}, which is no text"
            raise DataError(msg)
        names = pa.table({"": schema.names})
        line = io.StringIO()
        csv.writer(line, delimiter=separator, lineterminator="\n").writerow(
            (escaped(names) if escape else names).column(0).to_pylist()
        )
        stream.write(line.getvalue().encode())

    def write(self, table: pa.Table, /) -> None:
        if self._escape:
            table = escaped(table)
        try:
            text = self._text(table, "none")
        except pa.ArrowInvalid:
            text = self._text(table, "needed")
        self._stream.write(text)

    def _text(self, table: pa.Table, quoting: Any) -> Any:
        sink = pa.BufferOutputStream()
        options = arrow_csv.WriteOptions(
            include_header=False, delimiter=self._separator, quoting_style=quoting
        )
        arrow_csv.write_csv(table, sink, options)
        return sink.getvalue()

    def close(self) -> None:
        pass


class _JsonLines:
    """Compact JSON, which has no NaN and no infinity: these become null."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._encoder = stream, msgspec.json.Encoder(enc_hook=str)

    def write(self, table: pa.Table, /) -> None:
        for batch in table.to_batches(max_chunksize=10_000):
            self._stream.write(self._encoder.encode_lines(batch.to_pylist()))

    def close(self) -> None:
        pass
