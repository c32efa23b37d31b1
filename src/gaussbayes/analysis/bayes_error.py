"""How often the best rule for a model is wrong, if the rows are what the model says.

No rule errs less often than the most probable class, and that errs with probability
``∫ (Σ_c J_c − max_c J_c) dx``, with ``J_c(x) = p(x, c)``. At every x the integrand is at most
``Σ_{a<b} √(J_a J_b)``, whose integral is known: with the Bhattacharyya distance B of two Gaussians

    ∫ √(J_a J_b) dx = √(prior_a prior_b) exp(−B_ab)
    B_ab = ⅛ δᵀ S⁻¹ δ + ½ log (|S| / √(|Σ_a| |Σ_b|)),   δ = mean_b − mean_a,   S = (Σ_a + Σ_b) / 2

The sum of these over the pairs of classes is an upper bound of the error, and each ``√(J_a J_b)``
is a Gaussian itself, which lies where the two classes meet. The error is simulated with rows drawn
from these Gaussians, not from the model: it is the bound times the mean of

    (Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)

a number from 0 to 1. So an error of 1e-30 is found as exactly, relative to its size, as one of 0.1;
of rows drawn from the model none would ever lie where such classes meet.

Categories are independent of the numbers, given the class: their own coefficient multiplies
``exp(−B_ab)``, and they are drawn from where the two classes meet, too: see
`gaussbayes.families.categorical.overlap`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.synthesis import RandomState, as_generator
from gaussbayes.base.checks import integer
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Parameters

if TYPE_CHECKING:
    from gaussbayes.model.mixed import MixedParameters

_BLOCK_BYTES = 1 << 23
"""Rows and matrices are made in pieces of about this size."""


@dataclass(frozen=True, slots=True)
class BayesError:
    """The least error that any rule can have, with the standard error of its simulation."""

    error: float
    standard_error: float
    bound: float  # the error is not larger than this, for certain
    n_draws: int


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """The Gaussians ``√(p(x | a) p(x | b)) / exp(−B_ab)`` of one class and several others."""

    distance: FloatArray  # (p,) B_ab
    mean: FloatArray  # (p, d) minus the mean of class a
    root: FloatArray  # (p, d, d) upper triangular R with Σ⁻¹ = RᵀR; (p, d) if that is diagonal

    def place(self, standard: FloatArray, number: int) -> FloatArray:
        """Standard normal rows (m, d) as rows of one of the Gaussians, minus class a's mean."""
        root = self.root[number]
        spread = standard / root if root.ndim == 1 else np.linalg.solve(root, standard.T).T
        rows: FloatArray = self.mean[number] + spread
        return rows


def bhattacharyya_distance(parameters: "Parameters | MixedParameters") -> FloatArray:
    """The distances B of the classes from each other (k, k): 0 if they are the same.

    With categories it is less the logarithm of their coefficient, and ∞ for two classes that have
    no category of some feature in common.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(shared=True), "uniform", [[0], [4]], [[1]])
    >>> bhattacharyya_distance(model).round(12).tolist()  # 4² / 8
    [[0.0, 2.0], [2.0, 0.0]]
    """
    k, gaussian = parameters.prior.shape[0], _gaussian(parameters)
    distance = np.zeros((k, k))
    if gaussian.center.size:
        for a, others in _in_blocks(gaussian, np.flatnonzero(np.triu(np.ones((k, k)), 1))):
            distance[a, others] = distance[others, a] = _between(gaussian, a, others).distance
    if not isinstance(parameters, Parameters):
        from gaussbayes.families.categorical.overlap import log_overlap

        distance -= log_overlap(parameters.categorical)
    return distance


def bhattacharyya_bound(parameters: "Parameters | MixedParameters") -> float:
    """``Σ_{a<b} √(prior_a prior_b) exp(−B_ab)``: the Bayes error is at most that.

    Two classes have one term, which is never above ½; of many classes that are alike the sum may
    exceed 1, and then says nothing.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(shared=True), "uniform", [[0], [4]], [[1]])
    >>> round(bhattacharyya_bound(model), 6)  # ½ exp(−2)
    0.067668
    """
    return float(_overlaps(parameters).sum())


def bayes_error(
    parameters: "Parameters | MixedParameters",
    n_draws: int = 100_000,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
) -> BayesError:
    """The error of the most probable class for rows that the model describes.

    Parameters
    ----------
    n_draws : rows simulated; four times as many halve the standard error
    random_state : a seed, so that the answer is the same each time; or a generator, or None

    Examples
    --------
    Two classes 4 standard deviations apart overlap by Φ(−2) = 0.02275:

    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> model = given(schema, Structure(shared=True), "uniform", [[0], [4]], [[1]])
    >>> found = bayes_error(model)
    >>> abs(found.error - 0.02275) < 3 * found.standard_error < 0.0003
    True
    """
    n = integer("n_draws", n_draws, 2)
    generator = as_generator(random_state)
    overlaps = _overlaps(parameters)
    bound = float(overlaps.sum())
    if bound == 0.0:  # one class, or classes further apart than floats can tell
        return BayesError(0.0, 0.0, bound, n)
    # Each pair gets its share of the rows, rounded up or down as one random number says.
    steps = (np.arange(n) + generator.random()) * (bound / n)
    reached = np.cumsum(overlaps)
    last = int(np.flatnonzero(overlaps)[-1])  # rounding may make the sum less than the bound
    drawn = np.minimum(np.searchsorted(reached, steps, side="right"), last)
    share = np.empty(n)
    gaussian = _gaussian(parameters)
    d = gaussian.center.shape[0]
    for block in ranges(n, max(1024, _BLOCK_BYTES // (8 * max(1, d)))):
        standard = generator.standard_normal((block.stop - block.start, d))
        rows = _rows_between(gaussian, drawn[block], standard) if d else standard
        joint = _log_joint(parameters, rows, drawn[block], generator, n_jobs)
        share[block] = _share_of_bound(joint)
    spread = float(share.std(ddof=1)) / float(np.sqrt(n))
    return BayesError(bound * float(share.mean()), bound * spread, bound, n)


def _gaussian(parameters: "Parameters | MixedParameters") -> Parameters:
    """The parameters of the features that hold numbers."""
    return parameters if isinstance(parameters, Parameters) else parameters.gaussian


def _log_joint(
    parameters: "Parameters | MixedParameters",
    X: FloatArray,
    pairs: NDArray[np.intp],
    generator: np.random.Generator,
    n_jobs: int | None,
) -> RealArray:
    """``log p(x, c)`` (n, k) of rows whose numbers were drawn between pairs of classes (n,)."""
    if isinstance(parameters, Parameters):
        return scores.log_joint(parameters, X, n_jobs)
    from gaussbayes.families.categorical.overlap import draw_between
    from gaussbayes.model import mixed

    columns = draw_between(parameters.categorical, pairs, generator)
    return mixed.log_joint(parameters, mixed.MixedRows(X, columns), n_jobs)


def _overlaps(parameters: "Parameters | MixedParameters") -> FloatArray:
    """``√(prior_a prior_b) exp(−B_ab)`` for the pairs a < b, number ``a k + b``; 0 for others."""
    weight = np.sqrt(np.multiply.outer(parameters.prior, parameters.prior))
    overlap = weight * np.exp(-bhattacharyya_distance(parameters))
    return np.triu(overlap, 1).ravel()


def _between(parameters: Parameters, a: int, others: NDArray[np.intp]) -> _Between:
    """Where a class and each of several others meet, without inverting a matrix.

    ``½ (|W_a u|² + |W_b (u − δ)|²)`` is a problem of least squares in u = x − mean_a. Its matrix,
    the two whiteners one above the other, has the triangle R; its solution is the mean, and half
    its residual the distance but for the determinants.
    """
    whitener, log_det = parameters.covariance.whitener, parameters.covariance.log_det
    own, theirs = (0, np.zeros_like(others)) if whitener.shape[0] == 1 else (a, others)
    one, other = whitener[own] / np.sqrt(2.0), whitener[theirs] / np.sqrt(2.0)
    apart = parameters.offset[others] - parameters.offset[a]
    if whitener.ndim == 2:
        root = np.hypot(one, other)
        mean = np.square(other / root) * apart
        residual = np.hypot(one * mean, other * (mean - apart))
        pivots = root
    else:
        p, d = apart.shape
        problem = np.zeros((p, 2 * d, d + 1))
        problem[:, :d, :d], problem[:, d:, :d] = one, other
        problem[:, d:, d:] = other @ apart[:, :, None]
        # With the right-hand side as a last column, R ends in Qᵀ times it and in the residual.
        triangle = np.asarray(np.linalg.qr(problem, mode="r"), dtype=np.float64)
        root = triangle[:, :d, :d]
        mean = np.linalg.solve(root, triangle[:, :d, d:])[:, :, 0]
        residual = triangle[:, d:, d]
        pivots = np.abs(np.einsum("pii->pi", root))
    volume = 0.25 * (log_det[own] + log_det[theirs]) + np.log(pivots).sum(axis=1)
    distance = 0.5 * np.einsum("pi,pi->p", residual, residual) + volume
    return _Between(np.maximum(distance, 0.0), mean, root)


def _rows_between(
    parameters: Parameters, pairs: NDArray[np.intp], standard: FloatArray
) -> FloatArray:
    """A row (n, d) of each pair's Gaussian, for pairs (n,) in increasing order."""
    rows = np.empty_like(standard)
    different, first = np.unique(pairs, return_index=True)
    parts = iter(np.split(np.arange(pairs.shape[0]), first[1:]))
    for a, others in _in_blocks(parameters, different):
        between = _between(parameters, a, others)
        for number in range(others.shape[0]):
            part = next(parts)
            rows[part] = parameters.offset[a] + between.place(standard[part], number)
    rows += parameters.center
    return rows


def _in_blocks(
    parameters: Parameters, pairs: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Increasing numbers of pairs as a class and several others, as many as memory is meant for."""
    k, d = parameters.offset.shape
    at_once = max(1, _BLOCK_BYTES // (16 * d * (d + 1)))
    for own in np.split(pairs, np.flatnonzero(np.diff(pairs // k)) + 1):
        for block in ranges(own.shape[0], at_once):
            yield int(own[0] // k), own[block] % k


def _share_of_bound(log_joint: RealArray) -> FloatArray:
    """``(Σ_c J_c − max_c J_c) / Σ_{a<b} √(J_a J_b)`` of each row (n,), from 0 to 1.

    With ``s_c = √(J_c / max J)`` of the classes but the best, it is
    ``Σ s² / (Σ s + ((Σ s)² − Σ s²) / 2)``: no difference of nearly equal numbers is left that
    counts, and nothing overflows.
    """
    best = log_joint.argmax(axis=1)
    rows = np.arange(best.shape[0])
    root = np.exp(0.5 * (log_joint - log_joint[rows, best][:, None]))
    root[rows, best] = 0.0
    total, squares = root.sum(axis=1), np.square(root).sum(axis=1)
    pairs = total + 0.5 * (np.square(total) - squares)
    share: FloatArray = np.divide(squares, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return share
