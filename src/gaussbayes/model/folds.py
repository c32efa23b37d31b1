"""Folds of rows, and samples of them, that do not depend on how a table is written.

One rule makes all folds and samples. The rows of a class are sorted by their log density under the
plain fit of the class: independent Gaussians and the frequencies of the categories, relative to the
densest point, so that units do not count. Equal log densities are sorted by the values of the rows,
and equal rows by their weights. The classes follow one another by the number of their rows, then by
their log densities and the values of the first row, never by their labels. The rows go to the folds
in turn, in this order: every fold has rows near the centre of a class and far from it.

The rows of a sample are evenly spaced in the same order. Rows of a source that does not fit into
memory are sampled block by block while they are read.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.finite import check_finite
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import UNLABELLED, LabelledRows, Rows, Targets, Which
from gaussbayes.data.schema import Schema

MOST_SAMPLED = 20_000
"""Rows of a sample: enough to learn transforms from, and to choose by."""

MOST_BYTES = 1 << 27
"""Rows of a source that take no more are all kept, and are no sample."""

_LEAST = 2  # rows of every class in a sample


def fold_numbers(rows: Rows, targets: Targets, folds: int) -> NDArray[np.intp]:
    """The fold of each row (n,), from 0 to ``folds − 1`` or fewer; see the rule above.

    Examples
    --------
    >>> from gaussbayes.data.rows import number_rows
    >>> rows = number_rows(np.array([[4.0], [1.0], [2.0], [9.0], [7.0], [8.0]]))
    >>> targets = Targets(np.array([0, 0, 0, 1, 1, 1], np.int32), 2)
    >>> fold_numbers(rows, targets, 3).tolist()
    [0, 1, 2, 1, 0, 2]
    """
    order = _order(rows, targets)
    number = np.empty(order.size, dtype=np.intp)
    number[order] = np.arange(order.size) % min(folds, max(1, order.size))
    return number


def spread_sample(rows: Rows, targets: Targets, most: int) -> NDArray[np.intp]:
    """The numbers of about `most` of the rows: of each class the same proportion, at least two.

    They are evenly spaced in the order in which rows go to the folds.
    """
    order = _order(rows, targets)
    n, codes = order.size, targets.codes[order]
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[((np.arange(most) + 0.5) * (n / most)).astype(np.intp)] = True
    starts = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    sizes = np.diff(np.append(starts, n))
    few = np.add.reduceat(chosen, starts, dtype=np.intp) < _LEAST
    if _LEAST * np.count_nonzero(few) <= most:
        for start, size in zip(starts[few], sizes[few], strict=True):
            chosen[start : start + min(size, _LEAST)] = True
    return np.sort(order[chosen])


def _order(rows: Rows, targets: Targets) -> NDArray[np.intp]:
    """The numbers of the rows in the order in which they go to the folds."""
    codes, keys = targets.codes, _keys(rows, targets)
    if not codes.size:
        return np.empty(0, dtype=np.intp)
    order = _sorted([*keys, codes])
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order[:1]] - 1))
    classes = np.split(order, starts[1:])

    def rank(members: NDArray[np.intp]) -> tuple[object, ...]:
        first = tuple(key[members[0]].item() for key in keys[::-1])
        return members.size, keys[-1][members].tolist(), first

    return np.concatenate(sorted(classes, key=rank))


def _keys(rows: Rows, targets: Targets) -> list[NDArray[np.generic]]:
    """What rows are sorted by, the last first: log densities, values, weights.

    Log densities are rounded to single precision: rounding, which may depend on the order of the
    rows, is not to decide.
    """
    densities = _log_densities(rows, targets).astype(np.float32)
    return [targets.total_weights(), *rows.codes.T[::-1], *rows.matrix.T[::-1], densities]


def _sorted(keys: list[NDArray[np.generic]]) -> NDArray[np.intp]:
    """``np.lexsort`` of many keys, which are compared only where the last two are equal."""
    order = np.lexsort(keys[-2:])
    last = [key[order] for key in keys[-2:]]
    same = np.ones(order.size - 1, dtype=np.bool_)
    for key in last:
        same &= key[1:] == key[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    among = order[tied]
    order[tied] = among[np.lexsort([key[among] for key in keys])]
    return order


def _log_densities(rows: Rows, targets: Targets) -> FloatArray:
    """``log p(x | c) − max log p(x | c)`` (n,) of the plain fit, of the values that a row has."""
    order = np.argsort(targets.codes, kind="stable")
    codes, weights = targets.codes[order], targets.total_weights()[order, None]
    starts = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    of_class = np.repeat(np.arange(starts.size), np.diff(np.append(starts, codes.size)))
    result, X = np.zeros(codes.size), rows.matrix

    def averaged(values: FloatArray, counts: FloatArray) -> FloatArray:
        """The mean of each class, for each of its rows (n, d)."""
        total = np.add.reduceat(counts, starts, axis=0)
        sums = np.add.reduceat(counts * values, starts, axis=0)
        return np.asarray((sums / np.where(total > 0, total, 1.0))[of_class])

    with np.errstate(all="ignore"):  # what overflows is far from all others
        for block in ranges(X.shape[1], rows_at_once(4 * codes.size)):
            values = X[:, block][order].astype(np.float64)
            counts = weights * ~np.isnan(values)
            values = np.nan_to_num(values, posinf=np.inf, neginf=-np.inf)
            for _ in range(2):  # the second time without rounding of large means
                values = values - averaged(values, counts)
            largest = np.maximum.reduceat(np.abs(values) * (counts > 0), starts, axis=0)
            squares = np.square(values / np.where(largest > 0, largest, 1.0)[of_class])
            variance = averaged(squares, counts)
            scaled = squares / np.where(variance > 0, variance, 1.0)
            result -= 0.5 * np.where(counts > 0, scaled, 0.0).sum(axis=1)
    for column in rows.codes[order].T:
        size = int(column.max(initial=0)) + 1
        counts = np.zeros((starts.size, size))
        present = column >= 0
        np.add.at(counts, (of_class[present], column[present]), weights[present, 0])
        frequency = counts / np.maximum(counts.max(axis=1, keepdims=True), np.finfo(float).tiny)
        chosen = frequency[of_class[present], column[present]]
        result[present] += np.log(np.where(chosen > 0, chosen, 1.0))
    back = np.empty_like(result)
    back[order] = np.nan_to_num(result)
    return back


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
        rows, targets = self.table.rows, self.table.targets
        which = spread_sample(rows, targets, max(1, rows.n_rows // step))
        return replace(self, table=pick(self.table, which), every=self.every * step)

    def bounded(self) -> "RowSample":
        """The same, or a sample if there are too many."""
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
