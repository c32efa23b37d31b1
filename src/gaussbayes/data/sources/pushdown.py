"""A table of an engine (DuckDB, lazy Polars, SQL) → moments, summed where the rows live.

Two queries, each one narwhals expression of the form ``group_by(target).agg(…)``:

1. the number of rows, the weight and the sum of each feature of each class, which give an
   **anchor** at the class's mean, up to rounding;
2. the sums ``Σ w (x − anchor)`` and ``Σ w (xᵢ − anchorᵢ)(xⱼ − anchorⱼ)``, as in
   `gaussbayes.data.sources.lazy_sums`.

For each categorical feature there is one more, ``group_by(target, feature)``.

One row for each class, or class and category, is all that leaves the engine. Where numbers are
missing (NULL, NaN) it is one for each class and pattern of what is there; NaN, and missing values
of rows that are weighted, make the first query run once more, for the means of what is there.

What lies between anchor and mean is corrected afterwards, ``scatter = Σ w δδᵀ − (Σ w δ)(Σ w δ)ᵀ /
weight`` with ``δ = x − anchor``; it is so small that the correction takes no digits away, however
far from zero or from each other the classes are.

An engine adds in an order of its own, which may change from run to run: the results agree with
those of files and arrays to rounding, not to the bit.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import CategoricalFeatures, ScatterLayout
from gaussbayes.data.sources.choice import choose
from gaussbayes.data.sources.lazy_counts import refuse_missing_categories
from gaussbayes.data.sources.lazy_rows import (
    MOST_CLASSES,
    LazyRows,
    collected,
    floats,
    lazy_rows,
    refuse_labels,
    refuse_values,
    refuse_weights,
)
from gaussbayes.data.sources.lazy_sums import Classes, about_anchors, columns, shares, weighted
from gaussbayes.data.sources.summary import Summary

MOST_SUMS = 1275
"""Those of a full scatter of 50 features; engines are slow to plan and to run larger queries."""


def moments_of(
    source: Any,
    target: str,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    layout: ScatterLayout = "full",
    *,
    complete: bool = False,
    categorical: CategoricalFeatures = None,
) -> Summary:
    """Sum the rows of a lazy table, class by class, inside its engine.

    Parameters
    ----------
    source : a DuckDB relation, a Polars LazyFrame, or any other lazy frame that narwhals knows
    target, features, weights, layout : see `gaussbayes.data.sources.moments_of`
    complete : whether rows that lack a feature are refused
    categorical : as `categorical_features` there

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
    schema = frame.collect_schema()
    typed = [name for name, kind in schema.items() if kind in (nw.Categorical, nw.Enum)]
    chosen = choose(schema.names(), target, features, weights, categorical, typed)
    d = len(chosen.numeric)
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
    finite = bool(np.isfinite(classes.anchor).all())
    if complete and (classes.lacking or not finite):
        refuse_values(rows, complete=True)
    if not finite or (classes.lacking and rows.weighted):
        rows = rows.without_nan()
        classes = _anchored(rows, apart=True)
        if not np.isfinite(classes.anchor).all():
            refuse_values(rows)
    learnt, n_incomplete = about_anchors(rows, classes, layout)
    if complete and learnt.counts is not None:
        refuse_missing_categories(learnt.counts, chosen.categorical)
    return Summary(
        learnt,
        chosen.features,
        target,
        int(classes.n_rows.sum()),
        n_incomplete=n_incomplete,
        categorical=chosen.places,
    )


def _anchored(rows: LazyRows, *, apart: bool = False) -> Classes:
    """The first query: which classes there are, and where.

    The weight of the rows that have a feature is summed if it is to be told `apart` from that of
    all rows; it is their number where rows are not weighted.
    """
    import narwhals.stable.v2 as nw

    d = rows.n_features
    own, apart = [nw.len().alias("n")], apart and rows.weighted
    if rows.weighted:
        column = nw.col("weight")
        own += [column.sum(), column.min().alias("least"), column.count().alias("weights")]
    made = [weighted(rows, j).alias(f"s{j}") for j in range(d)]
    sums = [nw.col(f"s{j}").sum() for j in range(d)]
    if apart:
        made += [_weight_of(j).alias(f"w{j}") for j in range(d)]
        sums += [nw.col(f"w{j}").sum() for j in range(d)]
    counts = [nw.col(f"x{j}").count() for j in range(d)]
    terms = rows.frame.with_columns(*made) if made else rows.frame
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
    there = columns(found, "x", d)
    shift = columns(found, "s", d)
    if apart:
        of_each = columns(found, "w", d)
    else:
        of_each = np.broadcast_to(weight[:, None], shift.shape) if rows.weighted else there
    lacking = bool((there != n_rows[:, None]).any())
    return Classes(found["label"], n_rows, shares(shift, of_each), lacking)


def _weight_of(column: int) -> Any:
    """The expression of a row's weight, where it has a feature."""
    import narwhals.stable.v2 as nw

    return nw.when(~nw.col(f"x{column}").is_null()).then(nw.col("weight"))
