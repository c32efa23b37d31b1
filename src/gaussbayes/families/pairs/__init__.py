"""Pairs of levels of columns of any kind: averaged one-dependence estimators."""

from gaussbayes.families.pairs.density import PairsDensity
from gaussbayes.families.pairs.family import Pairs
from gaussbayes.families.pairs.levels import Bins, Groups, Levels
from gaussbayes.families.pairs.statistics import PairStatistics

__all__ = ["Bins", "Groups", "Levels", "PairStatistics", "Pairs", "PairsDensity"]
