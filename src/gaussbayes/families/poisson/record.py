"""Settings, statistics and density of the Poisson family ↔ records of the model file."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from gaussbayes.base.records import Record, Weights, numbers, refuse
from gaussbayes.families.poisson.density import PoissonDensity
from gaussbayes.families.poisson.family import Poisson
from gaussbayes.families.poisson.statistics import PoissonStatistics
from gaussbayes.families.record_arrays import weights


class SettingsRecord(Record, frozen=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]


class StatisticsRecord(Record, frozen=True):
    """The weights of the classes, and the sums of each class and column."""

    weight: Weights
    missing: Weights
    observed: Weights
    total: Weights
    log_factorial: Weights


class DensityRecord(Record, frozen=True):
    """The rates, class by class."""

    rate: Weights


def write_settings(family: Poisson) -> SettingsRecord:
    """The settings as a record."""
    return SettingsRecord(family.smoothing)


def read_settings(record: SettingsRecord) -> Poisson:
    """The family with these settings."""
    return Poisson(record.smoothing)


def write_statistics(statistics: PoissonStatistics) -> StatisticsRecord:
    """The sums as a record."""
    pairs = zip(statistics.summed, statistics.sums, strict=True)
    sums = (numbers(values, name) for name, values in pairs)
    return StatisticsRecord(numbers(statistics.weight, "weight"), *sums)


def read_statistics(record: StatisticsRecord, n_classes: int, n_columns: int) -> PoissonStatistics:
    """The sums of so many classes and columns."""
    shape = (n_classes, n_columns)
    weight = weights(record.weight, "weight", (n_classes,), "class")
    arrays = (record.missing, record.observed, record.total, record.log_factorial)
    sums = [
        weights(array, name, shape, "class and column")
        for name, array in zip(PoissonStatistics.summed, arrays, strict=True)
    ]
    statistics = PoissonStatistics(weight, np.stack(sums))
    statistics.check_weights()
    if ((statistics.observed == 0) & (statistics.total > 0)).any():
        refuse("total", "0 where no row has a value")
    return statistics


def write_density(density: PoissonDensity) -> DensityRecord:
    """The rates as a record."""
    return DensityRecord(numbers(density.rate, "rate"))


def read_density(record: DensityRecord, n_classes: int, n_columns: int) -> PoissonDensity:
    """The rates of so many classes and columns."""
    return PoissonDensity(weights(record.rate, "rate", (n_classes, n_columns), "class and column"))
