"""Labelled rows → what is learnt from them, whether or not features are missing.

Complete rows pay nothing: they are summed as if nothing could be missing, and only a sum that is
not finite makes anybody look. Then the complete rows are summed class by class, and the others
apart for each class and pattern of what is there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import NonFiniteError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.threads import for_each, n_threads
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian.moments import empty
from gaussbayes.families.gaussian.pattern_moments import (
    PatternMoments,
    cell_bytes,
    cell_layout,
    refuse_too_many,
    unite_cells,
)
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.kernels.columns import Columns, as_matrix
from gaussbayes.model.labelled import LabelledMoments

_BLOCK = 1 << 19
"""Entries of the scatters that are summed at a time: four megabytes."""


def learn(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    classes: LabelArray,
    layout: ScatterLayout,
    n_jobs: int | None = None,
) -> LabelledMoments:
    """What some rows say, of which some may lack features (NaN).

    Parameters
    ----------
    X : (n, d), float32 or float64, or columns that lie apart
    targets : (n,) class numbers, or (n, k) memberships
    weights : (n,) or None
    classes : (k,) labels, sorted
    layout : how much of the scatter is kept
    n_jobs : threads; the result is the same, to the bit, for any number of them

    Raises
    ------
    NonFiniteError
        If there is infinity among the rows; names row and column.
    DataError
        If there are so many patterns that their moments take too much memory.

    Examples
    --------
    >>> rows = np.array([[1.0, 4.0], [3.0, np.nan], [5.0, np.nan]])
    >>> found = learn(rows, np.zeros(3, np.int32), None, np.array(["a"]), "full")
    >>> found.moments.weight.tolist(), found.weight.tolist()
    ([1.0], [3.0])
    >>> found.incomplete.observed.tolist(), found.incomplete.moments.mean.tolist()
    ([[True, False]], [[4.0, 0.0]])
    """
    try:
        moments = summarise(X, targets, weights, classes.shape[0], layout, n_jobs)
    except NonFiniteError:
        rows = as_matrix(X)
    else:
        return LabelledMoments(classes, moments)
    learnt = learn_incomplete(rows, targets, weights, classes, layout, n_jobs)
    assert learnt is not None
    return learnt


def learn_incomplete(
    X: RealArray,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    classes: LabelArray,
    layout: ScatterLayout,
    n_jobs: int | None = None,
    most_bytes: int | None = None,
) -> LabelledMoments | None:
    """The same for rows some of which are known to lack features.

    None if the cells would take more than `most_bytes`; without that, too many are an error.
    """
    refuse_not_finite(X, allow_nan=True)
    there = ~np.isnan(X)
    whole = there.all(axis=1)
    lacking = _Lacking.of(X, there, np.flatnonzero(~whole), targets, weights)
    size = cell_bytes(lacking.codes.size, X.shape[1], layout)
    if most_bytes is not None and size > most_bytes:
        return None
    refuse_too_many(lacking.codes.size, lacking.observed, layout)
    own_weights = None if weights is None else weights[whole]
    k = classes.shape[0]
    moments = summarise(X[whole], targets[whole], own_weights, k, layout, n_jobs)
    return LabelledMoments(classes, moments, lacking.summed(layout, n_jobs))


@dataclass(frozen=True, slots=True, eq=False)
class _Lacking:
    """Incomplete rows of positive weight by number, and the cell that each belongs to.

    A row that belongs to several classes in part is there once for each.
    """

    X: RealArray
    rows: NDArray[np.intp]  # (n,) sorted by cell
    weights: FloatArray | None  # (n,) of these rows
    starts: NDArray[np.intp]  # (q + 1,) where each cell begins
    codes: CodeArray  # (q,)
    observed: NDArray[np.bool_]  # (q, d)

    @classmethod
    def of(
        cls,
        X: RealArray,
        there: NDArray[np.bool_],
        rows: NDArray[np.intp],
        targets: CodeArray | FloatArray,
        weights: FloatArray | None,
    ) -> "_Lacking":
        share = None if weights is None else weights[rows]
        if targets.ndim == 2:
            place, codes = np.nonzero(targets[rows])
            part = targets[rows][place, codes].astype(np.float64)
            rows, share = rows[place], part if share is None else part * share[place]
        else:
            codes = targets[rows].astype(np.intp)
        if share is not None:
            counts = share > 0
            rows, codes, share = rows[counts], codes[counts], share[counts]
        owner, observed, number = unite_cells(codes.astype(np.int32), there[rows])
        order = np.argsort(number, kind="stable")
        starts = np.searchsorted(number[order], np.arange(owner.size + 1))
        return cls(X, rows[order], None if share is None else share[order], starts, owner, observed)

    def summed(self, layout: ScatterLayout, n_jobs: int | None) -> PatternMoments | None:
        """The moments of each cell, some cells at a time; None without any."""
        q, d = self.observed.shape
        if not q:
            return None
        own = cell_layout(layout)
        total = empty(q, d, own)
        step = max(1, _BLOCK // (d if own == "diagonal" else d * d))

        def sum_block(first: int) -> None:
            cells = slice(first, min(first + step, q))
            some = slice(self.starts[cells.start], self.starts[cells.stop])
            size = np.diff(self.starts[cells.start : cells.stop + 1])
            values = self.X[self.rows[some]]
            values[np.isnan(values)] = 0.0
            number = np.repeat(np.arange(size.size, dtype=np.int32), size)
            share = None if self.weights is None else self.weights[some]
            part = summarise(values, number, share, size.size, own, n_jobs if q <= step else 1)
            total.weight[cells], total.anchor[cells] = part.weight, part.anchor
            total.offset[cells], total.scatter[cells] = part.offset, part.scatter

        for_each(sum_block, range(0, q, step), n_threads(n_jobs))
        return PatternMoments(self.codes, self.observed, total)
