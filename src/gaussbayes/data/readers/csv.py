"""CSV and TSV: blocks of text → Arrow tables, in any thread."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.bad_rows import BadRow
from gaussbayes.data.readers.text import (
    BOM,
    QUOTE,
    TextReader,
    first_record_end,
    first_records,
    fit_types,
    has_decimal_commas,
    infer_types,
)
from gaussbayes.data.roles import ColumnSelection, InferredTypes, ParsedTable

_STEP = 1 << 20
"""Bytes that pyarrow parses at a time: they and what becomes of them stay in the cache. Where there
are quotes, it would take as long to find out where to cut."""

_SEPARATORS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
_INTEGER = re.compile(r"\s*\d+\s*")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what separates values, the names of the columns, and its length."""

    separator: str
    names: tuple[str, ...]
    n_bytes: int


class CsvReader(TextReader):
    """A file of CSV or TSV."""

    def infer(self, block: bytes) -> tuple[InferredTypes, bool]:
        header = self._header(block)
        data = first_records(block[header.n_bytes :], quoted=True)
        text, _ = _as_text(data, header)
        commas = header.separator == ";" and has_decimal_commas(text, self.file.shown)
        options = arrow_csv.ConvertOptions(decimal_point="," if commas else ".")
        inferred = _table(data, header, options, lambda _: "skip")
        return infer_types(inferred, text, "," if commas else "."), text.num_rows > 0

    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        header = self._header(block)
        self.check_columns(header.names, selection)
        return block[header.n_bytes :], partial(_parse, header, selection)

    def _header(self, block: bytes) -> Header:
        separator = "\t" if self.file.format == "tsv" else None
        header = read_header(block, self.file.shown, separator)
        self.check_names(header.names)
        return header


def read_header(block: bytes, file: str, separator: str | None = None) -> Header:
    r"""The header in the first block of a file.

    Without `separator`, it is the one of ``, TAB ; |`` that occurs most often in the first line,
    outside quotes.

    Examples
    --------
    >>> read_header(b'age;"height; cm"\n1;2\n', "file")
    Header(separator=';', names=('age', 'height; cm'), n_bytes=17)
    """
    start = len(BOM) if block.startswith(BOM) else 0
    while block[start : start + 1] in {b"\n", b"\r"}:
        start += 1
    if not block[start:].strip():
        msg = f"{file} is empty: the first line must name the columns"
        raise DataError(msg)
    end = start + first_record_end(block[start:])
    try:
        line = block[start:end].decode()
        if separator is None:
            unquoted = re.sub(r'"(?:[^"]|"")*"', "", line)
            separator = max(_SEPARATORS, key=unquoted.count)
        names = tuple(next(csv.reader([line.rstrip("\r\n")], delimiter=separator), []))
    except UnicodeDecodeError as error:
        msg = (
            f"the first line of {file} is not UTF-8 text ({error.reason}): write the file as UTF-8"
        )
        raise DataError(msg) from None
    except csv.Error as error:
        msg = f"the first line of {file}, which must name the columns, cannot be read: {error}"
        raise DataError(msg) from None
    _check_is_header(names, file)
    return Header(separator, names, end)


def _check_is_header(names: tuple[str, ...], file: str) -> None:
    """Raise for a first line that holds numbers; 0, 1, 2, … or 2019, 2020 may be names."""
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    integers = [int(name) for name in numbers if _INTEGER.fullmatch(name)]
    in_sequence = len(integers) == len(numbers) and all(
        after == before + 1 for before, after in pairwise(integers)
    )
    if numbers and not in_sequence:
        some = ", ".join(map(repr, names[:4]))
        msg = (
            f"the first line of {file} looks like a row of data ({some}{', …' * (len(names) > 4)})"
            ", but must name the columns: put a line with their names before it"
        )
        raise SchemaError(msg)


def _parse(header: Header, selection: ColumnSelection, data: bytes) -> ParsedTable:
    """The rows of a block as the types that are held; by way of text if some do not fit."""
    types = {field.name: field.type for field in selection.schema}
    types |= {name: pa.dictionary(pa.int32(), types[name]) for name in selection.encoded}
    options = arrow_csv.ConvertOptions(
        column_types=types, include_columns=selection.columns, decimal_point=selection.decimal
    )
    try:
        table = _table(data, header, options, step=None if QUOTE in data else _STEP)
    except pa.ArrowInvalid:
        text, problems = _as_text(data, header)
        return fit_types(text.select(selection.columns), selection, problems)
    return ParsedTable(table, table.num_rows)


def _as_text(data: bytes, header: Header) -> tuple[pa.Table, list[BadRow]]:
    """All values as bytes, and the rows with another number of values than there are columns."""
    problems: list[BadRow] = []

    def note(row: Any) -> str:
        values = f"{row.actual_columns} value{'s' if row.actual_columns != 1 else ''}"
        problem = f"has {values}, but there are {len(header.names)} columns"
        problems.append(BadRow("", row.number - 1, None, None, problem))
        return "skip"

    types = dict.fromkeys(header.names, pa.binary())
    return _table(data, header, arrow_csv.ConvertOptions(column_types=types), note), problems


def _table(
    data: bytes, header: Header, options: Any, on_problem: Any = None, step: int | None = None
) -> Any:
    """The rows of a block; `step` is how many bytes pyarrow parses at a time, None for all."""
    if not data or data.isspace():
        names = options.include_columns or header.names
        return pa.schema(
            [(name, options.column_types.get(name, pa.null())) for name in names]
        ).empty_table()
    reading = arrow_csv.ReadOptions(
        column_names=header.names, use_threads=False, block_size=step or len(data) + 1
    )
    parsing = arrow_csv.ParseOptions(
        delimiter=header.separator,
        newlines_in_values=QUOTE in data,
        invalid_row_handler=on_problem,
    )
    return arrow_csv.read_csv(pa.BufferReader(data), reading, parsing, options)
