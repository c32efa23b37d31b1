"""Explain the classification of a row: Bayes' rule with every number, and contributions by feature.

Families are independent given the class, so that the log-odds of two classes are a sum over them,
and the Shapley values of the features are those within each family. Missing values are integrated
out and contribute nothing; neither does a category that did not occur in training.

Contributions are those of the densities. The effect of calibration on the log-odds is shown
separately.

In a pool (`gaussbayes.model.select`) the pooled likelihood ``exp(v l_c + v' l'_c + b_c)`` takes the
place of the likelihood, and the contributions are sums of those of both members, weighted by v and
v'. A proportion e of the posterior is the prior. The pooled likelihood contains it as e times the
normaliser plus 1 − e times the other term, so that prior × likelihood ÷ normaliser is the
posterior.

Where posteriors are averaged with those of the labelled rows alone, prior × likelihood ÷ normaliser
is the calibrated posterior with unlabelled rows, which is shown beside the one without, and the
posterior is the mean of the two. Contributions are those with unlabelled rows; the effect of
calibration on the log-odds includes that of averaging.

Each number of Bayes' rule is given twice, plain and as its logarithm. A logarithm is exact for any
size; a plain number is 0 or ∞ beyond the range of floats, as for densities of many features.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import counted, five_digits, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, Styled, TextTable, bar
from gaussbayes.data.categories import UNSEEN
from gaussbayes.data.rows import Rows
from gaussbayes.data.schema import ColumnTable, Schema
from gaussbayes.families.protocol import Distant, Explainable, Referred, require
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

    label: object  #: the class
    prior: float  #: the prior p(c)
    likelihood: float  #: the likelihood p(x | c), or the pooled likelihood
    joint: float  #: the joint density p(x, c): prior · likelihood
    posterior: float  #: the posterior p(c | x)
    log_prior: float  #: log p(c)
    log_likelihood: float  #: log p(x | c)
    log_joint: float  #: log p(x, c)
    log_posterior: float  #: log p(c | x)
    squared_distance: float  #: squared Mahalanobis distance from the mean; NaN without distances
    log_members: tuple[float, ...] = ()  #: log-likelihoods by the members that are calibrated
    log_averaged: tuple[float, ...] = ()  #: log posteriors with unlabelled rows, and without


@dataclass(frozen=True, slots=True)
class BayesRule(Result):
    """Bayes' rule for every class, and the evidence."""

    classes: tuple[BayesTerms, ...]  #: the terms of each class, in their order
    evidence: float  #: the density of the row, p(x) = Σ p(x, c); of a pool, the normaliser
    log_evidence: float  #: log p(x)
    calibrated: bool = False  #: whether the posteriors differ from joint / evidence
    weights: tuple[float, ...] = ()  #: of the log-likelihoods of the members

    @property
    def is_averaged(self) -> bool:
        """Whether the posteriors are the mean of those with and without unlabelled rows."""
        return any(terms.log_averaged for terms in self.classes)

    def tables(self) -> Sequence[Block]:
        """Return the numbers and their logarithms, the most probable class first."""
        ranked = sorted(self.classes, key=lambda terms: -terms.log_posterior)
        names = ("prior", "likelihood", "joint", "posterior")
        # Some families have no distances; then they are NaN.
        distances = not any(math.isnan(terms.squared_distance) for terms in ranked)
        measured = (*names, "squared_distance") if distances else names

        def lines(attributes: Sequence[str]) -> Iterable[list[str]]:
            for terms in ranked[:_MOST_CLASSES]:
                numbers = [getattr(terms, name) for name in attributes]
                members = (*terms.log_members, *terms.log_averaged)
                members = members if attributes[0] == "log_prior" else ()
                yield [_short(terms.label), *map(five_digits, (*numbers, *members))]

        left = len(ranked) - _MOST_CLASSES
        notes = [f"and {counted(left, 'class', 'classes')} less probable"] if left > 0 else []
        if self.calibrated:
            notes.append("the posteriors are calibrated: they differ from joint / evidence")
        columns = ("class", *names, "distance²")[: 1 + len(measured)]
        plain = f"Bayes' rule; the evidence p(x) is {five_digits(self.evidence)}"
        title = f"the same in logarithms; log p(x) is {five_digits(self.log_evidence)}"
        of_logarithms: tuple[str, ...] = ("class", *names)
        if self.weights:
            kind = "pooled" if len(self.weights) > 1 else "calibrated"
            plain = f"Bayes' rule with {kind} likelihoods; {five_digits(self.evidence)} normalises"
            title = f"the same in logarithms; {five_digits(self.log_evidence)} normalises"
            members = ("densities", "pairs")[: len(self.weights)]
            of_logarithms += members
            weighted = map("{} × {}".format, map(five_digits, self.weights), members)
            notes.append(
                f"log likelihood: {' + '.join(weighted)}, and a constant of the class; part of it "
                "is the prior"
            )
        if self.is_averaged:
            of_logarithms += ("with", "without")
            notes.append(
                "prior × likelihood is normalised to the posterior with unlabelled rows; the "
                "posterior is the mean of those with and without them"
            )
        logarithms = list(lines([f"log_{name}" for name in names]))
        return [
            TextTable(columns, list(lines(measured)), plain),
            TextTable(of_logarithms, logarithms, title, notes),
        ]


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one feature to the log-odds.

    It is infinite if a category never occurred in one of the two classes, without smoothing: the
    feature rules the class out.
    """

    feature: str  #: its name, or ``feature 3`` without names
    value: Value  #: NaN is a missing number, None a missing category; dates are strings
    reference: float | str | None  #: None if it is compared with an unknown value
    amount: float  #: its contribution to the log-odds
    unseen: bool = False  #: whether the value is a category that did not occur in training
    rules_out: object = None  #: the label of the class that an infinite contribution rules out

    @property
    def missing(self) -> bool:
        """Whether the row has no value of this feature."""
        return self.value is None or (isinstance(self.value, float) and math.isnan(self.value))

    @property
    def silent(self) -> bool:
        """Whether the feature contributes nothing, since it is missing or a new category."""
        return (self.missing or self.unseen) and self.amount == 0


@dataclass(frozen=True, slots=True)
class LogOdds(Result):
    """``log p(of | x) − log p(against | x)``, feature by feature.

    `value` is the sum of `at_reference`, the contributions and the effect of calibration. It and
    `at_reference` are infinite if one of the two classes has prior 0. NaN does not occur.
    """

    of: object  #: a label
    against: object  #: another label
    value: float  #: log p(of | x) − log p(against | x)
    at_reference: float  #: the log-odds of a row at the reference: priors and constants
    contributions: tuple[Contribution, ...]  #: in the order of the features
    calibration: float | None = None  #: its effect on the log-odds; None without calibration

    def tables(self) -> Sequence[Block]:
        """Return the contributions, with bars."""
        return [_contribution_table(self)]

    def largest(self, most: int) -> tuple[list[Contribution], list[Contribution]]:
        """Return the largest contributions, in order, and the others, which share one line.

        Features without contribution are in neither; a single other feature gets a line.
        """
        informative = [part for part in self.contributions if not part.silent]
        informative.sort(key=lambda part: -abs(part.amount))
        cut = most if len(informative) > most + 1 else len(informative)
        return informative[:cut], informative[cut:]


def total_amount(contributions: Iterable[Contribution]) -> float:
    """Return the exact sum of contributions."""
    return math.fsum(contribution.amount for contribution in contributions)


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """Bayes' rule for one row, and the log-odds of two classes by feature."""

    bayes: BayesRule  #: Bayes' rule at the row, class by class
    log_odds: LogOdds | None  #: None if there is only one class

    def tables(self) -> Sequence[Block]:
        """Return Bayes' rule, plain and in logarithms, and the contributions of the features."""
        blocks: list[Block] = [*self.bayes.tables()]
        if self.log_odds is None:
            return blocks
        blocks += self.log_odds.tables()
        if self.bayes.is_averaged:
            blocks.append(
                "Contributions are those with unlabelled rows; calibration includes averaging."
            )
        parts = self.log_odds.contributions
        silent = [part for part in parts if part.silent]
        missing = [part.feature for part in silent if part.missing]
        unseen = [f"{part.feature} = {_cell(part.value)}" for part in silent if part.unseen]
        for why, names in (("Missing", missing), ("Not in the training rows", unseen)):
            if names:
                more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
                some = ", ".join(names[:_MOST_NAMES])
                blocks.append(f"{why}, without contribution: {some}{more}.")
        return blocks


def _contribution_table(odds: LogOdds) -> TextTable:
    """Return the contributions with bars, between the reference and the row."""
    first, others = odds.largest(_MOST_FEATURES)
    steps: list[tuple[str, str, str, float, object]] = []
    for part in first:
        value = "missing" if part.missing else _cell(part.value)
        cells = (_short(part.feature), value, _cell(part.reference))
        steps.append((*cells, part.amount, part.rules_out))
    if others:
        steps.append((f"{len(others)} other features", "", "", total_amount(others), None))
    if odds.calibration is not None:
        steps.append(("calibration", "", "", odds.calibration, None))
    amounts = [amount for *_, amount, _ in steps if math.isfinite(amount)]
    low, high = min(0.0, *amounts, 0.0), max(0.0, *amounts, 0.0)
    rows: list[Sequence[str]] = [("at the reference", "", "", five_digits(odds.at_reference), "")]
    for name, value, reference, amount, ruled_out in steps:
        drawn = ""
        if ruled_out is not None:
            drawn = f"rules out {shortened(str(ruled_out), _BAR - 10)}"
        elif high > low and math.isfinite(amount):
            drawn = bar(-low / (high - low), (amount - low) / (high - low), _BAR)
        rows.append((name, value, reference, five_digits(amount, sign="+"), drawn))
    last = ("this row", "", "", five_digits(odds.value), "")
    rows.append(tuple(Styled(cell) for cell in last))
    title = f"log-odds of {_short(odds.of)} against {_short(odds.against)}"
    return TextTable(
        ("feature", "value", "reference", "contribution", ""), rows, title, sides="lrrrl"
    )


def _cell(value: Any) -> str:
    """Format a number or a category; an unknown category is empty."""
    if isinstance(value, float):
        return five_digits(value)
    return "" if value is None else shortened(str(value), _WIDEST_VALUE)


def _short(name: object) -> str:
    return shortened(str(name), _WIDEST_NAME)


def explain(model: Model, row: Rows, between: tuple[int, int] | None = None) -> Explanation:
    """Explain the classification of one row; `between` are the codes of two classes.

    Every contribution is 0 at the reference point, the prior-weighted mean of the class means.
    Features without a mean, such as categories, are compared with an unknown value. See
    `gaussbayes.GaussianClassifier.explain`.
    """
    row = replace(row, numbers=row.matrix.astype(np.float64, copy=False))
    bayes = bayes_rule(model, row)
    pair = _pair(between, bayes)
    if pair is None:
        return Explanation(bayes, None)
    impossible = all(math.isinf(bayes.classes[code].log_joint) for code in pair)
    if impossible and model.prior[list(pair)].any():
        a, b = (model.schema.class_name(code) for code in pair)
        msg = f"classes {a} and {b} both have probability 0: their odds are not defined"
        raise DataError(msg)
    return Explanation(bayes, _log_odds(model, row, pair))


def _log_odds(model: Model, row: Rows, pair: tuple[int, int]) -> LogOdds:
    """Split the log-odds of two classes among the features of a row."""
    schema, log_prior = model.schema, model.parameters.log_prior
    value = float(model.log_odds(row, *pair, n_jobs=1)[0])
    at_reference = float(log_prior[pair[0]] - log_prior[pair[1]])
    amounts, points = np.zeros(schema.n_features), np.full(schema.n_features, np.nan)
    calibration, weight = model.calibration, 1.0
    if calibration is not None and model.settings.is_pooled:
        weight = calibration.weight
        at_reference += float(calibration.offsets[pair[0]] - calibration.offsets[pair[1]])
        second = require(
            model.parameters.second, Explainable, model.settings.families[-1], "explain"
        )
        ratio, amounts = second.contributions(row, pair, None)
        at_reference += calibration.second_weight * ratio
        amounts = calibration.second_weight * amounts
    for component, density, part in zip(
        model.components, model.densities, model.parts(row), strict=True
    ):
        columns = list(component.columns)
        explainable = require(density, Explainable, component.family, "explain")
        has_mean = isinstance(density, Referred)
        ratio, amount = explainable.contributions(part, pair, model.prior if has_mean else None)
        at_reference += weight * ratio
        amounts[columns] += weight * amount
        if has_mean:
            points[columns] = density.reference_point(model.prior)
    compared = (None if math.isnan(point) else point for point in points.tolist())
    named = zip(schema.titles, _values(row, schema), compared, amounts.tolist(), strict=True)
    dated = ColumnTable(()).dated if schema.roles is None else schema.roles.dated
    of, against = model.classes[list(pair)].tolist()
    ruled_out = {-math.inf: of, math.inf: against}
    contributions = tuple(
        Contribution(
            title, dated(title, value), dated(title, point), amount, new, ruled_out.get(amount)
        )
        for title, (value, new), point, amount in named
    )
    effect, of_densities = None, at_reference + float(amounts.sum())
    if calibration is not None:
        effect = 0.0 if value == of_densities else value - of_densities
    return LogOdds(of, against, value, at_reference, contributions, effect)


def bayes_rule(model: Model, row: Rows) -> BayesRule:
    """Return Bayes' rule for one row.

    A row whose values are all missing has the density 1, and its posteriors are the priors.
    """
    log_prior = model.parameters.log_prior
    likelihood, joint = model.log_likelihood(row, 1)[0], model.log_joint(row, 1)[0]
    log_evidence = float(model.log_evidence(row, 1)[0])
    weights: tuple[float, ...] = ()
    members = averaged = np.empty((0, log_prior.size))
    calibration, solution = model.calibration, model.parameters
    if calibration is not None and model.settings.is_combined:
        second = None if solution.second is None else solution.second.log_density(row)[0]
        weights = (calibration.weight, *([] if second is None else [calibration.second_weight]))
        members = np.stack([likelihood, *([] if second is None else [second])])
        pooled = calibration.applied(likelihood, np.zeros(log_prior.size), second)
        log_evidence = float(np.logaddexp.reduce(log_prior + pooled))
        with np.errstate(divide="ignore"):
            e = calibration.prior_proportion
            likelihood = np.logaddexp(np.log1p(-e) + pooled, np.log(e) + log_evidence)
        joint = log_prior + likelihood
    if solution.alone is not None:
        averaged = np.concatenate(model.log_posteriors(row))
    logarithms = (likelihood, joint, model.log_posterior(row, 1)[0])
    if any(isinstance(density, Distant) for density in model.densities):
        square = model.squared_distance(row, 1)[0][0]
    else:
        square = np.full(log_prior.shape, np.nan)
    with np.errstate(over="ignore", under="ignore"):
        plain = [np.exp(values) for values in logarithms]
        evidence = float(np.exp(log_evidence))
    columns = (model.schema.classes, model.prior, *plain, log_prior, *logarithms, square)
    lists = [column.tolist() for column in columns]
    lists += [list(map(tuple, each.T.tolist())) for each in (members, averaged)]
    terms = tuple(map(BayesTerms, *lists))
    calibrated = calibration is not None and not weights
    return BayesRule(terms, evidence, log_evidence, calibrated, weights)


def _pair(between: tuple[int, int] | None, bayes: BayesRule) -> tuple[int, int] | None:
    """Return the two classes to compare, if there are two."""
    if between is None:
        codes = range(len(bayes.classes))
        ranked = sorted(codes, key=lambda code: -bayes.classes[code].log_posterior)
        return (ranked[0], ranked[1]) if len(ranked) > 1 else None
    if between[0] == between[1]:
        msg = f"log-odds need two different classes, got {bayes.classes[between[0]].label!r} twice"
        raise OptionError(msg)
    return between


def _values(row: Rows, schema: Schema) -> Sequence[tuple[Value, bool]]:
    """Return the value of each feature of a row, and whether it is a new category."""
    new = {unseen.column: unseen.examples[0] for unseen in row.unseen}
    values: list[tuple[Value, bool]] = [(value, False) for value in row.matrix[0].tolist()]
    categories = zip(schema.categorical, row.categories, row.codes[0].tolist(), strict=True)
    for j, (column, known, code) in enumerate(categories):
        value = known[code] if code >= 0 else new.get(j) if code == UNSEEN else None
        values.insert(column, (value, code == UNSEEN))  # in the order of the features
    return values
