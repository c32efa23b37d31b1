"""Decide for the class of least expected cost, or refuse rows that are ambiguous or novel.

Without costs, the most probable class minimises the expected number of errors. A row is ambiguous
if even the best decision is too uncertain or too costly, and novel if it lies far from all classes
(see `gaussbayes.model.distances`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.checks import finite_number
from gaussbayes.base.errors import OptionError
from gaussbayes.base.numerals import five_digits, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.distances import nearest_p_values
from gaussbayes.model.evaluation import Costs, check_costs, least_cost
from gaussbayes.model.model import Model


def margins(log_posterior: RealArray) -> RealArray:
    """Return the margin of each class over the best other class (n, k).

    ``log p(c | x) − max_{b ≠ c} log p(b | x)``: positive where c is the most probable class, 0 on
    the boundary of its region.
    """
    best = np.full(log_posterior.shape[0], -np.inf, dtype=log_posterior.dtype)
    second = best.copy()
    for column in log_posterior.T:  # much faster than sorting each row
        np.maximum(second, np.minimum(best, column), out=second)
        np.maximum(best, column, out=best)
    # Equally good classes are each other's rivals: best = second.
    rival = np.where(log_posterior == best[:, None], second[:, None], best[:, None])
    result: RealArray = log_posterior - rival
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Decisions(Result):
    """A class for each row, or the reason why the row is rejected.

    `best`, `posterior` and `expected_cost` also describe the best decision for rejected rows.
    """

    best: NDArray[np.intp]  #: (n,) code of the class of least expected cost
    posterior: RealArray  #: (n,) p(best | x)
    expected_cost: FloatArray  #: (n,) of deciding for it; 1 − p(best | x) without costs
    ambiguous: NDArray[np.bool_]  #: (n,) too uncertain or too costly
    novel: NDArray[np.bool_]  #: (n,) far from all classes
    classes: LabelArray  #: (k,) the labels

    def tables(self) -> Sequence[Block]:
        """Return the number of rows by decision, and the first rows."""
        n, outcomes = self.best.size, [*map(str, self.classes.tolist()), "ambiguous", "novel"]
        novel, k = self.novel, self.classes.size
        place = np.where(novel, k + 1, np.where(self.ambiguous, k, self.best))
        counts = np.bincount(place, minlength=k + 2).tolist()
        summary = [
            (shortened(name, 40), f"{count:,}")
            for name, count in zip(outcomes, counts, strict=True)
            if count
        ]
        lines = (
            (
                f"{row:,}",
                shortened(outcomes[place[row]], 24),
                shortened(outcomes[self.best[row]], 24),
                five_digits(float(self.posterior[row])),
                five_digits(float(self.expected_cost[row])),
            )
            for row in range(n)
        )
        columns = ("row", "decision", "best\nclass", "its\nposterior", "expected\ncost")
        return [
            TextTable.first(("decision", "rows"), summary, len(summary)),
            TextTable.first(columns, lines, n, sides="rllr"),
        ]

    @property
    def labels(self) -> LabelArray:
        """The class decided (n,); None for a refused row."""
        labels = self.classes[self.best].astype(object)
        labels[self.refused] = None
        return labels

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Which rows (n,) are refused, for either reason."""
        return self.ambiguous | self.novel

    @property
    def reason(self) -> NDArray[np.str_]:
        """The reason why a row is refused (n,): ``"novel"``, ``"ambiguous"``, or ``""``.

        A row that is both is novel: the posterior of a row far from all classes is meaningless.
        """
        return np.select([self.novel, self.ambiguous], ["novel", "ambiguous"], "")


def decide(
    model: Model,
    rows: Rows,
    *,
    costs: Costs | None = None,
    reject_below: float | None = None,
    reject_cost: float | None = None,
    novelty: float | None = None,
    n_jobs: int | None = 1,
) -> Decisions:
    """Decide for the class of least expected cost, or refuse the row.

    Without costs, every error costs 1. Ties go to the first class. A row is refused if its most
    probable class is less probable than `reject_below`, if the expected cost of the best decision
    exceeds `reject_cost`, or if the p-value of its distance from the nearest class (see
    `gaussbayes.model.distances`) is below the level `novelty`. On average over training sets this
    proportion of new rows is novel if the model is calibrated, and at most this proportion if the
    p-values are exact.

    Examples
    --------
    A disease that costs 50 if it is overlooked is treated from a probability of 1 in 51:

    >>> from gaussbayes import GaussianClassifier
    >>> test = {"positive": [0.5, 0.1], "negative": [0.5, 0.9]}
    >>> model = GaussianClassifier.from_parameters(
    ...     [0.02, 0.98], classes=["ill", "well"], category_probabilities={"test": test}
    ... )
    >>> costs = {("ill", "well"): 50, ("well", "ill"): 1}
    >>> model.decide([["positive"], ["negative"]], costs=costs).labels.tolist()
    ['ill', 'well']
    """
    matrix = None if costs is None else check_costs(costs, model.classes)
    log_posterior = model.log_posterior(rows, n_jobs)
    n = rows.n_rows
    posterior = np.exp(log_posterior)
    every = np.arange(n)
    if matrix is None:
        best = log_posterior.argmax(axis=1)
        expected = -np.expm1(log_posterior[every, best].astype(np.float64))
    else:
        best = least_cost(posterior, matrix)
        expected = (posterior @ matrix)[every, best]
    ambiguous, is_novel = np.zeros((2, n), dtype=np.bool_)
    if reject_below is not None:
        ambiguous |= posterior.max(axis=1) < finite_number("reject_below", reject_below, 0.0, 1.0)
    if reject_cost is not None:
        least = 0.0 if matrix is None else float(matrix.min())
        most = finite_number("reject_cost", reject_cost)
        if most < least:
            msg = (
                f"reject_cost must be at least {least:g}, the least cost of any decision, got "
                f"{most:g}: every row would be left undecided"
            )
            raise OptionError(msg)
        ambiguous |= expected > most
    if novelty is not None:
        is_novel = nearest_p_values(model, rows, n_jobs) < finite_number(
            "novelty", novelty, 0.0, 1.0
        )
    return Decisions(best, posterior[every, best], expected, ambiguous, is_novel, model.classes)
