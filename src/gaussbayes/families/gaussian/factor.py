"""Factoring covariances so that units cannot matter, and saying which one cannot be inverted.

Not the covariance is factored but the correlation matrix: ``Σ = D R D`` with ``R = L Lᵀ``, so that
the whitener is ``L⁻¹ D⁻¹``. What makes a matrix singular is a feature of whose variance the others
leave no proportion unexplained, which is compared with rounding, never with a size in some unit.

Messages say what is wrong. What to do about it, the family says, which can try.
"""

from typing import NoReturn

import numpy as np

from gaussbayes.base.errors import ParameterError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.triangular import cholesky, invert_lower, pivoted
from gaussbayes.base.types import FloatArray

_SYMMETRY_TOLERANCE = 1e-8


def factor(
    covariance: FloatArray,
    names: Schema,
    weight: FloatArray | None = None,
    code: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Whiteners W (m, d, d), lower triangular with ``Σ⁻¹ = WᵀW``, and log determinants (m,).

    Parameters
    ----------
    weight : (m,) how many rows each was estimated from; None if that is not known
    code : the class that the only covariance is of, if the names have others besides

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
    check_variances(variance, names, weight, code)
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
        matrix = _correlation(covariance[c : c + 1], scale[c : c + 1])[0]
        _raise_dependent(matrix, c, m, names, weight, code)
    log_det = 2.0 * (np.log(pivots) - np.log(scale)).sum(axis=1)
    whitener *= scale[:, None, :]
    return whitener, log_det


def _correlation(covariance: FloatArray, scale: FloatArray) -> FloatArray:
    # Rows after one another, however the covariances lie: products round alike then.
    correlation: FloatArray = np.multiply(covariance, scale[:, :, None], order="C")
    correlation *= scale[:, None, :]
    return correlation


def check_variances(
    variance: FloatArray,
    names: Schema,
    weight: FloatArray | None = None,
    code: int | None = None,
) -> None:
    """Raise for variances (m, d) that are not positive and finite; the others as in `factor`."""
    good = (variance > 0) & (variance < np.inf)
    if good.all():
        return
    c = int(np.flatnonzero(~good.all(axis=1))[0])
    columns = np.flatnonzero(~good[c])
    value = variance[c, columns[0]]
    owner = _owner(c, variance.shape[0], names, code)
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

    Raises
    ------
    ParameterError
        If they are not symmetric by more than rounding; names the entries.

    Examples
    --------
    >>> symmetric(np.array([[[1.0, 0.5], [0.5 + 1e-12, 1.0]]]), Schema(np.arange(1), 2)).shape
    (1, 2, 2)
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
    halfway: FloatArray = (covariance + covariance.transpose(0, 2, 1)) / 2
    return halfway


def _tolerance(d: int) -> float:
    # Sums of squares carry a few roundings, and d of them meet in a pivot.
    return 10.0 * d * float(np.finfo(np.float64).eps)


def _raise_dependent(
    correlation: FloatArray,
    c: int,
    count: int,
    names: Schema,
    weight: FloatArray | None,
    code: int | None,
) -> NoReturn:
    """Raise for a singular correlation matrix, naming the features that depend on others."""
    d = correlation.shape[0]
    owner = _owner(c, count, names, code)
    independent, proportions, unexplained = pivoted(correlation, _tolerance(d))
    # The matrix is singular: there is one at least, also if its last variance is above rounding.
    dependent = np.setdiff1d(np.arange(d), independent).tolist()
    if unexplained[dependent].min() < -1e-8:
        msg = (
            f"{owner} has a covariance that is not positive definite: given the other features, "
            f"{names.feature_name(dependent[0])} would have a negative variance"
        )
        raise SingularCovarianceError(msg)
    if weight is not None and weight[c] <= d and not _is_shared(count, names, code):
        msg = (
            f"{owner} has {weight[c]:g} rows for {d} features: a full covariance of its own needs "
            f"at least {d + 1}"
        )
        raise SingularCovarianceError(msg)
    first = dependent[0]
    part = proportions[:, first].copy()
    for i in reversed(range(part.size)):
        part[i] -= proportions[i, independent[i + 1 :]] @ part[i + 1 :]
    others = [column for column, value in zip(independent, part, strict=True) if abs(value) > 1e-6]
    more = dependent[1:]
    also = "" if not more else f" (and {names.feature_list(more)} likewise)"
    msg = (
        f"{owner} has collinear features: {names.feature_name(first)} is a linear combination of "
        f"{names.feature_list(sorted(others))}{also}"
    )
    raise SingularCovarianceError(msg)


def _is_shared(count: int, names: Schema, code: int | None) -> bool:
    return code is None and count < names.classes.shape[0]


def _owner(c: int, count: int, names: Schema, code: int | None) -> str:
    if _is_shared(count, names, code):
        return "the covariance shared by all classes"
    return f"class {names.class_name(c if code is None else code)}"
