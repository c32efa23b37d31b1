"""A fitted model seen through some of its features, and labelled rows seen the same way.

Pictures, comparisons and reports take models and rows from users in many forms; here they become a
model of the chosen features (the others integrated out), plain rows and class numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gaussbayes import validation
from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.data import labels, table
from gaussbayes.families.gaussian.marginal import find_columns


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A model of the chosen features alone, and what it takes to bring rows into its form."""

    model: GaussianClassifier  # of the chosen features, in the order chosen; it knows no names
    names: tuple[str, ...]  # of the chosen features
    columns: tuple[int, ...]  # where they are in the rows of the whole
    whole: GaussianClassifier

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        classes: LabelArray = self.model.classes_
        return classes

    def rows(self, X: Any) -> RealArray:
        """The chosen features (n, m) of rows that have every feature of the whole model."""
        if table.is_frame(X):
            matrix = validation.features_as_before(self.whole, X)
        else:
            matrix = table.as_matrix(X)
        d = self.whole.n_features_in_
        if matrix.shape[1] != d:
            msg = f"X has {matrix.shape[1]} features, but the model has {d}; give all of them"
            raise SchemaError(msg)
        refuse_not_finite(matrix, names=validation.names_of_features(self.whole))
        return matrix[:, self.columns]

    def codes(self, y: Any) -> NDArray[np.intp]:
        """Class numbers (n,) of labels, all of which the model must know."""
        targets, found = labels.as_targets(y)
        return validation.codes_among(self.classes, found, targets).astype(np.intp)

    def labelled(self, X: Any, y: Any) -> tuple[RealArray, NDArray[np.intp]]:
        """Rows (n, m) and their class numbers (n,), as many as rows."""
        rows, codes = self.rows(X), self.codes(y)
        if rows.shape[0] != codes.size:
            msg = f"X has {rows.shape[0]} rows, but y has {codes.size}; give one label for each row"
            raise DataError(msg)
        return rows, codes


def view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through some of its features, given by name or number; None is all of them.

    Examples
    --------
    >>> model = GaussianClassifier("diagonal").fit([[1, 5], [2, 4], [7, 8], [8, 6]], [0, 0, 1, 1])
    >>> seen = view(model, [1])
    >>> seen.names, seen.rows([[10, 20], [30, 40]]).tolist(), seen.codes([1, 0]).tolist()
    (('feature 1',), [[20.0], [40.0]], [1, 0])
    """
    if not isinstance(model, GaussianClassifier):
        msg = f"a fitted GaussianClassifier is needed here, got {type(model).__name__}"
        raise TypeError(msg)
    check_is_fitted(model)
    names = feature_titles(model)
    if features is None:
        columns = tuple(range(len(names)))
        part = model
    else:
        columns = find_columns(validation.schema_of(model), features)
        part = model.marginal(columns)
    titles = tuple(names[column] for column in columns)
    held = _categorical(part)
    if held:
        msg = (
            "this shows features that hold numbers, but "
            f"{', '.join(titles[at] for at in held[:6])} hold categories: choose others, as "
            "features=[...] or by model.marginal([...])"
        )
        raise SchemaError(msg)
    return View(part.with_feature_names(None), titles, columns, model)


def _categorical(model: GaussianClassifier) -> list[int]:
    """The columns that hold categories."""
    held = getattr(model, "categories_", {})
    names = validation.names_of_features(model)
    return [names.index(one) if names and isinstance(one, str) else one for one in held]


def pair_view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through two features; without a choice it must have just two."""
    return _view_of(2, model, features)


def line_view(model: Any, feature: int | str | None = None) -> View:
    """A model seen through one feature; without a choice it must have just one."""
    return _view_of(1, model, None if feature is None else [feature])


def _view_of(n: int, model: Any, features: Sequence[int | str] | None) -> View:
    words = {1: "one feature", 2: "two features"}[n]
    seen = view(model, features)
    if len(seen.columns) != n:
        came = f"got {list(features)!r}" if features is not None else f"the model has {seen.names}"
        enough = seen.whole.n_features_in_ >= n
        ways = f"choose {words}, by name or number" if enough else "see plots.univariate"
        msg = f"this picture shows {words}, but {came}: {ways}"
        raise SchemaError(msg)
    return seen


def feature_titles(model: GaussianClassifier) -> tuple[str, ...]:
    """What the features are called: their names, or their numbers.

    Examples
    --------
    >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    >>> feature_titles(model)
    ('feature 0',)
    """
    return validation.schema_of(model).titles
