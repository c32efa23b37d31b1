"""Output of commands: messages, notices with flags to paste, JSON, and files of rows."""

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from gaussbayes import DroppedColumnsWarning
from gaussbayes.base.atomic import check_writable, replace_file, replacing
from gaussbayes.cli.flags import FORMATS, STANDARD, joined, pasted

if TYPE_CHECKING:
    import pyarrow as pa

    from gaussbayes.base.notices import Notice, Remedy


def tell(text: str) -> None:
    """Write a message to standard error, separate from data."""
    click.echo(text, err=True)


def advice(message: str, remedies: "Iterable[Remedy]") -> str:
    """Return a message followed by its remedies, each with the flags to paste."""
    lines = []
    for remedy in remedies:
        options = " ".join(pasted(*argument) for argument in remedy.arguments)
        lines.append(f"  {remedy.effect}: {options or pasted('model', 'auto')}")
    return "\n".join([message, *lines])


def tell_notices(notices: "Iterable[Notice]") -> None:
    """Write notices with the flags to paste."""
    for notice in notices:
        tell(f"Notice: {advice(notice.message, notice.remedies)}")


@contextmanager
def warnings_as_notices(*, fitting: bool = False) -> Iterator[None]:
    """Write the library's warnings as notices, each once, at the end.

    Warnings of a fit are already notices.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore" if fitting else "always", UserWarning)
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        tell(f"Notice: {message}")


def show(result: Any, *, as_json: bool, **about: object) -> None:
    """Write a result to standard output, as text or as one JSON document."""
    if as_json:
        record = about if result is None else about | result.to_dict()
        click.echo(json.dumps(record, ensure_ascii=False, default=_plain))
    else:
        click.echo(result)


def saved(what: str, place: object, *, as_json: bool) -> None:
    """Report where something was written, as a message or as JSON."""
    if as_json:
        show(None, as_json=True, **{what: str(place)})
    elif place != STANDARD:
        tell(f"{what.capitalize()} saved to {place}")


def _plain(value: Any) -> object:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def check_output(name: str, what: str, *read: str, as_json: bool = False) -> None:
    """Raise before the work if a file cannot be written, or is an input of the command."""
    if name == STANDARD:
        if as_json:
            msg = f"--json and {what} cannot both go to standard output: give -o a file"
            raise click.UsageError(msg)
        return
    path = Path(name)
    if path.is_file() and any(Path(each).exists() and path.samefile(each) for each in read):
        msg = f"{name} is read by this command and cannot be its output: give another name"
        raise click.UsageError(msg)
    if not is_stream(name):
        check_writable(path, what)


def is_stream(name: str) -> bool:
    """Whether a name is that of standard output, a device or a pipe, which is never replaced."""
    path, device = Path(name), name.startswith("/dev/")
    return name == STANDARD or device or (path.exists() and not path.is_file() | path.is_dir())


@contextmanager
def writable(name: str) -> Iterator[Path]:
    """Yield a path to write to, and copy it to standard output if that is the output.

    A companion file, whose name comes first in the alphabet, is copied before it.
    """
    if name != STANDARD:
        yield Path(name)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output.sql"
        yield path
        for file in sorted(Path(folder).iterdir()):
            sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.buffer.flush()


def write_file(name: str, content: bytes, what: str) -> None:
    """Write a file, completely or not at all, or standard output."""
    if name == STANDARD:
        sys.stdout.buffer.write(content)
    else:
        replace_file(Path(name), content, what)


# Files of rows.


def format_of(name: str, given: str | None) -> str:
    """Return the format of a file of rows: as given, by its name, CSV for streams."""
    suffix = Path(name).suffix[1:].lower()
    found = given or (suffix if suffix in FORMATS or not is_stream(name) else "csv")
    if found not in FORMATS:
        msg = f"{name!r} must end in .{', .'.join(FORMATS)}, or give --output-format"
        raise click.UsageError(msg)
    return found


def write_tables(tables: "Iterable[pa.Table]", name: str, format_name: str) -> None:
    """Write tables of one schema to a file, completely or not at all, or to a stream."""
    if name in {STANDARD, "/dev/stdout"}:
        _write_all(tables, sys.stdout.buffer, format_name)
        return
    if is_stream(name):
        with Path(name).open("ab") as stream:
            _write_all(tables, stream, format_name)
        return
    with replacing(Path(name)) as stream:
        _write_all(tables, stream, format_name)


def _write_all(tables: "Iterable[pa.Table]", stream: BinaryIO, format_name: str) -> None:
    """Write tables, at least one, in a format."""
    import pyarrow as pa
    from pyarrow import parquet

    iterator = iter(tables)
    first = next(iterator)
    if format_name == "parquet":
        writer = parquet.ParquetWriter(pa.PythonFile(stream, "w"), first.schema)
    elif format_name == "arrow":
        writer = pa.ipc.new_file(pa.PythonFile(stream, "w"), first.schema)
    else:
        _write_text(chain([first], iterator), stream, format_name)
        return
    for table in chain([first], iterator):
        writer.write(table)
    writer.close()
    stream.flush()


def _write_text(tables: "Iterable[pa.Table]", stream: BinaryIO, format_name: str) -> None:
    """Write JSON lines, or CSV and TSV with quotes only where a value needs them."""
    import pyarrow as pa
    from pyarrow import csv

    delimiter = "\t" if format_name == "tsv" else ","
    for number, table in enumerate(tables):
        if format_name == "jsonl":
            lines = (json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist())
            stream.write("".join(f"{line}\n" for line in lines).encode())
            continue
        if number == 0:
            stream.write(f"{joined(table.column_names, delimiter)}\n".encode())
        for quoting in ("none", "needed"):
            sink = pa.BufferOutputStream()
            how = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
            with suppress(pa.ArrowInvalid):  # a value that needs quotes
                csv.write_csv(table, sink, how)
                stream.write(sink.getvalue())
                break
    stream.flush()
