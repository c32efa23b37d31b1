"""The records of transformed columns in a model file: the transforms, and the family of z."""

from dataclasses import astuple, fields
from typing import Annotated

from msgspec import Meta, Raw

from gaussbayes.base.records import Record, encode, refuse, within
from gaussbayes.base.types import TransformName
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import record as gaussian
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.spanned import Spanned
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.transformed.density import TransformedDensity
from gaussbayes.families.transformed.family import Transformed
from gaussbayes.families.transformed.transform import TRANSFORMS, Transform, Transforms

_POSITIVE = {"unit", "scale", "reach_below", "reach_above"}


class TransformRecord(Record, frozen=True):
    """A transform of one column, and its numbers in the order of the documentation."""

    kind: TransformName
    numbers: Raw

    @classmethod
    def of(cls, transform: Transform) -> "TransformRecord":
        return cls(transform.kind, encode(astuple(transform)))

    def read(self) -> Transform:
        kind = TRANSFORMS[self.kind]
        names = [field.name for field in fields(kind)]
        given = dict(zip(names, self.floats("numbers", len(names)).tolist(), strict=True))
        if not all(given[name] > 0 for name in _POSITIVE & given.keys()):
            refuse("numbers", "units, scales and reaches above 0", given)
        if "lowest" in given and not given["lowest"] < given["highest"]:
            refuse("numbers", "a lowest number below the highest", given)
        return kind(**given)


class SettingsRecord(Record, frozen=True):
    """The transform of each column, and the settings of the inner family."""

    transforms: Annotated[list[TransformRecord], Meta(min_length=1)]
    settings: gaussian.SettingsRecord

    @classmethod
    def of(cls, family: Transformed) -> "SettingsRecord":
        transforms = [TransformRecord.of(transform) for transform in family.map.of]
        return cls(transforms, gaussian.SettingsRecord.of(_gaussian(family)))

    def read(self) -> Transformed:
        transforms = []
        for j, record in enumerate(self.transforms):
            with within(f"transforms[{j}]"):
                transforms.append(record.read())
        with within("settings"):
            return Transformed(tuple(transforms), self.settings.read())


class StatisticsRecord(Record, frozen=True):
    """Statistics of the transformed columns, and the weighted sums of the logarithms of slopes."""

    transformed: gaussian.StatisticsRecord
    log_slope: Raw

    @classmethod
    def of(cls, statistics: MappedStatistics) -> "StatisticsRecord":
        inner = gaussian.StatisticsRecord.of(statistics.inner)
        return cls(inner, encode(statistics.log_slope))

    def read(self, family: Transformed, names: Schema) -> MappedStatistics:
        transforms = _transforms(family, names)
        with within("transformed"):
            inner = self.transformed.read(_gaussian(family), names)
        log_slope = self.floats("log_slope", names.classes.shape[0], names.n_features)
        return MappedStatistics(transforms, inner, log_slope)


class DensityRecord(Record, frozen=True):
    """The densities of the transformed columns."""

    transformed: gaussian.DensityRecord

    @classmethod
    def of(cls, density: TransformedDensity) -> "DensityRecord":
        return cls(gaussian.DensityRecord.of(density.inner))

    def read(self, family: Transformed, names: Schema) -> TransformedDensity:
        with within("transformed"):
            inner = self.transformed.read(_gaussian(family), names)
        return TransformedDensity(_transforms(family, names), inner)


def _transforms(family: Transformed, names: Schema) -> Transforms:
    if len(family.map.of) != names.n_features:
        expected = f"from settings with {names.n_features} transforms, one for each column"
        refuse("", expected, len(family.map.of))
    return family.map


def _gaussian(family: Transformed) -> Gaussian | Spanned:
    """The family of transformed columns, which model files contain."""
    assert isinstance(family.family, Gaussian | Spanned)
    return family.family
