"""The records of the categorical family in a model file."""

from typing import Annotated

import numpy as np
from msgspec import Meta, Raw

from gaussbayes.base.records import Record, refuse
from gaussbayes.data.schema import Schema
from gaussbayes.families.categorical.family import (
    Categorical,
    CategoricalDensity,
    CategoricalStatistics,
    starts,
)
from gaussbayes.families.independent import check_weight


class SettingsRecord(Record, frozen=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]

    def read(self) -> Categorical:
        return Categorical(self.smoothing)


class StatisticsRecord(Record, frozen=True):
    """The counts, class by class."""

    categories: Raw
    weight: Raw
    count: Raw
    missing: Raw

    def read(self, family: Categorical, names: Schema) -> CategoricalStatistics:
        k, d = names.classes.shape[0], names.n_features
        categories = self.categories_of(d)
        count = self.weights("count", k, starts(categories)[-1])
        weight, missing = self.weights("weight", k), self.weights("missing", k, d)
        statistics = CategoricalStatistics(categories, weight, count, missing)
        if not (count > 0).any(axis=0).all():
            refuse("categories", "categories with a weight above 0 in some class")
        observed = [statistics.of(j).sum(axis=1) for j in range(d)]
        check_weight(weight, np.stack(observed, axis=1) + missing)
        return statistics


class DensityRecord(Record, frozen=True):
    """Logarithms of the probabilities, class by class; null is log 0."""

    categories: Raw
    log_probability: Raw

    def read(self, _: Categorical, names: Schema) -> CategoricalDensity:
        categories = self.categories_of(names.n_features)
        shape = names.classes.shape[0], starts(categories)[-1]
        values = self.floats("log_probability", *shape, missing=True)
        density = CategoricalDensity(categories, np.where(np.isnan(values), -np.inf, values))
        for j in np.flatnonzero([len(column) for column in categories]).tolist():
            total = np.exp(density.of(j)).sum(axis=1)
            if not np.allclose(total, 1.0, rtol=0.0, atol=1e-6):
                expected = f"logarithms of probabilities that sum to 1 for feature {j}"
                refuse("log_probability", expected, total.tolist())
        return density
