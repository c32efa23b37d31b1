"""The categorical family: counts and smoothing → the probability of each category."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.categorical.density import CategoricalDensity
from gaussbayes.families.categorical.left_out import left_out
from gaussbayes.families.categorical.statistics import CategoricalStatistics, count, starts
from gaussbayes.families.independent import Smoothed
from gaussbayes.families.protocol import Fit, Kind, LeftOut

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Categorical(Smoothed):
    """Categories that are independent given the class: discrete naive Bayes.

    ``p(category | class) = (weight + α) / (weight of all categories + α m)`` of m categories with
    smoothing α. 0 is maximum likelihood; α is the weight of as many imagined rows in each category,
    the mode under a Dirichlet prior with parameters 1 + α. Missing values count nowhere.

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

    def __post_init__(self) -> None:
        if type(self.smoothing) is not float or not 0.0 <= self.smoothing < np.inf:
            super(Categorical, self).__post_init__()

    def observe(self, rows: Rows, targets: Targets, names: Schema, threads: int = 1) -> Any:
        """How much each category weighs in each class, for those that weigh anything."""
        return count(rows, targets, threads).trimmed()

    def estimate(self, statistics: Any, names: Schema, threads: int = 1, start: Any = None) -> Fit:
        """The probabilities of the categories that weigh anything.

        A class without any value of a feature is a DataError unless there is smoothing.
        """
        statistics = statistics.trimmed()
        for j in range(len(statistics.categories) if self.smoothing == 0 else 0):
            known = statistics.of(j).any(axis=1)
            if not known.all():
                owner = f" of class {names.class_name(int(np.argmin(known)))}"
                self._raise_unknown(names.feature_name(j), owner)
        return Fit(self.maximise(statistics, names))

    def n_parameters(self, n_classes: int, n_columns: int) -> int | None:
        """None: it depends on the categories that occur."""
        return None

    def start(self, statistics: Any, together: Any, names: Schema, threads: int = 1) -> Any:
        """The probabilities in each class with one more row, as are all rows together.

        No category has probability 0, also if only unlabelled rows have it: EM would never leave 0.
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
        """The probabilities of the categories; those of all classes where one has no value."""
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

    def coordinates(self, start: CategoricalDensity, names: Schema) -> "RootCoordinates":
        """Twice the square roots of the probabilities."""
        return RootCoordinates(start.categories, start.n_classes)

    def left_out(
        self, statistics: Any, path: Sequence["Categorical"], targets: Targets, names: Schema
    ) -> LeftOut | None:
        """The closed form of rows with one label each; see `left_out`."""
        del names  # nothing can be wrong with categories
        smoothing = [family.smoothing for family in path]
        return None if targets.is_soft else left_out(statistics, smoothing, targets)


@dataclass(frozen=True, slots=True)
class RootCoordinates:
    """``2 √p``: a change by 1 is a standard deviation of one row, whatever the probability.

    Unlike logarithms they converge where a probability tends to 0, and reach it. Numbers of any
    size and sign are coordinates of the probabilities in proportion to their squares.
    """

    categories: tuple[Categories, ...]
    n_classes: int

    def vector(self, density: CategoricalDensity) -> FloatArray:
        """The coordinates (k m,)."""
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
        """Roots are right to a few units in the last place of 2, the largest of them."""
        return 16 * _EPS
