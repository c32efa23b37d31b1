"""A classifier restricted to some of its features, and the axes of a figure that shows them.

Figures accept classifiers and rows in many forms. A `View` has the model of the shown features (all
others integrated out), positions along axes and class codes. A number stands at its value;
categories stand at 0, 1, 2, … A missing value has no position: NaN.

A classifier of another library, such as nearest neighbours, predicts classes and possibly
probabilities. It has no densities, so its features cannot be integrated out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.class_moments import (
    category_probabilities,
    class_deviations,
    class_means,
)
from gaussbayes.analysis.decision import margins
from gaussbayes.base.checks import check_finite
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import MISSING
from gaussbayes.data.labels import codes_among, read_targets, separate_columns
from gaussbayes.data.rows import Encoder, Rows, number_rows, schema_of
from gaussbayes.data.schema import Schema
from gaussbayes.families.protocol import Bounded, Discrete, Mixed
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows

Quantity: TypeAlias = Literal["likelihood", "joint", "posterior", "evidence"]
"""A score whose logarithm is a method of `Model`."""

_FIRST = 1e-3  # proportion of an axis that is omitted beside a number that values must exceed
_DEVIATIONS = 3.0  # extent of a class around its mean if there are no rows
_MARGIN = 0.06  # of the extent, left free on each side
_STEPS, _HALVINGS = 2000, 50  # points for finding changes of the class, and bisections


@dataclass(frozen=True, slots=True)
class Axis:
    """A feature as an axis: of numbers, of integers only, or of categories.

    Examples
    --------
    >>> Axis("visits", integers=(0, np.inf)).limits(-0.4, 2.2)
    (-0.5, 3.5)
    >>> Axis("wind", ("low", "high")).limits(np.nan, np.nan)
    (-0.5, 1.5)
    """

    name: str
    categories: tuple[str, ...] = ()  # at 0, 1, 2, …; none of an axis of numbers
    integers: tuple[float, float] | None = None  # the least and the largest possible
    above: float = -np.inf  # lower bound of numbers
    origin: str | None = None  # the day that is 0, if numbers are days

    @property
    def is_discrete(self) -> bool:
        """Whether the positions are discrete."""
        return not self.is_ordered or self.integers is not None

    @property
    def is_ordered(self) -> bool:
        """Whether positions are numbers, so that they are ordered."""
        return not self.categories

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Return the limits of an axis that shows the numbers between low and high."""
        if not self.is_ordered:
            return -0.5, len(self.categories) - 0.5
        if self.integers is not None:
            least, largest = self.integers
            return max(floor(low), least) - 0.5, min(ceil(high), largest) + 0.5
        if low <= self.above:
            low = self.above + _FIRST * (high - self.above)
        return low, high

    def points(self, low: float, high: float, resolution: int) -> FloatArray:
        """Return this number of points between limits, or each integer, or each category.

        With more integers than `resolution`, every second, third, … is taken.
        """
        if not self.is_discrete:
            return np.linspace(low, high, resolution)
        integers = np.arange(np.ceil(low) + 0.0, np.floor(high) + 1.0)  # + 0.0: not −0
        return integers[:: -(-integers.size // resolution) if self.is_ordered else 1]


@dataclass(frozen=True, slots=True)
class Grid:
    """Points at the crossings of vertical and horizontal lines, which are equally spaced.

    Along a discrete axis the points are all positions.
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

    Rows have any form that the classifier accepts, or are `Rows` of numbers.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> neighbour = KNeighborsClassifier(1).fit([[0.0], [4.0]], ["low", "high"])
    >>> view(neighbour).model.labels([[1.0], [3.0]]).tolist()
    [1, 0]
    """

    classifier: Any
    schema: Schema

    @classmethod
    def of(cls, classifier: Any) -> "OtherClassifier":
        """Return the adapter of a fitted classifier; TypeError for anything else."""
        if hasattr(classifier, "predict") and not hasattr(classifier, "classes_"):
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(classifier)
        for name in ("predict", "classes_", "n_features_in_"):
            if not hasattr(classifier, name):
                kind = type(classifier).__name__
                msg = f"a fitted classifier is needed here; {kind} has no {name}"
                raise TypeError(msg)
        names = getattr(classifier, "feature_names_in_", None)
        titles = None if names is None else tuple(map(str, names))
        classes = np.asarray(classifier.classes_)
        return cls(classifier, Schema(classes, classifier.n_features_in_, titles))

    def labels(self, rows: Any) -> NDArray[np.intp]:
        """Return the code of the class predicted for each row (n,)."""
        return _codes(self.schema, self.classifier.predict(self._table(rows)))

    def log_posterior(self, rows: Any) -> FloatArray:
        """Return the logarithms of the probabilities of the classes (n, k)."""
        with np.errstate(divide="ignore"):
            return np.log(self._posterior(rows))

    def margins(self, rows: Any) -> RealArray:
        """Return the margin of each class over the best other one (n, k).

        They are differences of probabilities if these decide the class; otherwise 1 or −1.
        """
        codes = self.labels(rows)
        if hasattr(self.classifier, "predict_proba"):
            posterior = self._posterior(rows)
            if np.array_equal(posterior.argmax(axis=1), codes):
                return margins(posterior)
        return 2.0 * np.eye(self.schema.classes.size)[codes] - 1.0

    def _posterior(self, rows: Any) -> FloatArray:
        if not hasattr(self.classifier, "predict_proba"):
            msg = (
                f"{type(self.classifier).__name__} has no predict_proba, and this figure shows "
                "probabilities. Choose another classifier, or wrap it in "
                "sklearn.calibration.CalibratedClassifierCV"
            )
            raise OptionError(msg)
        return np.asarray(self.classifier.predict_proba(self._table(rows)), dtype=np.float64)

    def _table(self, rows: Any) -> Any:
        """Return numbers (n, d) under the names that the classifier was fitted with."""
        if not isinstance(rows, Rows):
            return rows
        if self.schema.features is None:
            return rows.matrix
        import pandas as pd  # the classifier stored names of features

        return pd.DataFrame(rows.matrix, columns=list(self.schema.features))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The model of the shown features, and the conversion of rows to positions along axes."""

    model: Any  # Model of the shown features, in the order chosen; or OtherClassifier
    axes: tuple[Axis, ...]
    columns: tuple[int, ...]  # positions among all features
    whole: Any  # Model or OtherClassifier
    mark: Any  # the label that marks a missing one

    @property
    def is_model(self) -> bool:
        """Whether the classifier has densities, and means of classes."""
        return isinstance(self.whole, Model)

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

    def labelled(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        """Return rows with all features of the classifier, and their class codes (n,).

        An unlabelled row has the code −1. Rows of an `OtherClassifier` are unchanged.
        """
        if not isinstance(X, Rows):
            X, y, _ = separate_columns(X, y)
        rows = self._read(X) if self.is_model else X
        return rows, self.codes(y, rows.n_rows if self.is_model else np.shape(X)[0])

    def codes(self, y: Any, n_rows: int | None = None) -> NDArray[np.intp]:
        """Return class codes (n,) of labels of known classes; −1 for a missing label."""
        return _codes(self.whole.schema, y, n_rows, self.mark)

    def part(self, X: Any) -> Rows:
        """Return the shown features of rows that have all features."""
        if self.is_model:
            return cut_rows(self._read(X), self.whole.schema, self.columns)
        schema = schema_of(X)
        for column in set(self.columns) & set(schema.categorical):
            msg = f"{self.whole.schema.feature_name(column)} must hold numbers to be shown"
            raise DataError(msg)
        return cut_rows(Encoder(schema).encode(X), schema, self.columns)

    def _read(self, X: Any) -> Rows:
        rows: Rows = self.whole.rows(X)
        check_rows(rows, self.whole.schema)
        return rows

    def positions(self, X: Any) -> FloatArray:
        """Return positions (n, m) of rows; NaN for missing values."""
        return positions_of(self.part(X), self.axes)

    def rows_at(self, positions: FloatArray) -> Rows:
        """Return rows of the shown features at positions (n, m); NaN is a missing value."""
        if self.is_model:
            coded = [not axis.is_ordered for axis in self.axes]
            levels = np.where(np.isnan(positions[:, coded]), MISSING, positions[:, coded])
            codes = np.asfortranarray(levels.astype(np.int32))
            numbers = np.ascontiguousarray(positions[:, np.logical_not(coded)])
            return Rows(numbers, codes, self.model.categories)
        if len(self.columns) < self.whole.schema.n_features:
            msg = (
                f"{type(self.whole.classifier).__name__} has no densities, so that features "
                "cannot be integrated out: fit it to the one or two features that are to be shown"
            )
            raise OptionError(msg)
        return number_rows(positions[:, np.argsort(self.columns)])

    # Scores at positions (n, m). If no class is possible, as for categories that never occur
    # together, a
    # posterior is NaN and a class code −1.

    def score(self, quantity: Quantity, positions: FloatArray) -> RealArray:
        """Return the score of each class (n, k); of the evidence (n,)."""
        rows = self.rows_at(positions)
        if quantity == "posterior":
            logarithms = self._log_posterior(rows)
        else:
            logarithms = getattr(self.model, f"log_{quantity}")(rows)
        with np.errstate(over="ignore", under="ignore"):  # 0 or ∞ beyond the range of floats
            return np.asarray(np.exp(logarithms))

    def _log_posterior(self, rows: Rows) -> RealArray:
        try:
            log_posterior: RealArray = self.model.log_posterior(rows)
        except DataError:
            if not self.is_model or (possible := np.isfinite(self.model.log_evidence(rows))).all():
                raise
            log_posterior = np.full((rows.n_rows, self.classes.size), np.nan)
            log_posterior[possible] = self.model.log_posterior(rows[possible])
        return log_posterior

    def margins(self, positions: FloatArray) -> RealArray:
        """Return the margin of each class over the best other one (n, k)."""
        rows = self.rows_at(positions)
        if self.is_model:
            return margins(self._log_posterior(rows))
        return np.asarray(self.model.margins(rows))

    def predicted(self, positions: FloatArray) -> NDArray[np.intp]:
        """Return the codes of the predicted classes (n,)."""
        lead = self.margins(positions)
        return np.where(np.isnan(lead[:, 0]), -1, lead.argmax(axis=1))

    def boundaries(self, low: float, high: float) -> tuple[float, ...]:
        """Return the points within limits at which the predicted class changes.

        They are found by bisection; a change between two integers is halfway between them.
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

    # The range of a figure.

    def limits(
        self, *positions: FloatArray, margin: float = _MARGIN
    ) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest position (m,) to show of each feature.

        All rows (n, m) and the means of the classes are shown; without rows, also three standard
        deviations on each side of these.
        """
        shown = [part for part in positions if part.shape[0]]
        if self.is_model:
            room = np.zeros((self.classes.size, len(self.axes)))
            if not shown:
                ordered = [axis.is_ordered for axis in self.axes]
                room[:, ordered] = _DEVIATIONS * class_deviations(self.model)
            shown += [self.means - room, self.means + room]
        return limits(self.axes, *shown, margin=margin)

    def grid(self, resolution: int, low: FloatArray, high: FloatArray) -> Grid:
        """Return a grid over a part of the plane."""
        ends = zip(self.axes, low, high, strict=True)
        x, y = (axis.points(a, b, resolution) for axis, a, b in ends)
        return Grid(x, y, (self.axes[0].is_discrete, self.axes[1].is_discrete))

    def curve_points(self, low: float, high: float, resolution: int) -> FloatArray:
        """Return increasing points of a curve along the one feature.

        They are equally spaced, and denser around every mean, to show narrow peaks.
        """
        points = self.axes[0].points(low, high, resolution)
        if self.axes[0].is_discrete or not self.is_model:
            return points
        near = np.linspace(-4.0, 4.0, 81)
        around = class_means(self.model) + class_deviations(self.model) * near
        points = np.concatenate([points, around.ravel()])
        return np.unique(points[(points >= low) & (points <= high)])


# Views of classifiers.


def view(
    classifier: Any,
    features: int | str | Sequence[int | str] | None = None,
    counts: Sequence[int] = (),
    *,
    densities: bool = False,
) -> View:
    """Return the view of some features of a classifier, given by name or number.

    Their number must be one of `counts`, if there are any. Without a choice these are all features,
    or the most informative ones. With `densities`, a classifier that has none raises an error.
    """
    record = classifier if isinstance(classifier, Model) else getattr(classifier, "model_", None)
    whole: Any = record.solved() if isinstance(record, Model) else OtherClassifier.of(classifier)
    if densities and not isinstance(whole, Model):
        kind = type(classifier).__name__
        msg = f"this needs densities, which {kind} does not have: fit a GaussianClassifier"
        raise OptionError(msg)
    mark = getattr(getattr(classifier, "columns", None), "unlabelled", None)
    marks = whole.schema.missing.of(None).plus(mark)
    columns = _chosen(whole, [features] if isinstance(features, int | str) else features, counts)
    if not isinstance(whole, Model):
        return View(whole, row_axes(whole.schema, (), columns), columns, whole, marks)
    # Statistics are not needed to look at a model.
    is_whole = columns == tuple(range(whole.schema.n_features))
    part = whole if is_whole else replace(whole, statistics=None).marginal(columns)
    axes = row_axes(part.schema, part.categories, range(len(columns)))
    ranges = tuple(_with_range(axis, part, place) for place, axis in enumerate(axes))
    return View(part, ranges, columns, whole, marks)


def _chosen(
    record: Any, features: Sequence[int | str] | None, counts: Sequence[int]
) -> tuple[int, ...]:
    """Return the columns to show."""
    schema = record.schema
    if features is not None:
        columns, given = tuple(schema.find_columns(features)), f"got {list(features)!r:.300}"
    elif counts and isinstance(record, Model) and schema.n_features > max(counts):
        return tuple(best_features(record, max(counts)))
    else:
        columns, given = (
            tuple(range(schema.n_features)),
            f"there are {', '.join(schema.titles):.300}",
        )
    if not counts or len(columns) in counts:
        return columns
    words = " or ".join({1: "one", 2: "two"}[count] for count in counts)
    words = f"{words} feature{'' if tuple(counts) == (1,) else 's'}"
    enough = schema.n_features >= min(counts)
    remedy = f"choose {words}, by name or number" if enough else "plots.densities shows one"
    msg = f"this figure shows {words}, but {given}: {remedy}"
    raise DataError(msg)


def best_features(model: Model, most: int) -> list[int]:
    """Return the features that separate the classes best individually, in their order.

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


def row_axes(
    schema: Schema, categories: Sequence[Sequence[Any]], columns: Sequence[int]
) -> tuple[Axis, ...]:
    """Return some features as axes: of all categories, or of any number."""
    origins = {} if schema.roles is None else schema.roles.origins
    levels, axes = dict(zip(schema.categorical, categories, strict=True)), []
    for column in columns:
        name, values = schema.titles[column], tuple(map(str, levels.get(column, ())))
        if column in levels and not values:
            msg = f"{schema.feature_name(column)} has no categories to show"
            raise DataError(msg)
        axes.append(Axis(name, values, origin=origins.get(name)))
    return tuple(axes)


def _with_range(axis: Axis, model: Model, column: int) -> Axis:
    """Return the axis of a feature of a model, with the bounds of its family."""
    if not axis.is_ordered:
        return axis
    pairs = zip(model.components, model.densities, strict=True)
    component, density = next(pair for pair in pairs if column in pair[0].columns)
    j = component.columns.index(column)
    if isinstance(density, Mixed):
        numbers, density = density.numbers
        j = numbers.index(j)
    above = float(density.lowest[j]) if isinstance(density, Bounded) else -np.inf
    integers = density.integers if isinstance(density, Discrete) else None
    return replace(axis, integers=integers, above=above)


def positions_of(rows: Rows, axes: Sequence[Axis]) -> FloatArray:
    """Return the positions (n, m) of rows with one feature per axis."""
    positions = np.empty((rows.n_rows, len(axes)))
    ordered = np.array([axis.is_ordered for axis in axes])
    positions[:, ordered] = rows.matrix
    positions[:, ~ordered] = np.where(rows.codes < 0, np.nan, rows.codes)
    return positions


def check_rows(rows: Rows, schema: Schema) -> None:
    """Raise for infinity; NaN is a missing value."""
    names = schema.of_numbers
    check_finite(rows.matrix, names=names.features or names.places, allow_nan=True)


def _codes(schema: Schema, y: Any, n_rows: int | None = None, mark: Any = None) -> NDArray[np.intp]:
    targets, classes = read_targets(y, n_rows, None, mark)
    if targets.is_soft:
        msg = f"y must be one label for each row here, got soft labels {targets.labels.shape}"
        raise DataError(msg)
    return codes_among(schema.classes, targets, classes).codes.astype(np.intp)


def limits(
    axes: Sequence[Axis], *positions: FloatArray, margin: float = _MARGIN
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (m,) to show along axes.

    All positions (n, m) are shown, with a margin, also around a constant feature. Cells of integers
    and categories are shown completely.
    """
    numbers = [place for place, axis in enumerate(axes) if axis.is_ordered]
    known = np.concatenate([np.empty((0, len(axes))), *positions])[:, numbers]
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(known, initial=np.inf), np.fmax.reduce(known, initial=-np.inf)
    if not np.isfinite(low).all():
        msg = "the limits of the figure are unknown: give rows (X) with a value of each feature"
        raise OptionError(msg)
    span = high - low
    # A constant feature: a margin of half a unit, or at least a few floats.
    pad = np.where(span > 0, margin * span, np.maximum(0.5, 1e-6 * np.abs(low)))
    ends = np.full((2, len(axes)), np.nan)
    ends[:, numbers] = low - pad, high + pad
    shown = np.array([axis.limits(*pair) for axis, pair in zip(axes, ends.T, strict=True)])
    return shown[:, 0], shown[:, 1]
