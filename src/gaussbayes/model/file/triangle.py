"""Symmetric matrices as their lower triangles, row by row: half the size, and symmetric always."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.triangular import cholesky
from gaussbayes.base.types import FloatArray

Position: TypeAlias = Callable[[int, int, int], int]
"""Where in the file's array entry (i, j), j ≤ i, of matrix c stands."""

_ROUNDING = 1e-8
"""Share of the features' scatter by which an eigenvalue may be below zero."""

_UNDERFLOW = 1e-290
"""Sums of squares below this may have lost all their digits, the products beside them not."""

_TOGETHER = 1 << 18
"""Entries of matrices that are looked at in one step: many small matrices, or one large one."""


def size(n_features: int) -> int:
    """How many entries a triangle has.

    Examples
    --------
    >>> size(3)
    6
    """
    return n_features * (n_features + 1) // 2


def pack(matrices: FloatArray, place: str) -> FloatArray:
    """Lower triangles (m, d (d + 1) / 2) of matrices (m, d, d) that are symmetric to the bit.

    Examples
    --------
    >>> pack(np.array([[[1.0, 2.0], [2.0, 5.0]]]), "moments.scatter").tolist()
    [[1.0, 2.0, 5.0]]
    """
    m, d, _ = matrices.shape
    refuse_asymmetric(matrices, place)
    lower: FloatArray = matrices[:, *np.tril_indices(d)].reshape(m, size(d))
    return lower


def refuse_asymmetric(matrices: FloatArray, place: str) -> None:
    """Raise unless matrices (m, d, d) are symmetric to the bit."""
    bits = np.ascontiguousarray(matrices).view(np.int64)
    unlike = np.argwhere(bits != bits.transpose(0, 2, 1))
    if unlike.size:
        c, i, j = unlike[0].tolist()
        msg = (
            f"{place}: matrix {c} is not symmetric: entry ({i}, {j}) is {matrices[c, i, j]}, entry "
            f"({j}, {i}) is {matrices[c, j, i]}; use (S + Sᵀ) / 2"
        )
        raise ModelFileError(msg)


def unpack(triangles: FloatArray, m: int, d: int) -> FloatArray:
    """Matrices (m, d, d) from a flat array of their lower triangles.

    Examples
    --------
    >>> unpack(np.array([1.0, 2.0, 5.0]), 1, 2).tolist()
    [[[1.0, 2.0], [2.0, 5.0]]]
    """
    matrices, rows = np.empty((m, d, d)), triangles.reshape(m, size(d))
    # Row by row: arrays of indices would take twice the room of the matrices.
    for i in range(d):
        row = rows[:, size(i) : size(i + 1)]
        matrices[:, i, : i + 1] = row
        matrices[:, : i + 1, i] = row
    return matrices


def refuse_indefinite(matrices: FloatArray, place: str, position: Position | None = None) -> None:
    """Raise unless symmetric matrices (m, d, d) are positive semi-definite, but for rounding.

    Each feature is measured in units of its largest sum of squares in any of the matrices, so that
    units do not matter; what is left when rows have been removed may be rounding of that size.
    Messages name an entry by its position; None is that in triangles of all features.
    """
    scale = refuse_impossible(matrices, place, position)
    d = matrices.shape[1]
    varied = np.flatnonzero(matrices.any(axis=(1, 2)))  # a single row has no scatter
    step = max(1, _TOGETHER // max(1, d * d))
    for first in range(0, varied.size, step):
        scaled = matrices[varied[first : first + step]]
        scaled *= scale[:, None]
        scaled *= scale
        np.einsum("mii->mi", scaled)[...] += _ROUNDING
        good = cholesky(scaled)
        if good < scaled.shape[0]:
            c = int(varied[first + good])
            msg = f"{place}: matrix {c} is not positive semi-definite, as sums of squares are"
            raise ModelFileError(msg)


def refuse_impossible(
    matrices: FloatArray, place: str, position: Position | None = None
) -> FloatArray:
    """Raise if an entry of symmetric matrices (m, d, d) is larger than its two features allow.

    Returns the units of the features (d,) as `refuse_indefinite` has them: times the units of both
    of its features, an entry is at most 1.

    Examples
    --------
    >>> refuse_impossible(np.array([[[4.0, 1.0], [1.0, 25.0]]]), "moments.scatter").tolist()
    [0.5, 0.2]
    """
    d = matrices.shape[1]
    at = position or (lambda c, i, j: c * size(d) + size(i) + j)
    diagonal = np.einsum("mii->mi", matrices)
    if (diagonal < 0).any():
        c, i = np.argwhere(diagonal < 0)[0].tolist()
        msg = (
            f"{place}[{at(c, i, i)}]: expected a sum of squares, which is not negative, got "
            f"{diagonal[c, i]}"
        )
        raise ModelFileError(msg)
    scale: FloatArray = 1.0 / np.sqrt(diagonal.max(axis=0, initial=_UNDERFLOW))
    # In these units |sᵢⱼ| ≤ √(sᵢᵢ sⱼⱼ) ≤ 1, and 0 if one of the features does not vary.
    bound = np.sqrt(diagonal * scale * scale)
    for i in range(d):
        with np.errstate(over="ignore"):
            row = matrices[:, i, :i] * scale[i]
            row *= scale[:i]
        wrong = np.abs(row) > bound[:, i, None] * bound[:, :i] + _ROUNDING
        if wrong.any():
            c, j = np.argwhere(wrong)[0].tolist()
            msg = (
                f"{place}[{at(c, i, j)}]: expected at most √({matrices[c, i, i]} × "
                f"{matrices[c, j, j]}), the features' own sums of squares, got {matrices[c, i, j]}"
            )
            raise ModelFileError(msg)
    return scale
