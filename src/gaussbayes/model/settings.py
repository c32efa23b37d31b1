"""What the user chose, checked once: covariance, priors, divisor, shrinkage, smoothing."""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from gaussbayes.base.checks import not_negative
from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, Divisor
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure, estimate
from gaussbayes.families.gaussian.shrinkage import Shrinkage, check_shrinkage
from gaussbayes.model.prior import Priors


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that turns moments and counts into parameters."""

    structure: Structure
    priors: Priors
    divisor: Divisor
    shrinkage: Shrinkage
    smoothing: float = 0.0  # of the shares of categories

    def estimate(self, moments: ClassMoments, schema: Schema) -> Parameters:
        """The parameters of at least two classes."""
        k = moments.n_classes
        if k < 2:
            which = f"1 class: {schema.class_name(0)}" if k else "0 classes"
            msg = f"a classifier needs at least two classes with rows, got {which}"
            raise DataError(msg)
        return estimate(moments, schema, self.structure, self.priors, self.divisor, self.shrinkage)


def check_settings(
    covariance: Any,
    shared: Any,
    priors: Any,
    divisor: Any,
    shrinkage: Any,
    smoothing: Any = 0.0,
) -> Settings:
    """The settings, if each is one of its possible values; priors are checked with the classes.

    Examples
    --------
    >>> check_settings("full", False, None, "mle", None).structure.layout
    'full'
    """
    one_of("covariance", covariance, get_args(CovarianceName))
    one_of("divisor", divisor, get_args(Divisor))
    structure, alpha = structure_of(covariance, shared), not_negative("smoothing", smoothing)
    return Settings(structure, priors, divisor, check_shrinkage(shrinkage), alpha)


def structure_of(covariance: CovarianceName, shared: object) -> Structure:
    """The structure of covariances of this shape that are shared, not, or to some degree.

    Examples
    --------
    >>> structure_of("full", True), structure_of("full", 1.0) == structure_of("full", True)
    (Structure(covariance='full', shared=True), True)
    >>> structure_of("full", 0.25).toward_shared
    0.25
    """
    if isinstance(shared, bool | np.bool_):
        return Structure(covariance, bool(shared))
    if isinstance(shared, int | float | np.integer | np.floating) and 0 <= shared <= 1:
        share = float(shared)
        return Structure(covariance, share == 1, share % 1)
    msg = f"shared is True, False or a number in [0, 1], got {shared!r}"
    raise ParameterError(msg)


def one_of(name: str, value: object, possible: tuple[str, ...]) -> None:
    """Refuse a word that is not one of those possible."""
    if not isinstance(value, str) or value not in possible:
        msg = f"{name} is one of {', '.join(map(repr, possible))}, got {value!r}"
        raise ParameterError(msg)
