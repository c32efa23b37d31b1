"""The models of the page: the one module of the lab that talks to the core.

A model, whether it was fitted, set by hand or is a vote of neighbours, is seen through the features
that a figure shows, the others integrated out: `GaussianView` or `NeighbourView`. Scores are those
of all classes of the page; a class that the model does not know has posterior 0. What was fitted
once is kept in the store.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import novelty, synthesis
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
from gaussbayes.apps.lab.training_data import Dataset, Table, TrueGaussians
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.leave_one_out import leave_one_out
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given
from gaussbayes.families.gaussian.shapes import correlation
from gaussbayes.families.gaussian.structures import STRUCTURES
from gaussbayes.model import file as model_files
from gaussbayes.model.direct import direct_parameters
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model, given_model, learnt_model
from gaussbayes.model.prior import Priors
from gaussbayes.model.settings import check_settings

if TYPE_CHECKING:
    from gaussbayes.apps.lab.store import Store

_NOTHING_TO_SHOW = (-5.0, 5.0)
"""The limits of a feature without any value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something cannot be calculated for these data, and what to do."""

    text: str


@dataclass(frozen=True, slots=True)
class ShownFeatures:
    """The features that are seen: of a pair both, or one if the other is hidden."""

    columns: tuple[int, ...]  # of the dataset, one or two
    axes: tuple[int, ...]  # which coordinate of the pair each is


@dataclass(frozen=True, slots=True, eq=False)
class GaussianView:
    """Gaussians of the features shown."""

    parameters: Parameters
    classes: NDArray[np.intp]  # (m,) the class code on the page of each class of the model
    names: tuple[str, ...]  # of all classes on the page, k
    n_parameters: int  # of the whole model

    def log_posterior(self, rows: FloatArray) -> RealArray:
        """``log p(c | x)`` (n, m) of the classes that the model knows."""
        return scores.log_posterior(self.parameters, rows)

    def labels(self, rows: FloatArray) -> NDArray[np.intp]:
        """The class code on the page of the most probable class (n,)."""
        return self.classes[scores.labels(self.parameters, rows)]

    def log_likelihood(self, rows: FloatArray) -> RealArray:
        """``log p(x | c)`` (n, k)."""
        return all_classes(self, scores.log_likelihood(self.parameters, rows), -np.inf)

    def log_joint(self, rows: FloatArray) -> RealArray:
        """``log p(x, c)`` (n, k)."""
        return all_classes(self, scores.log_joint(self.parameters, rows), -np.inf)

    def log_evidence(self, rows: FloatArray) -> RealArray:
        """``log p(x)`` (n,)."""
        return scores.log_evidence(self.parameters, rows)

    def p_values(self, rows: FloatArray) -> RealArray:
        """How probable it is for rows of each class to lie as far out (n, k)."""
        return all_classes(self, novelty.class_p_values(self.parameters, rows), 0.0)

    def is_novel(self, rows: FloatArray, level: float) -> NDArray[np.bool_]:
        """Which rows are like no class (n,): every p-value is below the level."""
        p_values = novelty.class_p_values(self.parameters, rows)
        return novelty.novel(p_values, level, self.parameters.prior)

    def boundaries(self) -> list[tuple[float, int, int]]:
        """Of one feature: where the decision changes, and the class codes left and right of it."""
        if self.parameters.prior.size < 2:
            return []
        return [
            (each.position, int(self.classes[each.left]), int(self.classes[each.right]))
            for each in decision_boundaries(self.parameters)
        ]

    def explanation(self, row: FloatArray, features: tuple[str, ...]) -> dict[str, Any]:
        """Bayes' rule for a row with every number, and what each feature adds to the log-odds."""
        names = np.array([self.names[code] for code in self.classes])
        return explain(self.parameters, Schema(names, len(features), features), row).as_record()

    @property
    def means(self) -> FloatArray:
        """Of the classes that the model knows (m, d)."""
        return self.parameters.mean

    @property
    def covariances(self) -> FloatArray:
        """Of the classes that the model knows (m, d, d), also where they share one."""
        m, d = self.means.shape
        return np.broadcast_to(self.parameters.covariance.dense(), (m, d, d))

    def record(self) -> dict[str, Any]:
        """Priors, means and covariances of all classes; None for those that the model knows not."""
        k = len(self.names)
        record: dict[str, Any] = {
            "priors": [0.0] * k,
            "means": [None] * k,
            "covariances": [None] * k,
        }
        values = (self.parameters.prior, self.means, self.covariances)
        for name, each in zip(record, values, strict=True):
            for code, value in zip(self.classes.tolist(), each.tolist(), strict=True):
                record[name][code] = value
        return record | {"count": self.n_parameters}


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourView:
    """Nearest neighbours among the training rows, by the features shown."""

    neighbours: Any  # scikit-learn's KNeighborsClassifier
    classes: NDArray[np.intp]  # (m,) as above
    names: tuple[str, ...]
    rows: NDArray[np.intp]  # the numbers of the rows that vote

    def log_posterior(self, rows: FloatArray | None) -> RealArray:
        """Logarithms of the proportions of votes (n, m); None: of each voter without itself."""
        with np.errstate(divide="ignore"):
            votes: RealArray = np.log(self.neighbours.predict_proba(rows))
        return votes

    def labels(self, rows: FloatArray) -> NDArray[np.intp]:
        """The class code on the page of the class with most votes (n,)."""
        best: NDArray[np.intp] = self.log_posterior(rows).argmax(axis=1)
        return self.classes[best]

    def left_out(self) -> tuple[RealArray, NDArray[np.intp]] | None:
        """Log posteriors (n, k) of the rows that vote, each by the others, and their numbers."""
        if self.rows.size <= self.neighbours.n_neighbors:
            return None
        return all_classes(self, self.log_posterior(None), -np.inf), self.rows

    def nearest(self, row: FloatArray) -> list[int]:
        """The numbers of the rows that vote on a row (d,)."""
        nearest = self.neighbours.kneighbors(row[None], return_distance=False)[0]
        return [int(number) for number in self.rows[nearest]]


View: TypeAlias = GaussianView | NeighbourView


def all_classes(view: View, values: RealArray, otherwise: float) -> RealArray:
    """Values (n, m) of a model's classes as those of all classes of the page (n, k)."""
    k = len(view.names)
    if view.classes.size == k:
        return values
    spread: RealArray = np.full((values.shape[0], k), otherwise, dtype=values.dtype)
    spread[:, view.classes] = values
    return spread


def shown_features(
    dataset: Dataset, pair: tuple[int, int], hide: int | None = None
) -> ShownFeatures:
    """The features of a pair that are seen; the same one twice is one."""
    dataset.check_features(*pair)
    if pair[0] == pair[1]:
        return ShownFeatures(pair[:1], (0,))
    if hide is None:
        return ShownFeatures(pair, (0, 1))
    return ShownFeatures((pair[1 - hide],), (1 - hide,))


def all_features(dataset: Dataset, choice: ModelChoice, pair: tuple[int, int]) -> ShownFeatures:
    """All features of a model; one that is set by hand has those of the pair."""
    if isinstance(choice, GaussiansByHand):
        return shown_features(dataset, pair)
    dataset.check_features(*pair)
    columns = tuple(range(len(dataset.table.features)))
    return ShownFeatures(columns, columns)


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
    match choice:
        case GaussiansByHand():
            return _by_hand(dataset, choice, shown)
        case Neighbours():
            return _neighbours(dataset, choice.k, shown.columns, store)
        case FitSettings():
            key = "view", dataset.key, choice, shown.columns
            return store.recall(key, lambda: _fitted_view(dataset, choice, shown.columns, store))


def true_view(dataset: Dataset, shown: ShownFeatures, store: "Store") -> GaussianView | None:
    """The model that the rows were drawn from, if it is known."""
    truth = dataset.table.truth
    if truth is None:
        return None

    def make() -> GaussianView:
        whole = _true_parameters(truth)
        schema = Schema(np.array(dataset.classes), len(shown.columns))
        part = marginal(whole, shown.columns, schema)
        return GaussianView(part, np.arange(whole.prior.size), dataset.classes, whole.n_parameters)

    return store.recall(("truth", truth, shown.columns), make)


def least_error(dataset: Dataset, shown: ShownFeatures, store: "Store") -> BayesError | None:
    """How often the best rule for these features errs, if it is known what the rows come from."""
    truth = true_view(dataset, shown, store)
    if truth is None:
        return None
    return store.recall(("Bayes error", truth), lambda: bayes_error(truth.parameters))


def draw(
    truth: TrueGaussians, n: int, generator: np.random.Generator
) -> tuple[FloatArray, CodeArray]:
    """Rows (n, d), their classes by the priors, and the class code of each (n,)."""
    return synthesis.draw(_true_parameters(truth), n, generator)


def draw_of_classes(
    truth: TrueGaussians, codes: CodeArray, generator: np.random.Generator
) -> FloatArray:
    """A row (n, d) for each class code (n,)."""
    return synthesis.draw_rows(_true_parameters(truth), codes, generator)


def hold_out(table: Table, split: Split) -> tuple[NDArray[np.bool_], str | None]:
    """Which rows (n,) are held out, and why none are although that was asked for.

    They are those that ``gaussbayes evaluate --held-out PROPORTION --seed N`` holds out.

    Examples
    --------
    >>> rows, codes = np.arange(8.0)[:, None], np.repeat(np.arange(2, dtype=np.int32), 4)
    >>> table = Table("eight", rows, codes, np.array(["a", "b"]), ("x",))
    >>> test, problem = hold_out(table, Split(0.25, seed=0))
    >>> np.bincount(codes[test]).tolist(), problem
    ([1, 1], None)
    """
    test = np.zeros(table.codes.size, dtype=np.bool_)
    if split.test == 0 or not table.codes.size:
        return test, None
    from gaussbayes.analysis.comparison import held_out  # brings scikit-learn, takes a while

    labels = table.labels[table.codes]
    try:
        parts = held_out.hold_out(table.X, labels, split.test, split.seed, allow_nan=True)
    except GaussBayesError as error:
        return test, f"no rows are held out: {error}"
    test[parts.splits[0][1]] = True
    return test, None


def structures() -> dict[str, tuple[str, bool]]:
    """Covariance and sharing of the six structures by the names that people know.

    Examples
    --------
    >>> structures()["LDA"]
    ('full', True)
    """
    return {name: (each.covariance, each.shared) for name, each in STRUCTURES.items()}


def correlations(covariances: list[Any]) -> list[Any]:
    """The correlations of covariances, some of which may be None."""
    return [None if each is None else correlation(np.array(each)).tolist() for each in covariances]


def feature_limits(dataset: Dataset, column: int, store: "Store") -> tuple[float, float]:
    """What to show of a feature: all rows, or the true classes where there are none."""
    dataset.check_features(column)

    def make() -> tuple[float, float]:
        values = dataset.table.X[:, column]
        rows = values[~np.isnan(values)][:, None]
        truth = true_view(dataset, shown_features(dataset, (column, column)), store)
        if not rows.size and truth is None:
            return _NOTHING_TO_SHOW
        low, high = limits(None if truth is None else truth.parameters, rows)
        return float(low[0]), float(high[0])

    return store.recall(("limits", dataset.key, column), make)


def left_out(
    dataset: Dataset, choice: ModelChoice, view: View, store: "Store"
) -> tuple[RealArray, NDArray[np.intp]] | None:
    """Log posteriors (n, k) of rows by the model of all others, and the numbers of these rows.

    None where there is no such model, or no closed form.
    """
    if isinstance(view, NeighbourView):
        return view.left_out()
    fit = _fitted(dataset, choice, store) if isinstance(choice, FitSettings) else None
    if not isinstance(choice, FitSettings) or not isinstance(fit, _Fit):
        return None
    model, numbers = fit.model, dataset.training(choice.first)
    if model.incomplete is not None or model.moments is None:
        return None  # the closed form is one of complete rows
    codes = np.searchsorted(fit.present, dataset.table.codes[numbers]).astype(np.int32)
    moments = model.learnt("leave one out").moments.with_layout(model.settings.structure.layout)
    rows = dataset.table.X[numbers]
    try:
        known = leave_one_out(rows, codes, None, moments, model.schema, model.settings, 1)
    except GaussBayesError:
        return None  # without one of its rows there is no model
    return all_classes(view, known, -np.inf), numbers


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
            made = direct_parameters(
                list(choice.priors),
                np.array(choice.means)[:, axes],
                np.array(choice.covariances)[:, axes][:, :, axes],
                labels_by_hand(dataset, choice),
                ("full", False),
                [dataset.table.features[column] for column in shown.columns],
            )
            model = given_model(*made)
        case FitSettings():
            model = _model_to_keep(dataset, choice, store)
    return model_files.dumps(model).decode("utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A model of all features."""

    model: Model
    parameters: Parameters
    present: NDArray[np.intp]  # (m,) the class codes of the dataset that the model knows


def _fitted_view(
    dataset: Dataset, choice: FitSettings, columns: tuple[int, ...], store: "Store"
) -> GaussianView | Problem:
    fit = _fitted(dataset, choice, store)
    if isinstance(fit, Problem):
        return fit
    part = fit.model.marginal(columns, fit.parameters).parameters
    assert part is not None
    return GaussianView(part, fit.present, dataset.classes, fit.parameters.n_parameters)


def _fitted(dataset: Dataset, choice: FitSettings, store: "Store") -> _Fit | Problem:
    """The model of these settings, or why there is none."""
    return store.recall(("fit", dataset.key, choice), lambda: _fit(dataset, choice, store))


def _learnt_from(dataset: Dataset, first: int | None, store: "Store") -> LabelledMoments | Problem:
    """The statistics of the training rows, or of the first; every structure follows from them."""

    def make() -> LabelledMoments | Problem:
        numbers, table = dataset.training(first), dataset.table
        if not numbers.size:
            return Problem("there are no rows to learn from: add points, or hold out fewer")
        try:
            return learn(table.X[numbers], table.codes[numbers], None, table.labels, "full", 1)
        except GaussBayesError as error:
            return Problem(str(error))

    return store.recall(("learnt", dataset.key, first), make)


def _fit(dataset: Dataset, choice: FitSettings, store: "Store") -> _Fit | Problem:
    learnt = _learnt_from(dataset, choice.first, store)
    if isinstance(learnt, Problem):
        return learnt
    present = np.flatnonzero(learnt.weight > 0)
    if present.size == 1:
        return Problem(_one_class(dataset.classes[present[0]], so_far=choice.first is not None))
    table = dataset.table
    try:
        settings = _settings(choice, _among(choice.priors, present, dataset.n_classes))
        model = learnt_model(settings, learnt, table.features, table.target)
        solved, _ = model.solved(1)
        return _Fit(solved, solved.estimate(1), present)
    except GaussBayesError as error:
        return Problem(str(error))


def _settings(choice: FitSettings, priors: Priors) -> Any:
    return check_settings(
        choice.covariance, choice.shared, priors, choice.divisor, choice.shrinkage
    )


def _one_class(name: str, *, so_far: bool) -> str:
    if so_far:
        return f"so far all rows are of one class, {name!r}, and a classifier needs two"
    return (
        f"there are rows of one class only, {name!r}, and a classifier needs two: add points of "
        "another, or choose another column to predict"
    )


def _among(priors: Priors, present: NDArray[np.intp], n_classes: int) -> Priors:
    """Given priors of the classes that have rows; those of others go to them in proportion."""
    if priors is None or isinstance(priors, str):
        return priors
    each = np.asarray(priors, dtype=np.float64)
    if each.size != n_classes or present.size == each.size:
        return each  # if their number is wrong, the core says so
    known: FloatArray = each[present]
    return known / known.sum() if known.sum() > 0 else "uniform"


def _by_hand(dataset: Dataset, choice: GaussiansByHand, shown: ShownFeatures) -> GaussianView:
    k = len(choice.priors)
    known = dataset.classes
    names = (*known, *(f"class {code + 1}" for code in range(len(known), k)))
    schema = Schema(np.arange(k), 2, ("x", "y"))
    try:
        whole = given(schema, Structure(), choice.priors, choice.means, choice.covariances)
    except GaussBayesError as error:
        msg = f"model: {error}"
        raise MessageError(msg) from None
    part = whole
    if shown.axes != (0, 1):
        part = marginal(whole, shown.axes, Schema(np.arange(k), len(shown.axes)))
    # Of a single feature the second coordinate says nothing: it has no parameters to count.
    counted = whole if len(dataset.table.features) > 1 else part
    return GaussianView(part, np.arange(k), names, counted.n_parameters)


def _true_parameters(truth: TrueGaussians) -> Parameters:
    schema = Schema(np.array(truth.classes), len(truth.features), truth.features)
    structure = Structure("full", shared=np.ndim(truth.covariances) == 2)
    return given(schema, structure, truth.priors, truth.means, truth.covariances)


def _neighbours(
    dataset: Dataset, k: int, columns: tuple[int, ...], store: "Store"
) -> NeighbourView | Problem:
    """Nearest neighbours by some features, among the training rows that have them."""

    def make() -> tuple[Any, NDArray[np.intp]]:
        from sklearn.neighbors import KNeighborsClassifier  # takes a while

        table, rows = dataset.table, dataset.training()
        rows = rows[~np.isnan(table.X[rows][:, columns]).any(axis=1)]
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


def _model_to_keep(dataset: Dataset, choice: FitSettings, store: "Store") -> Model:
    """The fitted model with its classes sorted, which painted ones need not be."""
    table, target = dataset.table, dataset.target_name
    fit = _fitted(dataset, choice, store)
    if isinstance(fit, Problem):
        msg = f"there is no model to take away: {fit.text}"
        raise MessageError(msg)
    order = np.argsort(table.labels, kind="stable")
    if (order == np.arange(order.size)).all():
        return replace(fit.model, target=target)
    numbers = dataset.training(choice.first)
    codes = np.argsort(order).astype(np.int32)[table.codes[numbers]]
    priors: Priors = choice.priors
    if isinstance(priors, tuple):
        known = np.array(priors)[order][np.bincount(codes, minlength=order.size) > 0]
        priors = known / known.sum()
    learnt = learn(table.X[numbers], codes, None, table.labels[order], "full", 1)
    try:
        return learnt_model(_settings(choice, priors), learnt, table.features, target).solved(1)[0]
    except GaussBayesError as error:
        msg = f"there is no model to take away: {error}"
        raise MessageError(msg) from None
