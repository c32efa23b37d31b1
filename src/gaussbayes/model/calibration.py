"""Calibrate posteriors on held-out predictions.

Misspecified densities, and dependent features that are modelled as independent, make posteriors
overconfident. Held-out rows show by how much::

    log p(c | x) = log prior_c + t log p(x | c) + b_c − log Σ …

with one factor ``t ≤ 1``, the inverse of a temperature, and one offset ``b_c`` for each class. They
maximise the likelihood of the classes of the held-out rows. Densities do not change: calibration
acts on posteriors and decisions only. The prior is not scaled, so that it can be changed later.

Some rows are mislabelled or unlike all others. Therefore a proportion e of the posterior is the
prior,

    (1 − e) p(c | x) + e prior_c

which maximises the same likelihood, with a tenth of a row added that carries no information. Thus
e is above 0 also if every held-out row is classified correctly.

If the features carry little information about the classes, the gain of held-out log probability
over the prior alone may be chance, in particular if the best of many models is calibrated. With a
gain G and its standard error S, a proportion 1 − G / (2.5 S) of the posterior is the prior as well:
all of it without a gain, none from a gain of 2.5 S on.

A pool (`gaussbayes.model.select`) has two members with log-likelihoods l and l'. Each is calibrated
alone, and the weights v and v' of the calibrated log-likelihoods maximise the probability of the
classes of the held-out rows, with a penalty that prefers the first member alone::

    log p(c | x) = log prior_c + v (t l_c + b_c) + v' (t' l'_c + b'_c) − log Z

    −Σ_i w_i log p(c_i | x_i) + 5 (v − 1)² + 5 v'²

This is a calibration with two weights, ``v t`` and ``v' t'``. The prior enters once.

Where posteriors are the mean of those with and without unlabelled rows, each of both models has its
calibration.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from gaussbayes.base.numerals import percent
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.kernels.reference import log_sum_exp

Float = TypeVar("Float", bound=np.floating[Any])

_PRIOR_ROWS = 2.0
"""The weight of the prior of the factor and the offsets, in rows.

If all held-out rows are classified correctly, they do not bound the confidence of the posteriors.
"""

_NOTHING = 0.1
"""Weight of a pseudo-row without information about the classes."""

_MOST_NOTHING = 0.5
"""Largest proportion of the prior: beyond it, posteriors would hardly depend on the features."""

_BEYOND_DOUBT = 2.5
"""Standard errors of the gain over the prior beyond which it is not attributed to chance."""

_RIDGE = 5.0
"""Penalty of the weights of the members of a pool."""

_WEIGHTS = 0.01, 3.0
"""The least weight of the first member of a pool, and the greatest of either."""

_LEAST = float(np.exp(-12.0))  # factor, far below values that its prior allows
_STEPS = 100  # of Newton's method, at most
_TOLERANCE = 1e-15  # largest remaining gain of a step, as a proportion of the loss
IMPOSSIBLE = -700.0  # a log probability that counts as 0


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A factor of log-likelihoods, and an offset for each class.

    Examples
    --------
    >>> half = Calibration(0.5, np.array([0.0, 1.0]))
    >>> half.applied(np.log([[0.04, 0.25]]), np.log([0.5, 0.5])).round(3).tolist()
    [[-2.303, -0.386]]
    """

    weight: float  # of the log-likelihoods: t, above 0 and at most 1; at most 3 in a pool
    offsets: FloatArray  # (k,), summing to 0
    prior_proportion: float = 0.0  # of the posterior
    second_weight: float = 0.0  # of the second member of a pool
    left_out: tuple[FloatArray, ...] = field(default=(), repr=False)
    """For each class, the sorted held-out log posteriors of its rows, calibrated on other rows: the
    scores
        of prediction sets."""
    tails: tuple[FloatArray, ...] = field(default=(), repr=False)
    """For each class, the tail probabilities of the distances of its held-out rows from it, sorted;
    those of all held-out rows from the nearest class; those of their evidence. See
    `gaussbayes.model.distances`."""
    alone: "Calibration | None" = field(default=None, repr=False)
    """That of the model of the labelled rows alone, where posteriors are averaged with its own."""

    @property
    def factors(self) -> tuple[float, ...]:
        """The parameters that merged models must share."""
        alone = () if self.alone is None else self.alone.factors
        return self.weight, self.second_weight, self.prior_proportion, *alone

    @property
    def is_pooled(self) -> bool:
        """Whether a second member counts."""
        return self.second_weight > 0 or (self.alone is not None and self.alone.second_weight > 0)

    def applied(
        self, log_likelihood: RealArray, log_prior: FloatArray, second: RealArray | None = None
    ) -> RealArray:
        """``log prior_c + t log p(x | c) + b_c`` (n, k), from log-likelihoods (n, k).

        Log-likelihoods of a `second` member, multiplied by its factor, are added.
        """
        number = log_likelihood.dtype.type
        shift = (log_prior + self.offsets).astype(log_likelihood.dtype)
        joint = np.asarray(log_likelihood * number(self.weight) + shift)
        if second is not None:
            joint += number(self.second_weight) * second.astype(log_likelihood.dtype, copy=False)
        return joint

    def log_posterior(
        self, log_likelihood: RealArray, log_prior: FloatArray, second: RealArray | None = None
    ) -> RealArray:
        """Calibrated log posteriors (n, k) of log-likelihoods (n, k), see `applied`."""
        joint = self.applied(log_likelihood, log_prior, second)
        joint -= np.maximum(joint.max(axis=1, keepdims=True), np.finfo(joint.dtype).min)
        joint -= log_sum_exp(joint)[:, None]
        if self.prior_proportion:
            with np.errstate(divide="ignore"):  # the proportion may be 1
                joint += joint.dtype.type(np.log1p(-self.prior_proportion))
            rest = log_prior + np.log(self.prior_proportion)
            np.logaddexp(joint, rest.astype(joint.dtype), out=joint)
        return joint

    @property
    def notice(self) -> str | None:
        """The notice if the prior is most of the posterior; otherwise None.

        Examples
        --------
        >>> Calibration(1.0, np.zeros(2), 0.01).notice is None
        True
        """
        if self.prior_proportion <= _MOST_NOTHING:
            return None
        if self.prior_proportion == 1:
            return (
                "on held-out rows the features carry no information about the class beyond its "
                "frequency; the posteriors equal the priors"
            )
        return (
            "on held-out rows the features carry little information about the class beyond its "
            f"frequency; {percent(self.prior_proportion, 0)} of each posterior is the prior"
        )

    def selected(self, codes: Sequence[int]) -> "Calibration":
        """Only the classes with these codes, in this order; those below 0 are new ones."""
        offsets = np.append(self.offsets, 0.0)[np.asarray(codes, dtype=np.intp)]

        def chosen(numbers: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
            return tuple(numbers[code] if code >= 0 else np.empty(0) for code in codes)

        left_out = chosen(self.left_out) if self.left_out else ()
        tails = (*chosen(self.tails), *self.tails[-2:]) if self.tails else ()
        alone = None if self.alone is None else self.alone.selected(codes)
        return replace(self, offsets=offsets, left_out=left_out, tails=tails, alone=alone)


def no_calibration(n_classes: int, n_rows: int) -> Calibration:
    """The calibration of a model without held-out rows."""
    empty = (np.empty(0),) * n_classes
    proportion = _NOTHING / (n_rows + _NOTHING)
    return Calibration(1.0, np.zeros(n_classes), proportion, left_out=empty)


def calibrate(
    log_likelihood: FloatArray,
    log_prior: FloatArray,
    proportions: FloatArray,
    weights: FloatArray,
    second: FloatArray | None = None,
) -> Calibration:
    """The calibration that maximises the probability of the classes of held-out rows.

    For each member ``−Σ_i w_i Σ_c q_ic log p(c | x_i) + 2 (log² t + Σ_c b_c²)`` is minimised, with
    ``t ≤ 1``: a free factor would diverge if every held-out row were correct. Then the weights
    of two members and the proportion of the prior are estimated; see above, `_proportion_of_prior`
    and `_doubt`.

    Parameters
    ----------
    log_likelihood : (n, k) by the model without the row, up to a constant of the row
    log_prior : (n, k) or (k,), without the row
    proportions : (n, k) labels as distributions over the classes
    weights : (n,) of the rows
    second : (n, k) log-likelihoods by the second member of a pool, if there is one
    """
    prior = np.maximum(np.broadcast_to(log_prior, log_likelihood.shape), IMPOSSIBLE)
    of_truth = proportions * weights[:, None]  # the weight of −log p(c | x)
    factor, offsets, scores = _calibrated_member(log_likelihood, prior, of_truth)
    second_factor = 0.0
    if second is not None:
        second_factor, more_offsets, more = _calibrated_member(second, prior, of_truth)
        v, w = _pool_weights(np.stack([scores, more]), prior, of_truth)
        factor, second_factor = v * factor, w * second_factor
        offsets, scores = v * offsets + w * more_offsets, v * scores + w * more
    _, posterior = _normalised(scores + prior)
    counts = of_truth > 0
    proportion = _proportion_of_prior(posterior[counts], np.exp(prior[counts]), of_truth[counts])
    mixed = np.log((1.0 - proportion) * posterior + proportion * np.exp(prior))
    gain = score_of_classes(mixed - prior, np.where(counts, proportions, 0.0))
    proportion += _doubt(gain, weights) * (1.0 - proportion)
    return Calibration(factor, offsets, proportion, second_factor)


def _normalised(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log joint probabilities (n, k) less the log of their sum, and posteriors."""
    log_posterior = joint - joint.max(axis=1, keepdims=True)
    posterior = np.exp(log_posterior)
    evidence = posterior.sum(axis=1, keepdims=True)
    return log_posterior - np.log(evidence), posterior / evidence


def _calibrated_member(
    log_likelihood: FloatArray, prior: FloatArray, of_truth: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The factor and the offsets (k,) of a member alone, and its calibrated values (n, k).

    `prior` (n, k) are log priors, `of_truth` (n, k) the weights of ``−log p(c | x)``.
    """
    k, total = log_likelihood.shape[1], of_truth.sum(axis=1, keepdims=True)
    largest = log_likelihood.max(axis=1, keepdims=True)
    scores = np.maximum(log_likelihood - largest, IMPOSSIBLE)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        log_posterior, posterior = _normalised(point[0] * scores + prior + point[1:])
        penalty = np.square(np.log(point[0])) + np.square(point[1:]).sum()
        return float(_PRIOR_ROWS * penalty - (of_truth * log_posterior).sum()), posterior

    def derivatives(point: FloatArray, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
        factor, weighted = float(point[0]), total * posterior
        residual = weighted - of_truth
        deviation = scores - (posterior * scores).sum(axis=1, keepdims=True)
        slope = np.append((residual * scores).sum(), residual.sum(axis=0))
        slope += 2.0 * _PRIOR_ROWS * np.append(np.log(factor) / factor, point[1:])
        curvature = 2.0 * _PRIOR_ROWS * np.eye(k + 1)
        curvature[0, 0] *= (1.0 - np.log(factor)) / factor**2
        curvature[0, 0] += (weighted * np.square(deviation)).sum()
        curvature[0, 1:] = curvature[1:, 0] = (weighted * deviation).sum(axis=0)
        curvature[1:, 1:] += np.diag(weighted.sum(axis=0)) - weighted.T @ posterior
        return slope, curvature

    # Convex in t and b, as log² t is below e.
    start = np.append(1.0, np.zeros(k))
    least, most = np.append(_LEAST, start[1:] - np.inf), np.append(1.0, start[1:] + np.inf)
    point = _minimum(loss, derivatives, start, least, most)
    # The prior makes the offsets sum to 0 up to rounding.
    offsets = point[1:] - point[1:].mean()
    return float(point[0]), offsets, point[0] * scores + offsets


def _pool_weights(
    members: FloatArray, prior: FloatArray, of_truth: FloatArray
) -> tuple[float, float]:
    """The weights of the calibrated log-likelihoods of two members (2, n, k), see above."""
    alone, total = np.array([1.0, 0.0]), of_truth.sum(axis=1, keepdims=True)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        log_posterior, posterior = _normalised(np.tensordot(point, members, 1) + prior)
        penalty = _RIDGE * np.square(point - alone).sum()
        return float(penalty - (of_truth * log_posterior).sum()), posterior

    def derivatives(point: FloatArray, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
        weighted = total * posterior
        slope = np.einsum("mnk,nk->m", members, weighted - of_truth)
        centred = members - (members * posterior).sum(axis=2, keepdims=True)
        curvature = np.einsum("ank,bnk->ab", centred * weighted, centred)
        ridge = 2.0 * _RIDGE
        return slope + ridge * (point - alone), curvature + ridge * np.eye(2)

    least, most = np.array([_WEIGHTS[0], 0.0]), np.full(2, _WEIGHTS[1])
    first, second = _minimum(loss, derivatives, alone, least, most).tolist()
    return first, second


def _minimum(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    derivatives: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
    point: FloatArray,
    least: FloatArray,
    most: FloatArray,
) -> FloatArray:
    """The minimum of a convex loss between two bounds, by Newton's method.

    `loss` gives the loss and the posteriors (n, k) at a point, which its slope and its curvature
    need. Steps are halved until the loss falls.
    """
    value, posterior = loss(point)
    for _ in range(_STEPS):
        slope, curvature = derivatives(point, posterior)
        step = np.linalg.solve(curvature, -slope)
        free = (point + step > least) & (point + step < most)
        if not free.all():  # a coordinate stops at its bound, and the others are optimal given it
            step = np.clip(point + step, least, most) - point
            rest = slope[free] + curvature[free][:, ~free] @ step[~free]
            step[free] = np.linalg.solve(curvature[free][:, free], -rest)
            step = np.clip(point + step, least, most) - point
        while (expected := -float(slope @ step)) > _TOLERANCE * (1.0 + abs(value)):
            after, there = loss(point + step)
            if after <= value - 0.1 * expected:
                point, value, posterior = point + step, after, there
                break
            step = 0.5 * step
        else:
            break
    return point


def mean_posterior(log_posteriors: Sequence[NDArray[Float]]) -> NDArray[Float]:
    """The logarithm (n, k) of the arithmetic mean of posteriors, given as logarithms (n, k).

    The result for two models is below the larger of both logarithms by at most log 2.

    Examples
    --------
    >>> np.exp(mean_posterior(np.log([[[0.9, 0.1]], [[0.5, 0.5]]]))).round(9).tolist()
    [[0.7, 0.3]]
    """
    mean, *others = log_posteriors
    for other in others:
        mean = np.logaddexp(mean, other)
    return mean - mean.dtype.type(np.log(len(log_posteriors)))


def score_of_classes(log_posterior: RealArray, proportions: FloatArray) -> FloatArray:
    """``Σ_c q_c log p(c | x)`` (n,): of the class of each row, or on average of soft labels."""
    score = np.multiply(proportions, log_posterior, where=proportions > 0, out=proportions * 0.0)
    return np.asarray(score.sum(axis=1))


def _doubt(gain: FloatArray, weights: FloatArray) -> float:
    """``1 − G / (2.5 S)``, between 0 and 1, for the sum G of gains (n,) and its standard error S.

    Examples
    --------
    >>> _doubt(np.array([0.3, -0.3, 0.1, -0.2]), np.ones(4))  # less probable than by the prior
    1.0
    >>> _doubt(np.array([0.6, 0.7, 0.6, 0.5]), np.ones(4))
    0.0
    >>> round(_doubt(np.array([0.6, -0.2, 0.5, -0.3]), np.ones(4)), 3)
    0.742
    """
    total, error = sum_and_error(gain, weights)
    if total <= 0:
        return 1.0
    return max(0.0, 1.0 - total / (_BEYOND_DOUBT * error)) if error else 0.0


def sum_and_error(gain: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """The sum of the gains (n,) of rows, whose mean weight counts as 1, and its standard error.

    ``Σ w g`` and the root of ``n / (n − 1) Σ w² (g − mean)²``.

    Examples
    --------
    >>> total, error = sum_and_error(np.array([0.1, 0.4]), np.ones(2))
    >>> round(total, 3), round(error, 3)
    (0.5, 0.3)
    """
    n = gain.size
    weights = weights / weights.mean()
    total = float(weights @ gain)
    squares = float(np.square(weights * (gain - total / n)).sum())
    return total, float(np.sqrt(n / max(1, n - 1) * squares))


def _proportion_of_prior(posterior: FloatArray, prior: FloatArray, weights: FloatArray) -> float:
    """The e that maximises ``Σ_i w_i log((1 − e) p_i + e prior_i) + 0.1 log e``, at most a half.

    `posterior` and `prior` are those of the classes of held-out rows. The sum is concave, and
    increases up to the proportion of the tenth of a row alone, because no other row favours a
    smaller one there.

    Examples
    --------
    >>> one_wrong, even = np.array([1e-6] + 39 * [0.999]), np.full(40, 0.5)
    >>> round(_proportion_of_prior(one_wrong, even, np.ones(40)), 3)
    0.055
    """
    less = prior - posterior
    low, high = _NOTHING / (float(weights.sum()) + _NOTHING), _MOST_NOTHING

    def slope(e: float) -> float:
        return float((weights * less / (posterior + e * less)).sum()) + _NOTHING / e

    if low >= high or slope(high) >= 0:
        return high
    if slope(low) <= 0:
        return low
    proportion: float = brentq(slope, low, high, xtol=1e-18)
    return proportion


def calibrated_left_out(
    log_likelihood: FloatArray,
    log_prior: FloatArray,
    proportions: FloatArray,
    weights: FloatArray,
    second: FloatArray | None,
    fold: NDArray[np.intp],
) -> FloatArray:
    """Calibrated log posteriors (n, k) of held-out rows, each fold calibrated on the others.

    Metrics of the calibrated model are then not optimistic. `fold` (n,) has the numbers of the
    folds; other parameters are those of `calibrate`.
    """
    n, k = log_likelihood.shape
    prior = np.broadcast_to(log_prior, (n, k))
    result = np.empty((n, k))
    for number in range(int(fold.max(initial=-1)) + 1):
        inside, others = fold == number, fold != number
        given, more = (None if second is None else second[rows] for rows in (others, inside))
        fit = calibrate(
            log_likelihood[others], prior[others], proportions[others], weights[others], given
        )
        result[inside] = fit.log_posterior(log_likelihood[inside], prior[inside], more)
    return result
