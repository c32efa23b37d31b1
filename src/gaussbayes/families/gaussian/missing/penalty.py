"""A penalty that keeps covariances from becoming singular, for models that are shrunk anyway.

``ν/2 (log |Σ| + tr(Σ⁻¹ T))`` is what ν more rows would take from the log-likelihood whose scatter
about the mean is ν T. The most likely covariance is then ``(scatter + ν T) / (weight + ν)``:
shrinkage towards T with intensity ``ν / (weight + ν)``.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.shrinkage import Shrinkage, oas_intensity

_MOST = 0.999
"""The largest intensity; with 1 the rows would not count at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """For each covariance the weight ν of the penalty, and the diagonal of its target T."""

    weight: FloatArray  # (m,)
    target: FloatArray  # (m, d)

    def added(self, log_det: FloatArray, precision: FloatArray) -> float:
        """What it adds to a log-likelihood (never anything positive but for a constant).

        Parameters
        ----------
        log_det : (m,) of the covariances
        precision : (m, d) diagonals of their inverses

        Examples
        --------
        >>> one = Penalty(np.array([2.0]), np.array([[3.0]]))
        >>> one.added(np.array([0.0]), np.array([[1.0]]))
        -3.0
        """
        traces = (self.target * precision).sum(axis=1)
        return -0.5 * float(self.weight @ (log_det + traces))


def no_penalty(m: int, d: int) -> Penalty:
    """None at all, for m covariances.

    Examples
    --------
    >>> no_penalty(1, 2).added(np.ones(1), np.ones((1, 2))) == 0
    True
    """
    return Penalty(np.zeros(m), np.zeros((m, d)))


def penalty_of(
    shrinkage: Shrinkage, variance: FloatArray, weight: FloatArray, unit: FloatArray
) -> Penalty:
    """The penalty that stands for shrinkage: its target is spherical, with the mean variance.

    Parameters
    ----------
    variance : (m, d) of the rows that have each feature
    weight : (m,) of the rows
    unit : (m, d) in which the penalty measures

    Examples
    --------
    >>> one = penalty_of(0.5, np.array([[4.0, 2.0]]), np.array([10.0]), np.ones((1, 2)))
    >>> one.weight.tolist(), one.target.tolist()
    ([10.0], [[3.0, 3.0]])
    """
    m, _ = variance.shape
    if shrinkage is None:
        return no_penalty(*variance.shape)
    oas = shrinkage == "oas"
    intensity = oas_intensity(variance, weight) if oas else np.full(m, float(shrinkage))
    share = np.minimum(intensity, _MOST)
    target = variance.mean(axis=1, keepdims=True) / np.square(unit)
    return Penalty(weight * share / (1.0 - share), target)
