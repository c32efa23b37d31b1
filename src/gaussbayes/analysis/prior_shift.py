"""Estimate the priors of unlabelled rows, assuming that only the class proportions have changed.

If the densities of the classes are as in training, the new priors are those that maximise the
likelihood of the rows. Saerens, Latinne and Decaestecker (2002) compute them from the posteriors by
EM: with ``r_c(x) = p(c | x) / prior_c``, the posterior divided by the prior that it contains,

    prior'_c ← mean over the rows of  prior'_c r_c(x) / Σ_b prior'_b r_b(x)

The log-likelihood is concave in the priors, so that there is one maximum. With g_c the mean over
the rows of ``r_c(x) / Σ_b prior'_b r_b(x)``, the factor of an EM step, Jensen's inequality bounds
the distance to the maximum: no priors have a log-likelihood per row that is higher by more than
``log max_c g_c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import counted, fixed, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.labels import read_weights

_TOLERANCE = 1e-8  # distance to the maximum of the log-likelihood per row
_MOST_ITERATIONS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class PriorEstimate(Result):
    """The priors that maximise the likelihood of unlabelled rows."""

    prior: FloatArray  #: (k,)
    n_iterations: int  #: number of EM steps
    gap: float  #: upper bound of the distance to the maximum log-likelihood per row
    converged: bool  #: whether the gap is within the tolerance
    classes: LabelArray  #: (k,) the labels
    before: FloatArray  #: (k,) the priors of training

    def tables(self) -> Sequence[Block]:
        """Return the priors of training and of these rows."""
        rows = zip(self.classes.tolist(), self.before.tolist(), self.prior.tolist(), strict=True)
        lines = ((shortened(str(label), 40), fixed(a, 4), fixed(b, 4)) for label, a, b in rows)
        steps = counted(self.n_iterations, "EM iteration")
        state = steps if self.converged else f"not converged after {steps}"
        columns = ("class", "prior in\ntraining", "estimated\nprior")
        return [TextTable.first(columns, lines, self.prior.size, notes=[state])]


def estimate_priors(
    log_posterior: RealArray,
    prior: FloatArray,
    sample_weight: Any,
    classes: LabelArray,
) -> PriorEstimate:
    """Estimate the priors of unlabelled rows from log posteriors (n, k).

    The posteriors contain the priors `prior` (k,). A class of prior 0 keeps it.

    Examples
    --------
    >>> confident = np.log([[0.999, 0.001], [0.001, 0.999], [0.998, 0.002], [0.999, 0.001]])
    >>> estimate = estimate_priors(confident, np.array([0.5, 0.5]), None, np.arange(2))
    >>> estimate.prior.round(2).tolist(), estimate.converged
    ([0.75, 0.25], True)
    """
    ratio, weights = _ratios(log_posterior, prior, sample_weight)
    possible = prior > 0
    proportions = prior[possible] / prior[possible].sum()
    total, steps = weights.sum(), 0
    while True:
        growth = (weights / (ratio @ proportions)) @ ratio / total
        gap = max(float(np.log(growth.max())), 0.0)
        if gap <= _TOLERANCE or steps >= _MOST_ITERATIONS:
            break
        steps += 1
        proportions = proportions * growth
        proportions /= proportions.sum()  # 1 up to rounding
    estimated = np.zeros_like(prior)
    estimated[possible] = proportions
    return PriorEstimate(estimated, steps, gap, gap <= _TOLERANCE, classes, prior)


def _ratios(
    log_posterior: RealArray, prior: FloatArray, sample_weight: Any
) -> tuple[FloatArray, FloatArray]:
    """Return posterior over prior, each row divided by its largest, and the weights.

    Rows of weight 0 and classes of prior 0 are omitted. A ratio may underflow: the most probable
    class of a row never gets less than the row's proportion of the weight.
    """
    n = log_posterior.shape[0]
    if n == 0:
        msg = "estimating priors needs at least one row"
        raise DataError(msg)
    weights = read_weights(sample_weight, n)
    weights = np.ones(n) if weights is None else weights
    heavy, possible = weights > 0, prior > 0
    logs = log_posterior[np.ix_(heavy, possible)].astype(np.float64) - np.log(prior[possible])
    return np.exp(logs - logs.max(axis=1, keepdims=True)), weights[heavy]
