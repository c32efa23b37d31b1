"""Products of three and four deviations from the mean, summed over the rows of each class.

How much an entry of a covariance varies from sample to sample, ``Var(s_ij) ≈ (Σ r_i² r_j² / n −
s_ij²) / n``, is what the shrinkage of Ledoit and Wolf goes by. The sums of ``r_i² r_j²`` move to
another mean by those of ``r_i² r_j`` and by the scatter, so that 2 d² numbers a class, beside the
moments, merge and are removed exactly; kept for each pair of features, they know no units.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, FloatArray

_TOGETHER = 1 << 16
"""Values that are worked on at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductMoments:
    """Sums over the rows of each class, which deviate by r from its mean.

    Examples
    --------
    >>> rows, codes, mean = np.array([[1.0], [2.0], [6.0]]), np.zeros(3, int), np.array([[3.0]])
    >>> sums = product_moments(rows, codes, None, mean, np.zeros((1, 1)))
    >>> sums.third.ravel().tolist(), sums.fourth.ravel().tolist()
    ([18.0], [98.0])
    """

    third: FloatArray  # (k, d, d) Σ w r_i² r_j
    fourth: FloatArray  # (k, d, d) Σ w r_i² r_j²

    @property
    def n_bytes(self) -> int:
        return self.third.nbytes + self.fourth.nbytes

    @np.errstate(over="ignore", invalid="ignore")  # an error where they are made use of
    def about(self, apart: FloatArray, weight: FloatArray, scatter: FloatArray) -> "ProductMoments":
        """The same about other centres, from which the means are `apart` (k, d).

        `weight` (k,) and `scatter` (k, d, d) are those of the rows.
        """
        squares = np.einsum("kii->ki", scatter)[:, :, None]
        a, b, w = apart[:, :, None], apart[:, None, :], weight[:, None, None]
        third = self.third + squares * b + 2.0 * a * scatter + w * np.square(a) * b
        # Products first, and a matrix plus its transpose: symmetric to the bit.
        mixed, both = 2.0 * b * self.third + squares * np.square(b), a * b
        fourth = self.fourth + (mixed + mixed.mT) + 4.0 * both * scatter + w * np.square(both)
        return ProductMoments(third, fourth)

    def __add__(self, other: "ProductMoments") -> "ProductMoments":
        """The sums over the rows of both, about the same centres."""
        return ProductMoments(self.third + other.third, self.fourth + other.fourth)

    @np.errstate(invalid="ignore")
    def without(self, other: "ProductMoments", squares: FloatArray) -> "ProductMoments":
        """The sums without those of `other`, about the same centres.

        Where nothing is left of the sums of squares (k, d) of a feature, nothing is left.
        """
        varied = squares > 0
        left = varied[:, :, None] & varied[:, None, :]
        third = np.where(left, self.third - other.third, 0.0)
        return ProductMoments(third, np.where(left, self.fourth - other.fourth, 0.0).clip(0.0))

    def scaled(self, factor: float) -> "ProductMoments":
        return ProductMoments(self.third * factor, self.fourth * factor)

    def of_classes(self, where: NDArray[np.intp]) -> "ProductMoments":
        return ProductMoments(self.third[where], self.fourth[where])

    def of_columns(self, columns: NDArray[np.intp]) -> "ProductMoments":
        pairs = (..., columns[:, None], columns)
        return ProductMoments(self.third[pairs], self.fourth[pairs])

    def aligned(self, positions: NDArray[np.intp], n_classes: int) -> "ProductMoments":
        """The same where class `i` has become number ``positions[i]`` of `n_classes`."""
        wider = no_products(n_classes, self.third.shape[1])
        wider.third[positions], wider.fourth[positions] = self.third, self.fourth
        return wider


def no_products(n_classes: int, n_features: int) -> ProductMoments:
    """The sums over no rows."""
    shape = n_classes, n_features, n_features
    return ProductMoments(np.zeros(shape), np.zeros(shape))


@np.errstate(over="ignore", invalid="ignore")  # as in the sum of two
def product_moments(
    X: FloatArray,
    codes: CodeArray,
    weights: FloatArray | None,
    anchor: FloatArray,
    offset: FloatArray,
) -> ProductMoments:
    """The sums over rows (n, d) of classes (n,), about their means, anchor + offset (k, d).

    Rows of code −1 are left out.
    """
    total = no_products(*anchor.shape)
    for code in range(anchor.shape[0]):
        rows = np.flatnonzero(codes == code)
        for some in ranges(rows.size, max(1, _TOGETHER // max(1, X.shape[1]))):
            which = rows[some]
            deviation = (X[which] - anchor[code]) - offset[code]
            squares = np.square(deviation)
            if weights is not None:
                root = np.sqrt(weights[which])[:, None]
                squares, deviation = squares * root, deviation * root
            total.third[code] += squares.T @ deviation
            total.fourth[code] += squares.T @ squares  # one matrix with itself: symmetric
    return total
