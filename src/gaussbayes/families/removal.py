"""What becomes of the weights when one row at a time is taken away."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import Divisor, FloatArray

LEAST_LEFT = 1e-3
"""What is left of a sum must be this share of it; with less left, its rounding would show."""


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """Weights of the classes without a row, for each of some rows.

    For a row x of weight w in a class of weight W, with ``z = x − mean``::

        scatter' = scatter − factor z zᵀ        factor = w W / (W − w)
        x − mean' = stretch z                   stretch = W / (W − w)

    Examples
    --------
    >>> left = remove(np.array([0, 1]), np.ones(2), np.array([2.0, 4.0]))
    >>> left.weight.tolist(), left.factor.tolist(), left.stretch.tolist()
    ([1.0, 3.0], [2.0, 1.3333333333333333], [2.0, 1.3333333333333333])
    """

    codes: NDArray[np.intp]  # (n,) class of each row
    lost: FloatArray  # (n,) its weight
    weight: FloatArray  # (n,) of its class without the row
    total: FloatArray  # (n,) of all classes without the row
    factor: FloatArray  # (n,)
    stretch: FloatArray  # (n,)
    sound: NDArray[np.bool_]  # (n,) whether the row leaves enough of its class behind

    def of_class(self, code: int) -> tuple[NDArray[np.intp], "Removal"]:
        """Which of the rows are of a class, and what becomes of its weight without each."""
        which = np.flatnonzero(self.codes == code)
        return which, Removal(
            self.codes[which],
            self.lost[which],
            self.weight[which],
            self.total[which],
            self.factor[which],
            self.stretch[which],
            self.sound[which],
        )


def remove(codes: NDArray[np.intp], weights: FloatArray, class_weight: FloatArray) -> Removal:
    """Take away rows of these classes and weights (n,), one at a time, from classes (k,)."""
    before = class_weight[codes]
    left = before - weights
    sound = left > LEAST_LEFT * before
    # Rows that take all of their class with them are not computed with: any number will do.
    left = np.where(sound, left, before)
    stretch = before / left
    total = class_weight.sum() - weights
    return Removal(codes, weights, left, total, weights * stretch, stretch, sound)


def degrees(weight: FloatArray, divisor: Divisor, n_means: int) -> FloatArray:
    """What a scatter is divided by: its weight, less the means it was centred at if unbiased.

    Examples
    --------
    >>> degrees(np.array([10.0]), "unbiased", 3).tolist()
    [7.0]
    """
    return weight if divisor == "mle" else weight - n_means
