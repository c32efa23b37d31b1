"""The model without a row, fitted again: for the rows with which too much goes."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import GaussBayesError, PriorError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.scores import log_posterior
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.prior import Priors, class_priors
from gaussbayes.model.settings import Settings


def moments_without(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    row: int,
    n_classes: int,
    layout: ScatterLayout,
) -> ClassMoments:
    """The moments of all rows but one. They are added up: a subtraction would lose digits.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [5.0], [3.0]]), np.zeros(3, np.int32)
    >>> moments_without(X, codes, None, 1, 1, "full").mean.tolist()
    [[2.0]]
    """

    def some(part: slice) -> ClassMoments:
        own = None if weights is None else weights[part]
        return summarise(X[part], codes[part], own, n_classes, layout)

    return some(slice(0, row)) + some(slice(row + 1, None))


def log_posterior_without(
    moments: ClassMoments, x: FloatArray, row: int, n_rows: int, schema: Schema, settings: Settings
) -> FloatArray:
    """Log posteriors (k,) of a row x (d,) by the moments of the others; −∞ for a class without.

    Raises
    ------
    GaussBayesError
        If the others do not make a model, for instance because a covariance is singular.
    """
    there = moments.weight > 0
    known = LabelledMoments(schema.classes, moments).with_rows()
    told = np.full(there.size, -np.inf)
    try:
        priors = _priors_of_some(settings.priors, schema, moments.weight, there)
        parameters = replace(settings, priors=priors).estimate(
            known.moments, replace(schema, classes=known.classes)
        )
        told[there] = log_posterior(parameters, x[None])[0]
    except GaussBayesError as error:
        msg = f"without row {row + 1} of {n_rows} the model cannot be fitted: {error}"
        raise type(error)(msg) from None
    return told


def with_categories(log_posterior: FloatArray, categories: FloatArray, row: int) -> FloatArray:
    """Log posteriors (k,) by the numbers of a row, and its categories' log likelihoods → by both.

    Raises
    ------
    DataError
        If the row has probability 0 in every class, as can be without smoothing.

    Examples
    --------
    >>> both = with_categories(np.log([0.5, 0.5]), np.log([0.1, 0.3]), 0)
    >>> np.exp(both).round(12).tolist()
    [0.25, 0.75]
    """
    joint = log_posterior + categories
    most = joint.max()
    if most == -np.inf:
        from gaussbayes.families.categorical.likelihood import refuse_impossible

        refuse_impossible(row, " of the model without it")
    joint -= most
    joint -= log_sum_exp(joint[None])[0]
    return joint


def _priors_of_some(
    priors: Priors, schema: Schema, weight: FloatArray, there: NDArray[np.bool_]
) -> Priors:
    """The priors of the classes that are left, in the proportions that were given."""
    if priors is None or there.all():
        return priors
    every = class_priors(priors, schema, weight)
    total = float(every[there].sum())
    if total == 0:
        lost = schema.class_name(int(np.argmin(there)))
        msg = f"only class {lost} has a prior above 0, and no other row"
        raise PriorError(msg)
    some: FloatArray = every[there] / total
    return some
