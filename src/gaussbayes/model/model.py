"""A model as one record: every step from one model to the next, and every score of rows.

The classifier, the model files and the command line all use this record; each step and its errors
are implemented here once. A step returns a new record, so that a failed step changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.anderson import Goal
from gaussbayes.base.checks import finite_number
from gaussbayes.base.errors import DataError, OptionError, SingularCovarianceError
from gaussbayes.base.notices import Notice
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray, LabelArray, RealArray, TableLike
from gaussbayes.data.categories import Categories
from gaussbayes.data.labels import unite
from gaussbayes.data.rows import Encoder, Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.data.tables import as_frame, is_frame
from gaussbayes.families.protocol import AnyDensity, Convergence, Fit, require
from gaussbayes.model import solution as scores
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.em import EXACT, expectation_maximisation, remedies
from gaussbayes.model.settings import Component, Priors, Settings, class_priors, cut_rows
from gaussbayes.model.solution import NegativeLogLikelihood, Solution
from gaussbayes.model.statistics import SufficientStatistics, check_values

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Model(Result):
    """Settings, the statistics of the training rows, and the parameters computed from both.

    A model whose parameters were given has no statistics. Parameters that are not yet computed
    are None; `solved` returns the model with them.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], list("aabb")).model_
    >>> model.log_joint(model.rows([[1.5]])).round(2).tolist(), model.n_parameters
    ([[-0.92, -11.74]], 5)
    """

    settings: Settings
    schema: Schema  # classes, features
    statistics: SufficientStatistics | None  # None if the parameters were given
    solution: Solution | None = None
    target: str | None = None  # the column of the labels, if it has a name
    notices: tuple[
        Notice, ...
    ] = ()  # about the reading of its rows; see `gaussbayes.model.summary`

    def tables(self) -> Sequence[Block]:
        """The title, the classes and the parameters; see `gaussbayes.model.summary`."""
        from gaussbayes.model.summary import summarise

        return summarise(self).tables()

    def to_dict(self) -> dict[str, object]:
        """Return its title, its classes and its parameters; see `gaussbayes.model.summary`."""
        from gaussbayes.model.summary import summarise

        return summarise(self).to_dict()

    # Parts.

    @property
    def classes(self) -> LabelArray:
        """The labels (k,), sorted."""
        return self.schema.classes

    @property
    def known_classes(self) -> LabelArray:
        """The labels that were announced, and those of all classes, sorted."""
        announced = self.schema.announced
        if announced is None or np.array_equal(announced, self.classes):
            return self.classes
        return unite(announced, self.classes)[0]

    def announcing(self, labels: LabelArray | None) -> Model:
        """The same model, with labels without rows that exports include."""
        return replace(self, schema=replace(self.schema, announced=labels))

    def noticing(self, notices: tuple[Notice, ...]) -> Model:
        """The same model, with more notices about the reading of its rows."""
        return replace(self, notices=tuple(dict.fromkeys((*self.notices, *notices))))

    @property
    def total_weight(self) -> float:
        """The total weight of the labelled rows; NaN if the parameters were given."""
        return nan if self.statistics is None else float(self.statistics.weight.sum())

    @property
    def components(self) -> tuple[Component, ...]:
        """The families with their features, except for a second member."""
        return self.settings.members[0].components

    @property
    def parameters(self) -> Solution:
        """Priors and densities; they must have been computed (see `solved`)."""
        if self.solution is None:
            return self.solved().parameters
        return self.solution

    @property
    def densities(self) -> tuple[Any, ...]:
        """The class-conditional densities of the first member, one for each component."""
        return self.parameters.densities

    def capable(self, capability: type[Answer], step: str) -> list[Answer]:
        """The densities, which must have the capability that a step needs."""
        pairs = zip(self.densities, self.components, strict=True)
        return [require(density, capability, part.family, step) for density, part in pairs]

    @property
    def prior(self) -> FloatArray:
        """The priors (k,)."""
        if self.solution is not None:
            return self.solution.prior
        if self.statistics is not None and self.statistics.unlabelled is None:
            return class_priors(self.settings.priors, self.schema, self.statistics.weight)
        return self.parameters.prior

    @property
    def calibration(self) -> Calibration | None:
        """The calibration of posteriors, with the scores of held-out rows."""
        return self.settings.calibration

    @property
    def convergence(self) -> Convergence | None:
        """The progress of EM; None if nothing was missing."""
        return self.parameters.convergence

    @property
    def n_parameters(self) -> int:
        """Free parameters: k − 1 priors, and those of every family."""
        if self.settings.is_combined:
            msg = "the number of free parameters of a pooled or averaged model is not defined"
            raise OptionError(msg)
        return self.parameters.n_parameters

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each categorical feature."""
        if not self.schema.categorical:
            return ()
        if self.solution is None and self.statistics is not None:
            return known_categories(self.components, self.statistics.parts, self.schema)
        return known_categories(self.components, self.densities, self.schema)

    @property
    def encoder(self) -> Encoder:
        """What turns any container into rows of this model."""
        return Encoder(self.schema, self.categories)

    def solved(
        self,
        n_jobs: int | None = None,
        start: Solution | None = None,
        goal: Goal = EXACT,
    ) -> Model:
        """The same model with its parameters computed; see `solve`."""
        if self.solution is not None:
            return self
        assert self.statistics is not None
        solution = solve(self.statistics, self.settings, self.schema, n_jobs, start, goal)
        # Faster than `replace`, for many small fits.
        return Model(
            self.settings, self.schema, self.statistics, solution, self.target, self.notices
        )

    # Rows and their scores.

    def rows(self, X: TableLike) -> Rows:
        """Convert any container to rows of this model; new categories raise a warning."""
        return X if isinstance(X, Rows) else self.encoder.encode(self.without_target(X))

    def without_target(self, X: TableLike) -> TableLike:
        """A table without the column of the labels, if it has one."""
        if self.target is None or not is_frame(X):
            return X
        roles, frame = self.schema.roles, as_frame(X)
        features = (self.schema.features if roles is None else roles.names) or ()
        if self.target not in frame.columns or self.target in features:
            return X
        dropped: TableLike = frame.drop(self.target).to_native()
        return dropped

    def parts(self, rows: Rows) -> tuple[Rows, ...]:
        """The rows of each component."""
        return self.settings.members[0].parts(rows, self.schema)

    def join(self, parts: Sequence[Rows]) -> Rows:
        """Rows from those of each component: the inverse of `parts`."""
        return self.settings.members[0].join(parts, self.schema)

    def labels(self, rows: Rows, n_jobs: int | None = None) -> NDArray[np.intp]:
        """The code of the most probable class of each row (n,)."""
        return self._scored(scores.score, rows, "label", n_jobs)

    def posterior(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``p(c | x)`` (n, k): each row sums to 1."""
        return self._scored(scores.score, rows, "posterior", n_jobs)

    def log_posterior(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(c | x)`` (n, k), exact also for tiny probabilities."""
        return self._scored(scores.score, rows, "log_posterior", n_jobs)

    def log_posteriors(self, rows: Rows, n_jobs: int | None = 1) -> list[RealArray]:
        """``log p(c | x)`` (n, k) of each of the models whose posteriors are averaged."""
        models = (
            replace(self, solution=replace(each, alone=None)) for each in self.parameters.averaged
        )
        return [model.log_posterior(rows, n_jobs) for model in models]

    def log_joint(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(x, c)`` (n, k)."""
        return self._scored(scores.score, rows, "log_joint", n_jobs)

    def log_likelihood(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(x | c)`` (n, k)."""
        return self._scored(scores.log_likelihood, rows, n_jobs)

    def log_evidence(self, rows: Rows, n_jobs: int | None = None) -> RealArray:
        """``log p(x)`` (n,)."""
        return self._scored(scores.log_evidence, rows, n_jobs)

    def log_odds(self, rows: Rows, a: int, b: int, n_jobs: int | None = None) -> RealArray:
        """``log p(a | x) − log p(b | x)`` (n,) of two classes given by code."""
        return self._scored(scores.log_odds, rows, a, b, n_jobs)

    def squared_distance(
        self, rows: Rows, n_jobs: int | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Squared Mahalanobis distances (n, k), and numbers of observed columns (n,)."""
        return self._scored(scores.squared_distance, rows, n_jobs)

    def negative_log_likelihood(
        self, rows: Rows, targets: Targets, n_jobs: int | None = None
    ) -> NegativeLogLikelihood:
        """``−Σ log p(x, y)`` over labelled rows, whose classes are those of the model."""
        return self._scored(scores.negative_log_likelihood, rows, targets, n_jobs)

    def _scored(self, function: Callable[..., Answer], rows: Rows, *more: Any) -> Answer:
        """Apply a function of `gaussbayes.model.solution` to rows; errors name the columns."""
        try:
            single = len(self.settings.components) == 1  # it needs all features
            parts = (rows,) if single else self.settings.parts(rows, self.schema)
            return function(self.parameters, parts, *more)
        except DataError as error:
            try:
                check_values(rows, self.settings, self.schema)
            except DataError as named:
                raise named from None
            raise error from None

    # Steps from one model to the next.

    def statistics_for(self, step: str) -> SufficientStatistics:
        """The statistics, for the step of this name."""
        if self.statistics is None:
            msg = (
                f"{step} needs the statistics of labelled rows, which this model does not have: "
                "its parameters were given; fit a model to labelled rows"
            )
            raise DataError(msg)
        if self.statistics.unlabelled is not None:
            self.statistics.unlabelled.kept(step)
        return self.statistics

    def with_priors(self, priors: Priors) -> Model:
        """The same densities under other priors; None takes those estimated from the rows."""
        settings = replace(self.settings, priors=priors)
        if (
            self.solution is None
            and self.statistics is not None
            and self.statistics.unlabelled is None
        ):
            changed = replace(self, settings=settings)
            _ = changed.prior  # checked now, not at a prediction
            return changed
        solution = self.parameters.with_priors(partial(class_priors, priors, self.schema))
        return replace(self, settings=settings, solution=solution)

    def updated(self, more: SufficientStatistics) -> Model:
        """The model of the rows so far and of new rows, which may have new classes."""
        statistics = self.statistics_for("updating")
        return self._of(statistics.plus(more.with_rows(), self.settings, self.schema))

    def of_rows(self, statistics: SufficientStatistics) -> Model:
        """The model of other rows under the same settings."""
        return self._of(statistics.with_rows())

    def decayed(self, factor: float) -> Model:
        """The model of the same rows with weights multiplied by `factor`, above 0 and at most 1.

        Settings in units of rows, such as smoothing, do not change: their relative weight
        increases.
        """
        if not 0.0 < finite_number("decay", factor) <= 1.0:
            msg = f"decay must be above 0 and at most 1, got {factor!r}"
            raise OptionError(msg)
        if factor == 1.0:
            return self
        return self._of(self.statistics_for("decay").scaled(float(factor)))

    def without(self, rows: SufficientStatistics) -> Model:
        """The model of the rows so far without some of them.

        A class without remaining rows is dropped.
        """
        return self._of(self.statistics_for("forget").without(rows, self.settings, self.schema))

    def without_class(self, label: object) -> Model:
        """The model without a class and its rows; the others do not change.

        A scatter that is summed over the classes still contains its rows, which a notice reports.
        """
        statistics = self.statistics_for("remove_class")
        code = self.schema.position(label)
        if code < 0:
            msg = f"there is no class {label!r}: the classes are {self.classes.tolist()!r:.200}"
            raise DataError(msg)
        others = [c for c in range(statistics.classes.size) if c != code]
        announced = self.schema.announced
        if announced is not None:
            announced = announced[[known != label for known in announced.tolist()]]
        model = self._of(statistics.selected(others)).announcing(announced).checked()
        if not (statistics.is_pooled and statistics.weight[code] > 0):
            return model
        message = (
            f"the covariance that the classes share still contains the rows of class {label!r}, "
            "because it is stored once for all of them; forget(X, y) removes given rows from it"
        )
        return model.noticing((Notice("removed class", message),))

    def merged(self, other: Model) -> Model:
        """The model of the rows of both, with the settings of this one; classes are united.

        The features must be the same. Names that one of the two lacks, also that of the target, are
        taken from the other.
        """
        mine, theirs = self.statistics_for("merge"), other.statistics_for("merge")
        self.check_same_features(other, "merged")
        both = self._of(mine.plus(theirs.adapted(self.settings), self.settings, self.schema))
        calibrations = [each.calibration for each in (self, other) if each.calibration is not None]
        if len({each.factors for each in calibrations}) > 1:
            msg = (
                "models that were calibrated separately cannot be merged: their posteriors would "
                "depend on the order. Fit the second model like the first"
            )
            raise DataError(msg)
        names = self.schema.features or other.schema.features
        target = other.target if self.target is None else self.target
        announced = self.schema.announced
        if other.schema.announced is not None:
            announced = unite(self.known_classes, other.known_classes)[0]
        schema = replace(both.schema, features=names, announced=announced)
        return replace(both, schema=schema, target=target).noticing(other.notices)

    def unmerged(self, other: Model) -> Model:
        """The model without the rows of another: the inverse of `merged`."""
        self.check_same_features(other, "taken apart")
        theirs = other.statistics_for("unmerge").adapted(self.settings)
        return self.without(theirs)

    def check_same_features(self, other: Model, step: str) -> None:
        """Raise unless another model has the same features, of the same families."""
        same = _layout(self.settings) == _layout(other.settings)
        if not self.schema.same_features(other.schema) or not same:
            features = f"{_features_of(self)} here, {_features_of(other)} there"
            msg = f"models of different features cannot be {step}: {features}"
            raise DataError(msg)

    def marginal(self, features: Sequence[int | str]) -> Model:
        """The model of some features, by name or number, with the others integrated out.

        Its posteriors are those of the whole model if the other features are missing.
        """
        columns = self.schema.find_columns(features)
        place = {column: position for position, column in enumerate(columns)}
        schema = self.schema.marginal(columns)
        cuts, components = [], []
        for number, component in enumerate(self.settings.components):
            chosen = [column for column in columns if column in component.columns]
            if chosen:
                local = [component.columns.index(column) for column in chosen]
                family = component.family.of_columns(local)
                place_of = tuple(place[column] for column in chosen)
                part = replace(component, family=family, columns=place_of)
                cuts.append((number, local))
                components.append(part)

        def marginals(densities: Sequence[AnyDensity]) -> list[AnyDensity]:
            return [
                densities[number].marginal(local, schema.part(part.columns))
                for (number, local), part in zip(cuts, components, strict=True)
            ]

        statistics = None
        if self.statistics is not None:
            statistics = self.statistics.of_columns(
                cuts, lambda rows: cut_rows(rows, self.schema, columns)
            )
        return replace(
            self,
            settings=replace(self.settings, components=tuple(components)),
            schema=schema,
            statistics=statistics,
            solution=self.parameters.marginal(marginals),
        )

    def _of(self, statistics: SufficientStatistics) -> Model:
        schema = replace(self.schema, classes=statistics.classes)
        settings = self.settings.of_classes(self.schema, statistics.classes)
        return replace(self, settings=settings, schema=schema, statistics=statistics, solution=None)

    def checked(self) -> Model:
        """The same model, after checking the priors now, not at a prediction."""
        class_priors(self.settings.priors, self.schema, np.ones(self.classes.shape[0]))
        return self


def known_categories(
    components: Sequence[Component], parts: Sequence[Any], schema: Schema
) -> tuple[Categories, ...]:
    """The categories of each categorical feature, from statistics or densities.

    The last of the statistics may be those of a second member.
    """
    known: dict[int, Categories] = {}
    for component, part in zip(components, parts, strict=False):
        columns = (column for column in component.columns if column in schema.categorical)
        known |= dict(zip(columns, getattr(part, "categories", ()), strict=True))
    return tuple(known[column] for column in schema.categorical)


def unsolved_model(
    settings: Settings, schema: Schema, statistics: SufficientStatistics, target: str | None = None
) -> Model:
    """The model of rows with these statistics, without classes of weight 0.

    The calibration among the settings is one of the classes of `schema`.
    """
    present = statistics.with_rows()
    if present.classes is not schema.classes:
        settings = settings.of_classes(schema, present.classes)
        schema = replace(schema, classes=present.classes)
    return Model(settings, schema, present, None, target)


def _layout(settings: Settings) -> list[tuple[str, tuple[int, ...]]]:
    """The families by name, each with its columns."""
    return [(component.family.name, component.columns) for component in settings.components]


def _features_of(model: Model) -> str:
    names = model.schema.features or model.schema.n_features
    families = {component.family.name for component in model.settings.components}
    return f"{names} ({', '.join(sorted(families))})"


def solve(
    statistics: SufficientStatistics,
    settings: Settings,
    schema: Schema,
    n_jobs: int | None = 1,
    start: Solution | None = None,
    goal: Goal = EXACT,
) -> Solution:
    """The parameters of the classes, with any missing values or labels.

    With labelled rows alone, families are estimated independently; unlabelled rows need a joint EM.
    It starts from `start`, parameters near the result, and stops at the `goal`.
    """
    weight: FloatArray = statistics.parts[0].weight
    check_classes(weight, schema, settings.fewest_classes)
    # Usually the number of threads is already known.
    threads = n_jobs if type(n_jobs) is int and n_jobs > 0 else n_threads(n_jobs)
    if settings.is_combined:
        first, of_first = settings.averaged[0].members[0], statistics.members(settings)[0]
        solution = solve(of_first, first, schema, threads, start, goal)
        return combined(solution, statistics, settings, schema, threads)
    unlabelled = statistics.unlabelled
    if unlabelled is not None and settings.unlabelled_rows == "used":
        solution = expectation_maximisation(
            statistics, unlabelled, settings, schema, threads=threads, start=start, goal=goal
        )
        return replace(solution, calibration=settings.calibration)
    if settings.priors is None:
        prior: FloatArray = weight / weight.sum()
    else:
        prior = class_priors(settings.priors, schema, weight)
    starts = [None] * len(statistics.parts) if start is None else start.densities
    names = (schema,) if len(settings.components) == 1 else settings.names(schema)
    columns = zip(settings.components, statistics.parts, names, starts, strict=True)
    try:
        fits = [
            component.family.estimate(part, name, threads, density)
            for component, part, name, density in columns
        ]
    except (DataError, SingularCovarianceError) as error:

        def attempt(changed: Settings) -> None:
            for family, part, name in zip(changed.families, statistics.parts, names, strict=True):
                family.attempt(part, name)

        raise error.with_remedies(remedies(settings, attempt)) from None
    densities = tuple(fit.density for fit in fits)
    convergence = _convergence(fits, statistics, settings, prior)
    return Solution(prior, densities, weight, convergence, settings.calibration)


def combined(
    solution: Solution,
    statistics: SufficientStatistics,
    settings: Settings,
    schema: Schema,
    threads: int = 1,
) -> Solution:
    """The same with what follows from the statistics of the labelled rows beside it.

    That is the second member of a pool, and the model without unlabelled rows.
    """
    if settings.is_pooled:
        second = settings.families[-1].estimate(statistics.parts[-1], schema, threads).density
        solution = replace(solution, second=second)
    if settings.unlabelled_rows != "averaged":
        return solution
    unused = settings.averaged[1].members[0]
    if statistics.unlabelled is None:
        alone = replace(solution, calibration=unused.calibration)
    else:
        labelled = replace(statistics.members(settings)[0], unlabelled=None)
        alone = solve(labelled, unused, schema, threads)
    return replace(solution, alone=replace(alone, second=solution.second))


def check_classes(weight: FloatArray, schema: Schema, fewest: int = 2) -> None:
    """Raise unless at least this number of classes have rows."""
    check_n_classes(schema.classes, fewest)
    if not weight.min() > 0:
        code = int(np.argmin(weight > 0))
        msg = (
            f"class {schema.class_name(code)} has no rows of positive weight, so that its mean is "
            "not defined; add rows, or drop the class"
        )
        raise DataError(msg)


def check_n_classes(classes: LabelArray, fewest: int = 2) -> None:
    """Raise for labels of too few classes."""
    if classes.size >= fewest:
        return
    which = f"1 class: {classes.tolist()[0]!r}" if classes.size else "0 classes"
    msg = (
        f"a classifier needs at least two classes with rows, got {which}; add labelled rows of "
        "another class, or choose another target"
    )
    raise DataError(msg)


def _convergence(
    fits: Sequence[Fit[Any]],
    statistics: SufficientStatistics,
    settings: Settings,
    prior: FloatArray,
) -> Convergence | None:
    """The progress of EM in all families together; None if none needed it."""
    records = [fit.convergence for fit in fits if fit.convergence is not None]
    if not records:
        return None
    length = max(record.log_likelihood.size for record in records)
    possible = prior > 0
    total = np.full(length, float(statistics.weight[possible] @ np.log(prior[possible])))
    for family, fit, part in zip(settings.families, fits, statistics.parts, strict=True):
        if fit.convergence is None:
            with suppress(OptionError):  # Student-t densities have no sum, so a constant is omitted
                total += fit.density.log_likelihood(part) + family.log_penalty(fit.density)
        else:
            curve = fit.convergence.log_likelihood
            total += np.pad(curve, (0, length - curve.size), mode="edge")
    return Convergence(
        total,
        all(record.converged for record in records),
        max(record.remaining for record in records),
        any(record.penalised for record in records),
    )
