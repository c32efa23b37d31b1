"""What a model file stores of coded columns: the codes, and the transformed family of these."""

from math import isnan

from msgspec import Raw

from gaussbayes.base.records import Record, encode, refuse, within
from gaussbayes.data.schema import Schema
from gaussbayes.families.coded.coding import CategoryCode, Coding, NumberCode
from gaussbayes.families.coded.density import CodedDensity
from gaussbayes.families.coded.family import Coded
from gaussbayes.families.mapped import MappedStatistics
from gaussbayes.families.transformed import record as transformed


class SettingsRecord(Record, frozen=True):
    """The code of each column, and the settings of the family that the codes follow."""

    categories: Raw  # of each column, none if it holds numbers
    categorical: list[bool]  # whether each column holds categories
    missing: list[bool]  # whether missing is one of them
    fillers: Raw  # what missing numbers become; null if none was
    transformed: transformed.SettingsRecord

    @classmethod
    def of(cls, family: Coded) -> "SettingsRecord":
        codes = family.map.of
        return cls(
            encode([getattr(code, "categories", ()) for code in codes]),
            [isinstance(code, CategoryCode) for code in codes],
            [getattr(code, "missing", False) for code in codes],
            encode([getattr(code, "filler", None) for code in codes]),
            transformed.SettingsRecord.of(family.family),
        )

    def read(self) -> Coded:
        d = len(self.categorical)
        categories, fillers = self.categories_of(d), self.floats("fillers", d, missing=True)
        if d == 0 or len(self.missing) != d:
            refuse("missing", "a boolean for each column", len(self.missing))
        coding = Coding(
            tuple(
                CategoryCode(labels, missing)
                if categorical
                else NumberCode(None if isnan(filler) else filler)
                for categorical, labels, missing, filler in zip(
                    self.categorical, categories, self.missing, fillers.tolist(), strict=True
                )
            )
        )
        with within("transformed"):
            inner = self.transformed.read()
        if len(inner.transforms) != coding.width:
            expected = f"{coding.width} transforms, one for each column of codes"
            refuse("transformed.transforms", expected, len(inner.transforms))
        return Coded(inner, coding=coding)


class StatisticsRecord(Record, frozen=True):
    """The statistics of the codes."""

    codes: transformed.StatisticsRecord

    @classmethod
    def of(cls, statistics: MappedStatistics) -> "StatisticsRecord":
        return cls(transformed.StatisticsRecord.of(statistics.inner))

    def read(self, family: Coded, names: Schema) -> MappedStatistics:
        with within("codes"):
            inner = self.codes.read(family.family, _names(family, names))
        return MappedStatistics(family.map, inner)


class DensityRecord(Record, frozen=True):
    """The densities of the codes."""

    codes: transformed.DensityRecord

    @classmethod
    def of(cls, density: CodedDensity) -> "DensityRecord":
        return cls(transformed.DensityRecord.of(density.inner))

    def read(self, family: Coded, names: Schema) -> CodedDensity:
        with within("codes"):
            inner = self.codes.read(family.family, _names(family, names))
        return CodedDensity(family.map, inner)


def _names(family: Coded, names: Schema) -> Schema:
    """What messages call the codes, which must be of these columns."""
    if len(family.map.of) != names.n_features:
        expected = f"from settings with {names.n_features} codes, one for each column"
        refuse("", expected, len(family.map.of))
    return family.map.names(names)
