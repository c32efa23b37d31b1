"""JSON lines: blocks of text, one object a line → Arrow tables, in any thread."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
from pyarrow import json as arrow_json

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.bad_rows import BadRow, shorten
from gaussbayes.data.readers.text import BOM, TextReader, first_records, fit_types, infer_types
from gaussbayes.data.roles import ColumnSelection, InferredTypes, ParsedTable

_MOST_VALUES = 1 << 25
"""Of a block: lines that say nothing of many columns would take more memory than they are long."""

_MOST_LOOKED = 1 << 22
"""Values that are looked at to infer types."""


class JsonLinesReader(TextReader):
    """A file of JSON lines."""

    quoted = False

    def infer(self, block: bytes) -> tuple[InferredTypes, bool]:
        _, objects, names = self._begun(block)
        if not objects:
            msg = f'{self.file.shown} has no rows: each line must be an object such as {{"age": 1}}'
            raise DataError(msg)
        objects = objects[: max(1, _MOST_LOOKED // max(1, len(names)))]
        types = [(name, _type(record.get(name) for record in objects)) for name in names]
        return infer_types(pa.schema(types).empty_table(), _as_text(objects, names)), True

    def begin(
        self, block: bytes, selection: ColumnSelection
    ) -> tuple[bytes, Callable[[bytes], ParsedTable]]:
        data, objects, names = self._begun(block)
        if objects:
            self.check_columns(names, selection)
        return data, partial(_parse, self.file.shown, selection)

    def _begun(self, block: bytes) -> tuple[bytes, list[dict[str, Any]], list[str]]:
        """The lines of the first block, the objects in some of them, and their names."""
        block = block.removeprefix(BOM)
        if block.lstrip().startswith(b"["):
            msg = (
                f"{self.file.shown} holds a JSON array; give one object a line, for example with "
                "`jq -c '.[]'`"
            )
            raise SchemaError(msg)
        objects, _ = _objects(first_records(block, quoted=False))
        names = list(dict.fromkeys(name for record in objects for name in record))
        self.check_names(names)
        return block, objects, names


def _parse(file: str, selection: ColumnSelection, data: bytes) -> ParsedTable:
    """The rows of a block as the types that are held; values that are not there are null."""
    if (data.count(b"\n") + 1) * len(selection.columns) > _MOST_VALUES:
        msg = (
            f"{file} has more than {_MOST_VALUES:,} values in {1 + (len(data) >> 20)} MB, nearly "
            f"all of them missing: choose fewer of its {len(selection.columns)} columns"
        )
        raise DataError(msg)
    if not data or data.isspace():
        return ParsedTable(selection.schema.empty_table(), 0)
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
    parsing = arrow_json.ParseOptions(
        explicit_schema=selection.schema, unexpected_field_behavior="ignore"
    )
    try:
        table = arrow_json.read_json(pa.BufferReader(data), reading, parsing)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # value by value, to find what is wrong
        objects, problems = _objects(data)
        return fit_types(_as_text(objects, selection.columns), selection, problems)
    return ParsedTable(table.select(selection.columns), table.num_rows)


def _objects(data: bytes) -> tuple[list[dict[str, Any]], list[BadRow]]:
    """The objects in lines that are not blank, and what is wrong with lines that hold none."""
    objects: list[dict[str, Any]] = []
    problems: list[BadRow] = []
    for line in data.splitlines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            problem = f"is not an object: {shorten(line)}"
        except (ValueError, RecursionError) as error:
            value, problem = None, f"is not JSON: {error}"
        if isinstance(value, dict):
            objects.append(value)
        else:
            problems.append(BadRow("", len(objects) + len(problems), None, None, problem))
    return objects, problems


def _as_text(objects: list[dict[str, Any]], names: list[str]) -> Any:
    """The values as a CSV file would hold them."""

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

    # Integers that are too large for 64 bits are numbers like any other.
    kinds = {
        float if type(value) is int and abs(value) >= 1 << 63 else type(value) for value in values
    } - {type(None)}
    types = (({bool}, pa.bool_()), ({int}, pa.int64()), ({int, float}, pa.float64()))
    return next((held for wide, held in types if kinds and kinds <= wide), pa.string())
