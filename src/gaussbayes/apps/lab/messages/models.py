"""Which model is meant: fitted to the data, set by hand, or a vote of neighbours."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.fields import Members, maybe, numbers, one_of, shown, whole
from gaussbayes.apps.lab.messages.limits import (
    MOST_CLASSES,
    MOST_CLASSES_BY_HAND,
    MOST_NEIGHBOURS,
    MOST_ROWS,
)
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, Divisor, FloatArray
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.prior import class_priors
from gaussbayes.model.settings import Settings, check_settings


@dataclass(frozen=True, slots=True)
class FromData:
    """Settings with which a model is fitted to the training rows, or to the first of them."""

    covariance: CovarianceName = "full"
    shared: bool | float = False
    divisor: Divisor = "mle"
    shrinkage: Shrinkage = None
    priors: tuple[float, ...] | Literal["uniform"] | None = None
    first: int | None = None

    @property
    def settings(self) -> Settings:
        """The same without the number of rows, as the core has settings."""
        return check_settings(
            self.covariance, self.shared, self.priors, self.divisor, self.shrinkage
        )


@dataclass(frozen=True, slots=True, eq=False)
class ByHand:
    """Gaussians of the pair of features, set on the page."""

    priors: FloatArray  # (k,)
    means: FloatArray  # (k, 2)
    covariances: FloatArray  # (k, 2, 2)
    parameters: Parameters  # the same, checked


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A vote of the nearest training rows."""

    k: int


ModelChoice: TypeAlias = FromData | ByHand | Neighbours


def read_model(value: object) -> ModelChoice:
    """The model of a request.

    Examples
    --------
    >>> read_model({"from": "data", "shared": True}).settings.structure
    Structure(covariance='full', shared=True)
    """
    members = Members("model", value)
    kind = one_of("model.from", members.take("from"), ("data", "hand", "neighbours"))
    found: ModelChoice
    if kind == "data":
        found = _from_data(members)
    elif kind == "hand":
        found = _by_hand(members)
    else:
        found = Neighbours(whole("model.k", members.take("k"), 1, MOST_NEIGHBOURS))
    members.end()
    return found


def _from_data(members: Members) -> FromData:
    covariance = one_of(
        "model.covariance", members.take("covariance", "full"), get_args(CovarianceName)
    )
    divisor = one_of("model.divisor", members.take("divisor", "mle"), get_args(Divisor))
    shared, shrinkage = members.take("shared", False), members.take("shrinkage", None)
    found = FromData(
        cast("CovarianceName", covariance),
        _plain("model.shared", shared),
        cast("Divisor", divisor),
        _plain("model.shrinkage", shrinkage),
        _priors(members.take("priors", None)),
        maybe("model.first", members.take("first", None), whole, 0, MOST_ROWS),
    )
    try:
        _ = found.settings
    except GaussBayesError as error:
        msg = f"model: {error}"
        raise MessageError(msg) from None
    return found


def _plain(what: str, value: Any) -> Any:
    """A value that is no list and no object; what else it may be the core says."""
    if isinstance(value, list | dict):
        msg = f"{what} is no list and no object, got {shown(value)}"
        raise MessageError(msg)
    return value


def _priors(value: object) -> tuple[float, ...] | Literal["uniform"] | None:
    if value is None or value == "uniform":
        return value
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_CLASSES:
        msg = f"model.priors are null, 'uniform' or a list of numbers, got {shown(value)}"
        raise MessageError(msg)
    priors = numbers("model.priors", value, (len(value),))
    try:
        class_priors(priors, Schema(np.arange(priors.size), 1), np.ones(priors.size))
    except GaussBayesError as error:
        msg = f"model.priors: {error}"
        raise MessageError(msg) from None
    return tuple(priors.tolist())


def _by_hand(members: Members) -> ByHand:
    means = members.take("means")
    if not isinstance(means, list) or not 1 <= len(means) <= MOST_CLASSES_BY_HAND:
        msg = (
            f"model.means are a list of two numbers for each of 1 to {MOST_CLASSES_BY_HAND} "
            f"classes, got {len(means) if isinstance(means, list) else shown(means)}"
        )
        raise MessageError(msg)
    k = len(means)
    mean = numbers("model.means", means, (k, 2))
    covariance = numbers("model.covariances", members.take("covariances"), (k, 2, 2))
    priors = numbers("model.priors", members.take("priors"), (k,))
    schema = Schema(np.arange(k), 2, ("x", "y"))
    try:
        parameters = given(schema, Structure(), priors, mean, covariance)
    except GaussBayesError as error:
        msg = f"model: {error}"
        raise MessageError(msg) from None
    return ByHand(priors, mean, covariance, parameters)
