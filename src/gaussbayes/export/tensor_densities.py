"""Log-densities (n, k) of all rows as tensors, for each record of `gaussbayes.families.expression`.

Missing values are NaN, and are integrated out. Where columns are correlated, other ones may be
missing in each row. With the whitener W of the complete row, what is least of ``|W (x − mean)|²``
over the missing columns is found by taking the directions of their columns of W out of all others,
one after the other (modified Gram-Schmidt); the product of their lengths is the root of the
determinant of the precision matrix of the missing columns, by which the constant of the density is
divided. That is done for all incomplete rows at once, and for no others.

What is added to all classes alike matters to the evidence only, and is kept apart. A row without
score, because a value cannot be, is NaN in all classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import MISSING, UNSEEN
from gaussbayes.export.tensor_graph import TensorGraph
from gaussbayes.families.coded.coding import CategoryCode, NumberCode
from gaussbayes.families.expression import (
    CodedColumns,
    DiagonalForm,
    PoissonRates,
    QuadraticForm,
    SpannedForm,
    TransformedColumns,
    ValueTable,
    ValueTables,
    student_constant,
)
from gaussbayes.families.transformed.transform import (
    Logarithm,
    RankNormal,
    Standardised,
    YeoJohnson,
)

_LOG_2_PI = float(np.log(2.0 * np.pi))
_LARGEST_COUNT = 2.0**53
_TABLE = 16
"""Counts below this have their log-factorials looked up."""


@dataclass(frozen=True, slots=True)
class CategoryInput:
    """A column of categories: a tensor (n,) of strings, integers or booleans."""

    tensor: str
    marks: tuple[Any, ...]  # what stands for missing values
    kind: str  # "str", "int" or "bool"

    def codes(self, graph: TensorGraph, values: Sequence[Any]) -> str:
        """The place of each value among some (n,); behind them missing ones, then all others."""
        missing = [mark for mark in self.marks if mark not in values]
        keys = [*values, *missing]
        codes = [*range(len(values)), *[len(values)] * len(missing)]
        if not keys:
            shape = graph.node("Shape", self.tensor)
            return graph.node("Expand", graph.integers([1]), shape)
        name, kind = ("keys_strings", str) if self.kind == "str" else ("keys_int64s", int)
        attributes = {
            name: [kind(key) for key in keys],
            "values_int64s": codes,
            "default_int64": len(values) + 1,
        }
        return graph.node("LabelEncoder", self.tensor, domain="ai.onnx.ml", **attributes)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns of a density: numbers (n, d), and categories among them by their places."""

    numbers: str | None  # (n, g) those columns that hold numbers, in their order
    inputs: dict[int, CategoryInput]
    n_columns: int

    def number(self, graph: TensorGraph, column: int) -> str:
        """One column of numbers (n, 1)."""
        places = [j for j in range(self.n_columns) if j not in self.inputs]
        assert self.numbers is not None
        return graph.columns(self.numbers, [places.index(column)], len(places))


@dataclass(frozen=True, slots=True)
class TensorScores:
    """Log-densities (n, k) up to what is added to all classes (n, 1); None is 0."""

    scores: str
    common: str | None = None


def sum_of(graph: TensorGraph, parts: Sequence[str | None]) -> str | None:
    """The sum of those that there are."""
    present = [part for part in parts if part is not None]
    total = None
    for part in present:
        total = part if total is None else graph.add(total, part)
    return total


@singledispatch
def density_scores(record: Any, graph: TensorGraph, columns: Columns) -> TensorScores:
    """The log-densities that a record describes."""
    del graph, columns
    msg = f"ONNX has no description of {type(record).__name__}: leave its features out (marginal)"
    raise OptionError(msg)


@density_scores.register
def _(record: DiagonalForm, graph: TensorGraph, columns: Columns) -> TensorScores:
    assert columns.numbers is not None
    x = columns.numbers
    missing = graph.is_nan(x)  # (n, d)
    deviation = graph.less_constant(x, record.center)
    deviation = graph.where(missing, graph.real(0.0), deviation)
    present = graph.as_real(graph.node("Not", missing))
    apart = graph.minus(_unsqueezed(graph, deviation, 0), graph.real(record.offset[:, None]))
    scaled = graph.times(apart, graph.real(record.scale[:, None]))  # (k, n, d)
    scaled = graph.times(scaled, _unsqueezed(graph, present, 0))
    squares = graph.reduced("ReduceSumSquare", scaled, 2, keep=False)
    half = graph.times(graph.node("Transpose", squares, perm=[1, 0]), graph.real(-0.5))
    constants = graph.node("MatMul", present, graph.real(record.log_constant.T))
    return TensorScores(graph.add(half, constants))


@density_scores.register
def _(record: QuadraticForm, graph: TensorGraph, columns: Columns) -> TensorScores:
    assert columns.numbers is not None
    k, d = record.offset.shape
    deviation = graph.less_constant(columns.numbers, record.center)  # (n, d)
    apart = graph.minus(_unsqueezed(graph, deviation, 0), graph.real(record.offset[:, None]))
    whitener = graph.real(record.whitener.mT)  # (m, d, d)
    u = _squares(graph, graph.node("MatMul", apart, whitener))
    degrees = record.degrees
    complete = _of_distance(graph, u, graph.real(record.log_constant), degrees, graph.real(d))
    # Incomplete rows, of which there may be none.
    missing = graph.is_nan(deviation)
    incomplete = graph.reduced("ReduceMax", graph.as_real(missing), 1, keep=False)
    some = graph.node("NonZero", graph.node("Greater", incomplete, graph.real(0.5)))  # (1, r)
    some = graph.node("Squeeze", some, graph.integers([0]))
    gap = graph.node("Gather", missing, some, axis=0)  # (r, d)
    apart = graph.node("Gather", apart, some, axis=1)  # (k, r, d)
    apart = graph.where(_unsqueezed(graph, gap, 0), graph.real(0.0), apart)
    z = graph.node("MatMul", apart, whitener)
    # W of each class and row, transposed: (k, r, d, d), a row of it for each column of the density.
    shape = graph.node("Shape", z)
    wide = graph.node("Concat", shape, graph.integers([d]), axis=0)
    w = graph.node("Expand", graph.real(record.whitener.mT[:, None]), wide)
    gap_real = _unsqueezed(graph, graph.as_real(gap), 0)  # (1, r, d)
    log_length = None
    one = graph.real(1.0)
    for j in range(d):
        absent = graph.node("Gather", gap_real, graph.integers([j]), axis=2)  # (1, r, 1)
        row = graph.node("Gather", w, graph.integers(j), axis=2)  # (k, r, d)
        length = graph.node("Sqrt", graph.reduced("ReduceSumSquare", row, 2))
        # Where the column is there its direction is not taken out.
        length = graph.add(graph.times(length, absent), graph.minus(one, absent))
        direction = graph.over(graph.times(row, absent), length)
        column = _unsqueezed(graph, direction, 3)  # (k, r, d, 1)
        along = graph.node("MatMul", w, column)  # (k, r, d, 1)
        flat = _unsqueezed(graph, direction, 2)  # (k, r, 1, d)
        w = graph.minus(w, graph.times(along, flat))
        part = graph.reduced("ReduceSum", graph.times(z, direction), 2)
        z = graph.minus(z, graph.times(part, direction))
        logarithm = graph.node("Log", length)
        log_length = logarithm if log_length is None else graph.add(log_length, logarithm)
    assert log_length is not None
    n_missing = graph.reduced("ReduceSum", graph.as_real(gap), 1)  # (r, 1)
    count = graph.cast(n_missing, np.dtype(np.int64))
    constants = np.stack([_constants_less(degrees, d, lost) for lost in range(d + 1)])
    table = graph.real(np.broadcast_to(constants, (d + 1, k)) + record.log_constant)
    base = graph.node("Gather", table, graph.node("Squeeze", count, graph.integers([1])), axis=0)
    lengths = graph.node("Squeeze", log_length, graph.integers([2]))  # (k or m, r)
    base = graph.minus(base, graph.node("Transpose", lengths, perm=[1, 0]))
    there = graph.minus(graph.real(d), n_missing)
    partial = _of_distance(graph, _squares(graph, z), base, degrees, there)
    return TensorScores(graph.node("ScatterND", complete, _unsqueezed(graph, some, 1), partial))


def _constants_less(degrees: FloatArray | None, d: int, lost: int) -> FloatArray:
    """What the logarithm of the constant gains if so many columns are missing."""
    if degrees is None:
        return np.array([0.5 * lost * _LOG_2_PI])
    return student_constant(degrees, d - lost) - student_constant(degrees, d)


def _squares(graph: TensorGraph, z: str) -> str:
    """The squared lengths (n, k) of whitened deviations (k, n, d)."""
    squares = graph.reduced("ReduceSumSquare", z, 2, keep=False)
    return graph.node("Transpose", squares, perm=[1, 0])


def _of_distance(
    graph: TensorGraph, u: str, constant: str, degrees: FloatArray | None, n_columns: str
) -> str:
    """Log-densities (n, k) of squared distances, Gaussian or of Student's t."""
    if degrees is None:
        return graph.add(graph.times(u, graph.real(-0.5)), constant)
    nu = graph.real(degrees)
    power = graph.times(graph.add(nu, n_columns), graph.real(-0.5))
    return graph.add(graph.times(power, graph.log1p(graph.over(u, nu))), constant)


def _unsqueezed(graph: TensorGraph, x: str, axis: int) -> str:
    return graph.node("Unsqueeze", x, graph.integers([axis]))


@density_scores.register
def _(record: SpannedForm, graph: TensorGraph, columns: Columns) -> TensorScores:
    # NaN anywhere makes the row one without a score.
    assert columns.numbers is not None
    scaled = graph.over(
        graph.less_constant(columns.numbers, record.center), graph.real(record.unit)
    )
    z = graph.node("MatMul", scaled, graph.real(record.basis))
    inner = record.inner
    apart = graph.less_constant(z, inner.center)
    apart = graph.minus(_unsqueezed(graph, apart, 0), graph.real(inner.offset[:, None]))
    u = _squares(graph, graph.node("MatMul", apart, graph.real(inner.whitener.mT)))
    rest = graph.minus(
        graph.reduced("ReduceSumSquare", scaled, 1), graph.reduced("ReduceSumSquare", z, 1)
    )
    rest = graph.node("Max", rest, graph.real(0.0))
    u = graph.add(u, graph.over(rest, graph.real(record.outside)))
    constant = graph.real(record.log_constant)
    n_columns = graph.real(record.center.size)
    return TensorScores(_of_distance(graph, u, constant, record.degrees, n_columns))


@density_scores.register
def _(record: ValueTables, graph: TensorGraph, columns: Columns) -> TensorScores:
    total = sum_of(graph, [_table_scores(table, graph, columns) for table in record.tables])
    assert total is not None
    return TensorScores(total)


def _table_scores(table: ValueTable, graph: TensorGraph, columns: Columns) -> str:
    """The logarithms (n, k) that one column has in its table."""
    k, m = table.log_probability.shape
    known = table.log_probability.T  # (m, k), then missing values, then all others
    rest = np.zeros((2, k))
    if table.column in columns.inputs:
        codes = columns.inputs[table.column].codes(graph, table.values)
    else:
        x = columns.number(graph, table.column)
        matches = graph.as_real(graph.node("Equal", x, graph.real([table.values])))
        place = graph.node("MatMul", matches, graph.real(np.arange(m)[:, None] - (m + 1.0)))
        absent = graph.where(graph.is_nan(x), graph.real(m), graph.real(m + 1.0))
        most_alike = graph.reduced("ReduceMax", matches, 1)
        is_known = graph.node("Greater", most_alike, graph.real(0.5))
        place = graph.where(is_known, graph.add(place, graph.real(m + 1.0)), absent)
        codes = graph.cast(place, np.dtype(np.int64))
        codes = graph.node("Squeeze", codes, graph.integers([1]))
        if not table.is_open:
            rest[1] = np.nan
    return graph.node("Gather", graph.real(np.concatenate([known, rest])), codes, axis=0)


@density_scores.register
def _(record: PoissonRates, graph: TensorGraph, columns: Columns) -> TensorScores:
    assert columns.numbers is not None
    x, zero = columns.numbers, graph.real(0.0)
    missing = graph.is_nan(x)
    counts = graph.where(missing, zero, x)
    rate = record.rate
    possible = rate > 0
    logs = np.log(np.where(possible, rate, 1.0))
    scores = graph.node("MatMul", counts, graph.real(logs.T))
    present = graph.as_real(graph.node("Not", missing))
    scores = graph.minus(scores, graph.node("MatMul", present, graph.real(rate.T)))
    if not possible.all():
        some = graph.as_real(graph.node("Greater", counts, zero))
        bad = graph.node("MatMul", some, graph.real((~possible).T.astype(float)))
        barred = graph.node("Greater", bad, graph.real(0.5))
        scores = graph.where(barred, graph.real(-np.inf), scores)
    return TensorScores(scores, _less_factorials(graph, counts))


def _less_factorials(graph: TensorGraph, counts: str) -> str:
    """``−Σ_j log x_j!`` (n, 1); NaN if one is no count."""
    from scipy.special import gammaln

    zero = graph.real(0.0)
    whole = graph.node("Equal", counts, graph.node("Floor", counts))
    inside = graph.node("LessOrEqual", counts, graph.real(_LARGEST_COUNT))
    above = graph.node("GreaterOrEqual", counts, zero)
    valid = graph.node("And", graph.node("And", whole, inside), above)
    counts = graph.where(valid, counts, zero)
    small = graph.node("Min", counts, graph.real(_TABLE - 1.0))
    table = graph.real(gammaln(np.arange(_TABLE) + 1.0))
    looked_up = graph.node("Gather", table, graph.cast(small, np.dtype(np.int64)), axis=0)
    # Stirling's series: the first term that is left out is below 1e-17 from 16 on.
    x = graph.node("Max", counts, graph.real(float(_TABLE)))
    inverse = graph.over(graph.real(1.0), x)
    square = graph.times(inverse, inverse)
    series = graph.real(-691.0 / 360360)
    for term in (1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12):
        series = graph.add(graph.times(series, square), graph.real(term))
    logarithm = graph.node("Log", x)
    main = graph.times(graph.add(x, graph.real(0.5)), logarithm)
    main = graph.minus(main, graph.minus(x, graph.real(0.5 * _LOG_2_PI)))
    stirling = graph.add(main, graph.times(series, inverse))
    use_table = graph.node("Less", counts, graph.real(float(_TABLE)))
    logs = graph.where(use_table, looked_up, stirling)
    logs = graph.where(valid, logs, graph.real(np.nan))
    return graph.node("Neg", graph.reduced("ReduceSum", logs, 1))


@density_scores.register
def _(record: TransformedColumns, graph: TensorGraph, columns: Columns) -> TensorScores:
    assert columns.numbers is not None
    d = columns.n_columns
    transforms = record.transforms * d if len(record.transforms) == 1 else record.transforms
    mapped, slopes = [], []
    far = 1e100 if graph.dtype == np.float64 else 1e18  # squares of larger ones could not be summed
    for j, transform in enumerate(transforms):
        x = columns.number(graph, j)
        z, slope = transformed_column(transform, graph, x)
        absent = graph.is_nan(x)
        z = graph.node("Clip", z, graph.real(-far), graph.real(far))
        mapped.append(graph.where(absent, graph.real(np.nan), z))
        slopes.append(graph.where(absent, graph.real(0.0), slope))
    inner = Columns(graph.joined(mapped), {}, d)
    scores = density_scores(record.inner, graph, inner)
    slope = graph.reduced("ReduceSum", graph.joined(slopes), 1)
    return TensorScores(scores.scores, sum_of(graph, [scores.common, slope]))


@singledispatch
def transformed_column(transform: Any, graph: TensorGraph, x: str) -> tuple[str, str]:
    """A column (n, 1) transformed, and the logarithm of the slope; any number if x is missing."""
    del graph, x
    msg = f"ONNX has no description of the transform {type(transform).__name__}"
    raise OptionError(msg)


@transformed_column.register
def _(transform: Standardised, graph: TensorGraph, x: str) -> tuple[str, str]:
    z = graph.over(graph.less_constant(x, transform.center), graph.real(transform.scale))
    return z, graph.real([[-np.log(transform.scale)]])


@transformed_column.register
def _(transform: Logarithm, graph: TensorGraph, x: str) -> tuple[str, str]:
    # Of what is not above 0 the slope is NaN, and the row has no score.
    positive = graph.node("Greater", x, graph.real(0.0))
    logarithm = graph.node("Log", graph.where(positive, x, graph.real(1.0)))
    z = graph.over(graph.less_constant(logarithm, transform.center), graph.real(transform.scale))
    slope = graph.minus(graph.real(-np.log(transform.scale)), logarithm)
    return z, graph.where(positive, slope, graph.real(np.nan))


@transformed_column.register
def _(transform: YeoJohnson, graph: TensorGraph, x: str) -> tuple[str, str]:
    ends = float(transform.lowest), float(transform.highest)
    inside = graph.node("Clip", x, *(graph.real(_finite(graph, end)) for end in ends))
    u = graph.over(graph.less_constant(inside, transform.origin), graph.real(transform.unit))
    above = graph.node("GreaterOrEqual", u, graph.real(0.0))
    logarithm = graph.log1p(graph.node("Abs", u))
    sides = []
    for exponent in (transform.power, 2.0 - transform.power):
        size = logarithm
        if exponent != 0:
            raised = graph.expm1(graph.times(logarithm, graph.real(exponent)))
            size = graph.over(raised, graph.real(exponent))
        sides.append((size, graph.times(logarithm, graph.real(exponent - 1.0))))
    psi = graph.where(above, sides[0][0], graph.node("Neg", sides[1][0]))
    slope = graph.where(above, sides[0][1], sides[1][1])
    z = graph.over(graph.less_constant(psi, transform.center), graph.real(transform.scale))
    slope = graph.minus(slope, graph.real(np.log(transform.unit * transform.scale)))
    return _extended(graph, x, z, slope, ends, (transform.reach_below, transform.reach_above))


@transformed_column.register
def _(transform: RankNormal, graph: TensorGraph, x: str) -> tuple[str, str]:
    knots, image, slopes = np.asarray(transform.x), np.asarray(transform.z), transform.slopes
    passed = graph.node("GreaterOrEqual", x, graph.real(knots[None, 1:-1]))
    place = graph.reduced("ReduceSum", graph.as_real(passed), 1, keep=False)
    segment = graph.cast(place, np.dtype(np.int64))  # (n,)

    def at(values: FloatArray) -> str:
        return graph.node("Gather", graph.real(values[:, None]), segment, axis=0)

    ends = float(knots[0]), float(knots[-1])
    inside = graph.node("Clip", x, *(graph.real(end) for end in ends))
    z = graph.add(at(image), graph.times(graph.minus(inside, at(knots)), at(np.exp(slopes))))
    return _extended(graph, x, z, at(slopes), ends, (1.0, 1.0))


def _finite(graph: TensorGraph, value: float) -> float:
    """The nearest number that the float type of the graph has."""
    most = float(np.finfo(graph.dtype).max)
    return min(max(value, -most), most)


def _extended(
    graph: TensorGraph,
    x: str,
    z: str,
    slope: str,
    ends: tuple[float, float],
    reach: tuple[float, float],
) -> tuple[str, str]:
    """What goes on logarithmically beyond the ends; see `gaussbayes.families.transformed`."""
    for sign, end, r in zip((-1.0, 1.0), ends, reach, strict=True):
        if abs(end) >= float(np.finfo(graph.dtype).max):
            continue  # nothing is beyond
        beyond = graph.times(graph.less_constant(x, end), graph.real(sign))
        outside = graph.node("Greater", beyond, graph.real(0.0))
        distance = graph.where(outside, beyond, graph.real(1.0))
        relative = graph.add(slope, graph.add(graph.node("Log", distance), graph.real(-np.log(r))))
        falling = graph.node("Exp", graph.node("Neg", graph.node("Abs", relative)))
        logarithm = graph.add(graph.node("Max", relative, graph.real(0.0)), graph.log1p(falling))
        z = graph.where(outside, graph.add(z, graph.times(logarithm, graph.real(sign * r))), z)
        slope = graph.where(outside, graph.minus(slope, logarithm), slope)
    return z, slope


@density_scores.register
def _(record: CodedColumns, graph: TensorGraph, columns: Columns) -> TensorScores:
    parts = [code_columns(code, graph, columns, j) for j, code in enumerate(record.codes)]
    width = sum(code.n_columns for code in record.codes)
    return density_scores(record.inner, graph, Columns(graph.joined(parts), {}, width))


@singledispatch
def code_columns(code: Any, graph: TensorGraph, columns: Columns, column: int) -> str:
    """The numbers (n, m) that stand for a column."""
    del graph, columns, column
    msg = f"ONNX has no description of the code {type(code).__name__}"
    raise OptionError(msg)


@code_columns.register
def _(code: NumberCode, graph: TensorGraph, columns: Columns, column: int) -> str:
    x = columns.number(graph, column)
    if code.filler is None:
        return x
    missing = graph.is_nan(x)
    filled = graph.where(missing, graph.real(code.filler), x)
    return graph.joined([filled, graph.as_real(missing)])


@code_columns.register
def _(code: CategoryCode, graph: TensorGraph, columns: Columns, column: int) -> str:
    m = len(code.categories)
    table = code.forward(np.array([*range(m), MISSING, UNSEEN], dtype=np.int32))
    codes = columns.inputs[column].codes(graph, code.categories)
    return graph.node("Gather", graph.real(table), codes, axis=0)
