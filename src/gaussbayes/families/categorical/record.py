"""Settings, statistics and density of the categorical family ↔ records of the model file."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from gaussbayes.base.records import (
    CategoriesRecord,
    NumbersOrNull,
    Record,
    Weights,
    numbers,
    read_categories,
    refuse,
    within,
    write_categories,
)
from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical.density import CategoricalDensity
from gaussbayes.families.categorical.family import Categorical
from gaussbayes.families.categorical.statistics import CategoricalStatistics, starts
from gaussbayes.families.record_arrays import (
    check_weight,
    log_probabilities,
    logarithms,
    weights,
)


class SettingsRecord(Record, frozen=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]


class StatisticsRecord(Record, frozen=True):
    """The counts, class by class."""

    categories: CategoriesRecord
    weight: Weights
    count: Weights
    missing: Weights


class DensityRecord(Record, frozen=True):
    """Logarithms of the probabilities, class by class; null is log 0."""

    categories: CategoriesRecord
    log_probability: NumbersOrNull


def write_settings(family: Categorical) -> SettingsRecord:
    """The settings as a record."""
    return SettingsRecord(family.smoothing)


def read_settings(record: SettingsRecord) -> Categorical:
    """The family with these settings."""
    return Categorical(record.smoothing)


def write_statistics(statistics: CategoricalStatistics) -> StatisticsRecord:
    """The counts as a record."""
    with within("categories"):
        categories = write_categories(statistics.categories)
    return StatisticsRecord(
        categories,
        numbers(statistics.weight, "weight"),
        numbers(statistics.count, "count"),
        numbers(statistics.missing, "missing"),
    )


def read_statistics(
    record: StatisticsRecord,
    family: Categorical,  # noqa: ARG001
    names: Schema,
) -> CategoricalStatistics:
    """The counts of the classes and features that `names` has."""
    k, q = names.classes.shape[0], names.n_features
    with within("categories"):
        categories = read_categories(record.categories, q)
    statistics = CategoricalStatistics(
        categories,
        weights(record.weight, "weight", (k,), "class"),
        weights(record.count, "count", (k, starts(categories)[-1]), "class and category"),
        weights(record.missing, "missing", (k, q), "class and feature"),
    )
    occurs = (statistics.count > 0).any(axis=0)
    if not occurs.all():
        at = int(np.argmin(occurs))
        refuse(f"categories.labels[{at}]", "a category that weighs something in a class")
    observed = [statistics.of(j).sum(axis=1) for j in range(q)]
    check_weight(statistics.weight, np.stack(observed, axis=1) + statistics.missing)
    return statistics


def write_density(density: CategoricalDensity) -> DensityRecord:
    """The probabilities as a record."""
    with within("categories"):
        categories = write_categories(density.categories)
    return DensityRecord(categories, logarithms(density.log_probability, "log_probability"))


def read_density(
    record: DensityRecord,
    family: Categorical,  # noqa: ARG001
    names: Schema,
) -> CategoricalDensity:
    """The probabilities of the classes and features that `names` has."""
    with within("categories"):
        categories = read_categories(record.categories, names.n_features)
    shape, meaning = (names.classes.shape[0], starts(categories)[-1]), "class and category"
    density = CategoricalDensity(
        categories, log_probabilities(record.log_probability, "log_probability", shape, meaning)
    )
    for j, column in enumerate(categories):
        total = np.exp(density.of(j)).sum(axis=1)
        if column and not np.allclose(total, 1.0, rtol=0.0, atol=1e-6):
            c = int(np.argmax(np.abs(total - 1.0)))
            expected = f"logarithms of numbers that sum to 1 for feature {j} and class {c}"
            refuse("log_probability", expected, f"{total[c]:g}")
    return density
