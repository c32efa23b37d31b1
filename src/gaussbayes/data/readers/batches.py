"""Record batches of Parquet and Arrow files → tables of the types that are held, of one length."""

from base64 import b64decode
from binascii import Error as EncodingError
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError
from gaussbayes.data.expansion import check_memory
from gaussbayes.data.roles import ColumnSelection, InferredTypes
from gaussbayes.data.tables import is_dictionary, is_number, is_string, value_type

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_BYTES = 1 << 23
"""Nominal size of a batch of rows in memory."""

FEWEST_ROWS = 1 << 10


def batch_rows(n_columns: int) -> int:
    """How many rows make a batch, a power of two; it depends on the number of columns alone."""
    rows = max(FEWEST_ROWS, BATCH_BYTES // (8 * max(1, n_columns)))
    return 1 << (rows.bit_length() - 1)


def stored_types(schema: "pa.Schema", file: str) -> InferredTypes:
    """The types of a file's columns.

    Categories of integers come back from Parquet as integers; what was written says that they are
    categories: the schema of Arrow, or what pandas notes beside it.
    """
    import json

    import pyarrow as pa

    try:
        names = set(schema.names)
    except UnicodeDecodeError as error:
        msg = f"the name of a column of {file} is not UTF-8 text: {error.object!r:.60}; rename it"
        raise DataError(msg) from None
    notes = schema.metadata or {}
    categorical = {field.name for field in schema if is_dictionary(field.type)}
    try:
        written = pa.ipc.read_schema(pa.py_buffer(b64decode(notes.get(b"ARROW:schema", b""))))
        categorical |= {field.name for field in written if is_dictionary(field.type)}
    except (pa.ArrowException, OSError, EncodingError, UnicodeDecodeError):
        pass  # what cannot be understood says nothing
    try:
        columns = json.loads(notes.get(b"pandas", b"{}"))["columns"]
        categorical |= {
            column["field_name"] for column in columns if column["pandas_type"] == "categorical"
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return InferredTypes(schema.remove_metadata(), categorical=frozenset(categorical & names))


def tables_of(
    batches: Iterator["pa.RecordBatch"], selection: ColumnSelection, file: str, step: int
) -> Iterator["pa.Table"]:
    """The columns that are wanted, in order, as the types that are held, `step` rows at a time.

    A batch is looked through before its values are used: a wrong offset in it would end the
    process. What is cut is cast after that, so that a large batch is never copied as a whole.
    """
    return recut(_cast_slices(batches, selection, file, step), step)


def _cast_slices(
    batches: Iterator["pa.RecordBatch"], selection: ColumnSelection, file: str, step: int
) -> Iterator["pa.Table"]:
    import pyarrow as pa

    for batch in batches:
        wanted = batch.select(selection.columns)
        wanted.validate(full=True)
        for start in range(0, wanted.num_rows, step):
            part = pa.Table.from_batches([wanted.slice(start, step)])
            yield cast_table(part, selection, file)
        del batch, wanted  # not to hold on to these rows while the next are read


def cast_table(table: "pa.Table", selection: ColumnSelection, file: str) -> "pa.Table":
    """The columns of a table as the types that are held."""
    import pyarrow as pa

    if table.schema.types == selection.schema.types:
        return table
    columns = []
    for field in selection.schema:
        column = table.column(field.name)
        kind = selection.kinds.get(field.name)
        number = kind not in {None, "category"} and is_number(column.type)
        # A column of integers with missing values is one of floats in many files.
        alike = kind == "category" and (
            is_number(value_type(column.type)) and is_number(field.type)
        )
        if alike or (number and selection.as_stored):
            columns.append(column)
            continue
        try:
            # Integers beyond 2⁵³ are rounded, as they are in every table of floats.
            rounded = number and pa.types.is_floating(field.type)
            encoded = field.name in selection.encoded
            columns.append(_cast(column, field.type, file, safe=not rounded, encoded=encoded))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            msg = (
                f"column {field.name!r} of {file} holds {column.type}, which is not {field.type} "
                f"as in the files before it: {error}"
            )
            raise DataError(msg) from None
    return pa.Table.from_arrays(columns, names=selection.columns)


def _cast(column: Any, kind: Any, file: str, *, safe: bool, encoded: bool) -> Any:
    import pyarrow as pa

    if column.type == kind:
        return column
    if is_dictionary(column.type):
        if encoded and column.type.value_type == kind:
            return column  # the same values; who asked for a dictionary wants it kept
        _check_strings(column, file)
        column = column.cast(column.type.value_type)
    elif pa.types.is_string_view(column.type):
        _check_strings(column, file)
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind, safe=safe)


def _check_strings(column: Any, file: str) -> None:
    """Raise if strings that many rows share are too long for each to have its own."""
    import pyarrow.compute as pc

    total = 0
    for chunk in column.chunks:
        if is_dictionary(chunk.type):
            if not is_string(chunk.type.value_type):
                continue
            lengths = pc.binary_length(chunk.dictionary).take(chunk.indices)
        else:
            lengths = pc.binary_length(chunk)
        total += pc.sum(lengths).as_py() or 0
    check_memory(f"a column of strings in {file}", total, column.nbytes, "leave the column out")


def recut(tables: Iterator["pa.Table"], step: int) -> Iterator["pa.Table"]:
    """The same rows in tables of `step` rows, the last one with what is left; nothing is copied."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    missing = step
    for table in tables:
        start = 0
        while table.num_rows - start >= missing:
            waiting.append(table.slice(start, missing))
            start += missing
            whole = pa.concat_tables(waiting) if len(waiting) > 1 else waiting[0]
            waiting, missing = [], step
            yield whole
            del whole  # not to hold on to these rows while the next are read
        if start < table.num_rows:
            waiting.append(table.slice(start))
            missing -= table.num_rows - start
        del table
    if waiting:
        yield pa.concat_tables(waiting)
