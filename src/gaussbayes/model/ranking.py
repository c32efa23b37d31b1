"""How well scores rank the rows of each class above the others: the area under the ROC curve.

The area (AUC) of a class is the probability that one of its rows scores higher than one of another
class; a tie counts half. All it takes is how many rows of the class, and how many others, have each
score, so that rows are counted part by part. Up to 2¹⁸ different scores are kept, divided among the
classes, and the result is exact. If there are more, scores lose their last bits, all of them alike,
until they fit: neighbouring scores then count as ties, whatever the order of the parts.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.kernels.reference import log_sum_exp

MOST_SCORES, _FEWEST = 1 << 18, 1 << 12
"""Different scores that are kept of all classes together, and of one class at least."""

Counts = tuple[NDArray[np.int64], FloatArray]
"""Scores as ordered integers (u,), and the weights (u, 2) of rows of the class, and of others."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """How many rows of each class, and of the others, have which log-odds of the class."""

    of_classes: tuple[Counts, ...]  # (k,)
    shift: int = 0  # bits that scores have lost

    @property
    def counted(self) -> "Ranking":
        """This ranking itself."""
        return self

    def __add__(self, other: "Ranking | UncountedRows") -> "Ranking":
        shift = max(self.shift, other.counted.shift)
        parts = [each.coarser(shift).of_classes for each in (self, other.counted)]
        joined = [
            _counted(np.concatenate(keys), np.concatenate(weights))
            for keys, weights in (zip(*pair, strict=True) for pair in zip(*parts, strict=True))
        ]
        return Ranking(tuple(joined), shift).bounded()

    def bounded(self) -> "Ranking":
        """The same with no more scores than may be kept."""
        most = max(_FEWEST, MOST_SCORES // len(self.of_classes))
        ranking = self
        while max(keys.size for keys, _ in ranking.of_classes) > most:
            ranking = ranking.coarser(ranking.shift + 1)
        return ranking

    def coarser(self, shift: int) -> "Ranking":
        """The same with scores that have lost so many bits in all."""
        if shift == self.shift:
            return self
        bits = shift - self.shift
        return Ranking(tuple(_counted(keys >> bits, w) for keys, w in self.of_classes), shift)

    @property
    def auc(self) -> FloatArray:
        """The area of each class against all others (k,); NaN if one side has no rows."""
        return self.areas[0]

    def scores(self, code: int) -> FloatArray:
        """The log-odds (u,) of a class that its counts are of, increasing."""
        keys = self.of_classes[code][0] << self.shift
        bits = np.where(keys < 0, keys ^ np.int64(np.iinfo(np.int64).max), keys)
        return bits.view(np.float64)

    @property
    def areas(self) -> tuple[FloatArray, FloatArray]:
        """The areas (k,), and their standard errors (k,).

        Let V₁ᵢ be the proportion of other rows below row i of the class, and V₀ⱼ that of rows of
        the class above another row j, ties half. The area is the mean of either, and its variance
        is var(V₁) / n₁ + var(V₀) / n₀ (DeLong, DeLong and Clarke-Pearson 1988): a jackknife. A
        variance of one row is not known; that of numbers from 0 to 1 is at most A (1 − A).
        """
        areas, errors = np.full((2, len(self.of_classes)), np.nan)
        for code, (_, weights) in enumerate(self.of_classes):
            total = weights.sum(axis=0)
            if not total.all():
                continue
            below = np.cumsum(weights, axis=0) - 0.5 * weights
            proportions = (below[:, 1] / total[1], 1.0 - below[:, 0] / total[0])
            area = float(np.average(proportions[0], weights=weights[:, 0]))
            variance = 0.0
            for side, values in enumerate(proportions):
                square = np.average(np.square(values - area), weights=weights[:, side])
                n = total[side]
                variance += square / (n - 1) if n > 1 else area * (1.0 - area)
            areas[code], errors[code] = area, np.sqrt(variance)
        return areas, errors


@dataclass(frozen=True, eq=False)
class UncountedRows:
    """Log posteriors and classes of rows, which are counted as soon as somebody asks."""

    log_posterior: RealArray  # (n, k)
    truth: NDArray[Any]  # class codes (n,) or soft labels (n, k)

    @cached_property
    def counted(self) -> Ranking:
        """The same, counted: that takes longer than all other figures of an evaluation."""
        return rank(self.log_posterior, self.truth)

    def __add__(self, other: "UncountedRows | Ranking") -> Ranking:
        return self.counted + other.counted


def rank(log_posterior: RealArray, truth: NDArray[Any]) -> Ranking:
    """Count log posteriors (n, k) by the true class codes (n,), or by soft labels (n, k).

    Examples
    --------
    >>> log_posterior = np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> rank(log_posterior, np.array([0, 0, 1, 1])).auc.tolist()  # ¾ of the pairs, and a tie
    [0.875, 0.875]
    """
    keys = _ordered(log_odds_against_rest(log_posterior).T)
    of_classes = []
    for c, own in enumerate(keys):
        of_class = truth[:, c] if truth.ndim == 2 else truth == c
        of_classes.append(_counted(own, np.stack([of_class, 1.0 - of_class], axis=1)))
    return Ranking(tuple(of_classes)).bounded()


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


def _ordered(values: FloatArray) -> NDArray[np.int64]:
    """Integers in the order of the floats: those of their bits, negative ones turned round."""
    bits = (values + 0.0).view(np.int64)  # −0 is 0
    return np.where(bits < 0, bits ^ np.int64(np.iinfo(np.int64).max), bits)


def _counted(keys: NDArray[np.int64], weights: FloatArray) -> Counts:
    """Each key once, in order, with the sum of its weights."""
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[starts], np.add.reduceat(weights[order], starts, axis=0)
