"""The Gaussian family in a model file: settings, statistics and densities ↔ records.

Symmetric matrices are written as their lower triangles, row by row: half the size, and symmetric
always. Of rows with missing values only what was observed is written.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Raw
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, ParameterError
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
from gaussbayes.families.gaussian.factor import cholesky
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.scatter import LAYOUTS
from gaussbayes.families.gaussian.shapes import Shape
from gaussbayes.families.gaussian.statistics import GaussianStatistics
from gaussbayes.families.gaussian.structure import Structure

_ROUNDING = 1e-8
"""Proportion of the features' sums of squares by which an eigenvalue may be below zero."""

_UNDERFLOW = 1e-290
"""Sums of squares below this may have lost all their digits, the products beside them not."""

_TOGETHER = 1 << 18
"""Entries of matrices that are looked at in one step: many small matrices, or one large one."""

_PICKED = 1 << 22
"""Entries of scatters that are picked in one step."""

Proportion: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Pattern: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": "^[01]+$"})]
Observed: TypeAlias = NDArray[np.bool_]
Position: TypeAlias = Callable[[int, int, int], int]
"""Where in the file's array entry (i, j), j ≤ i, of matrix c stands."""


class SettingsRecord(Record, frozen=True):
    """How statistics become densities."""

    covariance: CovarianceName
    sharing: Annotated[
        float,
        Meta(ge=0, le=1, description="0: own covariances, 1: one for all classes, RDA between"),
    ]
    divisor: Divisor
    shrinkage: Proportion | Literal["oas"] | None


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
    """Means, center + offset, and covariances."""

    center: Numbers
    offset: Numbers
    covariance: Numbers


def write_settings(family: Gaussian) -> SettingsRecord:
    """The settings as a record."""
    structure = family.structure
    return SettingsRecord(
        structure.covariance, float(structure.sharing), family.divisor, family.shrinkage
    )


def read_settings(record: SettingsRecord) -> Gaussian:
    """The family with these settings."""
    structure = Structure(record.covariance, record.sharing)
    return Gaussian(structure, record.divisor, record.shrinkage)


# Statistics.


def write_statistics(statistics: GaussianStatistics) -> StatisticsRecord:
    """Statistics as a record: flat arrays, matrices as lower triangles."""
    moments, cells = statistics.moments, statistics.cells
    matrices = LAYOUTS[moments.layout].matrices(moments.scatter)
    scatter = moments.scatter if matrices is None else _triangles(matrices, "scatter")
    with within("cells"):
        written = None if cells is None else _write_cells(cells)
    return StatisticsRecord(
        moments.layout,
        numbers(moments.weight, "weight"),
        numbers(moments.anchor, "anchor"),
        numbers(moments.offset, "offset"),
        numbers(scatter, "scatter"),
        written,
    )


def read_statistics(
    record: StatisticsRecord, family: Gaussian, names: Schema
) -> GaussianStatistics:
    """The statistics of the classes and columns that `names` has, which the settings can use."""
    k, d, layout = names.classes.shape[0], names.n_features, record.layout
    structure = family.structure
    if structure.shape.correlated and layout == "diagonal":
        refuse("layout", "one with correlations for full covariances", repr(layout))
    if not structure.shared and layout == "pooled":
        refuse("layout", "one of each class for covariances that are not shared", repr(layout))
    each = ", one for each class and feature"
    moments = ClassMoments(
        floats(record.weight, "weight", k, ", one for each class"),
        floats(record.anchor, "anchor", k * d, each).reshape(k, d),
        floats(record.offset, "offset", k * d, each).reshape(k, d),
        _read_scatter(record.scatter, k, d, layout),
        layout,
    )
    there = np.ones((k, d), dtype=bool)
    check_weights(moments.weight, "weight")
    _check_mean(moments.anchor, moments.offset, there)
    _check_scatter(moments.scatter, layout, there)
    if record.cells is None:
        return GaussianStatistics(moments)
    with within("cells"):
        cells = _read_cells(record.cells, moments)
    with np.errstate(over="ignore"):
        total = cells.weight.sum() + moments.weight.sum()
    if not np.isfinite(total):
        refuse("cells.weight", "weights with a finite sum, together with those of complete rows")
    return GaussianStatistics(moments, cells)


def _read_scatter(array: Raw, k: int, d: int, layout: ScatterLayout) -> FloatArray:
    shape = LAYOUTS[layout].shape(k, d)
    if layout == "diagonal":
        return floats(array, "scatter", k * d, ", one for each class and feature").reshape(shape)
    m = k if LAYOUTS[layout].by_class else 1
    meaning = f", {m} lower triangle{'' if m == 1 else 's'} of {d} features"
    return _matrices(floats(array, "scatter", m * _size(d), meaning), m, d).reshape(shape)


def _check_mean(anchor: FloatArray, offset: FloatArray, there: Observed) -> None:
    """Raise for means (k, d) that no rows have; `there` are the features that the file has."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(anchor + offset)
    if not finite.all():
        c, i = np.argwhere(~finite)[0].tolist()
        refuse(f"offset[{_position(there, c, i)}]", "a finite mean with the anchor", offset[c, i])


def _check_scatter(scatter: FloatArray, layout: ScatterLayout, there: Observed) -> None:
    """Raise for scatters that no rows have; `there` (m, d) are the features that each is of."""
    matrices = LAYOUTS[layout].matrices(scatter)
    if matrices is not None:

        def position(c: int, i: int, j: int) -> int:
            before = sum(map(_size, np.count_nonzero(there[:c], axis=1).tolist()))
            row, column = (int(np.count_nonzero(there[c, :at])) for at in (i, j))
            return before + _size(row) + column

        _check_definite(matrices, "scatter", position)
    elif not (scatter >= 0).all():
        c, i = np.argwhere(~(scatter >= 0))[0].tolist()
        place = f"scatter[{_position(there, c, i)}]"
        refuse(place, "a sum of squares, which is not negative", scatter[c, i])


def _position(there: Observed, c: int, i: int) -> int:
    """Where feature i of class c stands in a flat array of what is there."""
    return int(np.count_nonzero(there[:c])) + int(np.count_nonzero(there[c, :i]))


# Cells: rows with missing values.


def _write_cells(cells: PatternMoments) -> CellsRecord:
    there, layout = cells.observed, cells.layout
    of_scatter = there[cells.varied]
    for name, values in (("anchor", cells.anchor), ("offset", cells.offset)):
        _check_unobserved(values, there, name)
    if layout == "diagonal":
        _check_unobserved(cells.scatter, of_scatter, "scatter")
        scatter = cells.scatter[of_scatter]
    else:
        _check_symmetric(cells.scatter, "scatter")
        parts = []
        for some in _steps(of_scatter):
            lower = _lower(of_scatter[some])
            _check_unobserved(np.tril(cells.scatter[some]), lower, "scatter")
            parts.append(cells.scatter[some][lower])
        scatter = np.concatenate([np.empty(0), *parts])
    return CellsRecord(
        integer_array(cells.codes),
        _strings(there),
        numbers(cells.weight, "weight"),
        numbers(cells.anchor[there], "anchor"),
        numbers(cells.offset[there], "offset"),
        integer_array(cells.varied),
        numbers(scatter, "scatter"),
    )


def _read_cells(record: CellsRecord, moments: ClassMoments) -> PatternMoments:
    """The cells of rows with missing values, beside the moments of the complete ones."""
    k, d = moments.n_classes, moments.n_features
    layout = cell_layout(moments.layout)
    q, each = len(record.observed), ", one for each entry of observed"
    if not q:
        refuse("observed", "an array of at least one pattern")
    codes = integers(record.classes, "classes", q, 0, k - 1, each)
    there = _patterns(record.observed, d)
    _check_order(codes.tolist(), record.observed, d)
    varied = integers(record.varied, "varied", None, 0, q - 1, longest=q).astype(np.intp)
    if not (np.diff(varied) > 0).all():
        refuse("varied", "numbers of different cells in increasing order")
    try:
        check_size(q, varied.size, there, layout)
    except DataError as error:
        refuse("observed", f"fewer patterns: {error}")
    weight = floats(record.weight, "weight", q, each)
    if not (weight > 0).all():
        at = int(np.argmin(weight > 0))
        refuse(f"weight[{at}]", "a weight above 0", weight[at])
    check_weights(weight, "weight")
    anchor, offset = np.zeros((q, d)), np.zeros((q, d))
    n, meaning = int(np.count_nonzero(there)), ", one for each value that is observed"
    anchor[there] = floats(record.anchor, "anchor", n, meaning)
    offset[there] = floats(record.offset, "offset", n, meaning)
    _check_mean(anchor, offset, there)
    scatter = _read_cell_scatter(record.scatter, there[varied], layout)
    _check_scatter(scatter, layout, there[varied])
    return PatternMoments(
        codes.astype(np.int32), there, weight, anchor, offset, varied, scatter, layout
    )


def _read_cell_scatter(array: Raw, there: Observed, layout: ScatterLayout) -> FloatArray:
    v, d = there.shape
    if layout == "diagonal":
        scatter = np.zeros((v, d))
        meaning = ", one for each observed value of those that are varied"
        scatter[there] = floats(array, "scatter", int(np.count_nonzero(there)), meaning)
        return scatter
    count = sum(map(_size, np.count_nonzero(there, axis=1).tolist()))
    meaning = ", a lower triangle of the observed features for each entry of varied"
    values, scatter, first = floats(array, "scatter", count, meaning), np.zeros((v, d, d)), 0
    for some in _steps(there):
        lower = _lower(there[some])
        size = int(np.count_nonzero(lower))
        scatter[some][lower] = values[first : first + size]
        first += size
    for i in range(1, d):
        scatter[:, :i, i] = scatter[:, i, :i]
    return scatter


def _strings(there: Observed) -> list[str]:
    """Patterns (q, d) as strings of 0 and 1."""
    q, d = there.shape
    digits = (there.astype(np.uint8) + ord("0")).tobytes().decode("ascii")
    return [digits[at * d : (at + 1) * d] for at in range(q)]


def _patterns(strings: Sequence[str], d: int) -> Observed:
    for at, pattern in enumerate(strings):
        if len(pattern) != d or pattern.strip("01"):
            expected = f"a string of {d} characters, 1 for a value that is observed, else 0"
            refuse(f"observed[{at}]", expected, f"{pattern!r:.80}")
    digits = np.frombuffer("".join(strings).encode("ascii"), np.uint8)
    there: Observed = (digits == ord("1")).reshape(len(strings), d)
    return there


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


def _check_unobserved(values: FloatArray, there: Observed, place: str) -> None:
    """Raise if there is something where nothing was observed: no file would have it."""
    wrong = ~there & (values != 0)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0].tolist())
        refuse(place, f"0 at {at}, where a value is missing", values[at])


def _lower(there: Observed) -> Observed:
    """Which entries (q, d, d) of lower triangles have both of their features."""
    return np.tril(there[:, :, None] & there[:, None, :])


def _steps(there: Observed) -> Iterator[slice]:
    q, d = there.shape
    yield from ranges(q, max(1, _PICKED // max(1, d * d)))


# Densities.


def write_density(density: GaussianDensity) -> DensityRecord:
    """Densities as a record."""
    shape = density.covariance
    values = _triangles(shape.values, "covariance") if shape.correlated else shape.values
    return DensityRecord(
        numbers(density.center, "center"),
        numbers(density.offset, "offset"),
        numbers(values, "covariance"),
    )


def read_density(record: DensityRecord, family: Gaussian, names: Schema) -> GaussianDensity:
    """The densities of the classes and columns that `names` has."""
    k, d = names.classes.shape[0], names.n_features
    each = ", one for each class and feature"
    density = GaussianDensity(
        floats(record.center, "center", d, ", one for each feature"),
        floats(record.offset, "offset", k * d, each).reshape(k, d),
        _read_covariance(record.covariance, family.structure, names),
    )
    with np.errstate(over="ignore"):
        mean = density.mean
    if not np.isfinite(mean).all():
        at = int(np.argmin(np.isfinite(mean)))
        refuse(f"offset[{at}]", "a finite mean with the center", mean.flat[at])
    return density


def _read_covariance(array: Raw, structure: Structure, names: Schema) -> Shape:
    place, d, shape = "covariance", names.n_features, structure.shape
    m = structure.n_covariances(names.classes.shape[0])
    meaning = f", {m} {shape.name} covariance{'' if m == 1 else 's'}"
    size = _size(d) if shape.correlated else int(np.prod(shape.dimensions(d)))
    values = floats(array, place, m * size, meaning)
    if shape.correlated:
        values = _matrices(values, m, d)
        _check_entries(values, place)
    values = values.reshape(m, *shape.dimensions(d))
    try:
        with np.errstate(all="ignore"):
            covariance = shape.of(values, names)
    except (ParameterError, np.linalg.LinAlgError) as error:
        refuse(place, f"covariances that are positive definite: {error}")
    if not (np.isfinite(covariance.whitener).all() and np.isfinite(covariance.log_det).all()):
        refuse(place, "covariances that can be inverted; these are too large or too small")
    return covariance


# Symmetric matrices.


def _size(n_features: int) -> int:
    """How many entries a triangle has."""
    return n_features * (n_features + 1) // 2


def _triangles(matrices: FloatArray, place: str) -> FloatArray:
    """Lower triangles (m, d (d + 1) / 2) of matrices (m, d, d) that are symmetric to the bit.

    Examples
    --------
    >>> _triangles(np.array([[[1.0, 2.0], [2.0, 5.0]]]), "scatter").tolist()
    [[1.0, 2.0, 5.0]]
    """
    m, d, _ = matrices.shape
    _check_symmetric(matrices, place)
    lower: FloatArray = matrices[:, *np.tril_indices(d)].reshape(m, _size(d))
    return lower


def _matrices(triangles: FloatArray, m: int, d: int) -> FloatArray:
    """Matrices (m, d, d) from a flat array of their lower triangles.

    Examples
    --------
    >>> _matrices(np.array([1.0, 2.0, 5.0]), 1, 2).tolist()
    [[[1.0, 2.0], [2.0, 5.0]]]
    """
    matrices, rows = np.empty((m, d, d)), triangles.reshape(m, _size(d))
    # Row by row: arrays of indices would take twice the room of the matrices.
    for i in range(d):
        row = rows[:, _size(i) : _size(i + 1)]
        matrices[:, i, : i + 1] = row
        matrices[:, : i + 1, i] = row
    return matrices


def _check_symmetric(matrices: FloatArray, place: str) -> None:
    """Raise unless matrices (m, d, d) are symmetric to the bit."""
    bits = np.ascontiguousarray(matrices).view(np.int64)
    unlike = np.argwhere(bits != bits.transpose(0, 2, 1))
    if unlike.size:
        c, i, j = unlike[0].tolist()
        expected = f"symmetric, use (S + Sᵀ) / 2: entry ({i}, {j}) of matrix {c} is"
        got = f"entry ({j}, {i}), {matrices[c, j, i]}"
        refuse(place, f"{expected} {matrices[c, i, j]}", got)


def _check_definite(matrices: FloatArray, place: str, position: Position) -> None:
    """Raise unless symmetric matrices (m, d, d) are positive semi-definite, but for rounding.

    Each feature is measured in units of its largest sum of squares in any of the matrices, so that
    units do not matter; what is left when rows have been removed may be rounding of that size.
    """
    unit = _check_entries(matrices, place, position)
    d = matrices.shape[1]
    nonzero = np.flatnonzero(matrices.any(axis=(1, 2)))  # a single row has no scatter
    for some in ranges(nonzero.size, max(1, _TOGETHER // max(1, d * d))):
        scaled = matrices[nonzero[some]]
        scaled *= unit[:, None]
        scaled *= unit
        np.einsum("mii->mi", scaled)[...] += _ROUNDING
        good = cholesky(scaled)
        if good < scaled.shape[0]:
            c = int(nonzero[some.start + good])
            refuse(place, f"positive semi-definite, as sums of squares are; matrix {c} is not")


def _check_entries(
    matrices: FloatArray, place: str, position: Position | None = None
) -> FloatArray:
    """Raise if an entry of symmetric matrices (m, d, d) is larger than its two features allow.

    Returns the units of the features (d,) as `_check_definite` has them: times the units of both
    of its features, an entry is at most 1.

    Examples
    --------
    >>> _check_entries(np.array([[[4.0, 1.0], [1.0, 25.0]]]), "scatter").tolist()
    [0.5, 0.2]
    """
    d = matrices.shape[1]
    at = position or (lambda c, i, j: c * _size(d) + _size(i) + j)
    squares = np.einsum("mii->mi", matrices)
    if (squares < 0).any():
        c, i = np.argwhere(squares < 0)[0].tolist()
        expected = "a sum of squares, which is not negative"
        refuse(f"{place}[{at(c, i, i)}]", expected, squares[c, i])
    unit: FloatArray = 1.0 / np.sqrt(squares.max(axis=0, initial=_UNDERFLOW))
    # In these units |sᵢⱼ| ≤ √(sᵢᵢ sⱼⱼ) ≤ 1, and 0 if one of the features does not vary.
    bound = np.sqrt(squares * unit * unit)
    for i in range(d):
        with np.errstate(over="ignore"):
            row = matrices[:, i, :i] * unit[i]
            row *= unit[:i]
        wrong = np.abs(row) > bound[:, i, None] * bound[:, :i] + _ROUNDING
        if wrong.any():
            c, j = np.argwhere(wrong)[0].tolist()
            own = f"{matrices[c, i, i]} × {matrices[c, j, j]}"
            expected = f"at most √({own}), by the features' own sums of squares"
            refuse(f"{place}[{at(c, i, j)}]", expected, matrices[c, i, j])
    return unit
