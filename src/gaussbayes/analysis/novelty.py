"""Rows that are unusual under the whole model: p-values of their evidence.

The p-value of the evidence is the probability that a row drawn from the model has no more evidence
than this one, ``P(p(X) ≤ p(x))``. It is simulated, with the same draws each time, and at least
1e-5. Rows with missing values are compared with rows of the features that they have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Samplable
from gaussbayes.model.model import Model
from gaussbayes.model.solution import log_evidence

_DRAWS = 100_000
_BLOCK_BYTES = 1 << 23  # rows are simulated in blocks of about this size
_TIE = 1e-9  # rounding of equal log evidences, where categories make many rows equal


def evidence_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return ``P(p(X) ≤ p(x))`` of rows (n,), each among rows of the features that it has.

    A category that was not in the training rows counts as missing.
    """
    log_p = model.log_evidence(rows, n_jobs)
    numbers = np.setdiff1d(np.arange(model.schema.n_features), model.schema.categorical)
    present = np.empty((rows.n_rows, model.schema.n_features), dtype=np.bool_)
    present[:, numbers] = ~np.isnan(rows.matrix)
    present[:, list(model.schema.categorical)] = rows.codes >= 0
    if present.all():
        return _distribution(model, n_jobs)(log_p)
    result = np.ones(rows.n_rows)
    patterns, number = np.unique(present, axis=0, return_inverse=True)
    without_rows = replace(model, statistics=None, solution=model.parameters)
    for code, pattern in enumerate(patterns):
        if pattern.any():
            which = np.flatnonzero(number.ravel() == code)
            part = without_rows.marginal(np.flatnonzero(pattern).tolist())
            result[which] = _distribution(part, n_jobs)(log_p[which])
    return result


def _distribution(model: Model, n_jobs: int | None) -> Callable[[RealArray], FloatArray]:
    """Return the function from log evidences to p-values.

    Of N rows drawn from the model, b have no more evidence than a row: its p-value is
    ``(b + 1) / (N + 1)``, at least 1e-5. One of 0.05 has a standard error of 0.0007. Each class has
    its part of the draws, at least one.
    """
    generator, solution = np.random.default_rng(0), model.parameters
    possible = np.flatnonzero(solution.prior > 0)
    densities = model.capable(Samplable, "the p-value of the evidence")
    prior = solution.prior[possible] / solution.prior[possible].sum()
    counts = np.ceil(_DRAWS * prior).astype(np.intp)
    codes, weight = np.repeat(possible, counts).astype(np.int32), np.repeat(prior / counts, counts)
    drawn = np.empty(codes.shape)
    for block in ranges(codes.size, max(1024, _BLOCK_BYTES // (8 * model.schema.n_features))):
        parts = [density.draw(codes[block], generator) for density in densities]
        drawn[block] = log_evidence(solution, parts, n_jobs)
    order = np.argsort(drawn, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weight[order])]) + 1.0 / codes.size
    below /= below[-1]
    drawn = drawn[order]
    return lambda log_p: np.asarray(
        below[np.searchsorted(drawn, log_p.astype(np.float64) + _TIE, side="right")]
    )
