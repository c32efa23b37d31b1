"""How often the categories of a lazy table occur: for each feature one query, summed in the engine.

``group_by(target, feature)`` gives a line for each class and category.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.sources.categories import (
    MOST_CATEGORIES,
    refuse_too_many,
    too_many,
    without_blank,
)
from gaussbayes.data.sources.lazy_rows import LazyRows, collected, floats, owners

if TYPE_CHECKING:
    from gaussbayes.data.categories import Categories
    from gaussbayes.families.categorical import ClassCounts


def lazy_counts(rows: LazyRows, labels: list[Any], n_rows: FloatArray) -> "ClassCounts":
    """How much each category weighs in each class.

    Parameters
    ----------
    labels, n_rows : of the classes (k,), as the first query found them

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import polars as pl
    >>> from gaussbayes.data.sources.choice import Choice
    >>> lazy = nw.from_native(pl.LazyFrame({"label": ["a", "a"], "c0": ["S", None]}))
    >>> rows = LazyRows(lazy, Choice("kind", ("wind",), None, ("wind",)))
    >>> counts = lazy_counts(rows, ["a"], np.array([2.0]))
    >>> counts.categories, counts.weight.tolist(), counts.missing.tolist()
    ((('S',),), [[1.0]], [[1.0]])
    """
    from gaussbayes.families.categorical import ClassCounts

    parts = [
        _of_feature(rows, number, name, labels, n_rows)
        for number, name in enumerate(rows.chosen.categorical)
    ]
    counts = ClassCounts(
        tuple(categories for categories, _, _ in parts),
        np.concatenate([weight for _, weight, _ in parts], axis=1),
        np.stack([missing for _, _, missing in parts], axis=1),
    )
    refuse_too_many(counts)
    return counts.that_occur()


def refuse_missing_categories(counts: "ClassCounts", names: Sequence[str]) -> None:
    """Raise if rows must be complete and a category is missing."""
    for name, weight in zip(names, counts.missing.sum(axis=0), strict=True):
        if weight > 0:
            msg = f"NULL in column {name!r}, in rows of weight {weight:g}: leave out such rows"
            raise DataError(msg)


def _of_feature(
    rows: LazyRows, number: int, name: str, labels: list[Any], n_rows: FloatArray
) -> "tuple[Categories, FloatArray, FloatArray]":
    """The categories (m) of a feature, their weights (k, m), and that of missing ones (k,)."""
    import narwhals.stable.v2 as nw

    from gaussbayes.data.coding import factorise

    sums = [nw.len().alias("n"), *([nw.col("weight").sum()] if rows.weighted else [])]
    column, k = f"c{number}", len(labels)
    groups = rows.frame.group_by("label", column).agg(*sums)
    most = k * (MOST_CATEGORIES + 1)
    found = collected(groups.head(most + 1))
    values = found[column].to_list()
    if found.shape[0] > most:
        raise too_many(repr(name), next(value for value in values if value is not None))
    owner, count = owners(found, labels, n_rows)
    weight = floats(found, "weight") if rows.weighted else count
    codes, categories = factorise(np.fromiter(values, object, len(values)), repr(name))
    codes, categories = without_blank(codes, categories)
    total, missing = np.zeros((k, len(categories))), np.zeros(k)
    there = codes >= 0
    np.add.at(total, (owner[there], codes[there]), weight[there])
    np.add.at(missing, owner[~there], weight[~there])
    return categories, total, missing
