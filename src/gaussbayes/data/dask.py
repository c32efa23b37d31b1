"""Dask as a cluster: tasks sum blocks, other tasks merge the sums into one small record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import merge_numbered
from gaussbayes.data.readers.binary import batches_of, partition_sum, stored_types
from gaussbayes.data.sources import (
    Batch,
    BlockReader,
    ColumnSelection,
    Fold,
    OpenSource,
    Reduced,
    Sum,
)
from gaussbayes.data.tables import check_distinct, is_string, value_type


class DaskCluster:
    """A Dask client; without one Dask chooses: the current one, or threads."""

    def __init__(self, client: Any = None) -> None:
        self._client = client

    def map_reduce(
        self, work: Callable[[Any], Reduced[Sum]], blocks: Sequence[Any]
    ) -> Reduced[Sum]:
        """The sum of the statistics of numbered blocks: `+` of two tasks is a task."""
        from dask.delayed import delayed

        task, shared = delayed(_done, pure=True), delayed(work)  # sent to each worker once
        total: Reduced[Sum] = self.computed(
            merge_numbered(enumerate(task(block, shared) for block in blocks))
        )
        return total

    def computed(self, task: Any) -> Any:
        """The result of a task."""
        return task.compute() if self._client is None else self._client.compute(task).result()


cluster_of = DaskCluster


def _done(block: Any, work: Callable[[Any], Reduced[Sum]]) -> Reduced[Sum]:
    return work(block)


class DaskFrame(OpenSource):
    """A Dask DataFrame, each partition of which is a pandas frame."""

    def __init__(self, frame: Any, client: Any = None) -> None:
        self._frame, self._cluster = frame, DaskCluster(client)
        shown = f"the DataFrame of {frame.npartitions} partitions"
        check_distinct(shown, list(frame.columns))
        self.shown, self.inferred = shown, stored_types(_declared_schema(frame))

    def sampled_rows(self, columns: Sequence[str], most: int) -> tuple[Any, bool]:
        """At most about this many rows of all partitions, and whether these are all."""
        from dask.delayed import delayed

        frame = self._frame[list(columns)]
        sizes = [delayed(len)(part) for part in frame.to_delayed()]
        n_rows = sum(self._cluster.computed(delayed(sizes)))
        if n_rows > most:
            frame = frame.sample(frac=most / n_rows, random_state=0)
        return self._cluster.computed(frame), n_rows <= most

    def reduce(self, reader: BlockReader, fold: Fold[Sum], n_jobs: int | None) -> Reduced[Sum]:
        work = partial(_frame_sum, reader=reader, fold=fold)
        return self._cluster.map_reduce(work, self._blocks(reader.selection.columns))

    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        for number, block in enumerate(self._blocks(selection.columns)):
            stored = _arrow_table(*self._cluster.computed(block)).to_batches()
            yield f"partition {number}", batches_of(stored, selection, f"partition {number}")

    def _blocks(self, names: Sequence[str]) -> list[Any]:
        """Tasks of the partitions, given their numbers and declared types."""
        from dask.delayed import delayed

        types = pa.schema([self.inferred.schema.field(name) for name in names])
        partitions = self._frame[list(names)].to_delayed()
        return [delayed((number, part, types)) for number, part in enumerate(partitions)]


frame_of = DaskFrame


def _declared_schema(frame: Any) -> pa.Schema:
    """The declared types of a frame; no rows are read for this."""
    import pandas as pd

    named = {name: "string" if kind == "object" else kind for name, kind in frame.dtypes.items()}
    empty = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in named.items()})
    return pa.Schema.from_pandas(empty, preserve_index=False)


def _frame_sum(
    block: tuple[int, Any, pa.Schema], reader: BlockReader, fold: Fold[Sum]
) -> Reduced[Sum]:
    """The statistics of a partition, a pandas frame."""
    return partition_sum(block[0], _arrow_table(*block).to_batches(), reader, fold)


def _arrow_table(number: int, part: Any, types: pa.Schema) -> pa.Table:
    """A partition as an Arrow table; objects must have the type that the frame declares."""
    try:
        table = pa.Table.from_pandas(part, preserve_index=False)
    except pa.ArrowException as error:
        msg = f"partition {number}: {error}"
        raise DataError(msg) from None
    for field, held in zip(types, table.schema.types, strict=True):
        if is_string(value_type(field.type)) != is_string(value_type(held)) and len(part):
            msg = (
                f"partition {number}: column {field.name!r} holds {held} values, but {field.type} "
                "in the other partitions: values of different types cannot be compared"
            )
            raise DataError(msg)
    return table
