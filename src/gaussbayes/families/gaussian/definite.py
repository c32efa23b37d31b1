"""Inverses of positive definite matrices."""

import numpy as np

from gaussbayes.base.types import FloatArray

_SMALL = 24  # matrices up to this size are inverted as one stack, larger ones by LAPACK's factors


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
