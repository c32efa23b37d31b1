"""One large file in parts that are summed apart and merged as if it had been read in one go.

The pieces of a file stand at places 1, 2, … of its tree; place 0 is that of no rows. A part is
``2^m`` places that begin at a multiple of ``2^m``, which is a subtree: how many pieces make a part
changes nothing in the sum, to the bit.
"""

from itertools import islice
from pathlib import Path

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.data.sources.files import Plan
from gaussbayes.data.sources.formats import OpenFile
from gaussbayes.data.sources.piece_sums import PieceSum, piece_sum

PART_BYTES = 1 << 26
"""Nominal size of a part: worth a task's while, and small enough to share a file well."""


def parts_of(plan: Plan, number: int) -> list[range]:
    """The places that make each part of file `number`; one part if it is small or cannot be split.

    Of Parquet and Arrow files it is known where the pieces are. Where a piece of text begins is
    told by the quotation marks in all the text before it, and what is compressed can be read only
    from its start.
    """
    named = plan.files[number]
    size = Path(named.name).stat().st_size
    if named.compression is not None or size <= PART_BYTES:
        return [range(1)]
    n_pieces = OpenFile(named).piece_count(plan.request)
    return [range(1)] if n_pieces is None else cut(1 + n_pieces, size)


def cut(n_places: int, n_bytes: int) -> list[range]:
    """Places in parts of about `PART_BYTES`, each a subtree.

    Examples
    --------
    >>> cut(10, 4 * PART_BYTES)
    [range(0, 4), range(4, 8), range(8, 10)]
    """
    step = 1
    while step < n_places and step * n_bytes < n_places * PART_BYTES:
        step *= 2
    return [range(start, min(start + step, n_places)) for start in range(0, n_places, step)]


def part_moments(places: range, _: int, number: int, plan: Plan) -> PieceSum:
    """Sum the pieces of file `number` that stand at some places of its tree, in one thread."""
    file = OpenFile(plan.files[number])
    nothing = PieceSum(number, file.file.shown)
    tree: MergeTree[PieceSum] = MergeTree()
    n_records = n_done = 0
    if places.start == 0:
        tree.add(0, nothing)
        n_done = 1
    first = places.start + n_done - 1  # the number of the first piece
    for piece in islice(file.pieces(plan.request, 1, first), len(places) - n_done):
        part = piece_sum(piece, nothing, plan.request, plan.chosen, plan.layout, 1)
        if part.stop is not None:
            before = file.rows_before(plan.request, first) + n_records
            raise part.stop.placed(part.name, 1 + before)
        n_records += part.n_records
        tree.add(n_done, part)
        n_done += 1
    return tree.result()
