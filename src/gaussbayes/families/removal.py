"""Weights and sums after the removal of rows, and their rounding errors."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Targets
from gaussbayes.kernels.reference import left_of

LEAST_LEFT = 1e-3
"""The remainder must be at least this proportion of a sum; in less, rounding would matter."""

ROUNDING = 1e-9
"""Proportion of a sum that counts as rounding after a removal."""


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """Weights of the classes without a row, for each of some rows.

    For a row x of weight w in a class of weight W, with ``z = x − mean``::

        scatter' = scatter − factor z zᵀ        factor = w W / (W − w)
        x − mean' = stretch z                   stretch = W / (W − w)
    """

    codes: NDArray[np.intp]  # (n,) class of each row
    lost: FloatArray  # (n,) its weight
    weight: FloatArray  # (n,) of its class without the row
    total: FloatArray  # (n,) of all classes without the row
    factor: FloatArray  # (n,)
    stretch: FloatArray  # (n,)
    sound: NDArray[np.bool_]  # (n,) whether enough of the class remains

    def of_rows(self, which: NDArray[np.intp]) -> "Removal":
        """The weights for these rows."""
        return Removal(*(getattr(self, name)[which] for name in self.__slots__))


def remove(codes: NDArray[np.intp], weights: FloatArray, class_weight: FloatArray) -> Removal:
    """Remove rows of these classes and weights (n,), one at a time, from classes (k,)."""
    before = class_weight[codes]
    left = before - weights
    sound = left > LEAST_LEFT * before
    # Rows that are alone in their class are not used: any number will do.
    left = np.where(sound, left, before)
    stretch = before / left
    total = class_weight.sum() - weights
    return Removal(codes, weights, left, total, weights * stretch, stretch, sound)


def difference(total: FloatArray, part: FloatArray) -> FloatArray:
    """Differences of sums; 0 if the difference is rounding, negative if it cannot be."""
    left = total - part
    left[np.abs(left) <= ROUNDING * total] = 0.0
    return left


def raise_removal(what: str, gone: float, had: float, owner: str) -> NoReturn:
    """Raise if a class has less than the weight to be removed."""
    msg = (
        f"cannot remove {what} {gone:g} from class {owner}, which has {had:g}: "
        "remove only rows that were added"
    )
    raise DataError(msg)


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of sums of weights, which decides whether a row can be removed.

    Sums of integers are exact. Other sums may have rounding errors; while these are smaller than
    the smallest weight, a remainder of 0 can be recognised.
    """

    exact: bool
    smallest: float  # the least term of a row that is not 0

    @classmethod
    def of(cls, targets: Targets) -> "Precision":
        """The precision of sums over rows with these weights."""
        weights = targets.weights
        if weights is None:
            return cls(exact=True, smallest=1.0)
        whole = bool((np.rint(weights) == weights).all() and weights.sum() < 2.0**53)
        return cls(whole, float(weights.min(where=weights > 0, initial=np.inf)))

    def left(self, total: FloatArray, part: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Differences of sums, and whether their digits are reliable."""
        return left_of(total, part, (self.exact, self.smallest))
