"""Between scikit-learn's conventions and the statistics: what is checked before rows are summed."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from gaussbayes.base.errors import DataError, NonFiniteError, SchemaError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray, ScatterLayout
from gaussbayes.data import table
from gaussbayes.data.labels import encode_some, unite
from gaussbayes.families.gaussian.learning import learn, learn_incomplete
from gaussbayes.families.gaussian.pattern_moments import MOST_KEPT_BYTES
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model


def names_in(X: Any) -> tuple[str, ...] | None:
    """The names of a frame's columns as scikit-learn has them: all text, or none.

    Examples
    --------
    >>> import pandas as pd
    >>> names_in(pd.DataFrame({"age": [1], "height": [2]})), names_in([[1, 2]])
    (('age', 'height'), None)
    """
    return names_of_features(memory_of(X)) if table.is_frame(X) else None


def memory_of(X: Any) -> BaseEstimator:
    """What scikit-learn remembers of a frame: an estimator that knows its columns, and no more."""
    memory = BaseEstimator()
    validate_data(memory, X, reset=True, skip_check_array=True)
    return memory


def features_as_before(model: BaseEstimator, X: Any) -> RealArray:
    """The rows, if their features are those of the model in number, name and order.

    A frame's names are compared before anything is converted: a column too many may hold text.
    """
    if table.is_frame(X):
        validate_data(model, X, reset=False, skip_check_array=True)
        return table.as_matrix(X)
    rows = table.as_matrix(X)
    # Without names and equal in number there is nothing to say, and no time to spend on it.
    if hasattr(model, "feature_names_in_") or rows.shape[1] != model.n_features_in_:
        validate_data(model, rows, reset=False, skip_check_array=True)
    return rows


def categorical_columns(X: Any, chosen: Any) -> tuple[int, ...]:
    """The numbers of the columns that hold categories; see `gaussbayes.families.categorical`.

    No type says so in arrays, lists and frames of pandas whose types are all NumPy's.

    Examples
    --------
    >>> categorical_columns([[1.0, "low"]], [1]), categorical_columns(np.ones((2, 2)), "from_dtype")
    ((1,), ())
    """
    if isinstance(chosen, str) and chosen == "from_dtype":
        if isinstance(X, (np.ndarray, list, tuple)):  # quicker than a union made at every call
            return ()
        types = getattr(X, "dtypes", None)
        if types is not None and all(isinstance(one, np.dtype) for one in types):
            return ()
    from gaussbayes.families import categorical

    return tuple(np.flatnonzero(categorical.categorical_columns(X, chosen)).tolist())


def one_row(model: BaseEstimator, row: Any) -> Any:
    """The features of one row, which may come as a table of one; NaN where a value is missing."""
    if np.ndim(row) < 2 and not table.is_frame(row):
        return row
    rows = features_as_before(model, row)
    refuse_other_than_one(rows.shape[0])
    return rows[0]


def refuse_other_than_one(n_rows: int) -> None:
    """Raise for tables of several rows where one is explained."""
    if n_rows != 1:
        msg = f"one row is explained at a time, got {n_rows}: choose one, as in X[3]"
        raise DataError(msg)


def names_of_features(model: BaseEstimator) -> tuple[str, ...] | None:
    """The names of a fitted model's features, if they have any."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(names)


def schema_of(model: BaseEstimator) -> Schema:
    """What the classes and features of a fitted model are called."""
    return Schema(model.classes_, model.n_features_in_, names_of_features(model))


def names_for_source(model: Model, target: str | None) -> tuple[tuple[str, ...], str]:
    """The names by which a model finds its features and its target in a source."""
    if model.schema.features is None:
        msg = (
            "this model's features have no names to find columns by: fit it to a frame or a "
            "source, or name them with with_feature_names"
        )
        raise SchemaError(msg)
    known = model.target if target is None else target
    if known is None:
        msg = "which column holds the labels is not known to this model: give target"
        raise SchemaError(msg)
    return model.schema.features, known


def refuse_unknown(found: LabelArray, known: LabelArray) -> None:
    """Raise if one of the labels found is not among the known ones.

    Examples
    --------
    >>> refuse_unknown(np.array(["a"]), np.array(["a", "b"]))
    """
    names = known.tolist()
    unknown = [label for label in found.tolist() if label not in names]
    if unknown:
        msg = f"unknown labels: {unknown!r:.200}; the classes are {names!r:.200}"
        raise SchemaError(msg)


def codes_of(a: object, b: object, schema: Schema) -> tuple[int, int]:
    """The numbers of two classes given by their labels."""
    refuse_unknown(np.array([a, b], dtype=object), schema.classes)
    return schema.position(a), schema.position(b)


def codes_among(known: LabelArray, found: LabelArray, targets: CodeArray | FloatArray) -> CodeArray:
    """The numbers (n,) that rows of class ``found[targets]`` have among the known classes.

    Examples
    --------
    >>> codes_among(np.array(["a", "b"]), np.array(["b"]), np.zeros(2, np.int32)).tolist()
    [1, 1]
    """
    if targets.ndim != 1:
        msg = f"y must be one label for each row here, got memberships {targets.shape}"
        raise DataError(msg)
    refuse_unknown(found, known)
    return unite(known, found)[2][targets.astype(np.intp)]


def read(X: Any, y: Any, sample_weight: Any) -> tuple[table.Batch, Schema]:
    """Labelled rows as numbers, and what the columns and classes are called."""
    warn_of_column(y)
    return table.read(X, y, sample_weight)


def read_incomplete(
    X: Any, y: Any, sample_weight: Any, mark: Any
) -> tuple[RealArray, CodeArray, FloatArray | None, Schema]:
    """Rows with NaN where a feature is missing, class numbers with −1 where a label is, weights."""
    rows = table.as_matrix(X)
    codes, classes = encode_some(y, mark)
    if codes.shape[0] != rows.shape[0]:
        msg = f"X has {rows.shape[0]} rows, but y has {codes.shape[0]}; give one label for each row"
        raise DataError(msg)
    if classes.size < 2:
        msg = (
            "rows without labels are learnt from beside labelled rows of at least two classes, got "
            f"labels of {classes.tolist()!r}"
        )
        raise DataError(msg)
    schema = Schema(classes, rows.shape[1], names_in(X))
    return rows, codes, table.as_weights(sample_weight, rows.shape[0]), schema


def read_labelled(X: Any, y: Any, sample_weight: Any) -> tuple[table.Batch, Schema]:
    """The same, with one label for each row, and without classes that weigh nothing.

    Examples
    --------
    >>> batch, schema = read_labelled([[1.0], [2.0]], ["a", "b"], [0.0, 1.0])
    >>> batch.X.tolist(), batch.targets.tolist(), schema.classes.tolist()
    ([[2.0]], [0], ['b'])
    """
    return one_label_each(*read(X, y, sample_weight))[:2]


def one_label_each(
    batch: table.Batch, schema: Schema
) -> tuple[table.Batch, Schema, NDArray[np.intp] | None]:
    """Rows to be left out one at a time, and which of the rows they are; None if all."""
    if batch.targets.ndim == 2:
        msg = (
            "rows are left out with one label each, got memberships of shape "
            f"{batch.targets.shape}: choose by selection='bic'"
        )
        raise DataError(msg)
    if batch.weights is None or batch.weights.all():
        return batch, schema, None
    there = batch.weights > 0
    kept, codes = np.unique(batch.targets[there], return_inverse=True)
    if kept.size == schema.classes.size:
        return batch, schema, None
    some = table.Batch(batch.X[there], codes.astype(np.int32), batch.weights[there])
    return some, replace(schema, classes=schema.classes[kept]), np.flatnonzero(there)


def summarised(
    X: Any,
    y: Any,
    sample_weight: Any,
    layout: ScatterLayout,
    n_jobs: int | None,
    names: tuple[str, ...] | None = None,
) -> LabelledMoments:
    """What labelled rows say, of which some may lack features (NaN).

    `names` are those of the columns when `X` has none itself.

    Examples
    --------
    >>> learnt = summarised([[1.0], [3.0]], ["a", "a"], None, "full", 1)
    >>> learnt.classes.tolist(), learnt.moments.mean.tolist()
    (['a'], [[2.0]])
    """
    batch, schema = read(X, y, sample_weight)
    with naming_columns(batch.X, names or schema.features, allow_nan=True):
        return learn(batch.X, batch.targets, batch.weights, schema.classes, layout, n_jobs)


def moments_of(
    batch: table.Batch,
    schema: Schema,
    layout: ScatterLayout,
    n_jobs: int | None,
) -> LabelledMoments:
    """The moments of complete rows that were read; errors name columns."""
    k = schema.classes.shape[0]
    with naming_columns(batch.X, schema.features):
        moments = summarise(batch.X, batch.targets, batch.weights, k, layout, n_jobs)
    return LabelledMoments(schema.classes, moments)


def moments_of_incomplete(
    batch: table.Batch, schema: Schema, layout: ScatterLayout, n_jobs: int | None
) -> LabelledMoments | None:
    """What rows say of which some are known to lack features; None if that takes much memory."""
    X, classes, most = batch.X, schema.classes, MOST_KEPT_BYTES
    with naming_columns(X, schema.features, allow_nan=True):
        return learn_incomplete(X, batch.targets, batch.weights, classes, layout, n_jobs, most)


@contextmanager
def naming_columns(
    rows: RealArray, names: Sequence[str | int] | None, *, allow_nan: bool = False
) -> Iterator[None]:
    """Let errors about NaN and infinity name the column, where it has a name."""
    try:
        yield
    except NonFiniteError:
        refuse_not_finite(rows, names=names, allow_nan=allow_nan)
        raise


def warn_of_column(y: Any) -> None:
    """Warn, as scikit-learn's classifiers do, of labels that come as a matrix of one column."""
    shape: Any = np.shape(y[:1]) if isinstance(y, list | tuple) else getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        msg = (
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples,), for example using ravel()."
        )
        warnings.warn(msg, DataConversionWarning, stacklevel=4)
