"""Rows of Spark DataFrames, and of files that Spark's executors read.

Each partition (or part of a file) is folded where it is, by `mapInArrow`, to one record: its number
and a `Reduced`. The records go through one shuffle, in which 32 neighbours at a time are merged;
what is left is merged by the driver. Numbers fix the places of a `MergeTree`, in which places
without rows change nothing, so that neighbours can be merged anywhere: the sum is the same to the
bit as on one machine, for any number of executors, and with executors lost on the way, whose
partitions Spark computes again. All of them must run the same build on the same kind of processor
for that, and the partitions must hold the same rows in the same order whenever they are computed,
as those of files do.

Records are pickled: every bit of a float is kept, whatever is summed, and what comes from executors
is trusted as the code that was sent there is, which Spark pickles as well.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data.column_roles import SAMPLE_ROWS, columns_asked_for, decide_source
from gaussbayes.data.file_rows import Plan, SharedFileRows, numbered_parts, part_partial
from gaussbayes.data.readers.batches import batch_rows, stored_types, tables_of
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import (
    ParsedTable,
    Request,
    check_distinct,
)
from gaussbayes.data.rows import Encoder
from gaussbayes.data.tables import sampled_parts

Batches: TypeAlias = Iterator[pa.RecordBatch]
Outcome: TypeAlias = Reduced[Any] | GaussBayesError
"""What some blocks sum to, or why they cannot be summed.

Errors are raised by the driver: if an executor did, Spark would try again and again.
"""

RECORD = "number long, record binary"
"""The columns that a record has in Spark."""

NEIGHBOURS = 5
"""2⁵ = 32 records are merged at a time on an executor."""


def open_on_spark(source: Any, request: Request, session: Any = None) -> RowSource:
    """The rows of a Spark DataFrame, or of files that all executors find under the same names.

    Files are cut and read as on one machine: a large Parquet or Arrow file is shared among the
    executors, a file of text or a compressed one is read by one of them.
    """
    import_spark()
    if hasattr(source, "mapInArrow"):
        return SparkRows.open_frame(source, request)
    return SparkFileRows.open_shared(source, request, session)


class SparkFileRows(SharedFileRows):
    """The rows of files that executors read."""

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        plan = self.plan(fold, encoder)
        parts = numbered_parts(plan)
        numbers = self.client.range(0, len(parts), 1, len(parts))  # a partition for each
        return _summed(numbers, partial(_part_outcomes, parts=parts, plan=plan))


class SparkRows(RowSource):
    """The rows of a Spark DataFrame, whose partitions are numbered by Spark."""

    shown = "the Spark DataFrame"

    def __init__(self, frame: Any, reader: BlockReader) -> None:
        super().__init__(reader.roles, reader.request)
        self._frame = _columns(frame, reader.selection.columns)
        self._reader = reader

    @classmethod
    def open_frame(cls, frame: Any, request: Request) -> SparkRows:
        """Choose the columns, and check that they can be what they are chosen for."""
        names = list(frame.columns)
        check_distinct(cls.shown, names)
        decided = None
        if request.detect:
            columns = columns_asked_for(names, request)
            sample, whole = _sampled_rows(_columns(frame, columns), columns)
            request, decided = decide_source(sample, request, names=names, whole=whole)
        types = stored_types(_arrow_schema(frame), cls.shown)
        return cls(frame, BlockReader.open(types, request, decided, cls.shown))

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Spark counts them when that is asked for, at the price of another pass."""
        return int(self._frame.count())

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        reader = replace(self._reader, encoder=encoder)
        return _summed(self._frame, partial(_partition_outcome, reader=reader, fold=fold))


def arrow_table(frame: Any, names: list[str]) -> pa.Table:
    """Some columns of a Spark DataFrame in memory."""
    with _whatever_pandas():
        return _columns(frame, names).toArrow().rename_columns(names)


# What executors do.


def _partition_outcome(
    batches: Batches, reader: BlockReader, fold: Fold[Any]
) -> Iterator[tuple[int, Outcome]]:
    """What a partition adds; it is cut as a file of the same rows would be."""
    number, names = _partition(), reader.selection.columns
    shown = f"partition {number}"
    named = (batch.rename_columns(names) for batch in batches)
    tables = tables_of(named, reader.selection, shown, batch_rows(len(names)))
    parsed = (ParsedTable(table, table.num_rows) for table in tables)
    try:
        total = reader.total(parsed, fold, 1, shown)
        if total.stop is not None:
            raise total.stop.placed(shown, 1, reader.selection.optional)
    except GaussBayesError as error:
        yield number, error
    else:
        yield number, total.of_file()


def _part_outcomes(
    batches: Batches, parts: Sequence[tuple[int, int, range]], plan: Plan
) -> Iterator[tuple[int, Outcome]]:
    """What some parts of files add, whose numbers are given."""
    for batch in batches:
        for place in batch.column(0).to_pylist():
            number, file, places = parts[place]
            try:
                yield number, part_partial(places, 0, file, plan)
            except GaussBayesError as error:
                yield number, error


def _merged_neighbours(batches: Batches, bits: int) -> Iterator[tuple[int, Outcome]]:
    """Records in the order of their numbers → one for each 2^bits of them, which is a subtree."""
    for number, group in groupby(_outcomes(batches), lambda each: each[0] >> bits):
        first = number << bits
        yield number, _merged((each - first, outcome) for each, outcome in group)


def _merged(outcomes: Iterable[tuple[int, Outcome]]) -> Outcome:
    """The sum of numbered outcomes in their tree, or the first error among them."""
    tree: MergeTree[Reduced[Any]] = MergeTree()
    numbers: set[int] = set()
    errors: dict[int, GaussBayesError] = {}
    try:
        for number, outcome in outcomes:
            numbers.add(number)
            if isinstance(outcome, GaussBayesError):
                errors[number] = outcome
            elif not errors:
                tree.add(number, outcome)
        if errors:
            return errors[min(errors)]
        for number in set(range(max(numbers, default=0) + 1)) - numbers:
            tree.add(number, Reduced())
        return tree.result()
    except GaussBayesError as error:  # as of labels of different types
        return error


def _records(batches: Batches, work: Callable[[Batches], Any]) -> Batches:
    """The outcomes of some work on a partition, as Spark takes them."""
    for number, outcome in work(batches):
        record = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
        yield pa.record_batch({"number": [number], "record": [record]})


def _outcomes(batches: Batches) -> Iterator[tuple[int, Outcome]]:
    for batch in batches:
        for number, record in zip(*batch.columns, strict=True):
            yield number.as_py(), pickle.loads(record.as_buffer())


# What the driver does.


def _summed(frame: Any, work: Callable[[Batches], Any]) -> Reduced[Any]:
    """The sum of what partitions add: the work gives outcomes and their numbers."""
    from pyspark.sql import functions

    leaves = _mapped(frame, partial(_records, work=work), RECORD)
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


def _sampled_rows(frame: Any, names: Sequence[str]) -> tuple[pa.Table, bool]:
    """Rows of all partitions, those that are taken of files, and whether these are all."""
    with _named_cause():
        counted = _mapped(frame, _count, RECORD).collect()
        counts = sorted((row.number, int(row.record)) for row in counted)
        if not counts:
            return _arrow_schema(frame).empty_table().rename_columns(names), True
        numbers, sizes = zip(*counts, strict=True)
        places = dict(zip(numbers, sampled_parts(sizes, SAMPLE_ROWS), strict=True))

        def taken(batches: Batches) -> Batches:
            return _taken(batches, places)

        records = sorted(_mapped(frame, taken, RECORD).collect())
    tables = [pa.ipc.open_stream(record).read_all() for _, record in records]
    return pa.concat_tables(tables).rename_columns(names), sum(sizes) <= SAMPLE_ROWS


def _count(batches: Batches) -> Batches:
    """How many rows a partition has; nothing if it has none."""
    if n_rows := sum(batch.num_rows for batch in batches):
        yield pa.record_batch({"number": [_partition()], "record": [str(n_rows).encode()]})


def _taken(batches: Batches, places: Mapping[int, NDArray[np.intp]]) -> Batches:
    """The rows of a partition in these places, as the bytes of an Arrow stream."""
    number = _partition()
    wanted, n_rows, rows = places.get(number, np.empty(0, np.intp)), 0, []
    for batch in batches:
        low, high = np.searchsorted(wanted, (n_rows, n_rows + batch.num_rows))
        rows.append(batch.take(pa.array(wanted[low:high] - n_rows)))
        n_rows += batch.num_rows
    if rows:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows[0].schema) as stream:
            for batch in rows:
                stream.write_batch(batch)
        yield pa.record_batch({"number": [number], "record": [sink.getvalue().to_pybytes()]})


def _partition() -> int:
    """The number of the partition that an executor is at."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _columns(frame: Any, names: Sequence[str]) -> Any:
    """Some columns, under names of our own: Spark's take dots and cases for something else."""
    places = {name: f"c{place}" for place, name in enumerate(frame.columns)}
    return frame.toDF(*places.values()).select(*(places[name] for name in names))


def _arrow_schema(frame: Any) -> pa.Schema:
    """The columns as Arrow has them; no rows are read for that."""
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
                    f"or leave it out with frame.drop({field.name!r})"
                )
                raise DataError(msg) from None
        raise
    return pa.schema([field.with_name(name) for name, field in zip(names, schema, strict=True)])


def _mapped(frame: Any, function: Callable[[Batches], Batches], schema: Any) -> Any:
    """The frame of what a function gives for each partition, as lazy as the frame itself."""
    with _whatever_pandas():
        return frame.mapInArrow(function, schema)


@contextmanager
def _whatever_pandas() -> Iterator[None]:
    """Do not say that Spark does not know this version of pandas, which nothing here uses."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


@contextmanager
def _named_cause() -> Iterator[None]:
    """Say what to do where executors run a Python that has no gaussbayes."""
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


# Spark itself.


def import_spark() -> Any:
    """The package pyspark; says what to install if there is none."""
    try:
        import pyspark
    except ImportError:
        msg = "Spark needs pyspark: pip install 'gaussbayes[spark]'"
        raise ImportError(msg) from None
    return pyspark
