"""A model seen through some of its features, and labelled rows seen the same way.

Figures, comparisons and reports take models and rows from users in many forms; here they become a
model of the shown features (all others integrated out), plain rows and class codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.data.labels import codes_among, read_targets
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A model of the shown features alone, and what it takes to bring rows into its form."""

    model: Model  # of the shown features, in the order chosen; with its parameters
    names: tuple[str, ...]  # of the shown features
    columns: tuple[int, ...]  # where they are among all features
    whole: Model
    mark: Any = None  # the label that stands for a missing one

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return self.model.schema.classes

    def rows(self, X: Any) -> RealArray:
        """The shown features (n, m) of rows that have every feature of the whole; NaN if missing.

        Raises
        ------
        SchemaError
            If the features are others than those of the whole model.
        """
        return cut_rows(self.whole.rows(X), self.whole.schema, self.columns).matrix

    def codes(self, y: Any) -> NDArray[np.intp]:
        """Class codes (n,) of labels, which the model must know; −1 for a missing label."""
        targets, classes = read_targets(y, mark=self.mark)
        if targets.is_soft:
            msg = f"y must be one label for each row here, got soft labels {targets.labels.shape}"
            raise DataError(msg)
        return codes_among(self.classes, targets, classes).codes.astype(np.intp)

    def labelled(self, X: Any, y: Any) -> tuple[RealArray, NDArray[np.intp]]:
        """Rows (n, m) and their class codes (n,), as many as rows."""
        rows, codes = self.rows(X), self.codes(y)
        if rows.shape[0] != codes.size:
            msg = f"X has {rows.shape[0]} rows, but y has {codes.size}; give one label for each row"
            raise DataError(msg)
        return rows, codes


def model_of(model: Any) -> Model:
    """The record of a fitted classifier, or the record itself, with its parameters.

    Raises
    ------
    TypeError
        For anything else.
    """
    record = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(record, Model):
        if hasattr(model, "fit") and hasattr(type(model), "model_"):
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(model)
        msg = f"a fitted GaussianClassifier is needed here, got {type(model).__name__}"
        raise TypeError(msg)
    return record.solved()


def view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through some of its features, given by name or number.

    Parameters
    ----------
    model : a fitted classifier, or `Model`
    features : None is all that hold numbers

    Raises
    ------
    SchemaError
        If a feature that is to be shown holds categories.
    """
    whole = model_of(model)
    schema = whole.schema
    if features is None:
        columns = tuple(j for j in range(schema.n_features) if j not in schema.categorical)
    else:
        columns = schema.find_columns(features)
    categorical = [schema.titles[column] for column in columns if column in schema.categorical]
    if categorical or not columns:
        what = ", ".join(categorical[:6]) or "all features of this model"
        msg = f"this shows features that hold numbers, but {what} hold categories: choose others"
        raise SchemaError(msg)
    part = whole
    if columns != tuple(range(schema.n_features)):
        # What was learnt is not needed to look at a model.
        part = replace(whole, learnt=None).marginal(columns)
    names = tuple(schema.titles[column] for column in columns)
    return View(part, names, columns, whole, getattr(model, "unlabelled", None))


def pair_view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through two features; without a choice it must have just two numbers."""
    return _view_of(2, model, features)


def line_view(model: Any, feature: int | str | None = None) -> View:
    """A model seen through one feature; without a choice it must have just one number."""
    return _view_of(1, model, None if feature is None else [feature])


def _view_of(n: int, model: Any, features: Sequence[int | str] | None) -> View:
    words = {1: "one feature", 2: "two features"}[n]
    shown = view(model, features)
    if len(shown.columns) != n:
        given = f"got {list(features)!r}" if features is not None else f"there are {shown.names}"
        enough = len(view(model).columns) >= n
        remedy = f"choose {words}, by name or number" if enough else "see plots.univariate"
        msg = f"this figure shows {words}, but {given}: {remedy}"
        raise SchemaError(msg)
    return shown


def feature_titles(model: Any) -> tuple[str, ...]:
    """What the features are called: their names, or their numbers."""
    return model_of(model).schema.titles
