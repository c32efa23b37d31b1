"""How good predictions are: confusion matrix, reliability, histogram of posteriors, comparison.

The first three need true labels and posteriors only. Rows without label do not count, and the title
says so. A comparison of models has error, log loss, Brier score and time, and error by neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gaussbayes.analysis.comparison import ComparedModel, Comparison
from gaussbayes.analysis.view import read_labelled
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.types import RealArray
from gaussbayes.model.evaluation import Evaluation, calibrate, evaluate
from gaussbayes.plots import style
from gaussbayes.plots.style import Canvas, Look, Panel, styled

_LARGEST = 180.0  # area of the marker of the largest group, in square points
_FEW = 6  # with more classes the lines are a thicket, and fainter
_RIGHT, _WRONG = "#c3cad6", style.INK
_BARS = 20
_MANY = 8  # classes from which on names are written smaller, in fewer and longer lines
_SIDE, _CELL = 3.7, 0.58  # the least sides of the whole matrix and of a cell, in inches
_LETTER, _LINE = 0.6, 1.3  # width of a letter and height of a line, by the font's size

GAUSSIAN, VOTING = "#5d6f92", "#b9c0cc"
"""The two kinds of models; no class has these colours."""
_WITH_LINES = ("QDA", "LDA", "Gaussian naive Bayes")
"""The Gaussian models that get a line beside nearest neighbours: six would be a thicket."""
_FIT: Look = {"marker": "o", "color": style.INK, "linestyle": "none"}
_PREDICT: Look = _FIT | {"markerfacecolor": "white"}
_BESIDE: Look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}


@styled
def confusion(model: Any, X: Any, y: Any, *, ax: Panel = None) -> Axes:
    """Draw how many rows of each true class (row) were predicted as each class (column).

    A cell says the count, and under it the proportion of the true class's rows, which is also its
    colour. A class without rows has no proportions.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`, or any other classifier that has `predict`
    X, y : rows that the model has not seen, and their true classes; those without do not count
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> confusion(model, [[0], [1], [4], [1.5]], ["low", "low", "high", "high"]).get_title()
    'error 25.0 % (1 of 4)'
    """
    record, rows, codes = read_labelled(model, X, y)
    with np.errstate(divide="ignore"):
        certain = np.log(np.eye(record.classes.size)[record.labels(rows)])
    ax = confusion_matrix(evaluate(certain, codes, record.classes), ax=ax)
    ax.set_title(f"{ax.get_title()}{_left_out(codes)}")
    return ax


@styled
def confusion_matrix(evaluation: Evaluation, *, ax: Panel = None) -> Axes:
    """Draw the confusion matrix of predictions that were evaluated already, whoever made them.

    Parameters
    ----------
    evaluation : what `evaluation.evaluate` or a candidate of `compare` says
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from gaussbayes.datasets import load_iris
    >>> iris = load_iris()
    >>> left_out = GaussianClassifier().leave_one_out(iris.rows, iris.labels)
    >>> confusion_matrix(left_out.evaluation).get_title()
    'error 2.7 % (4 of 150)'
    """
    from sklearn.metrics import ConfusionMatrixDisplay

    k = evaluation.classes.size
    font, line_length = (10.0, 24) if k <= _MANY else (8.0, 40)
    names = [style.text(label, line_length) for label in evaluation.classes.tolist()]
    # The room that names along the matrix take, in inches.
    length = max(len(line) for name in names for line in name.split("\n")) * _LETTER * font / 72
    height = max(name.count("\n") + 1 for name in names) * _LINE * font / 72
    side = max(_SIDE, k * max(_CELL, height))
    below = height if length <= 0.95 * side / k else length
    ax = style.axes_for(ax, (side + length + 0.8, side + below + 0.9))
    display = ConfusionMatrixDisplay(evaluation.proportions, display_labels=names)
    span = {"vmin": 0, "vmax": 1}
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
    errors = f"{evaluation.n_errors:.10g} of {evaluation.n_rows}"
    ax.set_title(f"error {100 * evaluation.error:.1f} % ({errors})")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelsize=font)
    ax.tick_params(axis="x", labelrotation=0 if length <= 0.95 * cell else 90)
    return ax


@styled
def calibration(model: Any, X: Any, y: Any, *, n_groups: int = 10, ax: Panel = None) -> Axes:
    """Draw how often classes came true against how probable the model called them.

    For each class, the rows are grouped by its posterior into equal intervals of [0, 1]; a marker
    stands at the group's mean posterior and the proportion of its rows that are of the class, and
    its area grows with their number. On the diagonal the model means what it says. The legend gives
    the expected calibration error: the mean distance from the diagonal, over the rows.

    Parameters
    ----------
    model, X, y, ax : as in `confusion`; the model must have `predict_proba`
    n_groups : how many intervals

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> calibration(model, [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"]).get_ylabel()
    'proportion of the group that is of the class'
    """
    record, posterior, codes, left_out = _evaluated(model, X, y)
    groups = [calibrate(stated, codes == code, n_groups) for code, stated in enumerate(posterior.T)]
    most = max(int(group.count.max()) for group in groups)
    ax = style.axes_for(ax, (7.6, 4.8))
    ax.plot([0, 1], [0, 1], color=style.FAINT, linestyle="dashed", linewidth=1, zorder=1)
    handles = []
    # The lines only lead the eye: a few rows can throw a group far off the diagonal.
    fade = 0.4 if len(groups) <= _FEW else 0.15
    for look, group in zip(style.class_styles(record.classes), groups, strict=True):
        line: Look = {"color": look.color, "linewidth": 1}
        at = group.stated, group.observed
        ax.plot(*at, **line, alpha=fade, zorder=2)
        area = 16.0 + _LARGEST * group.count / most
        edge: Look = {"edgecolors": "white", "linewidths": 0.6, "alpha": 0.75}
        ax.scatter(*at, s=area, color=look.color, marker=look.marker, zorder=3, **edge)
        label = f"{look.label}: {group.error:.3f}"
        handles.append(style.line(label, marker=look.marker, **line))
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.06, 1.06))
    ax.set_xlabel("posterior of the class (mean of the group)")
    ax.set_ylabel("proportion of the group that is of the class")
    ax.set_title(f"{codes.size} rows{left_out}; the largest marker stands for {most}")
    style.legend_beside(ax, handles, "class: expected\ncalibration error")
    return ax


@styled
def posterior_histogram(model: Any, X: Any, y: Any, *, ax: Panel = None) -> Axes:
    """Draw how sure the model was of its predictions, the right ones and the wrong ones apart.

    The number of rows has a logarithmic axis, so that a few errors show beside many right ones.

    Parameters
    ----------
    model, X, y, ax : as in `confusion`

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> rows, labels = [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"]
    >>> posterior_histogram(model, rows, labels).get_title()
    '4 rows, 2 of them predicted wrongly'
    """
    record, posterior, codes, left_out = _evaluated(model, X, y)
    wrong = posterior.argmax(axis=1) != codes
    largest = posterior.max(axis=1)
    # No largest posterior of k classes is below 1/k.
    edges = np.linspace(1.0 / record.classes.size, 1.0, _BARS + 1)
    ax = style.axes_for(ax, (7.6, 4.8))
    middle, step = (edges[:-1] + edges[1:]) / 2, edges[1] - edges[0]
    looks = (("right", ~wrong, _RIGHT, 0.94), ("wrong", wrong, _WRONG, 0.5))
    for label, chosen, color, width in looks:
        count = np.histogram(np.clip(largest[chosen], edges[0], 1.0), edges)[0]
        named = f"{label} ({int(chosen.sum())})"
        ax.bar(middle, count, width * step, color=color, label=named)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.6)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(ticker.NullFormatter())
    ax.set(xlim=(edges[0], 1.0), xlabel="posterior of the predicted class", ylabel="rows")
    ax.set_title(f"{codes.size} rows{left_out}, {int(wrong.sum())} of them predicted wrongly")
    style.legend_beside(ax, None, "prediction")
    return ax


def _cell(n_rows: float, proportion: float) -> str:
    count = f"{n_rows:.10g}"
    if np.isnan(proportion):
        return "–"
    if n_rows == 0:
        return "0"
    if 0.995 <= proportion < 1:
        return f"{count}\n> 99 %"
    return f"{count}\n< 1 %" if proportion < 0.005 else f"{count}\n{100 * proportion:.0f} %"


def _evaluated(model: Any, X: Any, y: Any) -> tuple[Any, RealArray, NDArray[np.intp], str]:
    """A model, posteriors (n, k) and codes (n,) of labelled rows, and a remark on the others."""
    record, rows, codes = read_labelled(model, X, y)
    labelled = codes >= 0
    if not labelled.any():
        msg = "there are no rows to evaluate: give at least one row and its class"
        raise DataError(msg)
    return record, record.posterior(rows)[labelled], codes[labelled], _left_out(codes)


def _left_out(codes: NDArray[np.intp]) -> str:
    n_unlabelled = int(np.count_nonzero(codes < 0))
    return f" (without {n_unlabelled:,} unlabelled)" if n_unlabelled else ""


@styled
def comparison(compared: Comparison, *, figure: Canvas = None) -> NDArray[np.object_]:
    """Draw every candidate's error, log loss, Brier score and times, in four panels (4,).

    Parameters
    ----------
    compared : what `gaussbayes.compare` returns
    figure : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes.analysis.comparison import compare
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> panels = comparison(compare(data.rows, data.labels, held_out=5, neighbors=[1, 5]))
    >>> [panel.get_title() for panel in panels]
    ['error', 'log loss', 'Brier score', 'time']
    """
    candidates = compared.candidates
    figure = style.figure_for(figure, (11.0, 1.5 + 0.42 * len(candidates)))
    panels: NDArray[np.object_] = figure.subplots(1, 4, sharey=True)
    scores = np.full((3, len(candidates)), np.nan)
    for place, candidate in enumerate(candidates):
        if candidate.evaluation is not None:
            seen = candidate.evaluation
            scores[:, place] = 100 * seen.error, seen.log_loss, seen.brier
    spread = [100 * candidate.standard_error for candidate in candidates]
    _draw_bars(panels[0], candidates, scores[0], spread)
    _draw_bars(panels[1], candidates, scores[1])
    _draw_bars(panels[2], candidates, scores[2])
    _draw_times(panels[3], candidates)
    units = ("% of the rows ± standard error", "nats", "0 to 2", "ms, median of the folds")
    titles = ("error", "log loss", "Brier score", "time")
    for ax, title, unit in zip(panels, titles, units, strict=True):
        ax.set_title(title)
        ax.set_xlabel(unit, fontsize="small")
        ax.tick_params(axis="y", length=0)
        ax.tick_params(axis="x", labelsize="small")
    counted = ((each.name, each.n_parameters) for each in candidates)
    names = [name if n is None else f"{name}\n{n} parameters" for name, n in counted]
    panels[0].set_yticks(range(len(candidates)), names)
    panels[0].set_ylim(len(candidates) - 0.4, -0.6)
    figure.suptitle(style.text(compared.how, 110), fontsize="medium")
    handles = [
        style.patch("Gaussian models", color=GAUSSIAN),
        style.patch("other models", color=VOTING),
        style.line("time to fit", **_FIT),
        style.line("time to predict", **_PREDICT),
    ]
    style.legend_below(figure, handles)
    return panels


def _color(candidate: ComparedModel) -> str:
    return VOTING if candidate.n_parameters is None else GAUSSIAN


def _draw_bars(
    ax: Axes,
    candidates: Sequence[ComparedModel],
    values: NDArray[Any],
    spread: Sequence[float] | None = None,
) -> None:
    """A bar for each candidate with its value beside; an arrow to the edge for an infinite one."""
    ends = values + (0.0 if spread is None else np.asarray(spread))
    edge = 1.35 * max(ends[np.isfinite(ends)], default=1.0) or 1.0
    ax.set_xlim(0, edge)
    ax.xaxis.set_major_locator(ticker.MaxNLocator(4))
    for row, (candidate, value) in enumerate(zip(candidates, values, strict=True)):
        if np.isnan(value):
            note = "could not be fitted" if spread is not None else "–"
            ax.annotate(note, (0, row), (4, 0), **_BESIDE, color=style.FAINT)
        elif np.isinf(value):
            ax.barh(row, 0.8 * edge, 0.62, color=_color(candidate))
            ax.plot(0.8 * edge, row, marker=">", markersize=15, color=_color(candidate))
            ax.annotate("∞", (0.8 * edge, row), (12, 0), **_BESIDE | {"fontsize": "x-large"})
        else:
            ax.barh(row, value, 0.62, color=_color(candidate))
            if spread is not None:
                ax.errorbar(value, row, xerr=spread[row], color=style.INK, linewidth=1)
            number = f"{value:.{3 if spread is None else 1}f}"
            ax.annotate(number, (float(ends[row]), row), (4, 0), **_BESIDE)


def _draw_times(ax: Axes, candidates: Sequence[ComparedModel]) -> None:
    """Markers for the times to fit and to predict."""
    for row, candidate in enumerate(candidates):
        if candidate.evaluation is not None:
            fit, predict = 1000 * candidate.fit_seconds, 1000 * candidate.predict_seconds
            ax.plot([fit, predict], [row, row], color=_color(candidate), linewidth=1.5, zorder=1)
            ax.plot(fit, row, **_FIT)
            ax.plot(predict, row, **_PREDICT)
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    if high < 300 * low:  # else the powers of ten are enough
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 3)))
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
    ax.xaxis.set_major_formatter("{x:g}")


@styled
def neighbors_error(comparison: Comparison, *, ax: Panel = None) -> Axes:
    """Draw the error of nearest neighbours against their number, and lines for QDA, LDA and NB.

    The bars are one standard error, ``√(e (1 − e) / n)``, either way.

    Parameters
    ----------
    comparison : what `gaussbayes.compare` returns
    ax : where to draw; None makes a new figure

    Examples
    --------
    >>> from gaussbayes.analysis.comparison import compare
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[1, 5])
    >>> neighbors_error(compared).get_xlabel()
    'number of neighbours'
    """
    voting = [
        (candidate.neighbors, candidate.evaluation.error, candidate.standard_error)
        for candidate in comparison.candidates
        if candidate.neighbors is not None and candidate.evaluation
    ]
    if not voting:
        problems = (c.problem for c in comparison.candidates if c.neighbors is not None)
        why = next(problems, None) or "call compare with neighbors=(1, 3, 5, …)"
        msg = f"no candidate of this comparison is nearest neighbours with an error to draw: {why}"
        raise OptionError(msg)
    numbers, errors, spread = zip(*voting, strict=True)
    ax = style.axes_for(ax, (7.6, 4.8))
    look: Look = {"color": style.INK, "ecolor": style.FAINT, "marker": "o", "capsize": 3}
    label = "nearest neighbours\n± one standard error"
    entries: list[Any] = [ax.errorbar(numbers, errors, yerr=spread, label=label, **look)]
    for name, line in zip(_WITH_LINES, style.LINES, strict=False):
        for candidate in comparison.candidates:
            if candidate.name == name and candidate.evaluation is not None:
                error = candidate.evaluation.error
                label = f"{name}: {100 * error:.1f} %"
                entries.append(ax.axhline(error, color=GAUSSIAN, linestyle=line, label=label))
    if max(numbers) >= 30 * min(numbers):
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(ticker.ScalarFormatter())
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    if len(numbers) <= 10:
        ax.set_xticks(numbers)
    elif ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(ticker.PercentFormatter(1, symbol=" %"))
    ax.set(xlabel="number of neighbours", ylabel=f"error on {comparison.n_rows} held-out rows")
    style.legend_beside(ax, entries)
    return ax
