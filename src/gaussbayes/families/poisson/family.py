"""The Poisson family: events and rows → rates."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.independent import ColumnSums, IndependentColumns
from gaussbayes.families.poisson.density import PoissonDensity
from gaussbayes.families.poisson.statistics import PoissonStatistics, mean_of_all

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Poisson(IndependentColumns):
    """Counts 0, 1, 2, … that are independent given the class.

    ``rate = (number of events + α m) / (weight of the rows that have a count + α)`` with smoothing
    α and the mean count m of the rows of all classes. 0 is maximum likelihood, and a rate of 0
    makes every count but 0 impossible; α is the weight of imagined rows in each class that have the
    mean count of all rows: the mode under a gamma prior of shape 1 + α m and inverse scale α.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[3.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Poisson().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Poisson().estimate(statistics, names).density.rate.tolist()
    [[1.5], [0.0]]
    >>> Poisson(smoothing=1).estimate(statistics, names).density.rate.round(4).tolist()
    [[1.3333], [0.5]]
    """

    name: ClassVar[str] = "poisson"
    content: ClassVar[str] = "count"  # what files must hold; see `gaussbayes.data.roles`
    statistics_type: ClassVar[type[ColumnSums]] = PoissonStatistics

    def density(self, sums: PoissonStatistics, together: Any = None) -> PoissonDensity:
        """The rates; of classes that have no values in a column, they must be smoothed."""
        if self.smoothing == 0:
            return PoissonDensity(sums.total / sums.observed)
        overall = mean_of_all(sums if together is None else together)
        rate = (sums.total + self.smoothing * overall) / (sums.observed + self.smoothing)
        return PoissonDensity(rate, overall[..., 0, :])

    def log_penalty(self, density: PoissonDensity) -> float:
        """``α Σ (m log λ − λ)``, the log of the gamma prior up to a constant."""
        if self.smoothing == 0:
            return 0.0
        assert density.overall is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            product = np.where(density.overall > 0, density.overall * np.log(density.rate), 0.0)
        return self.smoothing * float((product - density.rate).sum())

    def coordinates(self, start: PoissonDensity, names: Schema) -> "RootRates":
        """Twice the square roots of the rates."""
        return RootRates(start.rate.shape, start.overall)


@dataclass(frozen=True, slots=True, eq=False)
class RootRates:
    """``2 √λ``: a change by 1 is a standard deviation of one row, whatever the rate.

    Unlike logarithms they converge where a rate tends to 0, and reach it.
    """

    shape: tuple[int, ...]
    overall: FloatArray | None  # (d,)

    def vector(self, density: PoissonDensity) -> FloatArray:
        """The coordinates (k d,)."""
        return np.asarray(2.0 * np.sqrt(density.rate)).ravel()

    def density(self, vector: FloatArray) -> PoissonDensity:
        """The density with these coordinates."""
        return PoissonDensity(np.square(0.5 * vector).reshape(self.shape), self.overall)

    def rounding(self, density: PoissonDensity) -> float:
        """Roots are right to a few units in their last place."""
        return 16 * _EPS * max(1.0, float(np.sqrt(density.rate.max(initial=0.0))))
