"""Coded columns in a model file: the codes, and the family of these in its own records."""

from typing import Annotated

import numpy as np
from msgspec import Meta

from gaussbayes.base.records import (
    CategoriesRecord,
    NumbersOrNull,
    Record,
    floats,
    numbers,
    read_categories,
    refuse,
    within,
    write_categories,
)
from gaussbayes.base.schema import Schema
from gaussbayes.families.coded.coding import CategoryCode, Code, Coding, NumberCode
from gaussbayes.families.coded.density import CodedDensity
from gaussbayes.families.coded.family import Coded
from gaussbayes.families.coded.statistics import CodedStatistics
from gaussbayes.families.transformed import record as transformed

DensityRecord = transformed.DensityRecord
StatisticsRecord = transformed.StatisticsRecord


class SettingsRecord(Record, frozen=True):
    """The code of each column, and the settings of the family that the codes follow."""

    categorical: Annotated[
        list[bool], Meta(min_length=1, description="whether each column holds categories")
    ]
    fillers: Annotated[
        NumbersOrNull,
        Meta(description="of each column of numbers, what missing ones become; null if none was"),
    ]
    categories: CategoriesRecord
    missing: Annotated[
        list[bool], Meta(description="of each column of categories, whether missing is one of them")
    ]
    transformed: transformed.SettingsRecord


def write_settings(family: Coded) -> SettingsRecord:
    """The settings as a record."""
    codes = family.learnt.of
    fillers = [
        np.nan if code.filler is None else code.filler
        for code in codes
        if isinstance(code, NumberCode)
    ]
    with within("categories"):
        categories = write_categories(family.learnt.categories)
    with within("transformed"):
        inner = transformed.write_settings(family.family)
    return SettingsRecord(
        [isinstance(code, CategoryCode) for code in codes],
        numbers(np.array(fillers), "fillers", missing=True),
        categories,
        [code.missing for code in codes if isinstance(code, CategoryCode)],
        inner,
    )


def read_settings(record: SettingsRecord) -> Coded:
    """The family with these settings."""
    n_categorical = sum(record.categorical)
    n_numbers = len(record.categorical) - n_categorical
    meaning = ", one for each column of numbers"
    fillers = floats(record.fillers, "fillers", n_numbers, meaning, missing=True).tolist()
    with within("categories"):
        categories = read_categories(record.categories, n_categorical)
    if len(record.missing) != n_categorical:
        refuse("missing", f"{n_categorical} booleans", len(record.missing))
    of_numbers = iter([NumberCode(None if np.isnan(filler) else filler) for filler in fillers])
    of_categories = map(CategoryCode, categories, record.missing)
    codes: list[Code] = [
        next(of_categories) if categorical else next(of_numbers)
        for categorical in record.categorical
    ]
    coding = Coding(tuple(codes))
    with within("transformed"):
        inner = transformed.read_settings(record.transformed)
    if len(inner.transforms) != coding.width:
        expected = f"{coding.width} transforms, one for each column of codes"
        refuse("transformed.transforms", expected, len(inner.transforms))
    return Coded(inner, coding=coding)


def _names(family: Coded, names: Schema) -> Schema:
    if len(family.learnt.of) != names.n_features:
        expected = f"from settings with {names.n_features} codes, one for each column"
        refuse("", expected, len(family.learnt.of))
    return family.inner_names(names)


def write_statistics(statistics: CodedStatistics) -> StatisticsRecord:
    """Statistics as a record."""
    return transformed.write_statistics(statistics.inner)


def read_statistics(record: StatisticsRecord, family: Coded, names: Schema) -> CodedStatistics:
    """The statistics of the classes and columns that `names` has."""
    inner = transformed.read_statistics(record, family.family, _names(family, names))
    return CodedStatistics(family.learnt, inner)


def write_density(density: CodedDensity) -> DensityRecord:
    """The densities of the codes as a record."""
    return transformed.write_density(density.inner)


def read_density(record: DensityRecord, family: Coded, names: Schema) -> CodedDensity:
    """The densities of the classes and columns that `names` has."""
    inner = transformed.read_density(record, family.family, _names(family, names))
    return CodedDensity(family.learnt, inner)
