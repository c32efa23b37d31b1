"""Rows left out one at a time, in closed form: their log densities by what the others leave.

Without a row the scatter of its class loses one outer product. In coordinates in which the scatter
was diagonal (`Frame`), what is left is diagonal but for that product (`Rest`), and its inverse and
determinant follow from the Sherman-Morrison formula, at d operations a row. With
``scatter' = D − pull y yᵀ`` and the leverage ``h = pull yᵀ D⁻¹ y``, for any deviation u::

    uᵀ scatter'⁻¹ u = uᵀ D⁻¹ u + pull (uᵀ D⁻¹ y)² / (1 − h)
    log |scatter'| = Σ log D + log (1 − h)

A row that takes nearly everything with it, such as one far from all others, would leave only
rounding behind: such rows are called unreliable, and have to be refitted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.gaussian.factor import factor
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shrinkage import Shrinkage, oas_intensity, shrink
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import LEAST_LEFT, Removal, degrees

MOST_WEIGHTS = 16
"""Different weights of rows for which coordinates are made."""

Result: TypeAlias = tuple[FloatArray, NDArray[np.bool_]]
"""Log densities (s, n, k) up to a term of the row, and whether they are reliable (s, n)."""

_Densities: TypeAlias = Callable[[FloatArray, Removal], Result]


class _Settings(Protocol):
    """What of a family matters here."""

    @property
    def structure(self) -> Structure: ...
    @property
    def divisor(self) -> Divisor: ...
    @property
    def shrinkage(self) -> Shrinkage: ...


def left_out(
    family: _Settings,
    statistics: GaussianStatistics,
    path: Sequence[_Settings],
    targets: Targets,
    names: Schema,
) -> LeftOut | None:
    """A closed form for rows left out one at a time; None where there is none.

    There is none for rows with missing values, and for some full covariances shrunk towards the
    pooled one; see `has_closed_form`.

    Parameters
    ----------
    statistics : of the rows that are left out
    path : families for which the rows are left out, all at once. Of one that has no density, no
        row is reliable.
    targets : of the same rows

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from gaussbayes.data.rows import number_rows
    >>> from gaussbayes.families.gaussian.statistics import observe
    >>> from gaussbayes.families.removal import remove
    >>> X, codes = np.array([[1.0], [3.0], [2.0], [6.0], [7.0]]), np.array([0, 0, 0, 1, 1])
    >>> statistics = observe(X, codes.astype(np.int32), None, 2, "full")
    >>> qda = SimpleNamespace(structure=Structure(), divisor="unbiased", shrinkage=None)
    >>> targets = Targets(codes, 2)
    >>> function = left_out(qda, statistics, [qda], targets, Schema(np.arange(2), 1))
    >>> log_density, _ = function(number_rows(X[2:3]), remove(codes[2:3], np.ones(1),
    ...     statistics.weight))
    >>> (-2 * log_density).round(4).tolist()  # log variance + (x − mean)² / variance
    [[[0.6931, 39.8069]]]
    """
    del family  # what matters is in the path
    weights, moments = targets.weights, statistics.moments
    if not statistics.is_complete or not all(
        has_closed_form(member.structure, member.shrinkage, weights) for member in path
    ):
        return None
    groups: dict[tuple[Structure, Divisor, bool], list[int]] = {}
    for place, member in enumerate(path):
        key = member.structure, member.divisor, bool(member.shrinkage)
        groups.setdefault(key, []).append(place)
    functions = [
        (places, _densities(moments, weights, names, [path[place] for place in places]))
        for places in groups.values()
    ]

    def log_densities(rows: Rows, removal: Removal) -> Result:
        X = rows.matrix.astype(np.float64)
        with np.errstate(all="ignore"):  # what overflows or vanishes here is not reliable
            if len(functions) == 1:
                return functions[0][1](X, removal)
            log_density = np.empty((len(path), X.shape[0], moments.n_classes))
            reliable = np.empty(log_density.shape[:2], dtype=np.bool_)
            for places, function in functions:
                log_density[places], reliable[places] = function(X, removal)
        return log_density, reliable

    return log_densities


def has_closed_form(structure: Structure, shrinkage: Shrinkage, weights: FloatArray | None) -> bool:
    """Whether complete rows of these weights can be left out without fitting again for each.

    All can but for some full covariances shrunk towards the pooled one: those shrunk by
    intensities that change with every row, and those of rows of many different weights.

    Examples
    --------
    >>> between = Structure("full", 0.5)
    >>> has_closed_form(between, 0.3, None), has_closed_form(between, "oas", None)
    (True, False)
    """
    if not structure.between or not structure.shape.correlated:
        return True
    return shrinkage != "oas" and (weights is None or np.unique(weights).size <= MOST_WEIGHTS)


def _densities(
    moments: ClassMoments, weights: FloatArray | None, names: Schema, members: Sequence[_Settings]
) -> _Densities:
    """What gives log densities for families that differ in their intensities only.

    Either all are shrunk, or none is.
    """
    structure, divisor = members[0].structure, members[0].divisor
    shape, sharing = structure.shape, structure.sharing
    # A spherical covariance is a diagonal one, shrunk as far as can be.
    shrinkages = [1.0 if shape.isotropic else member.shrinkage or None for member in members]
    if structure.between and not shape.correlated:
        return lambda X, removal: _mixed_variances(
            X, removal, moments, sharing, divisor, shrinkages
        )
    try:
        if structure.between:
            mixtures = _mixtures(
                moments, weights, names, sharing, divisor, shrunk=bool(shrinkages[0])
            )
            return lambda X, removal: _mixed_densities(
                X, removal, moments, mixtures, sharing, divisor, shrinkages
            )
        frame = _frame(moments, structure, divisor, names, shrunk=bool(shrinkages[0]))
    except SingularCovarianceError:  # on the brink, if at all: whether it is, each fit has to say
        return lambda X, _: _unreliable(len(members), X.shape[0], moments.n_classes)
    known = _shared_densities if structure.shared else _own_densities
    return lambda X, removal: known(X, removal, moments, frame, divisor, shrinkages)


def _unreliable(s: int, n: int, k: int) -> Result:
    return np.zeros((s, n, k)), np.zeros((s, n), dtype=np.bool_)


# Coordinates in which a scatter is diagonal


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Coordinates ``y = (x − mean) basis``, one set for each class or one for all (m).

    In them the scatter is diagonal. A row taken out of a full scatter takes all of ``y yᵀ`` with
    it, one taken out of a diagonal scatter only the squares.

    Without shrinkage a full scatter is whitened by its correlations' Cholesky factor, whatever the
    units. Shrinkage is towards a multiple of the identity in the units that the user has chosen;
    only the scatter's eigenvectors stay the same for every intensity, and with every row taken
    out.
    """

    basis: FloatArray | None  # (m, d, d), in columns; None: the features as they are
    spread: FloatArray  # (m, d) the scatter's diagonal in these coordinates
    log_scale: FloatArray  # (m,) by how much log |scatter| exceeds Σ log spread
    full: bool

    def turn(self, deviation: FloatArray, which: int) -> FloatArray:
        """Deviations from a mean (n, d) in the coordinates of one class."""
        if self.basis is None:
            return deviation
        turned: FloatArray = deviation @ self.basis[which]
        return turned


def _frame(
    moments: ClassMoments, structure: Structure, divisor: Divisor, names: Schema, *, shrunk: bool
) -> Frame:
    """The coordinates for covariances at either end: own ones, or a shared one."""
    shape, shared = structure.shape, structure.shared
    scatter = moments.scatters(shape.layout, shared=shared)
    if not shape.correlated:
        return Frame(None, scatter, np.zeros(scatter.shape[0]), full=False)
    if shrunk:
        return principal_frame(scatter, names)
    weight = moments.weight.sum(keepdims=True) if shared else moments.weight
    divide = degrees(weight, divisor, moments.n_classes if shared else 1)
    covariance = shape.from_scatter(scatter, _positive(divide))
    return white_frame(covariance, names, divide)


def white_frame(covariance: FloatArray, names: Schema, divide: FloatArray | float = 1.0) -> Frame:
    """Coordinates in which covariances (m, d, d), scatters over `divide` (m,), are the identity.

    Examples
    --------
    >>> frame = white_frame(np.array([[[4.0]]]), Schema(np.arange(1), 1), np.array([10.0]))
    >>> frame.turn(np.array([[6.0]]), 0).tolist(), frame.spread.tolist()
    ([[3.0]], [[10.0]])
    """
    whitener, log_det = factor(covariance, names)
    spread = np.ones(whitener.shape[:2]) * np.reshape(divide, (-1, 1))
    return Frame(whitener.transpose(0, 2, 1), spread, log_det, full=True)


def principal_frame(scatter: FloatArray, names: Schema) -> Frame:
    """The principal axes of scatters (m, d, d), in units of the mean square.

    Examples
    --------
    >>> frame = principal_frame(np.array([[[8.0, 0.0], [0.0, 2.0]]]), Schema(np.arange(1), 2))
    >>> frame.spread.tolist()
    [[1.6, 0.4]]
    """
    d = scatter.shape[-1]
    unit = _positive(np.einsum("mii->m", scatter) / d)
    axes = [_axes(matrix, names) for matrix in scatter / unit[:, None, None]]
    basis = np.stack([directions for directions, _ in axes]) / np.sqrt(unit)[:, None, None]
    return Frame(basis, np.stack([spread for _, spread in axes]), d * np.log(unit), full=True)


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


# A scatter without a row


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """What is left without each of some rows: ``diag spread − pull y yᵀ``.

    In the coordinates of a `Frame` the scatter is diagonal, with entries λ, and a row's deviation
    from its mean is y. Without the row, and shrunk by the intensity s, a full scatter is

        (1 − s) (diag λ − factor y yᵀ) + s (t / d) I = diag D − pull y yᵀ

    with ``t = Σ λ − factor Σ y²``, ``D = (1 − s) λ + s t / d`` and ``pull = (1 − s) factor``. A
    diagonal scatter loses ``factor y²`` and stays diagonal.
    """

    spread: FloatArray  # (n, d)
    pull: FloatArray  # (n,)
    kept: FloatArray  # (n,) the least proportion that is left of any sum; ≤ 0 if nothing is


def rest_of(
    frame: Frame,
    which: int,
    y: FloatArray,
    factors: FloatArray,
    weight: FloatArray,
    shrinkage: Shrinkage,
) -> Rest:
    """Take rows out of a scatter, one at a time, and shrink what is left.

    Parameters
    ----------
    y : (n, d) deviations of the rows from the mean of their class, in the coordinates of the frame
    factors : (n,) what an outer product counts; see `Removal`
    weight : (n,) of the rows that the scatter is then the scatter of

    Examples
    --------
    >>> single = np.ones(1)
    >>> frame = Frame(None, np.array([[4.0, 2.0]]), np.zeros(1), full=False)
    >>> rest = rest_of(frame, 0, np.array([[1.0, 1.0]]), single, 9 * single, 0.5)
    >>> rest.spread.tolist(), rest.pull.tolist()
    ([[2.5, 1.5]], [0.0])
    """
    spread = frame.spread[which]
    if not frame.full:
        return _rest_of_diagonal(spread, y, factors, weight, shrinkage)
    everything = np.ones(y.shape[0])
    if shrinkage is None:
        return Rest(np.broadcast_to(spread, y.shape), factors, everything)
    d = spread.size
    length = np.square(y).sum(axis=1)
    trace = spread.sum() - factors * length
    kept = trace / spread.sum()
    intensity = everything * (0.0 if shrinkage == "oas" else shrinkage)
    if shrinkage == "oas":
        before = np.square(spread).sum()
        squares = before - 2.0 * factors * (np.square(y) @ spread) + np.square(factors * length)
        kept = np.minimum(kept, squares / before)
        intensity = _oas_by_traces(trace, squares, d, weight)
    shrunk = (1.0 - intensity)[:, None] * spread + (intensity * trace / d)[:, None]
    return Rest(shrunk, (1.0 - intensity) * factors, kept)


def _rest_of_diagonal(
    spread: FloatArray,
    y: FloatArray,
    factors: FloatArray,
    weight: FloatArray,
    shrinkage: Shrinkage,
) -> Rest:
    lost = np.square(y)
    lost *= factors[:, None]
    rest = np.subtract(spread, lost, out=lost)
    before = shrink(spread[None], shrinkage, weight[:1])
    shrunk = shrink(rest, shrinkage, weight)
    kept: FloatArray = (shrunk / before).min(axis=1)
    if shrinkage is not None:
        kept = np.minimum(kept, rest.sum(axis=1) / spread.sum())
    return Rest(shrunk, np.zeros_like(factors), kept)


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


def _enough(rest: Rest, after: FloatArray, divide: FloatArray) -> NDArray[np.bool_]:
    """Whether enough is left of every sum that something was taken from (n,)."""
    return (np.minimum(rest.kept, after) > LEAST_LEFT) & (divide > 0)


# Own covariances, and a shared one


def _own_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    frame: Frame,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> Result:
    """Only the class of the row itself changes without it."""
    (n, d), k, s = X.shape, moments.n_classes, len(shrinkages)
    log_density = np.empty((s, n, k))
    reliable = np.repeat(removal.sound[None], s, axis=0)
    for c in range(k):
        y = frame.turn(moments.deviation(X, c), c)
        # Rows of other classes: the model is that of all rows.
        weight = moments.weight[c : c + 1]
        whole = np.concatenate(
            [shrink(frame.spread[c : c + 1], shrinkage, weight) for shrinkage in shrinkages]
        )
        whole /= degrees(weight, divisor, 1)
        log_density[:, :, c] = (np.square(y) @ (1.0 / whole).T).T
        log_density[:, :, c] += (np.log(whole).sum(axis=1) + frame.log_scale[c])[:, None]
        # Rows of this class: it is what they leave behind. There may be none among these.
        which, mine = removal.of_class(c)
        if not which.size:
            continue
        y = y[which]
        divide = degrees(mine.weight, divisor, 1)
        for place, shrinkage in enumerate(shrinkages):
            rest = rest_of(frame, c, y, mine.factor, mine.weight, shrinkage)
            length = (np.square(y) / rest.spread).sum(axis=1)
            after = 1.0 - rest.pull * length
            log_det = np.log(rest.spread).sum(axis=1) + np.log(after) + frame.log_scale[c]
            distance = divide * np.square(mine.stretch) * length / after
            log_density[place, which, c] = log_det - d * np.log(divide) + distance
            reliable[place, which] &= _enough(rest, after, divide)
    log_density *= -0.5
    return log_density, reliable


def _shared_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    frame: Frame,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> Result:
    """Every row has a part in the one covariance, whose determinant all classes have in common."""
    n, k, s = X.shape[0], moments.n_classes, len(shrinkages)
    log_density = np.empty((s, n, k))
    reliable = np.repeat(removal.sound[None], s, axis=0)
    apart = np.stack([frame.turn(moments.deviation(X, c), 0) for c in range(k)])  # (k, n, d)
    rows = np.arange(n)
    y = apart[removal.codes, rows]
    apart[removal.codes, rows] *= removal.stretch[:, None]
    divide = degrees(removal.total, divisor, k)
    for place, shrinkage in enumerate(shrinkages):
        rest = rest_of(frame, 0, y, removal.factor, removal.total, shrinkage)
        inverse = 1.0 / rest.spread
        distance = np.einsum("cnj,cnj,nj->nc", apart, apart, inverse)
        inverse *= y
        after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
        if frame.full:
            across = np.einsum("cnj,nj->nc", apart, inverse)
            distance += (rest.pull / after)[:, None] * np.square(across)
        log_density[place] = divide[:, None] * distance
        reliable[place] &= _enough(rest, after, divide)
    log_density *= -0.5
    return log_density, reliable


# Covariances shrunk towards the pooled one
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
class _Mixtures:
    """Coordinates in which the mixtures without a row of a certain weight are diagonal."""

    weight: float
    others: Frame  # (k) of the classes that the row is not of
    same: Frame  # (k) of its own class


def _mixtures(
    moments: ClassMoments,
    weights: FloatArray | None,
    names: Schema,
    sharing: float,
    divisor: Divisor,
    *,
    shrunk: bool,
) -> list[_Mixtures]:
    """The coordinates for rows of each weight.

    Raises
    ------
    SingularCovarianceError
        If a mixture is singular and not `shrunk`.
    """
    scatter, k = moments.scatters("full", shared=False), moments.n_classes
    make = principal_frame if shrunk else white_frame
    pooled = sharing * scatter.sum(axis=0)
    mixtures = []
    for weight in (1.0,) if weights is None else np.unique(weights).tolist():
        everything = _positive(degrees(moments.weight.sum() - weight, divisor, k))
        before = degrees(moments.weight, divisor, 1)
        after = degrees(moments.weight - weight, divisor, 1)
        # Rows that leave nothing behind are not computed with: any number will do.
        after = np.where(after > 0, after, before)
        others, same = (
            (1.0 - sharing) * scatter / divide[:, None, None] + pooled / everything
            for divide in (before, after)
        )
        mixtures.append(_Mixtures(weight, make(others, names), make(same, names)))
    return mixtures


def _mixed_densities(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    mixtures: Sequence[_Mixtures],
    sharing: float,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> Result:
    """Full covariances shrunk towards the pooled one; no ``"oas"``."""
    n, k, s = X.shape[0], moments.n_classes, len(shrinkages)
    log_density = np.empty((s, n, k))
    divide, everything, sound = _divided(removal, divisor, k)
    reliable = np.repeat(sound[None], s, axis=0)
    from_shared = sharing * removal.factor / everything
    from_both = (1.0 - sharing) * removal.factor / divide + from_shared
    z = _own_deviation(X, removal, moments)
    for mixture in mixtures:
        alike = removal.lost == mixture.weight
        for c in range(k):
            of_class = removal.codes == c
            for frame, which, pull in (
                (mixture.others, np.flatnonzero(alike & ~of_class), from_shared),
                (mixture.same, np.flatnonzero(alike & of_class), from_both),
            ):
                if not which.size:
                    continue
                y = frame.turn(z[which], c)
                if frame is mixture.same:
                    u = y * removal.stretch[which, None]
                else:
                    u = frame.turn(moments.deviation(X[which], c), c)
                for place, shrinkage in enumerate(shrinkages):
                    value, kept = _corrected(frame, c, u, y, pull[which], shrinkage)
                    log_density[place, which, c] = value
                    reliable[place, which] &= kept > LEAST_LEFT
    log_density *= -0.5
    return log_density, reliable


def _corrected(
    frame: Frame, c: int, u: FloatArray, y: FloatArray, pull: FloatArray, shrinkage: Shrinkage
) -> tuple[FloatArray, FloatArray]:
    """``uᵀ Σ⁻¹ u + log |Σ|`` (n,) for ``Σ = M_c − pull y yᵀ``, shrunk; and how much was kept."""
    rest = rest_of(frame, c, y, pull, pull, shrinkage)
    inverse = 1.0 / rest.spread
    distance = np.einsum("nj,nj,nj->n", u, u, inverse)
    inverse *= y
    after = 1.0 - rest.pull * np.einsum("nj,nj->n", inverse, y)
    distance += rest.pull / after * np.square(np.einsum("nj,nj->n", inverse, u))
    log_det = np.log(rest.spread).sum(axis=1) + np.log(after) + frame.log_scale[c]
    return distance + log_det, np.minimum(rest.kept, after)


def _mixed_variances(
    X: FloatArray,
    removal: Removal,
    moments: ClassMoments,
    sharing: float,
    divisor: Divisor,
    shrinkages: Sequence[Shrinkage],
) -> Result:
    """Diagonal covariances shrunk towards the pooled one."""
    n, k, s = X.shape[0], moments.n_classes, len(shrinkages)
    scatter, weight = moments.scatters("diagonal", shared=False), moments.weight
    log_density = np.empty((s, n, k))
    divide, everything, sound = _divided(removal, divisor, k)
    reliable = np.repeat(sound[None], s, axis=0)
    lost = removal.factor[:, None] * np.square(_own_deviation(X, removal, moments))
    pooled = scatter.sum(axis=0, keepdims=True)
    total = weight.sum(keepdims=True)
    squares = np.stack([np.square(moments.deviation(X, c)) for c in range(k)])  # (k, n, d)
    squares[removal.codes, np.arange(n)] *= np.square(removal.stretch)[:, None]
    for place, shrinkage in enumerate(shrinkages):
        scale = sharing / everything[:, None]
        shared = scale * shrink(pooled - lost, shrinkage, removal.total)  # (n, d)
        shared_before = scale * shrink(pooled, shrinkage, total)
        whole = shrink(scatter, shrinkage, weight) * (1.0 - sharing)  # (k, d)
        for c in range(k):
            variance = shared + whole[c] / degrees(weight[c : c + 1], divisor, 1)
            mine = np.flatnonzero(removal.codes == c)
            if mine.size:
                rest, left = scatter[c] - lost[mine], divide[mine, None]
                shrunk = (1.0 - sharing) * shrink(rest, shrinkage, removal.weight[mine])
                variance[mine] = shared[mine] + shrunk / left
                before = shared_before[mine] + whole[c] / left
                kept = np.minimum(
                    (variance[mine] / before).min(axis=1), _proportion_left(rest, scatter[c])
                )
                reliable[place, mine] &= kept > LEAST_LEFT
            log_density[place, :, c] = (squares[c] / variance + np.log(variance)).sum(axis=1)
        kept = np.minimum(
            (shared / shared_before).min(axis=1), _proportion_left(pooled - lost, pooled)
        )
        reliable[place] &= kept > LEAST_LEFT
    log_density *= -0.5
    return log_density, reliable


def _divided(
    removal: Removal, divisor: Divisor, k: int
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """What scatters without a row are divided by, own and pooled (n,), and if that is sound."""
    by_class = degrees(removal.weight, divisor, 1)
    pooled = degrees(removal.total, divisor, k)
    sound = removal.sound & (by_class > 0) & (pooled > 0)
    return _positive(by_class), _positive(pooled), sound


def _positive(divide: FloatArray) -> FloatArray:
    return np.where(divide > 0, divide, 1.0)


def _own_deviation(X: FloatArray, removal: Removal, moments: ClassMoments) -> FloatArray:
    """How far each row is from the mean of its class (n, d)."""
    deviation: FloatArray = (X - moments.anchor[removal.codes]) - moments.offset[removal.codes]
    return deviation


def _proportion_left(rest: FloatArray, before: FloatArray) -> FloatArray:
    """What is left of the traces (n,); all of one that was 0."""
    trace = before.sum()
    proportion: FloatArray = rest.sum(axis=1) / trace if trace > 0 else np.ones(rest.shape[0])
    return proportion
