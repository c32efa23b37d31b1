"""Complete statistics → density: the closed forms, regularised, plain, and given by the user."""

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, ParameterError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.shrinkage import Penalty, Shrinkage, shrink
from gaussbayes.families.gaussian.structure import Structure, structure_of_values


def estimate(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor = "mle",
    shrinkage: Shrinkage = None,
) -> GaussianDensity:
    """The density that fits complete rows best.

    Means are the classes' means; a covariance is the scatter divided by N (``"mle"``) or by N − 1
    (``"unbiased"``; N − k when shared), then shrunk. Between own and shared, both are estimated in
    this way, then mixed: own scatters may be singular, the mixture may not.
    """
    values = _values(moments, names, structure, divisor, shrinkage)
    weight = moments.weight.sum(keepdims=True) if structure.shared else moments.weight
    try:
        covariance = structure.shape.of(values, names, weight)
    except SingularCovarianceError:
        if structure.between:  # singular only if the pooled one is, of which more can be said
            estimate(moments, names, structure.parts[1], divisor, shrinkage)
        raise
    return GaussianDensity(*_center(moments), covariance)


def maximum(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    penalty: Penalty | None = None,
) -> GaussianDensity:
    """The most likely density of complete rows, own covariances where the structure is between.

    A penalty is added to the log-likelihood.
    """
    shape = structure.shape
    scatter = moments.scatters(shape.layout, shared=structure.shared)
    degrees = weight = structure.weights(moments.weight)
    if penalty is not None:
        scatter, degrees = penalty.added(scatter), weight + penalty.weight
    covariance = shape.of(shape.from_scatter(scatter, degrees), names, weight)
    return GaussianDensity(*_center(moments), covariance)


def given(
    names: Schema, structure: Structure, means: ArrayLike, covariances: ArrayLike
) -> GaussianDensity:
    """A density that the user wrote down, with means (k, d).

    Covariances are full (k, d, d) or shared (d, d); diagonal (k, d) or (d,); spherical (k,) or ().
    """
    k, d = names.classes.shape[0], names.n_features
    mean = _finite_numbers("means", means)
    if mean.shape != (k, d):
        msg = f"means must have shape {(k, d)} (classes, features), got {mean.shape}"
        raise ParameterError(msg)
    values = _finite_numbers("covariances", covariances)
    structure_of_values(values, k, d, structure.covariance, structure.shared)  # raises unless so
    if structure.shared:
        values = values[None]
    center = mean.mean(axis=0)
    return GaussianDensity(center, mean - center, structure.shape.given(values, names))


def _finite_numbers(what: str, values: ArrayLike) -> FloatArray:
    numbers = as_numbers(what, values)
    if not np.isfinite(numbers).all():
        place = tuple(np.argwhere(~np.isfinite(numbers))[0].tolist())
        msg = f"{what} must be finite, got {numbers[place]} at {place}"
        raise ParameterError(msg)
    return numbers


def _values(
    moments: ClassMoments,
    names: Schema,
    structure: Structure,
    divisor: Divisor,
    shrinkage: Shrinkage,
) -> FloatArray:
    """The covariances: full (m, d, d), diagonal (m, d) or spherical (m,); m is 1 when shared."""
    if structure.between:
        apart, pooled = (
            _values(moments, names, part, divisor, shrinkage) for part in structure.parts
        )
        return np.asarray((1.0 - structure.sharing) * apart + structure.sharing * pooled)
    shared, shape = structure.shared, structure.shape
    scatter = moments.scatters(shape.layout, shared=shared)
    weight = moments.weight.sum(keepdims=True) if structure.shared else moments.weight
    n_means = float(moments.n_classes) if shared else 1.0
    degrees = weight if divisor == "mle" else weight - n_means
    if (degrees <= 0).any():
        code = int(np.argmin(degrees))
        who = "the classes together weigh" if shared else f"class {names.class_name(code)} weighs"
        msg = (
            f"{who} {weight[code]:g}: divisor='unbiased' divides by {degrees[code]:g}; give more "
            "rows or use divisor='mle'"
        )
        raise DataError(msg)
    values = shape.from_scatter(scatter, degrees)
    unshrunk = shrinkage is None or shape.isotropic
    return values if unshrunk else shrink(values, shrinkage, weight)


def _center(moments: ClassMoments) -> tuple[FloatArray, FloatArray]:
    """A float vector amid the means, and the means' offsets from it."""
    proportion = moments.weight / moments.weight.sum()
    first = int(np.argmax(moments.weight))
    # Differences of nearby anchors are exact; only then is anything rounded.
    apart = (moments.anchor - moments.anchor[first]) + moments.offset
    center: FloatArray = moments.anchor[first] + proportion @ apart
    offset: FloatArray = (moments.anchor - center) + moments.offset
    return center, offset
