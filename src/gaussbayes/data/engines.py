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
from gaussbayes.data.tables import LOOKED_AT, sampled_rows

if TYPE_CHECKING:
    import pyarrow as pa


class EngineTable(OpenSource):
    """A DuckDB relation, a Polars LazyFrame or another lazy frame."""

    shown = "the table"

    def __init__(self, frame: Any) -> None:
        self._frame = _plain_numbers(nw.from_native(frame).lazy())
        names = self._frame.collect_schema().names()
        with closing(arrow_tables(self._frame.head(1), names)) as tables:
            self.inferred = stored_types(next(tables).schema)

    def sampled_rows(self, columns: Sequence[str], most: int) -> "tuple[pa.Table, bool]":
        looked_at = self._frame.head(LOOKED_AT * most)
        with closing(arrow_tables(looked_at, columns)) as tables:  # one query at a time
            return sampled_rows(tables, most)

    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        with closing(arrow_tables(self._frame, selection.columns)) as tables:
            stored = (batch for table in tables for batch in table.to_batches())
            yield self.shown, batches_of(stored, selection, self.shown)


def _plain_numbers(frame: Any) -> Any:
    """A lazy frame without decimals and integers of 128 bits, which Arrow cannot sum."""
    wide = (nw.Int128, nw.UInt128, nw.Decimal)
    kinds = frame.collect_schema().items()
    casts = [
        nw.col(name).cast(nw.Float64 if kind == nw.Decimal else nw.Int64)
        for name, kind in kinds
        if isinstance(kind, wide)
    ]
    return frame.with_columns(*casts) if casts else frame


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
