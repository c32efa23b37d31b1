"""JSON lines: blocks of text, one object a line → Arrow tables, in any thread."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.bad_rows import RowProblem, shorten
from gaussbayes.data.listing import SourceFile
from gaussbayes.data.readers.text import BOM, first_records, fit_types, infer_types
from gaussbayes.data.selection import (
    InferredTypes,
    ParsedTable,
    Piece,
    Selection,
    check_same_columns,
)

_MOST_VALUES = 1 << 25
"""Of a block: lines that say nothing of many columns would take more memory than they are long."""

_MOST_LOOKED = 1 << 22
"""Values that are looked at to infer types."""


def look(file: SourceFile, block: bytes) -> tuple[InferredTypes, bool]:
    r"""What the first block of a file shows, and whether there are rows in it.

    Examples
    --------
    >>> inferred, _ = look(SourceFile("a.jsonl", "jsonl", None), b'{"a": 1, "b": "x"}\n')
    >>> inferred.schema.types
    [DataType(int64), DataType(string)]
    """
    import pyarrow as pa

    block = first_records(_plain(file, block), quoted=False)
    objects = [record for record in _objects(block) if isinstance(record, dict)]
    names = list(dict.fromkeys(name for record in objects for name in record))
    if not objects:
        msg = f'{file.shown} has no rows: each line must be an object such as {{"age": 1}}'
        raise DataError(msg)
    objects = objects[: max(1, _MOST_LOOKED // len(names))] if names else objects
    text = _as_text(objects, names)
    inferred = pa.schema([(name, _type(record.get(name) for record in objects)) for name in names])
    return infer_types(inferred.empty_table(), text), True


def pieces(file: SourceFile, selection: Selection, blocks: Iterator[bytes]) -> Iterator[Piece]:
    """One piece for each block of the file."""
    first = _plain(file, next(blocks, b""))
    objects = _objects(first_records(first, quoted=False))
    names = {name for record in objects if isinstance(record, dict) for name in record}
    if objects:
        check_same_columns(file.shown, sorted(names), selection.columns)
    yield partial(_read, file.shown, first, selection)
    for block in blocks:
        yield partial(_read, file.shown, block, selection)


def _read(file: str, data: bytes, selection: Selection) -> Iterator[ParsedTable]:
    if (data.count(b"\n") + 1) * len(selection.columns) > _MOST_VALUES:
        msg = (
            f"{file} has more than {_MOST_VALUES:,} values in {1 + (len(data) >> 20)} MB, nearly "
            f"all of them missing: choose fewer of its {len(selection.columns)} columns"
        )
        raise DataError(msg)
    yield parse(data, selection)


def parse(data: bytes, selection: Selection) -> ParsedTable:
    r"""The rows of a block as the types that are held; values that are not there are null.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parsed = parse(b'{"a": 1}\n{"a": "x"}\n', Selection(pa.schema({"a": pa.float64()}), "skip"))
    >>> parsed.table.to_pydict(), parsed.problems[0].value
    ({'a': [1.0]}, 'x')
    """
    import pyarrow as pa
    from pyarrow import json as arrow_json

    if not data or data.isspace():
        return ParsedTable(selection.schema.empty_table(), 0)
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
    parsing = arrow_json.ParseOptions(
        explicit_schema=selection.schema, unexpected_field_behavior="ignore"
    )
    try:
        table = arrow_json.read_json(pa.BufferReader(data), reading, parsing)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _parse_slowly(data, selection)
    return ParsedTable(table.select(selection.columns), table.num_rows)


def _parse_slowly(data: bytes, selection: Selection) -> ParsedTable:
    """As `parse`, value by value, to find the rows that do not fit."""
    objects = _objects(data)
    problems = [
        RowProblem(row, None, None, record)
        for row, record in enumerate(objects)
        if isinstance(record, str)
    ]
    rows = np.array(
        [row for row, record in enumerate(objects) if isinstance(record, dict)], np.intp
    )
    text = _as_text([record for record in objects if isinstance(record, dict)], selection.columns)
    good, more = fit_types(text, selection, rows)
    both = sorted([*problems, *more], key=lambda each: each.row)
    return ParsedTable(good, len(objects), tuple(both))


def _objects(data: bytes) -> list[dict[str, Any] | str]:
    """The object in each line that is not blank, or what is wrong with the line."""
    records: list[dict[str, Any] | str] = []
    for line in data.splitlines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            records.append(f"is not JSON: {error}")
            continue
        records.append(value if isinstance(value, dict) else f"is not an object: {shorten(line)}")
    return records


def _as_text(objects: list[dict[str, Any]], names: list[str]) -> Any:
    """The values as a CSV file would hold them."""
    import pyarrow as pa

    def text(value: Any) -> bytes | None:
        if value is None or isinstance(value, str):
            return None if value is None else value.encode("utf-8", "surrogatepass")
        return json.dumps(value).encode()

    columns = [
        pa.array([text(record.get(name)) for record in objects], pa.binary()) for name in names
    ]
    return pa.Table.from_arrays(columns, names=names)


def _type(values: Iterator[Any]) -> Any:
    """The type of a column by its values; a string stays one, whatever it looks like."""
    import pyarrow as pa

    # Integers that are too large for 64 bits are numbers like any other.
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
