"""Why a row belongs to a class: Bayes' rule with every number, and what each feature adds to it.

Families are independent given the class, so that the log-odds of two classes are a sum over them,
and the Shapley values of the features are those of each family side by side. What is missing is
integrated out and adds nothing; so does a category that was not seen in training.

Contributions are those of the densities. What calibration adds to their log-odds is told apart. Of
several models whose posteriors are averaged the contributions are averaged, with the weights of the
models; averaging odds is not averaging their logarithms, and the difference is told apart, too.

Each number of Bayes' rule is there twice, plain and as its logarithm. A logarithm is exact however
small; a plain number is 0 or ∞ where floats end, as densities of many features soon are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.base.checks import as_numbers
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import counted, five_digits, shortened
from gaussbayes.base.schema import ColumnTable, Schema
from gaussbayes.base.text_tables import Block, Displayed, Styled, TextTable, bar
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import UNSEEN
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import Distant, Explainable, Reference, Referred, require
from gaussbayes.model.model import Model

_MOST_CLASSES = 20  # lines of a table of classes
_MOST_FEATURES = 12  # lines of the table of features; the others share one
_MOST_NAMES = 6  # missing features that are named
_WIDEST_NAME, _WIDEST_VALUE = 24, 12
_BAR = 20  # columns that a bar may fill

Value: TypeAlias = float | str | None
"""A number, or a category: a string, an integer or a boolean; see `Contribution`."""


@dataclass(frozen=True, slots=True)
class BayesTerms:
    """Bayes' rule for one class: ``posterior = prior · likelihood / evidence``."""

    label: Any  #: the class
    prior: float  #: the prior p(c)
    likelihood: float  #: the likelihood p(x | c)
    joint: float  #: the joint density p(x, c)
    posterior: float  #: the posterior p(c | x)
    log_prior: float  #: log p(c)
    log_likelihood: float  #: log p(x | c)
    log_joint: float  #: log p(x, c)
    log_posterior: float  #: log p(c | x)
    squared_distance: float  #: of Mahalanobis, to the mean; NaN if no family has distances


@dataclass(frozen=True, slots=True)
class BayesRule(Displayed):
    """Bayes' rule for every class, in their order, and what they have in common."""

    classes: tuple[BayesTerms, ...]  #: the terms of each class, in their order
    evidence: float  #: the density of the row, p(x) = Σ p(x, c)
    log_evidence: float  #: log p(x)
    calibrated: bool = False  #: whether the posteriors are not simply joint / evidence

    def tables(self) -> Sequence[Block]:
        """The numbers, and their logarithms."""
        return _rule_tables(self)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the log-odds.

    It is infinite if a category never occurred in one of the two classes, without smoothing: that
    rules the class out.
    """

    feature: str  #: its name, or ``feature 3`` where there are no names
    value: Value  #: NaN is a number that is missing, None a category that is; dates are strings
    reference: float | str | None  #: None if it is compared with a value that is not known
    amount: float  #: what the feature adds to the log-odds
    unseen: bool = False  #: whether the value is a category that was not there in training

    @property
    def missing(self) -> bool:
        """Whether the row has no value of this feature."""
        return self.value is None or (isinstance(self.value, float) and math.isnan(self.value))

    @property
    def silent(self) -> bool:
        """Whether the feature says nothing of the classes: it is missing, or was never seen so.

        Of coded features a missing value may say something.
        """
        return (self.missing or self.unseen) and self.amount == 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What is added to the log-odds that follow from the densities.

    Calibration adds ``(t − 1) log p(x | a)/p(x | b) + b_a − b_b`` for the temperature t and the
    offsets b, and what comes of the proportion of the posteriors that are the priors.
    """

    by: str  # "calibration", "averaging", or "averaging and calibration"
    amount: float  # infinite if what a feature rules out is left possible


@dataclass(frozen=True, slots=True)
class LogOdds(Displayed):
    """``log p(of | x) − log p(against | x)``, feature by feature.

    `value` is `at_reference`, the contributions and the adjustment together. It and `at_reference`
    are infinite if one of the two classes has prior 0; the contributions need not be. None of them
    is NaN.
    """

    of: Any  #: a label
    against: Any  #: another
    value: float  #: log p(of | x) − log p(against | x)
    at_reference: float  #: the log-odds of a row at the reference: priors and constants
    contributions: tuple[Contribution, ...]  #: in the order of the features
    adjustment: Adjustment | None = None  #: None if the posteriors follow from one set of densities

    def tables(self) -> Sequence[Block]:
        """What each feature adds, with bars."""
        return [_contribution_table(self)]

    def largest(self, most: int) -> tuple[list[Contribution], list[Contribution]]:
        """The contributions of the features that say something, the largest first, and the rest.

        At most `most` come first, but a rest of one feature is not worth a line of its own.
        """
        informative = [part for part in self.contributions if not part.silent]
        informative.sort(key=lambda part: -abs(part.amount))
        cut = most if len(informative) > most + 1 else len(informative)
        return informative[:cut], informative[cut:]

    def ruled_out(self, contribution: Contribution) -> Any:
        """The label of the class that a feature rules out, or None."""
        if not math.isinf(contribution.amount):
            return None
        return self.of if contribution.amount < 0 else self.against


def total_amount(contributions: Iterable[Contribution]) -> float:
    """What several features add together, without rounding in between."""
    return math.fsum(contribution.amount for contribution in contributions)


@dataclass(frozen=True, slots=True)
class Explanation(Displayed):
    """What a model says of one row: Bayes' rule, and the log-odds of two classes by feature."""

    bayes: BayesRule  #: Bayes' rule at the row, class by class
    log_odds: LogOdds | None  #: None if there is but one class

    def tables(self) -> Sequence[Block]:
        """Bayes' rule, plain and in logarithms, and what each feature adds to the log-odds."""
        blocks: list[Block] = [*self.bayes.tables()]
        if self.log_odds is None:
            return blocks
        blocks += self.log_odds.tables()
        parts = self.log_odds.contributions
        silent = [part for part in parts if part.silent]
        missing = [part.feature for part in silent if part.missing]
        unseen = [f"{part.feature} = {_cell(part.value)}" for part in silent if part.unseen]
        for why, names in (("Missing", missing), ("Never seen in training", unseen)):
            if names:
                more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
                some = ", ".join(names[:_MOST_NAMES])
                blocks.append(f"{why}, so that they add nothing: {some}{more}.")
        return blocks

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
                "adjustment": odds.adjustment and _record(odds.adjustment),
                "contributions": [
                    _record(part) | {"missing": part.missing, "rules_out": odds.ruled_out(part)}
                    for part in odds.contributions
                ],
            },
        }


def _rule_tables(bayes: BayesRule) -> tuple[TextTable, TextTable]:
    """The numbers themselves, and their logarithms; the most probable class is the first."""
    ranked = sorted(bayes.classes, key=lambda terms: -terms.log_posterior)
    names = ("prior", "likelihood", "joint", "posterior")
    # Some families have no distances; then they are NaN.
    distances = not any(math.isnan(terms.squared_distance) for terms in ranked)
    measured = (*names, "squared_distance") if distances else names

    def lines(attributes: Sequence[str]) -> Iterable[list[str]]:
        for terms in ranked[:_MOST_CLASSES]:
            numbers = (getattr(terms, name) for name in attributes)
            yield [_short(terms.label), *map(five_digits, numbers)]

    left = len(ranked) - _MOST_CLASSES
    notes = [f"and {counted(left, 'class', 'classes')} less probable"] if left > 0 else []
    if bayes.calibrated:
        notes.append("posteriors are calibrated: they are not simply joint / evidence")
    columns = ("class", *names, "distance²")[: 1 + len(measured)]
    plain = f"Bayes' rule; the evidence p(x) is {five_digits(bayes.evidence)}"
    title = f"the same in logarithms; log p(x) is {five_digits(bayes.log_evidence)}"
    logarithms = list(lines([f"log_{name}" for name in names]))
    return (
        TextTable(columns, list(lines(measured)), plain),
        TextTable(("class", *names), logarithms, title, notes),
    )


def _contribution_table(odds: LogOdds) -> TextTable:
    """What features add to the log-odds, with bars, between the reference and the row."""
    first, rest = odds.largest(_MOST_FEATURES)
    lines: list[tuple[tuple[str, str, str], float, Any]] = [
        (
            (
                _short(part.feature),
                "missing" if part.missing else _cell(part.value),
                _cell(part.reference),
            ),
            part.amount,
            odds.ruled_out(part),
        )
        for part in first
    ]
    if rest:
        lines.append(((f"{len(rest)} other features", "", ""), total_amount(rest), None))
    if odds.adjustment is not None:
        lines.append(((odds.adjustment.by, "", ""), odds.adjustment.amount, None))
    amounts = [amount for _, amount, _ in lines if math.isfinite(amount)]
    low, high = min(0.0, *amounts, 0.0), max(0.0, *amounts, 0.0)
    rows: list[Sequence[str]] = [("at the reference", "", "", five_digits(odds.at_reference), "")]
    for cells, amount, ruled_out in lines:
        drawn = ""
        if ruled_out is not None:
            drawn = f"rules out {shortened(str(ruled_out), _BAR - 10)}"
        elif high > low and math.isfinite(amount):
            ends = (-low / (high - low), (amount - low) / (high - low))
            drawn = bar(*ends, _BAR)
        rows.append((*cells, five_digits(amount, sign="+"), drawn))
    last = ("this row", "", "", five_digits(odds.value), "")
    rows.append(tuple(Styled(cell) for cell in last))
    title = f"log-odds of {_short(odds.of)} against {_short(odds.against)}"
    return TextTable(("feature", "value", "reference", "adds", ""), rows, title, sides="lrrrl")


def _cell(value: Any) -> str:
    """A number, or a category; nothing where a category is not known."""
    if isinstance(value, float):
        return five_digits(value)
    return "" if value is None else shortened(str(value), _WIDEST_VALUE)


def _short(name: object) -> str:
    return shortened(str(name), _WIDEST_NAME)


def explain(
    model: Model,
    row: Rows,
    between: tuple[int, int] | None = None,
    reference: ArrayLike = "mean",
) -> Explanation:
    """Explain what a model says of one row; `between` are the codes of two classes.

    The reference is the point at which every contribution is 0. It has the features that have a
    mean; others, such as categories, are compared with a value that is not known. See
    `gaussbayes.GaussianClassifier.explain`.
    """
    if row.n_rows != 1:
        msg = f"one row is explained at a time, got {row.n_rows}: choose one, as in X[3]"
        raise DataError(msg)
    row = replace(row, numbers=row.matrix.astype(np.float64, copy=False))
    bayes = bayes_rule(model, row)
    pair = _pair(between, model.schema, bayes)
    if pair is None:
        return Explanation(bayes, None)
    impossible = all(math.isinf(bayes.classes[code].log_joint) for code in pair)
    if impossible and model.prior[list(pair)].any():
        a, b = (model.schema.class_name(code) for code in pair)
        msg = f"classes {a} and {b} both have probability 0: their odds are not defined"
        raise DataError(msg)
    value = float(model.log_odds(row, *pair, n_jobs=1)[0])
    log_prior = model.parameters.log_prior
    at_reference = float(log_prior[pair[0]] - log_prior[pair[1]])
    points = _reference_points(model, _references(model, reference, pair[1]))
    amounts = np.zeros(model.schema.n_features)
    for weight, member in model.weighted_members:
        references = _references(model, reference, pair[1])
        if member.densities is not model.densities:  # all are compared with the same point
            references = [
                Reference(point=points[list(component.columns)])
                if isinstance(density, Referred)
                else None
                for component, density in zip(member.components, member.densities, strict=True)
            ]
        columns = (member.components, member.densities, member.parts(row), references)
        for component, density, part, point in zip(*columns, strict=True):
            explainable = require(density, Explainable, component.family, "explain")
            ratio, contributions = explainable.contributions(part, pair, point)
            at_reference += weight * ratio
            amounts[list(component.columns)] += weight * contributions
    schema, compared = model.schema, (None if math.isnan(x) else x for x in points.tolist())
    named = zip(schema.titles, _values(row, schema), compared, amounts.tolist(), strict=True)
    dated = ColumnTable(()).dated if schema.roles is None else schema.roles.dated
    parts = tuple(
        Contribution(title, dated(title, value), dated(title, point), amount, new)
        for title, (value, new), point, amount in named
    )
    of, against = (bayes.classes[code].label for code in pair)
    adjustment = _adjustment(model, value, at_reference + float(amounts.sum()))
    return Explanation(bayes, LogOdds(of, against, value, at_reference, parts, adjustment))


def _adjustment(model: Model, value: float, of_densities: float) -> Adjustment | None:
    """What averaging and calibration add to the log-odds of the densities."""
    names = {"averaging": len(model.weighted_members) > 1, "calibration": bool(model.calibration)}
    by = " and ".join(name for name, is_done in names.items() if is_done)
    if not by:
        return None
    return Adjustment(by, 0.0 if value == of_densities else value - of_densities)


def bayes_rule(model: Model, row: Rows) -> BayesRule:
    """Bayes' rule for one row.

    A row of which everything is missing has the density 1, and its posteriors are the priors.
    """
    log_prior = model.parameters.log_prior
    logarithms = (
        model.log_likelihood(row, 1)[0],
        model.log_joint(row, 1)[0],
        model.log_posterior(row, 1)[0],
    )
    log_evidence = float(model.log_evidence(row, 1)[0])
    if any(isinstance(density, Distant) for density in model.densities):
        square = model.squared_distance(row, 1)[0][0]
    else:
        square = np.full(log_prior.shape, np.nan)
    with np.errstate(over="ignore", under="ignore"):
        plain = [np.exp(values) for values in logarithms]
        evidence = float(np.exp(log_evidence))
    columns = (model.schema.classes, model.prior, *plain, log_prior, *logarithms, square)
    terms = tuple(map(BayesTerms, *(column.tolist() for column in columns)))
    # What several models say together has the joint density that its posteriors make it have.
    calibrated = model.calibration is not None and len(model.weighted_members) == 1
    return BayesRule(terms, evidence, log_evidence, calibrated)


def _pair(
    between: tuple[int, int] | None, schema: Schema, bayes: BayesRule
) -> tuple[int, int] | None:
    """The two classes to compare, if there are two."""
    codes = range(len(bayes.classes))
    if between is None:
        ranked = sorted(codes, key=lambda code: -bayes.classes[code].log_posterior)
        return (ranked[0], ranked[1]) if len(ranked) > 1 else None
    if len(set(between) & set(codes)) != 2:
        need = f"log-odds need two different classes, with codes from 0 to {codes[-1]}"
        msg = f"{need}, got {between}; the classes are {schema.classes.tolist()!r:.200}"
        raise OptionError(msg)
    return between


def _references(model: Model, reference: ArrayLike, rival: int) -> list[Reference | None]:
    """The reference point of each component; None for those that are not compared with one."""
    referred = [isinstance(density, Referred) for density in model.densities]
    if isinstance(reference, str):
        if reference not in {"mean", "rival"}:
            what = "a reference must be 'mean', 'rival' or a number for each feature"
            msg = f"{what}, got {reference!r}"
            raise OptionError(msg)
        weights = model.prior if reference == "mean" else np.eye(model.prior.shape[0])[rival]
        return [Reference(weights=weights) if refers else None for refers in referred]
    point = as_numbers("a reference point", reference)
    pairs = list(zip(model.components, referred, strict=True))
    columns = sorted(j for component, refers in pairs if refers for j in component.columns)
    if point.shape != (len(columns),) or not np.isfinite(point).all():
        those = "" if all(referred) else " that are compared with a point"
        msg = (
            f"a reference point must be a finite number for each of the {len(columns)} features"
            f"{those}, got {point.tolist()!r:.200}"
        )
        raise OptionError(msg)
    values = dict(zip(columns, point.tolist(), strict=True))
    return [
        Reference(point=np.array([values[j] for j in component.columns])) if refers else None
        for component, refers in pairs
    ]


def _reference_points(model: Model, references: Sequence[Reference | None]) -> FloatArray:
    """The point (d,) that features are compared with; NaN for those that are with none."""
    points = np.full(model.schema.n_features, np.nan)
    for component, density, reference in zip(
        model.components, model.densities, references, strict=True
    ):
        if reference is not None:
            points[list(component.columns)] = density.reference_point(reference)
    return points


def _values(row: Rows, schema: Schema) -> Sequence[tuple[Value, bool]]:
    """The value of each feature of a row, and whether it is a category that was not seen before."""
    new = {unseen.column: unseen.examples[0] for unseen in row.unseen}
    values: list[tuple[Value, bool]] = [(value, False) for value in row.matrix[0].tolist()]
    categories = zip(schema.categorical, row.categories, row.codes[0].tolist(), strict=True)
    for j, (column, known, code) in enumerate(categories):
        value = known[code] if code >= 0 else new.get(j) if code == UNSEEN else None
        values.insert(column, (value, code == UNSEEN))  # in the order of the features
    return values


def _record(part: BayesRule | BayesTerms | Contribution | LogOdds | Adjustment) -> dict[str, Any]:
    values = {field.name: _plain(getattr(part, field.name)) for field in fields(part)}
    # No field of a Python record can be called what records of classes call it.
    return {"class" if name == "label" else name: value for name, value in values.items()}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
