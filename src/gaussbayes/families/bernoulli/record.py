"""Settings, statistics and density of the Bernoulli family ↔ records of the model file."""

from typing import Any

from gaussbayes.base.records import NumbersOrNull, Record, Weights
from gaussbayes.base.schema import Schema
from gaussbayes.families.bernoulli.density import BernoulliDensity, BernoulliStatistics
from gaussbayes.families.bernoulli.family import Bernoulli
from gaussbayes.families.record_arrays import (
    SmoothingRecord as SettingsRecord,
)
from gaussbayes.families.record_arrays import (
    check_total,
    log_probabilities,
    logarithms,
    read_sums,
    write_settings,
    write_sums,
)

__all__ = ["SettingsRecord", "write_settings"]


class StatisticsRecord(Record, frozen=True):
    """The weights of the classes, and of the values of each class and column."""

    weight: Weights
    missing: Weights
    zeros: Weights
    ones: Weights


class DensityRecord(Record, frozen=True):
    """Logarithms of the probabilities of 0, then of 1, class by class; null is log 0."""

    log_probability: NumbersOrNull


def read_settings(record: SettingsRecord) -> Bernoulli:
    """The family with these settings."""
    return Bernoulli(record.smoothing)


def write_statistics(statistics: BernoulliStatistics) -> StatisticsRecord:
    """The sums as a record."""
    return StatisticsRecord(**write_sums(statistics))


def read_statistics(record: StatisticsRecord, _: Any, names: Schema) -> BernoulliStatistics:
    """The sums of the classes and columns that `names` has."""
    return read_sums(BernoulliStatistics, record, names)


def write_density(density: BernoulliDensity) -> DensityRecord:
    """The probabilities as a record."""
    return DensityRecord(logarithms(density.log_probability, "log_probability"))


def read_density(record: DensityRecord, _: Any, names: Schema) -> BernoulliDensity:
    """The probabilities of the classes and columns that `names` has."""
    shape, place = (2, names.classes.shape[0], names.n_features), "log_probability"
    each = "value, class and column"
    log_probability = log_probabilities(record.log_probability, place, shape, each)
    check_total(log_probability, 0, place, "")
    return BernoulliDensity(log_probability)
