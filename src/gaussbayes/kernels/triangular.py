"""Triangular factors of symmetric matrices, by NumPy.

BLAS and LAPACK share a matrix among threads that wait for each other at every step: on a busy
machine the factor of 500 rows takes a hundred times the processor time of one thread. Here they get
blocks so small that they use one thread, or so large that waiting is negligible.
"""

from contextlib import suppress

import numpy as np

from gaussbayes.base.types import FloatArray

_BLOCK = 64  # rows of a block
# Products with fewer multiplications than the first number use one thread; from the second on,
# several pay off.
_ONE_THREAD, _MANY_THREADS = 1 << 18, 1 << 26
_LARGEST_DIRECT = 32  # triangles up to this size are inverted row by row, larger ones by halves


def correlation_of(covariance: FloatArray, scale: FloatArray) -> FloatArray:
    """Correlations (m, d, d) of covariances, by one over the standard deviations (m, d)."""
    # Contiguous rows for any layout of the covariances, so that products round alike.
    correlation: FloatArray = np.multiply(covariance, scale[:, :, None], order="C")
    correlation *= scale[:, None, :]
    return correlation


def cholesky(matrices: FloatArray) -> int:
    """Replace symmetric matrices A (m, d, d) by lower factors L, ``A = L Lᵀ``.

    Returns the number of matrices before the first that is not positive definite; the others are
    not valid.
    """
    m, d = len(matrices), int(matrices.shape[1])
    if d > _BLOCK and m > 1:
        for c in range(m):
            if not cholesky(matrices[c : c + 1]):
                return c
        return m
    with suppress(np.linalg.LinAlgError):
        _factor_by_blocks(matrices)
        return m
    if m < 2:
        return 0
    half = m // 2
    good: int = cholesky(matrices[:half])
    return good if good < half else half + cholesky(matrices[half:])


def _factor_by_blocks(matrices: FloatArray) -> None:
    """Columns from left to right: each block minus the part explained by those before it."""
    d = matrices.shape[-1]
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        if start:
            rest, left = matrices[:, start:, start:stop], matrices[:, start:, :start]
            _subtract_product(rest, left, matrices[:, start:stop, :start].mT)
        corner = np.linalg.cholesky(matrices[:, start:stop, start:stop])
        matrices[:, start:stop, start:stop] = corner
        if stop < d:
            # In reverse order a lower triangle is an upper one, which `solve` recognises as its
            # factor, so that
            # only substitution remains.
            below = matrices[:, stop:, start:stop].mT[:, ::-1]
            solved = np.linalg.solve(corner[:, ::-1, ::-1], below)[:, ::-1]
            matrices[:, stop:, start:stop] = solved.mT
            matrices[:, start:stop, stop:] = 0.0


def invert_lower(lower: FloatArray) -> None:
    """Invert lower triangular matrices (…, d, d) in place, by halves.

    ``[[A, 0], [B, C]]⁻¹ = [[A⁻¹, 0], [−C⁻¹ B A⁻¹, C⁻¹]]``: nearly all of the work is in matrix
    products.
    """
    d = lower.shape[-1]
    if d <= _LARGEST_DIRECT:
        lower[..., 0, 0] = 1.0 / lower[..., 0, 0]
        for i in range(1, d):
            row = lower[..., i, None, :i] @ lower[..., :i, :]
            lower[..., i, :i] = (0.0 - row[..., 0, :i]) / lower[..., i, i, None]  # avoid −0
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
    """Subtract the product of two matrices from a third, in parts."""
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
