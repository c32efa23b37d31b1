"""A model as one record, and every step from one model to the next.

The estimator, the model files and the command line all work on this record: what a step does, and
what it refuses, is said here once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.data.table import check_names
from gaussbayes.families.gaussian import marginal as marginals
from gaussbayes.families.gaussian.missing.em import Convergence, Incomplete, fit_patterns
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure
from gaussbayes.families.gaussian.pattern_moments import PatternMoments
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.prior import Priors, class_priors
from gaussbayes.model.settings import Settings

if TYPE_CHECKING:
    from gaussbayes.families.categorical import ClassCounts
    from gaussbayes.model.mixed import MixedParameters


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model as it is kept: what it learnt from rows or, if it saw none, its parameters.

    If rows lacked features the parameters are found by EM, which takes a while: once worked out,
    they are kept beside what was learnt.

    Examples
    --------
    >>> from gaussbayes.model.settings import check_settings
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> rows, codes = np.array([[1.0], [3.0], [10.0], [14.0]]), np.array([0, 0, 1, 1], np.int32)
    >>> learnt = LabelledMoments(np.array(["a", "b"]), summarise(rows, codes, None, 2))
    >>> model = learnt_model(check_settings("full", False, None, "mle", None), learnt, ("age",))
    >>> model.estimate().mean.tolist(), model.updated(learnt).moments.weight.tolist()
    ([[2.0], [12.0]], [4.0, 4.0])
    """

    settings: Settings
    schema: Schema  # classes, features
    target: str | None  # the column that the labels came from, if it has a name
    moments: ClassMoments | None  # of rows that lack no number
    parameters: Parameters | None  # None if they follow from moments, or are not worked out yet
    incomplete: PatternMoments | None = None  # of the other rows; only beside moments
    counts: "ClassCounts | None" = None  # of the features that hold categories

    @property
    def prior(self) -> FloatArray:
        """The prior of each class (k,); the classes of a model that saw no rows weigh the same."""
        k = self.schema.classes.shape[0]
        weight = np.ones(k) if self.moments is None else self.learnt("prior").weight
        return class_priors(self.settings.priors, self.schema, weight)

    @property
    def layout(self) -> ScatterLayout:
        """How much of the scatter of more rows is to be kept: as much as of those seen before."""
        return self.settings.structure.layout if self.moments is None else self.moments.layout

    def estimate(self, n_jobs: int | None = None) -> Parameters:
        """The parameters: those given, or those that follow from what was learnt.

        For models of numbers; one that has categories too is asked by `estimate_mixed`.
        """
        if self.counts is not None:
            names = self.schema.of_categories.feature_list(range(self.counts.n_features))
            msg = (
                f"this step is for models of numbers, and this one has categories: {names}; use "
                "the classifier's predictions and scores, or leave the features out"
            )
            raise DataError(msg)
        return self._gaussians(n_jobs)

    def _gaussians(self, n_jobs: int | None) -> Parameters:
        """The parameters of the features that hold numbers."""
        if self.parameters is not None:
            return self.parameters
        learnt = self.learnt("estimate")
        if learnt.incomplete is None or learnt.classes.size < 2:
            return self.settings.estimate(learnt.moments, self.schema.of_numbers)
        return self.settings.estimate(self._completed(n_jobs).moments, self.schema.of_numbers)

    def solved(self, n_jobs: int | None = None) -> tuple["Model", Convergence | None]:
        """The same model with the parameters that EM finds, and how EM climbed.

        A model that has its parameters, or needs no EM for them, stays as it is, without a record.
        """
        if self.parameters is not None or self.incomplete is None or self.schema.classes.size < 2:
            return self, None
        found = self._completed(n_jobs)
        parameters = self.settings.estimate(found.moments, self.schema.of_numbers)
        return replace(self, parameters=parameters), found.convergence

    def _completed(self, n_jobs: int | None) -> Incomplete:
        schema = self.schema.of_numbers
        return fit_patterns(self.learnt("EM"), schema, self.settings, n_jobs=n_jobs)

    def estimate_mixed(self, n_jobs: int | None = None) -> "MixedParameters":
        """The parameters of a model that has categories."""
        from gaussbayes.model import mixed

        if self.counts is None:
            msg = "this model has no categorical features"
            raise DataError(msg)
        return mixed.estimate(self.settings, self._gaussians(n_jobs), self.counts, self.schema)

    def estimate_any(self, n_jobs: int | None = None) -> "Parameters | MixedParameters":
        """The parameters of a model of either kind."""
        return self.estimate(n_jobs) if self.counts is None else self.estimate_mixed(n_jobs)

    @property
    def text_features(self) -> tuple[str, ...]:
        """The names of the features whose categories are text, however much like numbers it looks.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> import pandas as pd
        >>> rows = pd.DataFrame({"zip": ["01", "12"], "floor": [1, 2]})
        >>> model = GaussianClassifier(categorical_features=["zip", "floor"]).fit(rows, [0, 1])
        >>> model._model.text_features
        ('zip',)
        """
        names = self.schema.features
        if self.counts is None or names is None:
            return ()
        places = zip(self.schema.categorical, self.counts.categories, strict=True)
        return tuple(names[j] for j, own in places if own and isinstance(own[0], str))

    def learnt(self, wanted_by: str) -> LabelledMoments:
        """What was learnt from rows, for the step of that name; refused where no rows were seen."""
        if self.moments is None:
            msg = (
                f"{wanted_by} needs the moments of the rows seen before, but this model was made "
                "from parameters, or fitted to rows without labels, or to rows that lack features "
                "in so many different ways that their moments take too much memory; fit one to "
                "labelled rows, leave out rows that lack what few others lack, or use from_moments"
            )
            raise DataError(msg)
        return LabelledMoments(self.schema.classes, self.moments, self.incomplete, self.counts)

    def with_settings(self, settings: Settings, wanted_by: str) -> "Model":
        """The model of the same rows under other settings, if what they need was kept."""
        able = self.learnt(wanted_by).able(settings.structure.layout)
        return replace(self._of(able), settings=settings)

    def updated(self, more: LabelledMoments) -> "Model":
        """The model of the rows seen before and of more; classes that are new join."""
        learnt = self.learnt("updated")
        _refuse_other_categories(learnt, more, self.schema)
        return self._of(learnt + more.with_rows())

    def without(self, gone: LabelledMoments) -> "Model":
        """The model of the rows seen before without some of them; see `LabelledMoments.without`.

        A class of which no row is left is no class any more.
        """
        return self._of(self.learnt("forget").without(gone, self.schema))

    def with_class(self, learnt: LabelledMoments) -> "Model":
        """The model with classes that it did not have; nothing is changed in those it had."""
        for label in learnt.classes.tolist():
            if self.schema.position(label) >= 0:
                msg = (
                    f"there is a class {label!r} already: remove it first, or add rows to it "
                    "with partial_fit"
                )
                raise SchemaError(msg)
        before = self.learnt("add_class")
        _refuse_other_categories(before, learnt, self.schema)
        larger = self._of(before + learnt)
        _ = larger.prior  # refused now, not when a prediction is wanted, if priors were given
        return larger

    def without_class(self, label: object) -> "Model":
        """The model without a class and its rows; nothing is changed in the others."""
        learnt = self.learnt("remove_class")
        code = self.schema.position(label)
        if code < 0:
            msg = f"there is no class {label!r}: the classes are {learnt.classes.tolist()!r:.200}"
            raise SchemaError(msg)
        if learnt.moments.layout == "pooled":
            msg = (
                f"the scatter of class {label!r} is not kept apart from that of the others in a "
                "model of one shared covariance: take away its rows with forget"
            )
            raise DataError(msg)
        others = [c for c in range(learnt.classes.size) if c != code]
        smaller = self._of(learnt.selected(others))
        _ = smaller.prior
        return smaller

    def merged(self, other: "Model") -> "Model":
        """The model of the rows of both, with the settings of this one; classes are united.

        The features must be the same. What one of the two does not know, their names or that of the
        target, is taken from the other.
        """
        mine, theirs = self.learnt("merge"), other.learnt("merge")
        _refuse_other_features(self.schema, other.schema)
        _refuse_other_categories(mine, theirs, self.schema)
        both = self._of(mine.merged(theirs, self.settings.structure.layout))
        return replace(
            both,
            schema=replace(both.schema, features=self.schema.features or other.schema.features),
            target=other.target if self.target is None else self.target,
        )

    def with_priors(self, priors: Priors) -> "Model":
        """The same Gaussians under other priors."""
        changed = replace(self, settings=replace(self.settings, priors=priors))
        prior = changed.prior
        if self.parameters is None:
            return changed
        return replace(changed, parameters=self.parameters.with_prior(prior))

    def marginal(self, features: Sequence[int | str], parameters: Parameters) -> "Model":
        """The same classes as seen through some features only, the others integrated out.

        Parameters
        ----------
        features : by name or number
        parameters : those of the features of this model that hold numbers
        """
        columns = marginals.find_columns(self.schema, features)
        names = self.schema.features
        chosen = None if names is None else tuple(names[column] for column in columns)
        hold = self.schema.categorical
        places = tuple(place for place, column in enumerate(columns) if column in hold)
        schema = Schema(self.schema.classes, len(columns), chosen, places)
        numbers = self.schema.of_numbers.places or range(self.schema.n_features)
        wanted = [numbers.index(column) for column in columns if column not in hold]
        seen = marginals.marginal(parameters, wanted, schema.of_numbers)
        counts = self.counts
        if counts is not None:
            of_these = [hold.index(columns[place]) for place in places]
            counts = counts.of_features(of_these) if places else None
        return replace(
            self, schema=schema, moments=None, parameters=seen, incomplete=None, counts=counts
        )

    def with_feature_names(self, names: Sequence[str] | None) -> "Model":
        """The same model with other names for its features, or none."""
        features = check_names(names, self.schema.n_features)
        return replace(self, schema=replace(self.schema, features=features))

    def _of(self, learnt: LabelledMoments) -> "Model":
        schema = replace(self.schema, classes=learnt.classes)
        return Model(
            self.settings,
            schema,
            self.target,
            learnt.moments,
            None,
            learnt.incomplete,
            learnt.counts,
        )


def learnt_model(
    settings: Settings,
    learnt: LabelledMoments,
    features: Sequence[str] | None,
    target: str | None = None,
    categorical: tuple[int, ...] = (),
) -> Model:
    """The model of rows with these moments; classes that weigh nothing are left out.

    Parameters
    ----------
    features : the names of the features, if they have any
    target : the column that the labels came from, if it has a name
    categorical : the columns that the counts are of, among all
    """
    there = learnt.with_rows()
    d = there.moments.n_features + len(categorical)
    schema = Schema(there.classes, d, check_names(features, d), categorical)
    return Model(settings, schema, target, there.moments, None, there.incomplete, there.counts)


def given_model(parameters: Parameters, schema: Schema, structure: Structure) -> Model:
    """The model with these parameters, which has seen no rows."""
    return Model(Settings(structure, parameters.prior, "mle", None), schema, None, None, parameters)


def completed_model(
    settings: Settings,
    completed: ClassMoments,
    schema: Schema,
) -> Model:
    """The model of rows of which something is missing, whose moments are no sums but estimates.

    It keeps the parameters that follow from them: as such estimates cannot be added exactly, the
    model does not pretend to have seen them.
    """
    parameters = settings.estimate(completed, schema)
    kept = replace(settings, priors=parameters.prior)
    return Model(kept, schema, None, None, parameters)


def _refuse_other_features(ours: Schema, theirs: Schema) -> None:
    """Raise unless two models have the same features; names count if both know them."""
    if not ours.same_features(theirs):
        msg = (
            "models of different features cannot be merged: "
            f"{ours.features or ours.n_features} here, {theirs.features or theirs.n_features} there"
        )
        raise SchemaError(msg)


def _refuse_other_categories(
    ours: LabelledMoments, theirs: LabelledMoments, schema: Schema
) -> None:
    """Raise, with the feature's name, if texts and numbers would be categories of one feature."""
    if ours.counts is None or theirs.counts is None:
        return
    from gaussbayes.data.categories import unite

    pairs = zip(ours.counts.categories, theirs.counts.categories, strict=True)
    for j, (own, others) in enumerate(pairs):
        unite(own, others, schema.of_categories.feature_name(j))
