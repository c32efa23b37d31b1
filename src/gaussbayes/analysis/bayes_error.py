"""How often the best rule for a model is wrong, if the rows are what the model says.

No rule errs less often than the most probable class, and that errs with probability
``∫ (Σ_c J_c − max_c J_c) dx``, with ``J_c(x) = p(x, c)``. At every x the integrand is at most
``Σ_{a<b} √(J_a J_b)``, whose integral is known: with the Bhattacharyya distance B of two classes

    ∫ √(J_a J_b) dx = √(prior_a prior_b) exp(−B_ab)

Families are independent given the class, so that B is the sum of theirs. The sum of the integrals
over the pairs of classes is an upper bound of the error, and each ``√(J_a J_b)`` is, but for its
size, a density that lies where the two classes meet. The error is simulated with rows drawn from
these, not from the model: it is the bound times the mean of

    (Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)

a number from 0 to 1. So an error of 1e-30 is found as exactly, relative to its size, as one of 0.1;
of rows drawn from the model none would ever lie where such classes meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.analysis.synthesis import RandomState, as_generator, capable_densities
from gaussbayes.base.checks import integer
from gaussbayes.base.text_tables import Block, Displayed
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.protocol import Comparable
from gaussbayes.model.model import Model
from gaussbayes.model.solution import score

_BLOCK_BYTES = 1 << 23
"""Rows are simulated in pieces of about this size."""
_STEP = "the Bayes error"


@dataclass(frozen=True, slots=True)
class BayesError(Displayed):
    """The least error that any rule can have, with the standard error of its simulation."""

    error: float  #: the estimated error of Bayes' rule under the model
    standard_error: float  #: of that estimate
    bound: float  #: the error is not larger than this, for certain
    n_draws: int  #: rows drawn for it

    def tables(self) -> Sequence[Block]:
        """One sentence."""
        error, deviation = 100 * self.error, 100 * self.standard_error
        simulated = f"Bayes error {error:.4g} % ± {deviation:.1g} % (simulated)"
        return [f"{simulated}; Bhattacharyya bound {100 * self.bound:.4g} %"]


def bhattacharyya_distance(model: Model) -> FloatArray:
    """The distances B of the classes from each other (k, k): 0 if they are the same.

    It is ∞ for two classes that have no row in common, such as no category of some feature.
    """
    k = model.schema.classes.shape[0]
    distance = np.zeros((k, k))
    for density in capable_densities(model, Comparable, _STEP):
        distance -= density.log_overlap()
    return distance


def bayes_error(
    model: Model,
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> BayesError:
    """The error of the most probable class for rows that the model describes.

    Four times as many draws halve the standard error.
    """
    n = integer("n_draws", n_draws, 2)
    generator = as_generator(random_state)
    # √(prior_a prior_b) exp(−B_ab) for the pairs a < b, number a k + b; 0 for others.
    weight = np.sqrt(np.multiply.outer(model.prior, model.prior))
    overlaps = np.triu(weight * np.exp(-bhattacharyya_distance(model)), 1).ravel()
    bound = float(overlaps.sum())
    if bound == 0.0:  # one class, or classes further apart than floats can tell
        return BayesError(0.0, 0.0, bound, n)
    # Each pair gets its part of the rows, rounded up or down as one random number says.
    steps = (np.arange(n) + generator.random()) * (bound / n)
    last = int(np.flatnonzero(overlaps)[-1])  # rounding may make the sum less than the bound
    pairs = np.minimum(np.searchsorted(np.cumsum(overlaps), steps, side="right"), last)
    proportion = np.empty(n)
    densities = capable_densities(model, Comparable, _STEP)
    for block in ranges(n, max(1024, _BLOCK_BYTES // (8 * model.schema.n_features))):
        parts = [density.draw_between(pairs[block], generator) for density in densities]
        joint = score(model.parameters, parts, "log_joint", n_jobs)
        proportion[block] = _proportion_of_bound(joint)
    spread = float(proportion.std(ddof=1)) / float(np.sqrt(n))
    return BayesError(bound * float(proportion.mean()), bound * spread, bound, n)


def _proportion_of_bound(log_joint: RealArray) -> FloatArray:
    """``(Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)`` of each row (n,), from 0 to 1.

    With ``s_c = √(J_c / max J)`` of the classes but the best, it is
    ``Σ s² / (Σ s + ((Σ s)² − Σ s²) / 2)``: no difference of nearly equal numbers is left that
    counts, and nothing overflows.
    """
    best = log_joint.argmax(axis=1)
    rows = np.arange(best.shape[0])
    root = np.exp(0.5 * (log_joint - log_joint[rows, best][:, None]))
    root[rows, best] = 0.0
    total, squares = root.sum(axis=1), np.square(root).sum(axis=1)
    pairs = total + 0.5 * (np.square(total) - squares)
    proportion: FloatArray = np.divide(squares, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return proportion
