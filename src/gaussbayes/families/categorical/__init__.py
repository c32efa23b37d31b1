"""Categorical distributions: the frequencies of categories in each class."""

from gaussbayes.families.categorical.family import (
    Categorical,
    CategoricalDensity,
    CategoricalStatistics,
)

__all__ = ["Categorical", "CategoricalDensity", "CategoricalStatistics"]
