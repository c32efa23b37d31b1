"""Other priors than those of training, found from rows without labels.

Where only the classes' proportions have changed, and the rows of each class look as before, the new
ones are those that make the rows most probable. Saerens, Latinne and Decaestecker (2002) find
them from the posteriors alone, by EM: with ``r_c(x) = p(c | x) / prior_c``, the posterior divided
by the prior that it was made with,

    prior'_c ← mean over the rows of  prior'_c r_c(x) / Σ_b prior'_b r_b(x)

Each step makes the rows more probable or leaves everything as it is, and the maximum is one: the
log-likelihood is concave in the priors. Nor has one to guess when to stop. With g_c the mean over
the rows of ``r_c(x) / Σ_b prior'_b r_b(x)``, by which EM multiplies a prior, Jensen's inequality
says that no priors whatever reach a log-likelihood per row that is higher by more than
``log max_c g_c``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.base.checks import integer, positive_number
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.labels import read_weights


@dataclass(frozen=True, slots=True, eq=False)
class PriorShift:
    """The priors under which rows without labels are most probable, and how they were found."""

    prior: FloatArray  #: (k,)
    log_likelihood: FloatArray  #: (iterations + 1,) how much more than under the priors of training
    gap: float  #: no priors have a log-likelihood per row that is higher by more than this
    converged: bool  #: whether that is within the tolerance

    @property
    def n_iterations(self) -> int:
        """How many steps of EM were made."""
        return self.log_likelihood.size - 1


def prior_shift(
    log_posterior: RealArray,
    prior: FloatArray,
    sample_weight: Any = None,
    *,
    tolerance: float = 1e-8,
    max_iterations: int = 10_000,
) -> PriorShift:
    """Estimate the priors of rows whose classes are not known, from log posteriors (n, k).

    These were made with `prior` (k,). A class of prior 0 keeps it: its posterior is 0 for every
    row, whatever the row is like. The log-likelihood per row may be `tolerance` from its maximum;
    more than `max_iterations` takes classes that are hardly different.

    Examples
    --------
    >>> sure = np.log([[0.999, 0.001], [0.001, 0.999], [0.998, 0.002], [0.999, 0.001]])
    >>> shift = prior_shift(sure, np.array([0.5, 0.5]))
    >>> shift.prior.round(2).tolist(), shift.converged
    ([0.75, 0.25], True)
    """
    enough = positive_number("tolerance", tolerance)
    most = integer("max_iterations", max_iterations, 1)
    ratio, top, weights = _ratios(log_posterior, prior, sample_weight)
    possible = prior > 0
    proportions = prior[possible] / prior[possible].sum()
    total = weights.sum()
    record = []
    while True:
        mixture = ratio @ proportions
        record.append(float(weights @ (np.log(mixture) + top)))
        growth = (weights / mixture) @ ratio / total
        gap = max(float(np.log(growth.max())), 0.0)
        if gap <= enough or len(record) > most:
            break
        proportions = proportions * growth
        proportions /= proportions.sum()  # 1 but for rounding
    shifted = np.zeros_like(prior)
    shifted[possible] = proportions
    return PriorShift(shifted, np.array(record), gap, gap <= enough)


def _ratios(
    log_posterior: RealArray, prior: FloatArray, sample_weight: Any
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Posterior over prior, each row divided by its largest; that one's logarithm; the weights.

    Rows without weight and classes without prior are left out. A ratio that underflows takes
    nothing away: the row's largest class never gets less than the row's proportion of the weight.
    """
    n, k = log_posterior.shape
    if prior.shape != (k,):
        msg = f"posteriors of shape {(n, k)} need {k} priors, got shape {prior.shape}"
        raise DataError(msg)
    if n == 0:
        msg = "priors are estimated from at least one row, got none"
        raise DataError(msg)
    weights = read_weights(sample_weight, n)
    weights = np.ones(n) if weights is None else weights
    counted, possible = weights > 0, prior > 0
    logs = log_posterior[np.ix_(counted, possible)].astype(np.float64) - np.log(prior[possible])
    top = logs.max(axis=1)
    if not np.isfinite(top).all():
        row = int(np.flatnonzero(counted)[int(np.argmin(np.isfinite(top)))])
        values = log_posterior[row].tolist()
        msg = f"row {row} has the log posteriors {values!r:.200}, which are no distribution"
        raise DataError(msg)
    return np.exp(logs - top[:, None]), top, weights[counted]
