"""Plug-in estimate of the Bayes error: the error rate of Bayes' rule on rows drawn from the model.

The most probable class is wrong with probability ``∫ (Σ_c J_c − max_c J_c) dx`` for the joint
densities ``J_c(x) = p(x, c)``. At every x the integrand is at most ``Σ_{a<b} √(J_a J_b)``, whose
integral is known: with the Bhattacharyya distance B of two classes

    ∫ √(J_a J_b) dx = √(prior_a prior_b) exp(−B_ab)

Families are independent given the class, so that B is the sum of theirs. The sum over the pairs of
classes is an upper bound of the error, and each ``√(J_a J_b)`` is, up to a factor, a density that
lies where the two classes overlap. Rows are drawn from these densities, not from the model, and the
error is the bound times the mean of

    (Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)

which lies between 0 and 1. An error of 1e-30 has the same relative precision as one of 0.1.

The estimate is optimistic: it takes the fitted densities for the true ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.numerals import percent
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.protocol import Comparable
from gaussbayes.model.model import Model
from gaussbayes.model.solution import score

_DRAWS = 20_000
_MOST_PRODUCTS = 2 * 10**8  # multiplications: a tenth of a second


@dataclass(frozen=True, slots=True)
class BayesError(Result):
    """Plug-in estimate of the Bayes error, with the standard error of its simulation."""

    error: float  #: error rate of Bayes' rule if the fitted densities are the true ones
    standard_error: float  #: of the simulation
    bound: float  #: Bhattacharyya's upper bound

    def tables(self) -> Sequence[Block]:
        """Return one sentence."""
        estimate, bound = percent(self.error, 2), percent(self.bound, 2)
        text = (
            f"Plug-in estimate of the Bayes error: {estimate} (at most {bound}). "
            "It is optimistic: it takes the fitted densities for the true ones."
        )
        return [text.replace("\xa0", " ")]


def bhattacharyya_distance(model: Model) -> FloatArray:
    """Return the distances B of the classes from each other (k, k): 0 if they are equal.

    It is ∞ for two classes that have no possible row in common.
    """
    k = model.schema.classes.shape[0]
    distance = np.zeros((k, k))
    for density in model.capable(Comparable, "the Bayes error"):
        distance -= density.log_overlap()
    return distance


def bayes_error(model: Model, n_draws: int | None = None, n_jobs: int | None = 1) -> BayesError:
    """Estimate the error rate of the most probable class for rows that the model describes.

    Parameters
    ----------
    model : Model
    n_draws : int, optional
        20,000 by default, fewer for models with many features.
    n_jobs : int, optional

    Raises
    ------
    OptionError
        If a family of the model cannot be simulated.
    """
    if model.settings.is_pooled:
        msg = "the Bayes error of a pooled model is not estimated: its posteriors have no densities"
        raise OptionError(msg)
    k, d = model.schema.classes.shape[0], model.schema.n_features
    n = max(500, min(_DRAWS, _MOST_PRODUCTS // (k * d * d))) if n_draws is None else n_draws
    generator = np.random.default_rng(0)
    densities = model.capable(Comparable, "the Bayes error")
    # √(prior_a prior_b) exp(−B_ab) for the pairs a < b, number a k + b; 0 for others.
    weight = np.sqrt(np.multiply.outer(model.prior, model.prior))
    overlaps = np.triu(weight * np.exp(-bhattacharyya_distance(model)), 1).ravel()
    bound = float(overlaps.sum())
    if bound == 0.0:  # one class, or classes further apart than floats can represent
        return BayesError(0.0, 0.0, bound)
    # The draws are spread over the pairs in proportion, with one random offset.
    steps = (np.arange(n) + generator.random()) * (bound / n)
    last = int(np.flatnonzero(overlaps)[-1])  # rounding may make the sum less than the bound
    pairs = np.minimum(np.searchsorted(np.cumsum(overlaps), steps, side="right"), last)
    proportion = np.empty(n)
    for block in ranges(n, rows_at_once(d, 1024)):
        parts = [density.draw_between(pairs[block], generator) for density in densities]
        joint = score(model.parameters, parts, "log_joint", n_jobs)
        proportion[block] = _proportion_of_bound(joint)
    spread = float(proportion.std(ddof=1)) / float(np.sqrt(n))
    error = bound * float(proportion.mean())
    return BayesError(error, bound * spread, min(bound, 1.0))


def _proportion_of_bound(log_joint: RealArray) -> FloatArray:
    """Return ``(Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)`` of each row (n,), from 0 to 1.

    With ``s_c = √(J_c / max J)`` of the classes but the best, it is
    ``Σ s² / (Σ s + ((Σ s)² − Σ s²) / 2)``: nothing cancels and nothing overflows.
    """
    best = log_joint.argmax(axis=1)
    rows = np.arange(best.shape[0])
    root = np.exp(0.5 * (log_joint - log_joint[rows, best][:, None]))
    root[rows, best] = 0.0
    total, squares = root.sum(axis=1), np.square(root).sum(axis=1)
    pairs = total + 0.5 * (np.square(total) - squares)
    proportion: FloatArray = np.divide(squares, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return proportion
