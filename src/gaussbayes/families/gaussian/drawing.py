"""Rows drawn from Gaussian densities: ``mean_c + F_c z`` with z standard normal, ``Σ = F Fᵀ``."""

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian.density import GaussianDensity


def draw(density: GaussianDensity, codes: CodeArray, generator: np.random.Generator) -> Rows:
    """One row for each class code (n,), from that class's Gaussian.

    Examples
    --------
    >>> from gaussbayes.base.schema import Schema
    >>> from gaussbayes.families.gaussian.shapes import Diagonal
    >>> variances = Diagonal.of(np.array([[1.0], [4.0]]), Schema(np.arange(2), 1))
    >>> density = GaussianDensity(np.zeros(1), np.array([[0.0], [100.0]]), variances)
    >>> rows = draw(density, np.array([0, 1, 1], np.int32), np.random.default_rng(0))
    >>> (rows.matrix > 50).ravel().tolist()
    [False, True, True]
    """
    standard = generator.standard_normal((codes.shape[0], density.n_columns))
    return number_rows(transform(density, codes, standard))


def transform(density: GaussianDensity, codes: CodeArray, standard: FloatArray) -> FloatArray:
    """Standard normal rows (n, d) as rows of the classes with these codes, in their place.

    Their lengths become the Mahalanobis distances from the means.
    """
    _multiply_by_factors(standard, codes, density.covariance.factor())
    standard += density.offset[codes]
    standard += density.center
    return standard


def _multiply_by_factors(rows: FloatArray, codes: CodeArray, factors: FloatArray) -> None:
    """Multiply each row by the factor of its class, (m, d, d) or the diagonals (m, d), in place."""
    if factors.ndim == 2:
        rows *= factors[0] if factors.shape[0] == 1 else factors[codes]
        return
    if factors.shape[0] == 1:
        rows[:] = rows @ factors[0].T
        return
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=factors.shape[0]))
    for which, lower in zip(np.split(order, ends[:-1]), factors, strict=True):
        rows[which] = rows[which] @ lower.T
