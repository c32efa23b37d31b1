"""Labelled rows as models are compared on them: one matrix of numbers, categories by theirs."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from gaussbayes import validation
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CategoricalFeatures, FloatArray, RealArray
from gaussbayes.data import labels, table
from gaussbayes.data.categories import Categories
from gaussbayes.data.coding import coded
from gaussbayes.families.categorical import MISSING, CodedColumns, warn_of_many, warn_of_unseen
from gaussbayes.model import mixed_rows

Places: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows, their class numbers, and what columns, classes and categories are called.

    A category is its number among those of its feature, NaN where it is missing: whole numbers are
    categories too, so that a model of these rows is that of the rows as they came.
    """

    rows: RealArray  # (n, d)
    codes: Places  # (n,)
    schema: Schema
    categories: tuple[Categories, ...] = ()  # of each categorical feature


def read_labelled(
    X: Any, y: Any, categorical_features: CategoricalFeatures = None, *, allow_nan: bool = False
) -> LabelledRows:
    """Rows with one label each; numbers are finite, or NaN where that is allowed.

    Parameters
    ----------
    categorical_features : as in `gaussbayes.GaussianClassifier`

    Examples
    --------
    >>> found = read_labelled([[1.5, "low"], [2.5, None], [3.5, "high"]], ["a", "b", "b"], [1])
    >>> found.rows.tolist(), found.codes.tolist(), found.categories
    ([[1.5, 1.0], [2.5, nan], [3.5, 0.0]], [0, 1, 1], (('high', 'low'),))
    """
    columns = validation.categorical_columns(X, categorical_features)
    if columns:
        mixed = mixed_rows.labelled_first(X, y, None, validation.names_in(X), columns)
        batch, schema = mixed.batch, mixed.schema
    else:
        batch, schema = table.read(X, y)
    if batch.targets.ndim == 2:
        msg = f"y must be one label for each row here, got memberships {batch.targets.shape}"
        raise DataError(msg)
    names = schema.of_numbers
    refuse_not_finite(batch.X, names=names.features or names.places, allow_nan=allow_nan)
    codes = batch.targets.astype(np.intp)
    if not columns:
        return LabelledRows(batch.X, codes, schema)
    warn_of_many(mixed.columns.categories, schema.of_categories)
    rows = _beside(batch.X, mixed.columns, schema)
    return LabelledRows(rows, codes, schema, mixed.columns.categories)


def read_test(
    X_test: Any, y_test: Any, X: Any, known: LabelledRows, *, allow_nan: bool
) -> tuple[RealArray, Places]:
    """Test rows, whose features and classes must be those of the rows `X` to learn from.

    Of categories that are not among those known a warning is given; they are as good as missing.
    """
    schema = known.schema
    if len(X_test) == 0:
        msg = "the test set is empty: held_out=(X_test, y_test) needs at least one row"
        raise DataError(msg)
    if schema.features is not None and table.is_frame(X_test):
        validate_data(validation.memory_of(X), X_test, reset=False, skip_check_array=True)
    tests = X_test if table.is_frame(X_test) else table.as_array(X_test)
    if tests.shape[1] != schema.n_features:
        msg = f"X has {schema.n_features} features, but X_test has {tests.shape[1]}"
        raise SchemaError(msg)
    found = read_labelled(tests, y_test, list(schema.categorical) or None, allow_nan=allow_nan)
    validation.refuse_unknown(found.schema.classes, schema.classes)
    places = labels.unite(schema.classes, found.schema.classes)[2]
    rows = found.rows
    if schema.categorical:
        own = rows[:, list(schema.categorical)]
        numbers = np.where(np.isnan(own), MISSING, own).astype(np.int32)
        columns = coded(zip(numbers.T, found.categories, strict=True), known.categories)
        warn_of_unseen(columns.unseen, schema.of_categories)
        rows = _beside(rows[:, _numeric(schema)], columns, schema)
    return rows, places[found.codes].astype(np.intp)


def _beside(numbers: RealArray, columns: CodedColumns, schema: Schema) -> FloatArray:
    """Numbers and the numbers of categories as one matrix (n, d), each column at its place."""
    rows = np.empty((numbers.shape[0], schema.n_features))
    rows[:, _numeric(schema)] = numbers
    rows[:, list(schema.categorical)] = np.where(columns.codes < 0, np.nan, columns.codes)
    return rows


def _numeric(schema: Schema) -> list[int]:
    return [j for j in range(schema.n_features) if j not in schema.categorical]
