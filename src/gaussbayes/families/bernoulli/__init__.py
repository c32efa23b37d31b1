"""Columns of 0 and 1: a Bernoulli distribution for each class and column."""

from gaussbayes.families.bernoulli.density import BernoulliDensity, BernoulliStatistics
from gaussbayes.families.bernoulli.family import Bernoulli

__all__ = ["Bernoulli", "BernoulliDensity", "BernoulliStatistics"]
