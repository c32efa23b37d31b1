"""Counts: Poisson distributions, ``p(x | c) = Π_j λ_cj^x_j exp(−λ_cj) / x_j!``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta, Raw
from numpy.typing import NDArray

from gaussbayes.base.records import Record, encode, refuse
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.expression import PoissonRates
from gaussbayes.families.independent import (
    ColumnDensity,
    ColumnRatio,
    ColumnSums,
    IndependentColumns,
    Place,
    check_values,
    check_weight,
    linear_log_likelihood,
    score_blocks,
)
from gaussbayes.families.likelihood_ratio import rates
from gaussbayes.families.protocol import ParameterTable, Reference

LARGEST = 2.0**53
"""The largest count: up to here every integer is a float."""

_TABLE = 16
"""Counts below this are looked up."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonStatistics(ColumnSums):
    """Weight of rows without and with a value, number of events, and log-factorials."""

    summed: ClassVar[tuple[str, ...]] = ("missing", "observed", "total", "log_factorial")

    @staticmethod
    def terms(numbers: FloatArray, place: Place) -> FloatArray:
        """Whether each of the counts (n, d) is missing, is there, itself, and log x! (4, n, d)."""
        present, counts = check_counts(numbers, place)
        return np.stack([~present, present, counts, log_factorial(counts)])

    @property
    def observed(self) -> FloatArray:
        return np.asarray(self.sums[1])

    @property
    def total(self) -> FloatArray:
        """The weighted sums of the counts (k, d)."""
        return np.asarray(self.sums[2])

    compared: ClassVar[str] = "rate"

    def column_ratio(self, other: "PoissonStatistics", code: int, column: int) -> ColumnRatio:
        """The rates, and their ratio given the sum of the events."""
        both = (self, other)
        events, rows = (
            np.array([getattr(each, name)[code, column] for each in both])
            for name in ("total", "observed")
        )
        with np.errstate(invalid="ignore"):
            before, after = (events / rows).tolist()
        return self.compared, before, after, rates(events, rows)


def mean_of_all(statistics: PoissonStatistics) -> FloatArray:
    """The mean count of the rows of all classes (1, d); 0 where no row has a count."""
    total = statistics.total.sum(axis=-2, keepdims=True)
    observed = statistics.observed.sum(axis=-2, keepdims=True)
    mean: FloatArray = np.divide(total, observed, out=np.zeros_like(total), where=observed > 0)
    return mean


def check_counts(numbers: FloatArray, place: Place) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which of the numbers (n, d) are not missing, and the counts, 0 where they are."""
    present = ~np.isnan(numbers)
    counts = np.where(present, numbers, 0.0)
    possible = (counts >= 0) & (counts <= LARGEST) & (np.rint(counts) == counts)
    check_values(numbers, possible, "an integer from 0 to 2⁵³ (family 'poisson')", place)
    return present, counts


def log_factorial(counts: FloatArray) -> FloatArray:
    """``log x!`` of integers."""
    largest = counts.max(initial=0.0)
    if largest < counts.size // 2:  # looked up, if these are fewer than there are to calculate
        return log_factorial(np.arange(largest + 1)).take(counts.astype(np.intp))
    positive = np.maximum(counts, 1.0)
    return np.asarray(positive * np.log(positive) - counts + stirling_error(counts))


def stirling_error(counts: FloatArray) -> FloatArray:
    """``log x! − (x log x − x)`` of integers, right to the last digits however large they are."""
    large = np.maximum(counts, float(_TABLE))
    inverse = 1.0 / large
    square = inverse * inverse
    # Stirling's series; the first term left out is below 1e-15.
    last = 1 / 1260 - square * (1 / 1680 - square / 1188)
    series = inverse * (1 / 12 - square * (1 / 360 - square * last))
    asymptotic = 0.5 * np.log(2 * np.pi * large) + series
    small = np.minimum(counts, _TABLE - 1).astype(np.intp)
    return np.where(counts < _TABLE, _SMALL[small], asymptotic)


_NUMBERS = np.arange(1.0, _TABLE)
_SMALL = np.concatenate(
    [[0.0], np.cumsum(np.log(_NUMBERS)) - (_NUMBERS * np.log(_NUMBERS) - _NUMBERS)]
)


_REACH = np.concatenate([[0.0], np.arange(0.5, 19.0, 0.75)])
"""How far from the root of a rate `draw_widely` draws, in all; −2 · 18.5² is about log 1e-300."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonDensity(ColumnDensity):
    """The rate of each class and column; 0 makes every count but 0 impossible.

    If the rates are smoothed, `overall` is what they were shrunk towards.
    """

    rate: FloatArray  # (k, d)
    overall: FloatArray | None = None
    """(d,) the mean count of all rows; None if nothing is smoothed, or it comes from a file."""

    statistics_type: ClassVar[type[ColumnSums]] = PoissonStatistics

    @property
    def shape(self) -> tuple[int, int]:
        return self.rate.shape

    @property
    def mean(self) -> FloatArray:
        return self.rate

    @property
    def variance(self) -> FloatArray:
        return self.rate

    @property
    def integers(self) -> tuple[float, float]:
        return 0.0, np.inf

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k).

        Of the counts up to the largest of a block it is looked up, if they are fewer than the rows.
        """
        tables: dict[int, FloatArray] = {}

        def looked_up(j: int, counts: FloatArray, largest: int) -> FloatArray:
            table = tables.get(j)
            if table is None or largest >= table.shape[0]:
                counted = np.arange(2.0 ** (largest + 1).bit_length())
                table = tables[j] = log_probability(counted[:, None], self.rate[:, j])
            return table.take(counts.astype(np.intp), axis=0)

        def score(numbers: FloatArray, place: Place) -> FloatArray:
            present, counts = check_counts(numbers, place)
            scores = np.zeros((counts.shape[0], self.n_classes))
            for j in range(self.n_columns):
                values, largest = counts[:, j], int(counts[:, j].max(initial=0.0))
                if largest < rows.n_rows:
                    terms = looked_up(j, values, largest)
                else:
                    terms = log_probability(values[:, None], self.rate[:, j])
                if not present[:, j].all():
                    terms[~present[:, j]] = 0.0
                scores += terms
            return scores

        return score_blocks(score, rows, self.n_classes, threads)

    def expression(self, statistics: Any) -> PoissonRates:
        """The rates, as a record."""
        del statistics  # what is missing adds nothing
        return PoissonRates(self.rate)

    def by_column(self, numbers: FloatArray) -> FloatArray:
        """``log p(x_j | c)`` of numbers that go with the rates: row i with those of class i."""
        missing = np.isnan(numbers)
        counts = np.where(missing, 0.0, numbers)
        return np.where(missing, 0.0, log_probability(counts, self.rate))

    def log_likelihood(self, statistics: PoissonStatistics) -> float:
        """``Σ (total log λ − observed λ) − Σ w log x!``."""
        with np.errstate(divide="ignore"):
            natural = np.stack([-self.rate, np.log(self.rate), -np.ones(self.rate.shape)])
        return linear_log_likelihood(statistics.sums[1:], natural)

    def coordinates(self, names: Schema) -> "RootRates":
        return RootRates(self.rate.shape, self.overall)

    def marginal(self, columns: Sequence[int], names: Schema) -> "PoissonDensity":
        overall = None if self.overall is None else self.overall[list(columns)]
        return PoissonDensity(self.rate[:, list(columns)], overall)

    def selected(self, codes: Sequence[int]) -> "PoissonDensity":
        return replace(self, rate=self.rate[list(codes)])

    def restarted(self, together: PoissonStatistics) -> "PoissonDensity":
        """The density with one more row in each class, which is the average of all rows."""
        weight, average = np.maximum(together.observed, 1.0), mean_of_all(together)
        rate = (weight * self.rate + average) / (weight + 1.0)
        return PoissonDensity(rate, average[0])

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        return number_rows(generator.poisson(self.rate[codes]).astype(np.float64))

    def draw_widely(
        self, codes: CodeArray, generator: np.random.Generator
    ) -> tuple[Rows, FloatArray]:
        """Counts of one row for each class code (n,), unusual ones among them, and weights.

        Half of the rows are drawn from the model, the others with rates ``(√λ ± r / √d)²``, the
        sign at random in each column and r from 0.5 to 18.5: √x has a standard deviation of about
        ½, so that this is where rows of probability 1e-300 are found. A row weighs as much as it is
        more probable in the model than in this mixture: at most 2.
        """
        n, d = codes.size, self.n_columns
        number = np.where(generator.random(n) < 0.5, 0, generator.integers(1, _REACH.size, size=n))
        sign = generator.choice(np.array([-1.0, 1.0]), size=(n, d))
        rate = self.rate[codes]
        reach = _REACH / np.sqrt(d)
        counts = generator.poisson(_shifted(rate, sign * reach[number, None])).astype(np.float64)
        proportion = np.full(_REACH.size, 0.5 / (_REACH.size - 1))
        proportion[0] = 0.5
        ratios = [
            np.logaddexp(*(_log_ratio(counts, rate, _shifted(rate, s * r)) for s in (-1, 1)))
            for r in reach
        ]
        each = np.stack([(ratio - np.log(2.0)).sum(axis=1) for ratio in ratios])
        mixture = np.logaddexp.reduce(each + np.log(proportion)[:, None], axis=0)
        return number_rows(counts), np.exp(-mixture)

    def draw_between(self, pairs: NDArray[np.intp], generator: np.random.Generator) -> Rows:
        """Counts of one row for each pair of classes (n,), number ``a k + b``.

        ``√(p(x | a) p(x | b))`` is in proportion to a Poisson distribution of rate ``√(λ_a λ_b)``.
        """
        root = np.sqrt(self.rate)
        rate = root[pairs // self.n_classes] * root[pairs % self.n_classes]
        return number_rows(generator.poisson(rate).astype(np.float64))

    def log_overlap(self) -> FloatArray:
        """``−½ Σ_j (√λ_aj − √λ_bj)²`` (k, k)."""
        root = np.sqrt(self.rate)
        return np.stack([0.0 - 0.5 * np.square(root - other).sum(axis=1) for other in root])

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: Reference | None
    ) -> tuple[float, FloatArray]:
        """``x log(λ_a / λ_b) − (λ_a − λ_b)`` (d,), compared with unknown counts, which add 0."""
        (a, b), x = self.rate[list(pair)], row.matrix[0].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(x == 0, 0.0, x * (np.log(a) - np.log(b))) - (a - b)
        return 0.0, np.where(np.isnan(x), 0.0, ratio)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        return (ParameterTable("rate", names.titles, self.rate),)


def log_probability(counts: FloatArray, rate: FloatArray) -> FloatArray:
    """``x log λ − λ − log x!`` of integers, by how far the rate is from them.

    The first and the last are huge where x is, and nearly cancel: ``log x! = x log x − x + s(x)``
    makes of them ``−(λ − x − x log(λ / x)) − s(x)``.
    """
    counts, rate = np.broadcast_arrays(counts, rate)
    logarithm = _log_quotient(rate, np.maximum(counts, 1.0))
    product = np.zeros(counts.shape)
    np.multiply(counts, logarithm, out=product, where=counts > 0)
    return product - (rate - counts) - stirling_error(counts)


def _log_quotient(a: FloatArray, b: FloatArray) -> FloatArray:
    """``log(a / b)``, right to the last digits of ``a − b``; −∞ where a is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = (a - b) / b
        far = np.log(a) - np.log(b)
    near = np.log1p(np.clip(relative, -0.5, 0.5))
    return np.where(np.abs(relative) < 0.5, near, far)


def _shifted(rate: FloatArray, distance: FloatArray) -> FloatArray:
    """Rates whose square roots are so far from those given; 0 stays 0."""
    return np.where(rate > 0, np.square(np.maximum(np.sqrt(rate) + distance, 0.0)), 0.0)


def _log_ratio(counts: FloatArray, rate: FloatArray, other: FloatArray) -> FloatArray:
    """``log p(x | other rate) − log p(x | rate)`` of counts that the rate allows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = counts * (np.log(other) - np.log(rate))
    return np.where(counts > 0, slope, 0.0) - (other - rate)


_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Poisson(IndependentColumns[PoissonStatistics, PoissonDensity]):
    """Counts 0, 1, 2, … that are independent given the class.

    ``rate = (number of events + α m) / (weight of the rows that have a count + α)`` with smoothing
    α and the mean count m of the rows of all classes. 0 is maximum likelihood, and a rate of 0
    makes every count but 0 impossible; α is the weight of imagined rows in each class that have the
    mean count of all rows: the mode under a gamma prior of shape 1 + α m and inverse scale α.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[3.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Poisson().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Poisson().estimate(statistics, names).density.rate.tolist()
    [[1.5], [0.0]]
    >>> Poisson(smoothing=1).estimate(statistics, names).density.rate.round(4).tolist()
    [[1.3333], [0.5]]
    """

    name: ClassVar[str] = "poisson"
    content: ClassVar[str] = "count"  # what files must hold; see `gaussbayes.data.roles`
    statistics_type: ClassVar[type[ColumnSums]] = PoissonStatistics

    def density(self, sums: PoissonStatistics, together: Any = None) -> PoissonDensity:
        """The rates; of classes that have no values in a column, they must be smoothed."""
        if self.smoothing == 0:
            return PoissonDensity(sums.total / sums.observed)
        overall = mean_of_all(sums if together is None else together)
        rate = (sums.total + self.smoothing * overall) / (sums.observed + self.smoothing)
        return PoissonDensity(rate, overall[..., 0, :])

    def log_penalty(self, density: PoissonDensity) -> float:
        """``α Σ (m log λ − λ)``, the log of the gamma prior up to a constant."""
        if self.smoothing == 0:
            return 0.0
        assert density.overall is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            product = np.where(density.overall > 0, density.overall * np.log(density.rate), 0.0)
        return self.smoothing * float((product - density.rate).sum())


@dataclass(frozen=True, slots=True, eq=False)
class RootRates:
    """``2 √λ``: a change by 1 is a standard deviation of one row, whatever the rate.

    Unlike logarithms they converge where a rate tends to 0, and reach it.
    """

    shape: tuple[int, ...]
    overall: FloatArray | None  # (d,)

    def vector(self, density: PoissonDensity) -> FloatArray:
        return np.asarray(2.0 * np.sqrt(density.rate)).ravel()

    def density(self, vector: FloatArray) -> PoissonDensity:
        """The density with these coordinates."""
        return PoissonDensity(np.square(0.5 * vector).reshape(self.shape), self.overall)

    def rounding(self, density: PoissonDensity) -> float:
        """Roots are right to a few units in their last place."""
        return 16 * _EPS * max(1.0, float(np.sqrt(density.rate.max(initial=0.0))))


class SettingsRecord(Record, frozen=True):
    """What a model file stores of the settings."""

    smoothing: Annotated[float, Meta(ge=0)]

    def read(self) -> Poisson:
        return Poisson(self.smoothing)


class StatisticsRecord(Record, frozen=True):
    """The weights of the classes, and the sums of each class and column."""

    weight: Raw
    missing: Raw
    observed: Raw
    total: Raw
    log_factorial: Raw

    @classmethod
    def of(cls, statistics: PoissonStatistics) -> "StatisticsRecord":
        return cls(*map(encode, (statistics.weight, *statistics.sums)))

    def read(self, _: Poisson, names: Schema) -> PoissonStatistics:
        k, d = names.classes.shape[0], names.n_features
        sums = [self.weights(name, k, d) for name in PoissonStatistics.summed]
        statistics = PoissonStatistics(self.weights("weight", k), np.stack(sums))
        check_weight(statistics.weight, statistics.missing + statistics.observed)
        if ((statistics.observed == 0) & (statistics.total > 0)).any():
            refuse("total", "0 where no row has a value")
        return statistics


class DensityRecord(Record, frozen=True):
    """The rates, class by class."""

    rate: Raw

    def read(self, _: Poisson, names: Schema) -> PoissonDensity:
        return PoissonDensity(self.weights("rate", names.classes.shape[0], names.n_features))
