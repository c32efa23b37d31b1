"""Rows on a cluster, Dask or Spark: each block is summed on its worker, and the sums are merged.

A block is a partition of a frame, or a file. Its number fixes its place in one tree; numbers
without rows change nothing. The sum equals that of one machine to the bit, for any number of
workers and any order of arrival. The blocks of workers that die are read again. All workers must
run the same build on the same kind of processor.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gaussbayes.data.files import OpenFiles, SourceFile, open_file
from gaussbayes.data.readers.binary import batches_of
from gaussbayes.data.sources import BlockReader, Fold, OpenSource, Reduced

if TYPE_CHECKING:
    import pyarrow as pa


class Cluster(Protocol):
    """A cluster that sums blocks."""

    def map_reduce(
        self, work: Callable[[Any], Reduced[Any]], blocks: Sequence[tuple[int, Any]]
    ) -> Reduced[Any]:
        """The sum of the statistics of numbered blocks, in the tree of their numbers."""


class ClusterFiles(OpenFiles):
    """Files that all workers find under the same names; each is divided as on one machine."""

    cluster: Cluster

    def reduce(self, reader: BlockReader, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        # Workers may have another working directory.
        files = [replace(file, name=str(Path(file.name).absolute())) for file in self.listed]
        work = partial(file_sum, reader=reader, fold=fold)
        return self.cluster.map_reduce(work, list(enumerate(files)))


def open_on_cluster(source: Any, client: Any, package: str) -> OpenSource:
    """A Dask or Spark DataFrame, or files that workers read."""
    extra = "spark" if package == "pyspark" else "dask"
    try:
        import_module(package)  # before anything is read
    except ImportError:
        msg = f"a {extra.title()} cluster needs {package}: pip install 'gaussbayes[{extra}]'"
        raise ImportError(msg) from None
    module = import_module(f"gaussbayes.data.{extra}")
    if not isinstance(source, OpenFiles):
        frame: OpenSource = module.frame_of(source, client)
        return frame
    files = ClusterFiles(source.listed, source.handling)
    files.cluster = module.cluster_of(client)
    return files


def file_sum(file: SourceFile, reader: BlockReader, fold: Fold[Any]) -> Reduced[Any]:
    """The statistics of a file, computed in one thread."""
    return reader.sum(open_file(file).batches(reader.selection), fold, file.shown)


def partition_sum(
    number: int, stored: Iterable["pa.RecordBatch"], reader: BlockReader, fold: Fold[Any]
) -> Reduced[Any]:
    """The statistics of a partition; it is divided like a file of the same rows."""
    shown = f"partition {number}"
    return reader.sum(batches_of(stored, reader.selection, shown), fold, shown)
