"""Why a row belongs to a class: Bayes' rule with every number, and what each feature adds to it.

Features that are missing (NaN) are integrated out: all numbers are those of the model of the other
features, and what is missing adds nothing.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes import scores
from gaussbayes.bayes_rule import BayesRule, BayesTerms, bayes_rule
from gaussbayes.errors import NonFiniteError, ParameterError, SchemaError
from gaussbayes.marginal import marginal
from gaussbayes.parameters import Parameters, as_numbers
from gaussbayes.schema import Schema
from gaussbayes.shapley import shapley_values
from gaussbayes.types import FloatArray


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the log-odds."""

    feature: str
    value: float  # NaN if it is missing
    reference: float
    amount: float

    @property
    def missing(self) -> bool:
        """Whether the row has no value of this feature."""
        return math.isnan(self.value)


@dataclass(frozen=True, slots=True)
class LogOdds:
    """``log p(of | x) − log p(against | x)``, feature by feature.

    `value` is `at_reference` and the contributions together. Both are infinite if one of the two
    classes has prior 0; the contributions are finite all the same.
    """

    of: Any  # a label
    against: Any  # another
    value: float
    at_reference: float
    contributions: tuple[Contribution, ...]  # in the order of the features

    def largest(self, most: int) -> tuple[list[Contribution], list[Contribution]]:
        """The contributions of the features that are not missing, the largest first, and the rest.

        At most `most` come first, but a rest of one feature is not worth a line of its own.
        """
        there = [one for one in self.contributions if not one.missing]
        there.sort(key=lambda one: -abs(one.amount))
        cut = most if len(there) > most + 1 else len(there)
        return there[:cut], there[cut:]


def added(contributions: "list[Contribution] | tuple[Contribution, ...]") -> float:
    """What several features add together, without rounding in between.

    Examples
    --------
    >>> added([Contribution(name, 1.0, 0.0, amount) for name, amount in [("a", 2.0), ("b", -0.5)]])
    1.5
    """
    return math.fsum(one.amount for one in contributions)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a model says of one row: Bayes' rule, and the log-odds of two classes by feature."""

    bayes: BayesRule
    log_odds: LogOdds | None  # None if there is but one class

    def as_record(self) -> dict[str, Any]:
        """Everything as plain values for JSON; what is missing or infinite is None."""
        odds = self.log_odds
        return {
            **_record(self.bayes),
            "classes": [_record(terms) for terms in self.bayes.classes],
            "log_odds": odds
            and {
                **_record(odds),
                "contributions": [
                    _record(one) | {"missing": one.missing} for one in odds.contributions
                ],
            },
        }


def explain(
    parameters: Parameters,
    schema: Schema,
    row: ArrayLike,
    between: tuple[int, int] | None = None,
    reference: ArrayLike = "mean",
) -> Explanation:
    """Explain what a model says of one row.

    Everything is worked out about the model's centre, so that a huge common offset costs no digit.

    Parameters
    ----------
    schema : what the classes and features are called
    row : (d,) the features; NaN is a value that is missing
    between : the numbers of two classes whose log-odds are split up; None is the most probable one
        and the next
    reference : the point (d,) at which every contribution is 0; ``"mean"`` is the mean of the
        classes' means weighted by their priors, ``"rival"`` the mean of the second of the two

    Examples
    --------
    >>> from gaussbayes.parameters import Structure, given
    >>> schema = Schema(np.array(["no", "yes"]), 2, ("age", "weight"))
    >>> model = given(schema, Structure("diagonal"), None, [[0, 0], [2, 4]], np.ones((2, 2)))
    >>> told = explain(model, schema, [2.0, 3.0])
    >>> [round(terms.posterior, 4) for terms in told.bayes.classes]
    [0.0025, 0.9975]
    >>> odds = told.log_odds
    >>> amounts = [one.amount for one in odds.contributions]
    >>> odds.of, odds.against, round(odds.value, 12), odds.at_reference, amounts
    ('yes', 'no', 6.0, 0.0, [2.0, 4.0])
    >>> odds = explain(model, schema, [2.0, float("nan")]).log_odds
    >>> [(one.feature, one.amount, one.missing) for one in odds.contributions]
    [('age', 2.0, False), ('weight', 0.0, True)]
    """
    x = _checked_row(row, schema)
    seen = np.flatnonzero(~np.isnan(x))
    about = replace(_part(parameters, seen, schema), center=np.zeros(seen.size))
    place = x[seen] - parameters.center[seen]
    bayes = bayes_rule(about, schema, place)
    pair = _pair(between, schema, bayes)
    odds = None
    if pair is not None:
        origin = _origin(reference, parameters, schema, pair[1])
        at_both, amounts = _split(about, *pair, place, origin[seen])
        every = np.zeros(x.size)
        every[seen] = amounts
        columns = (x.tolist(), (parameters.center + origin).tolist(), every.tolist())
        contributions = tuple(map(Contribution, schema.titles, *columns))
        of, against = (bayes.classes[code].label for code in pair)
        odds = LogOdds(of, against, *at_both, contributions)
    return Explanation(bayes, odds)


def _checked_row(row: ArrayLike, schema: Schema) -> FloatArray:
    x = as_numbers("a row", row)
    if x.shape != (schema.n_features,):
        msg = (
            f"one row of {schema.n_features} features is explained at a time, got numbers of shape "
            f"{x.shape}"
        )
        raise SchemaError(msg)
    if np.isinf(x).any():
        name = schema.feature_name(int(np.argmax(np.isinf(x))))
        msg = f"the row is infinite in {name}: give a number, or NaN if the value is missing"
        raise NonFiniteError(msg)
    return x


def _part(parameters: Parameters, seen: Any, schema: Schema) -> Parameters:
    """The model of the features that are there; without any, only the priors are asked for."""
    if seen.size in {0, schema.n_features}:
        return parameters
    return marginal(parameters, seen, replace(schema, n_features=seen.size, features=None))


def _split(
    parameters: Parameters, a: int, b: int, place: FloatArray, origin: FloatArray
) -> tuple[tuple[float, float], FloatArray]:
    """The log-odds at a place and at the reference, and the contributions (d,) between them."""
    if not place.size:
        odds = float(parameters.log_prior[a] - parameters.log_prior[b])
        return (odds, odds), place
    at_place, at_origin = scores.log_odds(parameters, np.stack([place, origin]), a, b).tolist()
    return (at_place, at_origin), shapley_values(parameters, a, b, place, origin)


def _pair(
    between: tuple[int, int] | None, schema: Schema, bayes: BayesRule
) -> tuple[int, int] | None:
    """The two classes to compare, if there are two."""
    codes = range(len(bayes.classes))
    if between is None:
        ranked = sorted(codes, key=lambda code: -bayes.classes[code].log_posterior)
        return (ranked[0], ranked[1]) if len(ranked) > 1 else None
    a, b = between
    if a == b or a not in codes or b not in codes:
        msg = (
            f"log-odds are those of two different classes, numbered from 0 to {codes[-1]}, "
            f"got {between}; the classes are {schema.classes.tolist()!r:.200}"
        )
        raise ParameterError(msg)
    return a, b


def _origin(reference: ArrayLike, parameters: Parameters, schema: Schema, b: int) -> FloatArray:
    """The reference point as an offset (d,) from the model's centre."""
    if isinstance(reference, str):
        if reference == "mean":
            return np.asarray(parameters.prior @ parameters.offset)
        if reference == "rival":
            return np.asarray(parameters.offset[b])
        msg = f"a reference is 'mean', 'rival' or a number for each feature, got {reference!r}"
        raise ParameterError(msg)
    point = as_numbers("a reference point", reference)
    if point.shape != parameters.center.shape or not np.isfinite(point).all():
        msg = (
            f"a reference point is a finite number for each of the {schema.n_features} features, "
            f"got {point.tolist()!r:.200}"
        )
        raise ParameterError(msg)
    return np.asarray(point - parameters.center)


def _record(one: BayesRule | BayesTerms | Contribution | LogOdds) -> dict[str, Any]:
    values = {field.name: _plain(getattr(one, field.name)) for field in fields(one)}
    # No field of a Python record can be called what records of classes call it.
    return {"class" if name == "label" else name: value for name, value in values.items()}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
