"""The confusion matrix: which class is taken for which, in counts and shares."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.analysis.view import view
from gaussbayes.base.types import LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 8
"""Classes from which on names are written smaller, in fewer and longer lines."""
_SIDE, _CELL = 3.7, 0.58
"""The least sides of the whole matrix and of a cell, in inches."""
_LETTER, _LINE = 0.6, 1.3
"""Width of a letter and height of a line, as multiples of the font's size."""


@picture
def confusion(model: GaussianClassifier, X: Any, y: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how many rows of each true class (row) were predicted as each class (column).

    A cell says the count, and under it the share of the true class's rows, which is also its
    colour. A class without rows has no shares.

    Parameters
    ----------
    X, y : rows that the model has not seen, and their true classes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> confusion(model, [[0], [1], [4], [1.5]], ["low", "low", "high", "high"]).get_title()
    'error 25.0 % (1 of 4)'
    >>> plt.close("all")
    """
    seen = view(model)
    rows, codes = seen.labelled(X, y)
    told = evaluate(seen.model.predict_log_proba(rows), codes, seen.classes)
    return confusion_matrix(told, ax=ax)


@picture
def confusion_matrix(told: Evaluation, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the confusion matrix of predictions that were evaluated already, whoever made them.

    Parameters
    ----------
    told : what `evaluation.evaluate` or a candidate of `compare` says

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> log_posterior = np.log([[0.8, 0.2], [0.6, 0.4]])
    >>> told = evaluate(log_posterior, np.array([0, 1]), np.array(["no", "yes"]))
    >>> confusion_matrix(told).get_title()
    'error 50.0 % (1 of 2)'
    >>> plt.close("all")
    """
    from sklearn.metrics import ConfusionMatrixDisplay

    k = told.classes.size
    names = _Names(told.classes)
    ax = style.axes_for(ax, names.figure_size())
    display = ConfusionMatrixDisplay(told.shares, display_labels=names.texts)
    display.plot(
        ax=ax, include_values=False, cmap="Blues", colorbar=False, im_kw={"vmin": 0, "vmax": 1}
    )
    cell = _side(ax) / k
    counts, shares = told.confusion.ravel().tolist(), told.shares.ravel().tolist()
    texts = list(map(_cell, counts, shares))
    widest = max(len(line) for text in texts for line in text.split("\n"))
    size = min(10.0, 72 * 0.9 * cell / max(_LETTER * widest, 2 * _LINE))
    for i, (share, text) in enumerate(zip(shares, texts, strict=True)):
        color = "white" if share > 0.5 else style.INK if share > 0 else style.FAINT
        ax.text(i % k, i // k, text, fontsize=size, color=color, ha="center", va="center")
    ax.set(xlabel="predicted class", ylabel="true class")
    ax.set_title(f"error {100 * told.error:.1f} % ({told.n_errors} of {told.n_rows})")
    ax.spines[:].set_visible(False)
    upright = names.width <= 0.95 * cell
    ax.tick_params(length=0, labelsize=names.size)
    ax.tick_params(axis="x", labelrotation=0 if upright else 90)
    return ax


class _Names:
    """The classes' names along the matrix, and the room they take, in inches."""

    def __init__(self, classes: LabelArray) -> None:
        self.size, line_length = (10.0, 24) if classes.size <= _MANY else (8.0, 40)
        self.texts = [style.text(label, line_length) for label in classes.tolist()]
        lines = [text.split("\n") for text in self.texts]
        self.width = max(len(line) for text in lines for line in text) * _LETTER * self.size / 72
        self.height = max(map(len, lines)) * _LINE * self.size / 72

    def figure_size(self) -> tuple[float, float]:
        """A figure with room for the names on two sides, and for title and axes' names."""
        k = len(self.texts)
        side = max(_SIDE, k * max(_CELL, self.height))
        upright = self.width <= 0.95 * side / k
        return side + self.width + 0.8, side + (self.height if upright else self.width) + 0.9


def _side(ax: "Axes") -> float:
    """The shorter side of the axes, in inches."""
    box = ax.get_window_extent()
    return float(min(box.width, box.height) / ax.figure.get_figure(root=True).dpi)


def _cell(count: int, share: float) -> str:
    if np.isnan(share):
        return "–"
    if count == 0:
        return "0"
    if 0.995 <= share < 1:
        return f"{count}\n> 99 %"
    return f"{count}\n< 1 %" if share < 0.005 else f"{count}\n{100 * share:.0f} %"
