"""Which rows are held out: a share of every class, by a seed."""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.datasets.dataset import Table
from gaussbayes.apps.lab.messages.sources import Split
from gaussbayes.base.errors import GaussBayesError


def held_out(table: Table, split: Split) -> tuple[NDArray[np.bool_], str | None]:
    """Which rows (n,) are held out, and why none are although that was asked for.

    They are those that ``gaussbayes evaluate --held-out SHARE --seed N`` holds out.

    Examples
    --------
    >>> rows, codes = np.arange(8.0)[:, None], np.repeat(np.arange(2, dtype=np.int32), 4)
    >>> table = Table("eight", rows, codes, np.array(["a", "b"]), ("x",))
    >>> test, problem = held_out(table, Split(0.25, seed=0))
    >>> np.bincount(codes[test]).tolist(), problem
    ([1, 1], None)
    """
    test = np.zeros(table.codes.size, dtype=np.bool_)
    if split.test == 0 or not table.codes.size:
        return test, None
    from gaussbayes.analysis.comparison.held_out import (
        hold_out,  # brings scikit-learn, which takes a while
    )

    labels = table.labels[table.codes]
    try:
        parts = hold_out(table.X, labels, split.test, split.seed, allow_nan=True)
    except GaussBayesError as error:
        return test, f"no rows are held out: {error}"
    test[parts.splits[0][1]] = True
    return test, None
