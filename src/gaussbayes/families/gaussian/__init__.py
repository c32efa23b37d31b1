"""Numbers: a Gaussian for each class, with structured covariances."""

from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure

__all__ = ["Gaussian", "GaussianDensity", "GaussianStatistics", "Structure"]
