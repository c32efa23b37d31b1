"""Rows of files: pieces read and folded on all cores, summed in fixed trees.

Four levels of trees, each numbered: rows → batch → piece (a block of text, a row group) → file →
source. How a file is cut depends on the file alone, so that the result is the same to the bit for
any number of threads, and for files that were read on different machines.

The pieces of a file stand at places 1, 2, … of its tree; place 0 is that of no rows. A part of a
large file is ``2^m`` places that begin at a multiple of ``2^m``, which is a subtree: how many
pieces make a part changes nothing in the sum, to the bit.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, Self

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.progress import count_rows
from gaussbayes.base.threads import in_order, n_threads, read_ahead
from gaussbayes.data.column_roles import (
    SAMPLE_ROWS,
    columns_asked_for,
    decide_source,
)
from gaussbayes.data.files import FileReader, OpenFiles, SourceFile, open_file
from gaussbayes.data.reduction import BlockReader, Fold, Reduced, RowSource
from gaussbayes.data.roles import Piece, Request, Roles
from gaussbayes.data.rows import Encoder

PART_BYTES = 1 << 26
"""Nominal size of a part: worth a task's while, and small enough to share a file well."""


class FileRows(RowSource):
    """The rows of files."""

    def __init__(
        self, source: OpenFiles, roles: Roles, request: Request, reader: BlockReader
    ) -> None:
        super().__init__(roles, request)
        self.source = source
        self.reader = reader
        self.is_read_once, self.n_rows = source.is_read_once, source.n_rows
        self.notices = source.notices

    @classmethod
    def open(cls, source: OpenFiles, request: Request) -> Self:
        """Choose the columns of files, and check what they hold."""
        inferred, first = source.inferred, source.listed[0].shown
        decided, names = None, source.schema.names
        if request.detect:
            columns = columns_asked_for(names, request)
            sample, whole = source.sampled_rows(columns, SAMPLE_ROWS)
            how: Any = {"names": names, "typed": inferred.categorical, "parsed": source.is_text}
            request, decided = decide_source(sample, request, **how, whole=whole, shown=first)
        reader = BlockReader.open(inferred, request, decided, first, is_text=source.is_text)
        return cls(source, reader.roles, reader.request, reader)

    def plan(self, fold: Fold[Any], encoder: Encoder) -> "Plan":
        """What is done with the rows of each file."""
        return Plan(self.source.listed, replace(self.reader, encoder=encoder), fold)

    @property
    def shown(self) -> str:
        return self.source.shown

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Reduced[Any]:
        """Pieces of all files are read and folded side by side."""
        plan, source, threads = self.plan(fold, encoder), self.source, n_threads(n_jobs)
        tree: MergeTree[Reduced[Any]] = MergeTree()
        jobs = _jobs(plan, source.opened(), threads)
        with closing(in_order(jobs, threads)) as parts:
            n_rows, proportion = source.n_rows, source.proportion_read
            counted = count_rows(
                parts, "reading", n_rows, lambda part: part[1].n_records, proportion
            )
            for number, of_file in groupby(counted, key=lambda part: part[0]):
                optional, shown = plan.reader.selection.optional, plan.files[number].shown
                total = _merged((part for _, part in of_file), shown, optional)
                tree.add(number, total.of_file())
        return tree.result()


class SharedFileRows(FileRows):
    """The rows of files that workers of a cluster read, which find them under the same names."""

    client: Any = None
    """The cluster, as its library has it."""

    @classmethod
    def open_shared(cls, source: OpenFiles, request: Request, client: Any) -> Self:
        """As `open`, for a cluster."""
        rows = cls.open(source, request)
        rows.client = client
        return rows

    def plan(self, fold: Fold[Any], encoder: Encoder) -> "Plan":
        """Workers need not be in this process's folder."""
        plan = super().plan(fold, encoder)
        files = (replace(file, name=str(Path(file.name).absolute())) for file in plan.files)
        return replace(plan, files=tuple(files))


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is done with the rows of some files; it can be sent to another machine."""

    files: tuple[SourceFile, ...]
    reader: BlockReader
    fold: Any  # Fold

    def reduced(self, piece: Piece, number: int, threads: int = 1) -> Reduced[Any]:
        """What a piece of file `number` adds; with several threads, it is read ahead."""
        tables: Any = read_ahead(piece()) if threads > 1 else piece()
        return self.reader.total(tables, self.fold, threads, self.files[number].shown)


def _merged(
    parts: Iterable[Reduced[Any]], file: str, optional: Sequence[str], n_before: int = 0
) -> Reduced[Any]:
    """The sum of parts of a file, in their tree, after so many rows of it."""
    tree: MergeTree[Reduced[Any]] = MergeTree()
    for place, part in enumerate(parts):
        if part.stop is not None:
            raise part.stop.placed(file, 1 + n_before, optional)
        n_before += part.n_records
        tree.add(place, part)
    return tree.result()


def _jobs(
    plan: Plan, readers: Iterable[FileReader], threads: int
) -> Iterator[Callable[[], tuple[int, Reduced[Any]]]]:
    """What folds each piece, file after file."""
    for number, reader in enumerate(readers):
        yield partial(_numbered, number)  # so that a file without rows has its place, too
        # Few pieces do not keep all threads busy: then each is read and folded by all of them.
        selection = plan.reader.selection
        n_rows = reader.piece_rows(selection) if len(plan.files) == 1 else None
        wide = n_rows is not None and len(n_rows) < threads
        for piece in reader.pieces(selection, 1 if wide else threads):
            work = partial(plan.reduced, piece, number, threads if wide else 1)
            yield partial(_numbered, number, work)


def _numbered(number: int, work: Callable[[], Reduced[Any]] = Reduced) -> tuple[int, Reduced[Any]]:
    return number, work()


# Parts of files, for workers.


def parts_of(plan: Plan, number: int) -> list[range]:
    """The places that make each part of file `number`; one part if it is small or cannot be split.

    Of Parquet and Arrow files it is known where the pieces are. Where a piece of text begins is
    told by the quotation marks in all the text before it, and what is compressed can be read only
    from its start.
    """
    file = plan.files[number]
    size = Path(file.name).stat().st_size
    n_rows = None
    if file.compression is None and size > PART_BYTES:
        n_rows = open_file(file).piece_rows(plan.reader.selection)
    return [range(sys.maxsize)] if n_rows is None else cut_places(1 + len(n_rows), size)


def cut_places(n_places: int, n_bytes: int) -> list[range]:
    """Places in parts of about `PART_BYTES`, each a subtree: 2^m places from a multiple on."""
    step = 1
    while step < n_places and step * n_bytes < n_places * PART_BYTES:
        step *= 2
    return [range(start, min(start + step, n_places)) for start in range(0, n_places, step)]


def numbered_parts(plan: Plan) -> list[tuple[int, int, range]]:
    """All parts: a number in one tree of all files, the number of the file, and the places.

    Each file has the same power of two of numbers, of which it may need but a few: it is a subtree,
    and numbers without rows change nothing in the sum.
    """
    parts = [parts_of(plan, number) for number in range(len(plan.files))]
    step = 1 << (max(map(len, parts)) - 1).bit_length()
    return [
        (number * step + place, number, places)
        for number, of_file in enumerate(parts)
        for place, places in enumerate(of_file)
    ]


def part_partial(places: range, _: int, number: int, plan: Plan) -> Reduced[Any]:
    """What the pieces of file `number` add that stand at some places of its tree, in one thread.

    Bad rows have the numbers that they have in the file.
    """
    reader, selection = open_file(plan.files[number]), plan.reader.selection
    n_empty = int(places.start == 0)
    first = places.start + n_empty - 1  # the number of the first piece
    pieces = islice(reader.pieces(selection, 1, first), len(places) - n_empty)
    parts = (plan.reduced(piece, number) for piece in pieces)
    n_before = sum((reader.piece_rows(selection) or ())[:first])
    placed = (reader.file.shown, selection.optional, n_before)
    total = _merged(chain([Reduced()] * n_empty, parts), *placed)
    return replace(total, bad_rows=total.bad_rows.later(n_before)).of_file()
