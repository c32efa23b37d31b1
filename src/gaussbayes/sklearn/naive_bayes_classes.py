"""`GaussianNB` and `CategoricalNB`, as scikit-learn has them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import naive_bayes

from gaussbayes.analysis import class_moments
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.finite import check_finite
from gaussbayes.data.categories import warn_of_unseen
from gaussbayes.data.rows import LabelledRows, Rows, integer_rows
from gaussbayes.data.tables import as_array, as_frame, as_matrix, is_frame
from gaussbayes.families.categorical.family import Categorical
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.regularisation import Regularisation
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Priors
from gaussbayes.sklearn.array_kinds import as_numpy
from gaussbayes.sklearn.drop_in import Absent, Attribute, DropIn

_LEAST_ALPHA = 1e-10


class _NaiveBayes(DropIn):
    _needs_classes = True

    decision_function: Any = Absent("scikit-learn's has none; see predict_joint_log_proba")

    def _is_linear(self) -> bool:
        return False

    @Attribute
    def class_count_(self, model: Model) -> Any:
        """How much the rows of each class weigh (k,)."""
        weight = model.parameters.weight
        return None if weight is None else self._of_all_classes(weight.copy(), 0.0)


class GaussianNB(_NaiveBayes):
    """scikit-learn's `GaussianNB`: Gaussians without correlations.

    Parameters, methods and attributes are those of scikit-learn 1.9. Beside them there are methods
    of `GaussianClassifier`: `merge`, `explain`, `save` and others, and values may be missing.

    Parameters
    ----------
    priors : None or (k,) priors of the classes, which must sum to 1
    var_smoothing : float, 0 or more
        What is added to all variances, as a proportion of the largest variance of a feature over
        all rows. It is no part of what is learnt: `fit` and `partial_fit` give the same model.

    Attributes
    ----------
    classes_ : (k,) labels
    class_count_, class_prior_ : (k,) the weight of the rows of each class, and its prior
    epsilon_ : what is added to all variances
    theta_, var_ : (k, d) means and variances
    n_features_in_, feature_names_in_ : of the rows of `fit`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> first = GaussianNB().partial_fit(X[:4], [1, 1, 1, 2], classes=[1, 2])
    >>> rest = GaussianNB().partial_fit(X[4:], [2, 2], classes=[1, 2])
    >>> first.merge(rest).theta_.round(4).tolist()
    [[-2.0, -1.3333], [2.0, 1.3333]]
    """

    _parameter_constraints = naive_bayes.GaussianNB._parameter_constraints  # noqa: SLF001

    def __init__(self, *, priors: Priors = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _family_options(self, X: Any) -> Mapping[str, Any]:
        del X
        floor = Regularisation(floor=float(self.var_smoothing))
        family = Gaussian(STRUCTURES["Gaussian naive Bayes"], regularisation=floor)
        return {"categorical_features": None, "made": {"gaussian": family}}

    def _check_table(self, table: LabelledRows) -> None:
        if table.rows.n_rows == 1:
            msg = "GaussianNB needs more than 1 sample to estimate variances"
            raise DataError(msg)

    def _named(self, error: GaussBayesError) -> GaussBayesError:
        problem = error.problem or str(error)
        if isinstance(error, SingularCovarianceError) and not self.var_smoothing:
            problem += ". Set `var_smoothing` above 0"
        return type(error)(problem)

    @classmethod
    def _parameters_of(cls, model: Model) -> dict[str, Any]:
        regularisation = model.settings.first("regularisation") or Regularisation()
        return {"var_smoothing": regularisation.floor}

    @Attribute
    def class_prior_(self, model: Model) -> Any:
        """The priors of the classes (k,)."""
        given = self._given_priors(as_numpy(self.classes_).shape[0])
        return self._of_all_classes(model.prior.copy(), 0.0) if given is None else given

    @Attribute
    def theta_(self, model: Model) -> Any:
        """The means (k, d); 0 of classes without rows."""
        return self._of_all_classes(class_moments.class_means(model), 0.0)

    @Attribute
    def var_(self, model: Model) -> Any:
        """The variances (k, d), with what is added to them."""
        variances = np.square(class_moments.class_deviations(model))
        return self._of_all_classes(variances, self._added(model) or 0.0)

    @Attribute
    def epsilon_(self, model: Model) -> Any:
        """What is added to all variances."""
        return self._added(model)

    def _added(self, model: Model) -> float | None:
        if model.learnt is None:
            return None
        family: Gaussian = model.components[0].family
        return family.added_variance(model.learnt.parts[0], model.schema)


class CategoricalNB(_NaiveBayes):
    """scikit-learn's `CategoricalNB`: probabilities of integers from 0 on.

    Parameters, methods and attributes are those of scikit-learn 1.9. Beside them there are methods
    of `GaussianClassifier`: `merge`, `explain`, `save` and others; values may be missing (NaN), and
    integers that are larger than all in training say nothing about the class. For strings, and
    beside numbers, use `GaussianClassifier(categorical_features=[…])`.

    Parameters
    ----------
    alpha : float, 0 or more
        What is added to the weight of every category in every class.
    force_alpha : bool
        Whether `alpha` may be below 1e-10.
    fit_prior : bool
        Whether priors are the proportions of the classes; else they are uniform.
    class_prior : None or (k,) priors of the classes, which must sum to 1
    min_categories : None, int or (d,) integers
        How many categories each feature has at least, beside those that occur.

    Attributes
    ----------
    classes_ : (k,) labels
    category_count_ : d times (k, m), the weights of the categories
    class_count_, class_log_prior_ : (k,)
    feature_log_prob_ : d times (k, m), ``log p(category | class)``
    n_categories_ : (d,) how many categories each feature has
    n_features_in_, feature_names_in_ : of the rows of `fit`

    Examples
    --------
    >>> model = CategoricalNB().fit([[0, 1], [2, 0], [2, 1], [0, 0]], ["a", "b", "b", "a"])
    >>> model.n_categories_.tolist(), model.predict([[2, float("nan")]]).tolist()
    ([3, 2], ['b'])
    """

    _parameter_constraints = naive_bayes.CategoricalNB._parameter_constraints  # noqa: SLF001
    _priors_parameter = "class_prior"

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        min_categories: int | ArrayLike | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.alpha < _LEAST_ALPHA and not self.force_alpha:
            msg = (
                f"alpha too small will result in numeric errors, setting alpha = "
                f"{_LEAST_ALPHA:.1e}. Use `force_alpha=True` to keep alpha unchanged."
            )
            warnings.warn(msg, UserWarning, stacklevel=3)

    def _family_options(self, X: Any) -> Mapping[str, Any]:
        n_features = 0 if X is None else X.shape[1]
        if X is None and self.__sklearn_is_fitted__():
            n_features = self._model.schema.n_features
        alpha = float(self.alpha if self.force_alpha else max(self.alpha, _LEAST_ALPHA))
        family = Categorical(alpha, self._least(n_features))
        return {
            "categorical_features": list(range(n_features)),
            "smoothing": alpha,
            "priors": None if self.fit_prior else "uniform",
            "made": {"categorical": family},
        }

    def _least(self, n_features: int) -> tuple[int, ...]:
        """How many categories each feature has at least."""
        if self.min_categories is None:
            return (0,) * n_features
        given = np.asarray(self.min_categories)
        if given.dtype.kind not in "iu":
            msg = f"'min_categories' should have integral type. Got {given.dtype} instead."
            raise OptionError(msg)
        if given.shape not in ((), (n_features,)):
            msg = (
                f"'min_categories' should have shape ({n_features},) when an array-like is "
                f"provided. Got {given.shape} instead."
            )
            raise OptionError(msg)
        return tuple(np.broadcast_to(given, n_features).tolist())

    @classmethod
    def _parameters_of(cls, model: Model) -> dict[str, Any]:
        least = model.settings.first("least") or ()
        return {
            "alpha": model.settings.first("smoothing"),
            "fit_prior": model.settings.priors is None,
            "min_categories": list(least) if any(least) else None,
        }

    def _given_rows(self, X: Any) -> Any:
        """Integers, from 0 on; floats are cut off, as scikit-learn does, and NaN is kept."""
        rows = as_numpy(X)
        numbers = as_frame(rows).to_numpy() if is_frame(rows) else as_array(rows)
        if numbers.dtype.kind not in "biuf":
            numbers = as_matrix(numbers)
        floats = numbers.dtype.kind == "f"
        if floats:
            check_finite(numbers, allow_nan=True)
        if (numbers < 0).any() if floats else numbers.min(initial=0) < 0:
            msg = "Negative values in data passed to CategoricalNB (input X)."
            raise DataError(msg)
        if is_frame(rows):
            return rows
        return np.trunc(numbers) if floats else numbers.astype(np.int64, copy=False)

    def _rows(self, X: Any) -> Rows:
        numbers = self._checked(X)
        if is_frame(numbers):
            return super()._rows(X)
        model = self._ready()
        rows = integer_rows(numbers, model.categories)
        warn_of_unseen(rows.unseen, model.schema.of_categories)
        return rows

    @Attribute
    def n_categories_(self, model: Model) -> Any:
        """How many categories each feature has (d,)."""
        return np.array([len(each) for each in model.densities[0].categories], dtype=np.int64)

    @Attribute
    def category_count_(self, model: Model) -> Any:
        """The weights of the categories in each class, d times (k, m)."""
        if model.learnt is None:
            return None
        family: Categorical = model.components[0].family
        counted = family.counted(model.learnt.parts[0])
        return [self._of_all_classes(counted.of(j).copy(), 0.0) for j in range(counted.n_columns)]

    @Attribute
    def feature_log_prob_(self, model: Model) -> Any:
        """``log p(category | class)``, d times (k, m); of a class without rows all are equal."""
        density = model.densities[0]
        return [
            self._of_all_classes(density.of(j).copy(), -np.log(len(each)))
            for j, each in enumerate(density.categories)
        ]

    @Attribute
    def class_log_prior_(self, model: Model) -> Any:
        """The logarithms of the priors (k,)."""
        k = as_numpy(self.classes_).shape[0]
        given = self._given_priors(k)
        with np.errstate(divide="ignore"):
            if given is not None:
                return np.log(given)
            if not self.fit_prior:
                return np.full(k, -np.log(k))
            return self._of_all_classes(model.parameters.log_prior, -np.inf)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        tags.input_tags.categorical = True
        tags.input_tags.string = False
        tags.input_tags.positive_only = True
        return tags
