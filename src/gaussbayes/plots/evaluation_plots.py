"""Quality of predictions: confusion matrix, calibration, ROC, importance, Q-Q plot, comparison.

Every number comes from a record: an `Evaluation`, an `Importance` or a `Comparison`. Unlabelled
rows are not evaluated; the title counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes

from gaussbayes.analysis.normality import held_out_distances, normality
from gaussbayes.analysis.view import view
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.numerals import fixed, score
from gaussbayes.base.types import FloatArray, LabelsLike, TableLike
from gaussbayes.model.evaluation import METRICS, Evaluation, evaluate
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.style import Classifier, Features, Look, styled

if TYPE_CHECKING:
    from gaussbayes.analysis.compare import Comparison
    from gaussbayes.analysis.importance import Importance
    from gaussbayes.model.cross_validation import LeaveOneOut

_BESIDE_LEGEND = (7.6, 4.8)  # inches
_LARGEST = 180.0  # area of the marker of the largest group, in square points
_FEW = 6  # with more classes, there is one curve, of the predicted class
_MANY = 8  # from this number of classes on, names are smaller, in fewer and longer lines
_SIDE, _CELL = 3.7, 0.58  # the least sides of the whole matrix and of a cell, in inches
_LETTER, _LINE = 0.6, 1.3  # width of a letter and height of a line, relative to the font size
_MOST_BARS = 20
_MOST_OUTLINED = 200  # points; more overlap, and their outlines hide them
_BAR, _FAINT_BAR = "#5d6f92", "#b9c0cc"  # colours that are not those of classes
_CURVES = {
    False: ("false_positive_rate", "true_positive_rate", "area", "area under the curve"),
    True: ("recall", "precision", "average_precision", "average precision"),
}
"""Attributes of a ROC curve and of a precision-recall curve: x, y and the area; its name."""
_BESIDE: Look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}


@styled
def confusion(
    model: Classifier | Evaluation | LeaveOneOut,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot the confusion matrix: true classes by row, predicted classes by column.

    Each cell has the number of rows and their proportion of the true class, which is also its
    colour. A class without rows has no proportions.

    Parameters
    ----------
    model : any fitted classifier, or the result of `evaluate` or `leave_one_out`
    X, y : for a classifier, rows that it was not fitted to, and their classes or the name of their
        column
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> confusion(model, [[0], [1], [4], [1.5]], ["low", "low", "high", "high"]).get_title()
    'error rate 25.0 % (1 of 4 rows)'
    """
    from sklearn.metrics import ConfusionMatrixDisplay

    evaluation, remark = _evaluated(model, X, y, labels_alone=True)
    k = evaluation.classes.size
    font, line_length = (10.0, 24) if k <= _MANY else (8.0, 40)
    names = [style.text(label, line_length) for label in evaluation.classes.tolist()]
    # Space for the names along the matrix, in inches.
    length = max(len(line) for name in names for line in name.split("\n")) * _LETTER * font / 72
    height = max(name.count("\n") + 1 for name in names) * _LINE * font / 72
    side = max(_SIDE, k * max(_CELL, height))
    below = height if length <= 0.95 * side / k else length
    ax = style.axes_for(ax, (side + length + 0.8, side + below + 0.9))
    display = ConfusionMatrixDisplay(evaluation.proportions, display_labels=names)
    span = {"vmin": 0, "vmax": 1, "aspect": "auto"}  # layouts cannot place squares
    display.plot(ax=ax, include_values=False, cmap="Blues", colorbar=False, im_kw=span)
    cell = min(style.inches(ax)) / k
    proportions = evaluation.proportions.ravel().tolist()
    written = list(map(_cell, evaluation.confusion.ravel().tolist(), proportions))
    widest = max(len(line) for words in written for line in words.split("\n"))
    size = min(10.0, 72 * 0.9 * cell / max(_LETTER * widest, 2 * _LINE))
    for i, (proportion, words) in enumerate(zip(proportions, written, strict=True)):
        color = "white" if proportion > 0.5 else style.INK if proportion > 0 else style.FAINT
        ax.text(i % k, i // k, words, fontsize=size, color=color, ha="center", va="center")
    ax.set(xlabel="predicted class", ylabel="true class")
    errors = f"{evaluation.n_errors:.10g} of {evaluation.n_rows} rows"
    ax.set_title(f"error rate {100 * evaluation.error:.1f} % ({errors}){remark}")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelsize=font)
    ax.tick_params(axis="x", labelrotation=0 if length <= 0.95 * cell else 90)
    return ax


def _cell(n_rows: float, proportion: float) -> str:
    if np.isnan(proportion):
        return "–"
    if n_rows == 0:
        return "0"
    is_nearly_all, is_hardly_any = 0.995 <= proportion < 1, proportion < 0.005
    rounded = "> 99" if is_nearly_all else "< 1" if is_hardly_any else f"{100 * proportion:.0f}"
    return f"{n_rows:.10g}\n{rounded} %"


@styled
def calibration(
    model: Classifier | Evaluation | LeaveOneOut,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot a calibration (reliability) curve: observed frequency against predicted probability.

    For each class, the rows are grouped by its posterior into ten equal intervals. A marker stands
    at the group's mean posterior and the proportion of its rows that belong to the class; its area
    grows with their number. The posteriors are calibrated if the markers are on the diagonal. The
    legend gives the expected calibration error: the mean distance from the diagonal, over the rows.
    With more than six classes there is one curve, of the predicted class of each row.

    Parameters
    ----------
    model : any fitted classifier that has `predict_proba`, or the result of `evaluate` or
        `leave_one_out`
    X, y, ax : as in `confusion`

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> calibration(model, [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"]).get_ylabel()
    'observed frequency of the class'
    """
    evaluation, remark = _evaluated(model, X, y)
    curves, looks = evaluation.class_calibration, style.class_styles(evaluation.classes)
    if len(curves) > _FEW:  # hardly any row would be in the middle groups of each
        curves, looks = (evaluation.calibration,), style.class_styles(np.array(["predicted"]))
    most = max(int(curve.count.max()) for curve in curves)
    ax = style.axes_for(ax, _BESIDE_LEGEND)
    _draw_diagonal(ax)
    handles = []
    # Thin lines: in groups of few rows, deviations from the diagonal may be chance.
    for look, curve in zip(looks, curves, strict=True):
        line: Look = {"color": look.color, "linewidth": 1}
        at = curve.stated, curve.observed
        ax.plot(*at, **line, alpha=0.4, zorder=2)
        area = 16.0 + _LARGEST * curve.count / most
        edge: Look = {"edgecolors": "white", "linewidths": 0.6, "alpha": 0.75}
        ax.scatter(*at, s=area, color=look.color, marker=look.marker, zorder=3, **edge)
        label = f"{look.label}: {curve.error:.3f}"
        handles.append(style.line(label, marker=look.marker, **line))
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.06, 1.06))
    ax.set_xlabel("posterior of the class (mean of the group)")
    ax.set_ylabel("observed frequency of the class")
    ax.set_title(f"{evaluation.n_rows} rows{remark}; the largest marker stands for {most}")
    style.legend_beside(ax, handles, "class: expected\ncalibration error")
    return ax


@styled
def roc(
    model: Classifier | Evaluation | LeaveOneOut,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    precision_recall: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Plot the ROC curve of each class against the others, or the precision-recall curve.

    With two classes, only the second is shown: the ROC curve of the first is its mirror image. The
    legend gives the area under the curve, or the average precision. The dashed line is that of a
    model without features: the diagonal, or the class frequencies.

    Parameters
    ----------
    model : any fitted classifier that has `predict_proba`, or the result of `evaluate` or
        `leave_one_out`
    X, y, ax : as in `confusion`
    precision_recall : whether to plot precision against recall

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> ax = roc(model, [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['low: 0.750']
    """
    evaluation, remark = _evaluated(model, X, y)
    looks = dict(
        zip(evaluation.classes.tolist(), style.class_styles(evaluation.classes), strict=True)
    )
    curves = [curve for curve in evaluation.curves if not np.isnan(curve.area)]
    if not curves:
        msg = "a ROC curve needs rows of two classes at least: give more rows"
        raise DataError(msg)
    if len(looks) == 2 == len(curves):
        curves = curves[1:]
    ax = style.axes_for(ax, _BESIDE_LEGEND)
    frequencies = evaluation.confusion.sum(axis=1) / evaluation.n_rows
    across, up, area, words = _CURVES[precision_recall]
    handles = []
    for curve in curves:
        look = looks[curve.label]
        line: Look = {"color": look.color, "linestyle": look.line}
        drawn = "steps-pre" if precision_recall else "default"
        ax.plot(getattr(curve, across), getattr(curve, up), drawstyle=drawn, zorder=3, **line)
        handles.append(style.line(f"{look.label}: {getattr(curve, area):.3f}", **line))
        if precision_recall:
            base = frequencies[list(looks).index(curve.label)]
            ax.axhline(base, color=look.color, linestyle="dashed", linewidth=0.8, alpha=0.6)
    if not precision_recall:
        _draw_diagonal(ax)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    ax.set(xlabel=across.replace("_", " "), ylabel=up.replace("_", " "))
    ax.set_title(f"{evaluation.n_rows} rows{remark}")
    style.legend_beside(ax, handles, f"class: {words}")
    return ax


@styled
def qq(
    model: Classifier,
    X: TableLike,
    y: LabelsLike,
    *,
    features: Features = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot squared Mahalanobis distances of held-out rows against quantiles of χ².

    The rows are held out in five folds, and the model of the other folds measures their distances
    from their class. The p-value of a distance allows for the estimation of the model where this is
    exact (see `scores`), and the quantile of χ² at this p-value is drawn. If the model is right,
    the points of each class follow the diagonal. Points above it at the right are outliers or heavy
    tails; a flat curve indicates several groups in one class. The legend has the p-value of
    Mardia's tests of normality for each class; a value below 0.05 is evidence against normality.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier` with Gaussian features
    X, y : rows and their classes, or the name of their column; values may be missing
    features : use these, by name or number, and integrate the others out; None uses all
    legend : whether to draw a legend
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier().fit(iris.rows, iris.labels)
    >>> qq(model, iris.rows, iris.labels).get_xlabel()
    'quantile of χ² with 4 degrees of freedom'
    """
    from scipy.special import chdtri

    seen = view(model, features, densities=True)
    rows, codes = seen.labelled(X, y)
    part = seen.part(rows)
    _, n_known = seen.model.squared_distance(part, None)
    degrees = int(n_known.max(initial=1))
    measurable = (n_known > 0) & (codes >= 0)
    if not measurable.any():
        msg = "a Q-Q plot needs rows with labels and values, got none"
        raise DataError(msg)
    shown, of_class = part[np.flatnonzero(measurable)], codes[measurable]
    is_fitted = seen.whole.statistics is not None
    tails = held_out_distances(seen.model, shown, of_class) if is_fitted else ()
    measured = "squared distance of the held-out row" if tails else "squared distance of the row"
    tails = tails or held_out_distances(seen.model, shown, of_class, fitted=False)
    tests = normality(seen.model, shown, of_class)
    ax = style.axes_for(ax, _BESIDE_LEGEND)
    looks, labels = style.class_styles(seen.classes), seen.classes.tolist()
    top, handles = 0.0, []
    for look, label, tail in zip(looks, labels, tails, strict=True):
        quantiles = chdtri(degrees, 1.0 - (np.arange(tail.size) + 0.5) / max(1, tail.size))
        outlined = tail.size <= _MOST_OUTLINED
        edge: Look = {"s": 22.0, "linewidths": 0.4, "zorder": 3}
        edge["edgecolors"] = "white" if outlined else "none"
        distances = chdtri(degrees, tail[::-1])
        ax.scatter(quantiles, distances, color=look.color, marker=look.marker, **edge)
        top = max([top, *quantiles[-1:]])
        p_value = f": p = {score(tests[label])}" if label in tests else ""
        marker: Look = {"marker": look.marker, "markerfacecolor": look.color}
        handles.append(row_plots.marker_handle(f"{look.label}{p_value}", **marker))
    ax.axline((0, 0), slope=1, color=style.FAINT, linestyle="dashed", linewidth=1, zorder=1)
    ax.set(xlim=(-0.03 * top, 1.05 * top))
    ax.set_ylim(bottom=0.0)
    unit = "degree" if degrees == 1 else "degrees"
    ax.set_xlabel(f"quantile of χ² with {degrees} {unit} of freedom")
    ax.set_ylabel(measured)
    handles += row_plots.missing_handles(int(np.count_nonzero((codes >= 0) & ~measurable)))
    if legend:
        style.legend_beside(ax, handles, "Mardia's tests" if tests else "")
    return ax


@styled
def importance(measured: Importance, *, ax: Axes | None = None) -> Axes:
    """Plot the importance of the features: the increase of the held-out log loss without each.

    The number after the slash is the effect of the feature: the mean absolute change of the
    log-odds of the true class.

    Parameters
    ----------
    measured : the result of `GaussianClassifier.importance`
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianClassifier().fit(iris.rows, iris.labels)
    >>> importance(model.importance(iris.rows, iris.labels)).get_xlabel()
    'increase of the held-out log loss without the feature (nats per row)'
    """
    shown = measured.features[:_MOST_BARS]
    ax = style.axes_for(ax, (7.6, 1.4 + 0.36 * len(shown)))
    losses = np.array([entry.loss for entry in shown])
    spread = np.array([entry.standard_error for entry in shown])
    effects = [f" / {fixed(entry.effect, 2)}" for entry in shown]
    _draw_bars(ax, losses, spread, [_BAR] * len(shown), 3, effects)
    names = [style.text(entry.feature, 34, 2) for entry in shown]
    ax.set_yticks(range(len(shown)), names)
    ax.set_xlabel("increase of the held-out log loss without the feature (nats per row)")
    more = len(measured.features) - len(shown)
    first = f", first {_MOST_BARS} of {len(measured.features)} features" if more else ""
    title = f"increase ± one standard error / effect on log-odds\n{measured.n_rows:,} rows{first}"
    ax.set_title(title)
    return ax


@styled
def comparison(
    compared: Comparison,
    *,
    metric: Literal["log_loss", "error", "brier", "auc"] = "log_loss",
    ax: Axes | None = None,
) -> Axes:
    """Plot a metric of every model of a comparison, including k-nearest neighbours for each k.

    Whiskers are one standard error in each direction; the dashed line is the metric of the class
    frequencies. The bar of an infinite log loss ends in an arrow.

    Parameters
    ----------
    compared : the result of `gaussbayes.compare`
    metric : the metric, by its name in `Evaluation`
    ax : where to draw; None makes a new figure

    Returns
    -------
    The axes

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier, compare
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> compared = compare(
    ...     iris.rows, iris.labels, models={"QDA": GaussianClassifier()}, neighbors=[1, 5], cv=3
    ... )
    >>> comparison(compared).get_xlabel()
    'log loss on 150 held-out rows'
    """
    if metric not in METRICS:
        msg = f"metric must be one of {', '.join(map(repr, METRICS))}, got {metric!r}"
        raise OptionError(msg)
    words, *_, proportion = METRICS[metric]
    scale = 100.0 if proportion else 1.0
    candidates = compared.candidates
    values, spread = np.full((2, len(candidates)), np.nan)
    for place, candidate in enumerate(candidates):
        if (seen := candidate.evaluation) is not None:
            values[place] = scale * getattr(seen, metric)
            spread[place] = scale * seen.standard_errors[metric]
    baseline = scale * getattr(compared.baseline, metric)
    ax = style.axes_for(ax, (7.6, 1.5 + 0.42 * len(candidates)))
    colors = [_FAINT_BAR if candidate.neighbors else _BAR for candidate in candidates]
    _draw_bars(ax, values, spread, colors, 1 if proportion else 3)
    low, high = ax.get_xlim()
    if baseline <= 2 * high:  # otherwise the bars would be short
        ax.axvline(baseline, color=style.FAINT, linestyle="dashed", linewidth=1, zorder=0)
        ax.set_xlim(low, max(high, 1.05 * baseline))
    ax.set_yticks(range(len(candidates)), [style.text(each.name, 34, 2) for each in candidates])
    n_rows = next((each.evaluation.n_rows for each in candidates if each.evaluation), 0)
    ax.set_xlabel(f"{words}{' (%)' if proportion else ''} on {n_rows:,} held-out rows")
    ax.set_title(f"± one standard error; class frequencies: {baseline:.3g}")
    return ax


def _draw_bars(
    ax: Axes,
    values: FloatArray,
    spread: FloatArray,
    colors: Sequence[str],
    decimals: int,
    remarks: Sequence[str] = (),
) -> None:
    """Horizontal bars with whiskers and numbers; an arrow to the edge for an infinite value."""
    ends = np.where(np.isnan(spread), values, values + np.nan_to_num(spread))
    finite = np.isfinite(ends)
    edge = 1.25 * max(ends[finite], default=1.0) or 1.0
    start = min(0.0, 1.1 * min((values - np.nan_to_num(spread))[finite], default=0.0))
    ax.set(xlim=(start, edge), ylim=(len(values) - 0.4, -0.6))
    ax.xaxis.set_major_locator(ticker.MaxNLocator(6))
    for row, (value, end, error) in enumerate(zip(values, ends, spread, strict=True)):
        if np.isnan(value):
            ax.annotate("could not be fitted", (0, row), (4, 0), **_BESIDE, color=style.FAINT)
            continue
        length = 0.85 * edge if np.isinf(value) else value
        ax.barh(row, length, 0.62, color=colors[row])
        if np.isinf(value):
            ax.plot(length, row, marker=">", markersize=15, color=colors[row])
            ax.annotate("∞", (length, row), (12, 0), **_BESIDE | {"fontsize": "x-large"})
            continue
        if np.isfinite(error):
            ax.errorbar(value, row, xerr=error, color=style.INK, linewidth=1)
        text = fixed(value, decimals) + (remarks[row] if remarks else "")
        ax.annotate(text, (max(end, 0.0), row), (4, 0), **_BESIDE)
    ax.tick_params(axis="y", length=0)


def _draw_diagonal(ax: Axes) -> None:
    ax.plot([0, 1], [0, 1], color=style.FAINT, linestyle="dashed", linewidth=1, zorder=1)


def _evaluated(
    model: Classifier | Evaluation | LeaveOneOut,
    X: TableLike | None,
    y: LabelsLike | None,
    *,
    labels_alone: bool = False,
) -> tuple[Evaluation, str]:
    """The evaluation of a classifier on rows, or the given one, and a remark on unlabelled rows."""
    evaluation = getattr(model, "evaluation", model)  # of leave-one-out
    if isinstance(evaluation, Evaluation):
        if X is not None or y is not None:
            msg = "an evaluation has its rows: omit X and y"
            raise OptionError(msg)
        return evaluation, ""
    if X is None or y is None:
        msg = "rows to evaluate are needed: give X and y, or the result of evaluate"
        raise DataError(msg)
    seen = view(model)
    rows, codes = seen.labelled(X, y)
    if labels_alone:
        with np.errstate(divide="ignore"):
            log_posterior = np.log(np.eye(seen.classes.size)[seen.whole.labels(rows)])
    else:
        log_posterior = seen.whole.log_posterior(rows)
    n_unlabelled = int(np.count_nonzero(codes < 0))
    remark = f" (without {n_unlabelled:,} unlabelled)" if n_unlabelled else ""
    return evaluate(log_posterior, codes, seen.classes), remark
