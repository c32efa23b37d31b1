"""Rows on a Dask cluster.

Each block of rows (a partition, a file, or a part of a large file) is folded where it is, and the
results are merged on the workers in one fixed tree keyed by the number of the block, so that a
single small record comes back. The tree is `MergeTree` itself, fed with tasks instead of results:
the sum is the same to the bit as on one machine, for any number of workers, any order of arrival,
and with workers lost on the way, whose blocks are read again. All workers must run the same build
on the same kind of processor for that.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.threads import ranges
from gaussbayes.data.column_roles import SAMPLE_ROWS, decide_source
from gaussbayes.data.file_rows import SharedFileRows, part_partial, parts_of
from gaussbayes.data.labels import read_targets, read_weights
from gaussbayes.data.readers.batches import batch_rows
from gaussbayes.data.reduction import (
    Fold,
    Reduced,
    RowSource,
    fold_block,
    no_labels,
    reduced_block,
)
from gaussbayes.data.roles import (
    Request,
    Roles,
    choose_roles,
)
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Targets
from gaussbayes.data.tables import sampled_parts
from gaussbayes.data.text_columns import check_no_others

_SMALL = 1 << 16
"""Bytes that are sent with each task."""


def open_on_cluster(source: Any, request: Request, client: Any = None) -> RowSource:
    """The rows of a Dask DataFrame, or of files that all workers find under the same names.

    A large Parquet or Arrow file is shared among the workers, a file of text or a compressed one is
    read by one of them. Without a client Dask chooses: the current one, or threads.
    """
    _dask()  # says what is missing before anything is read
    if hasattr(source, "to_delayed"):
        return PartitionRows.open_frame(source, request, client)
    return ClusterFileRows.open_shared(source, request, client)


class ClusterFileRows(SharedFileRows):
    """The rows of files that workers of a Dask cluster read."""

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        plan = self.plan(fold, encoder)
        shared = _shared(plan, self.client)
        tasks = [
            _tree_task(part_partial, parts_of(plan, number), number, shared)
            for number in range(len(plan.files))
        ]
        return _computed(_in_tree(tasks), self.client)  # type: ignore[no-any-return]


class PartitionRows(RowSource):
    """The rows of a Dask DataFrame, each partition of which is a pandas frame."""

    def __init__(self, frame: Any, roles: Roles, request: Request, client: Any) -> None:
        super().__init__(roles, request)
        self._partitions = frame[list(roles.columns)].to_delayed()
        self._client = client

    @classmethod
    def open_frame(cls, frame: Any, request: Request, client: Any = None) -> "PartitionRows":
        """Choose the columns, and check that they can be what they are chosen for."""
        from pandas.api.types import is_numeric_dtype

        if request.bad_rows != "error":
            msg = "bad_rows is for files: leave rows out with frame.dropna() or a filter"
            raise OptionError(msg)
        dtypes = dict(frame.dtypes)
        typed = [name for name, dtype in dtypes.items() if dtype == "category"]
        decided = None
        if request.detect:
            sample, whole = _sampled_rows(frame, client)
            request, decided = decide_source(sample, request, whole=whole)
        roles = choose_roles(list(frame.columns), request, decided)
        others = ("category", "date")
        numbers = [name for name, kind in roles.kinds.items() if kind not in others]
        wrong = [name for name in numbers if name not in typed]
        wrong = [name for name in wrong if not is_numeric_dtype(dtypes[name])]
        coded = [name for name in wrong if dtypes[name] in ("string", "object")]
        check_no_others([(name, dtypes[name]) for name in wrong], coded, roles.kinds)
        return cls(frame, roles, request, client)

    @property
    def shown(self) -> str:
        return f"the DataFrame of {len(self._partitions)} partitions"

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        shared = _shared((self.roles, self.request, encoder, fold), self._client)
        task = _tree_task(_partition_partial, self._partitions, shared)
        return _computed(task, self._client)  # type: ignore[no-any-return]


def _shared(value: Any, client: Any) -> Any:
    """What every task takes, sent to each worker once if it is large."""
    if client is None:
        return value
    from distributed.protocol import pickle

    dumps: Any = pickle.dumps
    if len(dumps(value)) <= _SMALL:
        return value
    return client.scatter(value, broadcast=True, hash=False)


def _tree_task(work: Any, blocks: Sequence[Any], *arguments: Any) -> Any:
    """The task of ``work(block, number, *arguments)`` of all blocks, merged in their fixed tree."""
    task = _dask().delayed(work, pure=True)
    return _in_tree([task(block, number, *arguments) for number, block in enumerate(blocks)])


def _in_tree(tasks: Sequence[Any]) -> Any:
    """One task for all: `+` of two tasks is a task, so that the tree plans the work."""
    tree: MergeTree[Any] = MergeTree()
    for number, task in enumerate(tasks):
        tree.add(number, task)
    return tree.result()


def _sampled_rows(frame: Any, client: Any) -> tuple[Any, bool]:
    """Rows of all partitions, those that are taken of files, and whether these are all."""
    import pandas as pd
    from dask.delayed import delayed

    partitions = frame.to_delayed()
    sizes = _computed(delayed([delayed(len)(part) for part in partitions]), client)
    places = sampled_parts(sizes, SAMPLE_ROWS)
    rows = [delayed(_taken)(part, some) for part, some in zip(partitions, places, strict=True)]
    return pd.concat(_computed(delayed(rows), client)), sum(sizes) <= SAMPLE_ROWS


def _taken(part: Any, places: Any) -> Any:
    return part.iloc[places]


def _computed(task: Any, client: Any) -> Any:
    return task.compute() if client is None else client.compute(task).result()


def _partition_partial(
    part: Any, number: int, shared: tuple[Roles, Request, Encoder, Fold[Any]]
) -> Reduced[Any]:
    """What partition `number` adds; its threads are the scheduler's, so here is but one.

    It is cut as a file of the same rows would be, so that both give the same bits.
    """
    roles, request, encoder, fold = shared

    def reduced(rows: Any) -> Reduced[Any]:
        block = _labelled(rows, roles, request, encoder)
        return reduced_block(block, fold_block(fold, block, 1))

    tree: MergeTree[Reduced[Any]] = MergeTree()
    tree.add(0, Reduced())
    try:
        try:
            for place, rows in enumerate(ranges(len(part), batch_rows(len(roles.columns)))):
                tree.add(1 + place, reduced(part[rows]))
        except DataError:
            reduced(part)  # its message counts the rows from the first of the partition, from 0
            raise
    except DataError as error:
        msg = f"partition {number}: {error}"
        raise type(error)(msg) from None
    return tree.result()


def _labelled(part: Any, roles: Roles, request: Request, encoder: Encoder) -> LabelledRows:
    """Rows of a partition, a pandas frame."""
    n = len(part)
    rows = encoder.encode(part[list(roles.features)])
    weights = None
    if roles.weights is not None:
        weights = part[roles.weights].to_numpy(dtype=np.float64, na_value=np.nan)
        # A partition whose rows all weigh nothing is no error; all of them would be.
        weights = read_weights(weights, n) if weights.any() else weights
    if roles.target is None:
        return LabelledRows(rows, no_labels(n, weights), np.empty(0))
    targets, classes = _read_labels(part[roles.target], request.label_marks)
    return LabelledRows(rows, replace(targets, weights=weights), classes)


def _read_labels(column: Any, mark: Any) -> tuple[Targets, Any]:
    """The labels of a column; strings are compared once for each different one, not each row."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return read_targets(column.to_numpy(), mark=mark)
    codes, values = column.factorize()  # −1 is a missing one
    distinct, classes = read_targets(values.tolist(), mark=mark)  # strings as files have them
    labels = np.append(distinct.codes, np.int32(UNLABELLED))[codes]
    n_unlabelled = int(np.count_nonzero(labels == UNLABELLED))
    return Targets(labels, classes.shape[0], None, n_unlabelled), classes


def _dask() -> Any:
    try:
        import dask
    except ImportError:
        msg = "a cluster needs Dask: pip install 'gaussbayes[dask]'"
        raise ImportError(msg) from None
    return dask
