"""How usual the evidence of a row is: the p-value of ``p(x)``.

That is the probability that a row drawn from the model is no more probable than this one,
``P(p(X) ≤ p(x))``. With one class it is the χ² tail of the distance (`novelty`). With
several there is no closed form, and it is simulated, once for a model: see `evidence_distribution`.
With categories it means the same: the density is that of the numbers times the probability of the
categories.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.novelty import distance_p_values
from gaussbayes.analysis.synthesis import RandomState, as_generator, draw_rows
from gaussbayes.base.checks import integer
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters

if TYPE_CHECKING:
    from gaussbayes.model.mixed import MixedParameters

_BLOCK_BYTES = 1 << 23
"""Rows are simulated in pieces of about this size."""

_LOG_REACH = 690.0
"""Tails down to ``exp(−690)``, about 1e-300, are simulated."""

_TIE = 1e-9
"""What equal log evidences may differ by in rounding, where categories make many rows equal."""


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
    tie: float = 0.0  # log evidences so near are equal

    def p_values(self, log_evidence: RealArray) -> PValues:
        """``P(p(X) ≤ p(x))`` for rows of this log evidence (n,)."""
        most = log_evidence.astype(np.float64) + self.tie
        place = np.searchsorted(self.log_evidence, most, side="right")
        return PValues(self.below[place], self.standard_error[place])


Evidence: TypeAlias = ExactEvidence | SimulatedEvidence


def evidence_distribution(
    parameters: "Parameters | MixedParameters",
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> Evidence:
    """How the evidence of rows from the model is distributed; exact for one class of numbers.

    Of rows simply drawn from the model none would be found as far out as a novel row: the p-value
    would be 0, give or take nothing. So the distances from the mean are not left to chance. They
    are those at which the tail of χ² is v, half of the v evenly spread over 0 … 1 and half of the
    log v over −690 … 0, and each row weighs as much as rows so far out are rarer in the model than
    here. So a p-value of 1e-100 has a standard error of about a tenth of itself, and one of 0.05
    no more than √2 times that of as many plain draws. Directions remain random.

    Classes get rows half by their priors and half alike, for a rare but wide class may be the one
    that reaches far out. Rare categories are drawn more often than the model has them, too; see
    `gaussbayes.families.categorical.rare`.

    Parameters
    ----------
    n_draws : rows to simulate, about
    random_state : a seed, so that the answer is the same each time; or a generator, or None

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(), "uniform", [[0], [100]], [[[1]], [[1]]])
    >>> found = evidence_distribution(model)
    >>> rows = np.array([[1.959964], [101.959964], [0.0]])
    >>> answer = found.p_values(scores.log_evidence(model, rows))
    >>> answer.p_value.round(2).tolist(), bool(answer.standard_error.max() < 0.001)
    ([0.05, 0.05, 1.0], True)
    """
    n = integer("n_draws", n_draws, 2)
    generator = as_generator(random_state)
    possible = np.flatnonzero(parameters.prior > 0)
    gaussian = parameters if isinstance(parameters, Parameters) else parameters.gaussian
    d = gaussian.center.shape[0]
    if possible.size == 1 and isinstance(parameters, Parameters):
        mean = parameters.mean[possible]
        return ExactEvidence(float(scores.log_evidence(parameters, mean)[0]), d)
    prior = parameters.prior[possible] / parameters.prior[possible].sum()
    counts = np.ceil(0.25 * n * (prior + 1.0 / possible.size)).astype(np.intp)
    tails = [_tails(count, generator) if d else np.ones(2 * count) for count in counts]
    codes = np.repeat(possible, 2 * counts).astype(np.int32)
    weights = [
        share / (tail.size * _density(tail)) for share, tail in zip(prior, tails, strict=True)
    ]
    tail, weight = np.concatenate(tails), np.concatenate(weights)
    log_evidence = np.empty(tail.shape)
    for block in ranges(tail.size, max(1024, _BLOCK_BYTES // (8 * max(1, d)))):
        own = codes[block]
        rows = _rows_at(gaussian, own, tail[block], generator, n_jobs)
        if isinstance(parameters, Parameters):
            log_evidence[block] = scores.log_evidence(parameters, rows, n_jobs)
        else:
            found = _beside_categories(parameters, rows, own, generator, n_jobs)
            log_evidence[block] = found[0]
            weight[block] *= found[1]
    there = weight > 0  # of the rarest categories it may be less than floats can tell
    return replace(
        _cumulated(log_evidence[there], weight[there]),
        tie=0.0 if isinstance(parameters, Parameters) else _TIE,
    )


def _beside_categories(
    parameters: "MixedParameters",
    X: FloatArray,
    codes: NDArray[np.int32],
    generator: np.random.Generator,
    n_jobs: int | None,
) -> tuple[RealArray, FloatArray]:
    """The log evidence (n,) of such numbers with categories, and how rare these are (n,)."""
    from gaussbayes.families.categorical.rare import draw_widely
    from gaussbayes.model import mixed

    columns, weight = draw_widely(parameters.categorical, codes, generator)
    return mixed.log_evidence(parameters, mixed.MixedRows(X, columns), n_jobs), weight


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
    if not rows.shape[1]:
        return rows
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
