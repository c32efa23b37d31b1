"""A model seen through some of its features, and labelled rows seen the same way.

Figures and reports take models and rows from users in many forms; here they become a model of the
shown features (all others integrated out), positions along axes and class codes. A number stands at
its value; categories stand at 0, 1, 2, … What is missing has no position: NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.class_moments import category_probabilities, class_means
from gaussbayes.analysis.decision import margins
from gaussbayes.analysis.other_classifier import OtherClassifier, other_classifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import MISSING
from gaussbayes.data.labels import codes_among, read_targets
from gaussbayes.data.roles import separate_columns
from gaussbayes.data.rows import Encoder, Rows, Targets, number_rows
from gaussbayes.families.protocol import Bounded, Discrete, Distant, Mixed
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows

MOST_CATEGORIES = 24
"""Categories that have a place on an axis: of more, the most probable ones."""


_FIRST = 1e-3
"""Proportion of an axis that is left out beside a number that values must be above."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A feature as an axis: of numbers, of integers only, or of categories.

    Examples
    --------
    >>> Axis("visits", integers=(0, np.inf)).limits(-0.4, 2.2)
    (-0.5, 3.5)
    >>> Axis("wind", ("low", "high"), (0, 1)).limits(np.nan, np.nan)
    (-0.5, 1.5)
    """

    name: str
    categories: tuple[str, ...] = ()  # at 0, 1, 2, …; none of an axis of numbers
    codes: tuple[int, ...] = ()  # of these categories
    integers: tuple[float, float] | None = None  # the least and the largest possible
    above: float = -np.inf  # what numbers must be above
    origin: str | None = None  # the day that is 0, if numbers are days

    @property
    def is_discrete(self) -> bool:
        """Whether there is nothing between neighbouring positions."""
        return not self.is_ordered or self.integers is not None

    @property
    def is_ordered(self) -> bool:
        """Whether positions are numbers, so that their order means something."""
        return not self.categories

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Where an axis begins and ends that has to show the numbers between low and high."""
        if not self.is_ordered:
            return -0.5, len(self.codes) - 0.5
        if self.integers is not None:
            least, largest = self.integers
            return max(floor(low), least) - 0.5, min(ceil(high), largest) + 0.5
        if low <= self.above:
            low = self.above + _FIRST * (high - self.above)
        return low, high


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A model of the shown features alone, and what it takes to bring rows into its form."""

    model: Model  # of the shown features, in the order chosen; with its parameters
    axes: tuple[Axis, ...]
    columns: tuple[int, ...]  # where they are among all features
    whole: Model
    mark: Any = None  # the label that stands for a missing one

    @property
    def has_ellipses(self) -> bool:
        """Whether all features have distances, of which ellipses are lines of equal ones."""
        return all(isinstance(density, Distant) for density in self.model.densities)

    @property
    def has_means(self) -> bool:
        """Whether the classes have means, which say where to look for them."""
        return bool(self.model.densities)

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return self.model.schema.classes

    @property
    def names(self) -> tuple[str, ...]:
        """Of the shown features."""
        return tuple(axis.name for axis in self.axes)

    @property
    def means(self) -> FloatArray:
        """The positions (k, m) of the classes' means; NaN along categories, which have none."""
        means = np.full((self.classes.size, len(self.axes)), np.nan)
        means[:, [axis.is_ordered for axis in self.axes]] = class_means(self.model)
        return means

    # Rows.

    def part(self, X: Any) -> Rows:
        """The shown features of rows that have every feature of the whole."""
        return cut_rows(_read(self.whole, X), self.whole.schema, self.columns)

    def rows(self, X: Any) -> FloatArray:
        """Positions (n, m) of rows of the whole; NaN where a value is missing or is not shown."""
        return self.positions(self.part(X))

    def positions(self, part: Rows) -> FloatArray:
        """The positions (n, m) of rows of the shown features."""
        return positions_of(part, self.axes)

    def rows_at(self, positions: FloatArray) -> Rows:
        """Rows of the shown features at some positions (n, m); NaN is a missing value."""
        ordered = [axis.is_ordered for axis in self.axes]
        numbers = np.ascontiguousarray(positions[:, ordered])
        coded = [place for place, is_number in enumerate(ordered) if not is_number]
        codes = np.empty((positions.shape[0], len(coded)), dtype=np.int32, order="F")
        for j, place in enumerate(coded):
            known = np.array([*self.axes[place].codes, MISSING], dtype=np.int32)
            at = positions[:, place]
            codes[:, j] = known[np.where(np.isnan(at), -1, at).astype(np.intp)]
        return Rows(numbers, codes, self.model.categories if coded else ())

    def codes(self, y: Any) -> NDArray[np.intp]:
        """Class codes (n,) of labels, which the model must know; −1 for a missing label."""
        return _codes(self.whole, y, None, self.mark)

    def labelled(self, X: Any, y: Any) -> tuple[FloatArray, NDArray[np.intp]]:
        """Positions (n, m) of rows and their class codes (n,), as many as rows."""
        if not isinstance(X, Rows):
            X, y, _ = separate_columns(X, y)
        rows = self.rows(X)
        return rows, _codes(self.whole, y, rows.shape[0], self.mark)

    # What the model says at positions (n, m). Where no class is possible, as with categories that
    # never occur together in any of them, a posterior is NaN and a class code −1.

    def log_posterior(self, positions: FloatArray) -> RealArray:
        """``log p(c | x)`` (n, k)."""
        rows = self.rows_at(positions)
        try:
            return self.model.log_posterior(rows)
        except DataError:
            possible = np.isfinite(self.model.log_evidence(rows))
            if possible.all():
                raise
            posterior = np.full((rows.n_rows, self.classes.size), np.nan)
            posterior[possible] = self.model.log_posterior(rows[possible])
            return posterior

    def predicted(self, positions: FloatArray) -> NDArray[np.intp]:
        """The codes of the most probable classes (n,)."""
        log_posterior = self.log_posterior(positions)
        return np.where(np.isnan(log_posterior[:, 0]), -1, log_posterior.argmax(axis=1))

    def posterior(self, positions: FloatArray) -> RealArray:
        """``p(c | x)`` (n, k)."""
        posterior: RealArray = np.exp(self.log_posterior(positions))
        return posterior

    def margins(self, positions: FloatArray) -> RealArray:
        """By how much each class beats the best other one (n, k); 0 at the edge of its region."""
        return margins(self.log_posterior(positions))

    def boundaries(self, low: float, high: float) -> tuple[float, ...]:  # noqa: ARG002 (exact)
        """Where the most probable class changes along the one feature, also beyond these limits."""
        return tuple(boundary.position for boundary in decision_boundaries(self.model))

    def likelihood(self, positions: FloatArray) -> RealArray:
        """``p(x | c)`` (n, k)."""
        return self.model.likelihood(self.rows_at(positions))

    def joint(self, positions: FloatArray) -> RealArray:
        """``p(x, c)`` (n, k)."""
        return self.model.joint(self.rows_at(positions))

    def evidence(self, positions: FloatArray) -> RealArray:
        """``p(x)`` (n,)."""
        return self.model.evidence(self.rows_at(positions))


_STEPS = 2000
_HALVINGS = 50
"""Points among which changes of a label are looked for, and how often one is closed in on."""


class OtherView(View):
    """A classifier of another kind: labels and posteriors, if all its features are shown."""

    whole: Any  # OtherClassifier

    def part(self, X: Any) -> Rows:
        """The shown features of rows, which must hold numbers."""
        encoder = Encoder.learn(X)
        for column in set(self.columns) & set(encoder.categorical):
            msg = f"{self.whole.schema.feature_name(column)} must hold numbers to be shown"
            raise DataError(msg)
        return cut_rows(encoder.encode(X), encoder.schema(self.classes), self.columns)

    def rows_at(self, positions: FloatArray) -> Rows:
        """Rows at some positions (n, m), their features in the order of the classifier."""
        return number_rows(positions[:, np.argsort(self.columns)])

    def log_posterior(self, positions: FloatArray) -> RealArray:
        """``log p(c | x)`` (n, k)."""
        return self._shown.log_posterior(self.rows_at(positions))

    def predicted(self, positions: FloatArray) -> NDArray[np.intp]:
        """The codes of the classes predicted (n,)."""
        return self._shown.labels(self.rows_at(positions))

    def margins(self, positions: FloatArray) -> RealArray:
        """By how much each class beats the best other one (n, k)."""
        return self._shown.margins(self.rows_at(positions))

    def boundaries(self, low: float, high: float) -> tuple[float, ...]:
        """Where the predicted class changes between these limits, found by bisection."""
        points = np.linspace(low, high, _STEPS)
        codes = self.predicted(points[:, None])
        (before,) = np.nonzero(codes[1:] != codes[:-1])
        left, right, inside = points[before], points[before + 1], codes[before]
        for _ in range(_HALVINGS if before.size else 0):
            middle = left + (right - left) / 2
            same = self.predicted(middle[:, None]) == inside
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        return tuple(right.tolist())

    @property
    def means(self) -> FloatArray:
        """There are none (k, m)."""
        return np.full((self.classes.size, len(self.axes)), np.nan)

    @property
    def _shown(self) -> OtherClassifier:
        """The classifier, if every feature of it is an axis."""
        whole: OtherClassifier = self.whole
        whole.check_shown(self.columns)
        return whole


def model_of(model: Any) -> Model:
    """The record of a fitted classifier, or the record itself, with its parameters."""
    record = _record(model)
    if not isinstance(record, Model):
        msg = (
            f"densities are needed here, which {record.name} does not have: fit a "
            "GaussianClassifier"
        )
        raise OptionError(msg)
    return record


def _record(model: Any) -> Any:
    """The `Model` of a classifier, or a fitted classifier of another kind."""
    if isinstance(model, OtherClassifier):
        return model
    record = model if isinstance(model, Model) else getattr(model, "model_", None)
    return record.solved() if isinstance(record, Model) else other_classifier(model)


def read_labelled(model: Any, X: Any, y: Any) -> tuple[Any, Any, NDArray[np.intp]]:
    """A model's record, rows that have all its features, and their class codes (n,).

    A row without label has the code −1. Instead of a `Model`, the record may be an
    `OtherClassifier`, whose rows are as they came.
    """
    record = _record(model)
    mark = getattr(model, "unlabelled", None)
    X, y, _ = separate_columns(X, y)
    if isinstance(record, OtherClassifier):
        return record, X, _codes(record, y, np.shape(X)[0], mark)
    rows, marks = _read(record, X), record.schema.missing.of(None)
    return record, rows, _codes(record, y, rows.n_rows, marks.plus(mark))


def view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through some of its features, given by name or number; None is all of them."""
    whole = _record(model)
    if isinstance(whole, OtherClassifier):
        schema = whole.schema
        columns = schema.find_columns(range(schema.n_features) if features is None else features)
        axes = tuple(Axis(schema.titles[column]) for column in columns)
        return OtherView(whole, axes, columns, whole)  # type: ignore[arg-type]
    all_columns = tuple(range(whole.schema.n_features))
    columns = all_columns if features is None else whole.schema.find_columns(features)
    # What was learnt is not needed to look at a model.
    part = whole if columns == all_columns else replace(whole, learnt=None).marginal(columns)
    axes = tuple(_axis(part, place) for place in range(len(columns)))
    return View(part, axes, columns, whole, getattr(model, "unlabelled", None))


def pair_view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """A model seen through two features."""
    return view_of((2,), model, features)


def density_view(model: Any, features: Sequence[int | str] | None = None) -> View:
    """The same of a model that has densities."""
    model_of(model)
    return pair_view(model, features)


def line_view(model: Any, feature: int | str | None = None) -> View:
    """A model seen through one feature."""
    return view_of((1,), model, None if feature is None else [feature])


def view_of(counts: Sequence[int], model: Any, features: Sequence[int | str] | None) -> View:
    """A model seen through as many features as one of `counts` says.

    Without a choice these are all features, or those that hold numbers, if that many there are.
    """
    schema = _record(model).schema
    if features is None:
        numbers = [j for j in range(schema.n_features) if j not in schema.categorical]
        choices: list[Sequence[int]] = [range(schema.n_features), numbers]
        given = f"there are {schema.titles!r:.300}"
    else:
        choices, given = [schema.find_columns(features)], f"got {list(features)!r:.300}"
    for columns in choices:
        if len(columns) in counts:
            return view(model, columns)
    words = " or ".join({1: "one", 2: "two"}[count] for count in counts)
    words = f"{words} feature{'' if tuple(counts) == (1,) else 's'}"
    enough = schema.n_features >= min(counts)
    remedy = f"choose {words}, by name or number" if enough else "plots.densities shows one"
    msg = f"this figure shows {words}, but {given}: {remedy}"
    raise DataError(msg)


def positions_of(rows: Rows, axes: Sequence[Axis]) -> FloatArray:
    """The positions (n, m) of rows that have a feature for each axis."""
    positions = np.empty((rows.n_rows, len(axes)))
    positions[:, [axis.is_ordered for axis in axes]] = rows.matrix
    coded = [place for place, axis in enumerate(axes) if not axis.is_ordered]
    for place, codes, known in zip(coded, rows.codes.T, rows.categories, strict=True):
        # Two at the end for values unseen and missing, whose codes are −1 and −2.
        at = np.full(len(known) + 2, np.nan)
        at[list(axes[place].codes)] = np.arange(len(axes[place].codes))
        positions[:, place] = at[codes]
    return positions


def row_axes(rows: Rows, schema: Schema, columns: Sequence[int]) -> tuple[Axis, ...]:
    """Some features of rows as axes, where no model knows more about them."""
    origins = {} if schema.roles is None else schema.roles.origins
    named = {column: schema.titles[column] for column in columns}
    axes = {column: Axis(name, origin=origins.get(name)) for column, name in named.items()}
    for j, column in enumerate(schema.categorical):
        if column in axes:
            known, codes = rows.categories[j], rows.codes[:, j]
            count = np.bincount(codes[codes >= 0], minlength=len(known))
            axes[column] = _category_axis(schema, column, known, count)
    return tuple(axes.values())


def _axis(model: Model, place: int) -> Axis:
    """One of the features of a model as an axis."""
    schema, name = model.schema, model.schema.titles[place]
    pairs = zip(model.components, model.densities, strict=True)
    component, density = next(pair for pair in pairs if place in pair[0].columns)
    j = component.columns.index(place)
    if place in schema.categorical:
        probability = category_probabilities(model)[name if schema.features else place]
        categories = model.categories[schema.categorical.index(place)]
        return _category_axis(schema, place, categories, model.prior @ probability)
    if isinstance(density, Mixed):
        numbers, density = density.numbers
        j = numbers.index(j)
    above = float(density.lowest[j]) if isinstance(density, Bounded) else -np.inf
    integers = density.integers if isinstance(density, Discrete) else None
    origin = None if schema.roles is None else schema.roles.origins.get(name)
    return Axis(name, integers=integers, above=above, origin=origin)


def _category_axis(
    schema: Schema, column: int, categories: Sequence[Any], weight: NDArray[Any]
) -> Axis:
    """The axis of categories; of too many, those that weigh most (m,), in their order."""
    if not categories:
        msg = f"there is nothing to show of {schema.feature_name(column)}: it has no categories"
        raise DataError(msg)
    codes, name = np.arange(len(categories)), schema.titles[column]
    if codes.size > MOST_CATEGORIES:
        name = f"{name} (the {MOST_CATEGORIES} most frequent of {codes.size:,})"
        codes = np.sort(np.argsort(-weight, kind="stable")[:MOST_CATEGORIES])
    chosen = tuple(codes.tolist())
    return Axis(name, tuple(str(categories[code]) for code in chosen), chosen)


def check_rows(rows: Rows, schema: Schema) -> None:
    """Raise for infinity; NaN is a missing value."""
    names = schema.of_numbers
    check_finite(rows.matrix, names=names.features or names.places, allow_nan=True)


def read_hard_labels(y: Any, n_rows: int | None, mark: Any) -> tuple[Targets, LabelArray]:
    """One label for each row, or none, and the classes; soft labels are an error."""
    targets, classes = read_targets(y, n_rows, None, mark)
    if targets.is_soft:
        msg = f"y must be one label for each row here, got soft labels {targets.labels.shape}"
        raise DataError(msg)
    return targets, classes


def _read(model: Model, X: Any) -> Rows:
    rows = model.rows(X)
    check_rows(rows, model.schema)
    return rows


def _codes(model: Any, y: Any, n_rows: int | None, mark: Any) -> NDArray[np.intp]:
    targets, classes = read_hard_labels(y, n_rows, mark)
    return codes_among(model.schema.classes, targets, classes).codes.astype(np.intp)
