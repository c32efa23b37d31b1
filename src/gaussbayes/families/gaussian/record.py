"""The records of the Gaussian family in a model file: settings, statistics and densities.

Symmetric matrices are written as their lower triangles, row by row: half the size, and always
symmetric. Only the observed values of incomplete rows are written.
"""

from dataclasses import replace
from typing import Annotated, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Raw
from numpy.typing import NDArray

from gaussbayes.base.checks import TOLERANCE
from gaussbayes.base.records import Record, encode, refuse, within
from gaussbayes.base.types import (
    CovarianceName,
    Divisor,
    FloatArray,
    ScatterLayout,
    ShrinkageTarget,
)
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.cells import PatternMoments, cell_layout, check_size
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.family import Estimate, Gaussian
from gaussbayes.families.gaussian.low_rank import LowRank
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.span import Span
from gaussbayes.families.gaussian.spanned import Spanned, SpannedStatistics
from gaussbayes.families.gaussian.statistics import LAYOUTS, ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import STRUCTURES, Shape, Structure
from gaussbayes.kernels.reference import scatter_shape
from gaussbayes.kernels.triangular import cholesky

# Largest negative eigenvalue, as a proportion of the features' sums of squares.
# Sums of squares below this may have lost all their digits, the products beside them not.
_UNDERFLOW = 1e-290

_MOST_FEATURES = 1 << 24

Proportion: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Statistics: TypeAlias = GaussianStatistics | SpannedStatistics


class SpanRecord(Record, frozen=True):
    """The span of the rows of a fit with fewer rows than features."""

    center: Raw
    unit: Raw
    basis: Raw

    def read(self) -> Span:
        center = self.floats("center", -1, most=_MOST_FEATURES)
        d = center.size
        unit, basis = self.floats("unit", d), self.floats("basis", -1, most=d * d)
        if not (unit > 0).all():
            refuse("unit", "units above 0", unit.min())
        if not 0 < basis.size < d * d or basis.size % d:
            refuse("basis", f"fewer than {d} coordinates of each of {d} features", basis.size)
        basis = basis.reshape(d, -1)
        if not np.abs(basis.T @ basis - np.eye(basis.shape[1])).max() < TOLERANCE:
            refuse("basis", "orthonormal columns")
        return Span(center, unit, basis)


class SettingsRecord(Record, frozen=True):
    """The settings of the family."""

    covariance: CovarianceName
    sharing: Proportion
    divisor: Divisor
    shrinkage: Proportion | Literal["oas"] | None
    target: ShrinkageTarget
    estimate: Estimate
    regularisation: Regularisation
    span: SpanRecord | None

    @classmethod
    def of(cls, family: Gaussian | Spanned) -> "SettingsRecord":
        plain = family.family if isinstance(family, Spanned) else family
        return cls(
            plain.structure.covariance,
            float(plain.structure.sharing),
            plain.divisor,
            plain.shrinkage,
            plain.target,
            plain.estimation,
            plain.regularisation or Regularisation(),
            SpanRecord.of(family.span) if isinstance(family, Spanned) else None,
        )

    def read(self) -> Gaussian | Spanned:
        settings = (self.covariance, self.sharing, self.divisor, self.shrinkage)
        family = Gaussian.of(*settings, self.target, self.estimate)
        if self.regularisation != Regularisation():
            if self.span is not None or self.estimate == "predictive":
                refuse("regularisation", "0 with a span, and for Student-t densities")
            return replace(family, regularisation=self.regularisation)
        if self.span is None:
            return family
        if self.covariance != "full" or self.shrinkage in (None, 0):
            refuse("span", "null unless covariances are full and shrunk by a number or 'oas'")
        with within("span"):
            return Spanned(self.span.read(), family)


class CellsRecord(Record, frozen=True):
    """Rows with missing values, summed by class and pattern."""

    weight: Raw
    codes: Raw
    observed: Raw
    anchor: Raw
    offset: Raw
    varied: Raw
    scatter: Raw

    @classmethod
    def of(cls, cells: PatternMoments) -> "CellsRecord":
        observed = cells.observed
        there = _entries_there(observed[cells.varied], cells.layout)
        return cls(
            encode(cells.weight),
            encode(cells.codes),
            encode(observed.astype(np.uint8)),
            encode(cells.anchor[observed]),
            encode(cells.offset[observed]),
            encode(cells.varied),
            encode(_entries(cells.scatter)[there]),
        )

    def read(self, moments: ClassMoments) -> PatternMoments:
        """The cells beside the moments of the complete rows."""
        k, d, layout = moments.n_classes, moments.n_features, cell_layout(moments.layout)
        weight = self.floats("weight", -1)
        if not (weight > 0).all() or not np.isfinite(weight.sum() + moments.weight.sum()):
            refuse("weight", "weights above 0 with a finite sum")
        q = weight.size
        codes = self.integers("codes", q, most=k - 1)
        observed = self.integers("observed", q, d, most=1) == 1
        cells = list(zip(codes.tolist(), map(bytes, observed), strict=True))
        if not cells or cells != sorted(set(cells)) or observed.all(axis=1).any():
            expected = "at least one pattern; sorted, different and with a missing value"
            refuse("observed", f"{expected} in each class")
        varied = self.integers("varied", -1, most=q - 1).astype(np.intp)
        if not (np.diff(varied) > 0).all():
            refuse("varied", "numbers of different cells in increasing order")
        with within("observed"):
            check_size(q, varied.size, observed, layout)
        anchor, offset = np.zeros((q, d)), np.zeros((q, d))
        anchor[observed] = self.floats("anchor", int(observed.sum()))
        offset[observed] = self.floats("offset", int(observed.sum()))
        _check_mean(anchor, offset)
        there = _entries_there(observed[varied], layout)
        entries = np.zeros(there.shape)
        entries[there] = self.floats("scatter", int(there.sum()))
        scatter = _symmetric(entries, d) if layout == "full" else entries
        _check_scatter(scatter)
        codes_of = codes.astype(np.int32)
        return PatternMoments(codes_of, observed, weight, anchor, offset, varied, scatter, layout)


class StatisticsRecord(Record, frozen=True):
    """Weight, mean and scatter of the complete rows of each class, and of the others."""

    layout: ScatterLayout
    weight: Raw
    anchor: Raw
    offset: Raw
    scatter: Raw
    cells: CellsRecord | None

    @classmethod
    def of(cls, statistics: Statistics) -> "StatisticsRecord":
        if isinstance(statistics, SpannedStatistics):
            statistics = statistics.inner
        moments, cells = statistics.moments, statistics.cells
        return cls(
            moments.layout,
            encode(moments.weight),
            encode(moments.anchor),
            encode(moments.offset),
            encode(_entries(LAYOUTS[moments.layout].stacked(moments.scatter))),
            None if cells is None else CellsRecord.of(cells),
        )

    def read(self, family: Gaussian | Spanned, names: Schema) -> Statistics:
        """The statistics of the classes and columns of `names`, which the settings can use."""
        if isinstance(family, Spanned):
            if self.layout != "full" or self.cells is not None:
                refuse("layout", "'full', without cells, in the span of rows", repr(self.layout))
            return SpannedStatistics(family.span, self._read(_directions(family.span, names)))
        layout, structure = LAYOUTS[self.layout], family.structure
        if structure.shape.correlated and not layout.correlated:
            refuse("layout", "one with correlations for full covariances", repr(self.layout))
        if not structure.shared and not layout.by_class:
            refuse("layout", "one of each class unless covariances are shared", repr(self.layout))
        return self._read(names)

    def _read(self, names: Schema) -> GaussianStatistics:
        k, d, layout = names.classes.shape[0], names.n_features, LAYOUTS[self.layout]
        anchor, offset = self.floats("anchor", k, d), self.floats("offset", k, d)
        _check_mean(anchor, offset)
        m = k if layout.by_class else 1
        scatter = self.floats("scatter", m, _size(d) if layout.correlated else d)
        scatter = _symmetric(scatter, d) if layout.correlated else scatter
        _check_scatter(scatter)
        scatter = scatter.reshape(scatter_shape(self.layout, k, d))
        moments = ClassMoments(self.weights("weight", k), anchor, offset, scatter, self.layout)
        if self.cells is None:
            return GaussianStatistics(moments)
        with within("cells"):
            return GaussianStatistics(moments, self.cells.read(moments))


class DensityRecord(Record, frozen=True):
    """Means, center + offset + remainder, and covariances or, of Student-t densities, scales."""

    center: Raw
    offset: Raw
    remainder: Raw  # none if all classes are near the center
    covariance: Raw
    degrees: Raw  # of freedom of Student-t densities; none for Gaussians
    outside: Raw  # variances in directions outside the span of rows; none without a span

    @classmethod
    def of(cls, density: GaussianDensity) -> "DensityRecord":
        return cls(
            encode(density.center),
            encode(density.offset),
            encode(density.remainder),
            encode(_entries(density.covariance.parameters)),
            encode([] if density.degrees is None else density.degrees),
            encode(getattr(density.covariance, "outside", [])),
        )

    def read(self, family: Gaussian | Spanned, names: Schema) -> GaussianDensity:
        """The densities of the classes and columns of `names`."""
        span = family.span if isinstance(family, Spanned) else None
        family = family.family if isinstance(family, Spanned) else family
        k, d = names.classes.shape[0], names.n_features
        predictive = family.estimation == "predictive"
        center, offset = self.floats("center", d), self.floats("offset", k, d)
        _check_mean(center, offset)
        remainder = self.floats("remainder", -1, most=k * d)
        if remainder.size:
            remainder = self.floats("remainder", k, d)
            if not np.array_equal(offset + remainder, offset):
                refuse("remainder", "less than the rounding of the offset")
        structure = STRUCTURES["QDA"] if predictive else family.structure
        covariance: Shape
        if span is None:
            self.floats("outside", 0)
            covariance = self._covariance(
                structure, names, family.regularisation or Regularisation()
            )
        else:
            covariance = self._in_span(structure, span, names)
        degrees = self.floats("degrees", k if predictive else 0)
        if not (degrees > 2).all():
            refuse("degrees", "degrees of freedom above 2", degrees.min())
        freedom = degrees if predictive else None
        return GaussianDensity(center, offset, covariance, remainder.reshape(-1, d), freedom)

    def _in_span(self, structure: Structure, span: Span, names: Schema) -> LowRank:
        inside = self._covariance(structure, _directions(span, names), Regularisation()).values
        outside, least = self.floats("outside", len(inside)), np.linalg.eigvalsh(inside)[:, 0]
        if not ((outside > 0) & (outside <= least * (1.0 + TOLERANCE))).all():
            expected = "variances above 0, and none above those in the span"
            refuse("outside", expected, outside.tolist())
        return LowRank.in_span(inside, outside, span, names)

    def _covariance(
        self, structure: Structure, names: Schema, regularisation: Regularisation
    ) -> Shape:
        d, shape = names.n_features, structure.shape
        m = structure.n_covariances(names.classes.shape[0])
        if shape.correlated:
            values = _symmetric(self.floats("covariance", m, _size(d)), d)
            if regularisation.rank_tolerance is not None:
                _check_scatter(values, "covariance")
        else:
            values = self.floats("covariance", m, *shape.dimensions(d))
        with within("covariance"):
            covariance = regularisation.shape_of(shape, values, names)
        if not (np.isfinite(covariance.whitener).all() and np.isfinite(covariance.log_det).all()):
            refuse("covariance", "covariances that can be inverted; these are too large or small")
        return covariance


def _size(n_features: int) -> int:
    """The number of entries of a triangle."""
    return n_features * (n_features + 1) // 2


def _entries(values: FloatArray) -> FloatArray:
    """The lower triangles (m, d(d + 1)/2) of matrices; other arrays unchanged."""
    if values.ndim < 3:
        return values
    if not np.array_equal(values, values.mT):
        refuse("covariance", "symmetric to the last digit; use (S + Sᵀ) / 2")
    rows, columns = np.tril_indices(values.shape[1])
    return values[:, rows, columns]


def _entries_there(observed: NDArray[np.bool_], layout: ScatterLayout) -> NDArray[np.bool_]:
    """Which of the entries of scatters are of observed features."""
    if layout != "full":
        return observed
    rows, columns = np.tril_indices(observed.shape[1])
    return observed[:, rows] & observed[:, columns]


def _symmetric(entries: FloatArray, d: int) -> FloatArray:
    """Matrices (m, d, d) by their lower triangles."""
    matrices = np.empty((len(entries), d, d))
    rows, columns = np.tril_indices(d)
    matrices[:, rows, columns] = entries
    matrices[:, columns, rows] = entries
    return matrices


def _directions(span: Span, names: Schema) -> Schema:
    """The names of the coordinates in the span of these features in messages."""
    if span.n_columns != names.n_features:
        expected = f"from settings with a span of {names.n_features} features"
        refuse("", expected, span.n_columns)
    return span.names(names)


def _check_mean(anchor: FloatArray, offset: FloatArray) -> None:
    """Raise for impossible means, anchor + offset."""
    if not np.isfinite(anchor + offset).all():
        refuse("offset", "numbers that give finite means with the anchor")


def _check_scatter(scatter: FloatArray, place: str = "scatter") -> None:
    """Raise for impossible scatters (m, d, d), or sums of squares (m, d).

    Matrices must be positive semi-definite up to rounding. Each feature is measured in units of its
    largest sum of squares in any of them, so that units do not matter; after a removal of rows,
    rounding may have that size.
    """
    squares = np.einsum("mii->mi", scatter) if scatter.ndim == 3 else scatter
    if (squares < 0).any():
        refuse(place, "sums of squares, which are not negative", squares.min())
    if scatter.ndim < 3 or not scatter.size:
        return
    unit = 1.0 / np.sqrt(squares.max(axis=0, initial=_UNDERFLOW))
    scaled = scatter * unit[:, None]
    scaled *= unit
    np.einsum("mii->mi", scaled)[...] += TOLERANCE
    good = cholesky(scaled)
    if good < len(scaled):
        refuse(place, f"positive semi-definite, as sums of squares are; matrix {good} is not")
