"""What incomplete rows are expected to be, given Gaussians: the E-step of EM.

With mean μ, covariance Σ and precision Λ = Σ⁻¹, the features h that a row lacks are, given those o
that it has, Gaussian with

    covariance  C = (Λ_hh)⁻¹      mean  μ_h − C Λ_ho (x_o − μ_o)

and the density of what it has follows from the same matrix: ``log |Σ_oo| = log |Σ| + log |Λ_hh|``,
and its squared distance is that of the row completed by its mean. The matrices are as wide as the
number of features that are missing, and those of one width are handled as one stack.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.threads import for_each
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.missing.points import UNLABELLED, Block, Frame
from gaussbayes.kernels.reference import log_sum_exp

_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class Gaussians:
    """The classes' Gaussians, in the units of a frame."""

    log_prior: FloatArray  # (k,)
    mean: FloatArray  # (k, d)
    whitener: FloatArray  # (m, d, d) with Σ⁻¹ = WᵀW; m is 1 when shared
    log_det: FloatArray  # (m,) of the covariances
    careful: bool = True  # whether they are so close to singular that digits must be saved

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.mean.shape[0])

    def which(self, code: int) -> int:
        """The number of the covariance of a class."""
        return code if self.log_det.shape[0] > 1 else 0


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Expected sums over rows, about the means of the Gaussians: added up, class by class.

    The weights are of rows with at least one feature; the scatter includes the covariance of what
    is missing.
    """

    weight: FloatArray  # (k,)
    shift: FloatArray  # (k, d) Σ w E[x − μ]
    scatter: FloatArray  # (m, d, d) Σ w E[(x − μ)(x − μ)ᵀ]
    log_likelihood: float

    def __add__(self, other: "Sums") -> "Sums":
        """The sums over both sets of rows."""
        return Sums(
            self.weight + other.weight,
            self.shift + other.shift,
            self.scatter + other.scatter,
            self.log_likelihood + other.log_likelihood,
        )


def expect(blocks: Sequence[Block], model: Gaussians, frame: Frame, threads: int = 1) -> Sums:
    """The expected sums of points, and the log-likelihood of what was observed.

    The log-likelihood is ``Σ w log p(x, c)`` over labelled rows and ``Σ w log Σ_c p(x, c)`` over
    unlabelled ones; densities are those of the rows, whatever units the frame has.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.missing.points import blocks_of
    >>> frame = Frame(np.zeros((1, 2)), np.ones((1, 2)))
    >>> X = np.array([[2.0, np.nan]])
    >>> blocks = blocks_of(X, np.zeros(1, np.int32), np.ones(1), frame)
    >>> whitener = np.linalg.inv(np.linalg.cholesky([[[1.0, 0.5], [0.5, 1.0]]]))
    >>> model = Gaussians(np.zeros(1), np.zeros((1, 2)), whitener, np.log([0.75]))
    >>> sums = expect(blocks, model, frame)
    >>> sums.shift.round(12).tolist(), sums.scatter.round(12).tolist()
    ([[2.0, 1.0]], [[[4.0, 2.0], [2.0, 1.75]]])
    """
    parts: list[Sums | None] = [None] * len(blocks)

    def one(number: int) -> None:
        block = blocks[number]
        if block.code == UNLABELLED:
            parts[number] = _unlabelled(block, model, frame)
        else:
            parts[number] = _labelled(block, model, frame)

    for_each(one, range(len(blocks)), threads)
    m, d, _ = model.whitener.shape
    k = model.n_classes
    total = Sums(np.zeros(k), np.zeros((k, d)), np.zeros((m, d, d)), 0.0)
    # In the order of the blocks, whichever thread was first.
    for part in parts:
        assert part is not None
        total += part
    return total


def _labelled(block: Block, model: Gaussians, frame: Frame) -> Sums:
    c = block.code
    m = model.which(c)
    hidden = _conditional(block, model.whitener[m], careful=model.careful)
    deviation = block.points - block.located[:, None] * model.mean[c]
    squares = _complete(block, deviation, hidden, model.whitener[m])
    sums = _Sums(model)
    located = block.weight * block.located
    volume = _volume(block, model.log_det[m] + hidden.log_det, frame.units_of(c))
    sums.add(block, c, m, deviation, block.weight, located, hidden.covariance)
    log_likelihood = located.sum() * model.log_prior[c] if np.isfinite(model.log_prior[c]) else 0.0
    log_likelihood -= 0.5 * float(block.weight @ squares + located @ volume)
    return sums.result(float(log_likelihood))


def _unlabelled(block: Block, model: Gaussians, frame: Frame) -> Sums:
    k = model.n_classes
    hidden = [_conditional(block, own, careful=model.careful) for own in model.whitener]
    deviations, log_joint = [], np.empty((block.weight.size, k))
    for c in range(k):
        m = model.which(c)
        deviation = (block.points - frame.anchor[c]) / frame.units_of(c) - model.mean[c]
        squares = _complete(block, deviation, hidden[m], model.whitener[m])
        volume = _volume(block, model.log_det[m] + hidden[m].log_det, frame.units_of(c))
        log_joint[:, c] = model.log_prior[c] - 0.5 * (squares + volume)
        deviations.append(deviation)
    evidence = log_sum_exp(log_joint)
    membership = np.exp(log_joint - evidence[:, None]) * block.weight[:, None]
    sums = _Sums(model)
    for c in range(k):
        share, m = membership[:, c], model.which(c)
        sums.add(block, c, m, deviations[c], share, share, hidden[m].covariance)
    return sums.result(float(block.weight @ evidence))


@dataclass(frozen=True, slots=True, eq=False)
class _Hidden:
    """Of what each cell lacks: ``W_h = Q R`` by the columns h of the whitener, and what follows."""

    basis: FloatArray  # (cells, d, h) Q
    inverse: FloatArray  # (cells, h, h) R⁻¹
    log_det: FloatArray  # (cells,) log |Λ_hh|

    @property
    def covariance(self) -> FloatArray:
        """``C = R⁻¹ R⁻ᵀ`` (cells, h, h)."""
        product: FloatArray = self.inverse @ self.inverse.mT
        return product


def _conditional(block: Block, whitener: FloatArray, *, careful: bool) -> _Hidden:
    """Factors of the columns of the whitener, exact to rounding.

    The quick way, by the Cholesky factor of ``Λ_hh = W_hᵀ W_h``, loses twice as many digits.
    """
    columns = np.ascontiguousarray(whitener.T)[block.hidden].mT
    if not columns.shape[-1]:
        none = np.empty((columns.shape[0], 0, 0))
        return _Hidden(columns, none, np.zeros(columns.shape[0]))
    if careful:
        basis, triangle = np.linalg.qr(columns)
        inverse = np.linalg.inv(triangle)
    else:
        triangle = np.linalg.cholesky(columns.mT @ columns)
        inverse = np.linalg.inv(triangle).mT
        basis = columns @ inverse
    log_det = 2.0 * np.log(np.abs(np.einsum("bii->bi", triangle))).sum(axis=1)
    return _Hidden(basis, np.asarray(inverse, dtype=np.float64), log_det)


def _complete(
    block: Block, deviation: FloatArray, hidden: _Hidden, whitener: FloatArray
) -> FloatArray:
    """Fill in what is missing of deviations, in place; the squared distances (q,)."""
    if not block.hidden.shape[1]:
        return np.asarray(np.square(deviation @ whitener.T).sum(axis=1))
    columns = block.hidden[block.cell]
    np.put_along_axis(deviation, columns, 0.0, axis=1)
    white = deviation @ whitener.T
    single = block.hidden.shape[0] == deviation.shape[0]
    basis = hidden.basis if single else hidden.basis[block.cell]
    inverse = hidden.inverse if single else hidden.inverse[block.cell]
    # What the missing features can take off the distance is what lies in the span of their columns.
    along = basis.mT @ white[:, :, None]
    np.put_along_axis(deviation, columns, -(inverse @ along)[:, :, 0], axis=1)
    white -= (basis @ along)[:, :, 0]
    return np.asarray(np.square(white).sum(axis=1))


def _volume(block: Block, log_det: FloatArray, unit: FloatArray) -> FloatArray:
    """``log |2π Σ_oo|`` (q,) in the rows' units, from each cell's in those of a frame."""
    each = _LOG_TWO_PI + 2.0 * np.log(unit)
    volume: FloatArray = (log_det + (each.sum() - each[block.hidden].sum(axis=1)))[block.cell]
    return volume


class _Sums:
    """Sums of one block, for one class after the other."""

    def __init__(self, model: Gaussians) -> None:
        m, d, _ = model.whitener.shape
        self._weight, self._shift = np.zeros(model.n_classes), np.zeros((model.n_classes, d))
        self._scatter = np.zeros((m, d, d))

    def add(
        self,
        block: Block,
        c: int,
        m: int,
        deviation: FloatArray,
        weight: FloatArray,
        located: FloatArray,
        covariance: FloatArray,
    ) -> None:
        """Add completed deviations (q, d) and the covariances (cells, h, h) of what is missing."""
        self._weight[c] += located.sum()
        self._shift[c] += located @ deviation
        self._scatter[m] += deviation.T @ (weight[:, None] * deviation)
        d, h = deviation.shape[1], block.hidden.shape[1]
        if h:
            cells = np.bincount(block.cell, located, minlength=block.hidden.shape[0])
            place = block.hidden[:, :, None] * d + block.hidden[:, None, :]
            expected = np.bincount(
                place.ravel(), (cells[:, None, None] * covariance).ravel(), minlength=d * d
            )
            self._scatter[m] += expected.reshape(d, d)

    def result(self, log_likelihood: float) -> Sums:
        return Sums(self._weight, self._shift, self._scatter, log_likelihood)
