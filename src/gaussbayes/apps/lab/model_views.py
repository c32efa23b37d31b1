"""The models of the page: the one module of the lab that talks to the core.

A model, whether it was fitted, set by hand or is a vote of neighbours, is seen through the features
that a figure shows, the others integrated out: `ModelView` or `NeighbourView`. Scores are those
of all classes of the page; a class that the model does not know has posterior 0. What was fitted
once is kept in the store.
"""

from copy import copy
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.analysis import class_moments, novelty, synthesis
from gaussbayes.analysis.bayes_error import BayesError, bayes_error
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.explanation import explain
from gaussbayes.analysis.grid import limits
from gaussbayes.apps.lab.messages import (
    FitSettings,
    GaussiansByHand,
    ModelChoice,
    Neighbours,
    Split,
)
from gaussbayes.apps.lab.training_data import Dataset, ShownFeatures, Table, TrueGaussians
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import UNLABELLED, Rows
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.model import file as model_files
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import Options, check_options, options_of
from gaussbayes.model.prior import Priors
from gaussbayes.model.statistics import observe

if TYPE_CHECKING:
    from gaussbayes.apps.lab.store import Store

NOTHING_TO_DRAW = (
    "all features of this table hold categories, so that there is no plane and no line to draw: "
    "see the model in the panels Point and Numbers"
)

NO_DISTANCES = "nearest neighbours need numbers: categories have no distances between them"

_NOTHING_TO_SHOW = (-5.0, 5.0)
"""The limits of a feature without any value."""

_FOLDS = 10
"""In which rows are left out where there is no closed form, because something is missing."""

_MANY, _FEWER_FOLDS = 20_000, 3
"""Of more rows there are fewer folds: each takes a fit by EM."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something cannot be calculated for these data, and what to do."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class ModelView:
    """A model of the features shown."""

    model: Model
    classes: NDArray[np.intp]  # (m,) the class code on the page of each class of the model
    names: tuple[str, ...]  # of all classes on the page, k
    n_parameters: int  # of the whole model

    def log_posterior(self, rows: Rows) -> RealArray:
        """``log p(c | x)`` (n, m) of the classes that the model knows."""
        return self.model.log_posterior(self._coded(rows), 1)

    def labels(self, rows: Rows) -> NDArray[np.intp]:
        """The class code on the page of the most probable class (n,)."""
        return self.classes[self.model.labels(self._coded(rows), 1)]

    def log_likelihood(self, rows: Rows) -> RealArray:
        """``log p(x | c)`` (n, k)."""
        return all_classes(self, self.model.log_likelihood(self._coded(rows), 1), -np.inf)

    def log_joint(self, rows: Rows) -> RealArray:
        """``log p(x, c)`` (n, k)."""
        return all_classes(self, self.model.log_joint(self._coded(rows), 1), -np.inf)

    def log_evidence(self, rows: Rows) -> RealArray:
        """``log p(x)`` (n,)."""
        return self.model.log_evidence(self._coded(rows), 1)

    def p_values(self, rows: Rows) -> RealArray:
        """How probable it is for rows of each class to lie as far out (n, k)."""
        return all_classes(self, novelty.class_p_values(self.model, self._coded(rows)), 0.0)

    def is_novel(self, rows: Rows, level: float) -> NDArray[np.bool_]:
        """Which rows are like no class (n,): every p-value is below the level."""
        p_values = novelty.class_p_values(self.model, self._coded(rows))
        return novelty.novel(p_values, level, self.model.prior)

    def boundaries(self) -> list[tuple[float, int, int]]:
        """Of one feature: where the decision changes, and the class codes left and right of it."""
        if self.classes.size < 2:
            return []
        return [
            (each.position, int(self.classes[each.left]), int(self.classes[each.right]))
            for each in decision_boundaries(self.model)
        ]

    def explanation(self, row: Rows) -> dict[str, Any]:
        """Bayes' rule for a row with every number, and what each feature adds to the log-odds."""
        return explain(self.model, self._coded(row)).as_record()

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
        values = {"means": self.means, "covariances": self.covariances}
        priors = all_classes(self, self.model.prior[None], 0.0)[0].tolist()
        lists = {name: self._of_page(each) for name, each in values.items()}
        return {"priors": priors, **lists, "count": self.n_parameters}

    def correlations(self) -> list[Any]:
        """Of the numbers, of all classes; None for those that the model knows not."""
        return self._of_page(class_moments.correlations(self.covariances))

    def category_probabilities(self) -> list[dict[str, Any]]:
        """``p(category | class)`` of each feature that holds categories, by class and category."""
        tables = class_moments.category_probabilities(self.model)
        return [
            {"feature": name, "values": list(values), "probabilities": self._of_page(table)}
            for (name, table), values in zip(tables.items(), self.model.categories, strict=True)
        ]

    @property
    def n_iterations(self) -> int | None:
        """How many iterations EM took; None if nothing was missing, or nothing was fitted."""
        convergence = self.model.convergence
        return None if convergence is None else convergence.n_iterations

    def _coded(self, rows: Rows) -> Rows:
        """Rows in the categories that the model knows; what it does not know says nothing."""
        return rows.with_categories(self.model.categories)

    def _of_page(self, values: FloatArray) -> list[Any]:
        listed: list[Any] = [None] * len(self.names)
        for code, value in zip(self.classes.tolist(), values.tolist(), strict=True):
            listed[code] = value
        return listed


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourView:
    """Nearest neighbours among the training rows, by the numbers among the features shown."""

    neighbours: Any  # scikit-learn's KNeighborsClassifier
    classes: NDArray[np.intp]  # (m,) as above
    names: tuple[str, ...]
    rows: NDArray[np.intp]  # the numbers of the rows that vote

    def log_posterior(self, rows: Rows) -> RealArray:
        """Logarithms of the proportions of votes (n, m)."""
        return self._votes(rows.matrix)

    def labels(self, rows: Rows) -> NDArray[np.intp]:
        """The class code on the page of the class with most votes (n,)."""
        best: NDArray[np.intp] = self.log_posterior(rows).argmax(axis=1)
        return self.classes[best]

    def left_out(self) -> RealArray | None:
        """Log posteriors (n, k) of the rows that vote, each by the others."""
        if self.rows.size <= self.neighbours.n_neighbors:
            return None
        return all_classes(self, self._votes(None), -np.inf)

    def nearest(self, row: Rows) -> list[int]:
        """The numbers of the rows that vote on a row."""
        nearest = self.neighbours.kneighbors(row.matrix, return_distance=False)[0]
        return [int(number) for number in self.rows[nearest]]

    def _votes(self, X: RealArray | None) -> RealArray:
        with np.errstate(divide="ignore"):
            votes: RealArray = np.log(self.neighbours.predict_proba(X))
        return votes


View: TypeAlias = ModelView | NeighbourView


def all_classes(view: View, values: RealArray, otherwise: float) -> RealArray:
    """Values (n, m) of a model's classes as those of all classes of the page (n, k)."""
    k = len(view.names)
    if view.classes.size == k and (view.classes == np.arange(k)).all():
        return values
    spread: RealArray = np.full((values.shape[0], k), otherwise, dtype=values.dtype)
    spread[:, view.classes] = values
    return spread


def shown_features(
    dataset: Dataset, pair: tuple[int, int], hide: int | None = None
) -> ShownFeatures:
    """The features of a pair that are seen; the same one twice is one."""
    dataset.check_features(*pair)
    if not dataset.table.features:
        return ShownFeatures((), ())
    if pair[0] == pair[1]:
        return ShownFeatures(pair[:1], (0,))
    if hide is None:
        return ShownFeatures(pair, (0, 1))
    return ShownFeatures((pair[1 - hide],), (1 - hide,))


def all_features(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> ShownFeatures:
    """All features of a model: by hand those of the pair, of neighbours those that hold numbers."""
    if isinstance(choice, GaussiansByHand):
        return shown_features(dataset, pair)
    dataset.check_features(*pair)
    every = dataset.every_feature
    return replace(every, categories=()) if isinstance(choice, Neighbours) else every


def one_feature(pair: tuple[int, int], feature: int, choice: ModelChoice) -> ShownFeatures:
    """One feature alone; a model set by hand has only those of the pair."""
    if isinstance(choice, GaussiansByHand) and feature not in pair:
        msg = f"a model set by hand has the features {pair[0]} and {pair[1]}, not {feature}"
        raise MessageError(msg)
    return ShownFeatures((feature,), (pair.index(feature) if feature in pair else 0,))


def view_of(
    dataset: Dataset, choice: ModelChoice, shown: ShownFeatures, store: "Store"
) -> View | Problem:
    """The model as these features show it, the others integrated out."""
    if shown.is_nothing:
        votes = isinstance(choice, Neighbours)
        return Problem(NO_DISTANCES if votes else NOTHING_TO_DRAW)
    match choice:
        case GaussiansByHand():
            return _by_hand(dataset, choice, shown)
        case Neighbours():
            return _neighbours(dataset, choice.k, shown.numbers, store)
        case FitSettings():
            key = "view", dataset.key, choice, shown.numbers, shown.categories
            return store.recall(key, lambda: _fitted_view(dataset, choice, shown, store))


def true_view(dataset: Dataset, shown: ShownFeatures, store: "Store") -> ModelView | None:
    """The model that the rows were drawn from, if it is known."""
    truth = dataset.table.truth
    if truth is None:
        return None

    def make() -> ModelView:
        whole = _true_model(truth)
        codes, part = np.arange(len(truth.classes)), whole.marginal(shown.numbers)
        return ModelView(part, codes, dataset.classes, whole.n_parameters)

    return store.recall(("truth", truth, shown.numbers), make)


def least_error(dataset: Dataset, shown: ShownFeatures, store: "Store") -> BayesError | None:
    """How often the best rule for these features errs, if it is known what the rows come from."""
    truth = true_view(dataset, shown, store)
    if truth is None:
        return None
    return store.recall(("Bayes error", truth), lambda: bayes_error(truth.model))


def draw(
    truth: TrueGaussians, n: int, generator: np.random.Generator
) -> tuple[FloatArray, CodeArray]:
    """Rows (n, d), their classes by the priors, and the class code of each (n,)."""
    rows, codes = synthesis.draw(_true_model(truth), n, generator)
    return rows.matrix.astype(np.float64, copy=False), codes


def draw_of_classes(
    truth: TrueGaussians, codes: CodeArray, generator: np.random.Generator
) -> FloatArray:
    """A row (n, d) for each class code (n,)."""
    rows = synthesis.draw_rows(_true_model(truth), codes, generator)
    return rows.matrix.astype(np.float64, copy=False)


def hold_out(table: Table, split: Split) -> tuple[NDArray[np.bool_], str | None]:
    """Which rows (n,) are held out, and why none are although that was asked for.

    They are those that ``gaussbayes evaluate --held-out PROPORTION --seed N`` holds out; rows
    without label are never among them.

    Examples
    --------
    >>> from gaussbayes.apps.lab.training_data import number_table
    >>> rows, codes = np.arange(8.0)[:, None], np.repeat(np.arange(2, dtype=np.int32), 4)
    >>> table = number_table("eight", rows, codes, np.array(["a", "b"]), ("x",))
    >>> test, problem = hold_out(table, Split(0.25, seed=0))
    >>> np.bincount(codes[test]).tolist(), problem
    ([1, 1], None)
    """
    test = np.zeros(table.codes.size, dtype=np.bool_)
    if split.test == 0 or not table.codes.size:
        return test, None
    from gaussbayes.analysis import held_out  # brings scikit-learn, takes a while

    labels = np.array([*table.labels.tolist(), None], dtype=object)[table.codes]
    any_rows = np.zeros((labels.size, 1))  # what is held out does not depend on the features
    try:
        options = held_out.model_options(None)
        splits = held_out.split(any_rows, labels, options, split.test, split.seed)
    except GaussBayesError as error:
        return test, f"no rows are held out: {error}"
    test[splits.pairs[0][1]] = True
    return test, None


def structures() -> dict[str, tuple[str, bool]]:
    """Covariance and sharing of the six structures by the names that people know.

    Examples
    --------
    >>> structures()["LDA"]
    ('full', True)
    """
    return {name: (each.covariance, each.shared) for name, each in STRUCTURES.items()}


def feature_limits(dataset: Dataset, column: int, store: "Store") -> tuple[float, float]:
    """What to show of a feature: all rows, or the true classes where there are none."""
    dataset.check_features(column)

    def make() -> tuple[float, float]:
        values = dataset.table.X[:, column : column + 1]
        rows = values[~np.isnan(values).any(axis=1)]
        truth = true_view(dataset, shown_features(dataset, (column, column)), store)
        if not rows.size and truth is None:
            return _NOTHING_TO_SHOW
        low, high = limits(None if truth is None else truth.model, rows)
        return float(low[0]), float(high[0])

    return store.recall(("limits", dataset.key, column), make)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutRows:
    """Rows predicted by models that have not seen them."""

    log_posterior: RealArray  # (n, k)
    numbers: NDArray[np.intp]  # (n,) which rows these are
    n_folds: int  # n if each was left out by itself


def left_out(
    dataset: Dataset, choice: ModelChoice, view: View, store: "Store"
) -> LeftOutRows | None:
    """Every labelled training row predicted by the model of all others; None without such models.

    Where there is no closed form, rows are left out in folds.
    """
    if isinstance(view, NeighbourView):
        votes = view.left_out()
        return None if votes is None else LeftOutRows(votes, view.rows, view.rows.size)
    if not isinstance(choice, FitSettings):
        return None
    model = _fitted(dataset, choice, store)
    if isinstance(model, Problem):
        return None
    from gaussbayes.model.left_out import held_out_rows, hold_out

    assert model.learnt is not None
    numbers = dataset.training(choice.first)
    folds = _FOLDS if numbers.size <= _MANY else _FEWER_FOLDS
    rows = held_out_rows(dataset.table.labelled(numbers), model.learnt, model.schema)
    (outcome,), n_folds = hold_out(rows, [model.settings], 1, folds)
    if isinstance(outcome, GaussBayesError):
        return None  # without one of its rows there is no model
    labelled = numbers[dataset.table.codes[numbers] >= 0]
    return LeftOutRows(all_classes(view, outcome, -np.inf), labelled, n_folds)


def labels_by_hand(dataset: Dataset, choice: GaussiansByHand) -> LabelArray:
    """The labels (k,) of classes set by hand; those that the data have not get names."""
    labels, k = dataset.table.labels, len(choice.priors)
    if k <= labels.size:
        return labels[:k]
    more = [f"class {code + 1}" for code in range(labels.size, k)]
    return np.array([*map(str, labels.tolist()), *more])


def model_file(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int], store: "Store") -> str:
    """The text of a model file, with the labels as they came, sorted."""
    match choice:
        case Neighbours():
            msg = "nearest neighbours have no model file: take the rows instead"
            raise MessageError(msg)
        case GaussiansByHand():
            shown = shown_features(dataset, pair)
            axes = list(shown.axes)
            model = given_model(
                list(choice.priors),
                np.array(choice.means)[:, axes],
                np.array(choice.covariances)[:, axes][:, :, axes],
                labels_by_hand(dataset, choice),
                covariance="full",
                shared=False,
                feature_names=[dataset.table.features[column] for column in shown.numbers],
            )
        case FitSettings():
            fitted = _fitted(dataset, choice, store)
            if isinstance(fitted, Problem):
                msg = f"there is no model to take away: {fitted.text}"
                raise MessageError(msg)
            model = replace(fitted, target=dataset.target_name)
    return model_files.dumps(model).decode("utf-8")


def _fitted_view(
    dataset: Dataset, choice: FitSettings, shown: ShownFeatures, store: "Store"
) -> ModelView | Problem:
    model = _fitted(dataset, choice, store)
    if isinstance(model, Problem):
        return model
    columns = dataset.table.columns_of(shown)
    codes = np.array([dataset.table.labels.tolist().index(c) for c in model.classes.tolist()])
    named = replace(model.schema, classes=np.array(dataset.classes)[codes])
    # What was learnt is not needed to look at a model.
    part = replace(model, learnt=None, schema=named).marginal(columns)
    return ModelView(part, codes, dataset.classes, model.n_parameters)


def _fitted(dataset: Dataset, choice: FitSettings, store: "Store") -> Model | Problem:
    """The model of these settings, or why there is none."""
    return store.recall(("fit", dataset.key, choice), lambda: _fit(dataset, choice, store))


def _fit(dataset: Dataset, choice: FitSettings, store: "Store") -> Model | Problem:
    learnt = _learnt(dataset, choice.first, store)
    if isinstance(learnt, Problem):
        return learnt
    try:
        options = _options(choice, _priors(choice.priors, dataset.table, learnt.classes))
        return learnt.with_settings(options.settings(learnt.schema), "fit").solved(1)
    except GaussBayesError as error:
        return Problem(str(error))


def _options(choice: FitSettings, priors: Priors = None) -> Options:
    return check_options(
        covariance=choice.covariance,
        shared=choice.shared,
        priors=priors,
        divisor=choice.divisor,
        shrinkage=choice.shrinkage,
        smoothing=choice.smoothing,
        unlabelled_weight=choice.unlabelled_weight,
    )


def fit_options(dataset: Dataset, choice: FitSettings) -> dict[str, Any]:
    """The classifier's options that make a model of a table, but for those that are the usual ones.

    Priors are in the page's order.
    """
    table = dataset.table
    options = options_of(_options(choice).settings(table.schema), table.schema)
    options |= {"priors": choice.priors, "categorical_features": list(table.encoder.categorical)}
    if not has_unlabelled(dataset):
        options.pop("unlabelled_weight")
    usual = {name: each.default for name, each in signature(check_options).parameters.items()}
    usual["categorical_features"] = []
    return {name: value for name, value in options.items() if value != usual[name]}


def has_unlabelled(dataset: Dataset) -> bool:
    """Whether rows have no label."""
    return bool((dataset.table.codes == UNLABELLED).any())


def _learnt(dataset: Dataset, first: int | None, store: "Store") -> Model | Problem:
    """What the training rows say, or the first of them; every setting's model follows from it."""

    def make() -> Model | Problem:
        numbers, table = dataset.training(first), dataset.table
        if not (table.codes[numbers] >= 0).any():
            return Problem("there are no rows to learn from: add points, or hold out fewer")
        schema = table.schema
        settings = check_options().settings(schema)
        try:
            learnt = observe(table.labelled(numbers), settings, schema, keep_all=True)
        except GaussBayesError as error:
            return Problem(str(error))
        model = learnt_model(settings, schema, learnt)
        if model.classes.size == 1:
            return Problem(_one_class(str(model.classes.tolist()[0]), so_far=first is not None))
        return model

    return store.recall(("learnt", dataset.key, first), make)


def _one_class(name: str, *, so_far: bool) -> str:
    if so_far:
        return f"so far all rows are of one class, {name!r}, and a classifier needs two"
    return (
        f"there are rows of one class only, {name!r}, and a classifier needs two: add points of "
        "another, or choose another column to predict"
    )


def _priors(priors: Priors, table: Table, present: LabelArray) -> Priors:
    """Priors, given in the page's order, of the classes that have rows, in the model's order.

    Those of classes without rows go to the others in proportion.
    """
    if priors is None or isinstance(priors, str):
        return priors
    each = np.asarray(priors, dtype=np.float64)
    if each.size != table.labels.size:
        return each  # the core says so
    labels = table.labels.tolist()
    known: FloatArray = each[[labels.index(label) for label in present.tolist()]]
    if known.size == each.size:
        return known
    return known / known.sum() if known.sum() > 0 else "uniform"


def _by_hand(dataset: Dataset, choice: GaussiansByHand, shown: ShownFeatures) -> ModelView:
    k = len(choice.priors)
    known = dataset.classes
    names = (*known, *(f"class {code + 1}" for code in range(len(known), k)))
    try:
        whole = _gaussian_model(choice.priors, choice.means, choice.covariances)
    except GaussBayesError as error:
        msg = f"model: {error}"
        raise MessageError(msg) from None
    part = whole.marginal(shown.axes)
    # Of a single feature the second coordinate says nothing: it has no parameters to count.
    counted = whole if len(dataset.table.features) > 1 else part
    features = tuple(dataset.table.features[column] for column in shown.numbers)
    schema = replace(part.schema, classes=np.array(names[:k]), features=features)
    return ModelView(replace(part, schema=schema), np.arange(k), names, counted.n_parameters)


def _true_model(truth: TrueGaussians) -> Model:
    return _gaussian_model(truth.priors, truth.means, truth.covariances)


def _gaussian_model(priors: Priors, means: ArrayLike, covariances: ArrayLike) -> Model:
    """A model of Gaussians with given parameters, its classes numbered as they come."""
    shared = np.ndim(covariances) == 2
    return given_model(
        priors, means, covariances, covariance="full", shared=shared, fewest_classes=1
    )


def _neighbours(
    dataset: Dataset, k: int, columns: tuple[int, ...], store: "Store"
) -> NeighbourView | Problem:
    """Nearest neighbours by some features, among the labelled training rows that have them."""

    def make() -> tuple[Any, NDArray[np.intp]]:
        from sklearn.neighbors import KNeighborsClassifier  # takes a while

        table, rows = dataset.table, dataset.training()
        incomplete = np.isnan(table.X[rows][:, columns]).any(axis=1)
        rows = rows[~incomplete & (table.codes[rows] >= 0)]
        tree = KNeighborsClassifier(1)
        if rows.size:
            tree.fit(table.X[rows][:, columns], table.codes[rows])
        return tree, rows

    # One tree for every k: a model by itself would keep the rows again.
    tree, rows = store.recall(("neighbours", dataset.key, columns), make)
    if rows.size < k:
        return Problem(f"there are only {rows.size} rows to find {k} neighbours among; ask fewer")
    neighbours = copy(tree).set_params(n_neighbors=k)
    return NeighbourView(neighbours, neighbours.classes_.astype(np.intp), dataset.classes, rows)
