"""What is left of weights and sums when rows are removed, and how much of it is rounding."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Targets
from gaussbayes.kernels.reference import left_of

LEAST_LEFT = 1e-3
"""What is left of a sum must be this proportion of it; with less, its rounding would show."""

ROUNDING = 1e-9
"""Proportion of a sum that a removal may leave behind, or lack, as rounding."""


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
    sound: NDArray[np.bool_]  # (n,) whether the row leaves enough of its class behind

    def of_rows(self, which: NDArray[np.intp]) -> "Removal":
        """The same for some of the rows."""
        return Removal(*(getattr(self, name)[which] for name in self.__slots__))


def remove(codes: NDArray[np.intp], weights: FloatArray, class_weight: FloatArray) -> Removal:
    """Remove rows of these classes and weights (n,), one at a time, from classes (k,)."""
    before = class_weight[codes]
    left = before - weights
    sound = left > LEAST_LEFT * before
    # Rows that take all of their class with them are not computed with: any number will do.
    left = np.where(sound, left, before)
    stretch = before / left
    total = class_weight.sum() - weights
    return Removal(codes, weights, left, total, weights * stretch, stretch, sound)


def difference(total: FloatArray, part: FloatArray) -> FloatArray:
    """Sums without a part of each; 0 where the rest is rounding, negative where it is not."""
    left = total - part
    left[np.abs(left) <= ROUNDING * total] = 0.0
    return left


def raise_removal(what: str, gone: float, had: float, owner: str) -> NoReturn:
    """Raise for rows to be removed of which a class has less than that."""
    msg = (
        f"cannot remove {what} {gone:g} from class {owner}, which has {had:g}: "
        "remove only rows that were added"
    )
    raise DataError(msg)


@dataclass(frozen=True, slots=True)
class Precision:
    """How exact sums of the weights of some rows are, so that one row can be removed.

    Sums of integers are exact. Other sums may be off by rounding; as long as that is less than the
    smallest weight, it is known whether anything is left.
    """

    exact: bool
    smallest: float  # what a row adds to a sum, if it adds anything

    @classmethod
    def of(cls, targets: Targets) -> "Precision":
        """The precision of sums over rows with these weights."""
        weights = targets.weights
        if weights is None:
            return cls(exact=True, smallest=1.0)
        whole = bool((np.rint(weights) == weights).all() and weights.sum() < 2.0**53)
        return cls(whole, float(weights.min(where=weights > 0, initial=np.inf)))

    def left(self, total: FloatArray, part: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Sums without a part of each, and whether the rest has its digits."""
        return left_of(total, part, (self.exact, self.smallest))
