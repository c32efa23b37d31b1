"""What columns of 0 and 1 say of the probability of 1: how often each was there."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.families.independent import ColumnSums, Place, check_values


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliStatistics(ColumnSums):
    """Weight of rows without a value, with 0, and with 1.

    Examples
    --------
    >>> terms = binary_terms(np.array([[1.0], [np.nan]]), Place())
    >>> statistics = BernoulliStatistics(np.ones(2), terms)
    >>> statistics.observed.ravel().tolist(), statistics.missing.ravel().tolist()
    ([1.0, 0.0], [0.0, 1.0])
    """

    summed: ClassVar[tuple[str, ...]] = ("missing", "zeros", "ones")

    @property
    def observed(self) -> FloatArray:
        """How much the rows with a value weigh (k, d)."""
        observed: FloatArray = self.sums[1] + self.sums[2]
        return observed


def binary_terms(numbers: FloatArray, place: Place) -> FloatArray:
    """What is summed of numbers (n, d): whether each is missing, is 0, is 1 (3, n, d).

    Raises
    ------
    DataError
        If a number is neither; names row and column.
    """
    terms = np.stack([np.isnan(numbers), numbers == 0, numbers == 1])
    check_values(numbers, np.asarray(terms.any(axis=0)), "0 or 1 (family 'bernoulli')", place)
    return terms.astype(np.float64)
