"""The counts of categories in a table of an engine, counted where the rows live.

For each feature there is one query, ``group_by(label, feature)``: a line for each class and
category is all that leaves the engine.
"""

from collections.abc import Sequence

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import MOST_CATEGORIES, Categories, factorise, too_many_categories
from gaussbayes.data.engines import WEIGHT, EngineTable, feature_column, floats
from gaussbayes.families.categorical.family import Categorical, CategoricalStatistics


def push_down(
    family: Categorical, table: EngineTable, columns: Sequence[int]
) -> CategoricalStatistics | None:
    """The counts of some features, given by their positions among all, of the labelled rows."""
    del family  # smoothing acts in `estimate` only
    parts = [_count(table, column) for column in columns]
    return CategoricalStatistics(
        tuple(categories for categories, _, _ in parts),
        table.weight,
        np.concatenate([count for _, count, _ in parts], axis=1),
        np.stack([missing for _, _, missing in parts], axis=1),
    ).trimmed()


def _count(table: EngineTable, column: int) -> tuple[Categories, FloatArray, FloatArray]:
    """The categories (m) of a feature, their weights (k, m), and that of missing ones (k,)."""
    name, k = repr(table.roles.features[column]), table.classes.shape[0]
    most = k * (MOST_CATEGORIES + 1) + 1
    result, classes, n_rows = table.grouped([feature_column(column)], (), most)
    values = result[feature_column(column)].to_list()
    if result.shape[0] >= most:
        raise too_many_categories(name, next(value for value in values if value is not None))
    weight = floats(result, WEIGHT) if table.weighted else n_rows
    codes, categories = factorise(np.fromiter(values, object, len(values)), name)
    count, missing = np.zeros((k, len(categories))), np.zeros(k)
    present = codes >= 0
    np.add.at(count, (classes[present], codes[present]), weight[present])
    np.add.at(missing, classes[~present], weight[~present])
    return categories, count, missing
