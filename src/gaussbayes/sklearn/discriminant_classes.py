"""`LinearDiscriminantAnalysis` and `QuadraticDiscriminantAnalysis`, as scikit-learn has them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn import discriminant_analysis

from gaussbayes.analysis import class_moments
from gaussbayes.analysis.discriminant import (
    DiscriminantAxes,
    discriminant_axes,
    discriminant_coordinates,
    linear_discriminants,
    linear_scores,
    quadratic_scores,
)
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.model.construction import estimated_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options
from gaussbayes.model.settings import Priors, normalised_priors
from gaussbayes.sklearn.drop_in import Attribute, DropIn, class_counts

_LEAST_SQUARES = 1e-7
"""The deviation up to which the solver "lsqr" leaves directions out: that of rounding."""

_TRANSFORM_TOLERANCE = 1e-10


class _DiscriminantAnalysis(DropIn):
    """What both have in common: shrinkage, and covariances that something else estimates."""

    solver: str
    shrinkage: Any
    covariance_estimator: Any
    _structure: ClassVar[str]

    def _family(self, regularisation: Regularisation) -> Gaussian:
        shrinkage: Any = "ledoit-wolf" if self.shrinkage == "auto" else self.shrinkage
        family = Gaussian(STRUCTURES[self._structure], "mle", shrinkage or None, None, "spherical")
        by_class = self.shrinkage == "auto"
        return replace(family, regularisation=replace(regularisation, by_class=by_class))

    def _check_solver(self, unsupported: str) -> None:
        """Raise for what solver and other settings exclude, in scikit-learn's words."""
        if self.solver == "svd" and self.shrinkage is not None:
            msg = "shrinkage not supported with 'svd' solver."
            raise NotImplementedError(msg)
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise OptionError(unsupported)
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            msg = (
                "covariance_estimator and shrinkage parameters are not None. Only one of the two "
                "can be set."
            )
            raise OptionError(msg)

    def _fitted(self, table: LabelledRows, schema: Any, options: Options) -> Model:
        if self.covariance_estimator is None:
            return super()._fitted(table, schema, options)
        if table.targets.weights is not None or table.targets.n_unlabelled:
            msg = (
                "covariance_estimator takes neither sample_weight nor rows without label: leave it "
                "out, or give shrinkage"
            )
            raise DataError(msg)
        shared = STRUCTURES[self._structure].shared
        return estimated_model(table, schema, self._estimated, shared=shared, priors=options.priors)

    def _estimated(self, rows: FloatArray) -> FloatArray:
        """The covariance (d, d) that the estimator gives for the rows of a class."""
        estimator = self.covariance_estimator
        estimator.fit(rows)
        if not hasattr(estimator, "covariance_"):
            msg = f"{type(estimator).__name__} does not have a covariance_ attribute"
            raise OptionError(msg)
        return np.asarray(estimator.covariance_, dtype=np.float64)

    def _updated(self, X: Any, y: Any, sample_weight: Any, decay: float) -> Any:
        if self.covariance_estimator is not None:
            msg = (
                "covariance_estimator needs all rows of a class at once, which partial_fit does "
                "not have: use fit, or give shrinkage instead"
            )
            raise DataError(msg)
        return super()._updated(X, y, sample_weight, decay)

    @Attribute
    def means_(self, model: Model) -> Any:
        """The means of the classes (k, d)."""
        return self._of_all_classes(class_moments.class_means(model), np.nan)

    @Attribute
    def priors_(self, model: Model) -> Any:
        """The priors of the classes (k,)."""
        return self._of_all_classes(model.prior.copy(), 0.0)


class LinearDiscriminantAnalysis(_DiscriminantAnalysis):
    """scikit-learn's `LinearDiscriminantAnalysis`: Gaussians that share a covariance.

    Parameters, methods and attributes are those of scikit-learn 1.9. Beside them there are all
    methods of `GaussianClassifier`: `partial_fit` and `merge`, `sample_weight`, missing values,
    `explain`, `save` and others.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}
        All solve the same equations here. "svd" takes no shrinkage and leaves out directions in
        which nothing varies within classes, "lsqr" has no `transform`, and with "eigen" that is not
        centred.
    shrinkage : None, "auto" or a number in [0, 1]
        How far the covariance is shrunk towards equal variances; "auto" is what Ledoit and Wolf's
        lemma says of each class, in units of its deviations.
    priors : None or (k,) priors of the classes; they do not affect the covariance
    n_components : None or int
        How many discriminant axes `transform` gives; None is ``min(k − 1, d)``.
    store_covariance : bool
        Whether "svd" has `covariance_`; others always do.
    tol : float
        Up to which deviation, in units of the deviations of the features, "svd" leaves directions
        out.
    covariance_estimator : None or an object with `fit` and `covariance_`
        What estimates the covariance of the rows of each class, as those in `sklearn.covariance`.

    Attributes
    ----------
    classes_ : (k,) labels
    coef_, intercept_ : (k, d) and (k,), of two classes (1, d) and (1,)
    covariance_ : (d, d)
    explained_variance_ratio_ : (n_components,) of the variance between classes
    means_, priors_ : (k, d) and (k,)
    scalings_ : (d, r) the discriminant axes
    xbar_ : (d,) mean of the means, weighted by the priors; with "svd"
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
    _parameter_constraints = (
        discriminant_analysis.LinearDiscriminantAnalysis._parameter_constraints  # noqa: SLF001
    )

    def __init__(
        self,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        shrinkage: float | Literal["auto"] | None = None,
        priors: Priors = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _is_linear(self) -> bool:
        return True

    def _family_options(self, X: Any) -> Mapping[str, Any]:
        del X
        tolerance = {"svd": self.tol, "lsqr": _LEAST_SQUARES}.get(self.solver)
        family = self._family(Regularisation(rank_tolerance=tolerance))
        return {"categorical_features": None, "made": {"gaussian": family}}

    @classmethod
    def _parameters_of(cls, model: Model) -> dict[str, Any]:
        shrinkage = model.settings.first("shrinkage")
        parameters: dict[str, Any] = {}
        if shrinkage is not None:
            parameters = {"solver": "eigen", "shrinkage": shrinkage}
            if isinstance(shrinkage, str):
                parameters["shrinkage"] = "auto"
        return parameters

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
        self._check_solver(
            "covariance estimator is not supported with svd solver. Try another solver"
        )

    def _given_priors(self, n_classes: int) -> FloatArray | None:
        if self.priors is not None and (np.asarray(self.priors) < 0).any():
            msg = f"priors must be non-negative, got {self.priors!r:.200}"
            raise OptionError(msg)
        return super()._given_priors(n_classes)

    def _summing_to_one(self, priors: FloatArray) -> FloatArray:
        if abs(float(priors.sum()) - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
        return normalised_priors(priors)

    def _axes(self, model: Model) -> DiscriminantAxes | None:
        """The discriminant axes, of which "lsqr" has none."""
        if self.solver == "lsqr":
            return None
        return discriminant_axes(model, self._tolerance)

    @property
    def _tolerance(self) -> float:
        return self.tol if self.solver == "svd" else _TRANSFORM_TOLERANCE

    def transform(self, X: Any) -> Any:
        """Rows on the discriminant axes (n, n_components); with "eigen" not centred."""
        if self.solver == "lsqr":
            msg = "transform not implemented for 'lsqr' solver (use 'svd' or 'eigen')."
            raise NotImplementedError(msg)
        model, kind = self._ready(), self._kind_of(X, "transform")
        places = discriminant_coordinates(
            model,
            self._rows(X),
            self._tolerance,
            centred=self.solver == "svd",
            n_jobs=self.n_jobs,
        )
        return kind.moved(places[:, : self.n_components])

    def decision_function(self, X: Any) -> Any:
        """Two classes: the log-odds of the second (n,); more: ``w_cᵀ x + w_c0`` (n, k).

        These are log posteriors but for a term that all classes of a row have in common.
        """
        model = self._ready()
        if model.classes.shape[0] < 3:
            return self._scored("decision_function", X)
        kind, rows = self._kind_of(X, "decision_function"), self._rows(X)
        scores = linear_scores(model, rows, centred=self.solver == "svd", n_jobs=self.n_jobs)
        return kind.moved(self._of_all_classes(scores, -np.inf, axis=1))

    @Attribute
    def coef_(self, model: Model) -> Any:
        """Coefficients (k, d), of two classes (1, d)."""
        linear = linear_discriminants(model, centred=self.solver == "svd")
        return None if linear is None else linear[0]

    @Attribute
    def intercept_(self, model: Model) -> Any:
        """Intercepts (k,), of two classes (1,)."""
        linear = linear_discriminants(model, centred=self.solver == "svd")
        return None if linear is None else linear[1]

    @Attribute
    def covariance_(self, model: Model) -> Any:
        """The covariance (d, d) within classes."""
        stored = self.store_covariance or self.solver != "svd"
        d = model.schema.n_features
        return class_moments.class_covariances(model).reshape(d, d).copy() if stored else None

    @Attribute
    def explained_variance_ratio_(self, model: Model) -> Any:
        """The proportion of the variance between classes on each axis."""
        axes = self._axes(model)
        return None if axes is None else axes.ratio[: self.n_components]

    @Attribute
    def scalings_(self, model: Model) -> Any:
        """The discriminant axes (d, r)."""
        axes = self._axes(model)
        return None if axes is None else axes.scalings

    @Attribute
    def xbar_(self, model: Model) -> Any:
        """The mean of the means, weighted by the priors (d,)."""
        axes = self._axes(model)
        return None if axes is None or self.solver != "svd" else axes.center

    @Attribute
    def _n_features_out(self, model: Model) -> Any:
        axes = self._axes(model)
        if axes is None:
            return None
        return axes.n_axes if self.n_components is None else min(axes.n_axes, self.n_components)


class QuadraticDiscriminantAnalysis(_DiscriminantAnalysis):
    """scikit-learn's `QuadraticDiscriminantAnalysis`: Gaussians with covariances of their own.

    Parameters, methods and attributes are those of scikit-learn 1.9. Beside them there are all
    methods of `GaussianClassifier`: `partial_fit` and `merge`, `sample_weight`, missing values,
    `explain`, `save` and others.

    Parameters
    ----------
    solver : {"svd", "eigen"}
        Both solve the same equations here; "svd" takes no shrinkage.
    shrinkage : None, "auto" or a number in [0, 1]
        How far covariances are shrunk towards equal variances; "auto" is what Ledoit and Wolf's
        lemma says of each class, in units of its deviations.
    priors : None or (k,) priors of the classes, which must sum to 1
    reg_param : float in [0, 1]
        How far covariances are moved towards the identity: ``(1 − r) Σ + r I``.
    store_covariance : bool
        Whether there is `covariance_`.
    tol : float
        Not used: whether a covariance is singular does not depend on the units of the features.
    covariance_estimator : None or an object with `fit` and `covariance_`
        What estimates the covariance of the rows of each class, as those in `sklearn.covariance`.

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
    _fewest_classes = 2
    _parameter_constraints = (
        discriminant_analysis.QuadraticDiscriminantAnalysis._parameter_constraints  # noqa: SLF001
    )

    def __init__(
        self,
        *,
        solver: Literal["svd", "eigen"] = "svd",
        shrinkage: float | Literal["auto"] | None = None,
        priors: Priors = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _is_linear(self) -> bool:
        return False

    def _family_options(self, X: Any) -> Mapping[str, Any]:
        del X
        family = self._family(Regularisation(identity=float(self.reg_param)))
        return {"categorical_features": None, "made": {"gaussian": family}}

    @classmethod
    def _parameters_of(cls, model: Model) -> dict[str, Any]:
        regularisation = model.settings.first("regularisation") or Regularisation()
        shrinkage = model.settings.first("shrinkage")
        parameters: dict[str, Any] = {"reg_param": regularisation.identity}
        if shrinkage is not None:
            parameters |= {"solver": "eigen", "shrinkage": shrinkage}
            if isinstance(shrinkage, str):
                parameters["shrinkage"] = "auto"
        return parameters

    def _check_table(self, table: LabelledRows) -> None:
        k = table.classes.shape[0]
        if k < 2:
            msg = f"The number of classes has to be greater than one. Got {k} class."
            raise DataError(msg)
        unsupported = (
            "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."
        )
        self._check_solver(unsupported)
        few = np.flatnonzero(class_counts(table) == 1)
        if few.size and not (self.reg_param or self.covariance_estimator):
            label = table.classes[few[0]]
            msg = f"y has only 1 sample in class {label}, covariance is ill defined."
            raise DataError(msg)

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        problem = error.problem or str(error)
        if not isinstance(error, SingularCovarianceError):
            return type(error)(problem)
        remedy = "Set `reg_param` above 0"
        if self.solver == "svd":
            remedy += ", or use `solver='eigen'` with `shrinkage`"
        elif self.covariance_estimator is None:
            remedy += ", or `shrinkage`"
        owner = problem.split(" has ")[0].split(" does ")[0]
        return SingularCovarianceError(
            f"The covariance matrix of {owner} is not full rank. When using "
            f"`solver={self.solver!r}` without regularization, it must be: {problem}. {remedy}."
        )

    def decision_function(self, X: Any) -> Any:
        """Two classes: the log-odds of the second (n,); more: log joint densities (n, k).

        These are without powers of 2π, which all classes have in common.
        """
        model = self._ready()
        if model.classes.shape[0] < 3:
            return self._scored("decision_function", X)
        kind, rows = self._kind_of(X, "decision_function"), self._rows(X)
        scores = quadratic_scores(model, rows, self.n_jobs)
        return kind.moved(self._of_all_classes(scores, -np.inf, axis=1))

    @Attribute
    def covariance_(self, model: Model) -> Any:
        """The covariances, k times (d, d)."""
        return (
            list(class_moments.class_covariances(model).copy()) if self.store_covariance else None
        )

    @Attribute
    def rotations_(self, model: Model) -> Any:
        """The principal axes in columns, k times (d, d)."""
        return list(class_moments.principal_axes(class_moments.class_covariances(model))[1])

    @Attribute
    def scalings_(self, model: Model) -> Any:
        """The variances along the principal axes, k times (d,)."""
        return list(class_moments.principal_axes(class_moments.class_covariances(model))[0])
