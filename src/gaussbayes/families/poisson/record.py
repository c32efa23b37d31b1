"""Settings, statistics and density of the Poisson family ↔ records of the model file."""

from typing import Any

from gaussbayes.base.records import Record, Weights, numbers, refuse
from gaussbayes.base.schema import Schema
from gaussbayes.families.poisson.density import PoissonDensity
from gaussbayes.families.poisson.family import Poisson
from gaussbayes.families.poisson.statistics import PoissonStatistics
from gaussbayes.families.record_arrays import (
    SmoothingRecord as SettingsRecord,
)
from gaussbayes.families.record_arrays import (
    read_sums,
    weights,
    write_settings,
    write_sums,
)

__all__ = ["SettingsRecord", "write_settings"]


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


def read_settings(record: SettingsRecord) -> Poisson:
    """The family with these settings."""
    return Poisson(record.smoothing)


def write_statistics(statistics: PoissonStatistics) -> StatisticsRecord:
    """The sums as a record."""
    return StatisticsRecord(**write_sums(statistics))


def read_statistics(record: StatisticsRecord, _: Any, names: Schema) -> PoissonStatistics:
    """The sums of the classes and columns that `names` has."""
    statistics = read_sums(PoissonStatistics, record, names)
    if ((statistics.observed == 0) & (statistics.total > 0)).any():
        refuse("total", "0 where no row has a value")
    return statistics


def write_density(density: PoissonDensity) -> DensityRecord:
    """The rates as a record."""
    return DensityRecord(numbers(density.rate, "rate"))


def read_density(record: DensityRecord, _: Any, names: Schema) -> PoissonDensity:
    """The rates of the classes and columns that `names` has."""
    shape = (names.classes.shape[0], names.n_features)
    return PoissonDensity(weights(record.rate, "rate", shape, "class and column"))
