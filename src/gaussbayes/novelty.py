"""Rows that are like no class: p-values of their distances, and of their evidence.

The squared Mahalanobis distance of a row from its own class follows the χ² distribution with as
many degrees of freedom as there are features, so that its upper tail is a p-value: the probability
that a row of the class lies at least so far out. A row that is far out for every class is novel.

The evidence has a p-value too: the probability that a row drawn from the model is no more probable
than this one, ``P(p(X) ≤ p(x))``. With one class that is the χ² tail again. With several there is
no closed form, and it is simulated, once for a model: see `evidence_distribution`.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes import scores
from gaussbayes.checks import probability, whole_number
from gaussbayes.errors import ParameterError
from gaussbayes.parallel import ranges
from gaussbayes.parameters import Parameters
from gaussbayes.synthesis import RandomState, as_generator, draw_rows
from gaussbayes.types import FloatArray, RealArray

_BLOCK_BYTES = 1 << 23
"""Rows are simulated in pieces of about this size."""

_LOG_REACH = 690.0
"""Tails down to ``exp(−690)``, about 1e-300, are simulated."""


def distance_p_values(squared_distance: ArrayLike, n_features: ArrayLike) -> FloatArray:
    """``P(χ²_d ≥ m²)``, exact far out: it does not end in 0 before floats do.

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
    # Without features nothing is far out: every distance is 0.
    tail: FloatArray = np.where(degrees > 0, gammaincc(0.5 * np.maximum(degrees, 1), half), 1.0)
    return tail


def class_p_values(parameters: Parameters, X: RealArray, n_jobs: int | None = 1) -> FloatArray:
    """For each row and class, how probable a row of the class is at least so far out (n, k).

    Of a row with missing features (NaN), both are meant of the features that it has.

    Examples
    --------
    >>> from gaussbayes.parameters import Structure, given
    >>> from gaussbayes.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(), "uniform", [[0], [10]], [[[1]], [[4]]])
    >>> class_p_values(model, np.array([[0.0], [1.96], [5.0]])).round(4).tolist()
    [[1.0, 0.0], [0.05, 0.0001], [0.0, 0.0124]]
    """
    distance = scores.mahalanobis(parameters, X, n_jobs).astype(np.float64, copy=False)
    n_features = np.count_nonzero(~np.isnan(X), axis=1)
    return distance_p_values(np.square(distance), n_features[:, None])


def novel(p_values: FloatArray, level: float, prior: FloatArray | None = None) -> NDArray[np.bool_]:
    """The rows (n,) that are like no class: every p-value is below the level.

    Of the rows of a class at most the share `level` is called novel.

    Parameters
    ----------
    p_values : (n, k) of the classes, or (n,) of the evidence
    level : from 0, no row is novel, to 1
    prior : (k,) if given, classes of prior 0, which cannot occur, do not count

    Examples
    --------
    >>> novel(np.array([[0.5, 0.0], [0.01, 0.02]]), 0.05).tolist()
    [False, True]
    """
    least = probability("the level below which a row is novel", level)
    each = p_values if p_values.ndim == 2 else p_values[:, None]
    if prior is not None:
        if prior.shape != each.shape[1:]:
            msg = f"p-values of {each.shape[1]} classes need as many priors, got {prior.shape}"
            raise ParameterError(msg)
        each = each[:, prior > 0]
    return np.asarray(each.max(axis=1) < least)


@dataclass(frozen=True, slots=True, eq=False)
class PValues:
    """P-values of rows (n,), and the standard errors of their simulation; 0 if they are exact."""

    p_value: FloatArray
    standard_error: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ExactEvidence:
    """The evidence of one Gaussian falls with the distance, so that the χ² tail is its p-value."""

    log_peak: float  # log p(x) at the mean
    n_features: int

    def p_values(self, log_evidence: RealArray) -> PValues:
        """``P(p(X) ≤ p(x))`` for rows of this log evidence (n,)."""
        squares = 2.0 * np.maximum(self.log_peak - log_evidence.astype(np.float64), 0.0)
        return PValues(distance_p_values(squares, self.n_features), np.zeros(squares.shape))


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedEvidence:
    """The evidence of weighted rows from the model, from the lowest to the highest."""

    log_evidence: FloatArray  # (m,) increasing
    below: FloatArray  # (m + 1,) weight of the i lowest rows, as a share
    standard_error: FloatArray  # (m + 1,) of that share

    def p_values(self, log_evidence: RealArray) -> PValues:
        """``P(p(X) ≤ p(x))`` for rows of this log evidence (n,)."""
        place = np.searchsorted(self.log_evidence, log_evidence.astype(np.float64), side="right")
        return PValues(self.below[place], self.standard_error[place])


Evidence: TypeAlias = ExactEvidence | SimulatedEvidence


def evidence_distribution(
    parameters: Parameters,
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> Evidence:
    """How the evidence of rows from the model is distributed; exact for one class.

    Of rows simply drawn from the model none would be found as far out as a novel row: the p-value
    would be 0, give or take nothing. So the distances from the mean are not left to chance. They
    are those at which the tail of χ² is v, half of the v evenly spread over 0 … 1 and half of the
    log v over −690 … 0, and each row weighs as much as rows so far out are rarer in the model than
    here. So a p-value of 1e-100 has a standard error of about a tenth of itself, and one of 0.05
    no more than √2 times that of as many plain draws. Directions remain random.

    Classes get rows half by their priors and half alike, for a rare but wide class may be the one
    that reaches far out.

    Parameters
    ----------
    n_draws : rows to simulate, about
    random_state : a seed, so that the answer is the same each time; or a generator, or None

    Examples
    --------
    >>> from gaussbayes.parameters import Structure, given
    >>> from gaussbayes.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(), "uniform", [[0], [100]], [[[1]], [[1]]])
    >>> found = evidence_distribution(model)
    >>> rows = np.array([[1.959964], [101.959964], [0.0]])
    >>> answer = found.p_values(scores.log_evidence(model, rows))
    >>> answer.p_value.round(2).tolist(), bool(answer.standard_error.max() < 0.001)
    ([0.05, 0.05, 1.0], True)
    """
    n = whole_number("n_draws", n_draws, 2)
    generator = as_generator(random_state)
    possible = np.flatnonzero(parameters.prior > 0)
    d = parameters.center.shape[0]
    if possible.size == 1:
        mean = parameters.mean[possible]
        return ExactEvidence(float(scores.log_evidence(parameters, mean)[0]), d)
    prior = parameters.prior[possible] / parameters.prior[possible].sum()
    counts = np.ceil(0.25 * n * (prior + 1.0 / possible.size)).astype(np.intp)
    tails = [_tails(count, generator) for count in counts]
    codes = np.repeat(possible, 2 * counts).astype(np.int32)
    weights = [
        share / (tail.size * _density(tail)) for share, tail in zip(prior, tails, strict=True)
    ]
    tail = np.concatenate(tails)
    log_evidence = np.empty(tail.shape)
    for block in ranges(tail.size, max(1024, _BLOCK_BYTES // (8 * d))):
        rows = _rows_at(parameters, codes[block], tail[block], generator, n_jobs)
        log_evidence[block] = scores.log_evidence(parameters, rows, n_jobs)
    return _cumulated(log_evidence, np.concatenate(weights))


def _tails(count: int, generator: np.random.Generator) -> FloatArray:
    """Twice `count` values of v in (0, 1): one in each of as many intervals, on two scales."""
    place = (np.arange(count) + generator.random((2, count))) / count
    even, logarithmic = 1.0 - place[0], np.exp(-_LOG_REACH * place[1])
    return np.concatenate([even, logarithmic])


def _density(tail: FloatArray) -> FloatArray:
    """How densely `_tails` covers v, where the model covers it with density 1."""
    density: FloatArray = 0.5 + 0.5 / (_LOG_REACH * tail)
    return density


def _rows_at(
    parameters: Parameters,
    codes: NDArray[np.int32],
    tail: FloatArray,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> FloatArray:
    """Rows (n, d) in random directions from their classes' means, where the tail of χ² is given."""
    from scipy.special import gammainccinv

    rows = draw_rows(parameters, codes, generator)
    own = np.arange(codes.shape[0]), codes
    distance = scores.mahalanobis(parameters, rows, n_jobs)[own]
    wanted = np.sqrt(2.0 * gammainccinv(0.5 * rows.shape[1], tail))
    rows -= parameters.center
    rows -= parameters.offset[codes]
    rows *= (wanted / distance)[:, None]
    rows += parameters.offset[codes]
    rows += parameters.center
    return rows


def _cumulated(log_evidence: FloatArray, weights: FloatArray) -> SimulatedEvidence:
    """Rows and their weights in order, with the delta method's standard error of a ratio.

    A share is A / (A + B), of the weights below and above, and its variance
    ``(B² Σ_below w² + A² Σ_above w²) / (A + B)⁴``, or less, since the distances are evenly spread.
    """
    order = np.argsort(log_evidence, kind="stable")
    weight = weights[order] / weights.sum()
    below = np.concatenate([[0.0], np.cumsum(weight)])
    below /= below[-1]
    # Squares of the smallest weights underflow, so that they are summed in logarithms.
    root_below = np.exp(0.5 * np.logaddexp.accumulate(2.0 * np.log(weight)))
    root_above = np.sqrt(np.cumsum(np.square(weight)[::-1])[::-1])
    error = np.hypot(
        (1.0 - below) * np.concatenate([[0.0], root_below]),
        below * np.concatenate([root_above, [0.0]]),
    )
    return SimulatedEvidence(log_evidence[order], below, error)
