"""Where two classes are equally probable, in one dimension.

The log-odds of two Gaussians are a quadratic in x: its roots are the decision boundaries. Unequal
variances give two of them (the wider class wins again far out), or none when one class always wins;
equal variances give one.
"""

import math
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.scores import labels


@dataclass(frozen=True, slots=True)
class Boundary:
    """A point at which the most probable class changes, and the classes on its two sides."""

    position: float
    left: int
    right: int


def decision_boundaries(parameters: Parameters) -> tuple[Boundary, ...]:
    """Every point at which the most probable class changes, from left to right, exactly.

    Between neighbouring roots of the log-odds of all pairs no two classes change places, so that
    one label for each interval tells which roots are boundaries of regions. Where classes other
    than the two best are equal, nothing is decided.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["low", "middle", "high"]), 1)
    >>> model = given(schema, Structure(shared=True), "uniform", [[0], [2], [6]], [[1]])
    >>> decision_boundaries(model)  # 0 and 6 are equal at 3, where 2 beats both
    (Boundary(position=1.0, left=0, right=1), Boundary(position=4.0, left=1, right=2))
    """
    pairs = combinations(range(parameters.prior.shape[0]), 2)
    roots = np.unique(np.concatenate([boundaries(parameters, a, b) for a, b in pairs]))
    if not roots.size:
        return ()
    # Beyond the last root any point will do; one root's distance from the centre is not too near.
    reach = 1.0 + np.abs(roots - parameters.center[0]).max()
    inside = [left + (right - left) / 2 for left, right in pairwise(roots)]
    points = np.array([roots[0] - reach, *inside, roots[-1] + reach])
    codes = labels(parameters, points[:, None]).tolist()
    return tuple(
        Boundary(float(root), left, right)
        for root, (left, right) in zip(roots, pairwise(codes), strict=True)
        if left != right
    )


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
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
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
