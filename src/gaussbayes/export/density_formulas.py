"""``log p(x | c)`` of each class, for each record of `gaussbayes.families.expression`.

Common terms of all classes, such as the slopes of transforms, are kept separately: they are part of
the evidence, and would only make posteriors less accurate. For the same reason deviations are
relative to a centre.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import reduce, singledispatch
from operator import and_
from typing import Any

import numpy as np
from scipy.special import gammaln

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.export.ops import MOST_STORED, Operand, Ops, Value, choose, join, total
from gaussbayes.families import expression as records

_LARGEST_COUNT = 2.0**53
_SMALL_COUNTS = 16
"""Log-factorials of counts below this are tabulated."""

_BITS = 50
"""Columns whose missing values are the bits of one float."""


@dataclass(frozen=True, slots=True)
class Terms:
    """``log p(x | c)`` (n, k) minus the common term of all classes (n, 1).

    Rows for which one of the conditions is true have no score.
    """

    by_class: Value
    common: tuple[Value, ...] = ()
    excluded: tuple[Value, ...] = ()


def density_terms(record: Any, ops: Ops, columns: Sequence[int]) -> Terms:
    """The terms of a density of these columns of the table."""
    if isinstance(record, records.ValueTables):
        return _table_terms(record, ops, columns)
    if isinstance(record, records.PairTables):
        return _pair_terms(record, ops, columns)
    return number_terms(record, ops.numbers(columns))


@singledispatch
def number_terms(record: Any, x: Value) -> Terms:
    """The terms of a density of columns of numbers (n, d)."""
    del x
    msg = f"{type(record).__name__} cannot be exported; export the model without its features"
    raise OptionError(msg)


# Gaussian and Student-t densities.


@number_terms.register
def _(record: records.DiagonalForm, x: Value) -> Terms:
    y = (x - record.center).bind()
    scales = np.broadcast_to(record.scale, record.offset.shape) * np.sqrt(0.5)
    by_class = []
    for offset, scale, constant in zip(record.offset, scales, record.log_constant, strict=True):
        distance = ((y - offset) * scale).bind()
        by_class.append((constant - distance * distance).otherwise(0.0).sum())
    return Terms(join(by_class))


@number_terms.register
def _(record: records.QuadraticForm, x: Value) -> Terms:
    y, d = (x - record.center).bind(), x.width
    patterns = _Patterns.of(record, y)
    squares = _squares(record, y, patterns)
    constants: Any = [record.log_constant, *(each.log_constant for each in patterns.incomplete)]
    counts: Any = [[d], *([each.observed.sum()] for each in patterns.incomplete)]
    terms = of_distance(squares, patterns.value(constants), record.degrees, patterns.value(counts))
    return Terms(choose([(_nothing(y), 0.0)], x.ops.completed(record, y, terms)))


@number_terms.register
def _(record: records.SpannedForm, x: Value) -> Terms:
    scaled = ((x - record.center) / record.unit).bind()
    z = (scaled @ record.basis).bind()
    outside = ((scaled * scaled).sum() - (z * z).sum()).bind()
    outside = choose([(outside < 0.0, 0.0)], outside)
    squares = _squares(record.inner, (z - record.inner.center).bind(), _Patterns([], None))
    distance = squares + outside / record.outside
    terms = of_distance(distance, record.log_constant, record.degrees, float(x.width))
    return Terms(choose([(_nothing(scaled), 0.0)], terms))


def of_distance(
    squares: Value,
    constants: "Value | FloatArray",
    degrees: FloatArray | None,
    n_columns: "Value | FloatArray | float",
) -> Value:
    """Log-densities (n, k) of squared distances, Gaussian or with degrees of freedom (k,)."""
    if degrees is None:
        return constants - 0.5 * squares
    power = 0.5 * (n_columns + degrees)
    return constants - power * (squares / degrees).log1p()


def _nothing(x: Value) -> Value:
    """Whether all columns are missing."""
    return choose([(x.is_missing(), 1.0)], 0.0).sum().equals(float(x.width)).bind()


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of missing values, and the number of the pattern of each row; 0 is complete."""

    incomplete: list[records.Pattern]
    number: Value | None  # missing if the pattern is another; None if there is no incomplete one

    @classmethod
    def of(cls, record: records.QuadraticForm, y: Value) -> "_Patterns":
        """The patterns of deviations that the engine lists."""
        observed = y.ops.patterns(record, y)
        if not len(observed):
            return cls([], None)
        bits = np.arange(y.width)[:, None]
        groups = np.exp2(bits % _BITS) * (bits // _BITS == np.arange(-(-y.width // _BITS)))
        masks = (choose([(y.is_missing(), 1.0)], 0.0) @ groups).bind()
        cases = []
        for number, pattern in enumerate(np.vstack([np.full(y.width, True), observed])):
            same = masks.equals(np.logical_not(pattern) @ groups)
            condition = reduce(and_, (same.take([column]) for column in range(same.width)))
            cases.append((condition, float(number)))
        return cls([record.pattern(each) for each in observed], choose(cases, np.nan).bind())

    def value(self, rows: Sequence[Any]) -> Any:
        """Select a row of constants by pattern: the first is for complete rows."""
        table = np.asarray(rows, dtype=np.float64)
        return table[0] if self.number is None else self.number.lookup(table)

    def filled(self, deviations: Value, shape: int) -> Value:
        """Deviations with conditional expectations for missing ones."""
        if self.number is None:
            return deviations
        columns = [deviations.take([j]) for j in range(deviations.width)]
        cases: list[list[tuple[Value, Operand]]] = [[] for _ in columns]
        for number, pattern in enumerate(self.incomplete, 1):
            present = deviations.take(np.flatnonzero(pattern.observed).tolist())
            expected = present @ pattern.fill[shape].T
            for place, j in enumerate(np.flatnonzero(~pattern.observed).tolist()):
                cases[j].append((self.number.equals(float(number)), expected.take([place])))
        filled = zip(columns, cases, strict=True)
        return join([x.otherwise(choose(some, np.nan)) if some else x for x, some in filled]).bind()


def _squares(record: records.QuadraticForm, y: Value, patterns: _Patterns) -> Value:
    """Squared distances (n, k) of deviations from the common centre."""
    squares = []
    if len(record.whitener) < len(record.offset):  # shared: rows are whitened once
        whitener = record.whitener[0].T
        white = (patterns.filled(y, 0) @ whitener).bind()
        for offset in record.offset:
            offsets = [offset, *(pattern.filled(offset) for pattern in patterns.incomplete)]
            apart = (white - patterns.value([each @ whitener for each in offsets])).bind()
            squares.append((apart * apart).sum())
    else:
        for c, offset in enumerate(record.offset):
            filled = patterns.filled((y - offset).bind(), c)
            white = (filled @ record.whitener[c].T).bind()
            squares.append((white * white).sum())
    return join(squares).bind()


# Tables and counts.


def _table_terms(record: records.ValueTables, ops: Ops, columns: Sequence[int]) -> Terms:
    terms = []
    for table in record.tables:
        codes = ops.codes(columns[table.column], table.values, missing=False)
        terms.append(codes.lookup(np.maximum(table.log_probability.T, ops.impossible), 0.0))
    return Terms(total(terms))


def _pair_terms(record: records.PairTables, ops: Ops, columns: Sequence[int]) -> Terms:
    pairs = zip(record.columns, columns, strict=True)
    levels = [_level(each, ops, column).bind() for each, column in pairs]
    parents = [
        choose([(level.is_missing(), ops.impossible)], terms).bind()
        for level, terms in zip(levels, _parent_terms(record, levels), strict=True)
    ]
    there = join([choose([(level.is_missing(), 0.0)], 1.0) for level in levels]).sum().bind()
    shift = choose([(there < 1.0, 0.0)], choose([(there < 1.0, 1.0)], there).log()).bind()
    by_class = []
    for c in range(record.table.shape[2]):
        block = join([parent.take([c]) for parent in parents]).bind()
        top = block.largest().bind()
        added = (block - top).bind().exp().sum()
        by_class.append(choose([(there < 1.0, 0.0)], top + added.log() - shift))
    return Terms(join(by_class))


def _parent_terms(record: records.PairTables, levels: Sequence[Value]) -> list[Value]:
    """``Σ_j table[u_p, u_j]`` (n, k) of each parent p: a parent that is missing has 0."""
    sizes, k = [each.n_levels for each in record.columns], record.table.shape[2]
    ends = np.cumsum(sizes).tolist()
    places = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    sums: list[Value] = []
    pairs = ((i, j) for i in range(len(levels)) for j in range(i, -1, -1))
    for number, (i, j) in enumerate(pairs):
        if number % MOST_STORED == 0:
            sums = [terms.bind() for terms in sums]
        given = record.table[places[i], places[j]]
        if i == j:
            sums.append(levels[i].stored(np.einsum("uuk->uk", given)))
            continue
        of_both = np.concatenate([given, record.table[places[j], places[i]].swapaxes(0, 1)], axis=2)
        found = (levels[i] * float(sizes[j]) + levels[j]).stored(of_both.reshape(-1, 2 * k))
        sums[i] += found.take(range(k))
        sums[j] += found.take(range(k, 2 * k))
    return sums


def _level(record: records.LevelColumn, ops: Ops, column: int) -> Value:
    """The level of a column, missing for missing values."""
    if record.edges is None:
        codes = ops.codes(column, record.categories, missing=record.missing)
        levels = [*record.level, *[record.n_levels - 1] * record.missing]
        return codes.lookup(np.array(levels, dtype=np.float64))
    x = ops.numbers([column]).bind()
    below = [(x < float(edge), float(level)) for level, edge in enumerate(record.edges)]
    missing = float(record.n_levels - 1) if record.missing else np.nan
    return choose([(x.is_missing(), missing), *below], float(record.edges.size))


@number_terms.register
def _(record: records.PoissonRates, x: Value) -> Terms:
    rate, ops = record.rate, x.ops
    # Relative to the largest rate, so that common terms of x! and large counts cancel.
    reference = rate.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.where(rate > 0, np.log(rate) - np.log(reference), 0.0)
    counts = x.otherwise(0.0).bind()
    present = choose([(x.is_missing(), 0.0)], 1.0).bind()
    terms = counts @ logarithm.T - present @ (rate - reference).T
    if not rate.all():
        positive = choose([(counts > 0.0, 1.0)], 0.0).bind()
        terms += positive @ np.where(rate == 0, ops.impossible, 0.0).T
    is_count = (counts >= 0.0) & (counts <= _LARGEST_COUNT) & counts.floor().equals(counts)
    excluded = choose([(is_count, 0.0)], 1.0).equals(1.0).any()
    return Terms(terms, ((present * _log_poisson(counts, reference)).sum(),), (excluded,))


def _log_poisson(x: Value, rate: FloatArray) -> Value:
    """``x log λ − λ − log x!``; by Stirling's series for counts that are not small."""
    positive = np.where(rate > 0, rate, 1.0)  # elsewhere all counts are 0
    is_small = x < float(_SMALL_COUNTS)
    place = choose([(is_small & (x >= 0.0), x)], np.nan)
    factorial = place.lookup(gammaln(np.arange(_SMALL_COUNTS) + 1.0))
    small = x * np.log(positive) - rate - factorial
    large = choose([(is_small, float(_SMALL_COUNTS))], x).bind()
    inverse = (1.0 / large).bind()
    square = (inverse * inverse).bind()
    series: Any = -691.0 / 360360
    for coefficient in (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        series = coefficient + square * series
    stirling = 0.5 * (2.0 * np.pi * large).log() + inverse * series
    return choose(
        [(is_small, small)], large * (positive * inverse).log() + (large - rate) - stirling
    )


# Transforms and codes.


@number_terms.register
def _(record: records.TransformedColumns, x: Value) -> Terms:
    groups: dict[str, list[int]] = {}
    for j, transform in enumerate(record.transforms):
        groups.setdefault(transform.kind, []).append(j)
    columns, slopes, places = [], [], []
    for group in groups.values():
        transforms = [record.transforms[j] for j in group]
        z, slope = _TRANSFORMS[transforms[0].kind](x.take(group), transforms)
        columns.append(z)
        slopes.append(slope.otherwise(0.0).sum())
        places += group
    inner = number_terms(record.inner, join(columns).take(np.argsort(places).tolist()).bind())
    excluded = [(x.take(groups["log"]) <= 0.0).any()] if "log" in groups else []
    return Terms(inner.by_class, (*inner.common, *slopes), (*inner.excluded, *excluded))


def _parameters(transforms: Sequence[Any]) -> dict[str, FloatArray]:
    """The numbers of transforms of one kind, one array each."""
    names = [each.name for each in fields(transforms[0])]
    return {name: np.array([getattr(each, name) for each in transforms]) for name in names}


def _standardised(x: Value, transforms: Sequence[Any]) -> tuple[Value, Value]:
    p = _parameters(transforms)
    slope = choose([(x.is_missing(), np.nan)], -np.log(p["scale"]))
    return (x - p["center"]) / p["scale"], slope


def _logarithm(x: Value, transforms: Sequence[Any]) -> tuple[Value, Value]:
    p = _parameters(transforms)
    logarithm = choose([(x > 0.0, choose([(x > 0.0, x)], 1.0).log())], np.nan).bind()
    return (logarithm - p["center"]) / p["scale"], -np.log(p["scale"]) - logarithm


def _yeo_johnson(x: Value, transforms: Sequence[Any]) -> tuple[Value, Value]:
    p = _parameters(transforms)
    u = ((_clipped(x, p["lowest"], p["highest"]) - p["origin"]) / p["unit"]).bind()
    logarithm, negative = u.abs().log1p().bind(), u < 0.0
    exponent = choose([(negative, 2.0 - p["power"])], p["power"]).bind()
    divisor = choose([(exponent.equals(0.0), 1.0)], exponent)
    size = (exponent * logarithm).expm1() / divisor
    size = choose([(exponent.equals(0.0), logarithm)], size).bind()
    z = (choose([(negative, -1.0 * size)], size) - p["center"]) / p["scale"]
    slope = (exponent - 1.0) * logarithm - np.log(p["unit"] * p["scale"])
    ends = (p["lowest"], p["highest"], p["reach_below"], p["reach_above"])
    return _extended(x, z.bind(), slope.bind(), *ends)


def _clipped(x: Value, lowest: Any, highest: Any) -> Value:
    return choose([(x < lowest, lowest), (x > highest, highest)], x).bind()


def _extended(
    x: Value, z: Value, slope: Value, lowest: Any, highest: Any, below: Any, above: Any
) -> tuple[Value, Value]:
    """The logarithmic continuation beyond the ends, given z and its log slope there."""
    for sign, end, reach in ((-1.0, lowest, below), (1.0, highest, above)):
        if np.all(np.abs(end) >= np.finfo(np.float64).max):
            continue  # nothing is beyond
        outside = x > end if sign > 0 else x < end
        half = choose([(outside, (0.5 * x - 0.5 * end).abs())], 1.0).log()
        relative = (slope + half + np.log(2.0 / reach)).bind()
        logarithm = choose([(relative < 0.0, 0.0)], relative)
        logarithm = (logarithm + (-1.0 * relative.abs()).exp().log1p()).bind()
        z = choose([(outside, z + sign * reach * logarithm)], z).bind()
        slope = choose([(outside, slope - logarithm)], slope).bind()
    return z, slope


_TRANSFORMS: dict[str, Callable[[Value, Sequence[Any]], tuple[Value, Value]]] = {
    "standardised": _standardised,
    "range": _standardised,
    "log": _logarithm,
    "yeo-johnson": _yeo_johnson,
}
"""For each kind, transformed columns and the logarithms of the slopes; missing if x is."""
