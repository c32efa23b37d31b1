"""The statistics of numbers in a table of an engine, summed where the rows live.

The table knows the sums of each class, which give an **anchor** at the mean of the class, up to
rounding. One query then gives ``Σ w (x − anchor)`` and ``Σ w (xᵢ − anchorᵢ)(xⱼ − anchorⱼ)``:
d (d + 1) / 2 sums for a full scatter, d for a diagonal one. What lies between anchor and mean is
corrected afterwards, ``scatter = Σ w δδᵀ − (Σ w δ)(Σ w δ)ᵀ / weight`` with ``δ = x − anchor``; it
is so small that the correction takes no digits away, however far from zero or from each other the
classes are.

Where values are missing, the same sums are taken for each class and *pattern* of what is missing:
an integer whose bit j says that feature j is. NaN, and missing values of rows that are weighted,
make another query for the means of what is there.
"""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.data.engines import LABEL, WEIGHT, EngineTable, feature_column, floats
from gaussbayes.families.gaussian.cells import (
    MOST_CELL_BYTES,
    PatternMoments,
    cell_layout,
    check_size,
    unite_cells,
)
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics, divide

MOST_SUMS = 1275
"""Those of a full scatter of 50 features; engines are slow to plan and to run larger queries."""

_FEW = 8  # so many labels are compared one after the other, which is faster than looking up
_WORD = 60  # features whose bits are in one column of patterns, a 64-bit number


def push_down(
    family: Gaussian, table: EngineTable, columns: Sequence[int]
) -> GaussianStatistics | None:
    """The statistics of some features of the labelled rows; None if they take too many sums.

    Infinity among the values is a `DataError`. Features are given by their positions.
    """
    k, d = table.classes.shape[0], len(columns)
    layout = family.layout(k, d)
    if (d if layout == "diagonal" else d * (d + 1) // 2) > MOST_SUMS:
        return None
    places = list(columns)
    observed, total = table.observed[:, places], table.total[:, places]
    missing = bool((observed != table.n_rows[:, None]).any())
    of_each = np.broadcast_to(table.weight[:, None], total.shape) if table.weighted else observed
    frame = table.frame.select(
        LABEL,
        *([WEIGHT] if table.weighted else []),
        *(nw.col(feature_column(j)).alias(f"x{i}") for i, j in enumerate(columns)),
    )
    if not np.isfinite(total).all() or (missing and table.weighted):
        # NULL for NaN, which engines add and count like any number.
        values = [(f"x{j}", nw.col(f"x{j}")) for j in range(d)]
        frame = frame.with_columns(
            *(nw.when(~x.is_nan()).then(x).alias(name) for name, x in values)
        )
        total, of_each, observed = _totals(table, frame, d)
        missing = bool((observed != table.n_rows[:, None]).any())
        if not np.isfinite(total).all():
            table.raise_for_values(columns)
    anchor = divide(total, of_each)
    codes, patterns, moments = _cells(table, columns, frame, anchor, layout, missing=missing)
    weighs = moments.weight > 0
    whole = patterns.all(axis=1)
    complete = np.flatnonzero(whole & weighs)
    dense = moments.selected(complete).aligned(codes[complete].tolist(), k)
    some = np.flatnonzero(~whole & weighs)
    owner, observed_in, number = unite_cells(codes[some], patterns[some])
    order = some[np.argsort(number)]
    cells = PatternMoments.of(owner, observed_in, moments.selected(order))
    return GaussianStatistics(dense, cells).with_layout(layout)


def _totals(table: EngineTable, frame: Any, d: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The sums of the features in each class, the weight of the rows that have them, and these."""
    made = [_weighted(table, j).alias(f"s{j}") for j in range(d)]
    sums = [nw.col(f"s{j}").sum() for j in range(d)] + [nw.col(f"x{j}").count() for j in range(d)]
    if table.weighted:
        made += [
            nw.when(~nw.col(f"x{j}").is_null()).then(nw.col(WEIGHT)).alias(f"w{j}")
            for j in range(d)
        ]
        sums += [nw.col(f"w{j}").sum() for j in range(d)]
    result, codes, _ = table.grouped((), sums, frame=frame.with_columns(*made))
    order = np.argsort(codes)
    total, observed = _columns(result, "s", d)[order], _columns(result, "x", d)[order]
    of_each = _columns(result, "w", d)[order] if table.weighted else observed
    return total, of_each, observed


def _cells(
    table: EngineTable,
    columns: Sequence[int],
    frame: Any,
    anchor: FloatArray,
    layout: ScatterLayout,
    *,
    missing: bool,
) -> tuple[CodeArray, NDArray[np.bool_], ClassMoments]:
    """Each class, or each pattern of a class: its class, what it has, and its moments.

    These are full, or diagonal if no more is asked for.
    """
    k, d = anchor.shape
    kept = cell_layout(layout)
    shifted = [
        (nw.col(f"x{j}") - _of_label(table.labels, anchor[:, j].tolist())).alias(f"x{j}")
        for j in range(d)
    ]
    keys = _patterns(d) if missing else []
    names = [f"k{word}" for word in range(len(keys))]
    pairs = [(i, j) for i in range(d) for j in ([i] if kept == "diagonal" else range(i + 1))]
    # Products as columns of their own: some engines can only sum a column, not an expression.
    terms = frame.with_columns(*shifted, *keys).select(
        LABEL,
        *names,
        *([WEIGHT] if table.weighted else []),
        *(_weighted(table, j).alias(f"s{j}") for j in range(d)),
        *((_weighted(table, i) * nw.col(f"x{j}")).alias(f"p{p}") for p, (i, j) in enumerate(pairs)),
    )
    sums = [nw.col(f"s{j}").sum() for j in range(d)]
    sums += [nw.col(f"p{p}").sum() for p in range(len(pairs))]
    most = k + 1 + MOST_CELL_BYTES // (8 * (len(pairs) + 2 * d + 1))
    result, codes, n_rows = table.grouped(names, sums, most, terms)
    observed = _observed(result, len(keys), d)
    check_size(max(0, observed.shape[0] - k), max(0, observed.shape[0] - k), observed, layout)

    weight = floats(result, WEIGHT) if table.weighted else n_rows
    shift = _columns(result, "s", d)
    offset = divide(shift, np.broadcast_to(weight[:, None], shift.shape))
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    products = _columns(result, "p", len(pairs))
    products -= shift[:, first] * offset[:, second]
    if not (np.isfinite(products).all() and np.isfinite(offset).all()):
        table.raise_for_values(columns)
    squares = first == second
    products[:, squares] = np.maximum(products[:, squares], 0.0)
    own_anchor = np.where(observed, anchor[codes], 0.0)
    if kept == "diagonal":
        return codes, observed, ClassMoments(weight, own_anchor, offset, products, "diagonal")
    full = np.empty((codes.size, d, d))
    full[:, first, second] = full[:, second, first] = products
    return codes, observed, ClassMoments(weight, own_anchor, offset, full, "full")


def _patterns(d: int) -> list[Any]:
    """The columns of patterns: integers whose bits are 1 where a feature is missing."""
    made = []
    for word, first in enumerate(range(0, d, _WORD)):
        total = nw.lit(0)
        for bit, j in enumerate(range(first, min(first + _WORD, d))):
            total = total + nw.col(f"x{j}").is_null().cast(nw.Int64) * (1 << bit)
        made.append(total.cast(nw.Int64).alias(f"k{word}"))
    return made


def _observed(result: Any, n_words: int, d: int) -> NDArray[np.bool_]:
    """Which features the rows of each group have (q, d)."""
    observed = np.ones((result.shape[0], d), dtype=bool)
    for word in range(n_words):
        missing = np.array(result[f"k{word}"].to_list(), dtype=np.int64)
        for bit, j in enumerate(range(word * _WORD, min((word + 1) * _WORD, d))):
            observed[:, j] = (missing >> bit) & 1 == 0
    return observed


def _of_label(labels: Sequence[Any], values: list[float]) -> Any:
    """The value that belongs to a row's label; 0 for a label that is not among these."""
    label, value = nw.col(LABEL), nw.lit(0.0)
    if len(labels) > _FEW:
        return label.replace_strict(list(labels), values, default=value, return_dtype=nw.Float64)
    for each, number in zip(labels, values, strict=True):
        value = nw.when(label == each).then(nw.lit(number)).otherwise(value)
    return value


def _weighted(table: EngineTable, column: int) -> Any:
    """The expression of a feature times the weight of its row."""
    value = nw.col(f"x{column}")
    return value * nw.col(WEIGHT) if table.weighted else value


def _columns(result: Any, letter: str, count: int) -> FloatArray:
    """The columns called by a letter and a number, side by side (q, count)."""
    columns = [floats(result, f"{letter}{number}") for number in range(count)]
    return np.stack(columns, axis=1) if columns else np.empty((result.shape[0], 0))
