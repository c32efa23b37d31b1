"""Rows → moments: cut into blocks, summed by the kernels on all cores, merged in a fixed tree."""

from dataclasses import replace

import numpy as np

from gaussbayes import kernels
from gaussbayes.base.finite import refuse_not_finite, refuse_overflow
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.threads import for_each, n_threads, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments, empty
from gaussbayes.kernels.columns import Columns, as_matrix
from gaussbayes.kernels.reference import scatter_shape


def summarise(
    X: RealArray | Columns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
    layout: ScatterLayout = "full",
    n_jobs: int | None = 1,
) -> ClassMoments:
    """The moments of some rows.

    Parameters
    ----------
    X : (n, d), float32 or float64, any strides, or columns that lie apart; read once for labels,
        k times for memberships
    targets : (n,) class numbers, or (n, k) memberships: how much of a row belongs to each class
    weights : (n,) or None
    n_jobs : threads; the result is the same, to the bit, for any number of them

    Examples
    --------
    >>> import numpy as np
    >>> halves = summarise(np.array([[0.0], [4.0]]), np.full((2, 2), 0.5), None, 2)
    >>> halves.weight.tolist(), halves.mean.tolist()
    ([1.0, 1.0], [[2.0], [2.0]])
    """
    if targets.ndim == 2:
        return _summarise_memberships(
            X, np.asarray(targets, dtype=np.float64), weights, layout, n_jobs
        )
    accumulate = kernels.active().accumulate
    codes: CodeArray = np.ascontiguousarray(targets, dtype=np.int32)
    tree: MergeTree[ClassMoments] = MergeTree()

    def summarise_block(numbered: tuple[int, slice]) -> None:
        number, rows = numbered
        own_weights = None if weights is None else np.ascontiguousarray(weights[rows])
        with np.errstate(over="ignore", invalid="ignore"):  # found below, and named
            parts = accumulate(X[rows], codes[rows], own_weights, n_classes, layout)
            tree.add(number, ClassMoments(*parts, layout))

    n, d = X.shape
    if n == 0:
        return empty(n_classes, d, layout)
    if d == 0:  # only categorical features: the kernels have nothing to read
        weight = np.bincount(codes, weights, n_classes).astype(np.float64)
        return replace(empty(n_classes, 0, layout), weight=weight)
    for_each(summarise_block, enumerate(_row_blocks(n, d, n_classes, layout)), n_threads(n_jobs))
    with np.errstate(over="ignore", invalid="ignore"):
        moments = tree.result()
    if not (np.isfinite(moments.offset).all() and np.isfinite(moments.scatter).all()):
        refuse_not_finite(as_matrix(X))
        refuse_overflow(as_matrix(X))
    return moments


def _summarise_memberships(
    X: RealArray | Columns,
    memberships: FloatArray,
    weights: FloatArray | None,
    layout: ScatterLayout,
    n_jobs: int | None,
) -> ClassMoments:
    n, k = memberships.shape
    codes = np.zeros(n, dtype=np.int32)
    total = empty(k, X.shape[1], layout)
    for c in range(k):
        own = memberships[:, c] if weights is None else memberships[:, c] * weights
        total += summarise(X, codes, own, 1, layout, n_jobs).aligned([c], k)
    return total


def _row_blocks(n: int, d: int, k: int, layout: ScatterLayout) -> list[slice]:
    """How rows are cut for the threads: by shapes alone, never by the number of threads.

    A block must be worth a thread's while (four megabytes of rows) and outweigh the merging of its
    moments (a dozen times their size, up to 32 megabytes). Large moments make few blocks, because
    each block holds its own until they are merged.
    """
    state = 8 * int(np.prod(scatter_shape(layout, k, d)))
    most = 64 if state <= 1 << 17 else 16 if state <= 1 << 20 else 8 if state <= 1 << 22 else 2
    worthwhile = max(1 << 22, min(12 * state, 1 << 25))
    blocks = max(1, min(most, 8 * n * d // worthwhile))
    return ranges(n, -(-n // blocks))
