"""CSV and TSV: blocks of text → Arrow tables, in any thread."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.data.sources.bad_rows import Unfit
from gaussbayes.data.sources.csv_header import Header, read_header
from gaussbayes.data.sources.fitting import fitted
from gaussbayes.data.sources.held_types import has_decimal_commas, hold
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.matching import match_columns
from gaussbayes.data.sources.request import Held, Parsed, Piece, Request
from gaussbayes.data.sources.text_blocks import QUOTE, first_records

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 1 << 20
"""Bytes that pyarrow parses at a time: they and what becomes of them stay in the cache. Where there
are quotes, it would take as long to find out where to cut."""


def look(file: SourceFile, block: bytes) -> tuple[Held, bool]:
    r"""What the first block of a file shows, and whether there are rows in it.

    Examples
    --------
    >>> held, has_rows = look(SourceFile("a.csv", "csv", None), b"a,b\n1,x\n2,y\n")
    >>> held.schema.types, has_rows
    ([DataType(int64), DataType(string)], True)
    """
    from pyarrow import csv

    header, data = _split(file, block)
    data = first_records(data, quoted=True)
    text, _ = _as_text(data, header)
    decimal = "," if header.separator == ";" and has_decimal_commas(text, file.shown) else "."
    inferred = _table(data, header, csv.ConvertOptions(decimal_point=decimal), lambda _: "skip")
    return hold(inferred, text, decimal), text.num_rows > 0


def pieces(file: SourceFile, request: Request, blocks: Iterator[bytes]) -> Iterator[Piece]:
    """One piece for each block of the file."""
    header, data = _split(file, next(blocks, b""))
    match_columns(file.shown, header.names, request.columns)
    yield partial(_read, data, header, request)
    for block in blocks:
        yield partial(_read, block, header, request)


def _split(file: SourceFile, block: bytes) -> tuple[Header, bytes]:
    """The header of a file, and the rows of its first block."""
    header = read_header(block, file.shown, "\t" if file.format == "tsv" else None)
    return header, block[header.n_bytes :]


def _read(data: bytes, header: Header, request: Request) -> Iterator[Parsed]:
    yield parse(data, header, request)


def parse(data: bytes, header: Header, request: Request) -> Parsed:
    r"""The rows of a block as the types that are held.

    Examples
    --------
    >>> import pyarrow as pa
    >>> wanted = Request(pa.schema({"a": pa.float64()}), "skip")
    >>> parsed = parse(b"1,x\n2,y,z\nw,y\n", Header(",", ("a", "b"), 0), wanted)
    >>> parsed.table.to_pydict(), parsed.n_records
    ({'a': [1.0]}, 3)
    >>> [(unfit.row, unfit.problem) for unfit in parsed.unfit]
    [(1, 'has 3 values, but there are 2 columns'), (2, 'is not a number')]
    """
    import pyarrow as pa
    from pyarrow import csv

    types = {field.name: field.type for field in request.schema}
    types |= {name: pa.dictionary(pa.int32(), types[name]) for name in request.encoded}
    options = csv.ConvertOptions(
        column_types=types, include_columns=request.columns, decimal_point=request.decimal
    )
    try:
        table = _table(data, header, options, step=None if QUOTE in data else _STEP)
    except pa.ArrowInvalid:
        return _parse_slowly(data, header, request)
    return Parsed(table, table.num_rows)


def _parse_slowly(data: bytes, header: Header, request: Request) -> Parsed:
    """As `parse`, by way of text, to find the rows that do not fit."""
    table, unfit = _as_text(data, header)
    n_records = table.num_rows + len(unfit)
    rows = np.setdiff1d(np.arange(n_records), [each.row for each in unfit])
    good, more = fitted(table.select(request.columns), request, rows)
    return Parsed(good, n_records, tuple(sorted([*unfit, *more], key=lambda each: each.row)))


def _as_text(data: bytes, header: Header) -> tuple["pa.Table", list[Unfit]]:
    """All values as bytes, and the rows with another number of values than there are columns."""
    import pyarrow as pa
    from pyarrow import csv

    unfit: list[Unfit] = []
    n_columns = len(header.names)

    def note(row: Any) -> str:
        values = f"{row.actual_columns} value{'s' if row.actual_columns != 1 else ''}"
        problem = f"has {values}, but there are {n_columns} columns"
        unfit.append(Unfit(row.number - 1, None, None, problem))
        return "skip"

    types = dict.fromkeys(header.names, pa.binary())
    return _table(data, header, csv.ConvertOptions(column_types=types), note), unfit


def _table(
    data: bytes, header: Header, options: Any, on_unfit: Any = None, step: int | None = None
) -> Any:
    """The rows of a block; `step` is how many bytes pyarrow parses at a time, None for all."""
    import pyarrow as pa
    from pyarrow import csv

    if not data or data.isspace():
        names = options.include_columns or header.names
        return pa.schema(
            [(name, options.column_types.get(name, pa.null())) for name in names]
        ).empty_table()
    reading = csv.ReadOptions(
        column_names=header.names, use_threads=False, block_size=step or len(data) + 1
    )
    parsing = csv.ParseOptions(
        delimiter=header.separator,
        newlines_in_values=QUOTE in data,
        invalid_row_handler=on_unfit,
    )
    return csv.read_csv(pa.BufferReader(data), reading, parsing, options)
