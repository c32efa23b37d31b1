"""The Bayesian predictive: covariances integrated out under a prior around the pooled one.

The prior of the covariance of class c is inverse-Wishart about the target T, and worth s rows; that
of its mean is flat. With n_c rows of scatter S_c in the class, the next row of the class follows a
Student-t distribution with ``ν_c = s + n_c + 1`` degrees of freedom, its location the mean, and

    Λ_c = (s T + S_c) (1 + 1/n_c) / ν_c,        T = (1 − g) P / N + g t D

with the pooled scatter ``P = Σ S_c`` of all N rows, the shrinkage g, and its target: D is the
identity and ``t = tr P / (N d)`` for the spherical one, ``t D = diag P / N`` for the diagonal one.
The prior is worth ``s = ρ N / k`` rows, as many as the mean class has for ρ = 1; with the sharing
λ, ``ρ = λ / (1 − λ)``. So 0 are own covariances, 1 is a shared one, and a class with few rows is
drawn to the pooled covariance more than one with many. In sums, which is all that statistics are,

    s T + S_c = (ρ / k) ((1 − g) P + g target(P)) + S_c

so that a row that is left out takes the outer product of its deviation out of P and out of its own
S_c, and something from the trace: a closed form.

Features that do not vary within classes, or not at all, are no error: they have some sum of squares
in P, see `gaussbayes.families.gaussian.shrinkage.target_squares`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity, centre_of
from gaussbayes.families.gaussian.left_out import solve_each, targets_without
from gaussbayes.families.gaussian.shrinkage import target_of
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.gaussian.student import StudentDensity, student_log_density
from gaussbayes.families.removal import LEAST_LEFT, Removal

Reliable: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Prior:
    """How many rows the prior of covariances is worth, and how far its target is shrunk."""

    sharing: float  # λ, from 0 (own covariances) to 1 (a shared one)
    shrinkage: float  # g, from 0 to 1
    diagonal: bool = True  # whether the target of shrinkage is the diagonal; else it is spherical

    @property
    def ratio(self) -> float:
        """ρ: rows that the prior is worth, in units of those of the mean class."""
        return self.sharing / (1.0 - self.sharing) if self.sharing < 1.0 else np.inf

    def shrunk(self, pooled: FloatArray, squares: FloatArray | None = None) -> FloatArray:
        """``(1 − g) P + g target(P)`` of the pooled scatter (d, d).

        Its diagonal is to be `squares` (d,); None is as it is.
        """
        variance = np.diagonal(pooled)
        squares = variance if squares is None else squares
        target = squares if self.diagonal else np.full_like(variance, variance.mean())
        shrunk = (1.0 - self.shrinkage) * pooled
        diagonal = np.einsum("ii->i", shrunk)
        diagonal[...] = (1.0 - self.shrinkage) * squares + self.shrinkage * target
        return shrunk

    def scatters(self, moments: ClassMoments) -> tuple[FloatArray, FloatArray]:
        """``s T + S_c`` (k, d, d) and the degrees of freedom ν_c (k,)."""
        weight, k = moments.weight, moments.n_classes
        own = moments.scatters("full", shared=False)
        pooled = self.shrunk(own.sum(axis=0), target_of(moments))
        total = float(weight.sum())
        if self.sharing == 1.0:  # one covariance, known from the rows of all classes
            return np.repeat(pooled[None], k, axis=0), np.full(k, total - k + 2.0)
        return self.ratio / k * pooled + own, self.ratio * total / k + weight + 1.0


def predictive(moments: ClassMoments, names: Schema, prior: Prior) -> StudentDensity:
    """The predictive densities of complete rows."""
    weight = moments.weight
    scatter, degrees = prior.scatters(moments)
    if (degrees <= 2).any():
        code = int(np.argmin(degrees))
        msg = (
            f"class {names.class_name(code)} weighs {weight[code]:g}: a predictive density needs "
            "more than one row of each class, or shared above 0"
        )
        raise DataError(msg)
    scale = scatter * ((1.0 + 1.0 / weight) / degrees)[:, None, None]
    return StudentDensity(
        GaussianDensity(*centre_of(moments), Full.of(scale, names, weight)), degrees
    )


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Log densities of rows by what is left without each of them, for several priors.

    Without a row at y from the mean of its class b, and with the factor f of its `Removal`, it is

        M_c − pull y yᵀ + shift,    pull = f ((1 − g) ρ/k + [c = b])

    where only the target shifts. The spherical one stays a multiple of the identity: in the basis
    in which ``(1 − g) ρ/k P + S_c`` is diagonal, everything but the outer product is. The diagonal
    one loses ``f y²``, which leaves no basis diagonal: a matrix is factored for each row, unless
    the units are given, in which it is spherical.
    """

    moments: ClassMoments
    priors: Sequence[Prior]
    units_given: bool
    unit: FloatArray  # (d,) of the features: scatters are in squares of it
    own: FloatArray  # (k, d, d) S_c
    pooled: FloatArray  # (d, d) P
    squares: FloatArray  # (d,) its diagonal, where features that do not vary have something
    axes: dict[tuple[Prior, int], Any] = field(default_factory=dict)  # those worked out so far

    @classmethod
    def of(
        cls, moments: ClassMoments, priors: Sequence[Prior], *, units_given: bool = False
    ) -> "LeftOut":
        own = moments.scatters("full", shared=False)
        squares = target_of(moments)
        # The same unit for all features where the target is spherical: there, units count.
        spherical = not all(prior.diagonal for prior in priors)
        variance = np.einsum("mii->i", own)
        largest = variance.mean() if variance.any() else 1.0
        unit = np.sqrt(np.full_like(variance, largest) if spherical else squares)
        own = own / unit[:, None] / unit
        pooled, squares = own.sum(axis=0), squares / np.square(unit)
        return cls(moments, priors, units_given, unit, own, pooled, squares)

    def is_spherical(self, prior: Prior) -> bool:
        """Whether without a row the target stays spherical, and the rest of the diagonal as it is.

        Of features that vary too little the sums of squares follow from others.
        """
        if self.units_given:
            return True
        return not prior.diagonal and bool((self.squares <= np.diagonal(self.pooled)).all())

    @property
    def trace(self) -> float:
        """Of the pooled scatter; in given units every feature counts."""
        return float(np.trace(self.pooled) if not self.priors[0].diagonal else self.squares.sum())

    def log_densities(self, X: FloatArray, removal: Removal) -> tuple[FloatArray, Reliable]:
        """``log p(x | c)`` (s, n, k) up to a constant of the row, and what is reliable (s, n)."""
        k, n = self.moments.n_classes, X.shape[0]
        apart = np.empty((k, *X.shape))
        for code in range(k):
            apart[code] = self.moments.deviation(X, code) / self.unit
        y = apart[removal.codes, np.arange(n)]
        result = np.empty((len(self.priors), n, k))
        reliable = np.repeat(removal.sound[None], len(self.priors), axis=0)
        targets: Any = ()
        for number, prior in enumerate(self.priors):
            spherical = self.is_spherical(prior)
            if not (spherical or targets):
                targets = targets_without(self.moments, self.unit, X, removal)
            for code in range(k):
                some = _Without(self, prior, code, removal, apart[code], y)
                squares, log_det, sure = some.spherical() if spherical else some.each(*targets)
                result[number, :, code] = some.log_density(squares, log_det)
                reliable[number] &= sure
        return result, reliable


@dataclass(frozen=True, slots=True, eq=False)
class _Without:
    """The scatter of one class under one prior, without each of some rows."""

    of_all: LeftOut
    prior: Prior
    code: int
    removal: Removal
    apart: FloatArray  # (n, d) deviations from the mean of the class
    y: FloatArray  # (n, d) deviations from the means of the rows' own classes

    @property
    def mine(self) -> NDArray[np.bool_]:
        """Which rows are of this class (n,)."""
        return np.asarray(self.removal.codes == self.code)

    @property
    def part(self) -> float:
        """How much the pooled scatter counts."""
        return 1.0 if self.prior.sharing == 1.0 else self.prior.ratio / len(self.of_all.own)

    @property
    def scatter(self) -> FloatArray:
        """What the class itself adds (d, d): nothing if covariances are shared."""
        own: FloatArray = self.of_all.own[self.code]
        return own * float(self.prior.sharing < 1.0)

    @property
    def pull(self) -> FloatArray:
        """How much of the outer product of y goes (n,)."""
        own = self.mine * float(self.prior.sharing < 1.0)
        return np.asarray(self.removal.factor * (self.part * (1.0 - self.prior.shrinkage) + own))

    def principal_axes(self) -> tuple[FloatArray, FloatArray]:
        """The scatter (d,) along its principal axes, but for the target, and these in columns.

        They are the same for every block of rows.
        """
        key = self.prior, self.code
        if key not in self.of_all.axes:
            pooled = self.of_all.pooled.copy()
            np.einsum("ii->i", pooled)[...] = self.of_all.squares
            pooled *= (1.0 - self.prior.shrinkage) * self.part
            spread, basis = np.linalg.eigh(pooled + self.scatter)
            self.of_all.axes[key] = np.maximum(spread, 0.0), basis
        spread, basis = self.of_all.axes[key]
        return spread, basis

    def spherical(self) -> tuple[FloatArray, FloatArray, Reliable]:
        """Squared distances, log determinants and reliability (n,) for a spherical target."""
        g, d = self.prior.shrinkage, self.y.shape[1]
        trace = self.of_all.trace
        left = trace - self.removal.factor * np.einsum("nd,nd->n", self.y, self.y)
        spread, basis = self.principal_axes()
        diagonal = spread + (self.part * g / d * left)[:, None]
        y, v = self.y @ basis, self.apart @ basis
        scaled = y / diagonal
        length = np.einsum("nd,nd->n", y, scaled)
        across = np.einsum("nd,nd->n", v, scaled)
        rest = 1.0 - self.pull * length
        squares = np.einsum("nd,nd->n", v, v / diagonal) + self.pull * np.square(across) / rest
        own = np.square(self.removal.stretch) * length / rest  # the mean moves away as well
        log_det = np.log(diagonal).sum(axis=1) + np.log(rest)
        reliable = np.minimum(rest, left / trace) > LEAST_LEFT
        return np.where(self.mine, own, squares), log_det, reliable

    def each(
        self, within: FloatArray, target: FloatArray, enough: Reliable
    ) -> tuple[FloatArray, FloatArray, Reliable]:
        """The same for any target: one matrix is factored for each row; see `targets_without`."""
        g, (n, d) = self.prior.shrinkage, self.y.shape
        added = (1.0 - g) * (target - within)  # of features that hardly vary
        if self.prior.diagonal:
            added += g * target
        else:
            added += g / d * within.sum(axis=1, keepdims=True)
        stretch = np.where(self.mine, self.removal.stretch, 1.0)
        squares, log_det, rest = solve_each(
            self.scatter,
            self.of_all.pooled,
            np.ones(n),
            np.full(n, self.part * (1.0 - g)),
            self.part * added,
            self.pull,
            self.y,
            (stretch[:, None] * self.apart)[None],
        )
        return squares[0], log_det, enough & (rest > LEAST_LEFT)

    def log_density(self, squares: FloatArray, log_det: FloatArray) -> FloatArray:
        """Student-t log densities (n,) by ``vᵀ scatter⁻¹ v`` and ``log |scatter|``."""
        k, d = len(self.of_all.own), self.y.shape[1]
        weight = np.where(
            self.mine, self.removal.weight, float(self.of_all.moments.weight[self.code])
        )
        if self.prior.sharing == 1.0:
            degrees = self.removal.total - k + 2.0
        else:
            degrees = self.prior.ratio * self.removal.total / k + weight + 1.0
        ratio = (1.0 + 1.0 / weight) / degrees  # Λ over the scatter
        half_log_det = 0.5 * (log_det + d * np.log(ratio))
        return student_log_density(squares / ratio, half_log_det, degrees, d)


def log_evidence(moments: ClassMoments, prior: Prior) -> float:
    """``log p(rows | classes)``, covariances and means integrated out, for ``0 < λ < 1``.

    The prior of the means is flat: the evidence is up to a constant that is the same for all
    priors of covariances. With ``ν₀ = s + d + 1`` and ``B = s T`` it is::

        Σ_c log Γ_d(ν_c/2) − log Γ_d(ν₀/2) + ν₀/2 log |B| − ν_c/2 log |B + S_c|,  ν_c = ν₀ + n_c − 1
    """
    from scipy.special import multigammaln

    weight, k = moments.weight, moments.n_classes
    own = moments.scatters("full", shared=False)
    d = own.shape[1]
    base = prior.ratio / k * prior.shrunk(own.sum(axis=0), target_of(moments))
    before = prior.ratio * float(weight.sum()) / k + d + 1.0
    log_det = np.linalg.slogdet(base)[1]
    result = 0.0
    for n, scatter in zip(weight.tolist(), own, strict=True):
        after = before + n - 1.0
        result += multigammaln(0.5 * after, d) - multigammaln(0.5 * before, d)
        result += 0.5 * before * log_det - 0.5 * after * np.linalg.slogdet(base + scatter)[1]
        result -= 0.5 * d * (np.log(n) + (n - 1.0) * np.log(np.pi))
    return float(result)
