"""Rows of files: batches read and folded on all cores, summed in one fixed tree.

How a file is cut depends on the file alone, so that the result is the same to the bit for any
number of threads, and for files that were read on different machines.

A part of a large file is ``2^m`` batches that begin at a multiple of ``2^m``, which is a subtree:
how many batches make a part changes nothing in the sum, to the bit.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.notices import Notice
from gaussbayes.base.progress import count_rows
from gaussbayes.base.threads import in_order, n_threads
from gaussbayes.data.files import FileReader, OpenFiles, SourceFile, open_file
from gaussbayes.data.readers.batches import batch_rows
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import Request
from gaussbayes.data.rows import Encoder

PART_BYTES = 1 << 26
"""Nominal size of a part: worth a task's while, and small enough to share a file well."""


class FileRows(RowSource):
    """The rows of files."""

    def __init__(self, source: OpenFiles, request: Request) -> None:
        """Choose the columns of files, and check what they hold."""
        super().__init__(
            BlockReader.open(
                source.inferred,
                request,
                source.sampled_rows,
                source.listed[0].shown,
                is_text=source.is_text,
            )
        )
        self.source = source
        self.is_read_once, self.n_rows = source.is_read_once, source.n_rows

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.source.notices

    @property
    def shown(self) -> str:
        return self.source.shown

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        """Batches of all files are read and folded side by side."""
        plan, source, threads = self.plan(fold, encoder), self.source, n_threads(n_jobs)
        tree: MergeTree[Reduced[Any]] = MergeTree()
        with closing(in_order(_jobs(plan, source.opened()), threads)) as parts:
            n_rows, proportion = source.n_rows, source.proportion_read
            counted = count_rows(
                parts, "reading", n_rows, lambda part: part[1].n_records, proportion
            )
            for number, of_file in groupby(counted, key=lambda part: part[0]):
                sums = (part for _, part in islice(of_file, 1, None))
                tree.add(number, plan.reader.merged(sums, plan.files[number].shown))
        return tree.result()

    def plan(self, fold: Fold[Any], encoder: Encoder) -> "Plan":
        """What is done with the rows of each file."""
        return Plan(self.source.listed, replace(self.reader, encoder=encoder), fold)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is done with the rows of some files; it can be sent to another machine."""

    files: tuple[SourceFile, ...]
    reader: BlockReader
    fold: Any  # Fold


def _jobs(
    plan: Plan, readers: Iterable[FileReader]
) -> Iterator[Callable[[], tuple[int, Reduced[Any]]]]:
    """What folds each batch, file after file."""
    for number, reader in enumerate(readers):
        yield partial(_numbered, number)  # so that a file without rows is among them, too
        for batch in reader.batches(plan.reader.selection):
            shown = plan.files[number].shown
            yield partial(_numbered, number, partial(plan.reader.reduced, batch, plan.fold, shown))


def _numbered(number: int, work: Callable[[], Reduced[Any]] = Reduced) -> tuple[int, Reduced[Any]]:
    return number, work()


# Parts of files, for workers.


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some batches of a file."""

    file: int
    first: int = 0
    n_batches: int | None = None  # None is all


def numbered_parts(plan: Plan) -> list[tuple[int, FilePart]]:
    """All parts of all files, each with its number in one tree.

    Each file has the same power of two of numbers, of which it may need but a few: it is a subtree,
    and numbers without rows change nothing in the sum.
    """
    parts = [_parts_of(plan, number) for number in range(len(plan.files))]
    step = 1 << (max(map(len, parts)) - 1).bit_length()
    return [
        (number * step + place, part)
        for number, of_file in enumerate(parts)
        for place, part in enumerate(of_file)
    ]


def _parts_of(plan: Plan, number: int) -> list[FilePart]:
    """The parts of file `number`; one part if it is small or cannot be split.

    Of Parquet and Arrow files it is known how many batches there are. Where a batch of text begins
    is told by the quotation marks in all the text before it, and what is compressed can be read
    only from its start.
    """
    file = plan.files[number]
    size = Path(file.name).stat().st_size
    total = None
    if file.compression is None and size > PART_BYTES:
        total = open_file(file).n_batches(plan.reader.selection)
    if total is None:
        return [FilePart(number)]
    step = 1
    while step < total and step * size < total * PART_BYTES:
        step *= 2
    return [FilePart(number, first, step) for first in range(0, max(total, 1), step)]


def part_sum(part: FilePart, plan: Plan) -> Reduced[Any]:
    """What a part of a file adds, in one thread; bad rows have their numbers in the file."""
    file, selection = open_file(plan.files[part.file]), plan.reader.selection
    batches = islice(file.batches(selection, part.first), part.n_batches)
    shown = file.file.shown
    sums = (plan.reader.reduced(batch, plan.fold, shown) for batch in batches)
    n_before = part.first * batch_rows(len(selection.columns))
    return plan.reader.merged(sums, shown, n_before)
