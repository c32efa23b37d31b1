"""Weight, mean and sum of squares of each feature, over the rows that have it.

For covariances without correlations this is all that maximum likelihood needs: the likelihood of a
row is a product over the features it has. For full covariances it is where EM starts from, and the
units that it calculates in.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.parameters import Structure


@dataclass(frozen=True, slots=True, eq=False)
class Available:
    """Moments of each class and feature over the rows that have the feature.

    The mean is ``anchor + offset``, as in `ClassMoments`; both are 0 where no row has the feature.
    """

    weight: FloatArray  # (k, d)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # (k, d) sums of squares about the mean

    def variance(self, structure: Structure) -> FloatArray:
        """The variances (m, d) that are most likely for uncorrelated features; m is 1 when shared.

        A full covariance is treated as a diagonal one. With no row at all the variance is 0.

        Examples
        --------
        >>> X = np.array([[1.0, 0.0], [3.0, np.nan]])
        >>> available(X, np.zeros(2, np.int32), None, 1).variance(Structure("spherical")).round(3)
        array([[0.667, 0.667]])
        """
        return variances(self.scatter, self.weight, structure)

    def together(self) -> "Available":
        """The moments of all rows, as those of one class.

        Examples
        --------
        >>> X = np.array([[1.0], [3.0]])
        >>> available(X, np.arange(2, dtype=np.int32), None, 2).together().scatter.tolist()
        [[2.0]]
        """
        weight = self.weight.sum(axis=0, keepdims=True)
        safe = np.where(weight > 0, weight, 1.0)
        # Any float near the rows serves as anchor: differences to it are exact.
        anchor = (self.weight * (self.anchor + self.offset)).sum(axis=0, keepdims=True) / safe
        apart = np.where(self.weight > 0, (self.anchor - anchor) + self.offset, 0.0)
        offset = (self.weight * apart).sum(axis=0, keepdims=True) / safe
        between = self.weight * np.square(apart - offset)
        scatter = (self.scatter + between).sum(axis=0, keepdims=True)
        return Available(weight, anchor, offset, scatter)


def variances(scatter: FloatArray, weight: FloatArray, structure: Structure) -> FloatArray:
    """Sums of squares (k, d) divided by their weights (k, d), as the structure pools them (m, d).

    Examples
    --------
    >>> square, weight = np.array([[2.0], [4.0]]), np.array([[1.0], [2.0]])
    >>> variances(square, weight, Structure("diagonal", shared=True)).tolist()
    [[2.0]]
    """
    shape = (1 if structure.shared else scatter.shape[0], scatter.shape[1])
    if structure.shared:
        scatter, weight = scatter.sum(axis=0, keepdims=True), weight.sum(axis=0, keepdims=True)
    if structure.covariance == "spherical":
        scatter, weight = scatter.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
    variance = np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0)
    return np.broadcast_to(variance, shape).copy()


def available(
    X: FloatArray, codes: CodeArray, weights: FloatArray | None, n_classes: int
) -> Available:
    """The moments of each class and feature over the labelled rows that have the feature.

    Parameters
    ----------
    X : (n, d), NaN where missing
    codes : (n,) class numbers; rows of another number than 0 … k − 1 are left out

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [3.0, np.nan], [8.0, 2.0]])
    >>> found = available(X, np.array([0, 0, 1], np.int32), None, 2)
    >>> found.weight.tolist(), (found.anchor + found.offset).tolist()
    ([[2.0, 1.0], [1.0, 1.0]], [[2.0, 5.0], [8.0, 2.0]])
    """
    k, d = n_classes, X.shape[1]
    weight, anchor, offset, scatter = np.zeros((4, k, d))
    for c in range(k):
        rows = np.flatnonzero(codes == c)
        own, there = X[rows], ~np.isnan(X[rows])
        share = there * (1.0 if weights is None else weights[rows, None])
        weight[c] = share.sum(axis=0)
        safe = np.where(weight[c] > 0, weight[c], 1.0)
        values = np.where(there, own, 0.0)
        # Any float near the rows serves as anchor: differences to it are exact.
        anchor[c] = (share * values).sum(axis=0) / safe
        values = np.where(there, own - anchor[c], 0.0)
        offset[c] = (share * values).sum(axis=0) / safe
        scatter[c] = (share * np.square(values - offset[c])).sum(axis=0)
    return Available(weight, anchor, offset, scatter)
