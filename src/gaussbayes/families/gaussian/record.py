"""The Gaussian family in a model file: settings, statistics and densities ↔ records.

Symmetric matrices are written as their lower triangles, row by row: half the size, and symmetric
always. Of rows with missing values only what was observed is written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from dataclasses import replace as copy_of
from itertools import pairwise
from math import prod
from typing import Annotated, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Raw, structs
from msgspec.structs import replace
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.records import (
    Integers,
    Numbers,
    Record,
    Weights,
    check_weights,
    floats,
    integer_array,
    integers,
    numbers,
    refuse,
    within,
)
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CovarianceName, Divisor, FloatArray, ScatterLayout
from gaussbayes.families.gaussian.cells import PatternMoments, cell_layout, check_size
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.family import Estimate, Gaussian
from gaussbayes.families.gaussian.regularisation import PLAIN, Regularisation
from gaussbayes.families.gaussian.shrinkage import Target
from gaussbayes.families.gaussian.span import Span
from gaussbayes.families.gaussian.spanned import Spanned, SpannedStatistics, directions
from gaussbayes.families.gaussian.spanned_density import SpannedDensity
from gaussbayes.families.gaussian.statistics import LAYOUTS, ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import STRUCTURES, Shape, Structure
from gaussbayes.families.gaussian.student import StudentDensity
from gaussbayes.kernels.reference import scatter_shape
from gaussbayes.kernels.triangular import cholesky

# Proportion of the features' sums of squares by which an eigenvalue may be below zero.
_ROUNDING = 1e-8
# Sums of squares below this may have lost all their digits, the products beside them not.
_UNDERFLOW = 1e-290
# Entries of matrices that are looked at in one step: many small matrices, or one large one.
_TOGETHER = 1 << 18

_MOST_FEATURES = 1 << 24

Pattern: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": "^[01]+$"})]
Observed: TypeAlias = NDArray[np.bool_]


class SpanRecord(Record, frozen=True):
    """The span of the rows of a fit with fewer rows than features; see model-format.md."""

    center: Numbers
    unit: Numbers
    basis: Annotated[Numbers, Meta(description="a row of coordinates for each feature")]


class RegularisationRecord(Record, frozen=True):
    """What is done to covariances beside shrinkage; see model-format.md."""

    floor: Annotated[float, Meta(ge=0)]
    identity: Annotated[float, Meta(ge=0, le=1)]
    rank_tolerance: Annotated[float, Meta(ge=0)] | None


class SettingsRecord(Record, frozen=True, omit_defaults=True):
    """How statistics become densities."""

    covariance: CovarianceName
    sharing: Annotated[
        float,
        Meta(ge=0, le=1, description="0: own covariances, 1: one for all classes, RDA between"),
    ]
    divisor: Divisor
    shrinkage: Annotated[float, Meta(ge=0, le=1)] | Literal["oas"] | None
    target: Target
    estimate: Estimate
    span: SpanRecord | None
    regularisation: RegularisationRecord | None = None


class CellsRecord(Record, frozen=True):
    """Rows with missing values: those of a class that have the same values are summed together."""

    classes: Integers
    observed: Annotated[list[Pattern], Meta(description="which features have a value")]
    weight: Weights
    anchor: Numbers
    offset: Numbers
    varied: Annotated[Integers, Meta(description="which of them have a scatter")]
    scatter: Numbers


class StatisticsRecord(Record, frozen=True):
    """Weight, mean and scatter of the complete rows of each class, and of the others."""

    layout: ScatterLayout
    weight: Weights
    anchor: Numbers
    offset: Numbers
    scatter: Numbers
    cells: CellsRecord | None


class DensityRecord(Record, frozen=True):
    """Means, center + offset, and covariances; of Student-t densities the scale matrices."""

    center: Numbers
    offset: Numbers
    covariance: Numbers
    degrees: Numbers  # of freedom of Student-t densities; none for Gaussians
    outside: Numbers  # variances in directions outside the span of rows; none without a span


def write_settings(family: Gaussian | Spanned) -> SettingsRecord:
    span = None
    if isinstance(family, Spanned):
        with within("span"):
            parts = (family.span.center, family.span.unit, family.span.basis)
            named = zip(parts, SpanRecord.__struct_fields__, strict=True)
            span = SpanRecord(*(numbers(values, part) for values, part in named))
    plain = family.family if isinstance(family, Spanned) else family
    covariance, sharing = plain.structure.covariance, float(plain.structure.sharing)
    settings = (plain.divisor, plain.shrinkage, plain.target, plain.estimation)
    regularisation = None
    if plain.regularisation != PLAIN:
        regularisation = RegularisationRecord(**asdict(plain.regularisation))
    return SettingsRecord(covariance, sharing, *settings, span, regularisation)


def read_settings(record: SettingsRecord) -> Gaussian | Spanned:
    settings = (record.covariance, record.sharing, record.divisor, record.shrinkage)
    family = Gaussian.of(*settings, record.target, record.estimate)
    if record.regularisation is not None:
        if record.span is not None or record.estimate == "predictive":
            refuse("regularisation", "null with a span, and for Student-t densities")
        regularisation = Regularisation(**structs.asdict(record.regularisation))
        return copy_of(family, regularisation=regularisation)
    if record.span is None:
        return family
    if record.covariance != "full" or record.shrinkage in (None, 0):
        refuse("span", "null unless covariances are full and shrunk by a number or 'oas'")
    with within("span"):
        return Spanned(_read_span(record.span), family)


def _read_span(record: SpanRecord) -> Span:
    center = floats(record.center, "center", None, longest=_MOST_FEATURES)
    d = center.size
    unit = floats(record.unit, "unit", d, ", one for each feature")
    if not (unit > 0).all():
        refuse("unit", "units above 0", unit.min())
    flat = floats(record.basis, "basis", None, longest=d * d)
    r = flat.size // d if d else 0
    if not 0 < r < d or r * d != flat.size:
        refuse(
            "basis", f"rows of as many numbers, fewer than {d}, for each of {d} features", flat.size
        )
    basis = flat.reshape(d, r)
    apart = np.abs(basis.T @ basis - np.eye(r)).max()
    if not apart < _ROUNDING:
        refuse("basis", "orthonormal columns")
    return Span(center, unit, basis)


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Which entries of arrays (m, d), or of symmetric matrices (m, d, d), a file has.

    Those of the features that are there; of matrices the lower triangles, row by row.
    """

    observed: Observed  # (m, d)
    matrices: bool = False

    def masks(self) -> Iterator[tuple[slice, Observed]]:
        """Some of the arrays at a time, and which of their entries have a value."""
        m, d = self.observed.shape
        for some in ranges(m, max(1, _TOGETHER // max(1, d * d))):
            observed = self.observed[some]
            yield some, observed[:, :, None] & observed[:, None, :] if self.matrices else observed

    def write(self, values: FloatArray, place: str) -> Raw:
        """The entries as a flat array; there must be nothing where a value is missing."""
        bits = np.ascontiguousarray(values).view(np.int64)
        unlike = np.argwhere(bits != bits.mT) if self.matrices else bits[:0]
        if unlike.size:
            c, i, j = unlike[0].tolist()
            expected = f"symmetric, use (S + Sᵀ) / 2: entry ({i}, {j}) of matrix {c} is"
            got = f"entry ({j}, {i}), {values[c, j, i]}"
            refuse(place, f"{expected} {values[c, i, j]}", got)
        parts = [np.empty(0)]
        for some, observed in self.masks():
            wrong = ~observed & (values[some] != 0)
            if wrong.any():
                c, *at = np.argwhere(wrong)[0].tolist()
                where = (some.start + c, *at)
                refuse(place, f"0 at {where}, where a value is missing", values[where])
            parts.append(values[some][np.tril(observed) if self.matrices else observed])
        return numbers(np.concatenate(parts), place)

    def read(self, array: Raw, place: str, meaning: str) -> FloatArray:
        """The arrays, with 0 where the file has nothing."""
        m, d = self.observed.shape
        values, first = floats(array, place, self._before(m), meaning), 0  # before room is taken
        result = np.zeros((m, d, d) if self.matrices else (m, d))
        for some, observed in self.masks():
            chosen = np.tril(observed) if self.matrices else observed
            size = int(np.count_nonzero(chosen))
            result[some][chosen] = values[first : first + size]
            first += size
        if self.matrices:
            for i in range(1, d):
                result[:, :i, i] = result[:, i, :i]
        return result

    def position(self, c: int, i: int) -> int:
        """Where in the file's array entry i, or (i, i), of array c stands."""
        row = int(np.count_nonzero(self.observed[c, :i]))
        return self._before(c) + (_size(row) + row if self.matrices else row)

    def _before(self, c: int) -> int:
        """How many entries come before array c."""
        counts = np.count_nonzero(self.observed[:c], axis=1).tolist()
        return sum(map(_size, counts)) if self.matrices else sum(counts)


def _size(n_features: int) -> int:
    return n_features * (n_features + 1) // 2


def write_statistics(statistics: GaussianStatistics | SpannedStatistics) -> StatisticsRecord:
    """Statistics as a record: flat arrays, matrices as lower triangles."""
    if isinstance(statistics, SpannedStatistics):
        statistics = statistics.inner
    moments, layout = statistics.moments, LAYOUTS[statistics.moments.layout]
    observed, scatters = np.ones(moments.anchor.shape, dtype=bool), layout.stacked(moments.scatter)
    with within("cells"):
        written = None if statistics.cells is None else _write_cells(statistics.cells)
    return StatisticsRecord(
        moments.layout,
        numbers(moments.weight, "weight"),
        numbers(moments.anchor, "anchor"),
        numbers(moments.offset, "offset"),
        _Entries(observed[: len(scatters)], layout.correlated).write(scatters, "scatter"),
        written,
    )


def read_statistics(
    record: StatisticsRecord, family: Gaussian | Spanned, names: Schema
) -> GaussianStatistics | SpannedStatistics:
    """The statistics of the classes and columns that `names` has, which the settings can use."""
    if isinstance(family, Spanned):
        if record.layout != "full" or record.cells is not None:
            refuse("layout", "'full', without cells, in the span of rows", repr(record.layout))
        inner = read_statistics(record, Gaussian(), _directions(family, names))
        assert isinstance(inner, GaussianStatistics)
        return SpannedStatistics(family.span, inner)
    k, d, layout = names.classes.shape[0], names.n_features, LAYOUTS[record.layout]
    structure = family.structure
    if structure.shape.correlated and not layout.correlated:
        refuse("layout", "one with correlations for full covariances", repr(layout.name))
    if not structure.shared and not layout.by_class:
        refuse("layout", "one of each class for covariances that are not shared", repr(layout.name))
    each = ", one for each class and feature"
    weight = floats(record.weight, "weight", k, ", one for each class")
    anchor = floats(record.anchor, "anchor", k * d, each).reshape(k, d)
    offset = floats(record.offset, "offset", k * d, each).reshape(k, d)
    entries = _Entries(np.ones((k, d), dtype=bool))
    m = k if layout.by_class else 1
    if layout.correlated:
        each = f", {m} lower triangle{'' if m == 1 else 's'} of {d} features"
    scatter = _Entries(entries.observed[:m], layout.correlated)
    scatters = scatter.read(record.scatter, "scatter", each)
    check_weights(weight, "weight")
    _check_mean(anchor, offset, entries)
    _check_scatter(scatters, scatter)
    scatters = scatters.reshape(scatter_shape(layout.name, k, d))
    moments = ClassMoments(weight, anchor, offset, scatters, layout.name)
    if record.cells is None:
        return GaussianStatistics(moments)
    with within("cells"):
        cells = _read_cells(record.cells, moments)
    with np.errstate(over="ignore"):
        total = cells.weight.sum() + moments.weight.sum()
    if not np.isfinite(total):
        refuse("cells.weight", "weights with a finite sum, together with those of complete rows")
    return GaussianStatistics(moments, cells)


def _check_mean(anchor: FloatArray, offset: FloatArray, entries: _Entries) -> None:
    """Raise for means, anchor + offset (k, d), that no rows have."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(anchor + offset)
    if not finite.all():
        c, i = np.argwhere(~finite)[0].tolist()
        refuse(f"offset[{entries.position(c, i)}]", "a finite mean with the anchor", offset[c, i])


def _write_cells(cells: PatternMoments) -> CellsRecord:
    entries = _Entries(cells.observed)
    scatter = _Entries(cells.observed[cells.varied], LAYOUTS[cells.layout].correlated)
    digits = (cells.observed.astype(np.uint8) + ord("0")).tobytes().decode("ascii")
    d = cells.n_features
    return CellsRecord(
        integer_array(cells.codes),
        [digits[start : start + d] for start in range(0, len(digits), d)],
        numbers(cells.weight, "weight"),
        entries.write(cells.anchor, "anchor"),
        entries.write(cells.offset, "offset"),
        integer_array(cells.varied),
        scatter.write(cells.scatter, "scatter"),
    )


def _read_cells(record: CellsRecord, moments: ClassMoments) -> PatternMoments:
    """The cells of rows with missing values, beside the moments of the complete ones."""
    k, d = moments.n_classes, moments.n_features
    layout = cell_layout(moments.layout)
    q, each = len(record.observed), ", one for each entry of observed"
    if not q:
        refuse("observed", "an array of at least one pattern")
    codes = integers(record.classes, "classes", q, 0, k - 1, each)
    observed = _patterns(record.observed, d)
    _check_order(codes.tolist(), record.observed, d)
    varied = integers(record.varied, "varied", None, 0, q - 1, longest=q).astype(np.intp)
    if not (np.diff(varied) > 0).all():
        refuse("varied", "numbers of different cells in increasing order")
    try:
        check_size(q, varied.size, observed, layout)
    except DataError as error:
        refuse("observed", f"fewer patterns: {error}")
    weight = floats(record.weight, "weight", q, each)
    if not (weight > 0).all():
        at = int(np.argmin(weight > 0))
        refuse(f"weight[{at}]", "a weight above 0", weight[at])
    check_weights(weight, "weight")
    entries, meaning = _Entries(observed), ", one for each value that is observed"
    anchor = entries.read(record.anchor, "anchor", meaning)
    offset = entries.read(record.offset, "offset", meaning)
    _check_mean(anchor, offset, entries)
    meaning = ", one for each observed value of those that are varied"
    if layout == "full":
        meaning = ", a lower triangle of the observed features for each entry of varied"
    entries = _Entries(observed[varied], matrices=layout == "full")
    scatter = entries.read(record.scatter, "scatter", meaning)
    _check_scatter(scatter, entries)
    return PatternMoments(
        codes.astype(np.int32), observed, weight, anchor, offset, varied, scatter, layout
    )


def _patterns(strings: Sequence[str], d: int) -> Observed:
    for at, pattern in enumerate(strings):
        if len(pattern) != d or pattern.strip("01"):
            expected = f"a string of {d} characters, 1 for a value that is observed, else 0"
            refuse(f"observed[{at}]", expected, f"{pattern!r:.80}")
    digits = np.frombuffer("".join(strings).encode("ascii"), np.uint8)
    return np.asarray(digits == ord("1")).reshape(len(strings), d)


def _check_order(codes: Sequence[int], patterns: Sequence[str], d: int) -> None:
    """Raise unless the cells are sorted, each comes once and none is complete."""
    complete = "1" * d
    if complete in patterns:
        at = patterns.index(complete)
        refuse(f"observed[{at}]", "a pattern in which a value is missing", repr(complete)[:80])
    cells = zip(codes, patterns, strict=True)
    for at, (before, after) in enumerate(pairwise(cells), start=1):
        if not before < after:
            expected = "classes, and patterns of each class, that are sorted and different"
            got = f"{after[1]!r:.80} of class {after[0]} after {before[1]!r:.80} of class "
            refuse(f"observed[{at}]", expected, f"{got}{before[0]}")


def _directions(family: Spanned, names: Schema) -> Schema:
    """What messages call the coordinates in the span, which must be of these features."""
    if family.span.n_columns != names.n_features:
        refuse(
            "", f"from settings with a span of {names.n_features} features", family.span.n_columns
        )
    return directions(names, family.span)


def write_density(density: GaussianDensity | StudentDensity | SpannedDensity) -> DensityRecord:
    degrees = np.empty(0) if density.degrees is None else density.degrees
    outside = density.outside if isinstance(density, SpannedDensity) else np.empty(0)
    density, place = density.gaussian, "covariance"
    values, d = density.covariance.parameters, density.n_columns
    entries = _Entries(np.ones((len(values), d), dtype=bool), matrices=True)
    return DensityRecord(
        numbers(density.center, "center"),
        numbers(density.offset, "offset"),
        entries.write(values, place) if values.ndim == 3 else numbers(values, place),
        numbers(degrees, "degrees"),
        numbers(outside, "outside"),
    )


def read_density(
    record: DensityRecord, family: Gaussian | Spanned, names: Schema
) -> GaussianDensity | StudentDensity | SpannedDensity:
    """The densities of the classes and columns that `names` has."""
    if isinstance(family, Spanned):
        return _read_spanned(record, family, names)
    floats(record.outside, "outside", 0, " without a span")
    k, d = names.classes.shape[0], names.n_features
    center = floats(record.center, "center", d, ", one for each feature")
    each = ", one for each class and feature"
    offset = floats(record.offset, "offset", k * d, each).reshape(k, d)
    predictive = family.estimation == "predictive"
    structure = STRUCTURES["QDA"] if predictive else family.structure
    covariance = _read_covariance(record.covariance, structure, names, family.regularisation)
    _check_mean(center, offset, _Entries(np.ones((k, d), dtype=bool)))
    density = GaussianDensity(center, offset, covariance)
    each = ", one for each class of Student-t densities"
    degrees = floats(record.degrees, "degrees", k if predictive else 0, each)
    if not predictive:
        return density
    if not (degrees > 2).all():
        refuse("degrees", "degrees of freedom above 2", degrees.min())
    return StudentDensity(density, degrees)


def _read_spanned(record: DensityRecord, family: Spanned, names: Schema) -> SpannedDensity:
    plain = replace(record, outside=Raw(b"[]"))
    inner = read_density(plain, family.family, _directions(family, names))
    covariance = inner.gaussian.covariance
    each = ", one for each covariance"
    outside = floats(record.outside, "outside", covariance.n_covariances, each)
    least = np.linalg.eigvalsh(covariance.values)[:, 0]
    if not ((outside > 0) & (outside <= least * (1.0 + _ROUNDING))).all():
        refuse("outside", "variances above 0, and none above those in the span", outside.tolist())
    return SpannedDensity(family.span, inner.gaussian, outside, inner.degrees)


def _read_covariance(
    array: Raw, structure: Structure, names: Schema, regularisation: Regularisation
) -> Shape:
    place, d, shape = "covariance", names.n_features, structure.shape
    m = structure.n_covariances(names.classes.shape[0])
    meaning = f", {m} {shape.name} covariance{'' if m == 1 else 's'}"
    if shape.correlated:
        entries = _Entries(np.ones((m, d), dtype=bool), matrices=True)
        values = entries.read(array, place, meaning)
        _check_squares(values, place, entries)
        if regularisation.rank_tolerance is not None:
            _check_scatter(values, entries, place)
    else:
        dimensions = (m, *shape.dimensions(d))
        values = floats(array, place, prod(dimensions), meaning).reshape(dimensions)
    try:
        with np.errstate(all="ignore"):
            covariance = regularisation.shape_of(shape, values, names)
    except (OptionError, np.linalg.LinAlgError) as error:
        refuse(place, f"covariances that are positive definite: {error}")
    if not (np.isfinite(covariance.whitener).all() and np.isfinite(covariance.log_det).all()):
        refuse(place, "covariances that can be inverted; these are too large or too small")
    return covariance


def _check_scatter(scatter: FloatArray, entries: _Entries, place: str = "scatter") -> None:
    """Raise for scatters (m, d, d), or sums of squares (m, d), that no rows have.

    Matrices must be positive semi-definite, but for rounding. Each feature is measured in units of
    its largest sum of squares in any of them, so that units do not matter; what is left when rows
    have been removed may be rounding of that size.
    """
    squares, d = _check_squares(scatter, place, entries), scatter.shape[1]
    unit = 1.0 / np.sqrt(squares.max(axis=0, initial=_UNDERFLOW))
    nonzero = np.flatnonzero(scatter.any(axis=(1, 2))) if entries.matrices else np.empty(0)
    for some in ranges(nonzero.size, max(1, _TOGETHER // max(1, d * d))):
        scaled = scatter[nonzero[some]]
        with np.errstate(all="ignore"):  # what overflows has no factor
            scaled *= unit[:, None]
            scaled *= unit
            np.einsum("mii->mi", scaled)[...] += _ROUNDING
            good = cholesky(scaled)
        if good < scaled.shape[0]:
            c = int(nonzero[some.start + good])
            refuse(place, f"positive semi-definite, as sums of squares are; matrix {c} is not")


def _check_squares(values: FloatArray, place: str, entries: _Entries) -> FloatArray:
    """Raise for a sum of squares below 0; all of them (m, d)."""
    squares = np.einsum("mii->mi", values) if entries.matrices else values
    if (squares < 0).any():
        c, i = np.argwhere(squares < 0)[0].tolist()
        expected = "a sum of squares, which is not negative"
        refuse(f"{place}[{entries.position(c, i)}]", expected, squares[c, i])
    return squares
