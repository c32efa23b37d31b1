"""The curves of an evaluation: ROC, precision-recall and calibration."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.kernels.reference import log_sum_exp

_MOST_POINTS = 200  # of a curve
_GROUPS = 10  # equal intervals of [0, 1] of a calibration curve


@dataclass(frozen=True, slots=True, eq=False)
class RankingCurve:
    """The ROC curve of a class against all others, and its precision-recall curve.

    The area under the ROC curve (AUC) is the probability that a row of the class scores higher than
    one of another class; a tie counts half.
    """

    label: object  #: the class
    false_positive_rate: FloatArray  #: (m,) from 0 to 1
    true_positive_rate: FloatArray  #: (m,) from 0 to 1: the recall
    precision: FloatArray  #: (m,) 1 where no row is predicted as the class
    area: float  #: under the ROC curve; NaN if one side has no rows
    standard_error: float  #: of the area
    average_precision: float  #: mean precision, weighted by the gains in recall

    @property
    def recall(self) -> FloatArray:
        """The true positive rate, as precision-recall curves call it."""
        return self.true_positive_rate


def ranking_curves(
    log_posterior: RealArray, truth: NDArray[Any], labels: Sequence[object]
) -> tuple[RankingCurve, ...]:
    """Rank rows by the log posteriors (n, k) of each class; codes (n,) or soft labels (n, k).

    Examples
    --------
    >>> log_posterior = np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> curves = ranking_curves(log_posterior, np.array([0, 0, 1, 1]), ["a", "b"])
    >>> [curve.area for curve in curves]  # ¾, and a tie
    [0.875, 0.875]
    """
    curves = []
    for code, odds in enumerate(log_odds_against_rest(log_posterior).T):
        of_class = truth[:, code] if truth.ndim == 2 else truth == code
        order = np.argsort(-odds, kind="stable")
        ranked = odds[order]
        last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of equal scores
        sides = np.cumsum(np.stack([of_class, 1.0 - of_class])[:, order], axis=1)[:, last]
        curves.append(_ranking_curve(labels[code], *sides))
    return tuple(curves)


def _ranking_curve(label: object, positive: FloatArray, negative: FloatArray) -> RankingCurve:
    """The curve of rows of a class and of others (u,), counted down from the highest score.

    Let V₁ᵢ be the proportion of other rows below row i of the class, and V₀ⱼ that of rows of the
    class above another row j, ties half. The area is the mean of either, and its variance is
    var(V₁) / n₁ + var(V₀) / n₀ (DeLong, DeLong and Clarke-Pearson 1988): a jackknife. A variance of
    one row is not known; that of numbers from 0 to 1 is at most A (1 − A).
    """
    totals = float(positive[-1]), float(negative[-1])
    if not all(totals):
        empty = np.empty(0)
        return RankingCurve(label, empty, empty, empty, nan, nan, nan)
    weights = [np.diff(rows, prepend=0.0) for rows in (positive, negative)]
    above = negative - 0.5 * weights[1], positive - 0.5 * weights[0]
    proportions = 1.0 - above[0] / totals[1], above[1] / totals[0]
    area, variance = float(np.average(proportions[0], weights=weights[0])), 0.0
    for values, weight, n in zip(proportions, weights, totals, strict=True):
        square = np.average(np.square(values - area), weights=weight)
        variance += square / (n - 1) if n > 1 else area * (1.0 - area)
    true, precision = positive / totals[0], positive / (positive + negative)
    average = float(np.diff(true, prepend=0.0) @ precision)
    points = np.linspace(0, true.size, min(true.size + 1, _MOST_POINTS)).round().astype(np.intp)
    rates = np.append(0.0, negative / totals[1])[points], np.append(0.0, true)[points]
    precision = np.append(1.0, precision)[points]
    return RankingCurve(label, *rates, precision, area, sqrt(variance), average)


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


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationCurve:
    """Rows grouped by predicted probability, and how often it came true; no empty groups."""

    stated: FloatArray  #: (m,) mean predicted probability
    observed: FloatArray  #: (m,) observed frequency
    count: NDArray[np.int64]  #: (m,) rows
    group: NDArray[np.intp]  #: (m,) number of the interval, from 0
    squares: FloatArray  #: (m,) mean of (predicted − 1 or 0)²
    label: object = None  #: the class; None for the predicted class of each row

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between predicted and observed, over the rows.

        Chance alone makes it positive, also for a perfectly calibrated model.
        """
        return float(np.average(np.abs(self.stated - self.observed), weights=self.count))

    @property
    def standard_error(self) -> float:
        """Of the error: that of the mean of ± (stated − true), with the sign of the group's gap."""
        n = int(self.count.sum())
        square = np.average(self.squares, weights=self.count)
        return sqrt(max(0.0, square - self.error**2) / n)


def calibration_curve(
    stated: FloatArray, true: NDArray[Any], label: object = None
) -> CalibrationCurve:
    """Group rows by predicted probability (n,) into equal intervals of [0, 1].

    `true` (n,) says whether it came true; with soft labels, how probable that is.
    """
    group = np.minimum((stated * _GROUPS).astype(np.intp), _GROUPS - 1)
    squares = true * np.square(1.0 - stated) + (1.0 - true) * np.square(stated)
    sums = [np.bincount(group, weights=term, minlength=_GROUPS) for term in (stated, true, squares)]
    count = np.bincount(group, minlength=_GROUPS)
    filled = np.flatnonzero(count)
    means = [each[filled] / count[filled] for each in sums]
    return CalibrationCurve(means[0], means[1], count[filled], filled, means[2], label)
