"""The sums of a lazy table about the means of its classes: one query, and what follows from it.

For each class they are ``Σ w (x − anchor)`` and ``Σ w (xᵢ − anchorᵢ)(xⱼ − anchorⱼ)``: d (d + 1) / 2
sums for a full scatter, d for a diagonal one. Where values are missing, the same sums are taken for
each class and *pattern* of what is missing: a whole number whose bit j says that feature j is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray, ScatterLayout
from gaussbayes.data.sources.lazy_counts import lazy_counts
from gaussbayes.data.sources.lazy_rows import LazyRows, collected, floats, owners, refuse_values
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.pattern_moments import (
    MOST_CELL_BYTES,
    PatternMoments,
    cell_bytes,
    refuse_too_many,
    unite_cells,
)
from gaussbayes.model.labelled import LabelledMoments, in_order

_FEW = 8
"""So many labels are compared one after the other, which is faster than looking up."""

_WORD = 60
"""Features whose bits are in one column of patterns, a 64-bit number."""


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """What is known of each class, in the engine's order."""

    labels: Any  # (k,) a narwhals Series
    n_rows: FloatArray  # (k,)
    anchor: FloatArray  # (k, d) the mean of the values that are there, up to rounding
    lacking: bool  # whether some are not


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Rows of one class that have the same features."""

    codes: CodeArray  # (q,) class numbers
    observed: NDArray[np.bool_]  # (q, d)
    n_rows: FloatArray  # (q,)
    moments: ClassMoments

    def of(self, some: NDArray[np.intp]) -> ClassMoments:
        """The moments of some of them."""
        return self.moments.selected(some.tolist())


def about_anchors(
    rows: LazyRows, classes: Classes, layout: ScatterLayout
) -> tuple[LabelledMoments, int]:
    """The second query: what is learnt from the rows, and how many of them are incomplete."""
    cells = _cells(rows, classes, layout)
    k = classes.anchor.shape[0]
    order, labels = in_order(classes.labels.to_native(), k)
    weighs = cells.moments.weight > 0
    whole = cells.observed.all(axis=1)
    complete = np.flatnonzero(whole & weighs)
    places = np.argsort(order)[cells.codes]  # of each cell's class among the sorted ones
    moments = cells.of(complete).aligned(places[complete].tolist(), k)
    some = np.flatnonzero(~whole & weighs)
    incomplete = None
    if some.size:
        codes, observed, number = unite_cells(places[some].astype(np.int32), cells.observed[some])
        incomplete = PatternMoments(codes, observed, cells.of(some[np.argsort(number)]))
    counts = None
    if rows.chosen.categorical:
        counts = lazy_counts(rows, classes.labels.to_list(), classes.n_rows)
        counts = counts.aligned(np.argsort(order).tolist(), k)
    learnt = LabelledMoments(labels, moments, incomplete, counts).with_rows().with_layout(layout)
    return learnt, int(cells.n_rows[~whole].sum())


def _cells(rows: LazyRows, classes: Classes, layout: ScatterLayout) -> _Cells:
    """The moments of each class, or each pattern of a class: full ones, diagonal if asked for."""
    import narwhals.stable.v2 as nw

    k, d = classes.anchor.shape
    labels = classes.labels.to_list()
    shifted = [
        (nw.col(f"x{j}") - _of_label(labels, classes.anchor[:, j].tolist())).alias(f"x{j}")
        for j in range(d)
    ]
    keys = _patterns(d) if classes.lacking else []
    pairs = [(i, j) for i in range(d) for j in ([i] if layout == "diagonal" else range(i + 1))]
    # Products as columns of their own: some engines can only sum a column, not an expression.
    frame = rows.frame.with_columns(*shifted, *keys) if shifted else rows.frame
    terms = frame.select(
        "label",
        *(f"k{word}" for word in range(len(keys))),
        *(["weight"] if rows.weighted else []),
        *(weighted(rows, j).alias(f"s{j}") for j in range(d)),
        *((weighted(rows, i) * nw.col(f"x{j}")).alias(f"p{p}") for p, (i, j) in enumerate(pairs)),
    )
    sums = [nw.len().alias("n"), *([nw.col("weight").sum()] if rows.weighted else [])]
    sums += [nw.col(f"s{j}").sum() for j in range(d)]
    sums += [nw.col(f"p{p}").sum() for p in range(len(pairs))]
    groups = terms.group_by("label", *(f"k{word}" for word in range(len(keys)))).agg(*sums)
    found = collected(groups.head(k + 1 + MOST_CELL_BYTES // cell_bytes(1, d, layout)))

    observed = _observed(found, len(keys), d)
    refuse_too_many(max(0, observed.shape[0] - k), observed, layout)
    codes, n_rows = owners(found, labels, classes.n_rows)
    weight = floats(found, "weight") if rows.weighted else n_rows
    shift = columns(found, "s", d)
    offset = shares(shift, np.broadcast_to(weight[:, None], shift.shape))
    of_first, of_second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    products = columns(found, "p", len(pairs))
    products -= shift[:, of_first] * offset[:, of_second]
    if not (np.isfinite(products).all() and np.isfinite(offset).all()):
        refuse_values(rows)
    squares = of_first == of_second
    products[:, squares] = np.maximum(products[:, squares], 0.0)
    anchor = np.where(observed, classes.anchor[codes], 0.0)
    if layout == "diagonal":
        moments = ClassMoments(weight, anchor, offset, products, "diagonal")
    else:
        full = np.empty((codes.size, d, d))
        full[:, of_first, of_second] = full[:, of_second, of_first] = products
        moments = ClassMoments(weight, anchor, offset, full, "full")
    return _Cells(codes, observed, n_rows, moments)


def _patterns(d: int) -> list[Any]:
    """The columns of patterns: whole numbers whose bits are 1 where a feature is missing."""
    import narwhals.stable.v2 as nw

    made = []
    for word, first in enumerate(range(0, d, _WORD)):
        total = nw.lit(0)
        for bit, j in enumerate(range(first, min(first + _WORD, d))):
            total = total + nw.col(f"x{j}").is_null().cast(nw.Int64) * (1 << bit)
        made.append(total.cast(nw.Int64).alias(f"k{word}"))
    return made


def _observed(found: Any, n_words: int, d: int) -> NDArray[np.bool_]:
    """Which features the rows of each group have (q, d)."""
    observed = np.ones((found.shape[0], d), dtype=bool)
    for word in range(n_words):
        missing = np.array(found[f"k{word}"].to_list(), dtype=np.int64)
        for bit, j in enumerate(range(word * _WORD, min((word + 1) * _WORD, d))):
            observed[:, j] = (missing >> bit) & 1 == 0
    return observed


def _of_label(labels: list[Any], values: list[float]) -> Any:
    """The value that belongs to a row's label; 0 for a label that is not among these."""
    import narwhals.stable.v2 as nw

    label, found = nw.col("label"), nw.lit(0.0)
    if len(labels) > _FEW:
        return label.replace_strict(labels, values, default=found, return_dtype=nw.Float64)
    for own, value in zip(labels, values, strict=True):
        found = nw.when(label == own).then(nw.lit(value)).otherwise(found)
    return found


def weighted(rows: LazyRows, column: int) -> Any:
    """The expression of a feature times the weight of its row."""
    import narwhals.stable.v2 as nw

    value = nw.col(f"x{column}")
    return value * nw.col("weight") if rows.weighted else value


def columns(found: Any, letter: str, count: int) -> FloatArray:
    """The columns called by a letter and a number, side by side (q, count)."""
    every = [floats(found, f"{letter}{number}") for number in range(count)]
    return np.stack(every, axis=1) if every else np.empty((found.shape[0], 0))


def shares(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """``sums / weight`` (q, d), and 0 for what weighs nothing."""
    return np.divide(sums, weight, out=np.zeros_like(sums), where=weight > 0)
