"""Parameters and rows → scores: log likelihood, log joint, posterior, evidence, odds, distance.

The Gaussian density stands here once. Everything else follows from the log joint

    log p(x, c) = log prior_c − ½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

by one normaliser. With one covariance for all classes the posterior is taken from the linear form,
in which the square of x, the same for every class, has cancelled, unless the means are so far apart
that the quadratic form is the more exact one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.errors import DataError, PriorError
from gaussbayes.finite import refuse_not_finite
from gaussbayes.kernels.forms import NOT_FINITE, OUT_OF_RANGE, Form, Linear, Quadratic
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.parallel import for_each, n_threads, ranges
from gaussbayes.parameters import Parameters
from gaussbayes.types import CodeArray, FloatArray, RealArray, Task

_BLOCK_BYTES = 1 << 22
_WORTH_A_THREAD = 1 << 18
"""Entries of X below which starting a thread costs more than it saves."""

_SPREAD_FOR_POSTERIORS = 1e4
_SPREAD_FOR_LOGARITHMS = 1e2
"""Squared distance from centre to means up to which the linear form is exact enough.

Its terms are of that size and cancel: about 1e-12 and 1e-14 are lost. A posterior is judged by its
absolute error, a log posterior, which may be near 0, by its relative one.
"""


def quadratic_form(parameters: Parameters, log_prior: FloatArray | float) -> Quadratic:
    """The score as the log of prior times density."""
    d = parameters.center.shape[0]
    shape = parameters.covariance
    k = parameters.prior.shape[0]
    log_constant = np.broadcast_to(log_prior - 0.5 * (d * np.log(2 * np.pi) + shape.log_det), (k,))
    return Quadratic(
        parameters.center, parameters.offset, shape.whitener, np.ascontiguousarray(log_constant)
    )


def linear_form(parameters: Parameters) -> Linear:
    """The score up to a term without the class, for a shared covariance.

    ``coefficient_c = Σ⁻¹ offset_c``, ``log_constant_c = log prior_c − ½ offset_cᵀ Σ⁻¹ offset_c``.
    """
    whitener = parameters.covariance.whitener[0]
    white = _white_offset(parameters)
    coefficient = white * whitener if whitener.ndim == 1 else white @ whitener
    log_constant = parameters.log_prior - 0.5 * np.einsum("cj,cj->c", white, white)
    return Linear(parameters.center, coefficient, log_constant)


def posterior_form(parameters: Parameters, spread: float = _SPREAD_FOR_POSTERIORS) -> Form:
    """The cheapest form whose differences between classes are exact.

    Of two neighbours among far-off classes the linear form would keep but few digits, because its
    terms grow with the squared distances of the means from the centre. The quadratic form's terms
    are small near a mean, wherever that lies.
    """
    if parameters.shared:
        white = _white_offset(parameters)
        if np.einsum("cj,cj->c", white, white).max() <= spread:
            return linear_form(parameters)
    return quadratic_form(parameters, parameters.log_prior)


def labels(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> NDArray[np.intp]:
    """The class number with the largest posterior, for each row (n,)."""
    out = np.empty(X.shape[0], dtype=np.intp)
    _score(posterior_form(parameters), X, "label", n_jobs, out)
    return out


def posterior(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(c | x)`` (n, k): each row sums to 1."""
    return _scores(posterior_form(parameters), X, "posterior", n_jobs)


def log_posterior(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(c | x)`` (n, k)."""
    return _scores(posterior_form(parameters, _SPREAD_FOR_LOGARITHMS), X, "log_posterior", n_jobs)


def log_joint(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x, c)`` (n, k)."""
    form = quadratic_form(parameters, parameters.log_prior)
    return _scores(form, X, "log_joint", n_jobs)


def log_likelihood(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x | c)`` (n, k): the Gaussian log densities."""
    return _scores(quadratic_form(parameters, 0.0), X, "log_joint", n_jobs)


def log_evidence(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``log p(x) = log Σ_c p(x, c)`` (n,)."""
    evidence = np.empty(X.shape[0], dtype=X.dtype)
    for rows in ranges(X.shape[0], 1 << 18):
        evidence[rows] = log_sum_exp(log_joint(parameters, X[rows], n_jobs))
    return evidence


def joint(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(x, c)`` (n, k); 0 or ∞ where the logarithm is out of range."""
    return _exponential(log_joint(parameters, X, n_jobs))


def evidence(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``p(x)`` (n,); 0 or ∞ where the logarithm is out of range."""
    return _exponential(log_evidence(parameters, X, n_jobs))


def log_odds(
    parameters: Parameters, X: RealArray, a: int, b: int, n_jobs: int | None = 1
) -> RealArray:
    """``log p(a | x) − log p(b | x)`` (n,) of two classes given by number."""
    two = _only(posterior_form(parameters, _SPREAD_FOR_LOGARITHMS), [a, b])
    scores = _scores(two, X, "log_joint", n_jobs)
    with np.errstate(invalid="ignore"):
        odds: RealArray = scores[:, 0] - scores[:, 1]
    if np.isnan(odds).any():
        if (parameters.prior[[a, b]] == 0).all():
            msg = f"classes {a} and {b} both have prior 0: their odds are not defined"
            raise PriorError(msg)
        _refuse(X, 0, OUT_OF_RANGE)
    return odds


def mahalanobis(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> RealArray:
    """``√((x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c))`` (n, k)."""
    form = quadratic_form(parameters, 0.0)
    bare = Quadratic(form.center, form.offset, form.whitener, np.zeros_like(form.log_constant))
    squares = _scores(bare, X, "log_joint", n_jobs)
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


def _exponential(logarithms: RealArray) -> RealArray:
    with np.errstate(over="ignore", under="ignore"):
        np.exp(logarithms, out=logarithms)
    return logarithms


def _white_offset(parameters: Parameters) -> FloatArray:
    """The means' offsets from the centre in units of a shared covariance: ``W offset_c`` (k, d)."""
    whitener = parameters.covariance.whitener[0]
    white: FloatArray = (
        parameters.offset * whitener if whitener.ndim == 1 else parameters.offset @ whitener.T
    )
    return white


def _only(form: Form, classes: list[int]) -> Form:
    """The form of some of the classes."""
    if isinstance(form, Linear):
        return Linear(form.center, form.coefficient[classes], form.log_constant[classes])
    whitener = form.whitener if form.whitener.shape[0] == 1 else form.whitener[classes]
    return Quadratic(form.center, form.offset[classes], whitener, form.log_constant[classes])


def _scores(form: Form, X: RealArray, task: Task, n_jobs: int | None) -> RealArray:
    """What the kernels say of each row and class (n, k)."""
    out: RealArray = np.empty((X.shape[0], form.log_constant.shape[0]), dtype=X.dtype)
    _score(form, X, task, n_jobs, out)
    return out


def _score(form: Form, X: RealArray, task: Task, n_jobs: int | None, out: NDArray[Any]) -> None:
    """Run the kernels over blocks of rows, on several threads when that pays."""
    n, d = X.shape
    active = kernels.active()
    prepared = active.prepare(form, X.dtype)

    def score_block(rows: slice) -> None:
        problem = active.score(prepared, X[rows], task, out[rows])
        if problem:
            _refuse(X[rows], rows.start, problem)

    k = form.log_constant.shape[0]
    blocks = ranges(n, min(max(2048, _BLOCK_BYTES // (8 * (d + k))), 1 << 16))
    for_each(score_block, blocks, n_threads(n_jobs) if n * d > _WORTH_A_THREAD else 1)


def _refuse(X: RealArray, start: int, problem: int) -> None:
    if problem & NOT_FINITE:
        refuse_not_finite(X, start)
    msg = (
        f"some of the rows {start} … {start + X.shape[0] - 1} are so far from every class that "
        "the square of the distance overflows; are the units those of the training rows?"
    )
    raise DataError(msg)
