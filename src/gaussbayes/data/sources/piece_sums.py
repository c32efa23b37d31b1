"""One piece of a file → its moments, in whatever thread reads it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np

from gaussbayes.base.errors import DataError, NonFiniteError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.types import ScatterLayout
from gaussbayes.data.sources.bad_rows import UnfitError, counted
from gaussbayes.data.sources.categories import category_counts, refuse_too_many
from gaussbayes.data.sources.choice import Choice
from gaussbayes.data.sources.columns import as_codes, as_columns, as_weights, n_lacking
from gaussbayes.data.sources.opening import sifted
from gaussbayes.data.sources.read_ahead import read_ahead
from gaussbayes.data.sources.request import Parsed, Piece, Request
from gaussbayes.data.sources.summary import BadRows
from gaussbayes.families.gaussian.learning import learn, learn_incomplete
from gaussbayes.kernels.columns import as_matrix
from gaussbayes.kernels.reference import scatter_shape
from gaussbayes.model.labelled import LabelledMoments

_MOST_BYTES = 1 << 30
"""Moments that are larger come rather from a target that is not one."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceSum:
    """The moments of some rows of one file; bad rows are numbered from the first of them."""

    file: int  # its number
    name: str  # that of the file, for messages
    learnt: LabelledMoments | None = None  # None without rows
    n_rows: int = 0  # those summed
    n_incomplete: int = 0  # those among them of which a feature is missing
    n_records: int = 0  # those read, bad ones too
    bad_rows: BadRows = field(default_factory=BadRows)
    stop: UnfitError | None = (
        None  # the row at which reading must stop; the sums are then incomplete
    )

    def __add__(self, other: "PieceSum") -> "PieceSum":
        return PieceSum(
            self.file,
            self.name,
            merged(self.learnt, other.learnt),
            self.n_rows + other.n_rows,
            self.n_incomplete + other.n_incomplete,
            self.n_records + other.n_records,
            self.bad_rows + other.bad_rows.later(self.n_records),
        )


def merged(a: LabelledMoments | None, b: LabelledMoments | None) -> LabelledMoments | None:
    """The moments of both; None is that of no rows."""
    if a is None or b is None:
        return a or b
    both = a + b
    if both.counts is not None:
        refuse_too_many(both.counts)
    _refuse_size(both.moments.scatter.nbytes, both.classes.size, both.moments.n_features)
    return both


def piece_sum(
    piece: Piece,
    nothing: PieceSum,
    request: Request,
    chosen: Choice,
    layout: ScatterLayout,
    threads: int,
) -> PieceSum:
    """Read and sum a piece, batch after batch.

    Parameters
    ----------
    nothing : the sum of no rows of the same file
    threads : with more than one, the next batch is read while this one is summed
    """
    tree: MergeTree[PieceSum] = MergeTree()
    tree.add(0, nothing)
    number = n_records = 0
    batches: Iterator[Parsed] = read_ahead(piece()) if threads > 1 else piece()
    with closing(batches):  # type: ignore[type-var]
        for batch in batches:  # without enumerate, which holds on to what it gave last
            number += 1
            try:
                part = _batch_sum(batch, nothing, request, chosen, layout, threads)
            except UnfitError as error:
                return replace(nothing, stop=error.later(n_records))
            tree.add(number, part)
            n_records += part.n_records
            del batch  # not to hold these rows while the next are read
    return tree.result()


def _batch_sum(
    batch: Parsed,
    nothing: PieceSum,
    request: Request,
    chosen: Choice,
    layout: ScatterLayout,
    threads: int,
) -> PieceSum:
    # One number is needed if all of them are.
    complete = bool(chosen.numeric) and chosen.numeric[0] in request.present
    usable = _usable(batch, request, finite=False)
    try:
        try:
            learnt, n_incomplete = _rows_sum(usable, chosen, layout, threads)
            strange = complete and n_incomplete > 0
        except NonFiniteError:
            strange = True
        if strange:
            usable = _usable(usable, request, finite=True)
            learnt, n_incomplete = _rows_sum(usable, chosen, layout, threads)
    except DataError as error:
        msg = f"{nothing.name}: {error}"
        raise type(error)(msg) from None
    return replace(
        nothing,
        learnt=learnt,
        n_rows=usable.table.num_rows,
        n_incomplete=n_incomplete,
        n_records=usable.n_records,
        bad_rows=counted(usable.unfit, nothing.name, 1),
    )


def _usable(batch: Parsed, request: Request, *, finite: bool) -> Parsed:
    usable = sifted(batch, request, finite=finite)
    if usable.unfit and request.bad_rows == "error":
        raise UnfitError(usable.unfit[0])
    return usable


def _rows_sum(
    usable: Parsed, chosen: Choice, layout: ScatterLayout, threads: int
) -> tuple[LabelledMoments | None, int]:
    """The moments of a batch, and how many of its rows are incomplete."""
    table = usable.table
    if table.num_rows == 0:
        return None, 0
    codes, classes = as_codes(table, chosen.target)
    k, d = classes.shape[0], len(chosen.numeric)
    _refuse_size(8 * int(np.prod(scatter_shape(layout, k, d))), k, d)
    weights = as_weights(table, chosen.weights)
    X = as_columns(table, chosen.numeric)
    if any(table.column(name).null_count for name in chosen.numeric):  # then no need to try
        learnt = learn_incomplete(as_matrix(X), codes, weights, classes, layout, threads)
    else:
        learnt = learn(X, codes, weights, classes, layout, threads)
    assert learnt is not None
    if chosen.categorical:
        counts = category_counts(table, chosen.categorical, codes, weights, k)
        learnt = replace(learnt, counts=counts)
    return learnt, 0 if learnt.incomplete is None else n_lacking(X)


def _refuse_size(n_bytes: int, n_classes: int, n_features: int) -> None:
    if n_bytes <= _MOST_BYTES:
        return
    what, choose = f"{n_features} features", "choose fewer"
    if n_classes > n_features:
        what = f"a target with {n_classes} different values or more"
        choose = "is it the right column? Choose one of classes"
    msg = (
        f"the moments of {what} take {n_bytes >> 20} MB: {choose}, or a shared or diagonal "
        "covariance"
    )
    raise DataError(msg)
