"""One partition of a Dask DataFrame, a pandas frame, → its moments; this runs on a worker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.base.errors import DataError, NonFiniteError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray, ScatterLayout
from gaussbayes.data import labels, table
from gaussbayes.data.sources.categories import refuse_too_many, without_blank
from gaussbayes.data.sources.choice import Choice
from gaussbayes.data.sources.files import FileSum
from gaussbayes.data.sources.summary import BadRows
from gaussbayes.families.gaussian.learning import learn

if TYPE_CHECKING:
    from gaussbayes.families.categorical import ClassCounts


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
        X: RealArray = np.empty((len(part), 0))
        if chosen.numeric:
            X = table.as_matrix(part[list(chosen.numeric)])
        weights = None if chosen.weights is None else _weights(part[chosen.weights])
        try:
            learnt = learn(X, codes, weights, classes, layout, 1)
        except NonFiniteError:
            refuse_not_finite(X, names=chosen.numeric, allow_nan=not complete)
            raise
        if chosen.categorical:
            counts = _counts(part, chosen.categorical, codes, weights, classes.size, complete)
            learnt = replace(learnt, counts=counts)
        if learnt.incomplete is None:
            return FileSum(learnt, len(part), BadRows())
        if complete:
            refuse_not_finite(X, names=chosen.numeric)
        return FileSum(learnt, len(part), BadRows(), int(np.isnan(X).any(axis=1).sum()))


def _counts(
    part: Any,
    names: Sequence[str],
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    complete: bool,
) -> "ClassCounts":
    """How much each category weighs in each class."""
    import narwhals.stable.v2 as nw

    from gaussbayes.data.category_columns import factors
    from gaussbayes.data.coding import MISSING, coded
    from gaussbayes.families.categorical.counting import count

    factorised = []
    for name in names:
        series = nw.from_native(part[name], series_only=True)
        factorised.append(without_blank(*factors(series, repr(name))))
        missing = factorised[-1][0] == MISSING
        if complete and missing.any():
            msg = f"the value of {name!r} in row {int(np.argmax(missing))} is missing"
            raise DataError(msg)
    counts = count(coded(factorised), codes, weights, n_classes)
    refuse_too_many(counts)
    return counts


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
