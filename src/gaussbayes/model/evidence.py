"""Rows that are unusual under the whole model: p-values of their evidence.

The tail probability of the evidence is the probability that a row drawn from the model has no more
evidence than this one, ``P(p(X) ≤ p(x))``. It is simulated, with the same draws each time. Rows
with missing values are compared with rows of the same observed features.

The mean and covariance of a class are estimates, so new members of the class lie further from the
mean than draws from the density. If the distances of new members follow the F distribution of
`gaussbayes.model.distances`, a draw is moved away from the mean of its class by the factor
``√(m (n + 1)/n / χ²)``, where m is the divisor of the covariance and χ² has ν − d + 1 degrees of
freedom: its squared distance then has this distribution.

A calibrated model has the tail probabilities of held-out rows; its p-values are the ranks among
them, as those of distances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Predictable, Samplable, SampleOfClasses
from gaussbayes.model.distances import held_out_tails, ranked, sample_of
from gaussbayes.model.model import Model
from gaussbayes.model.solution import log_evidence

_DRAWS = 100_000
_FEW_DRAWS = 2_000  # for each fold of held-out rows
_MOST_NUMBERS = 2_000_000  # for each of these
_BLOCK_NUMBERS = 1 << 16  # rows are simulated in blocks of about this size
_TIE = 1e-9  # rounding of equal log evidences, which are frequent with categories


def evidence_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the p-values of the evidence of rows (n,), each by its observed features.

    A category that did not occur in training counts as missing.
    """
    log_p, present = model.log_evidence(rows, n_jobs), _present(model, rows)
    tails, held_out = np.ones(rows.n_rows), held_out_tails(model)
    beyond = bool(held_out)
    if present.all():
        tails = _distribution(model, _DRAWS, n_jobs, beyond=beyond)(log_p)
    else:
        patterns, number = np.unique(present, axis=0, return_inverse=True)
        without_rows = replace(model, statistics=None, solution=model.parameters)
        for code, pattern in enumerate(patterns):
            if pattern.any():
                alike = np.flatnonzero(number.ravel() == code)
                part = without_rows.marginal(np.flatnonzero(pattern).tolist())
                tails[alike] = _distribution(part, _DRAWS, n_jobs, beyond=beyond)(log_p[alike])
    return ranked(tails, held_out[-1]) if held_out else tails


def evidence_tails(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the tail probabilities of complete rows (n,), from few draws; NaN for other rows."""
    few = min(_FEW_DRAWS, max(100, _MOST_NUMBERS // model.schema.n_features))
    tails = _distribution(model, few, n_jobs, beyond=True)(model.log_evidence(rows, n_jobs))
    return np.where(_present(model, rows).all(axis=1), tails, np.nan)


def _present(model: Model, rows: Rows) -> NDArray[np.bool_]:
    """Return which features are observed (n, d)."""
    numbers = np.setdiff1d(np.arange(model.schema.n_features), model.schema.categorical)
    present = np.empty((rows.n_rows, model.schema.n_features), dtype=np.bool_)
    present[:, numbers] = ~np.isnan(rows.matrix)
    present[:, list(model.schema.categorical)] = rows.codes >= 0
    return present


def _distribution(
    model: Model, n_draws: int, n_jobs: int | None, *, beyond: bool
) -> Callable[[RealArray], FloatArray]:
    """Return the function from log evidences to tail probabilities.

    Of N rows drawn from the model, b have no more evidence than a row: its probability is
    ``(b + 1) / (N + 1)``. With 100,000 draws one of 0.05 has a standard error of 0.0007. Each class
    gets its proportion of the draws, at least one. If `beyond`, the probability of a row with less
    evidence than all draws is proportional to its evidence, so that such rows can be ranked.
    """
    generator, solution = np.random.default_rng(0), model.parameters
    possible = np.flatnonzero(solution.prior > 0)
    densities = model.capable(Samplable, "the p-value of the evidence")
    prior = solution.prior[possible] / solution.prior[possible].sum()
    counts = np.ceil(n_draws * prior).astype(np.intp)
    codes, weight = np.repeat(possible, counts).astype(np.int32), np.repeat(prior / counts, counts)
    drawn, sample = np.empty(codes.shape), sample_of(model)
    for block in ranges(codes.size, max(16, _BLOCK_NUMBERS // model.schema.n_features)):
        parts = [_new_members(density, codes[block], sample, generator) for density in densities]
        drawn[block] = log_evidence(solution, parts, n_jobs)
    order = np.argsort(drawn, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weight[order])]) + 1.0 / codes.size
    below /= below[-1]
    drawn = drawn[order]

    def tails(log_p: RealArray) -> FloatArray:
        log_p = log_p.astype(np.float64) + _TIE
        found = below[np.searchsorted(drawn, log_p, side="right")]
        return found * np.exp(np.minimum(log_p - drawn[0], 0.0)) if beyond else found

    return tails


def _new_members(
    density: Samplable,
    codes: CodeArray,
    sample: SampleOfClasses | None,
    generator: np.random.Generator,
) -> Rows:
    """Draw a row from each of these classes, as far from its mean as new members of the class."""
    if sample is None or not isinstance(density, Predictable):
        return density.draw(codes, generator)
    return density.draw_members(codes, sample, generator)
