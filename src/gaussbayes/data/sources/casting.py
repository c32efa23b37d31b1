"""Columns of Parquet and Arrow files as the types that are held."""

from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import SchemaError
from gaussbayes.data.sources.kinds import is_number, plain
from gaussbayes.data.sources.matching import refuse_doubles
from gaussbayes.data.sources.request import Request

if TYPE_CHECKING:
    import pyarrow as pa


def plain_schema(schema: "pa.Schema", file: str) -> "pa.Schema":
    """A schema without metadata, if every column has a name of its own."""
    refuse_doubles(file, schema.names)
    return schema.remove_metadata()


def cast_table(batch: "pa.RecordBatch", request: Request, file: str) -> "pa.Table":
    """The columns that are wanted, in order, as the types that are held."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch]).select(request.columns)
    if table.schema.types == request.schema.types:
        return table
    columns = []
    for field in request.schema:
        column = table.column(field.name)
        number = field.name in request.numbers and is_number(column.type)
        # A column of whole numbers with gaps is one of floats in many files.
        alike = field.name in request.categorical and (
            is_number(plain(column.type)) and is_number(field.type)
        )
        if alike or (number and request.as_stored):
            columns.append(column)
            continue
        try:
            # Whole numbers beyond 2⁵³ are rounded, as they are in every table of floats.
            rounded = number and pa.types.is_floating(field.type)
            columns.append(_cast(column, field.type, safe=not rounded))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            msg = (
                f"column {field.name!r} of {file} holds {column.type}, which is not {field.type} "
                f"as in the files before it: {error}"
            )
            raise SchemaError(msg) from None
    return pa.Table.from_arrays(columns, names=request.columns)


def _cast(column: Any, kind: Any, *, safe: bool) -> Any:
    import pyarrow as pa

    if column.type == kind:
        return column
    if pa.types.is_dictionary(column.type):
        if column.type.value_type == kind:
            return column  # the same values; who asked for a dictionary wants it kept
        column = column.cast(column.type.value_type)
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind, safe=safe)
