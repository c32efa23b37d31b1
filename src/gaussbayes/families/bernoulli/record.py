"""Settings, statistics and density of the Bernoulli family ↔ records of the model file."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from gaussbayes.base.records import NumbersOrNull, Record, Weights, refuse
from gaussbayes.base.schema import Schema
from gaussbayes.families.bernoulli.density import BernoulliDensity
from gaussbayes.families.bernoulli.family import Bernoulli
from gaussbayes.families.bernoulli.statistics import BernoulliStatistics
from gaussbayes.families.record_arrays import log_probabilities, logarithms, read_sums, write_sums


class SettingsRecord(Record, frozen=True):
    """The settings."""

    smoothing: Annotated[float, Meta(ge=0)]


class StatisticsRecord(Record, frozen=True):
    """The weights of the classes, and of the values of each class and column."""

    weight: Weights
    missing: Weights
    zeros: Weights
    ones: Weights


class DensityRecord(Record, frozen=True):
    """Logarithms of the probabilities of 0, then of 1, class by class; null is log 0."""

    log_probability: NumbersOrNull


def write_settings(family: Bernoulli) -> SettingsRecord:
    """The settings as a record."""
    return SettingsRecord(family.smoothing)


def read_settings(record: SettingsRecord) -> Bernoulli:
    """The family with these settings."""
    return Bernoulli(record.smoothing)


def write_statistics(statistics: BernoulliStatistics) -> StatisticsRecord:
    """The sums as a record."""
    return StatisticsRecord(**write_sums(statistics))


def read_statistics(
    record: StatisticsRecord,
    family: Bernoulli,  # noqa: ARG001
    names: Schema,
) -> BernoulliStatistics:
    """The sums of the classes and columns that `names` has."""
    return read_sums(BernoulliStatistics, record, names)


def write_density(density: BernoulliDensity) -> DensityRecord:
    """The probabilities as a record."""
    return DensityRecord(logarithms(density.log_probability, "log_probability"))


def read_density(
    record: DensityRecord,
    family: Bernoulli,  # noqa: ARG001
    names: Schema,
) -> BernoulliDensity:
    """The probabilities of the classes and columns that `names` has."""
    shape, place = (2, names.classes.shape[0], names.n_features), "log_probability"
    density = BernoulliDensity(
        log_probabilities(record.log_probability, place, shape, "value, class and column")
    )
    total = np.exp(density.log_probability).sum(axis=0)
    if not np.allclose(total, 1.0, rtol=0.0, atol=1e-6):
        c, j = np.argwhere(np.abs(total - 1.0) > 1e-6)[0].tolist()
        expected = f"logarithms of numbers that sum to 1 for class {c} and column {j}"
        refuse(place, expected, f"{total[c, j]:g}")
    return density
