"""Log densities of rows left out where covariances are drawn towards the shared one.

With ``M_c = (1 − λ) S_c / n_c + λ S / n``, S_c the scatter of class c and S that of all, a row of
class b at z from its mean takes ``factor z zᵀ`` out of S_b and out of S. Once n is that without the
row, and n_b too if c is b, the covariance of every class is diagonal but for one outer product, in
coordinates in which M_c is diagonal::

    c ≠ b:  M_c − λ factor / n  z zᵀ
    c = b:  M_b − ((1 − λ) factor / n_b + λ factor / n)  z zᵀ

There are two sets of coordinates for each class, and these for each weight that a row may have.
Without correlations there are none: variances are taken out feature by feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.families.gaussian.leave_one_out.frame import Frame, axes_of, white_of
from gaussbayes.families.gaussian.leave_one_out.spread import left
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.shrinkage import Shrinkage, shrink
from gaussbayes.families.removal import LEAST_LEFT, Removal, degrees

MOST_WEIGHTS = 16
"""Different weights of rows for which coordinates are made."""


@dataclass(frozen=True, slots=True, eq=False)
class MixedFrames:
    """Coordinates in which the mixtures without a row of a certain weight are diagonal."""

    weight: float
    others: Frame  # (k) of the classes that the row is not of
    own: Frame  # (k) of its own class


def has_closed_form(structure: Structure, shrinkage: Shrinkage, weights: FloatArray | None) -> bool:
    """Whether rows of these weights can be left out without fitting a model for each.

    All can but for some full covariances drawn towards the shared one: those shrunk by intensities
    that change with every row, and those of rows of many different weights.

    Examples
    --------
    >>> drawn = Structure("full", toward_shared=0.5)
    >>> has_closed_form(drawn, 0.3, None), has_closed_form(drawn, "oas", None)
    (True, False)
    """
    if not structure.toward_shared or structure.covariance != "full":
        return True
    return shrinkage != "oas" and (weights is None or np.unique(weights).size <= MOST_WEIGHTS)


def mixed_frames(
    moments: ClassMoments,
    weights: FloatArray | None,
    schema: Schema,
    share: float,
    divisor: Divisor,
    *,
    shrunk: bool,
) -> list[MixedFrames]:
    """The coordinates for rows of each weight; `share` is λ.

    Raises
    ------
    SingularCovarianceError
        If a mixture is singular and not `shrunk`.
    """
    scatter, k = moments.with_layout("full").scatter, moments.n_classes
    make = axes_of if shrunk else white_of
    pooled = share * scatter.sum(axis=0)
    found = []
    for weight in (1.0,) if weights is None else np.unique(weights).tolist():
        everything = _positive(degrees(moments.weight.sum() - weight, divisor, k))
        before = degrees(moments.weight, divisor, 1)
        after = degrees(moments.weight - weight, divisor, 1)
        # Rows that leave nothing behind are not computed with: any number will do.
        after = np.where(after > 0, after, before)
        others, own = (
            (1.0 - share) * scatter / divide[:, None, None] + pooled / everything
            for divide in (before, after)
        )
        found.append(MixedFrames(weight, make(others, schema), make(own, schema)))
    return found


def mixed_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    frames: Sequence[MixedFrames],
    share: float,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """As `own_densities`, for full covariances drawn towards the shared one; no ``"oas"``."""
    n, k = X.shape[0], moments.n_classes
    told = np.empty((len(shrinkages), n, k))
    divide, everything, sound = _divided(removal, divisor, k)
    sound = np.repeat(sound[None], len(shrinkages), axis=0)
    from_shared = share * removal.factor / everything
    from_both = (1.0 - share) * removal.factor / divide + from_shared
    z = _own_deviation(X, removal, moments)
    for at in frames:
        alike = removal.lost == at.weight
        for c in range(k):
            own = removal.codes == c
            for frame, which, pull in (
                (at.others, np.flatnonzero(alike & ~own), from_shared),
                (at.own, np.flatnonzero(alike & own), from_both),
            ):
                if not which.size:
                    continue
                y = frame.turn(z[which], c)
                if frame is at.own:
                    u = y * removal.stretch[which, None]
                else:
                    u = frame.turn(moments.deviation(X[which], c), c)
                for place, shrinkage in enumerate(shrinkages):
                    value, kept = _corrected(frame, c, u, y, pull[which], shrinkage)
                    told[place, which, c] = value
                    sound[place, which] &= kept > LEAST_LEFT
    told *= -0.5
    return told, sound


def mixed_variances(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    share: float,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """As `own_densities`, for diagonal covariances drawn towards the shared one."""
    n, k = X.shape[0], moments.n_classes
    scatter, weight = moments.with_layout("diagonal").scatter, moments.weight
    told = np.empty((len(shrinkages), n, k))
    divide, everything, sound = _divided(removal, divisor, k)
    sound = np.repeat(sound[None], len(shrinkages), axis=0)
    lost = removal.factor[:, None] * np.square(_own_deviation(X, removal, moments))
    pooled = scatter.sum(axis=0, keepdims=True)
    total = weight.sum(keepdims=True)
    squares = np.stack([np.square(moments.deviation(X, c)) for c in range(k)])  # (k, n, d)
    squares[removal.codes, np.arange(n)] *= np.square(removal.stretch)[:, None]
    for place, shrinkage in enumerate(shrinkages):
        scale = share / everything[:, None]
        shared = scale * shrink(pooled - lost, shrinkage, removal.total)  # (n, d)
        shared_before = scale * shrink(pooled, shrinkage, total)
        whole = shrink(scatter, shrinkage, weight) * (1.0 - share)  # (k, d)
        for c in range(k):
            own = np.flatnonzero(removal.codes == c)
            variance = shared + whole[c] / degrees(weight[c : c + 1], divisor, 1)
            rest, left_of_it = scatter[c] - lost[own], divide[own, None]
            shrunk = (1.0 - share) * shrink(rest, shrinkage, removal.weight[own])
            variance[own] = shared[own] + shrunk / left_of_it
            before = shared_before[own] + whole[c] / left_of_it
            kept = np.minimum((variance[own] / before).min(axis=1), _share_left(rest, scatter[c]))
            sound[place, own] &= kept > LEAST_LEFT
            told[place, :, c] = (squares[c] / variance + np.log(variance)).sum(axis=1)
        kept = np.minimum((shared / shared_before).min(axis=1), _share_left(pooled - lost, pooled))
        sound[place] &= kept > LEAST_LEFT
    told *= -0.5
    return told, sound


def _divided(
    removal: Removal, divisor: Divisor, k: int
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """What scatters without a row are divided by, own and shared (n,), and if that is sound."""
    own = degrees(removal.weight, divisor, 1)
    shared = degrees(removal.total, divisor, k)
    return _positive(own), _positive(shared), removal.sound & (own > 0) & (shared > 0)


def _positive(divide: FloatArray) -> FloatArray:
    return np.where(divide > 0, divide, 1.0)


def _own_deviation(X: FloatArray, removal: Removal, moments: ClassMoments) -> FloatArray:
    """How far each row is from the mean of its class (n, d)."""
    deviation: FloatArray = (X - moments.anchor[removal.codes]) - moments.offset[removal.codes]
    return deviation


def _corrected(
    frame: Frame, c: int, u: FloatArray, y: FloatArray, pull: FloatArray, shrinkage: Shrinkage
) -> tuple[FloatArray, FloatArray]:
    """``uᵀ Σ⁻¹ u + log |Σ|`` (n,) for ``Σ = M_c − pull y yᵀ``, shrunk; and how much was kept."""
    rest = left(frame.spread[c], y, pull, pull, shrinkage, full=True)
    inverse = 1.0 / rest.spread
    distance = np.einsum("nj,nj,nj->n", u, u, inverse)
    inverse *= y
    after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
    distance += rest.pull / after * np.square(np.einsum("nj,nj->n", inverse, u))
    log_det = np.log(rest.spread).sum(axis=1) + np.log(after) + frame.log_scale[c]
    return distance + log_det, np.minimum(rest.kept, after)


def _share_left(rest: FloatArray, before: FloatArray) -> FloatArray:
    """What is left of the traces (n,); all of one that was 0."""
    trace = before.sum()
    share: FloatArray = rest.sum(axis=1) / trace if trace > 0 else np.ones(rest.shape[0])
    return share
