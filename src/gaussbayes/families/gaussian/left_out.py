"""Rows left out one at a time, in closed form: their log densities by what the others leave.

Without a row the scatter of its class loses one outer product. In coordinates in which the scatter
was diagonal (`ScatterFrame`), what is left is diagonal but for that product (`Rest`), and its
inverse and determinant follow from the Sherman-Morrison formula, at d operations a row. With
``scatter' = D − pull y yᵀ`` and the leverage ``h = pull yᵀ D⁻¹ y``, for any deviation u::

    uᵀ scatter'⁻¹ u = uᵀ D⁻¹ u + pull (uᵀ D⁻¹ y)² / (1 − h)
    log |scatter'| = Σ log D + log (1 − h)

Shrinkage towards the spherical target keeps these coordinates. The diagonal target changes with
every row: there `solve_each` factors a matrix for each row, unless the units are given; in these
the target is spherical.

A row that takes nearly everything with it, such as one far from all others, would leave only
rounding behind: such rows are called unreliable, and have to be refitted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import Divisor, FloatArray, ScatterLayout
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.gaussian.shrinkage import (
    Shrinkage,
    oas_intensity,
    shrink,
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
"""Different weights of rows for which coordinates are made."""

_TOGETHER = 1 << 18
"""Entries of matrices that are factored in one step."""

MOST_EACH = 1 << 22
"""Operations up to which a matrix is factored for each row also if the units may be given."""

Reliable: TypeAlias = NDArray[np.bool_]

_Formula: TypeAlias = Callable[[FloatArray, Removal, FloatArray, Reliable], None]
"""Rows (n, d) and their removal; writes −2 log densities (s, n, k), and what is not reliable."""


def left_out(
    family: "Gaussian",
    statistics: GaussianStatistics,
    path: Sequence["Gaussian"],
    targets: Targets,
    names: Schema,
    completion: Any = None,
) -> LeftOut | None:
    """A closed form for rows left out one at a time; None where there is none.

    There is none for rows with missing values, and for some full covariances shrunk towards the
    pooled one; see `has_closed_form`. Log densities are up to a term of the row. Of a family of
    the path that has no density, no row is reliable.
    """
    del family, completion  # what matters is in the path, and in complete rows
    weights, moments = targets.weights, statistics.moments
    few = few_matrices(moments, targets)
    if not statistics.is_complete or not all(
        _by_rows(member, few) or has_closed_form(member.structure, member.shrinkage, weights)
        for member in path
    ):
        return None
    formulas, stop = [], 0
    for _, group in groupby(
        path,
        lambda each: (
            each.structure,
            each.divisor,
            bool(each.shrinkage),
            each.target,
            _by_rows(each, few),
        ),
    ):
        members, start = list(group), stop
        stop += len(members)
        formula = _formula(moments, weights, names, members, by_rows=_by_rows(members[0], few))
        formulas.append((slice(start, stop), formula))

    def log_densities(rows: Rows, removal: Removal) -> tuple[FloatArray, Reliable]:
        X = rows.matrix.astype(np.float64, copy=False)
        log_density = np.zeros((len(path), len(X), moments.n_classes))
        reliable = np.repeat(removal.sound[None], len(path), axis=0)
        with np.errstate(all="ignore"):  # what overflows or vanishes here is not reliable
            for places, formula in formulas:
                formula(X, removal, log_density[places], reliable[places])
        log_density *= -0.5
        return log_density, reliable

    return log_densities


def has_closed_form(structure: Structure, shrinkage: Shrinkage, weights: FloatArray | None) -> bool:
    """Whether complete rows of these weights can be left out without fitting again for each.

    All can but for some full covariances shrunk towards the pooled one: those shrunk by intensities
    that change with every row, and those of rows of many different weights.
    """
    if not structure.between or not structure.shape.correlated:
        return True
    return shrinkage != "oas" and (weights is None or np.unique(weights).size <= MOST_WEIGHTS)


def _has_units(family: "Gaussian") -> bool:
    """Whether covariances are shrunk in units of the features' deviations."""
    shrunk = bool(family.shrinkage) and not family.structure.shape.isotropic
    return shrunk and family.target == "diagonal"


def few_matrices(moments: ClassMoments, targets: Targets) -> bool:
    """Whether it takes no time to factor a matrix for each row and class."""
    n, k, d = targets.labels.shape[0], moments.n_classes, moments.n_features
    return bool(n * k * d * d * (d + 16) <= MOST_EACH)


def _by_rows(family: "Gaussian", few: bool) -> bool:
    """Whether each row that is left out changes the units."""
    by_rows = few or not family.units_given
    return _has_units(family) and by_rows


def _formula(
    moments: ClassMoments,
    weights: FloatArray | None,
    names: Schema,
    members: Sequence["Gaussian"],
    *,
    by_rows: bool,
) -> _Formula:
    """What is written of families that differ in intensities only: all are shrunk, or none is."""
    structure = members[0].structure
    # A spherical covariance is a diagonal one, shrunk as far as can be.
    isotropic = structure.shape.isotropic
    shrinkages = [1.0 if isotropic else member.shrinkage or None for member in members]
    unit = np.sqrt(target_of(moments)) if _has_units(members[0]) else np.ones(moments.n_features)
    path = _Path(moments, structure, members[0].divisor, shrinkages, unit)
    if by_rows:
        return path.each
    try:
        if not structure.between:
            frame = path.frame(names)
            return partial(path.shared if structure.shared else path.own, frame)
        if structure.shape.correlated:
            return partial(path.mixed, path.mixtures(weights, names))
    except SingularCovarianceError:  # on the brink, if at all: whether it is, each fit has to say
        return _nothing
    return path.mixed_variances


def _nothing(X: FloatArray, removal: Removal, out: FloatArray, reliable: Reliable) -> None:
    del X, removal, out
    reliable[...] = False


@dataclass(frozen=True, slots=True, eq=False)
class ScatterFrame:
    """Coordinates ``y = (x − mean) basis``, one set for each class or one for all (m).

    In them the scatter is diagonal. Without shrinkage a full scatter is whitened by its
    correlations' Cholesky factor, whatever the units. Shrinkage is towards a multiple of the
    identity in the units that the user has chosen; only the scatter's eigenvectors stay the same
    for every intensity, and with every row taken out.
    """

    basis: FloatArray | None  # (m, d, d), in columns; None: the features as they are
    spread: FloatArray  # (m, d) the scatter's diagonal in these coordinates
    log_scale: FloatArray  # (m,) by how much log |scatter| exceeds Σ log spread
    full: bool

    def turn(self, deviation: FloatArray, which: int) -> FloatArray:
        """Deviations from a mean (n, d) in the coordinates of one class."""
        return deviation if self.basis is None else np.asarray(deviation @ self.basis[which])


def white_frame(
    covariance: FloatArray, names: Schema, divide: FloatArray | float = 1.0
) -> ScatterFrame:
    """Coordinates in which covariances (m, d, d), scatters over `divide` (m,), are the identity."""
    whitener, log_det = factor(covariance, names)
    spread = np.ones(whitener.shape[:2]) * np.reshape(divide, (-1, 1))
    return ScatterFrame(whitener.transpose(0, 2, 1), spread, log_det, full=True)


def principal_frame(scatter: FloatArray, names: Schema) -> ScatterFrame:
    """The principal axes of scatters (m, d, d), in units of the mean square."""
    d = scatter.shape[-1]
    unit = _positive(np.einsum("mii->m", scatter) / d)
    axes = [_axes(matrix, names) for matrix in scatter / unit[:, None, None]]
    basis = np.stack([directions for directions, _ in axes]) / np.sqrt(unit)[:, None, None]
    return ScatterFrame(
        basis, np.stack([spread for _, spread in axes]), d * np.log(unit), full=True
    )


def _axes(scatter: FloatArray, names: Schema) -> tuple[FloatArray, FloatArray]:
    """Principal axes (d, d), in columns, and the scatter (d,) along them.

    With the Cholesky factor ``L = A σ Bᵀ`` the axes are A, and ``A = L⁻ᵀ B σ``. Each row of L⁻ᵀ
    has the scale of its feature, so that axes along which the scatter is 1e12 times smaller than
    along others keep their digits. `eigh` would lose them; it is for scatters without a factor.
    """
    try:
        whitener = factor(scatter[None], names)[0][0]
    except SingularCovarianceError:
        spread, axes = np.linalg.eigh(scatter)
        # Rounding may leave an eigenvalue of 0 just below it.
        return axes, np.maximum(spread, 0.0)
    scale = np.sqrt(np.diagonal(scatter))
    lower = scale[:, None] * np.linalg.cholesky(scatter / scale[:, None] / scale)
    _, root, turn = np.linalg.svd(lower)
    return whitener.T @ (turn.T * root), np.square(root)


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """What is left without each of some rows: ``diag spread − pull y yᵀ``.

    In the coordinates of a `ScatterFrame` the scatter is diagonal, with entries λ, and a row's
    deviation from its mean is y. Without the row, and shrunk by the intensity s, a full scatter is

        (1 − s) (diag λ − factor y yᵀ) + s (t / d) I = diag D − pull y yᵀ

    with ``t = Σ λ − factor Σ y²``, ``D = (1 − s) λ + s t / d`` and ``pull = (1 − s) factor``. A
    diagonal scatter loses ``factor y²`` and stays diagonal.
    """

    spread: FloatArray  # (n, d), or (1, d) if it is the same without any of them
    pull: FloatArray  # (n,)
    kept: FloatArray  # (n,) the least proportion that is left of any sum; ≤ 0 if nothing is

    def enough(self, after: FloatArray) -> Reliable:
        """Whether enough is left of every sum that something was taken from (n,)."""
        return np.minimum(self.kept, after) > LEAST_LEFT


def rest_of(
    frame: ScatterFrame,
    which: int,
    y: FloatArray,
    factors: FloatArray,
    weight: FloatArray,
    shrinkage: Shrinkage,
) -> Rest:
    """Take rows out of a scatter, one at a time, and shrink what is left.

    The rows deviate by y (n, d) from the mean of their class, in the coordinates of the frame; an
    outer product counts `factors` (n,), and what is left is the scatter of rows of `weight` (n,).
    """
    spread, squares = frame.spread[which], np.square(y)
    if not frame.full:
        squares *= factors[:, None]
        rest = np.subtract(spread, squares, out=squares)
        shrunk = shrink(rest, shrinkage, weight)
        kept = (shrunk / shrink(spread[None], shrinkage, weight[:1])).min(axis=1)
        if shrinkage is not None:
            kept = np.minimum(kept, rest.sum(axis=1) / spread.sum())
        return Rest(shrunk, np.zeros_like(factors), kept)
    everything = np.ones(y.shape[0])
    if shrinkage is None:
        return Rest(spread[None], factors, everything)
    length = squares.sum(axis=1)
    trace = spread.sum() - factors * length
    kept = trace / spread.sum()
    if shrinkage == "oas":
        before = np.square(spread).sum()
        after = before - 2.0 * factors * (squares @ spread) + np.square(factors * length)
        kept = np.minimum(kept, after / before)
        intensity = _oas_by_traces(trace, after, spread.size, weight)
    else:
        intensity = everything * float(shrinkage)
    shrunk = (1.0 - intensity)[:, None] * spread + (intensity * trace / spread.size)[:, None]
    return Rest(shrunk, (1.0 - intensity) * factors, kept)


def _oas_by_traces(
    trace: FloatArray, squares: FloatArray, d: int, weight: FloatArray
) -> FloatArray:
    """The intensity (n,) of scatters known by ``tr S`` and ``tr S²`` alone.

    It depends on nothing else: one entry ``1 + (d − 1) b`` and d − 1 entries ``1 − b`` have the
    trace d and the sum of squares ``d + d (d − 1) b²``, which is theirs for the right b.
    """
    apart = squares / np.square(trace / d) - d
    b = np.sqrt(np.maximum(apart, 0.0) / (d * max(d - 1, 1)))
    alike = np.repeat((1.0 - b)[:, None], d, axis=1)
    alike[:, 0] = 1.0 + (d - 1) * b
    return oas_intensity(alike, weight)


# The covariances of a path of families: own ones, a shared one, and between
#
# With ``M_c = (1 − λ) S_c / n_c + λ S / n``, S_c the scatter of class c and S that of all, a row of
# class b at z from its mean takes ``factor z zᵀ`` out of S_b and out of S. Once n is that without
# the row, and n_b too if c is b, the covariance of every class is diagonal but for one outer
# product, in coordinates in which M_c is diagonal:
#
#     c ≠ b:  M_c − λ factor / n  z zᵀ
#     c = b:  M_b − ((1 − λ) factor / n_b + λ factor / n)  z zᵀ
#
# There are two sets of coordinates for each class, and these for each weight that a row may have.
# Without correlations there are none: variances are taken out feature by feature.


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """Families that differ in shrinkage only, and the moments of all rows.

    Everything is computed with in units of the features.
    """

    moments: ClassMoments
    structure: Structure
    divisor: Divisor
    shrinkages: Sequence[Shrinkage]
    unit: FloatArray  # (d,)

    def deviation(self, X: FloatArray, code: int | NDArray[np.intp]) -> FloatArray:
        """How far rows (n, d) are from the mean of a class, or each of its own."""
        deviation = self.moments.deviation(X, code)
        deviation /= self.unit
        return deviation

    def scatters(self, layout: ScatterLayout, *, shared: bool) -> FloatArray:
        """The scatters (m, d, d) or (m, d)."""
        scatter = self.moments.scatters(layout, shared=shared)
        unit = self.unit[:, None] * self.unit if layout == "full" else np.square(self.unit)
        return np.asarray(scatter / unit)

    def frame(self, names: Schema) -> ScatterFrame:
        """The coordinates for covariances at either end: own ones, or a shared one."""
        moments, shape, shared = self.moments, self.structure.shape, self.structure.shared
        scatter = self.scatters(shape.layout, shared=shared)
        if not shape.correlated:
            return ScatterFrame(None, scatter, np.zeros(scatter.shape[0]), full=False)
        if self.shrinkages[0]:
            return principal_frame(scatter, names)
        weight = self.structure.weights(moments.weight)
        divide = degrees(weight, self.divisor, moments.n_classes if shared else 1)
        return white_frame(shape.from_scatter(scatter, _positive(divide)), names, divide)

    def own(
        self,
        frame: ScatterFrame,
        X: FloatArray,
        removal: Removal,
        out: FloatArray,
        reliable: Reliable,
    ) -> None:
        """Only the class of the row itself changes without it."""
        moments, d = self.moments, X.shape[1]
        for c in range(moments.n_classes):
            y = frame.turn(self.deviation(X, c), c)
            # Rows of other classes: the model is that of all rows.
            weight, spread = moments.weight[c : c + 1], frame.spread[c : c + 1]
            whole = np.concatenate([shrink(spread, value, weight) for value in self.shrinkages])
            whole /= degrees(weight, self.divisor, 1)
            out[:, :, c] = (np.square(y) @ (1.0 / whole).T).T
            out[:, :, c] += (np.log(whole).sum(axis=1) + frame.log_scale[c])[:, None]
            # Rows of this class: it is what they leave behind. There may be none among these.
            which, mine = removal.of_class(c)
            if not which.size:
                continue
            y = y[which]
            divide = degrees(mine.weight, self.divisor, 1)
            for place, shrinkage in enumerate(self.shrinkages):
                rest = rest_of(frame, c, y, mine.factor, mine.weight, shrinkage)
                length = np.einsum("nj->n", np.square(y) / rest.spread)
                after = 1.0 - rest.pull * length
                log_det = np.einsum("nj->n", np.log(rest.spread)) + np.log(after)
                log_det += frame.log_scale[c]
                distance = divide * np.square(mine.stretch) * length / after
                out[place, which, c] = log_det - d * np.log(divide) + distance
                reliable[place, which] &= rest.enough(after) & (divide > 0)

    def shared(
        self,
        frame: ScatterFrame,
        X: FloatArray,
        removal: Removal,
        out: FloatArray,
        reliable: Reliable,
    ) -> None:
        """Every row has a part in the one covariance, whose determinant all have in common."""
        (n, _), k = X.shape, self.moments.n_classes
        apart = np.empty((k, *X.shape))
        for c in range(k):
            apart[c] = frame.turn(self.deviation(X, c), 0)
        rows = np.arange(n)
        y = apart[removal.codes, rows]
        apart[removal.codes, rows] *= removal.stretch[:, None]  # (k, n, d)
        divide = degrees(removal.total, self.divisor, k)
        for place, shrinkage in enumerate(self.shrinkages):
            rest = rest_of(frame, 0, y, removal.factor, removal.total, shrinkage)
            inverse = 1.0 / rest.spread
            distance = np.einsum("cnj,cnj->nc", apart * inverse, apart)
            inverse = inverse * y
            after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
            if frame.full:
                across = np.einsum("cnj,nj->nc", apart, inverse)
                distance += (rest.pull / after)[:, None] * np.square(across)
            out[place] = divide[:, None] * distance
            reliable[place] &= rest.enough(after) & (divide > 0)

    def mixtures(
        self, weights: FloatArray | None, names: Schema
    ) -> list[tuple[float, ScatterFrame, ScatterFrame]]:
        """Rows' weights, and coordinates in which mixtures without such a row are diagonal.

        The first are those of the classes that the row is not of, the others of its own.
        """
        moments, sharing = self.moments, self.structure.sharing
        scatter = self.scatters("full", shared=False)
        make = principal_frame if self.shrinkages[0] else white_frame
        pooled = sharing * scatter.sum(axis=0)
        mixtures = []
        for weight in (1.0,) if weights is None else np.unique(weights).tolist():
            total = moments.weight.sum() - weight
            everything = _positive(degrees(total, self.divisor, moments.n_classes))
            before = degrees(moments.weight, self.divisor, 1)
            after = degrees(moments.weight - weight, self.divisor, 1)
            # Rows that leave nothing behind are not computed with: any number will do.
            after = np.where(after > 0, after, before)
            others, same = (
                make((1.0 - sharing) * scatter / divide[:, None, None] + pooled / everything, names)
                for divide in (before, after)
            )
            mixtures.append((weight, others, same))
        return mixtures

    def mixed(
        self,
        mixtures: Sequence[tuple[float, ScatterFrame, ScatterFrame]],
        X: FloatArray,
        removal: Removal,
        out: FloatArray,
        reliable: Reliable,
    ) -> None:
        """Full covariances shrunk towards the pooled one; no ``"oas"``."""
        moments, sharing = self.moments, self.structure.sharing
        divide, everything = self._divided(removal, reliable)
        from_shared = sharing * removal.factor / everything
        from_both = (1.0 - sharing) * removal.factor / divide + from_shared
        z = self.deviation(X, removal.codes)
        for weight, others, same in mixtures:
            alike = removal.lost == weight
            for c in range(moments.n_classes):
                of_class = removal.codes == c
                for frame, which, pull in (
                    (others, np.flatnonzero(alike & ~of_class), from_shared),
                    (same, np.flatnonzero(alike & of_class), from_both),
                ):
                    if not which.size:
                        continue
                    y = frame.turn(z[which], c)
                    if frame is same:
                        u = y * removal.stretch[which, None]
                    else:
                        u = frame.turn(self.deviation(X[which], c), c)
                    for place, shrinkage in enumerate(self.shrinkages):
                        rest = rest_of(frame, c, y, pull[which], pull[which], shrinkage)
                        inverse = 1.0 / rest.spread
                        distance = np.einsum("nj,nj->n", u * inverse, u)
                        inverse = inverse * y
                        after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
                        across = np.einsum("nj,nj->n", inverse, u)
                        distance += rest.pull / after * np.square(across)
                        log_det = np.einsum("nj->n", np.log(rest.spread)) + np.log(after)
                        out[place, which, c] = distance + (log_det + frame.log_scale[c])
                        reliable[place, which] &= rest.enough(after)

    def mixed_variances(
        self, X: FloatArray, removal: Removal, out: FloatArray, reliable: Reliable
    ) -> None:
        """Diagonal covariances shrunk towards the pooled one."""
        moments, sharing, k = self.moments, self.structure.sharing, self.moments.n_classes
        scatter, weight = self.scatters("diagonal", shared=False), moments.weight
        divide, everything = self._divided(removal, reliable)
        lost = removal.factor[:, None] * np.square(self.deviation(X, removal.codes))
        pooled = scatter.sum(axis=0, keepdims=True)
        total = weight.sum(keepdims=True)
        squares = np.stack([np.square(self.deviation(X, c)) for c in range(k)])  # (k, n, d)
        squares[removal.codes, np.arange(len(X))] *= np.square(removal.stretch)[:, None]
        for place, shrinkage in enumerate(self.shrinkages):
            scale = sharing / everything[:, None]
            shared = scale * shrink(pooled - lost, shrinkage, removal.total)  # (n, d)
            shared_before = scale * shrink(pooled, shrinkage, total)
            whole = shrink(scatter, shrinkage, weight) * (1.0 - sharing)  # (k, d)
            for c in range(k):
                variance = shared + whole[c] / degrees(weight[c : c + 1], self.divisor, 1)
                mine = np.flatnonzero(removal.codes == c)
                if mine.size:
                    rest, left = scatter[c] - lost[mine], divide[mine, None]
                    shrunk = (1.0 - sharing) * shrink(rest, shrinkage, removal.weight[mine])
                    variance[mine] = shared[mine] + shrunk / left
                    before = shared_before[mine] + whole[c] / left
                    reliable[place, mine] &= _enough(variance[mine], before, rest, scatter[c])
                out[place, :, c] = (squares[c] / variance + np.log(variance)).sum(axis=1)
            reliable[place] &= _enough(shared, shared_before, pooled - lost, pooled)

    def each(self, X: FloatArray, removal: Removal, out: FloatArray, reliable: Reliable) -> None:
        """Covariances shrunk in units that change with every row."""
        moments, structure, k = self.moments, self.structure, self.moments.n_classes
        everything = degrees(removal.total, self.divisor, k)
        divide = everything if structure.shared else degrees(removal.weight, self.divisor, 1)
        reliable &= (divide > 0) & (everything > 0)
        layout, sharing, rows = structure.shape.layout, structure.sharing, np.arange(len(X))
        pooled = self.scatters(layout, shared=True)[0]
        own = pooled[None] if structure.shared else self.scatters(layout, shared=False)
        y = self.deviation(X, removal.codes)
        apart = np.stack([self.deviation(X, c) for c in range(k)])
        apart[removal.codes, rows] *= removal.stretch[:, None]  # (k, n, d)
        _, target, sure = targets_without(moments, self.unit, X, removal)
        reliable &= sure
        for place, shrinkage in enumerate(self.shrinkages):
            taken = _Taken(pooled, y, removal.factor, target)
            b, all_added, sure = taken.shrunk(shrinkage, removal.total)
            reliable[place] &= sure
            b, all_added = sharing * b / everything, all_added * (sharing / everything)[:, None]
            for c in range(1 if structure.shared else k):
                a, added, pull = np.zeros(len(X)), all_added, b * removal.factor
                if not structure.shared:
                    mine = removal.codes == c
                    weight = np.where(mine, removal.weight, moments.weight[c])
                    by = np.where(mine, divide, _positive(degrees(weight, self.divisor, 1)))
                    taken = _Taken(own[c], y, removal.factor * mine, target)
                    a, own_added, sure = taken.shrunk(shrinkage, weight)
                    reliable[place] &= sure
                    a = (1.0 - sharing) * a / by
                    added = added + own_added * ((1.0 - sharing) / by)[:, None]
                    pull = pull + a * removal.factor * mine
                v = apart if structure.shared else apart[c : c + 1]
                squares, log_det, rest = solve_each(own[c], pooled, a, b, added, pull, y, v)
                which = slice(None) if structure.shared else slice(c, c + 1)
                out[place, :, which] = (squares + log_det).T
                reliable[place] &= rest > LEAST_LEFT

    def _divided(self, removal: Removal, reliable: Reliable) -> tuple[FloatArray, FloatArray]:
        """What scatters without a row are divided by (n,), own and pooled."""
        by_class = degrees(removal.weight, self.divisor, 1)
        pooled = degrees(removal.total, self.divisor, self.moments.n_classes)
        reliable &= (by_class > 0) & (pooled > 0)
        return _positive(by_class), _positive(pooled)


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
        inverse = 1.0 / self.target
        variance = np.diagonal(self.scatter) if self.scatter.ndim == 2 else self.scatter
        lost = self.pull[:, None] * np.square(self.y)
        before = inverse @ variance
        trace = ((variance - lost) * inverse).sum(axis=1)
        sure = trace >= LEAST_LEFT * before
        if isinstance(shrinkage, str):
            squares, first = self._squares(inverse, variance, lost)
            sure &= squares >= LEAST_LEFT * first
            intensity = _oas_by_traces(trace, squares, d, weight)
        else:
            intensity = np.full(n, float(shrinkage or 0.0))
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
    squares, log_det, rest = np.empty((len(v), n)), np.empty(n), np.empty(n)
    if own.ndim == 1:
        whole = a[:, None] * own + b[:, None] * pooled + added
        left = whole - pull[:, None] * np.square(y)
        squares[...] = (np.square(v) / left).sum(axis=2)
        return squares, np.log(left).sum(axis=1), (left / whole).min(axis=1)
    for some in ranges(n, max(1, _TOGETHER // (d * d))):
        matrices = a[some, None, None] * own + b[some, None, None] * pooled
        np.einsum("nii->ni", matrices)[...] += added[some]
        sign, log_det[some] = np.linalg.slogdet(matrices)
        singular = ~((sign > 0) & np.isfinite(log_det[some]))
        matrices[singular] = np.eye(d)
        # |M − pull y yᵀ| = |M| (1 − pull yᵀ M⁻¹ y): the rest says what rounding leaves.
        vectors = np.concatenate([y[None, some], v[:, some]]).transpose(1, 2, 0)
        solved = np.linalg.solve(matrices, vectors)
        across = np.einsum("nd,ndq->qn", y[some], solved)
        rest[some] = 1.0 - pull[some] * across[0]
        squares[:, some] = np.einsum("ndq,ndq->qn", vectors, solved)[1:]
        squares[:, some] += pull[some] / rest[some] * np.square(across[1:])
        rest[some][singular] = 0.0
    return squares, log_det + np.log(rest), rest


def _positive(divide: FloatArray) -> FloatArray:
    return np.where(divide > 0, divide, 1.0)


def _enough(
    variance: FloatArray, before: FloatArray, rest: FloatArray, scatter: FloatArray
) -> Reliable:
    """Whether enough is left (n,) of every variance, and of the trace of the scatter."""
    trace = scatter.sum()
    left = rest.sum(axis=1) / trace if trace > 0 else np.ones(rest.shape[0])
    return np.asarray(np.minimum((variance / before).min(axis=1), left) > LEAST_LEFT)
