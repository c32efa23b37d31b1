"""Columns of 0 and 1: Bernoulli distributions, ``Π_j p_cj^x_j (1 − p_cj)^(1 − x_j)``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.records import NumbersOrNull, Record, Weights
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.expression import ValueTable, ValueTables
from gaussbayes.families.independent import (
    ColumnDensity,
    ColumnRatio,
    ColumnSums,
    IndependentColumns,
    Place,
    check_total,
    check_values,
    draw_powers,
    linear_log_likelihood,
    linear_scores,
    log_power,
    log_probabilities,
    logarithms,
    read_sums,
    score_blocks,
    write_settings,
    write_sums,
)
from gaussbayes.families.independent import SmoothingRecord as SettingsRecord
from gaussbayes.families.likelihood_ratio import contingency
from gaussbayes.families.protocol import ParameterTable, Reference


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliStatistics(ColumnSums):
    """Weight of rows without a value, with 0, and with 1."""

    summed: ClassVar[tuple[str, ...]] = ("missing", "zeros", "ones")

    @staticmethod
    def terms(numbers: FloatArray, place: Place) -> FloatArray:
        """Whether each of the numbers (n, d) is missing, is 0, is 1 (3, n, d)."""
        terms = np.stack([np.isnan(numbers), numbers == 0, numbers == 1])
        check_values(numbers, np.asarray(terms.any(axis=0)), "0 or 1 (family 'bernoulli')", place)
        return terms.astype(np.float64)

    @property
    def observed(self) -> FloatArray:
        return np.asarray(self.sums[1] + self.sums[2])

    compared: ClassVar[str] = "proportion"

    def column_ratio(self, other: "BernoulliStatistics", code: int, column: int) -> ColumnRatio:
        """The proportions of 1, and the ratio of a 2 × 2 table."""
        counts = np.stack([each.sums[1:, code, column] for each in (self, other)])
        with np.errstate(invalid="ignore"):
            before, after = (counts[:, 1] / counts.sum(axis=1)).tolist()
        return f"{self.compared} of 1", before, after, contingency(counts)


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliDensity(ColumnDensity):
    """``log p(0 | class)`` and ``log p(1 | class)`` of each column; −∞ is a probability of 0.

    Both are kept: of a probability next to 1 the other could not be told.
    """

    log_probability: FloatArray  # (2, k, d)

    statistics_type: ClassVar[type[ColumnSums]] = BernoulliStatistics

    @property
    def shape(self) -> tuple[int, int]:
        return self.log_probability.shape[1:]

    @property
    def probability(self) -> FloatArray:
        """The probabilities of 1 (k, d)."""
        return np.asarray(np.exp(self.log_probability[1]))

    mean = probability

    @property
    def deviation(self) -> FloatArray:
        return np.asarray(np.exp(0.5 * self.log_probability.sum(axis=0)))

    @property
    def variance(self) -> FloatArray:
        """``p (1 − p)`` (k, d)."""
        return np.square(self.deviation)

    @property
    def integers(self) -> tuple[float, float]:
        return 0.0, 1.0

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        def score(numbers: FloatArray, place: Place) -> FloatArray:
            terms = BernoulliStatistics.terms(numbers, place)
            return linear_scores(terms[1:], self.log_probability)

        return score_blocks(score, rows, self.n_classes, threads)

    def expression(self, statistics: Any) -> ValueTables:
        """The probabilities of 0 and 1 in each column, as tables."""
        del statistics  # what is missing adds nothing
        columns = enumerate(np.moveaxis(self.log_probability, 2, 0))
        tables = (ValueTable(j, (0.0, 1.0), table.T, is_open=False) for j, table in columns)
        return ValueTables(tuple(tables))

    def by_column(self, numbers: FloatArray) -> FloatArray:
        """``log p(x_j | c)`` of numbers that go with the probabilities: row i with class i."""
        log_zero, log_one = self.log_probability
        return np.where(numbers == 1, log_one, np.where(numbers == 0, log_zero, 0.0))

    def log_likelihood(self, statistics: BernoulliStatistics) -> float:
        """``Σ (zeros log p(0) + ones log p(1))``."""
        return linear_log_likelihood(statistics.sums[1:], self.log_probability)

    def marginal(self, columns: Sequence[int], names: Schema) -> "BernoulliDensity":
        return BernoulliDensity(self.log_probability[:, :, list(columns)])

    def selected(self, codes: Sequence[int]) -> "BernoulliDensity":
        return BernoulliDensity(self.log_probability[:, list(codes)])

    def restarted(self, together: BernoulliStatistics) -> "BernoulliDensity":
        """The density with one more row in each class, which is the average of all rows."""
        weight = np.maximum(together.observed, 1.0)
        blended = weight * np.exp(self.log_probability) + together.sums[1:] / weight
        with np.errstate(divide="ignore"):  # of a value that no row has
            return BernoulliDensity(np.log(blended / blended.sum(axis=0)))

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        return number_rows(_drawn(self.log_probability[:, codes], generator))

    draw_widely = draw_powers

    def to_the_power(self, power: float) -> "BernoulliDensity":
        """Probabilities in proportion to a power of those given; 0 stays 0."""
        raised = log_power(self.log_probability, power)
        raised -= np.logaddexp(raised[0], raised[1])
        return BernoulliDensity(raised)

    def log_density_in(self, rows: Rows, codes: CodeArray) -> FloatArray:
        of_rows = BernoulliDensity(self.log_probability[:, codes])
        return np.asarray(of_rows.by_column(rows.matrix.astype(np.float64)).sum(axis=1))

    def draw_between(self, pairs: NDArray[np.intp], generator: np.random.Generator) -> Rows:
        """One row for each pair of classes (n,), number ``a k + b``.

        Drawn in proportion to ``√(p(x | a) p(x | b))``; the two must have values in common.
        """
        k, log_probability = self.n_classes, self.log_probability
        root = 0.5 * (log_probability[:, pairs // k] + log_probability[:, pairs % k])
        return number_rows(_drawn(root, generator))

    def log_overlap(self) -> FloatArray:
        """``Σ_j log (√(p_aj p_bj) + √((1 − p_aj) (1 − p_bj)))`` (k, k)."""
        root = np.exp(0.5 * self.log_probability)
        with np.errstate(divide="ignore"):
            total = np.log(np.einsum("vaj,vbj->abj", root, root)).sum(axis=2)
        np.fill_diagonal(total, 0.0)
        return np.asarray(np.minimum(total, 0.0))

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: Reference | None
    ) -> tuple[float, FloatArray]:
        """``log p(x_j | a) − log p(x_j | b)`` (d,), compared with unknown values, which add 0."""
        a, b = (self.selected([code]).by_column(row.matrix.astype(np.float64))[0] for code in pair)
        with np.errstate(invalid="ignore"):  # of a value that neither class has
            return 0.0, a - b

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        return (ParameterTable("p(1 | class)", names.titles, self.probability),)


def _drawn(log_weight: FloatArray, generator: np.random.Generator) -> FloatArray:
    """0 or 1 (n, d) with probabilities in proportion to weights (2, n, d), not both of them 0."""
    with np.errstate(over="ignore"):
        probability = 1.0 / (1.0 + np.exp(log_weight[0] - log_weight[1]))
    return np.asarray(generator.random(probability.shape) < probability, dtype=np.float64)


_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Bernoulli(IndependentColumns):
    """Columns of 0 and 1 that are independent given the class.

    ``p(1 | class) = (weight of 1 + α) / (weight of 0 and 1 + 2 α)`` with smoothing α. 0 is maximum
    likelihood; α is the weight of as many imagined rows with each of both, the mode under a beta
    prior with parameters 1 + α.

    Examples
    --------
    >>> from gaussbayes.data.rows import Targets, number_rows
    >>> rows, names = number_rows(np.array([[1.0], [0.0], [0.0]])), Schema(np.array(["a", "b"]), 1)
    >>> statistics = Bernoulli().observe(rows, Targets(np.array([0, 0, 1], np.int32), 2), names)
    >>> Bernoulli().estimate(statistics, names).density.probability.round(12).tolist()
    [[0.5], [0.0]]
    >>> Bernoulli(smoothing=1).estimate(statistics, names).density.probability.round(4).tolist()
    [[0.5], [0.3333]]
    """

    name: ClassVar[str] = "bernoulli"
    content: ClassVar[str] = "bit"  # what files must hold; see `gaussbayes.data.roles`
    statistics_type: ClassVar[type[ColumnSums]] = BernoulliStatistics

    def density(self, sums: BernoulliStatistics, together: Any = None) -> BernoulliDensity:
        """The probabilities; of classes that have no values in a column, they must be smoothed."""
        weight = sums.sums[1:] + self.smoothing
        with np.errstate(divide="ignore"):
            return BernoulliDensity(np.log(weight / weight.sum(axis=0)))

    def determined(self, sums: BernoulliStatistics) -> NDArray[np.bool_]:
        """Where there is a density (k, d): where any row has a value, be it an imagined one."""
        return np.asarray(sums.observed + self.smoothing > 0)

    def log_penalty(self, density: BernoulliDensity) -> float:
        """``α Σ (log p + log(1 − p))``, the log of the beta prior up to a constant."""
        return self.smoothing * float(density.log_probability.sum()) if self.smoothing else 0.0

    def coordinates(self, start: BernoulliDensity, names: Schema) -> "Angles":
        return Angles((start.n_classes, start.n_columns))


@dataclass(frozen=True, slots=True)
class Angles:
    """``2 arcsin √p``: a change by 1 is a standard deviation of one row, whatever the probability.

    Unlike log-odds they converge where a probability tends to 0 or 1. Every number is an angle.
    """

    shape: tuple[int, int]

    def vector(self, density: BernoulliDensity) -> FloatArray:
        root = np.exp(0.5 * density.log_probability)
        return np.asarray(2.0 * np.arctan2(root[1], root[0])).ravel()

    def density(self, vector: FloatArray) -> BernoulliDensity:
        """The density with these coordinates."""
        angle = 0.5 * vector.reshape(self.shape)
        with np.errstate(divide="ignore"):
            return BernoulliDensity(2.0 * np.log(np.abs([np.cos(angle), np.sin(angle)])))

    def rounding(self, density: BernoulliDensity) -> float:
        """Angles are right to a few units in the last place of π."""
        return 16 * _EPS


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
    return Bernoulli(record.smoothing)


def write_statistics(statistics: BernoulliStatistics) -> StatisticsRecord:
    return StatisticsRecord(**write_sums(statistics))


def read_statistics(record: StatisticsRecord, _: Any, names: Schema) -> BernoulliStatistics:
    return read_sums(BernoulliStatistics, record, names)


def write_density(density: BernoulliDensity) -> DensityRecord:
    return DensityRecord(logarithms(density.log_probability, "log_probability"))


def read_density(record: DensityRecord, _: Any, names: Schema) -> BernoulliDensity:
    shape, place = (2, names.classes.shape[0], names.n_features), "log_probability"
    each = "value, class and column"
    log_probability = log_probabilities(record.log_probability, place, shape, each)
    check_total(log_probability, 0, place, "")
    return BernoulliDensity(log_probability)
