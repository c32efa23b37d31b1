"""A model seen through the features that a picture shows: scores of rows, for every class.

What the page shows of a model, whether it was fitted, set by hand or is a vote of neighbours, comes
from one of two records with the same methods. Classes that the model does not know have posterior
0.
"""

from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import ByHand, FromData, MessageError, ModelChoice, Neighbours
from gaussbayes.apps.lab.work.fits import Problem, fitted
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Shown:
    """The features that are seen: of a pair both, or one if the other is hidden."""

    columns: tuple[int, ...]  # of the dataset, one or two
    axes: tuple[int, ...]  # which coordinate of the pair each is


@dataclass(frozen=True, slots=True, eq=False)
class Gaussians:
    """Gaussians of the features shown."""

    parameters: Parameters
    classes: NDArray[np.intp]  # (m,) which number each of its classes has on the page
    names: tuple[str, ...]  # of all classes on the page, k
    count: int  # free parameters of the whole model

    def log_posterior(self, rows: FloatArray) -> RealArray:
        """``log p(c | x)`` (n, m) of the classes that the model knows."""
        return scores.log_posterior(self.parameters, rows)

    def schema(self, features: tuple[str, ...]) -> Schema:
        """The names of the model's classes, and of its features."""
        names = np.array([self.names[code] for code in self.classes])
        return Schema(names, len(features), features)


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Nearest neighbours among the training rows, by the features shown."""

    voters: Any  # scikit-learn's KNeighborsClassifier
    classes: NDArray[np.intp]  # (m,) as above
    names: tuple[str, ...]
    rows: NDArray[np.intp]  # the numbers of the rows that vote

    def log_posterior(self, rows: FloatArray | None) -> RealArray:
        """The logarithms of the shares of votes (n, m); None asks of each voter without itself."""
        with np.errstate(divide="ignore"):
            told: RealArray = np.log(self.voters.predict_proba(rows))
        return told


Sight: TypeAlias = Gaussians | Votes


def shown(dataset: Dataset, pair: tuple[int, int], hide: int | None = None) -> Shown:
    """The features of a pair that are seen; the same one twice is one."""
    dataset.refuse_strange(*pair)
    if pair[0] == pair[1]:
        return Shown(pair[:1], (0,))
    if hide is None:
        return Shown(pair, (0, 1))
    return Shown((pair[1 - hide],), (1 - hide,))


def sight(dataset: Dataset, choice: ModelChoice, seen: Shown, store: Store) -> Sight | Problem:
    """The model as these features show it, the others integrated out."""
    if isinstance(choice, ByHand):
        return _by_hand(dataset, choice, seen)
    key = "sight", dataset.key, choice, seen.columns
    return store.recall(key, lambda: _found(dataset, choice, seen.columns, store))


def true_sight(dataset: Dataset, seen: Shown, store: Store) -> Gaussians | None:
    """The model that the rows were drawn from, if it is known."""
    truth = dataset.table.truth
    if truth is None:
        return None
    key = "truth", truth, seen.columns
    every = np.arange(truth.prior.size)
    return store.recall(
        key,
        lambda: Gaussians(
            _part(truth, seen.columns, dataset), every, dataset.classes, truth.n_parameters
        ),
    )


def told(found: Sight, rows: FloatArray) -> RealArray:
    """Log posteriors (n, k) for every class of the page; −∞ for those that the model knows not."""
    some = found.log_posterior(rows)
    return spread_classes(found, some, -np.inf)


def spread_classes(found: Sight, values: RealArray, otherwise: float) -> RealArray:
    """Values (n, m) of a model's classes as those of all classes of the page (n, k)."""
    k = len(found.names)
    if found.classes.size == k:
        return values
    every: RealArray = np.full((values.shape[0], k), otherwise, dtype=values.dtype)
    every[:, found.classes] = values
    return every


def predicted(found: Sight, rows: FloatArray) -> NDArray[np.intp]:
    """The most probable class (n,) on the page."""
    codes: NDArray[np.intp]
    if isinstance(found, Gaussians):
        codes = scores.labels(found.parameters, rows)
    else:
        codes = found.log_posterior(rows).argmax(axis=1)
    return found.classes[codes]


def _found(
    dataset: Dataset, choice: FromData | Neighbours, columns: tuple[int, ...], store: Store
) -> Sight | Problem:
    if isinstance(choice, Neighbours):
        return _votes(dataset, choice.k, columns, store)
    fit = fitted(dataset, choice, store)
    if isinstance(fit, Problem):
        return fit
    part = fit.model.marginal(columns, fit.parameters).parameters
    assert part is not None
    return Gaussians(part, fit.present, dataset.classes, fit.parameters.n_parameters)


def _by_hand(dataset: Dataset, choice: ByHand, seen: Shown) -> Gaussians:
    k = choice.priors.size
    known = dataset.classes
    names = (*known, *(f"class {code + 1}" for code in range(len(known), k)))
    part = choice.parameters
    if seen.axes != (0, 1):
        part = marginal(part, seen.axes, Schema(np.arange(k), len(seen.axes)))
    # Of a single feature the second coordinate says nothing: it has no parameters to count.
    whole = choice.parameters if len(dataset.table.features) > 1 else part
    return Gaussians(part, np.arange(k), names, whole.n_parameters)


def _votes(dataset: Dataset, k: int, columns: tuple[int, ...], store: Store) -> Votes | Problem:
    """Nearest neighbours by some features, among the training rows that have them."""
    key = "voters", dataset.key, columns
    # One tree for every k: a model by itself would keep the rows again.
    voters, rows = store.recall(key, lambda: _voters(dataset, columns))
    if rows.size < k:
        return Problem(f"there are only {rows.size} rows to find {k} neighbours among; ask fewer")
    own = copy(voters).set_params(n_neighbors=k)
    return Votes(own, own.classes_.astype(np.intp), dataset.classes, rows)


def _voters(dataset: Dataset, columns: tuple[int, ...]) -> tuple[Any, NDArray[np.intp]]:
    from sklearn.neighbors import KNeighborsClassifier  # takes a while

    table, rows = dataset.table, dataset.training
    rows = rows[~np.isnan(table.X[rows][:, columns]).any(axis=1)]
    voters = KNeighborsClassifier(1)
    if rows.size:
        voters.fit(table.X[rows][:, columns], table.codes[rows])
    return voters, rows


def _part(truth: Parameters, columns: tuple[int, ...], dataset: Dataset) -> Parameters:
    return marginal(truth, columns, Schema(np.array(dataset.classes), len(columns)))


def column_of(pair: tuple[int, int], feature: int, choice: ModelChoice) -> Shown:
    """One feature alone; a model set by hand has only those of the pair."""
    if isinstance(choice, ByHand) and feature not in pair:
        msg = f"a model set by hand has the features {pair[0]} and {pair[1]}, not {feature}"
        raise MessageError(msg)
    axis = pair.index(feature) if feature in pair else 0
    return Shown((feature,), (axis,))
