"""A table of an engine (DuckDB, lazy Polars, SQL) → moments, summed where the rows live.

Two queries, each one narwhals expression of the form ``group_by(target).agg(…)``:

1. the number of rows, the weight and the sum of each feature of each class, which give an
   **anchor** at the class's mean, up to rounding;
2. ``Σ w (x − anchor)`` and ``Σ w (xᵢ − anchorᵢ)(xⱼ − anchorⱼ)``: d (d + 1) / 2 sums for a full
   scatter, d for a diagonal one.

One row for each class is all that leaves the engine. What lies between anchor and mean is corrected
afterwards, ``scatter = Σ w δδᵀ − (Σ w δ)(Σ w δ)ᵀ / weight`` with ``δ = x − anchor``; it is so small
that the correction takes no digits away, however far from zero or from each other the classes are.

An engine adds in an order of its own, which may change from run to run: the results agree with
those of files and arrays to rounding, not to the bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.errors import DataError
from gaussbayes.labelled import label_moments
from gaussbayes.moments import ClassMoments
from gaussbayes.sources.choice import choose
from gaussbayes.sources.lazy_rows import (
    MOST_CLASSES,
    LazyRows,
    collected,
    floats,
    lazy_rows,
    refuse_labels,
    refuse_values,
    refuse_weights,
)
from gaussbayes.sources.summary import Summary
from gaussbayes.types import FloatArray, ScatterLayout

MOST_SUMS = 1275
"""Those of a full scatter of 50 features; engines are slow to plan and to run larger queries."""

_FEW = 8
"""So many labels are compared one after the other, which is faster than looking up."""


def moments_of(
    source: Any,
    target: str,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    layout: ScatterLayout = "full",
) -> Summary:
    """Sum the rows of a lazy table, class by class, inside its engine.

    Parameters
    ----------
    source : a DuckDB relation, a Polars LazyFrame, or any other lazy frame that narwhals knows
    target, features, weights, layout : see `gaussbayes.sources.moments_of`

    Examples
    --------
    >>> import polars as pl
    >>> lazy = pl.LazyFrame({"height": [1.0, 3.0, 7.0], "kind": ["a", "a", "b"]})
    >>> found = moments_of(lazy, "kind")
    >>> found.learnt.classes.tolist(), found.learnt.moments.mean.tolist()
    (['a', 'b'], [[2.0], [7.0]])
    """
    import narwhals.stable.v2 as nw

    frame = nw.from_native(source).lazy()
    chosen = choose(frame.collect_schema().names(), target, features, weights)
    d = len(chosen.features)
    n_sums = d if layout == "diagonal" else d * (d + 1) // 2
    if n_sums > MOST_SUMS:
        msg = (
            f"the {layout} scatter of {d} features takes {n_sums} sums inside the engine, and "
            f"{MOST_SUMS} are the most: choose fewer features, take covariance='diagonal', or "
            "write the table to Parquet and fit the file"
        )
        raise DataError(msg)
    rows = lazy_rows(frame, chosen)
    classes = _anchored(rows)
    learnt = label_moments(classes.labels.to_native(), _about_anchors(rows, classes, layout))
    return Summary(learnt.with_layout(layout), chosen.features, target, int(classes.n_rows.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """What the first query tells of each class, in the engine's order."""

    labels: Any  # (k,) a narwhals Series
    n_rows: FloatArray  # (k,)
    weight: FloatArray  # (k,)
    anchor: FloatArray  # (k, d)


def _anchored(rows: LazyRows) -> _Classes:
    """The first query: which classes there are, and where; bad values are refused."""
    import narwhals.stable.v2 as nw

    d = rows.n_features
    own = [nw.len().alias("n")]
    if rows.weighted:
        column = nw.col("weight")
        own += [column.sum(), column.min().alias("least"), column.count().alias("weights")]
    terms = rows.frame.with_columns(*(_weighted(rows, j).alias(f"s{j}") for j in range(d)))
    sums = [nw.col(f"s{j}").sum() for j in range(d)]
    counts = [nw.col(f"x{j}").count() for j in range(d)]
    found = collected(terms.group_by("label").agg(*own, *counts, *sums).head(MOST_CLASSES + 1))

    n_rows = floats(found, "n")
    refuse_labels(found["label"], n_rows, rows.chosen.target)
    weight = floats(found, "weight") if rows.weighted else n_rows
    total = float(weight.sum())
    if rows.weighted and not (
        (floats(found, "weights") == n_rows).all()  # no NULL
        and (floats(found, "least") >= 0).all()
        and 0 < total < np.inf
    ):
        refuse_weights(rows, total)
    there = _columns(found, "x", d) == n_rows[:, None]
    shift = _columns(found, "s", d)
    if not (there.all() and np.isfinite(shift).all()):
        refuse_values(rows)
    return _Classes(found["label"], n_rows, weight, _shares(shift, weight))


def _about_anchors(rows: LazyRows, classes: _Classes, layout: ScatterLayout) -> ClassMoments:
    """The second query: moments with a full scatter, or a diagonal one if that is the layout."""
    import narwhals.stable.v2 as nw

    k, d = classes.anchor.shape
    labels = classes.labels.to_list()
    shifted = [
        (nw.col(f"x{j}") - _of_label(labels, classes.anchor[:, j].tolist())).alias(f"x{j}")
        for j in range(d)
    ]
    diagonal = layout == "diagonal"
    pairs = [(i, j) for i in range(d) for j in ([i] if diagonal else range(i + 1))]
    # Products as columns of their own: some engines can only sum a column, not an expression.
    terms = rows.frame.with_columns(*shifted).select(
        "label",
        *(_weighted(rows, j).alias(f"s{j}") for j in range(d)),
        *((_weighted(rows, i) * nw.col(f"x{j}")).alias(f"p{p}") for p, (i, j) in enumerate(pairs)),
    )
    sums = [nw.col(f"s{j}").sum() for j in range(d)]
    sums += [nw.col(f"p{p}").sum() for p in range(len(pairs))]
    found = collected(terms.group_by("label").agg(nw.len().alias("n"), *sums))

    place = {label: row for row, label in enumerate(found["label"].to_list())}
    order = [place.get(label, -1) for label in labels]
    if len(place) != k or -1 in order or (floats(found, "n")[order] != classes.n_rows).any():
        msg = "the table changed between two queries: read it in a transaction, or from a copy"
        raise DataError(msg)
    shift = _columns(found, "s", d)[order]
    offset = _shares(shift, classes.weight)
    of_first, of_second = np.array(pairs).T
    products = _columns(found, "p", len(pairs))[order]
    products -= shift[:, of_first] * offset[:, of_second]
    if not (np.isfinite(products).all() and np.isfinite(offset).all()):
        refuse_values(rows)
    squares = of_first == of_second
    products[:, squares] = np.maximum(products[:, squares], 0.0)
    if diagonal:
        return ClassMoments(classes.weight, classes.anchor, offset, products, "diagonal")
    full = np.empty((k, d, d))
    full[:, of_first, of_second] = full[:, of_second, of_first] = products
    return ClassMoments(classes.weight, classes.anchor, offset, full, "full")


def _of_label(labels: list[Any], values: list[float]) -> Any:
    """The value that belongs to a row's label; 0 for a label that is not among these."""
    import narwhals.stable.v2 as nw

    label, found = nw.col("label"), nw.lit(0.0)
    if len(labels) > _FEW:
        return label.replace_strict(labels, values, default=found, return_dtype=nw.Float64)
    for own, value in zip(labels, values, strict=True):
        found = nw.when(label == own).then(nw.lit(value)).otherwise(found)
    return found


def _weighted(rows: LazyRows, column: int) -> Any:
    import narwhals.stable.v2 as nw

    value = nw.col(f"x{column}")
    return value * nw.col("weight") if rows.weighted else value


def _columns(found: Any, letter: str, count: int) -> FloatArray:
    """The columns called by a letter and a number, side by side (k, count)."""
    return np.stack([floats(found, f"{letter}{number}") for number in range(count)], axis=1)


def _shares(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """``sums / weight`` (k, d), and 0 for a class that weighs nothing."""
    there = weight[:, None] > 0
    return np.divide(sums, weight[:, None], out=np.zeros_like(sums), where=there)
