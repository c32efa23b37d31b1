"""Where the densities of two Gaussians of one feature stand in a given ratio: a quadratic's roots.

Unequal variances give two roots (the wider class wins again far out), or none when one class always
wins; equal variances give one.
"""

import math

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity


def crossings(density: GaussianDensity, pair: tuple[int, int], constant: float) -> FloatArray:
    """The points x, sorted, at which ``log p(x | a) − log p(x | b) + constant`` is 0.

    In units of b's standard deviation and measured from a's mean, with ``r = σ_b / σ_a`` and the
    means Δ apart, this is ``½ (1 − r²) v² − Δ v + (c + ½ Δ²)``, where ``c = constant + log r``. The
    discriminant is taken as ``r² Δ² − 2 (1 − r²) c``, from which the two large squares have been
    cancelled by hand.

    Raises
    ------
    ParameterError
        If there is more than one feature.

    Examples
    --------
    >>> from gaussbayes.base.schema import Schema
    >>> from gaussbayes.families.gaussian.shapes import Diagonal
    >>> variances = Diagonal.of(np.array([[1.0], [4.0]]), Schema(np.array(["narrow", "wide"]), 1))
    >>> density = GaussianDensity(np.zeros(1), np.zeros((2, 1)), variances)
    >>> crossings(density, (0, 1), 0.0).round(4).tolist()  # ± √(8/3 · log 2)
    [-1.3596, 1.3596]
    """
    k, d = density.offset.shape
    if d != 1:
        msg = f"two classes are equally probable at single points of 1 feature; this model has {d}"
        raise ParameterError(msg)
    a, b = pair
    whitener = np.broadcast_to(density.covariance.whitener.reshape(-1), (k,))
    ratio = float(whitener[a] / whitener[b])
    apart = float((density.offset[b, 0] - density.offset[a, 0]) * whitener[b])
    roots = _roots(ratio, apart, constant + math.log(ratio))
    points: FloatArray = density.center[0] + (density.offset[a, 0] + roots / whitener[b])
    return np.sort(points)


def _roots(ratio: float, apart: float, constant: float) -> FloatArray:
    """The real roots of ``½ (1 − r²) v² − Δ v + (c + ½ Δ²)``."""
    half_square = 0.5 * (1.0 - ratio) * (1.0 + ratio)
    level = constant + 0.5 * apart * apart
    if half_square == 0.0:
        roots = [level / apart] if apart != 0.0 else []
    else:
        discriminant = (ratio * apart) * (ratio * apart) - 4.0 * half_square * constant
        if discriminant < 0.0:
            return np.empty(0)
        # Of −b ± √… only the sum without cancellation is formed; the other root is c over it.
        larger = 0.5 * (apart + math.copysign(math.sqrt(discriminant), apart))
        if larger == 0.0:
            return np.zeros(1)
        roots = [level / larger, larger / half_square]
        if discriminant == 0.0:
            roots.pop()
    # Nearly equal variances put one root beyond every number: only the near one is a boundary.
    return np.array([root for root in roots if math.isfinite(root)])
