"""Factoring covariances so that units cannot matter, and saying which one cannot be inverted.

Not the covariance is factored but the correlation matrix: ``Σ = D R D`` with ``R = L Lᵀ``, so that
the whitener is ``L⁻¹ D⁻¹``. What makes a matrix singular is a feature of whose variance the others
leave no share unexplained; that share is compared with rounding, never with a size in some unit.
"""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from gaussbayes.errors import SingularCovarianceError
from gaussbayes.schema import Schema
from gaussbayes.types import FloatArray

_SIMPLER = "use covariance='diagonal' or 'spherical'"

_LARGEST_DIRECT = 32
"""Triangles up to this size are inverted row by row, larger ones by halves."""


def factor(
    covariance: FloatArray, schema: Schema, weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Whiteners W (m, d, d), lower triangular with ``Σ⁻¹ = WᵀW``, and log determinants (m,).

    `weight` (m,) is how many rows each was estimated from; None if the user has written them down.

    Raises
    ------
    SingularCovarianceError
        If a covariance is singular to rounding; names the class and the dependent features.

    Examples
    --------
    >>> whitener, log_det = factor(np.array([[[2.0, 1.0], [1.0, 2.0]]]), Schema(np.array([0]), 2))
    >>> np.allclose(whitener[0] @ [[2, 1], [1, 2]] @ whitener[0].T, np.eye(2))
    True
    >>> bool(np.isclose(log_det[0], np.log(3)))
    True
    """
    variance = np.einsum("...ii->...i", covariance)
    check_variances(variance, schema, weight)
    scale = 1.0 / np.sqrt(variance)
    correlation = covariance * scale[:, :, None]
    correlation *= scale[:, None, :]
    lower, failed = _cholesky(correlation)
    inverse = invert_lower(lower)
    # What all the other features leave unexplained of each, 1 / (R⁻¹)ⱼⱼ. Unlike the pivots of L it
    # does not depend on the features' order, and it is within a factor d of the least eigenvalue.
    unexplained = 1.0 / np.einsum("mij,mij->mj", inverse, inverse)
    singular = failed | (unexplained.min(axis=1) <= _tolerance(covariance.shape[1]))
    if singular.any():
        c = int(np.argmax(singular))
        _refuse_dependent(correlation[c], c, covariance.shape[0], schema, weight)
    pivots = np.einsum("...ii->...i", lower)
    log_det = 2.0 * (np.log(pivots) - np.log(scale)).sum(axis=1)
    inverse *= scale[:, None, :]
    return inverse, log_det


def _cholesky(correlation: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Lower factors (m, d, d), and which matrices have none (m,): theirs is the identity."""
    m, d, _ = correlation.shape
    failed: NDArray[np.bool_] = np.zeros(m, dtype=np.bool_)
    try:
        return np.asarray(np.linalg.cholesky(correlation), dtype=np.float64), failed
    except np.linalg.LinAlgError:
        lower: FloatArray = np.tile(np.eye(d), (m, 1, 1))
    for c in range(m):
        try:
            lower[c] = np.linalg.cholesky(correlation[c])
        except np.linalg.LinAlgError:
            failed[c] = True
    return lower, failed


def check_variances(variance: FloatArray, schema: Schema, weight: FloatArray | None = None) -> None:
    """Refuse variances (m, d) that are not positive and finite."""
    good = (variance > 0) & (variance < np.inf)
    if good.all():
        return
    c = int(np.flatnonzero(~good.all(axis=1))[0])
    columns = np.flatnonzero(~good[c])
    value = variance[c, columns[0]]
    owner = _owner(c, variance.shape[0], schema)
    if not value >= 0 or value == np.inf:
        msg = f"{owner} has variance {value} in {schema.feature_name(int(columns[0]))}"
        raise SingularCovarianceError(msg + "; variances must be positive and finite")
    rows = "" if weight is None else f" in {weight[c]:g} row{'' if weight[c] == 1 else 's'}"
    msg = (
        f"{owner} does not vary in {schema.feature_list(columns.tolist())}{rows}: "
        "the variance is 0 and its Gaussian has no density. "
        f"{_ways_out(variance.shape[0], weight, 'leave these features out')}"
    )
    raise SingularCovarianceError(msg)


def invert_lower(lower: FloatArray) -> FloatArray:
    """Inverse of lower triangular matrices (…, d, d), by halves.

    ``[[A, 0], [B, C]]⁻¹ = [[A⁻¹, 0], [−C⁻¹ B A⁻¹, C⁻¹]]``: nearly all of the work is in matrix
    products.

    Examples
    --------
    >>> invert_lower(np.array([[2.0, 0.0], [1.0, 4.0]])).tolist()
    [[0.5, 0.0], [-0.125, 0.25]]
    """
    d = lower.shape[-1]
    inverse = np.zeros_like(lower)
    if d <= _LARGEST_DIRECT:
        for i in range(d):
            inverse[..., i, i] = 1.0
            row = lower[..., i, None, :i] @ inverse[..., :i, :]
            inverse[..., i, :] -= row[..., 0, :]
            inverse[..., i, :] /= lower[..., i, i, None]
        return inverse
    half = d // 2
    first, second = lower[..., :half, :half], lower[..., half:, half:]
    inverse[..., :half, :half] = invert_lower(first)
    inverse[..., half:, half:] = invert_lower(second)
    inverse[..., half:, :half] = -(
        inverse[..., half:, half:] @ (lower[..., half:, :half] @ inverse[..., :half, :half])
    )
    return inverse


def _tolerance(d: int) -> float:
    # Sums of squares carry a few roundings, and d of them meet in a pivot.
    return 10.0 * d * float(np.finfo(np.float64).eps)


def _refuse_dependent(
    correlation: FloatArray, c: int, count: int, schema: Schema, weight: FloatArray | None
) -> NoReturn:
    """Raise for a singular correlation matrix, naming the features that depend on others."""
    d = correlation.shape[0]
    owner = _owner(c, count, schema)
    independent, dependent, rest = _pivoted_rank(correlation)
    if rest < -1e-8:
        msg = (
            f"{owner} has a covariance that is not positive definite: given the other features, "
            f"{schema.feature_name(dependent[0])} would have a negative variance"
        )
        raise SingularCovarianceError(msg)
    if weight is not None and weight[c] <= d and count > 1:
        msg = (
            f"{owner} has {weight[c]:g} rows for {d} features: a full covariance of its own needs "
            f"at least {d + 1}. {_ways_out(count, weight, _SIMPLER)}"
        )
        raise SingularCovarianceError(msg)
    first = dependent[0]
    share = np.linalg.lstsq(
        correlation[np.ix_(independent, independent)], correlation[independent, first], rcond=None
    )[0]
    others = [column for column, part in zip(independent, share, strict=True) if abs(part) > 1e-6]
    more = dependent[1:]
    also = "" if not more else f" (and {schema.feature_list(more)} likewise)"
    msg = (
        f"{owner} has collinear features: {schema.feature_name(first)} is a linear combination of "
        f"{schema.feature_list(sorted(others))}{also}. "
        f"{_ways_out(count, weight, _SIMPLER, 'drop one of them')}"
    )
    raise SingularCovarianceError(msg)


def _pivoted_rank(correlation: FloatArray) -> tuple[list[int], list[int], float]:
    """Features that are independent, those that depend on them, and the least variance left.

    The matrix is known to be singular: the last feature depends on the others in any case.
    """
    rest = correlation.copy()
    d = rest.shape[0]
    left = list(range(d))
    independent: list[int] = []
    while len(left) > 1:
        pivot = max(left, key=lambda column: rest[column, column])
        largest = float(rest[pivot, pivot])
        if largest <= _tolerance(d):
            break
        independent.append(pivot)
        left.remove(pivot)
        rest -= np.multiply.outer(rest[:, pivot], rest[pivot] / largest)
    return independent, left, min(float(rest[column, column]) for column in left)


def _owner(c: int, count: int, schema: Schema) -> str:
    if count < schema.classes.shape[0]:
        return "the covariance shared by all classes"
    return f"class {schema.class_name(c)}"


def _ways_out(count: int, weight: FloatArray | None, *more: str) -> str:
    if weight is None:
        return "A covariance that is given must be positive definite"
    sharing = ["share one covariance among the classes (shared=True)"] if count > 1 else []
    return "Ways out: " + "; ".join(
        ["give shrinkage (a number up to 1, or 'oas')", *sharing, *more]
    )
