"""Rows drawn from Gaussian densities: ``mean_c + F_c z`` with z standard normal, ``Σ = F Fᵀ``.

Those of Student-t densities are ``mean_c + F_c z √(ν / χ²)``.
"""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import Rows, number_rows

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


def draw(density: "GaussianDensity", codes: CodeArray, generator: np.random.Generator) -> Rows:
    """One row for each class code (n,), from that class's density."""
    rows = generator.standard_normal((codes.shape[0], density.n_columns))
    if density.degrees is not None:
        degrees = density.degrees[codes]
        rows *= np.sqrt(degrees / generator.chisquare(degrees))[:, None]
    return number_rows(transform(density, codes, rows))


def transform(density: "GaussianDensity", codes: CodeArray, rows: FloatArray) -> FloatArray:
    """Standard normal rows (n, d) as rows of the classes with these codes, in their place.

    Their lengths become the Mahalanobis distances from the means.
    """
    factors = density.covariance.factor()
    if factors.ndim == 2:
        rows *= factors[0] if factors.shape[0] == 1 else factors[codes]
    elif factors.shape[0] == 1:
        rows[:] = rows @ factors[0].T
    else:
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=factors.shape[0]))
        for which, lower in zip(np.split(order, ends[:-1]), factors, strict=True):
            rows[which] = rows[which] @ lower.T
    rows += density.offset[codes]
    rows += density.center
    return rows
