"""Rows left out one at a time, in closed form, where there are more features than rows.

The span of the other rows lies in that of all, so that everything stays in its coordinates. With
the units of the features kept, shrinkage s is towards a multiple of the identity, and without row
i, of class b and y from its mean, the covariance of class c is ``ratio (D − pull y yᵀ)`` with

    D = (1 − s) (a S_c + b P) + s t I,        t = (a tr S_c' + b tr P') / d
    pull = (1 − s) factor (a [c = b] + b),

primes being without the row: a = 0 for a shared covariance, b = 0 for own ones, and between them
``b = λ n_c' / ((1 − λ) n')``. Outside the span D is s t alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.predictive import downdated
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.removal import Removal, degrees

LEAST_LEFT = 1e-6
"""What must be left of a determinant. With more features than rows every row has a direction of its
own, along which next to nothing is left without it, but for the target: that is no rounding. Of the
size of a log density, which is in proportion to the features, rounding is 1e-9 here."""


@dataclass(frozen=True, slots=True, eq=False)
class SpannedLeftOut:
    """Log densities of rows by what is left without each of them."""

    moments: ClassMoments  # of coordinates in the span
    path: Sequence[Any]  # Gaussian, each shrunk
    n_features: int
    axes: dict[tuple[float, float, int], Any] = field(default_factory=dict)  # worked out so far

    def log_densities(
        self, z: FloatArray, removal: Removal
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """``log p(x | c)`` (s, n, k) up to a constant, and what is reliable (s, n)."""
        k = self.moments.n_classes
        result = np.empty((len(self.path), len(z), k))
        reliable = np.repeat(removal.sound[None], len(self.path), axis=0)
        y = self.moments.deviation(z, removal.codes)
        for number, family in enumerate(self.path):
            for code in range(k):
                apart = self.moments.deviation(z, code)
                mine = removal.codes == code
                for own in (False, True):
                    which = np.flatnonzero(mine == own)
                    if which.size:
                        some = removal.of_rows(which)
                        part = self._part(family, code, own, y[which], apart[which], some)
                        result[number, which, code], sure = part
                        reliable[number, which] &= sure
        return result, reliable

    def _part(
        self,
        family: Any,
        code: int,
        own: bool,
        y: FloatArray,
        apart: FloatArray,
        removal: Removal,
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Log densities (n,) of a class, for rows that are all of it or none."""
        sharing, divisor = family.structure.sharing, family.divisor
        weight, n = self.moments.weight, removal.total.size
        left = removal.weight if own else np.full(n, float(weight[code]))
        by_class = degrees(left, divisor, 1)
        in_all = degrees(removal.total, divisor, weight.size)
        sure = in_all > 0
        if sharing == 1.0:
            a, ratio = 0.0, 1.0 / in_all
            pooled = np.ones(n)
        else:
            a, ratio = 1.0, (1.0 - sharing) / by_class
            pooled = sharing * by_class / ((1.0 - sharing) * in_all)
            sure = sure & (by_class > 0)
        result = np.empty(n)
        d, lost = self.n_features, removal.factor * np.einsum("nj,nj->n", y, y)
        for b in np.unique(pooled).tolist():
            which = np.flatnonzero(pooled == b)
            spread, basis = self._principal_axes(a, b, code)
            gone = (a * own + b) * removal.factor[which]
            trace = spread.sum()
            after = trace - (a * own + b) * lost[which]
            turned = basis.T @ y[which].T
            if family.shrinkage == "oas":
                # tr (S − f y yᵀ)² = tr S² − 2 f yᵀ S y + f² |y|⁴
                squares = np.square(spread).sum() - 2.0 * gone * (spread @ np.square(turned))
                squares += np.square((a * own + b) * lost[which])
                rows = left if sharing < 1.0 else removal.total
                s = oas_by_traces(after, squares, d, rows[which])
            else:
                s = np.full(which.size, float(family.shrinkage))
            target = s * after / d
            diagonal = spread[:, None] * (1.0 - s) + target
            v = turned if own else basis.T @ apart[which].T
            pull = (1.0 - s) * gone
            squares, length, log_det, rest = downdated(diagonal, target, turned, v, pull, d)
            if own:
                squares = np.square(removal.stretch[which]) * length / rest
            scale = ratio[which]
            result[which] = -0.5 * (squares / scale + log_det + d * np.log(scale))
            sure[which] &= np.minimum(rest, after / trace) > LEAST_LEFT
        return result, sure

    def _principal_axes(self, a: float, b: float, code: int) -> tuple[FloatArray, FloatArray]:
        """``a S_c + b P`` (r,) along its principal axes, and these in columns."""
        key = a, b, code if a else -1
        if key not in self.axes:
            scatter = self.moments.scatters("full", shared=False)
            spread, basis = np.linalg.eigh(a * scatter[code] + b * scatter.sum(axis=0))
            self.axes[key] = np.maximum(spread, 0.0), basis
        spread, basis = self.axes[key]
        return spread, basis


def oas_by_traces(
    trace: FloatArray, squares: FloatArray, n_features: int, weight: FloatArray
) -> FloatArray:
    """The intensity of `oas_intensity` (m,) by ``tr Σ`` and ``tr Σ²`` of d features."""
    d = n_features
    unit = np.where(trace > 0, trace / d, 1.0)
    scaled = squares / np.square(unit)
    above = (1.0 - 2.0 / d) * scaled + d**2
    below = (weight + 1.0 - 2.0 / d) * (scaled - d)
    intensity = np.divide(above, below, out=np.ones_like(above), where=below > 0)
    return np.asarray(np.minimum(1.0, intensity))
