"""How a classifier goes on: more rows, fewer rows, other classes, what another one has learnt."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self

from gaussbayes import validation
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import (
    BadRowHandling,
    CategoricalFeatures,
    CovarianceName,
    Divisor,
    ScatterLayout,
)
from gaussbayes.data import labels, table
from gaussbayes.data.sources import Summary, moments_of
from gaussbayes.deciding import Deciding
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.prior import Priors
from gaussbayes.model.selection import Choice, Criterion, check_choice
from gaussbayes.model.settings import Settings


class Changing(Deciding):
    """What turns a classifier of some rows into that of others. No arithmetic here."""

    covariance: CovarianceName | Literal["auto"]
    shared: bool | float
    priors: Priors
    divisor: Divisor
    shrinkage: Shrinkage | Literal["auto"]
    selection: Criterion
    categorical_features: CategoricalFeatures
    smoothing: float
    n_jobs: int | None

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the model is that of all rows so far.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; any number of rows, any classes
        classes : the labels that may occur, if that is to be checked. New classes need not be
            announced: they join with their first row.
        """
        settings = self._settings("partial_fit")
        if self.__sklearn_is_fitted__():
            before = self._model.with_settings(settings, "partial_fit")
            batch = self._more(before, X, y, sample_weight)
            model = before.updated(batch)
        else:
            columns = validation.categorical_columns(X, self.categorical_features)
            batch = self._first(settings.structure.layout, X, y, sample_weight, columns)
            model = learnt_model(settings, batch, validation.names_in(X), None, columns)
        if classes is not None:
            validation.refuse_unknown(batch.classes, labels.encode(classes)[1])
        return self._remember(model)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows away again: the model is that of the other rows, as if these had never been.

        Exact, without the other rows. A class of which no row is left is no class any more.

        Raises
        ------
        RemovalError
            If these rows cannot have been among those seen: a class would have less than no weight,
            or a scatter that is none. The model then stays as it was.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [6.0], [5.0], [7.0]], [0, 0, 0, 1, 1])
        >>> model.forget([[6.0]], [0]).means_.tolist()
        [[1.5], [6.0]]
        """
        before = self._fitted()
        gone = self._more(before, X, y, sample_weight)
        return self._remember(before.without(gone.with_rows()))

    def add_class(self, label: Any, X: Any, sample_weight: Any = None) -> Self:
        """Learn a class that the model does not have, from its rows; no other class is touched.

        Its prior follows from its weight, unless priors were given: then it needs one of its own.
        A covariance that is shared is that of all classes, the new one among them.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
        >>> model.add_class(2, [[10.0], [12.0]]).means_.tolist()
        [[1.5], [6.0], [11.0]]
        """
        before = self._fitted()
        rows = X if table.is_frame(X) else table.as_array(X)
        batch = self._more(before, rows, [label] * len(rows), sample_weight)
        return self._remember(before.with_class(batch.with_rows()))

    def remove_class(self, label: Any) -> Self:
        """Take a class away, with all its rows; no other class is touched.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> X, y = [[1.0], [2.0], [5.0], [7.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
        >>> GaussianClassifier().fit(X, y).remove_class(1).classes_.tolist()
        [0, 2]
        """
        return self._remember(self._fitted().without_class(label))

    def merge(self, other: Any) -> Self:
        """Add what another model of the same features has learnt; classes are united.

        An unfitted model takes over the other's moments. If only one of them knows the names of the
        features, or of the target, they are taken from that one.
        """
        if not isinstance(other, Changing):
            msg = f"another GaussianClassifier can be merged, got {type(other).__name__}"
            raise TypeError(msg)
        settings = self._settings("merge")
        theirs = Changing._fitted(other).with_settings(settings, "merge")
        if not self.__sklearn_is_fitted__():
            return self._remember(theirs)
        return self._remember(self._model.with_settings(settings, "merge").merged(theirs))

    def partial_fit_source(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        bad_rows: BadRowHandling = "error",
        client: Any = None,
    ) -> Self:
        """Learn from more rows; the features, and the target if not given, are those of before."""
        settings = self._settings("partial_fit_source")
        before = self._fitted().with_settings(settings, "partial_fit_source")
        names, target = validation.names_for_source(before, target)
        wanted = {"features": names, "weights": weights, "bad_rows": bad_rows, "client": client}
        wanted["categorical_features"] = [names[j] for j in before.schema.categorical]
        wanted["text_features"] = before.text_features
        found = self._summed(source, target, before.layout, wanted)
        model = before.updated(found.learnt)
        self.bad_rows_ = found.bad_rows
        return self._remember(model)

    def _choice(self) -> Choice:
        return check_choice(
            self.covariance,
            self.shared,
            self.priors,
            self.divisor,
            self.shrinkage,
            self.selection,
            self.smoothing,
        )

    def _settings(self, step: str) -> Settings:
        """The settings for a step that cannot choose any: what was chosen before stays."""
        choice = self._choice()
        if not choice.is_open:
            return choice.settings
        if not self.__sklearn_is_fitted__():
            msg = (
                f"{step} cannot choose covariance and shrinkage: 'auto' is for fit and fit_source, "
                "which see all rows at once"
            )
            raise ParameterError(msg)
        return replace(
            self._model.settings,
            priors=self.priors,
            divisor=self.divisor,
            smoothing=choice.settings.smoothing,
        )

    def _first(
        self,
        layout: ScatterLayout,
        X: Any,
        y: Any,
        sample_weight: Any,
        categorical: tuple[int, ...],
    ) -> LabelledMoments:
        """What the first rows teach."""
        if not categorical:
            return validation.summarised(X, y, sample_weight, layout, self.n_jobs)
        from gaussbayes.model.mixed_rows import learnt_first

        names = validation.names_in(X)
        return learnt_first(X, y, sample_weight, names, categorical, layout, self.n_jobs)

    def _more(self, before: Model, X: Any, y: Any, sample_weight: Any) -> LabelledMoments:
        """What rows teach whose features are those of before in number, name and order."""
        layout, n_jobs = before.layout, self.n_jobs
        if not before.schema.categorical:
            rows, names = validation.features_as_before(self, X), before.schema.features
            return validation.summarised(rows, y, sample_weight, layout, n_jobs, names)
        from gaussbayes.model.mixed_rows import learnt_as_before

        return learnt_as_before(self, before, X, y, sample_weight, n_jobs)

    def _summed(
        self, source: Any, target: str, layout: ScatterLayout, wanted: Mapping[str, Any]
    ) -> Summary:
        """The moments of a source's rows, summed by the threads of this classifier."""
        return moments_of(source, target, layout=layout, n_jobs=self.n_jobs, **wanted)
