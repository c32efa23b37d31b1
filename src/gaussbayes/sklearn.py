"""scikit-learn's LDA, QDA and GaussianNB on the model of this package: one import line changes.

Constructors, methods and attributes are those of scikit-learn 1.9. The three also have the methods
of `gaussbayes.GaussianClassifier`: they accept `sample_weight`, missing values (NaN) and more rows
(`partial_fit`), and can be merged, explained and saved. A saved model is loaded as a
`GaussianClassifier`.

>>> from gaussbayes.sklearn import LinearDiscriminantAnalysis  # was sklearn.discriminant_analysis
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from sklearn import discriminant_analysis, naive_bayes
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler

from gaussbayes.analysis import class_moments
from gaussbayes.analysis.discriminant import (
    DiscriminantAxes,
    discriminant_axes,
    linear_scores,
    quadratic_scores,
)
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.threads import one_writer
from gaussbayes.base.types import (
    FloatArray,
    LabelArray,
    LabelsLike,
    RealArray,
    TableLike,
    WeightsLike,
)
from gaussbayes.data.labels import encode, unite
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.data.schema import MissingMarks
from gaussbayes.estimators import BaseClassifier, Fitted, linear_part
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.model.construction import estimated_model
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, internal_options
from gaussbayes.model.settings import normalised_priors

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]

_LEAST_SQUARES = 1e-7
"""Standard deviation up to which the solver "lsqr" ignores directions: that of rounding."""

Value = TypeVar("Value")


class _Attribute(Fitted[Value]):
    """An attribute that scikit-learn's class has, in the float type of the rows."""

    def value(self, classifier: Any, model: Model) -> Value | None:
        return _typed(self.read(classifier, model), classifier._dtype)  # noqa: SLF001


def _typed(value: Value, dtype: DTypeLike) -> Value:
    """Floats of this type, also in a list; anything else unchanged."""
    typed: Any = value
    if isinstance(value, list):
        typed = [_typed(entry, dtype) for entry in value]
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        typed = value.astype(dtype, copy=False)
    return typed  # type: ignore[no-any-return]


class _DropIn(BaseClassifier):
    """The common base of the three; each adds the constructor of scikit-learn's class.

    Results include labels that were announced or whose rows have no weight: the model has only
    classes with rows, and the other classes have probability 0.
    """

    columns = None
    families = None
    n_jobs = None

    _dtype: Any = np.float64  # of the rows of the first fit
    _fewest_classes: ClassVar[int] = 1
    _needs_classes: ClassVar[bool] = False
    """Whether the first call of `partial_fit` must announce all classes."""
    _prior_word: ClassVar[str] = "Priors"

    @abstractmethod
    def _family(self) -> Gaussian:
        """The family that the parameters describe."""

    def _check_table(self, table: LabelledRows) -> None:
        """Raise for parameters that contradict each other or do not suit the rows."""

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        """An error of the model, worded for the parameters of this class."""
        return type(error)(error.problem)

    def _options(self) -> Options:
        plain = internal_options(missing=MissingMarks.given(keep_default_na=False))
        family = {"gaussian": self._family()}
        return replace(plain, made=family, fewest_classes=self._fewest_classes)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        return tags

    # Fitting.

    def fit(  # type: ignore[override]
        self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike = None
    ) -> Self:
        """Fit the model to labelled rows; see `GaussianClassifier.fit`.

        Parameters
        ----------
        X : (n, d) array or data frame of numbers; NaN and null are missing values
        y : (n,) labels
        sample_weight : (n,) weights

        Returns
        -------
        self
        """
        self._validate_params()
        options = self._options()
        table, schema = self._first_rows(options, X, y, sample_weight)
        self._check_table(table)
        _, codes, weights = table.targets.weighted_codes()
        weight = np.bincount(codes, weights, table.classes.shape[0])
        priors = self._priors_among(table.classes, table.classes[weight > 0])
        if priors is not None:
            options = replace(options, priors=priors)
        try:
            model = self._fitted(table, schema, options)
        except GaussBayesError as error:
            raise self._named(error) from None
        return self._remember(model.announcing(table.classes), _dtype=table.rows.dtype)

    def _fitted(self, table: LabelledRows, schema: Any, options: Options) -> Model:
        return fit_model(table, schema, options)[0]

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

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : labels that may occur; the first call of `GaussianNB` needs them
        decay : factor in (0, 1] by which the weights of all earlier rows are multiplied

        Returns
        -------
        self
        """
        self._validate_params()
        with one_writer(self):
            first = not self.__sklearn_is_fitted__()
            announced = None if first else self._model.schema.announced
            if classes is not None or self._needs_classes:
                announced = self._announced(classes, first=first)
                _check_labels(y, announced)
            model, new_classes, _ = self._updated(X, y, sample_weight, decay)
            if announced is not None:
                announced = unite(announced, new_classes)[0]
            dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
            return self._remember(
                model.announcing(announced), _dtype=dtype if first else self._dtype
            )

    def _announced(self, classes: ArrayLike | None, *, first: bool) -> LabelArray:
        """The labels that may occur."""
        if classes is None and first:
            msg = "classes must be passed on the first call to partial_fit."
            raise DataError(msg)
        if first or not self._needs_classes:
            return encode(classes)[1]
        if classes is not None and not np.array_equal(np.sort(np.asarray(classes)), self.classes_):
            msg = (
                f"`classes={classes!r:.200}` is not the same as on last call to partial_fit, was: "
                f"{self.classes_!r:.200}"
            )
            raise DataError(msg)
        return self.classes_

    def _remember(self, model: Model, **facts: Any) -> Self:
        if model.solution is None and self.priors is not None:  # given for all classes
            priors = self._priors_among(model.known_classes, model.classes)
            model = replace(model, settings=replace(model.settings, priors=priors))
        return super()._remember(model, **facts)

    # Priors, and classes that have no rows.

    def _given_priors(self, n_classes: int) -> FloatArray | None:
        """The given priors of all classes (k,), checked; None without any."""
        if self.priors is None:
            return None
        priors = np.array(self.priors, dtype=np.float64)
        if priors.shape != (n_classes,):
            msg = (
                "Number of priors must match number of classes. There are "
                f"{n_classes} classes, and priors of shape {priors.shape}"
            )
            raise OptionError(msg)
        if not (priors >= 0).all():
            msg = f"{self._prior_word} must be non-negative. Got {priors.tolist()}"
            raise OptionError(msg)
        self._check_sum(float(priors.sum()))
        return normalised_priors(priors)

    def _check_sum(self, total: float) -> None:
        if not np.isclose(total, 1.0):
            msg = f"The sum of the priors should be 1. Got {total}"
            raise OptionError(msg)

    def _priors_among(self, known: LabelArray, present: LabelArray) -> FloatArray | None:
        """The given priors of the classes that have rows, which sum to 1."""
        priors = self._given_priors(known.shape[0])
        if priors is None or known.shape[0] == present.shape[0]:
            return priors
        return normalised_priors(priors[unite(known, present)[2]])

    @property
    def classes_(self) -> LabelArray:  # type: ignore[override]
        """The labels (k,), sorted: the announced ones and all with rows."""
        if not self.__sklearn_is_fitted__():
            msg = f"{type(self).__name__!r} object has no attribute 'classes_'"
            raise AttributeError(msg, name="classes_", obj=self)
        classes: LabelArray = self._model.known_classes
        return classes

    def _of_all_classes(self, values: RealArray, fill: float, axis: int = 0) -> RealArray:
        """An array over the classes with rows, extended to all classes by `fill`."""
        known, present = self.classes_, self._model.classes
        if known.shape[0] == present.shape[0]:
            return values
        shape = list(values.shape)
        shape[axis] = known.shape[0]
        wider = np.full(shape, fill, dtype=values.dtype)
        np.moveaxis(wider, axis, 0)[unite(known, present)[2]] = np.moveaxis(values, axis, 0)
        return wider

    def _scored(self, score: Any, X: TableLike) -> Any:
        try:
            return super()._scored(score, X)
        except GaussBayesError as error:
            raise self._named(error) from None

    def predict_proba(self, X: TableLike) -> RealArray:
        """Compute the posteriors ``p(c | x)`` (n, k); see `GaussianClassifier.predict_proba`."""
        return self._of_all_classes(super().predict_proba(X), 0.0, axis=1)

    def predict_log_proba(self, X: TableLike) -> RealArray:
        """Compute the log posteriors (n, k); see `GaussianClassifier.predict_log_proba`."""
        return self._of_all_classes(super().predict_log_proba(X), -np.inf, axis=1)


class _DiscriminantAnalysis(_DropIn):
    """The common base of LDA and QDA: shrinkage, and covariances that another class estimates."""

    solver: str
    shrinkage: float | Literal["auto"] | None
    covariance_estimator: Any  # any object that has `fit` and `covariance_`
    _structure: ClassVar[str]
    _unsupported: ClassVar[str]

    def _gaussian(self, regularisation: Regularisation) -> Gaussian:
        shrinkage = None if self.shrinkage == "auto" else self.shrinkage or None
        family = Gaussian(STRUCTURES[self._structure], "mle", shrinkage, "spherical")
        return replace(family, regularisation=regularisation)

    @property
    def _needs_rows(self) -> bool:
        """Whether covariances are estimated from rows, not from sums over them."""
        return self.shrinkage == "auto" or self.covariance_estimator is not None

    def _check_table(self, table: LabelledRows) -> None:
        if self.solver == "svd" and self.shrinkage is not None:
            msg = "shrinkage not supported with 'svd' solver."
            raise NotImplementedError(msg)
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise OptionError(self._unsupported)
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            msg = (
                "covariance_estimator and shrinkage parameters are not None. Only one of the two "
                "can be set."
            )
            raise OptionError(msg)
        weighted = table.targets.weights is not None or table.targets.n_unlabelled
        if self._needs_rows and (weighted or np.isnan(table.rows.matrix).any()):
            msg = (
                "covariance_estimator and shrinkage='auto' take neither sample_weight nor missing "
                "values or labels: give shrinkage as a number"
            )
            raise DataError(msg)

    def _fitted(self, table: LabelledRows, schema: Any, options: Options) -> Model:
        if not self._needs_rows:
            return super()._fitted(table, schema, options)
        shared = STRUCTURES[self._structure].shared
        return estimated_model(table, schema, self._estimated, shared=shared, priors=options.priors)

    def _estimated(self, rows: FloatArray) -> FloatArray:
        """The covariance (d, d) of the rows of a class."""
        estimator = self.covariance_estimator
        if estimator is None:  # Ledoit and Wolf, in units of the standard deviations
            scaler = StandardScaler().fit(rows)
            covariance, _ = ledoit_wolf(scaler.transform(rows))
            return np.asarray(covariance * scaler.scale_ * scaler.scale_[:, None])
        estimator.fit(rows)
        if not hasattr(estimator, "covariance_"):
            msg = f"{type(estimator).__name__} does not have a covariance_ attribute"
            raise OptionError(msg)
        return np.asarray(estimator.covariance_, dtype=np.float64)

    def _updated(self, X: Any, y: Any, sample_weight: Any, decay: float) -> Any:
        if self._needs_rows:
            msg = (
                "covariance_estimator and shrinkage='auto' need all rows of a class at once: use "
                "fit, or give shrinkage as a number"
            )
            raise DataError(msg)
        return super()._updated(X, y, sample_weight, decay)

    def _discriminants(self, X: TableLike, score: Callable[[Model, Rows], RealArray]) -> RealArray:
        """Compute the log-odds of two classes (n,), or scores of more (n, k)."""
        model = self._ready()
        if model.classes.shape[0] < 3:
            return super().decision_function(X)
        scores = score(model, self._rows(self._table(X)))
        return self._of_all_classes(scores, -np.inf, axis=1)

    @_Attribute
    def means_(self, model: Model) -> RealArray:  # type: ignore[override]  # may be float32
        """The means of the classes (k, d)."""
        return self._of_all_classes(class_moments.class_means(model), np.nan)

    @_Attribute
    def priors_(self, model: Model) -> RealArray:  # type: ignore[override]  # may be float32
        """The priors of the classes (k,)."""
        return self._of_all_classes(model.prior.copy(), 0.0)


class LinearDiscriminantAnalysis(
    _DiscriminantAnalysis,
    discriminant_analysis.LinearDiscriminantAnalysis,  # type: ignore[misc]
):
    """scikit-learn's `LinearDiscriminantAnalysis`: Gaussians that share a covariance.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}
        All solve the same equations here. "svd" takes no shrinkage and ignores directions in which
        nothing varies within classes, "lsqr" has no `transform`, and that of "eigen" is not
        centred.
    shrinkage : None, "auto" or float in [0, 1]
        Intensity of the shrinkage towards equal variances; "auto" is Ledoit and Wolf's
        estimate for each class.
    priors : None or (k,) priors; they do not affect the covariance
    n_components : None or int
        Number of discriminant axes of `transform`; None is ``min(k − 1, d)``.
    store_covariance : bool
        Whether "svd" has `covariance_`; other solvers always do.
    tol : float
        Standard deviation, relative to those of the features, up to which "svd" ignores directions.
    covariance_estimator : None or estimator with `fit` and `covariance_`
        Estimates the covariance of each class, as those in `sklearn.covariance`.

    Attributes
    ----------
    classes_ : (k,) labels
    coef_, intercept_ : (k, d) and (k,); for two classes (1, d) and (1,)
    covariance_ : (d, d)
    explained_variance_ratio_ : (n_components,) proportions of the variance between classes
    means_, priors_ : (k, d) and (k,)
    scalings_ : (d, r) discriminant axes
    xbar_ : (d,) prior-weighted mean of the means; with "svd"
    n_features_in_, feature_names_in_ : of the rows of `fit`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = LinearDiscriminantAnalysis().fit(X[:4], [1, 1, 1, 2])
    >>> model.partial_fit(X[4:], [2, 2]).predict([[-0.8, -1]]).tolist()
    [1]
    >>> model.transform([[0.0, 0.0], [1.0, 1.0]]).round(4).tolist()
    [[0.0], [2.1213]]
    """

    _structure = "LDA"
    _prior_word = "priors"
    _unsupported = "covariance estimator is not supported with svd solver. Try another solver"

    def _family(self) -> Gaussian:
        tolerance = {"svd": self.tol, "lsqr": _LEAST_SQUARES}.get(self.solver)
        return self._gaussian(Regularisation(rank_tolerance=tolerance))

    def _check_table(self, table: LabelledRows) -> None:
        n, k, d = table.rows.n_rows, table.classes.shape[0], table.rows.numbers.shape[1]
        if n == k:
            msg = (
                "The number of samples must be more than the number of classes. Got "
                f"n_samples={n}, n_classes={k}"
            )
            raise DataError(msg)
        if self.n_components is not None and self.n_components > min(k - 1, d):
            msg = (
                "n_components cannot be larger than min(n_features, n_classes - 1). Got "
                f"{self.n_components}, with {d} features and {k} classes"
            )
            raise OptionError(msg)
        super()._check_table(table)

    def _check_sum(self, total: float) -> None:
        if abs(total - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)

    def _axes(self, model: Model) -> DiscriminantAxes | None:
        """The discriminant axes, which "lsqr" lacks."""
        if self.solver == "lsqr":
            return None
        return discriminant_axes(model, self.tol if self.solver == "svd" else 1e-10)

    def transform(self, X: TableLike) -> RealArray:
        """Project rows on the discriminant axes, along which the variance within classes is 1.

        Parameters
        ----------
        X : rows as in `predict`; those with missing values have no place, and give NaN

        Returns
        -------
        (n, n_components)
        """
        if self.solver == "lsqr":
            msg = "transform not implemented for 'lsqr' solver (use 'svd' or 'eigen')."
            raise NotImplementedError(msg)
        axes, rows = self._axes(self._ready()), self._rows(self._table(X))
        assert axes is not None
        return axes.project(rows.matrix, centred=self.solver == "svd")[:, : self.n_components]

    def decision_function(self, X: TableLike) -> RealArray:
        """Compute the log-odds of the second of two classes, or ``w_cᵀ x + w_c0`` (n, k).

        These are log posteriors up to a term that all classes of a row have in common.
        """
        return self._discriminants(X, partial(linear_scores, centred=self.solver == "svd"))

    @_Attribute
    def coef_(self, model: Model) -> RealArray | None:  # type: ignore[override]  # may be float32
        """Coefficients (k, d), of two classes (1, d)."""
        return linear_part(model, 0, centred=self.solver == "svd")

    @_Attribute
    def intercept_(self, model: Model) -> RealArray | None:  # type: ignore[override]  # may be float32
        """Intercepts (k,), of two classes (1,)."""
        return linear_part(model, 1, centred=self.solver == "svd")

    @_Attribute
    def covariance_(self, model: Model) -> RealArray | None:
        """The covariance (d, d) within classes."""
        stored = self.store_covariance or self.solver != "svd"
        d = model.schema.n_features
        return class_moments.class_covariances(model).reshape(d, d).copy() if stored else None

    @_Attribute
    def explained_variance_ratio_(self, model: Model) -> RealArray | None:
        """The proportion of the variance between classes on each axis."""
        axes = self._axes(model)
        return None if axes is None else axes.ratio[: self.n_components]

    @_Attribute
    def scalings_(self, model: Model) -> RealArray | None:
        """The discriminant axes (d, r)."""
        axes = self._axes(model)
        return None if axes is None else axes.scalings

    @_Attribute
    def xbar_(self, model: Model) -> RealArray | None:
        """The prior-weighted mean of the means (d,)."""
        axes = self._axes(model)
        return None if axes is None or self.solver != "svd" else axes.center

    @_Attribute
    def _n_features_out(self, model: Model) -> int | None:
        axes = self._axes(model)
        return None if axes is None else axes.scalings[:, : self.n_components].shape[1]


class QuadraticDiscriminantAnalysis(
    _DiscriminantAnalysis,
    discriminant_analysis.QuadraticDiscriminantAnalysis,  # type: ignore[misc]
):
    """scikit-learn's `QuadraticDiscriminantAnalysis`: Gaussians with class-specific covariances.

    Parameters
    ----------
    solver : {"svd", "eigen"}
        Both solve the same equations here; "svd" takes no shrinkage.
    shrinkage : None, "auto" or float in [0, 1]
        How far covariances are shrunk towards equal variances; "auto" is Ledoit and Wolf's
        estimate for each class.
    priors : None or (k,) priors, which must sum to 1
    reg_param : float in [0, 1]
        How far covariances are shrunk towards the identity: ``(1 − r) Σ + r I``.
    store_covariance : bool
        Whether there is `covariance_`.
    tol : float
        Not used: whether a covariance is singular does not depend on the units of the features.
    covariance_estimator : None or estimator with `fit` and `covariance_`
        Estimates the covariance of each class, as those in `sklearn.covariance`.

    Attributes
    ----------
    classes_ : (k,) labels
    covariance_ : k times (d, d)
    means_, priors_ : (k, d) and (k,)
    rotations_ : k times (d, d), the principal axes in columns
    scalings_ : k times (d,), the variances along them
    n_features_in_, feature_names_in_ : of the rows of `fit`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1], [float("nan"), 1.2]]).tolist()
    [1, 2]
    """

    _structure = "QDA"
    _unsupported = (
        "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."
    )
    _fewest_classes = 2

    def _family(self) -> Gaussian:
        return self._gaussian(Regularisation(identity=float(self.reg_param)))

    def _check_table(self, table: LabelledRows) -> None:
        k = table.classes.shape[0]
        if k < 2:
            msg = f"The number of classes has to be greater than one. Got {k} class."
            raise DataError(msg)
        super()._check_table(table)
        codes = table.targets.codes
        few = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=k) == 1)
        if few.size and not (self.reg_param or self.covariance_estimator):
            label = table.classes[few[0]]
            msg = f"y has only 1 sample in class {label}, covariance is ill defined."
            raise DataError(msg)

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        problem = error.problem
        if not isinstance(error, SingularCovarianceError):
            return type(error)(problem)
        owner = problem.split(" has ")[0].split(" does ")[0]
        return SingularCovarianceError(
            f"The covariance matrix of {owner} is not full rank. When using "
            f"`solver={self.solver!r}` without regularization, it must be: {problem}. Set "
            "`reg_param` above 0, or use `solver='eigen'` with `shrinkage`."
        )

    def decision_function(self, X: TableLike) -> RealArray:
        """Compute the log-odds of the second of two classes, or log joint densities (n, k).

        These lack the powers of 2π, which all classes have in common.
        """
        return self._discriminants(X, quadratic_scores)

    @_Attribute
    def covariance_(self, model: Model) -> list[RealArray] | None:
        """The covariances, k times (d, d)."""
        covariances = class_moments.class_covariances(model)
        return list(covariances.copy()) if self.store_covariance else None

    @_Attribute
    def rotations_(self, model: Model) -> list[RealArray]:
        """The principal axes in columns, k times (d, d)."""
        return list(class_moments.principal_axes(class_moments.class_covariances(model))[1])

    @_Attribute
    def scalings_(self, model: Model) -> list[RealArray]:
        """The variances along the principal axes, k times (d,)."""
        return list(class_moments.principal_axes(class_moments.class_covariances(model))[0])


class GaussianNB(
    _DropIn,
    naive_bayes.GaussianNB,  # type: ignore[misc]
):
    """scikit-learn's `GaussianNB`: Gaussians without correlations.

    Parameters
    ----------
    priors : None or (k,) priors, which must sum to 1
    var_smoothing : float
        Added to all variances, as a proportion of the largest variance of a feature over all rows.
        The statistics do not contain it, so that `fit` and `partial_fit` give the same model.

    Attributes
    ----------
    classes_ : (k,) labels
    class_count_, class_prior_ : (k,) weights of the rows, and priors
    epsilon_ : what is added to all variances
    theta_, var_ : (k, d) means and variances
    n_features_in_, feature_names_in_ : of the rows of `fit`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> first = GaussianNB().partial_fit(X[:4], [1, 1, 1, 2], classes=[1, 2])
    >>> second = GaussianNB().partial_fit(X[4:], [2, 2], classes=[1, 2])
    >>> first.merge(second).theta_.round(4).tolist()
    [[-2.0, -1.3333], [2.0, 1.3333]]
    """

    _needs_classes = True

    def _family(self) -> Gaussian:
        floor = Regularisation(floor=float(self.var_smoothing))
        return Gaussian(STRUCTURES["Gaussian naive Bayes"], regularisation=floor)

    def _check_table(self, table: LabelledRows) -> None:
        if table.rows.n_rows == 1:
            msg = "GaussianNB needs more than 1 sample to estimate variances"
            raise DataError(msg)

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        singular = isinstance(error, SingularCovarianceError) and not self.var_smoothing
        return type(error)(f"{error.problem}{'. Set `var_smoothing` above 0' if singular else ''}")

    @property
    def decision_function(self) -> NoReturn:
        """Absent, as in scikit-learn's class."""
        msg = "'GaussianNB' object has no attribute 'decision_function'"
        raise AttributeError(msg, name="decision_function", obj=self)

    def predict_joint_log_proba(self, X: TableLike) -> RealArray:
        """Compute the log joint densities ``log p(x, c)`` (n, k)."""
        joint = self._scored(Model.log_joint, X)
        return self._of_all_classes(joint, -np.inf, axis=1)

    @_Attribute
    def class_count_(self, model: Model) -> RealArray | None:
        """The weight of the rows of each class (k,)."""
        weight = model.parameters.weight
        return None if weight is None else self._of_all_classes(weight.copy(), 0.0)

    @_Attribute
    def class_prior_(self, model: Model) -> RealArray:
        """The priors of the classes (k,)."""
        given = self._given_priors(self.classes_.shape[0])
        return self._of_all_classes(model.prior.copy(), 0.0) if given is None else given

    @_Attribute
    def theta_(self, model: Model) -> RealArray:
        """The means (k, d); 0 of classes without rows."""
        return self._of_all_classes(class_moments.class_means(model), 0.0)

    @_Attribute
    def var_(self, model: Model) -> RealArray:
        """The variances (k, d), with what is added to them."""
        variances = np.square(class_moments.class_deviations(model))
        return self._of_all_classes(variances, getattr(self, "epsilon_", 0.0))

    @_Attribute
    def epsilon_(self, model: Model) -> float | None:
        """What is added to all variances."""
        if model.statistics is None:
            return None
        family = cast("Gaussian", model.components[0].family)
        return family.added_variance(model.statistics.parts[0], model.schema)


def _check_labels(y: Any, announced: LabelArray) -> None:
    """Raise for labels that were not announced."""
    labels: Iterable[object] = encode(y)[1].tolist()
    unknown = [label for label in labels if label not in announced.tolist()]
    if unknown:
        msg = (
            f"The target label(s) {unknown!r:.200} in y do not exist in the initial classes "
            f"{announced.tolist()!r:.200}"
        )
        raise DataError(msg)
