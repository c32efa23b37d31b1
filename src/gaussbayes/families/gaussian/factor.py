"""Factoring covariances so that units cannot matter, and saying which one cannot be inverted.

Not the covariance is factored but the correlation matrix: ``Σ = D R D`` with ``R = L Lᵀ``, so that
the whitener is ``L⁻¹ D⁻¹``. What makes a matrix singular is a feature of whose variance the others
leave no share unexplained; that share is compared with rounding, never with a size in some unit.
"""

from typing import NoReturn

import numpy as np

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.triangular import cholesky, invert_lower, pivoted
from gaussbayes.base.types import FloatArray

_SIMPLER = "use covariance='diagonal' or 'spherical'"


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
    m, d = variance.shape
    # One array is correlations first, then their factors, then the inverses of these.
    whitener = _correlation(covariance, scale)
    good = cholesky(whitener)
    pivots = np.einsum("mii->mi", whitener).copy()
    invert_lower(whitener[:good])
    # What all the other features leave unexplained of each, 1 / (R⁻¹)ⱼⱼ. Unlike the pivots of L it
    # does not depend on the features' order, and it is within a factor d of the least eigenvalue.
    unexplained = 1.0 / np.einsum("mij,mij->mj", whitener[:good], whitener[:good])
    singular = np.flatnonzero(unexplained.min(axis=1) <= _tolerance(d))
    if singular.size or good < m:
        c = int(singular[0]) if singular.size else good
        del whitener  # naming the features takes room
        own = _correlation(covariance[c : c + 1], scale[c : c + 1])[0]
        _refuse_dependent(own, c, m, schema, weight)
    log_det = 2.0 * (np.log(pivots) - np.log(scale)).sum(axis=1)
    whitener *= scale[:, None, :]
    return whitener, log_det


def _correlation(covariance: FloatArray, scale: FloatArray) -> FloatArray:
    # Rows after one another, however the covariances lie: products round alike then.
    correlation: FloatArray = np.multiply(covariance, scale[:, :, None], order="C")
    correlation *= scale[:, None, :]
    return correlation


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


def _tolerance(d: int) -> float:
    # Sums of squares carry a few roundings, and d of them meet in a pivot.
    return 10.0 * d * float(np.finfo(np.float64).eps)


def _refuse_dependent(
    correlation: FloatArray, c: int, count: int, schema: Schema, weight: FloatArray | None
) -> NoReturn:
    """Raise for a singular correlation matrix, naming the features that depend on others."""
    d = correlation.shape[0]
    owner = _owner(c, count, schema)
    independent, shares, unexplained = pivoted(correlation, _tolerance(d))
    # The matrix is singular: there is one at least, also if its last variance is above rounding.
    dependent = np.setdiff1d(np.arange(d), independent).tolist()
    if unexplained[dependent].min() < -1e-8:
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
    part = shares[:, first].copy()
    for i in reversed(range(part.size)):
        part[i] -= shares[i, independent[i + 1 :]] @ part[i + 1 :]
    others = [column for column, own in zip(independent, part, strict=True) if abs(own) > 1e-6]
    more = dependent[1:]
    also = "" if not more else f" (and {schema.feature_list(more)} likewise)"
    msg = (
        f"{owner} has collinear features: {schema.feature_name(first)} is a linear combination of "
        f"{schema.feature_list(sorted(others))}{also}. "
        f"{_ways_out(count, weight, _SIMPLER, 'drop one of them')}"
    )
    raise SingularCovarianceError(msg)


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
