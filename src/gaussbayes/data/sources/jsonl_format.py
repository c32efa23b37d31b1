"""JSON lines: blocks of text, one object a line → Arrow tables, in any thread."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.sources.bad_rows import Unfit, shown
from gaussbayes.data.sources.csv_header import BOM
from gaussbayes.data.sources.fitting import fitted
from gaussbayes.data.sources.held_types import hold
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.matching import match_columns
from gaussbayes.data.sources.request import Held, Parsed, Piece, Request
from gaussbayes.data.sources.text_blocks import first_records


def look(file: SourceFile, block: bytes) -> tuple[Held, bool]:
    r"""What the first block of a file shows, and whether there are rows in it.

    Examples
    --------
    >>> held, _ = look(SourceFile("a.jsonl", "jsonl", None), b'{"a": 1, "b": "x"}\n')
    >>> held.schema.types
    [DataType(int64), DataType(string)]
    """
    import pyarrow as pa

    block = first_records(_plain(file, block), quoted=False)
    objects = [found for found in _objects(block) if isinstance(found, dict)]
    names = list(dict.fromkeys(name for found in objects for name in found))
    if not objects:
        msg = f'{file.shown} has no rows: each line must be an object such as {{"age": 1}}'
        raise DataError(msg)
    text = _as_text(objects, names)
    inferred = pa.schema([(name, _type(found.get(name) for found in objects)) for name in names])
    return hold(inferred.empty_table(), text), True


def pieces(file: SourceFile, request: Request, blocks: Iterator[bytes]) -> Iterator[Piece]:
    """One piece for each block of the file."""
    first = _plain(file, next(blocks, b""))
    objects = _objects(first_records(first, quoted=False))
    names = {name for found in objects if isinstance(found, dict) for name in found}
    if objects:
        match_columns(file.shown, sorted(names), request.columns)
    yield partial(_read, first, request)
    for block in blocks:
        yield partial(_read, block, request)


def _read(data: bytes, request: Request) -> Iterator[Parsed]:
    yield parse(data, request)


def parse(data: bytes, request: Request) -> Parsed:
    r"""The rows of a block as the types that are held; values that are not there are null.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parsed = parse(b'{"a": 1}\n{"a": "x"}\n', Request(pa.schema({"a": pa.float64()}), "skip"))
    >>> parsed.table.to_pydict(), parsed.unfit[0].value
    ({'a': [1.0]}, 'x')
    """
    import pyarrow as pa
    from pyarrow import json as arrow_json

    if not data or data.isspace():
        return Parsed(request.schema.empty_table(), 0)
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
    parsing = arrow_json.ParseOptions(
        explicit_schema=request.schema, unexpected_field_behavior="ignore"
    )
    try:
        table = arrow_json.read_json(pa.BufferReader(data), reading, parsing)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _parse_slowly(data, request)
    return Parsed(table.select(request.columns), table.num_rows)


def _parse_slowly(data: bytes, request: Request) -> Parsed:
    """As `parse`, value by value, to find the rows that do not fit."""
    objects = _objects(data)
    unfit = [
        Unfit(row, None, None, found) for row, found in enumerate(objects) if isinstance(found, str)
    ]
    rows = np.array([row for row, found in enumerate(objects) if isinstance(found, dict)], np.intp)
    text = _as_text([found for found in objects if isinstance(found, dict)], request.columns)
    good, more = fitted(text, request, rows)
    every = sorted([*unfit, *more], key=lambda each: each.row)
    return Parsed(good, len(objects), tuple(every))


def _objects(data: bytes) -> list[dict[str, Any] | str]:
    """The object in each line that is not blank, or what is wrong with the line."""
    found: list[dict[str, Any] | str] = []
    for line in data.splitlines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            found.append(f"is not JSON: {error}")
            continue
        found.append(value if isinstance(value, dict) else f"is not an object: {shown(line)}")
    return found


def _as_text(objects: list[dict[str, Any]], names: list[str]) -> Any:
    """The values as a CSV file would hold them."""
    import pyarrow as pa

    def text(value: Any) -> bytes | None:
        if value is None or isinstance(value, str):
            return None if value is None else value.encode("utf-8", "surrogatepass")
        return json.dumps(value).encode()

    columns = [
        pa.array([text(found.get(name)) for found in objects], pa.binary()) for name in names
    ]
    return pa.Table.from_arrays(columns, names=names)


def _type(values: Iterator[Any]) -> Any:
    """The type of a column by its values; text in quotes stays text, whatever it looks like."""
    import pyarrow as pa

    # Whole numbers that are too large for 64 bits are numbers like any other.
    kinds = {
        float if type(value) is int and abs(value) >= 1 << 63 else type(value) for value in values
    } - {type(None)}
    if kinds and kinds <= {bool}:
        return pa.bool_()
    if kinds and kinds <= {int}:
        return pa.int64()
    if kinds and kinds <= {int, float}:
        return pa.float64()
    return pa.string()


def _plain(file: SourceFile, block: bytes) -> bytes:
    block = block.removeprefix(BOM)
    if block.lstrip().startswith(b"["):
        msg = (
            f"{file.shown} holds a JSON array; give one object a line, for example with "
            "`jq -c '.[]'`"
        )
        raise SchemaError(msg)
    return block
