"""Settings, statistics and density of the categorical family ↔ records of the model file."""

from typing import Annotated, Any

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
from gaussbayes.data.categories import MOST_CATEGORIES
from gaussbayes.families.categorical.family import (
    Categorical,
    CategoricalDensity,
    CategoricalStatistics,
    starts,
)
from gaussbayes.families.independent import (
    check_total,
    check_weight,
    log_probabilities,
    logarithms,
    weights,
)


class SettingsRecord(Record, frozen=True, omit_defaults=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]
    least: (
        Annotated[
            list[Annotated[int, Meta(ge=0, le=MOST_CATEGORIES)]],
            Meta(description="categories are integers from 0 on, at least so many of each feature"),
        ]
        | None
    ) = None


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
    return SettingsRecord(family.smoothing, None if family.least is None else list(family.least))


def read_settings(record: SettingsRecord) -> Categorical:
    return Categorical(record.smoothing, None if record.least is None else tuple(record.least))


def write_statistics(statistics: CategoricalStatistics) -> StatisticsRecord:
    with within("categories"):
        categories = write_categories(statistics.categories)
    return StatisticsRecord(
        categories,
        numbers(statistics.weight, "weight"),
        numbers(statistics.count, "count"),
        numbers(statistics.missing, "missing"),
    )


def _check_least(least: tuple[int, ...], statistics: CategoricalStatistics) -> None:
    """Raise unless there is a number for each feature, whose categories are integers from 0 on."""
    if len(least) != len(statistics.categories):
        expected = f"those of {len(least)} features, as the settings have numbers of categories"
        refuse("categories", expected, len(statistics.categories))
    for column in statistics.categories:
        if not all(type(each) is int and 0 <= each < MOST_CATEGORIES for each in column):
            refuse("categories", f"integers from 0 to {MOST_CATEGORIES - 1:,}")


def read_statistics(
    record: StatisticsRecord, family: Categorical, names: Schema
) -> CategoricalStatistics:
    k, q = names.classes.shape[0], names.n_features
    with within("categories"):
        categories = read_categories(record.categories, q)
    statistics = CategoricalStatistics(
        categories,
        weights(record.weight, "weight", (k,), "class"),
        weights(record.count, "count", (k, starts(categories)[-1]), "class and category"),
        weights(record.missing, "missing", (k, q), "class and feature"),
    )
    if family.least is not None:
        _check_least(family.least, statistics)
    occurs = (statistics.count > 0).any(axis=0)
    if not occurs.all():
        at = int(np.argmin(occurs))
        refuse(f"categories.labels[{at}]", "a category that weighs something in a class")
    observed = [statistics.of(j).sum(axis=1) for j in range(q)]
    check_weight(statistics.weight, np.stack(observed, axis=1) + statistics.missing)
    return statistics


def write_density(density: CategoricalDensity) -> DensityRecord:
    with within("categories"):
        categories = write_categories(density.categories)
    return DensityRecord(categories, logarithms(density.log_probability, "log_probability"))


def read_density(record: DensityRecord, _: Any, names: Schema) -> CategoricalDensity:
    with within("categories"):
        categories = read_categories(record.categories, names.n_features)
    shape, meaning = (names.classes.shape[0], starts(categories)[-1]), "class and category"
    density = CategoricalDensity(
        categories, log_probabilities(record.log_probability, "log_probability", shape, meaning)
    )
    for j, column in enumerate(categories):
        if column:
            check_total(density.of(j), 1, "log_probability", str(j))
    return density
