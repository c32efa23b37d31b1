"""Rows drawn from Gaussian densities: ``mean_c + F_c z`` with z standard normal, ``Σ = F Fᵀ``.

Those of Student-t densities are ``mean_c + F_c z √(ν / χ²)``.

New members of a class of n rows lie further from the mean, because mean and covariance (a scatter
with ν degrees of freedom, divided by m) are estimates: ``mean_c + F_c z √(m (n + 1)/n / χ²)``, with
χ² of ν − d + 1 degrees of freedom.
"""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import CodeArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.protocol import SampleOfClasses

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity


def draw(density: "GaussianDensity", codes: CodeArray, generator: np.random.Generator) -> Rows:
    """One row for each class code (n,), from that class's density."""
    rows = generator.standard_normal((codes.shape[0], density.n_columns))
    if density.degrees is not None:
        degrees = density.degrees[codes]
        rows *= np.sqrt(degrees / generator.chisquare(degrees))[:, None]
    shape = density.covariance
    if shape.n_covariances == 1:
        rows = shape.coloured(rows)
    else:
        ends = np.cumsum(np.bincount(codes, minlength=density.n_classes))
        order = np.split(np.argsort(codes, kind="stable"), ends[:-1])
        for code, which in enumerate(order):
            rows[which] = shape.coloured(rows[which], code)
    rows += density.offset[codes]
    rows += density.center
    return number_rows(rows)


def draw_members(
    density: "GaussianDensity",
    codes: CodeArray,
    sample: SampleOfClasses,
    generator: np.random.Generator,
) -> Rows:
    """One row for each class code (n,), whose distance from the mean follows Hotelling's T²."""
    n, divisor, degrees = (np.broadcast_to(each, density.n_classes)[codes] for each in sample)
    chi_square = generator.chisquare(degrees - density.n_columns + 1.0)
    factor = np.sqrt(divisor * (n + 1.0) / n / chi_square)
    mean = density.mean[codes]
    rows = draw(density, codes, generator)
    return number_rows(mean + factor[:, None] * (rows.matrix - mean))
