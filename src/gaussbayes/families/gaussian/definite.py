"""Inverses of positive definite matrices."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gaussbayes.base.types import FloatArray

_SMALL = 24  # matrices up to this size are inverted as one stack, larger ones by LAPACK's factors
_EPS = float(np.finfo(np.float64).eps)


def invert_definite(matrices: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The inverses of positive definite matrices (s, d, d), which are overwritten, and log |M|.

    Examples
    --------
    >>> inverse, log_det = invert_definite(np.array([[[2.0, 0.0], [0.0, 4.0]]]))
    >>> inverse.tolist(), log_det.round(4).tolist()
    ([[[0.5, 0.0], [0.0, 0.25]]], [2.0794])
    """
    if matrices.shape[-1] <= _SMALL:
        return np.asarray(np.linalg.inv(matrices)), np.linalg.slogdet(matrices)[1]
    from scipy.linalg.lapack import dpotrf, dpotri

    log_det = np.empty(len(matrices))
    for number, matrix in enumerate(matrices):
        lower = dpotrf(matrix.T, lower=1, overwrite_a=1)[0]
        log_det[number] = 2.0 * np.log(np.diagonal(lower)).sum()
        inverse = dpotri(lower, lower=1)[0]  # 0 above the diagonal, as the factor is
        np.add(inverse, inverse.T, out=matrix)
        np.einsum("ii->i", matrix)[...] *= 0.5
    return matrices, log_det


def root_of(scatter: FloatArray) -> FloatArray:
    """L (d, r) with ``L Lᵀ`` a positive semidefinite matrix (d, d) of rank r.

    Examples
    --------
    >>> root_of(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0], [1.0]]
    """
    from scipy.linalg.lapack import dpstrf

    d = len(scatter)
    least = d * _EPS * float(np.diagonal(scatter).max(initial=0.0))
    upper, order, rank, _ = dpstrf(scatter, tol=least)
    root = np.zeros((d, rank))
    root[order - 1] = np.triu(upper)[:rank].T
    return root


@dataclass(frozen=True, slots=True, eq=False)
class Precisions:
    """The inverses of positive definite matrices, and the logarithms of their determinants."""

    matrices: FloatArray  # (s, d, d)
    log_det: FloatArray  # (s,) of what was inverted

    @classmethod
    def of(cls, matrices: FloatArray) -> "Precisions":
        """Those of matrices (s, d, d), which are overwritten."""
        return cls(*invert_definite(matrices))

    def times(self, x: FloatArray) -> FloatArray:
        """The products (s, d, n) with columns (d, n)."""
        return self.matrices @ x


@dataclass(frozen=True, slots=True, eq=False)
class LowRankPrecisions:
    """The inverses of ``D + L Lᵀ``, where D is diagonal and L narrow: ``D⁻¹ − K Kᵀ``.

    With ``C Cᵀ = 1 + Lᵀ D⁻¹ L`` that is Woodbury's formula for ``K = D⁻¹ L C⁻ᵀ``, and the
    determinant is ``|D| |C|²``. It takes r of d columns, and no matrix (d, d).

    Examples
    --------
    >>> inverse = LowRankPrecisions.of(np.array([[1.0, 1.0]]), np.array([[1.0], [1.0]]))
    >>> inverse.times(np.eye(2)).round(4).tolist(), np.exp(inverse.log_det).round(4).tolist()
    ([[[0.6667, -0.3333], [-0.3333, 0.6667]]], [3.0])
    """

    inverse: FloatArray  # (s, d) D⁻¹
    columns: FloatArray  # (s, d, r) K
    log_det: FloatArray  # (s,)

    @classmethod
    def of(cls, diagonal: FloatArray, root: FloatArray) -> "LowRankPrecisions":
        """Those of diagonals (s, d) and a root (d, r)."""
        inverse = 1.0 / diagonal
        scaled = inverse[:, :, None] * root
        inner = root.T @ scaled
        np.einsum("sii->si", inner)[...] += 1.0
        try:
            lower = np.linalg.cholesky(inner)
        except np.linalg.LinAlgError:  # what overflows or vanishes has no inverse: NaN
            lower = np.full_like(inner, np.nan)
        columns = scaled @ np.linalg.inv(lower).mT
        log_det = np.log(diagonal).sum(axis=1)
        log_det += 2.0 * np.log(np.einsum("sii->si", lower)).sum(axis=1)
        return cls(inverse, columns, log_det)

    def times(self, x: FloatArray) -> FloatArray:
        """The products (s, d, n) with columns (d, n)."""
        product = self.inverse[:, :, None] * x
        product -= self.columns @ (self.columns.mT @ x)
        return product


AnyPrecisions: TypeAlias = Precisions | LowRankPrecisions
