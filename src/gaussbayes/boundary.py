"""Where two classes are equally probable, in one dimension.

The log-odds of two Gaussians are a quadratic in x: its roots are the decision boundaries. Unequal
variances give two of them (the wider class wins again far out), or none when one class always wins;
equal variances give one.
"""

import math

import numpy as np

from gaussbayes.errors import ParameterError
from gaussbayes.parameters import Parameters
from gaussbayes.types import FloatArray


def boundaries(parameters: Parameters, a: int, b: int) -> FloatArray:
    """The points x, sorted, at which ``log p(a | x) = log p(b | x)``, for classes given by number.

    In units of b's standard deviation and measured from a's mean, with ``r = σ_b / σ_a`` and the
    means Δ apart, the log-odds are ``½ (1 − r²) v² − Δ v + (c + ½ Δ²)``, where
    ``c = log (prior_a / prior_b) + log r``. The discriminant is taken as ``r² Δ² − 2 (1 − r²) c``,
    from which the two large squares have been cancelled by hand.

    Raises
    ------
    ParameterError
        If the model has more than one feature, or `a` and `b` are not two of its classes.

    Examples
    --------
    >>> from gaussbayes.parameters import Structure, given
    >>> from gaussbayes.schema import Schema
    >>> schema = Schema(np.array(["narrow", "wide"]), 1)
    >>> model = given(schema, Structure(), "uniform", [[0], [0]], [[[1]], [[4]]])
    >>> boundaries(model, 0, 1).round(4).tolist()  # ± √(8/3 · log 2)
    [-1.3596, 1.3596]
    """
    k, d = parameters.offset.shape
    if d != 1:
        msg = f"boundaries are single points only with 1 feature; this model has {d}"
        raise ParameterError(msg)
    if a == b or not (0 <= a < k and 0 <= b < k):
        msg = f"a and b are two different class numbers from 0 to {k - 1}, got {a} and {b}"
        raise ParameterError(msg)
    whitener = np.broadcast_to(parameters.covariance.whitener.reshape(-1), (k,))
    ratio = float(whitener[a] / whitener[b])
    apart = float((parameters.offset[b, 0] - parameters.offset[a, 0]) * whitener[b])
    if np.isneginf(parameters.log_prior[[a, b]]).any():
        return np.empty(0)  # a class that never occurs is nowhere as probable as another
    constant = float(parameters.log_prior[a] - parameters.log_prior[b]) + math.log(ratio)
    roots = _roots(ratio, apart, constant)
    points: FloatArray = parameters.center[0] + (parameters.offset[a, 0] + roots / whitener[b])
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
