"""Factored covariances of Gaussians, of some shape, shared or not.

A shape (full, diagonal, spherical) holds the covariances of all classes at once, first axis `m`: k
for class-specific covariances, 1 for a shared one. It has its whitener W, with ``Σ⁻¹ = WᵀW``, its
log determinant, and all operations that depend on the shape. A structure is a shape and a degree of
sharing λ from 0 to 1. With 0 every class has a covariance Σ_c, with 1 all share the pooled one Σ;
between, class-specific covariances are shrunk towards the pooled one, ``(1 − λ) Σ_c + λ Σ``:
regularised discriminant analysis.

The correlation matrix is factored, not the covariance: ``Σ = D R D`` with ``R = L Lᵀ``, so that the
whitener is ``L⁻¹ D⁻¹`` and units do not matter. A matrix is singular if the others explain all of a
feature's variance up to rounding, which does not depend on units. Errors here state the problem;
the family adds the remedies, which it can try.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from gaussbayes import kernels
from gaussbayes.base.checks import TOLERANCE
from gaussbayes.base.errors import OptionError, SingularCovarianceError
from gaussbayes.base.notices import Remedy
from gaussbayes.base.text_tables import MOST_ROWS
from gaussbayes.base.types import CovarianceName, FloatArray, ScatterLayout
from gaussbayes.data.schema import Schema
from gaussbayes.families.protocol import ParameterTable
from gaussbayes.kernels.triangular import correlation_of, invert_lower

NO_CORRELATIONS = Remedy("assume no correlations", (("covariance", "diagonal"),))


_EPS = float(np.finfo(np.float64).eps)


def factor(
    covariance: FloatArray, names: Schema, weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Whiteners W (m, d, d), lower triangular with ``Σ⁻¹ = WᵀW``, and log determinants (m,).

    A covariance that is singular up to rounding raises an error that names the class, the dependent
    features and, if known, the number of rows (m,).
    """
    m, d = covariance.shape[:2]
    whitener, log_det, unexplained = np.empty((m, d, d)), np.empty(m), np.empty(m)
    kernels.active().factor(covariance, whitener, log_det, unexplained)
    if not unexplained.min(initial=1.0) > _tolerance(d):
        check_variances(covariance.diagonal(axis1=1, axis2=2), names, weight)
        c = int(np.argmin(unexplained > _tolerance(d)))
        del whitener  # naming the features takes space
        scale = 1.0 / np.sqrt(covariance[c].diagonal())
        matrix = correlation_of(covariance[c : c + 1], scale[None])[0]
        shared = m < names.classes.shape[0]
        rows = np.inf if shared or weight is None else float(weight[c])
        _raise_dependent(matrix, _owner(c, m, names), names, rows)
    return whitener, log_det


def check_variances(variance: FloatArray, names: Schema, weight: FloatArray | None = None) -> None:
    """Raise for variances (m, d) that are not positive and finite; the others as in `factor`."""
    good = (variance > 0) & (variance < np.inf)
    if good.all():
        return
    c = int(np.flatnonzero(~good.all(axis=1))[0])
    columns = np.flatnonzero(~good[c])
    value = variance[c, columns[0]]
    owner = _owner(c, variance.shape[0], names)
    if not value >= 0 or value == np.inf:
        msg = f"{owner} has variance {value} in {names.feature_name(int(columns[0]))}"
        raise SingularCovarianceError(msg + "; variances must be positive and finite")
    rows = "" if weight is None else f" in {weight[c]:g} row{'' if weight[c] == 1 else 's'}"
    msg = (
        f"{owner} does not vary in {names.feature_list(columns.tolist())}{rows}: "
        "the variance is 0 and its Gaussian has no density"
    )
    if (
        variance.shape[0] < names.classes.size
        and weight is not None
        and weight[c] <= names.classes.size
    ):
        msg += ". Variation within classes needs a class with at least two rows"
    raise SingularCovarianceError(msg)


def symmetric(covariance: FloatArray, names: Schema) -> FloatArray:
    """Symmetrise given covariances (m, d, d); raise `OptionError` for more than rounding."""
    scale = np.sqrt(np.abs(np.einsum("mii->mi", covariance)))
    gap = np.abs(covariance - covariance.transpose(0, 2, 1))
    wrong = ~(gap <= TOLERANCE * scale[:, :, None] * scale[:, None, :])
    if wrong.any():
        c, i, j = (int(place) for place in np.argwhere(wrong)[0])
        owner = f" of class {names.class_name(c)}" if covariance.shape[0] > 1 else ""
        msg = (
            f"the covariance{owner} must be symmetric: entry ({i}, {j}) is "
            f"{covariance[c, i, j]:g}, entry ({j}, {i}) is {covariance[c, j, i]:g}"
        )
        raise OptionError(msg)
    return np.asarray((covariance + covariance.transpose(0, 2, 1)) / 2)


def _tolerance(d: int) -> float:
    # Sums of squares have a few rounding errors, and a pivot combines d of them.
    return 10.0 * d * _EPS


def _raise_dependent(correlation: FloatArray, owner: str, names: Schema, weight: float) -> NoReturn:
    """Raise for a singular correlation matrix, naming the features that depend on others.

    Features are eliminated one by one, the one with the largest remaining variance first.
    """
    from scipy.linalg.lapack import dpstrf

    d = correlation.shape[0]
    upper, order, rank, _ = dpstrf(correlation, tol=_tolerance(d))
    rank = min(rank, d - 1)  # one depends on the others, also if the remainder is above rounding
    independent, dependent = order[:rank] - 1, order[rank:] - 1
    rest = upper[:rank, rank:]
    first = int(np.argmin(dependent))
    name = names.feature_name(int(dependent[first]))
    if (1.0 - np.square(np.minimum(np.abs(rest), 2.0)).sum(axis=0)).min() < -1e-8:
        msg = (
            f"{owner} has a covariance that is not positive definite: given the other features, "
            f"{name} would have a negative variance"
        )
        raise SingularCovarianceError(msg)
    if weight <= d:
        msg = (
            f"{owner} has {weight:g} rows for {d} features: a class-specific full covariance needs "
            f"at least {d + 1}"
        )
        raise SingularCovarianceError(msg)
    part = np.linalg.solve(np.triu(upper[:rank, :rank]), rest[:, first])
    others = np.sort(independent[np.abs(part) > 1e-6]).tolist()
    more = np.sort(np.delete(dependent, first)).tolist()
    also = f" (and {names.feature_list(more)} likewise)" if more else ""
    msg = (
        f"{owner} has collinear features: {name} is a linear combination of "
        f"{names.feature_list(others)}{also}"
    )
    raise SingularCovarianceError(msg)


def _owner(c: int, count: int, names: Schema) -> str:
    if count < names.classes.shape[0]:
        return "the covariance shared by all classes"
    return f"class {names.class_name(c)}"


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Covariances of one shape; by default the methods are those of `Diagonal`."""

    values: FloatArray  # (m, d, d), (m, d) or (m,)
    whitener: FloatArray  # (m, d, d) lower triangular, or (m, d)
    log_det: FloatArray  # (m,)

    name: ClassVar[CovarianceName]
    layout: ClassVar[ScatterLayout] = "diagonal"  # the layout of the scatter for estimates
    correlated: ClassVar[bool] = False  # whether features may be correlated
    isotropic: ClassVar[bool] = False  # whether all have one variance: nothing can be shrunk

    @classmethod
    def of(cls, values: FloatArray, names: Schema, weight: FloatArray | None = None) -> Self:
        """Covariances from their values, factored.

        A singular one raises an error that names class, features and, if known, the number of rows
        (m,).
        """
        d = names.n_features
        check_variances(cls._by_feature(values, d), names, weight)
        whitener = cls._by_feature(1.0 / np.sqrt(values), d)
        return cls(values, whitener, cls._log_det(np.log(values), d))

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        """Covariances given by the user: the first axis is m."""
        try:
            return cls.of(values, names)
        except SingularCovarianceError as error:
            msg = f"{error}. A covariance that is given must be positive definite"
            raise SingularCovarianceError(msg) from None

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """The values from scatters (m, d, d) or (m, d), divided by degrees of freedom (m,)."""
        return np.asarray(scatter / degrees.reshape(-1, *(1,) * (scatter.ndim - 1)))

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        """Covariances without correlations, from the variances (m, d) of the features."""
        return cls.of(variance, names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        """The shape of the array that holds one covariance."""
        return (n_features,)

    @classmethod
    def n_parameters_of(cls, n_covariances: int, n_features: int) -> int:
        """Free parameters of m covariances."""
        return n_covariances * prod(cls.dimensions(n_features))

    @staticmethod
    def _by_feature(values: FloatArray, n_features: int) -> FloatArray:
        """A quantity of each variance, for each feature (m, d)."""
        del n_features
        return values

    @staticmethod
    def _log_det(logarithms: FloatArray, n_features: int) -> FloatArray:
        """The log determinants (m,) by the logarithms of the variances."""
        del n_features
        return np.asarray(logarithms.sum(axis=1))

    @property
    def variance(self) -> FloatArray:
        """The variances of the features (m, d)."""
        return self._by_feature(self.values, self.n_features)

    @property
    def parameters(self) -> FloatArray:
        """The values of the constructor."""
        return self.values

    @property
    def correlation(self) -> FloatArray:
        """Correlations ``ρᵢⱼ = σᵢⱼ / (σᵢ σⱼ)`` (m, d, d); (m, 0, 0) without correlations."""
        return np.empty((self.n_covariances, 0, 0))

    @property
    def precision(self) -> FloatArray:
        """The diagonals of the inverses (m, d)."""
        return np.square(self.whitener)

    def dense(self) -> FloatArray:
        """The covariances as matrices (m, d, d)."""
        return np.asarray(self.variance[:, :, None] * np.eye(self.n_features))

    def coloured(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``F v`` of vectors (…, d) with ``Σ = F Fᵀ``, by the covariance of a class."""
        return np.asarray(vectors * self.deviation[self.index(code)])

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``W v`` of vectors (…, d), by the covariance of a class."""
        return np.asarray(vectors * self.whitener[self.index(code)])

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        """``Σ⁻¹ v`` of vectors (…, d), by the covariance of a class."""
        return self.whiten(self.whiten(vectors, code), code)

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr Σ⁻¹ S`` (m,) of scatters (m, d, d), or (m, d) if there are no correlations."""
        return np.asarray((scatter * np.square(self.whitener)).sum(axis=1))

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        """The covariances of these features; `names` are theirs."""
        return self.of(self.values[:, columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        """The values as a vector in which every entry is free, in units (m, d) of the features.

        Logarithms of variances; of a full covariance its Cholesky factor, with logarithms in the
        diagonal.
        """
        scale = unit[:, 0] if self.isotropic else unit
        return np.log(self.values / np.square(scale)).ravel()

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        """The covariances with these coordinates."""
        d, scale = unit.shape[1], unit[:, 0] if cls.isotropic else unit
        logarithm = vector.reshape(scale.shape)
        whitener = cls._by_feature(np.exp(-0.5 * logarithm) / scale, d)
        log_det = cls._log_det(logarithm + 2.0 * np.log(scale), d)
        return cls(np.exp(logarithm) * np.square(scale), whitener, log_det)

    @property
    def n_covariances(self) -> int:
        return int(self.log_det.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.whitener.shape[1])

    @property
    def n_parameters(self) -> int:
        return self.n_parameters_of(self.n_covariances, self.n_features)

    @property
    def deviation(self) -> FloatArray:
        """The standard deviations of the features (m, d)."""
        return np.sqrt(self.variance)

    @property
    def amplification(self) -> float:
        """The amplification of rounding: 1 over the least unexplained proportion of a variance."""
        return float((self.precision * self.variance).max(initial=1.0))

    def index(self, code: int) -> int:
        """The number of the covariance of a class."""
        return code if self.n_covariances > 1 else 0

    def selected(self, codes: Sequence[int]) -> Self:
        """Only the covariances with these numbers, in this order."""
        where = np.asarray(codes, dtype=np.intp)
        return type(self)(self.values[where], self.whitener[where], self.log_det[where])

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Tables besides the standard deviations."""
        del names
        return ()


class Diagonal(Shape):
    """No correlation, one variance a feature: d free parameters each."""

    __slots__ = ()
    name = "diagonal"


class Spherical(Shape):
    """No correlation, one variance for all features: 1 free parameter each."""

    __slots__ = ()
    name = "spherical"
    isotropic = True

    @classmethod
    def from_scatter(cls, scatter: FloatArray, degrees: FloatArray) -> FloatArray:
        """``tr S / (degrees d)`` (m,)."""
        return np.asarray(scatter.sum(axis=1) / (degrees * scatter.shape[1]))

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        return cls.of(variance.mean(axis=1), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        del n_features
        return ()

    @staticmethod
    def _by_feature(values: FloatArray, n_features: int) -> FloatArray:
        return np.repeat(values[:, None], n_features, axis=1)

    @staticmethod
    def _log_det(logarithms: FloatArray, n_features: int) -> FloatArray:
        return n_features * logarithms

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        del columns
        return self.of(self.values, names)


class Full(Shape):
    """Any symmetric positive definite matrix: d (d + 1) / 2 free parameters each.

    Examples
    --------
    >>> shape = Full.of(np.array([[[4.0, 2.0], [2.0, 10.0]]]), Schema(np.array(["a"]), 2))
    >>> shape.factor().tolist(), shape.whitener.round(4).tolist()
    ([[[2.0, 0.0], [1.0, 3.0]]], [[[0.5, 0.0], [-0.1667, 0.3333]]])
    """

    __slots__ = ()
    name = "full"
    layout = "full"
    correlated = True

    @classmethod
    def of(cls, values: FloatArray, names: Schema, weight: FloatArray | None = None) -> Self:
        return cls(values, *factor(values, names, weight))

    @classmethod
    def given(cls, values: FloatArray, names: Schema) -> Self:
        return super().given(symmetric(values, names), names)

    @classmethod
    def of_variances(cls, variance: FloatArray, names: Schema) -> Self:
        return cls.of(variance[:, :, None] * np.eye(variance.shape[1]), names)

    @staticmethod
    def dimensions(n_features: int) -> tuple[int, ...]:
        return n_features, n_features

    @classmethod
    def n_parameters_of(cls, n_covariances: int, n_features: int) -> int:
        return n_covariances * (n_features * (n_features + 1) // 2)

    @property
    def variance(self) -> FloatArray:
        return np.asarray(np.einsum("mii->mi", self.values))

    @property
    def correlation(self) -> FloatArray:
        deviation = self.deviation
        return np.asarray(self.values / deviation[:, :, None] / deviation[:, None, :])

    @property
    def precision(self) -> FloatArray:
        """``Σᵢ Wᵢⱼ²`` (m, d)."""
        return np.asarray(np.einsum("mij,mij->mj", self.whitener, self.whitener))

    def dense(self) -> FloatArray:
        return self.values

    def factor(self) -> FloatArray:
        """Lower triangular factors F with ``Σ = F Fᵀ`` (m, d, d)."""
        # Of the correlation matrix, as for the inverse: a matrix with an inverse has a factor.
        return self.deviation[:, :, None] * np.linalg.cholesky(self.correlation)

    def coloured(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        return np.asarray(vectors @ self.selected([self.index(code)]).factor()[0].T)

    def whiten(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        return np.asarray(vectors @ self.whitener[self.index(code)].T)

    def times_precision(self, vectors: FloatArray, code: int = 0) -> FloatArray:
        return np.asarray(self.whiten(vectors, code) @ self.whitener[self.index(code)])

    def squares(self, scatter: FloatArray) -> FloatArray:
        """``tr W S Wᵀ`` (m,)."""
        return np.asarray(((self.whitener @ scatter) * self.whitener).sum(axis=(1, 2)))

    def sub(self, columns: NDArray[np.intp], names: Schema) -> Self:
        return self.of(self.values[:, columns[:, None], columns], names)

    def coordinates(self, unit: FloatArray) -> FloatArray:
        lower = self.factor() / unit[:, :, None]
        diagonal = np.einsum("mii->mi", lower)
        diagonal[...] = np.log(diagonal)
        return np.asarray(lower[:, *_triangle(self.n_features)].ravel())

    @classmethod
    def from_coordinates(cls, vector: FloatArray, unit: FloatArray) -> Self:
        # The factors are inverted, so that products lose no digits.
        m, d = unit.shape
        rows, columns = _triangle(d)
        lower = np.zeros((m, d, d))
        lower[:, rows, columns] = vector.reshape(m, -1)
        diagonal = np.einsum("mii->mi", lower)
        log_det = 2.0 * (diagonal + np.log(unit)).sum(axis=1)
        diagonal[...] = np.exp(diagonal)
        values = (lower @ lower.mT) * unit[:, :, None] * unit[:, None, :]
        invert_lower(lower)
        return cls(values, lower / unit[:, None, :], log_det)

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """The correlations of all pairs of a few features."""
        if not 1 < self.n_features <= MOST_ROWS:
            return ()
        rows, columns = np.tril_indices(self.n_features, -1)
        titles = tuple(
            f"{names.titles[j]}, {names.titles[i]}" for i, j in zip(rows, columns, strict=True)
        )
        return (ParameterTable("correlation", titles, self.correlation[:, rows, columns]),)


@lru_cache(maxsize=4)
def _triangle(n_features: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns of a lower triangle; EM needs them twice per iteration."""
    return np.tril_indices(n_features)


SHAPES: dict[str, type[Shape]] = {shape.name: shape for shape in (Full, Diagonal, Spherical)}
"""The shapes by the names of the option."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Two independent choices: the shape of a covariance, and the degree of sharing.

    Examples
    --------
    >>> Structure("full", sharing=1.0).shared, Structure("full", sharing=0.5).between
    (True, True)
    """

    covariance: CovarianceName = "full"
    sharing: float = 0.0

    shared: bool = field(init=False, repr=False, compare=False)  # all classes have one covariance
    between: bool = field(
        init=False, repr=False, compare=False
    )  # class-specific ones shrunk towards the pooled one
    shape: type[Shape] = field(init=False, repr=False, compare=False)  # of the covariances

    def __post_init__(self) -> None:
        object.__setattr__(self, "shared", self.sharing == 1.0)
        object.__setattr__(self, "between", 0.0 < self.sharing < 1.0)
        object.__setattr__(self, "shape", SHAPES[self.covariance])

    @property
    def parts(self) -> "tuple[Structure, Structure]":
        """Both ends: class-specific covariances and a shared one."""
        return Structure(self.covariance), Structure(self.covariance, 1.0)

    @property
    def maximised(self) -> "Structure":
        """The end whose likelihood has a known maximum: shared, or else class-specific."""
        return self.parts[int(self.shared)]

    def weights(self, weight: FloatArray) -> FloatArray:
        """The weight of the rows of each covariance (m,), from those of each class (k,)."""
        return np.asarray(weight.sum(keepdims=True)) if self.shared else weight

    @property
    def name(self) -> str:
        """The usual name."""
        if self.between:
            return f"{self.covariance}, {self.sharing_name}"
        return next(name for name, known in STRUCTURES.items() if known == self)

    @property
    def sharing_name(self) -> str:
        """Whether classes share their covariance, in a word or two."""
        if self.between:
            return f"{100 * self.sharing:g} % shared"
        return "shared" if self.shared else "own"

    @property
    def shared_setting(self) -> bool | float:
        """The value of the option `shared`: True, False, or a number between."""
        return self.sharing if self.between else self.shared

    def n_covariances(self, n_classes: int) -> int:
        return 1 if self.shared else n_classes


STRUCTURES = {
    "QDA": Structure("full"),
    "LDA": Structure("full", 1.0),
    "Gaussian naive Bayes": Structure("diagonal"),
    "diagonal LDA": Structure("diagonal", 1.0),
    "nearest mean, scaled": Structure("spherical"),
    "nearest mean": Structure("spherical", 1.0),
}
"""The six structures without partial pooling, by their usual names."""


def structure_of_values(
    covariances: FloatArray,
    n_classes: int,
    n_features: int,
    covariance: CovarianceName | None = None,
    shared: bool | None = None,
) -> Structure:
    """The structure of given covariances, by the arguments and by their shape.

    By default they are full: (k, d, d) class-specific, (d, d) shared. If there are as many classes
    as features, (d, d) may also be a table of variances, and an error asks for the arguments.
    """
    k, d = n_classes, n_features
    if covariance is None and shared is None and covariances.shape == (d, d) and k == d:
        msg = (
            f"covariances of shape {(d, d)} for {k} classes and {d} features may be one covariance "
            "for all classes or the variances of each; say which"
        )
        one = Remedy("read one covariance", (("covariance", "full"),))
        table = Remedy("read the variances of each class", (("covariance", "diagonal"),))
        symmetric = np.array_equal(covariances, covariances.T)
        definite = symmetric and np.linalg.eigvalsh(covariances)[0] > 0
        possible = [one] * bool(definite) + [table] * bool((covariances > 0).all())
        raise OptionError(msg).with_remedies(possible)
    name = covariance or "full"
    allowed = ("covariance", name, tuple(SHAPES)), ("shared", shared, (True, False, None))
    for option, value, values in allowed:
        if value not in values:
            msg = f"{option} must be one of {', '.join(map(repr, values))}, got {value!r}"
            raise OptionError(msg)
    single = SHAPES[name].dimensions(d)
    expected = {None: {single, (k, *single)}, True: {single}, False: {(k, *single)}}[shared]
    if covariances.shape not in expected:
        sharing = {None: "", True: "shared ", False: "own "}[shared]
        msg = (
            f"{sharing}{name} covariances of {k} classes and {d} features must have shape "
            f"{' or '.join(map(str, sorted(expected)))}, got {covariances.shape}"
        )
        raise OptionError(msg)
    return Structure(name, float(covariances.shape == single))
