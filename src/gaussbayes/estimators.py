"""The two estimators: scikit-learn's names over `Model` and its analysis. No arithmetic here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from gaussbayes.analysis import class_moments
from gaussbayes.analysis.boundary import Boundary, boundary
from gaussbayes.analysis.decision import Decisions, decide
from gaussbayes.analysis.discriminant import linear_discriminants
from gaussbayes.analysis.explanation import Explanation, explain
from gaussbayes.analysis.importance import Importance, importance
from gaussbayes.analysis.prediction_sets import PredictionSets, prediction_sets
from gaussbayes.analysis.prior_shift import PriorEstimate, estimate_priors
from gaussbayes.analysis.score_table import Scores
from gaussbayes.analysis.synthesis import RandomState, as_generator, draw
from gaussbayes.base.errors import FileError, GaussBayesError, OptionError
from gaussbayes.base.notices import Notice
from gaussbayes.base.text_tables import html_blocks
from gaussbayes.base.threads import n_threads, one_writer
from gaussbayes.base.types import (
    CovarianceName,
    Divisor,
    FloatArray,
    LabelArray,
    LabelsLike,
    RealArray,
    ShrinkageTarget,
    TableLike,
    TransformName,
    WeightsLike,
)
from gaussbayes.data.categories import warn_of_unseen
from gaussbayes.data.columns import Columns
from gaussbayes.data.labels import (
    check_known,
    codes_among,
    encode,
    labelled_rows,
    named_columns,
    read_targets,
    separate_columns,
)
from gaussbayes.data.read import batches_of, table_of
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.data.schema import ColumnTable
from gaussbayes.data.tables import as_array, is_frame, is_source
from gaussbayes.model import cross_validation as held_out
from gaussbayes.model.bayes_error import bayes_error
from gaussbayes.model.construction import given_model
from gaussbayes.model.cross_validation import CrossValidation, LeaveOneOut
from gaussbayes.model.evaluation import Costs, Evaluation, accuracy, check_costs
from gaussbayes.model.fit import (
    feature_names,
    fit_model,
    fit_source,
    model_columns,
    observe_source,
)
from gaussbayes.model.model import Model, unsolved_model
from gaussbayes.model.options import Options, arguments_of, model_options
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Priors
from gaussbayes.model.solution import NegativeLogLikelihood
from gaussbayes.model.statistics import SufficientStatistics, observe
from gaussbayes.model.summary import model_notices

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from gaussbayes.lab import Lab

Value = TypeVar("Value")

Feature: TypeAlias = str | int | tuple[str | int, ...]
"""A feature by name or number; several in a tuple."""

Families: TypeAlias = Mapping[str, str] | Mapping[int, str] | Mapping[Feature, str]
Transforms: TypeAlias = (
    Mapping[str, TransformName] | Mapping[int, TransformName] | Mapping[Feature, TransformName]
)

_LINEAR = (
    "only one block of Gaussian features, with one covariance for all classes and not pooled with "
    "pairs, has linear discriminants; boundary(a, b) has the equation for two classes of any "
    "Gaussian model"
)


@lru_cache(maxsize=64, typed=True)
def _checked_options(automatic: bool, names: tuple[str, ...], *values: Any) -> Options:
    """Checked options by hashable arguments, a cache for frequent fits of small models."""
    return model_options(dict(zip(names, values, strict=True)), automatic=automatic)


class Fitted(Generic[Value]):
    """An attribute that is read from the model; hasattr is False if the model does not have it."""

    def __init__(
        self, read: Callable[..., Value | None], *, solved: bool = True, needs: str = ""
    ) -> None:
        self.read, self.solved, self.needs = read, solved, needs
        self.__doc__ = read.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, classifier: None, owner: type) -> Self: ...
    @overload
    def __get__(self, classifier: object, owner: type) -> Value: ...
    def __get__(self, classifier: Any, owner: type) -> Self | Value:
        if classifier is None:
            return self
        value, model = None, vars(classifier).get("_model")
        if model is not None:
            try:
                value = self.value(classifier, _solved(classifier) if self.solved else model)
            except GaussBayesError as error:  # too few rows so far
                raise NotFittedError(str(error)) from error
        if value is None or (isinstance(value, dict) and not value):
            msg = f"{owner.__name__!r} object has no attribute {self.name!r}"
            if model is not None and self.needs:
                msg = f"{msg}: {self.needs}"
            raise AttributeError(msg, name=self.name, obj=classifier)
        return value

    def value(self, classifier: Any, model: Model) -> Value | None:
        """The value of the attribute; None if the model does not have it."""
        del classifier
        return self.read(model)

    def __set__(self, classifier: object, value: Value) -> None:
        msg = f"{self.name} is read from the model and cannot be set"
        raise AttributeError(msg)


def _solved(classifier: Any) -> Model:
    """The model with its parameters, which are estimated when they are first needed."""
    model: Model = vars(classifier)["_model"]
    if model.solution is None:
        model = vars(classifier)["_model"] = model.solved(classifier.n_jobs)
    return model


def _feature_names(model: Model) -> LabelArray | None:
    columns = model.schema.roles
    names = model.schema.features if columns is None else columns.names
    return None if names is None else np.array(names, dtype=object)


def _n_columns(model: Model) -> int:
    columns = model.schema.roles
    return model.schema.n_features if columns is None else len(columns.names)


class BaseClassifier(
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Every method of `GaussianClassifier` and `AutoClassifier`, implemented once."""

    families: Families | None
    priors: Priors
    columns: Columns | None
    n_jobs: int | None
    _model: Model  # absent before fitting
    _selection: Selection | None = None
    _automatic: ClassVar[bool] = False
    _arguments: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._arguments = tuple(signature(cls.__init__).parameters)[1:]

    # Fitting.

    def fit(
        self,
        X: TableLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        like: BaseClassifier | None = None,
    ) -> Self:
        """Fit the model to labelled rows.

        Parameters
        ----------
        X : array, data frame, path, list of paths, lazy frame, relation, Dask or Spark frame
            Rows (n, d); NaN and null are missing values. Arrays of other libraries that are in the
            memory of the CPU, such as PyTorch tensors, are read by ``__array__`` or ``__dlpack__``;
            results are NumPy arrays, float32 for rows in float16 or float32. `gaussbayes.read`
            describes files that need options.
        y : (n,) labels, (n, k) soft labels, or the name of a column of X
            A missing label makes the row an unlabelled row, which EM takes into account.
        sample_weight : (n,) weights, or the name of a column of X
            A weight of 2 is equivalent to repeating the row.
        like : fitted model
            Reuse its columns, transforms, selection and calibration. Models that are fitted in this
            way merge exactly, in any order.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> trees = pd.DataFrame({"girth": [1.0, 2, 4, 5], "tree": ["oak", "oak", "elm", "elm"]})
        >>> model = GaussianClassifier(shared=True).fit(trees, "tree")
        >>> model.feature_names_in_.tolist(), model.score(trees, "tree")
        (['girth'], 1.0)
        """
        if like is not None:
            before = _model_of(like)
            more, notices = self._with(before)._observed(before, X, y, sample_weight)  # noqa: SLF001
            model = before.of_rows(more).noticing(notices)
            return self._remember(model, _selection=vars(like).get("_selection"))
        options = self._options()
        if is_source(X):
            named, weights = named_columns(y, sample_weight)
            request = replace(options.request, target=named, weights=weights)
            model, selection = fit_source(X, request, options, n_jobs=self.n_jobs)
            return self._remember(model, _selection=selection)
        target = y if isinstance(y, str) else None
        table, schema = self._first_rows(options, X, y, sample_weight)
        model, selection = fit_model(table, schema, options)
        return self._remember(replace(model, target=target), _selection=selection)

    def partial_fit(
        self,
        X: TableLike,
        y: LabelsLike,
        classes: ArrayLike | None = None,
        sample_weight: WeightsLike = None,
        *,
        decay: float = 1.0,
    ) -> Self:
        """Update the model with more rows; the result equals a fit to all of them.

        Any row may belong to a new class. The first call of an `AutoClassifier` selects a model as
        `fit` does; later calls keep the selection.

        Parameters
        ----------
        X, y, sample_weight : more rows as in `fit`
        classes : labels that may occur; others raise `DataError`
        decay : factor in (0, 1] by which the weights of all earlier rows are multiplied

        Returns
        -------
        self

        Examples
        --------
        >>> model = GaussianClassifier().fit([[0.0], [1.0], [7.0], [9.0]], [0, 0, 1, 1])
        >>> model.partial_fit([[2.0], [2.0]], [0, 0], decay=0.5).means_.tolist()
        [[1.5], [8.0]]
        """
        with one_writer(self):
            model, labels, selection = self._updated(X, y, sample_weight, decay)
            if classes is not None:
                check_known(labels, encode(classes)[1])
            return self._remember(model, _selection=selection)

    def forget(
        self, X: TableLike, y: LabelsLike | None = None, sample_weight: WeightsLike = None
    ) -> Self:
        """Remove rows; the result equals a fit to the remaining rows.

        The remaining rows are not needed. A class without remaining rows is dropped. Rows that
        cannot be among those of the model raise `DataError`.

        Parameters
        ----------
        X : rows as in `fit`, or a model that was fitted to some of the rows of this model
        y, sample_weight : labels and weights as in `fit`; not with a model

        Returns
        -------
        self

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [6.0], [5.0], [7.0]], [0, 0, 0, 1, 1])
        >>> model.forget([[6.0]], [0]).means_.tolist()
        [[1.5], [6.0]]
        """
        with one_writer(self):
            before = self._record()
            if isinstance(X, BaseClassifier):
                return self._remember(before.unmerged(_model_of(X)))
            if y is None:
                msg = "forget needs the labels of the rows (y), or a fitted model in place of rows"
                raise OptionError(msg)
            rows, _ = self._observed(before, X, y, sample_weight)
            return self._remember(before.without(rows))

    def remove_class(self, label: object) -> Self:
        """Remove a class with all its rows.

        The model equals a fit to the remaining rows. The exception is a shared full covariance when
        k d² is above 16,384: it is stored once for all classes and does not change, and `notices_`
        reports this. `forget` removes the rows from it as well.

        Parameters
        ----------
        label : the class

        Returns
        -------
        self

        Examples
        --------
        >>> model = GaussianClassifier().fit([[0.0], [1], [4], [5], [8], [9]], list("aabbcc"))
        >>> model.remove_class("b").classes_.tolist()
        ['a', 'c']
        """
        with one_writer(self):
            return self._remember(self._record().without_class(label))

    def merge(self, other: BaseClassifier) -> Self:
        """Add the rows of another model of the same features; the classes are united.

        Statistics computed under different transforms, selections or calibrations cannot be
        combined: fit the parts with ``fit(X, y, like=first)``. An unfitted estimator takes over the
        other model.

        Parameters
        ----------
        other : fitted model

        Returns
        -------
        self

        Examples
        --------
        >>> y = [0, 0, 1, 1]
        >>> monday = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], y)
        >>> tuesday = GaussianClassifier().fit([[3.0], [4.0], [8.0], [9.0]], y, like=monday)
        >>> monday.merge(tuesday).means_.tolist()
        [[2.5], [7.25]]
        """
        theirs = _model_of(other)
        with one_writer(self):
            if not self.__sklearn_is_fitted__():
                theirs.statistics_for("merge")
                return self._remember(theirs, _selection=vars(other).get("_selection"))
            return self._remember(self._model.merged(theirs))

    # Predictions.

    def predict(self, X: TableLike) -> LabelArray:
        """Predict the most probable class of each row.

        Parameters
        ----------
        X : rows as in `fit`; a column with the target's name is ignored

        Returns
        -------
        (n,) labels

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> model.predict([[1.0], [3.0]]).tolist()
        ['low', 'high']
        """
        classes = self._record().schema.classes
        codes = self._scored(Model.labels, X)
        # For classes 0 … k − 1 the codes are the labels.
        coded = classes.dtype == codes.dtype and classes[0] == 0 and classes[-1] == len(classes) - 1
        return codes if coded else np.take(classes, codes)

    def predict_proba(self, X: TableLike) -> RealArray:
        """Compute the posteriors ``p(c | x)``.

        Parameters
        ----------
        X : rows as in `predict`

        Returns
        -------
        (n, k) probabilities, in the order of `classes_`

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
        >>> model.predict_proba([[1.0]]).round(3).tolist()
        [[0.982, 0.018]]
        """
        return self._scored(Model.posterior, X)

    def predict_log_proba(self, X: TableLike) -> RealArray:
        """Compute the log posteriors ``log p(c | x)``, exact even where p underflows.

        Parameters
        ----------
        X : rows as in `predict`

        Returns
        -------
        (n, k) logarithms, in the order of `classes_`

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [100]], [[1]])
        >>> model.predict_log_proba([[0.0]]).tolist()
        [[0.0, -5000.0]]
        """
        return self._scored(Model.log_posterior, X)

    def decision_function(self, X: TableLike) -> RealArray:
        """Compute the log-odds of the second of two classes, or the log posteriors of more classes.

        Parameters
        ----------
        X : rows as in `predict`

        Returns
        -------
        (n,) log-odds, or (n, k) log posteriors

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
        >>> model.decision_function([[1.0]]).tolist()
        [-4.0]
        """
        if self._record().schema.classes.shape[0] == 2:
            return self._scored(lambda model, rows, jobs: model.log_odds(rows, 1, 0, jobs), X)
        return self._scored(Model.log_posterior, X)

    def score_samples(self, X: TableLike) -> RealArray:
        """Compute the log evidence ``log p(x)`` of each row.

        Parameters
        ----------
        X : rows as in `predict`

        Returns
        -------
        (n,) logarithms of densities

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
        >>> model.score_samples([[2.0], [30.0]]).round(2).tolist()
        [-2.92, -339.61]
        """
        return self._scored(Model.log_evidence, X)

    def score(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike = None) -> float:
        """Compute the accuracy on labelled rows; unlabelled rows do not count.

        Parameters
        ----------
        X, y, sample_weight : rows as in `fit`

        Returns
        -------
        float
            Proportion of rows that are classified correctly.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> model.score([[1.0], [3.0]], ["low", "low"])
        0.5
        """
        model, table = self._ready(), self._labelled(X, y, sample_weight, known=False)
        predicted = model.labels(table.rows, self.n_jobs)
        return accuracy(predicted, model.schema.classes, table.targets, table.classes)

    def scores(self, X: TableLike) -> Scores:
        """Compute all scores of rows in one table, each column when it is first read.

        Parameters
        ----------
        X : rows as in `predict`

        Returns
        -------
        Scores
            With the columns ``label``, ``posterior``, ``log_likelihood``, ``log_joint``,
            ``log_evidence``, ``squared_distance``, ``relative_distance``, ``p_value`` and
            ``novelty_p_value``.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> scores = model.scores([[1.0], [30.0]])
        >>> scores.label.tolist(), scores.squared_distance.tolist()
        (['ill', 'well'], [[1.0, 9.0], [900.0, 676.0]])
        """
        table = self._table(X)
        return Scores(self._ready(), self._rows(table), table, self.n_jobs)

    def log_odds(self, X: TableLike, a: object, b: object) -> RealArray:
        """Compute the log-odds ``log p(a | x) − log p(b | x)`` of two classes.

        Parameters
        ----------
        X : rows as in `predict`
        a, b : labels of the two classes

        Returns
        -------
        (n,) log-odds

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> model.log_odds([[1.0]], "low", "high").tolist()
        [4.0]
        """
        first, second = self._pair(a, b)
        return self._scored(lambda model, rows, jobs: model.log_odds(rows, first, second, jobs), X)

    def negative_log_likelihood(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike = None
    ) -> NegativeLogLikelihood:
        """Compute ``−Σ log p(x, y)`` over labelled rows, split into labels and features.

        Parameters
        ----------
        X, y, sample_weight : rows as in `fit`; unlabelled rows do not count

        Returns
        -------
        NegativeLogLikelihood

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> round(model.negative_log_likelihood([[0.0]], ["low"]).labels, 4)
        0.6931
        """
        table = self._labelled(X, y, sample_weight)
        return self._ready().negative_log_likelihood(table.rows, table.targets, self.n_jobs)

    def boundary(self, a: object, b: object) -> Boundary:
        """Derive the equation of the boundary between two classes.

        It is linear if the classes share a covariance, otherwise quadratic. Calibration is not
        part of it.

        Parameters
        ----------
        a, b : labels of the two classes

        Returns
        -------
        Boundary

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> print(model.boundary("high", "low"))
        log-odds of 'high' to 'low' = 4·x0 - 8
        boundary: x0 = 2
        """
        return boundary(self._ready(), *self._pair(a, b))

    def explain(self, row: TableLike, between: tuple[object, object] | None = None) -> Explanation:
        """Explain the prediction for one row: every number of Bayes' rule, and contributions.

        Parameters
        ----------
        row : (d,) values of the features, {feature: value}, or a table of one row
            NaN and None are missing values.
        between : labels of two classes whose log-odds are split into contributions of the features;
            None takes the most probable class and the next. Contributions are measured from the
            prior-weighted mean of the class means, where all of them are 0.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(
        ...     None, [[0, 0], [2, 4]], [[1, 0], [0, 1]], covariance="full"
        ... )
        >>> explanation = model.explain([2.0, 3.0])
        >>> [round(terms.posterior, 4) for terms in explanation.bayes.classes]
        [0.0025, 0.9975]
        >>> [part.amount for part in explanation.log_odds.contributions]
        [2.0, 4.0]
        """
        model = self._ready()
        pair = None if between is None else self._pair(*between)
        names = model.schema.features
        if names is not None and hasattr(row, "to_frame") and not is_frame(row):
            row = row.to_frame().T.infer_objects()  # a row of a pandas frame, with its types
        elif names is not None and isinstance(row, Mapping):
            row = [row.get(name) for name in names]
        given = self._checked(row) if is_frame(row) else row
        return explain(model, model.encoder.encode_row(given), pair)

    def importance(
        self, X: TableLike, y: LabelsLike, *, sample_weight: WeightsLike = None
    ) -> Importance:
        """Compute how much the log loss increases when a feature is integrated out.

        The effect of a feature is the mean absolute change of the log-odds of the true class.
        Models are not refitted without the feature. Rows that the model was fitted to are predicted
        as held-out rows.

        Parameters
        ----------
        X, y, sample_weight : rows as in `fit`

        Returns
        -------
        Importance

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> model = GaussianClassifier(shared=True).fit(iris.rows, iris.labels)
        >>> model.importance(iris.rows, iris.labels).features[0].feature
        'feature 2'
        """
        return importance(self._ready(), self._labelled(X, y, sample_weight), self.n_jobs)

    def decide(
        self,
        X: TableLike,
        *,
        costs: Costs | None = None,
        reject_below: float | None = None,
        reject_cost: float | None = None,
        novelty: float | None = None,
        priors: Priors = None,
    ) -> Decisions:
        """Choose the class with the lowest expected cost for each row, or reject the row.

        Parameters
        ----------
        X : rows as in `predict`
        costs : (k, k) cost of deciding for the class of the column when that of the row is true, or
            ``{(true, decided): cost}``; None is 1 for every error
        reject_below : reject rows whose most probable class has a lower probability
        reject_cost : reject rows whose best decision has a higher expected cost
        novelty : reject rows whose distance from the nearest class has a p-value below this level.
            With `calibrate=True` the level holds on average over training sets. Without
            calibration, shrinkage or few rows per feature lead to many more rejections
        priors : priors as in the constructor; None takes those of the model

        Returns
        -------
        Decisions

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> model.decide([[1.0], [2.1], [30.0]], reject_below=0.8, novelty=1e-3).labels
        array(['ill', None, None], dtype=object)
        >>> model.decide([[2.5]], costs={("ill", "well"): 50, ("well", "ill"): 1}).labels
        array(['ill'], dtype=object)
        """
        model, rows = self._ready(), self._rows(self._table(X))
        model = model if priors is None else model.with_priors(priors)
        rule = {"reject_below": reject_below, "reject_cost": reject_cost, "novelty": novelty}
        return decide(model, rows, costs=costs, n_jobs=self.n_jobs, **rule)

    def predict_set(
        self, X: TableLike, coverage: float = 0.9, *, by_class: bool = False
    ) -> PredictionSets:
        """Predict a set of classes that contains the true class with a given probability.

        The model must be calibrated (``calibrate=True``; an `AutoClassifier` is).

        Parameters
        ----------
        X : rows as in `predict`
        coverage : probability that the set of a new row contains its class
        by_class : whether the coverage holds within each class, instead of over all rows

        Returns
        -------
        PredictionSets

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> model = GaussianClassifier(calibrate=True).fit(iris.rows, iris.labels)
        >>> model.predict_set(iris.rows[:1], 0.99).labels
        [('setosa',)]
        """
        rows = self._rows(self._table(X))
        return prediction_sets(self._ready(), rows, coverage, by_class=by_class, n_jobs=self.n_jobs)

    # Evaluation.

    def evaluate(
        self,
        X: TableLike,
        y: LabelsLike,
        *,
        cv: CrossValidation | None = None,
        groups: WeightsLike = None,
        costs: Costs | None = None,
        random_state: int | None = 0,
    ) -> Evaluation:
        """Evaluate predictions: error rate, log loss, calibration and more, with standard errors.

        Parameters
        ----------
        X, y : rows as in `fit`
        cv : number of folds, proportion of held-out rows, "loo", or a scikit-learn splitter
            None evaluates the fitted model on these rows, which should not be its training rows;
            an unfitted model is evaluated by 10-fold cross-validation. Other values fit models with
            the arguments of this one, which is not changed.
        groups : (n,) groups that folds must not split, or the name of a column of X
        costs : costs of errors as in `decide`
        random_state : seed of the folds

        Returns
        -------
        Evaluation

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> evaluation = GaussianClassifier(shared=True).evaluate(iris.rows, iris.labels, cv=5)
        >>> round(evaluation.accuracy, 4), round(evaluation.baseline.accuracy, 4)
        (0.98, 0.3333)
        """
        fitted, marks = self.__sklearn_is_fitted__(), self._options().marks_of()
        singly = isinstance(cv, str) and cv == "loo" and (fitted or not self._automatic)
        X, y, groups = separate_columns(self._table(X, y), y, groups)
        if cv is None and groups is None and fitted:
            table = self._labelled(X, y)
            evaluation = held_out.evaluate_fitted(self._ready(), table, costs, self.n_jobs)
        elif singly and groups is None:
            evaluation = self._left_out(X, y, None, costs).evaluation
        else:
            how: dict[str, Any] = {"groups": groups, "costs": costs, "random_state": random_state}
            folds = 10 if cv is None else cv
            evaluation = held_out.evaluate_held_out(self, X, y, folds, **how, marks=marks)
        if fitted:
            with suppress(OptionError):  # not every model can be simulated
                return replace(evaluation, bayes_error=bayes_error(self._ready()))
        return evaluation

    def leave_one_out(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike = None
    ) -> LeaveOneOut:
        """Predict every labelled row by the model of all other rows.

        The models have the arguments of this one, which need not be fitted. The selection of an
        `AutoClassifier` is kept.

        Parameters
        ----------
        X, y, sample_weight : rows as in `fit`

        Returns
        -------
        LeaveOneOut

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [6.0], [7.0], [8.0], [12.0]], list("aaabbb")
        >>> left_out = GaussianClassifier(shared=True).leave_one_out(X, y)
        >>> np.exp(left_out.log_posterior[2]).round(4).tolist(), left_out.evaluation.n_errors
        ([0.0875, 0.9125], 1)
        """
        return self._left_out(self._table(X, y), y, sample_weight)

    def _left_out(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike, costs: Costs | None = None
    ) -> LeaveOneOut:
        if self.__sklearn_is_fitted__():
            model, table = self._model, self._labelled(X, y, sample_weight, known=False)
            schema, settings = replace(model.schema, classes=table.classes), model.settings
            calibrated = model.calibration is not None
        elif self._automatic:
            check_is_fitted(self)
        else:
            options = self._options()
            table, schema = self._first_rows(options, X, y, sample_weight)
            settings, calibrated = options.settings(schema), options.calibrate
        matrix = None if costs is None else check_costs(costs, schema.classes)
        return held_out.leave_one_out(
            table, schema, settings, self.n_jobs, calibrated=calibrated, costs=matrix
        )

    # Other models.

    def with_priors(self, priors: Priors) -> Self:
        """Return a copy with other priors and the same class densities.

        Parameters
        ----------
        priors : as in the constructor; None are the class proportions

        Returns
        -------
        estimator of the same class

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]])
        >>> model.with_priors([0.1, 0.9]).predict_proba([[2.0]]).round(3).tolist()
        [[0.1, 0.9]]
        """
        changed = self._with(self._ready().with_priors(priors))
        changed.priors = priors
        return changed

    def estimate_priors(self, X: TableLike, sample_weight: WeightsLike = None) -> PriorEstimate:
        """Estimate the priors of unlabelled rows, if only the class proportions have changed.

        Use the result with `with_priors`.

        Parameters
        ----------
        X : rows as in `predict`
        sample_weight : (n,) weights, or the name of a column of X

        Returns
        -------
        PriorEstimate

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [8]], [[1]], ["a", "b"])
        >>> model.estimate_priors([[0.2], [-0.3], [0.1], [8.4]]).prior.round(3).tolist()
        [0.75, 0.25]
        """
        table, _, weights = separate_columns(self._table(X), None, sample_weight)
        model = self._ready()
        # Under these priors in each of the models whose posteriors may be averaged.
        log_posterior = self._with(model.with_priors(model.prior)).predict_log_proba(table)
        return estimate_priors(log_posterior, model.prior, weights, model.schema.classes)

    def marginal(self, features: Sequence[int | str]) -> Self:
        """Return the model of some features, with the others integrated out.

        It is exact and needs no second fit. Its posteriors are those of this model for rows in
        which the other features are missing.

        Parameters
        ----------
        features : names or numbers of the features to keep

        Returns
        -------
        estimator of the same class

        Examples
        --------
        >>> X = [[1, 8, 3], [2.5, 7.5, 1], [2, 7, 4], [8.5, 2.5, 2], [9, 2, 5], [8, 1, 1]]
        >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
        >>> model.marginal([1]).means_.round(4).tolist()
        [[1.8333], [7.5]]
        """
        model = self._ready().marginal(features)
        changed = self._with(model)
        for name, value in arguments_of(model.settings, model.schema).items():
            if name in ("families", "columns", "transforms") and name in self._arguments:
                setattr(changed, name, value)
        return changed

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None
    ) -> tuple[NDArray[np.generic], LabelArray]:
        """Draw rows from the model.

        Parameters
        ----------
        n_samples : number of rows
        random_state : seed or generator

        Returns
        -------
        (n, d) rows and (n,) labels
            With categories, the rows are an array of objects.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> rows, labels = model.sample(100, random_state=0)
        >>> rows.shape, bool(rows[labels == "high"].mean() > 3)
        ((100, 1), True)
        """
        model = self._ready()
        rows, codes = draw(model, n_samples, as_generator(random_state))
        return model.encoder.decode(rows), model.schema.classes[codes]

    # Files and pages.

    def save(self, path: str | PathLike[str], *, unlabelled_rows: bool = False) -> Path:
        """Save the model to a JSON file that `gaussbayes.load` reads.

        The file holds the statistics, so that the model can be updated and merged after loading.
        It is written completely or not at all.

        Parameters
        ----------
        path : file to write
        unlabelled_rows : whether to write unlabelled rows, which updates of such models need

        Returns
        -------
        Path

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"))
        >>> GaussianClassifier.load(model.save(mkdtemp() + "/model.json")).classes_.tolist()
        ['a', 'b']
        """
        from gaussbayes.model import file

        with suppress(GaussBayesError):  # with too few rows so far, the statistics are saved
            self._ready()
        name: Any = "AutoClassifier" if self._automatic else "GaussianClassifier"
        more: Any = {"selection": self._selection, "unlabelled_rows": unlabelled_rows}
        return file.save(self._record(), Path(path), name, **more)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a model of this class; `gaussbayes.load` loads a model of any class.

        Parameters
        ----------
        path : file that `save` wrote

        Returns
        -------
        estimator of this class

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"))
        >>> GaussianClassifier.load(model.save(mkdtemp() + "/model.json")).n_parameters_
        5
        """
        loaded = load(path)
        if isinstance(loaded, cls):
            return loaded
        msg = (
            f"model file {str(path)!r} was saved by {type(loaded).__name__}, not by "
            f"{cls.__name__}; gaussbayes.load reads both"
        )
        raise FileError(msg)

    def export(
        self,
        path: str | PathLike[str],
        *,
        table: str | Sequence[str] = "rows",
        dialect: str = "duckdb",
        keep: Sequence[str] = (),
        dtype: Literal["float64", "float32"] = "float64",
    ) -> Path:
        """Export the model as a SQL query or an ONNX file that scores rows elsewhere.

        SQL is one SELECT with the columns ``prediction``, ``proba_…`` for each class, and
        ``log_evidence``. The columns of the table must have the names of the features (x0, x1, …
        for unnamed features). NULL and NaN are missing values, and are integrated out. A row
        without a score has NULL in all results: a value is impossible (a negative count, infinity),
        or, with full covariances, values are missing in a pattern that no training row had. For
        a model with pairs of levels, a second file, ``….pairs.sql``, creates and fills a table of
        their probabilities. Run it once; the SELECT joins this table.

        ONNX takes the features that are numbers as one tensor ``X`` (n, g), in their order, and
        each categorical feature as a separate tensor (n, 1) with its name. NaN, the empty string
        and the smallest integer are missing values. The results are ``label`` (n,),
        ``probabilities`` (n, k) and ``log_evidence`` (n,); a row without a score has NaN.

        Each file is written completely or not at all. Both formats need ``gaussbayes[export]``.

        Parameters
        ----------
        path : file to write; its suffix, .sql or .onnx, selects the format
        table : SQL: name of the table, or "schema.name"; a tuple of names if they contain dots
        dialect : SQL: "duckdb", "postgres", "sqlite", "spark" or "bigquery"
        keep : SQL: columns of the table to pass on, such as a key
        dtype : ONNX: type of ``X`` and of all computations; posteriors are those of the model to
            1e-12 in float64, and to about six digits in float32

        Returns
        -------
        Path

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"))
        >>> model.export(mkdtemp() + "/model.sql", table="patients").name
        'model.sql'
        """
        from gaussbayes.export import export_model

        return export_model(
            self._ready(), path, table=table, dialect=dialect, keep=keep, dtype=dtype
        )

    def report(
        self,
        X: TableLike,
        y: LabelsLike,
        path: str | PathLike[str] = "report.html",
        *,
        cv: CrossValidation | None = None,
        title: str | None = None,
    ) -> Path:
        """Write an HTML report about this model on labelled rows.

        Parameters
        ----------
        X, y : rows as in `fit`
        path : file to write
        cv : held-out rows, as in `evaluate`
        title : title of the report; None names the target

        Returns
        -------
        Path
        """
        write = import_module("gaussbayes.report").write_report
        written: Path = write(self, self._table(X, y), y, path, cv=cv, title=title)
        return written

    def lab(self, X: TableLike, y: LabelsLike) -> Lab:
        """Show this model and labelled rows on an interactive page.

        If the model is not fitted, the page shows the rows and fits a model.

        Parameters
        ----------
        X, y : rows as in `fit`; of more than 100,000 rows a sample is shown

        Returns
        -------
        Lab
            The page, with ``open()`` and ``save(path)``; a notebook displays it.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> X = [[1.0, 2.0], [2.0, 1.0], [2.0, 3.0], [7.0, 8.0], [8.0, 6.0], [9.0, 9.0]]
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> GaussianClassifier().fit(X, y).lab(X, y).save(mkdtemp() + "/lab.html").name
        'lab.html'
        """
        from gaussbayes.lab.payload import model_lab, rows_lab

        rows = self._table(X, y)
        if self.__sklearn_is_fitted__():
            return model_lab(self, rows, y)
        table, schema = self._first_rows(self._options(), rows, y, None)
        return rows_lab(table, schema, y if isinstance(y, str) else None)

    # Attributes.

    model_ = Fitted[Model](lambda model: model)
    classes_ = Fitted[LabelArray](lambda model: model.schema.classes, solved=False)
    columns_ = Fitted[ColumnTable](model_columns, solved=False)
    n_features_in_ = Fitted[int](_n_columns, solved=False)
    feature_names_in_ = Fitted[LabelArray](_feature_names, solved=False)
    priors_ = Fitted[FloatArray](lambda model: model.prior)
    means_ = Fitted[FloatArray](class_moments.class_means)
    covariances_ = Fitted[FloatArray](class_moments.class_covariances)
    correlations_ = Fitted[FloatArray](class_moments.class_correlations)
    category_probabilities_ = Fitted[dict[str | int, dict[object, FloatArray]]](
        class_moments.named_category_probabilities
    )
    n_parameters_ = Fitted[int](
        lambda model: None if model.settings.is_combined else model.n_parameters,
        needs="the number of free parameters of a pooled or averaged model is not defined",
    )
    coef_ = Fitted[FloatArray](lambda model: linear_part(model, 0), needs=_LINEAR)
    intercept_ = Fitted[FloatArray](lambda model: linear_part(model, 1), needs=_LINEAR)

    @property
    def selection_(self) -> Selection:
        """The candidates of an `AutoClassifier` with their scores, the selected one first."""
        if self._selection is None:
            why = "only a fitted AutoClassifier has it"
            msg = f"{type(self).__name__!r} object has no attribute 'selection_': {why}"
            raise AttributeError(msg, name="selection_", obj=self)
        return self._selection

    @property
    def notices_(self) -> tuple[Notice, ...]:
        """Notices about the fit: dropped columns, skipped rows, and so on."""
        with suppress(GaussBayesError):  # too few rows so far
            self._ready()
        return model_notices(self._record())

    def set_params(self, **params: Any) -> Self:
        """Set arguments of the constructor; those of `columns` as ``columns__exclude=[…]``.

        Parameters
        ----------
        **params
            Arguments by name.

        Returns
        -------
        self

        Examples
        --------
        >>> GaussianClassifier().set_params(shared=True, columns__exclude=["id"])
        GaussianClassifier(columns=Columns(exclude=['id']), shared=True)
        """
        nested = {
            name.removeprefix("columns__"): params.pop(name)
            for name in [*params]
            if name.startswith("columns__") and "columns" in self._arguments
        }
        super().set_params(**params)
        if nested:  # Columns is frozen: it is replaced
            self.columns = (self.columns or Columns()).set_params(**nested)
        return self

    def __str__(self) -> str:
        return str(self._model) if self.__sklearn_is_fitted__() else repr(self)

    def _html_repr(self) -> str:
        """The display in notebooks: scikit-learn's diagram and the model's tables."""
        tables = html_blocks(self._model.tables()) if self.__sklearn_is_fitted__() else ""
        return f"{estimator_html_repr(self)}{tables}"

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        # The columns of an array hold categories only if `Columns` declares them.
        coded = getattr(self.columns, "categorical", None) is not None
        tags.input_tags.categorical = tags.input_tags.string = coded
        return tags

    # Between scikit-learn's conventions and the model.

    @classmethod
    def _from_model(cls, model: Model, selection: Selection | None = None) -> Self:
        """An estimator with the settings of a model; given priors do not bind a later fit."""
        known = arguments_of(model.settings, model.schema)
        if model.statistics is None:
            known["priors"] = None
        arguments = {name: known[name] for name in cls._arguments if name in known}
        return cls(**arguments)._remember(model.announcing(None), _selection=selection)  # noqa: SLF001

    def _options(self) -> Options:
        """The arguments, checked."""
        values = [getattr(self, name) for name in self._arguments]
        with suppress(TypeError):  # an argument has no hash
            return _checked_options(self._automatic, self._arguments, *values)
        arguments = dict(zip(self._arguments, values, strict=True))
        return model_options(arguments, automatic=self._automatic)

    def _first_rows(
        self, options: Options, X: TableLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> Any:
        """Rows of a new table, and its schema."""
        if isinstance(y, str) or isinstance(sample_weight, str):
            X, y, sample_weight = separate_columns(X, y, sample_weight)
        _warn_of_matrix(y)
        table, schema = options.table(X, y, sample_weight)
        if table.targets.n_unlabelled and options.unlabelled is None:
            _warn_of_nan(y, table.targets.n_unlabelled)
        return table, schema

    def _updated(
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike, decay: float
    ) -> tuple[Model, LabelArray, Selection | None]:
        """The updated model, the labels of the new rows, and the selection."""
        if self.__sklearn_is_fitted__():
            before = self._record().decayed(decay)
            more, notices = self._observed(before, X, y, sample_weight)
            return before.updated(more).noticing(notices), more.classes, self._selection
        options = self._options()
        if is_source(X) or options.automatic or options.calibrate:
            fitted = vars(self._with(None).fit(X, y, sample_weight))
            return fitted["_model"], fitted["_model"].classes, fitted["_selection"]
        target = y if isinstance(y, str) else None
        table, schema = self._first_rows(options, X, y, sample_weight)
        (settings,) = options.settings(schema).fix(table.rows, table.targets, schema)
        more = observe(table, settings, schema, n_threads(self.n_jobs))
        return unsolved_model(settings, schema, more, target), more.classes, None

    def _observed(
        self, before: Model, X: TableLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[SufficientStatistics, tuple[Notice, ...]]:
        """Statistics of new rows with the features of a model, and notices."""
        if is_source(X):
            target, weights = named_columns(y, sample_weight)
            mark = self._options().unlabelled
            more, notices = observe_source(before, X, target, weights, mark, self.n_jobs)
            return more.with_rows(), notices
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        _warn_of_matrix(y)
        marks = self._options().marks_of()
        table = labelled_rows(before.schema, self._checked(X), y, sample_weight, marks)
        schema = replace(before.schema, classes=table.classes)
        return observe(table, before.settings, schema, n_threads(self.n_jobs)).with_rows(), ()

    def _scored(self, score: Callable[[Model, Rows, int | None], Value], X: TableLike) -> Value:
        """Scores of rows; those of a source are computed batch by batch."""
        model = self._ready()
        if not is_source(X):
            return score(model, self._rows(X), self.n_jobs)
        feature_names(model)  # raises for a table without rows
        scores = [
            score(model, self._rows(table), self.n_jobs)
            for table in batches_of(X, self.columns_, self.columns)
        ]
        if not scores:  # the error of any table without rows
            return score(model, self._rows(self._table(X)), self.n_jobs)
        joined: Any = np.concatenate(scores)  # type: ignore[arg-type]
        return joined  # type: ignore[no-any-return]

    def _labelled(
        self,
        X: TableLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        known: bool = True,
    ) -> LabelledRows:
        """Rows of the fitted model with labels, which must be its classes if `known`."""
        X, y, sample_weight = separate_columns(self._table(X, y), y, sample_weight)
        rows, marks = self._rows(X), self._options().marks_of()
        targets, classes = read_targets(y, rows.n_rows, sample_weight, marks)
        if known:
            targets = codes_among(self._model.schema.classes, targets, classes)
            classes = self._model.schema.classes
        return LabelledRows(rows, targets, classes)

    def _table(self, X: TableLike, y: LabelsLike | None = None) -> Any:
        """Rows in memory; those of a source become one Arrow table, typed as `fit` types them."""
        if not is_source(X):
            return X
        columns = None
        if self.__sklearn_is_fitted__():
            feature_names(self._model)
            columns = self.columns_
        return table_of(X, columns, y, self.columns)

    def _rows(self, X: TableLike) -> Rows:
        """Rows of this model; for features that differ, the messages are scikit-learn's."""
        model = self._record()
        rows = model.rows(self._checked(X))
        if rows.unseen:
            warn_of_unseen(rows.unseen, model.schema.of_categories)
        return rows

    def _checked(self, X: TableLike) -> Any:
        """A table, if its features are those of the model in number, name and order.

        Columns that the model has dropped may be present or absent.
        """
        schema = self._record().schema
        if is_frame(X):
            X = self._model.without_target(X)
            if schema.roles is None or not self._model.encoder.takes(X):
                validate_data(self, X, reset=False, skip_check_array=True)
            return X
        rows = as_array(X)
        # Names of given parameters, like those of `Columns`, do not come from a table.
        is_named = schema.roles is not None or self._model.statistics is None
        if is_named and rows.shape[1] in {schema.n_features, self.n_features_in_}:
            return rows
        # Unnamed columns of the right number need no check, which would take time.
        if schema.features is not None or rows.shape[1] != schema.n_features:
            validate_data(self, rows, reset=False, skip_check_array=True)
        return rows

    def _pair(self, a: object, b: object) -> tuple[int, int]:
        """The codes of two classes given by their labels."""
        schema = self._record().schema
        check_known(np.array([a, b], dtype=object), schema.classes)
        return schema.position(a), schema.position(b)

    def _record(self) -> Model:
        """The model, if there is one yet."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        return self._model

    def _ready(self) -> Model:
        """The model with its parameters."""
        self._record()
        return _solved(self)

    def _remember(self, model: Model, **facts: Any) -> Self:
        """Replace the model by a complete one; nothing can fail from here on."""
        self.__dict__.update(_model=model, **facts)
        return self

    def _with(self, model: Model | None) -> Self:
        """The same estimator with another model, or none."""
        changed = copy(self)
        changed.__dict__.pop("_model", None)
        if model is not None:
            changed.__dict__["_model"] = model
        return changed


class GaussianClassifier(BaseClassifier):
    """Gaussian Bayes classifier with the model that you specify.

    Each class has a prior and a Gaussian density; Bayes' rule gives the posteriors
    ``p(c | x) = prior_c p(x | c) / Σ_b prior_b p(x | b)``. Class-specific full covariances are
    quadratic discriminant analysis (QDA), a shared one is linear discriminant analysis (LDA),
    diagonal ones are Gaussian naive Bayes. Categories, counts, missing values and unlabelled rows
    are part of the same model. `fit`, `partial_fit` and `merge` give the same result.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical"}
        Shape of the covariance of a class: any, no correlations, or one variance for all features.
    shared : bool or float in [0, 1]
        Whether all classes share one covariance. A number λ pools partially:
        ``(1 − λ) Σ_c + λ Σ``, regularised discriminant analysis (RDA).
    shrinkage : None, float in [0, 1] or "oas"
        Intensity of the shrinkage of the covariances towards the target; "oas" estimates it (oracle
        approximating shrinkage).
    shrinkage_target : {"diagonal", "spherical"}
        Target of the shrinkage: the variances of the pooled covariance, which does not depend on
        units, or one variance for all features.
    transforms : None, transform or {feature: transform}
        "standardised", "range", "yeo-johnson" or "log": a monotone transform of the Gaussian
        features, the same for all classes. Densities and draws are in the original units.
    families : None or {feature: family}
        "gaussian", "categorical", "poisson" or "pairs" for features given by name or number, or for
        several in a tuple, which form a separate block.
    priors : None, "uniform", sequence or {label: probability}
        None are the class proportions; a sequence is in the order of `classes_`.
    smoothing : float
        Pseudo-count added to every category in every class. With 0, a category that does not occur
        in a class rules the class out.
    divisor : {"mle", "unbiased"}
        Divide the scatter by N, or by N − 1 (by N − k if shared).
    calibrate : bool
        Calibrate the posteriors on held-out predictions; `predict_set` needs it.
    columns : None or Columns
        Which columns to use, and their kinds; see `gaussbayes.Columns`.
    n_jobs : int or None
        Number of threads; None uses every core. Results do not depend on it.

    Attributes
    ----------
    classes_ : (k,) labels, sorted
    priors_ : (k,) priors
    means_ : (k, g) means of the numeric features
    covariances_, correlations_ : (k, g, g), or (g, g) if shared
    category_probabilities_ : ``{feature: {category: (k,) p(category | class)}}``
    columns_ : name and kind of each column, and why a column is excluded
    n_features_in_, feature_names_in_ : the columns of the table without the target
    n_parameters_ : number of free parameters
    coef_, intercept_ : (k, d) and (k,) linear discriminants, if the covariance is shared; for two
        classes (1, d) and (1,)
    selection_ : how an `AutoClassifier` selected the model
    notices_ : what `fit` reports, such as dropped columns
    model_ : the model itself: settings, statistics and densities

    Examples
    --------
    >>> X = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
    >>> y = ["a", "a", "a", "a", "a", "b", "b", "b"]
    >>> model = GaussianClassifier().fit(X, y)
    >>> model.means_.round(2).tolist(), model.covariances_.round(4).tolist()
    ([[2.68], [6.5]], [[[0.5336]], [[0.26]]])
    >>> model.predict([[4.9], [5.0]]).tolist(), model.predict_proba([[4.9]]).round(3).tolist()
    (['a', 'b'], [[0.612, 0.388]])
    """

    def __init__(
        self,
        covariance: CovarianceName = "full",
        *,
        shared: bool | float = False,
        shrinkage: float | Literal["oas"] | None = None,
        shrinkage_target: ShrinkageTarget = "diagonal",
        transforms: TransformName | Transforms | None = None,
        families: Families | None = None,
        priors: Priors = None,
        smoothing: float = 0.0,
        divisor: Divisor = "mle",
        calibrate: bool = False,
        columns: Columns | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.shared = shared
        self.shrinkage = shrinkage
        self.shrinkage_target = shrinkage_target
        self.transforms = transforms
        self.families = families
        self.priors = priors
        self.smoothing = smoothing
        self.divisor = divisor
        self.calibrate = calibrate
        self.columns = columns
        self.n_jobs = n_jobs

    @classmethod
    def from_parameters(
        cls,
        priors: Priors,
        means: ArrayLike | None = None,
        covariances: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        *,
        covariance: CovarianceName | None = None,
        shared: bool | None = None,
        feature_names: Sequence[str] | None = None,
        category_probabilities: Mapping[str, Mapping[Any, ArrayLike]] | None = None,
    ) -> Self:
        """Make a classifier with given parameters, without fitting.

        Parameters
        ----------
        priors : as in the constructor, a sequence in the order of `classes`; None is uniform
        means : (k, d)
        covariances : (k, d, d), or (d, d) for all classes; variances (k, d) or (d,) if
            ``covariance="diagonal"``, (k,) or a number if ``"spherical"``
        classes : (k,) labels in the order of the other arguments; None is 0 … k − 1
        covariance, shared : needed where the shape of `covariances` is ambiguous
        feature_names : (d,) names of the features that have means
        category_probabilities : ``{feature: {category: (k,) p(category | class)}}``; these features
            come after those that have means

        Returns
        -------
        GaussianClassifier

        Examples
        --------
        >>> test = {"positive": [0.9, 0.1], "negative": [0.1, 0.9]}
        >>> model = GaussianClassifier.from_parameters(
        ...     [0.01, 0.99], classes=["defect", "none"], category_probabilities={"test": test}
        ... )
        >>> round(model.explain(["positive"]).bayes.classes[0].posterior, 4)
        0.0833
        >>> model = GaussianClassifier.from_parameters(
        ...     [0.25, 0.25, 0.5], [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
        ... )
        >>> model.shared, model.predict([[0.4, 0.4], [1.6, 1.6]]).tolist()
        (True, [0, 1])
        """
        model = given_model(
            priors,
            means,
            covariances,
            classes,
            covariance=covariance,
            shared=shared,
            feature_names=feature_names,
            category_probabilities=category_probabilities,
        )
        return cls._from_model(model)


class AutoClassifier(BaseClassifier):
    """Bayes classifier whose model is selected by the log loss of held-out rows.

    The candidates differ in the transform of the features and in the shape, shrinkage and pooling
    of the covariances. `selection_` lists them with their held-out log losses. The selected model
    is pooled with pairs of levels of all columns if this lowers the held-out log loss, and its
    posteriors are calibrated on held-out predictions. Methods and attributes are those of
    `GaussianClassifier`.

    Parameters
    ----------
    families : None or {feature: family}
        "gaussian", "categorical", "poisson" or "pairs" for features given by name or number.
        ``{"visits": "poisson"}`` models counts.
    priors : None, "uniform", sequence or {label: probability}
        None are the class proportions; a sequence is in the order of `classes_`.
    columns : None or Columns
        Which columns to use, and their kinds; see `gaussbayes.Columns`.
    n_jobs : int or None
        Number of threads; None uses every core. Results do not depend on it.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = AutoClassifier().fit(iris.rows, iris.labels)
    >>> model.predict_proba(iris.rows[:1]).round(4).tolist()
    [[0.9993, 0.0003, 0.0003]]
    """

    _automatic = True

    def __init__(
        self,
        *,
        families: Families | None = None,
        priors: Priors = None,
        columns: Columns | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.families = families
        self.priors = priors
        self.columns = columns
        self.n_jobs = n_jobs


def load(path: str | PathLike[str]) -> GaussianClassifier | AutoClassifier:
    """Load a model from a file that `save` wrote.

    Nothing in the file is executed. A damaged file, or a file of another version of gaussbayes,
    raises `FileError`.

    Parameters
    ----------
    path : the model file

    Returns
    -------
    GaussianClassifier or AutoClassifier
        An instance of the class that saved the file.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> model = AutoClassifier().fit([[1.0], [2.0], [2.5], [5.0], [7.0], [8.0]], list("aaabbb"))
    >>> type(load(model.save(mkdtemp() + "/model.json"))).__name__
    'AutoClassifier'
    """
    from gaussbayes.model import file

    model, estimator, selection = file.load_estimator(Path(path))
    kind = AutoClassifier if estimator == "AutoClassifier" else GaussianClassifier
    return kind._from_model(model, selection)  # noqa: SLF001


def _model_of(other: object) -> Model:
    """The model of another estimator, which must be fitted."""
    if not isinstance(other, BaseClassifier):
        msg = f"the other model must be a classifier of gaussbayes, got {type(other).__name__}"
        raise TypeError(msg)
    return other._record()  # noqa: SLF001


def linear_part(model: Model, part: int, *, centred: bool = False) -> FloatArray | None:
    """Coefficients or intercepts, if the log-odds are linear."""
    combined = model.settings.is_combined
    linear = None if combined else linear_discriminants(model, centred=centred)
    return None if linear is None else linear[part]


def _warn_of_nan(y: Any, n_unlabelled: int) -> None:
    """Warn of NaN among labels that are numbers: it may be an accident, unlike None."""
    are_floats = getattr(getattr(y, "dtype", None), "kind", "") == "f"
    n = len(y) if are_floats and len(y.shape) == 1 else 0
    if 0 < n_unlabelled < n:  # a later check raises if no row has a label
        msg = (
            f"{n_unlabelled} of {n} labels are NaN; these rows are used as unlabelled rows. Drop "
            "them, or set columns=Columns(unlabelled=float('nan')) to use them without a warning"
        )
        warnings.warn(msg, UserWarning, stacklevel=4)


def _warn_of_matrix(y: Any) -> None:
    """Warn, as scikit-learn's classifiers do, of labels that come as a matrix of one column."""
    shape: Any = np.shape(y[:1]) if isinstance(y, list | tuple) else getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        msg = "A column-vector y was passed when a 1d array was expected: use y.ravel()"
        warnings.warn(msg, DataConversionWarning, stacklevel=4)
