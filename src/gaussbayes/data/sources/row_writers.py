"""Tables → bytes of a format: CSV and TSV, JSON lines, Parquet, Arrow."""

import csv
import io
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.data.sources.kinds import is_text
from gaussbayes.data.sources.listing import FormatName

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = r"^[=+\-@\t\r]"
"""How text begins that a spreadsheet would take for a formula."""


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
        if is_text(column.type):
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
