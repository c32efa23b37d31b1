"""Parameters and rows → scores: log likelihood, log joint, posterior, evidence, odds, distance.

All of them follow from the log joint by one normaliser; `discriminant` says how a row is
scored, the kernels do it, block by block.

NaN is a value that is missing, and is integrated out: every score is that of the features that are
there. The kernels meet NaN on their way, so that complete rows pay nothing for it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.errors import DataError, PriorError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.threads import for_each, n_threads, ranges
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, Task
from gaussbayes.families.gaussian.discriminant import Purpose
from gaussbayes.families.gaussian.missing.scoring import Wanted, score_incomplete
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.kernels.forms import NOT_FINITE, OUT_OF_RANGE
from gaussbayes.kernels.reference import log_sum_exp

_BLOCK_BYTES = 1 << 22
_WORTH_A_THREAD = 1 << 18
"""Entries of X below which starting a thread costs more than it saves."""


def labels(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> NDArray[np.intp]:
    """The class number with the largest posterior, for each row (n,)."""
    out = np.empty(X.shape[0], dtype=np.intp)
    _score(parameters, "posterior", X, "label", n_jobs, out)
    return out


def posterior(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(c | x)`` (n, k): each row sums to 1."""
    return _scores(parameters, X, "posterior", "posterior", n_jobs)


def log_posterior(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(c | x)`` (n, k)."""
    return _scores(parameters, X, "logarithm", "log_posterior", n_jobs)


def log_joint(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x, c)`` (n, k)."""
    return _scores(parameters, X, "log_joint", "log_joint", n_jobs)


def log_likelihood(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x | c)`` (n, k): the Gaussian log densities."""
    return _scores(parameters, X, "log_likelihood", "log_joint", n_jobs)


def log_evidence(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x) = log Σ_c p(x, c)`` (n,)."""
    evidence = np.empty(X.shape[0], dtype=X.dtype)
    for rows in ranges(X.shape[0], 1 << 18):
        evidence[rows] = log_sum_exp(log_joint(parameters, X[rows], n_jobs))
    return evidence


def likelihood(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(x | c)`` (n, k); 0 or ∞ where the logarithm is out of range."""
    return exponential(log_likelihood(parameters, X, n_jobs))


def joint(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(x, c)`` (n, k); 0 or ∞ where the logarithm is out of range."""
    return exponential(log_joint(parameters, X, n_jobs))


def evidence(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(x)`` (n,); 0 or ∞ where the logarithm is out of range."""
    return exponential(log_evidence(parameters, X, n_jobs))


def log_odds(
    parameters: Parameters, X: RealArray, a: int, b: int, n_jobs: int | None = 1
) -> RealArray:
    """``log p(a | x) − log p(b | x)`` (n,) of two classes given by number."""
    scores: RealArray = np.empty((X.shape[0], 2), dtype=X.dtype)
    _score(parameters, "logarithm", X, "log_joint", n_jobs, scores, [a, b])
    with np.errstate(invalid="ignore"):
        odds: RealArray = scores[:, 0] - scores[:, 1]
    if np.isnan(odds).any():
        refuse_no_odds(parameters.prior, a, b)
        _refuse(X, 0, OUT_OF_RANGE)
    return odds


def refuse_no_odds(prior: FloatArray, a: int, b: int) -> None:
    """Raise if two classes have no odds because neither has a prior above 0."""
    if (prior[[a, b]] == 0).all():
        msg = f"classes {a} and {b} both have prior 0: their odds are not defined"
        raise PriorError(msg)


def mahalanobis(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``√((x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c))`` (n, k)."""
    squares = _scores(parameters, X, "distance", "log_joint", n_jobs)
    squares *= -2
    squares += 0.0  # at the mean itself 0, not −0
    np.sqrt(squares, out=squares)
    return squares


@dataclass(frozen=True, slots=True)
class NegativeLogLikelihood:
    """``−Σ log p(x, y)`` over labelled rows, in its two parts.

    Examples
    --------
    >>> NegativeLogLikelihood(labels=5.0, features=7.5).total
    12.5
    """

    labels: float  # −Σ log p(y)
    features: float  # −Σ log p(x | y)

    @property
    def total(self) -> float:
        """``−Σ log p(x, y)``."""
        return self.labels + self.features


def negative_log_likelihood(
    parameters: Parameters,
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None = None,
    n_jobs: int | None = 1,
) -> NegativeLogLikelihood:
    """The negative log-likelihood of labelled rows: the labels' part and the features' part."""
    log_prior = parameters.log_prior
    of_labels = of_features = 0.0
    for rows in ranges(X.shape[0], 1 << 18):
        own = codes[rows]
        densities = log_likelihood(parameters, X[rows], n_jobs)[np.arange(own.size), own]
        weight = 1.0 if weights is None else weights[rows]
        of_labels -= float(np.sum(weight * log_prior[own]))
        of_features -= float(np.sum(weight * densities.astype(np.float64)))
    return NegativeLogLikelihood(of_labels, of_features)


def exponential(logarithms: RealArray) -> RealArray:
    """The numbers of which these are the logarithms, in their place; 0 or ∞ out of range."""
    with np.errstate(over="ignore", under="ignore"):
        np.exp(logarithms, out=logarithms)
    return logarithms


def _scores(
    parameters: Parameters, X: RealArray, purpose: Purpose, task: Task, n_jobs: int | None
) -> RealArray:
    """What the kernels say of each row and class (n, k)."""
    out: RealArray = np.empty((X.shape[0], parameters.prior.shape[0]), dtype=X.dtype)
    _score(parameters, purpose, X, task, n_jobs, out)
    return out


def _score(
    parameters: Parameters,
    purpose: Purpose,
    X: RealArray,
    task: Task,
    n_jobs: int | None,
    out: NDArray[Any],
    classes: list[int] | None = None,
) -> None:
    """Run the kernels over blocks of rows, on several threads when that pays."""
    n, d = X.shape
    wanted = Wanted(parameters, purpose, task, classes)
    form = wanted.form(X.dtype)
    score = kernels.active().score

    def score_block(rows: slice) -> None:
        problem = score(form, X[rows], task, out[rows])
        if problem & NOT_FINITE:
            problem = score_incomplete(wanted, X[rows], out[rows])
        if problem:
            _refuse(X[rows], rows.start, problem)

    blocks = ranges(n, min(max(2048, _BLOCK_BYTES // (8 * d or 1)), 1 << 16))
    for_each(score_block, blocks, n_threads(n_jobs) if n * d > _WORTH_A_THREAD else 1)


def _refuse(X: RealArray, start: int, problem: int) -> None:
    if problem & NOT_FINITE:
        refuse_not_finite(X, start, allow_nan=True)
    msg = (
        f"some of the rows {start} … {start + X.shape[0] - 1} are so far from every class that "
        "the square of the distance overflows; are the units those of the training rows?"
    )
    raise DataError(msg)
