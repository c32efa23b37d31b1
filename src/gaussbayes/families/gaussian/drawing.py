"""Rows drawn from Gaussian densities: ``mean_c + F_c z`` with z standard normal, ``Σ = F Fᵀ``.

Those of Student-t densities are ``mean_c + F_c z √(ν / χ²)``.
"""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import CodeArray
from gaussbayes.data.rows import Rows, number_rows

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
