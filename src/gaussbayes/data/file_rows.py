"""Rows of files: batches read and folded on all cores, summed in one fixed tree.

How a file is cut depends on the file alone, so that the result is the same to the bit for any
number of threads, and for files that were read on different machines.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import groupby, islice
from typing import Any

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.notices import Notice
from gaussbayes.base.progress import track
from gaussbayes.base.threads import in_order, n_threads
from gaussbayes.data.files import OpenFiles
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import Request


class FileRows(RowSource):
    """The rows of files."""

    def __init__(self, source: OpenFiles, request: Request) -> None:
        """Choose the columns of files, and check what they hold."""
        shown = source.listed[0].shown
        super().__init__(BlockReader.open(source.inferred, request, source.sampled_rows, shown))
        self.source = source
        self.is_read_once, self.n_rows = source.is_read_once, source.n_rows

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.source.notices

    @property
    def shown(self) -> str:
        return self.source.shown

    def partial(self, fold: Fold[Any], n_jobs: int | None) -> Reduced[Any]:
        """Batches of all files are read and folded side by side."""
        reader, source = self.reader, self.source
        tree: MergeTree[Reduced[Any]] = MergeTree()
        with closing(in_order(self._jobs(reader, fold), n_threads(n_jobs))) as parts:
            n_rows, proportion = source.n_rows, source.proportion_read
            counted = track(parts, "reading", n_rows, lambda part: part[1].n_records, proportion)
            for number, of_file in groupby(counted, key=lambda part: part[0]):
                sums = (part for _, part in islice(of_file, 1, None))
                tree.add(number, reader.merged(sums, source.listed[number].shown))
        return tree.result()

    def _jobs(
        self, reader: BlockReader, fold: Fold[Any]
    ) -> Iterator[Callable[[], tuple[int, Reduced[Any]]]]:
        """What folds each batch, file after file."""
        for number, file in enumerate(self.source.opened()):
            yield partial(_numbered, number)  # so that a file without rows is among them, too
            for batch in file.batches(reader.selection):
                job = partial(reader.reduced, batch, fold, file.file.shown)
                yield partial(_numbered, number, job)


def _numbered(number: int, work: Callable[[], Reduced[Any]] = Reduced) -> tuple[int, Reduced[Any]]:
    return number, work()
