"""A classifier restricted to some of its features, and grids over what a figure shows.

Figures accept classifiers and rows in many forms. A `View` has the model of the shown features (all
others integrated out), positions along axes and class codes. A number stands at its value;
categories stand at 0, 1, 2, … A missing value has no position: NaN.

A classifier of another library, such as nearest neighbours, predicts classes and perhaps
probabilities. It has no densities, so that no feature can be integrated out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import (
    category_probabilities,
    class_deviations,
    class_means,
)
from gaussbayes.analysis.decision import margins
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.finite import check_finite
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import MISSING
from gaussbayes.data.labels import codes_among, read_targets
from gaussbayes.data.rows import Encoder, Rows, number_rows
from gaussbayes.data.tables import separate_columns
from gaussbayes.families.protocol import Bounded, Discrete, Distant, Mixed
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows

MOST_CATEGORIES = 24
"""Categories that have a place on an axis: of more, the most probable ones."""

_FIRST = 1e-3  # proportion of an axis that is omitted beside a number that values must exceed
_DEVIATIONS = 3.0  # how far from its mean a class is shown if there are no rows
_MARGIN = 0.06  # of the extent, left free on each side of the rows
_STEPS, _HALVINGS = 2000, 50  # points among which changes of a class are sought, and bisections


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
    above: float = -np.inf  # what numbers must exceed
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
        """Return where an axis begins and ends that shows the numbers between low and high."""
        if not self.is_ordered:
            return -0.5, len(self.codes) - 0.5
        if self.integers is not None:
            least, largest = self.integers
            return max(floor(low), least) - 0.5, min(ceil(high), largest) + 0.5
        if low <= self.above:
            low = self.above + _FIRST * (high - self.above)
        return low, high

    def points(self, low: float, high: float, resolution: int) -> FloatArray:
        """Return so many points between limits, or each integer, or each category.

        Of more integers than `resolution`, every second, third, … is taken.
        """
        if not self.is_discrete:
            return np.linspace(low, high, resolution)
        integers = np.arange(np.ceil(low) + 0.0, np.floor(high) + 1.0)  # + 0.0: not −0
        return integers[:: -(-integers.size // resolution) if self.is_ordered else 1]


@dataclass(frozen=True, slots=True)
class Grid:
    """Points at the crossings of vertical and horizontal lines, which are equally spaced.

    Along a discrete axis there is nothing between the points.
    """

    x: FloatArray  # (m,)
    y: FloatArray  # (p,)
    discrete: tuple[bool, bool] = (False, False)

    @property
    def rows(self) -> FloatArray:
        """The points (p·m, 2), line by line from the bottom."""
        across, up = np.meshgrid(self.x, self.y)
        return np.stack([across.ravel(), up.ravel()], axis=1)

    def arrange(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the points (p·m, …) as an image (p, m, …), the bottom line first."""
        return values.reshape(self.y.size, self.x.size, *values.shape[1:])

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of cells whose centres are the points."""
        across, up = (
            0.5 * (line[1] - line[0]) if line.size > 1 else 0.5 for line in (self.x, self.y)
        )
        x, y = self.x.tolist(), self.y.tolist()
        return x[0] - across, x[-1] + across, y[0] - up, y[-1] + up


@dataclass(frozen=True, slots=True, eq=False)
class OtherClassifier:
    """A fitted classifier of another library, with the methods of a `Model` that figures use.

    Rows are whatever the classifier accepts, or `Rows` of numbers.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> other = other_classifier(KNeighborsClassifier(1).fit([[0.0], [4.0]], ["low", "high"]))
    >>> other.classes.tolist(), other.labels([[1.0], [3.0]]).tolist()
    (['high', 'low'], [1, 0])
    """

    classifier: Any
    schema: Schema

    components = densities = categories = ()

    @property
    def name(self) -> str:
        """The name of its class."""
        return type(self.classifier).__name__

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return self.schema.classes

    def labels(self, rows: Any) -> NDArray[np.intp]:
        """Return the code of the class predicted for each row (n,)."""
        return _codes(self, self.classifier.predict(self._table(rows)))

    def posterior(self, rows: Any) -> FloatArray:
        """Return the probabilities of the classes (n, k)."""
        if not hasattr(self.classifier, "predict_proba"):
            msg = (
                f"{self.name} has no predict_proba, and this figure shows probabilities. Choose "
                "another classifier, or wrap it in sklearn.calibration.CalibratedClassifierCV"
            )
            raise OptionError(msg)
        return np.asarray(self.classifier.predict_proba(self._table(rows)), dtype=np.float64)

    def log_posterior(self, rows: Any) -> FloatArray:
        """Return the logarithms of `posterior`."""
        with np.errstate(divide="ignore"):
            return np.log(self.posterior(rows))

    def margins(self, rows: Any) -> RealArray:
        """Return the margin of each class over the best other one (n, k).

        They are differences of probabilities if these decide the class; otherwise 1 or −1.
        """
        codes = self.labels(rows)
        if hasattr(self.classifier, "predict_proba"):
            posterior = self.posterior(rows)
            if np.array_equal(posterior.argmax(axis=1), codes):
                return margins(posterior)
        return 2.0 * np.eye(self.classes.size)[codes] - 1.0

    def _table(self, rows: Any) -> Any:
        """Return numbers (n, d) under the names that the classifier was fitted with."""
        if not isinstance(rows, Rows):
            return rows
        if self.schema.features is None:
            return rows.matrix
        import pandas as pd  # it named the features, or another library that reads it

        return pd.DataFrame(rows.matrix, columns=list(self.schema.features))


def other_classifier(classifier: Any) -> OtherClassifier:
    """Return a fitted classifier that has `predict`; TypeError for anything else."""
    attributes = ("predict", "classes_", "n_features_in_")
    if hasattr(classifier, "predict") and not hasattr(classifier, "classes_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(classifier)
    lacks = [name for name in attributes if not hasattr(classifier, name)]
    if lacks:
        msg = f"a fitted classifier is needed here; {type(classifier).__name__} has no {lacks[0]}"
        raise TypeError(msg)
    names = getattr(classifier, "feature_names_in_", None)
    titles = None if names is None else tuple(map(str, names))
    classes = np.asarray(classifier.classes_)
    return OtherClassifier(classifier, Schema(classes, classifier.n_features_in_, titles))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The model of the shown features, and the conversion of rows to positions along axes."""

    model: Any  # Model of the shown features, in the order chosen; or OtherClassifier
    axes: tuple[Axis, ...]
    columns: tuple[int, ...]  # where they are among all features
    whole: Any  # Model or OtherClassifier
    mark: Any = None  # the label that marks a missing one

    @property
    def is_model(self) -> bool:
        """Whether the classifier has densities."""
        return isinstance(self.whole, Model)

    @property
    def has_ellipses(self) -> bool:
        """Whether all features have distances, so that classes have ellipses."""
        return all(isinstance(density, Distant) for density in self.model.densities)

    @property
    def has_means(self) -> bool:
        """Whether the classes have means."""
        return bool(self.model.densities)

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return np.asarray(self.whole.schema.classes)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the shown features."""
        return tuple(axis.name for axis in self.axes)

    @property
    def means(self) -> FloatArray:
        """The positions (k, m) of the means of the classes; NaN along categories."""
        means = np.full((self.classes.size, len(self.axes)), np.nan)
        if self.is_model:
            means[:, [axis.is_ordered for axis in self.axes]] = class_means(self.model)
        return means

    # Rows.

    def part(self, X: Any) -> Rows:
        """Return the shown features of rows that have all features."""
        if self.is_model:
            return cut_rows(_read(self.whole, X), self.whole.schema, self.columns)
        encoder = Encoder.learn(X)
        for column in set(self.columns) & set(encoder.categorical):
            msg = f"{self.whole.schema.feature_name(column)} must hold numbers to be shown"
            raise DataError(msg)
        return cut_rows(encoder.encode(X), encoder.schema(self.classes), self.columns)

    def rows(self, X: Any) -> FloatArray:
        """Return positions (n, m) of rows; NaN where a value is missing or not shown."""
        return positions_of(self.part(X), self.axes)

    def rows_at(self, positions: FloatArray) -> Rows:
        """Return rows of the shown features at positions (n, m); NaN is a missing value."""
        if not self.is_model:
            if len(self.columns) < self.whole.schema.n_features:
                msg = (
                    f"{self.whole.name} has no densities, so that features cannot be integrated "
                    "out: fit it to the one or two features that are to be shown"
                )
                raise OptionError(msg)
            return number_rows(positions[:, np.argsort(self.columns)])
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
        """Return class codes (n,) of labels of known classes; −1 for a missing label."""
        return _codes(self.whole, y, mark=self.mark)

    def labelled(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        """Return rows with all features of the classifier, and their class codes (n,).

        An unlabelled row has the code −1. Rows of an `OtherClassifier` are as they came.
        """
        if not isinstance(X, Rows):
            X, y, _ = separate_columns(X, y)
        rows = _read(self.whole, X) if self.is_model else X
        n_rows = rows.n_rows if self.is_model else np.shape(X)[0]
        return rows, _codes(self.whole, y, n_rows, self.mark)

    # Scores at positions (n, m). Where no class is possible, as for categories that never occur
    # together, a posterior is NaN and a class code −1.

    def log_posterior(self, positions: FloatArray) -> RealArray:
        """Return ``log p(c | x)`` (n, k)."""
        rows = self.rows_at(positions)
        try:
            log_posterior: RealArray = self.model.log_posterior(rows)
        except DataError:
            if not self.is_model or (possible := np.isfinite(self.model.log_evidence(rows))).all():
                raise
            log_posterior = np.full((rows.n_rows, self.classes.size), np.nan)
            log_posterior[possible] = self.model.log_posterior(rows[possible])
        return log_posterior

    def posterior(self, positions: FloatArray) -> RealArray:
        """Return ``p(c | x)`` (n, k)."""
        return np.asarray(np.exp(self.log_posterior(positions)))

    def margins(self, positions: FloatArray) -> RealArray:
        """Return the margin of each class over the best other one (n, k)."""
        if not self.is_model:
            return np.asarray(self.model.margins(self.rows_at(positions)))
        return margins(self.log_posterior(positions))

    def predicted(self, positions: FloatArray) -> NDArray[np.intp]:
        """Return the codes of the predicted classes (n,)."""
        lead = self.margins(positions)
        return np.where(np.isnan(lead[:, 0]), -1, lead.argmax(axis=1))

    def likelihood(self, positions: FloatArray) -> RealArray:
        """Return ``p(x | c)`` (n, k)."""
        return _exponential(self.model.log_likelihood(self.rows_at(positions)))

    def joint(self, positions: FloatArray) -> RealArray:
        """Return ``p(x, c)`` (n, k)."""
        return _exponential(self.model.log_joint(self.rows_at(positions)))

    def evidence(self, positions: FloatArray) -> RealArray:
        """Return ``p(x)`` (n,)."""
        return _exponential(self.model.log_evidence(self.rows_at(positions)))

    def boundaries(self, low: float, high: float) -> tuple[float, ...]:
        """Return where the predicted class changes along the one feature, within limits.

        The changes are found by bisection; that between two integers is halfway between them.
        """
        (axis,) = self.axes
        if not axis.is_ordered:
            return ()
        points = self.curve_points(low, high, _STEPS)
        codes = self.predicted(points[:, None])
        (before,) = np.nonzero((codes[1:] != codes[:-1]) & (codes[1:] >= 0) & (codes[:-1] >= 0))
        left, right, inside = points[before], points[before + 1], codes[before]
        for _ in range(_HALVINGS if before.size else 0):
            middle = left + (right - left) / 2
            middle = np.floor(middle) if axis.is_discrete else middle
            same = self.predicted(middle[:, None]) == inside
            left, right = np.where(same, middle, left), np.where(same, right, middle)
        return tuple((left + (right - left) / 2).tolist())

    # The part of the plane, or of the line, that a figure shows.

    def limits(self, *positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest position (m,) to show of each feature; see `limits`."""
        return limits(self.axes, *positions, model=self.model if self.has_means else None)

    def grid(self, resolution: int, low: FloatArray, high: FloatArray) -> Grid:
        """Return a grid over a part of the plane."""
        ends = zip(self.axes, low, high, strict=True)
        x, y = (axis.points(a, b, resolution) for axis, a, b in ends)
        return Grid(x, y, (self.axes[0].is_discrete, self.axes[1].is_discrete))

    def curve_points(self, low: float, high: float, resolution: int) -> FloatArray:
        """Return increasing points of a curve along the one feature.

        They are equally spaced, and denser around every mean, so that no narrow peak is missed.
        """
        points = self.axes[0].points(low, high, resolution)
        if self.axes[0].is_discrete or not self.has_means:
            return points
        near = np.linspace(-4.0, 4.0, 81)
        around = class_means(self.model) + class_deviations(self.model) * near
        points = np.concatenate([points, around.ravel()])
        return np.unique(points[(points >= low) & (points <= high)])


# Views of classifiers.


def _exponential(logarithms: RealArray) -> RealArray:
    """Return the numbers with these logarithms; 0 or ∞ where floats end."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(logarithms))


def _record(model: Any) -> Any:
    if isinstance(model, OtherClassifier):
        return model
    record = model if isinstance(model, Model) else getattr(model, "model_", None)
    return record.solved() if isinstance(record, Model) else other_classifier(model)


def _marks(model: Any, record: Any) -> Any:
    """Return the marks of unlabelled rows, also those of an estimator's `columns`."""
    mark = getattr(getattr(model, "columns", None), "unlabelled", None)
    return record.schema.missing.of(None).plus(mark)


def view(
    model: Any,
    features: Sequence[int | str] | None = None,
    counts: Sequence[int] = (),
    *,
    densities: bool = False,
) -> View:
    """Return the view of some features of a classifier, given by name or number.

    Their number must be one of `counts`, if there are any. Without a choice these are all
    features, or the numeric ones, if their number is right; of a model with more features, the
    most informative ones. With `densities`, a classifier that has none raises an error.
    """
    whole = _record(model)
    if densities and not isinstance(whole, Model):
        msg = f"this needs densities, which {whole.name} does not have: fit a GaussianClassifier"
        raise OptionError(msg)
    columns, marks = _chosen(whole, features, counts), _marks(model, whole)
    if isinstance(whole, OtherClassifier):
        axes = tuple(Axis(whole.schema.titles[column]) for column in columns)
        return View(whole, axes, columns, whole, marks)
    # Statistics are not needed to look at a model.
    all_columns = tuple(range(whole.schema.n_features))
    part = whole if columns == all_columns else replace(whole, statistics=None).marginal(columns)
    axes = tuple(_axis(part, place) for place in range(len(columns)))
    return View(part, axes, columns, whole, marks)


def _chosen(
    record: Any, features: Sequence[int | str] | None, counts: Sequence[int]
) -> tuple[int, ...]:
    """Return the columns to show."""
    schema = record.schema
    if features is None:
        numbers = [j for j in range(schema.n_features) if j not in schema.categorical]
        choices: list[Sequence[int]] = [range(schema.n_features), numbers]
        if counts and isinstance(record, Model) and schema.n_features > max(counts):
            choices.append(best_features(record, max(counts)))
        given = f"there are {', '.join(schema.titles):.300}"
    else:
        choices, given = [schema.find_columns(features)], f"got {list(features)!r:.300}"
    for columns in choices:
        if not counts or len(columns) in counts:
            return tuple(columns)
    words = " or ".join({1: "one", 2: "two"}[count] for count in counts)
    words = f"{words} feature{'' if tuple(counts) == (1,) else 's'}"
    enough = schema.n_features >= min(counts)
    remedy = f"choose {words}, by name or number" if enough else "plots.densities shows one"
    msg = f"this figure shows {words}, but {given}: {remedy}"
    raise DataError(msg)


def best_features(model: Model, most: int) -> list[int]:
    """Return the features that separate the classes best, each by itself, in their order.

    Numbers are ranked by the proportion η² of their variance that lies between the classes,
    categories by Cramér's V².
    """
    schema, prior = model.schema, model.prior
    scores = np.zeros(schema.n_features)
    means, deviations = class_means(model), class_deviations(model)
    between = prior @ np.square(means - prior @ means)
    total = between + prior @ np.square(deviations)
    numbers = [j for j in range(schema.n_features) if j not in schema.categorical]
    scores[numbers] = np.divide(between, total, out=np.zeros_like(total), where=total > 0)
    for column, table in zip(
        schema.categorical, category_probabilities(model).values(), strict=True
    ):
        overall = prior @ table
        squares = prior @ np.square(table - overall)
        phi = np.divide(squares, overall, out=np.zeros_like(overall), where=overall > 0).sum()
        scores[column] = phi / max(1, min(table.shape) - 1)
    return sorted(np.argsort(-np.nan_to_num(scores), kind="stable")[:most].tolist())


# Axes.


def positions_of(rows: Rows, axes: Sequence[Axis]) -> FloatArray:
    """Return the positions (n, m) of rows that have a feature for each axis."""
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
    """Return some features of rows as axes, without a model."""
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
    """Return one of the features of a model as an axis."""
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
    """Return an axis of categories; of too many, those that weigh most (m,), in their order."""
    if not categories:
        msg = f"{schema.feature_name(column)} has no categories to show"
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


def _read(model: Model, X: Any) -> Rows:
    rows = model.rows(X)
    check_rows(rows, model.schema)
    return rows


def _codes(model: Any, y: Any, n_rows: int | None = None, mark: Any = None) -> NDArray[np.intp]:
    targets, classes = read_targets(y, n_rows, None, mark)
    if targets.is_soft:
        msg = f"y must be one label for each row here, got soft labels {targets.labels.shape}"
        raise DataError(msg)
    return codes_among(model.schema.classes, targets, classes).codes.astype(np.intp)


def limits(
    axes: Sequence[Axis], *positions: FloatArray, model: Model | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (m,) to show along axes.

    All rows (n, m) are shown, with a margin, and the means of the classes of `model`; without rows,
    also three standard deviations on each side of them. A constant feature has some room. Integers
    and categories are shown whole.
    """
    numbers = [place for place, axis in enumerate(axes) if axis.is_ordered]
    shown = [part[:, numbers] for part in positions if part.shape[0]]
    margin = _MARGIN if shown or model is None else 0.0
    if model is not None:
        means = class_means(model)
        room = 0.0 if shown else _DEVIATIONS * class_deviations(model)
        shown += [means - room, means + room]
    known = np.concatenate(shown) if shown else np.empty((0, len(numbers)))
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(known, initial=np.inf), np.fmax.reduce(known, initial=-np.inf)
    if not np.isfinite(low).all():
        msg = "the limits of the figure are unknown: give rows (X) with a value of each feature"
        raise OptionError(msg)
    span = high - low
    # A constant feature: half a unit, or at least a few floats, of room.
    pad = np.where(span > 0, margin * span, np.maximum(0.5, 1e-6 * np.abs(low)))
    ends = np.full((2, len(axes)), np.nan)
    ends[:, numbers] = low - pad, high + pad
    return axis_limits(axes, *ends)


def axis_limits(
    axes: Sequence[Axis], low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return where axes begin and end (m,) that show the numbers between low and high."""
    ends = np.array([axis.limits(a, b) for axis, a, b in zip(axes, low, high, strict=True)])
    return ends[:, 0], ends[:, 1]
