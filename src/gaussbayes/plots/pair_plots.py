"""Every pair of features in one figure: decision regions, and the error rate of each pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from gaussbayes.analysis.view import View, view
from gaussbayes.base.errors import DataError
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelsLike, TableLike
from gaussbayes.model.evaluation import evaluate
from gaussbayes.plots import row_plots, style
from gaussbayes.plots.line_plots import BOUNDARY, densities
from gaussbayes.plots.region_plots import regions
from gaussbayes.plots.style import Classifier, Features, styled

_MOST_FEATURES = 8
_MOST_ROWS = 600  # more would hide the regions of small panels
_NAME_LENGTH = 18  # characters of a name that fit along a panel; longer names have several lines
_SIDE, _NAME_LINE, _LETTER = 1.85, 0.16, 0.09
"""In inches: a panel, a line of a feature's name, a letter of the names of categories."""
_SMALL = 0.3  # area of a marker, relative to that in a single figure


@styled
def scatter_matrix(
    model: Classifier,
    X: TableLike,
    y: LabelsLike,
    *,
    features: Features = None,
) -> NDArray[np.object_]:
    """Plot every pair of features: decision regions, rows, densities and error rates.

    Below the diagonal are the decision regions of two features with the rows, misclassified ones
    ringed; on it, the densities of one feature. The model of each panel is the exact marginal of
    `model`: nothing is fitted again. Titles give the error rate and the number of errors, counted
    on all labelled rows with missing values integrated out. Points are rows that have both
    features.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` or `AutoClassifier` with at least two features
    X, y : rows (n, d), and their labels (n,) or the name of their column. At most 600 rows are
        drawn; all are counted.
    features : those to show, by name or number; needed if there are more than eight

    Returns
    -------
    The axes (m, m) of m features; None above the diagonal

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
    >>> scatter_matrix(model, X, [2, 2, 2, 1, 1, 1]).shape
    (2, 2)
    """
    seen = view(model, features, densities=True)
    m = len(seen.names)
    if m < 2:
        msg = "a scatter matrix needs at least two features, got 1: plots.densities shows one"
        raise DataError(msg)
    if m > _MOST_FEATURES and features is None:
        msg = (
            f"the model has {m} features, which make {m * (m - 1) // 2} pairs: choose at most "
            f"{_MOST_FEATURES} with features=[...], by name or number"
        )
        raise DataError(msg)
    rows, codes = seen.labelled(X, y)
    labels = np.array([*seen.classes.tolist(), None], dtype=object)[codes]
    # All rows, or an evenly spaced sample that stays legible.
    drawn = np.unique(np.linspace(0, codes.size - 1, min(codes.size, _MOST_ROWS)).astype(np.intp))
    names = [style.text(name, _NAME_LENGTH) for name in seen.names]
    axes = _panels(seen, names)
    for row, column in track([*np.ndindex(m, m)], "drawing"):
        panel: Any = axes[row, column]
        if row < column:
            panel.remove()
            axes[row, column] = None
            continue
        shown = [seen.columns[place] for place in dict.fromkeys((column, row))]
        if row == column:
            densities(model, rows, labels, features=shown, legend=False, ax=panel)
            panel.set_yticks([])
        else:
            _draw_regions(panel, model, rows[drawn], labels[drawn], shown)
        panel.set_title(_error(view(model, shown), rows, codes), fontsize="small", pad=3.0)
        _name(panel, seen, names, row, column)
    for column in range(m - 1):
        axes[column, column].set_xlim(axes[-1, column].get_xlim())
    figure = axes[0, 0].figure
    figure.align_labels()
    together = f"by {'both' if m == 2 else f'all {m}'} features {_error(seen, rows, codes)}"
    figure.suptitle(f"error rates on {np.sum(codes >= 0):,} rows\n{together}", fontsize="medium")
    handles = _handles(seen, row_plots.points_at(seen.positions(rows), codes))
    title = f"{drawn.size} rows drawn, all counted" if drawn.size < codes.size else None
    style.legend_outside(figure, handles, title)
    return axes


def _panels(seen: View, names: list[str]) -> NDArray[np.object_]:
    """The axes (m, m) of a figure with room for the names of features and categories."""
    m = len(names)
    letters = max((len(name) for axis in seen.axes for name in axis.categories), default=0)
    side = _SIDE * m + _NAME_LINE * max(name.count("\n") for name in names)
    side += _LETTER * min(_NAME_LENGTH, letters) + 0.5
    axes: NDArray[np.object_] = style.new_figure((side, side)).subplots(m, m, squeeze=False)
    return axes


def _draw_regions(panel: Any, model: Classifier, X: Any, y: Any, shown: list[int]) -> None:
    """The regions of two features, with markers that suit a small panel."""
    regions(model, X, y, features=shown, legend=False, ax=panel)
    for marks in panel.findobj(PathCollection):
        marks.set(sizes=_SMALL * marks.get_sizes(), linewidths=_SMALL)
    for means in panel.lines:
        means.set(markersize=5, markeredgewidth=1.2)


def _error(seen: View, rows: Any, codes: NDArray[np.intp]) -> str:
    """The error rate by the features of a view, and the number of errors."""
    evaluation = evaluate(seen.model.log_posterior(seen.part(rows)), codes, seen.classes)
    return f"{100.0 * evaluation.error:.1f} % ({evaluation.n_errors})"


def _name(panel: Any, seen: View, names: list[str], row: int, column: int) -> None:
    """Ticks of a panel, and names at the left and below all panels."""
    lowest, leftmost = row == len(names) - 1, column == 0
    for axis, ticks, outer in (
        (seen.axes[column], panel.xaxis, lowest),
        (seen.axes[row], panel.yaxis, leftmost),
    ):
        if axis.is_ordered and (ticks is panel.xaxis or row != column):
            n_ticks = 2 if axis.origin else 4
            ticks.set_major_locator(MaxNLocator(n_ticks, integer=axis.is_discrete))
        elif not outer:
            ticks.set_ticks([])
    panel.tick_params(labelsize="small", labelbottom=lowest, labelleft=leftmost)
    panel.set_xlabel(names[column] if lowest else "", fontsize="small")
    panel.set_ylabel(names[row] if leftmost else "", fontsize="small")


def _handles(seen: View, points: row_plots.RowPoints) -> list[Any]:
    styles = style.class_styles(seen.classes)
    entries: list[Any] = [*row_plots.class_handles(styles), row_plots.ring_handle()]
    if any(axis.is_ordered for axis in seen.axes):
        entries.append(style.line(BOUNDARY, color=style.INK, linewidth=0.9))
    entries += row_plots.row_handles(points)
    return entries
