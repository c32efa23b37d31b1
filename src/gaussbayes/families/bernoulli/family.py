"""The Bernoulli family: how often 0 and 1 were there → the probability of 1."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.bernoulli.density import BernoulliDensity, BernoulliStatistics
from gaussbayes.families.independent import ColumnSums, IndependentColumns

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Bernoulli(IndependentColumns):
    """Columns of 0 and 1 that are independent given the class.

    ``p(1 | class) = (weight of 1 + α) / (weight of 0 and 1 + 2 α)`` with smoothing α. 0 is maximum
    likelihood; α is the weight of as many imagined rows with each of both, the mode under a beta
    prior with parameters 1 + α.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[1.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Bernoulli().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Bernoulli().estimate(statistics, names).density.probability.round(12).tolist()
    [[0.5], [0.0]]
    >>> Bernoulli(smoothing=1).estimate(statistics, names).density.probability.round(4).tolist()
    [[0.5], [0.3333]]
    """

    name: ClassVar[str] = "bernoulli"
    content: ClassVar[str] = "bit"  # what files must hold; see `gaussbayes.data.roles`
    statistics_type: ClassVar[type[ColumnSums]] = BernoulliStatistics

    def density(self, sums: BernoulliStatistics, together: Any = None) -> BernoulliDensity:
        """The probabilities; of classes that have no values in a column, they must be smoothed."""
        weight = sums.sums[1:] + self.smoothing
        with np.errstate(divide="ignore"):
            return BernoulliDensity(np.log(weight / weight.sum(axis=0)))

    def determined(self, sums: BernoulliStatistics) -> NDArray[np.bool_]:
        """Where there is a density (k, d): where any row has a value, be it an imagined one."""
        return np.asarray(sums.observed + self.smoothing > 0)

    def log_penalty(self, density: BernoulliDensity) -> float:
        """``α Σ (log p + log(1 − p))``, the log of the beta prior up to a constant."""
        return self.smoothing * float(density.log_probability.sum()) if self.smoothing else 0.0

    def coordinates(self, start: BernoulliDensity, names: Schema) -> "Angles":
        """The angles of the probabilities."""
        return Angles((start.n_classes, start.n_columns))


@dataclass(frozen=True, slots=True)
class Angles:
    """``2 arcsin √p``: a change by 1 is a standard deviation of one row, whatever the probability.

    Unlike log-odds they converge where a probability tends to 0 or 1. Every number is an angle.
    """

    shape: tuple[int, int]

    def vector(self, density: BernoulliDensity) -> FloatArray:
        """The coordinates (k d,)."""
        root = np.exp(0.5 * density.log_probability)
        return np.asarray(2.0 * np.arctan2(root[1], root[0])).ravel()

    def density(self, vector: FloatArray) -> BernoulliDensity:
        """The density with these coordinates."""
        angle = 0.5 * vector.reshape(self.shape)
        with np.errstate(divide="ignore"):
            return BernoulliDensity(2.0 * np.log(np.abs([np.cos(angle), np.sin(angle)])))

    def rounding(self, density: BernoulliDensity) -> float:
        """Angles are right to a few units in the last place of π."""
        return 16 * _EPS
