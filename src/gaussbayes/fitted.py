"""What a fitted classifier knows, under the names by which scikit-learn's tools ask for it."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.families.gaussian.missing.em import Convergence
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure
from gaussbayes.families.gaussian.pattern_moments import PatternMoments
from gaussbayes.families.gaussian.shapes import correlation
from gaussbayes.model.model import Model
from gaussbayes.model.prior import Priors

if TYPE_CHECKING:
    from gaussbayes.data.categories import Categories
    from gaussbayes.families.categorical import ClassCounts
    from gaussbayes.model.mixed import MixedParameters

Fact = TypeVar("Fact")


class Fitted:
    """One record, `Model`, and attributes that are read from it or are not there.

    The record is replaced whole, once all that could fail is done. The parameters that follow from
    it are worked out when they are first needed.
    """

    priors: Priors  # as the user set them
    n_jobs: int | None
    _model: Model  # not there before fitting
    _parameters: "Parameters | MixedParameters | None"
    _convergence: Convergence | None

    @property
    def classes_(self) -> LabelArray:
        """The labels (k,), sorted; only those whose rows weigh something."""
        return self._known("classes_", lambda model: model.schema.classes)

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return self._known("n_features_in_", lambda model: model.schema.n_features)

    @property
    def feature_names_in_(self) -> LabelArray:
        """The names of the features (d,), if they have any."""
        names = self._known("feature_names_in_", lambda model: model.schema.features)
        return np.array(names, dtype=object)

    @property
    def target_name_(self) -> str:
        """The column that the labels came from, if that is known; it may be set."""
        return self._known("target_name_", lambda model: model.target)

    @target_name_.setter
    def target_name_(self, name: str) -> None:
        self._model = replace(self._fitted(), target=name)

    @property
    def moments_(self) -> ClassMoments:
        """Everything learnt from complete rows; not there if the parameters were given."""
        return self._known("moments_", lambda model: model.moments)

    @property
    def incomplete_(self) -> PatternMoments:
        """Everything learnt from rows that lack features; not there if there were none."""
        return self._known("incomplete_", lambda model: model.incomplete)

    @property
    def convergence_(self) -> Convergence:
        """How EM climbed; not there if nothing was missing, or the model comes from a file."""
        if self.__sklearn_is_fitted__() and self._model.incomplete is not None:
            _ = self.parameters_
        return self._known("convergence_", lambda _: self._convergence)

    @property
    def structure_(self) -> Structure:
        """The shape of the covariances, and whether, or how far, the classes share one."""
        return self._known("structure_", lambda model: model.settings.structure)

    @property
    def parameters_(self) -> Any:
        """Priors, means and covariances as scoring wants them: `Parameters`.

        `MixedParameters` with the probabilities of categories, if there are any.
        """
        try:
            return self._complete()
        except GaussBayesError as error:
            # An attribute that cannot be had yet is one that is not there: hasattr is False.
            raise NotFittedError(str(error)) from error

    @property
    def priors_(self) -> FloatArray:
        """Priors (k,)."""
        prior: FloatArray = self.parameters_.prior
        return prior

    @property
    def means_(self) -> FloatArray:
        """Means (k, d) of the features that hold numbers."""
        return self._gaussians.mean

    @property
    def covariances_(self) -> FloatArray:
        """Covariances (k, d, d), or (d, d) when shared."""
        dense = self._gaussians.covariance.dense()
        return dense[0] if self._gaussians.shared else dense

    @property
    def correlations_(self) -> FloatArray:
        """Correlations (k, d, d), or (d, d) when shared."""
        return correlation(self.covariances_)

    @property
    def n_parameters_(self) -> int:
        """Free parameters: k − 1 priors, k·d means, those of covariances and of categories."""
        return int(self.parameters_.n_parameters)

    @property
    def counts_(self) -> "ClassCounts":
        """The weights of the categories in each class, if there are categorical features."""
        return self._known("counts_", lambda model: model.counts)

    @property
    def categories_(self) -> "dict[Any, Categories]":
        """The categories of each categorical feature, by its name or number."""
        return dict(zip(self._categorical_features(), self.counts_.categories, strict=True))

    @property
    def category_probabilities_(self) -> dict[Any, FloatArray]:
        """``p(category | class)`` (k, m) of each categorical feature, by its name or number."""
        features, found = self._categorical_features(), self.parameters_.categorical
        return {name: found.probability(j) for j, name in enumerate(features)}

    def with_priors(self, priors: Priors) -> Self:
        """A new classifier with the same Gaussians and other priors."""
        parameters = self._complete()
        changed = self._model.with_priors(priors)
        model = self._with(changed, parameters.with_prior(changed.prior))
        model.priors = priors
        return model

    def marginal(self, features: Sequence[int | str]) -> Self:
        """The same classes as seen through some features only, the others integrated out.

        A new classifier whose means and covariances are the entries for these features, given by
        name or number: exact, without a second fit. It has no `moments_`. Features that hold
        categories may be among them, or be all of them: discrete naive Bayes.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> X = [[1, 8, 3], [2.5, 7.5, 1], [2, 7, 4], [8.5, 2.5, 2], [9, 2, 5], [8, 1, 1]]
        >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
        >>> model.marginal([1]).means_.round(4).tolist()
        [[1.8333], [7.5]]
        """
        found = self._complete()
        numbers = found if isinstance(found, Parameters) else found.gaussian
        return self._with(self._model.marginal(features, numbers))

    def with_feature_names(self, names: Sequence[str] | None) -> Self:
        """The same classifier with other names for its features, or none.

        For models of arrays, whose columns have no names: pictures and messages then use these.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.with_feature_names(["petal length"]).feature_names_in_.tolist()
        ['petal length']
        """
        return self._with(self._fitted().with_feature_names(names), self._parameters)

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _remember(
        self,
        model: Model,
        parameters: "Parameters | MixedParameters | None" = None,
        convergence: Convergence | None = None,
    ) -> Self:
        """Take over a new state, which is complete: nothing can fail from here."""
        self._model = model
        self._parameters = parameters
        self._convergence = convergence
        return self

    def _with(self, model: Model, parameters: "Parameters | MixedParameters | None" = None) -> Self:
        """The same classifier with another state."""
        changed = copy(self)
        changed.__dict__ |= {"_model": model, "_parameters": parameters}
        return changed

    def _fitted(self) -> Model:
        """The record, if there is one yet."""
        check_is_fitted(self)
        return self._model

    def _complete(self) -> "Parameters | MixedParameters":
        """The parameters, worked out now if need be."""
        model = self._fitted()
        if self._parameters is None:
            solved, convergence = model.solved(self.n_jobs)
            self._remember(solved, solved.estimate_any(), convergence)
        assert self._parameters is not None
        return self._parameters

    def _ready(self) -> Parameters:
        """The parameters of a model of numbers; a model that has categories is refused."""
        found = self._complete()
        return found if isinstance(found, Parameters) else self._model.estimate()

    @property
    def _gaussians(self) -> Parameters:
        """The parameters of the features that hold numbers."""
        found = self.parameters_
        gaussian: Parameters = found if isinstance(found, Parameters) else found.gaussian
        return gaussian

    def _categorical_features(self) -> Sequence[str | int]:
        part = self._known("categories_", lambda model: model.schema).of_categories
        return part.features or part.places or ()

    def _known(self, name: str, fact: Callable[[Model], Fact | None]) -> Fact:
        """A fact of the record; an attribute that is not there without a record or a fact."""
        known = fact(self._model) if self.__sklearn_is_fitted__() else None
        if known is None:
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(msg, name=name, obj=self)
        return known
