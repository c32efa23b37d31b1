"""Rows that lie far from all classes: p-values of their distances, and of their evidence.

The p-value of a squared Mahalanobis distance D² is the probability that a new member of the class
lies at least this far from its mean. A row that is far from every class is novel. If mean and
covariance were estimated from complete rows, without shrinkage, and D² is the distance by the
unbiased estimate, then

    D² n/(n + 1) (ν − d + 1)/(d ν) ~ F(d, ν − d + 1)

with ν = n − 1 for a class of n rows with its own covariance, and ν = N − k for a covariance that k
classes of N rows share. This is exact if each class is normal, after transforms that were given.
Everywhere else the parameters count as true, and D² follows χ² with d degrees of freedom: if there
are few rows for each feature, the p-values are then too small.

The p-value of the evidence is the probability that a row drawn from the model has no more evidence
than this one, ``P(p(X) ≤ p(x))``. It is simulated, with the same draws each time, and at least
1e-5. Rows with missing values are compared with rows of the features that they have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.analysis.synthesis import capable_densities
from gaussbayes.base.checks import probability
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Distant, Samplable, Sampled
from gaussbayes.model.model import Model
from gaussbayes.model.solution import log_evidence

_DRAWS = 100_000
_BLOCK_BYTES = 1 << 23  # rows are simulated in blocks of about this size
_TIE = 1e-9  # rounding of equal log evidences, where categories make many rows equal


def distance_p_values(squared_distance: ArrayLike, n_features: ArrayLike) -> FloatArray:
    """Return ``P(χ²_d ≥ m²)``, with full precision in the tail.

    Examples
    --------
    >>> distance_p_values([0.0, 5.991465, 1000.0], 2).round(6).tolist()
    [1.0, 0.05, 0.0]
    >>> print(f"{distance_p_values(1000.0, 2):.3e} {np.exp(-500):.3e}")  # two: exp(−m² / 2)
    7.125e-218 7.125e-218
    """
    from scipy.special import gammaincc

    half = 0.5 * np.asarray(squared_distance, dtype=np.float64)
    degrees = np.asarray(n_features, dtype=np.float64)
    # Without features every distance is 0.
    tail: FloatArray = np.where(degrees > 0, gammaincc(0.5 * np.maximum(degrees, 1), half), 1.0)
    return tail


def class_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """Return the probability that a new member of each class lies at least this far out (n, k).

    The distances are those of the families that have them, without missing values.
    """
    squares, n_features = model.squared_distance(rows, n_jobs)
    d, sample = n_features[:, None], _sample(model)
    if sample is None:
        return distance_p_values(squares, d)
    from scipy.special import betainc

    n, divide, degrees = sample
    beyond = 1.0 / (1.0 + squares / divide * (n / (n + 1.0)))
    tail = betainc(0.5 * np.maximum(degrees - d + 1.0, 0.5), 0.5 * np.maximum(d, 1.0), beyond)
    return np.where(d > 0, tail, 1.0)


def _sample(model: Model) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return what the distances were estimated from; see `Sampled`. None if that is not known."""
    if model.statistics is None or model.statistics.unlabelled is not None:
        return None
    parts = zip(model.components, model.statistics.parts, model.parameters.densities, strict=True)
    samples = [
        component.family.sample_of(statistics) if isinstance(component.family, Sampled) else None
        for component, statistics, density in parts
        if isinstance(density, Distant)
    ]
    return samples[0] if len(samples) == 1 else None


def novel(p_values: FloatArray, level: float, prior: FloatArray) -> NDArray[np.bool_]:
    """Return which rows (n,) have p-values (n, k) below the level for every possible class.

    If the p-values are exact, at most the proportion `level` of the new rows of a class is novel.
    Classes of prior 0 are ignored.
    """
    return np.asarray(p_values[:, prior > 0].max(axis=1) < probability("novelty", level))


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
    densities = capable_densities(model, Samplable, "the p-value of the evidence")
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
