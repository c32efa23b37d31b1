"""Factoring covariances so that units cannot matter, and saying which one cannot be inverted.

Not the covariance is factored but the correlation matrix: ``Σ = D R D`` with ``R = L Lᵀ``, so that
the whitener is ``L⁻¹ D⁻¹``. What makes a matrix singular is a feature of whose variance the others
leave no proportion unexplained, which is compared with rounding, never with a size in some unit.

Messages say what is wrong. What to do about it, the family says, which can try.

BLAS and LAPACK share a matrix among threads that wait for each other at every step: on a busy
machine the factor of 500 rows takes a hundred times the processor time that one thread needs. Here
they get blocks so small that they leave them to one thread, or so large that waiting is nothing.
"""

from contextlib import suppress
from typing import NoReturn

import numpy as np

from gaussbayes.base.errors import ParameterError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray

_SYMMETRY_TOLERANCE = 1e-8

_EPS = float(np.finfo(np.float64).eps)

_BLOCK = 64  # rows of a block
# Products of up to so many multiplications are not shared, and from so many on it is worth it.
_ONE_THREAD, _MANY_THREADS = 1 << 18, 1 << 26
_LARGEST_DIRECT = 32  # triangles up to this size are inverted row by row, larger ones by halves


def factor(
    covariance: FloatArray, names: Schema, weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Whiteners W (m, d, d), lower triangular with ``Σ⁻¹ = WᵀW``, and log determinants (m,).

    A covariance that is singular to rounding is an error that names class and dependent features;
    it says how many rows it was estimated from (m,) if that is known.
    """
    variance = covariance.diagonal(axis1=1, axis2=2)
    check_variances(variance, names, weight)
    scale = 1.0 / np.sqrt(variance)
    m, d = variance.shape
    # One array is correlations first, then their factors, then the inverses of these.
    whitener = _correlation(covariance, scale)
    good = cholesky(whitener)
    pivots = whitener.diagonal(axis1=1, axis2=2).copy()
    invert_lower(whitener[:good])
    # What all the other features leave unexplained of each, 1 / (R⁻¹)ⱼⱼ. Unlike the pivots of L it
    # does not depend on the features' order, and it is within a factor d of the least eigenvalue.
    unexplained = 1.0 / np.einsum("mij,mij->mj", whitener[:good], whitener[:good])
    singular = np.flatnonzero(unexplained.min(axis=1) <= _tolerance(d))
    if singular.size or good < m:
        c = int(singular[0]) if singular.size else good
        del whitener  # naming the features takes room
        matrix = _correlation(covariance[c : c + 1], scale[c : c + 1])[0]
        shared = m < names.classes.shape[0]
        rows = np.inf if shared or weight is None else float(weight[c])
        _raise_dependent(matrix, _owner(c, m, names), names, rows)
    log_det = 2.0 * (np.log(pivots) - np.log(scale)).sum(axis=1)
    whitener *= scale[:, None, :]
    return whitener, log_det


def _correlation(covariance: FloatArray, scale: FloatArray) -> FloatArray:
    # Rows after one another, however the covariances lie: products round alike then.
    correlation: FloatArray = np.multiply(covariance, scale[:, :, None], order="C")
    correlation *= scale[:, None, :]
    return correlation


def check_variances(variance: FloatArray, names: Schema, weight: FloatArray | None = None) -> None:
    """Raise for variances (m, d) that are not positive and finite; the others as in `factor`."""
    good = (variance > 0) & (variance < np.inf)
    if good.all():
        return
    c = int(np.flatnonzero(~good.all(axis=1))[0])
    columns = np.flatnonzero(~good[c])
    value = variance[c, columns[0]]
    owner = _owner(c, variance.shape[0], names)
    if not value >= 0 or value == np.inf:
        msg = f"{owner} has variance {value} in {names.feature_name(int(columns[0]))}"
        raise SingularCovarianceError(msg + "; variances must be positive and finite")
    rows = "" if weight is None else f" in {weight[c]:g} row{'' if weight[c] == 1 else 's'}"
    msg = (
        f"{owner} does not vary in {names.feature_list(columns.tolist())}{rows}: "
        "the variance is 0 and its Gaussian has no density"
    )
    raise SingularCovarianceError(msg)


def symmetric(covariance: FloatArray, names: Schema) -> FloatArray:
    """Given covariances (m, d, d) without the rounding that makes them not quite symmetric.

    A `ParameterError` if there is more than that, which names the entries.
    """
    scale = np.sqrt(np.abs(np.einsum("mii->mi", covariance)))
    gap = np.abs(covariance - covariance.transpose(0, 2, 1))
    wrong = ~(gap <= _SYMMETRY_TOLERANCE * scale[:, :, None] * scale[:, None, :])
    if wrong.any():
        c, i, j = (int(place) for place in np.argwhere(wrong)[0])
        owner = f" of class {names.class_name(c)}" if covariance.shape[0] > 1 else ""
        msg = (
            f"the covariance{owner} must be symmetric: entry ({i}, {j}) is "
            f"{covariance[c, i, j]:g}, entry ({j}, {i}) is {covariance[c, j, i]:g}"
        )
        raise ParameterError(msg)
    return np.asarray((covariance + covariance.transpose(0, 2, 1)) / 2)


def _tolerance(d: int) -> float:
    # Sums of squares carry a few roundings, and d of them meet in a pivot.
    return 10.0 * d * _EPS


def _raise_dependent(correlation: FloatArray, owner: str, names: Schema, weight: float) -> NoReturn:
    """Raise for a singular correlation matrix, naming the features that depend on others.

    Features are eliminated one by one, the one with the largest variance left first.
    """
    from scipy.linalg.lapack import dpstrf

    d = correlation.shape[0]
    upper, order, rank, _ = dpstrf(correlation, tol=_tolerance(d))
    rank = min(rank, d - 1)  # one depends on the others, also if what is left is above rounding
    independent, dependent = order[:rank] - 1, order[rank:] - 1
    rest = upper[:rank, rank:]
    first = int(np.argmin(dependent))
    name = names.feature_name(int(dependent[first]))
    if (1.0 - np.square(rest).sum(axis=0)).min() < -1e-8:
        msg = (
            f"{owner} has a covariance that is not positive definite: given the other features, "
            f"{name} would have a negative variance"
        )
        raise SingularCovarianceError(msg)
    if weight <= d:
        msg = (
            f"{owner} has {weight:g} rows for {d} features: a full covariance of its own needs "
            f"at least {d + 1}"
        )
        raise SingularCovarianceError(msg)
    part = np.linalg.solve(np.triu(upper[:rank, :rank]), rest[:, first])
    others = np.sort(independent[np.abs(part) > 1e-6]).tolist()
    more = np.sort(np.delete(dependent, first)).tolist()
    also = f" (and {names.feature_list(more)} likewise)" if more else ""
    msg = (
        f"{owner} has collinear features: {name} is a linear combination of "
        f"{names.feature_list(others)}{also}"
    )
    raise SingularCovarianceError(msg)


def _owner(c: int, count: int, names: Schema) -> str:
    if count < names.classes.shape[0]:
        return "the covariance shared by all classes"
    return f"class {names.class_name(c)}"


def cholesky(matrices: FloatArray) -> int:
    """Put lower factors L, ``A = L Lᵀ``, in the place of symmetric matrices A (m, d, d).

    Returns how many come before the first that is not positive definite: that one and those after
    it are of no use any more.
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
    """Columns from left to right: each block less what those before it explain."""
    d = matrices.shape[-1]
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        if start:
            rest, left = matrices[:, start:, start:stop], matrices[:, start:, :start]
            _subtract_product(rest, left, matrices[:, start:stop, :start].mT)
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
