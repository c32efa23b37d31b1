"""What a model file stores of coded columns: the codes, and the transformed family of these."""

from typing import Annotated

import numpy as np
from msgspec import Meta, Raw

from gaussbayes.base.records import CategoriesRecord, Record, array, refuse, within
from gaussbayes.base.schema import Schema
from gaussbayes.families.coded.coding import CategoryCode, Coding, NumberCode
from gaussbayes.families.coded.density import CodedDensity
from gaussbayes.families.coded.family import Coded
from gaussbayes.families.coded.statistics import CodedStatistics
from gaussbayes.families.transformed import record as transformed


class SettingsRecord(Record, frozen=True):
    """The code of each column, and the settings of the family that the codes follow."""

    categorical: Annotated[list[bool], Meta(min_length=1)]  # whether each column holds categories
    fillers: Raw  # of each column of numbers, what missing ones become; null if none was
    categories: CategoriesRecord
    missing: list[bool]  # of each column of categories, whether missing is one of them
    transformed: transformed.SettingsRecord

    @classmethod
    def of(cls, family: Coded) -> "SettingsRecord":
        codes = family.learnt.of
        fillers = [code.filler for code in codes if isinstance(code, NumberCode)]
        return cls(
            [isinstance(code, CategoryCode) for code in codes],
            array(np.array(fillers, dtype=np.float64)),
            CategoriesRecord.of(family.learnt.categories),
            [code.missing for code in codes if isinstance(code, CategoryCode)],
            transformed.SettingsRecord.of(family.family),
        )

    def read(self) -> Coded:
        q = sum(self.categorical)
        fillers = self.floats("fillers", len(self.categorical) - q, missing=True).tolist()
        with within("categories"):
            categories = self.categories.read(q)
        if len(self.missing) != q:
            refuse("missing", f"{q} booleans", len(self.missing))
        numbers = (NumberCode(None if np.isnan(filler) else filler) for filler in fillers)
        labels = map(CategoryCode, categories, self.missing)
        held = self.categorical
        coding = Coding(tuple(next(labels) if each else next(numbers) for each in held))
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
    def of(cls, statistics: CodedStatistics) -> "StatisticsRecord":
        return cls(transformed.StatisticsRecord.of(statistics.inner))

    def read(self, family: Coded, names: Schema) -> CodedStatistics:
        with within("codes"):
            inner = self.codes.read(family.family, _names(family, names))
        return CodedStatistics(family.learnt, inner)


class DensityRecord(Record, frozen=True):
    """The densities of the codes."""

    codes: transformed.DensityRecord

    @classmethod
    def of(cls, density: CodedDensity) -> "DensityRecord":
        return cls(transformed.DensityRecord.of(density.inner))

    def read(self, family: Coded, names: Schema) -> CodedDensity:
        with within("codes"):
            inner = self.codes.read(family.family, _names(family, names))
        return CodedDensity(family.learnt, inner)


def _names(family: Coded, names: Schema) -> Schema:
    """What messages call the codes, which must be of these columns."""
    if len(family.learnt.of) != names.n_features:
        expected = f"from settings with {names.n_features} codes, one for each column"
        refuse("", expected, len(family.learnt.of))
    return family.inner_names(names)
