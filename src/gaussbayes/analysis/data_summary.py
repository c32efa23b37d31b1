"""Labelled rows before any model: how many there are of what, and where each feature lies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class NumberSummary:
    """Range, mean and deviation of a feature that holds numbers, where it is not missing."""

    column: int
    minimum: float
    maximum: float
    mean: float
    deviation: float  # √(Σ (x − mean)² / N)
    class_mean: FloatArray  # (k,) NaN for a class without values
    n_missing: int

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        return self.minimum == self.maximum


@dataclass(frozen=True, slots=True, eq=False)
class CategorySummary:
    """How many rows have each category of a feature."""

    column: int
    categories: tuple[str, ...]
    count: NDArray[np.int64]  # (m,) rows, with or without label
    proportion: FloatArray  # (k, m) among the rows of each class that have a value; NaN without any
    n_missing: int
    class_missing: FloatArray  # (k,) proportions of the rows of each class; NaN without any

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        return bool(np.count_nonzero(self.count) <= 1)


@dataclass(frozen=True, slots=True, eq=False)
class DataSummary:
    """Counts of rows, and a summary of each feature."""

    count: NDArray[np.int64]  # (k,) rows of each class
    proportion: FloatArray  # (k,) of the labelled rows
    n_unlabelled: int
    n_incomplete: int  # rows in which some value is missing
    numbers: tuple[NumberSummary, ...]
    categories: tuple[CategorySummary, ...]

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        numbers = sum(feature.n_missing for feature in self.numbers)
        return numbers + sum(feature.n_missing for feature in self.categories)


def summarise_data(rows: Rows, codes: NDArray[np.intp], schema: Schema) -> DataSummary:
    """Summarise rows whose class codes (n,) are −1 where there is no label."""
    k = schema.classes.shape[0]
    count = np.bincount(codes[codes >= 0], minlength=k)
    matrix = rows.matrix
    numeric = [j for j in range(schema.n_features) if j not in schema.categorical]
    numbers = tuple(
        _summarise_numbers(column, matrix[:, place].astype(np.float64), codes, k)
        for place, column in enumerate(numeric)
    )
    categories = tuple(
        _summarise_categories(column, rows.codes[:, j], rows.categories[j], codes, k)
        for j, column in enumerate(schema.categorical)
    )
    incomplete = np.isnan(matrix).any(axis=1) | (rows.codes < 0).any(axis=1)
    n_unlabelled, n_incomplete = int((codes < 0).sum()), int(incomplete.sum())
    proportion = count / max(1, int(count.sum()))
    return DataSummary(count, proportion, n_unlabelled, n_incomplete, numbers, categories)


def _summarise_numbers(
    column: int, values: FloatArray, codes: NDArray[np.intp], k: int
) -> NumberSummary:
    known = ~np.isnan(values)
    present, of_class = values[known], codes[known]
    n_missing = int(np.count_nonzero(~known))
    if not present.size:
        nan = np.nan
        return NumberSummary(column, nan, nan, nan, nan, np.full(k, nan), n_missing)
    # About one of the values, so that no digit is lost where all are far from 0.
    middle = present[0]
    away = present - middle
    mean = float(away.mean())
    deviation = float(np.sqrt(np.square(away - mean).mean()))
    ends = float(present.min()), float(present.max())
    parts = [away[of_class == code] for code in range(k)]
    class_mean = np.array([middle + part.mean() if part.size else np.nan for part in parts])
    return NumberSummary(column, *ends, float(middle + mean), deviation, class_mean, n_missing)


def _summarise_categories(
    column: int,
    values: NDArray[np.int32],
    categories: Sequence[object],
    codes: NDArray[np.intp],
    k: int,
) -> CategorySummary:
    m = len(categories)
    known = values >= 0
    both = known & (codes >= 0)
    of_class = np.bincount(codes[both] * m + values[both], minlength=k * m).reshape(k, m)
    total = of_class.sum(axis=1, keepdims=True).astype(np.float64)
    count = np.bincount(codes[codes >= 0], minlength=k)
    missing = np.bincount(codes[~known & (codes >= 0)], minlength=k)
    return CategorySummary(
        column=column,
        categories=tuple(map(str, categories)),
        count=np.bincount(values[known], minlength=m),
        proportion=of_class / np.where(total > 0, total, np.nan),
        n_missing=int(np.count_nonzero(~known)),
        class_missing=missing / np.where(count > 0, count, np.nan),
    )


def histogram(values: FloatArray, area: float = 1.0) -> tuple[FloatArray, FloatArray] | None:
    """Heights (m,) and edges (m + 1,) of a histogram with this area; None of a single value.

    By Rice's rule it has twice the cube root of the number of values as many intervals.
    """
    if values.size == 0 or values.min() == values.max():
        return None
    n_intervals = int(np.ceil(2 * np.cbrt(values.size)))
    heights, edges = np.histogram(values, bins=n_intervals, density=True)
    return area * heights, edges


def proportions(values: FloatArray, points: FloatArray, area: float = 1.0) -> FloatArray:
    """The proportion of values (n,) at each of some points (m,), times a factor.

    Points are sorted and equally spaced; values between two of them count for the lower one. All
    are 0 if there are no values.
    """
    step = points[1] - points[0] if points.size > 1 else 1.0
    count = np.histogram(values, bins=np.append(points, points[-1] + step) - 1e-9 * step)[0]
    return area * count / max(1, values.size)
