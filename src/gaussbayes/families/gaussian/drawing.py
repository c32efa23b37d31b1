"""Rows drawn from Gaussian densities: ``mean_c + F_c z`` with z standard normal, ``Σ = F Fᵀ``.

Those of Student-t densities are ``mean_c + F_c z √(ν / χ²)``.

Of rows simply drawn none would be found as far out as a novel row. Those that reach far into the
tails do not leave their distances from the mean to chance. These are the distances at which the
tail has the probability v, half of the v evenly spread over 0 … 1 and half of the log v over
−690 … 0, and each row weighs as much as rows so far out are rarer in the density than here.
"""

from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian.tails import squares_of_tails

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.density import GaussianDensity

LOG_REACH = 690.0
"""Tails down to ``exp(−690)``, about 1e-300, are drawn."""


def draw(density: "GaussianDensity", codes: CodeArray, generator: np.random.Generator) -> Rows:
    """One row for each class code (n,), from that class's density."""
    rows = generator.standard_normal((codes.shape[0], density.n_columns))
    if density.degrees is not None:
        degrees = density.degrees[codes]
        rows *= np.sqrt(degrees / generator.chisquare(degrees))[:, None]
    return number_rows(transform(density, codes, rows))


def draw_widely(
    density: "GaussianDensity", codes: CodeArray, generator: np.random.Generator
) -> tuple[Rows, FloatArray]:
    """A row for each class code (n,), and the weight of each: p(row) over how it was drawn.

    The rows of each class are spread evenly over the distances, in random order, so that they are
    independent of what other families draw for the same rows. No weight is above 2.
    """
    n, d = codes.shape[0], density.n_columns
    tail, weight = _spread_tails(codes, generator)
    rows = generator.standard_normal((n, d))
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    degrees = None if density.degrees is None else density.degrees[codes]
    rows *= (np.sqrt(squares_of_tails(tail, d, degrees)) / length)[:, None]
    return number_rows(transform(density, codes, rows)), weight


def _spread_tails(
    codes: CodeArray, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """A tail probability for each class code (n,), and 1 over the density that it has there."""
    tail, weight = np.empty(codes.shape[0]), np.empty(codes.shape[0])
    for code in np.unique(codes):
        which = np.flatnonzero(codes == code)
        tail[which], weight[which] = _tails(which.size, generator)
    return tail, weight


def _tails(count: int, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """So many values of v in (0, 1) in random order, and 1 over the density that they have there.

    One is in each of as many intervals, half of them on either scale. Each half tells of all v, so
    that the density of both together counts, whichever a value is from.
    """
    halves = -(-count // 2), count // 2
    even, logarithmic = (
        (np.arange(half) + generator.random(half)) / max(half, 1) for half in halves
    )
    tail = np.concatenate([1.0 - even, np.exp(-LOG_REACH * logarithmic)])
    generator.shuffle(tail)
    proportion = halves[0] / count
    return tail, 1.0 / (proportion + (1.0 - proportion) / (LOG_REACH * tail))


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
