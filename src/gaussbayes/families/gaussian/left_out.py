"""Leave-one-out log densities in closed form: each row by the model of all others.

Without a row of class b, at y from its mean, the covariance of class c is, up to a factor,

    M = (1 − s) (A − gone y yᵀ) + s t D,        A = own S_c + pooled P

with the scatter S_c of the class and P of all classes, the shrinkage s, its target D and the mean
variance ``t = tr D⁻¹ A' / d`` of what the row leaves, A'. The Sherman-Morrison formula gives

    uᵀ M⁻¹ u = uᵀ N⁻¹ u + pull (uᵀ N⁻¹ y)² / kept,    log |M| = log |N| + log kept,
    N = M + pull y yᵀ,    pull = (1 − s) gone,    kept = 1 − pull yᵀ N⁻¹ y

If D is the identity, in the units of the features, N is diagonal along the principal axes of A:
d operations a row (`_along_axes`). If D changes with every row, or there are no correlations, N is
solved for each row (`_solved`). The result for a row that leaves next to nothing behind is not
reliable: the model has to be fitted without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges, rows_at_once
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.gaussian.shrinkage import (
    Shrinkage,
    Target,
    oas_by_traces,
    target_of,
    target_squares,
)
from gaussbayes.families.gaussian.statistics import LAYOUTS, ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure, factor
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import LEAST_LEFT, Removal, degrees

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.family import Gaussian

MOST_WEIGHTS = 16
"""Different weights of rows for which principal axes are found."""

MOST_EACH = 1 << 22
"""Operations up to which a matrix is factored for each row also if the units may be given."""


Reliable: TypeAlias = NDArray[np.bool_]

Axes: TypeAlias = tuple[FloatArray, FloatArray, float]
"""A scatter (r,) along some axes, these in columns (r, r), and how much more log |scatter| is."""


def left_out(
    statistics: GaussianStatistics,
    path: Sequence["Gaussian"],
    targets: Targets,
    names: Schema,
    *,
    exact: bool = True,
) -> LeftOut | None:
    """A closed form for rows left out one at a time; None where there is none.

    There is none for rows with missing values, and for some full covariances shrunk towards the
    pooled one; see `has_closed_form`. Log densities are up to a term of the row.
    """
    moments, few = statistics.moments, exact or few_matrices(statistics.moments, targets)
    if not statistics.is_complete or not all(
        _by_rows(member, few)
        or has_closed_form(member.structure, member.shrinkage, targets.weights)
        for member in path
    ):
        return None
    formulas = [
        GaussianLeftOut.of(moments, list(members), names, by_rows=by_rows)
        for (*_, by_rows), members in groupby(path, lambda member: _settings(member, few))
    ]

    def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, Reliable]:
        X = rows.matrix.astype(np.float64, copy=False)
        found = [formula.log_densities(X, removal) for formula in formulas]
        log_density, reliable = zip(*found, strict=True)
        return np.concatenate(log_density), np.concatenate(reliable)

    return log_densities


def has_closed_form(structure: Structure, shrinkage: Shrinkage, weights: FloatArray | None) -> bool:
    """Whether complete rows of these weights can be left out without fitting again for each.

    All can but for some full covariances shrunk towards the pooled one: those shrunk by intensities
    that change with every row, and those of rows of many different weights.
    """
    if not structure.between or not structure.shape.correlated:
        return True
    return shrinkage != "oas" and (weights is None or np.unique(weights).size <= MOST_WEIGHTS)


def few_matrices(moments: ClassMoments, targets: Targets) -> bool:
    """Whether it takes no time to factor a matrix for each row and class."""
    n, k, d = targets.labels.shape[0], moments.n_classes, moments.n_features
    return bool(n * k * d * d * (d + 16) <= MOST_EACH)


def _settings(family: "Gaussian", few: bool) -> tuple[Structure, Divisor, bool, Target, bool]:
    """What the families of one formula have in common."""
    shrunk, by_rows = bool(family.shrinkage), _by_rows(family, few)
    return family.structure, family.divisor, shrunk, family.target, by_rows


def _has_units(family: "Gaussian") -> bool:
    """Whether covariances are shrunk in units of the features' deviations."""
    shrunk = bool(family.shrinkage) and not family.structure.shape.isotropic
    return shrunk and family.target == "diagonal"


def _by_rows(family: "Gaussian", few: bool) -> bool:
    """Whether each row that is left out changes the units."""
    return few and _has_units(family)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianLeftOut:
    """Families that differ in shrinkage only: all are shrunk, or none is.

    The moments may be those of r directions that contain all rows, of more features d.
    """

    moments: ClassMoments
    structure: Structure
    divisor: Divisor
    shrinkages: Sequence[Shrinkage]
    unit: FloatArray  # (r,) in which everything is computed
    names: Schema
    by_rows: bool  # whether the target changes with every row
    n_features: int  # d
    least: float  # proportion that must be left of a determinant, and of the trace
    axes: dict[tuple[int, float], Axes] = field(default_factory=dict)  # found so far

    @classmethod
    def of(
        cls,
        moments: ClassMoments,
        members: Sequence["Gaussian"],
        names: Schema,
        *,
        by_rows: bool = False,
        n_features: int | None = None,
        least: float = LEAST_LEFT,
    ) -> "GaussianLeftOut":
        first = members[0]
        # A spherical covariance is a diagonal one, shrunk as far as can be.
        isotropic = first.structure.shape.isotropic
        shrinkages = [1.0 if isotropic else member.shrinkage or None for member in members]
        unit = np.sqrt(target_of(moments))
        if n_features is not None or (shrinkages[0] is not None and not _has_units(first)):
            variance = moments.scatters("diagonal", shared=True)[0].mean()
            unit = np.full_like(unit, np.sqrt(variance) if variance > 0 else 1.0)
        d = n_features or moments.n_features
        settings = first.structure, first.divisor, shrinkages
        return cls(moments, *settings, unit, names, by_rows, d, least)

    def log_densities(self, X: FloatArray, removal: Removal) -> tuple[FloatArray, Reliable]:
        """``log p(x | c)`` (s, n, k) up to a term of the row, and what is reliable (s, n)."""
        n, k, shared = len(X), self.moments.n_classes, self.structure.shared
        twice = np.zeros((len(self.shrinkages), n, k))
        v = np.empty((k, *X.shape))
        for code in range(k):
            np.divide(self.moments.deviation(X, code), self.unit, out=v[code])
        y = v[removal.codes, np.arange(n)]
        v[removal.codes, np.arange(n)] = y * removal.stretch[:, None]
        in_all = degrees(removal.total, self.divisor, k)
        by_class = degrees(removal.weight, self.divisor, 1)
        sure = removal.sound & (in_all > 0) & (shared | (by_class > 0))
        reliable = np.repeat(sure[None], len(twice), axis=0)
        along_axes = self.structure.shape.correlated and not self.by_rows
        with np.errstate(all="ignore"):  # what overflows or vanishes here is not reliable
            write = self._along_axes if along_axes else self._solved
            write(X, y, v, in_all, removal, twice, reliable)
        return -0.5 * twice, reliable

    def _scatters(self, *, shared: bool) -> FloatArray:
        layout = self.structure.shape.layout
        unit = self.unit[:, None] * self.unit if layout == "full" else np.square(self.unit)
        return np.asarray(self.moments.scatters(layout, shared=shared) / unit)

    def _left(self, code: int, removal: Removal) -> tuple[NDArray[np.bool_], FloatArray]:
        """Which rows are of a class (n,), and how much the class weighs without each (n,)."""
        mine = removal.codes == code
        return mine, np.where(mine, removal.weight, self.moments.weight[code])

    def _along_axes(
        self,
        X: FloatArray,
        y: FloatArray,
        v: FloatArray,
        in_all: FloatArray,
        removal: Removal,
        twice: FloatArray,
        reliable: Reliable,
    ) -> None:
        """The target stays spherical: along the principal axes all but y yᵀ is diagonal."""
        shared, sharing, d = self.structure.shared, self.structure.sharing, self.n_features
        for code in range(1 if shared else len(v)):
            classes = slice(None) if shared else slice(code, code + 1)
            mine, weight = self._left(code, removal)
            ratio, pooled, rows = 1.0 / in_all, np.ones(len(y)), removal.total
            all_gone = removal.factor
            if not shared:
                by_class = degrees(weight, self.divisor, 1)
                ratio, rows = (1.0 - sharing) / by_class, weight
                pooled = sharing * by_class / ((1.0 - sharing) * in_all)
                all_gone = (mine + pooled) * removal.factor
            for value in np.unique(pooled).tolist():
                at = np.flatnonzero(pooled == value)
                try:
                    spread, basis, log_scale = self._axes(code, value)
                except SingularCovarianceError:  # nearly, or indeed: each fit has to say
                    reliable[:, at] = False
                    continue
                gone, scale = all_gone[at], ratio[at]
                turned, u = basis.T @ y[at].T, basis.T @ v[classes, at].transpose(0, 2, 1)
                for number, shrinkage in enumerate(self.shrinkages):
                    s, target, left = _shrunk(spread, turned, gone, shrinkage, rows[at], d)
                    diagonal = spread[:, None] * (1.0 - s) + target
                    pull = (1.0 - s) * gone
                    squares, _, log_det, kept = downdated(diagonal, target, turned, u, pull, d)
                    log_det += log_scale + d * np.log(scale)
                    twice[number, at, classes] = (squares / scale + log_det).T
                    reliable[number, at] &= np.minimum(kept, left) > self.least

    def _axes(self, code: int, pooled: float) -> Axes:
        """The principal axes of ``S_c + pooled P``.

        Without shrinkage any axes do along which it is diagonal: it is whitened, which does not
        depend on units.
        """
        key = (-1 if self.structure.shared else code), pooled
        if key not in self.axes:
            scatter = self._scatters(shared=True)[0] * pooled
            if not self.structure.shared:
                scatter = scatter + self._scatters(shared=False)[code]
            if self.shrinkages[0] is None:
                (whitener,), (log_det,) = factor(scatter[None], self.names)
                self.axes[key] = np.ones(len(scatter)), whitener.T, log_det
            else:
                self.axes[key] = *_principal_axes(scatter, self.names), 0.0
        return self.axes[key]

    def _solved(
        self,
        X: FloatArray,
        y: FloatArray,
        v: FloatArray,
        in_all: FloatArray,
        removal: Removal,
        twice: FloatArray,
        reliable: Reliable,
    ) -> None:
        """Any target: a matrix, or its diagonal, is solved for each row."""
        shared, sharing, n = self.structure.shared, self.structure.sharing, len(y)
        target = np.ones(y.shape)
        if self.by_rows:
            _, target, sure = targets_without(self.moments, self.unit, X, removal)
            reliable &= sure
        (pooled,), none = self._scatters(shared=True), np.zeros(n)
        scatters = None if shared else self._scatters(shared=False)
        for number, shrinkage in enumerate(self.shrinkages):
            taken = _Taken(pooled, y, removal.factor, target)
            b, all_added, sure = taken.shrunk(shrinkage, removal.total)
            reliable[number] &= sure
            b, all_added = sharing * b / in_all, all_added * (sharing / in_all)[:, None]
            if scatters is None:
                pull = b * removal.factor
                found = solve_each(pooled, pooled, none, b, all_added, pull, y, v)
                twice[number] = (found[0] + found[1]).T
                reliable[number] &= found[2] > self.least
                continue
            for code, own in enumerate(scatters):
                mine, weight = self._left(code, removal)
                by_class = degrees(weight, self.divisor, 1)
                taken = _Taken(own, y, removal.factor * mine, target)
                a, added, sure = taken.shrunk(shrinkage, weight)
                a = (1.0 - sharing) * a / by_class
                added = all_added + added * ((1.0 - sharing) / by_class)[:, None]
                pull = (b + a * mine) * removal.factor
                found = solve_each(own, pooled, a, b, added, pull, y, v[code : code + 1])
                twice[number, :, code] = found[0][0] + found[1]
                reliable[number] &= sure & (found[2] > self.least)


def _principal_axes(scatter: FloatArray, names: Schema) -> tuple[FloatArray, FloatArray]:
    """A scatter (r,) along its principal axes, and these in columns (r, r).

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


def _shrunk(
    spread: FloatArray,
    turned: FloatArray,
    gone: FloatArray,
    shrinkage: Shrinkage,
    weight: FloatArray,
    n_features: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The intensity s, the target s t, and what is left of the sums that they follow from (n,).

    Rows are columns (r, n), along the axes along which the scatter is `spread` (r,).
    """
    if shrinkage is None:
        return np.zeros_like(gone), np.zeros_like(gone), np.ones_like(gone)
    squares = np.square(turned)
    lost, trace = gone * squares.sum(axis=0), spread.sum()
    left = (trace - lost) / trace
    s = np.zeros_like(gone)
    if shrinkage == "oas":
        # tr (A − g y yᵀ)² = tr A² − 2 g yᵀ A y + g² |y|⁴
        before = np.square(spread).sum()
        after = before - 2.0 * gone * (spread @ squares) + np.square(lost)
        s = oas_by_traces(trace - lost, after, n_features, weight)
        left = np.minimum(left, after / before)
    else:
        s += float(shrinkage)
    return s, s * (trace - lost) / n_features, left


def downdated(
    diagonal: FloatArray,
    target: FloatArray,
    y: FloatArray,
    v: FloatArray,
    pull: FloatArray,
    n_features: int,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Matrices ``M = N − pull y yᵀ``, one for each of n rows, by the Sherman-Morrison formula.

    Rows are columns here. N is diagonal (…, r, n) in r directions, and the target (…, n) alone in
    others, up to d, in which nothing of y and v (…, r, n) lies. Returns ``vᵀ M⁻¹ v``,
    ``yᵀ N⁻¹ y``, ``log |M|`` and ``|M| / |N|``, each (…, n); N is overwritten.
    """
    outside = n_features - diagonal.shape[-2]
    log_det = _sums_of_logs(diagonal)
    if outside:
        log_det += outside * np.log(target)
    inverse = np.divide(1.0, diagonal, out=diagonal)
    squares = np.einsum("...jn,...jn,...jn->...n", v, v, inverse)
    inverse *= y
    length, across = (np.einsum("...jn,...jn->...n", rows, inverse) for rows in (y, v))
    kept = 1.0 - pull * length
    squares += pull * np.square(across) / kept
    log_det += np.log(kept)
    return squares, length, log_det, kept


def _sums_of_logs(values: FloatArray) -> FloatArray:
    """``Σ_j log values_j`` (…, n): of the products of eight, which do not overflow."""
    if values.min(initial=1.0) > 1e-35 and values.max(initial=1.0) < 1e35:
        values = np.multiply.reduceat(values, range(0, values.shape[-2], 8), axis=-2)
    return np.asarray(np.log(values).sum(axis=-2))


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """Scatters ``S − pull y yᵀ`` without each of some rows, full or diagonal, and their targets."""

    scatter: FloatArray  # (d, d) or (d,) S
    y: FloatArray  # (n, d)
    pull: FloatArray  # (n,)
    target: FloatArray  # (n, d)

    def shrunk(
        self, shrinkage: Shrinkage, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray, Reliable]:
        """What is left of a scatter (n,), what is added to its diagonal (n, d), and reliability.

        `weight` (n,) is that of the rows that are left.
        """
        n, d = self.y.shape
        if not shrinkage:
            return np.ones(n), np.zeros((n, 1)), np.ones(n, dtype=bool)
        inverse = 1.0 / self.target
        variance = np.diagonal(self.scatter) if self.scatter.ndim == 2 else self.scatter
        lost = self.pull[:, None] * np.square(self.y)
        before = inverse @ variance
        trace = ((variance - lost) * inverse).sum(axis=1)
        sure = trace >= LEAST_LEFT * before
        if isinstance(shrinkage, str):
            squares, first = self._squares(inverse, variance, lost)
            sure &= squares >= LEAST_LEFT * first
            intensity = oas_by_traces(trace, squares, d, weight)
        else:
            intensity = np.full(n, float(shrinkage))
        return 1.0 - intensity, (intensity * trace / d)[:, None] * self.target, sure

    def _squares(
        self, inverse: FloatArray, variance: FloatArray, lost: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The sums of squares of scatters in units of their targets (n,), and with the row."""
        if self.scatter.ndim == 1:
            before = np.square(inverse * variance).sum(axis=1)
            return np.square(inverse * (variance - lost)).sum(axis=1), before
        before = ((inverse @ np.square(self.scatter)) * inverse).sum(axis=1)
        turned = inverse * self.y
        across = ((turned @ self.scatter) * turned).sum(axis=1)
        length = (lost * inverse).sum(axis=1)
        return before - 2.0 * self.pull * across + np.square(length), before


def targets_without(
    moments: ClassMoments, unit: FloatArray, X: FloatArray, removal: Removal
) -> tuple[FloatArray, FloatArray, Reliable]:
    """Sums of squares within classes without each row (n, d), and diagonal targets of these (n, d).

    They are in units (d,) of the features; see `target_squares`. Also whether enough is left (n,).
    """
    together = moments.together()
    overall = LAYOUTS[together.layout].squares(together.scatter)[0] / np.square(unit)
    within = moments.scatters("diagonal", shared=True)[0] / np.square(unit)
    y, apart = moments.deviation(X, removal.codes) / unit, together.deviation(X, 0) / unit
    factor = removal.lost * (removal.total + removal.lost) / removal.total
    left = within - removal.factor[:, None] * np.square(y)
    left_overall = overall - factor[:, None] * np.square(apart)
    target = target_squares(left, left_overall, together.mean[0] / unit, removal.total)
    enough = (left >= LEAST_LEFT * within) & (left_overall >= LEAST_LEFT * overall)
    return left, target, enough.all(axis=1)


def solve_each(
    own: FloatArray,
    pooled: FloatArray,
    a: FloatArray,
    b: FloatArray,
    added: FloatArray,
    pull: FloatArray,
    y: FloatArray,
    v: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``vᵀ M⁻¹ v`` (q, n) and ``log |M|`` (n,) of ``M = a S + b P + diag(added) − pull y yᵀ``.

    The scatters S and P are (d, d), or (d,) if diagonal; a, b and pull are numbers (n,), added and
    y vectors (n, d), v vectors (q, n, d) of each row. Also what the last term leaves (n,): the
    proportion of ``|M|``, or of the entry that loses most.
    """
    n, d = y.shape
    squares, log_det, kept = np.empty((len(v), n)), np.empty(n), np.empty(n)
    if own.ndim == 1:
        whole = a[:, None] * own + b[:, None] * pooled + added
        left = whole - pull[:, None] * np.square(y)
        squares[...] = (np.square(v) / left).sum(axis=2)
        return squares, np.log(left).sum(axis=1), (left / whole).min(axis=1)
    for block in ranges(n, rows_at_once(d * d)):
        matrices = a[block, None, None] * own + b[block, None, None] * pooled
        np.einsum("nii->ni", matrices)[...] += added[block]
        sign, log_det[block] = np.linalg.slogdet(matrices)
        singular = ~((sign > 0) & np.isfinite(log_det[block]))
        matrices[singular] = np.eye(d)
        # |M − pull y yᵀ| = |M| (1 − pull yᵀ M⁻¹ y): `kept` says what rounding leaves.
        vectors = np.concatenate([y[None, block], v[:, block]]).transpose(1, 2, 0)
        solved = np.linalg.solve(matrices, vectors)
        across = np.einsum("nd,ndq->qn", y[block], solved)
        kept[block] = 1.0 - pull[block] * across[0]
        squares[:, block] = np.einsum("ndq,ndq->qn", vectors, solved)[1:]
        squares[:, block] += pull[block] / kept[block] * np.square(across[1:])
        kept[block][singular] = 0.0
    return squares, log_det + np.log(kept), kept
