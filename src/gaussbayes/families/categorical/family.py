"""Categorical distributions: the frequencies of categories in each class.

Given the class the features are independent of each other: their log probabilities are added.
Missing values and new categories are integrated out: the probabilities of all categories sum to 1,
so they add 0 to every class.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.merge_tree import merge_blocks
from gaussbayes.base.threads import for_each, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.categories import (
    MISSING,
    UNSEEN,
    Categories,
    check_categories,
    unite,
)
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.expression import ValueTable, ValueTables
from gaussbayes.families.independent import (
    ClassSums,
    ColumnRatio,
    Smoothed,
    check_alike,
    column_tests,
    proportions_compared,
)
from gaussbayes.families.likelihood_ratio import FamilyTests
from gaussbayes.families.protocol import Fit, Kind, LeftOut, ParameterTable
from gaussbayes.families.removal import Precision, Removal, difference, raise_removal

_COUNTED, _SCORED = 1 << 16, 1 << 14
"""Least number of rows in a block of counting, and rows in a block of scoring."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalStatistics(ClassSums):
    """The weight of each category of each feature, and of missing values, by class.

    The columns of the features are concatenated: ``of(j)`` are those of feature j. Only categories
    with a weight in some class are kept, so two parts may have different categories. Integer
    weights are summed exactly, in any order.
    """

    categories: tuple[Categories, ...]  # q times m_j
    weight: FloatArray  # (k,)
    count: FloatArray  # (k, m), m = Σ m_j
    missing: FloatArray  # (k, q)

    class_axes: ClassVar[dict[str, int]] = {"weight": 0, "count": 0, "missing": 0}

    @property
    def n_columns(self) -> int:
        return len(self.categories)

    @property
    def is_complete(self) -> bool:
        return not self.missing.any()

    @property
    def starts(self) -> list[int]:
        return starts(self.categories)

    def of(self, feature: int) -> FloatArray:
        """The weights (k, m_j) of the categories of one feature, as a view."""
        first, last = self.starts[feature : feature + 2]
        return self.count[:, first:last]

    def __add__(self, other: "CategoricalStatistics") -> "CategoricalStatistics":
        return self.plus(other, Schema(np.arange(self.weight.size), len(self.categories)))

    def plus(self, other: "CategoricalStatistics", names: Schema) -> "CategoricalStatistics":
        mine, theirs = _united(self, other, names)
        check_categories(mine.categories, names)
        return mine.mapped(lambda a, b, _: a + b, theirs)

    def without(self, other: "CategoricalStatistics", names: Schema) -> "CategoricalStatistics":
        """The counts without those of some of the rows; DataError if they are inconsistent.

        Categories without remaining weight are dropped.
        """
        mine, theirs = _united(self, other, names)
        rest = mine.mapped(lambda a, b, _: difference(a, b), theirs)
        for c, column in np.argwhere(rest.count < 0).tolist():
            j = int(np.searchsorted(mine.starts, column, side="right")) - 1
            category = mine.categories[j][column - mine.starts[j]]
            what = f"{names.feature_name(j)} = {category!r:.60} of weight"
            raise_removal(what, theirs.count[c, column], mine.count[c, column], names.class_name(c))
        for c, j in np.argwhere(rest.missing < 0).tolist():
            what = f"missing values of {names.feature_name(j)} of weight"
            raise_removal(what, theirs.missing[c, j], mine.missing[c, j], names.class_name(c))
        return replace(rest, weight=np.maximum(rest.weight, 0.0)).trimmed()

    def tested(self, other: "CategoricalStatistics", names: Schema) -> FamilyTests:
        """Whether the probabilities of each class and feature are those of other rows.

        The reported category is the one whose proportion has changed most.
        """
        mine, theirs = _united(self, other, names)

        def ratio(code: int, column: int) -> ColumnRatio:
            counts = np.stack([each.of(column)[code] for each in (mine, theirs)])
            return proportions_compared(counts, mine.categories[column])

        codes = np.flatnonzero((mine.weight > 0) & (theirs.weight > 0)).tolist()
        return column_tests(ratio, codes, self.n_columns, "probabilities", names)

    def of_columns(self, columns: Sequence[int]) -> "CategoricalStatistics":
        count = np.concatenate([self.of(j) for j in columns], axis=1)
        categories = tuple(self.categories[j] for j in columns)
        return CategoricalStatistics(categories, self.weight, count, self.missing[:, list(columns)])

    def trimmed(self) -> "CategoricalStatistics":
        """The counts without categories of weight 0 in every class."""
        occurs = np.asarray((self.count > 0).any(axis=0))
        if occurs.all():
            return self
        first = self.starts
        categories = tuple(
            tuple(category for at, category in enumerate(column, first[j]) if occurs[at])
            for j, column in enumerate(self.categories)
        )
        return replace(self, categories=categories, count=self.count[:, occurs])

    def with_categories(self, categories: tuple[Categories, ...]) -> "CategoricalStatistics":
        """The same counts among other categories; those not among them become missing values."""
        if categories == self.categories:
            return replace(self, categories=categories)  # True may have become 1
        wider = empty(categories, self.weight.size)
        first, missing = wider.starts, self.missing.copy()
        for j, column in enumerate(self.categories):
            code = translation(column, categories[j])[2:]
            known, count = code >= 0, self.of(j)
            wider.count[:, first[j] + code[known]] = count[:, known]
            if not known.all():
                missing[:, j] += count[:, ~known].sum(axis=1)
        return replace(wider, weight=self.weight, missing=missing)


def empty(categories: tuple[Categories, ...], n_classes: int) -> CategoricalStatistics:
    """The counts of no rows, for categories that may be known."""
    sizes = ((), (starts(categories)[-1],), (len(categories),))
    return CategoricalStatistics(categories, *(np.zeros((n_classes, *size)) for size in sizes))


def starts(categories: tuple[Categories, ...]) -> list[int]:
    return [0, *np.cumsum([len(column) for column in categories], dtype=np.int64).tolist()]


def translation(categories: Categories, known: Categories) -> CodeArray:
    """The codes among known categories of codes −2, −1, 0 … m − 1 among others (2 + m,)."""
    if categories is known or categories == known:
        return np.arange(MISSING, len(known), dtype=np.int32)
    number: dict[Any, int] = {category: code for code, category in enumerate(known)}
    codes = [MISSING, UNSEEN, *(number.get(category, UNSEEN) for category in categories)]
    return np.array(codes, dtype=np.int32)


def count(rows: Rows, targets: Targets, threads: int = 1) -> CategoricalStatistics:
    """The weight of each category in each class.

    Unseen values count as missing. All categories of the rows are kept: see `trimmed`.
    """
    n, k = rows.codes.shape[0], targets.n_classes
    # A block must be larger than its table of counts.
    size = max(_COUNTED, k * starts(rows.categories)[-1])
    if n <= size:
        return _count_block(rows, targets)

    def count_block(block: slice) -> CategoricalStatistics:
        return _count_block(rows[block], targets[block])

    return merge_blocks(count_block, ranges(n, size), threads)


def _count_block(rows: Rows, targets: Targets) -> CategoricalStatistics:
    counts = empty(rows.categories, targets.n_classes)
    first, weights = counts.starts, targets.weights
    soft_weights = None
    if targets.labels.ndim == 2:
        soft_weights = targets.labels if weights is None else targets.labels * weights[:, None]
        counts.weight[:] = soft_weights.sum(axis=0)
    else:
        counts.weight[:] = np.bincount(targets.labels, weights, targets.n_classes)
    for j, column in enumerate(rows.categories):
        # Shifted, so that missing and unseen values have columns too: 0 and 1.
        sums = _sums(rows.codes[:, j].astype(np.intp) + 2, len(column) + 2, targets, soft_weights)
        counts.missing[:, j] = sums[:, 0] + sums[:, 1]
        counts.count[:, first[j] : first[j + 1]] = sums[:, 2:]
    return counts


def _sums(
    code: NDArray[np.intp], size: int, targets: Targets, soft_weights: Any
) -> NDArray[np.floating[Any] | np.intp]:
    """The weight of each code (n,) in each class (k, size)."""
    k = targets.n_classes
    if soft_weights is None:
        place = targets.labels * np.intp(size) + code
        return np.bincount(place, targets.weights, k * size).reshape(k, size)
    return np.stack([np.bincount(code, soft_weights[:, c], size) for c in range(k)])


def _united(
    a: CategoricalStatistics, b: CategoricalStatistics, names: Schema
) -> tuple[CategoricalStatistics, CategoricalStatistics]:
    """Both counts with the union of their categories."""
    if a.categories is b.categories and a.weight.size == b.weight.size:
        return a, b
    check_alike(a, b)
    pairs = zip(a.categories, b.categories, strict=True)
    both = tuple(unite(mine, other, names.feature_name(j)) for j, (mine, other) in enumerate(pairs))
    return a.with_categories(both), b.with_categories(both)


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalDensity:
    """``log p(category | class)`` of the categories of all features, concatenated.

    Without smoothing a category that did not occur in a class has log probability −∞ there.
    """

    categories: tuple[Categories, ...]  # q times m_j
    log_probability: FloatArray  # (k, m), m = Σ m_j

    @property
    def n_classes(self) -> int:
        return int(self.log_probability.shape[0])

    @property
    def n_columns(self) -> int:
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
        n, k = rows.n_rows, self.n_classes
        tables = [self._table(j, column, rows.dtype) for j, column in enumerate(rows.categories)]
        total = np.empty((n, k), dtype=rows.dtype)

        def score_block(block: slice) -> None:
            scores = total[block]
            buffer = scores  # the first feature initialises the scores
            for j, table in enumerate(tables):
                place = rows.codes[block, j].astype(np.intp)
                place += 2
                # "clip" is what np.take can write without a copy; no place is beyond the table.
                np.take(table, place, axis=0, out=buffer, mode="clip")
                if j:
                    scores += buffer
                elif len(tables) > 1:
                    buffer = np.empty_like(scores)

        for_each(score_block, ranges(n, _SCORED), threads)
        return total

    def expect(
        self, rows: Rows, responsibility: FloatArray, threads: int = 1
    ) -> CategoricalStatistics:
        """The counts of rows with soft labels (n, k).

        New categories count as missing. The features are independent, so the expectation of missing
        values follows from the density and adds no information.
        """
        counts = count(rows, Targets(responsibility, self.n_classes), threads)
        return counts.with_categories(self.categories)

    def expect_statistics(
        self, statistics: CategoricalStatistics
    ) -> tuple[CategoricalStatistics, float]:
        counts = statistics.with_categories(self.categories)
        return counts, self.log_likelihood(counts)

    def log_likelihood(self, statistics: CategoricalStatistics) -> float:
        """``Σ w log p(x | c)``; categories that this density does not have add nothing."""
        counts = statistics.with_categories(self.categories).count
        positive = counts > 0
        return float(counts[positive] @ self.log_probability[positive])

    def coordinates(self, names: Schema) -> "RootCoordinates":
        return RootCoordinates(self.categories, self.n_classes)

    def expression(self, statistics: Any) -> ValueTables:
        """The probabilities of the categories of each column, as tables."""
        del statistics  # missing values add nothing
        columns = enumerate(self.categories)
        return ValueTables(tuple(ValueTable(j, values, self.of(j)) for j, values in columns))

    def marginal(self, columns: Sequence[int], names: Schema) -> "CategoricalDensity":
        log_probability = np.concatenate([self.of(j) for j in columns], axis=1)
        return CategoricalDensity(tuple(self.categories[j] for j in columns), log_probability)

    def selected(self, codes: Sequence[int]) -> "CategoricalDensity":
        return replace(self, log_probability=self.log_probability[list(codes)])

    def restarted(self, together: CategoricalStatistics) -> "CategoricalDensity":
        """The density for the categories of all rows, with one average row added to each class."""
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

        A category of probability 0 is never drawn. A feature without categories, because no row had
        a value, is missing in all rows.
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
                    reached /= reached[-1]  # the last is exactly 1, above every random number
                    drawn[rows, j] = np.searchsorted(reached, place[rows], side="right")
        return Rows(np.empty((n, 0)), drawn, self.categories)

    def contributions(
        self, row: Rows, pair: tuple[int, int], _: FloatArray | None
    ) -> tuple[float, FloatArray]:
        """``log p(x_j | a) − log p(x_j | b)`` (q,) of each feature, compared with an unknown value.

        An unknown value has log ratio 0; there is no other point of reference among categories.
        """
        kind = np.dtype(np.float64)
        tables = [self._table(j, column, kind) for j, column in enumerate(row.categories)]
        scores = [table[row.codes[0, j] + 2] for j, table in enumerate(tables)]
        a, b = np.array(scores).T[list(pair)]
        with np.errstate(invalid="ignore"):  # a category with probability 0 in both classes
            return 0.0, a - b

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        titles = names.titles
        return tuple(
            ParameterTable(f"p({titles[j]} | class)", tuple(map(str, column)), np.exp(self.of(j)))
            for j, column in enumerate(self.categories)
        )

    def _table(self, feature: int, categories: Categories, dtype: "np.dtype[Any]") -> RealArray:
        """``log p(category | class)`` (2 + m, k) of the categories of the rows' codes.

        The first two rows are 0: those of missing and unseen values, −2 and −1. The rows of
        categories that this density does not have are 0 as well.
        """
        known = np.concatenate([np.zeros((2, self.n_classes)), self.of(feature).T])
        if categories is not self.categories[feature]:
            known = known[translation(categories, self.categories[feature]) + 2]
        return known.astype(dtype)


def left_out(
    statistics: CategoricalStatistics, smoothing: Sequence[float], targets: Targets
) -> LeftOut:
    """The closed form for some smoothings (s); see `gaussbayes.families.protocol.LeftOut`.

    A row is not reliable if rounding may matter in the remaining counts, or if its class then has
    no value of a feature and, without smoothing, no probabilities.
    """
    precision = Precision.of(targets)
    alpha = np.asarray(smoothing, dtype=np.float64)

    def scores(rows: Rows, removal: Removal) -> tuple[FloatArray, NDArray[np.bool_]]:
        n, k = rows.n_rows, statistics.weight.size
        total, reliable = np.zeros((alpha.size, n, k)), np.ones((alpha.size, n), dtype=bool)
        for j, column in enumerate(rows.categories):
            code = translation(column, statistics.categories[j])[rows.codes[:, j] + 2]
            present = np.flatnonzero((code >= 0) & (removal.lost > 0))
            terms, sound = _of_feature(statistics.of(j), code, removal, present, alpha, precision)
            reliable[:, present] &= sound
            total += terms
        return total, reliable

    return scores


def _of_feature(
    count: FloatArray,
    code: NDArray[np.int32],
    removal: Removal,
    present: NDArray[np.intp],
    alpha: FloatArray,
    precision: Precision,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """``log p(x_j | c)`` (s, n, k) without each row, and whether it is reliable where present."""
    (k, m), total = count.shape, count.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.log((count + alpha[:, None, None]) / (total[:, None] + m * alpha[:, None, None]))
    padded = np.concatenate([np.zeros((alpha.size, 2, k)), table.transpose(0, 2, 1)], axis=1)
    terms = padded[:, code + 2]
    mine, which, gone = removal.codes[present], code[present], removal.lost[present]
    left, left_sound = precision.left(count[mine, which], gone)
    rest, rest_sound = precision.left(total[mine], gone)
    others, others_sound = precision.left(count.sum(axis=0)[which], gone)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log((left + alpha[:, None]) / (rest + m * alpha[:, None]))
    terms[:, present, mine] = np.where(np.isnan(score), -np.inf, score)
    terms[:, present[others == 0]] = 0.0
    sound = left_sound & rest_sound & others_sound & ((rest > 0) | (alpha[:, None] > 0))
    return terms, sound


_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Categorical(Smoothed[CategoricalStatistics, CategoricalDensity]):
    """Categories that are independent given the class: discrete naive Bayes.

    ``p(category | class) = (weight + α) / (weight of all categories + α m)`` of m categories with
    smoothing α. 0 is maximum likelihood; α is a pseudo-count of each category: the mode under a
    Dirichlet prior with parameters 1 + α. Missing values are not counted.

    Examples
    --------
    >>> statistics = CategoricalStatistics(
    ...     (("S", "M"),), np.array([4.0]), np.array([[3.0, 1.0]]), np.zeros((1, 1))
    ... )
    >>> names = Schema(np.array(["dry"]), 1, ("wind",))
    >>> np.exp(Categorical().estimate(statistics, names).density.of(0)).round(12).tolist()
    [[0.75, 0.25]]
    >>> np.exp(Categorical(smoothing=1).estimate(statistics, names).density.of(0)).round(4).tolist()
    [[0.6667, 0.3333]]
    """

    name: ClassVar[str] = "categorical"
    kind: ClassVar[Kind] = "category"

    def observe(
        self, rows: Rows, targets: Targets, names: Schema, threads: int = 1
    ) -> CategoricalStatistics:
        """The weight of each category in each class, without categories of weight 0."""
        return count(rows, targets, threads).trimmed()

    def estimate(
        self,
        statistics: CategoricalStatistics,
        names: Schema,
        threads: int = 1,
        start: CategoricalDensity | None = None,
    ) -> Fit[CategoricalDensity]:
        """The probabilities of the categories with a weight above 0.

        A class without any value of a feature is a DataError unless there is smoothing.
        """
        statistics = statistics.trimmed()
        for j in range(len(statistics.categories) if self.smoothing == 0 else 0):
            known = statistics.of(j).any(axis=1)
            if not known.all():
                owner = f" of class {names.class_name(int(np.argmin(known)))}"
                self._raise_unknown(names.feature_name(j), owner)
        return Fit(self.maximise(statistics, names))

    def start(
        self,
        statistics: CategoricalStatistics,
        together: CategoricalStatistics,
        names: Schema,
        threads: int = 1,
    ) -> CategoricalDensity:
        """The probabilities in each class with one more row, an average of all rows.

        No category has probability 0, even if only unlabelled rows have it: EM would never leave 0.
        """
        repeated = together.selected([0] * statistics.weight.size)
        categories = statistics.plus(repeated, names).categories
        widened, overall = (part.with_categories(categories) for part in (statistics, together))
        count = widened.count.copy()
        first = widened.starts
        for j in range(len(categories)):
            part = overall.of(j)
            count[:, first[j] : first[j + 1]] += part / max(part.sum(), 1.0)
        return self.maximise(replace(widened, count=count), names)

    def maximise(self, expected: CategoricalStatistics, names: Schema) -> CategoricalDensity:
        """The probabilities of the categories; a class without values gets those of all classes."""
        log_probability, first = np.empty_like(expected.count), expected.starts
        for j, column in enumerate(expected.categories):
            weight = expected.of(j) + self.smoothing
            total = weight.sum(axis=1, keepdims=True)
            if not (total > 0).all():
                weight = np.where(total > 0, weight, weight.sum(axis=0))
                weight = np.where(weight.any(axis=1, keepdims=True), weight, 1.0)
                total = weight.sum(axis=1, keepdims=True)
            if column:
                with np.errstate(divide="ignore"):
                    log_probability[:, first[j] : first[j + 1]] = np.log(weight / total)
        return CategoricalDensity(expected.categories, log_probability)

    def log_penalty(self, density: CategoricalDensity) -> float:
        """``α Σ log p``, the log of the Dirichlet prior up to a constant."""
        return self.smoothing * float(density.log_probability.sum()) if self.smoothing else 0.0

    def left_out(
        self,
        statistics: CategoricalStatistics,
        path: Sequence["Categorical"],
        targets: Targets,
        names: Schema,
        *,
        exact: bool = True,
    ) -> LeftOut | None:
        """The closed form of rows with one label each; see `left_out`."""
        del names, exact
        smoothing = [family.smoothing for family in path]
        if targets.is_soft:
            return None
        return left_out(statistics, smoothing, targets)


@dataclass(frozen=True, slots=True)
class RootCoordinates:
    """``2 √p``: a change by 1 is a standard deviation of one row, for any probability.

    Unlike logarithms they converge if a probability tends to 0. Any numbers are valid coordinates:
    probabilities are proportional to their squares.
    """

    categories: tuple[Categories, ...]
    n_classes: int

    def vector(self, density: CategoricalDensity) -> FloatArray:
        return np.asarray(2.0 * np.exp(0.5 * density.log_probability)).ravel()

    def density(self, vector: FloatArray) -> CategoricalDensity:
        """The density with these coordinates."""
        square = np.square(vector.reshape(self.n_classes, -1))
        first = starts(self.categories)
        with np.errstate(divide="ignore", invalid="ignore"):
            for start, stop in pairwise(first):
                square[:, start:stop] /= square[:, start:stop].sum(axis=1, keepdims=True)
            return CategoricalDensity(self.categories, np.log(square))

    def rounding(self, density: CategoricalDensity) -> float:
        """Roots are accurate to a few units in the last place of 2, the largest of them."""
        return 16 * _EPS
