"""Every pair of features at a glance: where the classes meet, and how many rows go wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.analysis.grid import limits
from gaussbayes.analysis.view import View, view
from gaussbayes.base.errors import SchemaError
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.plots import plane, points, style
from gaussbayes.plots.boundary_marks import NAME
from gaussbayes.plots.panels import draw_densities, scene
from gaussbayes.plots.regions import draw_boundaries, draw_codes, region_map
from gaussbayes.plots.requirement import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MOST_FEATURES = 8
_MOST_ROWS = 600
"""More rows than these would hide the regions of so small panels."""
_RESOLUTION = 120
_SIDE = 1.85
"""Of a panel, in inches."""
_NAME_LENGTH = 18
"""Characters of a feature's name that fit along a panel; more are written in several lines."""
_NAME_LINE = 0.16
"""Height of such a line, in inches."""
_DARKEST = 0.55
"""Share of grey in the cell with the largest error."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A model of one or two of the features, and what it makes of the rows."""

    view: View
    columns: tuple[int, ...]
    rows: RealArray  # (n, 1 or 2)
    wrong: NDArray[np.bool_]  # (n,)
    evaluation: Evaluation


@picture
def pairs(
    model: Any,
    X: Any,
    y: Any,
    *,
    features: Sequence[int | str] | None = None,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """All pairs of features in one figure, with the error of each.

    Below the diagonal, the decision regions of two features with the rows, wrongly predicted ones
    ringed; on it, the densities of one feature; above it, the errors of the pairs as a table,
    darker cells for larger ones. Each panel's model is the exact marginal of `model`: nothing is
    fitted again. The pair (or pairs) with the fewest errors has a heavy frame.

    Parameters
    ----------
    model : a fitted `GaussianClassifier` of at least two features
    X, y : rows (n, d) and labels (n,), on which errors are counted. Of very many rows only some
        are drawn, but all are counted.
    features : those to show, by name or number; needed if there are more than eight
    figure : where to draw; None makes a new figure

    Returns
    -------
    (m, m) array of axes, for m features

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from gaussbayes import GaussianClassifier
    >>> X = [[1, 8], [2.5, 7.5], [2, 7], [8.5, 2.5], [9, 2], [8, 1]]
    >>> model = GaussianClassifier("diagonal").fit(X, [2, 2, 2, 1, 1, 1])
    >>> pairs(model, X, [2, 2, 2, 1, 1, 1]).shape
    (2, 2)
    >>> plt.close("all")
    """
    seen = view(model, features)
    m = len(seen.names)
    _refuse_number(m, features is not None)
    rows, codes = seen.labelled(X, y)
    couples = {couple: _part(seen, couple, rows, codes) for couple in combinations(range(m), 2)}
    most = max(couple.evaluation.n_errors for couple in couples.values())
    # A single pair is not the best of any.
    fewest = min(couple.evaluation.n_errors for couple in couples.values()) if m > 2 else None
    names = [style.text(name, _NAME_LENGTH) for name in seen.names]
    room = _SIDE * m + _NAME_LINE * max(name.count("\n") for name in names)
    figure = style.figure_for(figure, (room + 0.5, room + 0.9))
    axes: NDArray[Any] = figure.subplots(m, m, squeeze=False)
    shown = _some(rows.shape[0])
    for (left, below), couple in track(couples.items(), "drawing pairs of features"):
        best = couple.evaluation.n_errors == fewest
        _draw_pair(axes[below, left], couple, codes, shown, best=best)
        _draw_cell(axes[left, below], couple.evaluation, most, best=best)
    low, high = limits(seen.model.parameters_, rows)
    for column in range(m):
        single = _part(seen, (column,), rows, codes)
        _draw_single(axes[column, column], single, rows, seen.classes[codes])
        axes[column, column].set_xlim(low[column], high[column])
    _name_outer_axes(axes, names)
    whole = evaluate(seen.model.predict_log_proba(rows), codes, seen.classes)
    together = "both" if m == 2 else f"all {m}"
    figure.suptitle(
        f"errors on {whole.n_rows} rows; by {together} features together {_counted(whole)}",
        fontsize="medium",
    )
    drawn = f"{shown.size} of the rows drawn, all counted" if shown.size < len(rows) else None
    style.legend_below(figure, _handles(seen.classes, best=m > 2), drawn)
    return axes


def _refuse_number(m: int, chosen: bool) -> None:
    if m < 2:
        msg = "pairs of features need at least two of them, got 1: see plots.univariate"
        raise SchemaError(msg)
    if m > _MOST_FEATURES and not chosen:
        msg = (
            f"the model has {m} features, which make {m * (m - 1) // 2} pairs: choose those to "
            f"show, at most {_MOST_FEATURES} for a readable picture, with features=[...], by name "
            "or number"
        )
        raise SchemaError(msg)


def _part(seen: View, columns: tuple[int, ...], rows: RealArray, codes: NDArray[np.intp]) -> Part:
    part = view(seen.model, columns)
    own = rows[:, columns]
    log_posterior = part.model.predict_log_proba(own)
    wrong = log_posterior.argmax(axis=1) != codes
    return Part(part, columns, own, wrong, evaluate(log_posterior, codes, seen.classes))


def _some(n: int) -> NDArray[np.intp]:
    """Numbers of the rows to draw: all, or as many as can be told apart, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, _MOST_ROWS)).astype(np.intp))


def _draw_pair(
    ax: "Axes", couple: Part, codes: NDArray[np.intp], shown: NDArray[np.intp], *, best: bool
) -> None:
    styles = style.class_styles(couple.view.classes)
    grid = plane.grid_of(couple.view, _RESOLUTION, couple.rows)
    found = region_map(couple.view.model, grid)
    draw_codes(ax, found, [plane.lighter(own.color, plane.LIGHT) for own in styles])
    draw_boundaries(ax, found, linewidths=0.9)
    (x, y), kind, wrong = couple.rows[shown].T, codes[shown], couple.wrong[shown]
    look: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.25, "zorder": 4}
    for code, own in enumerate(styles):
        mine = kind == code
        ax.scatter(x[mine], y[mine], s=9.0, marker=own.marker, facecolors=own.color, **look)
    look = {"edgecolors": style.INK, "linewidths": 0.8, "zorder": 5}
    ax.scatter(x[wrong], y[wrong], s=30.0, facecolors="none", gid="errors", **look)
    _write_error(ax, couple.evaluation)
    if best:
        _frame(ax)


def _draw_single(ax: "Axes", single: Part, rows: RealArray, labels: NDArray[Any]) -> None:
    shown = scene(single.view, rows, labels)
    draw_densities(ax, shown, strip=False, write=False)
    ax.set_ylabel("")
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    _write_error(ax, single.evaluation)


def _draw_cell(ax: "Axes", evaluation: Evaluation, most: int, *, best: bool) -> None:
    share = evaluation.n_errors / most if most else 0.0
    ax.set_facecolor(plane.lighter(style.FAINT, 1.0 - _DARKEST * share))
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.text(
        0.5,
        0.5,
        f"{_percent(evaluation)}\n({evaluation.n_errors})",
        transform=ax.transAxes,
        horizontalalignment="center",
        verticalalignment="center",
        fontsize="large",
        fontweight="bold" if best else "normal",
    )
    if best:
        _frame(ax)


def _frame(ax: "Axes") -> None:
    ax.spines[:].set(visible=True, linewidth=2.2, edgecolor=style.INK)


def _write_error(ax: "Axes", evaluation: Evaluation) -> None:
    ax.set_title(_counted(evaluation), fontsize="small", pad=3.0)


def _percent(evaluation: Evaluation) -> str:
    return f"{100.0 * evaluation.error:.1f} %"


def _counted(evaluation: Evaluation) -> str:
    return f"{_percent(evaluation)} ({evaluation.n_errors})"


def _name_outer_axes(axes: NDArray[Any], names: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    last = len(names) - 1
    for row, column in np.ndindex(axes.shape):
        ax: Any = axes[row, column]
        if row > column:
            ax.yaxis.set_major_locator(MaxNLocator(4))
        if row >= column:
            ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.tick_params(labelsize="small", labelbottom=row == last, labelleft=column == 0)
        if row == last:
            ax.set_xlabel(names[column], fontsize="small")
        if column == 0:
            ax.set_ylabel(names[row], fontsize="small")


def _handles(classes: LabelArray, *, best: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        *points.class_handles(style.class_styles(classes)),
        points.ring_handle("error"),
        Line2D([], [], color=style.INK, linewidth=0.9, label=NAME),
    ]
    if best:
        frame = Patch(fill=False, edgecolor=style.INK, linewidth=2.2, label="fewest errors")
        entries.append(frame)
    return entries
