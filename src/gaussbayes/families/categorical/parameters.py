"""Counts and smoothing → the probability of each category, given the class."""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories
from gaussbayes.families.categorical.counts import ClassCounts, starts


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalParameters:
    """``log p(category | class)`` of every category of every feature, beside each other.

    Without smoothing a category that never occurred in a class has probability 0 there: −∞.
    """

    categories: tuple[Categories, ...]  # q times m_j
    log_probability: FloatArray  # (k, m), m = Σ m_j

    @property
    def n_parameters(self) -> int:
        """Free parameters: for each class and feature one less than it has categories."""
        k = int(self.log_probability.shape[0])
        return k * sum(max(0, len(own) - 1) for own in self.categories)

    def of(self, feature: int) -> FloatArray:
        """``log p(category | class)`` (k, m_j) of one feature, as a view."""
        first, last = starts(self.categories)[feature : feature + 2]
        return self.log_probability[:, first:last]

    def probability(self, feature: int) -> FloatArray:
        """``p(category | class)`` (k, m_j) of one feature.

        Examples
        --------
        >>> CategoricalParameters((("a", "b"),), np.log([[0.25, 0.75]])).probability(0).tolist()
        [[0.25, 0.75]]
        """
        shares: FloatArray = np.exp(self.of(feature))
        return shares


def estimate(counts: ClassCounts, schema: Schema, smoothing: float = 0.0) -> CategoricalParameters:
    """The probabilities of the categories, from their shares of the weight.

    ``p(category | class) = (weight + α) / (weight of all categories + α m)`` of m categories with
    smoothing α. 0 is maximum likelihood; α is the weight of as many imagined rows in each category.
    Rows without a value count nowhere.

    Parameters
    ----------
    schema : what messages call the classes and the categorical features
    smoothing : α, 0 or more

    Examples
    --------
    >>> counts = ClassCounts((("S", "M"),), np.array([[3.0, 1.0]]), np.zeros((1, 1)))
    >>> schema = Schema(np.array(["dry"]), 1, ("wind",))
    >>> np.exp(estimate(counts, schema).of(0)).round(12).tolist()
    [[0.75, 0.25]]
    >>> np.exp(estimate(counts, schema, smoothing=1).of(0)).round(4).tolist()
    [[0.6667, 0.3333]]
    """
    alpha = not_negative("smoothing", smoothing)
    log_probability = np.empty_like(counts.weight)
    first = counts.starts
    for j, own in enumerate(counts.categories):
        weight = counts.of(j) + alpha
        total = weight.sum(axis=1, keepdims=True)
        if not (total > 0).all() and (own or alpha == 0):
            msg = nothing_known(int(np.argmin(total[:, 0] > 0)), j, schema)
            raise DataError(msg)
        with np.errstate(divide="ignore"):
            log_probability[:, first[j] : first[j + 1]] = np.log(weight / total)
    return CategoricalParameters(counts.categories, log_probability)


def nothing_known(c: int, j: int, schema: Schema) -> str:
    """What is wrong with a feature of which a class has no value."""
    return (
        f"{schema.feature_name(j)} is missing in every row of class {schema.class_name(c)}, so "
        "that its categories have no probabilities there: give rows with a value, set smoothing "
        "above 0, or leave the feature out"
    )
