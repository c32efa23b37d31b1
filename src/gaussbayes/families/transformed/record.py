"""Transformed columns in a model file: the transforms, and the family of z in its own records."""

from dataclasses import astuple, fields
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from gaussbayes.base.records import Numbers, Record, floats, numbers, refuse, within
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import TransformName
from gaussbayes.families.gaussian import record as gaussian
from gaussbayes.families.transformed.density import TransformedDensity, density_of
from gaussbayes.families.transformed.family import Transformed
from gaussbayes.families.transformed.statistics import TransformedStatistics
from gaussbayes.families.transformed.transform import (
    TRANSFORMS,
    RankNormal,
    Transform,
    Transforms,
)

_MOST_KNOTS = 10_000

DensityRecord = gaussian.DensityRecord


class TransformRecord(Record, frozen=True):
    """A transform of one column, and its numbers in the order of the documentation."""

    kind: TransformName
    numbers: Numbers


class SettingsRecord(Record, frozen=True):
    """The transform of each column, and the settings of the family that the transformed follow."""

    transforms: Annotated[list[TransformRecord], Meta(min_length=1)]
    family: Literal["gaussian"]
    settings: gaussian.SettingsRecord


class StatisticsRecord(Record, frozen=True):
    """Statistics of the transformed columns, and the weighted sums of the logarithms of slopes."""

    transformed: gaussian.StatisticsRecord
    log_slope: Numbers


def write_settings(family: Transformed) -> SettingsRecord:
    """The settings as a record."""
    transforms = []
    for j, transform in enumerate(family.learnt.of):
        values = np.concatenate([np.atleast_1d(part) for part in astuple(transform)])
        transforms.append(
            TransformRecord(transform.kind, numbers(values, f"transforms[{j}].numbers"))
        )
    return SettingsRecord(transforms, "gaussian", gaussian.write_settings(family.family))


def read_settings(record: SettingsRecord) -> Transformed:
    """The family with these settings."""
    transforms = []
    for j, each in enumerate(record.transforms):
        with within(f"transforms[{j}]"):
            transforms.append(_read_transform(each))
    with within("settings"):
        inner = gaussian.read_settings(record.settings)
    return Transformed(tuple(transforms), inner)


def _read_transform(record: TransformRecord) -> Transform:
    kind, place = TRANSFORMS[record.kind], "numbers"
    if kind is RankNormal:
        knots = floats(record.numbers, place, None, longest=2 * _MOST_KNOTS)
        half = knots.size // 2
        x, z = knots[:half], knots[half:]
        if x.size != z.size or half < 2 or not (np.diff(x) > 0).all() or not (np.diff(z) > 0).all():
            refuse(place, "at least two knots: all x in increasing order, then as many z likewise")
        return RankNormal(tuple(x.tolist()), tuple(z.tolist()))
    names = [field.name for field in fields(kind)]
    values = floats(record.numbers, place, len(names), f": {', '.join(names)}").tolist()
    for at, (name, value) in enumerate(zip(names, values, strict=True)):
        if name in {"unit", "scale", "reach_below", "reach_above"} and not value > 0:
            refuse(f"{place}[{at}]", f"a {name} above 0", value)
    given = dict(zip(names, values, strict=True))
    if "lowest" in given and not given["lowest"] < given["highest"]:
        refuse(f"{place}[{names.index('lowest')}]", "below the highest", given["lowest"])
    return kind(**given)


def _transforms(family: Transformed, names: Schema) -> Transforms:
    transforms = family.learnt
    if len(transforms.of) not in {1, names.n_features}:
        expected = f"from settings with {names.n_features} transforms, one for each column, or one"
        refuse("", expected, len(transforms.of))
    return transforms


def write_statistics(statistics: TransformedStatistics) -> StatisticsRecord:
    """Statistics as a record."""
    with within("transformed"):
        inner = gaussian.write_statistics(statistics.inner)
    return StatisticsRecord(inner, numbers(statistics.log_slope, "log_slope"))


def read_statistics(
    record: StatisticsRecord, family: Transformed, names: Schema
) -> TransformedStatistics:
    """The statistics of the classes and columns that `names` has."""
    k, d = names.classes.shape[0], names.n_features
    transforms = _transforms(family, names)
    with within("transformed"):
        inner = gaussian.read_statistics(record.transformed, family.family, names)
    meaning = ", one for each class and column"
    log_slope = floats(record.log_slope, "log_slope", k * d, meaning).reshape(k, d)
    return TransformedStatistics(transforms, inner, log_slope)


def write_density(density: TransformedDensity) -> gaussian.DensityRecord:
    """The densities of the transformed columns as a record."""
    return gaussian.write_density(density.inner)


def read_density(
    record: gaussian.DensityRecord, family: Transformed, names: Schema
) -> TransformedDensity:
    """The densities of the classes and columns that `names` has."""
    inner = gaussian.read_density(record, family.family, names)
    return density_of(_transforms(family, names), inner)
