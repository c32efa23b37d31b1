"""Between scikit-learn's conventions and the statistics: what is checked before rows are summed."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from gaussbayes import table
from gaussbayes.errors import DataError, NonFiniteError, SchemaError
from gaussbayes.finite import refuse_not_finite
from gaussbayes.labelled import LabelledMoments
from gaussbayes.schema import Schema
from gaussbayes.summarise import summarise
from gaussbayes.types import LabelArray, RealArray, ScatterLayout


def remember_features(model: BaseEstimator, X: Any, n_features: int) -> None:
    """Set `n_features_in_` and `feature_names_in_` as scikit-learn does."""
    if table.is_frame(X):
        validate_data(model, X, reset=True, skip_check_array=True)
    else:
        set_features(model, n_features, None)


def set_features(model: BaseEstimator, n_features: int, names: tuple[str, ...] | None) -> None:
    """Set them for a model whose rows had no names, or that has seen no rows itself."""
    model.n_features_in_ = n_features
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_


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


def names_of_features(model: BaseEstimator) -> tuple[str, ...] | None:
    """The names of a fitted model's features, if they have any."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(names)


def schema_of(model: BaseEstimator) -> Schema:
    """What the classes and features of a fitted model are called."""
    return Schema(model.classes_, model.n_features_in_, names_of_features(model))


def names_for_source(model: BaseEstimator, target: str | None) -> tuple[tuple[str, ...], str]:
    """The names by which a model finds its features and its target in a source."""
    names = names_of_features(model)
    if names is None:
        msg = (
            "this model's features have no names to find columns by: fit it to a frame or a "
            "source, or name them with with_feature_names"
        )
        raise SchemaError(msg)
    known = target if target is not None else getattr(model, "target_name_", None)
    if known is None:
        msg = "which column holds the labels is not known to this model: give target"
        raise SchemaError(msg)
    return names, known


def refuse_other_features(ours: Schema, theirs: Schema) -> None:
    """Raise unless two models have the same features; names count if both know them."""
    if not ours.same_features(theirs):
        msg = (
            "models of different features cannot be merged: "
            f"{ours.features or ours.n_features} here, {theirs.features or theirs.n_features} there"
        )
        raise SchemaError(msg)


def moments_of(model: BaseEstimator, wanted_by: str) -> LabelledMoments:
    """What a model has learnt from rows; one made from parameters has not seen any."""
    check_is_fitted(model)
    if not hasattr(model, "moments_"):
        msg = (
            f"{wanted_by} needs the moments of the rows seen before, but this model was made from "
            "parameters; fit one to rows, or use from_moments"
        )
        raise DataError(msg)
    return LabelledMoments(model.classes_, model.moments_)


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


def summarised(
    X: Any,
    y: Any,
    sample_weight: Any,
    layout: ScatterLayout,
    n_jobs: int | None,
    names: tuple[str, ...] | None = None,
) -> tuple[Schema, LabelledMoments]:
    """What labelled rows are called, and their moments.

    `names` are those of the columns when `X` has none itself.

    Examples
    --------
    >>> schema, learnt = summarised([[1.0], [3.0]], ["a", "a"], None, "full", 1)
    >>> learnt.classes.tolist(), learnt.moments.mean.tolist()
    (['a'], [[2.0]])
    """
    _warn_of_column(y)
    batch, schema = table.read(X, y, sample_weight)
    k = schema.classes.shape[0]
    with naming_columns(batch.X, names or schema.features):
        moments = summarise(batch.X, batch.targets, batch.weights, k, layout, n_jobs)
    return schema, LabelledMoments(schema.classes, moments)


@contextmanager
def naming_columns(rows: RealArray, names: tuple[str, ...] | None) -> Iterator[None]:
    """Let errors about NaN and infinity name the column, where it has a name."""
    try:
        yield
    except NonFiniteError:
        refuse_not_finite(rows, names=names)
        raise


def _warn_of_column(y: Any) -> None:
    """Warn, as scikit-learn's classifiers do, of labels that come as a matrix of one column."""
    shape: Any = np.shape(y[:1]) if isinstance(y, list | tuple) else getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        msg = (
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples,), for example using ravel()."
        )
        warnings.warn(msg, DataConversionWarning, stacklevel=4)
