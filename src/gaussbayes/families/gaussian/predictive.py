"""The Bayesian predictive: covariances integrated out under a prior around the pooled one.

The prior of the covariance of class c is inverse-Wishart about the target T, and worth s rows; that
of its mean is flat. With n_c rows of scatter S_c in the class, the next row of the class follows a
Student-t distribution with ``ν_c = s + n_c + 1`` degrees of freedom, its location the mean, and

    Λ_c = (s T + S_c) (1 + 1/n_c) / ν_c,        T = (1 − g) P / N + g t D

with the pooled scatter ``P = Σ S_c`` of all N rows, the shrinkage g, and its target: D is the
identity and ``t = tr P / (N d)`` for the spherical one, ``t D = diag P / N`` for the diagonal one.
The prior is worth ``s = ρ N / k`` rows, the number of the mean class for ρ = 1; with the sharing
λ, ``ρ = λ / (1 − λ)``. So 0 are class-specific covariances, 1 is a shared one, and the covariance
of a class with few rows is shrunk more than that of one with many. In terms of sums,

    s T + S_c = (ρ / k) ((1 − g) P + g target(P)) + S_c

Holding a row out subtracts the outer product of its deviation from P and from its S_c, and a term
from the trace, which gives a closed form.

Features that do not vary within classes, or not at all, do not raise an error: they get a small sum
of squares in P, see `gaussbayes.families.gaussian.shrinkage.target_squares`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian import tails
from gaussbayes.families.gaussian.density import GaussianDensity, located_density
from gaussbayes.families.gaussian.left_out import (
    LEAST_IN_SPAN,
    GaussianLeftOut,
    RowsLeftOut,
    Terms,
)
from gaussbayes.families.gaussian.shrinkage import target_of
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.removal import LEAST_LEFT, Removal

_LEAST_GIVEN = 1e-8
"""Least remaining proportion of a determinant if the target is fixed and alone keeps it above 0."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The weight of the prior of covariances in rows, and the shrinkage of its target."""

    sharing: float  # λ, from 0 (class-specific covariances) to 1 (a shared one)
    shrinkage: float  # g, from 0 to 1
    diagonal: bool = True  # whether the target of shrinkage is the diagonal; else it is spherical

    @property
    def is_bounded(self) -> bool:
        """Whether the target alone makes every covariance positive definite."""
        return self.sharing > 0 and self.shrinkage > 0

    @property
    def ratio(self) -> float:
        """ρ: the weight of the prior, in units of the rows of the mean class."""
        return self.sharing / (1.0 - self.sharing) if self.sharing < 1.0 else np.inf

    def shrunk(
        self,
        pooled: FloatArray,
        squares: FloatArray | None = None,
        n_features: int | None = None,
    ) -> FloatArray:
        """``(1 − g) P + g target(P)`` of the pooled scatter (r, r).

        Its diagonal becomes `squares` (r,), unless None. It belongs to r directions among
        `n_features`, or to all features: the trace of a spherical target is distributed over all.
        """
        variance = np.diagonal(pooled)
        squares = variance if squares is None else squares
        mean = variance.sum() / (n_features or variance.size)
        target = squares if self.diagonal else np.full_like(variance, mean)
        shrunk = (1.0 - self.shrinkage) * pooled
        diagonal = np.einsum("ii->i", shrunk)
        diagonal[...] = (1.0 - self.shrinkage) * squares + self.shrinkage * target
        return shrunk

    def scatters(
        self, moments: ClassMoments, n_features: int | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """``s T + S_c`` (k, r, r) and the degrees of freedom ν_c (k,); see `shrunk`."""
        weight, k = moments.weight, moments.n_classes
        own = moments.scatters("full", shared=False)
        squares = target_of(moments) if n_features is None else None
        pooled = self.shrunk(own.sum(axis=0), squares, n_features)
        total = float(weight.sum())
        if self.sharing == 1.0:  # one covariance, known from the rows of all classes
            return np.repeat(pooled[None], k, axis=0), np.full(k, total - k + 2.0)
        return self.ratio / k * pooled + own, self.ratio * total / k + weight + 1.0


def predictive(moments: ClassMoments, names: Schema, prior: Prior) -> GaussianDensity:
    """The predictive densities of complete rows."""
    weight = moments.weight
    scatter, degrees = prior.scatters(moments)
    check_degrees(degrees, weight, names)
    scale = scatter * ((1.0 + 1.0 / weight) / degrees)[:, None, None]
    covariance = Full.of(scale, names, weight)
    location = located_density(moments.anchor, moments.offset, weight, covariance)
    return replace(location, degrees=degrees)


def check_degrees(degrees: FloatArray, weight: FloatArray, names: Schema) -> None:
    """Raise for degrees of freedom (k,) without a predictive covariance."""
    if (degrees <= 2).any():
        code = int(np.argmin(degrees))
        msg = (
            f"class {names.class_name(code)} weighs {weight[code]:g}: a predictive density needs "
            "more than one row of each class, or some of the pooled covariance"
        )
        raise DataError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class PredictiveLeftOut(GaussianLeftOut):
    """Leave-one-out predictive densities, for several priors with one target of shrinkage.

    Without a row at y from the mean of its class b, and with the factor f of its `Removal`, the
    scatter of class c is

        S_c + (ρ/k) (1 − g) P + (ρ/k) g t D − pull y yᵀ,    pull = f ((1 − g) ρ/k + [c = b])

    """

    priors: Sequence[Prior]

    @classmethod
    def of(
        cls,
        moments: ClassMoments,
        priors: Sequence[Prior],
        names: Schema,
        n_features: int | None = None,
        *,
        units_given: bool = False,
    ) -> "PredictiveLeftOut":
        """That of some priors; with `n_features`, of coordinates in units that are given."""
        least = LEAST_LEFT
        if n_features is not None:
            least, priors = LEAST_IN_SPAN, [replace(prior, diagonal=False) for prior in priors]
        own, diagonal = moments.scatters("full", shared=False), priors[0].diagonal
        within = np.einsum("mii->i", own)
        squares = target_of(moments) if n_features is None else within
        # The same unit for all features if the target is spherical, which depends on units.
        largest = within.mean() if within.any() else 1.0
        unit = np.sqrt(squares if diagonal else np.full_like(within, largest))
        own = own / unit[:, None] / unit
        pooled = own.sum(axis=0)
        # Features that do not vary get a small sum of squares, which follows from other sums.
        by_rows = not units_given and (diagonal or bool((squares > within).any()))
        if not by_rows:
            np.einsum("ii->i", pooled)[...] = squares / np.square(unit)
        if units_given and all(prior.is_bounded for prior in priors):
            least = _LEAST_GIVEN
        d = n_features or len(unit)
        return cls(moments, names, unit, own, pooled, True, by_rows, d, least, priors)

    @property
    def n_formulas(self) -> int:
        return len(self.priors)

    def is_shared(self, number: int) -> bool:
        return self.priors[number].sharing == 1.0

    def terms(self, number: int, code: int | None, rows: RowsLeftOut) -> Terms:
        prior, removal = self.priors[number], rows.removal
        part, g, n = self._part(prior), prior.shrinkage, len(rows.y)
        trace = np.trace(self.pooled)
        if self.by_rows:
            target, sure = rows.target, rows.sure
            if not prior.diagonal:
                target = rows.within.sum(axis=1, keepdims=True) / self.n_features
            added = (1.0 - g) * (rows.target - rows.within) + g * target
        else:
            left = trace - removal.factor * np.einsum("nj,nj->n", rows.y, rows.y)
            added, sure = g / self.n_features * left[:, None], left > LEAST_LEFT * trace
        b, mine = np.full(n, part * (1.0 - g)), removal.codes == code
        a = np.zeros(1) if code is None else np.ones(n)
        return Terms(a, b, part * added, removal.factor * (b + mine), sure)

    def log_density(
        self, number: int, squares: FloatArray, log_det: FloatArray, classes: slice, gone: Removal
    ) -> FloatArray:
        prior, k, d = self.priors[number], len(self.own), self.n_features
        codes = np.arange(k)[classes, None]
        weight = np.where(gone.codes == codes, gone.weight, self.moments.weight[codes])
        degrees = prior.ratio * gone.total / k + weight + 1.0
        if prior.sharing == 1.0:
            degrees = np.broadcast_to(gone.total - k + 2.0, weight.shape)
        ratio = (1.0 + 1.0 / weight) / degrees  # Λ over the scatter
        half_log_det = 0.5 * (log_det + d * np.log(ratio))
        return tails.log_density(squares / ratio, half_log_det, degrees, d)

    def _part(self, prior: Prior) -> float:
        """The weight of the pooled scatter."""
        return 1.0 if prior.sharing == 1.0 else prior.ratio / len(self.own)
