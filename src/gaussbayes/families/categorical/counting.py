"""Coded columns → counts, block by block."""

import numpy as np

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families.categorical.counts import ClassCounts, empty

_BLOCK = 1 << 16


def count(
    columns: CodedColumns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
) -> ClassCounts:
    """How much each category weighs in each class.

    Categories that occur only in rows of weight 0, or in none, are left out. Values that were
    coded as unseen are counted nowhere: code the columns without known categories to count them.

    Parameters
    ----------
    targets : (n,) class numbers, or (n, k) memberships: how much of a row belongs to each class
    weights : (n,) or None

    Examples
    --------
    >>> from gaussbayes.data.coding import code_columns
    >>> columns = code_columns([np.array(["S", "M", "S"])], ["'wind'"])
    >>> count(columns, np.array([0, 1, 1], np.int32), None, 2).weight.tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    nothing = empty(columns.categories, n_classes)
    n = columns.codes.shape[0]
    if n == 0:
        return nothing.that_occur()
    tree: MergeTree[ClassCounts] = MergeTree()
    # A block must outweigh the table it is counted into.
    for number, rows in enumerate(ranges(n, max(_BLOCK, nothing.weight.size))):
        some = CodedColumns(columns.codes[rows], columns.categories)
        own = None if weights is None else weights[rows]
        tree.add(number, _count_block(some, targets[rows], own, n_classes))
    return tree.result().that_occur()


def _count_block(
    columns: CodedColumns,
    targets: CodeArray | FloatArray,
    weights: FloatArray | None,
    n_classes: int,
) -> ClassCounts:
    total = empty(columns.categories, n_classes)
    first = total.starts
    for j in range(columns.n_features):
        # Shifted, so that missing and unseen values are columns too: 0 and 1.
        m = first[j + 1] - first[j] + 2
        shifted = columns.codes[:, j].astype(np.intp) + 2
        if targets.ndim == 1:
            at = targets * np.intp(m) + shifted
            sums = np.bincount(at, weights, n_classes * m).reshape(n_classes, m)
        else:
            shares = targets if weights is None else targets * weights[:, None]
            sums = np.stack([np.bincount(shifted, shares[:, c], m) for c in range(n_classes)])
        total.missing[:, j] = sums[:, 0]
        total.weight[:, first[j] : first[j + 1]] = sums[:, 2:]
    return total
