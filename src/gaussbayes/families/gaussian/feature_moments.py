"""Weight, mean and sum of squares of each feature, over the rows that have a value of it.

For covariances without correlations this is all that maximum likelihood needs: the likelihood of a
row is a product over the features it has. For full covariances it is where EM starts from, and the
units that it calculates in.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.cells import PatternMoments
from gaussbayes.families.gaussian.statistics import LAYOUTS, GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure


class FeatureMoments(NamedTuple):
    """Moments of each class and feature over the rows that have a value of the feature.

    The mean is ``anchor + offset``, as in `ClassMoments`; both are 0 where no row has a value. Of a
    scatter that is summed over the classes, all is with the first that has complete rows.
    """

    weight: FloatArray  # (k, d)
    anchor: FloatArray  # (k, d)
    offset: FloatArray  # (k, d)
    scatter: FloatArray  # (k, d) sums of squares about the mean

    def together(self) -> "FeatureMoments":
        """The moments of all rows, as those of one class."""
        return _merged(*(part[:, None] for part in self))

    def variance(self, structure: Structure) -> FloatArray:
        """The most likely variances (m, d) of uncorrelated features; 0 where no row has a value.

        Full covariances are treated as diagonal ones, those between as own ones.
        """
        scatter, weight = self.scatter, self.weight
        if structure.shared:
            scatter, weight = scatter.sum(axis=0, keepdims=True), weight.sum(axis=0, keepdims=True)
        shape = scatter.shape
        if structure.shape.isotropic:
            scatter, weight = scatter.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
        variance = np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0)
        return np.broadcast_to(variance, shape).copy()

    def positive_variance(
        self, structure: Structure, together: "FeatureMoments | None" = None
    ) -> FloatArray:
        """The same, but for 0 the variance within all classes, or else that of all rows."""
        variance = self.variance(structure)
        if (variance > 0).all():
            return variance
        within = self.variance(Structure("diagonal", 1.0))
        overall = (self if together is None else together).together().variance(Structure())
        return np.where(variance > 0, variance, np.where(within > 0, within, overall))

    def check(self, names: Schema) -> None:
        """Raise if a class has no row with a value of a certain feature."""
        absent = self.weight == 0
        if absent.any():
            c = int(np.argmax(absent.any(axis=1)))
            columns = np.flatnonzero(absent[c]).tolist()
            msg = (
                f"class {names.class_name(c)} has no labelled row with "
                f"{names.feature_list(columns)}: nothing says what its mean is there, and sharing "
                "a covariance does not either. Remedies: give at least one such row; leave these "
                "features out; leave the class out"
            )
            raise DataError(msg)


def feature_moments(statistics: GaussianStatistics) -> FeatureMoments:
    """The moments of each class and feature over the rows that have a value of the feature."""
    whole = statistics.moments
    k, d = whole.anchor.shape
    squares = LAYOUTS[whole.layout].squares(whole.scatter)
    if squares.shape[0] < k:
        pooled, squares = squares, np.zeros((k, d))
        squares[int(np.argmax(whole.weight > 0))] = pooled[0]
    weight = np.repeat(whole.weight[:, None], d, axis=1)
    complete = FeatureMoments(weight, whole.anchor, whole.offset, squares)
    if statistics.cells is None:
        return complete
    others = moments_of_cells(statistics.cells, k)
    return _merged(*(np.stack(pair) for pair in zip(complete, others, strict=True)))


def moments_of_cells(cells: PatternMoments, n_classes: int) -> FeatureMoments:
    """The same over rows with missing values alone."""
    squares = np.zeros(cells.anchor.shape)
    squares[cells.varied] = LAYOUTS[cells.layout].squares(cells.scatter)
    weight = cells.observed * cells.weight[:, None]
    total = FeatureMoments(*np.zeros((4, n_classes, cells.n_features)))
    edges = np.searchsorted(cells.codes, np.arange(n_classes + 1)).tolist()
    for c, (first, end) in enumerate(pairwise(edges)):
        some = (part[first:end] for part in (weight, cells.anchor, cells.offset, squares))
        for whole, part in zip(total, _merged(*some), strict=True):
            whole[c] = part
    return total


def _merged(
    weight: FloatArray, anchor: FloatArray, offset: FloatArray, scatter: FloatArray
) -> FeatureMoments:
    """Moments of several parts (r, …, d), merged feature by feature."""
    total = weight.sum(axis=0)
    safe = np.where(total > 0, total, 1.0)
    # Any float near the rows serves as anchor: differences to it are exact.
    middle = (weight * (anchor + offset)).sum(axis=0) / safe
    apart = np.where(weight > 0, (anchor - middle) + offset, 0.0)
    shift = (weight * apart).sum(axis=0) / safe
    squares = (scatter + weight * np.square(apart - shift)).sum(axis=0)
    return FeatureMoments(total, middle, shift, squares)
