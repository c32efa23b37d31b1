"""Bernoulli distributions: ``p(x | c) = Π_j p_cj^x_j (1 − p_cj)^(1 − x_j)``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.independent import (
    ColumnDensity,
    ColumnSums,
    Place,
    check_values,
    draw_powers,
    linear_log_likelihood,
    linear_scores,
    score_blocks,
)
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
        """How much the rows with a value weigh (k, d)."""
        return np.asarray(self.sums[1] + self.sums[2])


@dataclass(frozen=True, slots=True, eq=False)
class BernoulliDensity(ColumnDensity):
    """``log p(0 | class)`` and ``log p(1 | class)`` of each column; −∞ is a probability of 0.

    Both are kept: of a probability next to 1 the other could not be told.
    """

    log_probability: FloatArray  # (2, k, d)

    statistics_type: ClassVar[type[ColumnSums]] = BernoulliStatistics

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and of columns."""
        return self.log_probability.shape[1:]

    @property
    def probability(self) -> FloatArray:
        """The probabilities of 1 (k, d)."""
        return np.asarray(np.exp(self.log_probability[1]))

    @property
    def mean(self) -> FloatArray:
        """The probabilities of 1 (k, d)."""
        return self.probability

    @property
    def deviation(self) -> FloatArray:
        """``√(p (1 − p))`` (k, d)."""
        return np.asarray(np.exp(0.5 * self.log_probability.sum(axis=0)))

    @property
    def variance(self) -> FloatArray:
        """``p (1 − p)`` (k, d)."""
        return np.square(self.deviation)

    @property
    def integers(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``log p(x | c)`` (n, k)."""

        def score(numbers: FloatArray, place: Place) -> FloatArray:
            terms = BernoulliStatistics.terms(numbers, place)
            return linear_scores(terms[1:], self.log_probability)

        return score_blocks(score, rows, self.n_classes, threads)

    def by_column(self, numbers: FloatArray) -> FloatArray:
        """``log p(x_j | c)`` of numbers that go with the probabilities: row i with class i."""
        log_zero, log_one = self.log_probability
        return np.where(numbers == 1, log_one, np.where(numbers == 0, log_zero, 0.0))

    def log_likelihood(self, statistics: BernoulliStatistics) -> float:
        """``Σ (zeros log p(0) + ones log p(1))``."""
        return linear_log_likelihood(statistics.sums[1:], self.log_probability)

    def marginal(self, columns: Sequence[int], names: Schema) -> "BernoulliDensity":
        """The density of some of the columns: the others are independent of them."""
        return BernoulliDensity(self.log_probability[:, :, list(columns)])

    def selected(self, codes: Sequence[int]) -> "BernoulliDensity":
        """Only the classes with these codes, in this order."""
        return BernoulliDensity(self.log_probability[:, list(codes)])

    def restarted(self, together: BernoulliStatistics) -> "BernoulliDensity":
        """The density with one more row in each class, which is the average of all rows."""
        weight = np.maximum(together.observed, 1.0)
        blended = weight * np.exp(self.log_probability) + together.sums[1:] / weight
        with np.errstate(divide="ignore"):  # of a value that no row has
            return BernoulliDensity(np.log(blended / blended.sum(axis=0)))

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """0 or 1 in each column of one row for each class code (n,)."""
        return number_rows(_drawn(self.log_probability[:, codes], generator))

    def draw_widely(
        self, codes: CodeArray, generator: np.random.Generator
    ) -> tuple[Rows, FloatArray]:
        """One row for each class code (n,), unusual ones among them, and weights."""
        return draw_powers(self, codes, generator)

    def to_the_power(self, power: float) -> "BernoulliDensity":
        """Probabilities in proportion to a power of those given; 0 stays 0."""
        raised = np.full_like(self.log_probability, -np.inf)
        possible = self.log_probability > -np.inf
        np.multiply(self.log_probability, power, out=raised, where=possible)
        raised -= np.logaddexp(raised[0], raised[1])
        return BernoulliDensity(raised)

    def log_density_in(self, rows: Rows, codes: CodeArray) -> FloatArray:
        """``log p(x | c)`` (n,) of each row in a class."""
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
        """The probabilities of 1."""
        return (ParameterTable("p(1 | class)", names.titles, self.probability),)


def _drawn(log_weight: FloatArray, generator: np.random.Generator) -> FloatArray:
    """0 or 1 (n, d) with probabilities in proportion to weights (2, n, d), not both of them 0."""
    with np.errstate(over="ignore"):
        probability = 1.0 / (1.0 + np.exp(log_weight[0] - log_weight[1]))
    return np.asarray(generator.random(probability.shape) < probability, dtype=np.float64)
