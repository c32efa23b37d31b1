"""Spark as a cluster: blocks are summed by its executors.

`mapInArrow` folds each block on its executor to one record: its number and a `Reduced`. One shuffle
merges 32 neighbouring records at a time; the driver merges the results. Partitions that Spark
computes again must hold the same rows in the same order, as those of files do.

Records are pickled, so every bit of a float is kept. Data from executors are trusted like the code
that was sent there, which Spark pickles as well.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

from gaussbayes.base.errors import DataError, GaussBayesError
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
from gaussbayes.data.tables import check_distinct

Batches: TypeAlias = Iterator[pa.RecordBatch]
Work: TypeAlias = Callable[[int, Batches], Reduced[Any]]
"""The statistics of a partition, given its number and its rows."""

Outcome: TypeAlias = Reduced[Any] | GaussBayesError
"""The sum of some blocks, or the error that prevented it.

Errors are raised by the driver: if an executor did, Spark would try again and again.
"""

RECORD = "number long, record binary"
"""The columns of a record in Spark."""

NEIGHBOURS = 5
"""2⁵ = 32 records are merged at a time on an executor."""


class SparkCluster:
    """A Spark session."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def map_reduce(
        self, work: Callable[[Any], Reduced[Sum]], blocks: Sequence[Any]
    ) -> Reduced[Sum]:
        """The sum of the statistics of numbered blocks, each in a separate partition."""
        places = self._session.range(0, len(blocks), 1, len(blocks))
        return _summed(places, lambda place, _: work(blocks[place]))


cluster_of = SparkCluster


class SparkFrame(OpenSource):
    """A Spark DataFrame, whose partitions are numbered by Spark."""

    def __init__(self, frame: Any, session: Any = None) -> None:
        shown, self._frame = "the Spark DataFrame", frame
        check_distinct(shown, frame.columns)
        self.shown, self.inferred = shown, stored_types(_arrow_schema(frame))

    def sampled_rows(self, columns: Sequence[str], most: int) -> tuple[pa.Table, bool]:
        """At most about this many rows of all partitions, and whether these are all."""
        frame = _columns(self._frame, columns)
        with _named_cause(), _whatever_pandas():
            n_rows = frame.count()
            if n_rows > most:
                frame = frame.sample(most / n_rows, seed=0)
            return frame.toArrow().rename_columns(columns), n_rows <= most

    def reduce(self, reader: BlockReader, fold: Fold[Sum], n_jobs: int | None) -> Reduced[Sum]:
        names = reader.selection.columns

        def work(number: int, batches: Batches) -> Reduced[Sum]:
            named = (batch.rename_columns(names) for batch in batches)
            return partition_sum(number, named, reader, fold)

        return _summed(_columns(self._frame, names), work)

    def files(self, selection: ColumnSelection) -> Iterator[tuple[str, Iterator[Batch]]]:
        with _whatever_pandas():
            table = _columns(self._frame, selection.columns).toArrow()
        stored = table.rename_columns(selection.columns).to_batches()
        yield self.shown, batches_of(stored, selection, self.shown)


frame_of = SparkFrame


# On executors.


def _partition_outcome(batches: Batches, work: Work) -> Iterator[tuple[int, Outcome]]:
    """The statistics of the current partition, and its number."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    number = int(context.partitionId())
    yield number, _outcome(partial(work, number, batches))
    for _ in batches:  # Spark expects that all rows are read
        pass


def _outcome(work: Callable[[], Reduced[Any]]) -> Outcome:
    try:
        return work()
    except GaussBayesError as error:
        return error


def _merged_neighbours(batches: Batches, bits: int) -> Iterator[tuple[int, Outcome]]:
    """Records in the order of their numbers → one for each 2^bits of them, which is a subtree."""
    for number, group in groupby(_outcomes(batches), lambda each: each[0] >> bits):
        yield number, _merged(group)


def _merged(outcomes: Iterable[tuple[int, Outcome]]) -> Outcome:
    """The sum of numbered outcomes in their tree, or the first error among them."""
    found = sorted(outcomes, key=itemgetter(0))
    errors = [outcome for _, outcome in found if isinstance(outcome, GaussBayesError)]
    sums: list[Any] = found or [(0, Reduced())]
    # Labels may be of different types.
    return errors[0] if errors else _outcome(partial(merge_numbered, sums))


def _records(batches: Batches, work: Callable[[Batches], Any]) -> Batches:
    """The outcomes of some work on a partition, in Spark's format."""
    for number, outcome in work(batches):
        record = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
        yield pa.record_batch({"number": [number], "record": [record]})


def _outcomes(batches: Batches) -> Iterator[tuple[int, Outcome]]:
    for batch in batches:
        for number, record in zip(*batch.columns, strict=True):
            yield number.as_py(), pickle.loads(record.as_buffer())


# On the driver.


def _summed(frame: Any, work: Work) -> Reduced[Any]:
    """The sum of the statistics of partitions, in the tree of their numbers."""
    from pyspark.sql import functions

    outcome_of = partial(_partition_outcome, work=work)
    leaves = _mapped(frame, partial(_records, work=outcome_of), RECORD)
    neighbours = leaves.repartition(functions.shiftright("number", NEIGHBOURS))
    merged = _mapped(
        neighbours.sortWithinPartitions("number"),
        partial(_records, work=partial(_merged_neighbours, bits=NEIGHBOURS)),
        RECORD,
    )
    with _named_cause():
        records = merged.toLocalIterator(prefetchPartitions=True)
        outcome = _merged((number, pickle.loads(record)) for number, record in records)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    return outcome


def _columns(frame: Any, names: Sequence[str]) -> Any:
    """Some columns under generated names: Spark interprets dots and case in names."""
    places = {name: f"c{place}" for place, name in enumerate(frame.columns)}
    return frame.toDF(*places.values()).select(*(places[name] for name in names))


def _arrow_schema(frame: Any) -> pa.Schema:
    """The columns with their Arrow types, without reading rows."""
    from pyspark.errors import PySparkException

    names = list(frame.columns)
    try:
        schema = _columns(frame, names).limit(0).toArrow().schema
    except PySparkException:
        for field in frame.schema.fields:
            try:
                _columns(frame, [field.name]).limit(0).toArrow()
            except PySparkException:
                msg = (
                    f"column {field.name!r} of the Spark DataFrame holds "
                    f"{field.dataType.simpleString()} values, which Arrow does not know: cast it, "
                    f"or drop it with frame.drop({field.name!r})"
                )
                raise DataError(msg) from None
        raise
    return pa.schema([field.with_name(name) for name, field in zip(names, schema, strict=True)])


def _mapped(frame: Any, function: Callable[[Batches], Batches], schema: Any) -> Any:
    """The lazy frame of a function's results for each partition."""
    with _whatever_pandas():
        return frame.mapInArrow(function, schema)


@contextmanager
def _whatever_pandas() -> Iterator[None]:
    """Suppress Spark's warning about the version of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


@contextmanager
def _named_cause() -> Iterator[None]:
    """Add a remedy to the error of executors whose Python has no gaussbayes."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        if "No module named 'gaussbayes'" not in str(error):
            raise
        msg = (
            "the Python that Spark's executors run has no gaussbayes: install it there, or name "
            f"one that has it before Spark starts, here with PYSPARK_PYTHON={sys.executable}"
        )
        raise ImportError(msg) from None
