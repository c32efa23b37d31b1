"""How good predictions are: a confusion matrix, a reliability diagram, a histogram of posteriors.

They need true labels and posteriors only. Rows without label do not count, and the title says so.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from gaussbayes.analysis.view import read_labelled
from gaussbayes.base.errors import DataError
from gaussbayes.base.types import RealArray
from gaussbayes.model.evaluation import Evaluation, calibrate, evaluate
from gaussbayes.model.model import Model
from gaussbayes.plots import style
from gaussbayes.plots.style import Look, Panel, styled

_LARGEST = 180.0  # area of the marker of the largest group, in square points
_FEW = 6  # with more classes the lines are a thicket, and fainter
_RIGHT, _WRONG = "#c3cad6", style.INK
_BARS = 20
_MANY = 8  # classes from which on names are written smaller, in fewer and longer lines
_SIDE, _CELL = 3.7, 0.58  # the least sides of the whole matrix and of a cell, in inches
_LETTER, _LINE = 0.6, 1.3  # width of a letter and height of a line, by the font's size


@styled
def confusion(model: Any, X: Any, y: Any, *, ax: Panel = None) -> Axes:
    """Draw how many rows of each true class (row) were predicted as each class (column).

    A cell says the count, and under it the proportion of the true class's rows, which is also its
    colour. A class without rows has no proportions.

    Parameters
    ----------
    model : a fitted `GaussianClassifier`
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
    ax = confusion_matrix(evaluate(record.log_posterior(rows), codes, record.classes), ax=ax)
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
    >>> log_posterior = np.log([[0.8, 0.2], [0.6, 0.4]])
    >>> evaluation = evaluate(log_posterior, np.array([0, 1]), np.array(["no", "yes"]))
    >>> confusion_matrix(evaluation).get_title()
    'error 50.0 % (1 of 2)'
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
    texts = list(map(_cell, evaluation.confusion.ravel().tolist(), proportions))
    widest = max(len(line) for text in texts for line in text.split("\n"))
    size = min(10.0, 72 * 0.9 * cell / max(_LETTER * widest, 2 * _LINE))
    for i, (proportion, text) in enumerate(zip(proportions, texts, strict=True)):
        color = "white" if proportion > 0.5 else style.INK if proportion > 0 else style.FAINT
        ax.text(i % k, i // k, text, fontsize=size, color=color, ha="center", va="center")
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
    model, X, y, ax : as in `confusion`
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
    ax.yaxis.set_minor_formatter(NullFormatter())
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


def _evaluated(model: Any, X: Any, y: Any) -> tuple[Model, RealArray, NDArray[np.intp], str]:
    """A model, posteriors (n, k) and codes (n,) of labelled rows, and a remark on the others."""
    record, rows, codes = read_labelled(model, X, y)
    labelled = codes >= 0
    if not labelled.any():
        msg = "there are no rows to evaluate: give at least one row and its class"
        raise DataError(msg)
    return record, record.posterior(rows[labelled]), codes[labelled], _left_out(codes)


def _left_out(codes: NDArray[np.intp]) -> str:
    n_unlabelled = int(np.count_nonzero(codes < 0))
    return f" (without {n_unlabelled:,} unlabelled)" if n_unlabelled else ""
