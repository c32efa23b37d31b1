"""Rows of numbers and categories, as a classifier takes them: split, checked and summed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from gaussbayes import validation
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import RealArray, ScatterLayout
from gaussbayes.data import table
from gaussbayes.families.categorical import (
    MISSING,
    CodedColumns,
    count,
    read_columns,
    split,
    warn_of_many,
    warn_of_unseen,
)
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.mixed import MixedRows
from gaussbayes.model.model import Model


def rows_as_before(model: BaseEstimator, record: Model, X: Any) -> MixedRows:
    """The rows of a model that has categories; those it never saw are counted in a warning."""
    numbers, columns = _split_as_before(model, record, X)
    rows = _coded(record, numbers, columns)
    warn_of_unseen(rows.columns.unseen, record.schema.of_categories)
    return rows


def numbers_as_before(model: BaseEstimator, record: Model, X: Any) -> RealArray:
    """The numbers (n, g) of such rows, for steps that look at nothing else."""
    numbers, _ = _split_as_before(model, record, X)
    if not numbers.shape[1]:
        msg = (
            "distances are those of numbers, and this model has categories only: its evidence "
            "(score_samples) says how usual a row is"
        )
        raise DataError(msg)
    return numbers


def one_row(model: BaseEstimator, record: Model, row: Any) -> MixedRows:
    """One row, which may come as a table of one; what is new in it is marked, not warned of."""
    if np.ndim(row) < 2 and not table.is_frame(row):
        (d,) = np.shape(row) or (1,)
        if d != record.schema.n_features:
            msg = f"one row of {record.schema.n_features} features is explained at a time, got {d}"
            raise SchemaError(msg)
        numbers, columns = split([list(row)], _mask(record.schema))
    else:
        numbers, columns = _split_as_before(model, record, row)
        validation.refuse_other_than_one(numbers.shape[0])
    return _coded(record, numbers, columns)


def learnt_as_before(
    model: BaseEstimator, record: Model, X: Any, y: Any, sample_weight: Any, n_jobs: int | None
) -> LabelledMoments:
    """What labelled rows teach whose features are those of a model in number, name and order."""
    parts = _split_as_before(model, record, X)
    rows = _labelled(*parts, y, sample_weight, record.schema)
    return rows.learnt(record.layout, n_jobs)


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
    return labelled_first(X, y, sample_weight, names, categorical).learnt(layout, n_jobs)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledMixedRows:
    """Rows with their classes and weights: their numbers, and their categories as they occur."""

    batch: table.Batch  # of the numbers
    columns: CodedColumns
    schema: Schema  # of all features

    def learnt(self, layout: ScatterLayout, n_jobs: int | None) -> LabelledMoments:
        """The moments and counts of the rows, of which some may lack features."""
        batch, schema = self.batch, self.schema
        names = schema.of_numbers
        with validation.naming_columns(batch.X, names.features or names.places):
            learnt = learn(batch.X, batch.targets, batch.weights, schema.classes, layout, n_jobs)
        counts = count(self.columns, batch.targets, batch.weights, schema.classes.shape[0])
        warn_of_many(counts.categories, schema.of_categories)
        return replace(learnt, counts=counts)


def side_by_side(rows: MixedRows, schema: Schema) -> NDArray[Any]:
    """Numbers and categories as one array of objects (n, d), each column at its place.

    A value that is missing is None.

    Examples
    --------
    >>> from gaussbayes.families.categorical import code_columns
    >>> wind = code_columns([np.array(["S", "M"])], ["'wind'"])
    >>> schema = Schema(np.arange(2), 2, ("wind", "age"), (0,))
    >>> side_by_side(MixedRows(np.array([[30.0], [40.0]]), wind), schema).tolist()
    [['S', 30.0], ['M', 40.0]]
    """
    table_of_both = np.empty((rows.X.shape[0], schema.n_features), dtype=object)
    mask = _mask(schema)
    table_of_both[:, ~mask] = rows.X
    for j, column in enumerate(schema.categorical):
        # Two at the end for values unseen and missing, which are numbered −1 and −2.
        values = np.array([*rows.columns.categories[j], None, None], dtype=object)
        table_of_both[:, column] = values[rows.columns.codes[:, j]]
    return table_of_both


def refuse_incomplete(model: BaseEstimator, record: Model, X: Any) -> None:
    """Raise if a row of a model that has categories lacks a feature or has an unseen category."""
    rows = _coded(record, *_split_as_before(model, record, X))
    names = record.schema.of_numbers
    refuse_not_finite(rows.X, names=names.features or names.places)
    wrong = rows.columns.codes < 0
    if wrong.any():
        row, j = np.argwhere(wrong)[0].tolist()
        missing = rows.columns.codes[row, j] == MISSING
        what = "is missing" if missing else "is a category that training has not seen"
        msg = (
            f"{record.schema.of_categories.feature_name(j)} {what} in row {row}: rows of all "
            "features are compared here; leave the row out, or the feature (see marginal)"
        )
        raise DataError(msg)


def labelled_first(
    X: Any,
    y: Any,
    sample_weight: Any,
    names: tuple[str, ...] | None,
    categorical: tuple[int, ...],
) -> LabelledMixedRows:
    """The rows of a model that has seen none; parameters as in `learnt_first`."""
    rows = X if table.is_frame(X) else table.as_array(X)
    schema = Schema(np.empty(0), rows.shape[1], names, categorical)
    return _labelled(*split(rows, _mask(schema)), y, sample_weight, schema)


def _labelled(
    numbers: RealArray, columns: Sequence[Any], y: Any, sample_weight: Any, schema: Schema
) -> LabelledMixedRows:
    """Rows with their labels; of `schema` only the features matter."""
    validation.warn_of_column(y)
    batch, classes = table.batch_of(numbers, y, sample_weight)
    own = read_columns(columns, schema.of_categories)
    return LabelledMixedRows(batch, own, replace(schema, classes=classes))


def _split_as_before(model: BaseEstimator, record: Model, X: Any) -> tuple[RealArray, list[Any]]:
    rows = X if table.is_frame(X) else table.as_array(X)
    validate_data(model, rows, reset=False, skip_check_array=True)
    return split(rows, _mask(record.schema))


def _coded(record: Model, numbers: RealArray, columns: Sequence[Any]) -> MixedRows:
    known = None if record.counts is None else record.counts.categories
    return MixedRows(numbers, read_columns(columns, record.schema.of_categories, known))


def _mask(schema: Schema) -> NDArray[np.bool_]:
    mask = np.zeros(schema.n_features, dtype=bool)
    mask[list(schema.categorical)] = True
    return mask
