"""What the four classes have in common: scikit-learn's conventions over `GaussianClassifier`.

Labels that were announced, or whose rows weigh nothing, have a place in every result: the model
knows only classes that have rows, the others have probability 0. Parameters have the float type,
library and device of the rows that were fitted first. No arithmetic is done here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.types import CategoricalFeatures, FloatArray, LabelArray
from gaussbayes.data.labels import encode, unite
from gaussbayes.data.rows import LabelledRows
from gaussbayes.data.tables import is_frame, is_lazy
from gaussbayes.estimators import GaussianClassifier, warn_of_column
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, check_options
from gaussbayes.model.settings import normalised_priors
from gaussbayes.sklearn.array_kinds import ArrayKind, as_numpy

_NUMPY = ArrayKind(np.dtype(np.float64))


class Attribute:
    """An attribute of a fitted classifier, in the float type and library of its rows.

    It is not there where the classifier has nothing to say.
    """

    def __init__(self, read: Callable[[Any, Model], Any]) -> None:
        self.read = read
        self.__doc__ = read.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, classifier: Any, owner: type) -> Any:
        if classifier is None:
            return self
        value = None
        if classifier.__sklearn_is_fitted__():
            try:
                value = self.read(classifier, classifier._ready())  # noqa: SLF001
            except GaussBayesError as error:
                raise NotFittedError(str(error)) from error
        if value is None:
            msg = f"{owner.__name__!r} object has no attribute {self.name!r}"
            raise AttributeError(msg, name=self.name, obj=classifier)
        return classifier._kind.give(value)  # noqa: SLF001

    def __set__(self, classifier: object, value: Any) -> NoReturn:
        msg = f"{self.name} is read from the model and cannot be set"
        raise AttributeError(msg)


class Absent:
    """A method of `GaussianClassifier` that scikit-learn's class has not, for a reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, classifier: object, owner: type) -> NoReturn:
        msg = f"{owner.__name__!r} has no attribute {self.name!r}: {self.reason}"
        raise AttributeError(msg, name=self.name, obj=classifier)


class DropIn(GaussianClassifier):
    """A `GaussianClassifier` with the constructor of one of scikit-learn's classes."""

    # Options of the model that scikit-learn's constructors do not have.
    n_jobs: int | None = None
    categorical_features: CategoricalFeatures = None
    shared: Any = False
    calibration: Any = None
    unlabelled: Any = None
    unlabelled_weight: float = 1.0
    average: bool = False

    _fewest_classes: ClassVar[int] = 1
    _needs_classes: ClassVar[bool] = False
    """Whether the first call of `partial_fit` must say all classes, and no others may come."""
    _priors_parameter: ClassVar[str] = "priors"
    _array_kind: ArrayKind  # of the rows that were fitted first; not there before

    @property
    def _kind(self) -> ArrayKind:
        kind: ArrayKind = vars(self).get("_array_kind", _NUMPY)
        return kind

    @property
    def _announced(self) -> LabelArray | None:
        return self._model.schema.announced if self.__sklearn_is_fitted__() else None

    # What a class says of itself.

    @abstractmethod
    def _family_options(self, X: Any) -> Mapping[str, Any]:
        """Options of `check_options` and, as `made`, families; X is the table if there is one."""

    @classmethod
    @abstractmethod
    def _parameters_of(cls, model: Model) -> dict[str, Any]:
        """The parameters of the constructor that give the settings of a model."""

    def _check_table(self, table: LabelledRows) -> None:
        """Raise for settings that contradict each other or do not suit the rows of a fit."""

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        """An error of the model in words that suit the parameters of this class."""
        return type(error)(error.problem or str(error))

    def _options(self, X: Any = None) -> Options:
        options = dict(self._family_options(X))
        made = options.pop("made", {})
        checked = check_options(keep_default_na=False, **options)
        return replace(checked, made={**checked.made, **made}, fewest_classes=self._fewest_classes)

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows, forgetting any earlier ones; see `GaussianClassifier.fit`.

        Parameters
        ----------
        X : (n, d) array or frame of numbers; NaN or null is a missing value
        y : (n,) labels
        sample_weight : (n,) how much each row counts
        """
        self._validate_params()
        kind = ArrayKind.of(X)
        rows = self._given_rows(X)
        options = self._options(rows)
        warn_of_column(y)
        table, schema = options.table(rows, as_numpy(y), as_numpy(sample_weight))
        self._check_table(table)
        weight = _weight(table)
        present = table.classes[weight > 0]
        priors = self._priors_among(table.classes, present)
        if priors is not None:
            options = replace(options, priors=priors)
        try:
            model = self._fitted(table, schema, options)
        except GaussBayesError as error:
            raise self._named(error) from None
        return self._remember(model.announcing(table.classes), _array_kind=kind)

    def _fitted(self, table: LabelledRows, schema: Any, options: Options) -> Model:
        return fit_model(table, schema, options)[0]

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        decay: float = 1.0,
    ) -> Self:
        """Learn from more rows; the model is that of all rows so far.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : labels that may occur. Where scikit-learn's class has `partial_fit`, they must be
            given by the first call, as there; else a class joins with its first row.
        decay : how many times as much as they did the rows seen before count
        """
        self._validate_params()
        first = not self.__sklearn_is_fitted__()
        kind = ArrayKind.of(X) if first else self._kind
        announced = None if first else self._announced
        labels = as_numpy(y)
        if classes is not None or self._needs_classes:
            announced = self._checked_classes(as_numpy(classes), first=first)
            if announced is not None:
                _check_labels(labels, announced)
        rows = self._given_rows(X) if first else X
        model, new_classes = self._updated(rows, labels, as_numpy(sample_weight), decay)
        if announced is not None:
            announced = unite(announced, new_classes)[0]
        return self._remember(model.announcing(announced), _array_kind=kind)

    def _checked_classes(self, classes: Any, *, first: bool) -> LabelArray | None:
        """The labels that may occur, if they may be these."""
        if not self._needs_classes:
            return None if classes is None else encode(classes)[1]
        if first:
            if classes is None:
                msg = "classes must be passed on the first call to partial_fit."
                raise DataError(msg)
            return encode(classes)[1]
        known = self.classes_
        if classes is not None and not np.array_equal(np.sort(np.asarray(classes)), known):
            msg = (
                f"`classes={classes!r:.200}` is not the same as on last call to partial_fit, was: "
                f"{known!r:.200}"
            )
            raise DataError(msg)
        return as_numpy(known)  # type: ignore[no-any-return]

    def _remember(self, model: Model, **facts: Any) -> Self:
        """Take over a new record; given priors are those of the classes that have rows."""
        if model.solution is None and getattr(self, self._priors_parameter) is not None:
            priors = self._priors_among(model.known_classes, model.classes)
            model = replace(model, settings=replace(model.settings, priors=priors))
        return super()._remember(model, **facts)

    # Priors.

    def _given_priors(self, n_classes: int) -> FloatArray | None:
        """The priors of all classes (k,), if they are given and may be priors."""
        given = getattr(self, self._priors_parameter)
        if given is None:
            return None
        priors = np.array(as_numpy(given), dtype=np.float64)
        if priors.shape != (n_classes,):
            msg = (
                "Number of priors must match number of classes. There are "
                f"{n_classes} classes, and priors of shape {priors.shape}"
            )
            raise OptionError(msg)
        if not (priors >= 0).all():
            msg = f"Priors must be non-negative. Got {priors.tolist()}"
            raise OptionError(msg)
        return self._summing_to_one(priors)

    def _summing_to_one(self, priors: FloatArray) -> FloatArray:
        if not np.isclose(priors.sum(), 1.0):
            msg = f"The sum of the priors should be 1. Got {priors.tolist()}"
            raise OptionError(msg)
        return normalised_priors(priors)

    def _priors_among(self, known: LabelArray, present: LabelArray) -> FloatArray | None:
        """The given priors of those classes that have rows, which sum to 1."""
        priors = self._given_priors(known.shape[0])
        if priors is None or known.shape[0] == present.shape[0]:
            return priors
        return normalised_priors(priors[unite(known, present)[2]])

    # Classes that have no rows.

    @property
    def classes_(self) -> Any:  # type: ignore[override]
        """The labels (k,), sorted: those announced, and all that have rows."""
        if not self.__sklearn_is_fitted__():
            msg = f"{type(self).__name__!r} object has no attribute 'classes_'"
            raise AttributeError(msg, name="classes_", obj=self)
        return self._kind.moved(self._model.known_classes)

    def _of_all_classes(self, values: Any, fill: float, axis: int = 0) -> Any:
        """An array with an axis of the classes that have rows, for all: others are `fill`."""
        known, present = as_numpy(self.classes_), self._model.classes
        if known.shape[0] == present.shape[0]:
            return values
        shape = list(values.shape)
        shape[axis] = known.shape[0]
        wider = np.full(shape, fill, dtype=values.dtype)
        np.moveaxis(wider, axis, 0)[unite(known, present)[2]] = np.moveaxis(values, axis, 0)
        return wider

    # Scores.

    def _kind_of(self, X: Any, method: str) -> ArrayKind:
        """The kind of rows that a method is given, which must be of the library of those of fit."""
        if self.__sklearn_is_fitted__():
            self._kind.check_same(X, f"{type(self).__name__}.{method}()")
        return ArrayKind.of(X)

    def _scored(self, method: str, X: Any, fill: float | None = None) -> Any:
        """What a method of `GaussianClassifier` says of rows, as an array like these."""
        if is_lazy(X):
            return getattr(super(), method)(X)
        kind = self._kind_of(X, method)
        try:
            values = getattr(super(), method)(X)
        except GaussBayesError as error:
            raise self._named(error) from None
        if fill is not None:
            values = self._of_all_classes(values, fill, axis=1)
        return kind.moved(values)

    def predict(self, X: Any) -> Any:
        """The most probable class of each row (n,)."""
        return self._scored("predict", X)

    def predict_proba(self, X: Any) -> Any:
        """Posteriors ``p(c | x)`` (n, k)."""
        return self._scored("predict_proba", X, 0.0)

    def predict_log_proba(self, X: Any) -> Any:
        """Log posteriors ``log p(c | x)`` (n, k), exact however small."""
        return self._scored("predict_log_proba", X, -np.inf)

    def predict_joint_log_proba(self, X: Any) -> Any:
        """Log joint densities ``log p(x, c)`` (n, k)."""
        return self._scored("predict_joint_log_proba", X, -np.inf)

    def score_samples(self, X: Any) -> Any:
        """Log evidence ``log p(x)`` (n,)."""
        return self._scored("score_samples", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The proportion of rows predicted right."""
        return super().score(X, as_numpy(y), as_numpy(sample_weight))

    # Rows.

    def _given_rows(self, X: Any) -> Any:
        """Rows as the model takes them."""
        return as_numpy(X)

    def _checked(self, X: Any) -> Any:
        return super()._checked(self._given_rows(X))

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """A classifier with the settings of a model."""
        settings = replace(model.settings, fewest_classes=cls._fewest_classes)
        classifier = cls(**cls._parameters_of(model))
        return classifier._remember(replace(model, settings=settings))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file that `save` wrote."""
        return super().load(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        return tags


def _weight(table: LabelledRows) -> FloatArray:
    """How much the labelled rows of each class weigh (k,)."""
    _, codes, weights = table.targets.weighted_codes()
    return np.bincount(codes, weights, table.classes.shape[0]).astype(np.float64)


def class_counts(table: LabelledRows) -> Any:
    """How many labelled rows each class has (k,)."""
    codes = table.targets.codes
    return np.bincount(codes[codes >= 0], minlength=table.classes.shape[0])


def _check_labels(y: Any, known: LabelArray) -> None:
    """Raise for labels that were not announced."""
    labels = np.unique(np.asarray(y)) if not is_frame(y) else encode(y)[1]
    strange = [label for label in labels.tolist() if label not in known.tolist()]
    if strange:
        msg = (
            f"The target label(s) {strange!r:.200} in y do not exist in the initial classes "
            f"{known.tolist()!r:.200}"
        )
        raise DataError(msg)
