"""The Poisson family: events and rows → rates."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.independent import ColumnSums, IndependentColumns, Place
from gaussbayes.families.poisson.density import PoissonDensity
from gaussbayes.families.poisson.statistics import PoissonStatistics, count_terms

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Poisson(IndependentColumns):
    """Counts 0, 1, 2, … that are independent given the class.

    ``rate = (number of events + α) / weight of the rows that have a count`` with smoothing α. 0 is
    maximum likelihood, and a rate of 0 makes every count but 0 impossible; α is as many imagined
    events in each class and column, the mode under a gamma prior of shape 1 + α and inverse scale
    0: whatever the counts are, no rate is 0, and one from many rows hardly changes.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[3.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Poisson().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Poisson().estimate(statistics, names).density.rate.tolist()
    [[1.5], [0.0]]
    >>> Poisson(smoothing=0.5).estimate(statistics, names).density.rate.tolist()
    [[1.75], [0.5]]
    """

    name: ClassVar[str] = "poisson"
    statistics_type: ClassVar[type[ColumnSums]] = PoissonStatistics

    def terms(self, numbers: FloatArray, place: Place) -> FloatArray:
        """What is summed of counts (n, d); see `count_terms`."""
        return count_terms(numbers, place)

    def density(self, sums: PoissonStatistics) -> PoissonDensity:
        """The rates of classes that have values in every column."""
        return PoissonDensity((sums.total + self.smoothing) / sums.observed)

    def log_penalty(self, density: PoissonDensity) -> float:
        """``α Σ log λ``, the log of the gamma prior."""
        if self.smoothing == 0:
            return 0.0
        with np.errstate(divide="ignore"):
            return self.smoothing * float(np.log(density.rate).sum())

    def coordinates(self, start: PoissonDensity, names: Schema) -> "RootRates":  # noqa: ARG002
        """Twice the square roots of the rates."""
        return RootRates(start.rate.shape)


@dataclass(frozen=True, slots=True)
class RootRates:
    """``2 √λ``: a change by 1 is a standard deviation of one row, whatever the rate.

    Unlike logarithms they converge where a rate tends to 0, and reach it.
    """

    shape: tuple[int, ...]

    def vector(self, density: PoissonDensity) -> FloatArray:
        """The coordinates (k d,)."""
        return np.asarray(2.0 * np.sqrt(density.rate)).ravel()

    def density(self, vector: FloatArray) -> PoissonDensity:
        """The density with these coordinates."""
        return PoissonDensity(np.square(0.5 * vector).reshape(self.shape))

    def rounding(self, density: PoissonDensity) -> float:
        """Roots are right to a few units in their last place."""
        return 16 * _EPS * max(1.0, float(np.sqrt(density.rate.max(initial=0.0))))
