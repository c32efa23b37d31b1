"""Categories: how often each occurs in each class, and what follows from it."""

from gaussbayes.families.categorical.family import (
    Categorical,
    CategoricalDensity,
    CategoricalStatistics,
)

__all__ = ["Categorical", "CategoricalDensity", "CategoricalStatistics"]
