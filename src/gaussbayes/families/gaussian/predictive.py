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
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import tails
from gaussbayes.families.gaussian.definite import invert_definite
from gaussbayes.families.gaussian.density import GaussianDensity, located_density
from gaussbayes.families.gaussian.expectation import PointBlock, row_blocks
from gaussbayes.families.gaussian.left_out import downdated, solve_each, targets_without
from gaussbayes.families.gaussian.shrinkage import target_of
from gaussbayes.families.gaussian.statistics import ClassMoments
from gaussbayes.families.gaussian.structure import Full
from gaussbayes.families.removal import LEAST_LEFT, Removal
from gaussbayes.kernels import active

Reliable: TypeAlias = NDArray[np.bool_]


_LEAST_GIVEN = 1e-8
"""What must be left of a determinant if the target is given, which alone keeps it from 0."""


@dataclass(frozen=True, slots=True)
class Prior:
    """How many rows the prior of covariances is worth, and how far its target is shrunk."""

    sharing: float  # λ, from 0 (own covariances) to 1 (a shared one)
    shrinkage: float  # g, from 0 to 1
    diagonal: bool = True  # whether the target of shrinkage is the diagonal; else it is spherical

    @property
    def is_bounded(self) -> bool:
        """Whether the target alone keeps every covariance away from singular ones."""
        return self.sharing > 0 and self.shrinkage > 0

    @property
    def ratio(self) -> float:
        """ρ: rows that the prior is worth, in units of those of the mean class."""
        return self.sharing / (1.0 - self.sharing) if self.sharing < 1.0 else np.inf

    def shrunk(
        self,
        pooled: FloatArray,
        squares: FloatArray | None = None,
        n_features: int | None = None,
    ) -> FloatArray:
        """``(1 − g) P + g target(P)`` of the pooled scatter (r, r).

        Its diagonal is to be `squares` (r,); None is as it is. It is that of r directions among
        `n_features`, or of all there are: the trace of a spherical target is spread over all.
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
    """Raise for degrees of freedom (k,) with which a predictive density has no covariance."""
    if (degrees <= 2).any():
        code = int(np.argmin(degrees))
        msg = (
            f"class {names.class_name(code)} weighs {weight[code]:g}: a predictive density needs "
            "more than one row of each class, or some of the pooled covariance"
        )
        raise DataError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class PredictiveLeftOut:
    """Log densities of rows by what is left without each of them, for several priors.

    Without a row at y from the mean of its class b, and with the factor f of its `Removal`, it is

        M_c − pull y yᵀ + shift,    pull = f ((1 − g) ρ/k + [c = b])

    where only the target shifts. The spherical one stays a multiple of the identity: in the basis
    in which ``(1 − g) ρ/k P + S_c`` is diagonal, everything but the outer product is. The diagonal
    one loses ``f y²``, which leaves no basis diagonal: a matrix is factored for each row, unless
    the units are given, in which it is spherical.

    Where more is given, the target and how missing values are completed, nothing shifts: see
    `_given`.
    """

    moments: ClassMoments
    priors: Sequence[Prior]
    units_given: bool  # of priors that are bounded
    unit: FloatArray  # (r,) of the features: scatters are in squares of it
    own: FloatArray  # (k, r, r) S_c
    pooled: FloatArray  # (r, r) P
    squares: FloatArray  # (r,) its diagonal, where features that do not vary have something
    n_features: int  # d: more than r if these are directions that contain all rows
    least: float  # proportion that must be left of a determinant, and of the trace
    # Principal axes that were found so far.
    axes: dict[tuple[float, int], tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        moments: ClassMoments,
        priors: Sequence[Prior],
        n_features: int | None = None,
        least: float = LEAST_LEFT,
        *,
        units_given: bool = False,
    ) -> "PredictiveLeftOut":
        own = moments.scatters("full", shared=False)
        variance = np.einsum("mii->i", own)
        squares = target_of(moments) if n_features is None else variance
        # The same unit for all features where the target is spherical: there, units count.
        spherical = not all(prior.diagonal for prior in priors)
        largest = variance.mean() if variance.any() else 1.0
        unit = np.sqrt(np.full_like(variance, largest) if spherical else squares)
        own = own / unit[:, None] / unit
        pooled, squares = own.sum(axis=0), squares / np.square(unit)
        if n_features is not None:
            squares = np.diagonal(pooled).copy()
        of_features = n_features or len(unit)
        return cls(moments, priors, units_given, unit, own, pooled, squares, of_features, least)

    def is_spherical(self, prior: Prior) -> bool:
        """Whether without a row the target stays spherical, and the rest of the diagonal as it is.

        Of features that vary too little the sums of squares follow from others.
        """
        return not prior.diagonal and bool((self.squares <= np.diagonal(self.pooled)).all())

    @property
    def trace(self) -> float:
        """Of the pooled scatter; in given units every feature counts."""
        return float(np.trace(self.pooled) if not self.priors[0].diagonal else self.squares.sum())

    def log_densities(self, X: FloatArray, removal: Removal) -> tuple[FloatArray, Reliable]:
        """``log p(x | c)`` (s, n, k) up to a constant of the row, and what is reliable (s, n)."""
        k, n = self.moments.n_classes, X.shape[0]
        y = self.moments.deviation(X, removal.codes) / self.unit
        result = np.empty((len(self.priors), n, k))
        reliable = np.repeat(removal.sound[None], len(self.priors), axis=0)
        if self.units_given:
            return self._given(y, removal)
        spherical = [number for number, prior in enumerate(self.priors) if self.is_spherical(prior)]
        others = [number for number in range(len(self.priors)) if number not in spherical]
        targets = targets_without(self.moments, self.unit, X, removal) if others else None
        # Priors with the same axes after one another, so many that they stay near the processor.
        spherical.sort(key=lambda number: self._axes(self.priors[number], 0)[0])
        batches = ranges(len(spherical), rows_at_once(4 * y.size))
        for code in range(k):
            for batch in [spherical[some] for some in batches]:
                priors = [self.priors[number] for number in batch]
                result[batch, :, code], sure = self._spherical(code, priors, y, removal)
                reliable[batch] &= sure
            for number in others:
                prior = self.priors[number]
                result[number, :, code], sure = self._each(code, prior, X, y, removal, targets)
                reliable[number] &= sure
        return result, reliable

    def _part(self, prior: Prior) -> float:
        """How much the pooled scatter counts."""
        return 1.0 if prior.sharing == 1.0 else prior.ratio / len(self.own)

    def _apart(self, code: int) -> FloatArray:
        """How far the means of all classes (k, r) are from that of one; near ones lose no digit."""
        anchor, offset = self.moments.anchor, self.moments.offset
        return np.asarray(((anchor - anchor[code]) + (offset - offset[code])) / self.unit)

    def _axes(self, prior: Prior, code: int) -> tuple[tuple[float, int], FloatArray, FloatArray]:
        """The scatter (r,) along its principal axes, but for the target, and these in columns.

        They are the same for every block of rows, and for priors that are alike in what comes
        first: how much of the pooled scatter is not shrunk, and the class unless all share one.
        """
        of_pooled, shared = (1.0 - prior.shrinkage) * self._part(prior), prior.sharing == 1.0
        key = (1.0, -1) if shared else (of_pooled, code)
        if key not in self.axes:
            scatter = key[0] * self.pooled
            np.einsum("ii->i", scatter)[...] = key[0] * self.squares
            self.axes[key] = _principal_axes(scatter if shared else scatter + self.own[code])
        spread, basis = self.axes[key]
        return key, of_pooled * spread if shared else spread, basis

    def _spherical(
        self, code: int, priors: Sequence[Prior], y: FloatArray, removal: Removal
    ) -> tuple[FloatArray, Reliable]:
        """Log densities of a class under some priors, and reliability (s, n).

        Along principal axes rows are columns (r, n): sums over these are sums of whole rows.
        """
        d, mine = self.n_features, removal.codes == code
        keys, spreads, bases = zip(*(self._axes(prior, code) for prior in priors), strict=True)
        basis = np.stack(bases[:1] if len(set(keys)) == 1 else bases)
        turned = basis.mT @ y.T
        v = (basis.mT @ self._apart(code).T)[:, :, removal.codes]
        v += turned
        left = self.trace - removal.factor * np.einsum("nj,nj->n", y, y)
        part = np.array([[self._part(prior)] for prior in priors])
        shrinkage = np.array([[prior.shrinkage] for prior in priors])
        own = np.array([[prior.sharing < 1.0] for prior in priors])
        target = part * shrinkage / d * left
        pull = removal.factor * ((1.0 - shrinkage) * part + own * mine)
        diagonal = np.stack(spreads)[:, :, None] + target[:, None]
        squares, length, log_det, rest = downdated(diagonal, target, turned, v, pull, d)
        # The mean of its own class moves away from a row as well.
        squares = np.where(mine, np.square(removal.stretch) * length / rest, squares)
        reliable = np.minimum(rest, left / self.trace) > self.least
        return self._log_density(code, priors, squares, log_det, removal), reliable

    def _given(self, y: FloatArray, removal: Removal) -> tuple[FloatArray, Reliable]:
        """Log densities (s, n, k) and reliability (s, n), with the target given as well.

        Then M_c is that of all rows but for an outer product. With the precision ``Λ = M_c⁻¹``, of
        which the part of the features h that a row lacks is taken off, for those o that it has

            xᵀ (M_oo)⁻¹ x = xᵀ Λ x − (Λ x)_hᵀ Λ_hh⁻¹ (Λ x)_h,    log |M_oo| = log |M| + log |Λ_hh|

        where x is 0 in h. So rows with missing values have a closed form given what these are
        expected by: what is expected of the features that a row lacks does not enter M_oo.
        """
        moments = self.moments
        blocks = [
            (at, removal.of_rows(at), _Points.of(y[at], removal.stretch[at], block))
            for at, block in row_blocks(y)
        ]
        largest = max([y.shape[1] ** 2] + [points.x.size for _, _, points in blocks])
        numbers = np.arange(len(self.priors))
        batches = [numbers[some] for some in ranges(numbers.size, rows_at_once(4 * largest))]
        result = np.empty((moments.n_classes, len(self.priors), len(y)))
        reliable = np.repeat(removal.sound[None], len(self.priors), axis=0)
        for code in range(moments.n_classes):
            apart = self._apart(code)
            for batch in batches:
                priors = [self.priors[number] for number in batch]
                precision, log_det = self._precisions(code, priors)
                of_apart = np.einsum("dk,sdk->sk", apart.T, precision @ apart.T)
                part = np.array([[self._part(prior)] for prior in priors])
                shrinkage = np.array([[prior.shrinkage] for prior in priors])
                own = np.array([[prior.sharing < 1.0] for prior in priors])
                for at, gone, points in blocks:
                    mine = gone.codes == code
                    squares, across, length, volume = points.forms(
                        precision, mine, apart.T[:, gone.codes], of_apart[:, gone.codes]
                    )
                    pull = gone.lost * ((1.0 - shrinkage) * part + own * mine)
                    rest = 1.0 - pull * length
                    squares += pull * np.square(across) / rest
                    volume = volume + log_det[:, None] + np.log(rest)
                    log_density = self._log_density(
                        code, priors, squares, volume, gone, points.n_present
                    )
                    result[code][np.ix_(batch, at)] = log_density
                    reliable[np.ix_(batch, at)] &= rest > _LEAST_GIVEN
        return np.moveaxis(result, 0, 2), reliable

    def _precisions(self, code: int, priors: Sequence[Prior]) -> tuple[FloatArray, FloatArray]:
        """``M_c⁻¹`` (s, r, r) and ``log |M_c|`` (s,) of a class under some priors."""
        target = self.trace / self.n_features
        matrices = np.empty((len(priors), *self.pooled.shape))
        for number, prior in enumerate(priors):
            part = self._part(prior)
            np.multiply(self.pooled, (1.0 - prior.shrinkage) * part, out=matrices[number])
            diagonal = (1.0 - prior.shrinkage) * self.squares + prior.shrinkage * target
            np.einsum("ii->i", matrices[number])[...] = part * diagonal
            if prior.sharing < 1.0:
                matrices[number] += self.own[code]
        return invert_definite(matrices)

    def _each(
        self,
        code: int,
        prior: Prior,
        X: FloatArray,
        y: FloatArray,
        removal: Removal,
        targets: Any,
    ) -> tuple[FloatArray, Reliable]:
        """The same (n,) for one prior and any target: one matrix is factored for each row.

        `targets` are those of `targets_without`.
        """
        (within, target, enough), (n, d), mine = targets, y.shape, removal.codes == code
        part, g, is_own = self._part(prior), prior.shrinkage, float(prior.sharing < 1.0)
        added = (1.0 - g) * (target - within)  # of features that hardly vary
        added += g * target if prior.diagonal else g / d * within.sum(axis=1, keepdims=True)
        stretch = np.where(mine, removal.stretch, 1.0)
        squares, log_det, rest = solve_each(
            is_own * self.own[code],
            self.pooled,
            np.ones(n),
            np.full(n, part * (1.0 - g)),
            part * added,
            removal.factor * ((1.0 - g) * part + is_own * mine),
            y,
            (stretch[:, None] * (self.moments.deviation(X, code) / self.unit))[None],
        )
        log_density = self._log_density(code, [prior], squares, log_det[None], removal)
        return log_density[0], enough & (rest > LEAST_LEFT)

    def _log_density(
        self,
        code: int,
        priors: Sequence[Prior],
        squares: FloatArray,
        log_det: FloatArray,
        removal: Removal,
        n_features: int | FloatArray | None = None,
    ) -> FloatArray:
        """Student-t log densities (s, n) by ``vᵀ scatter⁻¹ v`` and ``log |scatter|``.

        They are of so many features; None is of all.
        """
        k, d = len(self.own), self.n_features if n_features is None else n_features
        weight = np.where(removal.codes == code, removal.weight, float(self.moments.weight[code]))
        degrees = np.stack(
            [
                removal.total - k + 2.0
                if prior.sharing == 1.0
                else prior.ratio * removal.total / k + weight + 1.0
                for prior in priors
            ]
        )
        ratio = (1.0 + 1.0 / weight) / degrees  # Λ over the scatter
        half_log_det = 0.5 * (log_det + d * np.log(ratio))
        return tails.log_density(squares / ratio, half_log_det, degrees, d)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Rows as columns, 0 where a value is missing.

    With its stretch, ``stretch y`` is how far a row is from the mean without it, and the outer
    product of ``x = √stretch y``, times its weight, is what the scatters lose.
    """

    x: FloatArray  # (d, n)
    root: FloatArray  # (n,) √stretch
    present: FloatArray | None  # (d, n) 0 or 1; None if nothing is missing
    hidden: NDArray[np.int64]  # (cells, h) what the rows of a cell lack, then −1
    cell: NDArray[np.int64]  # (n,)

    @classmethod
    def of(cls, y: FloatArray, stretch: FloatArray, block: PointBlock) -> "_Points":
        """Those of rows (n, d), NaN where a value is missing."""
        root = np.sqrt(stretch)
        present = (~np.isnan(y.T)).astype(np.float64) if block.hidden.shape[1] else None
        return cls(root * np.nan_to_num(y.T), root, present, block.hidden, block.cell)

    @property
    def n_present(self) -> FloatArray:
        """How many values each row has (n,)."""
        lacking = (self.hidden >= 0).sum(axis=1, dtype=np.float64)
        return np.asarray(self.x.shape[0] - lacking[self.cell])

    def forms(
        self,
        precision: FloatArray,
        mine: NDArray[np.bool_],
        apart: FloatArray,
        of_apart: FloatArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """``vᵀ v``, ``vᵀ x``, ``xᵀ x`` in the metric of what is there, and ``log |Λ_hh|`` (s, n).

        Here v is how far rows are from the mean of a class, without the row for those of this class
        (`mine`), and `apart` (d, n) how far the means of their own classes are; `of_apart` (s, n)
        is the square of that.
        """
        x, scale = self.x, np.where(mine, self.root, 1.0 / self.root)
        if self.present is None:  # v = scale x + apart
            of_x = precision @ x
            length = np.einsum("dn,sdn->sn", x, of_x)
            product = np.einsum("dn,sdn->sn", apart, of_x)
            across = scale * length + product
            return scale * (across + product) + of_apart, across, length, np.zeros((1, 1))
        kernels, x = active(), np.ascontiguousarray(x.T)
        v = np.ascontiguousarray((scale * self.x + apart * self.present).T)
        forms = np.empty((4, len(precision), len(x)))
        for number, matrix in enumerate(precision):
            of_v, of_x = v @ matrix, x @ matrix
            products = (v, of_v), (v, of_x), (x, of_x)
            off, forms[3, number] = kernels.shorten(matrix, self.hidden, self.cell, of_v, of_x)
            for form, (left, right), less in zip(forms[:3], products, off, strict=True):
                form[number] = np.einsum("nd,nd->n", left, right) - less
        return forms[0], forms[1], forms[2], forms[3]


def _principal_axes(scatter: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A scatter (r,) along its principal axes, and these in columns (r, r)."""
    spread, basis = np.linalg.eigh(scatter)
    return np.maximum(spread, 0.0), basis
