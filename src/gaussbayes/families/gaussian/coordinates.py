"""Gaussians as vectors, so that EM can be accelerated: means, and factors of covariances."""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.factor import check_variances, factor
from gaussbayes.families.gaussian.points import Frame, frame_of
from gaussbayes.families.gaussian.shapes import Shape

_EPS = float(np.finfo(np.float64).eps)

_COLLAPSED = 1e-24
"""A variance so much smaller than where it started is on its way to 0."""

_LEAST_UNEXPLAINED = 1e-10
"""The least proportion of a variance that other features may leave unexplained.

What is missing is worked out from the others, with errors that grow as this falls; and a
likelihood without a maximum is found out by it.
"""


@dataclass(frozen=True, slots=True, eq=False)
class GaussianCoordinates:
    """Means in units near the standard deviations, then the coordinates of the covariances.

    Those of a full covariance are its Cholesky factor with logarithms in the diagonal, those of
    others the logarithms of variances: every vector is a density.
    """

    frame: Frame
    center: FloatArray  # (d,)
    shape: type[Shape]
    names: Schema
    weight: FloatArray | None = None  # (m,) how many rows each covariance has, for messages

    @classmethod
    def about(
        cls, start: GaussianDensity, names: Schema, weight: FloatArray | None = None
    ) -> "GaussianCoordinates":
        """Coordinates about a density to start from.

        Examples
        --------
        >>> from gaussbayes.families.gaussian.shapes import Spherical
        >>> names = Schema(np.arange(1), 1)
        >>> start = GaussianDensity(np.ones(1), np.ones((1, 1)), Spherical.of(np.ones(1), names))
        >>> chart = GaussianCoordinates.about(start, names)
        >>> chart.vector(start).tolist(), chart.density(np.array([1.0, 0.0])).mean.tolist()
        ([0.0, 0.0], [[3.0]])
        """
        frame = frame_of(start.mean, start.covariance.variance)
        return cls(frame, start.center, type(start.covariance), names, weight)

    def vector(self, density: GaussianDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        mean = ((density.center - self.frame.anchor) + density.offset) / self.frame.unit
        return np.concatenate([mean.ravel(), density.covariance.coordinates(self.frame.unit)])

    def density(self, vector: FloatArray) -> GaussianDensity:
        """The density with these coordinates.

        Raises
        ------
        SingularCovarianceError
            If a covariance is singular, or nearly so; names class and features.
        """
        anchor, unit = self.frame.anchor, self.frame.unit
        mean = vector[: anchor.size].reshape(anchor.shape)
        covariance = self.shape.from_coordinates(vector[anchor.size :], unit)
        self._check(covariance)
        offset = (anchor - self.center) + mean * unit
        return GaussianDensity(self.center, offset, covariance)

    def rounding(self, density: GaussianDensity) -> float:
        """How much of the coordinates after an iteration of EM is rounding."""
        # The less the other features leave unexplained of one, the more rounding is amplified.
        shape = density.covariance
        return _EPS * (4 * shape.n_features * shape.amplification if shape.correlated else 8)

    def _check(self, shape: Shape) -> None:
        variance = shape.variance
        collapsed = variance <= _COLLAPSED * np.square(self.frame.unit)
        check_variances(np.where(collapsed, 0.0, variance), self.names, self.weight)
        # The least eigenvalue of the correlations is at most d times smaller than what is left.
        if shape.correlated and shape.amplification * shape.n_features > 1 / _LEAST_UNEXPLAINED:
            least = _LEAST_UNEXPLAINED * variance[:, :, None] * np.eye(shape.n_features)
            factor(shape.dense() - least, self.names, self.weight)
