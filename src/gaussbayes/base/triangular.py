"""Triangular factors of symmetric matrices: by Cholesky, with pivots, and their inverses.

BLAS and LAPACK share a matrix among threads that wait for each other at every step: on a busy
machine the factor of 500 rows takes a hundred times the processor time that one thread needs. Here
they get blocks so small that they leave them to one thread, or so large that waiting is nothing.
"""

import numpy as np

from gaussbayes.base.types import FloatArray

_BLOCK = 64
"""Rows of a block."""

_ONE_THREAD, _MANY_THREADS = 1 << 18, 1 << 26
"""Products of up to so many multiplications are not shared, and from so many on it is worth it."""

_LARGEST_DIRECT = 32
"""Triangles up to this size are inverted row by row, larger ones by halves."""


def cholesky(matrices: FloatArray) -> int:
    """Put lower factors L, ``A = L Lᵀ``, in the place of symmetric matrices A (m, d, d).

    Returns how many come before the first that is not positive definite: that one and those after
    it are of no use any more.

    Examples
    --------
    >>> matrices = np.array([[[4.0, 2.0], [2.0, 5.0]], [[1.0, 2.0], [2.0, 1.0]]])
    >>> cholesky(matrices), matrices[0].tolist()
    (1, [[2.0, 0.0], [1.0, 2.0]])
    """
    m, d = len(matrices), int(matrices.shape[1])
    if d > _BLOCK and m > 1:
        for c in range(m):
            if not cholesky(matrices[c : c + 1]):
                return c
        return m
    try:
        _factor_by_blocks(matrices)
    except np.linalg.LinAlgError:
        if m < 2:
            return 0
    else:
        return m
    half = m // 2
    good: int = cholesky(matrices[:half])
    return good if good < half else half + cholesky(matrices[half:])


def _factor_by_blocks(matrices: FloatArray) -> None:
    """Columns from left to right: each block less what those before it explain."""
    d = matrices.shape[-1]
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        if start:
            before = matrices[:, start:stop, :start]
            _subtract_product(
                matrices[:, start:, start:stop], matrices[:, start:, :start], before.mT
            )
        corner = np.linalg.cholesky(matrices[:, start:stop, start:stop])
        matrices[:, start:stop, start:stop] = corner
        if stop < d:
            # Read backwards a lower triangle is an upper one, of which `solve` finds that it is
            # its own factor: what remains of it is substitution.
            below = matrices[:, stop:, start:stop].mT[:, ::-1]
            solved = np.linalg.solve(corner[:, ::-1, ::-1], below)[:, ::-1]
            matrices[:, stop:, start:stop] = solved.mT
            matrices[:, start:stop, stop:] = 0.0


def invert_lower(lower: FloatArray) -> None:
    """Put their inverses in the place of lower triangular matrices (…, d, d), by halves.

    ``[[A, 0], [B, C]]⁻¹ = [[A⁻¹, 0], [−C⁻¹ B A⁻¹, C⁻¹]]``: nearly all of the work is in matrix
    products.

    Examples
    --------
    >>> matrix = np.array([[2.0, 0.0], [1.0, 4.0]])
    >>> invert_lower(matrix)
    >>> matrix.tolist()
    [[0.5, 0.0], [-0.125, 0.25]]
    """
    d = lower.shape[-1]
    if d <= _LARGEST_DIRECT:
        lower[..., 0, 0] = 1.0 / lower[..., 0, 0]
        for i in range(1, d):
            row = lower[..., i, None, :i] @ lower[..., :i, :]
            lower[..., i, :i] = (0.0 - row[..., 0, :i]) / lower[..., i, i, None]  # no −0
            lower[..., i, i] = 1.0 / lower[..., i, i]
        return
    half = d // 2
    first, second = lower[..., :half, :half], lower[..., half:, half:]
    invert_lower(first)
    invert_lower(second)
    between = np.zeros((*first.shape[:-2], d - half, half))
    _subtract_product(between, lower[..., half:, :half], first)
    lower[..., half:, :half] = 0.0
    _subtract_product(lower[..., half:, :half], second, -between)


def _subtract_product(target: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Take the product of two matrices from a third, in parts."""
    rows, inner, columns = *left.shape[-2:], right.shape[-1]
    if not _ONE_THREAD < rows * inner * columns < _MANY_THREADS:
        target -= left @ right
    elif inner == max(rows, inner, columns):
        half = inner // 2
        _subtract_product(target, left[..., :half], right[..., :half, :])
        _subtract_product(target, left[..., half:], right[..., half:, :])
    elif rows >= columns:
        half = rows // 2
        _subtract_product(target[..., :half, :], left[..., :half, :], right)
        _subtract_product(target[..., half:, :], left[..., half:, :], right)
    else:
        half = columns // 2
        _subtract_product(target[..., :half], left, right[..., :half])
        _subtract_product(target[..., half:], left, right[..., half:])


def pivoted(matrix: FloatArray, tolerance: float) -> tuple[list[int], FloatArray, FloatArray]:
    """Eliminate from a symmetric matrix (d, d), one by one, the row with the largest diagonal left.

    Returns which rows were eliminated, r of them in this order; the factor U (r, d), with
    ``A = Uᵀ D U`` but for what is left; and the diagonal left (d,). It ends where no diagonal is
    above the tolerance, or with one row to go.

    Examples
    --------
    >>> rows, factor, left = pivoted(np.array([[1.0, 2.0], [2.0, 4.0]]), 1e-12)
    >>> rows, factor.tolist(), left.tolist()
    ([1], [[0.5, 1.0]], [0.0, 0.0])
    """
    d = matrix.shape[0]
    factor, diagonal = np.zeros((d, d)), np.diagonal(matrix).copy()
    rows: list[int] = []
    rest, kept = matrix, np.arange(d)  # the matrix before the present block, and its rows' numbers
    while len(rows) < d - 1:
        waiting = np.full(kept.size, fill_value=True)
        columns, shares = np.empty((2, _BLOCK, kept.size))
        for n in range(min(_BLOCK, kept.size - 1)):
            at = int(np.argmax(np.where(waiting, diagonal[kept], -np.inf)))
            pivot = float(diagonal[kept[at]])
            if pivot <= tolerance:
                return rows, factor[: len(rows)], diagonal
            # Sums in one order: of two rows alike neither comes first by chance.
            columns[n] = rest[at] - (shares[:n, at, None] * columns[:n]).sum(axis=0)
            columns[n, ~waiting], columns[n, at] = 0.0, pivot
            shares[n] = columns[n] / pivot
            diagonal[kept] -= columns[n] * shares[n]
            waiting[at] = False
            factor[len(rows), kept] = shares[n]
            rows.append(int(kept[at]))
        if len(rows) < d - 1:
            rest = rest[np.ix_(waiting, waiting)]
            _subtract_product(rest, columns[:, waiting].T, shares[:, waiting])
            kept = kept[waiting]
    return rows, factor[: len(rows)], diagonal
