"""Whether the rows of one model are like those of another: likelihood-ratio tests of statistics.

Two models of the same features, of last year and of this month, are compared by what they have
learnt; no row is needed. Given the class, families are independent, so that the likelihood ratio of
everything is a sum: of the class frequencies, and of every family in every class that both have
rows of. `gaussbayes.families.likelihood_ratio` has its law where nothing has changed, which for
Gaussians is exact in samples of any size.

Which features have changed is tested one by one. Of the many p-values some are small by chance:
Holm's (1979) method adjusts them, so that the probability of naming any feature that has not
changed is at most the level, however the tests depend on one another.

Rows are taken to be independent, and weights to be numbers of rows. Rows that were weighted
otherwise, or forgotten by decay, are fewer or more than their weight says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.numerals import counted, five_digits, fixed, score, shortened
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import Block, Displayed, Styled, TextTable
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.labels import unite
from gaussbayes.families.likelihood_ratio import (
    Contrastable,
    FamilyTests,
    FeatureChange,
    LikelihoodRatio,
    NullLaw,
    contingency,
)
from gaussbayes.families.protocol import require
from gaussbayes.model.model import Model

LEVEL = 0.01
"""Adjusted p-values below this are shown as changes."""

_FREQUENCIES = "class frequencies"


@dataclass(frozen=True, slots=True, eq=False)
class DriftTest:
    """The likelihood ratio of some parameters of a class."""

    quantity: str  #: such as "means and covariances"
    label: Any  #: of the class; None for all classes together
    statistic: float  #: the likelihood ratio, corrected for small samples
    degrees: float  #: how many parameters are compared
    p_value: float  #: how probable as large a statistic is if nothing changed
    adjusted: float  #: by Holm's method, among all tests of classes
    family: str | None = None  #: None for the class frequencies


@dataclass(frozen=True, slots=True, eq=False)
class DriftFeature:
    """A parameter of a feature in a class before and after."""

    feature: str  #: its name
    label: Any  #: of the class; None for all classes together
    quantity: str  #: such as "mean"
    before: float  #: the parameter of the first model
    after: float  #: that of the second
    p_value: float  #: of a difference as large as this if nothing changed
    adjusted: float  #: by Holm's method, among all parameters of features


@dataclass(frozen=True, slots=True, eq=False)
class Drift(Displayed):
    """What has changed between two models of the same features.

    `p_value` is that of everything together: uniform from 0 to 1 where nothing has changed.
    """

    p_value: float  #: of all tests together
    statistic: float  #: the sum of those of all tests
    degrees: float  #: the sum of their degrees of freedom
    tests: tuple[DriftTest, ...]  #: of classes, in their order
    features: tuple[DriftFeature, ...]  #: the smallest p-value first
    weight: tuple[float, float]  #: of labelled rows before and after
    notes: tuple[str, ...] = ()  #: what could not be compared, and what is approximate

    def changed(self, level: float = LEVEL) -> list[str]:
        """The features of which some parameter has changed at a level, the clearest first."""
        names = (each.feature for each in self.features if each.adjusted < level)
        return list(dict.fromkeys(names))

    def tables(self, most: int | None = 20) -> Sequence[Block]:
        """A sentence, the tests of classes, and at most so many features."""
        verdict = "the rows are not alike" if self.p_value < LEVEL else "no sign of drift"
        if self.p_value >= LEVEL and (changed := self.changed()):
            # A change of one parameter among many may not show in the sum of all.
            verdict = f"no sign of drift in everything together, but {_listed(changed)} changed"
        sizes = " and ".join(f"{each:,.10g}" for each in self.weight)
        statement = (
            f"{verdict}: p = {score(self.p_value)} (likelihood ratio "
            f"{five_digits(self.statistic)}, "
            f"{counted(int(self.degrees), 'parameter')}, rows of weight {sizes})"
        )
        tests = TextTable(
            ("class", "quantity", "likelihood\nratio", "para-\nmeters", "p", "p (Holm)"),
            [
                (
                    _label(test.label),
                    test.quantity,
                    five_digits(test.statistic),
                    f"{test.degrees:g}",
                    _written(test.p_value),
                    _emphasised(test.adjusted),
                )
                for test in self.tests
            ],
            title="tests of classes",
            sides="llr",
        )
        lines = (
            (
                shortened(each.feature, 24),
                _label(each.label),
                shortened(each.quantity, 28),
                five_digits(each.before),
                five_digits(each.after),
                _written(each.p_value),
                _emphasised(each.adjusted),
            )
            for each in self.features
        )
        columns = ("feature", "class", "quantity", "before", "after", "p", "p (Holm)")
        title = "features, the clearest changes first"
        table = TextTable.first(
            columns, lines, len(self.features), most, title=title, sides="lllr", notes=self.notes
        )
        return [statement, tests, table]

    def record(self) -> dict[str, Any]:
        """Everything as plain values; NaN is None."""
        return {
            "p_value": self.p_value,
            "statistic": self.statistic,
            "degrees": self.degrees,
            "weights": list(self.weight),
            "tests": [_plain(test) for test in self.tests],
            "features": [_plain(each) for each in self.features],
            "notes": list(self.notes),
        }


def drift(before: Model, after: Model) -> Drift:
    """Test whether the labelled rows of two models are alike, by what the models have learnt.

    They must have the same features, of the same families. Classes are united; those that only one
    of the two has count in the class frequencies.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier, make_gaussian_dataset
    >>> sizes, means = [200, 200], [[0, 0], [3, 0]]
    >>> old = GaussianClassifier().fit(*make_gaussian_dataset(sizes, means, random_state=0))
    >>> means = [[0, 0], [3, 1]]
    >>> new = GaussianClassifier().fit(*make_gaussian_dataset(sizes, means, random_state=1))
    >>> result = drift(old.model_, new.model_)
    >>> result.p_value < 1e-6, result.changed()
    (True, ['feature 1'])
    >>> result.features[0].label, result.features[0].quantity
    (1, 'mean')
    """
    before, after = (_labelled(model) for model in (before, after))
    before.check_same_features(after, "compared")
    mine, theirs = (model.learnt_for("drift") for model in (before, after))
    classes, of_mine, of_theirs = unite(mine.classes, theirs.classes)
    mine = mine.aligned(of_mine.tolist(), classes)
    theirs = theirs.aligned(of_theirs.tolist(), classes)
    weights = np.stack([mine.weight, theirs.weight])
    if not weights.any(axis=1).all():
        msg = "drift compares labelled rows, and one of the models has none"
        raise DataError(msg)
    if before.schema.features is None:
        before = replace(before, schema=replace(before.schema, features=after.schema.features))
    schema: Schema = replace(before.schema, classes=classes)
    frequencies = LikelihoodRatio(_FREQUENCIES, None, *contingency(weights))
    ratios: list[tuple[str | None, LikelihoodRatio]] = [(None, frequencies)]
    changes: list[FeatureChange] = []
    notes: list[str] = []
    columns = zip(
        before.components, mine.parts, theirs.parts, before.settings.names(schema), strict=True
    )
    untested = []
    for component, a, b, names in columns:
        statistics = require(a, Contrastable, component.family, "drift")
        tests: FamilyTests = statistics.tested(b, names)
        ratios += [(component.distribution, ratio) for ratio in tests.ratios]
        changes += tests.changes
        notes += tests.notes
        tested = {ratio.code for ratio in tests.ratios if not ratio.is_detail}
        untested += [
            change.p_value
            for change in tests.changes
            if None not in tested and change.code not in tested
        ]
    whole = [ratio for _, ratio in ratios if not ratio.is_detail]
    statistic, degrees = (
        sum(getattr(ratio, of) for ratio in whole) for of in ("statistic", "degrees")
    )
    p_value = NullLaw.sum(ratio.law for ratio in whole).survival(statistic)
    smallest = holm(np.array(untested))
    if np.isfinite(smallest).any():  # of what the sum has nothing of: the better of two tests
        p_value = min(1.0, 2.0 * min(p_value, float(np.nanmin(smallest))))
    return Drift(
        p_value,
        statistic,
        degrees,
        _tests(ratios, classes),
        _features(changes, classes),
        (float(weights[0].sum()), float(weights[1].sum())),
        tuple(dict.fromkeys(notes)),
    )


def holm(p_values: FloatArray) -> FloatArray:
    """p-values (m,) adjusted by Holm's method; NaN stays, and does not count.

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


def _labelled(model: Model) -> Model:
    """A model of labelled rows alone; the first member of an average stands for all."""
    member = model.weighted_members[0][1]
    if member.learnt is None or member.learnt.unlabelled is None:
        return member
    return replace(member, learnt=replace(member.learnt, unlabelled=None))


def _tests(
    ratios: Sequence[tuple[str | None, LikelihoodRatio]], classes: LabelArray
) -> tuple[DriftTest, ...]:
    p_values = [ratio.p_value if ratio.degrees else np.nan for _, ratio in ratios]
    adjusted = holm(np.array(p_values)).tolist()
    tests = [
        DriftTest(
            ratio.quantity,
            _of(classes, ratio.code),
            ratio.statistic,
            ratio.degrees,
            p,
            holms,
            family,
        )
        for (family, ratio), p, holms in zip(ratios, p_values, adjusted, strict=True)
    ]
    codes = [-1 if ratio.code is None else ratio.code for _, ratio in ratios]
    return tuple(tests[at] for at in np.argsort(codes, kind="stable").tolist())


def _features(changes: Sequence[FeatureChange], classes: LabelArray) -> tuple[DriftFeature, ...]:
    p_values = np.array([change.p_value for change in changes])
    adjusted = holm(p_values).tolist()
    features = [
        DriftFeature(
            change.feature,
            _of(classes, change.code),
            change.quantity,
            change.before,
            change.after,
            change.p_value,
            holms,
        )
        for change, holms in zip(changes, adjusted, strict=True)
    ]
    return tuple(features[at] for at in np.argsort(p_values, kind="stable").tolist())


def _of(classes: LabelArray, code: int | None) -> Any:
    """The label of a class; None for all classes together."""
    return None if code is None else classes[[code]].tolist()[0]


def _listed(features: Sequence[str]) -> str:
    """The first features by name, and how many others there are."""
    more = [f"{len(features) - 3} more"] if len(features) > 3 else []
    return ", ".join([*(shortened(each, 24) for each in features[:3]), *more])


def _label(label: Any) -> str:
    return "all" if label is None else shortened(str(label), 20)


def _written(p_value: float) -> str:
    return fixed(p_value, 4) if np.isnan(p_value) else score(p_value)


def _emphasised(p_value: float) -> str:
    return Styled(_written(p_value)) if p_value < LEVEL else _written(p_value)


def _plain(record: Any) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in record.__slots__}
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value
        for name, value in values.items()
    }
