"""Log densities of rows under the models without them: Sherman-Morrison, one row at a time.

With ``scatter' = D − pull y yᵀ`` (see `spread`), ``q = yᵀ D⁻¹ y`` and the
leverage ``h = pull q``, for any deviation u::

    uᵀ scatter'⁻¹ u = uᵀ D⁻¹ u + pull (uᵀ D⁻¹ y)² / (1 − h)
    log |scatter'| = Σ log D + log (1 − h)
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.families.gaussian.leave_one_out.frame import Frame
from gaussbayes.families.gaussian.leave_one_out.spread import Left, left
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shrinkage import Shrinkage, shrink
from gaussbayes.families.removal import LEAST_LEFT, Removal, degrees


def own_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    frame: Frame,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Log densities (s, n, k) up to a constant, each class having a covariance of its own.

    Only the class of the row itself changes without it. Beside them (s, n) whether a row's numbers
    are sound; of those that are not, too few digits are left.
    """
    (n, d), k = X.shape, moments.n_classes
    told = np.empty((len(shrinkages), n, k))
    sound = np.repeat(removal.sound[None], len(shrinkages), axis=0)
    for c in range(k):
        y = frame.turn(moments.deviation(X, c), c)
        # Rows of other classes: the model is that of all rows.
        weight = moments.weight[c : c + 1]
        whole = np.concatenate([shrink(frame.spread[c : c + 1], s, weight) for s in shrinkages])
        whole /= degrees(weight, divisor, 1)
        told[:, :, c] = (np.square(y) @ (1.0 / whole).T).T
        told[:, :, c] += (np.log(whole).sum(axis=1) + frame.log_scale[c])[:, None]
        # Rows of this class: it is what they leave behind.
        which, mine = removal.of_class(c)
        y = y[which]
        divide = degrees(mine.weight, divisor, 1)
        for place, shrinkage in enumerate(shrinkages):
            rest = left(frame.spread[c], y, mine.factor, mine.weight, shrinkage, frame.full)
            length = (np.square(y) / rest.spread).sum(axis=1)
            after = 1.0 - rest.pull * length
            log_det = np.log(rest.spread).sum(axis=1) + np.log(after) + frame.log_scale[c]
            distance = divide * np.square(mine.stretch) * length / after
            told[place, which, c] = log_det - d * np.log(divide) + distance
            sound[place, which] &= _enough(rest, after, divide)
    told *= -0.5
    return told, sound


def shared_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    frame: Frame,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """As `own_densities`, with one covariance for all classes, which every row has a part in.

    Its determinant is the same for all classes, and left out.
    """
    n, k = X.shape[0], moments.n_classes
    told = np.empty((len(shrinkages), n, k))
    sound = np.repeat(removal.sound[None], len(shrinkages), axis=0)
    apart = np.stack([frame.turn(moments.deviation(X, c), 0) for c in range(k)])  # (k, n, d)
    rows = np.arange(n)
    y = apart[removal.codes, rows]
    apart[removal.codes, rows] *= removal.stretch[:, None]
    divide = degrees(removal.total, divisor, k)
    for place, shrinkage in enumerate(shrinkages):
        rest = left(frame.spread[0], y, removal.factor, removal.total, shrinkage, frame.full)
        inverse = 1.0 / rest.spread
        distance = np.einsum("cnj,cnj,nj->nc", apart, apart, inverse)
        inverse *= y
        after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
        if frame.full:
            across = np.einsum("cnj,nj->nc", apart, inverse)
            distance += (rest.pull / after)[:, None] * np.square(across)
        told[place] = divide[:, None] * distance
        sound[place] &= _enough(rest, after, divide)
    told *= -0.5
    return told, sound


def _enough(rest: Left, after: FloatArray, divide: FloatArray) -> NDArray[np.bool_]:
    """Whether enough is left of every sum that something was taken from (n,)."""
    return (np.minimum(rest.kept, after) > LEAST_LEFT) & (divide > 0)
