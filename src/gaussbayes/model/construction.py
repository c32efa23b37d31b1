"""Models of given parameters, or of covariances that another estimator computes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import CovarianceName, FloatArray, LabelArray
from gaussbayes.data.categories import in_order
from gaussbayes.data.labels import encode
from gaussbayes.data.rows import LabelledRows
from gaussbayes.data.schema import Schema, check_names
from gaussbayes.families.categorical.family import Categorical, CategoricalDensity
from gaussbayes.families.gaussian.density import given
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.structure import structure_of_values
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Component, Priors, Settings, class_priors
from gaussbayes.model.solution import Solution


def given_model(
    priors: Priors,
    means: ArrayLike | None,
    covariances: ArrayLike | None,
    classes: ArrayLike | None = None,
    *,
    covariance: CovarianceName | None = None,
    shared: bool | None = None,
    feature_names: Sequence[str] | None = None,
    category_probabilities: Mapping[str, Mapping[Any, ArrayLike]] | None = None,
    fewest_classes: int = 2,
) -> Model:
    """A model of given Gaussians, categories or both; its classes are sorted.

    See `gaussbayes.GaussianClassifier.from_parameters`. With `fewest_classes`, a model that is not
    used for classification may have a single class.
    """
    tables = category_probabilities or {}
    if (means is None) != (covariances is None) or (means is None and not tables):
        msg = "give means and covariances, category_probabilities, or all of them"
        raise OptionError(msg)
    mean, values = np.empty((_n_classes(tables), 0)), np.empty(0)
    if means is not None:
        mean, values = as_numbers("means", means), as_numbers("covariances", covariances)
    if mean.ndim != 2 or mean.shape[0] < fewest_classes or (means is not None and not mean.size):
        expected = "shape (classes, features)"
        expected += " with at least two classes" if fewest_classes > 1 else ""
        msg = f"means must have {expected}, got {mean.shape}"
        raise OptionError(msg)
    k, g = mean.shape
    order, ordered = _in_order(classes, k)
    if isinstance(priors, list | tuple | np.ndarray) and len(priors) == k:
        priors = [priors[code] for code in order]
    names = check_names(feature_names, g)
    if tables:
        names = (*(names or (f"x{j}" for j in range(g))), *tables)
    d = g + len(tables)
    listed = tuple(np.argsort(order).tolist())
    schema = Schema(ordered, d, names, tuple(range(g, d)), listed=listed)
    components: list[Component] = []
    densities: list[Any] = []
    if means is not None:
        structure = structure_of_values(values, k, g, covariance, shared)
        values = values if structure.shared else values[order]
        components.append(Component(Gaussian(structure), tuple(range(g))))
        densities.append(given(schema.part(range(g)), structure, mean[order], values))
    if tables:
        components.append(Component(Categorical(), tuple(range(g, d))))
        densities.append(_given_categories(tables, order))
    solution = Solution(class_priors(priors, schema, np.ones(k)), tuple(densities))
    return Model(Settings(tuple(components), priors), schema, None, solution)


def estimated_model(
    table: LabelledRows,
    schema: Schema,
    estimate: Callable[[FloatArray], FloatArray],
    *,
    shared: bool,
    priors: Priors = None,
) -> Model:
    """The model of complete numeric rows whose covariances another function estimates.

    `estimate` returns the covariance (d, d) of the rows of a class (n, d); a shared one is the mean
    of these, weighted by the numbers of rows. The model cannot be updated.
    """
    rows, codes = table.rows.matrix.astype(np.float64), table.targets.codes
    k = table.classes.shape[0]
    count = np.bincount(codes, minlength=k)
    of_class = [rows[codes == code] for code in range(k)]
    means = np.stack([some.mean(axis=0) for some in of_class])
    covariances = np.stack([np.atleast_2d(estimate(some)) for some in of_class])
    if shared:
        covariances = np.einsum("k,kij->ij", count / count.sum(), covariances)
    return given_model(
        count / count.sum() if priors is None else priors,
        means,
        covariances,
        table.classes,
        covariance="full",
        shared=shared,
        feature_names=schema.features,
        fewest_classes=1,
    )


def _n_classes(tables: Mapping[str, Mapping[Any, ArrayLike]]) -> int:
    """The number of probabilities of the first category."""
    return next((np.size(value) for table in tables.values() for value in table.values()), 0)


def _given_categories(
    tables: Mapping[str, Mapping[Any, ArrayLike]], order: NDArray[np.intp]
) -> CategoricalDensity:
    """Categories with their ``p(category | class)`` (k,), the classes in this order."""
    categories, logarithms = [], []
    for feature, table in tables.items():
        known = in_order(table, repr(feature))
        probability = as_numbers(f"the probabilities of {feature!r}", [table[c] for c in known])
        if probability.ndim != 2 or probability.shape[1] != order.size:
            msg = (
                f"each category of {feature!r} must have a probability for each of the "
                f"{order.size} classes, got {dict(table)!r:.200}"
            )
            raise OptionError(msg)
        if (probability < 0).any() or not np.allclose(probability.sum(axis=0), 1.0, atol=1e-9):
            msg = (
                f"the probabilities of {feature!r} must be 0 or above and sum to 1 in each class, "
                f"got the sums {probability.sum(axis=0).tolist()!r:.200}"
            )
            raise OptionError(msg)
        categories.append(known)
        with np.errstate(divide="ignore"):
            logarithms.append(np.log(probability.T[order]))
    return CategoricalDensity(tuple(categories), np.concatenate(logarithms, axis=1))


def _in_order(classes: ArrayLike | None, k: int) -> tuple[NDArray[np.intp], LabelArray]:
    """The order that sorts `k` labels (0 … k − 1 by default), and the sorted labels."""
    if classes is None:
        return np.arange(k), np.arange(k)
    codes, ordered = encode(classes)
    if codes.size != k or ordered.size != k:
        msg = f"there are {k} classes, so `classes` needs {k} different labels, got {classes!r}"
        raise DataError(msg)
    return np.argsort(codes), ordered
