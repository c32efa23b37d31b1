"""Stratified samples of rows: of a table in memory, or of a source while it is read."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.finite import check_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import UNLABELLED, LabelledRows, Targets, Which

MOST_SAMPLED = 20_000
"""Rows of a sample: enough to learn transforms from, and to choose by."""

MOST_BYTES = 1 << 27
"""Rows of a source that take no more are all kept, and are no sample."""

_LEAST = 2
"""Rows of every class in a sample, unless there are too many classes."""


def stratified(codes: CodeArray, most: int) -> NDArray[np.intp]:
    """The numbers of about `most` of the rows, in order: of each class the same proportion.

    They are drawn at random, the same at every call. Of a class at least two are drawn.

    Examples
    --------
    >>> codes = np.repeat([0, 1, 2], [80, 18, 2])
    >>> np.bincount(codes[stratified(codes, 10)]).tolist()
    [8, 2, 2]
    """
    n = codes.size
    order = np.lexsort((np.random.default_rng(n).random(n), codes))
    chosen = np.zeros(n, dtype=bool)  # in that order, as everything here
    chosen[((np.arange(most) + 0.5) * (n / most)).astype(np.intp)] = True
    first = np.diff(codes[order], prepend=codes[order[:1]] - 1) != 0
    starts, of_class = np.flatnonzero(first), np.cumsum(first) - 1
    few = np.add.reduceat(chosen, starts, dtype=np.intp) < _LEAST
    more = few[of_class] & (np.arange(n) - starts[of_class] < _LEAST)
    if np.count_nonzero(more) <= most:
        chosen |= more
    return np.sort(order[chosen])


def pick(table: LabelledRows, which: Which) -> LabelledRows:
    """Some rows of a table; the classes stay."""
    return replace(table, rows=table.rows[which], targets=table.targets[which])


def join(a: LabelledRows, b: LabelledRows, names: Schema) -> LabelledRows:
    """The rows of one table, then those of another; `names` are of the category features."""
    classes, *places = unite(a.classes, b.classes)
    pairs = list(zip(places, (a.targets, b.targets), strict=True))
    # The code of a row without label, −1, is the last entry.
    codes = [np.append(place, UNLABELLED)[targets.codes] for place, targets in pairs]
    weights = None
    if a.targets.weights is not None or b.targets.weights is not None:
        weights = np.concatenate([targets.total_weights() for _, targets in pairs])
    n_unlabelled = a.targets.n_unlabelled + b.targets.n_unlabelled
    targets = Targets(np.concatenate(codes).astype(np.int32), classes.size, weights, n_unlabelled)
    return LabelledRows(a.rows.joined(b.rows, names), targets, classes)


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """One of `every` rows of a source; all of them as long as they are not more than `most`."""

    table: LabelledRows
    names: Schema  # of the categories
    most: int = 0  # if that is more than a sample
    every: int = 1  # a power of 2

    def __add__(self, other: "RowSample") -> "RowSample":
        every = max(self.every, other.every)
        a, b = (part.thinned(every // part.every).table for part in (self, other))
        table = join(a, b, self.names)
        return replace(self, table=table, every=every).bounded()

    def thinned(self, step: int) -> "RowSample":
        """One of `step` of these rows."""
        if step == 1:
            return self
        codes = self.table.targets.codes
        which = stratified(codes, max(1, codes.size // step))
        return replace(self, table=pick(self.table, which), every=self.every * step)

    def bounded(self) -> "RowSample":
        """The same, of which so many are left out that the others are not too many."""
        n, step = self.table.rows.n_rows, 1
        if n > max(MOST_SAMPLED, self.most if self.every == 1 else 0):
            while n > MOST_SAMPLED * step:
                step *= 2
        return self.thinned(step)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Takes rows of a block; it can be sent to other processes."""

    names: Schema  # of the categories
    most: int = 0

    def __call__(self, block: LabelledRows, _: int, /) -> RowSample:
        """Rows of the block, in one array."""
        rows = replace(block.rows, numbers=block.rows.matrix)
        check_finite(rows.matrix, allow_nan=True)
        return RowSample(replace(block, rows=rows), self.names, self.most).bounded()


def most_rows(n_features: int) -> int:
    """How many rows of a source are all kept."""
    return MOST_BYTES // (8 * (n_features + 1))
