"""Leave-one-out log densities in closed form: each row by the model of all others.

Without a row of class b, at y from its mean, the covariance of class c is, up to a factor,

    M = a S_c + b P + t D − pull y yᵀ

with the scatter S_c of the class and P of all classes, and a multiple t of the target D of
shrinkage, which the row changes as well. The Sherman-Morrison formula gives

    uᵀ M⁻¹ u = uᵀ N⁻¹ u + pull (uᵀ N⁻¹ y)² / kept,    log |M| = log |N| + log kept,
    N = M + pull y yᵀ,    kept = 1 − pull yᵀ N⁻¹ y

If D is the identity, in the units of the features, N is diagonal along the principal axes of
``a S_c + b P``: d operations a row (`_along_axes`). If D changes with every row, or there are no
correlations, N is solved for each row (`_solved`). The estimator of the covariances determines a,
b, t and the pull: `PlugInLeftOut` is for estimated and shrunk ones,
`gaussbayes.families.gaussian.predictive` for ones that are integrated out. The result is not
reliable if little remains without the row: the model must then be fitted without it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.shrinkage import (
    Shrinkage,
    oas_by_traces,
    target_of,
    targets_without,
)
from gaussbayes.families.gaussian.statistics import ClassMoments, degrees
from gaussbayes.families.gaussian.structure import Structure, factor
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import LEAST_LEFT, Removal

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.family import Gaussian

LEAST_IN_SPAN = 1e-6
"""The least proportion left of a determinant in the span of fewer rows than features. Every row has
a separate direction there, in which only the target remains, which is not rounding: rounding is
1e-9 of the size of a log density, in proportion to the features."""

MOST_WEIGHTS = 16
"""Largest number of distinct weights of rows for which principal axes are computed."""

Reliable: TypeAlias = NDArray[np.bool_]

Axes: TypeAlias = tuple[FloatArray, FloatArray, float]
"""A scatter (r,) along axes, the axes in columns (r, r), and the difference of log |scatter|."""


def plug_in_formulas(
    moments: ClassMoments,
    path: Sequence["Gaussian"],
    targets: Targets,
    names: Schema,
    *,
    exact: bool = True,
    n_features: int | None = None,
) -> "list[GaussianLeftOut] | None":
    """Closed forms of complete rows; None if one of the families has none: `has_closed_form`.

    With `n_features` the moments are those of coordinates, in units that are given.
    """
    formulas: list[GaussianLeftOut] = []
    for member in path:
        by_rows = exact and n_features is None and _has_units(member)
        if not (by_rows or has_closed_form(member.structure, member.shrinkage, targets.weights)):
            return None
        formulas.append(PlugInLeftOut.of(moments, member, names, n_features, by_rows=by_rows))
    return formulas


def together(
    formulas: "Sequence[GaussianLeftOut]", forward: Callable[[Rows], Rows] | None = None
) -> LeftOut:
    """The closed form of several families, for mapped rows if there is a map."""

    def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, Reliable]:
        X = (rows if forward is None else forward(rows)).matrix.astype(np.float64, copy=False)
        found = [formula.log_densities(X, removal) for formula in formulas]
        log_density, reliable = zip(*found, strict=True)
        return np.concatenate(log_density), np.concatenate(reliable)

    return log_densities


def has_closed_form(structure: Structure, shrinkage: Shrinkage, weights: FloatArray | None) -> bool:
    """Whether leave-one-out of complete rows of these weights needs no refits.

    Refits are needed for some full covariances shrunk towards the pooled one: with intensities that
    change with every row, and with many distinct weights of rows.
    """
    if not structure.between or not structure.shape.correlated:
        return True
    return shrinkage != "oas" and (weights is None or np.unique(weights).size <= MOST_WEIGHTS)


def _has_units(family: "Gaussian") -> bool:
    """Whether covariances are shrunk in units of the features' deviations."""
    shrunk = bool(family.shrinkage) and not family.structure.shape.isotropic
    return shrunk and family.target != "spherical"


class Terms(NamedTuple):
    """``M = a S_c + b P + diag(added) − pull y yᵀ``, for each of n rows.

    If all classes share the covariance a is 0, if it is class-specific b is: one number for all.
    """

    a: FloatArray  # (n,) or (1,)
    b: FloatArray  # (n,) or (1,)
    added: FloatArray  # (n, r), or (n, 1) if the target is spherical
    pull: FloatArray  # (n,)
    sure: Reliable  # (n,) whether enough remains of the sums


class RowsLeftOut(NamedTuple):
    """Rows that are held out one at a time, in the units of a formula."""

    X: FloatArray  # (n, r) the rows
    y: FloatArray  # (n, r) from the means of their classes
    removal: Removal
    target: FloatArray  # (n, r) of shrinkage as sums of squares, or (1, 1) if it is spherical
    within: FloatArray  # (n, r) sums of squares within classes, or (1, r) with the row
    sure: Reliable  # (n,) whether enough of them remains


@dataclass(frozen=True, slots=True, eq=False)
class GaussianLeftOut(ABC):
    """Several ways to estimate covariances from the same moments.

    The moments may be those of r directions that contain all rows, of more features d.
    """

    moments: ClassMoments
    names: Schema
    unit: FloatArray  # (r,) in which everything is computed
    own: FloatArray  # (k, r, r) or (k, r) S_c; (1, …) if all classes share the covariance
    pooled: FloatArray  # (r, r) or (r,) P
    is_shrunk: bool
    by_rows: bool  # whether the target of shrinkage changes with every row
    n_features: int  # d
    least: float  # least remaining proportion of a determinant
    axes: dict[tuple[int, float], Axes] = field(default_factory=dict, kw_only=True)  # cache

    @property
    @abstractmethod
    def n_formulas(self) -> int:
        """The number of estimators."""

    @abstractmethod
    def is_shared(self, number: int) -> bool:
        """Whether all classes have the same matrix M."""

    @abstractmethod
    def terms(self, number: int, code: int | None, rows: RowsLeftOut) -> Terms:
        """The terms of the matrices M of a class; None is for all classes."""

    @abstractmethod
    def log_density(
        self, number: int, squares: FloatArray, log_det: FloatArray, classes: slice, gone: Removal
    ) -> FloatArray:
        """Log densities (q, n) of some classes by ``vᵀ M⁻¹ v`` (q, n) and ``log |M|`` (n,)."""

    def log_densities(self, X: FloatArray, removal: Removal) -> tuple[FloatArray, Reliable]:
        """``log p(x | c)`` (s, n, k) up to a term of the row, and what is reliable (s, n)."""
        n, k, s = len(X), self.moments.n_classes, self.n_formulas
        result, reliable = np.empty((s, n, k)), np.empty((s, n), dtype=bool)
        solve = self._solved if self.by_rows or self.pooled.ndim == 1 else self._along_axes
        with np.errstate(all="ignore"):  # results that overflow or vanish here are not reliable
            # Features one after the other in memory: loops over few of them would be slow.
            rows = self._rows(np.asfortranarray(X), removal)
            v, reliable[...] = self._deviations(rows), rows.sure
            for number in range(s):
                shared = self.is_shared(number)
                for code in [None] if shared else range(k):
                    classes = slice(0, k) if code is None else slice(code, code + 1)
                    terms = self.terms(number, code, rows)
                    squares, log_det, kept = solve(code, terms, rows.y, v[classes])
                    # The mean of the row's class moves away from it.
                    mine = removal.codes == np.arange(k)[classes, None]
                    squares *= np.square(np.where(mine, removal.stretch, 1.0))
                    found = self.log_density(number, squares, log_det, classes, removal)
                    result[number, :, classes] = found.T
                    reliable[number] &= terms.sure & (kept > self.least)
        return result, reliable

    def _rows(self, X: FloatArray, removal: Removal) -> RowsLeftOut:
        y = self.moments.deviation(X, removal.codes) / self.unit
        target, within, sure = np.ones((1, 1)), self.squares[None], removal.sound
        if self.by_rows:
            within, target, enough = targets_without(self.moments, self.unit, X, removal)
            sure = sure & enough
        return RowsLeftOut(X, y, removal, target, within, sure)

    @property
    def squares(self) -> FloatArray:
        """The sums of squares within classes (r,)."""
        return np.diagonal(self.pooled) if self.pooled.ndim == 2 else self.pooled

    def _deviations(self, rows: RowsLeftOut) -> FloatArray:
        """The deviations of rows from the means of the classes (k, n, r)."""
        n, r = rows.y.shape
        v = np.empty((self.moments.n_classes, r, n)).mT
        for code, deviation in enumerate(v):
            np.subtract(rows.X, self.moments.anchor[code], out=deviation)
            np.subtract(deviation, self.moments.offset[code], out=deviation)
        v /= self.unit
        return v

    def _along_axes(
        self, code: int | None, terms: Terms, y: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """``vᵀ M⁻¹ v`` (q, n), ``log |M|`` and its remaining proportion (n,), by principal axes.

        The target is spherical: along the axes of ``a S_c + b P`` all but y yᵀ is diagonal.
        """
        (a, b, added, pull, _), d = terms, self.n_features
        shared, specific = code is None, b.size < len(y)
        scale = b if shared else a
        varies = scale > 0  # unless the intensity is 1
        scale = np.where(varies, scale, 1.0)
        groups = _groups(b / scale) if not (shared or specific) else [(float(shared), slice(None))]
        squares, log_det, kept = np.empty(v.shape[:2]), np.empty(len(y)), np.zeros(len(y))
        for ratio, at in groups:
            try:
                spread, basis, log_volume = self._axes(code, ratio)
            except SingularCovarianceError:  # nearly singular: refits decide
                continue
            unit, u, gone = scale[at], basis.T @ v[:, at].mT, _slice_of(pull[at] > 0)
            # Class-specific covariances lose rows of the same class only: there, y is v.
            turned = u[0][:, gone] if specific else basis.T @ y[at][gone].T
            log_det[at] = log_volume + d * np.log(unit)
            if self.is_shrunk:
                target = added[at, 0] / unit
                diagonal = spread[:, None] * varies[at] + target
                log_det[at] += _sums_of_logs(diagonal)
                if d > len(spread):
                    log_det[at] += (d - len(spread)) * np.log(target)
                root = np.sqrt(np.divide(1.0, diagonal, out=diagonal), out=diagonal)
                u *= root
                turned *= root[:, gone]
            lengths, left = np.einsum("qjn,qjn->qn", u, u), np.ones(unit.size)
            pulled = pull[at][gone] / unit[gone]
            left[gone] -= pulled * np.einsum("jn,jn->n", turned, turned)
            across = np.einsum("qjn,jn->qn", u[:, :, gone], turned)
            lengths[:, gone] += pulled / left[gone] * np.square(across)
            squares[:, at], kept[at] = lengths / unit, left
        return squares, log_det + np.log(kept), kept

    def _axes(self, code: int | None, ratio: float) -> Axes:
        """The principal axes of ``S_c + ratio P``, or of P.

        Without shrinkage any axes that diagonalise it will do: whitening does not depend on units.
        """
        key = -1 if code is None else code, ratio
        if key not in self.axes:
            scatter = self.pooled if code is None else self.own[code] + ratio * self.pooled
            if self.is_shrunk:
                self.axes[key] = *_principal_axes(scatter, self.names), 0.0
            else:
                (whitener,), (log_det,) = factor(scatter[None], self.names)
                self.axes[key] = np.ones(len(scatter)), whitener.T, float(log_det)
        return self.axes[key]

    def _solved(
        self, code: int | None, terms: Terms, y: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same for any target: solve a matrix, or its diagonal, for each row."""
        return solve_each(self.own[code or 0], self.pooled, terms, y, v)


class _Shrunk(NamedTuple):
    """A scatter without each of n rows, shrunk; one number is that of every row."""

    proportion: FloatArray  # (n,) or (1,) the remaining weight
    added: FloatArray  # (n,) or (1,) multiples of the target
    before: FloatArray  # (n,) or (1,) the same with the row
    sure: Reliable  # (n,) or (1,) whether the intensity is reliable


@dataclass(frozen=True, slots=True, eq=False)
class PlugInLeftOut(GaussianLeftOut):
    """Estimated covariances, shrunk: ``(1 − λ) shrunk(S_c / n_c) + λ shrunk(P / N)``."""

    structure: Structure
    divisor: Divisor
    shrinkage: Shrinkage

    @classmethod
    def of(
        cls,
        moments: ClassMoments,
        family: "Gaussian",
        names: Schema,
        n_features: int | None = None,
        *,
        by_rows: bool = False,
    ) -> "PlugInLeftOut":
        """The formula of a family; with `n_features`, of coordinates in given units."""
        structure = family.structure
        # A spherical covariance is a diagonal one with shrinkage 1.
        shrinkage = 1.0 if structure.shape.isotropic else family.shrinkage or None
        unit, layout = np.sqrt(target_of(moments)), structure.shape.layout
        if n_features is not None or (shrinkage is not None and not _has_units(family)):
            variance = moments.scatters("diagonal", shared=True)[0].mean()
            unit = np.full_like(unit, np.sqrt(variance) if variance > 0 else 1.0)
        units = unit[:, None] * unit if layout == "full" else np.square(unit)
        pooled = moments.scatters(layout, shared=True)[0] / units
        own = pooled[None] if structure.shared else moments.scatters(layout, shared=False) / units
        return cls(
            moments,
            names,
            unit,
            own,
            pooled,
            shrinkage is not None,
            by_rows,
            n_features or moments.n_features,
            LEAST_LEFT if n_features is None else LEAST_IN_SPAN,
            structure=structure,
            divisor=family.divisor,
            shrinkage=shrinkage,
        )

    @property
    def n_formulas(self) -> int:
        return 1

    def is_shared(self, number: int) -> bool:
        return self.structure.shared

    def terms(self, number: int, code: int | None, rows: RowsLeftOut) -> Terms:
        removal, sharing, sure = rows.removal, self.structure.sharing, rows.sure
        a = b = left = before = pull = np.zeros(1)
        if sharing > 0.0:
            total = degrees(removal.total, self.divisor, self.moments.n_classes)
            kept = self._shrunk(self.pooled, removal.factor, removal.total, rows)
            share = sharing / total
            sure = sure & (total > 0) & kept.sure
            left, before, b = share * kept.added, share * kept.before, share * kept.proportion
            pull = b * removal.factor
        if code is not None:
            mine = removal.codes == code
            weight, gone = (
                np.where(mine, removal.weight, self.moments.weight[code]),
                removal.factor * mine,
            )
            total = degrees(weight, self.divisor, 1)
            kept = self._shrunk(self.own[code], gone, weight, rows)
            share = (1.0 - sharing) / total
            sure = sure & (total > 0) & kept.sure
            left, before, a = (
                left + share * kept.added,
                before + share * kept.before,
                share * kept.proportion,
            )
            pull = pull + a * gone
        if self.is_shrunk:
            sure = sure & (left >= LEAST_LEFT * before)
        return Terms(a, b, left[:, None] * rows.target, pull, sure)

    def log_density(
        self, number: int, squares: FloatArray, log_det: FloatArray, classes: slice, gone: Removal
    ) -> FloatArray:
        return -0.5 * (squares + log_det)

    def _shrunk(
        self, scatter: FloatArray, gone: FloatArray, weight: FloatArray, rows: RowsLeftOut
    ) -> _Shrunk:
        """The shrinkage of ``S − gone y yᵀ`` without each row, for rows of these weights (n,)."""
        n, d = len(gone), self.n_features
        if self.shrinkage is None:
            return _Shrunk(np.ones(1), np.zeros(1), np.zeros(1), np.ones(1, dtype=bool))
        variance = np.diagonal(scatter) if scatter.ndim == 2 else scatter
        inverse = np.broadcast_to(1.0 / rows.target, (len(rows.target), variance.size))
        lost = gone * (np.square(rows.y) * inverse).sum(axis=1)
        before = inverse @ variance
        trace, sure = before - lost, np.ones(n, dtype=bool)
        if isinstance(self.shrinkage, str):
            turned = rows.y * inverse
            if scatter.ndim == 1:
                whole = np.square(inverse * variance).sum(axis=1)
                squares = np.square(inverse * variance - gone[:, None] * turned * rows.y).sum(
                    axis=1
                )
            else:  # tr (S − g y yᵀ)² = tr S² − 2 g yᵀ S y + g² |y|⁴
                whole = ((inverse @ np.square(scatter)) * inverse).sum(axis=1)
                across = ((turned @ scatter) * turned).sum(axis=1)
                squares = whole - 2.0 * gone * across + np.square(lost)
            s, sure = oas_by_traces(trace, squares, d, weight), squares >= LEAST_LEFT * whole
        else:
            s = np.full(n, self.shrinkage)
        return _Shrunk(1.0 - s, s * trace / d, s * before / d, sure)


def _principal_axes(scatter: FloatArray, names: Schema) -> tuple[FloatArray, FloatArray]:
    """A scatter (r,) along its principal axes, and the axes in columns (r, r).

    With the Cholesky factor ``L = A σ Bᵀ`` the axes are ``A = L⁻ᵀ B σ``. Each row of L⁻ᵀ has the
    scale of its feature, so that axes along which the scatter is 1e12 times smaller than along
    others keep their digits. `eigh` would lose them; it is for scatters without a factor.
    """
    try:
        whitener = factor(scatter[None], names)[0][0]
    except SingularCovarianceError:
        spread, axes = np.linalg.eigh(scatter)
        return np.maximum(spread, 0.0), axes  # rounding may leave 0 just below it
    scale = np.sqrt(np.diagonal(scatter))
    lower = scale[:, None] * np.linalg.cholesky(scatter / scale[:, None] / scale)
    _, root, turn = np.linalg.svd(lower)
    return np.square(root), whitener.T @ (turn.T * root)


def _groups(ratio: FloatArray) -> list[tuple[float, NDArray[np.intp] | slice]]:
    """The distinct numbers (n,), and their positions."""
    return [(value, _slice_of(ratio == value)) for value in np.unique(ratio).tolist()]


def _slice_of(chosen: Reliable) -> NDArray[np.intp] | slice:
    """The selected entries (n,); all of them need no copy."""
    return slice(None) if chosen.all() else np.flatnonzero(chosen)


def _sums_of_logs(values: FloatArray) -> FloatArray:
    """``Σ_j log values_j`` (…, n): of the products of eight, which do not overflow."""
    if values.min(initial=1.0) > 1e-35 and values.max(initial=1.0) < 1e35:
        values = np.multiply.reduceat(values, range(0, values.shape[-2], 8), axis=-2)
    return np.asarray(np.log(values).sum(axis=-2))


def solve_each(
    own: FloatArray,
    pooled: FloatArray,
    terms: Terms,
    y: FloatArray,
    v: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``vᵀ M⁻¹ v`` (q, n) and ``log |M|`` (n,) of the matrices M of some terms.

    The scatters S and P are (d, d), or (d,) if diagonal; y (n, d) and v (q, n, d) are vectors of
    each row. Also the proportion (n,) of ``|M|``, or of the most reduced entry, that remains after
    the last term.
    """
    (a, b, added, pull, _), (n, d) = terms, y.shape
    if own.ndim == 1:  # features one after the other in memory, as y and v are
        left = own[:, None] * a + pooled[:, None] * b + added.T
        proportion = np.square(y.T) * (pull / left)
        left *= 1.0 - proportion
        squares = (np.square(v.mT) / left).sum(axis=1)
        return squares, _sums_of_logs(left), 1.0 - proportion.max(axis=0)
    squares, log_det, kept = np.empty((len(v), n)), np.empty(n), np.empty(n)
    a, b = np.broadcast_to(a, n), np.broadcast_to(b, n)
    for block in ranges(n, rows_at_once(d * d)):
        matrices = a[block, None, None] * own + b[block, None, None] * pooled
        np.einsum("nii->ni", matrices)[...] += added[block]
        sign, log_det[block] = np.linalg.slogdet(matrices)
        singular = ~((sign > 0) & np.isfinite(log_det[block]))
        matrices[singular] = np.eye(d)
        # |M − pull y yᵀ| = |M| (1 − pull yᵀ M⁻¹ y); the size of `kept` shows the effect of
        # rounding.
        vectors = np.concatenate([y[None, block], v[:, block]]).transpose(1, 2, 0)
        solved = np.linalg.solve(matrices, vectors)
        across = np.einsum("nd,ndq->qn", y[block], solved)
        kept[block] = 1.0 - pull[block] * across[0]
        squares[:, block] = np.einsum("ndq,ndq->qn", vectors, solved)[1:]
        squares[:, block] += pull[block] / kept[block] * np.square(across[1:])
        kept[block][singular] = 0.0
    return squares, log_det + np.log(kept), kept
