"""The two estimators: scikit-learn's names over `Model` and its analysis. No arithmetic here."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from inspect import signature
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils import estimator_html_repr
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from gaussbayes.analysis import class_moments
from gaussbayes.analysis.bayes_error import bayes_error
from gaussbayes.analysis.decision import decide
from gaussbayes.analysis.explanation import explain
from gaussbayes.analysis.held_out import evaluate_fitted, evaluate_held_out, leave_one_out
from gaussbayes.analysis.novelty import class_p_values, evidence_p_values
from gaussbayes.analysis.prediction_sets import prediction_sets
from gaussbayes.analysis.prior_shift import prior_shift
from gaussbayes.analysis.score_table import Scores
from gaussbayes.analysis.synthesis import as_generator, draw
from gaussbayes.base.errors import FileError, GaussBayesError, OptionError
from gaussbayes.base.remedy import AUTOMATIC_CHOICE
from gaussbayes.base.schema import ColumnTable, Schema
from gaussbayes.base.text_tables import html_blocks
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import (
    BadRowHandling,
    CovarianceName,
    Divisor,
    FloatArray,
    LabelArray,
    RealArray,
    TransformName,
)
from gaussbayes.data.categories import Categories, warn_of_unseen
from gaussbayes.data.columns import Columns
from gaussbayes.data.labels import check_known, codes_among, encode, labelled_rows, read_targets
from gaussbayes.data.roles import is_source, separate_columns
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.data.tables import as_array, is_frame, is_lazy
from gaussbayes.families.protocol import Convergence
from gaussbayes.model.construction import given_model, moments_model
from gaussbayes.model.evaluation import Evaluation
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import AUTOMATIC_SETTINGS, Options, check_options, options_of
from gaussbayes.model.select import chosen_before, is_open
from gaussbayes.model.settings import Priors, Settings
from gaussbayes.model.solution import NegativeLogLikelihood, Solution
from gaussbayes.model.sources import model_columns
from gaussbayes.model.statistics import Learnt, observe

if TYPE_CHECKING:
    from gaussbayes.analysis.importance import Importance
    from gaussbayes.base.notices import Notice
    from gaussbayes.lab import Lab

Known = TypeVar("Known")

_OPTIONS = tuple(signature(check_options).parameters)
_PLAIN = frozenset({NoneType, bool, int, float, str})


@lru_cache(maxsize=64, typed=True)
def _checked_before(*values: Any) -> Options:
    """The options of plain values: small models are fitted many times with the same."""
    return check_options(**dict(zip(_OPTIONS, values, strict=True)))


_COLUMN_OPTIONS = (
    *("features", "exclude", "categorical_features", "numeric", "keep_identifiers"),
    *("na_values", "keep_default_na", "unlabelled"),
)


def _column_options(columns: Columns | None) -> dict[str, Any]:
    """The options about columns, as `check_options` takes them."""
    given = Columns() if columns is None else columns
    if not isinstance(given, Columns):
        msg = f"columns must be a gaussbayes.Columns or None, got {columns!r:.200}"
        raise OptionError(msg)
    given.check()
    options = {name: getattr(given, name, None) for name in _COLUMN_OPTIONS}
    options["features"] = "auto" if given.features is None else given.features
    chosen = given.categorical
    options["categorical_features"] = "auto" if chosen is None else chosen
    return options


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool | np.bool_):
        msg = f"{name} must be True or False, got {value!r}"
        raise OptionError(msg)


_LINEAR = (
    "only Gaussian features with a shared covariance (shared=True) have linear log-odds; "
    "boundary(a, b) has the equation of two classes with covariances of their own"
)


class _Fact(Generic[Known]):
    """An attribute read from the record; not there without a record, or where it has nothing.

    One that needs parameters which cannot be had yet is not there either: hasattr is False.
    """

    def __init__(
        self, read: Callable[[Model], Any], *, solved: bool = True, needs: str = ""
    ) -> None:
        self.read, self.solved, self.needs = read, solved, needs

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, classifier: None, owner: type) -> Self: ...
    @overload
    def __get__(self, classifier: object, owner: type) -> Known: ...
    def __get__(self, classifier: Any, owner: type) -> Self | Known:
        if classifier is None:
            return self
        known: Known | None = None
        model: Model | None = vars(classifier).get("_model")
        if model is not None:
            try:
                known = self.read(_solved(classifier) if self.solved else model)
            except GaussBayesError as error:
                raise NotFittedError(str(error)) from error
        if known is None or (isinstance(known, dict) and not known):
            msg = f"{owner.__name__!r} object has no attribute {self.name!r}"
            if model is not None and self.needs:
                msg = f"{msg}: {self.needs}"
            raise AttributeError(msg, name=self.name, obj=classifier)
        return known

    def __set__(self, classifier: object, value: Known) -> None:
        msg = f"{self.name} is read from the model and cannot be set"
        raise AttributeError(msg)


class _TargetName(_Fact[str]):
    """One that may be set, since no table says it."""

    def __set__(self, classifier: object, value: str) -> None:
        check_is_fitted(classifier)
        vars(classifier)["_model"] = replace(vars(classifier)["_model"], target=value)


def _solved(classifier: Any) -> Model:
    """The record with its parameters, worked out now if need be."""
    model: Model = vars(classifier)["_model"]
    if model.solution is None:
        model = vars(classifier)["_model"] = model.solved(classifier.n_jobs)
    return model


def _first(items: Sequence[Any], attribute: str) -> Any:
    """The first value of an attribute among items that have it, or None."""
    values = (getattr(item, attribute, None) for item in items)
    return next((value for value in values if value is not None), None)


def _parts(model: Model) -> Sequence[Any]:
    return () if model.learnt is None else model.learnt.parts


def _counts(model: Model) -> Any:
    return next((part for part in _parts(model) if hasattr(part, "count")), None)


def _n_columns(model: Model) -> int:
    roles = model.schema.roles
    return model.schema.n_features if roles is None else len(roles.columns)


def _feature_names(model: Model) -> LabelArray | None:
    roles = model.schema.roles
    names = model.schema.features if roles is None else roles.names
    return None if names is None else np.array(names, dtype=object)


def _categories(model: Model) -> dict[Any, Categories]:
    names: Sequence[Any] = model.schema.features or range(model.schema.n_features)
    features = [names[column] for column in model.schema.categorical]
    return dict(zip(features, model.categories, strict=True))


def _discriminants(part: int, model: Model) -> FloatArray | None:
    from gaussbayes.analysis.discriminant import linear_discriminants

    linear = linear_discriminants(model)
    return None if linear is None else linear[part]


def _axes(part: str, model: Model) -> Any:
    """Something of the discriminant axes; None where there are none."""
    from gaussbayes.analysis.discriminant import discriminant_axes

    axes = discriminant_axes(model)
    return None if axes is None else getattr(axes, part)


def _transforms(model: Model) -> dict[Any, Any]:
    names: Sequence[Any] = model.schema.features or range(model.schema.n_features)
    return {
        names[column]: transform
        for component in model.components
        for column, transform in zip(
            component.columns, getattr(component.family, "transforms", ()), strict=False
        )
    }


class BaseClassifier(
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Every method that `GaussianClassifier` and `AutoClassifier` have in common."""

    families: Mapping[Any, Any] | None
    priors: Priors
    columns: Columns | None
    n_jobs: int | None
    _model: Model  # not there before fitting

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, like: Any = None) -> Self:
        """Fit to labelled rows, forgetting any earlier ones.

        Parameters
        ----------
        X : (n, d) array, list or frame (pandas, polars, Arrow) of numbers, and of strings, integers
            or booleans in categorical features; NaN or null is a missing value
            X may also be one or several paths, a lazy frame, a relation, or a Dask or Spark frame
            if `y` names a column: see `fit_source`
        y : (n,) labels; None, NaN, the empty string, a mark of missing values or `unlabelled` where
            there is none; or (n, k) soft labels: how much of each row belongs to each class; or the
            name of the column of X that holds the labels, which is then not a feature
        sample_weight : (n,) sample weights, or the name of a column of X; a weight of 2 is
            equivalent to repeating the row
        like : a fitted model whose columns, transforms, selection and calibration are reused;
            models fitted in this way merge exactly

        Examples
        --------
        >>> import pandas as pd
        >>> trees = pd.DataFrame({"girth": [1.0, 2, 4, 5], "tree": ["oak", "oak", "elm", "elm"]})
        >>> model = GaussianClassifier(shared=True).fit(trees, "tree")
        >>> model.feature_names_in_.tolist(), model.score(trees, "tree")
        (['girth'], 1.0)

        Notes
        -----
        With values or labels missing the model is the most likely one of what is there, found by EM
        where there is no closed form: see `convergence_`. Values must be missing for reasons that
        do not depend on them, given the others. Rows without label are kept, up to 64 MB, so that
        the model can learn more, be merged and forget; ``unlabelled_weight=0`` leaves them out.
        NaN in an array of floats is warned of, for it may be an accident.
        """
        if like is not None:
            before = _model_of(like)
            more = self._with(before)._learnt(before, X, y, sample_weight)  # noqa: SLF001
            facts: dict[str, Any] = {"selection_": getattr(like, "selection_", None)}
            return self._remember(before.of_rows(more), **facts, bad_rows_=None)
        if isinstance(y, str) and is_source(X):
            return self.fit_source(X, y, weights=sample_weight)
        options, target = self._options(), y if isinstance(y, str) else None
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        with _automatic_choice_tried(lambda chosen: chosen.encoder(X, y)):
            table, schema = _first_rows(options, X, y, sample_weight)
            if options.unlabelled is None and options.unlabelled_weight != 0:
                _warn_of_nan(y, table.targets.n_unlabelled)
            model, selection = fit_model(table, schema, options)
        model = model if target is None else replace(model, target=target)
        return self._remember(model, selection_=selection, bad_rows_=None)

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

        Rows are as in `fit`, any number of any classes: new ones join with their first row. With
        `classes`, the labels that may occur, that is checked. With `decay` below 1 all rows seen
        before count so many times as much as they did: batch by batch the model is that of all rows
        with the weights ``decay ** age``.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[0.0], [1.0], [7.0], [9.0]], [0, 0, 1, 1])
        >>> model.partial_fit([[2.0], [2.0]], [0, 0], decay=0.5).means_.tolist()
        [[1.5], [8.0]]
        """
        if isinstance(y, str) and is_source(X):
            return self.partial_fit_source(X, y, weights=sample_weight, decay=decay)
        model, labels = self._updated(X, y, sample_weight, decay)
        if classes is not None:
            check_known(labels, encode(classes)[1])
        return self._remember(model)

    def _updated(
        self, X: Any, y: Any, sample_weight: Any, decay: float
    ) -> tuple[Model, LabelArray]:
        """The model of all rows so far and of more, and the labels of these."""
        if self.__sklearn_is_fitted__():
            before = self._with_settings("partial_fit").decayed(decay)
            more = self._learnt(before, X, y, sample_weight)
            return before.updated(more), more.classes
        target = y if isinstance(y, str) else None
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        options = self._options(X)
        table, schema = _first_rows(options, X, y, sample_weight)
        settings = options.settings(schema).prepared(table.rows, table.targets, schema)
        _check_settled(settings, "partial_fit")
        more = observe(table, settings, schema, n_threads(self.n_jobs))
        return learnt_model(settings, schema, more, target), more.classes

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remove rows; the result equals a fit to the remaining rows.

        The other rows are not needed. A class without remaining rows is dropped. Rows that cannot
        be among those of the model raise `DataError`.

        Parameters
        ----------
        X : rows as in `fit`; or a model that was fitted to some of the rows of this one
        y : labels, or the name of a column of X; None if X is a model
        sample_weight : (n,) sample weights, or the name of a column of X

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [6.0], [5.0], [7.0]], [0, 0, 0, 1, 1])
        >>> model.forget([[6.0]], [0]).means_.tolist()
        [[1.5], [6.0]]
        """
        if isinstance(X, BaseClassifier | Model):
            return self._remember(self._with_settings("forget").unmerged(_model_of(X)))
        if y is None:
            msg = "forget needs the labels of the rows (y), or a fitted model in place of the rows"
            raise OptionError(msg)
        before = self._record()
        return self._remember(before.without(self._learnt(before, X, y, sample_weight)))

    def add_class(self, label: Any, X: Any, sample_weight: Any = None) -> Self:
        """Learn a class that the model does not have, from its rows; no other class is touched.

        Its prior follows from its weight, unless priors were given: then it needs one of its own.
        A covariance that is shared is that of all classes, the new one among them.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.add_class(2, [[10.0], [12.0]]).means_.tolist()
        [[1.5], [6.0], [11.0]]
        """
        before = self._record()
        rows = X if is_frame(X) else as_array(X)
        learnt = self._learnt(before, rows, [label] * len(rows), sample_weight)
        return self._remember(before.with_class(learnt))

    def remove_class(self, label: Any) -> Self:
        """Take a class away, with all its rows; no other class is touched."""
        return self._remember(self._record().without_class(label))

    def merge(self, other: Any) -> Self:
        """Add what another model of the same features has learnt; classes are united.

        An unfitted model takes over what the other has learnt. If only one of them knows the names
        of the features, or of the target, they are taken from that one.
        """
        theirs = _model_of(other)
        if self.__sklearn_is_fitted__():
            return self._remember(self._with_settings("merge").merged(theirs))
        return self._remember(self._taken_over(theirs))

    def unmerge(self, other: Any) -> Self:
        """Take away what another model has learnt, whose rows are among those of this one.

        It undoes `merge`, exactly and without any row.

        Examples
        --------
        >>> monday = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> tuesday = GaussianClassifier().fit([[3.0], [5.0], [8.0], [9.0]], [0, 0, 1, 1])
        >>> week = GaussianClassifier().merge(monday).merge(tuesday)
        >>> week.unmerge(monday).means_.tolist()
        [[4.0], [8.5]]
        """
        theirs = _model_of(other)
        return self._remember(self._with_settings("unmerge").unmerged(theirs))

    def batch(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """A model of these rows alone, read as those that this model has seen.

        It has the same settings and, if there are any, the same transforms, so that it can be
        merged, taken away again (`unmerge`) and compared (`drift`).

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.batch([[3.0], [4.0], [8.0], [9.0]], [0, 0, 1, 1]).means_.tolist()
        [[3.5], [8.5]]
        """
        before = self._with_settings("batch")
        return self._with(before.of_rows(self._learnt(before, X, y, sample_weight)))

    def drift(self, newer: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Test whether newer rows are like those of this model: `gaussbayes.analysis.drift.Drift`.

        `newer` is another model of the same features, or rows (n, d) with their labels `y`.

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> X, y = iris.rows, iris.labels
        >>> model = GaussianClassifier().fit(X[::2], y[::2])
        >>> model.drift(X[1::2], y[1::2]).p_value > 0.01
        True
        >>> model.drift(X[1::2] + [0, 0, 0, 0.5], y[1::2]).changed()
        ['feature 3']
        """
        from gaussbayes.analysis.drift import drift

        after = _model_of(newer if y is None else self.batch(newer, y, sample_weight))
        return drift(self._record(), after)

    def fit_source(
        self,
        source: Any,
        target: str,
        *,
        features: Sequence[str] | Literal["auto"] | None = None,
        weights: str | None = None,
        bad_rows: BadRowHandling = "error",
        header: bool = True,
        client: Any = None,
    ) -> Self:
        """Fit to rows that need not fit into memory: files, Dask or Spark frames, database tables.

        Sources are those of `gaussbayes.data.reduction`, other parameters those of
        `gaussbayes.data.roles.Request`, the features those of the class if None; a Dask client or
        a Spark session reads files on its cluster. Categorical features are those that
        `categorical_features` names, or has the numbers of among the features, or those of a
        categorical type.

        Examples
        --------
        >>> from importlib.resources import files
        >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
        >>> GaussianClassifier().fit_source(iris, "species").feature_names_in_[2]
        'petal length (cm)'
        """
        from gaussbayes.data.column_roles import warn_of_columns
        from gaussbayes.data.reduction import open_rows
        from gaussbayes.model.sources import fit_source

        options = self._options()
        how: dict[str, Any] = {"weights": weights, "bad_rows": bad_rows, "header": header}
        if features is not None:
            how["features"] = features

        def columns(chosen: Options) -> object:
            return open_rows(source, chosen.request(target, **how), client=client)

        with _automatic_choice_tried(columns):
            fit = fit_source(source, options.request(target, **how), options, client, self.n_jobs)
        if fit.model.schema.roles is not None:
            warn_of_columns(fit.model.schema.roles)
        return self._remember(fit.model, selection_=fit.selection, bad_rows_=fit.reduced.bad_rows)

    def partial_fit_source(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        bad_rows: BadRowHandling = "error",
        header: bool = True,
        client: Any = None,
        decay: float = 1.0,
    ) -> Self:
        """Learn from more rows; the features, and the target if not given, are those of before.

        `decay` is that of `partial_fit`: rows seen before count so many times as much.
        """
        from gaussbayes.model.sources import Observation, open_more, update_rows

        before = self._with_settings("partial_fit_source").decayed(decay)
        request: dict[str, Any] = {"weights": weights, "bad_rows": bad_rows, "header": header}
        request["mark"] = self._options().unlabelled
        rows = open_more(before, source, target, client=client, **request)
        observation = Observation(before.observing, before.schema)
        reduced = rows.reduce(observation, n_jobs=self.n_jobs)
        model = update_rows(before, rows, reduced, self.n_jobs).model
        return self._remember(model, bad_rows_=reduced.bad_rows)

    # Scores.

    def predict(self, X: Any) -> Any:
        """The most probable class of each row (n,).

        Of a lazy frame (Polars) or a relation (DuckDB) it is the same with a column ``prediction``,
        which is worked out where the rows are; `predict_proba` adds columns ``proba_…``, and
        `score_samples` a column ``log_evidence``. There a row that has no score is NULL.
        """
        model = self._ready()
        if is_lazy(X):
            return self._lazily("labels", X)
        classes, codes = model.schema.classes, model.labels(self._rows(X), self.n_jobs)
        # Of classes 0 … k − 1 the codes are the labels.
        coded = classes.dtype == codes.dtype and classes[0] == 0 and classes[-1] == len(classes) - 1
        return codes if coded else np.take(classes, codes)

    def predict_proba(self, X: Any) -> Any:
        """Posteriors ``p(c | x)`` (n, k); of a lazy frame see `predict`."""
        if is_lazy(X):
            return self._lazily("posteriors", X)
        return self._ready().posterior(self._rows(X), self.n_jobs)

    def predict_log_proba(self, X: Any) -> RealArray:
        """Log posteriors ``log p(c | x)`` (n, k), exact however small."""
        return self._ready().log_posterior(self._rows(X), self.n_jobs)

    def decision_function(self, X: Any) -> RealArray:
        """Two classes: the log-odds of the second (n,); more: the log posteriors (n, k).

        What a textbook calls the decision function with or without dividing by the evidence is
        `predict_log_proba` and `predict_joint_log_proba`: the largest is that of the same class.
        """
        model = self._ready()
        if model.schema.classes.shape[0] == 2:
            return model.log_odds(self._rows(X), 1, 0, self.n_jobs)
        return model.log_posterior(self._rows(X), self.n_jobs)

    def predict_joint_log_proba(self, X: Any) -> RealArray:
        """Log joint densities ``log p(x, c) = log prior_c + log p(x | c)`` (n, k)."""
        return self._ready().log_joint(self._rows(X), self.n_jobs)

    def joint(self, X: Any) -> RealArray:
        """Joint densities ``p(x, c)`` (n, k); for many features prefer the logarithms."""
        return self._ready().joint(self._rows(X), self.n_jobs)

    def score_samples(self, X: Any) -> Any:
        """Log evidence ``log p(x)`` (n,): how well the model as a whole explains a row.

        Of a lazy frame see `predict`.
        """
        if is_lazy(X):
            return self._lazily("log_evidence", X)
        return self._ready().log_evidence(self._rows(X), self.n_jobs)

    def scores(self, X: Any) -> Scores:
        """Scores of rows in one table, each column computed when it is first read.

        Parameters
        ----------
        X : (n, d) rows as in `predict`

        Returns
        -------
        `gaussbayes.analysis.score_table.Scores`, with the columns ``label``, ``posterior``,
        ``log_likelihood``, ``log_joint``, ``log_evidence``, ``squared_distance``, ``p_value`` and
        ``novelty_p_value``

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> scores = model.scores([[1.0], [30.0]])
        >>> scores.label.tolist(), scores.squared_distance.tolist()
        (['ill', 'well'], [[1.0, 9.0], [900.0, 676.0]])
        >>> scores.to_frame().columns[:3].tolist()
        ['label', 'posterior_ill', 'posterior_well']
        """
        return Scores(self._ready(), self._rows(X), X, self.n_jobs)

    def evidence(self, X: Any) -> RealArray:
        """Evidence ``p(x) = Σ_c p(x, c)`` (n,); for many features prefer the logarithm."""
        return self._ready().evidence(self._rows(X), self.n_jobs)

    def log_likelihood(self, X: Any) -> RealArray:
        """Log densities ``log p(x | c)`` (n, k)."""
        return self._ready().log_likelihood(self._rows(X), self.n_jobs)

    def likelihood(self, X: Any) -> RealArray:
        """Densities ``p(x | c)`` (n, k); for many features prefer the logarithms."""
        return self._ready().likelihood(self._rows(X), self.n_jobs)

    def log_odds(self, X: Any, a: object, b: object) -> RealArray:
        """``log p(a | x) − log p(b | x)`` (n,) of two classes given by their labels."""
        model = self._ready()
        return model.log_odds(self._rows(X), *self._pair(a, b), self.n_jobs)

    def boundary(self, a: object, b: object) -> Any:
        """The log-odds of two classes as an equation, whose zeros are the boundary between them.

        Linear if the classes share a covariance, else quadratic; print it to read it. It is that of
        densities and priors: calibration is not in it.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
        >>> print(model.boundary("high", "low"))
        log-odds of 'high' to 'low' = 4·x0 - 8
        boundary: x0 = 2
        """
        from gaussbayes.analysis.discriminant import log_odds_equation

        return log_odds_equation(self._ready(), *self._pair(a, b))

    def mahalanobis(self, X: Any) -> RealArray:
        """Distances ``√((x − mean_c)ᵀ Σ_c⁻¹ (x − mean_c))`` (n, k) to the classes' means.

        By the Gaussian features, as far as they are not missing; a model that has none refuses.
        """
        return self._ready().mahalanobis(self._rows(X), self.n_jobs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The proportion of rows predicted right; rows without label do not count, soft in part."""
        from gaussbayes.model.evaluation import accuracy

        X, y, sample_weight = separate_columns(X, y, sample_weight)
        model, rows = self._ready(), self._rows(X)
        marks = self._options().label_marks
        targets, classes = read_targets(y, rows.n_rows, sample_weight, marks)
        predicted = model.labels(rows, self.n_jobs)
        return accuracy(predicted, model.schema.classes, targets, classes)

    def negative_log_likelihood(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> NegativeLogLikelihood:
        """``−Σ log p(x, y)`` over labelled rows, in the labels' part and the features' part.

        The features' part is ∞ if a category never occurred in the class of its row, without
        smoothing. Rows without label do not count.
        """
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        model, rows = self._ready(), self._rows(X)
        marks = self._options().label_marks
        targets, classes = read_targets(y, rows.n_rows, sample_weight, marks)
        targets = codes_among(model.schema.classes, targets, classes)
        return model.negative_log_likelihood(rows, targets, self.n_jobs)

    # Analysis.

    def sample(
        self, n_samples: int = 1, random_state: Any = None
    ) -> tuple[NDArray[Any], LabelArray]:
        """Draw rows (n, d) from the model, and their labels (n,).

        With categories the rows are an array of objects in the order of the columns: numbers are
        floats, categories strings, integers or booleans as in `categories_`.

        Examples
        --------
        >>> X, y = [[1.0, "S"], [3.0, "M"], [7.0, "S"], [8.0, "S"]], ["a", "a", "b", "b"]
        >>> model = GaussianClassifier(categorical_features=[1]).fit(X, y)
        >>> rows, labels = model.sample(100, random_state=0)
        >>> rows.shape, rows.dtype, set(rows[labels == "b", 1])
        ((100, 2), dtype('O'), {'S'})
        """
        model = self._ready()
        rows, codes = draw(model, n_samples, as_generator(random_state))
        return model.encoder.decode(rows), model.schema.classes[codes]

    def decide(
        self,
        X: Any,
        *,
        costs: Any = None,
        reject_below: float | None = None,
        reject_cost: float | None = None,
        novelty: float | None = None,
        novelty_level: float | None = None,
        priors: Priors | Literal["own"] = "own",
    ) -> Any:
        """The class of least expected cost for each row, or why the row is better left open.

        Parameters
        ----------
        costs : (k, k) what deciding for the class of the column costs where that of the row is
            true, or ``{(true label, decided label): cost}``. None is 1 for every error: the most
            probable class.
        reject_below : refuse rows whose most probable class is less probable than that
        reject_cost : refuse rows of which even the best decision is expected to cost more
        novelty_level : refuse rows that are like no class: of the rows of every class fewer than
            this proportion lie so far out, by their Gaussian features
        priors : others than the model's, as in the constructor

        Returns
        -------
        `gaussbayes.analysis.decision.Decisions`

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> model.decide([[1.0], [2.1], [30.0]], reject_below=0.8, novelty_level=1e-3).labels
        array(['ill', None, None], dtype=object)
        >>> model.decide([[2.5]], costs={("ill", "well"): 50, ("well", "ill"): 1}).labels
        array(['ill'], dtype=object)
        """
        model = self._ready()
        if not (isinstance(priors, str) and priors == "own"):
            model = model.with_priors(priors)
        refused: dict[str, Any] = {"reject_below": reject_below, "reject_cost": reject_cost}
        refused |= {"novelty_level": novelty_level if novelty is None else novelty}
        refused["n_jobs"] = self.n_jobs
        return decide(model, self._rows(X), costs=costs, **refused)

    def p_values(self, X: Any) -> FloatArray:
        """How probable it is that a row of the class lies at least so far out (n, k).

        ``P(χ²_d ≥ m²)`` of the squared Mahalanobis distance m², by the d Gaussian features that are
        not missing; a model that has none refuses. A row whose p-values are all tiny is like no
        class, whatever its posteriors say.
        """
        return class_p_values(self._ready(), self._rows(X), self.n_jobs)

    def evidence_p_values(self, X: Any, n_draws: int = 100_000, random_state: Any = 0) -> Any:
        """How probable it is that a row of the model has no more evidence than each row (n,).

        Simulated, with standard errors (`gaussbayes.analysis.novelty.PValues`); rows with missing
        values are compared by the features that they have.
        """
        return evidence_p_values(self._ready(), self._rows(X), n_draws, random_state, self.n_jobs)

    def estimate_priors(self, X: Any, sample_weight: Any = None, **settings: Any) -> Any:
        """The priors of rows without labels, where only the classes' proportions have changed.

        Use them with `with_priors`; `settings` are those of
        `gaussbayes.analysis.prior_shift.prior_shift`, which says what is returned.

        Examples
        --------
        >>> model = GaussianClassifier.from_parameters(None, [[0], [8]], [[1]], ["a", "b"])
        >>> shift = model.estimate_priors([[0.2], [-0.3], [0.1], [8.4]])
        >>> shift.prior.round(3).tolist()
        [0.75, 0.25]
        """
        log_posterior = self.predict_log_proba(X)
        return prior_shift(log_posterior, self._ready().prior, sample_weight, **settings)

    def bayes_error(self, n_draws: int = 100_000, random_state: Any = 0) -> Any:
        """How often the best rule is wrong if the model is right (`BayesError`), simulated."""
        return bayes_error(self._ready(), n_draws, random_state, self.n_jobs)

    def explain(
        self, row: Any, between: tuple[Any, Any] | None = None, reference: Any = "mean"
    ) -> Any:
        """Bayes' rule for one row with every number, and what each feature adds to the log-odds.

        Parameters
        ----------
        row : (d,) the features, or a table of one row; NaN or None is a missing value
        between : the labels of two classes whose log-odds are split up; None is the most probable
            one and the next
        reference : the point at which every contribution is 0, a number for each Gaussian feature;
            ``"mean"`` is the mean of the classes' means weighted by their priors, ``"rival"`` the
            mean of the second class. Categories and counts are compared with one that is not known

        Returns
        -------
        `gaussbayes.analysis.explanation.Explanation`

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
        row = model.without_target(row) if is_frame(row) else row
        return explain(model, model.encoder.encode_row(row), pair, reference)

    def predict_set(self, X: Any, coverage: float = 0.9, *, by_class: bool = False) -> Any:
        """Which classes are in the prediction set of each row: booleans (n, k), as `classes_`.

        The set of a new row contains its class with the probability `coverage`: over all rows, or
        within each class (`by_class`). It needs ``calibration="leave_one_out"``, as `auto` has it:
        the scores of rows left out say what is usual, and no rows are set apart. See
        `gaussbayes.analysis.prediction_sets`.

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> model = GaussianClassifier(calibration="leave_one_out").fit(iris.rows, iris.labels)
        >>> model.predict_set(iris.rows[:1], 0.99).labels
        [('setosa',)]
        """
        return prediction_sets(
            self._ready(), self._rows(X), coverage, by_class=by_class, n_jobs=self.n_jobs
        )

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Every labelled row predicted by the model of all others.

        The models have the settings of this classifier, which need not be fitted; what ``"auto"``
        chose is kept. See `gaussbayes.analysis.held_out.leave_one_out`. A category that no other
        row has says nothing about the class, as in any prediction.

        Examples
        --------
        >>> X, y = [[1.0], [2.0], [6.0], [7.0], [8.0], [12.0]], list("aaabbb")
        >>> left_out = GaussianClassifier(shared=True).leave_one_out(X, y)
        >>> np.exp(left_out.log_posterior[2]).round(4).tolist(), left_out.evaluation.n_errors
        ([0.0875, 0.9125], 1)
        """
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        options = self._options(X)
        table, schema = _first_rows(options, X, y, sample_weight)
        settings = options.settings(schema)
        if self.__sklearn_is_fitted__():
            if len(self._model.weighted_members) > 1:
                msg = (
                    "leave_one_out does not weigh candidates anew without each row: judge an "
                    "average by folds, with compare or scikit-learn's cross_val_predict"
                )
                raise OptionError(msg)
            settings = options.like(self._model.settings).settings(schema)
            settings = chosen_before(settings, self._model.settings)
        _check_settled(settings, "leave_one_out")
        calibrated = options.calibration is not None
        return leave_one_out(table, schema, settings, self.n_jobs, calibrated=calibrated)

    def evaluate(
        self,
        X: Any,
        y: Any,
        *,
        cv: Any = None,
        groups: Any = None,
        held_out: Any = None,
        costs: Any = None,
        random_state: int | None = 0,
    ) -> Evaluation:
        """Every figure of ``gaussbayes evaluate``, with standard errors, beside a baseline.

        Parameters
        ----------
        X, y : rows and labels as in `fit`; rows without label are never judged by
        held_out : which rows are predicted by models with these settings that are fitted to the
            others, as in `compare`, or ``"loo"`` to leave out one row at a time. None is what the
            fitted model says of these rows, which it should not have seen, or 10 folds if it is not
            fitted. The classifier itself stays as it is.
        costs : of decisions, as in `decide`, for their mean cost
        random_state : seed of the folds or of the split

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> seen = GaussianClassifier(shared=True).evaluate(iris.rows, iris.labels, held_out=5)
        >>> round(seen.accuracy, 4), round(seen.baseline.accuracy, 4), round(seen.auc, 4)
        (0.98, 0.3333, 0.9985)
        """
        held_out = cv if held_out is None else held_out
        X, y, groups = separate_columns(X, y, groups)
        if held_out is None and groups is None and self.__sklearn_is_fitted__():
            marks = self._options().label_marks
            return evaluate_fitted(self._ready(), self._checked(X), y, costs, marks)
        folds = 10 if held_out is None else held_out
        grouped: dict[str, Any] = {} if groups is None else {"groups": groups}
        return evaluate_held_out(self, X, y, folds, random_state, costs, **grouped)

    def importance(self, X: Any, y: Any, *, sample_weight: Any = None) -> Importance:
        """Compute how much log loss each feature saves on labelled rows.

        A feature is integrated out of the model, without refitting; its importance is the increase
        of the mean log loss. The rows should be held-out rows.

        Parameters
        ----------
        X, y, sample_weight : labelled rows and their weights, as in `fit`

        Returns
        -------
        Importance
        """
        from gaussbayes.analysis.importance import importance

        X, y, sample_weight = separate_columns(X, y, sample_weight)
        model, rows = self._ready(), self._rows(X)
        marks = self._options().label_marks
        targets, classes = read_targets(y, rows.n_rows, sample_weight, marks)
        targets = codes_among(model.schema.classes, targets, classes)
        return importance(model, LabelledRows(rows, targets, model.schema.classes), self.n_jobs)

    def report(self, X: Any, y: Any, path: Any = "report.html", **options: Any) -> Path:
        """Write a page about this model on labelled rows; see `gaussbayes.write_report`."""
        # The report lies above this class: it is looked up by name when it is wanted.
        write = import_module("gaussbayes.report").write_report
        written: Path = write(self, X, y, path, **options)
        return written

    def lab(self, X: Any, y: Any) -> Lab:
        """Show this model and labelled rows on an interactive page, which needs no server.

        A notebook displays the page; elsewhere, open it in the browser or save it.

        Parameters
        ----------
        X, y : rows with the features of this model, and their labels; of more than 100,000 rows a
            sample is shown

        Returns
        -------
        Lab
            The page, with ``open()`` and ``save(path)``

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> X = [[1.0, 2.0], [2.0, 1.0], [2.0, 3.0], [7.0, 8.0], [8.0, 6.0], [9.0, 9.0]]
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> GaussianClassifier().fit(X, y).lab(X, y).save(mkdtemp() + "/lab.html").name
        'lab.html'
        """
        from gaussbayes.lab.payload import model_lab

        return model_lab(self, X, y)

    # Other models.

    def with_priors(self, priors: Priors) -> Self:
        """A new classifier with the same densities and other priors; None estimates them."""
        changed = self._with(self._ready().with_priors(priors))
        changed.priors = priors
        return changed

    def marginal(self, features: Sequence[int | str]) -> Self:
        """The same classes as seen through some features only, the others integrated out.

        A new classifier whose means and covariances are the entries for these features, given by
        name or number: exact, without a second fit. It keeps the statistics of these features and
        the calibration, so that its posteriors are those of this model for rows in which the other
        features are missing.

        Examples
        --------
        >>> X = [[1, 8, 3], [2.5, 7.5, 1], [2, 7, 4], [8.5, 2.5, 2], [9, 2, 5], [8, 1, 1]]
        >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
        >>> model.marginal([1]).means_.round(4).tolist()
        [[1.8333], [7.5]]
        """
        model = self._ready().marginal(features)
        changed = self._with(model)
        changed.families = options_of(model.settings, model.schema)["families"]
        return changed

    def with_feature_names(self, names: Sequence[str] | None) -> Self:
        """The same classifier with other names for its features, or none.

        For models of arrays, whose columns have no names: figures and messages then use these.
        """
        return self._with(self._record().with_feature_names(names))

    def to_sql(self, table: str | Sequence[str], dialect: str = "duckdb", **options: Any) -> str:
        """One SELECT that scores the rows of a table of a database; see `gaussbayes.Model.to_sql`.

        Examples
        --------
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb"))
        >>> print(model.to_sql("rows", "sqlite").partition(" AS ")[0])
        WITH stage0
        """
        return self._ready().to_sql(table, dialect, **options)

    def export(
        self,
        path: str | PathLike[str],
        *,
        table: str = "rows",
        dialect: str = "duckdb",
        **more: Any,
    ) -> Path:
        """Write the model as a SQL query or an ONNX file that scores rows elsewhere.

        Parameters
        ----------
        path : file to write, with the suffix .sql or .onnx
        table : name of the table that the query reads
        dialect : "duckdb", "postgres", "sqlite", "spark" or "bigquery"

        Returns
        -------
        Path
        """
        from gaussbayes.base.atomic import replace_file

        written = Path(path)
        if written.suffix == ".sql":
            text = self._ready().to_sql(table, dialect, **more)
            replace_file(written, f"{text}\n".encode(), "the query")
            return written
        if written.suffix == ".onnx":
            return self._ready().to_onnx(written, **more)
        msg = f"path must end in .sql or .onnx, got {str(path)!r}"
        raise OptionError(msg)

    def save(self, path: str | PathLike[str], *, unlabelled_rows: bool = False) -> Path:
        """Write the model to a file, whole or not at all; see `load`.

        It is JSON with what the model has learnt, so that it can be updated and merged later. If it
        has learnt from rows without label, that takes `unlabelled_rows`, which writes them, too.
        """
        from gaussbayes.model import file

        # What EM finds is kept in the file, and need not be found there again. With too few rows
        # there is nothing to find yet, and what was learnt is kept all the same.
        with suppress(GaussBayesError):
            self._ready()
        names = (kind.__name__ for kind in type(self).__mro__)
        name: Any = next(name for name in names if name in file.ESTIMATORS)
        return file.save(self._record(), Path(path), name, unlabelled_rows=unlabelled_rows)

    def to_onnx(
        self, path: str | PathLike[str], *, dtype: Literal["float64", "float32"] = "float64"
    ) -> Path:
        """Write an ONNX file that scores rows in any runtime; see `gaussbayes.Model.to_onnx`."""
        return self._ready().to_onnx(path, dtype=dtype)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file that `save` wrote.

        Nothing that is in the file is run; what is wrong with a damaged one is said.
        """
        loaded = load(path)
        if not isinstance(loaded, cls):
            msg = (
                f"model file {str(path)!r} holds a {type(loaded).__name__}, not a {cls.__name__}: "
                "gaussbayes.load(path) reads either"
            )
            raise FileError(msg)
        return loaded

    @classmethod
    @abstractmethod
    def from_model(cls, model: Model) -> Self:
        """A classifier with the settings of a model; given priors do not bind a later fit."""

    # What a fitted classifier knows, under the names by which scikit-learn's tools ask for it.

    model_ = _Fact[Model](lambda model: model)
    classes_ = _Fact[LabelArray](lambda model: model.schema.classes, solved=False)
    columns_ = _Fact[ColumnTable](model_columns, solved=False)
    n_features_in_ = _Fact[int](_n_columns, solved=False)
    feature_names_in_ = _Fact[LabelArray](_feature_names, solved=False)
    parameters_ = _Fact[Solution](lambda model: model.parameters)
    convergence_ = _Fact[Convergence](lambda model: model.convergence)
    priors_ = _Fact[FloatArray](lambda model: model.prior)
    transforms_ = _Fact[dict[Any, Any]](_transforms, solved=False)
    means_ = _Fact[FloatArray](class_moments.class_means)
    covariances_ = _Fact[FloatArray](class_moments.class_covariances)
    correlations_ = _Fact[FloatArray](class_moments.class_correlations)
    n_parameters_ = _Fact[int](lambda model: model.n_parameters)
    structure_ = _Fact[Any](lambda model: model.settings.first("structure"), solved=False)
    moments_ = _Fact[Any](lambda model: _first(_parts(model), "moments"), solved=False)
    incomplete_ = _Fact[Any](lambda model: _first(_parts(model), "cells"), solved=False)
    counts_ = _Fact[Any](_counts, solved=False)
    categories_ = _Fact[dict[Any, Categories]](_categories, solved=False)
    category_probabilities_ = _Fact[dict[Any, FloatArray]](class_moments.category_probabilities)
    target_name_ = _TargetName(lambda model: model.target, solved=False)

    def __str__(self) -> str:
        return str(self._model) if self.__sklearn_is_fitted__() else repr(self)

    def _html_repr(self) -> str:
        """What notebooks show: scikit-learn's diagram, and the model's tables."""
        tables = html_blocks(self._model.tables()) if self.__sklearn_is_fitted__() else ""
        return f"{estimator_html_repr(self)}{tables}"

    def _repr_html_inner(self) -> str:  # what scikit-learn before 1.7 asks for
        return self._html_repr()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._html_repr()
        return shown

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    @property
    def notices_(self) -> tuple[Notice, ...]:
        """What `fit` has to report: dropped columns, skipped rows, EM that did not converge, …."""
        from gaussbayes.model.model_notices import model_notices

        model = self._record()
        with suppress(GaussBayesError):  # too few rows so far
            model = self._ready()
        return model_notices(model, getattr(self, "bad_rows_", None))

    def set_params(self, **params: Any) -> Self:
        """Set arguments of this estimator, and of its columns as ``columns__exclude=[…]``."""
        nested = {name: params.pop(name) for name in [*params] if name.startswith("columns__")}
        super().set_params(**params)
        if nested:
            given = Columns() if self.columns is None else self.columns
            changes = {name.removeprefix("columns__"): value for name, value in nested.items()}
            self.columns = given.set_params(**changes)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # Between scikit-learn's conventions and the record.

    @abstractmethod
    def _options(self, X: Any = None) -> Options:
        """The settings, checked; X is the table they are for, if there is one already."""

    @abstractmethod
    def _taken_over(self, theirs: Model) -> Model:
        """What an unfitted classifier has after it was merged with another model."""

    def _with_settings(self, step: str, model: Model | None = None) -> Model:
        """The model so far, or another, with the settings of now; what was chosen before stays."""
        model = self._record() if model is None else model
        options = self._options().like(model.settings)
        settings = chosen_before(options.settings(model.schema), model.settings)
        if options.calibration is None:
            settings = replace(settings, calibration=None)
        return model.with_settings(settings, step)

    def _learnt(self, before: Model, X: Any, y: Any, sample_weight: Any) -> Learnt:
        """What rows teach whose features are those of before in number, name and order."""
        X, y, sample_weight = separate_columns(X, y, sample_weight)
        encoder = replace(before.encoder, categories=None)
        warn_of_column(y)
        marks = self._options().label_marks
        table = labelled_rows(encoder, self._checked(X), y, sample_weight, marks)
        schema = encoder.schema(table.classes)
        return observe(table, before.observing, schema, n_threads(self.n_jobs)).with_rows()

    def _lazily(self, score: str, X: Any) -> Any:
        """A lazy frame with columns of a score: see `gaussbayes.model.lazy_scores`."""
        lazy_scores = import_module("gaussbayes.model.lazy_scores")
        return getattr(lazy_scores, f"lazy_{score}")(self._ready(), X)

    def _rows(self, X: Any) -> Rows:
        """Rows of this model; scikit-learn has words of its own for features that are others."""
        model = self._record()
        rows = model.rows(self._checked(X))
        if rows.unseen:
            warn_of_unseen(rows.unseen, model.schema.of_categories)
        return rows

    def _checked(self, X: Any) -> Any:
        """A table, if its features are those of the model in number, name and order.

        Columns that are left out may be there or not.
        """
        schema = self._model.schema
        if is_frame(X):
            X = self._model.without_target(X)
            if schema.roles is None or not self._model.encoder.takes(X):
                validate_data(self, X, reset=False, skip_check_array=True)
            return X
        rows = as_array(X)
        if schema.roles is not None and rows.shape[1] == schema.n_features:
            return rows
        # Without names and equal in number there is nothing to say, and no time to spend on it.
        if schema.features is not None or rows.shape[1] != schema.n_features:
            validate_data(self, rows, reset=False, skip_check_array=True)
        return rows

    def _pair(self, a: object, b: object) -> tuple[int, int]:
        """The codes of two classes given by their labels."""
        schema = self._record().schema
        check_known(np.array([a, b], dtype=object), schema.classes)
        return schema.position(a), schema.position(b)

    def _record(self) -> Model:
        """The record, if there is one yet."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        return self._model

    def _ready(self) -> Model:
        """The record with its parameters."""
        self._record()
        return _solved(self)

    def _remember(self, model: Model, **facts: Any) -> Self:
        """Take over a new record, which is complete: nothing can fail from here."""
        self._model = model
        for name, fact in facts.items():
            self.__dict__.pop(name, None)
            if fact is not None:
                setattr(self, name, fact)
        return self

    def _with(self, model: Model) -> Self:
        """The same classifier with another record."""
        changed = copy(self)
        changed.__dict__["_model"] = model
        return changed


def _model_of(other: Any) -> Model:
    """The record of another classifier, which must be fitted, or a record as it is."""
    if isinstance(other, Model):
        return other
    if not isinstance(other, BaseClassifier):
        msg = f"another model must be a GaussianClassifier or a Model, got {type(other).__name__}"
        raise TypeError(msg)
    check_is_fitted(other)
    record: Model = vars(other)["_model"]
    return record


class GaussianClassifier(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseClassifier,
):
    """One Gaussian for each class, and Bayes' rule; other families for features that need them.

    ``p(c | x) = prior_c p(x | c) / Σ_b prior_b p(x | b)``, where ``p(x | c)`` is the product of the
    densities of all families: a Gaussian ``N(x; mean_c, Σ_c)`` of the numbers, probabilities of the
    categories. Fitting at once, in batches (`partial_fit`) or in parts that are merged (`merge`)
    gives the same model.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical", "auto"}
        What a class's covariance may look like: any, no correlations, or one variance for all
        features. ``"auto"`` chooses among these, own, shared and between, whatever `shared` says.
    shared : bool, float in [0, 1] or "auto"
        Whether all classes have the same covariance. Full and not shared is QDA, full and shared
        LDA, diagonal and not shared Gaussian naive Bayes. A number λ is how far the covariance of
        each class is shrunk towards the pooled one: ``(1 − λ) Σ_c + λ Σ``, each estimated, divided
        and shrunk as it would be alone. That is regularised discriminant analysis (RDA), and a
        class may then have fewer rows than features.
    priors : None, "uniform", sequence or {label: probability}
        None estimates them by the classes' proportions of the weight; a sequence is in the order of
        `classes_`. Priors never reach the covariances.
    divisor : {"mle", "unbiased"}
        Divide the scatter by N, or by N − 1 (the shared one by N − k).
    shrinkage : None, float in [0, 1], "oas", "ledoit-wolf" or "auto"
        How far covariances are moved towards the target, by a number or by what the rows of each
        ask for: the oracle approximating shrinkage, or that of Ledoit and Wolf, for which products
        of four values are summed as well; ``"auto"`` chooses. With more features than rows, full
        covariances shrunk by a number or by ``"oas"`` are estimated in the span of the rows of
        `fit`: the same numbers, in little memory.
    target : {"diagonal", "spherical"}
        What shrinkage goes to. Diagonal: ``(1 − s) Σ + s (tr(D^-½ Σ D^-½) / d) D``, D the variances
        of the pooled covariance, whatever the units of the features; of a shared covariance only
        correlations are shrunk. Spherical: D is the identity, for features that have one unit.
    transforms : None, a transform, {feature: transform} or "auto"
        "standardised", "range", "yeo-johnson", "log" or "rank-normal": a monotone transform of
        every Gaussian feature, or of those in the mapping (several in a tuple), one for all
        classes; the transformed features are Gaussian. It is learnt from the rows of `fit`, the
        first of `partial_fit`, or at most 10,000 of them. Densities, evidence and draws are those
        of the rows as they come.
    coded : bool or "auto"
        Whether categories and numbers are coded together as numbers that follow one Gaussian:
        categories as corners of a simplex, and missing values, where `fit` saw some, as one more
        category, or as one more number beside the median. So categories have to do with each other
        and with numbers, and what is missing may tell the class; but rows cannot be drawn, and
        there are no distances. ``"auto"`` tries both where there is anything to code.
    estimate : {"plug_in", "predictive"}
        Gaussians with the estimated means and covariances; or what is to be expected of the next
        row where these are not known exactly: means and covariances integrated out under a
        Normal-inverse-Wishart prior, Student-t densities. The prior lies around the pooled
        covariance, shrunk by `shrinkage`, and is worth ``λ / (1 − λ)`` times the rows of the mean
        class for ``shared=λ``; ``shared="auto"`` chooses.
    calibration : None or "leave_one_out"
        Posteriors as sure as rows left out say they may be: log-likelihoods times a temperature of
        at most 1, an offset for each class, and some of the prior. Densities stay as
        they are. `predict_set` needs it.
    average : bool
        Whether the candidates of an automatic choice are averaged, with the weights that predict
        rows left out best, instead of choosing one. Nothing more can be learnt by such a model.
    selection : {"leave_one_out", "bic"}
        What ``"auto"`` chooses by: the log loss of every row, or of a sample of the rows of large
        sources, under the model without it; or BIC, for which sums over the rows do, and which
        chooses between own and shared covariances only.
    categorical_features : "from_dtype", "auto", None, or names, numbers or booleans
        Which features hold categories: the columns of a frame that are of a categorical type;
        these, and all columns of strings or booleans; or those in the list. Given the class they
        are independent of each other and of all others; without any numbers beside them the model
        is discrete naive Bayes.
    features : None, "auto" or a list
        The columns of a frame to learn from: all of them; those that something can be learnt from;
        or these, by names or patterns such as ``temp_*``. ``"auto"`` leaves out columns that
        identify rows, have one value or none, repeat another column or the target, or are strings
        of too many kinds; strings and booleans are categories, dates are days since the first. What
        was decided, and why, is in `columns_`. Arrays have no names: all their columns are taken.
    exclude : None or a list
        Columns of a frame not to learn from, by names or patterns.
    numeric : None or a list
        Columns that hold numbers, whatever they look like; they are not left out.
    keep_identifiers : bool
        Whether ``features="auto"`` keeps columns that seem to identify rows.
    smoothing : float, 0 or more
        What is added to the weight of every category in every class. 0 is maximum likelihood: a
        category that never occurred in a class rules the class out.
    families : None or {feature: family}
        The family of features given by name or number, or of several in a tuple: "gaussian",
        "categorical", "poisson", "bernoulli", or "coded" for a block of features of any kind that
        are coded together (see `coded`). ``{"visits": "poisson"}`` models counts;
        ``{("height", "weight"): "gaussian"}`` is a block of its own, independent of other numbers
        given the class. Features that are not named are Gaussian, together, or categorical.
    unlabelled : a label, or None
        Rows with this label, such as −1, have none in truth; None, NaN and what else stands for a
        missing value always mean that.
    unlabelled_weight : float, 0 or more, or "auto"
        How much a row without label counts beside a labelled one. "auto" is 1; where the model is
        chosen by rows left out, 0 unless labelled rows are clearly better predicted with 0.1 or 1.
    na_values : None, a string, a number, several, or {column: these}
        What stands for a missing value beside None, NaN, the empty string and the usual ones: NA,
        N/A, NaN, null, None, ?, . and their variants.
    keep_default_na : bool
        Whether the usual strings are missing values; otherwise they are categories and labels.
    n_jobs : int or None
        Threads; None uses every core. Results do not depend on it.

    Attributes
    ----------
    classes_ : (k,) the labels, sorted; only those whose rows weigh something
    priors_ : (k,)
    means_ : (k, g) of the features that hold numbers
    transforms_ : what was learnt of each transformed feature, by its name or number; another model
        takes it as `transforms`
    covariances_ : (k, g, g), or (g, g) when shared; 0 between features of different families
    correlations_ : as `covariances_`, scaled to unit variances
    coef_, intercept_ : (k, d) and (k,), of two classes (1, d) and (1,): the linear discriminants
        ``log p(c | x) = w_cᵀ x + w_c0 + …`` of classes that share the covariance of all features
    scalings_ : (d, r) Fisher's discriminant axes of such classes, r at most k − 1; `transform`
        projects rows on them
    explained_variance_ratio_ : (r,) the proportion of the variance between classes on each axis
    xbar_ : (d,) the mean of the classes' means, weighted by their priors: 0 on all axes
    category_probabilities_ : ``p(category | class)`` (k, m) of each categorical feature
    categories_ : the categories of each categorical feature, by its name or number
    n_parameters_ : how many free parameters the model has
    model_ : `Model`, everything there is to know
    parameters_ : `Solution`, priors and densities
    convergence_ : `Convergence`, how EM proceeded; only if values or labels were missing
    selection_ : `Selection`, all candidates and the best of them; only if `fit` had to choose
    structure_ : `Structure`, the shape of the covariances, and how far the classes share one
    moments_ : `ClassMoments`, what was learnt from complete rows of numbers
    incomplete_ : `PatternMoments`, the same of rows with missing numbers, if there are any
    counts_ : `CategoricalStatistics`, the weights of categories, if there are any
    target_name_ : the column that the labels came from, if it is known
    bad_rows_ : rows of a source that could not be read, after `fit_source`
    columns_ : `ColumnRoles`, what each column of the table is to the model, or why it is left out;
        only if columns were chosen
    n_features_in_ : number of columns of the table, those that are left out among them
    feature_names_in_ : their names, if the rows came in a frame whose column names are strings

    Notes
    -----
    Settings are read by `fit`, `partial_fit` and `merge`; after `set_params` a model stays as it is
    until one of them is called again. After `partial_fit` and `merge` the parameters are worked out
    when they are first needed, so that a stream may begin with a single row; while a covariance
    cannot be inverted yet, predictions raise `SingularCovarianceError`. A call that fails leaves
    the model as it was. Scores of float32 rows are float32.

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
        shrinkage_target: Literal["diagonal", "spherical"] = "diagonal",
        transforms: TransformName | Mapping[Any, Any] | None = None,
        families: Mapping[Any, Any] | None = None,
        priors: Priors = None,
        smoothing: float = 0.0,
        divisor: Divisor = "mle",
        calibrate: bool = False,
        columns: Columns | None = None,
        n_jobs: int | None = None,
        # The arguments below leave when no client gives them.
        target: Any = None,
        estimate: Any = "plug_in",
        coded: Any = False,
        selection: Any = "leave_one_out",
        calibration: Any = None,
        average: bool = False,
        categorical_features: Any = "from_dtype",
        features: Any = None,
        exclude: Any = None,
        numeric: Any = None,
        keep_identifiers: bool = False,
        unlabelled: Any = None,
        unlabelled_weight: Any = "auto",
        na_values: Any = None,
        keep_default_na: bool = True,
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
        self.target = target
        self.estimate = estimate
        self.coded = coded
        self.selection = selection
        self.calibration = calibration
        self.average = average
        self.categorical_features = categorical_features
        self.features = features
        self.exclude = exclude
        self.numeric = numeric
        self.keep_identifiers = keep_identifiers
        self.unlabelled = unlabelled
        self.unlabelled_weight = unlabelled_weight
        self.na_values = na_values
        self.keep_default_na = keep_default_na
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
        """A classifier with given parameters, without fitting: of Gaussians, categories or both.

        Parameters
        ----------
        priors : as in the constructor, a sequence in the order of `classes`; None is uniform
        means : (k, d)
        covariances : full (k, d, d), or (d, d) for all classes. With ``covariance="diagonal"``
            variances (k, d) or (d,), with ``"spherical"`` (k,) or a number.
        classes : (k,) labels in the order of the other arguments, 0 … k − 1 if not given; the model
            sorts them, as scikit-learn's tools expect, and prints them in the order given
        covariance, shared : needed where the shape of `covariances` does not tell
        category_probabilities : ``{feature: {category: p(category | class) (k,)}}``; these features
            come after those with means

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
        return cls.from_model(model)

    @classmethod
    def from_moments(
        cls,
        moments: Any,
        classes: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        **settings: Any,
    ) -> Self:
        """A classifier of moments gathered elsewhere; `settings` are the constructor's."""
        classifier = cls(**settings)
        model = moments_model(moments, classifier._options(), classes, feature_names)
        _check_settled(model.settings, "from_moments")
        return classifier._remember(model)

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """A classifier with the settings of a model; given priors do not bind a later fit."""
        parameters = options_of(model.settings, model.schema)
        features = model.schema.features
        roles = model.schema.roles
        if roles is None or features is None or not (roles.left_out or roles.origins):
            parameters["categorical_features"] = list(model.schema.categorical) or "from_dtype"
        else:
            parameters["features"] = list(features)
            parameters["categorical_features"] = [features[j] for j in model.schema.categorical]
        if "target" in parameters:
            parameters["shrinkage_target"] = parameters.pop("target")
        if model.calibration is not None:
            parameters["calibrate"] = True
        if model.learnt is None:
            parameters["priors"] = None
        if parameters["unlabelled_weight"] == 1:
            parameters["unlabelled_weight"] = "auto"  # the same, and the usual one
        classifier = cls(**parameters)
        return classifier._remember(model.announcing(None))

    def transform(self, X: Any) -> RealArray:
        """Rows on Fisher's discriminant axes (n, r), where classes share the covariance.

        There are at most k − 1 axes, on which the classes differ most, in this order. The variance
        within classes is 1 along each. Of rows with missing values it is the expectation. There is
        no such method where classes have covariances of their own, or features are not Gaussian.

        Examples
        --------
        >>> from gaussbayes.datasets import load_iris
        >>> iris = load_iris()
        >>> model = GaussianClassifier(shared=True).fit(iris.rows, iris.labels)
        >>> model.transform(iris.rows[:1]).round(3).tolist()
        [[-8.144, 0.303]]
        >>> model.explained_variance_ratio_.round(3).tolist()
        [0.991, 0.009]
        """
        from gaussbayes.analysis.discriminant import discriminant_coordinates

        model, rows = self._ready(), self._rows(X)
        return discriminant_coordinates(model, rows, n_jobs=self.n_jobs)

    def marginal(self, features: Sequence[int | str]) -> Self:
        changed = super().marginal(features)
        if not isinstance(self.categorical_features, str | None):
            changed.categorical_features = list(changed.model_.schema.categorical)
        return changed

    marginal.__doc__ = BaseClassifier.marginal.__doc__

    coef_ = _Fact[FloatArray](partial(_discriminants, 0), needs=_LINEAR)
    intercept_ = _Fact[FloatArray](partial(_discriminants, 1), needs=_LINEAR)
    explained_variance_ratio_ = _Fact[FloatArray](partial(_axes, "ratio"), needs=_LINEAR)
    scalings_ = _Fact[Any](partial(_axes, "scalings"), needs=_LINEAR)
    xbar_ = _Fact[FloatArray](partial(_axes, "center"), needs=_LINEAR)
    _n_features_out = _Fact[int](partial(_axes, "n_axes"), needs=_LINEAR)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Categories in an array are only understood where a list says which columns hold them.
        named = not isinstance(self.categorical_features, str | None)
        tags.input_tags.categorical = tags.input_tags.string = named
        if not self._is_linear():
            tags.transformer_tags = None
        return tags

    def _is_linear(self) -> bool:
        """Whether log-odds are linear, so that there are discriminant axes."""
        if not self.__sklearn_is_fitted__():
            return not isinstance(self.shared, str) and self.shared == 1
        from gaussbayes.analysis.discriminant import has_linear_log_odds

        return has_linear_log_odds(self._model.settings)

    def _options(self, X: Any = None) -> Options:
        del X
        values = [self._option(name) for name in _OPTIONS]
        if _PLAIN.issuperset(map(type, values)):
            return _checked_before(*values)
        return check_options(**dict(zip(_OPTIONS, values, strict=True)))

    def _option(self, name: str) -> Any:
        """The value of an option: that of the argument of now, or of the one that leaves."""
        if name == "target":
            return self.shrinkage_target if self.target is None else self.target
        if name == "calibration":
            _check_flag("calibrate", self.calibrate)
            return "leave_one_out" if self.calibrate else self.calibration
        if self.columns is not None and name in _COLUMN_OPTIONS:
            return _column_options(self.columns)[name]
        return getattr(self, name)

    def _taken_over(self, theirs: Model) -> Model:
        options = self._options().like(theirs.settings)
        settings = options.settings(theirs.schema).prepared_like(theirs.settings)
        _check_settled(settings, "merge")
        return theirs.with_settings(settings, "merge")


# What makes a classifier a transformer is there where its log-odds are linear. It is put there
# after scikit-learn has made `transform` return what `set_output` asks for.
for _method in ("transform", "fit_transform", "get_feature_names_out"):
    _available = available_if(lambda classifier: classifier._is_linear())  # noqa: SLF001
    setattr(GaussianClassifier, _method, _available(getattr(GaussianClassifier, _method)))


class AutoClassifier(BaseClassifier):
    """Bayes' rule with a model that is selected by the log loss of held-out rows.

    The kind of each column of a data frame is detected, and columns that carry no information about
    the class are dropped (`columns_` lists them with the reason). Candidates differ in transforms,
    in how far the covariances are shrunk towards the pooled covariance and towards a single
    variance, and in how categories and missing values enter the model; means and covariances are
    integrated out where that predicts better. `selection_` lists the candidates with the
    leave-one-out log loss of each. The posteriors of the best candidate are calibrated on held-out
    rows. Methods and attributes are those of `GaussianClassifier`.

    Parameters
    ----------
    families : None or {feature: family}
        The family of features given by name or number, as in `GaussianClassifier`: "gaussian",
        "categorical", "poisson" or "bernoulli". ``{"visits": "poisson"}`` models counts.
    priors : None, "uniform", sequence or {label: probability}
        None estimates them by the class proportions; a sequence is in the order of `classes_`.
    n_jobs : int or None
        Threads; None uses every core. Results do not depend on it.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = AutoClassifier().fit(iris.rows, iris.labels)
    >>> model.predict_proba(iris.rows[:1]).round(4).tolist()
    [[0.9993, 0.0003, 0.0003]]
    """

    def __init__(
        self,
        *,
        families: Mapping[Any, Any] | None = None,
        priors: Priors = None,
        columns: Columns | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.families = families
        self.priors = priors
        self.columns = columns
        self.n_jobs = n_jobs

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        decay: float = 1.0,
    ) -> Self:
        """Update the model with more rows; the first call selects a model, later calls keep it.

        Parameters are those of `GaussianClassifier.partial_fit`.
        """
        if self.__sklearn_is_fitted__():
            return super().partial_fit(X, y, classes, sample_weight, decay=decay)
        fitted = clone(self).fit(X, y, sample_weight)
        if classes is not None:
            check_known(fitted.classes_, encode(classes)[1])
        return self._remember(fitted.model_, selection_=fitted.selection_)

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """A classifier of a model; given priors do not bind a later fit."""
        options = options_of(model.settings, model.schema)
        priors = None if model.learnt is None else options["priors"]
        classifier = cls(families=options["families"], priors=priors)
        return classifier._remember(model.announcing(None))

    def _options(self, X: Any = None) -> Options:
        del X
        given: dict[str, Any] = {"families": self.families, "priors": self.priors}
        given |= _column_options(self.columns)
        return check_options(**{**AUTOMATIC_SETTINGS, **given}, n_jobs=self.n_jobs)

    def _taken_over(self, theirs: Model) -> Model:
        return self._with_settings("merge", theirs)


def load(path: str | PathLike[str]) -> GaussianClassifier | AutoClassifier:
    """Read a model from a file that `save` wrote.

    Nothing in the file is executed, and a damaged file raises `FileError`.

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
    >>> load(model.save(mkdtemp() + "/model.json"))
    AutoClassifier()
    """
    from gaussbayes.model import file

    model, estimator = file.load_estimator(Path(path))
    home = "estimators" if estimator in globals() else "sklearn"
    kind: type[GaussianClassifier] = getattr(import_module(f"gaussbayes.{home}"), estimator)
    return kind.from_model(model)


def _check_settled(settings: Settings, step: str) -> None:
    """Raise for a step that cannot choose what is left open."""
    if is_open(settings):
        msg = (
            f"{step} cannot choose covariance and shrinkage: 'auto' is for fit and fit_source, "
            "which see all rows at once"
        )
        raise OptionError(msg)


@contextmanager
def _automatic_choice_tried(columns: Callable[[Options], object]) -> Iterator[None]:
    """The automatic choice is no remedy if its columns cannot be chosen.

    Whether its model has an estimate was tried before, with the columns at hand.
    """
    try:
        yield
    except GaussBayesError as error:
        if AUTOMATIC_CHOICE not in error.remedies:
            raise
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                columns(check_options(**AUTOMATIC_SETTINGS))
            except GaussBayesError:
                raise error.without_remedy(AUTOMATIC_CHOICE) from None
        raise


def _warn_of_nan(y: Any, n_unlabelled: int) -> None:
    """NaN among numbers may be an accident; None, which must be written, is not."""
    are_floats = getattr(getattr(y, "dtype", None), "kind", "") == "f"
    n = len(y) if are_floats and len(y.shape) == 1 else 0
    if 0 < n_unlabelled < n:  # without any label there is an error to come
        msg = (
            f"{n_unlabelled} of {n} labels are NaN: these rows are learnt from as unlabelled "
            "rows, by EM. Give unlabelled=float('nan') if that is meant, unlabelled_weight=0 to "
            "leave them out, or drop them"
        )
        warnings.warn(msg, UserWarning, stacklevel=3)


def _first_rows(
    options: Options, X: Any, y: Any, sample_weight: Any
) -> tuple[LabelledRows, Schema]:
    """Rows of a model that has seen none, and what their features are called."""
    warn_of_column(y)
    return options.table(X, y, sample_weight)


def warn_of_column(y: Any) -> None:
    """Warn, as scikit-learn's classifiers do, of labels that come as a matrix of one column."""
    shape: Any = np.shape(y[:1]) if isinstance(y, list | tuple) else getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        msg = "A column-vector y was passed when a 1d array was expected: use y.ravel()"
        warnings.warn(msg, DataConversionWarning, stacklevel=4)
