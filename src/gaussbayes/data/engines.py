"""Tables of engines (DuckDB, lazy Polars, SQL), read as batches of Arrow.

The order of rows depends on the engine and may change from run to run: results agree with those of
files and arrays up to rounding, not to the bit.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from gaussbayes.data.readers.binary import batch_rows, batches_of, stored_types
from gaussbayes.data.sources import Batch, ColumnSelection, OpenSource

if TYPE_CHECKING:
    import pyarrow as pa


class EngineTable(OpenSource):
    """A DuckDB relation, a Polars LazyFrame or another lazy frame."""

    shown = "the table"

    def __init__(self, frame: Any) -> None:
        self._frame = nw.from_native(frame).lazy()
        names = self._frame.collect_schema().names()
        with closing(arrow_tables(self._frame.head(1), names)) as tables:
            self.inferred = stored_types(next(tables).schema)

    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        with closing(arrow_tables(self._frame, selection.columns)) as tables:
            stored = (batch for table in tables for batch in table.to_batches())
            yield self.shown, batches_of(stored, selection, self.shown)


def arrow_tables(frame: Any, names: Sequence[str]) -> "Generator[pa.Table, None, None]":
    """Some columns of a lazy frame as Arrow tables, the first of which may be empty.

    Memory is bounded if the engine supports it.
    """
    import pyarrow as pa

    frame, n_rows = frame.select(*names), batch_rows(len(names))
    native = frame.to_native()
    if frame.implementation.is_polars() and hasattr(native, "collect_batches"):
        yield native.head(0).collect().to_arrow()
        for part in native.collect_batches(chunk_size=n_rows, maintain_order=True):
            yield part.to_arrow()
        return
    if frame.implementation.is_duckdb():
        reader = native.to_arrow_reader(n_rows)
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])
        return
    yield frame.collect(backend="pyarrow").to_native()
