"""Rows of numbers and categories, as a classifier takes them: split, checked and summed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from gaussbayes import table, validation
from gaussbayes.categorical import count, read_columns, split, warn_of_many, warn_of_unseen
from gaussbayes.labelled import LabelledMoments
from gaussbayes.learning import learn
from gaussbayes.mixed import MixedRows
from gaussbayes.model import Model
from gaussbayes.schema import Schema
from gaussbayes.types import RealArray, ScatterLayout


def rows_as_before(model: BaseEstimator, record: Model, X: Any) -> MixedRows:
    """The rows of a model that has categories; those it never saw are counted in a warning."""
    numbers, columns = _split_as_before(model, record, X)
    names, known = record.schema.of_categories, record.learnt("predict").counts
    coded = read_columns(columns, names, None if known is None else known.categories)
    warn_of_unseen(coded.unseen, names)
    return MixedRows(numbers, coded)


def learnt_as_before(
    model: BaseEstimator, record: Model, X: Any, y: Any, sample_weight: Any, n_jobs: int | None
) -> LabelledMoments:
    """What labelled rows teach whose features are those of a model in number, name and order."""
    parts = _split_as_before(model, record, X)
    return _learnt(*parts, y, sample_weight, record.schema, record.layout, n_jobs)


def learnt_first(
    X: Any,
    y: Any,
    sample_weight: Any,
    names: tuple[str, ...] | None,
    categorical: tuple[int, ...],
    layout: ScatterLayout,
    n_jobs: int | None,
) -> LabelledMoments:
    """What labelled rows teach a model that has seen none.

    Parameters
    ----------
    names : of the features, if they have any
    categorical : the columns that hold categories, at least one

    Examples
    --------
    >>> X = [[1.0, "low"], [3.0, "high"], [5.0, "low"]]
    >>> learnt = learnt_first(X, ["a", "a", "b"], None, None, (1,), "full", 1)
    >>> learnt.moments.mean.tolist(), learnt.counts.weight.tolist()
    ([[2.0], [5.0]], [[1.0, 1.0], [0.0, 1.0]])
    """
    rows = X if table.is_frame(X) else table.as_array(X)
    schema = Schema(np.empty(0), rows.shape[1], names, categorical)
    return _learnt(*split(rows, _mask(schema)), y, sample_weight, schema, layout, n_jobs)


def _learnt(
    numbers: RealArray,
    columns: Sequence[Any],
    y: Any,
    sample_weight: Any,
    schema: Schema,
    layout: ScatterLayout,
    n_jobs: int | None,
) -> LabelledMoments:
    """The moments and counts of labelled rows; of `schema` only the features matter."""
    validation.warn_of_column(y)
    batch, classes = table.batch_of(numbers, y, sample_weight)
    of_numbers, k = schema.of_numbers, classes.shape[0]
    with validation.naming_columns(numbers, of_numbers.features or of_numbers.places):
        learnt = learn(numbers, batch.targets, batch.weights, classes, layout, n_jobs)
    coded = read_columns(columns, schema.of_categories)
    counts = count(coded, batch.targets, batch.weights, k)
    warn_of_many(counts.categories, schema.of_categories)
    return replace(learnt, counts=counts)


def _split_as_before(model: BaseEstimator, record: Model, X: Any) -> tuple[RealArray, list[Any]]:
    rows = X if table.is_frame(X) else table.as_array(X)
    validate_data(model, rows, reset=False, skip_check_array=True)
    return split(rows, _mask(record.schema))


def _mask(schema: Schema) -> NDArray[np.bool_]:
    mask = np.zeros(schema.n_features, dtype=bool)
    mask[list(schema.categorical)] = True
    return mask
