"""Rows of files: pieces read and folded on all cores, summed in fixed trees.

Four levels of trees, each numbered: rows → batch → piece (a block of text, a row group) → file →
source. How a file is cut depends on the file alone, so that the result is the same to the bit for
any number of threads, and for files that were read on different machines.

The pieces of a file stand at places 1, 2, … of its tree; place 0 is that of no rows. A part of a
large file is ``2^m`` places that begin at a multiple of ``2^m``, which is a subtree: how many
pieces make a part changes nothing in the sum, to the bit.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.progress import count_rows
from gaussbayes.base.threads import n_threads
from gaussbayes.data.arrow_columns import is_string
from gaussbayes.data.bad_rows import BadRowError
from gaussbayes.data.encoder import Encoder
from gaussbayes.data.files import OpenFile, Source, open_source
from gaussbayes.data.listing import SourceFile
from gaussbayes.data.prefetch import in_order, read_ahead
from gaussbayes.data.reduction import BlockReader, Fold, Partial, PlacedRows, RowSource
from gaussbayes.data.roles import (
    Request,
    Roles,
    check_category_types,
    check_labels,
    check_numbers,
    choose_roles,
)
from gaussbayes.data.selection import ParsedTable, Piece, select_columns

PART_BYTES = 1 << 26
"""Nominal size of a part: worth a task's while, and small enough to share a file well."""


class FileRows(RowSource):
    """The rows of files."""

    def __init__(self, source: Source, roles: Roles, request: Request, reader: BlockReader) -> None:
        super().__init__(roles, request)
        self.source = source
        self.reader = reader

    @classmethod
    def open(cls, source: Any, request: Request) -> "FileRows":
        """Choose the columns, and check that they can be what they are chosen for.

        Parameters
        ----------
        source : files as `open_source` takes them, or a `Source` that it has opened
        """
        if not isinstance(source, Source):
            source = open_source(source, bad_rows=request.bad_rows)
        inferred, first = source.inferred, source.listed[0].shown
        roles = choose_roles(source.schema.names, request, inferred.categorical)
        if "" in roles.features and request.features is None:
            msg = (
                f"a column of {first} has no name, as row numbers written by pandas have: leave it "
                "out by naming the features, or write with index=False"
            )
            raise DataError(msg)
        strings, integers = list(request.string_features), False
        if isinstance(request.mark, str) and roles.target is not None:
            # A column of integers in which some are marked is read as it is written.
            kind = str(source.schema.field(roles.target).type)
            marked = dict(inferred.examples).get(roles.target) == request.mark
            integers = kind == "int64" or (roles.target in inferred.numbers and marked)
            strings += [roles.target] if integers else []
        selection = select_columns(
            inferred,
            roles.columns,
            roles.numbers,
            source.handling,
            categorical=roles.categorical,
            strings=strings,
        )
        schema = selection.schema
        check_numbers(schema, roles.numbers, first, inferred.examples)
        check_category_types(schema, roles.categorical, first)
        encoded = selection.encoded
        if roles.target is not None:
            check_labels(schema, roles.target, first)
            if is_string(schema.field(roles.target).type):
                encoded += (roles.target,)
        selection = replace(
            selection,
            present=roles.present(request),
            weights=() if roles.weights is None else (roles.weights,),
            counts=roles.counts,
            bits=roles.bits,
            as_stored=True,
            encoded=encoded,
        )
        reader = BlockReader(
            roles,
            roles.encoder,
            selection,
            complete=request.complete,
            mark=request.mark,
            integers=integers,
            spelled=source.is_text,
        )
        return cls(source, roles, request, reader)

    @property
    def is_read_once(self) -> bool:
        """Whether some of the rows come through a pipe, so that they cannot be read again."""
        return self.source.is_read_once

    def blocks(self, encoder: Encoder | None = None) -> Iterator[PlacedRows]:
        """The rows in order, some at a time; bad rows are counted in ``source.bad_rows``."""
        reader = self.reader if encoder is None else replace(self.reader, encoder=encoder)
        for block in self.source.selected_blocks(reader.selection):
            try:
                rows = reader.read(block.table)
            except BadRowError as error:
                raise error.placed(block.file, block.first_row) from None
            yield PlacedRows(rows, f"{block.file}, rows from {block.first_row} on")

    def plan(self, fold: Fold[Any], encoder: Encoder) -> "Plan":
        """What is done with the rows of each file."""
        return Plan(self.source.listed, replace(self.reader, encoder=encoder), fold)

    @property
    def _shown(self) -> str:
        return self.source.shown

    def partial(self, fold: Fold[Any], encoder: Encoder, n_jobs: int | None) -> Partial:
        plan = self.plan(fold, encoder)
        source, threads = self.source, n_threads(n_jobs)
        partials = _file_partials(
            plan, source.opened(), threads, source.n_rows, source.proportion_read
        )
        tree: MergeTree[Partial] = MergeTree()
        for number, part in enumerate(partials):
            tree.add(number, part)
        return tree.result()


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is done with the rows of some files; it can be sent to another machine."""

    files: tuple[SourceFile, ...]
    reader: BlockReader
    fold: Any  # Fold


def file_partial(plan: Plan, number: int, n_jobs: int | None = 1) -> Partial:
    """What file `number` of a plan adds, read on this machine.

    Merged with those of the other files in a `MergeTree`, by number, it gives what all of them do.
    """
    alone = replace(plan, files=(plan.files[number],))
    (total,) = _file_partials(alone, [OpenFile(alone.files[0])], n_threads(n_jobs))
    return total


def _file_partials(
    plan: Plan,
    opened: Iterable[OpenFile],
    threads: int,
    n_rows: int | None = None,
    proportion: Callable[[], float | None] | None = None,
) -> Iterator[Partial]:
    """What each file adds, in order; pieces of all files are read and folded side by side."""
    jobs = _jobs(plan, opened, threads)
    with closing(in_order(jobs, threads)) as partials:  # type: ignore[type-var]
        counted = count_rows(
            partials, "reading", n_rows, lambda part: part[1].n_records, proportion
        )
        for number, parts in groupby(counted, key=lambda part: part[0]):
            tree: MergeTree[Partial] = MergeTree()
            n_records = 0
            for place, (_, part) in enumerate(parts):
                if part.stop is not None:
                    raise part.stop.placed(plan.files[number].shown, 1 + n_records)
                n_records += part.n_records
                tree.add(place, part)
            yield tree.result().of_file


def _jobs(
    plan: Plan, opened: Iterable[OpenFile], threads: int
) -> Iterator[Callable[[], tuple[int, Partial]]]:
    """What folds each piece, file after file."""
    for number, file in enumerate(opened):
        yield partial(_nothing, number)  # so that a file without rows has its place, too
        # Few pieces do not keep all threads busy: then each is read and folded by all of them.
        wide = len(plan.files) == 1 and file.has_few_pieces(threads)
        piece_threads = threads if wide else 1
        for piece in file.pieces(plan.reader.selection, 1 if wide else threads):
            yield partial(_numbered, number, piece, plan, piece_threads)


def _nothing(number: int) -> tuple[int, Partial]:
    return number, Partial()


def _numbered(number: int, piece: Piece, plan: Plan, threads: int) -> tuple[int, Partial]:
    return number, _piece_partial(piece, plan, plan.files[number].shown, threads)


def _piece_partial(piece: Piece, plan: Plan, file: str, threads: int) -> Partial:
    """Read and fold a piece, batch after batch.

    Parameters
    ----------
    threads : with more than one, the next batch is read while this one is folded
    """
    tree: MergeTree[Partial] = MergeTree()
    tree.add(0, Partial())
    number = n_records = 0
    batches: Iterator[ParsedTable] = read_ahead(piece()) if threads > 1 else piece()
    with closing(batches):  # type: ignore[type-var]
        for batch in batches:  # without enumerate, which holds on to what it gave last
            number += 1
            try:
                part = plan.reader.fold(batch, plan.fold, threads, file)
            except BadRowError as error:
                return Partial(stop=error.later(n_records))
            tree.add(number, part)
            n_records += part.n_records
            del batch  # not to hold these rows while the next are read
    return tree.result()


def parts_of(plan: Plan, number: int) -> list[range]:
    """The places that make each part of file `number`; one part if it is small or cannot be split.

    Of Parquet and Arrow files it is known where the pieces are. Where a piece of text begins is
    told by the quotation marks in all the text before it, and what is compressed can be read only
    from its start.
    """
    file = plan.files[number]
    size = Path(file.name).stat().st_size
    if file.compression is not None or size <= PART_BYTES:
        return [range(1)]
    n_pieces = OpenFile(file).piece_count(plan.reader.selection)
    return [range(1)] if n_pieces is None else cut_places(1 + n_pieces, size)


def cut_places(n_places: int, n_bytes: int) -> list[range]:
    """Places in parts of about `PART_BYTES`, each a subtree.

    Examples
    --------
    >>> cut_places(10, 4 * PART_BYTES)
    [range(0, 4), range(4, 8), range(8, 10)]
    """
    step = 1
    while step < n_places and step * n_bytes < n_places * PART_BYTES:
        step *= 2
    return [range(start, min(start + step, n_places)) for start in range(0, n_places, step)]


def part_partial(places: range, _: int, number: int, plan: Plan) -> Partial:
    """What the pieces of file `number` add that stand at some places of its tree, in one thread."""
    file = OpenFile(plan.files[number])
    tree: MergeTree[Partial] = MergeTree()
    n_records = n_done = 0
    if places.start == 0:
        tree.add(0, Partial())
        n_done = 1
    first = places.start + n_done - 1  # the number of the first piece
    selection = plan.reader.selection
    for piece in islice(file.pieces(selection, 1, first), len(places) - n_done):
        part = _piece_partial(piece, plan, file.file.shown, 1)
        if part.stop is not None:
            before = file.rows_before(selection, first) + n_records
            raise part.stop.placed(file.file.shown, 1 + before)
        n_records += part.n_records
        tree.add(n_done, part)
        n_done += 1
    return tree.result()
