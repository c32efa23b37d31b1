"""The records of pairs in a model file: the levels of columns, and the counts other than 0."""

from typing import Annotated

import numpy as np
from msgspec import Meta, Raw

from gaussbayes.base.records import MOST_STRINGS, Record, encode, refuse, within
from gaussbayes.data.schema import Schema
from gaussbayes.families.independent import check_weight
from gaussbayes.families.pairs.density import PairsDensity
from gaussbayes.families.pairs.family import MOST_COUNTS, Pairs
from gaussbayes.families.pairs.levels import Bins, ColumnLevels, Groups, Levels
from gaussbayes.families.pairs.statistics import PairStatistics
from gaussbayes.families.removal import ROUNDING


class SettingsRecord(Record, frozen=True):
    """The settings, and the levels of the columns one after the other."""

    bins: Annotated[int, Meta(ge=2)]
    backoff: Annotated[float, Meta(gt=0)]
    limited: bool
    categorical: list[bool]  # whether each column holds categories
    missing: list[bool]  # whether missing values of each column have a level
    n_bins: Raw  # of each column; 0 if it holds categories
    lowest: Raw  # of each bin
    highest: Raw
    categories: Raw  # of each column, none if it holds numbers
    level: Raw  # of each category

    @classmethod
    def of(cls, family: Pairs) -> "SettingsRecord":
        columns = family.fixed.of
        assert family.bins != "auto"
        bins = [column for column in columns if isinstance(column, Bins)]
        return cls(
            family.bins,
            family.backoff,
            family.limited,
            [isinstance(column, Groups) for column in columns],
            [column.missing for column in columns],
            encode([len(column.lowest) if isinstance(column, Bins) else 0 for column in columns]),
            encode([value for column in bins for value in column.lowest]),
            encode([value for column in bins for value in column.highest]),
            encode([getattr(column, "categories", ()) for column in columns]),
            encode([number for column in columns for number in getattr(column, "level", ())]),
        )

    def read(self) -> Pairs:
        d = len(self.categorical)
        if d == 0:
            refuse("categorical", "a boolean for each column", "none")
        if len(self.missing) != d:
            refuse("missing", f"{d} booleans", len(self.missing))
        sizes = self.integers("n_bins", d, most=MOST_COUNTS)
        if ((sizes == 0) != self.categorical).any():
            refuse("n_bins", "0 for the columns that hold categories, and for no others")
        lowest = self.floats("lowest", int(sizes.sum()))
        highest = self.floats("highest", lowest.size)
        ends, categories = np.cumsum(sizes).tolist(), self.categories_of(d)
        numbers = [len(column) for column in categories]
        level = self.integers("level", sum(numbers), most=MOST_STRINGS).tolist()
        columns: list[ColumnLevels] = []
        for j, (size, end) in enumerate(zip(sizes.tolist(), ends, strict=True)):
            some = slice(end - size, end)
            if self.categorical[j]:
                groups, level = tuple(level[: numbers[j]]), level[numbers[j] :]
                if set(groups) != set(range(max(groups, default=-1) + 1)):
                    refuse("level", f"all integers from 0 up for the categories of column {j}")
                columns.append(Groups(categories[j], groups, self.missing[j]))
            else:
                ordered = np.ravel([lowest[some], highest[some]], order="F")
                inner = (lowest[some][1:] > highest[some][:-1]).all()
                if categories[j] or (np.diff(ordered) < 0).any() or not inner:
                    refuse("lowest", f"the bins of column {j}, in increasing order")
                ends = tuple(ordered[::2].tolist()), tuple(ordered[1::2].tolist())
                columns.append(Bins(*ends, self.missing[j]))
        return Pairs(self.bins, self.backoff, Levels(tuple(columns)), self.limited)


class StatisticsRecord(Record, frozen=True):
    """The counts that are not 0, of pairs whose first level is not above the second."""

    weight: Raw
    missing: Raw
    n_counts: Annotated[int, Meta(ge=0, le=MOST_COUNTS)]
    place: Raw  # (class · V + first level) · V + second level, of V levels
    count: Raw

    @classmethod
    def of(cls, statistics: PairStatistics) -> "StatisticsRecord":
        upper = np.triu(statistics.count).ravel()
        place = np.flatnonzero(upper)
        weight, missing = encode(statistics.weight), encode(statistics.missing)
        return cls(weight, missing, place.size, encode(place), encode(upper[place]))

    def read(self, family: Pairs, names: Schema) -> PairStatistics:
        k, d, levels = names.classes.shape[0], names.n_features, family.fixed
        if len(levels.of) != d:
            refuse("", f"from settings with the levels of {d} columns", len(levels.of))
        size = k * levels.size**2
        if size > MOST_COUNTS:
            refuse("", f"of levels with at most {MOST_COUNTS:,} pairs", f"{size:,}")
        weight, missing = self.weights("weight", k), self.weights("missing", k, d)
        place = self.integers("place", self.n_counts, most=size - 1)
        if (np.diff(place) <= 0).any():
            refuse("place", "integers in increasing order")
        upper = np.zeros(size)
        upper[place] = self.weights("count", self.n_counts)
        upper = upper.reshape(k, levels.size, levels.size)
        count = upper + np.triu(upper, 1).mT
        statistics = PairStatistics(levels, weight, missing, count)
        check_weight(weight, statistics.observed + missing)
        _check_counts(statistics)
        return statistics


def _check_counts(statistics: PairStatistics) -> None:
    """Raise unless the counts of pairs are possible for rows."""
    levels, size = statistics.levels, statistics.levels.size
    within_column = levels.column[:, None] == levels.column
    if (statistics.count * (within_column & ~np.eye(size, dtype=bool))).any():
        refuse("count", "0 for two levels of one column")
    most = statistics.single + ROUNDING * statistics.weight[:, None]
    if (statistics.beside > most[:, :, None]).any() or (np.triu(statistics.count) < 0).any():
        refuse("count", "counts of pairs that are not above those of their levels")


class DensityRecord(Record, frozen=True):
    """The expected counts from which the probabilities follow."""

    counts: StatisticsRecord

    @classmethod
    def of(cls, density: PairsDensity) -> "DensityRecord":
        assert density.counted is not None
        return cls(StatisticsRecord.of(density.counted))

    def read(self, family: Pairs, names: Schema) -> PairsDensity:
        with within("counts"):
            counts = self.counts.read(family, names)
        density: PairsDensity = family.estimate(counts, names).density
        return density
