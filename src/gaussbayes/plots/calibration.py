"""Does the model mean what it says? A reliability diagram, and a histogram of its posteriors."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gaussbayes.analysis.evaluation import calibrate
from gaussbayes.analysis.view import view
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.plots import style
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST = 180.0
"""Area of the marker of the largest group, in square points."""
_FEW = 6
"""With more classes the lines are a thicket, and fainter."""
_RIGHT, _WRONG = "#c3cad6", style.INK
_BARS = 20


@picture
def calibration(
    model: GaussianClassifier, X: Any, y: Any, *, n_groups: int = 10, ax: "Axes | None" = None
) -> "Axes":
    """Draw how often classes came true against how probable the model called them.

    For each class, the rows are grouped by its posterior into equal intervals of [0, 1]; a marker
    stands at the group's mean posterior and the share of its rows that are of the class, and its
    area grows with their number. On the diagonal the model means what it says. The legend gives
    the expected calibration error: the mean distance from the diagonal, over the rows.

    Parameters
    ----------
    X, y : rows that the model has not seen, and their true classes
    n_groups : how many intervals

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> calibration(model, [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"]).get_ylabel()
    'share of the group that is of the class'
    >>> plt.close("all")
    """
    from matplotlib.lines import Line2D

    seen = view(model)
    rows, codes = seen.labelled(X, y)
    posterior = seen.model.predict_proba(rows)
    groups = [calibrate(stated, codes == code, n_groups) for code, stated in enumerate(posterior.T)]
    most = max(int(group.count.max()) for group in groups)
    ax = style.axes_for(ax, (7.6, 4.8))
    ax.plot([0, 1], [0, 1], color=style.FAINT, linestyle="dashed", linewidth=1, zorder=1)
    handles = []
    for look, group in zip(style.class_styles(seen.classes), groups, strict=True):
        # The lines only lead the eye: a few rows can throw a group far off the diagonal.
        fade = 0.4 if len(groups) <= _FEW else 0.15
        ax.plot(group.stated, group.observed, color=look.color, linewidth=1, alpha=fade, zorder=2)
        ax.scatter(
            group.stated,
            group.observed,
            s=16.0 + _LARGEST * group.count / most,
            color=look.color,
            marker=look.marker,
            edgecolors="white",
            linewidths=0.6,
            alpha=0.75,
            zorder=3,
        )
        known: dict[str, Any] = {"color": look.color, "marker": look.marker, "linewidth": 1}
        handles.append(Line2D([], [], **known, label=f"{look.label}: {group.error:.3f}"))
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.06, 1.06))
    ax.set_xlabel("posterior of the class (mean of the group)")
    ax.set_ylabel("share of the group that is of the class")
    ax.set_title(f"{codes.size} rows; the largest marker stands for {most}")
    style.legend_beside(ax, handles, "class: expected\ncalibration error")
    return ax


@picture
def posterior_histogram(
    model: GaussianClassifier, X: Any, y: Any, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw how sure the model was of its predictions, the right ones and the wrong ones apart.

    The number of rows has a logarithmic axis, so that a few errors show beside many right ones.

    Parameters
    ----------
    X, y : rows that the model has not seen, and their true classes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    >>> rows, labels = [[0], [1.9], [4], [2.1]], ["low", "high", "high", "low"]
    >>> posterior_histogram(model, rows, labels).get_title()
    '4 rows, 2 of them predicted wrongly'
    >>> plt.close("all")
    """
    from matplotlib.ticker import NullFormatter

    seen = view(model)
    rows, codes = seen.labelled(X, y)
    posterior = seen.model.predict_proba(rows)
    wrong = posterior.argmax(axis=1) != codes
    largest = posterior.max(axis=1)
    # No largest posterior of k classes is below 1/k.
    edges = np.linspace(1.0 / seen.classes.size, 1.0, _BARS + 1)
    ax = style.axes_for(ax, (7.6, 4.8))
    looks = (("right", ~wrong, _RIGHT, 0.94), ("wrong", wrong, _WRONG, 0.5))
    for label, chosen, color, width in looks:
        count = np.histogram(np.clip(largest[chosen], edges[0], 1.0), edges)[0]
        middle, step = (edges[:-1] + edges[1:]) / 2, edges[1] - edges[0]
        title = f"{label} ({int(chosen.sum())})"
        ax.bar(middle, count, width * step, color=color, label=title)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.6)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlim(edges[0], 1.0)
    ax.set(xlabel="posterior of the predicted class", ylabel="rows")
    ax.set_title(f"{codes.size} rows, {int(wrong.sum())} of them predicted wrongly")
    style.legend_beside(ax, None, "prediction")
    return ax
