"""The records of densities as formulas of one row: ``log p(x | c)`` for each class.

What is the same for all classes, such as the slopes of transforms, is kept apart (`Terms.common`):
it is part of the evidence, and would only cost posteriors their digits. Formulas keep the digits
that the densities themselves keep: deviations are taken from a centre first, and ``log(1 + x)`` and
``exp(x) − 1`` are exact for small x.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from math import lgamma, log, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import OptionError
from gaussbayes.base.missing_marks import ColumnMarks
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories, kind
from gaussbayes.export.scalar import (
    IMPOSSIBLE,
    MISSING_VALUE,
    Program,
    Scalar,
    absolute,
    among,
    at_most,
    both,
    choose,
    either,
    equal,
    exp,
    first_known,
    floor,
    is_missing,
    less,
    ln,
    looked_up,
    negated,
    total,
    value,
    weighted,
)
from gaussbayes.families.coded.coding import CategoryCode, NumberCode
from gaussbayes.families.expression import (
    CodedColumns,
    DiagonalForm,
    Pattern,
    PoissonRates,
    QuadraticForm,
    SpannedForm,
    TransformedColumns,
    ValueTable,
    ValueTables,
)
from gaussbayes.families.transformed.transform import (
    Logarithm,
    RankNormal,
    Standardised,
    YeoJohnson,
)

MOST_PATTERNS = 200
"""Patterns of missing values of one family: each takes about as many numbers as a covariance."""

_LARGEST_COUNT = 2.0**53
_SMALL_COUNTS = 16
MASKED = 50
"""Columns whose missing values are the bits of one float."""


@dataclass(frozen=True, slots=True)
class Terms:
    """``log p(x | c)`` of each class (k), less what is the same for all of them (`common`)."""

    by_class: list[Scalar]
    common: list[Scalar] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """What formulas are written into: a program, and what is known of its columns.

    Of full covariances, patterns of missing values are written out: those "seen" in training,
    "all", or for each form in turn those that are given.
    """

    program: Program
    marks: dict[str, ColumnMarks]  # of the columns of categories
    patterns: str | list[NDArray[np.bool_]] = "seen"
    masks: list[tuple[int, list[Scalar]]] = field(default_factory=list)
    """Of each form the number of columns, and numbers whose bits are those that are missing."""
    impossible: list[Scalar] = field(default_factory=list)  # conditions: then there is no score

    def bind(self, formula: Scalar, letter: str) -> Scalar:
        """A formula as a column of its own."""
        return self.program.bind(formula, letter)

    def log1p(self, x: Scalar) -> Scalar:
        """``log(1 + x)``, right for small x as well (Kahan): what 1 + x rounds off is put back."""
        small = self.bind(x, "a")
        above = self.bind(small + 1.0, "b")
        return choose([(equal(above, value(1.0)), small)], ln(above) * (small / (above - 1.0)))

    def expm1(self, x: Scalar) -> Scalar:
        """``exp(x) − 1`` of x above −700, right for small x as well."""
        small = self.bind(x, "a")
        above = self.bind(exp(small), "b")
        exact = (above - 1.0) * (small / ln(above))
        return choose([(equal(above, value(1.0)), small), (less(small, -40.0), -1.0)], exact)

    def is_absent(self, x: Scalar, categories: Categories) -> Scalar:
        """Whether a column of categories has no value, or one that stands for none."""
        marks, absent = self.marks[x.arguments[0]], is_missing(x)
        values: list[Any] = sorted(marks.numbers)
        if kind(categories) is str:
            values = sorted(marks.strings)
        return either([absent, among(x, values)]) if values else absent

    def patterns_of(self, form: QuadraticForm, n_columns: int) -> list[Pattern]:
        """The patterns of missing values that are written out."""
        observed = form.seen
        if isinstance(self.patterns, list):
            observed = self.patterns[len(self.masks)] if self.patterns else form.seen[:0]
        elif self.patterns == "all":
            most = (MOST_PATTERNS + 2).bit_length() - 1
            if n_columns > most:
                msg = (
                    f"patterns='all' must be for full covariances of at most {most} features, got "
                    f"{n_columns}: patterns='seen' writes out those of the training rows"
                )
                raise OptionError(msg)
            numbers = np.arange(1, 2**n_columns - 1)[:, None]
            observed = (numbers >> np.arange(n_columns)) & 1 == 1
        if len(observed) > MOST_PATTERNS:
            msg = (
                f"there are {len(observed):,} patterns of missing values, each with a covariance "
                f"of its own, and at most {MOST_PATTERNS} can be written out: fit with "
                "covariance='diagonal', which needs none, or fill missing values before"
            )
            raise OptionError(msg)
        return [form.pattern(each) for each in observed]


@singledispatch
def write(record: Any, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    """The terms of a record of `gaussbayes.families.expression`, of these columns."""
    del scope, columns
    msg = f"{type(record).__name__} cannot be written as formulas of one row"
    raise OptionError(msg)


@write.register
def _(record: DiagonalForm, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    deviations = _deviations(record.center, scope, columns)
    scales = np.broadcast_to(record.scale, record.offset.shape) * np.sqrt(0.5)
    by_class = []
    for offset, scale, constant in zip(record.offset, scales, record.log_constant, strict=True):
        terms = []
        for j, y in enumerate(deviations):
            distance = scope.bind(float(scale[j]) * (y - float(offset[j])), "v")
            terms.append(first_known(value(float(constant[j])) - distance * distance, 0.0))
        by_class.append(total(terms))
    return Terms(by_class)


@write.register
def _(record: QuadraticForm, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    deviations = _deviations(record.center, scope, columns)
    squares, chosen = _squares(record, scope, deviations)
    d, patterns = len(columns), chosen.patterns
    by_class = []
    for c, square in enumerate(squares):
        constants = [float(record.log_constant[c]), *(float(p.log_constant[c]) for p in patterns)]
        if record.degrees is None:
            term = chosen.value(constants) - 0.5 * square
        else:
            nu = float(record.degrees[c])
            counts = [d, *(int(pattern.observed.sum()) for pattern in patterns)]
            factor = chosen.value([0.5 * (nu + count) for count in counts])
            term = chosen.value(constants) - factor * scope.log1p(square / nu)
        by_class.append(choose([(chosen.nothing, 0.0)], term))
    return Terms(by_class)


@write.register
def _(record: SpannedForm, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    deviations = _deviations(record.center, scope, columns)
    pairs = zip(record.unit, deviations, strict=True)
    x = [scope.bind(deviation / float(unit), "y") for unit, deviation in pairs]
    z = [scope.bind(weighted(direction, x), "z") for direction in record.basis.T]
    rest = total([each * each for each in x]) - total([each * each for each in z])
    rest = scope.bind(rest, "r")
    rest = scope.bind(choose([(less(rest, 0.0), 0.0)], rest), "r")
    centred = _deviations(record.inner.center, scope, z)
    squares, _ = _squares(record.inner, scope, centred)
    nothing = scope.bind(is_missing(first_known(*columns)), "n")
    by_class = []
    for c, square in enumerate(squares):
        distance = square + rest / float(record.outside[c])
        constant = value(float(record.log_constant[c]))
        if record.degrees is None:
            term = constant - 0.5 * distance
        else:
            nu = float(record.degrees[c])
            term = constant - 0.5 * (nu + len(columns)) * scope.log1p(distance / nu)
        by_class.append(choose([(nothing, 0.0)], term))
    return Terms(by_class)


def _deviations(center: FloatArray, scope: Scope, columns: Sequence[Scalar]) -> list[Scalar]:
    pairs = zip(center.tolist(), columns, strict=True)
    return [scope.bind(x - middle, "y") for middle, x in pairs]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which pattern of missing values a row has."""

    patterns: list[Pattern]
    number: Scalar | None  # 0 is complete, then the patterns; None if there are none
    nothing: Scalar  # whether there is no value at all

    def value(self, constants: Sequence[float]) -> Scalar:
        """One of some constants: that of complete rows, then of each pattern."""
        if self.number is None:
            return value(constants[0])
        return looked_up(self.number, constants, MISSING_VALUE)


def _choose_pattern(record: QuadraticForm, scope: Scope, columns: Sequence[Scalar]) -> _Chosen:
    nothing = scope.bind(is_missing(first_known(*columns)), "n")
    patterns, masks = scope.patterns_of(record, len(columns)), []
    for start in range(0, len(columns), MASKED):
        some = enumerate(columns[start : start + MASKED])
        bits = [choose([(is_missing(x), 2.0**place)], 0.0) for place, x in some]
        masks.append(total(bits))
    scope.masks.append((len(columns), masks))
    if not patterns:
        return _Chosen([], None, nothing)
    masks = [scope.bind(mask, "m") for mask in masks]
    complete = both([equal(mask, value(0.0)) for mask in masks])
    cases: list[tuple[Scalar, Scalar | float]] = [(complete, 0.0)]
    for number, pattern in enumerate(patterns, 1):
        places = np.where(pattern.observed, 0.0, 2.0 ** (np.arange(len(columns)) % MASKED))
        sums = [float(places[at : at + MASKED].sum()) for at in range(0, len(columns), MASKED)]
        same = [equal(mask, value(each)) for mask, each in zip(masks, sums, strict=True)]
        cases.append((both(same), value(float(number))))
    return _Chosen(patterns, scope.bind(choose(cases, MISSING_VALUE), "p"), nothing)


def _squares(
    record: QuadraticForm, scope: Scope, deviations: Sequence[Scalar]
) -> tuple[list[Scalar], _Chosen]:
    """The squared distance from each class (k), with expected values in place of missing ones."""
    chosen, k = _choose_pattern(record, scope, deviations), len(record.offset)
    if len(record.whitener) < k:  # one whitener: of deviations from the common centre
        white = _whitened(record, 0, scope, _filled(deviations, 0, scope, chosen))
        squares = []
        for offset in record.offset:
            whole = [record.whitener[0] @ offset]
            whole += [record.whitener[0] @ p.filled(offset) for p in chosen.patterns]
            places = zip(white, np.transpose(whole).tolist(), strict=True)
            apart = [scope.bind(z - chosen.value(places_of), "t") for z, places_of in places]
            squares.append(total([each * each for each in apart]))
    else:
        squares = []
        for c, offset in enumerate(record.offset):
            pairs = zip(offset.tolist(), deviations, strict=True)
            from_mean = [scope.bind(y - middle, "d") for middle, y in pairs]
            white = _whitened(record, c, scope, _filled(from_mean, c, scope, chosen))
            squares.append(total([each * each for each in white]))
    return [scope.bind(square, "u") for square in squares], chosen


def _filled(
    deviations: Sequence[Scalar], number: int, scope: Scope, chosen: _Chosen
) -> list[Scalar]:
    """Deviations with what is expected by those that are there in the places of the others."""
    if chosen.number is None:
        return list(deviations)
    filled = []
    for j, y in enumerate(deviations):
        cases: list[tuple[Scalar, Scalar | float]] = []
        for place, pattern in enumerate(chosen.patterns, 1):
            if not pattern.observed[j]:
                row = int(np.count_nonzero(~pattern.observed[:j]))
                there = [deviations[i] for i in np.flatnonzero(pattern.observed).tolist()]
                expected = weighted(pattern.fill[number, row], there)
                cases.append((equal(chosen.number, value(float(place))), expected))
        filled.append(scope.bind(first_known(y, choose(cases, MISSING_VALUE)), "f") if cases else y)
    return filled


def _whitened(
    record: QuadraticForm, number: int, scope: Scope, deviations: Sequence[Scalar]
) -> list[Scalar]:
    return [scope.bind(weighted(row, deviations), "z") for row in record.whitener[number]]


# Tables and counts.


@write.register
def _(record: ValueTables, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    tables = [_table(table, scope, columns[table.column]) for table in record.tables]
    return Terms([total(terms) for terms in zip(*tables, strict=True)])


def _table(table: ValueTable, scope: Scope, x: Scalar) -> list[Scalar]:
    if not table.values:
        return [value(0.0)] * len(table.log_probability)
    number = enumerate(table.values)
    code = choose([(equal(x, each), float(place)) for place, each in number], MISSING_VALUE)
    code = scope.bind(code, "c")
    if not table.is_open:
        scope.impossible.append(both([is_missing(code), negated(is_missing(x))]))
    rows = np.maximum(table.log_probability, IMPOSSIBLE).tolist()
    return [looked_up(code, row, 0.0) for row in rows]


@write.register
def _(record: PoissonRates, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    by_class: list[list[Scalar]] = [[] for _ in record.rate]
    common = []
    for j, x in enumerate(columns):
        # Relative to the largest rate: what x! and large counts have in common cancels so.
        reference = float(record.rate[:, j].max())
        for c, rate in enumerate(record.rate[:, j].tolist()):
            if rate > 0:
                term = (log(rate) - log(reference)) * x - (rate - reference)
            else:
                term = choose([(less(value(0.0), x), IMPOSSIBLE), (equal(x, 0.0), reference)], x)
            by_class[c].append(first_known(term, 0.0))
        fits = both([at_most(value(0.0), x), at_most(x, _LARGEST_COUNT), equal(floor(x), x)])
        scope.impossible.append(negated(first_known(fits, value(True))))
        common.append(first_known(_log_poisson(x, reference, scope), 0.0))
    return Terms([total(terms) for terms in by_class], common)


def _log_poisson(x: Scalar, rate: float, scope: Scope) -> Scalar:
    """``x log λ − λ − log x!``; by Stirling's series for counts that are not small."""
    if rate == 0.0:
        return x - x
    small = [
        (equal(x, float(n)), value(n * log(rate) - rate - lgamma(n + 1.0)))
        for n in range(_SMALL_COUNTS)
    ]
    inverse = scope.bind(value(1.0) / choose([(less(x, 1.0), 1.0)], x), "i")
    square = scope.bind(inverse * inverse, "i")
    series = value(1 / 1188)
    for coefficient in (-1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        series = value(coefficient) + square * series
    large = x * ln(rate * inverse) + (x - rate) - 0.5 * ln(2.0 * pi * x) - inverse * series
    return choose([*small, (less(value(0.0), x), large)], MISSING_VALUE)


# Transforms and codes.


@write.register
def _(record: TransformedColumns, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    pairs = zip(record.transforms, columns, strict=True)
    mapped = [transform(each, scope, x) for each, x in pairs]
    inner = write(record.inner, scope, [scope.bind(z, "x") for z, _ in mapped])
    slopes = [first_known(slope, 0.0) for _, slope in mapped]
    return Terms(inner.by_class, [*inner.common, *slopes])


@singledispatch
def transform(each: Any, scope: Scope, x: Scalar) -> tuple[Scalar, Scalar]:
    """A column transformed, and the logarithm of the slope; both missing where it is."""
    del scope, x
    msg = f"the transform {each.kind!r} cannot be written as a formula"
    raise OptionError(msg)


@transform.register
def _(each: Standardised, scope: Scope, x: Scalar) -> tuple[Scalar, Scalar]:
    del scope
    there = choose([(is_missing(x), MISSING_VALUE)], -log(each.scale))
    return (x - each.center) / each.scale, there


@transform.register
def _(each: Logarithm, scope: Scope, x: Scalar) -> tuple[Scalar, Scalar]:
    scope.impossible.append(at_most(x, 0.0))
    logarithm = scope.bind(choose([(less(value(0.0), x), ln(x))], MISSING_VALUE), "l")
    return (logarithm - each.center) / each.scale, value(-log(each.scale)) - logarithm


@transform.register
def _(each: YeoJohnson, scope: Scope, x: Scalar) -> tuple[Scalar, Scalar]:
    below, above = less(x, each.lowest), less(value(each.highest), x)
    inside = scope.bind(choose([(below, each.lowest), (above, each.highest)], x), "q")
    u = scope.bind((inside - each.origin) / each.unit, "q")
    negative = less(u, 0.0)
    logarithm = scope.bind(scope.log1p(absolute(u)), "l")
    sides = []
    for power, sign in ((2.0 - each.power, -1.0), (each.power, 1.0)):
        size = logarithm if power == 0.0 else scope.expm1(power * logarithm) / power
        sides.append((sign * size, (power - 1.0) * logarithm))
    psi, log_slope = (choose([(negative, a)], b) for a, b in zip(*sides, strict=True))
    z = (psi - each.center) / each.scale
    return _extended(
        scope,
        (x, z, log_slope - log(each.unit * each.scale)),
        YeoJohnson.forward,
        [np.array([getattr(each, name)]) for name in each.__slots__],
        (each.lowest, each.highest, each.reach_below, each.reach_above),
    )


def _extended(
    scope: Scope,
    mapped: tuple[Scalar, Scalar, Scalar],
    forward: Any,
    numbers: Sequence[FloatArray],
    ends: tuple[float, float, float, float],
) -> tuple[Scalar, Scalar]:
    """What goes on logarithmically beyond the ends: below the lowest, and above the highest."""
    x, z, log_slope = mapped
    lowest, highest, *reach = ends
    cases_z, cases_slope = [], []
    for sign, end, radius in ((-1.0, lowest, reach[0]), (1.0, highest, reach[1])):
        last, slope = (float(each.item()) for each in forward(np.array([[end]]), *numbers))
        if not abs(end) < 1e308:
            continue
        outside = less(x, end) if sign < 0 else less(value(end), x)
        relative = float(np.exp(slope)) / radius * absolute(x - end)
        logarithm = scope.bind(scope.log1p(choose([(outside, relative)], MISSING_VALUE)), "l")
        cases_z.append((outside, value(last) + sign * radius * logarithm))
        cases_slope.append((outside, value(slope) - logarithm))
    return choose(cases_z, z), choose(cases_slope, log_slope)


@transform.register
def _(each: RankNormal, scope: Scope, x: Scalar) -> tuple[Scalar, Scalar]:
    slopes, knots, image = each.slopes, each.x, each.z
    cases_z, cases_slope = [], []
    for number, slope in enumerate(slopes.tolist()):
        before = less(x, knots[number + 1]) if number + 2 < len(knots) else negated(is_missing(x))
        line = value(image[number]) + float(np.exp(slope)) * (x - knots[number])
        cases_z.append((before, line))
        cases_slope.append((before, value(slope)))
    z, log_slope = (choose(cases, MISSING_VALUE) for cases in (cases_z, cases_slope))
    ends = (knots[0], knots[-1], 1.0, 1.0)
    return _extended(scope, (x, z, log_slope), each.forward, [], ends)


@write.register
def _(record: CodedColumns, scope: Scope, columns: Sequence[Scalar]) -> Terms:
    pairs = zip(record.codes, columns, strict=True)
    codes = [number for code, x in pairs for number in coded(code, scope, x)]
    return write(record.inner, scope, codes)


@singledispatch
def coded(code: Any, scope: Scope, x: Scalar) -> list[Scalar]:
    """The numbers that stand for a column."""
    del scope, x
    msg = f"{type(code).__name__} cannot be written as a formula"
    raise OptionError(msg)


@coded.register
def _(code: NumberCode, scope: Scope, x: Scalar) -> list[Scalar]:
    if code.filler is None:
        return [x]
    missing = choose([(is_missing(x), 1.0)], 0.0)
    return [scope.bind(first_known(x, code.filler), "x"), scope.bind(missing, "x")]


@coded.register
def _(code: CategoryCode, scope: Scope, x: Scalar) -> list[Scalar]:
    number = enumerate(code.categories)
    cases: list[tuple[Scalar, Scalar | float]] = [(equal(x, v), float(at)) for at, v in number]
    if code.missing:
        cases.insert(0, (scope.is_absent(x, code.categories), float(len(code.categories))))
    level = scope.bind(choose(cases, MISSING_VALUE), "c")
    corners = code.forward(np.arange(code.n_levels, dtype=np.int32))
    entries = corners.T.tolist()
    return [scope.bind(looked_up(level, each, MISSING_VALUE), "x") for each in entries]
