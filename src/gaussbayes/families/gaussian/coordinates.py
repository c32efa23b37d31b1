"""Gaussians as vectors, so that EM can be accelerated: means, and factors of covariances."""

from dataclasses import dataclass, field

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.factor import check_variances, factor
from gaussbayes.families.gaussian.points import Frame, frame_of

_EPS = float(np.finfo(np.float64).eps)

_COLLAPSED = 1e-24  # a variance so much smaller than where it started is on its way to 0
_LEAST_UNEXPLAINED = 1e-10
"""The least proportion of a variance that other features may leave unexplained.

What is missing is worked out from the others, with errors that grow as this falls; and a
likelihood without a maximum is found out by it.
"""


@dataclass(frozen=True, slots=True, eq=False)
class GaussianCoordinates:
    """Coordinates about a density to start from: every vector is a density.

    Means in units near the standard deviations, then the coordinates of the covariances.
    """

    start: GaussianDensity
    names: Schema
    weight: FloatArray | None = None  # (m,) how many rows each covariance has, for messages
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        frame = frame_of(self.start.mean, self.start.covariance.variance)
        object.__setattr__(self, "frame", frame)

    def vector(self, density: GaussianDensity) -> FloatArray:
        """The coordinates of a density (p,)."""
        mean = ((density.center - self.frame.anchor) + density.offset) / self.frame.unit
        return np.concatenate([mean.ravel(), density.covariance.coordinates(self.frame.unit)])

    def density(self, vector: FloatArray) -> GaussianDensity:
        """The density with these coordinates; an error if a covariance is nearly singular."""
        anchor, unit, center = self.frame.anchor, self.frame.unit, self.start.center
        shape = self.start.covariance.from_coordinates(vector[anchor.size :], unit)
        variance, d = shape.variance, shape.n_features
        collapsed = variance <= _COLLAPSED * np.square(unit)
        check_variances(np.where(collapsed, 0.0, variance), self.names, self.weight)
        # The least eigenvalue of the correlations is at most d times smaller than what is left.
        if shape.correlated and shape.amplification * d > 1 / _LEAST_UNEXPLAINED:
            least = _LEAST_UNEXPLAINED * variance[:, :, None] * np.eye(d)
            factor(shape.dense() - least, self.names, self.weight)
        mean = vector[: anchor.size].reshape(anchor.shape)
        return GaussianDensity(center, (anchor - center) + mean * unit, shape)

    def rounding(self, density: GaussianDensity) -> float:
        """How much of the coordinates after an iteration of EM is rounding."""
        # The less the other features leave unexplained of one, the more rounding is amplified.
        shape = density.covariance
        return _EPS * (4 * shape.n_features * shape.amplification if shape.correlated else 8)
