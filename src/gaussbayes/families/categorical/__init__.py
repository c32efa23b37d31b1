"""Categories: how often each occurs in each class, and what follows from it."""

from gaussbayes.families.categorical.density import CategoricalDensity
from gaussbayes.families.categorical.family import Categorical
from gaussbayes.families.categorical.statistics import CategoricalStatistics

__all__ = ["Categorical", "CategoricalDensity", "CategoricalStatistics"]
