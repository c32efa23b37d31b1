"""One partition of a Dask DataFrame, a pandas frame, → its moments; this runs on a worker."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gaussbayes import labels, table
from gaussbayes.errors import DataError, NonFiniteError
from gaussbayes.finite import refuse_not_finite
from gaussbayes.learning import learn
from gaussbayes.sources.choice import Choice
from gaussbayes.sources.files import FileSum
from gaussbayes.sources.summary import BadRows
from gaussbayes.types import CodeArray, FloatArray, LabelArray, ScatterLayout


def part_sum(
    part: Any, number: int, chosen: Choice, layout: ScatterLayout, complete: bool = False
) -> FileSum:
    """Sum the rows of partition `number`; its threads are the scheduler's, so here is but one.

    Rows that lack a feature are refused if they must be `complete`.

    Examples
    --------
    >>> import pandas as pd
    >>> part = pd.DataFrame({"x": [1.0, 3.0], "kind": ["a", "a"]})
    >>> found = part_sum(part, 0, Choice("kind", ("x",), None), "full")
    >>> found.n_rows, found.learnt.moments.mean.tolist()
    (2, [[2.0]])
    """
    with _naming(number):
        if len(part) == 0:
            return FileSum(None, 0, BadRows())
        codes, classes = _encoded(part[chosen.target])
        X = table.as_matrix(part[list(chosen.features)])
        weights = None if chosen.weights is None else _weights(part[chosen.weights])
        try:
            learnt = learn(X, codes, weights, classes, layout, 1)
        except NonFiniteError:
            refuse_not_finite(X, names=chosen.features, allow_nan=not complete)
            raise
        if learnt.incomplete is None:
            return FileSum(learnt, len(part), BadRows())
        if complete:
            refuse_not_finite(X, names=chosen.features)
        return FileSum(learnt, len(part), BadRows(), int(np.isnan(X).any(axis=1).sum()))


@contextmanager
def _naming(number: int) -> Iterator[None]:
    """Let errors name the partition; rows are counted within it, from 0."""
    try:
        yield
    except DataError as error:
        msg = f"partition {number}: {error}"
        raise type(error)(msg) from None


def _encoded(column: Any) -> tuple[CodeArray, LabelArray]:
    """Class numbers of labels; text is compared once for each different label, not each row."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return labels.encode(column.to_numpy())
    numbers, found = column.factorize()  # −1 is a missing one
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        msg = f"the label in row {row} is missing: leave out rows without a label"
        raise DataError(msg)
    ranks, classes = labels.encode(found.to_numpy())
    return ranks[numbers], classes


def _weights(column: Any) -> FloatArray | None:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    # A partition whose rows all weigh nothing is no mistake; all of them would be.
    return table.as_weights(values, values.shape[0]) if values.any() else values
