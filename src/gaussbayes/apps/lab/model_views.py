"""The models of the page, and what can be seen of them through the features that a figure shows.

A model was fitted, set by hand, or is a vote of neighbours: `AskedModel` says what is asked about,
and `AskedModel.view` shows it through some features, the others integrated out. Scores are those of
all classes of the page; a class that the model does not know has posterior 0. What was fitted once
is kept with its dataset. What cannot be calculated for these data is a `GaussBayesError`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, ClassVar, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import class_moments, novelty
from gaussbayes.analysis.bayes_error import BayesError, bayes_error
from gaussbayes.analysis.explanation import explain
from gaussbayes.analysis.grid import limits
from gaussbayes.analysis.informative_features import informative_features
from gaussbayes.apps.lab.lab_tables import ShownFeatures
from gaussbayes.apps.lab.messages import (
    AutomaticSettings,
    CategoriesByHand,
    FitSettings,
    GaussiansByHand,
    KnownCategories,
    ModelChoice,
    Neighbours,
)
from gaussbayes.apps.lab.store import LabDataset
from gaussbayes.apps.lab.wire_format import MessageError, problem_record
from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import LabelledRows, Rows
from gaussbayes.model.construction import given_model
from gaussbayes.model.evaluation import Evaluation, evaluate
from gaussbayes.model.fit import fit_model
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import AUTOMATIC_SETTINGS, Options, check_options, options_of
from gaussbayes.model.row_sample import pick, stratified
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Priors, Settings, cut_rows
from gaussbayes.model.statistics import Learnt, observe

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])
LeftOut: TypeAlias = tuple[Evaluation, int] | None

NOTHING_TO_DRAW = (
    "all features of this table hold categories, so that there is no plane and no line to draw: "
    "see the model in the panels Point and Numbers"
)

MOST_CHOSEN_BY = 2_000
"""Rows by which an automatic model is chosen: somebody waits for it."""

MOST_LEFT_OUT = 20_000
"""Rows that are left out, of however many."""

MOST_VOTERS = 10_000
"""Rows among which neighbours are looked for."""

_LOGARITHMS = {"density": "log_likelihood", "joint": "log_joint", "evidence": "log_evidence"}
_MOST_TRUTHS = 50
_NOTHING_TO_SHOW = (-5.0, 5.0)  # the limits of a feature without any value
_FOLDS = 10  # of rows left out where there is no closed form: each takes a fit by EM


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierView(ABC):
    """What a model says of rows that have the features shown."""

    classes: NDArray[np.intp]  # (m,) the class code on the page of each class of the model
    names: tuple[str, ...]  # of all classes on the page, k

    @abstractmethod
    def log_posterior(self, rows: Rows) -> RealArray:
        """``log p(c | x)`` (n, k), −∞ for classes that the model does not know."""

    @abstractmethod
    def at(self, row: Rows) -> dict[str, Any]:
        """Everything that the page is told of one row."""

    def logarithms(self, rows: Rows, names: Sequence[str]) -> dict[str, RealArray]:  # noqa: ARG002
        """Of density ``p(x | c)`` and joint ``p(x, c)`` (k, n), and evidence ``p(x)`` (n,)."""
        return {}

    def labels(self, rows: Rows) -> NDArray[np.intp]:
        """The class code on the page of the most probable class (n,)."""
        best: NDArray[np.intp] = self.log_posterior(rows).argmax(axis=1)
        return best

    def record(self) -> dict[str, Any] | None:
        """The parameters of all classes."""
        return None

    def all_classes(self, values: RealArray, otherwise: float = -np.inf) -> RealArray:
        """Values (n, m) of the model's classes as those of all classes of the page (n, k)."""
        k = len(self.names)
        if self.classes.size == k and (self.classes == np.arange(k)).all():
            return values
        spread: RealArray = np.full((values.shape[0], k), otherwise, dtype=values.dtype)
        spread[:, self.classes] = values
        return spread


@dataclass(frozen=True, slots=True, eq=False)
class ModelView(ClassifierView):
    """A model of the features shown."""

    model: Model
    n_parameters: int  # of the whole model
    chosen: str | None = None  # how it was, if it was chosen automatically

    def log_posterior(self, rows: Rows) -> RealArray:
        return self.all_classes(self.model.log_posterior(self._coded(rows), 1))

    def labels(self, rows: Rows) -> NDArray[np.intp]:
        return self.classes[self.model.labels(self._coded(rows), 1)]

    def logarithms(self, rows: Rows, names: Sequence[str]) -> dict[str, RealArray]:
        coded = self._coded(rows)
        values = {name: getattr(self.model, _LOGARITHMS[name])(coded, 1) for name in names}
        return {
            name: each if each.ndim == 1 else self.all_classes(each).T
            for name, each in values.items()
        }

    def at(self, row: Rows) -> dict[str, Any]:
        row = self._coded(row)
        explanation = explain(self.model, row).as_record()
        terms = explanation["classes"]
        posterior = np.array([[each["posterior"] for each in terms]])
        p_values = None
        if all(each["squared_distance"] is not None for each in terms):  # categories have none
            p_values = self.all_classes(novelty.class_p_values(self.model, row), 0.0)[0].tolist()
        return {
            "explanation": explanation,
            "prediction": self.names[int(self.labels(row)[0])],
            "posterior": self.all_classes(posterior, 0.0)[0].tolist(),
            "p_values": p_values,
        }

    @property
    def means(self) -> FloatArray:
        """Of the numbers, of the classes that the model knows (m, g)."""
        return class_moments.class_means(self.model)

    @property
    def covariances(self) -> FloatArray:
        """Of the numbers, of the classes that the model knows (m, g, g), also where shared."""
        m, g = self.means.shape
        return np.broadcast_to(class_moments.class_covariances(self.model), (m, g, g))

    def record(self) -> dict[str, Any]:
        """Priors, means and covariances of all classes; None for those that the model knows not."""
        return {
            "priors": self.all_classes(self.model.prior[None], 0.0)[0].tolist(),
            "means": self._of_page(self.means),
            "covariances": self._of_page(self.covariances),
            "count": self.n_parameters,
            "chosen": self.chosen,
        }

    def full_record(self) -> dict[str, Any]:
        """Everything that the page shows of the parameters, of all classes."""
        record = self.record()
        tables = class_moments.category_probabilities(self.model)
        convergence = self.model.convergence
        return {
            "count": record.pop("count"),
            "chosen": record.pop("chosen"),
            "parameters": record
            | {"correlations": self._of_page(class_moments.correlations(self.covariances))},
            "categories": [
                {"feature": name, "values": list(values), "probabilities": self._of_page(table)}
                for (name, table), values in zip(tables.items(), self.model.categories, strict=True)
            ],
            "iterations": None if convergence is None else convergence.n_iterations,
        }

    def _coded(self, rows: Rows) -> Rows:
        """Rows in the categories that the model knows; what it does not know says nothing."""
        return rows.with_categories(self.model.categories)

    def _of_page(self, values: FloatArray) -> list[Any]:
        listed: list[Any] = [None] * len(self.names)
        for code, value in zip(self.classes.tolist(), values.tolist(), strict=True):
            listed[code] = value
        return listed


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourView(ClassifierView):
    """Nearest neighbours among the training rows, by the numbers among the features shown."""

    neighbours: Any  # scikit-learn's KNeighborsClassifier
    rows: NDArray[np.intp]  # the numbers of the rows that vote

    def log_posterior(self, rows: Rows | None) -> RealArray:
        """Logarithms of the proportions of votes (n, k); None is the rows that vote themselves."""
        with np.errstate(divide="ignore"):
            return self.all_classes(np.log(self.neighbours.predict_proba(rows and rows.matrix)))

    def at(self, row: Rows) -> dict[str, Any]:
        votes = np.exp(self.log_posterior(row))[0]
        nearest = self.neighbours.kneighbors(row.matrix, return_distance=False)[0]
        return {
            "prediction": self.names[int(votes.argmax())],
            "posterior": votes.tolist(),
            "neighbours": self.rows[nearest].tolist(),
        }


def recalled(function: Function) -> Function:
    """A function of a dataset or of an `AskedModel`, which keeps what was worked out of it."""

    @wraps(function)
    def recall(subject: Any, *args: Hashable) -> Any:
        return subject.recall((function.__name__, *args), lambda: function(subject, *args))

    return recall  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, eq=False)
class AskedModel(ABC):
    """What a request is about: the rows, two features of them, and a model."""

    dataset: LabDataset
    pair: tuple[int, int]
    choice: Any
    knows_categories: ClassVar[bool] = False
    made: dict[Hashable, Any] = field(default_factory=dict)  # for this request

    @abstractmethod
    def view(self, shown: ShownFeatures) -> ClassifierView:
        """The model as these features show it, the others integrated out."""

    @abstractmethod
    def file_model(self) -> Model:
        """The model as a file has it, with the labels as they came, sorted."""

    @property
    def all_features(self) -> ShownFeatures:
        return self.dataset.every_feature

    @property
    def training(self) -> NDArray[np.intp]:
        return self.dataset.training(getattr(self.choice, "first", None))

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What was worked out of this model under this key, or is now."""
        return self.dataset.recall((self.choice, key), make)

    def shown(self, hide: int | None = None) -> ShownFeatures:
        """The features of the pair that are seen; the same one twice is one."""
        self.dataset.check_features(*self.pair)
        if not self.dataset.table.features:
            return ShownFeatures((), ())
        if self.pair[0] == self.pair[1]:
            return ShownFeatures(self.pair[:1], (0,))
        if hide is None:
            return ShownFeatures(self.pair, (0, 1))
        return ShownFeatures((self.pair[1 - hide],), (1 - hide,))

    def one_feature(self, feature: int) -> ShownFeatures:
        axis = self.pair.index(feature) if feature in self.pair else 0
        return ShownFeatures((feature,), (axis,))

    def conditioned(self, shown: ShownFeatures, _: KnownCategories) -> ShownFeatures:
        """These features, and those whose categories are known if the model knows of them."""
        return shown

    def usable(self, numbers: NDArray[np.intp], _: ShownFeatures) -> NDArray[np.intp]:
        """Those of some rows that the model can be right or wrong about: they have a label."""
        some: NDArray[np.intp] = numbers[self.dataset.table.has_label[numbers]]
        return some

    def notes(self) -> dict[str, Any]:
        """What the page is told of how the model was made.

        `sampled` says which rows were drawn if not all were used, `waiting` which classes have too
        few rows, and how many more they need; of them there is a problem, and the others are drawn.
        """
        return {"sampled": None, "waiting": []}

    def evaluated(self, log_posterior: RealArray, numbers: NDArray[np.intp]) -> Evaluation:
        """How good log posteriors (n, k) of some labelled rows are."""
        names = self.view(self.all_features).names
        return evaluate(log_posterior, self.dataset.table.codes[numbers], np.array(names))

    def left_out(self) -> LeftOut:
        """How well models do that predict training rows without them; None without such models.

        And in how many folds these rows were left out: as many as there are in closed form.
        """
        return None


class FittedModel(AskedModel):
    """A model fitted to the training rows, or to the first of them."""

    choice: FitSettings
    knows_categories = True
    maker: ClassVar[str] = "GaussianClassifier"  # in Python

    def conditioned(self, shown: ShownFeatures, known: KnownCategories) -> ShownFeatures:
        chosen = tuple(j for j, code in enumerate(known or ()) if code is not None)
        return replace(shown, categories=chosen)

    def usable(self, numbers: NDArray[np.intp], shown: ShownFeatures) -> NDArray[np.intp]:
        some, waiting = super().usable(numbers, shown), [code for code, _ in self.fitted[1]]
        return some[~np.isin(self.dataset.table.codes[some], waiting)] if waiting else some

    def notes(self) -> dict[str, Any]:
        _, waiting, error = self.fitted
        if error is None:
            return super().notes()
        names, needs = self.dataset.classes, []
        for code, more in waiting:
            needs.append(f"{names[code]} needs {more} more point{'s' if more > 1 else ''}")
        listed = [{"class": code, "more": more} for code, more in waiting]
        problem = f"{' and '.join(needs)}; the other classes are drawn"
        record = problem_record(error) | {"problem": problem}
        return super().notes() | {"waiting": listed} | record

    @recalled
    def view(self, shown: ShownFeatures) -> ModelView:
        if not self.dataset.table.columns_of(shown):
            raise DataError(NOTHING_TO_DRAW)
        table, names, model = self.dataset.table, self.dataset.classes, self.model
        codes = np.array([table.labels.tolist().index(label) for label in model.classes.tolist()])
        named = replace(model.schema, classes=np.array(names)[codes])
        # What was learnt is not needed to look at a model.
        part = replace(model, learnt=None, schema=named).marginal(table.columns_of(shown))
        return ModelView(codes, names, part, model.n_parameters, self.chosen)

    @property
    def chosen(self) -> str | None:
        """What was chosen automatically, in a line."""
        return None

    @property
    def model(self) -> Model:
        """The model of all features."""
        return self.fitted[0]

    @property
    @recalled
    def fitted(self) -> tuple[Model, list[tuple[int, int]], GaussBayesError | None]:
        """The model; if some classes have too few rows for one, that of the others.

        Then also the codes of these classes, how many more rows they need, and what is wrong.
        """
        learnt = _learnt(self.dataset, self.choice.first)
        try:
            return self._solved(learnt), [], None
        except GaussBayesError as error:
            few = self._waiting(learnt)
            if not few or learnt.classes.size - len(few) < 2:
                raise
            for label in few:
                learnt = learnt.without_class(label)
            codes = map(self.dataset.table.labels.tolist().index, few)
            try:
                return self._solved(learnt), list(zip(codes, few.values(), strict=True)), error
            except GaussBayesError:
                raise error from None

    def _solved(self, learnt: Model) -> Model:
        options = self._options(self._priors(learnt.classes))
        return learnt.with_settings(options.settings(learnt.schema), "fit").solved(1)

    def _waiting(self, learnt: Model) -> dict[object, int]:
        """The classes with too few rows for a covariance of their own, and how many they lack."""
        g = len(self.dataset.table.features)
        needed = g + 1 if self.choice.covariance == "full" else 2
        assert learnt.learnt is not None
        rows = zip(learnt.classes.tolist(), learnt.learnt.weight.tolist(), strict=True)
        return {label: needed - int(weight) for label, weight in rows if g and weight < needed}

    def file_model(self) -> Model:
        try:
            model, _, error = self.fitted
            if error is not None:
                raise error
            return replace(model, target=self.dataset.target_name)
        except GaussBayesError as error:
            msg = f"there is no model to take away: {error.problem or error}"
            raise MessageError(msg) from None

    @recalled
    def left_out(self) -> LeftOut:
        table, model = self.dataset.table, self.model
        assert model.learnt is not None
        numbers, learnt = self.usable(self.training, self.all_features), model.learnt
        if numbers.size > MOST_LEFT_OUT:
            numbers = numbers[stratified(table.codes[numbers], MOST_LEFT_OUT)]
            if not learnt.is_complete:  # each fold is fitted by EM: to these rows alone
                keep = np.union1d(numbers, self.training[~table.has_label[self.training]])
                learnt = observe(table.labelled(keep), model.settings, model.schema, keep_all=True)
        rows = held_out_rows(table.labelled(numbers), learnt.with_rows(), model.schema)
        (outcome,), n_folds = hold_out(rows, [model.settings.given_units()], 1, _FOLDS)
        if isinstance(outcome, GaussBayesError):
            return None  # without one of its rows there is no model
        posterior = self.view(self.all_features).all_classes(outcome)
        return self.evaluated(posterior, numbers), n_folds

    @property
    def kind(self) -> dict[str, str]:
        """What the command line must be told at least: without, it chooses by itself."""
        return {"covariance": self.choice.covariance}

    def fit_options(self) -> dict[str, Any]:
        """The classifier's options that make this model, but for those that are the usual ones.

        Priors are in the page's order.
        """
        table = self.dataset.table
        options = options_of(self._options().settings(table.schema), table.schema)
        options |= {"priors": self.choice.priors, "categorical_features": self.categorical}
        if table.has_label.all():
            options.pop("unlabelled_weight")
        usual = {name: each.default for name, each in signature(check_options).parameters.items()}
        usual |= {"categorical_features": [], "unlabelled_weight": 1.0}
        return {name: value for name, value in options.items() if value != usual[name]}

    @property
    def categorical(self) -> list[int]:
        return list(self.dataset.table.encoder.categorical)

    def _options(self, priors: Priors = None) -> Options:
        settings = msgspec.structs.asdict(self.choice) | {"priors": priors}
        settings.pop("first")
        return check_options(**settings)

    def _priors(self, present: LabelArray) -> Priors:
        """The priors of the classes that have rows, in the model's order.

        Those of classes without rows go to the others in proportion.
        """
        priors, labels = self.choice.priors, self.dataset.table.labels.tolist()
        if priors is None or isinstance(priors, str) or len(priors) != len(labels):
            return priors  # the core says what is wrong
        each = np.asarray(priors, dtype=np.float64)
        known: FloatArray = each[[labels.index(label) for label in present.tolist()]]
        if known.size == each.size:
            return known
        return known / known.sum() if known.sum() > 0 else "uniform"


class AutomaticModel(FittedModel):
    """A model that was chosen by rows left out; priors that are given take the place of its own."""

    choice: AutomaticSettings  # type: ignore[assignment]
    maker = "GaussianClassifier.auto"

    @property
    def chosen(self) -> str:
        selection, note = _automatic(self.dataset, self.choice.first)[1:]
        return selection.choice + note

    @property
    @recalled
    def fitted(self) -> tuple[Model, list[tuple[int, int]], None]:
        model, *_ = _automatic(self.dataset, self.choice.first)
        priors = self._priors(model.classes)
        return (model if priors is None else model.with_priors(priors)), [], None

    @property
    def kind(self) -> dict[str, str]:
        return {"model": "auto"}

    def fit_options(self) -> dict[str, Any]:
        return {"categorical_features": self.categorical} if self.categorical else {}


@dataclass(frozen=True, slots=True, eq=False)
class _AllRows:
    """All training rows, of which some are enough to choose by."""

    table: LabelledRows
    schema: Schema

    def observe(self, alternatives: Sequence[Settings]) -> list[Learnt]:
        return [observe(self.table, each, self.schema, keep_all=True) for each in alternatives]

    def unlabelled(self, _: Model) -> None:
        """Those without label are kept."""


@recalled
def _automatic(dataset: LabDataset, first: int | None) -> tuple[Model, Selection, str]:
    """The automatic model of the training rows, how it was chosen, and by how many of them."""
    _learnt(dataset, first)  # says it if there is nothing to learn from
    numbers = dataset.training(first)
    table, all_rows, note = dataset.table.labelled(numbers), None, ""
    if numbers.size > MOST_CHOSEN_BY:
        all_rows = _AllRows(table, dataset.table.schema)
        table = pick(table, stratified(table.targets.codes, MOST_CHOSEN_BY))
        note = f", {table.rows.n_rows:,} of {numbers.size:,}, drawn at random"
    options = check_options(**{**AUTOMATIC_SETTINGS, "features": None, "n_jobs": 1})
    model, selection = fit_model(table, dataset.table.schema, options, all_rows)
    assert selection is not None
    return model, selection, note


@recalled
def _learnt(dataset: LabDataset, first: int | None) -> Model:
    """What the training rows say, or the first of them; every setting's model follows from it."""
    table, numbers = dataset.table, dataset.training(first)
    if not table.has_label[numbers].any():
        msg = "there are no rows to learn from: add points, or hold out fewer"
        raise DataError(msg)
    settings = check_options().settings(table.schema)
    learnt = observe(table.labelled(numbers), settings, table.schema, keep_all=True)
    model = learnt_model(settings, table.schema, learnt)
    if model.classes.size > 1:
        return model
    (name,) = map(str, model.classes.tolist())
    msg = (
        f"there are rows of one class only, {name!r}, and a classifier needs two: add points of "
        "another, or choose another column to predict"
    )
    if first is not None:
        msg = f"so far all rows are of one class, {name!r}, and a classifier needs two"
    raise DataError(msg)


class ModelByHand(AskedModel):
    """Gaussians of the pair of features, set on the page; they change all the time."""

    choice: GaussiansByHand

    @property
    def all_features(self) -> ShownFeatures:
        return self.shown()

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        if key not in self.made:
            self.made[key] = make()
        value: Value = self.made[key]
        return value

    def one_feature(self, feature: int) -> ShownFeatures:
        if feature not in self.pair:
            first, second = self.pair
            msg = f"a model set by hand has the features {first} and {second}, not {feature}"
            raise MessageError(msg)
        return super().one_feature(feature)

    @recalled
    def view(self, shown: ShownFeatures) -> ModelView:
        if not shown.numbers:
            raise DataError(NOTHING_TO_DRAW)
        names, k = self.dataset.classes, len(self.choice.priors)
        names += tuple(f"class {code + 1}" for code in range(len(names), k))
        parameters = msgspec.structs.asdict(self.choice)
        try:
            whole = given_model(**parameters, covariance="full", shared=False, fewest_classes=1)
        except GaussBayesError as error:
            msg = f"model: {error}"
            raise MessageError(msg) from None
        part, features = whole.marginal(shown.axes), self.dataset.table.features
        # Of a single feature the second coordinate says nothing: it has no parameters to count.
        counted = whole if len(features) > 1 else part
        columns = tuple(features[column] for column in shown.numbers)
        schema = replace(part.schema, classes=np.array(names[:k]), features=columns)
        return ModelView(np.arange(k), names, replace(part, schema=schema), counted.n_parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that make this model of the features of the pair, and its labels."""
        axes, labels = list(self.shown().axes), self.dataset.table.labels
        k = len(self.choice.priors)
        if k > labels.size:  # those that the data have not get names
            labels = np.array(self.view(self.shown()).names)
        return {
            "priors": list(self.choice.priors),
            "means": np.array(self.choice.means)[:, axes],
            "covariances": np.array(self.choice.covariances)[:, axes][:, :, axes],
            "classes": labels[:k],
            "covariance": "full",
        }

    def file_model(self) -> Model:
        names = [self.dataset.table.features[column] for column in self.shown().numbers]
        return given_model(**self.parameters, shared=False, feature_names=names)


class CategoryProbabilities(ModelByHand):
    """Probabilities of all categories of a table without numbers, set on the page."""

    choice: CategoriesByHand  # type: ignore[assignment]
    knows_categories = True

    @property
    def all_features(self) -> ShownFeatures:
        return self.dataset.every_feature

    @recalled
    def view(self, shown: ShownFeatures) -> ModelView:
        if not shown.categories:
            raise DataError(NOTHING_TO_DRAW)
        table, names, model = self.dataset.table, self.dataset.classes, self.file_model()
        codes = np.array([table.labels.tolist().index(label) for label in model.classes.tolist()])
        named = replace(model, schema=replace(model.schema, classes=np.array(names)[codes]))
        return ModelView(codes, names, named.marginal(shown.categories), model.n_parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        table, (priors, tables) = self.dataset.table, msgspec.structs.astuple(self.choice)
        by_feature = zip(table.categorical, table.categories, tables, strict=False)
        of_categories = {
            name: dict(zip(values, zip(*each, strict=False), strict=False))
            for name, values, each in by_feature
        }
        return {
            "priors": list(priors),
            "classes": table.labels,
            "category_probabilities": of_categories,
        }

    def file_model(self) -> Model:
        table, choice = self.dataset.table, self.choice
        shape = [(len(table.labels), len(values)) for values in table.categories]
        got = [(len(each), *{len(row) for row in each}) for each in choice.probabilities]
        if table.features or got != shape:
            msg = (
                "model: probabilities must be those of each class and category of a table whose "
                f"features all hold categories; (classes, categories) must be {shape}, got {got}"
            )
            raise MessageError(msg)
        try:
            return given_model(means=None, covariances=None, **self.parameters)
        except GaussBayesError as error:
            msg = f"model: {error}"
            raise MessageError(msg) from None


class VotesOfNeighbours(AskedModel):
    """A vote of the nearest training rows, by their numbers."""

    choice: Neighbours

    @property
    def all_features(self) -> ShownFeatures:
        return replace(self.dataset.every_feature, categories=())

    def view(self, shown: ShownFeatures) -> NeighbourView:
        if not shown.numbers:
            msg = "nearest neighbours need numbers: categories have no distances between them"
            raise DataError(msg)
        # One tree for every k: a model by itself would keep the rows again.
        k, (tree, rows) = self.choice.k, _tree(self.dataset, shown.numbers)
        if rows.size < k:
            msg = f"there are only {rows.size} rows to find {k} neighbours among; ask fewer"
            raise DataError(msg)
        neighbours = copy(tree).set_params(n_neighbors=k)
        codes = neighbours.classes_.astype(np.intp)
        return NeighbourView(codes, self.dataset.classes, neighbours, rows)

    def usable(self, numbers: NDArray[np.intp], shown: ShownFeatures) -> NDArray[np.intp]:
        judged = _judged(self.dataset)[numbers]
        return _complete(self.dataset, super().usable(numbers[judged], shown), shown.numbers)

    def notes(self) -> dict[str, Any]:
        n, n_judged = self.training.size, int(np.count_nonzero(_judged(self.dataset)))
        if n <= MOST_VOTERS:
            return super().notes()
        sampled = (
            f"{MOST_VOTERS:,} of {n:,} rows, drawn at random, are the neighbours that vote; "
            f"errors are counted among {n_judged:,} rows"
        )
        return super().notes() | {"sampled": sampled}

    @recalled
    def left_out(self) -> LeftOut:
        view = self.view(self.all_features)
        if view.rows.size <= self.choice.k:
            return None
        return self.evaluated(view.log_posterior(None), view.rows), view.rows.size

    def file_model(self) -> Model:
        msg = "nearest neighbours have no model file: take the rows instead"
        raise MessageError(msg)


@recalled
def _tree(dataset: LabDataset, columns: tuple[int, ...]) -> tuple[Any, NDArray[np.intp]]:
    """One nearest neighbour by some numbers, and the labelled training rows that have them."""
    from sklearn.neighbors import KNeighborsClassifier  # takes a while

    table, numbers = dataset.table, dataset.training()
    rows = _complete(dataset, numbers[table.has_label[numbers]], columns)
    if rows.size > MOST_VOTERS:
        rows = rows[stratified(table.codes[rows], MOST_VOTERS)]
    tree = KNeighborsClassifier(1)
    if rows.size:
        tree.fit(table.X[rows][:, columns], table.codes[rows])
    return tree, rows


@recalled
def _judged(dataset: LabDataset) -> NDArray[np.bool_]:
    """The rows (n,) by which votes are judged: of those learnt from and held out so many."""
    judged = np.zeros(dataset.test.size, dtype=np.bool_)
    for part in (dataset.training(), np.flatnonzero(dataset.test)):
        if part.size > MOST_VOTERS:
            part = part[stratified(dataset.table.codes[part], MOST_VOTERS // 2)]  # noqa: PLW2901
        judged[part] = True
    return judged


def _complete(
    dataset: LabDataset, numbers: NDArray[np.intp], columns: tuple[int, ...]
) -> NDArray[np.intp]:
    """Those of some rows in which none of these numbers is missing."""
    return numbers[~np.isnan(dataset.table.X[numbers][:, columns]).any(axis=1)]


_BY_CHOICE: dict[type[ModelChoice], type[AskedModel]] = {
    FitSettings: FittedModel,
    AutomaticSettings: AutomaticModel,
    GaussiansByHand: ModelByHand,
    CategoriesByHand: CategoryProbabilities,
    Neighbours: VotesOfNeighbours,
}


def asked_model(dataset: LabDataset, pair: tuple[int, int], choice: ModelChoice) -> AskedModel:
    """The model that was chosen, of these rows."""
    dataset.check_features(*pair)
    return _BY_CHOICE[type(choice)](dataset, pair, choice)


@lru_cache(_MOST_TRUTHS)
def _view_of(truth: Model, names: tuple[str, ...], columns: tuple[int, ...]) -> ModelView:
    return ModelView(np.arange(len(names)), names, truth.marginal(columns), truth.n_parameters)


def true_view(dataset: LabDataset, shown: ShownFeatures) -> ModelView | None:
    """The model that the rows were drawn from, if it is known; other rows have the same one."""
    truth = dataset.table.truth
    return None if truth is None else _view_of(truth, dataset.classes, shown.numbers)


@lru_cache(_MOST_TRUTHS)
def least_error(truth: ModelView) -> BayesError:
    return bayes_error(truth.model)


@recalled
def first_pair(dataset: LabDataset) -> tuple[int, int]:
    """The features to show first: of a file the two that tell its classes apart best.

    They are looked for by a model of some of the rows, whose others are integrated out.
    """
    table, training = dataset.table, dataset.training()
    if not table.columns or len(table.features) <= len(dataset.pair):
        return dataset.pair
    numbers = training[table.has_label[training]]
    if numbers.size > MOST_CHOSEN_BY:
        numbers = numbers[stratified(table.codes[numbers], MOST_CHOSEN_BY)]
    # Where values are missing EM may take long; the diagonal of covariances needs none.
    shape = "diagonal" if np.isnan(table.X[numbers]).any() else "full"
    settings = check_options(covariance=shape, shrinkage=0.1).settings(table.schema)
    rows = table.labelled(numbers)
    try:
        learnt = observe(rows, settings, table.schema, keep_all=True)
        model = learnt_model(settings, table.schema, learnt).solved(1)
        columns = list(table.encoder.numeric)
        part = cut_rows(rows.rows, table.schema, columns)
        known = model.classes.tolist()
        codes = np.array([known.index(each) for each in rows.classes[rows.targets.codes].tolist()])
        return informative_features(model.marginal(columns), part, codes).pair
    except GaussBayesError:
        return dataset.pair


@recalled
def feature_limits(dataset: LabDataset, column: int) -> tuple[float, float]:
    """What to show of a feature: all rows, or the true classes where there are none."""
    values = dataset.table.X[:, column : column + 1]
    rows = values[~np.isnan(values).any(axis=1)]
    truth = true_view(dataset, ShownFeatures((column,), (0,)))
    if not rows.size and truth is None:
        return _NOTHING_TO_SHOW
    low, high = limits(None if truth is None else truth.model, rows)
    return float(low[0]), float(high[0])
