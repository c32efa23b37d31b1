"""Test whether newer rows are like the rows that a model was fitted to.

With labels, two models are compared by their statistics; no row is needed. Given the class,
families are independent, so the overall likelihood ratio is a sum: of the class frequencies, and of
every family in every class with rows in both, each with Bartlett's correction
(`gaussbayes.families.likelihood_ratio`).

Without labels, two kinds of test need no assumption about the shape of the classes:

- the mean and the standard deviation of each feature, or the proportions of its categories, in all
  rows together. The sampling errors use the fourth moments of the newer rows;
- the evidence: the mean of ``Σ_c p(c | x) log p(x, c)`` over the newer rows against the mean of
  ``log p(x, y)`` over the training rows, which follows from the statistics. A fit with p parameters
  to n rows alone makes an expected difference of p / n.

Features are also tested one by one. Holm's (1979) method adjusts the p-values, so that the
probability of naming any feature that has not changed is at most the level. The overall p-value is
twice the smaller one of two: that of the sum or of the evidence, and the smallest adjusted one of a
feature. Rows are assumed to be independent, and weights to be numbers of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import five_digits, fixed, score, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, Styled, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, LabelsLike, TableLike, WeightsLike
from gaussbayes.data.labels import labelled_rows, read_weights, separate_columns, unite
from gaussbayes.data.read import table_of
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.data.tables import is_source
from gaussbayes.families.likelihood_ratio import (
    Contrastable,
    FeatureChange,
    LikelihoodRatio,
    bartlett_p_value,
    contingency,
)
from gaussbayes.families.protocol import Warped, require
from gaussbayes.model.model import Model
from gaussbayes.model.statistics import SufficientStatistics, observe, observe_parts

LEVEL = 0.01
"""Adjusted p-values below this are shown as changes."""

_FREQUENCIES = "class frequencies"
_EVIDENCE = "log evidence"


@dataclass(frozen=True, slots=True)
class DriftTest:
    """A test of some parameters of a class, or of all classes."""

    quantity: str  #: such as "means and covariances"
    label: object  #: of the class; None for all classes together
    statistic: float  #: the likelihood ratio, or a squared standard score
    degrees: float  #: number of parameters compared
    p_value: float  #: probability of a statistic at least this large without a change
    adjusted: float  #: by Holm's method


@dataclass(frozen=True, slots=True)
class DriftFeature:
    """A parameter of a feature before and after."""

    feature: str  #: its name
    label: object  #: of the class; None for all classes together
    quantity: str  #: such as "mean"
    before: float | str  #: its value in the training rows; means of dates are dates
    after: float | str  #: its value in the newer rows
    p_value: float  #: probability of a difference at least this large without a change
    adjusted: float  #: by Holm's method


@dataclass(frozen=True, slots=True, eq=False)
class Drift(Result):
    """The differences between the training rows of a model and newer rows."""

    p_value: float  #: of all tests together
    tests: tuple[DriftTest, ...]  #: of classes, in their order
    features: tuple[DriftFeature, ...]  #: the smallest p-value first
    weights: tuple[float, float]  #: of the rows before and after
    labelled: bool  #: whether the newer rows have labels
    notes: tuple[str, ...] = ()  #: features that could not be compared, and approximations

    def changed(self, level: float = LEVEL) -> list[str]:
        """Return the features with changed parameters, the most significant first."""
        names = (each.feature for each in self.features if each.adjusted < level)
        return list(dict.fromkeys(names))

    def tables(self) -> Sequence[Block]:
        """Return a sentence, the tests of classes, and the features."""
        verdict = "The rows differ" if self.p_value < LEVEL else "No sign of drift"
        sizes = " and ".join(f"{each:,.10g}" for each in self.weights)
        kind = "labelled" if self.labelled else "unlabelled"
        statement = f"{verdict}: p = {score(self.p_value)} ({sizes} rows, newer rows {kind})"
        tests = [
            (
                _label(each.label),
                each.quantity,
                five_digits(each.statistic),
                f"{each.degrees:g}",
                *_p(each),
            )
            for each in self.tests
        ]
        lines = (
            (
                shortened(each.feature, 24),
                _label(each.label),
                shortened(each.quantity, 40),
                *(x if isinstance(x, str) else five_digits(x) for x in (each.before, each.after)),
                *_p(each),
            )
            for each in self.features
        )
        of_tests = ("class", "quantity", "statistic", "para-\nmeters", "p", "p (Holm)")
        headings = ("feature", "class", "quantity", "before", "after", "p", "p (Holm)")
        about: dict[str, Any] = {"title": "features", "sides": "lllr", "notes": self.notes}
        return [
            statement,
            TextTable(of_tests, tests, title="tests of classes", sides="llr"),
            TextTable.first(headings, lines, len(self.features), **about),
        ]


def drift(
    model: object,
    newer: TableLike,
    y: LabelsLike | None = None,
    sample_weight: WeightsLike = None,
) -> Drift:
    """Test whether newer rows are like the rows that a model was fitted to.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    newer : estimator, table or path
        Another estimator with the same features, or rows as in `predict`.
    y : array or str, optional
        Labels of the rows, or the name of the column of `newer` that holds them. Without labels,
        features are compared in all rows together, and the evidence of the rows.
    sample_weight : array or str, optional
        Weights of the rows.

    Returns
    -------
    Drift
        The tests; it prints as tables.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier, drift, make_gaussian_dataset
    >>> sizes = [200, 200]
    >>> model = GaussianClassifier().fit(
    ...     *make_gaussian_dataset(sizes, [[0, 0], [3, 0]], random_state=0)
    ... )
    >>> X, y = make_gaussian_dataset(sizes, [[0, 0], [3, 1]], random_state=1)
    >>> result = drift(model, X, y)
    >>> result.p_value < 1e-6, result.changed(), result.features[0].label
    (True, ['feature 1'], 1)
    >>> drift(model, X).changed()
    ['feature 1']
    """
    before = _record(model)
    if isinstance(newer, Model) or hasattr(newer, "model_"):
        return _labelled_drift(before, _record(newer))
    if is_source(newer):
        newer = table_of(newer, before.schema.roles, y)
    X, y, weights = separate_columns(newer, y, sample_weight)
    X = before.without_target(X)
    if y is None:
        return _unlabelled_drift(before, before.rows(X), weights)
    table = labelled_rows(before.schema, X, y, weights, before.schema.missing.of(None))
    schema = replace(before.schema, classes=table.classes)
    statistics = observe(table, before.settings, schema).with_rows()
    return _labelled_drift(before, before.of_rows(statistics))


def _record(model: Any) -> Model:
    record = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(record, Model):
        msg = f"drift needs a fitted estimator of this package, got {type(model).__name__}"
        raise TypeError(msg)
    return record


def _labelled_drift(before: Model, after: Model) -> Drift:
    """Compare two models of labelled rows by their statistics."""
    before.check_same_features(after, "compared")
    first, second = (_labelled(model) for model in (before, after))
    classes, of_first, of_second = unite(first.classes, second.classes)
    first = first.aligned(of_first.tolist(), classes)
    second = second.aligned(of_second.tolist(), classes)
    weights = np.stack([first.weight, second.weight])
    if not weights.any(axis=1).all():
        msg = "drift compares labelled rows, and one of the models has none"
        raise DataError(msg)
    features = before.schema.features or after.schema.features
    schema: Schema = replace(before.schema, classes=classes, features=features)
    frequencies = LikelihoodRatio(_FREQUENCIES, None, *contingency(weights))
    ratios = [frequencies]
    changes: list[FeatureChange] = []
    notes: list[str] = []
    names = before.settings.members[0].names(schema)
    columns = zip(before.components, first.parts, second.parts, names, strict=True)
    for component, a, b, name in columns:
        tests = require(a, Contrastable, component.family, "drift").tested(b, name)
        ratios += tests.ratios
        changes += tests.changes
        notes += tests.notes
    whole = [ratio for ratio in ratios if not ratio.is_detail]
    p_value = bartlett_p_value(*(sum(getattr(ratio, name) for ratio in whole) for name in _RATIO))
    sizes = float(weights[0].sum()), float(weights[1].sum())
    of_classes, of_features = _tests(ratios, classes), _features(changes, schema)
    return _drift(p_value, of_classes, of_features, sizes, notes, labelled=True)


def _drift(
    of_all: float,
    tests: tuple[DriftTest, ...],
    features: tuple[DriftFeature, ...],
    weights: tuple[float, float],
    notes: Sequence[str],
    *,
    labelled: bool,
) -> Drift:
    """The result; its p-value combines the overall test and the smallest one of a feature."""
    clearest = min((each.adjusted for each in features if each.adjusted >= 0.0), default=1.0)
    p_value = min(1.0, 2.0 * min(of_all, clearest))
    return Drift(p_value, tests, features, weights, labelled, tuple(dict.fromkeys(notes)))


_RATIO = ("statistic", "degrees", "expected")


def _labelled(model: Model) -> SufficientStatistics:
    """The statistics of the labelled rows; for a pool, those of the first member."""
    if model.statistics is not None and model.statistics.unlabelled is not None:
        statistics = replace(model.statistics, unlabelled=None)
    else:
        statistics = model.statistics_for("drift")
    return statistics.members(model.settings)[0]


def _unlabelled_drift(model: Model, rows: Rows, sample_weight: Any) -> Drift:
    """Compare unlabelled rows with the training rows, all classes together."""
    if not rows.n_rows:
        msg = "drift needs at least one newer row"
        raise DataError(msg)
    statistics, n = _labelled(model), rows.n_rows
    given = read_weights(sample_weight, n)
    weights = np.ones(n) if given is None else given
    sizes = float(statistics.weight.sum()), float(weights.sum())
    schema = replace(model.schema, classes=np.array(["all"]))
    settings = model.settings.members[0]
    parts = observe_parts(rows, Targets(np.zeros(n, np.int32), 1, given), settings, schema)
    changes: list[FeatureChange] = []
    notes: list[str] = []
    for component, density, old, new, part, names in zip(
        *(model.components, model.densities, statistics.parts, parts, model.parts(rows)),
        settings.names(schema),
        strict=True,
    ):
        tests = require(old.together(), Contrastable, component.family, "drift").tested(new, names)
        values = part.matrix.astype(np.float64)
        values = density.unwarp(values) if isinstance(density, Warped) else values
        numeric = values.shape[1] == names.n_features
        columns = dict(zip(names.titles, values.T, strict=True)) if numeric else {}
        for change in tests.changes:
            column = columns.get(change.feature, np.empty(0))
            p_value = _robust_p_value(change, column, weights, sizes[0])
            changes.append(replace(change, code=None, p_value=p_value))
        notes += [note for note in tests.notes if "one by one" not in note]
    evidence = _evidence(model, statistics, rows, weights)
    features = _features(changes, schema)
    if evidence is None:
        notes.append("the evidence of this model has no expectation in closed form")
        return _drift(1.0, (), features, sizes, notes, labelled=False)
    return _drift(evidence.p_value, (evidence,), features, sizes, notes, labelled=False)


def _robust_p_value(
    change: FeatureChange, values: FloatArray, weights: FloatArray, old: float
) -> float:
    """The p-value of a change, without a Gaussian or Poisson distribution of all rows together.

    A mixture of classes is neither. The sampling errors of means and of logarithms of variances
    follow from the second and fourth moments of the newer rows.
    """
    is_deviation = change.quantity.startswith(("standard deviation", "interquartile range"))
    known = np.flatnonzero(~np.isnan(values))
    varies = np.unique(values[known]).size > 1
    if not (varies and (is_deviation or change.quantity == "rate")):
        return change.p_value
    values, weights = values[known], weights[known]
    centred = values - np.average(values, weights=weights)
    variance = float(np.average(np.square(centred), weights=weights))
    before, after = change.tested or (change.before, change.after)
    difference, spread = after - before, variance
    if is_deviation:
        if not (before > 0 and after > 0):
            return change.p_value
        difference = 2.0 * float(np.log(after / before))
        spread = float(np.average(centred**4, weights=weights)) / variance**2 - 1.0
    squared = difference**2 / (max(spread, 1e-12) * (1.0 / old + 1.0 / weights.sum()))
    return bartlett_p_value(float(squared), 1.0, 1.0)


def _evidence(
    model: Model, statistics: SufficientStatistics, rows: Rows, weights: FloatArray
) -> DriftTest | None:
    """Compare the expected log joint density of rows with that of the training rows."""
    densities = tuple(_gaussian(density) for density in model.densities)
    parameters = replace(model.parameters, densities=densities, calibration=None)
    plain = replace(model, solution=parameters)
    weight = statistics.weight
    with np.errstate(divide="ignore", invalid="ignore"):
        of_labels = np.where(weight > 0, weight * parameters.log_prior, 0.0)
    try:
        pairs = zip(densities, statistics.parts, strict=True)
        total = float(of_labels.sum()) + sum(float(d.log_likelihood(part)) for d, part in pairs)
    except OptionError:
        return None
    expected = total / weight.sum() - parameters.n_parameters / weight.sum()
    joint = plain.log_joint(rows).astype(np.float64)
    share = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)) * weights[:, None]
    share /= share.sum()
    joint = np.where(share > 0, joint, 0.0)
    mean = float((share * joint).sum())
    variance = float((share * np.square(joint - mean)).sum())
    if not np.isfinite([expected, mean, variance]).all() or variance == 0.0:
        return None
    squared = (mean - expected) ** 2 / (variance * (1.0 / weights.sum() + 1.0 / weight.sum()))
    p_value = bartlett_p_value(float(squared), 1.0, 1.0)
    return DriftTest(_EVIDENCE, None, float(squared), 1.0, p_value, p_value)


def _gaussian(density: Any) -> Any:
    """Return the Gaussian with the scales of a Student-t density, which can score statistics."""
    if hasattr(density, "straight"):
        return replace(density, inner=_gaussian(density.inner))
    return replace(density, degrees=None) if hasattr(density, "degrees") else density


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values (m,) adjusted by Holm's method; NaN is ignored.

    The i-th smallest of m is multiplied by m − i + 1, and none is below the one before it.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    known = np.flatnonzero(~np.isnan(p_values))
    order: NDArray[np.intp] = known[np.argsort(p_values[known], kind="stable")]
    adjusted = np.full(p_values.shape, np.nan)
    factors = order.size - np.arange(order.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def _tests(ratios: Sequence[LikelihoodRatio], classes: LabelArray) -> tuple[DriftTest, ...]:
    ordered = sorted(ratios, key=lambda ratio: -1 if ratio.code is None else ratio.code)
    p_values = [ratio.p_value if ratio.degrees else np.nan for ratio in ordered]
    adjusted = holm(np.array(p_values)).tolist()
    return tuple(
        DriftTest(r.quantity, _label_of(classes, r.code), r.statistic, r.degrees, p, corrected)
        for r, p, corrected in zip(ordered, p_values, adjusted, strict=True)
    )


def _features(changes: Sequence[FeatureChange], schema: Schema) -> tuple[DriftFeature, ...]:
    p_values = np.array([change.p_value for change in changes])
    features = []
    for change, adjusted in zip(changes, holm(p_values).tolist(), strict=True):
        about = (change.feature, _label_of(schema.classes, change.code), change.quantity)
        before, after = change.before, change.after
        if schema.roles is not None and change.quantity in {"mean", "median"}:
            before, after = (schema.roles.dated(change.feature, x) for x in (before, after))
        features.append(DriftFeature(*about, before, after, change.p_value, adjusted))
    return tuple(features[at] for at in np.argsort(p_values, kind="stable").tolist())


def _label_of(classes: LabelArray, code: int | None) -> object:
    return None if code is None else classes[[code]].tolist()[0]


def _label(label: object) -> str:
    return "all" if label is None else shortened(str(label), 20)


def _p(test: DriftTest | DriftFeature) -> tuple[str, str]:
    """Return the p-value and the adjusted one as text; small ones are highlighted."""
    plain, adjusted = (
        fixed(p, 4) if np.isnan(p) else score(p) for p in (test.p_value, test.adjusted)
    )
    return plain, Styled(adjusted) if test.adjusted < LEVEL else adjusted
