"""Rows that are like no class: p-values of their distances, and of their evidence.

The squared Mahalanobis distance of a row from its own class follows the χ² distribution with as
many degrees of freedom as there are features, so that its upper tail is a p-value: the probability
that a row of the class lies at least so far out. A row that is far out for every class is novel.

The p-value of the evidence is the probability that a row drawn from the model is no more probable
than this one, ``P(p(X) ≤ p(x))``. For a single Gaussian it is the χ² tail of the distance.
Otherwise there is no closed form, and it is simulated, once for a model: see
`evidence_distribution`. A row of which values are missing is compared with rows of the features
that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.analysis.synthesis import RandomState, as_generator, capable_densities
from gaussbayes.base.checks import integer, probability
from gaussbayes.base.errors import OptionError
from gaussbayes.base.numerals import five_digits
from gaussbayes.base.text_tables import Block, Displayed, TextTable
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.protocol import Distant, Extreme, Located, Warped
from gaussbayes.model.model import Model
from gaussbayes.model.solution import log_evidence

_BLOCK_BYTES = 1 << 23
"""Rows are simulated in pieces of about this size."""

_TIE = 1e-9
"""What equal log evidences may differ by in rounding, where categories make many rows equal."""


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


def class_p_values(model: Model, rows: Rows, n_jobs: int | None = 1) -> FloatArray:
    """For each row and class, how probable a row of the class is at least so far out (n, k).

    By the features of the families that have distances, as far as they are not missing.
    """
    squares, n_features = model.squared_distance(rows, n_jobs)
    return distance_p_values(squares, n_features[:, None])


def novel(p_values: FloatArray, level: float, prior: FloatArray | None = None) -> NDArray[np.bool_]:
    """The rows (n,) that are like no class: every p-value is below the level.

    Of the rows of a class at most the proportion `level` is called novel. The p-values are those of
    the classes (n, k), or of the evidence (n,); classes of prior 0, which cannot occur, do not
    count if the priors (k,) are given.
    """
    least = probability("the level below which a row is novel", level)
    of_classes = p_values if p_values.ndim == 2 else p_values[:, None]
    if prior is not None:
        if prior.shape != of_classes.shape[1:]:
            msg = (
                f"p-values of {of_classes.shape[1]} classes need as many priors, got {prior.shape}"
            )
            raise OptionError(msg)
        of_classes = of_classes[:, prior > 0]
    return np.asarray(of_classes.max(axis=1) < least)


@dataclass(frozen=True, slots=True, eq=False)
class PValues(Displayed):
    """P-values of rows (n,), and the standard errors of their simulation; 0 if they are exact."""

    p_value: FloatArray  #: (n,)
    standard_error: FloatArray  #: (n,) of the simulation; 0 where none was needed

    def tables(self) -> Sequence[Block]:
        """The first rows."""
        columns = ("row", "p-value", "standard\nerror")
        numbers = enumerate(zip(self.p_value, self.standard_error, strict=True))
        lines = ((f"{row:,}", *map(five_digits, pair)) for row, pair in numbers)
        return [TextTable.first(columns, lines, self.p_value.size, sides="r")]


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
    below: FloatArray  # (m + 1,) weight of the i lowest rows, as a proportion
    standard_error: FloatArray  # (m + 1,) of that proportion

    def p_values(self, log_evidence: RealArray) -> PValues:
        """``P(p(X) ≤ p(x))`` for rows of this log evidence (n,)."""
        most = log_evidence.astype(np.float64) + _TIE
        place = np.searchsorted(self.log_evidence, most, side="right")
        return PValues(self.below[place], self.standard_error[place])


Evidence: TypeAlias = ExactEvidence | SimulatedEvidence


def evidence_p_values(
    model: Model,
    rows: Rows,
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> PValues:
    """``P(p(X) ≤ p(x))`` of rows (n,), each among rows of the features that it has.

    A category that was not seen in training is as good as missing.
    """
    log_p = model.log_evidence(rows, n_jobs)
    numbers = np.setdiff1d(np.arange(model.schema.n_features), model.schema.categorical)
    present = np.empty((rows.n_rows, model.schema.n_features), dtype=np.bool_)
    present[:, numbers] = ~np.isnan(rows.matrix)
    present[:, list(model.schema.categorical)] = rows.codes >= 0
    if present.all():
        return evidence_distribution(model, n_draws, random_state, n_jobs).p_values(log_p)
    result = PValues(np.ones(rows.n_rows), np.zeros(rows.n_rows))
    patterns, number = np.unique(present, axis=0, return_inverse=True)
    without_rows = replace(model, learnt=None, solution=model.parameters)
    for code, pattern in enumerate(patterns):
        if pattern.any():
            which = np.flatnonzero(number.ravel() == code)
            part = without_rows.marginal(np.flatnonzero(pattern).tolist())
            simulated = evidence_distribution(part, n_draws, random_state, n_jobs)
            answer = simulated.p_values(log_p[which])
            result.p_value[which] = answer.p_value
            result.standard_error[which] = answer.standard_error
    return result


def evidence_distribution(
    model: Model,
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> Evidence:
    """How the evidence of rows from the model is distributed; exact for a single Gaussian.

    Of rows simply drawn from the model none would be found as far out as a novel row: the p-value
    would be 0, give or take nothing. So every family draws rare rows more often than they come, and
    each row weighs as much as it is rarer in the model than here. So a p-value of 1e-100 has a
    standard error of about a tenth of itself, and one of 0.05 no more than √2 times that of as many
    plain draws. Classes get rows half by their priors and half alike, for a rare but wide class may
    be the one that reaches far out.
    """
    n = integer("n_draws", n_draws, 2)
    generator = as_generator(random_state)
    solution = model.parameters
    possible = np.flatnonzero(solution.prior > 0)
    if possible.size == 1 and len(solution.densities) == 1:
        density = solution.densities[0]
        plain = isinstance(density, Distant) and not isinstance(density, Warped)
        # Of Student-t densities the evidence falls with the distance, but not by half its square.
        if plain and getattr(density, "degrees", None) is None and isinstance(density, Located):
            peak = number_rows(density.mean[possible])
            return ExactEvidence(float(model.log_evidence(peak)[0]), model.schema.n_features)
    densities = capable_densities(model, Extreme, "the p-value of the evidence")
    prior = solution.prior[possible] / solution.prior[possible].sum()
    counts = 2 * np.ceil(0.25 * n * (prior + 1.0 / possible.size)).astype(np.intp)
    codes = np.repeat(possible, counts).astype(np.int32)
    weight = np.repeat(prior / counts, counts)
    log_p = np.empty(codes.shape)
    for block in ranges(codes.size, max(1024, _BLOCK_BYTES // (8 * model.schema.n_features))):
        parts = []
        for density in densities:
            part, rarity = density.draw_widely(codes[block], generator)
            parts.append(part)
            weight[block] *= rarity
        log_p[block] = log_evidence(solution, parts, n_jobs)
    positive = weight > 0  # of the rarest categories it may be less than floats can tell
    return _cumulated(log_p[positive], weight[positive])


def _cumulated(log_evidence: FloatArray, weights: FloatArray) -> SimulatedEvidence:
    """Rows and their weights in order, with the delta method's standard error of a ratio.

    A proportion is A / (A + B), of the weights below and above, and its variance
    ``(B² Σ_below w² + A² Σ_above w²) / (A + B)⁴``, or less, since the draws are evenly spread.
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
