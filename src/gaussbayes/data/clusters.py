"""Rows on a cluster, Dask or Spark: each block is summed where it is, the sums are merged.

A block is a partition of a frame, or a file. Its number fixes its place in
one tree, in which numbers without rows change nothing: the sum is the same to the bit as on one
machine, for any number of workers, any order of arrival, and with workers lost on the way, whose
blocks are read again. All workers must run the same build on the same kind of processor for that.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gaussbayes.data.file_rows import FileRows
from gaussbayes.data.files import OpenFiles, SourceFile, open_file
from gaussbayes.data.readers.batches import batches_of, stored_types
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import Request, check_distinct

if TYPE_CHECKING:
    import pyarrow as pa


class Cluster(Protocol):
    """Where work is done."""

    def map_reduce(
        self, work: Callable[[Any], Reduced[Any]], blocks: Sequence[tuple[int, Any]]
    ) -> Reduced[Any]:
        """The sum of what numbered blocks add, in the tree of their numbers."""


class Frame(Protocol):
    """A table in numbered partitions."""

    shown: str
    names: list[str]

    @property
    def schema(self) -> "pa.Schema":
        """The types of the columns; no rows are read for that."""

    def sampled_rows(self, names: Sequence[str], most: int) -> tuple[Any, bool]:
        """Rows of all partitions, so many at most, and whether these are all."""

    def map_reduce(
        self,
        work: Callable[[Iterable["pa.RecordBatch"], int], Reduced[Any]],
        names: Sequence[str],
    ) -> Reduced[Any]:
        """The sum of what partitions add, of which the work takes some columns and the number."""


def open_on_cluster(source: Any, request: Request, client: Any, package: str) -> RowSource:
    """The rows of a Dask or Spark DataFrame, or of files that all workers find under their names.

    Each file is cut as on one machine, and read by one of the workers.
    """
    extra = "spark" if package == "pyspark" else "dask"
    try:
        import_module(package)  # before anything is read
    except ImportError:
        msg = f"a {extra.title()} cluster needs {package}: pip install 'gaussbayes[{extra}]'"
        raise ImportError(msg) from None
    module = import_module(f"gaussbayes.data.{extra}")
    if not isinstance(source, OpenFiles):
        return PartitionRows(module.frame_of(source, client), request)
    rows = ClusterFileRows(source, request)
    rows.cluster = module.cluster_of(client)
    return rows


class ClusterFileRows(FileRows):
    """The rows of files that workers read."""

    cluster: Cluster

    def partial(self, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        work = partial(file_sum, reader=self.reader, fold=fold)
        # Workers need not be in this process's folder.
        listed = self.source.listed
        files = [replace(file, name=str(Path(file.name).absolute())) for file in listed]
        return self.cluster.map_reduce(work, list(enumerate(files)))


def file_sum(file: SourceFile, reader: BlockReader, fold: Fold[Any]) -> Reduced[Any]:
    """What a file adds, in one thread."""
    return reader.sum(open_file(file).batches(reader.selection), fold, file.shown)


class PartitionRows(RowSource):
    """The rows of a frame, whose partitions are on the workers."""

    def __init__(self, frame: Frame, request: Request) -> None:
        """Choose the columns, and check that they can be what they are chosen for."""
        check_distinct(frame.shown, frame.names)
        types = stored_types(frame.schema)
        super().__init__(BlockReader.open(types, request, frame.sampled_rows, frame.shown))
        self._frame = frame

    @property
    def shown(self) -> str:
        return self._frame.shown

    def partial(self, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        work = partial(partition_sum, reader=self.reader, fold=fold)
        return self._frame.map_reduce(work, self.reader.selection.columns)


def partition_sum(
    stored: Iterable["pa.RecordBatch"], number: int, reader: BlockReader, fold: Fold[Any]
) -> Reduced[Any]:
    """What a partition adds; it is cut as a file of the same rows would be."""
    shown = f"partition {number}"
    return reader.sum(batches_of(stored, reader.selection, shown), fold, shown)
