"""What is left of sums when a part is taken away, and how much of it is rounding."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import RemovalError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Targets
from gaussbayes.families.removal import LEAST_LEFT

_ROUNDING = 1e-9
"""Proportion of a sum that a removal may leave behind, or lack, as rounding."""

_NOISE = 1e-12
"""Proportion of a sum of many weights that may be rounding."""


def difference(total: FloatArray, part: FloatArray) -> FloatArray:
    """Sums without a part of each; 0 where the rest is rounding, negative where it is not.

    Examples
    --------
    >>> difference(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 2.0])).tolist()
    [0.0, -1.0]
    """
    left = total - part
    left[np.abs(left) <= _ROUNDING * total] = 0.0
    return left


def raise_removal(what: str, gone: float, had: float, owner: str) -> NoReturn:
    """Raise for rows to be removed of which a class has less than that."""
    msg = (
        f"cannot remove {what} {gone:g} from class {owner}, which has {had:g}: "
        "remove only rows that were added"
    )
    raise RemovalError(msg)


@dataclass(frozen=True, slots=True)
class Precision:
    """How exact sums of the weights of some rows are, so that one row can be taken away.

    Sums of integers are exact. Other sums may be off by rounding; as long as that is less than the
    smallest weight, it is known whether anything is left.

    Examples
    --------
    >>> weights = np.array([0.1, 0.2, 0.3])
    >>> precision = Precision.of(Targets(np.zeros(3, np.int32), 1, weights))
    >>> left, reliable = precision.left(np.array([0.6, 0.3]), np.array([0.2, 0.3]))
    >>> left.round(12).tolist(), reliable.tolist()
    ([0.4, 0.0], [True, True])
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
        left = total - part
        noise = _NOISE * total
        nothing = left <= noise
        reliable = self.exact | (part == 0) | (left > LEAST_LEFT * total)
        if not self.exact:
            reliable |= nothing & (noise < 0.5 * self.smallest)
        return np.where(nothing, 0.0, left), reliable
