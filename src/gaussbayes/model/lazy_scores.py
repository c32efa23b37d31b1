"""Scores of tables whose rows are elsewhere: lazy frames of Polars, relations of DuckDB.

What comes back is of the same kind, the table with more columns: worked out by expressions where
the rows are, or in batches of Arrow where there is no expression.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.data.engines import arrow_tables
from gaussbayes.data.readers.batches import batch_rows
from gaussbayes.export.lazy_frames import check_features, check_results, score_frame
from gaussbayes.export.model_expression import input_columns
from gaussbayes.export.scalar_scores import EVIDENCE, PREDICTION, proba_columns
from gaussbayes.model.model import Model

if TYPE_CHECKING:
    import pyarrow as pa


def lazy_labels(model: Model, table: Any) -> Any:
    """A lazy table with the most probable class of each row, in a column ``prediction``."""
    return _scored(model, table, [PREDICTION])


def lazy_posteriors(model: Model, table: Any) -> Any:
    """A lazy table with the posteriors of each row, in columns ``proba_…``."""
    return _scored(model, table, proba_columns(model.known_classes.tolist()))


def lazy_log_evidence(model: Model, table: Any) -> Any:
    """A lazy table with the log evidence of each row, in a column ``log_evidence``."""
    return _scored(model, table, [EVIDENCE])


def _scored(model: Model, table: Any, wanted: Sequence[str]) -> Any:
    frame = nw.from_native(table)
    names = frame.collect_schema().names()
    check_features(input_columns(model.encoder), names)
    check_results(wanted, names)
    try:
        scored = score_frame(model.expression(), frame, wanted)
    except OptionError:
        scored = None
    if scored is None:
        return _in_batches(model, frame, wanted)
    return scored if isinstance(table, nw.LazyFrame) else scored.to_native()


def _in_batches(model: Model, frame: Any, wanted: Sequence[str]) -> Any:
    """The same where there is no expression: rows leave the engine, some at a time, and return."""
    import pyarrow as pa

    features = [column.name for column in input_columns(model.encoder)]

    def add_scores(rows: "pa.Table") -> "pa.Table":
        encoded = model.rows(rows.select(features))
        answers: dict[str, Callable[[], Any]] = {
            PREDICTION: lambda: pa.array(model.classes.tolist()).take(model.labels(encoded)),
            EVIDENCE: lambda: pa.array(model.log_evidence(encoded)),
        }
        if wanted[0] in answers:
            return rows.append_column(wanted[0], answers[wanted[0]]())
        posterior = dict(zip(proba_columns(model.classes), model.posterior(encoded).T, strict=True))
        nothing = np.zeros(encoded.n_rows, encoded.dtype)
        for name in wanted:
            rows = rows.append_column(name, pa.array(posterior.get(name, nothing)))
        return rows

    native = frame.to_native()
    if frame.implementation.is_polars():
        import polars as pl

        empty = add_scores(native.head(1).collect().to_arrow())
        schema = pl.DataFrame(empty).schema
        return native.map_batches(
            lambda part: pl.DataFrame(add_scores(part.to_arrow())).cast(schema),
            schema=schema,
            streamable=True,
            predicate_pushdown=False,  # scores need all features, and are not there before
            projection_pushdown=False,
        )
    if frame.implementation.is_duckdb():
        import duckdb

        n_rows = batch_rows(len(frame.columns))
        schema = add_scores(frame.head(1).collect(backend="pyarrow").to_native()).schema
        return duckdb.connect().from_arrow(_Batches(frame, n_rows, schema, add_scores))
    msg = (
        f"rows of {frame.implementation} cannot be scored where they are by this model, which has "
        "too many patterns of missing values: collect them first"
    )
    raise OptionError(msg)


@dataclass(frozen=True, slots=True)
class _Batches:
    """Batches of Arrow that are scored as they are read, each time that they are."""

    frame: Any
    n_rows: int
    schema: Any
    add_scores: Callable[[Any], Any]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(self.schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        for table in arrow_tables(self.frame, self.n_rows):
            if table.num_rows:
                yield from self.add_scores(table).cast(self.schema).to_batches()
