"""What counts say of the rates: how many events there were, in how many rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.families.independent import ColumnSums, Place, check_values

LARGEST = 2.0**53
"""The largest count: up to here every integer is a float."""

_TABLE = 16
"""Counts below this are looked up."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonStatistics(ColumnSums):
    """Weight of rows without and with a value, number of events, and log-factorials."""

    summed: ClassVar[tuple[str, ...]] = ("missing", "observed", "total", "log_factorial")

    @staticmethod
    def terms(numbers: FloatArray, place: Place) -> FloatArray:
        """Whether each of the counts (n, d) is missing, is there, itself, and log x! (4, n, d)."""
        present, counts = check_counts(numbers, place)
        return np.stack([~present, present, counts, log_factorial(counts)])

    @property
    def observed(self) -> FloatArray:
        """How much the rows with a value weigh (k, d)."""
        return np.asarray(self.sums[1])

    @property
    def total(self) -> FloatArray:
        """The weighted sums of the counts (k, d)."""
        return np.asarray(self.sums[2])


def mean_of_all(statistics: PoissonStatistics) -> FloatArray:
    """The mean count of the rows of all classes (1, d); 0 where no row has a count."""
    total = statistics.total.sum(axis=-2, keepdims=True)
    observed = statistics.observed.sum(axis=-2, keepdims=True)
    mean: FloatArray = np.divide(total, observed, out=np.zeros_like(total), where=observed > 0)
    return mean


def check_counts(numbers: FloatArray, place: Place) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which of the numbers (n, d) are not missing, and the counts, 0 where they are."""
    present = ~np.isnan(numbers)
    counts = np.where(present, numbers, 0.0)
    possible = (counts >= 0) & (counts <= LARGEST) & (np.rint(counts) == counts)
    check_values(numbers, possible, "an integer from 0 to 2⁵³ (family 'poisson')", place)
    return present, counts


def log_factorial(counts: FloatArray) -> FloatArray:
    """``log x!`` of integers."""
    largest = counts.max(initial=0.0)
    if largest < counts.size // 2:  # looked up, if these are fewer than there are to calculate
        return log_factorial(np.arange(largest + 1)).take(counts.astype(np.intp))
    positive = np.maximum(counts, 1.0)
    return np.asarray(positive * np.log(positive) - counts + stirling_error(counts))


def stirling_error(counts: FloatArray) -> FloatArray:
    """``log x! − (x log x − x)`` of integers, right to the last digits however large they are."""
    large = np.maximum(counts, float(_TABLE))
    inverse = 1.0 / large
    square = inverse * inverse
    # Stirling's series; the first term left out is below 1e-15.
    last = 1 / 1260 - square * (1 / 1680 - square / 1188)
    series = inverse * (1 / 12 - square * (1 / 360 - square * last))
    asymptotic = 0.5 * np.log(2 * np.pi * large) + series
    small = np.minimum(counts, _TABLE - 1).astype(np.intp)
    return np.where(counts < _TABLE, _SMALL[small], asymptotic)


_NUMBERS = np.arange(1.0, _TABLE)
_SMALL = np.concatenate(
    [[0.0], np.cumsum(np.log(_NUMBERS)) - (_NUMBERS * np.log(_NUMBERS) - _NUMBERS)]
)
