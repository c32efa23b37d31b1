"""Rows that reach far into the tails of Gaussian densities, and how rare each of them is.

Of rows simply drawn none would be found as far out as a novel row. So the distances from the mean
are not left to chance. They are those at which the tail of χ² is v, half of the v evenly spread
over 0 … 1 and half of the log v over −690 … 0, and each row weighs as much as rows so far out are
rarer in the density than here. Directions remain random.
"""

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.drawing import transform

LOG_REACH = 690.0
"""Tails down to ``exp(−690)``, about 1e-300, are drawn."""


def draw_widely(
    density: GaussianDensity, codes: CodeArray, generator: np.random.Generator
) -> tuple[Rows, FloatArray]:
    """A row for each class code (n,), and the weight of each: p(row) over how it was drawn.

    The rows of each class are spread evenly over the distances, in random order, so that they are
    independent of what other families draw for the same rows. No weight is above 2.

    Examples
    --------
    >>> from gaussbayes.base.schema import Schema
    >>> from gaussbayes.families.gaussian.shapes import Spherical
    >>> shape = Spherical.of(np.ones(1), Schema(np.arange(1), 1))
    >>> density = GaussianDensity(np.zeros(1), np.zeros((1, 1)), shape)
    >>> codes = np.zeros(100_000, np.int32)
    >>> rows, weight = draw_widely(density, codes, np.random.default_rng(0))
    >>> beyond = np.abs(rows.matrix[:, 0]) > 15
    >>> print(f"{beyond.mean():.2f} {weight[beyond].sum() / codes.size:.0e}")  # 2 Φ(−15)
    0.42 7e-51
    """
    from scipy.special import gammainccinv

    n, d = codes.shape[0], density.n_columns
    tail, weight = np.empty(n), np.empty(n)
    for code in np.unique(codes):
        which = np.flatnonzero(codes == code)
        tail[which], weight[which] = _tails(which.size, generator)
    rows = generator.standard_normal((n, d))
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows *= (np.sqrt(2.0 * gammainccinv(0.5 * d, tail)) / length)[:, None]
    return number_rows(transform(density, codes, rows)), weight


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
