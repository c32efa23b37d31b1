"""Counts of events: a Poisson distribution for each class and column."""

from gaussbayes.families.poisson.density import PoissonDensity
from gaussbayes.families.poisson.family import Poisson
from gaussbayes.families.poisson.statistics import PoissonStatistics

__all__ = ["Poisson", "PoissonDensity", "PoissonStatistics"]
