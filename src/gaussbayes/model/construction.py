"""Models made without rows: from parameters that the user wrote down, or from moments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import ParameterError, SchemaError
from gaussbayes.base.schema import Schema, check_names
from gaussbayes.base.types import CovarianceName, LabelArray
from gaussbayes.data.labels import encode
from gaussbayes.families.gaussian.density import given
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics
from gaussbayes.families.gaussian.structure import structure_of_values
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import Options
from gaussbayes.model.settings import Component, Priors, Settings, class_priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import Learnt


def given_model(
    priors: Priors,
    means: ArrayLike,
    covariances: ArrayLike,
    classes: ArrayLike | None = None,
    *,
    covariance: CovarianceName | None = None,
    shared: bool | None = None,
    feature_names: Sequence[str] | None = None,
    fewest_classes: int = 2,
) -> Model:
    """A model of Gaussians with given parameters; its classes are sorted.

    See `gaussbayes.GaussianClassifier.from_parameters`. A model that is looked at, and never asked
    to classify, may have a single class if `fewest_classes` says so.
    """
    mean, values = as_numbers("means", means), as_numbers("covariances", covariances)
    if mean.ndim != 2 or mean.shape[0] < fewest_classes or mean.shape[1] < 1:
        expected = "shape (classes, features) with at least two classes"
        msg = f"means must have {expected}, got {mean.shape}"
        raise ParameterError(msg)
    k, d = mean.shape
    structure = structure_of_values(values, k, d, covariance, shared)
    order, ordered = _in_order(classes, k)
    if isinstance(priors, list | tuple | np.ndarray) and len(priors) == k:
        priors = [priors[code] for code in order]
    schema = Schema(ordered, d, check_names(feature_names, d))
    values = values if structure.shared else values[order]
    density = given(schema, structure, mean[order], values)
    solution = Solution(class_priors(priors, schema, np.ones(k)), (density,))
    components = (Component(Gaussian(structure), tuple(range(d))),)
    return Model(Settings(components, priors), schema, None, solution)


def moments_model(
    moments: ClassMoments,
    options: Options,
    classes: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
) -> Model:
    """The model of numbers whose moments were gathered elsewhere.

    Classes, called 0 … k − 1 if `classes` (k,) are not given, that weigh nothing are left out.
    """
    order, ordered = _in_order(classes, moments.n_classes)
    d = moments.n_features
    schema = Schema(ordered, d, check_names(feature_names, d))
    settings = options.settings(schema)
    statistics: Any = GaussianStatistics(moments.selected(order.tolist()))
    parts = (statistics,)
    if len(settings.components) > 1:
        parts = tuple(statistics.of_columns(part.columns) for part in settings.components)
    return learnt_model(settings, schema, Learnt(ordered, parts).adapted(settings))


def _in_order(classes: Any, k: int) -> tuple[NDArray[np.intp], LabelArray]:
    """What sorts `k` labels (0 … k − 1 if None are given), and the sorted labels."""
    if classes is None:
        return np.arange(k), np.arange(k)
    codes, ordered = encode(classes)
    if codes.size != k or ordered.size != k:
        msg = f"there are {k} classes, so `classes` needs {k} different labels, got {classes!r}"
        raise SchemaError(msg)
    return np.argsort(codes), ordered
