"""Parameters written down by the user, without fitting: which structure they are, and in order."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.data.table import check_names
from gaussbayes.families.gaussian.parameters import Parameters, Structure, as_numbers, given
from gaussbayes.model.labelled import in_order
from gaussbayes.model.prior import Priors
from gaussbayes.model.settings import one_of


def direct_parameters(
    priors: Priors,
    means: ArrayLike,
    covariances: ArrayLike,
    classes: ArrayLike | None = None,
    structure: tuple[CovarianceName | None, bool | None] = (None, None),
    feature_names: Sequence[str] | None = None,
) -> tuple[Parameters, Schema, Structure]:
    """The parameters with their classes sorted, what they are called, and their structure.

    Examples
    --------
    >>> variances = [[[1]], [[4]]]
    >>> parameters, schema, _ = direct_parameters([0.2, 0.8], [[5], [3]], variances, ["b", "a"])
    >>> schema.classes.tolist(), parameters.prior.tolist(), parameters.mean.tolist()
    (['a', 'b'], [0.8, 0.2], [[3.0], [5.0]])
    """
    mean, values = as_numbers("means", means), as_numbers("covariances", covariances)
    if mean.ndim != 2 or mean.shape[0] < 2 or mean.shape[1] < 1:
        msg = f"means have shape (classes, features) with at least two classes, got {mean.shape}"
        raise ParameterError(msg)
    k, d = mean.shape
    own = structure_of(values, k, d, *structure)
    order, ordered = in_order(classes, k)
    if isinstance(priors, list | tuple | np.ndarray) and len(priors) == k:
        priors = [priors[code] for code in order]
    schema = Schema(ordered, d, check_names(feature_names, d))
    parameters = given(schema, own, priors, mean[order], values if own.shared else values[order])
    return parameters, schema, own


def structure_of(
    covariances: FloatArray, k: int, d: int, covariance: CovarianceName | None, shared: bool | None
) -> Structure:
    """The structure of covariances given by the user, by what was said and by their shape.

    Without a word they are full: (k, d, d) own ones, (d, d) a shared one. With as many classes as
    features, (d, d) may as well be a table of variances, and nothing is guessed.

    Examples
    --------
    >>> structure_of(np.eye(2), 3, 2, None, None)
    Structure(covariance='full', shared=True)
    """
    if covariance is not None:
        one_of("covariance", covariance, get_args(CovarianceName))
    if covariance is None and shared is None and covariances.shape == (d, d) and k == d:
        msg = (
            f"covariances of shape {(d, d)} for {k} classes and {d} features may be one covariance "
            "for all classes or the variances of each: say covariance='full' or 'diagonal'"
        )
        raise ParameterError(msg)
    name: CovarianceName = covariance or "full"
    one = (d,) * {"full": 2, "diagonal": 1, "spherical": 0}[name]
    expected = {None: {one, (k, *one)}, True: {one}, False: {(k, *one)}}[shared]
    if covariances.shape not in expected:
        sharing = {None: "", True: "shared ", False: "own "}[shared]
        msg = (
            f"{sharing}{name} covariances of {k} classes and {d} features have shape "
            f"{' or '.join(map(str, sorted(expected)))}, got {covariances.shape}; variances need "
            "covariance='diagonal' (one for each feature) or 'spherical' (one for all)"
        )
        raise ParameterError(msg)
    return Structure(name, covariances.shape == one)
