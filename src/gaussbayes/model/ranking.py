"""How well scores rank the rows of each class above the others: the area under the ROC curve.

The area (AUC) of a class is the probability that one of its rows scores higher than one of another
class; a tie counts half.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.kernels.reference import log_sum_exp


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Rows from the highest score of a class to the lowest; rows with equal scores together."""

    positive: FloatArray  # (u,) rows of the class so far
    negative: FloatArray  # (u,) rows of other classes so far

    @property
    def area(self) -> tuple[float, float]:
        """The area under the ROC curve and its standard error; NaN if one side has no rows.

        Let V₁ᵢ be the proportion of other rows below row i of the class, and V₀ⱼ that of rows of
        the class above another row j, ties half. The area is the mean of either, and its variance
        is var(V₁) / n₁ + var(V₀) / n₀ (DeLong, DeLong and Clarke-Pearson 1988): a jackknife. A
        variance of one row is not known; that of numbers from 0 to 1 is at most A (1 − A).
        """
        totals = self.positive[-1], self.negative[-1]
        if not all(totals):
            return np.nan, np.nan
        weights = [np.diff(rows, prepend=0.0) for rows in (self.positive, self.negative)]
        above = self.negative - 0.5 * weights[1], self.positive - 0.5 * weights[0]
        proportions = 1.0 - above[0] / totals[1], above[1] / totals[0]
        area, variance = float(np.average(proportions[0], weights=weights[0])), 0.0
        for values, weight, n in zip(proportions, weights, totals, strict=True):
            square = np.average(np.square(values - area), weights=weight)
            variance += square / (n - 1) if n > 1 else area * (1.0 - area)
        return area, float(np.sqrt(variance))


def rank(log_posterior: RealArray, truth: NDArray[Any]) -> tuple[Ranking, ...]:
    """Rank rows by the log posteriors (n, k) of each class; codes (n,) or soft labels (n, k).

    Examples
    --------
    >>> log_posterior = np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> [each.area[0] for each in rank(log_posterior, np.array([0, 0, 1, 1]))]  # ¾, and a tie
    [0.875, 0.875]
    """
    rankings = []
    for code, odds in enumerate(log_odds_against_rest(log_posterior).T):
        of_class = truth[:, code] if truth.ndim == 2 else truth == code
        order = np.argsort(-odds, kind="stable")
        ranked = odds[order]
        last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of equal scores
        totals = np.cumsum(np.stack([of_class, 1.0 - of_class])[:, order], axis=1)[:, last]
        rankings.append(Ranking(*totals))
    return tuple(rankings)


def log_odds_against_rest(log_posterior: RealArray) -> FloatArray:
    """``log p(c | x) − log Σ_{b ≠ c} p(b | x)`` (n, k).

    They rank rows as posteriors do, but still tell rows apart whose posteriors round to 1.
    """
    scores = np.array(log_posterior.T, dtype=np.float64, order="C")  # (k, n)
    best = log_posterior.argmax(axis=1), np.arange(scores.shape[1])
    with np.errstate(divide="ignore"):
        odds = scores - np.log1p(-np.minimum(np.exp(scores), 1.0))
    # 1 − p loses digits where p is near 1; the other posteriors are there.
    highest = scores[best]
    scores[best] = -np.inf
    odds[best] = highest - log_sum_exp(scores.T)
    result: FloatArray = odds.T
    return result
