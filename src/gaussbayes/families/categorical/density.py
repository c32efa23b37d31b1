"""The probability of each category, given the class, and what follows from it.

Given the class the features are independent of each other: their log probabilities are added. A
missing value and a category never seen in training are integrated out: whatever they are, their
probabilities sum to 1, and they add 0 to every class.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.categories import MISSING, Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.categorical.statistics import (
    CategoricalStatistics,
    count,
    starts,
    translation,
)
from gaussbayes.families.independent import draw_powers
from gaussbayes.families.protocol import ParameterTable, Reference

_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalDensity:
    """``log p(category | class)`` of every category of every feature, beside each other.

    Without smoothing a category that never occurred in a class has probability 0 there: −∞.
    """

    categories: tuple[Categories, ...]  # q times m_j
    log_probability: FloatArray  # (k, m), m = Σ m_j

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.log_probability.shape[0])

    @property
    def n_columns(self) -> int:
        """How many features there are."""
        return len(self.categories)

    @property
    def n_parameters(self) -> int:
        """Free parameters: for each class and feature one less than it has categories."""
        return self.n_classes * sum(max(0, len(column) - 1) for column in self.categories)

    def of(self, feature: int) -> FloatArray:
        """``log p(category | class)`` (k, m_j) of one feature, as a view."""
        first, last = starts(self.categories)[feature : feature + 2]
        return self.log_probability[:, first:last]

    def log_density(self, rows: Rows, threads: int = 1) -> RealArray:
        """``Σ_j log p(x_j | c)`` (n, k) over the features of each row."""
        n, k = rows.n_rows, self.n_classes
        tables = [self._table(j, column, rows.dtype) for j, column in enumerate(rows.categories)]
        total = np.empty((n, k), dtype=rows.dtype)

        def score_block(block: slice) -> None:
            scores = total[block]
            buffer = scores  # of the first feature the scores are all there is
            for j, table in enumerate(tables):
                place = rows.codes[block, j].astype(np.intp)
                place += 2
                # "clip" is what np.take can write without a copy; no place is beyond the table.
                np.take(table, place, axis=0, out=buffer, mode="clip")
                if j:
                    scores += buffer
                elif len(tables) > 1:
                    buffer = np.empty_like(scores)

        for_each(score_block, ranges(n, _BLOCK), threads)
        return total

    def expect(
        self, rows: Rows, responsibility: FloatArray, threads: int = 1
    ) -> CategoricalStatistics:
        """The counts of rows that belong to each class in part (n, k).

        What is missing, or not among the categories of this density, counts as missing: as the
        features are independent, its expectation is what the density says already.
        """
        counts = count(rows, Targets(responsibility, self.n_classes), threads)
        return counts.with_categories(self.categories)

    def expect_statistics(
        self, statistics: CategoricalStatistics
    ) -> tuple[CategoricalStatistics, float]:
        """The counts among the categories of this density, and their log-likelihood."""
        counts = statistics.with_categories(self.categories)
        return counts, self.log_likelihood(counts)

    def log_likelihood(self, statistics: CategoricalStatistics) -> float:
        """``Σ w log p(x | c)``; categories that this density does not know add nothing."""
        counts = statistics.with_categories(self.categories).count
        positive = counts > 0
        return float(counts[positive] @ self.log_probability[positive])

    def marginal(self, columns: Sequence[int], names: Schema) -> "CategoricalDensity":
        """The density of some of the features: the others are independent of them."""
        log_probability = np.concatenate([self.of(j) for j in columns], axis=1)
        return CategoricalDensity(tuple(self.categories[j] for j in columns), log_probability)

    def selected(self, codes: Sequence[int]) -> "CategoricalDensity":
        """Only the classes with these codes, in this order."""
        return replace(self, log_probability=self.log_probability[list(codes)])

    def restarted(self, together: CategoricalStatistics) -> "CategoricalDensity":
        """The density for the categories of all rows, each class having one more average row."""
        known = np.concatenate(
            [np.zeros((self.n_classes, 2)), np.exp(self.log_probability)], axis=1
        )
        probability, first = np.empty((self.n_classes, together.starts[-1])), together.starts
        for j, column in enumerate(together.categories):
            code = translation(column, self.categories[j])[2:]
            place = np.where(code >= 0, code + starts(self.categories)[j] + 2, 0)
            total = max(together.of(j).sum(), 1.0)
            blended = total * known[:, place] + together.of(j) / total
            probability[:, first[j] : first[j + 1]] = blended / blended.sum(axis=1, keepdims=True)
        return CategoricalDensity(together.categories, np.log(probability))

    def draw(self, codes: CodeArray, generator: np.random.Generator) -> Rows:
        """The categories of one row for each class code (n,).

        A category of probability 0 is never drawn; of a feature that has no categories, because no
        row had a value of it, all values are missing.
        """
        n = codes.size
        drawn = np.full((n, self.n_columns), MISSING, dtype=np.int32, order="F")
        by_class = np.split(
            np.argsort(codes, kind="stable"),
            np.cumsum(np.bincount(codes, minlength=self.n_classes))[:-1],
        )
        for j, column in enumerate(self.categories):
            if column:
                place, probability = generator.random(n), np.exp(self.of(j))
                for c, rows in enumerate(by_class):
                    reached = np.cumsum(probability[c])
                    reached /= reached[-1]  # the last is 1 exactly, and above every number
                    drawn[rows, j] = np.searchsorted(reached, place[rows], side="right")
        return Rows(np.empty((n, 0)), drawn, self.categories)

    def draw_widely(
        self, codes: CodeArray, generator: np.random.Generator
    ) -> tuple[Rows, FloatArray]:
        """The categories of one row for each class code (n,), rare ones among them, and weights."""
        return draw_powers(self, codes, generator)

    def draw_between(self, pairs: NDArray[np.intp], generator: np.random.Generator) -> Rows:
        """A row's categories for each pair of classes (n,), number ``a k + b``, in this order.

        They are drawn with probabilities in proportion to ``√(p(m | a) p(m | b))``; the two classes
        must have categories in common.
        """
        k, log_probability = self.n_classes, self.log_probability
        parts = []
        # Of one class a and several others at a time.
        for group in np.split(pairs, np.flatnonzero(np.diff(pairs // k)) + 1):
            others, number = np.unique(group % k, return_inverse=True)
            root = 0.5 * (log_probability[group[0] // k] + log_probability[others])
            between = replace(self, log_probability=root)
            parts.append(between.draw(number.astype(np.int32), generator).codes)
        return Rows(np.empty((pairs.size, 0)), np.concatenate(parts), self.categories)

    def log_overlap(self) -> FloatArray:
        """``Σ_j log Σ_m √(p_j(m | a) p_j(m | b))`` (k, k); −∞ without any category in common."""
        total = np.zeros((self.n_classes, self.n_classes))
        for j, column in enumerate(self.categories):
            if column:
                root = np.exp(0.5 * self.of(j))
                with np.errstate(divide="ignore"):
                    total += np.log(root @ root.T)
        np.fill_diagonal(total, 0.0)
        return np.minimum(total, 0.0)

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: Reference | None
    ) -> tuple[float, FloatArray]:
        """``log p(x_j | a) − log p(x_j | b)`` (q,) of each feature, compared with an unknown value.

        An unknown value has log ratio 0; there is no other point of reference among categories.
        """
        kind = np.dtype(np.float64)
        tables = [self._table(j, column, kind) for j, column in enumerate(row.categories)]
        scores = [table[row.codes[0, j] + 2] for j, table in enumerate(tables)]
        a, b = np.array(scores).T[list(pair)]
        with np.errstate(invalid="ignore"):  # of a category that neither class has
            return 0.0, a - b

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The probabilities of the categories, one table a feature."""
        titles = names.titles
        return tuple(
            ParameterTable(f"p({titles[j]} | class)", tuple(map(str, column)), np.exp(self.of(j)))
            for j, column in enumerate(self.categories)
        )

    def _table(self, feature: int, categories: Categories, dtype: "np.dtype[Any]") -> RealArray:
        """``log p(category | class)`` (2 + m, k) of the categories that rows are coded by.

        The first two rows are 0: those of missing and unseen values, −2 and −1. So are those of
        categories that this density does not know.
        """
        known = np.concatenate([np.zeros((2, self.n_classes)), self.of(feature).T])
        if categories is not self.categories[feature]:
            known = known[translation(categories, self.categories[feature]) + 2]
        return known.astype(dtype)

    def to_the_power(self, power: float) -> "CategoricalDensity":
        """Probabilities in proportion to a power of those given; 0 stays 0."""
        raised = np.full_like(self.log_probability, -np.inf)
        possible = self.log_probability > -np.inf
        np.multiply(self.log_probability, power, out=raised, where=possible)
        density = replace(self, log_probability=raised)
        for j, column in enumerate(self.categories):
            if column:
                part = density.of(j)
                part -= np.logaddexp.reduce(part, axis=1, keepdims=True)
        return density

    def log_density_in(self, rows: Rows, codes: CodeArray) -> FloatArray:
        """``Σ_j log p(x_j | c)`` (n,) of each row, drawn from this density, in a class."""
        total = np.zeros(codes.size)
        for j, column in enumerate(self.categories):
            if column:
                total += self.of(j)[codes, rows.codes[:, j]]
        return total
