"""Why a row belongs to a class: Bayes' rule with every number, and what each feature adds to it.

Features that are missing are integrated out: all numbers are those of the model of the other
features, and what is missing adds nothing.

Given the class, categories are independent of each other and of the numbers, so that the log-odds
are a sum: that of the numbers, a quadratic, and for each category ``log p(x_j | a) −
log p(x_j | b)``. Compared with one that is not known, which adds 0, this is its Shapley value.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.analysis.bayes_rule import BayesRule, BayesTerms, bayes_rule
from gaussbayes.analysis.contributions import Contribution, LogOdds, Value, added
from gaussbayes.base.errors import NonFiniteError, ParameterError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.parameters import Parameters, as_numbers
from gaussbayes.families.gaussian.shapley import shapley_values

if TYPE_CHECKING:
    from gaussbayes.model.mixed import MixedParameters, MixedRows


@dataclass(frozen=True, slots=True, eq=False)
class _Categories:
    """The features of one row that hold categories."""

    values: tuple[Value, ...]  # q
    unseen: tuple[bool, ...]  # q
    log_likelihood: FloatArray  # (q, k), log p(x_j | c); 0 if it is missing or was never seen


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a model says of one row: Bayes' rule, and the log-odds of two classes by feature."""

    bayes: BayesRule
    log_odds: LogOdds | None  # None if there is but one class

    def as_record(self) -> dict[str, Any]:
        """Everything as plain values for JSON; what is missing or infinite is None.

        Of a contribution that is infinite ``"rules_out"`` says which class it makes impossible.
        """
        odds = self.log_odds
        return {
            **_record(self.bayes),
            "classes": [_record(terms) for terms in self.bayes.classes],
            "log_odds": odds
            and {
                **_record(odds),
                "contributions": [
                    _record(one) | {"missing": one.missing, "rules_out": odds.ruled_out(one)}
                    for one in odds.contributions
                ],
            },
        }


def explain(
    parameters: "Parameters | MixedParameters",
    schema: Schema,
    row: "ArrayLike | MixedRows",
    between: tuple[int, int] | None = None,
    reference: ArrayLike = "mean",
) -> Explanation:
    """Explain what a model says of one row.

    Everything is worked out about the model's centre, so that a huge common offset costs no digit.

    Parameters
    ----------
    schema : what the classes and features are called
    row : (d,) the features; NaN is a value that is missing. Of a model that has categories,
        `MixedRows` of one row
    between : the numbers of two classes whose log-odds are split up; None is the most probable one
        and the next
    reference : the point (d,) at which every contribution is 0; ``"mean"`` is the mean of the
        classes' means weighted by their priors, ``"rival"`` the mean of the second of the two.
        It has the features that hold numbers; categories are compared with one that is not known

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
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
    gaussian, numbers, categories = _parts(parameters, row)
    of_numbers = schema.of_numbers
    x = _checked_row(numbers, of_numbers)
    seen = np.flatnonzero(~np.isnan(x))
    about = replace(_part(gaussian, seen, of_numbers), center=np.zeros(seen.size))
    place = x[seen] - gaussian.center[seen]
    beside = None if categories is None else categories.log_likelihood.sum(axis=0)
    bayes = bayes_rule(about, schema, place, beside)
    pair = _pair(between, schema, bayes)
    if pair is None:
        return Explanation(bayes, None)
    origin = _origin(reference, gaussian, of_numbers, pair[1])
    (at_place, at_origin), amounts = _split(about, *pair, place, origin[seen])
    every = np.zeros(x.size)
    every[seen] = amounts
    columns = (x.tolist(), (gaussian.center + origin).tolist(), every.tolist())
    contributions = list(map(Contribution, of_numbers.titles, *columns))
    if categories is not None:
        of_categories = _of_categories(categories, schema, pair, bayes)
        at_place += added(of_categories)
        for column, one in zip(schema.categorical, of_categories, strict=True):
            contributions.insert(column, one)  # in the order of the features
    of, against = (bayes.classes[code].label for code in pair)
    return Explanation(bayes, LogOdds(of, against, at_place, at_origin, tuple(contributions)))


def _parts(
    parameters: "Parameters | MixedParameters", row: "ArrayLike | MixedRows"
) -> tuple[Parameters, ArrayLike, _Categories | None]:
    """The Gaussians, the numbers of the row, and its categories if the model has any."""
    if isinstance(parameters, Parameters):
        return parameters, cast("ArrayLike", row), None
    from gaussbayes.families.categorical.likelihood import by_feature

    rows = cast("MixedRows", row)
    unseen = {one.column: one.examples[0] for one in rows.columns.unseen}
    values = tuple(
        own[code] if code >= 0 else unseen.get(j)
        for j, (own, code) in enumerate(
            zip(rows.columns.categories, rows.columns.codes[0].tolist(), strict=True)
        )
    )
    which = tuple(j in unseen for j in range(len(values)))
    each = by_feature(parameters.categorical, rows.columns)[0]
    return parameters.gaussian, rows.X[0], _Categories(values, which, each)


def _of_categories(
    categories: _Categories, schema: Schema, pair: tuple[int, int], bayes: BayesRule
) -> list[Contribution]:
    """What the categories add; infinite where one of the two classes is ruled out."""
    if all(math.isinf(bayes.classes[code].log_joint) for code in pair):
        from gaussbayes.families.categorical.likelihood import refuse_no_odds

        refuse_no_odds(schema.class_name(pair[0]), schema.class_name(pair[1]), 0)
    a, b = (categories.log_likelihood[:, code] for code in pair)
    titles = schema.of_categories.titles
    columns = (titles, categories.values, (a - b).tolist(), categories.unseen)
    return [
        Contribution(title, value, None, amount, unseen)
        for title, value, amount, unseen in zip(*columns, strict=True)
    ]


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
        scores.refuse_no_odds(parameters.prior, a, b)
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
        those = "" if schema.places is None else " that hold numbers"
        msg = (
            f"a reference point is a finite number for each of the {schema.n_features} features"
            f"{those}, got {point.tolist()!r:.200}"
        )
        raise ParameterError(msg)
    return np.asarray(point - parameters.center)


def _record(one: BayesRule | BayesTerms | Contribution | LogOdds) -> dict[str, Any]:
    values = {field.name: _plain(getattr(one, field.name)) for field in fields(one)}
    # No field of a Python record can be called what records of classes call it.
    return {"class" if name == "label" else name: value for name, value in values.items()}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
